//! The variants of an entry, from types to the last stage: each combination of generics is evaluated and proved once where the
//! number of threads does not matter, then laid out and lowered for each.

use std::rc::Rc;

use super::{Extent, Found, Stage, Variants};
use crate::stage::{self, Evaluated, Staged};
use crate::syntax::ast::FnDecl;
use crate::types::{Checked, Entry, EntryForm};
use obsidian_abi::ParamValue;
use obsidian_ir::backend::module_report;
use obsidian_ir::diag::{self, Diagnostic, Result};
use obsidian_ir::module::{self, Module};
use obsidian_ir::passes::cost::Report;
use obsidian_ir::passes::{self, Forms, Group, Machine, Native, Placed, SubGroups};
use obsidian_ir::program::{Places, Program};

/// A variant, as far as it was compiled.
#[derive(Debug)]
pub struct Reached {
    /// As it was evaluated, named as the entry; from [`Stage::Proved`] on with its guards, and named as in the texts.
    pub program: Program,
    /// From [`Stage::Placed`] on.
    pub placed: Option<Placed>,
    /// From [`Stage::Lowered`] on.
    pub lowered: Option<Variant>,
}

/// A variant of an entry at `Device`, as far as it was compiled.
#[derive(Debug)]
pub struct ReachedModule {
    /// What the entry's generics stand for.
    pub values: Vec<(String, ParamValue)>,
    /// The host's side and the steps; the kernels in it are those of `kernels`, as far as these have come.
    pub module: Module,
    /// Each kernel.
    pub kernels: Vec<Reached>,
}

/// A compiled entry at `Device`.
#[derive(Debug)]
pub struct ModuleVariant {
    /// What the entry's generics stand for.
    pub values: Vec<(String, ParamValue)>,
    /// The host's side and the steps; the kernels in it are in native form.
    pub module: Module,
    /// Each kernel, in every form.
    pub kernels: Vec<Variant>,
}

impl ReachedModule {
    /// What it launches, keeps and moves, if the way was gone to its end.
    pub fn report(&self) -> Option<String> {
        let reports = self.kernels.iter().map(|kernel| kernel.lowered.as_ref().map(|kernel| &kernel.report));
        Some(module_report(&self.module, &reports.collect::<Option<Vec<_>>>()?))
    }

    /// The same with all that the host and the printers need, if the way was gone to its end.
    pub fn into_variant(self) -> Option<ModuleVariant> {
        let ReachedModule { values, module, kernels } = self;
        let kernels = kernels.into_iter().map(|kernel| kernel.lowered).collect::<Option<Vec<_>>>()?;
        let native = kernels.iter().map(|kernel| kernel.native.clone().into_program()).collect();
        Some(ModuleVariant { values, module: Module { kernels: native, ..module }, kernels })
    }
}

/// A variant of either kind.
#[derive(Debug)]
pub(super) enum Made {
    Kernel(Reached),
    Module(ReachedModule),
}

/// One compiled form of an entry: laid out, barriers placed, expressions scheduled.
#[derive(Debug, Clone)]
pub struct Variant {
    /// What the entry's generics stand for.
    pub values: Vec<(String, ParamValue)>,
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

/// Errors that take long to find: after one of them the other variants of an entry are not tried.
const COSTLY: [&str; 2] = ["OB032", "OB033"];

/// Compiles the variants of an entry. A mistake that several of them show is reported once.
pub(super) fn of(
    entry: &Entry,
    checked: &Rc<Checked>,
    fns: &[FnDecl],
    extent: Extent,
    places: Option<Places>,
) -> Found<Vec<Made>> {
    let decl = &fns[entry.id.0 as usize];
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let forms = match extent.variants {
        Variants::All => &entry.forms[..],
        Variants::First => entry.forms.get(..1).unwrap_or_default(),
    };
    for form in forms {
        let one = OneForm { entry, form, name: &decl.name.text, extent, places: places.as_ref() };
        let Err(found) = one.compile(checked, &mut out) else { continue };
        let costly = COSTLY.contains(&found.code);
        for mut e in found.each() {
            e.span = e.span.or(decl.name.span);
            if errors.iter().all(|other: &Diagnostic| (other.code, other.span) != (e.code, e.span)) {
                errors.push(one.with_variant(e));
            }
        }
        if costly {
            break;
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// One combination of an entry's generics.
struct OneForm<'a> {
    entry: &'a Entry,
    form: &'a EntryForm,
    /// The entry's name.
    name: &'a str,
    extent: Extent,
    /// Where its tokens stand, if its texts tell it.
    places: Option<&'a Places>,
}

impl OneForm<'_> {
    /// Its variants: evaluated once unless it asks for the number of threads, then laid out for each.
    fn compile(&self, checked: &Rc<Checked>, out: &mut Vec<Made>) -> Result<()> {
        let numbers = match self.extent.variants {
            Variants::All => &self.form.threads[..],
            Variants::First => self.form.threads.get(..1).unwrap_or_default(),
        };
        let mut evaluated: Option<Staged> = None;
        for &threads in numbers {
            let staged = match evaluated.take() {
                Some(staged) if staged.serves_threads(threads) => staged,
                _ => self.evaluate(checked, threads)?,
            };
            out.push(match &staged.code {
                Evaluated::Kernel(program) => {
                    Made::Kernel(self.lower((**program).clone(), self.symbol(threads), threads)?)
                }
                Evaluated::Module(module) => Made::Module(self.lower_module(module, threads)?),
            });
            evaluated = Some(staged);
        }
        Ok(())
    }

    /// Evaluates it, and proves it unless that comes after the last stage.
    fn evaluate(&self, checked: &Rc<Checked>, threads: u32) -> Result<Staged> {
        let mut staged = stage::stage(checked, self.entry, self.form, threads, self.name)?;
        match &staged.code {
            Evaluated::Kernel(program) => passes::written_out::check(program)?,
            Evaluated::Module(module) => passes::written_out::check_host(&module.host)?,
        }
        if self.extent.stop_after >= Stage::Proved {
            staged.code = match staged.code {
                Evaluated::Kernel(program) => Evaluated::Kernel(Box::new(passes::prove(*program)?)),
                Evaluated::Module(mut module) => {
                    let mut refused = Vec::new();
                    for kernel in std::mem::take(&mut module.kernels) {
                        match passes::prove(kernel) {
                            Ok(kernel) => module.kernels.push(kernel),
                            Err(e) => refused.push(*e),
                        }
                    }
                    diag::all_of(refused)?;
                    module::check(&module)?;
                    Evaluated::Module(module)
                }
            };
        }
        Ok(staged)
    }

    /// Goes on with one number of threads, each kernel by itself.
    fn lower_module(&self, module: &Module, threads: u32) -> Result<ReachedModule> {
        let symbol = self.symbol(threads);
        let named = |name: &str| obsidian_ir::backend::symbol(&format!("{symbol}_{name}"));
        let kernel = |program: &Program| self.lower(program.clone(), named(&program.name), threads);
        let kernels = module.kernels.iter().map(kernel).collect::<Result<Vec<_>>>()?;
        let mut module = Module { kernels: kernels.iter().map(|k| k.program.clone()).collect(), ..module.clone() };
        (module.host.threads, module.host.name) = (threads, symbol);
        Ok(ReachedModule { values: self.form.values.clone(), module, kernels })
    }

    /// Goes on with one number of threads.
    fn lower(&self, mut program: Program, symbol: String, threads: u32) -> Result<Reached> {
        let last = self.extent.stop_after;
        if last < Stage::Proved {
            return Ok(Reached { program, placed: None, lowered: None });
        }
        (program.threads, program.name, program.places) = (threads, symbol, self.places.cloned());
        if last < Stage::Placed {
            return Ok(Reached { program, placed: None, lowered: None });
        }
        let placed = passes::place(&program)?;
        if last < Stage::Lowered {
            return Ok(Reached { program, placed: Some(placed), lowered: None });
        }
        let Forms { native, machine, group, sub_groups, report } = passes::lower(&placed)?;
        passes::limits::check(&machine, &report, &self.entry.deny)?;
        let lowered = Variant { values: self.form.values.clone(), native, machine, group, sub_groups, report };
        Ok(Reached { program, placed: Some(placed), lowered: Some(lowered) })
    }

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

    /// The error, with a note that names the variant if there are several.
    fn with_variant(&self, e: Diagnostic) -> Diagnostic {
        if self.entry.forms.len() == 1 || self.form.values.is_empty() {
            return e;
        }
        let values: Vec<String> = self.form.values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        e.note(format!("in the variant `{}`", values.join(", ")))
    }
}
