//! Which array stands where which is asked for, by what is known of its length.

use obsidian_lang::driver::compile_all;
use obsidian_lang::syntax::SpanTable;

/// The codes of what is wrong with a kernel of `xs: DPull<u32>`, beside some functions.
fn mistakes(body: &str) -> Vec<&'static str> {
    let text = format!(
        "fn doubled<S: Size>(xs: Pull<u32, S>) -> Pull<u32, S> {{ xs.append(xs) }}
         fn with_one<S: Size>(xs: Pull<u32, S>) -> Pull<u32, S> {{ singleton(1).append(xs).append(singleton(1)) }}
         fn any(xs: DPull<u32>) -> DPull<u32> {{ xs.reverse() }}
         fn seven() -> DPull<u32> {{ iota(7) }}
         fn known(xs: Pull<u32>) -> Pull<u32> {{ xs.reverse() }}
         fn same<S: Size>(xs: Pull<u32, S>, ys: Pull<u32, S>) -> Pull<u32, S> {{ if xs.len() > 4 {{ xs }} else {{ ys }} }}
         fn added<S: Size>(m: Mut<u32, S>, xs: Pull<u32, S>) -> Program<Block, ()> {{
             for_all(xs.len(), |i| {{ atomic_add(m, i, xs[i]); }})
         }}
         #[kernel(threads = 32)] pub fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ {body} }}"
    );
    let found = compile_all(text.parse().expect("tokens"), &mut SpanTable::default());
    found.err().unwrap_or_default().iter().map(|mistake| mistake.code).collect()
}

#[test]
fn a_known_length_stands_for_any() {
    for body in [
        "xs.append(singleton(0)).push()",
        "singleton(0).append(xs).push()",
        "xs.zip_with([1, 2, 3], |x, y| x * y).push()",
        "[1, 2, 3].zip_with3(xs, iota(9), |x, y, z| x * y + z).push()",
        "{ let ys: DPull<u32> = iota(7); ys.push() }",
        "any(iota(7)).push()",
        "seven().append(known(iota(7))).push()",
        "doubled(xs).append(doubled(iota(7))).append(with_one(xs)).push()",
        "known(with_one(doubled(iota(7)))).push()",
        "iota(7).push()",
        "iota(7).push().append(xs.push())",
        "xs.zip(iota(7)).map(|(x, i)| x + i).push()",
    ] {
        assert_eq!(mistakes(body), [""; 0], "{body}");
    }
}

#[test]
fn any_length_does_not_stand_for_a_known_one() {
    for body in [
        "known(xs).push()",
        "known(xs.append(iota(7))).push()",
        "known(iota(7).append(xs)).push()",
        "known(same(iota(7), xs)).push()",
        "{ let ys: Pull<u32> = xs; ys.push() }",
        // What changes has one kind of length.
        "xs.chunks(8).as_grid_map(|c| exec_block({ let m = new_mut(iota(8).push()); added(m, c); m.to_pull().push() }))",
    ] {
        assert_eq!(mistakes(body), ["OB026"], "{body}");
    }
}

/// What a launch is asked of the columns of `m`, or of `n`, by the code of a row's block.
fn asked(code: &str) -> Vec<String> {
    let text = format!(
        "#[kernel(threads = 32)] pub fn k(m: DMat<u32>, n: u32) -> DPush<Grid, u32> {{
             m.as_grid_map(|row| exec_block({{ let mut at = 0; {code} at }}))
         }}"
    );
    let found = compile_all(text.parse().expect("tokens"), &mut SpanTable::default());
    let entries = found.unwrap_or_else(|mistakes| panic!("{code}: {mistakes:?}"));
    let checks = entries.kernels[0].variants[0].native.checks.iter().map(|check| check.message.clone());
    checks.filter(|message| message.contains("multiple") || message.contains("at least")).collect()
}

/// What an `if` around says is not asked, and nothing else is left out.
#[test]
fn a_launch_is_not_asked_what_an_if_says() {
    let cut = |cond: &str| asked(&format!("if {cond} {{ at = row.split_up(4).len(); }}"));
    let multiple = ["`m_cols` must be a multiple of 4"];
    for enough in ["row.len() % 4 == 0", "n > 2 && row.len() % 4 == 0", "!(row.len() % 4 != 0)"] {
        assert_eq!(cut(enough), [""; 0], "{enough}");
    }
    for other in
        ["row.len() % 4 != 0", "row.len() % 2 == 0", "n > 2 || row.len() % 4 == 0", "row.len() > 4", "n % 4 == 0"]
    {
        assert_eq!(cut(other), multiple, "{other}");
    }
    for other in ["!(row.len() % 4 == 0 && n > 2)", "!(row.len() % 4 == 0 || n > 2)"] {
        assert_eq!(cut(other), multiple, "{other}");
    }
    // The other side knows the opposite, and what follows knows nothing.
    assert_eq!(asked("if row.len() % 4 == 0 { at = 1; } else { at = row.split_up(4).len(); }"), multiple);
    assert_eq!(asked("if row.len() % 4 == 0 { at = 1; } at = row.split_up(4).len();"), multiple);
    let one = |cond: &str| asked(&format!("if {cond} {{ at = row.non_empty().len(); }}"));
    for enough in
        ["row.len() > 0", "row.len() != 0", "row.len() >= 1", "row.len() > 7", "0 < row.len()", "!(row.len() == 0)"]
    {
        assert_eq!(one(enough), [""; 0], "{enough}");
    }
    for other in ["row.len() >= 0", "row.len() == 0", "row.len() < 1", "row.len() != 1", "n > 0", "row.len() <= 5"] {
        assert_eq!(one(other), ["`m_cols` must be at least 1"], "{other}");
    }
    // On the other side.
    let none = |cond: &str| asked(&format!("if {cond} {{ at = 1; }} else {{ at = row.non_empty().len(); }}"));
    for enough in [
        "row.len() == 0",
        "row.len() < 1",
        "row.len() <= 0",
        "row.len() < 9",
        "1 > row.len()",
        "row.len() == 0 || n > 1",
    ] {
        assert_eq!(none(enough), [""; 0], "{enough}");
    }
    for other in [
        "row.len() != 0",
        "row.len() >= 1",
        "row.len() >= 7",
        "row.len() > 0",
        "5 <= row.len()",
        "0 < row.len()",
        "row.len() == 0 && n > 1",
    ] {
        assert_eq!(none(other), ["`m_cols` must be at least 1"], "{other}");
    }
    // At least as much as is asked.
    let three = |cond: &str| asked(&format!("if {cond} {{ at = row.drop(3).len(); }}"));
    for enough in ["row.len() > 2", "row.len() >= 3", "row.len() >= 4", "3 <= row.len()"] {
        assert_eq!(three(enough), [""; 0], "{enough}");
    }
    for other in ["row.len() > 1", "row.len() >= 2", "row.len() != 0", "2 <= row.len()", "1 < row.len()"] {
        assert_eq!(three(other), ["`m_cols` must be at least 3"], "{other}");
    }
}

/// What a row, a column or a place of `m` is compared with when the kernel runs, or the codes of its mistakes with their first notes.
fn tested(read: &str) -> Vec<String> {
    tested_in(&format!(
        "#[kernel(threads = 32)] pub fn k(m: DMat<u32>, at: DPull<u32>, n: u32) -> PushMat<Grid, u32> {{
             mk_mat(at.len(), m.cols(), |r, c| {{ {read} }}).push()
         }}"
    ))
}

/// What a kernel carries, which the interpreter and the judge read, tells both although passes make the loads anew.
#[test]
fn the_row_and_the_column_of_a_load_are_carried() {
    for (read, told) in [
        ("m[(r, c)]", "at (b0 of m_rows, i1 of m_cols)"),
        ("m[(at[r], c)] + m[(0, c)]", "at (at[b0] of m_rows, i1 of m_cols)"),
    ] {
        let text = format!(
            "#[kernel(threads = 32)] pub fn k(m: DMat<u32>, at: DPull<u32>) -> PushMat<Grid, u32> {{
                 mk_mat(m.rows(), m.cols(), |r, c| {{ {read} }}).push()
             }}"
        );
        let found = compile_all(text.parse().expect("tokens"), &mut SpanTable::default()).expect("it is right");
        let printed = obsidian_ir::program::print(&found.kernels[0].variants[0].native);
        assert!(printed.contains(told), "{read}: {printed}");
    }
}

fn tested_in(text: &str) -> Vec<String> {
    match compile_all(text.parse().expect("tokens"), &mut SpanTable::default()) {
        Err(mistakes) => mistakes.iter().map(|m| format!("{}: {}", m.code, m.notes[0])).collect(),
        Ok(found) => {
            let printed = obsidian_ir::program::print(&found.kernels[0].variants[0].native);
            let tests = printed.lines().map(str::trim).filter(|line| line.starts_with("if "));
            tests.filter_map(|line| line.split_once(" >= ")).map(|(_, len)| len.to_string()).collect()
        }
    }
}

/// A row and a column are two questions: the place in the whole that they make answers neither.
#[test]
fn a_matrix_is_read_by_row_and_column() {
    let row = "m_rows";
    let column = "m_cols";
    assert_eq!(tested("m[(at[r], c)]"), [row]);
    assert_eq!(tested("m[(r, at[r])]"), [column]);
    assert_eq!(tested("m[(at[r], at[r])]"), [row, column]);
    let inside = |test: &str| tested(&format!("if {test} {{ m[(at[r], at[r])] }} else {{ 0 }}"));
    assert_eq!(inside("at[r] < m.rows()"), [column]);
    assert_eq!(inside("at[r] < m.cols()"), [row]);
    assert_eq!(inside("at[r] < m.rows() && at[r] < m.cols()"), [""; 0]);
    assert_eq!(inside("at[r] < m.rows() * m.cols()"), [row, column]);
    assert_eq!(tested("if r * m.cols() + at[r] < m.rows() * m.cols() { m[(r, at[r])] } else { 0 }"), [column]);
    assert_eq!(
        tested("let i = at[r]; if i < m.rows() * m.cols() { m[(i / m.cols(), i % m.cols())] } else { 0 }"),
        [""; 0]
    );
    assert_eq!(
        tested("let i = at[r]; if i < m.rows() * m.cols() { m[(i % m.rows(), i / m.rows())] } else { 0 }"),
        [""; 0]
    );
    let other = "let i = at[r]; if i < m.rows() * m.cols() { m[(i / m.rows(), i % m.rows())] } else { 0 }";
    assert_eq!(tested(other), [row, column]);
    // A place that another row has is refused, too.
    assert_eq!(tested("m[(0, m.cols())]"), ["OB050: the column is `m_cols`"]);
    for past in ["m[(r, c + 1)]", "if r + 1 < m.rows() { m[(r, c + 1)] } else { 0 }", "m[(at[r], c + 1)]"] {
        assert_eq!(tested(past), ["OB050: the column is `c + 1`"], "{past}");
    }
}

/// What two pairs read is a place in the whole.
#[test]
fn one_element_by_two_pairs() {
    assert_eq!(tested("m[(at[r], 0)] + m[(0, at[r] * m.cols())]"), ["len(m)"]);
}

/// The last of the parts of eight rows has what is left: both sides of that choice are looked at.
#[test]
fn rows_of_the_last_part() {
    let parts = |whole: &str, rest: &str| {
        tested_in(&format!(
            "#[kernel(threads = 32)] pub fn k(m: DMat<u32>) -> PushMat<Grid, u32> {{
                 let rows = m.rows();
                 mk_pull(rows / 8 + min(rows % 8, 1), |a| {{
                     let down = if a < rows / 8 {{ {whole} }} else {{ {rest} }};
                     mk_pull(m.cols(), |j| exec_thread(seq_fold(down, 0, |sum, i| sum + m[(a * 8 + i, j)]))).as_block()
                 }}).as_grid_rows()
             }}"
        ))
    };
    assert_eq!(parts("8", "rows % 8"), [""; 0]);
    for (whole, rest) in [("9", "rows % 8"), ("8", "rows % 8 + 1"), ("8", "8"), ("rows % 8", "8")] {
        assert_ne!(parts(whole, rest), [""; 0], "{whole}, {rest}");
    }
}

/// A kernel between launches of an entry at `Device` knows the pair, too.
#[test]
fn a_matrix_is_read_by_row_and_column_at_device() {
    let text = "#[kernel(threads = 32)] pub fn k(m: DMat<u32>, at: DPull<u32>) -> Program<Device, DPull<u32>> {
         let xs = at.map(|x| x / 2).compute();
         mk_pull(xs.len(), |r| if r < m.rows() { m[(r, xs[r])] } else { 0 }).compute()
     }";
    let found = compile_all(text.parse().expect("tokens"), &mut SpanTable::default()).expect("right");
    let kernels = found.modules.iter().flat_map(|entry| &entry.variants).flat_map(|variant| &variant.kernels);
    let printed: String = kernels.map(|kernel| obsidian_ir::program::print(&kernel.native)).collect();
    assert!(printed.contains(" >= m_cols") && !printed.contains(" >= len(m)"), "{printed}");
}
