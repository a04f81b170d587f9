//! Streams: queues of launches on a device. On the CPU a launch is done when the call returns, so there a stream is
//! only a name.

use std::fmt;
#[cfg(feature = "cuda")]
use std::sync::Arc;

#[cfg(feature = "cuda")]
use crate::cuda;
use crate::device::{Device, Inner};
use crate::error::Error;

/// A queue of launches. Launches on one stream run in order; clones are the same stream. Buffers may be used on several
/// streams: the runtime orders each use after the ones it depends on.
#[derive(Clone)]
pub struct Stream {
    device: Device,
    #[cfg(feature = "cuda")]
    queue: Option<Arc<cuda::Queue>>,
}

impl Stream {
    pub(crate) fn default_of(device: &Device) -> Stream {
        Stream {
            device: device.clone(),
            #[cfg(feature = "cuda")]
            queue: match &device.inner {
                Inner::Cpu => None,
                Inner::Cuda(gpu) => Some(Arc::new(cuda::Queue::default_of(gpu))),
            },
        }
    }

    pub(crate) fn new_on(device: &Device) -> Result<Stream, Error> {
        match &device.inner {
            Inner::Cpu => Ok(Stream::default_of(device)),
            #[cfg(feature = "cuda")]
            Inner::Cuda(gpu) => Ok(Stream { device: device.clone(), queue: Some(Arc::new(cuda::Queue::new_on(gpu)?)) }),
        }
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
        #[cfg(feature = "cuda")]
        if let Some(queue) = &self.queue {
            return queue.synchronize();
        }
        Ok(())
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn queue(&self) -> Option<&cuda::Queue> {
        self.queue.as_deref()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream(on {:?})", self.device)
    }
}
