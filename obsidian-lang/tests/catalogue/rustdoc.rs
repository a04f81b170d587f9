//! `src/library/pages/`: the library as Rust items for rustdoc and rust-analyzer, one module per theme. In: the builtins'
//! rows and the library's files. Out: files that `OBSIDIAN_BLESS=1` writes and this test compares.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use obsidian_lang::expand::reference::{Fidelity, TYPES, render};
use obsidian_lang::library::FILES;
use obsidian_lang::stage::{BUILTINS, THEMES};

use super::{Audience, Function, audience, library_rows, name, read, root, title};

const FROM: &str =
    "Rendered by obsidian-lang/tests/catalogue from the builtins' rows and the library's doc comments; do not edit.";

/// One form of a function.
struct Form {
    signature: String,
    doc: String,
    source: String,
    audience: Audience,
}

/// Theme → name → forms. A name has one page, in the theme of its first form in the language, else of its first builtin.
fn pages() -> BTreeMap<&'static str, BTreeMap<String, Vec<Form>>> {
    let mut home: BTreeMap<String, &str> = BTreeMap::new();
    let mut forms: Vec<Form> = Vec::new();
    for (theme, text) in FILES {
        for Function { signature, meaning: doc, source, audience } in library_rows(text) {
            home.entry(name(&signature).to_string()).or_insert(theme);
            forms.push(Form { signature, doc, source, audience });
        }
    }
    for (theme, rows) in THEMES {
        for b in rows {
            home.entry(name(b.signature).to_string()).or_insert(theme);
            let (signature, doc, source) = (b.signature.into(), b.doc.into(), b.source.into());
            forms.push(Form { signature, doc, source, audience: audience(b.signature) });
        }
    }
    // A page is headed by a form that every level has, where there is one.
    forms.sort_by_key(|form| form.signature.contains("Program<Device"));
    let mut pages: BTreeMap<&str, BTreeMap<String, Vec<Form>>> = BTreeMap::new();
    for form in forms {
        let name = name(&form.signature).to_string();
        pages.entry(home[&name]).or_default().entry(name).or_default().push(form);
    }
    pages
}

fn page(theme: &str, functions: &BTreeMap<String, Vec<Form>>) -> String {
    let mut out = format!(
        "//! {}.\n\n// {FROM}\n#![allow(unused_variables, clippy::type_complexity, clippy::too_many_arguments)]\n",
        title(theme)
    );
    out.push_str("use super::super::{in_kernels_only, types::*};\n");
    for (name, forms) in functions {
        let (first, others) = (&forms[0], &forms[1..]);
        let sig = syn::parse_str(&first.signature).unwrap_or_else(|e| panic!("{}: {e}", first.signature));
        let rendered = render(&sig);
        assert!(rendered.fidelity != Fidelity::Lost, "{name}: a type that `library::types` does not have");
        let _ = write!(out, "\n/// {}\n///\n/// Source: {}.\n", first.doc, first.source);
        if rendered.fidelity == Fidelity::Changed {
            let _ = write!(out, "///\n/// In the language: `{}`.\n", first.signature);
        }
        if !others.is_empty() {
            out.push_str("///\n/// # Also\n");
        }
        for f in others {
            let signature = f.signature.trim_start_matches("fn ");
            let _ = write!(out, "///\n/// `{signature}`:\n/// {} Source: {}.\n", f.doc, f.source);
        }
        if first.audience == Audience::Library {
            out.push_str("#[doc(hidden)]\n");
        }
        let guard = rendered.guard.to_string().replace(" < ", "<").replace(" >", ">").replace(" :", ":");
        let written = match rendered.fidelity {
            Fidelity::Exact => first.signature.clone(),
            Fidelity::Changed | Fidelity::Lost => rendered.tokens.to_string(),
        };
        let _ = writeln!(out, "pub {} {{\n    in_kernels_only()\n}}", format!("{written} {guard}").trim_end());
    }
    out
}

fn index(themes: &[&str]) -> String {
    let mut out = format!("//! One module per theme.\n\n// {FROM}\n\n");
    for theme in themes {
        let _ = writeln!(out, "pub mod {theme};");
    }
    out.push_str("\n/// Every function, whatever its theme: what the macro's output names for rust-analyzer.\n");
    out.push_str("#[doc(hidden)]\npub mod names {\n");
    for theme in themes {
        let _ = writeln!(out, "    pub use super::{theme}::*;");
    }
    out + "}\n"
}

fn files() -> BTreeMap<PathBuf, String> {
    let folder = root().join("src/library/pages");
    let pages = pages();
    let themes: Vec<&str> = pages.keys().copied().collect();
    let mut files: BTreeMap<PathBuf, String> =
        pages.iter().map(|(theme, fns)| (folder.join(theme).with_extension("rs"), page(theme, fns))).collect();
    files.insert(folder.join("mod.rs"), index(&themes));
    files
}

#[test]
fn the_pages_of_rustdoc_are_what_the_library_says() {
    let files = files();
    let folder = root().join("src/library/pages");
    if std::env::var_os("OBSIDIAN_BLESS").is_some_and(|v| v == "1") {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for (path, text) in &files {
            fs::write(path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
    }
    let there: Vec<PathBuf> =
        fs::read_dir(&folder).map(|d| d.flatten().map(|e| e.path()).collect()).unwrap_or_default();
    let same = there.len() == files.len()
        && files.iter().all(|(path, text)| fs::read_to_string(path).is_ok_and(|found| found == *text));
    assert!(same, "src/library/pages is not up to date: run this test with OBSIDIAN_BLESS=1");
}

#[test]
fn every_builtin_has_a_theme() {
    let mut rows: Vec<&str> = THEMES.iter().flat_map(|(_, rows)| rows.iter().map(|b| b.signature)).collect();
    let mut all: Vec<&str> = BUILTINS.iter().map(|b| b.signature).collect();
    rows.sort_unstable();
    all.sort_unstable();
    assert_eq!(rows, all, "add the file's rows to stage::builtins::THEMES");
}

#[test]
fn every_type_of_a_signature_has_a_page() {
    let types = read("src/library/types.rs");
    let words: Vec<&str> = types.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let bounds = types.split_once("\nbounds! {").map_or("", |(_, list)| list);
    for name in TYPES {
        let item = words.windows(2).any(|w| ["struct", "type"].contains(&w[0]) && w[1] == name);
        let bound =
            [format!("    {name};"), format!("    {name}<L>;")].iter().any(|line| bounds.contains(line.as_str()));
        assert!(item || bound, "src/library/types.rs: no `{name}`");
    }
}
