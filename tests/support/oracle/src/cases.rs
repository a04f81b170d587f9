//! Every program of `programs` in every variant, as it was compiled: what the tests that hold back ends against the
//! interpreter go through.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use obsidian::abi::{KernelInfo, ParamInfo, ParamKind};
use obsidian::{Device, Kernel};
use obsidian_ir::interp::{Args, Outputs};
use obsidian_ir::program::Program;
use obsidian_lang::driver::Compiled;
use rayon::prelude::*;

use crate::device::{self, How};
use obsidian_sources as sources;

/// For a kernel without inputs (`mandelbrot`, 512 blocks) the interpreter runs this number of blocks: the image down to
/// the top of the set, where both few and all 512 rounds are taken.
pub const FEW_BLOCKS: u32 = 64;

/// A variant in both forms.
#[derive(Clone)]
pub struct Case {
    /// The kernel as the host knows it.
    pub info: &'static KernelInfo,
    /// The variant's place.
    pub variant: usize,
    /// The variant in native form, which the interpreter takes.
    pub program: Program,
    /// Elements of one chunk: the least length that is accepted, other than 0.
    pub chunk: u32,
}

impl Case {
    /// Its parameters, as the host knows them.
    pub fn params(&self) -> &'static [ParamInfo] {
        self.info.variants[self.variant].params
    }

    /// The lengths of the outputs for these arguments.
    pub fn output_lens(&self, args: &Args) -> Vec<usize> {
        let geometry = self.info.variants[self.variant].geometry;
        let planned = geometry(&device::values(args)).expect("lengths that the kernel accepts");
        planned.outputs.into_iter().map(|len| len as usize).collect()
    }

    /// For messages.
    pub fn name(&self) -> String {
        let variant = Kernel::new(self.info).variants().nth(self.variant).map(|v| v.to_string());
        format!("{}, {}", self.info.name, variant.unwrap_or_default())
    }
}

/// Pairs the variants of the items with those of the text. The text is compiled once in a process.
pub fn cases() -> Vec<Case> {
    static ALL: OnceLock<Vec<Case>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let cases = cases_in(|_| true);
        let kernels: BTreeSet<&str> = cases.iter().map(|case| case.info.name).collect();
        assert_eq!(kernels.len(), obsidian_programs::all().len(), "`all()` lists every kernel of the files");
        cases
    });
    all.clone()
}

/// Those of the files that are wanted, by name.
pub fn cases_in(wanted: impl Fn(&str) -> bool) -> Vec<Case> {
    let entries = sources::compiled(wanted);
    let kernels = obsidian_programs::all();
    let of = |entry: &Compiled| {
        let name = sources::plain_name(entry);
        let listed = kernels.iter().find(|kernel| kernel.name() == name);
        variants(&entries, listed.unwrap_or_else(|| panic!("`all()` does not list {name}")))
    };
    entries.iter().flat_map(of).collect()
}

/// The variants of one kernel.
pub fn cases_of(name: &str) -> Vec<Case> {
    let kernel = obsidian_programs::all().into_iter().find(|kernel| kernel.name() == name);
    variants(&sources::compiled_with(name), kernel.unwrap_or_else(|| panic!("no kernel {name}")))
}

/// A kernel's variants, each with its program among `entries`.
pub fn variants(entries: &[Compiled], kernel: &Kernel) -> Vec<Case> {
    let info = kernel.info();
    let programs = sources::natives(entries, kernel.name());
    let found: Vec<(u32, String)> = kernel.variants().map(|v| (v.threads(), v.symbol().to_string())).collect();
    let expected: Vec<(u32, String)> = programs.iter().map(|p| (p.threads, p.name.clone())).collect();
    assert_eq!(expected, found, "{}", kernel.name());
    let case = |(variant, mut program): (usize, Program)| {
        if !has_inputs(info.variants[variant].params) {
            sources::first_blocks(&mut program, FEW_BLOCKS);
        }
        Case { info, variant, program, chunk: chunk(info, variant) }
    };
    programs.into_iter().enumerate().map(case).collect()
}

/// Finds a length by asking.
pub fn chunk(info: &'static KernelInfo, variant: usize) -> u32 {
    let how = How { variant, blocks: None };
    let accepted =
        |&n: &u32| device::planned(&Device::cpu(), info, how, &values(info.variants[variant].params, n)).is_ok();
    (1..=4096).find(accepted).unwrap_or_else(|| panic!("{} accepts no length up to 4096", info.name))
}

/// What a plan is made from when every open length is `len`; scalars are 0.
pub fn values(params: &[ParamInfo], len: u32) -> Vec<u64> {
    let lens = lens(params, |_| len);
    let mut lens = lens.iter();
    let names: Vec<&str> = params.iter().map(|param| param.name).collect();
    let arguments = params.iter().enumerate().filter(|(_, param)| param.kind != ParamKind::Output);
    let value = |(place, param): (usize, &ParamInfo)| match param.kind {
        ParamKind::Scalar => sources::entries::extent(&names, place, len).map_or(0, u64::from),
        _ => lens.next().copied().map_or(0, u64::from),
    };
    arguments.map(value).collect()
}

/// The lengths of a kernel's inputs and updated buffers: `open(i)` of number `i` where the type leaves it open.
pub fn lens(params: &[ParamInfo], open: impl Fn(usize) -> u32) -> Vec<u32> {
    let inputs = params.iter().filter_map(|param| match param.kind {
        ParamKind::Input(len) | ParamKind::InOut(len) => Some(len),
        _ => None,
    });
    inputs.enumerate().map(|(i, len)| len.unwrap_or_else(|| open(i))).collect()
}

/// Whether a buffer is given.
pub fn has_inputs(params: &[ParamInfo]) -> bool {
    params.iter().any(|param| matches!(param.kind, ParamKind::Input(_) | ParamKind::InOut(_)))
}

/// Whether the length of a buffer is open.
pub fn is_open(params: &[ParamInfo]) -> bool {
    params.iter().any(|param| matches!(param.kind, ParamKind::Input(None) | ParamKind::InOut(None)))
}

/// Cuts each output to the length of the expected one.
pub fn keep_first(found: &mut Outputs, expected: &Outputs) {
    for (found, expected) in found.0.iter_mut().flatten().zip(expected.0.iter().flatten()) {
        found.bits.truncate(expected.bits.len());
    }
}

/// Runs a check on every variant, and fails with all complaints together.
pub fn on_every_variant(check: impl Fn(&Case) + Sync) {
    assert!(on_these_variants(|_| true, check) >= 26);
}

/// The same on the variants of those kernels that are wanted; how many there were.
pub fn on_these_variants(wanted: impl Fn(&KernelInfo) -> bool, check: impl Fn(&Case) + Sync) -> usize {
    let cases: Vec<Case> = cases().into_iter().filter(|case| wanted(case.info)).collect();
    let failures: Vec<&str> = cases.par_iter().filter_map(|case| each(case, &check).err()).collect();
    assert!(failures.is_empty(), "{} of {} variants, see above: {failures:?}", failures.len(), cases.len());
    cases.len()
}

/// Runs a check on one variant; its complaint goes to the output, the kernel's name is given back.
pub fn each(case: &Case, check: impl FnOnce(&Case)) -> Result<(), &'static str> {
    catch_unwind(AssertUnwindSafe(|| check(case))).map_err(|_| case.info.name)
}
