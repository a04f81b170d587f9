//! CUDA C, as a table of spellings over the shared walker `backend::c`: machine form in, one kernel out that compiles
//! alone under NVRTC and nvcc, and includes nothing. A second table spells the C of the header that goes with it.

use super::c::dialect::{
    Contract, Copies, Dialect, Extreme, Function, Logic, Native, OfIntegers, SourcePlaces, Vectors,
};
use super::c::spelling::{Prec, Text, unsigned};
use super::c::{self, names};
use crate::level::Level;
use crate::passes::Machine;
use crate::passes::vectorise::BUFFER_ALIGN;
use crate::program::{AtomicOp, BinOp, Lined, ScalarType, ShuffleKind, Special, Target, UnOp};
use obsidian_abi::dynamic_shared;

/// The name of a kernel's function: the user's own wherever C and PTX allow it.
pub fn symbol(name: &str) -> String {
    names::symbol(name, RESERVED)
}

/// Prints a program in machine form as CUDA C. The function bears `Program::name`.
pub fn print(p: &Machine) -> String {
    c::print(p, &CUDA)
}

/// The same with the tokens that each line comes from.
pub fn print_lined(p: &Machine) -> Lined {
    c::print_lined(p, &CUDA)
}

/// The C header that goes with the text: what a host program in C or C++ must know to launch the kernel.
pub fn header(p: &Machine) -> String {
    c::header(p, &CUDA, &HOST)
}

pub(super) static CUDA: Dialect = SPELLINGS;

/// C99 as a host compiles it, for headers. It includes no header, so it has neither `bool` nor `min`, nor any function of a GPU.
static HOST: Dialect = Dialect {
    places: SourcePlaces::Left,
    ty: |t| if t == ScalarType::Bool { "unsigned char" } else { ty(t) },
    stored_bool: "unsigned char",
    of_integers: host_of_integers,
    bit_count: host_bit_count,
    extreme: Extreme::Helper,
    restrict: "",
    helper: "static inline",
    helper_prefix: "host_",
    ..SPELLINGS
};

const SPELLINGS: Dialect = Dialect {
    places: SourcePlaces::Told,
    ty,
    stored_bool: "bool",
    long: "ll",
    unsigned_long: "ull",
    subscripts: ScalarType::U32,
    special: |s| match s {
        Special::Tid => Text::primary("threadIdx.x"),
        Special::WarpId => Text::new("threadIdx.x / 32u", Prec::Product),
        Special::Lane => Text::new("threadIdx.x % 32u", Prec::Product),
        Special::BlockIdx => Text::primary("blockIdx.x"),
        Special::GridDim => Text::primary("gridDim.x"),
    },
    each_block: None,
    function,
    of_integers,
    extreme: Extreme::Builtin,
    complement: None,
    copy_sign: None,
    fast_divide: "    float r;\n    asm(\"div.approx.ftz.f32 %0, %1, %2;\" : \"=f\"(r) : \"f\"(a), \"f\"(b));\n    return r;\n",
    fast_sqrt: "    float r;\n    asm(\"sqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n",
    fast_recip: "    float r;\n    asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n",
    fast_rsqrt: "    float r;\n    asm(\"rsqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n",
    fast_function: |op| match op {
        UnOp::Exp2 => (
            "fast_exp2",
            "    float r;\n    asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n",
        ),
        UnOp::Log2 => (
            "fast_log2",
            "    float r;\n    asm(\"lg2.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n",
        ),
        UnOp::Sin => (
            "fast_sin",
            "    float r;\n    asm(\"sin.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n",
        ),
        UnOp::Cos => (
            "fast_cos",
            "    float r;\n    asm(\"cos.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n",
        ),
        _ => {
            ("fast_tanh", "    float r;\n    asm(\"tanh.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n")
        }
    },
    bit_count,
    half,
    reinterpret,
    shuffle: |kind, ty, value, lane| {
        let function = match kind {
            ShuffleKind::Index => "__shfl_sync",
            ShuffleKind::Xor => "__shfl_xor_sync",
            ShuffleKind::Up => "__shfl_up_sync",
            ShuffleKind::Down => "__shfl_down_sync",
            // The bitwise reductions take `unsigned` only; the bits are the same.
            ShuffleKind::All(BinOp::Or) if ty == ScalarType::Bool => {
                return format!("__any_sync(0xffffffffu, {value})");
            }
            ShuffleKind::All(_) if ty == ScalarType::Bool => return format!("__all_sync(0xffffffffu, {value})"),
            ShuffleKind::Ballot => return format!("__ballot_sync(0xffffffffu, {value})"),
            ShuffleKind::Same => return format!("__match_any_sync(0xffffffffu, {value})"),
            ShuffleKind::All(op) => return format!("__reduce_{}_sync(0xffffffffu, {value})", op.reduction()),
        };
        format!("{function}(0xffffffffu, {value}, {lane})")
    },
    from_bits: |ty| if ty == ScalarType::F32 { "__int_as_float" } else { "__longlong_as_double" },
    to_bits: |ty| if ty == ScalarType::F32 { "__float_as_int" } else { "__double_as_longlong" },
    space: |_| "",
    vectors: Vectors {
        name: |ty, n| format!("{}x{n}", ty.name()),
        declared: Some(|name, bytes, fields| format!("struct alignas({bytes}) {name} {{\n    {fields};\n}};")),
        load: |at| format!("*(const {} *)&{}[{}]", at.vector, at.array, at.first),
        store: |at, values| format!("*({} *)&{}[{}] = {{{values}}};", at.vector, at.array, at.first),
    },
    restrict: "__restrict__",
    copies: Some(Copies {
        copy: |bytes| {
            let cache = if bytes == 16 { "cg" } else { "ca" };
            let copy = format!(
                "    asm volatile(\"cp.async.{cache}.shared.global [%0], [%1], {bytes};\"\n                 \
                 :: \"r\"((unsigned int)__cvta_generic_to_shared(to)), \"l\"(from) : \"memory\");\n"
            );
            let at_once = format!(
                "    for (int i = 0; i < {}; i++) ((unsigned int *)to)[i] = ((const unsigned int *)from)[i];\n",
                bytes / 4
            );
            on_device(&copy, &at_once)
        },
        commit: || on_device("    asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n", ""),
        wait: |pending| {
            on_device(&format!("    asm volatile(\"cp.async.wait_group {pending};\" ::: \"memory\");\n"), "")
        },
    }),
    helper: "static __device__",
    helper_prefix: "",
    kernel: |name, program, parameters| {
        let residents =
            super::residents::resident_blocks(program).map_or_else(String::new, |blocks| format!(", {blocks}"));
        let bounds = format!("{}{residents}", program.threads);
        format!("extern \"C\" __global__ void __launch_bounds__({bounds}) {name}(\n    {parameters})")
    },
    shared: |bytes| match dynamic_shared(bytes) {
        0 => format!("__shared__ __align__(128) unsigned char smem[{bytes}];"),
        _ => "extern __shared__ __align__(128) unsigned char smem[];".to_string(),
    },
    barrier: |scope, lanes, _| match (scope, lanes) {
        (Level::Warp, 32) => "__syncwarp();".to_string(),
        (Level::Warp, _) => format!("__syncwarp({:#x}u);", (1u64 << lanes) - 1),
        _ => "__syncthreads();".to_string(),
    },
    round: |_| None,
    logic: Logic { both: "&&", either: "||", operands: Prec::Equal },
    rolled: Some("#pragma unroll 1"),
    atomic,
    compare_exchange: |_| "atomicCAS",
    contract: Contract {
        launch: |n| format!("{n} threads per block, in x; any number of blocks from 1 up, in x"),
        block: "block",
        shared: |p| {
            let bytes = p.shared_bytes;
            let how = match p.dynamic_shared() {
                0 => "static; no dynamic shared memory",
                _ => "dynamic, once CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES allows them",
            };
            let text = format!("Shared memory: {bytes} bytes, {how}. Pointers are multiples of {BUFFER_ALIGN}.");
            let target = p.options.target;
            if target == Target::default() { text } else { format!("{text}\n// Target: {} or later.", target.name()) }
        },
    },
    prologue: |_, _, _| String::new(),
    symbol: str::to_string,
    reserved: RESERVED,
};

/// What only a device's assembler knows, and what a compiler for another processor takes in its place.
fn on_device(code: &str, elsewhere: &str) -> String {
    let elsewhere = if elsewhere.is_empty() { String::new() } else { format!("#else\n{elsewhere}") };
    format!("#ifdef __CUDA_ARCH__\n{code}{elsewhere}#endif\n")
}

/// Sizes are those of every CUDA host compiler.
fn ty(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "signed char",
        ScalarType::I16 => "short",
        ScalarType::I32 => "int",
        ScalarType::I64 => "long long",
        ScalarType::U8 => "unsigned char",
        // The headers with 16-bit floats may be missing, so these floats are held as their bits.
        ScalarType::U16 | ScalarType::F16 | ScalarType::BF16 => "unsigned short",
        ScalarType::U32 => "unsigned int",
        ScalarType::U64 => "unsigned long long",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// A product is an intrinsic, which the compiler may not contract with a sum.
fn function(function: Function, ty: ScalarType) -> Option<String> {
    let single = ty == ScalarType::F32;
    let intrinsic = |name: &str| Some(format!("__{}{name}_rn", if single { "f" } else { "d" }));
    let library = |name: &str| Some(format!("{name}{}", if single { "f" } else { "" }));
    match function {
        Function::Mul => intrinsic("mul"),
        Function::MulAdd => Some(if single { "__fmaf_rn" } else { "__fma_rn" }.to_string()),
        Function::Sqrt => intrinsic("sqrt"),
        Function::Abs => library("fabs"),
        Function::Floor => library("floor"),
        Function::Ceil => library("ceil"),
        Function::Trunc => library("trunc"),
        Function::Rem => library("fmod"),
        Function::Min => library("fmin"),
        Function::Max => library("fmax"),
    }
}

/// The upper half of a product is the only one.
fn of_integers(_: BinOp, ty: ScalarType) -> OfIntegers {
    let (sign, wide) = (if ty.is_signed() { "" } else { "u" }, if ty.bits() == 64 { "64" } else { "" });
    OfIntegers::Own(format!("__{sign}mul{wide}hi"))
}

/// The upper half of a product is the only one. No type of C has 128 bits, so those of 64 are multiplied by halves.
fn host_of_integers(_: BinOp, int: ScalarType) -> OfIntegers {
    let body = match int {
        ScalarType::I32 => "    return (int)((long long)a * b >> 32);\n",
        ScalarType::I64 => {
            "    const unsigned long long m = 0xffffffffull, x = (unsigned long long)a, y = (unsigned long long)b;\n    \
             const unsigned long long s = (x >> 32) * (y & m) + ((x & m) * (y & m) >> 32);\n    \
             const unsigned long long t = (x & m) * (y >> 32) + (s & m);\n    \
             const unsigned long long high = (x >> 32) * (y >> 32) + (s >> 32) + (t >> 32);\n    \
             return (long long)(high - (a < 0 ? y : 0) - (b < 0 ? x : 0));\n"
        }
        ScalarType::U64 => {
            "    const unsigned long long m = 0xffffffffull;\n    \
             const unsigned long long s = (a >> 32) * (b & m) + ((a & m) * (b & m) >> 32);\n    \
             const unsigned long long t = (a & m) * (b >> 32) + (s & m);\n    \
             return (a >> 32) * (b >> 32) + (s >> 32) + (t >> 32);\n"
        }
        _ => "    return (unsigned int)((unsigned long long)a * b >> 32);\n",
    };
    OfIntegers::Helper(body.to_string())
}

fn host_bit_count(op: UnOp, int: ScalarType) -> String {
    let (t, bits) = (ty(int), int.bits());
    let of = format!("    unsigned long long x = ({})a, n = 0;\n", ty(unsigned(int)));
    let count = match op {
        UnOp::CountOnes => "    for (; x != 0; x &= x - 1) n++;\n".to_string(),
        UnOp::LeadingZeros => format!("    for (n = {bits}; x != 0; x >>= 1) n--;\n"),
        UnOp::TrailingZeros => format!("    for (; n < {bits} && (x >> n & 1) == 0;) n++;\n"),
        _ => format!("    for (int i = 0; i < {bits}; i++) n |= (x >> i & 1) << ({} - i);\n", bits - 1),
    };
    format!("{of}{count}    return ({t})n;\n")
}

fn bit_count(op: UnOp, int: ScalarType) -> String {
    let (t, u) = (ty(int), ty(unsigned(int)));
    let bits = int.bits();
    let (wide, suffix, width) = if bits == 64 { ("(unsigned long long)", "ll", 64) } else { ("", "", 32) };
    let value = match op {
        UnOp::CountOnes => format!("__popc{suffix}({wide}({u})a)"),
        UnOp::LeadingZeros if bits == width => format!("__clz{suffix}({wide}a)"),
        UnOp::LeadingZeros => format!("__clz(({u})a) - {}", width - bits),
        // `ffs` counts from 1, and gives 0 for 0.
        UnOp::TrailingZeros => format!("a == 0 ? {bits} : __ffs{suffix}({wide}({u})a) - 1"),
        _ => format!("__brev{suffix}({wide}({u})a) >> {}", width - bits),
    };
    format!("    return ({t})({value});\n")
}

/// The instruction for `bf16` needs sm_80.
fn half(from: ScalarType, to: ScalarType) -> &'static str {
    match (from, to) {
        (ScalarType::F16, _) => {
            "    float y;\n    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x));\n    return y;\n"
        }
        (ScalarType::BF16, _) => "    return __uint_as_float((unsigned int)x << 16);\n",
        (_, ScalarType::F16) => {
            "    unsigned short y;\n    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x));\n    return y;\n"
        }
        _ => {
            "    const unsigned int b = __float_as_uint(x);\n    if (x != x) return (unsigned short)(b >> 16 | 0x40u);\n    \
             return (unsigned short)((b + 0x7fffu + (b >> 16 & 1u)) >> 16);\n"
        }
    }
}

fn reinterpret(from: ScalarType, to: ScalarType, text: Text) -> Text {
    let call = |name: &str, text: &Text| Text::primary(format!("{name}({})", text.code));
    match (from, to) {
        (ScalarType::F32, ScalarType::I32) => call("__float_as_int", &text),
        (ScalarType::F32, _) => call("__float_as_uint", &text),
        (ScalarType::I32, _) => call("__int_as_float", &text),
        (ScalarType::U32, _) => call("__uint_as_float", &text),
        (ScalarType::F64, ScalarType::I64) => call("__double_as_longlong", &text),
        (ScalarType::F64, _) => call("__double_as_longlong", &text).cast(&CUDA, to),
        (ScalarType::I64, _) => call("__longlong_as_double", &text),
        _ => call("__longlong_as_double", &text.cast(&CUDA, ScalarType::I64)),
    }
}

/// What there is from sm_70 on.
fn atomic(op: AtomicOp, ty: ScalarType) -> Option<Native> {
    use ScalarType::{F32, F64, I32, I64, U32, U64};
    let function = match op {
        AtomicOp::Add => "atomicAdd",
        AtomicOp::Min => "atomicMin",
        AtomicOp::Max => "atomicMax",
        AtomicOp::And => "atomicAnd",
        AtomicOp::Or => "atomicOr",
        AtomicOp::Xor => "atomicXor",
        AtomicOp::Exchange => "atomicExch",
        AtomicOp::CompareExchange => "atomicCAS",
    };
    let ordered = matches!(op, AtomicOp::Min | AtomicOp::Max);
    match (ty, op) {
        (I32 | U32 | U64, _) | (F32 | F64, AtomicOp::Add) | (F32, AtomicOp::Exchange) => Some((function, None)),
        (I64, _) => Some((function, (!ordered).then_some(U64))),
        _ => None,
    }
}

#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "warpSize", "threadIdx", "blockIdx", "blockDim", "gridDim", "min", "max", "fminf", "fmin", "fmaxf", "fmax", "fmodf",
    "fmod", "fabsf", "fabs", "floorf", "floor", "ceilf", "ceil", "truncf", "trunc", "atomicAdd", "atomicMin", "atomicMax",
    "atomicAnd", "atomicOr", "atomicXor", "atomicExch", "atomicCAS",
];

#[cfg(test)]
mod tests;
