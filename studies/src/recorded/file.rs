//! A recorded space as a file: what it is of, then a line for each point with the nanoseconds of a launch in each round.

use std::fmt::Write;

/// The times of all points of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The back end.
    pub backend: String,
    /// The device.
    pub device: String,
    /// What drives it, with versions.
    pub driver: String,
    /// Lengths and scalars.
    pub problem: String,
    /// When it was recorded.
    pub date: String,
    /// In the order of the attribute.
    pub points: Vec<Point>,
}

/// A point of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The variant, as it is shown.
    pub variant: String,
    /// Nanoseconds of a launch in each round; or why there are none.
    pub rounds: Result<Vec<u64>, String>,
}

impl Point {
    /// Seconds of a launch, the least of all rounds: what else the machine does can only add to it. Infinite where there are none.
    pub fn seconds(&self) -> f64 {
        let rounds = self.rounds.as_deref().unwrap_or_default();
        rounds.iter().min().map_or(f64::INFINITY, |ns| *ns as f64 * 1e-9)
    }
}

impl Recording {
    /// The file.
    pub fn text(&self) -> String {
        let Recording { backend, device, driver, problem, date, points } = self;
        let driver = driver.replace(['\n', '\r'], " ");
        let mut text = format!(
            "# backend: {backend}\n# device: {device}\n# driver: {driver}\n# problem: {problem}\n# date: {date}\n# nanoseconds of a launch, round by round\n"
        );
        for point in points {
            let rounds = match &point.rounds {
                Ok(rounds) => rounds.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
                Err(why) => format!("failed: {}", why.replace(['\n', '\r'], " ")),
            };
            let _ = writeln!(text, "{}: {rounds}", point.variant);
        }
        text
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The first line that is not as it should be.
    pub fn parse(text: &str) -> Result<Recording, String> {
        let mut lines = text.lines().enumerate();
        let mut said = |name: &str| -> Result<String, String> {
            let line =
                lines.next().and_then(|(_, line)| line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix(": "));
            line.map(str::to_string).ok_or_else(|| format!("it does not say its {name}"))
        };
        let mut recording = Recording {
            backend: said("backend")?,
            device: said("device")?,
            driver: said("driver")?,
            problem: said("problem")?,
            date: said("date")?,
            points: Vec::new(),
        };
        for (number, line) in lines.filter(|(_, line)| !line.starts_with('#')) {
            let point = Point::parse(line).ok_or_else(|| format!("line {}: `{line}` is no point", number + 1))?;
            recording.points.push(point);
        }
        Ok(recording)
    }
}

impl Point {
    fn parse(line: &str) -> Option<Point> {
        let (variant, rest) = line.split_once(": ")?;
        let rounds = match rest.strip_prefix("failed: ") {
            Some(why) => Err(why.to_string()),
            None => Ok(rest.split(' ').map(|ns| ns.parse().ok().filter(|ns| *ns > 0)).collect::<Option<Vec<u64>>>()?),
        };
        Some(Point { variant: variant.to_string(), rounds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let point = |variant: &str, rounds| Point { variant: variant.into(), rounds };
        let recording = Recording {
            backend: "cpu".into(),
            device: "a processor, 2 threads".into(),
            driver: "rustc 1".into(),
            problem: "len = 4".into(),
            date: "2026-11-24".into(),
            points: vec![
                point("threads = 32, SEQ = 1", Ok(vec![1200, 900, 1000])),
                point("threads = 64, SEQ = 1", Err("launch: too long: 4".into())),
            ],
        };
        assert_eq!(Recording::parse(&recording.text()), Ok(recording.clone()));
        assert_eq!(recording.points[0].seconds(), 900.0 * 1e-9);
        assert_eq!(recording.points[1].seconds(), f64::INFINITY);
        assert!(Recording::parse("# backend: cpu\n").unwrap_err().contains("its device"));
        let wrong = recording.text().replace("1200", "zero");
        assert!(Recording::parse(&wrong).unwrap_err().starts_with("line 7:"));
    }
}
