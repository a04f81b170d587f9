//! One `z3` that answers the questions about one kernel. It is limited by its own steps, never by time, so an answer is the
//! same on a loaded machine.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::term::Script;

/// Has glibc keep the memory that a question has used for the next one: given back each time, it took a fourth of the time.
const KEEP_MEMORY: [(&str, &str); 3] = [
    ("MALLOC_TRIM_THRESHOLD_", "1000000000"),
    ("MALLOC_MMAP_THRESHOLD_", "1000000000"),
    ("MALLOC_TOP_PAD_", "67108864"),
];

/// A running solver.
#[derive(Debug)]
pub(crate) struct Solver {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Questions asked.
    pub(crate) questions: u64,
}

/// What a solver says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Nothing makes it true.
    Never,
    /// It is true with these values of what was wanted.
    Model(Vec<i128>),
    /// Not within the steps.
    Unknown,
}

impl Solver {
    pub(crate) fn start(program: &Path) -> std::io::Result<Solver> {
        let mut command = Command::new(program);
        command.arg("-in").envs(KEEP_MEMORY).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("no pipes"));
        };
        Ok(Solver { child, input, output: BufReader::new(output), questions: 0 })
    }

    /// Asks whether what a script asserts can be true; also how many steps that took.
    pub(crate) fn ask(&mut self, script: &Script, steps: u64) -> std::io::Result<(Answer, u64)> {
        self.questions += 1;
        let text = &script.text;
        write!(self.input, "(reset)\n(set-option :rlimit {steps})\n{text}(check-sat)\n(get-info :rlimit)\n")?;
        self.input.flush()?;
        let answer = self.line()?;
        let used = number(&self.line()?).and_then(|n| u64::try_from(n).ok()).unwrap_or(steps);
        let answer = match answer.as_str() {
            "unsat" => Answer::Never,
            "unknown" => Answer::Unknown,
            "sat" if script.wanted.is_empty() => Answer::Model(Vec::new()),
            "sat" => Answer::Model(self.values(script)?),
            other => return Err(std::io::Error::other(format!("z3 says {other} to\n{text}"))),
        };
        Ok((answer, used))
    }

    fn values(&mut self, script: &Script) -> std::io::Result<Vec<i128>> {
        let mut values = Vec::with_capacity(script.wanted.len());
        for wanted in &script.wanted {
            writeln!(self.input, "(eval {wanted} :completion true)")?;
        }
        self.input.flush()?;
        for wanted in &script.wanted {
            let line = self.line()?;
            let value = value(&line).ok_or_else(|| std::io::Error::other(format!("{wanted} is {line}")))?;
            values.push(value);
        }
        Ok(values)
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        while line.trim().is_empty() {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err(std::io::Error::other("z3 has ended"));
            }
        }
        Ok(line.trim().to_string())
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        // It ends with its input; nothing can be done where it does not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `(:rlimit 12)`.
fn number(line: &str) -> Option<i128> {
    line.trim_end_matches(')').rsplit(' ').next()?.parse().ok()
}

/// `12`, `(- 12)`, `#x1f`, `#b101`, `true`.
fn value(line: &str) -> Option<i128> {
    if let Some(hex) = line.strip_prefix("#x") {
        return i128::from_str_radix(hex, 16).ok();
    }
    if let Some(bits) = line.strip_prefix("#b") {
        return i128::from_str_radix(bits, 2).ok();
    }
    match line {
        "true" => Some(1),
        "false" => Some(0),
        _ => match line.strip_prefix("(- ") {
            Some(rest) => rest.trim_end_matches(')').parse::<i128>().ok().map(|n| -n),
            None => line.parse().ok(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_written() {
        let found: Vec<_> = ["12", "(- 7)", "#x00ff", "#b101", "true", "(/ 1 2)"].map(value).to_vec();
        assert_eq!(found, [Some(12), Some(-7), Some(255), Some(5), Some(1), None]);
        assert_eq!(number("(:rlimit 97)"), Some(97));
    }
}
