//! What the host does: launches, and the branches and loops that it decides. One form serves drafts, whose launches are code in the
//! common workspace, and modules, whose launches name kernels.

use crate::diag::Span;
use crate::program::{ExprId, LaunchCheck, ParamId};

/// What the host does, and the user's token that asked for it. `L` is a launch, `B` names a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<L, B> {
    /// What.
    pub kind: StepKind<L, B>,
    /// Where it came from.
    pub span: Span,
}

/// What a step does. Each buffer but a parameter's is written by one step, whole, before others read it; so is each variable.
/// What is written inside a branch or a loop is read there only, but for what it joins or carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind<L, B> {
    /// Launches a kernel.
    Launch(L),
    /// Brings an element to the host, and waits for it.
    Fetch {
        /// The buffer.
        from: B,
        /// Which element (`u32`).
        index: ExprId,
        /// The variables that it becomes, one for each field.
        into: Vec<ParamId>,
    },
    /// What must hold here, else the host gets an error.
    Check(LaunchCheck),
    /// Asks how the device goes through a chain of tiles, and makes cells for it.
    Chain(Chaining<B>),
    /// One of two lists of steps.
    If(Branch<L, B>),
    /// A list of steps, again and again.
    Loop(Looping<L, B>),
}

/// How a chain of tiles is gone through. Where that is in one pass, the blocks of a launch tell one another through cells what their
/// tiles give: words of 64 bits, whose upper half is the launch's epoch where they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chaining<B> {
    /// Set to whether it is in one pass (`bool`).
    pub once: ParamId,
    /// Set to what tells the words of this launch from all that is in the cells (`u32`).
    pub epoch: ParamId,
    /// Set to how often a block looks for what is not there before it computes that itself (`u32`).
    pub patience: ParamId,
    /// The cells (`u64`): no word has the upper half `epoch`.
    pub cells: B,
}

/// A branch of the host's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch<L, B> {
    /// The condition (`bool`).
    pub cond: ExprId,
    /// Done where it holds.
    pub then: Vec<Step<L, B>>,
    /// Done where it does not.
    pub els: Vec<Step<L, B>>,
    /// The buffers that there are after it.
    pub buffers: Vec<Joined<B, B>>,
    /// The variables that are set after it; set before the buffers, whose lengths may be among them.
    pub values: Vec<Joined<ParamId, ExprId>>,
}

/// What is one of two after a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joined<D, V> {
    /// What is defined.
    pub result: D,
    /// What it is where the condition holds.
    pub then: V,
    /// What it is where not.
    pub els: V,
}

/// A loop of the host's: for each value of the counter, as long as the test holds, `head`, the test, `body`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looping<L, B> {
    /// What it counts, where it does.
    pub counter: Option<Counter>,
    /// Done before each test.
    pub head: Vec<Step<L, B>>,
    /// Evaluated after `head` (`bool`): the loop ends where it does not hold.
    pub test: Option<ExprId>,
    /// Done in each round.
    pub body: Vec<Step<L, B>>,
    /// The buffers that go from round to round, all of one length.
    pub buffers: Vec<Carried<B, B>>,
    /// The variables that go from round to round.
    pub values: Vec<Carried<ParamId, ExprId>>,
}

/// What a loop counts: from a first value up to, and without, a last one, both as they are before the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// The variable.
    pub variable: ParamId,
    /// Its first value.
    pub from: ExprId,
    /// The loop ends where it is not less than this.
    pub to: ExprId,
}

/// What goes from round to round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carried<D, V> {
    /// What it is in a round, in `head` and in `body`.
    pub inside: D,
    /// What it is in the first.
    pub init: V,
    /// What it is in the next one, at the end of `body`.
    pub next: V,
    /// What it is after the loop.
    pub result: D,
}

/// Calls `f` on each launch, those of branches and loops too, in the order of the text.
pub fn each_launch<'s, L, B>(steps: &'s [Step<L, B>], f: &mut dyn FnMut(&'s L)) {
    for step in steps {
        match &step.kind {
            StepKind::Launch(launch) => f(launch),
            StepKind::If(branch) => [&branch.then, &branch.els].into_iter().for_each(|side| each_launch(side, f)),
            StepKind::Loop(looping) => [&looping.head, &looping.body].into_iter().for_each(|part| each_launch(part, f)),
            StepKind::Fetch { .. } | StepKind::Check(_) | StepKind::Chain(_) => {}
        }
    }
}

/// Calls `f` on each buffer that a step names itself, not in the launches nor in the steps within it.
pub(super) fn each_buffer<L, B: Copy>(kind: &StepKind<L, B>, f: &mut dyn FnMut(B)) {
    match kind {
        StepKind::Launch(_) | StepKind::Check(_) => {}
        StepKind::Fetch { from, .. } => f(*from),
        StepKind::Chain(chain) => f(chain.cells),
        StepKind::If(branch) => {
            branch.buffers.iter().for_each(|j| [j.result, j.then, j.els].into_iter().for_each(&mut *f))
        }
        StepKind::Loop(looping) => {
            looping.buffers.iter().for_each(|c| [c.inside, c.init, c.next, c.result].into_iter().for_each(&mut *f));
        }
    }
}
