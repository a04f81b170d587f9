//! What is known: of a condition that holds, and of an atom by what it is made of. Each as forms that are `>= 0`.

use super::prove::{Prover, ScopeId};
use crate::passes::index::{Atom, Mono, Poly};
use crate::program::{BinOp, Expr, ExprId, Range, ScalarType, UnOp};

impl Prover<'_> {
    /// What follows when `cond` is `truth`. Nothing is said of values that may change while one looks.
    pub(super) fn condition(&mut self, s: ScopeId, cond: ExprId, truth: bool) -> Vec<Poly> {
        let known = |p: &Self, e: ExprId| p.p.exprs.as_const(e).map(|c| c.bits != 0);
        match self.p.exprs.expr(cond) {
            Expr::Un(UnOp::Not, x) => self.condition(s, x, !truth),
            // `a && b` that holds, `a || b` that does not: both sides tell.
            Expr::Bin(op @ (BinOp::And | BinOp::Or), a, b)
                if self.p.exprs.ty(cond) == ScalarType::Bool && (op == BinOp::And) == truth =>
            {
                self.both(s, (a, truth), (b, truth))
            }
            Expr::Select(c, a, b) if known(self, b) == Some(!truth) => self.both(s, (c, true), (a, truth)),
            Expr::Select(c, a, b) if known(self, a) == Some(!truth) => self.both(s, (c, false), (b, truth)),
            Expr::Bin(op, a, b) if op.is_comparison() && self.p.exprs.ty(a).is_int() => {
                self.comparison(s, if truth { op } else { opposite(op) }, a, b)
            }
            _ => Vec::new(),
        }
    }

    fn both(&mut self, s: ScopeId, a: (ExprId, bool), b: (ExprId, bool)) -> Vec<Poly> {
        let mut all = self.condition(s, a.0, a.1);
        // The second may only be a sum that does not wrap because of the first.
        let inner = self.with(s, all.clone());
        all.extend(self.condition(inner, b.0, b.1));
        all
    }

    fn comparison(&mut self, s: ScopeId, op: BinOp, a: ExprId, b: ExprId) -> Vec<Poly> {
        if !self.traits.steady(a) || !self.traits.steady(b) {
            return Vec::new();
        }
        let share = self.share(s, op, a, b);
        let (a, b) = (self.form(s, a), self.form(s, b));
        let (Some(rise), Some(fall)) = (b.combine(1, &a, -1), a.combine(1, &b, -1)) else { return Vec::new() };
        match op {
            BinOp::Lt => vec![rise.offset(-1)],
            BinOp::Le => share.into_iter().chain([rise]).collect(),
            BinOp::Gt => vec![fall.offset(-1)],
            BinOp::Ge => vec![fall],
            BinOp::Eq => vec![rise, fall],
            BinOp::Ne if self.side_question(s, rise.clone()) => vec![rise.offset(-1)],
            BinOp::Ne if self.side_question(s, fall.clone()) => vec![fall.offset(-1)],
            _ => Vec::new(),
        }
    }

    /// Of `a <= k / max(n, 1)`, which the launch checks of products are: `a * n <= k`.
    fn share(&mut self, s: ScopeId, op: BinOp, a: ExprId, b: ExprId) -> Option<Poly> {
        let exprs = &self.p.exprs;
        let (BinOp::Le, Expr::Bin(BinOp::Div, k, d)) = (op, exprs.expr(b)) else { return None };
        let Expr::Bin(BinOp::Max, n, least) = exprs.expr(d) else { return None };
        let k = exprs.as_const(k)?.int();
        if exprs.as_const(least)?.int() != 1 || exprs.range(a).lo < 0 || exprs.range(n).lo < 0 {
            return None;
        }
        let (a, n) = (self.form(s, a), self.form(s, n));
        Poly::constant(k).combine(1, &self.polys.product(&a, &n)?, -1)
    }

    /// What holds of an atom by what it is made of.
    pub(super) fn structure(&mut self, s: ScopeId, atom: Mono) -> Vec<Poly> {
        let is = Poly::of(atom);
        let Some(e) = self.expr_of(atom) else { return Vec::new() };
        if let Some(Atom::Quotient(_, c)) = self.polys.atom(atom) {
            // What is read of the dividend here may be more than its name.
            let a = self.form(s, e);
            let above = a.combine(1, &is, -c);
            let below = is.combine(c, &a, -1).map(|f| f.offset(c - 1));
            let tile = above.as_ref().map_or(Vec::new(), |above| self.tile(s, &a, above));
            return above.into_iter().chain(below).chain(tile).collect();
        }
        if !self.p.exprs.ty(e).is_int() || !self.traits.steady(e) {
            return Vec::new();
        }
        let mut facts = Vec::new();
        // A scope may know that what another took for an atom is a sum.
        let form = self.form(s, e);
        if form != is {
            facts.extend(form.combine(1, &is, -1));
            facts.extend(is.combine(1, &form, -1));
        }
        match self.p.exprs.expr(e) {
            Expr::Bin(op, a, b) => facts.extend(self.operation(s, &is, op, a, b).into_iter().flatten()),
            // A cast to fewer bits only takes bits away.
            Expr::Cast(a) if self.p.exprs.ty(e).is_unsigned() && self.p.exprs.ty(a).is_int() => {
                let range = self.p.exprs.range(a);
                if range.lo >= 0 {
                    facts.extend(self.form(s, a).combine(1, &is, -1));
                }
            }
            _ => {}
        }
        facts
    }

    /// Of `c * quotient <= a` and what bounds `a` above: with `a < c * n` the quotient is below `n`, which only whole
    /// numbers know.
    fn tile(&self, s: ScopeId, a: &Poly, above: &Poly) -> Vec<Poly> {
        let Some((atom, 1, 0)) = a.single() else { return Vec::new() };
        self.facts(s).iter().filter_map(|f| f.follow(atom, above)).collect()
    }

    /// R11. Of a product of values that are not negative: each fact about one of them, and its bounds, times the others.
    pub(super) fn multiplied(&mut self, s: ScopeId, product: Mono, facts: &[Poly]) -> Vec<Poly> {
        let factors = self.polys.factors(product);
        let mut all = Vec::new();
        for (at, &x) in factors.iter().enumerate() {
            if factors[..at].contains(&x) {
                continue;
            }
            let others = factors.iter().enumerate().filter(|&(k, _)| k != at).map(|(_, &m)| Poly::of(m));
            let others: Vec<Poly> = others.collect();
            if others.iter().any(|other| self.range(s, other).lo < 0) {
                continue;
            }
            let r = self.range(s, &Poly::of(x));
            let low = Poly::of(x).offset(-r.lo);
            let high = Poly::constant(r.hi).combine(1, &Poly::of(x), -1);
            let single = |f: &&Poly| f.monos().all(|m| self.polys.atom(m).is_some());
            let of_it: Vec<Poly> = facts.iter().filter(|f| f.coefficient(x) != 0).filter(single).cloned().collect();
            for fact in of_it.into_iter().chain([low]).chain(high) {
                let times = |f: Option<Poly>, other: &Poly| f.and_then(|f| self.polys.product(&f, other));
                all.extend(others.iter().fold(Some(fact), times));
            }
        }
        all
    }

    /// What bounds the quotient `is` of `a` by `y`, which is at least 1: `y * is <= a < y * is + y`; `is < k` where
    /// `a < k * y` is known; `is` is `k` where `a` is `k * y` and less than `y` more.
    fn ratio(&mut self, s: ScopeId, is: &Poly, a: &Poly, y: &Poly) -> Vec<Option<Poly>> {
        let Some(whole) = self.polys.product(is, y) else { return Vec::new() };
        let left = a.combine(1, &whole, -1);
        let next = whole.combine(1, y, 1).and_then(|next| next.combine(1, a, -1)).map(|f| f.offset(-1));
        let mut all = vec![left, next];
        let Some((y, 1, 0)) = y.single() else { return all };
        let k = self.polys.coefficient(a, y).filter(|k| *k != Poly::default());
        let rest = k.as_ref().and_then(|k| a.combine(1, &self.polys.product(k, &Poly::of(y))?, -1));
        if let (Some(k), Some(rest)) = (k, rest)
            && self.side_question(s, rest.clone())
            && Poly::of(y).combine(1, &rest, -1).is_some_and(|left| self.side_question(s, left.offset(-1)))
        {
            all.extend([k.combine(1, is, -1), is.combine(1, &k, -1)]);
        }
        let Some(a) = a.single().filter(|a| a.1 == 1).map(|a| (a.0, a.2)) else { return all };
        for fact in self.facts(s).iter().filter(|f| f.coefficient(a.0) == -1) {
            // The fact says that the dividend is at most this.
            let most = fact.combine(1, &Poly::of(a.0), 1).map(|f| f.offset(a.1));
            let rows = most.and_then(|most| self.polys.divide(&most, y));
            all.extend(rows.map(|rows| rows.offset(-1).combine(1, is, -1)));
        }
        all
    }

    /// `k - 1 - a / n`, where `a < k * n` is known: the row of a tile of `n` columns.
    fn row(&self, s: ScopeId, is: &Poly, a: &Poly, n: &Poly) -> Option<Poly> {
        let (Some((a, 1, 0)), Some((n, 1, 0))) = (a.single(), n.single()) else { return None };
        let rows = |f: &Poly| {
            let k = f.coefficient(n);
            let below = Poly::constant(-1).combine(1, &Poly::of(n), k)?.combine(1, &Poly::of(a), -1)?;
            // The fact may say more, never less.
            let less = f.combine(1, &below, -1)?.as_constant()?;
            (k > 0 && less <= 0).then_some(k)
        };
        let k = self.facts(s).iter().filter_map(rows).min()?;
        Poly::constant(k - 1).combine(1, is, -1)
    }

    fn operation(&mut self, s: ScopeId, is: &Poly, op: BinOp, a: ExprId, b: ExprId) -> Vec<Option<Poly>> {
        let natural = self.p.exprs.range(a).lo >= 0 && self.p.exprs.range(b).lo >= 0;
        let unsigned = self.p.exprs.ty(a).is_unsigned();
        let (x, y) = (self.form(s, a), self.form(s, b));
        let sum = x.combine(1, &y, 1);
        match op {
            BinOp::Min => vec![x.combine(1, is, -1), y.combine(1, is, -1)],
            BinOp::Max => vec![is.combine(1, &x, -1), is.combine(1, &y, -1)],
            // Wrapping takes a multiple of 2^32 away.
            BinOp::Add if unsigned => vec![sum.and_then(|f| f.combine(1, is, -1))],
            BinOp::Mul if unsigned => self.product(s, is, (a, &x), (b, &y)),
            BinOp::And if natural => vec![x.combine(1, is, -1), y.combine(1, is, -1)],
            BinOp::Or | BinOp::Xor if natural && self.p.exprs.as_const(b).is_some() => {
                let mut all = self.low_bits_changed(is, a, b);
                all.push(sum.and_then(|f| f.combine(1, is, -1)));
                if op == BinOp::Or {
                    all.push(is.combine(1, &x, -1));
                }
                all
            }
            BinOp::Or if natural => {
                vec![sum.and_then(|f| f.combine(1, is, -1)), is.combine(1, &x, -1), is.combine(1, &y, -1)]
            }
            BinOp::Xor if natural => vec![sum.and_then(|f| f.combine(1, is, -1))],
            BinOp::Shr if unsigned => vec![x.combine(1, is, -1)],
            // By zero: no value is promised.
            BinOp::Div if natural && self.side_question(s, y.offset(-1)) => {
                let mut all = vec![x.combine(1, is, -1), self.row(s, is, &x, &y)];
                all.extend(self.ratio(s, is, &x, &y));
                all
            }
            BinOp::Rem if natural && self.side_question(s, y.offset(-1)) => {
                vec![x.combine(1, is, -1), y.combine(1, is, -1).map(|f| f.offset(-1))]
            }
            _ => Vec::new(),
        }
    }

    /// `a | k` and `a ^ k` stay among the numbers that have the bits of `a` above those of `k`.
    fn low_bits_changed(&mut self, is: &Poly, a: ExprId, b: ExprId) -> Vec<Option<Poly>> {
        let k = self.p.exprs.as_const(b).map_or(0, |c| c.int());
        let block = (k as u64).checked_add(1).and_then(u64::checked_next_power_of_two).map_or(0, i128::from);
        if k <= 0 || block == 0 {
            return Vec::new();
        }
        let start = self.quotient(a, block).times(block);
        let Some(start) = start else { return Vec::new() };
        vec![is.combine(1, &start, -1), start.offset(block - 1).combine(1, is, -1)]
    }

    /// What holds of a product that was read as a sum.
    pub(super) fn product_facts(&mut self, s: ScopeId, product: ExprId, (a, b): (ExprId, ExprId)) -> Vec<Poly> {
        let is = self.form(s, product);
        if is == Poly::of(Mono::value(product)) {
            return Vec::new();
        }
        let (x, y) = (self.form(s, a), self.form(s, b));
        self.product(s, &is, (a, &x), (b, &y)).into_iter().flatten().collect()
    }

    /// `x * y` lies between multiples of the one by bounds of the other; below them where it wraps.
    fn product(
        &mut self,
        s: ScopeId,
        is: &Poly,
        (a, x): (ExprId, &Poly),
        (b, y): (ExprId, &Poly),
    ) -> Vec<Option<Poly>> {
        let mut range = |e, form| self.range_of_factor(s, e, form);
        let (rx, ry, max) = (range(a, x), range(b, y), Range::full(self.p.exprs.ty(a)).hi);
        let most = [y.combine(rx.hi, is, -1), x.combine(ry.hi, is, -1)];
        // Of a factor that may be anything the other would have to be at most 1: its range says so, or nothing does.
        let fits = |(f, k): (&Poly, i128)| {
            let rest = Poly::constant(max).combine(1, f, -k);
            rest.is_some_and(|rest| self.range(s, &rest).lo >= 0 || k < max && self.side_question(s, rest))
        };
        let exact = [(y, rx.hi), (x, ry.hi)].into_iter().any(fits);
        let mut all = most.to_vec();
        if exact {
            all.extend([is.combine(1, y, -rx.lo), is.combine(1, x, -ry.lo)]);
        }
        all
    }
}

fn opposite(op: BinOp) -> BinOp {
    match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        _ => BinOp::Lt,
    }
}
