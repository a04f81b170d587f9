//! OpenCL C written by hand (`benches/opencl`), as kernels that the runtime launches like any other.

use std::ops::Range;

use obsidian::abi::cost::Cost;
use obsidian::abi::{
    Geometry, KernelInfo, Language, NativeArgs, ParamInfo, ParamKind, Refusal, ScalarType, Text, Variant,
};

const F32: &[ScalarType] = &[ScalarType::F32];

const fn input(name: &'static str, fields: &'static [ScalarType]) -> ParamInfo {
    ParamInfo { name, kind: ParamKind::Input(None), fields }
}

const fn scalar(name: &'static str, fields: &'static [ScalarType]) -> ParamInfo {
    ParamInfo { name, kind: ParamKind::Scalar, fields }
}

const fn output(fields: &'static [ScalarType]) -> ParamInfo {
    ParamInfo { name: "out", kind: ParamKind::Output, fields }
}

/// A kernel in groups of 256 items.
const fn variant(
    texts: &'static [Text],
    params: &'static [ParamInfo],
    geometry: fn(&[u64]) -> Result<Geometry, Refusal>,
) -> Variant {
    Variant {
        values: &[],
        params,
        threads: 256,
        ir: "",
        report: "",
        cost: &Cost::UNKNOWN,
        texts,
        guarded: &[],
        parts: &[],
        geometry,
        native: nothing,
    }
}

const fn opencl(source: &'static str, symbol: &'static str) -> Text {
    Text { language: Language::OpenClC, source, symbol, shared_bytes: 1024, rounds: 1, needs: &[] }
}

unsafe fn nothing(_: &NativeArgs<'_>, _: Range<u32>) {}

/// One item for each element of `values[at]`.
fn elements(values: &[u64], at: usize) -> Result<Geometry, Refusal> {
    Ok(Geometry::of(values[at].div_ceil(256) as u32, vec![values[at]]))
}

/// A group each 4096 elements.
fn chunks(values: &[u64]) -> Result<Geometry, Refusal> {
    Ok(Geometry::of((values[0] / 4096) as u32, vec![values[0] / 4096]))
}

macro_rules! by_hand {
    ($name:ident, $symbol:literal, [$($param:expr),*], $geometry:expr) => {
        pub static $name: KernelInfo = KernelInfo {
            name: $symbol,
            variants: &[variant(
                &[opencl(include_str!(concat!("../opencl/", $symbol, ".cl")), $symbol)],
                &[$($param),*],
                $geometry,
            )],
        };
    };
}

by_hand!(
    MAP_PLUS,
    "map_plus",
    [scalar("k", &[ScalarType::I32]), input("input", &[ScalarType::I32]), output(&[ScalarType::I32])],
    |values| elements(values, 1)
);
by_hand!(SAXPY, "saxpy", [scalar("alpha", F32), input("x", F32), input("y", F32), output(F32)], |values| elements(
    values, 1
));
by_hand!(FOLD_SUM, "fold_sum", [input("input", F32), output(F32)], chunks);
by_hand!(DOT_PRODUCT, "dot_product", [input("x", F32), input("y", F32), output(F32)], chunks);
by_hand!(
    BLACK_SCHOLES,
    "black_scholes",
    [
        scalar("rate", F32),
        scalar("volatility", F32),
        input("options", &[ScalarType::F32, ScalarType::F32, ScalarType::F32]),
        output(&[ScalarType::F32, ScalarType::F32])
    ],
    |values| elements(values, 2)
);
by_hand!(
    SMVM,
    "smvm",
    [
        input("rows", &[ScalarType::U32, ScalarType::U32]),
        input("entries", &[ScalarType::U32, ScalarType::F32]),
        input("x", F32),
        output(F32)
    ],
    |values| elements(values, 0)
);
by_hand!(
    SMVM_TESTED,
    "smvm_tested",
    [
        input("rows", &[ScalarType::U32, ScalarType::U32]),
        input("entries", &[ScalarType::U32, ScalarType::F32]),
        input("x", F32),
        output(F32)
    ],
    |values| elements(values, 0)
);
