//! Constants, and the operations on scalars by name. What they mean is in `arith`.

use crate::{ScalarType, bf16_to_f32, f16_to_f32};

/// A constant: its type and its bits (integers sign- or zero-extended to 64 bits, floats as IEEE bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Const {
    /// Its type.
    pub ty: ScalarType,
    /// Its bits.
    pub bits: u64,
}

impl std::fmt::Display for Const {
    /// As Rust prints a value of the type; `f16` and `bf16` as the `f32` that they are.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bits = self.bits;
        match self.ty {
            ScalarType::Bool => (bits != 0).fmt(f),
            ScalarType::F16 => f16_to_f32(bits as u16).fmt(f),
            ScalarType::BF16 => bf16_to_f32(bits as u16).fmt(f),
            ScalarType::F32 => f32::from_bits(bits as u32).fmt(f),
            ScalarType::F64 => f64::from_bits(bits).fmt(f),
            ty if ty.is_signed() => (bits as i64).fmt(f),
            _ => bits.fmt(f),
        }
    }
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
    #[inline]
    pub fn int(self) -> i128 {
        if self.ty.is_signed() { (self.bits as i64).into() } else { self.bits.into() }
    }
}

/// What a unary operation takes, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnClass {
    /// A sign: of integers and of floats of 32 and 64 bits.
    Sign,
    /// A complement: of integers, and of `bool`s.
    Complement,
    /// A function of floats of 32 and 64 bits.
    Float,
    /// A number of bits of an integer: from 0 to its width.
    Count,
    /// The bits of an integer in other places.
    Bits,
    /// A GPU's own approximation of a function of `f32`: only code for GPUs has it.
    Approximation,
}

/// The unary operations, a row each: what it computes, its name in the printed program, and its class.
macro_rules! unary {
    ($($(#[$doc:meta])* $op:ident $name:literal $class:ident;)*) => {
        /// Unary operations. The result has the operand's type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum UnOp {
            $($(#[$doc])* $op,)*
        }

        impl UnOp {
            /// All of them.
            pub const ALL: &[UnOp] = &[$(UnOp::$op),*];

            /// Its name in the printed program, where it is written as a function.
            pub fn name(self) -> &'static str {
                match self {
                    $(UnOp::$op => $name,)*
                }
            }

            /// What it takes, and what it is.
            #[inline]
            pub fn class(self) -> UnClass {
                match self {
                    $(UnOp::$op => UnClass::$class,)*
                }
            }
        }
    };
}

unary! {
    /// `-a`, wrapping.
    Neg "negate" Sign;
    /// `!a`, bitwise or logical.
    Not "!" Complement;
    /// Absolute value, wrapping.
    Abs "abs" Sign;
    /// Correctly rounded square root.
    Sqrt "sqrt" Float;
    /// Towards minus infinity.
    Floor "floor" Float;
    /// Towards plus infinity.
    Ceil "ceil" Float;
    /// Towards zero.
    Trunc "trunc" Float;
    /// Number of one bits.
    CountOnes "count_ones" Count;
    /// Zero bits above the highest one; the width for 0.
    LeadingZeros "leading_zeros" Count;
    /// Zero bits below the lowest one; the width for 0.
    TrailingZeros "trailing_zeros" Count;
    /// The bits in the opposite order.
    ReverseBits "reverse_bits" Bits;
    /// `2^a`.
    Exp2 "exp2" Approximation;
    /// The logarithm to base 2.
    Log2 "log2" Approximation;
    /// Sine.
    Sin "sin" Approximation;
    /// Cosine.
    Cos "cos" Approximation;
    /// Hyperbolic tangent.
    Tanh "tanh" Approximation;
}

/// What a binary operation takes, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinClass {
    /// Of integers, wrapping, and of floats.
    Arithmetic,
    /// Bit by bit: of integers and `bool`s.
    Bits,
    /// Of integers, by a count modulo their width.
    Shift,
    /// One of the two: of all but `f16` and `bf16`. Written as a function.
    Extreme,
    /// A function of integers that does not fall where an operand grows, of operands that are not negative. Written as a
    /// function. The range of its values follows from those of its operands, and each dialect of C has a spelling of its own.
    Growing,
    /// Of all but `f16` and `bf16`; it gives a `bool`.
    Comparison,
}

/// The binary operations, a row each: what it computes, Rust's spelling, and its class.
macro_rules! binary {
    ($($(#[$doc:meta])* $op:ident $symbol:literal $class:ident;)*) => {
        /// Binary operations. Operands have one type; comparisons give `bool`, the others the operands' type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum BinOp {
            $($(#[$doc])* $op,)*
        }

        impl BinOp {
            /// All of them.
            pub const ALL: &[BinOp] = &[$(BinOp::$op),*];

            /// Rust's spelling, for printing: a sign, or the name of a function.
            pub fn symbol(self) -> &'static str {
                match self {
                    $(BinOp::$op => $symbol,)*
                }
            }

            /// What it takes, and what it is.
            #[inline]
            pub fn class(self) -> BinClass {
                match self {
                    $(BinOp::$op => BinClass::$class,)*
                }
            }
        }
    };
}

binary! {
    /// `a + b`.
    Add "+" Arithmetic;
    /// `a - b`.
    Sub "-" Arithmetic;
    /// `a * b`.
    Mul "*" Arithmetic;
    /// `a / b`; of integers 0 where `b` is 0.
    Div "/" Arithmetic;
    /// `a % b`; of integers 0 where `b` is 0.
    Rem "%" Arithmetic;
    /// `a & b`.
    And "&" Bits;
    /// `a | b`.
    Or "|" Bits;
    /// `a ^ b`.
    Xor "^" Bits;
    /// `a << b`.
    Shl "<<" Shift;
    /// `a >> b`, with the sign.
    Shr ">>" Shift;
    /// Rust's `min`: of a number and a NaN, the number. -0 is less than 0.
    Min "min" Extreme;
    /// Rust's `max`: of a number and a NaN, the number. 0 is greater than -0.
    Max "max" Extreme;
    /// The upper half of the product.
    MulHigh "mul_hi" Growing;
    /// `a == b`.
    Eq "==" Comparison;
    /// `a != b`.
    Ne "!=" Comparison;
    /// `a < b`.
    Lt "<" Comparison;
    /// `a <= b`.
    Le "<=" Comparison;
    /// `a > b`.
    Gt ">" Comparison;
    /// `a >= b`.
    Ge ">=" Comparison;
}

impl BinOp {
    /// Whether the result is a `bool` whatever the operands are.
    #[inline]
    pub fn is_comparison(self) -> bool {
        self.class() == BinClass::Comparison
    }

    /// Whether it is written as a function of its operands.
    pub fn is_function(self) -> bool {
        matches!(self.class(), BinClass::Extreme | BinClass::Growing)
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith;

    #[test]
    fn growing_functions_grow_with_each_operand() {
        for ty in [ScalarType::U8, ScalarType::I8] {
            let top = ty.int_range().1 as u64;
            for &op in BinOp::ALL.iter().filter(|op| op.class() == BinClass::Growing) {
                let of = |x: u64, y: u64| arith::bin(op, Const { ty, bits: x }, Const { ty, bits: y }).int();
                for (x, y) in (0..top).flat_map(|x| (0..top).map(move |y| (x, y))) {
                    assert!(of(x, y) <= of(x + 1, y) && of(x, y) <= of(x, y + 1), "{op:?} of {x} and {y}, {ty:?}");
                }
            }
        }
    }
}
