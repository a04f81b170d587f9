//! The lines of kernels in what NVIDIA's compilers make of them: every load and store that `nvdisasm` lists must be of a line of the
//! author's that our text tells. The texts are those that the test `lines` of the compiler has written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cores::on_all_cores;
use crate::kernels::files;
use crate::sass::output;
use crate::table::Outcome;
use crate::tools::Tools;

/// One kernel in this many goes the whole way.
const SAMPLE: usize = 12;
/// The target, and as NVRTC calls it.
const TARGET: [&str; 2] = ["sm_80", "compute_80"];
/// What begins the names of instructions that access memory: global, shared, local, any; atomic updates.
const ACCESSES: [&str; 10] = ["LDG", "STG", "LDS", "STS", "LDL", "STL", "LD.", "ST.", "ATOM", "RED"];

/// Assembles PTX, and PTX that NVRTC makes of CUDA C, with line tables, and reads these.
pub fn in_sass(tools: &Tools, root: &Path, dir: &Path) -> Outcome {
    let all = files(dir, "ptx");
    let ours: Vec<PathBuf> = all.into_iter().step_by(SAMPLE).collect();
    if ours.is_empty() {
        return Outcome::Fail("no text with lines was written".into());
    }
    let compiled = dir.join("nvrtc");
    let mut compile = Command::new(&tools.python);
    compile.arg(root.join("xtask/nvrtc_check.py")).arg(&tools.nvrtc).args(["--line-info", TARGET[1]]).arg(&compiled);
    compile.args(ours.iter().map(|file| file.with_extension("cu")));
    let made = std::fs::create_dir_all(&compiled).map_err(|e| e.to_string()).and_then(|()| output(&mut compile));
    if let Err(why) = made {
        return Outcome::Fail(format!("NVRTC: {why}"));
    }
    let of_file = |ours: &PathBuf| -> Result<usize, String> {
        let from_c = compiled.join(ours.file_name().unwrap_or_default());
        [ours, &from_c].into_iter().map(|ptx| accesses(tools, ours, ptx)).sum()
    };
    let (mut found, mut wrong) = (0, Vec::new());
    for result in on_all_cores(&ours, of_file) {
        match result {
            Ok(n) => found += n,
            Err(why) => wrong.push(why),
        }
    }
    match wrong.first() {
        None => Outcome::Pass(format!("{found} loads and stores of {} kernels, PTX and CUDA C", ours.len())),
        Some(first) => Outcome::Fail(format!("{} of {} kernels; first: {first}", wrong.len(), ours.len())),
    }
}

/// How many accesses a PTX text becomes; an `Err` where one is of no line that our own PTX of the kernel tells.
fn accesses(tools: &Tools, ours: &Path, ptx: &Path) -> Result<usize, String> {
    let places = places_of(&std::fs::read_to_string(ours).map_err(|e| e.to_string())?);
    let cubin = ptx.with_extension("cubin");
    output(Command::new(&tools.ptxas_13).args(["-lineinfo", "-arch", TARGET[0], "-o"]).arg(&cubin).arg(ptx))?;
    let listing = output(Command::new(&tools.nvdisasm).args(["-c", "-gi"]).arg(&cubin))?;
    of_listing(&listing, &places).map_err(|why| format!("{}: {why}", ptx.display()))
}

/// A file and a line of it.
type Place = (String, usize);

/// The places that a PTX text of ours tells.
fn places_of(ptx: &str) -> BTreeSet<Place> {
    let names = ptx.lines().filter_map(|line| line.strip_prefix(".file ")?.split('"').nth(1));
    let names: Vec<&str> = names.collect();
    let place = |line: &str| {
        let mut numbers = line.trim_start().strip_prefix(".loc ")?.split(' ').map(|n| n.parse::<usize>().ok());
        let (file, line) = (numbers.next()??, numbers.next()??);
        Some((names.get(file.checked_sub(1)?)?.to_string(), line))
    };
    ptx.lines().filter_map(place).collect()
}

/// Whether a place of a listing, `"a.rs", line 7`, is one of them. NVRTC puts the folder that it runs in before relative names.
fn is_known(place: &str, places: &BTreeSet<Place>) -> bool {
    let Some((file, line)) = place.trim_start_matches('"').split_once("\", line ") else { return false };
    let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
    let line = line[..digits].parse::<usize>().ok();
    let same_file = |name: &str| file == name || file.strip_suffix(name).is_some_and(|folder| folder.ends_with('/'));
    places.iter().any(|(name, known)| line == Some(*known) && same_file(name))
}

/// Goes over a listing with lines `//## File "a.rs", line 7` before the instructions that are of them. A place in a helper of the C
/// text is followed by that of its call.
fn of_listing(listing: &str, known: &BTreeSet<Place>) -> Result<usize, String> {
    let (mut places, mut found, mut ended): (Vec<&str>, _, _) = (Vec::new(), 0, false);
    for line in listing.lines() {
        if let Some(place) = line.trim_start().strip_prefix("//## File ") {
            if std::mem::take(&mut ended) {
                places.clear();
            }
            places.push(place);
            continue;
        }
        let Some((_, rest)) = line.split_once("/*").and_then(|(_, rest)| rest.split_once("*/")) else { continue };
        ended = true;
        let op = rest.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        if !ACCESSES.iter().any(|access| op.starts_with(access)) {
            continue;
        }
        if !places.iter().any(|place| is_known(place, known)) {
            return Err(format!("`{}` is of {places:?}", rest.trim()));
        }
        found += 1;
    }
    if found == 0 { Err("no load or store was found".into()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".file 1 \"k.rs\"\n    .loc 1 7 3\n    ld.global.u32 %u1, [%a1];\n";

    #[test]
    fn an_access_of_another_line_is_found() {
        let places = places_of(PTX);
        assert_eq!(places.iter().collect::<Vec<_>>(), [&("k.rs".to_string(), 7)]);
        let listing = |place: &str| format!("\t//## File {place}\n        /*0000*/  @P0 LDG.E R1, [R2.64] ;\n");
        assert_eq!(of_listing(&listing("\"k.rs\", line 7"), &places), Ok(1));
        let in_helper = "\"k.cu\", line 2 inlined at \"k.rs\", line 7\n\t//## File \"k.rs\", line 7";
        assert_eq!(of_listing(&listing(in_helper), &places), Ok(1));
        assert_eq!(of_listing(&listing("\"/home/k.rs\", line 7"), &places), Ok(1));
        assert!(of_listing(&listing("\"/home/ok.rs\", line 7"), &places).is_err());
        assert!(of_listing(&listing("\"k.rs\", line 77"), &places).is_err());
        assert!(of_listing(&listing("\"k.cu\", line 7"), &places).is_err());
        assert!(of_listing(&listing("\"k.rs\", line 8"), &places).is_err());
        assert!(of_listing("", &places).is_err());
    }
}
