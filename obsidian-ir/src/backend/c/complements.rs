//! Whether one of two integers is the other's complement: of these two, compilers get the lesser and the greater wrong (the
//! runtime's `opencl::defects`), so they are compared. Decides no value.

use super::Printer;
use crate::passes::walk;
use crate::program::{BinOp, Const, Expr, ExprId, Program, StmtKind, UnOp, VarId};
use crate::tables::HashMap;

/// What names stand for.
#[derive(Default)]
pub(super) struct Named(HashMap<VarId, ExprId>);

impl Named {
    /// Those of a program.
    pub(super) fn of(p: &Program) -> Named {
        let mut named = HashMap::default();
        walk::each(&p.body, &mut |stmt| {
            if let StmtKind::Let { var, value } = stmt.kind {
                named.insert(var, value);
            }
        });
        Named(named)
    }
}

impl Printer<'_> {
    /// Whether one of two integers is computed as the complement of the other.
    pub(super) fn are_complements(&self, a: ExprId, b: ExprId) -> bool {
        let (a, b) = (self.behind_names(a), self.behind_names(b));
        self.complemented(a) == Some(b) || self.complemented(b) == Some(a)
    }

    /// What an expression is, where it is only a name.
    fn behind_names(&self, mut id: ExprId) -> ExprId {
        let named = &self.found_named.get_or_init(|| Named::of(self.p)).0;
        while let Expr::Var(var) = self.p.exprs.expr(id)
            && let Some(&value) = named.get(&var)
        {
            id = value;
        }
        id
    }

    /// What this is the complement of, if it is one.
    fn complemented(&self, id: ExprId) -> Option<ExprId> {
        let exprs = &self.p.exprs;
        let ones = |id: ExprId| match exprs.expr(id) {
            Expr::Const(Const { ty, bits }) => bits == u64::MAX >> (64 - ty.bits()),
            _ => false,
        };
        let of = match exprs.expr(id) {
            Expr::Un(UnOp::Not, x) => x,
            Expr::Bin(BinOp::Xor, x, k) | Expr::Bin(BinOp::Xor | BinOp::Sub, k, x) if ones(k) => x,
            _ => return None,
        };
        Some(self.behind_names(of))
    }
}
