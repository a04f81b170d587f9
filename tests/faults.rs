//! Faults planted in real programs: a barrier dropped, an array moved, an index shifted, a guard or a loop narrowed. The passes
//! must refuse the program, or the reference interpreter must notice, by a fault or by a result that is not the right one.
//! First in a few programs, with every change of a kind; then in all programs, with some, and what nobody notices is run
//! as PTX: it must make no difference.

use std::collections::BTreeSet;

use obsidian_ir::backend::ptx;
use obsidian_ir::interp::{self, Args, Buffer, Fault, Outputs};
use obsidian_ir::passes::{self, Structured, barriers, bounds, verify};
use obsidian_ir::program::{Program, ScalarType};
use obsidian_lang::driver::Compiled;
use obsidian_oracle::{data, edit, launch, same};
use obsidian_ptx_interp::{Launch, Order};
use obsidian_sources as sources;
use obsidian_sources::entries;

use data::Pattern;
use entries::Entry;

/// The files that they stand in.
const FILES: [&str; 4] = ["fcl2016.rs", "jfp2016.rs", "jfp2016_scans.rs", "language.rs"];

/// The programs, and threads that make them cross threads and warps in most steps.
const PROGRAMS: [(&str, u32); 8] = [
    ("reductions", 64),
    ("reductions", 100),
    ("two_stage", 128),
    ("two_stage", 100),
    ("sum_red5", 64),
    ("sklansky_grid", 33),
    ("rotate_add", 64),
    ("reversed_chunks", 100),
];

/// Three chunks, no two elements or sums alike.
fn input(ty: ScalarType) -> Args {
    let bits = (0..3 * 512u64).map(|i| i * i * i % 1_000_003 + 1).collect();
    Args::new().buffer(Buffer { ty, bits })
}

/// Who notices a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Catcher {
    /// The passes, without running anything: an index that may be out of range, a race, an element left out, a barrier
    /// that is needed and not there.
    Proof,
    /// The interpreter: a fault, or a result that is not the right one.
    Run,
}

/// Who notices that a program, which gives `right`, has become `changed`.
fn noticed(args: &Args, right: &Outputs, changed: &Program) -> BTreeSet<Catcher> {
    let proof = refused(changed).then_some(Catcher::Proof);
    let run = (interp::run_within(changed, args, ROUNDS).as_ref() != Ok(right)).then_some(Catcher::Run);
    proof.into_iter().chain(run).collect()
}

/// Whether the passes refuse a program, or would place other barriers.
fn refused(changed: &Program) -> bool {
    CHECKS.iter().any(|(_, refuses)| refuses(changed))
}

/// Whether a pass refuses a program.
type Refuses = fn(&Program) -> bool;

/// What each pass refuses; the quickest first.
const CHECKS: [(&str, Refuses); 3] =
    [("bounds", |p| bounds::check(p).is_err()), ("races", |p| verify::check(p).is_err()), ("barriers", other_barriers)];

fn other_barriers(changed: &Program) -> bool {
    let mut placed = changed.clone();
    barriers::place(&mut placed);
    placed.body != changed.body
}

/// The native form of a kernel's first variant with this number of threads.
fn native(entries: &[Compiled], name: &str, threads: u32) -> Program {
    let programs = sources::natives(entries, name).into_iter();
    let mut found = programs.filter(|program| program.threads == threads);
    found.next().unwrap_or_else(|| panic!("{name} has no variant of {threads} threads"))
}

/// Rounds of loops that a changed program may run: all programs run fewer, and a change may make one endless.
const ROUNDS: u64 = 1 << 20;

/// What makes all changes of a kind.
type Changes = fn(&Program) -> Vec<(String, Program)>;

/// How many changes each catcher notices, and which nobody does.
#[derive(Default)]
struct Tally {
    changes: usize,
    proof: usize,
    run: usize,
    missed: Vec<String>,
}

fn tally(changes: Changes) -> Tally {
    let entries: Vec<Compiled> = sources::compiled(|file| FILES.contains(&file));
    let mut out = Tally::default();
    for (name, threads) in PROGRAMS {
        let whole = native(&entries, name, threads);
        let args = input(whole.arrays[0].elem);
        let right = interp::run(&whole, &args).expect("the program as compiled is right");
        for (what, changed) in changes(&whole) {
            let found = noticed(&args, &right, &changed);
            out.changes += 1;
            out.proof += usize::from(found.contains(&Catcher::Proof));
            out.run += usize::from(found.contains(&Catcher::Run));
            if found.is_empty() {
                out.missed.push(format!("{name}, {threads} threads: {what}"));
            }
        }
    }
    out
}

/// Prints a row of the table, and has every change noticed.
fn row(kind: &str, changes: Changes) -> Tally {
    let t = tally(changes);
    println!("{kind}: {} made, {} refused by the passes, {} noticed in a run", t.changes, t.proof, t.run);
    assert!(t.changes >= 8, "{kind}: {} changes", t.changes);
    assert_eq!(t.missed, [""; 0], "{kind}");
    t
}

/// No barrier is there for nothing: without it the pass finds it missing, and the interpreter sees a race or old data.
#[test]
fn every_dropped_barrier_is_noticed_twice() {
    let t = row("a barrier less", edit::without_each_barrier);
    assert_eq!((t.proof, t.run), (t.changes, t.changes));
}

#[test]
fn every_overlay_is_noticed() {
    row("an array over its neighbour", edit::with_each_overlay);
}

#[test]
fn every_shifted_index_is_noticed() {
    let t = row("an index one further", edit::with_each_index_shifted);
    assert!(t.proof * 2 > t.changes, "{} of {} refused", t.proof, t.changes);
}

#[test]
fn every_narrowed_guard_is_noticed() {
    row("a guard one narrower", edit::with_each_guard_narrowed);
}

#[test]
fn every_shorter_loop_is_noticed() {
    row("a loop one round shorter", edit::with_each_loop_shortened);
}

/// Threads of all programs: two warps, of which one is not whole.
const THREADS: u32 = 33;
/// Changes of a kind in one program: more are left out evenly, but where `ALL` is set.
const SOME: usize = 10;
/// Asks for every change: `OBSIDIAN_ALL_FAULTS=1 cargo test --release -p obsidian-tests --test faults in_every_program -- --nocapture`.
const ALL: &str = "OBSIDIAN_ALL_FAULTS";
/// Values that both floats and indices by data see.
const PATTERNS: [Pattern; 2] = [Pattern::Rounding, Pattern::Low];
/// The kinds of changes.
const KINDS: [(&str, Changes); 5] = [
    ("a barrier less", edit::without_each_barrier),
    ("an index one further", edit::with_each_index_shifted),
    ("an array over its neighbour", edit::with_each_overlay),
    ("a guard one narrower", edit::with_each_guard_narrowed),
    ("a loop one round shorter", edit::with_each_loop_shortened),
];

/// A row of the table.
#[derive(Default, Clone)]
struct Row {
    made: usize,
    /// Refused, by the first check that does.
    proof: [usize; CHECKS.len()],
    /// Not refused, and noticed by the interpreter.
    run: usize,
    equivalent: usize,
    missed: Vec<String>,
}

/// Elements for a program that takes any number: more than the largest chunk, and a multiple of none. As a matrix it has 19 rows, so that no
/// product of two takes long.
const ANY_LENGTH: u32 = 19 * 29;

/// A program with its arguments and what it gives for them.
struct Whole {
    program: Program,
    /// Whether each check accepts it as it is: what `schedule` has named, a check for what comes before may no longer see
    /// through, and that it refuses a change then says nothing.
    accepted: [bool; CHECKS.len()],
    given: Vec<(Args, Result<Outputs, Fault>)>,
}

impl Whole {
    fn new(entry: &Entry) -> Whole {
        let variants = entry.compiled(&[THREADS]).unwrap_or_else(|errors| panic!("{}: {errors:?}", entry.name));
        let program = variants.into_iter().next().expect("one variant").native.into_program();
        let chunk = entries::chunk(&program);
        // Of a program for any length, several whole blocks and one that is not.
        let len = if chunk == 1 { ANY_LENGTH } else { chunk * 40u32.div_ceil(chunk).max(2) };
        let run = |pattern| {
            let args = data::args_of(&program, len, pattern);
            let right = interp::run_within(&program, &args, ROUNDS);
            (args, right)
        };
        let given = PATTERNS.into_iter().map(run).collect();
        let accepted = CHECKS.map(|(_, refuses)| !refuses(&program));
        Whole { program, accepted, given }
    }

    /// Whether the PTX of a changed program gives what the program itself does, whoever goes first.
    fn same_on_machine(&self, changed: &Program) -> bool {
        let Ok(structured) = Structured::checked(changed.clone()) else { return false };
        let machine = passes::machine(&structured);
        let text = ptx::print(&machine);
        let right = self.given.iter().filter_map(|(args, right)| Some((args, right.as_ref().ok()?)));
        right.into_iter().all(|(args, right)| {
            [(1, Order::Descending), (2, Order::Ascending)].into_iter().all(|(blocks, order)| {
                let (threads, shared) = (machine.threads, machine.dynamic_shared() as usize);
                let on = Launch { blocks, run: 0..blocks, threads, shared, order };
                let same =
                    |found: launch::Launched| !found.out_of_range && same::difference(right, &found.outputs).is_none();
                launch::run(&text, &machine, args, right, &on).is_ok_and(same)
            })
        })
    }

    fn row(&self, name: &str, changes: Changes) -> Row {
        let all = changes(&self.program);
        let most = if std::env::var_os(ALL).is_some() { all.len() } else { SOME };
        let step = all.len().div_ceil(most.max(1)).max(1);
        let mut row = Row::default();
        for (what, changed) in all.into_iter().step_by(step) {
            row.made += 1;
            // What is refused is not run: a run takes a hundred times as long.
            let refuses = |&k: &usize| self.accepted[k] && CHECKS[k].1(&changed);
            if let Some(first) = (0..CHECKS.len()).find(refuses) {
                row.proof[first] += 1;
            } else if self.given.iter().any(|(args, right)| interp::run_within(&changed, args, ROUNDS) != *right) {
                row.run += 1;
            } else if self.same_on_machine(&changed) {
                row.equivalent += 1;
            } else {
                row.missed.push(format!("{name}: {what}"));
            }
        }
        row
    }
}

/// No change of behaviour is missed. A change that makes none is told by running it, on all arguments: the interpreter sees
/// races whatever the order of threads, and its PTX is run in two orders.
#[test]
fn every_change_in_every_program_is_noticed_or_makes_no_difference() {
    let rows = entries::on_every_entry(|entry| {
        let whole = Whole::new(entry);
        assert!(whole.given.iter().any(|(_, right)| right.is_ok()), "{}: it runs for some arguments", entry.name);
        assert!(whole.same_on_machine(&whole.program), "{}: unchanged, the machine gives the same", entry.name);
        KINDS.map(|(_, changes)| whole.row(&entry.name, changes))
    });
    let mut missed = Vec::new();
    println!("| change | made | {} | interpreter | no difference |", CHECKS.map(|(name, _)| name).join(" | "));
    println!("|---|{}", "---:|".repeat(CHECKS.len() + 3));
    for (k, (kind, _)) in KINDS.iter().enumerate() {
        let sum = |part: fn(&Row) -> usize| rows.iter().map(|row| part(&row[k])).sum::<usize>();
        let (made, equivalent) = (sum(|r| r.made), sum(|r| r.equivalent));
        let proof: String = (0..CHECKS.len())
            .map(|c| format!(" {} |", rows.iter().map(|row| row[k].proof[c]).sum::<usize>()))
            .collect();
        println!("| {kind} | {made} |{proof} {} | {equivalent} |", sum(|r| r.run));
        assert!(made >= 50 && equivalent * 2 < made, "{kind}: {made} made, {equivalent} of no difference");
        missed.extend(rows.iter().flat_map(|row| row[k].missed.clone()));
    }
    assert_eq!(missed, [""; 0]);
}
