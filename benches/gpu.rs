//! Kernels and programs of several launches at 2^28 elements on a GPU, each in one run beside a device-to-device copy that moves as many bytes and,
//! where the library of `benches/cuda/baseline.cu` is given, beside CUB, Thrust or CUDA by hand. All results are compared with
//! the host's before anything is timed; medians by CUDA events. Prints one table; without a GPU it says so and fails.
//!
//! Run: `cargo bench -p obsidian-benches --bench gpu -- [--baseline LIBRARY] [--out FILE] [--log2 24] [--runs N] [--only NAME]`, or from a bundle. `--ptx DIR` only
//! writes the kernels' PTX.

#[path = "gpu/baseline.rs"]
mod baseline;
#[path = "gpu/kernels.rs"]
mod kernels;
#[path = "gpu/launching.rs"]
mod launching;
#[path = "gpu/options.rs"]
mod options;
#[path = "gpu/products.rs"]
mod products;
#[path = "gpu/rows.rs"]
mod rows;
#[path = "gpu/timing.rs"]
mod timing;
#[path = "gpu/wide.rs"]
mod wide;

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};

use obsidian::Device;
use options::Options;
use rows::{Bench, Row};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpu bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = Options::from_args(std::env::args().skip(1))?;
    if let Some(dir) = &options.ptx {
        return write_ptx(dir);
    }
    let device = Device::cuda(0)?;
    let bench = Bench::new(device.clone(), &options)?;
    let mut text = head(&device, &bench, &options);
    let mut failed = 0;
    let wanted = |name: &str| name.contains(&options.only);
    for (_, row) in rows::ROWS.iter().chain(&wide::ROWS).filter(|(name, _)| wanted(name)) {
        // One wrong row must not hide the others.
        text += &row(&bench).map_or_else(|e| not_measured(&*e, &mut failed), |row| line(&row));
    }
    let tables: [(&str, rows::Table); 2] = [("products", products::table), ("launches", launching::table)];
    for (_, table) in tables.iter().filter(|(name, _)| wanted(name)) {
        text += "\n";
        text += &table(&bench).unwrap_or_else(|e| not_measured(&*e, &mut failed));
    }
    print!("{text}");
    if let Some(path) = &options.out {
        std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    if failed > 0 { Err(format!("{failed} rows were not measured, see the table").into()) } else { Ok(()) }
}

/// What stands in the place of a row.
fn not_measured(why: &dyn Error, failed: &mut usize) -> String {
    *failed += 1;
    eprintln!("gpu bench: {why}");
    format!("| not measured: {why} |\n")
}

/// Writes the PTX of every kernel here, for an assembler or a reader.
fn write_ptx(dir: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(dir)?;
    for variant in kernels::all().into_iter().flat_map(obsidian::Kernel::variants) {
        std::fs::write(dir.join(format!("bench_{}.ptx", variant.symbol())), variant.ptx())?;
    }
    Ok(())
}

/// What was measured where, and the table's head.
fn head(device: &Device, bench: &Bench, options: &Options) -> String {
    let driver = output_of("nvidia-smi", &["--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]);
    let date = output_of("date", &["-u", "+%Y-%m-%d"]);
    let commit =
        std::env::var("OBSIDIAN_COMMIT").unwrap_or_else(|_| output_of("git", &["rev-parse", "--short", "HEAD"]));
    let baseline = bench.baseline.as_ref().map_or("no baseline".to_owned(), |b| format!("CUB {}", b.version()));
    format!(
        "{}, driver {driver}, {baseline}, {date}, commit {commit}\n\
         2^{} elements, medians of {} runs in turn, CUDA events; a copy moves as many bytes, read and written; ratios are of \
         speeds, above 1: ours is faster\n\n\
         | kernel | us | GB/s | baseline | us | GB/s | copy us | GB/s | to baseline | to copy |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        device.name(),
        options.log2,
        options.runs,
    )
}

fn line(row: &Row) -> String {
    let rate = |us: f64| row.bytes as f64 / us / 1e3;
    let (name, of, ours, copy) = (row.name, row.of, row.ours, row.copy);
    let (base, ratio) = match row.baseline {
        Some(base) => (format!("{base:.1} | {:.0}", rate(base)), format!("{:.3}", base / ours)),
        None => ("- | -".to_owned(), "-".to_owned()),
    };
    let (ours_rate, copy_rate, to_copy) = (rate(ours), rate(copy), copy / ours);
    format!(
        "| {name} | {ours:.1} | {ours_rate:.0} | {of} | {base} | {copy:.1} | {copy_rate:.0} | {ratio} | {to_copy:.3} |\n"
    )
}

/// The first line that a command prints, or `unknown`.
fn output_of(command: &str, args: &[&str]) -> String {
    let done = Command::new(command).args(args).output().ok().filter(|done| done.status.success());
    let text = done.map(|done| String::from_utf8_lossy(&done.stdout).into_owned()).unwrap_or_default();
    text.lines().next().filter(|line| !line.is_empty()).unwrap_or("unknown").trim().to_owned()
}
