//! Unification: makes two types, levels or lengths the same, or says why they cannot be.

use super::arena::{LevelClash, Literal, Lvl, LvlId, Mismatch, Size, SizeId, Ty, TyId, Types, Unified};
use crate::syntax::ast::Bound;
use obsidian_ir::Level;
use obsidian_ir::diag::Span;
use obsidian_ir::program::ScalarType;

impl Types {
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
            (Ty::Struct(x), Ty::Struct(y)) if x == y => Ok(()),
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
            // In generic code a literal has the scalar type that the generic stands for.
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
            Ty::Struct(_) if bound == Bound::Data => Ok(()),
            Ty::Tuple(ts) if bound == Bound::Data && !ts.is_empty() => {
                ts.into_iter().try_for_each(|t| self.require(t, Bound::Data))
            }
            _ => lacks,
        }
    }
}

impl Literal {
    /// Whether one of the two is an integer literal.
    fn max_int(self, other: Literal) -> bool {
        self == Literal::Int || other == Literal::Int
    }
}
