//! `cargo xtask study NAME [--scale N] [--bless]`: compiles a paper's space, verifies every point on the CPU, prints its page.
//! `cargo xtask record`: measures every point of the spaces that are kept.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use obsidian_studies::recorded::{RECORDED, Subject, record, subjects};
use obsidian_studies::{KEPT, STUDIES, Study, measures, page};

/// The page on the tuner itself.
const MEASURES: &str = "measures";
/// Rounds of a recording.
const ROUNDS: usize = 15;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [word, date, on, names @ ..] = &args[..]
        && word == "record"
    {
        return match names.iter().try_for_each(|name| known(name)).and_then(|()| recorded((date, on), names)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("{why}");
                ExitCode::FAILURE
            }
        };
    }
    let bless = args.iter().any(|arg| arg == "--bless");
    let (names, scale) = match options(&args) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let all: Vec<&str> = if names == ["all"] { STUDIES.iter().map(|study| study.name).collect() } else { names };
    if all.is_empty() {
        eprintln!("which study? {}, or all", STUDIES.map(|study| study.name).join(", "));
        return ExitCode::FAILURE;
    }
    for name in all {
        if name == MEASURES {
            match measured(bless) {
                Ok(()) => continue,
                Err(why) => {
                    eprintln!("{why}");
                    return ExitCode::FAILURE;
                }
            }
        }
        if let Err(why) = Study::named(name).and_then(|study| run(study, scale, bless)) {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The studies' names, and how many times as many elements each point is verified on.
fn options(args: &[String]) -> Result<(Vec<&str>, u32), String> {
    let (mut names, mut scale) = (Vec::new(), 1);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.as_str() {
            "--bless" => {}
            "--scale" => {
                let given = rest.next().and_then(|number| number.parse().ok()).filter(|number| *number > 0);
                scale = given.ok_or("`--scale` needs a number from 1")?;
            }
            other if other.starts_with("--") => return Err(format!("`{other}` is no option: --scale N, --bless")),
            name => names.push(name),
        }
    }
    Ok((names, scale))
}

fn run(study: &Study, scale: u32, bless: bool) -> Result<(), String> {
    let start = Instant::now();
    let kernels = study.compiled()?;
    eprintln!("{}: compiled in {:.1} s", study.name, start.elapsed().as_secs_f64());
    let folder = std::env::temp_dir().join(format!("obsidian-study-{}", std::process::id()));
    let verified = kernels.iter().map(|kernel| study.verified(kernel, scale, &folder)).sum::<Result<usize, String>>();
    let combined = study.combined(&kernels, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    let (verified, combined) = (verified?, combined?);
    eprintln!("{}: {} points verified in {:.1} s", study.name, verified + combined, start.elapsed().as_secs_f64());
    let page = page(study, &kernels, combined)?;
    println!("{}", page.text);
    if bless { page.write(Path::new(KEPT)) } else { Ok(()) }
}

/// What the tuner does on the spaces that are recorded.
fn measured(bless: bool) -> Result<(), String> {
    let (all, shipped) = measures::all()?;
    let text = measures::page(&all, &shipped);
    println!("{text}");
    let folder = std::env::temp_dir().join(format!("obsidian-choice-{}", std::process::id()));
    let choice = measures::choice(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    println!("A choice by wisdom takes {:.0} ns on this machine.", choice?);
    if bless {
        let path = Path::new(KEPT).join(format!("{MEASURES}.md"));
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

fn known(name: &str) -> Result<(), String> {
    let all: Vec<String> = subjects().map(Subject::name).collect();
    if all.iter().any(|own| own == name) {
        Ok(())
    } else {
        Err(format!("there is no space `{name}`: {}", all.join(", ")))
    }
}

/// Records the spaces on a driver, those of these names, all where there is none.
fn recorded((date, on): (&str, &str), names: &[String]) -> Result<(), String> {
    let wanted = |subject: &&Subject| names.is_empty() || names.contains(&subject.name());
    for subject in subjects().filter(|subject| subject.on.name() == on).filter(wanted) {
        let start = Instant::now();
        let folder = std::env::temp_dir().join(format!("obsidian-record-{}", std::process::id()));
        let recording = record(subject, ROUNDS, date, &folder);
        let _ = std::fs::remove_dir_all(&folder);
        let recording = recording.map_err(|why| format!("{}: {why}", subject.name()))?;
        let path = Path::new(RECORDED).join(format!("{}.txt", subject.name()));
        std::fs::write(&path, recording.text()).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{}: {} points in {:.0} s", path.display(), recording.points.len(), start.elapsed().as_secs_f64());
    }
    Ok(())
}
