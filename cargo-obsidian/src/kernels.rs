//! The kernels that a command line names, compiled.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::args::{Sources, Which};
use crate::output::say;
use obsidian_build::shared::Message;
use obsidian_lang::driver::{Compiled, Extent, Reached};
use obsidian_tune::source::{self, Kernel, Kernels, Module};

/// Where kernels are looked for when no path is given.
const FOLDERS: [&str; 2] = ["src", "kernels"];

/// Compiles what is named: entries that are one kernel, and the launches of those at `Device`.
pub fn compiled(sources: &Sources, extent: Extent) -> Result<Vec<Kernel>, Failure> {
    let found = entries(sources, extent)?;
    Ok(found.kernels.into_iter().chain(found.modules.into_iter().flat_map(launches)).collect())
}

/// Compiles every entry that is named.
pub fn entries(sources: &Sources, extent: Extent) -> Result<Kernels, Failure> {
    let files = source::read(&paths(&sources.paths)?)?;
    let found = source::compile(&files, extent);
    if !found.mistakes.is_empty() {
        return Err(Failure::Kernels(found.mistakes));
    }
    let found = found.narrowed(&sources.kernels)?;
    if found.kernels.is_empty() && found.modules.is_empty() {
        let message = Message::new("there is no kernel in these files");
        return Err(message.help("name a file with a kernel: a function after `#[kernel]`, in `kernel! { .. }` or alone, or a kernel file").into());
    }
    Ok(found)
}

/// The launches of an entry at `Device`, each as a kernel of the entry's name, with a variant for each of the entry's.
pub fn launches(module: Module) -> Vec<Kernel> {
    let name = module.name();
    let mut each: Vec<Vec<Reached>> = Vec::new();
    for variant in module.entry.variants {
        for (place, kernel) in variant.kernels.into_iter().enumerate() {
            if each.len() == place {
                each.push(Vec::new());
            }
            each[place].push(kernel);
        }
    }
    let Compiled { ident, vis, attrs, generics, host, .. } = module.entry;
    let of = |variants| Kernel {
        path: module.path.clone(),
        name: name.clone(),
        entry: Compiled {
            ident: ident.clone(),
            vis: vis.clone(),
            attrs: attrs.clone(),
            variants,
            generics: generics.clone(),
            host: host.clone(),
        },
        spans: module.spans.clone(),
    };
    each.into_iter().map(of).collect()
}

/// The paths that are given, or those where kernels are looked for.
pub fn paths(given: &[PathBuf]) -> Result<Vec<PathBuf>, Message> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    let found: Vec<PathBuf> = FOLDERS.map(PathBuf::from).into_iter().filter(|path| path.is_dir()).collect();
    if found.is_empty() {
        let message = Message::new("there is neither a folder `src` nor a folder `kernels` here");
        return Err(message.help("call this in a package's folder, or name files"));
    }
    Ok(found)
}

/// The variants of a kernel that are wanted: those with these values, and of them the first or all.
pub fn variants<'a>(kernel: &'a Kernel, which: &Which) -> Result<Vec<&'a Reached>, Message> {
    let wanted = which.values.iter().map(|given| value(given)).collect::<Result<Vec<_>, _>>()?;
    let fits = |v: &&Reached| {
        let Some(lowered) = &v.lowered else { return wanted.is_empty() };
        let threads = lowered.native.threads.to_string();
        let has = |(name, value): &(&str, &str)| {
            let own = lowered.values.iter().map(|(n, v)| (n.as_str(), v.to_string()));
            own.chain([("threads", threads.clone())]).any(|(n, v)| n == *name && v == *value)
        };
        wanted.iter().all(has)
    };
    let mut found: Vec<&Reached> = kernel.entry.variants.iter().filter(fits).collect();
    if !which.all {
        found.truncate(1);
    }
    if found.is_empty() {
        let message = Message::new(format!("no variant of `{}` has {}", kernel.name, which.values.join(" and ")));
        let known: Vec<String> = kernel.variants().take(20).map(shown).collect();
        return Err(message.note(format!("there are: {}", known.join("; "))));
    }
    Ok(found)
}

fn value(given: &str) -> Result<(&str, &str), Message> {
    given.split_once('=').map(|(name, value)| (name.trim(), value.trim())).ok_or_else(|| {
        Message::new(format!("`{given}` is not a value of a parameter")).help("write `--with threads=64`")
    })
}

/// `threads = 64, SEQ = 8`, as the host shows a variant.
pub fn shown(variant: &obsidian_lang::driver::Variant) -> String {
    let values = variant.values.iter().map(|(name, value)| format!(", {name} = {value}"));
    format!("threads = {}{}", variant.native.threads, values.collect::<String>())
}

/// Writes files into a folder, which is made.
pub fn write(folder: &Path, files: &[(String, String)]) -> Result<(), Message> {
    let unwritable = |path: &Path, e: std::io::Error| Message::new(format!("cannot write `{}`: {e}", path.display()));
    let mut names = HashSet::new();
    if let Some((name, _)) = files.iter().find(|(name, _)| !names.insert(name)) {
        let text = format!("two kernels would be written as `{}`", folder.join(name).display());
        return Err(
            Message::new(text).help("name one of them with `--kernel`, one file with PATHS, or call it something else")
        );
    }
    std::fs::create_dir_all(folder).map_err(|e| unwritable(folder, e))?;
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| unwritable(&path, e))?;
        say(path.display())?;
    }
    Ok(())
}
