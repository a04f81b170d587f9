//! What each line of the source costs a block: sectors, bank conflicts, guards and barriers, with the accesses in words.

use std::collections::BTreeMap;

use obsidian_ir::passes::cost::{Access, Certainty, Memory};
use obsidian_ir::program::{StmtKind, walk};
use obsidian_lang::driver::Variant;
use obsidian_lang::syntax::SpanTable;
use serde_json::{Value, json};

/// The costs of one line.
#[derive(Debug, Default)]
struct Line {
    sectors: f64,
    /// The sectors that would suffice.
    least: f64,
    conflicts: f64,
    guards: u32,
    barriers: u32,
    /// Accesses that the analysis does not follow.
    unknown: u32,
    /// In words, each with how often it is there.
    accesses: BTreeMap<String, u32>,
}

/// The lines that cost something, by their numbers; what has no place in the file is at 0.
pub fn of(v: &Variant, spans: &SpanTable) -> Value {
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    for access in &v.report.accesses {
        let line = lines.entry(access.site.at.map_or(0, |(line, _)| line)).or_default();
        line.add(access);
    }
    for guard in &v.report.guards {
        lines.entry(guard.at.map_or(0, |(line, _)| line)).or_default().guards += 1;
    }
    walk::each(&v.machine.body, &mut |stmt| {
        if matches!(stmt.kind, StmtKind::Sync { .. }) {
            let line = spans.place(stmt.span).map_or(0, |(line, _)| line);
            lines.entry(line).or_default().barriers += 1;
        }
    });
    Value::Object(lines.into_iter().map(|(number, line)| (number.to_string(), line.json())).collect())
}

impl Line {
    fn add(&mut self, access: &Access) {
        match (access.requests(), access.memory) {
            (Some(requests), Memory::Global) => {
                self.sectors += requests.transactions;
                self.least += requests.least as f64;
            }
            (Some(requests), Memory::Shared) => self.conflicts += requests.transactions - requests.least as f64,
            (None, _) => self.unknown += 1,
        }
        *self.accesses.entry(in_words(access)).or_default() += 1;
    }

    fn json(self) -> Value {
        let times = |(text, count): (String, u32)| if count == 1 { text } else { format!("{text}, {count} times") };
        json!({
            "sectors": self.sectors, "least": self.least, "conflicts": self.conflicts, "guards": self.guards,
            "barriers": self.barriers, "unknown": self.unknown,
            "accesses": self.accesses.into_iter().map(times).collect::<Vec<_>>(),
        })
    }
}

/// `load of input: 128 sectors, where 128 suffice`.
fn in_words(access: &Access) -> String {
    let head = format!("{} of {} ({})", access.action.name(), access.array, access.memory.name());
    let Some(requests) = access.requests() else {
        return format!("{head}: its places depend on data or were not followed");
    };
    let number = |v: f64| if v.fract() == 0.0 { format!("{v}") } else { format!("{v:.2}") };
    let (unit, at_most) = match (access.memory, access.certainty) {
        (Memory::Global, Certainty::Exact) => ("sectors", ""),
        (Memory::Global, _) => ("sectors", "at most "),
        (Memory::Shared, Certainty::Exact) => ("turns of the banks", ""),
        (Memory::Shared, _) => ("turns of the banks", "at most "),
    };
    format!("{head}: {at_most}{} {unit}, where {} suffice", number(requests.transactions), requests.least)
}
