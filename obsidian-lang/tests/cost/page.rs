//! The guide's page on costs, `docs/src/cost.md`: an example with its report, and a table over all programs.

use std::path::Path;

use obsidian_ir::passes::cost::{Certainty, Memory, Report};
use obsidian_lang::driver::{Compiled, View, stop_after};
use obsidian_lang::syntax::SpanTable;

use super::sources;

const PAGE: &str = include_str!("page.md");

const EXAMPLE: &str = "\
#[kernel(threads = 256)]
pub fn turned(input: DPull<f32>) -> DPush<Grid, f32> {
    input.split_up(1024).as_grid_map(|tile| {
        exec_block(tile.compute().reshape(32, 32).transpose().flatten().push())
    })
}";

fn page(entries: &[Compiled]) -> String {
    let output = stop_after(View::Report.stage(), EXAMPLE.parse().expect("tokens"), &mut SpanTable::default());
    let report = output.unwrap_or_else(|e| panic!("{e:?}")).text(View::Report).expect("it was reached");
    let mut rows: Vec<String> = entries.iter().map(|e| row(&sources::plain_name(e), &e.variants[0].report)).collect();
    rows.sort();
    PAGE.replace("{kernel}", EXAMPLE).replace("{report}", report.trim_end()).replace("{programs}\n", &rows.concat())
}

fn row(name: &str, r: &Report) -> String {
    let sum = |memory| {
        let counted = r.of(memory).filter(|a| a.certainty != Certainty::EachRound).filter_map(|a| a.requests());
        counted.fold((0, 0.0, 0, 0, 0), |(count, transactions, least, wanted, worst), q| {
            (count + q.count, transactions + q.transactions, least + q.least, wanted + q.wanted, q.worst.max(worst))
        })
    };
    let each = |total: f64, count: u64| if count == 0 { "-".to_string() } else { number(total / count as f64) };
    let both = |(count, transactions, least, ..): (u64, f64, u64, u64, u32)| match count {
        0 => "-".to_string(),
        _ => format!("{} ({})", each(transactions, count), each(least as f64, count)),
    };
    let (global, shared) = (sum(Memory::Global), sum(Memory::Shared));
    let worst = if shared.0 == 0 { "-".to_string() } else { format!("{}-way", shared.4) };
    let sm_80 = r.occupancy.iter().find(|o| o.device.name == "sm_80").expect("in the table");
    format!(
        "| `{name}` | {} | {} | {} | {} | {} | {} | {worst} | {} | {} % |\n",
        r.threads,
        r.shared.bytes,
        r.guards.len(),
        both(global),
        each(global.1 * 32.0, global.3),
        both(shared),
        each(r.operations.total as f64, r.operations.elements),
        sm_80.percent(r.threads),
    )
}

fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Holds the page against what the compiler does; `OBSIDIAN_BLESS=1` writes it.
pub fn is_up_to_date(entries: &[Compiled]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/cost.md");
    let page = page(entries);
    if std::env::var_os("OBSIDIAN_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, &page).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/src/cost.md is not up to date: run this test with OBSIDIAN_BLESS=1");
}
