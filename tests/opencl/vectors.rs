//! Accesses to neighbours as one, which only devices other than processors get from the runtime: here every device does.

use std::sync::atomic::{AtomicUsize, Ordering};

use obsidian::abi::{KernelInfo, Language, Variant};

use super::cases::on_these_variants;
use super::sub_groups::with_text;
use super::{compare, lacking, opencl, usual};

/// Stands around the definitions by which a text accesses single elements.
const ELEMENTWISE: &str = "#ifdef ELEMENTWISE\n";

/// Longer texts take the drivers' compilers minutes.
const LONGEST: usize = 8000;

fn in_vectors(variant: &Variant) -> Option<&'static str> {
    let text = variant.text(Language::OpenClC)?;
    (text.source.contains(ELEMENTWISE) && text.source.len() <= LONGEST).then_some(text.source)
}

#[test]
fn vectors_give_what_the_interpreter_gives() {
    let Some(device) = opencl() else { return };
    let run = AtomicUsize::new(0);
    let usual_in_vectors = |info: &KernelInfo| in_vectors(&info.variants[usual(info.variants)]).is_some();
    on_these_variants(usual_in_vectors, |case| {
        let variants = case.info.variants;
        let Some(source) = in_vectors(&variants[case.variant]).filter(|_| usual(variants) == case.variant) else {
            return;
        };
        if lacking(device, case).is_none() {
            let source = String::leak(source.replacen(ELEMENTWISE, "#if 0\n", 1));
            compare(&with_text(case, Language::OpenClC, source), &[None]);
            run.fetch_add(1, Ordering::Relaxed);
        }
    });
    let run = run.into_inner();
    println!("{run} variants in vectors");
    assert!(run >= 30, "{run} run");
}
