//! Kernels written by hand as the macro would write them, for the tests of this crate.

use std::ops::Range;

use obsidian_abi::cost::Cost;
use obsidian_abi::{
    Geometry, KernelInfo, Language, NativeArgs, ParamInfo, ParamKind, Refusal, ScalarType, Text, Variant,
};

/// Sums chunks of 4 `i32` and adds a scalar: `out[b] = bias + sum(input[4 b .. 4 b + 4])`.
pub(crate) static SUM_CHUNKS: KernelInfo = KernelInfo {
    name: "sum_chunks",
    variants: &[
        Variant { threads: 2, texts: &[ptx("sum_chunks_2")], ..SUM_VARIANT },
        Variant { threads: 4, texts: &[ptx("sum_chunks_4")], ..SUM_VARIANT },
    ],
};

pub(crate) const SUM_VARIANT: Variant = Variant {
    values: &[],
    params: &[
        ParamInfo { name: "input", kind: ParamKind::Input(None), fields: &[ScalarType::I32] },
        ParamInfo { name: "bias", kind: ParamKind::Scalar, fields: &[ScalarType::I32] },
        ParamInfo { name: "out", kind: ParamKind::Output, fields: &[ScalarType::I32] },
    ],
    threads: 2,
    ir: "",
    report: "",
    cost: &Cost::UNKNOWN,
    texts: &[],
    guarded: &[],
    parts: &[Some(1)],
    geometry: sum_geometry,
    native: sum_native,
};

const fn ptx(symbol: &'static str) -> Text {
    Text { language: Language::Ptx, source: "", symbol, shared_bytes: 16, rounds: 1, needs: &[] }
}

fn sum_geometry(values: &[u64]) -> Result<Geometry, Refusal> {
    if !values[0].is_multiple_of(4) {
        return Err(Refusal { condition: "`input.len()` must be a multiple of 4", found: values[0] });
    }
    let blocks = values[0] / 4;
    Ok(Geometry::of(blocks as u32, vec![blocks]))
}

unsafe fn sum_native(args: &NativeArgs<'_>, blocks: Range<u32>) {
    let bias = args.scalars[0] as i32;
    for block in blocks {
        let block = block as usize;
        assert!(block * 4 + 3 < args.lens[0] as usize);
        // SAFETY: the input has four elements per block, the output has one, and no other call has this block.
        unsafe {
            let chunk = std::slice::from_raw_parts(args.buffers[0].cast::<i32>().add(block * 4), 4);
            *args.buffers[1].cast::<i32>().add(block) = chunk.iter().fold(bias, |sum, &x| sum.wrapping_add(x));
        }
    }
}

/// Splits pairs: `out[i] = input[i].0`, `out1[i] = (input[i].1, !input[i].1)`; blocks of up to 32 elements, the input
/// exactly 100 long, one output per field.
pub(crate) static UNPAIR: KernelInfo = KernelInfo {
    name: "unpair",
    variants: &[Variant {
        values: &[],
        params: &[
            ParamInfo {
                name: "pairs",
                kind: ParamKind::Input(Some(100)),
                fields: &[ScalarType::F64, ScalarType::Bool],
            },
            ParamInfo { name: "out", kind: ParamKind::Output, fields: &[ScalarType::F64] },
            ParamInfo { name: "out1", kind: ParamKind::Output, fields: &[ScalarType::Bool, ScalarType::Bool] },
        ],
        threads: 32,
        ir: "",
        report: "",
        cost: &Cost::UNKNOWN,
        texts: &[],
        guarded: &[],
        parts: &[Some(32), Some(32)],
        geometry: |_| Ok(Geometry::of(4, vec![100, 100])),
        native: unpair_native,
    }],
};

unsafe fn unpair_native(args: &NativeArgs<'_>, blocks: Range<u32>) {
    for i in blocks.start as usize * 32..(blocks.end as usize * 32).min(100) {
        // SAFETY: `i` is below all lengths, and belongs to a block that no other call has.
        unsafe {
            *args.buffers[2].cast::<f64>().add(i) = *args.buffers[0].cast::<f64>().add(i);
            let flag = *args.buffers[1].add(i);
            *args.buffers[3].add(i) = flag;
            *args.buffers[4].add(i) = 1 - flag;
        }
    }
}

/// `out` has 8 elements an input element: a short input whose output is too long for 32 bits.
pub(crate) static GROW: KernelInfo = KernelInfo {
    name: "grow",
    variants: &[Variant {
        values: &[],
        params: &[
            ParamInfo { name: "input", kind: ParamKind::Input(None), fields: &[ScalarType::U8] },
            ParamInfo { name: "out", kind: ParamKind::Output, fields: &[ScalarType::U8] },
        ],
        threads: 1024,
        ir: "",
        report: "",
        cost: &Cost::UNKNOWN,
        texts: &[],
        guarded: &[],
        parts: &[None],
        geometry: |values| Ok(Geometry::of(1, vec![values[0] * 8])),
        native: nothing,
    }],
};

unsafe fn nothing(_: &NativeArgs<'_>, _: Range<u32>) {}

/// Writes `n` (a scalar) elements `0 .. n`: the launch depends on a scalar alone.
pub(crate) static COUNT: KernelInfo = KernelInfo {
    name: "count",
    variants: &[Variant {
        values: &[],
        params: &[
            ParamInfo { name: "n", kind: ParamKind::Scalar, fields: &[ScalarType::U32] },
            ParamInfo { name: "out", kind: ParamKind::Output, fields: &[ScalarType::U32] },
        ],
        threads: 1,
        ir: "",
        report: "",
        cost: &Cost::UNKNOWN,
        texts: &[],
        guarded: &[],
        parts: &[Some(1)],
        geometry: |values| Ok(Geometry::of(values[0] as u32, vec![values[0]])),
        native: count_native,
    }],
};

unsafe fn count_native(args: &NativeArgs<'_>, blocks: Range<u32>) {
    for block in blocks {
        // SAFETY: one element per block, and no other call has this block.
        unsafe { *args.buffers[0].cast::<u32>().add(block as usize) = block };
    }
}
