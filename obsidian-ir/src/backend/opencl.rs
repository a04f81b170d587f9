//! OpenCL C 1.2, as a table of spellings over the shared walker `backend::c`: group form in, one kernel out that
//! compiles alone. Only core features, but for `double` and 64-bit atomics, which [`needs`] names. For devices that have
//! warps there is a second table, `sub_groups`.

mod avoided;
mod needs;
mod sub_groups;
#[cfg(test)]
mod tests;
mod vectors;

use super::c::dialect::{Contract, Dialect, Extreme, Fence, Function, Logic, Native, OfIntegers, SourcePlaces};
use super::c::spelling::{Prec, Text, unsigned};
use super::c::{self, names};
use crate::passes::{Group, SubGroups};
use crate::program::{AtomicOp, Lined, Math, Program, ScalarType, Space, Special, UnOp};
pub use needs::needs;
use obsidian_abi::Need;

/// The name of a kernel's function: the entry's own, unless it is a function of OpenCL C.
pub fn symbol(name: &str) -> String {
    let reserved: Vec<&str> = RESERVED.iter().chain(FUNCTIONS).copied().collect();
    names::symbol(name, &reserved)
}

/// Prints a program in group form as OpenCL C. The function bears the [`symbol`] of `Program::name`.
pub fn print(p: &Group) -> String {
    c::print(p, &OPENCL)
}

/// The same with the tokens that each line comes from.
pub fn print_lined(p: &Group) -> Lined {
    c::print_lined(p, &OPENCL)
}

/// Prints a program in sub-group form, for devices with sub-groups of 32 and shuffles. The function's name is the same.
pub fn print_sub_groups(p: &SubGroups) -> String {
    c::print(p, &sub_groups::SUB_GROUPS)
}

/// The same with the tokens that each line comes from.
pub fn print_sub_groups_lined(p: &SubGroups) -> Lined {
    c::print_lined(p, &sub_groups::SUB_GROUPS)
}

pub(super) static OPENCL: Dialect = SPELLINGS;

const SPELLINGS: Dialect = Dialect {
    // A checker such as Oclgrind shows the text's own lines, which it has.
    places: SourcePlaces::Left,
    ty,
    // The host and the device need not agree on the size of `bool`.
    stored_bool: "uchar",
    long: "L",
    unsigned_long: "UL",
    // As wide as an address on processors, whose compilers make vectors of the items of a group.
    subscripts: ScalarType::U64,
    // 32 bits wide, as everything that is computed from them; `get_local_id` gives a `size_t`.
    special: |s| match s {
        Special::Tid => Text::primary("LOCAL_ID"),
        Special::WarpId => Text::new("LOCAL_ID / 32u", Prec::Product),
        Special::Lane => Text::new("LOCAL_ID % 32u", Prec::Product),
        Special::BlockIdx => Text::primary("GROUP_ID"),
        Special::GridDim => Text::primary("GROUP_COUNT"),
    },
    each_block: Some(|block, blocks| format!("EACH_BLOCK({block}, {blocks})")),
    function,
    // The upper half of a product is the only one.
    of_integers: |_, _| OfIntegers::Own("mul_hi".to_string()),
    // PoCL makes a call of its own `min`, element by element.
    extreme: Extreme::Helper,
    complement: Some(|ty, of| format!("COMPLEMENT({ty}, {of})")),
    copy_sign: Some("copysign"),
    fast_divide: "    return native_divide(a, b);\n",
    fast_sqrt: "    return native_sqrt(a);\n",
    fast_recip: "    return native_recip(a);\n",
    fast_rsqrt: "    return native_rsqrt(a);\n",
    fast_function: |op| match op {
        UnOp::Exp2 => ("fast_exp2", "    return native_exp2(a);\n"),
        UnOp::Log2 => ("fast_log2", "    return native_log2(a);\n"),
        UnOp::Sin => ("fast_sin", "    return native_sin(a);\n"),
        UnOp::Cos => ("fast_cos", "    return native_cos(a);\n"),
        // There is no native one.
        _ => ("fast_tanh", "    return tanh(a);\n"),
    },
    bit_count,
    half,
    reinterpret: |_, to, text| Text::primary(format!("as_{}({})", ty(to), text.code)),
    // Group form has none: what is in lanes elsewhere is in local memory here.
    shuffle: |_, _, value, _| value.to_string(),
    from_bits: |ty| if ty == ScalarType::F32 { "as_float" } else { "as_double" },
    to_bits: |ty| if ty == ScalarType::F32 { "as_int" } else { "as_long" },
    space: |space| match space {
        Space::Global(_) => "__global",
        Space::Shared(_) => "__local",
        Space::Local | Space::Lanes | Space::Registers => "",
    },
    vectors: vectors::VECTORS,
    restrict: "restrict",
    copies: None,
    helper: "static",
    helper_prefix: "",
    kernel: |name, program, parameters| {
        let threads = program.threads;
        format!("__kernel __attribute__((reqd_work_group_size({threads}, 1, 1)))\nvoid {name}(\n    {parameters})")
    },
    shared: |bytes| {
        format!(
            "__local uchar room[{bytes}] __attribute__((aligned(128)));\n    __local uchar *const smem = PLACES(room);"
        )
    },
    barrier: |_, _, fence| format!("BARRIER({});", fences(fence)),
    // PoCL copies the items of groups of so few, instead of running them in a loop.
    round: |threads| (threads == 2).then_some("ROUND;"),
    // PoCL on LLVM 15 gets the operators that may skip a side wrong in loops, where it optimises a group that takes one block.
    logic: Logic { both: "&", either: "|", operands: Prec::Unary },
    rolled: None,
    atomic,
    compare_exchange: |bytes| if bytes == 8 { "atom_cmpxchg" } else { "atomic_cmpxchg" },
    contract: Contract {
        launch: |n| format!("work-groups of {n} items, one dimension; from 1 group to one for each part of work"),
        block: "group",
        shared: |p| format!("Local memory: {} bytes, static.", p.shared_bytes),
    },
    prologue: |p, body, memory| {
        let used = ["LOCAL_ID", "BARRIER("].iter().any(|name| body.contains(name));
        let id = if used { "#undef LOCAL_ID\n#define LOCAL_ID ((uint)get_local_id(0))\n" } else { "" };
        opening(p, (body, memory), id)
    },
    symbol,
    reserved: RESERVED,
};

fn fences(fence: Fence) -> &'static str {
    match fence {
        Fence::Shared => "CLK_LOCAL_MEM_FENCE",
        Fence::Everything => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
    }
}

fn ty(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "char",
        ScalarType::I16 => "short",
        ScalarType::I32 => "int",
        ScalarType::I64 => "long",
        ScalarType::U8 => "uchar",
        // `half` is an extension; 16-bit floats are their bits.
        ScalarType::U16 | ScalarType::F16 | ScalarType::BF16 => "ushort",
        ScalarType::U32 => "uint",
        ScalarType::U64 => "ulong",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// The functions are overloaded; a pragma sees to it that no product is contracted with a sum.
fn function(function: Function, _: ScalarType) -> Option<String> {
    let name = match function {
        Function::Mul => return None,
        Function::MulAdd => "fma",
        Function::Sqrt => "sqrt",
        Function::Abs => "fabs",
        Function::Floor => "floor",
        Function::Ceil => "ceil",
        Function::Trunc => "trunc",
        Function::Rem => "fmod",
        Function::Min => "fmin",
        Function::Max => "fmax",
    };
    Some(name.to_string())
}

fn bit_count(op: UnOp, int: ScalarType) -> String {
    let (t, u) = (ty(int), ty(unsigned(int)));
    match op {
        UnOp::CountOnes => "    return popcount(a);\n".to_string(),
        UnOp::LeadingZeros => "    return clz(a);\n".to_string(),
        // Below the lowest one bit there are only ones in `x - 1`; of 0 that is all bits.
        UnOp::TrailingZeros => {
            format!("    const {u} x = ({u})a;\n    return ({t})popcount(({u})((x & ({u})-x) - 1));\n")
        }
        _ => {
            let steps = [
                (1, "0x5555555555555555UL"),
                (2, "0x3333333333333333UL"),
                (4, "0x0f0f0f0f0f0f0f0fUL"),
                (8, "0x00ff00ff00ff00ffUL"),
                (16, "0x0000ffff0000ffffUL"),
            ];
            let step = |(by, mask): (u32, &str)| format!("    x = x >> {by} & {mask} | (x & {mask}) << {by};\n");
            let steps: String = steps.into_iter().map(step).collect();
            let back = 64 - int.bits();
            format!("    ulong x = ({u})a;\n{steps}    x = x >> 32 | x << 32;\n    return ({t})(x >> {back});\n")
        }
    }
}

/// By bits, as in `program::arith`: drivers disagree on zeros and NaNs in `vload_half` and `vstore_half`.
fn half(from: ScalarType, to: ScalarType) -> &'static str {
    match (from, to) {
        (ScalarType::F16, _) => {
            "    const uint e = x >> 10 & 31u, m = x & 0x3ffu;\n    \
             const uint v = e == 0u ? as_uint((float)m * 5.9604645e-8f) : (e == 31u ? 255u : e + 112u) << 23 | m << 13;\n    \
             return as_float((uint)(x & 0x8000) << 16 | v);\n"
        }
        (ScalarType::BF16, _) => "    return as_float((uint)x << 16);\n",
        (_, ScalarType::F16) => {
            "    const uint s = as_uint(x) >> 16 & 0x8000u, m = as_uint(x) & 0x7fffffffu;\n    \
             if (m > 0x7f800000u) return (ushort)(s | 0x7e00u);\n    \
             if (m >= 0x477ff000u) return (ushort)(s | 0x7c00u);\n    \
             if (m >= 0x38800000u) return (ushort)(s | (m - 0x38000000u + 0xfffu + (m >> 13 & 1u)) >> 13);\n    \
             return (ushort)(s | (as_uint(as_float(m) * 16777216.0f + 8388608.0f) & 0xffffu));\n"
        }
        _ => {
            "    const uint b = as_uint(x);\n    if (x != x) return (ushort)(b >> 16 | 0x40u);\n    \
             return (ushort)((b + 0x7fffu + (b >> 16 & 1u)) >> 16);\n"
        }
    }
}

/// Those of 64 bits are an extension, and older than the others: their prefix is shorter.
fn atomic(op: AtomicOp, ty: ScalarType) -> Option<Native> {
    use ScalarType::{F32, I32, I64, U32, U64};
    let [word, long] = match op {
        AtomicOp::Add => ["atomic_add", "atom_add"],
        AtomicOp::Min => ["atomic_min", "atom_min"],
        AtomicOp::Max => ["atomic_max", "atom_max"],
        AtomicOp::And => ["atomic_and", "atom_and"],
        AtomicOp::Or => ["atomic_or", "atom_or"],
        AtomicOp::Xor => ["atomic_xor", "atom_xor"],
        AtomicOp::Exchange => ["atomic_xchg", "atom_xchg"],
        AtomicOp::CompareExchange => ["atomic_cmpxchg", "atom_cmpxchg"],
    };
    match (ty, op) {
        (I32 | U32, _) | (F32, AtomicOp::Exchange) => Some((word, None)),
        (I64 | U64, _) => Some((long, None)),
        _ => None,
    }
}

/// What the kernel needs of the compiler, and short names for the machine registers that it reads; those of a thread are
/// given, and memory that it writes. A name that means something else in another kernel is forgotten first: texts may stand
/// behind one another in a file.
fn opening(p: &Program, (body, memory): (&str, &str), of_thread: &str) -> String {
    let mut text = String::new();
    // Said either way: the pragma holds for the texts behind it in a file, too.
    let contract = if p.options.math == Math::Exact { "OFF" } else { "ON" };
    text += &format!("#pragma OPENCL FP_CONTRACT {contract}\n");
    for need in needs(p) {
        let extensions: &[&str] = match need {
            Need::F64 => &["cl_khr_fp64"],
            Need::Atomics64 => &["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"],
            Need::RoundedDivision | Need::Subnormals => &[],
        };
        text.extend(extensions.iter().map(|name| format!("#pragma OPENCL EXTENSION {name} : enable\n")));
    }
    text += of_thread;
    // The offset of a dimension that a launch does not have is 0.
    let registers = [("GROUP_ID", "(get_group_id(0) + get_global_offset(1))"), ("GROUP_COUNT", "get_num_groups(0)")];
    let blocks = body.contains("EACH_BLOCK");
    for (name, value) in registers.iter().filter(|(name, _)| blocks || body.contains(name)) {
        text += &format!("#define {name} ((uint){value})\n");
    }
    if blocks {
        text += EACH_BLOCK;
    }
    text += &vectors::macros(body, p.threads);
    text += &avoided::macros(body, memory, p.threads);
    text + "\n"
}

/// Compilers for processors run the items of a group in a loop of their own, and vectorise it only where no other is inside.
/// Under a condition they handle barriers worse, and some give wrong results: the first round is not tested.
const EACH_BLOCK: &str = "\
// Launched on at most as many groups as there are blocks. Compiled with BLOCK_A_GROUP it must be launched on exactly as many,
// or on some of them: those from the global offset of dimension 1 on.
#ifdef BLOCK_A_GROUP
#define EACH_BLOCK(b, n) const uint b = GROUP_ID;
#else
#define EACH_BLOCK(b, n) for (uint b = GROUP_ID, more_blocks = 1u; more_blocks; b += GROUP_COUNT, more_blocks = b < (n))
#endif
";

/// Words of the language, types, and what the printer itself writes.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "kernel", "global", "local", "constant", "read_only", "write_only", "read_write", "uniform", "pipe", "generic", "half",
    "quad", "complex", "imaginary", "uchar", "ushort", "uint", "ulong", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t",
    "event_t", "sampler_t", "image1d_t", "image2d_t", "image3d_t", "image1d_array_t", "image1d_buffer_t",
    "image2d_array_t", "queue_t", "ndrange_t", "clk_event_t", "reserve_id_t", "restrict", "inline", "vec_step",
    "LOCAL_ID", "GROUP_ID", "GROUP_COUNT", "EACH_BLOCK", "BLOCK_A_GROUP", "BARRIER", "SPLIT_PHASES", "ROUND", "SPLIT_ROUNDS", "more_blocks", "ELEMENTWISE", "HIDE_COMPLEMENTS", "COMPLEMENT", "HIDE_PLACES", "PLACES", "room", "LOAD2",
    "LOAD4", "STORE2", "STORE4", "WARP", "LANE", "SHUFFLE_UP", "SHUFFLE_DOWN",
    "SUB_GROUPS_OF_32", "sub_group_shuffle", "sub_group_shuffle_xor", "sub_group_barrier", "get_sub_group_id",
    "get_sub_group_local_id", "INFINITY", "NAN", "FLT_MAX", "FLT_MIN", "DBL_MAX", "DBL_MIN", "CHAR_BIT",
    "INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN", "MAXFLOAT", "HUGE_VAL", "HUGE_VALF", "M_E", "M_PI",
    "get_local_id", "get_group_id", "get_num_groups", "barrier", "as_float", "as_double", "as_int", "as_long", "as_uint",
    "as_ulong", "sqrt", "fabs", "floor", "ceil", "trunc", "fmod", "fmin", "fmax", "min", "max", "fma", "mul_hi", "vload_half", "vstore_half_rte", "popcount", "clz", "native_divide",
    "native_sqrt", "native_recip", "native_rsqrt",
    "atomic_add", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg", "atomic_cmpxchg",
    "atom_add", "atom_min", "atom_max", "atom_and", "atom_or", "atom_xor", "atom_xchg", "atom_cmpxchg",
    "char2", "char3", "char4", "char8", "char16", "uchar2", "uchar3", "uchar4", "uchar8", "uchar16", "short2", "short3",
    "short4", "short8", "short16", "ushort2", "ushort3", "ushort4", "ushort8", "ushort16", "int2", "int3", "int4", "int8",
    "int16", "uint2", "uint3", "uint4", "uint8", "uint16", "long2", "long3", "long4", "long8", "long16", "ulong2", "ulong3",
    "ulong4", "ulong8", "ulong16", "float2", "float3", "float4", "float8", "float16", "double2", "double3", "double4",
    "double8", "double16", "half2", "half3", "half4", "half8", "half16",
];

/// Functions of OpenCL C: a variable may hide one, a kernel may not bear its name.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atan2", "atan2pi", "atanh", "atanpi", "cbrt",
    "copysign", "cos", "cosh", "cospi", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fdim", "fract", "frexp", "hypot",
    "ilogb", "ldexp", "lgamma", "lgamma_r", "log", "log10", "log1p", "log2", "logb", "mad", "maxmag", "minmag", "modf",
    "nan", "nextafter", "pow", "pown", "powr", "remainder", "remquo", "rint", "rootn", "round", "rsqrt", "sin", "sincos",
    "sinh", "sinpi", "tan", "tanh", "tanpi", "tgamma", "abs", "abs_diff", "add_sat", "clamp", "ctz", "hadd", "mad24",
    "mad_hi", "mad_sat", "mul24", "rhadd", "rotate", "sub_sat", "upsample", "degrees", "mix", "radians", "sign",
    "smoothstep", "step", "cross", "distance", "dot", "length", "normalize", "fast_distance", "fast_length",
    "fast_normalize", "all", "any", "bitselect", "select", "isequal", "isfinite", "isgreater", "isinf", "isless", "isnan",
    "isnormal", "isordered", "isunordered", "signbit", "shuffle", "shuffle2", "prefetch", "printf", "async_work_group_copy",
    "wait_group_events", "mem_fence", "read_mem_fence", "write_mem_fence", "atomic_sub", "atomic_inc", "atomic_dec",
    "atom_sub", "atom_inc", "atom_dec", "get_global_id", "get_global_size", "get_local_size", "get_work_dim",
    "get_global_offset", "vload2", "vload4", "vload8", "vload16", "vstore2", "vstore4", "vstore8", "vstore16",
];
