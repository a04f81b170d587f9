//! Sources that are too deep or too large: an error with a place, before the compiler or rustc runs out of stack or memory.

use obsidian_lang::driver::compile;
use obsidian_lang::syntax::SpanTable;

/// How often something is nested or repeated: far more than a person writes.
const MANY: usize = 10_000;

/// The codes of what is wrong with a kernel; none where it compiles.
fn codes(text: &str) -> Vec<&'static str> {
    let errors = compile(text.parse().expect("tokens"), &mut SpanTable::default()).err().unwrap_or_default();
    errors.iter().map(|e| e.code).collect()
}

/// A kernel that computes `value` of each `x`.
fn computing(value: &str) -> String {
    format!("#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ xs.map(|x| {value}).push() }}")
}

#[test]
fn what_is_nested_far_too_deeply_is_refused() {
    let around = |open: &str, inner: &str, close: &str| open.repeat(MANY) + inner + &close.repeat(MANY);
    let deep = [
        ("a sum", format!("x{}", " + 1".repeat(MANY))),
        ("comparisons", format!("if true{} {{ x }} else {{ 1 }}", " && x < 9".repeat(MANY))),
        ("parentheses", around("(", "x", ")")),
        ("blocks", around("{ let y = 1; y + ", "x", "}")),
        ("branches", around("if x < 7 { ", "x", " } else { 1 }")),
        ("other branches", format!("if x < 7 {{ 1 }} {} else {{ x }}", "else if x < 9 { 2 }".repeat(MANY))),
        ("matches", around("match 1 { _ => ", "x", " }")),
        ("closures", around("(|y| ", "x", ")(1)")),
        ("calls", around("min(7, ", "x", ")")),
        ("methods", format!("x{}", ".min(7)".repeat(MANY))),
        ("tuples", around("(1, ", "x", ").1")),
        ("casts", format!("x{}", " as u32".repeat(MANY))),
        ("signs", format!("{}x", "!".repeat(MANY))),
    ];
    for (what, value) in deep {
        assert_eq!(codes(&computing(&value)), ["OB033"], "{what}");
    }
}

/// What a person may write is far below.
#[test]
fn what_is_nested_as_people_do_compiles() {
    let around = |times: usize, open: &str, close: &str| open.repeat(times) + "x" + &close.repeat(times);
    let shallow = [
        format!("x{}", " + 1".repeat(100)),
        around(60, "(", ")"),
        around(20, "{ let y = 1; y + ", "}"),
        around(20, "if x < 7 { ", " } else { 1 }"),
    ];
    for value in shallow {
        assert_eq!(codes(&computing(&value)), [""; 0], "{value}");
    }
}

#[test]
fn a_threads_own_arrays_are_limited() {
    let own = |len: usize| {
        format!(
            "#[kernel(threads = 64)] pub fn own(xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {{
                    let m = replicate({len}, c[i]).push().new_mut();
                    write(m[i], i);
                }})))
            }}"
        )
    };
    assert_eq!(codes(&own(65_536)), [""; 0], "256 KiB");
    assert_eq!(codes(&own(65_537)), ["OB040"]);
    assert_eq!(codes(&own(u32::MAX as usize)), ["OB040"]);
}

/// Parts of nearly as many elements as there can be: a mistake of the author's, never one of the compiler's (OB099).
#[test]
fn the_largest_parts_are_no_fault_of_the_compilers() {
    let lens = ["4294967295", "4294967294", "2147483648", "2147483647"];
    let bodies = ["c.push()", "c.compute().push()", "c.reverse().push()", "exec_block(reduce(c, |a, b| a + b))"];
    for len in lens {
        for body in bodies {
            let text = format!(
                "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                    xs.split_up({len}).as_grid_map(|c| {body})
                }}"
            );
            let found = codes(&text);
            assert!(!found.contains(&"OB099"), "split_up({len}), {body}: {found:?}");
        }
    }
    // An array of 16 GiB is in no block's shared memory.
    let stored = "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(4294967295).as_grid_map(|c| c.compute().reverse().push())
    }";
    assert_eq!(codes(stored), ["OB040"]);
}
