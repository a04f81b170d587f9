//! Accesses to neighbours as one, which only devices other than processors get from the runtime: here every device does.

use obsidian::abi::{Language, Variant};

use super::sub_groups::with_text;
use super::{Asked, ONE_EACH, asked, compare_all, opencl, usual};
use obsidian_oracle::cases::cases;
use obsidian_programs as programs;

/// Stands around the definitions by which a text accesses single elements.
const ELEMENTWISE: &str = "#ifdef ELEMENTWISE\n";

/// Longer texts take the drivers' compilers minutes.
const LONGEST: usize = 8000;

fn in_vectors(variant: &Variant) -> Option<&'static str> {
    let text = variant.text(Language::OpenClC)?;
    (text.source.contains(ELEMENTWISE) && text.source.len() <= LONGEST).then_some(text.source)
}

/// A variant that has such accesses, with the text that makes them.
fn with_vectors(asked: Asked) -> Option<Asked> {
    let variants = asked.case.info.variants;
    let source = in_vectors(&variants[asked.case.variant]).filter(|_| usual(variants) == asked.case.variant)?;
    let source = String::leak(source.replacen(ELEMENTWISE, "#if 0\n", 1));
    Some(Asked { case: with_text(&asked.case, Language::OpenClC, source), real: &ALONE })
}

/// How the variant is launched: a block per group.
const ALONE: [Option<u32>; 1] = [None];

#[test]
fn vectors_give_what_the_interpreter_gives() {
    let Some(device) = opencl() else { return };
    let mut cases = cases();
    cases.retain(|case| in_vectors(&case.info.variants[usual(case.info.variants)]).is_some());
    let one_each = asked(cases).filter(|asked| asked.real == ONE_EACH);
    let compared = compare_all(device, one_each.filter_map(with_vectors));
    println!("{} variants in vectors, in {} texts", compared.run, compared.texts);
    assert!(compared.run >= 30, "{} run", compared.run);
}

/// The accesses of a CUDA C text to several neighbours at once.
fn vectors_in_cuda(text: &str) -> usize {
    text.matches(" *)&").count()
}

/// The same of an OpenCL C text, less what defines them.
fn vectors_in_opencl(text: &str) -> usize {
    let uses = |name: &str| {
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.matches(name).count()).sum::<usize>()
    };
    ["LOAD2(", "LOAD4(", "STORE2(", "STORE4("].into_iter().map(uses).sum()
}

/// Where CUDA C has an access to neighbours, OpenCL C has one too: the same number, but for what lies in lanes there and in
/// local memory here, and in a text that is launched for each round of a block, which has the accesses of one round.
#[test]
fn neighbours_are_accessed_together_where_cuda_does() {
    let (mut compared, mut few) = (0, Vec::new());
    for info in programs::all().iter().map(|kernel| kernel.info()) {
        for variant in info.variants {
            let texts = (variant.text(Language::CudaC), variant.text(Language::OpenClC));
            let (Some(cuda), Some(opencl)) = texts else { continue };
            let found = (vectors_in_cuda(cuda.source), vectors_in_opencl(opencl.source));
            if found.1 < found.0.div_ceil(opencl.rounds as usize) {
                few.push(format!(
                    "{} of {} threads: CUDA C {}, OpenCL C {}",
                    info.name, variant.threads, found.0, found.1
                ));
            }
            compared += usize::from(found.0 > 0);
        }
    }
    assert!(few.is_empty(), "{few:#?}");
    assert!(compared >= 300, "{compared} kernels have such accesses");
}
