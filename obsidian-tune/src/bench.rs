//! Variants on a device: built, verified against the interpreter, measured.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use obsidian_ir::interp::{self, Args, Outputs};
use obsidian_ir::program::{Param, ParamKind, Program};
use obsidian_lang::driver::Variant;
use obsidian_lang::expand::texts;
use obsidian_runtime::abi::{Geometry, KernelInfo, Text};
use obsidian_runtime::wisdom::device_name;
use obsidian_runtime::{Backend, Device, Error};

use crate::arguments::Problem;
use crate::launch::library::{self, Behind, Build, Functions, Turn, Wanted};
use crate::launch::{How, Ready, Uploads, geometry, row};
use crate::prune::cpu_text;

/// A sample takes at least so long: a clock's grain and the cost of a launch are then small beside it.
const SAMPLE: Duration = Duration::from_millis(4);
/// The most launches of a sample.
const MAX_LAUNCHES: u32 = 1000;
/// CPU versions that are compiled together.
const BATCH: usize = 16;

/// Why a variant has no time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invalid {
    /// It cannot be built.
    Build(String),
    /// It does not give what the interpreter gives.
    Verify(String),
    /// It cannot be launched on the problem.
    Launch(String),
}

impl Invalid {
    /// The stage that failed, in records.
    pub const fn stage(&self) -> &'static str {
        match self {
            Invalid::Build(_) => "build",
            Invalid::Verify(_) => "verify",
            Invalid::Launch(_) => "launch",
        }
    }

    /// What was said.
    pub fn reason(&self) -> &str {
        match self {
            Invalid::Build(reason) | Invalid::Verify(reason) | Invalid::Launch(reason) => reason,
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.stage(), self.reason())
    }
}

/// What measures variants, by their places.
pub trait Bench {
    /// Builds a variant and verifies it.
    ///
    /// # Errors
    /// Why it must not be measured.
    fn verify(&mut self, variant: usize) -> Result<(), Invalid>;

    /// The seconds of one launch, the mean over some launches behind one another.
    ///
    /// # Errors
    /// Why it cannot be measured.
    fn sample(&mut self, variant: usize) -> Result<f64, Invalid>;
}

/// Variants on a device of the runtime's.
pub struct OnDevice<'a> {
    device: Device,
    variants: Vec<&'a Variant>,
    name: String,
    problem: Problem,
    build: Build,
    folder: PathBuf,
    built: Vec<Option<Result<Built, Invalid>>>,
    /// What each program gives for the small arguments, by its text.
    expected: HashMap<String, Result<(Args, Outputs), String>>,
    args: Args,
    uploads: Option<Uploads>,
}

/// A variant that can be launched.
#[derive(Debug, Clone)]
struct Built {
    info: &'static KernelInfo,
    /// On the CPU.
    functions: Option<Functions>,
    /// Of the problem that is measured.
    geometry: Result<Geometry, Invalid>,
    /// The least that a launch has taken so far: how many make a sample follows from it.
    once: Option<Duration>,
}

impl<'a> OnDevice<'a> {
    /// Variants of a kernel on a device. What is compiled lies in `folder`.
    ///
    /// # Errors
    /// There is no variant, or they do not take the same arguments: those of several element types.
    pub fn new(
        device: &Device,
        name: &str,
        variants: &[&'a Variant],
        (problem, folder): (&Problem, &Path),
    ) -> Result<OnDevice<'a>, String> {
        let first = variants.first().ok_or("there is no variant to measure")?;
        let args = problem.arguments(&first.native);
        for variant in variants {
            if kinds(&variant.native) != kinds(&first.native) {
                return Err(
                    "variants of several element types cannot be compared; choose one, such as `--with T=f32`".into()
                );
            }
        }
        Ok(OnDevice {
            device: device.clone(),
            variants: variants.to_vec(),
            name: name.to_string(),
            problem: problem.clone(),
            build: Build::Release,
            folder: folder.to_path_buf(),
            built: vec![None; variants.len()],
            expected: HashMap::new(),
            args,
            uploads: None,
        })
    }

    /// The same for verification alone: what is compiled need not be fast, and lengths that are measured need not be accepted.
    #[must_use]
    pub fn unmeasured(self) -> OnDevice<'a> {
        OnDevice { build: Build::Checked, ..self }
    }

    fn build(&mut self, variant: usize) -> Result<Built, Invalid> {
        if self.built[variant].is_none() {
            match self.device.kind() {
                Backend::Cpu => self.build_batch(variant),
                _ => self.built[variant] = Some(self.with_text(variant)),
            }
        }
        self.built[variant].clone().unwrap_or_else(|| Err(Invalid::Build("it was not built".into())))
    }

    fn geometry(&self, variant: usize) -> Result<Geometry, Invalid> {
        geometry::of(&self.variants[variant].native, &self.args).map_err(|e| Invalid::Launch(e.to_string()))
    }

    fn with_text(&self, variant: usize) -> Result<Built, Invalid> {
        let geometry = self.geometry(variant);
        let v = self.variants[variant];
        let texts: Vec<Text> = texts::of(v).into_iter().map(leaked).collect();
        let info = row::of_texts(&self.name, v, texts);
        Ok(Built { info, functions: None, geometry, once: None })
    }

    /// What a variant gives for arguments.
    ///
    /// # Errors
    /// It cannot be built or launched.
    pub fn outputs(&mut self, variant: usize, args: &Args) -> Result<Outputs, Invalid> {
        let built = self.build(variant)?;
        let native = &self.variants[variant].native;
        let planned = geometry::of(native, args).map_err(|e| Invalid::Verify(e.to_string()))?;
        let turn = built.turn(planned);
        let found = crate::launch::run(built.info, HOW, &self.device, args).map_err(|e| refused(&e))?;
        if turn.failed() { Err(Invalid::Verify("it panicked".into())) } else { Ok(found) }
    }

    /// Compiles a variant together with those after it that are not compiled yet, each program once.
    fn build_batch(&mut self, first: usize) {
        let open = (first..self.variants.len()).filter(|&i| self.built[i].is_none());
        let mut texts: Vec<(String, Vec<usize>)> = Vec::new();
        for i in open {
            let text = cpu_text(self.variants[i]);
            match texts.iter().position(|(known, _)| *known == text) {
                Some(place) => texts[place].1.push(i),
                None if texts.len() == BATCH => break,
                None => texts.push((text, vec![i])),
            }
        }
        let groups: Vec<Vec<usize>> = texts.into_iter().map(|(_, same)| same).collect();
        match self.compile(&groups) {
            Ok(functions) => self.keep(&groups, functions.into_iter().map(Ok).collect()),
            // One that rustc refuses spoils its batch, so each is then compiled by itself.
            Err(_) if groups.len() > 1 => {
                let each = groups.iter().map(|group| self.compile(std::slice::from_ref(group)));
                let each = each.map(|found| found.and_then(|f| f.first().copied().ok_or_else(String::new))).collect();
                self.keep(&groups, each);
            }
            Err(e) => self.keep(&groups, vec![Err(e)]),
        }
    }

    fn compile(&self, groups: &[Vec<usize>]) -> Result<Vec<Functions>, String> {
        let programs: Vec<_> = groups.iter().map(|group| Wanted::Whole(&self.variants[group[0]].native)).collect();
        let number = groups.first().and_then(|group| group.first()).copied().unwrap_or(0);
        let folder = self.folder.join(format!("{}-{number}-{}", self.name, groups.len()));
        library::compiled(&folder, &programs, self.build)
    }

    fn keep(&mut self, groups: &[Vec<usize>], functions: Vec<Result<Functions, String>>) {
        for (group, functions) in groups.iter().zip(functions) {
            for &i in group {
                let built = functions.clone().map_err(Invalid::Build).map(|functions| {
                    let info = row::of_texts(&self.name, self.variants[i], Vec::new());
                    Built { info, functions: Some(functions), geometry: self.geometry(i), once: None }
                });
                self.built[i] = Some(built);
            }
        }
    }

    /// Has a variant be held against what another one means, as if it were compiled wrongly.
    #[cfg(test)]
    pub(crate) fn plant(&mut self, variant: usize, other: &Variant) {
        let native = &self.variants[variant].native;
        let args = self.problem.small(native).expect("it takes some length");
        let outputs = interp::run(&other.native, &args).expect("it runs");
        self.expected.insert(cpu_text(self.variants[variant]), Ok((args, outputs)));
    }

    /// What the interpreter gives.
    fn expect(&mut self, variant: usize) -> Result<(Args, Outputs), Invalid> {
        let native = &self.variants[variant].native;
        let (problem, text) = (&self.problem, cpu_text(self.variants[variant]));
        let interpreted = || {
            let args = problem.small(native).ok_or("none of the lengths that were tried is accepted")?;
            let outputs = interp::run(native, &args).map_err(|fault| fault.to_string())?;
            Ok((args, outputs))
        };
        self.expected.entry(text).or_insert_with(interpreted).clone().map_err(Invalid::Verify)
    }
}

/// The element types of what a program is given.
fn kinds(program: &Program) -> Vec<Vec<&'static str>> {
    let kind = |param: &Param| match &param.kind {
        ParamKind::Scalar(ty) => vec![ty.name()],
        ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. } => {
            arrays.iter().map(|&a| program.array(a).elem.name()).collect()
        }
        ParamKind::Output { .. } | ParamKind::Fault(_) => Vec::new(),
    };
    program.params.iter().map(kind).collect()
}

/// A text as launch rows hold it. Rows live until the process ends.
fn leaked(text: texts::Text) -> Text {
    Text {
        language: text.language,
        source: text.source.leak(),
        symbol: text.symbol.leak(),
        shared_bytes: text.shared_bytes,
        rounds: text.rounds,
        needs: text.needs.leak(),
    }
}

impl Built {
    /// The row's functions are those of this variant until the turn is over.
    fn turn(&self, geometry: Geometry) -> Turn {
        Turn::take(match self.functions {
            Some(functions) => Behind::Planned(functions, geometry),
            None => Behind::Known(geometry),
        })
    }
}

const HOW: How = How { variant: 0, blocks: None };

impl Bench for OnDevice<'_> {
    fn verify(&mut self, variant: usize) -> Result<(), Invalid> {
        let (args, expected) = self.expect(variant)?;
        let found = self.outputs(variant, &args)?;
        match differs(&expected, &found) {
            Some(what) => Err(Invalid::Verify(what)),
            None => Ok(()),
        }
    }

    fn sample(&mut self, variant: usize) -> Result<f64, Invalid> {
        let built = self.build(variant)?;
        let turn = built.turn(built.geometry.clone()?);
        if self.uploads.is_none() {
            let uploads = Uploads::new(built.info.variants[0].params, &self.device, &self.args);
            self.uploads = Some(uploads.map_err(|e| refused(&e))?);
        }
        let Some(uploads) = self.uploads.as_mut() else { return Err(Invalid::Launch("no arguments".into())) };
        let device = &self.device;
        let mut timed = || -> Result<(f64, Duration), Error> {
            let mut ready = Ready::new(built.info, HOW, device, &self.args)?;
            let mut launches = |n: u32| {
                let start = Instant::now();
                (0..n).try_for_each(|_| ready.launch(uploads))?;
                device.synchronize()?;
                Ok::<_, Error>(start.elapsed())
            };
            // Memory is touched, code is loaded.
            let first = launches(1)?;
            let once = match built.once {
                Some(once) => once,
                None => launches(1)?.min(first).max(Duration::from_nanos(1)),
            };
            let n = (SAMPLE.as_nanos() / once.as_nanos()).clamp(1, MAX_LAUNCHES.into()) as u32;
            let all = launches(n)?;
            Ok((all.as_secs_f64() / f64::from(n), once.min(all / n).max(Duration::from_nanos(1))))
        };
        let (time, once) = timed().map_err(|e| refused(&e))?;
        if turn.failed() {
            return Err(Invalid::Launch("it panicked".into()));
        }
        self.built[variant] = Some(Ok(Built { once: Some(once), ..built }));
        Ok(time)
    }
}

/// A driver that does not compile a text has its error in the first launch.
fn refused(error: &Error) -> Invalid {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    match error {
        Error::Driver { .. } => Invalid::Build(text),
        _ => Invalid::Launch(text),
    }
}

/// The first difference.
fn differs(expected: &Outputs, found: &Outputs) -> Option<String> {
    let fields = |outputs: &Outputs| outputs.0.iter().flatten().map(|f| f.bits.len()).collect::<Vec<_>>();
    if fields(expected) != fields(found) {
        return Some(format!("outputs of {:?} elements instead of {:?}", fields(found), fields(expected)));
    }
    for (place, (want, got)) in expected.0.iter().flatten().zip(found.0.iter().flatten()).enumerate() {
        let at = want.bits.iter().zip(&got.bits).position(|(a, b)| a != b && !both_nan(want.ty, *a, *b));
        if let Some(at) = at {
            let (want, got) = (want.bits[at], got.bits[at]);
            return Some(format!(
                "element {at} of result {place} has the bits {got:#x}, the interpreter gives {want:#x}"
            ));
        }
    }
    None
}

/// Which of the NaNs a result is, is not said.
fn both_nan(ty: obsidian_ir::program::ScalarType, a: u64, b: u64) -> bool {
    use obsidian_ir::program::{Const, ScalarType, arith};
    let nan = |bits| {
        let wide = arith::cast(Const { ty, bits }, ScalarType::F64);
        f64::from_bits(wide.bits).is_nan()
    };
    ty.is_float() && nan(a) && nan(b)
}

/// What names a device and what drives it, in records.
///
/// # Errors
/// rustc cannot be run, which compiles the CPU's versions.
pub fn provenance(device: &Device) -> Result<[String; 3], String> {
    let driver = match device.kind() {
        Backend::Cpu => library::compiler()?,
        _ => device.driver(),
    };
    Ok([device.kind().name().to_string(), device_name(device), driver])
}
