//! How many kernels must fail, by code: those of `tests/refused`, which need no rustc, and those of the workspace's `tests/ui`, which rustc
//! builds. The guide has the table; `cargo xtask bless refused` writes it anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::{blessing, cases, pages};

/// Of each code at least this many.
const NEEDED: usize = 3;

/// Of all codes together.
const NEEDED_IN_ALL: usize = 421;

/// What stands above the table.
const HEAD: &str = "# What is refused

Every code has mistakes that must be refused, each with its whole message: those of `obsidian-build/tests/refused`, which the compiler refuses
by itself, and those of `tests/ui`, which rustc builds with the macro. `cargo test -p obsidian-build --test refused` counts them, and fails where a code
has fewer than 3, or all together are fewer than 421. A message of `tests/ui` counts once, with what is told beside it.

";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The codes that the page of errors explains, each with its title; one that is not in use any more has no example.
fn codes() -> BTreeMap<String, String> {
    let page = text(&workspace().join("docs/src/errors.md"));
    let section = |section: &str| {
        let (code, title) = section.lines().next()?.split_once(": ")?;
        section.contains("```").then(|| (code.to_owned(), title.to_owned()))
    };
    page.split("\n## ").filter(|section| section.starts_with("OB")).filter_map(section).collect()
}

/// The codes of the errors in the texts of `tests/ui`.
fn of_rustc() -> Vec<String> {
    let files = fs::read_dir(workspace().join("tests/ui")).expect("the folder of cases");
    let texts =
        files.map(|file| file.expect("a file").path()).filter(|path| path.extension().is_some_and(|e| e == "stderr"));
    let heads = |said: String| {
        let code = |line: &str| Some(line.strip_prefix("error: [")?.split_once(']')?.0.to_owned());
        said.lines().filter_map(code).collect::<Vec<_>>()
    };
    texts.flat_map(|path| heads(text(&path))).collect()
}

/// The page, and what is missing.
fn page() -> (String, Vec<String>) {
    let refused: BTreeMap<String, usize> = pages().into_iter().map(|(code, page)| (code, cases(&page).len())).collect();
    let built = of_rustc();
    let (mut page, mut few, mut all) = (HEAD.to_owned(), Vec::new(), [0; 2]);
    page += "| code | what it is about | `refused` | `ui` | together |\n|---|---|---|---|---|\n";
    for (code, title) in codes() {
        let counts = [refused.get(&code).copied().unwrap_or(0), built.iter().filter(|of| **of == code).count()];
        let sum = counts[0] + counts[1];
        writeln!(page, "| `{code}` | {title} | {} | {} | {sum} |", counts[0], counts[1]).expect("text");
        if sum < NEEDED {
            few.push(format!("{code} has {sum}"));
        }
        all = [all[0] + counts[0], all[1] + counts[1]];
    }
    let sum = all[0] + all[1];
    writeln!(page, "| all | | {} | {} | {sum} |", all[0], all[1]).expect("text");
    if sum < NEEDED_IN_ALL {
        few.push(format!("all together are {sum}"));
    }
    (page, few)
}

#[test]
fn the_guide_says_how_many_there_are_of_each_code() {
    let (fresh, few) = page();
    assert!(few.is_empty(), "{few:?}");
    let path = workspace().join("docs/src/refused.md");
    if blessing() {
        fs::write(path, fresh).expect("written");
    } else {
        assert_eq!(text(&path), fresh, "`cargo xtask bless refused` writes the page anew");
    }
}

/// A code that has no section would be counted nowhere.
#[test]
fn every_code_that_is_refused_is_explained() {
    let known = codes();
    let unknown: Vec<String> =
        pages().into_iter().map(|(code, _)| code).chain(of_rustc()).filter(|code| !known.contains_key(code)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
