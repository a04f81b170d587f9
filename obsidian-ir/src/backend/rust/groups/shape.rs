//! What the values of a phase are in a group of lanes: found before it is printed, variable by variable.

use super::Phase;
use super::affine::{Affine, Term};
use crate::backend::rust::expr::is_exact;
use crate::passes::walk::{each, operands, reachable};
use crate::program::{BinOp, Block, Expr, ExprId, Exprs, Program, ScalarType, Space, StmtKind, UnOp, VarId};
use crate::tables::{HashMap, HashSet};

/// A value in the lanes of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// The same in all lanes.
    Uniform,
    /// A `u32` at constant distances from lane 0's.
    Steps(Affine),
    /// A truth value: bit `l` says whether it holds in lane `l`, of every group.
    Known(u64),
    /// Anything.
    Varying,
}

/// Whether the lanes of a group run together, or some run and others do not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Together,
    Apart,
}

/// The shapes of a phase's values.
pub(super) struct Shapes<'a> {
    p: &'a Program,
    lanes: usize,
    /// The instance that runs, of each phase.
    threads: Vec<VarId>,
    /// Of variables that the phase binds.
    vars: HashMap<VarId, Shape>,
    /// What each `Let` of the phase binds.
    lets: HashMap<VarId, ExprId>,
    /// Counters of loops that are printed round by round.
    fixed: HashMap<VarId, u32>,
    /// Variables that are others in each round of such a loop.
    of_rounds: HashSet<VarId>,
    /// Mutable variables that differ between lanes.
    varying: HashSet<VarId>,
    found: HashMap<ExprId, Shape>,
    /// Numbers that are the same in all lanes, of whose parts more is known.
    even: HashMap<ExprId, Affine>,
}

impl<'a> Shapes<'a> {
    /// The shapes of phases whose instances are `threads`, in groups of `lanes` lanes.
    pub fn of(p: &'a Program, lanes: usize, phases: &[Phase<'_>]) -> Shapes<'a> {
        let mut shapes = Shapes {
            p,
            lanes,
            threads: phases.iter().map(|phase| phase.var).collect(),
            vars: HashMap::default(),
            lets: HashMap::default(),
            fixed: HashMap::default(),
            of_rounds: HashSet::default(),
            varying: HashSet::default(),
            found: HashMap::default(),
            even: HashMap::default(),
        };
        // A variable that turns out to vary makes others vary; each round finds one at least, or is the last.
        loop {
            let before = shapes.varying.len();
            shapes.vars.clear();
            shapes.found.clear();
            shapes.even.clear();
            phases.iter().for_each(|phase| shapes.bind(phase.body, Run::Together));
            if shapes.varying.len() == before {
                return shapes;
            }
        }
    }

    /// From now on a loop's counter is `k`, in its body too.
    pub fn fix(&mut self, counter: VarId, k: u32, body: &Block) {
        self.fixed.insert(counter, k);
        self.of_rounds.insert(counter);
        each(body, &mut |stmt| match &stmt.kind {
            StmtKind::Let { var, .. }
            | StmtKind::Local { var, .. }
            | StmtKind::Set { var, .. }
            | StmtKind::SeqFor { var, .. } => drop(self.of_rounds.insert(*var)),
            _ => {}
        });
        self.found.clear();
        self.even.clear();
        self.bind(body, Run::Together);
    }

    /// Whether what lanes share of a number is the same in every round of the loops that are printed round by round.
    pub fn stays(&self, at: &Affine) -> bool {
        let mut shared =
            at.terms.iter().filter_map(|(term, _)| if let Term::Of(e, _) = term { Some(*e) } else { None });
        !shared.any(|e| self.is_of_rounds(e))
    }

    /// Whether a number may be another one in another of the rounds that are printed one by one.
    fn is_of_rounds(&self, e: ExprId) -> bool {
        let changes = |e: &ExprId| matches!(self.p.exprs.expr(*e), Expr::Var(v) if self.of_rounds.contains(&v));
        !self.of_rounds.is_empty() && reachable(&self.p.exprs, [e], |_| false).iter().any(changes)
    }

    /// A loop's counter is any number again.
    pub fn free(&mut self, counter: VarId) {
        self.fixed.remove(&counter);
        self.found.clear();
        self.even.clear();
    }

    /// The shape of a variable that the phase binds or changes.
    pub fn var(&self, v: VarId) -> Shape {
        if self.varying.contains(&v) {
            return Shape::Varying;
        }
        self.vars.get(&v).cloned().unwrap_or(Shape::Uniform)
    }

    fn bind(&mut self, body: &Block, run: Run) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Let { var, value } => {
                    let shape = self.shape(*value);
                    self.lets.insert(*var, *value);
                    self.vars.insert(*var, shape);
                }
                StmtKind::Local { var, init: Some(value) } => self.change(*var, *value, Run::Together),
                StmtKind::Set { var, value } => self.change(*var, *value, run),
                StmtKind::If { cond, then, els } => {
                    let run = self.under(run, *cond);
                    self.bind(then, run);
                    self.bind(els, run);
                }
                StmtKind::SeqWhile { head, cond, body } => {
                    self.bind(head, run);
                    let inside = self.under(run, *cond);
                    if inside != run {
                        self.bind(head, inside);
                    }
                    self.bind(body, inside);
                }
                StmtKind::SeqFor { var, start, end, step, body } => {
                    let even = [start, end, step].into_iter().all(|e| self.shape(*e) == Shape::Uniform);
                    self.vars.insert(*var, if even { Shape::Uniform } else { Shape::Varying });
                    self.bind(body, run);
                }
                _ => {}
            }
        }
    }

    /// What follows a condition.
    fn under(&mut self, run: Run, cond: ExprId) -> Run {
        if self.shape(cond) == Shape::Uniform { run } else { Run::Apart }
    }

    fn change(&mut self, var: VarId, value: ExprId, run: Run) {
        if run == Run::Apart || self.shape(value) != Shape::Uniform {
            self.varying.insert(var);
        }
    }

    /// The shape of an expression, all variables of which are bound.
    pub fn shape(&mut self, e: ExprId) -> Shape {
        if let Some(shape) = self.found.get(&e) {
            return shape.clone();
        }
        let shape = self.find(e);
        self.found.insert(e, shape.clone());
        shape
    }

    fn find(&mut self, e: ExprId) -> Shape {
        let expr = self.p.exprs.expr(e);
        match expr {
            Expr::Var(v) if self.threads.contains(&v) => return Shape::Steps(Affine::thread(self.lanes)),
            Expr::Var(v) => return self.var(v),
            Expr::Special(_) => return Shape::Varying,
            // Each lane has its own.
            Expr::Load(array, _) if self.p.array(array).space == Space::Local => return Shape::Varying,
            _ => {}
        }
        if operands(expr).all(|operand| self.shape(operand) == Shape::Uniform) {
            return Shape::Uniform;
        }
        let shape = match expr {
            Expr::Un(UnOp::Not, a) => match self.shape(a) {
                Shape::Known(bits) => Some(Shape::Known(!bits & self.all())),
                _ => None,
            },
            Expr::Bin(op, a, b) if self.p.exprs.ty(a) == ScalarType::Bool => self.of_truths(op, a, b),
            Expr::Bin(op, a, b) if op.is_comparison() => self.compared(op, a, b),
            Expr::Bin(op, a, b) if is_exact(&self.p.exprs, e) => self.number(e, op, a, b).map(|number| {
                if !number.is_even() {
                    return Shape::Steps(number);
                }
                self.even.insert(e, number);
                Shape::Uniform
            }),
            _ => None,
        };
        shape.unwrap_or(Shape::Varying)
    }

    /// Whether an expression takes bits out of a number that differs between lanes, and yet is known in each: what hides from LLVM
    /// that an index is contiguous, or the same in all lanes.
    pub fn picks_bits(&mut self, e: ExprId) -> bool {
        use BinOp::{And, Div, Or, Rem, Shr, Xor};
        let Expr::Bin(And | Div | Or | Rem | Shr | Xor, a, _) = self.p.exprs.expr(e) else { return false };
        matches!(self.shape(a), Shape::Steps(_)) && self.shape(e) != Shape::Varying
    }

    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.lanes)
    }

    fn of_truths(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<Shape> {
        let (Shape::Known(a), Shape::Known(b)) = (self.shape(a), self.shape(b)) else { return None };
        let bits = match op {
            BinOp::And | BinOp::Min => a & b,
            BinOp::Or | BinOp::Max => a | b,
            BinOp::Xor | BinOp::Ne => a ^ b,
            BinOp::Eq => !(a ^ b),
            _ => return None,
        };
        Some(Shape::Known(bits & self.all()))
    }

    fn compared(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<Shape> {
        let (a, b) = (self.affine(a)?, self.affine(b)?);
        let minus_one = Affine::constant(self.lanes, -1);
        let less = a.plus(&b.scaled(-1));
        let (found, negated) = match op {
            BinOp::Eq => (less.is_zero(), false),
            BinOp::Ne => (less.is_zero(), true),
            BinOp::Lt => (less.is_negative(), false),
            BinOp::Ge => (less.is_negative(), true),
            BinOp::Le => (less.plus(&minus_one).is_negative(), false),
            _ => (less.plus(&minus_one).is_negative(), true),
        };
        Some(match found? {
            Ok(bits) => Shape::Known(if negated { !bits & self.all() } else { bits }),
            Err(()) => Shape::Uniform,
        })
    }

    /// The lanes' numbers, where the expression is a `u32` of which that is known.
    pub fn affine(&mut self, e: ExprId) -> Option<Affine> {
        let exprs = &self.p.exprs;
        if exprs.ty(e) != ScalarType::U32 {
            return None;
        }
        let constant = exprs.as_u32(e).or_else(|| match exprs.expr(e) {
            Expr::Var(v) => self.fixed.get(&v).copied(),
            _ => None,
        });
        match self.shape(e) {
            Shape::Steps(affine) => Some(affine),
            Shape::Uniform => Some(match constant {
                Some(k) => Affine::constant(self.lanes, k.into()),
                None => match (self.even.get(&e), self.bound(e)) {
                    (Some(even), _) => even.clone(),
                    (None, Some(value)) => self.affine(value)?,
                    _ => self.of_group(e).unwrap_or_else(|| Affine::shared(self.lanes, e, self.low_zeros(e))),
                },
            }),
            Shape::Known(_) | Shape::Varying => None,
        }
    }

    /// What lanes share, if it follows from the number of their group, or is something else that they share and a number more, as of a round.
    fn of_group(&mut self, e: ExprId) -> Option<Affine> {
        let Expr::Bin(op, a, b) = self.p.exprs.expr(e) else { return None };
        let number = is_exact(&self.p.exprs, e).then(|| self.number(e, op, a, b))??;
        let of_group = number.terms.is_empty() || number.terms.iter().any(|(term, _)| *term == Term::Group);
        let moved = op == BinOp::Add && [a, b].iter().any(|e| self.affine(*e).is_some_and(|at| at.terms.is_empty()));
        let follows = number.is_even() && (of_group || moved || self.is_of_rounds(e));
        follows.then(|| self.even.entry(e).or_insert(number).clone())
    }

    /// What a variable is bound to.
    fn bound(&self, e: ExprId) -> Option<ExprId> {
        let Expr::Var(v) = self.p.exprs.expr(e) else { return None };
        self.lets.get(&v).copied()
    }

    /// An exact operation on `u32`.
    fn number(&mut self, e: ExprId, op: BinOp, a: ExprId, b: ExprId) -> Option<Affine> {
        let (constant, most) = (self.p.exprs.as_u32(b), u32::try_from(self.p.exprs.range(a).hi).ok()?);
        let (x, y) = (self.affine(a)?, self.affine(b)?);
        let power = constant.filter(|k| k.is_power_of_two());
        match op {
            BinOp::Add => Some(x.plus(&y)),
            BinOp::Sub => Some(x.plus(&y.scaled(-1))),
            BinOp::Mul => Some(x.scaled(constant?.into())),
            BinOp::Shl => Some(x.scaled(1 << constant.filter(|k| *k < 32)?)),
            BinOp::Shr => x.shifted(constant?, e),
            BinOp::Div => x.shifted(power?.trailing_zeros(), e),
            BinOp::And => x.masked(constant?, most, e),
            BinOp::Rem => x.masked(power? - 1, most, e),
            BinOp::Xor => x.set(constant?, e, |at, k| at ^ k),
            BinOp::Or => x.set(constant?, e, |at, k| at | k),
            _ => None,
        }
    }

    /// A number of low bits that are zero.
    fn low_zeros(&self, e: ExprId) -> u32 {
        let exprs: &Exprs = &self.p.exprs;
        match exprs.expr(e) {
            Expr::Const(c) => (c.bits as u32).trailing_zeros(),
            Expr::Var(v) => self.lets.get(&v).map_or(0, |value| self.low_zeros(*value)),
            // Where it wraps, the low bits are right.
            Expr::Bin(BinOp::Mul, a, b) => self.low_zeros(a).saturating_add(self.low_zeros(b)).min(31),
            Expr::Bin(BinOp::Add | BinOp::Sub, a, b) => self.low_zeros(a).min(self.low_zeros(b)),
            Expr::Bin(BinOp::Shl, a, b) => self.low_zeros(a).saturating_add(exprs.as_u32(b).unwrap_or(0) & 31).min(31),
            _ => 0,
        }
    }
}
