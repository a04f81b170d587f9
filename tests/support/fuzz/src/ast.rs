//! The generator's own syntax tree of a kernel: expressions without types, which `types` finds and `meaning` evaluates.
//! Every variable has a number of its own, so no name hides another.

mod launched;
mod loops;
mod matrices;

use obsidian_ir::program::{BinOp, Const, ScalarType, UnOp};

pub use launched::{Launched, reshaped, segment};
pub use loops::Going;
pub use matrices::{Border, InMatrix};

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// What it does.
    pub op: Op,
    /// Its parts.
    pub args: Vec<Expr>,
}

/// What an expression does with its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// A scalar.
    Const(Const),
    /// A `u32` that a length depends on.
    Size(u32),
    /// A variable.
    Var(u32),
    /// `{ let v = a; b }`.
    Let(u32),
    /// `|v, ..| a`.
    Lambda(Vec<u32>),
    /// The name of a helper as a function value.
    Name(usize),
    /// A call of a helper.
    Helper(usize),
    /// A call of a variable that is a function.
    Apply(u32),
    /// A unary operation.
    Un(UnOp),
    /// A binary operation.
    Bin(BinOp),
    /// `a as T`.
    Cast(ScalarType),
    /// `a.to_bits()`.
    ToBits,
    /// `T::from_bits(a)`.
    FromBits(ScalarType),
    /// `if a { b } else { c }`.
    If,
    /// `(a, b, ..)`.
    Tuple,
    /// `a.0` ..
    Field(u32),
    /// `S { f0: a, f1: b, .. }`, a structure of these fields.
    Record(Vec<ScalarType>),
    /// `a.f0` ..
    Part(u32),
    /// `{ assert!(a % k <= k - 1); b }` for the number `k`: it always holds, and no text shows it without arithmetic.
    Asserted(u32),
    /// The elements of `a` of which `b` holds, then as many `c` as are missing: by `compact` and `get_or`. The number is that of a variable.
    Kept(u32),
    /// `a[b]`.
    Index,
    /// `f(a, b, ..)`, a function of the library.
    Call(&'static str),
    /// `a.f(b, ..)`, which means the same.
    Method(&'static str),
    /// `let mut s = b; for i in 0..a { s = c; } d`, where `c` and `d` see `s` (the first number) and `c` sees `i`.
    For(u32, u32, Going),
    /// As `For` inside of a block, with `if e { continue; } if f { break; }` before `s = c;`, where `e` and `f` see what `c` sees. Late rounds print that they are left.
    ForLeft(u32, u32, Going),
    /// `[b, c, d][a % 3]`.
    Listed,
    /// `match a { 0 => b, 1..=5 => c, _ => d }`.
    Match,
    /// `a` as a mutable array, each two elements at distance `b` exchanged for `c` and `d` of them in place: by `ilv2` or
    /// `vee2`, whose name is given. Then the array. The number is that of the array's variable.
    InPlace(&'static str, u32),
    /// `mk_push(a, |write| for_all(a, |i| ..))`: `b` of `i` gives the value and the place. The number is that of `write`.
    Written(u32),
    /// `a.map(b).interleave_with(c)`, or `interleave_seq`, whose name is given.
    Interleaved(&'static str),
    /// What a grid makes of `a`, cut into parts.
    Chunked(InChunk, Cut),
    /// What a grid makes of the matrix `a`.
    Matrix(InMatrix),
    /// What launches make of `a`, at `Device`. The number is that of a variable.
    Launched(Launched, u32),
    /// `if a.len() <= k { b } else { c }` in a helper that calls itself, with the number `k`.
    Short(u32),
    /// A call of the helper by itself: on an array that is shorter than its own first parameter, and its other parameters.
    Again,
    /// An argument that is updated, by its atomic function `a` times: `b` of `i` gives the index and the value. Then `c`.
    Bump(u32),
    /// `a` as a mutable array of such elements, updated by an atomic function `b` times: `c` of `i` gives the index and the
    /// value. Then the array. The number is that of the array's variable.
    Updates(&'static str, ScalarType, u32),
    /// `a` in registers of a block's threads, the second number of them in each, changed `b` times: `c` of an element and its index
    /// gives the next one. The first number is that of the registers' variable.
    Registers(u32, u32),
    /// `a` in registers, an element each, which `b` rounds of a loop change: `c` of an element and one of `a` that the round loads, in so many
    /// stages and neighbours by each thread. The first number is that of the registers' variable.
    Staged(u32, Stages),
    /// `a` twice in one mutable array, `b` rounds: each element becomes `c` of it and of the one at a place, in the other half than that from
    /// which the round reads. `d` of the element and its index tells the place. The number is that of the array's variable.
    InTurn(u32, Place),
}

/// How a place that data tells is kept inside an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// By its remainder.
    Remainder,
    /// By a condition: where it is outside, the element stands for the one there.
    Tested,
}

/// How a loop loads what it works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stages {
    /// Of how many rounds elements may be there or on their way.
    pub depth: u32,
    /// How many neighbours a thread loads.
    pub each: u32,
}

/// How an array is cut into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Chunks of this number of elements; the last one has what is left.
    Chunks(u32),
    /// Rows, at least this number, of a width that is known at launch; what is left over is dropped.
    Rows(u32),
}

impl Cut {
    /// How many elements a part of `n` elements has, but for a last chunk.
    pub fn width(self, n: u32) -> u32 {
        match self {
            Cut::Chunks(k) => k,
            Cut::Rows(k) => n.checked_div(k).unwrap_or(0),
        }
    }
}

/// What a block makes of a part `c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InChunk {
    /// Nothing is cut: `a.push()`.
    Whole,
    /// `c.push()`.
    Copied,
    /// Of rows: they are written as columns, each element at a place that the author names.
    Turned,
    /// `c.reverse().push()`.
    Reversed,
    /// The same, of a chunk that the block stores: a bounded array, whose elements other threads read.
    Stored,
    /// `c.map(b).push()`.
    Mapped,
    /// `reduce(c, b)`.
    Folded,
    /// `scan(c, b).push()`.
    Scanned,
    /// `sort(c).push()`.
    Sorted,
    /// `d` of `c.pad_to(k, b)`, where `d` is a program of a block.
    Filled,
}

impl InChunk {
    /// Its name, for counts of what was made.
    pub fn name(self, cut: Cut) -> &'static str {
        let rows = matches!(cut, Cut::Rows(_));
        match self {
            InChunk::Copied if rows => "rows",
            InChunk::Reversed if rows => "reversed rows",
            InChunk::Mapped if rows => "mapped rows",
            InChunk::Folded if rows => "reduced rows",
            InChunk::Turned => "turned rows",
            InChunk::Whole => "any length",
            InChunk::Copied => "chunks",
            InChunk::Reversed => "reversed chunks",
            InChunk::Stored => "stored chunks",
            InChunk::Mapped => "mapped chunks",
            InChunk::Folded => "reduced chunks",
            InChunk::Scanned => "scanned chunks",
            InChunk::Sorted => "sorted chunks",
            InChunk::Filled => "filled chunks",
        }
    }
}

impl Expr {
    /// An expression.
    pub fn new(op: Op, args: Vec<Expr>) -> Expr {
        Expr { op, args }
    }

    /// A variable.
    pub fn var(v: u32) -> Expr {
        Expr::new(Op::Var(v), Vec::new())
    }

    /// A number that sizes depend on.
    pub fn size(n: u32) -> Expr {
        Expr::new(Op::Size(n), Vec::new())
    }

    /// A scalar.
    pub fn constant(c: Const) -> Expr {
        Expr::new(Op::Const(c), Vec::new())
    }

    /// A method of the library.
    pub fn method(name: &'static str, args: Vec<Expr>) -> Expr {
        Expr::new(Op::Method(name), args)
    }

    /// A function of the library.
    pub fn call(name: &'static str, args: Vec<Expr>) -> Expr {
        Expr::new(Op::Call(name), args)
    }

    /// A closure.
    pub fn lambda(params: Vec<u32>, body: Expr) -> Expr {
        Expr::new(Op::Lambda(params), vec![body])
    }

    /// A binary operation.
    pub fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
        Expr::new(Op::Bin(op), vec![a, b])
    }

    /// A field of a tuple.
    pub fn field(self, i: u32) -> Expr {
        Expr::new(Op::Field(i), vec![self])
    }

    /// A field of a structure.
    pub fn part(self, i: u32) -> Expr {
        Expr::new(Op::Part(i), vec![self])
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        1 + self.args.iter().map(Expr::nodes).sum::<usize>()
    }
}

/// Whether a length is known while compiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Part of the type: `Pull`.
    Static,
    /// At launch: `DPull`.
    AtLaunch,
}

impl Known {
    /// What is known of a length that is made of two.
    pub fn join(self, other: Known) -> Known {
        if self == Known::Static { other } else { self }
    }
}

/// What a generic element type of a helper can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Be stored.
    Data,
    /// Arithmetic of all numbers.
    Num,
    /// Arithmetic of integers.
    Int,
}

/// Where an argument of the entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A buffer with this number of elements, known while compiling or at launch.
    Buffer(u32, Known),
    /// A matrix whose rows and columns are known at launch.
    Matrix(u32, u32),
    /// A scalar.
    Scalar,
    /// A buffer with this number of elements, which the kernel updates.
    Updated(u32, Known, Update),
}

impl Source {
    /// How many elements.
    pub fn len(self) -> u32 {
        match self {
            Source::Buffer(n, _) | Source::Updated(n, ..) => n,
            Source::Matrix(rows, cols) => rows * cols,
            Source::Scalar => 1,
        }
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// An atomic function stores this number by exclusive or with the place: the same from whichever thread comes last.
pub const EXCHANGED: u32 = 21;

/// How an argument is updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// By this atomic function, from anywhere.
    By(&'static str),
    /// Each element by itself: [`Kernel::changes`].
    Each,
}

/// An argument of the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its variable.
    pub var: u32,
    /// Types of the fields of an element.
    pub fields: Vec<ScalarType>,
    /// Buffer or scalar.
    pub source: Source,
    /// Its values lie below this, where the kernel indexes by them; they are of one field, `u32`.
    pub below: Option<u32>,
}

/// The type of a helper's parameter or result, as it is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// `T`.
    Element,
    /// `Pull<T>`.
    Array,
    /// `impl Fn(T, T) -> T`.
    Function,
    /// `Push<L, T>`.
    Pushed,
}

/// A function beside the entry: generic in its element type, and in its level where it is a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helper {
    /// What `T` can do.
    pub bound: Bound,
    /// Parameters.
    pub params: Vec<(u32, Declared)>,
    /// Result.
    pub result: Declared,
    /// Whether it computes.
    pub kind: HelperKind,
    /// Its body.
    pub body: Expr,
}

/// Whether a helper has an ambient level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelperKind {
    /// It has none.
    Pure,
    /// `Program<L, _>` for any `L: Compute`.
    Program,
}

/// How sizes and integers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// As they are.
    Literal,
    /// By the names of `const` items.
    Named,
}

/// A kernel: one entry and its helpers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Real threads of a block.
    pub threads: u32,
    /// Those of its other variants.
    pub more_threads: Vec<u32>,
    /// The entry's arguments.
    pub inputs: Vec<Input>,
    /// Its helpers.
    pub helpers: Vec<Helper>,
    /// The entry's results: push arrays of the grid. None where it has changes.
    pub outputs: Vec<Expr>,
    /// Changes of arguments: the argument, and the new element of an index and the old one.
    pub changes: Vec<(u32, Expr)>,
    /// What the inputs' values are made from.
    pub data_seed: u64,
    /// How its numbers are written.
    pub numbers: Numbers,
}

impl Kernel {
    /// Whether it is a program of several launches.
    pub fn launches(&self) -> bool {
        fn any(e: &Expr) -> bool {
            matches!(e.op, Op::Launched(..)) || e.args.iter().any(any)
        }
        self.outputs.iter().any(any)
    }

    /// How many nodes its expressions have.
    pub fn nodes(&self) -> usize {
        self.exprs().map(Expr::nodes).sum()
    }

    /// Its expressions.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let changes = self.changes.iter().map(|c| &c.1);
        self.outputs.iter().chain(changes).chain(self.helpers.iter().map(|h| &h.body))
    }
}
