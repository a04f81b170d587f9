//! The times of a study's recorded spaces, for its page: a table and a figure for each recording.

use std::fmt::Write;

use obsidian_tune::source::Kernel;
use obsidian_tune::space;

use crate::plots::{self, Values};
use crate::recorded::{Point, Recording, SUBJECTS, Subject};
use crate::{Page, Study};

/// Adds the times of what is recorded of a study, if anything is.
///
/// # Errors
/// A recording is not of these kernels, or cannot be drawn.
pub fn add(study: &Study, kernels: &[Kernel], page: &mut Page) -> Result<(), String> {
    let mut own = SUBJECTS.iter().filter(|subject| subject.study == study.name).peekable();
    if own.peek().is_some() {
        page.text += "\n## Times\n\nOf each line's points the best and the worst, a point's time being the least of its rounds. `cargo xtask record` measures them.\n";
    }
    for subject in own {
        let kernel = kernels.iter().find(|kernel| kernel.name == subject.kernel);
        let kernel = kernel.ok_or_else(|| format!("`{}` has no kernel `{}`", study.name, subject.kernel))?;
        one(study, kernel, subject, page)?;
    }
    Ok(())
}

fn one(study: &Study, kernel: &Kernel, subject: &Subject, page: &mut Page) -> Result<(), String> {
    let recording = subject.read()?;
    let values: Vec<Values> = kernel.variants().map(space::values).collect();
    if values.iter().map(|values| space::name(values)).ne(recording.points.iter().map(|point| point.variant.clone())) {
        return Err(format!("{}: it is not of these variants: `cargo xtask record {0}`", subject.name()));
    }
    page.text += &table(study.line_of(kernel), &values, subject, &recording);
    let seconds = |point: &Point| point.seconds() * 1e6;
    let points: Vec<(Values, f64)> = values.into_iter().zip(recording.points.iter().map(seconds)).collect();
    let alt = format!("Times of `{}` on {}", subject.kernel, recording.device);
    page.figure(&subject.name(), &alt, &plots::panels(&points, study.line_of(kernel), "microseconds, the least"))
}

/// The best and the worst point of each line.
fn table(by: &str, values: &[Values], subject: &Subject, recording: &Recording) -> String {
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
        let least = own.iter().min_by(|a, b| a.seconds().total_cmp(&b.seconds()));
        let most = own.iter().max_by(|a, b| a.seconds().total_cmp(&b.seconds()));
        let (Some(best), Some(worst)) = (least, most) else { continue };
        let name = name.map_or_else(|| subject.kernel.to_string(), |value| format!("{by} = {value}"));
        let (best_us, worst_us) = (best.seconds() * 1e6, worst.seconds() * 1e6);
        let over = worst_us / best_us;
        let _ = writeln!(text, "| `{name}` | {best_us:.1} | `{}` | {worst_us:.1} | {over:.2} |", best.variant);
    }
    text
}
