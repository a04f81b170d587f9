//! A program with an operation of candle's whose elements a kernel computes.

use std::path::Path;

use crate::outside::Outside;
use crate::table::Outcome;

/// Builds and runs it.
pub fn check(root: &Path) -> Outcome {
    let says = |program: Outside| program.says(&["run", "--quiet"], "by a kernel, as candle's own");
    match Outside::copied(root, "candle", &[]).map(says) {
        Ok(Ok(())) => Outcome::Pass("an operation on the CPU, and its gradient".into()),
        Ok(Err(why)) => Outcome::Fail(why),
        Err(outcome) => outcome,
    }
}
