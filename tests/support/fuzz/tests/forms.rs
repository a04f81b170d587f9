//! Random kernels in every form: the text of each reads back as the same program, and what single passes are for is found in some.
//! Each kernel is compiled once for all tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};

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

/// What is seen of all kernels.
#[derive(Default)]
struct Seen {
    /// The programs of all forms.
    programs: u64,
    /// Variants whose CPU version goes over the rows of what it reads, or writes, column by column.
    loads_rows: u64,
    stores_rows: u64,
    /// Variants whose CPU version copies neighbours.
    copies: u64,
    /// Variants in which machines test guards ahead.
    ahead: u64,
    /// Variants in which machines keep an array in registers.
    in_registers: u64,
    /// Programs in which `clamps` does anything.
    clamped: u64,
    /// What is wrong.
    wrong: Vec<String>,
}

static SEEN: LazyLock<Seen> = LazyLock::new(|| {
    let end = SEED + seeds();
    let (next, seen) = (AtomicU64::new(SEED), Mutex::new(Seen::default()));
    let worker = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return;
            }
            let one = look_at(seed);
            seen.lock().expect("no worker stops here").add(one);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(worker);
        }
    });
    seen.into_inner().expect("no worker stops there")
});

impl Seen {
    fn add(&mut self, one: Seen) {
        self.programs += one.programs;
        self.loads_rows += one.loads_rows;
        self.stores_rows += one.stores_rows;
        self.copies += one.copies;
        self.ahead += one.ahead;
        self.in_registers += one.in_registers;
        self.clamped += one.clamped;
        self.wrong.extend(one.wrong);
    }
}

fn seeds() -> u64 {
    std::env::var(MORE).map_or(COUNT, |n| n.parse().expect("a number of kernels"))
}

/// What is seen of a kernel; nothing where the compiler refuses it.
fn look_at(seed: u64) -> Seen {
    let kernel = generate::of_seed(seed);
    let source = print::kernel(&kernel, "k");
    let tokens = || source.parse().expect("tokens");
    let evaluated = stop_after(Stage::Evaluated, tokens(), &mut SpanTable::default());
    let evaluated = evaluated.map(Output::into_programs).unwrap_or_default();
    let compiled = compile(tokens(), &mut SpanTable::default()).unwrap_or_default();
    let mut seen = Seen::default();
    for v in compiled.iter().flat_map(|entry| &entry.variants) {
        seen.look_at_machine(&text(&v.machine));
        // It takes a while to print.
        if has_neighbours(&kernel) || seed.is_multiple_of(8) {
            seen.look_at_native(&rust::native(&v.native).to_string());
        }
        forms(v).for_each(|p| seen.read_back(p, seed));
    }
    for program in evaluated {
        seen.read_back(&program, seed);
        seen.clamped += u64::from(is_changed_by(program, "clamps"));
    }
    seen
}

impl Seen {
    fn read_back(&mut self, p: &Program, seed: u64) {
        self.programs += 1;
        self.wrong.extend(round_trip(p).err().map(|what| format!("seed {seed}: {what}")));
    }

    fn look_at_machine(&mut self, program: &str) {
        let has_line = |is_so: fn(&str) -> bool| u64::from(program.lines().any(|line| is_so(line.trim_start())));
        self.ahead += has_line(|line| line.starts_with("local stop"));
        // A shared array of which a thread has the first element in a variable.
        self.in_registers += has_line(|line| line.starts_with("local s") && line.contains("_0_"));
    }

    fn look_at_native(&mut self, code: &str) {
        self.loads_rows += u64::from(code.contains("load_rows"));
        self.stores_rows += u64::from(code.contains("store_rows"));
        self.copies += u64::from(code.contains("copy_nonoverlapping"));
    }
}

/// The forms of a variant.
fn forms(v: &Variant) -> impl Iterator<Item = &Program> {
    [&*v.native, &v.machine, &v.group].into_iter().chain(v.sub_groups.as_deref())
}

/// Whether a kernel has an argument that is long enough for threads that go over 16 neighbours each.
fn has_neighbours(kernel: &Kernel) -> bool {
    kernel.inputs.iter().any(|input| matches!(input.source, Source::Buffer(n, Known::AtLaunch) if n >= 16 * 16))
}

/// Whether a pass does anything on the way to the machine form.
fn is_changed_by(program: Program, pass: &str) -> bool {
    let Ok(steps) = passes::prove(program).and_then(|proved| passes::steps(&proved)) else { return false };
    let to_machine: Vec<&Step> = steps.iter().filter(|step| step.to == "machine").collect();
    to_machine.windows(2).any(|pair| pair[1].pass == pass && pair[0].program.body != pair[1].program.body)
}

#[test]
fn every_form_of_random_kernels_reads_back() {
    println!("{} programs", SEEN.programs);
    assert!(SEEN.wrong.is_empty(), "{} programs, the first:\n{}", SEEN.wrong.len(), SEEN.wrong[0]);
    assert!(SEEN.programs > 3 * seeds(), "{} programs", SEEN.programs);
}

/// Asks that something is found in more than one of `one_in` kernels.
fn assert_found(what: &str, found: u64, one_in: u64) {
    println!("{what}: {found} of {} kernels", seeds());
    assert!(found > seeds() / one_in, "{what}: {found} of {} kernels", seeds());
}

#[test]
fn threads_of_random_kernels_go_over_rows_that_are_turned() {
    assert_found("load_rows", SEEN.loads_rows, 100);
    assert_found("store_rows", SEEN.stores_rows, 100);
}

#[test]
fn threads_of_random_kernels_copy_neighbours() {
    assert_found("copies", SEEN.copies, 400);
}

#[test]
fn machines_test_guards_of_random_kernels_ahead() {
    assert_found("tests ahead", SEEN.ahead, 250);
}

#[test]
fn machines_keep_arrays_of_random_kernels_in_registers() {
    assert_found("arrays in registers", SEEN.in_registers, 100);
}

/// A stencil's neighbours beside the element that is written.
#[test]
fn clamps_of_random_kernels_go() {
    assert_found("clamps", SEEN.clamped, 250);
}
