//! Every operation, cast and atomic on every type, in one kernel each: the texts are for ptxas, the checks for what ptxas
//! cannot see.

use super::*;
use crate::Level;
use crate::program::{AtomicOp, BinClass, UnOp};
use ScalarType::{Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

const UNARY: [UnOp; 7] = [UnOp::Neg, UnOp::Not, UnOp::Abs, UnOp::Sqrt, UnOp::Floor, UnOp::Ceil, UnOp::Trunc];

fn has_binary(op: BinOp, ty: ScalarType) -> bool {
    match op {
        BinOp::And | BinOp::Or | BinOp::Xor => !ty.is_float(),
        BinOp::Shl | BinOp::Shr => ty.is_int(),
        _ if op.class() == BinClass::Growing => ty.is_int(),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => ty != Bool,
        _ => true,
    }
}

fn has_unary(op: UnOp, ty: ScalarType) -> bool {
    match op {
        UnOp::Neg => ty.is_signed() || ty.is_float(),
        UnOp::Not => !ty.is_float(),
        UnOp::Abs => ty != Bool,
        _ => ty.is_float(),
    }
}

/// Two operands of a type, loaded and bound, and an output of each type.
struct Bench {
    m: Make,
    body: Vec<Stmt>,
    a: ExprId,
    b: ExprId,
    outs: Vec<(ScalarType, ArrayId)>,
    next: u32,
}

impl Bench {
    fn new(name: String, ty: ScalarType) -> Bench {
        let mut m = Make::new(&name, 32);
        let (x, n) = m.input("x", ty);
        let outs = ScalarType::ALL.map(|t| (t, m.output(&format!("o_{}", t.name()), t, n))).to_vec();
        let t = m.tid();
        let far = m.u32(1);
        let far = m.bin(BinOp::Add, t, far);
        let (la, lb) = (m.load(x, t), m.load(x, far));
        let ((va, a), (vb, b)) = (m.var("a", ty, false), m.var("b", ty, false));
        Bench { m, body: vec![bind(va, la), bind(vb, lb)], a, b, outs, next: 0 }
    }

    /// Stores a value in the next element of the output of its type.
    fn keep(&mut self, value: ExprId) {
        let ty = self.m.p.exprs.ty(value);
        let (t, at) = (self.m.tid(), self.m.u32(self.next * 32));
        let index = self.m.bin(BinOp::Add, t, at);
        self.next += 1;
        for &(out, array) in &self.outs {
            if out == ty {
                self.body.push(assign(array, index, value));
            }
        }
    }

    fn print(self) -> String {
        self.m.print(self.body)
    }
}

#[test]
fn every_operation_on_every_type() {
    for ty in ScalarType::ALL {
        let mut bench = Bench::new(format!("ops_{}", ty.name()), ty);
        let (a, b) = (bench.a, bench.b);
        let bits = match ty {
            F32 => 10f32.to_bits().into(),
            F64 => 10f64.to_bits(),
            Bool => 1,
            _ => 10,
        };
        let k = bench.m.p.exprs.constant(Const { ty, bits });
        for op in BinOp::ALL.iter().copied().filter(|&op| has_binary(op, ty)) {
            for (x, y) in [(a, b), (a, k), (k, b)] {
                let r = bench.m.bin(op, x, y);
                bench.keep(r);
            }
        }
        for op in UNARY.into_iter().filter(|&op| has_unary(op, ty)) {
            let r = bench.m.p.exprs.un(op, a);
            bench.keep(r);
        }
        let (less, more) = (bench.m.bin(BinOp::Lt, a, b), bench.m.bin(BinOp::Gt, a, b));
        for (c, x, y) in [(less, a, k), (more, k, b)] {
            let r = bench.m.p.exprs.select(c, x, y);
            bench.keep(r);
        }
        let text = bench.print();
        assert!(!text.contains(".ftz") && !text.contains("approx"), "{text}");
        assert!(!text.contains("mul.f") && !text.contains("add.f") && !text.contains("sub.f"), "contractible\n{text}");
    }
}

#[test]
fn every_cast() {
    for from in ScalarType::ALL {
        let mut bench = Bench::new(format!("cast_{}", from.name()), from);
        for to in ScalarType::ALL {
            let a = bench.a;
            let r = bench.m.p.exprs.cast(a, to);
            bench.keep(r);
        }
        bench.print();
    }
}

#[test]
fn every_atomic_in_both_spaces() {
    let all =
        [AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor, AtomicOp::Exchange];
    for ty in ScalarType::ALL.into_iter().filter(|&ty| AtomicOp::Add.takes(ty)) {
        let mut bench = Bench::new(format!("atom_{}", ty.name()), ty);
        let len = bench.m.u32(64);
        let shared = bench.m.array("s", ty, len, Space::Shared(Level::Block));
        let local = bench.m.array("l", ty, len, Space::Local);
        let global = bench.outs.iter().find(|o| o.0 == ty).expect("an output of each type").1;
        let (t, five) = (bench.m.tid(), bench.m.u32(5));
        let near = bench.m.bin(BinOp::Add, t, five);
        let value = bench.a;
        for op in all.into_iter().filter(|op| op.takes(ty)) {
            for (array, index) in [(shared, five), (shared, near), (global, near), (local, t)] {
                bench.body.push(stmt(StmtKind::Atomic { op, array, index, value, expected: None, old: None }));
                let (old, vold) = bench.m.var("old", ty, false);
                bench.body.push(stmt(StmtKind::Atomic { op, array, index, value, expected: None, old: Some(old) }));
                bench.keep(vold);
            }
        }
        let text = bench.print();
        // An exchange whose old value nobody asks for is a store.
        let count = |what: &str| text.matches(what).count();
        let exchanges = [count("atom.shared.exch."), count("st.relaxed.cta.shared.")];
        assert_eq!(exchanges, [if AtomicOp::Exchange.takes(ty) { 2 } else { 0 }; 2], "{text}");
        let of_device = [count("atom.global.exch."), count("st.relaxed.gpu.global.")];
        assert_eq!(of_device, [if AtomicOp::Exchange.takes(ty) { 1 } else { 0 }; 2], "{text}");
    }
}

#[test]
fn compare_and_exchange_in_every_space() {
    for ty in [ScalarType::I32, ScalarType::U32, ScalarType::I64, ScalarType::U64] {
        let mut bench = Bench::new(format!("cas_{}", ty.name()), ty);
        let len = bench.m.u32(64);
        let shared = bench.m.array("s", ty, len, Space::Shared(Level::Block));
        let local = bench.m.array("l", ty, len, Space::Local);
        let global = bench.outs.iter().find(|o| o.0 == ty).expect("an output of each type").1;
        let index = bench.m.tid();
        let (op, value, expected) = (AtomicOp::CompareExchange, bench.a, Some(bench.b));
        for array in [shared, global, local] {
            bench.body.push(stmt(StmtKind::Atomic { op, array, index, value, expected, old: None }));
            let (old, vold) = bench.m.var("old", ty, false);
            bench.body.push(stmt(StmtKind::Atomic { op, array, index, value, expected, old: Some(old) }));
            bench.keep(vold);
        }
        let bits = if ty.bytes() == 8 { "b64" } else { "b32" };
        let text = bench.print();
        assert_eq!(text.matches(&format!("atom.shared.cas.{bits}")).count(), 2, "{text}");
        assert_eq!(text.matches(&format!("atom.global.cas.{bits}")).count(), 2, "{text}");
    }
}

#[test]
fn every_scalar_parameter() {
    let mut m = Make::new("scalars", 32);
    let n = m.u32(32);
    let mut body = Vec::new();
    for ty in ScalarType::ALL {
        let (v, t) = (m.scalar(&format!("v_{}", ty.name()), ty), m.tid());
        let out = m.output(&format!("o_{}", ty.name()), ty, n);
        body.push(assign(out, t, v));
    }
    has(&m.print(body), &[".param .u8 p_v_bool", "setp.ne.u32", "ld.param.s8 %s", "ld.param.f64 %d"]);
}

/// The instructions that `f` prints for two `ty`, without the operands' loads and the store.
fn text_of(ty: ScalarType, f: impl Fn(&mut Make, ExprId, ExprId) -> ExprId) -> String {
    let mut bench = Bench::new("one".to_string(), ty);
    let (a, b) = (bench.a, bench.b);
    let r = f(&mut bench.m, a, b);
    bench.keep(r);
    let mut p = bench.m.p;
    p.body = bench.body;
    print(&form(&p))
}

#[test]
fn narrow_integers_come_back_into_their_range() {
    let add = |m: &mut Make, a, b| m.bin(BinOp::Add, a, b);
    has(&text_of(I8, add), &["add.s32 %s3, %s1, %s2;", "cvt.s32.s8 %s4, %s3;", "st.global.s8"]);
    has(&text_of(U16, add), &["add.u32", "and.b32", ", 65535;"]);
    assert!(!text_of(U32, add).contains("and.b32"));
    has(&text_of(U8, |m, a, b| m.bin(BinOp::Div, a, b)), &["div.u32", "and.b32", ", 255;"]);
    has(&text_of(U8, |m, a, _| m.p.exprs.un(UnOp::Not, a)), &["not.b32", "and.b32", ", 255;"]);
    // A bitwise and of two canonical values is one.
    assert!(!text_of(I16, |m, a, b| m.bin(BinOp::And, a, b)).contains("cvt.s"));
}

#[test]
fn shift_counts_are_taken_modulo_the_width() {
    has(&text_of(U32, |m, a, b| m.bin(BinOp::Shl, a, b)), &["and.b32 %u4, %u3, 31;", "shl.b32"]);
    has(&text_of(I64, |m, a, b| m.bin(BinOp::Shr, a, b)), &["cvt.u32.u64", ", 63;", "shr.s64"]);
    has(&text_of(U8, |m, a, b| m.bin(BinOp::Shl, a, b)), &[", 7;", "shl.b32", ", 255;"]);
    let by = |m: &mut Make, a, _| {
        let k = m.p.exprs.constant(Const { ty: I32, bits: 35 });
        m.bin(BinOp::Shr, a, k)
    };
    has(&text_of(I32, by), &["shr.s32 %s3, %s1, 3;"]);
}

#[test]
fn constant_divisors_become_multiplications() {
    let by = |op, d: u64| {
        move |m: &mut Make, a: ExprId, _| {
            let k = m.p.exprs.constant(Const { ty: m.p.exprs.ty(a), bits: d });
            m.bin(op, a, k)
        }
    };
    let text = text_of(U32, by(BinOp::Div, 10));
    has(&text, &["mul.hi.u32 %u4, %u2, 3435973837;", "shr.u32 %u5, %u4, 3;"]);
    let text = text_of(U32, by(BinOp::Rem, 7));
    has(&text, &["mul.hi.u32", "sub.u32", ", 1;", "add.u32", "mul.lo.u32", ", 7;", "sub.u32"]);
    for ty in [U8, U16, U32, U64] {
        for d in [3, 7, 11, 100] {
            let text = text_of(ty, by(BinOp::Div, d));
            assert!(!text.contains("div."), "{text}");
        }
    }
    has(&text_of(I32, by(BinOp::Div, 10)), &["div.s32"]);
}

#[test]
fn floats_become_integers_as_in_rust() {
    let to = |ty| move |m: &mut Make, a: ExprId, _| m.p.exprs.cast(a, ty);
    // f32 to 32 bits: `cvt` saturates and gives 0 for NaN by itself.
    assert!(!text_of(F32, to(I32)).contains("setp"));
    has(&text_of(F32, to(U64)), &["cvt.rzi.u64.f32", "setp.nan.f32 %p1, %f1, %f1;", "selp.u64 %ul2, 0, %ul1, %p1;"]);
    has(&text_of(F64, to(I32)), &["cvt.rzi.s32.f64", "setp.nan.f64", "selp.s32"]);
    has(&text_of(F32, to(U8)), &["cvt.rzi.s32.f32", "max.s32", ", 0;", "min.s32", ", 255;", "st.global.u8"]);
    has(&text_of(F64, to(F32)), &["cvt.rn.f32.f64"]);
    has(&text_of(U64, to(F32)), &["cvt.rn.f32.u64"]);
    has(&text_of(I8, to(U64)), &["cvt.s64.s32", "st.global.u64"]);
}

#[test]
fn an_unordered_comparison_is_only_true_for_inequality() {
    has(&text_of(F32, |m, a, b| m.bin(BinOp::Ne, a, b)), &["setp.neu.f32"]);
    has(&text_of(F64, |m, a, b| m.bin(BinOp::Eq, a, b)), &["setp.eq.f64"]);
}

#[test]
fn indices_that_may_wrap_are_not_taken_apart() {
    let mut m = Make::new("wrap", 32);
    let (x, n) = m.input("x", U32);
    let out = m.output("out", U32, n);
    let (k, t) = (m.scalar("k", U32), m.tid());
    let three = m.u32(3);
    let (loose, tight) = (m.bin(BinOp::Add, k, three), m.bin(BinOp::Add, t, three));
    let v = m.load(x, loose);
    let text = m.print(vec![assign(out, tight, v)]);
    has(&text, &["add.u32 %u3, %u1, 3;", "mul.wide.u32", "ld.global.nc.u32 %u4, [%a6];", "st.global.u32 [%a8+12]"]);
    assert!(matches!(text.matches("mul.wide").count(), 2), "{text}");
}
