//! A file of wisdom: a line for each thing it says, and a mark over all of them.

use std::fmt::Write;

use super::device_name;
use crate::device::Device;
use crate::kernel::Kernel;

/// The schema of the files that this version writes and reads.
const SCHEMA: &str = "obsidian-wisdom-1";
/// The version of the runtime, which is the compiler's.
const GENERATOR: &str = env!("CARGO_PKG_VERSION");

/// What a tuning has found best for a kernel, a device and a length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The schema of the file.
    pub schema: String,
    /// The version of the compiler.
    pub generator: String,
    /// The entry's name.
    pub kernel: String,
    /// The mark of all variants' programs.
    pub text: String,
    /// The mark of the list of variants.
    pub variants: String,
    /// The back end.
    pub backend: String,
    /// The device.
    pub device: String,
    /// What drives it, with versions.
    pub driver: String,
    /// The length of the buffers.
    pub len: u64,
    /// The variant, as it is shown.
    pub chosen: String,
}

/// One of the lines that must be as they are here.
type Field = (&'static str, fn(&mut Found) -> &mut String);

const FIELDS: [Field; 8] = [
    ("schema", |f| &mut f.schema),
    ("generator", |f| &mut f.generator),
    ("kernel", |f| &mut f.kernel),
    ("text", |f| &mut f.text),
    ("variants", |f| &mut f.variants),
    ("backend", |f| &mut f.backend),
    ("device", |f| &mut f.device),
    ("driver", |f| &mut f.driver),
];

impl Found {
    /// What a file must say of itself to choose for a kernel on a device here.
    pub(super) fn here(kernel: &Kernel, device: &Device) -> Found {
        let programs: Vec<&str> = kernel.variants().map(|variant| variant.ir()).collect();
        let names: Vec<String> = kernel.variants().map(|variant| variant.to_string()).collect();
        Found::new(kernel.name(), &programs, &names, device)
    }

    /// The same of a kernel whose variants have these programs, as they are printed, and these names.
    pub fn new(kernel: &str, programs: &[&str], names: &[String], device: &Device) -> Found {
        Found {
            schema: SCHEMA.into(),
            generator: GENERATOR.into(),
            kernel: kernel.into(),
            text: mark(&programs.join("\n")),
            variants: mark(&names.join("\n")),
            backend: device.kind().name().into(),
            device: one_line(&device_name(device)),
            driver: one_line(&device.driver()),
            len: 0,
            chosen: String::new(),
        }
    }

    /// The first line that is not as it is here: its name, what it is here, and what the file has.
    pub(super) fn differing(&self, here: &Found) -> Option<(&'static str, String, String)> {
        let (mut own, mut here) = (self.clone(), here.clone());
        FIELDS.iter().find_map(|(name, of)| {
            let (own, here) = (of(&mut own), of(&mut here));
            (own != here).then(|| (*name, here.clone(), own.clone()))
        })
    }

    /// The file.
    pub fn text(&self) -> String {
        let (mut own, mut text) = (self.clone(), String::new());
        for (name, of) in FIELDS {
            let _ = writeln!(text, "{name} = {}", one_line(of(&mut own)));
        }
        let _ = writeln!(text, "len = {}\nchosen = {}", self.len, self.chosen);
        let mark = mark(&text);
        text + &format!("mark = {mark}\n")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It is not as it was written, in words.
    pub fn parse(bytes: &[u8]) -> Result<Found, String> {
        let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
        let end = text.rfind("mark = ").ok_or("it has no mark")?;
        let (said, marked) = text.split_at(end);
        let expected = format!("mark = {}\n", mark(said));
        if marked != expected {
            return Err("its mark is not that of what it says".into());
        }
        let mut lines = said.lines();
        let mut next = |name: &str| -> Result<String, String> {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(" = "));
            line.map(str::to_string).ok_or_else(|| format!("it does not say its {name}"))
        };
        let empty = String::new;
        let mut found = Found {
            schema: empty(),
            generator: empty(),
            kernel: empty(),
            text: empty(),
            variants: empty(),
            backend: empty(),
            device: empty(),
            driver: empty(),
            len: 0,
            chosen: empty(),
        };
        for (name, of) in FIELDS {
            *of(&mut found) = next(name)?;
        }
        found.len = next("len")?.parse().map_err(|_| "its len is not a number")?;
        found.chosen = next("chosen")?;
        Ok(found)
    }
}

/// A line end in a driver's text would end the line of the file.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The mark of a text: FNV-1a over 64 bits, against damage and change, not against malice.
fn mark(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}
