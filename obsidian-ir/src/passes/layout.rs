//! Layout: gives every shared array its place.
//!
//! Needs: nothing. Ensures: `Array::offset` of every shared array is set, a multiple of 128 (bank 0); arrays in use at
//! the same time do not overlap, except that one may lie on the array it is computed from where `in_place` has proved
//! it; `Program::shared_bytes` is what a block needs, at most `shared_limit`. Arrays of warps take `warps()` copies,
//! one after another. An array is placed in place if possible, else by first fit in order of first use. Source: JFP
//! 2016, which has no reuse in place.
//!
//! ```text
//! shared s1: u32[64]; s1[i] = ..          s1: u32[64] at 0
//! shared s2: u32[64]; s2[i] = s1[63 - i]  =>  s2: u32[64] at 256
//! shared s3: u32[64]; s3[i] = s2[63 - i]  s3: u32[64] at 0, since nobody reads s1 any more
//! ```

mod in_place;

use std::collections::BTreeSet;

use super::access::Loads;
use super::liveness::{self, Live};
use crate::diag::{self, Diagnostic};
use crate::level::Level;
use crate::program::{ArrayId, Program, Space, StmtKind};
use in_place::Pair;

/// Every array starts in the first of the 32 banks of 4 bytes.
const ALIGN: u64 = 128;

/// What a thread's own arrays may take together, in bytes: they lie on the stack of a thread of the CPU, which has 2 MiB,
/// and in the local memory of one of a GPU, which has 512 KiB.
const MAX_OWN_BYTES: u64 = 256 << 10;

/// An array with its place, in bytes.
#[derive(Debug, Clone, Copy)]
struct Placed {
    live: Live,
    offset: u64,
    bytes: u64,
}

/// Sets the offsets of shared arrays and the shared memory of a block.
///
/// # Errors
/// `OB040` where the arrays do not fit into `shared_limit`, with the memory map at the peak; `OB041` where a shared
/// array's length is not a constant.
pub fn run(program: &mut Program) -> diag::Result<()> {
    let loads = Loads::new(&program.exprs);
    let mut total = 0;
    let mut offsets: Vec<(ArrayId, u64)> = Vec::new();
    let mut shared: Vec<Pair> = Vec::new();
    for stmt in &program.body {
        let StmtKind::DistrPar { level: Level::Block, body, .. } = &stmt.kind else { continue };
        let live = liveness::intervals(program, &loads, body);
        let heirs = in_place::proved(program, &loads, body, &successions(program, &live));
        let mut placed: Vec<Placed> = Vec::new();
        for live in live {
            let bytes = size(program, live.array)?;
            let heir = placed.iter().find(|old| inherits(&placed, old, (&live, bytes), &heirs));
            shared.extend(heir.map(|old| Pair { old: old.live.array, new: live.array }));
            let offset = heir.map_or_else(|| first_fit(&placed, &live, bytes), |old| old.offset);
            placed.push(Placed { live, offset, bytes });
        }
        fits(program, &placed)?;
        total = placed.iter().map(|p| p.offset + p.bytes).fold(total, u64::max);
        offsets.extend(placed.iter().map(|p| (p.live.array, p.offset)));
    }
    let mut body = std::mem::take(&mut program.body);
    in_place::read_first(program, &loads, &mut body, shared.into_iter());
    program.body = body;
    program.shared_bytes = total as u32;
    for array in program.arrays.iter_mut().filter(|a| matches!(a.space, Space::Shared(_))) {
        // An array that nothing touches needs no memory.
        array.offset = Some(0);
    }
    for (array, offset) in offsets {
        program.arrays[array.0 as usize].offset = Some(offset as u32);
    }
    Ok(())
}

/// Bytes of an array with all its copies.
fn size(program: &Program, id: ArrayId) -> diag::Result<u64> {
    let array = program.array(id);
    let len = program.exprs.as_u32(array.len).ok_or_else(|| {
        Box::new(
            Diagnostic::new("OB041", array.span, "the length of a stored array must be known while compiling")
                .help("split the input into parts of a fixed length, e.g. split_up(512), before compute()"),
        )
    })?;
    let copies = if array.space == Space::Shared(Level::Warp) { program.warps() } else { 1 };
    Ok(u64::from(len) * u64::from(array.elem.bytes()) * u64::from(copies))
}

/// The pairs of arrays of one kind of which the first is last used by the statement that first uses the second.
fn successions(program: &Program, live: &[Live]) -> BTreeSet<Pair> {
    let kind = |l: &Live| (program.array(l.array).elem, program.array(l.array).space, l.warp);
    let ends = |old: &Live, new: &Live| old.first < old.last && old.last == new.first && kind(old) == kind(new);
    let pairs =
        |new| live.iter().filter(move |old| ends(old, new)).map(|old: &Live| Pair { old: old.array, new: new.array });
    live.iter().flat_map(pairs).collect()
}

/// Whether an array can take the place of `old`, from which it is computed: it fits, and no other array is in use
/// there.
fn inherits(placed: &[Placed], old: &Placed, (live, bytes): (&Live, u64), heirs: &BTreeSet<Pair>) -> bool {
    let fits = if live.warp.is_some() { bytes == old.bytes } else { bytes <= old.bytes };
    let clear = |p: &Placed| {
        let apart = p.offset + p.bytes <= old.offset || old.offset + bytes <= p.offset;
        let twins = live.warp.is_some() && p.live.warp == live.warp && p.bytes == bytes && p.offset == old.offset;
        let later = !meet((p.live.first, p.live.last), (live.first, live.last));
        let himself = p.live.array == old.live.array;
        apart || himself || if twins { later } else { !meet(p.live.outer(), live.outer()) }
    };
    fits && heirs.contains(&Pair { old: old.live.array, new: live.array }) && placed.iter().all(clear)
}

/// The lowest place where no array lies that is in use at the same time.
fn first_fit(placed: &[Placed], live: &Live, bytes: u64) -> u64 {
    let clash = |p: &&Placed| meet(p.live.outer(), live.outer());
    // Arrays of warps with copies of one size at the same place: each warp meets only its own copies there, so its own
    // order counts.
    let twins = placed.iter().filter(|p| live.warp.is_some() && p.live.warp == live.warp && p.bytes == bytes);
    for twin in twins {
        let free = placed.iter().filter(clash).all(|p| {
            let apart = p.offset + p.bytes <= twin.offset || twin.offset + bytes <= p.offset;
            let same_place = p.live.warp == live.warp && p.bytes == bytes && p.offset == twin.offset;
            apart || same_place && !meet((p.live.first, p.live.last), (live.first, live.last))
        });
        if free {
            return twin.offset;
        }
    }
    let mut busy: Vec<&Placed> = placed.iter().filter(clash).collect();
    busy.sort_by_key(|p| p.offset);
    let mut at = 0;
    for p in busy {
        if at + bytes <= p.offset {
            break;
        }
        at = at.max((p.offset + p.bytes).next_multiple_of(ALIGN));
    }
    at
}

fn meet(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}

/// Limits what threads keep for themselves.
///
/// # Errors
/// `OB040` at the largest of a thread's own arrays where they take too much; `OB041` where the length of one is not known.
pub fn limit_own_arrays(program: &Program) -> diag::Result<()> {
    let ids = (0..program.arrays.len() as u32).map(ArrayId);
    let own: Vec<ArrayId> = ids.filter(|&id| program.array(id).space == Space::Local).collect();
    let sizes = own.iter().map(|&id| size(program, id)).collect::<diag::Result<Vec<u64>>>()?;
    let needed = sizes.iter().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes));
    let Some((_, &largest)) = sizes.iter().zip(&own).max().filter(|_| needed > MAX_OWN_BYTES) else { return Ok(()) };
    let message = format!("a thread's own arrays take {needed} bytes, and {MAX_OWN_BYTES} are allowed");
    let help = "keep fewer elements in each thread, or `compute` them in the block's shared memory";
    Err(Box::new(Diagnostic::new("OB040", program.array(largest).span, message).help(help)))
}

/// Reports the array that reaches past the limit, with all that is in use beside it.
fn fits(program: &Program, placed: &[Placed]) -> diag::Result<()> {
    let limit = u64::from(program.shared_limit);
    let Some(top) = placed.iter().max_by_key(|p| p.offset + p.bytes) else { return Ok(()) };
    let needed = top.offset + top.bytes;
    if needed <= limit {
        return Ok(());
    }
    let name = &program.array(top.live.array).name;
    let target = program.options.target;
    let on = if limit == u64::from(target.max_shared()) { format!(" on {}", target.name()) } else { String::new() };
    let message = format!("shared memory is full: {needed} bytes are needed per block, {limit} are allowed{on}");
    let mut d = Diagnostic::new("OB040", program.array(top.live.array).span, message);
    let (copies, peak) = (program.warps(), top.live.outer().0);
    d = d.note(format!("in use at once with `{name}`:"));
    let mut live: Vec<&Placed> = placed.iter().filter(|p| meet(p.live.outer(), (peak, peak))).collect();
    live.sort_by_key(|p| p.offset);
    for p in live {
        let a = program.array(p.live.array);
        let len = program.exprs.as_u32(a.len).unwrap_or(0);
        let per_warp = if p.live.warp.is_some() { format!(", {copies} copies") } else { String::new() };
        d = d.note(format!("  `{}`: {len} x {}{per_warp}, {} bytes at {}", a.name, a.elem.name(), p.bytes, p.offset));
    }
    Err(Box::new(d.help(advice(program, needed))))
}

/// How a block gets `needed` bytes: the keys that allow it, where there is a GPU that has them.
fn advice(program: &Program, needed: u64) -> String {
    let target = program.options.target;
    let fewer = "use fewer elements per block";
    match target.with_shared(needed) {
        Some(enough) if enough == target => format!("{fewer}, or allow more: `shared = {needed}` in the attribute"),
        Some(enough) => {
            let keys = format!("`shared = {needed}, target = \"{}\"`", enough.name());
            format!("{fewer}, or allow more: {keys} in the attribute, for GPUs from {} on", enough.name())
        }
        None => format!("{fewer}: no GPU that is known has as many bytes for a block"),
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_tests;
