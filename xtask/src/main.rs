//! Project tasks: `cargo xtask test | bless | bench | static-bench | lines | bundle | accuracy | fuzz | study | record | others | packages | sizes | setup | help`. Only the standard library, so that it builds in a second.

mod bench_pages;
mod bless;
mod browser;
mod bundle;
mod candle;
mod cargo;
mod check;
mod cores;
mod cudarc;
mod examples;
mod fuzz;
mod guide;
mod instructions;
mod intel;
mod kernels;
mod least_rust;
mod lines;
mod mpi;
mod opencl;
mod outside;
mod packages;
mod process;
mod rebuild;
mod sass;
mod simulated;
mod sizes;
mod static_bench;
mod steps;
mod table;
mod tools;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "cargo xtask TASK
  test [--quick]
          set up the tools, run every check, end with a table; fails if any check fails; with `--quick` only format, lints
          and tests of the compiler and the runtime, in a few minutes and without tools
  bless [passes | snapshots | pages | tests | messages | judge]..
          renew the texts that tests compare with what the compiler makes now, all or the named ones; read the difference
  bench [opencl | cpu | rebuild | instructions | ranks]
          run the benches and print their tables; with `opencl` only those against OpenCL C by hand, on PoCL and on Intel's
          driver, with `cpu` only those against rayon by hand, with `rebuild` what an edit in a package of 27 kernels
          costs, with `instructions` how many instructions an expansion takes; these are kept as pages of benches/results; with
          `ranks` exchanges and functions over 1, 2 and 4 ranks of MPI
  static-bench
          assemble our PTX of five algorithms beside hand-written CUDA; print registers, instructions, widths and ratios
  lines   have texts tell the lines of all kernels, and look for these in what ptxas and NVRTC make of one in twelve of them
  accuracy [STRIDE]
          measure the library's functions on every f32 (or every STRIDE-th) and print the worst of each
  bundle  put the GPU suite, benches, PTX and a script into one folder, for a machine with a GPU and no Rust
  fuzz [--count N] [--seed S] [--devices] [--launches]
          run N random kernels (2000 if not said) from seed S: meaning, interpreter, PTX; with --devices instead on the CPU
          and, where it can be had, PoCL
  study NAME|all [--scale N] [--bless]
          compile a paper's design space, verify every point on the CPU, and print its page; kept with --bless
  record [NAME]..
          measure every point of the spaces under studies/recorded on the CPU and PoCL, all or the named ones, and keep the
          times; in minutes, on a machine that does nothing else
  others  build and run programs that have libraries of their own: the oldest cudarc that fits, on the simulated driver, and candle
  packages
          package every crate that can be published, and look into the packages; nothing is uploaded; build them all with the
          least Rust that their manifests name, where rustup has it
  sizes [COMMIT]
          print how many lines the sources of each crate have, beside those at a commit, and which files are long
  guide   build the guide with mdBook, and follow its links
  setup   only set up the tools, under tools/
  help    this text";

fn main() -> ExitCode {
    let Some(root) = root() else {
        eprintln!("xtask must lie in the workspace it serves");
        return ExitCode::FAILURE;
    };
    let report = match std::env::args().nth(1).as_deref() {
        Some("test") => match std::env::args().nth(2).as_deref() {
            None => check::test(&root),
            Some("--quick") => check::quick(&root),
            Some(other) => {
                eprintln!("`test` knows no `{other}`\n{HELP}");
                return ExitCode::FAILURE;
            }
        },
        Some("bless") => match bless::bless(&root, &std::env::args().skip(2).collect::<Vec<_>>()) {
            Ok(report) => report,
            Err(why) => {
                eprintln!("{why}\n{HELP}");
                return ExitCode::FAILURE;
            }
        },
        Some("bench") => match std::env::args().nth(2).as_deref() {
            None => steps::bench(&root),
            Some("opencl") => bench_pages::opencl(&root),
            Some("cpu") => bench_pages::cpu(&root),
            Some("rebuild") => bench_pages::rebuild(&root),
            Some("instructions") => bench_pages::instructions(&root),
            Some("ranks") => mpi::bench(&root),
            Some(other) => {
                eprintln!("`bench` knows no `{other}`\n{HELP}");
                return ExitCode::FAILURE;
            }
        },
        Some("static-bench") => steps::static_bench(&root),
        Some("lines") => steps::lines(&root),
        Some("accuracy") => steps::accuracy(&root, std::env::args().nth(2).as_deref()),
        Some("bundle") => bundle::bundle(&root),
        Some("fuzz") => match fuzz::Options::read(std::env::args().skip(2)) {
            Ok(options) => fuzz::run(&root, &options),
            Err(why) => {
                eprintln!("{why}\n{HELP}");
                return ExitCode::FAILURE;
            }
        },
        Some("study") => steps::study(&root, &std::env::args().skip(2).collect::<Vec<_>>()),
        Some("record") => steps::record(&root, &std::env::args().skip(2).collect::<Vec<_>>()),
        Some("others") => steps::others(&root),
        Some("packages") => steps::packages(&root),
        Some("sizes") => steps::sizes(&root, std::env::args().nth(2).as_deref()),
        Some("guide") => steps::guide(&root),
        Some("setup") => steps::setup(&root),
        Some("help" | "--help" | "-h") | None => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some(other) => {
            eprintln!("there is no task `{other}`\n{HELP}");
            return ExitCode::FAILURE;
        }
    };
    print!("\n{}", report.text());
    if report.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The workspace: the folder above this crate.
fn root() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf)
}
