//! `assert!`: in the code of threads a test when the kernel runs, recorded as a guard records a read that is out of range
//! (`passes::guards`); elsewhere a condition of the launch. And `print!`.

use obsidian_abi::assertion;

use super::eval::Frame;
use super::{Extend, Stage, Told};
use crate::syntax::ast::Message;
use crate::types::TExpr;
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{Assertion, ExprId, Range, ScalarType, Space, StandsFor, StmtKind};

impl Stage {
    /// The values of a text.
    pub(super) fn message(&mut self, message: &Message<TExpr>, f: &mut Frame) -> Result<Message<ExprId>> {
        let values = message.values.iter().map(|v| self.eval(v, f)?.scalar(self)).collect::<Result<_>>()?;
        Ok(Message { parts: message.parts.clone(), values, place: message.place.clone() })
    }

    /// Prints a text; once for all threads of a block or a warp in their code.
    pub(super) fn print(&mut self, message: &Message<ExprId>) -> Result<()> {
        let print = StmtKind::Print { text: message.parts.clone(), values: message.values.clone() };
        match self.ambient {
            Some(Level::Thread) => self.emit(print),
            Some(level @ (Level::Warp | Level::Block)) => {
                let one = self.u32(1);
                self.loop_at(level, one, "t", &mut |s, _| s.emit(print.clone()))
            }
            _ => Err(self.error("OB015", "`print!` stands where no thread runs").map_help(
                "print in the code of blocks, warps or threads, as in `xs.map(|x| { println!(\"{}\", x); x })`",
            )),
        }
    }

    /// Demands `cond`, or lets the launch end in an error with the message and the value.
    pub(super) fn assert(&mut self, cond: ExprId, message: &Message<ExprId>) -> Result<()> {
        match self.ambient {
            Some(Level::Thread) => self.tested(cond, message),
            Some(level @ (Level::Warp | Level::Block)) => {
                let one = self.u32(1);
                self.loop_at(level, one, "t", &mut |s, _| s.tested(cond, message))
            }
            _ => {
                let found = match message.values.first() {
                    Some(&value) => self.as_integer(value),
                    None => self.u32(0),
                };
                let at_launch = self.assertion(message).entry();
                let told = Told { now: assertion::plain(&at_launch).to_string(), at_launch };
                self.demand_told(cond, found, told, "the author of the kernel asks for this with `assert!`")
            }
        }
    }

    fn tested(&mut self, cond: ExprId, message: &Message<ExprId>) -> Result<()> {
        if self.p.exprs.as_const(cond).is_some_and(|c| c.bits != 0) {
            return Ok(());
        }
        let value = message.values.first().copied();
        let (zero, one) = (self.u32(0), self.u32(1));
        let bits = match value {
            Some(v) => self.as_bits(v)?,
            None => zero,
        };
        let array = self.new_array("assertion", ScalarType::U32, one, Space::Local);
        let assertion = self.assertion(message);
        self.p.arrays[array.0 as usize].stands_for = Some(StandsFor::Assertion(assertion));
        self.emit(StmtKind::Allocate { array })?;
        self.emit(StmtKind::Assign { array, index: zero, value: bits })?;
        let index = self.p.exprs.select(cond, zero, one);
        let value = self.p.exprs.load(array, index, ScalarType::U32);
        self.note_place(value);
        let var = self.p.new_var("asserted", ScalarType::U32, false, Range::full(ScalarType::U32));
        self.emit(StmtKind::Let { var, value })
    }

    /// What is said where it fails.
    fn assertion(&self, message: &Message<ExprId>) -> Assertion {
        let mut parts = message.parts.iter().cloned();
        let (before, after) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let shown = message.values.first().map(|&value| self.p.exprs.ty(value));
        Assertion { before, after, shown, place: message.place.clone() }
    }

    /// A value as the integer that a refusal of the launch tells: the bits of a float.
    fn as_integer(&mut self, value: ExprId) -> ExprId {
        match self.p.exprs.ty(value) {
            ScalarType::F64 => self.p.exprs.bits(value, ScalarType::U64),
            ty if ty.is_float() => {
                let single = self.p.exprs.cast(value, ScalarType::F32);
                self.p.exprs.bits(single, ScalarType::U32)
            }
            ty if ty.is_int() => value,
            _ => self.p.exprs.cast(value, ScalarType::U32),
        }
    }

    /// A value as 32 bits: the bits of a float, and what an integer is as `i32` or `u32`.
    fn as_bits(&mut self, value: ExprId) -> Result<ExprId> {
        let ty = self.p.exprs.ty(value);
        if ty.bits() > 32 {
            return Err(self
                .error("OB027", format!("`assert!` shows a value of at most 32 bits, not `{}`", ty.name()))
                .map_help("show a part of it: `x as u32`, `x as f32`"));
        }
        if ty.is_float() {
            let single = self.p.exprs.cast(value, ScalarType::F32);
            return Ok(self.p.exprs.bits(single, ScalarType::U32));
        }
        Ok(self.p.exprs.cast(value, ScalarType::U32))
    }
}
