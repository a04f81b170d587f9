//! Outputs that are covered by cases: by tiles that the far edges of a matrix cut off, and by blocks that fill their parts in
//! several ways. Most of them are right.

use super::Maker;

impl Maker {
    /// The tiles of a matrix of which the launch knows how many rows and columns it has.
    pub(super) fn tiles(&mut self) -> String {
        self.note("tiles that are cut off");
        let (r, c) = (self.random.pick(&[1u32, 2, 8]), self.random.pick(&[8u32, 16]));
        let sides = ["n", "a", "zs.len()", "n + a"];
        let (rows, cols) = (self.random.pick(&sides), self.random.pick(&sides));
        let (down, across) = (self.enough("rows", r), self.enough("cols", c));
        let (high, low) = (self.rarely("t / across", "t % down"), self.rarely("t % across", "t / down"));
        let (y, x) =
            (self.rarely_of(format!("k / {c}"), "k / 3".into()), self.rarely_of(format!("k % {c}"), "k % 7".into()));
        let inside = match self.random.below(8) {
            0 => "y < rows && x + 1 < cols",
            1 => "y < rows && x < cols && k != 3",
            2 => "y < cols && x < rows",
            3 => "x < cols && y < rows",
            _ => "y < rows && x < cols",
        };
        let at = if self.random.one_in(4) { "x * rows + y" } else { "y * cols + x" };
        let n = r * c;
        format!(
            "{{ let (rows, cols) = ({rows}, {cols}); let (down, across) = ({down}, {across});
    mk_push(rows * cols, |write| distr_par(down * across, |t| for_all({n}, |k| {{
        let (y, x) = ({high} * {r} + {y}, {low} * {c} + {x});
        if {inside} {{ write(t, {at}); }} }}))) }}"
        )
    }

    /// Blocks that fill their parts in one way or another.
    pub(super) fn turns(&mut self) -> String {
        self.note("blocks in cases");
        let mut cond = || self.random.pick(&["b % 2 == 0", "n > 3", "xs[b % 64] > 7", "b < a", "zs.len() < n"]);
        let (first, second) = (cond(), cond());
        let [one, two, three] = std::array::from_fn(|_| self.part());
        let body = match self.random.below(3) {
            0 => format!("if {first} {{ {one} }} else {{ {two} }}"),
            1 => format!("if {first} {{ {one} }} else if {second} {{ {two} }} else {{ {three} }}"),
            _ => {
                let (i, j) = (self.place_below(64), self.place_below(64));
                format!("for_all(64, |i| if {first} {{ write(b, b * 64 + {i}); }} else {{ write(7, b * 64 + {j}); }})")
            }
        };
        format!("mk_push(zs.len() / 64 * 64, |write| distr_par(zs.len() / 64, |b| {{ {body} }}))")
    }

    /// A block's part, filled.
    fn part(&mut self) -> String {
        let place = self.place_below(64);
        match self.random.below(8) {
            0 => format!("for_all(63, |i| write(b, b * 64 + {place}))"),
            1 => "for_all(32, |i| { write(b, b * 64 + 2 * i); write(i, b * 64 + 2 * i + 1); })".into(),
            2 => "for k in 0..2 { for_all(32, |i| write(k, b * 64 + k * 32 + i)) }".into(),
            _ => format!("for_all(64, |i| write(b, b * 64 + {place}))"),
        }
    }

    /// A place below `n` for each `i`.
    fn place_below(&mut self, n: u32) -> String {
        match self.random.below(8) {
            0 => "i / 2 * 2".into(),
            1 => format!("(i + 5) % {n}"),
            2 | 3 => format!("({} - i)", n - 1),
            4 => "(i ^ 3)".into(),
            _ => "i".into(),
        }
    }

    /// A number of tiles of `size` that reach `side`, mostly.
    fn enough(&mut self, side: &str, size: u32) -> String {
        match self.random.below(8) {
            0 => format!("({side} / {size})"),
            1 => format!("(({side} + {}) / {size})", size.saturating_sub(2)),
            2 => format!("({side} / {size} + 1)"),
            3 | 4 => format!("(({side} + {}) / {size})", size - 1),
            _ => format!("({side} / {size} + min({side} % {size}, 1))"),
        }
    }

    fn rarely(&mut self, right: &str, other: &str) -> String {
        self.rarely_of(right.into(), other.into())
    }

    fn rarely_of(&mut self, right: String, other: String) -> String {
        if self.random.one_in(10) { other } else { right }
    }
}
