//! Texts of several programs behind one another in one file. A driver's compiler may take longer to begin with a text than for a
//! kernel in it, and must take each kernel though the macros and pragmas of others stand before it.

use std::collections::BTreeMap;

use obsidian::Device;
use obsidian::abi::{KernelInfo, Language, Need, Text, Variant};

use super::defects::POCL;
use super::{Asked, Case};

/// The most characters of texts that are compiled as one; a longer one is compiled alone.
const MAX_TOGETHER: usize = 60_000;

/// What decides the options of the compiler.
type Options = (&'static [Option<u32>], &'static [Need]);

/// The same with texts that kernels share, where the driver is PoCL: it takes most of its time to begin. Elsewhere each stays alone.
/// Also the number of different texts.
pub(super) fn joined(device: &Device, asked: Vec<Asked>) -> (Vec<Asked>, usize) {
    if !shares_texts(device) {
        let texts = asked.len();
        return (asked, texts);
    }
    let mut alike: BTreeMap<Options, Vec<Asked>> = BTreeMap::new();
    for one in asked {
        alike.entry((one.real, text(&one.case).needs)).or_default().push(one);
    }
    let files: Vec<Vec<Asked>> = alike.into_values().flat_map(files).collect();
    let texts = files.len();
    (files.into_iter().flat_map(share).collect(), texts)
}

/// Whether the device is one whose kernels share texts.
pub(super) fn shares_texts(device: &Device) -> bool {
    device.name().contains(POCL)
}

fn text(case: &Case) -> &'static Text {
    case.info.variants[case.variant].text(Language::OpenClC).expect("every kernel has OpenCL C")
}

/// Splits what is compiled with the same options into groups whose texts make one file. A text is once in a file.
fn files(asked: Vec<Asked>) -> Vec<Vec<Asked>> {
    let mut files: Vec<Vec<Asked>> = Vec::new();
    let mut size = 0;
    for one in asked {
        let own = text(&one.case).source.len();
        match files.last_mut() {
            Some(file) if size + own <= MAX_TOGETHER => {
                size += own;
                file.push(one);
            }
            _ => {
                size = own;
                files.push(vec![one]);
            }
        }
    }
    files
}

/// A file of these, and each with it as its text.
fn share(file: Vec<Asked>) -> impl Iterator<Item = Asked> {
    let source: &'static str = file.iter().map(|one| text(&one.case).source).collect::<String>().leak();
    file.into_iter().map(move |one| Asked { case: within(one.case, source), real: one.real })
}

/// The case with a file of many kernels as its text.
fn within(case: Case, source: &'static str) -> Case {
    let mut variant: Variant = case.info.variants[case.variant].clone();
    variant.texts = Vec::leak(vec![Text { source, ..*text(&case) }]);
    let info = KernelInfo { name: case.info.name, variants: Vec::leak(vec![variant]) };
    Case { info: Box::leak(Box::new(info)), variant: 0, ..case }
}
