//! Rules of statements: types of their operands, and which may stand where in a form.

use super::expr::Exprs;
use super::{Checked, Form, broken, ensure};
use crate::diag::Span;
use crate::level::Level;
use crate::program::{
    ArrayId, AtomicOp, BinOp, Block, Expr, ExprId, ParamKind, Program, ScalarType, ShuffleKind, Space, Stmt, StmtKind,
    VarId, walk,
};
use crate::tables::HashSet;

/// Most bytes of a vector access.
const WIDEST: u32 = 16;

/// Checks every statement.
pub(super) fn check(p: &Program, form: &Form) -> Checked {
    let level = if form.levels { Level::Grid } else { Level::Thread };
    Statements { p, form, exprs: Exprs::new(p, form), level }.list(&p.body)
}

struct Statements<'p> {
    p: &'p Program,
    form: &'p Form,
    exprs: Exprs,
    /// Whose code this is, while levels are there.
    level: Level,
}

impl Statements<'_> {
    fn list(&mut self, list: &Block) -> Checked {
        list.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Checked {
        self.allowed(stmt)?;
        self.typed(stmt)?;
        if self.form.scheduled {
            stays(self.p, stmt)?;
        }
        let outer = self.level;
        match &stmt.kind {
            StmtKind::ForAll { .. } => self.level = Level::Thread,
            StmtKind::DistrPar { level, .. } => self.level = *level,
            _ => {}
        }
        walk::nested(&stmt.kind).try_for_each(|inner| self.list(inner))?;
        self.level = outer;
        Ok(())
    }

    /// Whether a statement may stand in this form, and at this level.
    fn allowed(&self, stmt: &Stmt) -> Checked {
        let (form, here, span) = (self.form, self.level, stmt.span);
        match &stmt.kind {
            StmtKind::ForAll { level, .. } => {
                ensure(form.levels, span, || "a loop over threads is left".into())?;
                let inside = here == *level && matches!(here, Level::Warp | Level::Block);
                ensure(inside, span, || format!("threads of the {level} in code of the {here}"))
            }
            StmtKind::DistrPar { level, .. } => {
                ensure(form.levels, span, || "a loop over programs is left".into())?;
                let inside = level.step() == Some(here) && matches!(level, Level::Block | Level::Warp);
                ensure(inside, span, || format!("programs of the {level} in code of the {here}"))
            }
            StmtKind::Sync { scope } => {
                ensure(form.barriers, span, || "a barrier before its time".into())?;
                ensure(matches!(scope, Level::Warp | Level::Block), span, || format!("a barrier of the {scope}"))?;
                ensure(form.warps || *scope == Level::Block, span, || "a barrier of a warp".into())?;
                // Between a block's phases every warp comes by.
                ensure(!form.levels || here >= *scope, span, || {
                    format!("a barrier of the {scope} in code of the {here}")
                })
            }
            StmtKind::Shuffle { .. } => ensure(form.shuffles, span, || "a shuffle".into()),
            StmtKind::LoadVector { .. } | StmtKind::StoreVector { .. } => {
                ensure(form.vectors, span, || "a vector access".into())
            }
            StmtKind::Copy { .. } => ensure(form.copies, span, || "a copy that goes on by itself".into()),
            StmtKind::Commit | StmtKind::Await { .. } => {
                ensure(form.copies, span, || "copies that go on by themselves are told apart".into())?;
                ensure(!form.levels || here == Level::Block, span, || {
                    format!("copies are told apart in code of the {here}")
                })
            }
            StmtKind::Print { .. } => {
                ensure(form.prints, span, || "a print for a machine that has none".into())?;
                ensure(here == Level::Thread, span, || format!("a print in code of the {here}"))
            }
            StmtKind::Allocate { array } => match self.p.array(*array).space {
                Space::Global(_) => broken(span, "a buffer is allocated"),
                Space::Local => Ok(()),
                Space::Shared(_) | Space::Lanes | Space::Registers => {
                    ensure(!form.levels || here != Level::Thread, span, || {
                        "a thread allocates what several share".into()
                    })
                }
            },
            _ => Ok(()),
        }
    }

    fn is(&mut self, id: ExprId, ty: ScalarType, what: &str, span: Span) -> Checked {
        self.exprs.check(self.p, id, ty, (what, span))
    }

    fn element(&mut self, array: ArrayId, index: ExprId, span: Span) -> Result<ScalarType, super::Broken> {
        self.is(index, ScalarType::U32, "an index", span)?;
        match self.p.arrays.get(array.0 as usize) {
            Some(a) => Ok(a.elem),
            None => broken(span, "an array does not exist"),
        }
    }

    fn written(&self, array: ArrayId, span: Span) -> Checked {
        if let Space::Global(param) = self.p.array(array).space
            && matches!(self.p.param(param).kind, ParamKind::Input { .. })
        {
            return broken(span, format!("the input `{}` is written", self.p.array(array).name));
        }
        Ok(())
    }

    fn bound(&self, var: VarId, mutable: bool, span: Span) -> Result<ScalarType, super::Broken> {
        match self.p.vars.get(var.0 as usize) {
            Some(v) if v.mutable == mutable => Ok(v.ty),
            Some(v) if mutable => broken(span, format!("`{}` is set and is no mutable variable", v.name)),
            Some(v) => broken(span, format!("`{}` is bound and is a mutable variable", v.name)),
            None => broken(span, "a variable does not exist"),
        }
    }

    fn typed(&mut self, stmt: &Stmt) -> Checked {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign { array, index, value } => {
                let ty = self.element(*array, *index, span)?;
                self.written(*array, span)?;
                self.is(*value, ty, "what is assigned", span)
            }
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                let ty = self.element(*array, *index, span)?;
                self.written(*array, span)?;
                if !op.takes(ty) || (*op == AtomicOp::CompareExchange) != expected.is_some() {
                    return broken(span, format!("an atomic {op:?} of {}", ty.name()));
                }
                self.is(*value, ty, "the operand of an atomic update", span)?;
                expected.map_or(Ok(()), |e| self.is(e, ty, "the expected value of an atomic update", span))?;
                old.map_or(Ok(()), |v| same(self.bound(v, false, span)?, ty, "the old value", span))
            }
            StmtKind::Let { var, value } => {
                let ty = self.bound(*var, false, span)?;
                self.is(*value, ty, "what is bound", span)
            }
            StmtKind::Local { var, init } => {
                let ty = self.bound(*var, true, span)?;
                init.map_or(Ok(()), |i| self.is(i, ty, "what is set", span))
            }
            StmtKind::Set { var, value } => {
                let ty = self.bound(*var, true, span)?;
                self.is(*value, ty, "what is set", span)
            }
            StmtKind::If { cond, .. } | StmtKind::SeqWhile { cond, .. } => {
                self.is(*cond, ScalarType::Bool, "a condition", span)
            }
            StmtKind::SeqFor { var, start, end, step, .. } => {
                same(self.bound(*var, false, span)?, ScalarType::U32, "an index", span)?;
                [*start, *end, *step]
                    .into_iter()
                    .try_for_each(|e| self.is(e, ScalarType::U32, "a bound of a loop", span))?;
                if self.p.exprs.as_u32(*step) == Some(0) { broken(span, "a loop has step 0") } else { Ok(()) }
            }
            StmtKind::ForAll { var, n, .. } | StmtKind::DistrPar { var, n, .. } => {
                same(self.bound(*var, false, span)?, ScalarType::U32, "an index", span)?;
                self.is(*n, ScalarType::U32, "a number of instances", span)
            }
            StmtKind::Shuffle { var, value, kind, lane } => {
                let ty = self.p.exprs.ty(*value);
                same(self.bound(*var, false, span)?, kind.gives(ty), "what a lane gets", span)?;
                self.is(*value, ty, "what a lane offers", span)?;
                self.is(*lane, ScalarType::U32, "a lane", span)?;
                shuffle(*kind, ty, self.p.exprs.range(*lane).hi, span)
            }
            StmtKind::LoadVector { vars, array, index } => {
                let ty = self.element(*array, *index, span)?;
                vars.iter().try_for_each(|v| same(self.bound(*v, false, span)?, ty, "an element", span))?;
                self.vector(*array, vars.len(), span)
            }
            StmtKind::StoreVector { array, index, values } => {
                let ty = self.element(*array, *index, span)?;
                self.written(*array, span)?;
                values.iter().try_for_each(|v| self.is(*v, ty, "an element", span))?;
                self.vector(*array, values.len(), span)
            }
            StmtKind::Print { text, values } => {
                values.iter().try_for_each(|v| self.is(*v, self.p.exprs.ty(*v), "what is printed", span))?;
                ensure(text.len() == values.len() + 1, span, || "a text and its values do not fit together".into())
            }
            StmtKind::Copy { array, index, value, count } => {
                let ty = self.element(*array, *index, span)?;
                self.is(*value, ty, "what is copied", span)?;
                self.copied(*array, *value, *count, span)
            }
            StmtKind::Allocate { .. } | StmtKind::Commit | StmtKind::Await { .. } | StmtKind::Sync { .. } => Ok(()),
        }
    }

    /// A copy goes from a buffer that nothing writes to shared memory, 4, 8 or 16 bytes at a time.
    fn copied(&self, to: ArrayId, value: ExprId, count: u32, span: Span) -> Checked {
        let a = self.p.array(to);
        let from = match self.p.exprs.expr(value) {
            Expr::Load(from, _) => self.p.array(from).space,
            _ => return broken(span, "a copy of what is no element"),
        };
        let bytes = a.elem.bytes() * count;
        ensure(matches!(a.space, Space::Shared(_)), span, || format!("a copy to `{}`, which is not shared", a.name))?;
        ensure(matches!(from, Space::Global(_)), span, || "a copy of what is in no buffer".into())?;
        ensure(matches!(count, 1 | 2 | 4) && matches!(bytes, 4 | 8 | 16), span, || format!("a copy of {bytes} bytes"))
    }

    /// The index of a vector is looked at when the interpreter runs it; its array is looked at here.
    fn vector(&self, array: ArrayId, n: usize, span: Span) -> Checked {
        let a = self.p.array(array);
        let bytes = a.elem.bytes() * n as u32;
        if !matches!(n, 2 | 4) || bytes > WIDEST {
            return broken(span, format!("a vector of {n} {}", a.elem.name()));
        }
        match a.space {
            Space::Global(_) | Space::Shared(_) if a.offset.unwrap_or(0).is_multiple_of(bytes) => Ok(()),
            Space::Global(_) | Space::Shared(_) => broken(span, format!("`{}` lies where no vector may", a.name)),
            Space::Local | Space::Lanes | Space::Registers => {
                broken(span, format!("a vector of `{}`, which lies in registers", a.name))
            }
        }
    }
}

fn same(found: ScalarType, wanted: ScalarType, what: &str, span: Span) -> Checked {
    if found == wanted {
        Ok(())
    } else {
        broken(span, format!("{what} is of type {}, not {}", found.name(), wanted.name()))
    }
}

fn shuffle(kind: ShuffleKind, ty: ScalarType, lane: i128, span: Span) -> Checked {
    match kind {
        ShuffleKind::All(op) => {
            let known = matches!(op, BinOp::Add | BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or | BinOp::Xor);
            let word = matches!(ty, ScalarType::I32 | ScalarType::U32);
            let vote = ty == ScalarType::Bool && matches!(op, BinOp::And | BinOp::Or);
            if known && word || vote { Ok(()) } else { broken(span, format!("a reduction of {} by {op:?}", ty.name())) }
        }
        ShuffleKind::Ballot if ty != ScalarType::Bool => broken(span, format!("a ballot of {}", ty.name())),
        ShuffleKind::Same if !ty.is_int() => broken(span, format!("lanes whose {} is the same", ty.name())),
        _ if lane >= 32 => broken(span, "a lane may be 32 or more"),
        _ => Ok(()),
    }
}

/// What `schedule` ensures of a loop: its end and step stay while it runs.
fn stays(p: &Program, stmt: &Stmt) -> Checked {
    let StmtKind::SeqFor { end, step, body, .. } = &stmt.kind else { return Ok(()) };
    if [end, step].into_iter().all(|e| p.exprs.as_const(*e).is_some()) {
        return Ok(());
    }
    let mut set = HashSet::default();
    walk::each(body, &mut |s| {
        if let StmtKind::Set { var, .. } = s.kind {
            set.insert(var);
        }
    });
    let changes = |id: &ExprId| match p.exprs.expr(*id) {
        Expr::Load(..) => true,
        Expr::Var(v) => set.contains(&v),
        _ => false,
    };
    if walk::reachable(&p.exprs, [*end, *step], |_| false).iter().any(changes) {
        return broken(stmt.span, "the end or step of a loop may change while it runs");
    }
    Ok(())
}
