//! How long the macro takes to expand `reductions` where the compiler is built as in a user's dev build (unoptimised).
//! `cargo bench --bench expansion` builds with optimisation, so the program then runs itself again in the dev profile;
//! `cargo bench --profile dev --bench expansion` is that second step alone. Prints the first time and the median.

use std::error::Error;
use std::process::Command;
use std::time::{Duration, Instant};

use obsidian_ir::{backend, compiler, syntax::SpanTable};
use proc_macro2::TokenStream;

const RUNS: usize = 25;

/// LANGUAGE.md §1.
const REDUCTIONS: &str = r"
    fn reduce<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
        if xs.len() == 1 {
            xs.push()
        } else {
            let (lo, hi) = xs.halve();
            reduce(f, lo.zip_with(hi, f).compute())
        }
    }

    #[kernel(threads = 64)]
    pub fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| exec_block(reduce(|a, b| a + b, chunk)))
    }
";

fn main() -> Result<(), Box<dyn Error>> {
    if cfg!(debug_assertions) { measure() } else { again_in_dev_profile() }
}

/// All that `kernel!` does but the exchange of tokens with rustc.
fn expand(source: TokenStream) -> Result<TokenStream, Box<dyn Error>> {
    let compiled = compiler::compile(source, &mut SpanTable::default())
        .map_err(|errors| format!("`reductions` does not compile: {errors:?}"))?;
    Ok(compiled.iter().map(backend::item).collect())
}

fn measure() -> Result<(), Box<dyn Error>> {
    let source: TokenStream = REDUCTIONS.parse()?;
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        std::hint::black_box(expand(source.clone())?);
        times.push(start.elapsed());
    }
    let first = times[0];
    times.sort_unstable();
    println!("expansion of `reductions`, dev profile, {RUNS} runs");
    println!("first {:.2} ms, median {:.2} ms, worst {:.2} ms", ms(first), ms(times[RUNS / 2]), ms(times[RUNS - 1]));
    Ok(())
}

fn again_in_dev_profile() -> Result<(), Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["bench", "--quiet", "--profile", "dev", "--bench", "expansion"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()?;
    if status.success() { Ok(()) } else { Err(format!("the dev build of this bench failed: {status}").into()) }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
