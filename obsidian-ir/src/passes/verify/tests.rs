//! Verification of small programs made by hand: what is proved, what is refused and in which words.

use super::*;
use crate::level::Level;
use crate::passes::fixture::{self, Make, stmt};
use crate::passes::walk;
use crate::program::StmtKind;
use crate::program::text::read;
use crate::program::{AtomicOp, BinOp, Range, ScalarType};

/// What a write is claimed to be.
pub(super) fn claimed(kind: StmtKind, claim: Claim) -> Stmt {
    Stmt { claim, ..stmt(kind) }
}

pub(super) fn found(p: &Program) -> String {
    check(p).err().map_or_else(|| unproved(p).join("; "), |d| d.to_string())
}

/// What is said of a program that is written down.
pub(super) fn found_in(text: &str) -> String {
    found(&read(text).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// What is said of a block that does `body`, with an array `s` of `elements` elements, which is filled before and read after.
pub(super) fn block_with(elements: u32, body: &str) -> String {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  xs: u32[64]
  out out: u32[64]
  distribute Block b < 1
    shared per Block s: u32[{elements}]
    forall Block j < {elements}
      s[j] = j
{body}    forall Block o < 64
      prove out[o] = s[o]
"
    );
    found_in(&text)
}

/// `out[index(b, i)] = i` for 4 blocks (or as many as `n` says) of 64 instances; the author chose the index.
fn writes(n: Option<u32>, index: impl Fn(&mut Program, ExprId, ExprId) -> ExprId) -> Program {
    let mut p = fixture::program(32);
    let (param, _) = p.input("x", ScalarType::U32);
    let sixty_four = Make::u32(&mut p, 64);
    let blocks = match n {
        Some(n) => Make::u32(&mut p, n),
        None => {
            let len = p.exprs.input_len(param);
            p.op(BinOp::Div, len, sixty_four)
        }
    };
    let len = p.op(BinOp::Mul, blocks, sixty_four);
    let out = p.output(ScalarType::U32, len);
    let body = p.distribute(Level::Block, blocks, |p, b| {
        vec![p.for_all(Level::Block, 64, |p, i| {
            let index = index(p, b, i);
            vec![claimed(StmtKind::Assign { array: out, index, value: i }, Claim::MustProve)]
        })]
    });
    p.body = vec![body];
    p
}

fn affine(p: &mut Program, b: ExprId, times: u32, i: ExprId) -> ExprId {
    let times = Make::u32(p, times);
    let base = p.op(BinOp::Mul, b, times);
    p.op(BinOp::Add, base, i)
}

#[test]
fn outputs_in_parts_are_proved_for_any_number_of_blocks() {
    assert_eq!(found(&writes(None, |p, b, i| affine(p, b, 64, i))), "");
    // Each block's part in another order.
    let shuffled = |p: &mut Program, b, i| {
        let five = Make::u32(p, 5);
        let j = p.op(BinOp::Xor, i, five);
        affine(p, b, 64, j)
    };
    assert_eq!(found(&writes(None, shuffled)), "");
    let multiplied = |p: &mut Program, b, i| {
        let (k, n) = (Make::u32(p, 13), Make::u32(p, 64));
        let j = p.op(BinOp::Mul, i, k);
        let j = p.op(BinOp::Rem, j, n);
        affine(p, b, 64, j)
    };
    assert_eq!(found(&writes(None, multiplied)), "");
}

#[test]
fn outputs_written_backwards_are_proved() {
    let back = |p: &mut Program, b: ExprId, i: ExprId| {
        let len = p.array(ArrayId(1)).len;
        let one = Make::u32(p, 1);
        let last = p.op(BinOp::Sub, len, one);
        let at = affine(p, b, 64, i);
        p.op(BinOp::Sub, last, at)
    };
    assert_eq!(found(&writes(None, back)), "");
    assert_eq!(found(&writes(Some(4), back)), "");
}

#[test]
fn blocks_side_by_side_are_proved() {
    let beside = |p: &mut Program, b: ExprId, i: ExprId| {
        let sixty_four = Make::u32(p, 64);
        let len = p.array(ArrayId(1)).len;
        let n = p.op(BinOp::Div, len, sixty_four);
        let far = p.op(BinOp::Mul, i, n);
        p.op(BinOp::Add, b, far)
    };
    assert_eq!(found(&writes(None, beside)), "");
    assert_eq!(found(&writes(Some(8), beside)), "");
}

#[test]
fn a_known_grid_may_write_in_any_order() {
    // A matrix of 16 x 16, transposed, a block for every 64 elements.
    let transposed = |p: &mut Program, b: ExprId, i: ExprId| {
        let at = affine(p, b, 64, i);
        let n = Make::u32(p, 16);
        let (row, column) = (p.op(BinOp::Div, at, n), p.op(BinOp::Rem, at, n));
        affine(p, column, 16, row)
    };
    assert_eq!(found(&writes(Some(4), transposed)), "");
}

#[test]
fn an_element_left_out_or_written_twice_is_named() {
    let half = |p: &mut Program, b: ExprId, i: ExprId| {
        let one = Make::u32(p, 1);
        let j = p.op(BinOp::Shr, i, one);
        affine(p, b, 64, j)
    };
    let text = found(&writes(None, half));
    assert!(text.starts_with("[OB052] element 0 of a block's part of `out` is written twice"), "{text}");
    assert!(text.contains("by thread 0\n  and by thread 1"), "{text}");
    let holes = |p: &mut Program, b: ExprId, i: ExprId| {
        let two = Make::u32(p, 2);
        let j = p.op(BinOp::Mul, i, two);
        affine(p, b, 64, j)
    };
    let text = found(&writes(None, holes));
    assert!(text.starts_with("[OB053] element 1 of a block's part of `out` is never written"), "{text}");
    assert!(text.contains("the loops that write it must agree"), "{text}");
    let overlapping = found(&writes(Some(4), |p, b, i| affine(p, b, 32, i)));
    assert!(overlapping.starts_with("[OB052] element "), "{overlapping}");
    let unknown = found(&writes(None, |p, b, i| affine(p, b, 32, i)));
    assert!(unknown.starts_with("[OB052] element 0 of block 1's part of `out` is written twice"), "{unknown}");
    let apart = found(&writes(None, |p, b, i| affine(p, b, 96, i)));
    assert!(apart.starts_with("[OB053] element 64 of `out` is never written"), "{apart}");
    assert!(apart.contains("block 0 writes the 64 before it, block 1 from 96 on"), "{apart}");
}

#[test]
fn what_depends_on_data_is_refused_but_in_unsafe() {
    let scatter = |p: &mut Program, _: ExprId, i: ExprId| p.get(ArrayId(0), i);
    let mut p = writes(None, scatter);
    let text = found(&p);
    assert!(text.starts_with("[OB054] it is not proved that each element of `out` is written once"), "{text}");
    reclaim(&mut p.body, Claim::Author);
    assert_eq!(check(&p), Ok(Vec::new()));
}

/// Gives every write a claim.
fn reclaim(list: &mut Block, claim: Claim) {
    for stmt in list {
        stmt.claim = claim;
        walk::nested_mut(&mut stmt.kind).for_each(|inner| reclaim(inner, claim));
    }
}

#[test]
fn what_the_library_writes_wrongly_is_a_fault_of_the_compiler() {
    let mut p = writes(Some(4), |p, b, i| affine(p, b, 32, i));
    reclaim(&mut p.body, Claim::ByConstruction);
    assert_eq!(check(&p).expect_err("wrong").code, "OB099");
    // What is merely not proved passes, and can be asked for.
    let mut p = writes(None, |p, _, i| p.get(ArrayId(0), i));
    reclaim(&mut p.body, Claim::ByConstruction);
    assert_eq!(check(&p), Ok(Vec::new()));
    assert_eq!(unproved(&p).len(), 1);
}

/// `n` elements by blocks of 64, the last one cut off.
fn cut(blocks: impl Fn(&mut Program, ExprId) -> ExprId) -> Program {
    let mut p = fixture::program(32);
    let (param, _) = p.input("x", ScalarType::U32);
    let n = p.exprs.input_len(param);
    let out = p.output(ScalarType::U32, n);
    let blocks = blocks(&mut p, n);
    let body = p.distribute(Level::Block, blocks, |p, b| {
        vec![p.for_all(Level::Block, 64, |p, i| {
            let index = affine(p, b, 64, i);
            let cond = p.op(BinOp::Lt, index, n);
            let write = claimed(StmtKind::Assign { array: out, index, value: i }, Claim::MustProve);
            vec![stmt(StmtKind::If { cond, then: vec![write], els: Vec::new() })]
        })]
    });
    p.body = vec![body];
    crate::passes::launch::be_exact(&mut p);
    p
}

#[test]
fn a_grid_that_is_cut_off_at_the_outputs_end_writes_all_of_it() {
    let rounded = |extra: u32| {
        move |p: &mut Program, n: ExprId| {
            let (extra, each) = (Make::u32(p, extra), Make::u32(p, 64));
            let sum = p.op(BinOp::Add, n, extra);
            p.op(BinOp::Div, sum, each)
        }
    };
    assert_eq!(found(&cut(rounded(63))), "");
    // One block too few for most lengths.
    let text = found(&cut(rounded(62)));
    assert!(text.starts_with("[OB053] element 64 of `out` is never written"), "{text}");
    assert!(text.contains("where the length of `x` is 65 it has 65 elements, and 1 block writes 64"), "{text}");
}

/// One block, `a` of 64 elements filled, then the list.
pub(super) fn in_block(body: impl FnOnce(&mut Program, ArrayId) -> Block) -> Program {
    let mut p = fixture::program(64);
    let a = p.new_array("a", ScalarType::U32, 64, Space::Shared(Level::Block));
    let one = Make::u32(&mut p, 1);
    let grid = p.distribute(Level::Block, one, |p, _| {
        let fill = p.for_all(Level::Block, 64, |_, i| vec![stmt(StmtKind::Assign { array: a, index: i, value: i })]);
        let mut list = vec![stmt(StmtKind::Allocate { array: a }), fill];
        list.extend(body(p, a));
        list
    });
    p.body = vec![grid];
    p
}

fn shifted(p: &mut Program, i: ExprId, by: u32) -> ExprId {
    let (by, n) = (Make::u32(p, by), Make::u32(p, 64));
    let j = p.op(BinOp::Add, i, by);
    p.op(BinOp::Rem, j, n)
}

/// `a[to(i)] = a[from(i)]` in one phase.
fn move_within(to: u32, from: u32) -> Program {
    in_block(|p, a| {
        vec![p.for_all(Level::Block, 64, |p, i| {
            let (index, from) = (shifted(p, i, to), shifted(p, i, from));
            let value = p.get(a, from);
            vec![claimed(StmtKind::Assign { array: a, index, value }, Claim::MustProve)]
        })]
    })
}

#[test]
fn threads_that_keep_to_their_own_elements_may_update_in_place() {
    assert_eq!(found(&move_within(0, 0)), "");
    assert_eq!(found(&move_within(5, 5)), "");
}

#[test]
fn a_read_of_what_another_thread_writes_in_the_same_phase_is_named() {
    let text = found(&move_within(0, 1));
    let message =
        "[OB052] two threads meet on element 1 of a computed array\n  thread 1 writes it\n  thread 0 reads it";
    assert!(text.starts_with(message), "{text}");
}

#[test]
fn guards_that_are_known_count() {
    let guarded = |limit: u32| {
        in_block(move |p, a| {
            vec![p.for_all(Level::Block, 64, |p, i| {
                let (half, limit) = (Make::u32(p, 32), Make::u32(p, limit));
                let cond = p.op(BinOp::Lt, i, limit);
                let from = p.op(BinOp::Add, i, half);
                let value = p.get(a, from);
                let write = claimed(StmtKind::Assign { array: a, index: i, value }, Claim::MustProve);
                vec![stmt(StmtKind::If { cond, then: vec![write], els: Vec::new() })]
            })]
        })
    };
    assert_eq!(found(&guarded(32)), "");
    assert!(found(&guarded(33)).starts_with("[OB052]"), "{}", found(&guarded(33)));
}

#[test]
fn atomics_meet_one_another_but_nothing_else() {
    let update = |p: &mut Program, a: ArrayId, plain: bool| {
        p.for_all(Level::Block, 64, |p, i| {
            let zero = Make::u32(p, 0);
            let atomic =
                StmtKind::Atomic { op: AtomicOp::Add, array: a, index: zero, value: i, expected: None, old: None };
            let mut list = vec![stmt(atomic)];
            if plain {
                let value = p.get(a, i);
                let var = p.new_var("v", ScalarType::U32, false, Range::full(ScalarType::U32));
                list.push(stmt(StmtKind::Let { var, value }));
            }
            list
        })
    };
    assert_eq!(found(&in_block(|p, a| vec![update(p, a, false)])), "");
    let text = found(&in_block(|p, a| vec![update(p, a, true)]));
    assert!(text.starts_with("[OB052] two threads meet on element 0"), "{text}");
}

#[test]
fn what_is_read_must_have_been_written() {
    let partly = |n: u32| {
        in_block(move |p, a| {
            let b = p.new_array("b", ScalarType::U32, 64, Space::Shared(Level::Block));
            let fill = p.for_all(Level::Block, n, |p, i| {
                let value = p.get(a, i);
                vec![claimed(StmtKind::Assign { array: b, index: i, value }, Claim::MustProve)]
            });
            let back = p.for_all(Level::Block, 64, |p, i| {
                let value = p.get(b, i);
                vec![stmt(StmtKind::Assign { array: a, index: i, value })]
            });
            vec![stmt(StmtKind::Allocate { array: b }), fill, back]
        })
    };
    assert_eq!(found(&partly(64)), "");
    let text = found(&partly(60));
    assert!(text.starts_with("[OB053] element 60 of a computed array is never written\n  and it is read"), "{text}");
}

#[test]
fn warps_share_a_blocks_array_only_in_parts_of_their_own() {
    let by_warps = |step: u32| {
        in_block(move |p, a| {
            let two = Make::u32(p, 2);
            vec![p.distribute(Level::Warp, two, |p, w| {
                vec![p.for_all(Level::Warp, 32, |p, i| {
                    let index = affine(p, w, step, i);
                    vec![claimed(StmtKind::Assign { array: a, index, value: i }, Claim::MustProve)]
                })]
            })]
        })
    };
    assert_eq!(found(&by_warps(32)), "");
    let text = found(&by_warps(16));
    assert!(text.contains("thread 16 of warp 0 writes it\n  thread 0 of warp 1 writes it"), "{text}");
}

/// `x[index] += 1` on a buffer that is read and written, by `n` blocks of 64.
fn in_place(step: u32) -> Program {
    let mut p = fixture::program(32);
    let (param, _) = p.input("x", ScalarType::U32);
    let x = ArrayId(0);
    let blocks = p.exprs.input_len(param);
    let body = p.distribute(Level::Block, blocks, |p, b| {
        vec![p.for_all(Level::Block, 64, |p, i| {
            let index = affine(p, b, step, i);
            let value = p.get(x, index);
            vec![claimed(StmtKind::Assign { array: x, index, value }, Claim::MustProve)]
        })]
    });
    p.body = vec![body];
    p
}

#[test]
fn blocks_that_update_a_buffer_keep_apart() {
    assert_eq!(found(&in_place(64)), "");
    assert_eq!(found(&in_place(100)), "");
    assert!(found(&in_place(63)).contains("blocks may meet on it"), "{}", found(&in_place(63)));
}

/// `out[index(b, i)] = i` as [`writes`] makes it, and what each block of it writes.
#[test]
fn parts_are_known_where_block_follows_block() {
    assert_eq!(parts(&writes(None, |p, b, i| affine(p, b, 64, i))), [Some(64)]);
    assert_eq!(parts(&writes(Some(4), |p, b, i| affine(p, b, 64, i))), [Some(64)]);
    assert_eq!(parts(&writes(Some(1), |_, _, i| i)), [Some(64)]);
    // Backwards: the last block writes what is first.
    let backwards = |p: &mut Program, b, i| {
        let three = Make::u32(p, 3);
        let b = p.op(BinOp::Sub, three, b);
        affine(p, b, 64, i)
    };
    assert_eq!(found(&writes(Some(4), backwards)), "");
    assert_eq!(parts(&writes(Some(4), backwards)), [None]);
    // Block beside block.
    let beside = |p: &mut Program, b, i| {
        let four = Make::u32(p, 4);
        let row = p.op(BinOp::Mul, i, four);
        p.op(BinOp::Add, row, b)
    };
    assert_eq!(parts(&writes(Some(4), beside)), [None]);
}

/// The library's own writes to an array that others read in the same phase are to be proved too.
#[test]
fn in_place_the_library_is_not_believed() {
    let p = in_block(|p, a| {
        let (_, x) = p.input("x", ScalarType::U32);
        vec![p.for_all(Level::Block, 64, |p, i| {
            let (index, value) = (p.get(x, i), p.get(a, i));
            vec![stmt(StmtKind::Assign { array: a, index, value })]
        })]
    });
    let text = found(&p);
    assert!(text.starts_with("[OB054] it is not proved that no two threads meet"), "{text}");
}

/// `if x[i] > 3 { b[i] = 1 }`, then the same thread reads `b[i]`.
#[test]
fn what_a_thread_wrote_perhaps_it_has_not_written() {
    let reads = |always: bool| {
        in_block(move |p, a| {
            let (_, x) = p.input("x", ScalarType::U32);
            let b = p.new_array("b", ScalarType::U32, 64, Space::Shared(Level::Block));
            let phase = p.for_all(Level::Block, 64, |p, i| {
                let (data, three) = (p.get(x, i), Make::u32(p, 3));
                let cond = p.op(BinOp::Gt, data, three);
                let write = claimed(StmtKind::Assign { array: b, index: i, value: three }, Claim::MustProve);
                let value = p.get(b, i);
                let first =
                    if always { write } else { stmt(StmtKind::If { cond, then: vec![write], els: Vec::new() }) };
                vec![first, stmt(StmtKind::Assign { array: a, index: i, value })]
            });
            vec![stmt(StmtKind::Allocate { array: b }), phase]
        })
    };
    assert_eq!(found(&reads(true)), "");
    assert!(found(&reads(false)).starts_with("[OB053]"), "{}", found(&reads(false)));
}

/// Both sides of a branch on what lies in memory, which changes between them.
#[test]
fn sides_of_branches_on_memory_that_changes_are_two_writes() {
    let written = |changes: bool| {
        let mut p = in_block(|_, _| Vec::new());
        let len = Make::u32(&mut p, 64);
        let (x, a) = (p.input("x", ScalarType::U32).1, ArrayId(0));
        let out = p.output(ScalarType::U32, len);
        let phase = p.for_all(Level::Block, 64, |p, i| {
            let (data, three) = (p.get(if changes { a } else { x }, i), Make::u32(p, 3));
            let cond = p.op(BinOp::Gt, data, three);
            let write = || vec![claimed(StmtKind::Assign { array: out, index: i, value: three }, Claim::MustProve)];
            vec![
                stmt(StmtKind::If { cond, then: write(), els: Vec::new() }),
                stmt(StmtKind::Assign { array: a, index: i, value: i }),
                stmt(StmtKind::If { cond, then: Vec::new(), els: write() }),
            ]
        });
        if let StmtKind::DistrPar { body, .. } = &mut p.body[0].kind {
            body.push(phase);
        }
        found(&p)
    };
    assert_eq!(written(false), "");
    assert!(written(true).starts_with("[OB05"), "{}", written(true));
}

/// What depends on the block's number in another way than by a step is no number that all blocks share.
#[test]
fn a_symbol_that_asks_for_the_block_is_not_the_same_in_all_blocks() {
    let mut p = fixture::program(32);
    let (param, _) = p.input("x", ScalarType::U32);
    let blocks = p.exprs.input_len(param);
    let body = p.distribute(Level::Block, blocks, |p, b| {
        vec![p.for_all(Level::Block, 64, |p, i| {
            let [two, eight] = [2, 8].map(|n| Make::u32(p, n));
            let half = p.op(BinOp::Div, b, two);
            let back = p.op(BinOp::Mul, half, eight);
            let at = affine(p, b, 64, i);
            let index = p.op(BinOp::Sub, at, back);
            let value = p.get(ArrayId(0), index);
            vec![claimed(StmtKind::Assign { array: ArrayId(0), index, value }, Claim::MustProve)]
        })]
    });
    p.body = vec![body];
    assert!(found(&p).starts_with("[OB054]"), "{}", found(&p));
}
