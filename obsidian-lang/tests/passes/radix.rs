//! Writes at the digits of a mixed radix whose numbers of rounds are known at launch only: right ones, and those that leave
//! an element out, meet another, or stray.

use super::{compiled, mistakes};

/// The code of the first error in a kernel; nothing of one that is accepted, which must need no guard.
fn code(kernel: &str) -> &'static str {
    let text = format!("#[kernel(threads = 64)] {kernel}");
    match mistakes(&text).first() {
        Some(e) => e.code,
        None => {
            let guarded = compiled(&text)[0].native.params.iter().any(|p| p.name == "fault");
            if guarded { "guarded" } else { "" }
        }
    }
}

/// A kernel that writes `len` elements at `index`, in loops over `a` blocks of `b` threads.
fn written(len: &str, (a, b): (&str, &str), index: &str) -> &'static str {
    code(&format!(
        "pub fn k(rows: u32, cols: u32) -> DPush<Grid, u32> {{
            mk_push({len}, |write| distr_par({a}, |r| for_all({b}, |c| write(c, {index})))) }}"
    ))
}

#[test]
fn digits_fill_an_output() {
    assert_eq!(written("rows * cols", ("rows", "cols"), "r * cols + c"), "");
    assert_eq!(written("rows * cols", ("rows", "cols"), "c * rows + r"), "");
    assert_eq!(written("cols * rows", ("cols", "rows"), "c + r * rows"), "");
    assert_eq!(written("rows * 7", ("rows", "7"), "c * rows + r"), "");
    assert_eq!(written("rows", ("1", "rows"), "c"), "");
}

#[test]
fn what_is_no_digit_is_refused() {
    // Another stride strays or meets, a part of the length is left out, the rounds are more than the radix.
    assert_eq!(written("rows * cols", ("rows", "cols"), "r * rows + c"), "OB050");
    assert_eq!(written("rows * cols + 1", ("rows", "cols"), "r * cols + c"), "OB054");
    assert_eq!(written("rows * cols + rows", ("rows", "cols + 1"), "r * cols + c"), "OB054");
    assert_eq!(written("2 * rows * cols", ("rows", "cols"), "2 * (r * cols + c)"), "OB054");
    let some =
        "mk_push(rows * cols, |write| distr_par(rows, |r| for_all(cols, |c| if c != 3 { write(c, r * cols + c); })))";
    assert_eq!(code(&format!("pub fn k(rows: u32, cols: u32) -> DPush<Grid, u32> {{ {some} }}")), "OB054");
    // The difference may be a great number where it is below zero.
    assert!(!written("rows * (cols - 3)", ("rows", "cols - 3"), "r * (cols - 4) + c").is_empty());
}

/// A kernel whose threads update `m` at `index`.
fn updated(threads: &str, body: &str) -> &'static str {
    code(&format!(
        "pub fn k(m: DMut<u32>, like: DPull<u8>, n: u32) -> Program<Grid, ()> {{
            let cols = like.len(); distr_par(m.len() / cols, |r| for_all({threads}, |c| {{ {body} }})) }}"
    ))
}

#[test]
fn rows_are_updated_by_their_own_threads_alone() {
    assert_eq!(updated("cols", "let i = r * cols + c; m[i] = m[i] + 1;"), "");
    assert_eq!(updated("cols", "if c < n { m[r * cols + c] = 1; }"), "");
    assert_eq!(updated("cols", "let i = r * cols + c; let j = r * cols; m[i] = m[j];"), "OB054");
    assert_eq!(updated("cols", "m[r * cols + c / 2] = 1;"), "OB054");
    assert_eq!(updated("cols", "m[r * cols] = 1;"), "OB054");
    assert_eq!(updated("cols", "seq_for(n, |k| { m[r * cols + c] = m[r * cols + c] + k; });"), "");
}

/// Where the host says how many rows and columns there are, their product must not wrap, or two of them meet.
#[test]
fn the_launch_is_asked_for_a_product_that_does_not_wrap() {
    let kernel = |index: &str| {
        format!(
            "#[kernel(threads = 64)] pub fn k(m: DMut<u32>, rows: u32, cols: u32) -> Program<Grid, ()> {{
                for_all2(rows, cols, |r, c| {{ let at = {index}; if at < m.len() {{ m[at] += 1; }} }}) }}"
        )
    };
    for (index, product) in [("r * cols + c", "rows * cols"), ("c * rows + r", "rows * cols")] {
        let checks = &compiled(&kernel(index))[0].native.checks;
        let wanted = format!("`{product}` must be a number from 0 to 2^32 - 1");
        assert_eq!(checks.iter().filter(|check| check.message == wanted).count(), 1, "{index}: {checks:?}");
    }
    for index in ["r * cols + c / 2", "r * (cols - 1) + c", "r * rows + c", "r + c"] {
        assert_eq!(mistakes(&kernel(index)).first().map_or("", |e| e.code), "OB054", "{index}");
    }
}

/// Products of numbers that are not known: facts about one factor times the other.
#[test]
fn reads_of_rows_are_inside() {
    let kernel = |index: &str| {
        format!(
            "pub fn k(xs: DPull<u32>, like: DPull<u8>) -> DPush<Grid, u32> {{
                let cols = like.len();
                mk_pull(xs.len() / cols, |r| mk_pull(cols, |c| xs[{index}]).push()).as_grid() }}"
        )
    };
    let read = |index: &str| code(&kernel(index));
    let checks = |index: &str| compiled(&format!("#[kernel(threads = 64)] {}", kernel(index)))[0].native.checks.len();
    // What strays for some lengths is refused, or asked of the launch.
    let strays = |index: &str| !read(index).is_empty() || checks(index) > checks("r * cols + c");
    assert_eq!(read("r * cols + c"), "");
    assert_eq!(read("r * cols + (cols - 1 - c)"), "");
    assert_eq!(read("(xs.len() / cols - 1 - r) * cols + c"), "");
    assert_eq!(read("(r * cols + c) / cols * cols + c"), "");
    assert_eq!(checks("r * cols + (cols - 1 - c)"), checks("r * cols + c"));
    for index in ["r * cols + c + 1", "(r + 1) * cols + c", "r * (cols + 1) + c"] {
        assert!(strays(index), "{index}");
    }
}

/// A kernel whose threads each go over a part of `m`.
fn over_parts(n: &str, body: &str) -> &'static str {
    code(&format!(
        "pub fn k(m: DMut<u32>, d: Pull<u32, 64>, w: u32, h: u32, v: u32) -> Program<Grid, ()> {{
            assert!(m.len() == h * w); for_all({n}, |t| {{ {body} }}) }}"
    ))
}

#[test]
fn rows_and_columns_belong_to_the_thread_that_goes_over_them() {
    for (n, body) in [
        ("h", "for c in 0..w { m[t * w + c] += 1; }"),
        ("m.len() / w", "let mut s = 0u32; for c in 0..w { s += m[t * w + c]; m[t * w + c] = s; }"),
        ("w", "for r in 0..h { m[r * w + t] += 1; }"),
        ("w", "for r in 0..h { if m[r * w + t] > v { m[r * w + t] = v; } }"),
        ("h", "for c in 0..v { if c < w { m[t * w + c] += 1; } }"),
        ("h", "for c in 0..v { if v > 3 && w > c { m[t * w + c] += 1; } }"),
    ] {
        assert_eq!(over_parts(n, body), "", "{body}");
    }
    let in_three = |at: &str, limit: &str| {
        over_parts(
            "h",
            &format!("for i in 0..w {{ for j in 0..v {{ let at = {at}; if {limit} < m.len() {{ m[at] += 1; }} }} }}"),
        )
    };
    assert_eq!(in_three("(t * w + i) * v + j", "at"), "");
    assert_eq!(in_three("(j * h + t) * w + i", "at"), "");
    assert_eq!(in_three("(t * w + i) * v + i", "at"), "OB054");
    assert_eq!(in_three("(t * v + i) * w + j", "at"), "OB054");
}

#[test]
fn what_goes_past_its_part_meets_the_next() {
    for (n, body) in [
        ("h", "for c in 0..w + 1 { let at = t * w + c; if at < m.len() { m[at] += 1; } }"),
        ("h", "for c in 0..w { let at = t + c; if at < m.len() { m[at] += 1; } }"),
        ("h", "for c in 0..w { let at = t * v + c; if at < m.len() { m[at] += 1; } }"),
        ("w + 1", "for r in 0..h { let at = r * w + t; if at < m.len() { m[at] += 1; } }"),
        // Limits that say nothing of the column, of one access alone, or the opposite.
        ("h", "for c in 0..v { let at = t * w + c; if t < w && at < m.len() { m[at] += 1; } }"),
        ("h", "for c in 0..v { let at = t * w + c; if at < m.len() { if c < w { m[at] += 1; } m[at] += 1; } }"),
        ("h", "for c in 0..v { let at = t * w + c; if at < m.len() { if c < w { } else { m[at] += 1; } } }"),
        ("h", "for c in 0..v { let at = t * w + c; if c <= w && at < m.len() { m[at] += 1; } }"),
        (
            "h",
            "for c in 0..v { let at = t * w + c; if (if c < 5 { c < w } else { true }) && at < m.len() { m[at] += 1; } }",
        ),
        ("h", "for c in 0..v { let at = t * w + c; if c < w || at < m.len() { if at < m.len() { m[at] += 1; } } }"),
        // A row that data chooses.
        ("h", "let at = t + d[t % 64]; if at < h { for c in 0..w { m[at * w + c] += 1; } }"),
        ("h", "for c in 0..w { if t + d[t % 64] < h { m[(t + d[t % 64]) * w + c] = 1; } }"),
        // Another element of the same row.
        ("h", "for c in 0..w { let next = t * w + c + 1; if next < m.len() { m[t * w + c] = m[next]; } }"),
    ] {
        assert_eq!(over_parts(n, body), "OB054", "{body}");
    }
}

#[test]
fn what_one_thread_writes_all_must_not() {
    let rows = |threads: &str| {
        code(&format!(
            "pub fn k(m: DMut<u32>, w: u32, h: u32, v: u32) -> Program<Grid, ()> {{
                assert!(m.len() == h * w);
                distr_par(h, |r| if w > 0 {{ for_all(1, |_t| {{ m[r * w] = 1; }}); for_all({threads}, |t| {{ m[r * w] = t; }}) }}) }}"
        ))
    };
    assert_eq!(rows("v"), "OB054");
}

#[test]
fn of_what_threads_go_over_the_launch_is_asked_for_products_that_do_not_wrap() {
    let text = "#[kernel(threads = 64)] pub fn k(m: DMut<u32>, w: u32, h: u32) -> Program<Grid, ()> {
        for_all(h, |t| { for c in 0..w { let at = t * w + c; if at < m.len() { m[at] += 1; } } }) }";
    let checks = &compiled(text)[0].native.checks;
    let asked = |what: &str| checks.iter().any(|check| check.message.contains(what) && check.message.contains("2^32"));
    assert!(asked("w") && asked("h"), "{checks:?}");
}
