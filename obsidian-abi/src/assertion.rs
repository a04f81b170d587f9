//! The message of an assertion that did not hold: the author's text, and the value in the place of its type.

use crate::ScalarType;

/// `text` with the value in place of the type in braces; `bits` are those of a value of at most 32 bits, or what it is as `i32` or `u32`.
pub fn message(text: &str, bits: u32) -> String {
    let place = text.match_indices('{').find_map(|(start, _)| {
        let end = start + text[start..].find('}')?;
        Some((start, end, ScalarType::from_name(&text[start + 1..end])?))
    });
    let Some((start, end, ty)) = place else { return text.to_string() };
    let value = match ty {
        ScalarType::Bool => (bits != 0).to_string(),
        ty if ty.is_float() => f32::from_bits(bits).to_string(),
        ty if ty.is_signed() => (bits as i32).to_string(),
        _ => bits.to_string(),
    };
    format!("{}{value}{}", &text[..start], &text[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn the_value_stands_where_its_type_does() {
        assert_eq!(message("x is {u8}, not less", 7), "x is 7, not less");
        assert_eq!(message("{i16}", -3i32 as u32), "-3");
        assert_eq!(message("{f32} {f32}", 1.5f32.to_bits()), "1.5 {f32}");
        assert_eq!(message("{bool}!", 1), "true!");
        assert_eq!(message("{of} no {type", 1), "{of} no {type");
    }
}
