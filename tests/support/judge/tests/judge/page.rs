//! Everything that the compiler accepts and the judge is asked about, and the page that says what came of it: the programs, the guide,
//! random kernels, as they are written and in machine form. The page is rendered by `OBSIDIAN_BLESS=1` with the solver named, as
//! `cargo xtask test` names it. Counts and what exactly is unknown are not compared: parts of the solver give up by the clock, so on a
//! loaded machine it knows a little less.

use std::fmt::Write;
use std::path::Path;

use obsidian_judge::Verdict;

use crate::court::{self, Case, Judged};
use crate::kernels::WRONG;
use crate::record::Record;
use crate::{machine, programs, random};

const HEAD: &str = include_str!("page_head.md");

/// How lines begin that change with every kernel that is added.
const COUNTED: &str = "| kernels ";

/// Kernels of one kind, judged.
struct Set {
    title: &'static str,
    judged: Vec<Judged>,
}

fn set(solver: &Path, title: &'static str, record: Record, cases: Vec<Case>) -> Set {
    Set { title, judged: court::judged_by_record(solver, &record, &cases) }
}

fn row(set: &Set) -> String {
    let count = |verdict| set.judged.iter().filter(|j| j.report().verdict() == verdict).count();
    let sum = |of: fn(&Judged) -> u64| set.judged.iter().map(of).sum::<u64>();
    let (questions, steps) = (sum(|j| j.report().questions), sum(|j| j.report().steps) / 1_000_000);
    format!(
        "{COUNTED}{} | {} | {} | {} | {} | {questions} | {steps} |",
        set.title,
        set.judged.len(),
        count(Verdict::Proved),
        count(Verdict::Refuted),
        count(Verdict::Unknown)
    )
}

fn page(sets: &[Set]) -> String {
    let mut out = HEAD.to_string();
    let _ = writeln!(out, "\n## Verdicts\n");
    let _ = writeln!(out, "| kernels | how many | proved | refuted | unknown | questions | million steps |");
    let _ = writeln!(out, "|---|---:|---:|---:|---:|---:|---:|");
    sets.iter().for_each(|s| out += &format!("{}\n", row(s)));
    let _ = writeln!(out, "\nUnknown are, besides random kernels:\n");
    let named = sets.iter().filter(|set| !set.title.contains("random"));
    for judged in named.flat_map(|set| &set.judged).filter(|j| j.report().verdict() == Verdict::Unknown) {
        let _ = writeln!(out, "- `{}`: {}", judged.case.name, open(&judged.report().unknown));
    }
    let _ = writeln!(out, "\nThe kernels that are wrong on purpose:\n\n| class | kernel | fault |\n|---|---|---|");
    for wrong in WRONG {
        let name = wrong.text.split("pub fn ").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or_default();
        let _ = writeln!(out, "| {} | `{name}` | {} |", wrong.class, wrong.fault);
    }
    out
}

/// The most of one kind that are named one by one.
const MAX_NAMED: usize = 4;

/// What is unknown of a kernel, by kinds: `races of s2, s3`, or how many there are.
fn open(unknown: &[String]) -> String {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for what in unknown {
        let (kind, of) = what.split_once(" of ").unwrap_or((what, ""));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, all)) => all.push(of),
            None => kinds.push((kind, vec![of])),
        }
    }
    let words = kinds.iter().map(|(kind, of)| match of.as_slice() {
        [""] => kind.to_string(),
        many if many.len() > MAX_NAMED => format!("{kind} of {} arrays", many.len()),
        few => format!("{kind} of {}", few.join(", ")),
    });
    words.collect::<Vec<_>>().join("; ")
}

/// A page without what is not compared.
fn compared(page: &str) -> Vec<&str> {
    page.lines().filter(|l| !l.starts_with(COUNTED) && !is_unknown(l)).collect()
}

fn is_unknown(line: &str) -> bool {
    line.starts_with("- `")
}

/// How many kernels are unknown by a page.
fn count_unknown(page: &str) -> usize {
    page.lines().filter(|l| is_unknown(l)).count()
}

/// The most kernels that may be unknown besides those of the page.
const MAX_MORE_UNKNOWN: usize = 4;

#[test]
fn nothing_is_wrong_with_what_is_accepted() {
    let Some(solver) = court::solver() else { return };
    let random = random::Kernels::asked_for();
    let set = |title, record, cases| set(&solver, title, record, cases);
    let open = |name| Record::open(&solver, name);
    let of_random = |name| if random.are_recorded() { open(name) } else { Record::none() };
    let wrong = WRONG.iter().map(|w| crate::adversary::case(w.text)).collect();
    let (written, in_machine_form) = random.cases();
    let sets = [
        set("of `programs`", open("programs"), programs::programs()),
        set("of `programs`, in machine form", open("machine"), machine::every_program()),
        set("of the guide", open("guide"), programs::guide()),
        set("of random seeds", of_random("random"), written),
        set("of random seeds, in machine form", of_random("random_machine"), in_machine_form),
        set("that are wrong on purpose", Record::none(), wrong),
    ];
    sets.iter().for_each(|s| println!("{}", row(s)));
    for set in &sets[..sets.len() - 1] {
        assert!(set.judged.len() > 20, "{}: {}", set.title, set.judged.len());
        programs::check(&set.judged);
    }
    if random.are_recorded() {
        compare(&page(&sets));
    }
}

/// Compares the page with the one that is kept, or keeps it.
fn compare(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/src/judge.md");
    if std::env::var_os("OBSIDIAN_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, page).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let (before, now) = (count_unknown(&found), count_unknown(page));
    assert!(now <= before + MAX_MORE_UNKNOWN, "{now} kernels are unknown, by docs/src/judge.md {before}");
    assert!(
        compared(&found) == compared(page),
        "docs/src/judge.md is not up to date: run this test with OBSIDIAN_BLESS=1"
    );
}
