//! The bench's command line.

use std::path::PathBuf;

/// What is asked for.
pub struct Options {
    /// The baseline's shared library.
    pub baseline: Option<PathBuf>,
    /// Where the table goes beside the screen.
    pub out: Option<PathBuf>,
    /// Where the kernels' PTX goes, and nothing is run.
    pub ptx: Option<PathBuf>,
    /// Elements, as a power of two.
    pub log2: u32,
    /// Timed runs of each.
    pub runs: usize,
    /// The rows whose names hold this.
    pub only: String,
}

/// What there are kernels for: squares of the chunk that `kernels` has variants of.
pub const SIZES: [u32; 2] = [28, 24];

impl Options {
    /// From the words after the program's name.
    pub fn from_args(args: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let mut options =
            Options { baseline: None, out: None, ptx: None, log2: SIZES[0], runs: 31, only: String::new() };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} wants a value"));
            match arg.as_str() {
                // Cargo's own.
                "--bench" => {}
                "--baseline" => options.baseline = Some(value()?.into()),
                "--out" => options.out = Some(value()?.into()),
                "--ptx" => options.ptx = Some(value()?.into()),
                "--log2" => options.log2 = value()?.parse().map_err(|e| format!("--log2: {e}"))?,
                "--runs" => options.runs = value()?.parse().map_err(|e| format!("--runs: {e}"))?,
                "--only" => options.only = value()?,
                other => {
                    return Err(format!(
                        "there is no option {other}; --baseline, --out, --ptx, --log2, --runs, --only"
                    ));
                }
            }
        }
        if !SIZES.contains(&options.log2) || options.runs == 0 {
            return Err(format!("--log2 is one of {SIZES:?}, --runs at least 1"));
        }
        Ok(options)
    }
}
