//! Graphs: launches that are recorded once and done again and again with one call. In: a closure that launches on a stream
//! which records, and the buffers that it returns; out: a value that owns both. On CUDA it is a CUDA graph; elsewhere the
//! launches are done in order.

mod held;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::backend::{self, Argument, Launch, Memory, Node, Order};
use crate::error::Error;
use crate::record::{Access, Kept, Log, Noted, Recorded, Recorder, Work};
use crate::stream::Stream;

pub use held::Buffers;
use held::Slots;

/// Launches that are done in order by one call, made by [`Stream::record`]. It keeps the buffers that they use.
///
/// Fixed when it was recorded: the kernels, their order, scalars, lengths, and which buffers. What the buffers hold may change
/// between two launches of the graph.
pub struct Graph<B: Buffers> {
    launches: Vec<Recorded>,
    /// All of them as one command, where the back end has that.
    command: Option<Box<dyn backend::Graph>>,
    /// Memory of the launches' own.
    kept: Vec<Kept>,
    stream: Stream,
    buffers: B,
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
        let recorder = Arc::new(Recorder::new());
        let done = job(&self.recording(&recorder));
        let Log { launches, kept } = recorder.end();
        let mut buffers = done?;
        let slots = Slots::of(&mut buffers);
        all_held(&launches, &slots)?;
        let command = self.command(&launches, &slots, &kept)?;
        Ok(Graph { launches, command, kept, stream: self.clone(), buffers })
    }

    /// The launches as one command, where the back end has that. Only addresses are taken, so every buffer is lent to be read.
    fn command(
        &self,
        launches: &[Recorded],
        slots: &Slots<'_>,
        kept: &[Kept],
    ) -> Result<Option<Box<dyn backend::Graph>>, Error> {
        let mut nodes = Vec::new();
        for recorded in launches.iter().filter(|recorded| !recorded.is_empty()) {
            let args = recorded.args.iter().map(|(_, noted)| match *noted {
                Noted::Scalar(bits) => Ok(Argument::Scalar(bits)),
                Noted::Buffer(_, id) => slots.buffer(id).map(|raw| Argument::Read(raw.memory(), raw.len() as u32)),
                Noted::Kept(_, [memory, part], len) => Ok(Argument::Read(&kept[memory].parts[part], len)),
            });
            let args = args.collect::<Result<Vec<_>, Error>>()?;
            nodes.push(match (&recorded.work, &args[..]) {
                (Work::Launch(order, module), _) => Node::Launch(Arc::clone(module), self.launch_of(*order, args)),
                (&Work::Fill(byte), &[Argument::Read(to, _)]) => Node::Fill(to, byte),
                (Work::Copy, &[Argument::Read(from, _), Argument::Read(to, _)]) => Node::Copy(from, to),
                _ => return Err(unfit(recorded)),
            });
        }
        self.device().inner().graph(self.shared_queue(), &mut nodes)
    }

    /// A recorded launch on this stream.
    fn launch_of<'a>(&'a self, order: Order, args: Vec<Argument<'a>>) -> Launch<'a> {
        Launch { order, queue: Some(self.queue()), blocks: 0..order.blocks, is_part: false, args }
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
            let what = format!("`{parameter}` of kernel `{}`", launch.name);
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
        let launches = &self.launches;
        match &mut self.command {
            None => {
                let kept = &mut self.kept;
                launches.iter().try_for_each(|recorded| replay(&self.stream, recorded, &mut slots, kept))
            }
            Some(command) => {
                let of =
                    |id| launches.iter().flat_map(Recorded::uses).filter(move |used| used.2 == id).map(|used| used.1);
                let (reads, mut writes) = slots.memory(|id| of(id).max());
                command.launch(&reads, &mut writes)
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

/// What no recorder notes.
fn unfit(recorded: &Recorded) -> Error {
    let (expected, found) = ("a buffer to fill, or two to copy".to_owned(), format!("{} others", recorded.args.len()));
    Error::Arguments { kernel: recorded.name, expected, found }
}

/// Does a recorded launch, fill or copy.
fn replay(stream: &Stream, recorded: &Recorded, slots: &mut Slots<'_>, kept: &mut [Kept]) -> Result<(), Error> {
    if recorded.is_empty() {
        return Ok(());
    }
    let mut args = Vec::with_capacity(recorded.args.len());
    for (_, noted) in &recorded.args {
        // The memory, as one slice of its fields, and the elements in it.
        let (access, fields, len): (Access, *mut [Box<dyn Memory>], u32) = match *noted {
            Noted::Scalar(bits) => {
                args.push(Argument::Scalar(bits));
                continue;
            }
            Noted::Buffer(access, id) => {
                let raw = slots.pointer(access, id)?;
                // SAFETY: the caller has lent the buffers to `slots`, which is borrowed until this returns; of one that is read
                // only its fields' memory is looked at, and that through `&`.
                unsafe {
                    match access {
                        Access::Read => (access, std::ptr::from_ref((*raw).memory()).cast_mut(), (*raw).len() as u32),
                        Access::Write => (access, std::ptr::from_mut((*raw).memory_mut()), (*raw).len() as u32),
                    }
                }
            }
            Noted::Kept(access, [memory, part], len) => {
                (access, std::ptr::from_mut(kept[memory].parts[part].as_mut_slice()), len)
            }
        };
        // SAFETY: as above, and `kept` is borrowed mutably. What a launch writes was distinct from all its other arguments when
        // it was noted, by the rules of `&mut` or by the layout of a module's memory, and a buffer keeps its number; so no
        // `&mut` made here has company.
        args.push(unsafe {
            match access {
                Access::Read => Argument::Read(&*fields, len),
                Access::Write => Argument::Write(&mut *fields, len),
            }
        });
    }
    match (&recorded.work, &mut args[..]) {
        // SAFETY: the arguments were checked when the launch was recorded; a buffer keeps its type, its length and its device.
        (Work::Launch(order, module), _) => unsafe { module.launch(stream.launch_of(*order, args)) },
        (&Work::Fill(byte), [Argument::Write(to, _)]) => {
            to.iter_mut().try_for_each(|field| field.fill(byte, stream.queue()))
        }
        (Work::Copy, [Argument::Read(from, _), Argument::Write(to, _)]) => {
            from.iter().zip(to.iter_mut()).try_for_each(|(from, to)| to.copy(&**from, stream.queue()))
        }
        _ => Err(unfit(recorded)),
    }
}
