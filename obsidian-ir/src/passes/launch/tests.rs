//! Which checks launch arithmetic gets, and which it has already.

use super::{be_exact, keep_to};
use crate::passes::verify::Limit;
use crate::program::text::read;
use crate::program::{Stmt, StmtKind, print_expr};

/// The checks of a kernel whose output has `len` elements, besides the one that it states.
fn added(states: &str, len: &str) -> Vec<String> {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  m: u32
  out out: u32[{len}]
  where {states}   // stated
  distribute Block b < 1
    forall Block i < 64
      out[i] = i
"
    );
    let mut p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let stated = p.checks.len();
    be_exact(&mut p);
    p.checks[stated..].iter().map(|check| print_expr(&p, check.cond)).collect()
}

/// 2^32 / 100,000 is 42,949; what is left over is more than that.
#[test]
fn a_large_factor_is_checked_by_its_quotient() {
    for product in ["n * 100000", "100000 * n"] {
        assert_eq!(added("n <= 42949", product), [""; 0], "{product}");
        assert_eq!(added("n <= 42950", product), ["n <= 42949"], "{product}");
        assert_eq!(added("n <= 60000", product), ["n <= 42949"], "{product}");
    }
}

#[test]
fn a_shift_is_checked_by_what_it_leaves() {
    assert_eq!(added("n <= 0xffffff", "n << 8"), [""; 0]);
    assert_eq!(added("n <= 0x1000000", "n << 8"), ["n <= 16777215"]);
}

#[test]
fn sums_and_differences_are_checked_at_their_ends() {
    assert_eq!(added("n <= 0xfffffffa", "n + 5"), [""; 0]);
    assert_eq!(added("n <= 0xfffffffb", "n + 5"), ["n <= 0xfffffffa"]);
    assert_eq!(added("m <= n", "n - m"), [""; 0]);
    assert_eq!(added("m <= 100", "n - m"), ["m <= n"]);
}

/// The checks that keep a product of these values and a number below 2^32.
fn kept(factors: &[&str], times: u32) -> Vec<String> {
    let lets: String = factors.iter().map(|factor| format!("      out[i] = {factor}\n")).collect();
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  m: u32
  out out: u32[64]
  distribute Block b < 1
    forall Block i < 64
{lets}"
    );
    let mut p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let StmtKind::DistrPar { body, .. } = &p.body[0].kind else { panic!("{text}") };
    let StmtKind::ForAll { body, .. } = &body[0].kind else { panic!("{text}") };
    let value = |stmt: &Stmt| match stmt.kind {
        StmtKind::Assign { value, .. } => value,
        _ => panic!("{text}"),
    };
    let factors = body.iter().map(value).collect();
    keep_to(&mut p, &[Limit::Product { factors, times }]);
    p.checks.iter().map(|check| print_expr(&p, check.cond)).collect()
}

/// A number that a value is multiplied with and one that the compiler knows are not multiplied modulo 2^32.
#[test]
fn a_product_of_values_and_numbers_is_kept_below_all_numbers() {
    assert_eq!(kept(&["n"], 1), [""; 0]);
    assert_eq!(kept(&["n"], 256), ["n <= 16777215"]);
    assert_eq!(kept(&["n * 65536"], 65536), ["n <= 65535", "(n * 65536) <= 65535"]);
    assert_eq!(kept(&["n * 65537"], 70000), ["n <= 65535", "(n * 65537) <= 61356"]);
    // The number may be one of the factors.
    assert_eq!(kept(&["n * 65536", "65536"], 1), ["n <= 65535", "(n * 65536) <= 65535"]);
    assert_eq!(kept(&["65536", "n * 65536"], 2), ["n <= 65535", "(n * 65536) <= 32767"]);
    assert_eq!(kept(&["n", "m"], 1), ["n <= (0xffffffff / max(m, 1))"]);
    assert_eq!(kept(&["n", "m"], 4), ["n <= (0xffffffff / max(m, 1))", "(n * m) <= 1073741823"]);
    // Numbers alone.
    assert_eq!(kept(&["65535", "65537"], 1), [""; 0]);
    assert_eq!(kept(&["65536", "65536"], 1), ["false"]);
    assert_eq!(kept(&["n", "65536"], 65536), ["n <= 0"]);
}
