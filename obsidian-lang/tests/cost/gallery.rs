//! The guide's gallery, `docs/src/gallery.md`: the examples and how to run them, and programs of the papers with picture, source, report
//! and the call of the host. Held against what the compiler does; `OBSIDIAN_BLESS=1` writes it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use obsidian_ir::draw;
use obsidian_ir::program::{ArrayId, ElementShape, Param, ParamKind, Program};
use obsidian_lang::driver::Compiled;

use super::sources;

/// The programs, in the order of the page: those that store something, so that there is a picture.
const SHOWN: [(&str, &[&str]); 7] = [
    (
        "Reductions",
        &["reductions", "sum_red1", "sum_red2", "sum_red4", "sum_red6", "compose_red1", "tuned_reduce_pair"],
    ),
    ("Scans", &["sklansky", "kogge_stone", "brent_kung", "chained_scan", "any_scanned", "tuned_scan"]),
    ("Sorting", &["bitonic", "merged", "tsort_push", "vsort_pull", "small_sort", "sorted_odd_even", "any_sorted"]),
    ("Matrices", &["matrix_vector", "transposed", "tuned_transpose", "mat_row_sums", "mat_softmax"]),
    ("Histograms and counts", &["counted_by_blocks", "counted_by_warps", "votes_histogram", "row_counts"]),
    ("Sums of products", &["dotp", "sasum", "row_products", "row_products_by_warps", "smvm_products"]),
    ("Moving elements", &["reversed_chunks", "rotate_add", "interleaved", "tiles_transposed"]),
];

const HEAD: &str = "\
# Gallery

<!-- Rendered by obsidian-lang/tests/cost.rs. After a change: OBSIDIAN_BLESS=1 cargo test -p obsidian-lang --test cost -->

Programs to run, to read and to copy. Those of the first table are whole: each checks its own result, and says where it ran.
";

const PROGRAMS: &str = "
The kernels below are those of the crate `programs`, which the tests run on every back end. The picture is the shared memory of a block over its
steps: which array lies where, and from when to when. The texts of one, PTX, CUDA C, OpenCL C and the C header, are printed by
`cargo run -p obsidian-programs --example emit -- NAME`; a picture by `cargo obsidian draw memory -k NAME FILE`, the report by
`cargo obsidian explain -k NAME -p FILE`. To run one, copy it with the helpers of its file and call it as is said beside it.
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The Rust files of a folder, by name.
fn files(folder: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder").flatten().map(|entry| entry.path());
    let sources = entries.filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let mut files: Vec<_> =
        sources.map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), read(&path))).collect();
    files.sort();
    files
}

/// What each example says of itself, and the command: the package's own, and those that are packages of their own.
fn examples() -> String {
    let mut rows: Vec<_> =
        files("examples").into_iter().map(|(name, text)| (format!("--example {name}"), about(&text))).collect();
    let folders = fs::read_dir(root().join("examples")).expect("a folder").flatten().map(|entry| entry.path());
    for folder in folders.filter(|path| path.is_dir()) {
        let name = folder.file_name().expect("a name").to_string_lossy();
        let manifest = read(&folder.join("Cargo.toml"));
        let package = manifest.lines().find_map(|line| line.strip_prefix("name = ")).expect("a name").trim_matches('"');
        let text = read(&folder.join(format!("{name}.rs")));
        rows.push((format!("-p {package} --example {name}"), about(&text)));
    }
    rows.sort_by_key(|(command, _)| command.rsplit(' ').next().map(str::to_owned));
    let mut table = String::from("\n| program | run it |\n|---|---|\n");
    for (command, about) in rows {
        let _ = writeln!(table, "| {about} | `cargo run --release {command}` |");
    }
    table
}

/// The first sentence of what an example says of itself.
fn about(text: &str) -> String {
    let about: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let about = about.join(" ");
    let about = about.split(": `cargo").next().and_then(|rest| rest.split(". ").next()).unwrap_or_default();
    about.trim_end_matches(['.', ':']).to_owned()
}

/// The file of an entry, and its lines there, without what indents them.
fn source(name: &str, files: &[(String, String)]) -> (String, String) {
    let starts = |line: &str| {
        let rest = line.trim_start().strip_prefix("pub fn ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(['(', '<']))
    };
    let found = files.iter().find_map(|(file, text)| {
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| starts(line))?;
        let indent = lines[at].len() - lines[at].trim_start().len();
        let end = at + lines[at..].iter().position(|line| *line == format!("{}}}", " ".repeat(indent)))?;
        let belongs = |line: &&&str| !line.trim().is_empty() && line.trim() != "kernel! {" && !line.ends_with('}');
        let first = at - lines[..at].iter().rev().take_while(belongs).count();
        let code = lines[first..=end].iter().map(|line| line.get(indent..).unwrap_or_default());
        Some((file.clone(), code.collect::<Vec<_>>().join("\n")))
    });
    found.unwrap_or_else(|| panic!("no source of `{name}`"))
}

/// How the host calls an entry: `dotp.call(&xs, &ys)?`, and the types.
fn call(name: &str, p: &Program) -> String {
    let (mut names, mut types, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for param in &p.params {
        match &param.kind {
            ParamKind::Scalar(ty) => {
                names.push(param.name.clone());
                types.push(ty.name().to_owned());
            }
            ParamKind::Input { arrays, .. } => {
                names.push(format!("&{}", param.name));
                types.push(format!("&[{}]", element(p, param, arrays)));
            }
            ParamKind::InOut { arrays, .. } => {
                names.push(format!("&mut {}", param.name));
                types.push(format!("&mut [{}]", element(p, param, arrays)));
            }
            ParamKind::Output { arrays, .. } => results.push(format!("Vec<{}>", element(p, param, arrays))),
            ParamKind::Fault(_) => {}
        }
    }
    let results = match &results[..] {
        [one] => one.clone(),
        all => format!("({})", all.join(", ")),
    };
    format!("`{name}.call({})?`, of types `({}) -> {results}`", names.join(", "), types.join(", "))
}

fn element(p: &Program, param: &Param, arrays: &[ArrayId]) -> String {
    let types: Vec<&str> = arrays.iter().map(|&a| p.array(a).elem.name()).collect();
    match (param.shape, &types[..]) {
        (ElementShape::Scalar, [one]) => (*one).to_owned(),
        _ => format!("({})", types.join(", ")),
    }
}

/// The part of the page about an entry; its picture goes to a file.
fn shown(entry: &Compiled, files: &[(String, String)], pictures: &mut Vec<(PathBuf, String)>) -> String {
    let (name, first) = (sources::plain_name(entry), &entry.variants[0]);
    let (file, code) = source(&name, files);
    let picture = format!("pictures/gallery/{name}.svg");
    pictures.push((root().join("docs/src").join(&picture), draw::memory(&first.native)));
    // Rows and columns of a matrix are no arguments of the host's.
    let of_matrix = first.native.params.iter().any(|param| param.matrix.is_some());
    let host = if of_matrix {
        "a matrix in: `(&values, rows, cols)` or a `&Matrix`".to_owned()
    } else {
        call(&name, &first.native)
    };
    format!(
        "\n### `{name}`\n\n![shared memory of a block of {name} over time]({picture})\n\n```rust,ignore\n{code}\n```\n\n\
         `programs/src/{file}.rs`; {host}.\n\n<details><summary>Report</summary>\n\n```text\n{}\n```\n\n</details>\n",
        first.report.to_string().trim_end()
    )
}

/// Holds page and pictures against what the compiler does; `OBSIDIAN_BLESS=1` writes them.
pub fn is_up_to_date(entries: &[Compiled]) {
    let (mut page, mut pictures) = (HEAD.to_owned() + &examples() + PROGRAMS, Vec::new());
    let files = files("programs/src");
    for (theme, names) in SHOWN {
        let _ = write!(page, "\n## {theme}\n");
        for name in names {
            let entry = entries.iter().find(|entry| sources::plain_name(entry) == *name);
            page += &shown(entry.unwrap_or_else(|| panic!("no kernel {name}")), &files, &mut pictures);
        }
    }
    assert!(pictures.len() >= 30, "{} programs", pictures.len());
    let written = [(root().join("docs/src/gallery.md"), page)].into_iter().chain(pictures);
    for (path, text) in written {
        if std::env::var_os("OBSIDIAN_BLESS").is_some_and(|v| v == "1") {
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
            fs::write(&path, &text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == text, "{} is not up to date: run this test with OBSIDIAN_BLESS=1", path.display());
    }
}
