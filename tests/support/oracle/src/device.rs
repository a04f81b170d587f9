//! Any kernel on a device, the CPU unless a test says otherwise: the interpreter's arguments in, its kind of outputs out.

use std::sync::OnceLock;

use obsidian::abi::{Arg, KernelInfo, ParamInfo, ParamKind, Plan, RawBuffer, plan};
use obsidian::{Buffer, Chooses, Device, Element, Error, Kernel, LaunchOptions, bf16, f16};
use obsidian_ir::interp::{self, Args, Outputs, Scalar};
use obsidian_ir::program::ScalarType;

/// The device of this test program.
pub static DEVICE: OnceLock<Device> = OnceLock::new();

fn device() -> &'static Device {
    DEVICE.get_or_init(Device::cpu)
}

/// Which variant, on how many real blocks.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// The variant's place.
    pub variant: usize,
    /// Real blocks.
    pub blocks: Option<u32>,
}

/// Asks the runtime whether it accepts lengths and scalars.
pub fn planned(on: &Device, info: &'static KernelInfo, how: How, values: &[u64]) -> Result<Plan, Error> {
    let variant = Kernel::new(info).variants().nth(how.variant).expect("a variant of the kernel");
    let options = LaunchOptions { choice: Chooses::<()>::choice(variant), blocks: how.blocks, stream: None };
    plan(info, &options, on, values)
}

/// What the runtime plans with: the length of each input, the bits of each scalar.
pub fn values(args: &Args) -> Vec<u64> {
    let value = |arg: &interp::Arg| match arg {
        interp::Arg::Buffers(fields) => fields[0].bits.len() as u64,
        interp::Arg::Scalar(value) => value.bits,
    };
    args.0.iter().map(value).collect()
}

/// Runs a kernel.
pub fn run(info: &'static KernelInfo, how: How, args: &Args) -> Result<Outputs, Error> {
    let plan = planned(device(), info, how, &values(args))?;
    let (declared_outs, declared_args): (Vec<_>, Vec<_>) =
        info.variants[how.variant].params.iter().partition(|param| param.kind == ParamKind::Output);
    let mut uploads: Vec<Upload> =
        declared_args.iter().zip(&args.0).map(|(param, arg)| Upload::new(param, arg)).collect::<Result<_, _>>()?;
    let mut outs: Vec<Box<dyn Typed>> =
        declared_outs.iter().enumerate().map(|(i, param)| allocate(&plan, param, i)).collect::<Result<_, _>>()?;
    let mut borrowed: Vec<Arg<'_>> = uploads.iter_mut().map(Upload::borrowed).collect();
    plan.launch(&mut borrowed, &mut outs.iter_mut().map(|out| out.raw_mut()).collect::<Vec<_>>())?;
    let updated = uploads.iter().filter_map(|upload| match upload {
        Upload::Updated(buffer) => Some(buffer),
        _ => None,
    });
    updated.chain(&outs).map(|out| out.fields()).collect::<Result<_, _>>().map(Outputs)
}

/// An argument on the device.
enum Upload {
    Buffer(Box<dyn Typed>),
    Updated(Box<dyn Typed>),
    Scalar(u64),
}

impl Upload {
    fn new(param: &ParamInfo, arg: &interp::Arg) -> Result<Upload, Error> {
        match arg {
            interp::Arg::Buffers(fields) if matches!(param.kind, ParamKind::InOut(_)) => {
                upload(param, fields).map(Upload::Updated)
            }
            interp::Arg::Buffers(fields) => upload(param, fields).map(Upload::Buffer),
            interp::Arg::Scalar(value) => Ok(Upload::Scalar(value.bits)),
        }
    }

    fn borrowed(&mut self) -> Arg<'_> {
        match self {
            Upload::Buffer(buffer) => Arg::Buffer(buffer.raw()),
            Upload::Updated(buffer) => Arg::Update(buffer.raw_mut()),
            Upload::Scalar(bits) => Arg::Scalar(*bits),
        }
    }
}

/// A buffer whose element type is known at run time only.
trait Typed {
    fn raw(&self) -> &RawBuffer;
    fn raw_mut(&mut self) -> &mut RawBuffer;
    fn fields(&self) -> Result<Vec<interp::Buffer>, Error>;
}

impl<T: Row> Typed for Buffer<T> {
    fn raw(&self) -> &RawBuffer {
        Buffer::raw(self)
    }

    fn raw_mut(&mut self) -> &mut RawBuffer {
        Buffer::raw_mut(self)
    }

    fn fields(&self) -> Result<Vec<interp::Buffer>, Error> {
        Ok(T::split(&self.to_vec()?))
    }
}

/// An element type of the programs: a scalar, or a pair.
trait Row: Element {
    fn join(fields: &[interp::Buffer]) -> Vec<Self>;
    fn split(rows: &[Self]) -> Vec<interp::Buffer>;
}

/// A scalar of the host's as canonical bits.
trait Value: Copy {
    const TYPE: ScalarType;
    fn bits64(self) -> u64;
    fn of(bits: u64) -> Self;
}

fn column<T: Value>(field: &interp::Buffer) -> Vec<T> {
    assert_eq!(field.ty, T::TYPE);
    field.bits.iter().map(|&bits| T::of(bits)).collect()
}

fn field<T: Value>(values: impl Iterator<Item = T>) -> interp::Buffer {
    interp::Buffer { ty: T::TYPE, bits: values.map(T::bits64).collect() }
}

macro_rules! values {
    ($($ty:ident),*; $($half:ident $dtype:ident),*) => {
        $(
            impl Value for $ty {
                const TYPE: ScalarType = <$ty as Scalar>::TYPE;
                fn bits64(self) -> u64 {
                    self.to_bits64()
                }
                fn of(bits: u64) -> Self {
                    Self::from_bits64(bits)
                }
            }
        )*
        $(
            impl Value for $half {
                const TYPE: ScalarType = ScalarType::$dtype;
                fn bits64(self) -> u64 {
                    self.to_bits().into()
                }
                fn of(bits: u64) -> Self {
                    Self::from_bits(bits as u16)
                }
            }
        )*
    };
}

values!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64; f16 F16, bf16 BF16);

macro_rules! rows {
    (
        $($ty:ident $dtype:ident),*;
        $(($a:ident $da:ident, $b:ident $db:ident)),*;
        $(($x:ident $dx:ident, $y:ident $dy:ident, $z:ident $dz:ident)),*
    ) => {
        $(
            impl Row for ($x, $y, $z) {
                fn join(fields: &[interp::Buffer]) -> Vec<Self> {
                    let pairs = column(&fields[0]).into_iter().zip(column(&fields[1]));
                    pairs.zip(column(&fields[2])).map(|((x, y), z)| (x, y, z)).collect()
                }
                fn split(rows: &[Self]) -> Vec<interp::Buffer> {
                    vec![
                        field(rows.iter().map(|r| r.0)),
                        field(rows.iter().map(|r| r.1)),
                        field(rows.iter().map(|r| r.2)),
                    ]
                }
            }
        )*
        $(
            impl Row for ($a, $b) {
                fn join(fields: &[interp::Buffer]) -> Vec<Self> {
                    column(&fields[0]).into_iter().zip(column(&fields[1])).collect()
                }
                fn split(rows: &[Self]) -> Vec<interp::Buffer> {
                    vec![field(rows.iter().map(|r| r.0)), field(rows.iter().map(|r| r.1))]
                }
            }
        )*
        $(
            impl Row for $ty {
                fn join(fields: &[interp::Buffer]) -> Vec<Self> {
                    column(&fields[0])
                }
                fn split(rows: &[Self]) -> Vec<interp::Buffer> {
                    vec![field(rows.iter().copied())]
                }
            }

            impl Row for ($ty, $ty) {
                fn join(fields: &[interp::Buffer]) -> Vec<Self> {
                    column(&fields[0]).into_iter().zip(column(&fields[1])).collect()
                }
                fn split(rows: &[Self]) -> Vec<interp::Buffer> {
                    vec![field(rows.iter().map(|row| row.0)), field(rows.iter().map(|row| row.1))]
                }
            }
        )*

        fn upload(param: &ParamInfo, fields: &[interp::Buffer]) -> Result<Box<dyn Typed>, Error> {
            let device = device();
            Ok(match param.fields {
                $(
                    [ScalarType::$dtype] => Box::new(device.upload(&<$ty>::join(fields))?),
                    [ScalarType::$dtype, ScalarType::$dtype] => Box::new(device.upload(&<($ty, $ty)>::join(fields))?),
                )*
                $([ScalarType::$da, ScalarType::$db] => Box::new(device.upload(&<($a, $b)>::join(fields))?),)*
                $([ScalarType::$dx, ScalarType::$dy, ScalarType::$dz] => Box::new(device.upload(&<($x, $y, $z)>::join(fields))?),)*
                other => panic!("`{}` has a type that this test does not know: {other:?}", param.name),
            })
        }

        fn allocate(plan: &Plan, param: &ParamInfo, output: usize) -> Result<Box<dyn Typed>, Error> {
            Ok(match param.fields {
                $(
                    [ScalarType::$dtype] => Box::new(plan.allocate::<$ty>(output)?),
                    [ScalarType::$dtype, ScalarType::$dtype] => Box::new(plan.allocate::<($ty, $ty)>(output)?),
                )*
                $([ScalarType::$da, ScalarType::$db] => Box::new(plan.allocate::<($a, $b)>(output)?),)*
                $([ScalarType::$dx, ScalarType::$dy, ScalarType::$dz] => Box::new(plan.allocate::<($x, $y, $z)>(output)?),)*
                other => panic!("`{}` has a type that this test does not know: {other:?}", param.name),
            })
        }
    };
}

rows!(
    bool Bool, i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64, f16 F16, bf16 BF16, f32 F32, f64 F64;
    (f32 F32, u8 U8), (u8 U8, f32 F32), (i16 I16, u8 U8), (u8 U8, i16 I16), (u32 U32, f32 F32), (u8 U8, f64 F64),
    (f32 F32, u64 U64), (u8 U8, i64 I64), (u8 U8, u64 U64), (f32 F32, u32 U32), (i32 I32, f32 F32);
    (f32 F32, f32 F32, f32 F32), (f32 F32, f32 F32, u32 U32)
);
