//! The commands on a crate's sources, as a user calls them: what they print, and with which code they end.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture")
}

/// Runs a command in the folder of the fixture, as cargo calls it.
fn obsidian(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-obsidian"));
    command.arg("obsidian").args(args).current_dir(fixture()).output().expect("it starts")
}

fn stdout(args: &[&str]) -> String {
    let output = obsidian(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The code and what is on the error output.
fn refused(args: &[&str]) -> (Option<i32>, String) {
    let output = obsidian(args);
    assert!(output.stdout.is_empty(), "{args:?}");
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn check_counts_what_is_right() {
    assert_eq!(stdout(&["check"]), "no mistakes: 3 kernels, 5 variants\n");
    assert_eq!(stdout(&["check", "src", "-k", "su*"]), "no mistakes: 1 kernels, 3 variants\n");
}

/// As `| head` does that has its lines.
#[test]
fn a_reader_that_goes_away_is_no_mistake() {
    let folder = fixture();
    for args in [&["emit", "ptx", "src"][..], &["explain", "-p", "src"], &["completions", "bash"], &["check", "src"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-obsidian"));
        command.arg("obsidian").args(args).current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{args:?}: {:?} {errors}", output.status);
    }
}

#[test]
fn entries_at_device_are_checked_and_counted() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mean.rs");
    let text = "#[kernel] pub fn mean(xs: DPull<f32>) -> Program<Device, f32> { xs.sum() / xs.len() as f32 }";
    std::fs::write(&file, text).expect("written");
    let path = file.to_str().expect("a path in UTF-8");
    assert_eq!(stdout(&["check", path]), "no mistakes: 1 kernels, 1 variants, 1 of them at `Device`\n");
    assert_eq!(stdout(&["check", path, "-k", "m*"]), "no mistakes: 1 kernels, 1 variants, 1 of them at `Device`\n");
}

#[test]
fn an_entry_of_several_launches_is_shown_launch_by_launch() {
    assert_eq!(stdout(&["check", "launches.rs"]), "no mistakes: 1 kernels, 2 variants, 1 of them at `Device`\n");
    let text = stdout(&["emit", "ptx", "launches.rs", "-k", "total"]);
    assert_eq!(text.matches(".visible .entry").count(), 2, "{text}");
    let report = stdout(&["explain", "-p", "launches.rs", "--all"]);
    assert_eq!(report.matches("conditions of a launch").count(), 4, "{report}");
    let (code, errors) = refused(&["tune", "total", "launches.rs"]);
    assert!(code == Some(2) && errors.contains("`total` is a program of several launches"), "{errors}");
}

#[test]
fn check_shows_every_mistake_as_rustc_does() {
    let (code, errors) = refused(&["check", "wrong.rs"]);
    assert_eq!(code, Some(1));
    assert_eq!(errors.matches("error[OB").count(), 2, "{errors}");
    assert!(errors.contains("--> wrong.rs:6:") && errors.contains("6 |         a.compute().push()"), "{errors}");
    assert!(errors.contains("--> wrong.rs:18:") && errors.contains("^"), "{errors}");
    assert!(errors.contains(" = help: "), "{errors}");
}

#[test]
fn a_command_that_cannot_be_carried_out_ends_with_2() {
    let (code, errors) = refused(&["check", "nowhere.rs"]);
    assert!(code == Some(2) && errors.contains("cannot read `nowhere.rs`"), "{errors}");
    let (code, errors) = refused(&["emit", "ptx", "-k", "sum"]);
    assert!(code == Some(2) && errors.contains("no kernel has the name `sum`"), "{errors}");
    assert!(errors.contains("there are: `pairs`, `sums`, `turned`"), "{errors}");
    let (code, errors) = refused(&["emit", "ptx", "-k", "sums", "--with", "SEQ=5"]);
    assert!(code == Some(2) && errors.contains("there are: threads = 64, SEQ = 4;"), "{errors}");
    let (code, errors) = refused(&["emit", "fortran"]);
    assert!(code == Some(2) && errors.contains("fortran"), "{errors}");
    let (code, errors) = refused(&["draw", "memory"]);
    assert!(code == Some(2) && errors.contains("there are 3 pictures") && errors.contains("--out"), "{errors}");
}

#[test]
fn every_kind_of_text() {
    let kinds = [
        ("ir", "kernel turned"),
        ("program", "kernel turned"),
        ("structured", "sync"),
        ("machine", "kernel turned"),
        ("ptx", ".entry turned("),
        ("cuda", "__global__"),
        ("opencl", "__kernel"),
        ("rust", "fn geometry("),
        ("header", "turned"),
    ];
    for (kind, expected) in kinds {
        let text = stdout(&["emit", kind, "--kernel", "turned"]);
        assert!(text.contains(expected), "{kind}: {text}");
    }
}

#[test]
fn lines_of_the_file_are_told_on_demand() {
    let of = |kind, more: &[&str]| stdout(&[&["emit", kind, "--kernel", "turned"], more].concat());
    assert!(!of("ptx", &[]).contains(".loc") && !of("cuda", &[]).contains("#line"));
    assert!(of("ptx", &["--line-info"]).contains("\n.file 1 \"kernels/turned.rs\"\n"));
    let c = of("cuda", &["--line-info"]);
    assert!(c.lines().any(|line| line.starts_with("#line ") && line.ends_with("\"kernels/turned.rs\"")), "{c}");
}

#[test]
fn json_holds_contract_and_costs_of_the_variants_that_are_wanted() {
    let json = |args: &[&str]| -> Vec<Value> {
        serde_json::from_str(&stdout(&[&["emit", "json", "-k", "sums"], args].concat())).expect("JSON")
    };
    let (first, all) = (json(&[]), json(&["--all"]));
    assert_eq!((first.len(), all.len()), (1, 3));
    assert_eq!(first[0]["contract"]["values"]["SEQ"], 4);
    assert_eq!(first[0]["cost"]["threads"], 64);
    let wide = json(&["--all", "--with", "threads=128"]);
    assert_eq!(wide.len(), 1);
    assert_eq!(wide[0]["symbol"], "sums_t128_SEQ_4");
}

#[test]
fn files_are_written_one_a_variant() {
    let folder = std::env::temp_dir().join(format!("cargo-obsidian-{}", std::process::id()));
    let to = folder.to_str().expect("a name of letters");
    let listed = stdout(&["emit", "ptx", "-k", "sums", "--all", "--out", to]);
    assert_eq!(listed.lines().count(), 3);
    let text = std::fs::read_to_string(folder.join("sums_t64_SEQ_8.ptx")).expect("written");
    assert!(text.contains(".entry sums_t64_SEQ_8("));
    stdout(&["draw", "memory", "-o", to]);
    let picture = std::fs::read_to_string(folder.join("turned.memory.svg")).expect("written");
    assert!(picture.starts_with("<svg"), "{picture}");
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_manifest_is_written_with_all_that_it_names() {
    let folder = std::env::temp_dir().join(format!("cargo-obsidian-manifest-{}", std::process::id()));
    let listed =
        stdout(&["emit", "manifest", "-k", "sums", "--all", "-o", folder.to_str().expect("a name of letters")]);
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("written");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    let kernel = &manifest["kernels"][0];
    assert_eq!(
        (&manifest["format"], &kernel["name"], &kernel["file"]),
        (&json!(1), &json!("sums"), &json!("src/lib.rs"))
    );
    let variants = kernel["variants"].as_array().expect("variants");
    let texts: Vec<&Value> = variants.iter().flat_map(|v| v["texts"].as_array().expect("texts")).collect();
    assert_eq!((variants.len(), listed.lines().count()), (3, texts.len() + 1));
    assert!(texts.iter().all(|text| folder.join(text["file"].as_str().expect("a name")).is_file()), "{texts:?}");
    std::fs::remove_dir_all(folder).expect("removed");
    let (code, errors) = refused(&["emit", "manifest"]);
    assert!(code == Some(2) && errors.contains("help: `cargo obsidian emit manifest --out DIR`"), "{errors}");
}

#[test]
fn explain_tells_costs_and_codes() {
    let report = stdout(&["explain", "-k", "turned"]);
    assert!(report.contains("conditions of a launch") && report.contains("32-way"), "{report}");
    // Places are those of the file.
    assert!(report.contains("4:25  load input: f32"), "{report}");
    let barriers = stdout(&["explain", "-k", "sums", "--with", "threads=64", "--only", "barriers"]);
    assert!(
        barriers.contains("of the block, ") && barriers.contains("    29:24    of the block, 3 times"),
        "{barriers}"
    );
    assert!(!barriers.contains("global memory"), "{barriers}");
    let memory = stdout(&["explain", "-k", "turned", "--only", "memory"]);
    assert!(memory.contains("A  s1: 1024 x f32, bytes 0 to 4096, steps 1 to 2"), "{memory}");
    assert_eq!(memory.matches("  AA\n").count(), 32, "{memory}");
    assert!(stdout(&["explain", "OB050"]).starts_with("OB050"));
    assert_eq!(refused(&["explain", "OB000"]).0, Some(2));
}

#[test]
fn one_picture_is_printed_and_one_that_is_too_large_is_refused() {
    assert!(stdout(&["draw", "network", "small.rs"]).starts_with("<svg"));
    let (code, errors) = refused(&["draw", "network", "-k", "turned"]);
    assert!(code == Some(2) && errors.contains("at most 256"), "{errors}");
}

#[test]
fn devices_completions_and_help() {
    assert!(stdout(&["devices"]).contains("cpu 0: the CPU"));
    assert!(stdout(&["completions", "bash"]).contains("cargo-obsidian"));
    assert!(stdout(&["--help"]).contains("explain"));
}
