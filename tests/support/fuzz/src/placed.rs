//! Kernels whose author places every write: levels, loops, arrays and indices at random, in the text of the language. Most
//! are wrong, and refused; whatever is accepted must run without a fault, the same in every order of blocks, warps and threads.
//!
//! [`crate::generate`] makes kernels that are right, and says what they mean; here nothing is known but that.

mod columns;
mod covered;
mod cut;
mod index;
mod loops;
mod matrix;
mod partners;
mod queue;
mod run;
mod statements;
mod turns;

use std::collections::BTreeMap;

use crate::random::Random;

pub use run::{Outcome, Report, check, run};

/// A kernel's text, and what it is made of.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The text: one entry `k`.
    pub text: String,
    /// How often each construct stands in it.
    pub made_of: BTreeMap<&'static str, u32>,
}

/// Who counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Block,
    Warp,
    Thread,
    /// Rounds of a loop.
    Round,
}

/// A counter in scope: its name, how far it counts where that is known, and whose it is.
#[derive(Debug, Clone)]
struct Counter {
    name: String,
    extent: Option<u32>,
    role: Role,
}

/// Who has a copy of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Host,
    Block,
    Warp,
    Thread,
}

/// An array in scope; the length of the host's is known at launch only.
#[derive(Debug, Clone)]
struct Array {
    name: String,
    len: Option<u32>,
    owner: Owner,
}

struct Maker {
    random: Random,
    next: u32,
    counters: Vec<Counter>,
    arrays: Vec<Array>,
    made_of: BTreeMap<&'static str, u32>,
    /// Statements that may still be made.
    fuel: u32,
    /// Whether there are a queue and its counter.
    has_queue: bool,
}

/// The kernel of a seed.
pub fn of_seed(seed: u64) -> Placed {
    let special =
        [Maker::matrix, Maker::parts_of_one, Maker::in_turns, Maker::in_parts, Maker::in_columns, Maker::with_partners];
    if let Some(kernel) = special.into_iter().find_map(|of_seed| of_seed(seed)) {
        return kernel;
    }
    let mut m = Maker::new(Random::new(seed ^ 0x70_1ace));
    let threads = m.random.pick(&[32, 64, 64, 128]);
    let scalars = "xs: Pull<u32, 64>, n: u32, a: u32";
    let entry = if m.random.one_in(3) {
        m.outputs(scalars)
    } else {
        let queue = m.queue(seed);
        let body = m.grid();
        format!("pub fn k(y: DMut<u32>, {queue}{scalars}) -> Program<Grid, ()> {{\n{body}\n}}")
    };
    Placed { text: format!("#[kernel(threads = {threads})]\n{entry}\n"), made_of: m.made_of }
}

impl Maker {
    fn new(random: Random) -> Maker {
        Maker {
            random,
            next: 0,
            counters: Vec::new(),
            arrays: Vec::new(),
            made_of: BTreeMap::new(),
            fuel: 7,
            has_queue: false,
        }
    }

    /// Who makes the kernels of one kind, with a random sequence of its own, for one seed in `one_in`.
    fn of_kind(what: &'static str, seed: u64, one_in: u32) -> Option<Maker> {
        let mut random = Random::new(seed);
        if !random.one_in(one_in) {
            return None;
        }
        let mut m = Maker::new(random);
        m.note(what);
        Some(m)
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn note(&mut self, what: &'static str) {
        *self.made_of.entry(what).or_default() += 1;
    }

    /// Text that sees one more counter.
    fn counting(&mut self, counter: Counter, make: impl FnOnce(&mut Maker) -> String) -> String {
        self.counters.push(counter);
        let text = make(self);
        self.counters.pop();
        text
    }

    /// A number of blocks: the text, and the number where it is known.
    fn blocks(&mut self) -> (String, Option<u32>) {
        match self.random.below(6) {
            0 => ("n".to_string(), None),
            1 => ("n * 3".to_string(), None),
            2 => ("64".to_string(), Some(64)),
            _ => {
                let known = 1 + self.random.below(5);
                (known.to_string(), Some(known))
            }
        }
    }

    /// A grid that updates `y`.
    fn grid(&mut self) -> String {
        self.arrays.push(Array { name: "y".into(), len: None, owner: Owner::Host });
        self.note("DMut");
        let (blocks, extent) = self.blocks();
        if extent.is_none() {
            self.note("blocks known at launch");
        }
        let counter = Counter { name: "b".into(), extent, role: Role::Block };
        let body = self.counting(counter, Maker::block);
        self.note("distr_par of blocks");
        format!("distr_par({blocks}, |b| {{ {body} }})")
    }

    /// One or two outputs that blocks write element by element.
    fn outputs(&mut self, scalars: &str) -> String {
        let (one, many) = (self.output(), self.random.one_in(3).then(|| self.output()));
        let (ty, body) = match many {
            None => ("DPush<Grid, u32>".to_string(), one),
            Some(other) => {
                self.note("several outputs");
                ("(DPush<Grid, u32>, DPush<Grid, u32>)".to_string(), format!("({one},\n{other})"))
            }
        };
        format!("pub fn k(zs: DPull<u32>, {scalars}) -> {ty} {{\n{body}\n}}")
    }

    fn output(&mut self) -> String {
        self.note("mk_push of the grid");
        match self.random.below(8) {
            0 => self.tiles(),
            1 => self.turns(),
            _ => self.parts(),
        }
    }

    /// An output whose blocks each write a part.
    fn parts(&mut self) -> String {
        let each = self.random.pick(&[32u32, 64, 64, 128]);
        let by = if self.random.one_in(4) { self.random.pick(&[32, 64, 96, 128, 256]) } else { each };
        let len = self.random.pick(&["zs.len()", "zs.len()", "n", "zs.len() * 2", "n * a", "zs.len() + a"]);
        let blocks = match self.random.below(6) {
            0 => format!("size / {by}"),
            1 => format!("size / {by} + 1"),
            2 => format!("(size + {}) / {by}", by - 2),
            _ => format!("(size + {}) / {by}", by - 1),
        };
        let counters = [("b", None, Role::Block), ("i", Some(each), Role::Thread)];
        self.counters = counters.map(|(name, extent, role)| Counter { name: name.into(), extent, role }).to_vec();
        let at = match self.random.below(5) {
            0 => self.index(Owner::Host),
            1 => format!("b * {each} + {} - i", each - 1),
            _ => format!("b * {each} + i"),
        };
        self.counters.clear();
        let guard = if self.random.one_in(6) { "at + 1 < size" } else { "at < size" };
        let write = self.write_of_output();
        format!(
            "{{ let size = {len}; mk_push(size, |write| distr_par({blocks}, |b| for_all({each}, |i| {{
    let at = {at}; if {guard} {{ {write} }} }}))) }}"
        )
    }

    /// How an element of an output is written: mostly by one statement.
    fn write_of_output(&mut self) -> &'static str {
        match self.random.below(12) {
            0 => {
                self.note("a write in the test of a `while`");
                "let mut t = xs[i % 64] % 3; while { write(b + t, at); t > 0 } { t -= 1; }"
            }
            1 => {
                self.note("a write in both sides");
                "if xs[i % 64] > 7 { write(b, at); } else { write(7, at); }"
            }
            2 => {
                self.note("two writes in one side");
                "if xs[i % 64] > 7 { write(b, at); write(1, at); } else { write(7, at); }"
            }
            _ => "write(b, at);",
        }
    }
}
