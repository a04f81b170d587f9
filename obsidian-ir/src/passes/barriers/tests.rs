//! Where barriers go, by their number and their place in printed programs.

use super::*;
use crate::passes::fixture::{self, Make, stmt};
use crate::passes::layout;
use crate::program::{ArrayId, AtomicOp, BinOp, ScalarType, Space, Stmt, print};

fn placed(mut p: Program) -> String {
    layout::run(&mut p).expect("fits");
    place(&mut p);
    let once = print(&p);
    place(&mut p);
    assert_eq!(once, print(&p), "placing twice adds nothing");
    once
}

fn count(text: &str, what: &str) -> usize {
    text.lines().filter(|l| l.trim() == what).count()
}

/// The statements of the printed block, one word each.
fn outline(text: &str) -> Vec<&str> {
    let words = text.lines().map(str::trim).filter(|l| !l.starts_with("shared") && !l.contains(" = "));
    words.filter_map(|l| l.split(' ').next()).skip_while(|w| *w != "distribute").collect()
}

#[test]
fn without_shared_memory_there_is_no_barrier() {
    assert!(!placed(fixture::saxpy(64)).contains("sync"));
}

#[test]
fn each_step_of_a_reduction_waits_for_the_one_before() {
    // 9 steps. Elements 128 and 64 apart are one thread's; from 32 apart on warps meet, once; then one warp works alone.
    // The next virtual block writes over what that warp reads.
    let counts = |threads| {
        let text = placed(fixture::reduce(threads));
        [count(&text, "sync Block"), count(&text, "sync Warp")]
    };
    assert_eq!(counts(64), [2, 5]);
    // Of 256 threads those of the first step touch one element each.
    assert_eq!(counts(256), [4, 5]);
    // One warp: a round's last step meets the next round's first in it, too.
    assert_eq!(counts(32), [0, 6]);
    assert_eq!(counts(1), [0, 0]);
    // Warps are not whole: no barrier of a warp may stand in the block's code.
    assert_eq!(counts(100)[1], 0);
}

#[test]
fn warps_wait_for_their_lanes_only() {
    let text = placed(fixture::warp_reduce(64));
    assert_eq!(count(&text, "sync Block"), 0, "{text}");
    // 5 dependences; the first step of the next round touches nothing that the last step of this one does.
    assert_eq!(count(&text, "sync Warp"), 5, "{text}");
}

/// A program of one block of 64 threads: `a` and `b` of 64 elements, and the list that `body` makes of them.
fn one_block(body: impl FnOnce(&mut Program, ArrayId, ArrayId) -> Block) -> Program {
    let mut p = fixture::program(64);
    let [a, b] = ["a", "b"].map(|n| p.new_array(n, ScalarType::U32, 64, Space::Shared(Level::Block)));
    let one = Make::u32(&mut p, 1);
    let body = p.distribute(Level::Block, one, |p, _| {
        let mut list: Block = [a, b].map(|array| stmt(StmtKind::Allocate { array })).into();
        list.extend(body(p, a, b));
        list
    });
    p.body = vec![body];
    p
}

/// `to[i] = from[63 - i]`: what another thread, of another warp, has written.
fn copy(p: &mut Program, from: Option<ArrayId>, to: ArrayId) -> Stmt {
    p.for_all(Level::Block, 64, |p, i| {
        let last = Make::u32(p, 63);
        let j = p.op(BinOp::Sub, last, i);
        let value = from.map_or(i, |a| p.get(a, j));
        vec![stmt(StmtKind::Assign { array: to, index: i, value })]
    })
}

fn seq(p: &mut Program, body: Block) -> Stmt {
    let (zero, one, ten) = (Make::u32(p, 0), Make::u32(p, 1), Make::u32(p, 10));
    let (var, _) = p.index("k", 10);
    stmt(StmtKind::SeqFor { var, start: zero, end: ten, step: one, body })
}

#[test]
fn a_loop_meets_itself_at_its_end() {
    let p = one_block(|p, a, b| {
        let body = vec![copy(p, Some(a), b), copy(p, Some(b), a)];
        vec![copy(p, None, a), seq(p, body)]
    });
    let text = placed(p);
    // In front of the loop a is written, at its end a is written again: one barrier at the top serves both.
    assert_eq!(outline(&text), ["distribute", "forall", "seq", "sync", "forall", "sync", "forall"], "{text}");
}

#[test]
fn a_loop_that_only_reads_waits_once_in_front() {
    let p = one_block(|p, a, b| {
        let body = vec![p.for_all(Level::Block, 64, |p, i| {
            let last = Make::u32(p, 63);
            let j = p.op(BinOp::Sub, last, i);
            let value = p.get(a, j);
            let (var, _) = p.index("v", 1);
            vec![stmt(StmtKind::Let { var, value })]
        })];
        // b lies where a lay.
        vec![copy(p, None, a), seq(p, body), copy(p, None, b)]
    });
    let text = placed(p);
    assert_eq!(outline(&text), ["distribute", "forall", "sync", "seq", "forall", "sync", "forall"], "{text}");
}

#[test]
fn a_loop_that_may_run_no_round_does_not_stand_for_a_barrier() {
    let p = one_block(|p, a, b| {
        let body = vec![copy(p, None, b), copy(p, Some(b), b)];
        let mut looped = seq(p, body);
        let (param, _) = p.input("x", ScalarType::U32);
        let len = p.exprs.input_len(param);
        if let StmtKind::SeqFor { end, .. } = &mut looped.kind {
            *end = len;
        }
        vec![copy(p, None, a), looped, copy(p, Some(a), a)]
    });
    let text = placed(p);
    assert_eq!(outline(&text)[5..], ["forall", "sync", "sync", "forall"], "{text}");
}

#[test]
fn the_test_of_a_loop_is_read_before_the_loop_goes_on() {
    let p = one_block(|p, a, b| {
        let zero = Make::u32(p, 0);
        let first = p.get(a, zero);
        let cond = p.op(BinOp::Ne, first, zero);
        let body = vec![copy(p, None, a)];
        vec![copy(p, None, a), stmt(StmtKind::SeqWhile { head: vec![], cond, body }), copy(p, Some(b), a)]
    });
    let text = placed(p);
    // Before the test, between test and write, and behind the loop, whose test was the last to read.
    assert_eq!(count(&text, "sync Block"), 3, "{text}");
}

fn branch(second: bool) -> Program {
    one_block(|p, a, b| {
        let x = p.new_array("x", ScalarType::U32, 64, Space::Shared(Level::Block));
        let one = Make::u32(p, 1);
        let (param, _) = p.input("x", ScalarType::U32);
        let len = p.exprs.input_len(param);
        let cond = p.op(BinOp::Lt, len, one);
        let (then, els) = (vec![copy(p, None, a)], vec![copy(p, None, b)]);
        // Reading a conflicts with one side only, reading b with the other.
        let last = if second { copy(p, Some(b), x) } else { copy(p, Some(a), x) };
        vec![stmt(StmtKind::If { cond, then, els }), last, copy(p, Some(a), x), copy(p, Some(b), x)]
    })
}

#[test]
fn both_sides_of_a_branch_count() {
    for second in [false, true] {
        let text = placed(branch(second));
        assert!(outline(&text)[..6] == ["distribute", "if", "forall", "else", "forall", "sync"], "{text}");
    }
}

#[test]
fn behind_a_loop_its_test_has_been_read() {
    let p = one_block(|p, a, b| {
        let zero = Make::u32(p, 0);
        let first = p.get(a, zero);
        let cond = p.op(BinOp::Ne, first, zero);
        let body = vec![copy(p, Some(b), a)];
        vec![stmt(StmtKind::SeqWhile { head: vec![], cond, body }), copy(p, Some(b), a)]
    });
    let text = placed(p);
    // Between test and write, between write and next test, and behind the loop.
    assert_eq!(count(&text, "sync Block"), 3, "{text}");
}

#[test]
fn atomics_need_no_barrier_between_them() {
    let add = |p: &mut Program, a: ArrayId| {
        p.for_all(Level::Block, 64, |p, i| {
            let last = Make::u32(p, 63);
            let (index, to) = (p.op(BinOp::Sub, last, i), p.op(BinOp::Xor, i, last));
            let add = |index| {
                stmt(StmtKind::Atomic { op: AtomicOp::Add, array: a, index, value: i, expected: None, old: None })
            };
            vec![add(index), add(i), add(to)]
        })
    };
    let p = one_block(|p, a, b| vec![copy(p, None, a), add(p, a), add(p, a), copy(p, Some(a), b)]);
    let text = placed(p);
    assert_eq!(outline(&text).iter().filter(|w| **w == "sync").count(), 2, "{text}");
}

#[test]
fn overlaid_arrays_conflict() {
    // b's only write comes when a is dead and lies on a's place.
    let p = one_block(|p, a, b| {
        let x = p.new_array("x", ScalarType::U32, 64, Space::Shared(Level::Block));
        vec![copy(p, None, a), copy(p, Some(a), x), copy(p, None, b)]
    });
    let text = placed(p);
    assert_eq!(count(&text, "sync Block"), 2, "{text}");
}

#[test]
fn a_branch_with_a_barrier_on_one_side_does_not_end_what_a_loop_meets_itself_on() {
    // The next round may come past the barrier of the branch, and then writes a, which this round reads last.
    let p = one_block(|p, a, b| {
        let (param, _) = p.input("x", ScalarType::U32);
        let (len, one) = (p.exprs.input_len(param), Make::u32(p, 1));
        let cond = p.op(BinOp::Lt, len, one);
        let x = p.new_array("x", ScalarType::U32, 64, Space::Shared(Level::Block));
        let y = p.new_array("y", ScalarType::U32, 64, Space::Shared(Level::Block));
        let then = vec![copy(p, None, x), copy(p, Some(x), b)];
        let body = vec![
            stmt(StmtKind::If { cond, then, els: vec![] }),
            copy(p, None, a),
            stmt(StmtKind::Sync { scope: Level::Block }),
            copy(p, Some(a), y),
        ];
        let after = [copy(p, Some(b), a), copy(p, Some(x), y)];
        let mut list = vec![copy(p, None, b), copy(p, None, x), seq(p, body)];
        list.extend(after);
        list
    });
    let text = placed(p);
    assert!(text.contains("\n        y@4[i4] = a@0[63 - i4]\n      sync Block\n"), "{text}");
}

#[test]
fn a_loop_meets_itself_on_what_a_loop_inside_touches() {
    let p = one_block(|p, a, b| {
        let inner = vec![p.for_all(Level::Block, 64, |p, i| {
            let last = Make::u32(p, 63);
            let j = p.op(BinOp::Sub, last, i);
            let value = p.get(a, j);
            let (var, _) = p.index("v", 1);
            vec![stmt(StmtKind::Let { var, value })]
        })];
        let body = vec![seq(p, inner), copy(p, None, a)];
        vec![copy(p, None, b), seq(p, body), copy(p, Some(b), b)]
    });
    let text = placed(p);
    assert!(text.contains("\n        a[i4] = i4\n      sync Block\n"), "{text}");
}

/// `x[64 b + i] = x[64 b + j(i)]` twice, on a buffer.
fn on_a_buffer(j: impl Fn(&mut Program, ExprId) -> ExprId) -> Program {
    let mut p = fixture::program(64);
    let (_, x) = p.input("x", ScalarType::U32);
    let blocks = p.array(x).len;
    let body = p.distribute(Level::Block, blocks, |p, b| {
        let n = Make::u32(p, 64);
        let base = p.op(BinOp::Mul, b, n);
        let step = |p: &mut Program| {
            p.for_all(Level::Block, 64, |p, i| {
                let j = j(p, i);
                let (to, from) = (p.op(BinOp::Add, base, i), p.op(BinOp::Add, base, j));
                let value = p.get(x, from);
                vec![stmt(StmtKind::Assign { array: x, index: to, value })]
            })
        };
        vec![step(p), step(p)]
    });
    p.body = vec![body];
    p
}

#[test]
fn a_buffers_elements_are_told_apart() {
    assert_eq!(count(&placed(on_a_buffer(|_, i| i)), "sync Block"), 0);
    let last = |p: &mut Program, i| {
        let last = Make::u32(p, 63);
        p.op(BinOp::Sub, last, i)
    };
    // Between the steps, and between the second and the next block's first, whose elements are taken for this block's.
    assert_eq!(count(&placed(on_a_buffer(last)), "sync Block"), 2);
    let data = |p: &mut Program, i| p.get(ArrayId(0), i);
    assert_eq!(count(&placed(on_a_buffer(data)), "sync Block"), 2);
}
