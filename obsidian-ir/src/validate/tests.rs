//! A program for each rule, that breaks it: written as text, since the reader asks for no rule.

use super::{Form, check};
use crate::program::text::read;

/// A program of these lines.
fn program(lines: &str) -> String {
    let body: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "kernel k (threads = 64, shared = 512 B)
  in  x: u32[len(x)]
  in  n: u32
  in  h: f16
  mut m: f32[64]
  out out: u32[64]
  blocks: 1
{body}"
    )
}

/// The rule that a program breaks; nothing where it breaks none.
fn broken(form: &Form, lines: &str) -> Option<String> {
    let text = program(lines);
    let program = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let error = check(&program, form).err()?;
    assert_eq!(error.code, "OB099");
    let message = error.message.strip_prefix("the kernel compiler broke a rule of its own: ");
    Some(message.and_then(|m| m.strip_suffix("; please report this")).expect("the usual words").to_string())
}

/// Each line: the form, the program, and the rule that it breaks.
const BROKEN: &[(Form, &str, &str)] = &[
    // Names.
    (Form::MACHINE, "if n < 1\n  let t = n\nout[0] = t", "`t` is read where it is not bound"),
    (Form::MACHINE, "if n < 1\n  local v: u32 = 0\nv = 1", "`v` is set where it is not declared"),
    (Form::MACHINE, "seq i in 0..n\n  out[i] = i\nout[0] = i", "`i` is read where it is not bound"),
    (Form::MACHINE, "let t = n\nt = 1", "`t` is set and is no mutable variable"),
    (Form::MACHINE, "if n < 1\n  local a9: u32[4]\nout[0] = a9[0]", "`a9` is used where it is not allocated"),
    (Form::MACHINE, "a9[0] = 1\nlocal a9: u32[4]", "`a9` is used where it is not allocated"),
    // Types.
    (Form::MACHINE, "out[0] = n + x[m[0]]", "an index is no u32"),
    (Form::MACHINE, "out[0] = m[0]", "what is assigned is of type f32, not u32"),
    (Form::MACHINE, "let t = n + m[0]", "Add of u32 and f32"),
    (Form::MACHINE, "let t = h + h", "Add of f16"),
    (Form::MACHINE, "let t = h as f64", "a 16-bit float is converted past f32"),
    (Form::MACHINE, "let t = m[0] << m[1]", "Shl of f32"),
    (Form::MACHINE, "let t = sqrt(n)", "Sqrt of u32"),
    (Form::MACHINE, "let t = bits::<f64>(n)", "the bits of u32 as f64"),
    (Form::MACHINE, "let t = mul_add(n, n, n)", "mul_add of something that is no f32 or f64"),
    (Form::MACHINE, "let t = if n { n } else { n }", "a choice by something that is no bool"),
    (Form::MACHINE, "if n\n  out[0] = 1", "a condition is of type u32, not bool"),
    (Form::MACHINE, "seq i in 0..8 by 0\n  out[i] = i", "a loop has step 0"),
    (Form::MACHINE, "out[0] = len(out)", "the length of something that is no input"),
    // Arrays.
    (Form::MACHINE, "x[0] = 1", "the input `x` is written"),
    (Form::MACHINE, "shared per Block s9: u32[64]\ns9[0] = 1", "`s9` has no place in shared memory"),
    (Form::MACHINE, "shared per Block s9: u32[64] at 2\ns9[0] = 1", "`s9` lies at 2, which its elements may not"),
    (Form::MACHINE, "shared per Block s9: u32[64] at 260\ns9[0] = 1", "`s9` ends at 516, and shared memory at 512"),
    (Form::MACHINE, "shared per Warp s9: u32[64] at 4\ns9[0] = 1", "`s9` ends at 516, and shared memory at 512"),
    (Form::MACHINE, "shared per Block s9: u32[n] at 0\ns9[0] = 1", "`s9` has no known length"),
    (Form::MACHINE, "shared per Thread s9: u32[4] at 0\ns9[0] = 1", "`s9` is shared by a Thread"),
    (Form::MACHINE, "shared per Block s9: u32[64] rows of 8 by 4 at 0\ns9[0] = 1", "the rows of `s9` overlap"),
    (
        Form::STRUCTURED,
        "lanes s9: u32[64]\ndistribute Block b < 1\n  forall Block i < 1\n    s9[0] = 1",
        "`s9` is still wanted in lanes",
    ),
    // Vectors.
    (Form::MACHINE, "let a, b, c = x[0 ..]", "a vector of 3 u32"),
    (Form::MACHINE, "local a9: u32[4]\nlet a, b = a9[0 ..]", "a vector of `a9`, which lies in registers"),
    (Form::MACHINE, "shared per Block s9: u32[4] at 4\nlet a, b = s9[0 ..]", "`s9` lies where no vector may"),
    (Form::MACHINE, "let a, b = m[0 ..]\nout[0 ..] = n, n, n", "a vector of 3 u32"),
    (Form::SCHEDULED, "let a, b = x[0 ..]", "a vector access"),
    // Atomic updates.
    (Form::MACHINE, "atomic_max(m[0], 1.0)", "an atomic Max of f32"),
    (Form::MACHINE, "atomic_compareexchange(out[0], 1)", "an atomic CompareExchange of u32"),
    // Levels.
    (Form::MACHINE, "forall Block i < 64\n  out[i] = i", "a loop over threads is left"),
    (Form::MACHINE, "distribute Block b < 1\n  out[b] = b", "a loop over programs is left"),
    (Form::NATIVE, "forall Block i < 64\n  out[i] = i", "threads of the Block in code of the Grid"),
    (
        Form::NATIVE,
        "distribute Block b < 1\n  forall Block i < 64\n    forall Warp j < 3\n      out[j] = i",
        "threads of the Warp in code of the Thread",
    ),
    (Form::NATIVE, "distribute Warp w < 1\n  sync Warp", "programs of the Warp in code of the Grid"),
    (
        Form::NATIVE,
        "distribute Block b < 1\n  forall Block i < 64\n    sync Block",
        "a barrier of the Block in code of the Thread",
    ),
    (
        Form::NATIVE,
        "distribute Block b < 1\n  distribute Warp w < 2\n    sync Block",
        "a barrier of the Block in code of the Warp",
    ),
    (
        Form::NATIVE,
        "distribute Block b < 1\n  forall Block i < 64\n    shared per Block s9: u32[4] at 0",
        "a thread allocates what several share",
    ),
    (Form::NATIVE, "distribute Block b < 1\n  forall Block i < 64\n    out[i] = tid", "a register of the machine"),
    (Form::NATIVE, "distribute Block b < 1\n  forall Block i < 64\n    let t = n of lane 3", "a shuffle"),
    (Form::STAGED, "distribute Block b < 1\n  sync Block", "a barrier before its time"),
    (Form::GROUP, "sync Warp", "a barrier of a warp"),
    (Form::GROUP, "let t = n of lane 3", "a shuffle"),
    // Registers.
    (
        Form::STAGED,
        "distribute Block b < 1\n  registers q9: u32[64]\n  forall Block i < 64\n    q9[63 - i] = 1",
        "`q9` is in registers of other threads",
    ),
    (
        Form::STAGED,
        "distribute Block b < 1\n  registers q9: u32[64]\n  forall Block i < 64\n    out[i] = q9[i] + q9[b]",
        "`q9` is in registers of other threads",
    ),
    (
        Form::STAGED,
        "distribute Block b < 1\n  registers q9: u32[64]\n  forall Block i < 32\n    q9[i] = 1",
        "`q9` is in registers of other threads",
    ),
    (
        Form::STAGED,
        "distribute Block b < 1\n  registers q9: u32[32]\n  distribute Warp w < 2\n    forall Warp i < 32\n      q9[i] = 1",
        "`q9` is in registers of other threads",
    ),
    (
        Form::STAGED,
        "distribute Block b < 1\n  registers q9: u32[64]\n  seq i in 0..64\n    q9[i] = 1",
        "`q9` is in registers of other threads",
    ),
    (Form::NATIVE, "distribute Block b < 1\n  registers q9: u32[64]", "`q9` is still wanted in registers"),
    (Form::MACHINE, "registers q9: u32[64]", "`q9` is still wanted in registers"),
    (
        Form::STAGED,
        "distribute Block b < 1\n  forall Block i < 64\n    registers q9: u32[64]",
        "a thread allocates what several share",
    ),
    // Lanes.
    (Form::MACHINE, "let t = n of lane n", "a lane may be 32 or more"),
    (Form::MACHINE, "let t = m[0] of lane all, +", "a reduction of f32 by Add"),
    // Where all come by.
    (Form::MACHINE, "if tid < 7\n  sync Block", "a barrier that not all threads of the block reach together"),
    (Form::MACHINE, "if warp < 1\n  sync Block", "a barrier that not all threads of the block reach together"),
    (Form::MACHINE, "if lane < 7\n  sync Warp", "a barrier that not all lanes of the warp reach together"),
    (Form::MACHINE, "if lane < 7\n  let t = n of lane 3", "a shuffle that not all lanes of the warp reach together"),
    (
        Form::MACHINE,
        "local v: u32 = 0\nwhile v < 9\n  sync Block\n  v = v + tid",
        "a barrier that not all threads of the block reach together",
    ),
    (
        Form::MACHINE,
        "local v: u32 = 0\nif tid < 3\n  v = 1\nif v < 1\n  sync Block",
        "a barrier that not all threads of the block reach together",
    ),
    (
        Form::MACHINE,
        "let o = atomic_add(out[0], 1)\nif o < 1\n  sync Block",
        "a barrier that not all threads of the block reach together",
    ),
    (
        Form::MACHINE,
        "local a9: u32[1]\na9[0] = tid\nif a9[0] < 1\n  sync Block",
        "a barrier that not all threads of the block reach together",
    ),
    (Form::MACHINE, "seq i in tid..n by 4\n  sync Warp", "a barrier that not all lanes of the warp reach together"),
    // What scheduling ensures.
    (Form::MACHINE, "out[0] = if n < 3 { x[n] } else { 0 }", "a load in a branch of a choice"),
    (Form::MACHINE, "local v: u32 = 0\nseq i in 0..v\n  v = 9", "the end or step of a loop may change while it runs"),
    (Form::MACHINE, "seq i in 0..out[0]\n  out[0] = 9", "the end or step of a loop may change while it runs"),
];

#[test]
fn every_rule_is_noticed_where_it_is_broken() {
    for (form, lines, rule) in BROKEN {
        assert_eq!(broken(form, lines).as_deref(), Some(*rule), "{lines}");
    }
}

/// Programs that are near to those above and break nothing.
const KEPT: &[(Form, &str)] = &[
    (Form::MACHINE, "loop\n  let t = n\nwhile t < 3\n  out[0] = t"),
    (Form::MACHINE, "if warp < 1\n  sync Warp\n  let t = n of lane lane ^ 1\n  out[0] = t"),
    (Form::MACHINE, "seq w in warp..n by 2\n  sync Warp"),
    (Form::MACHINE, "local v: u32 = 0\nwhile v < 9\n  sync Block\n  v = v + 1"),
    (Form::MACHINE, "if x[0] < 3\n  sync Block"),
    (Form::MACHINE, "shared per Warp s9: u32[64] at 0\ns9[0] = 1"),
    (Form::MACHINE, "out[0] = if n < 3 { n } else { 0 }"),
    (
        Form::NATIVE,
        "distribute Block b < 1\n  sync Warp\n  distribute Warp w < 2\n    forall Warp i < 32\n      out[i] = i",
    ),
    (
        Form::STRUCTURED,
        "distribute Block b < 1\n  distribute Warp w < 2\n    forall Warp i < 32\n      let t = i of lane 3",
    ),
    (
        Form::STAGED,
        "distribute Block b < 1\n  registers q9: u32[64]\n  forall Block i < 64\n    if n < 3\n      q9[i] = q9[i] + 1",
    ),
    (Form::STAGED, "distribute Block b < 1\n  registers q9: u32[1]\n  forall Block i < 1\n    q9[0] = 1"),
    (
        Form::STAGED,
        "distribute Block b < 1\n  shared per Block s9: u32[4]\n  forall Block i < 1\n    out[0] = if n < 3 { x[n] } else { 0 }",
    ),
];

/// Where a block is one warp, its lanes are all its threads: the barriers of a warp become the block's on a device without the former.
#[test]
fn the_lanes_of_the_only_warp_are_the_block() {
    let of =
        |threads: u32| program("if warp < 1\n  sync Block").replace("threads = 64", &format!("threads = {threads}"));
    let holds = |text: &str| check(&read(text).expect("a program"), &Form::MACHINE).is_ok();
    assert!(holds(&of(1)) && holds(&of(32)));
    assert!(!holds(&of(33)));
}

#[test]
fn programs_that_keep_the_rules_are_left_alone() {
    for (form, lines) in KEPT {
        assert_eq!(broken(form, lines), None, "{lines}");
    }
}

#[test]
fn the_head_has_rules_too() {
    let wrong = [
        ("  fault f\n  in  x: u32[4]\n", "the record of faults is two u64, and the last parameter"),
        ("  in  x: u32[4]\n  out out: u32[x[0]]\n", "a value of the launch depends on what runs"),
        ("  in  n: u32\n  where n < 5, found tid\n", "a value of the launch depends on what runs"),
        ("  in  x: f32\n  where x < 5.0, found x\n", "what a launch is told is of type f32, no integer"),
    ];
    for (lines, rule) in wrong {
        let text = format!("kernel k (threads = 64, shared = 0 B)\n{lines}  blocks: 1\n");
        let program = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let error = check(&program, &Form::STAGED).expect_err(rule);
        assert!(error.message.contains(rule), "{error}");
    }
}
