//! Where arrays that are computed from one another come to lie, and in which order one is then read and the other written.

use super::run;
use crate::passes::schedule;
use crate::program::text::read;
use crate::program::{Program, print};

/// A block with the shared arrays of `arrays`, of 32 elements each: the first is filled, then `steps` run.
fn laid_out(arrays: &[&str], steps: &str) -> Program {
    let shared: String = arrays.iter().map(|name| format!("    shared per Block {name}: u32[32]\n")).collect();
    let text = format!(
        "kernel k (threads = 32, shared = 0 B)
  in  xs: u32[32]
  out out: u32[64]
  distribute Block w < 1
{shared}    forall Block f < 32
      {}[f] = xs[f]
{steps}",
        arrays[0]
    );
    let mut p = read(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    run(&mut p).expect("it fits");
    p
}

/// Where the arrays lie.
fn places(arrays: &[&str], steps: &str) -> Vec<u32> {
    let p = laid_out(arrays, steps);
    let place =
        |name: &&str| p.arrays.iter().find(|a| a.name == **name).and_then(|a| a.offset).expect("it has a place");
    arrays.iter().map(place).collect()
}

/// Of two arrays that one phase computes from a third, one takes its place.
#[test]
fn two_heirs_do_not_share_one_place() {
    let both = "    forall Block i < 32
      b[i] = a[i] + 1
      c[i] = a[i] + 2
    forall Block o < 32
      out[o] = b[31 - o] + c[31 - o]
";
    assert_eq!(places(&["a", "b", "c"], both), [0, 0, 128]);
}

/// A phase in which each thread does `then`, or `els`, with `a` and `b`; then `b` is read by others.
fn sides(then: &str, els: &str) -> Vec<u32> {
    places(
        &["a", "b"],
        &format!(
            "    forall Block i < 32
      if xs[i] > 3
{then}      else
{els}    forall Block o < 32
      out[o + 32] = b[31 - o]
"
        ),
    )
}

/// What one side of a branch writes before it reads must not lie where it reads.
#[test]
fn each_side_of_a_branch_reads_before_it_writes() {
    let last = "        b[i] = a[i] + 1\n";
    let named = "        let t = a[i]\n        b[i] = t + 1\n";
    let early = "        b[i] = 7\n        out[i] = a[i]\n";
    let empty = "        out[i] = 7\n";
    for good in [last, named] {
        assert_eq!(sides(last, good), [0, 0], "{good}");
        assert_eq!(sides(good, early), [0, 128], "{good}");
        assert_eq!(sides(early, good), [0, 128], "{good}");
    }
    assert_eq!(sides(last, empty), [0, 0]);
    assert_eq!(sides(early, early), [0, 128]);
}

/// What is read late is read before the first write, once.
#[test]
fn what_is_read_late_is_named_before_the_first_write() {
    let mut p = laid_out(
        &["a", "b"],
        "    forall Block i < 32
      b[i] = 7
      out[i] = a[i]
    forall Block o < 32
      out[o + 32] = b[31 - o]
",
    );
    schedule::run(&mut p);
    let text = print(&p);
    assert_eq!(p.shared_bytes, 128, "{text}");
    let (read, write) = (text.find("= a[i"), text.find("b[i] ="));
    assert!(read < write && text.matches("= a[").count() == 1, "{text}");
}

/// What lies right behind an array, or is read beside it by others, does not keep its heir off its place.
#[test]
fn an_heir_takes_the_place_beside_arrays_in_use() {
    let steps = |before: &str, read: &str| {
        format!(
            "    forall Block g < 32
      c[g] = xs[g]
    forall Block i < 32
      b[i] = {read}
    forall Block o < 32
      out[o] = b[31 - o] + {before}[31 - o]
"
        )
    };
    assert_eq!(places(&["a", "c", "b"], &steps("c", "a[i]")), [0, 128, 0]);
    assert_eq!(places(&["a", "c", "b"], &steps("c", "a[i] + c[31 - i]")), [0, 128, 0]);
    // The one in front.
    assert_eq!(places(&["a", "c", "b"], &steps("a", "c[i] + a[31 - i]")), [0, 128, 128]);
    assert_eq!(places(&["a", "c", "b"], &steps("a", "c[31 - i]")), [0, 128, 256]);
}
