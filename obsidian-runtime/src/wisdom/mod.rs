//! Wisdom: a folder of files, each of which says what a tuning has found best for one kernel, device and length. It may choose among
//! the variants that a program ships, and only where everything it says of itself is so here; else it is refused, with the reason.
//!
//! In: a folder, a kernel, a device, a length. Out: a variant and the rule that chose it. A wrong file can cost time, never a number:
//! every variant of a kernel computes the same.

mod file;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

pub use file::Found;

use crate::device::Device;
use crate::info::Backend;
use crate::kernel::{Choice, Chooses, Kernel, KernelVariant};

/// The files of a folder, read once.
#[derive(Debug, Clone, Default)]
pub struct Wisdom {
    found: Vec<(PathBuf, Found)>,
    refused: Vec<Refused>,
}

/// A file that chooses nothing, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: Reason,
}

/// Why a file chooses nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It cannot be read, or is not as it was written.
    Damaged(String),
    /// It is about something else.
    Mismatch {
        /// What differs: `schema`, `generator`, `kernel`, `text`, `variants`, `backend`, `device` or `driver`.
        what: &'static str,
        /// What is expected here.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// It names a variant that the kernel does not have.
    NoVariant(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.why {
            Reason::Damaged(why) => write!(f, "this wisdom is damaged: {why}"),
            Reason::Mismatch { what, expected, found } => {
                write!(f, "this wisdom is not about this: its {what} is `{found}`, and here it is `{expected}`")
            }
            Reason::NoVariant(name) => write!(f, "the kernel has no variant `{name}`"),
        }
    }
}

/// What is known of one kernel on one device.
#[derive(Debug, Clone)]
pub struct Known {
    kernel: Kernel,
    /// By length, from the least.
    best: Vec<(u64, KernelVariant)>,
    refused: Vec<Refused>,
}

/// A variant, and the rule that chose it.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    variant: KernelVariant,
    rule: Rule,
}

/// How a variant was chosen, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// It was the best here for this length.
    SameLength,
    /// It was the best here for the nearest length that was measured, this one; lengths are compared by their ratio.
    NearestLength(u64),
    /// The program chose it, for example by the function that `cargo obsidian choose` writes.
    Shipped,
    /// It is the first in the attribute.
    First,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::SameLength => f.write_str("the best on this device for this length"),
            Rule::NearestLength(len) => write!(f, "the best on this device for {len}, the nearest length"),
            Rule::Shipped => f.write_str("shipped with the program"),
            Rule::First => f.write_str("the first variant"),
        }
    }
}

impl Wisdom {
    /// Reads the files of a folder that end in `.wisdom`. A folder that is not there holds none; a file that cannot be used is among
    /// [`refused`](Wisdom::refused).
    pub fn read(folder: impl AsRef<Path>) -> Wisdom {
        let mut wisdom = Wisdom::default();
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_wisdom = |path: &PathBuf| path.extension().is_some_and(|end| end == "wisdom");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_wisdom).collect();
        paths.sort();
        for path in paths {
            let bytes = std::fs::read(&path).map_err(|e| e.to_string());
            match bytes.and_then(|bytes| Found::parse(&bytes)) {
                Ok(found) => wisdom.found.push((path, found)),
                Err(why) => wisdom.refused.push(Refused { path, why: Reason::Damaged(why) }),
            }
        }
        wisdom
    }

    /// The files that cannot be read, whatever the kernel.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// What is known of a kernel on a device. Files of other kernels are passed over; those of this one are used or refused.
    pub fn of(&self, kernel: &Kernel, device: &Device) -> Known {
        let here = Found::here(kernel, device);
        let mut known = Known { kernel: *kernel, best: Vec::new(), refused: Vec::new() };
        for (path, found) in self.found.iter().filter(|(_, found)| found.kernel == here.kernel) {
            let why = match found.differing(&here) {
                Some((what, expected, found)) => Reason::Mismatch { what, expected, found },
                None => match kernel.variants().find(|variant| variant.to_string() == found.chosen) {
                    Some(variant) => {
                        known.best.push((found.len, variant));
                        continue;
                    }
                    None => Reason::NoVariant(found.chosen.clone()),
                },
            };
            known.refused.push(Refused { path: path.clone(), why });
        }
        known.best.sort_by_key(|(len, _)| *len);
        known
    }
}

impl Known {
    /// The files about this kernel that choose nothing here.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The variant for buffers of a length: that of this length, then of the nearest one, then the first.
    pub fn choose(&self, len: u64) -> Chosen {
        self.nearest(len).unwrap_or(Chosen { variant: self.kernel.first(), rule: Rule::First })
    }

    /// The same; where nothing is known, the variant that the program ships for this case.
    pub fn choose_or(&self, len: u64, shipped: KernelVariant) -> Chosen {
        self.nearest(len).unwrap_or(Chosen { variant: shipped, rule: Rule::Shipped })
    }

    fn nearest(&self, len: u64) -> Option<Chosen> {
        let above = self.best.partition_point(|(known, _)| *known < len);
        let at = |place: usize| self.best.get(place).copied();
        if let Some((_, variant)) = at(above).filter(|(known, _)| *known == len) {
            return Some(Chosen { variant, rule: Rule::SameLength });
        }
        let below = above.checked_sub(1).and_then(at);
        let (known, variant) =
            match (below, at(above)) {
                // As near by ratio: len / low <= high / len.
                (Some(low), Some(high)) => {
                    if u128::from(len) * u128::from(len) <= u128::from(low.0) * u128::from(high.0) { low } else { high }
                }
                (low, high) => low.or(high)?,
            };
        Some(Chosen { variant, rule: Rule::NearestLength(known) })
    }
}

impl Chosen {
    /// The variant.
    pub fn variant(&self) -> KernelVariant {
        self.variant
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.variant, self.rule)
    }
}

impl<K> Chooses<K> for Chosen {
    fn choice(self) -> Choice {
        Chooses::<K>::choice(self.variant)
    }
}

/// What a device is called in wisdom and in records: its name, on a CPU the processor's and its threads.
pub fn device_name(device: &Device) -> String {
    match device.kind() {
        Backend::Cpu => format!("{}, {} threads", processor(), device.limits().compute_units),
        _ => device.name().to_string(),
    }
}

/// The processor's name, as the system gives it.
fn processor() -> String {
    let said = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = said.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_string(), |(_, name)| name.trim().to_string())
}
