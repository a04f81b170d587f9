//! Arrays of any length, cut into chunks of one length and a shorter last one, and grids over such chunks: the body is
//! evaluated for a whole chunk and for the last one, and a block does the one or the other.

use std::rc::Rc;

use super::Stage;
use super::arrays::shifted;
use super::value::{Opened, Pull, Push, Value, Writer};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Block, ExprId, Range, ScalarType, StmtKind};

/// The bytes of the widest access.
const ACCESS: u32 = 16;
/// The most elements of one access.
const MAX_RUN: u32 = 4;

/// What a thread takes where the number is the compiler's choice: as many elements as fill two accesses, and at least four.
#[derive(Clone, Copy)]
struct Share {
    elements: u32,
    /// Neighbours that may be one access.
    run: u32,
}

/// A chunk whose place is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunk {
    /// It is a whole one.
    Whole,
    /// It is the last, and shorter.
    Last,
}

/// How an array of `len` elements is cut: `whole` chunks of `n` elements and `more`, which is one or none, of `rest`.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    len: ExprId,
    n: ExprId,
    whole: ExprId,
    more: ExprId,
    rest: ExprId,
}

/// The last chunk, while the code of its block is made.
pub(super) struct LastChunk {
    /// Its length: 0 where there is none.
    rest: ExprId,
    /// What its code demands of the launch.
    demanded: Vec<ExprId>,
}

impl Cut {
    /// The number of whole chunks.
    pub(super) fn whole(self) -> ExprId {
        self.whole
    }
}

impl Stage {
    /// Chunks of `n` neighbours; the last has what is left.
    pub(super) fn chunks(&mut self, xs: &Pull, n: ExprId) -> Result<Pull> {
        let zero = self.u32(0);
        let some = self.bin(BinOp::Gt, n, zero);
        self.demand(some, n, "a chunk must have an element".to_string(), "`chunks(n)`, `n` at least 1")?;
        let (whole, rest) = (self.bin(BinOp::Div, xs.len, n), self.bin(BinOp::Rem, xs.len, n));
        let one = self.u32(1);
        let more = self.bin(BinOp::Min, rest, one);
        let count = self.bin(BinOp::Add, whole, more);
        let is = |s: &Stage, e, v| s.p.exprs.as_u32(e) == Some(v);
        let cut = Cut { len: xs.len, n, whole, more, rest };
        let one = is(self, whole, 0) && self.p.exprs.as_u32(rest).is_some();
        if !is(self, rest, 0) && !one {
            self.cuts.insert(count, cut);
        }
        let xs = xs.clone();
        Ok(Pull::new(count, move |s, i| {
            let len = s.chunk_len(cut, count, i);
            let first = s.bin(BinOp::Mul, i, n);
            let xs = xs.clone();
            Ok(Value::Pull(Pull::new(len, move |s, j| {
                let at = s.bin(BinOp::Add, first, j);
                (xs.get)(s, at)
            })))
        }))
    }

    /// The length of chunk `i`: known where its place is.
    fn chunk_len(&mut self, cut: Cut, count: ExprId, i: ExprId) -> ExprId {
        let known = |s: &Stage, e| s.p.exprs.as_u32(e);
        match self.placed.get(&(count, i)) {
            Some(Chunk::Whole) => cut.n,
            Some(Chunk::Last) => cut.rest,
            None => match (known(self, i), known(self, cut.whole), known(self, cut.rest)) {
                (_, _, Some(0)) => cut.n,
                (_, Some(0), _) => cut.rest,
                (Some(i), Some(whole), _) if i < whole => cut.n,
                _ => {
                    let first = self.bin(BinOp::Mul, i, cut.n);
                    let left = self.bin(BinOp::Sub, cut.len, first);
                    self.left.insert(left);
                    self.bin(BinOp::Min, cut.n, left)
                }
            },
        }
    }

    /// How the array was cut whose chunks are as many as `n`, or what is made of them.
    pub(super) fn cut_into(&self, n: ExprId) -> Option<Cut> {
        self.cuts.get(&n).copied()
    }

    /// A grid over chunks: blocks of whole chunks do what the body is for such a one, and the last block what it is for the
    /// last chunk.
    pub(super) fn open_chunked_grid(&mut self, arrays: &Pull, cut: Cut) -> Result<Opened> {
        let (count, whole, span) = (arrays.len, cut.whole, self.span);
        let (var, b) = self.index_var("b", count);
        if self.p.exprs.as_u32(whole) == Some(0) {
            return self.open_last_alone(arrays, cut);
        }
        self.placed.insert((count, b), Chunk::Whole);
        self.placed.insert((count, whole), Chunk::Last);
        let (code, all) = self.capture(|s| s.open_inner(arrays, b, Level::Block))?;
        let ((last_code, last), demanded) =
            self.of_last(cut, Vec::new(), |s| s.capture(|s| s.open_inner(arrays, whole, Level::Block)))?;
        let each = self.one_len(all.len)?;
        // Rows of one length are told apart by their numbers, so that a place is a row's and one in it.
        let (row, len) = match row_of_each(cut, all.rows, last.rows) {
            Some(row) => {
                let one = self.u32(1);
                self.demand_countable(count, one)?;
                (Some(row), self.bin(BinOp::Mul, cut.len, row))
            }
            None => (None, self.chunked_len(arrays.len, cut, each, last.len)?),
        };
        let first_of = move |s: &mut Stage, chunk: ExprId| match row {
            Some(row) => {
                let first = s.bin(BinOp::Mul, chunk, cut.n);
                s.bin(BinOp::Mul, first, row)
            }
            None => s.bin(BinOp::Mul, chunk, each),
        };
        let write = move |s: &mut Stage, w: &Writer| {
            let then = s.resume(code, |s| {
                let base = first_of(s, b);
                (all.write)(s, &shifted(w, base))
            })?;
            let before = first_of(s, whole);
            let (els, demanded) =
                s.of_last(cut, demanded, |s| s.resume(last_code, |s| (last.write)(s, &shifted(w, before))))?;
            let els = s.where_all(&demanded, els)?;
            let cond = s.bin(BinOp::Lt, b, whole);
            let (body, ()) = s.capture(|s| s.emit(StmtKind::If { cond, then, els }))?;
            s.p.blocks = s.bin(BinOp::Max, s.p.blocks, count);
            s.at(span, |s| s.emit(StmtKind::DistrPar { level: Level::Block, var, n: count, body }))
        };
        Ok(Opened::new(len, write))
    }

    /// A grid over a single chunk, if there is any: of an array that is known to be shorter than a chunk.
    fn open_last_alone(&mut self, arrays: &Pull, cut: Cut) -> Result<Opened> {
        let (count, span) = (arrays.len, self.span);
        // The proofs find that it is 0, and that there is an element then.
        let var = self.p.new_var("b", ScalarType::U32, false, Range::new(0, 1));
        let b = self.p.exprs.var(var);
        self.placed.insert((count, b), Chunk::Last);
        let ((code, last), demanded) =
            self.of_last(cut, Vec::new(), |s| s.capture(|s| s.open_inner(arrays, b, Level::Block)))?;
        let len = self.chunked_len(count, cut, cut.n, last.len)?;
        let write = move |s: &mut Stage, w: &Writer| {
            let (body, demanded) = s.of_last(cut, demanded, |s| {
                s.resume(code, |s| {
                    let base = s.bin(BinOp::Mul, b, cut.n);
                    (last.write)(s, &shifted(w, base))
                })
            })?;
            let body = s.where_all(&demanded, body)?;
            s.p.blocks = s.bin(BinOp::Max, s.p.blocks, count);
            s.at(span, |s| s.emit(StmtKind::DistrPar { level: Level::Block, var, n: count, body }))
        };
        Ok(Opened::new(len, write))
    }

    /// Code of the block of the last chunk, and what it demands of the launch.
    fn of_last<R>(
        &mut self,
        cut: Cut,
        demanded: Vec<ExprId>,
        f: impl FnOnce(&mut Stage) -> Result<R>,
    ) -> Result<(R, Vec<ExprId>)> {
        let outer = self.last_chunk.replace(LastChunk { rest: cut.rest, demanded });
        let result = f(self);
        let last = std::mem::replace(&mut self.last_chunk, outer);
        Ok((result?, last.map(|last| last.demanded).unwrap_or_default()))
    }

    /// What a launch must satisfy so that `cond` holds here: nothing where there is no last chunk, and this is its code.
    pub(super) fn demanded_here(&mut self, cond: ExprId) -> ExprId {
        let Some(last) = &mut self.last_chunk else { return cond };
        if !last.demanded.contains(&cond) {
            last.demanded.push(cond);
        }
        let rest = last.rest;
        let zero = self.u32(0);
        let none = self.bin(BinOp::Eq, rest, zero);
        self.bin(BinOp::Or, none, cond)
    }

    /// Whether this is the length of the last chunk, whose code is being made.
    pub(super) fn is_last_chunk(&self, len: ExprId) -> bool {
        self.last_chunk.as_ref().is_some_and(|last| last.rest == len)
    }

    /// Code of the last chunk's block under what it demanded: the launch has seen to it, and the proofs see it here.
    fn where_all(&mut self, demanded: &[ExprId], code: Block) -> Result<Block> {
        let Some(cond) = demanded.iter().copied().reduce(|a, b| self.bin(BinOp::And, a, b)) else { return Ok(code) };
        self.capture(|s| s.emit(StmtKind::If { cond, then: code, els: Vec::new() })).map(|(code, ())| code)
    }

    /// How many elements the blocks write together: `each` for a whole chunk, and `last` for the last one.
    fn chunked_len(&mut self, count: ExprId, cut: Cut, each: ExprId, last: ExprId) -> Result<ExprId> {
        if (each, last) == (cut.n, cut.rest) {
            let one = self.u32(1);
            self.demand_countable(count, one)?;
            return Ok(cut.len);
        }
        self.demand_countable(count, each)?;
        let (before, none) = (self.bin(BinOp::Mul, cut.whole, each), self.u32(0));
        let after = if self.p.exprs.as_u32(last).is_some() {
            self.bin(BinOp::Mul, cut.more, last)
        } else {
            let more = self.bin(BinOp::Gt, cut.rest, none);
            self.p.exprs.select(more, last, none)
        };
        Ok(self.bin(BinOp::Add, before, after))
    }

    /// A pull array as a push array of the grid: each block takes what the author says, else some elements for each of its threads; in
    /// whole chunks neighbours a thread, so that several are one access.
    pub(super) fn push_of_grid(&self, xs: Pull) -> Push {
        let (len, stored, span) = (xs.len, xs.stored, self.span);
        let open = move |s: &mut Stage| {
            s.at(span, |s| {
                let share = s.share_of_thread(&xs)?;
                let n = s.per_block.unwrap_or_else(|| s.threads() * share.elements);
                s.shared_out = true;
                let n = s.u32(n);
                let chunks = s.chunks(&xs, n)?;
                let blocks = Pull::new(chunks.len, move |s, i| {
                    let chunk = (chunks.get)(s, i)?.pull(s)?;
                    let whole = s.p.exprs.as_u32(chunk.len).is_some_and(|n| n.is_multiple_of(share.run));
                    Ok(Value::Push(if whole { s.push_runs(chunk, share.run) } else { s.push_of(chunk, Level::Block) }))
                });
                let opened = (s.distribute(blocks, Level::Block, Level::Grid).open)(s)?;
                Ok(Opened { len: xs.len, ..opened })
            })
        };
        Push { len: Some(len), stored, open: Rc::new(open) }
    }

    /// What a thread of a grid over an array takes.
    fn share_of_thread(&mut self, xs: &Pull) -> Result<Share> {
        let (_, i) = self.index_var("i", xs.len);
        let (_, element) = self.capture(|s| s.under(Level::Thread, |s| (xs.get)(s, i)))?;
        let bytes = element.leaves(self)?.into_iter().map(|e| self.p.exprs.ty(e).bytes()).max().unwrap_or(1);
        Ok(Share { elements: (2 * ACCESS / bytes).max(MAX_RUN), run: (ACCESS / bytes).min(MAX_RUN) })
    }

    /// A block's push array, `k` neighbours a thread; `k` divides the length, which is known.
    fn push_runs(&self, xs: Pull, k: u32) -> Push {
        let span = self.span;
        Push::new(xs.len, move |s, w| {
            let (xs, w) = (xs.clone(), w.clone());
            s.at(span, |s| {
                let run = s.u32(k);
                let rounds = s.bin(BinOp::Div, xs.len, run);
                s.loop_at(Level::Block, rounds, "i", &mut |s, t| {
                    let first = s.bin(BinOp::Mul, t, run);
                    let places: Vec<ExprId> = (0..k).map(|j| s.u32(j)).collect();
                    let places: Vec<ExprId> = places.into_iter().map(|j| s.bin(BinOp::Add, first, j)).collect();
                    let values = places.iter().map(|&i| (xs.get)(s, i)).collect::<Result<Vec<_>>>()?;
                    values.into_iter().zip(places).try_for_each(|(v, i)| w(s, v, i))
                })
            })
        })
    }
}

/// The length of the row that each element of each chunk becomes, where both chunks make rows of one length.
fn row_of_each(cut: Cut, all: Option<(ExprId, ExprId)>, last: Option<(ExprId, ExprId)>) -> Option<ExprId> {
    let ((whole, row), (rest, other)) = (all?, last?);
    ((whole, rest) == (cut.n, cut.rest) && row == other).then_some(row)
}
