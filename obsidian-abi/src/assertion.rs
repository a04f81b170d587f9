//! The message of an assertion that did not hold: the author's text, and the value in the place of its type; and where he wrote it.

use crate::ScalarType;

/// What an assertion's entry among a kernel's guarded arrays begins with.
const MARK: &str = "assert!";

/// What a kernel carries of an assertion in the place of a guarded array's name: the text, and behind it on a line of its own the place, as
/// `src/sums.rs:12:9`, which may be unknown.
pub fn entry(text: &str, place: Option<&str>) -> String {
    format!("{MARK}{text}\n{}", place.unwrap_or_default())
}

/// An assertion that did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed<'e> {
    /// The author's text, with the value.
    pub message: String,
    /// Where he wrote it, if that is known.
    pub place: Option<&'e str>,
}

/// The assertion that an entry stands for, which failed and shows a value of these bits; `None` if it stands for an array.
pub fn failed(entry: &str, bits: u64) -> Option<Failed<'_>> {
    let Read { before, shown, after, place } = read(entry)?;
    let value = match shown {
        None => String::new(),
        Some(ScalarType::Bool) => (bits != 0).to_string(),
        Some(ScalarType::F64) => f64::from_bits(bits).to_string(),
        // The narrower ones are shown as this one.
        Some(ty) if ty.is_float() => f32::from_bits(bits as u32).to_string(),
        Some(ScalarType::I64) => (bits as i64).to_string(),
        Some(ScalarType::U64) => bits.to_string(),
        Some(ty) if ty.is_signed() => (bits as i32).to_string(),
        Some(_) => (bits as u32).to_string(),
    };
    Some(Failed { message: format!("{before}{value}{after}"), place })
}

/// What a condition of a launch says to who reads it: of an assertion the author's text, with the value's type in braces.
pub fn plain(condition: &str) -> &str {
    let text = condition.strip_prefix(MARK).and_then(|rest| rest.rsplit_once('\n'));
    text.map_or(condition, |(text, _place)| text)
}

/// What an entry says of an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read<'e> {
    /// The author's text before the value.
    pub before: &'e str,
    /// The type of the value, if one is shown: of at most 32 bits where the kernel tests. It stands in braces.
    pub shown: Option<ScalarType>,
    /// The text after it.
    pub after: &'e str,
    /// Where he wrote it, if that is known.
    pub place: Option<&'e str>,
}

/// The parts of an entry; `None` if it stands for an array.
pub fn read(entry: &str) -> Option<Read<'_>> {
    let (text, place) = entry.strip_prefix(MARK)?.rsplit_once('\n')?;
    let place = Some(place).filter(|place| !place.is_empty());
    let shown = text.match_indices('{').find_map(|(start, _)| {
        let end = start + text[start..].find('}')?;
        Some((start, end, ScalarType::from_name(&text[start + 1..end])?))
    });
    Some(match shown {
        Some((start, end, ty)) => Read { before: &text[..start], shown: Some(ty), after: &text[end + 1..], place },
        None => Read { before: text, shown: None, after: "", place },
    })
}

#[cfg(test)]
mod tests {
    use super::{Failed, entry, failed, plain};

    fn message(text: &str, bits: u32) -> String {
        failed(&entry(text, None), bits.into()).expect("it is an assertion's").message
    }

    #[test]
    fn the_value_stands_where_its_type_does() {
        assert_eq!(message("x is {u8}, not less", 7), "x is 7, not less");
        assert_eq!(message("{i16}", -3i32 as u32), "-3");
        assert_eq!(message("{f32} {f32}", 1.5f32.to_bits()), "1.5 {f32}");
        assert_eq!(message("{bool}!", 1), "true!");
        assert_eq!(message("{of} no {type", 1), "{of} no {type");
    }

    #[test]
    fn an_entry_tells_text_and_place() {
        let known = entry("one {u32}\nand more", Some("src/sums.rs:3:7"));
        let message = "one 5\nand more".to_string();
        assert_eq!(failed(&known, 5), Some(Failed { message, place: Some("src/sums.rs:3:7") }));
        let message = "no".to_string();
        assert_eq!(failed(&entry("no", None), 0), Some(Failed { message, place: None }));
        assert_eq!(failed("`xs`", 1), None);
        assert_eq!(plain(&known), "one {u32}\nand more");
        assert_eq!(plain("`xs` must not be empty"), "`xs` must not be empty");
    }

    #[test]
    fn a_launch_shows_wide_values_too() {
        let message = |text, bits| failed(&entry(text, None), bits).expect("it is an assertion's").message;
        assert_eq!(message("{f64}", 0.1f64.to_bits()), "0.1");
        assert_eq!(message("{i64}", -5i64 as u64), "-5");
        assert_eq!(message("{u64}", u64::MAX), u64::MAX.to_string());
        // A narrow one as the launch widens it.
        assert_eq!(message("{i32}", -5i64 as u64), "-5");
    }
}
