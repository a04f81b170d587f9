//! The parts of a statement: the expressions that it evaluates, the lists inside, the variables that it binds, its array, the
//! elements that it touches. Each is one match, from which a way to read the parts and a way to change them are made.

use super::{ArrayId, Block, ExprId, StmtKind, VarId};

/// At most three parts, those that there are in front, then those of a list. Every pass goes through the parts of every statement, so this is no chain of adapters,
/// as [`Operands`](super::walk::Operands) are none.
struct Parts<T, L> {
    few: [Option<T>; 3],
    next: usize,
    many: Option<L>,
}

impl<T, L: Iterator<Item = T>> Parts<T, L> {
    fn new(few: [Option<T>; 3], many: Option<L>) -> Parts<T, L> {
        Parts { few, next: 0, many }
    }
}

impl<T, L: Iterator<Item = T>> Iterator for Parts<T, L> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.next < self.few.len() {
            let part = self.few[self.next].take();
            self.next = if part.is_some() { self.next + 1 } else { self.few.len() };
            if part.is_some() {
                return part;
            }
        }
        self.many.as_mut()?.next()
    }
}

/// The five matches, over a reference of one kind; `$part` makes such a reference to what an option holds.
macro_rules! parts {
    ($module:ident, $part:ident, $($reference:tt)+) => {
        mod $module {
            use super::{ArrayId, Block, ExprId, Parts, StmtKind, VarId};
            use std::iter::Empty;

            pub(super) fn direct<'a>(kind: $($reference)+ StmtKind) -> impl Iterator<Item = $($reference)+ ExprId> {
                let (few, many) = match kind {
                    StmtKind::Assign { index, value, .. } | StmtKind::Copy { index, value, .. } => {
                        ([Some(index), Some(value), None], None)
                    }
                    StmtKind::Atomic { index, value, expected, .. } => {
                        ([Some(index), Some(value), expected.$part()], None)
                    }
                    StmtKind::Let { value, .. } | StmtKind::Set { value, .. } => ([Some(value), None, None], None),
                    StmtKind::Shuffle { value, lane, .. } => ([Some(value), Some(lane), None], None),
                    StmtKind::Local { init, .. } => ([init.$part(), None, None], None),
                    StmtKind::If { cond, .. } | StmtKind::SeqWhile { cond, .. } => ([Some(cond), None, None], None),
                    StmtKind::SeqFor { start, end, step, .. } => ([Some(start), Some(end), Some(step)], None),
                    StmtKind::ForAll { n, .. } | StmtKind::DistrPar { n, .. } => ([Some(n), None, None], None),
                    StmtKind::LoadVector { index, .. } => ([Some(index), None, None], None),
                    StmtKind::StoreVector { index, values, .. } => ([Some(index), None, None], Some(values)),
                    StmtKind::Print { values, .. } => ([None, None, None], Some(values)),
                    StmtKind::Allocate { .. } | StmtKind::Commit | StmtKind::Await { .. } | StmtKind::Sync { .. } => {
                        ([None, None, None], None)
                    }
                };
                Parts::new(few, many.map(IntoIterator::into_iter))
            }

            pub(super) fn nested<'a>(kind: $($reference)+ StmtKind) -> impl Iterator<Item = $($reference)+ Block> {
                let lists = match kind {
                    StmtKind::If { then, els, .. } => [Some(then), Some(els), None],
                    StmtKind::SeqWhile { head, body, .. } => [Some(head), Some(body), None],
                    StmtKind::SeqFor { body, .. } | StmtKind::ForAll { body, .. } | StmtKind::DistrPar { body, .. } => {
                        [Some(body), None, None]
                    }
                    _ => [None, None, None],
                };
                Parts::new(lists, None::<Empty<_>>)
            }

            pub(super) fn bound<'a>(kind: $($reference)+ StmtKind) -> impl Iterator<Item = $($reference)+ VarId> {
                let (one, many) = match kind {
                    StmtKind::Let { var, .. }
                    | StmtKind::Local { var, .. }
                    | StmtKind::Set { var, .. }
                    | StmtKind::Shuffle { var, .. }
                    | StmtKind::SeqFor { var, .. }
                    | StmtKind::ForAll { var, .. }
                    | StmtKind::DistrPar { var, .. } => (Some(var), None),
                    StmtKind::Atomic { old, .. } => (old.$part(), None),
                    StmtKind::LoadVector { vars, .. } => (None, Some(vars)),
                    StmtKind::Assign { .. }
                    | StmtKind::If { .. }
                    | StmtKind::SeqWhile { .. }
                    | StmtKind::Allocate { .. }
                    | StmtKind::StoreVector { .. }
                    | StmtKind::Copy { .. }
                    | StmtKind::Commit
                    | StmtKind::Await { .. }
                    | StmtKind::Print { .. }
                    | StmtKind::Sync { .. } => (None, None),
                };
                Parts::new([one, None, None], many.map(IntoIterator::into_iter))
            }

            pub(super) fn array<'a>(kind: $($reference)+ StmtKind) -> Option<$($reference)+ ArrayId> {
                match kind {
                    StmtKind::Allocate { array } => Some(array),
                    kind => element(kind).map(|(array, _)| array),
                }
            }

            pub(super) fn element<'a>(
                kind: $($reference)+ StmtKind,
            ) -> Option<($($reference)+ ArrayId, $($reference)+ ExprId)> {
                match kind {
                    StmtKind::Assign { array, index, .. }
                    | StmtKind::Atomic { array, index, .. }
                    | StmtKind::LoadVector { array, index, .. }
                    | StmtKind::StoreVector { array, index, .. }
                    | StmtKind::Copy { array, index, .. } => Some((array, index)),
                    _ => None,
                }
            }
        }
    };
}

parts!(read, as_ref, &'a);
parts!(change, as_mut, &'a mut);

/// The expressions that a statement itself evaluates, not those of its nested blocks.
pub fn direct(kind: &StmtKind) -> impl Iterator<Item = ExprId> {
    read::direct(kind).copied()
}

/// The expressions that a statement itself evaluates, to be changed; in the order of [`direct`].
pub fn direct_mut(kind: &mut StmtKind) -> impl Iterator<Item = &mut ExprId> {
    change::direct(kind)
}

/// The blocks inside a statement.
pub fn nested(kind: &StmtKind) -> impl Iterator<Item = &Block> {
    read::nested(kind)
}

/// The blocks inside a statement, to be changed; in the order of [`nested`].
pub fn nested_mut(kind: &mut StmtKind) -> impl Iterator<Item = &mut Block> {
    change::nested(kind)
}

/// The variables that a statement binds or sets.
pub fn bound(kind: &StmtKind) -> impl Iterator<Item = VarId> {
    read::bound(kind).copied()
}

/// The variables that a statement binds or sets, to be changed; in the order of [`bound`].
pub fn bound_mut(kind: &mut StmtKind) -> impl Iterator<Item = &mut VarId> {
    change::bound(kind)
}

/// The array that a statement itself allocates, writes or reads; not those that its expressions load from.
pub fn array(kind: &StmtKind) -> Option<ArrayId> {
    read::array(kind).copied()
}

/// The array of [`array()`], to be changed.
pub fn array_mut(kind: &mut StmtKind) -> Option<&mut ArrayId> {
    change::array(kind)
}

/// How elements are touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Read.
    Read,
    /// Written.
    Write,
    /// Read and written in one step.
    Atomic,
}

/// What a statement itself does to memory, beside what its expressions load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// The array.
    pub array: ArrayId,
    /// How.
    pub kind: Kind,
    /// The first element (`u32`).
    pub index: ExprId,
    /// How many neighbours, from the first on.
    pub width: u32,
}

/// What a statement itself touches; none where it is no access.
pub fn touch(kind: &StmtKind) -> Option<Touch> {
    let (array, index) = read::element(kind)?;
    let (kind, width) = match kind {
        StmtKind::LoadVector { vars, .. } => (Kind::Read, vars.len()),
        StmtKind::StoreVector { values, .. } => (Kind::Write, values.len()),
        StmtKind::Copy { count, .. } => (Kind::Write, *count as usize),
        StmtKind::Atomic { .. } => (Kind::Atomic, 1),
        _ => (Kind::Write, 1),
    };
    Some(Touch { array: *array, kind, index: *index, width: width as u32 })
}

/// The array that a statement writes or updates.
pub fn written(kind: &StmtKind) -> Option<ArrayId> {
    touch(kind).filter(|touch| touch.kind != Kind::Read).map(|touch| touch.array)
}

/// The array and the first element that a statement itself touches, to be changed.
pub fn element_mut(kind: &mut StmtKind) -> Option<(&mut ArrayId, &mut ExprId)> {
    change::element(kind)
}
