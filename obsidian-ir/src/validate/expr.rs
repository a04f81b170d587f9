//! Rules of expressions: operands have the types that the operation takes, and a node the type that it gives.

use super::{Broken, Checked, Form, broken, ensure};
use crate::diag::Span;
use crate::program::{
    BinClass, BinOp, Expr, ExprId, ParamId, ParamKind, Program, Range, ScalarType, UnClass, UnOp, walk,
};

/// The rules of expressions in a form, and which expressions are known to keep them.
pub(super) struct Exprs {
    /// By number.
    checked: Vec<bool>,
    /// Whether the machine's registers are there: where the levels are gone, and only there.
    registers: bool,
    /// Whether a branch of a choice may load, as it may before `schedule`.
    loads_in_choices: bool,
}

impl Exprs {
    /// Of a program in a form.
    pub(super) fn new(p: &Program, form: &Form) -> Exprs {
        Exprs { checked: vec![false; p.exprs.len()], registers: !form.levels, loads_in_choices: !form.scheduled }
    }

    /// Checks all that is reachable from a root, and that the root has the type.
    pub(super) fn check(&mut self, p: &Program, root: ExprId, ty: ScalarType, at: (&str, Span)) -> Checked {
        if root.0 as usize >= p.exprs.len() {
            return broken(at.1, format!("{} is no expression of this program", at.0));
        }
        if p.exprs.ty(root) != ty {
            return broken(at.1, format!("{} is of type {}, not {}", at.0, p.exprs.ty(root).name(), ty.name()));
        }
        if self.checked[root.0 as usize] {
            return Ok(());
        }
        for id in walk::reachable(&p.exprs, [root], |id| self.checked[id.0 as usize]) {
            node(p, id, at.1)?;
            self.allowed(p, id, at.1)?;
            self.checked[id.0 as usize] = true;
        }
        Ok(())
    }

    /// Whether a node may stand in this form.
    fn allowed(&self, p: &Program, id: ExprId, span: Span) -> Checked {
        match p.exprs.expr(id) {
            Expr::Special(_) => ensure(self.registers, span, || "a register of the machine".into()),
            Expr::Select(_, a, b) => {
                let holds = self.loads_in_choices || !p.exprs.loads(a) && !p.exprs.loads(b);
                ensure(holds, span, || "a load in a branch of a choice".into())
            }
            _ => Ok(()),
        }
    }
}

/// An expression that the host can evaluate before a launch.
pub(super) fn launch(p: &Program, root: ExprId, ty: ScalarType) -> Checked {
    let anything = Exprs { checked: vec![false; p.exprs.len()], registers: true, loads_in_choices: true };
    { anything }.check(p, root, ty, ("a value of the launch", Span::NONE))?;
    let inside = walk::reachable(&p.exprs, [root], |_| false);
    let held = |id: ExprId| matches!(p.exprs.expr(id), Expr::Var(_) | Expr::Special(_) | Expr::Load(..));
    if inside.into_iter().any(held) {
        return broken(Span::NONE, "a value of the launch depends on what runs");
    }
    Ok(())
}

/// An integer that the host can evaluate before a launch.
pub(super) fn launch_integer(p: &Program, root: ExprId) -> Checked {
    let ty = if (root.0 as usize) < p.exprs.len() { p.exprs.ty(root) } else { ScalarType::U32 };
    ensure(ty.is_int(), Span::NONE, || format!("what a launch is told is of type {}, no integer", ty.name()))?;
    launch(p, root, ty)
}

fn node(p: &Program, id: ExprId, span: Span) -> Checked {
    let (node, ty) = (p.exprs.node(id), |id| p.exprs.ty(id));
    let gives = |found: ScalarType| {
        let what = || format!("an expression of type {} stands for one of {}", found.name(), node.ty.name());
        ensure(found == node.ty, span, what)
    };
    if walk::operands(node.expr).any(|x| x >= id) {
        return broken(span, "an expression stands before its operands");
    }
    let whole = Range::full(node.ty);
    ensure(node.range.lo <= node.range.hi && node.range.within(whole), span, || {
        "a range is empty or wider than its type".into()
    })?;
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
            ensure(ty(index) == ScalarType::U32, span, || "an index is no u32".into())?;
            gives(array.elem)
        }
        Expr::Un(op, a) => {
            ensure(unary(op, ty(a)), span, || format!("{op:?} of {}", ty(a).name()))?;
            gives(ty(a))
        }
        Expr::Bin(op, a, b) => {
            ensure(ty(a) == ty(b), span, || format!("{op:?} of {} and {}", ty(a).name(), ty(b).name()))?;
            ensure(binary(op, ty(a)), span, || format!("{op:?} of {}", ty(a).name()))?;
            gives(if op.is_comparison() { ScalarType::Bool } else { ty(a) })
        }
        Expr::Select(c, a, b) => {
            ensure(ty(c) == ScalarType::Bool, span, || "a choice by something that is no bool".into())?;
            ensure(ty(a) == ty(b), span, || "a choice between two types".into())?;
            gives(ty(a))
        }
        Expr::Cast(a) => {
            // 16-bit floats convert from and to `f32` alone.
            let half = |x: ScalarType, y: ScalarType| !x.is_half() || y == ScalarType::F32;
            ensure(half(ty(a), node.ty) && half(node.ty, ty(a)), span, || "a 16-bit float is converted past f32".into())
        }
        Expr::Bits(a) => {
            let fits = ty(a).bits() == node.ty.bits() && ty(a).is_float() != node.ty.is_float();
            ensure(fits, span, || format!("the bits of {} as {}", ty(a).name(), node.ty.name()))
        }
        Expr::MulAdd(a, b, c) => {
            let one = ty(a) == ty(b) && ty(b) == ty(c);
            ensure(one && ty(a).is_float() && !ty(a).is_half(), span, || {
                "mul_add of something that is no f32 or f64".into()
            })?;
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
