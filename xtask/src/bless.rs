//! Renews every text that a test compares with what the compiler makes now: printed programs, pages, pictures, messages. Whoever
//! asks for this reads the difference before keeping it.

use std::path::Path;

use crate::cargo::cargo;
use crate::table::{Outcome, Report};
use crate::wheels::Z3;

/// What is renewed, and the tests that do it when told to.
const BLESSED: [(&str, &[&str]); 8] = [
    ("passes", &["test", "-p", "obsidian-ir", "--lib"]),
    ("snapshots", &["test", "-p", "obsidian-lang", "--test", "snapshots"]),
    ("pages", &["test", "-p", "obsidian-lang", "--test", "catalogue", "--test", "cost", "--test", "pictures"]),
    ("tests", &["test", "-p", "obsidian-tests", "--test", "barriers", "--test", "layers"]),
    ("messages", &["test", "-p", "obsidian-messages"]),
    ("refused", &["test", "-p", "obsidian-build", "--test", "refused"]),
    ("random", &["test", "-p", "obsidian-fuzz", "--test", "page"]),
    (JUDGE, &["test", "-p", "obsidian-judge", "--test", "judge", "page"]),
];

/// The name of what only the solver renews.
const JUDGE: &str = "judge";

/// What tells each kind of test to write instead of compare.
const WRITE: [(&str, &str); 3] = [("OBSIDIAN_BLESS", "1"), ("INSTA_UPDATE", "always"), ("TRYBUILD", "overwrite")];

/// Renews what is named, or everything.
///
/// # Errors
/// A name that is none of ours.
pub fn bless(root: &Path, names: &[String]) -> Result<Report, String> {
    if let Some(other) = names.iter().find(|name| BLESSED.iter().all(|(known, _)| known != name)) {
        let known = BLESSED.map(|(name, _)| name).join(", ");
        return Err(format!("`bless` knows no `{other}`, but {known}"));
    }
    let mut report = Report::default();
    for (name, tests) in BLESSED.into_iter().filter(|(name, _)| names.is_empty() || names.iter().any(|n| n == name)) {
        report.run(name, || renew(root, name, tests));
    }
    Ok(report)
}

fn renew(root: &Path, name: &str, tests: &[&str]) -> Outcome {
    let mut env: Vec<(&str, &Path)> = WRITE.iter().map(|(variable, value)| (*variable, Path::new(value))).collect();
    if name != JUDGE {
        return cargo(root, tests, &env);
    }
    match Z3.get(root) {
        Ok(solver) => {
            env.push(("OBSIDIAN_TEST_Z3", &solver));
            cargo(root, tests, &env)
        }
        Err(outcome) => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_none_is_refused_with_those_that_are() {
        let Err(why) = bless(Path::new("nowhere"), &["pages".into(), "pagse".into()]) else { panic!("it ran") };
        assert!(why.contains("`pagse`") && why.contains("passes, snapshots, pages"), "{why}");
    }
}
