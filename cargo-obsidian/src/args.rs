//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
}

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// An error code, such as OB050; else the costs of kernels are shown
    pub code: Option<String>,
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
