//! Threads that go down the columns of rows as wide as the launch says, sometimes into another column, a row too far, or rows of another width.

use super::{Maker, Placed};

/// Of this number of kernels one goes down columns.
const ONE_IN: u32 = 16;

impl Maker {
    /// A kernel whose threads go down columns, for some seeds.
    pub(super) fn in_columns(seed: u64) -> Option<Placed> {
        let mut m = Maker::of_kind("columns", seed ^ 0x2_c01a, ONE_IN)?;
        let threads = m.random.pick(&[32, 64]);
        let width = m.random.pick(&["n", "n", "a", "max(n, 1)", "n + a"]);
        let count = m.random.pick(&["w", "w", "w", "w", "w", "w / 2", "w + 1", "n"]);
        let first = m.random.pick(&["0", "1", "1"]);
        let rows = m.random.pick(&["y.len() / w", "y.len() / w", "y.len() / w", "y.len() / w", "a"]);
        let body: String = (0..1 + m.random.below(2))
            .map(|_| {
                let update = m.in_column();
                format!("for r in {first}..{rows} {{ {update} }} ")
            })
            .collect();
        let body = format!("let w = {width}; for_all({count}, |c| {{ {body}}})");
        Some(m.updating_y(threads, &body))
    }

    /// What a thread does in a row.
    fn in_column(&mut self) -> String {
        let [to, one, other] = [(); 3].map(|()| self.place_in_column());
        let update = format!("y[{to}] = y[{one}] + y[{other}] + c;");
        match self.random.below(6) {
            0 => format!("if c < w {{ {update} }}"),
            1 => format!("if c < w && {to} < y.len() {{ {update} }}"),
            2 => format!("if {to} < y.len() {{ {update} }}"),
            3 => format!("if r + 1 < y.len() / w {{ {update} }}"),
            _ => update,
        }
    }

    fn place_in_column(&mut self) -> String {
        let width = if self.random.one_in(40) { "a" } else { "w" };
        let column = match self.random.below(60) {
            0 => "(c + 1)",
            1 => "c / 2",
            2 => "(w - 1 - c)",
            3 => "c % 7",
            _ => "c",
        };
        match self.random.below(24) {
            0..=2 => format!("(r - 1) * {width} + {column}"),
            3 => format!("(r + 1) * {width} + {column}"),
            4..=6 => column.to_string(),
            7 => {
                self.note("a row of data");
                format!("xs[r % 64] * {width} + {column}")
            }
            _ => format!("r * {width} + {column}"),
        }
    }
}
