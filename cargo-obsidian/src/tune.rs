//! `cargo obsidian tune`: the fastest variant of a kernel on a device, found, recorded and shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use obsidian_build::shared::Message;
use obsidian_ir::program::{Param, ParamKind};
use obsidian_lang::driver::Variant;
use obsidian_runtime::{Backend, Device};
use obsidian_tune::arguments::Problem;
use obsidian_tune::bench::{OnDevice, provenance};
use obsidian_tune::output;
use obsidian_tune::prune::Target;
use obsidian_tune::record::{Contents, GENERATOR, Header, Record, Refusal, SCHEMA};
use obsidian_tune::roofline::Roof;
use obsidian_tune::search::searchers;
use obsidian_tune::session::{Budget, Candidates, Event, Failure as Untuned, Plan, tune};
use obsidian_tune::source::{self, Kernel, WHOLE};

use crate::Failure;
use crate::args::{Tune, Which};
use crate::kernels;
use crate::output::say;

/// Variants that the table shows.
const SHOWN: usize = 12;

/// Tunes one kernel.
pub fn run(options: &Tune) -> Result<(), Failure> {
    let (kernel, file) = kernel(&options.kernel, &options.paths)?;
    let which = Which { all: true, values: options.values.clone() };
    let reached = kernels::variants(&kernel, &which)?;
    let variants: Vec<&Variant> = reached.iter().filter_map(|v| v.lowered.as_ref()).collect();
    let (device, problem) = (device(&options.device)?, problem(options, &kernel)?);
    let candidates = candidates(options, (&device, &problem), &variants);
    let header = header(&kernel.name, &device, &candidates, &problem)?;
    let path = options.record.clone().unwrap_or_else(|| beside(&file, &header));
    if options.fresh && path.exists() {
        std::fs::remove_file(&path).map_err(|e| Message::new(format!("cannot remove `{}`: {e}", path.display())))?;
    }
    let mut record = Record::open(&path, &header).map_err(|refusal| refused(&refusal))?;
    let folder = std::env::temp_dir().join(format!("obsidian-tune-{}", std::process::id()));
    let found = measure(options, (&kernel, &variants), (&device, &problem, &folder), (&candidates, &mut record));
    let _ = std::fs::remove_dir_all(&folder);
    found?;
    say(format_args!("{}\nrecord: {}", told(record.contents()), path.display()))?;
    exported(options, record.contents())
}

fn measure(
    options: &Tune,
    (kernel, variants): (&Kernel, &[&Variant]),
    (device, problem, folder): (&Device, &Problem, &Path),
    (candidates, record): (&Candidates, &mut Record),
) -> Result<(), Failure> {
    let cannot = |why: String| Message::new(format!("`{}` cannot be tuned: {why}", kernel.name));
    let mut bench = OnDevice::new(device, &kernel.name, variants, (problem, folder)).map_err(cannot)?;
    let all = searchers();
    let searcher = *all.iter().find(|s| s.name() == options.searcher.name()).unwrap_or(&all[0]);
    let roof = Roof::measured(device, variants, problem, folder);
    let target = match (options.within, &roof) {
        (None, _) => None,
        (Some(times), Ok(roof)) => Some(times * roof.seconds),
        (Some(_), Err(why)) => return Err(cannot(why.clone()).into()),
    };
    let budget = Budget { points: options.points, time: options.seconds, target };
    let plan = Plan { searcher, budget, rounds: options.rounds, seed: options.seed, roof: roof.ok() };
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut least = f64::INFINITY;
    let mut watch = |event: Event<'_>| match event {
        Event::Begin(open, _) => bar.set_length(open as u64),
        Event::Tried(name, found) => {
            bar.inc(1);
            if let Ok(time) = found
                && time < least
            {
                least = time;
                bar.set_message(format!("{name}: {}", duration(time)));
            }
        }
        Event::Round(round, left) => bar.set_message(format!("runoff, round {}: {left} left", round + 1)),
    };
    let tuned = tune(candidates, &mut bench, record, &plan, &mut watch);
    bar.finish_and_clear();
    match tuned {
        Ok(_) => Ok(()),
        Err(Untuned::Record(refusal)) => Err(refused(&refusal).into()),
        Err(none @ Untuned::NoneValid(_)) => Err(Failure::Kernels(vec![Message::new(none.to_string())])),
    }
}

/// The one kernel of a name, and its file.
pub fn kernel(name: &str, paths: &[PathBuf]) -> Result<(Kernel, PathBuf), Failure> {
    let files = source::read(&kernels::paths(paths)?)?;
    let found = source::compile(&files, WHOLE);
    if !found.mistakes.is_empty() {
        return Err(Failure::Kernels(found.mistakes));
    }
    if found.modules.iter().any(|module| module.name() == name) {
        let message =
            Message::new(format!("`{name}` is a program of several launches, and kernels are tuned one by one"));
        return Err(message.help("make a kernel of the launch that takes the time, and tune that").into());
    }
    let mut named = source::narrow(found.kernels, &[name.to_string()])?;
    match (named.pop(), named.len()) {
        (Some(kernel), 0) => {
            let path = kernel.path.clone();
            Ok((kernel, path))
        }
        (_, more) => {
            let message = Message::new(format!("`{name}` names {} kernels", more + 1));
            Err(message.help("one kernel is tuned at a time; give its whole name").into())
        }
    }
}

/// `cpu`, `opencl`, `opencl:1`, `opencl:name`, `cuda:0`.
fn device(given: &str) -> Result<Device, Message> {
    let (backend, which) = given.split_once(':').unwrap_or((given, "0"));
    let number = which.parse::<usize>();
    let found = match (backend, number) {
        ("cpu", _) => Ok(Device::cpu()),
        ("opencl", Ok(number)) => Device::opencl(number),
        ("opencl", Err(_)) => Device::opencl(which),
        ("cuda", number) => Device::cuda(number.unwrap_or(0)),
        _ => {
            let message = Message::new(format!("`{given}` is no device"));
            return Err(
                message.help("cpu, opencl, opencl:1, opencl:NAME or cuda:0; `cargo obsidian devices` lists them")
            );
        }
    };
    found.map_err(|e| Message::new(format!("the device `{given}` cannot be used: {e}")))
}

fn problem(options: &Tune, kernel: &Kernel) -> Result<Problem, Message> {
    let given = |p: &&Param| !matches!(p.kind, ParamKind::Output { .. } | ParamKind::Fault(_));
    let params = kernel.variants().next().map_or(&[][..], |v| &v.native.params).iter().filter(given);
    let params: Vec<&str> = params.map(|param| param.name.as_str()).collect();
    let set = options.set.iter().map(|given| {
        let parts = given.split_once('=').map(|(name, value)| (name.trim().to_string(), value.trim().parse::<f64>()));
        match parts {
            Some((name, Ok(value))) if params.contains(&name.as_str()) => Ok((name, value)),
            Some((name, Ok(_))) => {
                let message = Message::new(format!("`{}` has no parameter `{name}`", kernel.name));
                Err(message.note(format!("there are: `{}`", params.join("`, `"))))
            }
            _ => Err(Message::new(format!("`{given}` is not a parameter's value")).help("write `--set n=1000`")),
        }
    });
    Ok(Problem { len: options.len, set: set.collect::<Result<BTreeMap<_, _>, _>>()?, below: options.below })
}

fn candidates(options: &Tune, (device, problem): (&Device, &Problem), variants: &[&Variant]) -> Candidates {
    let target = match device.kind() {
        Backend::Cpu => Target::Cpu,
        Backend::Cuda => Target::Gpu(device.limits(), problem),
        // It may be a processor, on which sectors and banks mean nothing.
        _ => Target::Groups(device.limits()),
    };
    let candidates = Candidates::new(variants, target);
    if options.no_prune { candidates.unpruned() } else { candidates }
}

fn header(kernel: &str, device: &Device, candidates: &Candidates, problem: &Problem) -> Result<Header, Message> {
    let [text, variants] = candidates.marks();
    let [backend, name, driver] = provenance(device).map_err(Message::new)?;
    let set = problem.set.iter().map(|(name, value)| format!(", {name} = {value}")).collect::<String>();
    Ok(Header {
        schema: SCHEMA.into(),
        generator: GENERATOR.into(),
        kernel: kernel.into(),
        text,
        variants,
        backend,
        device: name,
        driver,
        problem: format!("len = {}, below = {}{set}", problem.len, problem.below),
    })
}

/// A folder `tuning` beside the source; a file for each kernel, back end and problem.
fn beside(file: &Path, header: &Header) -> PathBuf {
    let problem: String =
        header.problem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect();
    let problem = problem.replace("___", "_").replace("__", "_");
    file.with_file_name("tuning").join(format!("{}.{}.{problem}.jsonl", header.kernel, header.backend))
}

fn refused(refusal: &Refusal) -> Message {
    let message = Message::new(refusal.to_string());
    match refusal {
        Refusal::File(..) => message,
        _ => message.help("move the file away, write another with `--record FILE`, or begin again with `--fresh`"),
    }
}

/// What is known, for people.
fn told(contents: &Contents) -> String {
    let Some(conclusion) = &contents.conclusion else { return String::new() };
    let mut rows: Vec<(f64, &str)> = contents.seconds().into_iter().map(|(name, time)| (time, name)).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let best = rows.first().map_or(f64::INFINITY, |row| row.0);
    let mut text = format!("{} on {}, {}\n", contents.header.kernel, contents.header.device, contents.header.problem);
    for (time, name) in rows.iter().take(SHOWN) {
        let mark = if *name == conclusion.chosen { "*" } else { " " };
        text += &format!("{mark} {:>10}  {:6.3}  {name}\n", duration(*time), time / best);
    }
    if rows.len() > SHOWN {
        text += &format!("  and {} slower ones\n", rows.len() - SHOWN);
    }
    let failed = contents.measurements.iter().filter_map(|m| Some((&m.variant, m.found.as_ref().err()?)));
    let failed: BTreeMap<_, _> = failed.collect();
    for (name, (stage, why)) in &failed {
        text += &format!("  failed      {name}: {stage}: {}\n", why.lines().next().unwrap_or_default());
    }
    text + &concluded(contents)
}

fn concluded(contents: &Contents) -> String {
    let Some(conclusion) = &contents.conclusion else { return String::new() };
    let mut text = String::new();
    if !conclusion.pruned.is_empty() {
        text += &format!("{} variants are not measured: ", conclusion.pruned.len());
        let same = conclusion.pruned.values().filter(|why| why.starts_with("the same code")).count();
        text += &match (same, conclusion.pruned.values().next()) {
            (0, Some(why)) => format!("{why}, for one\n"),
            (n, _) if n == conclusion.pruned.len() => "the device runs the same code for others\n".to_string(),
            (n, _) => format!("for {n} the device runs the same code as for others\n"),
        };
    }
    let against = match &conclusion.rival {
        Some((rival, Some((low, high)))) => format!(", {low:.3} to {high:.3} times as fast as `{rival}`"),
        Some((rival, None)) => format!(", against `{rival}`"),
        None => ", the only one".to_string(),
    };
    text += &format!("{}{against}\n", conclusion.verdict);
    if conclusion.tied.len() > 1 {
        text += &format!("{} are as good; the simplest is taken\n", conclusion.tied.len());
    }
    text + &format!("chosen: {}", conclusion.chosen)
}

/// Seconds, for people.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.3} us", s * 1e6),
    }
}

fn exported(options: &Tune, contents: &Contents) -> Result<(), Failure> {
    let texts = [(&options.csv, output::csv(contents)), (&options.t4, format!("{:#}\n", output::t4(contents)))];
    for (path, text) in texts {
        if let Some(path) = path {
            std::fs::write(path, text).map_err(|e| Message::new(format!("cannot write `{}`: {e}", path.display())))?;
        }
    }
    Ok(())
}
