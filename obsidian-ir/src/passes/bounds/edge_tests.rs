//! The last element that a rule of the prover lets through, and the first one that it must not: mistakes in these rules that the tests
//! of whole kernels did not notice.

use super::prove::Prover;
use super::{check, unproved};
use crate::passes::fixture::Make;
use crate::passes::index::Poly;
use crate::program::text::read;
use crate::program::{BinOp, ParamId, Program, ScalarType};

/// A kernel whose threads do `body` with the scalars `n`, `k`, `m`, `x`, `y` and `z` to a shared array `s` of 64 elements.
fn program(threads: u32, body: &str) -> Program {
    let text = format!(
        "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  k: u32
  in  m: u32
  in  x: i32
  in  y: i32
  in  z: f32
  out out: u32[{threads}]
  distribute Block b < 1
    shared per Block s: u32[64]
    forall Block i < {threads}
{body}
"
    );
    read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Whether all accesses of such a kernel are proved.
fn proved(threads: u32, body: &str) -> bool {
    check(&program(threads, body)).is_ok()
}

/// A load in a choice is looked at without the conditions of the choice first, with little work.
#[test]
fn a_load_in_a_choice_keeps_to_its_array() {
    let chosen = |threads| proved(threads, "      prove out[i] = if n > 3 { s[i] } else { 7 }");
    assert!(chosen(64));
    assert!(!chosen(65));
    let offset = |index: &str| proved(64, &format!("      prove out[i] = if n > 3 {{ s[{index}] }} else {{ 7 }}"));
    assert!(offset("min(n, 63)"));
    assert!(!offset("min(n, 64)"));
    assert!(offset("if n < 64 { n } else { 0 }"));
    assert!(!offset("if n <= 64 { n } else { 0 }"));
}

/// Of an array that is computed in part only what is computed may be read, in a choice too.
#[test]
fn a_load_in_a_choice_keeps_to_what_is_filled() {
    let chosen = |cond: &str, filled: bool| {
        let mut p = program(64, &format!("      prove out[i] = if {cond} {{ s[i] }} else {{ 7 }}"));
        let [n, s] = ["n", "s"].map(|name| {
            let param = p.params.iter().position(|param| param.name == name);
            param.or_else(|| p.arrays.iter().position(|array| array.name == name)).expect("it has one")
        });
        let n = p.exprs.scalar(ParamId(n as u32), ScalarType::U32);
        p.arrays[s].filled = Some(n).filter(|_| filled);
        check(&p).is_ok()
    };
    assert!(chosen("k > 3", false));
    assert!(!chosen("k > 3", true));
    assert!(chosen("i < n", true));
    assert!(!chosen("i <= n", true));
}

/// `x >> k` is above `x` where that is below zero: from -10 it comes to -5.
#[test]
fn a_shift_makes_a_number_below_zero_larger() {
    let inside =
        |cond: &str, index: &str| proved(64, &format!("      if {cond}\n        prove s[({index}) as u32] = 7"));
    assert!(inside("(y <= -10i32) & (y >= -20i32)", "-10i32 - y"));
    assert!(!inside("(x <= -10i32) & ((x >> y) >= -20i32)", "-10i32 - (x >> y)"));
}

/// Nothing is known of a float, and so of none that becomes a number.
#[test]
fn a_float_bounds_no_index() {
    let inside = |index: &str| proved(64, &format!("      prove s[{index}] = 7"));
    assert!(inside("min(z as u32, 63)"));
    assert!(!inside("z as u32"));
    assert!(!inside("min(z as u32, 64)"));
    assert!(!inside("(z as i32) as u32"));
}

/// From a multiple of a number the number is bounded by a quotient that is rounded up.
#[test]
fn half_of_an_odd_bound_is_rounded_up() {
    let inside = |least: u32, less: u32| {
        proved(64, &format!("      if (n <= 65) & ((n * 2) >= {least})\n        prove s[n - {less}] = 7"))
    };
    assert!(inside(4, 2));
    assert!(inside(3, 2));
    assert!(!inside(2, 2));
    assert!(!inside(3, 1));
    assert!(!inside(3, 3));
    let quotient = |least: u32| {
        let numbers = format!("(k <= 127) & ((n <= 1000) & ((n * 2) >= {least}))");
        proved(64, &format!("      if {numbers}\n        prove s[k / n] = 7"))
    };
    assert!(quotient(3));
    assert!(!quotient(2));
}

/// A write that strays is refused, though data decides whether it happens: only what data places gets a guard.
#[test]
fn a_write_that_strays_is_no_guarded_one_where_data_decides() {
    let guarded = |cond: &str, at: &str| {
        let p = program(64, &format!("      if {cond}\n        prove s[{at}] = 7"));
        unproved(&p).map(|found| found.updates.len()).map_err(|e| e.code)
    };
    for cond in ["s[i] > 3", "n > 3"] {
        assert_eq!(guarded(cond, "i"), Ok(0), "{cond}");
        assert_eq!(guarded(cond, "i + 1"), Err("OB050"), "{cond}");
    }
}

/// Warps do not wait for one another: what one reads of the block's memory another may write meanwhile. In its own memory a warp is in
/// step.
#[test]
fn memory_that_another_warp_writes_is_read_twice() {
    let warps = |[block, warp]: [&str; 2], writes: bool| {
        let more = if writes { "\n      forall Warp j < 32\n        t[0] = 100" } else { "" };
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  out out: u32[64]
  distribute Block b < 1
    shared per Block s: u32[64]
    shared per Block {block}: u32[64]
    distribute Warp w < 2
      shared per Warp {warp}: u32[64]
      forall Warp i < 32
        s[if t[0] < 64 {{ t[0] }} else {{ 0 }}] = 7{more}
"
        );
        check(&read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))).is_ok()
    };
    let (of_block, of_warp) = (["t", "u"], ["u", "t"]);
    assert!(warps(of_block, false) && warps(of_warp, false));
    assert!(warps(of_warp, true));
    assert!(!warps(of_block, true));
}

/// What bounds a product below does not bound its quotient above.
#[test]
fn a_quotient_is_bounded_by_what_bounds_its_dividend_above() {
    let inside = |cond: &str, at: &str| {
        let small = "(((n <= 63) & (m <= 63)) & (k <= 63)) & (k >= 1)";
        proved(64, &format!("      if ({small}) & ({cond})\n        prove s[{at}] = 7"))
    };
    assert!(inside("m <= n", "((n * k) / k) - m"));
    assert!(inside("m < n", "(((n * k) / k) - m) - 1"));
    assert!(!inside("(m * k) <= (n * k)", "(((n * k) / k) - m) - 1"));
    assert!(inside("(x as u32) < (n * k)", "(x as u32) / k"));
    assert!(inside("(x as u32) < (n * k)", "(n - 1) - ((x as u32) / k)"));
    assert!(!inside("(x as u32) <= (n * k)", "(n - 1) - ((x as u32) / k)"));
}

/// A product is at least as large as a factor, unless it wraps: 65,536 times 65,536 is 0.
#[test]
fn a_product_that_may_wrap_is_bounded_by_no_factor() {
    let inside = |n: u32, k: u32| {
        let factors = format!("((n >= 1) & (n <= {n})) & ((k >= 60000) & (k <= {k}))");
        proved(64, &format!("      if ({factors}) & ((n * k) < 60064)\n        prove s[(n * k) - 60000] = 7"))
    };
    assert!(inside(65535, 65536));
    assert!(!inside(65536, 65536));
    assert!(!inside(65535, 65538));
}

/// A launch that keeps a condition of one loop may break the same condition of another.
#[test]
fn each_loop_asks_the_launch_for_itself() {
    let conditions = |second: &str, index: &str| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  k: u32
  in  m: u32
  in  ys: u32[len(ys)]
  out out: u32[2]
  blocks: max(n, {second})
  distribute Block b < n
    forall Block i < 1
      prove out[0] = ys[k]
  distribute Block c < {second}
    forall Block j < 1
      prove out[1] = ys[{index}]
"
        );
        let p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        unproved(&p).map(|found| found.conditions().len()).map_err(|e| e.code)
    };
    assert_eq!(conditions("n", "k"), Ok(1));
    assert_eq!(conditions("m", "k"), Ok(2));
    assert_eq!(conditions("n", "m"), Ok(2));
}

/// Of a read in a loop and the same one behind it the launch is asked for both: there may be no round of the loop.
#[test]
fn what_a_loop_asks_for_is_not_known_behind_it() {
    let conditions = |body: &str| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  in  k: u32
  in  ys: u32[len(ys)]
  out out: u32[64]
  distribute Block b < 1
    forall Block i < 64
{body}
      prove out[i] = 7
"
        );
        let p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        unproved(&p).map(|found| found.conditions().len()).map_err(|e| e.code)
    };
    let (rounds, one) = ("      seq r in 0..n\n        let v = ys[k]\n", "      let w = ys[k]\n");
    assert_eq!(conditions(one), Ok(1));
    assert_eq!(conditions(rounds), Ok(1));
    assert_eq!(conditions(&(rounds.to_string() + rounds)), Ok(1));
    assert_eq!(conditions(&(rounds.to_string() + one)), Ok(2));
    assert_eq!(conditions(&(one.to_string() + rounds)), Ok(1));
    let sum = "      let u = ys[k] + ((ys[k] + 1) * ys[k])\n";
    assert_eq!(conditions(&(rounds.to_string() + sum)), Ok(2));
}

/// No launch is asked for what contradicts the conditions around an access.
#[test]
fn a_launch_is_asked_for_what_may_hold_where_it_is_needed() {
    let asked = |cond: &str| {
        let p = program(64, &format!("      if {cond}\n        prove s[67 - n] = 7"));
        unproved(&p).map(|found| found.conditions().len()).map_err(|e| e.code)
    };
    assert_eq!(asked("(n >= 4) & (n <= 67)"), Ok(0));
    assert_eq!(asked("n <= 67"), Ok(1));
    assert_eq!(asked("n <= 3"), Err("OB050"));
}

/// A question for which too few steps were left is asked again where there are more.
#[test]
fn what_was_given_up_may_be_proved_later() {
    let mut p = program(64, "      prove s[i] = 7");
    let [n, k] = ["n", "k"].map(|name| {
        let param = p.params.iter().position(|param| param.name == name).expect("it has one");
        p.exprs.scalar(ParamId(param as u32), ScalarType::U32)
    });
    let mut given_up = 0;
    for left in 0..8 {
        let mut prover = Prover::new(&p);
        let [n, k] = [n, k].map(|e| prover.form(0, e));
        let below = |a: &Poly, b: &Poly| b.minus(a).map(|d| d.offset(-1)).expect("it is small");
        let (top, end) = (Poly::constant(64), Poly::constant(63));
        let s = prover.with(0, vec![below(&n, &k), below(&k, &top)]);
        prover.budget.begin();
        let (mut probe, mut all) = (prover.budget, 0);
        while !probe.given_up() {
            probe.spend(1);
            all += 1;
        }
        prover.budget.spend(all - 1 - left);
        let question = below(&n, &end);
        if !prover.side_question(s, question.clone()) {
            given_up += 1;
            prover.budget.begin();
            assert!(prover.side_question(s, question), "{left}");
        }
    }
    assert!(given_up > 0);
}

/// The rest of a half by 8 and the eighths of the half, which are sixteenths of the whole, make the half again: nothing is left to search for.
#[test]
fn a_quotient_of_a_quotient_is_that_by_the_product() {
    let mut p = program(64, "");
    let n = p.exprs.scalar(ParamId(0), ScalarType::U32);
    let mut with = |op, a, b: u32| {
        let b = Make::u32(&mut p, b);
        p.op(op, a, b)
    };
    let half = with(BinOp::Shr, n, 1);
    let (rest, sixteenths) = (with(BinOp::And, half, 7), with(BinOp::Shr, n, 4));
    let others = [with(BinOp::Shr, n, 3), with(BinOp::Shr, n, 5), with(BinOp::Div, half, 9)];
    let mut prover = Prover::new(&p);
    let mut again = |quotient| {
        let [rest, quotient, half] = [rest, quotient, half].map(|e| prover.form(0, e));
        rest.combine(1, &quotient, 8) == Some(half)
    };
    assert!(again(sixteenths));
    assert_eq!(others.map(again), [false; 3]);
}

/// No expression names the block of a grid of at most one, but where it writes there is one.
#[test]
fn one_block_or_none() {
    let reversed = |blocks: &str, last: u32| {
        let text = format!(
            "kernel k (threads = 64, shared = 0 B)
  in  n: u32
  out out: u32[({blocks}) * 12]
  distribute Block b < {blocks}
    forall Block i < 12
      prove out[{last} - i] = 3
"
        );
        let program = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        check(&program).is_ok()
    };
    assert!(reversed("min(n, 12) / 12", 11) && reversed("min(n, 1)", 11));
    assert!(!reversed("min(n, 12) / 12", 12));
    // Where there may be two, there need not be the second.
    assert!(!reversed("min(n, 24) / 12", 23));
}
