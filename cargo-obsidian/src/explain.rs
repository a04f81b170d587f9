//! `cargo obsidian explain`: the report of kernels, or the guide's section on an error code.

use crate::Failure;
use crate::args::{Explain, Part, Sources};
use crate::output::say;
use crate::{kernels, parts};
use obsidian_abi::assertion;
use obsidian_build::shared::Message;
use obsidian_ir::program::{LaunchCheck, print_expr};
use obsidian_lang::driver::{ReachedModule, Variant};
use obsidian_tune::source::{Kernel, WHOLE};

/// The guide's page of errors.
const ERRORS: &str = include_str!("../errors.md");

/// Explains.
pub fn run(options: &Explain) -> Result<(), Failure> {
    if let Some(code) = &options.code {
        return Ok(say(section(code)?)?);
    }
    let sources = Sources { paths: options.paths.clone(), kernels: options.kernels.clone() };
    let found = kernels::entries(&sources, WHOLE)?;
    let mut texts = Vec::new();
    for kernel in &found.kernels {
        texts.extend(explained(kernel, options)?);
    }
    for module in found.modules {
        // What is told of one kernel is told of each launch; only the report is of the whole, too.
        let shown = if options.which.all { module.entry.variants.len() } else { 1 };
        if let Part::Report = options.only {
            texts.extend(module.entry.variants.iter().take(shown).filter_map(ReachedModule::report));
        }
        for kernel in &kernels::launches(module) {
            texts.extend(explained(kernel, options)?);
        }
    }
    Ok(say(texts.join("\n"))?)
}

/// What is asked for of each variant of a kernel.
fn explained(kernel: &Kernel, options: &Explain) -> Result<Vec<String>, Failure> {
    let lowered = kernels::variants(kernel, &options.which)?.into_iter().filter_map(|reached| reached.lowered.as_ref());
    let told = lowered.map(|v| match options.only {
        Part::Report => heading(v) + &contract(v) + &v.report.to_string(),
        Part::Barriers => heading(v) + &parts::barriers(v, &kernel.spans),
        Part::Memory => heading(v) + &parts::memory(&v.report.data()),
    });
    Ok(told.collect())
}

/// What a launch must fulfil.
fn contract(v: &Variant) -> String {
    let p = &v.machine;
    let condition = |c: &LaunchCheck| format!("    {}\n", assertion::plain(&c.message));
    let conditions: String = p.checks.iter().map(condition).collect();
    let conditions = if conditions.is_empty() { "    none\n".to_string() } else { conditions };
    format!("conditions of a launch\n{conditions}blocks         {}\n", print_expr(p, p.blocks))
}

/// The kernel's name and the variant's values, underlined.
fn heading(v: &Variant) -> String {
    let head = format!("{} ({})", v.machine.name, kernels::shown(v));
    format!("{head}\n{}\n\n", "=".repeat(head.len()))
}

/// The section of a code.
fn section(code: &str) -> Result<&'static str, Message> {
    let wanted = code.to_ascii_uppercase();
    let sections = ERRORS.split("\n## ").skip(1);
    let titles = || sections.clone().filter_map(|text| text.split([':', ' ', '\n']).next());
    sections.clone().find(|text| text.starts_with(&wanted)).map(str::trim_end).ok_or_else(|| {
        let known: Vec<&str> = titles().filter(|title| title.starts_with("OB")).collect();
        Message::new(format!("`{code}` is no error code")).note(format!("there are: {}", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_sections() {
        assert!(section("ob050").unwrap().starts_with("OB050"));
        assert!(!section("OB050").unwrap().contains("\n## "));
        let message = section("OB999").err().unwrap().to_string();
        assert!(message.contains("`OB999` is no error code") && message.contains("OB017"), "{message}");
    }
}
