//! What back ends share that run on the host and are done when a call returns: memory, queues, moments.

use std::any::Any;
use std::ops::Range;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use super::{Event, Memory, Pinned, Queue, own};
use crate::error::Error;
use crate::host::HostBytes;

impl Memory for HostBytes {
    fn len(&self) -> usize {
        HostBytes::len(self)
    }

    fn fill_zero(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn write(&mut self, from: &[u8]) -> Result<(), Error> {
        self.values_mut().copy_from_slice(from);
        Ok(())
    }

    fn read(&self, start: usize, to: &mut [u8]) -> Result<(), Error> {
        to.copy_from_slice(&self.values()[start..start + to.len()]);
        Ok(())
    }

    fn overlaps(&self, other: &dyn Memory) -> bool {
        let Some(other) = other.host() else { return false };
        let [a, b] = [self, other].map(|bytes| bytes.as_ptr().addr()..bytes.as_ptr().addr() + bytes.len());
        a.start.max(b.start) < a.end.min(b.end)
    }

    fn fill(&mut self, byte: u8, _queue: &dyn Queue) -> Result<(), Error> {
        self.values_mut().fill(byte);
        Ok(())
    }

    fn copy(&mut self, from: &dyn Memory, _queue: &dyn Queue) -> Result<(), Error> {
        self.values_mut::<u8>().copy_from_slice(own(from.host(), "the buffer")?.values());
        Ok(())
    }

    unsafe fn view(&self, range: Range<usize>) -> Result<Box<dyn Memory>, Error> {
        // SAFETY: the caller's promise.
        Ok(Box::new(unsafe { HostBytes::part(self, range) }))
    }

    unsafe fn part(&self, range: Range<usize>, _queue: &dyn Queue) -> Result<Box<dyn Memory>, Error> {
        // SAFETY: the caller's promise.
        Ok(Box::new(unsafe { HostBytes::part(self, range) }))
    }

    fn host(&self) -> Option<&HostBytes> {
        Some(self)
    }

    fn host_mut(&mut self) -> Option<&mut HostBytes> {
        Some(self)
    }
}

/// The caller's bytes as memory.
///
/// # Safety
/// They outlive it, and nobody writes them meanwhile.
pub(super) unsafe fn borrowed(bytes: &[u8]) -> Box<dyn Memory> {
    // SAFETY: the caller's promise.
    Box::new(unsafe { HostBytes::borrowed(bytes) })
}

/// Ordinary memory: a copy is done when the call returns.
impl Pinned for HostBytes {
    fn start(&self) -> NonNull<u8> {
        HostBytes::start(self)
    }

    fn upload(&self, to: &mut dyn Memory, _queue: &dyn Queue) -> Result<(), Error> {
        to.write(self.values())
    }

    fn download(&mut self, from: &dyn Memory, _queue: &dyn Queue) -> Result<(), Error> {
        from.read(0, self.values_mut())
    }
}

/// The queue of a device whose launches are done when they return.
pub(super) struct HostQueue;

impl Queue for HostQueue {
    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn mark(&self) -> Result<Box<dyn Event>, Error> {
        Ok(Box::new(Moment(Instant::now())))
    }
}

/// A time of the host's clock.
struct Moment(Instant);

impl Event for Moment {
    fn since(&self, earlier: &dyn Event) -> Result<Duration, Error> {
        let Moment(earlier) = own((earlier as &dyn Any).downcast_ref(), "the moment")?;
        Ok(self.0.saturating_duration_since(*earlier))
    }
}
