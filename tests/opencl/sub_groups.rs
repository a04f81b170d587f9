//! Programs of warps where sub-groups are warps: each gives what the interpreter gives, by the text for sub-groups and no
//! other. `cargo xtask test` brings Intel's driver for it; without a device that is said to have them this says SKIP.

use obsidian::Backend;
use obsidian::abi::{KernelInfo, SubGroups, Variant};

use super::cases::{Case, on_these_variants};
use super::{compare, opencl};

/// Set where a driver with sub-groups of 32 was set up.
const EXPECTED: &str = "OBSIDIAN_TEST_SUB_GROUPS";

/// What no compiler takes.
const BROKEN: &str = "#error \"this text was not to be compiled\"";

/// The case with its texts changed.
fn with_texts(case: &Case, real: &[Option<u32>], change: impl FnOnce(&mut Variant)) {
    let mut variant: Variant = case.info.variants[case.variant].clone();
    change(&mut variant);
    let info = KernelInfo { name: case.info.name, variants: Vec::leak(vec![variant]), source: None };
    let (info, program) = (Box::leak(Box::new(info)), case.program.clone());
    compare(&Case { info, variant: 0, program, chunk: case.chunk }, real);
}

fn has_warps(variant: &Variant) -> bool {
    variant.opencl.sub_groups.is_some()
}

#[test]
fn sub_groups_give_what_the_interpreter_gives() {
    if std::env::var_os(EXPECTED).is_none() {
        println!("SKIP: {EXPECTED} does not say that the device has sub-groups of 32");
        return;
    }
    let device = opencl().expect("a device");
    assert_eq!(device.kind(), Backend::OpenCl);
    let of_warps = |info: &KernelInfo| info.variants.iter().any(has_warps);
    let variants = on_these_variants(of_warps, |case| {
        if has_warps(&case.info.variants[case.variant]) {
            // The way in which groups take blocks is the same in both texts.
            let real = if case.variant == 0 { &[None, Some(7), Some(1)][..] } else { &[None] };
            with_texts(case, real, |variant| variant.opencl.source = BROKEN);
        }
    });
    assert!(variants >= 100, "{variants} variants of programs of warps");
}

#[test]
fn what_the_driver_does_not_take_in_sub_groups_is_run_without() {
    if opencl().is_none() {
        return;
    }
    let broken = |variant: &mut Variant| {
        variant.opencl.sub_groups = Some(SubGroups { source: BROKEN, shared_bytes: 0 });
    };
    let asked = on_these_variants(
        |info| info.name == "reductions",
        |case| {
            if case.variant == 0 {
                with_texts(case, &[None], broken);
            }
        },
    );
    assert_eq!(asked, 7);
}
