//! Columns of rows as wide as the launch says (R40): what is proved, and what the rule must not let through.

use super::tests::found_in;

/// What is said of threads `c` of `0 .. n` that go through rows from `first` on and do `body` in each.
fn columns(first: &str, body: &str) -> String {
    let body: String = body.lines().map(|line| format!("          {line}\n")).collect();
    let text = format!(
        "kernel k (threads = 256, shared = 0 B)
  mut m: u32[len(m)]
  in  w: u32
  in  v: u32
  in  n: u32
  in  at: u32[len(at)]
  where n <= 0xfffffeff   // too many
  distribute Block b < (n + 255) >> 8
    forall Block t < 256
      let c = (b * 256) + t
      if c < n
        seq r in {first}..len(m) / w
{body}"
    );
    found_in(&text)
}

fn meet(text: &str) -> bool {
    text.contains("no two threads meet on an element of `m`")
}

#[test]
fn rows_before_and_behind_are_in_the_column() {
    let above = "if c < w\n  prove m[(r * w) + c] = m[((r - 1) * w) + c]";
    assert_eq!(columns("1", above), "");
    // The first row is the column alone.
    let total = "if c < w\n  let x = m[(r * w) + c]\n  prove m[c] = m[c] + x";
    assert_eq!(columns("0", total), "");
    let three = "if (c < w) & ((r + 1) < (len(m) / w))\n  prove m[(r * w) + c] = m[((r + 1) * w) + c] + m[c]";
    assert_eq!(columns("0", three), "");
}

#[test]
fn what_leaves_the_column_meets_others() {
    for body in [
        // The next column, and the one before.
        "if (c + 1) < w\n  prove m[(r * w) + c] = m[((r - 1) * w) + (c + 1)]",
        "if (c < w) & (c > 0)\n  prove m[(r * w) + c] = m[((r - 1) * w) + (c - 1)]",
        // Beyond the row is the next one, whose columns are others.
        "if c < v\n  if ((r * w) + c) < len(m)\n    prove m[(r * w) + c] = m[((r - 1) * w) + c]",
        "if c <= w\n  if ((r * w) + c) < len(m)\n    prove m[(r * w) + c] = m[((r - 1) * w) + c]",
        // Rows of two widths.
        "if (c < w) & (c < v)\n  if ((r * v) + c) < len(m)\n    prove m[(r * w) + c] = m[(r * v) + c]",
        // Two threads in one column.
        "if (c >> 1) < w\n  prove m[(r * w) + (c >> 1)] = m[((r - 1) * w) + (c >> 1)]",
    ] {
        let text = columns("1", body);
        assert!(meet(&text), "{body}\n{text}");
    }
}

/// Where nothing wraps, an index beyond the row is in the next one all the same.
#[test]
fn a_column_is_in_its_row() {
    let columns = |test: &str| {
        let text = format!(
            "kernel k (threads = 256, shared = 0 B)
  mut m: u32[len(m)]
  in  w: u32
  in  v: u32
  distribute Block b < 4
    forall Block t < 256
      let c = (b * 256) + t
      seq r(1..=99) in 1..min(v, 100)
        if {test}
          prove m[(r * min(w, 1000)) + c] = m[((r - 1) * min(w, 1000)) + c]
"
        );
        found_in(&text)
    };
    assert_eq!(columns("c < min(w, 1000)"), "");
    for test in ["c <= min(w, 1000)", "c < v", "c < (min(w, 1000) + 1)"] {
        let text = columns(test);
        assert!(meet(&text), "{test}\n{text}");
    }
}

/// Where a row is any number, its start may be anywhere modulo `2^32`: 2^31 rows of 6 end where they begin.
#[test]
fn a_start_that_wraps_is_in_no_column() {
    let body = "if c < w\n  let x = at[r]\n  if ((x * w) + c) < len(m)\n    prove m[(x * w) + c] = m[(r * w) + c]";
    let text = columns("0", body);
    assert!(meet(&text), "{text}");
    let bounded = "if c < w\n  let x = at[r]\n  if x < (len(m) / w)\n    prove m[(x * w) + c] = m[(r * w) + c]";
    assert_eq!(columns("0", bounded), "");
}
