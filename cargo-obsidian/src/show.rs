//! The texts of a variant, by kind.

use crate::args::Kind;
use obsidian_abi::Language;
use obsidian_build::shared::contract;
use obsidian_ir::backend::rust;
use obsidian_ir::program::{self, Lined};
use obsidian_lang::driver::{Reached, Variant};
use obsidian_lang::expand::texts;
use proc_macro2::TokenStream;
use serde_json::{Value, json};

impl Kind {
    /// The end of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Kind::Ir => "ir",
            Kind::Program => "program.ir",
            Kind::Structured => "structured.ir",
            Kind::Machine => "machine.ir",
            Kind::Ptx => "ptx",
            Kind::Cuda => "cu",
            Kind::Opencl => "cl",
            Kind::Rust => "rs",
            Kind::Header => "h",
            Kind::Json | Kind::Manifest => "json",
        }
    }

    /// The text of a variant that was compiled to the end; empty where it was not.
    pub fn of(self, reached: &Reached) -> String {
        let Some(v) = &reached.lowered else { return String::new() };
        match self {
            Kind::Ir => program::print(&v.native),
            Kind::Program => program::print(&reached.program),
            Kind::Structured => reached.placed.as_ref().map_or(String::new(), |p| program::print(p.for_machine())),
            Kind::Machine => program::print(&v.machine),
            Kind::Ptx => text(v, &[Language::Ptx]),
            Kind::Cuda => text(v, &[Language::CudaC]),
            Kind::Opencl => text(v, &[Language::OpenClC, Language::OpenClSubGroups]),
            Kind::Rust => on_cpu(v),
            Kind::Header => text(v, &[Language::Header]),
            Kind::Json | Kind::Manifest => format!("{:#}", described(v)),
        }
    }
}

fn text(v: &Variant, languages: &[Language]) -> String {
    let texts = texts::of(v).into_iter().filter(|text| languages.contains(&text.language));
    texts.map(|text| text.source).collect::<Vec<_>>().join("\n")
}

/// What the CPU runs, laid out as Rust is; as it was printed where that is not a file of Rust.
fn on_cpu(v: &Variant) -> String {
    laid_out(&rust::native(&v.native), v)
}

fn laid_out(native: &TokenStream, v: &Variant) -> String {
    let tokens = format!("{native}\n{}", rust::geometry(&v.native));
    syn::parse_file(&tokens).map_or(tokens, |file| prettyplease::unparse(&file))
}

/// The same with the tokens that each line comes from; no line knows any where marks would change the text.
pub fn on_cpu_lined(v: &Variant) -> Lined {
    let (plain, marked) = (on_cpu(v), rust::native_marked(&v.native));
    let lined = marked.lines(&laid_out(&marked.tokens, v));
    if lined.text == plain { lined } else { Lined { lines: vec![Vec::new(); plain.lines().count()], text: plain } }
}

/// The launch contract as a build script's manifest has it, and the costs.
pub fn described(v: &Variant) -> Value {
    let cost = serde_json::from_str(&v.report.data().json()).unwrap_or(Value::Null);
    json!({ "symbol": v.machine.name, "contract": contract(v), "cost": cost })
}
