//! Programs.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// Joins arrays into one of a block: of threads and of warps in parallel, of blocks one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn as_block<L: AtMost<Block>, T: Data, S: Size, R: Size>(xss: Pull<Push<L, T, R>, S>) -> Push<Block, T, S> {
    in_kernels_only()
}

/// A grid: one virtual block for each array.
///
/// Source: JFP 2016 §4.3.
pub fn as_grid<T: Data, S: Size, R: Size>(xss: Pull<Push<Block, T, R>, S>) -> Push<Grid, T, S> {
    in_kernels_only()
}

/// What a grid writes as a matrix, row by row: rows times columns must be the number of elements.
///
/// Source: reference.md §5.
pub fn as_rows<T: Data, S: Size>(xs: Push<Grid, T, S>, rows: u32, cols: u32) -> PushMat<Grid, T> {
    in_kernels_only()
}

/// Joins arrays of threads into one of a thread, one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn as_thread<T: Data, S: Size, R: Size>(xss: Pull<Push<Thread, T, R>, S>) -> Push<Thread, T, S> {
    in_kernels_only()
}

/// Joins arrays into one of a warp: of threads in parallel, of warps one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn as_warp<L: AtMost<Warp>, T: Data, S: Size, R: Size>(xss: Pull<Push<L, T, R>, S>) -> Push<Warp, T, S> {
    in_kernels_only()
}

/// The bin of a key; of one that is negative or not below 2^32 none.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn bin_of<K: Int>(key: K) -> u32 {
    in_kernels_only()
}

/// The number of real threads of a block, known while compiling: to choose how work is divided. The results of a kernel must not depend on it.
///
/// Source: FCL 2016 (`#BlockSize`).
pub fn block_size() -> u32 where for<'host> Host: OnlyInKernels {
    in_kernels_only()
}

/// How many threads the library shares work out to at `L`: 1 at `Thread`, 32 at `Warp`, 256 at `Block`, whatever the real ones are.
///
/// Source: reference.md §5.
#[doc(hidden)]
pub fn breadth<L: Compute>() -> Program<L, u32> {
    in_kernels_only()
}

/// An array of `n` elements, which GPUs make in one way and processors in another. For the library itself: both must give the same.
///
/// Source: reference.md §7.
#[doc(hidden)]
pub fn by_device<L: Compute, T: Data>(n: u32, on_gpu: impl Fn() -> Program<L, Push<L, T>>, elsewhere: impl Fn() -> Program<L, Push<L, T>>) -> Push<L, T> {
    in_kernels_only()
}

/// Stores the array: in shared memory at `Block` and `Warp`, in registers at `Thread`; a barrier follows where one is needed. Where only the most that its length can be is known while compiling, memory is for that many.
///
/// Source: JFP 2016 §5.1.
///
/// # Also
///
/// `compute<L: Compute, T: Data, S: Size>(xs: Push<L, T, S>) -> Program<L, Pull<T, S>>`:
/// Stores the array; see `compute` of a pull array. Source: JFP 2016 §5.1.
///
/// `compute<T: Data, S: Size, R: Size>(m: Pull<Pull<T, R>, S>) -> Program<Device, Pull<Pull<T, R>, S>>`:
/// Stores a matrix in the memory of the device, row by row: one launch, a block for each row. Source: reference.md §7.
///
/// `compute<T: Data, S: Size>(xs: Pull<T, S>) -> Program<Device, Pull<T, S>>`:
/// Stores the array in the memory of the device: one launch, which whatever is not stored is part of. The length is known before the launch. Source: reference.md §7.
///
/// `compute<T: Data, S: Size>(xs: Push<Grid, T, S>) -> Program<Device, Pull<T, S>>`:
/// Stores what a grid writes; see `compute` of a pull array at `Device`. Source: reference.md §7.
pub fn compute<L: Compute, T: Data, S: Size>(xs: Pull<T, S>) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// Stores `xs` over the mutable array `m` that it was computed from: there is no second array. A thread may read only the elements that it writes itself; anything else is an error, since two threads would meet on an element.
///
/// Source: reference.md §5.
pub fn compute_in_place<L: Compute, T: Data>(xs: Push<L, T>, m: Mut<T>) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Stores the array as `compute` does, with `k` unused elements after every `row`: element `i` is at `i + i / row * k`, and the result reads as if there were none. In a tile with rows of 32 elements of 4 bytes, `k = 1` puts a column's elements into different banks. Costs `k` elements of shared memory per row; at `Thread` nothing is left out.
///
/// Source: reference.md §4.
///
/// # Also
///
/// `compute_padded<L: Compute, T: Data>(xs: Push<L, T>, row: u32, k: u32) -> Program<L, Pull<T>>`:
/// Stores the array with `k` unused elements after every `row`; see `compute_padded` of a pull array. Source: reference.md §4.
///
/// `compute_padded<L: Compute, T: Data>(xs: Pull<T>, k: u32) -> Program<L, Pull<T>>`:
/// `compute_padded` with rows of 32 elements: as many as there are banks. Source: reference.md §4.
///
/// `compute_padded<L: Compute, T: Data>(xs: Push<L, T>, k: u32) -> Program<L, Pull<T>>`:
/// `compute_padded` with rows of 32 elements: as many as there are banks. Source: reference.md §4.
pub fn compute_padded<L: Compute, T: Data>(xs: Pull<T>, row: u32, k: u32) -> Program<L, Pull<T>> {
    in_kernels_only()
}

/// Stores what a grid writes, row by row, as a matrix of that shape, which must have as many elements; see `compute` of a matrix at `Device`. A row and a column are each proved or tested by themselves.
///
/// Source: reference.md §7.
pub fn compute_rows<T: Data, S: Size>(xs: Push<Grid, T, S>, rows: u32, cols: u32) -> Program<Device, Pull<Pull<T>>> {
    in_kernels_only()
}

/// Two arrays, of `n` and of `m` elements, that one launch stores: `compute_two(n, m, |write, write_other| ..)`. As with `mk_push`, each index of each array must be written once.
///
/// Source: JFP 2016 §4.2 (`mkPush`); reference.md §7.
///
/// In the language: `fn compute_two<T: Data, U: Data, S: Size, R: Size>(n: u32, m: u32, f: impl Fn(impl Fn(T, u32) -> Program<Thread, ()>, impl Fn(U, u32) -> Program<Thread, ()>) -> Program<Grid, ()>) -> Program<Device, (Pull<T, S>, Pull<U, R>)>`.
pub fn compute_two < T : Data , U : Data , S : Size , R : Size > (n : u32 , m : u32 , f : impl Fn (fn (T , u32) -> Program < Thread , () > , fn (U , u32) -> Program < Thread , () >) -> Program < Grid , () >) -> Program < Device , (Pull < T , S > , Pull < U , R >) > {
    in_kernels_only()
}

/// `f(0)` .. `f(n - 1)`, each at `L`, side by side in the level above. `n` may be known at launch only where that is `Grid`.
///
/// Source: JFP 2016, Figure 6 (`DistrPar`).
pub fn distr_par<L: AtMost<Block>>(n: u32, f: impl Fn(u32) -> Program<L, ()>) -> Program<Step<L>, ()> {
    in_kernels_only()
}

/// Evaluates `e` at `L` when the array is written; a scalar or a tuple is an array of one.
///
/// Source: JFP 2016 §4.3.
///
/// # Also
///
/// `exec<L: AtMost<Block>, T: Data, S: Size>(e: Program<L, Pull<T, S>>) -> Push<L, T, S>`:
/// Evaluates `e` at `L` when the array is written. Source: JFP 2016 §4.3.
///
/// `exec<L: AtMost<Block>, T: Data, S: Size>(e: Program<L, Push<L, T, S>>) -> Push<L, T, S>`:
/// Evaluates `e` at `L` when the array is written. Source: JFP 2016 §4.3.
pub fn exec<L: AtMost<Block>, T: Data>(e: Program<L, T>) -> Push<L, T> {
    in_kernels_only()
}

/// Evaluates `e` in a block when the array is written; a scalar or a tuple is an array of one.
///
/// Source: JFP 2016 §4.3.
///
/// # Also
///
/// `exec_block<T: Data, S: Size>(e: Program<Block, Pull<T, S>>) -> Push<Block, T, S>`:
/// Evaluates `e` in a block when the array is written. Source: JFP 2016 §4.3.
///
/// `exec_block<T: Data, S: Size>(e: Program<Block, Push<Block, T, S>>) -> Push<Block, T, S>`:
/// Evaluates `e` in a block when the array is written. Source: JFP 2016 §4.3.
pub fn exec_block<T: Data>(e: Program<Block, T>) -> Push<Block, T> {
    in_kernels_only()
}

/// Evaluates `e` in a thread when the array is written; a scalar or a tuple is an array of one.
///
/// Source: JFP 2016 §4.3.
///
/// # Also
///
/// `exec_thread<T: Data, S: Size>(e: Program<Thread, Pull<T, S>>) -> Push<Thread, T, S>`:
/// Evaluates `e` in a thread when the array is written. Source: JFP 2016 §4.3.
///
/// `exec_thread<T: Data, S: Size>(e: Program<Thread, Push<Thread, T, S>>) -> Push<Thread, T, S>`:
/// Evaluates `e` in a thread when the array is written. Source: JFP 2016 §4.3.
pub fn exec_thread<T: Data>(e: Program<Thread, T>) -> Push<Thread, T> {
    in_kernels_only()
}

/// Evaluates `e` in a warp when the array is written; a scalar or a tuple is an array of one.
///
/// Source: JFP 2016 §4.3.
///
/// # Also
///
/// `exec_warp<T: Data, S: Size>(e: Program<Warp, Pull<T, S>>) -> Push<Warp, T, S>`:
/// Evaluates `e` in a warp when the array is written. Source: JFP 2016 §4.3.
///
/// `exec_warp<T: Data, S: Size>(e: Program<Warp, Push<Warp, T, S>>) -> Push<Warp, T, S>`:
/// Evaluates `e` in a warp when the array is written. Source: JFP 2016 §4.3.
pub fn exec_warp<T: Data>(e: Program<Warp, T>) -> Push<Warp, T> {
    in_kernels_only()
}

/// A number that launches compute, such as a sum, as a value of the host's: lengths, numbers of rounds and conditions of the host may follow from it. The host waits for the device. Cost: a launch that stores it.
///
/// Source: reference.md §7.
///
/// # Also
///
/// `fetch<T: Data, S: Size>(xs: Pull<T, S>, i: u32) -> Program<Device, T>`:
/// An element of a stored array as a value of the host's: lengths, numbers of rounds and conditions of the host may follow from it. The host waits for the device. Source: reference.md §7.
pub fn fetch<T: Data>(x: T) -> Program<Device, T> {
    in_kernels_only()
}

/// `f(0)` .. `f(n - 1)`, each in a thread: shared out over the level's threads, one after the other at `Thread`. At `Warp` and `Block` all threads agree on `n`; at `Grid` it is known at launch, and each block takes one per thread.
///
/// Source: JFP 2016, Figure 6 (`ForAll`).
pub fn for_all<L: Level>(n: u32, f: impl Fn(u32) -> Program<Thread, ()>) -> Program<L, ()> {
    in_kernels_only()
}

/// `f(i, j)` for `i` below `n` and `j` below `m`, each in a thread: `n` programs of a level with `m` instances each.
///
/// Source: Obsidian's library (`forAll2`).
pub fn for_all2<L: AtMost<Block>>(n: u32, m: u32, f: impl Fn(u32, u32) -> Program<Thread, ()>) -> Program<Step<L>, ()> {
    in_kernels_only()
}

/// Another name of `compute`.
///
/// Source: FCL 2016; DAMP 2012.
///
/// # Also
///
/// `force<L: Compute, T: Data, S: Size>(xs: Push<L, T, S>) -> Program<L, Pull<T, S>>`:
/// Another name of `compute`. Source: FCL 2016; DAMP 2012.
///
/// `force<T: Data, S: Size>(xs: Pull<T, S>) -> Program<Device, Pull<T, S>>`:
/// Another name of `compute`. Source: reference.md §7.
///
/// `force<T: Data, S: Size>(xs: Push<Grid, T, S>) -> Program<Device, Pull<T, S>>`:
/// Another name of `compute`. Source: reference.md §7.
pub fn force<L: Compute, T: Data, S: Size>(xs: Pull<T, S>) -> Program<L, Pull<T, S>> {
    in_kernels_only()
}

/// How often each of `0 .. bins` is among the keys, counted in memory of the level; any other key is an error at the end of the launch.
///
/// Source: Obsidian's examples (histogram), privatised.
///
/// # Also
///
/// `histogram<K: Int, S: Size>(keys: Pull<K, S>, bins: u32) -> Program<Device, Pull<u32>>`:
/// How often each of `0 .. bins` is among the keys, in two launches: tiles of 16,384 keys are counted in shared memory, then the counts of all tiles are added; any other key is an error at the end of the launch. `bins` is known while compiling. Reads `keys` once. Source: Obsidian's examples (histogram), privatised.
pub fn histogram<L: Compute, K: Int, S: Size>(keys: Pull<K, S>, bins: u32) -> Program<L, Pull<u32>> {
    in_kernels_only()
}

/// As `histogram_into`, but blocks of `n` keys are counted first: one atomic update of `bins` per block and bin. `n` must divide the number of keys.
///
/// Source: Obsidian's examples (histogram), privatised.
pub fn histogram_by_blocks<S: Size>(keys: Pull<u32, S>, n: u32, bins: Mut<u32>) -> Program<Grid, ()> {
    in_kernels_only()
}

/// Adds to `bins[k]` how often `k` is among the keys, by one atomic update per key; a key past the last bin is an error at the end of the launch.
///
/// Source: Obsidian's examples (histogram).
pub fn histogram_into<S: Size, R: Size>(keys: Pull<u32, S>, bins: Mut<u32, R>) -> Program<Grid, ()> {
    in_kernels_only()
}

/// Joins arrays of threads into one of level `L`, a thread for each.
///
/// Source: JFP 2016 §4.3.
pub fn lift_in<L: AtMost<Block>, T: Data>(xss: Pull<Push<Thread, T>>) -> Push<L, T> {
    in_kernels_only()
}

/// Joins arrays of one level into one of the level above, in parallel.
///
/// Source: JFP 2016 §4.3.
pub fn lift_par<L: AtMost<Block>, T: Data, S: Size, R: Size>(xss: Pull<Push<L, T, R>, S>) -> Push<Step<L>, T, S> {
    in_kernels_only()
}

/// Joins arrays of one level into one of the same level, one after the other.
///
/// Source: JFP 2016 §4.3.
pub fn lift_seq<L: AtMost<Block>, T: Data, S: Size, R: Size>(xss: Pull<Push<L, T, R>, S>) -> Push<L, T, S> {
    in_kernels_only()
}

/// The elements of an array, `k` moved by each thread, a stride of `len / k` apart; `k` must divide the length.
///
/// Source: JFP 2016 §6.3 (`load`).
pub fn load<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32) -> Push<L, T> {
    in_kernels_only()
}

/// The array of `n` elements that `f` writes: `mk_push(n, |write| for_all(n, |i| write(xs[i], i)))`. It must write each index once; what the compiler cannot prove is refused, outside `unsafe`.
///
/// Source: JFP 2016 §4.2 (`mkPush`).
///
/// In the language: `fn mk_push<L: Level, T: Data, S: Size>(n: u32, f: impl Fn(impl Fn(T, u32) -> Program<Thread, ()>) -> Program<L, ()>) -> Push<L, T, S>`.
pub fn mk_push < L : Level , T : Data , S : Size > (n : u32 , f : impl Fn (fn (T , u32) -> Program < Thread , () >) -> Program < L , () >) -> Push < L , T , S > {
    in_kernels_only()
}

/// Stages in flight: means `seq_for(n, |k| work(k, load(k).compute()))`, with the loads of later rounds on their way while a round is at work. Cost: where the target has asynchronous copies, `depth` tiles in shared memory and a barrier for each round; see `pipeline_push`, which takes loads of several neighbours.
///
/// Source: reference.md §4.
pub fn pipeline<T: Data, S: Size>(depth: u32, n: u32, load: impl Fn(u32) -> Pull<T, S>, work: impl Fn(u32, Pull<T, S>) -> Program<Block, ()>) -> Program<Block, ()> {
    in_kernels_only()
}

/// Stages in flight, of what the block's threads write as they are told: means `seq_for(n, |k| work(k, load(k).compute()))`, with the loads of later rounds on their way while a round is at work. On CUDA, where `target` is `sm_80` or later and elements of 4 or 8 bytes are loaded from inputs as they are, `depth` tiles lie in shared memory and the hardware copies to them by itself (`cp.async`), with one barrier for each round; of `runs(4)` it copies up to 16 bytes at a time. Elsewhere on CUDA the elements of the next round wait in registers, at most 32 of a thread. Where neither can be, on OpenCL and on the CPU the rounds come in turn.
///
/// Source: reference.md §4.
pub fn pipeline_push<T: Data, S: Size>(depth: u32, n: u32, load: impl Fn(u32) -> Push<Block, T, S>, work: impl Fn(u32, Pull<T, S>) -> Program<Block, ()>) -> Program<Block, ()> {
    in_kernels_only()
}

/// Passes each element and its index to `write`, in the loops of `xs`.
///
/// Source: Obsidian's library (`<:`, `pushApp`).
#[doc(hidden)]
pub fn push_app<L: Level, T: Data, S: Size>(xs: Push<L, T, S>, write: impl Fn(T, u32) -> Program<Thread, ()>) -> Program<L, ()> {
    in_kernels_only()
}

/// The elements of an array, `k` neighbours moved by each thread; `k` must divide the length. Cost: where `k` is 2, 4 or 8 and the first element lies at a multiple of it, one access of up to 16 bytes for several elements.
///
/// Source: CUDA C++ programming guide, device memory accesses.
pub fn runs<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32) -> Push<L, T> {
    in_kernels_only()
}

/// The elements of an array, 512 moved by each warp, 4 neighbours by each lane at a time.
///
/// Source: CUB (`BlockLoad`, warp transpose).
#[doc(hidden)]
pub fn runs_by_warps<T: Data>(xs: Pull<T>) -> Push<Block, T> {
    in_kernels_only()
}

/// A loop of the level over the parts of an array that carries a value from each to the next: `f` gives that and the part's result. The results are joined. All rounds use the same memory; their number may be known at launch only.
///
/// Source: JFP 2016 §6.4 (`sMapAccum`).
pub fn s_map_accum<L: Compute, A: Data, T, U: Data, S: Size>(xss: Pull<T, S>, init: A, f: impl Fn(A, T) -> Program<L, (A, Push<L, U>)>) -> Push<L, U, S> {
    in_kernels_only()
}

/// A loop: `acc = f(acc, i)` for `i` in `0 .. n`. Above `Thread` all threads of the level go through it together.
///
/// Source: JFP 2016 §5 (`seqIterate`).
///
/// # Also
///
/// `seq_fold<A: Data>(n: u32, init: A, f: impl Fn(A, u32) -> A) -> A`:
/// As above, in a closure that gives an element: a loop of the thread that computes the element. Source: JFP 2016 §5 (`seqIterate`).
///
/// `seq_fold<A>(n: u32, init: A, f: impl Fn(A, u32) -> Program<Device, A>) -> Program<Device, A>`:
/// `acc = f(acc, i)` for `i` in `0 .. n`: a loop of the host's. It carries scalars that the host knows, stored arrays and matrices, and tuples of these; each array keeps its length. Source: JFP 2016 §5 (`seqIterate`); reference.md §7.
pub fn seq_fold<L: Compute, A: Data>(n: u32, init: A, f: impl Fn(A, u32) -> Program<L, A>) -> Program<L, A> {
    in_kernels_only()
}

/// `f(0)`, then `f(1)` .. `f(n - 1)`: a loop of the whole level. `n` may be known at launch only.
///
/// Source: JFP 2016, Figure 6 (`SeqFor`).
pub fn seq_for<L: Compute>(n: u32, f: impl Fn(u32) -> Program<L, ()>) -> Program<L, ()> {
    in_kernels_only()
}

/// A loop: `s = next(s)` until `done(s)` holds.
///
/// Source: JFP 2016 §6.1 (`seqUntil`).
///
/// # Also
///
/// `seq_until<A>(init: A, done: impl Fn(A) -> Program<Device, bool>, next: impl Fn(A) -> Program<Device, A>) -> Program<Device, A>`:
/// `s = next(s)` until `done(s)` holds, which the host tests: a loop of the host's, which carries what `seq_fold` does. Source: JFP 2016 §6.1 (`seqUntil`); reference.md §7.
pub fn seq_until<L: Compute, A: Data>(init: A, done: impl Fn(A) -> Program<L, bool>, next: impl Fn(A) -> Program<L, A>) -> Program<L, A> {
    in_kernels_only()
}

/// A loop: `s = next(s)` while `test(s)` holds.
///
/// Source: JFP 2016 §6.1; FCL 2016 (`while`).
///
/// # Also
///
/// `seq_while<A>(init: A, test: impl Fn(A) -> Program<Device, bool>, next: impl Fn(A) -> Program<Device, A>) -> Program<Device, A>`:
/// `s = next(s)` while `test(s)` holds, which the host tests: a loop of the host's, which carries what `seq_fold` does. Source: JFP 2016 §6.1; FCL 2016 (`while`); reference.md §7.
pub fn seq_while<L: Compute, A: Data>(init: A, test: impl Fn(A) -> Program<L, bool>, next: impl Fn(A) -> Program<L, A>) -> Program<L, A> {
    in_kernels_only()
}

/// Runs a program in one thread of the level.
///
/// Source: Obsidian's library (`singleThread`).
pub fn single_thread<L: AtMost<Block>>(e: Program<Thread, ()>) -> Program<L, ()> {
    in_kernels_only()
}

/// Another name of `load`, for what is moved out.
///
/// Source: Obsidian's library (`store`).
pub fn store<L: AtMost<Block>, T: Data>(xs: Pull<T>, k: u32) -> Push<L, T> {
    in_kernels_only()
}
