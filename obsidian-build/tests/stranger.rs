//! A package outside of this workspace that compiles kernel files in its build script, as a user's would: cargo builds and runs it, and
//! shows what is wrong with a kernel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The package in a folder of its own, with the versions of dependencies that this workspace has; what it builds is kept from run to run.
fn copy(name: &str) -> PathBuf {
    let root = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("the workspace");
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&to);
    copy_folder(&root.join("tests/fixtures/stranger"), &to);
    fs::copy(root.join("Cargo.lock"), to.join("Cargo.lock")).expect("the lock file");
    let manifest = fs::read_to_string(to.join("Cargo.toml")).expect("a manifest");
    let here = root.to_str().expect("a path in UTF-8").replace('\\', "/");
    fs::write(to.join("Cargo.toml"), manifest.replace("../../..", &here)).expect("written");
    to
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            fs::copy(&from, &to).expect("copied");
        }
    }
}

fn cargo(package: &Path, task: &str) -> Output {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stranger-target");
    let mut command = Command::new(env!("CARGO"));
    command.args([task, "--offline", "--quiet", "--target-dir"]).arg(target).current_dir(package);
    command.output().expect("cargo starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One test: both use the same target folder.
#[test]
fn a_strangers_package_builds_and_a_mistake_is_shown_in_its_file() {
    let package = copy("stranger");
    let done = cargo(&package, "run");
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(text(&done.stdout), "as by the macro\n");

    let kernels = package.join("kernels/scaled.rs");
    let right = fs::read_to_string(&kernels).expect("the kernels");
    fs::write(&kernels, right.replace("x * by", "x * bye")).expect("written");
    let refused = cargo(&package, "check");
    assert!(!refused.status.success());
    let said = text(&refused.stderr);
    // Cargo indents what a build script says.
    let expected = [
        "error[OB021]: `bye` is not known here",
        " --> kernels/scaled.rs:4:20",
        "  |",
        "4 |     xs.map(|x| x * bye).split_up(128).as_grid_map(|c| c.push())",
        "  |                    ^^^",
        "  = help: did you mean `by`?",
    ];
    assert!(said.contains(&expected.join("\n  ")), "{said}");

    // A new file is noticed, and so is the mistake's end.
    fs::write(&kernels, right).expect("written");
    fs::write(package.join("kernels/more.rs"), "fn helper(x: u32) -> u32 { x }").expect("written");
    let said = text(&cargo(&package, "check").stderr);
    assert!(said.contains("`kernels/more.rs` holds no entry"), "{said}");

    // Without a build script there is nothing to include.
    fs::remove_file(package.join("build.rs")).expect("removed");
    let said = text(&cargo(&package, "check").stderr);
    assert!(said.contains("call `obsidian_build::Builder` in `build.rs`"), "{said}");
}
