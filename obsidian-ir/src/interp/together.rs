//! Threads of a real block, led through machine code together: a statement is done by all threads that are at it before the next
//! begins, as if the whole block were one warp. Races do not hide behind that order: what is not ordered by a barrier is one.
//!
//! All threads of a block must reach its barriers, and all lanes of a warp its barriers and shuffles.

use super::fault::{Fault, Ran, Who};
use super::run::{FirstBlock, Machine};
use crate::level::Level;
use crate::program::walk::Kind;
use crate::program::{
    ArrayId, BinOp, Block, Const, Expr, ExprId, ScalarType, ShuffleKind, Special, Stmt, StmtKind, VarId, arith,
};

/// A branch, or a loop's next round: the threads for which something holds.
type Threads = Vec<u32>;

impl Machine<'_, '_> {
    /// Runs the program on the given number of real blocks, one after the other.
    pub(super) fn real_blocks(&mut self, blocks: u32) -> Ran {
        let threads: Threads = (0..self.program.threads).collect();
        self.frames = vec![vec![None; self.program.vars.len()]; threads.len()];
        self.memory.threads(threads.len());
        self.here.level = Level::Thread;
        for block in 0..blocks {
            self.real = Some((block, blocks));
            // Another block's shared memory is another.
            self.epoch += 1;
            self.memory.clear_shared();
            self.copies.clear();
            let program = self.program;
            self.together(&program.body, &threads)?;
        }
        Ok(())
    }

    /// Goes on as a thread.
    fn enter(&mut self, t: u32) {
        let block = self.real.map_or(0, |(block, _)| block);
        self.frame = t as usize;
        self.memory.thread = t as usize;
        self.here.who = Who { block, from: t, to: t + 1 };
        self.here.warp = Some(t / 32);
        (self.here.asked.instance, self.here.asked.of) = (t.into(), Some(Level::Block));
    }

    fn together(&mut self, list: &Block, threads: &[u32]) -> Ran {
        // A branch that nobody takes.
        if threads.is_empty() {
            return Ok(());
        }
        list.iter().try_for_each(|stmt| self.step(stmt, threads))
    }

    fn step(&mut self, stmt: &Stmt, threads: &[u32]) -> Ran {
        match &stmt.kind {
            StmtKind::Shuffle { var, value, kind, lane } => {
                self.at(stmt);
                self.shuffle(*var, (*value, *kind, *lane), threads)
            }
            StmtKind::If { cond, then, els } => {
                let (yes, no) = self.split(stmt, *cond, threads)?;
                self.together(then, &yes)?;
                self.together(els, &no)
            }
            StmtKind::SeqFor { .. } => self.counted(stmt, threads),
            StmtKind::SeqWhile { head, cond, body } => {
                let mut active = threads.to_vec();
                loop {
                    self.together(head, &active)?;
                    active = self.split(stmt, *cond, &active)?.0;
                    if active.is_empty() {
                        return Ok(());
                    }
                    self.begin_round()?;
                    self.together(body, &active)?;
                }
            }
            StmtKind::Sync { scope } => self.wait(*scope, threads),
            _ => threads.iter().try_for_each(|&t| {
                self.enter(t);
                self.stmt(stmt)
            }),
        }
    }

    /// The threads for which a condition holds, and the others.
    fn split(&mut self, stmt: &Stmt, cond: ExprId, threads: &[u32]) -> Ran<(Threads, Threads)> {
        self.at(stmt);
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for &t in threads {
            self.enter(t);
            if self.bits(cond)? != 0 { yes.push(t) } else { no.push(t) }
        }
        Ok((yes, no))
    }

    /// A loop; its end and step are looked at in each round, as printed code does.
    fn counted(&mut self, stmt: &Stmt, threads: &[u32]) -> Ran {
        let StmtKind::SeqFor { var, start, end, step, body } = &stmt.kind else { return Ok(()) };
        self.at(stmt);
        let mut at = Vec::new();
        for &t in threads {
            self.enter(t);
            at.push((t, self.bits(*start)?));
        }
        let over_blocks = self.program.exprs.expr(*start) == Expr::Special(Special::BlockIdx);
        let mut taken = over_blocks && self.first == FirstBlock::Taken;
        loop {
            self.at(stmt);
            let mut active = Vec::new();
            let untested = std::mem::take(&mut taken);
            for &(t, i) in &at {
                self.enter(t);
                if untested || i < self.bits(*end)? {
                    self.give(*var, i)?;
                    active.push((t, i));
                }
            }
            if active.is_empty() {
                return Ok(());
            }
            self.begin_round()?;
            let threads: Threads = active.iter().map(|(t, _)| *t).collect();
            self.together(body, &threads)?;
            self.at(stmt);
            at.clear();
            for (t, i) in active {
                self.enter(t);
                let step = self.bits(*step)?;
                if step == 0 {
                    return Err(Fault::Malformed("a loop has step 0".into()).into());
                }
                at.push((t, i + step));
            }
        }
    }

    fn wait(&mut self, scope: Level, threads: &[u32]) -> Ran {
        if scope == Level::Block {
            if threads.len() as u32 != self.program.threads {
                return Err(Fault::Malformed("a barrier that some threads of the block do not reach".into()).into());
            }
            self.epoch += 1;
            return Ok(());
        }
        for warp in threads.chunk_by(|a, b| a / 32 == b / 32) {
            if warp.len() as u32 != self.program.lanes() {
                return Err(Fault::Malformed("a barrier that some lanes of the warp do not reach".into()).into());
            }
            self.warp_epochs[warp[0] as usize / 32] += 1;
        }
        Ok(())
    }

    /// All lanes of each warp at once.
    fn shuffle(&mut self, var: VarId, (value, kind, lane): (ExprId, ShuffleKind, ExprId), threads: &[u32]) -> Ran {
        for warp in threads.chunk_by(|a, b| a / 32 == b / 32) {
            if warp.len() != 32 {
                return Err(Fault::Malformed("a shuffle that some lanes of the warp do not reach".into()).into());
            }
            let mut offers = Vec::new();
            for &t in warp {
                self.enter(t);
                offers.push((self.value(value)?, self.bits(lane)? as usize));
            }
            let values: Vec<Const> = offers.iter().map(|(value, _)| *value).collect();
            for (own, &t) in warp.iter().enumerate() {
                let bits = offered(&values, kind, own, offers[own].1)?;
                self.enter(t);
                self.give(var, bits)?;
            }
        }
        Ok(())
    }

    /// The first of `n` elements, at a multiple of their bytes together.
    pub(super) fn aligned(&mut self, array: ArrayId, index: ExprId, n: usize) -> Ran<u64> {
        let (first, a) = (self.bits(index)?, self.program.array(array));
        let bytes = u64::from(a.elem.bytes());
        if (u64::from(a.offset.unwrap_or(0)) + first * bytes).is_multiple_of(n as u64 * bytes) {
            return Ok(first);
        }
        Err(Fault::Malformed(format!("{n} elements of `{}` at {first} are no vector", a.name)).into())
    }

    pub(super) fn load_vector(&mut self, vars: &[VarId], array: ArrayId, index: ExprId) -> Ran {
        let first = self.aligned(array, index, vars.len())?;
        self.note_vector(array, (first, vars.len() as u32), Kind::Read);
        for (k, &var) in vars.iter().enumerate() {
            let index = first + k as u64;
            let bits = self.memory.read(array, index, self.access(Kind::Read))?;
            self.give(var, bits)?;
        }
        Ok(())
    }

    pub(super) fn store_vector(&mut self, array: ArrayId, index: ExprId, values: &[ExprId]) -> Ran {
        let first = self.aligned(array, index, values.len())?;
        let values = values.iter().map(|v| self.bits(*v)).collect::<Ran<Vec<u64>>>()?;
        self.note_vector(array, (first, values.len() as u32), Kind::Write);
        for (k, bits) in values.into_iter().enumerate() {
            let index = first + k as u64;
            self.memory.write(array, index, bits, self.access(Kind::Write))?;
        }
        Ok(())
    }

    pub(super) fn register(&self, register: Special) -> Ran<u64> {
        let Some((block, blocks)) = self.real else {
            return Err(Fault::Malformed("a register of the machine in code whose levels are there".into()).into());
        };
        let thread = self.here.who.from;
        Ok(u64::from(match register {
            Special::Tid => thread,
            Special::WarpId => thread / 32,
            Special::Lane => thread % 32,
            Special::BlockIdx => block,
            Special::GridDim => blocks,
        }))
    }
}

/// What lane `own` gets of what the lanes offer.
fn offered(values: &[Const], kind: ShuffleKind, own: usize, by: usize) -> Ran<u64> {
    if by >= 32 {
        return Err(Fault::Malformed(format!("a shuffle from lane {by}")).into());
    }
    let from = match kind {
        ShuffleKind::Index => by,
        ShuffleKind::Xor => own ^ by,
        ShuffleKind::Up => own.checked_sub(by).unwrap_or(own),
        ShuffleKind::Down => Some(own + by).filter(|lane| *lane < 32).unwrap_or(own),
        ShuffleKind::All(op) => return Ok(combined(values, op).bits),
        ShuffleKind::Ballot => return Ok(mask(values, |value| value.bits != 0)),
        ShuffleKind::Same => return Ok(mask(values, |value| value.bits == values[own].bits)),
    };
    Ok(values[from].bits)
}

/// A bit for each lane for whose value it holds.
fn mask(values: &[Const], holds: impl Fn(Const) -> bool) -> u64 {
    values.iter().enumerate().map(|(lane, &value)| u64::from(holds(value)) << lane).sum()
}

/// The values of all lanes in one; these operations give the same in any order.
fn combined(values: &[Const], op: BinOp) -> Const {
    let none = Const { ty: ScalarType::U32, bits: 0 };
    values.iter().copied().reduce(|a, b| arith::bin(op, a, b)).unwrap_or(none)
}
