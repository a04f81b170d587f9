//! OpenCL C of small kernels, portable and for sub-groups.

use obsidian_ir::backend::cuda;
use obsidian_ir::backend::opencl::{print, print_sub_groups};

use super::compiled;

#[test]
fn a_kernel_with_vectors_for_the_machine_is_printed_without() {
    let variant = &compiled(
        "#[kernel(threads = 128)] pub fn f(x: DPull<i32>) -> DPush<Grid, i32> {
            x.map(|v| v + 1).split_up(512).as_grid_map(|c| c.runs(4))
        }",
    )[0];
    assert!(cuda::print(&variant.machine).contains("i32x4"));
    assert!(!print(&variant.group).contains("i32x4"));
    assert!(variant.sub_groups.is_none());
}

#[test]
fn where_sub_groups_are_warps_they_shuffle_and_wait_by_themselves() {
    let variants = compiled(
        "#[kernel(threads = [64, 31])] pub fn f(x: DPull<bool>) -> DPush<Grid, bool> {
            x.split_up(128).as_grid_map(|c| c.split_up(32).as_block_map(|w| {
                let a = w.compute_lanes();
                let b = mk_pull(32, |i| (if i < 1 { a[i] } else { a[i - 1] }) != a[i ^ 2]).compute_lanes();
                mk_pull(32, |i| b[i]).compute().reverse().push()
            }))
        }",
    );
    assert!(variants[1].sub_groups.is_none(), "a warp of 31");
    let text = print_sub_groups(variants[0].sub_groups.as_ref().expect("a program of warps"));
    for part in [
        "#define WARP ((uint)get_sub_group_id())\n#define LANE ((uint)get_sub_group_local_id())\n",
        "#define SHUFFLE_UP(v, n) sub_group_shuffle(v, LANE < (n) ? LANE : LANE - (n))\n",
        "\nSUB_GROUPS_OF_32\n__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\nvoid f_t64(",
        "= SHUFFLE_UP((int)",
        "= sub_group_shuffle_xor((int)",
        ", 2u) != 0;",
        "sub_group_barrier(CLK_LOCAL_MEM_FENCE);",
        "in sub-groups of 32",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("BARRIER(") && !text.contains("SHUFFLE_DOWN"), "{text}");
    let portable = print(&variants[0].group);
    assert!(
        portable.contains(" BARRIER(") && !portable.contains("sub_group") && !portable.contains("WARP"),
        "{portable}"
    );
}

#[test]
fn a_block_is_tested_only_where_another_loop_may_have_more() {
    let tested = |kernel: &str| {
        let text = print(&compiled(kernel)[0].group);
        assert!(text.contains("more_blocks = b < (n))\n"), "{text}");
        text.contains("if (any")
    };
    assert!(!tested(
        "#[kernel(threads = 32)] pub fn f(x: DPull<i32>) -> DPush<Grid, i32> {
            x.split_up(32).as_grid_map(|c| c.reverse().push())
        }"
    ));
    assert!(tested(
        "#[kernel(threads = 32)] pub fn f(x: DPull<i32>, y: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>) {
            (x.split_up(32).as_grid_map(|c| c.push()), y.split_up(32).as_grid_map(|c| c.push()))
        }"
    ));
}

#[test]
fn subscripts_that_do_not_wrap_are_computed_in_64_bits() {
    let variant = &compiled(
        "#[kernel(threads = 128)] pub fn f(x: DPull<i32>, y: DPull<i32>) -> DPush<Grid, i32> {
            let pairs = x.zip_with(y, |a, b| a + b);
            pairs.split_up(128).as_grid_map(|c| mk_pull(128, |i| c[(i * 3000000001) & 127]).push())
        }",
    )[0];
    let text = print(&variant.group);
    // The product in the array wraps on purpose; the place of the array does not.
    assert!(text.contains("(ulong)b") && text.contains(" * 128u"), "{text}");
    assert!(text.contains(" * 0xb2d05e01u) & 127u"), "{text}");
    assert!(!cuda::print(&variant.machine).contains("long"), "32 bits are as good on a GPU");
}

#[test]
fn a_map_is_a_group_for_each_round_and_a_guarded_read_is_one_branch() {
    let variant = &compiled(
        "#[kernel(threads = 64)] pub fn f(x: DPull<u32>, y: DPull<i32>) -> DPush<Grid, i32> {
            x.map(|i| y[i]).split_up(256).as_grid_map(|c| c.push())
        }",
    )[0];
    assert_eq!((variant.group.rounds, variant.machine.rounds), (4, 1));
    let text = print(&variant.group);
    assert!(text.contains("parts of work") && text.contains(" * 4u parts of work"), "{text}");
    assert_eq!(text.matches("] = ").count(), 2, "an output and the record: {text}");
    assert_eq!(text.matches("< n_y").count() + text.matches(">= n_y").count(), 1, "{text}");
    // For the machine its four rounds are one after another.
    assert!(cuda::print(&variant.machine).matches("out[").count() == 4);
}
