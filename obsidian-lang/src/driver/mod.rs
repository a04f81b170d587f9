//! The way of a kernel, in one place: tokens in, checked and compiled entries out.

mod stopped;

use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream, TokenTree};

use crate::linking::{self, Carried, Linked, Text};
use crate::syntax::ast::{FnDecl, Generic, ValueKind};
use crate::syntax::{EntryItem, SpanTable, parse_to_check};
use crate::types::Mention;
use crate::{library, stage, types};
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::passes::cost::Report;
use obsidian_ir::passes::{self, Group, Machine, Native, SubGroups};

pub use stopped::{Drawing, Picture, Stage, draw, stop_after, unproved};

/// Stack of the thread that compiles, in bytes: evaluation recurses as deep as the kernel does.
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
    /// One for each combination of its parameters; never empty.
    pub variants: Vec<Variant>,
    /// Its generics: the types of the host's arguments choose between types, the caller between values.
    pub generics: Vec<Generic>,
    /// For the fields of each parameter and output, the type generic that is their type.
    pub host: types::HostTypes,
}

/// One compiled form of an entry: laid out, barriers placed, expressions scheduled.
#[derive(Debug, Clone)]
pub struct Variant {
    /// What the entry's generics stand for.
    pub values: Vec<(String, ValueKind)>,
    /// The form with its levels, which the interpreter and the CPU run.
    pub native: Native,
    /// Virtualised: what the CUDA and PTX printers take.
    pub machine: Machine,
    /// Virtualised for machines where only whole blocks wait: what the OpenCL printer takes.
    pub group: Group,
    /// Virtualised for OpenCL devices whose warps are sub-groups; `None` if the program does not use warps.
    pub sub_groups: Option<SubGroups>,
    /// What it costs.
    pub report: Report,
}

/// What compiling a macro call gives.
#[derive(Debug)]
pub struct Output {
    /// The entries, in order.
    pub entries: Vec<Compiled>,
    /// Which functions the author's tokens name.
    pub mentions: Vec<Mention>,
    /// Where the names come from that the author's `use`s bring in: the library path and the name there.
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
    let module = parse_to_check(text.items.clone(), spans)?;
    let linked = linking::link(text, libraries)?;
    let fns = module.fns;
    // Tokens exist only on the macro's own thread: all parsing is done here.
    let library = library::select(linked.words.iter().cloned()).map_err(|e| vec![*e])?;
    if !module.mistakes.is_empty() {
        let checked = types::check(&fns, &linked, &library);
        return Err(module.mistakes.into_iter().chain(checked.err().into_iter().flatten()).collect());
    }
    let (variants, mentions) = on_large_stack(|| evaluate(&fns, &linked, &library))?;
    let compiled = |(item, (mut variants, host)): (EntryItem, (Vec<Variant>, _))| {
        variants.iter_mut().for_each(|v| v.report.locate(|span| spans.place(span)));
        let generics = fns[item.index].generics.clone();
        Compiled { ident: item.ident, vis: item.vis, attrs: item.attrs, variants, generics, host }
    };
    let entries = module.entries.into_iter().zip(variants).map(compiled).collect();
    Ok(Output { entries, mentions, origins: linked.origins })
}

/// What entries were compiled from, as text.
#[derive(Debug, Clone)]
pub struct Source {
    /// What stands inside `kernel! { .. }`.
    pub kernels: String,
    /// What each of its library paths leads to, as [`linking::encode`] writes it.
    pub libraries: Vec<String>,
}

/// Compiles from text what was compiled from tokens before.
///
/// # Errors
/// The text is not tokens, a library is not one, or the author's mistakes: messages, without their places.
pub fn compile_text(kernels: &str, libraries: &[&str]) -> std::result::Result<Vec<Compiled>, Vec<String>> {
    let tokens = |text: &str| text.parse::<TokenStream>().map_err(|e| vec![e.to_string()]);
    let library = |text: &&str| match tokens(text)?.into_iter().next() {
        Some(TokenTree::Group(group)) => linking::decode(&group).ok_or_else(|| vec!["not a library".to_string()]),
        _ => Err(vec!["not a library".to_string()]),
    };
    let libraries: Vec<Vec<Carried>> = libraries.iter().map(library).collect::<std::result::Result<_, _>>()?;
    let mut spans = SpanTable::default();
    let messages = |errors: Vec<Diagnostic>| errors.iter().map(Diagnostic::to_string).collect::<Vec<_>>();
    let text = linking::read(tokens(kernels)?, &mut spans).map_err(messages)?;
    compile_linked(&text, &libraries, &mut spans).map(|output| output.entries).map_err(messages)
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

type Evaluated<T> = std::result::Result<T, Vec<Diagnostic>>;

fn on_large_stack<T: Send>(f: impl FnOnce() -> Evaluated<T> + Send) -> Evaluated<T> {
    let internal = |what: &str| {
        let message = format!("the kernel compiler {what}; please report this");
        vec![Diagnostic::new("OB099", obsidian_ir::diag::Span::NONE, message)]
    };
    std::thread::scope(|scope| match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, f) {
        Ok(handle) => handle.join().unwrap_or_else(|_| Err(internal("stopped unexpectedly"))),
        Err(e) => Err(internal(&format!("could not start: {e}"))),
    })
}

/// Each entry's variants and host types, and which functions the tokens name.
type Entries = (Vec<(Vec<Variant>, types::HostTypes)>, Vec<Mention>);

fn evaluate(fns: &[FnDecl], linked: &Linked, library: &types::Provided) -> Evaluated<Entries> {
    let mut checked = types::check(fns, linked, library)?;
    let mentions = std::mem::take(&mut checked.mentions);
    let checked = Rc::new(checked);
    let mut out = Vec::new();
    let mut errors = Vec::new();
    for entry in &checked.entries {
        match variants(&checked, entry, fns) {
            Ok(v) => out.push((v, entry.host.clone())),
            Err(e) => errors.extend(e),
        }
    }
    if errors.is_empty() { Ok((out, mentions)) } else { Err(errors) }
}

/// Errors that take long to find: after one of them the other variants of an entry are not tried.
const COSTLY: [&str; 2] = ["OB032", "OB033"];

/// Compiles each variant of an entry. A mistake that several of them show is reported once.
fn variants(
    checked: &Rc<types::Checked>,
    entry: &types::Entry,
    fns: &[FnDecl],
) -> std::result::Result<Vec<Variant>, Vec<Diagnostic>> {
    let decl = &fns[entry.id.0 as usize];
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    for form in &entry.forms {
        let names = Naming { entry, form, name: &decl.name.text };
        if let Err(mut e) = one_form(checked, &names, &mut out) {
            e.span = e.span.or(decl.name.span);
            let known = |other: &Diagnostic| (other.code, other.span) == (e.code, e.span);
            if errors.iter().any(known) {
                continue;
            }
            let costly = COSTLY.contains(&e.code);
            errors.push(names.with_variant(*e));
            if costly {
                break;
            }
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// The variants of one combination of generics: evaluated once unless it asks for the number of threads, then laid out for
/// each.
fn one_form(checked: &Rc<types::Checked>, names: &Naming<'_>, out: &mut Vec<Variant>) -> Result<()> {
    let Naming { entry, form, .. } = *names;
    let mut evaluated: Option<stage::Staged> = None;
    for &threads in &form.threads {
        let staged = match evaluated.take() {
            Some(staged) if staged.serves_threads(threads) => staged,
            _ => {
                let mut staged = stage::stage(checked, entry, form, threads)?;
                staged.program = passes::prove(staged.program)?;
                staged
            }
        };
        let mut program = staged.program.clone();
        (program.threads, program.name) = (threads, names.symbol(threads));
        evaluated = Some(staged);
        let passes::Forms { native, machine, group, sub_groups, report } = passes::forms(&program)?;
        passes::limits::check(&machine, &report, &entry.deny)?;
        out.push(Variant { values: form.values.clone(), native, machine, group, sub_groups, report });
    }
    Ok(())
}

/// What a variant is called.
struct Naming<'a> {
    entry: &'a types::Entry,
    form: &'a types::EntryForm,
    name: &'a str,
}

impl Naming<'_> {
    /// The function's name in the texts: the entry's name, and the values of those parameters that have several.
    fn symbol(&self, threads: u32) -> String {
        let mut name = self.name.to_string();
        let forms = &self.entry.forms;
        let mut numbers = forms.iter().flat_map(|f| &f.threads);
        if numbers.any(|t| *t != threads) {
            name += &format!("_t{threads}");
        }
        for (i, (generic, value)) in self.form.values.iter().enumerate() {
            if forms.iter().any(|f| f.values[i].1 != *value) {
                name += &format!("_{generic}_{}", value.to_string().replace('-', "m"));
            }
        }
        obsidian_ir::backend::symbol(&name)
    }

    /// The error; where there are several variants, with a note that names the one that shows it.
    fn with_variant(&self, e: Diagnostic) -> Diagnostic {
        if self.entry.forms.len() == 1 || self.form.values.is_empty() {
            return e;
        }
        let values: Vec<String> = self.form.values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        e.note(format!("in the variant `{}`", values.join(", ")))
    }
}
