//! Mistakes planted in the text of right programs. A judge whose questions were empty would prove these too.

use std::collections::BTreeMap;
use std::path::Path;

use obsidian_judge::Verdict;

use crate::court::{self, Case};
use crate::{machine, programs};

/// Longer texts are left to the programs' own test.
const MAX_TEXT: usize = 1500;
/// One program of this number is asked about.
const EVERY: usize = 4;

/// Makes a mistake in a line, if there is a place for it: the new lines.
type Mistake = fn(&[&str], usize) -> Option<Vec<String>>;

/// Every kind of mistake.
const KINDS: [(&str, Mistake); 8] = [
    ("a write is left out", no_write),
    ("a write is shifted", shifted),
    ("a stride is halved", halved),
    ("a thread less", |lines, at| counted(lines, at, "forall", |n| n - 1)),
    ("a thread more", |lines, at| counted(lines, at, "forall", |n| n + 1)),
    ("a block less", fewer_blocks),
    ("a guard is dropped", no_guard),
    ("two phases are one", one_phase),
];

/// Every kind of mistake in machine form, besides those in indices.
const MACHINE_KINDS: [(&str, Mistake); 7] = [
    ("a write is shifted", shifted),
    ("a guard is dropped", no_guard),
    ("a barrier is left out", no_barrier),
    ("a warp waits, not the block", warps_barrier),
    ("some of the block wait", barrier_of_some),
    ("two arrays are in one place", one_place),
    ("a vector is shifted", shifted_vector),
];

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|l| l.to_string()).collect()
}

/// The array, index and value of a line that writes an element.
fn write(line: &str) -> Option<(&str, &str, &str)> {
    let text = line.trim_start().trim_start_matches("prove ");
    let (place, value) = text.split_once("] = ")?;
    let (array, index) = place.split_once('[')?;
    array.chars().all(|c| c.is_alphanumeric() || c == '_').then_some((array, index, value))
}

fn no_write(lines: &[&str], at: usize) -> Option<Vec<String>> {
    write(lines[at])?;
    let mut new = owned(lines);
    new.remove(at);
    Some(new)
}

fn shifted(lines: &[&str], at: usize) -> Option<Vec<String>> {
    // A write of several elements, `a[i ..]`, has a mistake of its own.
    let (array, index, value) = write(lines[at]).filter(|(_, index, _)| !index.ends_with(" .."))?;
    let mut new = owned(lines);
    new[at] = format!("{}{array}[({index}) + 1] = {value}", " ".repeat(depth(lines[at])));
    Some(new)
}

fn halved(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let (array, index, value) = write(lines[at])?;
    let from = index.find(" * ")? + 3;
    let digits = index[from..].chars().take_while(char::is_ascii_digit).count();
    let stride: u32 = index[from..from + digits].parse().ok().filter(|n| *n > 1)?;
    let mut new = owned(lines);
    let index = format!("{}{}{}", &index[..from], stride / 2, &index[from + digits..]);
    new[at] = format!("{}{array}[{index}] = {value}", " ".repeat(depth(lines[at])));
    Some(new)
}

fn counted(lines: &[&str], at: usize, word: &str, change: fn(u32) -> u32) -> Option<Vec<String>> {
    let (head, n) = lines[at].rsplit_once(" < ")?;
    let n: u32 = n.parse().ok().filter(|n| *n > 1)?;
    if !head.trim_start().starts_with(word) {
        return None;
    }
    let mut new = owned(lines);
    new[at] = format!("{head} < {}", change(n));
    Some(new)
}

fn fewer_blocks(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let (head, n) = lines[at].split_once(" < ")?;
    if !head.trim_start().starts_with("distribute Block") {
        return None;
    }
    let mut new = owned(lines);
    new[at] = format!("{head} < ({n}) - 1");
    Some(new)
}

/// What stands under an `if` without `else` happens always.
fn no_guard(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let here = depth(lines[at]);
    if !lines[at].trim_start().starts_with("if ") {
        return None;
    }
    let end = (at + 1..lines.len()).find(|&k| depth(lines[k]) <= here).unwrap_or(lines.len());
    if lines.get(end).is_some_and(|l| l.trim_start() == "else") || !lines[at + 1..end].iter().any(|l| l.contains('[')) {
        return None;
    }
    let mut new = owned(&lines[..at]);
    new.extend(lines[at + 1..end].iter().map(|l| l[2..].to_string()));
    new.extend(owned(&lines[end..]));
    Some(new)
}

/// A phase of a block and the next one, of as many threads, without the barrier between them.
fn one_phase(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let here = depth(lines[at]);
    let head = |l: &str| -> Option<(String, String)> {
        let (var, n) = l.trim_start().strip_prefix("forall Block ")?.split_once(" < ")?;
        Some((var.to_string(), n.to_string()))
    };
    let (var, n) = head(lines[at])?;
    let mut next = (at + 1..lines.len()).find(|&k| depth(lines[k]) <= here)?;
    let mut new = owned(&lines[..at]);
    let body: Vec<String> = owned(&lines[at..next]);
    while lines.get(next).is_some_and(|l| depth(l) == here && l.trim_start().starts_with("shared")) {
        new.push(lines[next].to_string());
        next += 1;
    }
    let (other, m) = head(lines.get(next).filter(|l| depth(l) == here)?)?;
    if n != m {
        return None;
    }
    let end = (next + 1..lines.len()).find(|&k| depth(lines[k]) <= here).unwrap_or(lines.len());
    new.extend(body);
    new.extend(lines[next + 1..end].iter().map(|l| renamed(l, &other, &var)));
    new.extend(owned(&lines[end..]));
    Some(new)
}

fn changed(lines: &[&str], at: usize, new: &[String]) -> Option<Vec<String>> {
    Some([&owned(&lines[..at]), new, &owned(&lines[at + 1..])].concat())
}

fn no_barrier(lines: &[&str], at: usize) -> Option<Vec<String>> {
    lines[at].trim_start().starts_with("sync ").then_some(())?;
    changed(lines, at, &[])
}

fn warps_barrier(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let pad = lines[at].strip_suffix("sync Block")?;
    changed(lines, at, &[format!("{pad}sync Warp")])
}

fn barrier_of_some(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let pad = lines[at].strip_suffix("sync Block")?;
    changed(lines, at, &[format!("{pad}if tid < 7"), format!("{pad}  sync Block")])
}

/// An array lies where the block's memory begins.
fn one_place(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let (array, place) = lines[at].trim_start().starts_with("shared ").then(|| lines[at].rsplit_once(" at "))??;
    (place != "0").then_some(())?;
    changed(lines, at, &[format!("{array} at 0")])
}

fn shifted_vector(lines: &[&str], at: usize) -> Option<Vec<String>> {
    let (before, after) = lines[at].split_once(" ..]")?;
    let (array, index) = before.split_once('[')?;
    changed(lines, at, &[format!("{array}[({index}) + 1 ..]{after}")])
}

/// A line with one name for another.
fn renamed(line: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(from) {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let alone = !rest[..at].ends_with(word) && !rest[at + from.len()..].starts_with(word);
        out += &rest[..at];
        out += if alone { to } else { from };
        rest = &rest[at + from.len()..];
    }
    out + rest
}

/// A mistake of each kind in a kernel: at its last place, where most results are written.
fn mutants(kinds: &[(&'static str, Mistake)], case: &Case) -> Vec<(&'static str, Case)> {
    let lines: Vec<&str> = case.text.lines().collect();
    let one = |(kind, mistake): &(&'static str, Mistake)| {
        let new = (0..lines.len()).rev().find_map(|at| mistake(&lines, at))?;
        let text = new.join("\n");
        (text != case.text.trim_end()).then(|| (*kind, Case { text, ..case.clone() }))
    };
    kinds.iter().filter_map(one).collect()
}

#[test]
fn planted_mistakes_are_refuted() {
    let Some(solver) = court::solver() else { return };
    let cases = short(programs::programs()).step_by(EVERY).chain(short(programs::guide()));
    are_refuted(&solver, &KINDS, cases, 85);
}

#[test]
fn mistakes_in_machine_form_are_refuted() {
    let Some(solver) = court::solver() else { return };
    are_refuted(&solver, &MACHINE_KINDS, short(machine::every_program()).step_by(EVERY), 75);
}

fn short(cases: Vec<Case>) -> impl Iterator<Item = Case> {
    cases.into_iter().filter(|c| c.text.len() <= MAX_TEXT)
}

/// At least this many in a hundred, and of each kind some.
fn are_refuted(solver: &Path, planted: &[(&'static str, Mistake)], cases: impl Iterator<Item = Case>, percent: usize) {
    let (kinds, cases): (Vec<&str>, Vec<Case>) = cases.flat_map(|case| mutants(planted, &case)).unzip();
    let mut tally: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut proved = Vec::new();
    for (kind, judged) in kinds.iter().zip(court::judged(solver, cases)) {
        let verdict = judged.report().verdict();
        tally.entry(kind).or_default()[verdict as usize] += 1;
        if verdict == Verdict::Proved {
            proved.push(format!("{kind}: {}\n{}", judged.case.name, judged.case.text));
        }
    }
    for (kind, [proved, refuted, unknown]) in &tally {
        println!("{kind:22} {refuted} refuted, {unknown} unknown, {proved} proved");
    }
    if std::env::var_os("OBSIDIAN_SHOW_PROVED").is_some() {
        println!("{}", proved.join("\n\n"));
    }
    // A mistake may make no difference, or one that only values show.
    let all: [usize; 3] = tally.values().fold([0; 3], |sum, t| [sum[0] + t[0], sum[1] + t[1], sum[2] + t[2]]);
    assert!(all[1] * 100 >= percent * all.iter().sum::<usize>(), "of {all:?} mistakes too few are refuted");
    assert!(tally.len() == planted.len() && tally.values().all(|t| t[1] > 0), "{tally:?}");
}
