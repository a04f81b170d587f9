//! Tests of the text form: what it says, and what it says of bad text. That all programs read back is tested in `tests/forms.rs`
//! here, and on random kernels in `fuzz`.

use super::{difference, print, read, round_trip};
use crate::passes::fixture;
use crate::program::Claim;

/// A program of a line.
fn of(line: &str) -> String {
    format!("kernel k (threads = 32, shared = 0 B)\n  in  x: u32[len(x)]\n  out out: u32[8]\n  blocks: 1\n  {line}\n")
}

#[test]
fn programs_by_hand_read_back() {
    for program in [fixture::reduce(64), fixture::warp_reduce(100), fixture::saxpy(1)] {
        round_trip(&program).unwrap_or_else(|what| panic!("{what}"));
    }
}

#[test]
fn every_statement_reads_back_as_it_is_written() {
    let text = "\
kernel all (threads = 64, shared = 256 B of 1024, target = sm_80, math = fast)
  in  x: u32[len(x)]
  mut m: (u32, f32)[64]
  in  lane: u32
  in  h: f16
  out out: (i64,)[8]
  fault fault
  with shared per Block votes6: u32[2] at 192
  blocks: 4
  where x[0] == 1, found 7   // something
  where h < 1.5, found bits::<u32>(h as f32)   // assert!{f32} \\\\ and\\nmore\\n
  distribute Block b0 < 3
    shared per Warp s7: f32[40] rows of 8 by 10 at 0
    local a8: u8[4]
    let t1 = 5u32
    let i2(3..=9) = t1 + arg(lane)
    local v3: f32
    local w4(0..=7): u32 = i2 & 7
    v3 = bits::<f32>(w4 + 0x80000000)
    forall Block i5 < 64
      s7[i5] = mul_add(v3, -0.5, bits::<f32>(0x7fc00001))
      unsafe m_0[i5] = min(i5, len(x))
      prove atomic_exchange(m_1[i5], -inf)
      let o6 = atomic_compareexchange(x[0], 4, 5)
    sync Block
    if !(t1 < 3)
      seq i7(0..=99) in 0..t1 by w4
        out[0] = (if t1 == w4 { 1 } else { -1 }) * (h as i64)
    else
      loop
        let c8 = count_ones(w4)
      while (c8 > 2) & true
        w4 = w4 >> 1
    while votes6[w4] != 0
      w4 = -(w4 as i32) as u32
    let n9 = t1 of lane lane ^ 16
    let n10 = t1 of lane (lane ^ 16)
    let n11 = t1 of lane all, min
    let v12, v13 = x[t1 ..]
    m_0[2 ..] = v12, v13
";
    let text = text.replace("-(w4 as i32) as u32", "(w4 as i32) as u32");
    let program = read(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&program), text);
    assert_eq!(difference(&program, &read(&text).expect("as before")), None);
}

/// A load of a row and a column is another than one of the place alone.
#[test]
fn rows_and_columns_are_read_back() {
    let text = of("out[0] = x[(2 * len(x)) + 1 at (2 of 3, 1 of len(x))]");
    let program = read(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(print(&program), text);
    round_trip(&program).unwrap_or_else(|what| panic!("{what}"));
    let alone = read(&of("out[0] = x[(2 * len(x)) + 1]")).expect("a program");
    assert!(difference(&program, &alone).is_some());
    let another = read(&text.replace("1 of len", "0 of len")).expect("a program");
    assert!(difference(&program, &another).is_some());
}

#[test]
fn large_expressions_are_shared() {
    let mut text = of("let t0 = x[0]");
    for i in 0..40 {
        text += &format!("  ${} = {1} + {1}\n", i + 1, if i == 0 { "t0".to_string() } else { format!("${i}") });
    }
    text += "  out[0] = $40\n";
    let program = read(&text).unwrap_or_else(|e| panic!("{e}"));
    let printed = print(&program);
    assert!(printed.len() < 20_000, "{} characters", printed.len());
    round_trip(&program).unwrap_or_else(|what| panic!("{what}"));
}

/// Bad text, and the place and message of the error.
const BAD: [(&str, (usize, usize), &str); 24] = [
    ("out[0] = x[1 at (0 of 1)]", (5, 26), "expected `,`"),
    ("out[0] = x[1 at (0, 1)]", (5, 21), "expected `of`"),
    ("out[0] = y", (5, 12), "there is no variable or scalar `y` up to here"),
    ("out[0] = y[1]", (5, 12), "there is no array `y`"),
    ("out[0] = 1 +", (5, 15), "expected an expression"),
    ("out[0] = 1 + 2 + 3", (5, 18), "expected the end of the line"),
    ("out[0] = 1.5", (5, 12), "`1.5` is no value of u32"),
    ("out[0] = 5000000000", (5, 12), "`5000000000` is no value of u32"),
    ("out[0 = 1", (5, 9), "expected `]`"),
    ("let t = 5", (5, 11), "nothing tells the type of `5`: write it, as in `7u32`"),
    ("let t = min(len(x))", (5, 11), "`min` is no function of these operands"),
    ("let t = sqrt(len(x), 1)", (5, 11), "`sqrt` takes one operand"),
    ("let tid = len(x)", (5, 7), "`tid` is no name for a variable"),
    ("let t(9..=3) = len(x)", (5, 7), "9..=3 is no range of u32"),
    ("sync Blocks", (5, 8), "`Blocks` is no level"),
    ("frobnicate", (5, 3), "expected a statement"),
    ("else", (5, 3), "expected a statement"),
    ("loop", (5, 3), "a `loop` has its `while` after it"),
    ("out[0] = $1", (5, 12), "there is no `$1` up to here"),
    ("out[0] = `", (5, 12), "``` means nothing here"),
    ("      out[0] = 1", (5, 9), "this line is nested too deeply"),
    (" out[0] = 1", (5, 4), "a line is indented by two spaces for each level"),
    ("shared per Block s9@99999999: u32[4]", (5, 23), "this number is too large"),
    ("let t = x[0]\n  let t = x[0] as f32", (6, 7), "`t` is already a variable of another type"),
];

/// What shows its type is looked for in the numbers that are chosen between.
#[test]
fn a_text_of_choices_that_are_shared_has_an_end() {
    let mut text = of("let t0 = x[0]") + "  $1 = if t0 < 1 { 2u32 } else { 3u32 }\n";
    for i in 1..64 {
        text += &format!("  ${} = if t0 < {i} {{ ${i} }} else {{ ${i} + ${i} }}\n", i + 1);
    }
    text += "  out[0] = $64\n";
    let program = read(&text).unwrap_or_else(|e| panic!("{e}"));
    let printed = print(&program);
    assert!(printed.len() < 50_000, "{} characters", printed.len());
    round_trip(&program).unwrap_or_else(|what| panic!("{what}"));
}

#[test]
fn bad_text_is_an_error_at_its_place() {
    for (line, place, message) in BAD {
        let error = read(&of(line)).expect_err(line);
        assert_eq!(((error.line, error.column), error.message.as_str()), (place, message), "{line}");
    }
    let heads = [
        ("", (1, 1), "expected `kernel`"),
        ("kernel k", (1, 9), "expected `(`"),
        ("kernel k (threads = 0, shared = 0 B)", (1, 21), "a block has 1 to 1024 threads"),
        ("kernel k (threads = 1, shared = 0 B)\n  in  x: u33[4]", (2, 10), "`u33` is no scalar type"),
        ("kernel k (threads = 1, shared = 0 B)\n  in  x: u32[len(y)]", (2, 14), "there is no parameter `y`"),
        ("kernel k (threads = 1, shared = 0 B)", (1, 1), "expected a line `blocks:` with the number of blocks"),
    ];
    for (text, place, message) in heads {
        let error = read(text).expect_err(text);
        assert_eq!(((error.line, error.column), error.message.as_str()), (place, message), "{text}");
    }
}

#[test]
fn deep_text_is_an_error_and_no_overflow() {
    for (open, close) in [("(", ")"), ("-", ""), ("!", ""), ("x[", "]"), ("abs(", ")"), ("if ", "")] {
        let line = format!("out[0] = {}1{}", open.repeat(100_000), close.repeat(100_000));
        assert_eq!(read(&of(&line)).expect_err("too deep").message, "this is nested too deeply");
    }
    let nested: String = (0..5000).map(|i| format!("{}if true\n", "  ".repeat(i + 1))).collect();
    let text = format!("kernel k (threads = 1, shared = 0 B)\n  blocks: 1\n{nested}");
    assert_eq!(read(&text).expect_err("too deep").message, "this line is nested too deeply");
}

/// Each part of a program's text, changed, is noticed: `difference` compares something.
#[test]
fn a_changed_program_is_another() {
    let program = fixture::reduce(64);
    let text = print(&program);
    let mut changes = 0;
    for (old, new) in
        [("threads = 64", "threads = 32"), ("< 256", "< 255"), ("s256@2", "z256@2"), ("+", "*"), ("b0", "c0")]
    {
        let changed = text.replace(old, new);
        changes += usize::from(changed != text);
        let changed = read(&changed).unwrap_or_else(|e| panic!("{e}\n{changed}"));
        assert!(difference(&program, &changed).is_some(), "{old} to {new}");
    }
    assert!(changes >= 4, "{changes}\n{text}");
    let mut claimed = program.clone();
    claimed.threads = 64;
    if let Some(crate::program::StmtKind::DistrPar { body, .. }) = claimed.body.first_mut().map(|s| &mut s.kind)
        && let Some(crate::program::StmtKind::ForAll { body, .. }) = body.last_mut().map(|s| &mut s.kind)
    {
        body[0].claim = Claim::Author;
    }
    assert_eq!(difference(&program, &claimed).as_deref(), Some("claim: ByConstruction and Author"));
}

#[test]
fn a_message_of_several_lines_is_one_line() {
    let message = "one\\ntwo\nand \\ three\n";
    let line = super::header::one_line(message);
    assert!(!line.contains('\n'), "{line}");
    assert_eq!(super::header::of_one_line(&line), message);
}
