//! Streams: queues of launches on a device. On the CPU a launch is done when the call returns, so there a stream is
//! only a name.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::backend::{Event, Queue};
use crate::device::Device;
use crate::error::Error;
use crate::record::Recorder;

/// A queue of launches. Launches on one stream run in order; clones are the same stream. Buffers may be used on several
/// streams: the runtime orders each use after the ones it depends on.
///
/// `entry.on(&stream).run(..)` returns once the launch is in the queue (on the CPU: once it is done). It waits only where the host must know
/// something: of a kernel with guards, whether an index was out of range; of an entry at `Device`, how many elements a `filter` has kept and the
/// like. A stream may be used by several threads at once; their launches then run in some order.
#[derive(Clone)]
pub struct Stream {
    device: Device,
    queue: Arc<dyn Queue>,
    /// Where launches go instead, while the stream records.
    recorder: Option<Arc<Recorder>>,
}

impl Device {
    /// The stream that launches use when none is named.
    pub fn stream(&self) -> Stream {
        Stream::of(self, self.inner().default_queue())
    }

    /// A stream of its own, whose launches may overlap those of others. On the CPU launches run at once.
    ///
    /// # Errors
    /// The driver's error.
    pub fn new_stream(&self) -> Result<Stream, Error> {
        Ok(Stream::of(self, self.inner().new_queue()?))
    }
}

impl Stream {
    pub(crate) fn of(device: &Device, queue: Arc<dyn Queue>) -> Stream {
        Stream { device: device.clone(), queue, recorder: None }
    }

    /// The same queue, whose launches go to `recorder`.
    pub(crate) fn recording(&self, recorder: &Arc<Recorder>) -> Stream {
        Stream { recorder: Some(Arc::clone(recorder)), ..self.clone() }
    }

    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_deref()
    }

    /// Refuses what a stream that records cannot do.
    pub(crate) fn not_recording(&self, what: &str) -> Result<(), Error> {
        if self.recorder.is_none() {
            return Ok(());
        }
        let reason =
            "a graph holds launches alone, and while it is recorded none is done; ask the stream itself, outside";
        Err(Error::NotRecordable { what: what.to_owned(), reason })
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Waits until everything launched on it is done.
    ///
    /// # Errors
    /// The driver's error, also of an earlier launch.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.not_recording("a wait for the stream")?;
        self.queue.synchronize()
    }

    /// Marks the point that the stream has come to: when all that was launched on it before is done.
    ///
    /// ```
    /// # fn main() -> Result<(), obsidian_runtime::Error> {
    /// let stream = obsidian_runtime::Device::cpu().stream();
    /// let start = stream.mark()?;
    /// // .. launches on the stream ..
    /// println!("{:?}", stream.mark()?.since(&start)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The driver's error.
    pub fn mark(&self) -> Result<Moment, Error> {
        self.not_recording("a moment of the stream")?;
        Ok(Moment { device: self.device.clone(), event: self.queue.mark()? })
    }

    /// What the back end has of it.
    pub(crate) fn queue(&self) -> &dyn Queue {
        &*self.queue
    }

    /// The same, to be kept.
    pub(crate) fn shared_queue(&self) -> &Arc<dyn Queue> {
        &self.queue
    }
}

/// A point in a stream, made by [`Stream::mark`]: CUDA's and OpenCL's events with the device's clock, the host's clock on
/// the CPU.
pub struct Moment {
    device: Device,
    event: Box<dyn Event>,
}

impl Moment {
    /// The time from `earlier` to this moment, on one device; zero where `earlier` is the later one. Waits for both.
    ///
    /// # Errors
    /// [`Error::MomentsApart`] where the two are of different devices; the driver's error, also of an earlier launch.
    pub fn since(&self, earlier: &Moment) -> Result<Duration, Error> {
        if self.device == earlier.device {
            return self.event.since(&*earlier.event);
        }
        let (expected, found) = (self.device.name().to_owned(), earlier.device.name().to_owned());
        Err(Error::MomentsApart { expected, found })
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Moment(on {:?})", self.device)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.recorder.is_some() { "Recording stream" } else { "Stream" };
        write!(f, "{what}(on {:?})", self.device)
    }
}
