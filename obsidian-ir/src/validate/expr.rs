//! Rules of expressions: operands have the types that the operation takes, and a node the type that it gives.

use super::{Broken, Checked, broken};
use crate::diag::Span;
use crate::program::{
    BinClass, BinOp, Expr, ExprId, ParamId, ParamKind, Program, Range, ScalarType, UnClass, UnOp, walk,
};
use crate::tables::HashSet;

/// The expressions that have been checked.
#[derive(Default)]
pub(super) struct Exprs(HashSet<ExprId>);

impl Exprs {
    /// Checks all that is reachable from a root, and that the root has the type.
    pub(super) fn check(&mut self, p: &Program, root: ExprId, ty: ScalarType, at: (&str, Span)) -> Checked {
        if root.0 as usize >= p.exprs.len() {
            return broken(at.1, format!("{} is no expression of this program", at.0));
        }
        if p.exprs.ty(root) != ty {
            return broken(at.1, format!("{} is of type {}, not {}", at.0, p.exprs.ty(root).name(), ty.name()));
        }
        for id in walk::reachable(&p.exprs, [root], |id| self.0.contains(&id)) {
            node(p, id, at.1)?;
            self.0.insert(id);
        }
        Ok(())
    }
}

/// An expression that the host can evaluate before a launch.
pub(super) fn launch(p: &Program, root: ExprId, ty: ScalarType) -> Checked {
    Exprs::default().check(p, root, ty, ("a value of the launch", Span::NONE))?;
    let inside = walk::reachable(&p.exprs, [root], |_| false);
    let held = |id: ExprId| matches!(p.exprs.expr(id), Expr::Var(_) | Expr::Special(_) | Expr::Load(..));
    if inside.into_iter().any(held) {
        return broken(Span::NONE, "a value of the launch depends on what runs");
    }
    Ok(())
}

fn node(p: &Program, id: ExprId, span: Span) -> Checked {
    let (node, ty) = (p.exprs.node(id), |id| p.exprs.ty(id));
    let gives = |found: ScalarType| {
        if found == node.ty {
            Ok(())
        } else {
            broken(span, format!("an expression of type {} stands for one of {}", found.name(), node.ty.name()))
        }
    };
    let wants = |holds: bool, what: &str| if holds { Ok(()) } else { broken(span, what) };
    if walk::operands(node.expr).any(|x| x >= id) {
        return broken(span, "an expression stands before its operands");
    }
    let whole = Range::full(node.ty);
    wants(node.range.lo <= node.range.hi && node.range.within(whole), "a range is empty or wider than its type")?;
    match node.expr {
        Expr::Const(c) => gives(c.ty),
        Expr::Var(v) => match p.vars.get(v.0 as usize) {
            Some(var) => gives(var.ty),
            None => broken(span, "a variable does not exist"),
        },
        Expr::Scalar(param) => match parameter(p, param, span)? {
            ParamKind::Scalar(ty) => gives(*ty),
            _ => broken(span, "a buffer is used as a scalar"),
        },
        Expr::Len(param) => match parameter(p, param, span)? {
            ParamKind::Input { .. } | ParamKind::InOut { .. } => gives(ScalarType::U32),
            _ => broken(span, "the length of something that is no input"),
        },
        Expr::Special(_) => gives(ScalarType::U32),
        Expr::OnGpu => gives(ScalarType::Bool),
        Expr::Load(array, index) => {
            let Some(array) = p.arrays.get(array.0 as usize) else { return broken(span, "an array does not exist") };
            wants(ty(index) == ScalarType::U32, "an index is no u32")?;
            gives(array.elem)
        }
        Expr::Un(op, a) => {
            wants(unary(op, ty(a)), &format!("{op:?} of {}", ty(a).name()))?;
            gives(ty(a))
        }
        Expr::Bin(op, a, b) => {
            wants(ty(a) == ty(b), &format!("{op:?} of {} and {}", ty(a).name(), ty(b).name()))?;
            wants(binary(op, ty(a)), &format!("{op:?} of {}", ty(a).name()))?;
            gives(if op.is_comparison() { ScalarType::Bool } else { ty(a) })
        }
        Expr::Select(c, a, b) => {
            wants(ty(c) == ScalarType::Bool, "a choice by something that is no bool")?;
            wants(ty(a) == ty(b), "a choice between two types")?;
            gives(ty(a))
        }
        Expr::Cast(a) => {
            // 16-bit floats convert from and to `f32` alone.
            let half = |x: ScalarType, y: ScalarType| !x.is_half() || y == ScalarType::F32;
            wants(half(ty(a), node.ty) && half(node.ty, ty(a)), "a 16-bit float is converted past f32")
        }
        Expr::Bits(a) => {
            let fits = ty(a).bits() == node.ty.bits() && ty(a).is_float() != node.ty.is_float();
            wants(fits, &format!("the bits of {} as {}", ty(a).name(), node.ty.name()))
        }
        Expr::MulAdd(a, b, c) => {
            let one = ty(a) == ty(b) && ty(b) == ty(c);
            wants(one && ty(a).is_float() && !ty(a).is_half(), "mul_add of something that is no f32 or f64")?;
            gives(ty(a))
        }
    }
}

fn parameter(p: &Program, id: ParamId, span: Span) -> Result<&ParamKind, Broken> {
    match p.params.get(id.0 as usize) {
        Some(param) => Ok(&param.kind),
        None => broken(span, "a parameter does not exist"),
    }
}

fn unary(op: UnOp, ty: ScalarType) -> bool {
    match op.class() {
        UnClass::Complement => !ty.is_float(),
        UnClass::Sign => ty != ScalarType::Bool && !ty.is_half(),
        UnClass::Float => ty.is_float() && !ty.is_half(),
        UnClass::Approximation => ty == ScalarType::F32,
        UnClass::Count | UnClass::Bits => ty.is_int(),
    }
}

fn binary(op: BinOp, ty: ScalarType) -> bool {
    match op.class() {
        BinClass::Bits => !ty.is_float(),
        BinClass::Shift | BinClass::Growing => ty.is_int(),
        BinClass::Comparison | BinClass::Extreme => !ty.is_half(),
        BinClass::Arithmetic => ty != ScalarType::Bool && !ty.is_half(),
    }
}
