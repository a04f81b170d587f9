//! The plan of the house: which crate may build on which, and the top-level modules of each crate, read from the sources.
//! No circle between crates, none between modules; the drawing in ARCHITECTURE.md is what was found.

#[path = "layers/circles.rs"]
mod circles;
#[path = "layers/crates.rs"]
mod crates;
#[path = "layers/modules.rs"]
mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use circles::{Graph, circles, levels};

/// Our crates that are published, in order: each builds on those before it, as the list says, and on no others.
const CRATES: [(&str, &[&str]); 10] = [
    ("obsidian-abi", &[]),
    ("obsidian-ir", &["obsidian-abi"]),
    ("obsidian-lang", &["obsidian-abi", "obsidian-ir"]),
    ("obsidian-macros", &["obsidian-ir", "obsidian-lang"]),
    // The programs and their interpreter only for the feature `check`.
    ("obsidian-runtime", &["obsidian-abi", "obsidian-ir"]),
    ("obsidian-build", &["obsidian-abi", "obsidian-ir", "obsidian-lang"]),
    ("obsidian-gpu", &["obsidian-macros", "obsidian-runtime"]),
    ("obsidian-algorithms", &["obsidian-gpu"]),
    ("obsidian-tune", &["obsidian-abi", "obsidian-build", "obsidian-ir", "obsidian-lang", "obsidian-runtime"]),
    (
        "cargo-obsidian",
        &["obsidian-abi", "obsidian-build", "obsidian-ir", "obsidian-lang", "obsidian-runtime", "obsidian-tune"],
    ),
];

/// Where the drawing stands.
const DRAWING: (&str, &str) = ("<!-- layers -->\n", "<!-- /layers -->\n");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn crates_build_on_those_below_them() {
    let found = crates::ours(&root());
    assert_eq!(circles(&found), Vec::<Vec<String>>::new(), "crates in a circle");
    for (name, allowed) in CRATES {
        let below: BTreeSet<String> = allowed.iter().map(|&name| name.to_owned()).collect();
        let extra: Vec<_> = found[name].difference(&below).collect();
        assert!(extra.is_empty(), "{name} must not build on {extra:?}");
    }
}

#[test]
fn what_every_user_builds_twice_needs_nothing() {
    assert_eq!(crates::all_dependencies(&root(), "obsidian-abi"), BTreeSet::new());
}

#[test]
fn no_modules_stand_in_a_circle() {
    for (name, _) in CRATES {
        let graph = modules::graph(&crates::sources(&root(), name));
        let told = |circle: Vec<String>| {
            let uses = |from: &String| {
                let others = graph[from].iter().filter(|to| circle.contains(to));
                format!("{from} uses {}", others.cloned().collect::<Vec<_>>().join(", "))
            };
            circle.iter().map(uses).collect::<Vec<_>>().join("; ")
        };
        let found: Vec<String> = circles(&graph).into_iter().map(told).collect();
        assert!(found.is_empty(), "modules of {name} in a circle: {found:#?}");
    }
}

#[test]
fn the_drawing_is_what_was_found() {
    let path = root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (start, end) = DRAWING;
    let from = text.find(start).expect("where the drawing starts") + start.len();
    let to = text.find(end).expect("where the drawing ends");
    let drawn = drawing();
    if std::env::var_os("OBSIDIAN_BLESS").is_some() {
        std::fs::write(&path, [&text[..from], &drawn, &text[to..]].concat()).unwrap();
        return;
    }
    assert_eq!(&text[from..to], drawn, "run `OBSIDIAN_BLESS=1 cargo test -p obsidian-tests --test layers`");
}

/// Crates and their modules in levels: each builds on what stands to its left.
fn drawing() -> String {
    let all = crates::ours(&root());
    let shipped: Graph = CRATES.iter().map(|(name, _)| (name.to_string(), all[*name].clone())).collect();
    let mut text = String::from("```\n");
    text += &row("crates", &shipped);
    for (name, _) in CRATES {
        let graph = modules::graph(&crates::sources(&root(), name));
        if graph.len() > 1 {
            text += &row(name, &graph);
        }
    }
    text + "```\n"
}

fn row(name: &str, graph: &Graph) -> String {
    let levels: Vec<String> = levels(graph).iter().map(|level| level.join(" ")).collect();
    format!("{name}: {}\n", levels.join(" <- "))
}

#[test]
fn circles_are_found() {
    let graph = |edges: &[(&str, &[&str])]| -> Graph {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        edges.iter().map(|(from, to)| (from.to_string(), owned(to))).collect::<BTreeMap<_, _>>()
    };
    let ladder = graph(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]);
    assert_eq!(circles(&ladder), Vec::<Vec<String>>::new());
    assert_eq!(levels(&ladder), [["a"], ["b"], ["c"]]);
    let ring = graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["a"]), ("d", &["a"]), ("e", &["f"]), ("f", &["e"])]);
    assert_eq!(circles(&ring), [vec!["a", "b", "c"], vec!["e", "f"]]);
}

#[test]
fn uses_are_read_from_paths_groups_and_supers() {
    let read = |path: &[&str], text: &str| {
        let path: Vec<String> = path.iter().map(|name| name.to_string()).collect();
        modules::uses(&path, &syn::parse_file(text).unwrap())
    };
    assert_eq!(read(&["a"], "use crate::b::C; fn f() -> crate::d::E { loop {} }"), ["b", "d"]);
    assert_eq!(read(&["a"], "use crate::{b::{C, D}, e, f::*};"), ["b", "e", "f"]);
    assert_eq!(read(&["a", "b"], "use super::super::c; use super::d;"), ["c"]);
    assert_eq!(read(&["a"], "mod inner { use super::super::b; use super::c; }"), ["b"]);
    assert_eq!(read(&["a"], "fn f() { g!(crate::b::C) }"), ["b"]);
    assert_eq!(read(&["a"], "#[cfg(test)] mod tests { use crate::b; } #[cfg(test)] use crate::c;"), [""; 0]);
    assert_eq!(read(&["a"], "pub(crate) fn f() {} /// [`crate::b`]\nfn g() {}"), [""; 0]);
}
