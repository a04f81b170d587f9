//! What a back end is: the traits that the folders here implement, and the table of all of them. In: launches that the
//! layers above have checked; out: work done, or in a queue. Knows no element types, no buffers and no streams.

#[cfg(feature = "check")]
mod check;
mod cpu;
#[cfg(feature = "cudarc")]
pub(crate) mod cuda;
mod host;
mod launch;
mod once;
mod opencl;
mod table;

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::Error;
use crate::host::{HostBytes, Owner};
use crate::info::{Backend, Limits};

pub(crate) use cpu::cpu;
pub(crate) use launch::{Argument, Launch, Order, Word};
pub(crate) use table::{Driver, Found, Row, TABLE, driver};

/// A device, open for the life of the process unless its context is the caller's.
pub(crate) trait Device: Any + Send + Sync {
    /// Its name, as its driver gives it.
    fn name(&self) -> &str;
    /// Its back end.
    fn kind(&self) -> Backend;
    /// What it has.
    fn limits(&self) -> Limits;
    /// What drives it, with versions.
    fn driver(&self) -> String {
        format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
    }
    /// Waits until all launches on it are done.
    fn synchronize(&self) -> Result<(), Error>;
    /// Memory that the caller is going to write; `queue` is the one that writes first, the default one where `None`.
    fn allocate(self: Arc<Self>, bytes: usize, queue: Option<&dyn Queue>) -> Result<Box<dyn Memory>, Error>;
    /// The queue that launches use when none is named.
    fn default_queue(self: Arc<Self>) -> Arc<dyn Queue>;
    /// A queue of its own.
    fn new_queue(self: Arc<Self>) -> Result<Arc<dyn Queue>, Error>;
    /// The code of a kernel for these launches, compiled at its first use, once the device's limits are checked.
    fn load(self: Arc<Self>, order: &Order) -> Result<Arc<dyn Module>, Error>;

    /// Zeroed memory of the host's that the device copies from and to.
    fn pinned(self: Arc<Self>, bytes: usize) -> Result<Box<dyn Pinned>, Error> {
        Ok(Box::new(HostBytes::allocate(bytes)?))
    }

    /// The nodes, one after another, as one command; `None` where they are to be done one by one.
    fn graph(
        self: Arc<Self>,
        _queue: &Arc<dyn Queue>,
        _nodes: &mut [Node<'_>],
    ) -> Result<Option<Box<dyn Graph>>, Error> {
        Ok(None)
    }

    /// Memory of the host's as its own, to be read in place; `None` where it is to be copied.
    ///
    /// # Safety
    /// The bytes outlive the memory, and nobody writes either meanwhile.
    unsafe fn borrow(&self, _bytes: &[u8]) -> Option<Box<dyn Memory>> {
        None
    }

    /// Memory of others, which starts at this address of the device's and which `owner` keeps; `None` where memory has no address.
    ///
    /// # Safety
    /// The bytes are the device's and initialised, outlive the memory or are kept by the owner, and nothing else uses them
    /// meanwhile. They start at a multiple of [`Device::alignment_of_others`].
    unsafe fn adopt(
        self: Arc<Self>,
        _start: NonNull<u8>,
        _bytes: usize,
        _owner: Option<Owner>,
    ) -> Result<Option<Box<dyn Memory>>, Error> {
        Ok(None)
    }

    /// What memory of others starts at a multiple of, beside that of its elements' type.
    fn alignment_of_others(&self) -> usize {
        1
    }

    /// What views of memory start at multiples of: texts rely on 16.
    fn view_alignment(&self) -> usize {
        16
    }

    /// What parts of memory start at multiples of.
    fn part_alignment(&self) -> usize {
        256
    }

    /// Whether it goes through a chain of tiles in one launch, whose blocks read what others of them have written: its kernels store
    /// and load words atomically for the whole device.
    fn chains_in_one_pass(&self) -> bool {
        false
    }

    /// Whether it can run a part of a launch's blocks.
    fn runs_parts(&self) -> bool {
        false
    }
}

/// Memory of a device, freed on drop once the launches that use it are done.
pub(crate) trait Memory: Any + Send + Sync {
    /// Number of bytes.
    fn len(&self) -> usize;
    /// Sets fresh memory to zero; memory of the host's is so from the start.
    fn fill_zero(&mut self) -> Result<(), Error>;
    /// Copies `from`, which is as long, over all of it.
    fn write(&mut self, from: &[u8]) -> Result<(), Error>;
    /// Copies as many bytes as `to` has from `start` on, once the launches that write them are done. They are there.
    fn read(&self, start: usize, to: &mut [u8]) -> Result<(), Error>;
    /// Whether the two share bytes.
    fn overlaps(&self, other: &dyn Memory) -> bool;
    /// The bytes of `range`, which are there, as memory to be read, on any queue; it starts at a multiple of
    /// [`Device::view_alignment`].
    ///
    /// # Safety
    /// The whole outlives the view, and nobody writes either meanwhile.
    unsafe fn view(&self, range: Range<usize>) -> Result<Box<dyn Memory>, Error>;
    /// Sets all bytes, in the order of the queue.
    fn fill(&mut self, byte: u8, queue: &dyn Queue) -> Result<(), Error>;
    /// Copies memory that is as long over all of it, in the order of the queue.
    fn copy(&mut self, from: &dyn Memory, queue: &dyn Queue) -> Result<(), Error>;
    /// The bytes of `range`, which are there, as memory of their own; it starts at a multiple of [`Device::part_alignment`].
    ///
    /// # Safety
    /// The whole outlives its parts. All of them are used on `queue` alone, and while one is used, nothing else that shares bytes
    /// with it is lent.
    unsafe fn part(&self, range: Range<usize>, queue: &dyn Queue) -> Result<Box<dyn Memory>, Error>;

    /// The device's address of the first byte, where memory has one.
    fn address(&self) -> Option<NonNull<u8>> {
        self.host().map(HostBytes::start)
    }

    /// Itself, where the host sees it.
    fn host(&self) -> Option<&HostBytes> {
        None
    }

    /// Itself, to be written, where the host sees it.
    fn host_mut(&mut self) -> Option<&mut HostBytes> {
        None
    }
}

/// A queue of launches, done in order.
pub(crate) trait Queue: Any + Send + Sync {
    /// Waits until everything in it is done.
    fn synchronize(&self) -> Result<(), Error>;
    /// Marks the point that it has come to.
    fn mark(&self) -> Result<Box<dyn Event>, Error>;
}

/// A point in a queue: when everything before it is done.
pub(crate) trait Event: Any + Send + Sync {
    /// The time since `earlier`, which is of the same device; zero where that is the later one. Waits for both.
    fn since(&self, earlier: &dyn Event) -> Result<Duration, Error>;
}

/// The code of a kernel, ready to be launched.
pub(crate) trait Module: Any + Send + Sync {
    /// Runs a launch or puts it into its queue.
    ///
    /// # Safety
    /// It must be one that was asked for when the module was loaded; its arguments must be those of the kernel's parameters,
    /// with lengths that its geometry accepted, all on the module's device, and what is written apart from all else.
    unsafe fn launch(&self, launch: Launch<'_>) -> Result<(), Error>;
}

/// Memory of the host's from and to which a device copies while the host goes on.
pub(crate) trait Pinned: Send + Sync {
    /// Where the bytes start, once no copy is under way; aligned for every plain value. Whoever has `&self` may read them
    /// until it gives that up, whoever has `&mut self` write them.
    fn start(&self) -> NonNull<u8>;
    /// Copies to memory that is as long, in the order of the queue.
    fn upload(&self, to: &mut dyn Memory, queue: &dyn Queue) -> Result<(), Error>;
    /// Copies from memory that is as long, in the order of the queue.
    fn download(&mut self, from: &dyn Memory, queue: &dyn Queue) -> Result<(), Error>;
}

/// What a graph does. Buffers are lent for their addresses alone. Only CUDA makes one command of them.
#[cfg_attr(not(feature = "cudarc"), allow(dead_code))]
pub(crate) enum Node<'a> {
    /// A launch of at least one block.
    Launch(Arc<dyn Module>, Launch<'a>),
    /// Sets all bytes of a buffer.
    Fill(&'a [Box<dyn Memory>], u8),
    /// Copies a buffer to another that is as long.
    Copy(&'a [Box<dyn Memory>], &'a [Box<dyn Memory>]),
}

/// Launches that are done by one command.
pub(crate) trait Graph: Send + Sync {
    /// Does them, after all that the memory was used for before; later uses of the memory come after them.
    fn launch(&mut self, reads: &[&dyn Memory], writes: &mut [&mut dyn Memory]) -> Result<(), Error>;
}

impl fmt::Debug for dyn Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Module")
    }
}

/// What a lock guards. Everything behind the locks of this crate is whole after every statement, so a panic elsewhere does
/// not spoil it.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A back end's own type behind one of the traits. The layers above compare devices, so it is never another's.
fn own<T>(found: Option<T>, what: &'static str) -> Result<T, Error> {
    found.ok_or(Error::NotUsable { what, reason: "it is of another back end than the device" })
}

/// Refuses a kernel that needs more than there is.
fn check_limit(
    (kernel, device): (&'static str, &str),
    what: &'static str,
    limit: u64,
    found: u64,
) -> Result<(), Error> {
    if found <= limit {
        return Ok(());
    }
    Err(Error::Limit { kernel, device: device.to_owned(), what, limit, found })
}

/// Address and length of a constant text: equal ones mean equal text, and the same text at two addresses is only compiled
/// twice.
type TextKey = (usize, usize);

fn text_key(text: &'static str) -> TextKey {
    (text.as_ptr() as usize, text.len())
}
