//! Builtins that compute: storing, distribution over levels, loops.

use std::rc::Rc;

use super::Builtin;
use super::arrays::demand_differences;
use crate::stage::value::{Opened, Push, Value, Writer};
use crate::stage::{Extend, Stage};
use crate::types::GenericArg;
use obsidian_ir::Level;
use obsidian_ir::program::{BinOp, Claim, ExprId};

const LIFT: &str = "JFP 2016 §4.3";

const LANES: &str = "Stores the array in the registers of the warp's lanes, element `i` in lane `i % 32`: no shared memory and no barrier. An element read at `i ± k`, `i ^ k` or `k` is one shuffle for each register that it may be in, and `xs[i]` is free. Means what `compute` means, and is that where the block has fewer than 32 threads, the array more than 512 elements, an element is not written by its own lane, or one is read inside a branch or loop at an index that is only known there.";

const PADDED: &str = "Stores the array as `compute` does, with `k` unused elements after every `row`: element `i` is at `i + i / row * k`, and the result reads as if there were none. In a tile with rows of 32 elements of 4 bytes, `k = 1` puts a column's elements into different banks. Costs `k` elements of shared memory per row; at `Thread` nothing is left out.";

const PIPELINE: &str = "Stages in flight, of what the block's threads write as they are told: means `seq_for(n, |k| work(k, load(k).compute()))`, with the loads of later rounds on their way while a round is at work. On CUDA, where `target` is `sm_80` or later and elements of 4 or 8 bytes are loaded from inputs as they are, `depth` tiles lie in shared memory and the hardware copies to them by itself (`cp.async`), with one barrier for each round; of `runs(4)` it copies up to 16 bytes at a time. Elsewhere on CUDA the elements of the next round wait in registers, at most 32 of a thread. Where neither can be, on OpenCL and on the CPU the rounds come in turn.";

/// The row length of a padded array that states none: one element in each bank.
const BANKS: u32 = 32;

pub(super) const ROWS: &[Builtin] = &[
    Builtin {
        signature: "fn compute<L: Compute, T: Data, S: Size>(xs: Pull<T, S>) -> Program<L, Pull<T, S>>",
        doc: "Stores the array: in shared memory at `Block` and `Warp`, in registers at `Thread`; a barrier follows where one is needed. Where only the most that its length can be is known while compiling, memory is for that many.",
        source: "JFP 2016 §5.1",
        eval: stored,
    },
    Builtin {
        signature: "fn compute<L: Compute, T: Data, S: Size>(xs: Push<L, T, S>) -> Program<L, Pull<T, S>>",
        doc: "Stores the array; see `compute` of a pull array.",
        source: "JFP 2016 §5.1",
        eval: stored,
    },
    Builtin {
        signature: "fn force<L: Compute, T: Data, S: Size>(xs: Pull<T, S>) -> Program<L, Pull<T, S>>",
        doc: "Another name of `compute`.",
        source: "FCL 2016; DAMP 2012",
        eval: stored,
    },
    Builtin {
        signature: "fn force<L: Compute, T: Data, S: Size>(xs: Push<L, T, S>) -> Program<L, Pull<T, S>>",
        doc: "Another name of `compute`.",
        source: "FCL 2016; DAMP 2012",
        eval: stored,
    },
    Builtin {
        signature: "fn compute<T: Data, S: Size>(xs: Pull<T, S>) -> Program<Device, Pull<T, S>>",
        doc: "Stores the array in the memory of the device: one launch, which whatever is not stored is part of. The length is known before the launch.",
        source: "reference.md §7",
        eval: launched,
    },
    Builtin {
        signature: "fn compute<T: Data, S: Size>(xs: Push<Grid, T, S>) -> Program<Device, Pull<T, S>>",
        doc: "Stores what a grid writes; see `compute` of a pull array at `Device`.",
        source: "reference.md §7",
        eval: launched,
    },
    Builtin {
        signature: "fn force<T: Data, S: Size>(xs: Pull<T, S>) -> Program<Device, Pull<T, S>>",
        doc: "Another name of `compute`.",
        source: "reference.md §7",
        eval: launched,
    },
    Builtin {
        signature: "fn force<T: Data, S: Size>(xs: Push<Grid, T, S>) -> Program<Device, Pull<T, S>>",
        doc: "Another name of `compute`.",
        source: "reference.md §7",
        eval: launched,
    },
    Builtin {
        signature: "fn fetch<T: Data, S: Size>(xs: Pull<T, S>, i: u32) -> Program<Device, T>",
        doc: "An element of a stored array as a value of the host's: lengths, numbers of rounds and conditions of the host may follow from it. The host waits for the device.",
        source: "reference.md §7",
        eval: |s, args, _| {
            let (xs, i) = (args[0].pull(s)?, args[1].scalar(s)?);
            s.fetch(&xs, i)
        },
    },
    Builtin {
        signature: "fn compute_lanes<T: Data>(xs: Pull<T>) -> Program<Warp, Pull<T>>",
        doc: LANES,
        source: "reference.md §4",
        eval: |s, args, _| s.compute_lanes(args[0].clone()),
    },
    Builtin {
        signature: "fn compute_lanes<T: Data>(xs: Push<Warp, T>) -> Program<Warp, Pull<T>>",
        doc: "Stores the array in the lanes' registers; see `compute_lanes` of a pull array.",
        source: "reference.md §4",
        eval: |s, args, _| s.compute_lanes(args[0].clone()),
    },
    Builtin {
        signature: "fn compute_padded<L: Compute, T: Data>(xs: Pull<T>, row: u32, k: u32) -> Program<L, Pull<T>>",
        doc: PADDED,
        source: "reference.md §4",
        eval: padded,
    },
    Builtin {
        signature: "fn compute_padded<L: Compute, T: Data>(xs: Push<L, T>, row: u32, k: u32) -> Program<L, Pull<T>>",
        doc: "Stores the array with `k` unused elements after every `row`; see `compute_padded` of a pull array.",
        source: "reference.md §4",
        eval: padded,
    },
    Builtin {
        signature: "fn compute_padded<L: Compute, T: Data>(xs: Pull<T>, k: u32) -> Program<L, Pull<T>>",
        doc: "`compute_padded` with rows of 32 elements: as many as there are banks.",
        source: "reference.md §4",
        eval: padded,
    },
    Builtin {
        signature: "fn compute_padded<L: Compute, T: Data>(xs: Push<L, T>, k: u32) -> Program<L, Pull<T>>",
        doc: "`compute_padded` with rows of 32 elements: as many as there are banks.",
        source: "reference.md §4",
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
        signature: "fn lift_par<L: AtMost<Block>, T: Data, S: Size, R: Size>(xss: Pull<Push<L, T, R>, S>) -> Push<Step<L>, T, S>",
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
        signature: "fn lift_seq<L: AtMost<Block>, T: Data, S: Size, R: Size>(xss: Pull<Push<L, T, R>, S>) -> Push<L, T, S>",
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
        signature: "fn as_thread<T: Data, S: Size, R: Size>(xss: Pull<Push<Thread, T, R>, S>) -> Push<Thread, T, S>",
        doc: "Joins arrays of threads into one of a thread, one after the other.",
        source: LIFT,
        eval: |s, args, _| join(s, args, Level::Thread, Level::Thread),
    },
    Builtin {
        signature: "fn as_warp<L: AtMost<Warp>, T: Data, S: Size, R: Size>(xss: Pull<Push<L, T, R>, S>) -> Push<Warp, T, S>",
        doc: "Joins arrays into one of a warp: of threads in parallel, of warps one after the other.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| join(s, args, l, Level::Warp)),
    },
    Builtin {
        signature: "fn as_block<L: AtMost<Block>, T: Data, S: Size, R: Size>(xss: Pull<Push<L, T, R>, S>) -> Push<Block, T, S>",
        doc: "Joins arrays into one of a block: of threads and of warps in parallel, of blocks one after the other.",
        source: LIFT,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| join(s, args, l, Level::Block)),
    },
    Builtin {
        signature: "fn as_grid<T: Data, S: Size, R: Size>(xss: Pull<Push<Block, T, R>, S>) -> Push<Grid, T, S>",
        doc: "A grid: one virtual block for each array.",
        source: LIFT,
        eval: |s, args, _| join(s, args, Level::Block, Level::Grid),
    },
    Builtin {
        signature: "fn as_grid_rows<T: Data, S: Size, R: Size>(rows: Pull<Push<Block, T, R>, S>) -> PushMat<Grid, T>",
        doc: "The rows of a matrix, one virtual block for each; all have one length, which is known at launch.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let rows = args[0].pull(s)?;
            Ok(Value::Push(s.distribute_rows(rows)))
        },
    },
    Builtin {
        signature: "fn as_rows<T: Data, S: Size>(xs: Push<Grid, T, S>, rows: u32, cols: u32) -> PushMat<Grid, T>",
        doc: "What a grid writes as a matrix, row by row: rows times columns must be the number of elements.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (xs, rows, cols) = (args[0].push(s)?, args[1].scalar(s)?, args[2].scalar(s)?);
            Ok(Value::Push(s.as_rows(xs, rows, cols)))
        },
    },
    Builtin {
        signature: "fn for_all<L: Level>(n: u32, f: impl Fn(u32) -> Program<Thread, ()>) -> Program<L, ()>",
        doc: "`f(0)` .. `f(n - 1)`, each in a thread: shared out over the level's threads, one after the other at `Thread`. At `Warp` and `Block` all threads agree on `n`; at `Grid` it is known at launch, and each block takes one per thread.",
        source: "JFP 2016, Figure 6 (`ForAll`)",
        eval: |s, args, generics| {
            let (level, n, f) = (s.level_arg(generics, 0)?, args[0].scalar(s)?, args[1].func(s)?);
            demand_differences(s, n)?;
            s.for_all(level, n, &f).map(|()| Value::unit())
        },
    },
    Builtin {
        signature: "fn distr_par<L: AtMost<Block>>(n: u32, f: impl Fn(u32) -> Program<L, ()>) -> Program<Step<L>, ()>",
        doc: "`f(0)` .. `f(n - 1)`, each at `L`, side by side in the level above. `n` may be known at launch only where that is `Grid`.",
        source: "JFP 2016, Figure 6 (`DistrPar`)",
        eval: |s, args, generics| {
            let (level, n, f) = (s.level_arg(generics, 0)?, args[0].scalar(s)?, args[1].func(s)?);
            demand_differences(s, n)?;
            s.distr_par(level, n, &f).map(|()| Value::unit())
        },
    },
    Builtin {
        signature: "fn seq_for<L: Compute>(n: u32, f: impl Fn(u32) -> Program<L, ()>) -> Program<L, ()>",
        doc: "`f(0)`, then `f(1)` .. `f(n - 1)`: a loop of the whole level. `n` may be known at launch only.",
        source: "JFP 2016, Figure 6 (`SeqFor`)",
        eval: |s, args, generics| {
            let (level, n, f) = (s.level_arg(generics, 0)?, args[0].scalar(s)?, args[1].func(s)?);
            demand_differences(s, n)?;
            s.seq_for(level, n, &f).map(|()| Value::unit())
        },
    },
    Builtin {
        signature: "fn pipeline_push<T: Data, S: Size>(depth: u32, n: u32, load: impl Fn(u32) -> Push<Block, T, S>, work: impl Fn(u32, Pull<T, S>) -> Program<Block, ()>) -> Program<Block, ()>",
        doc: PIPELINE,
        source: "reference.md §4",
        eval: |s, args, _| {
            let (depth, n, load, work) = (args[0].scalar(s)?, args[1].scalar(s)?, args[2].func(s)?, args[3].func(s)?);
            demand_differences(s, n)?;
            s.pipeline(depth, n, &load, &work).map(|()| Value::unit())
        },
    },
    Builtin {
        signature: "fn mk_push<L: Level, T: Data, S: Size>(n: u32, f: impl Fn(impl Fn(T, u32) -> Program<Thread, ()>) -> Program<L, ()>) -> Push<L, T, S>",
        doc: "The array of `n` elements that `f` writes: `mk_push(n, |write| for_all(n, |i| write(xs[i], i)))`. It must write each index once; what the compiler cannot prove is refused, outside `unsafe`.",
        source: "JFP 2016 §4.2 (`mkPush`)",
        eval: |s, args, generics| {
            let (level, n, f) = (s.level_arg(generics, 0)?, args[0].scalar(s)?, args[1].func(s)?);
            Ok(Value::Push(s.written_by(level, n, f)))
        },
    },
    Builtin {
        signature: "fn compute_rows<T: Data, S: Size>(xs: Push<Grid, T, S>, rows: u32, cols: u32) -> Program<Device, Pull<Pull<T>>>",
        doc: "Stores what a grid writes, row by row, as a matrix of that shape, which must have as many elements; see `compute` of a matrix at `Device`. A row and a column are each proved or tested by themselves.",
        source: "reference.md §7",
        eval: |s, args, _| {
            let (rows, cols) = (args[1].scalar(s)?, args[2].scalar(s)?);
            let stored = s.launch(args[0].clone())?.pull(s)?;
            let all = s.bin(BinOp::Mul, rows, cols);
            let fits = s.bin(BinOp::Eq, all, stored.len);
            let message = "a matrix must have as many elements as its rows times its columns".to_string();
            s.demand(fits, stored.len, message, "`compute_rows(rows, cols)` of `rows * cols` elements")?;
            Ok(Value::Pull(Stage::rows_of(rows, cols, move |s, at| (stored.get)(s, at))))
        },
    },
    Builtin {
        signature: "fn compute_two<T: Data, U: Data, S: Size, R: Size>(n: u32, m: u32, f: impl Fn(impl Fn(T, u32) -> Program<Thread, ()>, impl Fn(U, u32) -> Program<Thread, ()>) -> Program<Grid, ()>) -> Program<Device, (Pull<T, S>, Pull<U, R>)>",
        doc: "Two arrays, of `n` and of `m` elements, that one launch stores: `compute_two(n, m, |write, write_other| ..)`. As with `mk_push`, each index of each array must be written once.",
        source: "JFP 2016 §4.2 (`mkPush`); reference.md §7",
        eval: |s, args, _| {
            let (n, m, f) = (args[0].scalar(s)?, args[1].scalar(s)?, args[2].func(s)?);
            s.launch_two([n, m], &f)
        },
    },
    Builtin {
        signature: "fn push_app<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, write: impl Fn(T, u32) -> Program<Thread, ()>) -> Program<L, ()>",
        doc: "Passes each element and its index to `write`, in the loops of `xs`.",
        source: "Obsidian's library (`<:`, `pushApp`)",
        eval: |s, args, _| {
            let (xs, write) = (args[0].push(s)?, args[1].func(s)?);
            s.hand_over(&xs, write).map(|()| Value::unit())
        },
    },
    Builtin {
        signature: "fn by_device<L: Compute, T: Data>(n: u32, on_gpu: impl Fn() -> Program<L, Push<L, T>>, elsewhere: impl Fn() -> Program<L, Push<L, T>>) -> Push<L, T>",
        doc: "An array of `n` elements, which GPUs make in one way and processors in another. For the library itself: both must give the same.",
        source: "reference.md §7",
        eval: |s, args, generics| {
            let (level, n) = (s.level_arg(generics, 0)?, args[0].scalar(s)?);
            let (on_gpu, elsewhere) = (args[1].func(s)?, args[2].func(s)?);
            Ok(Value::Push(s.by_device(level, n, [on_gpu, elsewhere])))
        },
    },
    Builtin {
        signature: "fn ix_map<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, f: impl Fn(u32) -> u32) -> Push<L, T, S>",
        doc: "Element `i` is written at `f(i)`: a scatter. `f` must be a permutation of the indices; what the compiler cannot prove is refused, outside `unsafe`.",
        source: "JFP 2016 §4.2 (`ixMap`)",
        eval: |s, args, _| {
            let (xs, f, claim) = (args[0].push(s)?, args[1].func(s)?, s.chosen());
            let to = move |s: &mut Stage, i| s.apply(&f, vec![Value::Scalar(i)])?.scalar(s);
            Ok(Value::Push(scatter(xs, claim, to)))
        },
    },
    Builtin {
        signature: "fn breadth<L: Compute>() -> Program<L, u32>",
        doc: "How many threads the library shares work out to at `L`: 1 at `Thread`, 32 at `Warp`, 256 at `Block`, whatever the real ones are.",
        source: "reference.md §5",
        eval: |s, _, generics| {
            let threads = match s.level_arg(generics, 0)? {
                Level::Thread => 1,
                Level::Warp => 32,
                _ => 256,
            };
            Ok(Value::Scalar(s.u32(threads)))
        },
    },
    Builtin {
        signature: "fn block_size() -> u32",
        doc: "The number of real threads of a block, known while compiling: to choose how work is divided. The results of a kernel must not depend on it.",
        source: "FCL 2016 (`#BlockSize`)",
        eval: |s, _, _| {
            let threads = s.threads();
            Ok(Value::Scalar(s.u32(threads)))
        },
    },
    Builtin {
        signature: "fn s_map_accum<L: Compute, A: Data, T, U: Data, S: Size>(xss: Pull<T, S>, init: A, f: impl Fn(A, T) -> Program<L, (A, Push<L, U>)>) -> Push<L, U, S>",
        doc: "A loop of the level over the parts of an array that carries a value from each to the next: `f` gives that and the part's result. The results are joined. All rounds use the same memory; their number may be known at launch only.",
        source: "JFP 2016 §6.4 (`sMapAccum`)",
        eval: |s, args, generics| {
            let (level, parts, f) = (s.level_arg(generics, 0)?, args[0].pull(s)?, args[2].func(s)?);
            Ok(Value::Push(s.map_accum(level, parts, args[1].clone(), f)))
        },
    },
    Builtin {
        signature: "fn seq_fold<L: Compute, A: Data>(n: u32, init: A, f: impl Fn(A, u32) -> Program<L, A>) -> Program<L, A>",
        doc: "A loop: `acc = f(acc, i)` for `i` in `0 .. n`. Above `Thread` all threads of the level go through it together.",
        source: "JFP 2016 §5 (`seqIterate`)",
        eval: |s, args, _| {
            let (n, f) = (args[0].scalar(s)?, args[2].func(s)?);
            s.seq_fold(n, args[1].clone(), &f)
        },
    },
    Builtin {
        signature: "fn seq_fold<A: Data>(n: u32, init: A, f: impl Fn(A, u32) -> A) -> A",
        doc: "As above, in a closure that gives an element: a loop of the thread that computes the element.",
        source: "JFP 2016 §5 (`seqIterate`)",
        eval: |s, args, _| {
            let (n, f) = (args[0].scalar(s)?, args[2].func(s)?);
            s.fold_for_element(n, args[1].clone(), &f)
        },
    },
    Builtin {
        signature: "fn seq_until<L: Compute, A: Data>(init: A, done: impl Fn(A) -> Program<L, bool>, next: impl Fn(A) -> Program<L, A>) -> Program<L, A>",
        doc: "A loop: `s = next(s)` until `done(s)` holds.",
        source: "JFP 2016 §6.1 (`seqUntil`)",
        eval: |s, args, _| {
            let (test, next) = (args[1].func(s)?, args[2].func(s)?);
            s.seq_loop_while(args[0].clone(), &test, &next, |s, done| s.not(done))
        },
    },
    Builtin {
        signature: "fn seq_while<L: Compute, A: Data>(init: A, test: impl Fn(A) -> Program<L, bool>, next: impl Fn(A) -> Program<L, A>) -> Program<L, A>",
        doc: "A loop: `s = next(s)` while `test(s)` holds.",
        source: "JFP 2016 §6.1; FCL 2016 (`while`)",
        eval: |s, args, _| {
            let (test, next) = (args[1].func(s)?, args[2].func(s)?);
            s.seq_loop_while(args[0].clone(), &test, &next, |_, go_on| go_on)
        },
    },
    Builtin {
        signature: "fn seq_fold<A>(n: u32, init: A, f: impl Fn(A, u32) -> Program<Device, A>) -> Program<Device, A>",
        doc: "`acc = f(acc, i)` for `i` in `0 .. n`: a loop of the host's. It carries scalars that the host knows, stored arrays and matrices, and tuples of these; each array keeps its length.",
        source: "JFP 2016 §5 (`seqIterate`); reference.md §7",
        eval: |s, args, _| {
            let (n, f) = (args[0].scalar(s)?, args[2].func(s)?);
            s.host_fold(n, args[1].clone(), &f)
        },
    },
    Builtin {
        signature: "fn seq_until<A>(init: A, done: impl Fn(A) -> Program<Device, bool>, next: impl Fn(A) -> Program<Device, A>) -> Program<Device, A>",
        doc: "`s = next(s)` until `done(s)` holds, which the host tests: a loop of the host's, which carries what `seq_fold` does.",
        source: "JFP 2016 §6.1 (`seqUntil`); reference.md §7",
        eval: |s, args, _| {
            let (test, next) = (args[1].func(s)?, args[2].func(s)?);
            s.host_iterate(args[0].clone(), &test, &next, |s, done| s.not(done))
        },
    },
    Builtin {
        signature: "fn seq_while<A>(init: A, test: impl Fn(A) -> Program<Device, bool>, next: impl Fn(A) -> Program<Device, A>) -> Program<Device, A>",
        doc: "`s = next(s)` while `test(s)` holds, which the host tests: a loop of the host's, which carries what `seq_fold` does.",
        source: "JFP 2016 §6.1; FCL 2016 (`while`); reference.md §7",
        eval: |s, args, _| {
            let (test, next) = (args[1].func(s)?, args[2].func(s)?);
            s.host_iterate(args[0].clone(), &test, &next, |_, go_on| go_on)
        },
    },
];

/// Writes each element elsewhere.
fn scatter(
    xs: Push,
    claim: Claim,
    to: impl Fn(&mut Stage, ExprId) -> obsidian_ir::diag::Result<ExprId> + 'static,
) -> Push {
    let to = Rc::new(to);
    Push {
        len: xs.len,
        stored: None,
        open: Rc::new(move |s| {
            let opened = (xs.open)(s)?;
            let to = to.clone();
            let write = move |s: &mut Stage, w: &Writer| {
                let w = w.clone();
                let writer: Writer = Rc::new(move |s, v, i| {
                    let at = to(s, i)?;
                    s.claiming(claim, |s| w(s, v, at))
                });
                (opened.write)(s, &writer)
            };
            Ok(Opened::new(opened.len, write))
        }),
    }
}

/// `compute` at a level with memory.
fn stored(s: &mut Stage, args: &[Value], generics: &[GenericArg]) -> obsidian_ir::diag::Result<Value> {
    let level = s.level_arg(generics, 0)?;
    s.compute(args[0].clone(), level)
}

/// `compute` at `Device`.
fn launched(s: &mut Stage, args: &[Value], _generics: &[GenericArg]) -> obsidian_ir::diag::Result<Value> {
    s.launch(args[0].clone())
}

fn padded(s: &mut Stage, args: &[Value], levels: &[GenericArg]) -> obsidian_ir::diag::Result<Value> {
    let level = s.level_arg(levels, 0)?;
    let (row, pad) = match args {
        [_, row, pad] => (row.scalar(s)?, pad.scalar(s)?),
        _ => (s.u32(BANKS), args[1].scalar(s)?),
    };
    s.compute_padded(args[0].clone(), row, pad, level)
}

fn exec(s: &mut Stage, args: &[Value], level: Level) -> obsidian_ir::diag::Result<Value> {
    let program = args[0].func(s)?;
    Ok(Value::Push(s.exec(program, level)))
}

fn join(s: &mut Stage, args: &[Value], inner: Level, outer: Level) -> obsidian_ir::diag::Result<Value> {
    let arrays = args[0].pull(s)?;
    Ok(Value::Push(s.distribute(arrays, inner, outer)))
}
