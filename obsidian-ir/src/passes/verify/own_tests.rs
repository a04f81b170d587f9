//! Threads' own arrays: what is read of one must have been written in the same lanes.

use super::tests::{found, found_in};
use crate::program::text::read;
use crate::program::{BinOp, ExprId, ParamId, Program, ScalarType};

/// What is said of 64 threads that do `body` with an array `t` of two elements of their own.
fn threads(body: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  xs: u32[64]
  out out: u32[64]
  distribute Block b < 1
    forall Block i < 64
      local t: u32[2]
{body}"
    );
    found_in(&text)
}

/// What is said of a read in the lanes where `reads` holds, after a write where both conditions of `writes` do.
fn nested(writes: [&str; 2], reads: &str) -> String {
    let [outer, inner] = writes;
    threads(&format!(
        "      if {outer}\n        if {inner}\n          t[0] = 1\n      prove out[i] = if {reads} {{ t[0] }} else {{ 7 }}\n"
    ))
}

#[test]
fn a_branch_in_a_branch_is_taken_by_the_lanes_of_both() {
    let middle = ["i < 32", "i >= 16"];
    assert_eq!(nested(middle, "(i < 32) & (i >= 16)"), "");
    for lanes in ["i < 32", "i >= 16", "i < 16", "i >= 32", "(i < 16) | (i >= 32)", "i == 15", "i == 32"] {
        assert!(nested(middle, lanes).starts_with("[OB053]"), "{lanes}: {}", nested(middle, lanes));
    }
}

#[test]
fn the_other_side_in_a_branch_is_taken_by_the_rest_of_its_lanes() {
    let rest = |reads: &str| {
        threads(&format!(
            "      if i < 32
        if i >= 16
          t[1] = 1
        else
          t[0] = 1
      prove out[i] = if {reads} {{ t[0] }} else {{ 7 }}
"
        ))
    };
    assert_eq!(rest("i < 16"), "");
    assert_ne!(rest("i < 17"), "");
    assert_ne!(rest("i >= 32"), "");
    assert_ne!(rest("i < 32"), "");
}

/// What is said of threads whose array of 8 elements is filled up to `filled`, of a loop up to `n` in which each does `first`, and one up
/// to `m` with `second`, of which an element is then read.
fn counted(filled: &str, first: &str, second: &str) -> String {
    threads_fill(filled, &format!("      seq k in 0..n\n        {first}\n      seq l in 0..m\n        {second}\n"))
}

/// The same of any code that is to fill it.
fn threads_fill(filled: &str, code: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  m: u32
  in  at: u32
  out out: u32[64]
  distribute Block b < 1
    forall Block i < 64
      local t: u32[8]
{code}
      out[i] = t[at]
"
    );
    let mut p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let t = p.arrays.iter().position(|array| array.name == "t").expect("the array is declared");
    p.arrays[t].filled = Some(sum(&mut p, filled));
    found(&p)
}

/// The sum of the parameters of these names.
fn sum(p: &mut Program, names: &str) -> ExprId {
    let terms: Vec<ExprId> = names
        .split(" + ")
        .map(|name| {
            let at = p.params.iter().position(|param| param.name == name).expect("the parameter is declared");
            p.exprs.scalar(ParamId(at as u32), ScalarType::U32)
        })
        .collect();
    terms.into_iter().reduce(|a, b| p.exprs.bin(BinOp::Add, a, b)).expect("there is a name")
}

/// What is as long as the launch says is written by loops that go that far, each from where the last one ended.
#[test]
fn loops_as_long_as_the_launch_says_fill_an_array() {
    let unwritten = |filled: &str, first: &str, second: &str| counted(filled, first, second).contains("[OB053]");
    let nothing = "out[i] = 0";
    assert!(!unwritten("n", "t[k] = 1", nothing));
    assert!(!unwritten("n", "t[(n - 1) - k] = 1", nothing));
    assert!(!unwritten("n + m", "t[k] = 1", "t[n + l] = 2"));
    assert!(!unwritten("m + n", "t[k] = 1", "t[((m - 1) - l) + n] = 2"));
    // Not as far, not from the beginning, not each, not always.
    assert!(unwritten("m", "t[k] = 1", nothing));
    assert!(unwritten("n + m", "t[k] = 1", nothing));
    assert!(unwritten("n", "t[k + 1] = 1", nothing));
    assert!(unwritten("n", "t[k * 2] = 1", nothing));
    assert!(unwritten("n", "t[n - k] = 1", nothing));
    assert!(unwritten("n", "t[(m - 1) - k] = 1", nothing));
    assert!(unwritten("n", "if k < 3\n          t[k] = 1", nothing));
    assert!(unwritten("n + m", "t[k] = 1", "t[m + l] = 2"));
    assert!(unwritten("n + m", nothing, "t[n + l] = 2"));
}

/// Not from the first round on, not by all threads, not on both sides of a branch.
#[test]
fn loops_that_are_not_always_done_fill_nothing() {
    let unwritten = |filled: &str, code: &str| threads_fill(filled, code).contains("[OB053]");
    assert!(!unwritten("n", "      seq k in 0..n\n        t[k] = 1\n"));
    assert!(unwritten("n", "      seq k in 1..n\n        t[k] = 1\n"));
    assert!(unwritten("n", "      seq k in 0..n by 2\n        t[k] = 1\n"));
    for cond in ["i < 32", "at < 3"] {
        assert!(unwritten("n", &format!("      if {cond}\n        seq k in 0..n\n          t[k] = 1\n")), "{cond}");
        let side = |then: &str, els: &str| {
            format!(
                "      if {cond}\n        {then}\n      else\n        {els}\n      seq l in 0..m\n        t[n + l] = 2\n"
            )
        };
        let (fills, other) = ("seq k in 0..n\n          t[k] = 1", "out[i] = 3");
        assert!(unwritten("n + m", &side(fills, other)), "{cond}");
        assert!(unwritten("n + m", &side(other, fills)), "{cond}");
    }
}
