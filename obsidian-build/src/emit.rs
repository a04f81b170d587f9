//! What is written beside the entries.

use std::collections::BTreeMap;
use std::path::Path;

use obsidian_abi::Language;
use obsidian_lang::driver::{Compiled, Entries, Variant};
use obsidian_lang::expand::texts::{self, Text};

use crate::error::Message;
use crate::files;

/// A kind of file for programs in other languages. Each kernel has one for each of its variants, named as the function in it;
/// the name is the entry's where there is one variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Emit {
    /// `NAME.ptx`.
    Ptx,
    /// `NAME.cu`.
    CudaC,
    /// `NAME.h`: the launch contract of PTX and CUDA C, as functions in C.
    Header,
    /// `NAME.cl`, and `NAME.sub_groups.cl` of programs of warps, for devices with sub-groups.
    OpenClC,
    /// `manifest.json`: see [`Manifest`](crate::Manifest).
    Manifest,
}

impl Emit {
    /// Everything.
    pub const ALL: [Emit; 5] = [Emit::Ptx, Emit::CudaC, Emit::Header, Emit::OpenClC, Emit::Manifest];

    fn of(language: Language) -> Emit {
        match language {
            Language::Ptx => Emit::Ptx,
            Language::CudaC => Emit::CudaC,
            Language::Header => Emit::Header,
            Language::OpenClC | Language::OpenClSubGroups => Emit::OpenClC,
        }
    }
}

/// A text and the name of its file.
pub struct Written {
    pub text: Text,
    pub file: String,
}

/// The texts of a variant that are wanted.
pub fn named(variant: &Variant, wanted: impl Fn(Emit) -> bool) -> Vec<Written> {
    let texts = texts::of(variant).into_iter().filter(|text| wanted(Emit::of(text.language)));
    let name = |text: Text| Written { file: format!("{}.{}", variant.machine.name, extension(text.language)), text };
    texts.map(name).collect()
}

/// Each kernel that is written, with the name of its entry.
pub fn each_kernel(entries: &Entries) -> impl Iterator<Item = (String, &Variant)> {
    let own = entries.kernels.iter().flat_map(|entry| entry.variants.iter().map(|v| (entry.ident.to_string(), v)));
    let launched = entries.modules.iter().flat_map(|entry| {
        let kernels = entry.variants.iter().flat_map(|v| &v.kernels);
        kernels.map(|kernel| (entry.ident.to_string(), kernel))
    });
    own.chain(launched)
}

/// Checks that no two kernels are written into one file: variants and launches have names of their own, which another kernel may have.
///
/// # Errors
/// The name, and whose it is.
pub fn check_names<'k>(entries: impl Iterator<Item = (String, &'k Variant)>) -> Result<(), Message> {
    let mut known: BTreeMap<&str, String> = BTreeMap::new();
    for (entry, variant) in entries {
        let symbol = variant.machine.name.as_str();
        if let Some(other) = known.insert(symbol, entry.clone()) {
            let text = format!("a kernel of `{other}` and one of `{entry}` are both called `{symbol}` in the texts");
            return Err(
                Message::new(text).help("files and functions have these names: call one of the entries something else")
            );
        }
    }
    Ok(())
}

/// Writes the texts of a variant that are wanted.
pub fn texts(variant: &Variant, wanted: impl Fn(Emit) -> bool, folder: &Path) -> Result<Vec<Written>, Message> {
    let written = named(variant, wanted);
    written.iter().try_for_each(|w| files::write(&folder.join(&w.file), &w.text.source))?;
    Ok(written)
}

fn extension(language: Language) -> &'static str {
    match language {
        Language::Ptx => "ptx",
        Language::CudaC => "cu",
        Language::Header => "h",
        Language::OpenClC => "cl",
        Language::OpenClSubGroups => "sub_groups.cl",
    }
}

/// The name of an entry without `r#`.
pub fn plain_name(entry: &Compiled) -> String {
    let name = entry.ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}
