//! Our PTX beside CUDA C of the same algorithm, by hand or with CUB, without a GPU: all through ptxas 13.0, the CUDA C through NVRTC 13.0
//! first, which stands in for nvcc. Prints one table for each target.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;
use crate::sass::{self, Sass};
use crate::table::Outcome;
use crate::tools::Tools;

/// What the tables are for.
const TARGETS: [&str; 2] = ["sm_80", "sm_90"];

/// An algorithm and its texts.
struct Row {
    /// What the table calls it.
    name: &'static str,
    ours: Ours,
    beside: &'static [Beside],
    /// An instruction of the innermost loop, of which there are equally many for an element, however often the loop is unrolled.
    unit: Option<&'static str>,
}

/// One of our kernels.
struct Ours {
    /// The file with its source.
    file: &'static str,
    kernel: &'static str,
    /// What follows its name in that of its variant's text.
    variant: &'static str,
}

/// What it is held beside.
enum Beside {
    /// A file of `benches/cuda`.
    Hand(&'static str, Math),
    /// One that includes CUB.
    Cub(&'static str),
    /// Another of our kernels, which must be a row.
    Row(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Math {
    Exact,
    Fast,
}

const fn tuned(kernel: &'static str) -> Ours {
    Ours { file: "programs/src/tuned.rs", kernel, variant: "_t256" }
}

const fn only(file: &'static str, kernel: &'static str) -> Ours {
    Ours { file, kernel, variant: "" }
}

/// Kernels that are no programs.
const OWN: &str = "benches/kernels/static.rs";

use Beside::{Cub, Hand};
use Math::{Exact, Fast};

const ROWS: [Row; 11] = [
    Row {
        name: "reduce u32, 4096 a block",
        ours: tuned("tuned_reduce"),
        beside: &[Hand("reduce", Exact), Cub("cub_reduce")],
        unit: Some("LDG.128"),
    },
    Row {
        name: "scan u32, 4096 a block",
        ours: tuned("tuned_scan"),
        beside: &[Hand("scan", Exact), Cub("cub_scan")],
        unit: None,
    },
    Row {
        name: "the same, any length",
        ours: only(OWN, "scan_any"),
        beside: &[Beside::Row("tuned_scan")],
        unit: Some("LDG.128"),
    },
    Row {
        name: "transpose f32, 256 x 256",
        ours: tuned("tuned_transpose"),
        beside: &[Hand("transpose", Exact)],
        unit: None,
    },
    Row { name: "saxpy f32", ours: tuned("tuned_saxpy"), beside: &[Hand("saxpy", Exact)], unit: Some("STG.128") },
    Row { name: "sort u32, 512 a block", ours: tuned("tuned_sort"), beside: &[Hand("sort", Exact)], unit: None },
    Row {
        name: "merge sort u32, 1024 a block",
        ours: only(OWN, "merge_sort_1024"),
        beside: &[Cub("cub_merge_sort")],
        unit: None,
    },
    Row {
        name: "radix sort u32, 1024 a block",
        ours: only(OWN, "radix_sort_1024"),
        beside: &[Cub("cub_radix_sort")],
        unit: None,
    },
    Row {
        name: "product f32, 64 x 64 a block",
        ours: only("programs/src/registers.rs", "sgemm"),
        beside: &[Hand("matrix_product", Exact)],
        unit: Some("FFMA"),
    },
    Row { name: "n-body, fast math", ours: only(OWN, "nbody"), beside: &[Hand("nbody", Fast)], unit: Some("MUFU") },
    Row {
        name: "step in breadth",
        ours: Ours { file: "programs/src/expert.rs", kernel: "bfs_step", variant: "_t64" },
        beside: &[Hand("bfs", Exact)],
        unit: Some("RED"),
    },
];

/// The arguments for `cargo-obsidian emit ptx` that write our kernels' texts.
pub fn emit() -> Vec<&'static str> {
    let mut files: Vec<&str> = ROWS.iter().map(|row| row.ours.file).collect();
    files.sort_unstable();
    files.dedup();
    let kernels = ROWS.iter().flat_map(|row| ["-k", row.ours.kernel]);
    files.into_iter().chain(kernels).collect()
}

/// Measures all rows and prints the tables; `dir` holds the emitted kernels, `headers` those of CUDA, with CUB.
pub fn run(tools: &Tools, root: &Path, dir: &Path, headers: &Path) -> Outcome {
    println!("ptxas 13.0.88, NVRTC 13.0.88 for the CUDA C, CUB of CCCL 13.0.85, nvdisasm 13.2.86\n");
    for target in TARGETS {
        match table(&Texts { tools, root, dir, headers, target }) {
            Ok(text) => println!("## {target}\n\n{text}"),
            Err(why) => return Outcome::Fail(why),
        }
    }
    Outcome::Pass(format!("{} kernels, ptxas 13.0, {}", ROWS.len(), TARGETS.join(" and ")))
}

/// What a table is made from.
struct Texts<'a> {
    tools: &'a Tools,
    root: &'a Path,
    dir: &'a Path,
    headers: &'a Path,
    target: &'static str,
}

impl Texts<'_> {
    /// Compiles files of `benches/cuda` under these options.
    fn compile(&self, files: &[&str], options: &[String]) -> Result<(), String> {
        let mut compile = Command::new(&self.tools.python);
        compile.arg(self.root.join("xtask/nvrtc_check.py")).arg(&self.tools.nvrtc);
        compile.args(["--ptx", &self.target.replace("sm_", "compute_")]).arg(self.of_cuda());
        compile.args(options.iter().flat_map(|option| ["--with", option]));
        compile.args(files.iter().map(|file| self.root.join(format!("benches/cuda/{file}.cu"))));
        let done = process::output(&mut compile).map_err(|e| e.to_string())?;
        if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stdout).into_owned()) }
    }

    /// Where the PTX of files of `benches/cuda` lies: some are called as kernels of ours.
    fn of_cuda(&self) -> PathBuf {
        self.dir.join("cuda")
    }

    fn other(&self, file: &str) -> Result<Sass, String> {
        sass::of(self.tools, &self.of_cuda().join(format!("{file}.ptx")), self.target)
    }

    fn ours(&self, Ours { kernel, variant, .. }: &Ours) -> Result<Sass, String> {
        sass::of(self.tools, &self.dir.join(format!("{kernel}{variant}.ptx")), self.target)
    }
}

fn table(texts: &Texts<'_>) -> Result<String, String> {
    std::fs::create_dir_all(texts.of_cuda()).map_err(|e| e.to_string())?;
    let all = || ROWS.iter().flat_map(|row| row.beside);
    let by_hand = |math: Math| {
        let of = move |beside: &Beside| match beside {
            Hand(file, of) if *of == math => Some(*file),
            _ => None,
        };
        all().filter_map(of)
    };
    let with_cub = all().filter_map(|b| if let Cub(file) = b { Some(*file) } else { None });
    let include = |dir: PathBuf| format!("-I{}", dir.display());
    texts.compile(&by_hand(Exact).collect::<Vec<_>>(), &[])?;
    texts.compile(&by_hand(Fast).collect::<Vec<_>>(), &["--use_fast_math".to_string()])?;
    let cub = [include(texts.headers.join("cccl")), include(texts.headers.to_path_buf()), "-std=c++17".to_string()];
    texts.compile(&with_cub.collect::<Vec<_>>(), &cub)?;
    let head = "| kernel | of | registers | shared B | spilled B | instructions | in the loop | LDG | STG | LDS | STS | BAR | SHFL |";
    let mut text = format!("{head}\n|{}\n", "---|".repeat(13));
    for row in &ROWS {
        let ours = texts.ours(&row.ours)?;
        line(&mut text, row, (row.name, "ours"), &ours);
        for beside in row.beside {
            let (of, other) = match beside {
                Hand(file, _) => ("by hand", texts.other(file)?),
                Cub(file) => ("CUB", texts.other(file)?),
                Beside::Row(kernel) => {
                    let other = ROWS.iter().find(|row| row.ours.kernel == *kernel).ok_or("no such row")?;
                    (other.name, texts.ours(&other.ours)?)
                }
            };
            line(&mut text, row, ("", of), &other);
            compare(&mut text, row, &ours, &other);
        }
    }
    Ok(text)
}

fn line(text: &mut String, row: &Row, (name, of): (&str, &str), s: &Sass) {
    let accesses = ["LDG", "STG", "LDS", "STS"].map(|op| s.widths(op)).join(" | ");
    let (bars, shuffles) = (s.count("BAR"), s.count("SHFL") + s.count("REDUX"));
    let per = row.unit.and_then(|unit| Some(format!("{:.2} per {unit}", s.per(unit)?)));
    let per = per.unwrap_or_else(|| "-".to_string());
    let Sass { registers, shared, spills, instructions, .. } = s;
    let _ = writeln!(
        text,
        "| {name} | {of} | {registers} | {shared} | {spills} | {instructions} | {per} | {accesses} | {bars} | {shuffles} |"
    );
}

fn compare(text: &mut String, row: &Row, ours: &Sass, other: &Sass) {
    let count = |f: fn(&Sass) -> u32| ratio(f(ours).into(), f(other).into());
    let (registers, shared, size) = (count(|s| s.registers), count(|s| s.shared), count(|s| s.instructions));
    let per = |s: &Sass| row.unit.and_then(|unit| s.per(unit)).unwrap_or(0.0);
    let per = ratio(per(ours), per(other));
    let accesses =
        ["LDG", "STG", "LDS", "STS", "BAR", "SHFL"].map(|op| ratio(ours.count(op).into(), other.count(op).into()));
    let accesses = accesses.join(" | ");
    let _ = writeln!(text, "| | ratio | {registers} | {shared} | | {size} | {per} | {accesses} |");
}

/// `1.08`; `-` of nothing to nothing.
fn ratio(ours: f64, other: f64) -> String {
    match (ours > 0.0, other > 0.0) {
        (false, false) => "-".to_string(),
        (true, false) => "more".to_string(),
        _ => format!("{:.2}", ours / other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_say_what_is_more() {
        assert_eq!([ratio(11.0, 10.0), ratio(0.0, 0.0), ratio(3.0, 0.0)], ["1.10", "-", "more"]);
    }
}
