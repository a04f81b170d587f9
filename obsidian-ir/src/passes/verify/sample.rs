//! Launches that show what is wrong: lengths and scalars tried one by one.

use super::report::Fault;
use crate::passes::walk;
use crate::program::{Const, Expr, ExprId, ParamId, Program, ScalarType, arith};
use crate::tables::{HashMap, HashSet};

/// A length or a scalar, and the value that is tried.
type Given = (Expr, u32);

/// A launch in which blocks that write `each` elements leave some of `len` out, where trying finds one.
pub(super) fn too_few(p: &Program, (blocks, each): (ExprId, u32), len: ExprId) -> Option<Fault> {
    let asked = leaves(p, &[blocks, len])?;
    let lengths =
        [each.saturating_add(1), each.saturating_mul(2), 1000, 1 << 16, each, each.saturating_sub(1), 3, 2, 1];
    for n in lengths {
        let given: Vec<Given> = asked.iter().map(|&leaf| (leaf, n)).collect();
        let [Some(blocks), Some(len)] = [blocks, len].map(|e| value(p, e, &given)) else { continue };
        let written = blocks * u64::from(each);
        if written < len && accepted(p, &given) {
            let whose = asked.iter().map(|&leaf| format!("{} is {n}", name(p, leaf))).collect::<Vec<_>>().join(" and ");
            let launch = if whose.is_empty() { String::new() } else { format!(" where {whose}") };
            let they = if blocks == 1 { "1 block writes".to_string() } else { format!("{blocks} blocks write") };
            let needed =
                format!("the whole output is to be written;{launch} it has {len} elements, and {they} {written}");
            return Some(Fault::Missing { element: written.to_string(), needed });
        }
    }
    None
}

/// Whether a launch gets through the checks, as far as they ask for nothing else.
fn accepted(p: &Program, given: &[Given]) -> bool {
    p.checks.iter().all(|check| value(p, check.cond, given) == Some(1))
}

/// The lengths and scalars that expressions ask for; `None` where they ask for more than that, or for other scalars than `u32`.
fn leaves(p: &Program, roots: &[ExprId]) -> Option<HashSet<Expr>> {
    let mut found = HashSet::default();
    for id in walk::reachable(&p.exprs, roots.iter().copied(), |_| false) {
        match p.exprs.expr(id) {
            leaf @ (Expr::Len(_) | Expr::Scalar(_)) if p.exprs.ty(id) == ScalarType::U32 => {
                found.insert(leaf);
            }
            Expr::Len(_) | Expr::Scalar(_) | Expr::Var(_) | Expr::Load(..) | Expr::Special(_) | Expr::OnGpu => {
                return None;
            }
            _ => {}
        }
    }
    Some(found)
}

/// The value of an expression over lengths and scalars, as the machine computes it; `None` where one of them is not given.
fn value(p: &Program, root: ExprId, given: &[Given]) -> Option<u64> {
    let mut known: HashMap<ExprId, Const> = HashMap::default();
    for id in walk::reachable(&p.exprs, [root], |_| false) {
        let ty = p.exprs.ty(id);
        let of = |e: ExprId| known.get(&e).copied();
        let value = match p.exprs.expr(id) {
            Expr::Const(c) => c,
            Expr::Un(op, a) => arith::un(op, of(a)?),
            Expr::Bin(op, a, b) => arith::bin(op, of(a)?, of(b)?),
            Expr::Cast(a) => arith::cast(of(a)?, ty),
            Expr::Select(c, a, b) => of(if of(c)?.bits != 0 { a } else { b })?,
            leaf => given.iter().find(|(asked, _)| *asked == leaf).map(|&(_, n)| Const::u32(n))?,
        };
        known.insert(id, value);
    }
    known.get(&root).map(|c| c.bits)
}

fn name(p: &Program, leaf: Expr) -> String {
    let of = |param: ParamId| p.param(param).name.clone();
    match leaf {
        Expr::Len(param) => format!("the length of `{}`", of(param)),
        Expr::Scalar(param) => format!("`{}`", of(param)),
        _ => String::new(),
    }
}
