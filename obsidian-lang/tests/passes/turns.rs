//! Threads that take turns by a remainder (R22), in the words of a user: sorts and relaxations in place, and mistakes in them.

use super::{compiled, mistakes};

/// The code of the first error where each thread `i` does `body`, or that there is a guard.
fn code(body: &str) -> &'static str {
    let text = format!(
        "#[kernel(threads = 256)] pub fn k(xs: DMut<u32>, k: u32, r: u32) -> Program<Grid, ()> {{
            for_all(xs.len(), |i| {{ {body} }}) }}"
    );
    match mistakes(&text).first() {
        Some(e) => e.code,
        None => {
            let guarded = compiled(&text)[0].native.params.iter().any(|p| p.name == "fault");
            if guarded { "guarded" } else { "" }
        }
    }
}

const EXCHANGE: &str = "let held = xs[i]; xs[i] = xs[i + 1]; xs[i + 1] = held;";
const RELAX: &str = "xs[i] = (xs[i - 1] + xs[i + 1]) / 2;";

#[test]
fn neighbours_are_exchanged_by_turns() {
    for turn in ["i % 2 == 0", "i % 2 == k % 2", "(i + k) % 2 == 0", "i & 1 != k & 1", "i % 2 == (k + r) % 2"] {
        assert_eq!(code(&format!("if {turn} && i + 1 < xs.len() {{ {EXCHANGE} }}")), "", "{turn}");
        assert_eq!(code(&format!("if {turn} && i + 1 < xs.len() && xs[i] > xs[i + 1] {{ {EXCHANGE} }}")), "", "{turn}");
        assert_eq!(code(&format!("if {turn} {{ if i + 1 < xs.len() {{ {EXCHANGE} }} }}")), "", "{turn}");
        assert_eq!(code(&format!("if {turn} && i > 0 && i + 1 < xs.len() {{ {RELAX} }}")), "", "{turn}");
    }
    assert_eq!(code(&format!("let odd = k % 2; if i % 2 == odd && i + 1 < xs.len() {{ {EXCHANGE} }}")), "");
}

#[test]
fn turns_that_are_none_are_refused() {
    for turn in ["k % 2 == 0", "(i + k) % 4 < 2", "i % 3 == k % 3", "i / 2 % 2 == k % 2"] {
        assert_eq!(code(&format!("if {turn} && i + 1 < xs.len() {{ {EXCHANGE} }}")), "OB054", "{turn}");
    }
    assert_eq!(code("if i % 2 == k % 2 && i + 2 < xs.len() { xs[i] = xs[i + 2]; }"), "OB054");
    assert_eq!(code(&format!("if i % 2 == k % 2 || i + 1 < xs.len() {{ {EXCHANGE} }}")), "OB050");
    assert_eq!(code(&format!("if i % 2 == k % 2 {{ {EXCHANGE} }}")), "OB050");
    assert_eq!(code("if (i + k) % 2 == 0 && i > 1 { xs[i] = xs[i - 2]; }"), "OB054");
}
