//! The checker. Functions are checked on demand, a callee before its caller, each once.

use std::collections::HashMap;
use std::sync::Arc;

use super::arena::{Ambient, Lvl, LvlId, SizeId, Ty, TyId, Types};
use super::convert::{Generics, Mode, ParamTy, program_type};
use super::errors;
use super::lengths::sized;
use super::names::{Home, Mention, Names};
use super::scope::Scopes;
use super::typed::{BuiltinId, Entry, FnId, Owner, TFn, TPat};
use crate::linking::Linked;
use crate::syntax::ast::{FnDecl, GenericKind, Name, Pat, StructDecl};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::Claim;

/// What checking gives.
#[derive(Debug)]
pub struct Checked {
    /// The tables that the typed trees point into.
    pub types: Types,
    /// By [`FnId`]; `None` where nothing needs the function.
    pub fns: Vec<Option<TFn>>,
    /// The entries, in order.
    pub entries: Vec<Entry>,
    /// Which functions the author's tokens name.
    pub mentions: Vec<Mention>,
    /// The builtins that may be called, by [`BuiltinId`].
    pub builtins: HashMap<u32, &'static FnDecl>,
}

/// What the standard library provides to a text.
#[derive(Debug, Clone)]
pub struct Provided {
    /// Its functions that the text uses, and those that these use.
    pub fns: Vec<&'static FnDecl>,
    /// The signatures of its builtins, with their [`BuiltinId`]s.
    pub builtins: Vec<(u32, &'static FnDecl)>,
    /// All its names, for suggestions.
    pub names: fn() -> Vec<&'static str>,
}

/// What a name in a call can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Callee {
    Fn(FnId),
    Builtin(BuiltinId),
}

/// The ambient level of a function parameter, in terms of the function's generics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Settled {
    Pure,
    Known(Level),
    Generic(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    NotStarted,
    InProgress,
    Done,
}

/// The function being checked.
pub(super) struct Context {
    pub(super) generics: Generics,
    pub(super) scopes: Scopes,
    pub(super) ambient: Option<LvlId>,
    /// Whether anything that was checked until now needed the ambient level.
    pub(super) uses_ambient: bool,
    /// Who answers for the writes of the code being checked: the author, inside `unsafe { .. }`.
    pub(super) claim: Option<Claim>,
    /// The type of what stands before an operator whose other side is being checked.
    pub(super) beside: Option<TyId>,
    /// Whose names it sees.
    pub(super) home: Home,
}

impl Context {
    fn new(home: Home) -> Context {
        Context {
            generics: Generics::new(),
            scopes: Scopes::new(),
            ambient: None,
            uses_ambient: false,
            claim: None,
            beside: None,
            home,
        }
    }
}

/// Checks the functions of a macro call and whatever they use of libraries and of the standard library.
///
/// # Errors
/// Every independent mistake.
pub fn check(
    user: &[FnDecl],
    structs: &[StructDecl],
    linked: &Linked,
    library: &Provided,
) -> std::result::Result<Checked, Vec<Diagnostic>> {
    let mut checker = Checker::new(user, linked, library);
    checker.errors.extend(named_twice(structs));
    checker.types.structs = structs.iter().map(|s| (s.name.text.clone(), Arc::new(s.clone()))).collect();
    for i in 0..user.len() {
        checker.ensure(FnId(i as u32));
    }
    let mut entries = Vec::new();
    for (i, decl) in user.iter().enumerate() {
        if let Some(attr) = decl.entry.as_ref().filter(|attr| attr.whole) {
            match checker.entry(FnId(i as u32), decl, attr) {
                Ok(entry) => entries.push(entry),
                Err(e) => checker.errors.push(*e),
            }
        }
    }
    if checker.errors.is_empty() {
        let Checker { types, done: fns, mentions, builtins, .. } = checker;
        Ok(Checked { types, fns, entries, mentions, builtins })
    } else {
        let mut errors = checker.errors;
        errors.dedup();
        Err(errors)
    }
}

pub(super) struct Checker<'a> {
    pub(super) types: Types,
    pub(super) decls: Vec<&'a FnDecl>,
    pub(super) builtins: HashMap<u32, &'static FnDecl>,
    /// Every name of the standard library, for suggestions.
    pub(super) library_names: fn() -> Vec<&'static str>,
    pub(super) names: Names<'a>,
    pub(super) mentions: Vec<Mention>,
    pub(super) states: Vec<State>,
    pub(super) settled: Vec<Vec<Settled>>,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) cx: Context,
    done: Vec<Option<TFn>>,
}

impl<'a> Checker<'a> {
    fn new(user: &'a [FnDecl], linked: &'a Linked, library: &Provided) -> Checker<'a> {
        let linked_fns = linked.fns.iter().map(|f| &f.decl);
        let decls: Vec<&FnDecl> = user.iter().chain(linked_fns).chain(library.fns.iter().copied()).collect();
        let (names, errors) = Names::new(user, linked, &library.fns, &library.builtins);
        let n = decls.len();
        Checker {
            types: Types::default(),
            decls,
            builtins: library.builtins.iter().copied().collect(),
            library_names: library.names,
            names,
            mentions: Vec::new(),
            states: vec![State::NotStarted; n],
            settled: vec![Vec::new(); n],
            errors,
            cx: Context::new(Home::Author),
            done: (0..n).map(|_| None).collect(),
        }
    }

    /// Checks a function if that has not begun.
    pub(super) fn ensure(&mut self, id: FnId) {
        let i = id.0 as usize;
        if self.states[i] != State::NotStarted {
            return;
        }
        self.states[i] = State::InProgress;
        let outer = std::mem::replace(&mut self.cx, Context::new(self.names.home(id)));
        match self.function(id, self.decls[i]) {
            Ok(f) => self.done[i] = Some(f),
            Err(e) => self.errors.push(*e),
        }
        self.cx = outer;
        self.states[i] = State::Done;
    }

    fn function(&mut self, id: FnId, decl: &'a FnDecl) -> Result<TFn> {
        let (mark, mark_lvl) = (self.types.mark(), self.types.mark_lvl());
        let sig = self.types.signature(decl, &Mode::Rigid)?;
        self.cx.generics = sig.names;
        self.cx.ambient = sig.ambient;
        if decl.entry.is_some() && sig.ambient.is_none() {
            self.cx.ambient = Some(self.types.lvl(Lvl::Known(Level::Grid)));
        }
        self.distinct(decl.params.iter().map(|p| &p.pat))?;
        let mut params = Vec::new();
        for (p, ty) in decl.params.iter().zip(&sig.params) {
            let pat = match *ty {
                ParamTy::Value(ty) => self.bind(&p.pat, ty)?,
                ParamTy::ByName(level, ty) => self.bind_program(&p.pat, level, ty, p.ty.span)?,
            };
            params.push(sized(pat, self.lengths(&p.ty)?));
        }
        let lengths = self.lengths(program_type(&decl.ret).map_or(&decl.ret, |(_, inner)| inner))?;
        let Some(body) = &decl.body else {
            return Err(Box::new(
                Diagnostic::new("OB002", decl.name.span, "this function has no body")
                    .help("`{ .. }` after the signature"),
            ));
        };
        let errors_before = self.errors.len();
        let body_t = self.expr(body)?;
        let tail = tail_span(body);
        let what = format!("the result of `{}`", decl.name.text);
        self.unify(sig.ret, body_t.ty, tail.or(decl.name.span), &what)?;
        self.settle(id, decl, &sig.params);
        self.types.default_literals(mark);
        if self.errors.len() == errors_before {
            self.levels_determined(mark_lvl, decl)?;
        }
        let (_, frame) = self.cx.scopes.close_frame();
        let consts = (0..).zip(&decl.generics).filter(|(_, g)| matches!(g.kind, GenericKind::Const(_)));
        let consts = consts.map(|(i, g)| (i, g.name.text.clone())).collect();
        let owner = if self.names.home(id) == Home::Author { Owner::User } else { Owner::Library };
        let name = self.names.title(id, decl).into();
        Ok(TFn { name, params, frame, consts, body: body_t, lengths, owner })
    }

    fn levels_determined(&self, mark: usize, decl: &FnDecl) -> Result<()> {
        match self.types.open_level(mark) {
            Some((name, span)) => Err(Box::new(
                Diagnostic::new("OB028", span.or(decl.name.span), format!("the level of `{name}` is not determined"))
                    .note("nothing says which level does this work")
                    .help(
                        "say it: `exec_thread(..)`, `exec_warp(..)`, `exec_block(..)`, or `push::<Thread, _, _>(..)`",
                    ),
            )),
            None => Ok(()),
        }
    }

    /// Notes where each function parameter was called.
    fn settle(&mut self, id: FnId, decl: &FnDecl, params: &[ParamTy]) {
        let settled = params.iter().map(|p| match p {
            ParamTy::Value(ty) => match self.types.find(*ty).1 {
                Ty::Fn(_, _, ambient) => match self.types.ambient(*ambient) {
                    Ambient::At(l) => match self.types.find_lvl(l).1 {
                        Lvl::Known(k) => Settled::Known(*k),
                        Lvl::Rigid(i, ..) => Settled::Generic(*i),
                        _ => Settled::Pure,
                    },
                    _ => Settled::Pure,
                },
                _ => Settled::Pure,
            },
            ParamTy::ByName(..) => Settled::Pure,
        });
        self.settled[id.0 as usize] = settled.collect();
        debug_assert_eq!(self.settled[id.0 as usize].len(), decl.params.len());
    }

    /// Makes a value of a type stand where one of another is asked for.
    pub(super) fn unify(&mut self, expected: TyId, found: TyId, span: Span, what: &str) -> Result<()> {
        self.flow((expected, found), &[], span, what)
    }

    /// The same, where some lengths may still become later ones.
    pub(super) fn flow(
        &mut self,
        (expected, found): (TyId, TyId),
        later: &[SizeId],
        span: Span,
        what: &str,
    ) -> Result<()> {
        self.types
            .flow(expected, found, later)
            .map_err(|m| Box::new(errors::mismatch(&self.types, &m, span, what, expected, found)))
    }

    /// Demands that the patterns of one parameter list bind each name once.
    pub(super) fn distinct<'p>(&self, pats: impl Iterator<Item = &'p Pat>) -> Result<()> {
        let mut seen = Vec::new();
        pats.for_each(|p| pattern_names(p, &mut seen));
        for (i, name) in seen.iter().enumerate() {
            if seen[..i].iter().any(|other| other.text == name.text) {
                return Err(Box::new(
                    Diagnostic::new(
                        "OB008",
                        name.span,
                        format!("`{}` is bound twice in one parameter list", name.text),
                    )
                    .help("give one of them another name, or `_`"),
                ));
            }
        }
        Ok(())
    }

    /// Binds a pattern to a type.
    pub(super) fn bind(&mut self, pat: &Pat, ty: TyId) -> Result<TPat> {
        match pat {
            Pat::Var { name, mutable } => {
                let slot = self.cx.scopes.bind(&name.text, ty, *mutable);
                Ok(TPat::Slot(slot, name.text.clone()))
            }
            Pat::Wild(_) => Ok(TPat::Wild),
            Pat::Typed(inner, written) => {
                let want = self.types.convert(written, &self.cx.generics)?;
                self.unify(want, ty, written.span, "this pattern")?;
                let pat = self.bind(inner, want)?;
                Ok(sized(pat, self.lengths(written)?))
            }
            Pat::Struct(name, fields, rest) => self.bind_structure(name, (fields, *rest), ty),
            Pat::Tuple(span, pats) => {
                let fields: Vec<TyId> = pats.iter().map(|_| self.types.fresh()).collect();
                let tuple = self.types.ty(Ty::Tuple(fields.clone()));
                self.unify(tuple, ty, *span, "this pattern")?;
                let bound = pats.iter().zip(fields).map(|(p, t)| self.bind(p, t)).collect::<Result<_>>()?;
                Ok(TPat::Tuple(bound))
            }
        }
    }

    /// Checks under another ambient level.
    pub(super) fn under<R>(&mut self, ambient: Option<LvlId>, f: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let outer = std::mem::replace(&mut self.cx.ambient, ambient);
        let result = f(self);
        self.cx.ambient = outer;
        result
    }
}

/// The token of the value that a block gives.
fn tail_span(e: &crate::syntax::ast::Expr) -> Span {
    use crate::syntax::ast::ExprKind;
    match &e.kind {
        ExprKind::Block(_, Some(tail)) => tail_span(tail),
        ExprKind::If(_, then, None) => tail_span(then),
        ExprKind::If(_, _, Some(els)) => tail_span(els),
        _ => e.span,
    }
}

/// The names that a pattern binds.
fn pattern_names<'p>(pat: &'p crate::syntax::ast::Pat, out: &mut Vec<&'p crate::syntax::ast::Name>) {
    use crate::syntax::ast::Pat;
    match pat {
        Pat::Var { name, .. } => out.push(name),
        Pat::Tuple(_, pats) => pats.iter().for_each(|p| pattern_names(p, out)),
        Pat::Struct(_, fields, _) => fields.iter().for_each(|(_, p)| pattern_names(p, out)),
        Pat::Typed(inner, _) => pattern_names(inner, out),
        Pat::Wild(_) => {}
    }
}

/// Structures whose name another has already.
fn named_twice(structs: &[StructDecl]) -> Vec<Diagnostic> {
    let known = |i: usize| structs[..i].iter().any(|other| other.name.text == structs[i].name.text);
    let twice = (0..structs.len()).filter(|&i| known(i)).map(|i| &structs[i].name);
    let error = |name: &Name| {
        Diagnostic::new("OB007", name.span, format!("two structures are called `{}`", name.text))
            .help("give one of them another name")
    };
    twice.map(error).collect()
}
