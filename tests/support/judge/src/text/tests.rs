//! The reader, on small texts.

use super::expr::Reader;
use super::*;

fn int(n: i128) -> Raw {
    Raw::Int(n, None)
}

fn name(n: &str) -> Raw {
    Raw::Name(n.into())
}

fn bin(op: Op, a: Raw, b: Raw) -> Raw {
    Raw::Bin(op, Box::new((a, b)))
}

#[test]
fn operators_stand_as_they_are_written() {
    let read = |text| Reader::only(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(read("(b * 64) + i"), bin(Op::Add, bin(Op::Mul, name("b"), int(64)), name("i")));
    assert_eq!(
        read("x[i] <= 0xffu32"),
        bin(Op::Le, Raw::Load("x".into(), Box::new(name("i"))), Raw::Int(255, Some(U32)))
    );
    let load = Raw::Load("m".into(), Box::new(name("i")));
    let sides = [(name("r"), int(3)), (name("c"), Raw::Len("x".into()))];
    assert_eq!(read("m[i at (r of 3, c of len(x))]"), Raw::Within(Box::new(load), Box::new(sides)));
    assert_eq!(read("-3"), int(-3));
    assert_eq!(read("!a & b"), bin(Op::And, Raw::Not(Box::new(name("a"))), name("b")));
    assert_eq!(
        read("(n as u64) << 3"),
        bin(Op::Shl, Raw::Cast(Box::new(name("n")), Type::named("u64").unwrap()), int(3))
    );
    assert_eq!(read("min(a, len(x))"), bin(Op::Min, name("a"), Raw::Len("x".into())));
    assert_eq!(read("1.5e-3f32"), Raw::Real("1.5e-3".into(), Some(Type::Float(32))));
    let choice = Raw::Select(Box::new((name("c"), int(1), int(2))));
    assert_eq!(read("if c { 1 } else { 2 }"), choice);
    for wrong in ["a +", "x[1", "m[i at (r of 3)]", "m[i at (r, c)]", "if c { 1 }", "a ? b", "(a", "a b"] {
        assert!(Reader::only(wrong).is_err(), "{wrong}");
    }
}

const KERNEL: &str = "\
kernel k (threads = 32, shared = 128 B)
  in  n: u32
  in  x: (u32, f32)[len(x)]
  mut y: u32[64]
  where len(x) % 64 == 0   // the length of `x` must be a multiple of 64
  distribute Block b0(0..=9) < len(x) / 64
    shared per Block s1: u32[32] at 0
    forall Block i1 < 32
      s1[i1] = x_0[(b0 * 64) + i1]
    sync Block
    seq k2 in 0..n by 2
      forall Block i3 < 32
        let t4 = s1[i3]
        if t4 < 64
          unsafe let o5 = atomic_add(y[t4], 1)
        else
          prove y[i3] = t4
";

#[test]
fn a_kernel_is_read() {
    let kernel = Kernel::read(KERNEL).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<_> = kernel.arrays.iter().map(|a| (a.name.as_str(), a.space)).collect();
    let expected = [("x_0", Space::Input), ("x_1", Space::Input), ("y", Space::Updated), ("s1", Space::Allocated)];
    assert_eq!(names, expected);
    assert_eq!((kernel.name.as_str(), kernel.checks.len()), ("k", 1));
    assert_eq!(kernel.scalars, [("n".to_string(), U32)]);
    let [Stmt::Share { level: Level::Block, var, body, .. }] = kernel.body.as_slice() else { panic!("{kernel:?}") };
    assert_eq!(var, "b0");
    let [Stmt::Allocate { array: 3 }, Stmt::Share { .. }, Stmt::Sync(Level::Block), Stmt::Seq { step, body, .. }] =
        body.as_slice()
    else {
        panic!("{body:?}")
    };
    assert_eq!(*step, int(2));
    let [Stmt::Share { level: Level::Thread, body, .. }] = body.as_slice() else { panic!("{body:?}") };
    let [Stmt::Let { .. }, Stmt::If { then, els, .. }] = body.as_slice() else { panic!("{body:?}") };
    assert!(matches!(&then[0], Stmt::Atomic { claim: Claim::Author, old: Some(old), .. } if old == "o5"), "{then:?}");
    assert!(matches!(&els[0], Stmt::Assign { claim: Claim::Compiler, .. }), "{els:?}");
}

#[test]
fn what_is_not_understood_is_an_error_with_its_line() {
    for (from, to) in
        [("sync Block", "wait Block"), ("forall Block i1 < 32", "forall Block i1 = 32"), ("kernel k", "k")]
    {
        let error = Kernel::read(&KERNEL.replacen(from, to, 1)).expect_err(to);
        assert!(error.line.contains(to.split(' ').next().unwrap()), "{error}");
    }
}
