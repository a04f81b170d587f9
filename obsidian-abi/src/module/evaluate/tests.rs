//! The evaluator beside Rust's own wrapping and checked operations, on random expressions; and what its errors say.

use super::*;
use ScalarType::{Bool, F32, I32, I64, U8, U32, U64};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    /// Often near an edge of some type.
    fn bits(&mut self) -> u64 {
        let edge = [0, 1, 2, 7, 31, 63, 1 << 16, 1 << 31, u64::from(u32::MAX), 1 << 63, u64::MAX];
        edge[self.below(11) as usize].wrapping_add(self.below(5)).wrapping_sub(2)
    }
}

/// A random list of nodes over `values` values of the types `VALUES`.
const VALUES: [ScalarType; 6] = [U32, U32, I32, U64, I64, U8];

fn random_nodes(random: &mut Random) -> Vec<HostNode> {
    let mut nodes: Vec<HostNode> = Vec::new();
    for (i, &ty) in VALUES.iter().enumerate() {
        nodes.push(HostNode { ty, expr: HostExpr::Value(i as u32) });
        nodes.push(HostNode { ty, expr: HostExpr::Const(arith::wrap(ty, i128::from(random.bits()))) });
    }
    for _ in 0..30 {
        let a = random.below(nodes.len() as u64) as u32;
        let ty = nodes[a as usize].ty;
        let like: Vec<u32> = (0..nodes.len() as u32).filter(|&b| nodes[b as usize].ty == ty).collect();
        let b = like[random.below(like.len() as u64) as usize];
        let conds: Vec<u32> = (0..nodes.len() as u32).filter(|&b| nodes[b as usize].ty == Bool).collect();
        let op = BinOp::ALL[random.below(BinOp::ALL.len() as u64) as usize];
        let node = match random.below(6) {
            0 if !conds.is_empty() => {
                let cond = conds[random.below(conds.len() as u64) as usize];
                HostNode { ty, expr: HostExpr::Select(cond, a, b) }
            }
            1 => {
                let to = [U8, U32, I32, U64, I64][random.below(5) as usize];
                HostNode { ty: to, expr: HostExpr::Cast(a) }
            }
            2 if ty != Bool => HostNode { ty, expr: HostExpr::Un(UnOp::Neg, a) },
            _ if ty == Bool => HostNode { ty, expr: HostExpr::Bin(BinOp::And, a, b) },
            _ if op.is_comparison() => HostNode { ty: Bool, expr: HostExpr::Bin(op, a, b) },
            _ => HostNode { ty, expr: HostExpr::Bin(op, a, b) },
        };
        nodes.push(node);
    }
    nodes
}

/// Rust's own operation on bits: the wrapped result, and whether the checked one agrees that there is a result.
macro_rules! rust {
    ($t:ty, $op:expr, $x:expr, $y:expr) => {{
        let (x, y) = ($x as $t, $y as $t);
        let wide = |wrapped: $t, checked: Option<$t>| (wrapped as i128 as u64, checked.is_some());
        let truth = |b: bool| (u64::from(b), true);
        let count = y as u32;
        match $op {
            BinOp::Add => wide(x.wrapping_add(y), x.checked_add(y)),
            BinOp::Sub => wide(x.wrapping_sub(y), x.checked_sub(y)),
            BinOp::Mul => wide(x.wrapping_mul(y), x.checked_mul(y)),
            BinOp::Div if y == 0 => (0, false),
            BinOp::Rem if y == 0 => (0, false),
            BinOp::Div => wide(x.wrapping_div(y), x.checked_div(y)),
            // The remainder itself is in range also where the quotient is not.
            BinOp::Rem => wide(x.wrapping_rem(y), Some(0)),
            BinOp::And => (((x & y) as i128) as u64, true),
            BinOp::Or => (((x | y) as i128) as u64, true),
            BinOp::Xor => (((x ^ y) as i128) as u64, true),
            BinOp::Shl => {
                let wrapped = x.wrapping_shl(count);
                // Nothing is lost where shifting back gives what was there.
                let kept = (0..<$t>::BITS as i128).contains(&(y as i128)) && wrapped.wrapping_shr(count) == x;
                ((wrapped as i128) as u64, kept)
            }
            BinOp::Shr => {
                let kept = (0..<$t>::BITS as i128).contains(&(y as i128));
                ((x.wrapping_shr(count) as i128) as u64, kept)
            }
            BinOp::Min => ((x.min(y) as i128) as u64, true),
            BinOp::Max => ((x.max(y) as i128) as u64, true),
            BinOp::MulHigh if <$t>::MIN == 0 => {
                ((((x as u128).wrapping_mul(y as u128) >> <$t>::BITS) as $t as i128) as u64, true)
            }
            BinOp::MulHigh => (((x as i128).wrapping_mul(y as i128) >> <$t>::BITS) as u64, true),
            BinOp::Eq => truth(x == y),
            BinOp::Ne => truth(x != y),
            BinOp::Lt => truth(x < y),
            BinOp::Le => truth(x <= y),
            BinOp::Gt => truth(x > y),
            BinOp::Ge => truth(x >= y),
        }
    }};
}

fn rust_bin(op: BinOp, ty: ScalarType, x: u64, y: u64) -> (u64, bool) {
    match ty {
        U8 => rust!(u8, op, x, y),
        U32 => rust!(u32, op, x, y),
        I32 => rust!(i32, op, x, y),
        U64 => rust!(u64, op, x, y),
        I64 => rust!(i64, op, x, y),
        _ => (x & y, true),
    }
}

fn rust_neg(ty: ScalarType, x: u64) -> (u64, bool) {
    rust_bin(BinOp::Sub, ty, 0, x)
}

fn rust_cast(from: ScalarType, to: ScalarType, x: u64) -> (u64, bool) {
    let value = if from.is_signed() { i128::from(x as i64) } else { i128::from(x) };
    let bits = match to {
        U8 => x as u8 as u64,
        U32 => x as u32 as u64,
        I32 => x as i32 as i64 as u64,
        _ => x,
    };
    let after = if to.is_signed() { i128::from(bits as i64) } else { i128::from(bits) };
    (bits, value == after)
}

/// By recursion, as it would be read: the bits and whether all that counts is exact.
fn oracle(nodes: &[HostNode], at: u32, values: &[u64]) -> (u64, bool) {
    let HostNode { ty, expr } = nodes[at as usize];
    let of = |id| oracle(nodes, id, values);
    match expr {
        HostExpr::Const(bits) => (bits, true),
        HostExpr::Value(value) => (values[value as usize], true),
        HostExpr::Select(cond, a, b) => {
            let (cond, exact) = of(cond);
            let (bits, chosen) = of(if cond == 1 { a } else { b });
            (bits, exact && chosen)
        }
        HostExpr::Un(_, a) => {
            let ((x, below), ty) = (of(a), ty);
            let (bits, exact) = rust_neg(ty, x);
            (bits, below && exact)
        }
        HostExpr::Cast(a) => {
            let (x, below) = of(a);
            let (bits, exact) = rust_cast(nodes[a as usize].ty, ty, x);
            (bits, below && exact)
        }
        HostExpr::Bin(op, a, b) => {
            let ((x, left), (y, right)) = (of(a), of(b));
            let (bits, exact) = rust_bin(op, nodes[a as usize].ty, x, y);
            (bits, left && right && exact)
        }
        HostExpr::Bits(_) | HostExpr::MulAdd(..) => unreachable!("not generated"),
    }
}

#[test]
fn random_expressions_are_what_rust_says() {
    let mut random = Random(1);
    let (mut exact, mut inexact) = (0, 0);
    for _ in 0..400 {
        let nodes = random_nodes(&mut random);
        let leaked: &'static [HostNode] = Box::leak(nodes.into_boxed_slice());
        for _ in 0..4 {
            let values = VALUES.map(|ty| arith::wrap(ty, i128::from(random.bits())));
            let mut host = HostValues::new(leaked, &values, 0);
            for at in 0..leaked.len() as u32 {
                let (bits, stays) = oracle(leaked, at, &values);
                let found = host.data(at).unwrap();
                assert_eq!(
                    (found.bits, found.left.is_none()),
                    (bits, stays),
                    "{:?} of {values:?}",
                    leaked[at as usize]
                );
                *(if stays { &mut exact } else { &mut inexact }) += 1;
            }
        }
    }
    assert!(exact > 10_000 && inexact > 10_000, "{exact} exact, {inexact} not");
}

const fn node(ty: ScalarType, expr: HostExpr) -> HostNode {
    HostNode { ty, expr }
}

/// `n`, `k`, `n * k`, `if n < k { n * k } else { n }`, `(n * k) / k`, `n as f32`, `that * that`, `that as u32`, `n / k`.
static NODES: [HostNode; 10] = [
    node(U32, HostExpr::Value(0)),
    node(U32, HostExpr::Value(1)),
    node(U32, HostExpr::Bin(BinOp::Mul, 0, 1)),
    node(Bool, HostExpr::Bin(BinOp::Lt, 0, 1)),
    node(U32, HostExpr::Select(3, 2, 0)),
    node(U32, HostExpr::Bin(BinOp::Div, 2, 1)),
    node(F32, HostExpr::Cast(0)),
    node(F32, HostExpr::Bin(BinOp::Mul, 6, 6)),
    node(U32, HostExpr::Cast(7)),
    node(U32, HostExpr::Bin(BinOp::Div, 0, 1)),
];

fn name(value: ValueId) -> String {
    ["len(xs)", "k"][value as usize].to_owned()
}

#[test]
fn an_overflow_is_named_where_it_happens() {
    let mut host = HostValues::new(&NODES, &[1 << 20, 4096], 0);
    assert_eq!(host.data(5), Some(Found { bits: 0, left: Some(2) }));
    let error = host.size(5, name).unwrap_err();
    assert_eq!(error.to_string(), "`len(xs) * k` is 4294967296, which `u32` does not hold");
    // The side that is not chosen need not be exact.
    assert_eq!(host.size(4, name), Ok(Some(1 << 20)));
    assert_eq!(host.size(8, name).unwrap_err().value, Some(1 << 40));
    let mut none = HostValues::new(&NODES, &[5, 0], 0);
    assert_eq!(none.size(9, name).unwrap_err().to_string(), "`len(xs) / k` has no value in `u32`");
    assert_eq!(none.data(9).unwrap().bits, 0, "as in a kernel");
}

#[test]
fn what_hangs_on_an_unknown_value_is_unknown() {
    let mut host = HostValues::new(&NODES, &[5], 1);
    assert_eq!((host.size(2, name), host.size(0, name)), (Ok(None), Ok(Some(5))));
    host.set(1, Some(Found { bits: 6, left: None }));
    assert_eq!((host.size(2, name), host.size(4, name)), (Ok(Some(30)), Ok(Some(30))));
    host.set(1, Some(Found { bits: 4, left: None }));
    assert_eq!(host.size(4, name), Ok(Some(5)));
    host.set(1, None);
    assert_eq!(host.data(2), None);
    // A value that was not exact when it was set is not exact where it is used.
    host.set(1, Some(Found { bits: 4, left: Some(2) }));
    assert!(host.size(9, name).is_err());
}

#[test]
fn expressions_read_as_source() {
    let shown = |at| show(&NODES, at, &name);
    assert_eq!(shown(5), "(len(xs) * k) / k");
    assert_eq!(shown(4), "if len(xs) < k { len(xs) * k } else { len(xs) }");
    assert_eq!(shown(8), "((len(xs) as f32) * (len(xs) as f32)) as u32");
    // Each node twice in the next: 2^60 operands, and a text that ends.
    let mut nodes = vec![node(U32, HostExpr::Value(1))];
    nodes.extend((0..60).map(|at| node(U32, HostExpr::Bin(BinOp::Add, at, at))));
    let text = show(&nodes, 60, &name);
    assert!(text.len() < 300 && text.ends_with(" .."), "{text}");
}
