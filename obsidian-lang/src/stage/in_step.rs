//! A program for several parts in step (ICCS 2010 §4.1, `two` of a program): it is evaluated once, for a part whose number is a
//! variable, and then each of its loops over threads is made one over the threads of all parts. Arrays that it stores are as
//! long as all parts' together.
//!
//! ```text
//! for part p                                     forall Block k < 4 * 16
//!   forall Block i < 16                    =>      s[k / 16 * 16 + k % 16] = xs[k / 16 * 16 + k % 16] + 1
//!     s[p * 16 + i] = xs[p * 16 + i] + 1
//! ```

use std::rc::Rc;

use super::value::{Func, Opened, Pull, Push, Value};
use super::{Extend, Stage, confused};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::passes::walk;
use obsidian_ir::program::{BinOp, Block, ExprId, Stmt, StmtKind, VarId};
use obsidian_ir::tables::HashMap;

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

/// The number of a part is replaced by another value, in what was made for a part of any number.
#[derive(Clone)]
struct Replacement {
    part: ExprId,
    by: ExprId,
    /// Variables that are bound in each part's code alone.
    inner: Rc<[ExprId]>,
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
        let code = match count {
            0 => Vec::new(),
            1 => code,
            _ => self.of_all_parts(&parts, code)?,
        };
        if let Some(list) = self.lists.last_mut() {
            list.extend(code);
        }
        Ok(Value::Pull(Pull::new(n, move |s, by| {
            let result = Value::Pull(result.clone());
            if count == 1 { Ok(result) } else { s.in_part(&Replacement { part, by, inner: inner.clone() }, &result) }
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

    /// The code of one part as that of all.
    fn of_all_parts(&mut self, parts: &Parts, code: Block) -> Result<Block> {
        if parts.level != Level::Thread {
            return code.into_iter().map(|stmt| self.stmt_of_parts(parts, stmt)).collect();
        }
        // A thread has nobody to wait for: it does part after part.
        let (mut out, body): (Block, Block) =
            code.into_iter().partition(|stmt| matches!(stmt.kind, StmtKind::Allocate { .. }));
        if !body.is_empty() {
            out.push(self.once_for_each(parts.var, parts.n, body));
        }
        Ok(out)
    }

    fn stmt_of_parts(&mut self, parts: &Parts, mut stmt: Stmt) -> Result<Stmt> {
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
                if walk::direct(kind).any(|e| self.depends(e, &[parts.part])) {
                    return Err(self.out_of_step(
                        span,
                        "this is not the same for all parts, and all threads do it for all of them",
                    ));
                }
                for list in walk::nested_mut(kind) {
                    let inner = std::mem::take(list).into_iter();
                    *list = inner.map(|stmt| self.stmt_of_parts(parts, stmt)).collect::<Result<_>>()?;
                }
            }
        }
        Ok(stmt)
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

    /// What was made for a part of any number, of one.
    fn in_part(&mut self, to: &Replacement, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::Scalar(e) => Value::Scalar(self.scalar_in_part(to, *e)?),
            Value::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|part| self.in_part(to, part)).collect::<Result<Vec<_>>>()?.into())
            }
            Value::Pull(array) => {
                let (len, to, get) = (self.scalar_in_part(to, array.len)?, to.clone(), array.get.clone());
                Value::Pull(Pull::new(len, move |s, i| {
                    let element = s.code_in_part(&to, |s| get(s, i))?;
                    s.in_part(&to, &element)
                }))
            }
            Value::Push(array) => Value::Push(self.push_in_part(to, array)?),
            other => return Err(confused(self, "scalars or arrays", other)),
        })
    }

    fn push_in_part(&mut self, to: &Replacement, array: &Push) -> Result<Push> {
        let len = array.len.map(|len| self.scalar_in_part(to, len)).transpose()?;
        let (to, open) = (to.clone(), array.open.clone());
        let open = move |s: &mut Stage| {
            let opened = s.code_in_part(&to, |s| open(s))?;
            let (len, to) = (s.scalar_in_part(&to, opened.len)?, to.clone());
            Ok(Opened::new(len, move |s, w| s.code_in_part(&to, |s| (opened.write)(s, w))))
        };
        Ok(Push { len, stored: None, open: Rc::new(open) })
    }

    fn scalar_in_part(&mut self, to: &Replacement, e: ExprId) -> Result<ExprId> {
        if self.depends(e, &to.inner) {
            return Err(self
                .error("OB037", "this value is gone when the parts are done")
                .map_note(
                    "a thread does part after part, and what it has read from a mutable array is one part's".into(),
                )
                .map_help("store what a part gives: `.compute()`"));
        }
        Ok(walk::replaced(&mut self.p.exprs, e, &mut HashMap::from_iter([(to.part, to.by)])))
    }

    /// What `f` emits, with the number of the part replaced.
    fn code_in_part<R>(&mut self, to: &Replacement, f: impl FnOnce(&mut Stage) -> Result<R>) -> Result<R> {
        let (mut code, result) = self.capture(f)?;
        self.replace(&mut code, &mut HashMap::from_iter([(to.part, to.by)]));
        if let Some(list) = self.lists.last_mut() {
            list.extend(code);
        }
        Ok(result)
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
