//! Copies that go on while other code runs: each of the three statements is a call of a helper, whose body is the dialect's.

use super::Printer;
use crate::program::{ArrayId, Expr, ExprId};

impl Printer<'_> {
    /// Begins to copy `count` neighbours.
    pub(super) fn copy(&mut self, array: ArrayId, index: ExprId, value: ExprId, count: u32) -> Option<String> {
        let Expr::Load(from, at) = self.p.exprs.expr(value) else { return None };
        let copies = self.dialect.copies.as_ref()?;
        let bytes = self.p.array(array).elem.bytes() * count;
        let function =
            self.helpers.action(&format!("copy_{bytes}"), "void *to, const void *from", &(copies.copy)(bytes));
        let (to, from) = (self.element(array, index), self.element(from, at));
        Some(format!("{function}(&{to}, &{from});"))
    }

    /// Makes a group of the copies since the last one.
    pub(super) fn commit(&mut self) -> Option<String> {
        let copies = self.dialect.copies.as_ref()?;
        Some(format!("{}();", self.helpers.action("copies_commit", "void", &(copies.commit)())))
    }

    /// Waits for all groups but the latest `pending`.
    pub(super) fn wait_for_copies(&mut self, pending: u32) -> Option<String> {
        let copies = self.dialect.copies.as_ref()?;
        let body = (copies.wait)(pending);
        Some(format!("{}();", self.helpers.action(&format!("copies_await_{pending}"), "void", &body)))
    }

    fn element(&mut self, array: ArrayId, index: ExprId) -> String {
        let index = self.subscript(array, index);
        format!("{}[{index}]", self.names.array(array))
    }
}
