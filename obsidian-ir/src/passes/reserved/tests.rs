//! R32: each thing that the argument needs, taken away.

use super::totals;
use crate::passes::bounds;
use crate::passes::verify::{self, Limit};
use crate::program::text::read;
use crate::program::{Program, print_expr};

/// A kernel of 9 blocks, each with an array `n` that it fills, which does `code`.
fn kernel(code: &str) -> Program {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  xs: u32[len(xs)]
  in  m: u32
  mut out: u32[len(out)]
  mut other: u32[len(other)]
  mut count: u32[2]
  mut narrow: u64[2]
  distribute Block b < 9
{code}"
    );
    read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Whether the places of `out` are reserved.
fn is_reserved(code: &str) -> bool {
    let p = kernel(code);
    let out = p.arrays.iter().position(|array| array.name == "out").expect("it is declared");
    totals(&p, crate::program::ArrayId(out as u32)).is_some()
}

const BY_THREADS: &str = "    forall Block i < 64
      if xs[i] < 5
        let at = atomic_add(count[0], 1)
        prove out[at] = i
";

/// By a block, which counts in `n[0]` what it takes at most.
const BY_BLOCK: &str = "    shared per Block n: u32[1]
    forall Block j < 1
      n[0] = xs[b]
    shared per Block s: u32[1]
    forall Block z < 1
      s[0] = 0
    forall Block t < 1
      let old = atomic_add(count[0], min(n[0], 64))
      prove s[0] = old
    forall Block l < 64
      if l < min(n[0], 64)
        prove out[s[0] + l] = l
";

#[test]
fn places_are_reserved_by_threads_and_blocks() {
    assert!(is_reserved(BY_THREADS));
    assert!(is_reserved(BY_BLOCK));
    for code in [BY_THREADS, BY_BLOCK] {
        let p = kernel(code);
        let unproved = bounds::unproved(&p).unwrap_or_else(|mistake| panic!("{mistake:?}"));
        assert_eq!(unproved.updates.len(), 1, "the place may be behind the end");
        verify::check(&p).unwrap_or_else(|mistake| panic!("{mistake:?}"));
    }
    // A thread that takes several, and writes them one after another.
    assert!(is_reserved(
        &BY_THREADS
            .replace("count[0], 1)", "count[0], 3)")
            .replace("        prove out[at] = i", "        seq k in 0..3\n          prove out[at + k] = i")
    ));
    // Or by statements of their own.
    let pair = BY_THREADS.replace("count[0], 1)", "count[0], 2)");
    let pair = pair.replace("prove out[at] = i\n", "prove out[at + 1] = i\n        prove out[at] = i\n");
    assert!(is_reserved(&pair));
    none_is_reserved(&pair, &[("at + 1", "at + 2"), ("at + 1", "at"), ("count[0], 2)", "count[0], 1)")]);
    // Through a name.
    let named = "        let first = s[0]\n        prove out[l + first] = l";
    assert!(is_reserved(&BY_BLOCK.replace("        prove out[s[0] + l] = l", named)));
    // Two arrays at the same places, two sums of one counter.
    assert!(is_reserved(&BY_THREADS.replace("out[at] = i\n", "out[at] = i\n        prove other[at] = i\n")));
    assert!(is_reserved(&format!("{BY_THREADS}{BY_BLOCK}")));
}

/// Each change of a text that was right.
fn none_is_reserved(right: &str, changes: &[(&str, &str)]) {
    for (from, to) in changes {
        assert!(right.contains(from), "{from}");
        assert!(!is_reserved(&right.replacen(from, to, 1)), "{from} => {to}");
    }
}

#[test]
fn nothing_else_is_done_to_counter_and_array() {
    none_is_reserved(
        BY_THREADS,
        &[
            ("prove out[at] = i\n", "prove out[at] = i\n      prove out[i] = 2\n"),
            ("prove out[at] = i\n", "prove out[at] = out[i]\n"),
            ("prove out[at] = i\n", "prove out[at] = i\n      let before = atomic_add(out[at], 1)\n"),
            ("prove out[at] = i\n", "prove out[at] = i\n        prove out[at] = 5\n"),
            ("prove out[at] = i\n", "prove out[at] = i\n      prove count[0] = 0\n"),
            ("prove out[at] = i\n", "prove out[at] = i\n      let before = atomic_min(count[0], 3)\n"),
            ("prove out[at] = i\n", "prove out[at] = i\n      let before = atomic_add(count[1], 1)\n"),
            ("prove out[at] = i\n", "prove out[at] = i\n      prove other[i] = count[0]\n"),
            // Who takes all that there can be comes round.
            ("prove out[at] = i\n", "prove out[at] = i\n      let before = atomic_add(count[0], xs[i])\n"),
            ("atomic_add(count[0], 1)", "atomic_max(count[0], 1)"),
            ("atomic_add(count[0], 1)", "atomic_add(count[m], 1)"),
            ("atomic_add(count[0], 1)", "atomic_add(count[0], 0)"),
            ("atomic_add(count[0], 1)", "atomic_add(count[0], xs[i])"),
            ("if xs[i] < 5", "while xs[i] < 5"),
        ],
    );
    // Two counters do not know of one another.
    assert!(!is_reserved(&format!("{BY_THREADS}{}", BY_BLOCK.replace("count[0]", "other[0]"))));
    assert!(!is_reserved(&format!("{BY_THREADS}{}", BY_BLOCK.replace("count[0]", "count[1]"))));
    // Sums of 64 bits come round at other places than indices do.
    assert!(!is_reserved(&BY_THREADS.replace("count[0], 1)", "narrow[0], 1)").replace("out[at]", "out[at as u32]")));
}

#[test]
fn each_place_is_written_once_by_its_holder() {
    none_is_reserved(
        BY_THREADS,
        &[
            ("out[at]", "out[at + 1]"),
            ("out[at]", "out[at + i]"),
            ("out[at]", "out[at - 1]"),
            ("        prove", "        seq k in 0..2\n          prove"),
        ],
    );
    none_is_reserved(
        BY_BLOCK,
        &[
            ("if l < min(n[0], 64)", "if l <= min(n[0], 64)"),
            ("if l < min(n[0], 64)", "if l < (min(n[0], 64) + 1)"),
            ("if l < min(n[0], 64)", "if l < n[0]"),
            ("if l < min(n[0], 64)", "if min(n[0], 64) < l"),
            ("out[s[0] + l]", "out[s[0]]"),
            ("        prove out", "        seq k in 0..2\n          prove out"),
            ("out[s[0] + l]", "out[s[0] + (l * 2)]"),
            ("out[s[0] + l]", "out[s[0] + (63 - l)]"),
            ("        prove out", "        let round = l\n      else\n        prove out"),
        ],
    );
    let counted =
        BY_THREADS.replace("        prove", "        seq k in 0..3\n          prove").replace("out[at]", "out[at + k]");
    none_is_reserved(
        &counted.replace("count[0], 1)", "count[0], 3)"),
        &[("count[0], 3)", "count[0], 2)"), ("0..3", "0..4"), ("0..3", "1..3"), ("at + k", "at + (k + 1)")],
    );
}

#[test]
fn all_know_the_place_that_one_thread_has_stored() {
    none_is_reserved(
        BY_BLOCK,
        &[
            // Not all blocks take a ticket, or more than one thread does.
            (
                "    forall Block t < 1
      let old = atomic_add(count[0], min(n[0], 64))
      prove s[0] = old",
                "    if xs[b] < 5
      forall Block t < 1
        let old = atomic_add(count[0], min(n[0], 64))
        prove s[0] = old",
            ),
            ("forall Block t < 1", "forall Block t < 2"),
            (
                "      let old = atomic_add(count[0], min(n[0], 64))
      prove s[0] = old",
                "      if xs[b] < 5
        let old = atomic_add(count[0], min(n[0], 64))
        prove s[0] = old",
            ),
            ("      prove s[0] = old", "      if xs[b] < 5\n        prove s[0] = old"),
            // Something else is there when it is read.
            ("prove s[0] = old\n", "prove s[0] = old\n      prove s[0] = 0\n"),
            ("prove s[0] = old\n", "prove s[0] = old\n    forall Block y < 1\n      prove s[0] = 0\n"),
            ("prove s[0] = old\n", "prove s[0] = old + 1\n"),
            ("      prove s[0] = old\n", "      prove s[1] = old\n"),
            ("out[s[0] + l]", "out[s[m] + l]"),
            // The amount changes in between, or may be anything.
            ("    forall Block l < 64", "    forall Block x < 1\n      n[0] = 64\n    forall Block l < 64"),
            ("count[0], min(n[0], 64)", "count[0], n[0]"),
            ("count[0], min(n[0], 64)", "count[0], min(n[0], 63)"),
            ("count[0], min(n[0], 64)", "count[0], min(other[0], 64)"),
        ],
    );
    // It is read before it is there.
    let (before, after) = BY_BLOCK.split_at(BY_BLOCK.find("    forall Block t").expect("it is there"));
    let (taken, written) = after.split_at(after.find("    forall Block l").expect("it is there"));
    assert!(is_reserved(&format!("{before}{taken}{written}")));
    assert!(!is_reserved(&format!("{before}{written}{taken}")));
    // In a loop each round has its own.
    let looped = |inner: &str| {
        let inner: String = inner.lines().map(|line| format!("  {line}\n")).collect();
        format!("    seq round in 0..3\n{inner}")
    };
    assert!(is_reserved(&looped(BY_BLOCK)));
    let (outside, inside) = BY_BLOCK.split_at(BY_BLOCK.find("    forall Block z").expect("it is there"));
    assert!(!is_reserved(&format!("{outside}{}", looped(inside))));
}

/// What all take together is below 2^32.
#[test]
fn the_launch_takes_less_than_there_are_numbers() {
    let limits = |code: &str| -> Vec<String> {
        let p = kernel(code);
        let proved = verify::proved(&p).unwrap_or_else(|mistake| panic!("{mistake:?}"));
        let text = |limit: &Limit| match limit {
            Limit::Product { factors, times } => {
                let factors = factors.iter().map(|&e| format!("{} * ", print_expr(&p, e)));
                format!("{}{times}", factors.collect::<String>())
            }
            Limit::Blocks { .. } => "blocks".to_string(),
        };
        let mut all: Vec<String> = proved.limits.iter().map(text).collect();
        all.dedup();
        all
    };
    assert_eq!(limits(BY_THREADS), ["576"]);
    assert_eq!(limits(BY_BLOCK), ["576"]);
    let rounds = "    forall Block i < 64
      seq k in 0..m
        let at = atomic_add(count[0], 1)
        prove out[at] = i
";
    assert_eq!(limits(rounds), ["m * 576"]);
    let by_launch = "    forall Block i < 64
      let at = atomic_add(count[0], m)
      seq k in 0..m
        prove out[at + k] = i
";
    assert_eq!(limits(by_launch), ["m * 576"]);
    // Each of two sums has half.
    let twice = format!("{BY_THREADS}      let more = atomic_add(count[0], 1)\n");
    assert_eq!(limits(&twice), ["1152"]);
}
