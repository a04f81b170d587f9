//! Arguments for the programs that multiply a sparse matrix: generated columns are nearly all out of range, these are in it.

use obsidian_ir::interp::{Arg, Args, Buffer};
use obsidian_ir::program::ScalarType;

const ROWS: u64 = 128;
const COLUMNS: u64 = 40;

/// Arguments by the kernel's name; `None` for other kernels. Rows of no, one, some and 600 entries.
pub fn args(kernel: &str) -> Option<Args> {
    let len = |r| match r % 4 {
        _ if r == 70 => 600,
        0 => 0,
        1 => 1,
        _ => r % 19,
    };
    let ends: Vec<u64> = (0..ROWS)
        .scan(0, |end, r| {
            *end += len(r);
            Some(*end)
        })
        .collect();
    let starts: Vec<u64> = (0..ROWS).zip(&ends).map(|(r, end)| end - len(r)).collect();
    let count = ends.last().map_or(0, |end| end.next_multiple_of(256));
    let heads = (0..count).map(|i| u64::from(starts.iter().zip(&ends).any(|(s, e)| *s == i && s < e))).collect();

    let words = |bits| Buffer { ty: ScalarType::U32, bits };
    let floats = |n: u64, of: u64| Buffer {
        ty: ScalarType::F32,
        bits: (0..n).map(|i| u64::from(((i % of) as f32 - 3.0).to_bits())).collect(),
    };
    let rows = Arg::Buffers(vec![words(starts), words(ends)]);
    let columns = words((0..count).map(|i| i * 7 % COLUMNS).collect());
    let entries = Arg::Buffers(vec![columns, floats(count, 9)]);
    let (x, heads) = (Arg::Buffers(vec![floats(COLUMNS, 11)]), Buffer { ty: ScalarType::Bool, bits: heads });
    Some(Args(match kernel {
        "smvm_threads" | "smvm_warps" | "smvm_blocks" => vec![rows, entries, x],
        "smvm_products" => vec![entries, Arg::Buffers(vec![heads]), x],
        "smvm_pieces" => vec![rows, Arg::Buffers(vec![floats(count, 13)])],
        _ => return None,
    }))
}
