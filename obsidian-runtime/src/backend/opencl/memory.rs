//! Device memory of a buffer's field, the copies to and from it, and the order of its uses over queues.

use std::any::Any;
use std::ops::Range;
use std::ptr;
use std::sync::{Arc, Mutex};

use super::super::{locked, own};
use super::accelerator::Accelerator;
use super::api::Raw;
use super::handle::Handle;
use super::queue::Queue;
use super::room::Room;
use super::status::{Failure, failed, not_allocated};
use crate::backend;
use crate::error::Error;

/// Bytes on a device, freed once the launches that use them are done.
pub(crate) struct DeviceBytes {
    on: Arc<Accelerator>,
    memory: Handle,
    len: usize,
    /// Shared by the whole and its parts, as `room`.
    uses: Arc<Mutex<Uses>>,
    room: Arc<Room>,
}

/// The commands that later ones must wait for.
#[derive(Default)]
struct Uses {
    /// The last that writes.
    written: Option<Use>,
    /// Since then, on each queue the last that reads.
    read: Vec<Use>,
}

/// A command of a queue.
#[derive(Clone)]
pub(super) struct Use {
    queue: Raw,
    event: Arc<Handle>,
}

// SAFETY: the queue is only compared.
unsafe impl Send for Use {}
// SAFETY: as above.
unsafe impl Sync for Use {}

impl Use {
    pub(super) fn new(queue: &Queue, event: Handle) -> Use {
        Use { queue: queue.handle.raw(), event: Arc::new(event) }
    }
}

/// What a command does to a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Events to wait for, kept alive.
#[derive(Default)]
pub(super) struct WaitList {
    raw: Vec<Raw>,
    held: Vec<Arc<Handle>>,
}

impl WaitList {
    /// A queue runs in order, so only commands of other queues are waited for.
    fn add(&mut self, queue: &Queue, uses: &[Use]) {
        for other in uses.iter().filter(|other| other.queue != queue.handle.raw()) {
            self.raw.push(other.event.raw());
            self.held.push(Arc::clone(&other.event));
        }
    }

    /// Count and address, as the driver wants them.
    pub(super) fn parts(&self) -> (u32, *const Raw) {
        let start = if self.raw.is_empty() { ptr::null() } else { self.raw.as_ptr() };
        (self.raw.len() as u32, start)
    }
}

impl DeviceBytes {
    /// `len` bytes that the caller is going to write.
    pub(crate) fn unwritten(on: &Arc<Accelerator>, len: usize) -> Result<DeviceBytes, Error> {
        let room = Room::take(&on.taken, len as u64, on.about.limits.memory);
        let room = room.ok_or_else(|| Error::OutOfMemory { device: on.name().to_owned(), bytes: len as u64 })?;
        // The driver refuses to allocate nothing.
        let memory = Handle::buffer(on.api, &on.context, len.max(1)).map_err(not_allocated(on.name(), len))?;
        Ok(DeviceBytes { on: Arc::clone(on), memory, len, uses: Arc::default(), room: Arc::new(room) })
    }

    /// What the trait's value is here.
    pub(super) fn behind(memory: &dyn backend::Memory) -> Result<&DeviceBytes, Error> {
        own((memory as &dyn Any).downcast_ref(), "the buffer")
    }

    pub(super) fn raw(&self) -> Raw {
        self.memory.raw()
    }

    /// Adds what a command on `queue` must wait for.
    pub(super) fn wait(&self, queue: &Queue, access: Access, list: &mut WaitList) {
        let uses = locked(&self.uses);
        list.add(queue, uses.written.as_slice());
        if access == Access::Write {
            list.add(queue, &uses.read);
        }
    }

    /// Notes a command that was put into a queue.
    pub(super) fn used(&self, access: Access, by: &Use) {
        let mut uses = locked(&self.uses);
        match access {
            Access::Write => *uses = Uses { written: Some(by.clone()), read: Vec::new() },
            Access::Read => {
                uses.read.retain(|earlier| earlier.queue != by.queue);
                uses.read.push(by.clone());
            }
        }
    }

    /// Sets all bytes.
    fn set(&self, byte: u8, queue: &Queue) -> Result<(), Error> {
        if self.len == 0 {
            return Ok(());
        }
        let mut list = WaitList::default();
        self.wait(queue, Access::Write, &mut list);
        let (count, events) = list.parts();
        let event = Handle::event(self.on.api, |event| {
            // SAFETY: the pattern of one byte is copied by the call; the range is the whole buffer.
            unsafe {
                let pattern = (&raw const byte).cast();
                (self.on.api.clEnqueueFillBuffer)(
                    queue.handle.raw(),
                    self.raw(),
                    pattern,
                    1,
                    0,
                    self.len,
                    count,
                    events,
                    event,
                )
            }
        });
        let event = event.map_err(failed(self.on.name(), "set a buffer"))?;
        self.used(Access::Write, &Use::new(queue, event));
        Ok(())
    }
}

impl backend::Memory for DeviceBytes {
    fn len(&self) -> usize {
        self.len
    }

    fn fill_zero(&mut self) -> Result<(), Error> {
        let on = Arc::clone(&self.on);
        self.set(0, &on.queue)
    }

    fn fill(&mut self, byte: u8, queue: &dyn backend::Queue) -> Result<(), Error> {
        self.set(byte, Queue::behind(queue)?)
    }

    fn copy(&mut self, from: &dyn backend::Memory, queue: &dyn backend::Queue) -> Result<(), Error> {
        if self.len == 0 {
            return Ok(());
        }
        let (from, queue) = (DeviceBytes::behind(from)?, Queue::behind(queue)?);
        let mut list = WaitList::default();
        from.wait(queue, Access::Read, &mut list);
        self.wait(queue, Access::Write, &mut list);
        let (count, events) = list.parts();
        let event = Handle::event(self.on.api, |event| {
            let (call, len) = (self.on.api.clEnqueueCopyBuffer, self.len.min(from.len));
            // SAFETY: both are buffers of this context, at least so long.
            unsafe { call(queue.handle.raw(), from.raw(), self.raw(), 0, 0, len, count, events, event) }
        });
        let event = Use::new(queue, event.map_err(failed(self.on.name(), "copy a buffer"))?);
        from.used(Access::Read, &event);
        self.used(Access::Write, &event);
        Ok(())
    }

    unsafe fn part(&self, range: Range<usize>, _queue: &dyn backend::Queue) -> Result<Box<dyn backend::Memory>, Error> {
        // SAFETY: the caller's promise is a stronger one.
        unsafe { self.view(range) }
    }

    /// A sub-buffer, whose uses are the whole's.
    unsafe fn view(&self, range: Range<usize>) -> Result<Box<dyn backend::Memory>, Error> {
        let (on, len, uses, room) = (Arc::clone(&self.on), range.len(), Arc::clone(&self.uses), Arc::clone(&self.room));
        let memory = match len {
            0 => Handle::buffer(on.api, &on.context, 1),
            _ => Handle::part(on.api, &self.memory, range),
        };
        let memory = memory.map_err(failed(on.name(), "make a part of a buffer"))?;
        Ok(Box::new(DeviceBytes { on, memory, len, uses, room }))
    }
    fn write(&mut self, from: &[u8]) -> Result<(), Error> {
        if self.len == 0 {
            return Ok(());
        }
        let queue = self.on.queue.handle.raw();
        let mut list = WaitList::default();
        self.wait(&self.on.queue, Access::Write, &mut list);
        let (count, events) = list.parts();
        // SAFETY: `from` has as many bytes, and the call blocks until they are copied.
        let status = unsafe {
            let (start, len) = (from.as_ptr().cast(), self.len.min(from.len()));
            (self.on.api.clEnqueueWriteBuffer)(queue, self.raw(), 1, 0, len, start, count, events, ptr::null_mut())
        };
        Failure::check(status).map_err(failed(self.on.name(), "copy a buffer to the device"))
    }

    fn read(&self, start: usize, to: &mut [u8]) -> Result<(), Error> {
        if to.is_empty() {
            return Ok(());
        }
        let queue = self.on.queue.handle.raw();
        let mut list = WaitList::default();
        self.wait(&self.on.queue, Access::Read, &mut list);
        let (count, events) = list.parts();
        // SAFETY: `to` is borrowed mutably until the call, which blocks, has written its bytes; the driver refuses what is
        // outside of the buffer.
        let status = unsafe {
            let (to, len) = (to.as_mut_ptr().cast(), to.len());
            (self.on.api.clEnqueueReadBuffer)(queue, self.raw(), 1, start, len, to, count, events, ptr::null_mut())
        };
        Failure::check(status).map_err(failed(self.on.name(), "copy a buffer from the device"))
    }

    /// Parts of a whole are never compared with one another.
    fn overlaps(&self, other: &dyn backend::Memory) -> bool {
        DeviceBytes::behind(other).is_ok_and(|other| Arc::ptr_eq(&self.uses, &other.uses) && self.len > 0)
    }
}
