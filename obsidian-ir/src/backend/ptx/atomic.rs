//! Atomic updates as `red`, or as `atom` where the old value is asked for. In: the statement's parts, of a type that
//! `AtomicOp::takes`. Out: text; the old value is bound.

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
        let nothing = self.p.exprs.as_const(value).is_some_and(|c| c.bits == 0);
        let t = memory_type(ty);
        let before = match (self.p.array(array).space, expected) {
            // What nobody asks the old value of is a store, what changes nothing a load: relaxed ones of the whole device, or of the block.
            (Space::Global(_), None) if op == AtomicOp::Exchange && old.is_none() => {
                self.ins(&format!("st.relaxed.gpu.global.{t} {at}, {x};"));
                x
            }
            (Space::Shared(_), None) if op == AtomicOp::Exchange && old.is_none() => {
                self.ins(&format!("st.relaxed.cta.shared.{t} {at}, {x};"));
                x
            }
            (Space::Global(_), None) if op == AtomicOp::Or && nothing && old.is_some() => {
                self.compute(&format!("ld.relaxed.gpu.global.{t}"), Class::of(ty), &[&at])
            }
            (Space::Local | Space::Lanes | Space::Registers, Some(expected)) => {
                self.plain_exchange(array, &at, (&expected, &x), ty)
            }
            (Space::Local | Space::Lanes | Space::Registers, None) => self.plain_update(op, array, &at, &x, ty),
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
        let suffix = suffix(op, ty);
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
        let name = match op {
            AtomicOp::Exchange | AtomicOp::CompareExchange => return x.clone(),
            AtomicOp::Add => format!("add{rn}.{t}"),
            AtomicOp::Min => format!("min.{t}"),
            AtomicOp::Max => format!("max.{t}"),
            AtomicOp::And => format!("and.{b}"),
            AtomicOp::Or => format!("or.{b}"),
            AtomicOp::Xor => format!("xor.{b}"),
        };
        let r = self.compute(&name, class, &[before, x]);
        self.normalised(r, ty)
    }
}

/// Operation and type (PTX ISA, atom: types by operation).
fn suffix(op: AtomicOp, ty: ScalarType) -> String {
    let t = memory_type(ty);
    let bits = if ty.bytes() == 8 { "b64" } else { "b32" };
    match op {
        // Two's complement: the unsigned addition is the signed one, and 64 bits have no other.
        AtomicOp::Add if ty == ScalarType::I64 => "add.u64".to_string(),
        AtomicOp::Add => format!("add.{t}"),
        AtomicOp::Min => format!("min.{t}"),
        AtomicOp::Max => format!("max.{t}"),
        AtomicOp::And => format!("and.{bits}"),
        AtomicOp::Or => format!("or.{bits}"),
        AtomicOp::Xor => format!("xor.{bits}"),
        AtomicOp::Exchange | AtomicOp::CompareExchange => format!("exch.{bits}"),
    }
}
