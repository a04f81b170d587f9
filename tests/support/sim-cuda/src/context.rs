//! A device's primary context: everything that handles name.

use std::collections::HashMap;
use std::sync::Arc;

use crate::graph::Graph;
use crate::memory::{DeviceMemory, PinnedMemory};
use crate::module::{Function, Module};
use crate::settings::Settings;
use crate::status::Status;
use crate::stream::{Event, NULL_STREAM, Stream};

/// What the caller holds for a stream, an event, a module ..: a number that no two things have.
pub(crate) type Handle = usize;

/// Between the handles of two contexts.
const APART: usize = 1 << 32;

/// A context.
#[derive(Debug)]
pub(crate) struct Context {
    pub device: usize,
    pub settings: Arc<Settings>,
    /// How often it is retained.
    pub retained: u32,
    /// The error after which nothing runs.
    pub sticky: Option<Status>,
    pub memory: DeviceMemory,
    pub pinned: PinnedMemory,
    /// The bytes of freed memory that its pool keeps.
    pub threshold: u64,
    pub streams: HashMap<Handle, Stream>,
    pub events: HashMap<Handle, Event>,
    pub modules: HashMap<Handle, Arc<Module>>,
    pub functions: HashMap<Handle, Arc<Function>>,
    pub graphs: HashMap<Handle, Graph>,
    /// Graphs that can be launched.
    pub execs: HashMap<Handle, Graph>,
    /// Captures begun, launches done.
    pub captures: u64,
    pub launches: u64,
    handles: usize,
}

impl Context {
    pub(crate) fn new(device: usize, settings: &Arc<Settings>) -> Context {
        Context {
            device,
            settings: Arc::clone(settings),
            retained: 0,
            sticky: None,
            memory: DeviceMemory::default(),
            pinned: PinnedMemory::default(),
            threshold: 0,
            streams: HashMap::from([(NULL_STREAM, Stream::default())]),
            events: HashMap::new(),
            modules: HashMap::new(),
            functions: HashMap::new(),
            graphs: HashMap::new(),
            execs: HashMap::new(),
            captures: 0,
            launches: 0,
            handles: 0,
        }
    }

    /// Nothing is left, and no old handle names anything.
    pub(crate) fn reset(&mut self) {
        let fresh = Context::new(self.device, &self.settings);
        *self = Context { launches: self.launches, handles: self.handles, ..fresh };
    }

    /// Its own handle.
    pub(crate) fn handle_of(device: usize) -> Handle {
        APART * (device + 1)
    }

    /// The device of a context.
    pub(crate) fn device_of(handle: Handle) -> Option<usize> {
        (handle / APART).checked_sub(1).filter(|_| handle.is_multiple_of(APART))
    }

    pub(crate) fn new_handle(&mut self) -> Handle {
        self.handles += 16;
        Context::handle_of(self.device) + self.handles
    }
}
