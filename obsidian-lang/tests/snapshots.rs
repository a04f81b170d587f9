//! What every stage makes of the papers' programs, kept beside this file, a folder a paper: AST, typed AST, IR, CUDA C, OpenCL C
//! and PTX of the default variant. A change of the texts is seen here before it is seen on a GPU.
//!
//! To accept new texts, after reading them: `INSTA_UPDATE=always cargo test -p obsidian-lang --test snapshots`.

use obsidian_lang::driver::{Stage, View, stop_after};
use obsidian_lang::syntax::SpanTable;

#[path = "snapshots/programs.rs"]
mod programs;

/// What is kept of a program.
const KEPT: [(&str, View); 6] = [
    ("ast", View::Ast),
    ("typed", View::Typed),
    ("ir", View::Native),
    ("cu", View::Cuda),
    ("cl", View::OpenCl),
    ("ptx", View::Ptx),
];

/// Compares all texts of a paper's programs with those kept.
fn check(paper: &str, programs: &[(&str, &str)]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("snapshots/{paper}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, text) in programs {
            let outputs = [Stage::Typed, Stage::Lowered].map(|stage| {
                let output = stop_after(stage, text.parse().expect("tokens"), &mut SpanTable::default());
                output.unwrap_or_else(|errors| panic!("{paper}, {name}: {errors:?}"))
            });
            for (form, view) in KEPT {
                let printed = outputs.iter().find_map(|output| output.text(view)).expect("each was reached");
                insta::assert_snapshot!(format!("{name}.{form}"), printed);
            }
        }
    });
}

#[test]
fn jfp_2016() {
    check("jfp2016", programs::JFP);
}

#[test]
fn damp_2012() {
    check("damp2012", programs::DAMP);
}

#[test]
fn iccs_2010() {
    check("iccs2010", programs::ICCS);
}

#[test]
fn fcl_2016() {
    check("fcl2016", programs::FCL);
}

#[test]
fn accelerate_2011() {
    check("accelerate2011", programs::ACCELERATE);
}
