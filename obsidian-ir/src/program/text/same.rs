//! What makes two programs the same: all that their texts say.
//!
//! Compared are the kernel's name and options, parameters, checks, statements, claims of writes, expressions with their types
//! and ranges, and arrays with their numbers. Not compared are places in the user's source, the numbers of variables and
//! expressions, and variables and arrays that no statement mentions.

use crate::program::walk;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// The first thing in which two programs differ, in words; `None` where they are the same.
pub fn difference(a: &Program, b: &Program) -> Option<String> {
    let mut pair = Pair { a, b, exprs: HashMap::default() };
    pair.program().err()
}

struct Pair<'p> {
    a: &'p Program,
    b: &'p Program,
    /// The expressions of `a` that have been compared, and what they are in `b`.
    exprs: HashMap<ExprId, ExprId>,
}

type Same = Result<(), String>;

fn same<T: PartialEq + std::fmt::Debug>(what: &str, a: T, b: T) -> Same {
    if a == b { Ok(()) } else { Err(format!("{what}: {a:?} and {b:?}")) }
}

impl Pair<'_> {
    fn program(&mut self) -> Same {
        let (a, b) = (self.a, self.b);
        same("name", &a.name, &b.name)?;
        same("threads", a.threads, b.threads)?;
        same("rounds", a.rounds, b.rounds)?;
        same("shared memory", (a.shared_bytes, a.shared_limit), (b.shared_bytes, b.shared_limit))?;
        same("options", a.options, b.options)?;
        same("number of parameters", a.params.len(), b.params.len())?;
        for (p, q) in a.params.iter().zip(&b.params) {
            same("parameter", (&p.name, p.shape), (&q.name, q.shape))?;
            same("kind of parameter", std::mem::discriminant(&p.kind), std::mem::discriminant(&q.kind))?;
            let (x, y) = (super::names::arrays_of(&p.kind), super::names::arrays_of(&q.kind));
            same("arrays of a parameter", x, y)?;
            x.iter().try_for_each(|array| self.array(*array, *array))?;
            self.param_kind(&p.kind, &q.kind)?;
        }
        same("number of checks", a.checks.len(), b.checks.len())?;
        for (p, q) in a.checks.iter().zip(&b.checks) {
            same("message", &p.message, &q.message)?;
            self.expr(p.cond, q.cond)?;
            self.expr(p.found, q.found)?;
        }
        self.expr(a.blocks, b.blocks)?;
        self.block(&a.body, &b.body)
    }

    fn param_kind(&mut self, a: &crate::program::ParamKind, b: &crate::program::ParamKind) -> Same {
        use crate::program::ParamKind::{InOut, Input, Output, Scalar};
        match (a, b) {
            (Input { len: x, .. }, Input { len: y, .. }) | (InOut { len: x, .. }, InOut { len: y, .. }) => {
                same("length", x, y)
            }
            (Output { len: x, .. }, Output { len: y, .. }) => self.expr(*x, *y),
            (Scalar(x), Scalar(y)) => same("type of a scalar", x, y),
            _ => Ok(()),
        }
    }

    fn block(&mut self, a: &Block, b: &Block) -> Same {
        same("number of statements", a.len(), b.len())?;
        a.iter().zip(b).try_for_each(|(a, b)| self.stmt(a, b))
    }

    fn stmt(&mut self, a: &Stmt, b: &Stmt) -> Same {
        let writes = matches!(a.kind, StmtKind::Assign { .. } | StmtKind::Atomic { .. } | StmtKind::StoreVector { .. });
        if writes {
            same("claim", a.claim, b.claim)?;
        }
        same("statement", shape(&a.kind), shape(&b.kind))?;
        let (va, vb): (Vec<_>, Vec<_>) = (walk::bound(&a.kind).collect(), walk::bound(&b.kind).collect());
        same("number of variables", va.len(), vb.len())?;
        va.into_iter().zip(vb).try_for_each(|(x, y)| self.var(x, y))?;
        let (aa, ab) = (walk::array(&a.kind), walk::array(&b.kind));
        if let (Some(x), Some(y)) = (aa, ab) {
            self.array(x, y)?;
        }
        let (ea, eb): (Vec<_>, Vec<_>) = (walk::direct(&a.kind).collect(), walk::direct(&b.kind).collect());
        same("number of operands", ea.len(), eb.len())?;
        ea.into_iter().zip(eb).try_for_each(|(x, y)| self.expr(x, y))?;
        walk::nested(&a.kind).zip(walk::nested(&b.kind)).try_for_each(|(x, y)| self.block(x, y))
    }

    fn array(&mut self, a: ArrayId, b: ArrayId) -> Same {
        same("array", a, b)?;
        let (x, y) = (self.a.array(a), self.b.array(b));
        same("array", (&x.name, x.elem, x.space), (&y.name, y.elem, y.space))?;
        same("place of an array", (x.rows, x.stages, x.offset), (y.rows, y.stages, y.offset))?;
        self.expr(x.len, y.len)
    }

    fn var(&self, a: VarId, b: VarId) -> Same {
        let (x, y) = (self.a.var(a), self.b.var(b));
        same("variable", (&x.name, x.ty, x.mutable), (&y.name, y.ty, y.mutable))?;
        same(&format!("range of `{}`", x.name), self.a.exprs.var_range(a), self.b.exprs.var_range(b))
    }

    fn expr(&mut self, a: ExprId, b: ExprId) -> Same {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            match self.exprs.insert(a, b) {
                Some(known) if known == b => continue,
                Some(_) => return Err("an expression is two in the other".to_string()),
                None => {}
            }
            let (x, y) = (self.a.exprs.node(a), self.b.exprs.node(b));
            let alike = match (x.expr, y.expr) {
                (Expr::Var(v), Expr::Var(w)) => {
                    self.var(v, w)?;
                    true
                }
                (x, y) => over_nothing(x) == over_nothing(y),
            };
            if !alike || (x.ty, x.range, x.loads) != (y.ty, y.range, y.loads) {
                return Err(format!("expression: {x:?} and {y:?}"));
            }
            todo.extend(walk::operands(x.expr).zip(walk::operands(y.expr)));
            match (self.a.exprs.coordinates.of(a), self.b.exprs.coordinates.of(b)) {
                (None, None) => {}
                (Some(x), Some(y)) => {
                    let sides = x.iter().zip(&y).flat_map(|(x, y)| [(x.at, y.at), (x.len, y.len)]);
                    todo.extend(sides);
                }
                _ => return Err("the row and the column of a load are told in one of the two".to_string()),
            }
        }
        Ok(())
    }
}

/// An expression without its operands.
fn over_nothing(e: Expr) -> Expr {
    let none = ExprId(0);
    match e {
        Expr::Load(a, _) => Expr::Load(a, none),
        Expr::Un(op, _) => Expr::Un(op, none),
        Expr::Bin(op, ..) => Expr::Bin(op, none, none),
        Expr::Select(..) => Expr::Select(none, none, none),
        Expr::Cast(_) => Expr::Cast(none),
        Expr::Bits(_) => Expr::Bits(none),
        Expr::MulAdd(..) => Expr::MulAdd(none, none, none),
        e => e,
    }
}

/// What a statement is besides its operands, variables, array and blocks.
fn shape(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Atomic { op, expected, old, .. } => format!("{op:?} {} {}", expected.is_some(), old.is_some()),
        StmtKind::Local { init, .. } => format!("local {}", init.is_some()),
        StmtKind::Shuffle { kind, .. } => format!("shuffle {kind:?}"),
        StmtKind::ForAll { level, .. } => format!("forall {level}"),
        StmtKind::DistrPar { level, .. } => format!("distribute {level}"),
        StmtKind::Sync { scope } => format!("sync {scope}"),
        StmtKind::Copy { count, .. } => format!("copy {count}"),
        StmtKind::Await { pending } => format!("await {pending}"),
        StmtKind::Print { text, .. } => format!("print {text:?}"),
        kind => format!("{:?}", std::mem::discriminant(kind)),
    }
}
