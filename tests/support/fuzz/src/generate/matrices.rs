//! Matrices as arguments, and outputs made of them.

use super::Gen;
use super::operators::Order;
use crate::ast::{Border, Expr, InMatrix, Input, Op, Source};
use crate::types::Ty;
use obsidian_ir::program::ScalarType;

impl Gen {
    /// One more argument, a matrix, and what a grid makes of it: after all other outputs, or instead of them.
    pub(super) fn with_matrix(&mut self, inputs: &mut Vec<Input>, outputs: &mut Vec<Expr>) {
        self.fuel = 26;
        let (var, fields) = (self.fresh(), self.fields());
        let rows = 1 + self.random.below(9);
        let cols = if self.random.one_in(3) { 1 + self.random.below(70) } else { 1 + self.random.below(9) };
        let input = Input { var, fields, source: Source::Matrix(rows, cols), below: None };
        if self.random.one_in(2) {
            outputs.clear();
        }
        outputs.push(self.of_matrix(&input, inputs, (rows, cols)));
        inputs.push(input);
    }

    /// What a grid makes of a matrix; a number that it needs for that is one more argument.
    fn of_matrix(&mut self, input: &Input, others: &mut Vec<Input>, (rows, cols): (u32, u32)) -> Expr {
        let elem = Ty::of_fields(&input.fields);
        let what = match self.random.below(10) {
            0 => InMatrix::Mapped,
            1 => InMatrix::Transposed,
            2 => InMatrix::Turned,
            3 => {
                let parts = |g: &mut Gen, n: u32| {
                    let front = g.random.below(n);
                    (front, g.random.below(n - front))
                };
                let ((r0, r1), (c0, c1)) = (parts(self, rows), parts(self, cols));
                InMatrix::Inner([r0, c0], [r1, c1])
            }
            4 | 5 => {
                let border = self.random.pick(&Border::ALL);
                InMatrix::Stencil(border, self.random.below(3).min(rows - 1), self.random.below(3).min(cols - 1))
            }
            6 => InMatrix::Rows,
            7 => self.random.pick(&[InMatrix::Folded, InMatrix::FoldedColumns]),
            8 => self.random.pick(&[InMatrix::Row, InMatrix::Column]),
            _ => InMatrix::Tiles(1 + self.random.below(rows + 2), 1 + self.random.below(cols + 2)),
        };
        let mut args = vec![Expr::var(input.var)];
        match what {
            InMatrix::Transposed | InMatrix::Turned | InMatrix::Inner(..) | InMatrix::Rows => {}
            InMatrix::Row | InMatrix::Column => {
                let number = Input {
                    var: self.fresh(),
                    fields: vec![ScalarType::U32],
                    source: Source::Scalar,
                    below: Some(if what == InMatrix::Row { rows } else { cols }),
                };
                args.push(Expr::var(number.var));
                others.push(number);
            }
            InMatrix::Mapped => {
                let to = self.elem();
                args.push(self.function(std::slice::from_ref(&elem), &to, 2));
            }
            InMatrix::Stencil(border, up, left) => {
                let (window, to) = (Ty::pull(elem.clone(), (2 * up + 1) * (2 * left + 1)), self.elem());
                args.push(self.closure(&[window], |g| g.data(&to, 2)));
                args.extend((border == Border::Fill).then(|| self.leaf(&elem)));
            }
            InMatrix::Folded | InMatrix::FoldedColumns => args.push(self.operator(&elem, Order::Kept)),
            InMatrix::Tiles(..) => args.extend([self.operator(&elem, Order::Kept), self.leaf(&elem)]),
        }
        Expr::new(Op::Matrix(what), args)
    }
}
