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

/// Where it is built: where `trybuild` builds, which needs the same macros.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("tests").join("trybuild")
}

fn cargo(package: &Path, task: &str) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args([task, "--offline", "--quiet", "--target-dir"]).arg(target()).current_dir(package);
    command.output().expect("cargo starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where they are kept.
fn expansions_folder() -> PathBuf {
    target().join("debug/obsidian-expansions")
}

/// The expansions that are kept, each with its bytes.
fn expansions() -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> =
        fs::read_dir(expansions_folder()).expect("the folder").flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), fs::read(file).expect("a file"))).collect()
}

fn append(file: &Path, text: &str) {
    let before = fs::read_to_string(file).expect("a file");
    fs::write(file, before + text).expect("written");
}

/// A kernel with a parameter that nobody reads.
const IDLE: &str = "mod idle {
    use obsidian::prelude::*;
    kernel! {
        #[kernel(threads = 32)]
        pub fn idle(xs: DPull<u32>, extra: u32) -> DPush<Grid, u32> { xs.split_up(32).as_grid_map(|c| c.push()) }
    }
}
";

/// What is kept is taken again, and where it is damaged the kernel is compiled anew.
fn expansions_are_kept(package: &Path) {
    let main = package.join("src/main.rs");
    let kept = expansions();
    assert!(!kept.is_empty());
    append(&main, "// Behind all kernels.\n");
    let taken = cargo(package, "run");
    assert_eq!((text(&taken.stdout).as_str(), expansions() == kept), ("as by the macro\n", true));
    for (file, bytes) in &kept {
        fs::write(file, &bytes[..bytes.len() / 2]).expect("written");
    }
    append(&main, "// Once more.\n");
    let anew = cargo(package, "run");
    assert_eq!(text(&anew.stdout), "as by the macro\n", "{}", text(&anew.stderr));
    assert!(expansions() == kept, "the same is written again");
    // What rustc says of the author's tokens it says again, at the same places.
    append(&main, IDLE);
    let said = text(&cargo(package, "check").stderr);
    append(&main, "// And again.\n");
    assert_eq!(text(&cargo(package, "check").stderr), said);
    assert!(
        said.contains("unused variable: `extra`") && said.contains("pub fn idle(xs: DPull<u32>, extra: u32)"),
        "{said}"
    );
    // A check leaves the code of the CPU's versions out, and keeps what it expands to; a build after it has it all.
    let built = cargo(package, "run");
    assert_eq!(text(&built.stdout), "as by the macro\n", "{}", text(&built.stderr));
}

/// One test: all of it uses the same target folder.
#[test]
fn a_strangers_package_builds_and_a_mistake_is_shown_in_its_file() {
    let package = copy("stranger");
    // Other packages outside of the workspace are built there, too, and keep theirs.
    let _ = fs::remove_dir_all(expansions_folder());
    let done = cargo(&package, "run");
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(text(&done.stdout), "as by the macro\n");

    let main = fs::read_to_string(package.join("src/main.rs")).expect("the program");
    expansions_are_kept(&package);
    fs::write(package.join("src/main.rs"), main).expect("written");

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
