//! Statements as C, plainly: one line or one block each, an empty line after a barrier, where a new phase begins.

use super::Printer;
use super::dialect::Neighbours;
use super::spelling::Text;
use super::uses::is_stable;
use crate::passes::chase::stays_rolled;
use crate::program::walk::waits;
use crate::program::{
    ArrayId, AtomicOp, Block, Expr, ExprId, ScalarType, ShuffleKind, Space, Special, Stmt, StmtKind, VarId,
};

/// A name that no compiler knows, where a dialect has no copies that go on by themselves.
const NO_COPIES: &str = "this_dialect_has_no_such_copy;";
/// The fields of a vector.
const FIELDS: [&str; 4] = ["x", "y", "z", "w"];

impl<'a> Printer<'a> {
    pub(super) fn block(&mut self, body: &'a [Stmt], depth: usize) {
        for (i, stmt) in body.iter().enumerate() {
            let after_barrier = i > 0 && matches!(body[i - 1].kind, StmtKind::Sync { .. });
            if after_barrier && !matches!(stmt.kind, StmtKind::Sync { .. }) {
                self.out.push_str("\n");
            }
            let around = self.out.write_for(Some(stmt));
            self.stmt(&stmt.kind, depth);
            self.out.write_for(around);
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"    ".repeat(depth));
        self.out.push_str(text);
        self.out.push_str("\n");
    }

    /// A loop with `body`.
    fn loop_of(&mut self, depth: usize, head: &str, body: &'a Block) {
        self.line(depth, &format!("{head} {{"));
        self.begin_round(depth + 1, waits(body));
        self.block(body, depth + 1);
        self.line(depth, "}");
    }

    /// What a round of a loop begins with; of one in which a block `waits` the dialect may want more.
    fn begin_round(&mut self, depth: usize, waits: bool) {
        if let Some(text) = (self.dialect.round)(self.p.threads).filter(|_| waits) {
            self.line(depth, text);
        }
    }

    fn stmt(&mut self, kind: &'a StmtKind, depth: usize) {
        match kind {
            StmtKind::Assign { array, index, value } => {
                let (index, value) = (self.subscript(*array, *index), self.code(*value));
                let text = format!("{}[{index}] = {value};", self.names.array(*array));
                self.line(depth, &text);
            }
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                let call = self.atomic(*op, *array, *index, (*expected, *value));
                let text = match old.filter(|&v| self.uses().reads(v)) {
                    Some(v) => format!("const {} = {call};", self.declaration(v)),
                    None => format!("{call};"),
                };
                self.line(depth, &text);
            }
            StmtKind::Let { var, .. }
            | StmtKind::Local { var, .. }
            | StmtKind::Set { var, .. }
            | StmtKind::Shuffle { var, .. }
                if !self.uses().reads(*var) => {}
            StmtKind::LoadVector { vars, .. } if !vars.iter().any(|var| self.uses().reads(*var)) => {}
            StmtKind::Let { var, value } => {
                let wide = self.declared_wide(*var);
                let value = if wide { self.wide(*value).code } else { self.code(*value) };
                let text = format!("const {} = {value};", self.declaration(*var));
                self.line(depth, &text);
            }
            StmtKind::Local { var, init } => {
                let init = init.map_or(String::new(), |e| format!(" = {}", self.code(e)));
                let text = format!("{}{init};", self.declaration(*var));
                self.line(depth, &text);
            }
            StmtKind::Set { var, value } => {
                let value = self.code(*value);
                let text = format!("{} = {value};", self.names.var(*var));
                self.line(depth, &text);
            }
            StmtKind::Shuffle { var, value, kind, lane } => {
                let text = format!("const {} = {};", self.declaration(*var), self.shuffle(*value, *kind, *lane));
                self.line(depth, &text);
            }
            StmtKind::LoadVector { vars, array, index } => self.load_vector(depth, vars, *array, *index),
            StmtKind::StoreVector { array, index, values } => {
                let place = self.neighbours(*array, *index, values.len());
                let values: Vec<_> = values.iter().map(|v| self.code(*v)).collect();
                let text = (self.dialect.vectors.store)(&place, &values.join(", "));
                self.line(depth, &text);
            }
            StmtKind::If { cond, then, els } => self.branch(depth, *cond, then, els),
            StmtKind::SeqFor { var, start, end, step, body } => {
                if let Some(rolled) = self.dialect.rolled.filter(|_| stays_rolled(self.p, *start, *end, body)) {
                    self.line(depth, rolled);
                }
                let head = self.for_head(*var, *start, *end, *step);
                self.loop_of(depth, &head, body);
            }
            StmtKind::SeqWhile { head, cond, body } => self.while_loop(depth, head, *cond, body),
            // Gone in the forms that are printed as C: a line that no compiler takes, rather than code of one thread.
            StmtKind::ForAll { .. } | StmtKind::DistrPar { .. } => {
                self.line(0, "#error \"a loop over threads is left\"")
            }
            StmtKind::Print { .. } => self.line(0, "#error \"a print is left\""),
            StmtKind::Copy { array, index, value, count } => {
                let call = self.copy(*array, *index, *value, *count);
                self.line(depth, call.as_deref().unwrap_or(NO_COPIES));
            }
            StmtKind::Commit => {
                let call = self.commit();
                self.line(depth, call.as_deref().unwrap_or(NO_COPIES));
            }
            StmtKind::Await { pending } => {
                let call = self.wait_for_copies(*pending);
                self.line(depth, call.as_deref().unwrap_or(NO_COPIES));
            }
            StmtKind::Allocate { array } => self.allocate(depth, *array),
            StmtKind::Sync { scope } => {
                let text = (self.dialect.barrier)(*scope, self.p.lanes(), self.uses().fence(self.p));
                self.line(depth, &text);
            }
        }
    }

    /// One access, then a name for each element that is used.
    fn load_vector(&mut self, depth: usize, vars: &[VarId], array: ArrayId, index: ExprId) {
        let (elem, name) = (self.p.array(array).elem, format!("{}_on", self.names.var(vars[0])));
        let place = self.neighbours(array, index, vars.len());
        let value = (self.dialect.vectors.load)(&place);
        self.line(depth, &format!("const {} {name} = {value};", place.vector));
        let used = vars.iter().zip(FIELDS).filter(|(v, _)| self.uses().reads(**v));
        let parts: Vec<_> = used.map(|(v, field)| format!("{} = {name}.{field}", self.names.var(*v))).collect();
        if !parts.is_empty() {
            self.line(depth, &format!("const {} {};", (self.dialect.ty)(elem), parts.join(", ")));
        }
    }

    /// `count` elements of an array that are accessed as one.
    fn neighbours(&mut self, array: ArrayId, index: ExprId, count: usize) -> Neighbours {
        let a = self.p.array(array);
        let (space, vector) = ((self.dialect.space)(a.space), self.helpers.vector(a.elem, count));
        let first = self.subscript(array, index);
        Neighbours { space, vector, count, array: self.names.array(array).to_string(), first }
    }

    fn declaration(&self, var: VarId) -> String {
        let ty = if self.declared_wide(var) { ScalarType::U64 } else { self.p.var(var).ty };
        format!("{} {}", (self.dialect.ty)(ty), self.names.var(var))
    }

    fn branch(&mut self, depth: usize, cond: ExprId, then: &'a [Stmt], els: &'a [Stmt]) {
        let cond = self.code(cond);
        self.line(depth, &format!("if ({cond}) {{"));
        self.block(then, depth + 1);
        if !els.is_empty() {
            self.line(depth, "} else {");
            self.block(els, depth + 1);
        }
        self.line(depth, "}");
    }

    /// Whether a loop goes over blocks, and there is only one. A compiler that is not told that no second round follows moves what it
    /// takes to be the same in all rounds before the loop: ptxas 13.0 then ran out of predicates in a scan of one block for sm_80.
    fn is_of_one_block(&self, start: ExprId, end: ExprId) -> bool {
        self.p.exprs.expr(start) == Expr::Special(Special::BlockIdx) && self.p.exprs.as_u32(end) == Some(1)
    }

    /// `for (..; ..; ..)`. End and step are taken once, as in Rust, and the index never wraps past the end.
    fn for_head(&mut self, var: VarId, start: ExprId, end: ExprId, step: ExprId) -> String {
        let name = self.names.var(var).to_string();
        if let (Expr::Special(Special::BlockIdx), Some(head)) = (self.p.exprs.expr(start), self.dialect.each_block) {
            // The host has computed the number of blocks from lengths and scalars, so it does not change.
            return head(&name, &self.code(end));
        }
        let mut init = format!("{} {name} = {}", (self.dialect.ty)(ScalarType::U32), self.code(start));
        let mut once = |me: &mut Self, id: ExprId, what: &str| {
            let text = me.expr(id);
            if is_stable(me.p, id) {
                return text;
            }
            let bound = format!("{name}_{what}");
            init += &format!(", {bound} = {}", text.code);
            Text::primary(bound)
        };
        let last = once(self, end, "end");
        let by = once(self, step, "step");
        let (end_text, step_text) = (last.at(super::spelling::Prec::Sum), by.at(super::spelling::Prec::Product));
        let furthest = self.p.exprs.range(end).hi - 1 + self.p.exprs.range(step).hi;
        let next = if self.is_of_one_block(start, end) {
            format!("{name} = {}", last.code)
        } else if furthest <= u32::MAX.into() {
            format!("{name} += {}", by.code)
        } else {
            let left = format!("{end_text} - {name}");
            format!("{name} = {left} > {step_text} ? {name} + {step_text} : {end_text}")
        };
        format!("for ({init}; {name} < {end_text}; {next})")
    }

    fn while_loop(&mut self, depth: usize, head: &'a Block, cond: ExprId, body: &'a Block) {
        if head.is_empty() {
            let cond = self.code(cond);
            return self.loop_of(depth, &format!("while ({cond})"), body);
        }
        self.line(depth, "for (;;) {");
        self.begin_round(depth + 1, waits(head) || waits(body));
        self.block(head, depth + 1);
        let cond = self.code(cond);
        self.line(depth + 1, &format!("if (!({cond})) break;"));
        self.block(body, depth + 1);
        self.line(depth, "}");
    }

    /// Shared arrays are declared once, at the top; only a thread's own arrays begin here.
    fn allocate(&mut self, depth: usize, array: ArrayId) {
        let a = self.p.array(array);
        if a.space != Space::Local || !self.uses().touches(array) {
            return;
        }
        let len = self.p.exprs.as_u32(a.len).unwrap_or(1).max(1);
        let text = format!("{} {}[{len}];", self.dialect.stored(a.elem), self.names.array(array));
        self.line(depth, &text);
    }

    /// The function for the kind. It lacks types narrower than `int`; these are passed as `int`.
    fn shuffle(&mut self, value: ExprId, kind: ShuffleKind, lane: ExprId) -> String {
        let ty = self.p.exprs.ty(value);
        let gives = kind.gives(ty);
        let (value, lane) = (self.expr(value), self.code(lane));
        let narrow = ty.bytes() < 4;
        let value = if narrow { value.cast(self.dialect, ScalarType::I32).code } else { value.code };
        let call = Text::primary((self.dialect.shuffle)(kind, ty, &value, &lane));
        match ty {
            _ if gives != ty => call.code,
            ScalarType::Bool => format!("{} != 0", call.code),
            _ if narrow => call.cast(self.dialect, ty).code,
            _ => call.code,
        }
    }

    /// The call. Its operands are the expected value, if the operation has one, and the value.
    fn atomic(
        &mut self,
        op: AtomicOp,
        array: ArrayId,
        index: ExprId,
        (expected, value): (Option<ExprId>, ExprId),
    ) -> String {
        let ty = self.p.array(array).elem;
        let index = self.subscript(array, index);
        let place = format!("&{}[{index}]", self.names.array(array));
        let operands: Vec<Text> = expected.into_iter().chain([value]).map(|e| self.expr(e)).collect();
        let list = |each: &dyn Fn(&Text) -> String| operands.iter().map(each).collect::<Vec<_>>().join(", ");
        let space = self.p.array(array).space;
        match (self.dialect.atomic)(op, ty) {
            _ if space == Space::Local => {
                format!("{}({place}, {})", self.helpers.own_update(op, ty), list(&|x| x.code.clone()))
            }
            Some((function, None)) => format!("{function}({place}, {})", list(&|x| x.code.clone())),
            Some((function, Some(word))) => {
                let pointer = self.dialect.pointer(space, "", word);
                let t = (self.dialect.ty)(ty);
                let words = list(&|x| x.cast(self.dialect, word).code);
                format!("({t})({function}(({pointer}){place}, {words}))")
            }
            None => format!("{}({place}, {})", self.helpers.atomic(op, ty, space), list(&|x| x.code.clone())),
        }
    }
}
