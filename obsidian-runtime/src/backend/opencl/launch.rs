//! A launch: the arguments in the order of the kernel's parameters, then the groups.

use std::ffi::c_void;
use std::sync::Arc;

use super::super::locked;
use super::accelerator::Accelerator;
use super::api::Raw;
use super::handle::Handle;
use super::memory::{Access, DeviceBytes, Use, WaitList};
use super::program::{Function, Grouping};
use super::queue::Queue;
use super::status::{Failure, failed};
use crate::backend::{Launch, Module, Word};
use crate::error::Error;

/// A loaded kernel.
pub(super) struct Loaded {
    pub(super) on: Arc<Accelerator>,
    pub(super) function: Arc<Function>,
}

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

/// One argument of the kernel.
enum Value<'a> {
    /// The memory of a field.
    Field(Access, &'a DeviceBytes),
    /// The low bytes of a number.
    Scalar(u64, usize),
}

impl<'a> Value<'a> {
    fn of(word: &'a Word<'_>) -> Result<Value<'a>, Error> {
        Ok(match word {
            Word::Read(memory) => Value::Field(Access::Read, DeviceBytes::behind(*memory)?),
            Word::Write(memory) => Value::Field(Access::Write, DeviceBytes::behind(&**memory)?),
            Word::Length(len) => Value::Scalar((*len).into(), size_of::<u32>()),
            Word::Scalar(bits, ty) => Value::Scalar(*bits, ty.bytes() as usize),
        })
    }

    fn field(&self) -> Option<(Access, &'a DeviceBytes)> {
        match *self {
            Value::Field(access, field) => Some((access, field)),
            Value::Scalar(..) => None,
        }
    }
}

impl Module for Loaded {
    /// Puts the launch into the queue.
    unsafe fn launch(&self, mut launch: Launch<'_>) -> Result<(), Error> {
        let (on, action) = (&*self.on, format!("launch kernel `{}`", launch.kernel()));
        let queue = launch.queue.map(Queue::behind).transpose()?.unwrap_or(&on.queue);
        let range = self.range(&launch)?;
        let words = launch.words();
        let values = words.iter().map(Value::of).collect::<Result<Vec<_>, _>>()?;
        let fields = || values.iter().filter_map(Value::field);
        // The kernel's arguments stay set until the command is in the queue.
        let kernel = locked(&self.function.kernel);
        let mut arguments = Arguments { on, kernel: kernel.raw(), next: 0 };
        let set = values.iter().try_for_each(|value| match *value {
            Value::Field(_, field) => arguments.field(field),
            Value::Scalar(bits, bytes) => arguments.scalar(bits, bytes),
        });
        set.map_err(failed(on.name(), action.as_str()))?;
        let mut list = WaitList::default();
        fields().for_each(|(access, field)| field.wait(queue, access, &mut list));
        let event = enqueue(on, kernel.raw(), queue, (&range, &list)).map_err(failed(on.name(), action))?;
        let event = Use::new(queue, event);
        fields().for_each(|(access, field)| field.used(access, &event));
        Ok(())
    }
}

impl Loaded {
    /// The work-items. The first block of a part is the offset of dimension 1.
    fn range(&self, launch: &Launch<'_>) -> Result<NdRange, Error> {
        let (threads, blocks) = (launch.order.variant.threads, launch.blocks.end - launch.blocks.start);
        let rounds = self.function.rounds;
        let groups = match self.function.grouping {
            Grouping::One => blocks.saturating_mul(rounds),
            Grouping::Several => {
                let wanted = launch.order.wanted.unwrap_or(u32::MAX);
                blocks.saturating_mul(rounds).min(wanted).min(most_groups(threads)).max(1)
            }
        };
        let local = threads as usize;
        let global = [groups as usize * local, 1, 1];
        if !launch.is_part {
            return Ok(NdRange { dimensions: 1, offset: [0; 3], global, local });
        }
        if self.function.grouping == Grouping::Several {
            let (device, what) = (self.on.name().to_owned(), "blocks in a part of a launch");
            let (limit, found) = (most_groups(threads).into(), blocks.into());
            return Err(Error::Limit { kernel: launch.kernel(), device, what, limit, found });
        }
        let first = launch.blocks.start as usize * rounds as usize;
        Ok(NdRange { dimensions: 2, offset: [0, first, 0], global, local })
    }
}

/// Work-items are counted in 32 bits by some drivers.
fn most_groups(threads: u32) -> u32 {
    i32::MAX as u32 / threads.max(1)
}

/// A group takes one block, or one of its rounds, unless the caller wants fewer groups than there are blocks, or the groups are more than
/// can be launched.
pub(super) fn grouping((blocks, rounds): (u32, u32), wanted: Option<u32>, threads: u32) -> Grouping {
    let launched = blocks.checked_mul(rounds).is_some_and(|groups| groups <= most_groups(threads));
    if launched && blocks <= wanted.unwrap_or(u32::MAX) { Grouping::One } else { Grouping::Several }
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
        assert_eq!(grouping((100, 1), None, 256), Grouping::One);
        assert_eq!(grouping((100, 4), Some(100), 256), Grouping::One);
        assert_eq!(grouping((100, 4), Some(99), 256), Grouping::Several);
        assert_eq!(grouping((i32::MAX as u32, 1), None, 1), Grouping::One);
        assert_eq!(grouping((i32::MAX as u32, 1), None, 2), Grouping::Several);
        // The number of groups overflows 32 bits, or what is left of it would look small.
        assert_eq!(grouping((1 << 30, 2), None, 1), Grouping::Several);
        assert_eq!(grouping((1 << 30, 4), None, 1), Grouping::Several);
    }
}
