//! Types and levels as the user would write them, for messages.

use super::arena::{Literal, Lvl, LvlId, Size, SizeId, Ty, TyId, Types};
use crate::syntax::ast::Bound;

impl Types {
    /// A type as the user would write it.
    pub fn show(&self, id: TyId) -> String {
        match self.find(id).1 {
            Ty::Var(Bound::Float, _) | Ty::Var(_, Literal::Float) => "{float}".into(),
            Ty::Var(_, Literal::Int) => "{integer}".into(),
            Ty::Var(..) | Ty::Link(_) | Ty::Error => "_".into(),
            Ty::Scalar(s) => s.name().into(),
            Ty::Bits(t) => format!("Bits<{}>", self.show(*t)),
            Ty::Rigid(_, name, _) => name.clone(),
            Ty::Struct(decl) => decl.name.text.clone(),
            Ty::Tuple(ts) => {
                let parts: Vec<_> = ts.iter().map(|&t| self.show(t)).collect();
                if parts.len() == 1 { format!("({},)", parts[0]) } else { format!("({})", parts.join(", ")) }
            }
            Ty::Pull(t, s) if self.is_dynamic_row(*t) && self.is_open(*s) => {
                format!("DMat<{}>", self.element_of(*t))
            }
            Ty::Push(l, t, _) if self.is_dynamic_row(*t) => {
                format!("PushMat<{}, {}>", self.show_lvl(*l), self.element_of(*t))
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

    /// Whether a type is an array whose length is known at launch, of elements that are no arrays.
    fn is_dynamic_row(&self, ty: TyId) -> bool {
        matches!(self.find(ty).1, Ty::Pull(elem, size)
            if self.is_open(*size) && !matches!(self.find(*elem).1, Ty::Pull(..) | Ty::Push(..)))
    }

    fn is_open(&self, size: SizeId) -> bool {
        *self.find_size(size).1 == Size::Dynamic
    }

    fn element_of(&self, row: TyId) -> String {
        match self.find(row).1 {
            Ty::Pull(elem, _) => self.show(*elem),
            _ => self.show(row),
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
