//! Random phases whose indices their author chose: what is accepted runs without a fault for any number of threads, what
//! is refuted faults when every instance has a thread of its own.

use super::*;
use crate::interp::{self, Args, Fault};
use crate::level::Level;
use crate::passes::fixture::{self, Make, stmt};
use crate::passes::structured;
use crate::program::StmtKind;
use crate::program::{BinOp, ScalarType};

const BLOCKS: u32 = 2;
const N: u32 = 64;

struct Gen {
    p: Program,
    state: u64,
}

impl Gen {
    fn below(&mut self, n: u32) -> u32 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.state >> 33) % u64::from(n)) as u32
    }

    fn op(&mut self, op: BinOp, a: ExprId, k: u32) -> ExprId {
        let k = Make::u32(&mut self.p, k);
        self.p.op(op, a, k)
    }

    /// An index below 64 made of one: most are permutations.
    fn index(&mut self, i: ExprId) -> ExprId {
        let c = self.below(N);
        let j = match self.below(9) {
            0..=2 => i,
            3 => self.op(BinOp::Xor, i, c),
            4 => self.op(BinOp::Add, i, c),
            5 => self.op(BinOp::Mul, i, 2 * (c % 8) + 1),
            6 => self.op(BinOp::Mul, i, 2),
            7 => self.op(BinOp::Shr, i, 1),
            _ => {
                let (high, low) = (self.op(BinOp::Shr, i, 3), self.op(BinOp::And, i, 7));
                let low = self.op(BinOp::Mul, low, 8);
                self.p.op(BinOp::Add, low, high)
            }
        };
        self.op(BinOp::Rem, j, N)
    }

    /// `to[f(i)] = from[g(i)] + i`, perhaps for some `i` only.
    fn step(&mut self, i: ExprId, (to, from): (ArrayId, ArrayId)) -> Block {
        let (index, source) = (self.index(i), self.index(i));
        let read = self.p.get(from, source);
        let value = self.p.op(BinOp::Add, read, i);
        let write = Stmt { claim: Claim::MustProve, ..stmt(StmtKind::Assign { array: to, index, value }) };
        let bound = 8 * (1 + self.below(8));
        let cond = match self.below(5) {
            0 => self.op(BinOp::Lt, i, bound),
            1 => {
                let bit = self.op(BinOp::And, i, 1);
                self.op(BinOp::Eq, bit, 0)
            }
            _ => return vec![write],
        };
        match self.p.exprs.as_const(cond) {
            Some(_) => vec![write],
            None => vec![stmt(StmtKind::If { cond, then: vec![write], els: Vec::new() })],
        }
    }

    fn phase(&mut self, arrays: (ArrayId, ArrayId)) -> Stmt {
        if self.below(4) == 0 {
            let (w, warp) = self.p.index("w", 2);
            let (var, lane) = self.p.index("i", 32);
            let base = self.op(BinOp::Mul, warp, 32);
            let i = self.p.op(BinOp::Add, base, lane);
            let body = self.step(i, arrays);
            let (two, lanes) = (Make::u32(&mut self.p, 2), Make::u32(&mut self.p, 32));
            let all = stmt(StmtKind::ForAll { level: Level::Warp, var, n: lanes, body });
            return stmt(StmtKind::DistrPar { level: Level::Warp, var: w, n: two, body: vec![all] });
        }
        let n = [N, N, 40][self.below(3) as usize];
        let (var, i) = self.p.index("i", n);
        let body = self.step(i, arrays);
        let n = Make::u32(&mut self.p, n);
        stmt(StmtKind::ForAll { level: Level::Block, var, n, body })
    }
}

/// Some phases between two arrays, of which one is full, and an output made of one of them.
fn random(seed: u64, threads: u32) -> Program {
    let p = fixture::program(threads);
    let mut g = Gen { p, state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) };
    let len = Make::u32(&mut g.p, N * BLOCKS);
    let out = g.p.output(ScalarType::U32, len);
    let [a, b] = ["a", "b"].map(|n| g.p.new_array(n, ScalarType::U32, N, Space::Shared(Level::Block)));
    let (block, at) = g.p.index("b", BLOCKS);
    let fill = g.p.for_all(Level::Block, N, |_, i| vec![stmt(StmtKind::Assign { array: a, index: i, value: i })]);
    let mut list: Block = [a, b].map(|array| stmt(StmtKind::Allocate { array })).into();
    list.push(fill);
    for _ in 0..1 + g.below(3) {
        let arrays = [(b, a), (b, a), (a, b), (a, a)][g.below(4) as usize];
        let phase = g.phase(arrays);
        list.push(phase);
    }
    let from = [a, b][g.below(2) as usize];
    let (var, i) = g.p.index("i", N);
    let source = g.index(i);
    let value = g.p.get(from, source);
    let base = g.op(BinOp::Mul, at, N);
    let mut target = g.p.op(BinOp::Add, base, i);
    if g.below(8) == 0 {
        target = g.index(i);
        target = g.p.op(BinOp::Add, base, target);
    }
    let n = Make::u32(&mut g.p, N);
    let write = Stmt { claim: Claim::MustProve, ..stmt(StmtKind::Assign { array: out, index: target, value }) };
    list.push(stmt(StmtKind::ForAll { level: Level::Block, var, n, body: vec![write] }));
    let n = Make::u32(&mut g.p, BLOCKS);
    g.p.body = vec![stmt(StmtKind::DistrPar { level: Level::Block, var: block, n, body: list })];
    g.p
}

fn ran(mut p: Program) -> Result<(), Fault> {
    structured(&mut p).expect("fits");
    interp::run(&fixture::native(&p), &Args::new()).map(|_| ())
}

#[test]
fn what_is_accepted_runs_and_what_is_refuted_does_not() {
    let (mut accepted, mut refuted) = (0, 0);
    for seed in 0..600 {
        match check(&random(seed, N)) {
            Ok(_) => {
                accepted += 1;
                for threads in [1, 32, 33, 64, 100] {
                    let found = ran(random(seed, threads));
                    assert_eq!(
                        found,
                        Ok(()),
                        "seed {seed}, {threads} threads\n{}",
                        crate::program::print(&random(seed, N))
                    );
                }
            }
            Err(d) if d.code == "OB054" => {}
            Err(d) => {
                refuted += 1;
                let found = ran(random(seed, N));
                assert!(found.is_err(), "seed {seed}: {d}\n{}", crate::program::print(&random(seed, N)));
            }
        }
    }
    assert!(accepted > 60 && refuted > 60 && accepted + refuted > 590, "{accepted} accepted, {refuted} refuted");
}
