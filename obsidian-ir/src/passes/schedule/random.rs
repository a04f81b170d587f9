//! Random thread code, before and after scheduling: the same results, no stray access, trees as promised.

use std::collections::HashMap;

use super::tests::{check_trees, mutable, set, threads};
use super::*;
use crate::interp::{self, Args};
use crate::passes::fixture;
use crate::passes::fixture::{Make, stmt};
use crate::program::{ArrayId, BinOp, Program, Range, ScalarType, Space, VarId};

const INPUT: u32 = 16;

struct Gen<'p> {
    p: &'p mut Program,
    state: u64,
    x: ArrayId,
    local: ArrayId,
    vars: Vec<(VarId, ExprId)>,
    /// Values that any statement from here on may use.
    pool: Vec<ExprId>,
    /// Size of an expression written out: the program before scheduling must stay runnable.
    size: HashMap<ExprId, u64>,
}

impl Gen<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) as usize % n
    }

    fn keep(&mut self, id: ExprId) -> ExprId {
        let below: u64 = walk::operands(self.p.exprs.expr(id)).map(|x| *self.size.get(&x).unwrap_or(&1)).sum();
        self.size.insert(id, below + 1);
        if below < 300 {
            self.pool.push(id);
        }
        id
    }

    fn any(&mut self) -> ExprId {
        let (n, v) = (self.pool.len(), self.vars.len());
        match self.below(10) {
            0 => {
                let k = self.below(20) as u32;
                Make::u32(self.p, k)
            }
            1 if v > 0 => {
                let at = self.below(v);
                self.vars[at].1
            }
            _ => {
                let from = n.saturating_sub(12);
                let at = from + self.below(n - from);
                self.pool[at]
            }
        }
    }

    /// An index that is in range: masked, so that it is so whatever is evaluated.
    fn masked(&mut self, mask: u32) -> ExprId {
        let (a, mask) = (self.any(), Make::u32(self.p, mask));
        self.p.op(BinOp::And, a, mask)
    }

    fn grow(&mut self) -> ExprId {
        let (a, b) = (self.any(), self.any());
        const OPS: [BinOp; 6] = [BinOp::Add, BinOp::Mul, BinOp::Xor, BinOp::Sub, BinOp::Min, BinOp::Shr];
        let id = match self.below(8) {
            0..3 => {
                let op = OPS[self.below(OPS.len())];
                self.p.op(op, a, b)
            }
            3 => {
                let i = self.masked(INPUT - 1);
                self.p.get(self.x, i)
            }
            4 => {
                let i = self.masked(3);
                self.p.get(self.local, i)
            }
            5 => {
                // Guarded: out of range wherever the guard does not hold.
                let n = Make::u32(self.p, INPUT);
                let i = self.any();
                let cond = self.p.op(BinOp::Lt, i, n);
                let load = self.p.get(self.x, i);
                let work = self.p.op(BinOp::Add, load, a);
                self.p.exprs.select(cond, work, b)
            }
            _ => {
                let c = self.any();
                let cond = self.p.op(BinOp::Lt, c, a);
                let d = self.any();
                self.p.exprs.select(cond, b, d)
            }
        };
        self.keep(id)
    }

    fn list(&mut self, depth: u32) -> Block {
        let (pool, vars) = (self.pool.len(), self.vars.len());
        let mut out = Vec::new();
        for _ in 0..2 + self.below(4) {
            for _ in 0..self.below(6) {
                self.grow();
            }
            let kind = self.statement(depth);
            out.push(stmt(kind));
        }
        self.pool.truncate(pool);
        self.vars.truncate(vars);
        out
    }

    fn statement(&mut self, depth: u32) -> StmtKind {
        let value = self.any();
        match self.below(if depth > 0 { 8 } else { 5 }) {
            0 => {
                let var = self.p.new_var("l", ScalarType::U32, false, Range::full(ScalarType::U32));
                let e = self.p.exprs.var(var);
                self.pool.push(e);
                StmtKind::Let { var, value }
            }
            1 => {
                let m = mutable(self.p);
                self.vars.push(m);
                StmtKind::Local { var: m.0, init: Some(value) }
            }
            2 | 3 if !self.vars.is_empty() => {
                let at = self.below(self.vars.len());
                StmtKind::Set { var: self.vars[at].0, value }
            }
            5 => {
                let b = self.any();
                let cond = self.p.op(BinOp::Lt, value, b);
                StmtKind::If { cond, then: self.list(depth - 1), els: self.list(depth - 1) }
            }
            6 => {
                let (var, k) = self.p.index("k", 4);
                let (start, step, end) = (Make::u32(self.p, 0), Make::u32(self.p, 1), self.masked(3));
                self.pool.push(k);
                let body = self.list(depth - 1);
                self.pool.retain(|&x| x != k);
                StmtKind::SeqFor { var, start, end, step, body }
            }
            _ => StmtKind::Assign { array: self.local, index: self.masked(3), value },
        }
    }
}

fn random(seed: u64) -> Program {
    let mut local = None;
    let mut p = threads(INPUT, |p, x, out, i| {
        let array = p.new_array("l", ScalarType::U32, 4, Space::Local);
        local = Some(array);
        let mut list = vec![stmt(StmtKind::Allocate { array })];
        for k in 0..4 {
            let k = Make::u32(p, k);
            list.push(set(array, k, i));
        }
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut g = Gen { p, state, x, local: array, vars: Vec::new(), pool: vec![i], size: HashMap::new() };
        let m = mutable(g.p);
        g.vars.push(m);
        list.push(stmt(StmtKind::Local { var: m.0, init: Some(i) }));
        list.extend(g.list(3));
        for _ in 0..4 {
            g.grow();
        }
        let last = g.any();
        let value = g.p.op(BinOp::Xor, last, m.1);
        list.push(set(out, i, value));
        list
    });
    crate::passes::structured(&mut p).expect("fits");
    p
}

#[test]
fn random_programs_mean_the_same_after_scheduling() {
    let input: Vec<u32> = (0..INPUT).map(|i| i * 7 % 23).collect();
    let args = Args::new().buffer(input.clone());
    for seed in 0..400 {
        let before = random(seed);
        let (after, machine) = (fixture::native(&before), fixture::machine(&before));
        check_trees(&after, &after.body);
        check_trees(&machine, &machine.body);
        let expected = interp::run(&before, &args);
        let text = || format!("seed {seed}\n{}\n{}", crate::program::print(&before), crate::program::print(&after));
        assert_eq!(expected, interp::run(&after, &args), "{}", text());
        let expected = expected.ok().and_then(|o| o.to_vec::<u32>(0));
        assert_eq!(expected, Some(fixture::run_on(&machine, 1, &input)), "{}", text());
    }
}
