//! A kernel as text of the language: what stands inside `kernel! { .. }`.

mod items;
mod launches;

use std::cell::Cell;
use std::fmt::Write;

use obsidian_ir::level::Level;
use obsidian_ir::program::{Const, ScalarType, UnOp};

use crate::ast::{
    Border, Bound, Cut, Declared, EXCHANGED, Expr, Helper, HelperKind, InChunk, InMatrix, Input, Kernel, Known, Op,
    Place, Source, Stages, Update,
};
use crate::types::{self, Ty};

/// The kernel's text; its entry is called `name`, its helpers after that.
pub fn kernel(kernel: &Kernel, name: &str) -> String {
    let p = Printer { name, kernel, inside: Cell::new(0) };
    let mut text = items::of(kernel);
    for (i, helper) in kernel.helpers.iter().enumerate() {
        text += &p.helper(i, helper);
    }
    let outputs: Vec<String> = types::outputs(kernel).unwrap_or_default().iter().map(ty).collect();
    let params: Vec<String> = kernel.inputs.iter().map(input).collect();
    let results: Vec<String> = kernel.outputs.iter().map(|e| p.expr(e)).collect();
    let tuple = |list: Vec<String>| if list.len() == 1 { list[0].clone() } else { format!("({})", list.join(", ")) };
    let more: String = kernel.more_threads.iter().map(|n| format!(", {n}")).collect();
    let threads = if more.is_empty() { kernel.threads.to_string() } else { format!("[{}{more}]", kernel.threads) };
    let change = |(v, f): &(u32, Expr)| match &f.op {
        Op::Lambda(params) if params.len() == 2 => {
            let (i, old, new) = (params[0], params[1], p.expr(&f.args[0]));
            format!("for_all(v{v}.len(), |v{i}| {{ let v{old} = v{v}[v{i}]; v{v}[v{i}] = {new}; }})")
        }
        _ => String::new(),
    };
    let (result, body) = match &kernel.changes[..] {
        [] if kernel.launches() => (format!("Program<Device, {}>", tuple(outputs)), tuple(results)),
        [] => (tuple(outputs), tuple(results)),
        changes => ("Program<Grid, ()>".to_string(), changes.iter().map(change).collect::<Vec<_>>().join(";\n    ")),
    };
    let params = params.join(", ");
    // Every other kernel has what the hardware copies.
    let target =
        if kernel.exprs().any(staged) && kernel.data_seed.is_multiple_of(2) { ", target = \"sm_80\"" } else { "" };
    let _ = write!(
        text,
        "#[kernel(threads = {threads}{target})]\npub fn {name}({params}) -> {result} {{\n    {body}\n}}\n"
    );
    text
}

/// Whether something is loaded in stages.
fn staged(e: &Expr) -> bool {
    matches!(e.op, Op::Staged(..)) || e.args.iter().any(staged)
}

fn fields(list: &[ScalarType]) -> String {
    ty(&Ty::of_fields(list))
}

fn input(input: &Input) -> String {
    let elem = fields(&input.fields);
    match input.source {
        Source::Scalar => format!("v{}: {elem}", input.var),
        Source::Buffer(n, Known::Static) => format!("v{}: Pull<{elem}, {n}>", input.var),
        Source::Buffer(_, Known::AtLaunch) => format!("v{}: DPull<{elem}>", input.var),
        Source::Matrix(..) => format!("v{}: DMat<{elem}>", input.var),
        Source::Updated(n, Known::Static, _) => format!("v{}: Mut<{elem}, {n}>", input.var),
        Source::Updated(_, Known::AtLaunch, _) => format!("v{}: DMut<{elem}>", input.var),
    }
}

/// A type, as an entry declares it.
fn ty(of: &Ty) -> String {
    match of {
        Ty::Scalar(s) => s.name().to_string(),
        Ty::Record(fields) => items::structure(fields),
        Ty::Tuple(list) => format!("({})", list.iter().map(ty).collect::<Vec<_>>().join(", ")),
        Ty::Pull(elem, _, Known::Static) => format!("Pull<{}>", ty(elem)),
        Ty::Pull(elem, ..) => format!("DPull<{}>", ty(elem)),
        Ty::Push(level, elem, _, known) => {
            if let (Level::Grid, Ty::Pull(elem, ..)) = (level, &**elem) {
                return format!("PushMat<Grid, {}>", ty(elem));
            }
            let level = match level {
                Level::Thread => "Thread",
                Level::Warp => "Warp",
                Level::Block => "Block",
                Level::Grid => "Grid",
                Level::Device => "Device",
            };
            format!("{}Push<{level}, {}>", if *known == Known::Static { "" } else { "D" }, ty(elem))
        }
    }
}

/// A scalar, as a literal where there is one.
fn constant(c: Const) -> String {
    let name = c.ty.name();
    match c.ty {
        ScalarType::Bool => (c.bits != 0).to_string(),
        ScalarType::F16 | ScalarType::BF16 => format!("{name}::from_bits({}u16)", c.bits),
        ScalarType::F32 => match f32::from_bits(c.bits as u32) {
            x if x.is_finite() && !x.is_sign_negative() && x.abs() < 1e6 => format!("{x:?}f32"),
            _ => format!("f32::from_bits({}u32)", c.bits),
        },
        ScalarType::F64 => match f64::from_bits(c.bits) {
            x if x.is_finite() && !x.is_sign_negative() && x.abs() < 1e6 => format!("{x:?}f64"),
            _ => format!("f64::from_bits({}u64)", c.bits),
        },
        _ => match c.int() {
            // The least number of a type is no literal of it.
            v if v < 0 && v == -(1i128 << (c.ty.bits() - 1)) => format!("{name}::MIN"),
            v if v < 0 => format!("(-{}{name})", -v),
            v => format!("{v}{name}"),
        },
    }
}

/// What a grid makes of an array's parts.
fn chunked(what: InChunk, cut: Cut, array: &str, arg: impl Fn(usize) -> String) -> String {
    let (Cut::Chunks(k) | Cut::Rows(k)) = cut;
    let rows = format!("let a = {array}; let w = a.len() / {k}; let h = a.len() / w;");
    let made = match what {
        InChunk::Turned => {
            let write = "distr_par(h, |r| for_all(w, |c| write(a[r * w + c], c * h + r)))";
            return format!("{{ {rows} mk_push(h * w, |write| {write}) }}");
        }
        InChunk::Whole => return format!("{array}.push()"),
        InChunk::Copied => "c.push()".to_string(),
        InChunk::Reversed => "c.reverse().push()".to_string(),
        InChunk::Stored => "exec_block({ let s = c.compute(); s.reverse().push().compute().push() })".to_string(),
        InChunk::Mapped => format!("c.map({}).push()", arg(1)),
        InChunk::Folded => format!("exec_block(reduce(c, {}))", arg(1)),
        InChunk::Scanned => format!("exec_block(scan(c, {}).push())", arg(1)),
        InChunk::Sorted => "exec_block(sort(c).push())".to_string(),
        InChunk::Filled => {
            let filled = format!("c.pad_to({k}, {})", arg(1));
            return format!("{array}.chunks({k}).map(|c| {filled}).as_grid_map({})", arg(2));
        }
    };
    match cut {
        Cut::Chunks(k) => format!("{array}.chunks({k}).as_grid_map(|c| {made})"),
        Cut::Rows(_) => {
            let row = "mk_pull(w, |j| a[i * w + j])";
            format!("{{ {rows} mk_pull(h, |i| {row}).as_grid_map(|c| {made}) }}")
        }
    }
}

/// What a grid makes of a matrix.
fn of_matrix(what: InMatrix, m: &str, arg: impl Fn(usize) -> String) -> String {
    match what {
        InMatrix::Mapped => format!("{m}.map(|row| row.map({})).push()", arg(1)),
        InMatrix::Transposed => format!("{m}.transpose().push()"),
        InMatrix::Turned => {
            format!("mk_mat({m}.rows(), {m}.cols(), |r, c| {m}[({m}.rows() - 1 - r, {m}.cols() - 1 - c)]).push()")
        }
        InMatrix::Inner([r, c], [more_r, more_c]) => {
            let (rows, cols) = (r + more_r, c + more_c);
            format!("{m}.sub({r}, {c}, {m}.rows() - {rows}, {m}.cols() - {cols}).push()")
        }
        InMatrix::Stencil(border, up, left) => {
            let fill = if border == Border::Fill { format!("{}, ", arg(2)) } else { String::new() };
            format!("{m}.{}({up}, {left}, {fill}{}).push()", border.function(), arg(1))
        }
        InMatrix::Rows => format!("{m}.as_grid_rows(|row| row.reverse().push())"),
        InMatrix::Folded => format!("{m}.as_grid_map(|row| exec_block(reduce(row, {})))", arg(1)),
        InMatrix::FoldedColumns => format!("{m}.transpose().as_grid_map(|col| exec_block(reduce(col, {})))", arg(1)),
        InMatrix::Row => format!("{m}.row({}).push()", arg(1)),
        InMatrix::Column => format!("{m}.col({}).push()", arg(1)),
        InMatrix::Tiles(h, w) => {
            let folded = format!("tile.foldl({}, |acc, row| row.foldl(acc, {}))", arg(2), arg(1));
            format!("{m}.ragged_tiles({h}, {w}).as_grid_rows(|tiles| tiles.as_block_map(|tile| exec_thread({folded})))")
        }
    }
}

struct Printer<'a> {
    name: &'a str,
    kernel: &'a Kernel,
    /// The helper that is being printed.
    inside: Cell<usize>,
}

impl Printer<'_> {
    fn helper(&self, i: usize, h: &Helper) -> String {
        let bound = match h.bound {
            Bound::Data => "Data",
            Bound::Num => "Num",
            Bound::Int => "Int",
        };
        let declared = |d: Declared| match d {
            Declared::Element => "T",
            Declared::Array => "Pull<T>",
            Declared::Function => "impl Fn(T, T) -> T",
            Declared::Pushed => "Push<L, T>",
        };
        let params: Vec<String> = h.params.iter().map(|(v, d)| format!("v{v}: {}", declared(*d))).collect();
        let (generics, result) = match h.kind {
            HelperKind::Pure => ("", declared(h.result).to_string()),
            HelperKind::Program => ("L: Compute, ", format!("Program<L, {}>", declared(h.result))),
        };
        self.inside.set(i);
        let (name, body) = (self.name, self.expr(&h.body));
        format!("fn {name}_h{i}<{generics}T: {bound}>({}) -> {result} {{\n    {body}\n}}\n", params.join(", "))
    }

    fn list(&self, args: &[Expr]) -> String {
        args.iter().map(|a| self.expr(a)).collect::<Vec<_>>().join(", ")
    }

    /// What a function of two parameters gives, written in its place, since a closure's parameters have no types before they are used.
    fn applied(&self, f: &Expr, m: u32, [a, b]: [&str; 2]) -> String {
        match &f.op {
            Op::Lambda(params) if params.len() == 2 => {
                format!("{{ let (v{}, v{}) = ({a}, {b}); {} }}", params[0], params[1], self.expr(&f.args[0]))
            }
            _ => format!("{{ let f{m} = {}; f{m}({a}, {b}) }}", self.expr(f)),
        }
    }

    /// What is made of a matrix: of several launches every other stores the matrix first.
    fn perhaps_stored(&self, m: &str, made: String) -> String {
        if self.kernel.launches() && self.kernel.data_seed.is_multiple_of(2) {
            format!("{{ let {m} = {m}.compute(); {made} }}")
        } else {
            made
        }
    }

    /// A loop that loads the array turned by the number of the round.
    fn staged(&self, e: &Expr, m: u32, Stages { depth, each }: Stages) -> String {
        let next = self.applied(&e.args[2], m, [&format!("m{m}[t{m}][0]"), &format!("s{m}[n{m} - 1 - t{m}]")]);
        let (pipeline, runs) =
            if each == 1 { ("pipeline", String::new()) } else { ("pipeline_push", format!(".runs({each})")) };
        format!(
            "{{ let g{m} = {}; let n{m} = g{m}.len(); let m{m} = regs(n{m}, 1, |t, q| g{m}[t]); \
             {pipeline}({depth}, {}, |k{m}| mk_pull(n{m}, |i{m}| g{m}[(i{m} + k{m}) % n{m}]){runs}, \
             |k{m}, s{m}| for_all(n{m}, |t{m}| {{ m{m}[t{m}][0] = {next}; }})); m{m}.push().compute() }}",
            self.expr(&e.args[0]),
            self.expr(&e.args[1])
        )
    }

    /// Rounds that read one half of an array and write the other.
    fn in_turn(&self, e: &Expr, m: u32, place: Place) -> String {
        let (own, index) = (format!("x{m}"), format!("t{m}"));
        let read = format!("m{m}[k{m} % 2 * n{m} + p{m}]");
        let other = match place {
            Place::Remainder => format!("m{m}[k{m} % 2 * n{m} + p{m} % n{m}]"),
            Place::Tested => format!("if p{m} < n{m} {{ {read} }} else {{ x{m} }}"),
        };
        let (at, next) =
            (self.applied(&e.args[3], m, [&own, &index]), self.applied(&e.args[2], m, [&own, &format!("y{m}")]));
        format!(
            "{{ let g{m} = {}; let n{m} = g{m}.len(); let m{m} = g{m}.append(g{m}).new_mut(); let r{m} = {}; \
             seq_for(r{m}, |k{m}| for_all(n{m}, |t{m}| {{ let x{m} = m{m}[k{m} % 2 * n{m} + t{m}]; let p{m} = {at}; \
             let y{m} = {other}; m{m}[(k{m} + 1) % 2 * n{m} + t{m}] = {next}; }})); \
             mk_pull(n{m}, |t{m}| m{m}.to_pull()[r{m} % 2 * n{m} + t{m}]).compute() }}",
            self.expr(&e.args[0]),
            self.expr(&e.args[1])
        )
    }

    /// What threads keep in registers through rounds.
    fn registers(&self, e: &Expr, m: u32, each: u32) -> String {
        let (element, index) = (format!("m{m}[t{m}][q{m}]"), format!("t{m} * {each} + q{m}"));
        let next = format!("{element} = {};", self.applied(&e.args[2], m, [&element, &index]));
        format!(
            "{{ let g{m} = {}; let n{m} = g{m}.len() / {each}; let m{m} = regs(n{m}, {each}, |t, q| g{m}[t * {each} + q]); \
             for _ in 0..{} {{ for_all(n{m}, |t{m}| for q{m} in 0..{each} {{ {next} }}); }} m{m}.push().compute() }}",
            self.expr(&e.args[0]),
            self.expr(&e.args[1])
        )
    }

    /// As the receiver of a method, an index or a field.
    fn receiver(&self, e: &Expr) -> String {
        match &e.op {
            Op::Var(_) | Op::Call(_) | Op::Method(_) | Op::Helper(_) | Op::Field(_) | Op::Part(_) | Op::Index => {
                self.expr(e)
            }
            _ => format!("({})", self.expr(e)),
        }
    }

    /// A function of a neighbourhood as one array.
    fn of_window(&self, f: &Expr) -> String {
        match &f.op {
            Op::Lambda(params) if params.len() == 1 => {
                format!("|near| {{ let v{} = near.concat(); {} }}", params[0], self.expr(&f.args[0]))
            }
            _ => format!("|near| {}(near.concat())", self.expr(f)),
        }
    }

    fn expr(&self, e: &Expr) -> String {
        let arg = |i: usize| self.expr(&e.args[i]);
        let receiver = || self.receiver(&e.args[0]);
        match &e.op {
            Op::Const(c) => items::name_of(self.kernel, *c).unwrap_or_else(|| constant(*c)),
            Op::Size(n) => items::name_of(self.kernel, Const::u32(*n)).unwrap_or_else(|| n.to_string()),
            Op::Var(v) => format!("v{v}"),
            Op::Let(v) => format!("{{ let v{v} = {}; {} }}", arg(0), arg(1)),
            Op::Lambda(params) => {
                let params: Vec<String> = params.iter().map(|v| format!("v{v}")).collect();
                format!("|{}| {}", params.join(", "), arg(0))
            }
            Op::Name(h) => format!("{}_h{h}", self.name),
            Op::Helper(h) => format!("{}_h{h}({})", self.name, self.list(&e.args)),
            Op::Apply(v) => format!("v{v}({})", self.list(&e.args)),
            Op::Un(UnOp::Neg) => format!("(-{})", receiver()),
            Op::Un(UnOp::Not) => format!("(!{})", receiver()),
            Op::Un(op) => format!("{}.{}()", receiver(), op.name()),
            Op::Bin(op) if op.is_function() => format!("{}({}, {})", op.symbol(), arg(0), arg(1)),
            Op::Bin(op) => format!("({} {} {})", arg(0), op.symbol(), arg(1)),
            Op::Cast(to) => format!("({} as {})", receiver(), to.name()),
            Op::ToBits => format!("{}.to_bits()", receiver()),
            Op::FromBits(to) => format!("{}::from_bits({})", to.name(), arg(0)),
            Op::If => format!("(if {} {{ {} }} else {{ {} }})", arg(0), arg(1), arg(2)),
            Op::Match => {
                format!("(match {} {{ 0 => {}, 1..=5 => {}, _ => {} }})", receiver(), arg(1), arg(2), arg(3))
            }
            Op::Listed => format!("[{}][({} % 3)]", self.list(&e.args[1..]), arg(0)),
            Op::InPlace(name, m) => format!(
                "{{ let m{m} = {}.new_mut(); {name}(m{m}.to_pull(), {}, {}, {}).compute_in_place(m{m}) }}",
                receiver(),
                arg(1),
                arg(2),
                arg(3)
            ),
            Op::Tuple => format!("({})", self.list(&e.args)),
            Op::Field(i) => format!("{}.{i}", receiver()),
            Op::Record(fields) => {
                let part = |(i, e): (usize, &Expr)| format!("f{i}: {}", self.expr(e));
                let parts: Vec<String> = e.args.iter().enumerate().map(part).collect();
                let name = items::structure(fields);
                match (parts.as_slice(), fields.first()) {
                    // The same, with all but the first of another.
                    ([first, rest @ ..], Some(&ty)) if rest.len() % 2 == 1 => {
                        let other = constant(Const { ty, bits: 0 });
                        format!("{name} {{ {first}, ..{name} {{ f0: {other}, {} }} }}", rest.join(", "))
                    }
                    _ => format!("{name} {{ {} }}", parts.join(", ")),
                }
            }
            Op::Part(i) => format!("{}.f{i}", receiver()),
            Op::Asserted(k) => {
                format!("{{ assert!({} % {k} <= {}, \"more than {{}}\", {}); {} }}", receiver(), k - 1, k - 1, arg(1))
            }
            Op::Kept(v) => format!(
                "{{ let a{v} = {}; let k{v} = compact(a{v}, {}); mk_pull(a{v}.len(), |i{v}| k{v}.get_or(i{v}, {})) }}",
                arg(0),
                arg(1),
                arg(2)
            ),
            Op::Index => format!("{}[{}]", receiver(), arg(1)),
            Op::Call(name) => format!("{name}({})", self.list(&e.args)),
            Op::Method(name) => format!("{}.{name}({})", receiver(), self.list(&e.args[1..])),
            Op::Written(w) => format!(
                "mk_push({}, |w{w}| for_all({}, |i{w}| {{ let f{w} = {}; let p{w} = f{w}(i{w}); w{w}(p{w}.0, p{w}.1) }}))",
                arg(0),
                arg(0),
                arg(1)
            ),
            Op::Launched(what, v) => launches::launched(*what, *v, &receiver(), arg),
            Op::Matrix(what @ InMatrix::Stencil(..)) => {
                let arg = |i| if i == 1 { self.of_window(&e.args[1]) } else { arg(i) };
                self.perhaps_stored(&receiver(), of_matrix(*what, &receiver(), arg))
            }
            Op::Matrix(what) => self.perhaps_stored(&receiver(), of_matrix(*what, &receiver(), arg)),
            Op::Chunked(what, cut) => chunked(*what, *cut, &receiver(), arg),
            Op::Interleaved(name) => format!("{}.map({}).{name}({})", receiver(), arg(1), arg(2)),
            Op::Short(k) => format!("(if {}.len() <= {k} {{ {} }} else {{ {} }})", receiver(), arg(1), arg(2)),
            Op::Again => {
                let helper = &self.kernel.helpers[self.inside.get()];
                let others: String = helper.params[1..].iter().map(|p| format!(", v{}", p.0)).collect();
                format!("{}_h{}({}{others})", self.name, self.inside.get(), arg(0))
            }
            Op::Bump(v) => {
                let Some(input) = self.kernel.inputs.iter().find(|i| i.var == *v) else { return String::new() };
                let Source::Updated(_, known, Update::By(name)) = input.source else { return String::new() };
                let x = updating(name, input.fields[0], *v);
                // Where the length is known at launch only, the text says that the index is below.
                let update = match known {
                    Known::Static => format!("{name}(v{v}, p{v}.0, {x});"),
                    Known::AtLaunch => format!("if p{v}.0 < v{v}.len() {{ {name}(v{v}, p{v}.0, {x}); }}"),
                };
                format!(
                    "{{ for_all({}, |i{v}| {{ let f{v} = {}; let p{v} = f{v}(i{v}); {update} }}); {} }}",
                    arg(0),
                    arg(1),
                    arg(2)
                )
            }
            Op::ForLeft(s, i, going) => format!(
                "{{ let mut m{s} = {}; for v{i} in {} {{ let v{s} = m{s}; if {} {{ continue; }} \
                 if {} {{ if v{i} > 1000 {{ println!(\"left at {{}}\", v{i}); }} break; }} m{s} = {}; }} let v{s} = m{s}; {} }}",
                arg(1),
                going.text(&arg(0)),
                arg(4),
                arg(5),
                arg(2),
                arg(3)
            ),
            Op::For(s, i, going) => format!(
                "{{ let mut m{s} = {}; for v{i} in {} {{ let v{s} = m{s}; m{s} = {}; }} let v{s} = m{s}; {} }}",
                arg(1),
                going.text(&arg(0)),
                arg(2),
                arg(3)
            ),
            Op::Staged(m, stages) => self.staged(e, *m, *stages),
            Op::InTurn(m, place) => self.in_turn(e, *m, *place),
            Op::Registers(m, each) => self.registers(e, *m, *each),
            Op::Updates(name, ty, m) => format!(
                "{{ let m{m} = {}.new_mut(); for_all({}, |i{m}| {{ let f{m} = {}; let p{m} = f{m}(i{m}); \
                 {name}(m{m}, p{m}.0, {}); }}); m{m}.to_pull() }}",
                receiver(),
                arg(1),
                arg(2),
                updating(name, *ty, *m)
            ),
        }
    }
}

/// What an atomic function updates an element with: of the pair that is at hand the second part, or what the place tells.
fn updating(function: &str, ty: ScalarType, pair: u32) -> String {
    match function {
        "atomic_exchange" => format!("(p{pair}.0 ^ {EXCHANGED}) as {}", ty.name()),
        _ => format!("p{pair}.1"),
    }
}
