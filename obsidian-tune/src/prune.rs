//! Variants that need not be measured, each with the proof: it is the same program as another, it does not fit on the device, or
//! it does everything that another does and twice as much of one thing. And what is expected of variants before they are measured.

mod beaten;

use std::collections::HashMap;
use std::fmt;

use obsidian_abi::cost::{Cost, Memory};
use obsidian_ir::backend::rust;
use obsidian_lang::driver::Variant;
use obsidian_runtime::Limits;

use crate::arguments::Problem;

/// How the proof that two variants are one program begins, in records too.
pub const SAME_CODE: &str = "the same code as";

/// Where variants are to be run.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// The CPU, which takes the native form.
    Cpu,
    /// A device that runs groups of threads on what may be a processor: sectors and banks mean nothing there.
    Groups(Limits),
    /// A GPU, with a problem.
    Gpu(Limits, &'a Problem),
}

/// Why a variant is left out.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The device runs the same code for this one.
    Same(usize),
    /// The device has less than it needs.
    DoesNotFit {
        /// Of what.
        what: &'static str,
        /// How much it needs.
        needs: u32,
        /// How much there is.
        has: u32,
    },
    /// Another does no more of anything that is counted, and at most half of one thing.
    Beaten {
        /// Which.
        than: usize,
        /// Of what.
        what: &'static str,
        /// How much this one has in a launch.
        own: f64,
        /// How much the other has.
        other: f64,
    },
}

impl Reason {
    /// The variant that makes this one needless.
    pub fn than(&self) -> Option<usize> {
        match self {
            Reason::Same(than) | Reason::Beaten { than, .. } => Some(*than),
            Reason::DoesNotFit { .. } => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Same(other) => write!(f, "{SAME_CODE} variant {other}"),
            Reason::DoesNotFit { what, needs, has } => write!(f, "needs {needs} {what}, the device has {has}"),
            Reason::Beaten { than, what, own, other } => {
                write!(f, "{own:.0} {what}, of variant {than} {other:.0}, and better in nothing else")
            }
        }
    }
}

/// For each variant why it need not be measured, if that is proved.
pub fn prune(variants: &[&Variant], target: Target<'_>) -> Vec<Option<Reason>> {
    let mut reasons: Vec<Option<Reason>> = vec![None; variants.len()];
    match target {
        Target::Cpu => same_code(variants, &mut reasons),
        Target::Groups(limits) => unfit(variants, limits, &mut reasons),
        Target::Gpu(limits, problem) => {
            unfit(variants, limits, &mut reasons);
            beaten::by_bytes(variants, problem, &mut reasons);
        }
    }
    reasons
}

/// Of variants that are one text for the CPU the first stays.
fn same_code(variants: &[&Variant], reasons: &mut [Option<Reason>]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for (i, variant) in variants.iter().enumerate() {
        let known = *first.entry(cpu_text(variant)).or_insert(i);
        if known != i {
            reasons[i] = Some(Reason::Same(known));
        }
    }
}

/// What the CPU runs of a variant.
pub fn cpu_text(variant: &Variant) -> String {
    format!("{} {}", rust::native(&variant.native), rust::geometry(&variant.native))
}

fn unfit(variants: &[&Variant], limits: Limits, reasons: &mut [Option<Reason>]) {
    for (variant, reason) in variants.iter().zip(reasons) {
        let needs = [
            ("threads a block", variant.group.threads, limits.threads),
            ("bytes of shared memory", variant.group.shared_bytes, limits.shared_bytes),
        ];
        let missing = needs.into_iter().find_map(|(what, needs, has)| {
            let has = has?;
            (needs > has).then_some(Reason::DoesNotFit { what, needs, has })
        });
        *reason = reason.take().or(missing);
    }
}

/// What an operation, and a sector, count as beside an access to shared memory or a wait: weights that suit the spaces that are
/// recorded (`studies/recorded`).
const OPERATION: f64 = 10.0;
const SECTOR: f64 = 8.0;

/// What is expected of each variant before it is measured, to begin with the most promising: all that it does for an element of a
/// buffer. No proof: nothing is left out by it.
pub fn expected(variants: &[&Variant]) -> Vec<f64> {
    variants.iter().map(|v| work(&v.report.data())).collect()
}

/// What a variant does for each element of a buffer: at most, where it is not counted exactly.
fn work(cost: &Cost) -> f64 {
    let elements = |memory: Memory| {
        let own = cost.accesses.iter().filter(|access| access.memory == memory);
        own.map(|access| access.elements as f64).sum::<f64>()
    };
    let (global, of_sector) = (elements(Memory::Global), 32.0);
    let sectors = cost.bytes_moved().map_or(global, |bytes| bytes / of_sector);
    // On a processor a barrier ends a loop over threads, and begins another one.
    let waits = f64::from(cost.barriers.block + cost.barriers.warp) * f64::from(cost.threads);
    let all = cost.operations.total as f64 * OPERATION + elements(Memory::Shared) + sectors * SECTOR + waits;
    if global > 0.0 { all / global } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{File, Kernel, WHOLE, compile};

    fn kernel(text: &str) -> Kernel {
        let mut found = compile(&[File { path: "f.rs".into(), text: text.into() }], WHOLE);
        assert!(found.mistakes.is_empty(), "{}", found.mistakes[0]);
        found.kernels.remove(0)
    }

    /// Rows of 32 that are read in order, or by columns.
    const TURNED: &str = "#[kernel(threads = [64, 128], BY = [1, 32])]
        pub fn f<const BY: u32>(a: DPull<f32>) -> DPush<Grid, f32> {
            a.split_up(1024).as_grid_map(|c| mk_pull(1024, |i| c[i % BY * (1024 / BY) + i / BY]).push())
        }";

    #[test]
    fn on_the_cpu_threads_make_no_difference() {
        let kernel = kernel(TURNED);
        let variants: Vec<&Variant> = kernel.variants().collect();
        let reasons = prune(&variants, Target::Cpu);
        assert_eq!(reasons, [None, Some(Reason::Same(0)), None, Some(Reason::Same(2))]);
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let kernel = kernel(TURNED);
        let variants: Vec<&Variant> = kernel.variants().collect();
        let limits = obsidian_runtime::Device::cpu().limits();
        assert!(prune(&variants, Target::Groups(limits)).iter().all(Option::is_none));
        let mut reasons = vec![None; 4];
        let mut small = limits;
        small.threads = Some(100);
        unfit(&variants, small, &mut reasons);
        let wide = Some(Reason::DoesNotFit { what: "threads a block", needs: 128, has: 100 });
        assert_eq!(reasons, [None, wide.clone(), None, wide]);
    }

    #[test]
    fn less_work_is_more_promising() {
        let text = "#[kernel(threads = [32, 1024], BY = [1, 8])]
            pub fn f<const BY: u32>(a: DPull<u32>) -> DPush<Grid, u32> {
                a.split_up(1024).as_grid_map(|c| exec_block(reduce(c.split_up(BY).as_block_map(|p|
                    exec_thread(p.seq_reduce(|a, b| a + b))).compute(), |a, b| a + b)))
            }";
        let kernel = kernel(text);
        let variants: Vec<&Variant> = kernel.variants().collect();
        let expected = expected(&variants);
        // In the order threads 32 and 1024 of each `BY`: fewer elements are stored, fewer threads wait.
        assert!(expected[2] < expected[0] && expected[2] < expected[3], "{expected:?}");
        assert!(prune(&variants, Target::Groups(obsidian_runtime::Device::cpu().limits())).iter().all(Option::is_none));
    }

    #[test]
    fn on_a_gpu_sectors_count() {
        let kernel = kernel(TURNED);
        let variants: Vec<&Variant> = kernel.variants().collect();
        let reasons = prune(&variants, Target::Gpu(obsidian_runtime::Device::cpu().limits(), &problem()));
        assert!(reasons[0].is_none() && reasons[1].is_none(), "{reasons:?}");
        let Some(Reason::Beaten { what: "bytes moved", own, other, .. }) = reasons[2] else { panic!("{reasons:?}") };
        assert!(own >= 2.0 * other);
    }

    fn problem() -> Problem {
        Problem { len: 1 << 16, set: Default::default(), below: 9 }
    }

    /// Sums of more or fewer neighbours each: the launch of a length moves as much, and writes more or fewer of them.
    #[test]
    fn launches_are_compared_and_not_blocks() {
        let text = "#[kernel(threads = 256, N = [1024, 4096])]
            pub fn f<const N: u32>(a: DPull<u32>) -> DPush<Grid, u32> {
                a.split_up(N).as_grid_map(|c| exec_block(reduce(c, |a, b| a + b)))
            }";
        let kernel = kernel(text);
        let variants: Vec<&Variant> = kernel.variants().collect();
        let limits = obsidian_runtime::Device::cpu().limits();
        assert_eq!(prune(&variants, Target::Gpu(limits, &problem())), [None, None]);
    }
}
