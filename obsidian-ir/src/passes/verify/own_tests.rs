//! Threads' own arrays: what is read of one must have been written in the same lanes.

use super::tests::found;
use crate::program::text::read;

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
    found(&read(&text).unwrap_or_else(|e| panic!("{e}\n{text}")))
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
