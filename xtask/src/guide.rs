//! The guide as a book: mdBook builds it without a warning, every page is in its table of contents, and every link of its pages leads to
//! a page, or to a heading of one, that is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::table::Outcome;
use crate::wheels::MDBOOK;

/// Builds the book and looks through it.
pub fn check(root: &Path) -> Outcome {
    match MDBOOK.get(root) {
        Ok(mdbook) => build(&mdbook, root).map_or_else(Outcome::Fail, Outcome::Pass),
        Err(outcome) => outcome,
    }
}

fn build(mdbook: &Path, root: &Path) -> Result<String, String> {
    let to = root.join("target/xtask/book");
    let mut command = Command::new(mdbook);
    let done = process::output(command.arg("build").arg(root.join("docs")).arg("--dest-dir").arg(&to));
    let done = done.map_err(|e| format!("mdbook: {e}"))?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
    if !done.status.success() || said.contains("WARN") || said.contains("ERROR") {
        return Err(said);
    }
    let contents = fs::read_to_string(root.join("docs/src/SUMMARY.md")).map_err(|e| e.to_string())?;
    let missing = files_below(&root.join("docs/src"), "md")?.into_iter().find(|page| {
        let name = page.to_string_lossy().replace('\\', "/");
        name != "SUMMARY.md" && !contents.contains(&format!("({name})"))
    });
    if let Some(page) = missing {
        return Err(format!("docs/src/SUMMARY.md does not name the page {}", page.display()));
    }
    let mut pages = BTreeMap::new();
    for page in files_below(&to, "html")? {
        let text = fs::read_to_string(to.join(&page)).map_err(|e| format!("{}: {e}", page.display()))?;
        pages.insert(page, text);
    }
    // All pages in one, whose links are those of the pages.
    pages.remove(Path::new("print.html"));
    match dangling(&pages, &to) {
        Some(link) => Err(link),
        None => Ok(format!("{} pages, whose links all lead somewhere", pages.len())),
    }
}

/// The files with an extension in a folder and those below, as seen from it.
fn files_below(folder: &Path, extension: &str) -> Result<BTreeSet<PathBuf>, String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inner) = folders.pop() {
        let entries =
            fs::read_dir(folder.join(&inner)).map_err(|e| format!("{}: {e}", folder.join(&inner).display()))?;
        for path in entries.flatten().map(|entry| inner.join(entry.file_name())) {
            if folder.join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == extension) {
                found.insert(path);
            }
        }
    }
    Ok(found)
}

/// A link that leads nowhere, with its page.
fn dangling(pages: &BTreeMap<PathBuf, String>, book: &Path) -> Option<String> {
    let leads = |page: &Path, link: &str| {
        let (path, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = if path.is_empty() { page.to_path_buf() } else { beside(page, path) };
        match pages.get(&target) {
            Some(text) => heading.is_empty() || text.contains(&format!("id=\"{heading}\"")),
            None => book.join(&target).exists(),
        }
    };
    let of = |(page, text): (&PathBuf, &String)| {
        let mut links = links(text);
        links.find(|link| !leads(page, link)).map(|link| format!("{}: the link `{link}` leads nowhere", page.display()))
    };
    pages.iter().find_map(of)
}

/// The links of a page that stay in the book.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let anchors = text.split("<a ").skip(1).filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag));
    let targets = anchors.filter_map(|tag| tag.split_once("href=\"")?.1.split_once('"').map(|(target, _)| target));
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
}

/// Where a relative path leads from a page.
fn beside(page: &Path, path: &str) -> PathBuf {
    let mut to: Vec<Component> = page.parent().unwrap_or(Path::new("")).components().collect();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => drop(to.pop()),
            Component::CurDir => {}
            part => to.push(part),
        }
    }
    to.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(text: &str) -> Option<String> {
        let page = |name: &str, text: &str| (PathBuf::from(name), text.to_string());
        dangling(&[page("a.html", text), page("in/b.html", "<h2 id=\"c\">")].into(), Path::new("nowhere"))
    }

    #[test]
    fn a_link_leads_to_a_page_or_to_a_heading_that_is_there() {
        assert_eq!(
            book("<a class=\"x\" href=\"in/b.html#c\"> <a href=\"https://example.org/x\"> <a href=\"./in/../a.html\">"),
            None
        );
        for wrong in ["b.html", "in/b.html#d", "#c"] {
            let said = book(&format!("<a href=\"{wrong}\">")).unwrap_or_default();
            assert!(said.contains(wrong) && said.contains("a.html"), "{said}");
        }
    }
}
