//! Pages that comments and documents cite are in the repository, and so are the sections of the reference that they name.

use std::fs;
use std::path::{Path, PathBuf};

use super::{read, root};

/// What commands write, which a page may name.
const WRITTEN: [&str; 1] = ["table.md"];
/// Folders that hold what was built or fetched.
const SKIPPED: [&str; 4] = ["target", "tools", ".git", "book"];

/// The text files of the repository.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.flatten().map(|e| e.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
            texts(&path, found);
        } else if path.extension().is_some_and(|e| ["rs", "obs", "md", "toml"].iter().any(|known| e == *known)) {
            found.push(path);
        }
    }
}

/// The names of pages in a line: `ARCHITECTURE.md`, `docs/src/errors.md`.
fn pages(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || "_-./".contains(c)));
    words.map(|word| word.trim_end_matches('.')).filter(|word| word.len() > 3 && word.ends_with(".md"))
}

/// The sections of the reference that a line cites by number.
fn sections(line: &str) -> impl Iterator<Item = &str> {
    let rests = line.split("reference.md §").skip(1);
    rests.filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()).filter(|number| !number.is_empty())
}

#[test]
fn cited_pages_and_sections_are_there() {
    let (mut files, reference) = (Vec::new(), read("docs/src/reference.md"));
    texts(&root(), &mut files);
    let known: Vec<PathBuf> = files.iter().filter(|f| f.extension().is_some_and(|e| e == "md")).cloned().collect();
    let mut missing = Vec::new();
    let mut cited = 0;
    for file in files.iter().filter(|f| !f.ends_with("CHANGELOG.md")) {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let there = |page: &str| {
            WRITTEN.contains(&page)
                || known.iter().any(|k| k.ends_with(page.trim_start_matches("../").trim_start_matches('/')))
        };
        for (i, line) in text.lines().enumerate() {
            let pages = pages(line).filter(|page| !there(page));
            missing.extend(pages.map(|page| format!("{}:{}: {page}", file.display(), i + 1)));
            for section in sections(line) {
                cited += 1;
                if !reference.contains(&format!("\n## {section}. ")) {
                    missing.push(format!("{}:{}: section {section} of the reference", file.display(), i + 1));
                }
            }
        }
    }
    assert!(cited > 50, "the search for citations finds too few: {cited}");
    assert!(missing.is_empty(), "these are cited but not in the repository:\n{}", missing.join("\n"));
}
