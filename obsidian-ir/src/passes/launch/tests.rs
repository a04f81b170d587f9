//! Which checks launch arithmetic gets, and which it has already.

use super::be_exact;
use crate::program::print_expr;
use crate::program::text::read;

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
