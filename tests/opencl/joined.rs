//! Texts of several programs behind one another in one file: the driver's compiler takes them, and each kernel gives what
//! the interpreter gives, though the macros and pragmas of others stand before it.

use std::collections::BTreeSet;

use obsidian::abi::{KernelInfo, Language, Need, Text, Variant};
use rayon::prelude::*;

use super::cases::{Case, cases, each};
use super::{compare, lacking, opencl, usual};

/// Characters of the texts that are compiled as one.
const TOGETHER: usize = 60_000;

fn text(case: &Case) -> &'static Text {
    case.info.variants[case.variant].text(Language::OpenClC).expect("every kernel has OpenCL C")
}

/// Splits cases into groups whose texts make one file.
fn files(cases: Vec<Case>) -> Vec<Vec<Case>> {
    let mut files: Vec<Vec<Case>> = vec![Vec::new()];
    let mut size = 0;
    for case in cases {
        size += text(&case).source.len();
        if size > TOGETHER {
            files.push(Vec::new());
            size = text(&case).source.len();
        }
        files.last_mut().expect("never empty").push(case);
    }
    files
}

/// The case with a file of many kernels as its text.
fn within(case: &Case, source: &'static str, needs: &'static [Need]) -> Case {
    let mut variant: Variant = case.info.variants[case.variant].clone();
    let text = Text { source, needs, ..*text(case) };
    variant.texts = Vec::leak(vec![text]);
    let info = KernelInfo { name: case.info.name, variants: Vec::leak(vec![variant]) };
    Case { info: Box::leak(Box::new(info)), variant: 0, program: case.program.clone(), chunk: case.chunk }
}

/// Compiles a group's texts as one file, from which the last kernel runs: what the others define stands before it.
fn check(group: &[Case]) -> Result<(), &'static str> {
    let source: String = group.iter().map(|case| text(case).source).collect();
    let needs: BTreeSet<Need> = group.iter().flat_map(|case| text(case).needs).copied().collect();
    let (source, needs): (&str, &[Need]) = (String::leak(source), Vec::leak(needs.into_iter().collect()));
    let last = group.last().expect("a file holds a kernel");
    each(last, |case| compare(&within(case, source, needs), &[None]))
}

/// One program in five is asked about: each is compiled a second time, behind others.
const EVERY: usize = 5;
/// Is set where this is asked of one driver: it is about the texts, and takes minutes where they are optimised.
const ASKED: &str = "OBSIDIAN_TEST_JOINED";

#[test]
fn texts_behind_one_another_give_what_each_gives_alone() {
    let Some(device) = opencl() else { return };
    if std::env::var_os(ASKED).is_none() {
        println!("SKIP: {ASKED} does not say that this driver is asked");
        return;
    }
    let mut all = cases();
    all.retain(|case| case.variant == usual(case.info.variants) && lacking(device, case).is_none());
    let all: Vec<Case> = all.into_iter().step_by(EVERY).collect();
    let number = all.len();
    let files = files(all);
    let failures: Vec<&str> = files.par_iter().filter_map(|group| check(group).err()).collect();
    assert!(failures.is_empty(), "see above: {failures:?}");
    println!("{number} programs in {} files", files.len());
    assert!(files.len() < number, "texts stand together");
}
