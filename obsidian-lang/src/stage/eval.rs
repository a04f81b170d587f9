//! Expressions, statements and calls.

use std::rc::Rc;

use super::iterate::For;
use super::running::{Running, What};
use super::value::{Func, Generics, Pull, Value};
use super::{Extend, MAX_DEPTH, Stage, confused};
use crate::types::{FnId, GenericArg, TExpr, TKind, TPat, TStmt, TyId, TypeArg};
use obsidian_ir::Level;
use obsidian_ir::diag::{Result, Span};
use obsidian_ir::program::{Claim, Const, Owner, ScalarType, UnOp, arith};
use obsidian_ir::tables::HashMap;

/// The variables of a call.
pub(super) struct Frame {
    pub(super) slots: Vec<Option<Value>>,
    pub(super) generics: Generics,
    /// What the code of the host's calls its variables.
    pub(super) names: HashMap<usize, String>,
}

impl Frame {
    /// The variables of a call that has bound none.
    pub(super) fn new(slots: u32, generics: Generics) -> Frame {
        Frame { slots: vec![None; slots as usize], generics, names: HashMap::default() }
    }
}

/// What stands before a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

impl Stage {
    /// The value of an expression.
    pub(super) fn eval(&mut self, e: &TExpr, f: &mut Frame) -> Result<Value> {
        self.step()?;
        match &e.kind {
            TKind::Int(v) => self.int_literal((*v, Sign::Plus), e, f),
            TKind::Float(v) => self.float_literal(*v, e.ty, f),
            TKind::Bool(b) => Ok(Value::Scalar(self.p.exprs.bool(*b))),
            TKind::NamedConst(of, name) => self.named_const(*of, name, e.ty, f),
            TKind::ConstGeneric(i) => match f.generics.get(*i as usize) {
                Some(GenericArg::Const(c)) => Ok(Value::Scalar(self.p.exprs.constant(*c))),
                _ => Err(self.error("OB099", "a `const` generic has no value; please report this")),
            },
            TKind::Local(slot) => match f.slots.get(*slot as usize).cloned().flatten() {
                Some(v) => Ok(v),
                None => Err(self.error("OB099", "a variable has no value; please report this")),
            },
            TKind::Call { f: id, generics, args } => {
                let args = self.eval_all(args, f)?;
                let generics = self.generics(generics, f)?;
                self.at(e.span, |s| s.call_fn(*id, args, generics))
            }
            TKind::Builtin { b, generics, args } => {
                let args = self.eval_all(args, f)?;
                let generics = self.generics(generics, f)?;
                let row = &super::BUILTINS[b.0 as usize];
                self.at(e.span, |s| (row.eval)(s, &args, &generics))
            }
            TKind::Apply(callee, args) => {
                let func = self.eval(callee, f)?.func(self)?;
                let args = self.eval_all(args, f)?;
                self.at(e.span, |s| s.apply(&func, args))
            }
            TKind::Closure(code) => {
                let captured = code.captures.iter().map(|(from, _)| f.slots[*from as usize].clone());
                let captured: Option<Vec<Value>> = captured.collect();
                let Some(captured) = captured else {
                    return Err(self.error("OB099", "a captured variable has no value; please report this"));
                };
                Ok(Value::Fn(Func::Closure {
                    code: code.clone(),
                    captured: captured.into(),
                    generics: f.generics.clone(),
                    maker: self.running.last().cloned(),
                }))
            }
            TKind::Unary(op, a) => {
                let a = match a.kind {
                    TKind::Int(v) if *op == UnOp::Neg => self.int_literal((v, Sign::Minus), a, f)?,
                    _ => self.eval(a, f)?,
                };
                let a = a.scalar(self)?;
                Ok(Value::Scalar(self.making_for(e.span, |s| s.p.exprs.un(*op, a))))
            }
            TKind::Binary(op, a, b) => {
                let a = self.eval(a, f)?.scalar(self)?;
                let b = self.eval(b, f)?.scalar(self)?;
                Ok(Value::Scalar(self.making_for(e.span, |s| {
                    // The count of a shift may have another type than the value.
                    let ty = s.p.exprs.ty(a);
                    let b = if ty == s.p.exprs.ty(b) { b } else { s.p.exprs.cast(b, ty) };
                    s.bin(*op, a, b)
                })))
            }
            TKind::Logic(op, a, b) => self.logic(*op, a, b, f),
            TKind::Cast(a) => {
                let a = self.eval(a, f)?.scalar(self)?;
                let to = self.scalar_type(e.ty, f)?;
                Ok(Value::Scalar(self.making_for(e.span, |s| s.p.exprs.cast(a, to))))
            }
            TKind::If(c, then, els) => self.at(e.span, |s| s.if_expr(c, then, els.as_deref(), f)),
            TKind::Block(stmts, value) => {
                for s in stmts {
                    self.stmt(s, f)?;
                }
                value.as_ref().map_or_else(|| Ok(Value::unit()), |v| self.eval(v, f))
            }
            TKind::Unsafe(body) => {
                self.placed_by_construction()?;
                self.claiming(Claim::Author, |s| s.eval(body, f))
            }
            TKind::Tuple(parts) => Ok(Value::Tuple(self.eval_all(parts, f)?.into())),
            TKind::Assert(cond, message) => {
                let cond = self.eval(cond, f)?.scalar(self)?;
                let message = self.message(message, f)?;
                self.at(e.span, |s| s.assert(cond, &message))?;
                Ok(Value::unit())
            }
            TKind::Print(message) => {
                let message = self.message(message, f)?;
                self.at(e.span, |s| s.print(&message))?;
                Ok(Value::unit())
            }
            TKind::Array(elements) => {
                let elements = self.eval_all(elements, f)?;
                Ok(self.array_of(elements))
            }
            TKind::Repeat(element, n) => {
                let (element, n) = (self.eval(element, f)?, self.eval(n, f)?.scalar(self)?);
                self.at(e.span, |s| s.known_len(n, "an array `[x; n]`"))?;
                Ok(Value::Pull(Pull::new(n, move |_, _| Ok(element.clone()))))
            }
            TKind::Field(base, i) => match self.eval(base, f)? {
                Value::Tuple(parts) if (*i as usize) < parts.len() => Ok(parts[*i as usize].clone()),
                other => Err(confused(self, "a tuple", &other)),
            },
            TKind::Index(base, i) => {
                let base = self.eval(base, f)?;
                let i = self.eval(i, f)?.scalar(self)?;
                self.at(e.span, |s| s.indexing(e.span, |s| s.element(&base, i)))
            }
        }
    }

    /// Evaluates at a token of the user's. Code of the library has no tokens and keeps the caller's.
    pub(super) fn at<R>(&mut self, span: Span, f: impl FnOnce(&mut Stage) -> Result<R>) -> Result<R> {
        let outer = self.span;
        self.span = span.or(outer);
        let result = self.making_for(self.span, f);
        self.span = outer;
        result
    }

    /// The expressions that `f` makes come from a token of the user's.
    fn making_for<R>(&mut self, span: Span, f: impl FnOnce(&mut Stage) -> R) -> R {
        let outer = self.p.exprs.make_for(span.or(self.span));
        let result = f(self);
        self.p.exprs.make_for(outer);
        result
    }

    fn eval_all(&mut self, es: &[TExpr], f: &mut Frame) -> Result<Vec<Value>> {
        es.iter().map(|e| self.eval(e, f)).collect()
    }

    /// What a callee's generics stand for, given what the caller's do.
    fn generics(&mut self, generics: &[TypeArg], f: &Frame) -> Result<Generics> {
        let mut out = Vec::with_capacity(generics.len());
        for g in generics {
            let types = &self.checked.types;
            let known = match g {
                TypeArg::Level(l) => types.level(*l, &f.generics).map(GenericArg::Level),
                TypeArg::Type(t) => types.scalar_in(*t, &f.generics).map(GenericArg::Scalar),
                TypeArg::Const(Some(value)) => Some(GenericArg::Const(self.const_value(value, &f.generics)?)),
                TypeArg::Const(None) | TypeArg::Size => None,
            };
            out.push(known.unwrap_or(GenericArg::Other));
        }
        Ok(out.into())
    }

    /// The scalar type that inference found, generics replaced by what they stand for.
    pub(super) fn scalar_type(&self, ty: TyId, f: &Frame) -> Result<ScalarType> {
        self.checked.types.scalar_in(ty, &f.generics).ok_or_else(|| {
            self.error(
                "OB027",
                format!("the type of this is `{}`, where a scalar type is needed", self.checked.types.show(ty)),
            )
            .map_help(
                "a literal is a scalar, and here the generic type stands for a tuple or an array: pass the value in",
            )
        })
    }

    fn named_const(&mut self, of: TyId, name: &str, ty: TyId, f: &Frame) -> Result<Value> {
        let (of, ty) = (self.scalar_type(of, f)?, self.scalar_type(ty, f)?);
        let Some(bits) = arith::named(of, name) else {
            return Err(self
                .error("OB021", format!("`{}::{name}` is not known", of.name()))
                .map_help("`MIN` and `MAX` are of every type"));
        };
        Ok(Value::Scalar(self.p.exprs.constant(Const { ty, bits })))
    }

    /// A literal, and what stands before it: of signed types the least number has no positive counterpart.
    fn int_literal(&mut self, (v, sign): (u64, Sign), e: &TExpr, f: &Frame) -> Result<Value> {
        let (ty, span) = (self.scalar_type(e.ty, f)?, e.span);
        if ty.is_float() {
            return self.float_of(v as f64, ty);
        }
        let limit = obsidian_ir::program::Range::full(ty).hi + i128::from(ty.is_signed() && sign == Sign::Minus);
        if i128::from(v) > limit {
            let range = obsidian_ir::program::Range::full(ty);
            let note = format!("`{}` holds {} to {}", ty.name(), range.lo, range.hi);
            let message = format!("{v} does not fit in `{}`", ty.name());
            return self.at(span, |s| {
                Err(s.error("OB006", message).map_note(note).map_help("use a wider type, or a suffix such as `300u32`"))
            });
        }
        Ok(Value::Scalar(self.p.exprs.constant(Const { ty, bits: arith::wrap(ty, v.into()) })))
    }

    fn float_literal(&mut self, v: f64, ty: TyId, f: &Frame) -> Result<Value> {
        let ty = self.scalar_type(ty, f)?;
        self.float_of(v, ty)
    }

    fn float_of(&mut self, v: f64, ty: ScalarType) -> Result<Value> {
        let c = arith::cast(Const { ty: ScalarType::F64, bits: v.to_bits() }, ty);
        Ok(Value::Scalar(self.p.exprs.constant(c)))
    }

    pub(super) fn call_fn(&mut self, id: FnId, args: Vec<Value>, generics: Generics) -> Result<Value> {
        let checked = self.checked.clone();
        let Some(decl) = checked.fns[id.0 as usize].as_ref() else {
            return Err(self.error("OB099", "this function was not checked; please report this"));
        };
        self.chain.push((decl.name.clone(), self.span));
        if self.chain.len() > MAX_DEPTH {
            return Err(self.endless());
        }
        let mut frame = Frame::new(decl.frame, generics);
        for (pat, arg) in decl.params.iter().zip(args) {
            self.bind(pat, arg, &mut frame)?;
        }
        self.settled(decl, &frame)?;
        let running = Running { name: decl.name.clone(), owner: decl.owner, span: self.span, what: What::Code };
        let result = self.running(Rc::new(running), |s| {
            let v = s.eval(&decl.body, &mut frame)?;
            // Without parameters a result of another length is no caller's mistake.
            let span = if decl.params.is_empty() { decl.body.span } else { s.span };
            s.at(span, |s| s.sized(v, &decl.lengths, &mut frame))
        });
        if result.is_ok() {
            self.chain.pop();
        }
        result
    }

    /// The error for calls that are nested too deep: names the function that recurs, and the condition that it waits
    /// for in vain.
    fn endless(&self) -> Box<obsidian_ir::diag::Diagnostic> {
        let count = |name: &str| self.chain.iter().filter(|(n, _)| &**n == name).count();
        let name = self.chain.iter().map(|(n, _)| &**n).max_by_key(|n| count(n)).unwrap_or_default();
        let mut d = self
            .error("OB032", format!("`{name}` calls itself without end"))
            .map_note(format!("more than {MAX_DEPTH} calls inside one another"));
        if let Some(cond) = self.undecided {
            let cond = obsidian_ir::program::in_words(&self.p, cond);
            d = d.map_note(format!("the last `if` on the way tests `{cond}`, which is only known at launch"));
        }
        d.map_help("recursion unrolls while compiling: it must end on a known value, such as `if xs.len() == 1`")
    }

    /// Calls a function value.
    pub(super) fn apply(&mut self, func: &Func, args: Vec<Value>) -> Result<Value> {
        match func {
            Func::Native(f) => f(self, args),
            Func::Closure { code, captured, generics, maker } => {
                let mut frame = Frame::new(code.frame, generics.clone());
                for ((_, slot), v) in code.captures.iter().zip(captured.iter()) {
                    frame.slots[*slot as usize] = Some(v.clone());
                }
                let is_authors = maker.as_ref().is_none_or(|maker| maker.owner == Owner::User);
                for (pat, arg) in code.params.iter().zip(args) {
                    if is_authors {
                        self.name_scalars(pat, &arg);
                    }
                    self.bind(pat, arg, &mut frame)?;
                }
                let claim = code.claim.unwrap_or(self.claim);
                let mut work = |s: &mut Stage| s.claiming(claim, |s| s.eval(&code.body, &mut frame));
                match maker {
                    Some(maker) => self.running(maker.clone(), work),
                    None => work(self),
                }
            }
        }
    }

    pub(super) fn bind(&mut self, pat: &TPat, v: Value, f: &mut Frame) -> Result<()> {
        match (pat, v) {
            (TPat::Slot(slot, _), v) => f.slots[*slot as usize] = Some(v),
            (TPat::Wild, _) => {}
            (TPat::Tuple(pats), Value::Tuple(parts)) if pats.len() == parts.len() => {
                for (p, v) in pats.iter().zip(parts.iter()) {
                    self.bind(p, v.clone(), f)?;
                }
            }
            (TPat::Tuple(_), other) => return Err(confused(self, "a tuple", &other)),
            (TPat::Sized(inner, lengths), v) => {
                let v = self.sized(v, lengths, f)?;
                self.bind(inner, v, f)?;
            }
        }
        Ok(())
    }

    fn stmt(&mut self, s: &TStmt, f: &mut Frame) -> Result<()> {
        match s {
            TStmt::Let(pat, e) => {
                let v = self.eval(e, f)?;
                if self.at_host() {
                    self.name_bound(pat, &v, f);
                } else if self.is_authors() {
                    self.name_scalars(pat, &v);
                    if let (TPat::Slot(slot, name), true) = (pat, v.is_scalars()) {
                        f.names.insert(*slot as usize, name.clone());
                    }
                }
                self.bind(pat, v, f)
            }
            TStmt::Assign(slot, e) => {
                let (slot, v) = (*slot as usize, self.eval(e, f)?);
                if let Some(name) = f.names.get(&slot) {
                    self.name_stored(&v, name);
                }
                f.slots[slot] = Some(v);
                Ok(())
            }
            TStmt::Expr(e) => self.eval(e, f).map(|_| ()),
            TStmt::AssignElement { span, base, index, op, value } => {
                // As in Rust: the right side first.
                let value = self.eval(value, f)?;
                let (base, index) = (self.eval(base, f)?.mutable(self)?, self.eval(index, f)?.scalar(self)?);
                self.at(*span, |s| s.assign_element(&base, index, *op, value))
            }
            TStmt::For { span, pat, start, end, inclusive, body } => {
                let l = For { pat, start, end, inclusive: *inclusive, body };
                self.at(*span, |s| s.for_loop(&l, f))
            }
            TStmt::While(span, cond, body) => self.at(*span, |s| s.while_loop(cond, body, f)),
        }
    }

    /// An element. A known index is checked against a known length.
    pub(super) fn index(&mut self, a: &Pull, i: obsidian_ir::program::ExprId) -> Result<Value> {
        if let Some(len) = self.p.exprs.as_u32(a.len) {
            let range = self.p.exprs.range(i);
            // That of a loop is left to the proofs where there is no element: the loop may be over none.
            let is_looped = len == 0 && self.p.exprs.as_const(i).is_none();
            if range.lo >= i128::from(len) && !is_looped {
                return Err(self
                    .error("OB035", format!("index {} is out of range", range.lo))
                    .map_note(format!("the array has {len} elements"))
                    .map_help("the last index is the length minus one"));
            }
        }
        (a.get)(self, i)
    }

    /// The level a builtin was instantiated with.
    pub(super) fn level_arg(&self, generics: &[GenericArg], i: usize) -> Result<Level> {
        match generics.get(i) {
            Some(GenericArg::Level(l)) => Ok(*l),
            _ => Err(self
                .error("OB028", "the level of this is not determined")
                .map_help("say it: `exec_thread(..)`, `exec_warp(..)` or `exec_block(..)`")),
        }
    }

    pub(super) fn not(&mut self, c: obsidian_ir::program::ExprId) -> obsidian_ir::program::ExprId {
        self.p.exprs.un(UnOp::Not, c)
    }
}

/// A function of the compiler as a value.
pub(super) fn native(f: impl Fn(&mut Stage, Vec<Value>) -> Result<Value> + 'static) -> Func {
    Func::Native(Rc::new(f))
}
