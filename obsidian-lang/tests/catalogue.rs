//! Keeps the guide true. `docs/src/library.md` is rendered here from the builtins' rows and the standard library's doc
//! comments (`OBSIDIAN_BLESS=1` rewrites it); every kernel in the guide is compiled, every wrong one must give its code;
//! every code in the compiler has a section in `errors.md`, and every section a code.

#[path = "catalogue/citations.rs"]
mod citations;
#[path = "catalogue/libraries.rs"]
mod libraries;
#[path = "catalogue/rustdoc.rs"]
mod rustdoc;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use obsidian_lang::library::FILES;
use obsidian_lang::stage::BUILTINS;

/// Faults of the compiler itself: no author of a kernel can act on them.
const INTERNAL: &str = "OB099";
/// No kernel shows it: an earlier stage reports every case that can be written, or only what the author writes element
/// by element can be wrong.
const NO_EXAMPLE: [&str; 1] = ["OB041"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

// ---- library.md

const HEAD: &str = "\
# Library

<!-- Rendered by obsidian-lang/tests/catalogue.rs from the builtins' rows and the library's doc comments.
     After a change there: OBSIDIAN_BLESS=1 cargo test -p obsidian-lang --test catalogue -->

`xs.f(a)` and `f(xs, a)` are the same call. A function of yours hides a library function of the same name.

`S: Size` stands for either kind of length: `Pull<T>` has one that is known while compiling, `DPull<T>` one that is
known at launch. `Data` is what can be stored: scalars and tuples of scalars. Rows of one name are one function for
several types of argument.
";

/// What a theme's table is called.
fn title(theme: &str) -> String {
    match theme {
        "levels" => "Joining levels with a function".into(),
        "sequential" => "Sequential and unrolled folds".into(),
        other => other[..1].to_uppercase() + &other[1..],
    }
}

fn row(out: &mut String, signature: &str, doc: &str, source: &str) {
    let cell = |s: &str| s.replace('|', "\\|");
    let signature = signature.trim_start_matches("fn ");
    let _ = writeln!(out, "| `{}` | {} | {} |", cell(signature), cell(doc), cell(source));
}

fn table(out: &mut String, title: &str, note: &str) {
    let _ = write!(out, "\n## {title}\n\n{note}\n\n| function | meaning | source |\n|---|---|---|\n");
}

/// Whom a function of the library is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    Kernels,
    /// Other functions of the library: a kernel may call it, but no table shows it.
    Library,
}

/// Builtins that the library's functions are made of, and nobody else needs.
const BUILTINS_FOR_LIBRARY: [&str; 23] = [
    "add_exact",
    "at_most",
    "blank",
    "breadth",
    "by_device",
    "by_float",
    "by_float2",
    "chain_cells",
    "commutes",
    "decided",
    "gpu_cos",
    "gpu_exp2",
    "gpu_log2",
    "gpu_sin",
    "gpu_tanh",
    "is_some_length",
    "of_words",
    "push_app",
    "surely_at_most",
    "to_words",
    "whole_tile",
    "whole_tiles",
    "words_of_total",
];

/// Whom a builtin is for.
fn audience(signature: &str) -> Audience {
    if BUILTINS_FOR_LIBRARY.contains(&name(signature)) { Audience::Library } else { Audience::Kernels }
}

/// The line before a function that is for the library itself.
const FOR_LIBRARY: &str = "// For the library itself.";

/// A function of a library file.
struct Function {
    signature: String,
    meaning: String,
    source: String,
    audience: Audience,
}

/// The functions of a library file.
fn library_rows(text: &str) -> Vec<Function> {
    let (mut rows, mut doc, mut audience) = (Vec::new(), Vec::new(), Audience::Kernels);
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("///") {
            doc.push(words.trim());
        } else if line == FOR_LIBRARY {
            audience = Audience::Library;
        } else if line.starts_with("fn ") {
            let whole = std::mem::take(&mut doc).join(" ");
            let (meaning, source) = whole.split_once("Source:").unwrap_or((&whole, ""));
            let [signature, meaning, source] =
                [line.trim_end_matches(" {"), meaning.trim(), source.trim().trim_end_matches('.')].map(String::from);
            rows.push(Function { signature, meaning, source, audience });
            audience = Audience::Kernels;
        }
    }
    rows
}

/// The name in a signature.
fn name(signature: &str) -> &str {
    signature.trim_start_matches("fn ").split(['<', '(']).next().unwrap_or_default()
}

#[test]
fn what_is_for_the_library_itself_is_used_by_it() {
    let words = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| !line.starts_with("//"))
            .flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')))
            .map(String::from)
            .collect()
    };
    let all: Vec<String> = FILES.iter().flat_map(|(_, text)| words(text)).collect();
    let rows: Vec<Function> = FILES.iter().flat_map(|(_, text)| library_rows(text)).collect();
    let internal: BTreeSet<&str> =
        rows.iter().filter(|f| f.audience == Audience::Library).map(|f| name(&f.signature)).collect();
    assert!(internal.len() > 100, "{} functions", internal.len());
    for builtin in BUILTINS_FOR_LIBRARY {
        assert!(BUILTINS.iter().any(|b| name(b.signature) == builtin), "there is no builtin `{builtin}`");
        assert!(all.iter().any(|word| word == builtin), "no function of the library uses `{builtin}`");
    }
    for wanted in internal {
        let forms = rows.iter().filter(|f| name(&f.signature) == wanted).count();
        let shown = rows.iter().any(|f| name(&f.signature) == wanted && f.audience == Audience::Kernels);
        assert!(!shown, "`{wanted}` is shown in one form only");
        assert!(
            all.iter().filter(|word| *word == wanted).count() > forms,
            "no function of the library uses `{wanted}`"
        );
    }
}

fn library_page() -> String {
    let mut out = HEAD.to_string();
    table(&mut out, "Builtins", "Part of the compiler: `obsidian-lang/src/stage/builtins/`.");
    for b in BUILTINS.iter().filter(|b| audience(b.signature) == Audience::Kernels) {
        row(&mut out, b.signature, b.doc, b.source);
    }
    for (theme, text) in FILES {
        table(&mut out, &title(theme), &format!("Written in the language: `obsidian-lang/src/library/{theme}.obs`."));
        for f in library_rows(text).into_iter().filter(|f| f.audience == Audience::Kernels) {
            row(&mut out, &f.signature, &f.meaning, &f.source);
        }
    }
    out
}

#[test]
fn the_library_page_is_what_the_library_says() {
    let (path, page) = (root().join("docs/src/library.md"), library_page());
    if std::env::var_os("OBSIDIAN_BLESS").is_some_and(|v| v == "1") {
        fs::write(&path, &page).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/src/library.md is not up to date: run this test with OBSIDIAN_BLESS=1");
}

#[test]
fn every_library_function_has_a_meaning_and_a_source() {
    for (theme, text) in FILES {
        for Function { signature, meaning: doc, source, .. } in library_rows(text) {
            assert!(signature.contains(") -> "), "{theme}: `{signature}`: the signature must stand on one line");
            assert!(!doc.is_empty() && !source.is_empty(), "{theme}: `{signature}`: no meaning, or no source");
        }
    }
    for b in &BUILTINS {
        assert!(!b.doc.is_empty() && !b.source.is_empty(), "{}", b.signature);
    }
}

// ---- errors.md

/// The codes in a text.
fn codes(text: &str) -> BTreeSet<String> {
    let code = |at: usize| text.get(at + 2..at + 5).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
    text.match_indices("OB").filter_map(|(at, _)| code(at)).map(|digits| format!("OB{digits}")).collect()
}

/// The codes in the Rust files under a folder.
fn codes_under(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let of = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => codes_under(&path),
        Some(e) if e == "rs" => codes(&fs::read_to_string(&path).unwrap_or_default()),
        _ => BTreeSet::new(),
    };
    entries.flatten().flat_map(|e| of(e.path())).collect()
}

fn codes_of_the_compiler() -> BTreeSet<String> {
    ["obsidian-lang/src", "obsidian-ir/src"].iter().flat_map(|crate_| codes_under(&root().join(crate_))).collect()
}

/// The sections of `errors.md`: code and text.
fn sections(page: &str) -> Vec<(String, String)> {
    page.split("\n## ").skip(1).map(|s| (s.chars().take(5).collect(), s.to_string())).collect()
}

#[test]
fn every_code_has_a_section_and_every_section_a_code() {
    let mut used = codes_of_the_compiler();
    assert!(used.len() > 20, "the search for codes finds too few: {used:?}");
    used.remove(INTERNAL);
    let listed: Vec<String> = sections(&read("docs/src/errors.md")).into_iter().map(|(code, _)| code).collect();
    let explained: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), explained.len(), "a code has two sections: {listed:?}");
    let missing: Vec<_> = used.difference(&explained).collect();
    assert!(missing.is_empty(), "docs/src/errors.md has no section for {missing:?}");
    let stale: Vec<_> = explained.difference(&used).collect();
    assert!(stale.is_empty(), "docs/src/errors.md explains {stale:?}, which the compiler never reports");
}

/// The kernels of a page: its blocks that are fenced as `rust,ignore` (mdBook cannot run them, this test can).
fn kernels(page: &str) -> Vec<String> {
    let blocks = page.split("```rust,ignore\n").skip(1);
    blocks.filter_map(|b| b.split_once("```")).map(|(code, _)| code.to_string()).collect()
}

/// The messages that compiling gives; none where all is well.
fn messages(kernel: &str) -> Vec<String> {
    match libraries::compile_text(kernel) {
        Ok(entries) => {
            assert!(!entries.is_empty(), "without an entry nothing is evaluated:\n{kernel}");
            Vec::new()
        }
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn wrong_examples_are_refused_with_their_code_and_right_ones_compile() {
    let mut faults = Vec::new();
    for (code, text) in sections(&read("docs/src/errors.md")) {
        let examples = kernels(&text);
        if NO_EXAMPLE.contains(&code.as_str()) {
            continue;
        }
        let [wrong, right] = examples.as_slice() else { panic!("{code}: needs one wrong example and one right one") };
        let found = messages(wrong);
        let its_own = !found.is_empty() && found.iter().all(|m| m.contains(&code));
        if !its_own {
            faults.push(format!("{code}: the wrong example gives {found:#?}"));
        }
        let found = messages(right);
        if !found.is_empty() {
            faults.push(format!("{code}: the right example gives {found:#?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// ---- the other pages

#[test]
fn every_kernel_of_the_guide_compiles() {
    for page in [
        "docs/src/introduction.md",
        "docs/src/pull_push.md",
        "docs/src/levels.md",
        "docs/src/any_length.md",
        "docs/src/language.md",
        "docs/src/mutable.md",
        "docs/src/recipes.md",
        "docs/src/libraries.md",
        "docs/src/device.md",
    ] {
        let examples = kernels(&read(page));
        assert!(!examples.is_empty(), "{page} has no kernel");
        for kernel in examples {
            let found = messages(&kernel);
            assert!(found.is_empty(), "{page}: {found:#?} in\n{kernel}");
        }
    }
}

/// The code of a file, without the comment at its head.
fn code_of(path: &str) -> String {
    let text = read(path);
    let head = text.lines().take_while(|line| line.starts_with("//") || line.is_empty()).count();
    text.split_inclusive('\n').skip(head).collect()
}

#[test]
fn the_page_of_build_scripts_shows_the_example() {
    let page = read("docs/src/build.md");
    for file in ["build.rs", "examples/kernel_file/kernels/dot.rs", "examples/kernel_file/kernels/libs/sums.rs"] {
        let code = code_of(file);
        assert!(code.lines().count() > 3, "{file}");
        assert!(page.contains(&format!("```rust\n{code}```")), "docs/src/build.md must show {file} as it is:\n{code}");
    }
}

#[test]
fn the_readme_shows_the_quickstart_and_a_true_message() {
    let (readme, quickstart) = (read("README.md"), read("examples/quickstart.rs"));
    for start in ["    /// Tree reduction", "    /// The sum of each 512"] {
        let from = readme.find(start).unwrap_or_else(|| panic!("README.md: `{start}` is gone"));
        let function = readme[from..].split_inclusive("\n    }\n").next().unwrap_or_default();
        assert!(
            quickstart.contains(function),
            "README.md shows what examples/quickstart.rs does not hold:\n{function}"
        );
    }
    let message = read("tests/ui/compute_at_grid.stderr");
    assert!(
        readme.contains(message.trim()),
        "README.md must show tests/ui/compute_at_grid.stderr as it is:\n{message}"
    );
}
