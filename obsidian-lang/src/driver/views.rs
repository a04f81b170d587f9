//! What is shown of a compilation: texts of every stage, and pictures, of the default variant of each entry.

use super::{Output, Reached, ReachedModule, Stage};
use crate::syntax::print_fn;
use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_ir::{draw, module, program};

/// A text of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// As parsed.
    Ast,
    /// With the types and levels that inference found; the author's functions only.
    Typed,
    /// As evaluated and proved: functions are gone, nothing is placed.
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

impl View {
    /// Every view, in the order of the way, with its name on the command line and in the names of files.
    pub const ALL: [(&'static str, View); 10] = [
        ("ast", View::Ast),
        ("typed", View::Typed),
        ("program", View::Program),
        ("structured", View::Structured),
        ("native", View::Native),
        ("machine", View::Machine),
        ("cu", View::Cuda),
        ("cl", View::OpenCl),
        ("ptx", View::Ptx),
        ("report", View::Report),
    ];

    /// The first stage after which it can be shown.
    pub fn stage(self) -> Stage {
        match self {
            View::Ast => Stage::Parsed,
            View::Typed => Stage::Typed,
            View::Program => Stage::Proved,
            View::Structured => Stage::Placed,
            View::Native | View::Machine | View::Cuda | View::OpenCl | View::Ptx | View::Report => Stage::Lowered,
        }
    }

    /// The text of a variant; `None` where it was stopped before.
    fn of(self, reached: &Reached) -> Option<String> {
        let lowered = reached.lowered.as_ref();
        match self {
            View::Ast | View::Typed => None,
            View::Program => Some(program::print(&reached.program)),
            View::Structured => reached.placed.as_ref().map(|placed| program::print(placed.for_machine())),
            View::Native => lowered.map(|v| program::print(&v.native)),
            View::Machine => lowered.map(|v| program::print(&v.machine)),
            View::Cuda => lowered.map(|v| cuda::print(&v.machine)),
            View::OpenCl => lowered.map(|v| {
                let sub_groups = v.sub_groups.as_ref().map(|p| format!("\n{}", opencl::print_sub_groups(p)));
                opencl::print(&v.group) + &sub_groups.unwrap_or_default()
            }),
            View::Ptx => lowered.map(|v| ptx::print(&v.machine)),
            View::Report => lowered.map(|v| v.report.to_string()),
        }
    }
}

impl View {
    /// The text of a variant of an entry at `Device`: its steps, where the text is of the IR, then its kernels.
    fn of_module(self, reached: &ReachedModule) -> Option<String> {
        let kernels = reached.kernels.iter().map(|kernel| self.of(kernel));
        let steps = match self {
            View::Program | View::Structured | View::Native | View::Machine => Some(module::steps(&reached.module)),
            View::Report => reached.report(),
            _ => None,
        };
        let texts = steps.map(Some).into_iter().chain(kernels);
        texts.collect::<Option<Vec<_>>>().map(|texts| texts.join("\n"))
    }
}

/// What can be drawn of a kernel from [`Stage::Placed`] on.
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
    pub svg: Result<String, draw::TooLarge>,
}

impl Output {
    /// The text of a view: of all functions up to [`Stage::Typed`], then of the default variant of each entry. `None` where
    /// the compilation was stopped earlier; the text with types exists only where it was stopped right after them.
    pub fn text(&self, view: View) -> Option<String> {
        match view {
            View::Ast => Some(self.fns.iter().map(print_fn).collect::<Vec<_>>().join("\n")),
            View::Typed => self.typed.clone(),
            _ if self.stage < view.stage() => None,
            _ => {
                let kernels = self.defaults().map(|v| view.of(v));
                let modules = self.modules.iter().filter_map(|entry| entry.variants.first()).map(|v| view.of_module(v));
                kernels.chain(modules).collect::<Option<Vec<_>>>().map(|texts| texts.join("\n"))
            }
        }
    }

    /// A picture of the default variant of each entry, as it is laid out for a GPU; none where the entry was not laid out.
    pub fn pictures(&self, picture: Picture) -> Vec<Drawing> {
        let drawing = |v: &Reached| {
            let placed = v.placed.as_ref()?;
            let svg = match picture {
                Picture::Network => draw::network(&placed.plain),
                Picture::Memory => Ok(draw::memory(placed.for_machine())),
            };
            Some(Drawing { name: v.program.name.clone(), svg })
        };
        self.defaults().filter_map(drawing).collect()
    }

    fn defaults(&self) -> impl Iterator<Item = &Reached> {
        self.entries.iter().filter_map(|entry| entry.variants.first())
    }
}
