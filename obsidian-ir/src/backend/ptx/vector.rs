//! Vector accesses: `ld.v2/v4` and `st.v2/v4`. In: the statement's parts. Out: text; the variables are bound to what was read.
//! The address is a multiple of the access's bytes (PTX ISA, addresses as operands): the pass has proved it.

use super::emit::Emitter;
use super::is_shared;
use super::regs::{Class, Operand, memory_type};
use crate::program::{ArrayId, Expr, ExprId, VarId};

impl Emitter<'_> {
    pub(super) fn load_vector(&mut self, vars: &[VarId], array: ArrayId, index: ExprId) {
        let ty = self.p.array(array).elem;
        let at = self.address(array, index);
        let names: Vec<String> = vars.iter().map(|_| self.regs.fresh(Class::of(ty))).collect();
        let (op, n, list) = (self.load_op(array), vars.len(), names.join(", "));
        self.effect(&format!("{op}.v{n}.{} {{{list}}}, {at};", memory_type(ty)));
        for (var, name) in vars.iter().zip(names) {
            self.bind(*var, Operand::temp(name));
        }
    }

    /// `cp.async` (PTX ISA, data movement): only copies of 16 bytes may go past the first cache.
    pub(super) fn copy(&mut self, array: ArrayId, index: ExprId, value: ExprId, count: u32) {
        let Expr::Load(from, at) = self.p.exprs.expr(value) else { return self.ins("a_copy_of_no_element;") };
        let (to, from) = (self.address(array, index), self.address(from, at));
        let a = self.p.array(array);
        let bytes = a.elem.bytes() * count;
        let cache = if bytes == 16 { "cg" } else { "ca" };
        self.effect(&format!("cp.async.{cache}.shared.global {to}, {from}, {bytes};  // {}", a.name));
    }

    pub(super) fn store_vector(&mut self, array: ArrayId, index: ExprId, values: &[ExprId]) {
        let a = self.p.array(array);
        // An operand of a vector is a register.
        let parts: Vec<String> = values.iter().map(|&v| self.value_reg(v).text).collect();
        let at = self.address(array, index);
        let (space, n) = (if is_shared(a.space) { "shared" } else { "global" }, parts.len());
        let (ty, list) = (memory_type(a.elem), parts.join(", "));
        self.effect(&format!("st.{space}.v{n}.{ty} {at}, {{{list}}};  // {}", a.name));
    }
}
