//! What the judge says of a kernel.

use std::fmt;

/// What can be wrong with a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Two instances that nothing orders touch one element, and one of them writes.
    Race,
    /// Two instances write one element of an output.
    WrittenTwice,
    /// An index is not below the length of its array.
    OutOfBounds,
    /// An element of an output is not written.
    Unwritten,
    /// An element is read that nobody has written.
    Uninitialised,
    /// A barrier that some of those do not come to for whom it waits.
    Divergence,
    /// An access to several neighbours whose place is no multiple of its size.
    Misaligned,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Race => "race",
            Fault::WrittenTwice => "written twice",
            Fault::OutOfBounds => "out of bounds",
            Fault::Unwritten => "unwritten",
            Fault::Uninitialised => "uninitialised",
            Fault::Divergence => "divergence",
            Fault::Misaligned => "misaligned",
        })
    }
}

/// A fault with the run that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub fault: Fault,
    /// With which array.
    pub array: String,
    /// Blocks, warps, threads, rounds, scalars and lengths.
    pub model: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on `{}`: {}", self.fault, self.array, self.model)
    }
}

/// What came of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The kernel's name.
    pub name: String,
    /// Faults, each confirmed by an evaluation of the program's own expressions, or by a second question.
    pub findings: Vec<Finding>,
    /// What could neither be proved nor refuted.
    pub unknown: Vec<String>,
    /// Reads and updates by data: they are tested when the kernel runs, so the judge does not ask about their bounds.
    pub guarded: usize,
    /// Barriers under conditions of data that the judge does not follow.
    pub by_data: usize,
    /// How often the solver was asked.
    pub questions: u64,
    /// The solver's steps for them.
    pub steps: u64,
    /// Where the two encodings or the evaluation contradict one another: a fault of the judge.
    pub contradictions: Vec<String>,
}

/// One word for a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing is wrong in any launch that is let through.
    Proved,
    /// Something is wrong, and there is a run that shows it.
    Refuted,
    /// Neither.
    Unknown,
}

impl Report {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match (self.findings.is_empty(), self.unknown.is_empty()) {
            (false, _) => Verdict::Refuted,
            (true, true) => Verdict::Proved,
            (true, false) => Verdict::Unknown,
        }
    }
}
