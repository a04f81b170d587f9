//! Launches that a stream notes instead of doing them. In: checked launches, by which buffers they are on; out: all of
//! them, in order, once the recording is over.

use std::sync::{Arc, Mutex};

use crate::backend::{Module, Order, locked};
use crate::error::Error;
use crate::memory::BufferId;

/// What a launch does to a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A noted launch of all its blocks, its arguments checked.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub order: Order,
    pub module: Arc<dyn Module>,
    /// Inputs, updated buffers and scalars as declared, then outputs: one per parameter.
    pub args: Vec<Noted>,
}

/// An argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Noted {
    /// A buffer, and what is done to it.
    Buffer(Access, BufferId),
    /// The bits of a scalar.
    Scalar(u64),
}

impl Recorded {
    /// Every buffer that it names: as which parameter, for what.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (&'static str, Access, BufferId)> {
        self.order.variant.params.iter().zip(&self.args).filter_map(|(parameter, noted)| match *noted {
            Noted::Buffer(access, id) => Some((parameter.name, access, id)),
            Noted::Scalar(_) => None,
        })
    }

    /// The kernel's name.
    pub(crate) fn kernel(&self) -> &'static str {
        self.order.info.name
    }
}

/// Takes the launches of a stream that records, until the recording is over.
#[derive(Debug)]
pub(crate) struct Recorder(Mutex<Option<Vec<Recorded>>>);

impl Recorder {
    pub(crate) fn new() -> Recorder {
        Recorder(Mutex::new(Some(Vec::new())))
    }

    pub(crate) fn add(&self, launch: Recorded) -> Result<(), Error> {
        match locked(&self.0).as_mut() {
            Some(launches) => {
                launches.push(launch);
                Ok(())
            }
            None => {
                let what = format!("kernel `{}`", launch.kernel());
                Err(Error::NotRecordable { what, reason: "the recording is over; launch on the stream itself" })
            }
        }
    }

    /// Ends the recording.
    pub(crate) fn end(&self) -> Vec<Recorded> {
        locked(&self.0).take().unwrap_or_default()
    }
}
