//! Every function of the library at lengths that are no multiples of anything: a row for each in `rows`, run by the reference
//! interpreter in three orders and as PTX by its own on several numbers of blocks. The names come from the library itself, so
//! that a function without a row, and without a word of who tests it, fails.

mod elsewhere;
mod rows;

use std::collections::BTreeSet;

use obsidian_fuzz::check::{self, Case};
use obsidian_ir::interp::{Arg, Args, Buffer};
use obsidian_ir::program::ScalarType;
use obsidian_lang::library::FILES;
use obsidian_lang::stage::BUILTINS;

use elsewhere::ELSEWHERE;
use rows::{Form, Row, rows};

/// What the interpreters run in a moment.
const LENGTHS: [usize; 9] = [0, 1, 31, 32, 33, 255, 256, 257, 1003];
/// Elements of a chunk.
const CHUNK: usize = 64;
/// What the last chunk lacks.
const FILL: u32 = 7;

/// The kernel of a row.
fn kernel(form: Form, text: &str) -> String {
    let padded =
        |inner: &str| format!("xs.chunks({CHUNK}).as_grid_map(|c| {{ let c = c.pad_to({CHUNK}, {FILL}); {inner} }})");
    let (gives, body) = match form {
        Form::Grid => ("DPush<Grid, u32>", text.to_string()),
        Form::Device => ("Program<Device, DPull<u32>>", text.to_string()),
        Form::OfDevice => ("Program<Device, u32>", text.to_string()),
        Form::Chunk => ("DPush<Grid, u32>", format!("xs.chunks({CHUNK}).as_grid_map(|c| exec_block({text}))")),
        Form::Padded => ("DPush<Grid, u32>", padded(&format!("exec_block({text})"))),
        Form::Warp => ("DPush<Grid, u32>", padded(&format!("c.split_up(32).as_block_map(|c| exec_warp({text}))"))),
        Form::Thread => ("DPush<Grid, u32>", padded(&format!("c.split_up(8).as_block_map(|c| exec_thread({text}))"))),
    };
    format!("#[kernel(threads = 32)]\npub fn k(xs: DPull<u32>) -> {gives} {{\n    {body}\n}}\n")
}

/// What it gives of these elements.
fn expected((_, form, _, means): &Row, xs: &[u32]) -> Vec<u32> {
    let mut filled = xs.to_vec();
    filled.resize(xs.len().next_multiple_of(CHUNK), FILL);
    match form {
        Form::Grid | Form::Device | Form::OfDevice => means(xs),
        Form::Chunk => xs.chunks(CHUNK).flat_map(means).collect(),
        Form::Padded => filled.chunks(CHUNK).flat_map(means).collect(),
        Form::Warp => filled.chunks(32).flat_map(means).collect(),
        Form::Thread => filled.chunks(8).flat_map(means).collect(),
    }
}

fn buffer(xs: &[u32]) -> Buffer {
    Buffer { ty: ScalarType::U32, bits: xs.iter().map(|&x| x.into()).collect() }
}

fn set(case: &mut Case, row: &Row, n: usize) {
    let xs: Vec<u32> = (0..n as u32).map(|i| (i + 1).wrapping_mul(2_654_435_761) >> 7).collect();
    case.args = Args(vec![Arg::Buffers(vec![buffer(&xs)])]);
    case.expected = vec![vec![buffer(&expected(row, &xs)).bits]];
}

/// What is wrong with a row, if anything.
fn wrong(row: &Row) -> Option<String> {
    let (names, form, text, _) = row;
    let mut case = match check::case_of_text(&kernel(*form, text), Args(Vec::new()), Vec::new()) {
        Ok(case) => case,
        Err(verdict) => return Some(format!("{names}, {form:?}: {verdict:?}")),
    };
    LENGTHS.into_iter().find_map(|n| {
        set(&mut case, row, n);
        case.interpreted().err().map(|wrong| format!("{names}, {form:?}, {n} elements: {wrong}"))
    })
}

#[test]
fn every_row_means_at_every_length_what_it_says() {
    let wrong: Vec<String> = rows().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows().count(), wrong.join("\n"));
}

/// The functions of the library that are for kernels.
fn library() -> BTreeSet<&'static str> {
    let name =
        |signature: &'static str| signature.trim_start_matches("fn ").split(['<', '(']).next().unwrap_or_default();
    let mut all: BTreeSet<&str> = BUILTINS.iter().map(|b| name(b.signature)).collect();
    for (_, text) in FILES {
        let mut internal = false;
        for line in text.lines() {
            internal |= line == "// For the library itself.";
            if line.starts_with("fn ") && !std::mem::take(&mut internal) {
                all.insert(name(line));
            }
        }
    }
    all
}

#[test]
fn every_function_of_the_library_has_a_row() {
    let library = library();
    assert!(library.len() > 300, "{}", library.len());
    let rows: BTreeSet<&str> = rows().flat_map(|row| row.0.split_whitespace()).collect();
    let elsewhere: BTreeSet<&str> = ELSEWHERE.iter().flat_map(|(names, _)| names.split_whitespace()).collect();
    let missing: Vec<_> = library.iter().filter(|name| !rows.contains(*name) && !elsewhere.contains(*name)).collect();
    assert!(missing.is_empty(), "no row of `rows`, nor of `elsewhere.rs`: {missing:?}");
    let strangers: Vec<_> = rows.union(&elsewhere).filter(|name| !library.contains(*name)).collect();
    assert!(strangers.is_empty(), "no functions of the library: {strangers:?}");
    let twice: Vec<_> = rows.intersection(&elsewhere).collect();
    assert!(twice.is_empty(), "in both: {twice:?}");
}

/// A row's kernel has what the row is of.
#[test]
fn a_row_mentions_the_functions_it_is_of() {
    for (names, form, text, _) in rows() {
        let around = kernel(*form, "");
        let mut words = text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .chain(around.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        let first = names.split_whitespace().next().unwrap_or_default();
        assert!(words.any(|word| word == first), "`{first}` is not in `{text}`");
    }
}
