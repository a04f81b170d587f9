//! The way of a kernel, in one place: a [`Compilation`] says what is compiled, with which libraries and how far; its
//! [`Output`] holds the forms on the way, from which entries, texts and pictures are taken.

mod hidden;
mod library;
mod variants;
mod views;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use proc_macro2::{Ident, TokenStream};

use crate::linking::{self, Carried, Linked, Text};
use crate::syntax::ast::{FnDecl, Generic, StructDecl};
use crate::syntax::{EntryItem, SpanTable, parse_to_check, print_signature};
use crate::types::{Checked, HostTypes, Mention, Provided};
use crate::{library as standard, types};
use obsidian_ir::diag::{Diagnostic, Span};
use obsidian_ir::program::{Place, Places, Program};

pub use library::{Libraries, check_library};
use variants::Made;
pub use variants::{ModuleVariant, Reached, ReachedModule, Variant};
pub use views::{Drawing, Picture, View};

/// Stack of the thread that compiles, in bytes: evaluation recurses as deep as the kernel does.
const STACK: usize = 512 << 20;

type Found<T> = std::result::Result<T, Vec<Diagnostic>>;

/// What is compiled, and how far.
#[derive(Debug, Clone, Copy)]
pub struct Compilation<'a> {
    /// The functions of a `kernel!` call or of a library's module.
    pub text: &'a Text,
    /// What each library path in it leads to.
    pub libraries: &'a [Vec<Carried>],
    /// How much of it.
    pub extent: Extent,
}

/// The entries whose PTX and CUDA C tell the author's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinesOf {
    /// Those that ask for it, by `line_info`.
    #[default]
    AsWritten,
    /// All.
    Every,
}

/// How much is compiled, and what its texts tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Which variants of each entry.
    pub variants: Variants,
    /// The last stage.
    pub stop_after: Stage,
    /// Of which entries PTX and CUDA C tell the author's lines.
    pub lines: LinesOf,
}

impl Extent {
    /// All variants, to the end of the way, with lines where they are asked for.
    pub const WHOLE: Extent = Extent { variants: Variants::All, stop_after: Stage::Lowered, lines: LinesOf::AsWritten };
}

/// Which variants of an entry are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variants {
    /// Each.
    All,
    /// The default one.
    First,
}

/// A point on the way, after one of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The author's functions are syntax.
    Parsed,
    /// Types and levels are inferred.
    Typed,
    /// Functions are gone; nothing is proved.
    Evaluated,
    /// Bounds and races are proved, or guarded.
    Proved,
    /// Shared memory is laid out, barriers are placed.
    Placed,
    /// In every form that the printers take.
    Lowered,
}

/// The forms of what was compiled, up to the stage after which it was stopped.
#[derive(Debug)]
pub struct Output {
    /// The last stage.
    pub stage: Stage,
    /// The author's functions.
    pub fns: Vec<FnDecl>,
    /// The author's structures.
    pub structs: Vec<StructDecl>,
    /// The same printed with their types, if that was the last stage.
    pub typed: Option<String>,
    /// From [`Stage::Evaluated`] on, the entries that are one kernel, in order.
    pub entries: Vec<Compiled<Reached>>,
    /// The same of those at `Device`.
    pub modules: Vec<Compiled<ReachedModule>>,
    /// From [`Stage::Typed`] on, which functions the author's tokens name.
    pub mentions: Vec<Mention>,
    /// Where the names come from that the author's `use`s bring in: the library path and the name there.
    pub origins: HashMap<String, (usize, String)>,
}

/// A compiled entry.
#[derive(Debug)]
pub struct Compiled<V = Variant> {
    /// Its name.
    pub ident: Ident,
    /// `pub` ..
    pub vis: TokenStream,
    /// Documentation, `cfg` and `allow`.
    pub attrs: TokenStream,
    /// One for each combination of its parameters; never empty.
    pub variants: Vec<V>,
    /// Its generics: the types of the host's arguments choose between types, the caller between values.
    pub generics: Vec<Generic>,
    /// For the fields of each parameter and output, the type generic that is their type.
    pub host: HostTypes,
}

/// All entries of a text, with all that the host and the printers need of them.
#[derive(Debug, Default)]
pub struct Entries {
    /// Those that are one kernel.
    pub kernels: Vec<Compiled>,
    /// Those at `Device`.
    pub modules: Vec<Compiled<ModuleVariant>>,
}

impl Entries {
    /// Their names.
    pub fn idents(&self) -> impl Iterator<Item = &Ident> {
        self.kernels.iter().map(|entry| &entry.ident).chain(self.modules.iter().map(|entry| &entry.ident))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty() && self.modules.is_empty()
    }
}

/// Compiles the functions of a `kernel!` call that uses no libraries; gives the entries that are one kernel.
///
/// # Errors
/// Every independent mistake of the author's; `spans` then maps their places to tokens.
pub fn compile(tokens: TokenStream, spans: &mut SpanTable) -> Found<Vec<Compiled>> {
    compile_all(tokens, spans).map(|entries| entries.kernels)
}

/// Compiles the functions of a `kernel!` call that uses no libraries.
///
/// # Errors
/// As [`compile`].
pub fn compile_all(tokens: TokenStream, spans: &mut SpanTable) -> Found<Entries> {
    let text = linking::read(tokens, spans)?;
    Compilation::whole(&text, &[]).run(spans).map(Output::into_compiled)
}

/// Compiles the default variants of the same up to a stage.
///
/// # Errors
/// As [`compile`], as far as the stages gone through find them.
pub fn stop_after(stage: Stage, tokens: TokenStream, spans: &mut SpanTable) -> Found<Output> {
    let text = linking::read(tokens, spans)?;
    let extent = Extent { variants: Variants::First, stop_after: stage, ..Extent::WHOLE };
    Compilation { text: &text, libraries: &[], extent }.run(spans)
}

impl<'a> Compilation<'a> {
    /// All variants, to the end of the way.
    pub fn whole(text: &'a Text, libraries: &'a [Vec<Carried>]) -> Compilation<'a> {
        Compilation { text, libraries, extent: Extent::WHOLE }
    }

    /// Goes the way.
    ///
    /// # Errors
    /// Every independent mistake of the author's; `spans` then maps their places to tokens.
    pub fn run(&self, spans: &mut SpanTable) -> Found<Output> {
        let module = parse_to_check(self.text.items.clone(), spans)?;
        let (fns, structs, mistakes, stage) = (module.fns, module.structs, module.mistakes, self.extent.stop_after);
        let (entries, modules, mentions, origins) = Default::default();
        let mut output = Output { stage, fns, structs, typed: None, entries, modules, mentions, origins };
        if stage == Stage::Parsed {
            return if mistakes.is_empty() { Ok(output) } else { Err(mistakes) };
        }
        let linked = linking::link(self.text, self.libraries)?;
        // Tokens exist only on the macro's own thread: all parsing is done here.
        let library = standard::select(linked.words.iter().cloned()).map_err(|e| vec![*e])?;
        if !mistakes.is_empty() {
            let checked = types::check(&output.fns, &output.structs, &linked, &library);
            let all = mistakes.into_iter().chain(checked.err().into_iter().flatten()).collect();
            return Err(hidden::explain(all, &output.fns));
        }
        let (extent, fns, structs) = (self.extent, &output.fns, &output.structs);
        let told = self.told_lines(fns, spans);
        let on_stack = on_large_stack(|| extent.check_and_evaluate((fns, structs), &linked, &library, &told))
            .map_err(|mistakes| hidden::explain(mistakes, fns))?;
        for (item, (variants, host)) in module.entries.into_iter().zip(on_stack.entries) {
            let generics = output.fns[item.index].generics.clone();
            let EntryItem { ident, vis, attrs, .. } = item;
            let (mut kernels, mut modules) = (Vec::new(), Vec::new());
            for variant in variants {
                match variant {
                    Made::Kernel(mut kernel) => {
                        locate(std::slice::from_mut(&mut kernel), spans);
                        kernels.push(kernel);
                    }
                    Made::Module(mut module) => {
                        locate(&mut module.kernels, spans);
                        modules.push(module);
                    }
                }
            }
            if modules.is_empty() {
                output.entries.push(Compiled { ident, vis, attrs, variants: kernels, generics, host });
            } else {
                output.modules.push(Compiled { ident, vis, attrs, variants: modules, generics, host });
            }
        }
        (output.typed, output.mentions, output.origins) = (on_stack.typed, on_stack.mentions, linked.origins);
        Ok(output)
    }

    /// Where the tokens stand, if a text tells it. Asked of rustc, which answers on the macro's own thread only.
    fn told_lines(&self, fns: &[FnDecl], spans: &SpanTable) -> ToldLines {
        let asked = |decl: &FnDecl| decl.entry.as_ref().is_some_and(|attr| attr.line_info);
        let told = self.extent.lines == LinesOf::Every || fns.iter().any(asked);
        let (files, tokens) = if told { spans.places() } else { Default::default() };
        ToldLines { of: self.extent.lines, files, tokens: Arc::new(tokens) }
    }
}

/// Where the tokens of a text stand, and which entries' texts tell it.
struct ToldLines {
    of: LinesOf,
    files: Vec<String>,
    tokens: Arc<Vec<Place>>,
}

impl ToldLines {
    /// For an entry; `None` if its texts do not tell it.
    fn for_entry(&self, entry: &types::Entry, fns: &[FnDecl]) -> Option<Places> {
        let told = self.of == LinesOf::Every || entry.line_info;
        let name = fns.get(entry.id.0 as usize).map(|decl| decl.name.span).filter(|_| told)?;
        Places::new(self.files.clone(), self.tokens.clone(), name)
    }
}

impl Extent {
    /// The steps that recurse as deep as the kernel does.
    fn check_and_evaluate(
        self,
        (fns, structs): (&[FnDecl], &[StructDecl]),
        linked: &Linked,
        library: &Provided,
        told: &ToldLines,
    ) -> Found<OnStack> {
        let mut checked = types::check(fns, structs, linked, library)?;
        let mentions = std::mem::take(&mut checked.mentions);
        if self.stop_after == Stage::Typed {
            let typed = Some(with_types(fns, &checked));
            return Ok(OnStack { typed, entries: Vec::new(), mentions });
        }
        let checked = Rc::new(checked);
        let (mut entries, mut errors) = (Vec::new(), Vec::new());
        for entry in &checked.entries {
            match variants::of(entry, &checked, fns, self, told.for_entry(entry, fns)) {
                Ok(variants) => entries.push((variants, entry.host.clone())),
                Err(e) => errors.extend(e),
            }
        }
        if errors.is_empty() { Ok(OnStack { typed: None, entries, mentions }) } else { Err(errors) }
    }
}

/// Says where in the text the places of the reports are.
fn locate(kernels: &mut [Reached], spans: &SpanTable) {
    let lowered = kernels.iter_mut().filter_map(|kernel| kernel.lowered.as_mut());
    lowered.for_each(|kernel| kernel.report.locate(|span| spans.place(span)));
}

/// What comes back from the thread that compiles.
struct OnStack {
    typed: Option<String>,
    /// Each entry's variants and host types.
    entries: Vec<(Vec<Made>, HostTypes)>,
    mentions: Vec<Mention>,
}

fn with_types(fns: &[FnDecl], checked: &Checked) -> String {
    let own = fns.iter().zip(&checked.fns).filter_map(|(decl, f)| Some((decl, f.as_ref()?)));
    let texts = own.map(|(decl, f)| types::print_fn(checked, &print_signature(decl), f));
    texts.collect::<Vec<_>>().join("\n")
}

fn on_large_stack<T: Send>(f: impl FnOnce() -> Found<T> + Send) -> Found<T> {
    let internal = |what: &str| {
        let message = format!("the kernel compiler {what}; please report this");
        vec![Diagnostic::new("OB099", Span::NONE, message)]
    };
    std::thread::scope(|scope| match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, f) {
        Ok(handle) => handle.join().unwrap_or_else(|_| Err(internal("stopped unexpectedly"))),
        Err(e) => Err(internal(&format!("could not start: {e}"))),
    })
}

impl<V> Compiled<V> {
    /// The same with its variants in another form, if all have it.
    fn finished<W>(self, form: impl Fn(V) -> Option<W>) -> Option<Compiled<W>> {
        let Compiled { ident, vis, attrs, variants, generics, host } = self;
        let variants = variants.into_iter().map(form).collect::<Option<Vec<_>>>()?;
        Some(Compiled { ident, vis, attrs, variants, generics, host })
    }
}

impl Output {
    /// The entries with all that the host and the printers need of them; none unless the way was gone to its end.
    pub fn into_compiled(self) -> Entries {
        let kernels = self.entries.into_iter().filter_map(|entry| entry.finished(|v| v.lowered));
        let modules = self.modules.into_iter().filter_map(|entry| entry.finished(ReachedModule::into_variant));
        Entries { kernels: kernels.collect(), modules: modules.collect() }
    }

    /// The program of the first variant of each entry.
    pub fn into_programs(self) -> Vec<Program> {
        self.entries.into_iter().filter_map(|entry| Some(entry.variants.into_iter().next()?.program)).collect()
    }
}
