//! Matrices that are read by row and column: by counters, by data and by launch values, tested or not, sometimes by the other side.

use super::{Maker, Placed};

/// Of this number of kernels one reads a matrix.
const ONE_IN: u32 = 16;

impl Maker {
    /// A kernel that reads a matrix, for some seeds.
    pub(super) fn matrix(seed: u64) -> Option<Placed> {
        let mut m = Maker::of_kind("a matrix by row and column", seed ^ 0x3a7_21c5, ONE_IN)?;
        let threads = m.random.pick(&[32, 64]);
        let (ty, body) = match m.random.below(3) {
            0 => {
                let len = m.random.pick(&["m.rows()", "m.cols()", "m.rows() * m.cols()", "n", "max(m.rows(), 1) - 1"]);
                let read = m.read_of_matrix(&["i", "i / m.cols()", "i % m.cols()", "i / m.rows()"]);
                ("DPush<Grid, u32>", format!("mk_pull({len}, |i| {read}).push()"))
            }
            1 => {
                let (rows, cols) = m.random.pick(&[
                    ("m.rows()", "m.cols()"),
                    ("m.rows()", "m.cols()"),
                    ("m.cols()", "m.rows()"),
                    ("n", "m.cols()"),
                    ("m.rows()", "n"),
                ]);
                let read = m.read_of_matrix(&["i", "j", "i", "j", "m.rows() - 1 - i"]);
                ("PushMat<Grid, u32>", format!("mk_mat({rows}, {cols}, |i, j| {read}).push()"))
            }
            _ => {
                m.note("a matrix in loops");
                let (rows, cols) = (m.random.pick(&["m.rows()", "n"]), m.random.pick(&["m.cols()", "m.cols()", "a"]));
                let read = m.read_of_matrix(&["j", "k", "j", "k", "i"]);
                let loops = format!("for j in 0..{rows} {{ for k in 0..{cols} {{ sum += {read}; }} }}");
                ("DPush<Grid, u32>", format!("mk_pull(n, |i| {{ let mut sum = 0; {loops} sum }}).push()"))
            }
        };
        let text = format!(
            "#[kernel(threads = {threads})]\npub fn k(m: DMat<u32>, xs: Pull<u32, 64>, n: u32, a: u32) -> {ty} {{\n{body}\n}}\n"
        );
        Some(Placed { text, made_of: m.made_of })
    }

    /// An element, by what the counters say or something else; mostly where a test lets it.
    fn read_of_matrix(&mut self, counters: &[&str]) -> String {
        let (row, col) = (self.coordinate(counters), self.coordinate(counters));
        let read = "m[(r, c)]";
        let test = match self.random.below(10) {
            0..=2 => None,
            3 => Some("r < m.rows()"),
            4 => Some("c < m.cols()"),
            5 => Some("r < m.cols() && c < m.rows()"),
            6 => Some("r * m.cols() + c < m.rows() * m.cols()"),
            _ => Some("r < m.rows() && c < m.cols()"),
        };
        let read = match test {
            None => read.to_string(),
            Some(test) => format!("if {test} {{ {read} }} else {{ 7 }}"),
        };
        format!("{{ let (r, c) = ({row}, {col}); {read} }}")
    }

    fn coordinate(&mut self, counters: &[&str]) -> String {
        let counter = self.random.pick(counters);
        match self.random.below(10) {
            0 => {
                self.note("a coordinate of data");
                format!("xs[{counter} % 64]")
            }
            1 => format!("{counter} + 1"),
            2 => self.random.pick(&["0", "1", "n", "a"]).to_string(),
            3 => format!("{counter} + a"),
            _ => counter.to_string(),
        }
    }
}
