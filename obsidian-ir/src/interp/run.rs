//! Running statements and evaluating expressions, thread by thread and phase by phase. Where the levels are gone, `together`
//! leads the threads of a block through the statements.

use super::copies::Copies;
use super::fault::{Fault, Ran, Who};
use super::memory::Memory;
use super::order::Order;
use super::shadow::Access;
use super::trace::{Asked, Touch};
use super::value::{Arg, Args, Outputs};
use crate::diag::Span;
use crate::level::Level;
use crate::program::walk::Kind;
use crate::program::{
    ArrayId, AtomicOp, BinOp, Block, Const, Coordinate, Expr, ExprId, ParamKind, Program, Stmt, StmtKind, VarId, arith,
    walk,
};

/// How a program is run.
pub(super) struct How<'t> {
    /// Real blocks, for a program whose levels are gone.
    pub(super) blocks: u32,
    /// How a loop over blocks begins.
    pub(super) first: FirstBlock,
    /// Rounds of sequential loops that may begin.
    pub(super) rounds: u64,
    /// In which order blocks, warps and the threads of a phase come.
    pub(super) order: Order,
    /// Where accesses are noted.
    pub(super) trace: Option<&'t mut Vec<Touch>>,
    /// Who is given what the program prints.
    pub(super) reader: Option<&'t mut dyn FnMut(&str)>,
}

impl Default for How<'_> {
    fn default() -> Self {
        How { blocks: 1, first: FirstBlock::Asked, rounds: u64::MAX, order: Order::Forward, trace: None, reader: None }
    }
}

/// Whether a real block asks, before its first round of a loop over blocks, if there is one for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstBlock {
    Asked,
    Taken,
}

pub(super) fn run(program: &Program, args: &Args, how: How<'_>) -> Result<Outputs, Fault> {
    run_whole(program, args, how).map_err(|fault| *fault)
}

fn run_whole(program: &Program, args: &Args, how: How<'_>) -> Ran<Outputs> {
    let real = how.blocks;
    let mut m = Machine::new(program, args, how)?;
    m.checks()?;
    for param in &program.params {
        if let ParamKind::Output { arrays, len } = &param.kind {
            let len = m.bits(*len)?;
            m.memory.add_output(arrays, len)?;
        }
    }
    if has_levels(program) {
        m.list(&program.body)?;
    } else {
        m.real_blocks(real)?;
    }
    m.memory.guarded()?;
    m.memory.outputs()
}

/// Who is running.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub(super) level: Level,
    pub(super) who: Who,
    pub(super) warp: Option<u32>,
    pub(super) span: Span,
    /// For the trace.
    pub(super) asked: Asked,
}

/// Whether loops over threads, warps and blocks are there; if not, each thread of a real block runs the whole program.
fn has_levels(program: &Program) -> bool {
    let mut levels = false;
    walk::each(&program.body, &mut |s| levels |= matches!(s.kind, StmtKind::ForAll { .. } | StmtKind::DistrPar { .. }));
    levels
}

pub(super) struct Machine<'p, 't> {
    pub(super) program: &'p Program,
    pub(super) memory: Memory<'p>,
    scalars: Vec<Option<Const>>,
    /// The variables of each thread; of the whole program where levels are there.
    pub(super) frames: Vec<Vec<Option<u64>>>,
    /// Whose variables are read and set now.
    pub(super) frame: usize,
    pub(super) here: Here,
    /// Block barriers passed.
    pub(super) epoch: u32,
    /// Barriers that each warp has passed.
    pub(super) warp_epochs: Vec<u32>,
    /// The real block, and how many there are, where levels are gone.
    pub(super) real: Option<(u32, u32)>,
    pub(super) first: FirstBlock,
    /// Virtual blocks run.
    blocks: u32,
    /// Loops over threads begun.
    runs: u32,
    /// Rounds of sequential loops that may still begin.
    rounds: u64,
    order: Order,
    pub(super) copies: Copies,
    trace: Option<&'t mut Vec<Touch>>,
    reader: Option<&'t mut dyn FnMut(&str)>,
}

impl<'p, 't> Machine<'p, 't> {
    /// Before anything runs.
    fn new(program: &'p Program, args: &Args, how: How<'t>) -> Ran<Machine<'p, 't>> {
        let How { blocks: _, first, rounds, order, trace, reader } = how;
        let memory = Memory::new(program, args)?;
        let mut scalars = vec![None; program.params.len()];
        let inputs = program
            .params
            .iter()
            .enumerate()
            .filter(|(_, p)| !matches!(p.kind, ParamKind::Output { .. } | ParamKind::Fault(_)));
        for ((i, _), arg) in inputs.zip(&args.0) {
            if let Arg::Scalar(c) = arg {
                scalars[i] = Some(*c);
            }
        }
        let everyone = Who { block: 0, from: 0, to: program.threads };
        let asked = Asked { statement: 0, of: None, run: 0, instance: 0 };
        let here = Here { level: Level::Grid, who: everyone, warp: None, span: Span::NONE, asked };
        let warp_epochs = vec![0; program.threads.div_ceil(32) as usize];
        let (frames, frame) = (vec![vec![None; program.vars.len()]], 0);
        Ok(Machine {
            program,
            memory,
            scalars,
            frames,
            frame,
            here,
            epoch: 0,
            warp_epochs,
            real: None,
            first,
            blocks: 0,
            runs: 0,
            rounds,
            order,
            copies: Copies::default(),
            trace,
            reader,
        })
    }
}

impl Machine<'_, '_> {
    fn checks(&mut self) -> Ran {
        for check in &self.program.checks {
            if self.bits(check.cond)? == 0 {
                return Err(Fault::Refused { message: check.message.clone(), found: self.bits(check.found)? }.into());
            }
        }
        Ok(())
    }

    fn list(&mut self, list: &Block) -> Ran {
        list.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    /// A variable gets a value, which must lie where the compiler says that it does.
    pub(super) fn give(&mut self, var: VarId, bits: u64) -> Ran {
        let ty = self.program.var(var).ty;
        if ty.is_int() {
            let (value, range) = (Const { ty, bits }.int(), self.program.exprs.var_range(var));
            if !(range.lo..=range.hi).contains(&value) {
                return Err(Fault::OutsideRange { var: self.program.var(var).name.clone(), value, range }.into());
            }
        }
        self.frames[self.frame][var.0 as usize] = Some(bits);
        Ok(())
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Ran {
        self.at(stmt);
        match &stmt.kind {
            StmtKind::Assign { array, index, value } => {
                let (index, bits) = (self.bits(*index)?, self.bits(*value)?);
                self.note(*array, index, Kind::Write);
                self.memory.write(*array, index, bits, self.access(Kind::Write))
            }
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                let expected = expected.map(|e| self.bits(e)).transpose()?;
                self.atomic(*op, *array, (*index, *value), expected, *old)
            }
            StmtKind::Let { var, value } | StmtKind::Set { var, value } => {
                let bits = self.bits(*value)?;
                self.give(*var, bits)
            }
            StmtKind::Local { var, init: Some(init) } => {
                let bits = self.bits(*init)?;
                self.give(*var, bits)
            }
            StmtKind::Local { var, init: None } => {
                self.frames[self.frame][var.0 as usize] = None;
                Ok(())
            }
            StmtKind::If { cond, then, els } => {
                if self.bits(*cond)? != 0 {
                    self.list(then)
                } else {
                    self.list(els)
                }
            }
            StmtKind::SeqFor { var, start, end, step, body } => {
                let (start, end, step) = (self.bits(*start)?, self.bits(*end)?, self.bits(*step)?);
                if step == 0 {
                    return Err(Fault::Malformed("a loop has step 0".into()).into());
                }
                for i in (start..end).step_by(step as usize) {
                    self.begin_round()?;
                    self.give(*var, i)?;
                    self.list(body)?;
                }
                Ok(())
            }
            StmtKind::SeqWhile { head, cond, body } => loop {
                self.list(head)?;
                self.at(stmt);
                if self.bits(*cond)? == 0 {
                    return Ok(());
                }
                self.begin_round()?;
                self.list(body)?;
            },
            StmtKind::ForAll { level, var, n, body } => self.for_all(*level, *var, *n, body),
            StmtKind::DistrPar { level, var, n, body } => self.distribute(*level, *var, *n, body),
            StmtKind::Allocate { array } => {
                self.memory.allocate(*array);
                Ok(())
            }
            StmtKind::Shuffle { .. } => {
                Err(Fault::Malformed("a shuffle in code whose lanes run one by one".into()).into())
            }
            StmtKind::LoadVector { vars, array, index } => self.load_vector(vars, *array, *index),
            StmtKind::StoreVector { array, index, values } => self.store_vector(*array, *index, values),
            StmtKind::Copy { array, index, value, count } => self.begin_copy(*array, *index, *value, *count),
            StmtKind::Commit => {
                self.copies.commit(self.here.who);
                Ok(())
            }
            StmtKind::Await { pending } => self.finish_copies(*pending),
            StmtKind::Sync { scope } => self.sync(*scope),
            StmtKind::Print { text, values } => self.print(text, values),
        }
    }

    fn print(&mut self, text: &[String], values: &[ExprId]) -> Ran {
        let mut said = text.first().cloned().unwrap_or_default();
        for (&value, part) in values.iter().zip(text.iter().skip(1)) {
            let bits = self.bits(value)?;
            said += &Const { ty: self.program.exprs.ty(value), bits }.to_string();
            said += part;
        }
        if let Some(reader) = &mut self.reader {
            reader(&said);
        }
        Ok(())
    }

    pub(super) fn begin_round(&mut self) -> Ran {
        self.rounds = self.rounds.checked_sub(1).ok_or(Fault::Endless)?;
        Ok(())
    }

    fn sync(&mut self, scope: Level) -> Ran {
        match (scope, self.here.level, self.here.warp) {
            (Level::Block, Level::Block | Level::Grid, _) => self.epoch += 1,
            (Level::Warp, Level::Warp, Some(w)) => self.warp_epochs[w as usize] += 1,
            // Between a block's phases every warp comes by.
            (Level::Warp, Level::Block | Level::Grid, _) => self.warp_epochs.iter_mut().for_each(|e| *e += 1),
            (_, here, _) => {
                return Err(Fault::Malformed(format!("a barrier of the {scope} in code of the {here}")).into());
            }
        }
        Ok(())
    }

    fn for_all(&mut self, level: Level, var: VarId, n: ExprId, body: &Block) -> Ran {
        let n = self.bits(n)?;
        let outer = self.here;
        if outer.level != level {
            return Err(Fault::Malformed(format!("threads of the {level} in code of the {}", outer.level)).into());
        }
        let real = u64::from(if level == Level::Warp { self.program.lanes() } else { self.program.threads });
        self.runs += 1;
        for i in self.order.numbers(n, self.runs.into()) {
            let thread = outer.who.from + (i % real) as u32;
            self.here.level = Level::Thread;
            self.here.who = Who { block: outer.who.block, from: thread, to: thread + 1 };
            self.here.warp = Some(thread / 32);
            (self.here.asked.run, self.here.asked.instance, self.here.asked.of) = (self.runs, i, Some(level));
            self.give(var, i)?;
            self.list(body)?;
        }
        self.here = outer;
        Ok(())
    }

    fn distribute(&mut self, level: Level, var: VarId, n: ExprId, body: &Block) -> Ran {
        let n = self.bits(n)?;
        let outer = self.here;
        if level.step() != Some(outer.level) {
            return Err(Fault::Malformed(format!("programs of the {level} in code of the {}", outer.level)).into());
        }
        let first = self.blocks;
        if level == Level::Block {
            self.blocks = first.saturating_add(u32::try_from(n).unwrap_or(u32::MAX));
        }
        for i in self.order.numbers(n, u64::from(self.runs) << 32) {
            self.here.level = level;
            if level == Level::Block {
                self.here.who.block = first.saturating_add(i as u32);
            } else {
                let warp = (i % u64::from(self.program.warps())) as u32;
                self.here.who.from = warp * 32;
                self.here.who.to = warp * 32 + self.program.lanes();
                self.here.warp = Some(warp);
            }
            self.give(var, i)?;
            self.list(body)?;
            self.here = outer;
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        op: AtomicOp,
        array: ArrayId,
        (index, value): (ExprId, ExprId),
        expected: Option<u64>,
        old: Option<VarId>,
    ) -> Ran {
        let (index, new) = (self.bits(index)?, self.value(value)?);
        self.note(array, index, Kind::Atomic);
        let access = self.access(Kind::Atomic);
        let before = self.memory.read(array, index, access)?;
        let a = Const { ty: new.ty, bits: before };
        let after = match op {
            AtomicOp::CompareExchange if expected != Some(before) => a,
            AtomicOp::Exchange | AtomicOp::CompareExchange => new,
            AtomicOp::Add => arith::bin(BinOp::Add, a, new),
            AtomicOp::Min => arith::bin(BinOp::Min, a, new),
            AtomicOp::Max => arith::bin(BinOp::Max, a, new),
            AtomicOp::And => arith::bin(BinOp::And, a, new),
            AtomicOp::Or => arith::bin(BinOp::Or, a, new),
            AtomicOp::Xor => arith::bin(BinOp::Xor, a, new),
        };
        if let Some(var) = old {
            self.give(var, before)?;
        }
        self.memory.write(array, index, after.bits, access)
    }

    /// Statements are told apart by where they are in memory: the program does not move while it runs.
    pub(super) fn at(&mut self, stmt: &Stmt) {
        self.here.span = stmt.span;
        self.here.asked.statement = std::ptr::from_ref(stmt).addr();
    }

    pub(super) fn note(&mut self, array: ArrayId, index: u64, kind: Kind) {
        self.note_vector(array, (index, 1), kind);
    }

    /// Notes an access to consecutive elements, from the first.
    pub(super) fn note_vector(&mut self, array: ArrayId, (index, width): (u64, u32), kind: Kind) {
        let Here { who, warp, asked, .. } = self.here;
        if let Some(trace) = &mut self.trace {
            trace.push(Touch { array, index, width, kind, block: who.block, warp, asked });
        }
    }

    pub(super) fn access(&self, kind: Kind) -> Access {
        let Here { who, warp, span, .. } = self.here;
        let warp = warp.or((self.program.threads <= 32).then_some(0));
        let warp_epoch = warp.map_or(0, |w| self.warp_epochs[w as usize]);
        Access { who, warp, epoch: self.epoch, warp_epoch, kind, span }
    }

    /// The value with its type.
    pub(super) fn value(&mut self, id: ExprId) -> Ran<Const> {
        Ok(Const { ty: self.program.exprs.ty(id), bits: self.bits(id)? })
    }

    /// The value, as two words in registers: expressions are what a run spends its time on.
    pub(super) fn bits(&mut self, id: ExprId) -> Ran<u64> {
        let program = self.program;
        let node = program.exprs.node(id);
        Ok(match node.expr {
            Expr::Const(c) => c.bits,
            Expr::Var(v) => self.frames[self.frame][v.0 as usize].ok_or_else(|| {
                let var = self.program.var(v).name.clone();
                Fault::Unset { var, span: self.here.span }
            })?,
            Expr::Scalar(p) => match self.scalars[p.0 as usize] {
                Some(c) => c.bits,
                None => return Err(Fault::Malformed("a parameter is used as a scalar and is none".into()).into()),
            },
            Expr::Len(p) => self.memory.input_len(p),
            Expr::Special(s) => self.register(s)?,
            // What all other forms take.
            Expr::OnGpu => 0,
            Expr::Load(array, index) => {
                self.is_in_matrix(id, array)?;
                let index = self.bits(index)?;
                self.note(array, index, Kind::Read);
                self.memory.read(array, index, self.access(Kind::Read))?
            }
            Expr::Un(op, a) => arith::un(op, self.value(a)?).bits,
            Expr::Bin(op, a, b) => arith::bin(op, self.value(a)?, self.value(b)?).bits,
            Expr::Select(c, a, b) => {
                let chosen = if self.bits(c)? != 0 { a } else { b };
                self.bits(chosen)?
            }
            Expr::Cast(a) => arith::cast(self.value(a)?, node.ty).bits,
            Expr::Bits(a) => arith::bits(self.value(a)?, node.ty).bits,
            Expr::MulAdd(a, b, c) => arith::mul_add(self.value(a)?, self.value(b)?, self.value(c)?).bits,
        })
    }

    /// A load of a row and a column is of those: the place in the whole that they make may be another row's.
    fn is_in_matrix(&mut self, load: ExprId, array: ArrayId) -> Ran {
        let Some(pair) = self.program.exprs.coordinates.of(load) else { return Ok(()) };
        // What is read for this test only the kernel's index reads.
        let trace = self.trace.take();
        for Coordinate { side, at, len } in pair {
            let (index, len) = (self.bits(at)?, self.bits(len)?);
            if index >= len {
                let array = side.of(&self.program.array(array).name);
                return Err(Fault::OutOfBounds { array, index, len, span: self.here.span }.into());
            }
        }
        self.trace = trace;
        Ok(())
    }
}
