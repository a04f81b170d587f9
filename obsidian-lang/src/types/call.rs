//! Names and calls: which function is meant, its signature for this call, its arguments and their levels.

use std::rc::Rc;

use super::arena::{Ambient, Literal, Lvl, LvlId, Mismatch, Ty, TyId};
use super::check::{Callee, Checker, Settled, State};
use super::convert::{Gen, Mode, ParamTy, Signature};
use super::errors;
use super::overload::FirstArg;
use super::scope::Form;
use super::typed::{Closure, TExpr, TKind, TPat, TypeArg};
use crate::syntax::ast::{Bound, Expr, ExprKind, FnDecl, FnForm, Name, TypeExpr, TypeKind};
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::ScalarType;

/// Names for the parameters of a closure in a suggestion.
const PARAMETERS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

impl<'a> Checker<'a> {
    /// A variable, or a function used as a value.
    pub(super) fn name(&mut self, name: &str, span: Span) -> Result<TExpr> {
        if let Some(local) = self.cx.scopes.find(name) {
            let value = TExpr { kind: TKind::Local(local.slot), span, ty: local.ty };
            return match local.form {
                Form::Value => Ok(value),
                Form::ByName => self.apply(value, &[], span, name),
            };
        }
        if let Some(&Gen::Const(i, ty)) = self.cx.generics.get(name) {
            return Ok(TExpr { kind: TKind::ConstGeneric(i), span, ty: self.types.scalar(ty) });
        }
        let candidates = self.candidates(&Name { text: name.to_string(), span })?;
        let Some(&callee) = candidates.first() else {
            return Err(self.unknown_name(&Name { text: name.to_string(), span }));
        };
        if self.decl(callee).form == FnForm::Constant {
            return self.constant(callee, span);
        }
        self.function_value(name, callee, span)
    }

    /// The value of a constant: a call of it.
    fn constant(&mut self, callee: Callee, span: Span) -> Result<TExpr> {
        if let Callee::Fn(f) = callee {
            if self.states[f.0 as usize] == State::InProgress {
                let name = &self.decl(callee).name.text;
                return Err(Box::new(
                    Diagnostic::new("OB032", span, format!("the constant `{name}` is made of itself"))
                        .help("a constant is made of literals and of other constants"),
                ));
            }
            self.ensure(f);
        }
        let sig = self.types.signature(self.decl(callee), &Mode::Fresh("", span))?;
        Ok(self.make_call(callee, &sig, Vec::new(), Vec::new(), span))
    }

    /// `f` as `|a, b| f(a, b)`.
    fn function_value(&mut self, name: &str, callee: Callee, span: Span) -> Result<TExpr> {
        if let Callee::Fn(f) = callee {
            self.ensure(f);
        }
        let sig = self.types.signature(self.decl(callee), &Mode::Fresh(name, span))?;
        let mut params = Vec::new();
        for p in &sig.params {
            let ParamTy::Value(ty) = *p else {
                return Err(Box::new(
                    Diagnostic::new(
                        "OB022",
                        span,
                        format!("`{name}` takes a program, it cannot be passed as a function"),
                    )
                    .help(format!("write a closure: `|x| {name}(x)`")),
                ));
            };
            params.push(ty);
        }
        let slots = 0..params.len() as u32;
        let args = slots.clone().zip(&params).map(|(s, &ty)| TExpr { kind: TKind::Local(s), span, ty }).collect();
        let body = self.make_call(callee, &sig, Vec::new(), args, span);
        let ambient = sig.ambient.map_or(Ambient::Pure, Ambient::At);
        let ty = self.types.ty(Ty::Fn(params, sig.ret, ambient));
        let pats = slots.map(|s| TPat::Slot(s, String::new())).collect::<Vec<_>>();
        let frame = pats.len() as u32;
        let closure = Closure { params: pats, captures: Vec::new(), frame, body, claim: self.cx.claim };
        Ok(TExpr { kind: TKind::Closure(Rc::new(closure)), span, ty })
    }

    pub(super) fn unknown_name(&self, name: &Name) -> Box<Diagnostic> {
        let d = Diagnostic::new("OB021", name.span, format!("`{}` is not known here", name.text));
        if let Some(hint) = super::foreign::said_here(&name.text) {
            return Box::new(d.help(hint));
        }
        let known = self
            .cx
            .scopes
            .names()
            .chain(self.names.known(self.cx.home))
            .chain(self.cx.generics.keys().map(String::as_str))
            .chain((self.library_names)().into_iter().map(|n| -> &str { n }));
        let nearest = known.map(|k| (edit_distance(k, &name.text), k)).min();
        Box::new(match nearest {
            // To a name of one or two letters every other name is near, so none is suggested.
            Some((d_min, k)) if d_min <= name.text.len().div_ceil(4) && d_min < name.text.len().max(2) - 1 => {
                d.help(format!("did you mean `{k}`?"))
            }
            // As in Rust, capitals are a constant's.
            _ if name.text.len() > 1 && !name.text.contains(char::is_lowercase) => {
                let ty = self.cx.beside.and_then(|ty| self.scalar_like(ty));
                let (ty, more) = ty.map_or(("u32", ", with its type,"), |ty| (ty.name(), ""));
                d.note("a constant or static outside of the macro is not seen").help(format!(
                    "write `const {}: {ty} = ..;`{more} inside `kernel! {{ .. }}`: the host sees it there, too",
                    name.text
                ))
            }
            _ => d.help("kernels see their own functions, their parameters and the standard library"),
        })
    }

    /// The scalar type that a type is, or that a literal of it becomes.
    fn scalar_like(&self, ty: TyId) -> Option<ScalarType> {
        self.types.as_scalar(ty).or_else(|| match self.types.find(ty).1 {
            Ty::Var(Bound::Float, _) | Ty::Var(_, Literal::Float) => Some(ScalarType::F32),
            _ => None,
        })
    }

    pub(super) fn decl(&self, callee: Callee) -> &'a FnDecl {
        match callee {
            Callee::Fn(f) => self.decls[f.0 as usize],
            Callee::Builtin(b) => self.builtins[&b.0],
        }
    }

    /// A call of a named function, or of a variable that holds one.
    pub(super) fn call(&mut self, name: &Name, turbofish: &[TypeExpr], args: &[Expr]) -> Result<TExpr> {
        let span = name.span;
        if let Some(local) = self.cx.scopes.find(&name.text) {
            let f = TExpr { kind: TKind::Local(local.slot), span, ty: local.ty };
            // A method is not hidden by a value of its name: `let len = xs.len(); xs.len()`.
            let is_function = matches!(self.types.find(f.ty).1, Ty::Fn(..) | Ty::Error);
            if is_function || self.names.find(self.cx.home, &name.text).is_none() {
                return self.apply(f, args, span, &name.text);
            }
        }
        let candidates = self.candidates(name)?;
        if candidates.iter().any(|&c| self.decl(c).form == FnForm::Constant) {
            return Err(Box::new(
                Diagnostic::new("OB020", span, format!("`{}` is a constant, not a function", name.text))
                    .help(format!("write `{}` alone; an element of it is `{}[i]`", name.text, name.text)),
            ));
        }
        let (callee, first) = self.choose(name, &candidates, args)?;
        if let Callee::Fn(f) = callee {
            self.ensure(f);
        }
        let sig = self.types.signature(self.decl(callee), &Mode::Fresh(&name.text, span))?;
        let values = self.apply_turbofish(&sig, turbofish, span)?;
        self.enter(&sig, name)?;
        let args = self.arguments(callee, &sig, name, args, first)?;
        self.types.settle_bits(sig.ret);
        Ok(self.make_call(callee, &sig, values, args, span))
    }

    /// Checks `::<..>` against the generics, and returns the values of the `const` ones by position.
    fn apply_turbofish(
        &mut self,
        sig: &Signature,
        turbofish: &[TypeExpr],
        span: Span,
    ) -> Result<Vec<Option<Rc<Closure>>>> {
        let mut values = vec![None; sig.generics.len()];
        if turbofish.len() > sig.generics.len() {
            let message = format!(
                "{} are given, but there are {}",
                count(turbofish.len(), "generic argument"),
                sig.generics.len()
            );
            return Err(Box::new(
                Diagnostic::new("OB022", span, message)
                    .help("in the order of the declaration; `_` leaves one to inference, and the last may be left out"),
            ));
        }
        for ((t, g), value) in turbofish.iter().zip(&sig.generics).zip(&mut values) {
            match *g {
                Gen::Level(l) => {
                    let want = self.types.level_of(t, &self.cx.generics)?;
                    self.unify_level(l, want, t.span, "this level")?;
                }
                Gen::Type(ty) => {
                    let want = self.types.convert(t, &self.cx.generics)?;
                    self.unify(ty, want, t.span, "this type")?;
                }
                Gen::Const(..) if t.kind == TypeKind::Infer => {}
                Gen::Const(_, ty) => *value = Some(self.const_value(t, ty)?),
                Gen::Size(_) => {}
            }
        }
        Ok(values)
    }

    pub(super) fn unify_level(&mut self, a: LvlId, b: LvlId, span: Span, what: &str) -> Result<()> {
        self.types.unify_lvl(a, b).map_err(|m| {
            let unit = self.types.unit();
            Box::new(errors::mismatch(&self.types, &m, span, what, unit, unit))
        })
    }

    /// Checks the level that the call needs against the ambient level around it.
    fn enter(&mut self, sig: &Signature, name: &Name) -> Result<()> {
        let Some(needs) = sig.ambient else { return Ok(()) };
        self.require_ambient(needs, &name.text, name.span)
    }

    fn require_ambient(&mut self, needs: LvlId, name: &str, span: Span) -> Result<()> {
        self.cx.uses_ambient = true;
        let Some(ambient) = self.cx.ambient else {
            return Err(Box::new(errors::no_ambient(&self.types, name, span, needs)));
        };
        self.types.unify_lvl(needs, ambient).map_err(|m| match m {
            Mismatch::Level(clash) => {
                let error = errors::ambient_clash(&self.types, &clash, name, span, needs, ambient);
                let above = error.code == "OB015" && self.is_on_device(name);
                Box::new(if above { errors::meant_at_device(error, name) } else { error })
            }
            _ => Box::new(errors::no_ambient(&self.types, name, span, needs)),
        })
    }

    /// Checks the arguments, functions last, when the types of the values that they are applied to are known.
    fn arguments(
        &mut self,
        callee: Callee,
        sig: &Signature,
        name: &Name,
        args: &[Expr],
        first: Option<FirstArg>,
    ) -> Result<Vec<TExpr>> {
        let mut done: Vec<Option<TExpr>> = args.iter().map(|_| None).collect();
        if let Some(first) = first {
            done[0] = Some(self.accept(sig.params[0], first, name)?);
        }
        let later = self.types.lengths_read(sig);
        let is_function = |t: &Self, p: ParamTy| match p {
            ParamTy::Value(ty) => matches!(t.types.find(ty).1, Ty::Fn(..)),
            ParamTy::ByName(..) => false,
        };
        for functions in [false, true] {
            for (i, arg) in args.iter().enumerate() {
                if done[i].is_some() || is_function(self, sig.params[i]) != functions {
                    continue;
                }
                let what = format!("argument {} of `{}`", i + 1, name.text);
                done[i] = Some(match sig.params[i] {
                    ParamTy::ByName(level, want) => {
                        let e = self.by_name(arg, level)?;
                        self.unify_by_name(&e, want, arg.span.or(name.span), &what)?;
                        e
                    }
                    ParamTy::Value(want) if functions => {
                        let ambient = self.param_ambient(callee, sig, i);
                        self.function_arg(arg, want, ambient, name, &what)?
                    }
                    ParamTy::Value(want) => {
                        let e = self.expr(arg)?;
                        self.flow((want, e.ty), &later, arg.span.or(name.span), &what)?;
                        e
                    }
                });
            }
        }
        Ok(done.into_iter().flatten().collect())
    }

    pub(super) fn unify_by_name(&mut self, e: &TExpr, want: TyId, span: Span, what: &str) -> Result<()> {
        let found = match self.types.find(e.ty).1 {
            Ty::Fn(_, ret, _) => *ret,
            _ => e.ty,
        };
        self.unify(want, found, span, what)
    }

    /// Where the callee calls its parameter `i`.
    fn param_ambient(&mut self, callee: Callee, sig: &Signature, i: usize) -> Ambient {
        if let ParamTy::Value(ty) = sig.params[i]
            && let Ty::Fn(_, _, Ambient::At(l)) = self.types.find(ty).1
        {
            return Ambient::At(*l);
        }
        let Callee::Fn(f) = callee else { return Ambient::Pure };
        if self.states[f.0 as usize] != State::Done {
            return Ambient::Pure;
        }
        match self.settled[f.0 as usize].get(i) {
            Some(Settled::Known(level)) => Ambient::At(self.types.lvl(Lvl::Known(*level))),
            Some(Settled::Generic(g)) => match sig.generics.get(*g as usize) {
                Some(Gen::Level(l)) => Ambient::At(*l),
                _ => Ambient::Pure,
            },
            _ => Ambient::Pure,
        }
    }

    fn function_arg(&mut self, arg: &Expr, want: TyId, ambient: Ambient, name: &Name, what: &str) -> Result<TExpr> {
        let Ty::Fn(params, ret, _) = self.types.find(want).1.clone() else { return self.expr(arg) };
        if let ExprKind::Closure(pats, body) = &arg.kind {
            if pats.len() != params.len() {
                let message = format!(
                    "{what}: a closure of {} is needed, this one has {}",
                    count(params.len(), "parameter"),
                    pats.len()
                );
                return Err(Box::new(
                    Diagnostic::new("OB022", arg.span.or(name.span), message)
                        .note(format!("expected `{}`", self.types.show(want)))
                        .help(format!("`|{}| ..`", PARAMETERS[..params.len().min(8)].join(", "))),
                ));
            }
            return self.closure(pats, body, &params, Some(ret), ambient, arg.span);
        }
        let e = self.expr(arg)?;
        self.unify(want, e.ty, arg.span.or(name.span), what)?;
        let &Ty::Fn(_, _, given) = self.types.find(e.ty).1 else { return Ok(e) };
        match (given, ambient) {
            (Ambient::Open(v), context) => self.types.join_ambient(v, context),
            (Ambient::At(l), Ambient::At(k)) => self.unify_level(l, k, arg.span, what)?,
            (Ambient::At(l), _) => return Err(Box::new(errors::no_ambient(&self.types, what, arg.span, l))),
            (Ambient::Pure, _) => {}
        }
        Ok(e)
    }

    /// A call of a function value.
    pub(super) fn apply(&mut self, f: TExpr, args: &[Expr], span: Span, name: &str) -> Result<TExpr> {
        let (params, ret, ambient) = match self.types.find(f.ty).1.clone() {
            Ty::Fn(params, ret, ambient) => (params, ret, ambient),
            Ty::Error => return Ok(f),
            _ => {
                let message = format!("`{name}` is a `{}`, not a function", self.types.show(f.ty));
                return Err(Box::new(
                    Diagnostic::new("OB020", span, message)
                        .help("functions are closures, parameters of type `impl Fn(..) -> ..`, and names of functions"),
                ));
            }
        };
        if params.len() != args.len() {
            let message = format!("`{name}` takes {}, not {}", count(params.len(), "argument"), args.len());
            return Err(Box::new(
                Diagnostic::new("OB022", span, message)
                    .note(format!("it is `{}`", self.types.show(f.ty)))
                    .help("give one argument for each parameter; a tuple is one argument"),
            ));
        }
        match ambient {
            Ambient::Open(v) => {
                self.cx.uses_ambient = true;
                let context = self.cx.ambient.map_or(Ambient::Pure, Ambient::At);
                self.types.join_ambient(v, context);
            }
            Ambient::At(l) => self.require_ambient(l, name, span)?,
            Ambient::Pure => {}
        }
        let mut out = Vec::new();
        for (i, (arg, &want)) in args.iter().zip(&params).enumerate() {
            let e = self.expr(arg)?;
            self.unify(want, e.ty, arg.span.or(span), &format!("argument {} of `{name}`", i + 1))?;
            out.push(e);
        }
        Ok(TExpr { kind: TKind::Apply(Box::new(f), out), span, ty: ret })
    }

    fn make_call(
        &mut self,
        callee: Callee,
        sig: &Signature,
        mut values: Vec<Option<Rc<Closure>>>,
        args: Vec<TExpr>,
        span: Span,
    ) -> TExpr {
        let generics = sig.generics.iter().map(|g| match *g {
            Gen::Const(i, _) => TypeArg::Const(values.get_mut(i as usize).and_then(Option::take)),
            Gen::Level(l) => TypeArg::Level(l),
            Gen::Type(t) => TypeArg::Type(t),
            Gen::Size(_) => TypeArg::Size,
        });
        let generics = generics.collect();
        let kind = match callee {
            Callee::Fn(f) => TKind::Call { f, generics, args },
            Callee::Builtin(b) => TKind::Builtin { b, generics, args },
        };
        TExpr { kind, span, ty: sig.ret }
    }
}

/// `1 argument`, `2 arguments`.
fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn edit_distance(a: &str, b: &str) -> usize {
    crate::syntax::edit_distance(a, b)
}
