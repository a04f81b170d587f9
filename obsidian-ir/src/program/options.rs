//! What the author demands of the code for GPUs as a whole: the target, and how exact float arithmetic is. The CPU and
//! the interpreter know neither: they are exact.

use crate::diag::Span;

/// The target GPUs, and how exact floats are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The least GPU that runs it.
    pub target: Target,
    /// How exact float arithmetic is on the GPU.
    pub math: Math,
}

/// The limits of a kernel, each with the token that sets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deny {
    /// Bytes of shared memory.
    pub max_shared: Option<(u32, Span)>,
    /// Barriers of the block, counted in the program's text.
    pub max_barriers: Option<(u32, Span)>,
    /// Bank conflicts, and accesses to shared memory that may have some.
    pub bank_conflicts: Option<Span>,
    /// Accesses to global memory that are or may be scattered.
    pub uncoalesced: Option<Span>,
    /// Indices that are tested when the kernel runs.
    pub guards: Option<Span>,
    /// Arrays of threads that a GPU keeps in memory.
    pub local_memory: Option<Span>,
}

/// How exact float arithmetic is on the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Math {
    /// The bits of `program::arith`.
    #[default]
    Exact,
    /// `a * b + c` may be rounded once, and functions of `f32` that a GPU has itself are approximate.
    Fast,
}

/// A generation of NVIDIA GPUs: an index of the table of known ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Target(usize);

/// Each target; the first PTX version that has it (PTX ISA, release notes), but no version below 7.0, which is what the
/// printer writes for all; the KiB of shared memory that a block may have (CUDA C++ Programming Guide, technical
/// specifications per compute capability). The first row is the default.
const TARGETS: [(&str, &str, u32); 12] = [
    ("sm_70", "7.0", 96),
    ("sm_72", "7.0", 96),
    ("sm_75", "7.0", 64),
    ("sm_80", "7.0", 163),
    ("sm_86", "7.1", 99),
    ("sm_87", "7.4", 163),
    ("sm_89", "7.8", 99),
    ("sm_90", "7.8", 227),
    ("sm_100", "8.6", 227),
    ("sm_103", "8.8", 227),
    ("sm_120", "8.7", 99),
    ("sm_121", "8.8", 99),
];

impl Target {
    /// The target of a name such as `sm_80`.
    pub fn from_name(name: &str) -> Option<Target> {
        TARGETS.iter().position(|(n, ..)| *n == name).map(Target)
    }

    /// The names of all targets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TARGETS.iter().map(|(name, ..)| *name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        TARGETS[self.0].0
    }

    /// Whether it reduces over a warp in one instruction (PTX ISA, `redux.sync`).
    pub fn has_redux(self) -> bool {
        Target::from_name("sm_80").is_some_and(|first| self.0 >= first.0)
    }

    /// Whether it copies to shared memory while other code runs (PTX ISA, `cp.async`).
    pub fn has_async_copies(self) -> bool {
        Target::from_name("sm_80").is_some_and(|first| self.0 >= first.0)
    }

    /// Whether it has a hyperbolic tangent of its own (PTX ISA, `tanh`).
    pub fn has_tanh(self) -> bool {
        Target::from_name("sm_75").is_some_and(|first| self.0 >= first.0)
    }

    /// The most bytes of shared memory of a block.
    pub fn max_shared(self) -> u32 {
        TARGETS[self.0].2 << 10
    }

    /// The first target, from this one on, whose blocks may have `bytes` bytes of shared memory.
    pub fn with_shared(self, bytes: u64) -> Option<Target> {
        (self.0..TARGETS.len()).map(Target).find(|t| u64::from(t.max_shared()) >= bytes)
    }

    /// The PTX version to write for it.
    pub fn ptx_version(self) -> &'static str {
        TARGETS[self.0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_oldest() {
        assert_eq!((Target::default().name(), Target::default().ptx_version()), ("sm_70", "7.0"));
    }

    #[test]
    fn names_and_targets_go_together() {
        for name in Target::names() {
            assert_eq!(Target::from_name(name).map(Target::name), Some(name));
        }
        assert_eq!(Target::from_name("sm_90").map(Target::ptx_version), Some("7.8"));
        assert_eq!(Target::from_name("sm_71"), None);
        let shared = |name| Target::from_name(name).map(Target::max_shared);
        assert_eq!(["sm_70", "sm_80", "sm_89"].map(shared), [Some(98304), Some(166_912), Some(101_376)]);
        assert_eq!(Target::default().with_shared(98305).map(Target::name), Some("sm_80"));
        assert_eq!(Target::default().with_shared(166_913).map(Target::name), Some("sm_90"));
        assert_eq!(Target::default().with_shared(232_449), None);
        let redux = |name| Target::from_name(name).map(Target::has_redux);
        assert_eq!(["sm_75", "sm_80", "sm_121"].map(redux), [Some(false), Some(true), Some(true)]);
    }
}
