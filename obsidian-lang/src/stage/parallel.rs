//! Programs over a level: instances of thread code, instances of a lower level's programs, loops of a whole level, and
//! push arrays that their author writes element by element.

use std::rc::Rc;

use super::eval::native;
use super::joins::MAX_BLOCKS;
use super::value::{Func, Opened, Pull, Push, Value, Writer};
use super::{Extend, Stage};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, ExprId, StmtKind};

/// The most stages of a pipeline: each is a tile in shared memory.
const MAX_STAGES: u32 = 16;

impl Stage {
    /// `f(0) .. f(n - 1)`, thread code shared out over a level.
    pub(super) fn for_all(&mut self, level: Level, n: ExprId, f: &Func) -> Result<()> {
        if level != Level::Grid {
            return self.loop_at(level, n, "i", &mut |s, i| s.call_at(Level::Thread, f, i));
        }
        // Each block takes one instance per thread.
        let width = self.threads();
        let threads = self.u32(width);
        let most = self.u32((u32::MAX - width).min(MAX_BLOCKS.saturating_mul(width)));
        let cond = self.bin(BinOp::Le, n, most);
        let message = "the number of instances is too large for a grid of this many threads a block".to_string();
        self.demand(cond, n, message, "indices are `u32`, and a grid has at most 2^31 blocks")?;
        let last = self.u32(width - 1);
        let padded = self.bin(BinOp::Add, n, last);
        let blocks = self.bin(BinOp::Div, padded, threads);
        self.distribute_blocks(blocks, &mut |s, b| {
            let base = s.bin(BinOp::Mul, b, threads);
            s.loop_at(Level::Block, threads, "t", &mut |s, t| {
                let i = s.bin(BinOp::Add, base, t);
                let inside = s.bin(BinOp::Lt, i, n);
                if s.p.exprs.as_const(inside).is_some_and(|c| c.bits != 0) {
                    return s.call_at(Level::Thread, f, i);
                }
                let (then, ()) = s.capture(|s| s.call_at(Level::Thread, f, i))?;
                s.emit(StmtKind::If { cond: inside, then, els: Vec::new() })
            })
        })
    }

    /// `f(0) .. f(n - 1)`, programs of `inner` side by side in the level above.
    pub(super) fn distr_par(&mut self, inner: Level, n: ExprId, f: &Func) -> Result<()> {
        match inner {
            Level::Block => {
                let most = self.u32(MAX_BLOCKS);
                let cond = self.bin(BinOp::Le, n, most);
                let message = "the grid would have more than 2^31 blocks".to_string();
                self.demand(cond, n, message, "make fewer of them")?;
                self.distribute_blocks(n, &mut |s, b| s.call_at(Level::Block, f, b))
            }
            Level::Warp => {
                self.known_len(n, "`distr_par` over warps")?;
                let (var, w) = self.index_var("w", n);
                let (body, ()) = self.capture(|s| s.call_at(Level::Warp, f, w))?;
                self.emit(StmtKind::DistrPar { level: Level::Warp, var, n, body })
            }
            _ => self.loop_at(Level::Warp, n, "t", &mut |s, t| s.call_at(Level::Thread, f, t)),
        }
    }

    fn distribute_blocks(&mut self, n: ExprId, body: &mut dyn FnMut(&mut Stage, ExprId) -> Result<()>) -> Result<()> {
        let (var, b) = self.index_var("b", n);
        let (code, ()) = self.capture(|s| body(s, b))?;
        self.p.blocks = self.bin(BinOp::Max, self.p.blocks, n);
        self.emit(StmtKind::DistrPar { level: Level::Block, var, n, body: code })
    }

    /// `f(0)`, then `f(1)` .. `f(n - 1)`: a loop of the whole level.
    pub(super) fn seq_for(&mut self, level: Level, n: ExprId, f: &Func) -> Result<()> {
        match (level, self.p.exprs.as_u32(n)) {
            (Level::Thread, _) | (_, Some(0 | 1)) => self.seq_loop(n, "k", &mut |s, k| s.call_at(level, f, k)),
            _ => {
                let (var, k) = self.index_var("k", n);
                let (body, ()) = self.capture(|s| s.call_at(level, f, k))?;
                let (start, step) = (self.u32(0), self.u32(1));
                self.emit(StmtKind::SeqFor { var, start, end: n, step, body })
            }
        }
    }

    /// As `seq_for` of a block, whose round `k` stores what `load` gives and does `work` with it: loads of later rounds may begin
    /// before.
    pub(super) fn pipeline(&mut self, depth: ExprId, n: ExprId, load: &Func, work: &Func) -> Result<()> {
        let stages = self.known_len(depth, "the depth of a pipeline")?;
        if !(1..=MAX_STAGES).contains(&stages) {
            let message = format!("a pipeline of depth {stages}: it has 1 to {MAX_STAGES} stages");
            return Err(self
                .error("OB035", message)
                .map_help("2 or 3 hide the time of a load: `pipeline(2, n, load, work)`"));
        }
        let (load, work) = (load.clone(), work.clone());
        let round: Func = native(move |s, args| {
            let loaded = s.apply(&load, args.clone())?;
            let tile = s.compute_staged(loaded, stages)?;
            s.apply(&work, vec![args[0].clone(), tile])
        });
        self.seq_for(Level::Block, n, &round)
    }

    fn call_at(&mut self, level: Level, f: &Func, i: ExprId) -> Result<()> {
        self.under(level, |s| s.apply(f, vec![Value::Scalar(i)])).map(|_| ())
    }

    /// A push array of `n` elements that `f` writes through the function it is given.
    pub(super) fn written_by(&self, level: Level, n: ExprId, f: Func) -> Push {
        let span = self.span;
        Push::new(n, move |s, w| {
            let write = s.chosen_writes(w);
            s.at(span, |s| s.under(level, |s| s.apply(&f, vec![Value::Fn(write)])).map(|_| ()))
        })
    }

    /// `write(x, i)` for the author, who chooses the index.
    pub(super) fn chosen_writes(&self, w: &Writer) -> Func {
        let w = w.clone();
        native(move |s, args| {
            let (v, i) = (args[0].clone(), args[1].scalar(s)?);
            s.claiming(s.chosen(), |s| w(s, v, i))?;
            Ok(Value::unit())
        })
    }

    /// Passes the elements of a push array to `write`.
    pub(super) fn hand_over(&mut self, xs: &Push, write: Func) -> Result<()> {
        let opened = (xs.open)(self)?;
        let writer: Writer = Rc::new(move |s, v, i| {
            let args = vec![v, Value::Scalar(i)];
            s.under(Level::Thread, |s| s.apply(&write, args)).map(|_| ())
        });
        (opened.write)(self, &writer)
    }

    /// A loop of the level that carries a state: round `k` gives the next state and the elements of its part.
    pub(super) fn map_accum(&self, level: Level, parts: Pull, init: Value, f: Func) -> Push {
        let span = self.span;
        Push { len: None, stored: None, open: Rc::new(move |s| s.at(span, |s| s.open_accum(level, &parts, &init, &f))) }
    }

    fn open_accum(&mut self, level: Level, parts: &Pull, init: &Value, f: &Func) -> Result<Opened> {
        let n = parts.len;
        // Without rounds no part is asked for, since there may be none: `seq_scan` of one element walks an empty tail.
        if self.p.exprs.as_u32(n) == Some(0) {
            return Ok(Opened::new(n, |_, _| Ok(())));
        }
        let state = self.loop_state(init)?;
        let acc = self.read_state(&state);
        let (var, k) = self.index_var("k", n);
        let (code, (next, opened)) = self.capture(|s| {
            s.under(level, |s| {
                let part = (parts.get)(s, k)?;
                match s.apply(f, vec![acc, part])? {
                    Value::Tuple(pair) if pair.len() == 2 => {
                        let opened = (pair[1].push(s)?.open)(s)?;
                        Ok((pair[0].clone(), opened))
                    }
                    other => Err(super::confused(s, "a pair", &other)),
                }
            })
        })?;
        let part_len = opened.len;
        self.known_len(part_len, "each part of the result")?;
        let len = self.bin(BinOp::Mul, n, part_len);
        self.demand_countable(n, part_len)?;
        let write = move |s: &mut Stage, w: &Writer| {
            let body = s.resume(code, |s| {
                let base = s.bin(BinOp::Mul, k, part_len);
                (opened.write)(s, &super::arrays::shifted(w, base))?;
                s.write_state(&state, &next)
            })?;
            let (start, step) = (s.u32(0), s.u32(1));
            s.emit(StmtKind::SeqFor { var, start, end: n, step, body })
        };
        Ok(Opened::new(len, write))
    }
}
