//! What is named, what is not, and how large the text is then.

use std::collections::BTreeMap;

use super::copies::Copies;
use crate::interp::{self, Args};
use crate::level::Level;
use crate::passes::{self, fixture, fixture::Make, fixture::stmt, walk};
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, ScalarType, Stmt, StmtKind, print};

/// Elements of the input, all of which a thread may read.
const INPUT: u32 = 64;

/// A program of eight threads that each make statements of the input, the output and their number.
fn threads(body: impl FnOnce(&mut Program, ArrayId, ArrayId, ExprId) -> Block) -> Program {
    let mut p = fixture::program(8);
    let (param, x) = p.input("x", ScalarType::U32);
    let len = Make::u32(&mut p, 8);
    let out = p.output(ScalarType::U32, len);
    let (all, least) = (p.exprs.input_len(param), Make::u32(&mut p, INPUT));
    let cond = p.exprs.bin(BinOp::Ge, all, least);
    p.checks.push(crate::program::LaunchCheck { cond, message: "short".into(), found: all });
    let one = Make::u32(&mut p, 1);
    p.body = vec![p.distribute(Level::Block, one, |p, _| vec![p.for_all(Level::Block, 8, |p, i| body(p, x, out, i))])];
    p
}

fn set(array: ArrayId, index: ExprId, value: ExprId) -> Stmt {
    stmt(StmtKind::Assign { array, index, value })
}

/// `if i < 3 { a + b } else if i < 5 { max(a, b) } else if b == 0 { a } else { b }`.
fn chosen(p: &mut Program, i: ExprId, a: ExprId, b: ExprId) -> ExprId {
    let [zero, three, five] = [0, 3, 5].map(|k| Make::u32(p, k));
    let [sum, most] = [BinOp::Add, BinOp::Max].map(|op| p.op(op, a, b));
    let (first, second, none) = (p.op(BinOp::Lt, i, three), p.op(BinOp::Lt, i, five), p.op(BinOp::Eq, b, zero));
    let last = p.exprs.select(none, a, b);
    let rest = p.exprs.select(second, most, last);
    p.exprs.select(first, sum, rest)
}

/// `if i < 3 { a } else if i < 5 { b } else if i < 6 { a * a } else { b * b }`: no side needs both.
fn either(p: &mut Program, i: ExprId, a: ExprId, b: ExprId) -> ExprId {
    let [first, second, third] = [3, 5, 6].map(|k| {
        let k = Make::u32(p, k);
        p.op(BinOp::Lt, i, k)
    });
    let [a2, b2] = [a, b].map(|x| p.op(BinOp::Mul, x, x));
    let last = p.exprs.select(third, a2, b2);
    let rest = p.exprs.select(second, b, last);
    p.exprs.select(first, a, rest)
}

/// `x[i + k]`.
fn ahead(p: &mut Program, x: ArrayId, i: ExprId, k: u32) -> ExprId {
    let k = Make::u32(p, k);
    let at = p.op(BinOp::Add, i, k);
    p.get(x, at)
}

/// The elements from `x[i]` on, combined one after another.
fn chain(p: &mut Program, x: ArrayId, i: ExprId, depth: u32) -> ExprId {
    let first = ahead(p, x, i, 0);
    (1..=depth).fold(first, |acc, k| {
        let next = ahead(p, x, i, k);
        chosen(p, i, acc, next)
    })
}

fn proved(p: &Program) -> Program {
    passes::prove(p.clone()).unwrap_or_else(|e| panic!("{e}\n{}", print(p)))
}

fn structured(p: &Program) -> Program {
    let mut p = proved(p);
    passes::structured(&mut p).expect("it fits");
    p
}

fn native(p: &Program) -> passes::Native {
    fixture::native(&structured(p))
}

fn statements(p: &Program) -> usize {
    let mut n = 0;
    walk::each(&p.body, &mut |_| n += 1);
    n
}

fn input(n: u32) -> Vec<u32> {
    (0..n).map(|i| if i % 3 == 0 { 0 } else { i * 7 % 23 }).collect()
}

/// What the program that is not lowered gives, and the native and the machine form must.
fn agrees(p: &Program, n: u32) {
    let args = Args::new().buffer(input(n));
    let mut plain = p.clone();
    passes::structured(&mut plain).expect("it fits");
    let before = interp::run(&plain, &args).expect("the program as it is written");
    assert_eq!(interp::run(&native(p), &args).as_ref(), Ok(&before), "{}", print(&proved(p)));
    let machine = fixture::machine(&structured(p));
    assert_eq!(before.to_vec::<u32>(0), Some(fixture::run_on(&machine, 1, &input(n))));
}

#[test]
fn a_nest_of_shared_values_is_as_long_as_it_is_deep() {
    let of_depth = |depth| {
        threads(|p, x, out, i| {
            vec![{
                let value = chain(p, x, i, depth);
                set(out, i, value)
            }]
        })
    };
    let lines = [12, 24, 36].map(|depth| statements(&native(&of_depth(depth))));
    assert_eq!(lines[2] - lines[1], lines[1] - lines[0], "{lines:?}");
    assert!(lines[0] < 12 * 6, "{lines:?}");
    agrees(&of_depth(12), INPUT);
}

#[test]
fn a_shallow_nest_stays_as_it_is() {
    let p = threads(|p, x, out, i| {
        vec![{
            let value = chain(p, x, i, 2);
            set(out, i, value)
        }]
    });
    assert_eq!(print(&proved(&p)), print(&p));
}

#[test]
fn pairs_that_are_chosen_by_one_another_are_named() {
    // The greater pair of each neighbours, first by the one, then by the other.
    let greatest = |depth: u32| {
        threads(|p, x, out, i| {
            let mut best = [0, 1].map(|k| ahead(p, x, i, k));
            for k in 1..=depth {
                let next = [2 * k, 2 * k + 1].map(|k| ahead(p, x, i, k));
                let greater = p.op(BinOp::Gt, best[0], next[0]);
                let less = p.op(BinOp::Lt, best[0], next[0]);
                let second = p.op(BinOp::Ge, best[1], next[1]);
                best = [0, 1].map(|of| {
                    let tied = p.exprs.select(second, best[of], next[of]);
                    let rest = p.exprs.select(less, next[of], tied);
                    p.exprs.select(greater, best[of], rest)
                });
            }
            let both = p.op(BinOp::Xor, best[0], best[1]);
            vec![set(out, i, both)]
        })
    };
    let lines = [8, 16, 24].map(|depth| statements(&native(&greatest(depth))));
    assert_eq!(lines[2] - lines[1], lines[1] - lines[0], "{lines:?}");
    agrees(&greatest(12), INPUT);
}

#[test]
fn a_read_that_its_guard_keeps_inside_stays_behind_it() {
    // As many elements as the launch has, and no more: each is read only where it is there.
    let p = threads(|p, x, out, i| {
        let len = p.array(x).len;
        let first = p.get(x, i);
        let value = (1..12).fold(first, |acc, k| {
            let k = Make::u32(p, 8 * k);
            let at = p.op(BinOp::Add, i, k);
            let (there, next) = (p.op(BinOp::Lt, at, len), p.get(x, at));
            let new = either(p, i, acc, next);
            p.exprs.select(there, new, acc)
        });
        vec![set(out, i, value)]
    });
    let named = proved(&p);
    assert!(statements(&named) > statements(&p), "{}", print(&named));
    let lines = statements(&native(&p));
    assert!(lines < 12 * 20, "{lines}");
    for n in [INPUT, INPUT + 3, 100] {
        agrees(&p, n);
    }
}

#[test]
fn a_name_ends_where_its_value_may_change() {
    let p = threads(|p, x, out, i| {
        let range = crate::program::Range::full(ScalarType::U32);
        let var = p.new_var("m", ScalarType::U32, true, range);
        let m = p.exprs.var(var);
        let value = (0..8).fold(m, |acc, k| {
            let next = ahead(p, x, i, k);
            let next = p.op(BinOp::Add, m, next);
            chosen(p, i, acc, next)
        });
        let changed = p.op(BinOp::Add, m, i);
        let sum = p.op(BinOp::Xor, value, m);
        vec![
            stmt(StmtKind::Local { var, init: Some(i) }),
            stmt(StmtKind::Set { var, value }),
            stmt(StmtKind::Set { var, value: changed }),
            set(out, i, sum),
        ]
    });
    assert!(statements(&proved(&p)) > statements(&p));
    agrees(&p, INPUT);
}

#[test]
fn statements_share_their_names() {
    let of = |times: usize| {
        threads(|p, x, out, i| {
            let value = chain(p, x, i, 12);
            let names: Vec<_> = (0..times).map(|_| p.index("l", u32::MAX)).collect();
            let lets = names.iter().map(|&(var, _)| stmt(StmtKind::Let { var, value }));
            let mut body: Block = lets.collect();
            body.push(set(out, i, names[0].1));
            body
        })
    };
    assert_eq!(statements(&proved(&of(3))), statements(&proved(&of(1))) + 2);
}

#[test]
fn copies_are_counted_as_they_are_written() {
    for depth in 1..=6 {
        let mut value = None;
        let p = threads(|p, x, out, i| {
            let root = chain(p, x, i, depth);
            value = Some(root);
            vec![set(out, i, root)]
        });
        let copies = Copies::new(&p.exprs, value.into_iter(), |_| false);
        let mut plain = p.clone();
        passes::structured(&mut plain).expect("it fits");
        let mut written: BTreeMap<ExprId, u64> = BTreeMap::new();
        let scheduled = fixture::native(&plain);
        walk::each(&scheduled.body, &mut |stmt| {
            let inside = walk::reachable(&scheduled.exprs, walk::direct(&stmt.kind), |_| false);
            for id in inside.into_iter().filter(|&id| matches!(scheduled.exprs.expr(id), Expr::Load(..))) {
                *written.entry(id).or_default() += 1;
            }
        });
        let counted: u64 = copies.loads(&p.exprs).sum();
        assert_eq!(counted, written.values().sum::<u64>(), "depth {depth}\n{}", print(&scheduled));
    }
}
