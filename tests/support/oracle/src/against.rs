//! A program on a device against the reference interpreter: the same bits, or an error where the interpreter finds what a
//! guard must find.

use obsidian::Error;
use obsidian_ir::interp::{Args, Fault};

use crate::cases::{Case, has_inputs, keep_first};
use crate::device::{self, How};
use crate::expected::expected;
use crate::same::assert_same;

/// Whether the variant has accesses that are guarded.
pub fn is_guarded(case: &Case) -> bool {
    !case.info.variants[case.variant].guarded.is_empty()
}

/// What the interpreter refuses to launch, such as rows of no elements, the device refuses with the same words.
fn refused(case: &Case, args: &Args, what: &str, message: &str) {
    match device::run(case.info, How { variant: case.variant, blocks: None }, args) {
        Err(Error::Condition { condition, .. }) => assert_eq!(message, condition, "{what}"),
        other => panic!("{what}: the interpreter refuses, since {message}, but the device gives {other:?}"),
    }
}

/// One variant on the device of this test program, on each of these numbers of real blocks.
pub fn compare_on(case: &Case, args: &Args, what: &str, real: &[Option<u32>]) {
    let expected = match expected(&case.program, args) {
        Err(Fault::Refused { message, .. }) => return refused(case, args, what, &message),
        Err(Fault::OutOfBounds { .. }) if is_guarded(case) => None,
        other => Some(other.unwrap_or_else(|fault| panic!("{what}: {fault}"))),
    };
    for &blocks in real {
        let found = device::run(case.info, How { variant: case.variant, blocks }, args);
        let Some(expected) = &expected else {
            assert!(matches!(found, Err(Error::OutOfRange { .. })), "{what}: the guard did not see it");
            continue;
        };
        let mut found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
        if !has_inputs(case.params()) {
            keep_first(&mut found, expected);
        }
        assert_same(expected, &found, &format!("{what}, {blocks:?} real blocks"));
    }
}
