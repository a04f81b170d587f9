//! Double buffers: what is said of rounds that read one half of an array and write the other.

use super::mistakes;

/// In each round one half is read and the other written.
#[test]
fn double_buffers_may_be_written_by_hand() {
    let code = |counter: &str, to: &str, from: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| exec_block({{
                    let m = c.append(c).new_mut();
                    seq_for(n, |k| {{ {counter} for_all(64, |i| {{ m[{to} * 64 + i] = m[{from} * 64 + (i + 1) % 64]; }}) }});
                    mk_pull(64, |i| m.to_pull()[n % 2 * 64 + i]).push() }})) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    assert_eq!(code("", "((k + 1) % 2)", "(k % 2)"), "");
    assert_eq!(code("", "(1 - k % 2)", "(k % 2)"), "");
    assert_eq!(code("", "((k + 3) % 2)", "((k + 2) % 2)"), "");
    assert_eq!(code("", "(k % 2)", "((k - 1) % 2)"), "");
    // The same half, and halves of two numbers.
    assert_eq!(code("", "((k + 1) % 2)", "((k + 3) % 2)"), "OB054");
    assert_eq!(code("", "((k + 1) % 2)", "(n % 2)"), "OB054");
    // As an `i32` `k - 5` is below zero at first, and its remainder 0 or -1.
    assert_ne!(code("let s = k as i32 - 5;", "((s + 1) % 2) as u32", "(s % 2) as u32"), "");
}

/// Data tells where in one half is read, by its remainder or under a condition; the other is written.
#[test]
fn data_may_say_where_in_the_other_half_is_read() {
    let code = |n: u32, to: &str, value: &str| {
        let (to, from) = (format!("(k + {to}) % 2 * {n} + i"), format!("k % 2 * {n}"));
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {{
                xs.split_up({n}).as_grid_map(|c| exec_block({{
                    let m = c.append(c).new_mut();
                    seq_for(n, |k| for_all({n}, |i| {{ let at = m[{from} + i]; m[{to}] = {}; }}));
                    mk_pull({n}, |i| m.to_pull()[n % 2 * {n} + i]).push() }})) }}",
            value.replace("from", &from)
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    // Few values, which are looked at one by one, and many, which lie in an interval.
    for n in [64, 1024] {
        let (last, more) = (n - 1, n + 1);
        let inside = [
            format!("m[from + c[i] % {n}]"),
            format!("m[from + at % {n}]"),
            format!("m[from + {last} - c[i] % {n}]"),
            format!("m[from + c[i] % {} * 2 + 1]", n / 2),
            format!("m[from + at % {n}] + m[from + ({n} - i) % {n}]"),
            format!("if at < {n} {{ m[from + at] }} else {{ 0 }}"),
            format!("if at <= {last} {{ m[from + at] }} else {{ 0 }}"),
            format!("if at > {last} {{ 0 }} else {{ m[from + at] }}"),
            format!("if {n} > at {{ m[from + at] }} else {{ 0 }}"),
            format!("if {n} <= at {{ 0 }} else {{ m[from + at] }}"),
            format!("if {last} < at {{ 0 }} else {{ m[from + at] }}"),
            format!("if at >= {n} || at % 2 == 1 {{ 0 }} else {{ m[from + at] }}"),
            format!("if n > 3 && at < {n} {{ m[from + at] }} else {{ 0 }}"),
        ];
        for value in inside {
            assert_eq!(code(n, "1", &value), "", "{n}: {value}");
        }
        assert_eq!(code(n, "2", &format!("m[from + at % {n}]")), "OB054", "the same half of {n}");
        let outside = [
            format!("m[from + c[i] % {more}]"),
            format!("m[from + {} - c[i] % {n}]", n - 2),
            format!("m[from + c[i] % {n} * 2]"),
            format!("if at < {more} {{ m[from + at] }} else {{ 0 }}"),
            format!("if at <= {n} {{ m[from + at] }} else {{ 0 }}"),
            format!("if at > {n} {{ 0 }} else {{ m[from + at] }}"),
            format!("if at < {n} {{ 0 }} else {{ m[from + at] }}"),
            format!("if n > 3 || at < {n} {{ m[from + at] }} else {{ 0 }}"),
            format!("if at == {n} {{ 0 }} else {{ m[from + at] }}"),
            // What is read twice may be another number.
            format!("if m[from + i] < {n} {{ m[from + m[from + i]] }} else {{ 0 }}"),
        ];
        for value in outside {
            assert_eq!(code(n, "1", &value), "OB054", "{n}: {value}");
        }
    }
}

/// A view of one half tests that what is read by data is in it.
#[test]
fn rows_of_a_mutable_array_keep_to_themselves() {
    let code = |row: &str, at: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {{
                xs.split_up(64).as_grid_map(|c| exec_block({{
                    let m = c.append(c).new_mut();
                    seq_for(n, |k| for_all(64, |i| {{ m[(k + 1) % 2 * 64 + i] = m.to_rows(2)[{row}][{at}]; }}));
                    m.to_rows(2)[n % 2].push() }})) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    for at in ["i", "c[i]", "c[i] + i", "c[i] % 64", "63 - i", "m[i]"] {
        assert_eq!(code("k % 2", at), "", "{at}");
    }
    assert_eq!(code("k % 2", "m[63 - i]"), "OB054");
    assert_eq!(code("(k + 1) % 2", "c[i]"), "OB054");
    assert_eq!(code("(k + 1) % 2", "63 - i"), "OB052");
    // In either half a thread finds its own element, or another's.
    assert_eq!(code("c[i]", "i"), "");
    assert_eq!(code("c[i]", "63 - i"), "OB054");
    assert_eq!(code("k % 2", "i + 1"), "OB050");
    assert_eq!(code("k % 3", "i"), "OB050");
    assert_eq!(code("k % 2", "64"), "OB035");
}

/// What a round of `power` and `while_` reads stays in the half that the round does not write.
#[test]
fn rounds_in_two_buffers_read_one_of_them() {
    let code = |rounds: &str, at: &str| {
        let text = format!(
            "#[kernel(threads = 64)] pub fn k(xs: Pull<u32, 64>, n: u32) -> Push<Grid, u32> {{
                iota(2).as_grid_map(|b| exec_block(xs.{rounds}mk_pull(64, |i| a[{at}]).push()).push())) }}"
        );
        mistakes(&text).first().map_or("", |e| e.code)
    };
    for rounds in ["power(1, |k, a| ", "power(2, |k, a| ", "power(n, |k, a| ", "while_(|a| a[0] > 3, |a| "] {
        assert_eq!(code(rounds, "xs[i]"), "", "{rounds}");
        assert_eq!(code(rounds, "63 - i"), "", "{rounds}");
        assert_eq!(code(rounds, "i + 1"), "OB050", "{rounds}");
        assert_eq!(code(rounds, "64"), "OB035", "{rounds}");
    }
}
