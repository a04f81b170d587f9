//! Where arrays come to lie.

use super::*;
use crate::passes::fixture::{self, Make, stmt};
use crate::passes::schedule;
use crate::program::print;
use crate::program::{BinOp, Expr, ExprId, ScalarType, Stmt, UnOp};

fn offsets(p: &Program) -> Vec<(String, u32)> {
    let shared = p.arrays.iter().filter(|a| matches!(a.space, Space::Shared(_)));
    shared.map(|a| (a.name.clone(), a.offset.expect("set"))).collect()
}

#[test]
fn a_tree_reduction_is_done_in_place() {
    // JFP 2016 needs 1024 + 512 bytes for 512 elements. Here thread i writes over the element that only it has read.
    let mut p = fixture::reduce(64);
    run(&mut p).expect("fits");
    assert_eq!(p.shared_bytes, 1024);
    assert!(offsets(&p).into_iter().all(|(_, o)| o == 0), "{:?}", offsets(&p));
}

#[test]
fn too_much_prints_the_memory_map() {
    let mut p = chain(Level::Block, neighbour);
    p.shared_limit = 200;
    let d = run(&mut p).expect_err("does not fit");
    assert_eq!((d.code, d.span.0), ("OB040", 1));
    assert_eq!(
        d.to_string(),
        "[OB040] shared memory is full: 256 bytes are needed per block, 200 are allowed\n  \
         in use at once with `b`:\n    \
         `a`: 32 x u32, 128 bytes at 0\n    \
         `b`: 32 x u32, 128 bytes at 128\n\
         = help: use fewer elements per block, or allow more: `shared = 256` in the attribute"
    );
}

#[test]
fn warps_have_copies_and_share_a_place_only_with_twins() {
    let mut p = fixture::warp_reduce(64);
    run(&mut p).expect("fits");
    // 2 warps: s32 256 B, s16 128 B, then 64, 32 and 16 B, none on another's place: warps are not in step.
    let all: Vec<u32> = offsets(&p).into_iter().map(|(_, o)| o).collect();
    assert_eq!(all, [0, 256, 384, 512, 640]);
    assert_eq!(p.shared_bytes, 656);
}

/// The element that instance `i` reads.
type From = fn(&mut Program, ExprId) -> ExprId;

fn own(_: &mut Program, i: ExprId) -> ExprId {
    i
}

fn neighbour(p: &mut Program, i: ExprId) -> ExprId {
    let one = Make::u32(p, 1);
    p.op(BinOp::Xor, i, one)
}

/// Writes `to[i] = from[read(i)]` (or `i`), 32 elements.
fn computed(p: &mut Program, level: Level, (from, read): (ArrayId, From), to: ArrayId) -> Stmt {
    p.for_all(level, 32, |p, i| {
        let at = read(p, i);
        let value = p.get(from, at);
        vec![stmt(StmtKind::Assign { array: to, index: i, value })]
    })
}

/// Writes `to[i] = from[i ^ 1]` (or `i`), 32 elements.
fn copy(p: &mut Program, level: Level, from: Option<ArrayId>, to: ArrayId) -> Stmt {
    match from {
        Some(from) => computed(p, level, (from, neighbour), to),
        None => p.for_all(level, 32, |_, i| vec![stmt(StmtKind::Assign { array: to, index: i, value: i })]),
    }
}

/// `a`, `b`, `c`, each computed from the one before.
fn chain(level: Level, read: From) -> Program {
    let mut p = fixture::program(64);
    let [a, b, c] = ["a", "b", "c"].map(|n| p.new_array(n, ScalarType::U32, 32, Space::Shared(level)));
    let one = Make::u32(&mut p, 1);
    let steps = |p: &mut Program| {
        let mut list: Vec<Stmt> = [a, b, c].map(|array| stmt(StmtKind::Allocate { array })).into();
        list.push(copy(p, level, None, a));
        list.push(computed(p, level, (a, read), b));
        list.push(computed(p, level, (b, read), c));
        list
    };
    let body = p.distribute(Level::Block, one, |p, _| match level {
        Level::Warp => vec![p.distribute(Level::Warp, one, |p, _| steps(p))],
        _ => steps(p),
    });
    p.body = vec![body];
    p
}

fn places(mut p: Program) -> Vec<u32> {
    run(&mut p).expect("fits");
    offsets(&p).into_iter().map(|(_, o)| o).collect()
}

#[test]
fn twins_of_a_warp_alternate() {
    assert_eq!(places(chain(Level::Warp, neighbour)), [0, 256, 0]);
}

#[test]
fn what_only_its_thread_reads_is_written_over() {
    for level in [Level::Block, Level::Warp] {
        assert_eq!(places(chain(level, own)), [0, 0, 0], "{level:?}");
    }
    assert_eq!(places(chain(Level::Block, neighbour)), [0, 128, 0]);
}

#[test]
fn another_type_gets_a_place_of_its_own() {
    // A C compiler may take accesses of two types for accesses to two places.
    let mut p = chain(Level::Block, own);
    p.arrays[1].elem = ScalarType::I32;
    assert_eq!(places(p), [0, 128, 0]);
}

/// `b[2i], b[2i + 1] = values(i, [a[2i], a[2i + 1]])` by 16 threads.
fn exchange(values: fn(&mut Program, ExprId, [ExprId; 2]) -> [ExprId; 2]) -> Program {
    let mut p = fixture::program(64);
    let [a, b] = ["a", "b"].map(|n| p.new_array(n, ScalarType::U32, 32, Space::Shared(Level::Block)));
    let one = Make::u32(&mut p, 1);
    let body = p.distribute(Level::Block, one, |p, _| {
        let exchange = p.for_all(Level::Block, 16, |p, i| {
            let low = p.op(BinOp::Shl, i, one);
            let high = p.op(BinOp::Add, low, one);
            let read = [low, high].map(|at| p.get(a, at));
            let [first, second] = values(p, i, read);
            vec![
                stmt(StmtKind::Assign { array: b, index: low, value: first }),
                stmt(StmtKind::Assign { array: b, index: high, value: second }),
            ]
        });
        vec![copy(p, Level::Block, None, a), exchange]
    });
    p.body = vec![body];
    p
}

fn below_eight(p: &mut Program, i: ExprId) -> ExprId {
    let eight = Make::u32(p, 8);
    p.op(BinOp::Lt, i, eight)
}

fn third_to_eighth(p: &mut Program, i: ExprId) -> ExprId {
    let (below, two) = (below_eight(p, i), Make::u32(p, 2));
    let above = p.op(BinOp::Ge, i, two);
    p.op(BinOp::And, below, above)
}

fn is_read_before_written(mut p: Program) {
    run(&mut p).expect("fits");
    assert_eq!(p.shared_bytes, 128);
    schedule::run(&mut p);
    let text = print(&p);
    let (last_read, first_write) = (text.rfind("a["), text.find("b["));
    assert!(last_read.is_some() && last_read < first_write, "{text}");
}

#[test]
fn an_exchange_reads_both_before_it_writes() {
    is_read_before_written(exchange(|p, _, [x, y]| [p.op(BinOp::Min, x, y), p.op(BinOp::Max, x, y)]));
}

#[test]
fn what_both_sides_of_a_choice_read_is_read_first() {
    // As in a bitonic sorter, which descends in every other block.
    is_read_before_written(exchange(|p, i, [x, y]| {
        let (less, more) = (p.op(BinOp::Min, x, y), p.op(BinOp::Max, x, y));
        let ascends = below_eight(p, i);
        [p.exprs.select(ascends, less, more), p.exprs.select(ascends, more, less)]
    }));
}

#[test]
fn what_one_statement_reads_in_any_case_may_be_chosen_in_another() {
    is_read_before_written(exchange(|p, i, [x, y]| {
        let less = p.op(BinOp::Min, x, y);
        let c = below_eight(p, i);
        [less, p.exprs.select(c, x, y)]
    }));
}

#[test]
fn what_is_read_under_a_condition_only_is_not_read_first() {
    let one_side = exchange(|p, i, [x, y]| {
        let c = below_eight(p, i);
        [x, p.exprs.select(c, x, y)]
    });
    assert_eq!(places(one_side), [0, 128]);
    let other_side = exchange(|p, i, [x, y]| {
        let c = below_eight(p, i);
        [x, p.exprs.select(c, y, x)]
    });
    assert_eq!(places(other_side), [0, 128]);
    let alike = exchange(|p, i, [x, y]| {
        let c = below_eight(p, i);
        let (chosen, one) = (p.exprs.select(c, x, y), Make::u32(p, 1));
        [chosen, p.op(BinOp::Add, chosen, one)]
    });
    assert_eq!(places(alike), [0, 128]);
    let negated = exchange(|p, i, [x, y]| {
        let [c, d] = [BinOp::Eq, BinOp::Ne].map(|op| {
            let one = Make::u32(p, 1);
            p.op(op, i, one)
        });
        [p.exprs.select(c, x, y), p.exprs.select(d, y, x)]
    });
    assert_eq!(places(negated), [0, 128]);
    let negated_whole = exchange(|p, i, [x, y]| {
        let c = third_to_eighth(p, i);
        let d = p.exprs.un(UnOp::Not, c);
        assert!(matches!(p.exprs.expr(d), Expr::Un(UnOp::Not, _)), "else this asks nothing");
        [p.exprs.select(c, x, y), p.exprs.select(d, y, x)]
    });
    assert_eq!(places(negated_whole), [0, 128]);
    // One side reads both, the other one of them.
    let one_of_two = exchange(|p, i, [x, y]| {
        let (c, d, less) = (below_eight(p, i), third_to_eighth(p, i), p.op(BinOp::Min, x, y));
        let other = p.exprs.select(d, x, y);
        [Make::u32(p, 1), p.exprs.select(c, less, other)]
    });
    assert_eq!(places(one_of_two), [0, 128]);
    // The choices do not hang together.
    let two_conditions = exchange(|p, i, [x, y]| {
        let (c, one) = (below_eight(p, i), Make::u32(p, 1));
        let d = p.op(BinOp::Le, i, one);
        [p.exprs.select(c, x, y), p.exprs.select(d, y, x)]
    });
    assert_eq!(places(two_conditions), [0, 128]);
}

/// A variable says which of two is read, and another one after it has changed: neither is read for sure.
#[test]
fn a_condition_that_changes_is_two_conditions() {
    let mut p = exchange(|p, _, [x, y]| {
        let flag = p.new_var("flag", ScalarType::Bool, true, crate::program::Range::full(ScalarType::Bool));
        let c = p.exprs.var(flag);
        [p.exprs.select(c, x, y), p.exprs.select(c, y, x)]
    });
    let StmtKind::DistrPar { body, .. } = &mut p.body[0].kind else { panic!("a grid") };
    let StmtKind::ForAll { body, .. } = &mut body[1].kind else { panic!("a phase") };
    let flag = crate::program::VarId(p.vars.len() as u32 - 1);
    let [yes, no] = [true, false].map(|b| p.exprs.bool(b));
    body.insert(1, stmt(StmtKind::Set { var: flag, value: no }));
    body.insert(0, stmt(StmtKind::Local { var: flag, init: Some(yes) }));
    assert_eq!(places(p), [0, 128]);
}

#[test]
fn what_is_read_either_way_is_read_first() {
    // As in a sorter of pairs, whose second parts go where the first ones go.
    is_read_before_written(exchange(|p, i, [x, y]| {
        let c = below_eight(p, i);
        [p.exprs.select(c, x, y), p.exprs.select(c, y, x)]
    }));
    // One on a condition, one on its negation.
    is_read_before_written(exchange(|p, i, [x, y]| {
        let [c, d] = [BinOp::Eq, BinOp::Ne].map(|op| {
            let one = Make::u32(p, 1);
            p.op(op, i, one)
        });
        [p.exprs.select(c, x, y), p.exprs.select(d, x, y)]
    }));
    // Choices in choices.
    is_read_before_written(exchange(|p, i, [x, y]| {
        let (c, one) = (below_eight(p, i), Make::u32(p, 1));
        let d = p.op(BinOp::Le, i, one);
        let [there, back] = [(x, y), (y, x)].map(|(x, y)| p.exprs.select(d, x, y));
        [p.exprs.select(c, there, back), p.exprs.select(c, back, there)]
    }));
}

#[test]
fn what_a_loop_carries_lives_through_it() {
    // a is read in the loop's first statement and comes from outside: b must not take its place.
    let mut p = fixture::program(32);
    let [a, b, c] = ["a", "b", "c"].map(|n| p.new_array(n, ScalarType::U32, 32, Space::Shared(Level::Block)));
    let (zero, one, ten) = (Make::u32(&mut p, 0), Make::u32(&mut p, 1), Make::u32(&mut p, 10));
    let body = p.distribute(Level::Block, one, |p, _| {
        let mut list = vec![stmt(StmtKind::Allocate { array: a }), copy(p, Level::Block, None, a)];
        let (var, _) = p.index("k", 10);
        let body = vec![
            stmt(StmtKind::Allocate { array: b }),
            stmt(StmtKind::Allocate { array: c }),
            copy(p, Level::Block, Some(a), b),
            copy(p, Level::Block, Some(b), c),
        ];
        list.push(stmt(StmtKind::SeqFor { var, start: zero, end: ten, step: one, body }));
        list
    });
    p.body = vec![body];
    run(&mut p).expect("fits");
    assert_eq!(offsets(&p), [("a".into(), 0), ("b".into(), 128), ("c".into(), 256)]);
}

#[test]
fn what_a_round_hands_to_the_next_lives_from_the_loops_start() {
    // a is touched by the loop's last statement only; b, done by then, must keep off its place all the same.
    let mut p = fixture::program(32);
    let [a, b, c] = ["a", "b", "c"].map(|n| p.new_array(n, ScalarType::U32, 32, Space::Shared(Level::Block)));
    let (zero, one, ten) = (Make::u32(&mut p, 0), Make::u32(&mut p, 1), Make::u32(&mut p, 10));
    let body = p.distribute(Level::Block, one, |p, _| {
        let (var, _) = p.index("k", 10);
        let mut body: Vec<Stmt> = [b, c].map(|array| stmt(StmtKind::Allocate { array })).into();
        body.extend([copy(p, Level::Block, None, b), copy(p, Level::Block, Some(b), c)]);
        body.push(copy(p, Level::Block, Some(a), a));
        let allocate = stmt(StmtKind::Allocate { array: a });
        vec![allocate, stmt(StmtKind::SeqFor { var, start: zero, end: ten, step: one, body })]
    });
    p.body = vec![body];
    run(&mut p).expect("fits");
    assert_eq!(offsets(&p), [("a".into(), 0), ("b".into(), 128), ("c".into(), 256)]);
}

#[test]
fn an_unknown_length_is_an_error() {
    let mut p = fixture::program(32);
    let (param, _) = p.input("x", ScalarType::U32);
    let a = p.new_array("a", ScalarType::U32, 1, Space::Shared(Level::Block));
    let len = p.exprs.input_len(param);
    p.arrays[a.0 as usize].len = p.exprs.bin(BinOp::Add, len, len);
    let one = Make::u32(&mut p, 1);
    let body = p.distribute(Level::Block, one, |p, _| vec![copy(p, Level::Block, None, a)]);
    p.body = vec![body];
    assert_eq!(run(&mut p).expect_err("unknown").code, "OB041");
}
