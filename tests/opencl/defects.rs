//! What drivers are known to get wrong, by minimal kernels: the rows of the runtime's table (`opencl::defects`). A driver that
//! is not in a row must be right about its kernel; one that is in it is shown to be wrong still, or the row may go.

use obsidian::abi::{self, Arg, Geometry, KernelInfo, NativeArgs, OpenCl, ParamInfo, ParamKind, ScalarType, Variant};
use obsidian::{Device, LaunchOptions};

use super::opencl;

/// Set where PoCL is told not to optimise, as it then makes none of these mistakes.
const UNOPTIMISED: &str = "POCL_EXTRA_BUILD_FLAGS";

/// Elements of the kernels' buffer; they are zero at first.
const LEN: usize = 64;

macro_rules! minimal {
    ($name:ident, $symbol:literal, $threads:literal) => {
        static $name: KernelInfo = KernelInfo {
            name: $symbol,
            source: None,
            variants: &[Variant {
                values: &[],
                params: &[ParamInfo { name: "out", kind: ParamKind::InOut(None), fields: &[ScalarType::U32] }],
                threads: $threads,
                shared_bytes: 0,
                symbol: $symbol,
                ir: "",
                report: "",
                header: "",
                ptx: "",
                cuda: "",
                opencl: OpenCl {
                    source: include_str!(concat!("defects/", $symbol, ".cl")),
                    symbol: $symbol,
                    shared_bytes: 0,
                    needs: &[],
                    sub_groups: None,
                },
                guarded: &[],
                parts: &[],
                geometry: |_| Ok(Geometry { blocks: 1, outputs: Vec::new() }),
                native: nothing,
            }],
        };
    };
}

unsafe fn nothing(_: &NativeArgs<'_>, _: std::ops::Range<u32>) {}

minimal!(CONDITIONAL, "barriers_under_a_condition", 4);
minimal!(UNCONDITIONAL, "barriers_under_no_condition", 4);
minimal!(PACKED, "comparisons_of_several_phases", 64);
minimal!(APART, "comparisons_of_several_phases_apart", 64);

/// What a kernel leaves in its buffer.
fn run(device: &Device, info: &'static KernelInfo) -> Vec<u32> {
    let mut buffer = device.upload(&[0u32; LEN]).unwrap();
    let plan = abi::plan(info, &LaunchOptions::DEFAULT, device, &[LEN as u64]).unwrap();
    plan.launch(&mut [Arg::Update(buffer.raw_mut())], &mut []).unwrap();
    buffer.to_vec().unwrap()
}

/// A row, by words of what a user is told; the kernel that shows it; the same kernel as the compiler prints it, which avoids it.
struct Row {
    told: &'static str,
    shows: &'static KernelInfo,
    avoids: &'static KernelInfo,
    expected: Vec<u32>,
}

fn rows() -> [Row; 2] {
    let mut conditional = vec![0; LEN];
    for (start, count, value) in [(0, 2, 1), (4, 2, 2), (8, 3, 3), (12, 1, 4)] {
        conditional[start..start + count].fill(value);
    }
    let phase = |x: u32, phase: u32, item: u32| if item >> phase & 1 == 1 { x + phase + 1 } else { x * 3 };
    let packed = (0..LEN as u32).map(|item| (0..8).fold(item, |x, k| phase(x, k, item))).collect();
    [
        Row { told: "barriers under a condition", shows: &CONDITIONAL, avoids: &UNCONDITIONAL, expected: conditional },
        Row { told: "comparisons of several phases", shows: &PACKED, avoids: &APART, expected: packed },
    ]
}

#[test]
fn what_is_avoided_does_no_harm_and_is_still_there() {
    let Some(device) = opencl() else { return };
    let listed = Device::list();
    let about = listed.iter().find(|about| about.name == device.name()).expect("a device of the list");
    for row in rows() {
        assert_eq!(run(device, row.avoids), row.expected, "{}: avoided", row.told);
        let right = run(device, row.shows) == row.expected;
        let in_table = about.avoided.iter().any(|what| what.contains(row.told));
        assert!(right || in_table, "{} gets {} wrong, which its table does not say", device.name(), row.told);
        if right && in_table && std::env::var_os(UNOPTIMISED).is_none() {
            println!("{}: gets {} right on this machine; can its row go?", device.name(), row.told);
        }
    }
}

#[test]
fn pocl_as_it_is_set_up_for_tests_has_all_of_them() {
    let Some(device) = opencl() else { return };
    let listed = Device::list();
    let about = listed.iter().find(|about| about.name == device.name()).expect("a device of the list");
    if !device.name().contains("Portable Computing Language") {
        assert!(about.avoided.is_empty() && !about.to_string().contains("avoided"), "{about}");
        return;
    }
    for row in rows() {
        assert!(about.avoided.iter().any(|what| what.contains(row.told)), "{about}");
        assert!(about.to_string().contains(row.told), "{about}");
    }
    // Its wrong order of items depends on no processor; which comparisons it packs does.
    let wrong = run(device, &CONDITIONAL) != rows()[0].expected;
    assert!(wrong || std::env::var_os(UNOPTIMISED).is_some(), "PoCL has mended it; the row can go");
}
