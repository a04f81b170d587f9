//! The types of a kernel's expressions, with every length a number: decides whether an edited kernel is still well
//! typed. Knows the rows of the library that the generator uses; `None` is "not well typed".

mod arrays;
mod chunked;
mod matrices;
pub(crate) mod programs;
mod scalars;

use std::cell::OnceCell;

use obsidian_ir::level::Level;
use obsidian_ir::program::ScalarType;

use crate::ast::{Bound, Declared, Expr, Helper, HelperKind, Input, Kernel, Known, Op, Source, Stages, Update};
use crate::env::Env;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ty {
    /// A scalar.
    Scalar(ScalarType),
    /// A tuple.
    Tuple(Vec<Ty>),
    /// A structure of scalars.
    Record(Vec<ScalarType>),
    /// A pull array.
    Pull(Box<Ty>, u32, Known),
    /// A push array.
    Push(Level, Box<Ty>, u32, Known),
}

/// The index type.
pub const U32: Ty = Ty::Scalar(ScalarType::U32);
/// Conditions.
pub const BOOL: Ty = Ty::Scalar(ScalarType::Bool);

impl Ty {
    /// A scalar, or a tuple of scalars: what can be stored.
    pub fn is_data(&self) -> bool {
        match self {
            Ty::Scalar(_) | Ty::Record(_) => true,
            Ty::Tuple(fields) => fields.iter().all(|f| matches!(f, Ty::Scalar(_))),
            _ => false,
        }
    }

    /// The type of elements with these fields.
    pub fn of_fields(fields: &[ScalarType]) -> Ty {
        match fields {
            [one] => Ty::Scalar(*one),
            many => Ty::Tuple(many.iter().map(|f| Ty::Scalar(*f)).collect()),
        }
    }

    /// A pull array of known length.
    pub fn pull(elem: Ty, n: u32) -> Ty {
        Ty::Pull(Box::new(elem), n, Known::Static)
    }

    /// The scalar type, where it is one.
    pub fn scalar(&self) -> Option<ScalarType> {
        if let Ty::Scalar(s) = self { Some(*s) } else { None }
    }
}

/// What a variable is bound to.
#[derive(Clone)]
enum Bind<'k> {
    Value(Ty),
    Function(&'k Expr, Env<Bind<'k>>),
}

/// Types of one kernel.
struct Types<'k> {
    helpers: &'k [Helper],
    inputs: &'k [Input],
}

/// The arguments of a call, each of whose types is found once.
struct Args<'t, 'k> {
    types: &'t Types<'k>,
    list: &'k [Expr],
    scope: &'t Scope<'k>,
    ambient: Ambient,
    found: Vec<OnceCell<Option<Ty>>>,
}

impl<'t, 'k> Args<'t, 'k> {
    fn new(types: &'t Types<'k>, list: &'k [Expr], scope: &'t Scope<'k>, ambient: Ambient) -> Args<'t, 'k> {
        Args { types, list, scope, ambient, found: vec![OnceCell::new(); list.len()] }
    }

    fn ty(&self, i: usize) -> Option<Ty> {
        let find = || self.types.ty(&self.list[i], self.scope, self.ambient);
        self.found.get(i)?.get_or_init(find).clone()
    }

    fn size(&self, i: usize) -> Option<u32> {
        if let Op::Size(n) = self.list.get(i)?.op { Some(n) } else { None }
    }

    /// The result of a function value.
    fn apply(&self, i: usize, ambient: Ambient, args: Vec<Ty>) -> Option<Ty> {
        self.types.apply(self.list.get(i)?, self.scope, ambient, args)
    }
}

type Scope<'k> = Env<Bind<'k>>;
type Ambient = Option<Level>;

/// The types of the outputs; `None` where the kernel is not well typed.
pub fn outputs(kernel: &Kernel) -> Option<Vec<Ty>> {
    let types = Types { helpers: &kernel.helpers, inputs: &kernel.inputs };
    let mut scope = Scope::default();
    for input in &kernel.inputs {
        let elem = Ty::of_fields(&input.fields);
        let ty = match input.source {
            Source::Scalar => elem,
            Source::Buffer(n, known) => Ty::Pull(Box::new(elem), n, known),
            Source::Matrix(rows, cols) => Ty::matrix(elem, rows, cols),
            // No value: it is changed by its own steps.
            Source::Updated(..) => continue,
        };
        scope = scope.with(input.var, Bind::Value(ty));
    }
    let threads = std::iter::once(&kernel.threads).chain(&kernel.more_threads);
    let one_kind = kernel.outputs.is_empty() != kernel.changes.is_empty();
    if threads.clone().any(|n| !(1..=1024).contains(n)) || !one_kind {
        return None;
    }
    for (var, change) in &kernel.changes {
        let input = types.updated(*var, Update::Each)?;
        let elem = Ty::of_fields(&input.fields);
        if !matches!(&change.op, Op::Lambda(params) if params.len() == 2) {
            return None;
        }
        if types.apply(change, &scope, Some(Level::Thread), vec![U32, elem.clone()])? != elem {
            return None;
        }
    }
    let own = kernel.launches().then_some(Level::Device);
    if own.is_some() && kernel.inputs.iter().any(|i| matches!(i.source, Source::Updated(..))) {
        return None;
    }
    let output = |e| match types.ty(e, &scope, own)? {
        ty @ Ty::Push(Level::Grid, ..) => Some(ty),
        _ => None,
    };
    kernel.outputs.iter().map(output).collect()
}

impl<'k> Types<'k> {
    fn ty(&self, e: &'k Expr, scope: &Scope<'k>, ambient: Ambient) -> Option<Ty> {
        match &e.op {
            Op::Const(c) => Some(Ty::Scalar(c.ty)),
            Op::Size(_) => Some(U32),
            Op::Var(v) => match scope.get(*v)? {
                Bind::Value(ty) => Some(ty.clone()),
                Bind::Function(..) => None,
            },
            Op::Let(v) => {
                let value = self.ty(&e.args[0], scope, ambient)?;
                self.ty(&e.args[1], &scope.with(*v, Bind::Value(value)), ambient)
            }
            Op::Lambda(_) | Op::Name(_) => None,
            Op::Helper(h) => self.call(*h, &e.args, scope, ambient),
            Op::Apply(v) => {
                let Bind::Function(f, outer) = scope.get(*v)?.clone() else { return None };
                let args: Vec<Ty> = self.all(&e.args, scope, ambient)?;
                self.apply(f, &outer, None, args)
            }
            Op::Un(_) | Op::Bin(_) | Op::Cast(_) | Op::ToBits | Op::FromBits(_) => {
                scalars::operation(&e.op, &self.all(&e.args, scope, ambient)?)
            }
            Op::If => {
                let args = self.all(&e.args, scope, ambient)?;
                let stored = matches!(args[1], Ty::Pull(_, 1.., Known::Static)) && computes(ambient);
                (args[0] == BOOL && args[1] == args[2] && (stored || args[1].is_data())).then(|| args[1].clone())
            }
            Op::Match => {
                let args = self.all(&e.args, scope, ambient)?;
                let number = args[0].scalar().is_some_and(|s| s.is_int());
                let alike = args[1] == args[2] && args[2] == args[3] && args[1].is_data();
                (number && alike).then(|| args[1].clone())
            }
            Op::Listed => {
                let args = self.all(&e.args, scope, ambient)?;
                let alike = args[1] == args[2] && args[2] == args[3] && args[1].is_data();
                (args[0] == U32 && alike).then(|| args[1].clone())
            }
            Op::InPlace(name, _) => {
                let Ty::Pull(elem, n, Known::Static) = self.ty(&e.args[0], scope, ambient)? else { return None };
                match programs::call(name, &Args::new(self, &e.args, scope, ambient))? {
                    Ty::Push(_, to, m, _) if (&to, m) == (&elem, n) => Some(Ty::Pull(elem, n, Known::Static)),
                    _ => None,
                }
            }
            Op::Tuple => Some(Ty::Tuple(self.all(&e.args, scope, ambient)?)),
            Op::Field(i) => match self.ty(&e.args[0], scope, ambient)? {
                Ty::Tuple(fields) => fields.get(*i as usize).cloned(),
                _ => None,
            },
            Op::Record(fields) => {
                let args = self.all(&e.args, scope, ambient)?;
                let fits = args.iter().map(Ty::scalar).eq(fields.iter().map(|f| Some(*f)));
                fits.then(|| Ty::Record(fields.clone()))
            }
            Op::Part(i) => match self.ty(&e.args[0], scope, ambient)? {
                Ty::Record(fields) => fields.get(*i as usize).map(|f| Ty::Scalar(*f)),
                _ => None,
            },
            Op::Asserted(k) => {
                let (tested, result) = (self.ty(&e.args[0], scope, ambient)?, self.ty(&e.args[1], scope, ambient)?);
                (*k > 0 && tested == U32 && computes(ambient)).then_some(result)
            }
            Op::Kept(_) => {
                let Ty::Pull(elem, n @ 1.., Known::Static) = self.ty(&e.args[0], scope, ambient)? else { return None };
                let fits = computes(ambient)
                    && elem.is_data()
                    && self.apply(&e.args[1], scope, None, vec![(*elem).clone()])? == BOOL
                    && self.ty(&e.args[2], scope, None)? == *elem;
                fits.then(|| Ty::pull(*elem, n))
            }
            Op::Index => match (self.ty(&e.args[0], scope, ambient)?, self.ty(&e.args[1], scope, ambient)?) {
                (Ty::Pull(elem, ..), U32) => Some(*elem),
                _ => None,
            },
            Op::Written(_) => {
                let Op::Size(n @ 1..) = e.args[0].op else { return None };
                let level = ambient.filter(|_| computes(ambient))?;
                match self.apply(&e.args[1], scope, Some(Level::Thread), vec![U32])? {
                    Ty::Tuple(both) if both.len() == 2 && both[0].is_data() && both[1] == U32 => {
                        Some(Ty::Push(level, Box::new(both[0].clone()), n, Known::Static))
                    }
                    _ => None,
                }
            }
            Op::Chunked(what, cut) => self.chunked((*what, *cut), &e.args, (scope, ambient)),
            Op::Matrix(what) => {
                let of_grid = matches!(ambient, None | Some(Level::Device));
                self.of_matrix(*what, &e.args, scope).filter(|_| of_grid)
            }
            Op::Launched(what, _) => self.launched(*what, &e.args, (scope, ambient)),
            Op::Interleaved(name) => self.interleaved(name, &e.args, scope, ambient),
            Op::Short(k) => {
                let Ty::Pull(_, n, Known::Static) = self.ty(&e.args[0], scope, ambient)? else { return None };
                self.ty(&e.args[if n <= *k { 1 } else { 2 }], scope, ambient)
            }
            Op::Again => self.again(e, scope, ambient),
            Op::Bump(var) => {
                let input = self.inputs.iter().find(|i| i.var == *var)?;
                let Source::Updated(1.., _, Update::By(_)) = input.source else { return None };
                let elem = Ty::of_fields(&input.fields);
                let wide = elem.scalar().is_some_and(|s| s.is_int() && s.bits() >= 32);
                if !wide || ambient != Some(Level::Block) || !matches!(e.args[0].op, Op::Size(1..)) {
                    return None;
                }
                let pair = self.apply(&e.args[1], scope, Some(Level::Thread), vec![U32])?;
                if pair == Ty::Tuple(vec![U32, elem]) { self.ty(&e.args[2], scope, ambient) } else { None }
            }
            Op::For(state, index, _) => self.looped(e, (*state, *index), scope, ambient),
            Op::ForLeft(..) if !computes(ambient) => None,
            Op::ForLeft(state, index, _) => self.looped(e, (*state, *index), scope, ambient),
            Op::Updates(..) => self.updates(e, scope, ambient),
            Op::Registers(_, each) => {
                let Ty::Pull(elem, n @ 1.., Known::Static) = self.ty(&e.args[0], scope, ambient)? else { return None };
                let fits = ambient == Some(Level::Block)
                    && elem.is_data()
                    && *each > 0
                    && n.is_multiple_of(*each)
                    && self.ty(&e.args[1], scope, ambient)? == U32
                    && self.apply(&e.args[2], scope, None, vec![(*elem).clone(), U32])? == *elem;
                fits.then(|| Ty::pull(*elem, n))
            }
            Op::InTurn(..) => {
                let Ty::Pull(elem, n @ 1.., Known::Static) = self.ty(&e.args[0], scope, ambient)? else { return None };
                let both = vec![(*elem).clone(), (*elem).clone()];
                let fits = ambient == Some(Level::Block)
                    && elem.is_data()
                    && self.ty(&e.args[1], scope, ambient)? == U32
                    && self.apply(&e.args[2], scope, None, both)? == *elem
                    && self.apply(&e.args[3], scope, None, vec![(*elem).clone(), U32])? == U32;
                fits.then(|| Ty::pull(*elem, n))
            }
            Op::Staged(_, Stages { depth, each }) => {
                let Ty::Pull(elem, n @ 1.., Known::Static) = self.ty(&e.args[0], scope, ambient)? else { return None };
                let both = vec![(*elem).clone(), (*elem).clone()];
                let fits = ambient == Some(Level::Block)
                    && elem.is_data()
                    && *depth > 0
                    && *each > 0
                    && n.is_multiple_of(*each)
                    && self.ty(&e.args[1], scope, ambient)? == U32
                    && self.apply(&e.args[2], scope, None, both)? == *elem;
                fits.then(|| Ty::pull(*elem, n))
            }
            Op::Call(name) | Op::Method(name) => {
                let args = Args::new(self, &e.args, scope, ambient);
                arrays::call(name, &args).or_else(|| programs::call(name, &args)).or_else(|| {
                    scalars::call(name, &(0..e.args.len()).map(|i| args.ty(i)).collect::<Option<Vec<Ty>>>()?)
                })
            }
        }
    }

    fn all(&self, args: &'k [Expr], scope: &Scope<'k>, ambient: Ambient) -> Option<Vec<Ty>> {
        args.iter().map(|a| self.ty(a, scope, ambient)).collect()
    }

    /// The result of a function value.
    fn apply(&self, f: &'k Expr, scope: &Scope<'k>, ambient: Ambient, args: Vec<Ty>) -> Option<Ty> {
        match &f.op {
            Op::Lambda(params) if params.len() == args.len() => {
                let bound = params.iter().zip(args).fold(scope.clone(), |s, (v, ty)| s.with(*v, Bind::Value(ty)));
                self.ty(&f.args[0], &bound, ambient)
            }
            Op::Name(h) => self.called(*h, args.into_iter().map(Bind::Value).collect(), ambient),
            Op::Var(v) => match scope.get(*v)?.clone() {
                Bind::Function(f, outer) => self.apply(f, &outer, ambient, args),
                Bind::Value(_) => None,
            },
            _ => None,
        }
    }

    /// A call of a helper with written arguments.
    fn call(&self, h: usize, args: &'k [Expr], scope: &Scope<'k>, ambient: Ambient) -> Option<Ty> {
        let helper = self.helpers.get(h)?;
        let bind = |(arg, (_, declared)): (&'k Expr, &(u32, Declared))| match declared {
            Declared::Function => Some(Bind::Function(arg, scope.clone())),
            _ => self.ty(arg, scope, ambient).map(Bind::Value),
        };
        if args.len() != helper.params.len() {
            return None;
        }
        let args: Option<Vec<Bind<'k>>> = args.iter().zip(&helper.params).map(bind).collect();
        self.called(h, args?, ambient)
    }

    fn called(&self, h: usize, args: Vec<Bind<'k>>, ambient: Ambient) -> Option<Ty> {
        let helper: &'k Helper = self.helpers.get(h)?;
        let mut element: Option<Ty> = None;
        let mut scope = Scope::default();
        if args.len() != helper.params.len() || (helper.kind == HelperKind::Program && !computes(ambient)) {
            return None;
        }
        for (arg, (var, declared)) in args.into_iter().zip(&helper.params) {
            let found = match (&arg, declared) {
                (Bind::Value(ty), Declared::Element) => Some(ty),
                (Bind::Value(Ty::Pull(elem, _, Known::Static)), Declared::Array) => Some(&**elem),
                (Bind::Function(..), Declared::Function) => None,
                _ => return None,
            };
            if let Some(found) = found {
                if element.as_ref().is_some_and(|e| e != found) || !satisfies(found, helper.bound) {
                    return None;
                }
                element = Some(found.clone());
            }
            scope = scope.with(*var, arg);
        }
        let element = element?;
        let inside = if helper.kind == HelperKind::Program { ambient } else { None };
        let result = self.ty(&helper.body, &scope, inside)?;
        let fits = match (&result, helper.result) {
            (ty, Declared::Element) => *ty == element,
            (Ty::Pull(elem, _, Known::Static), Declared::Array) => **elem == element,
            (Ty::Push(level, elem, ..), Declared::Pushed) => Some(*level) == ambient && **elem == element,
            _ => false,
        };
        fits.then_some(result)
    }

    /// An argument that is updated in this way.
    fn updated(&self, var: u32, update: Update) -> Option<&'k Input> {
        self.inputs.iter().find(|i| i.var == var && matches!(i.source, Source::Updated(1.., _, u) if u == update))
    }

    fn interleaved(&self, name: &str, args: &'k [Expr], scope: &Scope<'k>, ambient: Ambient) -> Option<Ty> {
        let Ty::Pull(part, n @ 1.., Known::Static) = self.ty(&args[0], scope, ambient)? else { return None };
        let Ty::Push(inner, elem, m, Known::Static) = self.apply(&args[1], scope, None, vec![*part])? else {
            return None;
        };
        let level = if name == "interleave_seq" { inner } else { inner.step()? };
        let place = self.apply(&args[2], scope, None, vec![U32, U32])?;
        let fits = place == U32 && m > 0 && level != Level::Grid;
        fits.then(|| Ty::Push(level, elem, n * m, Known::Static))
    }

    /// The first parameter of a helper becomes shorter with each call, so there is an end.
    fn again(&self, e: &'k Expr, scope: &Scope<'k>, ambient: Ambient) -> Option<Ty> {
        let (h, helper) = self.helpers.iter().enumerate().find(|(_, h)| scope.get(h.params[0].0).is_some())?;
        let Bind::Value(Ty::Pull(_, now, Known::Static)) = scope.get(helper.params[0].0)? else { return None };
        let shorter = self.ty(&e.args[0], scope, ambient)?;
        if !matches!(&shorter, Ty::Pull(_, n, Known::Static) if n < now && *n > 0) {
            return None;
        }
        let others = helper.params[1..].iter().map(|p| scope.get(p.0).cloned());
        let args: Option<Vec<Bind<'k>>> = std::iter::once(Some(Bind::Value(shorter))).chain(others).collect();
        self.called(h, args?, ambient)
    }

    fn looped(&self, e: &'k Expr, (state, index): (u32, u32), scope: &Scope<'k>, ambient: Ambient) -> Option<Ty> {
        let unrolled = matches!(e.args[0].op, Op::Size(_));
        if self.ty(&e.args[0], scope, ambient)? != U32 || !(unrolled || computes(ambient)) {
            return None;
        }
        let init = self.ty(&e.args[1], scope, ambient)?;
        let carried = init.is_data() || matches!(&init, Ty::Pull(elem, 1.., Known::Static) if elem.is_data());
        if !unrolled && !carried {
            return None;
        }
        let inside = scope.with(state, Bind::Value(init.clone())).with(index, Bind::Value(U32));
        if self.ty(&e.args[2], &inside, ambient)? != init {
            return None;
        }
        for condition in &e.args[4..] {
            self.ty(condition, &inside, ambient).filter(|ty| *ty == BOOL)?;
        }
        self.ty(&e.args[3], &scope.with(state, Bind::Value(init)), ambient)
    }

    fn updates(&self, e: &'k Expr, scope: &Scope<'k>, ambient: Ambient) -> Option<Ty> {
        let array = self.ty(&e.args[0], scope, ambient)?;
        let Ty::Pull(elem, _, Known::Static) = &array else { return None };
        let Op::Updates(_, ty, _) = e.op else { return None };
        let wide = elem.scalar() == Some(ty) && ty.is_int() && ty.bits() >= 32;
        if !wide || !computes(ambient) || !matches!(e.args[1].op, Op::Size(1..)) {
            return None;
        }
        let pair = self.apply(&e.args[2], scope, Some(Level::Thread), vec![U32])?;
        (pair == Ty::Tuple(vec![U32, (**elem).clone()])).then_some(array)
    }
}

fn satisfies(ty: &Ty, bound: Bound) -> bool {
    match (bound, ty) {
        (Bound::Data, ty) => ty.is_data(),
        (Bound::Num, Ty::Scalar(s)) => *s != ScalarType::Bool,
        (Bound::Int, Ty::Scalar(s)) => s.is_int(),
        _ => false,
    }
}

/// Whether code at this level can compute.
fn computes(ambient: Ambient) -> bool {
    matches!(ambient, Some(Level::Thread | Level::Warp | Level::Block))
}
