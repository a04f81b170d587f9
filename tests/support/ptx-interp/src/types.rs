//! Fundamental types (PTX ISA §5.2): width and kind, and how bits in a register are read and written as one.

/// What bits mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `.b*` and `.pred`: no meaning.
    Bits,
    /// `.u*`.
    Unsigned,
    /// `.s*`.
    Signed,
    /// `.f*`.
    Float,
    /// `.bf16`.
    Brain,
}

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    /// 1 for a predicate.
    pub(crate) bits: u32,
}

impl Type {
    /// The type of a suffix such as `u32`, without its dot.
    pub(crate) fn parse(name: &str) -> Option<Type> {
        let (kind, bits) = match name {
            "pred" => return Some(Type { kind: Kind::Bits, bits: 1 }),
            "bf16" => return Some(Type { kind: Kind::Brain, bits: 16 }),
            _ => (name.get(..1)?, name.get(1..)?.parse().ok()?),
        };
        let kind = match kind {
            "b" => Kind::Bits,
            "u" => Kind::Unsigned,
            "s" => Kind::Signed,
            "f" => Kind::Float,
            _ => return None,
        };
        matches!(bits, 8 | 16 | 32 | 64).then_some(Type { kind, bits })
    }

    pub(crate) fn bytes(self) -> usize {
        (self.bits / 8).max(1) as usize
    }

    pub(crate) fn is_float(self) -> bool {
        self.kind == Kind::Float
    }

    /// The bits that belong to the type.
    pub(crate) fn mask(self) -> u64 {
        if self.bits == 64 { u64::MAX } else { (1 << self.bits) - 1 }
    }

    /// A register's bits as this integer type, sign- or zero-extended.
    pub(crate) fn integer(self, raw: u64) -> i128 {
        let low = raw & self.mask();
        if self.kind == Kind::Signed && low >> (self.bits - 1) & 1 == 1 {
            i128::from(low) - (1i128 << self.bits)
        } else {
            i128::from(low)
        }
    }

    /// What a register receives for a result of this type: wider registers are filled by sign or by zero (PTX ISA §9.4.1,
    /// destination operands with relaxed type-checking rules).
    pub(crate) fn extend(self, raw: u64) -> u64 {
        self.integer(raw) as u64
    }

    /// The least and the greatest integer of the type.
    pub(crate) fn limits(self) -> (i128, i128) {
        if self.kind == Kind::Signed {
            (-(1i128 << (self.bits - 1)), (1i128 << (self.bits - 1)) - 1)
        } else {
            (0, i128::from(self.mask()))
        }
    }
}
