//! What is stored as the rows of a matrix: a load tells its row and its column, and each of the two must be inside.

use super::Stage;
use super::value::{Pull, Value};
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Coordinate, ExprId, Side};

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
}

/// A value that can only be one is that number: the place in the whole does not depend on its variables, and the row must not either.
fn decided(s: &mut Stage, e: ExprId) -> ExprId {
    let range = s.p.exprs.range(e);
    match u32::try_from(range.lo) {
        Ok(value) if range.lo == range.hi => s.u32(value),
        _ => e,
    }
}
