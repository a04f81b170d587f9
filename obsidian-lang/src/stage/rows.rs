//! What is stored as the rows of a matrix: a load tells its row and its column, and each of the two must be inside.

use super::Stage;
use super::value::{Pull, Value};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{ArrayId, BinOp, Coordinate, Expr, ExprId, Param, ParamId, ParamKind, Side};

impl Stage {
    /// `rows` rows of `cols` elements, one after the other in what `load` reads.
    pub(super) fn rows_of(
        rows: ExprId,
        cols: ExprId,
        load: impl Fn(&mut Stage, ExprId) -> Result<Value> + Clone + 'static,
    ) -> Pull {
        Pull::new(rows, move |s, r| {
            let r = decided(s, r);
            let first = s.bin(BinOp::Mul, r, cols);
            let load = load.clone();
            Ok(Value::Pull(Pull::new(cols, move |s, c| {
                let c = decided(s, c);
                let at = s.bin(BinOp::Add, first, c);
                let element = load(s, at)?;
                let row = Coordinate { side: Side::Rows, at: r, len: rows };
                let column = Coordinate { side: Side::Columns, at: c, len: cols };
                for load in element.leaves(s)? {
                    s.p.exprs.coordinates.note(load, [row, column]);
                }
                Ok(element)
            })))
        })
    }

    /// The buffer whose elements the rows of a matrix are, one after the other, and the number of columns, where an argument or what a
    /// launch has stored is that.
    pub(super) fn stored_rows(&mut self, m: &Pull) -> Result<Option<(ParamId, ExprId)>> {
        let (_, r) = self.index_var("r", m.len);
        let (code, found) = self.capture(|s| {
            s.under(Level::Thread, |s| {
                let Value::Pull(row) = (m.get)(s, r)? else { return Ok(None) };
                let (_, c) = s.index_var("c", row.len);
                let begin = s.bin(BinOp::Mul, r, row.len);
                let at = s.bin(BinOp::Add, begin, c);
                let element = (row.get)(s, c)?;
                Ok(element.leaves(s).ok().map(|leaves| (row.len, leaves, at)))
            })
        })?;
        let Some((cols, leaves, at)) = found.filter(|_| code.is_empty()) else { return Ok(None) };
        let loaded = leaves.iter().map(|&leaf| match self.p.exprs.expr(leaf) {
            Expr::Load(array, index) if index == at => Some(array),
            _ => None,
        });
        let Some(loaded) = loaded.collect::<Option<Vec<ArrayId>>>() else { return Ok(None) };
        let all = self.bin(BinOp::Mul, m.len, cols);
        let holds_all = |param: &Param| match &param.kind {
            ParamKind::Output { arrays, len } => *arrays == loaded && *len == all,
            ParamKind::Input { arrays, .. } => {
                *arrays == loaded && arrays.iter().all(|&array| self.is_product(self.p.array(array).len, all))
            }
            _ => false,
        };
        let whole = self.p.params.iter().position(holds_all);
        Ok(whole.map(|at| (ParamId(at as u32), cols)))
    }

    /// Whether the launch tests that a length is this product.
    fn is_product(&self, len: ExprId, product: ExprId) -> bool {
        self.p.checks.iter().any(|check| self.p.exprs.expr(check.cond) == Expr::Bin(BinOp::Eq, product, len))
    }
}

/// A value that can only be one is that number: the place in the whole does not depend on its variables, and the row must not either.
fn decided(s: &mut Stage, e: ExprId) -> ExprId {
    let range = s.p.exprs.range(e);
    match u32::try_from(range.lo) {
        Ok(value) if range.lo == range.hi => s.u32(value),
        _ => e,
    }
}
