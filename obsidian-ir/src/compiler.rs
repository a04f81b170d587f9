//! The way of a kernel, in one place: tokens in, checked and compiled entries out.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream, TokenTree};

use crate::diag::{Diagnostic, Result};
use crate::syntax::ast::FnDecl;
use crate::syntax::{EntryItem, SpanTable, parse_module};
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

/// One compiled form of an entry: laid out, barriers placed, expressions scheduled.
pub type Variant = passes::Forms;

/// Compiles the functions of a `kernel!` call.
///
/// # Errors
/// Every independent mistake of the author's; `spans` then maps their places to tokens.
pub fn compile(tokens: TokenStream, spans: &mut SpanTable) -> std::result::Result<Vec<Compiled>, Vec<Diagnostic>> {
    let mut words = HashSet::new();
    identifiers(tokens.clone(), &mut words);
    let module = parse_module(tokens, spans)?;
    let fns = module.fns;
    // Tokens exist only on the macro's own thread: all parsing is done here.
    let library = stdlib::select(words).map_err(|e| vec![*e])?;
    let variants = on_large_stack(|| evaluate(&fns, &library))?;
    Ok(module.entries.into_iter().zip(variants).map(|(item, variants)| compiled(item, variants)).collect())
}

/// Every identifier of the kernels: what they may use of the library.
fn identifiers(tokens: TokenStream, out: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(g) => identifiers(g.stream(), out),
            TokenTree::Ident(i) => {
                out.insert(i.to_string());
            }
            _ => {}
        }
    }
}

fn compiled(item: EntryItem, variants: Vec<Variant>) -> Compiled {
    Compiled { ident: item.ident, vis: item.vis, attrs: item.attrs, variants }
}

type Evaluated = std::result::Result<Vec<Vec<Variant>>, Vec<Diagnostic>>;

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

fn evaluate(fns: &[FnDecl], library: &stdlib::Library) -> Evaluated {
    let checked = Rc::new(types::check(fns, &library.fns, &library.builtins)?);
    let mut out = Vec::new();
    let mut errors = Vec::new();
    for entry in &checked.entries {
        match variants(&checked, entry, fns) {
            Ok(v) => out.push(v),
            Err(e) => errors.push(*e),
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
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
        out.push(passes::forms(program).map_err(place)?);
    }
    Ok(out)
}
