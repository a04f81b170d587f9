//! Writes in both sides of a branch on a value that is not known while compiling: together they are one write that is sure.

use crate::passes::access::{Kind, Lanes, Site, Sure};
use crate::passes::walk;
use crate::program::{Expr, ExprId, ParamKind, Program, Space};

/// The sites, where two such writes are one that is sure.
pub(super) fn joined(p: &Program, mut sites: Vec<Site>) -> Vec<Site> {
    let mut at = 0;
    while at < sites.len() {
        if let (Sure::If(cond), Kind::Write) = (sites[at].guard.sure, sites[at].kind)
            && let Some(other) = sites.iter().position(|other| completes(&sites[at], other, cond))
            && is_fixed(p, cond)
        {
            sites[at].guard.sure = Sure::Always;
            sites.remove(other);
            at -= usize::from(other < at);
        }
        at += 1;
    }
    sites
}

/// Whether `other` does in the lanes without `cond` what `site` does in those with it.
fn completes(site: &Site, other: &Site, cond: ExprId) -> bool {
    let same = |a: &Lanes, b: &Lanes| {
        a == b || a.spread(&site.extents, site.extents.len()) == b.spread(&site.extents, site.extents.len())
    };
    let (Some(a), Some(b)) = (&site.index, &other.index) else { return false };
    other.guard.sure == Sure::Unless(cond)
        && (site.array, site.kind, site.team, site.warp) == (other.array, other.kind, other.team, other.warp)
        && site.extents == other.extents
        && site.claim == other.claim
        && a.terms == b.terms
        && same(&a.rest, &b.rest)
        && same(&site.guard.mask, &other.guard.mask)
}

/// Whether a condition has one value wherever it is asked for: the sides may be of two branches.
fn is_fixed(p: &Program, cond: ExprId) -> bool {
    walk::reachable(&p.exprs, [cond], |_| false).into_iter().all(|id| match p.exprs.expr(id) {
        Expr::Load(array, _) => match p.array(array).space {
            Space::Global(param) => matches!(p.param(param).kind, ParamKind::Input { .. }),
            _ => false,
        },
        Expr::Var(var) => !p.var(var).mutable,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use crate::compiler::compile;
    use crate::syntax::SpanTable;

    /// The first line of what is said of a block's 64 threads that each do `body`.
    fn said(body: &str) -> String {
        let text = format!(
            "#[kernel(threads = 64)]
            pub fn k(n: u32, xs: DPull<i32>) -> DPush<Grid, i32> {{
                xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {{ {body} }})))
            }}"
        );
        let errors = compile(text.parse().unwrap(), &mut SpanTable::default()).err().unwrap_or_default();
        errors.first().map_or_else(String::new, |e| e.to_string().lines().next().unwrap_or_default().to_string())
    }

    #[test]
    fn a_write_in_both_sides_of_a_branch_is_one_that_is_sure() {
        assert_eq!(said("if xs[i] > 0 { write(c[i], i); } else { write(0, i); }"), "");
        assert_eq!(said("if n > 3 { write(1, 63 - i); } else { write(0, 63 - i); }"), "");
        // Two branches on one value are as good as one.
        assert_eq!(said("if n > 3 { write(1, i); } if n > 3 { } else { write(0, i); }"), "");
    }

    #[test]
    fn sides_that_do_not_write_the_same_are_refused() {
        let open = "[OB053] element 0 of a block's part of `out` may stay unwritten";
        assert_eq!(said("if xs[i] > 0 { write(c[i], i); }"), open);
        assert_eq!(said("if n > i { write(c[i], i); }"), open);
        let twice = "[OB054] it is not proved that no two threads meet on an element of `out`";
        assert_eq!(said("if xs[i] > 0 { write(c[i], i); } else { write(0, 63 - i); }"), twice);
        assert_eq!(said("write(0, i); if xs[i] > 0 { write(c[i], i); }"), twice);
        let known = "[OB053] element 32 of `out` is never written";
        assert_eq!(said("if i < 32 { if n > 3 { write(1, i); } else { write(0, i); } }"), known);
    }

    /// The branches look at a variable that changes between them: both may write, or neither.
    #[test]
    fn sides_of_branches_on_a_value_that_changes_are_two_writes() {
        let count = "for j in 0..n { k += 1; }";
        let sides = "if k > 3 { write(1, i); } COUNT if k > 3 { } else { write(0, i); }".replace("COUNT", count);
        let text = said(&format!("let mut k = xs[i]; {count} {sides}"));
        assert!(text.starts_with("[OB05"), "{text}");
    }
}
