//! The times of a study's recorded spaces, for its page: a table and a figure for each recording.

use std::fmt::Write;

use obsidian_tune::source::Kernel;
use obsidian_tune::space;

use crate::plots::{self, Values};
use crate::recorded::{Point, Recording, Subject, subjects};
use crate::{Page, Study};

/// What is said above the times.
const ABOVE: &str = "
## Times

Of each line's points the best and the worst, a point's time being the least of its rounds. `cargo xtask record` measures them. The
machine had other work while these were recorded, which the least of many rounds hides only in part. Points that differ in threads alone
are one program on the CPU: their differences are those of the machine.
";

/// Adds the times of what is recorded of a study.
///
/// # Errors
/// A recording is not of these kernels, or cannot be drawn.
pub fn add(study: &Study, kernels: &[Kernel], page: &mut Page) -> Result<(), String> {
    page.text += ABOVE;
    let mut plain = Vec::new();
    for subject in subjects().filter(|subject| subject.study == study.name) {
        let kernel = kernels.iter().find(|kernel| kernel.name == subject.kernel);
        let kernel = kernel.ok_or_else(|| format!("`{}` has no kernel `{}`", study.name, subject.kernel))?;
        if study.line_of(kernel).is_empty() {
            plain.push(Recorded::read(kernel, subject)?);
        } else {
            one(study.line_of(kernel), &Recorded::read(kernel, subject)?, page)?;
        }
    }
    if plain.is_empty() { Ok(()) } else { together(study, &plain, page) }
}

/// What is recorded of a kernel: of each variant its values and its point.
struct Recorded {
    subject: &'static Subject,
    recording: Recording,
    values: Vec<Values>,
}

impl Recorded {
    fn read(kernel: &Kernel, subject: &'static Subject) -> Result<Recorded, String> {
        let recording = subject.read()?;
        let values: Vec<Values> = kernel.variants().map(space::values).collect();
        let points = recording.points.iter().map(|point| point.variant.clone());
        if values.iter().map(|values| space::name(values)).ne(points) {
            return Err(format!("{}: it is not of these variants: `cargo xtask record {0}`", subject.name()));
        }
        Ok(Recorded { subject, recording, values })
    }

    /// Microseconds of each point.
    fn times(&self) -> Vec<(Values, f64)> {
        let times = self.recording.points.iter().map(|point| point.seconds() * 1e6);
        self.values.iter().cloned().zip(times).collect()
    }
}

/// The kernels of a study that have no forms: a line of the table and of the figure each.
fn together(study: &Study, all: &[Recorded], page: &mut Page) -> Result<(), String> {
    let Recording { device, date, .. } = &all[0].recording;
    page.text += &format!(
        "\n{device}, {date}:\n\n| | elements | best, us | its point | worst, us | worst over best |\n|---|---:|---:|---|---:|---:|\n"
    );
    for own in all {
        let points: Vec<&Point> = own.recording.points.iter().filter(|point| point.rounds.is_ok()).collect();
        if let Some(cells) = cells(&points) {
            let _ = writeln!(page.text, "| `{}` | {} | {cells} |", own.subject.kernel, own.subject.len);
        }
    }
    let lines = all.iter().map(|own| (own.subject.kernel.to_string(), plots::line(&own.times(), space::THREADS)));
    let panel = plots::Panel {
        over: space::THREADS.into(),
        of: "microseconds, the least".into(),
        lines: lines.filter(|(_, points)| points.len() > 1).collect(),
    };
    let panels: Vec<plots::Panel> = [panel].into_iter().filter(|panel| !panel.lines.is_empty()).collect();
    page.figure(&format!("{}.cpu", study.name), &format!("Times of {} on {device}", study.title), &panels)
}

/// The cells of a table on these points: the best and the worst.
fn cells(points: &[&Point]) -> Option<String> {
    let best = points.iter().min_by(|a, b| a.seconds().total_cmp(&b.seconds()))?;
    let worst = points.iter().max_by(|a, b| a.seconds().total_cmp(&b.seconds()))?;
    let (best_us, worst_us) = (best.seconds() * 1e6, worst.seconds() * 1e6);
    Some(format!("{best_us:.1} | `{}` | {worst_us:.1} | {:.2}", best.variant, worst_us / best_us))
}

fn one(by: &str, own: &Recorded, page: &mut Page) -> Result<(), String> {
    page.text += &table(by, own);
    let alt = format!("Times of `{}` on {}", own.subject.kernel, own.recording.device);
    page.figure(&own.subject.name(), &alt, &plots::panels(&own.times(), by, "microseconds, the least"))
}

/// The best and the worst point of each line.
fn table(by: &str, Recorded { subject, recording, values }: &Recorded) -> String {
    let Recording { device, date, points, .. } = recording;
    let mut text = format!(
        "\n`{}` of {} elements, {device}, {date}:\n\n| | best, us | its point | worst, us | worst over best |\n|---|---:|---|---:|---:|\n",
        subject.kernel, subject.len
    );
    let line = |values: &Values| values.iter().find(|(name, _)| name == by).map(|(_, value)| value.clone());
    let mut names: Vec<Option<String>> = Vec::new();
    for values in values {
        let name = line(values);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let own = values.iter().zip(points).filter(|(values, point)| line(values) == name && point.rounds.is_ok());
        let own: Vec<&Point> = own.map(|(_, point)| point).collect();
        let Some(cells) = cells(&own) else { continue };
        let name = name.map_or_else(|| subject.kernel.to_string(), |value| format!("{by} = {value}"));
        let _ = writeln!(text, "| `{name}` | {cells} |");
    }
    text
}
