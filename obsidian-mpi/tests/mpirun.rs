//! The examples on the ranks of MPI: the bits of one rank on 1 to 4 of them; whatever goes wrong ends in an error on every rank.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A built example.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().with_file_name("examples").join(name)
}

/// Runs an example on several ranks.
fn mpirun(ranks: usize, name: &str, args: &[&str]) -> Output {
    run(ranks, name, args, &[])
}

/// The same with more environment variables, with more ranks than there may be cores, also as root in a container.
fn run(ranks: usize, name: &str, args: &[&str], variables: &[(&str, &str)]) -> Output {
    // Each has a folder of its own: where none is there yet, two that start at the same time both make it, and one fails.
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("mpi-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--allow-run-as-root", "-np", &ranks.to_string()]).arg(example(name)).args(args);
    command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none").env("RAYON_NUM_THREADS", "1");
    command.env("OBSIDIAN_BACKEND", "cpu").env("TMPDIR", &folder).envs(variables.iter().copied());
    let output = command.output().unwrap();
    // A rank that `mpirun` has killed may still clear up there.
    let _ = std::fs::remove_dir_all(&folder);
    output
}

/// How long an example of errors takes where `mpirun` tells nobody that a rank has died, and what it prints.
fn with_recovery(ranks: usize, what: &str) -> (Duration, String) {
    let start = Instant::now();
    let output = run(ranks, "failures", &[what], &[("OMPI_MCA_orte_enable_recovery", "1")]);
    (start.elapsed(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What a run that must succeed prints.
fn printed(ranks: usize, name: &str, args: &[&str]) -> String {
    let output = mpirun(ranks, name, args);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name} on {ranks} ranks: {err}\n{out}");
    out.into_owned()
}

/// The errors of the ranks of a run that must fail soon.
fn errors(ranks: usize, what: &str) -> Vec<String> {
    let start = Instant::now();
    let output = mpirun(ranks, "failures", &[what]);
    assert!(start.elapsed() < Duration::from_secs(60), "{what}: {:?}", start.elapsed());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "{what}: {text}");
    text.lines().filter_map(|line| line.strip_prefix("error: ")).map(str::to_owned).collect()
}

#[test]
fn the_example_of_the_page_runs() {
    for ranks in 1..=4 {
        let sum = ranks * (ranks - 1) / 2;
        assert_eq!(printed(ranks, "sum_of_ranks", &[]), format!("[{sum}]\n").repeat(ranks));
    }
}

#[test]
fn the_bits_are_those_of_one_rank() {
    for ranks in 1..=4 {
        assert_eq!(printed(ranks, "same_bits", &[]), format!("{ranks} ranks: the bits of one\n"));
    }
}

#[test]
fn boards_are_those_of_plain_rust() {
    for (ranks, height) in (1..=4).flat_map(|ranks| [(ranks, "3"), (ranks, "61")]) {
        let told = printed(ranks, "life_on_ranks", &[height, "45", "20"]);
        assert!(told.contains(&format!("{ranks} ranks on ")), "{told}");
    }
}

#[test]
fn files_are_sorted() {
    for ranks in 1..=4 {
        assert!(printed(ranks, "sort_file", &[]).ends_with("as the standard library sorts them\n"));
    }
    let missing = mpirun(2, "sort_file", &["/nowhere/from", "/nowhere/to"]);
    let text = String::from_utf8_lossy(&missing.stderr);
    assert!(text.contains("exchange 0 (hello): /nowhere/from: No such file"), "{text}");
}

#[test]
fn files_of_any_length_are_sorted_or_refused() {
    let folder = std::env::temp_dir().join(format!("ranks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (from, to) = (folder.join("from.bin"), folder.join("to.bin"));
    let names = [from.to_str().unwrap(), to.to_str().unwrap()];
    let file = |values: &[u32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    for (ranks, len) in (1..=4).flat_map(|ranks| [(ranks, 0), (ranks, 1), (ranks, 1009)]) {
        let mut values: Vec<u32> = (0..len).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
        std::fs::write(&from, file(&values)).unwrap();
        printed(ranks, "sort_file", &names);
        values.sort_unstable();
        assert_eq!(std::fs::read(&to).unwrap(), file(&values), "{len} numbers on {ranks} ranks");
    }
    std::fs::write(&from, [0; 4037]).unwrap();
    let odd = mpirun(2, "sort_file", &names);
    std::fs::remove_dir_all(&folder).unwrap();
    let text = String::from_utf8_lossy(&odd.stderr);
    assert!(!odd.status.success() && text.contains("it has 4037 bytes"), "{text}");
}

#[test]
fn what_goes_wrong_is_an_error_on_every_rank() {
    let cases = [
        ("order", ", exchange 2 (", "all ranks must do the same exchanges", 3),
        ("roots", ", exchange 2 (broadcast): ", "all ranks must do the same exchanges", 3),
        ("lengths", "rank 1, exchange 2 (all_merge): ", "its part has 5 elements", 3),
        ("version", "rank 1, exchange 0 (hello): ", "it is version 9", 3),
        // The rank that sleeps is ended by `mpirun` before it wakes.
        ("sleeps", "rank 1, exchange 2 (all_reduce): ", "nothing came", 2),
    ];
    for (what, named, reason, count) in cases {
        let found = errors(3, what);
        let fits = |error: &&String| error.contains(named) && error.contains(reason);
        assert_eq!(found.iter().filter(fits).count(), count, "{what}: {found:?}");
    }
}

#[test]
fn a_rank_that_is_gone_ends_all() {
    for what in ["leaves", "panics"] {
        let found = errors(3, what);
        let named = |error: &&String| error.starts_with("rank 1, exchange 2 (all_reduce): it has left after step 1");
        assert_eq!(found.iter().filter(named).count(), 2, "{what}: {found:?}");
    }
}

#[test]
fn a_rank_that_is_killed_is_named_with_its_step() {
    for (ranks, what, step) in (2..=4).flat_map(|n| [(n, "dies", "all_reduce"), (n, "dies_amid", "all_to_all_v")]) {
        let found = errors(ranks, what);
        let named = |error: &&String| {
            error.starts_with(&format!("rank 1, exchange 2 ({step}): rank ")) && error.contains("told to end")
        };
        assert_eq!(found.iter().filter(named).count(), ranks - 1, "{what}: {found:?}");
    }
}

#[test]
fn a_rank_that_dies_where_nobody_is_told_ends_all_by_the_limit() {
    let (time, text) = with_recovery(3, "dies");
    let named = text.matches("error: rank 1, exchange 2 (all_reduce): rank ").count();
    assert!(named == 2 && time < Duration::from_secs(60), "{time:?}: {text}");
    // The others have finished, and wait for it.
    let (time, text) = with_recovery(3, "dies_at_the_end");
    assert!(!text.contains("error: ") && time < Duration::from_secs(60), "{time:?}: {text}");
}

#[test]
fn the_bench_gives_verdicts() {
    let told = printed(2, "bench_ranks", &["10000", "1000"]);
    assert_eq!(told.matches("; at most 1.0: ").count(), 4, "{told}");
}
