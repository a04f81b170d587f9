//! Types, levels and sizes as nodes of union-find tables: unification binds variables and copies nothing.

use std::collections::HashMap;
use std::sync::Arc;

use super::typed::GenericArg;
use crate::syntax::ast::{Bound, StructDecl};
use obsidian_ir::Level;
use obsidian_ir::diag::Span;
use obsidian_ir::program::ScalarType;

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
    /// A structure of the author's.
    Struct(Arc<StructDecl>),
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
    /// Where the ambient level is this one.
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

pub(super) type Unified = Result<(), Mismatch>;

/// The tables.
#[derive(Debug, Default)]
pub struct Types {
    /// The author's structures, by name.
    pub structs: HashMap<String, Arc<StructDecl>>,
    pub(super) tys: Vec<Ty>,
    pub(super) lvls: Vec<Lvl>,
    pub(super) sizes: Vec<Size>,
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
}
