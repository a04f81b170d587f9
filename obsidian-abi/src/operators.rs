//! Constants, and the operations on scalars by name. What they mean is in `arith`.

use crate::ScalarType;

/// A constant: its type and its bits (integers sign- or zero-extended to 64 bits, floats as IEEE bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Const {
    /// Its type.
    pub ty: ScalarType,
    /// Its bits.
    pub bits: u64,
}

impl Const {
    /// A `u32`.
    pub fn u32(v: u32) -> Const {
        Const { ty: ScalarType::U32, bits: v.into() }
    }

    /// A `bool`.
    pub fn bool(v: bool) -> Const {
        Const { ty: ScalarType::Bool, bits: v.into() }
    }

    /// The value as an integer, for integer types.
    pub fn int(self) -> i128 {
        if self.ty.is_signed() { (self.bits as i64).into() } else { self.bits.into() }
    }
}

/// Unary operations. The result has the operand's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `-a`, wrapping.
    Neg,
    /// `!a`, bitwise or logical.
    Not,
    /// Absolute value, wrapping.
    Abs,
    /// Correctly rounded square root (floats).
    Sqrt,
    /// Towards minus infinity (floats).
    Floor,
    /// Towards plus infinity (floats).
    Ceil,
    /// Towards zero (floats).
    Trunc,
    /// Number of one bits (integers).
    CountOnes,
    /// Zero bits above the highest one; the width for 0 (integers).
    LeadingZeros,
    /// Zero bits below the lowest one; the width for 0 (integers).
    TrailingZeros,
    /// The bits in the opposite order (integers).
    ReverseBits,
    /// A GPU's own `2^a` (`f32`). This and those after it are approximations: only code for GPUs has them.
    Exp2,
    /// A GPU's own logarithm to base 2 (`f32`).
    Log2,
    /// A GPU's own sine (`f32`).
    Sin,
    /// A GPU's own cosine (`f32`).
    Cos,
    /// A GPU's own hyperbolic tangent (`f32`).
    Tanh,
}

impl UnOp {
    /// Those that a GPU approximates and nothing else has.
    pub const APPROXIMATE: [UnOp; 5] = [UnOp::Exp2, UnOp::Log2, UnOp::Sin, UnOp::Cos, UnOp::Tanh];
}

/// Binary operations. Operands have one type; comparisons give `bool`, the others the operands' type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are Rust's operators
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    /// Rust's `min`: of a number and a NaN, the number. -0 is less than 0.
    Min,
    /// Rust's `max`: of a number and a NaN, the number. 0 is greater than -0.
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinOp {
    /// Whether the result is a `bool` whatever the operands are.
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }

    /// Its name in instructions and functions that reduce by it, where there are any.
    pub fn reduction(self) -> &'static str {
        match self {
            BinOp::Min => "min",
            BinOp::Max => "max",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Xor => "xor",
            _ => "add",
        }
    }

    /// Rust's spelling, for printing; `Min` and `Max` are function names.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Min => "min",
            BinOp::Max => "max",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
        }
    }
}
