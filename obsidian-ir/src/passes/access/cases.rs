//! The cases in which a site happens: conditions that are not known while compiling, of the branches around it.

use super::site::{CaseId, Kind, Sure};
use super::sites::Sites;
use crate::passes::index::Sum;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Claim, Expr, ExprId, ParamKind, Program, ScalarType, Space, Stmt};
use crate::tables::HashSet;

/// A condition, and whether it holds.
pub(crate) type Condition = (ExprId, bool);

/// Conditions of one case, at most.
const MAX_CONDITIONS: usize = 6;

impl Sites<'_> {
    /// All that must hold for a site to happen; `None` where more must, which is not known.
    pub(crate) fn conditions(&self, sure: Sure) -> Option<Vec<Condition>> {
        match sure {
            Sure::Always => Some(Vec::new()),
            Sure::If(cond) => Some(vec![(cond, true)]),
            Sure::Unless(cond) => Some(vec![(cond, false)]),
            Sure::Case(id) => Some(self.cases[id.0 as usize].clone()),
            Sure::Perhaps => None,
        }
    }

    /// What is sure as `sure` where a condition around it holds, or does not.
    pub(crate) fn given(&mut self, (cond, truth): Condition, sure: Sure) -> Sure {
        self.note_compared(cond);
        match (self.conditions(sure), truth) {
            (None, _) => Sure::Perhaps,
            (Some(rest), true) if rest.is_empty() => Sure::If(cond),
            (Some(rest), false) if rest.is_empty() => Sure::Unless(cond),
            (Some(rest), _) if rest.len() >= MAX_CONDITIONS => Sure::Perhaps,
            (Some(mut all), _) => {
                all.push((cond, truth));
                let known = self.cases.iter().position(|case| *case == all);
                let id = known.unwrap_or_else(|| {
                    self.cases.push(all);
                    self.cases.len() - 1
                });
                Sure::Case(CaseId(id as u32))
            }
        }
    }

    /// What a number that a condition compares with a limit is, in the lanes of the loops around the condition.
    pub(crate) fn compared(&self, number: ExprId) -> Option<&Sum> {
        self.compared.get(&number)
    }

    fn note_compared(&mut self, cond: ExprId) {
        for (number, _) in below(self.p, cond) {
            match self.eval.value(&self.p.exprs, number) {
                Some(value) => self.compared.insert(number, value),
                None => self.compared.remove(&number),
            };
        }
    }

    /// All that expressions are made of, through the names of values too.
    pub(crate) fn made_of(&self, exprs: &[ExprId]) -> Vec<ExprId> {
        let named = |e: ExprId| match self.p.exprs.expr(e) {
            Expr::Var(var) => self.lets.get(&var).copied(),
            _ => None,
        };
        let (mut all, mut todo) = (Vec::new(), exprs.to_vec());
        let mut seen = crate::tables::HashSet::default();
        while let Some(e) = todo.pop() {
            if seen.insert(e) {
                all.push(e);
                todo.extend(named(e));
                todo.extend(walk::operands(self.p.exprs.expr(e)));
            }
        }
        all
    }

    /// Whether an expression is the name of a value.
    pub(crate) fn is_name(&self, e: ExprId) -> bool {
        matches!(self.p.exprs.expr(e), Expr::Var(var) if self.lets.contains_key(&var))
    }
}

/// Whether an expression has one value wherever it is asked for in a round of the loops around it: it reads nothing but inputs, and arrays that
/// are `fixed` there.
pub(crate) fn is_fixed(p: &Program, e: ExprId, fixed: impl Fn(ArrayId) -> bool) -> bool {
    walk::reachable(&p.exprs, [e], |_| false).into_iter().all(|id| match p.exprs.expr(id) {
        Expr::Load(array, _) => match p.array(array).space {
            Space::Global(param) => matches!(p.param(param).kind, ParamKind::Input { .. }),
            _ => fixed(array),
        },
        Expr::Var(var) => !p.var(var).mutable,
        _ => true,
    })
}

/// The arrays that statements write, as far as the author of a write is `of`.
pub(super) fn written(list: &[Stmt], of: impl Fn(Kind, Claim) -> bool) -> HashSet<ArrayId> {
    let mut found = HashSet::default();
    walk::each(list, &mut |stmt| {
        found.extend(walk::touch(&stmt.kind).filter(|touch| of(touch.kind, stmt.claim)).map(|touch| touch.array));
    });
    found
}

/// The comparisons `number < limit` of which a condition is made, and no others; none where there are others.
pub(crate) fn below(p: &Program, cond: ExprId) -> Vec<(ExprId, ExprId)> {
    let (mut all, mut todo) = (Vec::new(), vec![cond]);
    while let Some(e) = todo.pop() {
        match p.exprs.expr(e) {
            Expr::Bin(BinOp::And, a, b) => todo.extend([a, b]),
            Expr::Bin(BinOp::Lt, a, b) if p.exprs.ty(a) == ScalarType::U32 => all.push((a, b)),
            Expr::Bin(BinOp::Gt, b, a) if p.exprs.ty(a) == ScalarType::U32 => all.push((a, b)),
            _ => return Vec::new(),
        }
    }
    all
}
