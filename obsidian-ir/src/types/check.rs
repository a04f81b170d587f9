//! The checker: functions on demand, callee before caller, each once.

use std::collections::HashMap;

use super::arena::{Ambient, Lvl, LvlId, Ty, TyId, Types};
use super::convert::{Generics, Mode, ParamTy};
use super::errors;
use super::names::{Home, Mention, Names};
use super::scope::Scopes;
use super::typed::{BufferAccess, BuiltinId, ElementShape, Entry, EntryInput, FnId, TFn, TPat};
use crate::Level;
use crate::diag::{Diagnostic, Result, Span};
use crate::linking::Linked;
use crate::program::{Claim, ScalarType};
use crate::syntax::ast::{EntryAttr, FnDecl, Pat, TypeExpr, TypeKind};

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
}

/// Something a name in a call can mean.
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
    /// Whether anything so far needed the ambient level.
    pub(super) uses_ambient: bool,
    /// Who answers for the writes of the code being checked: the author, inside `unsafe { .. }`.
    pub(super) claim: Option<Claim>,
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
    linked: &Linked,
    library: &[&FnDecl],
    builtins: &[(u32, &FnDecl)],
) -> std::result::Result<Checked, Vec<Diagnostic>> {
    let mut checker = Checker::new(user, linked, library, builtins);
    for i in 0..user.len() {
        checker.ensure(FnId(i as u32));
    }
    let mut entries = Vec::new();
    for (i, decl) in user.iter().enumerate() {
        if let Some(attr) = &decl.entry {
            match checker.entry(FnId(i as u32), decl, attr) {
                Ok(entry) => entries.push(entry),
                Err(e) => checker.errors.push(*e),
            }
        }
    }
    if checker.errors.is_empty() {
        Ok(Checked { types: checker.types, fns: checker.done, entries, mentions: checker.mentions })
    } else {
        let mut errors = checker.errors;
        errors.dedup();
        Err(errors)
    }
}

pub(super) struct Checker<'a> {
    pub(super) types: Types,
    pub(super) decls: Vec<&'a FnDecl>,
    pub(super) builtins: HashMap<u32, &'a FnDecl>,
    pub(super) names: Names<'a>,
    pub(super) mentions: Vec<Mention>,
    pub(super) states: Vec<State>,
    pub(super) settled: Vec<Vec<Settled>>,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) cx: Context,
    done: Vec<Option<TFn>>,
}

impl<'a> Checker<'a> {
    fn new(
        user: &'a [FnDecl],
        linked: &'a Linked,
        library: &[&'a FnDecl],
        builtins: &[(u32, &'a FnDecl)],
    ) -> Checker<'a> {
        let linked_fns = linked.fns.iter().map(|f| &f.decl);
        let decls: Vec<&FnDecl> = user.iter().chain(linked_fns).chain(library.iter().copied()).collect();
        let (names, errors) = Names::new(user, linked, library, builtins);
        let n = decls.len();
        Checker {
            types: Types::default(),
            decls,
            builtins: builtins.iter().copied().collect(),
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
            params.push(match *ty {
                ParamTy::Value(ty) => self.bind(&p.pat, ty)?,
                ParamTy::ByName(level, ty) => self.bind_program(&p.pat, level, ty, p.ty.span)?,
            });
        }
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
        Ok(TFn { name: self.names.title(id, decl), params, frame, body: body_t })
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

    /// Makes two types one.
    pub(super) fn unify(&mut self, expected: TyId, found: TyId, span: Span, what: &str) -> Result<()> {
        self.types
            .unify(expected, found)
            .map_err(|m| Box::new(errors::mismatch(&self.types, &m, span, what, expected, found)))
    }

    fn entry(&mut self, id: FnId, decl: &FnDecl, attr: &EntryAttr) -> Result<Entry> {
        let sig = self.types.signature(decl, &Mode::Rigid)?;
        if !decl.generics.is_empty() {
            return Err(Box::new(
                Diagnostic::new("OB016", decl.generics[0].name.span, "an entry has no generics")
                    .help("write a generic helper and one entry for each type"),
            ));
        }
        let mut inputs = Vec::new();
        for (i, (p, ty)) in decl.params.iter().zip(&sig.params).enumerate() {
            let name = match &p.pat {
                Pat::Var { name, .. } => name.text.clone(),
                _ => format!("arg{i}"),
            };
            let ParamTy::Value(ty) = *ty else { return Err(bad_input(p.ty.span)) };
            inputs.push(self.entry_input(name, ty, &p.ty)?);
        }
        let outputs = self.entry_outputs(&sig, decl)?;
        Ok(Entry { id, inputs, outputs, threads: attr.threads.clone(), shared: attr.shared })
    }

    fn entry_input(&self, name: String, ty: TyId, written: &TypeExpr) -> Result<EntryInput> {
        match self.types.find(ty).1 {
            Ty::Scalar(s) => Ok(EntryInput::Scalar { name, ty: *s }),
            node @ (Ty::Pull(elem, size) | Ty::Mut(elem, size)) => {
                let access = if matches!(node, Ty::Mut(..)) { BufferAccess::Update } else { BufferAccess::Read };
                let (fields, tuple) = self.fields(*elem).ok_or_else(|| bad_input(written.span))?;
                let len = match &written.kind {
                    TypeKind::Path(_, args) => args.iter().find_map(|a| match a.kind {
                        TypeKind::Length(n) => Some(n),
                        _ => None,
                    }),
                    _ => None,
                };
                if len.is_none() && !errors::is_dynamic(&self.types, *size) {
                    return Err(Box::new(
                        Diagnostic::new("OB016", written.span, "the length of this input is not given").help(
                            "`DPull<T>` has the length that the host passes; `Pull<T, 512>` has exactly 512 elements",
                        ),
                    ));
                }
                Ok(EntryInput::Buffer { name, fields, tuple, len, access })
            }
            _ => Err(bad_input(written.span)),
        }
    }

    fn fields(&self, elem: TyId) -> Option<(Vec<ScalarType>, ElementShape)> {
        match self.types.find(elem).1 {
            Ty::Scalar(s) => Some((vec![*s], ElementShape::Scalar)),
            Ty::Tuple(ts) if !ts.is_empty() => {
                let fields = ts.iter().map(|&t| self.types.as_scalar(t)).collect::<Option<Vec<_>>>()?;
                Some((fields, ElementShape::Tuple))
            }
            _ => None,
        }
    }

    fn entry_outputs(&self, sig: &super::convert::Signature, decl: &FnDecl) -> Result<Vec<Vec<ScalarType>>> {
        let program = match sig.ambient {
            None => false,
            Some(level) if *self.types.find_lvl(level).1 == Lvl::Known(Level::Grid) => true,
            Some(_) => return Err(bad_output(decl)),
        };
        let outputs = match self.types.find(sig.ret).1 {
            Ty::Tuple(ts) if program || !ts.is_empty() => ts.clone(),
            _ => vec![sig.ret],
        };
        outputs
            .into_iter()
            .map(|ty| match self.types.find(ty).1 {
                Ty::Push(level, elem, _) if *self.types.find_lvl(*level).1 == Lvl::Known(Level::Grid) => {
                    self.fields(*elem).map(|(fields, _)| fields).ok_or_else(|| bad_output(decl))
                }
                _ => Err(bad_output(decl)),
            })
            .collect()
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
                self.bind(inner, want)
            }
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

fn bad_input(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("OB016", span, "an entry cannot take this")
            .note("the host passes buffers of scalars or of tuples of scalars, and scalars")
            .help("`DPull<T>`, `Pull<T, 512>`, a scalar such as `f32`; `DMut<T>`, `Mut<T, 512>` for what the kernel updates"),
    )
}

fn bad_output(decl: &FnDecl) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("OB016", decl.ret.span, "an entry cannot return this")
            .note("the host receives what a grid writes: `Push<Grid, T>`, `DPush<Grid, T>`, or a tuple of these")
            .note("an entry that only updates its `DMut` arguments returns `Program<Grid, ()>`")
            .help("make a grid: `xs.split_up(256).as_grid_map(|c| c.push())` is a `DPush<Grid, T>`"),
    )
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
        Pat::Typed(inner, _) => pattern_names(inner, out),
        Pat::Wild(_) => {}
    }
}
