//! Scalars and expressions of the IR: pure, typed, total. Integer arithmetic wraps; shift counts are taken modulo the
//! width; division by zero gives some value and never traps; floats are IEEE round-to-nearest without contraction.

use super::{ArrayId, ParamId};

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are Rust's
pub enum ScalarType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl ScalarType {
    /// Every scalar type.
    pub const ALL: [ScalarType; 11] = [
        ScalarType::Bool,
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
        ScalarType::U8,
        ScalarType::U16,
        ScalarType::U32,
        ScalarType::U64,
        ScalarType::F32,
        ScalarType::F64,
    ];

    /// Rust's name of the type.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "i8",
            ScalarType::I16 => "i16",
            ScalarType::I32 => "i32",
            ScalarType::I64 => "i64",
            ScalarType::U8 => "u8",
            ScalarType::U16 => "u16",
            ScalarType::U32 => "u32",
            ScalarType::U64 => "u64",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        ScalarType::ALL.into_iter().find(|t| t.name() == name)
    }

    /// Size in memory, in bytes (`bool` is one).
    pub fn bytes(self) -> u32 {
        match self {
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 1,
            ScalarType::I16 | ScalarType::U16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        }
    }

    /// Width in bits (`bool` is one).
    pub fn bits(self) -> u32 {
        if self == ScalarType::Bool { 1 } else { self.bytes() * 8 }
    }

    /// `f32` or `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, ScalarType::F32 | ScalarType::F64)
    }

    /// An integer type.
    pub fn is_int(self) -> bool {
        !self.is_float() && self != ScalarType::Bool
    }

    /// A signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64)
    }

    /// An unsigned integer type.
    pub fn is_unsigned(self) -> bool {
        self.is_int() && !self.is_signed()
    }
}

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

/// Handle of an expression in [`super::Exprs`]; equal handles are equal expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// Index of a variable in [`super::Program::vars`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// What the machine gives each thread. Only `passes::virtualise` makes these. All `u32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Special {
    /// Thread in the block, `0 .. threads`.
    Tid,
    /// Warp in the block, `Tid / 32`.
    WarpId,
    /// Lane in the warp, `Tid % 32`.
    Lane,
    /// Real block.
    BlockIdx,
    /// Number of real blocks.
    GridDim,
}

/// An expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(Const),
    /// The current value of a variable.
    Var(VarId),
    /// A scalar argument of the kernel.
    Scalar(ParamId),
    /// The length of an input, in elements (`u32`).
    Len(ParamId),
    /// A machine register.
    Special(Special),
    /// An element of an array (index `u32`).
    Load(ArrayId, ExprId),
    /// A unary operation.
    Un(UnOp, ExprId),
    /// A binary operation.
    Bin(BinOp, ExprId, ExprId),
    /// `if c { a } else { b }`: only the chosen side is evaluated, so a load in the other side does not happen.
    Select(ExprId, ExprId, ExprId),
    /// Rust's `as`: integers wrap, float to integer saturates (NaN gives 0).
    Cast(ExprId),
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
    /// Rust's `min`: of a number and a NaN, the number.
    Min,
    /// Rust's `max`: of a number and a NaN, the number.
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

/// The values an integer is known to take, inclusive; the whole type where nothing is known. Floats: ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub lo: i128,
    /// Greatest value.
    pub hi: i128,
}

impl Range {
    /// All values of a type.
    pub fn full(ty: ScalarType) -> Range {
        match ty {
            ScalarType::Bool => Range { lo: 0, hi: 1 },
            _ if ty.is_signed() => Range { lo: -(1i128 << (ty.bits() - 1)), hi: (1i128 << (ty.bits() - 1)) - 1 },
            _ if ty.is_unsigned() => Range { lo: 0, hi: (1i128 << ty.bits()) - 1 },
            _ => Range { lo: 0, hi: 0 },
        }
    }

    /// `lo ..= hi`.
    pub fn new(lo: i128, hi: i128) -> Range {
        Range { lo, hi }
    }

    /// Whether all of this lies in `other`.
    pub fn within(self, other: Range) -> bool {
        other.lo <= self.lo && self.hi <= other.hi
    }
}

/// An expression with its type and range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The expression.
    pub expr: Expr,
    /// Its type.
    pub ty: ScalarType,
    /// What its value is known to lie in. For `Add`, `Sub` and `Mul` a range smaller than the type also says that the
    /// operation does not wrap.
    pub range: Range,
    /// Whether a load is in it.
    pub loads: bool,
}
