//! What drivers are known to get wrong, by minimal kernels: the rows of the runtime's table (`opencl::defects`). A driver that
//! is not in a row must be right about its kernel; one that is in it is shown to be wrong still, or the row may go. Such a
//! kernel runs in a process of its own, since a driver may die of it.

use std::process::Command;

use obsidian::abi::cost::Cost;
use obsidian::abi::{
    self, Arg, Geometry, KernelInfo, Language, NativeArgs, ParamInfo, ParamKind, ScalarType, Text, Variant,
};
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
            variants: &[Variant {
                values: &[],
                params: &[ParamInfo { name: "out", kind: ParamKind::InOut(None), fields: &[ScalarType::U32] }],
                threads: $threads,
                ir: "",
                report: "",
                cost: &Cost::UNKNOWN,
                texts: &[Text {
                    language: Language::OpenClC,
                    source: include_str!(concat!("defects/", $symbol, ".cl")),
                    symbol: $symbol,
                    shared_bytes: 0,
                    rounds: 1,
                    needs: &[],
                }],
                guarded: &[],
                parts: &[],
                geometry: |_| Ok(Geometry::of(1, Vec::new())),
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
minimal!(ROUNDS, "rounds_of_two_items", 2);
minimal!(SPLIT, "rounds_of_two_items_split", 2);
minimal!(TABLE, "choices_of_places", 16);
minimal!(NO_TABLE, "choices_of_places_hidden", 16);
minimal!(GREATER, "greater_of_complements", 1);
minimal!(HIDDEN, "greater_of_complements_hidden", 1);
minimal!(ALONE, "neighbours_one_by_one", 1);
minimal!(TOGETHER, "neighbours_together", 1);

/// What a kernel leaves in its buffer.
fn run(device: &Device, info: &'static KernelInfo) -> Vec<u32> {
    let mut buffer = device.upload(&[0u32; LEN]).unwrap();
    let plan = abi::plan(info, &LaunchOptions::DEFAULT, device, &[LEN as u64]).unwrap();
    plan.launch(&mut [Arg::Update(buffer.raw_mut())], &mut []).unwrap();
    buffer.to_vec().unwrap()
}

/// A row: the platform whose driver has it; words of what a user is told; the kernel that shows it; the same kernel as the compiler prints it, which avoids it.
struct Row {
    platform: &'static str,
    told: &'static str,
    shows: &'static KernelInfo,
    avoids: &'static KernelInfo,
    expected: Vec<u32>,
}

/// Platforms whose drivers are set up for tests.
pub(super) const POCL: &str = "Portable Computing Language";
const INTEL: &str = "Intel(R) OpenCL";

fn rows() -> [Row; 6] {
    let mut conditional = vec![0; LEN];
    for (start, count, value) in [(0, 2, 1), (4, 2, 2), (8, 3, 3), (12, 1, 4)] {
        conditional[start..start + count].fill(value);
    }
    let phase = |x: u32, phase: u32, item: u32| if item >> phase & 1 == 1 { x + phase + 1 } else { x * 3 };
    let packed = (0..LEN as u32).map(|item| (0..8).fold(item, |x, k| phase(x, k, item))).collect();
    let mut rounds = vec![0; LEN];
    rounds[..2].fill((0..6).sum());
    let mut places = vec![0; LEN];
    places[..4].copy_from_slice(&[0, 4, 8, 12]);
    let mut greater = vec![0; LEN];
    greater[0] = u32::MAX;
    let mut neighbours: Vec<u32> = (0..LEN as u32).map(|i| i * 37 % LEN as u32).collect();
    neighbours[1..LEN - 1].as_chunks_mut::<2>().0.iter_mut().for_each(|pair| pair.sort_unstable());
    [
        Row {
            platform: POCL,
            told: "barriers under a condition",
            shows: &CONDITIONAL,
            avoids: &UNCONDITIONAL,
            expected: conditional,
        },
        Row { platform: POCL, told: "comparisons of several phases", shows: &PACKED, avoids: &APART, expected: packed },
        Row { platform: POCL, told: "loops around barriers", shows: &ROUNDS, avoids: &SPLIT, expected: rounds },
        Row { platform: POCL, told: "tables of places", shows: &TABLE, avoids: &NO_TABLE, expected: places },
        Row {
            platform: INTEL,
            told: "compares complements wrongly",
            shows: &GREATER,
            avoids: &HIDDEN,
            expected: greater,
        },
        Row {
            platform: INTEL,
            told: "neighbours that an item reads alone",
            shows: &ALONE,
            avoids: &TOGETHER,
            expected: neighbours,
        },
    ]
}

/// Names a row to a process that runs its kernel.
const ASKED: &str = "OBSIDIAN_TEST_DEFECT";

/// Whether the driver gets a row's kernel right.
fn is_right(row: &Row) -> bool {
    let mut command = Command::new(std::env::current_exe().expect("these tests"));
    command.args(["--exact", "defects::a_kernel_of_the_table_alone", "--nocapture"]).env(ASKED, row.told);
    let output = command.output().expect("the tests run");
    let said = String::from_utf8_lossy(&output.stdout);
    // Neither a test that is not found nor one that cannot ask its device is an answer.
    let asked = said.contains(ASKED);
    assert!(asked, "{said}");
    output.status.success()
}

/// What [`is_right`] starts; alone it has nothing to ask.
#[test]
fn a_kernel_of_the_table_alone() {
    let Some(asked) = std::env::var_os(ASKED) else { return };
    let row = rows().into_iter().find(|row| row.told == asked).expect("a row");
    let device = opencl().expect("the device of those who ask");
    println!("{ASKED}");
    assert_eq!(run(device, row.shows), row.expected);
}

#[test]
fn what_is_avoided_does_no_harm_and_is_still_there() {
    let Some(device) = opencl() else { return };
    let listed = Device::list();
    let about = listed.iter().find(|about| about.name == device.name()).expect("a device of the list");
    for row in rows() {
        assert_eq!(run(device, row.avoids), row.expected, "{}: avoided", row.told);
        let right = is_right(&row);
        let in_table = about.avoided.iter().any(|what| what.contains(row.told));
        assert!(right || in_table, "{} gets {} wrong, which its table does not say", device.name(), row.told);
        if right && in_table && std::env::var_os(UNOPTIMISED).is_none() {
            println!("{}: gets {} right on this machine; can its row go?", device.name(), row.told);
        }
    }
}

#[test]
fn drivers_as_they_are_set_up_for_tests_have_theirs() {
    let Some(device) = opencl() else { return };
    let listed = Device::list();
    let about = listed.iter().find(|about| about.name == device.name()).expect("a device of the list");
    for row in rows() {
        let has = device.name().contains(row.platform);
        assert_eq!(about.avoided.iter().any(|what| what.contains(row.told)), has, "{about}");
        assert_eq!(about.to_string().contains(row.told), has, "{about}");
    }
    // Which comparisons are packed, and so which are wrong, depends on the processor; these do not.
    let shown = [
        (POCL, "barriers under a condition"),
        (POCL, "loops around barriers"),
        (POCL, "tables of places"),
        (INTEL, "neighbours that an item reads alone"),
    ];
    for (platform, told) in shown {
        let row = rows().into_iter().find(|row| row.told == told).expect("a row");
        let asked = device.name().contains(platform) && std::env::var_os(UNOPTIMISED).is_none();
        assert!(!asked || !is_right(&row), "{told}: it is mended; the row can go");
    }
}
