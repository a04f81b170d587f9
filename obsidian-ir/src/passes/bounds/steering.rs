//! Which variables steer: what an index, a condition or a number of rounds is made of. What is computed from data alone needs no
//! proof, however long it is, and nothing that is known of it proves anything.

use crate::passes::walk::{self, direct, operands};
use crate::program::{Expr, ExprId, Program, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// The variables of a program that steer, by what they are given and by all that is made of.
pub(super) fn steering(p: &Program) -> HashSet<VarId> {
    let mut values: HashMap<VarId, Vec<ExprId>> = HashMap::default();
    let mut open: Vec<ExprId> = Vec::new();
    walk::each(&p.body, &mut |stmt| match stmt.kind {
        StmtKind::Let { var, value }
        | StmtKind::Local { var, init: Some(value) }
        | StmtKind::Set { var, value }
        | StmtKind::Shuffle { var, value, .. } => values.entry(var).or_default().push(value),
        StmtKind::Assign { index, .. } | StmtKind::Atomic { index, .. } => open.push(index),
        StmtKind::Print { .. } => {}
        _ => open.extend(direct(&stmt.kind)),
    });
    for e in (0..p.exprs.len() as u32).map(ExprId) {
        match p.exprs.expr(e) {
            Expr::Load(_, index) => open.push(index),
            Expr::Select(cond, a, b) if p.exprs.loads(a) || p.exprs.loads(b) => open.push(cond),
            _ => {}
        }
    }
    let (mut seen, mut found) = (HashSet::default(), HashSet::default());
    while let Some(e) = open.pop() {
        if !seen.insert(e) {
            continue;
        }
        let expr = p.exprs.expr(e);
        open.extend(operands(expr));
        if let Expr::Var(var) = expr
            && found.insert(var)
        {
            open.extend(values.remove(&var).unwrap_or_default());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::text::read;

    #[test]
    fn what_is_computed_from_data_alone_steers_nothing() {
        let text = "\
kernel k (threads = 32, shared = 0 B)
  mut ys: u32[1024]
  in  n: u32
  in  xs: u32[1024]
  distribute Block b0 < 1
    forall Block i1 < 32
      local first2: u32 = 0
      local sum3: u32 = 0
      local turn4: u32 = 0
      local seen5: u32 = 0
      while sum3 < n
        let mid6 = first2 + i1
        let twice7 = sum3 * seen5
        first2 = (mid6 + turn4) & 31
        turn4 = turn4 + 1
        sum3 = sum3 + xs[first2]
        let read8 = turn4 & 31
        let written9 = first2 ^ 1
        let data10 = xs[read8]
        let safe11 = turn4 ^ 3
        let plain12 = turn4 ^ 5
        seen5 = (if safe11 < 5 { xs[i1] } else { 0 }) + (if plain12 < 5 { twice7 } else { data10 })
        prove ys[mid6 & 1023] = seen5
        prove ys[written9] = data10
";
        let p = read(text).unwrap_or_else(|e| panic!("{e:?}"));
        let found = steering(&p);
        let mut names: Vec<&str> = found.iter().map(|&var| p.var(var).name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["first2", "i1", "mid6", "read8", "safe11", "sum3", "turn4", "written9"]);
    }
}
