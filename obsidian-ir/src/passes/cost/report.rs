//! What the analysis of costs finds: plain data, for the table that `backend::report` makes of it and for pictures.

use crate::diag::Span;
use crate::program::ScalarType;

/// What one variant of a kernel costs. Numbers are of one block of the grid, for each launch of the grid's loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Name of the kernel's function in the texts.
    pub name: String,
    /// Real threads of a block.
    pub threads: u32,
    /// Shared memory.
    pub shared: SharedMemory,
    /// Barriers, as they stand in the program.
    pub barriers: Barriers,
    /// Where an index is tested when the kernel runs.
    pub guards: Vec<Site>,
    /// Every access to global and shared memory, in the order of the program.
    pub accesses: Vec<Access>,
    /// Which of these are of several elements at a time, as they stand in the machine form.
    pub vectors: Vec<VectorAccess>,
    /// Arithmetic.
    pub operations: Operations,
    /// The functions of `f32` that a GPU approximates, as `fast_math` allows.
    pub approximated: Vec<&'static str>,
    /// How many blocks a multiprocessor holds, device by device.
    pub occupancy: Vec<Occupancy>,
    /// Whether the analysis stopped somewhere because it had used up its budget; what it left out is [`Pattern::Unknown`].
    pub cut_short: bool,
}

/// A place in the user's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The token; `Span::NONE` where there is none.
    pub span: Span,
    /// Its line, from 1, and column, from 1; set by [`Report::locate`].
    pub at: Option<(u32, u32)>,
}

/// Shared memory of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedMemory {
    /// Bytes in use.
    pub bytes: u32,
    /// Bytes allowed.
    pub limit: u32,
    /// The arrays, in order of their first use.
    pub map: Vec<Placed>,
}

/// A shared array: where it lies, and when it is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its name in the printed program.
    pub name: String,
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

/// Accesses of several neighbouring elements at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorAccess {
    /// The array's name.
    pub array: String,
    /// Element type.
    pub elem: ScalarType,
    /// Whether it reads or writes.
    pub action: Action,
    /// Elements of one access.
    pub width: u32,
    /// How many there are in the text of the machine form.
    pub count: u32,
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
    pub array: String,
    /// Type of an element.
    pub elem: ScalarType,
    /// Where the array is.
    pub memory: Memory,
    /// What is done.
    pub action: Action,
    /// In which step, from 1; 0: before the first.
    pub step: u32,
    /// Who asked for it.
    pub site: Site,
    /// Elements touched by all threads together.
    pub elements: u64,
    /// How the addresses of a warp's threads relate to one another.
    pub pattern: Pattern,
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

/// What is known of the addresses of a warp's requests.
#[derive(Debug, Clone, PartialEq)]
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

/// How many blocks fit on a multiprocessor. Registers are not considered: they are not known before ptxas runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// The device.
    pub device: &'static super::Device,
    /// Blocks at one time.
    pub blocks: u32,
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

impl Report {
    /// Sets the lines and columns of all sites.
    pub fn locate(&mut self, at: impl Fn(Span) -> Option<(u32, u32)>) {
        let sites = self.accesses.iter_mut().map(|a| &mut a.site).chain(&mut self.guards);
        sites.for_each(|site| site.at = at(site.span));
    }

    /// Accesses to one memory.
    pub fn of(&self, memory: Memory) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(move |a| a.memory == memory)
    }
}

impl Access {
    /// Bytes that are moved between global memory and the multiprocessor, where they are known.
    pub fn bytes_moved(&self) -> Option<f64> {
        self.requests().map(|r| r.transactions * 32.0)
    }

    /// What is known of its requests.
    pub fn requests(&self) -> Option<&Requests> {
        match &self.pattern {
            Pattern::Known(requests) => Some(requests),
            _ => None,
        }
    }

    /// Whether some request needs more sectors than elements side by side would at any address: one above the least.
    pub fn is_uncoalesced(&self) -> bool {
        self.memory == Memory::Global && self.requests().is_none_or(|r| r.excess > 1)
    }

    /// Whether some request waits for a bank twice, or may.
    pub fn has_conflicts(&self) -> bool {
        self.memory == Memory::Shared && self.requests().is_none_or(|r| r.worst > 1)
    }
}

impl Occupancy {
    /// Warps in use, of those that the multiprocessor has room for, in percent.
    pub fn percent(&self, threads: u32) -> u32 {
        100 * self.blocks * threads.div_ceil(32) / self.device.warps
    }
}
