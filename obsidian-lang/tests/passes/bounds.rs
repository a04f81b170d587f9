//! Kernels whose accesses are all inside, and kernels of which one is not or cannot be seen to be.

use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::passes::bounds::{check, unproved};
use obsidian_ir::passes::{exact, prove};
use obsidian_ir::program::{ParamKind, print};

use super::staged;

fn checked(text: &str) -> Result<()> {
    let text = format!("#[kernel(threads = 64)] {text}");
    staged(&text).iter().try_for_each(check)
}

#[track_caller]
fn passes(text: &str) {
    if let Err(e) = checked(text) {
        let text = format!("#[kernel(threads = 64)] {text}");
        panic!("{e}\n{}", print(&staged(&text)[0]));
    }
}

#[track_caller]
fn fails(text: &str) -> Diagnostic {
    let e = *checked(text).expect_err("an access that may be out of range was let through");
    assert_eq!(e.code, "OB050");
    e
}

const D: &str = "(xs: DPull<u32>) -> DPush<Grid, u32>";
const DD: &str = "(xs: DPull<u32>, ys: DPull<u32>) -> DPush<Grid, u32>";
const S64: &str = "(xs: Pull<u32, 64>) -> Push<Grid, u32>";

/// A grid of one block over a static array.
fn one_block(body: &str) -> String {
    format!("fn k{S64} {{ mk_pull(1, |b| ({body}).push()).as_grid() }}")
}

#[test]
fn reductions() {
    for f in ["reduce", "red1", "red2", "red4", "red5", "red6", "red7"] {
        passes(&format!("fn k{D} {{ xs.split_up(512).as_grid_map(|c| exec_block({f}(c, |a, b| a + b))) }}"));
    }
    for n in [1, 3, 100, 255, 999] {
        passes(&format!("fn k{D} {{ xs.split_up({n}).as_grid_map(|c| exec_block(reduce(c, |a, b| a + b))) }}"));
    }
}

#[test]
fn reductions_in_warps() {
    passes(&format!(
        "fn k{D} {{ xs.split_up(256).as_grid_map(|c| exec_block(reduce(c.split_up(32).as_block_map(|w| exec_warp(reduce(w, |a, b| a + b))).compute(), |a, b| a + b))) }}"
    ));
}

#[test]
fn elementwise() {
    passes(&format!("fn k{DD} {{ xs.zip_with(ys, |x, y| 2 * x + y).split_up(1024).as_grid_map(|c| c.push()) }}"));
    passes(&format!("fn k{D} {{ xs.zip_with(xs.reverse(), |x, y| x + y).split_up(1000).as_grid_map(|c| c.push()) }}"));
    passes(
        "fn k(xs: DPull<u32>, ys: DPull<u32>, zs: DPull<u32>) -> DPush<Grid, u32> {
            xs.zip_with3(ys, zs, |x, y, z| x + y + z).split_up(96).as_grid_map(|c| c.push()) }",
    );
}

#[test]
fn rearrangements_of_dynamic_arrays() {
    let over = |e: &str| format!("fn k{D} {{ ({e}).split_up(256).as_grid_map(|c| c.push()) }}");
    for e in [
        "xs.reverse()",
        "xs.reverse().reverse()",
        "xs.append(xs)",
        "xs.drop(3)",
        "xs.take(5120)",
        "xs.evens()",
        "xs.odds()",
        "xs.pair().unpair()",
    ] {
        passes(&over(e));
    }
    passes(&over("{ let (a, b) = xs.even_odds(); a.zip_with(b, |a, b| a + b) }"));
    passes(&over("{ let (a, b) = xs.halve(); a.zip_with(b, |a, b| a + b) }"));
    passes(&format!("fn k{D} {{ xs.split_up(256).as_grid_map(|c| c.push()).reverse() }}"));
    passes(&format!("fn k{D} {{ xs.coalesce(8).as_grid_map(|c| c.push()) }}"));
    passes(&format!("fn k{D} {{ xs.coalesce(8).as_grid_map(|c| exec_block(c.compute())) }}"));
}

#[test]
fn appended_arrays() {
    passes(&format!("fn k{DD} {{ xs.append(ys).split_up(256).as_grid_map(|c| c.push()) }}"));
    passes(&format!(
        "fn k{DD} {{ let p = xs.split_up(256).as_grid_map(|c| c.push()); p.append(ys.split_up(512).as_grid_map(|c| c.push())) }}"
    ));
}

#[test]
fn static_index_arithmetic() {
    passes(
        "fn k(xs: Pull<u32, 1024>) -> Push<Grid, u32> { mk_pull(1024, |i| xs[(i % 32) * 32 + i / 32]).split_up(64).as_grid_map(|c| c.push()) }",
    );
    passes(
        "fn k(xs: Pull<u32, 600>) -> Push<Grid, u32> { mk_pull(600, |i| xs[(i % 20) * 30 + i / 20]).split_up(60).as_grid_map(|c| c.push()) }",
    );
    passes(&one_block("mk_pull(64, |i| xs[i ^ 13])"));
    passes(&one_block("mk_pull(32, |i| xs[((i >> 2) << 3) | (i & 3) | 4])"));
    passes(&one_block("mk_pull(8, |i| xs[i * i])"));
    passes(&one_block("mk_pull(64, |i| xs[(i + 7) % 64])"));
}

#[test]
fn conditions_are_facts() {
    passes(&one_block("mk_pull(64, |i| if i < 63 { xs[i + 1] } else { 0 })"));
    passes(&one_block("mk_pull(64, |i| if i > 0 { xs[i - 1] } else { 0 })"));
    passes(&one_block("mk_pull(64, |i| if i != 0 { xs[i - 1] } else { 0 })"));
    passes(&one_block("mk_pull(64, |i| if i == 0 || i >= 60 { 0 } else { xs[i - 1] + xs[i + 4] })"));
    passes(&one_block("mk_pull(64, |i| if i < 8 && xs[i] < 64 { xs[xs[i]] } else { 0 })"));
    passes(&one_block("mk_pull(64, |i| if !(xs[i] >= 64) { xs[xs[i]] } else { 0 })"));
    passes(&one_block("mk_pull(64, |i| xs[if i < 63 { i + 1 } else { 63 }])"));
    passes(&one_block("mk_pull(64, |i| xs[min(xs[i], 63)] + xs[xs[i] % 64])"));
    let guarded = "mk_pull(n, |i| mk_pull(256, |t| { let at = i * 256 + t; if at < xs.len() { xs[at] } else { 0 } }).push()).as_grid()";
    passes(&format!("fn k(n: u32, xs: DPull<u32>) -> DPush<Grid, u32> {{ {guarded} }}"));
}

#[test]
fn gathers() {
    passes(&format!(
        "fn k{DD} {{ xs.map(|i| if i < ys.len() {{ ys[i] }} else {{ 0 }}).split_up(64).as_grid_map(|c| c.push()) }}"
    ));
    let e = fails(&format!("fn k{DD} {{ xs.map(|i| ys[i]).split_up(64).as_grid_map(|c| c.push()) }}"));
    assert_eq!(e.message, "this read of `ys` may be out of range");
    assert_eq!(e.notes[1], "the length is `len(ys)`");
    fails(&format!(
        "fn k{DD} {{ xs.map(|i| if i <= ys.len() {{ ys[i] }} else {{ 0 }}).split_up(64).as_grid_map(|c| c.push()) }}"
    ));
    fails(&format!(
        "fn k{DD} {{ xs.map(|i| if i < xs.len() {{ ys[i] }} else {{ 0 }}).split_up(64).as_grid_map(|c| c.push()) }}"
    ));
    fails(&one_block("mk_pull(64, |i| xs[min(xs[i], 64)])"));
    fails(&one_block("mk_pull(64, |i| if xs[i] < 64 || i < 3 { xs[xs[i]] } else { 0 })"));
    // Not what was tested: another element, and a computed one.
    fails(&one_block("mk_pull(64, |i| if xs[i] < 64 { xs[xs[63 - i]] } else { 0 })"));
}

#[test]
fn off_by_one() {
    let chunks = |e: &str| format!("fn k{D} {{ xs.split_up(512).as_grid_map(|c| mk_pull(512, |t| {e}).push()) }}");
    fails(&chunks("c[t + 1]"));
    fails(&format!("fn k{D} {{ mk_pull(xs.len(), |i| xs[i + 1]).split_up(512).as_grid_map(|c| c.push()) }}"));
    fails(&format!("fn k{D} {{ mk_pull(xs.len(), |i| xs[xs.len() - i]).split_up(512).as_grid_map(|c| c.push()) }}"));
    fails(&format!("fn k{D} {{ mk_pull(xs.len(), |i| xs[i - 1]).split_up(512).as_grid_map(|c| c.push()) }}"));
    fails(&one_block("mk_pull(64, |i| if i < 60 { xs[i + 5] } else { 0 })"));
    fails(&one_block("mk_pull(9, |i| xs[i * i])"));
    fails(&one_block("mk_pull(64, |i| xs[i ^ 64])"));
    fails(&one_block("mk_pull(64, |i| xs[(i % 9) * 8 + i / 8])"));
    fails(&one_block("mk_pull(33, |i| xs[2 * i])"));
}

#[test]
fn empty_arrays() {
    // Every block runs only where there is an element, but one block runs always.
    passes(&format!(
        "fn k{D} {{ xs.split_up(64).as_grid_map(|c| mk_pull(64, |i| xs[0] + xs[xs.len() - 1] + c[i]).push()) }}"
    ));
    fails(&format!("fn k{D} {{ mk_pull(1, |b| singleton(xs[0]).push()).as_grid() }}"));
    fails(&format!("fn k{D} {{ mk_pull(1, |b| singleton(xs[xs.len() - 1]).push()).as_grid() }}"));
    passes(&format!(
        "fn k{D} {{ mk_pull(1, |b| singleton(if xs.len() > 0 {{ xs[xs.len() - 1] }} else {{ 0 }}).push()).as_grid() }}"
    ));
    fails(
        &format!(
            "fn k{D} {{ mk_pull(1, |b| exec_thread(seq_fold(xs.len() - 1, 0, |a, i| a + xs[i])).as_one()).as_grid() }}"
        )
        .replace("exec_thread(", "mk_pull(1, |t| exec_thread(")
        .replace(".as_one()", ").as_block()"),
    );
    passes(&format!(
        "fn k{D} {{ mk_pull(1, |b| mk_pull(1, |t| exec_thread(seq_fold(xs.len(), 0, |a, i| a + xs[i]))).as_block()).as_grid() }}"
    ));
}

#[test]
fn wrapping() {
    let scalar = |e: &str| {
        format!(
            "fn k(n: u32, xs: DPull<u32>) -> DPush<Grid, u32> {{ xs.split_up(64).as_grid_map(|c| mk_pull(64, |i| {e}).push()) }}"
        )
    };
    // n * 4 may wrap to a small number: the test says nothing of n.
    fails(&scalar("if n * 4 < xs.len() { xs[n] } else { 0 }"));
    passes(&scalar("if n * 4 < xs.len() { xs[n * 4] } else { 0 }"));
    fails(&scalar("if n + 4 < xs.len() { xs[n] } else { 0 }"));
    fails(&scalar("if n - 4 < xs.len() { xs[n] } else { 0 }"));
    fails(&scalar("if xs.len() - n > 0 { xs[n] } else { 0 }"));
    fails(&scalar("if n < xs.len() { xs[n * 2 / 2 + 1] } else { 0 }"));
    passes(&scalar("if n < xs.len() { xs[n / 2] + xs[n - n / 2] } else { 0 }"));
    fails(&scalar("if i * n < xs.len() { xs[i] + xs[n] } else { 0 }"));
    fails(&scalar("if (n as u8) < 64 { c[n] } else { 0 }"));
    passes(&scalar("if (n as u8) < 64 { c[(n as u8) as u32] } else { 0 }"));
    passes(&scalar("if (n as i32) >= 0 && (n as i32) < 64 { c[(n as i32) as u32] } else { 0 }"));
    fails(&scalar("if (n as i32) < 64 { c[(n as i32) as u32] } else { 0 }"));
    fails(&scalar("if xs.len() / n > i + 64 { xs[i + 64] } else { 0 }"));
    passes(&scalar("if n > 0 && xs.len() / n > i + 64 { xs[i + 64] } else { 0 }"));
    fails(&scalar("c[i % n]"));
    passes(&scalar("if n > 0 && n <= 64 { c[(i + 1) % n] } else { 0 }"));
}

#[test]
fn loops_with_state() {
    let thread = |e: &str| {
        format!("fn k{D} {{ xs.split_up(64).as_grid_map(|c| mk_pull(64, |t| exec_thread({e})).as_block()) }}")
    };
    passes(&thread("{ let (_, s) = seq_while((t, 0), |(i, s)| i < xs.len(), |(i, s)| (i + 64, s + xs[i])); s }"));
    fails(&thread("{ let (_, s) = seq_while((t, 0), |(i, s)| i <= xs.len(), |(i, s)| (i + 64, s + xs[i])); s }"));
    fails(&thread(
        "{ let (i, s) = seq_while((t, 0), |(i, s)| i < xs.len(), |(i, s)| (i + 64, s + xs[i])); s + xs[i] }",
    ));
    // The state moves on between the test and the read.
    fails(&thread(
        "{ let (i, s) = seq_while((t, 0), |(i, s)| i < xs.len(), |(i, s)| (seq_fold(3, i, |a, _k| a + 1), s)); xs[i] }",
    ));
    passes(&thread(
        "{ let (i, s) = seq_while((t, 0), |(i, s)| i < 9, |(i, s)| (i + 1, s + if i < xs.len() { xs[i] } else { 0 })); s }",
    ));
}

#[test]
fn outputs_beyond_32_bits() {
    let text = "#[kernel(threads = 64)] fn k(n: u32) -> DPush<Grid, u32> { mk_pull(n, |b| mk_pull(512, |i| i + b).push()).as_grid() }";
    let p = &staged(text)[0];
    assert!(p.checks.iter().any(|c| c.message.contains("2^32 - 1")), "{}", print(p));
    assert!(check(p).is_ok());
    let mut unchecked = p.clone();
    unchecked.checks.clear();
    assert!(check(&unchecked).is_err());
}

/// Found by random kernels: `vee2` of a length that is no power of two, rows of `coalesce` at an index from data.
#[test]
fn low_bits_changed_and_products_of_remainders() {
    let of = |n: u32, at: &str| {
        let block = format!("mk_pull(24, |i| xs[{at}]).push()");
        format!("fn k(xs: Pull<u32, {n}>) -> Push<Grid, u32> {{ mk_pull(1, |b| {block}).as_grid() }}")
    };
    passes(&of(48, "(i + (i & 0xfffffff8)) ^ 15"));
    passes(&of(48, "(i + 20) ^ 15"));
    passes(&of(48, "(i + 20) | 15"));
    fails(&of(47, "(i + 20) ^ 15"));
    let row = |at: &str| format!("fn k{D} {{ xs.coalesce(6).as_grid_map(|c| mk_pull(10, |i| c[{at}]).push()) }}");
    passes(&row("i % 6"));
    passes(&row("i & 3"));
    fails(&row("i % 7"));
}

/// Rows of 32 with gaps of 2: what lies behind the 6 elements is none of theirs.
#[test]
fn no_gap_of_a_padded_array_is_read_by_an_index_of_data() {
    let text = |index: &str| {
        format!(
            "#[kernel(threads = 64)] fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(6).as_grid_map(|c| exec_block({{
                    let v = c.compute_padded(2); v.map(|d| v[{index}]).push() }})) }}"
        )
    };
    let unproved = |index: &str| unproved(&staged(&text(index)).remove(0)).unwrap().loads.len();
    assert_eq!((unproved("d % 6"), unproved("d % 7"), unproved("d % 8")), (0, 1, 1));
}

/// Halves of what a block of an odd length reads: whole numbers alone know that the last is inside.
#[test]
fn halves_of_odd_blocks() {
    let halves = |at: &str| {
        format!("fn k{D} {{ let n = xs.len() * 2; mk_pull(n / 33, |b| mk_pull(33, |i| xs[{at}]).push()).as_grid() }}")
    };
    passes(&halves("(b * 33 + i) / 2"));
    passes(&halves("(b * 33 + i) >> 1"));
    passes(&halves("xs.len() - 1 - (b * 33 + i) / 2"));
    fails(&halves("(b * 33 + i + 1) / 2"));
    fails(&halves("(b * 33 + 33) / 2"));
    fails(&halves("xs.len() - 1 - (b * 33 + i + 1) / 2"));
    passes(&format!(
        "fn k{D} {{ xs.zip_with(xs, |x, y| (x, y)).unpair().split_up(45).as_grid_map(|c| c.reverse().push()) }}"
    ));
}

/// Every `len / 48`-th element, in an order of its own: a product of a length and a number that a condition bounds.
#[test]
fn products_of_lengths_and_bounded_numbers() {
    let strides = |limit: u32, at: &str| {
        format!(
            "fn k{D} {{ let q = xs.len() / 48; mk_pull(q, |b| mk_pull(64, |i| {{ let at = {at}; if at < {limit} {{ xs[b + q * at] }} else {{ 0 }} }}).push()).as_grid() }}"
        )
    };
    let shuffled = "((i >> 1 & 3) + (i >> 3) * 4) * 2 + (i & 1)";
    for at in ["i", "i % 64", shuffled] {
        passes(&strides(48, at));
        fails(&strides(49, at));
    }
    let remainder = |by: u32| strides(47, &format!("if i < 48 {{ (i * 5) % {by} }} else {{ 47 }}"));
    passes(&remainder(48));
    passes(&strides(3, "i % 96"));
}

/// Lanes exchange by an index of data: all of them come by, and what is out of range is the launch's error.
#[test]
fn lanes_are_read_by_an_index_of_data() {
    let text = |size: u32| {
        format!(
            "#[kernel(threads = 64)] fn k{D} {{
                xs.split_up({size}).as_grid_map(|c| exec_block(c.split_up(32).as_block_map(|w| exec_warp({{
                    let lanes = w.map(|x| x + 1).compute_lanes();
                    mk_pull(32, |i| lanes[lanes[i] / 2]).push()
                }}))))
            }}"
        )
    };
    let p = super::staged(&text(64)).remove(0);
    assert!(checked(text(64).trim_start_matches("#[kernel(threads = 64)] ")).is_err());
    let proved = obsidian_ir::passes::prove(p).expect("an index of data is tested when the kernel runs");
    let text = print(&proved);
    assert!(text.contains("fault") && text.contains("if ("), "{text}");
}

/// Rows and columns are looked at one by one: the place in the whole says nothing of either.
#[test]
fn places_in_matrices() {
    let unproved = |r: &str, c: &str| {
        let text = format!(
            "#[kernel(threads = 64)] fn k(m: DMat<u32>) -> PushMat<Grid, u32> {{
                mk_mat(m.rows(), m.cols(), |r, c| m[({r}, {c})]).push() }}"
        );
        // Refused is what no launch has inside.
        let Ok(p) = prove(staged(&text).remove(0)) else { return true };
        let guarded = p.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_)));
        guarded || p.checks.iter().any(|check| check.message.contains("must be at most"))
    };
    for (r, c) in [("r", "c"), ("m.rows() - 1 - r", "m.cols() - 1 - c"), ("min(r + 1, m.rows() - 1)", "max(c, 1) - 1")]
    {
        assert!(!unproved(r, c), "m[({r}, {c})]");
    }
    for (r, c) in [
        ("r + 1", "c"),
        ("r", "c + 1"),
        ("r", "c - 1"),
        ("c", "r"),
        ("m.rows() - r", "c"),
        ("r", "m.cols() - c"),
        ("r", "2 * c"),
        ("0", "c - r * m.cols()"),
    ] {
        assert!(unproved(r, c), "m[({r}, {c})]");
    }
}

/// A place in the whole is taken apart into a row and a column, in either order.
#[test]
fn places_taken_apart() {
    let unproved = |len: &str, place: &str| {
        let text = format!(
            "#[kernel(threads = 64)] fn k(m: DMat<u32>) -> DPush<Grid, u32> {{
                mk_pull({len}, |i| m[({place})]).push() }}"
        );
        // Refused is what strays in a small launch.
        let Ok(p) = prove(exact(staged(&text).remove(0))) else { return true };
        let guarded = p.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_)));
        guarded || p.checks.iter().any(|check| check.message.contains("must be at most"))
    };
    let all = "m.rows() * m.cols()";
    for place in ["i % m.rows(), i / m.rows()", "i / m.cols(), i % m.cols()"] {
        assert!(!unproved(all, place), "m[({place})]");
        assert!(unproved("m.rows() * m.cols() + 1", place), "m[({place})] of one more");
        assert!(unproved("m.rows() * (m.cols() + 1)", place), "m[({place})] of a column more");
    }
    for place in [
        "i / m.rows(), i % m.rows()",
        "i % m.cols(), i / m.cols()",
        "i % (m.rows() + 1), i / m.rows()",
        "i % m.rows(), i / (m.rows() - 1)",
        "i % m.rows(), (i + 1) / m.rows()",
    ] {
        assert!(unproved(all, place), "m[({place})]");
    }
}

/// An array that is no matrix has `len / cols` rows and a rest, whatever `cols` is.
#[test]
fn places_in_rows_of_an_array() {
    let unproved = |rows: &str, at: &str| {
        let text = format!(
            "#[kernel(threads = 64)] fn k(xs: DPull<u32>, cols: u32) -> PushMat<Grid, u32> {{
                mk_mat({rows}, cols, |r, c| xs[{at}]).push() }}"
        );
        let Ok(p) = prove(exact(staged(&text).remove(0))) else { return true };
        let guarded = p.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_)));
        guarded || p.checks.iter().any(|check| check.message.contains("must be at most"))
    };
    for at in ["r * cols + c", "r * cols + (cols - 1 - c)", "(xs.len() / cols - 1 - r) * cols + c", "r * cols"] {
        assert!(!unproved("xs.len() / cols", at), "xs[{at}]");
    }
    for at in [
        "(r + 1) * cols + c",
        "r * cols + c + 1",
        "r * cols + 2 * c",
        "r * (cols + 1) + c",
        "c * cols + r",
        "r * cols - c",
    ] {
        assert!(unproved("xs.len() / cols", at), "xs[{at}]");
    }
    for rows in ["xs.len() / cols + 1", "xs.len() / (cols / 2)", "xs.len() / (cols - 1)", "(xs.len() + 1) / cols"] {
        assert!(unproved(rows, "r * cols + c"), "{rows} rows");
    }
}

/// Borders take no guard: whether a remainder is below its divisor is asked before anything about the place it is of.
#[test]
fn borders_of_matrices() {
    for window in ["_wrap(1, 2", "_mirror(1, 1", "(2, 1", "_fill(1, 1, 0", "_wrap(0, 3"] {
        let text = format!(
            "fn of(near: Pull<Pull<u32>>) -> u32 {{
                let all = near.flatten();
                let mut sum = 0;
                for i in 0..all.len() {{ sum = sum * 31 + all[i]; }}
                sum
            }}
            #[kernel(threads = 64)] fn k(m: DMat<u32>) -> PushMat<Grid, u32> {{ m.stencil_2d{window}, of).push() }}"
        );
        let p = prove(exact(staged(&text).remove(0))).unwrap();
        assert!(!p.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_))), "{window}");
    }
}

/// Each row gives 16 elements, and the last block has fewer rows: no search for hopeless bounds of the sides may take all steps.
#[test]
fn rows_of_the_last_block_give_several_elements() {
    for row in ["exec_warp(histogram(r.map(|x| x % 16), 16))", "exec_warp(mk_pull(16, |i| i + r.len()).push())"] {
        let text = format!(
            "#[kernel(threads = 128)] fn k(m: DMat<u32>) -> DPush<Grid, u32> {{
                m.chunks(4).as_grid_map(|rows| exec_block(rows.as_block_map(|r| {row}))) }}"
        );
        let p = prove(exact(staged(&text).remove(0))).unwrap();
        assert!(!p.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_))), "{row}");
    }
}

/// The number of elements is that of rows times that of columns, unless it wraps: 65,536 rows of 65,537 are 65,536 elements.
#[test]
fn places_in_a_product_that_wraps() {
    let text = "#[kernel(threads = 64)] fn k(m: DMat<u32>) -> PushMat<Grid, u32> { m.push() }";
    let staged = staged(text).remove(0);
    let proved = |p| unproved(&p).is_ok_and(|left| left.first.is_none() && left.required.is_empty());
    assert!(!proved(staged.clone()));
    assert!(proved(exact(staged)));
}

/// What proves an index without a condition is looked for before the launch is asked for one.
#[test]
fn no_launch_is_asked_for_what_holds() {
    for text in [
        "#[kernel] fn k(xs: DPull<i8>) -> DPush<Grid, i8> { xs.append(xs).map(|x| x + 1).push() }",
        "#[kernel(threads = 64)] fn k(n: u32, k: u32) -> DPush<Grid, u32> {
            let len = n * k;
            mk_push(len, |write| distr_par(len / 64 + min(len % 64, 1), |b| for_all(64, |i| {
                let at = b * 64 + i;
                if at < len { write(at, at); }
            }))) }",
    ] {
        let staged = exact(staged(text).remove(0));
        let asked = unproved(&staged).unwrap().required;
        assert!(asked.is_empty(), "{text}: {asked:?}");
    }
}

/// The last chunk has room for 63 elements, and as many as there are: one that was never computed is not read in a choice either.
#[test]
fn a_choice_reads_no_element_that_was_not_computed() {
    let chosen = |cond: &str| {
        checked(&format!(
            "fn k{D} {{
                xs.chunks(64).as_grid_map(|c| exec_block({{
                    let a = c.map(|x| x + 1).compute();
                    mk_pull(63, |i| if {cond} {{ a[i] }} else {{ 0 }}).push() }})) }}"
        ))
        .map_err(|e| e.code)
    };
    assert_eq!(chosen("i < a.len()"), Ok(()));
    assert_eq!(chosen("xs.len() > i && i < a.len()"), Ok(()));
    for cond in ["xs.len() > 3", "xs.len() > i", "i <= a.len()"] {
        assert_eq!(chosen(cond), Err("OB050"), "{cond}");
    }
}
