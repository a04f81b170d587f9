//! The program IR: what a kernel is after compile-time evaluation (JFP 2016, Figure 6, with levels concrete).
//!
//! Structured statements over hash-consed, typed, total expressions. No pull or push array is left; there is no goto,
//! and no thread index outside [`StmtKind::ForAll`], so a divergent barrier cannot be written down. Comes from `stage`,
//! goes through `passes`, is printed by `backend` and run by `interp`. Knows nothing of the surface language.

mod build;
mod coordinates;
mod expr;
mod lined;
mod options;
mod parts;
mod places;
pub(crate) mod ranges;
mod reciprocal;
mod rewrite;
mod scalar;
pub(crate) mod scoped;
mod stmt;
pub mod text;
pub(crate) mod votes;
pub mod walk;

pub use build::{Exprs, Inside, Owner};
pub use coordinates::{Coordinate, Coordinates, Side};
pub use expr::{Expr, ExprId, Node, Special, VarId};
pub use lined::{Lined, tokens_of};
pub(crate) use lined::{Writer, tokens_of_lines};
use obsidian_abi::assertion;
pub use obsidian_abi::{BinClass, BinOp, Const, ScalarType, UnClass, UnOp, arith};
pub use options::{Deny, Math, Options, Target};
pub use places::{Place, Places};
pub use reciprocal::Reciprocal;
pub use scalar::Range;
pub use stmt::{AtomicOp, Block, Claim, ShuffleKind, Stmt, StmtKind};
pub use text::{expr as print_expr, in_words, print, print_lined, words_and_counters};

use crate::diag::Span;
use crate::level::Level;

/// Index of a parameter in [`Program::params`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub u32);

/// Index of an array in [`Program::arrays`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayId(pub u32);

/// The limit on a block's shared memory where the attribute names none: every CUDA device has this much without further
/// settings.
pub const DEFAULT_SHARED: u32 = 49152;

/// A kernel: one entry for one number of threads.
#[derive(Debug, Clone)]
pub struct Program {
    /// The entry's name.
    pub name: String,
    /// Real threads per block, 1 to 1024.
    pub threads: u32,
    /// Limit on shared memory, in bytes.
    pub shared_limit: u32,
    /// Shared memory used per block, in bytes; set by `passes::layout`.
    pub shared_bytes: u32,
    /// The target GPUs, and how exact floats are there.
    pub options: Options,
    /// Where its tokens stand, if PTX and CUDA C tell it. As spans, it is no part of the printed program.
    pub places: Option<Places>,
    /// Parameters in the order of the launch: inputs, updated buffers and scalars as declared, then outputs, then
    /// the record of faults, if any.
    pub params: Vec<Param>,
    /// Every array: parameters' and allocated ones.
    pub arrays: Vec<Array>,
    /// Every variable.
    pub vars: Vec<Var>,
    /// The expressions.
    pub exprs: Exprs,
    /// Grid-level statements.
    pub body: Block,
    /// Number of virtual blocks (`u32`): the largest trip count of the grid's loops.
    pub blocks: ExprId,
    /// The number of these blocks that together do the work of one block of a launch; more than 1 only in group form, by
    /// `passes::rounds`.
    pub rounds: u32,
    /// What must hold at launch.
    pub checks: Vec<LaunchCheck>,
}

/// Whether elements are scalars or tuples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementShape {
    /// A scalar.
    Scalar,
    /// A tuple of scalars.
    Tuple,
}

/// A parameter of the kernel. At the machine level an input, and a buffer that is updated, is its arrays' pointers
/// followed, where its length is dynamic, by that length as `u32`; a scalar is its value; an output is its arrays'
/// pointers.
#[derive(Debug, Clone)]
pub struct Param {
    /// The user's name; outputs are `out`, `out1` ..
    pub name: String,
    /// What it is.
    pub kind: ParamKind,
    /// Whether a buffer's elements are tuples: one of a single field is still a tuple for the host.
    pub shape: ElementShape,
    /// Of a buffer that is a matrix for the host, stored row by row.
    pub matrix: Option<Matrix>,
}

/// Where the rows and columns of a matrix come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// Of an input: the two scalar parameters after it, the rows first. The launch is checked for their product.
    Given,
    /// Of an output: what the kernel makes of lengths and scalars (`u32`).
    Made {
        /// The number of rows.
        rows: ExprId,
        /// The number of columns.
        cols: ExprId,
    },
}

impl Param {
    /// A parameter; the elements of several arrays are tuples.
    pub fn new(name: impl Into<String>, kind: ParamKind) -> Param {
        let fields = match &kind {
            ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. } | ParamKind::Output { arrays, .. } => {
                arrays.len()
            }
            ParamKind::Scalar(_) | ParamKind::Fault(_) => 1,
        };
        let shape = if fields == 1 { ElementShape::Scalar } else { ElementShape::Tuple };
        Param { name: name.into(), kind, shape, matrix: None }
    }
}

/// What a parameter is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParamKind {
    /// A buffer that is read: one array per tuple field. All have the length `len`.
    Input {
        /// The fields' arrays.
        arrays: Vec<ArrayId>,
        /// `Some(n)` where the type fixes the length, else it is given at launch ([`Expr::Len`]).
        len: Option<u32>,
    },
    /// A buffer that is read and updated in place, separate from every other buffer: one array per tuple field.
    InOut {
        /// The fields' arrays.
        arrays: Vec<ArrayId>,
        /// As of an input.
        len: Option<u32>,
    },
    /// A scalar.
    Scalar(ScalarType),
    /// A buffer that is written completely: one array per tuple field.
    Output {
        /// The fields' arrays.
        arrays: Vec<ArrayId>,
        /// Its length in elements, an expression over lengths and scalars.
        len: ExprId,
    },
    /// The record of the first access that was out of range, where `passes::guards` has guarded any. Zero at launch;
    /// then element 0 is the array's number plus one in the high half, the index in the low half; element 1 the length.
    /// It is the last parameter, and not one of the user's arguments.
    Fault(ArrayId),
}

/// Where an array lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// A buffer of the host's.
    Global(ParamId),
    /// Shared memory, one copy per block (`Level::Block`) or per warp (`Level::Warp`).
    Shared(Level),
    /// Registers or local memory of one thread.
    Local,
    /// An array of a warp, as `Shared(Warp)` in meaning: element `i` is wanted in a register of lane `i % 32`.
    /// `passes::lanes` does that or makes it `Shared(Warp)`; after it no statement touches such an array.
    Lanes,
    /// An array of a block, as `Shared(Block)` in meaning, whose element `i` only instance `i` of a `ForAll` over as many
    /// threads as there are elements touches: it is a register of the thread that does this instance. `virtualise` makes it
    /// variables; natively `passes::registers` makes it `Shared(Block)`.
    Registers,
}

/// An array of scalars.
#[derive(Debug, Clone)]
pub struct Array {
    /// Name in printed code; unique within the program.
    pub name: String,
    /// Element type.
    pub elem: ScalarType,
    /// Length in elements (`u32`); a constant unless global.
    pub len: ExprId,
    /// Where it lives.
    pub space: Space,
    /// The rows with gaps in which its elements shall lie, if they shall: `compute_padded`. Until `passes::pad` makes the
    /// gaps, indices and length know nothing of them.
    pub rows: Option<Rows>,
    /// How many rounds of a block's loop it shall hold the elements of at one time, if each round loads them anew; else 1. Until
    /// `passes::stages` it has room for one round's. After it, `len` is that of all of them, and barriers that stand already order its
    /// accesses.
    pub stages: u32,
    /// How many elements are written, from the first on, where that may be fewer than there are: what is read must be below. Only
    /// until the proofs are done.
    pub filled: Option<ExprId>,
    /// Byte offset in shared memory; set by `passes::layout`. Copies of a warp's array follow one another.
    pub offset: Option<u32>,
    /// The `compute` (or parameter) it came from.
    pub span: Span,
    /// What it is, if it is no array but what a guard may record in place of one.
    pub stands_for: Option<StandsFor>,
}

impl Array {
    /// How many elements may be read.
    pub fn readable(&self) -> ExprId {
        self.filled.unwrap_or(self.len)
    }

    /// The assertion that it stands for.
    pub fn assertion(&self) -> Option<&Assertion> {
        match &self.stands_for {
            Some(StandsFor::Assertion(assertion)) => Some(assertion),
            _ => None,
        }
    }
}

/// What an array may be that has no elements of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandsFor {
    /// An assertion, until `passes::guards` an array of one element: the value that is shown is assigned to the element; what is read is
    /// the element if the condition holds, else the one after it.
    Assertion(Assertion),
    /// A side of the matrix in an array, and as long as that is.
    Side(Side, ArrayId),
}

/// What is said where an assertion fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// The text before the value.
    pub before: String,
    /// The text after it.
    pub after: String,
    /// The type of the value, if one is shown: of at most 32 bits where threads test it.
    pub shown: Option<ScalarType>,
    /// Where its author wrote it, as `src/sums.rs:12:9`, if that is told.
    pub place: Option<String>,
}

impl Assertion {
    /// The assertion of which a kernel carries that; `None` if it stands for an array.
    pub fn of_entry(entry: &str) -> Option<Assertion> {
        let assertion::Read { before, shown, after, place } = assertion::read(entry)?;
        Some(Assertion { before: before.into(), after: after.into(), shown, place: place.map(Into::into) })
    }

    /// What a kernel carries of it.
    pub fn entry(&self) -> String {
        let value = self.shown.map(|ty| format!("{{{}}}", ty.name())).unwrap_or_default();
        assertion::entry(&format!("{}{value}{}", self.before, self.after), self.place.as_deref())
    }
}

/// Elements in rows, with a gap after each row that nothing touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Elements of a row; at least 1.
    pub row: u32,
    /// From one row's start to the next one's; at least `row`.
    pub pitch: u32,
}

impl Rows {
    /// The places that `elements` elements take, with the gaps between them; none follows the last.
    pub fn places(self, elements: u32) -> u32 {
        let gaps = elements.saturating_sub(1) / self.row.max(1);
        elements.saturating_add(gaps.saturating_mul(self.pitch.saturating_sub(self.row)))
    }
}

/// A variable: a loop index, a `Let`, or a mutable `Local`.
#[derive(Debug, Clone)]
pub struct Var {
    /// Name in printed code; unique within the program.
    pub name: String,
    /// Its type.
    pub ty: ScalarType,
    /// Whether `Set` may change it.
    pub mutable: bool,
}

/// A condition on lengths and scalars that the host checks before a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchCheck {
    /// Must be true (`bool`, over `Len`, `Scalar` and constants).
    pub cond: ExprId,
    /// The message when it is not, e.g. ``the length of `input` must be a multiple of 512``; of an `assert!` what
    /// [`Assertion::entry`] makes of it.
    pub message: String,
    /// The value to report beside the message, an integer, e.g. the length found.
    pub found: ExprId,
}

impl Program {
    /// A kernel without parameters, statements or blocks.
    pub fn new(name: impl Into<String>, threads: u32) -> Program {
        let mut exprs = Exprs::default();
        let blocks = exprs.u32(0);
        Program {
            name: name.into(),
            threads,
            shared_limit: DEFAULT_SHARED,
            shared_bytes: 0,
            options: Options::default(),
            places: None,
            params: Vec::new(),
            arrays: Vec::new(),
            vars: Vec::new(),
            exprs,
            body: Vec::new(),
            blocks,
            rounds: 1,
            checks: Vec::new(),
        }
    }

    /// The array `id`.
    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.0 as usize]
    }

    /// The variable `id`.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    /// The parameter `id`.
    pub fn param(&self, id: ParamId) -> &Param {
        &self.params[id.0 as usize]
    }

    /// Makes a variable. `range` is known to contain its values.
    pub fn new_var(&mut self, name: &str, ty: ScalarType, mutable: bool, range: Range) -> VarId {
        let id = VarId(self.vars.len() as u32);
        self.vars.push(Var { name: format!("{name}{}", id.0), ty, mutable });
        self.exprs.declare_var(id, ty, range);
        id
    }

    /// Of the shared memory the bytes that a launch on CUDA passes as dynamic.
    pub fn dynamic_shared(&self) -> u32 {
        obsidian_abi::dynamic_shared(self.shared_bytes)
    }

    /// Warps per block that take part in warp-level code: whole warps, but at least one.
    pub fn warps(&self) -> u32 {
        (self.threads / 32).max(1)
    }

    /// Lanes per participating warp: 32, or all threads where the block has fewer.
    pub fn lanes(&self) -> u32 {
        self.threads.min(32)
    }

    /// Adds arrays that nothing mentions, until there are that many.
    pub fn add_unmentioned(&mut self, count: usize) {
        let zero = self.exprs.u32(0);
        let unmentioned = || Array {
            name: String::new(),
            elem: ScalarType::U32,
            len: zero,
            space: Space::Local,
            rows: None,
            stages: 1,
            filled: None,
            offset: None,
            span: Span::NONE,
            stands_for: None,
        };
        self.arrays.resize_with(self.arrays.len().max(count), unmentioned);
    }
}
