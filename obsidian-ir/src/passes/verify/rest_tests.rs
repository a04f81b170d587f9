//! The last block of chunks (R21): what is proved, and what the rule must not let through.

use super::rest::are_equal;
use super::tests::found_in;
use crate::passes::fixture::{self, Make};
use crate::passes::index::{Sum, Table};
use crate::program::{BinOp, ParamId, ScalarType};

/// What is said of `whole` blocks of 64 elements of `out`, and of `blocks` blocks for the rest of it, which do `body`.
fn both(whole: &str, blocks: &str, body: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  m: u32
  out out: u32[n]
  blocks: max({whole}, {blocks})
  distribute Block b < {whole}
    forall Block i < 64
      prove out[(b * 64) + i] = i
  distribute Block c < {blocks}
    forall Block j < 64
      if {body} = j
"
    );
    found_in(&text)
}

fn rest(blocks: &str, body: &str) -> String {
    both("n >> 6", blocks, body)
}

const UP: &str = "j < (n & 63)\n        prove out[((n >> 6) * 64) + j]";
const DOWN: &str = "j < (n & 63)\n        prove out[((((n >> 6) * 64) + (n & 63)) - 1) - j]";

/// There may be a block that has nothing to write; there must be one that has.
#[test]
fn the_rest_is_written_where_there_is_a_block_for_it() {
    for body in [UP, DOWN] {
        for blocks in ["min(n & 63, 1)", "min(1, n & 63)", "1"] {
            assert_eq!(rest(blocks, body), "", "{blocks}: {body}");
        }
        for blocks in
            ["0", "2", "min(n & 31, 1)", "min(m, 1)", "min(n & 63, 2)", "n & 63", "min(n, 1)", "min(n & 63, m)"]
        {
            assert_ne!(rest(blocks, body), "", "{blocks}: {body}");
        }
    }
}

#[test]
fn the_rest_is_written_whole_once_and_in_its_place() {
    for body in [
        "j < (n & 31)\n        prove out[((n >> 6) * 64) + j]",
        "j <= (n & 63)\n        prove out[((n >> 6) * 64) + j]",
        "(n & 63) < j\n        prove out[((n >> 6) * 64) + j]",
        "(j + 1) < (n & 63)\n        prove out[((n >> 6) * 64) + j]",
        "j < (n & 127)\n        prove out[((n >> 6) * 64) + j]",
        "j < m\n        prove out[((n >> 6) * 64) + j]",
        "j < (n & 63)\n        prove out[((n >> 6) * 64) + (j + 1)]",
        "j < (n & 63)\n        prove out[((n >> 6) * 64) + (j * 2)]",
        "j < (n & 63)\n        prove out[((n >> 6) * 64) + (j >> 1)]",
        "j < (n & 63)\n        prove out[((n >> 6) * 64) + (j ^ 1)]",
        "j < (n & 63)\n        prove out[((n >> 6) * 32) + j]",
        "j < (n & 63)\n        prove out[(((n >> 6) * 64) + (n & 63)) - j]",
        "j < (n & 63)\n        prove out[((((n >> 6) * 64) + (n & 63)) - 2) - j]",
    ] {
        assert_ne!(rest("1", body), "", "{body}");
    }
}

/// The whole blocks are `n / 64` of them, not as many of another number.
#[test]
fn the_rest_follows_the_whole_blocks() {
    let after = |whole: &str, size: u32| {
        both(whole, "min(n & 63, 1)", &format!("j < (n & 63)\n        prove out[(({whole}) * {size}) + j]"))
    };
    assert_eq!(after("n >> 6", 64), "");
    assert_eq!(after("n / 64", 64), "");
    for (whole, size) in [("m", 64), ("m >> 6", 64), ("n >> 5", 64), ("n >> 7", 64), ("n >> 6", 32), ("n >> 6", 63)] {
        assert_ne!(after(whole, size), "", "{whole} {size}");
    }
}

/// What is said of a last block whose threads write twice, each where another number is below an end.
fn twice(threads: u32, [first, second]: [(&str, &str, &str); 2]) -> String {
    let one = |(number, end, place): (&str, &str, &str)| {
        format!("      if ({number}) < ({end})\n        prove out[{place}] = j\n")
    };
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  m: u32
  out out: u32[n]
  blocks: max(n >> 6, min(n & 63, 1))
  distribute Block b < n >> 6
    forall Block i < 64
      prove out[(b * 64) + i] = i
  distribute Block c < min(n & 63, 1)
    forall Block j < {threads}
{}{}",
        one(first),
        one(second)
    );
    found_in(&text)
}

/// Each thread writes two neighbours, or two elements half a chunk apart.
#[test]
fn threads_of_the_last_block_write_several_elements() {
    const END: &str = "n & 63";
    let up = |x: &'static str, place: &'static str| (x, END, place);
    let even = up("j * 2", "((n >> 6) * 64) + (j * 2)");
    let odd = up("(j * 2) + 1", "((n >> 6) * 64) + ((j * 2) + 1)");
    let low = up("j", "((n >> 6) * 64) + j");
    let high = up("j + 32", "((n >> 6) * 64) + (j + 32)");
    let back = up("(j * 2) + 1", "((((n >> 6) * 64) + (n & 63)) - 1) - ((j * 2) + 1)");
    let first = up("j * 2", "((((n >> 6) * 64) + (n & 63)) - 1) - (j * 2)");
    for two in [[even, odd], [odd, even], [low, high], [first, back]] {
        assert_eq!(twice(32, two), "", "{two:?}");
    }
    let later = up("(j * 2) + 2", "((n >> 6) * 64) + ((j * 2) + 2)");
    let further = up("(j * 2) + 1", "((n >> 6) * 64) + ((j * 2) + 2)");
    let less = ("(j * 2) + 1", "n & 31", "((n >> 6) * 64) + ((j * 2) + 1)");
    let more = ("(j * 2) + 1", "m", "((n >> 6) * 64) + ((j * 2) + 1)");
    for two in [[even, even], [odd, later], [even, later], [even, further], [even, less], [even, more], [even, back]] {
        assert_ne!(twice(32, two), "", "{two:?}");
    }
    for two in [[even, odd], [low, high]] {
        assert_ne!(twice(31, two), "", "{two:?}");
    }
}

/// Both from the end on: what is left comes first then, and whole chunks behind it.
#[test]
fn the_whole_is_written_from_the_end() {
    let from_the_end = |last: &str, rest: &str| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  out out: u32[n]
  blocks: (n >> 6) + min(n & 63, 1)
  distribute Block b < (n >> 6) + min(n & 63, 1)
    if b < (n >> 6)
      forall Block i < 64
        prove out[(n - 1) - ((b * 64) + i)] = i
    else
      forall Block j < 63
        if j < ({rest})
          prove out[({last}) - (((n >> 6) * 64) + j)] = j
"
        );
        found_in(&text)
    };
    assert_eq!(from_the_end("n - 1", "n & 63"), "");
    assert_ne!(from_the_end("n - 2", "n & 63"), "");
    assert_ne!(from_the_end("n - 1", "n & 31"), "");
    assert_ne!(from_the_end("n - 1", "(n >> 1) & 63"), "");
}

#[test]
fn what_chunks_leave_is_the_rest_and_no_other_number() {
    let mut p = fixture::program(64);
    let [n, m] = [0, 1].map(|k| p.exprs.scalar(ParamId(k), ScalarType::U32));
    let (six, mask) = (Make::u32(&mut p, 6), Make::u32(&mut p, 63));
    let (whole, left) = (p.op(BinOp::Shr, n, six), p.op(BinOp::And, n, mask));
    let times = |e, k: u32| Sum::symbol(e).scale(&Table::uniform(k), &[]);
    let behind = Sum::symbol(n).sub(&times(whole, 64), &[]).unwrap();
    let left = Sum::symbol(left);
    assert!(are_equal(&p, &behind, &left) && are_equal(&p, &left, &left));
    let one_more = behind.add(&Sum::known(Table::uniform(1)), &[]).unwrap();
    let another_more = behind.add(&Sum::symbol(m), &[]).unwrap();
    let of_fewer = Sum::symbol(n).sub(&times(whole, 32), &[]).unwrap();
    assert!([one_more, another_more, of_fewer].iter().all(|other| !are_equal(&p, other, &left)));
}
