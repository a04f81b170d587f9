//! OpenCL C of several kernels as one text: a driver's compiler takes longer to begin with a text than for a kernel in it. In:
//! programs in group form; out: for each the text that it shares.

use std::collections::BTreeMap;

use obsidian_ir::backend::opencl;
use obsidian_ir::passes::Group;
use obsidian_runtime::abi::{Language, Need, Text};

/// The most kernels of a text.
const MAX_KERNELS: usize = 16;

/// The text of a kernel by itself.
pub fn alone(group: &Group) -> Text {
    Text {
        // The text for all devices is the one that is asked about.
        language: Language::OpenClC,
        source: opencl::print(group).leak(),
        symbol: opencl::symbol(&group.name).leak(),
        shared_bytes: group.shared_bytes,
        rounds: group.rounds,
        needs: opencl::needs(group).leak(),
    }
}

/// Texts that kernels share, in the order of the kernels. Those of one text are of one kind, which the caller names, and have the
/// same needs: these decide with which options a text is compiled.
pub fn shared<K: Ord>(kernels: &[(K, &Group)]) -> Vec<Text> {
    let mut alike: BTreeMap<(&K, Vec<Need>), Vec<usize>> = BTreeMap::new();
    for (i, (kind, group)) in kernels.iter().enumerate() {
        alike.entry((kind, opencl::needs(group))).or_default().push(i);
    }
    let mut texts: BTreeMap<usize, Text> = BTreeMap::new();
    for chunk in alike.values().flat_map(|alike| alike.chunks(MAX_KERNELS)) {
        let renamed: Vec<Group> = chunk.iter().map(|&i| named(kernels[i].1, i)).collect();
        let source: &'static str = renamed.iter().map(opencl::print).collect::<String>().leak();
        texts.extend(chunk.iter().copied().zip(renamed.iter().map(|group| Text { source, ..alone(group) })));
    }
    texts.into_values().collect()
}

/// A name among those of a text.
fn named(group: &Group, number: usize) -> Group {
    let name = format!("{}_{number}", group.name);
    group.changed(|p| p.name = name).expect("a name breaks no rule")
}
