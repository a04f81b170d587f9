//! Kernels whose indices grow by what they are made of: the prover takes a bounded number of steps, and says so.

use std::fmt::Write;

use obsidian_ir::passes::bounds::counted;
use obsidian_ir::program::Program;

use super::staged;

/// A kernel that gathers from a table of 1024 elements by its data `x`.
fn gather(body: &str) -> Program {
    let text = format!(
        "#[kernel(threads = 64)] fn k(xs: DPull<u32>, table: Pull<u32, 1024>) -> DPush<Grid, u32> {{
            xs.split_up(64).as_grid_map(|c| c.map(|x| {{ {body} }}).push()) }}"
    );
    staged(&text).remove(0)
}

/// `start`, then `n` steps, then `end`.
fn chain(start: &str, n: u32, step: impl Fn(u32) -> String, end: &str) -> String {
    let mut text = start.to_string();
    (0..n).for_each(|k| {
        let _ = write!(text, " {}", step(k));
    });
    text + end
}

fn doubled_or_moved(n: u32) -> String {
    let step = |k| format!("i = if (x >> {k}) % 2 == 0 {{ i + {k} }} else {{ i * 2 % 1000 }};");
    chain("let mut i = x % 8;", n, step, " table[i]")
}

fn products(n: u32) -> String {
    let step = |k| format!("i = (i + x / {}) * (i % {});", k + 1, k + 3);
    chain("let mut i = x % 4;", n, step, " table[i]")
}

fn reads_in_ifs(n: u32) -> String {
    let read = |k| {
        format!(
            "if v % {} == 0 {{ table[min(v, 1023)] }} else {{ if v < 1024 {{ table[v] }} else {{ v / 2 }} }}",
            k + 2
        )
    };
    chain("let mut v = x;", n, |k| format!("v = {};", read(k)), " v")
}

fn nested_ifs(n: u32) -> String {
    (0..n).fold("x".to_string(), |inner, k| {
        let (m, b) = (k + 3, k + 2);
        format!(
            "if x % {m} < {b} {{ let i = {inner}; if i < 1024 {{ table[i] + {k} }} else {{ i }} }} else {{ x + {k} }}"
        )
    })
}

fn tree(depth: u32, at: u32) -> String {
    match depth {
        0 => format!("x % 7 + {}", at % 11),
        d => format!("if x & {} == 0 {{ {} }} else {{ {} }}", 1 << d, tree(d - 1, 2 * at), tree(d - 1, 2 * at + 1)),
    }
}

/// Each has been seen to take minutes; now they grow with what they read and test.
#[test]
fn tests_inside_tests_are_proved_in_few_steps() {
    for (text, most) in [
        (reads_in_ifs(10), 200_000),
        (reads_in_ifs(20), 400_000),
        (nested_ifs(10), 10_000),
        (nested_ifs(20), 30_000),
        (format!("table[{}]", tree(6, 0)), 40_000),
    ] {
        let (found, steps) = counted(&gather(&text));
        let unproved = found.unwrap_or_else(|e| panic!("{e}")).loads.len();
        assert_eq!(unproved, 0, "{text}");
        assert!(steps <= most, "{steps} steps, at most {most}: {text}");
    }
}

#[test]
fn what_grows_is_given_up_and_the_rest_is_proved() {
    for hog in [doubled_or_moved(20), products(10), products(20)] {
        let (found, steps) = counted(&gather(&format!("let a = {{ {hog} }}; a + table[x % 1024]")));
        assert_eq!(found.unwrap_or_else(|e| panic!("{e}")).loads.len(), 1, "{hog}");
        assert!(steps <= 2_000_000, "{steps} steps: {hog}");
    }
}

/// The error says so, where the index is made of positions and is refused.
#[test]
fn the_refusal_names_what_grew() {
    let body = products(10).replace("table", "ys");
    let text = format!(
        "#[kernel(threads = 64)] fn k(ys: Pull<u32, 1024>) -> Push<Grid, u32> {{
            mk_pull(4, |b| mk_pull(4096, |x| {{ {body} }}).push()).as_grid() }}"
    );
    let (found, _) = counted(&staged(&text)[0]);
    let e = found.expect_err("nobody knows that index");
    assert_eq!(e.code, "OB050");
    assert!(e.to_string().contains("given up: the index is made of"), "{e}");
}
