//! Nests of branches, by comparison with the program before it on the interpreter, which knows what must not be read.

use super::*;
use crate::passes::fixture::{self, Make, stmt};
use crate::program::{ArrayId, ScalarType, print};
use crate::validate::{self, Form};

const N: u32 = 64;

/// `local t; if x[i] > 0 { if x[i - 1] > 1 { if x[i - 2] > 2 .. t = x[i - depth] .. } }`, and 100 times the depth where it ends: what is
/// behind a condition must not be read where it does not hold, since there is nothing before the first element.
fn nest(levels: u32) -> Program {
    let mut p = fixture::program(32);
    let (param, x) = p.input("x", ScalarType::U32);
    let len = p.exprs.input_len(param);
    let out = p.output(ScalarType::U32, len);
    let one = Make::u32(&mut p, 1);
    let block = p.distribute(crate::level::Level::Block, one, |p, _| {
        vec![p.for_all(crate::level::Level::Block, N, |p, i| {
            let t = p.new_var("t", ScalarType::U32, true, Range::full(ScalarType::U32));
            let inner = level(p, (x, i, t), 0, levels);
            let value = p.exprs.var(t);
            let write = stmt(StmtKind::Assign { array: out, index: i, value });
            vec![stmt(StmtKind::Local { var: t, init: None }), inner, write]
        })]
    });
    p.body = vec![block];
    crate::passes::structured(&mut p).expect("it fits");
    p
}

fn level(p: &mut Program, (x, i, t): (ArrayId, ExprId, VarId), at: u32, levels: u32) -> Stmt {
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
        level(p, (x, i, t), at + 1, levels)
    };
    let sum = p.op(BinOp::Add, own_value, hundred);
    let ends = vec![stmt(StmtKind::Set { var: own, value: sum }), stmt(StmtKind::Set { var: t, value: own_value })];
    let inner = stmt(StmtKind::If { cond: is_more, then: vec![then], els: ends });
    let body = vec![stmt(StmtKind::Local { var: own, init: Some(read) }), inner];
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

#[test]
fn what_writes_or_might_divide_by_nothing_stays() {
    for (what, value) in [("a quotient", true), ("a write", false)] {
        let mut p = nest(4);
        let mut body = std::mem::take(&mut p.body);
        innermost(&mut p, &mut body, value);
        p.body = body;
        let before = print(&p);
        run(&mut p);
        assert_eq!(before, print(&p), "{what}");
    }
}

/// Makes the innermost branch divide by what it has read, or write.
fn innermost(p: &mut Program, list: &mut Block, divides: bool) {
    let deep = list.iter().position(|stmt| walk::nested(&stmt.kind).any(|inner| !inner.is_empty()));
    match deep {
        Some(at) => {
            let inner = walk::nested_mut(&mut list[at].kind).next().expect("a block");
            innermost(p, inner, divides);
        }
        None => {
            let Some(StmtKind::Set { var, value }) = list.first().map(|stmt| stmt.kind.clone()) else { panic!() };
            let one = Make::u32(p, 1);
            let by = p.op(BinOp::Add, value, one);
            let value = p.op(BinOp::Div, one, by);
            let array = ArrayId(p.arrays.len() as u32 - 1);
            let zero = Make::u32(p, 0);
            list[0].kind = match divides {
                true => StmtKind::Set { var, value },
                false => StmtKind::Assign { array, index: zero, value: zero },
            };
        }
    }
}
