//! Threads that take turns by a remainder (R22): what is proved, and random kernels of such conditions, which run without a race if they are
//! accepted.

use super::cut_tests::{asking, assert_runs_without_races, below, proved_to};
use super::tests::found;
use super::*;

/// A kernel whose threads each do `update` where `cond` holds, and the array is long enough for it.
fn kernel(cond: &str, update: &str) -> Program {
    asking("m < 1000", "n", &[format!("if {cond}"), format!("  prove {update}")])
}

/// What is said of an update where `cond` holds.
fn said(cond: &str, update: &str) -> String {
    found(&kernel(cond, update))
}

#[test]
fn every_other_thread_may_use_its_neighbours_element() {
    for cond in ["(at & 1) == 0", "(at & 1) == (m & 1)", "((at + m) & 1) == 0", "((at ^ 1) & 1) != 1"] {
        assert_eq!(said(cond, "xs[at] = xs[at + 1]"), "", "{cond}");
        assert_eq!(said(&format!("({cond}) & (at < m)"), "xs[at + 1] = at"), "", "{cond}");
        assert_eq!(said(cond, "xs[at + 1] = xs[at] + xs[at + 2]"), "", "{cond}");
        for update in ["xs[at] = xs[at + 2]", "xs[at >> 1] = at", "xs[at] = xs[m]"] {
            assert_ne!(said(cond, update), "", "{cond}: {update}");
        }
    }
    // Each thread, or those of two remainders out of four.
    for cond in ["n > 7", "((at + m) & 3) < 2", "((at & 1) == (m & 1)) | (at < m)"] {
        assert_ne!(said(cond, "xs[at] = xs[at + 1]"), "", "{cond}");
    }
    let nested = ["if ((at + m) & 1) == 0", "  if xs[at] < 7", "    prove xs[at + 1] = at"];
    assert_eq!(found(&asking("m < 1000", "n", &nested.map(str::to_string))), "");
}

/// In the other side of a branch neither of two conditions holds that `|` joins; of two that `&` joins one may.
#[test]
fn the_other_side_is_the_others_turn() {
    let other = |cond: &str, other: &str| {
        let body =
            [format!("if {cond}"), "  let skipped = at".into(), "else".into(), format!("  prove xs[at] = xs[{other}]")];
        found(&asking("m < 1000", "n", &body))
    };
    for turn in ["((at + m) & 1) == 0", "(at & 1) == 0"] {
        assert_eq!(other(turn, "at + 1"), "");
        assert_ne!(other(turn, "at + 2"), "");
        assert_eq!(other(&format!("({turn}) | (at < m)"), "at + 1"), "");
        assert_ne!(other(&format!("({turn}) & (at < m)"), "at + 1"), "");
    }
    // Beside what the one side's threads do elsewhere.
    let beside = |place: &str| {
        let body = [
            "if (at & 1) == 0".to_string(),
            "  prove xs[at] = 1".into(),
            "if ((at & 1) == 0) | (at < m)".into(),
            "  let skipped = at".into(),
            "else".into(),
            format!("  prove xs[{place}] = 2"),
        ];
        found(&asking("m < 1000", "n", &body))
    };
    assert_eq!(beside("at"), "");
    assert_ne!(beside("at + 1"), "");
}

/// Two numbers of the launch that a remainder is of are one; two remainders of two numbers are not.
#[test]
fn only_one_number_is_taken_apart() {
    assert_eq!(said("(at & 1) == ((n + m) & 1)", "xs[at] = xs[at + 1]"), "");
    assert_eq!(said("((at & 3) == (m & 3)) & ((at & 1) == (m & 1))", "xs[at] = xs[at + 3]"), "");
    assert_ne!(said("((at & 1) == (m & 1)) | ((at & 1) == (n & 1))", "xs[at] = xs[at + 1]"), "");
    assert_eq!(said("((at & 1) == (m & 1)) & ((at & 2) == (n & 2))", "xs[at] = xs[at + 1]"), "");
    // A remainder by 8 is more than its lowest bit says.
    assert_ne!(said("(((at + (m & 7)) & 1) == 0) | ((m & 7) > 1)", "xs[at] = xs[at + 1]"), "");
}

/// A case is one of all remainders of one number: conditions on another leave all their lanes.
#[test]
fn turns_of_two_numbers_are_no_cases_of_one() {
    let both = |second: &str| {
        let body = [
            "if (at & 1) == (m & 1)",
            "  prove xs[at] = 1",
            &format!("if (at & 1) == ({second} & 1)"),
            "  prove xs[at + 1] = 2",
        ];
        found(&asking("m < 1000", "n", &body.map(str::to_string)))
    };
    assert_eq!(both("m"), "");
    assert_ne!(both("n"), "");
    // The place has two cases, the condition four.
    let by = |cond: &str| said(cond, "xs[at + ((m & 1) << 6)] = xs[(at + 1) + ((m & 1) << 6)]");
    assert_eq!(by("(at & 3) == (m & 3)"), "");
    assert_ne!(by("((at & 3) == (m & 3)) | ((m & 3) == 2)"), "");
}

/// A block's own number, or a counter of its own, decides nothing for all of them.
#[test]
fn what_blocks_have_for_themselves_is_no_shared_number() {
    let across = |parity: &str| {
        let body = ["seq k in 0..m", &format!("  if (i & 1) == ({parity} & 1)"), "    prove xs[at] = xs[at + 1]"];
        found(&asking("m < 1000", "n", &body.map(str::to_string)))
    };
    // What a counter adds may be in any class of elements.
    let body = ["seq k in 0..m", "  prove xs[(at * 2) + (k & 1)] = xs[(at * 2) + 9]"];
    assert_ne!(found(&asking("m < 1000", "n", &body.map(str::to_string))), "");
    assert_eq!(across("n"), "");
    assert_ne!(across("k"), "");
    assert_ne!(across("b"), "");
}

const CONDITIONS: [&str; 12] = [
    "(at & 1) == 0",
    "(at & 1) == (m & 1)",
    "((at + m) & 1) == 0",
    "((at + n) & 1) != (m & 1)",
    "(at & 1) == ((n + m) & 1)",
    "((at + m) & 3) == 1",
    "((at + m) & 3) < 2",
    "(at & 3) == (n & 3)",
    "((at & 1) == (m & 1)) & ((at & 2) == (n & 2))",
    "((at + (m & 3)) & 1) == 0",
    "((at & 7) == (m & 7)) | ((at & 3) == (m & 1))",
    "(m & 1) == 0",
];
const PLACES: [&str; 8] = ["at", "at", "at + 1", "at + 1", "at + 2", "at + 3", "at + 4", "at ^ 1"];

fn random(seed: u64) -> Program {
    let state = &mut seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let cond = CONDITIONS[below(state, CONDITIONS.len())];
    let mut place = || PLACES[below(state, PLACES.len())];
    let update = format!("xs[{}] = xs[{}] + xs[{}]", place(), place(), place());
    kernel(cond, &update)
}

#[test]
fn what_is_accepted_does_not_race() {
    let mut accepted = 0;
    for seed in 0..400 {
        let program = random(seed);
        if !proved_to(&program, 0) {
            continue;
        }
        accepted += 1;
        assert_runs_without_races(seed, &program, (10, 9));
    }
    assert!(accepted > 50, "{accepted}");
}
