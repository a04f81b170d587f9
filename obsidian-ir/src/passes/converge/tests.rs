//! Warp programs whose warps part ways, in group form on the interpreter, which refuses a barrier that a thread of
//! the block does not reach; the interpreter says what they mean.

use super::conditional;
use crate::interp::{self, Args};
use crate::level::Level;
use crate::passes::fixture::{self, Make, stmt};
use crate::passes::fixture::{group, native, run_untested};
use crate::passes::{structured, walk};
use crate::program::{ArrayId, BinOp, Block, ExprId, Program, Range, ScalarType, Space, Stmt, StmtKind, VarId, print};

const THREADS: [u32; 7] = [1, 31, 32, 33, 64, 100, 257];
/// Warp programs in a block.
const WARPS: u32 = 5;
const BLOCKS: u32 = 2;

/// What the body of a warp program is made from.
struct Warp {
    /// The warp's first element, in input and output.
    base: ExprId,
    /// A number that differs from warp to warp.
    number: ExprId,
    /// Two arrays of 32 elements; `s` is filled.
    s: ArrayId,
    t: ArrayId,
}

/// `out` is the 32 elements of each warp after `body` has changed them in `s`.
fn program(threads: u32, body: &dyn Fn(&mut Program, &Warp) -> Block) -> Program {
    let mut p = fixture::program(threads);
    let (_, input) = p.input("x", ScalarType::U32);
    let (lanes, warps, blocks) = (Make::u32(&mut p, 32), Make::u32(&mut p, WARPS), Make::u32(&mut p, BLOCKS));
    let len = Make::u32(&mut p, 32 * WARPS * BLOCKS);
    let out = p.output(ScalarType::U32, len);
    p.blocks = blocks;
    let block = p.distribute(Level::Block, blocks, |p, b| {
        vec![p.distribute(Level::Warp, warps, |p, w| {
            let at = p.op(BinOp::Mul, b, warps);
            let at = p.op(BinOp::Add, at, w);
            let base = p.op(BinOp::Mul, at, lanes);
            let [s, t] = ["s", "t"].map(|n| p.new_array(n, ScalarType::U32, 32, Space::Shared(Level::Warp)));
            let mut list = vec![stmt(StmtKind::Allocate { array: s }), stmt(StmtKind::Allocate { array: t })];
            list.push(p.for_all(Level::Warp, 32, |p, i| {
                let index = p.op(BinOp::Add, base, i);
                let value = p.get(input, index);
                vec![stmt(StmtKind::Assign { array: s, index: i, value })]
            }));
            let number = p.get(input, base);
            list.extend(body(p, &Warp { base, number, s, t }));
            list.push(p.for_all(Level::Warp, 32, |p, i| {
                let (index, value) = (p.op(BinOp::Add, base, i), p.get(s, i));
                vec![stmt(StmtKind::Assign { array: out, index, value })]
            }));
            list
        })]
    });
    p.body = vec![block];
    p
}

/// `s` turned by one and `plus` added: crosses lanes, so it needs barriers.
fn turn(p: &mut Program, w: &Warp, plus: ExprId) -> Block {
    let (one, lanes) = (Make::u32(p, 1), Make::u32(p, 32));
    let forth = p.for_all(Level::Warp, 32, |p, i| {
        let next = p.op(BinOp::Add, i, one);
        let next = p.op(BinOp::Rem, next, lanes);
        let (a, index) = (p.get(w.s, next), i);
        let value = p.op(BinOp::Add, a, plus);
        vec![stmt(StmtKind::Assign { array: w.t, index, value })]
    });
    let back = p.for_all(Level::Warp, 32, |p, i| {
        let value = p.get(w.t, i);
        vec![stmt(StmtKind::Assign { array: w.s, index: i, value })]
    });
    vec![forth, back]
}

/// The group form means what the interpreter says, for all numbers of threads.
fn same(body: &dyn Fn(&mut Program, &Warp) -> Block) {
    let data: Vec<u32> = (0..32 * WARPS * BLOCKS).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    for threads in THREADS {
        let mut p = program(threads, body);
        structured(&mut p).expect("fits");
        let expected = interp::run(&native(&p), &Args::new().buffer(data.clone()));
        let expected = expected.unwrap_or_else(|f| panic!("{threads} threads: {f}\n{}", print(&p)));
        let group = group(&p);
        assert!(!warps_wait(&group.body), "{}", print(&group));
        runs(&group, &data, &expected.to_vec::<u32>(0).expect("an output"));
    }
}

/// A group form gives this on each number of real blocks that is not larger than its own, and has no barrier under a
/// condition.
fn runs(group: &Program, data: &[u32], expected: &[u32]) {
    assert!(!group.body.iter().any(|s| conditional(group, s)), "{}", print(group));
    for grid in 1..=BLOCKS {
        let found = run_untested(group, grid, data);
        assert_eq!(found, expected, "{} threads, {grid} blocks\n{}", group.threads, print(group));
    }
}

fn warps_wait(list: &Block) -> bool {
    list.iter()
        .any(|s| matches!(s.kind, StmtKind::Sync { scope: Level::Warp }) || walk::nested(&s.kind).any(warps_wait))
}

fn constants<const N: usize>(p: &mut Program, values: [u32; N]) -> [ExprId; N] {
    values.map(|v| Make::u32(p, v))
}

#[test]
fn straight_code() {
    same(&|p, w| {
        let seven = Make::u32(p, 7);
        turn(p, w, seven)
    });
}

#[test]
fn a_value_from_one_phase_is_seen_in_the_next() {
    same(&|p, w| {
        let value = p.op(BinOp::Add, w.number, w.base);
        let (var, seen) = p.index("seen", u32::MAX);
        let mut list = vec![stmt(StmtKind::Let { var, value })];
        list.extend(turn(p, w, seen));
        list
    });
}

#[test]
fn branches_that_some_warps_take() {
    same(&|p, w| {
        let [two, three, five, zero] = constants(p, [2, 3, 5, 0]);
        let odd = p.op(BinOp::Rem, w.number, two);
        let cond = p.op(BinOp::Ne, odd, zero);
        let mut then = turn(p, w, three);
        let rest = p.op(BinOp::Rem, w.number, three);
        let inner = p.op(BinOp::Eq, rest, zero);
        let nested = StmtKind::If { cond: inner, then: turn(p, w, two), els: Vec::new() };
        then.push(stmt(nested));
        vec![stmt(StmtKind::If { cond, then, els: turn(p, w, five) })]
    });
}

#[test]
fn loops_that_some_warps_leave_early() {
    same(&|p, w| {
        let [zero, one, four] = constants(p, [0, 1, 4]);
        let end = p.op(BinOp::Rem, w.number, four);
        let (var, k) = p.index("k", 4);
        let body = turn(p, w, k);
        let outer = stmt(StmtKind::SeqFor { var, start: zero, end, step: one, body });
        let (var, k) = p.index("m", 4);
        let body = turn(p, w, k);
        vec![outer, stmt(StmtKind::SeqFor { var, start: end, end: four, step: one, body })]
    });
}

#[test]
fn a_loop_whose_index_cannot_pass_its_end() {
    same(&|p, w| {
        let [two, end] = constants(p, [2, u32::MAX]);
        let rest = p.op(BinOp::Rem, w.number, two);
        let near = Make::u32(p, u32::MAX - 3);
        let start = p.op(BinOp::Add, near, rest);
        let var = p.new_var("k", ScalarType::U32, false, Range::full(ScalarType::U32));
        let k = p.exprs.var(var);
        let body = turn(p, w, k);
        vec![stmt(StmtKind::SeqFor { var, start, end, step: two, body })]
    });
}

/// `while k < number % 5 { s turned; k += 1 }`, with the test's operand bound in the loop's head.
fn counting(p: &mut Program, w: &Warp) -> (Stmt, Stmt, VarId) {
    let [zero, one, five] = constants(p, [0, 1, 5]);
    let k = p.new_var("k", ScalarType::U32, true, Range::full(ScalarType::U32));
    let count = p.exprs.var(k);
    let (limit, seen) = p.index("limit", 5);
    let value = p.op(BinOp::Rem, w.number, five);
    let mut head = turn(p, w, one);
    head.push(stmt(StmtKind::Let { var: limit, value }));
    let cond = p.op(BinOp::Lt, count, seen);
    let mut body = turn(p, w, seen);
    let next = p.op(BinOp::Add, count, one);
    body.push(stmt(StmtKind::Set { var: k, value: next }));
    let first = stmt(StmtKind::Local { var: k, init: Some(zero) });
    (first, stmt(StmtKind::SeqWhile { head, cond, body }), k)
}

#[test]
fn loops_with_a_test() {
    same(&|p, w| {
        let (first, repeated, k) = counting(p, w);
        let count = p.exprs.var(k);
        let mut list = vec![first, repeated];
        list.extend(turn(p, w, count));
        list
    });
}

#[test]
fn a_loop_in_a_branch_in_a_loop() {
    same(&|p, w| {
        let [zero, one, two, three] = constants(p, [0, 1, 2, 3]);
        let (var, k) = p.index("n", 3);
        let sum = p.op(BinOp::Add, w.number, k);
        let odd = p.op(BinOp::Rem, sum, two);
        let cond = p.op(BinOp::Ne, odd, zero);
        let (first, repeated, _) = counting(p, w);
        let branch = stmt(StmtKind::If { cond, then: vec![first, repeated], els: turn(p, w, k) });
        vec![stmt(StmtKind::SeqFor { var, start: zero, end: three, step: one, body: vec![branch] })]
    });
}

#[test]
fn only_loops_that_differ_are_voted_on() {
    let votes = |body: &dyn Fn(&mut Program, &Warp) -> Block| {
        let mut p = program(64, body);
        structured(&mut p).expect("fits");
        let (before, group) = (p.shared_bytes, group(&p));
        (before, group.shared_bytes, group.arrays.iter().any(|a| a.name.starts_with("votes")))
    };
    let (before, after, any) = votes(&|p, w| {
        let [zero, one, three] = constants(p, [0, 1, 3]);
        let (var, k) = p.index("k", 3);
        let body = turn(p, w, k);
        vec![stmt(StmtKind::SeqFor { var, start: zero, end: three, step: one, body })]
    });
    assert!(before == after && !any);
    let (before, after, any) = votes(&|p, w| {
        let (first, repeated, _) = counting(p, w);
        vec![first, repeated]
    });
    assert!(any);
    // Two warps, a word each, in bank 0.
    assert_eq!(after, before.next_multiple_of(128) + 8);
}

/// What the body of a block is made from: its number, and two arrays of 40 elements; `s` is filled.
struct OfBlock {
    number: ExprId,
    s: ArrayId,
    t: ArrayId,
}

/// Elements of a block.
const LEN: u32 = 40;

/// `out` is the elements of each block after `body` has changed them in `s`. Unless `copied` is 0, a second loop copies that
/// number of blocks of the same length.
fn blocks(threads: u32, copied: u32, body: &dyn Fn(&mut Program, &OfBlock) -> Block) -> Program {
    let mut p = fixture::program(threads);
    let (_, input) = p.input("x", ScalarType::U32);
    let [len, blocks, all, fewer] = constants(&mut p, [LEN, BLOCKS, LEN * (BLOCKS + copied), copied]);
    let out = p.output(ScalarType::U32, all);
    p.blocks = blocks;
    let block = p.distribute(Level::Block, blocks, |p, number| {
        let base = p.op(BinOp::Mul, number, len);
        let [s, t] = ["s", "t"].map(|n| p.new_array(n, ScalarType::U32, LEN, Space::Shared(Level::Block)));
        let mut list = vec![stmt(StmtKind::Allocate { array: s }), stmt(StmtKind::Allocate { array: t })];
        list.push(p.for_all(Level::Block, LEN, |p, i| {
            let index = p.op(BinOp::Add, base, i);
            let value = p.get(input, index);
            vec![stmt(StmtKind::Assign { array: s, index: i, value })]
        }));
        list.extend(body(p, &OfBlock { number, s, t }));
        list.push(p.for_all(Level::Block, LEN, |p, i| {
            let (index, value) = (p.op(BinOp::Add, base, i), p.get(s, i));
            vec![stmt(StmtKind::Assign { array: out, index, value })]
        }));
        list
    });
    p.body = vec![block];
    if copied > 0 {
        let beside = p.distribute(Level::Block, fewer, |p, number| {
            let s = p.new_array("u", ScalarType::U32, LEN, Space::Shared(Level::Block));
            let at = p.op(BinOp::Add, number, blocks);
            let base = p.op(BinOp::Mul, at, len);
            let first = p.for_all(Level::Block, LEN, |p, i| {
                let index = p.op(BinOp::Add, base, i);
                let value = p.get(input, index);
                let last = Make::u32(p, LEN - 1);
                let index = p.op(BinOp::Sub, last, i);
                vec![stmt(StmtKind::Assign { array: s, index, value })]
            });
            let then = p.for_all(Level::Block, LEN, |p, i| {
                let (index, value) = (p.op(BinOp::Add, base, i), p.get(s, i));
                vec![stmt(StmtKind::Assign { array: out, index, value })]
            });
            vec![stmt(StmtKind::Allocate { array: s }), first, then]
        });
        p.body.push(beside);
    }
    p
}

/// The group form means what the interpreter says, for all numbers of threads.
fn same_in_blocks(copied: u32, body: &dyn Fn(&mut Program, &OfBlock) -> Block) {
    let data: Vec<u32> = (0..LEN * (BLOCKS + copied)).map(|i| i.wrapping_mul(2_654_435_761) >> 9).collect();
    for threads in THREADS {
        let mut p = blocks(threads, copied, body);
        structured(&mut p).expect("fits");
        let expected = interp::run(&native(&p), &Args::new().buffer(data.clone()));
        let expected = expected.unwrap_or_else(|f| panic!("{threads} threads: {f}\n{}", print(&p)));
        runs(&group(&p), &data, &expected.to_vec::<u32>(0).expect("an output"));
    }
}

/// `s` turned by one and `plus` added: crosses threads, so it needs barriers.
fn turned(p: &mut Program, w: &OfBlock, plus: ExprId) -> Block {
    let [one, len] = constants(p, [1, LEN]);
    let forth = p.for_all(Level::Block, LEN, |p, i| {
        let next = p.op(BinOp::Add, i, one);
        let next = p.op(BinOp::Rem, next, len);
        let a = p.get(w.s, next);
        let value = p.op(BinOp::Add, a, plus);
        vec![stmt(StmtKind::Assign { array: w.t, index: i, value })]
    });
    let back = p.for_all(Level::Block, LEN, |p, i| {
        let value = p.get(w.t, i);
        vec![stmt(StmtKind::Assign { array: w.s, index: i, value })]
    });
    vec![forth, back]
}

#[test]
fn barriers_in_branches_of_a_whole_block() {
    same_in_blocks(0, &|p, w| {
        let [zero, three, five, seven] = constants(p, [0, 3, 5, 7]);
        let cond = p.op(BinOp::Eq, w.number, zero);
        let value = p.op(BinOp::Mul, w.number, three);
        let (var, seen) = p.index("seen", u32::MAX);
        let mut then = vec![stmt(StmtKind::Let { var, value })];
        then.extend(turned(p, w, five));
        let inner = p.op(BinOp::Lt, w.number, seven);
        then.push(stmt(StmtKind::If { cond: inner, then: turned(p, w, seen), els: Vec::new() }));
        vec![stmt(StmtKind::If { cond, then, els: turned(p, w, seven) })]
    });
}

#[test]
fn loops_of_a_whole_block_that_may_have_no_round() {
    same_in_blocks(0, &|p, w| {
        let [zero, one, two, three] = constants(p, [0, 1, 2, 3]);
        let end = p.op(BinOp::Mul, w.number, two);
        let (var, k) = p.index("k", 4);
        let mut body = turned(p, w, k);
        let (var2, m) = p.index("m", 4);
        let inner = turned(p, w, m);
        body.push(stmt(StmtKind::SeqFor { var: var2, start: k, end: two, step: one, body: inner }));
        let (var3, n) = p.index("n", 4);
        let always = turned(p, w, n);
        vec![
            stmt(StmtKind::SeqFor { var, start: zero, end, step: one, body }),
            stmt(StmtKind::SeqFor { var: var3, start: zero, end: three, step: two, body: always }),
        ]
    });
}

#[test]
fn loops_of_a_whole_block_with_a_test() {
    for head_waits in [true, false] {
        same_in_blocks(0, &|p, w| {
            let [zero, one, three] = constants(p, [0, 1, 3]);
            let k = p.new_var("k", ScalarType::U32, true, Range::full(ScalarType::U32));
            let count = p.exprs.var(k);
            let (limit, seen) = p.index("limit", 5);
            let value = p.op(BinOp::Mul, w.number, three);
            let mut head = if head_waits { turned(p, w, one) } else { Vec::new() };
            head.push(stmt(StmtKind::Let { var: limit, value }));
            let cond = p.op(BinOp::Lt, count, seen);
            let mut body = turned(p, w, seen);
            let next = p.op(BinOp::Add, count, one);
            body.push(stmt(StmtKind::Set { var: k, value: next }));
            vec![stmt(StmtKind::Local { var: k, init: Some(zero) }), stmt(StmtKind::SeqWhile { head, cond, body })]
        });
    }
}

#[test]
fn a_loop_with_fewer_blocks_than_another_asks_before_its_first_round() {
    same_in_blocks(1, &|p, w| {
        let three = Make::u32(p, 3);
        turned(p, w, three)
    });
}
