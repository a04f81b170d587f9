//! OpenCL C for devices whose sub-groups are warps, as a table: a program of warps in machine form in, one kernel out that
//! compiles alone. Its warps are sub-groups of 32, which wait by themselves and exchange values by shuffles.

use super::{SPELLINGS, fences, opening};
use crate::backend::c::dialect::{Contract, Dialect};
use crate::backend::c::spelling::Text;
use crate::level::Level;
use crate::program::{BinOp, Program, ScalarType, ShuffleKind, Special};

pub(super) static SUB_GROUPS: Dialect = Dialect {
    special: |s| match s {
        Special::WarpId => Text::primary("WARP"),
        Special::Lane => Text::primary("LANE"),
        other => (SPELLINGS.special)(other),
    },
    shuffle: |kind, ty, value, lane| {
        let function = match kind {
            ShuffleKind::Index => "sub_group_shuffle",
            ShuffleKind::Xor => "sub_group_shuffle_xor",
            ShuffleKind::Up => "SHUFFLE_UP",
            ShuffleKind::Down => "SHUFFLE_DOWN",
            ShuffleKind::All(BinOp::Or) if ty == ScalarType::Bool => return format!("sub_group_any({value})"),
            ShuffleKind::All(_) if ty == ScalarType::Bool => return format!("sub_group_all({value})"),
            ShuffleKind::Ballot => return format!("BALLOT({value})"),
            ShuffleKind::Same if ty.bytes() == 8 => return format!("SAME_LONG({value})"),
            ShuffleKind::Same => return format!("SAME_INT({value})"),
            // `passes::redux` makes these, which this form is without.
            ShuffleKind::All(op) => return format!("sub_group_non_uniform_reduce_{}({value})", op.reduction()),
        };
        format!("{function}({value}, {lane})")
    },
    kernel: |name, program, parameters| format!("SUB_GROUPS_OF_32\n{}", (SPELLINGS.kernel)(name, program, parameters)),
    barrier: |scope, lanes, fence| match scope {
        Level::Warp => format!("sub_group_barrier({});", fences(fence)),
        _ => (SPELLINGS.barrier)(scope, lanes, fence),
    },
    contract: Contract {
        launch: |n| {
            format!("work-groups of {n} items in sub-groups of 32, one dimension; any number of groups from 1 up")
        },
        ..SPELLINGS.contract
    },
    prologue,
    ..SPELLINGS
};

/// Where a text asks for them: the machine's registers, and shuffles by distance. Which items make a sub-group a driver may
/// choose, so an item's number is made of its lane's: all sub-groups but the last are full.
const DEFINED: [(&str, &str); 8] = [
    ("SHUFFLE_UP", "SHUFFLE_UP(v, n) sub_group_shuffle(v, LANE < (n) ? LANE : LANE - (n))"),
    ("SHUFFLE_DOWN", "SHUFFLE_DOWN(v, n) sub_group_shuffle(v, LANE + (n) < 32u ? LANE + (n) : LANE)"),
    // Each lane has a bit of its own, so that the sum is the union.
    ("BALLOT", "BALLOT(v) sub_group_reduce_add((v) != 0 ? 1u << LANE : 0u)"),
    ("SAME_INT", "SAME_INT(v) same_int((uint)(v))"),
    ("SAME_LONG", "SAME_LONG(v) same_long((ulong)(v))"),
    ("LOCAL_ID", "LOCAL_ID (WARP * 32u + LANE)"),
    ("WARP", "WARP ((uint)get_sub_group_id())"),
    ("LANE", "LANE ((uint)get_sub_group_local_id())"),
];

fn prologue(p: &Program, body: &str, memory: &str) -> String {
    // What `BARRIER` is defined as reads the item's number.
    let of_barriers = if body.contains("BARRIER(") { "LOCAL_ID" } else { "" };
    let mut defined = String::new();
    for (name, text) in DEFINED {
        if body.contains(name) || defined.contains(name) || of_barriers == name {
            if name == "LOCAL_ID" {
                defined += "#undef LOCAL_ID\n";
            }
            defined += &format!("#define {text}\n");
        }
    }
    for (name, function) in SAME {
        if body.contains(name) {
            defined += function;
        }
    }
    opening(p, (body, memory), &format!("{ASKED}{defined}"))
}

/// A mask of the lanes whose value is the lane's own: there is no such function. Each is defined once for all kernels of a file.
const SAME: [(&str, &str); 2] = [
    (
        "SAME_INT",
        "\
#ifndef OBSIDIAN_same_int
#define OBSIDIAN_same_int
static uint same_int(uint v)
{
    uint mask = 0;
    for (uint k = 0; k < 32u; k++) mask |= (sub_group_shuffle(v, k) == v ? 1u : 0u) << k;
    return mask;
}
#endif
",
    ),
    (
        "SAME_LONG",
        "\
#ifndef OBSIDIAN_same_long
#define OBSIDIAN_same_long
static uint same_long(ulong v)
{
    uint mask = 0;
    for (uint k = 0; k < 32u; k++) mask |= (sub_group_shuffle(v, k) == v ? 1u : 0u) << k;
    return mask;
}
#endif
",
    ),
];

/// That the size is 32 the host asks the driver, which knows it when the kernel is compiled.
const ASKED: &str = "\
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#ifdef cl_khr_subgroup_shuffle
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#endif
#ifdef cl_intel_required_subgroup_size
#define SUB_GROUPS_OF_32 __attribute__((intel_reqd_sub_group_size(32)))
#else
#define SUB_GROUPS_OF_32
#endif
";
