//! What a prepared run moves, from what was noted and the reports of its kernels.

use obsidian_abi::ParamKind;
use obsidian_abi::traffic::{LaunchTraffic, Traffic};

use super::prepare::Command;
use super::walk::{Instance, Passed};
use super::{Module, ModulePlan, plan};
use crate::device::Device;
use crate::element::element_bytes;
use crate::error::Error;
use crate::launch::LaunchOptions;

fn bytes(instance: &Instance) -> u64 {
    u64::from(instance.len) * element_bytes(instance.fields) as u64
}

impl Module {
    /// What a run of the first variant moves on a device, launch by launch, beside the least that would do. `values` are the length of
    /// each array and the bits of each scalar, in the order of the parameters. `None` where elements are fetched, from which the rest
    /// follows.
    ///
    /// # Errors
    /// As of a run, before it begins.
    pub fn traffic(&self, device: &Device, values: &[u64]) -> Result<Option<Traffic>, Error> {
        Ok(plan(self.info, &LaunchOptions::DEFAULT, device, values)?.traffic())
    }
}

impl ModulePlan {
    /// What a run moves, launch by launch; `None` where that is found out at each run, since an element is fetched.
    pub fn traffic(&self) -> Option<Traffic> {
        let recording = self.recording.as_ref()?;
        let of = |id: usize| recording.instances.get(id).map_or(0, bytes);
        let mut traffic = Traffic { least: self.least()?, ..Traffic::default() };
        for command in &recording.commands {
            match command {
                Command::Launch(launch, _) => {
                    let least = launch.args.iter().map(|arg| match *arg {
                        Passed::Read(id) | Passed::Write(id) => of(id),
                        Passed::Scalar(_) | Passed::Epoch => 0,
                    });
                    let blocks = u64::from(launch.blocks);
                    let cost = launch.kernel.variants.first()?.cost;
                    let moved = cost.bytes_moved().map(|bytes| bytes * blocks as f64);
                    let kernel = launch.kernel.name.to_owned();
                    traffic.launches.push(LaunchTraffic { kernel, blocks, least: least.sum(), moved });
                }
                &Command::Fill { to, .. } => traffic.copied += of(to),
                &Command::Copy { from, .. } => traffic.copied += 2 * of(from),
                Command::Spoil(_) => {}
            }
        }
        Some(traffic)
    }

    /// Each argument read once, each result written once.
    fn least(&self) -> Option<u64> {
        let mut values = self.values.iter();
        let mut lens = self.lens.iter();
        let of = |param: &obsidian_abi::ParamInfo| {
            let len = match param.kind {
                ParamKind::Output => (*lens.next()?)?,
                ParamKind::Scalar => values.next().map(|_| 0)?,
                _ => *values.next()?,
            };
            Some(len * element_bytes(param.fields) as u64)
        };
        self.variant.params.iter().map(of).sum()
    }
}
