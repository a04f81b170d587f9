//! The small device functions that a kernel needs: what CUDA C lacks or leaves undefined. Each is printed only where it
//! is used. Division by zero gives 0, as in `program::arith`.

use std::collections::BTreeMap;

use super::spelling::{c_type, is_narrow, literal, unsigned};
use crate::program::{AtomicOp, BinOp, Const, Range, ScalarType, UnOp};

/// The helpers used so far, by name.
#[derive(Default)]
pub(super) struct Helpers(BTreeMap<String, String>);

impl Helpers {
    /// Their definitions, a line or a paragraph each.
    pub(super) fn text(&self) -> String {
        self.0.values().map(|body| format!("{body}\n\n")).collect()
    }

    fn add(&mut self, name: String, result: ScalarType, params: &str, body: &str) -> String {
        let text = format!("static __device__ {} {name}({params})\n{{\n{body}}}", c_type(result));
        self.0.insert(name.clone(), text);
        name
    }

    /// Division or remainder that never is undefined.
    pub(super) fn divide(&mut self, op: BinOp, ty: ScalarType) -> String {
        let t = c_type(ty);
        let (verb, sign) = if op == BinOp::Div { ("div", '/') } else { ("rem", '%') };
        let mut body = "    if (b == 0) return 0;\n".to_string();
        // MIN / -1 does not fit; narrow types divide in `int`, where it does.
        if ty.is_signed() && !is_narrow(ty) {
            let u = unsigned(ty);
            let minus_a = format!("({t})({} - ({})a)", literal(Const { ty: u, bits: 0 }).code, c_type(u));
            body += &format!("    if (b == -1) return {};\n", if op == BinOp::Div { &minus_a } else { "0" });
        }
        let value = if is_narrow(ty) { format!("({t})(a {sign} b)") } else { format!("a {sign} b") };
        body += &format!("    return {value};\n");
        self.add(format!("{verb}_{}", ty.name()), ty, &format!("{t} a, {t} b"), &body)
    }

    /// The hardware's own square root.
    pub(super) fn fast_sqrt(&mut self) -> String {
        let body = "    float r;\n    asm(\"sqrt.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n    return r;\n";
        self.add("fast_sqrt".to_string(), ScalarType::F32, "float a", body)
    }

    /// Absolute value; that of the least value is itself.
    pub(super) fn abs(&mut self, ty: ScalarType) -> String {
        let (t, u) = (c_type(ty), unsigned(ty));
        let minus = if is_narrow(ty) {
            format!("({t})-a")
        } else {
            format!("({t})({} - ({})a)", literal(Const { ty: u, bits: 0 }).code, c_type(u))
        };
        self.add(format!("abs_{}", ty.name()), ty, &format!("{t} a"), &format!("    return a < 0 ? {minus} : a;\n"))
    }

    /// Counts bits or reverses them, within the type's width.
    pub(super) fn count(&mut self, op: UnOp, ty: ScalarType) -> String {
        let (t, u) = (c_type(ty), c_type(unsigned(ty)));
        let bits = ty.bits();
        let (wide, suffix, width) = if bits == 64 { ("(unsigned long long)", "ll", 64) } else { ("", "", 32) };
        let (name, value) = match op {
            UnOp::CountOnes => ("count_ones", format!("__popc{suffix}({wide}({u})a)")),
            UnOp::LeadingZeros if bits == width => ("leading_zeros", format!("__clz{suffix}({wide}a)")),
            UnOp::LeadingZeros => ("leading_zeros", format!("__clz(({u})a) - {}", width - bits)),
            // `ffs` counts from 1, and gives 0 for 0.
            UnOp::TrailingZeros => ("trailing_zeros", format!("a == 0 ? {bits} : __ffs{suffix}({wide}({u})a) - 1")),
            _ => ("reverse_bits", format!("__brev{suffix}({wide}({u})a) >> {}", width - bits)),
        };
        let body = format!("    return ({t})({value});\n");
        self.add(format!("{name}_{}", ty.name()), ty, &format!("{t} a"), &body)
    }

    /// The conversion of a 16-bit float, by its bits, from or to `float`. The instruction for `bf16` needs sm_80.
    pub(super) fn half(&mut self, from: ScalarType, to: ScalarType) -> String {
        let body = match (from, to) {
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
        };
        self.add(format!("{}_to_{}", from.name(), to.name()), to, &format!("{} x", c_type(from)), body)
    }

    /// Rust's `as` from a float to an integer: saturates, NaN gives 0.
    pub(super) fn float_to_int(&mut self, from: ScalarType, to: ScalarType) -> String {
        let (Range { lo, hi }, t) = (Range::full(to), c_type(to));
        let f = |v: f64| {
            let bits = if from == ScalarType::F32 { u64::from((v as f32).to_bits()) } else { v.to_bits() };
            literal(Const { ty: from, bits }).code
        };
        let int = |v: i128| literal(Const { ty: to, bits: v as u64 }).code;
        // Both bounds are powers of two or zero, so exact as floats.
        let mut body = String::new();
        if to.is_signed() {
            body += "    if (x != x) return 0;\n";
            body += &format!("    if (x <= {}) return {};\n", f(lo as f64), int(lo));
        } else {
            body += &format!("    if (!(x > {})) return 0;\n", f(0.0));
        }
        body += &format!("    if (x >= {}) return {};\n", f((hi + 1) as f64), int(hi));
        body += &format!("    return ({t})x;\n");
        self.add(format!("{}_to_{}", from.name(), to.name()), to, &format!("{} x", c_type(from)), &body)
    }

    /// An atomic update that the hardware lacks, as a compare-and-swap loop on the word that holds the element.
    pub(super) fn atomic(&mut self, op: AtomicOp, ty: ScalarType) -> String {
        let verb = format!("{op:?}").to_lowercase();
        let body = match ty.bytes() {
            1 | 2 => narrow_loop(op, ty),
            _ => wide_loop(op, ty),
        };
        self.add(format!("atomic_{verb}_{}", ty.name()), ty, &format!("{0} *p, {0} v", c_type(ty)), &body)
    }
}

/// The new value, of the old one `x` and the operand `v`.
fn update(op: AtomicOp, ty: ScalarType) -> String {
    let bitwise = |sign: &str| format!("({})(x {sign} v)", c_type(ty));
    let float = |f: &str| format!("{f}{}(x, v)", if ty == ScalarType::F32 { "f" } else { "" });
    match op {
        // Compare and exchange is native for every type that has it.
        AtomicOp::Exchange | AtomicOp::CompareExchange => "v".to_string(),
        AtomicOp::Min if ty.is_float() => float("fmin"),
        AtomicOp::Max if ty.is_float() => float("fmax"),
        AtomicOp::Min => "x < v ? x : v".to_string(),
        AtomicOp::Max => "x > v ? x : v".to_string(),
        AtomicOp::Add => bitwise("+"),
        AtomicOp::And => bitwise("&"),
        AtomicOp::Or => bitwise("|"),
        AtomicOp::Xor => bitwise("^"),
    }
}

fn wide_loop(op: AtomicOp, ty: ScalarType) -> String {
    let (word, to_bits, from_bits) = match ty {
        ScalarType::F32 => ("int", "__float_as_int", "__int_as_float"),
        ScalarType::F64 => ("unsigned long long", "__double_as_longlong", "__longlong_as_double"),
        _ if ty.bytes() == 8 => ("unsigned long long", "(unsigned long long)", "(long long)"),
        _ => ("int", "(int)", "(int)"),
    };
    let t = c_type(ty);
    format!(
        "    {word} *w = ({word} *)p;\n    {word} old = *w;\n    for (;;) {{\n        const {t} x = ({t}){from_bits}(old);\n        \
         const {t} y = {};\n        const {word} seen = atomicCAS(w, old, ({word}){to_bits}(y));\n        \
         if (seen == old) return x;\n        old = seen;\n    }}\n",
        update(op, ty)
    )
}

fn narrow_loop(op: AtomicOp, ty: ScalarType) -> String {
    let t = c_type(ty);
    let unsigned_t = if ty == ScalarType::Bool { "unsigned char" } else { c_type(unsigned(ty)) };
    let ones = if ty.bytes() == 1 { "255u" } else { "65535u" };
    format!(
        "    unsigned int *w = (unsigned int *)((unsigned long long)p & ~3ull);\n    \
         const unsigned int shift = 8u * (unsigned int)((unsigned long long)p & 3ull);\n    \
         unsigned int old = *w;\n    for (;;) {{\n        const {t} x = ({t})({unsigned_t})(old >> shift);\n        \
         const {t} y = {};\n        const unsigned int next = (old & ~({ones} << shift)) | \
         ((unsigned int)({unsigned_t})y << shift);\n        const unsigned int seen = atomicCAS(w, old, next);\n        \
         if (seen == old) return x;\n        old = seen;\n    }}\n",
        update(op, ty)
    )
}
