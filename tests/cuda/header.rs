//! The C headers of all variants, compiled as C: their structures take the kernels' parameters, and their functions say
//! what the runtime says of lengths.

use std::fmt::Write;

use obsidian::abi::{Language, ParamInfo, ParamKind, ScalarType, Variant, dynamic_shared};
use obsidian::prelude::*;
use obsidian_cuda_shim::Compiler;

use super::cases::{self, lens};
use super::running::folder;
use super::{compiler, variant};

kernel! {
    /// As long as operations say that C writes as functions.
    #[kernel(threads = 32)]
    pub fn long_by_bits(xs: DPull<u32>) -> DPush<Grid, u32> {
        let n = xs.len();
        let (wide, minus, far) = (n as u64 * 0x9e3779b97f4a7c15u64, n as i32 * -7654321i32, n as i64 * -0x1234567890abcdefi64);
        let bits = n.count_ones() + n.leading_zeros() + (n + 1).trailing_zeros() + n.reverse_bits() % 61;
        let more = minus.leading_zeros() + wide.count_ones() + wide.reverse_bits() as u32 % 61 + far.trailing_zeros();
        let high = mul_hi(n, 0x9e3779b9u32) + (mul_hi(minus, -1234567i32) % 61) as u32 % 61;
        let most = (mul_hi(wide, wide) % 61u64) as u32 + mul_hi(far, far) as u32 % 61 + mul_hi(far, 77777i64) as u32 % 61;
        mk_pull(32 * (bits + more + high + most), |i| i).split_up(32).as_grid_map(|c| c.push())
    }
}

/// C's name of a stored type.
fn c_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool | ScalarType::U8 => "unsigned char",
        ScalarType::I8 => "signed char",
        ScalarType::I16 => "short",
        ScalarType::U16 | ScalarType::F16 | ScalarType::BF16 => "unsigned short",
        ScalarType::I32 => "int",
        ScalarType::U32 => "unsigned int",
        ScalarType::I64 => "long long",
        ScalarType::U64 => "unsigned long long",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// The bits of the number 1, which every scalar is.
fn one(ty: ScalarType) -> u64 {
    match ty {
        ScalarType::F32 => u64::from(1f32.to_bits()),
        ScalarType::F64 => 1f64.to_bits(),
        _ => 1,
    }
}

/// What a structure is made from, field by field; lengths are `n0`, `n1` in turn.
fn fields(params: &[ParamInfo], guarded: bool) -> Vec<String> {
    let mut fields = Vec::new();
    let mut buffers = 0;
    for param in params {
        let pointers = |qualifier: &str| -> Vec<String> {
            param.fields.iter().map(|&ty| format!("({qualifier}{} *)0", c_type(ty))).collect()
        };
        match param.kind {
            ParamKind::Input(len) | ParamKind::InOut(len) => {
                let updated = matches!(param.kind, ParamKind::InOut(_));
                fields.extend(pointers(if updated { "" } else { "const " }));
                if len.is_none() {
                    fields.push(format!("n{}", buffers % 2));
                }
                buffers += 1;
            }
            ParamKind::Scalar => fields.push(format!("({})1", c_type(param.fields[0]))),
            ParamKind::Output => fields.extend(pointers("")),
        }
    }
    fields.extend(guarded.then(|| "(unsigned long long *)0".to_string()));
    fields
}

/// Lengths that are accepted and such that are not.
fn tried(n: u32) -> Vec<[u32; 2]> {
    vec![[0, 0], [n, n], [3 * n, 3 * n], [n - 1, n], [n, n + 1], [n, 2 * n], [2 * n, n]]
}

/// A C function that prints what the header says, and the lines that are expected.
fn check(number: usize, variant: &Variant, chunk: u32) -> (String, String) {
    let header = variant.text(Language::Header).expect("every kernel has one");
    let (symbol, fields) = (header.symbol, fields(variant.params, !variant.guarded.is_empty()));
    let outputs: Vec<&str> = variant.params.iter().filter(|p| p.kind == ParamKind::Output).map(|p| p.name).collect();
    let mut code = format!("{}\nstatic void check{number}(unsigned int n0, unsigned int n1)\n{{\n", header.source);
    let _ = writeln!(code, "    {symbol}_args args = {{ {} }};", fields.join(", "));
    let _ =
        writeln!(code, "    void *list[{symbol}_arguments];\n    (void)n0; (void)n1;\n    {symbol}_list(&args, list);");
    let _ = writeln!(
        code,
        "    printf(\"{symbol} %d %d %d %d\", {symbol}_threads, {symbol}_shared_bytes, {symbol}_dynamic_shared_bytes, {symbol}_arguments);"
    );
    for (i, field) in fields.iter().enumerate().filter(|(_, field)| field.ends_with(")1")) {
        let _ = writeln!(code, "    if (*{} *)list[{i}] != 1) puts(\"another scalar\");", field.trim_end_matches(")1"));
    }
    let _ =
        writeln!(code, "    if (!{symbol}_accepts(&args)) {{\n        puts(\" refused\");\n        return;\n    }}");
    let _ = writeln!(code, "    printf(\" %u\", {symbol}_blocks(&args));");
    for output in outputs {
        let _ = writeln!(code, "    printf(\" %u\", {symbol}_{output}_len(&args));");
    }
    code += "    puts(\"\");\n}\n";
    let mut expected = String::new();
    for pair in tried(chunk) {
        let mut lens = lens(variant.params, |i| pair[i % 2]).into_iter();
        let given = variant.params.iter().filter(|param| param.kind != ParamKind::Output);
        let values = given.map(|param| match param.kind {
            ParamKind::Scalar => one(param.fields[0]),
            _ => lens.next().expect("one a buffer").into(),
        });
        let shared = header.shared_bytes;
        let _ = write!(expected, "{symbol} {} {shared} {} {}", variant.threads, dynamic_shared(shared), fields.len());
        match (variant.geometry)(&values.collect::<Vec<u64>>()) {
            Ok(found) => {
                let _ = write!(expected, " {}", found.blocks);
                found.outputs.iter().for_each(|len| expected += &format!(" {len}"));
            }
            Err(_) => expected += " refused",
        }
        expected += "\n";
    }
    (code, expected)
}

/// The headers of variants with a length that each accepts.
fn compare(compiler: &Compiler, name: &str, all: &[(&Variant, u32)]) {
    let (mut file, mut calls, mut expected) = ("#include <stdio.h>\n".to_string(), String::new(), String::new());
    for (number, &(variant, chunk)) in all.iter().enumerate() {
        let (code, lines) = check(number, variant, chunk);
        file += &code;
        expected += &lines;
        for [n0, n1] in tried(chunk) {
            let _ = writeln!(calls, "    check{number}({n0}u, {n1}u);");
        }
    }
    let _ = write!(file, "int main(void)\n{{\n{calls}    return 0;\n}}\n");
    let said = compiler.run_c(&folder(name), &file).unwrap_or_else(|fault| panic!("{fault}"));
    for (said, expected) in said.lines().zip(expected.lines()) {
        assert_eq!(said, expected);
    }
    assert_eq!(said.lines().count(), expected.lines().count());
}

#[test]
fn headers_say_what_the_runtime_says() {
    let Some(compiler) = compiler() else { return };
    let cases = cases::cases();
    let all: Vec<(&Variant, u32)> = cases.iter().map(|case| (variant(case), case.chunk)).collect();
    compare(&compiler, "headers", &all);
}

#[test]
fn headers_need_no_function_of_a_gpu() {
    let Some(compiler) = compiler() else { return };
    let kernel = long_by_bits.kernel();
    compare(&compiler, "bits", &[1, 1000, 54321].map(|n| (&kernel.info().variants[0], n)));
}
