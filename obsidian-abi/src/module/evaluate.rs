//! What expressions of launch values are: bits as in a kernel, and the first operation that left its type, found in `i128`.
//! In: the nodes, and the values known so far. Out: each node's bits, or that they are not known yet. The only evaluator.

use std::fmt::{self, Write};

use super::{HostExpr, HostExprId, HostNode, ValueId};
use crate::{BinOp, Const, ScalarType, UnOp, arith};

/// A size that has left its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overflow {
    /// The operation that left it first: `len(xs) * 4096`.
    pub expression: String,
    /// The type that it has left.
    pub ty: ScalarType,
    /// The exact value, as far as 128 bits hold it; none for a division by zero and the cast of a NaN.
    pub value: Option<i128>,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overflow { expression, ty, value } = self;
        match value {
            Some(value) => write!(f, "`{expression}` is {value}, which `{ty}` does not hold"),
            None => write!(f, "`{expression}` has no value in `{ty}`"),
        }
    }
}

/// The value of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its bits, wrapped to its type.
    pub bits: u64,
    /// The first node below it, or itself, that left its type.
    pub left: Option<HostExprId>,
}

/// The launch values of a run, and what the expressions are for them.
#[derive(Debug, Clone)]
pub struct HostValues {
    nodes: &'static [HostNode],
    values: Vec<Option<Found>>,
    found: Vec<Option<Found>>,
    /// Whether a value has been set since the nodes were evaluated.
    stale: bool,
}

impl HostValues {
    /// The parameters' values, in order; `count` more are unknown.
    pub fn new(nodes: &'static [HostNode], params: &[u64], count: usize) -> HostValues {
        let known = params.iter().map(|&bits| Some(Found { bits, left: None }));
        let values = known.chain(std::iter::repeat_n(None, count)).collect();
        HostValues { nodes, values, found: Vec::with_capacity(nodes.len()), stale: true }
    }

    /// Sets a value; `None` makes it unknown.
    pub fn set(&mut self, value: ValueId, found: Option<Found>) {
        if let Some(slot) = self.values.get_mut(value as usize)
            && *slot != found
        {
            *slot = found;
            self.stale = true;
        }
    }

    /// A value, where it is known.
    pub fn value(&self, value: ValueId) -> Option<Found> {
        self.values.get(value as usize).copied().flatten()
    }

    /// What an expression is; `None` where it hangs on a value that is not known.
    pub fn data(&mut self, expr: HostExprId) -> Option<Found> {
        if self.stale {
            self.evaluate();
        }
        self.found.get(expr as usize).copied().flatten()
    }

    /// The exact value of a size use; `Ok(None)` where it is not known yet. `name` names values in the error.
    ///
    /// # Errors
    /// An operation in it has left its type.
    pub fn size(&mut self, expr: HostExprId, name: impl Fn(ValueId) -> String) -> Result<Option<u64>, Overflow> {
        let Some(found) = self.data(expr) else { return Ok(None) };
        match found.left {
            None => Ok(Some(found.bits)),
            Some(at) => Err(self.overflow(at, &name)),
        }
    }

    /// All nodes in order. Operations are total, so those of a side that is not chosen do no harm.
    fn evaluate(&mut self) {
        self.found.clear();
        for at in 0..self.nodes.len() {
            let found = self.node(at);
            self.found.push(found);
        }
        self.stale = false;
    }

    fn node(&self, at: usize) -> Option<Found> {
        let HostNode { ty, expr } = self.nodes[at];
        let of = |id: HostExprId| self.found.get(id as usize).copied().flatten();
        match expr {
            HostExpr::Const(bits) => return Some(Found { bits, left: None }),
            HostExpr::Value(value) => return self.value(value),
            HostExpr::Select(cond, then, els) => {
                let cond = of(cond)?;
                let chosen = of(if cond.bits != 0 { then } else { els })?;
                return Some(Found { bits: chosen.bits, left: cond.left.or(chosen.left) });
            }
            _ => {}
        }
        let (bits, left) = match expr {
            HostExpr::Un(_, a) | HostExpr::Cast(a) | HostExpr::Bits(a) => {
                let a = of(a)?;
                (self.apply(expr, ty, [a.bits, 0, 0]), a.left)
            }
            HostExpr::Bin(_, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                (self.apply(expr, ty, [a.bits, b.bits, 0]), a.left.or(b.left))
            }
            HostExpr::MulAdd(a, b, c) => {
                let (a, b, c) = (of(a)?, of(b)?, of(c)?);
                (self.apply(expr, ty, [a.bits, b.bits, c.bits]), a.left.or(b.left).or(c.left))
            }
            HostExpr::Const(_) | HostExpr::Value(_) | HostExpr::Select(..) => return None,
        };
        let here = || (!self.exact(at)).then_some(at as HostExprId);
        Some(Found { bits, left: left.or_else(here) })
    }

    /// The type of a node.
    fn ty(&self, id: HostExprId) -> ScalarType {
        self.nodes.get(id as usize).map_or(ScalarType::U32, |node| node.ty)
    }

    /// An operation on bits, as a kernel does it.
    fn apply(&self, expr: HostExpr, ty: ScalarType, [x, y, z]: [u64; 3]) -> u64 {
        let of = |id, bits| Const { ty: self.ty(id), bits };
        let result = match expr {
            HostExpr::Un(op, a) => arith::un(op, of(a, x)),
            HostExpr::Bin(op, a, b) => arith::bin(op, of(a, x), of(b, y)),
            HostExpr::Cast(a) => arith::cast(of(a, x), ty),
            HostExpr::Bits(a) => arith::bits(of(a, x), ty),
            HostExpr::MulAdd(a, b, c) => arith::mul_add(of(a, x), of(b, y), of(c, z)),
            HostExpr::Const(_) | HostExpr::Value(_) | HostExpr::Select(..) => Const { ty, bits: x },
        };
        result.bits
    }

    /// Whether a node whose operands are exact has stayed in its type.
    fn exact(&self, at: usize) -> bool {
        match self.operation(at) {
            Exact::Any => true,
            Exact::Value(Some(value)) => {
                let (least, greatest) = self.nodes[at].ty.int_range();
                least <= value && value <= greatest
            }
            Exact::Value(None) | Exact::Nothing => false,
        }
    }

    /// What a node would be without the bounds of its type; its operands are known.
    fn operation(&self, at: usize) -> Exact {
        let HostNode { ty, expr } = self.nodes[at];
        let of = |id: HostExprId| {
            let bits = self.found.get(id as usize).copied().flatten().map_or(0, |found| found.bits);
            Const { ty: self.ty(id), bits }
        };
        match expr {
            HostExpr::Un(UnOp::Neg, a) if ty.is_int() => Exact::Value(Some(-of(a).int())),
            HostExpr::Un(UnOp::Abs, a) if ty.is_int() => Exact::Value(Some(of(a).int().abs())),
            HostExpr::Bin(op, a, b) if self.ty(a).is_int() => {
                let (x, y) = (of(a).int(), of(b).int());
                let in_width = 0 <= y && y < i128::from(ty.bits());
                match op {
                    BinOp::Add => Exact::Value(x.checked_add(y)),
                    BinOp::Sub => Exact::Value(x.checked_sub(y)),
                    BinOp::Mul => Exact::Value(x.checked_mul(y)),
                    BinOp::Div | BinOp::Rem if y == 0 => Exact::Nothing,
                    BinOp::Div => Exact::Value(x.checked_div(y)),
                    BinOp::Shl if in_width => Exact::Value(x.checked_mul(1 << y)),
                    BinOp::Shl | BinOp::Shr if !in_width => Exact::Nothing,
                    _ => Exact::Any,
                }
            }
            HostExpr::MulAdd(a, b, c) if ty.is_int() => {
                let product = of(a).int().checked_mul(of(b).int());
                Exact::Value(product.and_then(|product| product.checked_add(of(c).int())))
            }
            HostExpr::Cast(a) if ty.is_int() => integer(of(a)),
            _ => Exact::Any,
        }
    }

    fn overflow(&self, at: HostExprId, name: &dyn Fn(ValueId) -> String) -> Overflow {
        let value = match self.operation(at as usize) {
            Exact::Value(value) => value,
            Exact::Any | Exact::Nothing => None,
        };
        Overflow { expression: show(self.nodes, at, name), ty: self.ty(at), value }
    }
}

/// What an operation would be without the bounds of its type.
enum Exact {
    /// It never leaves it.
    Any,
    /// This; `None` where not even 128 bits hold it.
    Value(Option<i128>),
    /// Nothing at all.
    Nothing,
}

/// What the cast of `a` to an integer would be.
fn integer(a: Const) -> Exact {
    let float = match a.ty {
        ScalarType::F64 => f64::from_bits(a.bits),
        ty if ty.is_float() => arith::f32_of(a).into(),
        _ => return Exact::Value(Some(a.int())),
    };
    // Up to 2^127 the cast is exact, and above it no type holds the value.
    if float.is_nan() { Exact::Nothing } else { Exact::Value(Some(float as i128)) }
}

/// The longest text of an expression: nodes are shared, so that a short list may stand for a text without end.
const MAX_TEXT: usize = 200;

/// An expression as text; `name` names its values.
pub fn show(nodes: &[HostNode], expr: HostExprId, name: &dyn Fn(ValueId) -> String) -> String {
    let mut text = String::new();
    write_node(nodes, expr, name, &mut text);
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(" ..");
    }
    text
}

fn write_node(nodes: &[HostNode], expr: HostExprId, name: &dyn Fn(ValueId) -> String, to: &mut String) {
    let Some(node) = nodes.get(expr as usize) else { return };
    if to.len() > MAX_TEXT {
        return;
    }
    // In parentheses where it is an operand that stands between signs.
    let operand = |id: HostExprId, to: &mut String| {
        let sign = |node: &HostNode| match node.expr {
            HostExpr::Bin(op, ..) => !op.is_function(),
            HostExpr::Cast(_) | HostExpr::Select(..) => true,
            _ => false,
        };
        let wrapped = nodes.get(id as usize).is_some_and(sign);
        to.push_str(if wrapped { "(" } else { "" });
        write_node(nodes, id, name, to);
        to.push_str(if wrapped { ")" } else { "" });
    };
    let call = |function: &str, args: &[HostExprId], to: &mut String| {
        let _ = write!(to, "{function}(");
        for (i, &arg) in args.iter().enumerate() {
            to.push_str(if i == 0 { "" } else { ", " });
            write_node(nodes, arg, name, to);
        }
        to.push(')');
    };
    match node.expr {
        HostExpr::Const(bits) => to.push_str(&literal(Const { ty: node.ty, bits })),
        HostExpr::Value(value) => to.push_str(&name(value)),
        HostExpr::Un(UnOp::Neg, a) => {
            to.push('-');
            operand(a, to);
        }
        HostExpr::Un(UnOp::Not, a) => {
            to.push('!');
            operand(a, to);
        }
        HostExpr::Un(op, a) => call(&format!("{op:?}").to_lowercase(), &[a], to),
        HostExpr::Bin(op, a, b) if op.is_function() => call(op.symbol(), &[a, b], to),
        HostExpr::Bin(op, a, b) => {
            operand(a, to);
            let _ = write!(to, " {} ", op.symbol());
            operand(b, to);
        }
        HostExpr::Select(cond, a, b) => {
            to.push_str("if ");
            write_node(nodes, cond, name, to);
            to.push_str(" { ");
            write_node(nodes, a, name, to);
            to.push_str(" } else { ");
            write_node(nodes, b, name, to);
            to.push_str(" }");
        }
        HostExpr::Cast(a) => {
            operand(a, to);
            let _ = write!(to, " as {}", node.ty);
        }
        HostExpr::Bits(a) => call("bits", &[a], to),
        HostExpr::MulAdd(a, b, c) => call("mul_add", &[a, b, c], to),
    }
}

/// A constant in words.
fn literal(c: Const) -> String {
    match c.ty {
        ScalarType::Bool => (c.bits != 0).to_string(),
        ScalarType::F64 => f64::from_bits(c.bits).to_string(),
        ty if ty.is_float() => arith::f32_of(c).to_string(),
        _ => c.int().to_string(),
    }
}

#[cfg(test)]
mod tests;
