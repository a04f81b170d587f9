//! What a kernel becomes: the resources that `ptxas -v` tells, and the instructions that `nvdisasm` lists, counted by kind.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use crate::process;
use crate::tools::Tools;

/// A kernel in numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sass {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory of a block.
    pub shared: u32,
    /// Bytes that are spilled: stores and loads.
    pub spills: u32,
    /// Instructions, without padding.
    pub instructions: u32,
    /// Those of each loop that has no other loop in it.
    pub loops: Vec<BTreeMap<String, u32>>,
    /// How often each, by opcode and, for memory, bits: `LDG.128`.
    kinds: BTreeMap<String, u32>,
}

impl Sass {
    /// How many instructions there are of a kind: `LDG` all of them, `LDG.128` those of 128 bits.
    pub fn count(&self, kind: &str) -> u32 {
        let of = |k: &&String| *k == kind || k.split('.').next() == Some(kind);
        self.kinds.iter().filter(|(k, _)| of(k)).map(|(_, n)| n).sum()
    }

    /// Instructions of the loop that has most of a kind, for each of these; `None` where none has any.
    pub fn per(&self, kind: &str) -> Option<f64> {
        let of = |inner: &BTreeMap<String, u32>| inner.get(kind).copied().unwrap_or(0);
        let hottest = self.loops.iter().max_by_key(|inner| of(inner)).filter(|inner| of(inner) > 0)?;
        Some(f64::from(hottest.values().sum::<u32>()) / f64::from(of(hottest)))
    }

    /// The widths of a kind of access: `4x128 1x32`.
    pub fn widths(&self, op: &str) -> String {
        let all = ["128", "64", "32", "16", "8"].map(|bits| (self.count(&format!("{op}.{bits}")), bits));
        let found: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, bits)| format!("{n}x{bits}")).collect();
        if found.is_empty() { "-".to_string() } else { found.join(" ") }
    }
}

/// Assembles a PTX file with ptxas 13.0 for a target, and lists what comes out.
pub fn of(tools: &Tools, ptx: &Path, target: &str) -> Result<Sass, String> {
    let cubin = ptx.with_extension("cubin");
    let told = output(Command::new(&tools.ptxas_13).args(["-v", "-arch", target, "-o"]).arg(&cubin).arg(ptx))?;
    let listing = output(Command::new(&tools.nvdisasm).arg("-c").arg(&cubin))?;
    let mut sass =
        Sass { registers: before(&told, " registers"), shared: before(&told, " bytes smem"), ..Sass::default() };
    sass.spills = before(&told, " bytes spill stores") + before(&told, " bytes spill loads");
    instructions(&mut sass, &listing);
    Ok(sass)
}

/// What a program says; as the `Err` where it fails.
pub fn output(command: &mut Command) -> Result<String, String> {
    let done = process::output(command).map_err(|e| e.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if done.status.success() { Ok(text(&done.stdout) + &text(&done.stderr)) } else { Err(text(&done.stderr)) }
}

/// The number in front of `what`; 0 where the text does not say it.
fn before(text: &str, what: &str) -> u32 {
    let Some(at) = text.find(what) else { return 0 };
    let digits = text[..at].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| i + 1);
    text[digits..at].parse().unwrap_or(0)
}

/// Counts the lines `/*0010*/ @P0 LDG.E.128 R4, .. ;`. A jump to itself that nothing guards, and what follows, is padding; one to a
/// label above ends a loop.
fn instructions(sass: &mut Sass, listing: &str) {
    let (mut above, mut kinds, mut labels, mut loops) = ("", Vec::new(), BTreeMap::new(), Vec::new());
    for line in listing.lines() {
        let label = std::mem::replace(&mut above, line).trim().trim_end_matches(':');
        if label.starts_with(".L") {
            labels.entry(label).or_insert(kinds.len());
        }
        let Some((_, rest)) = line.split_once("/*").and_then(|(_, rest)| rest.split_once("*/")) else { continue };
        let mut words = rest.split_whitespace().skip_while(|w| w.starts_with('@'));
        let Some(op) = words.next().map(|w| w.trim_end_matches(';')) else { continue };
        let parts: Vec<&str> = op.split('.').collect();
        let itself = rest.trim().starts_with("BRA") && label.starts_with(".L") && rest.contains(&format!("({label})"));
        if op.starts_with(|c: char| c.is_ascii_uppercase()) && parts[0] != "NOP" && !itself {
            kinds.push(kind(&parts));
            let to = rest.split_once("`(").and_then(|(_, to)| to.split_once(')')).filter(|_| parts[0] == "BRA");
            loops.extend(to.and_then(|(to, _)| labels.get(to)).map(|&first| first..kinds.len()));
        }
    }
    let count = |kinds: &[String]| {
        kinds.iter().fold(BTreeMap::new(), |mut all, kind| {
            *all.entry(kind.clone()).or_default() += 1;
            all
        })
    };
    let has_none_in_it = |of: &&Range<usize>| !loops.iter().any(|o| o != *of && of.start <= o.start && o.end <= of.end);
    sass.instructions = kinds.len() as u32;
    sass.loops = loops.iter().filter(has_none_in_it).map(|range| count(&kinds[range.clone()])).collect();
    sass.kinds = count(&kinds);
}

/// Opcode; for accesses to memory with the bits.
fn kind(parts: &[&str]) -> String {
    // An atomic update whose result nobody reads: `REDG` from sm_90 on.
    if parts[0] == "REDG" {
        return "RED".to_string();
    }
    if !["LDG", "STG", "LDS", "STS", "LDL", "STL"].contains(&parts[0]) {
        return parts[0].to_string();
    }
    let bits = parts[1..].iter().find_map(|part| match *part {
        "U8" | "S8" => Some("8"),
        "U16" | "S16" => Some("16"),
        "64" => Some("64"),
        "128" => Some("128"),
        _ => None,
    });
    format!("{}.{}", parts[0], bits.unwrap_or("32"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0020*/                   LDG.E R8, desc[UR4][R2.64] ;
        /*0030*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
.L_x_0:
        /*0040*/              @P1  BRA `(.L_x_0) ;
        /*0050*/                   EXIT ;
.L_x_1:
        /*0060*/                   BRA `(.L_x_1);
        /*0070*/                   NOP;
";

    #[test]
    fn instructions_are_counted_by_kind_without_padding() {
        let mut sass = Sass::default();
        instructions(&mut sass, LISTING);
        assert_eq!((sass.count("LDG"), sass.count("LDG.128"), sass.count("BAR")), (2, 1, 1));
        assert_eq!(sass.widths("LDG"), "1x128 1x32");
        assert_eq!(sass.widths("STG"), "-");
        assert_eq!(sass.instructions, 6);
    }

    #[test]
    fn loops_end_with_a_jump_to_a_label_above() {
        let listing = "
.L_x_0:
        /*0000*/                   LDG.E R8, desc[UR4][R2.64] ;
.L_x_1:
        /*0010*/                   FFMA R8, R8, R8, R8 ;
        /*0020*/                   FFMA R8, R8, R8, R8 ;
        /*0030*/              @P1  BRA `(.L_x_1) ;
        /*0040*/              @P2  BRA `(.L_x_2) ;
        /*0050*/              @P1  BRA `(.L_x_0) ;
.L_x_2:
        /*0060*/                   FADD R8, R8, R8 ;
        /*0070*/              @P1  BRA `(.L_x_2) ;
        /*0080*/                   EXIT ;
";
        let mut sass = Sass::default();
        instructions(&mut sass, listing);
        assert_eq!(sass.loops.len(), 2, "{:?}", sass.loops);
        assert_eq!([sass.per("FFMA"), sass.per("FADD"), sass.per("LDG.32")], [Some(1.5), Some(2.0), None]);
    }

    #[test]
    fn resources_are_read_from_what_ptxas_says() {
        let told = "ptxas info    : 8 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 4112 bytes smem";
        assert_eq!([" registers", " bytes smem", " bytes spill stores"].map(|w| before(told, w)), [24, 4112, 16]);
        assert_eq!(before("Used 8 registers", " bytes smem"), 0);
    }
}
