//! What OpenCL drivers are known to get wrong, and how it is avoided: one table, of which `tests/opencl/defects.rs` shows
//! every row that a driver at hand can show. In: what a driver says of itself; out: what is compiled how, and what a user is
//! told. Knows nothing of kernels.

/// Something that a driver gets wrong.
#[derive(Debug)]
pub(crate) struct Defect {
    /// What it is, and for which versions, for people.
    pub summary: &'static str,
    /// How no kernel meets it.
    pub avoided: Avoided,
    affects: fn(&Driver) -> bool,
}

/// How a defect is avoided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Avoided {
    /// No text that the compiler prints meets it, for any driver.
    ByEveryText,
    /// Texts are compiled with this macro.
    ByMacro(&'static str),
    /// The texts for devices with sub-groups are not used.
    WithoutSubGroups,
}

/// A driver and its versions, as far as they matter here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Driver {
    /// That of PoCL, where it is PoCL.
    pocl: Option<(u32, u32)>,
    /// The first number of LLVM's, where it is named.
    llvm: Option<u32>,
    /// Whether it is Intel's for processors.
    is_intels: bool,
}

/// The platform of Intel's driver for processors; that for its GPUs has another name.
const INTELS: &str = "Intel(R) OpenCL";

/// All that are known. An entry goes when no driver that is still in use has it.
const KNOWN: [Defect; 7] = [
    Defect {
        summary: "PoCL 3.0 to 7.1 lets some items pass by barriers under a condition",
        avoided: Avoided::ByEveryText,
        affects: |driver| driver.pocl.is_some_and(|version| version < (7, 2)),
    },
    Defect {
        summary: "PoCL before 7.0, on LLVM before 18, mixes up comparisons of several phases",
        avoided: Avoided::ByMacro("SPLIT_PHASES"),
        affects: |driver| {
            driver.pocl.is_some_and(|version| version < (7, 0)) && driver.llvm.is_none_or(|version| version < 18)
        },
    },
    Defect {
        summary: "PoCL before 7.0 dies of loops around barriers in groups of two items",
        avoided: Avoided::ByMacro("SPLIT_ROUNDS"),
        affects: |driver| driver.pocl.is_some_and(|version| version < (7, 0)),
    },
    Defect {
        summary: "PoCL dies of tables of places in local memory",
        avoided: Avoided::ByMacro("HIDE_PLACES"),
        affects: |driver| driver.pocl.is_some(),
    },
    // From its sources, where `sub_group_barrier` is the barrier of the group. No driver of the tests can show it: PoCL 3.0 has no
    // sub-groups, and Intel's has not got this wrong.
    Defect {
        summary: "PoCL makes barriers of sub-groups wait for whole groups",
        avoided: Avoided::WithoutSubGroups,
        affects: |driver| driver.pocl.is_some(),
    },
    Defect {
        summary: "Intel's driver for processors (2026.2) compares complements wrongly where it makes no vectors",
        avoided: Avoided::ByMacro("HIDE_COMPLEMENTS"),
        affects: |driver| driver.is_intels,
    },
    Defect {
        summary: "Intel's driver for processors (2026.2) dies of neighbours that an item reads alone and compares, four in a round",
        avoided: Avoided::ByEveryText,
        affects: |driver| driver.is_intels,
    },
];

impl Driver {
    /// From a platform's name, and its version: `OpenCL 3.0 PoCL 3.1+debian  Linux, .., LLVM 15.0.6, ..`.
    pub(crate) fn of(platform: &str, platform_version: &str) -> Driver {
        let behind = |name: &str| {
            let rest = platform_version.split_once(name)?.1;
            let mut numbers = rest.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().ok());
            Some((numbers.next()??, numbers.next().flatten().unwrap_or(0)))
        };
        Driver { pocl: behind(" PoCL "), llvm: behind(" LLVM ").map(|(first, _)| first), is_intels: platform == INTELS }
    }

    /// What it is known to get wrong.
    pub(crate) fn defects(&self) -> impl Iterator<Item = &'static Defect> {
        KNOWN.iter().filter(|defect| (defect.affects)(self))
    }

    /// The macros that texts are compiled with, each behind a blank and `-D`.
    pub(crate) fn macros(&self) -> String {
        let name = |defect: &Defect| match defect.avoided {
            Avoided::ByMacro(name) => Some(format!(" -D {name}")),
            _ => None,
        };
        self.defects().filter_map(name).collect()
    }

    /// Whether its compiled programs are worth keeping. PoCL keeps them itself; asked for one, it compiles each kernel of it
    /// once more, for groups of any size, which takes longer than what the launch needs.
    pub(crate) fn is_asked_for_programs(&self) -> bool {
        self.pocl.is_none()
    }

    /// Whether texts for devices with sub-groups may be used.
    pub(crate) fn takes_sub_groups(&self) -> bool {
        self.defects().all(|defect| defect.avoided != Avoided::WithoutSubGroups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_is_known_by_its_version() {
        let driver = |pocl, llvm| Driver { pocl, llvm, is_intels: false };
        let wheel = "OpenCL 3.0 PoCL 3.0-rc2  Linux, Release, RELOC, LLVM 14.0.6, SLEEF, DISTRO, POCL_DEBUG";
        assert_eq!(Driver::of("a platform", wheel), driver(Some((3, 0)), Some(14)));
        let debian = "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO";
        assert_eq!(Driver::of("a platform", debian), driver(Some((3, 1)), Some(15)));
        for other in ["OpenCL 3.1 LINUX", "OpenCL 3.0 CUDA 12.4.131", "", "OpenCL 3.0 PoCL"] {
            assert_eq!(Driver::of("a platform", other), Driver::default(), "{other}");
            assert_eq!(Driver::of("a platform", other).defects().count(), 0, "{other}");
        }
    }

    #[test]
    fn what_is_avoided_depends_on_the_versions() {
        let found = |pocl, llvm| {
            let driver = Driver { pocl: Some(pocl), llvm, is_intels: false };
            (driver.defects().count(), driver.macros(), driver.takes_sub_groups())
        };
        let (rounds, places) = (" -D SPLIT_ROUNDS -D HIDE_PLACES".to_owned(), " -D HIDE_PLACES".to_owned());
        let all = " -D SPLIT_PHASES -D SPLIT_ROUNDS -D HIDE_PLACES".to_owned();
        assert_eq!(found((3, 0), Some(14)), (5, all.clone(), false));
        assert_eq!(found((6, 0), None), (5, all, false));
        assert_eq!(found((6, 0), Some(18)), (4, rounds, false));
        assert_eq!(found((7, 1), Some(17)), (3, places.clone(), false));
        assert_eq!(found((7, 2), Some(20)), (2, places, false));
        let intels = Driver::of("Intel(R) OpenCL", "OpenCL 3.1 LINUX");
        assert_eq!((intels.defects().count(), intels.takes_sub_groups()), (2, true));
        assert_eq!(Driver::of("Intel(R) OpenCL Graphics", "OpenCL 3.0 "), Driver::default());
        assert!(intels.is_asked_for_programs() && !Driver { pocl: Some((7, 2)), ..intels }.is_asked_for_programs());
        assert!(Driver::default().takes_sub_groups() && Driver::default().macros().is_empty());
    }
}
