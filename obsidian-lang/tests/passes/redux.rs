//! Butterflies, by the printed machine form of small kernels.

use obsidian_lang::driver::View;

use super::shown;

/// The kernel in a view: each warp's 32 elements reduced.
fn text(view: View, target: &str, ty: &str, f: &str) -> String {
    let code = format!(
        "#[kernel(threads = 64, target = \"{target}\")] pub fn k(input: DPull<{ty}>) -> DPush<Grid, {ty}> {{
            input.split_up(64).as_grid_map(|c| c.split_up(32).as_block_map(|w| reduce_lanes(w, {f})))
        }}"
    );
    shown(view, &code)
}

#[test]
fn a_butterfly_of_words_is_one_instruction() {
    for (ty, f, op) in [
        ("u32", "|a, b| a + b", "add.u32"),
        ("i32", "|a, b| max(a, b)", "max.s32"),
        ("u32", "|a, b| min(b, a)", "min.u32"),
        ("i32", "|a, b| a ^ b", "xor.b32"),
    ] {
        let out = text(View::Ptx, "sm_80", ty, f);
        assert_eq!(out.matches(&format!("redux.sync.{op}")).count(), 1, "{out}");
        assert!(!out.contains("shfl"), "{out}");
        let cuda = text(View::Cuda, "sm_80", ty, f);
        assert!(cuda.contains("__reduce_") && !cuda.contains("__shfl"), "{cuda}");
    }
}

#[test]
fn what_redux_lacks_is_shuffled() {
    for (target, ty, f) in [
        ("sm_75", "u32", "|a, b| a + b"),
        ("sm_80", "f32", "|a, b| a + b"),
        ("sm_80", "u64", "|a, b| a + b"),
        ("sm_80", "u32", "|a, b| a * b"),
        ("sm_80", "u32", "|a, b| 2 * a + b"),
    ] {
        let out = text(View::Ptx, target, ty, f);
        assert!(out.contains("shfl.sync.bfly") && !out.contains("redux"), "{out}");
    }
}

#[test]
fn steps_that_something_else_reads_stay() {
    let code = "#[kernel(threads = 64, target = \"sm_80\")] pub fn k(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(64).as_grid_map(|c| c.split_up(32).as_block_map(|w| exec_warp({
            let mut acc = w.compute_lanes();
            let mut seen = acc;
            for k in 0..5 {
                let before = acc;
                acc = mk_pull(32, |i| before[i] + before[i ^ (1 << k)]).compute_lanes();
                seen = if k == 2 { acc } else { seen };
            }
            acc.zip_with(seen, |a, b| a * b)
        })))
    }";
    let out = shown(View::Ptx, code);
    assert_eq!(out.matches("shfl.sync.bfly").count(), 5, "{out}");
}
