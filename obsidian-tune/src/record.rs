//! Records of measurements: a file of lines, each a JSON object with a mark over its own text and the mark before it, so that no line
//! can be changed, lost or moved. A line is written and flushed as soon as it is known, so that a process that is killed loses the
//! measurement under way and nothing else.
//!
//! The first line says what was measured, where, and by what; a reader refuses a file where something of that is not as it
//! expects, or where a line is damaged.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::checksum::mark;
use crate::roofline::Roof;
use crate::rounds;
use crate::statistics::least_of;

/// The schema of records that this version writes and reads.
pub const SCHEMA: &str = "obsidian-tuning-2";
/// The version of the compiler that made the variants.
pub const GENERATOR: &str = env!("CARGO_PKG_VERSION");

/// What a record is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
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
    /// What drives the device, with versions.
    pub driver: String,
    /// The problem: lengths and scalars.
    pub problem: String,
}

/// One of the fields of a header that must be as expected.
type Field = (&'static str, fn(&Header) -> &String);

const FIELDS: [Field; 9] = [
    ("schema", |h| &h.schema),
    ("generator", |h| &h.generator),
    ("kernel", |h| &h.kernel),
    ("text", |h| &h.text),
    ("variants", |h| &h.variants),
    ("backend", |h| &h.backend),
    ("device", |h| &h.device),
    ("driver", |h| &h.driver),
    ("problem", |h| &h.problem),
];

/// One sample, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The variant, as it is shown.
    pub variant: String,
    /// The mark of its program.
    pub program: String,
    /// For what it was measured.
    pub phase: Phase,
    /// Seconds; or the stage that failed, and why.
    pub found: Result<f64, (String, String)>,
}

/// For what a sample was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// To find good variants: the number of the sample, from 0.
    Search(u32),
    /// In the runoff: the number of the pass over its candidates, from 0.
    Round(u32),
}

/// What was concluded.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// The variant that is to be used.
    pub chosen: String,
    /// `win`, `tie`, `unclear`.
    pub verdict: String,
    /// Those that are as good, the chosen one among them.
    pub tied: Vec<String>,
    /// The nearest other, and the interval of its times over the best one's.
    pub rival: Option<(String, Option<(f64, f64)>)>,
    /// Variants that were not measured, and the proof that they need not be.
    pub pruned: BTreeMap<String, String>,
    /// Which way the space was searched.
    pub searcher: String,
    /// What a copy of as many bytes took, if that was measured.
    pub roof: Option<Roof>,
}

/// Why a record is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The file cannot be read or written.
    File(PathBuf, String),
    /// It is about something else.
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What is expected here.
        expected: String,
        /// What the record has.
        found: String,
    },
    /// A line is not as it was written.
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// In words.
        why: String,
    },
    /// The tuning was not finished, or the end of the file is lost.
    Unfinished(PathBuf),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::File(path, why) => write!(f, "{}: {why}", path.display()),
            Refusal::Unfinished(path) => {
                write!(f, "{}: this tuning was not finished: it concludes nothing", path.display())
            }
            Refusal::Mismatch { path, what, expected, found } => {
                write!(f, "{} is not about this: its {what} is `{found}`, and here it is `{expected}`", path.display())
            }
            Refusal::Damaged { path, line, why } => {
                write!(f, "{}:{line}: this record is damaged: {why}", path.display())
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// A record that is being written.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    file: File,
    contents: Contents,
    /// The mark of the last line.
    last: String,
}

/// What a record holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// What it is about.
    pub header: Header,
    /// In the order in which they were made.
    pub measurements: Vec<Measurement>,
    /// The last conclusion.
    pub conclusion: Option<Conclusion>,
}

impl Header {
    /// The first field that is not as expected, of those that count.
    fn differing(&self, expected: &Header, counts: &dyn Fn(&str) -> bool) -> Option<(&'static str, String, String)> {
        let differs = FIELDS.iter().filter(|(name, _)| counts(name)).find(|(_, of)| of(self) != of(expected));
        differs.map(|(name, of)| (*name, of(expected).clone(), of(self).clone()))
    }

    /// Refuses a record that is about something else.
    ///
    /// # Errors
    /// The first field that differs.
    pub fn expect(&self, expected: &Header, path: &Path) -> Result<(), Refusal> {
        match self.differing(expected, &|_| true) {
            Some((what, expected, found)) => Err(Refusal::Mismatch { path: path.to_path_buf(), what, expected, found }),
            None => Ok(()),
        }
    }

    fn json(&self) -> Value {
        Value::Object(FIELDS.iter().map(|(name, of)| (name.to_string(), Value::String(of(self).clone()))).collect())
    }

    fn read(value: &Value) -> Option<Header> {
        let text = |name: &str| value[name].as_str().map(str::to_string);
        Some(Header {
            schema: text("schema")?,
            generator: text("generator")?,
            kernel: text("kernel")?,
            text: text("text")?,
            variants: text("variants")?,
            backend: text("backend")?,
            device: text("device")?,
            driver: text("driver")?,
            problem: text("problem")?,
        })
    }
}

impl Record {
    /// Opens a record to go on with it, or begins it. Of one whose variants have changed the measurements of the others stay:
    /// a changed program has another mark.
    ///
    /// # Errors
    /// It is about another kernel, device, driver, problem or version, or it is damaged; a last line that was cut off by a
    /// kill is dropped. The file cannot be written.
    pub fn open(path: &Path, header: &Header) -> Result<Record, Refusal> {
        let unwritable = |e: std::io::Error| Refusal::File(path.to_path_buf(), e.to_string());
        let mut contents = Contents { header: header.clone(), measurements: Vec::new(), conclusion: None };
        let (mut again, mut last) = (true, String::new());
        if path.exists() {
            let text = std::fs::read_to_string(path).map_err(unwritable)?;
            // Killed while it wrote its first line.
            if text.contains('\n') {
                let (found, mark) = parse(path, whole_lines(&text))?;
                let counts = |name: &str| !["text", "variants"].contains(&name);
                if let Some((what, expected, found)) = found.header.differing(header, &counts) {
                    return Err(Refusal::Mismatch { path: path.to_path_buf(), what, expected, found });
                }
                again = found.header != *header || !text.ends_with('\n');
                last = mark;
                contents.measurements = found.measurements;
                contents.conclusion = found.conclusion.filter(|_| found.header == *header);
            }
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(unwritable)?;
        }
        if again {
            let text;
            (text, last) = contents.text();
            // Beside it first: a kill here must not lose what was measured.
            let new = path.with_extension("new");
            std::fs::write(&new, text).map_err(unwritable)?;
            std::fs::rename(&new, path).map_err(unwritable)?;
        }
        let file = OpenOptions::new().append(true).open(path).map_err(unwritable)?;
        Ok(Record { path: path.to_path_buf(), file, contents, last })
    }

    /// What it holds.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Adds a measurement.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, measurement: Measurement) -> Result<(), Refusal> {
        self.write(&measurement.json())?;
        self.contents.measurements.push(measurement);
        Ok(())
    }

    /// Adds what was concluded.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn conclude(&mut self, conclusion: Conclusion) -> Result<(), Refusal> {
        self.write(&conclusion.json())?;
        self.contents.conclusion = Some(conclusion);
        Ok(())
    }

    fn write(&mut self, value: &Value) -> Result<(), Refusal> {
        let text = line(value, &mut self.last);
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|e| Refusal::File(self.path.clone(), e.to_string()))
    }
}

impl Contents {
    /// Reads a record, finished or not.
    ///
    /// # Errors
    /// It cannot be read, or it is damaged.
    pub fn read(path: &Path) -> Result<Contents, Refusal> {
        let text = std::fs::read_to_string(path).map_err(|e| Refusal::File(path.to_path_buf(), e.to_string()))?;
        parse(path, whole_lines(&text)).map(|(contents, _)| contents)
    }

    /// The same, to choose by it.
    ///
    /// # Errors
    /// It concludes nothing: the tuning was not finished, or the end of the file is lost.
    pub fn finished(self, path: &Path) -> Result<Contents, Refusal> {
        if self.conclusion.is_some() { Ok(self) } else { Err(Refusal::Unfinished(path.to_path_buf())) }
    }

    /// The samples of a phase of each variant whose program is still the one that was measured.
    pub fn samples(&self, is_wanted: impl Fn(Phase) -> bool) -> BTreeMap<&str, Vec<f64>> {
        let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for m in self.measurements.iter().filter(|m| is_wanted(m.phase)) {
            if let Ok(seconds) = m.found {
                all.entry(&m.variant).or_default().push(seconds);
            }
        }
        all
    }

    /// The time of each variant: of the runoff, where it took part, else of the search.
    pub fn seconds(&self) -> BTreeMap<&str, f64> {
        let (search, passes) =
            (self.samples(|p| matches!(p, Phase::Search(_))), self.samples(|p| matches!(p, Phase::Round(_))));
        let both = search.into_iter().map(|(name, samples)| (name, samples, passes.get(name)));
        both.map(|(name, samples, passes)| (name, passes.map_or_else(|| least_of(&samples), |p| rounds::seconds(p))))
            .collect()
    }

    /// The file, and the mark of its last line.
    fn text(&self) -> (String, String) {
        let rest = self.measurements.iter().map(Measurement::json);
        let all = std::iter::once(self.header.json()).chain(rest).chain(self.conclusion.iter().map(Conclusion::json));
        let mut last = String::new();
        let text = all.map(|value| line(&value, &mut last)).collect();
        (text, last)
    }
}

/// The lines that end; the last one may have been cut off.
fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}

/// A line with the mark of what is in it and of what is before it, whose mark `last` becomes.
pub(crate) fn line(value: &Value, last: &mut String) -> String {
    let mut object = value.as_object().cloned().unwrap_or_default();
    *last = mark(&format!("{last}{value}"));
    object.insert("mark".into(), Value::String(last.clone()));
    format!("{}\n", Value::Object(object))
}

/// What a file holds, and the mark of its last line.
fn parse(path: &Path, text: &str) -> Result<(Contents, String), Refusal> {
    let damaged =
        |line: usize, why: &str| Refusal::Damaged { path: path.to_path_buf(), line: line + 1, why: why.to_string() };
    let mut lines = text.lines().enumerate();
    let Some((_, first)) = lines.next() else { return Err(damaged(0, "it is empty")) };
    let mut last = String::new();
    let first = unmarked(first, &mut last).map_err(|why| damaged(0, &why))?;
    let header = Header::read(&first).ok_or_else(|| damaged(0, "the first line does not say what was measured"))?;
    let mut contents = Contents { header, measurements: Vec::new(), conclusion: None };
    for (number, text) in lines {
        let value = unmarked(text, &mut last).map_err(|why| damaged(number, &why))?;
        if value.get("chosen").is_some() {
            contents.conclusion =
                Some(Conclusion::read(&value).ok_or_else(|| damaged(number, "this is not a conclusion"))?);
        } else {
            let measurement = Measurement::read(&value).ok_or_else(|| damaged(number, "this is not a measurement"))?;
            contents.measurements.push(measurement);
        }
    }
    Ok((contents, last))
}

/// A line that is as it was written after the one with the mark `last`.
fn unmarked(text: &str, last: &mut String) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let Value::Object(mut object) = value else { return Err("this is not an object".into()) };
    let Some(Value::String(found)) = object.remove("mark") else { return Err("this line has no mark".into()) };
    let value = Value::Object(object);
    let expected = line(&value, last);
    if found != *last {
        return Err(format!("the mark is {found}, and should be {last}"));
    }
    if expected.trim_end_matches('\n') == text { Ok(value) } else { Err("it is not written as it was".into()) }
}

impl Measurement {
    fn json(&self) -> Value {
        let (phase, number) = match self.phase {
            Phase::Search(n) => ("search", n),
            Phase::Round(n) => ("round", n),
        };
        let mut object = json!({ "variant": self.variant, "program": self.program, "phase": phase, "number": number });
        match &self.found {
            Ok(seconds) => object["seconds"] = json!(seconds),
            Err((stage, why)) => object["failed"] = json!([stage, why]),
        }
        object
    }

    fn read(value: &Value) -> Option<Measurement> {
        let text = |value: &Value| value.as_str().map(str::to_string);
        let number = u32::try_from(value["number"].as_u64()?).ok()?;
        let phase = match value["phase"].as_str()? {
            "search" => Phase::Search(number),
            "round" => Phase::Round(number),
            _ => return None,
        };
        let found = match (value["seconds"].as_f64(), &value["failed"]) {
            (Some(seconds), Value::Null) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
            (None, Value::Array(failed)) => Err((text(failed.first()?)?, text(failed.get(1)?)?)),
            _ => return None,
        };
        Some(Measurement { variant: text(&value["variant"])?, program: text(&value["program"])?, phase, found })
    }
}

impl Conclusion {
    fn json(&self) -> Value {
        let pruned: Map<String, Value> = self.pruned.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
        let rival = self.rival.as_ref().map(|(name, interval)| json!([name, interval.map(|(low, high)| [low, high])]));
        json!({
            "chosen": self.chosen, "verdict": self.verdict, "tied": self.tied, "rival": rival, "pruned": pruned,
            "searcher": self.searcher, "copy": self.roof.map(|roof| json!([roof.bytes, roof.seconds])),
        })
    }

    fn read(value: &Value) -> Option<Conclusion> {
        let text = |value: &Value| value.as_str().map(str::to_string);
        let rival = match &value["rival"] {
            Value::Null => None,
            Value::Array(rival) => {
                let end = |i: usize| rival.get(1)?.get(i)?.as_f64();
                Some((text(rival.first()?)?, end(0).zip(end(1))))
            }
            _ => return None,
        };
        let roof = match &value["copy"] {
            Value::Null => None,
            copy => Some(Roof { bytes: copy[0].as_u64()?, seconds: copy[1].as_f64().filter(|s| *s > 0.0)? }),
        };
        let pruned = value["pruned"].as_object()?.iter().map(|(k, v)| Some((k.clone(), text(v)?)));
        Some(Conclusion {
            chosen: text(&value["chosen"])?,
            verdict: text(&value["verdict"])?,
            tied: value["tied"].as_array()?.iter().map(text).collect::<Option<_>>()?,
            rival,
            pruned: pruned.collect::<Option<_>>()?,
            searcher: text(&value["searcher"])?,
            roof,
        })
    }
}

#[cfg(test)]
mod tests;
