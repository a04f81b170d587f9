//! A launch that a stream has noted instead of doing it. In: checked arguments, by which buffers they are; out: the same launch
//! on those buffers, wherever they are by then, or its place in a CUDA graph.

use super::checks::{arguments, outputs};
use super::{Arg, Plan};
use crate::buffer::{BufferId, RawBuffer};
#[cfg(feature = "cuda")]
use crate::cuda;
use crate::error::Error;
use crate::graph::{Access, Recorder, Slots};
use crate::stream::Stream;

/// A noted launch, its arguments checked.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// On the stream itself.
    plan: Plan,
    args: Vec<Noted>,
    outs: Vec<BufferId>,
}

/// An argument.
#[derive(Debug, Clone, Copy)]
enum Noted {
    Buffer(Access, BufferId),
    Scalar(u64),
}

impl Plan {
    /// Notes a launch whose arguments are checked.
    pub(super) fn record(
        &self,
        stream: &Stream,
        recorder: &Recorder,
        (args, outs): (&[Arg<'_>], &[&mut RawBuffer]),
    ) -> Result<(), Error> {
        let refuse = |reason| Err(Error::NotRecordable { what: format!("kernel `{}`", self.info.name), reason });
        if !self.variant.guarded.is_empty() {
            return refuse(
                "it uses indices from data, and what its guards find is asked for after each launch; launch it by itself",
            );
        }
        if self.part.is_some() {
            return refuse("it is launched on several devices, and a graph is of one stream");
        }
        let noted = |arg: &Arg<'_>| match arg {
            Arg::Buffer(raw) => Noted::Buffer(Access::Read, raw.id()),
            Arg::Update(raw) => Noted::Buffer(Access::Write, raw.id()),
            Arg::Scalar(bits) => Noted::Scalar(*bits),
        };
        recorder.add(Recorded {
            plan: Plan { stream: Some(stream.plain()), ..self.clone() },
            args: args.iter().map(noted).collect(),
            outs: outs.iter().map(|out| out.id()).collect(),
        })
    }
}

impl Recorded {
    /// Every buffer that it names: as which parameter, for what.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (&'static str, Access, BufferId)> {
        let args = arguments(self.plan.variant).zip(&self.args).filter_map(|(parameter, noted)| match *noted {
            Noted::Buffer(access, id) => Some((parameter.name, access, id)),
            Noted::Scalar(_) => None,
        });
        let outs = outputs(self.plan.variant).zip(&self.outs);
        args.chain(outs.map(|(parameter, &id)| (parameter.name, Access::Write, id)))
    }

    /// The kernel's name.
    pub(crate) fn kernel(&self) -> &'static str {
        self.plan.info.name
    }

    /// Launches.
    pub(crate) fn replay(&self, slots: &mut Slots<'_>) -> Result<(), Error> {
        let mut args = Vec::with_capacity(self.args.len());
        for noted in &self.args {
            args.push(match *noted {
                Noted::Scalar(bits) => Arg::Scalar(bits),
                // SAFETY: the caller has lent the buffers to `slots`, which is borrowed until this returns. A buffer that a
                // launch writes was distinct from all its others when it was noted, by the rules of `&mut`, and a buffer keeps
                // its number; so no `&mut` made here has company.
                Noted::Buffer(Access::Read, id) => Arg::Buffer(unsafe { &*slots.pointer(Access::Read, id)? }),
                // SAFETY: as above.
                Noted::Buffer(Access::Write, id) => Arg::Update(unsafe { &mut *slots.pointer(Access::Write, id)? }),
            });
        }
        let mut outs = Vec::with_capacity(self.outs.len());
        for &id in &self.outs {
            // SAFETY: as above.
            outs.push(unsafe { &mut *slots.pointer(Access::Write, id)? });
        }
        self.plan.launch(&mut args, &mut outs)
    }

    /// The launch as a node of a CUDA graph; `None` where it has nothing to do.
    #[cfg(feature = "cuda")]
    pub(crate) fn node(&self, gpu: &cuda::Gpu, slots: &Slots<'_>) -> Result<Option<cuda::Node<'_>>, Error> {
        use obsidian_abi::ParamKind;

        let super::Function::Cuda(function) = &self.plan.function else { return Ok(None) };
        if self.plan.geometry.blocks == 0 {
            return Ok(None);
        }
        let mut words = Vec::new();
        let pointers = |raw: &RawBuffer| -> Vec<u64> {
            raw.cuda_fields().iter().map(|field| field.view().map_or(0, |view| cuda::start(&view))).collect()
        };
        for (parameter, noted) in arguments(self.plan.variant).zip(&self.args) {
            match *noted {
                Noted::Scalar(bits) => words.push(bits),
                Noted::Buffer(_, id) => {
                    let raw = slots.buffer(id)?;
                    words.extend(pointers(raw));
                    if matches!(parameter.kind, ParamKind::Input(None) | ParamKind::InOut(None)) {
                        words.push(raw.len() as u64);
                    }
                }
            }
        }
        for &id in &self.outs {
            words.extend(pointers(slots.buffer(id)?));
        }
        let grid = gpu.grid(self.plan.geometry.blocks, self.plan.blocks);
        Ok(Some(cuda::Node { kernel: self.kernel(), function, grid, threads: self.plan.variant.threads, words }))
    }
}
