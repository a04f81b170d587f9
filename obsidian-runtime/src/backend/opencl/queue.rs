//! Queues of a device, and moments in them.

use std::any::Any;
use std::time::Duration;

use super::super::{Event, own};
use super::api::{self, Api};
use super::handle::{Handle, info, number};
use super::status::{Failure, failed};
use crate::backend;
use crate::error::Error;

/// A queue of a device, done in order.
pub(crate) struct Queue {
    pub(super) api: &'static Api,
    pub(super) name: String,
    pub(super) handle: Handle,
}

/// A point in a queue: when everything before it is done.
struct Mark {
    api: &'static Api,
    name: String,
    event: Handle,
}

impl Mark {
    /// When that was by the device's clock, in nanoseconds; waits for it.
    fn nanoseconds(&self) -> Result<u64, Error> {
        let event = self.event.raw();
        // SAFETY: one event of ours.
        let status = unsafe { (self.api.clWaitForEvents)(1, &event) };
        let found = Failure::check(status).and_then(|()| {
            info(|size, to, needed| {
                // SAFETY: `info` gives room for `size` bytes.
                unsafe { (self.api.clGetEventProfilingInfo)(event, api::PROFILING_COMMAND_END, size, to, needed) }
            })
        });
        Ok(number(&found.map_err(failed(&self.name, "read the time of a stream"))?))
    }
}

impl Event for Mark {
    fn since(&self, earlier: &dyn Event) -> Result<Duration, Error> {
        let earlier: &Mark = own((earlier as &dyn Any).downcast_ref(), "the moment")?;
        let (start, end) = (earlier.nanoseconds()?, self.nanoseconds()?);
        Ok(Duration::from_nanos(end.saturating_sub(start)))
    }
}

impl Queue {
    /// What the trait's value is here.
    pub(super) fn behind(queue: &dyn backend::Queue) -> Result<&Queue, Error> {
        own((queue as &dyn Any).downcast_ref(), "the stream")
    }
}

impl backend::Queue for Queue {
    fn mark(&self) -> Result<Box<dyn Event>, Error> {
        let queue = self.handle.raw();
        let event = Handle::event(self.api, |event| {
            // SAFETY: a queue that is ours; without a list it waits for all that is in the queue.
            unsafe { (self.api.clEnqueueMarkerWithWaitList)(queue, 0, std::ptr::null(), event) }
        });
        let event = event.map_err(failed(&self.name, "mark a moment"))?;
        // SAFETY: as above.
        let flushed = Failure::check(unsafe { (self.api.clFlush)(queue) });
        flushed.map_err(failed(&self.name, "mark a moment"))?;
        Ok(Box::new(Mark { api: self.api, name: self.name.clone(), event }))
    }

    fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: a queue that is ours.
        let status = unsafe { (self.api.clFinish)(self.handle.raw()) };
        Failure::check(status).map_err(failed(&self.name, "finish its launches"))
    }
}
