//! Loops of which only the launch knows the length, and proofs that are compared with others.

use super::tests::{found, found_in};
use super::{Limit, Proved, check, parts};
use crate::program::text::read;
use crate::program::{Expr, ExprId, ParamId};

/// What is said of `blocks` blocks that go through `rounds` rounds of 64 elements of an output of `len`.
fn rounds(len: &str, blocks: &str, rounds: &str, place: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  out out: u32[{len}]
  distribute Block b < {blocks}
    seq k in 0..{rounds}
      forall Block i < 64
        prove out[{place}] = i
"
    );
    found_in(&text)
}

/// A few rounds are looked at for an example, never for a proof.
#[test]
fn rounds_that_are_not_counted_fill_nothing() {
    for count in [1, 2, 4, 8] {
        let len = (64 * count).to_string();
        assert_eq!(rounds(&len, "1", &count.to_string(), "(k * 64) + i"), "");
        assert_ne!(rounds(&len, "1", "n", "(k * 64) + i"), "", "{count}");
        assert_ne!(rounds(&len, "1", &format!("min(n, {count})"), "(k * 64) + i"), "", "{count}");
        let part = format!("((b * {len}) + (k * 64)) + i");
        assert_eq!(rounds(&format!("n * {len}"), "n", &count.to_string(), &part), "");
        assert_ne!(rounds(&format!("n * {len}"), "n", "n", &part), "", "{count}");
    }
}

/// Threads of a grid, some too many, each of which writes a row under tests one in the other: what is said of them.
fn rows_of_threads(asked: &str, blocks: &str, tests: &str, len: &str) -> String {
    let steps = tests.split("; ").map(|test| format!("if {test}"));
    let steps = steps.chain(["seq j in 0..k", "prove out[(((b * 256) + t) * k) + j] = j"].map(String::from));
    let body: String = steps.enumerate().map(|(depth, step)| format!("{}{step}\n", "  ".repeat(3 + depth))).collect();
    let text = format!(
        "kernel k (threads = 256, shared = 0 B)
  in  n: u32
  in  k: u32
  in  xs: u32[len(xs)]
  out out: u32[{len}]
  where {asked}   // asked
  distribute Block b < {blocks}
    forall Block t < 256
{body}"
    );
    found_in(&text)
}

#[test]
fn threads_that_are_not_too_many_fill_their_rows() {
    let (asked, blocks, test, len) = ("n <= 0xffffff00", "(n + 255) >> 8", "((b * 256) + t) < n", "n * k");
    assert_eq!(rows_of_threads(asked, blocks, test, len), "");
    assert_eq!(rows_of_threads(asked, "(n + 255) / 256", "n > ((b * 256) + t)", len), "");
    for (asked, blocks, test, len) in [
        // The sum wraps where it is not asked that it does not, and there are no blocks.
        ("n <= 0xffffff01", blocks, test, len),
        ("k <= 0xffffff00", blocks, test, len),
        // The last block is missing, or may be.
        (asked, "n >> 8", test, len),
        (asked, "(n + 254) >> 8", test, len),
        (asked, "(n + 255) >> 9", test, len),
        (asked, "(k + 255) >> 8", test, len),
        // Some threads do nothing.
        (asked, blocks, "((b * 256) + t) < k", len),
        (asked, blocks, "(((b * 256) + t) < n) & (t < 200)", len),
        (asked, blocks, "(((b * 256) + t) < n) & (((b * 256) + t) < k)", len),
        (asked, blocks, "(((b * 256) + t) < n) & (xs[t] == 0)", len),
        (asked, blocks, "((b * 256) + t) > n", len),
        (asked, blocks, "((b * 256) + t) < n; ((b * 256) + t) < k", len),
        (asked, blocks, "((b * 256) + t) < n; xs[t] < n", len),
        // The output is longer.
        (asked, blocks, test, "(n * k) + 1"),
        (asked, blocks, test, "n * n"),
    ] {
        let text = rows_of_threads(asked, blocks, test, len);
        assert!(text.contains("OB054"), "{asked}, {blocks}, {test}, {len}: {text}");
    }
}

#[test]
fn a_proof_is_within_another_if_it_asks_no_more_and_leaves_no_more_open() {
    let proof = |most: &[u32], open: &[&str]| Proved {
        limits: most.iter().map(|&most| Limit::Blocks { blocks: ExprId(0), most }).collect(),
        open: open.iter().map(|text| text.to_string()).collect(),
    };
    let given = proof(&[7], &["a"]);
    for within in [proof(&[7], &["a"]), proof(&[], &["a"]), proof(&[7], &[]), proof(&[], &[])] {
        assert!(within.is_within(&given), "{within:?}");
    }
    for outside in [proof(&[7, 8], &["a"]), proof(&[7], &["a", "b"]), proof(&[8], &[]), proof(&[], &["b"])] {
        assert!(!outside.is_within(&given), "{outside:?}");
    }
}

/// Blocks side by side write an interval that begins where another grid's ends.
#[test]
fn blocks_side_by_side_follow_another_grid() {
    let beside = |base: &str, stride: &str| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  m: u32
  out out: u32[(m * 64) + (n * 64)]
  blocks: max(m, n)
  distribute Block b < m
    forall Block i < 64
      prove out[(b * 64) + i] = i
  distribute Block c < n
    forall Block j < 64
      prove out[(({base}) + c) + (j * {stride})] = j
"
        );
        found_in(&text)
    };
    assert_eq!(beside("m * 64", "n"), "");
    for (base, stride) in [("m * 64", "m"), ("m * 32", "n"), ("n * 64", "n"), ("(m * 64) + 1", "n"), ("0", "n")] {
        assert_ne!(beside(base, stride), "", "{base} {stride}");
    }
}

/// Of more blocks than can be looked at one by one the parts are compared as those of an unknown number.
#[test]
fn parts_of_many_blocks_that_overlap_are_named() {
    let many = |each: u32| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  out out: u32[67108864]
  distribute Block b < 1048576
    forall Block i < 64
      prove out[(b * {each}) + i] = i
"
        );
        found_in(&text)
    };
    assert_eq!(many(64), "");
    assert!(many(32).starts_with("[OB052] element 0 of block 1's part of `out` is written twice"), "{}", many(32));
    assert!(many(96).starts_with("[OB053] element 64 of `out` is never written"), "{}", many(96));
}

/// A part of an output is told by the writes to it, whatever else a block touches.
#[test]
fn a_part_is_told_by_the_writes_to_its_output() {
    let text = "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  out one: u32[n * 64]
  out two: u32[n * 32]
  distribute Block b < n
    shared per Block s: u32[64]
    forall Block i < 64
      s[i] = i
    forall Block j < 64
      prove one[(b * 64) + j] = s[63 - j]
    forall Block k < 32
      prove two[(b * 32) + k] = s[k * 2]
";
    let p = read(text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(found(&p), "");
    assert_eq!(parts(&p), [Some(64), Some(32)]);
}

/// The rows that threads have to themselves are no more than fit: their number times their width is asked for.
#[test]
fn rows_are_no_more_than_fit() {
    let text = "kernel k (threads = 64, shared = 0 B)
  mut xs: u32[len(xs)]
  in  n: u32
  in  w: u32
  in  a: u32
  distribute Block b < n
    forall Block i < 64
      if w > 0
        prove xs[(((b * 64) + i) * w) + (a % w)] = 1
        prove xs[((b * 64) + i) * w] = 2
";
    let p = read(text).unwrap_or_else(|e| panic!("{e}"));
    let limits = check(&p).expect("proved");
    let w = (0..p.exprs.len() as u32).map(ExprId).find(|&e| p.exprs.expr(e) == Expr::Scalar(ParamId(2)));
    let widths = limits.iter().filter(|limit| match limit {
        Limit::Product { factors, .. } => factors.len() == 3 && w.is_some_and(|w| factors.contains(&w)),
        Limit::Blocks { .. } => false,
    });
    assert_ne!(widths.count(), 0, "{limits:?}");
}

/// A name for what a variable was is not what it is now: rows of `t + j - q`, where `q` is the last value of `j`, are not those of `t`.
#[test]
fn names_of_what_changes_number_no_rows() {
    let text = |set: &str| {
        format!(
            "kernel k (threads = 64, shared = 0 B)
  mut xs: u32[len(xs)]
  in  w: u32
  in  a: u32
  distribute Block b < 1
    forall Block i < 64
      if w > 0
        local j: u32 = a
        let q = j
        {set}
        prove xs[(((i + j) - q) * w) + (a % w)] = 1
        prove xs[((i + j) - q) * w] = 2
"
        )
    };
    let said = |set| found(&read(&text(set)).unwrap_or_else(|e| panic!("{e}\n{}", text(set))));
    assert_ne!(said("j = j * a"), "");
}
