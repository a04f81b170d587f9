//! Every index inside its array, proved: takes the program as `stage` made it, changes nothing, says which accesses it
//! cannot prove: `guards` guards the reads and atomic updates by data among them, the others are refused. A `run` that
//! the host may call safely rests on this.
//!
//! ```text
//! forall Block i < 32
//!   out[b * 32 + i] = ..    out: u32[len(xs) / 32 * 32], b < len(xs) / 32      proved
//!   .. = ys[b * 32 + i]                     a condition of the launch: len(xs) <= len(ys)
//!   .. = ys[at[b * 32 + i]]                 by data: a guard
//!   .. = xs[b * 32 + i + 1]                 OB050: block 0, thread 31 of a launch with 32 elements
//! ```
//!
//! `traits` says which values hold still, `prove::reading` how expressions become polynomials (`index`), `prove` is the search,
//! `scope` and `facts` what is known at a place, `kept` what loops keep of it, `launch` what the launch checks do, `look` goes through a program,
//! `report` says what the author reads. `cut` and `rows` answer what the proofs of threads ask.

mod accesses;
mod as_long;
mod ask;
mod chunked;
mod columns;
mod cut;
mod early;
#[cfg(test)]
mod edge_tests;
mod facts;
mod kept;
#[cfg(test)]
mod kept_tests;
mod launch;
mod loads;
mod look;
#[cfg(test)]
mod matrix_tests;
mod narrow;
mod plain;
mod prove;
#[cfg(test)]
mod random_tests;
mod report;
mod require;
mod rows;
#[cfg(test)]
mod rule_tests;
mod scope;
mod steering;
mod traits;
mod trial;
mod tried;
mod vanish;
#[cfg(test)]
mod vanish_tests;

use std::convert::Infallible;

use crate::diag::{self, Diagnostic, Span};
use crate::passes::reserved;
use crate::passes::walk::{Kind, Touch, nested, reachable, touch};
use crate::program::scoped::{Around, Visitor};
use crate::program::{ArrayId, Block, Claim, Coordinate, Expr, ExprId, Program, Stmt, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};
use as_long::Waiting;
use ask::{Doubt, Guard, Question};
pub(crate) use columns::columns;
pub(crate) use cut::{Parts, cuts};
pub(crate) use early::{Asked, early};
use kept::Loops;
pub(crate) use launch::Launch;
use look::Variables;
pub use look::counted;
use prove::{Prover, ScopeId};
pub(crate) use report::shown;
pub(crate) use require::{Condition, Required};
pub(crate) use rows::{Row, rows};
use steering::steering;
use tried::{Kept, Trials};

/// Proves that every read and write is inside its array, without guards.
///
/// # Errors
/// `OB050` for the first access that may be out of range as far as the prover can tell.
pub fn check(program: &Program) -> diag::Result<()> {
    let found = unproved(program)?;
    let required = found.required.into_iter().map(|r| r.refusal).next();
    found.first.or(required).map_or(Ok(()), Err)
}

/// What could not be proved and can be guarded when the kernel runs: reads, atomic updates, writes in `unsafe`.
#[derive(Debug, Default)]
pub struct Unproved {
    /// Loads, each of which may be proved elsewhere; of those in a matrix the coordinates that are open, of others none.
    pub loads: HashMap<ExprId, Vec<Coordinate>>,
    /// Array and index of atomic updates, and of writes in `unsafe`.
    pub updates: HashSet<(ArrayId, ExprId)>,
    /// What is to be said of the first.
    pub first: Option<Box<Diagnostic>>,
    /// Accesses that are in range where the launch keeps a condition.
    pub required: Vec<Required>,
}

impl Unproved {
    /// What the launch is to be asked for, less what other conditions say too.
    pub(crate) fn conditions(&self) -> Vec<Condition> {
        let all: Vec<&Condition> = self.required.iter().flat_map(|r| &r.conditions).collect();
        let mut kept: Vec<&Condition> = Vec::new();
        for (i, &condition) in all.iter().enumerate() {
            let more = all.iter().any(|other| *other != condition && other.says(condition));
            if !more && !all[..i].contains(&condition) {
                kept.push(condition);
            }
        }
        kept.into_iter().cloned().collect()
    }
}

/// Finds every access that may be out of range as far as the prover can tell.
///
/// # Errors
/// `OB050` for all among them that no guard is for: a plain write outside `unsafe`; an index that
/// is made of positions and lengths only, since that is a mistake in the program and not in its data.
pub fn unproved(program: &Program) -> diag::Result<Unproved> {
    counted(program).0
}

struct Check<'p> {
    prover: Prover<'p>,
    variables: Variables,
    /// What more of variables some proof might have needed.
    missing: Variables,
    /// Expressions whose loads are proved, with the scope they are proved in: where these numbers of rounds are above zero, as the
    /// launch is asked for something there.
    done: HashMap<(ExprId, ScopeId), Vec<ExprId>>,
    /// Whether the loads that are looked at are proved by what the launch is asked for in the loops around, or by their going round.
    leans: bool,
    unproved: Unproved,
    /// The counters of loops whose bounds depend on no data.
    counters: HashSet<VarId>,
    /// The numbers of blocks, threads and rounds around a statement, where the launch knows them.
    extents: Vec<ExprId>,
    /// How many conditions that depend on data stand around a statement.
    doubtful: u32,
    /// Loops, conditions and values around a statement.
    around: Vec<Around>,
    /// What loops keep.
    loops: Loops,
    /// Variables of which it matters where they lie.
    steering: HashSet<VarId>,
    /// Accesses that are decided together.
    waiting: Vec<Waiting>,
    /// Accesses that have no proof of their own.
    doubts: Vec<Kept>,
    /// What the launch is not asked for, since it asks more than is needed.
    excessive: Vec<Condition>,
    /// The arrays that were asked about: whether atomic sums have reserved what is written of them.
    reserved: HashMap<ArrayId, bool>,
    trials: Trials,
    /// What is refused, in the order of the code.
    refused: Vec<Diagnostic>,
}

/// What a statement does to an element.
#[derive(Debug, Clone, Copy)]
enum Access {
    /// By this load.
    Read(ExprId),
    Write,
    Update,
}

impl Access {
    /// How many elements of an array it may touch.
    fn len(self, p: &Program, array: ArrayId) -> ExprId {
        match self {
            Access::Read(_) => p.array(array).readable(),
            Access::Write | Access::Update => p.array(array).len,
        }
    }
}

/// What is known at a place, and how much is around it.
#[derive(Debug, Clone, Copy)]
struct Scope {
    facts: ScopeId,
    around: usize,
    extents: usize,
    doubtful: u32,
    /// How much the loops around keep.
    kept: usize,
}

impl<'p> Visitor<'p> for Check<'p> {
    type Scope = Scope;
    type Stop = Infallible;

    /// A loop's later rounds see what its earlier ones set.
    fn begin(&mut self, stmt: &'p Stmt, scope: &Scope) -> Result<Option<Scope>, Infallible> {
        self.prover.budget.begin();
        if !is_loop(stmt) {
            return Ok(Some(*scope));
        }
        let (facts, kept) = self.known_through(stmt, scope.facts);
        self.loops.around.extend(kept);
        Ok(Some(self.scope(facts)))
    }

    fn evaluates(&mut self, stmt: &'p Stmt, e: ExprId, scope: &Scope) -> Result<(), Infallible> {
        self.prove_plainly(e, scope.facts);
        self.loads(e, scope.facts, stmt.span);
        Ok(())
    }

    fn enter(&mut self, around: Around, list: &'p Block, outer: &Scope) -> Result<Option<Scope>, Infallible> {
        let facts = match around {
            Around::Given { cond, truth } => {
                self.doubtful += u32::from(self.is_doubtful(cond));
                let facts = self.given(cond, truth, outer.facts);
                self.around.push(around);
                facts
            }
            Around::Count { end, .. } => {
                let facts = self.counted(around, list, outer.facts);
                self.around.push(around);
                self.extents.extend(self.prover.p.exprs.known_at_launch(end).then_some(end));
                self.doubtful += u32::from(self.is_doubtful(end));
                facts
            }
            Around::While { cond } => {
                self.doubtful += 1;
                self.given(cond, true, outer.facts)
            }
            Around::Head | Around::Is { .. } => outer.facts,
        };
        Ok(Some(self.scope(facts)))
    }

    fn leave(&mut self, around: Around, outer: &Scope, _: &Scope) {
        // What the head of a `while` binds is around its body.
        if around != Around::Head {
            self.around.truncate(outer.around);
        }
        self.extents.truncate(outer.extents);
        self.doubtful = outer.doubtful;
    }

    /// What follows a loop sees what that has set.
    fn end(&mut self, stmt: &'p Stmt, scope: Scope) -> Result<Scope, Infallible> {
        if let Some(touch) = touch(&stmt.kind) {
            self.touched(stmt, touch, scope.facts);
        }
        Ok(self.behind(stmt, scope))
    }
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::SeqFor { .. } | StmtKind::SeqWhile { .. })
}

impl<'p> Check<'p> {
    fn new(program: &'p Program, excessive: Vec<Condition>, variables: Variables) -> Check<'p> {
        let mut check = Check {
            prover: Prover::new(program),
            variables,
            missing: Variables::Ranges,
            done: HashMap::default(),
            leans: false,
            unproved: Unproved::default(),
            counters: HashSet::default(),
            extents: Vec::new(),
            doubtful: 0,
            around: Vec::new(),
            loops: Loops::default(),
            steering: steering(program),
            waiting: Vec::new(),
            doubts: Vec::new(),
            excessive,
            reserved: HashMap::default(),
            trials: Trials::new(),
            refused: Vec::new(),
        };
        check.find_counters(&program.body);
        check
    }

    /// Outer loops come first: what counts up to another counter depends on the data that this one depends on.
    fn find_counters(&mut self, body: &Block) {
        for stmt in body {
            let counter = match stmt.kind {
                StmtKind::SeqFor { var, start, end, .. } => Some((var, [start, end])),
                StmtKind::ForAll { var, n, .. } | StmtKind::DistrPar { var, n, .. } => Some((var, [n, n])),
                _ => None,
            };
            self.counters.extend(counter.and_then(|(var, bounds)| {
                let known = !bounds.into_iter().any(|bound| self.is_doubtful(bound));
                known.then_some(var)
            }));
            nested(&stmt.kind).for_each(|inner| self.find_counters(inner));
        }
    }

    /// What a statement itself touches is inside its array.
    fn touched(&mut self, stmt: &Stmt, touch: Touch, scope: ScopeId) {
        let Touch { array, index, kind, .. } = touch;
        let access = match kind {
            Kind::Atomic => Access::Update,
            Kind::Write => Access::Write,
            // The vectors of a later form.
            Kind::Read => return,
        };
        let question = Question::whole(self.prover.p, access, array, index);
        let Some(refusal) = self.outside(question, scope, stmt.span) else { return };
        // In `unsafe` the author answers for who writes there, and a sum that has reserved a place does so, but not for where that is.
        let answered = kind == Kind::Atomic || stmt.claim == Claim::Author || self.is_reserved(array);
        let guardable = answered && self.depends_on_data(index);
        let guard = if guardable { Guard::Given } else { Guard::No };
        self.ask(Doubt { question, guard, refusal }, scope);
    }

    /// Whether atomic sums have reserved all places of an array that are written (R32).
    fn is_reserved(&mut self, array: ArrayId) -> bool {
        let p = self.prover.p;
        *self.reserved.entry(array).or_insert_with(|| reserved::totals(p, array).is_some())
    }

    /// What is done inside something more.
    fn inside(&mut self, around: Around, work: impl FnOnce(&mut Self)) {
        let outside = self.around.len();
        self.around.push(around);
        work(self);
        self.around.truncate(outside);
    }

    /// An assertion is tested when the kernel runs, whatever is known of it.
    fn assertion(&mut self, read: ExprId, place: Span) {
        self.unproved.loads.entry(read).or_default();
        self.unproved.first.get_or_insert_with(|| {
            Box::new(
                Diagnostic::new("OB050", place, "an assertion cannot be tested here")
                    .note("how often a loop goes round is asked before its threads run")
                    .help("assert it before the loop, or in its body"),
            )
        });
    }

    /// Whether an index depends on what is in memory or in arguments.
    fn depends_on_data(&self, index: ExprId) -> bool {
        self.is_made_of(index, |expr| matches!(expr, Expr::Scalar(_))) || self.is_doubtful(index)
    }

    /// Whether a value depends on what is in memory: neither the launch nor the counters of loops tell it.
    fn is_doubtful(&self, e: ExprId) -> bool {
        self.is_made_of(e, |expr| match expr {
            Expr::Load(..) => true,
            Expr::Var(v) => !self.counters.contains(&v),
            _ => false,
        })
    }

    fn is_made_of(&self, e: ExprId, part: impl Fn(Expr) -> bool) -> bool {
        let exprs = &self.prover.p.exprs;
        reachable(exprs, [e], |_| false).into_iter().any(|e| part(exprs.expr(e)))
    }

    /// Whether the answer is yes for certain, in the loops around.
    fn is_below(&mut self, question: Question, scope: ScopeId) -> bool {
        if self.is_in_chunk(question.index, question.len) {
            return true;
        }
        if self.is_below_as_asked(question, scope) {
            return true;
        }
        self.prover.budget.begin();
        if self.prover.answers(scope, question) {
            return true;
        }
        // In vain, this takes no steps from the other questions.
        let left = self.prover.budget;
        let counted = self.with_counts(scope);
        if counted == scope {
            return false;
        }
        self.prover.budget.begin();
        if !self.prover.answers(counted, question) {
            self.prover.budget = left;
            return false;
        }
        self.leans = true;
        true
    }

    /// What is wrong with an access that is not proved.
    fn outside(&mut self, question: Question, scope: ScopeId, span: Span) -> Option<Box<Diagnostic>> {
        let proved = self.is_below(question, scope);
        let refusal = (!proved).then(|| report::refuse(self.prover.p, question, span))?;
        if self.is_made_of(question.index, |expr| matches!(expr, Expr::Var(v) if !self.counters.contains(&v))) {
            self.missing = Variables::Kept;
        }
        if self.prover.budget.given_up() {
            let known = self.prover.facts(scope).len();
            return Some(Box::new(refusal.note(report::what_grew(self.prover.p, question.index, known))));
        }
        Some(refusal)
    }
}
