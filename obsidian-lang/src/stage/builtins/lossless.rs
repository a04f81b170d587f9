//! Rust's `From` of numbers: conversions that lose nothing of any value.

use crate::stage::value::Value;
use crate::stage::{Extend, Stage};
use crate::types::GenericArg;
use obsidian_ir::diag::Result;
use obsidian_ir::program::ScalarType;

/// `u64::from(x)`.
pub(super) fn from(s: &mut Stage, args: &[Value], generics: &[GenericArg]) -> Result<Value> {
    let a = args[0].scalar(s)?;
    let ty = s.p.exprs.ty(a);
    let Some(&GenericArg::Scalar(to)) = generics.first() else {
        return Err(s.error("OB027", "which type `from` gives is not known").map_help("say it: `u64::from(x)`"));
    };
    if !holds_all(to, ty) {
        let message = format!("`{to}` does not hold every `{ty}`: Rust has no `{to}::from` of it");
        return Err(s
            .error("OB020", &message)
            .map_help(&format!("`x as {to}` gives the nearest, or what is left of its bits")));
    }
    let e = &mut s.p.exprs;
    // A truth is 0 or 1 first.
    let a = if ty == ScalarType::Bool && to.is_float() { e.cast(a, ScalarType::U8) } else { a };
    Ok(Value::Scalar(e.cast(a, to)))
}

/// Binary digits of a type's numbers, without the sign.
fn digits(ty: ScalarType) -> u32 {
    match ty {
        ScalarType::F64 => 53,
        ScalarType::F32 => 24,
        ScalarType::F16 => 11,
        ScalarType::BF16 => 8,
        ScalarType::Bool => 1,
        _ => ty.bits() - u32::from(ty.is_signed()),
    }
}

/// Whether a type has every value of another. Of floats, only the two of 16 bits have neither the other's values.
fn holds_all(to: ScalarType, from: ScalarType) -> bool {
    match (from, to) {
        _ if from == to => true,
        (_, ScalarType::Bool) => false,
        (ScalarType::Bool, _) => true,
        _ if from.is_float() => to.is_float() && to.bits() > from.bits(),
        _ => (to.is_float() || to.is_signed() || !from.is_signed()) && digits(to) >= digits(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least and the greatest finite number, and the distance of those about one.
    fn range(ty: ScalarType) -> (f64, f64, f64) {
        let float = |digits: i32, exponent: i32| {
            let most = (2.0 - 2f64.powi(1 - digits)) * 2f64.powi(exponent);
            (-most, most, 2f64.powi(1 - digits))
        };
        match ty {
            ScalarType::F64 => (f64::MIN, f64::MAX, f64::EPSILON),
            ScalarType::F32 => float(24, 127),
            ScalarType::F16 => float(11, 15),
            ScalarType::BF16 => float(8, 127),
            ScalarType::Bool => (0.0, 1.0, 1.0),
            _ if ty.is_signed() => (-2f64.powi(ty.bits() as i32 - 1), 2f64.powi(ty.bits() as i32 - 1) - 1.0, 1.0),
            _ => (0.0, 2f64.powi(ty.bits() as i32) - 1.0, 1.0),
        }
    }

    #[test]
    fn a_type_holds_another_if_it_has_its_range_and_its_digits() {
        for from in ScalarType::ALL {
            for to in ScalarType::ALL {
                let ((low, high, step), (least, most, fine)) = (range(from), range(to));
                let whole = if to.is_float() { digits(from) <= digits(to) } else { !from.is_float() };
                let expected = least <= low && high <= most && fine <= step && whole;
                assert_eq!(holds_all(to, from), expected, "{to}::from({from})");
            }
        }
    }
}
