//! Covering by cases (R26) and by tiles (R27): what is proved, and what the rules must not let through.

use super::tests::found_in;
use super::{Limit, check};
use crate::program::text::read;

/// What is said of the blocks of 64 elements that write `out` so.
fn blocks(body: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  xs: u32[len(xs)]
  in  n: u32
  out out: u32[(len(xs) >> 6) * 64]
  distribute Block b < len(xs) >> 6
{body}"
    );
    found_in(&text)
}

/// A branch whose sides write 64 and `rounds` elements, at `b * 64 + i` and at `other`.
fn sides(cond: &str, rounds: u32, other: &str) -> String {
    blocks(&format!(
        "    if {cond}
      forall Block i < 64
        prove out[(b * 64) + i] = i
    else
      forall Block j < {rounds}
        prove out[{other}] = j
"
    ))
}

#[test]
fn sides_that_fill_a_part_in_two_ways_fill_it() {
    for cond in ["(b & 1) == 0", "n > 3", "xs[b] > 3", "xs[b * 64] > n"] {
        assert_eq!(sides(cond, 64, "((b * 64) + 63) - j"), "", "{cond}");
    }
    let text = sides("(b & 1) == 0", 63, "(b * 64) + j");
    assert!(text.starts_with("[OB053] element 63 of a block's part of `out` may stay unwritten"), "{text}");
    assert!(text.contains("no thread writes this element where `(b & 1) == 0` does not hold"), "{text}");
    assert_ne!(sides("(b & 1) == 0", 64, "((b * 64) + j) + 1"), "");
    assert_ne!(sides("(b & 1) == 0", 64, "(b * 64) + (j | 1)"), "");
    assert_ne!(sides("(b & 1) == 0", 64, "(b * 128) + j"), "");
    assert_ne!(sides("(b & 1) == 0", 0, "b"), "");
    assert_ne!(sides("(b & 1) == 0", 64, "(((len(xs) >> 6) * 64) - 1) - ((b * 64) + j)"), "");
}

#[test]
fn sides_that_fill_the_same_half_leave_the_other() {
    let half = "    if (b & 1) == 0
      forall Block i < 32
        prove out[(b * 64) + i] = i
    else
      forall Block j < 32
        prove out[((b * 64) + 31) - j] = j
";
    let text = blocks(half);
    assert!(text.starts_with("[OB053] element 32 of `out` is never written"), "{text}");
    let rest = "    forall Block k < 32
      prove out[((b * 64) + 32) + k] = k
";
    assert_eq!(blocks(&format!("{half}{rest}")), "");
    let again = rest.replace("+ 32) +", "+ 31) +");
    assert_ne!(blocks(&format!("{half}{again}")), "");
}

#[test]
fn sides_in_sides_are_cases_too() {
    let three = |last: &str| {
        blocks(&format!(
            "    if (b & 3) == 0
      forall Block i < 64
        prove out[(b * 64) + i] = i
    else
      if n == 1
        forall Block j < 64
          prove out[(b * 64) + (j ^ 5)] = j
      else
        forall Block k < 64
          prove out[{last}] = k
"
        ))
    };
    assert_eq!(three("((b * 64) + 63) - k"), "");
    assert_ne!(three("(b * 64) + (k >> 1)"), "");
    let text = three("((b * 64) + k) + 1");
    assert!(text.contains("where `(b & 3) == 0` does not hold and `n == 1` does not hold"), "{text}");
}

/// What is said of a block's part that two rounds fill, one half each, in one way or the other by `cond`; `after` ends a round.
fn in_two_rounds(first: &str, cond: &str, after: &str) -> String {
    blocks(&format!(
        "    {first}
    seq k in 0..2
      if {cond}
        forall Block i < 32
          prove out[((b * 64) + (k * 32)) + i] = i
      else
        forall Block j < 32
          prove out[(((b * 64) + 32) - (k * 32)) + j] = j
      {after}
"
    ))
}

/// A condition that differs between threads, or between the times that it is asked for, decides nothing for a block.
#[test]
fn what_is_no_condition_of_the_block_is_no_case() {
    let threads = |cond: &str| {
        blocks(&format!(
            "    forall Block i < 64
      if {cond}
        prove out[(b * 64) + i] = i
      else
        prove out[((b * 64) + 63) - i] = i
"
        ))
    };
    assert_eq!(threads("n > 3"), "");
    assert_ne!(threads("xs[(b * 64) + i] > 3"), "");
    assert_ne!(threads("xs[i] > 3"), "");
    let changing = |cond: &str| in_two_rounds("local flag: u32 = 0", cond, "flag = 1 - flag");
    assert_eq!(changing("n > 3"), "");
    assert_ne!(changing("flag == 0"), "");
}

/// What threads have stored may be another thing in the next round.
#[test]
fn what_is_stored_is_no_case() {
    let first = "shared per Block s2: u32[1]\n    forall Block z < 1\n      s2[z] = 0";
    let stored = |cond: &str| in_two_rounds(first, cond, "forall Block y < 1\n        s2[y] = 1 - s2[y]");
    assert_eq!(stored("xs[b] > 3"), "");
    assert_ne!(stored("s2[0] == 0"), "");
}

/// What is said of tiles of 8 rows and 16 columns that are written so.
fn tiles(counts: (&str, &str), parts: [&str; 4]) -> String {
    said_of(&tiles_text(counts, parts))
}

fn said_of(text: &str) -> String {
    found_in(text)
}

fn tiles_text((down, across): (&str, &str), [row, column, inside, at]: [&str; 4]) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  rows: u32
  in  cols: u32
  out out: u32[rows * cols]
  where rows <= (0xffffffff / max(cols, 1))   // no more
  distribute Block t < ({down}) * ({across})
    forall Block k < 128
      if {}
        prove out[{}] = k
",
        inside.replace("ROW", row).replace("COL", column),
        at.replace("ROW", row).replace("COL", column)
    );
    text.replace("ACROSS", &format!("({across})")).replace("DOWN", &format!("({down})"))
}

const DOWN: &str = "(rows >> 3) + min(rows & 7, 1)";
const ACROSS: &str = "(cols >> 4) + min(cols & 15, 1)";
const ROW: &str = "(((t / ACROSS) * 8) + (k >> 4))";
const COLUMN: &str = "(((t % ACROSS) * 16) + (k & 15))";
const INSIDE: &str = "(ROW < rows) & (COL < cols)";
const AT: &str = "(ROW * cols) + COL";

#[test]
fn tiles_that_are_cut_off_fill_a_matrix() {
    assert_eq!(tiles((DOWN, ACROSS), [ROW, COLUMN, INSIDE, AT]), "");
    // Tiles one below the other, columns one after the other, more tiles than there need be.
    let turned = ["(((t % DOWN) * 8) + (k >> 4))", "(((t / DOWN) * 16) + (k & 15))", INSIDE, AT];
    assert_eq!(tiles((DOWN, ACROSS), turned), "");
    assert_eq!(tiles((DOWN, ACROSS), [ROW, COLUMN, INSIDE, "(COL * rows) + ROW"]), "");
    assert_eq!(tiles(("(rows >> 3) + 1", "(cols >> 4) + 1"), [ROW, COLUMN, INSIDE, AT]), "");
    let within = ["(((t / ACROSS) * 8) + (k & 7))", "(((t % ACROSS) * 16) + (k >> 3))", INSIDE, AT];
    assert_eq!(tiles((DOWN, ACROSS), within), "");
}

#[test]
fn too_few_tiles_are_refused() {
    let text = tiles(("rows >> 3", ACROSS), [ROW, COLUMN, INSIDE, AT]);
    assert!(text.starts_with("[OB054] it is not proved that each element of `out` is written once"), "{text}");
    assert!(text.contains("`rows >> 3` tiles of 8 are not known to reach `rows`"), "{text}");
    assert!(
        tiles((DOWN, "cols >> 4"), [ROW, COLUMN, INSIDE, AT]).contains("tiles of 16 are not known to reach `cols`")
    );
    // As many as there are rows, of 8 rows each: their places wrap.
    assert_ne!(tiles(("rows", ACROSS), [ROW, COLUMN, INSIDE, AT]), "");
}

#[test]
fn tiles_with_another_place_or_condition_are_refused() {
    let written = |row: &str, column: &str, inside: &str, at: &str| tiles((DOWN, ACROSS), [row, column, inside, at]);
    let text = written("(((t / ACROSS) * 8) + (k >> 5))", COLUMN, INSIDE, AT);
    assert!(text.contains("a block does not write each place of its tile once"), "{text}");
    assert_ne!(written("(((t / ACROSS) * 8) + ((k >> 4) + 1))", COLUMN, INSIDE, AT), "");
    assert_ne!(written("(((t / ACROSS) * 4) + (k >> 4))", COLUMN, INSIDE, AT), "");
    // Two high digits, two low ones, digits by two numbers.
    let [high, low] = ["(((t / DOWN) * 16) + (k & 15))", "(((t % DOWN) * 8) + (k >> 4))"];
    for column in ["(((t / ACROSS) * 16) + (k & 15))", high, "(((t % DOWN) * 16) + (k & 15))"] {
        assert_ne!(written(ROW, column, INSIDE, AT), "", "{column}");
    }
    for column in [COLUMN, "(((t % DOWN) * 16) + (k & 15))", "(((t / ACROSS) * 16) + (k & 15))"] {
        assert_ne!(written(low, column, INSIDE, AT), "", "{column}");
    }
    assert_ne!(written("(((t / DOWN) * 8) + (k >> 4))", COLUMN, INSIDE, AT), "");
    assert_ne!(written(ROW, "(((t / ACROSS) * 16) + (k & 15))", INSIDE, AT), "");
    assert_ne!(written("(((n % ACROSS) * 8) + (k >> 4))".replace('n', "(t + 1)").as_str(), COLUMN, INSIDE, AT), "");
    for inside in [
        "(ROW < rows) & (COL <= cols)",
        "(ROW < rows) & (COL < rows)",
        "(ROW < cols) & (COL < rows)",
        "((ROW < rows) & (COL < cols)) & (k < 100)",
        "((ROW < rows) & (COL < cols)) & (k != 3)",
        "(ROW < (rows >> 1)) & (COL < cols)",
        "((ROW < rows) & (COL < cols)) & (rows < 100)",
        "(ROW < rows) | (COL < cols)",
        "ROW < rows",
    ] {
        assert_ne!(written(ROW, COLUMN, inside, AT), "", "{inside}");
    }
    assert_ne!(written("(((((t ^ 1) / ACROSS)) * 8) + (k >> 4))", COLUMN, INSIDE, AT), "");
    for at in ["(ROW * rows) + COL", "(COL * cols) + ROW", "(ROW * cols) + (COL + 1)", "ROW * cols"] {
        assert_ne!(written(ROW, COLUMN, INSIDE, at), "", "{at}");
    }
}

/// A tile in two writes of half of its rows each, the second at another of the block's digits.
fn halves(second: &str) -> String {
    let half = |digit: &str, k: &str, more: u32| {
        let (row, column) =
            (format!("((({digit} * 8) + ({k} >> 4)) + {more})"), COLUMN.replace("(k &", &format!("({k} &")));
        format!(
            "    forall Block {k} < 64\n      if ({row} < rows) & ({column} < cols)\n        prove out[({row} * cols) + {column}] = {k}\n"
        )
    };
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  rows: u32
  in  cols: u32
  out out: u32[rows * cols]
  where rows <= (0xffffffff / max(cols, 1))   // no more
  distribute Block t < ({DOWN}) * ({ACROSS})
{}{}",
        half("(t / ACROSS)", "k", 0),
        half(second, "j", 4)
    );
    let text = text.replace("ACROSS", &format!("({ACROSS})"));
    said_of(&text)
}

#[test]
fn a_tile_may_be_written_by_several_statements() {
    assert_eq!(halves("(t / ACROSS)"), "");
    assert_ne!(halves("((t ^ 1) / ACROSS)"), "");
    assert_ne!(halves("((t / ACROSS) + 1)"), "");
}

/// The number of blocks is no product of digits where it wraps: then the launch is asked.
#[test]
fn as_many_tiles_as_there_are_blocks() {
    let limits_of = |text: String| {
        check(&read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))).unwrap_or_else(|e| panic!("{e}\n{text}"))
    };
    let limits = |down: &str| limits_of(tiles_text((down, ACROSS), [ROW, COLUMN, INSIDE, AT]));
    assert_eq!(limits(DOWN), []);
    assert!(matches!(limits("(rows >> 4) + 268435457")[..], [Limit::Product { .. }]));
    // 2^16 by 2^16 blocks are none.
    let text = tiles_text(("rows + 1", "cols + 1"), [ROW, COLUMN, INSIDE, AT]);
    let small = |most: u32| {
        let sides = format!("  where rows <= {most}   // few\n  where cols <= {most}   // few\n  distribute");
        limits_of(text.replace("  distribute", &sides))
    };
    assert_eq!(small(65_534), []);
    assert!(matches!(small(65_535)[..], [Limit::Product { .. }]));
}

#[test]
fn each_place_of_a_tile_is_written_once_and_inside() {
    let text = tiles_text((DOWN, ACROSS), [ROW, COLUMN, INSIDE, AT]);
    assert_eq!(said_of(&text), "");
    assert_ne!(said_of(&text.replace("k < 128", "k < 112")), "");
    // The whole tile again.
    let at = text.find("    forall").expect("a phase");
    let again = text[at..].replace("forall Block k", "forall Block j").replace("(k ", "(j ").replace("= k", "= j");
    assert_ne!(said_of(&format!("{text}{again}")), "");
    // Outside, where the condition does not hold.
    let outside = text.replace("        prove", "        let v(0..=127) = k\n      else\n        prove");
    assert_ne!(said_of(&outside), "");
    // Once more than there are rounds.
    let tested = text.replace("        prove", "        loop\n          prove")
        + "        while k > n\n          let v(0..=127) = k\n";
    assert_ne!(said_of(&tested.replace("  in  cols", "  in  n: u32\n  in  cols")), "");
}

/// What is said of blocks of 16 rows of `width` elements, of `rows` in all, whose threads write `row` under a condition.
fn rows(len: &str, cond: &str, at: &str) -> String {
    let text = format!(
        "kernel k (threads = 32, shared = 0 B)
  in  n: u32
  out out: u32[{len}]
  distribute Block b < (n >> 4) + min(n & 15, 1)
    forall Block t < 16
      if {cond}
        seq d in 0..12
          prove out[{at}] = d
"
    );
    found_in(&text)
}

#[test]
fn rows_that_are_cut_off_fill_an_output() {
    let (cond, at) = ("((b * 16) + t) < n", "(((b * 16) + t) * 12) + d");
    assert_eq!(rows("n * 12", cond, at), "");
    // Another row, a row of another width, another number of rows, what reaches into the next row, blocks that are too far apart.
    for (len, cond, at) in [
        ("n * 12", "((b * 16) + t) <= n", at),
        ("n * 12", "((b * 16) + (t ^ 1)) < n", at),
        ("n * 12", "((b * 8) + t) < n", at),
        ("n * 12", "((b * 16) + t) < (n >> 1)", at),
        // Rows that change places: of an odd number the last has none to change with.
        ("n * 12", cond, "(((b * 16) + t) * 12) + (d + (if (t & 1) == 0 { 12 } else { 0xfffffff4 }))"),
        ("n * 13", cond, at),
        ("(n * 12) + 1", cond, at),
        ("n * 12", cond, "(((b * 16) + t) * 12) + (d + 1)"),
        ("n * 12", cond, "(((b * 16) + t) * 12) + (d / 2)"),
        ("n * 12", cond, "(((b * 16) + t) * 13) + d"),
        ("n * 12", cond, "(((b * 17) + t) * 12) + d"),
    ] {
        assert_ne!(rows(len, cond, at), "", "{len}, {cond}, {at}");
    }
}
