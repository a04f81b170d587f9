//! Graphs: launches that are recorded once and done again and again with one call. In: a closure that launches on a stream
//! which records, and the buffers that it returns; out: a value that owns both. On CUDA it is a CUDA graph; elsewhere the
//! launches are done in order.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "cuda")]
use crate::cuda;
#[cfg(feature = "cuda")]
use crate::device::Inner;
use crate::error::Error;
use crate::launch::Recorded;
use crate::stream::Stream;

mod held;
#[cfg(test)]
mod tests;

pub use held::Buffers;
pub(crate) use held::Slots;

/// What a launch does to a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Takes the launches of a stream that records, until the recording is over.
#[derive(Debug)]
pub(crate) struct Recorder(Mutex<Option<Vec<Recorded>>>);

impl Recorder {
    pub(crate) fn add(&self, launch: Recorded) -> Result<(), Error> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
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

    fn end(&self) -> Vec<Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }
}

/// Launches that are done in order by one call, made by [`Stream::record`]. It keeps the buffers that they use.
///
/// Fixed when it was recorded: the kernels, their order, scalars, lengths, and which buffers. What the buffers hold may change
/// between two launches of the graph.
pub struct Graph<B: Buffers> {
    launches: Vec<Recorded>,
    replay: Replay,
    stream: Stream,
    buffers: B,
}

/// How it is done.
enum Replay {
    /// Launch by launch.
    Again,
    #[cfg(feature = "cuda")]
    Cuda(cuda::Graph),
}

impl Stream {
    /// Records launches: those that `job` makes on the stream it is given are not done but noted, and [`Graph::launch`]
    /// does them all, in order, on this stream. `job` returns every buffer that they use, which the graph keeps: by value
    /// or `&mut`, or by `&` where no launch writes it.
    ///
    /// ```
    /// # use obsidian_runtime::{Buffer, Device, Error, Stream};
    /// # struct Kernel; impl Kernel {
    /// #     fn on(&self, _: &Stream) -> Kernel { Kernel }
    /// #     fn run_into(&self, _: &Device, _: &Buffer<f32>, _: &mut Buffer<f32>) -> Result<(), Error> { Ok(()) }
    /// # }
    /// # fn main() -> Result<(), Error> {
    /// # let (forward, back) = (Kernel, Kernel);
    /// # let dev = Device::cpu();
    /// let (mut a, mut b) = (dev.upload(&[1.0f32, 2.0])?, dev.alloc(2)?);
    /// let mut graph = dev.stream().record(|stream| {
    ///     forward.on(stream).run_into(&dev, &a, &mut b)?;
    ///     back.on(stream).run_into(&dev, &b, &mut a)?;
    ///     Ok((a, b))
    /// })?;
    /// for _ in 0..100 {
    ///     graph.launch()?;
    /// }
    /// let (a, _) = graph.into_buffers();
    /// # assert_eq!(a.to_vec()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Only launches on the given stream are recorded. What `job` does otherwise (uploads to buffers, launches on other
    /// streams) is done at once, and once.
    ///
    /// # Errors
    /// The error of `job`; [`Error::NotRecordable`] for a kernel with guards, a launch on several devices, a wait, a
    /// transfer or a moment on the recording stream, a recording in a recording, and a buffer that is not returned or is
    /// returned by `&` but written; on CUDA the driver's error.
    pub fn record<B: Buffers>(&self, job: impl FnOnce(&Stream) -> Result<B, Error>) -> Result<Graph<B>, Error> {
        self.not_recording("a graph")?;
        let recorder = Arc::new(Recorder(Mutex::new(Some(Vec::new()))));
        let done = job(&self.recording(&recorder));
        let launches = recorder.end();
        let mut buffers = done?;
        let slots = Slots::of(&mut buffers);
        all_held(&launches, &slots)?;
        let replay = self.replay(&launches, &slots)?;
        Ok(Graph { launches, replay, stream: self.clone(), buffers })
    }

    /// How the launches are to be done.
    #[cfg(feature = "cuda")]
    fn replay(&self, launches: &[Recorded], slots: &Slots<'_>) -> Result<Replay, Error> {
        let (Inner::Cuda(gpu), Some(queue)) = (&self.device().inner, self.queue()) else { return Ok(Replay::Again) };
        let nodes = launches.iter().map(|launch| launch.node(gpu, slots)).filter_map(Result::transpose);
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        Ok(cuda::Graph::new(gpu, queue, &nodes)?.map_or(Replay::Again, Replay::Cuda))
    }

    #[cfg(not(feature = "cuda"))]
    fn replay(&self, _: &[Recorded], _: &Slots<'_>) -> Result<Replay, Error> {
        Ok(Replay::Again)
    }
}

/// Whether all that is launched on is kept, and what is written is not only lent to be read.
fn all_held(launches: &[Recorded], slots: &Slots<'_>) -> Result<(), Error> {
    for launch in launches {
        for (parameter, access, id) in launch.uses() {
            let reason = match slots.allows(id) {
                None => {
                    "its buffer is not among those that the closure returns; return every buffer that is launched on"
                }
                Some(allowed) if allowed < access => {
                    "it writes a buffer that the closure returns by `&`; return that by value or by `&mut`"
                }
                Some(_) => continue,
            };
            let what = format!("`{parameter}` of kernel `{}`", launch.kernel());
            return Err(Error::NotRecordable { what, reason });
        }
    }
    Ok(())
}

impl<B: Buffers> Graph<B> {
    /// Does all launches, in order; like a launch it does not wait for them, but on the CPU they are done when it returns.
    ///
    /// # Errors
    /// [`Error::NotUsable`] where a buffer was taken out by [`buffers_mut`](Graph::buffers_mut); the driver's error, also of
    /// an earlier launch. On devices other than CUDA's the launches before the one that fails are done.
    pub fn launch(&mut self) -> Result<(), Error> {
        let mut slots = Slots::of(&mut self.buffers);
        for (_, access, id) in self.launches.iter().flat_map(Recorded::uses) {
            slots.pointer(access, id)?;
        }
        match &mut self.replay {
            Replay::Again => self.launches.iter().try_for_each(|launch| launch.replay(&mut slots)),
            #[cfg(feature = "cuda")]
            Replay::Cuda(graph) => {
                let launches = &self.launches;
                let of =
                    |id| launches.iter().flat_map(Recorded::uses).filter(move |used| used.2 == id).map(|used| used.1);
                let (reads, writes) = slots.cuda_fields(|id| of(id).max());
                graph.launch(&reads, writes)
            }
        }
    }

    /// How many launches it does.
    pub fn len(&self) -> usize {
        self.launches.len()
    }

    /// Whether it does none.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }

    /// The stream it is launched on.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The buffers.
    pub fn buffers(&self) -> &B {
        &self.buffers
    }

    /// The buffers, to be written. A buffer may be taken out, but then the graph cannot be launched.
    pub fn buffers_mut(&mut self) -> &mut B {
        &mut self.buffers
    }

    /// The buffers, without the graph.
    pub fn into_buffers(self) -> B {
        self.buffers
    }
}

impl<B: Buffers> fmt::Debug for Graph<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} launches on {:?})", self.launches.len(), self.stream.device())
    }
}
