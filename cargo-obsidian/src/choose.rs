//! `cargo obsidian choose`: from the records of a kernel to the few variants that are worth shipping, and to a function that picks
//! one of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use obsidian_build::shared::Message;
use obsidian_lang::driver::Variant;
use obsidian_tune::cover::{Cover, Times, cover};
use obsidian_tune::output::values;
use obsidian_tune::prune::Target;
use obsidian_tune::record::{Contents, GENERATOR, Header, Refusal, SCHEMA};
use obsidian_tune::session::Candidates;
use obsidian_tune::source::Kernel;

use crate::Failure;
use crate::args::Choose;
use crate::output::say;
use crate::{tune, wisdom};

/// Prints the variants and the function. Records that are refused are listed with the reason, and choose nothing.
pub fn run(options: &Choose) -> Result<(), Failure> {
    let (kernel, file) = tune::kernel(&options.kernel, &options.paths)?;
    let paths = if options.records.is_empty() { beside(&kernel, &file)? } else { options.records.clone() };
    let (mut used, mut refused) = (Vec::new(), Vec::new());
    for path in &paths {
        match read(path, &kernel).and_then(|contents| contents.finished(path)) {
            Ok(contents) => used.push(contents),
            Err(refusal) => refused.push(Message::new(format!("not used: {refusal}"))),
        }
    }
    let times: Vec<Times> = used.iter().map(Times::of).collect();
    let Some(found) = cover(&times, options.within, options.most) else {
        let message = Message::new(format!("there are no times of `{}`", kernel.name));
        refused.push(message.help(format!("measure it: `cargo obsidian tune {}`", kernel.name)));
        return Err(Failure::Kernels(refused));
    };
    say(told(&found))?;
    say(function(&kernel, &used, &found))?;
    if let Some(folder) = &options.wisdom {
        wisdom::write(folder, &kernel, &used)?;
    }
    if refused.is_empty() { Ok(()) } else { Err(Failure::Kernels(refused)) }
}

/// The records in the folder `tuning` beside the source.
pub fn beside(kernel: &Kernel, file: &Path) -> Result<Vec<PathBuf>, Message> {
    let folder = file.with_file_name("tuning");
    let start = format!("{}.", kernel.name);
    let is_record = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&start) && name.ends_with(".jsonl")
    };
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_record).collect();
    found.sort();
    if found.is_empty() {
        let message = Message::new(format!("there is no record of `{}` in {}", kernel.name, folder.display()));
        return Err(message.help(format!("measure it: `cargo obsidian tune {}`", kernel.name)));
    }
    Ok(found)
}

/// A record of the kernel as it is now. Which device, driver and problem it is of is for the reader of the table.
pub fn read(path: &Path, kernel: &Kernel) -> Result<Contents, Refusal> {
    let contents = Contents::read(path)?;
    let variants: Vec<&Variant> = kernel.variants().collect();
    let [text, list] = Candidates::new(&variants, Target::Cpu).marks();
    let own = |text: &str| text.to_string();
    let expected = Header {
        schema: own(SCHEMA),
        generator: own(GENERATOR),
        kernel: kernel.name.clone(),
        text,
        variants: list,
        ..contents.header.clone()
    };
    contents.header.expect(&expected, path)?;
    Ok(contents)
}

fn told(found: &Cover) -> String {
    let mut text = String::new();
    for (label, variant, ratio) in &found.table {
        text += &format!("// {ratio:.3} of the best, {label}: {variant}\n");
    }
    text
}

/// A function in plain Rust: by back end, then by the length that is nearest among those that were measured.
fn function(kernel: &Kernel, used: &[Contents], found: &Cover) -> String {
    let mut lens: BTreeMap<&str, BTreeMap<u64, &str>> = BTreeMap::new();
    for (contents, (_, variant, _)) in used.iter().zip(&found.table) {
        let problem = values(&contents.header.problem);
        let len = problem.get("len").and_then(|len| len.parse().ok()).unwrap_or(0);
        lens.entry(&contents.header.backend).or_default().insert(len, variant);
    }
    let name = &kernel.name;
    let (ty, _) = parameters(kernel, "");
    let mut arms = String::new();
    for (backend, by_len) in &lens {
        let all: Vec<(u64, &str)> = by_len.iter().map(|(len, variant)| (*len, *variant)).collect();
        for (i, (len, variant)) in all.iter().enumerate() {
            // Halfway to the next, as lengths are compared: by their ratio.
            let end = all.get(i + 1).map(|(next, _)| ((*len as f64) * (*next as f64)).sqrt() as u64);
            let range = end.map_or_else(|| "_".to_string(), |end| format!("..={end}"));
            arms += &format!("        ({}, {range}) => {},\n", back_end(backend), parameters(kernel, variant).1);
        }
    }
    let rest = parameters(kernel, &found.variants[0]).1;
    format!(
        "/// Which variant of `{name}` to launch for buffers of `len` elements: `{name}.with({name}_variant(dev.kind(), len))`.
/// Written by `cargo obsidian choose`.
pub fn {name}_variant(backend: obsidian::Backend, len: usize) -> {ty} {{
    match (backend, len) {{
{arms}        _ => {rest},
    }}
}}"
    )
}

fn back_end(name: &str) -> &'static str {
    match name {
        "cuda" => "obsidian::Backend::Cuda",
        "opencl" => "obsidian::Backend::OpenCl",
        _ => "obsidian::Backend::Cpu",
    }
}

/// The type that chooses a variant of a kernel, and the value that chooses this one. Type generics follow the buffers.
fn parameters(kernel: &Kernel, variant: &str) -> (String, String) {
    use obsidian_abi::ParamValue;
    let first = kernel.variants().next();
    let consts: Vec<&str> = first
        .iter()
        .flat_map(|v| &v.values)
        .filter(|(_, v)| !matches!(v, ParamValue::Type(_)))
        .map(|(n, _)| n.as_str())
        .collect();
    let values = values(variant);
    let field = |name: &&str| format!("{name}: {}", values.get(name).copied().unwrap_or_default());
    let fields: Vec<String> = ["threads"].iter().chain(&consts).map(field).collect();
    let ty =
        if consts.is_empty() { "obsidian::Params".to_string() } else { format!("{}Params", camel_case(&kernel.name)) };
    let value = format!("{ty} {{ {} }}", fields.join(", "));
    (ty, value)
}

/// `scan_up` as `ScanUp`, as the macro names the type.
fn camel_case(name: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
    };
    name.split('_').map(word).collect()
}
