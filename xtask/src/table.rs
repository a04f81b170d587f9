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
    /// What the step's processes took of all cores together, where the system tells: a busy machine changes it little.
    cpu: Option<Duration>,
}

/// The rows so far.
#[derive(Default)]
pub struct Report(Vec<Row>);

impl Report {
    /// Runs a step and notes how it ended.
    pub fn run(&mut self, step: &'static str, work: impl FnOnce() -> Outcome) {
        println!("\n== {step}");
        let (start, before) = (Instant::now(), cpu_of_children());
        let outcome = work();
        let cpu = cpu_of_children().zip(before).map(|(after, before)| after.saturating_sub(before));
        if let Outcome::Fail(why) = &outcome {
            eprintln!("{step}: {why}");
        }
        self.0.push(Row { step, outcome, time: start.elapsed(), cpu });
    }

    /// Whether any step failed, or none ran.
    pub fn failed(&self) -> bool {
        self.0.is_empty() || self.0.iter().any(|r| matches!(r.outcome, Outcome::Fail(_)))
    }

    /// The table: step, outcome, time, time of all cores together, what was covered; the times of all steps below it.
    pub fn text(&self) -> String {
        let width = self.0.iter().map(|r| r.step.len()).max().unwrap_or(0);
        let row = |r: &Row| {
            let (word, note) = match &r.outcome {
                Outcome::Pass(note) => ("PASS", note),
                Outcome::Fail(note) => ("FAIL", note),
                Outcome::Skip(note) => ("SKIP", note),
            };
            let note = note.lines().next().unwrap_or("");
            format!("{:width$}  {word}  {}  {}  {note}\n", r.step, seconds(Some(r.time)), seconds(r.cpu))
        };
        let time: Duration = self.0.iter().map(|r| r.time).sum();
        let cpu: Option<Duration> = self.0.iter().map(|r| r.cpu).sum();
        let head = format!("{:width$}  {:4}  {:>9}  {:>9}\n", "step", "", "time", "cpu");
        let all = format!("{:width$}  {:4}  {}  {}\n", "all", "", seconds(Some(time)), seconds(cpu));
        head + &self.0.iter().map(row).collect::<String>() + &all
    }
}

fn seconds(time: Option<Duration>) -> String {
    time.map_or(format!("{:>9}", "?"), |time| format!("{:>7.1} s", time.as_secs_f64()))
}

/// What the processes that this one has started and waited for took of all cores, and those that they waited for. `None` where there is no
/// `/proc` as on Linux.
fn cpu_of_children() -> Option<Duration> {
    children_in(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// The fields `cutime` and `cstime` of `proc_pid_stat(5)`: the 14th and 15th behind the name in parentheses, in hundredths of a second.
fn children_in(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(13).map(|field| field.parse::<u64>().ok());
    let both = ticks.next()?? + ticks.next()??;
    Some(Duration::from_millis(both * 10))
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

    #[test]
    fn the_time_of_children_is_read_behind_a_name_of_any_kind() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 900 800 250 50 20 0 1 0 5 6";
        assert_eq!(children_in(stat), Some(Duration::from_secs(3)));
        assert_eq!(children_in("7 (a) S 1 2"), None);
    }
}
