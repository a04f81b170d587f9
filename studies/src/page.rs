//! A study as a page of the guide, with its figures.

use std::path::Path;

use obsidian_abi::cost::Memory;
use obsidian_lang::driver::Variant;
use obsidian_tune::source::Kernel;
use obsidian_tune::space;

use crate::Study;
use crate::beside;
use crate::plots::{self, Panel, Values};
use crate::table::{Row, Span, rows};
use crate::times;

/// Where the pages are, from the workspace.
pub const KEPT: &str = "docs/src/studies";

/// A page and its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its name, without an end.
    pub name: String,
    /// Markdown.
    pub text: String,
    /// The name of each figure's file, and its SVG.
    pub figures: Vec<(String, String)>,
}

impl Page {
    /// Adds a figure below the text; none where there are no panels.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn figure(&mut self, name: &str, alt: &str, panels: &[Panel]) -> Result<(), String> {
        if panels.is_empty() {
            return Ok(());
        }
        let file = format!("{name}.svg");
        self.text += &format!("\n![{alt}]({file})\n");
        self.figures.push((file, plots::svg(panels)?));
        Ok(())
    }

    /// Its files: names and texts.
    pub fn files(&self) -> impl Iterator<Item = (String, &str)> {
        let figures = self.figures.iter().map(|(file, text)| (file.clone(), text.as_str()));
        std::iter::once((format!("{}.md", self.name), self.text.as_str())).chain(figures)
    }

    /// Writes its files to a folder.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        self.files().try_for_each(|(file, text)| {
            let path = folder.join(file);
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
        })
    }
}

/// The page of a study of these kernels, all of whose points are verified.
///
/// # Errors
/// A figure cannot be drawn, or a recording is not of these kernels.
pub fn page(study: &Study, kernels: &[Kernel], combinations: usize) -> Result<Page, String> {
    let text = text(study, &rows(kernels, study.by), combinations);
    let mut page = Page { name: study.name.to_string(), text, figures: Vec::new() };
    for kernel in kernels {
        let alt = format!("What a block of `{}` asks of shared memory", kernel.name);
        page.figure(&format!("{}.{}", study.name, kernel.name), &alt, &counted(study, kernel))?;
    }
    page.text += &beside::table(study)?;
    times::add(study, kernels, &mut page)?;
    Ok(page)
}

/// What the compiler counts of a kernel's points, over each parameter.
fn counted(study: &Study, kernel: &Kernel) -> Vec<Panel> {
    let panels = |of: &str, count: &dyn Fn(&Variant) -> f64| {
        let points: Vec<(Values, f64)> = kernel.variants().map(|v| (space::values(v), count(v))).collect();
        plots::panels(&points, study.line_of(kernel), of)
    };
    let accesses = |v: &Variant| -> f64 {
        let cost = v.report.data();
        let shared = cost.accesses.iter().filter(|access| access.memory == Memory::Shared);
        shared.map(|access| access.elements as f64).sum()
    };
    let mut all = panels("bytes of shared memory, the least", &|v| v.report.data().shared_bytes.into());
    all.extend(panels("elements to and from it, the least", &accesses));
    all
}

fn text(study: &Study, rows: &[Row], combinations: usize) -> String {
    let points: usize = rows.iter().map(|row| row.points).sum();
    let programs: usize = rows.iter().map(|row| row.programs).sum();
    let together = match combinations {
        0 => String::new(),
        n => format!(" of the launches, and {n} of all launches together, against prefix sums in plain Rust"),
    };
    let mut text = format!(
        "# {}

<!-- Rendered by `cargo xtask study {} --bless` -->

{}

`cargo xtask study {}` compiles the space of `{}`, counts what each point asks of a GPU, and verifies every one on the CPU: it gives, bit
for bit, what the reference interpreter gives for it. Points verified: {points}{together}. Different
programs on the CPU, which has no threads of a block: {programs}. How fast they are on a GPU only a GPU
could tell, and none has run them; the times below are of processors.

From the least to the greatest of each row's points: bytes of shared memory, barriers of the block as they stand in the text,
bytes moved for each byte wanted, turns lost to bank conflicts for each element written, warps of an `sm_80` in use in percent
(registers are not considered). `-` where an access depends on data.

| | points | shared | barriers | moved | conflicts | occupancy |
|---|---:|---:|---:|---:|---:|---:|
",
        study.title, study.name, study.paper, study.name, study.file
    );
    let known = |span: &Option<Span>| span.map_or_else(|| "-".to_string(), |span| span.to_string());
    for row in rows {
        let Row { name, points, shared, barriers, moved, conflicts, occupancy, .. } = row;
        let (moved, conflicts) = (known(moved), known(conflicts));
        text += &format!("| `{name}` | {points} | {shared} | {barriers} | {moved} | {conflicts} | {occupancy} |\n");
    }
    text
}
