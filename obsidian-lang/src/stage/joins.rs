//! Joining the push arrays of a level into one of the level above, or of the same (JFP 2016 §4.3), and where their elements
//! go (FCL 2016).

use std::rc::Rc;

use super::Stage;
use super::arrays::UNROLL;
use super::registers::Instance;
use super::value::{Opened, Pull, Push, Value, Writer};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Block, Claim, ExprId, StmtKind};

/// The most virtual blocks of a grid. There are at most 2^31 - 1 real ones, so that the sum of the two does not wrap.
pub(super) const MAX_BLOCKS: u32 = 1 << 31;

/// Where the elements of joined arrays go.
pub(super) trait Placement {
    /// The index of element `j` of array `i`; the arrays have `len` elements.
    fn index(&self, s: &mut Stage, i: ExprId, len: ExprId, j: ExprId) -> Result<ExprId>;

    /// Why `n` arrays of `len` elements fill `0 .. n * len`, each place once.
    fn check(&self, _: &mut Stage, _n: ExprId, _len: ExprId) -> Result<Claim> {
        Ok(Claim::ByConstruction)
    }
}

/// One array after the other.
struct AfterOneAnother;

impl Placement for AfterOneAnother {
    fn index(&self, s: &mut Stage, i: ExprId, len: ExprId, j: ExprId) -> Result<ExprId> {
        let base = s.bin(BinOp::Mul, i, len);
        Ok(s.bin(BinOp::Add, base, j))
    }
}

impl Stage {
    /// Joins push arrays of `inner` into one of `outer`: in parallel where the level above is asked for, in sequence
    /// where it is the same (`liftPar`, `liftSeq`, `liftIn` of JFP 2016 §4.3).
    pub(super) fn distribute(&self, arrays: Pull, inner: Level, outer: Level) -> Push {
        let span = self.span;
        let open = move |s: &mut Stage| s.at(span, |s| s.open_joined(arrays.clone(), inner, outer));
        Push { len: None, stored: None, open: Rc::new(open) }
    }

    /// As [`Stage::distribute`], the elements with_places by `place` (FCL's `interleave`).
    pub(super) fn distribute_at(&self, arrays: Pull, inner: Level, outer: Level, place: Rc<dyn Placement>) -> Push {
        let span = self.span;
        let open = move |s: &mut Stage| s.at(span, |s| s.open_distributed(arrays.clone(), inner, outer, place.clone()));
        Push { len: None, stored: None, open: Rc::new(open) }
    }

    /// Joins the blocks' arrays as the rows of a matrix: all have one length.
    pub(super) fn distribute_rows(&self, arrays: Pull) -> Push {
        let span = self.span;
        let open = move |s: &mut Stage| {
            s.at(span, |s| {
                let most = s.u32(MAX_BLOCKS);
                let countable = s.bin(BinOp::Le, arrays.len, most);
                let message = "the matrix would have more than 2^31 rows, each a block's".to_string();
                s.demand(countable, arrays.len, message, "give a block several rows")?;
                s.open_distributed(arrays.clone(), Level::Block, Level::Grid, Rc::new(AfterOneAnother))
            })
        };
        Push { len: None, stored: None, open: Rc::new(open) }
    }

    /// The rows of a matrix, each written by a block.
    pub(super) fn push_of_rows(&self, m: Pull) -> Push {
        let rows = Pull::new(m.len, move |s, i| {
            let row = (m.get)(s, i)?.pull(s)?;
            Ok(Value::Push(s.push_of(row, Level::Block)))
        });
        self.distribute_rows(rows)
    }

    /// The same elements as those of the rows of a matrix.
    pub(super) fn as_rows(&self, xs: Push, rows: ExprId, cols: ExprId) -> Push {
        let (span, len) = (self.span, xs.len);
        let open = move |s: &mut Stage| {
            s.at(span, |s| {
                let opened = (xs.open)(s)?;
                let product = s.bin(BinOp::Mul, rows, cols);
                let fits = s.bin(BinOp::Eq, product, opened.len);
                let message = format!("rows times columns must be {}", s.describe(opened.len));
                s.demand(fits, product, message, "`as_rows(rows, cols)` shapes all elements, and no others")?;
                Ok(Opened { rows: Some((rows, cols)), ..opened })
            })
        };
        Push { len, stored: None, open: Rc::new(open) }
    }

    fn open_joined(&mut self, arrays: Pull, inner: Level, outer: Level) -> Result<Opened> {
        match self.cut_into(arrays.len) {
            Some(cut) if (inner, outer) == (Level::Block, Level::Grid) => self.open_chunked_grid(&arrays, cut),
            _ => self.open_distributed(arrays, inner, outer, Rc::new(AfterOneAnother)),
        }
    }

    fn open_distributed(
        &mut self,
        arrays: Pull,
        inner: Level,
        outer: Level,
        place: Rc<dyn Placement>,
    ) -> Result<Opened> {
        let n = arrays.len;
        let sequential = inner == outer;
        let most = if sequential || outer == Level::Grid { n } else { self.most_arrays(n, inner, outer)? };
        if sequential && self.p.exprs.as_u32(n).is_some_and(|n| n <= UNROLL) && outer == Level::Thread {
            return self.open_unrolled(arrays, inner, place);
        }
        let (var, i) = self.index_var(index_name(inner), most);
        let threads = !sequential && inner == Level::Thread;
        let instance = Instance { number: i, of: most };
        let (code, opened) = self.capture(|s| match threads {
            true => s.in_instance(outer, instance, |s| s.open_inner(&arrays, i, inner)),
            false => s.open_inner(&arrays, i, inner),
        })?;
        let inner_len = self.one_len(opened.len)?;
        if outer == Level::Grid {
            self.demand_countable(n, inner_len)?;
        }
        let claim = place.check(self, n, inner_len)?;
        let len = self.bin(BinOp::Mul, n, inner_len);
        let span = self.span;
        let write = move |s: &mut Stage, w: &Writer| {
            let w = at_places(w, &place, i, inner_len);
            let finish = |s: &mut Stage| s.under(inner, |s| s.with_places(claim, |s| (opened.write)(s, &w)));
            let body = s.resume(code, |s| match threads {
                true => s.in_instance(outer, instance, finish),
                false => finish(s),
            })?;
            let body = s.where_below(i, n, most, body)?;
            let kind = match (outer, inner) {
                _ if sequential => {
                    let (start, step) = (s.u32(0), s.u32(1));
                    StmtKind::SeqFor { var, start, end: n, step, body }
                }
                (_, Level::Thread) => StmtKind::ForAll { level: outer, var, n: most, body },
                _ => StmtKind::DistrPar { level: inner, var, n: most, body },
            };
            if outer == Level::Grid {
                s.p.blocks = s.bin(BinOp::Max, s.p.blocks, n);
            }
            s.at(span, |s| s.emit(kind))
        };
        Ok(Opened { rows: Some((n, inner_len)), ..Opened::new(len, write) })
    }

    /// The length of each of the joined arrays: known while compiling, or at launch, so that all have the same.
    pub(super) fn one_len(&mut self, len: ExprId) -> Result<ExprId> {
        if !self.p.exprs.known_at_launch(len) {
            self.known_len(len, "each of the joined arrays")?;
        }
        Ok(len)
    }

    /// How many arrays there can be that a level joins in parallel.
    fn most_arrays(&mut self, n: ExprId, inner: Level, outer: Level) -> Result<ExprId> {
        if let Some(most) = self.bound(n) {
            return Ok(self.u32(most));
        }
        // The threads of a block or a warp take as many as there are, as they do with elements.
        if inner == Level::Thread && self.p.exprs.known_at_launch(n) {
            return Ok(n);
        }
        self.known_len(n, &format!("the number of arrays joined at `{outer}`"))?;
        Ok(n)
    }

    /// Code that is done for the indices below `n` of the `most` that there can be.
    pub(super) fn where_below(&mut self, i: ExprId, n: ExprId, most: ExprId, code: Block) -> Result<Block> {
        if n == most {
            return Ok(code);
        }
        let cond = self.bin(BinOp::Lt, i, n);
        self.capture(|s| s.emit(StmtKind::If { cond, then: code, els: Vec::new() })).map(|(code, ())| code)
    }

    /// Demands that the length of `n` arrays of `inner_len` elements is a `u32`, so that no index wraps, and that the
    /// number of a block plus the size of the grid is one too: a block goes on to that number.
    pub(super) fn demand_countable(&mut self, n: ExprId, inner_len: ExprId) -> Result<()> {
        let Some(most) = self.p.exprs.as_u32(inner_len).and_then(|l| u32::MAX.checked_div(l)) else { return Ok(()) };
        let most = self.u32(most.min(MAX_BLOCKS));
        let cond = self.bin(BinOp::Le, n, most);
        let message =
            "the output would have more than 2^32 - 1 elements, or the grid more than 2^31 blocks".to_string();
        self.demand(cond, n, message, "make fewer or shorter arrays: lengths and indices are `u32`")
    }

    pub(super) fn open_inner(&mut self, arrays: &Pull, i: ExprId, inner: Level) -> Result<Opened> {
        self.under(inner, |s| {
            let push = (arrays.get)(s, i)?.push(s)?;
            (push.open)(s)
        })
    }

    /// Emits writes whose places are right for the reason `claim`, unless the reason around them is weaker.
    pub(super) fn with_places<R>(&mut self, claim: Claim, f: impl FnOnce(&mut Stage) -> Result<R>) -> Result<R> {
        let claim = if claim == Claim::ByConstruction { self.claim } else { claim };
        self.claiming(claim, f)
    }

    /// A few arrays one after the other in one thread.
    fn open_unrolled(&mut self, arrays: Pull, inner: Level, place: Rc<dyn Placement>) -> Result<Opened> {
        let n = self.p.exprs.as_u32(arrays.len).unwrap_or(0);
        if n == 0 {
            let len = self.u32(0);
            return Ok(Opened::new(len, |_, _| Ok(())));
        }
        let zero = self.u32(0);
        let (code, first) = self.capture(|s| s.open_inner(&arrays, zero, inner))?;
        let inner_len = self.known_len(first.len, "each of the joined arrays")?;
        let len = self.u32(inner_len.saturating_mul(n));
        let claim = place.check(self, arrays.len, first.len)?;
        let write = move |s: &mut Stage, w: &Writer| {
            for stmt in code {
                if let Some(list) = s.lists.last_mut() {
                    list.push(stmt);
                }
            }
            let mut next = Some(first);
            for k in 0..n {
                let i = s.u32(k);
                let opened = match next.take() {
                    Some(first) => first,
                    None => s.open_inner(&arrays, i, inner)?,
                };
                let other = s.known_len(opened.len, "each of the joined arrays")?;
                if other != inner_len {
                    return Err(s.unequal(inner_len, other));
                }
                let w = at_places(w, &place, i, opened.len);
                s.under(inner, |s| s.with_places(claim, |s| (opened.write)(s, &w)))?;
            }
            Ok(())
        };
        Ok(Opened::new(len, write))
    }
}

/// A writer of array `i` of `len` elements to where they are with_places.
fn at_places(w: &Writer, place: &Rc<dyn Placement>, i: ExprId, len: ExprId) -> Writer {
    let (w, place) = (w.clone(), place.clone());
    Rc::new(move |s, v, j| {
        let at = place.index(s, i, len, j)?;
        w(s, v, at)
    })
}

fn index_name(inner: Level) -> &'static str {
    match inner {
        Level::Block => "b",
        Level::Warp => "w",
        _ => "t",
    }
}
