//! What both ways of doing a module share (`replay`, `live`): the caller's buffers by pointers, one launch with its guards, spoilt
//! memory. In: memory that the layers above have checked and laid out; out: work in a queue.

use std::marker::PhantomData;
use std::ptr;
use std::slice;

use obsidian_abi::KernelInfo;

use super::walk::Home;
use crate::backend::{Argument, Launch, Memory, Module, Order, Queue};
use crate::device::Device;
use crate::error::Error;
use crate::launch::{Arg, RECORD, faults};
use crate::memory::RawBuffer;

/// What fresh memory is spoiled with: as a float, an index or a length it is far from anything sensible.
const SPOILT: u8 = 0xa5;

/// The memory of each field of a buffer.
pub(super) type Fields = Vec<Box<dyn Memory>>;

/// The caller's buffers for a run, each looked at through its pointer alone.
pub(super) struct Given<'a> {
    args: Vec<*mut RawBuffer>,
    outs: Vec<*mut RawBuffer>,
    borrowed: PhantomData<&'a mut RawBuffer>,
}

impl<'a> Given<'a> {
    /// Those of a run whose arguments are checked: what is written lies apart from all else.
    pub fn new(args: &'a mut [Arg<'_>], outs: &'a mut [&mut RawBuffer]) -> Given<'a> {
        let pointer = |arg: &mut Arg<'_>| match arg {
            Arg::Buffer(raw) => ptr::from_ref(*raw).cast_mut(),
            Arg::Update(raw) => ptr::from_mut(*raw),
            Arg::Scalar(_) => ptr::null_mut(),
        };
        let outs = outs.iter_mut().map(|raw| ptr::from_mut(&mut **raw)).collect();
        Given { args: args.iter_mut().map(pointer).collect(), outs, borrowed: PhantomData }
    }

    /// The buffer of a home of the caller's.
    pub fn at(&self, home: Home) -> Option<*mut RawBuffer> {
        let found = match home {
            Home::Argument(at) => self.args.get(at),
            Home::Output(at) => self.outs.get(at),
            Home::Own => None,
        };
        found.copied().filter(|raw| !raw.is_null())
    }
}

/// Where the commands of a run go.
pub(super) struct Target<'a> {
    pub device: &'a Device,
    pub queue: &'a dyn Queue,
    /// Two `u64`, where a kernel has guards; zero when the run begins.
    pub record: Option<&'a mut Box<dyn Memory>>,
}

impl Target<'_> {
    /// Puts a launch into the queue; where the kernel has guards, waits for what they found.
    ///
    /// # Safety
    /// The arguments are those that the order's kernel asks for, checked as [`Module::launch`] wants them.
    pub unsafe fn launch(&mut self, module: &dyn Module, order: Order, args: Vec<Argument<'_>>) -> Result<(), Error> {
        let (kernel, variant, queue) = (order.info.name, order.variant, Some(self.queue));
        let blocks = 0..order.blocks;
        if variant.guarded.is_empty() {
            // SAFETY: the caller's promise.
            return unsafe { module.launch(Launch { order, queue, blocks, is_part: false, args }) };
        }
        let Some(record) = self.record.as_deref_mut() else {
            let expected = "a record of faults".to_owned();
            return Err(Error::Arguments { kernel, expected, found: "none".to_owned() });
        };
        let mut args: Vec<Argument<'_>> = args;
        args.push(Argument::Write(slice::from_mut(record), 2));
        // SAFETY: the caller's promise, and the record is that of the kernel's guards.
        unsafe { module.launch(Launch { order, queue, blocks, is_part: false, args })? };
        faults(kernel, variant, &**record)
    }
}

/// Fresh memory that a debug build spoils.
pub(super) fn spoil(fields: &mut [Box<dyn Memory>], queue: &dyn Queue) -> Result<(), Error> {
    fields.iter_mut().filter(|field| field.host().is_some()).try_for_each(|field| field.fill(SPOILT, queue))
}

/// Whether a kernel of these has guards.
pub(super) fn guarded(kernels: &[&'static KernelInfo]) -> bool {
    kernels.iter().flat_map(|kernel| kernel.variants).any(|variant| !variant.guarded.is_empty())
}

/// A record of faults.
pub(super) fn record(device: &Device, queue: &dyn Queue) -> Result<Box<dyn Memory>, Error> {
    device.inner().allocate(RECORD, Some(queue))
}
