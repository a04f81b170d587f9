//! The types, levels and bounds of the kernel language. Nothing here can be made or implemented by host code.

use std::convert::Infallible;
use std::marker::PhantomData;

/// A delayed array: any element can be asked for, `xs[i]`, and nothing is stored. `Pull<T>` has a length that is known
/// while compiling; `Pull<T, 512>` in the language asserts it, and as an argument of an entry is a buffer of exactly so
/// many elements. `S: Size` stands for either kind of length; `T` may be an array again.
///
/// Source: JFP 2016 §4.1.
pub struct Pull<T, S = Static>(Infallible, PhantomData<(T, S)>);

/// A delayed array whose length is known at launch: the type of a kernel's buffer arguments.
///
/// Source: JFP 2016 §4.1 (`DPull`).
pub type DPull<T, S = Dynamic> = Pull<T, S>;

/// A delayed array whose length is known when the kernel runs and is at most `N`, which is written as a number, `BPull<T, 256>`: what
/// stores all elements has memory for so many. A launch that would have more is an error.
///
/// Source: reference.md §5.
pub type BPull<T, N = Dynamic> = Pull<T, Bounded<N>>;

/// A delayed array that writes all its elements itself, by a loop at level `L`. It cannot be indexed; `compute()` stores
/// it. Its elements are scalars or tuples of scalars.
///
/// Source: JFP 2016 §4.2.
pub struct Push<L, T, S = Static>(Infallible, PhantomData<(L, T, S)>);

/// A push array whose length is known at launch: what most entries return, `DPush<Grid, T>`.
///
/// Source: JFP 2016 §4.2 (`DPush`).
pub type DPush<L, T, S = Dynamic> = Push<L, T, S>;

/// A matrix whose rows and columns are known at launch: an array of its rows. As an argument of an entry it is stored row by
/// row, and the host passes a `Matrix<T>`.
///
/// Source: reference.md §5.
pub type DMat<T> = DPull<DPull<T>>;

/// What writes a matrix, row by row: the host receives a `Matrix<T>`. Made by `push` of a matrix and by `as_grid_rows`.
///
/// Source: reference.md §5.
pub type PushMat<L, T> = DPush<L, DPull<T>>;

/// As a result type: the function computes (stores, synchronises) at level `L` and yields an `A`. It is called only where
/// the ambient level is `L`.
///
/// Source: JFP 2016 §4.3.
pub struct Program<L, A>(Infallible, PhantomData<(L, A)>);

/// A mutable array in shared memory.
pub struct Mut<T, S = Static>(Infallible, PhantomData<(T, S)>);

/// A buffer argument that the kernel updates; the host passes `&mut Buffer<T>`.
pub type DMut<T, S = Dynamic> = Mut<T, S>;

/// The level of one thread: loops and registers.
pub struct Thread(Infallible);

/// The level of the 32 threads that run in step.
pub struct Warp(Infallible);

/// The level of a block: threads that share memory and can wait for one another.
pub struct Block(Infallible);

/// The level of the whole launch: blocks side by side, without shared memory and without waiting.
pub struct Grid(Infallible);

/// The level of the host's own code: launches of grids, one after the other, and what the host decides between them.
pub struct Device(Infallible);

/// The level above: `Step<Thread>` is `Warp`, `Step<Warp>` is `Block`, `Step<Block>` is `Grid`.
pub struct Step<L>(Infallible, PhantomData<L>);

/// A length that is known while compiling.
pub struct Static(Infallible);

/// A length that is known at launch.
pub struct Dynamic(Infallible);

/// A length of which the most is known while compiling.
pub struct Bounded<N>(Infallible, PhantomData<N>);

/// The length `N`. In the language it is written as a number: `Pull<T, 512>`.
pub struct Len<const N: u32>(Infallible);

/// The unsigned integer as wide as `T`: `Bits<f32>` is `u32`.
pub struct Bits<T>(Infallible, PhantomData<T>);

/// 16-bit floats of IEEE 754.
#[allow(non_camel_case_types)]
pub type f16 = crate::f16;

/// 16-bit floats with the exponent of `f32`.
#[allow(non_camel_case_types)]
pub type bf16 = crate::bf16;

mod sealed {
    pub trait Sealed {}
}

macro_rules! bounds {
    ($($(#[$doc:meta])* $name:ident $(<$of:ident>)?;)*) => {$(
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "this is a function of the kernel language",
            label = "host code cannot call it",
            note = "call it inside `kernel! {{ .. }}`, where it needs no import"
        )]
        pub trait $name $(<$of>)?: sealed::Sealed {}
    )*};
}

bounds! {
    /// What a level parameter ranges over: `Thread`, `Warp`, `Block`, `Grid`.
    Level;
    /// The levels up to `L`: `AtMost<Block>` leaves out `Grid`.
    AtMost<L>;
    /// The levels that can store and synchronise: the same as `AtMost<Block>`.
    Compute;
    /// Either kind of length, in `Pull<T, S>` and `Push<L, T, S>`.
    Size;
    /// What can be stored: scalars, and tuples of what can be stored.
    Data;
    /// Scalars that can be compared.
    Ord;
    /// Scalars with arithmetic.
    Num;
    /// Integers.
    Int;
    /// Floats.
    Float;
    /// Never holds: the function is for kernels.
    OnlyInKernels;
}

/// Where host code stands.
#[doc(hidden)]
pub struct Host(Infallible);
