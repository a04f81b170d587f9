//! Places in a matrix (R13): the conditions on row and column that a proof needs, each of them.

use super::check;
use crate::program::text::read;

/// What is said of a write to the matrix `out` at `at`, where `cond` holds.
fn code(cond: &str, at: &str) -> &'static str {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  rows: u32
  in  cols: u32
  out out: u32[rows * cols]
  where rows <= (0xffffffff / max(cols, 1))   // no more
  distribute Block r < 1000
    forall Block c < 64
      if {cond}
        prove out[{at}] = c
"
    );
    let p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check(&p).err().map_or("", |e| e.code)
}

#[test]
fn both_coordinates_are_inside() {
    let inside = "(r < rows) & (c < cols)";
    assert_eq!(code(inside, "(r * cols) + c"), "");
    assert_eq!(code("(c < rows) & (r < cols)", "(c * cols) + r"), "");
    assert_eq!(code("(c < rows) & (r < cols)", "(r * rows) + c"), "");
    assert_ne!(code("r < rows", "(r * cols) + c"), "");
    assert_ne!(code("c < cols", "(r * cols) + c"), "");
    assert_ne!(code("(r <= rows) & (c < cols)", "(r * cols) + c"), "");
    assert_ne!(code("(r < rows) & (c <= cols)", "(r * cols) + c"), "");
    assert_ne!(code(inside, "(c * cols) + r"), "");
    // Below the first column, in the rows before the first.
    assert_ne!(code(inside, "((r * cols) + c) - 1"), "");
    assert_ne!(code(inside, "c - (r * cols)"), "");
}

/// The row above: `r - 1` is a row where there is one.
#[test]
fn the_row_above_is_inside_below_the_first() {
    let above = "((r - 1) * cols) + c";
    assert_eq!(code("((r > 0) & (r <= rows)) & (c < cols)", above), "");
    assert_eq!(code("((r > 0) & (r < rows)) & (c < cols)", above), "");
    assert_ne!(code("(r < rows) & (c < cols)", above), "");
    assert_ne!(code("((r > 0) & (r <= (rows + 1))) & (c < cols)", above), "");
    assert_ne!(code("((r > 0) & (r < rows)) & (c <= cols)", above), "");
    assert_ne!(code("((c > 0) & (r < rows)) & (c < cols)", above), "");
    assert_eq!(code("((c > 0) & (r < rows)) & (c <= cols)", "(r * cols) + (c - 1)"), "");
    assert_ne!(code("(r < rows) & (c < cols)", "(r * cols) + (c - 1)"), "");
}
