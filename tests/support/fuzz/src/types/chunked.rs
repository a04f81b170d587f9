//! The types of what a grid makes of an array's chunks, and of what launches make of arrays.

use obsidian_ir::level::Level;

use super::{Ambient, BOOL, Scope, Ty, Types};
use crate::ast::{Cut, Expr, InChunk, Known, Launched};

impl<'k> Types<'k> {
    /// The grid's array over the parts of an array.
    pub(super) fn chunked(
        &self,
        (what, cut): (InChunk, Cut),
        args: &'k [Expr],
        (scope, ambient): (&Scope<'k>, Ambient),
    ) -> Option<Ty> {
        let own = ambient.filter(|level| *level == Level::Device);
        let Ty::Pull(elem, n @ 1.., Known::AtLaunch) = self.ty(&args[0], scope, own)? else { return None };
        let k = cut.width(n);
        if k == 0 || !elem.is_data() {
            return None;
        }
        let n = match cut {
            Cut::Chunks(_) => n,
            Cut::Rows(_) => n / k * k,
        };
        let of_rows =
            matches!(what, InChunk::Copied | InChunk::Turned | InChunk::Reversed | InChunk::Mapped | InChunk::Folded);
        if matches!(cut, Cut::Rows(_)) && !of_rows || matches!(cut, Cut::Chunks(_)) && what == InChunk::Turned {
            return None;
        }
        let (elem, len) = match what {
            InChunk::Whole | InChunk::Copied | InChunk::Reversed | InChunk::Stored | InChunk::Turned => (*elem, n),
            InChunk::Mapped => (self.apply(&args[1], scope, None, vec![*elem])?, n),
            InChunk::Folded | InChunk::Scanned => {
                let pair = vec![(*elem).clone(), (*elem).clone()];
                if self.apply(&args[1], scope, None, pair)? != *elem {
                    return None;
                }
                (*elem, if what == InChunk::Scanned { n } else { n.div_ceil(k) })
            }
            InChunk::Sorted => elem.scalar().is_some_and(|s| s.is_int()).then_some((*elem, n))?,
            InChunk::Filled => {
                if self.ty(&args[1], scope, None)? != *elem {
                    return None;
                }
                match self.apply(&args[2], scope, Some(Level::Block), vec![Ty::pull(*elem, k)])? {
                    Ty::Push(Level::Block, to, m, Known::Static) => (*to, m * n.div_ceil(k)),
                    _ => return None,
                }
            }
        };
        elem.is_data().then(|| Ty::Push(Level::Grid, Box::new(elem), len, Known::AtLaunch))
    }

    /// The array that launches make of one.
    pub(super) fn launched(
        &self,
        what: Launched,
        args: &'k [Expr],
        (scope, ambient): (&Scope<'k>, Ambient),
    ) -> Option<Ty> {
        let array = self.ty(&args[0], scope, ambient)?;
        let Ty::Pull(elem, 1.., Known::AtLaunch) = &array else { return None };
        if ambient != Some(Level::Device) || !elem.is_data() {
            return None;
        }
        let pair = || vec![(**elem).clone(), (**elem).clone()];
        let fits = match what {
            Launched::Stored | Launched::Turned => true,
            Launched::Sorted | Launched::Runs | Launched::Greatest => elem.scalar().is_some_and(|s| s.is_int()),
            Launched::Parted => self.apply(&args[1], scope, None, vec![(**elem).clone()])? == BOOL,
            Launched::Segmented => {
                self.apply(&args[1], scope, None, pair())? == **elem
                    && self.apply(&args[2], scope, None, vec![(**elem).clone()])? == BOOL
            }
            Launched::Scanned | Launched::Combined | Launched::Excluded | Launched::Segments | Launched::Chained => {
                self.apply(&args[1], scope, None, pair())? == **elem
            }
            Launched::Repeated | Launched::Chosen | Launched::Replaced | Launched::Doubled | Launched::Shaped => {
                self.apply(&args[1], scope, None, vec![(**elem).clone()])? == **elem
            }
        };
        fits.then_some(array.clone())
    }
}
