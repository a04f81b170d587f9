use super::*;
use crate::backend::rust::fixtures::{Build, assign, saxpy, stmt, sums};
use crate::backend::rust::native;
use crate::passes::{self, Native};
use crate::program::ScalarType;

fn found(p: &Program) -> Vec<Stream> {
    let StmtKind::DistrPar { var, body, .. } = &p.body[0].kind else { panic!("no loop over blocks") };
    Streams::of(p, *var, body).list
}

/// `shared[t] = input[index(b, t)]`, 64 instances, with the product by `step` in a `Let`.
fn copy(elem: ScalarType, step: u32, stride: u32) -> Program {
    let mut b = Build::new("copy", 64);
    let (len, input) = b.input("input", &[elem]);
    let (bv, block) = b.index("b", 1 << 20);
    let (tv, t) = b.index("t", 63);
    let lv = b.0.new_var("base", ScalarType::U32, false, Range::full(ScalarType::U32));
    let base = b.0.exprs.var(lv);
    let (k, j, n) = (b.u32(step), b.u32(stride), b.u32(64));
    let product = b.bin(BinOp::Mul, block, k);
    let offset = b.bin(BinOp::Mul, t, j);
    let index = b.bin(BinOp::Add, base, offset);
    let value = b.load(input[0], index);
    let shared = b.array("s", elem, n, Space::Shared(Level::Block));
    let body = vec![
        stmt(StmtKind::Allocate { array: shared }),
        stmt(StmtKind::Let { var: lv, value: product }),
        b.for_all(tv, 64, vec![assign(shared, t, value)]),
    ];
    b.grid(bv, len, body)
}

#[test]
fn a_phased_input_is_a_stream_as_built_and_as_scheduled() {
    let p = sums("sums", ScalarType::I32);
    let expected = [Stream { array: ArrayId(0), step: 512, first: 0, bytes: 2048 }];
    assert_eq!(found(&p), expected);
    assert_eq!(found(&form(p)), expected);
}

fn form(mut p: Program) -> Native {
    passes::structured(&mut p).expect("fits");
    Native::checked(p).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn one_phase_alone_has_no_stream_but_beside_an_output_that_goes_past_the_caches() {
    assert_eq!(found(&saxpy()), []);
    let code = native(&form(saxpy())).to_string();
    assert!(code.matches("_MM_HINT_T1").count() == 2 && !code.contains("asm"), "{code}");
}

#[test]
fn steps_are_found_through_lets_and_parts_are_what_is_read() {
    let stream = |step, bytes| [Stream { array: ArrayId(0), step, first: 0, bytes }];
    assert_eq!(found(&copy(ScalarType::I32, 4096, 1)), stream(4096, 256));
    assert_eq!(found(&copy(ScalarType::F64, 128, 2)), stream(128, 127 * 8));
    // Blocks that overlap.
    assert_eq!(found(&copy(ScalarType::F64, 32, 1)), stream(32, 256));
}

#[test]
fn long_parts_are_fetched_with_the_loads_of_lanes() {
    let ahead = |p: &Program| {
        let StmtKind::DistrPar { var, body, .. } = &p.body[0].kind else { panic!("no loop over blocks") };
        let streams = Streams::of(p, *var, body);
        assert!(streams.is_empty() && streams.ahead(ArrayId(1)).is_none());
        streams.ahead(ArrayId(0))
    };
    // Two blocks of 16 KiB, one of 512 KiB.
    assert_eq!(ahead(&copy(ScalarType::I32, 4096, 64)), Some(2 * 4096));
    assert_eq!(ahead(&copy(ScalarType::F64, 1 << 16, 1 << 10)), Some(1 << 16));
    assert_eq!(ahead(&copy(ScalarType::F64, 1 << 20, 1 << 12)), None);
}

/// What is around a loop over warps.
enum Around {
    Nothing,
    /// A loop of the block.
    Rounds,
    /// Before it, a phase of the block that reads one by one an input of its own.
    Phase,
}

/// `input[b * 4096 + w * 512 + 2 * t]` in 32 threads of each of 8 warps; doubles are in no lanes.
fn by_warps(around: Around) -> Program {
    let mut b = Build::new("warps", 256);
    let (len, input) = b.input("input", &[ScalarType::F64]);
    let (_, other) = b.input("other", &[ScalarType::F64]);
    let (bv, block) = b.index("b", 1 << 20);
    let (wv, warp) = b.index("w", 7);
    let (tv, t) = b.index("t", 31);
    let (two, n, warps, threads) = (b.u32(2), b.u32(256), b.u32(8), b.u32(32));
    let thread = b.bin(BinOp::Mul, t, two);
    let (at, from) = (b.at(warp, 512, thread), b.at(warp, 32, t));
    let index = b.at(block, 4096, at);
    let value = b.load(input[0], index);
    let shared = b.array("s", ScalarType::F64, n, Space::Shared(Level::Block));
    let body = vec![assign(shared, from, value)];
    let phase = stmt(StmtKind::ForAll { level: Level::Warp, var: tv, n: threads, body });
    let of_warps = stmt(StmtKind::DistrPar { level: Level::Warp, var: wv, n: warps, body: vec![phase] });
    let mut body = vec![stmt(StmtKind::Allocate { array: shared })];
    match around {
        Around::Nothing => body.push(of_warps),
        Around::Rounds => {
            let (kv, _) = b.index("k", 2);
            let [start, end, step] = [0, 3, 1].map(|k| b.u32(k));
            body.push(stmt(StmtKind::SeqFor { var: kv, start, end, step, body: vec![of_warps] }));
        }
        Around::Phase => {
            let (iv, i) = b.index("i", 255);
            let sixteen = b.u32(16);
            let far = b.bin(BinOp::Mul, i, sixteen);
            let index = b.at(block, 4096, far);
            let value = b.load(other[0], index);
            let first = b.array("s", ScalarType::F64, n, Space::Shared(Level::Block));
            let phase = b.for_all(iv, 256, vec![assign(first, i, value)]);
            let sync = stmt(StmtKind::Sync { scope: Level::Block });
            body.extend([stmt(StmtKind::Allocate { array: first }), phase, sync, of_warps]);
        }
    }
    b.grid(bv, len, body)
}

#[test]
fn warps_that_load_one_by_one_fetch_a_slice_each() {
    let code = native(&form(by_warps(Around::Nothing))).to_string();
    // 29,176 bytes are 456 lines, 57 for each warp.
    assert_eq!(code.matches("_mm_prefetch").count(), 1, "{code}");
    for part in ["* 4096usize + 0usize)", "* 3648usize)", "0usize .. 57usize"] {
        assert!(code.contains(part), "{part}: {code}");
    }
    let rounds = native(&form(by_warps(Around::Rounds))).to_string();
    assert!(!rounds.contains("_mm_prefetch"), "{rounds}");
    // What the phase before reads is none of theirs.
    let phase = native(&form(by_warps(Around::Phase))).to_string();
    assert_eq!(phase.matches("_mm_prefetch").count(), 1, "{phase}");
}

#[test]
fn no_warp_fetches_what_lanes_do_or_less_than_a_line() {
    let p = by_warps(Around::Nothing);
    let StmtKind::DistrPar { var, body, .. } = &p.body[0].kind else { panic!("no loop over blocks") };
    let Some(StmtKind::DistrPar { var: warp, .. }) = body.last().map(|s| &s.kind) else { panic!("no warps") };
    let (streams, bare) = (Streams::of(&p, *var, body), BTreeSet::from([ArrayId(0)]));
    let fetches = |arrays, n| !streams.fetch_by_warps(arrays, *warp, n).is_empty();
    assert_eq!([0, 1, 456, 457].map(|n| fetches(&bare, n)), [false, true, true, false]);
    assert!(!fetches(&BTreeSet::new(), 8));
}

#[test]
fn parts_too_short_or_too_long_are_no_streams() {
    assert_eq!(found(&copy(ScalarType::U8, 64, 1)), []);
    assert_eq!(found(&copy(ScalarType::F64, 1, 1)), []);
    assert_eq!(found(&copy(ScalarType::F64, 1 << 16, 1 << 10)), []);
}

#[test]
fn only_the_phase_that_reads_the_stream_is_kept_apart() {
    let code = native(&form(sums("sums", ScalarType::I32))).to_string();
    assert_eq!(code.matches("_mm_prefetch").count(), 1, "{code}");
    assert_eq!(code.matches("asm !").count(), 1, "{code}");
    let (fetch, load) = (code.find("_mm_prefetch"), code.find("get_unchecked"));
    assert!(fetch < load, "{code}");
}
