//! Places that a value of the launch parts (R35): what is proved, and random kernels of such places, which run without a race if they are
//! accepted.

use super::tests::found;
use super::*;
use crate::interp::{self, Args, Fault};
use crate::passes::{fixture, structured};
use crate::program::text::read;

/// A kernel whose threads, `count` of them, do `body` to `xs`; `at` is a thread's number, over all blocks of 4.
fn kernel(count: &str, body: &[String]) -> Program {
    asking("m < 1000", count, body)
}

/// The same where the launch is asked for something.
pub(super) fn asking(condition: &str, count: &str, body: &[String]) -> Program {
    let body = body.join("\n        ");
    let text = format!(
        "kernel k (threads = 4, shared = 0 B)
  mut xs: u32[len(xs)]
  in  n: u32
  in  m: u32
  blocks: (({count}) + 3) >> 2
  where n < 1000   // n
  where {condition}   // m
  distribute Block b < (({count}) + 3) >> 2
    forall Block i < 4
      let at = (b * 4) + i
      if at < ({count})
        {body}
"
    );
    read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What is said of one statement.
fn said(count: &str, body: &str) -> String {
    found(&kernel(count, &[body.to_string()]))
}

#[test]
fn halves_are_two_arrays() {
    let adds = |count: &str, other: &str| said(count, &format!("prove xs[at] = xs[at] + xs[{other}]"));
    assert_eq!(adds("n", "at + n"), "");
    assert_eq!(adds("n >> 1", "at + (n >> 1)"), "");
    assert_eq!(adds("n >> 1", "(n - 1) - at"), "");
    assert_eq!(adds("n", "(at + n) + m"), "");
    // The first of what is read, or the last of what is written, is on the other side.
    for (count, other) in
        [("n", "at + (n - 1)"), ("n", "at + m"), ("(n >> 1) + 1", "(n - 1) - at"), ("n + 1", "at + n")]
    {
        assert_ne!(adds(count, other), "", "{count}: {other}");
    }
}

/// Each part by itself: two threads may meet above the cut, too.
#[test]
fn threads_stay_apart_on_both_sides() {
    let both = |above: &str| found(&kernel("n", &["prove xs[at] = at".into(), format!("prove xs[{above}] = at")]));
    assert_eq!(both("at + n"), "");
    assert_eq!(both("((n * 2) - 1) - at"), "");
    assert_eq!(both("(at * 2) + n"), "");
    assert_ne!(both("(at >> 1) + n"), "");
    assert_ne!(both("n"), "");
    // Of one block, of all blocks.
    for below in ["at >> 1", "b", "i"] {
        assert_ne!(said("n", &format!("prove xs[{below}] = xs[at + n]")), "", "{below}");
    }
    let thirds = |last: &str| said("n", &format!("prove xs[at + n] = xs[at] + xs[{last}]"));
    assert_eq!(thirds("at + (n * 2)"), "");
    assert_ne!(thirds("(at + (n * 2)) - 1"), "");
}

/// An index that is on both sides in different places is on neither.
#[test]
fn an_index_has_one_side_everywhere() {
    let twice = |cond: &str| {
        let body = [format!("if {cond}"), "  prove xs[at] = 1".into(), "prove xs[at + n] = xs[at]".into()];
        found(&kernel("n * 2", &body))
    };
    assert_ne!(twice("at < n"), "");
    let before = ["prove xs[at] = 1".to_string(), "if at < n".into(), "  prove xs[at] = xs[at + n]".into()];
    assert_ne!(found(&kernel("n * 2", &before)), "");
    let guarded =
        ["if at < n".to_string(), "  prove xs[at] = xs[at + n]".into(), "prove xs[(at + (n * 2)) + n] = 1".into()];
    assert_eq!(found(&kernel("n * 2", &guarded)), "");
}

/// What the launch is asked for where there are blocks is known in these, and nothing that it is asked for elsewhere.
#[test]
fn what_is_asked_where_there_is_work_is_known() {
    let asked = |work: &str| {
        let condition = format!("if {work} != 0 {{ (n <= m) & (m < 1000) }} else {{ true }}");
        found(&asking(&condition, "n", &["prove xs[at] = xs[at + m]".to_string()]))
    };
    assert_eq!(asked("((n + 3) >> 2)"), "");
    assert_ne!(asked("(m >> 1)"), "");
}

pub(super) fn below(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % n
}

const COUNTS: [&str; 6] = ["n", "n >> 1", "n / 3", "m", "min(n, m)", "(n >> 1) + 1"];
const PLACES: [&str; 14] = [
    "at",
    "at",
    "at + n",
    "at + m",
    "(n - 1) - at",
    "((n * 2) - 1) - at",
    "at * 2",
    "(at * 2) + 1",
    "(at * 2) + n",
    "at + (n >> 1)",
    "at + (n - (n >> 1))",
    "(at + n) + m",
    "at + (n / 3)",
    "at + ((n / 3) * 2)",
];

fn random(seed: u64) -> Program {
    let state = &mut seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut place = || PLACES[below(state, PLACES.len())];
    let body = [place(), place(), place()];
    let mut body = vec![format!("prove xs[{}] = xs[{}] + xs[{}]", body[0], body[1], body[2])];
    if below(state, 2) == 0 {
        body.push(format!("prove xs[{}] = at", PLACES[below(state, PLACES.len())]));
    }
    kernel(COUNTS[below(state, COUNTS.len())], &body)
}

/// Whether it is proved where arrays may be parted that often.
pub(super) fn proved_to(program: &Program, depth: u32) -> bool {
    let mut v = Verify { depth, ..Verify::new(program) };
    v.phases_of(&program.body);
    v.buffers();
    v.errors.is_empty() && v.unsettled.is_empty()
}

/// Runs a kernel that was accepted on the interpreter, for each pair of arguments that is below these: no two threads meet.
pub(super) fn assert_runs_without_races(seed: u64, program: &Program, (most_n, most_m): (u32, u32)) {
    let mut p = program.clone();
    structured(&mut p).expect("no shared memory");
    let native = fixture::native(&p);
    for (n, m) in (0..most_n).flat_map(|n| (0..most_m).map(move |m| (n, m))) {
        let args = Args::new().buffer(vec![0u32; 40]).scalar(n).scalar(m);
        let fault = interp::run(&native, &args).err();
        let races = fault.is_some_and(|fault| matches!(fault, Fault::Race { .. }));
        assert!(!races, "seed {seed}, n = {n}, m = {m}\n{}", crate::program::print(program));
    }
}

#[test]
fn what_is_accepted_does_not_race() {
    let mut parted = 0;
    for seed in 0..200 {
        let program = random(seed);
        if !proved_to(&program, cut::MAX_DEPTH) {
            continue;
        }
        parted += u32::from(!proved_to(&program, 0));
        assert_runs_without_races(seed, &program, (8, 8));
    }
    assert!(parted > 15, "{parted}");
}
