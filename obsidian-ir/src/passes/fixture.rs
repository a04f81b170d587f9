//! Small programs for the tests of passes and interpreter, written by hand.

use crate::diag::Span;
use crate::interp::{self, Args};
use crate::level::Level;
use crate::passes::{self, Group, Machine, Native, Structured};
use crate::program::{
    Array, ArrayId, BinOp, Block, Const, ExprId, Param, ParamId, ParamKind, Program, Range, ScalarType, Space, Stmt,
    StmtKind, VarId, print,
};

/// What a program with one input writes, with every check on; on the given number of real blocks if its levels are gone.
pub(crate) fn run_on(program: &Program, blocks: u32, input: &[u32]) -> Vec<u32> {
    let out = interp::run_on(program, &Args::new().buffer(input.to_vec()), blocks);
    let out = out.unwrap_or_else(|fault| panic!("{fault}\n{}", print(program)));
    out.to_vec(0).expect("an output of u32")
}

/// As [`run_on`], by the loops over blocks that OpenCL C is printed with: their first round is everyone's.
pub(crate) fn run_untested(program: &Program, blocks: u32, input: &[u32]) -> Vec<u32> {
    let out = interp::run_untested(program, &Args::new().buffer(input.to_vec()), blocks);
    let out = out.unwrap_or_else(|fault| panic!("{fault}\n{}", print(program)));
    out.to_vec(0).expect("an output of u32")
}

fn in_structured_form(program: &Program) -> Structured {
    Structured::checked(program.clone()).unwrap_or_else(|e| panic!("{e}\n{}", print(program)))
}

/// The machine form of what is structured.
pub(crate) fn machine(program: &Program) -> Machine {
    passes::machine(&in_structured_form(program))
}

/// The group form of what is structured.
pub(crate) fn group(program: &Program) -> Group {
    passes::group(&in_structured_form(program))
}

/// The native form of what is structured.
pub(crate) fn native(program: &Program) -> Native {
    passes::native(&in_structured_form(program))
}

/// A statement without a place.
pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, Span::NONE)
}

/// An empty program for `threads` threads.
pub(crate) fn program(threads: u32) -> Program {
    let mut p = Program::new("test", threads);
    p.blocks = p.exprs.u32(1);
    p
}

/// Shorthand for building programs.
pub(crate) trait Make {
    fn new_array(&mut self, name: &str, elem: ScalarType, len: u32, space: Space) -> ArrayId;
    fn input(&mut self, name: &str, elem: ScalarType) -> (ParamId, ArrayId);
    fn output(&mut self, elem: ScalarType, len: ExprId) -> ArrayId;
    fn index(&mut self, name: &str, n: u32) -> (VarId, ExprId);
    fn u32(&mut self, v: u32) -> ExprId;
    fn op(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId;
    fn get(&mut self, a: ArrayId, i: ExprId) -> ExprId;
    fn for_all(&mut self, level: Level, n: u32, body: impl FnOnce(&mut Program, ExprId) -> Block) -> Stmt;
    fn distribute(&mut self, level: Level, n: ExprId, body: impl FnOnce(&mut Program, ExprId) -> Block) -> Stmt;
}

impl Make for Program {
    fn new_array(&mut self, name: &str, elem: ScalarType, len: u32, space: Space) -> ArrayId {
        let id = ArrayId(self.arrays.len() as u32);
        let len = self.exprs.u32(len);
        self.arrays.push(Array {
            name: name.into(),
            elem,
            len,
            space,
            rows: None,
            stages: 1,
            filled: None,
            offset: None,
            span: Span(id.0),
            stands_for: None,
        });
        id
    }

    fn input(&mut self, name: &str, elem: ScalarType) -> (ParamId, ArrayId) {
        let param = ParamId(self.params.len() as u32);
        let array = self.new_array(name, elem, 0, Space::Global(param));
        self.arrays[array.0 as usize].len = self.exprs.input_len(param);
        self.params.push(Param::new(name, ParamKind::Input { arrays: vec![array], len: None }));
        (param, array)
    }

    fn output(&mut self, elem: ScalarType, len: ExprId) -> ArrayId {
        let param = ParamId(self.params.len() as u32);
        let array = self.new_array("out", elem, 0, Space::Global(param));
        self.arrays[array.0 as usize].len = len;
        self.params.push(Param::new("out", ParamKind::Output { arrays: vec![array], len }));
        array
    }

    fn index(&mut self, name: &str, n: u32) -> (VarId, ExprId) {
        let var = self.new_var(name, ScalarType::U32, false, Range::new(0, i128::from(n.max(1)) - 1));
        (var, self.exprs.var(var))
    }

    fn u32(&mut self, v: u32) -> ExprId {
        self.exprs.constant(Const::u32(v))
    }

    fn op(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.bin(op, a, b)
    }

    fn get(&mut self, a: ArrayId, i: ExprId) -> ExprId {
        let ty = self.arrays[a.0 as usize].elem;
        self.exprs.load(a, i, ty)
    }

    fn for_all(&mut self, level: Level, n: u32, body: impl FnOnce(&mut Program, ExprId) -> Block) -> Stmt {
        let (var, i) = self.index("i", n);
        let body = body(self, i);
        let n = Make::u32(self, n);
        stmt(StmtKind::ForAll { level, var, n, body })
    }

    fn distribute(&mut self, level: Level, n: ExprId, body: impl FnOnce(&mut Program, ExprId) -> Block) -> Stmt {
        let hi = self.exprs.range(n).hi.min(1 << 22) as u32;
        let (var, i) = self.index("b", hi);
        let body = body(self, i);
        stmt(StmtKind::DistrPar { level, var, n, body })
    }
}

/// `out[b]` is the sum of the `b`-th 512 elements of the input: a tree of halves in shared memory.
pub(crate) fn reduce(threads: u32) -> Program {
    let mut p = program(threads);
    let (param, input) = p.input("input", ScalarType::U32);
    let len = p.exprs.input_len(param);
    let chunk = Make::u32(&mut p, 512);
    let blocks = p.op(BinOp::Div, len, chunk);
    p.blocks = blocks;
    let out = p.output(ScalarType::U32, blocks);
    let body = p.distribute(Level::Block, blocks, |p, b| {
        let base = p.op(BinOp::Mul, b, chunk);
        let mut list = Vec::new();
        let (mut from, mut n) = (None::<ArrayId>, 512);
        while n > 2 {
            n /= 2;
            let to = p.new_array(&format!("s{n}"), ScalarType::U32, n, Space::Shared(Level::Block));
            list.push(stmt(StmtKind::Allocate { array: to }));
            list.push(p.for_all(Level::Block, n, |p, i| vec![add_halves(p, (input, base, from), (to, i), i, n)]));
            from = Some(to);
        }
        list.push(p.for_all(Level::Block, 1, |p, i| vec![add_halves(p, (input, base, from), (out, b), i, 1)]));
        list
    });
    p.body = vec![body];
    p
}

/// `to = from[i] + from[i + n]`, where nothing stored yet stands for the input's part at `base`.
fn add_halves(
    p: &mut Program,
    (input, base, from): (ArrayId, ExprId, Option<ArrayId>),
    (to, at): (ArrayId, ExprId),
    i: ExprId,
    n: u32,
) -> Stmt {
    let n = Make::u32(p, n);
    let j = p.op(BinOp::Add, i, n);
    let (x, y) = match from {
        Some(a) => (p.get(a, i), p.get(a, j)),
        None => {
            let (i, j) = (p.op(BinOp::Add, base, i), p.op(BinOp::Add, base, j));
            (p.get(input, i), p.get(input, j))
        }
    };
    let value = p.op(BinOp::Add, x, y);
    stmt(StmtKind::Assign { array: to, index: at, value })
}

/// `out[b]` is the sum of the `b`-th 64 elements; each warp of a block of 4 warp programs reduces one part in its own
/// shared memory.
pub(crate) fn warp_reduce(threads: u32) -> Program {
    let mut p = program(threads);
    let (param, input) = p.input("input", ScalarType::U32);
    let len = p.exprs.input_len(param);
    let (part, per_block) = (Make::u32(&mut p, 64), Make::u32(&mut p, 4));
    let parts = p.op(BinOp::Div, len, part);
    let blocks = p.op(BinOp::Div, parts, per_block);
    p.blocks = blocks;
    let out = p.output(ScalarType::U32, parts);
    let body = p.distribute(Level::Block, blocks, |p, b| {
        let first = p.op(BinOp::Mul, b, per_block);
        vec![p.distribute(Level::Warp, per_block, |p, w| {
            let at = p.op(BinOp::Add, first, w);
            let base = p.op(BinOp::Mul, at, part);
            let mut list = Vec::new();
            let (mut from, mut n) = (None::<ArrayId>, 64);
            while n > 2 {
                n /= 2;
                let to = p.new_array(&format!("s{n}"), ScalarType::U32, n, Space::Shared(Level::Warp));
                list.push(stmt(StmtKind::Allocate { array: to }));
                list.push(p.for_all(Level::Warp, n, |p, i| vec![add_halves(p, (input, base, from), (to, i), i, n)]));
                from = Some(to);
            }
            list.push(p.for_all(Level::Warp, 1, |p, i| vec![add_halves(p, (input, base, from), (out, at), i, 1)]));
            list
        })]
    });
    p.body = vec![body];
    p
}

/// `out[i] = x[i] * 3 + 7`, 1000 elements a block, nothing stored between.
pub(crate) fn saxpy(threads: u32) -> Program {
    let mut p = program(threads);
    let (param, x) = p.input("x", ScalarType::U32);
    let len = p.exprs.input_len(param);
    let chunk = Make::u32(&mut p, 1000);
    let blocks = p.op(BinOp::Div, len, chunk);
    p.blocks = blocks;
    let out = p.output(ScalarType::U32, len);
    let body = p.distribute(Level::Block, blocks, |p, b| {
        vec![p.for_all(Level::Block, 1000, |p, i| {
            let base = p.op(BinOp::Mul, b, chunk);
            let index = p.op(BinOp::Add, base, i);
            let (a, c) = (Make::u32(p, 3), Make::u32(p, 7));
            let load = p.get(x, index);
            let product = p.op(BinOp::Mul, load, a);
            let (var, v) = p.index("v", u32::MAX);
            let value = p.op(BinOp::Add, v, c);
            vec![stmt(StmtKind::Let { var, value: product }), stmt(StmtKind::Assign { array: out, index, value })]
        })]
    });
    p.body = vec![body];
    p
}
