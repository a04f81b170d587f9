//! Kernels in files: in `kernel! { .. }`, under `#[kernel]` and in kernel files. In: paths. Out: compiled entries, narrowed by
//! name, or mistakes as rustc shows them.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use obsidian_build::shared::{Message, Source, among, tokens_of};
use obsidian_lang::driver::{Compilation, Compiled, Extent, Libraries, Output, Reached, ReachedModule, Variant};
use obsidian_lang::linking;
use obsidian_lang::linking::attribute::{Arguments, arguments, with_attribute};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::deep::{self, too_deep};

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// As it was found.
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
}

/// A compiled entry.
#[derive(Debug)]
pub struct Kernel {
    /// Its file, as it was found.
    pub path: PathBuf,
    /// Its name, without `r#`.
    pub name: String,
    /// Its variants, as far as they were compiled.
    pub entry: Compiled<Reached>,
    /// Where the tokens of its text are.
    pub spans: Rc<SpanTable>,
}

/// A compiled entry at `Device`: several launches.
#[derive(Debug)]
pub struct Module {
    /// Its file, as it was found.
    pub path: PathBuf,
    /// Its variants, as far as they were compiled.
    pub entry: Compiled<ReachedModule>,
    /// Where the tokens of its text are.
    pub spans: Rc<SpanTable>,
}

impl Kernel {
    /// Its variants, if the kernel was compiled to the end.
    pub fn variants(&self) -> impl Iterator<Item = &Variant> {
        self.entry.variants.iter().filter_map(|v| v.lowered.as_ref())
    }
}

impl Module {
    /// Its name, without `r#`.
    pub fn name(&self) -> String {
        self.entry.ident.to_string().trim_start_matches("r#").to_string()
    }
}

/// What comes of some files.
#[derive(Debug, Default)]
pub struct Kernels {
    /// The entries that are one kernel, in the files' order.
    pub kernels: Vec<Kernel>,
    /// Those at `Device`.
    pub modules: Vec<Module>,
    /// Every mistake.
    pub mistakes: Vec<Message>,
}

/// All variants, to the end.
pub const WHOLE: Extent = Extent::WHOLE;

/// Reads files, and those ending in `.rs` in folders, each once, in the order of their names.
///
/// # Errors
/// A path that is not there or cannot be read.
pub fn read(paths: &[PathBuf]) -> Result<Vec<File>, Message> {
    let mut found = Vec::new();
    paths.iter().try_for_each(|path| walk(path, &mut found))?;
    let mut files: Vec<File> = Vec::new();
    for path in found {
        if files.iter().any(|file| file.path == path) {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|e| unreadable(&path, &e))?;
        files.push(File { path, text });
    }
    Ok(files)
}

fn walk(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), Message> {
    if !path.is_dir() {
        found.push(path.to_path_buf());
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(|e| unreadable(path, &e))?;
    let mut entries: Vec<PathBuf> =
        entries.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>().map_err(|e| unreadable(path, &e))?;
    entries.sort();
    let is_source = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|end| end == "rs");
    entries.iter().filter(|path| is_source(path)).try_for_each(|path| walk(path, found))
}

fn unreadable(path: &Path, e: &std::io::Error) -> Message {
    Message::new(format!("cannot read `{}`: {e}", path.display()))
}

/// What a file holds: what each `kernel!` was given, and each `kernel_lib!`.
#[derive(Default)]
struct Parts {
    kernels: Vec<TokenStream>,
    libraries: Vec<TokenStream>,
}

/// Compiles what is in the files. A path of a `use` leads to the library that its last segment names.
pub fn compile(files: &[File], extent: Extent) -> Kernels {
    let mut out = Kernels::default();
    let mut parts: Vec<Parts> = Vec::new();
    for file in files {
        parts.push(parts_of(&file.source()).unwrap_or_else(|mistakes| {
            out.mistakes.extend(mistakes);
            Parts::default()
        }));
    }
    let bodies = files.iter().zip(&mut parts).map(|(file, p)| Ok((file.source(), std::mem::take(&mut p.libraries))));
    let libraries = among(bodies).unwrap_or_else(|mistakes| {
        out.mistakes.extend(mistakes);
        Libraries::default()
    });
    for (file, parts) in files.iter().zip(parts) {
        for tokens in parts.kernels {
            match one(&file.source(), tokens, &libraries, extent) {
                Ok((output, spans)) => out.add(file, output, &Rc::new(spans)),
                Err(mistakes) => out.mistakes.extend(mistakes),
            }
        }
    }
    out
}

impl Kernels {
    fn add(&mut self, file: &File, output: Output, spans: &Rc<SpanTable>) {
        let kernel = |entry: Compiled<Reached>| {
            let name = entry.ident.to_string();
            let name = name.strip_prefix("r#").map_or(name.clone(), str::to_owned);
            Kernel { path: file.path.clone(), name, entry, spans: spans.clone() }
        };
        self.kernels.extend(output.entries.into_iter().map(kernel));
        let module = |entry| Module { path: file.path.clone(), entry, spans: spans.clone() };
        self.modules.extend(output.modules.into_iter().map(module));
    }
}

fn one(
    source: &Source<'_>,
    tokens: TokenStream,
    libraries: &Libraries,
    extent: Extent,
) -> Result<(Output, SpanTable), Vec<Message>> {
    let mut spans = SpanTable::of_file(source.path);
    let text = linking::read(tokens, &mut spans).map_err(|e| source.messages(e, &spans))?;
    let used = libraries.behind(&text, &mut spans).map_err(|e| source.messages(e, &spans))?;
    let compilation = Compilation { text: &text, libraries: &used, extent };
    match compilation.run(&mut spans) {
        Ok(output) => Ok((output, spans)),
        Err(mistakes) => Err(source.messages(mistakes, &spans)),
    }
}

impl File {
    /// As messages take it.
    pub fn source(&self) -> Source<'_> {
        Source { path: &self.path, text: &self.text }
    }
}

/// A file is Rust where it holds one of the macros, or names the crate `obsidian`; any other holds what stands inside
/// `kernel! { .. }`.
fn parts_of(source: &Source<'_>) -> Result<Parts, Vec<Message>> {
    let tokens = tokens_of(source)?;
    if let Some(place) = too_deep(&tokens) {
        let message = Message::coded("OB033", "this is nested too deeply".into()).at(source, place);
        return Err(vec![message.note(deep::LIMITS).help("name parts of it: `let part = ..;`")]);
    }
    let parsed = syn::parse2::<syn::File>(tokens.clone());
    let mut parts = Parts::default();
    match parsed {
        Ok(file) if file.items.iter().any(is_rust) => file.items.into_iter().for_each(|item| parts.add(item)),
        // The language's own parser says what is wrong with a kernel file.
        _ => parts.kernels.push(tokens),
    }
    Ok(parts)
}

fn is_rust(item: &syn::Item) -> bool {
    match item {
        syn::Item::Macro(_) | syn::Item::Mod(_) | syn::Item::Struct(_) | syn::Item::Impl(_) => true,
        syn::Item::Use(used) => {
            used.tree.to_token_stream().into_iter().next().is_some_and(|first| {
                ["obsidian", "std", "core", "crate", "super"].contains(&first.to_string().as_str())
            })
        }
        _ => false,
    }
}

impl Parts {
    fn add(&mut self, item: syn::Item) {
        match item {
            syn::Item::Macro(item) if names(&item.mac.path, "kernel") => self.kernels.push(item.mac.tokens),
            syn::Item::Macro(item) if names(&item.mac.path, "kernel_lib") => self.libraries.push(item.mac.tokens),
            syn::Item::Fn(mut item) => {
                if let Some(place) = item.attrs.iter().position(is_kernel) {
                    let arguments = arguments_of(item.attrs.remove(place));
                    self.kernels.push(with_uses(&arguments, with_attribute(arguments.rest.clone(), quote!(#item))));
                }
            }
            syn::Item::Mod(item) => {
                let Some((_, items)) = item.content else { return };
                match item.attrs.into_iter().find(is_kernel) {
                    Some(attr) => self.kernels.push(with_uses(&arguments_of(attr), quote!(#(#items)*))),
                    None => items.into_iter().for_each(|item| self.add(item)),
                }
            }
            _ => {}
        }
    }
}

fn names(path: &syn::Path, name: &str) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == name)
}

fn is_kernel(attr: &syn::Attribute) -> bool {
    names(attr.path(), "kernel")
}

fn arguments_of(attr: syn::Attribute) -> Arguments {
    match attr.meta {
        syn::Meta::List(list) => arguments(list.tokens),
        _ => arguments(TokenStream::new()),
    }
}

fn with_uses(arguments: &Arguments, items: TokenStream) -> TokenStream {
    let uses = &arguments.libraries;
    quote!(#(use #uses::*;)* #items)
}

impl Kernels {
    /// Only the entries with one of these names, in which `*` stands for any text; all where there is no name.
    ///
    /// # Errors
    /// A name that fits none.
    pub fn narrowed(self, names: &[String]) -> Result<Kernels, Message> {
        let Kernels { kernels, mut modules, mistakes } = self;
        let of_modules = |wanted: &&String| modules.iter().any(|module| fits(wanted, &module.name()));
        let (both, others): (Vec<&String>, Vec<&String>) = names.iter().partition(of_modules);
        let others: Vec<String> = others.into_iter().cloned().collect();
        let mut left = narrow(kernels, &others)?;
        if !names.is_empty() {
            left.retain(|kernel| names.iter().any(|wanted| fits(wanted, &kernel.name)));
            modules.retain(|module| both.iter().any(|wanted| fits(wanted, &module.name())));
        }
        Ok(Kernels { kernels: left, modules, mistakes })
    }
}

/// Narrows kernels to those with one of these names, in which `*` stands for any text; all where there is no name.
///
/// # Errors
/// A name that fits none.
pub fn narrow(kernels: Vec<Kernel>, names: &[String]) -> Result<Vec<Kernel>, Message> {
    for wanted in names {
        if !kernels.iter().any(|kernel| fits(wanted, &kernel.name)) {
            let known: Vec<String> = kernels.iter().map(|kernel| format!("`{}`", kernel.name)).collect();
            let message = Message::new(format!("no kernel has the name `{wanted}`"));
            return Err(match known.as_slice() {
                [] => message.note("there is no kernel in these files"),
                _ => message.note(format!("there are: {}", known.join(", "))),
            });
        }
    }
    let wanted = |kernel: &Kernel| names.is_empty() || names.iter().any(|wanted| fits(wanted, &kernel.name));
    Ok(kernels.into_iter().filter(wanted).collect())
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => {
            let Some(tail) = name.strip_prefix(start) else { return false };
            (0..=tail.len()).filter(|&at| tail.is_char_boundary(at)).any(|at| fits(rest, &tail[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File {
        File { path: "kernels.rs".into(), text: text.into() }
    }

    const ENTRY: &str = "pub fn f(a: DPull<u8>) -> DPush<Grid, u8> { a.split_up(64).as_grid_map(|c| c.push()) }";

    #[test]
    fn kernels_of_each_form_are_found() {
        let forms = [
            format!("#[kernel(threads = 64)] {ENTRY}"),
            format!("use obsidian::prelude::*; kernel! {{ #[kernel(threads = 64)] {ENTRY} }} fn main() {{}}"),
            format!("use obsidian::{{kernel, prelude::*}}; #[obsidian::kernel(threads = 64, crate = ::o)] {ENTRY}"),
            format!("use obsidian::kernel; mod a {{ #[kernel] mod b {{ #[kernel(threads = 64)] {ENTRY} }} }}"),
            format!(
                "use obsidian::prelude::*;
                 kernel_lib! {{ pub mod two {{ pub fn twice(x: u8) -> u8 {{ x + x }} }} }}
                 #[kernel(threads = 64, use(crate::two))] {}",
                ENTRY.replace("a.split", "a.map(|x| twice(x)).split")
            ),
        ];
        for text in forms {
            let found = compile(&[file(&text)], WHOLE);
            assert!(found.mistakes.is_empty(), "{text}\n{}", found.mistakes[0]);
            assert_eq!(found.kernels.iter().map(|k| k.name.as_str()).collect::<Vec<_>>(), ["f"], "{text}");
            assert_eq!(found.kernels[0].variants().count(), 1);
        }
    }

    #[test]
    fn mistakes_stand_at_their_lines_and_do_not_hide_other_kernels() {
        let text = "use obsidian::prelude::*;\nkernel! {\n    #[kernel(threads = 64)]\n    pub fn g(a: DPull<u8>) -> DPush<Grid, u8> { a.compute() }\n}\n";
        let found = compile(&[file(text), file(&format!("#[kernel(threads = 64)] {ENTRY}"))], WHOLE);
        assert_eq!(found.kernels.len(), 1);
        let shown = found.mistakes[0].to_string();
        assert!(shown.contains("--> kernels.rs:4:") && shown.contains("a.compute()"), "{shown}");
    }

    #[test]
    fn names_are_patterns() {
        let kernels = || compile(&[file(&format!("#[kernel(threads = 64)] {ENTRY}"))], WHOLE).kernels;
        assert_eq!(narrow(kernels(), &["f*".into()]).unwrap().len(), 1);
        let refusal = narrow(kernels(), &["g".into()]).unwrap_err().to_string();
        assert!(refusal.contains("no kernel has the name `g`") && refusal.contains("there are: `f`"), "{refusal}");
        assert!(fits("*_x*", "a_xb") && fits("a*c", "abc") && !fits("a*c", "ab") && fits("*", ""));
    }
}
