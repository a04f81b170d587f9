//! Builtins that compute: storing, distribution over levels, loops.

use super::Builtin;
use crate::Level;
use crate::stage::value::Value;
use crate::stage::{Extend, Stage};
use crate::types::GenericArg;

const LIFT: &str = "JFP 2016 §4.3";

const LANES: &str = "Stores the array in the registers of the warp's lanes, element `i` in lane `i % 32`: no shared memory and no barrier. An element read at `i ± k`, `i ^ k` or `k` is one shuffle for each register that it may be in, and `xs[i]` is free. Means what `compute` means, and is that where the block has fewer than 32 threads, the array more than 512 elements, an element is not written by its own lane, or one is read inside a branch or loop at an index that is only known there.";

const PADDED: &str = "Stores the array as `compute` does, with `k` unused elements after every `row`: element `i` is at `i + i / row * k`, and the result reads as if there were none. In a tile with rows of 32 elements of 4 bytes, `k = 1` puts a column's elements into different banks. Costs `k` elements of shared memory a row; at `Thread` nothing is left out.";

/// Rows of a padded array that has none of its own: one element in each bank.
const BANKS: u32 = 32;

pub(super) const ROWS: &[Builtin] = &[
    Builtin {
        signature: "fn compute<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Pull<T>>",
        doc: "Stores the array: in shared memory at `Block` and `Warp`, in registers at `Thread`; the level's threads wait for one another where that is needed.",
        source: "JFP 2016 §5.1",
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| s.compute(args[0].clone(), l)),
    },
    Builtin {
        signature: "fn compute<L: Compute, T: Data>(xs: Push<L, T>) -> Program<L, Pull<T>>",
        doc: "Stores the array; see `compute` of a pull array.",
        source: "JFP 2016 §5.1",
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| s.compute(args[0].clone(), l)),
    },
    Builtin {
        signature: "fn force<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Pull<T>>",
        doc: "Another name of `compute`.",
        source: "FCL 2016; DAMP 2012",
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| s.compute(args[0].clone(), l)),
    },
    Builtin {
        signature: "fn force<L: Compute, T: Data>(xs: Push<L, T>) -> Program<L, Pull<T>>",
        doc: "Another name of `compute`.",
        source: "FCL 2016; DAMP 2012",
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| s.compute(args[0].clone(), l)),
    },
    Builtin {
        signature: "fn compute_lanes<T: Data>(xs: Pull<T>) -> Program<Warp, Pull<T>>",
        doc: LANES,
        source: "LANGUAGE.md §4",
        eval: |s, args, _| s.compute_lanes(args[0].clone()),
    },
    Builtin {
        signature: "fn compute_lanes<T: Data>(xs: Push<Warp, T>) -> Program<Warp, Pull<T>>",
        doc: "Stores the array in the lanes' registers; see `compute_lanes` of a pull array.",
        source: "LANGUAGE.md §4",
        eval: |s, args, _| s.compute_lanes(args[0].clone()),
    },
    Builtin {
        signature: "fn compute_padded<L: Compute, T: Data>(xs: Pull<T>, row: u32, k: u32) -> Program<L, Pull<T>>",
        doc: PADDED,
        source: "LANGUAGE.md §4",
        eval: padded,
    },
    Builtin {
        signature: "fn compute_padded<L: Compute, T: Data>(xs: Push<L, T>, row: u32, k: u32) -> Program<L, Pull<T>>",
        doc: "Stores the array with `k` unused elements after every `row`; see `compute_padded` of a pull array.",
        source: "LANGUAGE.md §4",
        eval: padded,
    },
    Builtin {
        signature: "fn compute_padded<L: Compute, T: Data>(xs: Pull<T>, k: u32) -> Program<L, Pull<T>>",
        doc: "`compute_padded` with rows of 32 elements: as many as there are banks.",
        source: "LANGUAGE.md §4",
        eval: padded,
    },
    Builtin {
        signature: "fn compute_padded<L: Compute, T: Data>(xs: Push<L, T>, k: u32) -> Program<L, Pull<T>>",
        doc: "`compute_padded` with rows of 32 elements: as many as there are banks.",
        source: "LANGUAGE.md §4",
        eval: padded,
    },
    Builtin {
        signature: "fn exec<L: AtMost<Block>, T: Data>(e: Program<L, T>) -> Push<L, T>",
        doc: "Evaluates `e` at `L` when the array is written; a scalar or a tuple is an array of one.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| exec(s, args, l)),
    },
    Builtin {
        signature: "fn exec<L: AtMost<Block>, T: Data, S: Size>(e: Program<L, Pull<T, S>>) -> Push<L, T, S>",
        doc: "Evaluates `e` at `L` when the array is written.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| exec(s, args, l)),
    },
    Builtin {
        signature: "fn exec<L: AtMost<Block>, T: Data, S: Size>(e: Program<L, Push<L, T, S>>) -> Push<L, T, S>",
        doc: "Evaluates `e` at `L` when the array is written.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| exec(s, args, l)),
    },
    Builtin {
        signature: "fn exec_thread<T: Data>(e: Program<Thread, T>) -> Push<Thread, T>",
        doc: "Evaluates `e` in a thread when the array is written; a scalar or a tuple is an array of one.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Thread),
    },
    Builtin {
        signature: "fn exec_thread<T: Data, S: Size>(e: Program<Thread, Pull<T, S>>) -> Push<Thread, T, S>",
        doc: "Evaluates `e` in a thread when the array is written.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Thread),
    },
    Builtin {
        signature: "fn exec_thread<T: Data, S: Size>(e: Program<Thread, Push<Thread, T, S>>) -> Push<Thread, T, S>",
        doc: "Evaluates `e` in a thread when the array is written.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Thread),
    },
    Builtin {
        signature: "fn exec_warp<T: Data>(e: Program<Warp, T>) -> Push<Warp, T>",
        doc: "Evaluates `e` in a warp when the array is written; a scalar or a tuple is an array of one.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Warp),
    },
    Builtin {
        signature: "fn exec_warp<T: Data, S: Size>(e: Program<Warp, Pull<T, S>>) -> Push<Warp, T, S>",
        doc: "Evaluates `e` in a warp when the array is written.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Warp),
    },
    Builtin {
        signature: "fn exec_warp<T: Data, S: Size>(e: Program<Warp, Push<Warp, T, S>>) -> Push<Warp, T, S>",
        doc: "Evaluates `e` in a warp when the array is written.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Warp),
    },
    Builtin {
        signature: "fn exec_block<T: Data>(e: Program<Block, T>) -> Push<Block, T>",
        doc: "Evaluates `e` in a block when the array is written; a scalar or a tuple is an array of one.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Block),
    },
    Builtin {
        signature: "fn exec_block<T: Data, S: Size>(e: Program<Block, Pull<T, S>>) -> Push<Block, T, S>",
        doc: "Evaluates `e` in a block when the array is written.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Block),
    },
    Builtin {
        signature: "fn exec_block<T: Data, S: Size>(e: Program<Block, Push<Block, T, S>>) -> Push<Block, T, S>",
        doc: "Evaluates `e` in a block when the array is written.",
        source: LIFT,
        eval: |s, args, _| exec(s, args, Level::Block),
    },
    Builtin {
        signature: "fn lift_par<L: AtMost<Block>, T: Data, S: Size>(xss: Pull<Push<L, T>, S>) -> Push<Step<L>, T, S>",
        doc: "Joins arrays of one level into one of the level above, in parallel.",
        source: LIFT,
        eval: |s, args, generics| {
            let inner = s.level_arg(generics, 0)?;
            let outer = inner.step().ok_or_else(|| {
                s.error("OB015", "there is no level above `Grid`").map_help("a grid is the whole kernel: return it")
            })?;
            join(s, args, inner, outer)
        },
    },
    Builtin {
        signature: "fn lift_seq<L: AtMost<Block>, T: Data, S: Size>(xss: Pull<Push<L, T>, S>) -> Push<L, T, S>",
        doc: "Joins arrays of one level into one of the same level, one after the other.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| join(s, args, l, l)),
    },
    Builtin {
        signature: "fn lift_in<L: AtMost<Block>, T: Data>(xss: Pull<Push<Thread, T>>) -> Push<L, T>",
        doc: "Joins arrays of threads into one of level `L`, a thread for each.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| join(s, args, Level::Thread, l)),
    },
    Builtin {
        signature: "fn as_thread<T: Data, S: Size>(xss: Pull<Push<Thread, T>, S>) -> Push<Thread, T, S>",
        doc: "Joins arrays of threads into one of a thread, one after the other.",
        source: LIFT,
        eval: |s, args, _| join(s, args, Level::Thread, Level::Thread),
    },
    Builtin {
        signature: "fn as_warp<L: AtMost<Warp>, T: Data>(xss: Pull<Push<L, T>>) -> Push<Warp, T>",
        doc: "Joins arrays into one of a warp: of threads in parallel, of warps one after the other.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| join(s, args, l, Level::Warp)),
    },
    Builtin {
        signature: "fn as_block<L: AtMost<Block>, T: Data>(xss: Pull<Push<L, T>>) -> Push<Block, T>",
        doc: "Joins arrays into one of a block: of threads and of warps in parallel, of blocks one after the other.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| join(s, args, l, Level::Block)),
    },
    Builtin {
        signature: "fn as_grid<T: Data, S: Size>(xss: Pull<Push<Block, T>, S>) -> Push<Grid, T, S>",
        doc: "A grid: one virtual block for each array.",
        source: LIFT,
        eval: |s, args, _| join(s, args, Level::Block, Level::Grid),
    },
    Builtin {
        signature: "fn seq_fold<A: Data>(n: u32, init: A, f: impl Fn(A, u32) -> Program<Thread, A>) -> Program<Thread, A>",
        doc: "A loop in one thread: `acc = f(acc, i)` for `i` in `0 .. n`.",
        source: "JFP 2016 §5 (`seqIterate`)",
        eval: |s, args, _| {
            let (n, f) = (args[0].scalar(s)?, args[2].func(s)?);
            s.seq_fold(n, args[1].clone(), &f)
        },
    },
    Builtin {
        signature: "fn seq_until<A: Data>(init: A, done: impl Fn(A) -> Program<Thread, bool>, next: impl Fn(A) -> Program<Thread, A>) -> Program<Thread, A>",
        doc: "A loop in one thread: `s = next(s)` until `done(s)` holds.",
        source: "JFP 2016 §6.1 (`seqUntil`)",
        eval: |s, args, _| {
            let (test, next) = (args[1].func(s)?, args[2].func(s)?);
            s.seq_loop_while(args[0].clone(), &test, &next, |s, done| s.not(done))
        },
    },
    Builtin {
        signature: "fn seq_while<A: Data>(init: A, test: impl Fn(A) -> Program<Thread, bool>, next: impl Fn(A) -> Program<Thread, A>) -> Program<Thread, A>",
        doc: "A loop in one thread: `s = next(s)` while `test(s)` holds.",
        source: "JFP 2016 §6.1; FCL 2016 (`while`)",
        eval: |s, args, _| {
            let (test, next) = (args[1].func(s)?, args[2].func(s)?);
            s.seq_loop_while(args[0].clone(), &test, &next, |_, go_on| go_on)
        },
    },
];

fn padded(s: &mut Stage, args: &[Value], levels: &[GenericArg]) -> crate::diag::Result<Value> {
    let level = s.level_arg(levels, 0)?;
    let (row, pad) = match args {
        [_, row, pad] => (row.scalar(s)?, pad.scalar(s)?),
        _ => (s.u32(BANKS), args[1].scalar(s)?),
    };
    s.compute_padded(args[0].clone(), row, pad, level)
}

fn exec(s: &mut Stage, args: &[Value], level: Level) -> crate::diag::Result<Value> {
    let program = args[0].func(s)?;
    Ok(Value::Push(s.exec(program, level)))
}

fn join(s: &mut Stage, args: &[Value], inner: Level, outer: Level) -> crate::diag::Result<Value> {
    let arrays = args[0].pull(s)?;
    Ok(Value::Push(s.distribute(arrays, inner, outer)))
}
