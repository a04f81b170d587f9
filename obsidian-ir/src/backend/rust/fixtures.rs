//! Programs as the passes would give them, built by hand for tests.

use crate::diag::Span;
use crate::level::Level;
use crate::program::*;

/// Adds parameters, arrays and expressions to a program.
pub struct Build(pub Program);

impl Build {
    pub fn new(name: &str, threads: u32) -> Build {
        Build(Program::new(name, threads))
    }

    pub fn array(&mut self, name: &str, elem: ScalarType, len: ExprId, space: Space) -> ArrayId {
        self.0.arrays.push(Array {
            name: name.into(),
            elem,
            len,
            space,
            rows: None,
            stages: 1,
            filled: None,
            offset: None,
            span: Span::NONE,
            stands_for: None,
        });
        ArrayId(self.0.arrays.len() as u32 - 1)
    }

    /// A dynamic input: its length and its arrays.
    pub fn input(&mut self, name: &str, elems: &[ScalarType]) -> (ExprId, Vec<ArrayId>) {
        let id = ParamId(self.0.params.len() as u32);
        let len = self.0.exprs.input_len(id);
        let arrays: Vec<_> = elems.iter().map(|&t| self.array(name, t, len, Space::Global(id))).collect();
        self.0.params.push(Param::new(name, ParamKind::Input { arrays: arrays.clone(), len: None }));
        (len, arrays)
    }

    pub fn scalar(&mut self, name: &str, ty: ScalarType) -> ExprId {
        let id = ParamId(self.0.params.len() as u32);
        self.0.params.push(Param::new(name, ParamKind::Scalar(ty)));
        self.0.exprs.scalar(id, ty)
    }

    pub fn output(&mut self, name: &str, elems: &[ScalarType], len: ExprId) -> Vec<ArrayId> {
        let id = ParamId(self.0.params.len() as u32);
        let arrays: Vec<_> = elems.iter().map(|&t| self.array(name, t, len, Space::Global(id))).collect();
        self.0.params.push(Param::new(name, ParamKind::Output { arrays: arrays.clone(), len }));
        arrays
    }

    pub fn index(&mut self, name: &str, hi: u32) -> (VarId, ExprId) {
        let v = self.0.new_var(name, ScalarType::U32, false, Range::new(0, hi.into()));
        (v, self.0.exprs.var(v))
    }

    pub fn u32(&mut self, v: u32) -> ExprId {
        self.0.exprs.u32(v)
    }

    pub fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.0.exprs.bin(op, a, b)
    }

    pub fn load(&mut self, a: ArrayId, i: ExprId) -> ExprId {
        let t = self.0.array(a).elem;
        self.0.exprs.load(a, i, t)
    }

    /// `b * chunk + t`
    pub fn at(&mut self, b: ExprId, chunk: u32, t: ExprId) -> ExprId {
        let c = self.u32(chunk);
        let base = self.bin(BinOp::Mul, b, c);
        self.bin(BinOp::Add, base, t)
    }

    pub fn multiple_of(&mut self, len: ExprId, chunk: u32, name: &str) {
        let (c, zero) = (self.u32(chunk), self.u32(0));
        let rest = self.bin(BinOp::Rem, len, c);
        let cond = self.bin(BinOp::Eq, rest, zero);
        let message = format!("the length of `{name}` must be a multiple of {chunk}");
        self.0.checks.push(LaunchCheck { cond, message, found: len });
    }

    pub fn for_all(&mut self, var: VarId, n: u32, body: Block) -> Stmt {
        let n = self.u32(n);
        stmt(StmtKind::ForAll { level: Level::Block, var, n, body })
    }

    pub fn grid(mut self, var: VarId, n: ExprId, body: Block) -> Program {
        self.0.body.push(stmt(StmtKind::DistrPar { level: Level::Block, var, n, body }));
        self.0.blocks = n;
        self.0
    }
}

pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, Span::NONE)
}

pub fn assign(array: ArrayId, index: ExprId, value: ExprId) -> Stmt {
    stmt(StmtKind::Assign { array, index, value })
}

/// `alpha * x + y` in blocks of 1024.
pub fn saxpy() -> Program {
    let mut b = Build::new("saxpy", 256);
    let alpha = b.scalar("alpha", ScalarType::F32);
    let (len, x) = b.input("x", &[ScalarType::F32]);
    let (_, y) = b.input("y", &[ScalarType::F32]);
    let out = b.output("out", &[ScalarType::F32], len);
    b.multiple_of(len, 1024, "x");
    let k = b.u32(1024);
    let n = b.bin(BinOp::Div, len, k);
    let (bv, block) = b.index("b", (1 << 22) - 1);
    let (tv, t) = b.index("t", 1023);
    let i = b.at(block, 1024, t);
    let (lx, ly) = (b.load(x[0], i), b.load(y[0], i));
    let ax = b.bin(BinOp::Mul, alpha, lx);
    let v = b.bin(BinOp::Add, ax, ly);
    let body = b.for_all(tv, 1024, vec![assign(out[0], i, v)]);
    b.grid(bv, n, vec![body])
}

/// Sums of chunks of 512 by halving in shared memory.
pub fn sums(name: &str, ty: ScalarType) -> Program {
    let mut b = Build::new(name, 64);
    let (len, input) = b.input("input", &[ty]);
    b.multiple_of(len, 512, "input");
    let k = b.u32(512);
    let n = b.bin(BinOp::Div, len, k);
    let out = b.output("out", &[ty], n);
    let (bv, block) = b.index("b", (1 << 23) - 1);
    let mut body = vec![];
    let mut from: Option<ArrayId> = None;
    let mut half = 256;
    while half >= 1 {
        let (tv, t) = b.index("t", half - 1);
        let h = b.u32(half);
        let t2 = b.bin(BinOp::Add, t, h);
        let (lo, hi) = match from {
            None => {
                let (i, j) = (b.at(block, 512, t), b.at(block, 512, t2));
                (b.load(input[0], i), b.load(input[0], j))
            }
            Some(s) => (b.load(s, t), b.load(s, t2)),
        };
        let sum = b.bin(BinOp::Add, lo, hi);
        if half == 1 {
            body.push(b.for_all(tv, 1, vec![assign(out[0], block, sum)]));
        } else {
            let s = b.array(&format!("s{half}"), ty, h, Space::Shared(Level::Block));
            body.push(stmt(StmtKind::Allocate { array: s }));
            body.push(b.for_all(tv, half, vec![assign(s, t, sum)]));
            body.push(stmt(StmtKind::Sync { scope: Level::Block }));
            from = Some(s);
        }
        half /= 2;
    }
    b.grid(bv, n, body)
}

/// One thread per element, with all other constructs: pairs with a bool, names that clash, a `let`, a step, a branch,
/// division by data, shared and global atomics; two outputs. `out[i] = (flag, (sum of 0, 3, .. below input[i].0 % 10) /
/// dev)`, `out1[i % 4] += 1.0`.
pub fn mixed() -> Program {
    let mut b = Build::new("mixed", 32);
    let (len, input) = b.input("out", &[ScalarType::U32, ScalarType::Bool]);
    let dev = b.scalar("dev", ScalarType::I32);
    let out = b.output("out_", &[ScalarType::Bool, ScalarType::I32], len);
    let four = b.u32(4);
    let counts = b.output("out1", &[ScalarType::F32], four);
    let (bv, block) = b.index("b", u32::MAX);
    let (one, three, ten, zero) = (b.u32(1), b.u32(3), b.u32(10), b.u32(0));
    let local = b.array("acc", ScalarType::I32, one, Space::Shared(Level::Block));
    let data = b.load(input[0], block);
    let rem = b.bin(BinOp::Rem, data, ten);
    let lv = b.0.new_var("n", ScalarType::U32, false, Range::new(0, 9));
    let n = b.0.exprs.var(lv);
    let (sv, s) = b.index("s", 9);
    let s = b.0.exprs.cast(s, ScalarType::I32);
    let nil = b.0.exprs.constant(Const { ty: ScalarType::I32, bits: 0 });
    let old = b.0.new_var("old", ScalarType::I32, false, Range::full(ScalarType::I32));
    let add = stmt(StmtKind::Atomic {
        op: AtomicOp::Add,
        array: local,
        index: zero,
        value: s,
        expected: None,
        old: Some(old),
    });
    let acc = b.load(local, zero);
    let quot = b.bin(BinOp::Div, acc, dev);
    let flag = b.load(input[1], block);
    let flip = b.0.exprs.un(UnOp::Not, flag);
    let slot = b.bin(BinOp::Rem, block, four);
    let unit = b.0.exprs.constant(Const { ty: ScalarType::F32, bits: 1f32.to_bits().into() });
    let (tv, _) = b.index("t", 0);
    let thread = vec![
        stmt(StmtKind::Let { var: lv, value: rem }),
        assign(local, zero, nil),
        stmt(StmtKind::SeqFor { var: sv, start: zero, end: n, step: three, body: vec![add] }),
        assign(out[1], block, quot),
        stmt(StmtKind::If {
            cond: flag,
            then: vec![assign(out[0], block, flag)],
            els: vec![assign(out[0], block, flip)],
        }),
        stmt(StmtKind::Atomic {
            op: AtomicOp::Add,
            array: counts[0],
            index: slot,
            value: unit,
            expected: None,
            old: None,
        }),
    ];
    let body = vec![stmt(StmtKind::Allocate { array: local }), b.for_all(tv, 1, thread)];
    b.grid(bv, len, body)
}
