//! Such kernels through the compiler and, where it accepts them, the interpreter in several orders.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use obsidian_ir::diag::Span;
use obsidian_ir::interp::{self, Arg, Args, Buffer, Fault, Kind, Order, Outputs};
use obsidian_ir::program::{ArrayId, Const, ParamKind, Program, ScalarType};
use obsidian_lang::driver::compile;
use obsidian_lang::syntax::SpanTable;
use proc_macro2::TokenStream;

use super::{Placed, of_seed};
use crate::lengths::{Ended, Launches, unasked};
use crate::random::Random;

/// Codes of refusals: of proofs, of what must be known while compiling, of shared memory.
const REFUSALS: [&str; 11] =
    ["OB030", "OB031", "OB034", "OB036", "OB037", "OB040", "OB050", "OB052", "OB053", "OB054", "OB056"];

/// Rounds of loops of one run, at most.
const MAX_ROUNDS: u64 = 200_000;

/// What came of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is accepted; what came of its launches.
    Right(Launches),
    /// It is refused, with this code.
    Refused(&'static str),
    /// Something is wrong.
    Wrong(String),
}

/// Orders in which unordered work is done.
fn orders(seed: u64) -> [Order; 5] {
    [Order::Forward, Order::Backward, Order::Shuffled(seed), Order::Shuffled(seed ^ 0x5eed), Order::Starved(seed)]
}

/// Compiles a kernel and runs it.
pub fn check(kernel: &Placed, seed: u64) -> Outcome {
    let tokens: TokenStream = match kernel.text.parse() {
        Ok(tokens) => tokens,
        Err(e) => return Outcome::Wrong(format!("no tokens: {e}")),
    };
    let entries = match compile(tokens.clone(), &mut SpanTable::default()) {
        Ok(entries) => entries,
        Err(errors) => match errors.first() {
            Some(e) => {
                let refusal = REFUSALS.into_iter().find(|&code| code == e.code);
                return refusal.map_or_else(|| Outcome::Wrong(e.to_string()), Outcome::Refused);
            }
            None => return Outcome::Wrong("an error without a message".to_string()),
        },
    };
    let Some(variant) = entries.first().and_then(|e| e.variants.first()) else {
        return Outcome::Wrong("no entry".to_string());
    };
    let (mut launches, unasked) = (Launches::default(), unasked(tokens));
    for launch in 0..3 {
        let args = arguments(&variant.native, &mut Random::new(seed.wrapping_mul(3) + launch));
        match launched(&variant.native, &args, seed) {
            Ok(ended) => launches.add(ended, unasked.as_ref(), &args),
            Err(what) => return Outcome::Wrong(format!("{what}\narguments: {}", describe(&args))),
        }
    }
    Outcome::Right(launches)
}

/// Runs a launch in every order.
fn launched(program: &Program, args: &Args, seed: u64) -> Result<Ended, String> {
    let mut first: Option<Outputs> = None;
    for order in orders(seed) {
        match interp::run_in(program, args, order, MAX_ROUNDS) {
            Err(Fault::Refused { .. }) => return Ok(Ended::Refused),
            // Only what a guard has recorded has no place: whatever else strays should have had one.
            Err(Fault::Endless) => return Ok(Ended::Stopped),
            Err(Fault::OutOfBounds { span: Span::NONE, .. }) => return Ok(Ended::Stopped),
            Err(fault) => return Err(format!("{order:?}: {fault}")),
            Ok(outputs) => match &first {
                None => first = Some(outputs),
                Some(one) if *one != outputs => return Err(format!("{order:?} gives other values")),
                Some(_) => {}
            },
        }
    }
    written_once(program, args)?;
    Ok(Ended::Ran)
}

/// Whether each element of each output is written exactly once; the interpreter lets a thread write over what it has written itself.
fn written_once(program: &Program, args: &Args) -> Result<(), String> {
    let (_, trace) = interp::traced(program, args).map_err(|fault| fault.to_string())?;
    let outputs = program.params.iter().filter_map(|param| match &param.kind {
        ParamKind::Output { arrays, .. } => Some(arrays),
        _ => None,
    });
    let outputs: Vec<ArrayId> = outputs.flatten().copied().collect();
    let writes = trace.iter().filter(|touch| touch.kind == Kind::Write && outputs.contains(&touch.array));
    let mut seen = HashSet::new();
    for touch in writes {
        for index in (touch.index..).take(touch.width as usize) {
            if !seen.insert((touch.array, index)) {
                return Err(format!("`{}[{index}]` is written twice", program.array(touch.array).name));
            }
        }
    }
    Ok(())
}

/// Arguments: small lengths, and scalars that are small or at an edge.
fn arguments(program: &Program, random: &mut Random) -> Args {
    let words = |n: u32, random: &mut Random| {
        let bits = (0..n).map(|_| u64::from(random.below(16))).collect();
        Arg::Buffers(vec![Buffer { ty: ScalarType::U32, bits }])
    };
    let has_output = program.params.iter().any(|p| matches!(p.kind, ParamKind::Output { .. }));
    let (mut args, mut sides) = (Vec::new(), Vec::new());
    for param in &program.params {
        match &param.kind {
            ParamKind::Input { .. } if param.matrix.is_some() => {
                let [rows, cols] = [(); 2].map(|()| random.pick(&[0u32, 1, 2, 5, 9, 33]));
                args.push(words(rows * cols, random));
                sides = vec![cols, rows];
            }
            ParamKind::Input { len, .. } | ParamKind::InOut { len, .. } => {
                let n = len.unwrap_or_else(|| random.pick(&[0, 1, 65, 200, 500, 1024, 2048]));
                args.push(words(n, random));
            }
            // Those of a matrix follow it.
            ParamKind::Scalar(_) if !sides.is_empty() => {
                args.extend(sides.pop().map(|side| Arg::Scalar(Const::u32(side))));
            }
            ParamKind::Scalar(_) => {
                // Only an offset may be large: as many blocks would take too long.
                let edges = [0, 64, 130, 1 << 26, 1 << 31, u32::MAX];
                let offset = param.name == "a" && !has_output;
                let few = [0, 1, 2, 3, 4, 5, 6, 7, 9];
                let n = if offset && random.one_in(3) { random.pick(&edges) } else { random.pick(&few) };
                args.push(Arg::Scalar(Const::u32(n)));
            }
            ParamKind::Output { .. } | ParamKind::Fault(_) => {}
        }
    }
    Args(args)
}

fn describe(args: &Args) -> String {
    let one = |arg: &Arg| match arg {
        Arg::Buffers(fields) => format!("{} elements", fields.first().map_or(0, |f| f.bits.len())),
        Arg::Scalar(c) => c.bits.to_string(),
    };
    args.0.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What came of many kernels.
#[derive(Debug, Default)]
pub struct Report {
    /// How many are accepted.
    pub right: u64,
    /// What came of their launches.
    pub launches: Launches,
    /// Refused ones, by code.
    pub refused: BTreeMap<&'static str, u64>,
    /// What is wrong, by seed.
    pub wrong: BTreeMap<u64, String>,
    /// How many kernels have each construct, and how many of those are accepted.
    pub made_of: BTreeMap<&'static str, (u64, u64)>,
}

/// Makes, compiles and runs the kernels of these seeds.
pub fn run(seeds: Range<u64>) -> Report {
    let mut report = Report::default();
    for seed in seeds {
        let kernel = of_seed(seed);
        let outcome = check(&kernel, seed);
        let accepted = u64::from(matches!(outcome, Outcome::Right(_)));
        for what in kernel.made_of.keys() {
            let counts = report.made_of.entry(what).or_default();
            *counts = (counts.0 + 1, counts.1 + accepted);
        }
        match outcome {
            Outcome::Right(launches) => {
                report.right += 1;
                report.launches += launches;
            }
            Outcome::Refused(code) => *report.refused.entry(code).or_default() += 1,
            Outcome::Wrong(what) => drop(report.wrong.insert(seed, format!("{what}\n{}", kernel.text))),
        }
    }
    report
}

impl Report {
    /// The counts, and the table of constructs.
    pub fn text(&self) -> String {
        let refused: Vec<String> = self.refused.iter().map(|(code, n)| format!("{n} {code}")).collect();
        let mut text = format!(
            "{} kernels that place every write are accepted and run ({}, 5 orders each); refused: {}; {} wrong\n",
            self.right,
            self.launches,
            refused.join(", "),
            self.wrong.len()
        );
        for (what, (made, accepted)) in &self.made_of {
            let _ = writeln!(text, "  {what:28} {made:6} made {accepted:6} accepted");
        }
        text
    }
}
