//! How CUDA C spells types, literals and machine registers. Plain text out; knows nothing of statements.

use crate::program::{Const, ScalarType, Special};

/// How tightly a piece of C binds; operands that bind less are put in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prec {
    Ternary,
    Or,
    And,
    Bit,
    Equal,
    Compare,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// A C expression and how tightly it binds.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) code: String,
    pub(super) prec: Prec,
}

impl Text {
    pub(super) fn new(code: impl Into<String>, prec: Prec) -> Text {
        Text { code: code.into(), prec }
    }

    pub(super) fn primary(code: impl Into<String>) -> Text {
        Text::new(code, Prec::Primary)
    }

    /// The code as an operand of something that binds as tightly as `least`.
    pub(super) fn at(&self, least: Prec) -> String {
        if self.prec < least { format!("({})", self.code) } else { self.code.clone() }
    }

    /// The operand of a unary minus or of a cast; `-` twice would be read as `--`.
    pub(super) fn unary(&self) -> String {
        if self.code.starts_with('-') { format!("({})", self.code) } else { self.at(Prec::Unary) }
    }

    /// `(ty)self`.
    pub(super) fn cast(&self, ty: ScalarType) -> Text {
        Text::new(format!("({}){}", c_type(ty), self.unary()), Prec::Unary)
    }
}

/// The C type; sizes are those of every CUDA host compiler.
pub(super) fn c_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "signed char",
        ScalarType::I16 => "short",
        ScalarType::I32 => "int",
        ScalarType::I64 => "long long",
        ScalarType::U8 => "unsigned char",
        ScalarType::U16 => "unsigned short",
        ScalarType::U32 => "unsigned int",
        ScalarType::U64 => "unsigned long long",
        // The headers that know 16-bit floats may be missing: they are their bits.
        ScalarType::F16 | ScalarType::BF16 => "unsigned short",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

/// The unsigned type of the same width, where arithmetic wraps.
pub(super) fn unsigned(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::I8 => ScalarType::U8,
        ScalarType::I16 => ScalarType::U16,
        ScalarType::I32 => ScalarType::U32,
        ScalarType::I64 => ScalarType::U64,
        other => other,
    }
}

/// Whether C computes on this type in `int`, so that a result has to be cut back to its width.
pub(super) fn is_narrow(ty: ScalarType) -> bool {
    ty.is_int() && ty.bits() < 32
}

/// The register's name.
pub(super) fn special(s: Special) -> Text {
    match s {
        Special::Tid => Text::primary("threadIdx.x"),
        Special::WarpId => Text::new("threadIdx.x / 32u", Prec::Product),
        Special::Lane => Text::new("threadIdx.x % 32u", Prec::Product),
        Special::BlockIdx => Text::primary("blockIdx.x"),
        Special::GridDim => Text::primary("gridDim.x"),
    }
}

/// A literal of exactly the constant's value and type.
pub(super) fn literal(c: Const) -> Text {
    match c.ty {
        ScalarType::Bool => Text::primary(if c.bits != 0 { "true" } else { "false" }),
        ScalarType::F16 | ScalarType::BF16 => Text::primary(format!("{:#06x}", c.bits as u16)),
        ScalarType::F32 => float(f32::from_bits(c.bits as u32)),
        ScalarType::F64 => double(f64::from_bits(c.bits)),
        ScalarType::I64 => integer(c.int(), i64::MIN.into(), "ll"),
        ScalarType::U64 => Text::primary(format!("{}ull", c.int())),
        // A mask, most likely.
        ScalarType::U32 if c.int() > i32::MAX.into() => Text::primary(format!("{:#x}u", c.int())),
        ScalarType::U32 => Text::primary(format!("{}u", c.int())),
        _ => integer(c.int(), i32::MIN.into(), ""),
    }
}

/// C has no negative literals, so the least value of a type cannot be written as one.
fn integer(v: i128, least: i128, suffix: &str) -> Text {
    if v == least {
        Text::new(format!("-{}{suffix} - 1", -(v + 1)), Prec::Sum)
    } else {
        signed_text(format!("{v}{suffix}"))
    }
}

fn signed_text(code: String) -> Text {
    let prec = if code.starts_with('-') { Prec::Unary } else { Prec::Primary };
    Text::new(code, prec)
}

/// Decimal where any compiler reads back the same float, even one that rounds through `double`; else the bits.
fn float(x: f32) -> Text {
    let text = format!("{x:?}");
    let exact = (x.is_normal() || x == 0.0) && text.parse::<f64>().is_ok_and(|d| (d as f32).to_bits() == x.to_bits());
    if exact {
        signed_text(format!("{text}f"))
    } else {
        let bits = Const { ty: ScalarType::I32, bits: x.to_bits() as i32 as i64 as u64 };
        Text::primary(format!("__int_as_float({})", literal(bits).code))
    }
}

fn double(x: f64) -> Text {
    if x.is_normal() || x == 0.0 {
        signed_text(format!("{x:?}"))
    } else {
        let bits = Const { ty: ScalarType::I64, bits: x.to_bits() };
        Text::primary(format!("__longlong_as_double({})", literal(bits).code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(ty: ScalarType, bits: u64) -> String {
        literal(Const { ty, bits }).code
    }

    #[test]
    fn integers_carry_their_type_and_the_least_one_is_a_difference() {
        assert_eq!(lit(ScalarType::U32, 7), "7u");
        assert_eq!(lit(ScalarType::I32, -5i64 as u64), "-5");
        assert_eq!(lit(ScalarType::I32, i64::from(i32::MIN) as u64), "-2147483647 - 1");
        assert_eq!(lit(ScalarType::I64, i64::MIN as u64), "-9223372036854775807ll - 1");
        assert_eq!(lit(ScalarType::U64, u64::MAX), "18446744073709551615ull");
    }

    #[test]
    fn floats_read_back_to_the_same_bits() {
        assert_eq!(lit(ScalarType::F32, u64::from(0.1f32.to_bits())), "0.1f");
        assert_eq!(lit(ScalarType::F32, u64::from((-0.0f32).to_bits())), "-0.0f");
        assert_eq!(lit(ScalarType::F32, u64::from(f32::INFINITY.to_bits())), "__int_as_float(2139095040)");
        assert_eq!(lit(ScalarType::F32, u64::from(f32::NEG_INFINITY.to_bits())), "__int_as_float(-8388608)");
        assert_eq!(lit(ScalarType::F32, 1), "__int_as_float(1)");
        assert_eq!(lit(ScalarType::F64, 1e300f64.to_bits()), "1e300");
        assert_eq!(lit(ScalarType::F64, f64::INFINITY.to_bits()), "__longlong_as_double(9218868437227405312ll)");
    }

    #[test]
    fn a_cast_of_a_negative_literal_is_not_a_subtraction() {
        let minus = literal(Const { ty: ScalarType::I32, bits: -5i64 as u64 });
        assert_eq!(minus.cast(ScalarType::I64).code, "(long long)(-5)");
    }
}
