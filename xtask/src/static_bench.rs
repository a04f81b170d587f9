//! Our PTX beside hand-written CUDA C of the same algorithm, without a GPU: both through ptxas 13.0, the CUDA C through NVRTC 13.0
//! first, which stands in for nvcc. Prints one table.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::sass::{self, Sass, TARGET};
use crate::table::Outcome;
use crate::tools::Tools;

/// An algorithm and its two texts.
pub struct Pair {
    /// What the table calls it.
    name: &'static str,
    /// Our kernel.
    pub ours: &'static str,
    /// What follows its name in that of its variant's text.
    variant: &'static str,
    /// The file of `benches/cuda`.
    hand: &'static str,
}

/// What is compared.
pub const KERNELS: [Pair; 6] = [
    Pair { name: "reduce u32, 4096 a block", ours: "tuned_reduce", variant: OF_256, hand: "reduce" },
    Pair { name: "scan u32, 4096 a block", ours: "tuned_scan", variant: OF_256, hand: "scan" },
    Pair { name: "transpose f32, 256 x 256", ours: "tuned_transpose", variant: OF_256, hand: "transpose" },
    Pair { name: "saxpy f32", ours: "tuned_saxpy", variant: OF_256, hand: "saxpy" },
    Pair { name: "sort u32, 512 a block", ours: "tuned_sort", variant: OF_256, hand: "sort" },
    Pair { name: "product f32, 64 x 64 a block", ours: "sgemm", variant: "", hand: "matrix_product" },
];

/// The variants of 256 threads a block.
const OF_256: &str = "_t256";

/// Measures all pairs and prints the table; `dir` holds the emitted kernels.
pub fn run(tools: &Tools, root: &Path, dir: &Path) -> Outcome {
    match table(tools, root, dir) {
        Ok(text) => {
            println!("{text}");
            Outcome::Pass(format!("{} pairs, ptxas 13.0, {TARGET}", KERNELS.len()))
        }
        Err(why) => Outcome::Fail(why),
    }
}

fn table(tools: &Tools, root: &Path, dir: &Path) -> Result<String, String> {
    let mut compile = Command::new(&tools.python);
    let arch = TARGET.replace("sm_", "compute_");
    compile.arg(root.join("xtask/nvrtc_check.py")).arg(&tools.nvrtc).args(["--ptx", &arch]).arg(dir);
    compile.args(KERNELS.map(|k| root.join(format!("benches/cuda/{}.cu", k.hand))));
    let done = compile.output().map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let head = "| kernel | of | registers | shared B | spilled B | instructions | LDG | STG | LDS | STS | BAR | SHFL |";
    let mut text = format!("{TARGET}, ptxas 13.0.88, NVRTC 13.0.88 for the CUDA C, nvdisasm 13.2.86\n\n{head}\n");
    text += &format!("|{}\n", "---|".repeat(12));
    for pair in KERNELS {
        let ours = sass::of(tools, &dir.join(format!("{}{}.ptx", pair.ours, pair.variant)))?;
        let hand = sass::of(tools, &dir.join(format!("{}.ptx", pair.hand)))?;
        row(&mut text, pair.name, "ours", &ours);
        row(&mut text, "", "by hand", &hand);
        let ratio = |f: fn(&Sass) -> u32| ratio(f(&ours), f(&hand));
        let (registers, shared, size) = (ratio(|s| s.registers), ratio(|s| s.shared), ratio(|s| s.instructions));
        let (bars, shuffles) = (ratio(|s| s.count("BAR")), ratio(|s| s.count("SHFL")));
        let accesses = ["LDG", "STG", "LDS", "STS"].map(|op| self::ratio(ours.count(op), hand.count(op))).join(" | ");
        let _ = writeln!(text, "| | ratio | {registers} | {shared} | | {size} | {accesses} | {bars} | {shuffles} |");
    }
    Ok(text)
}

fn row(text: &mut String, name: &str, of: &str, s: &Sass) {
    let accesses = ["LDG", "STG", "LDS", "STS"].map(|op| s.widths(op)).join(" | ");
    let (bars, shuffles) = (s.count("BAR"), s.count("SHFL") + s.count("REDUX"));
    let Sass { registers, shared, spills, instructions, .. } = s;
    let _ = writeln!(
        text,
        "| {name} | {of} | {registers} | {shared} | {spills} | {instructions} | {accesses} | {bars} | {shuffles} |"
    );
}

/// `1.08`; `-` of nothing to nothing.
fn ratio(ours: u32, hand: u32) -> String {
    match (ours, hand) {
        (0, 0) => "-".to_string(),
        (_, 0) => "more".to_string(),
        _ => format!("{:.2}", f64::from(ours) / f64::from(hand)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_say_what_is_more() {
        assert_eq!([ratio(11, 10), ratio(0, 0), ratio(3, 0)], ["1.10", "-", "more"]);
    }
}
