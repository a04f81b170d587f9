//! The report of a module: what it launches and keeps, then what that moves at two lengths.

use std::fmt::Write;

use crate::module::{self, Module};
use crate::passes::cost::{Report, has_chain, traffic};

/// The lengths for which it is told what is moved.
const LENGTHS: [u32; 2] = [20, 26];

/// The steps, the memory between them, and what launches move where each array that is an argument has 2^20 and 2^26 elements. `reports`
/// are those of the module's kernels.
pub fn module_report(module: &Module, reports: &[&Report]) -> String {
    let mut out = module::report(module);
    let ways: &[(bool, &str)] = match has_chain(&module.steps) {
        true => &[(true, ", chains in one pass"), (false, ", chains in three launches")],
        false => &[(false, "")],
    };
    for log in LENGTHS {
        for &(once, way) in ways {
            let moved = traffic(module, reports, 1 << log, once);
            let _ = write!(out, "2^{log} elements{way}: {moved}");
        }
    }
    out
}
