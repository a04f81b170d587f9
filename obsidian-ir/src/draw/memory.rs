//! The map of a block's shared memory over time: to the right the statements, downwards the bytes.

use super::svg::{Anchor, Svg};
use crate::level::Level;
use crate::passes::access::Loads;
use crate::passes::liveness::{self, Live};
use crate::program::{Program, Space, StmtKind};

/// Pixels of one position in time.
const STEP: u32 = 36;
/// The least height of the whole memory, in pixels.
const MIN_HEIGHT: u32 = 160;
/// Pixels around.
const MARGIN: u32 = 60;

/// The shared arrays of a laid-out program: each a box from its first use to its last, from its first byte to its last.
pub fn memory(program: &Program) -> String {
    let loads = Loads::new(&program.exprs);
    let blocks = program.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::DistrPar { level: Level::Block, body, .. } => Some(body),
        _ => None,
    });
    let live: Vec<Live> = blocks.flat_map(|body| liveness::intervals(program, &loads, body)).collect();
    let height = |bytes: u64| (bytes * u64::from(MIN_HEIGHT) / u64::from(program.shared_bytes.max(1))) as u32;
    let times = moments(&live);
    let at = |pos: u32| times.iter().position(|&t| t == pos).unwrap_or(0) as u32;
    let mut svg = Svg::default();
    for l in &live {
        let array = program.array(l.array);
        let (Some(offset), Some(len)) = (array.offset, program.exprs.as_u32(array.len)) else { continue };
        let copies = if array.space == Space::Shared(Level::Warp) { program.warps() } else { 1 };
        let bytes = u64::from(len) * u64::from(array.elem.bytes()) * u64::from(copies);
        let (top, bottom) = (height(offset.into()), height(u64::from(offset) + bytes));
        // The last moment of an array is the first one of the array computed from it, so boxes end in the middle of a
        // moment.
        let (left, right) = (at(l.first) * STEP + STEP / 2, at(l.last) * STEP + STEP / 2);
        let about = format!("{}: {len} x {}, {bytes} bytes at {offset}", array.name, array.elem.name());
        let size = ((right - left).max(STEP / 3), (bottom - top).max(2));
        svg.labelled((MARGIN + left, MARGIN / 2 + top), size, [&array.name, &about]);
    }
    svg.text((MARGIN - 6, MARGIN / 2 + 10), Anchor::End, "0");
    svg.text((MARGIN - 6, MARGIN / 2 + MIN_HEIGHT), Anchor::End, &program.shared_bytes.to_string());
    let width = MARGIN * 2 + times.len() as u32 * STEP;
    svg.finish(
        (width, MIN_HEIGHT + MARGIN),
        &format!("Shared memory of {}: {} bytes", program.name, program.shared_bytes),
    )
}

/// The positions at which some array's use begins or ends, in order.
fn moments(live: &[Live]) -> Vec<u32> {
    let mut all: Vec<u32> = live.iter().flat_map(|l| [l.first, l.last]).collect();
    all.sort_unstable();
    all.dedup();
    all
}
