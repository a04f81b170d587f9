//! What a paper reports, line by line, beside what the recordings on the CPU say of it, or why they say nothing.

use std::fmt::Write;

use crate::Study;
use crate::recorded::{On, Point, Recording, subjects};

/// A line of what a paper reports.
#[derive(Debug, Clone, Copy)]
pub struct Reported {
    /// Of what.
    pub what: &'static str,
    /// What the paper says.
    pub paper: &'static str,
    /// What can be said here.
    pub here: Here,
}

/// What a recording on the CPU says of it; that of most elements.
#[derive(Debug, Clone, Copy)]
pub enum Here {
    /// The best of a kernel's points whose names have this in them, as a rate: bytes of a launch for each element.
    Bytes(&'static str, &'static str, f64),
    /// The same in elements.
    Elements(&'static str, &'static str),
    /// The worst of a kernel's points whose names have the first in them, over the best of those with the second.
    Spread(&'static str, [&'static str; 2]),
    /// Nothing, and why.
    Nothing(&'static str),
}

/// The table of a study; no text where there is nothing to tell.
///
/// # Errors
/// A recording cannot be read.
pub fn table(study: &Study) -> Result<String, String> {
    if study.reported.is_empty() {
        return Ok(String::new());
    }
    let mut text =
        String::from("\n## Beside the paper\n\n| | the paper, on its GPU | here, on the CPU |\n|---|---|---|\n");
    for Reported { what, paper, here } in study.reported {
        let _ = writeln!(text, "| {what} | {paper} | {} |", here.told(study)?);
    }
    Ok(text)
}

impl Here {
    fn told(&self, study: &Study) -> Result<String, String> {
        Ok(match *self {
            Here::Nothing(why) => why.to_string(),
            Here::Bytes(kernel, form, bytes) => {
                let (len, recording) = largest(study, kernel)?;
                let rate = f64::from(len) * bytes / least(&recording, form) / 1e9;
                format!("{rate:.1} GB/s, {len} elements")
            }
            Here::Elements(kernel, form) => {
                let (len, recording) = largest(study, kernel)?;
                let rate = f64::from(len) / least(&recording, form) / 1e6;
                format!("{rate:.0} million a second, {len} elements")
            }
            Here::Spread(kernel, [worst, best]) => {
                let (_, recording) = largest(study, kernel)?;
                let most = times(&recording, worst).fold(0.0, f64::max);
                format!("{:.2}", most / least(&recording, best))
            }
        })
    }
}

/// The recording of most elements.
fn largest(study: &Study, kernel: &str) -> Result<(u32, Recording), String> {
    let own = subjects().filter(|s| s.study == study.name && s.kernel == kernel && s.on == On::Cpu);
    let subject = own.max_by_key(|subject| subject.len).ok_or_else(|| format!("`{kernel}` is not recorded"))?;
    Ok((subject.len, subject.read()?))
}

fn times<'a>(recording: &'a Recording, form: &'a str) -> impl Iterator<Item = f64> + 'a {
    let own = recording
        .points
        .iter()
        .filter(move |point| point.variant.split(", ").any(|part| form.is_empty() || part == form));
    own.filter(|point| point.rounds.is_ok()).map(Point::seconds)
}

fn least(recording: &Recording, form: &str) -> f64 {
    times(recording, form).fold(f64::INFINITY, f64::min)
}
