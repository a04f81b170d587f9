//! Statements: stores, variables, branches and loops as labels, barriers. Short branches are predicated.

use super::emit::{Emitter, Predicated, Set};
use super::regs::{Class, Kind, Operand, memory_type};
use crate::Level;
use crate::passes::chase::stays_rolled;
use crate::passes::walk;
use crate::program::{ArrayId, BinOp, Expr, ExprId, ScalarType, Space, Special, Stmt, StmtKind, UnOp, VarId};

/// The most statements of a predicated branch.
const MAX_STATEMENTS: usize = 4;
/// The most operations of a predicated branch: they are executed whether it is taken or not.
const MAX_OPERATIONS: u32 = 16;

impl Emitter<'_> {
    /// Statements in order.
    pub(super) fn block(&mut self, body: &[Stmt]) {
        for (at, s) in body.iter().enumerate() {
            if self.names_an_end(s, body.get(at + 1)) {
                continue;
            }
            self.written_for(s.span, |e| match e.apart(s) {
                Some(apart) => e.rounds_and_last(&apart, s),
                None => e.stmt(&s.kind),
            });
        }
    }

    fn stmt(&mut self, s: &StmtKind) {
        match s {
            StmtKind::Assign { array, index, value } => self.assign(*array, *index, *value),
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                self.atomic(*op, *array, *index, (*expected, *value), *old)
            }
            StmtKind::Let { var, value } => {
                let class = Class::of(self.p.exprs.ty(*value));
                let x = self.value(*value);
                let x = self.copy_if_mutable(x, class);
                self.bind(*var, x);
                self.lets.insert(*var, *value);
            }
            StmtKind::Local { var, init } => self.local(*var, *init),
            StmtKind::Set { var, value } => {
                let x = self.value(*value);
                let class = Class::of(self.p.var(*var).ty);
                if let Some(dst) = self.vars.get(var).cloned() {
                    self.set(&dst.text, class, x);
                }
            }
            StmtKind::Shuffle { var, value, kind, lane } => self.shuffle(*var, *value, *kind, *lane),
            StmtKind::LoadVector { vars, array, index } => self.load_vector(vars, *array, *index),
            StmtKind::StoreVector { array, index, values } => self.store_vector(*array, *index, values),
            StmtKind::If { cond, then, els } => self.branch(*cond, then, els),
            StmtKind::SeqFor { var, start, end, step, body } => {
                self.seq_for(*var, [*start, *end, *step], &[body]);
            }
            StmtKind::SeqWhile { head, cond, body } => self.seq_while(head, *cond, body),
            StmtKind::Allocate { .. } => {}
            StmtKind::Sync { scope: Level::Warp } => {
                let mask = u32::MAX >> (32 - self.p.lanes());
                self.ins(&format!("bar.warp.sync {mask:#010x};"));
            }
            StmtKind::Sync { .. } => self.ins("bar.sync 0;"),
            // The machine form has none: a word that no assembler takes, rather than a body that runs once.
            StmtKind::ForAll { .. } | StmtKind::DistrPar { .. } => self.ins("a_loop_over_threads_is_left;"),
            StmtKind::Copy { array, index, value, count } => self.copy(*array, *index, *value, *count),
            StmtKind::Commit => self.effect("cp.async.commit_group;"),
            StmtKind::Await { pending } => self.effect(&format!("cp.async.wait_group {pending};")),
            StmtKind::Print { .. } => self.ins("a_print_is_left;"),
        }
    }

    fn assign(&mut self, array: ArrayId, index: ExprId, value: ExprId) {
        let ty = self.p.array(array).elem;
        let class = Class::of(ty);
        let x = self.value(value);
        if let Some(dst) = self.element(array, index) {
            self.set(&dst, class, x);
            return;
        }
        let at = self.address(array, index);
        self.store(array, &at, &x, ty);
    }

    /// Stores a value at an address of the array.
    pub(super) fn store(&mut self, array: ArrayId, at: &str, x: &Operand, ty: ScalarType) {
        let byte = ty == ScalarType::Bool && x.kind != Kind::Imm;
        let x = if byte { self.compute("selp.u32", Class::U32, &[&1, &0, x]) } else { x.clone() };
        let space = match self.p.array(array).space {
            Space::Global(_) => "global",
            Space::Shared(_) => "shared",
            Space::Local | Space::Lanes | Space::Registers => "local",
        };
        // A store takes the low bits of a wider register.
        let name = &self.p.array(array).name;
        self.effect(&format!("st.{space}.{} {at}, {x};  // {name}", memory_type(ty)));
    }

    fn local(&mut self, var: VarId, init: Option<ExprId>) {
        let class = Class::of(self.p.var(var).ty);
        let x = init.map(|i| self.value(i));
        let r = self.regs.fresh(class);
        if let Some(x) = x {
            self.ins(&format!("mov.{} {r}, {x};", class.ty()));
        }
        self.bind(var, Operand::mutable(r));
    }

    fn branch(&mut self, cond: ExprId, then: &[Stmt], els: &[Stmt]) {
        if let Some(c) = self.p.exprs.as_const(cond) {
            return self.block(if c.bits != 0 { then } else { els });
        }
        let p = self.value_reg(cond);
        if self.guard.is_none() && self.is_short(then) && self.is_short(els) {
            let p = self.copy_if_mutable(p, Class::Pred);
            let then = self.predicated(format!("@{p}"), then);
            let els = self.predicated(format!("@!{p}"), els);
            return self.join(&p, then, els);
        }
        let (other, end) = (self.fresh_label(), self.fresh_label());
        let (jump, first, second) =
            if then.is_empty() { (format!("@{p}"), els, then) } else { (format!("@!{p}"), then, els) };
        self.ins(&format!("{jump} bra {other};"));
        self.scope(|e| e.block(first));
        if !second.is_empty() {
            self.ins(&format!("bra {end};"));
        }
        self.label(&other);
        if !second.is_empty() {
            self.scope(|e| e.block(second));
            self.label(&end);
        }
    }

    /// Prints a predicated branch; gives what it sets.
    fn predicated(&mut self, predicate: String, body: &[Stmt]) -> Vec<Set> {
        self.guard = Some(Predicated::new(predicate));
        self.block(body);
        self.guard.take().map(Predicated::into_sets).unwrap_or_default()
    }

    /// Gives the registers that two predicated branches set their values: each is one definition for all threads, but
    /// for a predicate or a register that only one branch sets, which keeps its value where the branch is not taken.
    fn join(&mut self, p: &Operand, then: Vec<Set>, els: Vec<Set>) {
        let mut els = els;
        for Set { register, class, value } in then {
            match els.iter().position(|set| set.register == register) {
                Some(at) => {
                    let other = els.swap_remove(at).value;
                    self.join_both(p, &register, class, [value, other]);
                }
                None => self.ins(&format!("@{p} mov.{} {register}, {value};", class.ty())),
            }
        }
        for Set { register, class, value } in els {
            self.ins(&format!("@!{p} mov.{} {register}, {value};", class.ty()));
        }
    }

    fn join_both(&mut self, p: &Operand, register: &str, class: Class, [then, els]: [Operand; 2]) {
        if class != Class::Pred {
            return self.ins(&format!("selp.{} {register}, {then}, {els}, {p};", class.ty()));
        }
        // `selp` has no predicates as data.
        self.ins(&format!("mov.pred {register}, {els};"));
        self.ins(&format!("@{p} mov.pred {register}, {then};"));
    }

    /// Whether a branch is worth predicating: plain statements, few operations, none of them slow.
    fn is_short(&self, body: &[Stmt]) -> bool {
        let mut cost = 0;
        let plain = body.iter().all(|s| match &s.kind {
            StmtKind::Assign { index, value, .. } | StmtKind::Copy { index, value, .. } => {
                cost += self.cost(*index) + self.cost(*value);
                true
            }
            StmtKind::Let { value, .. } | StmtKind::Set { value, .. } => {
                cost += self.cost(*value);
                true
            }
            _ => false,
        });
        plain && body.len() <= MAX_STATEMENTS && cost <= MAX_OPERATIONS
    }

    /// The number of operations in an expression; a slow one counts for more than `MAX_OPERATIONS`.
    fn cost(&self, id: ExprId) -> u32 {
        let e = &self.p.exprs;
        match e.expr(id) {
            Expr::Const(_) | Expr::Var(_) | Expr::Scalar(_) | Expr::Len(_) | Expr::Special(_) => 0,
            Expr::Bin(BinOp::Div | BinOp::Rem, ..) | Expr::Un(UnOp::Sqrt, _) => MAX_OPERATIONS + 1,
            operation => 1 + walk::operands(operation).map(|operand| self.cost(operand)).sum::<u32>(),
        }
    }

    /// A counted loop, tested at the bottom. The test at the top is left out where the ranges show that there is a
    /// first round. Gives the register of the counter.
    pub(super) fn seq_for(&mut self, var: VarId, [start, end, step]: [ExprId; 3], body: &[&[Stmt]]) -> String {
        let range = |id| self.p.exprs.range(id);
        let (s, e, k) = (range(start), range(end), range(step));
        let runs = s.hi < e.lo;
        let may_wrap = e.hi - 1 + k.hi > u32::MAX.into();
        let first = self.value(start);
        let mut fixed = |id| {
            let x = self.value(id);
            self.copy_if_mutable(x, Class::U32)
        };
        let (last, by) = (fixed(end), fixed(step));
        let i = self.regs.fresh(Class::U32);
        self.ins(&format!("mov.u32 {i}, {first};"));
        let (top, done) = (self.fresh_label(), self.fresh_label());
        if !runs {
            let none = self.compute("setp.ge.u32", Class::Pred, &[&i, &last]);
            self.ins(&format!("@{none} bra {done};"));
        }
        self.label(&top);
        let from = self.position();
        self.scope(|e| {
            e.bind(var, Operand::temp(i.clone()));
            body.iter().for_each(|part| e.block(part));
            let more = if may_wrap {
                // `i + step` may pass 2^32: compare the step with what is left.
                let left = e.compute("sub.u32", Class::U32, &[&last, &i]);
                e.ins(&format!("add.u32 {i}, {i}, {by};"));
                e.compute("setp.gt.u32", Class::Pred, &[&left, &by])
            } else {
                e.ins(&format!("add.u32 {i}, {i}, {by};"));
                e.compute("setp.lt.u32", Class::Pred, &[&i, &last])
            };
            e.ins(&format!("@{more} bra {top};"));
        });
        let known = [s, e, k].iter().all(|r| r.lo == r.hi);
        let over_blocks = matches!(self.p.exprs.expr(step), Expr::Special(Special::GridDim));
        let stays = body.iter().any(|part| stays_rolled(self.p, start, end, part));
        if stays || (!known && !over_blocks && self.is_long(from)) {
            self.keep_rolled(from);
        }
        if !runs {
            self.label(&done);
        }
        i
    }

    fn seq_while(&mut self, head: &[Stmt], cond: ExprId, body: &[Stmt]) {
        let (top, done) = (self.fresh_label(), self.fresh_label());
        self.label(&top);
        self.scope(|e| {
            e.block(head);
            let p = e.value_reg(cond);
            e.ins(&format!("@!{p} bra {done};"));
            e.block(body);
            e.ins(&format!("bra {top};"));
        });
        self.label(&done);
    }
}
