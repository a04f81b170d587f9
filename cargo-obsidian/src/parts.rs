//! Parts of what a variant costs, each by itself: where its barriers stand, and where its shared arrays lie, step by step.

use std::collections::BTreeMap;

use obsidian_abi::cost::Cost;
use obsidian_ir::Level;
use obsidian_ir::program::{StmtKind, walk};
use obsidian_lang::driver::Variant;
use obsidian_lang::syntax::SpanTable;

/// Rows of the map of memory, at most.
const ROWS: u32 = 32;

/// A line for each place at which barriers stand, in the order of the program.
pub fn barriers(v: &Variant, spans: &SpanTable) -> String {
    let mut places: Vec<(Option<(u32, u32)>, bool)> = Vec::new();
    walk::each(&v.machine.body, &mut |stmt| {
        if let StmtKind::Sync { scope } = stmt.kind {
            places.push((spans.place(stmt.span), scope == Level::Warp));
        }
    });
    let of = |is_warp: bool| places.iter().filter(|(_, warp)| *warp == is_warp).count();
    let mut text = format!("barriers       {} of the block, {} of a warp\n", of(false), of(true));
    let mut counted: BTreeMap<(usize, bool), (String, u32)> = BTreeMap::new();
    for (at, is_warp) in &places {
        let first = places.iter().position(|other| other == &(*at, *is_warp)).unwrap_or(0);
        let shown = at.map_or_else(|| "in the library".to_string(), |(line, column)| format!("{line}:{column}"));
        counted.entry((first, *is_warp)).or_insert((shown, 0)).1 += 1;
    }
    for ((_, is_warp), (place, count)) in counted {
        let whose = if is_warp { "of a warp" } else { "of the block" };
        let times = if count == 1 { String::new() } else { format!(", {count} times") };
        text += &format!("    {place:<8} {whose}{times}\n");
    }
    text
}

/// The shared memory of a block, a row for some bytes and a column for each step: which array lies there.
pub fn memory(cost: &Cost) -> String {
    let mut text = format!("shared memory  {} of {} bytes\n", cost.shared_bytes, cost.shared_limit);
    let steps = cost.arrays.iter().map(|array| array.last).max().unwrap_or(0);
    let letter = |place: usize| char::from(b'A' + (place % 26) as u8);
    for (place, array) in cost.arrays.iter().enumerate() {
        let copies = if array.copies == 1 { String::new() } else { format!(", {} copies", array.copies) };
        text += &format!(
            "    {}  {}: {} x {}{copies}, bytes {} to {}, steps {} to {}\n",
            letter(place),
            array.name,
            array.len,
            array.elem.name(),
            array.offset,
            array.offset + array.bytes,
            array.first,
            array.last
        );
    }
    let row = cost.shared_bytes.div_ceil(ROWS).max(4).next_multiple_of(4);
    let in_use = |byte: u32, step: u32| {
        let there = |a: &obsidian_abi::cost::SharedArray| {
            a.first <= step && step <= a.last && a.offset < byte + row && byte < a.offset + a.bytes
        };
        cost.arrays.iter().position(there).map_or('.', letter)
    };
    for start in (0..cost.shared_bytes).step_by(row as usize) {
        let columns: String = (1..=steps).map(|step| in_use(start, step)).collect();
        text += &format!("    {start:>6}  {columns}\n");
    }
    text
}
