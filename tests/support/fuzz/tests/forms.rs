//! Random kernels in every form: the text of each reads back as the same program.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use obsidian_fuzz::ast::{Kernel, Known, Source};
use obsidian_fuzz::{generate, print};
use obsidian_ir::backend::rust;
use obsidian_ir::passes::{self, Step};
use obsidian_ir::program::text::round_trip;
use obsidian_ir::program::{Program, print as text};
use obsidian_lang::driver::{Output, Stage, Variant, compile, stop_after};
use obsidian_lang::syntax::SpanTable;

/// The first seed: that of the other random kernels.
const SEED: u64 = 20_261_121;
/// Kernels, unless the variable [`MORE`] says how many.
const COUNT: u64 = 1000;
/// `OBSIDIAN_RANDOM_FORMS=10000 cargo test --release -p obsidian-fuzz --test forms`.
const MORE: &str = "OBSIDIAN_RANDOM_FORMS";

/// Does something with every seed, on all cores; gives the sum of what it counts, and what it complains about.
fn on_every_seed(work: impl Fn(u64) -> Result<u64, String> + Sync) -> (u64, Vec<String>) {
    let end = SEED + seeds();
    let (next, done) = (AtomicU64::new(SEED), Mutex::new((0, Vec::new())));
    let worker = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return;
            }
            let result = work(seed);
            let mut done = done.lock().expect("no worker stops here");
            match result {
                Ok(count) => done.0 += count,
                Err(what) => done.1.push(format!("seed {seed}: {what}")),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(worker);
        }
    });
    done.into_inner().expect("no worker stops there")
}

fn seeds() -> u64 {
    std::env::var(MORE).map_or(COUNT, |n| n.parse().expect("a number of kernels"))
}

/// The forms of a variant.
fn forms(v: &Variant) -> impl Iterator<Item = &Program> {
    [&*v.native, &v.machine, &v.group].into_iter().chain(v.sub_groups.as_deref())
}

/// All forms of a kernel; none where the compiler refuses it.
fn reads_back(seed: u64) -> Result<u64, String> {
    let text = print::kernel(&generate::of_seed(seed), "k");
    let tokens = || text.parse().expect("tokens");
    let evaluated = stop_after(Stage::Evaluated, tokens(), &mut SpanTable::default());
    let evaluated = evaluated.map(Output::into_programs).unwrap_or_default();
    let compiled = compile(tokens(), &mut SpanTable::default()).unwrap_or_default();
    let all: Vec<&Program> =
        evaluated.iter().chain(compiled.iter().flat_map(|entry| &entry.variants).flat_map(forms)).collect();
    all.iter().try_for_each(|p| round_trip(p))?;
    Ok(all.len() as u64)
}

#[test]
fn every_form_of_random_kernels_reads_back() {
    let (count, wrong) = on_every_seed(reads_back);
    println!("{count} programs");
    assert!(wrong.is_empty(), "{} kernels, the first:\n{}", wrong.len(), wrong[0]);
    assert!(count > 3 * seeds(), "{count} programs");
}

/// Whether a kernel has an argument that is long enough for threads that go over 16 neighbours each.
fn has_neighbours(kernel: &Kernel) -> bool {
    kernel.inputs.iter().any(|input| matches!(input.source, Source::Buffer(n, Known::AtLaunch) if n >= 16 * 16))
}

/// In how many variants of a kernel the CPU's version has this code.
fn with_code(kernel: &Kernel, code: &str) -> u64 {
    let tokens = print::kernel(kernel, "k").parse().expect("tokens");
    let compiled = compile(tokens, &mut SpanTable::default()).unwrap_or_default();
    let variants = compiled.iter().flat_map(|entry| &entry.variants);
    variants.filter(|v| rust::native(&v.native).to_string().contains(code)).count() as u64
}

#[test]
fn threads_of_random_kernels_go_over_rows_that_are_turned() {
    for how in ["load_rows", "store_rows"] {
        let turned = |kernel: Kernel| if has_neighbours(&kernel) { with_code(&kernel, how) } else { 0 };
        let (count, _) = on_every_seed(|seed| Ok(turned(generate::of_seed(seed))));
        println!("{how}: {count} variants of {} kernels", seeds());
        assert!(count > seeds() / 100, "{how}: {count} variants");
    }
}

#[test]
fn threads_of_random_kernels_copy_neighbours() {
    let one_in_eight =
        |seed: u64| if seed.is_multiple_of(8) { with_code(&generate::of_seed(seed), "copy_nonoverlapping") } else { 0 };
    let (count, _) = on_every_seed(|seed| Ok(one_in_eight(seed)));
    println!("{count} variants of {} kernels", seeds() / 8);
    assert!(count > seeds() / 8 / 50, "{count} variants");
}

/// In how many variants of a kernel the machine form has a line that is so.
fn with_line(kernel: &Kernel, is_so: impl Fn(&str) -> bool) -> u64 {
    let tokens = print::kernel(kernel, "k").parse().expect("tokens");
    let compiled = compile(tokens, &mut SpanTable::default()).unwrap_or_default();
    let variants = compiled.iter().flat_map(|entry| &entry.variants);
    variants.filter(|v| text(&v.machine).lines().any(|line| is_so(line.trim_start()))).count() as u64
}

#[test]
fn machines_test_guards_of_random_kernels_ahead() {
    let (count, _) =
        on_every_seed(|seed| Ok(with_line(&generate::of_seed(seed), |line| line.starts_with("local stop"))));
    println!("{count} variants of {} kernels", seeds());
    assert!(count > seeds() / 250, "{count} variants");
}

/// A shared array of which a thread has the first element in a variable.
#[test]
fn machines_keep_arrays_of_random_kernels_in_registers() {
    let one_in_four = |seed: u64| match seed % 4 {
        0 => with_line(&generate::of_seed(seed), |line| line.starts_with("local s") && line.contains("_0_")),
        _ => 0,
    };
    let (count, _) = on_every_seed(|seed| Ok(one_in_four(seed)));
    println!("{count} variants of {} kernels", seeds() / 4);
    assert!(count > seeds() / 4 / 100, "{count} variants");
}

/// In how many programs of a kernel a pass does anything on the way to the machine form.
fn changed_by(kernel: &Kernel, pass: &str) -> u64 {
    let tokens = print::kernel(kernel, "k").parse().expect("tokens");
    let evaluated = stop_after(Stage::Evaluated, tokens, &mut SpanTable::default());
    let programs = evaluated.map(Output::into_programs).unwrap_or_default().into_iter();
    let steps = programs.filter_map(|program| passes::steps(&passes::prove(program).ok()?).ok());
    let does = |steps: &Vec<Step>| {
        let to_machine: Vec<&Step> = steps.iter().filter(|step| step.to == "machine").collect();
        to_machine.windows(2).any(|pair| pair[1].pass == pass && pair[0].program.body != pair[1].program.body)
    };
    steps.filter(does).count() as u64
}

/// A stencil's neighbours beside the element that is written.
#[test]
fn clamps_of_random_kernels_go() {
    let (count, _) = on_every_seed(|seed| Ok(changed_by(&generate::of_seed(seed), "clamps")));
    println!("{count} programs of {} kernels", seeds());
    assert!(count > seeds() / 250, "{count} programs");
}
