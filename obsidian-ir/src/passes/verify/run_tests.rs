//! Runs of an output (R28), what one thread does alone (R29), places that are turned (R30): what is proved, and what the rules
//! must not let through.

use super::tests::found_in;

/// What is said of `blocks` blocks of 64 threads that do `body` to an output of `len` elements, where `n` is a scalar and `at` is the place
/// of a thread of all.
fn grid(len: &str, blocks: &str, body: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  m: u32
  in  xs: u32[len(xs)]
  out out: u32[{len}]
  distribute Block b < {blocks}
    forall Block i < 64
{body}"
    );
    found_in(&text)
}

const ENOUGH: &str = "(n >> 6) + min(n & 63, 1)";

/// `at < end` around a write at `place`.
fn cut(end: &str, place: &str) -> String {
    format!("      if ((b * 64) + i) < {end}\n        prove out[{place}] = i\n")
}

#[test]
fn an_output_written_backwards_is_written() {
    let back = cut("n", "(n - 1) - ((b * 64) + i)");
    assert_eq!(grid("n", ENOUGH, &back), "");
    // One block too few, one element too far, one condition too narrow.
    assert_ne!(grid("n", "n >> 6", &back), "");
    assert_ne!(grid("n", ENOUGH, &cut("n", "n - ((b * 64) + i)")), "");
    assert_ne!(grid("n", ENOUGH, &cut("m", "(n - 1) - ((b * 64) + i)")), "");
    assert_ne!(grid("n", ENOUGH, &cut("n", "(n - 1) - ((b * 64) + (i >> 1))")), "");
    assert_ne!(grid("n", ENOUGH, &cut("n", "(n - 1) - ((b * 32) + i)")), "");
}

#[test]
fn halves_that_one_loop_writes_are_written() {
    let halves = |second: &str| {
        let body = format!(
            "      if ((b * 64) + i) < n\n        prove out[(b * 64) + i] = i\n        prove out[{second}] = i\n"
        );
        grid("n * 2", ENOUGH, &body)
    };
    assert_eq!(halves("n + ((b * 64) + i)"), "");
    assert_eq!(halves("((n * 2) - 1) - ((b * 64) + i)"), "");
    assert_ne!(halves("(n + 1) + ((b * 64) + i)"), "");
    assert_ne!(halves("m + ((b * 64) + i)"), "");
    assert_ne!(halves("(b * 64) + i"), "");
    assert_ne!(halves("n + ((b * 64) + (i ^ 64))"), "");
}

#[test]
fn parts_of_blocks_in_two_halves_are_written() {
    let halves = |len: &str, second: &str| {
        let body = format!("      prove out[(b * 64) + i] = i\n      prove out[{second}] = i\n");
        grid(len, "n", &body)
    };
    assert_eq!(halves("n * 128", "(n * 64) + ((b * 64) + i)"), "");
    assert_ne!(halves("n * 128", "(n * 64) + ((b * 32) + i)"), "");
    assert_ne!(halves("n * 129", "(n * 64) + ((b * 64) + i)"), "");
    assert_ne!(halves("n * 128", "(m * 64) + ((b * 64) + i)"), "");
}

/// The blocks are enough for the shorter half only.
#[test]
fn each_run_needs_blocks_of_its_own() {
    let two = |end: &str, second: &str| grid("n + m", ENOUGH, &(cut("n", "(b * 64) + i") + &cut(end, second)));
    assert_ne!(two("m", "n + ((b * 64) + i)"), "");
    let body = cut("n", "(b * 64) + i") + &cut("n", "n + ((b * 64) + i)");
    assert_eq!(grid("n + n", ENOUGH, &body), "");
    assert_ne!(grid("n + m", ENOUGH, &body), "");
}

/// What is said of 64 threads of a block that do `body` to an array `s` of 64 elements.
fn threads(body: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  xs: u32[64]
  out out: u32[64]
  distribute Block b < 1
    shared per Block s: u32[64]
    forall Block j < 64
      s[j] = j
    seq k in 0..n
      forall Block i < 64
{body}    forall Block o < 64
      out[o] = s[o]
"
    );
    found_in(&text)
}

#[test]
fn what_one_thread_does_alone_meets_nothing() {
    let alone = |cond: &str| threads(&format!("        if {cond}\n          prove s[0] = s[0] + s[k & 63]\n"));
    assert_eq!(alone("i == k"), "");
    assert_eq!(alone("n == i"), "");
    assert_eq!(alone("i == (k + 1)"), "");
    assert_ne!(alone("i != k"), "");
    assert_ne!(alone("i < k"), "");
    assert_ne!(alone("(i >> 1) == k"), "");
    assert_ne!(alone("i == xs[i]"), "");
    assert_ne!(alone("i == (i & k)"), "");
    let other = "        if i == k\n          prove s[1] = 1\n        else\n          prove s[0] = 1\n";
    assert_ne!(threads(other), "");
    let changed = "        local v: u32 = 0\n        v = i\n        if i == v\n          prove s[0] = 1\n";
    assert_ne!(threads(changed), "");
    // A loop of the thread: each comes to a round of its own.
    let rounds = "        seq r in 0..8\n          if i == r\n            prove s[0] = 1\n";
    assert_ne!(threads(rounds), "");
}

#[test]
fn two_that_are_alone_may_be_two() {
    let both = |one: &str, other: &str| {
        threads(&format!("        if {one}\n          prove s[0] = 1\n        if {other}\n          prove s[0] = 2\n"))
    };
    assert_eq!(both("i == k", "i == k"), "");
    assert_ne!(both("i == k", "i == n"), "");
    let beside = "        if i == k\n          prove s[0] = 1\n        prove s[i] = 2\n";
    assert_ne!(threads(beside), "");
}

#[test]
fn places_that_a_number_of_the_launch_turns_are_places_in_another_order() {
    let turned = |place: &str| grid("n * 64", "n", &format!("      prove out[{place}] = i\n"));
    for place in [
        "(b * 64) + ((i + m) & 63)",
        "(b * 64) + (i ^ (m & 63))",
        "(b * 64) + ((i + b) & 63)",
        "(b * 64) + (((m - i) + 64) & 63)",
    ] {
        assert_eq!(turned(place), "", "{place}");
    }
    for place in [
        "(b * 64) + (((i >> 1) + m) & 63)",
        "(b * 64) + ((i + m) & 31)",
        "(b * 64) + ((i + (m * i)) & 63)",
        "(b * 64) + ((i + xs[i]) & 63)",
        "(b * 64) + ((i & 31) ^ (m & 31))",
        "(b * 32) + ((i + m) & 63)",
        "((b * 64) + 32) + ((i + m) & 63)",
        "(b * 64) + ((i + m) % 63)",
    ] {
        assert_ne!(turned(place), "", "{place}");
    }
    // Half of what is turned is no interval.
    let half = |size: u32| {
        let text = format!("      if i < 32\n        prove out[(b * 64) + ((i + m) & {})] = i\n", size - 1);
        grid("n * 64", "n", &text)
    };
    assert_ne!(half(64), "");
    assert_ne!(grid("32", "1", "      if i < 32\n        prove out[(i + m) & 63] = i\n"), "");
}

#[test]
fn what_is_turned_meets_what_is_not() {
    assert_eq!(threads("        prove s[(i + k) & 63] = i\n"), "");
    assert_eq!(threads("        prove s[(i ^ (k & 63))] = i\n        prove s[(i ^ (k & 63))] = 2\n"), "");
    assert_ne!(threads("        prove s[(i + k) & 63] = i\n        prove s[i] = i\n"), "");
    assert_ne!(threads("        prove s[(i + k) & 63] = i\n        prove s[(i + n) & 63] = i\n"), "");
    assert_ne!(threads("        prove s[(i + k) & 31] = i\n"), "");
    assert_ne!(threads("        prove s[((i >> 1) + k) & 63] = i\n"), "");
    // Without the turn these are apart; 0 turned by 48 is 48 + (16 turned by 48).
    assert_ne!(threads("        prove s[((i >> 5) * 48) + (((i & 31) + k) & 63)] = i\n"), "");
}

/// Fewer blocks come to the writes than there are, so they reach less far.
#[test]
fn blocks_that_do_something_else_write_nothing() {
    let but_the_last = |place: &str, last: &str| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  out out: u32[n]
  distribute Block b < {ENOUGH}
    if b < (n >> 6)
      forall Block i < 64
        if ((b * 64) + i) < n
          prove out[{place}] = i
{last}"
        );
        found_in(&text)
    };
    for place in ["(b * 64) + i", "(n - 1) - ((b * 64) + i)"] {
        assert_ne!(but_the_last(place, ""), "", "{place}");
    }
    let rest = "    else
      forall Block j < 64
        if j < (n & 63)
          prove out[(b * 64) + j] = 7
";
    assert_ne!(but_the_last("(n - 1) - ((b * 64) + i)", rest), "");
}

/// Warps are not in step, so each turns by a round of its own.
#[test]
fn what_each_warp_turns_by_itself_may_meet() {
    let warps = |place: &str| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  out out: u32[64]
  distribute Block b < 1
    shared per Block s: u32[64]
    forall Block j < 64
      s[j] = j
    distribute Warp w < 2
      seq k in 0..n
        forall Warp i < 32
          prove s[{place}] = i
    forall Block o < 64
      out[o] = s[o]
"
        );
        found_in(&text)
    };
    assert_eq!(warps("(((w * 32) + i) + n) & 63"), "");
    assert_ne!(warps("(((w * 32) + i) + k) & 63"), "");
}
