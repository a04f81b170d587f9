//! Kernels that must be refused, each with what is said, as `obsidian-build` shows it: `tests/refused` has a page for each code.
//!
//! A section is a title that says what is wrong, the kernel, and the whole text of the refusal. `cargo xtask bless refused` writes the
//! texts anew. Unlike the cases of `tests/ui` these need no rustc, so that there can be many of them.

#[path = "counted/mod.rs"]
mod counted;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use obsidian_build::Builder;

/// Of each code at least this many kernels.
const NEEDED: usize = 3;

/// Of all codes together.
const NEEDED_IN_ALL: usize = 350;

/// The longest text that is allowed, in lines.
const MAX_LINES: usize = 30;

/// A section of a page.
#[derive(Debug)]
struct Case {
    title: String,
    kernel: String,
    /// What was said when it was last blessed.
    said: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused")
}

/// The pages, by code.
fn pages() -> Vec<(String, String)> {
    let files = fs::read_dir(folder()).expect("the folder of pages");
    let page = |path: PathBuf| {
        let code = path.file_stem()?.to_str()?.to_owned();
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Some((code, text))
    };
    let mut pages: Vec<(String, String)> = files.filter_map(|file| page(file.expect("a file").path())).collect();
    pages.sort();
    pages
}

fn cases(page: &str) -> Vec<Case> {
    let block = |section: &str, kind: &str| {
        let rest = section.split_once(&format!("```{kind}\n"))?.1;
        Some(rest.split_once("```")?.0.to_owned())
    };
    let case = |section: &str| Case {
        title: section.lines().next().unwrap_or_default().to_owned(),
        kernel: block(section, "rust").unwrap_or_else(|| panic!("no kernel in:\n{section}")),
        said: block(section, "text").unwrap_or_default(),
    };
    page.split("\n## ").skip(1).map(case).collect()
}

/// What is said of a kernel; nothing if it compiles.
fn refusal(code: &str, number: usize, kernel: &str) -> Option<String> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused").join(format!("{code}-{number}"));
    fs::create_dir_all(&scratch).expect("a folder");
    let file = scratch.join("kernel.rs");
    fs::write(&file, kernel).expect("written");
    let built = Builder::new().out_dir(&scratch).file(file.to_str().expect("a path in UTF-8")).compile();
    let said = built.err().map(|error| error.to_string().replace(&format!("{}/", scratch.display()), ""));
    let _ = fs::remove_dir_all(&scratch);
    said
}

/// A page with what is said now, and what is wrong with it.
fn check(code: &str, page: &str) -> (String, Vec<String>) {
    let head = page.split("\n## ").next().unwrap_or_default();
    let (mut fresh, mut wrong) = (head.trim_end().to_owned() + "\n", Vec::new());
    for (number, case) in cases(page).into_iter().enumerate() {
        let said = refusal(code, number, &case.kernel).unwrap_or_else(|| "it compiles\n".to_owned());
        let mut complain = |why: &str| wrong.push(format!("{code}, \"{}\": {why}:\n{said}", case.title));
        if !said.starts_with(&format!("error[{code}]")) {
            complain("another code, or none");
        }
        if said.lines().count() > MAX_LINES {
            complain("too long");
        }
        if said != case.said && !blessing() {
            complain(&format!("was\n{}and is now", case.said));
        }
        write!(fresh, "\n## {}\n\n```rust\n{}```\n\n```text\n{said}```\n", case.title, case.kernel).expect("text");
    }
    (fresh, wrong)
}

fn blessing() -> bool {
    std::env::var_os("OBSIDIAN_BLESS").is_some()
}

#[test]
fn each_is_refused_as_its_page_says() {
    let mut all = Vec::new();
    for (code, page) in pages() {
        let (fresh, wrong) = check(&code, &page);
        if blessing() {
            fs::write(folder().join(format!("{code}.md")), fresh).expect("written");
        }
        all.extend(wrong);
    }
    assert!(all.is_empty(), "{} kernels:\n\n{}", all.len(), all.join("\n"));
}

#[test]
fn there_are_enough_and_no_two_are_alike() {
    let all: Vec<(String, Vec<Case>)> = pages().into_iter().map(|(code, page)| (code, cases(&page))).collect();
    let few: Vec<&String> = all.iter().filter(|(_, cases)| cases.len() < NEEDED).map(|(code, _)| code).collect();
    assert!(few.is_empty(), "fewer than {NEEDED}: {few:?}");
    let mut kernels: Vec<&str> = all.iter().flat_map(|(_, cases)| cases).map(|case| case.kernel.trim()).collect();
    let count = kernels.len();
    assert!(count >= NEEDED_IN_ALL, "{count} kernels");
    kernels.sort_unstable();
    kernels.dedup();
    assert_eq!(kernels.len(), count, "two kernels are the same");
}
