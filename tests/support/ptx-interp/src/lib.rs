//! A PTX interpreter for tests: runs the subset of PTX that `obsidian_ir::backend::ptx` prints, on real lanes, warps and
//! barriers, without a GPU.
//!
//! In: a module's text, global memory, a launch. Out: what the kernel wrote, or the first [`Fault`]. Each thread has a
//! place of its own in the code and runs until it must wait for others; so a race gives other results in the other
//! [`Order`]. Each opcode's meaning is that of the PTX ISA (version 9.0, sections cited where they are used). Knows
//! nothing of the compiler: only text and bytes come in.
//!
//! ```
//! use obsidian_ptx_interp::{Launch, Memory, Module};
//! let text = "
//! .version 7.0
//! .target sm_70
//! .address_size 64
//! .visible .entry number(.param .u64 out)
//! {
//!     .reg .u32 %u<2>;
//!     .reg .u64 %a<3>;
//!     ld.param.u64 %a1, [out];
//!     mov.u32 %u1, %tid.x;
//!     mad.wide.u32 %a2, %u1, 4, %a1;
//!     st.global.u32 [%a2], %u1;
//!     ret;
//! }";
//! let module = Module::parse(text).unwrap();
//! let mut memory = Memory::new();
//! let out = memory.allocate(vec![0xff; 12]);
//! module.launch("number", &Launch::new(1, 3), &[out], &mut memory).unwrap();
//! assert_eq!(memory.bytes(out), [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
//! ```

mod block;
mod convert;
mod copies;
mod decode;
mod fault;
mod float;
mod memory;
mod op;
mod step;
mod text;
mod types;

pub use fault::{Fault, Thread};
pub use memory::Memory;

use std::ops::Range;

use block::Block;
use text::Entry;

/// The order in which the threads of a block, and its warps, take their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Lowest first.
    Ascending,
    /// Highest first.
    Descending,
}

/// The shape of a launch.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Blocks of the grid.
    pub blocks: u32,
    /// Those of them that are run.
    pub run: Range<u32>,
    /// Threads per block.
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared: usize,
    /// Who goes first.
    pub order: Order,
}

impl Launch {
    /// All of `blocks` blocks of `threads` threads, in ascending order.
    pub fn new(blocks: u32, threads: u32) -> Launch {
        Launch { blocks, run: 0..blocks, threads, shared: 0, order: Order::Ascending }
    }
}

/// What an entry declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Bytes of each parameter, in order.
    pub params: Vec<usize>,
    /// Threads per block that it demands.
    pub threads: Option<u32>,
    /// Bytes of static shared memory per block; dynamic ones lie behind them.
    pub shared: usize,
    /// Bytes of local memory per thread.
    pub local: usize,
}

/// A parsed module.
#[derive(Debug)]
pub struct Module {
    entries: Vec<Entry>,
}

impl Module {
    /// Parses a module.
    ///
    /// # Errors
    /// [`Fault::Text`] for what is not PTX, or outside the subset.
    pub fn parse(text: &str) -> Result<Module, Fault> {
        Ok(Module { entries: text::module(text)? })
    }

    /// The names of its entries.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.name.as_str())
    }

    /// What an entry declares; `None` where there is no such entry.
    pub fn about(&self, entry: &str) -> Option<About> {
        let found = self.entries.iter().find(|e| e.name == entry)?;
        let params = found.params.iter().map(|ty| ty.bytes()).collect();
        Some(About { params, threads: found.threads, shared: found.shared, local: found.local })
    }

    /// Runs an entry, one block after the other. `params`: the bits of each parameter, in order.
    ///
    /// # Errors
    /// The first [`Fault`]; what was written until then stays.
    pub fn launch(&self, entry: &str, launch: &Launch, params: &[u64], memory: &mut Memory) -> Result<(), Fault> {
        self.counted(entry, launch, params, memory).map(|_| ())
    }

    /// The same; gives the number of instructions that all threads together have done.
    ///
    /// # Errors
    /// As of [`Module::launch`].
    pub fn counted(&self, entry: &str, launch: &Launch, params: &[u64], memory: &mut Memory) -> Result<u64, Fault> {
        let found = self.checked(entry, launch, params)?;
        let mut budget = block::MAX_STEPS;
        let mut block = Block::new(found, launch, launch.run.start, params);
        for number in launch.run.clone() {
            block.begin(number);
            while !block.is_done() {
                block.round(memory, &mut budget)?;
            }
        }
        Ok(block::MAX_STEPS - budget)
    }

    /// Runs an entry with all its blocks at a time. `next` is given the blocks that have not ended, in order, and gives the place among
    /// them of the one that runs until its threads wait for one another. There are at most `budget` instructions.
    ///
    /// # Errors
    /// As of [`Module::launch`].
    pub fn interleaved(
        &self,
        entry: &str,
        launch: &Launch,
        (params, memory): (&[u64], &mut Memory),
        mut budget: u64,
        next: &mut dyn FnMut(&[u32]) -> usize,
    ) -> Result<(), Fault> {
        let found = self.checked(entry, launch, params)?;
        let mut open: Vec<u32> = launch.run.clone().collect();
        let mut blocks: Vec<Block<'_>> = open.iter().map(|&block| Block::new(found, launch, block, params)).collect();
        while !open.is_empty() {
            let at = next(&open).min(open.len() - 1);
            blocks[at].round(memory, &mut budget)?;
            if blocks[at].is_done() {
                open.remove(at);
                blocks.remove(at);
            }
        }
        Ok(())
    }

    /// The entry, if the launch is one that it takes.
    fn checked(&self, entry: &str, launch: &Launch, params: &[u64]) -> Result<&Entry, Fault> {
        let Some(found) = self.entries.iter().find(|e| e.name == entry) else {
            return Err(Fault::Launch(format!("there is no entry `{entry}`")));
        };
        if found.params.len() != params.len() {
            let (want, got) = (found.params.len(), params.len());
            return Err(Fault::Launch(format!("`{entry}` takes {want} parameters, not {got}")));
        }
        if found.threads.is_some_and(|n| n != launch.threads) {
            return Err(Fault::Launch(format!(
                "`{entry}` demands {:?} threads, not {}",
                found.threads, launch.threads
            )));
        }
        Ok(found)
    }
}
