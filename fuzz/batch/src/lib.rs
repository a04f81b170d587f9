//! Random kernels, compiled into this crate by its build script: [`KERNELS`], and [`check`], which runs one on a device
//! against its meaning. For tests; ships nowhere.

mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}
mod rows;

pub use kernels::KERNELS;

use obsidian::Device;
use obsidian_fuzz::{check::is_nan, data, generate, meaning, types};
use obsidian_ir::interp::Arg;
use obsidian_ir::program::ScalarType;

/// An array's fields, each as canonical bits.
pub type Columns = Vec<Vec<u64>>;

/// Why a run gave nothing.
pub type Failure = Box<dyn std::error::Error>;

/// Runs a kernel: on a device, on so many real blocks or as many as suit it, with these arguments.
pub type Run = fn(&Device, Option<u32>, &[Columns]) -> Result<Vec<Columns>, Failure>;

/// Runs the kernel of a seed, on several numbers of real blocks.
///
/// # Errors
/// The run's, or which element of an output is not as its meaning says.
pub fn check(seed: u64, run: Run, device: &Device) -> Result<(), Failure> {
    let kernel = generate::of_seed(seed);
    let expected = meaning::outputs(&kernel, |op| op).map_err(|e| format!("{e:?}"))?;
    let columns = |arg: Arg| match arg {
        Arg::Scalar(c) => vec![vec![c.bits]],
        Arg::Buffers(fields) => fields.into_iter().map(|f| f.bits).collect(),
    };
    let args: Vec<Columns> = data::args(&kernel).0.into_iter().map(columns).collect();
    let tys = types::outputs(&kernel).ok_or("not well typed")?;
    for blocks in [None, Some(1), Some(7)] {
        let found = run(device, blocks, &args)?;
        for (o, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let fields = scalars(&tys[o]);
            for (f, (found, expected)) in found.iter().zip(expected).enumerate() {
                let same = |(&a, &b): (&u64, &u64)| a == b || (is_nan(fields[f], a) && is_nan(fields[f], b));
                let differs = found.iter().zip(expected).position(|pair| !same(pair));
                if differs.is_some() || found.len() != expected.len() {
                    let what = format!("{blocks:?} real blocks, output {o}, field {f}, element {differs:?}");
                    return Err(format!("seed {seed}, {what}: {found:x?}, expected {expected:x?}").into());
                }
            }
        }
    }
    Ok(())
}

/// The scalar types of an output's elements.
fn scalars(ty: &types::Ty) -> Vec<ScalarType> {
    match ty {
        types::Ty::Scalar(s) => vec![*s],
        types::Ty::Tuple(fields) => fields.iter().flat_map(scalars).collect(),
        types::Ty::Pull(elem, ..) | types::Ty::Push(_, elem, ..) => scalars(elem),
    }
}
