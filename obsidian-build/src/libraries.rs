//! Files of libraries: each holds `kernel_lib! { .. }`, and `use`s that only Rust needs. The modules may use one another, whatever
//! the order of files.

use obsidian_lang::driver::Libraries;
use obsidian_lang::linking::{self, LibraryModule};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{TokenStream, TokenTree};

use crate::error::{Message, Source};
use crate::files::File;
use crate::kernels::tokens_of;

/// A module that is not defined yet.
struct Open<'a> {
    source: Source<'a>,
    module: LibraryModule,
    /// The names of libraries in its `use`s.
    uses: Vec<String>,
}

/// The libraries of some files.
pub fn read(files: &[File]) -> Result<Libraries, Vec<Message>> {
    among(files.iter().map(of_file))
}

/// The libraries of these files, each with what stands in the braces of its `kernel_lib!`s.
///
/// # Errors
/// Those of reading a file, as they are given; every independent mistake in the libraries; two of one name.
pub fn among<'a>(
    files: impl Iterator<Item = Result<(Source<'a>, Vec<TokenStream>), Vec<Message>>>,
) -> Result<Libraries, Vec<Message>> {
    let (mut open, mut errors) = (Vec::new(), Vec::new());
    for file in files {
        match file.and_then(|(source, bodies)| modules(source, bodies)) {
            Ok(modules) => open.extend(modules),
            Err(e) => errors.extend(e),
        }
    }
    errors.extend(named_twice(&open));
    if errors.is_empty() { define(open) } else { Err(errors) }
}

/// What stands in a file of libraries.
fn of_file(file: &File) -> Result<(Source<'_>, Vec<TokenStream>), Vec<Message>> {
    let source = Source { path: &file.path, text: &file.text };
    let bodies = bodies(tokens_of(&source)?, &source).map_err(|e| vec![e])?;
    if bodies.is_empty() {
        let message = Message::new(format!("`{}` holds no library", file.path.display()));
        return Err(vec![message.help("a library is a module: `kernel_lib! { pub mod nets { .. } }`")]);
    }
    Ok((source, bodies))
}

/// The modules of a file.
fn modules(source: Source<'_>, bodies: Vec<TokenStream>) -> Result<Vec<Open<'_>>, Vec<Message>> {
    let mut found = Vec::new();
    for body in bodies {
        let mut spans = SpanTable::default();
        let modules = linking::modules(body, &mut spans).map_err(|e| source.messages(vec![*e], &spans))?;
        for module in modules {
            let mut spans = SpanTable::default();
            let text = linking::read(module.body.clone(), &mut spans).map_err(|e| source.messages(e, &spans))?;
            let uses = text.uses.libraries.iter().map(|path| path.last_segment().to_string()).collect();
            found.push(Open { source, module, uses });
        }
    }
    Ok(found)
}

/// What stands in the braces of each `kernel_lib!`.
fn bodies(tokens: TokenStream, source: &Source<'_>) -> Result<Vec<TokenStream>, Message> {
    let mut bodies = Vec::new();
    let mut item: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match (item.as_slice(), &token) {
            ([.., TokenTree::Ident(name), TokenTree::Punct(_)], TokenTree::Group(group)) if name == "kernel_lib" => {
                bodies.push(group.stream());
                item.clear();
            }
            ([TokenTree::Ident(first), ..], TokenTree::Punct(end)) if first == "use" && end.as_char() == ';' => {
                item.clear();
            }
            // After `kernel_lib!(..);`.
            ([], TokenTree::Punct(end)) if end.as_char() == ';' => {}
            _ => item.push(token),
        }
    }
    match item.first() {
        None => Ok(bodies),
        Some(token) => Err(Message::new("a file of libraries holds `kernel_lib! { .. }` and nothing else")
            .at(source, token.span())
            .help("kernels stand in files of their own, which `.file(..)` names")),
    }
}

fn named_twice(open: &[Open<'_>]) -> Vec<Message> {
    let twice = open.iter().enumerate().filter_map(|(i, later)| {
        let first = open[..i].iter().find(|other| other.module.name == later.module.name)?;
        Some(
            Message::new(format!("two libraries have the name `{}`", later.module.name))
                .at(&later.source, later.module.name.span())
                .note(format!("the other is in {}", first.source.path.display()))
                .note("a `use` finds a library by its last segment"),
        )
    });
    twice.collect()
}

/// Defines the modules, each after those that it uses.
fn define(mut open: Vec<Open<'_>>) -> Result<Libraries, Vec<Message>> {
    let mut libraries = Libraries::default();
    while !open.is_empty() {
        let waits =
            |module: &Open<'_>| module.uses.iter().any(|name| open.iter().any(|other| other.module.name == name));
        let waiting: Vec<bool> = open.iter().map(waits).collect();
        if waiting.iter().all(|waits| *waits) {
            return Err(vec![circle(&open)]);
        }
        let mut errors = Vec::new();
        let mut later = Vec::new();
        for (module, waits) in open.into_iter().zip(waiting) {
            if waits {
                later.push(module);
                continue;
            }
            let mut spans = SpanTable::default();
            if let Err(e) = libraries.define(&module.module, &mut spans) {
                errors.extend(module.source.messages(e, &spans));
            }
        }
        // What uses a library with mistakes would only repeat them.
        if !errors.is_empty() {
            return Err(errors);
        }
        open = later;
    }
    Ok(libraries)
}

fn circle(open: &[Open<'_>]) -> Message {
    let names: Vec<String> = open.iter().map(|module| format!("`{}`", module.module.name)).collect();
    let first = &open[0];
    Message::new(format!("libraries use one another in a circle, or wait for one: {}", names.join(", ")))
        .at(&first.source, first.module.name.span())
        .help("move what they share into a library of its own")
}
