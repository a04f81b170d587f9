//! Streams: queues of launches on a device. On the CPU a launch is done when the call returns, so there a stream is
//! only a name.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(feature = "cuda")]
use crate::cuda;
use crate::device::{Device, Inner};
use crate::error::Error;
use crate::graph::Recorder;
use crate::opencl;

/// A queue of launches. Launches on one stream run in order; clones are the same stream. Buffers may be used on several
/// streams: the runtime orders each use after the ones it depends on.
#[derive(Clone)]
pub struct Stream {
    device: Device,
    queue: Queue,
    /// Where launches go instead, while the stream records.
    recorder: Option<Arc<Recorder>>,
}

/// The driver's queue.
#[derive(Clone)]
enum Queue {
    /// The device's own.
    Default,
    #[cfg(feature = "cuda")]
    Cuda(Arc<cuda::Queue>),
    OpenCl(Arc<opencl::Queue>),
}

impl Stream {
    pub(crate) fn default_of(device: &Device) -> Stream {
        let queue = match &device.inner {
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => Queue::Cuda(Arc::new(cuda::Queue::default_of(gpu))),
            _ => Queue::Default,
        };
        Stream { device: device.clone(), queue, recorder: None }
    }

    pub(crate) fn new_on(device: &Device) -> Result<Stream, Error> {
        let queue = match &device.inner {
            Inner::Cpu => Queue::Default,
            #[cfg(feature = "check")]
            Inner::Check => Queue::Default,
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => Queue::Cuda(Arc::new(cuda::Queue::new_on(gpu)?)),
            Inner::OpenCl(accelerator) => Queue::OpenCl(Arc::new(accelerator.new_queue()?)),
        };
        Ok(Stream { device: device.clone(), queue, recorder: None })
    }

    /// A stream that the caller made.
    #[cfg(feature = "cuda")]
    pub(crate) fn foreign(device: &Device, queue: cuda::Queue) -> Stream {
        Stream { device: device.clone(), queue: Queue::Cuda(Arc::new(queue)), recorder: None }
    }

    /// The same queue, whose launches go to `recorder`.
    pub(crate) fn recording(&self, recorder: &Arc<Recorder>) -> Stream {
        Stream { recorder: Some(Arc::clone(recorder)), ..self.clone() }
    }

    /// The same queue, recording nothing.
    pub(crate) fn plain(&self) -> Stream {
        Stream { recorder: None, ..self.clone() }
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
        match (&self.queue, &self.device.inner) {
            #[cfg(feature = "cuda")]
            (Queue::Cuda(queue), _) => queue.synchronize(),
            (Queue::OpenCl(queue), _) => queue.synchronize(),
            (Queue::Default, Inner::OpenCl(accelerator)) => accelerator.synchronize(),
            (Queue::Default, _) => Ok(()),
        }
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
        let mark = match (&self.queue, &self.device.inner) {
            #[cfg(feature = "cuda")]
            (Queue::Cuda(queue), _) => Mark::Cuda(queue.mark()?),
            (Queue::OpenCl(queue), _) => Mark::OpenCl(queue.mark()?),
            (Queue::Default, Inner::OpenCl(accelerator)) => Mark::OpenCl(accelerator.mark()?),
            (Queue::Default, _) => Mark::Host(Instant::now()),
        };
        Ok(Moment { device: self.device.clone(), mark })
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn queue(&self) -> Option<&Arc<cuda::Queue>> {
        match &self.queue {
            Queue::Cuda(queue) => Some(queue),
            _ => None,
        }
    }

    pub(crate) fn opencl_queue(&self) -> Option<&opencl::Queue> {
        match &self.queue {
            Queue::OpenCl(queue) => Some(queue),
            _ => None,
        }
    }
}

/// A point in a stream, made by [`Stream::mark`]: CUDA's and OpenCL's events with the device's clock, the host's clock on
/// the CPU.
pub struct Moment {
    device: Device,
    mark: Mark,
}

/// How the moment is known.
enum Mark {
    Host(Instant),
    #[cfg(feature = "cuda")]
    Cuda(cuda::Mark),
    OpenCl(opencl::Mark),
}

impl Moment {
    /// The time from `earlier` to this moment, on one device; zero where `earlier` is the later one. Waits for both.
    ///
    /// # Errors
    /// [`Error::MomentsApart`] where the two are of different devices; the driver's error, also of an earlier launch.
    pub fn since(&self, earlier: &Moment) -> Result<Duration, Error> {
        match (&self.mark, &earlier.mark) {
            _ if self.device != earlier.device => {}
            (Mark::Host(end), Mark::Host(start)) => return Ok(end.saturating_duration_since(*start)),
            #[cfg(feature = "cuda")]
            (Mark::Cuda(end), Mark::Cuda(start)) => return end.since(start),
            (Mark::OpenCl(end), Mark::OpenCl(start)) => {
                let (start, end) = (start.nanoseconds()?, end.nanoseconds()?);
                return Ok(Duration::from_nanos(end.saturating_sub(start)));
            }
            // One device has one kind of mark.
            #[allow(unreachable_patterns)]
            _ => {}
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
