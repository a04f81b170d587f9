//! What is said of writes that the author places.

use super::mistakes;

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
    let twice = "[OB054] it is not proved that no two threads meet on an element of `out`";
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

/// A block that is not launched writes nothing, however much it would; nor does a round that there is not.
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
