//! Every program of `programs` and every kernel of the guide's pages.

use std::path::Path;

use obsidian_judge::Verdict;
use obsidian_sources as sources;

use crate::court::{self, Case, Judged};

/// Pages whose kernels are wrong on purpose.
const WRONG: [&str; 1] = ["errors.md"];

/// The kernels of `programs`.
pub fn programs() -> Vec<Case> {
    sources::kernels(|_| true).into_iter().flat_map(|tokens| court::cases(tokens).expect("compiles")).collect()
}

/// The kernels of the guide, without those that bring a library of their own.
pub fn guide() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/src");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut pages: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    pages.retain(|p| p.extension().is_some_and(|e| e == "md") && !WRONG.iter().any(|w| p.ends_with(w)));
    pages.sort();
    let mut found = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        let blocks = text.split("```rust,ignore\n").skip(1).filter_map(|b| b.split_once("```")).map(|(code, _)| code);
        for block in blocks.filter(|b| b.contains("#[kernel") && !b.contains("kernel_lib!")) {
            let name = page.file_stem().unwrap_or_default().to_string_lossy();
            // What a page shows of the host's side is no kernel.
            let Ok(cases) = block.parse().map_err(|_| String::new()).and_then(court::cases) else { continue };
            found.extend(cases.into_iter().map(|c| Case { name: format!("{name}: {}", c.name), ..c }));
        }
    }
    found
}

/// What must not be: a fault in a kernel that is accepted, or a judge that contradicts itself.
pub fn check(all: &[Judged]) {
    let mut wrong = Vec::new();
    for judged in all {
        let report = judged.report();
        if report.verdict() == Verdict::Refuted && judged.case.refused.is_none() {
            let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
            wrong.push(format!("{}: {}\n{}", judged.case.name, findings.join("\n"), judged.case.text));
        }
        wrong.extend(report.contradictions.iter().map(|c| format!("{}: {c}", judged.case.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
