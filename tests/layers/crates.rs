//! The packages of the workspace, as `cargo metadata` has them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::circles::Graph;

/// Each package of ours with those of ours that it builds on; what its tests need does not count.
pub fn ours(root: &Path) -> Graph {
    let packages = packages(root);
    let names: BTreeSet<String> = packages.iter().map(|package| name(package).to_owned()).collect();
    let of = |package: &Value| dependencies(package).intersection(&names).cloned().collect();
    packages.iter().map(|package| (name(package).to_owned(), of(package))).collect()
}

/// Everything that a package builds on.
pub fn all_dependencies(root: &Path, wanted: &str) -> BTreeSet<String> {
    packages(root).iter().find(|package| name(package) == wanted).map(dependencies).expect("the package")
}

/// The folder with a package's sources.
pub fn sources(root: &Path, wanted: &str) -> PathBuf {
    let packages = packages(root);
    let package = packages.iter().find(|package| name(package) == wanted).expect("the package");
    Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src")
}

fn packages(root: &Path) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--no-deps", "--offline"]).current_dir(root);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap()
}

fn dependencies(package: &Value) -> BTreeSet<String> {
    let all = package["dependencies"].as_array().unwrap();
    let counts = |dependency: &&Value| dependency["kind"] != "dev";
    all.iter().filter(counts).map(|dependency| name(dependency).to_owned()).collect()
}
