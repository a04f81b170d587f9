//! A machine for tests: runs machine form, all threads of a block in step, one statement after another. Barriers must
//! be reached by all threads of the block or the warp. It looks for no races: the interpreter does.

use std::collections::HashMap;

use crate::level::Level;
use crate::program::{
    ArrayId, AtomicOp, BinOp, Block, Const, Expr, ExprId, Program, ScalarType, ShuffleKind, Space, Special, StmtKind,
    VarId, arith,
};

/// A launch of `grid` real blocks.
struct Simt<'p> {
    program: &'p Program,
    first: FirstBlock,
    grid: u32,
    block: u32,
    memory: HashMap<(ArrayId, u32), u64>,
    shared: HashMap<u32, u64>,
    local: HashMap<(u32, ArrayId, u32), u64>,
    vars: HashMap<(u32, VarId), u64>,
    len: u32,
}

/// Whether a real block asks, before its first round of a loop over blocks, if there is one for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstBlock {
    Asked,
    Taken,
}

/// Runs a program with one input of `u32` (its first array) on `grid` blocks; gives its last parameter's array.
pub fn run(program: &Program, grid: u32, input: &[u32]) -> Vec<u32> {
    run_from(program, grid, input, FirstBlock::Asked)
}

/// As [`run`], by the loops over blocks that OpenCL C is printed with: their first round is everyone's.
pub fn run_untested(program: &Program, grid: u32, input: &[u32]) -> Vec<u32> {
    run_from(program, grid, input, FirstBlock::Taken)
}

fn run_from(program: &Program, grid: u32, input: &[u32], first: FirstBlock) -> Vec<u32> {
    let (input_array, out) = (ArrayId(0), program.arrays.iter().position(|a| a.name == "out").expect("an output"));
    let out = ArrayId(out as u32);
    let memory = input.iter().enumerate().map(|(i, &x)| ((input_array, i as u32), u64::from(x))).collect();
    let (shared, local, vars) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut m = Simt { program, first, grid, block: 0, memory, shared, local, vars, len: input.len() as u32 };
    for block in 0..grid {
        m.block = block;
        let threads: Vec<u32> = (0..program.threads).collect();
        m.list(&program.body, &threads);
    }
    let n = m.value(program.array(out).len, 0).bits as u32;
    (0..n).map(|i| m.memory[&(out, i)] as u32).collect()
}

impl Simt<'_> {
    fn list(&mut self, list: &Block, threads: &[u32]) {
        // A branch that nobody takes.
        if threads.is_empty() {
            return;
        }
        for stmt in list {
            self.stmt(&stmt.kind, threads);
        }
    }

    fn stmt(&mut self, kind: &StmtKind, threads: &[u32]) {
        match kind {
            StmtKind::Assign { array, index, value } => {
                // Loads of all threads before the stores of any: as hardware does.
                let all: Vec<_> = threads.iter().map(|&t| (t, self.bits(*index, t), self.value(*value, t))).collect();
                for (t, index, value) in all {
                    self.store(*array, index as u32, t, value.bits);
                }
            }
            StmtKind::Atomic { op, array, index, value, old, .. } => {
                for &t in threads {
                    let (index, value) = (self.bits(*index, t) as u32, self.value(*value, t));
                    let before = Const { ty: value.ty, bits: self.load(*array, index, t) };
                    let after = match op {
                        AtomicOp::Add => arith::bin(BinOp::Add, before, value),
                        _ => value,
                    };
                    self.store(*array, index, t, after.bits);
                    old.map(|v| self.vars.insert((t, v), before.bits));
                }
            }
            StmtKind::Let { var, value }
            | StmtKind::Set { var, value }
            | StmtKind::Local { var, init: Some(value) } => {
                for &t in threads {
                    let bits = self.bits(*value, t);
                    self.vars.insert((t, *var), bits);
                }
            }
            StmtKind::LoadVector { vars, array, index } => {
                for &t in threads {
                    let first = self.aligned(*array, *index, vars.len(), t);
                    for (k, &var) in vars.iter().enumerate() {
                        let bits = self.load(*array, first + k as u32, t);
                        self.vars.insert((t, var), bits);
                    }
                }
            }
            StmtKind::StoreVector { array, index, values } => {
                for &t in threads {
                    let first = self.aligned(*array, *index, values.len(), t);
                    for (k, &value) in values.iter().enumerate() {
                        let bits = self.bits(value, t);
                        self.store(*array, first + k as u32, t, bits);
                    }
                }
            }
            StmtKind::Shuffle { var, value, kind, lane } => self.shuffle(*var, (*value, *kind, *lane), threads),
            StmtKind::If { cond, then, els } => {
                let (yes, no): (Vec<u32>, Vec<u32>) = threads.iter().partition(|&&t| self.bits(*cond, t) != 0);
                self.list(then, &yes);
                self.list(els, &no);
            }
            StmtKind::SeqFor { var, start, end, step, body } => {
                self.seq_for(*var, (*start, *end, *step), body, threads)
            }
            StmtKind::SeqWhile { head, cond, body } => {
                let mut active = threads.to_vec();
                loop {
                    self.list(head, &active);
                    active.retain(|&t| self.bits(*cond, t) != 0);
                    if active.is_empty() {
                        return;
                    }
                    self.list(body, &active);
                }
            }
            StmtKind::Sync { scope: Level::Block } => assert_eq!(threads.len() as u32, self.program.threads),
            StmtKind::Sync { .. } => {
                for warp in threads.chunk_by(|a, b| a / 32 == b / 32) {
                    assert_eq!(warp.len() as u32, self.program.lanes());
                }
            }
            StmtKind::Allocate { .. } | StmtKind::Local { .. } => {}
            other => panic!("not machine form: {other:?}"),
        }
    }

    /// The index of the first of `n` elements, which must be theirs alone.
    fn aligned(&self, array: ArrayId, index: ExprId, n: usize, t: u32) -> u32 {
        let (first, a) = (self.bits(index, t) as u32, self.program.array(array));
        let bytes = a.elem.bytes();
        assert!(
            (a.offset.unwrap_or(0) + first * bytes).is_multiple_of(n as u32 * bytes),
            "{n} of {} at {first}",
            a.name
        );
        first
    }

    /// All lanes of each warp at once.
    fn shuffle(&mut self, var: VarId, (value, kind, lane): (ExprId, ShuffleKind, ExprId), threads: &[u32]) {
        let mut all = Vec::new();
        for warp in threads.chunk_by(|a, b| a / 32 == b / 32) {
            assert_eq!(warp.len(), 32, "a shuffle without some lanes");
            for &t in warp {
                let (own, by) = (t % 32, self.bits(lane, t) as u32);
                assert!(by < 32, "lane {by}");
                let from = match kind {
                    ShuffleKind::Index => by,
                    ShuffleKind::Xor => own ^ by,
                    ShuffleKind::Up => own.checked_sub(by).unwrap_or(own),
                    ShuffleKind::All(_) => panic!("a reduction has no lane"),
                    ShuffleKind::Down => Some(own + by).filter(|&l| l < 32).unwrap_or(own),
                };
                all.push((t, self.bits(value, t - own + from)));
            }
        }
        for (t, bits) in all {
            self.vars.insert((t, var), bits);
        }
    }

    fn seq_for(&mut self, var: VarId, (start, end, step): (ExprId, ExprId, ExprId), body: &Block, threads: &[u32]) {
        let mut at: Vec<(u32, u64)> = threads.iter().map(|&t| (t, self.bits(start, t))).collect();
        let over_blocks = self.program.exprs.expr(start) == Expr::Special(Special::BlockIdx);
        let mut asked = !over_blocks || self.first == FirstBlock::Asked;
        loop {
            // The bounds again in each round: what printers do.
            at.retain(|&(t, i)| !asked || i < self.bits(end, t));
            asked = true;
            let active: Vec<u32> = at.iter().map(|a| a.0).collect();
            if active.is_empty() {
                return;
            }
            for &(t, i) in &at {
                self.vars.insert((t, var), i);
            }
            self.list(body, &active);
            for (t, i) in &mut at {
                *i += self.bits(step, *t);
            }
        }
    }

    fn load(&self, array: ArrayId, index: u32, t: u32) -> u64 {
        let a = self.program.array(array);
        let found = match a.space {
            Space::Global(_) => self.memory.get(&(array, index)),
            Space::Shared(_) => self.shared.get(&(a.offset.expect("laid out") + index * a.elem.bytes())),
            Space::Local => self.local.get(&(t, array, index)),
            Space::Lanes => None,
        };
        *found.unwrap_or_else(|| panic!("{}[{index}] is not there", a.name))
    }

    fn store(&mut self, array: ArrayId, index: u32, t: u32, bits: u64) {
        let a = self.program.array(array);
        match a.space {
            Space::Global(_) => self.memory.insert((array, index), bits),
            Space::Shared(_) => self.shared.insert(a.offset.expect("laid out") + index * a.elem.bytes(), bits),
            Space::Local => self.local.insert((t, array, index), bits),
            Space::Lanes => panic!("{} is still in lanes", a.name),
        };
    }

    fn bits(&self, id: ExprId, t: u32) -> u64 {
        self.value(id, t).bits
    }

    fn value(&self, id: ExprId, t: u32) -> Const {
        let node = self.program.exprs.node(id);
        let bits = match node.expr {
            Expr::Const(c) => return c,
            Expr::Var(v) => *self.vars.get(&(t, v)).unwrap_or_else(|| panic!("{} unset", self.program.var(v).name)),
            Expr::Len(_) => self.len.into(),
            Expr::Scalar(_) => panic!("no scalars"),
            Expr::Special(s) => u64::from(match s {
                Special::Tid => t,
                Special::WarpId => t / 32,
                Special::Lane => t % 32,
                Special::BlockIdx => self.block,
                Special::GridDim => self.grid,
            }),
            Expr::Load(a, i) => self.load(a, self.bits(i, t) as u32, t),
            Expr::Un(op, a) => return arith::un(op, self.value(a, t)),
            Expr::Bin(op, a, b) => return arith::bin(op, self.value(a, t), self.value(b, t)),
            // Both sides, as an eager printer does: a guarded load must not be in here.
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.bits(c, t), self.value(a, t), self.value(b, t));
                return if c != 0 { a } else { b };
            }
            Expr::Cast(a) => return arith::cast(self.value(a, t), node.ty),
            Expr::Bits(a) => return arith::bits(self.value(a, t), node.ty),
            Expr::MulAdd(a, b, c) => {
                return arith::mul_add(self.value(a, t), self.value(b, t), self.value(c, t));
            }
        };
        debug_assert!(node.ty != ScalarType::Bool || bits < 2);
        Const { ty: node.ty, bits }
    }
}
