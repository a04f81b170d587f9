//! What came of kernels that were judged before. A verdict depends on the kernel's text, the judge's own code and the solver,
//! which counts its steps and not the time. So a kernel that is none of them changed need not be judged in every run of the
//! tests: its verdict stands in a file of `record`, beside a number made of all three. One kernel of [`EVERY`] is judged
//! nevertheless, and must come to the same verdict.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use obsidian_judge::{Report, Verdict};

use crate::court::{Case, Form};

/// One recorded kernel of this many is judged again in each run.
const EVERY: u64 = 64;

/// The most kernels of a set that a run of the tests judges because they are new: a change of the generator makes all random
/// kernels new, which takes half an hour.
const MAX_NEW: usize = 400;

/// Judges all kernels again, whatever is recorded.
const AGAIN: &str = "OBSIDIAN_JUDGE_AGAIN";

/// A text, and what is done to it.
pub type Key = u64;

/// The verdicts on one set of kernels.
pub struct Record {
    path: PathBuf,
    /// The solver and the code of the judge.
    judges: String,
    known: HashMap<Key, Report>,
}

impl Record {
    /// What is recorded by this judge and this solver in a file of `record`.
    pub fn open(solver: &Path, name: &str) -> Record {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("record").join(name).with_extension("txt");
        let judges = judges(solver);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let known = text.strip_prefix(&*judges).into_iter().flat_map(str::lines).filter_map(read).collect();
        Record { path, judges, known }
    }

    /// A record of nothing, for kernels that are judged by hand.
    pub fn none() -> Record {
        Record { path: PathBuf::new(), judges: String::new(), known: HashMap::new() }
    }

    /// What came of a kernel.
    pub fn of(&self, case: &Case) -> Option<&Report> {
        self.known.get(&key(case))
    }

    /// What came of a kernel, unless it is to be judged again.
    pub fn instead_of(&self, case: &Case) -> Option<&Report> {
        let again = key(case).is_multiple_of(EVERY) || std::env::var_os(AGAIN).is_some_and(|v| v == "1");
        self.of(case).filter(|_| !again)
    }

    /// Whether this run writes it.
    fn is_renewed(&self) -> bool {
        std::env::var_os("OBSIDIAN_BLESS").is_some_and(|v| v == "1")
    }

    fn is_kept(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }

    /// Whether these kernels are few enough to be judged by the way.
    ///
    /// # Panics
    /// They are not.
    pub fn check_new(&self, cases: &[Case]) {
        let new = cases.iter().filter(|case| self.of(case).is_none()).count();
        assert!(
            new <= MAX_NEW || self.is_renewed() || !self.is_kept(),
            "{new} kernels are new to {}: judge them once with `cargo xtask bless judge`",
            self.path.display()
        );
    }

    /// Writes what came of these kernels, if `OBSIDIAN_BLESS=1`, in the order of their numbers: kernels that are alike in
    /// everything are one.
    pub fn write<'a>(&self, all: impl Iterator<Item = (&'a Case, &'a Report)>) {
        if !self.is_renewed() || !self.is_kept() {
            return;
        }
        // Faults are found anew each time.
        let right = all.filter(|(_, report)| report.verdict() != Verdict::Refuted && report.contradictions.is_empty());
        let lines: BTreeMap<Key, String> = right.map(|(case, report)| (key(case), line(key(case), report))).collect();
        let text = lines.into_values().fold(self.judges.clone(), |text, line| text + &line);
        std::fs::write(&self.path, text).unwrap_or_else(|e| panic!("{}: {e}", self.path.display()));
    }
}

fn key(case: &Case) -> Key {
    let mut hasher = DefaultHasher::new();
    (case.form == Form::Machine, case.steps, &case.text).hash(&mut hasher);
    hasher.finish()
}

/// `1f0e..: 12 questions, 345678 steps, 0 by data; races of s2; covering of out`.
fn line(key: Key, report: &Report) -> String {
    let open: String = report.unknown.iter().map(|what| format!("; {what}")).collect();
    let Report { questions, steps, by_data, .. } = report;
    format!("{key:016x}: {questions} questions, {steps} steps, {by_data} by data{open}\n")
}

fn read(line: &str) -> Option<(Key, Report)> {
    let (key, rest) = line.split_once(": ")?;
    let mut parts = rest.split("; ");
    let mut counts = parts.next()?.split(", ").map(|count| count.split_once(' ')?.0.parse::<u64>().ok());
    let mut count = || counts.next().flatten();
    let (questions, steps, by_data) = (count()?, count()?, count()?);
    let unknown = parts.map(str::to_string).collect();
    let report = Report { questions, steps, by_data: usize::try_from(by_data).ok()?, unknown, ..Report::default() };
    Some((Key::from_str_radix(key, 16).ok()?, report))
}

/// The first line of a record: one that starts otherwise is another judge's.
fn judges(solver: &Path) -> String {
    let version =
        Command::new(solver).arg("--version").output().unwrap_or_else(|e| panic!("{}: {e}", solver.display()));
    let mut hasher = DefaultHasher::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).hash(&mut hasher);
    format!("{}; judge {:016x}\n", String::from_utf8_lossy(&version.stdout).trim(), hasher.finish())
}

/// The files below a folder, by name.
fn sources(folder: &Path) -> BTreeMap<PathBuf, String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut all = BTreeMap::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            all.extend(sources(&path));
        } else {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path);
            all.insert(name.to_path_buf(), text);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let unknown = vec!["races of `s2`".to_string(), "covering of `out`".to_string()];
        for unknown in [vec![], unknown] {
            let report = Report { questions: 3, steps: 12_345, by_data: 1, unknown, ..Report::default() };
            assert_eq!(read(line(77, &report).trim_end()), Some((77, report)));
        }
        for damaged in ["", "z: 1 questions, 2 steps, 0 by data", "1f: 1 questions, 2 steps", "1f 1 2 0"] {
            assert_eq!(read(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn another_text_form_or_limit_is_another_kernel() {
        let case = Case { name: "k".into(), text: "t".into(), refused: None, form: Form::Machine, steps: 1 };
        let others = [
            Case { text: "u".into(), ..case.clone() },
            Case { form: Form::Structured, ..case.clone() },
            Case { steps: 2, ..case.clone() },
        ];
        assert!(others.iter().all(|other| key(other) != key(&case)));
        assert_eq!(key(&Case { name: "l".into(), ..case.clone() }), key(&case));
    }
}
