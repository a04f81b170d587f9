//! Shared subexpressions stay shared: expressions that are trees of 2^20 leaves when written out take a few nodes, a few
//! statements and a few lines of text.

use obsidian_ir::backend::{cuda, ptx};
use obsidian_ir::program::print;
use obsidian_lang::driver::{Variant, compile};
use obsidian_lang::syntax::SpanTable;

/// Twenty rounds of adding, to each element, what `other` says.
fn doubled(ty: &str, other: &str) -> Variant {
    let text = format!(
        "#[kernel(threads = 64)]
        fn doubled(input: DPull<{ty}>) -> DPush<Grid, {ty}> {{
            input.split_up(64).as_grid_map(|c| {{
                let mut xs = c;
                for k in 0..20 {{
                    let ys = xs;
                    xs = mk_pull(64, |i| ys[i] + {other});
                }}
                xs.push()
            }})
        }}"
    );
    let tokens = text.parse().expect("tokens");
    let entries = compile(tokens, &mut SpanTable::default()).unwrap_or_else(|errors| panic!("{errors:?}"));
    entries[0].variants[0].clone()
}

fn assert_small(variant: &Variant, additions: usize) {
    let ir = print(&variant.native);
    assert_eq!(ir.matches(" + ").count(), additions, "{ir}");
    assert!(variant.native.exprs.len() < 300, "{} expressions", variant.native.exprs.len());
    assert!(cuda::print(&variant.machine).lines().count() < 300);
    assert!(ptx::print(&variant.machine).lines().count() < 300);
}

#[test]
fn an_element_twice() {
    // Twenty sums, and the index.
    assert_small(&doubled("f32", "ys[i]"), 21);
}

#[test]
fn an_element_and_its_mirror_image() {
    // Both ends of each round: two sums per round, but one in the last; and two indices.
    let mirrored = doubled("f32", "ys[63 - i]");
    let ir = print(&mirrored.native);
    assert!(ir.matches(" + ").count() <= 46, "{ir}");
    assert_small(&mirrored, ir.matches(" + ").count());
}

#[test]
fn integers_fold_to_a_shift_or_a_product() {
    let ir = print(&doubled("u32", "ys[i]").native);
    assert!(ir.contains("* 1048576"), "{ir}");
}
