//! C99 as a host compiles it, as a table: what the functions of a header are printed in. It includes no header, so it has
//! neither `bool` nor `min`, nor any function of a GPU.

use super::{SPELLINGS, ty};
use crate::backend::c::dialect::{Dialect, Extreme, OfIntegers};
use crate::backend::c::spelling::unsigned;
use crate::program::{BinOp, ScalarType, UnOp};

pub(super) static HOST: Dialect = Dialect {
    ty: |t| if t == ScalarType::Bool { "unsigned char" } else { ty(t) },
    stored_bool: "unsigned char",
    of_integers,
    bit_count,
    extreme: Extreme::Helper,
    restrict: "",
    helper: "static inline",
    helper_prefix: "host_",
    ..SPELLINGS
};

/// The upper half of a product is the only one. No type of C has 128 bits, so those of 64 are multiplied by halves.
fn of_integers(_: BinOp, int: ScalarType) -> OfIntegers {
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

fn bit_count(op: UnOp, int: ScalarType) -> String {
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
