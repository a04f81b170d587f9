//! Scheduling, by printed programs and by comparison with the program before it on the interpreter.

use super::*;
use crate::level::Level;
use crate::passes::fixture::{self, Make, stmt};
use crate::program::{ArrayId, BinOp, Claim, Program, ScalarType, Space, VarId, print};

/// A program of one thread per element of the input: `body(program, input, out, i)` is the thread code.
pub(super) fn threads(n: u32, body: impl FnOnce(&mut Program, ArrayId, ArrayId, ExprId) -> Block) -> Program {
    let mut p = fixture::program(32);
    let (param, x) = p.input("x", ScalarType::U32);
    let len = p.exprs.input_len(param);
    let out = p.output(ScalarType::U32, len);
    let one = Make::u32(&mut p, 1);
    let block = p.distribute(Level::Block, one, |p, _| vec![p.for_all(Level::Block, n, |p, i| body(p, x, out, i))]);
    p.body = vec![block];
    p
}

pub(super) fn set(array: ArrayId, index: ExprId, value: ExprId) -> Stmt {
    stmt(StmtKind::Assign { array, index, value })
}

/// The scheduled thread code, one line per statement.
fn scheduled(p: &Program) -> Vec<String> {
    let mut p = p.clone();
    run(&mut p);
    check_trees(&p, &p.body);
    print(&p).lines().skip_while(|l| !l.contains("forall")).skip(1).map(|l| l.trim().to_string()).collect()
}

/// What the pass ensures of every expression.
pub(super) fn check_trees(p: &Program, list: &Block) {
    for s in list {
        for id in walk::direct(&s.kind) {
            check_tree(p, id, 0);
        }
        walk::nested(&s.kind).for_each(|b| check_trees(p, b));
    }
}

fn check_tree(p: &Program, id: ExprId, depth: u32) {
    assert!(depth <= MAX_HEIGHT + 1, "too deep");
    if let Expr::Select(_, a, b) = p.exprs.expr(id) {
        let inside = walk::reachable(&p.exprs, [a, b], |_| false);
        assert!(!inside.iter().any(|&x| matches!(p.exprs.expr(x), Expr::Load(..))), "{}", print(p));
    }
    walk::operands(p.exprs.expr(id)).for_each(|x| check_tree(p, x, depth + 1));
}

pub(super) fn mutable(p: &mut Program) -> (VarId, ExprId) {
    let range = crate::program::Range::full(ScalarType::U32);
    let var = p.new_var("m", ScalarType::U32, true, range);
    (var, p.exprs.var(var))
}

#[test]
fn a_shared_chain_is_computed_once() {
    let p = threads(8, |p, x, out, i| {
        let mut v = p.get(x, i);
        for _ in 0..20 {
            v = p.op(BinOp::Mul, v, v);
        }
        vec![set(out, i, v)]
    });
    let code = scheduled(&p);
    // The load and 19 products have names, the last is the value stored.
    assert_eq!(code.iter().filter(|l| l.starts_with("let")).count(), 20);
    assert_eq!(code.len(), 21);
}

#[test]
fn a_deep_tree_is_cut() {
    let p = threads(8, |p, x, out, i| {
        let mut v = p.get(x, i);
        for k in 1..1000 {
            let k = Make::u32(p, k);
            v = p.op(BinOp::Mul, v, i);
            v = p.op(BinOp::Xor, v, k);
        }
        vec![set(out, i, v)]
    });
    let code = scheduled(&p);
    assert!((30..60).contains(&code.len()), "{}", code.len());
}

#[test]
fn a_guarded_load_becomes_a_branch() {
    let p = threads(8, |p, x, out, i| {
        let (zero, one) = (Make::u32(p, 0), Make::u32(p, 1));
        let before = p.op(BinOp::Sub, i, one);
        let (cond, left) = (p.op(BinOp::Gt, i, zero), p.get(x, before));
        let value = p.exprs.select(cond, left, zero);
        vec![set(out, i, value)]
    });
    assert_eq!(scheduled(&p), ["local t2: u32", "if i1 > 0", "t2 = x[i1 - 1]", "else", "t2 = 0", "out[i1] = t2"]);
}

#[test]
fn loads_done_anyway_need_no_branch() {
    let p = threads(8, |p, x, out, i| {
        let one = Make::u32(p, 1);
        let j = p.op(BinOp::Xor, i, one);
        let (a, b) = (p.get(x, i), p.get(x, j));
        let less = p.op(BinOp::Lt, a, b);
        let value = p.exprs.select(less, a, b);
        vec![set(out, i, value)]
    });
    assert_eq!(scheduled(&p), ["let t2 = x[i1]", "let t3 = x[i1 ^ 1]", "out[i1] = if t2 < t3 { t2 } else { t3 }"]);
}

#[test]
fn work_on_a_load_done_anyway_is_shared_inside_a_select() {
    let p = threads(8, |p, x, out, i| {
        let (zero, three) = (Make::u32(p, 0), Make::u32(p, 3));
        let a = p.get(x, i);
        let cond = p.op(BinOp::Gt, a, three);
        let mut v = a;
        for _ in 0..20 {
            v = p.op(BinOp::Mul, v, v);
        }
        let value = p.exprs.select(cond, v, zero);
        vec![set(out, i, value)]
    });
    assert_eq!(scheduled(&p).len(), 21);
}

#[test]
fn a_conditional_accumulation_does_not_explode() {
    // v = if c { v + x[..] } else if d { v * 3 } else { v }, many times: v is in all branches.
    let p = threads(8, |p, x, out, i| {
        let mut v = p.get(x, i);
        for k in 0..40 {
            let (k, three) = (Make::u32(p, k), Make::u32(p, 3));
            let (c, d) = (p.op(BinOp::Gt, i, k), p.op(BinOp::Lt, v, k));
            let ahead = p.op(BinOp::Add, i, k);
            let load = p.get(x, ahead);
            let (sum, product) = (p.op(BinOp::Add, v, load), p.op(BinOp::Mul, v, three));
            let inner = p.exprs.select(d, product, v);
            v = p.exprs.select(c, sum, inner);
        }
        vec![set(out, i, v)]
    });
    assert!(scheduled(&p).len() < 40 * 10);
}

#[test]
fn names_die_with_what_they_depend_on() {
    let p = threads(8, |p, x, out, i| {
        let (m, mv) = mutable(p);
        let load = p.get(x, i);
        let square = p.op(BinOp::Mul, mv, mv);
        let sum = p.op(BinOp::Add, square, load);
        let next = p.op(BinOp::Add, i, i);
        vec![
            stmt(StmtKind::Local { var: m, init: Some(load) }),
            set(out, i, sum),
            stmt(StmtKind::Set { var: m, value: next }),
            set(out, i, sum),
        ]
    });
    let expected = [
        "let t3 = x[i1]",
        "local m2: u32 = t3",
        "let t4 = m2 * m2",
        "let t5 = t4 + t3",
        "out[i1] = t5",
        "m2 = i1 * 2",
        "let t6 = m2 * m2",
        "let t7 = t6 + t3",
        "out[i1] = t7",
    ];
    assert_eq!(scheduled(&p), expected);
}

#[test]
fn a_barrier_ends_what_is_known_of_shared_memory_only() {
    let mut p = fixture::program(32);
    let (_, x) = p.input("x", ScalarType::U32);
    let s = p.new_array("s", ScalarType::U32, 32, Space::Shared(Level::Block));
    let zero = Make::u32(&mut p, 0);
    let (a, b) = (p.get(x, zero), p.get(s, zero));
    let both = p.op(BinOp::Mul, a, b);
    let l = |p: &mut Program| {
        let (var, _) = p.index("v", 1);
        stmt(StmtKind::Let { var, value: both })
    };
    p.body = vec![l(&mut p), l(&mut p), stmt(StmtKind::Sync { scope: Level::Block }), l(&mut p)];
    run(&mut p);
    let text = print(&p);
    let code: Vec<&str> = text.lines().skip(4).map(str::trim).collect();
    assert_eq!(
        code,
        [
            "let t3 = x[0]",
            "let t4 = s[0]",
            "let v0(0..=0) = t3 * t4",
            "let v1 = v0",
            "sync Block",
            "let t5 = s[0]",
            "let v2(0..=0) = t3 * t5"
        ]
    );
}

#[test]
fn names_for_the_test_of_a_while_loop_are_made_in_each_round() {
    let p = threads(8, |p, x, out, i| {
        let (m, mv) = mutable(p);
        let (seven, one) = (Make::u32(p, 7), Make::u32(p, 1));
        let at = p.op(BinOp::And, mv, seven);
        let load = p.get(x, at);
        let square = p.op(BinOp::Mul, load, load);
        let cond = p.op(BinOp::Lt, square, seven);
        let next = p.op(BinOp::Add, mv, one);
        let body = vec![stmt(StmtKind::Set { var: m, value: next })];
        vec![
            stmt(StmtKind::Local { var: m, init: Some(i) }),
            stmt(StmtKind::SeqWhile { head: vec![], cond, body }),
            set(out, i, mv),
        ]
    });
    let code = scheduled(&p);
    let expected =
        ["local m2: u32 = i1", "loop", "let t3 = x[m2 & 7]", "while (t3 * t3) < 7", "m2 = m2 + 1", "out[i1] = m2"];
    assert_eq!(code, expected);
}

#[test]
fn the_end_of_a_loop_stays_what_it_was() {
    let p = threads(8, |p, x, out, i| {
        let (m, mv) = mutable(p);
        let (var, _) = p.index("k", 100);
        let (zero, one) = (Make::u32(p, 0), Make::u32(p, 1));
        let body = vec![stmt(StmtKind::Set { var: m, value: zero })];
        let init = p.get(x, i);
        vec![
            stmt(StmtKind::Local { var: m, init: Some(init) }),
            stmt(StmtKind::SeqFor { var, start: zero, end: mv, step: one, body }),
            set(out, i, mv),
        ]
    });
    assert_eq!(scheduled(&p)[1..3], ["let t4 = m2", "seq k3(0..=99) in 0..t4"]);
}

#[test]
fn who_answers_for_a_write_is_kept_and_printed() {
    let p = threads(32, |p, x, out, i| {
        let value = p.exprs.load(x, i, ScalarType::U32);
        let claimed = |claim| Stmt { claim, ..set(out, i, value) };
        vec![claimed(Claim::ByConstruction), claimed(Claim::MustProve), claimed(Claim::Author)]
    });
    let writes: Vec<_> = scheduled(&p).into_iter().filter(|line| line.contains("out")).collect();
    let words: Vec<_> = writes.iter().map(|line| line.split("out").next().unwrap_or("").trim()).collect();
    assert_eq!(words, ["", "prove", "unsafe"], "{writes:#?}");
}
