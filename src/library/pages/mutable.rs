//! Mutable.

// Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.
#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]
use super::super::{in_kernels_only, types::*};

/// `m[i] += x`, undisturbed by other threads; gives the old value. Integers and floats of 32 and 64 bits. Floats are added in any order, so their sum may differ in its last bits.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_add<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// `m[i] &= x`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_and<T: Int, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// `m[i] = x` if `m[i]` is `expected`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_cas<T: Int, S: Size>(m: Mut<T, S>, i: u32, expected: T, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// `m[i] = x`, undisturbed by other threads; gives the old value. Types as of `atomic_add`.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_exchange<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// `m[i] = max(m[i], x)`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_max<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// `m[i] = min(m[i], x)`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_min<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// `m[i] |= x`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_or<T: Int, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// `m[i] -= x`, undisturbed by other threads; gives the old value. Types as of `atomic_add`.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_sub<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// `m[i] ^= x`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.
///
/// Source: Obsidian's library (`Obsidian.Atomic`); reference.md §5.
pub fn atomic_xor<T: Int, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T> {
    in_kernels_only()
}

/// Stores the array as one whose elements can change: in shared memory at `Block` and `Warp`, in memory of its own at `Thread`.
///
/// Source: Obsidian's library (`Obsidian.Mutable`).
///
/// # Also
///
/// `new_mut<L: Compute, T: Data>(xs: Push<L, T>) -> Program<L, Mut<T>>`:
/// Stores the array as one whose elements can change; see `new_mut` of a pull array. Source: Obsidian's library (`Obsidian.Mutable`).
pub fn new_mut<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Mut<T>> {
    in_kernels_only()
}

/// `k` elements of each of `n` threads, kept in registers across barriers and loops of the block; `init(t, q)` is what element `q` of thread `t` is at first. `regs[t]` is there in the code of thread `t` of `n`, such as that of `for_all(n, |t| ..)`, and no other thread touches it, so there is nothing to prove; which element is meant must be known while compiling. A real thread keeps the registers of all threads that it does: `OB046` where it has not so many.
///
/// Source: reference.md §4.
pub fn regs<T: Data>(n: u32, k: u32, init: impl Fn(u32, u32) -> T) -> Program<Block, Pull<Mut<T>>> {
    in_kernels_only()
}

/// The mutable array as a view that any code may index. `v[i]` is read where it stands; a whole view that is pushed on is read where it is written.
///
/// Source: Obsidian's library (`Obsidian.Mutable`).
pub fn to_pull<T, S: Size>(m: Mut<T, S>) -> Pull<T, S> {
    in_kernels_only()
}

/// The mutable array as a matrix of this number of rows, which must divide its length; a view as `to_pull` gives. A row and a column are each proved or tested by themselves, so what reads one half of a double buffer, as `m.to_rows(2)[k % 2][i]` does, never reads the other.
///
/// Source: reference.md §5.
pub fn to_rows<T, S: Size>(m: Mut<T, S>, rows: u32) -> Pull<Pull<T>> {
    in_kernels_only()
}

/// Writes element `i` of `xs` to `m[i]`. `xs` is no longer than `m`: an error while compiling if both lengths are known, else at launch.
///
/// Source: Obsidian's library (`Obsidian.Mutable`).
pub fn write_to<L: Level, T: Data, R: Size, S: Size>(m: Mut<T, R>, xs: Push<L, T, S>) -> Program<L, ()> {
    in_kernels_only()
}
