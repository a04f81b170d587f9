//! Statements of the IR.

use super::{ArrayId, ExprId, ScalarType, VarId};
use crate::diag::Span;
use crate::level::Level;

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement and the user's token it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it came from.
    pub span: Span,
    /// Why no other thread writes an element that it writes.
    pub claim: Claim,
}

/// Why a write is safe: no other thread writes or reads its element in the same phase, and no block writes it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub enum Claim {
    /// The library's own loops and joins write each index once.
    #[default]
    ByConstruction,
    /// The author chose the index: it is to be proved, or refused.
    MustProve,
    /// Written in `unsafe { .. }`: the author answers for it.
    Author,
}

impl Stmt {
    /// A statement.
    pub fn new(kind: StmtKind, span: Span) -> Stmt {
        Stmt { kind, span, claim: Claim::ByConstruction }
    }
}

/// What a statement does. `ForAll` bodies hold thread code only: no `ForAll`, `DistrPar` or `Sync`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StmtKind {
    /// `array[index] = value`.
    Assign {
        /// The array.
        array: ArrayId,
        /// The index (`u32`).
        index: ExprId,
        /// The value.
        value: ExprId,
    },
    /// An atomic update; `old`, where given, is bound to the value before. Updates of one array may run at one time.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// The array.
        array: ArrayId,
        /// The index (`u32`).
        index: ExprId,
        /// The operand.
        value: ExprId,
        /// For `CompareExchange` only: the value that the element must have to become `value`.
        expected: Option<ExprId>,
        /// Receives the old value.
        old: Option<VarId>,
    },
    /// Binds an immutable variable to the value at this point.
    Let {
        /// The variable.
        var: VarId,
        /// Its value.
        value: ExprId,
    },
    /// Declares a mutable variable.
    Local {
        /// The variable.
        var: VarId,
        /// Its first value; `None`: `Set` in every branch before it is read.
        init: Option<ExprId>,
    },
    /// Changes a mutable variable.
    Set {
        /// The variable.
        var: VarId,
        /// Its new value.
        value: ExprId,
    },
    /// A branch.
    If {
        /// The condition.
        cond: ExprId,
        /// Done when it holds.
        then: Block,
        /// Done when it does not.
        els: Block,
    },
    /// `for var in (start..end).step_by(step)`, in sequence. All `u32`; `step` is not zero.
    SeqFor {
        /// The index.
        var: VarId,
        /// First value.
        start: ExprId,
        /// End, exclusive.
        end: ExprId,
        /// Step.
        step: ExprId,
        /// What is repeated.
        body: Block,
    },
    /// `loop { head; if !cond { break } body }`.
    SeqWhile {
        /// Runs before each test; `cond` and `body` see what it binds.
        head: Block,
        /// Goes on while this holds.
        cond: ExprId,
        /// What is repeated.
        body: Block,
    },
    /// `n` instances of thread code, shared out over the threads of `level` (`Block` or `Warp`). Gone after
    /// `passes::virtualise`.
    ForAll {
        /// Whose threads do it.
        level: Level,
        /// The instance, `0 .. n`.
        var: VarId,
        /// How many (`u32`).
        n: ExprId,
        /// Thread code.
        body: Block,
    },
    /// `n` instances of a program of `level` (`Block`: over the grid; `Warp`: over the block's warps), in parallel
    /// where the machine has as many. Gone after `passes::virtualise`.
    DistrPar {
        /// What each instance is.
        level: Level,
        /// The instance, `0 .. n`.
        var: VarId,
        /// How many (`u32`).
        n: ExprId,
        /// Code of that level.
        body: Block,
    },
    /// The array exists from here to the end of the enclosing block of statements.
    Allocate {
        /// The array.
        array: ArrayId,
    },
    /// Binds an immutable variable to what `value` is in another lane of the warp. All 32 lanes execute it together, so
    /// it may be neither guarded nor moved. Only `passes::lanes` makes these.
    Shuffle {
        /// The variable.
        var: VarId,
        /// What each lane offers.
        value: ExprId,
        /// How `lane` names the lane that is read.
        kind: ShuffleKind,
        /// A lane's number, mask or distance, `0 .. 32` (`u32`); but for `Index`, the same in all lanes.
        lane: ExprId,
    },
    /// Writes the parts of a text with the values between them. Processors and the interpreter do it; gone on the way to all
    /// other machines (`passes::unprint`).
    Print {
        /// The parts: one more than there are values.
        text: Vec<String>,
        /// Scalars.
        values: Vec<ExprId>,
    },
    /// Binds immutable variables to neighbours in memory, one each: variable `k` to element `index + k`. 2 or 4 of them, which
    /// lie at a multiple of their bytes together, at most 16. Only `passes::vectorise` makes these.
    LoadVector {
        /// The variables.
        vars: Vec<VarId>,
        /// The array; in global or shared memory.
        array: ArrayId,
        /// The first element's index (`u32`).
        index: ExprId,
    },
    /// Writes neighbours in memory: value `k` to element `index + k`. Their number and place are as for `LoadVector`.
    StoreVector {
        /// The array.
        array: ArrayId,
        /// The first element's index (`u32`).
        index: ExprId,
        /// The values.
        values: Vec<ExprId>,
    },
    /// Begins to copy neighbours from a buffer that nothing writes into shared memory. They are there, for the thread that has begun,
    /// once an `Await` has waited for the `Commit` that follows; until then nothing may touch them. Only `passes::stages` makes these.
    Copy {
        /// The array that is copied to.
        array: ArrayId,
        /// The first element's index there (`u32`).
        index: ExprId,
        /// The load of the first element.
        value: ExprId,
        /// How many neighbours: 1, 2 or 4, of 4, 8 or 16 bytes together, at multiples of these on both sides.
        count: u32,
    },
    /// Makes a group of the copies that a thread has begun since the last one; it may have none.
    Commit,
    /// Waits until at most the latest `pending` groups of the thread's copies are on their way.
    Await {
        /// How many groups may be on their way.
        pending: u32,
    },
    /// A barrier of the block (`Block`) or the warp (`Warp`). Placed by `passes::barriers`.
    Sync {
        /// Whose threads wait.
        scope: Level,
    },
}

/// Which lane a lane reads, in a shuffle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShuffleKind {
    /// That of the given number.
    Index,
    /// Its own number `^` the mask.
    Xor,
    /// The lane that is `lane` places below; where there is none, the lane itself.
    Up,
    /// The lane that is `lane` places above; where there is none, the lane itself.
    Down,
    /// The values of all lanes, combined; `lane` is 0. Of 32-bit integers, which only `passes::redux` makes, and of `bool`, by
    /// `Or` and `And`.
    All(super::BinOp),
    /// A mask (`u32`) of the lanes whose `bool` holds; `lane` is 0.
    Ballot,
    /// A mask (`u32`) of the lanes whose integer is the lane's own; `lane` is 0.
    Same,
}

impl ShuffleKind {
    /// The type of what a lane gets, where each offers a value of type `ty`.
    pub fn gives(self, ty: ScalarType) -> ScalarType {
        if matches!(self, ShuffleKind::Ballot | ShuffleKind::Same) { ScalarType::U32 } else { ty }
    }
}

/// Atomic operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomicOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareExchange,
}

impl AtomicOp {
    /// Whether there are such updates of elements of type `ty`: integers of 32 and 64 bits; of `f32` and `f64` sums and
    /// exchanges. Narrower elements would share a word with their neighbours.
    pub fn takes(self, ty: ScalarType) -> bool {
        use ScalarType::{F32, F64, I32, I64, U32, U64};
        matches!((self, ty), (_, I32 | U32 | I64 | U64) | (AtomicOp::Add | AtomicOp::Exchange, F32 | F64))
    }
}
