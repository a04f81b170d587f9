//! What the tests of the judge share: kernels as the compiler prints them before any proof, and many of them judged at once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use obsidian_ir::passes;
use obsidian_ir::program::{Program, print};
use obsidian_judge::{Judge, Report};
use obsidian_lang::driver::{Stage, stop_after};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::TokenStream;

/// Names the solver.
const SOLVER: &str = "OBSIDIAN_TEST_Z3";

/// The solver that `cargo xtask test` brings.
pub fn solver() -> Option<PathBuf> {
    let found = std::env::var_os(SOLVER).map(PathBuf::from);
    if found.is_none() {
        println!("SKIP: {SOLVER} does not name a z3");
    }
    found
}

/// A kernel as the judge reads it.
#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    /// The structured form before any proof.
    pub text: String,
    /// What the compiler says of it: the code of its refusal, if it refuses.
    pub refused: Option<String>,
}

/// The kernels of what stands inside `kernel! { .. }`, with the tests of lengths and numbers of blocks that a launch makes.
///
/// # Errors
/// Messages of mistakes that are found before the proofs.
pub fn cases(tokens: TokenStream) -> Result<Vec<Case>, String> {
    Ok(programs(tokens)?.iter().map(|program| case(program, passes::exact(program.clone()))).collect())
}

/// The kernels as they are written: a length or a number of blocks that does not fit wraps, as no launch lets it.
///
/// # Errors
/// Messages of mistakes that are found before the proofs.
pub fn cases_as_written(tokens: TokenStream) -> Result<Vec<Case>, String> {
    Ok(programs(tokens)?.iter().map(|program| case(program, program.clone())).collect())
}

fn programs(tokens: TokenStream) -> Result<Vec<Program>, String> {
    let mut spans = SpanTable::default();
    let evaluated = stop_after(Stage::Evaluated, tokens, &mut spans).map_err(|e| format!("{e:?}"))?;
    Ok(evaluated.into_programs())
}

fn case(program: &Program, mut judged: Program) -> Case {
    let refused = passes::prove(program.clone()).err().map(|e| e.to_string());
    // Scheduled, so that the text is no larger than the program.
    passes::schedule::run(&mut judged);
    Case { name: program.name.clone(), text: print(&judged), refused }
}

/// What came of a kernel.
pub struct Judged {
    pub case: Case,
    report: Result<Report, String>,
}

impl Judged {
    /// The report. A text that the judge does not understand is a fault of the judge.
    pub fn report(&self) -> &Report {
        self.report.as_ref().unwrap_or_else(|e| panic!("{}: {e}\n{}", self.case.name, self.case.text))
    }
}

/// Judges kernels on all cores.
pub fn judged(solver: &Path, cases: Vec<Case>) -> Vec<Judged> {
    judged_of(solver, &cases, |case| vec![case.clone()])
}

/// Judges the kernels of each item on all cores, in the order of the items.
pub fn judged_of<T: Sync>(solver: &Path, items: &[T], cases: impl Fn(&T) -> Vec<Case> + Sync) -> Vec<Judged> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        let judge = Judge::with(solver);
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            for case in cases(item) {
                let report = judge.judge(&case.text).map_err(|e| e.to_string());
                done.lock().unwrap_or_else(PoisonError::into_inner).push((at, Judged { case, report }));
            }
        }
    };
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(worker);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, judged)| judged).collect()
}
