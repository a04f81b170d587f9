//! Variables that a `while` changes (R36), and places that data has a part in, in a part of a buffer for each thread (R37): sorts in place, and
//! mistakes in them.

use super::{code_or_guard, mistakes};

/// The code of the first error where each thread `t` does `body` to its 16 elements, or that there is a guard.
fn code(body: &str) -> &'static str {
    let text = format!(
        "#[kernel(threads = 64)] pub fn k(xs: DMut<u32>, a: u32, n: u32) -> Program<Grid, ()> {{
            for_all(xs.len() / 16, |t| {{ {body} }}) }}"
    );
    code_or_guard(&text)
}

/// The same where `j` begins with `first`, `body` runs while `cond` and data let it, and `behind` follows.
fn while_(first: u32, cond: &str, body: &str, behind: &str) -> &'static str {
    code(&format!("let mut j = {first}; while {cond} && xs[t * 16] > a {{ {body} }} {behind}"))
}

#[test]
fn each_thread_sorts_a_part_in_place() {
    let insert = |first: &str, cond: &str| {
        code(&format!(
            "for i in {first} {{
                let x = xs[t * 16 + i];
                let mut j = i;
                while {cond} {{ xs[t * 16 + j] = xs[t * 16 + j - 1]; j = j - 1; }}
                xs[t * 16 + j] = x;
            }}"
        ))
    };
    assert_eq!(insert("1..16", "j > 0 && xs[t * 16 + j - 1] > x"), "");
    assert_eq!(insert("0..16", "j != 0 && xs[t * 16 + j - 1] > x"), "");
    // One too many, none too few, and a condition that lets it pass.
    assert_eq!(insert("1..17", "j > 0 && xs[t * 16 + j - 1] > x"), "OB050");
    assert_eq!(insert("1..16", "xs[t * 16 + j - 1] > x"), "OB050");
    assert_eq!(insert("1..16", "j > 0 || xs[t * 16 + j - 1] > x"), "OB050");
    let exchange = "let held = xs[t * 16 + j]; xs[t * 16 + j] = xs[t * 16 + j - 1]; xs[t * 16 + j - 1] = held;";
    let sort = |before: &str, after: &str| {
        code(&format!(
            "for i in 1..16 {{ let mut j = i;
                while j > 0 && xs[t * 16 + j - 1] > xs[t * 16 + j] {{ {before} {exchange} {after} }} }}"
        ))
    };
    assert_eq!(sort("", "j -= 1;"), "");
    assert_ne!(sort("j -= 1;", ""), "");
}

#[test]
fn a_step_too_far_is_refused() {
    let write = "xs[t * 16 + j] = 1;";
    for (first, cond, step) in [
        (15, "j > 0", "j = j - 1;"),
        (15, "j > 1", "j = j - 2;"),
        (15, "j > 3", "j = j / 2;"),
        (0, "j < 15", "j = j + 1;"),
        (1, "j < 8", "j = j * 2;"),
        (8, "a > 1", "if j > 0 { j = j - 1; }"),
        (8, "a > 1", "j = if j > 0 { j - 1 } else { 15 };"),
        (8, "a > 1", "if a > j { if j > 0 { j = j - 1; } } else { if j < 15 { j = j + 1; } }"),
        (15, "j != 0", "j = j - 1;"),
        (15, "j != 3", "j = j - 1;"),
    ] {
        for (body, behind) in [("", write), (write, "")] {
            assert_eq!(while_(first, cond, &format!("{body} {step}"), behind), "", "{first} {cond} {step}");
            assert_eq!(while_(first, cond, &format!("{step} {body}"), behind), "", "{first} {cond} {step}");
        }
    }
    for (first, cond, step) in [
        (16, "j > 0", "j = j - 1;"),
        (15, "j > 0", "j = j - 2;"),
        (15, "a > 0", "j = j - 1;"),
        (0, "j < 16", "j = j + 1;"),
        (1, "j < 9", "j = j * 2;"),
        (8, "a > 1", "if j > 0 { j = j + 1; }"),
        (8, "a > 1", "j = if j > 0 { j - 1 } else { 16 };"),
        (2, "j != 3", "j = j - 1;"),
    ] {
        assert_ne!(while_(first, cond, step, write), "", "{first} {cond} {step}");
    }
}

/// What a condition says of a variable holds until that changes.
#[test]
fn conditions_hold_until_the_variable_changes() {
    assert_eq!(while_(15, "j > 0", "xs[t * 16 + j - 1] = 1; j = j - 1;", ""), "");
    assert_ne!(while_(15, "j > 0", "j = j - 1; xs[t * 16 + j - 1] = 1;", ""), "");
    assert_ne!(while_(15, "j > 0", "if a > 3 { j = j - 1; } xs[t * 16 + j - 1] = 1; j = j / 2;", ""), "");
    assert_ne!(while_(15, "j > 0", "j = j - 1;", "xs[t * 16 + j - 1] = 1;"), "");
    assert_eq!(
        code(
            "let mut lo = 0; let mut hi = 16; while lo < hi {
            let mid = (lo + hi) / 2; if xs[t * 16 + mid] < a { lo = mid + 1; } else { hi = mid; } }
        if lo < 16 { xs[t * 16 + lo] = 1; }"
        ),
        ""
    );
}

/// Blocks stay apart where data chooses among the elements of each thread, and not where it reaches the next one's.
#[test]
fn data_chooses_among_elements_of_a_thread() {
    assert_eq!(code("xs[t * 16 + n % 16] = 1;"), "");
    assert_eq!(code("let j = xs[t * 16] % 16; xs[t * 16 + j] += 1;"), "");
    assert_eq!(code("for i in 0..16 { let j = xs[t * 16 + i] & 7; xs[t * 16 + j] = i; xs[t * 16 + 8 + j] += i; }"), "");
    assert_eq!(code("let j = xs[t * 16] % 4; xs[t * 16 + j * 4] = 1; xs[t * 16 + j * 4 + 3] = 2;"), "");
    assert_eq!(code("let j = xs[t * 16] % 16; xs[t * 16 + 15 - j] = 1;"), "");
    for wrong in [
        "let j = xs[t * 16] % 17; if t > 0 { xs[t * 16 - j] = 1; }",
        "let j = xs[t * 16] % 16; xs[t * 8 + j] = 1;",
        "let j = xs[t * 16] % 16; xs[j] = t;",
        "let j = xs[t * 16] % 16; xs[t * 15 + j] = 1;",
        "let j = xs[t * 16] % 5; xs[t * 12 + j * 4] = 1;",
        "let j = xs[t * 16] % 16; xs[t * 16 + j] = xs[n % 16];",
    ] {
        assert_eq!(code(wrong), "OB054", "{wrong}");
    }
}

/// One thread of each block writes by data: within its block nobody else does.
#[test]
fn blocks_stay_apart_by_all_that_data_may_add() {
    let by = |index: &str| {
        let text = format!(
            "#[kernel(threads = 32)] pub fn k(xs: DMut<u32>) -> Program<Grid, ()> {{
                distr_par(xs.len() / 128, |b| {{ for_all(1, |_i| {{ let j = xs[b * 64]; xs[{index}] = 1; }}); }}) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    for right in ["b * 64 + j % 64", "b * 64 + 63 - j % 64", "b * 64 + j % 8 * 8", "b * 64 + j % 32 + 31"] {
        assert_eq!(by(right), "", "{right}");
    }
    for wrong in
        ["b * 64 + j % 65", "b * 64 + 64 - j % 64", "b * 64 + j % 9 * 8", "b * 64 + j % 32 + 33", "b * 32 + j % 33"]
    {
        assert_eq!(by(wrong), "OB054", "{wrong}");
    }
}
