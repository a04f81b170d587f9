//! How fast memory is: the time of a kernel that only copies, with which a kernel that moves the same number of bytes is compared.

use std::collections::BTreeMap;
use std::path::Path;

use obsidian_ir::interp::Arg;
use obsidian_lang::driver::Variant;
use obsidian_runtime::Device;

use crate::arguments::Problem;
use crate::bench::{Bench, OnDevice};
use crate::launch::geometry;
use crate::source::{File, WHOLE, compile};
use crate::statistics::median;

/// The copy. Its blocks are as long as suits a processor and a GPU.
const COPY: &str = "#[kernel(threads = 256)]
    pub fn copy(xs: DPull<u32>) -> DPush<Grid, u32> { xs.chunks(4096).as_grid_map(|c| c.push()) }";
/// Samples of it.
const SAMPLES: usize = 7;
/// What it reads and writes for each of its elements.
const BYTES: u64 = 8;

/// The roof over the variants of a kernel: what a copy of as many bytes as a launch reads and writes takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roof {
    /// Bytes of all buffers of a launch.
    pub bytes: u64,
    /// Seconds of the copy.
    pub seconds: f64,
}

impl Roof {
    /// Measures the copy that belongs to the first variant that can be launched.
    ///
    /// # Errors
    /// No variant can be launched, or the copy cannot be run there.
    pub fn measured(device: &Device, variants: &[&Variant], problem: &Problem, folder: &Path) -> Result<Roof, String> {
        let bytes = variants.iter().find_map(|v| bytes(v, problem)).ok_or("no variant accepts these lengths")?;
        Ok(Roof { bytes, seconds: copy_seconds(device, bytes, folder)? })
    }
}

/// Bytes of all buffers of a launch, those that are updated twice. `None` where the launch is refused.
fn bytes(variant: &Variant, problem: &Problem) -> Option<u64> {
    use obsidian_ir::program::ParamKind;
    let (program, args) = (&variant.native, problem.arguments(&variant.native));
    let planned = geometry::of(program, &args).ok()?;
    let read = args.0.iter().flat_map(|arg| if let Arg::Buffers(fields) = arg { &fields[..] } else { &[] });
    let read: u64 = read.map(|f| f.bits.len() as u64 * u64::from(f.ty.bytes())).sum();
    let outputs = program.params.iter().filter_map(|param| match &param.kind {
        ParamKind::Output { arrays, .. } => {
            Some(arrays.iter().map(|&a| u64::from(program.array(a).elem.bytes())).sum::<u64>())
        }
        _ => None,
    });
    let written: u64 = outputs.zip(&planned.outputs).map(|(bytes, len)| bytes * len).sum();
    let updated = program.params.iter().zip(&args.0).filter(|(param, _)| matches!(param.kind, ParamKind::InOut { .. }));
    let again = updated.flat_map(|(_, arg)| if let Arg::Buffers(fields) = arg { &fields[..] } else { &[] });
    Some(read + written + again.map(|f| f.bits.len() as u64 * u64::from(f.ty.bytes())).sum::<u64>())
}

/// Seconds in which a device copies, so that as many bytes are read and written together.
fn copy_seconds(device: &Device, bytes: u64, folder: &Path) -> Result<f64, String> {
    let kernels = compile(&[File { path: "copy.rs".into(), text: COPY.into() }], WHOLE).kernels;
    let variants: Vec<&Variant> = kernels.iter().flat_map(|kernel| kernel.variants()).collect();
    let len = u32::try_from(bytes / BYTES).unwrap_or(u32::MAX).max(1);
    let problem = Problem { len, set: BTreeMap::new(), below: 1 << 32 };
    let mut bench = OnDevice::new(device, "copy", &variants, (&problem, folder))?;
    bench.verify(0).map_err(|why| why.to_string())?;
    let samples = (0..SAMPLES).map(|_| bench.sample(0)).collect::<Result<Vec<f64>, _>>();
    Ok(median(&samples.map_err(|why| why.to_string())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_launch_and_the_time_of_a_copy() {
        let text = "#[kernel(threads = 64)]
            pub fn f(a: u32, x: DPull<u32>, m: DMut<u8>) -> DPush<Grid, (u8, f64)> {
                x.map(|x| ((x + a) as u8, 1.0)).split_up(64).as_grid_map(|c| c.push())
            }";
        let kernels = compile(&[File { path: "f.rs".into(), text: text.into() }], WHOLE).kernels;
        let problem = Problem { len: 640, set: BTreeMap::new(), below: 9 };
        let variant = kernels[0].variants().next().unwrap();
        assert_eq!(bytes(variant, &problem), Some(640 * (4 + 1 + 1 + 8 + 1)));
        let folder = std::env::temp_dir().join(format!("obsidian-copy-{}", std::process::id()));
        let roof = Roof::measured(&Device::cpu(), &[variant], &problem, &folder).unwrap();
        assert!(roof.bytes == 640 * 15 && roof.seconds > 0.0 && roof.seconds.is_finite());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
