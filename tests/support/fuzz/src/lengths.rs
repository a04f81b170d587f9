//! Random kernels at other lengths and scalars than those that their meaning is known for: which launches are refused, and which of
//! these in vain, since nothing strays in them without the conditions of the proofs (R12 of the index theory).

use obsidian_ir::interp::{self, Arg, Args, Buffer, Fault, Order};
use obsidian_ir::passes;
use obsidian_ir::program::{Const, ParamKind, Program, ScalarType};
use obsidian_lang::driver::{Stage, compile, stop_after};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::TokenStream;

use crate::ast::Kernel;
use crate::random::Random;
use crate::{data, print};

/// Launches of one kernel.
const LAUNCHES: u64 = 4;
/// Rounds of loops of one run, at most.
const MAX_ROUNDS: u64 = 200_000;
/// Lengths and scalars.
const NUMBERS: [u32; 16] = [0, 1, 2, 3, 5, 7, 31, 32, 33, 64, 65, 96, 127, 128, 200, 512];

/// What came of launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Launches {
    /// Those that ran.
    pub ran: u32,
    /// Those that stop at a guard or take too long.
    pub stopped: u32,
    /// Those that a launch check refuses.
    pub refused: u32,
    /// Of these, those in which nothing strays.
    pub in_vain: u32,
}

impl std::ops::AddAssign for Launches {
    fn add_assign(&mut self, other: Launches) {
        self.ran += other.ran;
        self.stopped += other.stopped;
        self.refused += other.refused;
        self.in_vain += other.in_vain;
    }
}

impl std::fmt::Display for Launches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Launches { ran, stopped, refused, in_vain } = self;
        write!(f, "{ran} launches ran, {stopped} stopped, {refused} were refused, {in_vain} of them in vain")
    }
}

/// How a launch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With outputs.
    Ran,
    /// A launch check does not hold.
    Refused,
    /// A guard stopped it, or it takes too long, or strays.
    Stopped,
}

impl Launches {
    /// Counts a launch; `unasked` is the program without the conditions of its proofs.
    pub fn add(&mut self, ended: Ended, unasked: Option<&Program>, args: &Args) {
        match ended {
            Ended::Ran => self.ran += 1,
            Ended::Stopped => self.stopped += 1,
            Ended::Refused => {
                self.refused += 1;
                self.in_vain += u32::from(unasked.is_some_and(|p| launched(p, args) == Ended::Ran));
            }
        }
    }
}

/// A text's first program without the conditions of its proofs; numbers of blocks and lengths are exact.
pub fn unasked(tokens: TokenStream) -> Option<Program> {
    let staged = stop_after(Stage::Evaluated, tokens, &mut SpanTable::default()).ok()?;
    staged.into_programs().into_iter().next().map(passes::exact)
}

fn launched(program: &Program, args: &Args) -> Ended {
    match interp::run_in(program, args, Order::Forward, MAX_ROUNDS) {
        Ok(_) => Ended::Ran,
        Err(Fault::Refused { .. }) => Ended::Refused,
        Err(_) => Ended::Stopped,
    }
}

/// Launches a kernel at other lengths; what of those that are refused in vain.
pub fn check(kernel: &Kernel) -> (Launches, Vec<String>) {
    let (mut launches, mut told) = (Launches::default(), Vec::new());
    let Ok(tokens) = print::kernel(kernel, "k").parse::<TokenStream>() else { return (launches, told) };
    let Ok(entries) = compile(tokens.clone(), &mut SpanTable::default()) else { return (launches, told) };
    let Some(variant) = entries.first().and_then(|e| e.variants.first()) else { return (launches, told) };
    let unasked = unasked(tokens);
    for launch in 0..LAUNCHES {
        let args = other(&variant.native, data::args(kernel), &mut Random::new(kernel.data_seed ^ launch << 40));
        let before = launches.in_vain;
        launches.add(launched(&variant.native, &args), unasked.as_ref(), &args);
        if launches.in_vain > before {
            told.extend(interp::run(&variant.native, &args).err().map(|fault| fault.to_string()));
        }
    }
    (launches, told)
}

/// The same arguments at other lengths, with other scalars of `u32`.
fn other(program: &Program, args: Args, random: &mut Random) -> Args {
    let mut params =
        program.params.iter().filter(|p| !matches!(p.kind, ParamKind::Output { .. } | ParamKind::Fault(_)));
    let one = |arg: Arg| {
        let fixed = matches!(
            params.next().map(|p| &p.kind),
            Some(ParamKind::Input { len: Some(_), .. } | ParamKind::InOut { len: Some(_), .. })
        );
        match arg {
            Arg::Scalar(Const { ty: ScalarType::U32, .. }) if random.one_in(2) => {
                Arg::Scalar(Const::u32(random.pick(&NUMBERS)))
            }
            Arg::Buffers(fields) if !fixed => {
                let n = random.pick(&NUMBERS) as usize;
                let n = if random.one_in(2) { n } else { fields.first().map_or(0, |f| f.bits.len()) + n % 4 };
                let resized = |f: Buffer| Buffer {
                    ty: f.ty,
                    bits: if f.bits.is_empty() { vec![0; n] } else { f.bits.iter().cycle().take(n).copied().collect() },
                };
                Arg::Buffers(fields.into_iter().map(resized).collect())
            }
            arg => arg,
        }
    };
    Args(args.0.into_iter().map(one).collect())
}
