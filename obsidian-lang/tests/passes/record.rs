//! What guards record is written once a kernel, by a block at its end.

use obsidian_ir::backend::{cuda, opencl, ptx};

use super::compiled;

/// A loop with two guarded reads, one of what the other gave, and a guarded update.
const KERNEL: &str = "#[kernel(threads = 64)]
    pub fn f(m: DMut<u32>, first: DPull<u32>, second: DPull<u32>, places: DPull<u32>) -> Program<Grid, ()> {
        for_all(places.len(), |t| {
            let mut i = places[t];
            for _ in 0..7 {
                i = second[first[i]];
            }
            atomic_add(m, i, 1);
        })
    }";

#[test]
fn a_kernel_has_one_block_that_writes_the_record() {
    let variant = &compiled(KERNEL)[0];
    assert!(variant.report.guards.len() > 2, "{:?}", variant.report.guards);
    let (ptx, cuda, cl) = (ptx::print(&variant.machine), cuda::print(&variant.machine), opencl::print(&variant.group));
    for (text, exchange) in [(&ptx, "atom.global.cas.b64"), (&cuda, "atomicCAS("), (&cl, "atom_cmpxchg(")] {
        assert_eq!(text.matches(exchange).count(), 1, "{text}");
        let (before, _) = text.split_once(exchange).expect("one");
        assert!(before.contains("red.global.add.u32") || before.contains("tomic_add(") || before.contains("tomicAdd("));
    }
    assert!(cuda.contains(" stray") && cuda.contains(" != 0u) {"), "{cuda}");
}

#[test]
fn a_kernel_without_guards_has_none() {
    let text = "#[kernel(threads = 64)] pub fn f(x: DPull<u32>) -> DPush<Grid, u32> {
        x.map(|v| v + 1).split_up(64).as_grid_map(|c| c.push())
    }";
    assert!(!cuda::print(&compiled(text)[0].machine).contains("fault"));
}
