//! Layout: gives every shared array its place.
//!
//! Needs: nothing. Ensures: `Array::offset` of every shared array is set, a multiple of 128 (bank 0); arrays in use at
//! one time do not overlap; `Program::shared_bytes` is what a block needs, at most `shared_limit`. Arrays of warps take
//! `warps()` copies, one after another. First fit in order of first use. Source: JFP 2016.

use super::access::Loads;
use super::liveness::{self, Live};
use crate::diag::{self, Diagnostic};
use crate::level::Level;
use crate::program::{ArrayId, Program, Space, StmtKind};

/// Every array starts in the first of the 32 banks of 4 bytes.
const ALIGN: u64 = 128;

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
    for stmt in &program.body {
        let StmtKind::DistrPar { level: Level::Block, body, .. } = &stmt.kind else { continue };
        let mut placed: Vec<Placed> = Vec::new();
        for live in liveness::intervals(program, &loads, body) {
            let bytes = size(program, live.array)?;
            let offset = first_fit(&placed, &live, bytes);
            placed.push(Placed { live, offset, bytes });
        }
        fits(program, &placed)?;
        total = placed.iter().map(|p| p.offset + p.bytes).fold(total, u64::max);
        offsets.extend(placed.iter().map(|p| (p.live.array, p.offset)));
    }
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

/// The lowest place where nothing in use at the same time lies.
fn first_fit(placed: &[Placed], live: &Live, bytes: u64) -> u64 {
    let clash = |p: &&Placed| meet(p.live.outer(), live.outer());
    // Copies of one size on the same place: each warp meets only itself there, so its own order counts.
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

/// Reports the array that reaches past the limit, with all that is in use beside it.
fn fits(program: &Program, placed: &[Placed]) -> diag::Result<()> {
    let limit = u64::from(program.shared_limit);
    let Some(top) = placed.iter().max_by_key(|p| p.offset + p.bytes) else { return Ok(()) };
    let needed = top.offset + top.bytes;
    if needed <= limit {
        return Ok(());
    }
    let name = &program.array(top.live.array).name;
    let message = format!("shared memory is full: {needed} bytes are needed per block, {limit} are allowed");
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
    let help = format!("use fewer elements per block, or allow more: `shared = {needed}` in the attribute");
    Err(Box::new(d.help(help)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::fixture::{self, Make, stmt};
    use crate::program::{BinOp, ScalarType, Stmt};

    fn offsets(p: &Program) -> Vec<(String, u32)> {
        let shared = p.arrays.iter().filter(|a| matches!(a.space, Space::Shared(_)));
        shared.map(|a| (a.name.clone(), a.offset.expect("set"))).collect()
    }

    #[test]
    fn a_tree_reduction_reuses_the_place_of_dead_steps() {
        // JFP 2016: 1024 + 512 bytes for 512 elements; what follows fits where the first step lay.
        let mut p = fixture::reduce(64);
        run(&mut p).expect("fits");
        assert_eq!(p.shared_bytes, 1536);
        let all: Vec<u32> = offsets(&p).into_iter().map(|(_, o)| o).collect();
        assert_eq!(all, [0, 1024, 0, 256, 0, 128, 0, 128]);
    }

    #[test]
    fn too_much_prints_the_memory_map() {
        let mut p = fixture::reduce(64);
        p.shared_limit = 1500;
        let d = run(&mut p).expect_err("does not fit");
        assert_eq!((d.code, d.span.0), ("OB040", 3));
        assert_eq!(
            d.to_string(),
            "[OB040] shared memory is full: 1536 bytes are needed per block, 1500 are allowed\n  \
             in use at once with `s128`:\n    \
             `s256`: 256 x u32, 1024 bytes at 0\n    \
             `s128`: 128 x u32, 512 bytes at 1024\n\
             = help: use fewer elements per block, or allow more: `shared = 1536` in the attribute"
        );
    }

    #[test]
    fn warps_have_copies_and_share_a_place_only_with_twins() {
        let mut p = fixture::warp_reduce(64);
        run(&mut p).expect("fits");
        // 2 warps: s32 256 B, s16 128 B, then 64, 32 and 16 B, none on another's place: warps are not in step.
        let all: Vec<u32> = offsets(&p).into_iter().map(|(_, o)| o).collect();
        assert_eq!(all, [0, 256, 384, 512, 640]);
        assert_eq!(p.shared_bytes, 656);
    }

    /// Writes `to[i] = from[i]` (or `i`), 32 elements.
    fn copy(p: &mut Program, level: Level, from: Option<ArrayId>, to: ArrayId) -> Stmt {
        p.for_all(level, 32, |p, i| {
            let value = from.map_or(i, |a| p.get(a, i));
            vec![stmt(StmtKind::Assign { array: to, index: i, value })]
        })
    }

    #[test]
    fn twins_of_a_warp_alternate() {
        let mut p = fixture::program(64);
        let [a, b, c] = ["a", "b", "c"].map(|n| p.new_array(n, ScalarType::U32, 32, Space::Shared(Level::Warp)));
        let one = Make::u32(&mut p, 1);
        let body = p.distribute(Level::Block, one, |p, _| {
            vec![p.distribute(Level::Warp, one, |p, _| {
                let mut list: Vec<Stmt> = [a, b, c].map(|array| stmt(StmtKind::Allocate { array })).into();
                list.push(copy(p, Level::Warp, None, a));
                list.push(copy(p, Level::Warp, Some(a), b));
                list.push(copy(p, Level::Warp, Some(b), c));
                list
            })]
        });
        p.body = vec![body];
        run(&mut p).expect("fits");
        assert_eq!(offsets(&p), [("a".into(), 0), ("b".into(), 256), ("c".into(), 0)]);
    }

    #[test]
    fn what_a_loop_carries_lives_through_it() {
        // a is read in the loop's first statement and comes from outside: b must not take its place.
        let mut p = fixture::program(32);
        let [a, b, c] = ["a", "b", "c"].map(|n| p.new_array(n, ScalarType::U32, 32, Space::Shared(Level::Block)));
        let (zero, one, ten) = (Make::u32(&mut p, 0), Make::u32(&mut p, 1), Make::u32(&mut p, 10));
        let body = p.distribute(Level::Block, one, |p, _| {
            let mut list = vec![stmt(StmtKind::Allocate { array: a }), copy(p, Level::Block, None, a)];
            let (var, _) = p.index("k", 10);
            let body = vec![
                stmt(StmtKind::Allocate { array: b }),
                stmt(StmtKind::Allocate { array: c }),
                copy(p, Level::Block, Some(a), b),
                copy(p, Level::Block, Some(b), c),
            ];
            list.push(stmt(StmtKind::SeqFor { var, start: zero, end: ten, step: one, body }));
            list
        });
        p.body = vec![body];
        run(&mut p).expect("fits");
        assert_eq!(offsets(&p), [("a".into(), 0), ("b".into(), 128), ("c".into(), 256)]);
    }

    #[test]
    fn what_a_round_hands_to_the_next_lives_from_the_loops_start() {
        // a is touched by the loop's last statement only; b, done by then, must keep off its place all the same.
        let mut p = fixture::program(32);
        let [a, b, c] = ["a", "b", "c"].map(|n| p.new_array(n, ScalarType::U32, 32, Space::Shared(Level::Block)));
        let (zero, one, ten) = (Make::u32(&mut p, 0), Make::u32(&mut p, 1), Make::u32(&mut p, 10));
        let body = p.distribute(Level::Block, one, |p, _| {
            let (var, _) = p.index("k", 10);
            let mut body: Vec<Stmt> = [b, c].map(|array| stmt(StmtKind::Allocate { array })).into();
            body.extend([copy(p, Level::Block, None, b), copy(p, Level::Block, Some(b), c)]);
            body.push(copy(p, Level::Block, Some(a), a));
            let allocate = stmt(StmtKind::Allocate { array: a });
            vec![allocate, stmt(StmtKind::SeqFor { var, start: zero, end: ten, step: one, body })]
        });
        p.body = vec![body];
        run(&mut p).expect("fits");
        assert_eq!(offsets(&p), [("a".into(), 0), ("b".into(), 128), ("c".into(), 256)]);
    }

    #[test]
    fn an_unknown_length_is_an_error() {
        let mut p = fixture::program(32);
        let (param, _) = p.input("x", ScalarType::U32);
        let a = p.new_array("a", ScalarType::U32, 1, Space::Shared(Level::Block));
        let len = p.exprs.input_len(param);
        p.arrays[a.0 as usize].len = p.exprs.bin(BinOp::Add, len, len);
        let one = Make::u32(&mut p, 1);
        let body = p.distribute(Level::Block, one, |p, _| vec![copy(p, Level::Block, None, a)]);
        p.body = vec![body];
        assert_eq!(run(&mut p).expect_err("unknown").code, "OB041");
    }
}
