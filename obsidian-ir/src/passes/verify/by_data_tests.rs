//! R24 and R22 on texts: what intervals, conditions and remainders must not be taken for.

use super::tests::block_with;

/// What is said of a block that does `body`, with an array `s` of 128 elements.
fn block(body: &str) -> String {
    block_with(128, body)
}

fn is_open(text: &str) -> bool {
    text.starts_with("[OB054] it is not proved that no two threads meet")
}

/// Warps are in rounds of their own: an interval moves with the round of its reader, and not with that of the writer.
#[test]
fn intervals_of_two_rounds_may_meet() {
    let warps = |shift: &str| {
        block(&format!(
            "    distribute Warp w < 2
      seq k in 0..n
        forall Warp i < 4
          prove s[((w * 4) + (k * 8)) + i] = s[({shift} + (xs[i] & 3)) + 40]
"
        ))
    };
    assert!(is_open(&warps("(k * 8)")), "{}", warps("(k * 8)"));
}

/// What is far away may wrap into the elements that are written.
#[test]
fn intervals_that_wrap_are_none() {
    let read = |at: &str| block(&format!("    forall Block i < 64\n      prove s[i] = s[{at} + 64]\n"));
    assert_eq!(read("(xs[i] & 63)"), "");
    assert_eq!(read("(xs[i] >> 2)"), "");
    assert!(is_open(&read("xs[i]")), "{}", read("xs[i]"));
}

/// An element of an array that its author writes may be another one when it is read again.
#[test]
fn a_condition_on_an_element_tells_of_no_other_reading() {
    let under = |number: &str| {
        block(&format!(
            "    forall Block i < 64
      if {number} < 64
        prove s[i] = s[{number} + 64]
"
        ))
    };
    assert_eq!(under("xs[i]"), "");
    assert!(is_open(&under("s[i + 64]")), "{}", under("s[i + 64]"));
}

/// A counter below the divisor is its own remainder; the divisor is not.
#[test]
fn only_what_is_below_the_divisor_is_its_own_remainder() {
    let rounds = |most: u32| {
        block(&format!(
            "    seq k in 0..min(n, {most})
      forall Block i < 8
        prove s[((k & 1) * 8) + i] = s[(32 - (k * 16)) + (7 - i)]
"
        ))
    };
    assert_eq!(rounds(2), "");
    assert_ne!(rounds(3), "");
}

/// A condition tells of a number that is made of others, too, and of the number alone under which it stands.
#[test]
fn a_condition_limits_what_is_made_of_data() {
    let above = |cond: &str, at: &str| {
        block(&format!("    forall Block i < 64\n      if {cond}\n        prove s[i] = s[{at}]\n"))
    };
    for (cond, at) in [
        ("(xs[i] - 1) < 64", "(xs[i] - 1) + 64"),
        ("((xs[i] + i) - 1) < 64", "((xs[i] + i) - 1) + 64"),
        ("(xs[i] > 0) & (xs[i] <= 64)", "(xs[i] - 1) + 64"),
        ("(xs[i] != 0) & (xs[i] <= 64)", "xs[i] + 63"),
        ("(64 <= xs[i]) & (128 > xs[i])", "xs[i]"),
        ("(63 < xs[i]) & (127 >= xs[i])", "xs[i]"),
        ("if xs[i] < 128 { xs[i] > 63 } else { false }", "xs[i]"),
        ("!(if xs[i] >= 128 { true } else { xs[i] < 64 })", "xs[i]"),
        ("xs[i] == (i + 64)", "xs[i]"),
        ("(i + 64) == xs[i]", "xs[i]"),
    ] {
        assert_eq!(above(cond, at), "", "{at} under {cond}");
    }
    for (cond, at) in [
        ("(xs[i] - 1) < 64", "(xs[i] - 1) + 63"),
        ("(xs[i] - 2) < 64", "(xs[i] - 1) + 64"),
        ("(xs[i] >= 0) & (xs[i] <= 64)", "xs[i] + 63"),
        ("(xs[i] != 1) & (xs[i] <= 64)", "xs[i] + 63"),
        ("(63 <= xs[i]) & (xs[i] < 128)", "xs[i]"),
        ("(62 < xs[i]) & (xs[i] < 128)", "xs[i]"),
        ("(xs[i] >= 63) & (xs[i] < 128)", "xs[i]"),
        ("(xs[i] > 62) & (xs[i] < 128)", "xs[i]"),
        ("(xs[i] > 63) | (128 > xs[i])", "xs[i]"),
        ("if xs[i] < 128 { xs[i] > 63 } else { true }", "xs[i]"),
        ("if xs[i] < 128 { true } else { xs[i] > 63 }", "xs[i]"),
        ("!(if xs[i] < 128 { xs[i] > 63 } else { false })", "xs[i]"),
        ("xs[i] == (i + 63)", "xs[i]"),
        ("xs[i] != (i + 64)", "xs[i]"),
    ] {
        assert!(is_open(&above(cond, at)), "{at} under {cond}: {}", above(cond, at));
    }
}

/// The same below what is written.
#[test]
fn a_condition_limits_from_above() {
    let below =
        |cond: &str| block(&format!("    forall Block i < 64\n      if {cond}\n        prove s[i + 64] = s[xs[i]]\n"));
    for cond in ["xs[i] < 64", "xs[i] <= 63", "64 > xs[i]", "63 >= xs[i]", "xs[i] == i", "i == xs[i]"] {
        assert_eq!(below(cond), "", "{cond}");
    }
    for cond in ["xs[i] < 65", "xs[i] <= 64", "65 > xs[i]", "64 >= xs[i]", "xs[i] == (i + 1)", "xs[i] > 64"] {
        assert!(is_open(&below(cond)), "{cond}: {}", below(cond));
    }
}

/// Rows of counters, one for each thread: in which of its rounds it comes by an element does not matter.
#[test]
fn rows_of_counters_are_apart_in_any_number_of_rounds() {
    let rows = |row: u32, count: u32| {
        let at = format!("(i * {row}) + (xs[(i + r) & 63] & {count})");
        block_with(
            2048,
            &format!("    forall Block i < 8\n      seq r in 0..512\n        prove s[{at}] = s[{at}] + 1\n"),
        )
    };
    assert_eq!(rows(256, 255), "");
    assert!(is_open(&rows(255, 255)), "{}", rows(255, 255));
    assert!(is_open(&rows(0, 255)), "{}", rows(0, 255));
}
