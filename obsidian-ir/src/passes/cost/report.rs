//! What the analysis of costs finds: plain data, for the table that `backend::report` makes of it and for pictures.

use crate::diag::Span;
use crate::program::ScalarType;
pub use obsidian_abi::cost::{Action, Barriers, Certainty, Limit, Memory, Operations, Pattern, Requests};
use obsidian_abi::cost::{Cost, Place, SharedArray, Vectors};

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
    /// The arrays of a thread that lie in a GPU's local memory.
    pub local: Vec<LocalArray>,
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

/// An array of a thread's own that a GPU does not keep in registers, since an index into it is known when the kernel runs only, or it is too
/// long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalArray {
    /// What stores it.
    pub site: Site,
    /// Its bytes, in each thread.
    pub bytes: u32,
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
    /// Of how many rounds of a loop it has elements at one time, if others are on their way while a round is at work; else 1.
    pub stages: u32,
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

impl Report {
    /// Sets the lines and columns of all sites.
    pub fn locate(&mut self, at: impl Fn(Span) -> Option<(u32, u32)>) {
        let sites = self.accesses.iter_mut().map(|a| &mut a.site).chain(&mut self.guards);
        let sites = sites.chain(self.local.iter_mut().map(|array| &mut array.site));
        sites.for_each(|site| site.at = at(site.span));
    }

    /// As kernels carry it. Places are those that [`Report::locate`] has set.
    pub fn data(&self) -> Cost {
        let occupied = |o: &Occupancy| obsidian_abi::cost::Occupancy {
            device: o.device.name.into(),
            blocks: o.blocks,
            percent: o.percent(self.threads),
            limit: o.limit,
        };
        Cost {
            name: self.name.clone().into(),
            threads: self.threads,
            shared_bytes: self.shared.bytes,
            shared_limit: self.shared.limit,
            arrays: self.shared.map.iter().map(Placed::data).collect(),
            barriers: self.barriers,
            guards: self.guards.iter().map(|site| site.place()).collect(),
            local: self
                .local
                .iter()
                .map(|a| obsidian_abi::cost::LocalArray { at: a.site.place(), bytes: a.bytes })
                .collect(),
            accesses: self.accesses.iter().map(Access::data).collect(),
            vectors: self.vectors.iter().map(VectorAccess::data).collect(),
            operations: self.operations,
            approximated: self.approximated.clone().into(),
            occupancy: self.occupancy.iter().map(occupied).collect(),
            cut_short: self.cut_short,
        }
    }

    /// Accesses to one memory.
    pub fn of(&self, memory: Memory) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(move |a| a.memory == memory)
    }
}

impl Site {
    fn place(&self) -> Option<Place> {
        self.at.map(|(line, column)| Place { line, column })
    }
}

impl Placed {
    fn data(&self) -> SharedArray {
        let Placed { elem, len, copies, offset, bytes, first, last, .. } = *self;
        SharedArray { name: self.name.clone().into(), elem, len, copies, offset, bytes, first, last }
    }
}

impl VectorAccess {
    fn data(&self) -> Vectors {
        let VectorAccess { elem, action, width, count, .. } = *self;
        Vectors { array: self.array.clone().into(), elem, action, width, count }
    }
}

impl Access {
    fn data(&self) -> obsidian_abi::cost::Access {
        let Access { elem, memory, action, step, elements, pattern, certainty, .. } = *self;
        let (array, place) = (self.array.clone().into(), self.site.place());
        obsidian_abi::cost::Access { array, elem, memory, action, step, place, elements, pattern, certainty }
    }

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
