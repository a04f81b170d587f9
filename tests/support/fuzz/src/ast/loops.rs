//! How loops go over ranges.

/// How a loop goes over its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Going {
    /// `0..n`.
    Up,
    /// `(0..n).rev()`.
    Down,
    /// `(0..n).step_by(k)`.
    UpBy(u32),
    /// `(0..n).rev().step_by(k)`.
    DownBy(u32),
}

impl Going {
    /// The range of `n` numbers, as text.
    pub fn text(self, n: &str) -> String {
        match self {
            Going::Up => format!("0..{n}"),
            Going::Down => format!("(0..{n}).rev()"),
            Going::UpBy(k) => format!("(0..{n}).step_by({k})"),
            Going::DownBy(k) => format!("(0..{n}).rev().step_by({k})"),
        }
    }

    /// The numbers, in their order.
    pub fn numbers(self, n: usize) -> Vec<usize> {
        match self {
            Going::Up => (0..n).collect(),
            Going::Down => (0..n).rev().collect(),
            Going::UpBy(k) => (0..n).step_by(k as usize).collect(),
            Going::DownBy(k) => (0..n).rev().step_by(k as usize).collect(),
        }
    }
}
