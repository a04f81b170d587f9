//! A program for several parts in step (ICCS 2010 §4.1, `two` of a program): it is evaluated once, for a part whose number is a
//! variable, and then each of its loops over threads is made one over the threads of all parts. Arrays that it stores are as
//! long as all parts' together, and so are the values that it reads where it stands.
//!
//! ```text
//! for part p                                     forall Block k < 4 * 16
//!   forall Block i < 16                    =>      s[k / 16 * 16 + k % 16] = xs[k / 16 * 16 + k % 16] + 1
//!     s[p * 16 + i] = xs[p * 16 + i] + 1
//! ```

mod of_part;

use std::rc::Rc;

use super::arrays::Place;
use super::value::{Func, Pull, Value};
use super::{Extend, Stage};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::passes::walk;
use obsidian_ir::program::{BinOp, Block, ExprId, Stmt, StmtKind, VarId};
use obsidian_ir::tables::HashMap;
use of_part::Replacement;

/// The most parts, and the most instances of thread code of all of them.
const MAX_INSTANCES: u32 = 1 << 20;

/// The parts that a program is being evaluated for.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    level: Level,
    /// The number of a part, and that as a value.
    var: VarId,
    part: ExprId,
    /// How many there are.
    n: u32,
}

impl Stage {
    /// `f(0) .. f(n - 1)`, phase by phase.
    pub(super) fn in_step(&mut self, level: Level, n: ExprId, f: &Func) -> Result<Value> {
        let count = self.known_len(n, "`in_step`")?;
        if count > MAX_INSTANCES {
            return Err(self
                .error("OB034", format!("{count} parts are more than {MAX_INSTANCES}"))
                .map_help("make fewer, larger parts"));
        }
        let (var, part) = self.index_var("part", n);
        let parts = Parts { level, var, part, n: count };
        self.in_step.push(parts);
        let evaluated = self.capture(|s| s.apply(f, vec![Value::Scalar(part)])?.pull(s));
        self.in_step.pop();
        let (code, result) = evaluated?;
        let inner = parts.bound_inside(self, &code);
        let mut stored = HashMap::default();
        let code = match count {
            0 => Vec::new(),
            1 => code,
            _ => self.of_all_parts(&parts, code, &mut stored)?,
        };
        let stored = Rc::new(stored);
        if let Some(list) = self.lists.last_mut() {
            list.extend(code);
        }
        Ok(Value::Pull(Pull::new(n, move |s, by| {
            let result = Value::Pull(result.clone());
            if count == 1 {
                Ok(result)
            } else {
                s.in_part(&Replacement { part, by, inner: inner.clone(), stored: stored.clone() }, &result)
            }
        })))
    }

    /// How many parts of a block's programs are being evaluated in step.
    pub(super) fn in_step_parts(&self) -> u32 {
        let of_the_block = self.in_step.iter().filter(|p| p.level == Level::Block);
        of_the_block.fold(1, |n, parts| n.saturating_mul(parts.n))
    }

    /// The length of an array that a level stores for all parts of its programs in step, and where that of this part begins.
    pub(super) fn for_all_parts(&mut self, level: Level, len: ExprId) -> Result<(ExprId, Option<ExprId>)> {
        let around: Vec<Parts> = self.in_step.iter().copied().filter(|p| p.level == level && p.n > 1).collect();
        let Some((outer, others)) = around.split_first() else { return Ok((len, None)) };
        let (mut part, mut n) = (outer.part, outer.n);
        for inner in others {
            let times = self.u32(inner.n);
            let before = self.bin(BinOp::Mul, part, times);
            part = self.bin(BinOp::Add, before, inner.part);
            n = n.saturating_mul(inner.n);
        }
        let Some(elements) = self.p.exprs.as_u32(len).and_then(|len| len.checked_mul(n)) else {
            return Err(self
                .error("OB034", "what all parts store would have more than 2^32 - 1 elements")
                .map_help("make fewer parts, or store less of each"));
        };
        let first = self.bin(BinOp::Mul, part, len);
        Ok((self.u32(elements), Some(first)))
    }

    /// The code of one part as that of all. Notes in `stored` what is a value of each part, and is stored for all of them.
    fn of_all_parts(&mut self, parts: &Parts, code: Block, stored: &mut HashMap<ExprId, ExprId>) -> Result<Block> {
        if parts.level != Level::Thread {
            return self.list_of_parts(parts, code, stored);
        }
        // A thread has nobody to wait for: it does part after part.
        let (mut out, body): (Block, Block) =
            code.into_iter().partition(|stmt| matches!(stmt.kind, StmtKind::Allocate { .. }));
        if !body.is_empty() {
            out.push(self.once_for_each(parts.var, parts.n, body));
        }
        Ok(out)
    }

    fn list_of_parts(&mut self, parts: &Parts, code: Block, stored: &mut HashMap<ExprId, ExprId>) -> Result<Block> {
        let mut out = Vec::with_capacity(code.len());
        for stmt in code {
            let mut one = vec![stmt];
            if !stored.is_empty() {
                self.replace(&mut one, &mut stored.clone());
            }
            for stmt in one {
                match stmt.kind {
                    StmtKind::Let { var, value } if self.depends(value, &[parts.part]) => {
                        out.extend(self.value_of_each(parts, stmt.span, (var, value), stored)?);
                    }
                    _ => out.push(self.stmt_of_parts(parts, stmt, stored)?),
                }
            }
        }
        Ok(out)
    }

    /// A value that each part has read, stored for all parts where one would bind it.
    fn value_of_each(
        &mut self,
        parts: &Parts,
        span: Span,
        (var, value): (VarId, ExprId),
        stored: &mut HashMap<ExprId, ExprId>,
    ) -> Result<Block> {
        let (n, part) = (self.u32(parts.n), parts.part);
        let of_part = Pull::new(n, move |s, i| {
            Ok(Value::Scalar(walk::replaced(&mut s.p.exprs, value, &mut HashMap::from_iter([(part, i)]))))
        });
        let store = |s: &mut Stage| s.store(Value::Pull(of_part), parts.level, Place::at(parts.level));
        let (code, (all, _)) = self.at(span, |s| s.capture(store))?;
        if let Some(all) = all {
            let of_this = all.load(self, part).scalar(self)?;
            stored.insert(self.p.exprs.var(var), of_this);
        }
        Ok(code)
    }

    fn stmt_of_parts(&mut self, parts: &Parts, mut stmt: Stmt, stored: &mut HashMap<ExprId, ExprId>) -> Result<Stmt> {
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::Allocate { .. } => {}
            StmtKind::ForAll { var, n, body, .. } | StmtKind::DistrPar { var, n, body, .. } => {
                let each = self.p.exprs.as_u32(*n);
                let all = each.and_then(|each| each.checked_mul(parts.n)).filter(|&all| all <= MAX_INSTANCES);
                let (Some(each), Some(all)) = (each, all) else {
                    return Err(
                        self.out_of_step(span, "the parts have too much to do in this phase, or how much is not known")
                    );
                };
                (*var, *n) = self.spread(parts, (*var, each), all, body);
            }
            // What has an effect of its own has it once for each part.
            StmtKind::Print { .. } | StmtKind::Assign { .. } | StmtKind::Atomic { .. } => {
                let many = self.u32(parts.n);
                let (var, part) = self.index_var("part", many);
                let mut body = vec![stmt];
                self.replace(&mut body, &mut HashMap::from_iter([(parts.part, part)]));
                return Ok(self.once_for_each(var, parts.n, body));
            }
            kind => {
                self.same_for_all(parts, span, kind)?;
                for list in walk::nested_mut(kind) {
                    *list = self.list_of_parts(parts, std::mem::take(list), stored)?;
                }
                // The test of a `while` sees what is read before it.
                for e in walk::direct_mut(kind) {
                    *e = walk::replaced(&mut self.p.exprs, *e, &mut stored.clone());
                }
                self.same_for_all(parts, span, kind)?;
            }
        }
        Ok(stmt)
    }

    fn same_for_all(&mut self, parts: &Parts, span: Span, kind: &StmtKind) -> Result<()> {
        if walk::direct(kind).any(|e| self.depends(e, &[parts.part])) {
            return Err(
                self.out_of_step(span, "this is not the same for all parts, and all threads do it for all of them")
            );
        }
        Ok(())
    }

    fn once_for_each(&mut self, var: VarId, n: u32, body: Block) -> Stmt {
        let [start, end, step] = [0, n, 1].map(|k| self.u32(k));
        Stmt::new(StmtKind::SeqFor { var, start, end, step, body }, self.span)
    }

    /// Makes `body`, of instance `var` of the `each` that a part has, that of one of `all` instances.
    fn spread(&mut self, parts: &Parts, (var, each): (VarId, u32), all: u32, body: &mut Block) -> (VarId, ExprId) {
        let (n, width, before) = (self.u32(all), self.u32(each), self.p.exprs.var(var));
        let (instance, k) = self.index_var("i", n);
        let (part, own) = (self.bin(BinOp::Div, k, width), self.bin(BinOp::Rem, k, width));
        self.replace(body, &mut HashMap::from_iter([(parts.part, part), (before, own)]));
        (instance, n)
    }

    fn replace(&mut self, list: &mut Block, known: &mut HashMap<ExprId, ExprId>) {
        for stmt in list {
            for e in walk::direct_mut(&mut stmt.kind) {
                *e = walk::replaced(&mut self.p.exprs, *e, known);
            }
            walk::nested_mut(&mut stmt.kind).for_each(|inner| self.replace(inner, known));
        }
    }

    fn depends(&self, e: ExprId, on: &[ExprId]) -> bool {
        walk::reachable(&self.p.exprs, [e], |_| false).iter().any(|id| on.contains(id))
    }

    fn out_of_step(&self, span: Span, what: &str) -> Box<Diagnostic> {
        let mut d = self.error("OB037", what);
        d.span = span.or(self.span);
        d.map_note("programs in step go through the same phases, and what they store is stored for all of them at once".into())
            .map_help("choose between elements, `xs.map(|x| if .. { .. } else { .. })`, or make each part a warp's: `as_block_map`")
    }
}

impl Parts {
    /// The variables that are bound in each part's code alone: where parts are done one after the other.
    fn bound_inside(&self, s: &mut Stage, code: &Block) -> Rc<[ExprId]> {
        if self.level != Level::Thread || self.n < 2 {
            return Rc::new([]);
        }
        code.iter().flat_map(|stmt| walk::bound(&stmt.kind)).map(|var| s.p.exprs.var(var)).collect()
    }
}
