//! A module on a stream that records: all that is done is noted, with memory of the recording's own.

use std::sync::Arc;

use obsidian_abi::ParamInfo;

use super::ModulePlan;
use super::execute::guarded;
use super::plan::parts;
use super::prepare::{Command, Loader, Recording};
use super::walk::{Home, Lasting, Passed};
use crate::error::Error;
use crate::launch::{Arg, outputs};
use crate::memory::RawBuffer;
use crate::record::{Access, Kept, Noted, Recorded, Recorder, Work};

impl ModulePlan {
    /// Notes all that is done, with memory of the recording's own.
    pub(super) fn note(
        &self,
        recorder: &Recorder,
        recording: Option<&Recording>,
        args: &[Arg<'_>],
        outs: &[&mut RawBuffer],
    ) -> Result<(), Error> {
        let what = || format!("entry `{}`", self.info.name);
        let refuse = |reason| Err(Error::NotRecordable { what: what(), reason });
        let Some(recording) = recording else {
            return refuse(
                "it fetches elements, or has too many steps, and so waits or decides while it runs; run it by itself",
            );
        };
        if guarded(self.variant.kernels) {
            return refuse(
                "it uses indices from data, and what its guards find is asked for after each launch; run it by itself",
            );
        }
        let whole = self.device.inner().allocate(recording.bytes, Some(&*self.queue))?;
        let (part_of, parts) = parts(recording, &*whole, &*self.queue)?;
        let memory = recorder.keep(self.info.name, Kept { parts, _whole: whole })?;
        let buffer = |access, id: usize| {
            let instance = &recording.instances[id];
            let names = |mut all: Box<dyn Iterator<Item = &'static ParamInfo>>, at| all.nth(at).map_or("", |p| p.name);
            match instance.home {
                Home::Own => ("", Noted::Kept(access, [memory, part_of[id]], instance.len)),
                Home::Argument(at) => {
                    let id = args.get(at).and_then(Arg::buffer).map(RawBuffer::id);
                    let noted = id.map_or(Noted::Scalar(0), |id| Noted::Buffer(access, id));
                    (names(Box::new(self.variant.arguments()), at), noted)
                }
                Home::Output(at) => {
                    let noted = outs.get(at).map_or(Noted::Scalar(0), |out| Noted::Buffer(access, out.id()));
                    (names(Box::new(outputs(self.variant.params)), at), noted)
                }
            }
        };
        let loader = Loader::new(&self.device, self.blocks);
        // A graph does the same each time, so the cells are zero at its beginning.
        for (id, instance) in recording.instances.iter().enumerate() {
            if instance.lasting == Lasting::Runs && instance.len > 0 {
                let args = vec![buffer(Access::Write, id)];
                recorder.add(Recorded { name: self.info.name, work: Work::Fill(0), args })?;
            }
        }
        let mut epoch = 0;
        for command in &recording.commands {
            epoch += u64::from(command.takes_epoch());
            let (name, (work, args)) = match command {
                Command::Launch(launch, module) => {
                    let args = launch.args.iter().map(|arg| match *arg {
                        Passed::Read(id) => buffer(Access::Read, id),
                        Passed::Write(id) => buffer(Access::Write, id),
                        Passed::Scalar(bits) => ("", Noted::Scalar(bits)),
                        Passed::Epoch => ("", Noted::Scalar(epoch)),
                    });
                    let work = Work::Launch(loader.order(launch.kernel, launch.blocks), Arc::clone(module));
                    (launch.kernel.name, (work, args.collect()))
                }
                &Command::Fill { to, byte, .. } => {
                    (self.info.name, (Work::Fill(byte), vec![buffer(Access::Write, to)]))
                }
                &Command::Copy { from, to, .. } => {
                    (self.info.name, (Work::Copy, vec![buffer(Access::Read, from), buffer(Access::Write, to)]))
                }
                Command::Spoil(_) => continue,
            };
            recorder.add(Recorded { name, work, args })?;
        }
        Ok(())
    }
}
