//! Threads that exchange with a partner, whose number has some bits flipped, sometimes both of two partners, or with another one's partner.

use super::{Maker, Placed};

/// Of this number of kernels one has partners.
const ONE_IN: u32 = 24;

impl Maker {
    /// A kernel whose threads exchange with partners, for some seeds.
    pub(super) fn with_partners(seed: u64) -> Option<Placed> {
        let mut m = Maker::of_kind("partners", seed ^ 0x5_11ab, ONE_IN)?;
        let threads = m.random.pick(&[32, 64]);
        let flipped = m.random.pick(&["a", "n", "1 << a % 7", "1 << n % 7", "n % 64", "3", "i % 4", "xs[0]"]);
        let partner = match m.random.below(10) {
            0 => format!("i + ({flipped})"),
            1 => format!("(i + 1) ^ ({flipped})"),
            _ => format!("i ^ ({flipped})"),
        };
        let test = m.random.pick(&["p > i", "p > i", "i < p", "p < i", "p != i", "p > a", "p >= i"]);
        let update = match m.random.below(4) {
            0 => "let held = y[i]; y[i] = y[p]; y[p] = held;",
            1 => "if y[i] > y[p] { let held = y[i]; y[i] = y[p]; y[p] = held; }",
            2 => "y[p] = y[i] + y[p];",
            _ => "y[i] = y[i] + y[p] + 1; y[p] = i;",
        };
        let more = if m.random.one_in(6) { "y[i] = y[i] + 1;" } else { "" };
        let body =
            format!("for_all(y.len(), |i| {{ let p = {partner}; if {test} && p < y.len() {{ {update} }} {more} }});");
        Some(m.updating_y(threads, &body))
    }
}
