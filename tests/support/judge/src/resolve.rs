//! From printed expressions to typed ones: names become what they stand for, numbers get the type of what they stand beside.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::expr::{Counter, Exprs, Id, Node};
use crate::text::{Array, Op, Raw, Type, U32};

/// What is known where a statement stands.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) exprs: Exprs,
    pub(crate) arrays: Vec<Array>,
    /// The latest array of a name.
    pub(crate) array_of: HashMap<String, usize>,
    /// The arrays that somebody writes.
    pub(crate) written: HashSet<String>,
    /// What each name of the text's own is written for.
    pub(crate) abbreviations: HashMap<String, Raw>,
    /// What each name stands for.
    pub(crate) names: HashMap<String, Id>,
    /// The counters of the instance that is at this statement.
    pub(crate) counters: Vec<Counter>,
    pub(crate) unknowns: usize,
    /// Names whose type is not written and cannot be told: each use of one is a value that nothing is known of.
    pub(crate) untyped: HashSet<String>,
}

/// What is wrong with an expression.
pub(crate) type Resolved<T> = Result<T, String>;

impl Scope {
    /// A value that nothing is known of but its type: the same for instances that agree in the counters here.
    pub(crate) fn unknown(&mut self, ty: Type) -> Id {
        self.unknowns += 1;
        self.exprs.add(Node::Unknown(self.unknowns, Rc::from(&self.counters[..])), ty)
    }

    pub(crate) fn array(&self, name: &str) -> Resolved<usize> {
        self.array_of.get(name).copied().ok_or_else(|| format!("no array is called `{name}`"))
    }

    /// An index, a number of rounds.
    pub(crate) fn index(&mut self, raw: &Raw) -> Resolved<Id> {
        self.typed(raw, Some(U32))
    }

    pub(crate) fn cond(&mut self, raw: &Raw) -> Resolved<Id> {
        self.typed(raw, Some(Type::Bool))
    }

    /// The type that an expression has by itself; `None` of bare numbers.
    pub(crate) fn ty(&self, raw: &Raw) -> Option<Type> {
        match raw {
            Raw::Int(_, ty) | Raw::Real(_, ty) => *ty,
            Raw::Bool(_) => Some(Type::Bool),
            Raw::Name(name) if self.untyped.contains(name) => None,
            Raw::Name(name) => match self.abbreviations.get(name) {
                Some(raw) => self.ty(raw),
                None => self.names.get(name).map(|&id| self.exprs.ty(id)),
            },
            Raw::Len(_) => Some(U32),
            Raw::Load(name, _) => self.array_of.get(name).map(|&a| self.arrays[a].ty),
            Raw::Neg(a) | Raw::Not(a) | Raw::Within(a, _) => self.ty(a),
            Raw::Bin(op, _) if op.compares() => Some(Type::Bool),
            Raw::Bin(Op::Shl | Op::Shr, ab) => self.ty(&ab.0),
            Raw::Bin(_, ab) => self.ty(&ab.0).or_else(|| self.ty(&ab.1)),
            Raw::Select(cab) => self.ty(&cab.1).or_else(|| self.ty(&cab.2)),
            Raw::Cast(_, ty) | Raw::Bits(_, ty) => Some(*ty),
            Raw::Call(_, args) => args.iter().find_map(|a| self.ty(a)),
        }
    }

    /// An expression; `want` is the type of a bare number.
    pub(crate) fn typed(&mut self, raw: &Raw, want: Option<Type>) -> Resolved<Id> {
        let ty = self.ty(raw).or(want).ok_or("the type of a number is not known")?;
        if want.is_some_and(|want| want != ty) {
            return Err(format!("{ty:?} stands where {want:?} is wanted"));
        }
        let node = match raw {
            Raw::Int(n, _) if matches!(ty, Type::Int { .. }) => Node::Int(*n),
            Raw::Bool(b) => Node::Int((*b).into()),
            Raw::Int(n, _) => Node::Opaque(n.to_string().into(), [].into()),
            Raw::Real(text, _) => Node::Opaque(text.as_str().into(), [].into()),
            Raw::Name(name) if self.untyped.contains(name) => return Ok(self.unknown(ty)),
            Raw::Name(name) if self.abbreviations.contains_key(name) => {
                let raw = self.abbreviations[name].clone();
                return self.typed(&raw, want);
            }
            Raw::Name(name) => return self.names.get(name).copied().ok_or_else(|| format!("`{name}` is not known")),
            Raw::Len(array) => Node::Launch(format!("len_{array}").into()),
            Raw::Load(name, index) => return self.load(name, index, ty),
            Raw::Within(load, _) => return self.typed(load, want),
            Raw::Neg(a) => Node::Neg(self.typed(a, Some(ty))?),
            Raw::Not(a) => Node::Not(self.typed(a, Some(ty))?),
            Raw::Bin(op, ab) => self.binary(*op, &ab.0, &ab.1, ty)?,
            Raw::Select(cab) => {
                let (c, a, b) = &**cab;
                Node::Select(self.cond(c)?, self.typed(a, Some(ty))?, self.typed(b, Some(ty))?)
            }
            Raw::Cast(a, _) => {
                let from = self.ty(a).unwrap_or(ty);
                let a = self.typed(a, Some(from))?;
                if matches!(from, Type::Float(_)) || matches!(ty, Type::Float(_)) {
                    Node::Opaque("cast".into(), [a].into())
                } else {
                    Node::Cast(a)
                }
            }
            // A literal that has no other spelling, as that of a NaN.
            Raw::Bits(a, _) if matches!(**a, Raw::Int(_, None)) => Node::Opaque(format!("{a:?}").into(), [].into()),
            Raw::Bits(a, _) => {
                let from = self.ty(a).ok_or("the type of a number is not known")?;
                Node::Opaque("bits".into(), [self.typed(a, Some(from))?].into())
            }
            Raw::Call(name, args) => {
                let args = args.iter().map(|a| self.typed(a, Some(ty))).collect::<Resolved<_>>()?;
                Node::Opaque(name.as_str().into(), args)
            }
        };
        let opaque = matches!(ty, Type::Float(_)).then(|| float(&node)).flatten();
        Ok(self.exprs.add(opaque.unwrap_or(node), ty))
    }

    fn binary(&mut self, op: Op, a: &Raw, b: &Raw, ty: Type) -> Resolved<Node> {
        let shifts = matches!(op, Op::Shl | Op::Shr);
        let operands = if op.compares() { self.ty(a).or_else(|| self.ty(b)).unwrap_or(U32) } else { ty };
        let x = self.typed(a, Some(operands))?;
        let count = if shifts { self.ty(b).unwrap_or(operands) } else { operands };
        let y = self.typed(b, Some(count))?;
        if matches!(operands, Type::Float(_)) || count != operands {
            return Ok(Node::Opaque(format!("{op:?}").into(), [x, y].into()));
        }
        Ok(Node::Bin(op, x, y))
    }

    /// What is read from an array that somebody writes is not known.
    fn load(&mut self, name: &str, index: &Raw, ty: Type) -> Resolved<Id> {
        let (array, index) = (self.array(name)?, self.index(index)?);
        if self.written.contains(name) {
            return Ok(self.unknown(ty));
        }
        Ok(self.exprs.add(Node::Input(array, index), ty))
    }
}

/// Arithmetic of floats is not followed.
fn float(node: &Node) -> Option<Node> {
    match node {
        Node::Neg(a) => Some(Node::Opaque("neg".into(), [*a].into())),
        Node::Bin(op, a, b) => Some(Node::Opaque(format!("{op:?}").into(), [*a, *b].into())),
        _ => None,
    }
}
