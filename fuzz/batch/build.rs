//! Writes the kernels of some seeds as Rust: what `kernel!` would make of each, and a function that runs it. The seeds are
//! those after `OBSIDIAN_FUZZ_SEED`, `OBSIDIAN_FUZZ_COUNT` of them.

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

use obsidian_fuzz::ast::{Kernel, Source};
use obsidian_fuzz::{check, generate, print, types};
use obsidian_ir::backend::item;
use obsidian_ir::compiler::{Compiled, compile};
use obsidian_ir::program::ScalarType;
use obsidian_ir::syntax::SpanTable;

/// The first seed: the test command has others than the test of the interpreters.
const SEED: u64 = 7_000_000;
/// Kernels in the test command.
const COUNT: u64 = 40;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=OBSIDIAN_FUZZ_SEED");
    println!("cargo::rerun-if-env-changed=OBSIDIAN_FUZZ_COUNT");
    let number = |name: &str, otherwise: u64| env::var(name).map_or(Ok(otherwise), |text| text.parse());
    let (seed, count) = (number("OBSIDIAN_FUZZ_SEED", SEED)?, number("OBSIDIAN_FUZZ_COUNT", COUNT)?);
    let (mut text, mut list) = (String::new(), String::new());
    for seed in seed..seed.saturating_add(count) {
        let kernel = generate::of_seed(seed);
        if let Some(entry) = compiled(&kernel)? {
            module(&mut text, seed, &kernel, &entry)?;
            writeln!(list, "    ({seed}, s{seed}::run),")?;
        }
    }
    write!(text, "/// The kernels by their seeds.\npub const KERNELS: &[(u64, super::Run)] = &[\n{list}];\n")?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    Ok(fs::write(out.join("kernels.rs"), text)?)
}

/// A kernel that the compiler takes.
fn compiled(kernel: &Kernel) -> Result<Option<Compiled>, Box<dyn Error>> {
    let text = print::kernel(kernel, "k");
    match compile(text.parse()?, &mut SpanTable::default()) {
        Ok(entries) => Ok(entries.into_iter().next()),
        Err(errors) if errors.iter().all(|e| check::may_refuse(kernel, e.code)) => Ok(None),
        Err(errors) => Err(format!("{}\n{text}", errors.iter().map(ToString::to_string).collect::<String>()).into()),
    }
}

/// The Rust type of an element.
fn element(fields: &[ScalarType]) -> String {
    let name = |ty: &ScalarType| match ty {
        ScalarType::F16 | ScalarType::BF16 => format!("obsidian::{}", ty.name()),
        _ => ty.name().to_string(),
    };
    let names: Vec<String> = fields.iter().map(name).collect();
    if let [one] = &names[..] { one.clone() } else { format!("({})", names.join(", ")) }
}

fn module(text: &mut String, seed: u64, kernel: &Kernel, entry: &Compiled) -> Result<(), Box<dyn Error>> {
    let (mut lets, mut args) = (String::new(), String::new());
    for (i, input) in kernel.inputs.iter().enumerate() {
        let ty = element(&input.fields);
        if input.source == Source::Scalar {
            write!(args, ", crate::rows::value::<{ty}>(&args[{i}])?")?;
        } else {
            writeln!(lets, "        let a{i} = device.upload(&crate::rows::joined::<{ty}>(&args[{i}])?)?;")?;
            write!(args, ", &a{i}")?;
        }
    }
    let outputs = types::outputs(kernel).ok_or("a kernel that is not well typed")?.len();
    let names: Vec<String> = (0..outputs).map(|o| format!("o{o}")).collect();
    let pattern = if outputs == 1 { names[0].clone() } else { format!("({})", names.join(", ")) };
    let found: Vec<String> = names.iter().map(|o| format!("crate::rows::split(&{o}.to_vec()?)")).collect();
    write!(
        text,
        "#[allow(clippy::all, missing_docs)]\nmod s{seed} {{\n    {}\n    pub fn run(device: &obsidian::Device, \
         blocks: Option<u32>, args: &[crate::Columns]) -> Result<Vec<crate::Columns>, crate::Failure> {{\n{lets}        \
         let {pattern} = match blocks {{ Some(n) => k.blocks(n).run(device{args})?, None => k.run(device{args})? }};\n        \
         Ok(vec![{}])\n    }}\n}}\n",
        item(entry),
        found.join(", ")
    )?;
    Ok(())
}
