//! A record for other programs: as T4, which Kernel Tuner and its dashboard read, and as CSV.
//!
//! Source: the open schema of auto-tuning results, T4 1.0.0.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::record::{Contents, Phase};
use crate::rounds;
use crate::statistics::least_of;

/// The version of T4 that is written.
const T4: &str = "1.0.0";

/// What is known of a variant.
struct Row<'a> {
    variant: &'a str,
    search: Vec<f64>,
    rounds: Vec<f64>,
    failed: Option<(&'a str, &'a str)>,
}

impl Row<'_> {
    /// The time of a launch: of the runoff, where it took part.
    fn seconds(&self) -> f64 {
        if self.rounds.is_empty() { least_of(&self.search) } else { rounds::seconds(&self.rounds) }
    }
}

fn rows(contents: &Contents) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for m in &contents.measurements {
        let at = rows.iter().position(|row| row.variant == m.variant).unwrap_or_else(|| {
            rows.push(Row { variant: &m.variant, search: Vec::new(), rounds: Vec::new(), failed: None });
            rows.len() - 1
        });
        let row = &mut rows[at];
        match (&m.found, m.phase) {
            (Err((stage, why)), _) => row.failed = Some((stage, why)),
            (Ok(seconds), Phase::Search(_)) => row.search.push(*seconds),
            (Ok(seconds), Phase::Round(_)) => row.rounds.push(*seconds),
        }
    }
    rows
}

/// The values of a variant by its name, `threads = 64, SEQ = 8`.
pub fn values(variant: &str) -> BTreeMap<&str, &str> {
    variant.split(", ").filter_map(|part| part.split_once(" = ")).collect()
}

/// As T4.
pub fn t4(contents: &Contents) -> Value {
    let results: Vec<Value> = rows(contents).iter().map(result).collect();
    json!({ "schema_version": T4, "results": results })
}

fn result(row: &Row<'_>) -> Value {
    let value = |text: &str| text.parse::<i64>().map_or_else(|_| json!(text), |n| json!(n));
    let configuration: Map<String, Value> =
        values(row.variant).into_iter().map(|(name, text)| (name.to_string(), value(text))).collect();
    let invalidity = match row.failed {
        Some(("build", _)) => "compile",
        Some(("verify", _)) => "correctness",
        Some(_) => "runtime",
        None => "correct",
    };
    // Milliseconds, as Kernel Tuner has them.
    let runtimes: Vec<f64> = row.search.iter().chain(&row.rounds).map(|s| s * 1e3).collect();
    let mut measurements = vec![];
    if row.failed.is_none() {
        measurements.push(json!({ "name": "time", "value": row.seconds() * 1e3, "unit": "ms" }));
    }
    json!({
        "configuration": configuration,
        "objectives": ["time"],
        "times": { "runtimes": runtimes },
        "invalidity": invalidity,
        "correctness": u8::from(!matches!(row.failed, Some(("verify", _)))),
        "measurements": measurements,
    })
}

/// As CSV: the values, seconds, the number of samples, what failed and why; the pruned variants with their proof.
pub fn csv(contents: &Contents) -> String {
    let rows = rows(contents);
    let pruned = contents.conclusion.iter().flat_map(|c| &c.pruned);
    let first =
        rows.first().map(|row| row.variant).or_else(|| pruned.clone().next().map(|(variant, _)| variant.as_str()));
    // In the order in which a variant's name has them.
    let names: Vec<&str> =
        first.unwrap_or_default().split(", ").filter_map(|part| Some(part.split_once(" = ")?.0)).collect();
    let mut text = format!("{},seconds,samples,failed,why\n", names.join(","));
    let cells = |variant: &str| {
        let values = values(variant);
        names.iter().map(|name| quoted(values.get(name).copied().unwrap_or_default()) + ",").collect::<String>()
    };
    for row in &rows {
        let (stage, why) = row.failed.unwrap_or_default();
        let seconds = if row.failed.is_some() { String::new() } else { format!("{:e}", row.seconds()) };
        let samples = row.search.len() + row.rounds.len();
        text += &format!("{}{seconds},{samples},{stage},{}\n", cells(row.variant), quoted(why));
    }
    for (variant, proof) in pruned {
        text += &format!("{},0,pruned,{}\n", cells(variant), quoted(proof));
    }
    text
}

/// A cell. Line ends in it would end the row.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "));
    }
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Conclusion, GENERATOR, Header, Measurement, SCHEMA};

    fn contents() -> Contents {
        let text = |text: &str| text.to_string();
        let header = Header {
            schema: text(SCHEMA),
            generator: text(GENERATOR),
            kernel: text("sums"),
            text: text("1"),
            variants: text("2"),
            backend: text("cpu"),
            device: text("d"),
            driver: text("r"),
            problem: text("len = 4"),
        };
        let of = |seq: u32, phase, found| Measurement {
            variant: format!("threads = 64, SEQ = {seq}, T = f32"),
            program: text("p"),
            phase,
            found,
        };
        let measurements = vec![
            of(8, Phase::Search(0), Ok(0.002)),
            of(16, Phase::Search(0), Err((text("build"), text("rustc says \"no\",\nand more")))),
            of(8, Phase::Round(0), Ok(0.001)),
            of(4, Phase::Search(0), Err((text("verify"), text("element 3")))),
            of(2, Phase::Search(0), Err((text("launch"), text("too long")))),
        ];
        let conclusion = Some(Conclusion {
            chosen: text("threads = 64, SEQ = 8, T = f32"),
            verdict: text("win"),
            tied: vec![],
            rival: None,
            pruned: [(text("threads = 128, SEQ = 8, T = f32"), text("the same code"))].into(),
            searcher: text("exhaustive"),
            roof: None,
        });
        Contents { header, measurements, conclusion }
    }

    type Field = (&'static str, fn(&Value) -> bool, bool);

    /// What the published schema of T4 1.0.0 (`results-schema.json`) demands of a result: its fields, what they hold, and whether
    /// they must be there.
    const FIELDS: [Field; 7] = [
        ("configuration", Value::is_object, true),
        (
            "times",
            |times| times.as_object().is_some_and(|all| all.iter().all(|(name, value)| is_time(name, value))),
            true,
        ),
        ("invalidity", |why| INVALIDITIES.iter().any(|known| why == known), true),
        ("correctness", Value::is_number, true),
        ("timestamp", Value::is_string, false),
        ("objectives", Value::is_array, false),
        ("measurements", |all| all.as_array().is_some_and(|all| all.iter().all(is_measurement)), false),
    ];
    const INVALIDITIES: [&str; 6] = ["timeout", "compile", "runtime", "correctness", "constraints", "correct"];

    fn is_time(name: &str, value: &Value) -> bool {
        match name {
            "runtimes" => value.is_array(),
            "compilation_time" | "framework" | "search_algorithm" | "validation" => value.is_number(),
            // Others are not forbidden; none is written.
            _ => false,
        }
    }

    fn is_measurement(value: &Value) -> bool {
        let fits = |(name, value): (&String, &Value)| match name.as_str() {
            "name" | "unit" => value.is_string(),
            "value" => value.is_number() || value.is_string() || value.is_array(),
            _ => false,
        };
        value.as_object().is_some_and(|fields| fields.iter().all(fits))
    }

    /// The first thing that is not as the schema demands, or that it does not know.
    fn against_the_schema(t4: &Value) -> Result<(), String> {
        let version = t4["schema_version"].as_str().ok_or("no schema_version")?;
        let numbers: Vec<&str> = version.split('.').collect();
        if numbers.len() != 3 || numbers.iter().any(|n| n.is_empty() || !n.bytes().all(|b| b.is_ascii_digit())) {
            return Err(format!("schema_version {version}"));
        }
        for (i, result) in t4["results"].as_array().ok_or("no results")?.iter().enumerate() {
            let result = result.as_object().ok_or("a result is no object")?;
            if let Some(name) = result.keys().find(|name| FIELDS.iter().all(|(known, ..)| known != name)) {
                return Err(format!("result {i}: {name} is unknown"));
            }
            for (name, fits, needed) in FIELDS {
                let right = result.get(name).map_or(!needed, fits);
                right.then_some(()).ok_or_else(|| format!("result {i}: {name}: {:?}", result.get(name)))?;
            }
        }
        Ok(())
    }

    #[test]
    fn t4_is_valid_against_the_schema() {
        let t4 = t4(&contents());
        assert_eq!(against_the_schema(&t4), Ok(()));
        assert_eq!(t4["schema_version"], "1.0.0");
        let results = t4["results"].as_array().unwrap();
        let kinds: Vec<&str> = results.iter().map(|r| r["invalidity"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["correct", "compile", "correctness", "runtime"]);
        assert_eq!(results[0]["configuration"], json!({ "threads": 64, "SEQ": 8, "T": "f32" }));
        assert_eq!(results[0]["measurements"][0]["value"], 1.0);
        assert!(results[1..].iter().all(|r| r["measurements"] == json!([])), "what failed has no time");
        // What breaks the schema is noticed, field by field.
        for (name, _, needed) in FIELDS {
            let mut broken = t4.clone();
            broken["results"][0][name] = json!(null);
            assert!(against_the_schema(&broken).is_err(), "{name}");
            broken["results"][0].as_object_mut().unwrap().remove(name);
            assert_eq!(against_the_schema(&broken).is_err(), needed, "{name}");
        }
    }

    #[test]
    fn csv_is_one_line_a_variant() {
        let csv = csv(&contents());
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "threads,SEQ,T,seconds,samples,failed,why");
        assert_eq!(lines[1], "64,8,f32,1e-3,2,,");
        assert_eq!(lines[2], "64,16,f32,,0,build,\"rustc says \"\"no\"\", and more\"");
        assert_eq!(lines[5], "128,8,f32,,0,pruned,the same code");
        assert_eq!(lines.len(), 6);
    }
}
