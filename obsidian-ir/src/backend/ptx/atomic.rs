//! Atomic updates: `red` or `atom` where PTX has the operation and type, else a loop around `atom.cas` on the word that
//! holds the element. In: the statement's parts. Out: text; the old value is bound where asked.

use super::emit::Emitter;
use super::is_shared;
use super::regs::{Class, Operand, memory_type};
use crate::program::{ArrayId, AtomicOp, ExprId, ScalarType, Space, VarId};

impl Emitter<'_> {
    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        array: ArrayId,
        index: ExprId,
        (expected, value): (Option<ExprId>, ExprId),
        old: Option<VarId>,
    ) {
        let ty = self.p.array(array).elem;
        let expected = expected.map(|e| self.value_reg(e));
        let x = self.value_reg(value);
        let at = self.address(array, index);
        let before = match (self.p.array(array).space, expected) {
            (Space::Local | Space::Lanes, Some(expected)) => self.plain_exchange(array, &at, (&expected, &x), ty),
            (Space::Local | Space::Lanes, None) => self.plain_update(op, array, &at, &x, ty),
            (space, Some(expected)) => {
                let (space, bits) = (if is_shared(space) { "shared" } else { "global" }, Class::of(ty).bits());
                self.compute(&format!("atom.{space}.cas.{bits}"), Class::of(ty), &[&at, &expected, &x])
            }
            (Space::Global(_), None) => self.shared_update("global", op, &at, &x, ty, old),
            (Space::Shared(_), None) => self.shared_update("shared", op, &at, &x, ty, old),
        };
        if let Some(var) = old {
            self.bind(var, before);
        }
    }

    /// The element becomes `x` where it is `expected`.
    fn plain_exchange(
        &mut self,
        array: ArrayId,
        at: &str,
        (expected, x): (&Operand, &Operand),
        ty: ScalarType,
    ) -> Operand {
        let (class, t) = (Class::of(ty), Class::of(ty).ty());
        let before = self.load_from("ld.local", at, ty);
        let same = self.compute(&format!("setp.eq.{t}"), Class::Pred, &[&before, expected]);
        let after = self.compute(&format!("selp.{t}"), class, &[x, &before, &same]);
        self.store(array, at, &after, ty);
        before
    }

    /// A thread's own memory needs no atomic, and `atom` has no `.local`.
    fn plain_update(&mut self, op: AtomicOp, array: ArrayId, at: &str, x: &Operand, ty: ScalarType) -> Operand {
        let before = self.load_from("ld.local", at, ty);
        let after = self.updated(op, &before, x, ty);
        self.store(array, at, &after, ty);
        before
    }

    fn shared_update(
        &mut self,
        space: &str,
        op: AtomicOp,
        at: &str,
        x: &Operand,
        ty: ScalarType,
        old: Option<VarId>,
    ) -> Operand {
        let Some(suffix) = native(op, ty) else {
            return if ty.bytes() < 4 {
                self.narrow_loop(space, op, at, x, ty)
            } else {
                self.word_loop(space, op, at, x, ty)
            };
        };
        if old.is_none() && op != AtomicOp::Exchange {
            self.ins(&format!("red.{space}.{suffix} {at}, {x};"));
            return x.clone();
        }
        self.compute(&format!("atom.{space}.{suffix}"), Class::of(ty), &[&at, x])
    }

    /// What the element becomes.
    fn updated(&mut self, op: AtomicOp, before: &Operand, x: &Operand, ty: ScalarType) -> Operand {
        let class = Class::of(ty);
        let (t, b) = (class.ty(), class.bits());
        let rn = if ty.is_float() { ".rn" } else { "" };
        let name = match (op, ty) {
            (AtomicOp::Exchange | AtomicOp::CompareExchange, _) => return x.clone(),
            (AtomicOp::Add | AtomicOp::Xor, ScalarType::Bool) => "xor.pred".to_string(),
            (AtomicOp::Min, ScalarType::Bool) => "and.pred".to_string(),
            (AtomicOp::Max, ScalarType::Bool) => "or.pred".to_string(),
            (AtomicOp::Add, _) => format!("add{rn}.{t}"),
            (AtomicOp::Min, _) => format!("min.{t}"),
            (AtomicOp::Max, _) => format!("max.{t}"),
            (AtomicOp::And, _) => format!("and.{b}"),
            (AtomicOp::Or, _) => format!("or.{b}"),
            (AtomicOp::Xor, _) => format!("xor.{b}"),
        };
        let r = self.compute(&name, class, &[before, x]);
        self.normalised(r, ty)
    }

    /// Words of 32 or 64 bits: floats' minimum and maximum.
    fn word_loop(&mut self, space: &str, op: AtomicOp, at: &str, x: &Operand, ty: ScalarType) -> Operand {
        let class = Class::of(ty);
        let (word, t, b) = if ty.bytes() == 8 { (Class::U64, "u64", "b64") } else { (Class::U32, "u32", "b32") };
        let seen = self.compute(&format!("ld.volatile.{space}.{t}"), word, &[&at]);
        let expected = self.regs.fresh(word);
        let top = self.fresh_label();
        self.label(&top);
        self.ins(&format!("mov.{t} {expected}, {seen};"));
        let before = self.compute(&format!("mov.{b}"), class, &[&expected]);
        let after = self.updated(op, &before, x, ty);
        let after = self.compute(&format!("mov.{b}"), word, &[&after]);
        self.ins(&format!("atom.{space}.cas.{b} {seen}, {at}, {expected}, {after};"));
        // Bits are compared: a NaN must not differ from itself.
        let again = self.compute(&format!("setp.ne.{t}"), Class::Pred, &[&seen, &expected]);
        self.ins(&format!("@{again} bra {top};"));
        before
    }

    /// Elements of 8 and 16 bits inside their aligned word of 32: buffers are aligned far beyond that, so the word's
    /// other bytes belong to the same allocation, and they are written back as they were.
    fn narrow_loop(&mut self, space: &str, op: AtomicOp, at: &str, x: &Operand, ty: ScalarType) -> Operand {
        let u = Class::U32;
        let (word, shift) = self.word_of(space, at);
        let ones = if ty.bytes() == 1 { 0xff } else { 0xffff };
        let mask = self.compute("mov.u32", u, &[&ones]);
        let mask = self.compute("shl.b32", u, &[&mask, &shift]);
        let others = self.compute("not.b32", u, &[&mask]);
        let seen = self.compute(&format!("ld.volatile.{space}.u32"), u, &[&format!("[{word}]")]);
        let expected = self.regs.fresh(u);
        let top = self.fresh_label();
        self.label(&top);
        self.ins(&format!("mov.u32 {expected}, {seen};"));
        let low = self.compute("shr.u32", u, &[&expected, &shift]);
        let before = match ty {
            ScalarType::Bool => {
                let bit = self.compute("and.b32", u, &[&low, &1]);
                self.compute("setp.ne.u32", Class::Pred, &[&bit, &0])
            }
            _ => self.normalised(low, ty),
        };
        let after = self.updated(op, &before, x, ty);
        let after = match ty {
            ScalarType::Bool => self.compute("selp.u32", u, &[&1, &0, &after]),
            _ => after,
        };
        let placed = self.compute("shl.b32", u, &[&after, &shift]);
        let placed = self.compute("and.b32", u, &[&placed, &mask]);
        let kept = self.compute("and.b32", u, &[&expected, &others]);
        let next = self.compute("or.b32", u, &[&placed, &kept]);
        self.ins(&format!("atom.{space}.cas.b32 {seen}, [{word}], {expected}, {next};"));
        let again = self.compute("setp.ne.u32", Class::Pred, &[&seen, &expected]);
        self.ins(&format!("@{again} bra {top};"));
        before
    }

    /// The address of the aligned word around an element, and the element's bit in it.
    fn word_of(&mut self, space: &str, at: &str) -> (Operand, Operand) {
        let inner = at.trim_matches(['[', ']']);
        let (base, offset) = inner.split_at(inner.find(['+', '-']).unwrap_or(inner.len()));
        let offset = if offset.is_empty() { "0" } else { offset.trim_start_matches('+') };
        let (class, t, b) = if space == "shared" { (Class::U32, "u32", "b32") } else { (Class::Addr, "u64", "b64") };
        let base = if base == "smem" { self.shared.clone() } else { base.to_string() };
        let full = self.compute(&format!("add.{t}"), class, &[&base, &offset]);
        let word = self.compute(&format!("and.{b}"), class, &[&full, &-4]);
        let low = match class {
            Class::Addr => self.compute("cvt.u32.u64", Class::U32, &[&full]),
            _ => full,
        };
        let byte = self.compute("and.b32", Class::U32, &[&low, &3]);
        (word, self.compute("shl.b32", Class::U32, &[&byte, &3]))
    }
}

/// Operation and type of `atom`/`red`, where PTX 7.0 has them (PTX ISA, atom: types by operation).
fn native(op: AtomicOp, ty: ScalarType) -> Option<String> {
    let t = memory_type(ty);
    let word = ty.bytes() >= 4;
    let bits = if ty.bytes() == 8 { "b64" } else { "b32" };
    match op {
        _ if !word => None,
        // Two's complement: the unsigned addition is the signed one, and 64 bits have no other.
        AtomicOp::Add if ty == ScalarType::I64 => Some("add.u64".to_string()),
        AtomicOp::Add => Some(format!("add.{t}")),
        AtomicOp::Min | AtomicOp::Max if ty.is_float() => None,
        AtomicOp::Min => Some(format!("min.{t}")),
        AtomicOp::Max => Some(format!("max.{t}")),
        AtomicOp::And => Some(format!("and.{bits}")),
        AtomicOp::Or => Some(format!("or.{bits}")),
        AtomicOp::Xor => Some(format!("xor.{bits}")),
        AtomicOp::Exchange | AtomicOp::CompareExchange => Some(format!("exch.{bits}")),
    }
}
