//! Vectors, by the printed machine form of small kernels.

use obsidian_lang::driver::View;

use super::shown;

/// The machine form of an entry `k` of 64 threads.
fn text(signature: &str, body: &str) -> String {
    let code = format!("#[kernel(threads = 64)] pub fn k{signature} {{ {body} }}");
    shown(View::Machine, &code)
}

/// How many vector loads of `width` elements there are, and how many stores.
fn count(text: &str, n: usize) -> (usize, usize) {
    let vectors = || text.lines().filter(|l| l.contains(" ..]"));
    let wide = |list: &str| list.split(", ").count() == n;
    let loads = vectors().filter(|l| l.split(" = ").next().is_some_and(|v| l.contains("let ") && wide(v))).count();
    let stores = vectors().filter(|l| !l.contains("let ") && l.split(" = ").nth(1).is_some_and(wide)).count();
    (loads, stores)
}

#[test]
fn four_neighbours_a_thread_are_one_access() {
    let map = "input.split_up(256).as_grid_map(|c| c.split_up(4).as_block_map(|p| exec_thread(p.map(|x| x + 1))))";
    for (ty, fours, pairs) in [("u32", (1, 1), (0, 0)), ("u8", (1, 1), (0, 0)), ("f64", (0, 0), (2, 2))] {
        let map = if ty == "f64" { map.replace("x + 1", "x + 1.0") } else { map.to_string() };
        let out = text(&format!("(input: DPull<{ty}>) -> DPush<Grid, {ty}>"), &map);
        assert_eq!((count(&out, 4), count(&out, 2)), (fours, pairs), "{out}");
    }
    let bools = map.replace("x + 1", "!x");
    assert!(!text("(input: DPull<bool>) -> DPush<Grid, bool>", &bools).contains(" ..]"), "a bool is no number in C");
}

#[test]
fn alignment_is_proved() {
    let shifted = |by: u32| {
        let body = format!(
            "mk_pull(4, |b| mk_pull(64, |t| exec_thread(mk_pull(4, |j| input[b * 256 + 4 * t + j + {by}]))).as_block()).as_grid()"
        );
        text("(input: Pull<u32, 1040>) -> Push<Grid, u32>", &body)
    };
    // Of 1 2 3 4 the two in the middle; of 2 3 4 5 two pairs.
    for (by, fours, pairs) in [(0, 1, 0), (1, 0, 1), (2, 0, 2), (3, 0, 1), (4, 1, 0)] {
        let out = shifted(by);
        assert_eq!((count(&out, 4).0, count(&out, 2).0), (fours, pairs), "{out}");
    }
    let odd = "input.split_up(6).as_grid_map(|c| c.split_up(3).as_block_map(|p| exec_thread(p)))";
    let out = text("(input: DPull<u32>) -> DPush<Grid, u32>", odd);
    assert!(!out.contains(" ..]"), "{out}");
}

#[test]
fn lengths_that_the_launch_checks_count() {
    let out = text(
        "(input: DPull<u32>) -> DPush<Grid, u32>",
        "input.reverse().split_up(256).as_grid_map(|c| c.split_up(4).as_block_map(|p| exec_thread(p)))",
    );
    assert_eq!(count(&out, 4), (1, 1), "{out}");
}

#[test]
fn loops_over_neighbours_are_written_out() {
    let signature = "(input: DPull<u32>) -> DPush<Grid, u32>";
    let sums = |n: u32| {
        let body = format!(
            "input.split_up(64 * {n}).as_grid_map(|c| c.split_up({n}).as_block_map(|p| exec_thread(p.seq_reduce(|a, b| a + b))))"
        );
        text(signature, &body)
    };
    let out = sums(16);
    assert_eq!((count(&out, 4).0, out.contains("seq i")), (4, false), "{out}");
    // A stride apart nothing is gained.
    let apart = "input.split_up(1024).as_grid_map(|c| c.coalesce(16).as_block_map(|p| exec_thread(p.seq_reduce(|a, b| a + b))))";
    assert!(text(signature, apart).contains("seq i"));
    let out = sums(64);
    assert!(out.contains("0..60 by 4") && count(&out, 4).0 == 2, "the first four in front of the loop: {out}");
    let dots = "input.split_up(1024).as_grid_map(|c| c.split_up(64).as_block_map(|p| exec_thread(seq_fold(64, 0, |acc, i| acc ^ p[i]))))";
    let out = text(signature, dots);
    assert!(out.contains("0..64 by 4") && count(&out, 4).0 == 1, "{out}");
}

#[test]
fn shared_memory_counts_from_its_offset() {
    let out = text(
        "(input: DPull<u32>) -> DPush<Grid, u32>",
        "input.split_up(256).as_grid_map(|c| {
            let a = c.map(|x| x + 1).compute();
            a.split_up(4).as_block_map(|p| exec_thread(p.fold1(|x, y| x * y)))
        })",
    );
    assert!(out.contains("s1[") && count(&out, 4).0 == 1, "{out}");
}
