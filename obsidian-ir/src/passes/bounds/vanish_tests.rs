//! What the count of a loop tells of the numbers that it is made of (R31), and counters that go as far as data says.

use super::{check, unproved};
use crate::program::text::read;

/// Whether `xs` is known to have an element where as many blocks run.
fn has_one(blocks: &str) -> bool {
    has_one_where("", blocks)
}

/// The same of launches that keep `asked`.
fn has_one_where(asked: &str, blocks: &str) -> bool {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  xs: u32[len(xs)]
  in  n: u32
{asked}  distribute Block b < {blocks}
    shared per Block s: u32[1]
    forall Block i < 1
      s[i] = xs[min(b, len(xs) - 1)]
"
    );
    check(&read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))).is_ok()
}

#[test]
fn what_a_count_vanishes_with_is_not_zero() {
    for blocks in [
        "(len(xs) >> 5) + min(len(xs) & 31, 1)",
        "n * ((len(xs) >> 5) + min(len(xs) & 31, 1))",
        "n * len(xs)",
        "min(n, len(xs))",
        "(len(xs) | (len(xs) << 3)) & n",
        "(len(xs) / 3) + (len(xs) % 7)",
        "if n > 5 { len(xs) >> 1 } else { len(xs) }",
    ] {
        assert!(has_one(blocks), "{blocks}");
    }
}

/// Devices may give any number for a division by zero.
#[test]
fn what_is_divided_by_zero_is_any_number() {
    let blocks = "(len(xs) / n) + (len(xs) % n)";
    assert!(has_one_where("  where n != 0, found n   // `n` must not be 0\n", blocks));
    assert!(!has_one(blocks));
}

#[test]
fn what_it_need_not_vanish_with_may_be_zero() {
    for blocks in [
        "n",
        "len(xs) + 1",
        "len(xs) + n",
        "n - len(xs)",
        "len(xs) ^ n",
        "len(xs) | n",
        "max(len(xs), n)",
        "n >> len(xs)",
        "n << len(xs)",
        "if n > 5 { len(xs) } else { n }",
        // Below zero as a number with a sign.
        "min(n as i32, len(xs) as i32) as u32",
    ] {
        assert!(!has_one(blocks), "{blocks}");
    }
}

/// A proof by the count of a loop holds in that loop alone, also where the same read stands behind it and nobody reads the counter.
#[test]
fn a_count_says_nothing_behind_its_loop() {
    let text = |behind: &str| {
        format!(
            "kernel k (threads = 64, shared = 0 B)
  in  xs: u32[len(xs)]
  distribute Block b < 1
    shared per Block s: u32[1]
    forall Block i < 1
      seq k in 0..len(xs)
        s[i] = xs[min(i, len(xs) - 1)]
      s[i] = {behind}
"
        )
    };
    let inside = |behind| check(&read(&text(behind)).unwrap_or_else(|e| panic!("{e}\n{}", text(behind)))).is_ok();
    assert!(inside("0"));
    assert!(!inside("xs[min(i, len(xs) - 1)]"));
}

/// What is said of the read of `ys` at `k` in a loop from `start` to `end`.
fn code(start: &str, end: &str) -> &'static str {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  at: u32[64]
  in  ys: u32[len(ys)]
  distribute Block b < 1
    shared per Block s: u32[64]
    forall Block i < 64
      seq k in {start}..{end}
        seq j in 0..k
          s[i] = ys[j]
"
    );
    let p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    unproved(&p).err().map_or("", |e| e.code)
}

/// A read in a loop that goes as far as data says is a read by data, which a guard is for; also in a loop that goes on from there.
#[test]
fn a_counter_depends_on_the_data_that_its_loop_depends_on() {
    assert_eq!(code("0", "at[i]"), "");
    assert_eq!(code("at[i]", "i"), "");
    assert_ne!(code("0", "len(ys) + 2"), "");
}
