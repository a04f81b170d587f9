//! The report of costs as a table. Accesses of one place in the user's text are one row: a recursion that computes ten arrays has
//! ten loads at the same token.

use std::fmt;

use crate::passes::cost::{
    Access, Action, Certainty, Limit, Memory, Occupancy, Pattern, Report, Requests, VectorAccess,
};

/// The most arrays of the memory map that the report lists.
const MAX_ARRAYS: usize = 16;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} threads a block", self.name, self.threads)?;
        writeln!(f, "\nshared memory  {} of {} bytes", self.shared.bytes, self.shared.limit)?;
        self.map(f)?;
        writeln!(f, "barriers       {} of the block, {} of a warp", self.barriers.block, self.barriers.warp)?;
        writeln!(f, "guards         {}", self.guarded())?;
        if !self.local.is_empty() {
            writeln!(f, "local memory   {}", self.in_local_memory())?;
        }
        writeln!(f, "vectors        {}", self.in_vectors())?;
        writeln!(f, "operations     {}", self.arithmetic())?;
        if !self.approximated.is_empty() {
            writeln!(f, "approximated   on a GPU, of f32: {}", self.approximated.join(", "))?;
        }
        self.occupied(f)?;
        self.memory(f, Memory::Global)?;
        self.memory(f, Memory::Shared)?;
        if self.cut_short {
            writeln!(
                f,
                "\nThe analysis used up its budget: what is `not known` above may only be too much to look at."
            )?;
        }
        Ok(())
    }
}

impl Report {
    fn map(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shared.map.is_empty() {
            return Ok(());
        }
        let mut rows = vec![["steps", "bytes", "array"].map(String::from).to_vec()];
        for a in self.shared.map.iter().take(MAX_ARRAYS) {
            let copies = if a.copies > 1 { format!(", {} copies", a.copies) } else { String::new() };
            let stages = if a.stages > 1 { format!(", in {} stages", a.stages) } else { String::new() };
            let array = format!("{}: {} x {}{copies}{stages}", a.name, a.len, a.elem.name());
            rows.push(vec![range(a.first, a.last), range(a.offset, a.offset + a.bytes), array]);
        }
        table(f, &rows, &[Side::Left, Side::Left, Side::Left])?;
        match self.shared.map.len().saturating_sub(MAX_ARRAYS) {
            0 => Ok(()),
            more => writeln!(f, "    and {more} more"),
        }
    }

    fn in_local_memory(&self) -> String {
        let bytes: u64 = self.local.iter().map(|a| u64::from(a.bytes)).sum();
        let mut places: Vec<String> = self.local.iter().map(|a| place(a.site.at)).collect();
        places.sort();
        places.dedup();
        format!("{bytes} bytes a thread: {}", places.join(", "))
    }

    fn guarded(&self) -> String {
        let mut places: Vec<String> = self.guards.iter().map(|g| place(g.at)).collect();
        places.dedup();
        match self.guards.len() {
            0 => "none: every index is proved".to_string(),
            n => format!("{n}: an index is tested when the kernel runs, at {}", places.join(", ")),
        }
    }

    fn in_vectors(&self) -> String {
        let shown = |v: &VectorAccess| {
            let plural = if v.count == 1 { "" } else { "s" };
            let action = if v.action == Action::Load { "load" } else { "store" };
            format!("{}: {} {action}{plural} of {} x {}", v.array, v.count, v.width, v.elem.name())
        };
        let all: Vec<String> = self.vectors.iter().map(shown).collect();
        if all.is_empty() { "none: each access is of one element".to_string() } else { all.join("; ") }
    }

    fn arithmetic(&self) -> String {
        let o = &self.operations;
        let each = match o.elements {
            0 => String::new(),
            n => format!(", {} for each element written", number(o.total as f64 / n as f64)),
        };
        let note = if o.certainty == Certainty::Exact { "" } else { " (one round of each loop of unknown length)" };
        format!("{} a block{each}{note}", o.total)
    }

    fn occupied(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "occupancy      at most, for registers are not known before ptxas")?;
        let row = |title: &str, cell: &dyn Fn(&Occupancy) -> String| {
            let cells = self.occupancy.iter().map(cell);
            [title.to_string()].into_iter().chain(cells).collect::<Vec<String>>()
        };
        let limit = |o: &Occupancy| match o.limit {
            Limit::Threads => "threads",
            Limit::Blocks => "blocks",
            Limit::SharedMemory => "shared",
        };
        let rows = [
            row("", &|o| o.device.name.to_string()),
            row("blocks", &|o| o.blocks.to_string()),
            row("of the warps", &|o| format!("{} %", o.percent(self.threads))),
            row("limit", &|o| limit(o).to_string()),
        ];
        let mut sides = vec![Side::Right; rows[0].len()];
        sides[0] = Side::Left;
        table(f, &rows, &sides)
    }

    fn memory(&self, f: &mut fmt::Formatter<'_>, memory: Memory) -> fmt::Result {
        let rows = merged(self.of(memory));
        if rows.is_empty() {
            return Ok(());
        }
        let (title, columns) = match memory {
            Memory::Global => ("global memory", ["sectors each", "at least", "bytes moved", "wanted"]),
            Memory::Shared => ("shared memory", ["turns each", "at least", "worst", "steps"]),
        };
        writeln!(f, "\n{title}, a block's requests")?;
        let mut head = vec!["at".to_string(), "access".to_string(), "requests".to_string()];
        head.extend(columns.map(String::from));
        head.push(String::new());
        let mut lines = vec![head];
        lines.extend(rows.iter().map(|row| row.line(memory)));
        let sides =
            [Side::Left, Side::Left, Side::Right, Side::Right, Side::Right, Side::Right, Side::Right, Side::Left];
        table(f, &lines, &sides)?;
        let counted = rows.iter().filter(|r| r.certainty != Certainty::EachRound);
        let known: Vec<&Requests> = counted.filter_map(|r| r.requests.as_ref()).collect();
        let (moved, wanted) = (known.iter().map(|r| r.transactions * 32.0).sum::<f64>(), sum(&known, |r| r.wanted));
        if memory == Memory::Global && wanted > 0 {
            let all = if known.len() == rows.len() { "all" } else { "of those that are known" };
            let times = moved / wanted as f64;
            writeln!(f, "    {all}: {} bytes moved, {wanted} wanted, {times:.2} times as many", number(moved))?;
        }
        Ok(())
    }
}

fn sum(of: &[&Requests], what: impl Fn(&Requests) -> u64) -> u64 {
    of.iter().map(|r| what(r)).sum()
}

/// Accesses of one place, one array (of buffers), one kind.
struct Row<'a> {
    first: &'a Access,
    count: usize,
    steps: (u32, u32),
    /// `None` if the requests of one of the accesses are not known.
    requests: Option<Requests>,
    certainty: Certainty,
}

fn merged<'a>(accesses: impl Iterator<Item = &'a Access>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for a in accesses {
        let known = a.requests().copied();
        let same = |row: &&mut Row<'_>| {
            let one = |x: &Access| (x.site, x.action, x.elem, std::mem::discriminant(&x.pattern));
            one(row.first) == one(a) && (a.memory == Memory::Shared || row.first.array == a.array)
        };
        let Some(row) = rows.iter_mut().find(same) else {
            rows.push(Row { first: a, count: 1, steps: (a.step, a.step), requests: known, certainty: a.certainty });
            continue;
        };
        row.count += usize::from(row.first.array != a.array);
        row.steps = (row.steps.0.min(a.step), row.steps.1.max(a.step));
        row.certainty = row.certainty.max(a.certainty);
        row.requests = row.requests.zip(known).map(|(x, y)| Requests {
            count: x.count + y.count,
            transactions: x.transactions + y.transactions,
            least: x.least + y.least,
            worst: x.worst.max(y.worst),
            excess: x.excess.max(y.excess),
            wanted: x.wanted + y.wanted,
            alignments: x.alignments.max(y.alignments),
        });
    }
    rows
}

impl Row<'_> {
    fn line(&self, memory: Memory) -> Vec<String> {
        let a = self.first;
        let action = match a.action {
            Action::Load => "load",
            Action::Store => "store",
            Action::Atomic => "atomic",
        };
        let others = if self.count > 1 { " .." } else { "" };
        let mut line = vec![place(a.site.at), format!("{action} {}{others}: {}", a.array, a.elem.name())];
        let note = match (&a.pattern, self.certainty) {
            (Pattern::DataDependent, _) => "depends on data",
            (Pattern::Unknown, _) => "not known",
            (Pattern::Known(r), Certainty::Exact) if r.alignments > 1 => "mean",
            (_, Certainty::Exact) => "",
            (_, Certainty::AtMost) => "at most",
            (_, Certainty::EachRound) => "each round",
        };
        match (&self.requests, memory) {
            (Some(r), Memory::Global) => {
                let (moved, wanted) = (number(r.transactions * 32.0), r.wanted.to_string());
                line.extend([
                    r.count.to_string(),
                    each(r.transactions, r.count),
                    each(r.least as f64, r.count),
                    moved,
                    wanted,
                ]);
            }
            (Some(r), Memory::Shared) => {
                let (worst, steps) = (format!("{}-way", r.worst), range(self.steps.0, self.steps.1));
                line.extend([
                    r.count.to_string(),
                    each(r.transactions, r.count),
                    each(r.least as f64, r.count),
                    worst,
                    steps,
                ]);
            }
            (None, _) => line.extend(["", "", "", "", ""].map(String::from)),
        }
        line.push(note.to_string());
        line
    }
}

fn each(total: f64, count: u64) -> String {
    number(total / count.max(1) as f64)
}

/// At most two digits after the point.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn range(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first} .. {last}") }
}

fn place(at: Option<(u32, u32)>) -> String {
    at.map_or_else(|| "-".to_string(), |(line, column)| format!("{line}:{column}"))
}

/// The side of its column to which a text is aligned.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// Writes rows with their columns aligned.
fn table(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>], sides: &[Side]) -> fmt::Result {
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..sides.len()).map(width).collect();
    for row in rows {
        let mut line = "  ".to_string();
        for ((text, &width), side) in row.iter().zip(&widths).zip(sides) {
            line += &match side {
                Side::Left => format!("  {text:<width$}"),
                Side::Right => format!("  {text:>width$}"),
            };
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
