//! The papers' studies: design spaces as the papers state them, with what the compiler counts for a GPU, each point verified on the
//! CPU. What only a GPU could tell, times there, is not told.

mod page;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use obsidian_lang::driver::Variant;
use obsidian_runtime::Device;
use obsidian_tune::arguments::Problem;
use obsidian_tune::bench::{Bench, OnDevice};
use obsidian_tune::source::{File, Kernel, WHOLE, compile, narrow};

pub use page::{KEPT, page};
pub use table::{Row, rows};

/// A study of a paper.
#[derive(Debug, Clone, Copy)]
pub struct Study {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is about, as a title.
    pub title: &'static str,
    /// The file of its kernels, for readers.
    pub file: &'static str,
    /// What stands there.
    pub text: &'static str,
    /// Its entries; all of the file's where there is none.
    pub kernels: &'static [&'static str],
    /// The generic whose values are the rows of the table; else the entries are.
    pub by: Option<&'static str>,
    /// What the paper reports.
    pub paper: &'static str,
}

/// Every study.
pub const STUDIES: [Study; 4] = [
    Study {
        name: "jfp-reduce",
        title: "Reductions (JFP 2016 §6.2)",
        file: "studies/kernels/jfp_reduce.rs",
        text: include_str!("../kernels/jfp_reduce.rs"),
        kernels: &[],
        by: Some("RED"),
        paper: "Seven reductions, six numbers of threads, eight numbers of elements a block. The paper says 312 variants; the space as it \
                is stated, less what does not fit into 48 KiB of shared memory, has 318. On a GTX 680, 2^24 elements 1,000 times: \
                `red7` from 1.45 s down to 0.45 s, and 6.2 times between the worst `red4` and the best `red7`; Accelerate 0.48 s, \
                Thrust 0.58 s.",
    },
    Study {
        name: "mandelbrot",
        title: "Mandelbrot (JFP 2016, Table 1)",
        file: "programs/src/jfp2016.rs",
        text: include_str!("../../programs/src/jfp2016.rs"),
        kernels: &["mandelbrot"],
        by: None,
        paper: "512 iterations a pixel, by the number of threads. On a GTX 680, 1024 by 1024 pixels: 1.05 ms with 128 threads, the best, \
                and 2.58 ms with 1024, the worst.",
    },
    Study {
        name: "damp-sort",
        title: "Sorting networks (DAMP 2012, Tables 1 and 2)",
        file: "programs/src/damp2012_sorts.rs",
        text: include_str!("../../programs/src/damp2012_sorts.rs"),
        kernels: &[],
        by: None,
        paper: "`tsort` and `vsort` as pull and push arrays. On a GTX 480, `vsort` of 2^24 keys in 96 ms, against 274 ms of the CUDA SDK's \
                bitonic sort (which moves values, too) and 2,783 ms of `qsort` on the CPU.",
    },
    Study {
        name: "fcl",
        title: "Permutations and reduction (FCL 2016, Figure 2)",
        file: "programs/src/fcl2016.rs",
        text: include_str!("../../programs/src/fcl2016.rs"),
        kernels: &[],
        by: None,
        paper: "On a GTX 780 Ti, `reverse` of 2^24 elements runs at the measured peak, 254.9 GB/s; transposition and reduction stay below \
                NVIDIA's SDK, for reasons that the paper names: bank conflicts, divisions, no sequential work before the tree.",
    },
];

/// A kernel's own arguments are as short as this where a point is verified.
const SMALL: u32 = 4096;

impl Study {
    /// The study of that name.
    ///
    /// # Errors
    /// There is none; those there are.
    pub fn named(name: &str) -> Result<&'static Study, String> {
        let known = || STUDIES.iter().map(|study| study.name).collect::<Vec<_>>().join(", ");
        STUDIES
            .iter()
            .find(|study| study.name == name)
            .ok_or_else(|| format!("there is no study `{name}`: {}", known()))
    }

    /// Its kernels, compiled.
    ///
    /// # Errors
    /// The compiler's mistakes.
    pub fn compiled(&self) -> Result<Vec<Kernel>, String> {
        let found = compile(&[File { path: self.file.into(), text: self.text.into() }], WHOLE);
        if let Some(mistake) = found.mistakes.first() {
            return Err(mistake.to_string());
        }
        let names: Vec<String> = self.kernels.iter().map(|name| name.to_string()).collect();
        narrow(found.kernels, &names).map_err(|message| message.to_string())
    }

    /// Verifies every point of a kernel on the CPU, against the interpreter; how many there are.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn verified(&self, kernel: &Kernel, folder: &Path) -> Result<usize, String> {
        let variants: Vec<&Variant> = kernel.variants().collect();
        let problem = Problem { len: SMALL, set: BTreeMap::new(), below: 1 << 16 };
        let mut bench = OnDevice::new(&Device::cpu(), &kernel.name, &variants, (&problem, folder))?.unmeasured();
        for (i, variant) in variants.iter().enumerate() {
            bench.verify(i).map_err(|why| format!("{}: {why}", variant.native.name))?;
        }
        Ok(variants.len())
    }
}
