//! One launch by the runtime: the interpreter's arguments in, its kind of outputs out.

use obsidian_fuzz::check::{loaded, stored};
use obsidian_ir::interp::{self, Args, Buffer, Outputs};
use obsidian_ir::program::{ParamKind, Program, ScalarType};
use obsidian_runtime::abi::{Arg, KernelInfo, RawBuffer, plan};
use obsidian_runtime::{Chooses, Device, Error, Kernel, LaunchOptions};

/// Which variant, on how many real blocks.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// The variant's place.
    pub variant: usize,
    /// Real blocks; as many as suit the device where `None`.
    pub blocks: Option<u32>,
}

/// Runs a kernel; returns the contents of its updated buffers, then of its outputs.
///
/// # Errors
/// The runtime's.
pub fn run(
    info: &'static KernelInfo,
    program: &Program,
    how: How,
    device: &Device,
    args: &Args,
) -> Result<Outputs, Error> {
    let variant = &info.variants[how.variant];
    let value = |arg: &interp::Arg| match arg {
        interp::Arg::Buffers(fields) => fields.first().map_or(0, |f| f.bits.len() as u64),
        interp::Arg::Scalar(value) => value.bits,
    };
    let values: Vec<u64> = args.0.iter().map(value).collect();
    let chosen = Kernel::new(info).variants().nth(how.variant).map(Chooses::<()>::choice).unwrap_or_default();
    let options = LaunchOptions { choice: chosen, blocks: how.blocks, stream: None };
    let plan = plan(info, &options, device, &values)?;
    let mut uploads = Vec::new();
    for (param, arg) in variant.params.iter().zip(&args.0) {
        uploads.push(match arg {
            interp::Arg::Scalar(value) => Upload::Scalar(value.bits),
            interp::Arg::Buffers(fields) => {
                let columns: Vec<Vec<u8>> = fields.iter().map(stored).collect();
                let raw = RawBuffer::of_bytes(device, param.fields, &columns)?;
                if matches!(param.kind, obsidian_runtime::abi::ParamKind::InOut(_)) {
                    Upload::Updated(raw)
                } else {
                    Upload::Read(raw)
                }
            }
        });
    }
    let count = variant.params.len() - uploads.len();
    let mut outs = (0..count).map(|i| plan.allocate_untyped(i)).collect::<Result<Vec<RawBuffer>, Error>>()?;
    let mut borrowed: Vec<Arg<'_>> = uploads.iter_mut().map(Upload::borrowed).collect();
    plan.launch(&mut borrowed, &mut outs.iter_mut().collect::<Vec<_>>())?;
    let updated = uploads.iter().filter_map(|u| if let Upload::Updated(raw) = u { Some(raw) } else { None });
    let read = |(raw, types): (&RawBuffer, Vec<ScalarType>)| {
        let columns = raw.to_bytes()?;
        Ok(columns.iter().zip(types).map(|(bytes, ty)| loaded(bytes, ty)).collect::<Vec<Buffer>>())
    };
    updated.chain(&outs).zip(written(program)).map(read).collect::<Result<_, Error>>().map(Outputs)
}

/// Element types of what a kernel writes: its updated buffers, then its outputs.
fn written(program: &Program) -> Vec<Vec<ScalarType>> {
    let (mut updated, mut outputs) = (Vec::new(), Vec::new());
    for param in &program.params {
        let (list, arrays) = match &param.kind {
            ParamKind::InOut { arrays, .. } => (&mut updated, arrays),
            ParamKind::Output { arrays, .. } => (&mut outputs, arrays),
            _ => continue,
        };
        list.push(arrays.iter().map(|&a| program.array(a).elem).collect());
    }
    updated.extend(outputs);
    updated
}

/// An argument on the device.
enum Upload {
    Read(RawBuffer),
    Updated(RawBuffer),
    Scalar(u64),
}

impl Upload {
    fn borrowed(&mut self) -> Arg<'_> {
        match self {
            Upload::Read(raw) => Arg::Buffer(raw),
            Upload::Updated(raw) => Arg::Update(raw),
            Upload::Scalar(bits) => Arg::Scalar(*bits),
        }
    }
}
