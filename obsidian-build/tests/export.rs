//! Programs in C and in Python that run kernels from the files that a build writes: header, OpenCL C, manifest. The one is compiled by `cc`
//! here, the other is run by a Python that has PyOpenCL, both on the OpenCL driver that `cargo xtask test` sets up.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use obsidian_build::{Builder, Emit, Manifest};
use serde_json::Value;

/// The loader of OpenCL drivers, by its path.
const LOADER: &str = "OPENCL_DYLIB_PATH";
/// Set where a driver was set up: then its absence is a failure.
const REQUIRED: &str = "OBSIDIAN_TEST_OPENCL";

/// A Python that has NumPy and PyOpenCL, by its path.
const PYTHON: &str = "OBSIDIAN_TEST_PYTHON";

/// The folder of this package.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a build has written; gone when it is dropped.
struct Built {
    folder: PathBuf,
    manifest: Manifest,
}

impl Drop for Built {
    fn drop(&mut self) {
        let _ = self.folder.parent().map(std::fs::remove_dir_all);
    }
}

/// The kernel of the example `kernel_file`, and those of `export/kernels`, in the folder `obsidian` of a folder of its own, which no other
/// process has: the tests run on several drivers at once.
fn built(name: &str) -> Built {
    let folder = std::env::temp_dir().join(format!("obsidian-{name}-{}", std::process::id()));
    let pattern = |pattern: &str| here().join(pattern).to_str().expect("a path in UTF-8").to_owned();
    let builder = Builder::new()
        .file(pattern("../examples/kernel_file/kernels/*.rs"))
        .file(pattern("tests/export/kernels/*.rs"))
        .libraries(pattern("../examples/kernel_file/kernels/libs/*.rs"));
    builder.emit(Emit::ALL).out_dir(&folder).compile().expect("it compiles");
    let folder = folder.join("obsidian");
    let manifest = Manifest::read(folder.join("manifest.json")).expect("it was written");
    Built { folder, manifest }
}

/// The C program, compiled with the header; a warning is an error. `None` where there is no C compiler.
fn compiled(folder: &Path) -> Option<PathBuf> {
    let (source, program) = (here().join("tests/export/host.c"), folder.join("host"));
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| OsString::from("cc")));
    command
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"])
        .arg(folder)
        .arg(source)
        .arg("-o")
        .arg(&program);
    match command.arg("-ldl").output() {
        Ok(done) => {
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            Some(program)
        }
        Err(e) => {
            println!("SKIP: there is no C compiler: {e}");
            None
        }
    }
}

/// The variant's text in OpenCL C.
fn opencl(variant: &Value) -> &Value {
    let mut texts = variant["texts"].as_array().expect("texts").iter();
    texts.find(|text| text["language"] == "opencl_c").expect("OpenCL C")
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_in_c_runs_a_kernel_by_header_and_manifest() {
    let built = built("export");
    let (folder, manifest) = (&built.folder, &built.manifest);
    let variant = &manifest.json()["kernels"][0]["variants"][0];
    // What the program relies on.
    let arguments: Vec<_> =
        variant["arguments"].as_array().expect("arguments").iter().map(|a| a["is"].as_str()).collect();
    assert_eq!(arguments, ["pointer", "length", "pointer", "length", "pointer"].map(Some));
    let Some(program) = compiled(folder) else { return };
    let Some(loader) = std::env::var_os(LOADER) else {
        assert!(
            std::env::var_os(REQUIRED).is_none(),
            "`{LOADER}` does not name the loader of the driver that was set up"
        );
        println!("SKIP: `{LOADER}` does not name a loader of OpenCL drivers");
        return;
    };
    let text = opencl(variant);
    let run = |length: &str| {
        let mut command = Command::new(&program);
        command.arg(&loader).arg(folder.join(text["file"].as_str().expect("a file")));
        command.arg(text["symbol"].as_str().expect("a name")).arg(variant["threads"].to_string()).arg(length);
        let done = command.output().expect("it starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    assert_eq!(run("5003"), "5003 elements are no whole thousands\n5 results are right\n");
    assert_eq!(run("5000"), "5000 elements are whole thousands\n5 results are right\n");
}

#[test]
#[cfg(target_os = "linux")]
fn programs_in_python_run_kernels_by_the_manifest() {
    let Some(python) = std::env::var_os(PYTHON) else {
        println!("SKIP: `{PYTHON}` does not name a Python that has PyOpenCL");
        return;
    };
    let built = built("export-python");
    let folder = &built.folder;
    let example = here().join("../examples/kernel_file/python");
    let run = |arguments: &[&Path]| {
        let done = Command::new(&python).arg("-B").args(arguments).output().expect("it starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    let said = run(&[&example.join("dot.py"), folder]);
    assert_eq!(said, "5 results are right\n");
    let said = run(&[&here().join("tests/export/launches.py"), &example, folder]);
    assert_eq!(said, "every launch is right\n");
}
