//! What a stream notes instead of doing it. In: checked launches, fills and copies, by which buffers they are on; out: all of
//! them, in order, once the recording is over, with the memory that they need beside the caller's.

use std::sync::{Arc, Mutex};

use crate::backend::{Memory, Module, Order, locked};
use crate::error::Error;
use crate::memory::BufferId;

/// What is done to a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Something noted, its arguments checked.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// The kernel's name, or the entry's whose step it is.
    pub name: &'static str,
    pub work: Work,
    /// Of a launch inputs, updated buffers and scalars as declared, then outputs, one per parameter; of a fill what is
    /// written; of a copy what is read, and what is written. Each with the name that the caller knows it by.
    pub args: Vec<(&'static str, Noted)>,
}

/// What is done.
#[derive(Debug)]
pub(crate) enum Work {
    /// A launch of all its blocks.
    Launch(Order, Arc<dyn Module>),
    /// A buffer's bytes are all set to one.
    Fill(u8),
    /// A buffer is copied to another.
    Copy,
}

/// An argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Noted {
    /// A buffer of the caller's, and what is done to it.
    Buffer(Access, BufferId),
    /// A part of memory that is kept, by the numbers of memory and part, and its length in elements.
    Kept(Access, [usize; 2], u32),
    /// The bits of a scalar.
    Scalar(u64),
}

/// Memory of a recording's own.
pub(crate) struct Kept {
    // Parts go before what they are parts of.
    pub parts: Vec<Vec<Box<dyn Memory>>>,
    pub _whole: Box<dyn Memory>,
}

impl Recorded {
    /// Every buffer of the caller's that it names: by which name, for what.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (&'static str, Access, BufferId)> {
        self.args.iter().filter_map(|(name, noted)| match *noted {
            Noted::Buffer(access, id) => Some((*name, access, id)),
            Noted::Kept(..) | Noted::Scalar(_) => None,
        })
    }

    /// Whether there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.work, Work::Launch(order, _) if order.blocks == 0)
    }
}

/// Takes the launches of a stream that records, until the recording is over.
pub(crate) struct Recorder(Mutex<Option<Log>>);

/// What was noted.
#[derive(Default)]
pub(crate) struct Log {
    pub launches: Vec<Recorded>,
    pub kept: Vec<Kept>,
}

impl Recorder {
    pub(crate) fn new() -> Recorder {
        Recorder(Mutex::new(Some(Log::default())))
    }

    pub(crate) fn add(&self, launch: Recorded) -> Result<(), Error> {
        let name = launch.name;
        self.log(name, |log| log.launches.push(launch))
    }

    /// Keeps memory for what is noted after it, all of it for the entry `name`; gives its number.
    pub(crate) fn keep(&self, name: &'static str, kept: Kept) -> Result<usize, Error> {
        self.log(name, |log| {
            log.kept.push(kept);
            log.kept.len() - 1
        })
    }

    fn log<T>(&self, name: &'static str, note: impl FnOnce(&mut Log) -> T) -> Result<T, Error> {
        let reason = "the recording is over; launch on the stream itself";
        let over = || Error::NotRecordable { what: format!("kernel `{name}`"), reason };
        locked(&self.0).as_mut().map(note).ok_or_else(over)
    }

    /// Ends the recording.
    pub(crate) fn end(&self) -> Log {
        locked(&self.0).take().unwrap_or_default()
    }
}
