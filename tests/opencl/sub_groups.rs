//! Programs of warps where sub-groups are warps: each gives what the interpreter gives, by the text for sub-groups and no
//! other. `cargo xtask test` brings Intel's driver for it; without a device that is said to have them this says SKIP.

use std::sync::atomic::{AtomicUsize, Ordering};

use obsidian::abi::{KernelInfo, Language, Text, Variant};
use obsidian::{Backend, Error};

use super::cases::{Case, on_these_variants, values};
use super::device::{How, planned};
use super::{compare, opencl};

/// Set where a driver with sub-groups of 32 was set up.
const EXPECTED: &str = "OBSIDIAN_TEST_SUB_GROUPS";

/// What no compiler takes.
const BROKEN: &str = "#error \"this text was not to be compiled\"";

/// The case with another text in one language.
pub(super) fn with_text(case: &Case, language: Language, source: &'static str) -> Case {
    let mut variant: Variant = case.info.variants[case.variant].clone();
    let changed = |text: &Text| if text.language == language { Text { source, ..*text } } else { *text };
    variant.texts = Vec::leak(variant.texts.iter().map(changed).collect());
    let info = KernelInfo { name: case.info.name, variants: Vec::leak(vec![variant]) };
    Case { info: Box::leak(Box::new(info)), variant: 0, program: case.program.clone(), chunk: case.chunk }
}

/// Longer texts take the driver's compiler minutes.
const LONGEST: usize = 8000;

fn in_sub_groups(variant: &Variant) -> bool {
    variant.text(Language::OpenClSubGroups).is_some_and(|text| text.source.len() <= LONGEST)
}

/// Compiling is slow: the first variant, the last, and one whose last sub-group is not full.
fn is_asked(case: &Case) -> bool {
    let variants = case.info.variants;
    let asked = [0, variants.len() - 1].contains(&case.variant) || variants[case.variant].threads == 33;
    asked && in_sub_groups(&variants[case.variant])
}

#[test]
fn sub_groups_give_what_the_interpreter_gives() {
    if std::env::var_os(EXPECTED).is_none() {
        println!("SKIP: {EXPECTED} does not say that the device has sub-groups of 32");
        return;
    }
    let device = opencl().expect("a device");
    assert_eq!(device.kind(), Backend::OpenCl);
    let (run, lacking) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let of_warps = |info: &KernelInfo| info.variants.iter().any(in_sub_groups);
    on_these_variants(of_warps, |case| {
        if !is_asked(case) {
            return;
        }
        // The way in which groups take blocks is the same in all texts.
        let real = if case.variant == 0 { &[None, Some(7), Some(1)][..] } else { &[None] };
        let case = with_text(case, Language::OpenClC, BROKEN);
        let planned = planned(device, case.info, How { variant: 0, blocks: None }, &values(case.params(), 0));
        if let Err(Error::Feature { feature, .. }) = planned {
            println!("{}: the device lacks {feature}", case.name());
            lacking.fetch_add(1, Ordering::Relaxed);
        } else {
            compare(&case, real);
            run.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (run, lacking) = (run.into_inner(), lacking.into_inner());
    println!("{run} variants in sub-groups, {lacking} not on this device");
    assert!(run >= 40 && 10 * lacking <= run, "{run} run, {lacking} lacking");
}

#[test]
fn what_would_not_be_warps_is_run_without_sub_groups() {
    if opencl().is_none() {
        return;
    }
    let asked = on_these_variants(
        |info| info.name == "lanes_sum",
        |case| {
            let text = case.info.variants[case.variant].text(Language::OpenClSubGroups);
            let Some(text) = text.filter(|_| case.variant == 0) else { return };
            let (right, wrong) = ("intel_reqd_sub_group_size(32)", "intel_reqd_sub_group_size(16)");
            assert!(text.source.contains(right), "{}", text.source);
            for source in [BROKEN, String::leak(text.source.replace(right, wrong))] {
                compare(&with_text(case, Language::OpenClSubGroups, source), &[None]);
            }
        },
    );
    assert_eq!(asked, 8);
}
