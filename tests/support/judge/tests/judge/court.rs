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

use crate::record::Record;

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
    /// The form that the text is in.
    pub form: Form,
    /// How many of the solver's steps it is worth.
    pub steps: u64,
}

/// For a program in structured form.
pub const STEPS: u64 = 12_000_000;
/// For one in machine form.
pub const STEPS_OF_MACHINE: u64 = 6_000_000;

/// Forms that the judge reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Structured,
    /// Any with real threads: PTX and CUDA C are printed from one, OpenCL C from others.
    Machine,
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

/// The kernels with all that a launch is asked for: what the proofs lack is asked of it, too.
///
/// # Errors
/// Messages of mistakes that are found before the proofs.
pub fn cases_as_launched(tokens: TokenStream) -> Result<Vec<Case>, String> {
    let launched = |program: &Program| {
        let case = case(program, passes::exact(program.clone()));
        match passes::prove(program.clone()) {
            Ok(proved) => Case { text: with_conditions(&case.text, proved), ..case },
            Err(_) => case,
        }
    };
    Ok(programs(tokens)?.iter().map(launched).collect())
}

fn case(program: &Program, mut judged: Program) -> Case {
    let refused = passes::prove(program.clone()).err().map(|e| e.to_string());
    // Scheduled, so that the text is no larger than the program.
    passes::schedule::run(&mut judged);
    Case { name: program.name.clone(), text: print(&judged), refused, form: Form::Structured, steps: STEPS }
}

/// A program's text with what its proofs ask of a launch, beside the conditions that it has: a launch is let through where all hold.
fn with_conditions(text: &str, mut proved: Program) -> String {
    proved.body.clear();
    let conditions = print(&proved);
    let new = conditions.lines().filter(|line| line.starts_with("  where ") && !text.lines().any(|old| old == *line));
    let head =
        text.lines().skip(1).take_while(|line| ["  in ", "  out ", "  where "].iter().any(|w| line.starts_with(w)));
    let (head, body) = text.split_at(text.lines().take(1).chain(head).map(|line| line.len() + 1).sum());
    head.lines().chain(new).chain(body.lines()).fold(String::new(), |text, line| text + line + "\n")
}

/// The kernels of what stands inside `kernel! { .. }` that the compiler accepts, in machine form: for as many threads as they
/// ask for, or for others.
///
/// # Errors
/// Messages of mistakes that are found before the proofs.
pub fn machine_cases(tokens: TokenStream, threads: Option<u32>) -> Result<Vec<Case>, String> {
    let accepted = programs(tokens)?.into_iter().filter_map(|program| passes::prove(program).ok());
    let placed = accepted.filter_map(|mut program| {
        program.threads = threads.unwrap_or(program.threads);
        passes::place(&program).ok()
    });
    let case = |placed: passes::Placed| {
        let machine = passes::machine(placed.for_machine());
        let (name, text) = (machine.name.clone(), print(&machine));
        Case { name, text, refused: None, form: Form::Machine, steps: STEPS_OF_MACHINE }
    };
    Ok(placed.map(case).collect())
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
    each(&cases, |case| judge(solver, case.clone()))
}

/// Recorded kernels that may be unknown where they were proved: parts of the solver give up by the clock.
const MAX_WORSE: usize = 2;

/// Judges those kernels that the record does not know, and some that it does; renews it if it is to.
///
/// # Panics
/// Too many are new, or too many that are judged again are no longer proved.
pub fn judged_by_record(solver: &Path, record: &Record, cases: &[Case]) -> Vec<Judged> {
    record.check_new(cases);
    let judged = each(cases, |case| match record.instead_of(case) {
        Some(report) => Judged { case: case.clone(), report: Ok(report.clone()) },
        None => judge(solver, case.clone()),
    });
    let is_worse = |j: &&Judged| record.of(&j.case).is_some_and(|before| before.verdict() < j.report().verdict());
    let worse: Vec<String> =
        judged.iter().filter(is_worse).map(|j| format!("{}: {:?}", j.case.name, j.report())).collect();
    assert!(worse.len() <= MAX_WORSE, "proved by the record, but not now:\n{}", worse.join("\n"));
    record.write(judged.iter().map(|j| (&j.case, j.report())));
    judged
}

fn judge(solver: &Path, case: Case) -> Judged {
    let judge = Judge::within(solver, case.steps);
    let report = match case.form {
        Form::Structured => judge.judge(&case.text),
        Form::Machine => judge.judge_machine(&case.text),
    };
    Judged { case, report: report.map_err(|e| e.to_string()) }
}

/// What is made of each item, on all cores, in the order of the items.
pub fn each<T: Sync, R: Send>(items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some((at, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let made = make(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, made));
        }
    };
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            s.spawn(worker);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}
