//! Whether two back ends gave the same.

use obsidian_ir::interp::Outputs;
use obsidian_ir::program::ScalarType;

/// Fails unless both are the same.
pub fn assert_same(expected: &Outputs, found: &Outputs, what: &str) {
    if let Some(difference) = difference(expected, found) {
        panic!("{what}: {difference}");
    }
}

/// Where they are not the same bits; but which NaN an operation gives is not for a kernel to know.
pub fn difference(expected: &Outputs, found: &Outputs) -> Option<String> {
    let shape = |all: &Outputs| -> Vec<(ScalarType, usize)> {
        all.0.iter().flatten().map(|field| (field.ty, field.bits.len())).collect()
    };
    if shape(expected) != shape(found) {
        return Some(format!("fields {:?} expected, found {:?}", shape(expected), shape(found)));
    }
    let fields = expected.0.iter().flatten().zip(found.0.iter().flatten()).enumerate();
    fields.into_iter().find_map(|(field, (expected, found))| {
        let same = |(&a, &b): (&u64, &u64)| a == b || (is_nan(expected.ty, a) && is_nan(found.ty, b));
        let i = expected.bits.iter().zip(&found.bits).position(|pair| !same(pair))?;
        let (expected, found) = (expected.bits[i], found.bits[i]);
        Some(format!("element {i} of field {field}: expected {expected:#x}, found {found:#x}"))
    })
}

fn is_nan(ty: ScalarType, bits: u64) -> bool {
    match ty {
        ScalarType::F16 => bits & 0x7fff > 0x7c00,
        ScalarType::BF16 => bits & 0x7fff > 0x7f80,
        ScalarType::F32 => f32::from_bits(bits as u32).is_nan(),
        ScalarType::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}
