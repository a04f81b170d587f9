//! Kernels in batches, one compilation for all that run them: the interpreters, the CPU, an OpenCL device.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use obsidian_fuzz::ast::Kernel;
use obsidian_fuzz::check::{self, Case, Verdict, Who, Wrong};
use obsidian_ir::module::only_in_one_pass;
use obsidian_runtime::Device;

use crate::opencl;
use obsidian_tune::launch::library::{self, Behind, Build, Functions, Turn, Wanted};
use obsidian_tune::launch::{self, How, module, row};

/// Real blocks on the CPU: the number of parts into which the work is divided.
const CPU_BLOCKS: [Option<u32>; 3] = [None, Some(1), Some(7)];

/// Who runs the kernels.
#[derive(Debug, Clone)]
pub enum On {
    /// The reference interpreter, and that of PTX.
    Interpreters,
    /// The CPU back end.
    Cpu,
    /// An OpenCL device.
    OpenCl(Device, Complaints),
}

/// Where a checking driver writes what it finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Complaints {
    /// It is none.
    None,
    /// A file.
    In(PathBuf),
}

/// Checks kernels on some of these.
#[derive(Debug)]
pub struct Checks {
    /// In this order.
    on: Vec<On>,
    /// For sources and libraries, its own.
    folder: PathBuf,
    batches: AtomicU64,
}

/// How many checks this process has made. Tests run beside each other, so each needs a folder of its own.
static MADE: AtomicU64 = AtomicU64::new(0);

impl Drop for Checks {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn wrong(who: Who, what: impl ToString) -> Wrong {
    Wrong { who, what: what.to_string() }
}

impl Checks {
    /// On these, in this order.
    pub fn new(on: Vec<On>) -> Checks {
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("obsidian-fuzz-{}-{made}", std::process::id()));
        Checks { on, folder, batches: AtomicU64::new(0) }
    }

    /// What comes of each kernel.
    pub fn all(&self, kernels: &[Kernel]) -> Vec<Verdict> {
        let cases: Vec<Result<Case, Verdict>> = kernels.iter().map(|k| self.compiled(k)).collect();
        let found = self.cases(&cases.iter().map(|c| c.as_ref().ok()).collect::<Vec<_>>());
        cases.into_iter().zip(found).map(|(case, found)| case.err().unwrap_or(found)).collect()
    }

    /// What comes of one kernel.
    pub fn one(&self, kernel: &Kernel) -> Verdict {
        self.all(std::slice::from_ref(kernel)).pop().unwrap_or(Verdict::Same)
    }

    fn compiled(&self, kernel: &Kernel) -> Result<Case, Verdict> {
        let mut case = None;
        let verdict = check::verdict(|| {
            let compiled = check::case(kernel, |op| op)?;
            if self.on.iter().any(|on| matches!(on, On::Interpreters)) {
                compiled.interpreted().map_err(Verdict::Wrong)?;
            }
            case = Some(compiled);
            Ok(())
        });
        case.ok_or(verdict)
    }

    /// Runs compiled kernels on the devices; returns what is wrong with each.
    pub fn cases(&self, cases: &[Option<&Case>]) -> Vec<Verdict> {
        let mut verdicts = vec![Verdict::Same; cases.len()];
        for on in &self.on {
            let found = match on {
                On::Interpreters => continue,
                On::Cpu => self.on_cpu(cases),
                On::OpenCl(device, complaints) => opencl::verdicts(cases, (device, complaints)),
            };
            for (verdict, found) in verdicts.iter_mut().zip(found).filter(|(verdict, _)| **verdict == Verdict::Same) {
                *verdict = found;
            }
        }
        verdicts
    }

    /// The CPU versions of each case's kernels, compiled together.
    ///
    /// # Errors
    /// What rustc says.
    pub fn functions(&self, cases: &[&Case]) -> Result<Vec<Vec<Functions>>, String> {
        let folder = self.folder.join(self.batches.fetch_add(1, Ordering::Relaxed).to_string());
        let programs: Vec<_> = cases.iter().flat_map(|case| wanted(case)).collect();
        let found = library::compiled(&folder, &programs, Build::Checked);
        let _ = fs::remove_dir_all(folder);
        let mut functions = found?.into_iter();
        Ok(cases.iter().map(|case| functions.by_ref().take(case.kernels().count()).collect()).collect())
    }

    fn on_cpu(&self, cases: &[Option<&Case>]) -> Vec<Verdict> {
        match self.functions(&cases.iter().copied().flatten().collect::<Vec<_>>()) {
            Ok(functions) => {
                let mut functions = functions.into_iter();
                let mut run = |case: &Case| {
                    let functions = functions.next().unwrap_or_default();
                    with_functions(case, &functions).map_or_else(Verdict::Wrong, |()| Verdict::Same)
                };
                cases.iter().map(|case| case.map_or(Verdict::Same, &mut run)).collect()
            }
            // A kernel that rustc refuses spoils its batch, so each is then compiled by itself.
            Err(_) if cases.len() > 1 => cases.iter().flat_map(|case| self.on_cpu(&[*case])).collect(),
            Err(what) => vec![Verdict::Wrong(wrong(Who::Cpu, what))],
        }
    }
}

/// What a CPU launches of the kernels of a case, in their order.
fn wanted(case: &Case) -> Vec<Wanted<'_>> {
    let mut wanted: Vec<_> = case.variants.iter().map(|v| Wanted::Whole(&v.native)).collect();
    for module in &case.modules {
        for (kernel, only_in_one_pass) in module.kernels.iter().zip(only_in_one_pass(&module.module)) {
            wanted.push(if only_in_one_pass {
                Wanted::Geometry(&kernel.native)
            } else {
                Wanted::Whole(&kernel.native)
            });
        }
    }
    wanted
}

/// Runs a case by the CPU versions of its kernels.
///
/// # Errors
/// What is wrong.
pub fn with_functions(case: &Case, functions: &[Functions]) -> Result<(), Wrong> {
    let (device, info) = (Device::cpu(), row::of("k", &case.variants, &[]));
    let (of_variants, mut of_kernels) = functions.split_at(case.variants.len());
    for (variant, functions) in of_variants.iter().enumerate() {
        let turn = Turn::take(Behind::Functions(*functions));
        for blocks in CPU_BLOCKS {
            let how = |what: &dyn ToString| wrong(Who::Cpu, format!("{blocks:?} real blocks: {}", what.to_string()));
            let found = launch::run(info, How { variant, blocks }, &device, &case.args).map_err(|e| how(&e))?;
            if turn.failed() {
                return Err(how(&"it panicked"));
            }
            case.compare(Who::Cpu, &found).map_err(|wrong| how(&wrong.what))?;
        }
    }
    for compiled in &case.modules {
        let own;
        (own, of_kernels) = of_kernels.split_at(compiled.kernels.len());
        let info = module::of("k", compiled, &[]).ok_or_else(|| wrong(Who::Cpu, TOO_MANY))?;
        let turn = Turn::of_module(own.iter().map(|f| Behind::Functions(*f)).collect());
        for blocks in CPU_BLOCKS {
            let how = |what: &dyn ToString| wrong(Who::Cpu, format!("{blocks:?} real blocks: {}", what.to_string()));
            let found = module::run(info, blocks, &device, &case.args).map_err(|e| how(&sources(&e)))?;
            if turn.failed() {
                return Err(how(&"it panicked"));
            }
            case.compare(Who::Cpu, &found).map_err(|wrong| how(&wrong.what))?;
        }
    }
    Ok(())
}

/// Of a module that has more kernels than a turn is for.
pub(crate) const TOO_MANY: &str = "too many kernels in a module";

/// An error and what has led to it.
pub(crate) fn sources(error: &dyn std::error::Error) -> String {
    let rest = error.source().map(|source| format!("\n{}", sources(source))).unwrap_or_default();
    format!("{error}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use obsidian_fuzz::{generate, keep};

    #[test]
    fn what_launches_give_on_the_cpu_is_compared() {
        let accepted = |kernel: &Kernel| kernel.launches() && check::case(kernel, |op| op).is_ok();
        let kernel = (0..).map(generate::of_launches).find(accepted).unwrap();
        let case = || check::case(&kernel, |op| op).unwrap();
        let (right, mut wrong) = (case(), case());
        assert!(!right.modules.is_empty());
        *wrong.expected.iter_mut().flatten().flatten().next().unwrap() ^= 1;
        let verdicts = Checks::new(vec![On::Cpu]).cases(&[Some(&right), Some(&wrong)]);
        assert_eq!(verdicts[0], Verdict::Same);
        assert!(matches!(&verdicts[1], Verdict::Wrong(wrong) if wrong.what.contains("element")), "{:?}", verdicts[1]);
    }

    #[test]
    fn what_the_cpu_gives_is_compared() {
        let (_, text) =
            keep::files().unwrap().into_iter().find(|(path, _)| path.ends_with("atomic_in_a_thread.rs")).unwrap();
        let (right, mut wrong) = (keep::case(&text).unwrap(), keep::case(&text).unwrap());
        wrong.expected[0][0][1] += 1;
        let checks = Checks::new(vec![On::Cpu]);
        let verdicts = checks.cases(&[Some(&right), None, Some(&wrong)]);
        assert_eq!(verdicts[..2], [Verdict::Same, Verdict::Same]);
        let Verdict::Wrong(what) = &verdicts[2] else { panic!("{:?}", verdicts[2]) };
        assert!(what.who == Who::Cpu && what.what.contains("element 1 of output 0"), "{what}");
    }
}
