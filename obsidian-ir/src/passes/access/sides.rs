//! Writes of one element in both sides of a branch: together they are one write, which is as sure as the branch itself.

use super::site::{Guard, Kind, Site};
use crate::program::{ArrayId, Block, ExprId, StmtKind};

/// Makes one site of each two that write the same element in the sides of a branch under `outer`: those found from `from` on in the
/// first side, those from `between` on in the other, for one reason each: what stands in `unsafe` in one side says nothing of the
/// other. Where the condition is known lane by lane, the one side has the lanes of `outer` that the other lacks.
pub(super) fn join(found: &mut Vec<Site>, (from, between): (usize, usize), [then, els]: [&Block; 2], outer: &Guard) {
    let other = surely_written(els);
    for (array, at) in surely_written(then).into_iter().filter(|write| other.contains(write)) {
        let only = |sites: std::ops::Range<usize>| {
            let mut of = sites.filter(|&k| {
                let site: &Site = &found[k];
                (site.array, site.at, site.kind) == (array, at, Kind::Write)
            });
            let one = of.next()?;
            of.next().is_none().then_some(one)
        };
        let (Some(one), Some(two)) = (only(from..between), only(between..found.len())) else { continue };
        if found[one].claim != found[two].claim {
            continue;
        }
        found[one].guard = outer.clone();
        found.remove(two);
    }
}

/// The elements that a list writes wherever it runs.
fn surely_written(list: &Block) -> Vec<(ArrayId, ExprId)> {
    let of = |kind: &StmtKind| match kind {
        StmtKind::Assign { array, index, .. } => vec![(*array, *index)],
        StmtKind::If { then, els, .. } => {
            let other = surely_written(els);
            surely_written(then).into_iter().filter(|write| other.contains(write)).collect()
        }
        _ => Vec::new(),
    };
    list.iter().flat_map(|stmt| of(&stmt.kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::site::{Purpose, Sure};
    use super::super::sites::Sites;
    use super::*;
    use crate::level::Level;
    use crate::passes::fixture::{self, Make, stmt};
    use crate::passes::index::Budget;
    use crate::program::{AtomicOp, BinOp, Claim, Program, ScalarType, Stmt};

    /// What the sites of 64 threads are that do what `make` makes of a write, a condition on data and one on the thread: how sure each
    /// is, and in how many lanes.
    fn sites(make: impl FnOnce([Stmt; 3], ExprId, ExprId) -> Block) -> Vec<(bool, usize)> {
        let mut p: Program = fixture::program(64);
        let x = p.input("x", ScalarType::U32).1;
        let len = Make::u32(&mut p, 64);
        let out = p.output(ScalarType::U32, len);
        let phase = p.for_all(Level::Block, 64, |p, i| {
            let (data, three, half) = (p.get(x, i), Make::u32(p, 3), Make::u32(p, 32));
            let (on_data, on_thread) = (p.op(BinOp::Gt, data, three), p.op(BinOp::Lt, i, half));
            let write = |value| stmt(StmtKind::Assign { array: out, index: i, value });
            make([i, three, half].map(write), on_data, on_thread)
        });
        p.body = vec![phase.clone()];
        let found = Sites::new(&p, Purpose::Order, Budget::new(1 << 20)).leaf(&phase);
        let writes = found.iter().filter(|site| site.kind == Kind::Write);
        writes.map(|site| (site.guard.sure == Sure::Always, site.elements().len())).collect()
    }

    fn branch(cond: ExprId, then: Vec<Stmt>, els: Vec<Stmt>) -> Stmt {
        stmt(StmtKind::If { cond, then, els })
    }

    #[test]
    fn one_write_in_each_side_is_one_write() {
        assert_eq!(sites(|[a, b, _], c, _| vec![branch(c, vec![a], vec![b])]), [(true, 64)]);
        assert_eq!(sites(|[a, _, _], c, _| vec![branch(c, vec![a], vec![])]), [(false, 64)]);
    }

    #[test]
    fn two_writes_in_one_side_are_not() {
        let twice = sites(|[a, b, d], c, _| vec![branch(c, vec![a, b], vec![d])]);
        assert_eq!(twice, [(false, 64), (false, 64), (false, 64)]);
        let twice = sites(|[a, b, d], c, _| vec![branch(c, vec![a], vec![b, d])]);
        assert_eq!(twice, [(false, 64), (false, 64), (false, 64)]);
    }

    /// In one side or in the other the write is under a condition of its own.
    #[test]
    fn a_write_that_one_side_does_perhaps_is_none() {
        let some = sites(|[a, b, _], c, i| vec![branch(c, vec![a], vec![branch(i, vec![b], vec![])])]);
        assert_eq!(some, [(false, 64), (false, 32)]);
        let some = sites(|[a, b, _], c, i| vec![branch(c, vec![branch(i, vec![a], vec![])], vec![b])]);
        assert_eq!(some, [(false, 32), (false, 64)]);
    }

    /// Other elements, other arrays and other kinds of writes in a side are sites of their own.
    #[test]
    fn a_side_may_do_more_than_one_write() {
        let elsewhere = |write: &Stmt| match write.kind {
            StmtKind::Assign { array, value, .. } => stmt(StmtKind::Assign { array, index: value, value }),
            _ => write.clone(),
        };
        let input = |write: &Stmt| match write.kind {
            StmtKind::Assign { index, value, .. } => stmt(StmtKind::Assign { array: ArrayId(0), index, value }),
            _ => write.clone(),
        };
        let updated = |write: &Stmt| match write.kind {
            StmtKind::Assign { array, index, value } => {
                let (op, old, expected) = (AtomicOp::Add, None, None);
                stmt(StmtKind::Atomic { op, array, index, value, expected, old })
            }
            _ => write.clone(),
        };
        let two = sites(|[a, b, _], c, _| vec![branch(c, vec![a.clone(), elsewhere(&b)], vec![elsewhere(&b), a])]);
        assert_eq!(two, [(true, 64), (true, 64)]);
        let two = sites(|[a, b, _], c, _| vec![branch(c, vec![a.clone(), input(&b)], vec![b.clone(), input(&a)])]);
        assert_eq!(two, [(true, 64), (true, 64)]);
        let one = sites(|[a, b, d], c, _| vec![branch(c, vec![a, updated(&b)], vec![d])]);
        assert_eq!(one, [(true, 64)]);
    }

    /// What stands in `unsafe` in one side is not what the other side does.
    #[test]
    fn writes_for_two_reasons_are_not_one() {
        let by_author = |write: Stmt| Stmt { claim: Claim::Author, ..write };
        let both = sites(|[a, b, _], c, _| vec![branch(c, vec![by_author(a)], vec![by_author(b)])]);
        assert_eq!(both, [(true, 64)]);
        let one = sites(|[a, b, _], c, _| vec![branch(c, vec![by_author(a)], vec![b])]);
        assert_eq!(one, [(false, 64), (false, 64)]);
    }

    /// Half of the threads do the one, half the other; then all of them have written, as far as the branch around is sure.
    #[test]
    fn sides_of_a_condition_on_the_thread_have_all_lanes_together() {
        assert_eq!(sites(|[a, b, _], _, i| vec![branch(i, vec![a], vec![b])]), [(true, 64)]);
        assert_eq!(sites(|[a, b, d], c, i| vec![branch(c, vec![branch(i, vec![a], vec![b])], vec![d])]), [(true, 64)]);
        assert_eq!(sites(|[a, b, d], c, i| vec![branch(i, vec![branch(c, vec![a], vec![b])], vec![d])]), [(true, 64)]);
        // One half does not write.
        let half = sites(|[a, b, _], c, i| vec![branch(c, vec![branch(i, vec![a], vec![])], vec![b])]);
        assert_eq!(half, [(false, 32), (false, 64)]);
        let half = sites(|[a, b, _], c, i| vec![branch(i, vec![branch(c, vec![a], vec![b])], vec![])]);
        assert_eq!(half, [(true, 32)]);
    }
}
