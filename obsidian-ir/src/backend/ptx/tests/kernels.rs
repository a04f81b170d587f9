//! Whole small kernels: what is addressed, guarded, looped and synchronised how.

use super::*;
use crate::Level;
use crate::backend::cuda;
use crate::program::text::read;
use crate::program::{AtomicOp, UnOp};
use ScalarType::{Bool, F32, I32, U8, U32};

#[test]
fn saxpy_guards_its_accesses_and_rounds_each_operation() {
    let mut m = Make::new("saxpy", 256);
    let a = m.scalar("a", F32);
    let (x, n) = m.input("x", F32);
    let (y, _) = m.input("y", F32);
    let out = m.output("out", F32, n);
    let block = m.p.exprs.special(Special::BlockIdx, 0xff_ffff - 1);
    let (t, k) = (m.tid(), m.u32(256));
    let base = m.bin(BinOp::Mul, block, k);
    let i = m.bin(BinOp::Add, base, t);
    let inside = m.bin(BinOp::Lt, i, n);
    let (lx, ly) = (m.load(x, i), m.load(y, i));
    let ax = m.bin(BinOp::Mul, a, lx);
    let sum = m.bin(BinOp::Add, ax, ly);
    let text = m.print(vec![when(inside, vec![assign(out, i, sum)], vec![])]);
    has(&text, &[".visible .entry saxpy(", ".param .f32 p_a", ".param .u64 p_x", ".param .u32 p_x_len", "p_out"]);
    has(&text, &[".reqntid 256, 1, 1"]);
    has(&text, &["setp.lt.u32 %p1", "@%p1 ld.global.nc.f32 %f2", "mul.rn.f32 %f3, %f1, %f2;", "add.rn.f32 %f5"]);
    has(&text, &["@%p1 st.global.f32 [%a", "], %f5;  // out"]);
    assert!(!text.contains("bra"), "{text}");
}

#[test]
fn ptxas_is_told_how_many_blocks_there_are_at_a_time() {
    let residents = |threads, bytes, blocks| {
        let mut m = Make::new("k", threads);
        m.p.shared_bytes = bytes;
        m.p.blocks = m.u32(blocks);
        let text = m.print(vec![]);
        let at = text.split_once(".minnctapersm ")?.1;
        at.split_once('\n')?.0.parse::<u32>().ok()
    };
    // 49152 bytes are static, and ptxas sees them itself.
    assert_eq!(residents(256, 49152, 8), None);
    let dynamic = [49156, 65536, 115_712, 115_713, 232_448].map(|bytes| residents(256, bytes, 8));
    assert_eq!(dynamic, [4, 3, 2, 1, 1].map(Some));
    assert_eq!(residents(1024, 49156, 8), Some(2));
    assert_eq!([residents(256, 0, 1), residents(256, 65536, 1)], [Some(1); 2]);
}

#[test]
fn a_shared_tree_reduction_has_static_offsets_and_barriers() {
    let mut m = Make::new("tree", 256);
    let (x, _) = m.input("x", U32);
    let one = m.u32(1);
    let out = m.output("out", U32, one);
    let len = m.u32(256);
    let s = m.array("s", U32, len, Space::Shared(Level::Block));
    let t = m.tid();
    let first = m.load(x, t);
    let mut body = vec![assign(s, t, first), stmt(StmtKind::Sync { scope: Level::Block })];
    for half in [128, 64, 32, 16] {
        let h = m.u32(half);
        let far = m.bin(BinOp::Add, t, h);
        let (a, b) = (m.load(s, t), m.load(s, far));
        let sum = m.bin(BinOp::Add, a, b);
        let active = m.bin(BinOp::Lt, t, h);
        let scope = if half > 32 { Level::Block } else { Level::Warp };
        body.push(when(active, vec![assign(s, t, sum)], vec![]));
        body.push(stmt(StmtKind::Sync { scope }));
    }
    let zero = m.u32(0);
    let total = m.load(s, zero);
    body.push(assign(out, zero, total));
    let text = m.print(body);
    has(&text, &[".shared .align 128 .b8 smem[1024];", "mov.u32 %u2, smem;", "mad.lo.u32 %u4, %u1, 4, %u2;"]);
    has(&text, &["st.shared.u32 [%u4]", "bar.sync 0;", "@%p1 ld.shared.u32 %u6, [%u4+512];"]);
    has(&text, &["[%u4+128]", "bar.warp.sync 0xffffffff;", "ld.shared.u32", "[smem];"]);
    assert_eq!(text.matches("mad.lo.u32").count(), 1, "one address serves all\n{text}");
}

#[test]
fn fewer_lanes_than_a_warp_synchronise_among_themselves() {
    let m = Make::new("few", 20);
    has(&m.print(vec![stmt(StmtKind::Sync { scope: Level::Warp })]), &["bar.warp.sync 0x000fffff;"]);
}

#[test]
fn an_escape_loop_tests_on_top_and_keeps_its_variables() {
    let mut m = Make::new("escape", 128);
    let c = m.scalar("c", F32);
    let n = m.u32(128);
    let out = m.output("out", U32, n);
    let (z, vz) = m.var("z", F32, true);
    let (i, vi) = m.var("i", U32, true);
    let (sq, vsq) = m.var("sq", F32, false);
    let (zero, limit, one) = (m.u32(0), m.u32(512), m.u32(1));
    let four = m.p.exprs.constant(Const { ty: F32, bits: 4f32.to_bits().into() });
    let square = m.bin(BinOp::Mul, vz, vz);
    let near = m.bin(BinOp::Lt, vsq, four);
    let early = m.bin(BinOp::Lt, vi, limit);
    let cond = m.bin(BinOp::And, near, early);
    let next = m.bin(BinOp::Add, vsq, c);
    let step = m.bin(BinOp::Add, vi, one);
    let t = m.tid();
    let text = m.print(vec![
        stmt(StmtKind::Local { var: z, init: Some(c) }),
        stmt(StmtKind::Local { var: i, init: Some(zero) }),
        stmt(StmtKind::SeqWhile { head: vec![bind(sq, square)], cond, body: vec![set(z, next), set(i, step)] }),
        assign(out, t, vi),
    ]);
    has(
        &text,
        &["$L1:", "mul.rn.f32", "setp.lt.f32", "and.pred", "bra $L2;", "mov.f32", "bra $L1;", "$L2:", "st.global"],
    );
}

#[test]
fn counted_loops_test_below_and_survive_the_end_of_u32() {
    let mut m = Make::new("loops", 32);
    let n = m.scalar("n", U32);
    let k = m.scalar("k", U32);
    let (zero, ten, one) = (m.u32(0), m.u32(10), m.u32(1));
    let out = m.output("out", U32, ten);
    let i = m.p.new_var("i", U32, false, Range::new(0, 9));
    let vi = m.p.exprs.var(i);
    let (j, vj) = m.var("j", U32, false);
    let inner = StmtKind::SeqFor { var: j, start: zero, end: n, step: k, body: vec![assign(out, vi, vj)] };
    let text =
        m.print(vec![stmt(StmtKind::SeqFor { var: i, start: zero, end: ten, step: one, body: vec![stmt(inner)] })]);
    // The outer loop runs at least once: no test on top. The inner one may be empty, and `j + k` may wrap.
    has(&text, &["$L1:", "setp.ge.u32", "bra $L4;", "$L3:", "sub.u32", "setp.gt.u32", "bra $L3;", "$L4:"]);
    has(&text, &["$L4:", "add.u32", "setp.lt.u32", ", 10;", "bra $L1;"]);
    assert!(!text.contains("$L2"), "{text}");
}

/// A loop of as many rounds as the launch says, each of which writes `writes` elements.
fn loop_of_writes(writes: u32, rounds: Option<u32>) -> String {
    let mut m = Make::new("long", 32);
    let n = m.scalar("n", U32);
    let n = rounds.map_or(n, |rounds| m.u32(rounds));
    let (zero, one, len) = (m.u32(0), m.u32(1), m.u32(1000));
    let out = m.output("out", U32, len);
    let (i, vi) = m.var("i", U32, false);
    let body = (0..writes)
        .map(|at| {
            let at = m.u32(at * 3);
            assign(out, at, vi)
        })
        .collect();
    m.print(vec![stmt(StmtKind::SeqFor { var: i, start: zero, end: n, step: one, body })])
}

#[test]
fn long_loops_of_an_unknown_number_of_rounds_are_not_unrolled() {
    has(&loop_of_writes(60, None), &["$L1:", ".pragma \"nounroll\";", "st.global", "bra $L1;"]);
    for text in [loop_of_writes(8, None), loop_of_writes(60, Some(7))] {
        assert!(!text.contains("nounroll"), "{text}");
    }
}

/// A kernel of one thread that searches for `rounds` rounds.
fn search(rounds: &str) -> Program {
    let text = format!(
        "kernel search (threads = 1, shared = 0 B)
  in  xs: u32[len(xs)]
  in  n: u32
  out out: u32[1]
  blocks: 1
  local at: u32 = 0
  seq k in 0..{rounds}
    if at < len(xs)
      at = if xs[at] < k {{ at + (512 >> k) }} else {{ at }}
  out[0] = at
"
    );
    read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn searches_of_many_rounds_are_not_unrolled() {
    has(&print(&form(&search("10"))), &["$L1:", ".pragma \"nounroll\";", "ld.global", "bra $L1;"]);
    assert!(!print(&form(&search("8"))).contains("nounroll"));
    has(&cuda::print(&form(&search("n"))), &["#pragma unroll 1", "for (unsigned int k = 0u;"]);
    assert!(!cuda::print(&form(&search("8"))).contains("#pragma"));
}

#[test]
fn local_arrays_are_registers_until_an_index_varies() {
    let mut m = Make::new("locals", 32);
    let (x, _) = m.input("x", I32);
    let four = m.u32(4);
    let out = m.output("out", I32, four);
    let fixed = m.array("fixed", I32, four, Space::Local);
    let moving = m.array("moving", I32, four, Space::Local);
    let (t, three) = (m.tid(), m.u32(3));
    let low = m.bin(BinOp::And, t, three);
    let (v, one) = (m.load(x, t), m.u32(1));
    let (a, b) = (m.load(fixed, one), m.load(moving, low));
    let (old, vold) = m.var("old", I32, false);
    let sum = m.bin(BinOp::Add, vold, b);
    let text = m.print(vec![
        assign(fixed, one, v),
        bind(old, a),
        assign(fixed, one, b),
        assign(moving, low, v),
        assign(out, t, sum),
    ]);
    has(&text, &[".local .align 16 .b8 l3_moving[16];"]);
    assert!(!text.contains("fixed"), "{text}");
    // `old` keeps the element's value from before the second assignment.
    has(
        &text,
        &["mov.s32 %s2, %s5;", "mov.s32 %s6, %s2;", "mov.s32 %s2, %s7;", "st.local.s32", "add.s32 %s10, %s6, %s9;"],
    );
}

#[test]
fn a_predicated_branch_may_change_its_own_condition() {
    let mut m = Make::new("flip", 32);
    let (x, n) = m.input("x", Bool);
    let out = m.output("out", Bool, n);
    let (flag, vflag) = m.var("flag", Bool, true);
    let t = m.tid();
    let start = m.load(x, t);
    let (yes, no) = (m.p.exprs.bool(true), m.p.exprs.bool(false));
    let text = m.print(vec![
        stmt(StmtKind::Local { var: flag, init: Some(start) }),
        when(vflag, vec![set(flag, no)], vec![set(flag, yes)]),
        assign(out, t, vflag),
    ]);
    has(&text, &["ld.global.nc.u8", "mov.pred %p3, %p2;", "mov.pred %p2, 1;", "@%p3 mov.pred %p2, 0;"]);
    has(&text, &["selp.u32", "1, 0, %p2;", "st.global.u8"]);
}

/// What both branches set is one definition for all threads; each branch reads what it has set itself, and nothing of the
/// other's.
#[test]
fn predicated_branches_are_joined_by_one_definition() {
    let mut m = Make::new("joined", 32);
    let (x, n) = m.input("x", U32);
    let out = m.output("out", U32, n);
    let ((a, va), (b, vb)) = (m.var("a", U32, true), m.var("b", U32, true));
    let t = m.tid();
    let (zero, one) = (m.u32(0), m.u32(1));
    let start = m.load(x, t);
    let flag = m.bin(BinOp::Lt, start, t);
    let (next, sum) = (m.bin(BinOp::Add, va, one), m.bin(BinOp::Add, va, vb));
    let text = m.print(vec![
        stmt(StmtKind::Local { var: a, init: Some(start) }),
        stmt(StmtKind::Local { var: b, init: Some(zero) }),
        when(flag, vec![set(a, next), set(b, va)], vec![set(b, sum)]),
        assign(out, t, sum),
    ]);
    // `b` of the one branch is the new `a`; of the other it is the sum with the old one.
    has(
        &text,
        &[
            "add.u32 %u6, %u3, 1;",
            "add.u32 %u7, %u3, %u4;",
            "@%p1 mov.u32 %u3, %u6;",
            "selp.u32 %u4, %u6, %u7, %p1;",
            "add.u32 %u8, %u3, %u4;",
        ],
    );
}

/// A load is not executed where its branch is not taken, since another thread may write the element; its register is defined
/// there all the same.
#[test]
fn a_predicated_load_begins_with_a_definition() {
    let mut m = Make::new("either", 32);
    let (x, n) = m.input("x", U32);
    let out = m.output("out", U32, n);
    let (t, zero) = (m.tid(), m.u32(0));
    let len = m.u32(32);
    let s = m.array("s", U32, len, Space::Shared(Level::Block));
    let given = m.load(x, t);
    let flag = m.bin(BinOp::Lt, given, t);
    let element = m.load(s, t);
    let (v, vv) = m.var("v", U32, true);
    let text = m.print(vec![
        stmt(StmtKind::Local { var: v, init: Some(zero) }),
        when(flag, vec![set(v, element)], vec![]),
        assign(out, t, vv),
    ]);
    assert!(text.contains("    mov.u32 %u6, 0;\n    @%p1 ld.shared.u32 %u6"), "{text}");
}

#[test]
fn knowledge_of_one_branch_does_not_reach_past_it() {
    let mut m = Make::new("branches", 32);
    let (x, n) = m.input("x", U32);
    let out = m.output("out", U32, n);
    let (t, k) = (m.tid(), m.scalar("k", U32));
    let i = m.bin(BinOp::Xor, t, k);
    let v = m.load(x, i);
    let deep = |m: &mut Make| {
        let q = m.bin(BinOp::Div, v, k);
        vec![assign(out, i, q)]
    };
    let odd = m.bin(BinOp::Eq, k, t);
    let (then, els) = (deep(&mut m), deep(&mut m));
    let after = deep(&mut m);
    let mut body = vec![when(odd, then, els)];
    body.extend(after);
    let text = m.print(body);
    assert_eq!(text.matches("xor.b32").count(), 3, "{text}");
    has(&text, &["bra $L1;", "bra $L2;", "$L1:", "$L2:"]);
}

#[test]
fn a_buffer_that_is_written_is_not_read_through_the_constant_path() {
    let mut m = Make::new("atomics", 64);
    let (keys, _) = m.input("keys", U8);
    let bins = m.u32(256);
    let hist = m.output("hist", U32, bins);
    let best = m.output("best", F32, bins);
    let t = m.tid();
    let key = m.load(keys, t);
    let bin = m.p.exprs.cast(key, U32);
    let one = m.u32(1);
    let f = m.p.exprs.cast(bin, F32);
    let (was, vwas) = m.var("was", F32, false);
    let old_best = m.load(best, t);
    let worse = m.bin(BinOp::Sub, vwas, old_best);
    let worse = m.p.exprs.un(UnOp::Abs, worse);
    let text = m.print(vec![
        stmt(StmtKind::Atomic { op: AtomicOp::Add, array: hist, index: bin, value: one, expected: None, old: None }),
        stmt(StmtKind::Atomic { op: AtomicOp::Add, array: best, index: bin, value: f, expected: None, old: Some(was) }),
        assign(best, t, worse),
    ]);
    has(&text, &["ld.global.nc.u8", "red.global.add.u32", "atom.global.add.f32", "ld.global.f32"]);
}

#[test]
fn names_that_meet_are_told_apart() {
    let mut m = Make::new("names", 32);
    let (x, n) = m.input("x", U32);
    let len = m.scalar("x_len", U32);
    let out = m.output("out", U32, n);
    let (t, v) = (m.tid(), m.load(x, len));
    let text = m.print(vec![assign(out, t, v)]);
    has(&text, &[".param .u32 p_x_len,", ".param .u32 p_x_len_2,", "ld.param.u32 %u1, [p_x_len_2];"]);
}
