//! A launch: the arguments in the order of the kernel's parameters, then the groups.

use std::ffi::c_void;
use std::sync::Arc;

use super::accelerator::{Accelerator, Queue, locked};
use super::api::Raw;
use super::handle::Handle;
use super::memory::{Access, DeviceBytes, Use, WaitList};
use super::program::{Function, Grouping};
use super::status::{Failure, failed};
use crate::abi::Arg;
use crate::buffer::RawBuffer;
use crate::error::Error;
use obsidian_abi::{ParamInfo, ParamKind};

/// What is to be launched.
pub(crate) struct Launch<'a> {
    /// The loaded kernel.
    pub function: &'a Function,
    /// The stream; the device's default where `None`.
    pub queue: Option<&'a Queue>,
    /// Virtual blocks, at least one.
    pub blocks: u32,
    /// Where only a part of the launch's virtual blocks is run: how many come before.
    pub skipped: Option<u32>,
    /// Real blocks asked for.
    pub wanted: Option<u32>,
    /// Threads per block.
    pub threads: u32,
    /// Whether the kernel records accesses out of range.
    pub guarded: bool,
}

/// Bytes of the record of faults.
const RECORD: usize = 16;

/// Sets a kernel's arguments one after another.
struct Arguments<'a> {
    on: &'a Accelerator,
    kernel: Raw,
    next: u32,
}

impl Arguments<'_> {
    /// # Safety
    /// `value` points to `size` bytes, of the parameter's type.
    unsafe fn push(&mut self, size: usize, value: *const c_void) -> Result<(), Failure> {
        // SAFETY: the driver copies the bytes; the caller's promise.
        let status = unsafe { (self.on.api.clSetKernelArg)(self.kernel, self.next, size, value) };
        self.next += 1;
        Failure::check(status)
    }

    fn field(&mut self, field: &DeviceBytes) -> Result<(), Failure> {
        let raw = field.raw();
        // SAFETY: a `__global` pointer's argument is a memory object.
        unsafe { self.push(size_of::<Raw>(), (&raw const raw).cast()) }
    }

    /// The low `bytes` bytes of `bits`.
    fn scalar(&mut self, bits: u64, bytes: usize) -> Result<(), Failure> {
        let all = bits.to_ne_bytes();
        let low = if cfg!(target_endian = "big") { &all[8 - bytes..] } else { &all[..bytes] };
        // SAFETY: as many bytes as the scalar's type has, which is the parameter's.
        unsafe { self.push(bytes, low.as_ptr().cast()) }
    }
}

impl Launch<'_> {
    /// Puts the launch of the kernel `name` into the queue; waits for it only where there is a record to be read, and
    /// gives that. The arguments have been checked against `params`.
    pub(crate) fn run(
        &self,
        on: &Arc<Accelerator>,
        name: &'static str,
        params: &[ParamInfo],
        args: &[Arg<'_>],
        outs: &mut [&mut RawBuffer],
    ) -> Result<[u64; 2], Error> {
        let record = if self.guarded { Some(self.record(on)?) } else { None };
        let action = || format!("launch kernel `{name}`");
        let queue = self.queue.unwrap_or(&on.queue);
        let mut fields: Vec<(Access, &DeviceBytes)> = Vec::new();
        // The kernel's arguments stay set until the command is in the queue.
        let kernel = locked(&self.function.kernel);
        let mut arguments = Arguments { on, kernel: kernel.raw(), next: 0 };
        let mut set = || {
            for (param, arg) in params.iter().zip(args) {
                if let Arg::Scalar(bits) = *arg {
                    arguments.scalar(bits, param.fields.first().map_or(0, |field| field.bytes() as usize))?;
                }
                let access = if matches!(arg, Arg::Update(_)) { Access::Write } else { Access::Read };
                if let Some(raw) = arg.buffer() {
                    for field in raw.opencl_fields() {
                        arguments.field(field)?;
                        fields.push((access, field));
                    }
                    if matches!(param.kind, ParamKind::Input(None) | ParamKind::InOut(None)) {
                        // 32 bits, by the checks of the plan.
                        arguments.scalar(raw.len() as u64, size_of::<u32>())?;
                    }
                }
            }
            for field in outs.iter().flat_map(|out| out.opencl_fields()) {
                arguments.field(field)?;
                fields.push((Access::Write, field));
            }
            if let Some(field) = &record {
                arguments.field(field)?;
                fields.push((Access::Write, field));
            }
            Ok(())
        };
        set().map_err(failed(on.name(), action()))?;
        let mut list = WaitList::default();
        fields.iter().for_each(|(access, field)| field.wait(queue, *access, &mut list));
        let range = self.range(on, name)?;
        let event = enqueue(on, kernel.raw(), queue, (&range, &list)).map_err(failed(on.name(), action()))?;
        let event = Use::new(queue, event);
        fields.iter().for_each(|(access, field)| field.used(*access, &event));
        drop(kernel);
        let Some(record) = record else { return Ok([0; 2]) };
        let found = record.download()?;
        Ok([0, 1].map(|i| found.values::<u64>().get(i).copied().unwrap_or(0)))
    }

    /// A record of faults, all zero.
    fn record(&self, on: &Arc<Accelerator>) -> Result<DeviceBytes, Error> {
        let mut record = DeviceBytes::unwritten(on, RECORD)?;
        record.fill_zero()?;
        Ok(record)
    }

    /// The work-items. The first block of a part is the offset of dimension 1.
    fn range(&self, on: &Accelerator, kernel: &'static str) -> Result<NdRange, Error> {
        let local = self.threads as usize;
        let groups = match self.function.grouping {
            Grouping::One => self.blocks,
            Grouping::Several => self.blocks.min(self.wanted.unwrap_or(u32::MAX)).min(most_groups(self.threads)).max(1),
        };
        let global = [groups as usize * local, 1, 1];
        let Some(skipped) = self.skipped else {
            return Ok(NdRange { dimensions: 1, offset: [0; 3], global, local });
        };
        if self.function.grouping == Grouping::Several {
            let (device, what) = (on.name().to_owned(), "blocks in a part of a launch");
            let (limit, found) = (most_groups(self.threads).into(), self.blocks.into());
            return Err(Error::Limit { kernel, device, what, limit, found });
        }
        Ok(NdRange { dimensions: 2, offset: [0, skipped as usize, 0], global, local })
    }
}

/// Work-items are counted in 32 bits by some drivers.
fn most_groups(threads: u32) -> u32 {
    i32::MAX as u32 / threads.max(1)
}

/// A group takes one block, unless the caller wants fewer groups than there are blocks, or so many cannot be launched.
pub(crate) fn grouping(blocks: u32, wanted: Option<u32>, threads: u32) -> Grouping {
    if blocks <= wanted.unwrap_or(u32::MAX).min(most_groups(threads)) { Grouping::One } else { Grouping::Several }
}

/// The work-items of a launch.
struct NdRange {
    dimensions: u32,
    offset: [usize; 3],
    global: [usize; 3],
    /// Of dimension 0; 1 of the others.
    local: usize,
}

fn enqueue(
    on: &Accelerator,
    kernel: Raw,
    queue: &Queue,
    (range, list): (&NdRange, &WaitList),
) -> Result<Handle, Failure> {
    let (count, events) = list.parts();
    let local = [range.local, 1, 1];
    let event = Handle::event(on.api, |event| {
        // SAFETY: the arguments are those that the kernel's text declares, in its order, with lengths that its
        // geometry accepted, all on this device; the kernel stays inside its buffers; uses of each are ordered.
        unsafe {
            (on.api.clEnqueueNDRangeKernel)(
                queue.handle.raw(),
                kernel,
                range.dimensions,
                range.offset.as_ptr(),
                range.global.as_ptr(),
                local.as_ptr(),
                count,
                events,
                event,
            )
        }
    })?;
    // Other queues may wait for it, so it must get on its way.
    // SAFETY: a queue that is ours.
    Failure::check(unsafe { (on.api.clFlush)(queue.handle.raw()) })?;
    Ok(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_takes_one_block_where_it_can() {
        assert_eq!(grouping(100, None, 256), Grouping::One);
        assert_eq!(grouping(100, Some(100), 256), Grouping::One);
        assert_eq!(grouping(100, Some(99), 256), Grouping::Several);
        assert_eq!(grouping(i32::MAX as u32, None, 1), Grouping::One);
        assert_eq!(grouping(i32::MAX as u32, None, 2), Grouping::Several);
    }
}
