//! Stops on the way of a kernel: its first variant as text at any stage, or as a picture.

use std::rc::Rc;

use proc_macro2::TokenStream;

use super::{Evaluated, Naming, on_large_stack};
use crate::linking::{self, Text};
use crate::syntax::ast::FnDecl;
use crate::syntax::{SpanTable, parse_module, print_fn, print_signature};
use crate::{library, stage, types};
use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::draw;
use obsidian_ir::passes::{self, Structured, cost};
use obsidian_ir::program::{Deny, Program};

/// Where a kernel can be stopped and printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// As parsed.
    Ast,
    /// With the types and levels that inference found; the author's functions only.
    Typed,
    /// As evaluated: functions are gone, nothing is placed.
    Program,
    /// Laid out, barriers placed.
    Structured,
    /// Scheduled, levels still there: what the interpreter and the CPU run.
    Native,
    /// Virtualised and scheduled: what the GPU back ends print.
    Machine,
    /// CUDA C.
    Cuda,
    /// OpenCL C; for a program of warps also the text for devices with sub-groups.
    OpenCl,
    /// PTX.
    Ptx,
    /// What the machine form costs.
    Report,
}

impl Stage {
    /// Every stage, in order, with its name on the command line and in the names of files.
    pub const ALL: [(&'static str, Stage); 10] = [
        ("ast", Stage::Ast),
        ("typed", Stage::Typed),
        ("program", Stage::Program),
        ("structured", Stage::Structured),
        ("native", Stage::Native),
        ("machine", Stage::Machine),
        ("cu", Stage::Cuda),
        ("cl", Stage::OpenCl),
        ("ptx", Stage::Ptx),
        ("report", Stage::Report),
    ];
}

/// Compiles the functions of a `kernel!` call up to a stage, and prints them there: functions up to [`Stage::Typed`], then
/// the first variant of each entry.
///
/// # Errors
/// As [`compile`](super::compile), as far as the stages gone through find them.
pub fn stop_after(
    stage: Stage,
    tokens: TokenStream,
    spans: &mut SpanTable,
) -> std::result::Result<String, Vec<Diagnostic>> {
    let text = linking::read(tokens, spans)?;
    let fns = parse_module(text.items.clone(), spans)?.fns;
    if stage == Stage::Ast {
        return Ok(fns.iter().map(print_fn).collect::<Vec<_>>().join("\n"));
    }
    if stage == Stage::Typed {
        return with_types(&text, &fns, |checked| {
            let own = fns.iter().zip(&checked.fns).filter_map(|(decl, f)| Some((decl, f.as_ref()?)));
            let texts = own.map(|(decl, f)| types::print_fn(checked, &print_signature(decl), f));
            Ok(texts.collect::<Vec<_>>().join("\n"))
        });
    }
    if stage == Stage::Report {
        let report = |p: First| cost::report_of(&passes::counted(p.for_machine()), &passes::machine(p.for_machine()));
        let mut reports = with_types(&text, &fns, |checked| each_first(checked, &fns, report))?;
        // Places are known where the tokens are.
        reports.iter_mut().for_each(|r| r.locate(|span| spans.place(span)));
        return Ok(reports.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    let texts = with_types(&text, &fns, |checked| each_first(checked, &fns, |p| printed(stage, &p)))?;
    Ok(texts.join("\n"))
}

/// What can be drawn of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Which elements a block computes from which.
    Network,
    /// Where a block's shared arrays lie, and when.
    Memory,
}

/// A picture of an entry.
#[derive(Debug)]
pub struct Drawing {
    /// The entry's function.
    pub name: String,
    /// The SVG.
    pub svg: std::result::Result<String, draw::TooLarge>,
}

/// Draws the first variant of each entry of a `kernel!` call, as it is laid out for a GPU.
///
/// # Errors
/// As [`compile`](super::compile).
pub fn draw(
    picture: Picture,
    tokens: TokenStream,
    spans: &mut SpanTable,
) -> std::result::Result<Vec<Drawing>, Vec<Diagnostic>> {
    let text = linking::read(tokens, spans)?;
    let fns = parse_module(text.items.clone(), spans)?.fns;
    let drawn = |first: First| {
        let svg = match picture {
            Picture::Network => draw::network(&first.plain),
            Picture::Memory => Ok(draw::memory(first.for_machine())),
        };
        Drawing { name: first.plain.name.clone(), svg }
    };
    with_types(&text, &fns, |checked| each_first(checked, &fns, drawn))
}

/// The first variant of each entry as it was evaluated, before anything is proved about it; [`passes::prove`] takes it.
///
/// # Errors
/// As [`compile`](super::compile), but for proofs.
pub fn unproved(tokens: TokenStream, spans: &mut SpanTable) -> std::result::Result<Vec<Program>, Vec<Diagnostic>> {
    let text = linking::read(tokens, spans)?;
    let fns = parse_module(text.items.clone(), spans)?.fns;
    with_types(&text, &fns, |checked| {
        let first = |entry: &types::Entry| {
            let form = entry.forms.first()?;
            let staged = stage::stage(checked, entry, form, *form.threads.first()?);
            let name = fns[entry.id.0 as usize].name.text.clone();
            Some(staged.map(|staged| Program { name, ..staged.program }))
        };
        let found = checked.entries.iter().filter_map(first).collect::<Result<_>>();
        found.map_err(|e| vec![*e])
    })
}

/// Goes on with the checked functions, on a stack that is large enough to evaluate them.
fn with_types<T: Send>(
    text: &Text,
    fns: &[FnDecl],
    go_on: impl FnOnce(&Rc<types::Checked>) -> Evaluated<T> + Send,
) -> Evaluated<T> {
    let linked = linking::link(text, &[])?;
    let library = library::select(linked.words.iter().cloned()).map_err(|e| vec![*e])?;
    on_large_stack(|| go_on(&Rc::new(types::check(fns, &linked, &library)?)))
}

/// The first variant of an entry, laid out.
struct First {
    /// As it was evaluated.
    evaluated: Program,
    plain: Structured,
    /// The form whose arrays are in lanes, if the program has any.
    lanes: Option<Structured>,
}

impl First {
    fn for_machine(&self) -> &Structured {
        self.lanes.as_ref().unwrap_or(&self.plain)
    }
}

/// Applies `show` to the first variant of each entry.
fn each_first<T>(checked: &Rc<types::Checked>, fns: &[FnDecl], show: impl Fn(First) -> T) -> Evaluated<Vec<T>> {
    let (mut shown, mut errors) = (Vec::new(), Vec::new());
    for entry in &checked.entries {
        match first(checked, entry, fns) {
            Ok(first) => shown.extend(first.map(&show)),
            Err(e) => errors.push(*e),
        }
    }
    if errors.is_empty() { Ok(shown) } else { Err(errors) }
}

fn first(checked: &Rc<types::Checked>, entry: &types::Entry, fns: &[FnDecl]) -> Result<Option<First>> {
    // Every entry has a first form, and that a first number of threads.
    let Some((form, threads)) = entry.forms.first().and_then(|f| Some((f, *f.threads.first()?))) else {
        return Ok(None);
    };
    let names = Naming { entry, form, name: &fns[entry.id.0 as usize].name.text };
    let mut program = passes::prove(stage::stage(checked, entry, form, threads)?.program)?;
    program.name = names.symbol(threads);
    if entry.deny != Deny::default() {
        let passes::Forms { machine, report, .. } = passes::forms(&program)?;
        passes::limits::check(&machine, &report, &entry.deny)?;
    }
    let (plain, lanes) = passes::placed(&program)?;
    Ok(Some(First { evaluated: program, plain, lanes }))
}

/// A variant at a stage after the types.
fn printed(stage: Stage, first: &First) -> String {
    let machine = || passes::machine(first.for_machine());
    match stage {
        Stage::Program => obsidian_ir::program::print(&first.evaluated),
        Stage::Structured => obsidian_ir::program::print(first.for_machine()),
        Stage::Machine => obsidian_ir::program::print(&machine()),
        Stage::Cuda => cuda::print(&machine()),
        Stage::OpenCl => {
            let sub_groups = passes::sub_groups(&first.plain, first.lanes.as_ref());
            let sub_groups = sub_groups.map(|p| format!("\n{}", opencl::print_sub_groups(&p)));
            opencl::print(&passes::group(&first.plain)) + &sub_groups.unwrap_or_default()
        }
        Stage::Ptx => ptx::print(&machine()),
        _ => obsidian_ir::program::print(&passes::native(&first.plain)),
    }
}
