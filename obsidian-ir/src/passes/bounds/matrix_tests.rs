//! Places in a matrix (R13): the conditions on row and column that a proof needs, each of them.

use super::{check, unproved};
use crate::program::text::read;

/// What is said of a write to the matrix `out` at `at`, where `cond` holds.
fn code(cond: &str, at: &str) -> &'static str {
    code_where("rows <= (0xffffffff / max(cols, 1))", cond, at)
}

/// The same of launches that keep `checked`.
fn code_where(checked: &str, cond: &str, at: &str) -> &'static str {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  rows: u32
  in  cols: u32
  in  m: u32
  out out: u32[rows * cols]
  where {checked}   // no more
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
    assert_eq!(code(inside, "(cols * r) + c"), "");
    assert_ne!(code(inside, "(rows * r) + c"), "");
    assert_ne!(code("r < rows", "(r * cols) + c"), "");
    assert_ne!(code("c < cols", "(r * cols) + c"), "");
    assert_ne!(code("(r <= rows) & (c < cols)", "(r * cols) + c"), "");
    assert_ne!(code("(r < rows) & (c <= cols)", "(r * cols) + c"), "");
    assert_ne!(code(inside, "(c * cols) + r"), "");
    // Below the first column, in the rows before the first.
    assert_ne!(code(inside, "((r * cols) + c) - 1"), "");
    assert_ne!(code(inside, "c - (r * cols)"), "");
}

/// Rows of chunks: the row of the chunk and that in it are one row together.
#[test]
fn rows_are_summed() {
    let chunk = "((8 * (m >> 3)) * cols) + ((r * cols) + c)";
    let inside = |row: &str, col: &str| code(&format!("(({row}) & ((8 * (m >> 3)) <= rows)) & ({col})"), chunk);
    assert_eq!(inside("r < (rows - (8 * (m >> 3)))", "c < cols"), "");
    assert_ne!(inside("r < rows", "c < cols"), "");
    assert_ne!(inside("r <= (rows - (8 * (m >> 3)))", "c < cols"), "");
    assert_ne!(inside("r < (rows - (8 * (m >> 3)))", "c <= cols"), "");
    assert_ne!(inside("r < (rows - (4 * (m >> 3)))", "c < cols"), "");
    let one_more = "(r * cols) + (cols + c)";
    assert_eq!(code("((r + 1) < rows) & (c < cols)", one_more), "");
    assert_ne!(code("(r < rows) & (c < cols)", one_more), "");
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

/// A place below the number of elements, taken apart by the columns: not by the rows, and not by another number.
#[test]
fn a_place_is_taken_apart_by_the_columns() {
    let inside = "((r * 64) + c) < (rows * cols)";
    let parts = |row: &str, column: &str| {
        code(inside, &format!("((((r * 64) + c) / {row}) * cols) + (((r * 64) + c) % {column})"))
    };
    assert_eq!(parts("cols", "cols"), "");
    assert_ne!(parts("cols", "rows"), "");
    assert_ne!(parts("rows", "cols"), "");
    assert_ne!(parts("rows", "rows"), "");
    assert_ne!(parts("64", "cols"), "");
    assert_ne!(parts("cols", "64"), "");
}

/// Only what keeps the product of these two from wrapping makes a matrix of them.
#[test]
fn the_launch_keeps_rows_times_columns_from_wrapping() {
    let of = |checked: &str| code_where(checked, "(r < rows) & (c < cols)", "(r * cols) + c");
    for enough in
        ["rows <= (0xffffffff / max(cols, 1))", "cols <= (0xffffffff / max(rows, 1))", "rows <= (9999 / cols)"]
    {
        assert_eq!(of(enough), "", "{enough}");
    }
    for other in [
        "rows <= (0xffffffff / max(m, 1))",
        "rows <= (0xffffffff / m)",
        "m <= (0xffffffff / max(cols, 1))",
        "rows < (0xffffffff - max(cols, 1))",
        "rows <= max(cols, 1)",
    ] {
        assert_ne!(of(other), "", "{other}");
    }
}

/// A launch check says which length a product of rows and columns is.
#[test]
fn a_length_is_the_product_that_the_launch_says() {
    let of = |equal: &str| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  rows: u32
  in  cols: u32
  in  m: u32
  in  n: u32
  out out: u32[n]
  where rows <= (0xffffffff / max(cols, 1))   // no more
  where {equal}   // the length
  distribute Block r < 1000
    forall Block c < 64
      if (r < rows) & (c < cols)
        prove out[(r * cols) + c] = c
"
        );
        let p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        check(&p).err().map_or("", |e| e.code)
    };
    for said in ["(rows * cols) == n", "n == (rows * cols)"] {
        assert_eq!(of(said), "", "{said}");
    }
    for other in ["(rows * cols) == m", "m == (rows * cols)", "n == m", "(rows * m) == n"] {
        assert_ne!(of(other), "", "{other}");
    }
}

/// What the launch is asked for by a read of the matrix `m` of rows and columns, or of the high and wide matrix `w`, in a block for each row, a thread for each column; or the code of what is wrong.
fn asked(at: &str) -> Vec<String> {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  m: u32[len(m)]
  in  rows: u32
  in  cols: u32
  in  i: u32
  in  w: u32[len(w)]
  in  high: u32
  in  wide: u32
  out out: u32[rows * cols]
  where (rows * cols) == len(m)   // as many
  where (high * wide) == len(w)   // as many
  where high <= (0xffffffff / max(wide, 1))   // no more
  where rows <= (0xffffffff / max(cols, 1))   // no more
  distribute Block b < rows
    forall Block c < cols
      out[(b * cols) + c] = {at}
"
    );
    let mut p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    match unproved(&p) {
        Err(mistake) => vec![mistake.code.to_string()],
        Ok(found) if !found.loads.is_empty() => vec!["a guard".to_string()],
        Ok(found) => found.conditions().into_iter().map(|condition| condition.into_check(&mut p).message).collect(),
    }
}

/// A row or a column that the launch knows is asked for before it.
#[test]
fn the_launch_is_asked_for_its_row_and_its_column() {
    let asked = |at: &str| asked(&format!("m[{at}]"));
    assert_eq!(asked("(i * cols) + c"), ["`i + 1` must be at most `rows`"]);
    assert_eq!(asked("c + (cols * i)"), ["`i + 1` must be at most `rows`"]);
    assert_eq!(asked("(b * cols) + i"), ["`i + 1` must be at most `cols`"]);
    assert_eq!(asked("(3 * cols) + c"), ["`rows` must be at least 4"]);
    // One more than that.
    for at in ["(i * cols) + (c + 1)", "((i * cols) + c) + cols", "(i * rows) + c", "((b + 1) * cols) + i"] {
        assert!(!asked(at).iter().any(|said| said.contains("must be at most `")), "{at}: {:?}", asked(at));
    }
}

/// Where a loop goes over one matrix and reads another, each side is asked for.
#[test]
fn the_launch_is_asked_for_the_sides_of_another_matrix() {
    let asked = |at: &str| asked(&format!("w[{at}]"));
    assert_eq!(asked("(b * wide) + c"), ["`rows` must be at most `high`", "`cols` must be at most `wide`"]);
    assert_eq!(asked("(c * wide) + b"), ["`cols` must be at most `high`", "`rows` must be at most `wide`"]);
    assert_eq!(asked("wide + c"), ["`high` must be at least 2", "`cols` must be at most `wide`"]);
    assert_eq!(asked("(b * wide) + i"), ["`rows` must be at most `high`", "`i + 1` must be at most `wide`"]);
}

/// A place without a row may be one of an array that is no matrix: no more is asked than that it is in the array.
#[test]
fn a_place_without_a_row_may_be_anywhere() {
    assert_eq!(asked("w[i]"), ["the length of `w` must be at least `i + 1`"]);
    assert!(!asked("w[c]").iter().any(|said| said.contains("at most `wide`")), "{:?}", asked("w[c]"));
}
