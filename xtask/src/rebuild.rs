//! `cargo xtask bench rebuild`: how long `cargo check` takes for a package of 27 kernels, after the edits that a day brings. The
//! package is outside this workspace, with the profile lines of the README.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Measured rounds of each edit.
const ROUNDS: usize = 5;
/// Kernels of each kind.
const COPIES: usize = 3;

/// Kernels as a package has them; `K` is a number, another in each copy.
const KERNELS: [&str; 9] = [
    "pub fn map_K(xs: DPull<f32>) -> DPush<Grid, f32> { xs.map(|x| x * K.0 + 1.0).push() }",
    "pub fn sum_K(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.chunks(1024 + K).as_grid_map(|c| exec_block(c.reduce(|a, b| a + b)))
    }",
    "pub fn scan_K(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(1024 + K).as_grid_map(|c| exec_block(c.scan(|a, b| a + b)))
    }",
    "pub fn sorted_K(xs: DPull<u32>) -> DPush<Grid, u32> { xs.chunks(128 + K).as_grid_map(|c| exec_block(c.sort())) }",
    "pub fn softmax_K(m: DMat<f32>) -> PushMat<Grid, f32> {
        m.as_grid_rows(|row| {
            let top = reduce(row, |a, b| max(a, b)).first();
            let sum = reduce(row.map(|x| exp(x - top)), |a, b| a + b).first();
            row.map(|x| exp(x - top) / (sum + K.0)).push()
        })
    }",
    "pub fn gather_K(places: DPull<u32>, xs: DPull<f32>) -> DPush<Grid, f32> { places.map(|i| xs[i + K]).push() }",
    "pub fn neighbours_K(xs: DPull<f32>) -> DPush<Grid, f32> {
        mk_pull(xs.len(), |i| if i >= K + 1 { xs[i] + xs[i - K - 1] } else { xs[i] }).push()
    }",
    "pub fn iterate_K(xs: DPull<f32>) -> DPush<Grid, f32> {
        xs.map(|x| { let mut y = x; for _ in 0..20 + K { y = y * y + x; } y }).push()
    }",
    "pub fn saxpy_K(a: f32, xs: DPull<f32>, ys: DPull<f32>) -> DPush<Grid, f32> {
        xs.zip_with(ys, |x, y| a * x + y + K.0).push()
    }",
];

/// What the table says.
pub fn table(root: &Path) -> Result<String, String> {
    let package = Package::new(root)?;
    let first = package.checked(&[])?;
    let mut edits = 0;
    let mut row = |edit: fn(&str, usize) -> String, env: &[(&str, &str)]| {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            edits += 1;
            package.edit(|text| edit(text, edits))?;
            times.push(package.checked(env)?);
        }
        times.sort_by(f64::total_cmp);
        Ok::<f64, String>(times[ROUNDS / 2])
    };
    let behind = |text: &str, n: usize| format!("{text}// Edit {n}.\n");
    let rows = [
        ("no kernel", row(behind, &[])?),
        ("one kernel", row(one_kernel, &[])?),
        ("a line above all kernels", row(|text, n| format!("// Edit {n}.\n{text}"), &[])?),
        ("no kernel, and nothing kept", row(behind, &[("OBSIDIAN_EXPANSIONS", "off")])?),
    ];
    let mut table = format!("{:<30}{:>8}\n{:<30}{first:>8.2}\n", "changed", "s", "first check, with the compiler");
    for (edit, seconds) in rows {
        let _ = writeln!(table, "{edit:<30}{seconds:>8.2}");
    }
    Ok(table.trim_end().to_string())
}

/// A kernel with another number in it.
fn one_kernel(text: &str, n: usize) -> String {
    let before = format!("y * y + {}.0 * x", n - 1);
    let plain = if text.contains(&before) { before } else { "y * y + x".to_string() };
    text.replacen(&plain, &format!("y * y + {n}.0 * x"), 1)
}

/// The package and where it is built.
struct Package {
    folder: PathBuf,
    target: PathBuf,
}

impl Package {
    fn new(root: &Path) -> Result<Package, String> {
        let folder = root.join("target/xtask/rebuild");
        let package = Package { target: folder.join("target"), folder };
        let _ = std::fs::remove_dir_all(package.folder.join("src"));
        let kernels = (0..COPIES).flat_map(|copy| KERNELS.map(|kernel| kernel.replace('K', &copy.to_string())));
        let kernels: Vec<_> = kernels.map(|kernel| format!("\n#[kernel]\n{kernel}\n")).collect();
        let manifest = format!(
            "[package]\nname = \"rebuild\"\nedition = \"2024\"\n[dependencies]\n\
             obsidian = {{ package = \"obsidian-gpu\", path = {:?} }}\n[workspace]\n\
             [profile.dev]\nopt-level = 1\n[profile.dev.build-override]\nopt-level = 2\n",
            root.display().to_string()
        );
        let write = |name: &str, text: &str| std::fs::write(package.folder.join(name), text);
        std::fs::create_dir_all(package.folder.join("src"))
            .and_then(|()| write("Cargo.toml", &manifest))
            .and_then(|()| std::fs::copy(root.join("Cargo.lock"), package.folder.join("Cargo.lock")))
            .and_then(|_| {
                write(
                    "src/lib.rs",
                    &format!("#[allow(unused_imports)]\nuse obsidian::{{kernel, prelude::*}};\n{}", kernels.concat()),
                )
            })
            .map_err(|e| e.to_string())?;
        Ok(package)
    }

    fn edit(&self, edit: impl FnOnce(&str) -> String) -> Result<(), String> {
        let file = self.folder.join("src/lib.rs");
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        let edited = edit(&text);
        if edited == text {
            return Err("the edit changed nothing".to_string());
        }
        std::fs::write(file, edited).map_err(|e| e.to_string())
    }

    /// Seconds of `cargo check`.
    fn checked(&self, env: &[(&str, &str)]) -> Result<f64, String> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(["check", "--quiet", "--offline", "--target-dir"]).arg(&self.target).current_dir(&self.folder);
        // As on a user's machine.
        command.env("CARGO_INCREMENTAL", "1").envs(env.iter().copied());
        let start = Instant::now();
        let output = command.output().map_err(|e| e.to_string())?;
        let seconds = start.elapsed().as_secs_f64();
        output.status.success().then_some(seconds).ok_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
