//! The texts of a variant, one row per language: which form it is printed from, and what goes with it.

use obsidian_abi::{Language, Need};
use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_ir::program::Program;

use crate::driver::Variant;

/// A text that was printed, with what the runtime must know to load it.
#[derive(Debug, Clone)]
pub struct Text {
    /// Its language.
    pub language: Language,
    /// The text.
    pub source: String,
    /// Name of the function in it.
    pub symbol: String,
    /// Static shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Real blocks for each block of a launch.
    pub rounds: u32,
    /// What a device must have.
    pub needs: Vec<Need>,
}

/// Prints a variant in one language, where it has such a text.
type Print = fn(&Variant) -> Option<Text>;

/// All languages, in the order in which kernels carry them.
const LANGUAGES: [Print; 5] = [
    |v| on_machine(Language::Ptx, ptx::print(&v.machine), v),
    |v| on_machine(Language::CudaC, cuda::print(&v.machine), v),
    |v| on_machine(Language::Header, cuda::header(&v.machine), v),
    |v| in_opencl(Language::OpenClC, opencl::print(&v.group), &v.group, v),
    |v| {
        let program = v.sub_groups.as_ref()?;
        in_opencl(Language::OpenClSubGroups, opencl::print_sub_groups(program), program, v)
    },
];

/// The texts of a variant.
pub fn of(variant: &Variant) -> Vec<Text> {
    LANGUAGES.iter().filter_map(|print| print(variant)).collect()
}

fn on_machine(language: Language, source: String, v: &Variant) -> Option<Text> {
    let (symbol, shared_bytes) = (v.machine.name.clone(), v.machine.shared_bytes);
    Some(Text { language, source, symbol, shared_bytes, rounds: 1, needs: Vec::new() })
}

/// The kernel bears the same name and asks for the same in both texts.
fn in_opencl(language: Language, source: String, program: &Program, v: &Variant) -> Option<Text> {
    let (symbol, needs) = (opencl::symbol(&v.group.name), opencl::needs(&v.group));
    Some(Text { language, source, symbol, shared_bytes: program.shared_bytes, rounds: program.rounds, needs })
}
