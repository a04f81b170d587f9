//! The large scan of JFP 2016 §7.2: a point is a combination of its three launches. In: the kernels of the study. Out: the
//! combinations, each run on the CPU and held against prefix sums in plain Rust.

use std::collections::BTreeMap;
use std::path::Path;

use obsidian_lang::driver::Variant;
use obsidian_runtime::Device;
use obsidian_tune::arguments::{Problem, words};
use obsidian_tune::bench::OnDevice;
use obsidian_tune::source::Kernel;
use obsidian_tune::space;

/// The launches, in order.
pub const LAUNCHES: [&str; 3] = ["sums_of_chunks", "scan_of_sums", "scan_from_sums"];
/// Chunks that a combination is verified on.
const CHUNKS: u32 = 5;

/// The places of three variants that work together.
pub type Combination = [usize; 3];

/// Variants of the three launches that agree in the threads and in the elements of a chunk.
pub fn combinations(kernels: &[Kernel]) -> Vec<Combination> {
    let of = |name: &str| -> Vec<BTreeMap<String, String>> {
        let kernel = kernels.iter().find(|kernel| kernel.name == name);
        kernel.iter().flat_map(|kernel| kernel.variants()).map(|v| space::values(v).into_iter().collect()).collect()
    };
    let [sums, middle, last] = LAUNCHES.map(of);
    let agree = |a: &BTreeMap<String, String>, b: &BTreeMap<String, String>, name: &str| a.get(name) == b.get(name);
    let mut found = Vec::new();
    for (i, a) in sums.iter().enumerate() {
        for (j, _) in middle.iter().enumerate().filter(|(_, b)| agree(a, b, "threads")) {
            let fits = |c: &BTreeMap<String, String>| agree(a, c, "threads") && agree(a, c, "N");
            found.extend(last.iter().enumerate().filter(|(_, c)| fits(c)).map(|(k, _)| [i, j, k]));
        }
    }
    found
}

/// Runs every combination; how many there are.
///
/// # Errors
/// The first that does not give the sums of all beginnings.
pub fn verified(kernels: &[Kernel], folder: &Path) -> Result<usize, String> {
    let variants: Vec<Vec<&Variant>> = LAUNCHES
        .iter()
        .map(|name| kernels.iter().filter(|kernel| kernel.name == *name).flat_map(|kernel| kernel.variants()).collect())
        .collect();
    let problem = Problem { len: 0, set: BTreeMap::new(), below: 1 << 16 };
    let mut launches = Vec::new();
    for (name, variants) in LAUNCHES.iter().zip(&variants) {
        launches.push(OnDevice::new(&Device::cpu(), name, variants, (&problem, folder))?.unmeasured());
    }
    let all = combinations(kernels);
    for &[i, j, k] in &all {
        let chunk = space::values(variants[0][i]).into_iter().find(|(name, _)| name == "N");
        let chunk: u32 = chunk.and_then(|(_, n)| n.parse().ok()).ok_or("the first launch has no `N`")?;
        let input: Vec<u32> = (0..CHUNKS * chunk).map(|x| x.wrapping_mul(0x9E37_79B9) >> 7).collect();
        let mut run = |launch: usize, variant: usize, buffers: &[&[u32]]| -> Result<Vec<u32>, String> {
            let found = launches[launch].outputs(variant, &words::args(buffers));
            found.map(|outputs| words::result(&outputs)).map_err(|why| why.to_string())
        };
        let names = || [variants[0][i], variants[1][j], variants[2][k]].map(|v| v.native.name.clone()).join(", ");
        let told = |why: String| format!("{}: {why}", names());
        let sums = run(0, i, &[&input]).map_err(told)?;
        let before = run(1, j, &[&sums]).map_err(told)?;
        let found = run(2, k, &[&input, &before]).map_err(told)?;
        let expected: Vec<u32> = input
            .iter()
            .scan(0u32, |sum, x| {
                *sum = sum.wrapping_add(*x);
                Some(*sum)
            })
            .collect();
        if let Some(at) = (0..expected.len()).find(|&at| found.get(at) != Some(&expected[at])) {
            return Err(told(format!("element {at} is {:?} and should be {}", found.get(at), expected[at])));
        }
    }
    Ok(all.len())
}
