//! What threads do together: barriers, shuffles, votes, atomics; and what goes wrong.

use obsidian_ptx_interp::{Fault, Launch, Memory, Module, Order};

/// A kernel of one output, `body` between the usual beginning and end: `%a1` is the output, `%u1` the thread.
fn module(body: &str) -> Module {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(\n.param .u64 out\n)\n{{\n\
         .shared .align 128 .b8 smem[256];\n.reg .pred %p<9>;\n.reg .u32 %u<9>;\n.reg .u64 %a<9>;\n.reg .f32 %f<9>;\n\
         ld.param.u64 %a1, [out];\nmov.u32 %u1, %tid.x;\nmad.wide.u32 %a2, %u1, 4, %a1;\nmad.lo.u32 %u2, %u1, 4, 0;\n\
         {body}\nret;\n}}\n"
    );
    Module::parse(&text).unwrap()
}

fn run(body: &str, threads: u32, order: Order) -> Result<Vec<u32>, Fault> {
    let mut memory = Memory::new();
    let out = memory.allocate(vec![0; 4 * threads as usize]);
    let launch = Launch { order, ..Launch::new(1, threads) };
    module(body).launch("k", &launch, &[out], &mut memory)?;
    Ok(memory.bytes(out).chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect())
}

const ORDERS: [Order; 2] = [Order::Ascending, Order::Descending];

#[test]
fn a_barrier_orders_phases() {
    let body = "st.shared.u32 [%u2], %u1;\nbar.sync 0;\nxor.b32 %u3, %u2, 252;\nld.shared.u32 %u4, [%u3];\n\
                st.global.u32 [%a2], %u4;";
    for order in ORDERS {
        assert_eq!(run(body, 64, order).unwrap(), (0..64).rev().collect::<Vec<u32>>());
    }
    let racing = body.replace("bar.sync 0;\n", "");
    assert_ne!(run(&racing, 64, Order::Ascending), run(&racing, 64, Order::Descending));
}

#[test]
fn lines_that_a_text_tells_change_nothing() {
    let text = ".version 7.0\n.target sm_70\n.address_size 64\n\n.file 1 \"kernels/sums.rs\"\n\n.visible .entry k(\n.param .u64 out\n)\n\
                .reqntid 4, 1, 1\n{\n.reg .u32 %u<9>;\n.reg .u64 %a<9>;\n    .loc 1 2 8\nld.param.u64 %a1, [out];\n\
                mov.u32 %u1, %tid.x;\n    .loc 1 6 23\nmad.wide.u32 %a2, %u1, 4, %a1;\n$L1:\n    .loc 1 7 5\n\
                st.global.u32 [%a2], %u1;\nret;\n}\n";
    let mut memory = Memory::new();
    let out = memory.allocate(vec![7; 16]);
    Module::parse(text).unwrap().launch("k", &Launch::new(1, 4), &[out], &mut memory).unwrap();
    assert_eq!(memory.bytes(out), [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
}

#[test]
fn a_barrier_that_not_all_reach_is_a_fault() {
    let skipped = "setp.lt.u32 %p1, %u1, 5;\n@%p1 bra $L1;\nbar.sync 0;\n$L1:\nst.global.u32 [%a2], %u1;";
    assert!(matches!(run(skipped, 8, Order::Ascending), Err(Fault::Divergence { .. })));
    let two = "setp.lt.u32 %p1, %u1, 5;\n@%p1 bra $L1;\nbar.sync 0;\nbra $L2;\n$L1:\nbar.sync 0;\n$L2:";
    assert!(matches!(run(two, 8, Order::Ascending), Err(Fault::Divergence { .. })));
}

#[test]
fn shuffles_move_values_between_lanes() {
    let shuffle = |how: &str| format!("shfl.sync.{how}, 0xffffffff;\nst.global.u32 [%a2], %u3;");
    for order in ORDERS {
        let got = |how: &str| run(&shuffle(how), 64, order).unwrap();
        assert_eq!(got("bfly.b32 %u3, %u1, 1, 31")[..4], [1, 0, 3, 2]);
        assert_eq!(got("up.b32 %u3, %u1, 2, 0")[..4], [0, 1, 0, 1]);
        assert_eq!(got("down.b32 %u3, %u1, 30, 31")[..4], [30, 31, 2, 3]);
        assert_eq!(got("idx.b32 %u3|%p1, %u1, 7, 31")[60], 39);
    }
    let few = "shfl.sync.bfly.b32 %u3, %u1, 1, 31, 0xffffffff;";
    assert!(matches!(run(few, 20, Order::Ascending), Err(Fault::Divergence { .. })));
}

#[test]
fn votes_and_reductions_cover_the_warp() {
    let ballot = "setp.lt.u32 %p1, %u1, 3;\nvote.sync.ballot.b32 %u3, %p1, 0xffffffff;\nst.global.u32 [%a2], %u3;";
    assert_eq!(run(ballot, 32, Order::Ascending).unwrap()[9], 7);
    let sum = "redux.sync.add.u32 %u3, %u1, 0xffffffff;\nst.global.u32 [%a2], %u3;";
    assert_eq!(run(sum, 32, Order::Descending).unwrap(), [496; 32]);
}

#[test]
fn atomics_count_every_thread() {
    let body = "red.global.add.u32 [%a1], 2;\nbar.sync 0;\nsetp.eq.u32 %p1, %u1, 0;\n\
                @!%p1 atom.global.max.u32 %u3, [%a1+4], %u1;";
    for order in ORDERS {
        assert_eq!(run(body, 40, order).unwrap()[..2], [80, 39]);
    }
}

#[test]
fn accesses_outside_are_faults() {
    assert!(matches!(run("ld.global.u32 %u3, [%a2+4];", 4, Order::Ascending), Err(Fault::Access { .. })));
    assert!(matches!(run("ld.shared.u32 %u3, [smem+256];", 4, Order::Ascending), Err(Fault::Access { .. })));
    assert!(matches!(run("ld.global.u32 %u3, [%a1+2];", 4, Order::Ascending), Err(Fault::Access { .. })));
}

#[test]
fn vectors_are_loaded_and_stored_together() {
    let body = "setp.ne.u32 %p1, %u1, 0;\n@%p1 bra $L1;\nst.global.v4.u32 [%a1], {7, 8, 9, 10};\n\
                ld.global.v2.u32 {%u3, %u4}, [%a1+8];\nst.global.v2.u32 [%a1], {%u4, %u3};\n$L1:";
    assert_eq!(run(body, 4, Order::Ascending).unwrap(), [10, 9, 9, 10]);
}

#[test]
fn what_is_not_known_is_refused() {
    for line in ["tex.2d.v4.f32 {%f1}, [%a1];", "mov.u32 %u99, 1;", "bra $L9;", "add.u32 %u1, %u1, 1"] {
        let text = format!(".visible .entry k()\n{{\n.reg .u32 %u<9>;\n{line}\n}}\n");
        assert!(matches!(Module::parse(&text), Err(Fault::Text { .. })), "{line}");
    }
    assert!(matches!(module("").launch("j", &Launch::new(1, 1), &[], &mut Memory::new()), Err(Fault::Launch(_))));
}
