//! Builtins on pull and push arrays.

use std::cell::RefCell;
use std::rc::Rc;

use super::Builtin;
use crate::stage::value::{Opened, Pull, Push, Value, Writer};
use crate::stage::{Extend, Stage};
use crate::types::GenericArg;
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Const, Expr, ExprId, StmtKind};
use obsidian_ir::tables::HashMap;

pub(super) const ROWS: &[Builtin] = &[
    Builtin {
        signature: "fn len<T, S: Size>(xs: Pull<T, S>) -> u32",
        doc: "The number of elements.",
        source: "JFP 2016 §4.1",
        eval: |s, args, _| Ok(Value::Scalar(args[0].pull(s)?.len)),
    },
    Builtin {
        signature: "fn len<L: Level, T, S: Size>(xs: Push<L, T, S>) -> u32",
        doc: "The number of elements.",
        source: "JFP 2016 §4.2",
        eval: |s, args, _| match args[0].push(s)?.len {
            Some(len) => Ok(Value::Scalar(len)),
            None => Err(s
                .error("OB030", "the length of this push array is not known before it runs")
                .map_help("`compute()` it and take the length of the result")),
        },
    },
    Builtin {
        signature: "fn known(n: u32) -> bool",
        doc: "Whether the value is known while compiling.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let n = args[0].scalar(s)?;
            let known = s.p.exprs.as_const(n).is_some();
            Ok(Value::Scalar(s.p.exprs.bool(known)))
        },
    },
    Builtin {
        signature: "fn bound(n: u32) -> u32",
        doc: "The most that `n` can be, known while compiling. Of a chunk's length it is the length of a whole chunk or one less.",
        source: "reference.md §5",
        eval: bound,
    },
    Builtin {
        signature: "fn surely_at_most(n: u32, most: u32) -> bool",
        doc: "Whether it is known while compiling that `n` is at most `most`.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (n, most) = (args[0].scalar(s)?, args[1].scalar(s)?);
            let surely = s.at_most(n) <= s.p.exprs.range(most).lo;
            Ok(Value::Scalar(s.p.exprs.bool(surely)))
        },
    },
    Builtin {
        signature: "fn is_some_length(n: u32) -> bool",
        doc: "`n > 0`, which is known while compiling where `n` is a chunk's length.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (n, zero) = (args[0].scalar(s)?, s.u32(0));
            Ok(Value::Scalar(if s.is_last_chunk(n) { s.p.exprs.bool(true) } else { s.bin(BinOp::Gt, n, zero) }))
        },
    },
    Builtin {
        signature: "fn commutes<T, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> bool",
        doc: "Whether it is seen while compiling that `f(a, b)` is `f(b, a)`, for what may be elements of `xs`.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (xs, f) = (args[0].pull(s)?, args[1].func(s)?);
            let yes = s.commutes(&xs, &f)?;
            Ok(Value::Scalar(s.p.exprs.bool(yes)))
        },
    },
    Builtin {
        signature: "fn regroups<T, S: Size>(xs: Pull<T, S>, f: impl Fn(T, T) -> T) -> bool",
        doc: "Whether it is seen while compiling that `f` gives the same bits for all ways to group elements of `xs`, and for all orders of them: sums and products of whole numbers, least and greatest ones, operations on bits.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (xs, f) = (args[0].pull(s)?, args[1].func(s)?);
            let yes = s.regroups(&xs, &f)?;
            Ok(Value::Scalar(s.p.exprs.bool(yes)))
        },
    },
    Builtin {
        signature: "fn decided<T, S: Size>(xs: Pull<T, S>, test: impl Fn(Pull<T, S>) -> bool) -> bool",
        doc: "Whether it is seen while compiling that the length of `xs` alone decides `test(xs)`.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (xs, test) = (args[0].pull(s)?, args[1].func(s)?);
            let yes = s.decided(&xs, &test)?;
            Ok(Value::Scalar(s.p.exprs.bool(yes)))
        },
    },
    Builtin {
        signature: "fn mk_pull<T, S: Size>(n: u32, f: impl Fn(u32) -> T) -> Pull<T, S>",
        doc: "The array of `n` elements whose element `i` is `f(i)`. Nothing is stored.",
        source: "JFP 2016 §4.1 (`mkPull`); FCL 2016 (`generate`)",
        eval: mk_pull,
    },
    Builtin {
        signature: "fn push<L: Level, T: Data, S: Size>(xs: Pull<T, S>) -> Push<L, T, S>",
        doc: "A loop at level `L` that writes element `i` at `i`. Nothing is stored. At `Grid` each block takes as many elements as fill two accesses of 16 bytes for each of its threads, and at least 4 for each; the array may have any length.",
        source: "JFP 2016 §4.2",
        eval: |s, args, generics| {
            let level = s.level_arg(generics, 0)?;
            let pull = args[0].pull(s)?;
            Ok(Value::Push(match pull.whole {
                Some((at, whole)) if at == level => whole,
                _ if level == Level::Grid => s.push_of_grid(pull),
                _ => s.push_of(pull, level),
            }))
        },
    },
    Builtin {
        signature: "fn only_pushed<L: Level, T: Data, S: Size>(n: u32, xs: Push<L, T, S>) -> Pull<T, S>",
        doc: "The `n` elements of `xs` as an array that is not stored, since it may be too long for that: it can be pushed at level `L`, and nothing else.",
        source: "reference.md §5",
        eval: only_pushed,
    },
    Builtin {
        signature: "fn chunks<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<DPull<T>, S>",
        doc: "Chunks of `n` neighbouring elements; the last one has what is left, 1 to `n` elements. A grid over them compiles its body twice, for whole chunks and for the last one.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (xs, n) = (args[0].pull(s)?, args[1].scalar(s)?);
            s.chunks(&xs, n).map(Value::Pull)
        },
    },
    Builtin {
        signature: "fn map<L: Level, A: Data, B: Data, S: Size>(xs: Push<L, A, S>, f: impl Fn(A) -> B) -> Push<L, B, S>",
        doc: "Applies `f` to each element as it is written.",
        source: "JFP 2016 §4.2",
        eval: |s, args, _| {
            let (xs, f) = (args[0].push(s)?, args[1].func(s)?);
            Ok(Value::Push(rewrite(xs, move |s, v, i| Ok((s.apply(&f, vec![v])?, i)))))
        },
    },
    Builtin {
        signature: "fn reverse<L: Level, T: Data, S: Size>(xs: Push<L, T, S>) -> Push<L, T, S>",
        doc: "The elements in the other order: each is written at `len - 1 - i`.",
        source: "DAMP 2012 §2; FCL 2016 §3",
        eval: |s, args, _| {
            let xs = args[0].push(s)?;
            Ok(Value::Push(reverse(xs)))
        },
    },
    Builtin {
        signature: "fn take<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, n: u32) -> Push<L, T, S>",
        doc: "The first `n` elements, `n` at most the length: the others are not written.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (xs, n) = (args[0].push(s)?, args[1].scalar(s)?);
            Ok(Value::Push(cut_push(s, xs, n, Part::First)))
        },
    },
    Builtin {
        signature: "fn drop<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, n: u32) -> Push<L, T, S>",
        doc: "All but the first `n` elements, `n` at most the length: those are not written.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (xs, n) = (args[0].push(s)?, args[1].scalar(s)?);
            Ok(Value::Push(cut_push(s, xs, n, Part::Others)))
        },
    },
    Builtin {
        signature: "fn append<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, ys: Push<L, T, S>) -> Push<L, T, S>",
        doc: "One array after the other: two loops, no conditional.",
        source: "DAMP 2012 §1.4; JFP 2016 §4.2",
        eval: |s, args, _| {
            let (xs, ys) = (args[0].push(s)?, args[1].push(s)?);
            Ok(Value::Push(append(s, xs, ys)))
        },
    },
    Builtin {
        signature: "fn to_dyn<T, S: Size>(xs: Pull<T, S>) -> DPull<T>",
        doc: "The same array, its length no longer part of its type.",
        source: "JFP 2016 §4.1 (`toDyn`)",
        eval: |_, args, _| Ok(args[0].clone()),
    },
    Builtin {
        signature: "fn from_dyn<T, S: Size>(xs: Pull<T, S>, n: u32) -> Pull<T>",
        doc: "The same array with the known length `n`; checked at launch.",
        source: "JFP 2016 §4.1 (`fromDyn`)",
        eval: from_dyn,
    },
    Builtin {
        signature: "fn to_dyn<L: Level, T: Data, S: Size>(xs: Push<L, T, S>) -> DPush<L, T>",
        doc: "The same array, its length no longer part of its type.",
        source: "JFP 2016 §4.1 (`toDyn`)",
        eval: |_, args, _| Ok(args[0].clone()),
    },
    Builtin {
        signature: "fn from_dyn<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, n: u32) -> Push<L, T>",
        doc: "The same array with the known length `n`; checked while compiling where it is known, else at launch.",
        source: "JFP 2016 §4.1 (`fromDyn`)",
        eval: push_from_dyn,
    },
    Builtin {
        signature: "fn div_exact(n: u32, parts: u32) -> u32",
        doc: "`n / parts`, where `parts` must divide `n`: an error while compiling if both are known, else at launch.",
        source: "reference.md §5: a length that does not divide is never dropped silently",
        eval: div_exact,
    },
    Builtin {
        signature: "fn at_most(n: u32, len: u32) -> u32",
        doc: "`n`, which must not be above `len`: an error while compiling if both are known, else at launch.",
        source: "reference.md §5: nothing is dropped silently",
        eval: at_most,
    },
    Builtin {
        signature: "fn non_empty<T, S: Size>(xs: Pull<T, S>) -> Pull<T, S>",
        doc: "The same array, which must have an element: an error while compiling if its length is known, else at launch.",
        source: "reference.md §7",
        eval: |s, args, _| {
            let len = args[0].pull(s)?.len;
            let one = s.u32(1);
            let some = s.p.exprs.bin(BinOp::Ge, len, one);
            let message = format!("{} must be at least 1", s.describe(len));
            s.demand(some, len, message, "an array without elements has no first, no last and no sum")?;
            Ok(args[0].clone())
        },
    },
    Builtin {
        signature: "fn blank<T: Data, S: Size>(xs: Pull<T, S>) -> T",
        doc: "What stands where there is no element, of the type of those of `xs`: zeros and `false`.",
        source: "reference.md §5",
        eval: blank,
    },
    Builtin {
        signature: "fn add_exact(a: u32, b: u32) -> u32",
        doc: "`a + b`, where the sum must stay below 2^32: an error while compiling if both are known, else at launch.",
        source: "reference.md §5: nothing is dropped silently",
        eval: add_exact,
    },
];

fn only_pushed(s: &mut Stage, args: &[Value], generics: &[GenericArg]) -> Result<Value> {
    let (level, n, whole) = (s.level_arg(generics, 0)?, args[0].scalar(s)?, args[1].push(s)?);
    let none = Pull::new(n, move |s, _| {
        Err(s.no_bound(n, "the elements of this array cannot be looked up: there may be too many to store").map_help(
            "push it first, what is done to it comes behind: `scan(xs, f).push().map(g)`; with `let xs: BPull<T, 1024> = xs;` before it the launch is asked for a bound, and it is stored",
        ))
    });
    Ok(Value::Pull(Pull { whole: Some((level, whole)), ..none }))
}

fn mk_pull(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let (len, f) = (args[0].scalar(s)?, args[1].func(s)?);
    demand_differences(s, len)?;
    // An element that is asked for again is the same value, unless it computes something.
    let known: RefCell<HashMap<ExprId, Value>> = RefCell::default();
    Ok(Value::Pull(Pull::new(len, move |s, i| {
        if let Some(v) = known.borrow().get(&i) {
            return Ok(v.clone());
        }
        let before = s.statements;
        let v = s.apply(&f, vec![Value::Scalar(i)])?;
        if s.statements == before {
            known.borrow_mut().insert(i, v.clone());
        }
        Ok(v)
    })))
}

fn blank(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let (xs, zero) = (args[0].pull(s)?, s.u32(0));
    // The element is only asked for its type.
    let (_, first) = s.capture(|s| s.under(Level::Thread, |s| (xs.get)(s, zero)))?;
    let types: Vec<_> = first.leaves(s)?.into_iter().map(|e| s.p.exprs.ty(e)).collect();
    let zeros: Vec<_> = types.into_iter().map(|ty| s.p.exprs.constant(Const { ty, bits: 0 })).collect();
    Ok(first.rebuild(&mut zeros.into_iter()))
}

fn bound(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let n = args[0].scalar(s)?;
    s.most(n).map(Value::Scalar)
}

/// What most who subtract a position from a length are after.
const REST_HELP: &str = "if this is what is left of an array after whole parts: `xs.chunks(256)` cuts it so, `xs.chunks(256)[b].len()` is that length";

/// A length must not be computed by arithmetic that wraps: `xs.len() - 1` of an empty array is an error at launch.
pub(super) fn demand_differences(s: &mut Stage, len: ExprId) -> Result<()> {
    match s.p.exprs.expr(len) {
        // A chunk that there is begins inside; what is read of another is proved or tested as any place.
        Expr::Bin(BinOp::Sub, ..) if s.left.contains(&len) => Ok(()),
        Expr::Bin(BinOp::Sub, a, b) => {
            let cond = s.bin(BinOp::Le, b, a);
            let less = s.p.exprs.as_u32(b).map_or_else(|| obsidian_ir::program::in_words(&s.p, b), |v| v.to_string());
            let message = format!("{} must be at least {less}", s.describe(a));
            if s.is_open(cond) {
                return Err(s.unknown_at_launch(message, REST_HELP));
            }
            s.demand(cond, a, message, "a length is not negative")?;
            demand_differences(s, a)
        }
        Expr::Bin(BinOp::Add | BinOp::Mul | BinOp::Div | BinOp::Shr | BinOp::Min | BinOp::Max, a, b) => {
            demand_differences(s, a)?;
            demand_differences(s, b)
        }
        _ => Ok(()),
    }
}

/// Changes what is written and where.
fn rewrite(xs: Push, change: impl Fn(&mut Stage, Value, ExprId) -> Result<(Value, ExprId)> + 'static) -> Push {
    let change = Rc::new(change);
    Push {
        len: xs.len,
        stored: None,
        open: Rc::new(move |s| {
            let opened = (xs.open)(s)?;
            let change = change.clone();
            Ok(Opened::new(opened.len, move |s: &mut Stage, w: &Writer| {
                let w = w.clone();
                let writer: Writer = Rc::new(move |s, v, i| {
                    let (v, i) = change(s, v, i)?;
                    w(s, v, i)
                });
                (opened.write)(s, &writer)
            }))
        }),
    }
}

fn reverse(xs: Push) -> Push {
    Push {
        len: xs.len,
        stored: None,
        open: Rc::new(move |s| {
            let opened = (xs.open)(s)?;
            let one = s.u32(1);
            let last = s.bin(BinOp::Sub, opened.len, one);
            Ok(Opened::new(opened.len, move |s: &mut Stage, w: &Writer| {
                let w = w.clone();
                let writer: Writer = Rc::new(move |s, v, i| {
                    let at = s.bin(BinOp::Sub, last, i);
                    w(s, v, at)
                });
                (opened.write)(s, &writer)
            }))
        }),
    }
}

/// A side of a cut.
#[derive(Clone, Copy)]
enum Part {
    First,
    Others,
}

/// The first `n` elements of a push array, or those after them.
fn cut_push(s: &mut Stage, xs: Push, n: ExprId, part: Part) -> Push {
    let length = move |s: &mut Stage, of: ExprId| match part {
        Part::First => n,
        Part::Others => s.bin(BinOp::Sub, of, n),
    };
    Push {
        len: xs.len.map(|of| length(s, of)),
        stored: None,
        open: Rc::new(move |s| {
            let opened = (xs.open)(s)?;
            demand_at_most(s, n, opened.len)?;
            let len = length(s, opened.len);
            Ok(Opened::new(len, move |s: &mut Stage, w: &Writer| {
                let w = w.clone();
                let writer: Writer = Rc::new(move |s, v, i| {
                    let (is_in, at) = match part {
                        Part::First => (s.bin(BinOp::Lt, i, n), i),
                        Part::Others => (s.bin(BinOp::Ge, i, n), s.bin(BinOp::Sub, i, n)),
                    };
                    match s.p.exprs.as_const(is_in) {
                        Some(c) if c.bits == 0 => Ok(()),
                        Some(_) => w(s, v, at),
                        None => {
                            let (then, ()) = s.capture(|s| w(s, v, at))?;
                            s.emit(StmtKind::If { cond: is_in, then, els: Vec::new() })
                        }
                    }
                });
                (opened.write)(s, &writer)
            }))
        }),
    }
}

fn append(s: &mut Stage, xs: Push, ys: Push) -> Push {
    let len = match (xs.len, ys.len) {
        (Some(a), Some(b)) => Some(s.bin(BinOp::Add, a, b)),
        _ => None,
    };
    Push {
        len,
        stored: None,
        open: Rc::new(move |s| {
            let (first, second) = ((xs.open)(s)?, (ys.open)(s)?);
            let shift = first.len;
            let len = s.bin(BinOp::Add, shift, second.len);
            let most = s.u32(u32::MAX);
            let room = s.bin(BinOp::Sub, most, shift);
            let countable = s.bin(BinOp::Le, second.len, room);
            let message = "the output would have more than 2^32 - 1 elements".to_string();
            s.demand(countable, len, message, "lengths and indices are `u32`")?;
            Ok(Opened::new(len, move |s: &mut Stage, w: &Writer| {
                (first.write)(s, w)?;
                let w = w.clone();
                let writer: Writer = Rc::new(move |s, v, i| {
                    let at = s.bin(BinOp::Add, i, shift);
                    w(s, v, at)
                });
                (second.write)(s, &writer)
            }))
        }),
    }
}

fn from_dyn(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let (xs, n) = (args[0].pull(s)?, args[1].scalar(s)?);
    from_dyn_len(s, xs.len, n)?;
    Ok(Value::Pull(Pull { len: n, ..xs }))
}

fn push_from_dyn(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let (xs, n) = (args[0].push(s)?, args[1].scalar(s)?);
    s.known_len(n, "`from_dyn`")?;
    let open = move |s: &mut Stage| {
        let opened = (xs.open)(s)?;
        from_dyn_len(s, opened.len, n)?;
        Ok(Opened { len: n, ..opened })
    };
    Ok(Value::Push(Push { len: Some(n), stored: None, open: Rc::new(open) }))
}

/// The length `len` must be `n`, which is known.
fn from_dyn_len(s: &mut Stage, len: ExprId, n: ExprId) -> Result<()> {
    let known = s.known_len(n, "`from_dyn`")?;
    let cond = s.bin(BinOp::Eq, len, n);
    let message = format!("{} must be {known}", s.describe(len));
    s.demand(cond, len, message, "`from_dyn(n)` states the length, it does not change it")
}

fn div_exact(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let (n, parts) = (args[0].scalar(s)?, args[1].scalar(s)?);
    s.div_exact(n, parts).map(Value::Scalar)
}

impl Stage {
    /// `n / parts`, where `parts` must divide `n`.
    pub(super) fn div_exact(&mut self, n: ExprId, parts: ExprId) -> Result<ExprId> {
        let zero = self.u32(0);
        if parts == zero {
            return Err(self
                .error("OB034", "an array cannot be cut into pieces of length 0")
                .map_help("give a length of 1 or more"));
        }
        let some = self.bin(BinOp::Ne, parts, zero);
        let message = format!("{} must not be 0", self.describe(parts));
        self.demand(some, parts, message, "it says how long each piece is")?;
        let rest = self.bin(BinOp::Rem, n, parts);
        let cond = self.bin(BinOp::Eq, rest, zero);
        let shown = obsidian_ir::program::in_words(&self.p, parts);
        let by = self.p.exprs.as_u32(parts).map_or(shown, |v| v.to_string());
        let message = format!("{} must be a multiple of {by}", self.describe(n));
        self.demand(cond, n, message, "choose a piece that divides the length")?;
        Ok(self.bin(BinOp::Div, n, parts))
    }
}

fn at_most(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let (n, len) = (args[0].scalar(s)?, args[1].scalar(s)?);
    demand_at_most(s, n, len)?;
    Ok(Value::Scalar(n))
}

fn demand_at_most(s: &mut Stage, n: ExprId, len: ExprId) -> Result<()> {
    let cond = s.bin(BinOp::Le, n, len);
    let shown = s.p.exprs.as_u32(n).map_or_else(|| obsidian_ir::program::in_words(&s.p, n), |v| v.to_string());
    let message = format!("{} must be at least {shown}", s.describe(len));
    s.demand(cond, len, message, "take or drop no more elements than there are")
}

fn add_exact(s: &mut Stage, args: &[Value], _: &[GenericArg]) -> Result<Value> {
    let (a, b) = (args[0].scalar(s)?, args[1].scalar(s)?);
    let max = s.u32(u32::MAX);
    let room = s.bin(BinOp::Sub, max, a);
    let cond = s.bin(BinOp::Le, b, room);
    let message = format!("{} and {} together must be below 2^32", s.describe(a), s.describe(b));
    s.demand(cond, b, message, "arrays have at most 2^32 - 1 elements")?;
    Ok(Value::Scalar(s.bin(BinOp::Add, a, b)))
}
