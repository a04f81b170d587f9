//! Constants as text, both ways.

use crate::program::{Const, ScalarType, arith};

/// Prints a constant; with its type unless that is `known`.
pub(super) fn print(c: Const, known: bool) -> String {
    let suffix = if known { "" } else { c.ty.name() };
    let plain = |finite: bool, text: String| match (finite, float(c.ty, &text) == Some(c)) {
        (true, _) => format!("{text}{suffix}"),
        (false, true) if known => text,
        // Other NaNs differ in bits that no name tells.
        _ => format!("bits::<{}>({:#x})", c.ty.name(), c.bits),
    };
    match c.ty {
        ScalarType::Bool => (c.bits != 0).to_string(),
        ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 => {
            let x = arith::f32_of(c);
            plain(x.is_finite(), format!("{x:?}"))
        }
        ScalarType::F64 => {
            let x = f64::from_bits(c.bits);
            plain(x.is_finite(), format!("{x:?}"))
        }
        // A mask, most likely.
        ScalarType::U32 if c.int() > i32::MAX.into() => format!("{:#x}{suffix}", c.int()),
        _ => format!("{}{suffix}", c.int()),
    }
}

/// The constant of that type, if the text is one; a minus may stand before it.
pub(super) fn parse(ty: ScalarType, text: &str) -> Option<Const> {
    if ty.is_float() {
        return float(ty, text);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<i128>().ok()?,
    };
    let value = if negative { -magnitude } else { magnitude };
    let range = crate::program::Range::full(ty);
    let fits = ty.is_int() && range.lo <= value && value <= range.hi;
    fits.then(|| Const { ty, bits: arith::wrap(ty, value) })
}

/// A float; the text of a 16-bit one is that of the `f32` of its value.
fn float(ty: ScalarType, text: &str) -> Option<Const> {
    let (name, negative) = match text.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let named = match name {
        "NaN" => arith::named(ty, "NAN"),
        "inf" if negative => arith::named(ty, "NEG_INFINITY"),
        "inf" => arith::named(ty, "INFINITY"),
        _ if !name.starts_with(|c: char| c.is_ascii_digit()) || name.starts_with("0x") => None,
        _ if ty == ScalarType::F64 => Some(text.parse::<f64>().ok()?.to_bits()),
        _ => {
            let single = Const { ty: ScalarType::F32, bits: text.parse::<f32>().ok()?.to_bits().into() };
            Some(arith::cast(single, ty).bits)
        }
    };
    named.map(|bits| Const { ty, bits })
}
