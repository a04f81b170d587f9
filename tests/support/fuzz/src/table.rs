//! The table of the library: a row for each of its functions that has a length, with a kernel of it and what this means on lists. Who
//! runs the rows is in the tests of this crate and of `obsidian-fuzz-devices`.

mod any_length;
mod block;
mod device;
mod known;
mod lists;
mod narrow;

use std::collections::BTreeSet;

use obsidian_ir::interp::{Arg, Args, Buffer};
use obsidian_ir::program::ScalarType;
use obsidian_lang::library::FILES;
use obsidian_lang::stage::BUILTINS;

use crate::check::{self, Case, Verdict};

/// Elements of a chunk.
const CHUNK: usize = 64;
/// What the last chunk lacks.
const FILL: u32 = 7;

/// What a kernel takes and how it is written around a row's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `xs` is the input at `Grid`.
    Grid,
    /// `c` is a chunk of at most 64 elements of it, in a block.
    Chunk,
    /// `c` is a chunk of exactly 64, what the last one lacks being 7, in a block.
    Padded,
    /// `c` is a warp's 32 of the same.
    Warp,
    /// `c` is a thread's 8 of the same.
    Thread,
    /// `xs` is the input at `Device`.
    Device,
    /// The same, for a result that is one value.
    OfDevice,
}

/// The lengths of the table: none, one, the edges of a warp and of a block, those of 16 bits, and many.
pub const LENGTHS: [usize; 13] = [0, 1, 31, 32, 33, 255, 256, 257, 1003, 65_535, 65_536, 65_537, 1_000_003];

impl Form {
    /// The longest array that tells something of a row. Chunks of 64 are the same ones of a longer array; what takes several launches is
    /// tested beyond that by `obsidian-tests --test device`.
    pub fn most(self) -> usize {
        match self {
            Form::Grid => usize::MAX,
            Form::Device | Form::OfDevice => 65_537,
            Form::Chunk | Form::Padded | Form::Warp | Form::Thread => 1003,
        }
    }
}

/// A row: functions by name, the form of the kernel, its text, and what it gives: of the whole input, or of each part.
pub type Row = (&'static str, Form, &'static str, fn(&[u32]) -> Vec<u32>);

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [any_length::ROWS, block::ROWS, known::ROWS, narrow::ROWS, device::ROWS].into_iter().flatten()
}

/// The functions of the library that are for kernels.
pub fn functions() -> BTreeSet<&'static str> {
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

/// The kernel of a row.
pub fn kernel(form: Form, text: &str) -> String {
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

/// A row's kernel, compiled, without arguments.
///
/// # Errors
/// The compiler refuses it.
pub fn case((_, form, text, _): &Row) -> Result<Case, Verdict> {
    check::case_of_text(&kernel(*form, text), Args(Vec::new()), Vec::new())
}

/// Gives a row's kernel `n` elements, and says what it makes of them.
pub fn set(case: &mut Case, row: &Row, n: usize) {
    let xs: Vec<u32> = (0..n as u32).map(|i| (i + 1).wrapping_mul(2_654_435_761) >> 7).collect();
    case.args = Args(vec![Arg::Buffers(vec![buffer(&xs)])]);
    case.expected = vec![vec![buffer(&expected(row, &xs)).bits]];
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
