//! Random block programs over shared arrays of blocks and warps: laid out and synchronised, they run without a fault
//! and give what they give with every array on a place of its own and a barrier everywhere.

use super::fixture::{self, Make, stmt};
use super::fixture::{group, machine, native, run_on};
use super::{lanes, layout, structured, walk};
use crate::interp::{self, Args, Fault};
use crate::level::Level;
use crate::program::{ArrayId, BinOp, Block, ExprId, Program, ScalarType, Space, Stmt, StmtKind, print};

const INPUT: u32 = 128;
const BLOCKS: u32 = 3;

struct Gen<'p> {
    p: &'p mut Program,
    state: u64,
    input: ArrayId,
    /// Whose arrays, and whose threads.
    level: Level,
    /// The arrays that hold something, with their lengths.
    full: Vec<(ArrayId, u32)>,
}

impl Gen<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.state >> 33) % u64::from(n)) as u32
    }

    /// An element of something that is full, other than `not`, for instance `i`.
    fn element(&mut self, i: ExprId, not: ArrayId) -> ExprId {
        let pick = self.below(self.full.len() as u32 + 1) as usize;
        let (array, len) = match self.full.get(pick) {
            Some(&(array, len)) if array != not => (array, len),
            _ => (self.input, INPUT),
        };
        let (k, c, n) = (self.below(7) + 1, self.below(100), Make::u32(self.p, len));
        let (k, c) = (Make::u32(self.p, k), Make::u32(self.p, c));
        let at = self.p.op(BinOp::Mul, i, k);
        let at = self.p.op(BinOp::Add, at, c);
        let at = self.p.op(BinOp::Rem, at, n);
        self.p.get(array, at)
    }

    /// Fills an array from others.
    fn fill(&mut self, (to, len): (ArrayId, u32)) -> Stmt {
        let (var, i) = self.p.index("i", len);
        let (a, b) = (self.element(i, to), self.element(i, to));
        let value = self.p.op(BinOp::Add, a, b);
        let value = self.p.op(BinOp::Xor, value, i);
        let body = vec![stmt(StmtKind::Assign { array: to, index: i, value })];
        let n = Make::u32(self.p, len);
        stmt(StmtKind::ForAll { level: self.level, var, n, body })
    }

    fn fresh(&mut self, out: &mut Block) {
        let len = [7, 32, 40, 64][self.below(4) as usize];
        let name = format!("s{}", self.p.arrays.len());
        let array = self.p.new_array(&name, ScalarType::U32, len, Space::Shared(self.level));
        out.push(stmt(StmtKind::Allocate { array }));
        let fill = self.fill((array, len));
        out.push(fill);
        self.full.push((array, len));
    }

    fn again(&mut self) -> Option<Stmt> {
        let own = |g: &Self, a: ArrayId| g.p.array(a).space == Space::Shared(g.level);
        let all: Vec<_> = self.full.iter().copied().filter(|&(a, _)| own(self, a)).collect();
        if all.is_empty() {
            return None;
        }
        let at = self.below(all.len() as u32) as usize;
        Some(self.fill(all[at]))
    }

    fn list(&mut self, depth: u32) -> Block {
        let outside = self.full.len();
        let mut out = Vec::new();
        for _ in 0..1 + self.below(5) {
            match self.below(if depth > 0 { 8 } else { 4 }) {
                4 => {
                    let (var, _) = self.p.index("k", 3);
                    let (start, step) = (Make::u32(self.p, 0), Make::u32(self.p, 1));
                    let mut end = Make::u32(self.p, 3);
                    if self.level == Level::Warp && self.below(2) == 0 {
                        // Warps differ in how often they go round.
                        let at = Make::u32(self.p, 1);
                        let length = self.element(at, ArrayId(u32::MAX));
                        end = self.p.op(BinOp::Rem, length, end);
                    }
                    let body = self.list(depth - 1);
                    out.push(stmt(StmtKind::SeqFor { var, start, end, step, body }));
                }
                5 => {
                    let zero = Make::u32(self.p, 0);
                    let first = self.element(zero, ArrayId(u32::MAX));
                    let seven = Make::u32(self.p, 7);
                    let cond = self.p.op(BinOp::Lt, first, seven);
                    out.push(stmt(StmtKind::If { cond, then: self.list(depth - 1), els: self.list(depth - 1) }));
                }
                6 if self.level == Level::Block => out.push(self.warps(depth - 1)),
                0 | 1 => out.extend(self.again()),
                _ => self.fresh(&mut out),
            }
        }
        self.full.truncate(outside);
        out
    }

    fn warps(&mut self, depth: u32) -> Stmt {
        let n = 1 + self.below(5);
        let (var, _) = self.p.index("w", n);
        let n = Make::u32(self.p, n);
        self.level = Level::Warp;
        let body = self.list(depth);
        self.level = Level::Block;
        stmt(StmtKind::DistrPar { level: Level::Warp, var, n, body })
    }
}

fn random(seed: u64, threads: u32) -> Program {
    let mut p = fixture::program(threads);
    p.shared_limit = 1 << 20;
    let (_, input) = p.input("x", ScalarType::U32);
    let len = Make::u32(&mut p, 8 * BLOCKS);
    let out = p.output(ScalarType::U32, len);
    let blocks = Make::u32(&mut p, BLOCKS);
    let body = p.distribute(Level::Block, blocks, |p, b| {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut g = Gen { p, state, input, level: Level::Block, full: Vec::new() };
        let mut list = Vec::new();
        g.fresh(&mut list);
        g.fresh(&mut list);
        list.extend(g.list(2));
        let eight = Make::u32(g.p, 8);
        let base = g.p.op(BinOp::Mul, b, eight);
        let (var, i) = g.p.index("i", 8);
        let (value, index) = (g.element(i, out), g.p.op(BinOp::Add, base, i));
        let body = vec![stmt(StmtKind::Assign { array: out, index, value })];
        list.push(stmt(StmtKind::ForAll { level: Level::Block, var, n: eight, body }));
        list
    });
    p.body = vec![body];
    p
}

/// Every array on a place of its own, no barrier: right where threads and blocks run one after another, if one thread
/// is all there is.
fn plain(seed: u64, data: &[u32]) -> Result<Option<Vec<u32>>, Fault> {
    let mut p = random(seed, 1);
    layout::run(&mut p).expect("fits");
    let mut at = 0;
    for array in p.arrays.iter_mut().filter(|a| matches!(a.space, Space::Shared(_))) {
        array.offset = Some(at);
        at += 4 * 64;
    }
    p.shared_bytes = at;
    Ok(interp::run(&p, &Args::new().buffer(data.to_vec()))?.to_vec(0))
}

#[test]
fn random_programs_run_without_a_fault() {
    let data: Vec<u32> = (0..INPUT).map(|i| i * 37 % 101).collect();
    for seed in 0..150 {
        let expected = plain(seed, &data);
        let threads = [1, 32, 48, 64, 100][seed as usize % 5];
        let mut p = random(seed, threads);
        structured(&mut p).expect("fits");
        let found = interp::run(&native(&p), &Args::new().buffer(data.clone()));
        let found = found.map(|o| o.to_vec::<u32>(0));
        assert_eq!(found, expected, "seed {seed}, {threads} threads\n{}", print(&p));
        let machine = Ok(Some(run_on(&machine(&p), 2, &data)));
        assert_eq!(machine, expected, "seed {seed}, {threads} threads\n{}", print(&p));
        let group = Ok(Some(run_on(&group(&p), 2, &data)));
        assert_eq!(group, expected, "group form, seed {seed}, {threads} threads\n{}", print(&p));
    }
}

/// How many shuffles a list holds.
fn shuffles(list: &Block) -> usize {
    let own = list.iter().filter(|s| matches!(s.kind, StmtKind::Shuffle { .. })).count();
    own + list.iter().flat_map(|s| walk::nested(&s.kind)).map(shuffles).sum::<usize>()
}

#[test]
fn random_programs_mean_the_same_with_their_warps_arrays_in_lanes() {
    let data: Vec<u32> = (0..INPUT).map(|i| i * 37 % 101).collect();
    let (mut kept, mut in_memory) = (0, 0);
    for seed in 0..80 {
        let expected = plain(seed, &data);
        let threads = [1, 32, 48, 64, 100][seed as usize % 5];
        let mut p = random(seed, threads);
        for array in p.arrays.iter_mut().filter(|a| a.space == Space::Shared(Level::Warp)) {
            array.space = Space::Lanes;
        }
        lanes::run(&mut p);
        structured(&mut p).expect("fits");
        let p = machine(&p);
        assert_eq!(Ok(Some(run_on(&p, 2, &data))), expected, "seed {seed}, {threads} threads\n{}", print(&p));
        kept += shuffles(&p.body);
        in_memory += p.arrays.iter().filter(|a| a.space == Space::Shared(Level::Warp)).count();
    }
    assert!(kept > 50 && in_memory > 10, "{kept} shuffles, {in_memory} arrays in memory");
}
