//! The types of what a grid makes of a matrix.

use obsidian_ir::level::Level;

use super::{Scope, Ty, Types, U32};
use crate::ast::{Border, Expr, InMatrix, Known};

impl Ty {
    /// A matrix, whose rows and columns are known at launch.
    pub fn matrix(elem: Ty, rows: u32, cols: u32) -> Ty {
        let row = Ty::Pull(Box::new(elem), cols, Known::AtLaunch);
        Ty::Pull(Box::new(row), rows, Known::AtLaunch)
    }

    fn as_matrix(&self) -> Option<(Ty, u32, u32)> {
        let Ty::Pull(row, rows, Known::AtLaunch) = self else { return None };
        let Ty::Pull(elem, cols, Known::AtLaunch) = &**row else { return None };
        Some(((**elem).clone(), *rows, *cols))
    }
}

impl<'k> Types<'k> {
    /// The grid's matrix or array over a matrix.
    pub(super) fn of_matrix(&self, what: InMatrix, args: &'k [Expr], scope: &Scope<'k>) -> Option<Ty> {
        let (elem, rows, cols) = self.ty(&args[0], scope, None)?.as_matrix()?;
        let written = |elem: Ty, rows: u32, cols: u32| {
            let row = Ty::Pull(Box::new(elem.clone()), cols, Known::AtLaunch);
            elem.is_data().then(|| Ty::Push(Level::Grid, Box::new(row), rows, Known::AtLaunch))
        };
        let folds = || Some(self.apply(&args[1], scope, None, vec![elem.clone(), elem.clone()])? == elem);
        let list = |n: u32| Ty::Push(Level::Grid, Box::new(elem.clone()), n, Known::AtLaunch);
        match what {
            InMatrix::Mapped => written(self.apply(&args[1], scope, None, vec![elem])?, rows, cols),
            InMatrix::Transposed => written(elem, cols, rows),
            InMatrix::Turned | InMatrix::Rows => written(elem, rows, cols),
            InMatrix::Inner([r, c], [more_r, more_c]) => {
                written(elem, rows.checked_sub(r + more_r)?, cols.checked_sub(c + more_c)?)
            }
            InMatrix::Stencil(border, up, left) => {
                let fill = border == Border::Fill;
                if fill && self.ty(&args[2], scope, None)? != elem
                    || border == Border::Mirror && (up >= rows || left >= cols)
                {
                    return None;
                }
                let window = Ty::pull(elem, (2 * up + 1) * (2 * left + 1));
                written(self.apply(&args[1], scope, None, vec![window])?, rows, cols)
            }
            InMatrix::Folded => (folds()? && cols > 0).then(|| list(rows)),
            InMatrix::FoldedColumns => (folds()? && rows > 0).then(|| list(cols)),
            InMatrix::Row => (self.ty(&args[1], scope, None)? == U32).then(|| list(cols)),
            InMatrix::Column => (self.ty(&args[1], scope, None)? == U32).then(|| list(rows)),
            InMatrix::Tiles(h, w) if h > 0 && w > 0 => {
                let fits = folds()? && self.ty(&args[2], scope, None)? == elem;
                written(elem, rows.div_ceil(h), cols.div_ceil(w)).filter(|_| fits)
            }
            InMatrix::Tiles(..) => None,
        }
    }
}
