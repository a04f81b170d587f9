//! What is said of writes that the author places.

use obsidian_ir::interp::{self, Args};

use super::{compiled, mistakes};

/// The first line of what is said of a block's 64 threads that each do `body`.
fn said(body: &str) -> String {
    let text = format!(
        "#[kernel(threads = 64)]
        pub fn k(n: u32, xs: DPull<i32>) -> DPush<Grid, i32> {{
            xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {{ {body} }})))
        }}"
    );
    let errors = mistakes(&text);
    errors.first().map_or_else(String::new, |e| e.to_string().lines().next().unwrap_or_default().to_string())
}

#[test]
fn a_write_in_both_sides_of_a_branch_is_one_that_is_sure() {
    assert_eq!(said("if xs[i] > 0 { write(c[i], i); } else { write(0, i); }"), "");
    assert_eq!(said("if n > 3 { write(1, 63 - i); } else { write(0, 63 - i); }"), "");
    // Two branches on one value are as good as one.
    assert_eq!(said("if n > 3 { write(1, i); } if n > 3 { } else { write(0, i); }"), "");
}

#[test]
fn sides_that_do_not_write_the_same_are_refused() {
    let open = "[OB053] element 0 of a block's part of `out` may stay unwritten";
    assert_eq!(said("if xs[i] > 0 { write(c[i], i); }"), open);
    assert_eq!(said("if n > i { write(c[i], i); }"), open);
    let twice = "[OB054] it is not proved that each element of `out` is written once";
    assert_eq!(said("if xs[i] > 0 { write(c[i], i); } else { write(0, 63 - i); }"), twice);
    assert_eq!(said("write(0, i); if xs[i] > 0 { write(c[i], i); }"), twice);
    let known = "[OB053] element 32 of `out` is never written";
    assert_eq!(said("if i < 32 { if n > 3 { write(1, i); } else { write(0, i); } }"), known);
}

/// The branches look at a variable that changes between them: both may write, or neither.
#[test]
fn sides_of_branches_on_a_value_that_changes_are_two_writes() {
    let count = "for j in 0..n { k += 1; }";
    let sides = "if k > 3 { write(1, i); } COUNT if k > 3 { } else { write(0, i); }".replace("COUNT", count);
    let text = said(&format!("let mut k = xs[i]; {count} {sides}"));
    assert!(text.starts_with("[OB05"), "{text}");
}

/// The gaps of a padded array are never written, and no index leads there.
#[test]
fn a_padded_array_written_by_hand_may_be_read_by_data() {
    let said = |n: u32| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| exec_block({{
                    let v = mk_push(64, |write| for_all({n}, |i| write(c[i], i))).compute_padded(1);
                    v.map(|d| v[d % 64]).push() }})) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    assert_eq!((said(64), said(63)), ("", "OB053"));
}

/// The number of the only block is 0 in every index, so it is no step from one block to the next.
#[test]
fn a_grid_of_at_most_one_block_is_proved_by_its_block() {
    let said = |grid: &str| {
        let text = format!("#[kernel(threads = 64)] pub fn k(n: u32, xs: DPull<u32>) -> DPush<Grid, u32> {{ {grid} }}");
        mistakes(&text).first().map_or("", |e| e.code)
    };
    for width in [2_147_483_648u32, 2_147_483_649, 4_294_967_040, 4_294_967_295] {
        assert_eq!(said(&format!("xs.split_up({width}).as_grid_map(|c| exec_block(c.push()))")), "", "{width}");
    }
    assert_eq!(said("mk_pull(min(n, 1), |b| exec_block(xs.take(1024).push())).as_grid()"), "");
    let half = "mk_pull(min(n, 1), |b| mk_push(64, |write| for_all(32, |i| write(xs.take(64)[i], i)))).as_grid()";
    assert_eq!(said(half), "OB054");
}

/// The last chunk is as long as what is left of the array.
#[test]
fn a_short_last_chunk_may_be_written_by_hand() {
    let code = |bound: &str, at: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.chunks(100).as_grid_map(|c| exec_block({{
                    let n = c.len();
                    mk_push(n, |write| for_all({bound}, |i| write(c[i], {at}))) }})) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    assert_eq!(code("n", "i"), "");
    assert_eq!(code("n", "n - 1 - i"), "");
    // Beside the array, two elements for one, some for none.
    assert_ne!(code("n", "n - i"), "");
    assert_ne!(code("n", "i / 2"), "");
    assert_ne!(code("n", "(i + 1) % n"), "");
    assert_ne!(code("n - 1", "i"), "");
    assert_ne!(code("n / 2", "2 * i"), "");
}

/// A block that is not launched writes nothing, however much it would write; nor does a round that a loop does not have.
#[test]
fn a_last_block_writes_what_its_counter_counts() {
    let code = |blocks: &str, rounds: u32, cond: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                let (whole, rest) = (xs.len() / 64, xs.len() % 64);
                mk_push(xs.len(), |write| distr_par({blocks}, |b| {{
                    if b < whole {{
                        for_all(64, |i| write(xs[b * 64 + i], b * 64 + i));
                    }} else {{
                        for_all({rounds}, |i| if {cond} {{ write(xs[whole * 64 + i], whole * 64 + rest - 1 - i); }});
                    }}
                }})) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    let all = "whole + min(rest, 1)";
    assert_eq!(code(all, 63, "i < rest"), "");
    assert_eq!(code("whole", 63, "i < rest"), "OB054");
    assert_eq!(code("whole + min(rest / 2, 1)", 63, "i < rest"), "OB054");
    assert_eq!(code(all, 62, "i < rest"), "OB054");
    assert_ne!(code(all, 63, "b < rest"), "");
}

/// Tiles of a matrix whose sides the host knows: what they leave out, meet on, or write beside the matrix.
#[test]
fn tiles_that_are_cut_off_are_right_in_every_part() {
    let code = |[down, across, row, column, inside, at]: [&str; 6]| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(rows: u32, cols: u32) -> DPush<Grid, u32> {{
                let (down, across) = ({down}, {across});
                mk_push(rows * cols, |write| distr_par(down * across, |t| for_all(128, |k| {{
                    let (r, c) = ({row}, {column});
                    if {inside} {{ write(k, {at}); }}
                }}))) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    let right = [
        "rows / 8 + min(rows % 8, 1)",
        "(cols + 15) / 16",
        "t / across * 8 + k / 16",
        "t % across * 16 + k % 16",
        "r < rows && c < cols",
        "r * cols + c",
    ];
    assert_eq!(code(right), "");
    let but = |at: usize, wrong: &'static str| {
        let mut all = right;
        all[at] = wrong;
        code(all)
    };
    assert_eq!(but(0, "rows / 8"), "OB054");
    assert_eq!(but(1, "(cols + 14) / 16"), "OB054");
    assert_eq!(but(2, "t / across * 7 + k / 16"), "OB054");
    assert_eq!(but(3, "t % across * 16 + k % 15"), "OB054");
    assert_eq!(but(4, "r <= rows && c < cols"), "OB050");
    assert_eq!(but(4, "r < rows && c <= cols"), "OB050");
    assert_eq!(but(4, "r < rows && c + 1 < cols"), "OB054");
    assert_eq!(but(4, "r < rows && c < cols && k != 5"), "OB054");
    assert_ne!(but(5, "r * cols + c / 2"), "");
}

/// Tile after tile or below one another, a thread with several places, the condition in two: each element has its row and column.
#[test]
fn tiles_put_each_element_in_its_place() {
    let one = "for_all(128, |k| {
        let (r, c) = (t / across * 8 + k / 16, t % across * 16 + k % 16);
        if r < rows && c < cols { write(r * 1000 + c, r * cols + c); }
    })";
    let several = "for_all(32, |x| for y in 0..4 {
        let (r, c) = (t % down * 8 + y * 2 + x / 16, t / down * 16 + x % 16);
        if r < rows { if cols > c { write(r * 1000 + c, r * cols + c); } }
    })";
    for body in [one, several] {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(rows: u32, cols: u32) -> DPush<Grid, u32> {{
                let (down, across) = (rows / 8 + min(rows % 8, 1), (cols + 15) / 16);
                mk_push(rows * cols, |write| distr_par(down * across, |t| {body})) }}"
        );
        if let Some(e) = mistakes(&text).first() {
            panic!("{e}: {body}");
        }
        let kernel = &compiled(&text)[0].native;
        for (rows, cols) in [(8u32, 16u32), (1, 1), (9, 33), (40, 15), (0, 7), (7, 0)] {
            let outputs = interp::run(kernel, &Args::new().scalar(rows).scalar(cols)).expect("no fault");
            let wanted: Vec<u32> = (0..rows).flat_map(|r| (0..cols).map(move |c| r * 1000 + c)).collect();
            assert_eq!(outputs.to_vec::<u32>(0), Some(wanted), "{rows} x {cols}");
        }
    }
}

/// A read of a tile needs no test, though the tiles are joined by their rows again (R13).
#[test]
fn tiles_of_the_host_are_read_in_range() {
    let text = "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, cols: u32) -> DPush<Grid, u32> {
        split_2d(xs, cols, 4, 8).map(|tile| push::<Block, _, _>(tile.map(|x| x + 1))).concat_2d_grid(cols, 4, 8)
    }";
    assert!(compiled(text)[0].native.params.iter().all(|param| param.name != "fault"));
}

/// Blocks in cases: each fills its part, or it is said what is left out and where.
#[test]
fn blocks_take_turns() {
    let said = |other: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                mk_push(xs.len() / 64 * 64, |write| distr_par(xs.len() / 64, |b| {{
                    if b % 2 == 0 {{ for_all(64, |i| write(0, b * 64 + i)) }} else {{ {other} }} }})) }}"
        );
        mistakes(&text).first().map_or(String::new(), |e| format!("{}: {}", e.message, e.notes.join("; ")))
    };
    assert_eq!(said("for_all(64, |i| write(1, b * 64 + 63 - i))"), "");
    assert_eq!(
        said("for_all(63, |i| write(1, b * 64 + i))"),
        "element 63 of a block's part of `out` may stay unwritten: the whole output is to be written; no thread writes this \
         element where `(b & 1) == 0` does not hold"
    );
    assert!(said("for_all(64, |i| write(1, b * 64 + i / 2))").contains("is not proved that each element of `out`"));
    assert_ne!(said("for_all(64, |i| write(1, b * 64 + i + 1))"), "");
    assert_ne!(said(""), "");
}

/// Branches in branches are one write where each of them writes; conditions on what is stored hold within a loop over threads.
#[test]
fn branches_whose_sides_all_write_are_one_write() {
    let three = |last: &str| {
        said(&format!("if c[i] > 10 {{ write(1, i); }} else if c[i] > 5 {{ write(2, i); }} else {{ {last} }}"))
    };
    assert_eq!(three("write(3, i);"), "");
    assert_ne!(three(""), "");
    assert_ne!(three("write(3, 63 - i);"), "");
    assert_ne!(three("write(3, i); write(4, i);"), "");
    assert_ne!(three("if xs[i] > 1 { write(3, i); }"), "");
    assert_eq!(said("match c[i] { 0 => write(1, i), 1 => write(2, i), _ => write(3, i) }"), "");
    // Opposite comparisons of integers are the sides of one branch.
    assert_eq!(said("if c[i] > 5 { write(1, i); } if c[i] <= 5 { write(0, i); }"), "");
    assert_eq!(said("if c[i] == 5 { write(1, i); } if c[i] != 5 { write(0, i); }"), "");
    assert_ne!(said("if c[i] > 5 { write(1, i); } if c[i] < 5 { write(0, i); }"), "");
    assert_ne!(said("if c[i] > 5 { write(1, i); } if c[i] <= 6 { write(0, i); }"), "");
    let stored = |cond: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<f32>) -> DPush<Grid, f32> {{
                xs.split_up(64).as_grid_map(|c| exec_block({{
                    let a = c.reverse().compute();
                    mk_push(64, |write| for_all(64, |i| {{ {cond} }})) }})) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    assert_eq!(stored("if a[i] > 0.0 { write(a[i], i); } else { write(c[i], i); }"), "");
    // Of floats neither may hold.
    assert_ne!(stored("if c[i] > 0.0 { write(1.0, i); } if c[i] <= 0.0 { write(0.0, i); }"), "");
}

/// `unsafe` around one write of an output says nothing of the others.
#[test]
fn unsafe_covers_its_own_writes() {
    let both = |second: &str| {
        said(&format!("if i < 32 {{ unsafe {{ write(c[i], xs[i] as u32 % 32); }} }} else {{ {second} }}"))
    };
    assert_eq!(both("write(c[i], i);"), "");
    assert_eq!(both("write(c[i], 32 + i / 2);"), "[OB052] two threads meet on element 48 of `out`");
    // One element in both sides of a branch: the second write is not in `unsafe`.
    let sides = |second: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: Pull<i32, 64>, ys: Mut<i32, 64>) -> Program<Grid, ()> {{
                for_all(64, |i| if xs[i] > 0 {{ unsafe {{ ys[i / 2] = 1; }} }} else {{ {second} }}) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    assert_eq!(sides("unsafe { ys[i / 2] = 2; }"), "");
    assert_eq!(sides("ys[i / 2] = 2;"), "OB054");
}

/// What `write_to` writes is in the places of its array; who else writes them is another question.
#[test]
fn whole_arrays_are_written_by_one_of_each_level() {
    let code = |body: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, ys: DMut<u32>, n: u32) -> Program<Grid, ()> {{ {body} }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    assert_eq!(code("write_to(ys, xs.push())"), "");
    assert_eq!(code("distr_par(1, |b| write_to(ys, mk_pull(64, |i| xs[i] + b).push()))"), "");
    assert_ne!(code("distr_par(2, |b| write_to(ys, mk_pull(64, |i| xs[i] + b).push()))"), "");
    assert_ne!(code("distr_par(n, |b| write_to(ys, mk_pull(64, |i| xs[i] + b).push()))"), "");
    assert_ne!(code("for_all(n, |i| write_to(ys, singleton(i).push()))"), "");
    assert_ne!(code("write_to(ys, xs.push()); write_to(ys, xs.reverse().push())"), "");
}

/// The rounds of a loop see what those before them wrote.
#[test]
fn a_threads_array_may_be_filled_by_a_recurrence() {
    let code = |rounds: u32, step: &str, read: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| c.as_block_map(|x| exec_thread({{
                    let m = mk_push(32, |write| write(x, 0)).new_mut();
                    seq_for({rounds}, |k| {{ {step} }});
                    {read} }}))) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    assert_eq!(code(31, "m[k + 1] = m[k] * x;", "m[31]"), "");
    assert_eq!(code(31, "m[k + 1] = m[k] * x;", "m[x % 32]"), "");
    assert_eq!(code(30, "m[k + 1] = m[k] * x;", "m[31]"), "OB053");
    assert_eq!(code(30, "m[k + 2] = m[k] * x;", "m[31]"), "OB053");
    assert_eq!(code(31, "m[k] = m[k + 1] * x;", "m[0]"), "OB053");
    assert_eq!(code(31, "if x > k { m[k + 1] = m[k] * x; }", "m[31]"), "OB053");
    assert_eq!(code(31, "m[31 - k] = m[(32 - k) % 32] * x;", "m[1]"), "");
}

/// R24. Places that data has a part in: threads stay apart in the low bits that it leaves alone, or for each value that it may have.
#[test]
fn counters_of_threads_are_apart_whatever_data_says() {
    let code = |body: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(1024).as_grid_map(|c| exec_block({{
                    let m = replicate(4096, 0).push().new_mut();
                    for_all(256, |t| for k in 0..4 {{ let d = c[k * 256 + t] & 15; {body} }});
                    m.to_pull().push() }})) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    for right in [
        "m[d * 256 + t] += 1;",
        "m[(d << 8) + (t ^ 5)] += 1;",
        "m[(d << 8) | t] += d;",
        "m[t | (d << 8)] += d;",
        "m[15 * 256 - d * 256 + t] += d;",
        // No power of two: each of the values that `d` may have is looked at.
        "m[d % 10 * 300 + t] += 1;",
        "m[t * 16 + d] += 1;",
        "m[t * 16 + d] = m[t * 16] + m[t * 16 + 15];",
        "if d > 3 { m[d * 256 + t] += d; }",
    ] {
        assert_eq!(code(right), "", "{right}");
    }
    for wrong in [
        "m[d * 128 + t] += 1;",
        "m[d * 255 + t] += 1;",
        "m[d * 256 + t / 2] += 1;",
        "m[d * 256 + (t & 254)] += 1;",
        "m[(d << 7) | t] += 1;",
        "m[t * 15 + d] += 1;",
        "m[d * 256 + t] = m[d * 256 + (t + 1) % 256];",
        "m[d * 256 + t] = m[(d * 256 + t) / 2];",
        "m[t * 16 + d] = m[t * 15 + d];",
        // One number read twice need not be the same number.
        "m[c[t] % 8 - c[t] % 8 + d * 256] += 1;",
    ] {
        let code = code(wrong);
        assert!(["OB050", "OB052", "OB054"].contains(&code), "{wrong}: {code}");
    }
}

/// What keeps the threads of one block apart says nothing of the blocks, of which each has all of these threads.
#[test]
fn counters_of_threads_are_shared_by_blocks() {
    let code = |index: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, y: DMut<u32>, n: u32) -> Program<Grid, ()> {{
                distr_par(n, |b| for_all(64, |t| {{
                    let at = {index}; if at < y.len() {{ y[at] += 1; }} }})) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    for index in ["xs[t] % 16 * 64 + t", "xs[b] * 64 + t", "(xs[b] % 4 + b) * 64 + t"] {
        assert_eq!(code(index), "OB054", "{index}");
    }
}

/// Runs (R28), one thread alone (R29), turns (R30), and places by data that their author tests: accepted, and right.
#[test]
fn what_its_author_would_write_is_accepted() {
    let given = |text: &str, xs: &[u32], n: u32| {
        let kernel = &compiled(text)[0].native;
        let args = Args::new().buffer(xs.to_vec()).scalar(n);
        interp::run(kernel, &args).expect("no fault").to_vec::<u32>(0).expect("an output")
    };
    let ends = "let (n, blocks) = (xs.len(), xs.len() / 64 + min(xs.len() % 64, 1));";
    let grid = |len: &str, writes: &str| {
        format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, m: u32) -> DPush<Grid, u32> {{ {ends}
                mk_push({len}, |write| distr_par(blocks, |b| for_all(64, |i| {{
                    let at = b * 64 + i; if at < n {{ {writes} }} }}))) }}"
        )
    };
    let block = |code: &str| {
        format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, m: u32) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| {code}) }}"
        )
    };
    let alone = block(
        "exec_block({ let a = c.new_mut(); seq_for(64, |k| for_all(64, |i| if i == k { a[0] += c[k] / 2 + m; }));
            a.to_pull().push() })",
    );
    let turned = block("c.push().ix_map(|i| (i + m) % 64)");
    let flipped = block("mk_push(64, |write| for_all(64, |i| write(c[i], i ^ (m % 64))))");
    let tested = "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, m: u32) -> DPush<Grid, u32> {
        mk_pull(xs.len(), |i| {
            let (d, r) = (max(xs[i] % 7, 1), xs[i] % 200);
            if i / d < xs.len() && r < xs.len() { xs[i / d] + xs[r] + m } else { xs[i] }
        }).push() }";
    for (len, m) in [(0usize, 3u32), (64, 0), (128, 17), (192, 4_000_000_000)] {
        let xs: Vec<u32> = (0..len as u32).map(|i| i * 37 % 1000).collect();
        let both: Vec<u32> = xs.iter().copied().chain(xs.iter().map(|x| x + 1)).collect();
        assert_eq!(given(&grid("n * 2", "write(xs[at], at); write(xs[at] + 1, n + at);"), &xs, m), both);
        let back: Vec<u32> = xs.iter().rev().copied().collect();
        assert_eq!(given(&grid("n", "write(xs[at], n - 1 - at);"), &xs, m), back);
        let parts = |place: &dyn Fn(usize) -> usize| {
            let mut out = vec![0; len];
            (0..len).for_each(|at| out[at / 64 * 64 + place(at % 64)] = xs[at]);
            out
        };
        assert_eq!(given(&turned, &xs, m), parts(&|i| (i + m as usize) % 64));
        assert_eq!(given(&flipped, &xs, m), parts(&|i| i ^ (m as usize % 64)));
        let mut sums = xs.clone();
        for part in sums.chunks_mut(64) {
            let all = part.iter().fold(0u32, |sum, x| sum.wrapping_add(x / 2).wrapping_add(m));
            part[0] = part[0].wrapping_add(all);
        }
        assert_eq!(given(&alone, &xs, m), sums);
        let of = |i: usize| {
            let (d, r) = ((xs[i] % 7).max(1) as usize, (xs[i] % 200) as usize);
            if r < len { xs[i / d].wrapping_add(xs[r]).wrapping_add(m) } else { xs[i] }
        };
        assert_eq!(given(tested, &xs, m), (0..len).map(of).collect::<Vec<u32>>());
    }
}
