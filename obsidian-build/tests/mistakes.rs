//! What a build is told that cannot be done: files, libraries, folders, manifests. Texts are compared whole.

use std::fs;
use std::path::{Path, PathBuf};

use obsidian_build::{Builder, Emit, Manifest};

const COPY: &str = "#[kernel(threads = 32)]\npub fn copy(xs: DPull<u32>) -> DPush<Grid, u32> {\n    xs.split_up(32).as_grid_map(|c| c.push())\n}\n";

/// An empty folder for a test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the folder");
        Scratch(folder)
    }

    fn with(self, name: &str, text: &str) -> Scratch {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        fs::write(path, text).expect("written");
        self
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path in UTF-8").to_owned()
    }

    /// Compiles what is in the folder: kernels beside, libraries in `libs`.
    fn builder(&self) -> Builder {
        Builder::new().out_dir(self.path("out"))
    }

    /// What is said, with paths from the folder on.
    fn refusal(&self, builder: Builder) -> String {
        let error = builder.compile().expect_err("a refusal");
        assert_eq!(format!("{error:?}"), format!("\n{error}"));
        let here = std::env::current_dir().expect("a folder").display().to_string();
        error.to_string().replace(&self.path(""), "").replace(&here, "HERE")
    }
}

#[test]
fn a_file_that_is_not_there() {
    let scratch = Scratch::new("missing");
    let said = scratch.refusal(scratch.builder().file(scratch.path("dot.rs")));
    assert_eq!(
        said,
        "error: there is no file `dot.rs`\n = note: paths begin at the package's folder, HERE\n \
         = help: name a file that is there, or a pattern: `.file(\"kernels/*.rs\")`\n"
    );
}

#[test]
fn a_pattern_that_matches_nothing() {
    let scratch = Scratch::new("nothing").with("dot.txt", "");
    let said = scratch.refusal(scratch.builder().file(scratch.path("*.rs")));
    assert!(said.starts_with("error: `*.rs` matches no file\n = note: paths begin at"), "{said}");
    let said = scratch.refusal(scratch.builder().file(scratch.path("kernels/*.rs")));
    assert!(said.contains(" = note: there is no folder `kernels`\n"), "{said}");
    let said = scratch.refusal(scratch.builder().file(scratch.path("***.rs")));
    assert!(said.starts_with("error: `***.rs` is not a pattern: "), "{said}");
}

#[test]
fn no_file_at_all() {
    let said = Scratch::new("none").builder().compile().expect_err("a refusal").to_string();
    assert_eq!(said, "error: no kernel file is named\n = help: `.file(\"kernels/*.rs\")`\n");
}

#[test]
fn a_folder_that_cannot_be_written() {
    let scratch = Scratch::new("unwritable").with("copy.rs", COPY).with("out", "a file");
    let said = scratch.refusal(scratch.builder().file(scratch.path("*.rs")));
    assert!(said.starts_with("error: cannot write `out/obsidian`: "), "{said}");
    assert!(said.contains("help: the folder is `OUT_DIR`'s, or that of `.out_dir(..)`"), "{said}");
}

#[test]
fn mistakes_of_all_files_are_shown_in_their_lines() {
    let wrong = COPY.replace("split_up(32)", "split_up(d)").replace("    xs", "\txs");
    let scratch = Scratch::new("wrong").with("a.rs", &wrong).with("b.rs", "fn f( {").with("c.rs", COPY);
    let said = scratch.refusal(scratch.builder().file(scratch.path("*.rs")));
    let mistakes: Vec<&str> = said.split("\n\n").collect();
    assert_eq!(mistakes.len(), 2, "{said}");
    let expected = "error[OB021]: `d` is not known here\n --> a.rs:3:14\n  |\n3 | \txs.split_up(d).as_grid_map(|c| c.push())\n  \
                    | \t            ^\n";
    assert!(mistakes[0].starts_with(expected.trim_end()), "{said}");
    assert!(
        mistakes[1].starts_with("error[OB001]: this is not Rust: ") && mistakes[1].contains("\n --> b.rs:1:7\n"),
        "{said}"
    );
}

#[test]
fn entries_and_files_have_one_name_each() {
    let scratch = Scratch::new("twice").with("a/k.rs", COPY).with("b/k.rs", COPY);
    let said = scratch.refusal(scratch.builder().file(scratch.path("*/k.rs")));
    let expected = "error: two kernel files have the name `k`: a/k.rs and b/k.rs\n\nerror: `copy` is an entry in a/k.rs and b/k.rs\n";
    assert_eq!(said, expected);
}

fn with_libraries(name: &str, libraries: &[(&str, &str)], kernel_use: &str) -> String {
    let mut scratch = Scratch::new(name).with("copy.rs", &format!("{kernel_use}\n{COPY}"));
    for (name, text) in libraries {
        scratch = scratch.with(&format!("libs/{name}"), text);
    }
    let mut builder = scratch.builder().file(scratch.path("copy.rs"));
    if !libraries.is_empty() {
        builder = builder.libraries(scratch.path("libs/*.rs"));
    }
    scratch.refusal(builder)
}

#[test]
fn a_library_that_is_not_at_hand() {
    let said = with_libraries(
        "unknown",
        &[("a.rs", "kernel_lib! { pub mod a { pub fn f(x: u32) -> u32 { x } } }")],
        "use crate::b::g;",
    );
    let expected = "error[OB075]: the library `crate::b` is not at hand\n --> copy.rs:1:12\n  |\n1 | use crate::b::g;\n  \
                    |            ^\n  = note: there are: `a`\n";
    assert!(said.starts_with(expected), "{said}");
    assert!(with_libraries("no-library", &[], "use b::g;").contains(" = note: none is\n"));
}

#[test]
fn mistakes_in_libraries() {
    let of = |name, text| with_libraries(name, &[("a.rs", text)], "");
    let said = of("wrong-library", "\nkernel_lib! { pub mod a {\n    pub fn f(x: u32) -> u32 { y }\n} }");
    assert!(said.starts_with("error[OB021]: `y` is not known here\n --> libs/a.rs:3:31\n"), "{said}");
    let said = of("kernel-in-libs", COPY);
    assert!(
        said.starts_with(
            "error: a file of libraries holds `kernel_lib! { .. }` and nothing else\n --> libs/a.rs:1:1\n"
        ),
        "{said}"
    );
    let said = of("empty", "use obsidian::prelude::*;");
    assert!(said.starts_with("error: `libs/a.rs` holds no library\n"), "{said}");
    let said = of("twice-library", "kernel_lib! { mod a {} mod a {} }");
    assert!(said.starts_with("error: two libraries have the name `a`\n --> libs/a.rs:1:28\n"), "{said}");
    let said = of("no-module", "kernel_lib! { fn f() {} }");
    assert!(said.starts_with("error[OB002]: only modules can stand inside `kernel_lib! { .. }`"), "{said}");
}

#[test]
fn libraries_in_a_circle() {
    let one = |own: &str, other: &str| {
        format!("kernel_lib! {{ pub mod {own} {{ use super::{other}::*; pub fn {own}_f(x: u32) -> u32 {{ x }} }} }}")
    };
    let said = with_libraries("circle", &[("a.rs", &one("a", "b")), ("b.rs", &one("b", "a"))], "use a::*;");
    assert!(
        said.starts_with(
            "error: libraries use one another in a circle, or wait for one: `a`, `b`\n --> libs/a.rs:1:23\n"
        ),
        "{said}"
    );
}

#[test]
fn a_manifest_reads_back_and_one_of_another_version_is_refused() {
    let scratch = Scratch::new("manifest").with("copy.rs", COPY);
    let built = scratch.builder().file(scratch.path("copy.rs")).emit([Emit::Manifest]).compile().expect("it compiles");
    let path = scratch.path("out/obsidian/manifest.json");
    assert_eq!(Manifest::read(&path).expect("it was just written"), built);
    assert_eq!(built.kernels().collect::<Vec<_>>(), ["copy"]);
    let variant = &built.json()["kernels"][0]["variants"][0];
    assert_eq!(variant["blocks"], "len(xs) >> 5");
    assert_eq!(variant["conditions"][0]["holds"], "(len(xs) & 31) == 0");

    let text = fs::read_to_string(&path).expect("the manifest");
    let refusal = |text: &str| {
        fs::write(&path, text).expect("written");
        Manifest::read(&path).expect_err("a refusal").to_string().replace(&scratch.path(""), "")
    };
    let said = refusal(
        &text.replace("\"format\": 1", "\"format\": 7").replace("\"compiler\": \"0.1.0\"", "\"compiler\": \"9.0.0\""),
    );
    let expected = "error: the manifest `out/obsidian/manifest.json` has format 7, written by obsidian-build 9.0.0\n \
                    = note: obsidian-build 0.1.0 reads format 1\n";
    assert!(said.starts_with(expected), "{said}");
    assert!(refusal("{}").contains("is not a manifest"));
    assert!(refusal("not JSON").contains("is not JSON: "));
    fs::remove_file(&path).expect("removed");
    let said = Manifest::read(&path).expect_err("a refusal").to_string();
    assert!(said.starts_with("error: cannot read the manifest `"), "{said}");
}

#[test]
fn only_what_is_asked_for_is_there() {
    let scratch = Scratch::new("asked").with("copy.rs", COPY);
    let names = || {
        let all = fs::read_dir(scratch.path("out/obsidian")).expect("the folder").flatten();
        let mut names: Vec<String> = all.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let builder = || scratch.builder().file(scratch.path("copy.rs"));
    builder().emit(Emit::ALL).compile().expect("it compiles");
    let all = ["copy.cl", "copy.cu", "copy.h", "copy.ptx", "items", "items.rs", "manifest.json"];
    assert_eq!(names(), all);
    // What the last build left is gone.
    builder().emit([Emit::Ptx]).compile().expect("it compiles");
    assert_eq!(names(), ["copy.ptx", "items", "items.rs"]);
}

/// Variants and launches have names of their own.
#[test]
fn two_kernels_of_one_name_in_the_texts() {
    let variants = COPY.replace("threads = 32", "threads = [32, 64]");
    let other = COPY.replace("copy", "copy_t32");
    let launched = "#[kernel]\npub fn d(xs: DPull<u32>) -> Program<Device, DPull<u32>> { xs.map(|x| x + 1).compute().reverse() }\n";
    let first = COPY.replace("copy", "d_1");
    for (one, two, said) in [
        (variants.as_str(), other.as_str(), "a kernel of `copy` and one of `copy_t32` are both called `copy_t32`"),
        (launched, first.as_str(), "a kernel of `d_1` and one of `d` are both called `d_1`"),
    ] {
        let scratch = Scratch::new("one_name").with("k.rs", &format!("{one}{two}"));
        let found = scratch.refusal(scratch.builder().file(scratch.path("k.rs")).emit(Emit::ALL));
        assert!(found.contains(said), "{found}");
        // The entries themselves are two.
        scratch.builder().file(scratch.path("k.rs")).compile().expect("nothing is written");
    }
}
