//! Subscripts of buffers, in 64 bits where the dialect wants that and ranges prove that nothing wraps in 32: a compiler that
//! makes vectors of neighbouring items then sees that they touch neighbouring elements. Decides no value.

use super::Printer;
use super::expr::infix;
use super::spelling::Text;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, Range, ScalarType, Space, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// Variables of 32 bits that are declared with 64, as subscripts are computed from them.
#[derive(Default)]
pub(super) struct Wide(HashSet<VarId>);

impl Wide {
    /// Those of a program.
    pub(super) fn of(p: &Program) -> Wide {
        let (mut values, mut roots, mut open) = (HashMap::default(), Vec::new(), Vec::new());
        gather(p, &p.body, &mut values, &mut roots, &mut open);
        for id in walk::reachable(&p.exprs, roots, |_| false) {
            if let Expr::Load(array, index) = p.exprs.expr(id)
                && is_buffer(p, array)
            {
                open.push(index);
            }
        }
        let mut wide = HashSet::default();
        while let Some(id) = open.pop() {
            match p.exprs.expr(id) {
                Expr::Var(v) => {
                    let sum = values.get(&v).filter(|&&value| is_sum(p, value));
                    open.extend(sum.filter(|_| wide.insert(v)));
                }
                e if is_sum(p, id) => open.extend(walk::operands(e)),
                _ => {}
            }
        }
        Wide(wide)
    }

    pub(super) fn contains(&self, var: VarId) -> bool {
        self.0.contains(&var)
    }
}

/// Named values, what statements evaluate, and the subscripts by which they write.
fn gather(
    p: &Program,
    list: &Block,
    values: &mut HashMap<VarId, ExprId>,
    roots: &mut Vec<ExprId>,
    written: &mut Vec<ExprId>,
) {
    for stmt in list {
        roots.extend(walk::direct(&stmt.kind));
        if let StmtKind::Let { var, value } = &stmt.kind {
            values.insert(*var, *value);
        }
        let in_buffer = walk::touch(&stmt.kind).filter(|touch| is_buffer(p, touch.array));
        written.extend(in_buffer.map(|touch| touch.index));
        walk::nested(&stmt.kind).for_each(|body| gather(p, body, values, roots, written));
    }
}

fn is_buffer(p: &Program, array: ArrayId) -> bool {
    matches!(p.array(array).space, Space::Global(_))
}

/// Whether this is a sum or a product of 32 bits that does not wrap: its range says so.
fn is_sum(p: &Program, id: ExprId) -> bool {
    let sums = matches!(p.exprs.expr(id), Expr::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..));
    let ty = p.exprs.ty(id);
    sums && ty == ScalarType::U32 && !Range::full(ty).within(p.exprs.range(id))
}

impl Printer<'_> {
    /// A subscript of an array.
    pub(super) fn subscript(&mut self, array: ArrayId, index: ExprId) -> String {
        let wide = self.dialect.subscripts == ScalarType::U64 && is_buffer(self.p, array) && self.is_wide(index);
        if wide { self.wide(index).code } else { self.code(index) }
    }

    /// Whether an expression is computed in 64 bits.
    fn is_wide(&self, id: ExprId) -> bool {
        match self.p.exprs.expr(id) {
            Expr::Var(v) => self.declared_wide(v),
            _ => is_sum(self.p, id),
        }
    }

    /// Whether a variable of 32 bits is declared with 64.
    pub(super) fn declared_wide(&self, var: VarId) -> bool {
        let found = || if self.dialect.subscripts == ScalarType::U64 { Wide::of(self.p) } else { Wide::default() };
        self.found_wide.get_or_init(found).contains(var)
    }

    /// The value in 64 bits: one operand of each sum has as many, the other follows.
    pub(super) fn wide(&mut self, id: ExprId) -> Text {
        match self.p.exprs.expr(id) {
            Expr::Var(v) if self.declared_wide(v) => Text::primary(self.names.var(v)),
            Expr::Bin(op, a, b) if is_sum(self.p, id) => {
                let (a_follows, b_follows) = (self.is_wide(b) && !self.is_wide(a), !self.is_wide(b));
                let a = if a_follows { self.expr(a) } else { self.wide(a) };
                let b = if b_follows { self.expr(b) } else { self.wide(b) };
                infix(op, a, b)
            }
            _ => self.expr(id).cast(self.dialect, ScalarType::U64),
        }
    }
}
