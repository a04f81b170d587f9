//! A row of the table: the kernel and the loop by hand run in turn, and must agree.

use std::error::Error;
use std::time::{Duration, Instant};

pub type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Elements that a hand-written loop gives to one task: 256 KiB of `f32`, at which the rayon loops were fastest.
pub const TASK: usize = 64 << 10;
const WARM_UPS: usize = 2;
/// The fewest rounds, and for how long there are more.
const MIN_ROUNDS: usize = 7;
const MIN_TIME: Duration = Duration::from_millis(1200);

/// What a row is about.
pub struct Row {
    pub name: &'static str,
    /// Bytes that must be read and written at least.
    pub bytes: usize,
    /// By how much the kernel is to be faster than the loop, on AVX-512; `None` where nothing was set.
    pub aim: Option<f64>,
}

/// Times of one side, sorted.
struct Times(Vec<Duration>);

impl Times {
    fn at(&self, part: f64) -> f64 {
        self.0[((self.0.len() - 1) as f64 * part) as usize].as_secs_f64()
    }

    fn median(&self) -> f64 {
        self.at(0.5)
    }

    /// Half of the rounds lie within this percentage of the median.
    fn spread(&self) -> f64 {
        50.0 * (self.at(0.75) - self.at(0.25)) / self.median()
    }
}

/// Runs both in turn, so that a change of the machine's clock meets both, and prints their medians.
pub fn race(
    row: Row,
    mut kernel: impl FnMut() -> std::result::Result<(), obsidian::Error>,
    mut by_hand: impl FnMut(),
) -> Result {
    if std::env::args().nth(1).is_some_and(|wanted| !wanted.starts_with('-') && !row.name.contains(&wanted)) {
        return Ok(());
    }
    let (mut ours, mut hands) = (Vec::new(), Vec::new());
    let mut round = 0;
    let begin = Instant::now();
    while round < WARM_UPS + MIN_ROUNDS || begin.elapsed() < MIN_TIME {
        let start = Instant::now();
        kernel()?;
        let middle = Instant::now();
        by_hand();
        let end = Instant::now();
        if round >= WARM_UPS {
            ours.push(middle - start);
            hands.push(end - middle);
        }
        round += 1;
    }
    let [ours, hands] = [ours, hands].map(|mut times| {
        times.sort_unstable();
        Times(times)
    });
    let aim = row.aim.map_or("-".into(), |aim| format!("{aim:.2}"));
    println!(
        "{:<26}{:>10.3}{:>5.0}%{:>9.1}{:>11.3}{:>5.0}%{:>12.2}{aim:>7}",
        row.name,
        ours.median() * 1e3,
        ours.spread(),
        row.bytes as f64 / ours.median() / 1e9,
        hands.median() * 1e3,
        hands.spread(),
        hands.median() / ours.median(),
    );
    Ok(())
}

pub fn head() {
    println!(
        "{:<26}{:>10}{:>6}{:>9}{:>11}{:>6}{:>12}{:>7}",
        "program", "ours ms", "+-", "GB/s", "rayon ms", "+-", "rayon/ours", "aim"
    );
}

/// Both must have computed the same, or their times mean nothing.
pub fn same<T: PartialEq>(name: &str, kernel: &[T], by_hand: &[T]) -> Result {
    if kernel == by_hand { Ok(()) } else { Err(format!("{name}: the kernel's result differs from the loop's").into()) }
}

/// As [`same`], where the loop rounds otherwise: within a ten-thousandth of the greatest value.
pub fn near(name: &str, kernel: &[f32], by_hand: &[f32]) -> Result {
    let most = by_hand.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let near = kernel.iter().zip(by_hand).all(|(a, b)| (a - b).abs() <= 1e-4 * most);
    if near && kernel.len() == by_hand.len() {
        return Ok(());
    }
    Err(format!("{name}: the kernel's result is not near the loop's").into())
}
