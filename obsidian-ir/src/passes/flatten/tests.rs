//! Nests of branches, by comparison with the program before it on the interpreter, which knows what must not be read.

use super::*;
use crate::passes::fixture::{self, Make, stmt};
use crate::program::{ArrayId, ScalarType, Space, print};
use crate::validate::{self, Form};

const N: u32 = 64;

/// `local t; if x[i] > 0 { if x[i - 1] > 1 { if x[i - 2] > 2 .. t = x[i - depth] .. } }`, and 100 times the depth where it ends: what is
/// behind a condition must not be read where it does not hold, since there is nothing before the first element. On the way each level updates an
/// element, so that the order of reads and writes shows.
fn nest(levels: u32) -> Program {
    let mut p = fixture::program(32);
    let (param, x) = p.input("x", ScalarType::U32);
    let len = p.exprs.input_len(param);
    let out = p.output(ScalarType::U32, len);
    let one = Make::u32(&mut p, 1);
    let block = p.distribute(crate::level::Level::Block, one, |p, _| {
        vec![p.for_all(crate::level::Level::Block, N, |p, i| {
            let t = p.new_var("t", ScalarType::U32, true, Range::full(ScalarType::U32));
            let l = p.new_array("l", ScalarType::U32, 1, Space::Local);
            let zero = Make::u32(p, 0);
            let inner = level(p, (x, l, i, t), 0, levels);
            let (value, updated) = (p.exprs.var(t), p.get(l, zero));
            let value = p.op(BinOp::Xor, value, updated);
            vec![
                stmt(StmtKind::Allocate { array: l }),
                stmt(StmtKind::Assign { array: l, index: zero, value: zero }),
                stmt(StmtKind::Local { var: t, init: None }),
                inner,
                stmt(StmtKind::Assign { array: out, index: i, value }),
            ]
        })]
    });
    p.body = vec![block];
    crate::passes::structured(&mut p).expect("it fits");
    p
}

/// `l[0] = l[0] * 3 + by`.
fn update(p: &mut Program, l: ArrayId, by: ExprId) -> Stmt {
    let (zero, three) = (Make::u32(p, 0), Make::u32(p, 3));
    let held = p.get(l, zero);
    let product = p.op(BinOp::Mul, held, three);
    let value = p.op(BinOp::Add, product, by);
    stmt(StmtKind::Assign { array: l, index: zero, value })
}

fn level(p: &mut Program, (x, l, i, t): (ArrayId, ArrayId, ExprId, VarId), at: u32, levels: u32) -> Stmt {
    let (at_level, hundred) = (Make::u32(p, at), Make::u32(p, 100 + at));
    let place = p.op(BinOp::Sub, i, at_level);
    let read = p.get(x, place);
    let is_there = p.op(BinOp::Ge, i, at_level);
    // An own variable of each level, which both sides of the inner branch set or leave.
    let own = p.new_var("own", ScalarType::U32, true, Range::full(ScalarType::U32));
    let own_value = p.exprs.var(own);
    let is_more = p.op(BinOp::Gt, own_value, at_level);
    let then = if at + 1 == levels {
        stmt(StmtKind::Set { var: t, value: own_value })
    } else {
        level(p, (x, l, i, t), at + 1, levels)
    };
    let sum = p.op(BinOp::Add, own_value, hundred);
    let (before, after) = (update(p, l, own_value), update(p, l, hundred));
    let changed = stmt(StmtKind::Set { var: own, value: sum });
    // There is such an element where the value is as small as the level.
    let seven = Make::u32(p, 7);
    let far = p.op(BinOp::Mul, own_value, seven);
    let far = p.get(x, far);
    let ends = vec![
        update(p, l, own_value),
        stmt(StmtKind::Set { var: t, value: far }),
        stmt(StmtKind::Set { var: own, value: hundred }),
    ];
    let inner = stmt(StmtKind::If { cond: is_more, then: vec![before, then, after, changed], els: ends });
    let body = vec![stmt(StmtKind::Local { var: own, init: Some(read) }), inner, update(p, l, own_value)];
    let none = vec![stmt(StmtKind::Set { var: t, value: at_level })];
    stmt(StmtKind::If { cond: is_there, then: body, els: none })
}

fn deepest(list: &Block) -> usize {
    let inner = list.iter().flat_map(|stmt| walk::nested(&stmt.kind)).map(deepest).max().unwrap_or(0);
    inner.max(depth(list))
}

#[test]
fn a_deep_nest_reads_what_it_read_and_gives_what_it_gave() {
    let inputs = [0u32, 3, 17].map(|k| (0..N).map(|i| (i * 7 + k) % 11).collect::<Vec<u32>>());
    for levels in 1..9 {
        let before = nest(levels);
        let mut after = before.clone();
        run(&mut after);
        validate::check(&after, &Form::STRUCTURED).unwrap_or_else(|e| panic!("{e}\n{}", print(&after)));
        assert!(deepest(&after.body) <= MAX_DEPTH, "{levels} levels\n{}", print(&after));
        assert_eq!(2 * levels as usize <= MAX_DEPTH, print(&before) == print(&after), "{levels} levels");
        for input in &inputs {
            assert_eq!(fixture::run_on(&after, 1, input), fixture::run_on(&before, 1, input), "{levels} levels");
            let machine = fixture::machine(&before);
            assert!(deepest(&machine.body) <= MAX_DEPTH + 1);
            assert_eq!(fixture::run_on(&machine, 1, input), fixture::run_on(&before, 1, input), "{levels} levels");
        }
    }
}

/// What is put into a nest.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Obstacle {
    Quotient,
    QuotientInCondition,
    Loop,
}

fn nest_with(obstacle: Obstacle) -> Program {
    let mut p = nest(6);
    let mut body = std::mem::take(&mut p.body);
    innermost(&mut p, &mut body, obstacle);
    p.body = body;
    p
}

/// How deep the shallowest quotient by a variable stands.
fn shallowest(p: &Program, list: &Block) -> Option<usize> {
    let of = |stmt: &Stmt| {
        let divides = |id: &ExprId| matches!(p.exprs.expr(*id), Expr::Bin(BinOp::Div, ..));
        let own = walk::reachable(&p.exprs, walk::direct(&stmt.kind), |_| false).iter().any(divides);
        let inner = walk::nested(&stmt.kind).filter_map(|inner| shallowest(p, inner)).min();
        if own { Some(0) } else { inner.map(|depth| depth + 1) }
    };
    list.iter().filter_map(of).min()
}

#[test]
fn what_goes_round_in_a_nest_keeps_it() {
    let mut p = nest_with(Obstacle::Loop);
    let before = print(&p);
    run(&mut p);
    assert_eq!(before, print(&p));
}

#[test]
fn what_might_divide_by_nothing_does_so_only_where_it_is_asked_for() {
    for obstacle in [Obstacle::Quotient, Obstacle::QuotientInCondition] {
        let mut p = nest_with(obstacle);
        run(&mut p);
        assert!(deepest(&p.body) <= MAX_DEPTH, "{obstacle:?}\n{}", print(&p));
        // Within the block, its threads, and a branch.
        assert_eq!(shallowest(&p, &p.body), Some(3), "{obstacle:?}\n{}", print(&p));
    }
}

/// Puts it into the innermost branch that sets a variable first.
fn innermost(p: &mut Program, list: &mut Block, obstacle: Obstacle) {
    let deep = list.iter().position(|stmt| walk::nested(&stmt.kind).any(|inner| !inner.is_empty()));
    let (zero, one) = (Make::u32(p, 0), Make::u32(p, 1));
    if let Some(at) = deep {
        if let (StmtKind::If { cond, .. }, Obstacle::QuotientInCondition) = (&mut list[at].kind, obstacle) {
            let number = p.exprs.cast(*cond, ScalarType::U32);
            let quotient = p.op(BinOp::Div, one, number);
            *cond = p.op(BinOp::Gt, quotient, zero);
        }
        let inner = walk::nested_mut(&mut list[at].kind).next().expect("a block");
        return innermost(p, inner, obstacle);
    }
    let at = list.iter().position(|stmt| matches!(stmt.kind, StmtKind::Set { .. })).expect("it sets");
    let StmtKind::Set { var, value } = list[at].kind else { return };
    match obstacle {
        Obstacle::Quotient => {
            let by = p.op(BinOp::Add, value, one);
            list[at].kind = StmtKind::Set { var, value: p.op(BinOp::Div, one, by) };
        }
        Obstacle::Loop => {
            let (counter, _) = p.index("k", 1);
            let body = vec![stmt(StmtKind::Set { var, value })];
            list[at].kind = StmtKind::SeqFor { var: counter, start: zero, end: one, step: one, body };
        }
        Obstacle::QuotientInCondition => {}
    }
}
