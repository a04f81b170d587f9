//! The page of the guide that says what random kernels are made of is what the generator makes.

use std::path::Path;

#[test]
fn the_page_says_what_random_kernels_are_made_of() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/src/random_kernels.md");
    let page = obsidian_fuzz::page::render();
    if std::env::var_os("OBSIDIAN_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, &page).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(page.lines()).find(|(found, now)| found != now);
    assert!(
        found == page,
        "docs/src/random_kernels.md: `cargo xtask bless random` renews it; the first line that differs: {differs:?}"
    );
}
