//! The pictures of the guide (`docs/src/pictures.md`): drawn from the kernels on the page, and what they must show.
//! `OBSIDIAN_BLESS=1 cargo test -p obsidian-lang --test pictures` draws them anew.

use std::path::{Path, PathBuf};

use obsidian_lang::driver::{Drawing, Picture, Stage, stop_after};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{TokenStream, TokenTree};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src")
}

/// What stands inside `kernel! { .. }` on the page.
fn kernels() -> TokenStream {
    let page = std::fs::read_to_string(guide().join("pictures.md")).expect("the page");
    let code = page.split("```rust").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of Rust");
    let code = code.split_once('\n').expect("a line after the fence").1;
    let tokens: TokenStream = code.parse().expect("tokens");
    let mut after = tokens.into_iter().skip_while(|t| !matches!(t, TokenTree::Ident(i) if i == "kernel"));
    match after.nth(2) {
        Some(TokenTree::Group(body)) => body.stream(),
        other => panic!("`kernel! {{ .. }}` expected, found {other:?}"),
    }
}

fn drawings(picture: Picture, tokens: TokenStream) -> Vec<Drawing> {
    stop_after(Stage::Placed, tokens, &mut SpanTable::default()).expect("compiles").pictures(picture)
}

fn drawn(picture: Picture, tokens: TokenStream) -> Vec<(String, String)> {
    drawings(picture, tokens).into_iter().map(|d| (d.name, d.svg.expect("small enough"))).collect()
}

#[test]
fn the_guides_pictures_are_what_the_compiler_draws() {
    let mut stale = Vec::new();
    for (picture, kind) in [(Picture::Network, "network"), (Picture::Memory, "memory")] {
        for (name, svg) in drawn(picture, kernels()) {
            let file = guide().join("pictures").join(format!("{name}_{kind}.svg"));
            if std::env::var_os("OBSIDIAN_BLESS").is_some() {
                std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder");
                std::fs::write(&file, &svg).expect("written");
            }
            if std::fs::read_to_string(&file).ok().as_deref() != Some(svg.as_str()) {
                stale.push(file);
            }
        }
    }
    assert!(stale.is_empty(), "draw them anew, see the top of this file: {stale:?}");
}

/// Lines, level ones among them, and dots of a picture.
fn shapes(svg: &str) -> (usize, usize, usize) {
    let lines = svg.lines().filter(|l| l.starts_with("<line"));
    let value = |line: &str, name: &str| {
        let rest = line.split_once(&format!("{name}=\"")).expect("an attribute").1;
        rest.split('"').next().map(str::to_string)
    };
    let level = lines.clone().filter(|l| value(l, "y1") == value(l, "y2")).count();
    (lines.count(), level, svg.matches("<circle").count())
}

/// Of `n = 2^k` inputs: Sklansky has `n/2 k` operators, Kogge and Stone `n k - n + 1`, Brent and Kung `2n - 2 - k`; a sorting
/// network a comparator, of two outputs with two inputs each, for each pair of each of its stages.
#[test]
fn the_networks_have_the_operators_that_theory_says() {
    let (n, k) = (16, 4);
    let expected = [
        ("sklansky", n / 2 * k),
        ("kogge_stone", n * k - n + 1),
        ("brent_kung", 2 * n - 2 - k),
        ("tsort", k * (k + 1) / 2 * n),
        ("vsort", k * (k + 1) / 2 * n),
    ];
    let drawn = drawn(Picture::Network, kernels());
    for (name, operators) in expected {
        let (_, svg) = drawn.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("no picture of {name}"));
        let (lines, level, dots) = shapes(svg);
        assert_eq!(dots, operators, "{name}");
        // Every operator has one source in its own row and one elsewhere; all else is a wire straight on.
        assert_eq!(lines - level, operators, "{name}");
    }
}

#[test]
fn too_many_rows_are_refused_with_their_number() {
    let tokens = "#[kernel(threads = 64)] pub fn wide(input: DPull<u32>) -> DPush<Grid, u32> { \
                  input.split_up(512).as_grid_map(|c| c.push()) }";
    let mut drawings = drawings(Picture::Network, tokens.parse().expect("tokens"));
    let refused = drawings.pop().expect("an entry").svg.expect_err("too large");
    assert_eq!(refused.rows, 512);
}
