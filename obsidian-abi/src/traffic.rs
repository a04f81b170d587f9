//! What a program of several launches moves between memory and the device: by launch, and beside the least that would do.

use std::fmt;

/// What a run of an entry at `Device` moves. Numbers of bytes are those that its report and its lengths tell; caches may save some.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Traffic {
    /// The launches, in order; those of a loop once for each round.
    pub launches: Vec<LaunchTraffic>,
    /// Bytes that copies and fills of whole buffers move.
    pub copied: u64,
    /// How often the host waits for an element.
    pub waits: u64,
    /// The least that would do: each argument read once, each result written once.
    pub least: u64,
    /// Whether there is more that follows from what is not known before the run: an element, or a scalar argument.
    pub more: bool,
}

/// What a launch moves.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchTraffic {
    /// Name of the kernel.
    pub kernel: String,
    /// Its virtual blocks.
    pub blocks: u64,
    /// The least that would do for it: each buffer that it reads or writes once.
    pub least: u64,
    /// Bytes between memory and the multiprocessors, sector by sector, as if every condition held; `None` where some access depends
    /// on data or was not followed.
    pub moved: Option<f64>,
}

impl LaunchTraffic {
    /// What is moved; where that is not known, the least.
    pub fn bytes(&self) -> f64 {
        self.moved.unwrap_or(self.least as f64)
    }
}

impl Traffic {
    /// What all launches, copies and fills move; where that is not known, the least.
    pub fn bytes(&self) -> f64 {
        self.launches.iter().map(LaunchTraffic::bytes).sum::<f64>() + self.copied as f64
    }

    /// Whether `bytes` is the whole of it.
    pub fn is_known(&self) -> bool {
        !self.more && self.launches.iter().all(|launch| launch.moved.is_some())
    }
}

/// A line for the whole, then one for each launch, equal neighbours in one.
impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = |n: u64, one: &str, more: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {more}") };
        let at_least = |known: bool| if known { "" } else { "at least " };
        let launches = many(self.launches.len() as u64, "launch", "launches");
        let more = if self.more { " and more" } else { "" };
        let waits = if self.waits == 0 { String::new() } else { format!(", {}", many(self.waits, "wait", "waits")) };
        let moved = if self.more { size_text(self.bytes()) } else { against(self.bytes(), self.least) };
        writeln!(f, "{launches}{more}{waits}, {}{moved}", at_least(self.is_known()))?;
        for same in self.launches.chunk_by(|a, b| a == b) {
            let [launch, ..] = same else { continue };
            let times = if same.len() == 1 { String::new() } else { format!("{} times ", same.len()) };
            let blocks = many(launch.blocks, "block", "blocks");
            let moved = against(launch.bytes(), launch.least);
            writeln!(f, "  {times}{}: {blocks}, {}{moved}", launch.kernel, at_least(launch.moved.is_some()))?;
        }
        Ok(())
    }
}

/// Bytes, and how many times the least they are.
fn against(bytes: f64, least: u64) -> String {
    let times = if least == 0 { String::new() } else { format!(", {:.2} of the least", bytes / least as f64) };
    format!("{}{times}", size_text(bytes))
}

/// Bytes in the unit that has few digits.
fn size_text(bytes: f64) -> String {
    let unit = |limit: f64, name: &str| format!("{:.1} {name}", bytes / limit);
    match bytes {
        b if b < 10_000.0 => format!("{b:.0} bytes"),
        b if b < 10_000_000.0 => unit(1e3, "kB"),
        b if b < 10_000_000_000.0 => unit(1e6, "MB"),
        _ => unit(1e9, "GB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kernel: &str, least: u64, moved: Option<f64>) -> LaunchTraffic {
        LaunchTraffic { kernel: kernel.to_string(), blocks: 3, least, moved }
    }

    #[test]
    fn a_line_for_the_whole_and_for_launches() {
        let launches = vec![launch("f_1", 400, Some(600.0)), launch("f_2", 10, None), launch("f_2", 10, None)];
        let all = Traffic { launches, copied: 80, waits: 1, least: 500, more: false };
        assert!(!all.is_known());
        let expected = "3 launches, 1 wait, at least 700 bytes, 1.40 of the least\n  f_1: 3 blocks, 600 bytes, 1.50 of the least\n  \
                        2 times f_2: 3 blocks, at least 10 bytes, 1.00 of the least\n";
        assert_eq!(all.to_string(), expected);
        assert_eq!(Traffic { more: true, ..Traffic::default() }.to_string(), "0 launches and more, at least 0 bytes\n");
        assert_eq!(
            (size_text(12_345.0), size_text(3e7), size_text(3e10)),
            ("12.3 kB".into(), "30.0 MB".into(), "30.0 GB".into())
        );
    }
}
