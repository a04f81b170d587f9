//! The report of a task: one row per step, printed as a table at the end.

use std::time::{Duration, Instant};

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

struct Row {
    step: &'static str,
    outcome: Outcome,
    time: Duration,
}

/// The rows so far.
#[derive(Default)]
pub struct Report(Vec<Row>);

impl Report {
    /// Runs a step and notes how it ended.
    pub fn run(&mut self, step: &'static str, work: impl FnOnce() -> Outcome) {
        println!("\n== {step}");
        let start = Instant::now();
        let outcome = work();
        if let Outcome::Fail(why) = &outcome {
            eprintln!("{step}: {why}");
        }
        self.0.push(Row { step, outcome, time: start.elapsed() });
    }

    /// Whether any step failed, or none ran.
    pub fn failed(&self) -> bool {
        self.0.is_empty() || self.0.iter().any(|r| matches!(r.outcome, Outcome::Fail(_)))
    }

    /// The table.
    pub fn text(&self) -> String {
        let width = self.0.iter().map(|r| r.step.len()).max().unwrap_or(0);
        let row = |r: &Row| {
            let (word, note) = match &r.outcome {
                Outcome::Pass(note) => ("PASS", note),
                Outcome::Fail(note) => ("FAIL", note),
                Outcome::Skip(note) => ("SKIP", note),
            };
            let note = note.lines().next().unwrap_or("");
            format!("{:width$}  {word}  {:>7.1} s  {note}\n", r.step, r.time.as_secs_f64())
        };
        self.0.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
