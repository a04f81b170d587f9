//! The texts of a variant, with the lines of the source that each of their lines comes from.

use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_ir::program::{self, Lined};
use obsidian_lang::driver::{Reached, Variant};
use obsidian_lang::syntax::SpanTable;
use serde_json::{Value, json};

use crate::show::on_cpu_lined;

/// Every text, in the order in which the page has them.
pub fn of(reached: &Reached, v: &Variant, spans: &SpanTable) -> Vec<Value> {
    let placed = reached.placed.as_ref().map(|placed| program::print_lined(placed.for_machine()));
    let texts = [
        ("PTX", "ptx", Some(ptx::print_lined(&v.machine))),
        ("CUDA C", "c", Some(cuda::print_lined(&v.machine))),
        ("OpenCL C", "c", Some(opencl::print_lined(&v.group))),
        ("OpenCL C, sub-groups", "c", v.sub_groups.as_ref().map(opencl::print_sub_groups_lined)),
        ("Rust", "rust", Some(on_cpu_lined(v))),
        ("IR: evaluated", "ir", Some(program::print_lined(&reached.program))),
        ("IR: placed", "ir", placed),
        ("IR: native", "ir", Some(program::print_lined(&v.native))),
        ("IR: machine", "ir", Some(program::print_lined(&v.machine))),
    ];
    let shown = texts.into_iter().filter_map(|(name, language, text)| {
        let text = text?;
        Some(json!({ "name": name, "language": language, "lines": in_source(&text, spans), "text": text.text }))
    });
    shown.collect()
}

/// The lines of the source, by line of the text.
fn in_source(text: &Lined, spans: &SpanTable) -> Vec<Vec<u32>> {
    let lines = text.lines.iter().map(|tokens| {
        let mut lines: Vec<u32> = tokens.iter().filter_map(|span| Some(spans.place(*span)?.0)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    });
    lines.collect()
}
