//! Types as written → types.

use std::collections::HashMap;

use super::arena::{Ambient, Lvl, LvlId, Size, SizeId, Ty, TyId, Types};
use crate::syntax::ast::{FnDecl, Generic, GenericKind, TypeExpr, TypeKind};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::ScalarType;

/// What a generic parameter stands for.
#[derive(Debug, Clone, Copy)]
pub enum Gen {
    /// A level.
    Level(LvlId),
    /// A type.
    Type(TyId),
    /// A size.
    Size(SizeId),
    /// A value of that type: its place among the generics.
    Const(u32, ScalarType),
}

/// Generic parameters by name.
pub type Generics = HashMap<String, Gen>;

/// A parameter's type.
#[derive(Debug, Clone, Copy)]
pub enum ParamTy {
    /// A value.
    Value(TyId),
    /// By name: evaluated by the callee, at that level.
    ByName(LvlId, TyId),
}

/// A function's type for one call, or for the check of its body.
#[derive(Debug)]
pub struct Signature {
    /// In the order of the declaration.
    pub generics: Vec<Gen>,
    /// By name.
    pub names: Generics,
    /// Parameters.
    pub params: Vec<ParamTy>,
    /// The ambient level it needs; `None`: it is pure.
    pub ambient: Option<LvlId>,
    /// The result.
    pub ret: TyId,
}

/// How generics are made: rigid to check a body, fresh for a call.
pub enum Mode<'a> {
    /// They stand for themselves.
    Rigid,
    /// Variables, asked for by the call of this name at this place.
    Fresh(&'a str, Span),
}

impl Types {
    /// The signature of a function.
    ///
    /// # Errors
    /// A type that does not exist or has the wrong arguments.
    pub fn signature(&mut self, decl: &FnDecl, mode: &Mode<'_>) -> Result<Signature> {
        let mut names = Generics::new();
        let mut generics = Vec::new();
        for (i, g) in decl.generics.iter().enumerate() {
            let made = self.generic(i as u32, g, mode);
            generics.push(made);
            names.insert(g.name.text.clone(), made);
        }
        let mut params = Vec::new();
        for p in &decl.params {
            params.push(match program_type(&p.ty) {
                Some((level, inner)) => ParamTy::ByName(self.level_of(level, &names)?, self.convert(inner, &names)?),
                None => {
                    let ty = self.convert(&p.ty, &names)?;
                    ParamTy::Value(self.open_function(ty, mode))
                }
            });
        }
        let (ambient, ret) = match program_type(&decl.ret) {
            Some((level, inner)) => (Some(self.level_of(level, &names)?), self.convert(inner, &names)?),
            None => (None, self.convert(&decl.ret, &names)?),
        };
        Ok(Signature { generics, names, params, ambient, ret })
    }

    fn generic(&mut self, index: u32, g: &Generic, mode: &Mode<'_>) -> Gen {
        let name = g.name.text.clone();
        match (g.kind, mode) {
            (GenericKind::Level(max), Mode::Rigid) => Gen::Level(self.lvl(Lvl::Rigid(index, name, max))),
            (GenericKind::Level(max), Mode::Fresh(who, span)) => {
                Gen::Level(self.lvl(Lvl::Var(max, Some(((*who).to_string(), *span)))))
            }
            (GenericKind::Type(bound), Mode::Rigid) => Gen::Type(self.ty(Ty::Rigid(index, name, bound))),
            (GenericKind::Type(bound), Mode::Fresh(..)) => {
                Gen::Type(self.ty(Ty::Var(bound, super::arena::Literal::No)))
            }
            (GenericKind::Size, Mode::Rigid) => Gen::Size(self.size(Size::Rigid(name))),
            (GenericKind::Size, Mode::Fresh(..)) => Gen::Size(self.size(Size::Var)),
            (GenericKind::Const(ty), _) => Gen::Const(index, ty),
        }
    }

    /// While a body is checked, the ambient levels of its function parameters are open; the calls in the body settle
    /// them.
    fn open_function(&mut self, ty: TyId, mode: &Mode<'_>) -> TyId {
        match (mode, self.find(ty).1.clone()) {
            (Mode::Rigid, Ty::Fn(args, ret, Ambient::Pure)) => {
                let open = Ambient::Open(self.open_ambient());
                self.ty(Ty::Fn(args, ret, open))
            }
            _ => ty,
        }
    }

    /// A type as written.
    ///
    /// # Errors
    /// An unknown name, or the wrong arguments.
    pub fn convert(&mut self, t: &TypeExpr, names: &Generics) -> Result<TyId> {
        match &t.kind {
            TypeKind::Infer => Ok(self.fresh()),
            TypeKind::Tuple(ts) => {
                let ts = ts.iter().map(|t| self.convert(t, names)).collect::<Result<Vec<_>>>()?;
                if ts.len() > 8 {
                    return Err(Box::new(
                        Diagnostic::new("OB005", t.span, "a tuple has at most 8 fields")
                            .help("nest tuples: `((A, B), (C, D))`"),
                    ));
                }
                Ok(self.ty(Ty::Tuple(ts)))
            }
            TypeKind::Fn(args, ret) => {
                let args = args.iter().map(|t| self.convert(t, names)).collect::<Result<Vec<_>>>()?;
                let (ambient, ret) = match program_type(ret) {
                    Some((level, inner)) => (Ambient::At(self.level_of(level, names)?), self.convert(inner, names)?),
                    None => (Ambient::Pure, self.convert(ret, names)?),
                };
                Ok(self.ty(Ty::Fn(args, ret, ambient)))
            }
            TypeKind::Value(_) => Err(unknown(t, "a length stands only in `Pull<T, 512>`")),
            TypeKind::Path(name, args) => self.named(t, name, args, names),
        }
    }

    fn named(&mut self, t: &TypeExpr, name: &str, args: &[TypeExpr], names: &Generics) -> Result<TyId> {
        if let (Some(Gen::Type(ty)), []) = (names.get(name), args) {
            return Ok(*ty);
        }
        if let (Some(s), []) = (ScalarType::from_name(name), args) {
            return Ok(self.scalar(s));
        }
        match (name, args) {
            ("Pull" | "DPull", [elem, rest @ ..]) if rest.len() <= 1 => {
                let elem = self.convert(elem, names)?;
                let size = self.size_of(name == "DPull", rest.first(), names)?;
                Ok(self.ty(Ty::Pull(elem, size)))
            }
            ("BPull", [elem, _most]) => {
                let elem = self.convert(elem, names)?;
                Ok(self.rows(elem))
            }
            ("Push" | "DPush", [level, elem, rest @ ..]) if rest.len() <= 1 => {
                let level = self.level_of(level, names)?;
                let elem = self.convert(elem, names)?;
                let size = self.size_of(name == "DPush", rest.first(), names)?;
                Ok(self.ty(Ty::Push(level, elem, size)))
            }
            ("DMat", [elem]) => {
                let elem = self.convert(elem, names)?;
                let row = self.rows(elem);
                Ok(self.rows(row))
            }
            ("PushMat", [level, elem]) => {
                let level = self.level_of(level, names)?;
                let elem = self.convert(elem, names)?;
                let (row, size) = (self.rows(elem), self.size(Size::Dynamic));
                Ok(self.ty(Ty::Push(level, row, size)))
            }
            ("DMat", _) => Err(unknown(t, "write `DMat<T>`, with the element type; rows and columns are the host's")),
            ("PushMat", _) => Err(unknown(t, "write `PushMat<Grid, T>`, with the level and the element type")),
            ("Mut" | "DMut", [elem, rest @ ..]) if rest.len() <= 1 => {
                let elem = self.convert(elem, names)?;
                let size = self.size_of(name == "DMut", rest.first(), names)?;
                Ok(self.ty(Ty::Mut(elem, size)))
            }
            ("Mut" | "DMut", _) => Err(unknown(t, "write `Mut<T>`, with the element type")),
            ("Bits", [t]) => {
                let of = self.convert(t, names)?;
                Ok(self.ty(Ty::Bits(of)))
            }
            ("BPull", _) => {
                Err(unknown(t, "write `BPull<T, 256>`, with the element type and the most elements that there can be"))
            }
            ("Pull" | "DPull", _) => Err(unknown(t, "write `Pull<T>`, with the element type")),
            ("Push" | "DPush", _) => Err(unknown(t, "write `Push<L, T>`, with the level and the element type")),
            ("Program", _) => Err(unknown(
                t,
                "`Program<L, A>` stands as a whole type of a result or of a parameter: `-> Program<Block, Pull<T>>`",
            )),
            (_, []) if self.structs.contains_key(name) => {
                let decl = self.structs[name].clone();
                Ok(self.ty(Ty::Struct(decl)))
            }
            _ => {
                let known = "scalars, tuples, `Pull<T>`, `DPull<T>`, `BPull<T, N>`, `Push<L, T>`, `DPush<L, T>`, `DMat<T>`, `PushMat<L, T>`, `Mut<T>`, `DMut<T>`, and the function's generics";
                Err(Box::new(
                    Diagnostic::new("OB005", t.span, format!("`{name}` is not a type here"))
                        .note(format!("known: {known}"))
                        .help(super::foreign::type_said_here(name)),
                ))
            }
        }
    }

    /// An array of a length known at launch: a row of a matrix, or its rows.
    fn rows(&mut self, elem: TyId) -> TyId {
        let size = self.size(Size::Dynamic);
        self.ty(Ty::Pull(elem, size))
    }

    fn size_of(&mut self, dynamic: bool, arg: Option<&TypeExpr>, names: &Generics) -> Result<SizeId> {
        let node = match arg {
            None if dynamic => Size::Dynamic,
            None => Size::Static,
            Some(TypeExpr { kind: TypeKind::Value(_), .. }) => Size::Static,
            Some(TypeExpr { kind: TypeKind::Infer, .. }) => Size::Var,
            Some(t) => match &t.kind {
                TypeKind::Path(name, _) => match names.get(name) {
                    Some(Gen::Size(s)) => return Ok(*s),
                    Some(Gen::Const(_, ScalarType::U32)) => Size::Static,
                    Some(Gen::Const(..)) => return Err(unknown(t, "a length is `u32`: `const N: u32`")),
                    // A constant, which `lengths` looks up.
                    None if !name.contains(char::is_lowercase) => Size::Static,
                    _ => return Err(unknown(t, LAST)),
                },
                _ => return Err(unknown(t, LAST)),
            },
        };
        Ok(self.size(node))
    }

    /// A level as written.
    ///
    /// # Errors
    /// A name that is no level.
    pub fn level_of(&mut self, t: &TypeExpr, names: &Generics) -> Result<LvlId> {
        if let TypeKind::Path(name, args) = &t.kind {
            if let Some(Gen::Level(l)) = names.get(name) {
                return Ok(*l);
            }
            if let Some(level) = Level::ALL.into_iter().find(|l| l.name() == name) {
                return Ok(self.lvl(Lvl::Known(level)));
            }
            if let ("Step", [inner]) = (name.as_str(), args.as_slice()) {
                let inner = self.level_of(inner, names)?;
                return Ok(self.lvl(Lvl::Step(inner)));
            }
        }
        if t.kind == TypeKind::Infer {
            return Ok(self.lvl(Lvl::Var(Level::Grid, None)));
        }
        Err(Box::new(
            Diagnostic::new("OB005", t.span, "a level stands here")
                .help("`Thread`, `Warp`, `Block`, `Grid`, `Step<L>`, or a generic `L: Level`"),
        ))
    }
}

/// `Program<L, A>` taken apart.
pub fn program_type(t: &TypeExpr) -> Option<(&TypeExpr, &TypeExpr)> {
    match &t.kind {
        TypeKind::Path(name, args) if name == "Program" => match args.as_slice() {
            [level, inner] => Some((level, inner)),
            _ => None,
        },
        _ => None,
    }
}

/// What the last argument of an array's type can be.
const LAST: &str = "the last argument is a length such as `512`, a `const N: u32` or a generic `S: Size`";

/// A type, or a part of one, that is not written right.
pub(super) fn unknown(t: &TypeExpr, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("OB005", t.span, "this type is not written right").help(help))
}
