//! What would be published: a dry run of packaging every crate in the order of its dependencies, what each package holds,
//! and what a program that depends on Obsidian has to build.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process;
use crate::table::Outcome;

/// The package that programs depend on.
const FACADE: &str = "obsidian-gpu";
/// The most packages in a default build of a program that uses Obsidian, this project's own among them.
const MAX_PACKAGES: usize = 26;
/// Files that every package must hold.
const REQUIRED: [&str; 5] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"];

/// Packages every crate that can be published, without building it, and looks into the packages.
pub fn dry_run(root: &Path) -> Outcome {
    check(root).map_or_else(Outcome::Fail, Outcome::Pass)
}

fn check(root: &Path) -> Result<String, String> {
    let names = published(root)?;
    let selected: Vec<&str> = names.iter().flat_map(|name| ["-p", name]).collect();
    let package = ["package", "--quiet", "--no-verify", "--allow-dirty"];
    cargo(root, &[&package[..], &selected].concat())?;
    for name in &names {
        let list = cargo(root, &["package", "--quiet", "--allow-dirty", "--list", "-p", name])?;
        let files: BTreeSet<&str> = list.lines().collect();
        if let Some(missing) = REQUIRED.iter().find(|file| !files.contains(**file)) {
            return Err(format!("the package `{name}` lacks {missing}"));
        }
        if let Some(other) = files.iter().find(|file| !belongs(file)) {
            return Err(format!("the package `{name}` holds {other}, which its users do not need"));
        }
    }
    let built = dependencies(root)?;
    Ok(format!("{} crates packaged; a default build has {built} packages", names.len()))
}

/// The packages of the workspace that can be published.
pub fn published(root: &Path) -> Result<Vec<String>, String> {
    let (names, _) = members(root)?;
    if names.iter().any(|name| name == FACADE) { Ok(names) } else { Err(format!("`{FACADE}` is not among {names:?}")) }
}

/// The packages of the workspace: those that can be published, and those whose manifest forbids it.
pub fn members(root: &Path) -> Result<(Vec<String>, Vec<String>), String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let workspace = read(&root.join("Cargo.toml"))?;
    let members = workspace.split_once("members = [").and_then(|(_, rest)| rest.split_once(']')).map(|(list, _)| list);
    let members = members.ok_or("Cargo.toml names no members")?.split('"').skip(1).step_by(2);
    let manifests = members.map(|member| read(&root.join(member).join("Cargo.toml"))).collect::<Result<Vec<_>, _>>()?;
    let (closed, open): (Vec<&String>, Vec<&String>) =
        manifests.iter().chain([&workspace]).partition(|manifest| manifest.contains("\npublish = false"));
    let names = |manifests: Vec<&String>| manifests.into_iter().filter_map(|manifest| name_of(manifest)).collect();
    Ok((names(open), names(closed)))
}

/// The name of the package of a manifest.
fn name_of(manifest: &str) -> Option<String> {
    let (_, package) = manifest.split_once("[package]")?;
    let line = package.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(line.trim_matches('"').to_string())
}

/// Whether a file belongs into a package.
fn belongs(file: &str) -> bool {
    let made_by_cargo = [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig"];
    // `cargo obsidian explain CODE` reads the page of errors.
    let pages = ["CHANGELOG.md", "docs/src/reference.md", "errors.md"];
    file.starts_with("src/") || REQUIRED.contains(&file) || made_by_cargo.contains(&file) || pages.contains(&file)
}

/// The number of packages that a default build of the facade takes. None may come in two versions.
fn dependencies(root: &Path) -> Result<usize, String> {
    let tree = cargo(root, &["tree", "-p", FACADE, "-e", "normal,build", "--prefix", "none", "--format", "{p}"])?;
    let packages: BTreeSet<(&str, &str)> = tree.lines().filter_map(name_and_version).collect();
    let names: BTreeSet<&str> = packages.iter().map(|(name, _)| *name).collect();
    if names.len() < packages.len() {
        let twice = names.iter().find(|name| packages.iter().filter(|(other, _)| other == *name).count() > 1);
        return Err(format!("{} is there in two versions", twice.unwrap_or(&"a package")));
    }
    match packages.len() {
        0 => Err("`cargo tree` lists no packages".into()),
        n if n > MAX_PACKAGES => Err(format!("a default build takes {n} packages, more than {MAX_PACKAGES}")),
        n => Ok(n),
    }
}

/// `syn v2.0.119 (proc-macro)`.
fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.next().filter(|version| version.starts_with('v'))?))
}

/// What cargo prints, or its messages.
fn cargo(root: &Path, args: &[&str]) -> Result<String, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let output = process::output(command.current_dir(root).args(args)).map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("cargo {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_and_what_every_package_needs_belong_into_one() {
        assert!(["src/library/arrays.obs", "LICENSE-MIT", "Cargo.toml.orig"].into_iter().all(belongs));
        assert!(!["build.rs", ".ci/run", "tests/host.rs", "docs/src/errors.md"].into_iter().any(belongs));
    }

    #[test]
    fn the_crates_of_this_workspace_that_can_be_published_are_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let names = published(&root).expect("manifests");
        assert!(
            ["obsidian-build", "obsidian-ir", "obsidian-macros", FACADE]
                .iter()
                .all(|name| names.iter().any(|n| n == name))
        );
        assert!(!names.iter().any(|name| name == "xtask"));
    }

    #[test]
    fn a_line_of_the_tree_is_a_name_and_a_version() {
        assert_eq!(name_and_version("syn v2.0.119 (proc-macro)"), Some(("syn", "v2.0.119")));
        assert_eq!(name_and_version("[build-dependencies]"), None);
    }
}
