//! Spaces of which every point was measured, kept as files: searchers, pruning, verdicts and cover sets are tested on them, without a
//! clock. In: a study's kernel and a device, or a file. Out: the times of all points, round by round.

mod file;
mod record;

use std::path::Path;

use obsidian_runtime::Device;
use obsidian_tune::arguments::Problem;
use obsidian_tune::source::Kernel;

pub use file::{Point, Recording};
pub use record::record;

use crate::Study;

/// Where the files are.
pub const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recorded");

/// What a space is recorded on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// The CPU back end.
    Cpu,
    /// OpenCL C by PoCL.
    Pocl,
    /// OpenCL C by Intel's driver for processors.
    Intel,
    /// PTX on an NVIDIA GPU.
    Cuda,
}

impl On {
    /// As files and commands name it.
    pub const fn name(self) -> &'static str {
        match self {
            On::Cpu => "cpu",
            On::Pocl => "pocl",
            On::Intel => "intel",
            On::Cuda => "cuda",
        }
    }

    /// The device, if it is there.
    ///
    /// # Errors
    /// Why it is not.
    pub fn device(self) -> Result<Device, String> {
        match self {
            On::Cpu => Ok(Device::cpu()),
            On::Pocl | On::Intel => Device::opencl(0).map_err(|e| e.to_string()),
            On::Cuda => Device::cuda(0).map_err(|e| e.to_string()),
        }
    }
}

/// A space that is recorded: a kernel on a back end, for buffers of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The study.
    pub study: &'static str,
    /// Its kernel.
    pub kernel: &'static str,
    /// On what.
    pub on: On,
    /// Elements of a buffer.
    pub len: u32,
}

const fn subject(study: &'static str, kernel: &'static str, on: On, len: u32) -> Subject {
    Subject { study, kernel, on, len }
}

/// Those on which the tuner is measured.
pub const SPACES: [Subject; 9] = [
    subject("jfp-reduce", "sums", On::Cpu, 1 << 18),
    subject("jfp-reduce", "sums", On::Cpu, 1 << 22),
    subject("jfp-scan", "scans", On::Cpu, 1 << 16),
    subject("jfp-scan", "scans", On::Cpu, 1 << 20),
    subject("jfp-scan", "scans", On::Intel, 1 << 16),
    subject("jfp-scan", "scans", On::Intel, 1 << 20),
    subject("jfp-scan", "scans", On::Pocl, 1 << 16),
    subject("jfp-reduce", "sums", On::Cuda, 1 << 20),
    subject("jfp-reduce", "sums", On::Cuda, 1 << 24),
];

/// The kernels of the other studies, for the times on their pages. They were recorded beside the builds of others, too disturbed for verdicts.
pub const TIMED: [Subject; 36] = [
    subject("jfp-large", "sums_of_blocks", On::Cpu, 1 << 22),
    subject("jfp-large", "sum_of_sums", On::Cpu, 1 << 12),
    subject("jfp-large-scan", "sums_of_chunks", On::Cpu, 1 << 22),
    subject("jfp-large-scan", "scan_of_sums", On::Cpu, 1 << 12),
    subject("jfp-large-scan", "scan_from_sums", On::Cpu, 1 << 22),
    subject("mandelbrot", "mandelbrot", On::Cpu, 1 << 18),
    subject("damp-sort", "tsort_pull", On::Cpu, 1 << 20),
    subject("damp-sort", "tsort_push", On::Cpu, 1 << 20),
    subject("damp-sort", "vsort_pull", On::Cpu, 1 << 20),
    subject("damp-sort", "vsort_push", On::Cpu, 1 << 20),
    subject("damp-sort", "bitonic", On::Cpu, 1 << 20),
    subject("damp-sort", "merged_by_threes", On::Cpu, 1 << 20),
    subject("damp-sort", "merged_by_twos", On::Cpu, 1 << 20),
    subject("damp-sort", "tsort_by", On::Cpu, 1 << 20),
    subject("damp-sort", "vsort_by", On::Cpu, 1 << 20),
    subject("damp-sort", "bitonic_by", On::Cpu, 1 << 20),
    subject("iccs-scan", "sklansky", On::Cpu, 1 << 10),
    subject("iccs-scan", "sklansky_grid", On::Cpu, 1 << 20),
    subject("iccs-scan", "sklansky_push", On::Cpu, 1 << 20),
    subject("iccs-scan", "sklansky_loaded", On::Cpu, 1 << 20),
    subject("fcl", "reversed", On::Cpu, 1 << 22),
    subject("fcl", "reversed_chunks", On::Cpu, 1 << 22),
    subject("fcl", "tiles_transposed", On::Cpu, 1 << 16),
    subject("fcl", "transposed", On::Cpu, 1 << 16),
    subject("fcl", "retiled", On::Cpu, 1 << 16),
    subject("fcl", "untiled", On::Cpu, 1 << 12),
    subject("fcl", "interleaved", On::Cpu, 1 << 22),
    subject("fcl", "interleaved_seq", On::Cpu, 1 << 22),
    subject("fcl", "matrix_vector", On::Cpu, 1 << 20),
    subject("accelerate", "map_plus", On::Cpu, 1 << 22),
    subject("accelerate", "fold_sum", On::Cpu, 1 << 22),
    subject("accelerate", "black_scholes", On::Cpu, 1 << 20),
    subject("accelerate", "smvm_threads", On::Cpu, 1 << 18),
    subject("accelerate", "smvm_warps", On::Cpu, 1 << 18),
    subject("accelerate", "smvm_products", On::Cpu, 1 << 18),
    subject("accelerate", "smvm_pieces", On::Cpu, 1 << 18),
];

/// All that are kept.
pub fn subjects() -> impl Iterator<Item = &'static Subject> {
    SPACES.iter().chain(&TIMED)
}

impl Subject {
    /// `jfp-reduce.sums.cpu.65536`: its file's name, without the end.
    pub fn name(&self) -> String {
        format!("{}.{}.{}.{}", self.study, self.kernel, self.on.name(), self.len)
    }

    /// The problem that it is measured on.
    ///
    /// # Errors
    /// There is no such study.
    pub fn problem(&self) -> Result<Problem, String> {
        Ok(Problem { len: self.len, set: Default::default(), below: Study::named(self.study)?.below })
    }

    /// What was recorded of it.
    ///
    /// # Errors
    /// The file is not there, or not as it should be.
    pub fn read(&self) -> Result<Recording, String> {
        let path = Path::new(RECORDED).join(format!("{}.txt", self.name()));
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Recording::parse(&text).map_err(|why| format!("{}: {why}", path.display()))
    }

    /// Its kernel, compiled.
    ///
    /// # Errors
    /// The compiler's mistakes; the study has no such kernel.
    pub fn compiled(&self) -> Result<(&'static Study, Kernel), String> {
        let study = Study::named(self.study)?;
        let found = study.compiled()?.into_iter().find(|kernel| kernel.name == self.kernel);
        Ok((study, found.ok_or_else(|| format!("`{}` has no kernel `{}`", self.study, self.kernel))?))
    }
}
