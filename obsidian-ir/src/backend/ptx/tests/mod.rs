//! Tests of the printer: small programs in machine form, made by hand. With `OBSIDIAN_PTX_OUT` set to a folder, every
//! program is also written there as `<name>.ptx`, for ptxas.

mod kernels;
mod ops;

use super::print;
use crate::diag::Span;
use crate::passes::Machine;
use crate::passes::fixture::program;
use crate::program::{
    Array, ArrayId, BinOp, Const, ExprId, Param, ParamId, ParamKind, Program, Range, ScalarType, Space, Special, Stmt,
    StmtKind, VarId,
};

/// What the printer takes.
fn form(p: &Program) -> Machine {
    Machine::checked(p.clone()).unwrap_or_else(|e| panic!("{e}\n{}", crate::program::print(p)))
}

/// A program under construction.
struct Make {
    p: Program,
}

impl Make {
    fn new(name: &str, threads: u32) -> Make {
        Make { p: Program { name: name.into(), ..program(threads) } }
    }

    fn array(&mut self, name: &str, elem: ScalarType, len: ExprId, space: Space) -> ArrayId {
        let id = ArrayId(self.p.arrays.len() as u32);
        let offset = match space {
            Space::Shared(_) => {
                let at = self.p.shared_bytes.next_multiple_of(16);
                self.p.shared_bytes = at + self.p.exprs.as_u32(len).unwrap_or(0) * elem.bytes();
                Some(at)
            }
            _ => None,
        };
        self.p.arrays.push(Array {
            name: name.to_string(),
            elem,
            len,
            space,
            rows: None,
            stages: 1,
            filled: None,
            offset,
            span: Span::NONE,
            stands_for: None,
        });
        id
    }

    /// An input of dynamic length.
    fn input(&mut self, name: &str, elem: ScalarType) -> (ArrayId, ExprId) {
        let param = ParamId(self.p.params.len() as u32);
        let len = self.p.exprs.input_len(param);
        let a = self.array(name, elem, len, Space::Global(param));
        self.p.params.push(Param::new(name, ParamKind::Input { arrays: vec![a], len: None }));
        (a, len)
    }

    fn output(&mut self, name: &str, elem: ScalarType, len: ExprId) -> ArrayId {
        let a = self.array(name, elem, len, Space::Global(ParamId(self.p.params.len() as u32)));
        self.p.params.push(Param::new(name, ParamKind::Output { arrays: vec![a], len }));
        a
    }

    fn scalar(&mut self, name: &str, ty: ScalarType) -> ExprId {
        let id = ParamId(self.p.params.len() as u32);
        self.p.params.push(Param::new(name, ParamKind::Scalar(ty)));
        self.p.exprs.scalar(id, ty)
    }

    fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.p.exprs.bin(op, a, b)
    }

    fn u32(&mut self, v: u32) -> ExprId {
        self.p.exprs.u32(v)
    }

    fn tid(&mut self) -> ExprId {
        let hi = self.p.threads - 1;
        self.p.exprs.special(Special::Tid, hi)
    }

    fn load(&mut self, a: ArrayId, index: ExprId) -> ExprId {
        let ty = self.p.array(a).elem;
        self.p.exprs.load(a, index, ty)
    }

    fn var(&mut self, name: &str, ty: ScalarType, mutable: bool) -> (VarId, ExprId) {
        let id = self.p.new_var(name, ty, mutable, Range::full(ty));
        (id, self.p.exprs.var(id))
    }

    /// The text of the program with this body.
    fn print(mut self, body: Vec<Stmt>) -> String {
        self.p.body = body;
        let text = print(&form(&self.p));
        if let Some(folder) = std::env::var_os("OBSIDIAN_PTX_OUT") {
            let path = std::path::Path::new(&folder).join(format!("{}.ptx", self.p.name));
            std::fs::write(&path, &text).expect("OBSIDIAN_PTX_OUT names a folder that can be written");
        }
        text
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, Span::NONE)
}

fn assign(array: ArrayId, index: ExprId, value: ExprId) -> Stmt {
    stmt(StmtKind::Assign { array, index, value })
}

fn set(var: VarId, value: ExprId) -> Stmt {
    stmt(StmtKind::Set { var, value })
}

fn bind(var: VarId, value: ExprId) -> Stmt {
    stmt(StmtKind::Let { var, value })
}

fn when(cond: ExprId, then: Vec<Stmt>, els: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If { cond, then, els })
}

/// That the text has each line, in this order (leading blanks and registers' numbers as written).
fn has(text: &str, lines: &[&str]) {
    let mut rest = text;
    for line in lines {
        let Some(at) = rest.find(line) else { panic!("`{line}` is not in the rest of\n{text}") };
        rest = &rest[at + line.len()..];
    }
}
