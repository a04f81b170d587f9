//! Types, levels and sizes as nodes of union-find tables: unification binds variables, nothing is copied.

use super::typed::GenericArg;
use crate::Level;
use crate::diag::Span;
use crate::program::ScalarType;
use crate::syntax::ast::Bound;

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TyId(pub u32);
/// A level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LvlId(pub u32);
/// A kind of length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SizeId(pub u32);
/// The ambient level that a function parameter's calls have; settled when the function that has it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AmbVar(pub u32);

/// A node of the type table.
#[derive(Debug, Clone, PartialEq)]
pub enum Ty {
    /// Bound to another node.
    Link(TyId),
    /// Not known yet; what it must offer, and whether a float literal or an integer literal made it.
    Var(Bound, Literal),
    /// A scalar.
    Scalar(ScalarType),
    /// A tuple; `()` is empty.
    Tuple(Vec<TyId>),
    /// A pull array.
    Pull(TyId, SizeId),
    /// A push array.
    Push(LvlId, TyId, SizeId),
    /// A mutable array.
    Mut(TyId, SizeId),
    /// A function value.
    Fn(Vec<TyId>, TyId, Ambient),
    /// The unsigned integer type of a scalar type's width: `Bits<f32>` is `u32`.
    Bits(TyId),
    /// A generic parameter: index and name in its function, and its bound.
    Rigid(u32, String, Bound),
    /// Already reported; agrees with everything.
    Error,
}

/// Which literal a type variable came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Literal {
    /// None.
    No,
    /// `1`.
    Int,
    /// `1.0`.
    Float,
}

/// Where a function value may be called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ambient {
    /// Anywhere: it is pure.
    Pure,
    /// Where the ambient level is this.
    At(LvlId),
    /// A parameter of a function being checked: not settled.
    Open(AmbVar),
}

/// A node of the level table.
#[derive(Debug, Clone, PartialEq)]
pub enum Lvl {
    /// Bound to another node.
    Link(LvlId),
    /// Not known yet: at most this level; the call that asked.
    Var(Level, Option<(String, Span)>),
    /// A level.
    Known(Level),
    /// A generic parameter: index and name in its function, and its bound.
    Rigid(u32, String, Level),
    /// One above.
    Step(LvlId),
}

/// A node of the size table.
#[derive(Debug, Clone, PartialEq)]
pub enum Size {
    /// Bound to another node.
    Link(SizeId),
    /// Not known yet.
    Var,
    /// Known at compile time.
    Static,
    /// Known at launch.
    Dynamic,
    /// A generic parameter.
    Rigid(String),
}

/// Why two types do not agree.
#[derive(Debug, Clone)]
pub enum Mismatch {
    /// They differ.
    Types,
    /// A type lacks what a bound asks: the type, the bound.
    Bound(TyId, Bound),
    /// Levels differ, or one breaks the bound of the call that asked.
    Level(LevelClash),
    /// One length is static, the other dynamic.
    Size,
    /// A type that holds itself.
    Infinite,
}

/// A level that does not fit.
#[derive(Debug, Clone)]
pub struct LevelClash {
    /// One of them.
    pub a: LvlId,
    /// The other, or the same where a bound is broken.
    pub b: LvlId,
    /// The bound that is broken, and the call that asked for it.
    pub bound: Option<(Level, Option<(String, Span)>)>,
}

type Unified = Result<(), Mismatch>;

/// The tables.
#[derive(Debug, Default)]
pub struct Types {
    tys: Vec<Ty>,
    lvls: Vec<Lvl>,
    sizes: Vec<Size>,
    ambs: Vec<Option<Ambient>>,
}

impl Types {
    /// Adds a type.
    pub fn ty(&mut self, ty: Ty) -> TyId {
        self.tys.push(ty);
        TyId(self.tys.len() as u32 - 1)
    }

    /// Adds a level.
    pub fn lvl(&mut self, lvl: Lvl) -> LvlId {
        self.lvls.push(lvl);
        LvlId(self.lvls.len() as u32 - 1)
    }

    /// Adds a size.
    pub fn size(&mut self, size: Size) -> SizeId {
        self.sizes.push(size);
        SizeId(self.sizes.len() as u32 - 1)
    }

    /// A fresh type variable.
    pub fn fresh(&mut self) -> TyId {
        self.ty(Ty::Var(Bound::Any, Literal::No))
    }

    /// A fresh unsettled ambient.
    pub fn open_ambient(&mut self) -> AmbVar {
        self.ambs.push(None);
        AmbVar(self.ambs.len() as u32 - 1)
    }

    /// `bool`, `u32` ..
    pub fn scalar(&mut self, s: ScalarType) -> TyId {
        self.ty(Ty::Scalar(s))
    }

    /// `()`.
    pub fn unit(&mut self) -> TyId {
        self.ty(Ty::Tuple(Vec::new()))
    }

    /// The node a type stands for.
    pub fn find(&self, id: TyId) -> (TyId, &Ty) {
        let mut id = id;
        loop {
            match &self.tys[id.0 as usize] {
                Ty::Link(next) => id = *next,
                ty => return (id, ty),
            }
        }
    }

    /// The node a level stands for.
    pub fn find_lvl(&self, id: LvlId) -> (LvlId, &Lvl) {
        let mut id = id;
        loop {
            match &self.lvls[id.0 as usize] {
                Lvl::Link(next) => id = *next,
                lvl => return (id, lvl),
            }
        }
    }

    /// The node a size stands for.
    pub fn find_size(&self, id: SizeId) -> (SizeId, &Size) {
        let mut id = id;
        loop {
            match &self.sizes[id.0 as usize] {
                Size::Link(next) => id = *next,
                size => return (id, size),
            }
        }
    }

    /// Replaces `Bits<T>` by the integer type, once `T` is known.
    pub fn settle_bits(&mut self, id: TyId) {
        let (id, ty) = self.find(id);
        if let (Ty::Bits(_), Some(s)) = (ty, self.as_scalar(id)) {
            self.tys[id.0 as usize] = Ty::Scalar(s);
        }
    }

    /// The scalar a type stands for, if it does.
    pub fn as_scalar(&self, id: TyId) -> Option<ScalarType> {
        match self.find(id).1 {
            Ty::Scalar(s) => Some(*s),
            Ty::Bits(t) => self.as_scalar(*t).map(ScalarType::unsigned),
            _ => None,
        }
    }

    /// The level a node stands for, given the levels of the frame's generics.
    pub fn level(&self, id: LvlId, generics: &[GenericArg]) -> Option<Level> {
        match self.find_lvl(id).1 {
            Lvl::Known(l) => Some(*l),
            Lvl::Rigid(i, ..) => match generics.get(*i as usize) {
                Some(GenericArg::Level(l)) => Some(*l),
                _ => None,
            },
            Lvl::Step(l) => self.level(*l, generics)?.step(),
            _ => None,
        }
    }

    /// The scalar a type stands for, given the types of the frame's generics.
    pub fn scalar_in(&self, id: TyId, generics: &[GenericArg]) -> Option<ScalarType> {
        match self.find(id).1 {
            Ty::Scalar(s) => Some(*s),
            Ty::Rigid(i, ..) => match generics.get(*i as usize) {
                Some(GenericArg::Scalar(s)) => Some(*s),
                _ => None,
            },
            Ty::Bits(t) => self.scalar_in(*t, generics).map(ScalarType::unsigned),
            _ => None,
        }
    }

    /// A settled ambient; `Open` where it is not.
    pub fn ambient(&self, a: Ambient) -> Ambient {
        match a {
            Ambient::Open(v) => self.ambs[v.0 as usize].unwrap_or(a),
            settled => settled,
        }
    }

    /// Notes that a function parameter is called in `context`; calls in different contexts make it pure.
    pub fn join_ambient(&mut self, v: AmbVar, context: Ambient) {
        let joined = match (self.ambs[v.0 as usize], context) {
            (None, c) => c,
            (Some(Ambient::At(a)), Ambient::At(b)) if self.find_lvl(a).0 == self.find_lvl(b).0 => Ambient::At(a),
            (Some(Ambient::At(a)), Ambient::At(b)) if self.find_lvl(a).1 == self.find_lvl(b).1 => Ambient::At(a),
            _ => Ambient::Pure,
        };
        self.ambs[v.0 as usize] = Some(joined);
    }

    /// Makes two sizes the same.
    pub fn unify_size(&mut self, a: SizeId, b: SizeId) -> Unified {
        let ((a, sa), (b, sb)) = (self.find_size(a), self.find_size(b));
        match (sa, sb) {
            _ if a == b => Ok(()),
            (Size::Var, _) => {
                self.sizes[a.0 as usize] = Size::Link(b);
                Ok(())
            }
            (_, Size::Var) => {
                self.sizes[b.0 as usize] = Size::Link(a);
                Ok(())
            }
            (x, y) if x == y => Ok(()),
            _ => Err(Mismatch::Size),
        }
    }

    /// Makes two levels the same.
    pub fn unify_lvl(&mut self, a: LvlId, b: LvlId) -> Unified {
        let ((a, la), (b, lb)) = (self.find_lvl(a), self.find_lvl(b));
        if a == b {
            return Ok(());
        }
        match (la.clone(), lb.clone()) {
            (Lvl::Var(max_a, who_a), Lvl::Var(max_b, who_b)) => {
                let (max, who) = if max_a <= max_b { (max_a, who_a) } else { (max_b, who_b) };
                self.lvls[b.0 as usize] = Lvl::Var(max, who);
                self.lvls[a.0 as usize] = Lvl::Link(b);
                Ok(())
            }
            (Lvl::Var(max, who), _) => self.bind_lvl(a, b, max, who),
            (_, Lvl::Var(max, who)) => self.bind_lvl(b, a, max, who),
            (Lvl::Step(x), Lvl::Step(y)) => self.unify_lvl(x, y),
            (Lvl::Step(x), Lvl::Known(k)) | (Lvl::Known(k), Lvl::Step(x)) => {
                let below = Level::ALL.into_iter().find(|l| l.step() == Some(k));
                match below {
                    Some(l) => {
                        let l = self.lvl(Lvl::Known(l));
                        self.unify_lvl(x, l)
                    }
                    None => Err(Mismatch::Level(LevelClash { a, b, bound: None })),
                }
            }
            (x, y) if x == y => Ok(()),
            _ => Err(Mismatch::Level(LevelClash { a, b, bound: None })),
        }
    }

    fn bind_lvl(&mut self, var: LvlId, to: LvlId, max: Level, who: Option<(String, Span)>) -> Unified {
        if !self.lvl_at_most(to, max) {
            return Err(Mismatch::Level(LevelClash { a: to, b: to, bound: Some((max, who)) }));
        }
        self.lvls[var.0 as usize] = Lvl::Link(to);
        Ok(())
    }

    fn lvl_at_most(&mut self, l: LvlId, max: Level) -> bool {
        let (id, node) = self.find_lvl(l);
        match node.clone() {
            Lvl::Known(k) => k <= max,
            Lvl::Rigid(_, _, bound) => bound <= max,
            Lvl::Step(inner) => match Level::ALL.into_iter().find(|l| l.step() == Some(max)) {
                Some(below) => self.lvl_at_most(inner, below),
                None => false,
            },
            Lvl::Var(old, who) => {
                self.lvls[id.0 as usize] = Lvl::Var(old.min(max), who);
                true
            }
            Lvl::Link(_) => false,
        }
    }

    /// Makes two types the same. `Ambient`s of functions are not compared here.
    pub fn unify(&mut self, a: TyId, b: TyId) -> Unified {
        self.settle_bits(a);
        self.settle_bits(b);
        let ((a, ta), (b, tb)) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        match (ta.clone(), tb.clone()) {
            (Ty::Error, _) | (_, Ty::Error) => Ok(()),
            (Ty::Var(ba, la), Ty::Var(bb, lb)) => {
                let lit = if la == Literal::Float || lb == Literal::No { la } else { lb };
                self.tys[b.0 as usize] = Ty::Var(ba.max(bb), lit);
                self.tys[a.0 as usize] = Ty::Link(b);
                if lit == Literal::Float && la.max_int(lb) { Err(Mismatch::Types) } else { Ok(()) }
            }
            (Ty::Var(bound, lit), _) => self.bind(a, b, bound, lit),
            (_, Ty::Var(bound, lit)) => self.bind(b, a, bound, lit),
            (Ty::Scalar(x), Ty::Scalar(y)) if x == y => Ok(()),
            (Ty::Bits(x), Ty::Bits(y)) => self.unify(x, y),
            (Ty::Rigid(_, x, _), Ty::Rigid(_, y, _)) if x == y => Ok(()),
            (Ty::Tuple(x), Ty::Tuple(y)) if x.len() == y.len() => {
                x.into_iter().zip(y).try_for_each(|(x, y)| self.unify(x, y))
            }
            (Ty::Pull(x, n), Ty::Pull(y, m)) | (Ty::Mut(x, n), Ty::Mut(y, m)) => {
                self.unify(x, y).and_then(|()| self.unify_size(n, m))
            }
            (Ty::Push(l, x, n), Ty::Push(k, y, m)) => {
                self.unify_lvl(l, k)?;
                self.unify(x, y)?;
                self.unify_size(n, m)
            }
            (Ty::Fn(xs, x, _), Ty::Fn(ys, y, _)) if xs.len() == ys.len() => {
                xs.into_iter().zip(ys).try_for_each(|(x, y)| self.unify(x, y))?;
                self.unify(x, y)
            }
            _ => Err(Mismatch::Types),
        }
    }

    fn bind(&mut self, var: TyId, to: TyId, bound: Bound, lit: Literal) -> Unified {
        if self.occurs(var, to) {
            return Err(Mismatch::Infinite);
        }
        match (lit, self.find(to).1) {
            (Literal::Int, Ty::Scalar(s)) if s.is_int() => {}
            (Literal::Int, Ty::Bits(_)) => {}
            (Literal::Float, Ty::Scalar(s)) if s.is_float() => {}
            // In generic code a literal is of whatever scalar type the generic stands for.
            (Literal::Int, Ty::Rigid(_, _, Bound::Num | Bound::Int | Bound::Float)) => {}
            (Literal::Float, Ty::Rigid(_, _, Bound::Float)) => {}
            (Literal::No, _) | (_, Ty::Error) => {}
            _ => return Err(Mismatch::Types),
        }
        self.require(to, bound)?;
        self.tys[var.0 as usize] = Ty::Link(to);
        Ok(())
    }

    fn occurs(&self, var: TyId, inside: TyId) -> bool {
        let (id, ty) = self.find(inside);
        id == var
            || match ty {
                Ty::Tuple(ts) => ts.iter().any(|&t| self.occurs(var, t)),
                Ty::Pull(t, _) | Ty::Push(_, t, _) | Ty::Mut(t, _) => self.occurs(var, *t),
                Ty::Fn(args, ret, _) => args.iter().chain([ret]).any(|&t| self.occurs(var, t)),
                _ => false,
            }
    }

    /// Demands that a type offers `bound`.
    pub fn require(&mut self, id: TyId, bound: Bound) -> Unified {
        let (id, ty) = self.find(id);
        let lacks = Err(Mismatch::Bound(id, bound));
        match ty.clone() {
            _ if bound == Bound::Any => Ok(()),
            Ty::Var(old, lit) => {
                self.tys[id.0 as usize] = Ty::Var(old.max(bound), lit);
                if old.max(bound) == Bound::Float && (old == Bound::Int || lit == Literal::Int) {
                    lacks
                } else {
                    Ok(())
                }
            }
            Ty::Error => Ok(()),
            Ty::Bits(_) if bound != Bound::Float => Ok(()),
            Ty::Rigid(_, _, has) => match (has, bound) {
                (Bound::Float, Bound::Int) => lacks,
                (has, bound) if has >= bound => Ok(()),
                _ => lacks,
            },
            Ty::Scalar(s) => match bound {
                Bound::Int if !s.is_int() => lacks,
                Bound::Float if !s.is_float() => lacks,
                Bound::Num if s == ScalarType::Bool => lacks,
                _ => Ok(()),
            },
            Ty::Tuple(ts) if bound == Bound::Data && !ts.is_empty() => {
                ts.into_iter().try_for_each(|t| self.require(t, Bound::Data))
            }
            _ => lacks,
        }
    }

    /// Settles what inference left open: integer literals are `i32`, float literals `f64`, sizes static.
    pub fn default_literals(&mut self, from: usize) {
        for i in from..self.tys.len() {
            match self.tys[i] {
                Ty::Var(Bound::Float, Literal::No) | Ty::Var(_, Literal::Float) => {
                    self.tys[i] = Ty::Scalar(ScalarType::F64)
                }
                Ty::Var(Bound::Num | Bound::Int, _) | Ty::Var(_, Literal::Int) => {
                    self.tys[i] = Ty::Scalar(ScalarType::I32)
                }
                _ => {}
            }
        }
    }

    /// How many types there are; see [`Types::default_literals`].
    pub fn mark(&self) -> usize {
        self.tys.len()
    }

    /// The first level variable made since `mark_lvl` that is still open, with the call that made it.
    pub fn open_level(&self, from: usize) -> Option<(String, Span)> {
        self.lvls[from..].iter().find_map(|l| match l {
            Lvl::Var(_, Some(who)) if !who.0.is_empty() => Some(who.clone()),
            _ => None,
        })
    }

    /// How many levels there are.
    pub fn mark_lvl(&self) -> usize {
        self.lvls.len()
    }

    /// A type as the user would write it.
    pub fn show(&self, id: TyId) -> String {
        match self.find(id).1 {
            Ty::Var(Bound::Float, _) | Ty::Var(_, Literal::Float) => "{float}".into(),
            Ty::Var(_, Literal::Int) => "{integer}".into(),
            Ty::Var(..) | Ty::Link(_) | Ty::Error => "_".into(),
            Ty::Scalar(s) => s.name().into(),
            Ty::Bits(t) => format!("Bits<{}>", self.show(*t)),
            Ty::Rigid(_, name, _) => name.clone(),
            Ty::Tuple(ts) => {
                let parts: Vec<_> = ts.iter().map(|&t| self.show(t)).collect();
                if parts.len() == 1 { format!("({},)", parts[0]) } else { format!("({})", parts.join(", ")) }
            }
            Ty::Pull(t, s) => self.show_array("Pull", &self.show(*t), *s),
            Ty::Mut(t, s) => self.show_array("Mut", &self.show(*t), *s),
            Ty::Push(l, t, s) => self.show_array("Push", &format!("{}, {}", self.show_lvl(*l), self.show(*t)), *s),
            Ty::Fn(args, ret, _) => {
                let args: Vec<_> = args.iter().map(|&t| self.show(t)).collect();
                format!("impl Fn({}) -> {}", args.join(", "), self.show(*ret))
            }
        }
    }

    fn show_array(&self, head: &str, args: &str, size: SizeId) -> String {
        match self.find_size(size).1 {
            Size::Dynamic => format!("D{head}<{args}>"),
            Size::Rigid(name) => format!("{head}<{args}, {name}>"),
            _ => format!("{head}<{args}>"),
        }
    }

    /// A level as the user would write it.
    pub fn show_lvl(&self, id: LvlId) -> String {
        match self.find_lvl(id).1 {
            Lvl::Known(l) => l.name().into(),
            Lvl::Rigid(_, name, _) => name.clone(),
            Lvl::Step(l) => format!("Step<{}>", self.show_lvl(*l)),
            _ => "_".into(),
        }
    }
}

impl Literal {
    /// Whether one of the two is an integer literal.
    fn max_int(self, other: Literal) -> bool {
        self == Literal::Int || other == Literal::Int
    }
}
