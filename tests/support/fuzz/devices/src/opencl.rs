//! Kernels on an OpenCL device, where many share a text; under a checker, which says what it finds of all that has run, each
//! has its own.

use std::fs;

use obsidian_fuzz::check::{Case, Verdict, Who};
use obsidian_lang::driver::Variant;
use obsidian_runtime::abi::{Need, Text};
use obsidian_runtime::{Device, Error};

use crate::batch;
use crate::checks::{Complaints, TOO_MANY, sources, wrong};
use obsidian_tune::launch::library::{Behind, Turn};
use obsidian_tune::launch::{self, How, geometry, module, row};

/// Real blocks, kernel by kernel in turn: each way of taking blocks is a program of its own.
const BLOCKS: [Option<u32>; 2] = [None, Some(1)];
/// The most characters of a message that are reported.
const MAX_MESSAGE: usize = 800;

/// What is wrong with each kernel.
pub fn verdicts(cases: &[Option<&Case>], (device, complaints): (&Device, &Complaints)) -> Vec<Verdict> {
    let ways: Vec<(Option<&Case>, Option<u32>)> = cases.iter().copied().zip(BLOCKS.into_iter().cycle()).collect();
    let each = || ways.iter().flat_map(|(case, blocks)| case.iter().map(move |case| (*case, *blocks)));
    let groups: Vec<_> = each().flat_map(|(case, blocks)| case.kernels().map(move |v| (blocks, &v.group))).collect();
    let mut shared = if *complaints == Complaints::None { batch::shared(&groups) } else { Vec::new() }.into_iter();
    let mut verdict = |case: &Case, blocks| {
        let texts: Vec<Text> = shared.by_ref().take(case.kernels().count()).collect();
        let alone = || case.kernels().map(|v| asked(batch::alone(&v.group), complaints)).collect::<Vec<_>>();
        let found = match texts.is_empty() {
            true => run((case, blocks), &alone(), (device, complaints)),
            // A kernel that the driver refuses spoils its text, so each is then compiled by itself.
            false => run((case, blocks), &texts, (device, complaints)).or_else(|found| match found {
                Found::InDriver(_) => run((case, blocks), &alone(), (device, complaints)),
                found => Err(found),
            }),
        };
        found.map_or_else(Found::verdict, |()| Verdict::Same)
    };
    ways.iter().map(|(case, blocks)| case.map_or(Verdict::Same, |case| verdict(case, *blocks))).collect()
}

/// Kernels whose OpenCL C is shared by texts, to be run on one device with several inputs.
#[derive(Debug)]
pub struct Texts(Vec<Vec<Text>>);

impl Texts {
    /// Of these cases.
    pub fn of(cases: &[&Case]) -> Texts {
        let groups: Vec<_> = cases.iter().flat_map(|case| case.kernels().map(|v| (None::<u32>, &v.group))).collect();
        let mut texts = batch::shared(&groups).into_iter();
        Texts(cases.iter().map(|case| texts.by_ref().take(case.kernels().count()).collect()).collect())
    }

    /// Runs case number `number`, with the inputs that it has now.
    pub fn run(&self, number: usize, case: &Case, device: &Device) -> Verdict {
        let found = run((case, None), &self.0[number], (device, &Complaints::None));
        found.map_or_else(Found::verdict, |()| Verdict::Same)
    }
}

/// The text for a device that says that it does not round as it should, as a checker does: its results are compared all the same.
fn asked(text: Text, complaints: &Complaints) -> Text {
    let asked = |need: &Need| *complaints == Complaints::None || *need != Need::RoundedDivision;
    Text { needs: text.needs.iter().copied().filter(asked).collect::<Vec<_>>().leak(), ..text }
}

/// What comes of a kernel that does not give what it means.
enum Found {
    /// The driver failed, which may be another kernel's fault.
    InDriver(String),
    Verdict(Verdict),
}

impl Found {
    fn verdict(self) -> Verdict {
        match self {
            Found::InDriver(what) => Verdict::Wrong(wrong(Who::OpenCl, what)),
            Found::Verdict(verdict) => verdict,
        }
    }

    fn wrong(what: impl ToString) -> Found {
        Found::Verdict(Verdict::Wrong(wrong(Who::OpenCl, what)))
    }

    fn error(error: &Error) -> Found {
        match error {
            Error::Limit { what, .. } => Found::Verdict(Verdict::Unable(format!("too many {what}"))),
            Error::Feature { feature, .. } => Found::Verdict(Verdict::Unable(format!("no {feature}"))),
            Error::Driver { .. } => Found::InDriver(sources(error)),
            Error::Step { source, .. } => match Found::error(source) {
                Found::Verdict(Verdict::Wrong(_)) => Found::wrong(sources(error)),
                found => found,
            },
            error => Found::wrong(sources(error)),
        }
    }
}

/// Runs all variants of a kernel by these texts.
fn run(
    (case, blocks): (&Case, Option<u32>),
    texts: &[Text],
    (device, complaints): (&Device, &Complaints),
) -> Result<(), Found> {
    let log = if let Complaints::In(file) = complaints { Some(file) } else { None };
    let said = || log.map_or(String::new(), |file| fs::read_to_string(file).unwrap_or_default());
    let info = row::of("k", &case.variants, texts);
    for (variant, compiled) in case.variants.iter().enumerate() {
        let before = said().chars().count();
        let planned = geometry::of(&compiled.native, &case.args).map_err(Found::wrong)?;
        let _turn = Turn::take(Behind::Known(planned));
        let how = How { variant, blocks };
        let found = launch::run(info, how, device, &case.args).map_err(|error| Found::error(&error))?;
        case.compare(Who::OpenCl, &found).map_err(|wrong| Found::Verdict(Verdict::Wrong(wrong)))?;
        let more: String = said().chars().skip(before).take(MAX_MESSAGE).collect();
        if !more.is_empty() {
            return Err(Found::wrong(more));
        }
    }
    let mut rest = &texts[case.variants.len().min(texts.len())..];
    for compiled in &case.modules {
        let before = said().chars().count();
        let own;
        (own, rest) = rest.split_at(compiled.kernels.len().min(rest.len()));
        let info = module::of("k", compiled, own).ok_or_else(|| Found::wrong(TOO_MANY))?;
        let program = |kernel: &Variant| Behind::Computed(Box::leak(Box::new(kernel.native.clone())));
        let _turn = Turn::of_module(compiled.kernels.iter().map(program).collect());
        let found = module::run(info, blocks, device, &case.args).map_err(|error| Found::error(&error))?;
        case.compare(Who::OpenCl, &found).map_err(|wrong| Found::Verdict(Verdict::Wrong(wrong)))?;
        let more: String = said().chars().skip(before).take(MAX_MESSAGE).collect();
        if !more.is_empty() {
            return Err(Found::wrong(more));
        }
    }
    Ok(())
}
