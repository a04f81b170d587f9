//! What the compiler counts for the points of a space, row by row of a study's table.

use std::collections::{BTreeMap, HashSet};

use obsidian_lang::driver::Variant;
use obsidian_tune::prune::cpu_text;
use obsidian_tune::source::Kernel;

/// The generation of GPUs whose occupancy is shown.
const GPU: &str = "sm_80";

/// The points of a row: the least and the greatest of each count.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The entry, or the value of the generic.
    pub name: String,
    /// Points.
    pub points: usize,
    /// Programs that differ on the CPU.
    pub programs: usize,
    /// Bytes of shared memory.
    pub shared: Span,
    /// Barriers of the block.
    pub barriers: Span,
    /// Bytes moved for each byte wanted; `None` where some access is not followed.
    pub moved: Option<Span>,
    /// Turns lost to bank conflicts for each element written, as of `moved`.
    pub conflicts: Option<Span>,
    /// Occupancy, in percent.
    pub occupancy: Span,
}

/// From the least to the greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span(pub f64, pub f64);

impl Span {
    fn of(values: impl Iterator<Item = f64>) -> Span {
        // A sum of nothing is -0.
        values.fold(Span(f64::INFINITY, f64::NEG_INFINITY), |span, v| Span(span.0.min(v + 0.0), span.1.max(v + 0.0)))
    }

    fn of_known(values: impl Iterator<Item = Option<f64>>) -> Option<Span> {
        Some(Span::of(values.collect::<Option<Vec<f64>>>()?.into_iter()))
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let one = |v: f64| if v.fract() == 0.0 { format!("{v}") } else { format!("{v:.2}") };
        let (least, most) = (one(self.0), one(self.1));
        if least == most { f.write_str(&least) } else { write!(f, "{least} .. {most}") }
    }
}

/// The rows of a study.
pub fn rows(kernels: &[Kernel], by: &[&str]) -> Vec<Row> {
    let mut groups: BTreeMap<(usize, String), Vec<&Variant>> = BTreeMap::new();
    for (place, kernel) in kernels.iter().enumerate() {
        for variant in kernel.variants() {
            let value = by.iter().find_map(|by| variant.values.iter().find(|(name, _)| name == by));
            let name = match value {
                None => kernel.name.clone(),
                Some((name, value)) if kernels.len() == 1 => format!("{name} = {value}"),
                Some((name, value)) => format!("{}, {name} = {value}", kernel.name),
            };
            groups.entry((place, name)).or_default().push(variant);
        }
    }
    groups.into_iter().map(|((_, name), variants)| row(name, &variants)).collect()
}

fn row(name: String, variants: &[&Variant]) -> Row {
    let costs: Vec<_> = variants.iter().map(|v| v.report.data()).collect();
    let over = |part: Option<f64>, whole: f64| part.filter(|_| whole > 0.0).map(|part| part / whole);
    let programs: HashSet<String> = variants.iter().map(|v| cpu_text(v)).collect();
    Row {
        name,
        points: variants.len(),
        programs: programs.len(),
        shared: Span::of(costs.iter().map(|c| c.shared_bytes.into())),
        barriers: Span::of(costs.iter().map(|c| c.barriers.block.into())),
        moved: Span::of_known(costs.iter().map(|c| over(c.bytes_moved(), c.bytes_wanted()? as f64))),
        conflicts: Span::of_known(costs.iter().map(|c| over(c.conflicts(), c.operations.elements as f64))),
        occupancy: Span::of(costs.iter().filter_map(|c| c.on(GPU)).map(|o| o.percent.into())),
    }
}
