//! Outputs that one statement writes, at the digits of a mixed radix: the counters of the loops around it, each times the
//! number of rounds of those below it. These numbers may be known at launch only.
//!
//! R3. Digits below their numbers of rounds make each number below the product of these once. The product is the length of the
//! output, which the launch checks keep from wrapping, so the index does not wrap either.

use crate::passes::walk;
use crate::passes::index::{Mono, Plain, Poly, lower};
use crate::program::{ArrayId, Block, Expr, ExprId, Program, StmtKind, VarId};

/// A write and the loops around it, with their numbers of rounds.
struct Written {
    index: ExprId,
    loops: Vec<(VarId, ExprId)>,
}

/// Whether the whole of an output of `len` elements is written, each element once.
pub(super) fn fills(p: &Program, array: ArrayId, len: ExprId) -> bool {
    only_write(p, array).is_some_and(|written| is_radix(p, &written, len).unwrap_or(false))
}

/// The one statement that writes an array, where nothing but loops from 0 on stands around it.
fn only_write(p: &Program, array: ArrayId) -> Option<Written> {
    let (mut found, mut others) = (None, 0);
    search(p, &p.body, array, Some(&mut Vec::new()), (&mut found, &mut others));
    found.filter(|_| others == 0)
}

/// Looks for writes of an array; `loops` is `None` where something else than a loop is around.
fn search(
    p: &Program,
    list: &Block,
    array: ArrayId,
    mut loops: Option<&mut Vec<(VarId, ExprId)>>,
    (found, others): (&mut Option<Written>, &mut usize),
) {
    for stmt in list {
        match &stmt.kind {
            StmtKind::Assign { array: to, index, .. } if *to == array => match &loops {
                Some(loops) if found.is_none() => *found = Some(Written { index: *index, loops: loops.to_vec() }),
                _ => *others += 1,
            },
            StmtKind::Atomic { array: to, .. } if *to == array => *others += 1,
            _ => {}
        }
        let counted = match &stmt.kind {
            StmtKind::ForAll { var, n, .. } | StmtKind::DistrPar { var, n, .. } => Some((*var, *n)),
            StmtKind::SeqFor { var, start, end, step, .. } => {
                let plain = p.exprs.as_u32(*start) == Some(0) && p.exprs.as_u32(*step) == Some(1);
                plain.then_some((*var, *end))
            }
            _ => None,
        };
        for inner in walk::nested(&stmt.kind) {
            match (loops.as_deref_mut(), counted) {
                (Some(loops), Some(counter)) => {
                    loops.push(counter);
                    search(p, inner, array, Some(&mut *loops), (&mut *found, &mut *others));
                    loops.pop();
                }
                _ => search(p, inner, array, None, (&mut *found, &mut *others)),
            }
        }
    }
}

fn is_radix(p: &Program, written: &Written, len: ExprId) -> Option<bool> {
    let mut reader = Plain::new(&p.exprs);
    let read = |reader: &mut Plain<'_>, e| {
        let id = lower(reader, e).residue();
        reader.polys.get(id).clone()
    };
    // What the length is made of is checked not to wrap.
    let checked = walk::reachable(&p.exprs, [len], |_| false);
    let (index, len) = (read(&mut reader, written.index), read(&mut reader, len));
    let mut digits: Vec<(Mono, Poly)> = Vec::new();
    for &(var, n) in written.loops.iter().filter(|(_, n)| p.exprs.as_u32(*n) != Some(1)) {
        let rounds = read(&mut reader, n);
        let plain = rounds.single().is_some_and(|(m, c, k)| (c, k) == (1, 0) && reader.polys.atom(m).is_some());
        let exact = plain || rounds.as_constant().is_some() || checked.contains(&n);
        if !exact || !walk::known_at_launch(&p.exprs, n) {
            return None;
        }
        let counter = (0..p.exprs.len() as u32).map(ExprId).find(|&e| p.exprs.expr(e) == Expr::Var(var))?;
        digits.push((Mono::value(counter), rounds));
    }
    let (mut sum, mut size) = (Poly::default(), Poly::constant(1));
    while !digits.is_empty() {
        let mut next = None;
        for (at, (counter, _)) in digits.iter().enumerate() {
            if reader.polys.coefficient(&index, *counter)? == size {
                next = Some(at);
                break;
            }
        }
        let (counter, rounds) = digits.remove(next?);
        sum = sum.plus(&reader.polys.product(&Poly::of(counter), &size)?)?;
        size = reader.polys.product(&size, &rounds)?;
    }
    Some(sum == index && size == len)
}
