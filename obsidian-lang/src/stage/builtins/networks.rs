//! Builtins on push arrays that write elements elsewhere than in the order of a loop: the push forms of the networks
//! (DAMP 2012 §2 and §3), joining with a placement (FCL 2016), and tuples taken apart.

use std::rc::Rc;

use super::Builtin;
use crate::stage::joins::Placement;
use crate::stage::permutation::{self, Fault};
use crate::stage::value::{Func, Opened, Push, Value, Writer};
use crate::stage::{Extend, Stage, confused};
use crate::types::GenericArg;
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::program::{BinOp, Claim, ExprId};

/// The most elements that one instance of `push_each` may write: its code is unrolled for each of them.
const MAX_EACH: u32 = 64;

pub(super) const ROWS: &[Builtin] = &[
    Builtin {
        signature: "fn push_each<L: AtMost<Block>, T: Data>(n: u32, k: u32, f: impl Fn(u32, u32) -> (T, u32)) -> Push<L, T>",
        doc: "An array of `n * k` elements that `n` instances write, each `k` of them: instance `i` writes `f(i, j).0` at `f(i, j).1`, for `j` in `0 .. k`, without a test. Every place must be written once: the compiler tries them all, and in `unsafe { .. }` takes the author's word.",
        source: "JFP 2016 §6.3.1 (`mkPush` in `phase`); DAMP 2012 §2",
        eval: push_each,
    },
    Builtin {
        signature: "fn unpair<L: Level, T: Data, S: Size>(xs: Push<L, (T, T), S>) -> Push<L, T, S>",
        doc: "Pairs as neighbours: whoever has a pair writes both, without a test.",
        source: "DAMP 2012 §2 (`unpairP`)",
        eval: |s, args, _| untuple(s, args, 2),
    },
    Builtin {
        signature: "fn untriple<L: Level, T: Data, S: Size>(xs: Push<L, (T, T, T), S>) -> Push<L, T, S>",
        doc: "Triples as neighbours: whoever has a triple writes all three.",
        source: "Obsidian's library (`untriple`)",
        eval: |s, args, _| untuple(s, args, 3),
    },
    Builtin {
        signature: "fn unquadruple<L: Level, T: Data, S: Size>(xs: Push<L, (T, T, T, T), S>) -> Push<L, T, S>",
        doc: "Quadruples as neighbours: whoever has a quadruple writes all four.",
        source: "Obsidian's library (`unquadruple`)",
        eval: |s, args, _| untuple(s, args, 4),
    },
    Builtin {
        signature: "fn interleave_with<L: AtMost<Block>, T: Data, S: Size>(xss: Pull<Push<L, T>, S>, place: impl Fn(u32, u32) -> u32) -> Push<Step<L>, T, S>",
        doc: "Joins arrays of one level into one of the level above, in parallel: element `j` of array `i` is written at `place(i, j)`. Every place must be written once: the compiler tries them all, and in `unsafe { .. }` takes the author's word.",
        source: "FCL 2016 §3 (`interleave`)",
        eval: |s, args, generics| {
            let inner = s.level_arg(generics, 0)?;
            let outer = inner.step().ok_or_else(|| s.error("OB015", "there is no level above `Grid`"))?;
            interleave(s, args, inner, outer)
        },
    },
    Builtin {
        signature: "fn interleave_seq<L: AtMost<Block>, T: Data, S: Size>(xss: Pull<Push<L, T>, S>, place: impl Fn(u32, u32) -> u32) -> Push<L, T, S>",
        doc: "As `interleave_with`, one array after the other at the same level.",
        source: "FCL's library (`interleaveSeq`)",
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|level| interleave(s, args, level, level)),
    },
    Builtin {
        signature: "fn in_step<L: Compute, T, S: Size>(n: u32, f: impl Fn(u32) -> Program<L, Pull<T, S>>) -> Program<L, Pull<Pull<T, S>>>",
        doc: "`f(0)` .. `f(n - 1)`, phase by phase: what each of them stores is stored for all `n` at once, one after the other in memory, and then one barrier serves them all. `n` is known; what differs from one to another chooses no branch and no number of rounds above `Thread`, and none of them reads what another stores.",
        source: "ICCS 2010 §4.1 (`two` of a program)",
        eval: |s, args, generics| {
            let (level, n, f) = (s.level_arg(generics, 0)?, args[0].scalar(s)?, args[1].func(s)?);
            s.in_step(level, n, &f)
        },
    },
    Builtin {
        signature: "fn concat_2d_grid<T: Data, S: Size>(tiles: Pull<Push<Block, T>, S>, columns: u32, r: u32, c: u32) -> Push<Grid, T, S>",
        doc: "Tiles of `r` rows by `c` columns, row by row, as one matrix of `columns` columns, stored row by row: a block for each tile. Undoes `split_2d`.",
        source: "FCL's library (`concatGrid`)",
        eval: concat_2d_grid,
    },
    Builtin {
        signature: "fn log2_exact(n: u32) -> u32",
        doc: "`k` where `n` is `2^k`; an error while compiling if it is no power of two, or not known.",
        source: "reference.md §5: a length that does not fit is never dropped silently",
        eval: log2_exact,
    },
];

fn push_each(s: &mut Stage, args: &[Value], generics: &[GenericArg]) -> Result<Value> {
    let level = s.level_arg(generics, 0)?;
    let (n, k, f) = (args[0].scalar(s)?, args[1].scalar(s)?, args[2].func(s)?);
    let (rounds, each) = (s.known_len(n, "`push_each`")?, s.known_len(k, "`push_each`")?);
    if each > MAX_EACH {
        return Err(s
            .error("OB034", format!("each instance would write {each} elements, at most {MAX_EACH} are unrolled"))
            .map_help("let more instances write fewer elements each"));
    }
    let len = s.bin(BinOp::Mul, n, k);
    let (span, claim) = (s.span, s.claim);
    let open = move |s: &mut Stage| {
        let f = f.clone();
        if claim != Claim::Author {
            s.at(span, |s| prove_each(s, &f, n, rounds, each))?;
        }
        let write = move |s: &mut Stage, w: &Writer| {
            s.at(span, |s| {
                s.loop_at(level, n, "i", &mut |s, i| {
                    // All values are computed before the first write, so that an instance reads what was there before
                    // it.
                    let elements = (0..each).map(|j| element(s, &f, i, j)).collect::<Result<Vec<_>>>()?;
                    s.with_places(claim, |s| elements.into_iter().try_for_each(|(value, at)| w(s, value, at)))
                })
            })
        };
        Ok(Opened::new(len, write))
    };
    Ok(Value::Push(Push { len: Some(len), stored: None, open: Rc::new(open) }))
}

/// Element `j` of instance `i`, and its place.
fn element(s: &mut Stage, f: &Func, i: ExprId, j: u32) -> Result<(Value, ExprId)> {
    let j = Value::Scalar(s.u32(j));
    match s.apply(f, vec![Value::Scalar(i), j])? {
        Value::Tuple(parts) if parts.len() == 2 => Ok((parts[0].clone(), parts[1].scalar(s)?)),
        other => Err(confused(s, "a value and its place", &other)),
    }
}

fn prove_each(s: &mut Stage, f: &Func, n: ExprId, rounds: u32, each: u32) -> Result<()> {
    let (var, i) = s.index_var("i", n);
    // Evaluated at `Thread`, as when it writes: the values may read mutable memory in a branch.
    let places = |s: &mut Stage| (0..each).map(|j| Ok(element(s, f, i, j)?.1)).collect::<Result<Vec<_>>>();
    let (_, places) = s.capture(|s| s.under(Level::Thread, places))?;
    permutation::prove(&s.p.exprs, &[(var, rounds)], &places).map_err(|fault| misplaced(s, &fault))
}

fn misplaced(s: &Stage, fault: &Fault) -> Box<Diagnostic> {
    let note = match fault {
        Fault::Depends(e) => {
            format!("the place depends on `{}`, not only on the instance", obsidian_ir::program::in_words(&s.p, *e))
        }
        Fault::Unknown(n) => {
            format!(
                "how many arrays there are, `{}`, is only known at launch",
                obsidian_ir::program::in_words(&s.p, *n)
            )
        }
        Fault::TooMany(n) => format!("{n} places are too many to try"),
        Fault::Outside(at) => format!("one is written at {at}, outside the array"),
        Fault::Twice(at) => format!("place {at} is written twice, so another is left out"),
    };
    s.error("OB056", "these places are not known to be written once each")
        .map_note(note)
        .map_help("the places must be `0 .. len` in some order, computed from the instance and known numbers alone; `unsafe { .. }` takes the proof upon its author")
}

/// Each element, a tuple of `k`, as `k` neighbours.
fn untuple(s: &mut Stage, args: &[Value], k: u32) -> Result<Value> {
    let xs = args[0].push(s)?;
    let times = s.u32(k);
    let len = xs.len.map(|n| s.bin(BinOp::Mul, n, times));
    Ok(Value::Push(Push {
        len,
        stored: None,
        open: Rc::new(move |s| {
            let opened = (xs.open)(s)?;
            let most = s.u32(u32::MAX / k);
            let countable = s.bin(BinOp::Le, opened.len, most);
            let message = "the output would have more than 2^32 - 1 elements".to_string();
            s.demand(countable, opened.len, message, "lengths and indices are `u32`")?;
            let len = s.bin(BinOp::Mul, opened.len, times);
            let write = move |s: &mut Stage, w: &Writer| {
                let w = w.clone();
                let writer: Writer = Rc::new(move |s, v, i| {
                    let Value::Tuple(parts) = v else { return Err(confused(s, "a tuple", &v)) };
                    let base = s.bin(BinOp::Mul, i, times);
                    for (j, part) in (0..).zip(parts.iter()) {
                        let j = s.u32(j);
                        let at = s.bin(BinOp::Add, base, j);
                        w(s, part.clone(), at)?;
                    }
                    Ok(())
                });
                (opened.write)(s, &writer)
            };
            Ok(Opened::new(len, write))
        }),
    }))
}

/// Places that a function of the author's gives, and who answers for them.
struct Given(Func, Claim);

impl Placement for Given {
    fn index(&self, s: &mut Stage, i: ExprId, _len: ExprId, j: ExprId) -> Result<ExprId> {
        s.apply(&self.0, vec![Value::Scalar(i), Value::Scalar(j)])?.scalar(s)
    }

    fn check(&self, s: &mut Stage, n: ExprId, len: ExprId) -> Result<Claim> {
        if self.1 == Claim::Author {
            return Ok(Claim::Author);
        }
        let (Some(arrays), Some(elements)) = (s.p.exprs.as_u32(n), s.p.exprs.as_u32(len)) else {
            return Err(misplaced(s, &Fault::Unknown(n)));
        };
        let ((a, i), (b, j)) = (s.index_var("i", n), s.index_var("j", len));
        let (_, at) = s.capture(|s| self.index(s, i, len, j))?;
        let proved = permutation::prove(&s.p.exprs, &[(a, arrays), (b, elements)], &[at]);
        proved.map(|()| Claim::ByConstruction).map_err(|fault| misplaced(s, &fault))
    }
}

fn interleave(s: &mut Stage, args: &[Value], inner: Level, outer: Level) -> Result<Value> {
    let (arrays, place, claim) = (args[0].pull(s)?, args[1].func(s)?, s.claim);
    Ok(Value::Push(s.distribute_at(arrays, inner, outer, Rc::new(Given(place, claim)))))
}

/// Tiles of a matrix, row by row.
struct Tiles {
    across: ExprId,
    columns: ExprId,
    r: ExprId,
    c: ExprId,
}

impl Placement for Tiles {
    /// Row `i / across * r + j / c`, column `i % across * c + j % c`.
    fn index(&self, s: &mut Stage, i: ExprId, _len: ExprId, j: ExprId) -> Result<ExprId> {
        let place = |s: &mut Stage, op, within, size: ExprId| {
            let tile = s.bin(op, i, self.across);
            let first = s.bin(BinOp::Mul, tile, size);
            let inside = s.bin(op, j, within);
            s.bin(BinOp::Add, first, inside)
        };
        let row = place(s, BinOp::Div, self.c, self.r);
        let column = place(s, BinOp::Rem, self.c, self.c);
        let start = s.bin(BinOp::Mul, row, self.columns);
        Ok(s.bin(BinOp::Add, start, column))
    }

    /// Demands whole rows of tiles, each of the stated size: then every element of the matrix lies in one tile.
    fn check(&self, s: &mut Stage, n: ExprId, len: ExprId) -> Result<Claim> {
        let size = s.bin(BinOp::Mul, self.r, self.c);
        let fits = s.bin(BinOp::Eq, len, size);
        let said = s.describe(size);
        s.demand(fits, len, format!("each tile must have {said} elements"), "a tile has `r` rows of `c` columns")?;
        let down = s.div_exact(n, self.across)?;
        if s.p.exprs.as_const(self.columns).is_none() {
            let (rows, elements) = (s.bin(BinOp::Mul, down, self.r), s.bin(BinOp::Mul, n, len));
            s.demand_matrix((rows, self.columns), elements)?;
        }
        Ok(Claim::ByConstruction)
    }
}

impl Stage {
    /// Demands that `len` is `rows * columns`, which the launch knows: then places in the matrix are proved by row and column.
    fn demand_matrix(&mut self, (rows, columns): (ExprId, ExprId), len: ExprId) -> Result<()> {
        let product = self.bin(BinOp::Mul, rows, columns);
        let same = self.bin(BinOp::Eq, product, len);
        let said = self.describe(len);
        self.demand(same, product, format!("rows times columns must be {said}"), "the tiles are those of one matrix")
    }
}

fn concat_2d_grid(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let tiles = args[0].pull(s)?;
    let (columns, r, c) = (args[1].scalar(s)?, args[2].scalar(s)?, args[3].scalar(s)?);
    let across = s.div_exact(columns, c)?;
    let place = Rc::new(Tiles { across, columns, r, c });
    Ok(Value::Push(s.distribute_at(tiles, Level::Block, Level::Grid, place)))
}

fn log2_exact(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let n = args[0].scalar(s)?;
    let known = s.known_len(n, "this network")?;
    if !known.is_power_of_two() {
        return Err(s
            .error("OB034", format!("the length must be a power of two, but it is {known}"))
            .map_help("`pad_to` or `split_up` makes it one"));
    }
    Ok(Value::Scalar(s.u32(known.ilog2())))
}
