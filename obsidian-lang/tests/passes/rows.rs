//! Rows as wide as the launch says: what loops keep of what is known before them (R38), and rows that threads have to themselves (R39).

use super::{code_or_guard, compiled, mistakes};

/// The code of the first error where each thread `t` does `body` to the row of `w` elements that begins at `t * w`, or that there is
/// a guard.
fn code(body: &str) -> &'static str {
    code_of("xs.len() / w", body)
}

/// The same for this number of threads.
fn code_of(rows: &str, body: &str) -> &'static str {
    let text = format!(
        "#[kernel(threads = 64)] pub fn k(xs: DMut<u32>, w: u32, a: u32, n: u32) -> Program<Grid, ()> {{
            for_all({rows}, |t| {{ {body} }}) }}"
    );
    code_or_guard(&text)
}

/// Each thread sorts its row: `j` begins with `i`, which goes through `all`, and is `next` as long as `cond`.
fn sort(all: &str, cond: &str, before: &str, next: &str) -> &'static str {
    code(&format!(
        "for i in {all} {{ let x = xs[t * w + i]; let mut j = i;
            while {cond} && xs[t * w + j - 1] > x {{ {before} xs[t * w + j] = xs[t * w + j - 1]; j = {next}; }}
            xs[t * w + j] = x; }}"
    ))
}

#[test]
fn what_falls_stays_below_what_it_began_with() {
    for next in ["j - 1", "w - j", "j / 2", "(j - 1) / 2", "min(j, 3)", "if a > 7 { j - 1 } else { j / 3 }"] {
        assert_eq!(sort("1..w", "j > 0", "", next), "", "{next}");
    }
    for next in ["j + 1", "w", "a", "a % w + 1", "if a > 7 { j - 1 } else { j + 1 }"] {
        assert_ne!(sort("1..w", "j > 0", "", next), "", "{next}");
    }
    assert_eq!(sort("1..w + 1", "j > 0", "", "j - 1"), "OB050");
    assert_ne!(sort("1..w", "j < a", "", "j - 1"), "");
    // That `k` is 0, which the first round ends, kept `j` where it is.
    let with_step = |step: &str| {
        code(&format!(
            "for i in 0..w {{ let mut j = i; let mut k = 0;
                while j > 0 && xs[t * w] > a {{ xs[t * w + j] = 1; j = j + k; k = {step}; }} }}"
        ))
    };
    assert_eq!(with_step("k * 2"), "");
    assert_ne!(with_step("k + 1"), "");
    // A value of a variable is not that of its next.
    let turned = |next: &str, index: &str| {
        code(&format!(
            "if w > 0 {{ let mut j = n % w; while j > 0 && xs[t * w] > a {{ j = {next}; xs[t * w + {index}] = 1; }} }}"
        ))
    };
    assert_eq!(turned("w - 1 - j", "j"), "");
    assert_ne!(turned("w - 1 - j", "2 * j"), "");
    // What an inner loop sets, the outer one sets too.
    assert_eq!(sort("1..w", "j > 0", "while j > 9 && xs[t * w] > 3 { j = j / 2; }", "j - 1"), "");
    assert_ne!(sort("1..w", "j > 0", "while j < 9 && xs[t * w] > 3 { j = j + 1; }", "j - 1"), "");
}

/// What equals a variable where a loop begins, less or more some.
#[test]
fn what_is_said_before_a_loop_is_said_of_its_variables() {
    let fall = |all: &str, first: &str| {
        code(&format!(
            "if w > 0 {{ for i in {all} {{ let mut j = {first};
                while j > 0 && xs[t * w] > a {{ xs[t * w + j] = 1; j = j - 1; }} }} }}"
        ))
    };
    assert_eq!(fall("0..w", "i"), "");
    assert_eq!(fall("1..w", "i - 1"), "");
    assert_eq!(fall("1..w + 1", "i - 1"), "");
    assert_eq!(fall("0..w - 1", "i + 1"), "");
    assert_ne!(fall("0..w", "i + 1"), "");
    assert_ne!(fall("2..w + 3", "i - 2"), "");
}

#[test]
fn what_rises_stays_below_what_the_loop_asks() {
    let mark = |first: &str, cond: &str, step: &str, behind: &str| {
        code(&format!(
            "let mut j = {first}; while {cond} && xs[t * w + j] > a {{ xs[t * w + j] = a; j = j + {step}; }} {behind}"
        ))
    };
    assert_eq!(mark("0", "j < w", "1", ""), "");
    assert_eq!(mark("a % max(w, 1)", "j < w", "3", ""), "");
    assert_ne!(mark("0", "j <= w", "1", ""), "");
    // Behind it, `j` is at most `w`.
    assert_eq!(mark("0", "j < w", "1", "if j > 0 { xs[t * w + j - 1] = 1; }"), "");
    assert_eq!(mark("0", "j < w", "1", "if j != w { xs[t * w + j] = 1; }"), "");
    assert_ne!(mark("0", "j < w", "1", "xs[t * w + j] = 1;"), "");
    assert_ne!(mark("0", "j < w", "2", "if j > 0 { xs[t * w + j - 1] = 1; }"), "");
    assert_ne!(mark("a", "j < w", "1", "if j > 0 { xs[t * w + j - 1] = 1; }"), "");
}

#[test]
fn what_is_chosen_in_a_loop_is_one_of_what_it_chooses_from() {
    let least = |from: &str, chosen: &str| {
        code(&format!(
            "for i in 0..w {{ let mut least = i;
                for j in {from} {{ if xs[t * w + j] < xs[t * w + least] {{ least = {chosen}; }} }}
                let held = xs[t * w + i]; xs[t * w + i] = xs[t * w + least]; xs[t * w + least] = held; }}"
        ))
    };
    assert_eq!(least("i..w", "j"), "");
    assert_eq!(least("i + 1..w", "j"), "");
    assert_ne!(least("i..w", "j + 1"), "");
    assert_ne!(least("i..w", "xs[t * w]"), "");
}

#[test]
fn searches_stay_in_their_row() {
    let find = |mid: &str, low: &str, behind: &str| {
        code(&format!(
            "let mut lo = 0; let mut hi = w; while lo < hi {{
                let mid = {mid}; if xs[t * w + mid] < a {{ lo = {low}; }} else {{ hi = mid; }} }} {behind}"
        ))
    };
    assert_eq!(find("lo + (hi - lo) / 2", "mid + 1", ""), "");
    assert_eq!(find("lo + (hi - lo) / 2", "mid + 1", "if lo < w { xs[t * w + lo] = 1; }"), "");
    assert_eq!(find("lo + (hi - lo) / 2", "mid + 1", "if lo > 0 { xs[t * w + lo - 1] = 1; }"), "");
    assert_ne!(find("lo + (hi - lo) / 2", "mid + 2", "if lo > 0 { xs[t * w + lo - 1] = 1; }"), "");
}

#[test]
fn rows_are_told_apart_by_their_numbers() {
    let reach = |rows: &str, row: &str, j: &str| {
        code_of(rows, &format!("if w > 0 {{ let j = {j}; xs[{row} + j] = xs[{row}] + 1; xs[{row}] = j; }}"))
    };
    assert_eq!(reach("xs.len() / w", "t * w", "xs[t * w] % w"), "");
    assert_eq!(reach("xs.len() / 2 / w", "t * w", "xs[t * w] % w"), "");
    assert_eq!(reach("xs.len() / 2 / w", "(t + xs.len() / 2 / w) * w", "xs[(t + xs.len() / 2 / w) * w] % w"), "");
    // A row that threads share, and places outside.
    assert_eq!(reach("xs.len() / w", "t / 2 * w", "xs[t * w] % w"), "OB054");
    assert_eq!(reach("xs.len() / w", "0 * w", "xs[t * w] % w"), "OB054");
    assert_eq!(reach("xs.len() / 2 / w", "t * w", "xs[t * w] % (w + 1)"), "OB054");
    assert_ne!(reach("xs.len() / 2 / w", "t * w", "xs[t * w] % (2 * w)"), "");
    assert_eq!(reach("xs.len() / w", "t * w", "xs[n] % w"), "OB054");
    assert_eq!(code("if w > 0 && t > 0 { let j = xs[t * w] % w; xs[t * w - j] = 1; xs[t * w + j] = 2; }"), "OB054");
    // Names, and terms in another order.
    assert_eq!(code("if w > 0 { let base = t * w; let j = xs[base] % w; xs[base + j] = 1; xs[j + w * t] = 2; }"), "");
    assert_eq!(
        code(
            "for i in 0..w / 2 { let held = xs[t * w + i]; xs[t * w + i] = xs[t * w + (w - 1 - i)];
        xs[t * w + (w - 1 - i)] = held; }"
        ),
        ""
    );
    assert_ne!(
        code(
            "for i in 0..w / 2 { let held = xs[t * w + i]; xs[t * w + i] = xs[t * w + (w - i)];
        xs[t * w + (w - i)] = held; }"
        ),
        ""
    );
}

/// The launch is refused where rows have no width.
#[test]
fn rows_have_a_width() {
    assert_eq!(code("xs[t * w] = 1;"), "");
    assert_eq!(code("xs[t * w + (w - 1)] = 1;"), "");
    assert_eq!(code("xs[t * w + w] = 1;"), "OB050");
    assert_eq!(code_of("xs.len() / max(w, 1)", "xs[t * w] = 1;"), "OB054");
}

/// Whether a length of an output is refused where `w` is 0.
#[test]
fn lengths_that_divide_are_asked_not_to_divide_by_zero() {
    let asked = |len: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(w: u32, n: u32) -> DPush<Grid, u32> {{ mk_pull({len}, |t| t).push() }}"
        );
        let checks = &compiled(&text)[0].native.checks;
        checks.iter().filter(|check| check.message.contains("must not be 0")).count()
    };
    for len in ["n / w", "n % w", "n / (w % 7)", "5 + n / w"] {
        assert_ne!(asked(len), 0, "{len}");
    }
    for len in ["n / 3", "n % 7", "n / max(w, 1)", "n / (w + 1)", "n + w"] {
        assert_eq!(asked(len), 0, "{len}");
    }
}

/// A launch is not asked for arrays without elements: nothing of them is in range.
#[test]
fn what_only_empty_arrays_keep_is_a_mistake() {
    let fall =
        |index: &str| code_of("1", &format!("let mut j = xs.len() + t; while j > 0 {{ xs[{index}] = 1; j = j - 1; }}"));
    assert_eq!(fall("j - 1"), "");
    assert_eq!(fall("j"), "OB050");
}

/// A row that a block's first thread touches, and then all of its threads.
#[test]
fn all_accesses_are_looked_at() {
    let by = |threads: u32| {
        let touch = "if w > 0 { let j = xs[b * w] % w; xs[b * w + j] = 1; }";
        let text = format!(
            "#[kernel(threads = 32)] pub fn k(xs: DMut<u32>, w: u32) -> Program<Grid, ()> {{
                distr_par(xs.len() / w, |b| {{ for_all(1, |_i| {{ {touch} }}); for_all({threads}, |_t| {{ {touch} }}); }}) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    assert_eq!(by(32), "OB054");
}
