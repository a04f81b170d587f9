//! Parts of one array, whose borders the launch alone knows: halves and thirds that are updated from one another, from the end or by an
//! offset, sometimes by one element too many.

use super::{Maker, Placed};

/// Of this number of kernels one has such parts.
const ONE_IN: u32 = 12;

/// Places of an element, of a thread `i` of `count`: most are one for each thread.
const PLACES: [&str; 12] = [
    "i",
    "i",
    "i",
    "i + count",
    "i + count",
    "i + count",
    "size - 1 - i",
    "size - 1 - i",
    "i + 2 * count",
    "2 * count - 1 - i",
    "2 * i + count",
    "i + a",
];

impl Maker {
    /// A kernel that updates parts of an array, for some seeds.
    pub(super) fn parts_of_one(seed: u64) -> Option<Placed> {
        let mut m = Maker::of_kind("parts of one array", seed ^ 0xc07_5a1d, ONE_IN)?;
        let threads = m.random.pick(&[32, 64]);
        let count = m.random.pick(&["size / 2", "size / 2", "size / 3", "size / 4", "(size + 1) / 2", "n"]);
        let body = if m.random.one_in(4) {
            m.note("parts of a block's array");
            let updates = m.updates("s", "t");
            let rounds = if m.random.one_in(2) { "for _k in 0..a % 4 " } else { "" };
            format!(
                "distr_par(n, |b| {{ let s = replicate(64, 3).push().new_mut(); let size = min(a, 64); let count = {count}; \
                 {rounds}{{ for_all(count, |t| {{ let i = t; {updates} }}); }} \
                 for_all(64, |t| {{ if b * 64 + t < y.len() {{ y[b * 64 + t] = s[t]; }} }}); }})"
            )
        } else {
            let updates = m.updates("y", "i");
            format!("let size = y.len(); let count = {count}; for_all(count, |i| {{ {updates} }})")
        };
        Some(m.updating_y(threads, &body))
    }

    /// The kernel that updates `y` and does nothing else.
    pub(super) fn updating_y(self, threads: u32, body: &str) -> Placed {
        let text = format!(
            "#[kernel(threads = {threads})]\npub fn k(y: DMut<u32>, xs: Pull<u32, 64>, n: u32, a: u32) -> Program<Grid, ()> {{\n{body}\n}}\n"
        );
        Placed { text, made_of: self.made_of }
    }

    /// One or two updates of an array, mostly where they are in range.
    fn updates(&mut self, array: &str, own: &str) -> String {
        let mut text = String::new();
        for _ in 0..1 + u32::from(self.random.one_in(3)) {
            let [to, one] = [(); 2].map(|()| self.random.pick(&PLACES));
            let other = if self.random.one_in(3) { self.random.pick(&PLACES) } else { to };
            let update = format!("{array}[{to}] = {array}[{one}] + {array}[{other}] + {own};");
            let test = match self.random.below(4) {
                0 => format!("if {to} < size && {one} < size && {other} < size "),
                1 => "if i % 2 == 0 ".to_string(),
                _ => String::new(),
            };
            text += &format!("{test}{{ {update} }} ");
        }
        text
    }
}
