//! Threads that take turns: each updates its neighbours' elements in the rounds in which these do not, sometimes one too many.

use super::{Maker, Placed};

/// Of this number of kernels one has turns.
const ONE_IN: u32 = 16;

/// Conditions of a thread `i` in a round `k`: most let every other thread pass.
const TURNS: [&str; 10] = [
    "i % 2 == 0",
    "i % 2 == k % 2",
    "i % 2 == k % 2",
    "(i + k) % 2 == 0",
    "(i + k) % 2 != 0",
    "i % 2 == (k + a) % 2",
    "(i + k) % 4 == 1",
    "(i + k) % 4 < 2",
    "i % 4 == k % 4",
    "i % 3 == k % 3",
];

/// How far from its own element a thread's others are.
const NEIGHBOURS: [u32; 8] = [0, 0, 1, 1, 1, 2, 3, 4];

impl Maker {
    /// A kernel whose threads take turns, for some seeds.
    pub(super) fn in_turns(seed: u64) -> Option<Placed> {
        let mut m = Maker::of_kind("turns", seed ^ 0x7_0412, ONE_IN)?;
        let threads = m.random.pick(&[32, 64]);
        let body = if m.random.one_in(3) {
            m.note("turns of a block's threads");
            let update = m.in_turn("s");
            format!(
                "distr_par(n, |b| {{ let s = xs.push().new_mut(); let size = 64; \
                 for k in 0..a % 5 {{ for_all(64, |i| {{ {update} }}); }} \
                 for_all(64, |t| {{ if b * 64 + t < y.len() {{ y[b * 64 + t] = s[t]; }} }}); }})"
            )
        } else {
            let update = m.in_turn("y");
            format!("let size = y.len(); let k = n; for_all(y.len(), |i| {{ {update} }})")
        };
        Some(m.updating_y(threads, &body))
    }

    /// What a thread does in its turn.
    fn in_turn(&mut self, array: &str) -> String {
        let turn = self.random.pick(&TURNS);
        let [to, one, other] = [(); 3].map(|()| self.random.pick(&NEIGHBOURS));
        let far = to.max(one).max(other);
        let also = match self.random.below(3) {
            0 => format!(" && {array}[i] < {array}[i + {far}]"),
            _ => String::new(),
        };
        let update = match self.random.below(3) {
            0 => format!("let held = {array}[i]; {array}[i] = {array}[i + {to}]; {array}[i + {to}] = held;"),
            _ => format!("{array}[i + {to}] = {array}[i + {one}] + {array}[i + {other}] + i;"),
        };
        format!("if {turn} && i + {far} < size{also} {{ {update} }}")
    }
}
