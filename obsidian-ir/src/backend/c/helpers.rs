//! The small device functions that a kernel needs: what C lacks or leaves undefined. Each is printed only where it
//! is used. Division by zero gives 0, as in `program::arith`.

use std::collections::BTreeMap;

use super::dialect::{Dialect, Function, no_function};
use super::spelling::{is_narrow, literal, unsigned};
use crate::program::{AtomicOp, BinClass, BinOp, Const, Range, ScalarType, Space, UnClass, UnOp};

/// What stands in the names of helpers in front of the type that they work on.
const STEMS: [&str; 15] = [
    "div", "rem", "abs", "min", "max", "fmin", "fmax", "fminf", "fmaxf", "floor", "floorf", "ceil", "ceilf", "trunc",
    "truncf",
];

/// The hardware's own functions.
const FAST: [&str; 9] = ["div", "sqrt", "recip", "rsqrt", "exp2", "log2", "sin", "cos", "tanh"];

/// Whether a helper, or a type that is declared here, may bear this name. Nothing else may: it would hide the helper.
pub(super) fn is_helper(name: &str) -> bool {
    let name = name.strip_prefix("host_").unwrap_or(name);
    let is_type = |word: &str| ScalarType::from_name(word).is_some();
    match name.split('_').collect::<Vec<_>>()[..] {
        ["fast", function] => FAST.contains(&function),
        ["copy", number] | ["copies", "await", number] => number.parse::<u32>().is_ok(),
        ["copies", "commit"] => true,
        ["atomic" | "update", _, ty] => is_type(ty),
        ["atomic" | "update", _, ty, space] => is_type(ty) && !space.is_empty(),
        [from, "to", to] => is_type(from) && is_type(to),
        [vector] => vector.strip_suffix(['2', '4']).and_then(|rest| rest.strip_suffix('x')).is_some_and(is_type),
        _ => name
            .rsplit_once('_')
            .is_some_and(|(stem, ty)| (STEMS.contains(&stem) || is_of_integers(stem)) && is_type(ty)),
    }
}

/// Whether a name is that of an operation on the bits of an integer, or of a function of two.
fn is_of_integers(name: &str) -> bool {
    UnOp::ALL.iter().any(|op| matches!(op.class(), UnClass::Count | UnClass::Bits) && op.name() == name)
        || BinOp::ALL.iter().any(|op| op.class() == BinClass::Growing && op.symbol() == name)
}

/// The helpers used so far, by name.
pub(super) struct Helpers {
    dialect: &'static Dialect,
    texts: BTreeMap<String, String>,
}

impl Helpers {
    pub(super) fn new(dialect: &'static Dialect) -> Helpers {
        Helpers { dialect, texts: BTreeMap::new() }
    }

    fn c_type(&self, ty: ScalarType) -> &'static str {
        (self.dialect.ty)(ty)
    }

    fn literal(&self, ty: ScalarType, bits: u64) -> String {
        literal(self.dialect, Const { ty, bits }).code
    }

    /// Their definitions, a paragraph each. Two texts in one file may need the same: the first defines it for both.
    pub(super) fn text(&self) -> String {
        let guarded = |(name, body): (&String, &String)| {
            format!("#ifndef OBSIDIAN_{name}\n#define OBSIDIAN_{name}\n{body}\n#endif\n\n")
        };
        self.texts.iter().map(guarded).collect()
    }

    fn add(&mut self, name: String, result: ScalarType, params: &str, body: &str) -> String {
        let name = format!("{}{name}", self.dialect.helper_prefix);
        debug_assert!(is_helper(&name), "`{name}` may be hidden by a variable");
        let text = format!("{} {} {name}({params})\n{{\n{body}}}", self.dialect.helper, self.c_type(result));
        self.texts.insert(name.clone(), text);
        name
    }

    /// A function that gives nothing.
    pub(super) fn action(&mut self, name: &str, params: &str, body: &str) -> String {
        debug_assert!(is_helper(name), "`{name}` may be hidden by a variable");
        let text = format!("{} void {name}({params})\n{{\n{body}}}", self.dialect.helper);
        self.texts.insert(name.to_string(), text);
        name.to_string()
    }

    /// The type of `n` neighbours that are accessed as one. Declared here, as no header is included; the alignment is what lets
    /// the compiler use one access.
    pub(super) fn vector(&mut self, ty: ScalarType, n: usize) -> String {
        let (name, bytes) = ((self.dialect.vectors.name)(ty, n), ty.bytes() * n as u32);
        if let Some(declared) = self.dialect.vectors.declared {
            debug_assert!(is_helper(&name), "`{name}` may be hidden by a variable");
            let fields = format!("{} {}", self.c_type(ty), if n == 2 { "x, y" } else { "x, y, z, w" });
            self.texts.insert(name.clone(), declared(&name, bytes, &fields));
        }
        name
    }

    /// Division or remainder that is never undefined.
    pub(super) fn divide(&mut self, op: BinOp, ty: ScalarType) -> String {
        let t = self.c_type(ty);
        let (verb, sign) = if op == BinOp::Div { ("div", '/') } else { ("rem", '%') };
        let mut body = "    if (b == 0) return 0;\n".to_string();
        // MIN / -1 does not fit; narrow types divide in `int`, where it does.
        if ty.is_signed() && !is_narrow(ty) {
            let u = unsigned(ty);
            let minus_a = format!("({t})({} - ({})a)", self.literal(u, 0), self.c_type(u));
            body += &format!("    if (b == -1) return {};\n", if op == BinOp::Div { &minus_a } else { "0" });
        }
        let value = if is_narrow(ty) { format!("({t})(a {sign} b)") } else { format!("a {sign} b") };
        body += &format!("    return {value};\n");
        self.add(format!("{verb}_{}", ty.name()), ty, &format!("{t} a, {t} b"), &body)
    }

    /// Absolute value; that of the least value is itself.
    pub(super) fn abs(&mut self, ty: ScalarType) -> String {
        let (t, u) = (self.c_type(ty), unsigned(ty));
        let minus = if is_narrow(ty) {
            format!("({t})-a")
        } else {
            format!("({t})({} - ({})a)", self.literal(u, 0), self.c_type(u))
        };
        self.add(format!("abs_{}", ty.name()), ty, &format!("{t} a"), &format!("    return a < 0 ? {minus} : a;\n"))
    }

    /// The lesser or the greater of two floats, where -0 is less than 0; of a number and a NaN, the number.
    pub(super) fn float_extreme(&mut self, op: BinOp, ty: ScalarType) -> String {
        let (function, join, sign) =
            if op == BinOp::Min { (Function::Min, '|', '<') } else { (Function::Max, '&', '>') };
        let name = (self.dialect.function)(function, ty).unwrap_or_else(no_function);
        if self.dialect.copy_sign.is_none() {
            return name;
        }
        let (from_bits, to_bits) = ((self.dialect.from_bits)(ty), (self.dialect.to_bits)(ty));
        let body = format!(
            "    if (a != a) return b;\n    if (b != b) return a;\n    \
             if (a == b) return {from_bits}({to_bits}(a) {join} {to_bits}(b));\n    return a {sign} b ? a : b;\n"
        );
        self.add(format!("{name}_{}", ty.name()), ty, &format!("{0} a, {0} b", self.c_type(ty)), &body)
    }

    /// The lesser or the greater of two integers.
    pub(super) fn extreme(&mut self, op: BinOp, ty: ScalarType) -> String {
        let sign = if op == BinOp::Min { '<' } else { '>' };
        let (name, t) = (format!("{}_{}", op.symbol(), ty.name()), self.c_type(ty));
        self.add(name, ty, &format!("{t} a, {t} b"), &format!("    return a {sign} b ? a : b;\n"))
    }

    /// Rounding to an integer that keeps the sign of zeros.
    pub(super) fn rounded(&mut self, function: Function, ty: ScalarType, copy_sign: &str) -> String {
        let name = (self.dialect.function)(function, ty).unwrap_or_else(no_function);
        let (params, body) = (format!("{} x", self.c_type(ty)), format!("    return {copy_sign}({name}(x), x);\n"));
        self.add(format!("{name}_{}", ty.name()), ty, &params, &body)
    }

    /// One of the hardware's own functions of a `float`.
    pub(super) fn fast(&mut self, name: &str, body: &str) -> String {
        let params = format!("{} a", self.c_type(ScalarType::F32));
        self.add(name.to_string(), ScalarType::F32, &params, body)
    }

    /// The same of two.
    pub(super) fn fast_divide(&mut self, body: &str) -> String {
        let params = format!("{0} a, {0} b", self.c_type(ScalarType::F32));
        self.add("fast_div".to_string(), ScalarType::F32, &params, body)
    }

    /// Counts bits or reverses them, within the type's width.
    pub(super) fn count(&mut self, op: UnOp, ty: ScalarType) -> String {
        let body = (self.dialect.bit_count)(op, ty);
        self.add(format!("{}_{}", op.name(), ty.name()), ty, &format!("{} a", self.c_type(ty)), &body)
    }

    /// A function of two integers.
    pub(super) fn of_integers(&mut self, op: BinOp, ty: ScalarType, body: &str) -> String {
        self.add(format!("{}_{}", op.symbol(), ty.name()), ty, &format!("{0} a, {0} b", self.c_type(ty)), body)
    }

    /// The conversion of a 16-bit float, by its bits, from or to `float`.
    pub(super) fn half(&mut self, from: ScalarType, to: ScalarType) -> String {
        let body = (self.dialect.half)(from, to);
        self.add(format!("{}_to_{}", from.name(), to.name()), to, &format!("{} x", self.c_type(from)), body)
    }

    /// Rust's `as` from a float to an integer: saturates, NaN gives 0.
    pub(super) fn float_to_int(&mut self, from: ScalarType, to: ScalarType) -> String {
        let (Range { lo, hi }, t) = (Range::full(to), self.c_type(to));
        let f = |v: f64| {
            let bits = if from == ScalarType::F32 { u64::from((v as f32).to_bits()) } else { v.to_bits() };
            self.literal(from, bits)
        };
        let int = |v: i128| self.literal(to, v as u64);
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
        self.add(format!("{}_to_{}", from.name(), to.name()), to, &format!("{} x", self.c_type(from)), &body)
    }

    /// An atomic update that the hardware lacks, as a compare-and-swap loop on the word that holds the element.
    pub(super) fn atomic(&mut self, op: AtomicOp, ty: ScalarType, space: Space) -> String {
        let body = self.exchanges(op, ty, space);
        // `__local` becomes `_local`: a pointer into one space cannot point into another.
        let suffix = (self.dialect.space)(space).replace("volatile ", "").replace("__", "_");
        let name = format!("atomic_{}_{}{suffix}", format!("{op:?}").to_lowercase(), ty.name());
        let params = format!("{}p, {} v", self.dialect.pointer(space, "", ty), self.c_type(ty));
        self.add(name, ty, &params, &body)
    }

    /// An update of a thread's own memory: it needs no atomic, and there is none for it.
    pub(super) fn own_update(&mut self, op: AtomicOp, ty: ScalarType) -> String {
        let (t, unsigned) = (self.c_type(ty), self.c_type(ty.unsigned()));
        let (more, new) = match op {
            AtomicOp::CompareExchange => (format!("{t} expected, "), "x == expected ? v : x".to_string()),
            AtomicOp::Add if ty.is_int() => (String::new(), format!("({t})(({unsigned})x + ({unsigned})v)")),
            _ => (String::new(), self.update(op, ty)),
        };
        let pointer = self.dialect.pointer(Space::Local, "", ty);
        let body = format!("    const {t} x = *p;\n    *p = {new};\n    return x;\n");
        let name = format!("update_{}_{}", format!("{op:?}").to_lowercase(), ty.name());
        self.add(name, ty, &format!("{pointer}p, {more}{t} v"), &body)
    }

    /// The new value, from the old value `x` and the operand `v`.
    fn update(&self, op: AtomicOp, ty: ScalarType) -> String {
        let bitwise = |sign: &str| format!("({})(x {sign} v)", self.c_type(ty));
        let float = |f: Function| format!("{}(x, v)", (self.dialect.function)(f, ty).unwrap_or_else(no_function));
        match op {
            // Compare and exchange is native for every type that has it.
            AtomicOp::Exchange | AtomicOp::CompareExchange => "v".to_string(),
            AtomicOp::Min if ty.is_float() => float(Function::Min),
            AtomicOp::Max if ty.is_float() => float(Function::Max),
            AtomicOp::Min => "x < v ? x : v".to_string(),
            AtomicOp::Max => "x > v ? x : v".to_string(),
            AtomicOp::Add => bitwise("+"),
            AtomicOp::And => bitwise("&"),
            AtomicOp::Or => bitwise("|"),
            AtomicOp::Xor => bitwise("^"),
        }
    }

    fn exchanges(&self, op: AtomicOp, ty: ScalarType, space: Space) -> String {
        let word = if ty.bytes() == 8 { ScalarType::U64 } else { ScalarType::I32 };
        let (to_bits, from_bits) = match ty {
            ScalarType::F32 | ScalarType::F64 => {
                ((self.dialect.to_bits)(ty).to_string(), (self.dialect.from_bits)(ty).to_string())
            }
            _ => {
                let signed = if ty.bytes() == 8 { ScalarType::I64 } else { ScalarType::I32 };
                (format!("({})", self.c_type(word)), format!("({})", self.c_type(signed)))
            }
        };
        let (t, w, swap) = (self.c_type(ty), self.c_type(word), (self.dialect.compare_exchange)(ty.bytes()));
        let pointer = self.dialect.pointer(space, "", word);
        format!(
            "    {pointer}w = ({pointer})p;\n    {w} old = *w;\n    for (;;) {{\n        const {t} x = ({t}){from_bits}(old);\n        \
             const {t} y = {};\n        const {w} seen = {swap}(w, old, ({w}){to_bits}(y));\n        \
             if (seen == old) return x;\n        old = seen;\n    }}\n",
            self.update(op, ty)
        )
    }
}
