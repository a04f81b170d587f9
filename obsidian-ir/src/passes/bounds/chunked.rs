//! Chunks of an array whose length is one value, however it is made (R34), of as many elements as a constant or a value says: `b * d + r` is
//! below `n` where `b < n / d` and `r < d`, and `n / d * d + r` where `r < n % d`; where `b <= n / d`, it is below where `r` is below the one or the other, as `b < n / d` says. A search
//! would find these, among all that is known of the parts of `n`.

use super::Check;
use crate::passes::walk::reachable;
use crate::program::scoped::Around;
use crate::program::{BinOp, Expr, ExprId, Exprs};

impl Check<'_> {
    /// Whether an index is below a length because of the chunk that it is in.
    pub(super) fn is_in_chunk(&self, index: ExprId, len: ExprId) -> bool {
        let p = self.prover.p;
        let exprs = &p.exprs;
        let lasts = |e: ExprId| match exprs.expr(e) {
            Expr::Var(var) => !p.var(var).mutable,
            expr => !matches!(expr, Expr::Load(..)),
        };
        if exprs.as_const(len).is_some() || !reachable(exprs, [index, len], |_| false).into_iter().all(lasts) {
            return false;
        }
        let Some(terms) = terms(exprs, index) else { return false };
        (0..terms.len()).any(|at| {
            let others = || (0..terms.len()).filter(|&other| other != at).map(|other| terms[other]);
            products(exprs, terms[at]).into_iter().any(|(chunk, d)| {
                let inside = match d {
                    Size::Constant(d) => others().map(|e| exprs.range(e).hi).sum::<i128>() < i128::from(d),
                    Size::Value(_) => false,
                };
                if inside && self.is_known_below(chunk, |end| is_quotient(exprs, end, len, d)) {
                    return true;
                }
                let mut rest = others();
                let (Some(one), None) = (rest.next(), rest.next()) else { return false };
                is_quotient(exprs, chunk, len, d) && self.is_known_below(one, |end| is_remainder(exprs, end, len, d))
                    || self.is_known_below(one, |end| is_ragged(exprs, end, (chunk, len), d))
                        && self.is_known_below(chunk, |end| is_number_of_chunks(exprs, end, len, d))
            })
        })
    }

    /// Whether a loop or a condition around says that `e` is below something.
    fn is_known_below(&self, e: ExprId, is_end: impl Fn(ExprId) -> bool) -> bool {
        let exprs = &self.prover.p.exprs;
        self.around.iter().any(|around| match *around {
            Around::Given { cond, truth: true } => says(exprs, cond, e, &is_end),
            Around::Count { var, end, .. } => exprs.expr(e) == Expr::Var(var) && is_end(end),
            _ => false,
        })
    }
}

/// Whether a condition that holds says that `e` is below something.
fn says(exprs: &Exprs, cond: ExprId, e: ExprId, is_end: &impl Fn(ExprId) -> bool) -> bool {
    match exprs.expr(cond) {
        Expr::Bin(BinOp::Lt, a, end) => a == e && is_end(end),
        Expr::Bin(BinOp::And, a, b) => says(exprs, a, e, is_end) || says(exprs, b, e, is_end),
        _ => false,
    }
}

/// The most terms of an index that is looked at as a place in a chunk.
const MAX_TERMS: usize = 32;

/// The terms of a sum of `u32`, if they are few: sums of sums that are shared have exponentially many.
fn terms(exprs: &Exprs, e: ExprId) -> Option<Vec<ExprId>> {
    let (mut open, mut found) = (vec![e], Vec::new());
    while let Some(e) = open.pop() {
        match exprs.expr(e) {
            Expr::Bin(BinOp::Add, a, b) => open.extend([b, a]),
            _ => found.push(e),
        }
        if open.len() + found.len() > MAX_TERMS {
            return None;
        }
    }
    Some(found)
}

/// How many elements a chunk has.
#[derive(Clone, Copy)]
enum Size {
    /// Not 0.
    Constant(u32),
    /// The value of this expression, which may be 0: then no chunk has an element.
    Value(ExprId),
}

impl Size {
    fn is(self, exprs: &Exprs, e: ExprId) -> bool {
        match self {
            Size::Constant(d) => exprs.as_u32(e) == Some(d),
            Size::Value(d) => e == d,
        }
    }
}

/// A product as so many of a size: each way to read it.
fn products(exprs: &Exprs, e: ExprId) -> Vec<(ExprId, Size)> {
    let Expr::Bin(BinOp::Mul, a, b) = exprs.expr(e) else { return Vec::new() };
    match exprs.as_u32(b) {
        Some(0) => Vec::new(),
        Some(d) => vec![(a, Size::Constant(d))],
        None => vec![(a, Size::Value(b)), (b, Size::Value(a))],
    }
}

/// Whether `e` is `n / d`.
fn is_quotient(exprs: &Exprs, e: ExprId, n: ExprId, d: Size) -> bool {
    match (exprs.expr(e), d) {
        (Expr::Bin(BinOp::Div, of, by), _) => of == n && d.is(exprs, by),
        (Expr::Bin(BinOp::Shr, of, by), Size::Constant(d)) => {
            of == n && exprs.as_u32(by).is_some_and(|k| k < 32 && 1 << k == d)
        }
        _ => false,
    }
}

/// Whether `e` is `n % d`.
fn is_remainder(exprs: &Exprs, e: ExprId, n: ExprId, d: Size) -> bool {
    match (exprs.expr(e), d) {
        (Expr::Bin(BinOp::Rem, of, by), _) => of == n && d.is(exprs, by),
        (Expr::Bin(BinOp::And, of, by), Size::Constant(d)) => {
            of == n && d.is_power_of_two() && exprs.as_u32(by) == Some(d - 1)
        }
        _ => false,
    }
}

/// Whether `e` is how many elements chunk `b` of `n` elements has, where it has some: `if b < n / d { d } else { n % d }`.
fn is_ragged(exprs: &Exprs, e: ExprId, (b, n): (ExprId, ExprId), d: Size) -> bool {
    let Expr::Select(cond, whole, left) = exprs.expr(e) else { return false };
    // Where the condition does not hold, there may be more.
    let is_whole = says(exprs, cond, b, &|end| is_quotient(exprs, end, n, d));
    let fits = match d {
        Size::Constant(d) => exprs.as_u32(whole).is_some_and(|whole| whole <= d),
        Size::Value(d) => whole == d,
    };
    is_whole && fits && is_remainder(exprs, left, n, d)
}

/// Whether `e` is at most one more than `n / d`: `n / d + min(n % d, 1)`.
fn is_number_of_chunks(exprs: &Exprs, e: ExprId, n: ExprId, d: Size) -> bool {
    let Expr::Bin(BinOp::Add, whole, more) = exprs.expr(e) else { return false };
    is_quotient(exprs, whole, n, d) && exprs.range(more).hi <= 1
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use crate::program::text::read;

    /// Whether a write at `at` of `n * m` elements may stray, by blocks `b` below `blocks` where `cond` holds.
    fn wrong(blocks: &str, cond: &str, at: &str) -> bool {
        wrong_code(blocks, &format!("      if {cond}\n        prove out[{at}] = t"))
    }

    /// The same of the code of threads `t`.
    fn wrong_code(blocks: &str, code: &str) -> bool {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  m: u32
  out out: u32[n * m]
  distribute Block b < {blocks}
    forall Block t < 64
{code}
"
        );
        check(&read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))).is_err()
    }

    #[test]
    fn chunks_of_a_product_are_inside() {
        assert!(!wrong("(n * m) >> 6", "n < m", "(b * 64) + t"));
        assert!(!wrong("m", "b < ((n * m) / 65)", "(b * 65) + t"));
        assert!(!wrong("m", "(n < m) & (b < ((n * m) / 192))", "(b * 192) + ((t * 3) + 2)"));
        assert!(!wrong("m", "t < ((n * m) & 63)", "(((n * m) >> 6) * 64) + t"));
        assert!(!wrong("m", "t < ((n * m) % 65)", "t + (((n * m) / 65) * 65)"));
        let ragged = "((n * m) / 60) + min((n * m) % 60, 1)";
        let of_chunk = "t < (if b < ((n * m) / 60) { 60 } else { (n * m) % 60 })";
        assert!(!wrong(ragged, of_chunk, "(b * 60) + t"));
        let perhaps = "t < (if (n < m) & (b < ((n * m) / 60)) { 60 } else { (n * m) % 60 })";
        assert!(!wrong(ragged, perhaps, "(b * 60) + t"));
        for (blocks, cond, at) in [
            (ragged, of_chunk, "(b * 60) + (t + 1)"),
            (ragged, of_chunk, "(b * 61) + t"),
            (ragged, "t < (if b < ((n * m) / 60) { 61 } else { (n * m) % 60 })", "(b * 60) + t"),
            (ragged, "t < (if b < ((n * m) / 60) { 60 } else { (n * m) % 61 })", "(b * 60) + t"),
            (ragged, "t < (if b < ((n * m) / 59) { 60 } else { (n * m) % 60 })", "(b * 60) + t"),
            (ragged, "t < (if b <= ((n * m) / 60) { 60 } else { (n * m) % 60 })", "(b * 60) + t"),
            ("((n * m) / 60) + min((n * m) % 60, 2)", of_chunk, "(b * 60) + t"),
            ("((n * m) / 59) + min((n * m) % 60, 1)", of_chunk, "(b * 60) + t"),
            ("(n * m) >> 6", "n < m", "(b * 64) + (t + 1)"),
            ("(n * m) >> 6", "n < m", "(b * 65) + t"),
            ("(n * m) >> 5", "n < m", "(b * 64) + t"),
            ("((n * m) >> 6) + 1", "n < m", "(b * 64) + t"),
            ("m", "b <= ((n * m) / 64)", "(b * 64) + t"),
            ("m", "b < ((n * n) / 64)", "(b * 64) + t"),
            ("m", "(n < m) | (b < ((n * m) / 64))", "(b * 64) + t"),
            ("m", "t < ((n * m) & 63)", "(((n * m) >> 6) * 64) + (t + 1)"),
            ("m", "t < ((n * m) & 63)", "(((n * m) >> 6) * 64) + (t + b)"),
            ("m", "t < ((n * m) & 31)", "((((n * m) >> 6) + 1) * 64) + t"),
            ("m", "t < ((n * n) & 63)", "(((n * m) >> 6) * 64) + t"),
            ("m", "t < ((n * m) & 127)", "(((n * m) >> 6) * 64) + t"),
            ("m", "t < ((n * m) & 63)", "(b * 64) + t"),
        ] {
            assert!(wrong(blocks, cond, at), "{blocks}, {cond}, {at}");
        }
    }

    /// Of `m` elements each, or as many as `n % 61` says.
    #[test]
    fn chunks_of_a_value_are_inside() {
        let ragged = "((n * m) / m) + min((n * m) % m, 1)";
        let of_chunk = "t < (if b < ((n * m) / m) { m } else { (n * m) % m })";
        for d in ["m", "(n % 61)"] {
            let of = |text: &str| {
                text.replace("/ m)", &format!("/ {d})"))
                    .replace("% m", &format!("% {d}"))
                    .replace("{ m }", &format!("{{ {d} }}"))
            };
            let at = |rest: &str| format!("(b * {d}) + {rest}");
            let last = |rest: &str| format!("(((n * m) / {d}) * {d}) + {rest}");
            assert!(!wrong(&of(ragged), &of(of_chunk), &at("t")));
            assert!(!wrong("m", &of("t < ((n * m) % m)"), &last("t")));
            for (blocks, cond, at) in [
                (of(ragged), of(of_chunk), at("(t + 1)")),
                (of(ragged), of("t < (if b < ((n * m) / m) { 64 } else { (n * m) % m })"), at("t")),
                (of(ragged), of("t < (if b < ((n * m) / m) { m } else { (n * m) % n })"), at("t")),
                (of(ragged), of("t < (if b <= ((n * m) / m) { m } else { (n * m) % m })"), at("t")),
                (of("((n * m) / n) + min((n * m) % m, 1)"), of(of_chunk), at("t")),
                ("m".into(), of("t < ((n * m) % m)"), last("(t + 1)")),
                ("m".into(), of("t < ((n * m) % n)"), last("t")),
                ("m".into(), of("t <= ((n * m) % m)"), last("t")),
                ("m".into(), of("t < ((n * n) % m)"), last("t")),
                ("m".into(), of("t < ((n * m) % m)"), format!("(((n * m) / n) * {d}) + t")),
            ] {
                assert!(wrong(&blocks, &cond, &at), "{blocks}, {cond}, {at}");
            }
        }
    }

    #[test]
    fn what_does_not_hold_or_holds_no_more_says_nothing() {
        let cond = "if b < ((n * m) / 65)";
        let written = "prove out[(b * 65) + t] = t";
        assert!(!wrong_code("m", &format!("      {cond}\n        {written}")));
        assert!(wrong_code("m", &format!("      {cond}\n        let x = t\n      else\n        {written}")));
        let of_variable = |set: &str| {
            wrong_code(
                "m",
                &format!(
                    "      local c: u32 = b\n      if c < ((n * m) / 65)\n        c = {set}\n        \
                     prove out[(c * 65) + t] = t"
                ),
            )
        };
        assert!(of_variable("c + 1"));
    }
}
