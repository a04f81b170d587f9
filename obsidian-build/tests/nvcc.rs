//! Binaries by nvcc. A script stands in for it, which writes down what it is asked: how it is found, what it is asked for, and
//! what is said when it fails or is not there. Each test runs this program once more, with `CUDA_HOME` or `PATH` of its own.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use obsidian_build::Builder;

/// In the process that builds: the folder to build in.
const FOLDER: &str = "OBSIDIAN_TEST_BUILD";

const COPY: &str = "#[kernel(threads = 32)]\npub fn copy(xs: DPull<u32>) -> DPush<Grid, u32> { xs.split_up(32).as_grid_map(|c| c.push()) }\n\
                    #[kernel(threads = 32, line_info)]\npub fn told(xs: DPull<u32>) -> DPush<Grid, u32> { xs.split_up(32).as_grid_map(|c| c.push()) }\n";

/// Writes its arguments, and the file after `-o`.
const NVCC: &str = "#!/bin/sh\necho \"$@\" >> asked\nwhile [ \"$1\" != -o ]; do shift; done\ncat \"$3\" > \"$2\"\n";

/// What the process below builds; the test that starts it says with which environment.
#[test]
fn builds_if_it_is_asked() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let kernel = Path::new(&folder).join("copy.rs");
    let builder = Builder::new().file(kernel.to_str().expect("a path in UTF-8")).out_dir(&folder);
    match builder.cubin("sm_80").fatbin(["sm_75", "sm_90"]).compile() {
        Ok(manifest) => fs::write(Path::new(&folder).join("said"), manifest.json().to_string()),
        Err(e) => fs::write(Path::new(&folder).join("said"), e.to_string()),
    }
    .expect("written");
}

/// Builds with one more variable; what is said.
fn said(name: &str, nvcc: Option<&str>, variable: impl FnOnce(&Path) -> (&'static str, PathBuf)) -> (PathBuf, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvcc").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("bin")).expect("the folder");
    fs::write(folder.join("copy.rs"), COPY).expect("written");
    if let Some(script) = nvcc {
        fs::write(folder.join("bin/nvcc"), script).expect("written");
        fs::set_permissions(folder.join("bin/nvcc"), fs::Permissions::from_mode(0o755)).expect("executable");
    }
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "builds_if_it_is_asked"]).env_remove("CUDA_HOME").env(FOLDER, &folder);
    let (variable, value) = variable(&folder);
    let done = command.env(variable, value).output().expect("it starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    let said = fs::read_to_string(folder.join("said")).expect("what was said");
    (folder, said)
}

#[test]
fn it_is_asked_for_each_binary() {
    let (folder, said) = said("asked", Some(NVCC), |folder| ("CUDA_HOME", folder.to_path_buf()));
    let asked = fs::read_to_string(folder.join("obsidian/asked")).expect("it was called");
    assert_eq!(
        asked,
        "-cubin -arch=sm_80 -o copy.sm_80.cubin copy.ptx\n\
         -fatbin -gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_90,code=sm_90 -o copy.fatbin copy.ptx\n\
         -cubin -arch=sm_80 -lineinfo -o told.sm_80.cubin told.ptx\n\
         -fatbin -gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_90,code=sm_90 -lineinfo -o told.fatbin told.ptx\n"
    );
    let ptx = fs::read_to_string(folder.join("obsidian/copy.fatbin")).expect("what it wrote");
    assert!(ptx.contains(".visible .entry copy"), "it was given the PTX: {ptx}");
    let told = fs::read_to_string(folder.join("obsidian/told.fatbin")).expect("what it wrote");
    assert!(told.contains(".file 1 \"copy.rs\"") && told.contains(".loc 1 4 "), "{told}");
    assert!(said.contains(r#""file":"copy.sm_80.cubin","gpus":["sm_80"],"kind":"cubin","symbol":"copy""#), "{said}");
}

#[test]
fn it_is_found_on_the_path() {
    let (folder, _) = said("path", Some(NVCC), |folder| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(folder.join("bin")).chain(std::env::split_paths(&path));
        ("PATH", PathBuf::from(std::env::join_paths(all).expect("a path")))
    });
    assert!(folder.join("obsidian/copy.sm_80.cubin").is_file());
}

#[test]
fn it_is_not_there() {
    let (folder, text) = said("missing", None, |folder| ("CUDA_HOME", folder.to_path_buf()));
    let expected = format!(
        "error: a cubin or fatbin is asked for, and nvcc is not found\n \
         = note: `CUDA_HOME` is set, and there is no {}\n",
        folder.join("bin/nvcc").display()
    );
    assert!(text.starts_with(&expected), "{text}");
    let (_, text) = said("nowhere", None, |_| ("PATH", PathBuf::from(OsStr::new(""))));
    assert!(text.contains("`CUDA_HOME` is not set, and no folder of `PATH` holds nvcc"), "{text}");
}

#[test]
fn it_fails() {
    let fails = "#!/bin/sh\necho \"ptxas fatal: nothing works\" >&2\nexit 3\n";
    let (_, text) = said("fails", Some(fails), |folder| ("CUDA_HOME", folder.to_path_buf()));
    let expected = "error: nvcc does not assemble copy.ptx for sm_80\n = note: ptxas fatal: nothing works\n";
    assert_eq!(text, expected);
    let (_, text) = said("idle", Some("#!/bin/sh\n"), |folder| ("CUDA_HOME", folder.to_path_buf()));
    assert!(text.contains("ended without an error and did not write copy.sm_80.cubin"), "{text}");
}
