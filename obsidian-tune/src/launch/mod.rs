//! Launches of kernels that were compiled at run time, by the runtime: the interpreter's arguments in, its kind of outputs out.
//! CPU versions are compiled by rustc into a library that is loaded; a device that compiles a text gets it in its row.

pub mod geometry;
pub mod library;
pub mod module;
pub mod row;

use obsidian_ir::interp::{self, Args, Buffer, Outputs};
use obsidian_ir::program::ScalarType;
use obsidian_runtime::abi::{Arg, KernelInfo, ParamInfo, ParamKind, Plan, RawBuffer, plan};
use obsidian_runtime::{Chooses, Device, Error, Kernel, LaunchOptions};

/// Which variant, on how many real blocks.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// The variant's place.
    pub variant: usize,
    /// Real blocks; as many as suit the device where `None`.
    pub blocks: Option<u32>,
}

/// Runs a kernel; returns the contents of its updated buffers, then of its outputs. It is the kernel's
/// [turn](library::Turn).
///
/// # Errors
/// The runtime's.
pub fn run(info: &'static KernelInfo, how: How, device: &Device, args: &Args) -> Result<Outputs, Error> {
    let mut uploads = Uploads::new(info.variants[how.variant].params, device, args)?;
    let mut ready = Ready::new(info, how, device, args)?;
    ready.launch(&mut uploads)?;
    ready.outputs(&uploads)
}

/// What a launch is planned by: the length of each buffer, the bits of each scalar.
pub fn values(args: &Args) -> Vec<u64> {
    let value = |arg: &interp::Arg| match arg {
        interp::Arg::Buffers(fields) => fields.first().map_or(0, |f| f.bits.len() as u64),
        interp::Arg::Scalar(value) => value.bits,
    };
    args.0.iter().map(value).collect()
}

/// Arguments on a device, for one or several variants that take the same.
#[derive(Debug)]
pub struct Uploads(Vec<Upload>);

/// An argument on the device.
#[derive(Debug)]
enum Upload {
    Read(RawBuffer),
    Updated(RawBuffer),
    Scalar(u64),
}

impl Uploads {
    /// Copies arguments to a device.
    ///
    /// # Errors
    /// The driver's.
    pub fn new(params: &'static [ParamInfo], device: &Device, args: &Args) -> Result<Uploads, Error> {
        let upload = |(param, arg): (&'static ParamInfo, &interp::Arg)| match arg {
            interp::Arg::Scalar(value) => Ok(Upload::Scalar(value.bits)),
            interp::Arg::Buffers(fields) => {
                let columns: Vec<Vec<u8>> = fields.iter().map(Buffer::to_bytes).collect();
                let raw = RawBuffer::of_bytes(device, param.fields, &columns)?;
                let updated = matches!(param.kind, ParamKind::InOut(_));
                Ok(if updated { Upload::Updated(raw) } else { Upload::Read(raw) })
            }
        };
        params.iter().zip(&args.0).map(upload).collect::<Result<_, _>>().map(Uploads)
    }

    fn borrowed(&mut self) -> Vec<Arg<'_>> {
        let borrowed = |upload| match upload {
            &mut Upload::Scalar(bits) => Arg::Scalar(bits),
            Upload::Read(raw) => Arg::Buffer(raw),
            Upload::Updated(raw) => Arg::Update(raw),
        };
        self.0.iter_mut().map(borrowed).collect()
    }
}

/// A variant that was loaded, with buffers for its outputs.
#[derive(Debug)]
pub struct Ready {
    plan: Plan,
    outs: Vec<RawBuffer>,
}

impl Ready {
    /// Loads a variant for arguments of these lengths.
    ///
    /// # Errors
    /// The runtime's: a launch that it refuses, a text that the driver refuses, no memory.
    pub fn new(info: &'static KernelInfo, how: How, device: &Device, args: &Args) -> Result<Ready, Error> {
        let choice = Kernel::new(info).variants().nth(how.variant).map(Chooses::<()>::choice).unwrap_or_default();
        let plan = plan(info, &LaunchOptions { choice, blocks: how.blocks, stream: None }, device, &values(args))?;
        let count = info.variants[how.variant].params.iter().filter(|param| param.kind == ParamKind::Output).count();
        let outs = (0..count).map(|i| plan.allocate_untyped(i)).collect::<Result<_, _>>()?;
        Ok(Ready { plan, outs })
    }

    /// Launches; the device may still be at it.
    ///
    /// # Errors
    /// The runtime's.
    pub fn launch(&mut self, uploads: &mut Uploads) -> Result<(), Error> {
        self.plan.launch(&mut uploads.borrowed(), &mut self.outs.iter_mut().collect::<Vec<_>>())
    }

    /// What was written: the updated buffers, then the outputs.
    ///
    /// # Errors
    /// The driver's.
    pub fn outputs(&self, uploads: &Uploads) -> Result<Outputs, Error> {
        let updated = uploads.0.iter().filter_map(|u| if let Upload::Updated(raw) = u { Some(raw) } else { None });
        let read = |raw: &RawBuffer| {
            let (columns, types): (_, &[ScalarType]) = (raw.to_bytes()?, raw.fields());
            Ok(columns.iter().zip(types).map(|(bytes, &ty)| Buffer::of_bytes(bytes, ty)).collect())
        };
        updated.chain(&self.outs).map(read).collect::<Result<_, Error>>().map(Outputs)
    }
}
