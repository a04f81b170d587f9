//! Every program of `programs`, after every pass: it keeps the rules of the form that the pass leads to, and its text reads
//! back as the same program.

use std::sync::atomic::{AtomicUsize, Ordering};

use obsidian_ir::passes::{self, Step};
use obsidian_ir::program::Program;
use obsidian_ir::program::text::round_trip;
use obsidian_ir::validate;
use obsidian_lang::driver::{Stage, stop_after};
use obsidian_lang::syntax::SpanTable;
use obsidian_sources as sources;

/// Does something with every program as it was evaluated, on all cores; gives the sum of what it counts.
fn on_every_program(work: impl Fn(Program) -> Result<usize, String> + Sync) -> usize {
    let (next, cores) = (AtomicUsize::new(0), std::thread::available_parallelism().map_or(1, usize::from));
    let worker = || {
        // Tokens stay on the thread that made them.
        let kernels = sources::kernels(|_| true);
        let (mut count, mut wrong) = (0, Vec::new());
        while let Some(tokens) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
            let evaluated = stop_after(Stage::Evaluated, tokens.clone(), &mut SpanTable::default());
            for program in evaluated.expect("compiles, as it did in its crate").into_programs() {
                match work(program) {
                    Ok(n) => count += n,
                    Err(what) => wrong.push(what),
                }
            }
        }
        (count, wrong)
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|w| w.join().expect("a worker goes on to its end")).collect()
    });
    let wrong: Vec<&String> = done.iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{} programs, the first:\n{}", wrong.len(), wrong[0]);
    done.iter().map(|(count, _)| count).sum()
}

/// A program after every pass.
fn steps(program: Program) -> Vec<Step> {
    let name = program.name.clone();
    let proved = passes::prove(program).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(proved.arrays.iter().all(|array| array.filled.is_none()), "{name}: the text would not tell it");
    passes::steps(&proved).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn every_step_of_every_program_keeps_the_rules_and_reads_back() {
    let count = on_every_program(|program| {
        let all = steps(program);
        for step in &all {
            let said = |e: String| format!("after `{}`, for the {} form: {e}", step.pass, step.to);
            validate::check(&step.program, &step.form).map_err(|e| said(e.to_string()))?;
            round_trip(&step.program).map_err(said)?;
        }
        Ok(all.len())
    });
    println!("{count} programs");
    assert!(count > 2000, "{count} programs");
}
