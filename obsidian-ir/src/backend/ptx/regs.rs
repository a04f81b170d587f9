//! Registers and operands: typed register classes, their names and declarations, and how constants are written.
//! Integers of 8 and 16 bits live in 32-bit registers, always sign- or zero-extended; `bool` lives in predicates.

use std::fmt::Write;

use crate::program::{Const, ScalarType};

/// A kind of register; each has its own prefix and PTX type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Class {
    Pred,
    U32,
    S32,
    U64,
    S64,
    /// Floats of 16 bits, which are only moved and converted.
    Half,
    F32,
    F64,
    /// Addresses in 64 bits.
    Addr,
}

impl Class {
    const ALL: [Class; 9] =
        [Class::Pred, Class::U32, Class::S32, Class::U64, Class::S64, Class::Half, Class::F32, Class::F64, Class::Addr];

    /// The class that holds values of `ty`.
    pub(super) fn of(ty: ScalarType) -> Class {
        match ty {
            ScalarType::Bool => Class::Pred,
            ScalarType::U8 | ScalarType::U16 | ScalarType::U32 => Class::U32,
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 => Class::S32,
            ScalarType::U64 => Class::U64,
            ScalarType::I64 => Class::S64,
            ScalarType::F16 | ScalarType::BF16 => Class::Half,
            ScalarType::F32 => Class::F32,
            ScalarType::F64 => Class::F64,
        }
    }

    /// PTX type of the register, without the dot.
    pub(super) fn ty(self) -> &'static str {
        match self {
            Class::Pred => "pred",
            Class::U32 => "u32",
            Class::S32 => "s32",
            Class::U64 | Class::Addr => "u64",
            Class::S64 => "s64",
            Class::Half => "b16",
            Class::F32 => "f32",
            Class::F64 => "f64",
        }
    }

    /// Untyped bits of that width.
    pub(super) fn bits(self) -> &'static str {
        match self {
            Class::Pred => "pred",
            Class::Half => "b16",
            Class::U32 | Class::S32 | Class::F32 => "b32",
            _ => "b64",
        }
    }

    /// Zero, as an immediate.
    pub(super) fn zero(self) -> &'static str {
        match self {
            Class::F32 => "0f00000000",
            Class::F64 => "0d0000000000000000",
            _ => "0",
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Class::Pred => "%p",
            Class::U32 => "%u",
            Class::S32 => "%s",
            Class::U64 => "%ul",
            Class::S64 => "%sl",
            Class::Half => "%h",
            Class::F32 => "%f",
            Class::F64 => "%d",
            Class::Addr => "%a",
        }
    }
}

/// Hands out registers and declares them.
#[derive(Debug, Default)]
pub(super) struct Regs {
    counts: [u32; 9],
}

impl Regs {
    /// A register that was not used before.
    pub(super) fn fresh(&mut self, class: Class) -> String {
        let count = &mut self.counts[class as usize];
        *count += 1;
        format!("{}{count}", class.prefix())
    }

    /// The declarations of all registers handed out.
    pub(super) fn declarations(&self) -> String {
        let mut out = String::new();
        for class in Class::ALL {
            let n = self.counts[class as usize];
            if n > 0 {
                let _ = writeln!(out, "    .reg .{} {}<{}>;", class.ty(), class.prefix(), n + 1);
            }
        }
        out
    }
}

/// What an operand's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An immediate.
    Imm,
    /// A register that keeps its value as long as it is in scope.
    Temp,
    /// The register of a mutable variable: later statements may change it.
    Mutable,
}

/// A source operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) text: String,
    pub(super) kind: Kind,
}

impl Operand {
    pub(super) fn temp(text: String) -> Operand {
        Operand { text, kind: Kind::Temp }
    }

    pub(super) fn imm(text: String) -> Operand {
        Operand { text, kind: Kind::Imm }
    }

    pub(super) fn mutable(text: String) -> Operand {
        Operand { text, kind: Kind::Mutable }
    }
}

impl std::fmt::Display for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// A constant as an immediate. Predicates are written as integers, floats by their bits (PTX ISA, constants).
pub(super) fn immediate(c: Const) -> Operand {
    Operand::imm(match c.ty {
        ScalarType::Bool => (c.bits & 1).to_string(),
        ScalarType::F16 | ScalarType::BF16 => format!("{:#06x}", c.bits as u16),
        ScalarType::F32 => format!("0f{:08X}", c.bits as u32),
        ScalarType::F64 => format!("0d{:016X}", c.bits),
        // 2^63 negated is no literal of 64 signed bits.
        ScalarType::I64 if c.bits == 1 << 63 => "0x8000000000000000".to_string(),
        _ => c.int().to_string(),
    })
}

/// PTX type of an element in memory, without the dot: `bool` is a byte.
pub(super) fn memory_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool | ScalarType::U8 => "u8",
        ScalarType::I8 => "s8",
        ScalarType::U16 => "u16",
        ScalarType::I16 => "s16",
        _ => Class::of(ty).ty(),
    }
}

/// A user's name, with every character replaced that PTX does not allow.
pub(super) fn name_of(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
