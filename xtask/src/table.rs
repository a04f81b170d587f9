//! The report of a task: one row per step, printed as a table at the end.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::process::Account;

/// How many steps run side by side. Each uses several cores now and then, and one at other times.
const MAX_SIDE_BY_SIDE: usize = 2;

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It ran and held; the text says what it covered.
    Pass(String),
    /// It ran and did not hold, or it had to run and could not.
    Fail(String),
    /// It could not run here, and why.
    Skip(String),
}

/// A step that may run beside others.
pub struct Step<'a> {
    name: &'static str,
    work: Box<dyn FnOnce() -> Outcome + Send + 'a>,
}

impl<'a> Step<'a> {
    /// One of this name.
    pub fn new(name: &'static str, work: impl FnOnce() -> Outcome + Send + 'a) -> Step<'a> {
        Step { name, work: Box::new(work) }
    }
}

struct Row {
    step: &'static str,
    outcome: Outcome,
    time: Duration,
    /// What the step's programs took of all cores together; zero where the system does not tell. A busy machine changes it little.
    cpu: Duration,
}

impl Row {
    /// Says why the step failed, below what its programs have said.
    fn tell(&self) {
        if let Outcome::Fail(why) = &self.outcome {
            eprintln!("{}: {why}", self.step);
        }
    }
}

/// The rows so far.
pub struct Report {
    rows: Vec<Row>,
    begun: Instant,
}

impl Default for Report {
    fn default() -> Report {
        Report { rows: Vec::new(), begun: Instant::now() }
    }
}

impl Report {
    /// Runs a step and notes how it ended.
    pub fn run(&mut self, step: &'static str, work: impl FnOnce() -> Outcome) {
        println!("\n== {step}");
        let row = row(step, &Account::default(), work);
        row.tell();
        self.rows.push(row);
    }

    /// Runs steps that do not need each other, at most [`MAX_SIDE_BY_SIDE`] at a time, those in front first. What a step's programs print is
    /// kept in `folder` until it ends, and printed then.
    pub fn run_side_by_side(&mut self, folder: &Path, steps: Vec<Step<'_>>) {
        if let Err(e) = std::fs::create_dir_all(folder) {
            return self.run("logs", || Outcome::Fail(format!("{}: {e}", folder.display())));
        }
        let (left, done) = (Mutex::new(VecDeque::from_iter(steps.into_iter().enumerate())), Mutex::new(Vec::new()));
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let worker = || {
            while let Some((at, step)) = next() {
                println!("\n.. {} begins", step.name);
                let log = folder.join(step.name.replace(": ", "-").replace(' ', "-") + ".log");
                let (row, said) = match Account::logged(&log) {
                    Ok(account) => (row(step.name, &account, step.work), std::fs::read(&log).unwrap_or_default()),
                    Err(e) => (row(step.name, &Account::default(), || Outcome::Fail(e.to_string())), Vec::new()),
                };
                // While the lock is held, so that no other step's words are among these.
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                println!("\n== {}\n{}", step.name, String::from_utf8_lossy(&said));
                row.tell();
                done.push((at, row));
            }
        };
        std::thread::scope(|scope| (0..MAX_SIDE_BY_SIDE).for_each(|_| drop(scope.spawn(worker))));
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        self.rows.extend(done.into_iter().map(|(_, row)| row));
    }

    /// Whether any step failed, or none ran.
    pub fn failed(&self) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|r| matches!(r.outcome, Outcome::Fail(_)))
    }

    /// The table: step, outcome, time, time of all cores together, what was covered; below it how long all took.
    pub fn text(&self) -> String {
        let width = self.rows.iter().map(|r| r.step.len()).max().unwrap_or(0);
        let row = |r: &Row| {
            let (word, note) = match &r.outcome {
                Outcome::Pass(note) => ("PASS", note),
                Outcome::Fail(note) => ("FAIL", note),
                Outcome::Skip(note) => ("SKIP", note),
            };
            let note = note.lines().next().unwrap_or("");
            format!("{:width$}  {word}  {}  {}  {note}\n", r.step, seconds(r.time), seconds(r.cpu))
        };
        let cpu: Duration = self.rows.iter().map(|r| r.cpu).sum();
        let head = format!("{:width$}  {:4}  {:>9}  {:>9}\n", "step", "", "time", "cpu");
        let all = format!("{:width$}  {:4}  {}  {}\n", "all", "", seconds(self.begun.elapsed()), seconds(cpu));
        head + &self.rows.iter().map(row).collect::<String>() + &all
    }
}

fn row(step: &'static str, account: &Account, work: impl FnOnce() -> Outcome) -> Row {
    let start = Instant::now();
    let outcome = account.during(work);
    Row { step, outcome, time: start.elapsed(), cpu: account.cpu() }
}

fn seconds(time: Duration) -> String {
    format!("{:>7.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn one_failure_fails_the_report_and_a_skip_does_not() {
        let mut report = Report::default();
        assert!(report.failed(), "a report of nothing proves nothing");
        report.run("a", || Outcome::Skip("no tool".into()));
        assert!(!report.failed());
        report.run("b", || Outcome::Fail("broken\ndetails".into()));
        assert!(report.failed());
        assert!(report.text().contains("b  FAIL"));
        assert!(!report.text().contains("details"));
    }

    #[test]
    fn steps_side_by_side_all_run_and_stand_in_their_order() {
        let folder = std::env::temp_dir().join(format!("obsidian-steps-{}", std::process::id()));
        let names = ["a", "b", "c", "d", "e"];
        let step = |name| {
            Step::new(name, move || match crate::process::status(Command::new("sh").args(["-c", "echo said"])) {
                Ok(status) if status.success() && name != "d" => Outcome::Pass(String::new()),
                _ => Outcome::Fail("it is d".into()),
            })
        };
        let mut report = Report::default();
        report.run_side_by_side(&folder, names.map(step).into());
        assert_eq!(report.rows.iter().map(|row| row.step).collect::<Vec<_>>(), names);
        let failed = report.rows.iter().filter(|row| matches!(row.outcome, Outcome::Fail(_)));
        assert_eq!(failed.map(|row| row.step).collect::<Vec<_>>(), ["d"]);
        assert_eq!(std::fs::read_to_string(folder.join("a.log")).expect("its log"), "said\n");
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
