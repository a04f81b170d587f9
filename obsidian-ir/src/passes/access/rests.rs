//! R22 for conditions: in which lanes one holds, for each remainder of a number that all lanes share.

use std::rc::Rc;

use super::cases::Condition;
use super::sites::Sites;
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, Expr, ExprId, Program};

/// The largest number that remainders are by.
const MAX_DIVISOR: u32 = 8;

/// The lanes that a condition leaves, if what all lanes share of it is the remainder of one number.
#[derive(Debug, Clone)]
pub(crate) struct ByRest {
    /// The number, a symbol: perhaps itself the remainder of several.
    pub(crate) base: ExprId,
    /// The lanes for each remainder. How many there are is the divisor, a power of two.
    pub(crate) masks: Rc<[Table]>,
}

impl ByRest {
    /// The lanes that both leave, where they are about one number.
    pub(super) fn and(self, other: Option<&ByRest>, extents: &[u32]) -> ByRest {
        let Some(other) = other.filter(|other| other.base == self.base) else { return self };
        let both = |rest: usize| {
            let [one, two] = [&self.masks, &other.masks].map(|masks| &masks[rest % masks.len()]);
            one.map2(two, extents, |a, b| a & b)
        };
        ByRest { base: self.base, masks: (0..self.masks.len().max(other.masks.len())).map(both).collect() }
    }
}

/// A remainder in a condition.
struct Part {
    remainder: ExprId,
    divisor: u32,
    /// The symbol that it leaves open.
    base: ExprId,
}

impl Sites<'_> {
    /// In which lanes a condition holds, or does not, for each remainder of the number that decides it besides the lane.
    pub(super) fn by_rest(&mut self, (cond, truth): Condition) -> Option<ByRest> {
        let parts = self.remainders(cond);
        let base = parts.first()?.base;
        let of_it = || parts.iter().filter(|part| part.base == base);
        let divisor = of_it().map(|part| part.divisor).max()?;
        let masks = (0..divisor).map(|rest| {
            let extents = self.eval.extents().to_vec();
            let number = match small_remainder(self.p, base) {
                // It is among the parts, so the divisor is no less than its own.
                Some(_) => Sum::known(Table::uniform(0)),
                None => Sum::symbol(base).scale(&Table::uniform(divisor), &extents),
            };
            let mut supposed = vec![(base, number.add(&Sum::known(Table::uniform(rest)), &extents)?)];
            for part in of_it() {
                // Names stand for what the remainder is called without this.
                let value = self.eval.value_given(&self.p.exprs, part.remainder, &supposed);
                supposed.extend(value.map(|value| (part.remainder, value)));
            }
            let value = self.eval.value_given(&self.p.exprs, cond, &supposed)?;
            let known = value.as_known()?;
            Some(if truth { known.clone() } else { known.map(&extents, |v| v ^ 1) })
        });
        Some(ByRest { base, masks: masks.collect::<Option<_>>()? })
    }

    /// The remainders in a condition that one symbol each leaves open.
    fn remainders(&mut self, cond: ExprId) -> Vec<Part> {
        let mut parts = Vec::new();
        for remainder in self.made_of(&[cond]) {
            let Some((of, divisor)) = small_remainder(self.p, remainder) else { continue };
            let Some(value) = self.eval.value(&self.p.exprs, of) else { continue };
            let open: Vec<_> =
                value.terms.iter().filter(|(_, c)| c.trailing_zeros() < divisor.trailing_zeros()).collect();
            match open[..] {
                [] => {}
                [(symbols, _)] if symbols.len() == 1 => parts.push(Part { remainder, divisor, base: symbols[0] }),
                // Of several it is a number of its own.
                _ if value.is_uniform() => parts.push(Part { remainder, divisor, base: remainder }),
                _ => return Vec::new(),
            }
        }
        parts.sort_by_key(|part| part.remainder);
        parts
    }
}

/// A number without a sign and the small power of two by which an expression is its remainder.
pub(crate) fn small_remainder(p: &Program, remainder: ExprId) -> Option<(ExprId, u32)> {
    let (of, divisor) = match p.exprs.expr(remainder) {
        Expr::Bin(BinOp::Rem, of, d) => (of, p.exprs.as_u32(d)?),
        Expr::Bin(BinOp::And, of, mask) => (of, p.exprs.as_u32(mask)?.checked_add(1)?),
        _ => return None,
    };
    // The remainder of a negative number is another.
    let is_small = divisor.is_power_of_two() && (2..=MAX_DIVISOR).contains(&divisor);
    (p.exprs.ty(remainder).is_unsigned() && is_small).then_some((of, divisor))
}

#[cfg(test)]
mod tests {
    use super::super::site::Purpose;
    use super::*;
    use crate::passes::index::Budget;
    use crate::passes::walk;
    use crate::program::StmtKind;
    use crate::program::text::read;

    /// The lanes among 8 in which a condition holds, one string for each remainder; nothing where it is of no single number.
    fn lanes(cond: &str) -> Vec<String> {
        let text = format!(
            "kernel k (threads = 8, shared = 0 B)
  in  n: u32
  in  m: u32
  distribute Block b < 1
    shared per Block s: u32[8]
    forall Block i < 8
      if {cond}
        s[i] = i
"
        );
        let p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut phase = None;
        walk::each(&p.body, &mut |stmt| {
            if matches!(stmt.kind, StmtKind::ForAll { .. }) {
                phase = Some(stmt.clone());
            }
        });
        let sites = Sites::new(&p, Purpose::Order, Budget::new(1 << 20)).leaf(&phase.expect("a phase"));
        let Some(by_rest) = &sites[0].guard.by_rest else { return Vec::new() };
        let holds = |mask: &Table| mask.spread(&[8], 1).iter().map(|&v| if v == 1 { 'x' } else { '.' }).collect();
        by_rest.masks.iter().map(holds).collect()
    }

    #[test]
    fn the_lanes_of_a_turn() {
        assert_eq!(lanes("(i & 1) == (m & 1)"), ["x.x.x.x.", ".x.x.x.x"]);
        assert_eq!(lanes("((i + m) & 3) == 0"), ["x...x...", "...x...x", "..x...x.", ".x...x.."]);
        assert_eq!(lanes("((i + m) & 3) < 2"), ["xx..xx..", "x..xx..x", "..xx..xx", ".xx..xx."]);
        assert_eq!(lanes("((i + (m * 3)) & 1) == 0"), ["x.x.x.x.", ".x.x.x.x"]);
        assert_eq!(lanes("(i & 1) == ((n + m) & 1)"), ["x.x.x.x.", ".x.x.x.x"]);
    }

    #[test]
    fn parts_about_one_number_hold_together() {
        let both = lanes("((i & 3) == (m & 3)) & ((i & 4) == ((m & 1) << 2))");
        assert_eq!(both, ["x.......", ".....x..", "..x.....", ".......x"]);
        assert_eq!(lanes("((i & 1) == (m & 1)) & (i < n)"), ["x.x.x.x.", ".x.x.x.x"]);
        // Of two numbers, those about the first.
        assert_eq!(lanes("((i & 1) == (m & 1)) & ((i & 3) == (n & 3))"), ["x.x.x.x.", ".x.x.x.x"]);
    }

    #[test]
    fn what_more_than_a_remainder_decides_has_no_turns() {
        for cond in ["i < m", "((i & 1) == (m & 1)) | (i < m)", "((i / 2) & 1) == ((m / n) & n)", "(i % 3) == (m % 3)"]
        {
            assert!(lanes(cond).is_empty(), "{cond}: {:?}", lanes(cond));
        }
    }
}
