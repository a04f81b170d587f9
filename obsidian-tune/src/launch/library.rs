//! CPU versions of kernels, as the Rust back end prints them, compiled by rustc into a library and loaded: functions that
//! a launch row of the runtime can hold. In: programs in native form; out: what runs them.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use libloading::Library;
use obsidian_ir::backend::rust;
use obsidian_ir::passes::Native;
use obsidian_ir::program::{ParamKind, Program};
use obsidian_runtime::abi::{Geometry, NativeArgs, Refusal};
use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The arguments of a launch, as `abi.rs` takes them.
#[repr(C)]
struct Raw {
    buffers: *const *mut u8,
    buffer_count: usize,
    lens: *const u32,
    len_count: usize,
    scalars: *const u64,
    scalar_count: usize,
}

type RawNative = unsafe extern "C" fn(*const Raw, u32, u32) -> bool;
type RawGeometry = unsafe extern "C" fn(*const u64, usize, *mut u64, usize) -> u32;

/// A kernel's functions.
#[derive(Debug, Clone, Copy)]
pub struct Functions {
    native: RawNative,
    geometry: RawGeometry,
    outputs: usize,
}

/// What the functions of a launch row do at present.
#[derive(Debug, Clone)]
pub enum Behind {
    /// What a library holds.
    Functions(Functions),
    /// The same, where the launch is known already.
    Planned(Functions, Geometry),
    /// The geometry alone: for devices that run a text.
    Known(Geometry),
    /// The same, computed from the program for each launch.
    Computed(&'static Native),
}

/// The functions of a row have no state of their own, so they serve one kernel at a time, or one module: each of its kernels has
/// a place.
static BEHIND: RwLock<Vec<Behind>> = RwLock::new(Vec::new());
static TURN: Mutex<()> = Mutex::new(());
static FAILED: AtomicBool = AtomicBool::new(false);

/// The right to launch: while it is held, the functions of [`PLACES`] are those of one kernel, or of one module's.
pub struct Turn {
    _guard: MutexGuard<'static, ()>,
}

impl Turn {
    /// Waits for it.
    pub fn take(behind: Behind) -> Turn {
        Turn::of_module(vec![behind])
    }

    /// Waits for it, for the kernels of a module by their places in it.
    pub fn of_module(behind: Vec<Behind>) -> Turn {
        let turn = Turn { _guard: TURN.lock().unwrap_or_else(PoisonError::into_inner) };
        *BEHIND.write().unwrap_or_else(PoisonError::into_inner) = behind;
        FAILED.store(false, Ordering::Relaxed);
        turn
    }

    /// Whether a kernel has panicked.
    pub fn failed(&self) -> bool {
        FAILED.load(Ordering::Relaxed)
    }
}

fn behind(place: usize) -> Option<Behind> {
    BEHIND.read().unwrap_or_else(PoisonError::into_inner).get(place).cloned()
}

/// The functions of a launch row: the CPU version and the geometry.
pub type OfRow = (unsafe fn(&NativeArgs<'_>, Range<u32>), fn(&[u64]) -> Result<Geometry, Refusal>);

macro_rules! places {
    ($($place:literal)+) => { [$((native::<$place> as unsafe fn(&NativeArgs<'_>, Range<u32>), geometry::<$place>)),+] };
}

/// Those of each place; a kernel by itself has the first.
pub static PLACES: [OfRow; 64] = places!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);

/// The CPU version in a launch row.
///
/// # Safety
/// That of the kernel whose turn it is.
unsafe fn native<const PLACE: usize>(args: &NativeArgs<'_>, blocks: Range<u32>) {
    let raw = Raw {
        buffers: args.buffers.as_ptr(),
        buffer_count: args.buffers.len(),
        lens: args.lens.as_ptr(),
        len_count: args.lens.len(),
        scalars: args.scalars.as_ptr(),
        scalar_count: args.scalars.len(),
    };
    let ran = match behind(PLACE) {
        // SAFETY: the slices live on; the caller's promise.
        Some(Behind::Functions(f) | Behind::Planned(f, _)) => unsafe { (f.native)(&raw, blocks.start, blocks.end) },
        _ => false,
    };
    if !ran {
        FAILED.store(true, Ordering::Relaxed);
    }
}

/// The geometry in a launch row.
///
/// # Errors
/// What the kernel's own refuses.
fn geometry<const PLACE: usize>(values: &[u64]) -> Result<Geometry, Refusal> {
    match behind(PLACE) {
        Some(Behind::Functions(f)) => {
            let mut outputs = vec![0; f.outputs];
            // SAFETY: pointers and lengths of slices.
            let blocks = unsafe { (f.geometry)(values.as_ptr(), values.len(), outputs.as_mut_ptr(), outputs.len()) };
            if blocks == u32::MAX {
                return Err(Refusal { condition: "the geometry of the CPU version", found: 0 });
            }
            Ok(Geometry::of(blocks, outputs))
        }
        Some(Behind::Known(geometry) | Behind::Planned(_, geometry)) => Ok(geometry),
        Some(Behind::Computed(program)) => super::geometry::of_values(program, values)
            .map_err(|refused| Refusal { condition: refused.to_string().leak(), found: 0 }),
        None => Err(Refusal { condition: "a kernel whose turn it is", found: 0 }),
    }
}

/// How a library is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// With assertions, and fast to compile.
    Checked,
    /// As cargo builds a release, with the flags in `RUSTFLAGS`.
    Release,
}

impl Build {
    fn flags(self) -> Vec<String> {
        match self {
            Build::Checked => vec!["-Copt-level=0".into(), "-Cdebug-assertions=on".into()],
            Build::Release => std::iter::once("-Copt-level=3".to_string()).chain(own_flags()).collect(),
        }
    }
}

/// The flags that cargo would pass.
fn own_flags() -> Vec<String> {
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    flags.split_whitespace().map(str::to_string).collect()
}

fn rustc() -> std::ffi::OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

/// What compiles the CPU versions: release, host and flags, in a line.
///
/// # Errors
/// rustc cannot be run.
pub fn compiler() -> Result<String, String> {
    let output = Command::new(rustc()).arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let field =
        |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("unknown").trim().to_string();
    let flags = own_flags().iter().map(|flag| format!(" {flag}")).collect::<String>();
    Ok(format!("rustc {} for {}, -Copt-level=3{flags}", field("release:"), field("host:")))
}

/// What is compiled of a program.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'p> {
    /// Its CPU version and its geometry.
    Whole(&'p Native),
    /// The geometry of a kernel that no CPU launches.
    Geometry(&'p Native),
}

impl Wanted<'_> {
    fn program(&self) -> &Native {
        let (Wanted::Whole(program) | Wanted::Geometry(program)) = self;
        program
    }

    fn native(&self) -> TokenStream {
        match self {
            Wanted::Whole(program) => rust::native(program),
            Wanted::Geometry(_) => rust::native_declared(),
        }
    }
}

/// Compiles the CPU versions of programs in a folder of their own, and loads them: each one's functions, in order.
///
/// # Errors
/// What rustc says, or the system.
pub fn compiled(folder: &Path, programs: &[Wanted<'_>], build: Build) -> Result<Vec<Functions>, String> {
    if programs.is_empty() {
        return Ok(Vec::new());
    }
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder.join("lanes")).map_err(failed)?;
    let Texts { whole, kernels, places } = texts(programs);
    for (name, text) in [("abi.rs", ABI), ("scalar.rs", SCALAR), ("batch.rs", &whole)].into_iter().chain(LANES) {
        fs::write(folder.join(name), text).map_err(failed)?;
    }
    for (i, text) in kernels.iter().enumerate() {
        fs::write(folder.join(format!("kernel_{i}.rs")), text).map_err(failed)?;
    }
    let mut command = Command::new(rustc());
    command.args(["--edition=2024", "--crate-type=cdylib", "-Cdebuginfo=0", "-Ccodegen-units=1", "--cap-lints=allow"]);
    command.args(build.flags()).arg("--out-dir").arg(folder).arg(folder.join("batch.rs"));
    let output = command.output().map_err(|e| format!("rustc: {e}"))?;
    if !output.status.success() {
        return Err(format!("rustc {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let path = folder.join(format!("{}batch{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    // SAFETY: a library of generated kernels, which does nothing when it is loaded.
    let library = unsafe { Library::new(path) }.map_err(|e| e.to_string())?;
    // Its functions are used until the process ends.
    let library: &'static Library = Box::leak(Box::new(library));
    programs.iter().zip(places).map(|(wanted, place)| functions(library, place, wanted.program())).collect()
}

fn functions(library: &'static Library, i: usize, program: &Program) -> Result<Functions, String> {
    let (native, geometry) = (format!("native_{i}"), format!("geometry_{i}"));
    let outputs = program.params.iter().filter(|p| matches!(p.kind, ParamKind::Output { .. })).count();
    // SAFETY: `text` has given them these types; the library stays.
    unsafe {
        let native = library.get::<RawNative>(native.as_bytes()).map_err(|e| e.to_string())?;
        let geometry = library.get::<RawGeometry>(geometry.as_bytes()).map_err(|e| e.to_string())?;
        Ok(Functions { native: *native, geometry: *geometry, outputs })
    }
}

const ABI: &str = include_str!("abi.rs");
/// The functions on floats that CPU versions call.
const SCALAR: &str = include_str!("float.rs");
/// The vectors that they compute in.
const LANES: [(&str, &str); 7] = [
    ("lanes/mod.rs", include_str!("lanes/mod.rs")),
    ("lanes/pair.rs", include_str!("lanes/pair.rs")),
    ("lanes/past.rs", include_str!("lanes/past.rs")),
    ("lanes/portable.rs", include_str!("lanes/portable.rs")),
    ("lanes/units.rs", include_str!("lanes/units.rs")),
    ("lanes/votes.rs", include_str!("lanes/votes.rs")),
    ("lanes/x86.rs", include_str!("lanes/x86.rs")),
];

/// The source of a library.
struct Texts {
    whole: String,
    /// A file for each kernel: a lint of rustc's copies the file up to each place that it looks at, also where all lints are off.
    kernels: Vec<String>,
    /// The kernel that each program is: variants often have the same CPU version.
    places: Vec<usize>,
}

fn texts(programs: &[Wanted<'_>]) -> Texts {
    let whole = String::from("mod abi;\npub mod lanes;\nmod scalar;\n");
    let mut texts = Texts { whole, kernels: Vec::new(), places: Vec::with_capacity(programs.len()) };
    let mut known = HashMap::new();
    for wanted in programs {
        let (native, geometry) = (lines(wanted.native()), lines(rust::geometry(wanted.program())));
        let kernel = format!("use super::abi; pub {native} pub {geometry}");
        let i = known.len();
        let place = *known.entry(kernel.clone()).or_insert(i);
        texts.places.push(place);
        if place < i {
            continue;
        }
        texts.kernels.push(kernel);
        let _ = write!(
            texts.whole,
            "mod kernel_{i};
#[unsafe(no_mangle)]
unsafe extern \"C\" fn native_{i}(raw: *const abi::Raw, start: u32, end: u32) -> bool {{
    unsafe {{ abi::run(kernel_{i}::native, &*raw, start..end) }}
}}
#[unsafe(no_mangle)]
unsafe extern \"C\" fn geometry_{i}(values: *const u64, count: usize, outputs: *mut u64, room: usize) -> u32 {{
    let (values, outputs) =
        unsafe {{ (std::slice::from_raw_parts(values, count), std::slice::from_raw_parts_mut(outputs, room)) }};
    abi::plan(kernel_{i}::geometry, values, outputs)
}}
"
        );
    }
    texts
}

/// Tokens with an end of line after each statement: to find a column rustc walks along the line, each time it asks for one.
fn lines(tokens: TokenStream) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{\n", "}\n"),
                    Delimiter::Parenthesis => ("(", ") "),
                    Delimiter::Bracket => ("[", "] "),
                    Delimiter::None => ("", " "),
                };
                let _ = write!(text, "{open}{}{close}", lines(group.stream()));
            }
            TokenTree::Punct(punct) => {
                text.push(punct.as_char());
                match (punct.as_char(), punct.spacing()) {
                    (';', _) => text.push('\n'),
                    (_, Spacing::Alone) => text.push(' '),
                    (_, Spacing::Joint) => {}
                }
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                let _ = write!(text, "{token} ");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_lines_and_tokens_stay_as_they_are() {
        let code = "fn f < 'a > (x : & 'a [u32]) -> u32 { print ! (\"a; {}\" , x [0]) ; a :: b :: < -1 > (x) ; 1..=2 }";
        let tokens: TokenStream = code.parse().unwrap();
        let text = lines(tokens.clone());
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains("\"a; {}\""), "{text}");
        assert_eq!(text.parse::<TokenStream>().unwrap().to_string(), tokens.to_string());
    }
}
