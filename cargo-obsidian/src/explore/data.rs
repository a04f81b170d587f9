//! What the page shows, as JSON. In: files. Out: the source with its kernels and variants, or its mistakes; and of one variant, its
//! texts, pictures and the costs of the source's lines.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::SystemTime;

use obsidian_abi::assertion;
use obsidian_build::shared::Message;
use obsidian_ir::program::print_expr;
use obsidian_lang::driver::{Reached, Variant};
use obsidian_lang::syntax::SpanTable;
use obsidian_tune::source::{self, File, Kernels, WHOLE};
use serde_json::{Value, json};

use super::{cost, text, tuning};
use crate::args::Picture;
use crate::draw::drawn;
use crate::kernels::shown;

/// The generation of GPUs whose occupancy the table of variants has.
const GPU: &str = "sm_80";

/// A file, and what comes of it.
pub struct Explored {
    paths: Vec<PathBuf>,
    files: Vec<File>,
    found: Kernels,
    /// When the files were written, and their sizes.
    written: Vec<Option<(SystemTime, u64)>>,
    /// How often they were compiled.
    stamp: u64,
}

/// A kernel of the file, for the page: an entry, or one launch of an entry at `Device`.
struct Unit<'a> {
    name: String,
    spans: &'a SpanTable,
    variants: Vec<&'a Reached>,
}

impl Unit<'_> {
    fn lowered(&self) -> impl Iterator<Item = &Variant> {
        self.variants.iter().filter_map(|v| v.lowered.as_ref())
    }
}

impl Explored {
    /// Reads and compiles. The first path is the file that is shown; the others are for its `use`s.
    pub fn of(paths: Vec<PathBuf>) -> Result<Explored, Message> {
        let (files, found) = (source::read(&paths)?, Kernels::default());
        let mut explored = Explored { paths, files, found, written: Vec::new(), stamp: 0 };
        explored.compile();
        Ok(explored)
    }

    fn compile(&mut self) {
        self.written = written(&self.paths);
        self.found = source::compile(&self.files, WHOLE);
        self.stamp += 1;
    }

    /// Reads and compiles again where a file was written since. One that cannot be read for a moment, as while an editor saves it, is
    /// as it was.
    pub fn refresh(&mut self) {
        if self.written == written(&self.paths) {
            return;
        }
        if let Ok(files) = source::read(&self.paths) {
            self.files = files;
            self.compile();
        }
    }

    /// Which compilation this is, from 1.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// The mistakes, if there are any; they are gone from here then.
    pub fn mistakes(&mut self) -> Option<Vec<Message>> {
        let mistakes = std::mem::take(&mut self.found.mistakes);
        (!mistakes.is_empty()).then_some(mistakes)
    }

    fn shown_file(&self) -> Option<&File> {
        self.files.first()
    }

    fn units(&self) -> Vec<Unit<'_>> {
        let here = |path: &PathBuf| self.shown_file().is_some_and(|file| file.path == *path);
        let kernels = self.found.kernels.iter().filter(|kernel| here(&kernel.path)).map(|kernel| Unit {
            name: kernel.name.clone(),
            spans: &kernel.spans,
            variants: kernel.entry.variants.iter().collect(),
        });
        let mut units: Vec<Unit<'_>> = kernels.collect();
        for module in self.found.modules.iter().filter(|module| here(&module.path)) {
            let Some(first) = module.entry.variants.first() else { continue };
            units.extend(first.kernels.iter().map(|kernel| Unit {
                name: kernel.program.name.clone(),
                spans: &module.spans,
                variants: vec![kernel],
            }));
        }
        units
    }

    /// The source, its mistakes, its kernels with the counts of all variants and what tunings have found.
    pub fn model(&self) -> Value {
        let file = self.shown_file();
        let path = self.paths.first().map(|path| path.display().to_string());
        let kernels: Vec<Value> = self.units().iter().map(|unit| self.kernel(unit)).collect();
        json!({
            "file": path,
            "stamp": self.stamp,
            "source": file.map_or("", |file| file.text.as_str()),
            "mistakes": self.found.mistakes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "kernels": kernels,
        })
    }

    fn kernel(&self, unit: &Unit<'_>) -> Value {
        let variants: Vec<Value> = unit.lowered().map(counts).collect();
        let tunings =
            self.found.kernels.iter().find(|kernel| Rc::as_ptr(&kernel.spans) == std::ptr::from_ref(unit.spans));
        json!({
            "name": unit.name,
            "variants": variants,
            "tunings": tunings.filter(|kernel| kernel.name == unit.name).map_or_else(Vec::new, tuning::beside),
        })
    }

    /// What the page shows of one variant; `None` where there is none of these numbers.
    pub fn detail(&self, kernel: usize, variant: usize) -> Option<Value> {
        let units = self.units();
        let unit = units.get(kernel)?;
        detail(unit, unit.variants.get(variant)?)
    }

    /// The same of all variants by their numbers, `0/3`, or of the first of each kernel where there are more than `most`.
    pub fn details(&self, most: usize) -> Value {
        let units = self.units();
        let all = units.iter().map(|unit| unit.variants.len()).sum::<usize>() <= most;
        let mut found = serde_json::Map::new();
        for (i, unit) in units.iter().enumerate() {
            let count = if all { unit.variants.len() } else { 1 };
            for (j, reached) in unit.variants.iter().take(count).enumerate() {
                found.extend(detail(unit, reached).map(|detail| (format!("{i}/{j}"), detail)));
            }
        }
        Value::Object(found)
    }
}

fn written(paths: &[PathBuf]) -> Vec<Option<(SystemTime, u64)>> {
    let one = |path: &PathBuf| {
        let about = std::fs::metadata(path).ok()?;
        Some((about.modified().ok()?, about.len()))
    };
    paths.iter().map(one).collect()
}

/// A row of the table of variants.
fn counts(v: &Variant) -> Value {
    let cost = v.report.data();
    let values = v.values.iter().map(|(name, value)| (name.clone(), json!(value.to_string())));
    let values: serde_json::Map<String, Value> =
        std::iter::once(("threads".to_string(), json!(cost.threads.to_string()))).chain(values).collect();
    let each = |whole: Option<f64>| {
        let elements = cost.operations.elements;
        whole.filter(|_| elements > 0).map(|whole| whole / elements as f64)
    };
    json!({
        "name": shown(v),
        "values": values,
        "shared": cost.shared_bytes,
        "barriers": cost.barriers.block + cost.barriers.warp,
        "guards": cost.guards.len(),
        "moved": each(cost.bytes_moved()),
        "wanted": each(cost.bytes_wanted().map(|bytes| bytes as f64)),
        "conflicts": each(cost.conflicts()),
        "operations": each(Some(cost.operations.total as f64)),
        "occupancy": cost.on(GPU).map(|on| on.percent),
    })
}

fn detail(unit: &Unit<'_>, reached: &Reached) -> Option<Value> {
    let (v, placed) = (reached.lowered.as_ref()?, reached.placed.as_ref()?);
    let picture = |which| match drawn(which, placed) {
        Ok(svg) => json!({ "svg": svg }),
        Err(why) => json!({ "why": why.to_string() }),
    };
    Some(json!({
        "texts": text::of(reached, v, unit.spans),
        "lines": cost::of(v, unit.spans),
        "network": picture(Picture::Network),
        "memory": picture(Picture::Memory),
        "report": v.report.to_string(),
        "conditions": v.machine.checks.iter().map(|check| assertion::plain(&check.message)).collect::<Vec<_>>(),
        "blocks": print_expr(&v.machine, v.machine.blocks),
    }))
}
