//! Which vector unit the code of a kernel is to use.

use std::sync::LazyLock;

/// A vector unit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// What every processor of the architecture has: threads one by one.
    Scalar,
    /// x86-64 with AVX2 and FMA, and with what counts and moves bits in one step, which all such processors have.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL, too.
    Avx512,
}

/// Chooses less than the machine has, for tests and measurements.
const VARIABLE: &str = "OBSIDIAN_CPU";

/// The best unit that the machine has, or the one that `OBSIDIAN_CPU` names (`scalar`, `avx2`, `avx512`) where that is less.
pub fn cpu() -> Unit {
    static UNIT: LazyLock<Unit> = LazyLock::new(|| wanted(std::env::var(VARIABLE).ok().as_deref()).min(best()));
    *UNIT
}

fn wanted(name: Option<&str>) -> Unit {
    match name {
        Some("scalar") => Unit::Scalar,
        Some("avx2") => Unit::Avx2,
        _ => Unit::Avx512,
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) fn best() -> Unit {
    macro_rules! have {
        ($($feature:tt)*) => { true $(&& std::is_x86_feature_detected!($feature))* };
    }
    let avx2 = have!("avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt");
    match (avx2, have!("avx512f" "avx512bw" "avx512dq" "avx512vl")) {
        (true, true) => Unit::Avx512,
        (true, false) => Unit::Avx2,
        _ => Unit::Scalar,
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn best() -> Unit {
    Unit::Scalar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_asks_for_less_and_never_for_more() {
        assert_eq!(wanted(Some("scalar")), Unit::Scalar);
        assert_eq!(wanted(Some("avx2")), Unit::Avx2);
        assert_eq!(wanted(None), Unit::Avx512);
        assert!(wanted(Some("avx512")).min(Unit::Scalar) == Unit::Scalar);
    }
}
