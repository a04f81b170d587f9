//! Ranges of variables (R36): what is found, and random loops whose variables keep to what is found.

use super::*;
use crate::interp::{self, Args, Fault};
use crate::passes::{fixture, structured};
use crate::program::text::read;
use crate::program::{Program, ScalarType};

/// A kernel whose threads, of which there are 4, do `body`.
fn kernel(body: &[&str]) -> Program {
    let text = format!(
        "kernel k (threads = 4, shared = 0 B)
  mut xs: u32[len(xs)]
  in  n: u32
  in  m: u32
  blocks: 1
  distribute Block b < 1
    forall Block i < 4
      {}
",
        body.join("\n      ")
    );
    read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn narrowed(body: &[&str]) -> Program {
    let mut p = kernel(body);
    narrow(&mut p);
    p
}

/// The range of the variable `j`.
fn range_of_j(body: &[&str]) -> (i128, i128) {
    let p = narrowed(body);
    let j = (0..).map(VarId).find(|&var| p.var(var).name == "j").unwrap();
    let Range { lo, hi } = p.exprs.var_range(j);
    (lo, hi)
}

/// The same, of a variable that begins with `first` and changes while a condition holds.
fn while_(first: &str, cond: &str, change: &str) -> (i128, i128) {
    range_of_j(&[&format!("local j: u32 = {first}"), "loop", &format!("while {cond}"), &format!("  j = {change}")])
}

const ALL: i128 = u32::MAX as i128;

#[test]
fn what_only_becomes_smaller_stays_below_its_first_value() {
    assert_eq!(while_("15", "(j > 0) & (xs[j] > m)", "j - 1"), (0, 15));
    assert_eq!(while_("i", "(xs[j] > m) & (j != 0)", "j - 1"), (0, 3));
    assert_eq!(while_("15", "j > 1", "j - 2"), (0, 15));
    assert_eq!(while_("15", "j > n", "j >> 1"), (0, 15));
    assert_eq!(while_("15", "xs[j] > m", "min(j, m)"), (0, 15));
    // It may go past 0, or begin anywhere.
    assert_eq!(while_("15", "j > 0", "j - 2"), (0, ALL));
    assert_eq!(while_("15", "xs[j] > m", "j - 1"), (0, ALL));
    assert_eq!(while_("15", "(j > 0) | (xs[j] > m)", "j - 1"), (0, ALL));
    assert_eq!(while_("n", "j > 0", "j - 1"), (0, ALL));
}

#[test]
fn what_becomes_larger_stays_where_the_condition_lets_it() {
    assert_eq!(while_("0", "j < 16", "j + 1"), (0, 16));
    assert_eq!(while_("3", "(xs[j] > m) & (j <= 8)", "j + 5"), (3, 13));
    assert_eq!(while_("1", "j < 100", "j * 2"), (1, 198));
    assert_eq!(while_("0", "j < i", "j + 1"), (0, 3));
    assert_eq!(while_("0", "j < n", "j + 1"), (0, ALL));
    assert_eq!(while_("0", "j != 16", "j + 1"), (0, ALL));
}

#[test]
fn each_side_of_a_choice_is_where_its_condition_says() {
    let round = |choice: &str| while_("8", "xs[j] > m", choice);
    assert_eq!(round("if j > 0 { j - 1 } else { 9 }"), (0, 9));
    assert_eq!(
        round("if xs[j] > n { if j > 0 { j - 1 } else { j } } else { if j < 15 { j + 1 } else { j } }"),
        (0, 15)
    );
    assert_eq!(round("if j > 0 { j - 1 } else { n }"), (0, ALL));
    assert_eq!(round("if j > 0 { 9 } else { j - 1 }"), (0, ALL));
    assert_eq!(while_("1", "j < 5", "(if n > m { 1 } else { 9 }) + j"), (1, 13));
    assert_eq!(while_("1", "j < 5", "(if n > m { 9 } else { 1 }) + j"), (1, 13));
}

#[test]
fn what_a_type_cannot_hold_is_anywhere_in_it() {
    assert_eq!(while_("0", "j < 100", "(((j * 2) + 2) as u8) as u32"), (0, 200));
    assert_eq!(while_("0", "j < 100", "(((j * 40) + 1) as u8) as u32"), (0, 255));
    assert_eq!(while_("100", "j < 150", "((j * 2) as u8) as u32"), (0, 255));
}

#[test]
fn what_was_known_is_forgotten_where_a_variable_changes() {
    let body = |first: &'static str, second: &'static str| {
        range_of_j(&["local j: u32 = 15", "loop", "while j > 0", first, second])
    };
    assert_eq!(body("  j = j - 1", "  xs[j] = 1"), (0, 15));
    assert_eq!(body("  j = j - 1", "  j = j - 1"), (0, ALL));
    // By another loop, or in a branch.
    let inner = |line: &'static str| {
        let k = [
            "local j: u32 = 15",
            "local k: u32 = m",
            "loop",
            "while j > 0",
            "  loop",
            "  while k > 4",
            "    k = k - 1",
        ];
        range_of_j(&[&k[..], &[line, "  j = j - 1"]].concat())
    };
    assert_eq!(inner("    xs[k] = 1"), (0, 15));
    assert_eq!(inner("    j = 0"), (0, ALL));
    let branch = ["local j: u32 = 15", "loop", "while j > 0", "  if xs[j] > m", "    j = 0", "  j = j - 1"];
    assert_eq!(range_of_j(&branch), (0, ALL));
    let branch = ["local j: u32 = 15", "loop", "while j > 0", "  if xs[j] > m", "    j = 2", "  else", "    j = j - 1"];
    assert_eq!(range_of_j(&branch), (0, 15));
}

/// What random loops rest on.
#[test]
fn the_interpreter_sees_a_value_outside_of_its_range() {
    for line in ["let j(0..=6) = n", "local j(0..=6): u32 = n", "seq j(0..=5) in 0..n"] {
        let body = if line.starts_with("seq") { vec![line, "  xs[0] = j"] } else { vec![line, "xs[0] = j"] };
        let mut p = kernel(&body);
        structured(&mut p).expect("no shared memory");
        let run =
            |n: u32| interp::run(&fixture::native(&p), &Args::new().buffer(vec![0u32; 8]).scalar(n).scalar(0u32)).err();
        let is_outside = |fault| matches!(fault, Some(Fault::OutsideRange { .. }));
        assert!(is_outside(run(7)) && !is_outside(run(6)), "{line}");
    }
}

/// Counters of blocks and threads, and what an atomic update finds.
#[test]
fn the_interpreter_sees_a_counter_outside_of_its_range() {
    let blocks = ["distribute Block b(0..=5) < n", "  forall Block i < 4", "    let o = atomic_add(xs[0], b)"];
    let threads = ["distribute Block b < 1", "  forall Block i(0..=5) < n", "    let o = atomic_add(xs[0], i)"];
    let found = ["distribute Block b < 1", "  forall Block i < 1", "    let o(0..=6) = atomic_add(xs[0], i)"];
    for lines in [blocks, threads, found] {
        let head = ["kernel k (threads = 4, shared = 0 B)", "  mut xs: u32[len(xs)]", "  in  n: u32", "  blocks: n"];
        let text = format!("{}\n  {}\n", head.join("\n"), lines.join("\n  "));
        let mut p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        structured(&mut p).expect("no shared memory");
        let run = |n: u32| interp::run(&fixture::native(&p), &Args::new().buffer(vec![n; 8]).scalar(n)).err();
        assert!(matches!(run(7), Some(Fault::OutsideRange { .. })), "{text}");
        assert_eq!(run(6), None, "{text}");
    }
}

/// Names and counters have the ranges of what they are made of.
#[test]
fn what_is_made_of_a_variable_has_its_range() {
    let p = narrowed(&[
        "local j: u32 = 7",
        "loop",
        "while (j > 0) & (xs[j] > m)",
        "  j = j - 1",
        "let twice(0..=4294967295) = j * 2",
        "seq k(0..=4294967295) in 0..j",
        "  xs[twice + k] = 1",
    ]);
    let range = |name: &str| {
        let var = (0..).map(VarId).find(|&var| p.var(var).name == name).unwrap();
        let Range { lo, hi } = p.exprs.var_range(var);
        (lo, hi)
    };
    assert_eq!((range("twice"), range("k")), ((0, 14), (0, 6)));
    let StmtKind::DistrPar { body, .. } = &p.body[0].kind else { panic!() };
    let index = walk::evaluated(body).into_iter().map(|e| p.exprs.range(e).hi).collect::<Vec<_>>();
    assert!(index.contains(&20), "{index:?}");
}

/// A name holds until its variable changes, and no longer.
#[test]
fn names_hold_until_the_variable_changes() {
    let p = narrowed(&[
        "local j: u32 = 15",
        "loop",
        "while (j > 0) & (xs[j] > m)",
        "  xs[j - 1] = j",
        "  if j < 9",
        "    xs[j + 1] = 2",
        "  j = j - 1",
        "  xs[j] = 3",
    ]);
    let text = crate::program::print(&named(&p).unwrap());
    for line in
        ["let j36(1..=15) = j", "xs[j36 - 1] = j36", "if j36 < 9", "xs[j36 + 1] = 2", "j = j36 - 1", "xs[j] = 3"]
    {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(named(&narrowed(&["local j: u32 = m", "if xs[j] < n", "  j = xs[j]"])).is_none());
}

/// What `named` makes of a variable `j` between 0 and 15.
fn with_names(body: &[&str]) -> String {
    let begins = ["local j: u32 = 15", "loop", "while (j > 0) & (xs[j] > m)", "  j = j - 1"];
    named(&narrowed(&[&begins[..], body].concat())).map_or_else(String::new, |p| crate::program::print(&p))
}

fn assert_has(text: &str, lines: &[&str]) {
    lines.iter().for_each(|line| assert!(text.lines().any(|found| found.trim() == *line), "{line}\n{text}"));
}

#[test]
fn names_are_of_the_side_that_the_condition_leaves() {
    let text = with_names(&["if j == 0", "  xs[j] = 1", "else", "  xs[j - 1] = j"]);
    assert_has(&text, &["let j37(0..=0) = j", "let j38(1..=15) = j", "xs[j38 - 1] = j38"]);
}

/// A branch may change what it has begun with.
#[test]
fn names_end_before_a_branch_that_changes_their_variable() {
    let text =
        with_names(&["if j > 3", "  xs[j] = 1", "  if xs[7] > m", "    j = j - 1", "    xs[j - 1] = 2", "  xs[j] = 3"]);
    assert_has(&text, &["xs[j37] = 1", "j = j - 1", "xs[j - 1] = 2", "xs[j] = 3"]);
}

#[test]
fn choices_get_names_where_they_are_made_once() {
    let choice = "if j > 0 { j - 1 } else { 15 }";
    let named = format!("let choice37(0..=15) = {choice}");
    // What a branch changes is another choice behind that.
    let within = format!("  xs[{choice}] = 2");
    let branch = with_names(&[&format!("if ({choice}) > m"), "  j = 9", &within]);
    assert_has(&branch, &[&named, "if choice37 > m", &format!("let choice38(0..=15) = {choice}"), "xs[choice38] = 2"]);
    let tested = format!("while ({choice}) > m");
    assert_has(&with_names(&["loop", &tested, "  j = j >> 1"]), &[&tested]);
}

const STEPS: [&str; 12] = [
    "j = j - 1",
    "j = j + 1",
    "j = j - 2",
    "j = k",
    "k = j",
    "k = k + 3",
    "k = k >> 1",
    "k = min(j, k)",
    "j = if j > 0 { j - 1 } else { 9 }",
    "k = if k > j { k - j } else { k }",
    "j = (j * 2) % 7",
    "k = xs[j & 7] & 7",
];
const CONDITIONS: [&str; 8] =
    ["j > 0", "j < 12", "k < j", "k <= 5", "(j > 0) & (xs[k & 7] > 2)", "j != k", "k > 3", "(k > 0) | (j < 4)"];

fn random(seed: u64) -> Program {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut lines =
        vec![format!("local j: u32 = {}", below(13)), format!("local k: u32 = {}", ["i", "m & 3", "9"][below(3)])];
    lines.push("seq r in 0..3".into());
    for _ in 0..2 {
        let fuel = format!("f{}", lines.len());
        lines.extend([format!("  local {fuel}: u32 = 0"), "  loop".into()]);
        lines.push(format!("  while ({fuel} < 5) & ({})", CONDITIONS[below(CONDITIONS.len())]));
        lines.push(format!("    {fuel} = {fuel} + 1"));
        lines.push(format!("    {}", STEPS[below(STEPS.len())]));
        lines.push(format!("    if {}", CONDITIONS[below(CONDITIONS.len())]));
        lines.push(format!("      {}", STEPS[below(STEPS.len())]));
        lines.push("      let seen(0..=4294967295) = j - k".into());
        lines.push(format!("    {}", STEPS[below(STEPS.len())]));
    }
    kernel(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn random_loops_keep_to_their_ranges() {
    let mut narrower = 0;
    for seed in 0..400 {
        let before = random(seed);
        let mut p = before.clone();
        narrow(&mut p);
        let full = Range::full(ScalarType::U32);
        narrower += (0..p.vars.len() as u32)
            .filter(|&v| p.exprs.var_range(VarId(v)) != full && p.var(VarId(v)).mutable)
            .count();
        for mut p in [Some(p.clone()), named(&p)].into_iter().flatten() {
            let text = crate::program::print(&p);
            structured(&mut p).expect("no shared memory");
            let native = fixture::native(&p);
            for m in 0..3u32 {
                let args = Args::new().buffer(vec![5u32, 0, 1, 9, 2, 7, 3, 4]).scalar(7u32).scalar(m);
                let fault = interp::run(&native, &args).err();
                assert!(!matches!(fault, Some(Fault::OutsideRange { .. })), "seed {seed}: {fault:?}\n{text}");
            }
        }
    }
    assert!(narrower > 300, "{narrower}");
}
