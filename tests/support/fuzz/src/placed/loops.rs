//! Threads with a part of an array each, in which a `while` goes up or down until data or the part's end stops it, sometimes a step too far.

use super::{Maker, Placed};

/// Of this number of kernels one has such loops.
const ONE_IN: u32 = 16;

/// How `j` changes in a part of `W` elements.
const STEPS: [&str; 12] = [
    "j = j - 1;",
    "j = j - 1;",
    "j -= 1;",
    "j = j + 1;",
    "j += 1;",
    "j = j - 2;",
    "j = j / 2;",
    "j = j * 2;",
    "if j > 0 { j = j - 1; }",
    "if j < W - 1 { j = j + 1; }",
    "j = if j > 1 { j - 2 } else { W - 1 };",
    "if j >= a { j = j - a; } else { if j + 1 < W { j = j + 1; } }",
];

/// What stops the loop beside its rounds and data.
const ENDS: [&str; 10] =
    ["j > 0", "j > 0", "j != 0", "j > 1", "j < W", "j < W", "j + 1 < W", "j <= W - 1", "j % W > 0", "(j > 0 || a > 2)"];

const PLACES: [&str; 6] = ["j", "j", "j", "j - 1", "j + 1", "(W - 1 - j)"];

impl Maker {
    /// A kernel with such loops, for some seeds.
    pub(super) fn in_parts(seed: u64) -> Option<Placed> {
        let mut m = Maker::of_kind("loops in parts", seed ^ 0x10_095, ONE_IN)?;
        let (threads, width) = (m.random.pick(&[32, 64]), m.random.pick(&["4", "8", "16", "n", "n", "n"]));
        if width == "n" {
            m.note("parts as wide as the launch says");
        }
        let [start, steps] = [m.start_in_part(), m.steps_in_part()];
        let end = m.random.pick(&ENDS);
        let data = match m.random.below(3) {
            0 => String::new(),
            _ => format!(" && y[t * W + {}] > a", m.random.pick(&PLACES)),
        };
        let behind = match m.random.below(2) {
            0 => String::new(),
            _ => m.write_in_part(),
        };
        let part =
            format!("let mut j = {start}; let mut r = 0; while r < 9 && {end}{data} {{ r = r + 1; {steps} }} {behind}")
                .replace('W', width);
        let body = if m.random.one_in(3) {
            m.note("loops in loops");
            format!("for_all(y.len() / {width}, |t| {{ for i in 0..{width} {{ {part} }} }})")
        } else {
            format!("let i = a % max({width}, 1); for_all(y.len() / {width}, |t| {{ {part} }})")
        };
        Some(m.updating_y(threads, &body))
    }

    /// Where `j` begins.
    fn start_in_part(&mut self) -> String {
        match self.random.below(5) {
            0 => "i".to_string(),
            1 => "xs[t % 64] % max(W, 1)".to_string(),
            2 => "(W - 1)".to_string(),
            3 => "W".to_string(),
            _ => self.random.below(10).to_string(),
        }
    }

    /// One to three statements of a round.
    fn steps_in_part(&mut self) -> String {
        let count = 1 + self.random.below(3);
        let mut statements: Vec<String> = (0..count).map(|_| self.write_in_part()).collect();
        let at = self.random.below(count) as usize;
        statements[at] = self.random.pick(&STEPS).to_string();
        statements.join(" ")
    }

    fn write_in_part(&mut self) -> String {
        let [to, from] = [(); 2].map(|()| self.random.pick(&PLACES));
        match self.random.below(2) {
            0 => format!("y[t * W + {to}] = i + r;"),
            _ => format!("y[t * W + {to}] = y[t * W + {from}] + 1;"),
        }
    }
}
