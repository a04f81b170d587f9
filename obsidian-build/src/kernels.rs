//! Files of kernels: each compiled to its entries.

use obsidian_lang::driver::{Compilation, Entries, Libraries, Output};
use obsidian_lang::linking::{self, Text};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::TokenStream;

use crate::error::{Message, Source};
use crate::files::File;

/// The entries of a file.
pub struct Kernels<'a> {
    pub file: &'a File,
    pub entries: Entries,
    /// What it is read as.
    pub text: Text,
}

/// Compiles every file; the mistakes of all of them together.
pub fn compile<'a>(files: &'a [File], libraries: &Libraries) -> Result<Vec<Kernels<'a>>, Vec<Message>> {
    let (mut kernels, mut errors) = (Vec::<Kernels<'a>>::new(), Vec::new());
    for file in files {
        match one(file, libraries) {
            Ok(found) => kernels.push(found),
            Err(e) => errors.extend(e),
        }
    }
    errors.extend(named_twice(&kernels));
    if errors.is_empty() { Ok(kernels) } else { Err(errors) }
}

fn one<'a>(file: &'a File, libraries: &Libraries) -> Result<Kernels<'a>, Vec<Message>> {
    let source = Source { path: &file.path, text: &file.text };
    let tokens = tokens_of(&source)?;
    let mut spans = SpanTable::of_file(&file.path);
    let text = linking::read(tokens, &mut spans).map_err(|e| source.messages(e, &spans))?;
    let used = libraries.behind(&text, &mut spans).map_err(|e| source.messages(e, &spans))?;
    let output = Compilation::whole(&text, &used).run(&mut spans).map_err(|e| source.messages(e, &spans))?;
    let entries = Output::into_compiled(output);
    if entries.is_empty() {
        let message = Message::new(format!("`{}` holds no entry", file.path.display()));
        return Err(vec![
            message.help("an entry is a function with the attribute: `#[kernel(threads = 256)] pub fn ..`"),
        ]);
    }
    Ok(Kernels { file, entries, text })
}

/// The tokens of a file.
///
/// # Errors
/// `OB001` where it is none of Rust's.
pub fn tokens_of(source: &Source<'_>) -> Result<TokenStream, Vec<Message>> {
    source.text.parse().map_err(|e: proc_macro2::LexError| {
        let why = "a bracket, a text or a comment has only one end, or a character is none of Rust's";
        vec![Message::coded("OB001", format!("this is not Rust: {why}")).at(source, e.span())]
    })
}

/// Texts and files are named after entries and kernel files.
fn named_twice(kernels: &[Kernels<'_>]) -> Vec<Message> {
    let mut messages = Vec::new();
    for (i, later) in kernels.iter().enumerate() {
        for first in &kernels[..i] {
            let both = format!("{} and {}", first.file.path.display(), later.file.path.display());
            if first.file.stem == later.file.stem {
                messages.push(Message::new(format!("two kernel files have the name `{}`: {both}", first.file.stem)));
            }
            let same = first.entries.idents().filter(|a| later.entries.idents().any(|b| *a == b));
            messages.extend(same.map(|ident| Message::new(format!("`{ident}` is an entry in {both}"))));
        }
    }
    messages
}
