//! `cargo xtask sizes [COMMIT]`: the lines of each crate's sources, beside those at a commit; the crates' own tests inside `src`
//! are counted, suites outside are not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::table::Outcome;

/// A file above this many lines is listed.
const MAX_LINES: usize = 400;

/// The lines of each file, by crate and then by path.
type Sizes = BTreeMap<String, BTreeMap<String, usize>>;

/// Prints the table.
pub fn print(root: &Path, commit: Option<&str>) -> Outcome {
    let sizes = sizes(root, None).and_then(|now| Ok((now, commit.map(|c| sizes(root, Some(c))).transpose()?)));
    match sizes {
        Ok((now, before)) => {
            println!("{}", table(&now, before.as_ref()));
            Outcome::Pass("printed".into())
        }
        Err(why) => Outcome::Fail(why),
    }
}

/// As git counts them: of the working tree, or of a commit.
fn sizes(root: &Path, commit: Option<&str>) -> Result<Sizes, String> {
    let mut command = Command::new("git");
    command.current_dir(root).args(["grep", "--count", ""]).args(commit).args(["--", "*.rs", "*.obs"]);
    let output = command.output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut sizes = Sizes::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let line = commit.and_then(|c| line.strip_prefix(c)?.strip_prefix(':')).unwrap_or(line);
        let counted = line.rsplit_once(':').and_then(|(path, count)| Some((path, count.parse().ok()?)));
        if let Some((path, count)) = counted
            && let Some(name) = crate_of(path)
        {
            sizes.entry(name.to_string()).or_default().insert(path.to_string(), count);
        }
    }
    Ok(sizes)
}

/// The crate that a source belongs to; `None` for a suite, an example or a bench.
fn crate_of(path: &str) -> Option<&str> {
    match path.split_once("/src/") {
        Some((name, _)) => Some(name),
        None => path.starts_with("src/").then_some("(the facade)"),
    }
}

fn table(now: &Sizes, before: Option<&Sizes>) -> String {
    let mut table = format!("{:<28} {:>6} {:>7} {:>7} {:>8}", "crate", "files", "lines", "median", "largest");
    table += if before.is_some() { "  lines before\n" } else { "\n" };
    for (name, files) in now {
        let mut counts: Vec<usize> = files.values().copied().collect();
        counts.sort_unstable();
        let (lines, largest) = (counts.iter().sum::<usize>(), counts.last().copied().unwrap_or(0));
        let median = counts[counts.len() / 2];
        let _ = write!(table, "{name:<28} {:>6} {lines:>7} {median:>7} {largest:>8}", files.len());
        if let Some(files) = before.map(|before| before.get(name)) {
            let lines = files.map_or("none".to_string(), |files| files.values().sum::<usize>().to_string());
            let _ = write!(table, "  {lines:>12}");
        }
        table.push('\n');
    }
    let _ = writeln!(table, "\nfiles over {MAX_LINES} lines");
    for (path, lines) in now.values().flatten().filter(|(_, lines)| **lines > MAX_LINES) {
        let _ = writeln!(table, "{lines:>6} {path}");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_belongs_to_the_crate_above_its_src() {
        assert_eq!(crate_of("obsidian-ir/src/passes/mod.rs"), Some("obsidian-ir"));
        assert_eq!(crate_of("tests/support/fuzz/src/lib.rs"), Some("tests/support/fuzz"));
        assert_eq!(crate_of("src/lib.rs"), Some("(the facade)"));
        assert_eq!(crate_of("benches/gpu.rs"), None);
    }
}
