//! What the type checker says.

use super::arena::{LevelClash, Literal, Lvl, LvlId, Mismatch, SizeId, Ty, TyId, Types};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Span};
use obsidian_ir::program::ScalarType;

/// Two types that should have been one.
pub fn mismatch(types: &Types, m: &Mismatch, span: Span, what: &str, expected: TyId, found: TyId) -> Diagnostic {
    let (want, got) = (types.show(expected), types.show(found));
    let facts = |d: Diagnostic| {
        if want == got { d } else { d.note(format!("expected `{want}`")).note(format!("   found `{got}`")) }
    };
    let disagree = || {
        let differ = Diagnostic::new("OB020", span, format!("{what}: the types do not agree"));
        facts(differ.help(agree(types, expected, found)))
    };
    match m {
        Mismatch::Level(clash) => match below_rows(types, expected, found) {
            Some(level) => facts(
                Diagnostic::new("OB013", span, format!("{what}: rows are written by a grid, not at `{level}`"))
                    .help("one array of all rows can be written here, `rows.concat().push()`; the rows of a matrix are written by the blocks of a grid, a block for each"),
            ),
            None => level_clash(types, clash, span, what, &want, &got),
        },
        Mismatch::Bound(ty, bound) => facts(
            Diagnostic::new("OB027", span, format!("{what}: `{}` is not `{}`", types.show(*ty), bound.name()))
                .help(bound_help(types, *ty, bound.name())),
        ),
        Mismatch::Size => facts(size_error(span, what, &got)),
        Mismatch::Infinite => facts(
            Diagnostic::new("OB020", span, format!("{what}: this type would hold itself"))
                .help("a function cannot be its own argument; write the recursion as a function with a name"),
        ),
        Mismatch::Types => match (types.find(expected).1, types.find(found).1) {
            (Ty::Tuple(a), Ty::Tuple(b)) => match differing_field(types, a, b) {
                Some(field) => mismatch(types, m, span, &format!("field {field} of {what}"), a[field], b[field]),
                None => disagree(),
            },
            (Ty::Pull(_, _), Ty::Push(_, row, _)) if matches!(types.find(*row).1, Ty::Pull(..)) => facts(
                Diagnostic::new("OB024", span, format!("{what}: rows that are written stand where a matrix is needed"))
                    .help("`PushMat<Grid, f32>` as a result takes rows that are written; to go on with them, write the elements, `m.as_grid_map(|row| row.push())`, and store them with their sides: `.compute_rows(rows, cols)`"),
            ),
            (Ty::Pull(..), Ty::Push(..)) => facts(
                Diagnostic::new("OB024", span, format!("{what}: a push array stands where a pull array is needed"))
                    .help("store it first: `.compute()` writes a `Push` to memory and gives a `Pull`"),
            ),
            (Ty::Push(..), Ty::Pull(row, _)) if matches!(types.find(*row).1, Ty::Push(..)) => facts(
                Diagnostic::new("OB025", span, format!("{what}: an array of push arrays stands where one push array is needed"))
                    .help("the level above writes them one after the other: `.as_grid()`, `.as_block()`, `.as_warp()` or `.as_thread()`"),
            ),
            (Ty::Push(..), Ty::Pull(..)) => facts(
                Diagnostic::new("OB025", span, format!("{what}: a pull array stands where a push array is needed"))
                    .help("a pull array becomes a push array by `.push()`"),
            ),
            _ => disagree(),
        },
    }
}

/// The mistake in what a closure gives that cannot store anything, since it has no level.
pub(super) fn of_pure_closure(mut told: Box<Diagnostic>) -> Box<Diagnostic> {
    if told.code == "OB024" {
        told.help = Some(
            "leave out what makes it a push array, such as `.push()` and `.runs(4)`; `pipeline_push` takes push arrays"
                .into(),
        );
    }
    told
}

/// The level below `Grid` at which something is to be written, where a matrix was found.
fn below_rows(types: &Types, expected: TyId, found: TyId) -> Option<Level> {
    match (types.find(expected).1, types.find(found).1) {
        (Ty::Push(want, ..), Ty::Push(got, row, _)) if matches!(types.find(*row).1, Ty::Pull(..)) => {
            match (types.find_lvl(*want).1, types.find_lvl(*got).1) {
                (Lvl::Known(level), Lvl::Known(Level::Grid)) if *level < Level::Grid => Some(*level),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The first field in which two tuples of the same length differ.
fn differing_field(types: &Types, a: &[TyId], b: &[TyId]) -> Option<usize> {
    let differs = |(a, b): (&TyId, &TyId)| types.show(*a) != types.show(*b);
    if a.len() == b.len() { a.iter().zip(b).position(differs) } else { None }
}

fn is_pull(types: &Types, ty: TyId) -> bool {
    matches!(types.find(ty).1, Ty::Pull(..))
}

fn is_array(types: &Types, ty: TyId) -> bool {
    matches!(types.find(ty).1, Ty::Pull(..) | Ty::Push(..))
}

/// How two types that differ could agree.
fn agree(types: &Types, want: TyId, got: TyId) -> String {
    let text = match (types.find(want).1, types.find(got).1) {
        (Ty::Push(_, a, _), Ty::Push(_, b, _)) if is_pull(types, *a) != is_pull(types, *b) => {
            if is_pull(types, *b) {
                "the rows are one array, one after the other, with `as_grid_map(|row| ..)`; as rows they are a `PushMat<Grid, T>`"
            } else {
                "`as_grid_rows(|row| ..)` keeps the rows: a `PushMat<Grid, T>`; one array is a `DPush<Grid, T>`"
            }
        }
        (Ty::Pull(a, _), Ty::Pull(b, _)) | (Ty::Push(_, a, _), Ty::Push(_, b, _)) => return agree(types, *a, *b),
        (_, Ty::Tuple(fields)) if fields.is_empty() => {
            "a block gives its last expression: leave out the `;` after it, and give `if` an `else`"
        }
        (Ty::Scalar(ScalarType::Bool), _) => "a condition is a `bool`: compare, such as `x != 0`",
        (Ty::Scalar(s), Ty::Var(_, Literal::Float)) | (Ty::Var(_, Literal::Float), Ty::Scalar(s)) if s.is_int() => {
            return format!("write a whole number, or convert the other side with `as f32`: this is `{}`", s.name());
        }
        (Ty::Scalar(s), Ty::Var(_, Literal::Int)) | (Ty::Var(_, Literal::Int), Ty::Scalar(s)) if s.is_float() => {
            return format!("an `{}` literal has a point: `2.0`", s.name());
        }
        (Ty::Scalar(s), Ty::Scalar(_)) => return format!("no type is converted by itself: `x as {}`", s.name()),
        (Ty::Rigid(_, name, _), _) | (_, Ty::Rigid(_, name, _)) => {
            return format!(
                "`{name}` stands for any type that its bound allows: write the one type you mean in its place"
            );
        }
        (Ty::Pull(..), Ty::Scalar(_) | Ty::Tuple(_)) => {
            "an array stands here; `singleton(x)` is the array of one element, and `xs.first()` is the element of such an array"
        }
        (Ty::Tuple(fields), Ty::Pull(..) | Ty::Push(..)) if fields.iter().any(|&field| is_array(types, field)) => {
            return format!("{} results stand in a tuple: `(a, b)`", fields.len());
        }
        (Ty::Scalar(_) | Ty::Tuple(_), Ty::Pull(..)) => {
            "take one element, `xs[i]`, or `xs.fetch(i)` at `Device`; or work on each: `xs.map(|x| ..)`"
        }
        (Ty::Push(level, ..), Ty::Scalar(_) | Ty::Tuple(_)) => {
            let enter = match types.find_lvl(*level).1 {
                Lvl::Known(Level::Block) => "exec_block",
                Lvl::Known(Level::Warp) => "exec_warp",
                _ => "exec_thread",
            };
            return format!("an array is written here: `{enter}(x)` writes one value, `singleton(x).push()` too");
        }
        (Ty::Tuple(a), Ty::Tuple(b)) => return format!("one tuple has {} fields, the other {}", a.len(), b.len()),
        (Ty::Fn(..), _) => "pass a closure, such as `|x| x + 1`, or the name of a function",
        (_, Ty::Fn(..)) => "call the function: `f(x)`",
        _ => "say the type where the value is made, such as `let x: f32 = ..`, to see where the two part",
    };
    text.to_string()
}

fn bound_help(types: &Types, ty: TyId, bound: &str) -> String {
    match types.find(ty).1 {
        Ty::Rigid(_, name, _) => format!("declare it: `{name}: {bound}`"),
        Ty::Push(..) => {
            "push arrays cannot be stored inside arrays: the level above writes them one after the other, `.as_grid()`, `.as_block()`, `.as_warp()` or `.as_thread()`".into()
        }
        Ty::Pull(..) | Ty::Mut(..) => {
            "arrays cannot be stored inside arrays; flatten them first (`concat`)".into()
        }
        Ty::Struct(_) => "structures have no operators: take their fields, `p.x`".into(),
        Ty::Tuple(_) => "tuples have no operators: take their fields, `p.0`, `p.1`".into(),
        Ty::Scalar(s) if s.is_float() && bound == "Int" => {
            "this works on integers; `x as u32` converts, `to_bits(x)` gives the bits of a float".into()
        }
        Ty::Scalar(ScalarType::Bool) => "combine conditions with `&&`, `||`, `!`; `b as u32` is 0 or 1".into(),
        Ty::Scalar(_) if bound == "Float" => "this works on floats: `x as f32`".into(),
        Ty::Fn(..) => "functions vanish while compiling: they cannot be stored, only called".into(),
        _ => "use a scalar type that has the operation".into(),
    }
}

fn size_error(span: Span, what: &str, got: &str) -> Diagnostic {
    let help = if what.starts_with("the result of") {
        format!("write the type that is found: `{got}`; with a `D`, the launch says how long it is")
    } else {
        "`.split_up(n)` cuts an array into chunks of a known length, `.pad_to(n, fill)` fills one up to such a length; \
         `.to_dyn()` forgets a known length; as a type, `Pull<T>` is of any that is known"
            .to_owned()
    };
    Diagnostic::new("OB026", span, format!("{what}: one length is known at compile time, the other only at launch"))
        .help(help)
}

fn level_clash(types: &Types, clash: &LevelClash, span: Span, what: &str, want: &str, got: &str) -> Diagnostic {
    if let Some((max, who)) = &clash.bound {
        let (name, at) = who.clone().unwrap_or_else(|| (what.to_string(), span));
        return above_bound(types, &name, at.or(span), clash.a, *max);
    }
    let (a, b) = (types.show_lvl(clash.a), types.show_lvl(clash.b));
    Diagnostic::new("OB013", span, format!("{what}: the levels `{a}` and `{b}` do not agree"))
        .note(format!("expected `{want}`"))
        .note(format!("   found `{got}`"))
        .help("levels nest one inside the next, Thread < Warp < Block < Grid: `as_warp`, `as_block` and `as_grid` join the arrays of a lower level")
}

/// What makes one array of those of a lower level, which a grid may be too high for.
const JOINS: [&str; 4] = ["as_warp", "as_block", "as_warp_map", "as_block_map"];

/// What could be meant where a function is called in the code of a grid that is another one at `Device`.
pub fn meant_at_device(error: Diagnostic, name: &str) -> Diagnostic {
    if matches!(name, "sum" | "product" | "minimum" | "maximum" | "count") {
        return error.help(format!(
            "of the whole array, by several launches: return a `Program<Device, _>`; of each part, inside the blocks: \
             `as_grid_rows(|row| .. row.{name}(..) ..)` of a matrix, `xs.chunks(1024).as_grid_map(|c| exec_block(c.{name}(..)))`"
        ));
    }
    error.help(format!(
        "of the whole array, by several launches: return a `Program<Device, _>`; of each part, inside the blocks: \
         `xs.chunks(1024).as_grid_map(|c| exec_block({name}(c, ..)))`"
    ))
}

/// A call whose level is above what it allows.
pub fn above_bound(types: &Types, name: &str, span: Span, found: LvlId, max: Level) -> Diagnostic {
    let level = types.show_lvl(found);
    let (code, why, help) = match (name, types.find_lvl(found).1) {
        ("compute" | "force", Lvl::Known(Level::Grid)) => (
            "OB012",
            "a grid has no shared memory and no synchronisation across blocks",
            "compute inside the blocks, `as_grid_map(|c| .. .compute() ..)`, or return a `Program<Device, _>`, where it is a launch",
        ),
        (_, Lvl::Known(Level::Device)) => (
            "OB015",
            "code at `Device` launches grids, and has no threads of its own",
            "use it inside the blocks of a grid, `as_grid_map(|c| exec_block(..))`, and `compute()` the grid",
        ),
        (_, Lvl::Known(Level::Grid)) if !JOINS.contains(&name) => (
            "OB015",
            "a grid is as many blocks as the launch makes, which do not wait for one another",
            "use it inside the blocks, each on its part: `xs.chunks(1024).as_grid_map(|c| exec_block(..))`",
        ),
        (_, Lvl::Rigid(..)) => (
            "OB015",
            "the function is declared for more levels than this call allows",
            "bound the level parameter: `L: Compute`, or `L: AtMost<Warp>`",
        ),
        _ => (
            "OB015",
            "levels nest one inside the next, Thread < Warp < Block < Grid",
            "join the arrays at their own level first: `as_block` takes arrays of threads, warps or blocks, `as_warp` of threads or warps, `as_grid` of blocks",
        ),
    };
    Diagnostic::new(code, span, format!("`{name}` cannot be used at `{level}`"))
        .note(format!("`{name}` works at `{max}` and below: {why}"))
        .help(help)
}

/// A program called where its level is not the ambient one.
pub fn ambient_clash(
    types: &Types,
    clash: &LevelClash,
    name: &str,
    span: Span,
    needs: LvlId,
    ambient: LvlId,
) -> Diagnostic {
    if let Some((max, _)) = &clash.bound {
        return above_bound(types, name, span, ambient, *max);
    }
    let launches = matches!(types.find_lvl(needs).1, Lvl::Known(Level::Device));
    let loops = matches!(types.find_lvl(needs).1, Lvl::Step(_));
    let above = match (types.find_lvl(needs).1, types.find_lvl(ambient).1) {
        (Lvl::Known(needs), Lvl::Known(ambient)) => needs > ambient,
        _ => false,
    };
    let (needs, ambient) = (types.show_lvl(needs), types.show_lvl(ambient));
    let lower = needs.to_lowercase();
    let help = if launches {
        "what launches kernels is no part of one: call it from an entry that returns a `Program<Device, _>`".to_string()
    } else if loops {
        "loops over blocks stand in a grid, those over warps in a block, those over threads in a grid, a block or a warp".to_string()
    } else if above {
        format!(
            "what a {lower} does together is called outside of its loops over threads and warps, and its result is read inside"
        )
    } else {
        format!(
            "run it in its own level with `exec_{lower}(..)` and join the results with `as_{}`",
            ambient.to_lowercase()
        )
    };
    Diagnostic::new("OB014", span, format!("`{name}` runs at `{needs}`, but this is `{ambient}` code"))
        .note(format!(
            "a function with the result `Program<{needs}, _>` is called only where the ambient level is `{needs}`"
        ))
        .help(help)
}

/// A program called in pure code.
pub fn no_ambient(types: &Types, name: &str, span: Span, needs: LvlId) -> Diagnostic {
    let needs = match types.find_lvl(needs).1 {
        Lvl::Known(l) => l.name().to_string(),
        Lvl::Rigid(_, name, _) => name.clone(),
        _ => "L".to_string(),
    };
    let d = Diagnostic::new("OB010", span, format!("{} computes at a level, but this code is pure", quoted(name)))
        .note("a pure function, or a closure that gives single elements, has no threads to compute with");
    if needs == Level::Thread.name() {
        return d.help(
            "let a thread compute each element: `xs.chunks(256).as_grid_map(|c| c.as_block_map(|x| exec_thread(..)))`; \
             a helper that is called there has the result `Program<Thread, _>`",
        );
    }
    if matches!(name, "reduce" | "scan") {
        return d.help(
            "a row of a matrix is worked on by a block: `m.as_grid_rows(|row| ..)`, an array in parts by `xs.chunks(1024).as_grid_map(|c| ..)`; a \
             closure that gives an element folds by a loop: `xs.sum()`, `xs.foldl(init, |acc, x| ..)`",
        );
    }
    d.help(format!("make the function's result a `Program<{needs}, _>`, or run the expression with `exec_thread`, `exec_warp` or `exec_block`"))
}

/// Indexing something that cannot be indexed.
pub fn not_indexable(types: &Types, span: Span, ty: TyId) -> Diagnostic {
    let shown = types.show(ty);
    let d = Diagnostic::new("OB023", span, format!("`{shown}` cannot be indexed"));
    match types.find(ty).1 {
        Ty::Push(..) => d
            .note("a push array writes all its elements itself; single elements cannot be asked for")
            .help("store it first: `let ys = xs.compute();`, then `ys[i]`"),
        Ty::Var(..) => d.help("say its type: `|xs: Pull<i32>| ..`"),
        _ => d
            .note("only pull arrays and mutable arrays are indexed")
            .help("a tuple's fields are `p.0`, `p.1`; a scalar has no parts"),
    }
}

/// An element of something that is no mutable array is assigned.
pub fn not_assignable(types: &Types, span: Span, ty: TyId) -> Diagnostic {
    Diagnostic::new("OB029", span, format!("an element of `{}` cannot be assigned", types.show(ty)))
        .note("only mutable arrays have elements that change: `Mut<T>` and `DMut<T>`")
        .help("an entry takes a buffer that it changes as `m: DMut<T>`; a block makes one, `let m = xs.new_mut();`; or make a new array with `map`")
}

/// An element of a mutable array is read or assigned where no thread is.
pub fn element_access(types: &Types, what: &str, span: Span, ambient: Option<LvlId>) -> Diagnostic {
    let here = ambient.map_or("pure".to_string(), |l| format!("`{}`", types.show_lvl(l)));
    let code = if ambient.is_some() { "OB014" } else { "OB010" };
    Diagnostic::new(code, span, format!("an element of a mutable array is {what} by a thread, but this is {here} code"))
        .note("a read sees what has been written so far, so it is a step of a thread")
        .help("do it in each thread: `for_all(n, |i| ..)`, or in one: `single_thread(..)`; `m.to_pull()` is a view that any code may index")
}

/// Whether a size is dynamic.
pub fn is_dynamic(types: &Types, size: SizeId) -> bool {
    matches!(types.find_size(size).1, super::arena::Size::Dynamic)
}

/// A name in quotes; a phrase as it is.
fn quoted(name: &str) -> String {
    if name.contains(' ') { name.to_string() } else { format!("`{name}`") }
}
