//! Kernels that break a promise in one of six ways, each in several shapes, and right ones beside them.

use obsidian_ir::passes::verify;

use super::{compiled, mistakes};

/// What is said of a kernel: nothing, or the first error.
fn said(kernel: &str) -> String {
    let errors = mistakes(&format!("#[kernel(threads = 64)] {kernel}"));
    errors.first().map_or_else(String::new, ToString::to_string)
}

/// A kernel that updates `y`, with the scalars `n` and `a`.
fn updates(body: &str) -> String {
    said(&format!("pub fn k(y: DMut<u32>, n: u32, a: u32) -> Program<Grid, ()> {{ {body} }}"))
}

/// A block's array `m` of 1024 elements, in the middle of a kernel with the scalar `n`.
fn in_block(body: &str) -> String {
    said(&format!(
        "pub fn k(n: u32, xs: DPull<u32>) -> DPush<Grid, u32> {{
            xs.split_up(1024).as_grid_map(|c| exec_block({{ let m = c.push().new_mut(); {body}; m.to_pull().push() }})) }}"
    ))
}

mod counters_of_blocks {
    use super::*;

    #[test]
    fn rounds_of_two_blocks_may_meet() {
        let body = |index: &str| {
            format!(
                "distr_par(64, |b| seq_for(n, |k| for_all(32, |i| {{
                    let e = {index}; if e < y.len() {{ y[e] = k; }} }})))"
            )
        };
        for index in [
            "(b + k % 32) * 32 + i",
            "b * 32 + k * 32 + i",
            "(b ^ (k & 3)) * 32 + i",
            "k * 32 + i",
            "(k + i) * 64 + b / 2",
        ] {
            let text = updates(&body(index));
            assert!(text.starts_with("[OB054]"), "{index}: {text}");
        }
        let text = updates(&body("(b + k % 32) * 32 + i"));
        assert!(text.contains("block 1 in round 0") && text.contains("block 0 in round 1"), "{text}");
        for index in ["b * 32 + i", "(k % 16) * 32 + b * 512 + i", "k * 2048 + b * 32 + i", "(b * 4 + k % 4) * 32 + i"]
        {
            assert_eq!(updates(&body(index)), "", "{index}");
        }
    }

    #[test]
    fn known_rounds_are_no_more_in_step() {
        let body = |index: &str| {
            format!(
                "distr_par(4, |b| seq_for(16, |k| for_all(32, |i| {{
                    let e = {index}; if e < y.len() {{ y[e] = k; }} }})))"
            )
        };
        for index in ["(b + k) * 32 + i", "(b + k % 8) * 32 + i", "k * 32 + i"] {
            let text = updates(&body(index));
            assert!(text.starts_with("[OB05"), "{index}: {text}");
        }
        for index in ["(b * 16 + k) * 32 + i", "(k * 4 + b) * 32 + i"] {
            assert_eq!(updates(&body(index)), "", "{index}");
        }
    }

    #[test]
    fn a_number_of_blocks_that_is_not_known_changes_nothing() {
        let body = |index: &str| {
            format!(
                "distr_par(n, |b| seq_for(a, |k| for_all(32, |i| {{
                    let e = {index}; if e < y.len() {{ y[e] = k; }} }})))"
            )
        };
        for index in ["(b + k) * 32 + i", "b * 32 + (k % 2) * 16 + i", "k * 32 + i", "(b + a * k) * 32 + i"] {
            let text = updates(&body(index));
            assert!(text.starts_with("[OB054]"), "{index}: {text}");
        }
        // The number of blocks is a radix as any other.
        for index in ["b * 64 + (k % 2) * 32 + i", "b * 32 + i", "(b + n * k) * 32 + i"] {
            assert_eq!(updates(&body(index)), "", "{index}");
        }
    }
}

mod counters_of_warps {
    use super::*;

    #[test]
    fn rounds_of_two_warps_may_meet() {
        let body = |rounds: &str, index: &str| {
            format!(
                "distr_par(2, |w| seq_for({rounds}, |k| for_all(32, |i| {{
                    let e = {index}; if e < 1024 {{ m[e] = k; }} }})))"
            )
        };
        for rounds in ["n", "8", "1000", "100000"] {
            for index in ["(w + k % 8) * 32 + i", "((w ^ (k & 1)) * 32 + i)", "(k % 16) * 32 + i", "w * 32 + k + i"] {
                let text = in_block(&body(rounds, index));
                assert!(text.starts_with("[OB05"), "{rounds}, {index}: {text}");
            }
            for index in ["w * 32 + i", "(w * 8 + k % 8) * 32 + i", "(k % 16) * 64 + w * 32 + i"] {
                assert_eq!(in_block(&body(rounds, index)), "", "{rounds}, {index}");
            }
        }
    }

    #[test]
    fn a_loop_of_the_block_keeps_its_warps_in_step() {
        let text = in_block("seq_for(n, |k| distr_par(2, |w| for_all(32, |i| { m[(w + k % 8) * 32 + i] = k; })))");
        assert_eq!(text, "");
    }

    #[test]
    fn one_may_read_what_another_writes_in_another_round() {
        let text = in_block(
            "distr_par(2, |w| seq_for(4, |k| for_all(32, |i| { let old = m[((w + k) % 2) * 32 + i]; m[512 + w * 32 + i] = old; m[w * 32 + i] = k; })))",
        );
        assert!(text.starts_with("[OB05"), "{text}");
    }
}

mod covering {
    use super::*;

    /// `blocks` blocks that each write `each` elements, cut off at `len`.
    fn cut(blocks: &str, each: u32) -> String {
        said(&format!(
            "pub fn k(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {{
                let len = xs.len();
                mk_push(len, |write| distr_par({blocks}, |b| for_all({each}, |i| {{
                    let at = b * {each} + i; if at < len {{ write(b, at); }} }}))) }}"
        ))
    }

    #[test]
    fn blocks_that_do_not_reach_the_end_leave_it_out() {
        for (blocks, each) in
            [("(len + 127) / 128", 64), ("(len + 127) >> 7", 64), ("len / 64", 64), ("(len + 62) / 64", 64)]
        {
            let text = cut(blocks, each);
            assert!(text.starts_with("[OB053]"), "{blocks}, {each}: {text}");
        }
        let text = cut("(len + 127) / 128", 64);
        assert!(text.contains("is never written") && text.contains("where the length of `xs` is"), "{text}");
        assert!(cut("n", 64).starts_with("[OB05"), "{}", cut("n", 64));
    }

    #[test]
    fn as_many_blocks_as_are_needed_write_all() {
        for (blocks, each) in [
            ("(len + 127) / 128", 128),
            ("(len + 63) >> 6", 64),
            ("len / 64 + 1", 64),
            ("(len + 63) / 64", 128),
            ("(len + 127) / 64", 64),
        ] {
            assert_eq!(cut(blocks, each), "", "{blocks}, {each}");
        }
    }
}

mod products_that_wrap {
    use super::*;

    /// The conditions that a launch of `y` updated by `blocks` blocks of `threads` at `index` must meet.
    fn conditions(blocks: &str, threads: u32, index: &str) -> Vec<String> {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(y: DMut<u32>, n: u32, a: u32) -> Program<Grid, ()> {{
                distr_par({blocks}, |b| for_all({threads}, |i| {{ let e = {index}; if e < y.len() {{ y[e] = b; }} }})) }}"
        );
        compiled(&text)[0].native.checks.iter().map(|check| check.message.clone()).collect()
    }

    #[test]
    fn the_number_of_blocks_is_limited_where_indices_would_wrap() {
        let limited = |blocks, index: &str, most: u32| {
            let all = conditions(blocks, 32, index);
            let wanted = format!("there must be at most {most} blocks, or indices wrap");
            assert!(all.contains(&wanted), "{index}: {all:?}");
        };
        limited("n", "b * 1073741824 + i", 4);
        limited("n", "b * 64 + i + a", 1 << 26);
        limited("n", "(b << 16) + i", 1 << 16);
        limited("n", "a - b * 4096 - i", 1 << 20);
    }

    #[test]
    fn what_cannot_wrap_needs_no_limit() {
        let free = |blocks, index: &str| {
            let all = conditions(blocks, 32, index);
            assert!(!all.iter().any(|m| m.contains("indices wrap")), "{index}: {all:?}");
        };
        free("y.len() / 64", "b * 64 + i");
        free("(y.len() + 63) / 64", "b * 64 + i");
        free("1024", "b * 64 + i");
        free("4", "b * 1073741824 + i");
    }

    #[test]
    fn a_known_number_of_blocks_that_wraps_is_refused() {
        let text =
            updates("distr_par(8, |b| for_all(32, |i| { let e = b * 1073741824 + i; if e < y.len() { y[e] = b; } }))");
        assert!(text.starts_with("[OB05"), "{text}");
    }
}

mod lengths_that_wrap {
    use super::*;

    /// The conditions of a launch of a kernel of `blocks` blocks, with an output of `len` elements.
    fn conditions(blocks: &str, len: &str) -> Vec<String> {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {{
                let m = {len};
                mk_push(m, |write| distr_par({blocks}, |b| for_all(256, |i| {{
                    let at = b * 256 + i; if at < m {{ write(b, at); }} }}))) }}"
        );
        compiled(&text)[0].native.checks.iter().map(|check| check.message.clone()).collect()
    }

    #[test]
    fn sums_and_products_of_lengths_are_checked_at_launch() {
        let all = conditions("(m + 255) / 256", "xs.len()");
        assert!(all.contains(&"`len(xs) + 255` must be a number from 0 to 2^32 - 1".to_string()), "{all:?}");
        let all = conditions("(m + 255) / 256", "xs.len() * 3");
        assert!(all.iter().any(|m| m.contains("* 3`")) && all.len() == 2, "{all:?}");
        let all = conditions("(m + 255) / 256", "xs.len() * n");
        assert!(all.iter().any(|m| m.contains("len(xs) * n")), "{all:?}");
        let all = conditions("(m + 255) / 256", "xs.len() - n");
        assert!(all.iter().any(|m| m.contains("len(xs) - n")), "{all:?}");
    }

    #[test]
    fn what_cannot_wrap_is_not_asked() {
        let all = conditions("m / 256 + min(m % 256, 1)", "xs.len()");
        assert!(!all.iter().any(|m| m.contains("2^32 - 1")), "{all:?}");
    }
}

mod arrays_of_threads {
    use super::*;

    /// A block of 64 threads, each of which runs `body` and writes `v`, given `x` of its own and the scalar `n`.
    fn thread(body: &str) -> String {
        said(&format!(
            "pub fn k(n: u32, xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {{
                    let x = c[i]; {body} write(v, i); }}))) }}"
        ))
    }

    #[test]
    fn what_a_thread_reads_of_its_own_it_has_written() {
        for body in [
            "let r = mk_push(4, |w| w(x, 0)).compute(); let v = r[3];",
            "let r = mk_push(4, |w| { w(x, 0); w(x, 1); w(x, 3); }).compute(); let v = r[x % 4];",
            "let m = mk_push(4, |w| w(x, 0)).new_mut(); m[1] = x; let v = m[2];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); if x > 3 { m[1] = x; } let v = m[1];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); for k in 0..n { m[k % 16] = x; } let v = m[5];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); let mut k = x; while k > 3 { m[1] = x; k -= 1; } let v = m[1];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); m[x % 16] = x; let v = m[1];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); m[i % 8] = x; let v = m[8];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); for k in 0..15 { m[k] = x; } let v = m[15];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); let mut v = 0; for k in 1..16 { v += m[(k + 1) % 16]; m[k] = x; }",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); let mut v = 0; for k in 0..16 { m[k] = x; v += m[(k + 1) % 16]; }",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); if i < 32 { m[3] = x; } let v = m[3];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); if i < 32 { m[3] = x; } let v = if i < 33 { m[3] } else { 0 };",
        ] {
            let text = thread(body);
            assert!(text.starts_with("[OB053]") || text.starts_with("[OB054]"), "{body}: {text}");
        }
        let text = thread("let r = mk_push(4, |w| w(x, 0)).compute(); let v = r[3];");
        assert!(text.starts_with("[OB053] element 3 of a computed array is never written"), "{text}");
    }

    #[test]
    fn what_is_written_on_every_path_may_be_read() {
        for body in [
            "let r = mk_push(4, |w| { w(x, 0); w(x, 3); }).compute(); let v = r[3];",
            "let r = mk_push(4, |w| { w(x, 0); w(x, 3); w(x, 2); w(x, 1); }).compute(); let v = r[x % 4];",
            "let m = mk_push(4, |w| w(x, 0)).new_mut(); m[2] = x; let v = m[2];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); if x > 3 { m[1] = x; } else { m[1] = 7; } let v = m[1];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); let mut v = 0; if x > 3 { m[1] = x; v = m[1]; }",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); let mut v = 0; for k in 0..n { m[k % 16] = x; v += m[0]; }",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); for k in 0..16 { m[k] = x; } let v = m[x % 16];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); for k in 0..16 { m[(k + i) % 16] = x; } let v = m[x % 16];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); m[i % 16] = x; let v = m[i % 16];",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); let mut v = 0; for k in 0..16 { m[k] = x; v += m[k]; }",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); let mut v = 0; for k in 0..16 { m[i % 16] = x; v += m[i % 16]; }",
            "let m = mk_push(16, |w| w(x, 0)).new_mut(); if i < 32 { m[3] = x; } let v = if i < 32 { m[3] } else { 0 };",
            "let m = replicate(16, x).push::<Thread>().new_mut(); for k in 0..n { m[k % 16] += k; } let v = m[x % 16];",
        ] {
            assert_eq!(thread(body), "", "{body}");
        }
    }
}

/// Of an array that is stored for as many elements as there can be, only those are read that there are.
#[test]
fn bounded_arrays_are_read_where_they_are_written() {
    let kernel = |stored: &str, index: &str| {
        format!(
            "#[kernel(threads = 64)] pub fn k(b: BPull<u32, 300>, ys: DPull<u32>, n: u32) -> DPush<Grid, u32> {{
                ys.chunks(64).as_grid_map(|c| exec_block({{ let t = {stored}; c.map(|x| t[{index}]).push() }})) }}"
        )
    };
    for stored in ["b.compute()", "b.reverse().compute()"] {
        for index in ["x", "x % 300", "min(x, 299)"] {
            let native = &compiled(&kernel(stored, index))[0].native;
            assert!(obsidian_ir::program::print(native).contains(">= len(b)"), "{stored}, {index}");
        }
        let checks = &compiled(&kernel(stored, "n"))[0].native.checks;
        assert!(checks.iter().any(|check| check.message.contains("must be at least `n + 1`")), "{checks:?}");
        let tested = kernel(stored, "if x < b.len() { x } else { b.len() - 1 }");
        assert!(mistakes(&tested).is_empty(), "{stored}");
    }
    let code = |body: &str| {
        said(&format!(
            "pub fn k(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {{ xs.chunks(64).as_grid_map(|c| exec_block({{ {body} }})) }}"
        ))
    };
    let odd =
        |index: &str| code(&format!("let o = compact(c, |x| x > n).compute(); mk_pull(c.len(), |i| {index}).push()"));
    assert!(odd("o[i]").starts_with("[OB050]"), "{}", odd("o[i]"));
    assert!(odd("o[0]").starts_with("[OB050]"), "{}", odd("o[0]"));
    assert_eq!(odd("if i < o.len() { o[i] } else { 0 }"), "");
    let last = code("let s = c.compute(); let t = s[63]; c.map(|x| x + t).push()");
    assert!(last.starts_with("[OB050]"), "{last}");
    // Parts of a program at `Device` know it too.
    let chain = "pub fn k(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        chain(xs.chunks(64), 0, |c| { let s = c.compute(); (reduce(s, |a, b| a + b).first(), s) }, |a, b| a + b,
            |c, p, s| mk_push(c.len(), |write| for_all(c.len(), |i| write(s[i] + p, i)))) }";
    assert_eq!(said(chain), "");
    assert!(said(&chain.replace("s[i] + p", "s[63] + p")).starts_with("[OB050]"));
}

/// An element that a thread wrote itself in the same phase: not one that it writes in a later round.
#[test]
fn a_round_sees_what_earlier_rounds_of_its_thread_wrote() {
    let body = |read: &str| {
        format!(
            "let s = mk_push(512, |w| for_all(64, |i| w(i, i))).new_mut();
             for_all(32, |i| {{ for k in 2..16 {{ s[k * 32 + i] = k; m[k * 32 + i] = s[({read}) * 32 + i]; }} }})"
        )
    };
    assert_eq!(in_block(&body("k")), "");
    assert_eq!(in_block(&body("k - 1")), "");
    let text = in_block(&body("min(k + 1, 15)"));
    assert!(text.starts_with("[OB053]"), "{text}");
}

/// Text that is nested too deeply is an error at its place: the stack of whoever runs the compiler need not hold it.
#[test]
fn deep_text_is_refused_and_what_people_write_is_not() {
    // Half of what rustc has, and tests have less.
    let thread = std::thread::Builder::new().stack_size(4 << 20);
    thread.spawn(depths).expect("a thread").join().expect("no mistake");
}

fn depths() {
    let kernel = |value: String| {
        said(&format!(
            "pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ xs.split_up(64).as_grid_map(|c| c.map(|x| {value}).push()) }}"
        ))
    };
    let sum = |n: usize| format!("x{}", " + 1".repeat(n));
    let parentheses = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    let blocks = |n: usize| format!("{}x{}", "{ ".repeat(n), " }".repeat(n));
    let closures = |n: usize| format!("{}x{}", "two(1, |x| ".repeat(n), ")".repeat(n));
    let methods = |n: usize| format!("x{}", ".min(7)".repeat(n));
    let choices = |n: usize| format!("{} {{ x }}", "if x > 3 { 1 } else ".repeat(n));
    let casts = |n: usize| format!("x{}", " as i32 as u32".repeat(n));
    let signs = |n: usize| format!("{}x", "!".repeat(n));
    let shapes: [&dyn Fn(usize) -> String; 7] = [&sum, &parentheses, &blocks, &methods, &choices, &casts, &signs];
    for (k, shape) in shapes.into_iter().enumerate() {
        assert!(kernel(shape(10_000)).starts_with("[OB033] this is nested too deeply"), "shape {k}");
        assert_eq!(kernel(shape(40)), "", "shape {k}");
        // As deep as may be.
        let deepest = (40..).step_by(16).take_while(|&n| kernel(shape(n)).is_empty()).last();
        assert!(deepest.is_some_and(|n| n < 300), "shape {k}: {deepest:?}");
    }
    assert!(kernel(closures(10_000)).starts_with("[OB033] this is nested too deeply"));
    assert_eq!(kernel(sum(150)), "");
}

/// What lies on the stack of a thread of the CPU and in the local memory of one of a GPU has a limit.
#[test]
fn a_threads_own_arrays_have_a_limit() {
    let own = |n: u32| {
        said(&format!(
            "pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {{
                    let m = replicate({n}, c[i]).push().new_mut(); write(m[i], i); }}))) }}"
        ))
    };
    assert_eq!(own(65_536), "");
    let text = own(65_537);
    assert!(text.starts_with("[OB040]") && text.contains("262148"), "{text}");
}

mod last_blocks {
    use super::*;

    /// `n` blocks and `more`: the others write what `last` says.
    fn blocks(more: &str, last: &str) -> String {
        updates(&format!(
            "distr_par(n + {more}, |b| if b < n {{
                for_all(64, |i| {{ let e = b * 64 + i; if e < y.len() {{ y[e] = 1; }} }})
            }} else {{
                for_all(64, |i| {{ let e = {last}; if e < y.len() {{ y[e] = 2; }} }})
            }})"
        ))
    }

    #[test]
    fn one_block_more_may_write_behind_the_others() {
        assert_eq!(blocks("1", "n * 64 + i"), "");
        assert_eq!(blocks("1", "b * 64 + i"), "");
        assert_eq!(blocks("min(a, 1)", "n * 64 + (63 - i)"), "");
    }

    /// What several devices go by: the last block writes in the part that follows the others', and no further.
    #[test]
    fn the_last_block_has_a_part_where_it_writes_no_more_than_the_others() {
        let parts = |wide: u32| {
            let text = format!(
                "#[kernel(threads = 64)]
                pub fn k(n: u32) -> DPush<Grid, u32> {{
                    mk_push(n * 64 + {wide}, |write| distr_par(n + 1, |b| if b < n {{
                        for_all(64, |i| write(0, b * 64 + i))
                    }} else {{
                        for_all({wide}, |i| write(1, n * 64 + i))
                    }})) }}"
            );
            assert_eq!(mistakes(&text).first().map(ToString::to_string), None);
            verify::parts(&compiled(&text)[0].native)
        };
        assert_eq!(parts(64), [Some(64)]);
        assert_eq!(parts(32), [Some(64)]);
        assert_eq!(parts(128), [None]);
    }

    #[test]
    fn two_blocks_more_would_meet() {
        for more in ["2", "min(a, 2)", "a"] {
            let text = blocks(more, "n * 64 + i");
            assert!(text.starts_with("[OB054]"), "{more}: {text}");
        }
    }

    #[test]
    fn the_last_block_may_not_write_where_the_others_do() {
        for last in ["i", "n * 64 + i - 32", "n * 32 + i", "a * 64 + i", "n * 64 + i * 2 - 64"] {
            let text = blocks("1", last);
            assert!(text.starts_with("[OB054]"), "{last}: {text}");
        }
    }
}

mod chunks {
    use super::*;

    fn of_any_length(body: &str) -> String {
        said(&format!("pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ xs.chunks(64).as_grid_map(|c| {body}) }}"))
    }

    #[test]
    fn what_each_block_writes_is_proved_for_whole_chunks_and_for_the_last() {
        assert_eq!(of_any_length("c.pad_to(64, 0).push().ix_map(|i| 63 - i)"), "");
        assert_eq!(of_any_length("c.pad_to(64, 0).push().ix_map(|i| i ^ 1)"), "");
        for to in ["i / 2", "0", "i + 1", "i ^ 64"] {
            let text = of_any_length(&format!("c.pad_to(64, 0).push().ix_map(|i| {to})"));
            assert!(text.starts_with("[OB05"), "{to}: {text}");
        }
    }

    #[test]
    fn elements_behind_a_chunk_are_not_its_own() {
        let text = of_any_length("mk_pull(c.len(), |i| c[i + 1]).push()");
        assert!(text.starts_with("[OB050]"), "{text}");
        assert_eq!(of_any_length("c.reverse().push()"), "");
    }

    #[test]
    fn a_chunk_asked_for_by_another_number_has_its_own_length() {
        let text = "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {
            let cs = xs.chunks(64);
            mk_pull(cs.len(), |b| mk_pull(64, |i| cs[0][i])).as_grid_map(|c| c.push()) }";
        let program = obsidian_ir::passes::prove(super::super::staged(text).remove(0)).expect("the launch is asked");
        let asked = program.checks.iter().any(|check| check.message == "the length of `xs` must be at least 64");
        assert!(asked, "{:?}", program.checks);
    }
}
