//! The page of the guide that says what random kernels are made of: how many of 1,000 have each statement, level, loop, kind of array
//! and argument, each form of the generator's, and how often they call each function of the library.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use obsidian_ir::Level;
use obsidian_ir::passes::walk;
use obsidian_ir::program::{Block, ParamKind, Program, Space, StmtKind};
use obsidian_lang::driver::{Stage, stop_after};
use obsidian_lang::syntax::SpanTable;

use crate::ast::{Kernel, Source};
use crate::coverage::Coverage;
use crate::{generate, placed, print, table};

/// The first seed: that of the kernels that the tests run.
const SEED: u64 = 20_261_121;
/// How many kernels, programs of several launches, and kernels that place every write.
const COUNTS: [u64; 3] = [2000, 400, 500];

/// What programs are looked through for, by theme.
const ROWS: [(&str, &[&str]); 6] = [
    ("statements", &["an assignment", "an atomic update", "a bound value", "a variable", "a branch", "an array"]),
    ("levels", &["blocks", "warps of a block", "threads of a block", "threads of a warp"]),
    ("loops", &["rounds known while compiling", "rounds known when it runs", "a `while`"]),
    (
        "arrays",
        &[
            "of a block",
            "of a warp",
            "of a thread",
            "in lanes",
            "in registers",
            "in stages",
            "with padded rows",
            "filled in part",
        ],
    ),
    (
        "arguments",
        &["a scalar", "a buffer of a known length", "a buffer of any length", "an updated buffer", "several outputs"],
    ),
    ("lengths of arguments", &["1", "2 to 30", "a multiple of 32", "one off a multiple of 32", "another length"]),
];

/// In how many kernels each thing is.
type Counts = BTreeMap<String, usize>;

/// What kernels of one kind are made of.
struct Sample {
    kernels: usize,
    made_of: Counts,
    calls: Counts,
    forms: Counts,
}

impl Sample {
    fn of(texts: &[String]) -> Sample {
        let library = table::functions();
        let mut sample =
            Sample { kernels: texts.len(), made_of: Counts::new(), calls: Counts::new(), forms: Counts::new() };
        for text in texts {
            let mut found = BTreeSet::new();
            programs(text).iter().for_each(|p| features(p, &mut found));
            count(&mut sample.made_of, found);
            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let called: BTreeSet<&str> = words.filter(|word| library.contains(word)).collect();
            count(&mut sample.calls, called);
        }
        sample
    }

    /// With the lengths of arguments and the generator's own forms.
    fn of_kernels(make: fn(u64) -> Kernel, count_of: u64) -> Sample {
        let kernels: Vec<Kernel> = (SEED..SEED + count_of).map(make).collect();
        let texts: Vec<String> = kernels.iter().map(|kernel| print::kernel(kernel, "k")).collect();
        let mut sample = Sample::of(&texts);
        kernels.iter().for_each(|kernel| count(&mut sample.made_of, lengths(kernel)));
        let library = table::functions();
        sample.forms = Coverage::of(kernels.into_iter()).names;
        // An operator has a name of Rust's.
        sample.forms.retain(|name, _| {
            !library.contains(name.as_str()) && name.chars().next().is_some_and(|c| !c.is_uppercase())
        });
        sample
    }

    /// How many of 1,000.
    fn share(&self, counts: &Counts, name: &str) -> String {
        match counts.get(name).map(|n| (n * 1000 + self.kernels / 2) / self.kernels) {
            None => String::new(),
            Some(0) => "<1".to_string(),
            Some(n) => n.to_string(),
        }
    }
}

fn count(counts: &mut Counts, found: BTreeSet<&str>) {
    found.into_iter().for_each(|name| *counts.entry(name.to_string()).or_default() += 1);
}

/// A text's programs before anything is proved; none where the compiler refuses it earlier.
fn programs(text: &str) -> Vec<Program> {
    let Ok(tokens) = text.parse() else { return Vec::new() };
    let Ok(output) = stop_after(Stage::Evaluated, tokens, &mut SpanTable::default()) else { return Vec::new() };
    let kernels = output.entries.into_iter().filter_map(|e| e.variants.into_iter().next());
    let launches = output.modules.into_iter().filter_map(|m| m.variants.into_iter().next()).flat_map(|m| m.kernels);
    kernels.chain(launches).map(|reached| reached.program).collect()
}

fn features(p: &Program, found: &mut BTreeSet<&'static str>) {
    statements(p, &p.body, found);
    for array in &p.arrays {
        found.extend(match array.space {
            Space::Global(_) => None,
            Space::Shared(Level::Warp) => Some("of a warp"),
            Space::Shared(_) => Some("of a block"),
            Space::Local => Some("of a thread"),
            Space::Lanes => Some("in lanes"),
            Space::Registers => Some("in registers"),
        });
        found.extend((array.stages > 1).then_some("in stages"));
        found.extend(array.rows.map(|_| "with padded rows"));
        found.extend(array.filled.map(|_| "filled in part"));
    }
    let mut outputs = 0;
    for param in &p.params {
        found.extend(match param.kind {
            ParamKind::Scalar(_) => Some("a scalar"),
            ParamKind::Input { len: Some(_), .. } => Some("a buffer of a known length"),
            ParamKind::Input { .. } => Some("a buffer of any length"),
            ParamKind::InOut { .. } => Some("an updated buffer"),
            ParamKind::Output { .. } => {
                outputs += 1;
                (outputs > 1).then_some("several outputs")
            }
            ParamKind::Fault(_) => None,
        });
    }
}

fn statements(p: &Program, list: &Block, found: &mut BTreeSet<&'static str>) {
    for stmt in list {
        found.extend(match &stmt.kind {
            StmtKind::Assign { .. } => Some("an assignment"),
            StmtKind::Atomic { .. } => Some("an atomic update"),
            StmtKind::Let { .. } => Some("a bound value"),
            StmtKind::Local { .. } | StmtKind::Set { .. } => Some("a variable"),
            StmtKind::If { .. } => Some("a branch"),
            StmtKind::Allocate { .. } => Some("an array"),
            StmtKind::DistrPar { level: Level::Warp, .. } => Some("warps of a block"),
            StmtKind::DistrPar { .. } => Some("blocks"),
            StmtKind::ForAll { level: Level::Warp, .. } => Some("threads of a warp"),
            StmtKind::ForAll { .. } => Some("threads of a block"),
            StmtKind::SeqFor { end, .. } if p.exprs.as_u32(*end).is_some() => Some("rounds known while compiling"),
            StmtKind::SeqFor { .. } => Some("rounds known when it runs"),
            StmtKind::SeqWhile { .. } => Some("a `while`"),
            _ => None,
        });
        walk::nested(&stmt.kind).for_each(|inner| statements(p, inner, found));
    }
}

fn lengths(kernel: &Kernel) -> BTreeSet<&'static str> {
    let class = |n: u32| match n {
        1 => "1",
        2..=30 => "2 to 30",
        n if n % 32 == 0 => "a multiple of 32",
        n if n % 32 == 1 || n % 32 == 31 => "one off a multiple of 32",
        _ => "another length",
    };
    let buffers = kernel.inputs.iter().filter(|input| input.source != Source::Scalar);
    buffers.map(|input| class(input.source.len())).collect()
}

/// The page.
pub fn render() -> String {
    let [kernels, launches, placed] = COUNTS;
    let texts: Vec<String> = (0..placed).map(|seed| placed::of_seed(seed).text).collect();
    let samples = [
        Sample::of_kernels(generate::of_seed, kernels),
        Sample::of_kernels(generate::of_launches, launches),
        Sample::of(&texts),
    ];
    let mut page = format!(
        "# What random kernels are made of\n\n\
         Random kernels try the compiler beyond what anyone wrote (`cargo xtask fuzz`). They try only what they have, so here is how many of 1,000 \
         have it: of {kernels}\nkernels whose meaning is known, of {launches} programs of several launches whose meaning is known, and of {placed} kernels that place every \
         write, most of which are wrong and refused.\n\n\
         `OBSIDIAN_BLESS=1 cargo test -p obsidian-fuzz --test page` renders this page; without the variable the test compares it.\n\n"
    );
    page += "| of 1,000 | kernels | launches | placed |\n|---|---:|---:|---:|\n";
    for (theme, names) in ROWS {
        let _ = writeln!(page, "| **{theme}** | | | |");
        for name in names {
            row(&mut page, &samples, name, |sample| &sample.made_of);
        }
    }
    let _ = writeln!(page, "| **forms of the generator** | | | |");
    let forms: BTreeSet<&String> = samples.iter().flat_map(|sample| sample.forms.keys()).collect();
    for name in forms {
        row(&mut page, &samples, name, |sample| &sample.forms);
    }
    page += "\nAn array is of a block, a warp or a thread by who stores it; statements are those before anything is proved, of the author and of the library. An empty place means none.\n";
    calls(&mut page, &samples);
    page
}

fn row(page: &mut String, samples: &[Sample], name: &str, counts: impl Fn(&Sample) -> &Counts) {
    let shares: Vec<String> = samples.iter().map(|sample| sample.share(counts(sample), name)).collect();
    let _ = writeln!(page, "| {name} | {} |", shares.join(" | "));
}

/// Functions of the library by how many kernels call them, all kinds together.
fn calls(page: &mut String, samples: &[Sample]) {
    let all: usize = samples.iter().map(|sample| sample.kernels).sum();
    let mut often: [Vec<&str>; 4] = Default::default();
    let mut never = Vec::new();
    for name in table::functions() {
        let n: usize = samples.iter().filter_map(|sample| sample.calls.get(name)).sum();
        match n * 1000 / all {
            _ if n == 0 => never.push(name),
            100.. => often[0].push(name),
            10.. => often[1].push(name),
            1.. => often[2].push(name),
            _ => often[3].push(name),
        }
    }
    *page += "\n## Functions of the library\n\nBy how many of 1,000 kernels of all three kinds name them.\n\n| of 1,000 | functions |\n|---|---|\n";
    for (title, names) in ["100 and more", "10 to 99", "1 to 9", "less than 1"].into_iter().zip(&often) {
        let _ = writeln!(page, "| {title} | {} |", quoted(names));
    }
    let _ = writeln!(
        page,
        "\nNo random kernel names the other {}. Each of them has a row in the table of lengths, whose kernels `obsidian-fuzz --test table` runs, or a test \
         that `elsewhere.rs` there names: {}.",
        never.len(),
        quoted(&never)
    );
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
