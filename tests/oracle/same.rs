//! Whether two back ends gave the same.

use obsidian_ir::interp::Outputs;
use obsidian_ir::program::ScalarType;

/// The same bits; but which NaN an operation gives is not for a kernel to know.
pub fn assert_same(expected: &Outputs, found: &Outputs, what: &str) {
    assert_eq!(expected.0.len(), found.0.len(), "{what}: outputs");
    for (field, (expected, found)) in expected.0.iter().flatten().zip(found.0.iter().flatten()).enumerate() {
        assert_eq!((expected.ty, expected.bits.len()), (found.ty, found.bits.len()), "{what}: field {field}");
        let same = |(&a, &b): (&u64, &u64)| a == b || (is_nan(expected.ty, a) && is_nan(found.ty, b));
        if let Some(i) = expected.bits.iter().zip(&found.bits).position(|pair| !same(pair)) {
            let (expected, found) = (expected.bits[i], found.bits[i]);
            panic!("{what}: element {i} of field {field}: expected {expected:#x}, found {found:#x}");
        }
    }
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
