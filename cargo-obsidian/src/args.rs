//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use obsidian_tune::rounds::ROUNDS;

/// Texts, costs, pictures, mistakes and the best variants of Obsidian kernels.
#[derive(Debug, Parser)]
#[command(name = "cargo-obsidian", bin_name = "cargo obsidian", version, max_term_width = 100)]
pub struct Cli {
    /// What is to be done.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile every variant and show the mistakes
    Check(Sources),
    /// Show or write the texts that kernels are compiled to
    Emit(Emit),
    /// Show what kernels cost, or what an error code means
    Explain(Explain),
    /// Draw the dataflow network of a block, or its shared memory over time, as SVG
    Draw(Draw),
    /// Show a file of kernels in the browser: costs beside its lines, texts linked to them, pictures, variants
    Explore(Explore),
    /// Measure the variants of a kernel on a device; record and tell the fastest
    Tune(Tune),
    /// From records to the few variants that are worth shipping, and a function that picks one
    Choose(Choose),
    /// List the devices, and why a back end has none
    Devices,
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Where the kernels are, and which of them.
#[derive(Debug, Clone, Args)]
pub struct Sources {
    /// Rust sources, kernel files, or folders of them [default: src and kernels, as far as they are there]
    pub paths: Vec<PathBuf>,
    /// Only kernels of this name, in which * stands for any text; may be given several times
    #[arg(short, long = "kernel", value_name = "NAME")]
    pub kernels: Vec<String>,
}

/// Which variants.
#[derive(Debug, Clone, Args)]
pub struct Which {
    /// Every variant, not only the first
    #[arg(short, long)]
    pub all: bool,
    /// Variants with this value, such as threads=64 or T=f32; may be given several times
    #[arg(short, long = "with", value_name = "NAME=VALUE")]
    pub values: Vec<String>,
}

/// Options of `emit`.
#[derive(Debug, Args)]
pub struct Emit {
    /// The kind of text
    #[arg(value_enum)]
    pub kind: Kind,
    /// Where the kernels are.
    #[command(flatten)]
    pub sources: Sources,
    /// Which variants.
    #[command(flatten)]
    pub which: Which,
    /// Write a file for each variant into this folder
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Have PTX and CUDA C tell the kernels' own lines, for profilers and sanitizers
    #[arg(long)]
    pub line_info: bool,
}

/// A kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The program that the CPU runs, with its levels
    Ir,
    /// The program as evaluated and proved; nothing is placed
    Program,
    /// The program with its barriers, shared memory laid out
    Structured,
    /// The program that the GPU texts are printed from
    Machine,
    /// PTX
    Ptx,
    /// CUDA C
    Cuda,
    /// OpenCL C
    Opencl,
    /// The Rust that the CPU runs
    Rust,
    /// The C header with the launch contract
    Header,
    /// Parameters, launch conditions and costs, as JSON
    Json,
    /// What programs in other languages need: every text and the manifest, into the folder of --out
    Manifest,
}

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// An error code, such as OB050; else the costs of kernels are shown
    pub code: Option<String>,
    /// Of the costs this part alone
    #[arg(short, long, value_enum, default_value = "report")]
    pub only: Part,
    /// Rust sources, kernel files, or folders of them [default: src and kernels, as far as they are there]
    #[arg(short, long = "path", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only kernels of this name, in which * stands for any text; may be given several times
    #[arg(short, long = "kernel", value_name = "NAME")]
    pub kernels: Vec<String>,
    /// Which variants.
    #[command(flatten)]
    pub which: Which,
}

/// A part of what a kernel costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Everything: conditions, memory, barriers, accesses, operations, occupancy
    Report,
    /// Where barriers stand
    Barriers,
    /// Where shared arrays lie, step by step
    Memory,
}

/// Options of `draw`.
#[derive(Debug, Args)]
pub struct Draw {
    /// What is drawn
    #[arg(value_enum)]
    pub picture: Picture,
    /// Where the kernels are.
    #[command(flatten)]
    pub sources: Sources,
    /// Which variants.
    #[command(flatten)]
    pub which: Which,
    /// Write an SVG for each variant into this folder; else the one picture is printed
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// What can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Picture {
    /// Which elements a block computes from which
    Network,
    /// Where a block's shared arrays lie, and when
    Memory,
}

/// Options of `explore`.
#[derive(Debug, Args)]
pub struct Explore {
    /// The file: a Rust source or a kernel file
    pub file: PathBuf,
    /// Files or folders with the libraries that it uses
    pub libraries: Vec<PathBuf>,
    /// Write the page as one HTML file; else it is served on this machine, and goes on as the file is saved
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The port on which it is served; 0: any that is free
    #[arg(short, long, default_value_t = 7411, value_name = "N")]
    pub port: u16,
}

/// Options of `tune`.
#[derive(Debug, Args)]
pub struct Tune {
    /// The kernel's name
    pub kernel: String,
    /// Rust sources, kernel files, or folders of them [default: src and kernels, as far as they are there]
    pub paths: Vec<PathBuf>,
    /// The device: cpu, opencl, opencl:NUMBER, opencl:NAME or cuda:NUMBER
    #[arg(short, long, default_value = "cpu")]
    pub device: String,
    /// Elements of each buffer whose type leaves the length open
    #[arg(short, long, default_value_t = 1 << 20, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub len: u32,
    /// The length of one buffer, or the value of a scalar; may be given several times
    #[arg(long, value_name = "NAME=NUMBER")]
    pub set: Vec<String>,
    /// Integers in buffers are below this
    #[arg(long, default_value_t = 1 << 16, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub below: u64,
    /// Only variants with this value, such as T=f32; may be given several times
    #[arg(long = "with", value_name = "NAME=VALUE")]
    pub values: Vec<String>,
    /// Which way through the space
    #[arg(short, long, value_enum, default_value = "exhaustive")]
    pub searcher: Way,
    /// Try at most this number of variants
    #[arg(long, value_name = "N", value_parser = at_least::<1>)]
    pub points: Option<usize>,
    /// Search for at most this time
    #[arg(long, value_name = "SECONDS", value_parser = duration, allow_negative_numbers = true)]
    pub seconds: Option<Duration>,
    /// Stop searching once a variant takes at most this multiple of the time of a copy of its bytes
    #[arg(long, value_name = "TIMES", value_parser = ratio, allow_negative_numbers = true)]
    pub within: Option<f64>,
    /// Rounds in which the best run against one another, at most; of fewer than 6 nothing can be said
    #[arg(long, default_value_t = ROUNDS, value_name = "N", value_parser = at_least::<6>)]
    pub rounds: usize,
    /// Of everything that is left to chance
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Measure every variant, also those that are proved to be no better
    #[arg(long)]
    pub no_prune: bool,
    /// Begin again, whatever the record holds
    #[arg(long)]
    pub fresh: bool,
    /// The record [default: a file in the folder `tuning` beside the source]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write the measurements as CSV, too
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the measurements in the open schema T4, too
    #[arg(long, value_name = "FILE")]
    pub t4: Option<PathBuf>,
}

/// A way through a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Way {
    /// Every point, in order
    Exhaustive,
    /// Any points
    Random,
    /// Greedy iterated local search
    Greedy,
    /// A genetic search
    Genetic,
}

impl Way {
    /// The searcher's name.
    pub fn name(self) -> &'static str {
        match self {
            Way::Exhaustive => "exhaustive",
            Way::Random => "random",
            Way::Greedy => "greedy",
            Way::Genetic => "genetic",
        }
    }
}

/// Options of `choose`.
#[derive(Debug, Args)]
pub struct Choose {
    /// The kernel's name
    pub kernel: String,
    /// Rust sources, kernel files, or folders of them [default: src and kernels, as far as they are there]
    pub paths: Vec<PathBuf>,
    /// A record; may be given several times [default: those in the folder `tuning` beside the source]
    #[arg(long = "record", value_name = "FILE")]
    pub records: Vec<PathBuf>,
    /// How many times as long as the best a variant may take where it is chosen
    #[arg(long, default_value_t = 1.10, value_name = "TIMES", value_parser = ratio, allow_negative_numbers = true)]
    pub within: f64,
    /// Choose at most this number of variants
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = at_least::<1>)]
    pub most: usize,
    /// Write what was chosen for the devices of this machine into a folder, for `obsidian::wisdom`
    #[arg(long, value_name = "DIR")]
    pub wisdom: Option<PathBuf>,
}

fn at_least<const LEAST: usize>(given: &str) -> Result<usize, String> {
    match given.parse() {
        Ok(number) if number >= LEAST => Ok(number),
        _ => Err(format!("this is a whole number from {LEAST}")),
    }
}

/// How many times as long as something else: from 1.
fn ratio(given: &str) -> Result<f64, String> {
    match given.parse::<f64>() {
        Ok(times) if times.is_finite() && times >= 1.0 => Ok(times),
        _ => Err("this is a number from 1, such as 1.1".into()),
    }
}

fn duration(given: &str) -> Result<Duration, String> {
    let seconds = given.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "this is a number of seconds, not negative".into())
}
