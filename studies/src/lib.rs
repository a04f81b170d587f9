//! The papers' studies: design spaces as the papers state them, with what the compiler counts for a GPU, each point verified on the
//! CPU. They say nothing of times on a GPU, which only a GPU could tell.

mod all;
pub mod beside;
pub mod large_scan;
pub mod measures;
mod page;
mod plots;
pub mod recorded;
mod table;
mod times;

use std::collections::BTreeMap;
use std::path::Path;

use beside::Reported;
use obsidian_lang::driver::Variant;
use obsidian_runtime::Device;
use obsidian_tune::arguments::Problem;
use obsidian_tune::bench::{Bench, OnDevice};
use obsidian_tune::source::{File, Kernel, WHOLE, compile, narrow};
use obsidian_tune::space;

pub use all::STUDIES;
pub use page::{KEPT, Page, page};
pub use table::{Row, rows};

/// A study of a paper.
#[derive(Debug, Clone, Copy)]
pub struct Study {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is about, as a title.
    pub title: &'static str,
    /// The file of its kernels, for readers.
    pub file: &'static str,
    /// What stands there.
    pub text: &'static str,
    /// Its entries; all of the file's where there is none.
    pub kernels: &'static [&'static str],
    /// The generics whose values are the rows of the table, that which an entry has; else the entries are.
    pub by: &'static [&'static str],
    /// What a point is.
    pub point: Point,
    /// Integers in buffers are below this: where they are places in other buffers, this is the length of those.
    pub below: u64,
    /// What the paper reports.
    pub paper: &'static str,
    /// Its numbers, to stand beside those of the recordings.
    pub reported: &'static [Reported],
}

/// What a point of a study is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// A variant of a kernel.
    Variant,
    /// A variant of each of the launches of [`large_scan`].
    LargeScan,
}

/// Buffers whose length is open have this many elements where a point is verified, times the scale.
const SMALL: u32 = 4096;

impl Study {
    /// The study of that name.
    ///
    /// # Errors
    /// There is none; those there are.
    pub fn named(name: &str) -> Result<&'static Study, String> {
        let known = || STUDIES.iter().map(|study| study.name).collect::<Vec<_>>().join(", ");
        STUDIES
            .iter()
            .find(|study| study.name == name)
            .ok_or_else(|| format!("there is no study `{name}`: {}", known()))
    }

    /// Its kernels, compiled.
    ///
    /// # Errors
    /// The compiler's mistakes.
    pub fn compiled(&self) -> Result<Vec<Kernel>, String> {
        let found = compile(&[File { path: self.file.into(), text: self.text.into() }], WHOLE);
        if let Some(mistake) = found.mistakes.first() {
            return Err(mistake.to_string());
        }
        let names: Vec<String> = self.kernels.iter().map(|name| name.to_string()).collect();
        narrow(found.kernels, &names).map_err(|message| message.to_string())
    }

    /// The generic of a kernel whose values are lines of the table and of figures; nothing where it has none.
    pub(crate) fn line_of(&self, kernel: &Kernel) -> &'static str {
        let names: Vec<(String, String)> = kernel.variants().next().map(space::values).unwrap_or_default();
        self.by.iter().find(|by| names.iter().any(|(name, _)| name == *by)).copied().unwrap_or_default()
    }

    /// Verifies the combinations of variants that are points, beside the variants themselves; how many there are.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn combined(&self, kernels: &[Kernel], folder: &Path) -> Result<usize, String> {
        match self.point {
            Point::Variant => Ok(0),
            Point::LargeScan => large_scan::verified(kernels, folder),
        }
    }

    /// Verifies every variant of a kernel on the CPU, against the interpreter, on `scale` times as many elements as suffice; how
    /// many there are.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn verified(&self, kernel: &Kernel, scale: u32, folder: &Path) -> Result<usize, String> {
        let variants: Vec<&Variant> = kernel.variants().collect();
        let problem = Problem { len: SMALL.saturating_mul(scale), set: BTreeMap::new(), below: self.below };
        let mut bench = OnDevice::new(&Device::cpu(), &kernel.name, &variants, (&problem, folder))?.unmeasured();
        for (i, variant) in variants.iter().enumerate() {
            bench.verify(i).map_err(|why| format!("{}: {why}", variant.native.name))?;
        }
        Ok(variants.len())
    }
}
