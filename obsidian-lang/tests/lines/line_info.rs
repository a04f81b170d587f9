//! `line_info` on an entry: what the texts of one kernel tell, line by line.

use std::path::Path;

use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_lang::driver::{Compilation, Extent, Output, Variant};
use obsidian_lang::linking;
use obsidian_lang::syntax::SpanTable;

/// Line 4 loads `xs` and line 5 loads `ys` where it makes the pair; line 6 stores.
const SUMS: &str = "#[kernel(threads = 32, line_info)]
pub fn sums(xs: DPull<i32>, ys: DPull<i32>) -> DPush<Grid, i32> {
    let n = xs.len();
    let first = mk_pull(n, |i| xs[i]);
    let both = mk_pull(n, |i| first[i] + ys[i]);
    both.split_up(32).as_grid_map(|c| c.push())
}
#[kernel(threads = 32)]
pub fn plain(xs: DPull<i32>) -> DPush<Grid, i32> {
    xs.split_up(32).as_grid_map(|c| c.push())
}";

fn compiled() -> Vec<Variant> {
    let mut spans = SpanTable::of_file(Path::new("kernels/sums.rs"));
    let text = linking::read(SUMS.parse().expect("tokens"), &mut spans).expect("a kernel");
    let output = Compilation { text: &text, libraries: &[], extent: Extent::WHOLE }.run(&mut spans);
    let entries = output.map(Output::into_compiled).unwrap_or_else(|mistakes| panic!("{}", mistakes[0]));
    entries.kernels.into_iter().flat_map(|entry| entry.variants).collect()
}

/// The lines of a text that have a word in them, each with the line of the author's that it is told to be.
fn told<'a>(text: &'a str, directive: &str, wanted: &[&str]) -> Vec<(&'a str, String)> {
    let (mut now, mut found) = (String::new(), Vec::new());
    for line in text.lines() {
        match line.trim_start().strip_prefix(directive) {
            Some(place) => now = place.to_string(),
            None if wanted.iter().any(|word| line.contains(word)) => found.push((line.trim(), now.clone())),
            None => {}
        }
    }
    found
}

#[test]
fn each_access_in_ptx_has_its_own_line_and_column() {
    let text = ptx::print(&compiled()[0].machine);
    assert!(text.contains("\n.file 1 \"kernels/sums.rs\"\n"), "{text}");
    let accesses = told(&text, ".loc ", &["ld.global", "st.global"]);
    let places: Vec<&str> = accesses.iter().map(|(_, place)| place.as_str()).collect();
    assert!(places.contains(&"1 4 32") && places.contains(&"1 5 42"), "{accesses:?}\n{text}");
    let stores: Vec<_> = accesses.iter().filter(|(line, _)| line.contains("st.")).collect();
    assert!(!stores.is_empty() && stores.iter().all(|(_, place)| place.starts_with("1 6 ")), "{stores:?}");
    assert!(
        accesses.iter().all(|(_, place)| ["1 4 ", "1 5 ", "1 6 "].iter().any(|l| place.starts_with(l))),
        "{accesses:?}"
    );
}

#[test]
fn each_access_in_cuda_c_has_its_own_line() {
    let text = cuda::print(&compiled()[0].machine);
    let accesses = told(&text, "#line ", &["xs[", "ys[", "out["]);
    let line = |word: &str| {
        let (_, place) = accesses.iter().find(|(line, _)| line.starts_with(word)).expect("an access of its own");
        place.as_str()
    };
    let at = |line: &str| format!("{line} \"kernels/sums.rs\"");
    assert_eq!([line("xs["), line("ys["), line("out[")], [&*at("4"), &*at("5"), &*at("6")], "{text}");
}

#[test]
fn other_texts_tell_no_lines() {
    let variants = compiled();
    let (sums, plain) = (&variants[0], &variants[1]);
    assert!(!opencl::print(&sums.group).contains("#line"));
    assert!(!cuda::print(&plain.machine).contains("#line"));
    assert!(![".loc", ".file"].iter().any(|word| ptx::print(&plain.machine).contains(word)));
}
