//! The way of a kernel, in one place: tokens in, checked and compiled entries out.

use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};

use crate::diag::{Diagnostic, Result};
use crate::linking::{self, Carried, Linked, Text};
use crate::program::Program;
use crate::syntax::ast::FnDecl;
use crate::syntax::{EntryItem, SpanTable, parse_module};
use crate::types::Mention;
use crate::{passes, stage, stdlib, types};

/// Stack of the thread that compiles: evaluation recurses as deep as the kernel does.
const STACK: usize = 512 << 20;

/// A compiled entry.
#[derive(Debug)]
pub struct Compiled {
    /// Its name.
    pub ident: Ident,
    /// `pub` ..
    pub vis: TokenStream,
    /// Documentation, `cfg` and `allow`.
    pub attrs: TokenStream,
    /// One for each number of threads; never empty.
    pub variants: Vec<Variant>,
}

/// One compiled form of an entry.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Laid out, barriers placed, expressions scheduled; levels still there. The interpreter and the CPU run this.
    pub native: Program,
    /// Virtualised: what the GPU back ends print.
    pub machine: Program,
}

/// What compiling a macro call gives.
#[derive(Debug)]
pub struct Output {
    /// The entries, in order.
    pub entries: Vec<Compiled>,
    /// Which functions the author's tokens name.
    pub mentions: Vec<Mention>,
    /// Where the names come from that the author's `use`s bring in: which library path, and the name there.
    pub origins: HashMap<String, (usize, String)>,
}

/// Compiles the functions of a `kernel!` call that uses no libraries.
///
/// # Errors
/// Every independent mistake of the author's; `spans` then maps their places to tokens.
pub fn compile(tokens: TokenStream, spans: &mut SpanTable) -> std::result::Result<Vec<Compiled>, Vec<Diagnostic>> {
    let text = linking::read(tokens, spans)?;
    compile_linked(&text, &[], spans).map(|output| output.entries)
}

/// Compiles the functions of a `kernel!` call; `libraries[k]` is what its `k`th library path leads to.
///
/// # Errors
/// Every independent mistake of the author's; `spans` then maps their places to tokens.
pub fn compile_linked(
    text: &Text,
    libraries: &[Vec<Carried>],
    spans: &mut SpanTable,
) -> std::result::Result<Output, Vec<Diagnostic>> {
    let module = parse_module(text.items.clone(), spans)?;
    let linked = linking::link(text, libraries)?;
    let fns = module.fns;
    // Tokens exist only on the macro's own thread: all parsing is done here.
    let library = stdlib::select(linked.words.iter().cloned()).map_err(|e| vec![*e])?;
    let (variants, mentions) = on_large_stack(|| evaluate(&fns, &linked, &library))?;
    let entries = module.entries.into_iter().zip(variants).map(|(item, variants)| compiled(item, variants)).collect();
    Ok(Output { entries, mentions, origins: linked.origins })
}

/// Checks a module of a `kernel_lib!`: its functions are helpers, and none is an entry.
///
/// # Errors
/// Every independent mistake of the author's.
pub fn check_library(
    text: &Text,
    libraries: &[Vec<Carried>],
    spans: &mut SpanTable,
) -> std::result::Result<Output, Vec<Diagnostic>> {
    let output = compile_linked(text, libraries, spans)?;
    let errors: Vec<Diagnostic> = output.entries.iter().map(|e| entry_in_library(&e.ident, spans)).collect();
    if errors.is_empty() { Ok(output) } else { Err(errors) }
}

fn entry_in_library(name: &Ident, spans: &mut SpanTable) -> Diagnostic {
    Diagnostic::new("OB074", spans.add(name.span()), format!("`{name}` is an entry, and a library has none"))
        .note("a library's functions are compiled where a kernel uses them; nothing of it is launched")
        .help("leave `#[kernel]` out, and write the entry in `kernel! { use ..; .. }`")
}

fn compiled(item: EntryItem, variants: Vec<Variant>) -> Compiled {
    Compiled { ident: item.ident, vis: item.vis, attrs: item.attrs, variants }
}

type Evaluated = std::result::Result<(Vec<Vec<Variant>>, Vec<Mention>), Vec<Diagnostic>>;

fn on_large_stack(f: impl FnOnce() -> Evaluated + Send) -> Evaluated {
    let internal = |what: &str| {
        let message = format!("the kernel compiler {what}; please report this");
        vec![Diagnostic::new("OB099", crate::diag::Span::NONE, message)]
    };
    std::thread::scope(|scope| match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, f) {
        Ok(handle) => handle.join().unwrap_or_else(|_| Err(internal("stopped unexpectedly"))),
        Err(e) => Err(internal(&format!("could not start: {e}"))),
    })
}

fn evaluate(fns: &[FnDecl], linked: &Linked, library: &stdlib::Library) -> Evaluated {
    let mut checked = types::check(fns, linked, &library.fns, &library.builtins)?;
    let mentions = std::mem::take(&mut checked.mentions);
    let checked = Rc::new(checked);
    let mut out = Vec::new();
    let mut errors = Vec::new();
    for entry in &checked.entries {
        match variants(&checked, entry, fns) {
            Ok(v) => out.push(v),
            Err(e) => errors.push(*e),
        }
    }
    if errors.is_empty() { Ok((out, mentions)) } else { Err(errors) }
}

fn variants(checked: &Rc<types::Checked>, entry: &types::Entry, fns: &[FnDecl]) -> Result<Vec<Variant>> {
    let decl = &fns[entry.id.0 as usize];
    let mut out = Vec::new();
    for &threads in &entry.threads {
        let symbol = crate::backend::symbol(&decl.name.text);
        let name = if entry.threads.len() == 1 { symbol } else { format!("{symbol}_t{threads}") };
        let place = |mut e: Box<Diagnostic>| {
            e.span = e.span.or(decl.name.span);
            e
        };
        let program = stage::stage(checked, entry, threads, &name).map_err(place)?;
        let (native, machine) = passes::forms(program).map_err(place)?;
        out.push(Variant { native, machine });
    }
    Ok(out)
}
