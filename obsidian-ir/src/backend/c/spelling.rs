//! How C spells literals and casts, and how tightly its pieces bind. Plain text out; knows nothing of statements.

use super::dialect::Dialect;
use crate::program::{Const, ScalarType};

/// How tightly a piece of C binds; operands that bind less are put in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Prec {
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
pub(crate) struct Text {
    pub(crate) code: String,
    pub(crate) prec: Prec,
}

impl Text {
    pub(crate) fn new(code: impl Into<String>, prec: Prec) -> Text {
        Text { code: code.into(), prec }
    }

    pub(crate) fn primary(code: impl Into<String>) -> Text {
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
    pub(crate) fn cast(&self, d: &Dialect, ty: ScalarType) -> Text {
        Text::new(format!("({}){}", (d.ty)(ty), self.unary()), Prec::Unary)
    }
}

/// The unsigned type of the same width, where arithmetic wraps.
pub(crate) fn unsigned(ty: ScalarType) -> ScalarType {
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

/// A literal of exactly the constant's value and type.
pub(super) fn literal(d: &Dialect, c: Const) -> Text {
    match c.ty {
        ScalarType::Bool => Text::primary(if c.bits != 0 { "true" } else { "false" }),
        ScalarType::F16 | ScalarType::BF16 => Text::primary(format!("{:#06x}", c.bits as u16)),
        ScalarType::F32 => float(d, f32::from_bits(c.bits as u32)),
        ScalarType::F64 => double(d, f64::from_bits(c.bits)),
        ScalarType::I64 => integer(c.int(), i64::MIN.into(), d.long),
        ScalarType::U64 => Text::primary(format!("{}{}", c.int(), d.unsigned_long)),
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
fn float(d: &Dialect, x: f32) -> Text {
    let text = format!("{x:?}");
    let exact = (x.is_normal() || x == 0.0) && text.parse::<f64>().is_ok_and(|d| (d as f32).to_bits() == x.to_bits());
    if exact {
        signed_text(format!("{text}f"))
    } else {
        let bits = Const { ty: ScalarType::I32, bits: x.to_bits() as i32 as i64 as u64 };
        Text::primary(format!("{}({})", (d.from_bits)(ScalarType::F32), literal(d, bits).code))
    }
}

fn double(d: &Dialect, x: f64) -> Text {
    if x.is_normal() || x == 0.0 {
        signed_text(format!("{x:?}"))
    } else {
        let bits = Const { ty: ScalarType::I64, bits: x.to_bits() };
        Text::primary(format!("{}({})", (d.from_bits)(ScalarType::F64), literal(d, bits).code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cuda::CUDA;

    fn lit(ty: ScalarType, bits: u64) -> String {
        literal(&CUDA, Const { ty, bits }).code
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
        let minus = literal(&CUDA, Const { ty: ScalarType::I32, bits: -5i64 as u64 });
        assert_eq!(minus.cast(&CUDA, ScalarType::I64).code, "(long long)(-5)");
    }
}
