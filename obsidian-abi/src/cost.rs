//! What a variant asks of a GPU, found while compiling: the report as data, for the compiler and for the program that holds
//! the kernel. `json` writes it for other programs, [`rows`] is how the compiler writes it into an expansion.

pub mod rows;

use std::borrow::Cow;

use crate::ScalarType;

/// A list that is a constant of the kernel, or that the compiler has just made.
pub type List<T> = Cow<'static, [T]>;
/// A name, as [`List`].
pub type Name = Cow<'static, str>;

/// What a loop whose number of rounds is not known counts as, where work is estimated.
pub const UNKNOWN_ROUNDS: u64 = 64;

/// What one variant of a kernel costs. Numbers are of one block of the grid, for each round of the grid's loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Name of the function in the texts.
    pub name: Name,
    /// Real threads of a block.
    pub threads: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// Bytes of it that are allowed.
    pub shared_limit: u32,
    /// The arrays in it, in order of their first use.
    pub arrays: List<SharedArray>,
    /// Barriers, as they stand in the program.
    pub barriers: Barriers,
    /// Where an index is tested when the kernel runs; `None` where the place is not known.
    pub guards: List<Option<Place>>,
    /// The arrays of a thread that lie in a GPU's local memory, since registers have no index.
    pub local: List<LocalArray>,
    /// Every access to global and shared memory, in the order of the program.
    pub accesses: List<Access>,
    /// Which of these are of several elements at a time, as they stand in the texts.
    pub vectors: List<Vectors>,
    /// Arithmetic.
    pub operations: Operations,
    /// The functions of `f32` that a GPU approximates, as `fast_math` allows.
    pub approximated: List<&'static str>,
    /// How many blocks a multiprocessor holds, device by device.
    pub occupancy: List<Occupancy>,
    /// Whether the analysis stopped somewhere because it had used up its budget.
    pub cut_short: bool,
}

/// A place in the user's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// An array in shared memory: where it lies, and when it is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedArray {
    /// Its name in the printed program.
    pub name: Name,
    /// Element type.
    pub elem: ScalarType,
    /// Elements of one copy.
    pub len: u32,
    /// The number of copies: one for each warp if it is an array of warps, else 1.
    pub copies: u32,
    /// First byte.
    pub offset: u32,
    /// Bytes of all copies.
    pub bytes: u32,
    /// First step in which it is in use. Steps are the loops over threads, from 1 in the order of the program.
    pub first: u32,
    /// Last such step.
    pub last: u32,
}

/// An array of a thread in local memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalArray {
    /// What stores it; `None` where the place is not known.
    pub at: Option<Place>,
    /// Its bytes, in each thread.
    pub bytes: u32,
}

/// Barriers in the text of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barriers {
    /// Of the block.
    pub block: u32,
    /// Of warps.
    pub warp: u32,
}

/// Arithmetic of values; that of indices and conditions of guards is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operations {
    /// Operations of a block.
    pub total: u64,
    /// Elements of outputs that a block writes.
    pub elements: u64,
    /// How sure the numbers are.
    pub certainty: Certainty,
}

/// How sure numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Counted.
    Exact,
    /// At most: counted as if every unknown condition held.
    AtMost,
    /// At most, and for one round of a loop whose number of rounds is not known.
    EachRound,
}

/// Which memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    /// A buffer.
    Global,
    /// Shared memory.
    Shared,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic update.
    Atomic,
}

/// An access: one load, store or atomic update in the text of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// The array's name: the user's for a buffer, the printed program's for a shared array.
    pub array: Name,
    /// Type of an element.
    pub elem: ScalarType,
    /// Where the array is.
    pub memory: Memory,
    /// What is done.
    pub action: Action,
    /// In which step, from 1; 0: before the first.
    pub step: u32,
    /// Who asked for it, where that is known.
    pub place: Option<Place>,
    /// Elements touched by all threads together.
    pub elements: u64,
    /// How the addresses of a warp's threads relate to one another.
    pub pattern: Pattern,
    /// How sure the numbers are.
    pub certainty: Certainty,
}

/// What is known of the addresses of a warp's requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pattern {
    /// Everything.
    Known(Requests),
    /// They depend on what is read when the kernel runs.
    DataDependent,
    /// The analysis could not follow them.
    Unknown,
}

/// The requests of an access. A request is what one warp asks for with one instruction; of a vector, all its elements.
///
/// A *transaction* is a sector of 32 bytes in global memory; in shared memory it is a turn, in which each of the 32
/// banks delivers one word of 4 bytes to all lanes that request it. Half a warp is served at a time where a lane asks for 8
/// bytes, a quarter where it asks for 16.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Requests {
    /// How many.
    pub count: u64,
    /// Transactions of all requests; a mean where the first address is only known up to a multiple of less than a sector.
    pub transactions: f64,
    /// The number that would suffice if the elements of each request lay side by side.
    pub least: u64,
    /// Transactions of the worst request (in shared memory: of its worst half or quarter).
    pub worst: u32,
    /// The most transactions that one request takes beyond the number that would suffice.
    pub excess: u32,
    /// Bytes of different elements, request by request.
    pub wanted: u64,
    /// The number of alignments of the first element over which the mean is taken; 1 if the alignment is known.
    pub alignments: u32,
}

/// Accesses of several neighbouring elements at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vectors {
    /// The array's name.
    pub array: Name,
    /// Element type.
    pub elem: ScalarType,
    /// Whether it reads or writes.
    pub action: Action,
    /// Elements of one access.
    pub width: u32,
    /// How many there are in the text.
    pub count: u32,
}

/// How many blocks fit on a multiprocessor. Registers are not considered: they are not known before ptxas runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupancy {
    /// The device, as a target is named: `sm_80`.
    pub device: Name,
    /// Blocks at one time.
    pub blocks: u32,
    /// Warps in use, of those that the multiprocessor has room for, in percent.
    pub percent: u32,
    /// What limits the number of blocks.
    pub limit: Limit,
}

/// What limits the blocks of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Warps, and so threads.
    Threads,
    /// Blocks.
    Blocks,
    /// Shared memory.
    SharedMemory,
}

impl Cost {
    /// Of a kernel that nothing is known of, such as one whose text was written by hand.
    pub const UNKNOWN: Cost = Cost {
        name: Cow::Borrowed(""),
        threads: 0,
        shared_bytes: 0,
        shared_limit: 0,
        arrays: Cow::Borrowed(&[]),
        barriers: Barriers { block: 0, warp: 0 },
        guards: Cow::Borrowed(&[]),
        local: Cow::Borrowed(&[]),
        accesses: Cow::Borrowed(&[]),
        vectors: Cow::Borrowed(&[]),
        operations: Operations { total: 0, elements: 0, certainty: Certainty::Exact },
        approximated: Cow::Borrowed(&[]),
        occupancy: Cow::Borrowed(&[]),
        cut_short: true,
    };

    /// The work of a block, in operations and elements that are touched; `None` where too little is known. A loop whose number of
    /// rounds is not known counts as [`UNKNOWN_ROUNDS`].
    pub fn work(&self) -> Option<u64> {
        if self.cut_short || self.threads == 0 {
            return None;
        }
        let rounds = |certainty| if certainty == Certainty::EachRound { UNKNOWN_ROUNDS } else { 1 };
        let operations = self.operations.total.saturating_mul(rounds(self.operations.certainty));
        let touched = self.accesses.iter().map(|a| a.elements.saturating_mul(rounds(a.certainty)));
        Some(touched.fold(operations, u64::saturating_add))
    }

    /// Accesses to one memory.
    pub fn of(&self, memory: Memory) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(move |a| a.memory == memory)
    }

    /// Bytes that a block moves between global memory and the multiprocessor, sector by sector; `None` where some access
    /// is not followed.
    pub fn bytes_moved(&self) -> Option<f64> {
        self.of(Memory::Global).map(|a| a.requests().map(|r| r.transactions * 32.0)).sum()
    }

    /// The least bytes that would do for the same elements, request by request; `None` as of [`bytes_moved`](Cost::bytes_moved).
    pub fn bytes_wanted(&self) -> Option<u64> {
        self.of(Memory::Global).map(|a| a.requests().map(|r| r.wanted)).sum()
    }

    /// Turns of the banks that a block waits for beyond those that would suffice; `None` where some access is not followed.
    pub fn conflicts(&self) -> Option<f64> {
        self.of(Memory::Shared).map(|a| a.requests().map(|r| r.transactions - r.least as f64)).sum()
    }

    /// What a multiprocessor of a generation holds, `sm_80`.
    pub fn on(&self, device: &str) -> Option<&Occupancy> {
        self.occupancy.iter().find(|o| o.device == device)
    }
}

impl Access {
    /// What is known of its requests.
    pub fn requests(&self) -> Option<&Requests> {
        match &self.pattern {
            Pattern::Known(requests) => Some(requests),
            _ => None,
        }
    }

    /// Sectors of 32 bytes that its requests move; `None` in shared memory, and where they are not known.
    pub fn sectors(&self) -> Option<f64> {
        self.requests().filter(|_| self.memory == Memory::Global).map(|r| r.transactions)
    }
}

impl Certainty {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Exact => "exact",
            Certainty::AtMost => "at_most",
            Certainty::EachRound => "each_round",
        }
    }
}

impl Memory {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Memory::Global => "global",
            Memory::Shared => "shared",
        }
    }
}

impl Action {
    /// Its name, in JSON too.
    pub const fn name(self) -> &'static str {
        match self {
            Action::Load => "load",
            Action::Store => "store",
            Action::Atomic => "atomic",
        }
    }
}

impl Limit {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Threads => "threads",
            Limit::Blocks => "blocks",
            Limit::SharedMemory => "shared_memory",
        }
    }
}
