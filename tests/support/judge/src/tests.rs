//! The order of instances, expressions as sums, and tables, on a small kernel.

use crate::expr::Counter;
use crate::order::{Relation, before, unordered};
use crate::site::{Access, Program, Site};
use crate::text::Kernel;

/// A block writes and reads a shared array, in rounds, by warps and by threads.
const KERNEL: &str = "\
kernel k (threads = 64, shared = 256 B)
  in  n: u32
  mut y: u32[4096]
  distribute Block b0 < n
    shared per Block s1: u32[64]
    forall Block i1 < 64
      s1[i1] = b0
    seq k2 in 0..n
      distribute Warp w3 < 2
        forall Warp i4 < 32
          y[(((b0 * 64) + (w3 * 32)) + i4) % 4096] = s1[i4]
      forall Block i5 < 64
        s1[63 - i5] = k2
";

fn program(text: &str) -> Program {
    let kernel = Kernel::read(text).unwrap_or_else(|e| panic!("{e}"));
    Program::of(&kernel).unwrap_or_else(|e| panic!("{e}"))
}

fn named(p: &Program, name: &str) -> Counter {
    Counter(p.counters.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("no counter {name}")))
}

fn sites<'p>(p: &'p Program, array: &str, access: Access) -> Vec<&'p Site> {
    p.sites.iter().filter(|s| p.arrays[s.array].name == array && s.access == access).collect()
}

/// Evaluated for counters that differ only in the ones that are named.
fn holds(p: &Program, relation: &Relation, second: &[(&str, i128)]) -> bool {
    let known = |values: &[(&str, i128)]| {
        let mut known = crate::eval::Known::default();
        for (c, info) in p.counters.iter().enumerate() {
            let value = values.iter().find(|(n, _)| *n == info.name).map_or(0, |(_, v)| *v);
            known.counters.insert(Counter(c), value);
        }
        known
    };
    relation.holds(&known(&[]), &known(second)).expect("all counters are known")
}

#[test]
fn blocks_never_wait_and_members_of_a_block_do() {
    let p = program(KERNEL);
    let (first, last) = (sites(&p, "s1", Access::Write)[0], sites(&p, "s1", Access::Write)[1]);
    let read = sites(&p, "s1", Access::Read)[0];
    // The phase before the loop and what is in it: only other blocks run at the same time.
    let relation = unordered(first, read);
    assert!(holds(&p, &relation, &[("b0", 1), ("k2", 3)]) && !holds(&p, &relation, &[("k2", 3), ("i4", 5)]));
    // Two statements of the loop, in the same round and in another.
    let relation = unordered(read, last);
    assert!(!holds(&p, &relation, &[("i5", 7)]) && !holds(&p, &relation, &[("k2", 1), ("i5", 7)]));
    assert!(holds(&p, &relation, &[("b0", 1), ("k2", 1)]));
    // One statement: threads of one round, warps of one round; never of two rounds.
    let relation = unordered(read, read);
    for (other, expected) in [("i4", true), ("w3", true), ("k2", false), ("b0", true)] {
        assert_eq!(holds(&p, &relation, &[(other, 1)]), expected, "{other}");
    }
    assert!(holds(&p, &relation, &[("k2", 1), ("b0", 1)]));
}

#[test]
fn warps_have_rounds_of_their_own() {
    let p = program(
        "kernel k (threads = 64, shared = 256 B)
  distribute Block b0 < 2
    shared per Block s1: u32[64]
    distribute Warp w1 < 2
      seq k2 in 0..4
        forall Warp i3 < 32
          s1[i3] = k2
",
    );
    let write = sites(&p, "s1", Access::Write)[0];
    let relation = unordered(write, write);
    assert!(holds(&p, &relation, &[("w1", 1), ("k2", 3)]), "another warp may be in another round");
    assert!(!holds(&p, &relation, &[("k2", 3), ("i3", 3)]), "the warp waits for itself");
    let same_block = relation.where_agree(&p.copies[write.array]);
    assert!(!holds(&p, &same_block, &[("b0", 1)]), "another block has another copy");
}

#[test]
fn what_is_done_before() {
    let p = program(KERNEL);
    let (first, last) = (sites(&p, "s1", Access::Write)[0], sites(&p, "s1", Access::Write)[1]);
    let read = sites(&p, "s1", Access::Read)[0];
    assert!(holds(&p, &before(first, read), &[("i4", 9), ("k2", 2)]));
    assert!(!holds(&p, &before(first, read), &[("b0", 1)]), "of another block nothing is known");
    assert!(holds(&p, &before(last, read), &[("k2", 1)]), "the round before");
    assert!(!holds(&p, &before(last, read), &[]), "not yet in the same round");
}

#[test]
fn sums_and_tables() {
    let mut p = program(KERNEL);
    let write = sites(&p, "s1", Access::Write)[1].clone();
    let sum = crate::linear::linear(&p.exprs, write.index);
    assert_eq!((sum.constant, sum.parts.len(), sum.parts[0].coefficient), (63, 1, -1));
    let i5 = named(&p, "i5");
    let column = crate::table::Table::over(&p, &[i5]).and_then(|mut t| t.column(write.index)).expect("64 values");
    assert_eq!((column.len(), column[0], column[63]), (64, 63, 0));
    assert_eq!(crate::table::intervals(vec![5, 1, 2, 9, 3]), [(1, 3), (5, 5), (9, 9)]);
    let n = p.exprs.add(crate::expr::Node::Launch("n".into()), crate::text::U32);
    assert!(crate::table::Table::over(&p, &[i5]).is_some_and(|mut t| t.column(n).is_none()), "a length has no table");
}

/// A variable may be called like a scalar, and an array like both.
#[test]
fn a_scalar_is_not_what_is_called_like_it() {
    let p = program(
        "kernel k (threads = 32, shared = 0 B)
  in  n: u32
  in  x: u16[64]
  mut y: u32[4096]
  forall Block i1 < 32
    let n = x[i1]
    y[(i1 * 64) + (arg(n) & 63)] = n as u32
",
    );
    let write = sites(&p, "y", Access::Write)[0];
    let mut known = crate::eval::Known::default();
    known.counters.insert(named(&p, "i1"), 2);
    known.launch.insert("n".into(), 5);
    assert_eq!(known.value(&p.exprs, write.index), Some(2 * 64 + 5));
}
