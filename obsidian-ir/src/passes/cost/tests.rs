//! What is counted of a block's arithmetic, and in which loops that is one round's.

use super::{Certainty, report};
use crate::program::text::read;

/// The operations of 64 threads that each do `body` with a variable `v`.
fn operations(body: &str) -> (u64, Certainty) {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  xs: f32[64]
  out out: f32[64]
  distribute Block b < 1
    forall Block i < 64
      local v: f32 = xs[i]
{body}
      out[i] = v
"
    );
    let found = report(&read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))).operations;
    (found.total, found.certainty)
}

#[test]
fn operations_are_counted_once_for_each_thread_and_round() {
    assert_eq!(operations("      v = v * v"), (64, Certainty::Exact));
    assert_eq!(operations("      v = (v * v) + v"), (128, Certainty::Exact));
    assert_eq!(operations("      if i < 16\n        v = v * v"), (16, Certainty::Exact));
    assert_eq!(operations("      seq r in 0..4\n        v = v * v"), (256, Certainty::Exact));
    assert_eq!(operations("      let w = v * v\n      v = w"), (64, Certainty::Exact));
}

/// How often such a loop goes round is not told.
#[test]
fn of_a_loop_of_unknown_length_one_round_is_counted() {
    assert_eq!(operations("      seq r in 0..n\n        v = v * v"), (64, Certainty::EachRound));
    assert_eq!(operations("      while v > 2.0\n        v = v * v"), (64, Certainty::EachRound));
}
