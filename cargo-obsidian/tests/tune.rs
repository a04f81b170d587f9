//! `cargo obsidian tune`: on the CPU, and on an OpenCL device where there is one; killed, gone on with, refused.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cargo-obsidian-tune-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a name of letters").to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-obsidian"));
    command.args(["obsidian", "tune"]).args(args);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture"));
    command
}

fn tune(args: &[&str]) -> Output {
    command(args).output().expect("it starts")
}

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn lines(record: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(record).expect("a record");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_best_is_told_recorded_and_exported() {
    let folder = Folder::new("told");
    let (record, csv, t4) = (folder.file("r.jsonl"), folder.file("r.csv"), folder.file("r.json"));
    let args = ["sums", "--len", "16384", "--rounds", "7", "--record", &record, "--csv", &csv, "--t4", &t4];
    let text = told(&tune(&args));
    assert!(text.contains("1 variants are not measured: the device runs the same code for others"), "{text}");
    let chosen = text.lines().find_map(|line| line.strip_prefix("chosen: ")).expect("a choice");
    let lines = lines(&record);
    assert_eq!((&lines[0]["kernel"], &lines[0]["backend"]), (&"sums".into(), &"cpu".into()));
    assert!(lines[0]["problem"].as_str().expect("text").contains("len = 16384"));
    let last = lines.last().expect("a conclusion");
    assert_eq!(last["chosen"], chosen);
    assert_eq!(last["pruned"]["threads = 128, SEQ = 4"], "the same code as `threads = 64, SEQ = 4`");
    // Two variants, three samples each and up to seven rounds of five passes.
    let samples = lines.iter().filter(|line| line["seconds"].is_f64()).count();
    assert!((6 + 2 * 6 * 5..=6 + 2 * 7 * 5).contains(&samples), "{samples}");
    // Beside them what a copy of 16384 and of 16 numbers takes, for the roofline.
    assert_eq!(last["copy"][0], 4 * (16384 + 16));
    assert!(last["copy"][1].as_f64() > Some(0.0), "{last}");
    assert!(std::fs::read_to_string(&csv).expect("written").starts_with("threads,SEQ,seconds"));
    let t4: Value = serde_json::from_str(&std::fs::read_to_string(&t4).expect("written")).expect("JSON");
    assert_eq!(t4["results"].as_array().map(Vec::len), Some(2));
    // Again: everything is known.
    let before = std::fs::read_to_string(&record).expect("a record");
    assert!(told(&tune(&args)).contains(chosen));
    let after = std::fs::read_to_string(&record).expect("a record");
    assert!(after.starts_with(&before) && after.lines().count() == before.lines().count() + 1, "one more conclusion");
}

/// Waits until a record has this number of lines, then kills.
fn killed_at(mut child: Child, record: &str, count: usize) {
    let start = Instant::now();
    loop {
        let text = std::fs::read_to_string(record).unwrap_or_default();
        if text.lines().count() >= count || child.try_wait().expect("a process").is_some() {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(300), "nothing happens");
        std::thread::sleep(Duration::from_millis(1));
    }
    // SIGKILL.
    child.kill().expect("killed");
    child.wait().expect("ended");
}

#[test]
fn a_kill_loses_at_most_the_measurement_under_way() {
    let folder = Folder::new("killed");
    let record = folder.file("r.jsonl");
    let args = ["sums", "--len", "65536", "--rounds", "7", "--no-prune", "--record", &record];
    let mut kept = 0;
    for count in [2, 5, 9, 12] {
        let child = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        killed_at(child, &record, count);
        let text = std::fs::read_to_string(&record).expect("a record");
        let whole = text.matches('\n').count();
        assert!(whole >= kept && whole >= count, "{whole} lines, {kept} before");
        kept = whole;
    }
    let before = std::fs::read_to_string(&record).expect("a record");
    let whole = &before[..before.rfind('\n').expect("a line") + 1];
    told(&tune(&args));
    let after = std::fs::read_to_string(&record).expect("a record");
    assert!(after.starts_with(whole), "what was measured stays");
    // No sample stands there twice.
    let sample = |line: &Value| (line["variant"].clone(), line["phase"].clone(), line["number"].clone());
    let samples: Vec<_> = lines(&record).iter().filter(|line| line["seconds"].is_f64()).map(sample).collect();
    for (i, one) in samples.iter().enumerate() {
        assert!(!samples[..i].contains(one), "{one:?}");
    }
}

#[test]
fn foreign_and_damaged_records_are_refused_with_the_reason() {
    let folder = Folder::new("foreign");
    let record = folder.file("r.jsonl");
    told(&tune(&["sums", "--len", "4096", "--rounds", "6", "--record", &record]));
    let before = std::fs::read_to_string(&record).expect("a record");
    let refused = |args: &[&str]| {
        let output = tune(&[args, &["--rounds", "6", "--record", &record]].concat());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("text")
    };
    let errors = refused(&["sums", "--len", "8192"]);
    assert!(errors.contains("is not about this: its problem is `len = 4096"), "{errors}");
    assert!(errors.contains("--fresh"), "{errors}");
    let errors = refused(&["turned", "--len", "4096"]);
    assert!(errors.contains("its kernel is `sums`, and here it is `turned`"), "{errors}");
    std::fs::write(&record, before.replacen("0.000", "0.001", 1).replacen("e-", "e-1", 1)).expect("written");
    let errors = refused(&["sums", "--len", "4096"]);
    assert!(errors.contains("this record is damaged: the mark is"), "{errors}");
    told(&tune(&["sums", "--len", "4096", "--rounds", "6", "--record", &record, "--fresh"]));
}

#[test]
fn records_choose_few_variants_and_foreign_ones_none() {
    let folder = Folder::new("choose");
    let (small, large) = (folder.file("small.jsonl"), folder.file("large.jsonl"));
    for (len, record) in [("4096", &small), ("65536", &large)] {
        told(&tune(&["sums", "--len", len, "--rounds", "6", "--record", record]));
    }
    let choose = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-obsidian"));
        command.args(["obsidian", "choose", "sums"]).args(args);
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture"));
        command.output().expect("it starts")
    };
    let text = told(&choose(&["--record", &small, "--record", &large]));
    assert!(text.contains("pub fn sums_variant(backend: obsidian::Backend, len: usize) -> SumsParams {"), "{text}");
    // Lengths are compared by their ratio: halfway from 4096 to 65536 lies 16384. Which variant wins is the machine's affair.
    assert!(text.contains("(obsidian::Backend::Cpu, ..=16384) => SumsParams { threads: "), "{text}");
    assert_eq!(text.matches(" of the best, cpu (").count(), 2, "{text}");
    // Of those that are one program on the CPU the one that stands for them.
    assert!(!text.contains("threads: 128"), "{text}");
    syn::parse_file(&text).expect("Rust");
    // A record of another text of the kernel is told of, and chooses nothing.
    let changed = std::fs::read_to_string(&large).expect("a record").replacen("len = 65536", "len = 65537", 1);
    std::fs::write(&large, changed).expect("written");
    let output = choose(&["--record", &small, "--record", &large]);
    let errors = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.code() == Some(1) && errors.contains("not used:") && errors.contains("damaged"), "{errors}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("65537"));
    // A tuning that was not finished chooses nothing, either.
    let whole = std::fs::read_to_string(&small).expect("a record");
    let cut = folder.file("cut.jsonl");
    std::fs::write(&cut, &whole[..whole.trim_end().rfind('\n').expect("lines") + 1]).expect("written");
    let output = choose(&["--record", &cut]);
    let errors = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.code() == Some(1) && errors.contains("this tuning was not finished"), "{errors}");
    let output = choose(&["--record", &large]);
    let errors = String::from_utf8(output.stderr).expect("text");
    assert!(output.stdout.is_empty() && errors.contains("there are no times of `sums`"), "{errors}");
}

#[test]
fn what_cannot_be_tuned_says_why() {
    let folder = Folder::new("cannot");
    let record = folder.file("r.jsonl");
    let refused = |args: &[&str], code: i32| {
        let output = tune(&[args, &["--record", &record, "--fresh"]].concat());
        let errors = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{errors}");
        errors
    };
    let errors = refused(&["sums", "--len", "1000"], 1);
    assert!(errors.contains("no variant could be measured") && errors.contains("multiple of 1024"), "{errors}");
    let errors = refused(&["nothing"], 2);
    assert!(errors.contains("no kernel has the name `nothing`"), "{errors}");
    let errors = refused(&["sums", "--device", "abacus"], 2);
    assert!(errors.contains("`abacus` is no device"), "{errors}");
    let errors = refused(&["*s"], 2);
    assert!(errors.contains("names 2 kernels"), "{errors}");
    let errors = refused(&["sums", "--set", "n"], 2);
    assert!(errors.contains("--set n=1000"), "{errors}");
    let errors = refused(&["sums", "--set", "n=3"], 2);
    assert!(errors.contains("`sums` has no parameter `n`") && errors.contains("there are: `input`"), "{errors}");
}

#[test]
fn budgets_that_mean_nothing_are_refused() {
    let wrong = [
        ("--seconds", "nan", "this is a number of seconds"),
        ("--seconds", "-1", "this is a number of seconds"),
        ("--seconds", "1e300", "this is a number of seconds"),
        ("--within", "nan", "this is a number from 1"),
        ("--within", "0.5", "this is a number from 1"),
        ("--points", "0", "this is a whole number from 1"),
        ("--rounds", "5", "this is a whole number from 6"),
        ("--len", "0", "0 is not in 1.."),
        ("--below", "0", "0 is not in 1.."),
    ];
    for (option, value, why) in wrong {
        let output = tune(&["sums", option, value]);
        let errors = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.code() == Some(2) && errors.contains(why), "{option} {value}: {errors}");
    }
}

#[test]
fn on_an_opencl_device() {
    if obsidian_runtime::Device::opencl(0).is_err() {
        assert!(std::env::var_os("OBSIDIAN_TEST_OPENCL").is_none(), "no device");
        println!("SKIP: no OpenCL device");
        return;
    }
    let folder = Folder::new("opencl");
    let record = folder.file("r.jsonl");
    let args =
        ["sums", "--device", "opencl", "--len", "16384", "--rounds", "6", "--searcher", "greedy", "--record", &record];
    let text = told(&tune(&args));
    assert!(text.contains("chosen: threads = "), "{text}");
    let lines = lines(&record);
    assert_eq!(lines[0]["backend"], "opencl");
    assert!(lines[0]["driver"].as_str().is_some_and(|driver| !driver.is_empty()));
    let mut variants: Vec<&Value> = lines.iter().filter(|l| l["seconds"].is_f64()).map(|l| &l["variant"]).collect();
    variants.sort_by_key(|v| v.to_string());
    variants.dedup();
    assert_eq!(variants.len(), 3, "threads make a difference there");
}

#[test]
fn the_help_says_what_each_option_is() {
    let mut child = command(&["--help"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut text = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut text).expect("text");
    assert!(child.wait().expect("ended").success());
    for word in ["exhaustive", "greedy", "genetic", "random", "--within", "--points", "--seconds", "tuning"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}
