//! A recording's commands done in order. In: the recording and its memory; out: work in a queue, or the error of the step that
//! failed.

use std::ptr;

use obsidian_abi::module::ModuleVariant;

use super::execute::{Fields, Given, Target, spoil};
use super::names::in_words_of_module;
use super::prepare::{Command, Loader, Recording};
use super::walk::{Home, InstanceId, Passed};
use crate::backend::{Argument, Memory};
use crate::error::Error;

/// Does the commands of a recording.
pub(super) struct Replay<'a> {
    pub recording: &'a Recording,
    pub variant: &'static ModuleVariant,
    pub entry: &'static str,
    /// The part of each instance in the module's own memory.
    pub part_of: &'a [usize],
    pub given: Given<'a>,
    /// Of the last launch that took one.
    pub epoch: u32,
    parts: Vec<*mut [Box<dyn Memory>]>,
    loader: Loader<'a>,
}

impl<'a> Replay<'a> {
    pub fn new(
        (entry, variant): (&'static str, &'static ModuleVariant),
        (recording, part_of): (&'a Recording, &'a [usize]),
        (given, epoch): (Given<'a>, u32),
        parts: &'a mut [Fields],
        loader: Loader<'a>,
    ) -> Replay<'a> {
        let parts = parts.iter_mut().map(|fields| ptr::from_mut(fields.as_mut_slice())).collect();
        Replay { recording, variant, entry, part_of, given, epoch, parts, loader }
    }

    /// Does them, in order.
    pub fn run(&mut self, target: &mut Target<'_>) -> Result<(), Error> {
        let recording = self.recording;
        recording.commands.iter().try_for_each(|command| {
            let done = self.command(command, target);
            done.map_err(|source| self.at(command, source))
        })
    }

    fn at(&self, command: &Command, mut source: Error) -> Error {
        let name = |id: InstanceId| {
            let buffer = self.recording.instances.get(id).map_or(0, |instance| instance.buffer);
            self.variant.buffers.get(buffer as usize).map_or("", |buffer| buffer.name)
        };
        let (step, what) = match command {
            Command::Launch(launch, _) => {
                let buffer = |at: usize| match *launch.args.get(at)? {
                    Passed::Read(id) | Passed::Write(id) => self.recording.instances.get(id).map(|found| found.buffer),
                    Passed::Scalar(_) | Passed::Epoch => None,
                };
                source = in_words_of_module(source, self.variant, launch.kernel, buffer);
                (launch.step, format!("launch of `{}`", launch.kernel.name))
            }
            &Command::Fill { step, to, .. } => (step, format!("fill of `{}`", name(to))),
            &Command::Copy { step, to, .. } => (step, format!("copy to `{}`", name(to))),
            Command::Spoil(_) => return source,
        };
        Error::Step { entry: self.entry, step, what, source: Box::new(source) }
    }

    /// The memory of an instance.
    fn fields(&self, id: InstanceId) -> Option<*mut [Box<dyn Memory>]> {
        let home = self.recording.instances.get(id)?.home;
        if home == Home::Own {
            return self.parts.get(*self.part_of.get(id)?).copied();
        }
        // SAFETY: the caller has lent the buffer for the run, and one reference to it is made here, of which only the
        // pointer is kept.
        let raw = self.given.at(home)?;
        Some(unsafe { ptr::from_mut((*raw).memory_mut()) })
    }

    fn found(&self, id: InstanceId) -> Result<*mut [Box<dyn Memory>], Error> {
        let missing = || Error::Arguments {
            kernel: self.entry,
            expected: "memory for each buffer".to_owned(),
            found: "none".to_owned(),
        };
        self.fields(id).ok_or_else(missing)
    }

    fn command(&mut self, command: &Command, target: &mut Target<'_>) -> Result<(), Error> {
        self.epoch += u32::from(command.takes_epoch());
        match command {
            Command::Launch(launch, module) => {
                let args = launch.args.iter().map(|passed| self.argument(*passed)).collect::<Result<_, Error>>()?;
                let order = self.loader.order(launch.kernel, launch.blocks);
                // SAFETY: the walk has checked kinds, field types, lengths and aliasing against the kernel's parameters and its
                // geometry. What lives at one time lies apart in the module's own memory, by the arena; the caller's
                // buffers are lent, and those that are written lie apart, by the checks of the run.
                unsafe { target.launch(&**module, order, args) }
            }
            &Command::Fill { to, byte, .. } => {
                let to = self.found(to)?;
                // SAFETY: as above; it is the one reference.
                let to = unsafe { &mut *to };
                to.iter_mut().try_for_each(|field| field.fill(byte, target.queue))
            }
            &Command::Copy { from, to, .. } => {
                let (from, to) = (self.found(from)?, self.found(to)?);
                // SAFETY: as above; the two are different instances that live at one time.
                let (from, to) = unsafe { (&*from, &mut *to) };
                from.iter().zip(to).try_for_each(|(from, to)| to.copy(&**from, target.queue))
            }
            &Command::Spoil(id) => {
                let fields = self.found(id)?;
                // SAFETY: as above; it is the one reference.
                spoil(unsafe { &mut *fields }, target.queue)
            }
        }
    }

    fn argument(&self, passed: Passed) -> Result<Argument<'a>, Error> {
        let len = |id: InstanceId| self.recording.instances.get(id).map_or(0, |instance| instance.len);
        Ok(match passed {
            Passed::Scalar(bits) => Argument::Scalar(bits),
            Passed::Epoch => Argument::Scalar(self.epoch.into()),
            // SAFETY: the memory is lent for the run; see `command`.
            Passed::Read(id) => Argument::Read(unsafe { &*self.found(id)? }, len(id)),
            // SAFETY: as above.
            Passed::Write(id) => Argument::Write(unsafe { &mut *self.found(id)? }, len(id)),
        })
    }
}
