//! Streams: the parts of the inputs that one block after the other of a kernel with phases reads, fetched ahead of
//! time.
//!
//! In: a loop over blocks, in native form. Out: code that prefetches the part of a later block, and code that keeps the
//! phase which reads a stream apart from the next. Without them LLVM fuses all phases into one expression tree over
//! registers, whose loads come in an order that no hardware prefetcher follows.
//!
//! Measured by the row `reductions of 512` of `cargo xtask bench cpu` on an AMD EPYC of 2 threads, 26 November 2026: 3.2 ms with prefetches into
//! the first-level cache, 4 blocks ahead, 2.6 ms with such into the second-level cache, 32 KiB ahead.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::{array_name, var_name};
use crate::level::Level;
use crate::passes::access::{Effects, Loads};
use crate::passes::index::{Mono, Polys, Reader, Reading, Word, everywhere, is_sum, lower};
use crate::passes::walk::{direct, each, nested, reachable};
use crate::program::{
    ArrayId, BinOp, Block, Expr, ExprId, Exprs, ParamKind, Program, Range, Space, Stmt, StmtKind, VarId,
};
use crate::tables::HashMap;

/// How many bytes ahead to fetch into the second-level cache. The first-level cache has few places for lines that are on their way.
const BYTES_AHEAD: i128 = 32 << 10;
/// Expressions of a loop that does little but read and write, at most: with more, prefetches cost what they gain (Black-Scholes:
/// 15 % more time).
const MAX_OPERATIONS: usize = 48;
/// A cache line, in bytes.
const LINE: i128 = 64;
/// The sizes of the parts that are fetched. Smaller parts are a few cache lines, which cost little.
const PART_BYTES: std::ops::RangeInclusive<i128> = 256..=1 << 20;
/// Parts of more bytes are fetched with the loads of lanes, a line with each, or by warps, where these load one by one: that many lines at
/// once keep the loads of the block waiting.
/// The row `red7 of 4096`, as above: 2.7 to 2.9 ms without, 2.4 to 2.5 ms with the loads.
const BURST_BYTES: i128 = 8 << 10;

/// The part of an input that block `b` reads: `bytes` bytes from element `b * step + first` on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stream {
    array: ArrayId,
    step: i128,
    first: i128,
    bytes: i128,
}

/// The streams of a loop over blocks.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// Those that are fetched where a block begins.
    list: Vec<Stream>,
    /// Those that are fetched with their loads.
    long: Vec<Stream>,
    /// The loop's variable.
    block: Option<VarId>,
    /// The loops that a block does once, over its warps.
    warps: Vec<VarId>,
    /// Of the program's expressions; `None` where there is no stream, or no phase that reads it.
    loads: Option<Loads>,
}

impl Streams {
    /// The streams of the loop over `block`, if it has phases: otherwise its loads are in order anyway.
    pub fn of(p: &Program, block: VarId, body: &Block) -> Streams {
        let phased = |array: &ArrayId| matches!(p.array(*array).space, Space::Shared(_));
        if allocated(body).iter().any(phased) { Streams::read(p, block, body) } else { Streams::default() }
    }

    /// The same of a loop without phases whose outputs go past the caches, if it does little else: then its loads alone are too
    /// few for the memory to be busy.
    pub fn beside_parts(p: &Program, block: VarId, body: &Block) -> Streams {
        let mut parts = Vec::new();
        each(body, &mut |stmt| parts.extend(direct(&stmt.kind)));
        if reachable(&p.exprs, parts, |_| false).len() > MAX_OPERATIONS {
            return Streams::default();
        }
        Streams { loads: None, ..Streams::read(p, block, body) }
    }

    fn read(p: &Program, block: VarId, body: &Block) -> Streams {
        let mut search =
            Search { p, block, lets: vec![None; p.vars.len()], polys: Polys::default(), words: HashMap::default() };
        search.collect(body);
        let loads = Loads::new(&p.exprs);
        let read = Effects::of_block(body, &loads).reads;
        let found = search.streams(|array| read.contains(&array) && is_input(p, array));
        let (list, long): (Vec<Stream>, _) = found.into_iter().partition(|stream| stream.bytes <= BURST_BYTES);
        Streams { loads: (!list.is_empty()).then_some(loads), list, long, block: Some(block), warps: warps(body) }
    }

    /// How many elements before they are wanted those of a long stream are fetched; `None` for other arrays.
    pub fn ahead(&self, array: ArrayId) -> Option<usize> {
        let stream = self.long.iter().find(|stream| stream.array == array)?;
        usize::try_from(stream.blocks_ahead() * stream.step).ok()
    }

    /// Whether nothing is fetched.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Fetches the streams' parts for a block that comes some blocks after `block`.
    pub fn fetch(&self, block: &Ident) -> TokenStream {
        self.list.iter().map(|stream| stream.fetch(block, None)).collect()
    }

    /// Whether any is too long to be fetched where a block begins.
    pub fn any_long(&self) -> bool {
        !self.long.is_empty()
    }

    /// Those of `arrays` that are long streams.
    pub fn long_among<'s>(&'s self, arrays: &'s BTreeSet<ArrayId>) -> impl Iterator<Item = ArrayId> + 's {
        self.long.iter().map(|stream| stream.array).filter(|array| arrays.contains(array))
    }

    /// Fetches, for a block that comes some blocks after this one, what warp `warp` of `n` has to fetch of the long streams among `arrays`,
    /// where a block does the loop over `warp` once.
    pub fn fetch_by_warps(&self, arrays: &BTreeSet<ArrayId>, warp: VarId, n: u32) -> TokenStream {
        let Some(block) = self.block.filter(|_| self.warps.contains(&warp)) else { return TokenStream::new() };
        let fits = |stream: &&Stream| arrays.contains(&stream.array) && (1..=stream.lines()).contains(&n.into());
        let slice = Slice { number: var_name(warp), of: n.into() };
        self.long.iter().filter(fits).map(|stream| stream.fetch(&var_name(block), Some(&slice))).collect()
    }

    /// Ends phases of the block, one of which reads a stream: LLVM must take all that the last one wrote to shared memory as written.
    /// The phases after it read the first-level cache, and may fuse.
    pub fn phases_end(&self, p: &Program, list: &[Stmt]) -> TokenStream {
        let (Some(last), Some(loads)) = (list.last(), &self.loads) else { return TokenStream::new() };
        // The phases of a warp take a few registers each, so it is good to fuse them.
        if !matches!(last.kind, StmtKind::ForAll { level: Level::Block, .. }) {
            return TokenStream::new();
        }
        let reads = Effects::of_block(list, loads).reads;
        if !self.list.iter().any(|s| reads.contains(&s.array)) {
            return TokenStream::new();
        }
        let writes = Effects::of(last, loads).writes;
        let shared = writes.iter().filter(|&&a| matches!(p.array(a).space, Space::Shared(_)));
        // No instruction. `black_box` would do the same, but stores its argument: 3 to 8 % slower.
        let ends = shared.map(|&a| {
            let name = array_name(a);
            quote! {
                #[cfg(target_arch = "x86_64")]
                ::core::arch::asm!("/* {0} */", in(reg) #name, options(nostack, preserves_flags));
            }
        });
        ends.collect()
    }
}

/// One of equal slices of a part.
struct Slice {
    number: Ident,
    of: i128,
}

impl Stream {
    /// The stream of a part, if it is worth its instructions.
    fn of(p: &Program, array: ArrayId, part: Part) -> Option<Stream> {
        let size = i128::from(p.array(array).elem.bytes());
        // Where blocks overlap, the rest comes with the blocks after.
        let len = part.hi.saturating_sub(part.lo).saturating_add(1).min(part.step);
        let bytes = len.saturating_mul(size);
        let fits = part.lo >= 0 && part.step <= u32::MAX.into() && PART_BYTES.contains(&bytes);
        fits.then_some(Stream { array, step: part.step, first: part.lo, bytes })
    }

    fn blocks_ahead(&self) -> i128 {
        (BYTES_AHEAD / self.bytes).max(1)
    }

    fn lines(&self) -> i128 {
        (self.bytes + LINE - 1) / LINE
    }

    /// Fetches the lines of the part, or of a slice of it.
    fn fetch(&self, block: &Ident, slice: Option<&Slice>) -> TokenStream {
        let name = array_name(self.array);
        let ahead = self.blocks_ahead();
        let literal = |n| Literal::usize_suffixed(usize::try_from(n).unwrap_or(0));
        let lines = slice.map_or(self.lines(), |slice| (self.lines() + slice.of - 1) / slice.of);
        let begin = slice.map(|Slice { number, .. }| {
            let bytes = literal(lines * LINE);
            quote!(.wrapping_add(#number * #bytes))
        });
        let (step, first, lines) = (literal(self.step), literal(self.first), literal(lines));
        let (ahead, line) = (literal(ahead), literal(LINE));
        // A prefetch of an address that is not mapped does nothing, so the last blocks need no test; the address may
        // leave the slice, which `wrapping_add` allows and `add` does not.
        quote! {
            #[cfg(target_arch = "x86_64")]
            {
                let __part =
                    #name.as_ptr().wrapping_add((#block + #ahead) * #step + #first).cast::<i8>() #begin;
                for __line in 0usize..#lines {
                    ::core::arch::x86_64::_mm_prefetch::<{ ::core::arch::x86_64::_MM_HINT_T1 }>(
                        __part.wrapping_add(__line * #line),
                    );
                }
            }
        }
    }
}

/// The variables of the loops over warps in a list itself.
fn warps(body: &Block) -> Vec<VarId> {
    let warp = |stmt: &Stmt| if let StmtKind::DistrPar { var, .. } = &stmt.kind { Some(*var) } else { None };
    body.iter().filter_map(warp).collect()
}

/// The arrays that are allocated in a list.
fn allocated(body: &Block) -> Vec<ArrayId> {
    let mut found = Vec::new();
    each(body, &mut |stmt| {
        found.extend(if let StmtKind::Allocate { array } = &stmt.kind { Some(*array) } else { None })
    });
    found
}

fn is_input(p: &Program, array: ArrayId) -> bool {
    let Space::Global(param) = p.array(array).space else { return false };
    matches!(p.param(param).kind, ParamKind::Input { .. })
}

/// `block * step + lo ..= block * step + hi`.
#[derive(Debug, Clone, Copy)]
struct Part {
    step: i128,
    lo: i128,
    hi: i128,
}

/// The facts about the body of a loop over blocks.
struct Search<'a> {
    p: &'a Program,
    block: VarId,
    /// By variable: the value that a `Let` gives it.
    lets: Vec<Option<ExprId>>,
    polys: Polys,
    words: HashMap<ExprId, Word>,
}

impl Search<'_> {
    fn collect(&mut self, body: &Block) {
        for stmt in body {
            if let StmtKind::Let { var, value } = &stmt.kind {
                self.lets[var.0 as usize] = Some(*value);
            }
            nested(&stmt.kind).for_each(|inner| self.collect(inner));
        }
    }

    /// The streams of the arrays for which `wanted` holds. A part is what all loads with one step cover together.
    fn streams(&mut self, wanted: impl Fn(ArrayId) -> bool) -> Vec<Stream> {
        let mut parts: Vec<(ArrayId, Part)> = Vec::new();
        for id in (0..self.p.exprs.len() as u32).map(ExprId) {
            let Expr::Load(array, index) = self.p.exprs.expr(id) else { continue };
            if !wanted(array) {
                continue;
            }
            let part = self.part(index);
            match parts.iter_mut().find(|(a, other)| *a == array && other.step == part.step) {
                Some((_, all)) => *all = Part { lo: all.lo.min(part.lo), hi: all.hi.max(part.hi), ..part },
                None => parts.push((array, part)),
            }
        }
        parts.into_iter().filter_map(|(array, part)| Stream::of(self.p, array, part)).collect()
    }

    /// The index as a function of the block; a part that is not understood counts with its range.
    fn part(&mut self, index: ExprId) -> Part {
        let id = lower(self, index).residue();
        let sum = self.polys.get(id);
        let exprs = &self.p.exprs;
        let own = |m: Mono| m.as_value().is_some_and(|e| exprs.expr(e) == Expr::Var(self.block));
        let step = sum.terms().iter().find(|t| own(t.0)).map_or(0, |t| t.1.into());
        let zero = Range::new(0, 0);
        let r = sum.range(|m| if own(m) { zero } else { everywhere(exprs, &self.polys, m) });
        Part { step, lo: r.lo, hi: r.hi }
    }
}

/// Reads sums of products with constants as if nothing wrapped: a fetch is a hint.
impl Reader for Search<'_> {
    fn exprs(&self) -> &Exprs {
        &self.p.exprs
    }

    fn polys(&mut self) -> &mut Polys {
        &mut self.polys
    }

    fn reading(&self) -> Reading {
        Reading::Residues
    }

    fn opens(&mut self, e: ExprId) -> bool {
        match self.p.exprs.expr(e) {
            Expr::Var(_) => true,
            Expr::Bin(BinOp::Sub | BinOp::Shl, ..) => false,
            _ => is_sum(&self.p.exprs, e),
        }
    }

    fn bound(&mut self, v: VarId) -> Option<ExprId> {
        self.lets[v.0 as usize]
    }

    fn recall(&mut self, e: ExprId) -> Option<Word> {
        self.words.get(&e).copied()
    }

    fn note(&mut self, e: ExprId, word: Word) {
        self.words.insert(e, word);
    }
}

#[cfg(test)]
mod tests;
