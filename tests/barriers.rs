//! Barriers that are left in the programs of `programs`, and what of them is proved. `docs/src/barriers.md` is
//! rendered from it: `OBSIDIAN_BLESS=1 cargo test -p obsidian-tests --test barriers`.

use obsidian_sources as sources;
use std::fmt::Write;
use std::path::Path;

use obsidian_ir::passes::{barriers, verify};
use obsidian_ir::program::{Block, ParamKind, Program, StmtKind};
use obsidian_lang::driver::Compiled;

const HEAD: &str = "\
# Barriers

<!-- Rendered by tests/barriers.rs. After a change: OBSIDIAN_BLESS=1 cargo test -p obsidian-tests --test barriers -->

A barrier stands only where an element that one thread touches is touched by another, and one of them writes. Elements are
followed thread by thread, as they are shared out for the kernel's number of threads; so steps of one thread need no
barrier, and steps inside a warp need a warp's only. *Per array* is what a compiler that knows arrays only would place: a barrier wherever a
stored array is read, or its place is used again.

| kernel | threads | per array | of the block | of a warp |
|---|---:|---:|---:|---:|
";

fn page(entries: &[Compiled]) -> String {
    let mut out = HEAD.to_string();
    for entry in entries {
        for variant in &entry.variants {
            let (p, name) = (&variant.native, sources::plain_name(entry));
            let r = barriers::report(p);
            if r.per_array > 0 {
                let _ = writeln!(out, "| `{name}` | {} | {} | {} | {} |", p.threads, r.per_array, r.block, r.warp);
            }
        }
    }
    out
}

/// One test for all three: compiling all programs takes longer than any of them.
#[test]
fn barriers_are_few_and_enough_and_the_page_says_so() {
    let entries = sources::compiled(|_| true);
    the_page_is_what_the_compiler_does(&entries);
    the_block_waits_no_more_often_than_per_array(&entries);
    every_program_is_proved_whole(&entries);
}

fn the_page_is_what_the_compiler_does(entries: &[Compiled]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/barriers.md");
    let page = page(entries);
    if std::env::var_os("OBSIDIAN_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, &page).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/src/barriers.md is not up to date: run this test with OBSIDIAN_BLESS=1");
}

/// One barrier of the block may do for what a warp's and, later, the block's do: so only the block's are counted.
fn the_block_waits_no_more_often_than_per_array(entries: &[Compiled]) {
    for entry in entries {
        for variant in &entry.variants {
            let r = barriers::report(&variant.native);
            assert!(r.block <= r.per_array, "{}, {} threads: {r:?}", entry.ident, variant.native.threads);
        }
    }
}

/// Whether the rounds of a loop of a whole block, or of a warp, are only known at launch: what its rounds hand on is
/// right by construction, and too much to look at.
fn has_open_loop(p: &Program, list: &Block) -> bool {
    list.iter().any(|stmt| match &stmt.kind {
        StmtKind::SeqFor { end, body, .. } => p.exprs.as_u32(*end).is_none() || has_open_loop(p, body),
        StmtKind::SeqWhile { .. } => true,
        StmtKind::DistrPar { body, .. } => has_open_loop(p, body),
        _ => false,
    })
}

/// Whether the last block does something else than the others: that it writes what they leave is how a grid over chunks places
/// it. The judge proves that; the compiler only what is written by blocks that are alike.
fn has_last_block(p: &Program) -> bool {
    p.body.iter().any(|grid| match &grid.kind {
        StmtKind::DistrPar { body, .. } => {
            let first = body.iter().find(|stmt| !matches!(stmt.kind, StmtKind::Let { .. }));
            first.is_some_and(|stmt| matches!(stmt.kind, StmtKind::If { .. }))
        }
        _ => false,
    })
}

/// Tiles of a matrix whose number is known at launch only: that they fill it is how `concat_2d_grid` places them, and no
/// pass follows a block's number taken apart into row and column. And as much of what a block has stored as its chunk is long.
/// And tiles of a row, as many as only the launch knows, that a loop writes.
const BY_CONSTRUCTION: [&str; 3] = ["retiled", "centres", "row_scans"];

/// The record of accesses out of range, as messages name it, where the program has one.
fn record(p: &Program) -> Option<String> {
    p.params.iter().find_map(|param| match param.kind {
        ParamKind::Fault(array) => Some(format!("`{}`", p.array(array).name)),
        _ => None,
    })
}

/// What the verifier cannot show of a program, but for what is known to be right for another reason.
fn unproved(p: &Program) -> Vec<String> {
    let mut unproved = verify::unproved(p);
    // Only the first thread that is out of range writes the record: it wins a compare-and-exchange.
    if let Some(record) = record(p) {
        unproved.retain(|line| !line.contains(&record));
    }
    if has_open_loop(p, &p.body) {
        unproved.retain(|line| line.contains("`out"));
    }
    if has_last_block(p) {
        unproved.retain(|line| !line.contains("several grids write it, and not one after the other"));
    }
    unproved
}

fn every_program_is_proved_whole(entries: &[Compiled]) {
    for entry in entries {
        let trusted = BY_CONSTRUCTION.iter().any(|name| entry.ident == name);
        let unproved: Vec<String> = entry.variants.iter().flat_map(|variant| unproved(&variant.native)).collect();
        assert_eq!(unproved.is_empty(), !trusted, "{}: {unproved:?}", entry.ident);
    }
}
