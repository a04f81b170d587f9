//! Random guarded reads: whatever the prover lets through is evaluated for many lengths and arguments and must be inside.

use super::check;
use crate::Level;
use crate::diag::Span;
use crate::program::*;

/// A small generator (xorshift); the seed names the case.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// `for b < blocks { forall t < 64 { if guard { out[0] = if choice { xs[yes] } else { xs[no] } } } }`
struct Case {
    p: Program,
    blocks: ExprId,
    b: VarId,
    t: VarId,
    guard: ExprId,
    value: ExprId,
}

struct Builder {
    r: Random,
    exprs: Exprs,
    leaves: Vec<ExprId>,
}

impl Builder {
    fn leaf(&mut self) -> ExprId {
        if self.r.below(3) == 0 {
            let v = self.r.pick(&[0, 1, 2, 3, 4, 7, 8, 63, 64, 65, 512, u32::MAX - 3, u32::MAX]);
            return self.exprs.u32(v);
        }
        let leaves = self.leaves.clone();
        self.r.pick(&leaves)
    }

    fn expr(&mut self, depth: usize) -> ExprId {
        use BinOp::*;
        if depth == 0 || self.r.below(5) == 0 {
            return self.leaf();
        }
        let ops = [Add, Add, Add, Sub, Sub, Mul, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Min, Max];
        match self.r.below(20) {
            0 => {
                let (c, a, b) = (self.cond(depth - 1), self.expr(depth - 1), self.expr(depth - 1));
                self.exprs.select(c, a, b)
            }
            1 => {
                let to = self.r.pick(&[ScalarType::U8, ScalarType::I32, ScalarType::U64, ScalarType::I16]);
                let a = self.expr(depth - 1);
                let narrow = self.exprs.cast(a, to);
                self.exprs.cast(narrow, ScalarType::U32)
            }
            _ => {
                let (op, a, b) = (self.r.pick(&ops), self.expr(depth - 1), self.expr(depth - 1));
                self.exprs.bin(op, a, b)
            }
        }
    }

    /// An index that is often below `e`.
    fn near(&mut self, e: ExprId) -> ExprId {
        use BinOp::*;
        let other = self.expr(1);
        let op = self.r.pick(&[Sub, Div, Rem, And, Shr, Min, Add, Mul, Xor]);
        match self.r.below(3) {
            0 => e,
            1 => self.exprs.bin(op, e, other),
            _ => self.exprs.bin(op, other, e),
        }
    }

    fn cond(&mut self, depth: usize) -> ExprId {
        use BinOp::*;
        match self.r.below(6) {
            0 if depth > 0 => {
                let (op, a, b) = (self.r.pick(&[And, Or]), self.cond(depth - 1), self.cond(depth - 1));
                self.exprs.bin(op, a, b)
            }
            1 if depth > 0 => {
                let c = self.cond(depth - 1);
                self.exprs.un(UnOp::Not, c)
            }
            _ => {
                let op = self.r.pick(&[Lt, Le, Gt, Ge, Eq, Ne, Lt]);
                let (a, b) =
                    (self.expr(depth.min(2)), if self.r.below(2) == 0 { self.leaves[0] } else { self.expr(1) });
                self.exprs.bin(op, a, b)
            }
        }
    }
}

fn case(seed: u64) -> Case {
    let mut exprs = Exprs::default();
    let (xs, n) = (ParamId(0), ParamId(1));
    let len = exprs.input_len(xs);
    let scalar = exprs.scalar(n, ScalarType::U32);
    let mut make = Builder { r: Random(seed * 2 + 1), exprs, leaves: vec![len, scalar] };
    for _ in 0..20 {
        make.r.below(2);
    }
    let blocks = make.expr(1);
    let one = make.exprs.u32(1);
    let array = |len, space| Array {
        name: "a".into(),
        elem: ScalarType::U32,
        len,
        space,
        rows: None,
        stages: 1,
        filled: None,
        offset: None,
        span: Span::NONE,
        stands_for: None,
    };
    let arrays = vec![array(len, Space::Global(xs)), array(one, Space::Global(ParamId(2)))];
    let params = [
        ParamKind::Input { arrays: vec![ArrayId(0)], len: None },
        ParamKind::Scalar(ScalarType::U32),
        ParamKind::Output { arrays: vec![ArrayId(1)], len: one },
    ];
    let params = params.into_iter().map(|kind| Param::new("p", kind)).collect();
    let mut p = Program {
        name: "k".into(),
        threads: 64,
        shared_limit: 0,
        rounds: 1,
        shared_bytes: 0,
        options: crate::program::Options::default(),
        places: None,
        params,
        arrays,
        vars: Vec::new(),
        exprs: make.exprs,
        body: Vec::new(),
        blocks,
        checks: Vec::new(),
    };
    let hi = (p.exprs.range(blocks).hi - 1).max(0);
    let b = p.new_var("b", ScalarType::U32, false, Range::new(0, hi));
    let t = p.new_var("t", ScalarType::U32, false, Range::new(0, 63));
    let vars = [p.exprs.var(b), p.exprs.var(t)];
    make.exprs = std::mem::take(&mut p.exprs);
    make.leaves.extend(vars);
    make.leaves.extend(vars);
    let (yes, no) = (make.expr(2), make.expr(1));
    // Mostly a test of the index itself, so that there is something to prove.
    let (tested, other) = (make.exprs.bin(BinOp::Lt, yes, len), make.cond(1));
    let choice = if make.r.below(8) == 0 { other } else { make.exprs.bin(BinOp::And, tested, other) };
    let tested = make.exprs.bin(BinOp::Lt, no, len);
    let other = make.cond(2);
    let guard = if make.r.below(8) == 0 { other } else { make.exprs.bin(BinOp::And, tested, other) };
    let (yes, no) = (make.near(yes), make.near(no));
    let mut load = |at| make.exprs.load(ArrayId(0), at, ScalarType::U32);
    let (yes, no) = (load(yes), load(no));
    let value = make.exprs.select(choice, yes, no);
    let (zero, threads) = (make.exprs.u32(0), make.exprs.u32(64));
    p.exprs = make.exprs;
    let stmt = |kind| Stmt::new(kind, Span::NONE);
    let assign = stmt(StmtKind::Assign { array: ArrayId(1), index: zero, value });
    let branch = stmt(StmtKind::If { cond: guard, then: vec![assign], els: Vec::new() });
    let forall = stmt(StmtKind::ForAll { level: Level::Block, var: t, n: threads, body: vec![branch] });
    p.body = vec![stmt(StmtKind::DistrPar { level: Level::Block, var: b, n: blocks, body: vec![forall] })];
    Case { p, blocks, b, t, guard, value }
}

struct Env {
    len: u32,
    n: u32,
    b: u32,
    t: u32,
}

/// The value of an expression; `None` where a read is out of range.
fn eval(c: &Case, e: ExprId, env: &Env) -> Option<Const> {
    Some(match c.p.exprs.expr(e) {
        Expr::Const(k) => k,
        Expr::Var(v) if v == c.b => Const::u32(env.b),
        Expr::Var(v) => {
            assert_eq!(v, c.t);
            Const::u32(env.t)
        }
        Expr::Scalar(_) => Const::u32(env.n),
        Expr::Len(_) => Const::u32(env.len),
        Expr::Special(_) => unreachable!(),
        Expr::Load(_, i) => {
            let i = eval(c, i, env)?.bits as u32;
            if i >= env.len {
                return None;
            }
            Const::u32(i.wrapping_mul(0x9e37_79b9))
        }
        Expr::Un(op, a) => arith::un(op, eval(c, a, env)?),
        Expr::Bin(op, a, b) => arith::bin(op, eval(c, a, env)?, eval(c, b, env)?),
        Expr::Select(k, a, b) => eval(c, if eval(c, k, env)?.bits != 0 { a } else { b }, env)?,
        Expr::Cast(a) => arith::cast(eval(c, a, env)?, c.p.exprs.ty(e)),
        Expr::Bits(a) => arith::bits(eval(c, a, env)?, c.p.exprs.ty(e)),
        Expr::MulAdd(x, y, z) => arith::mul_add(eval(c, x, env)?, eval(c, y, env)?, eval(c, z, env)?),
        Expr::OnGpu => unreachable!(),
    })
}

#[test]
fn what_is_let_through_is_inside() {
    const SIZES: [u32; 15] = [0, 1, 2, 3, 5, 8, 63, 64, 65, 100, 512, 1 << 16, 1 << 31, u32::MAX - 4, u32::MAX];
    let cases: u64 = std::env::var("BOUNDS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    let (mut proved, mut ran) = (0, 0);
    for seed in 0..cases {
        let c = case(seed);
        if check(&c.p).is_err() {
            continue;
        }
        proved += 1;
        for (len, n) in SIZES.iter().flat_map(|&l| SIZES.iter().map(move |&n| (l, n))) {
            let blocks = eval(&c, c.blocks, &Env { len, n, b: 0, t: 0 }).unwrap().bits as u32;
            for b in [0, 1, 2, blocks / 2, blocks.wrapping_sub(2), blocks.wrapping_sub(1)] {
                for t in [0, 1, 2, 31, 62, 63] {
                    let env = Env { len, n, b, t };
                    if b >= blocks || eval(&c, c.guard, &env).unwrap().bits == 0 {
                        continue;
                    }
                    ran += 1;
                    let inside = eval(&c, c.value, &env).is_some();
                    assert!(inside, "case {seed}, len {len}, n {n}, b {b}, t {t}\n{}", print(&c.p));
                }
            }
        }
    }
    // The test is worth something only as long as reads do happen.
    assert!(proved * 8 > cases && ran > proved * 20, "{proved} proved, {ran} reads of {cases}");
}
