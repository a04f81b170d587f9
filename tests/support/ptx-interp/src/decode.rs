//! Opcodes: from `ld.global.nc.s32` to an [`Op`]. What is outside the subset is refused, never guessed.

use crate::op::{Addend, Atomic, Binary, Clamp, Compare, Half, Old, Op, Round, Shuffle, Space, Unary, Vote};
use crate::types::Type;

/// Decodes an opcode with its suffixes.
pub(crate) fn decode(opcode: &str) -> Option<Op> {
    let mut parts = opcode.split('.');
    let name = parts.next()?;
    let mods: Vec<&str> = parts.collect();
    let ty = || mods.last().and_then(|m| Type::parse(m));
    match name {
        "mov" => Some(Op::Mov(ty()?)),
        "ld" | "st" => memory(name, &mods),
        // Global addresses and generic ones are the same here, so the conversion copies (PTX ISA §9.7.9, cvta).
        "cvta" => Some(Op::Mov(ty()?)),
        "div" if mods == ["approx", "ftz", "f32"] => Some(Op::Binary(Binary::Quotient, ty()?)),
        "add" | "sub" | "div" | "rem" | "min" | "max" | "and" | "or" | "xor" | "shl" | "shr" | "copysign" => {
            allowed(&mods, &["rn", "approx"]).then_some(())?;
            Some(Op::Binary(binary(name)?, ty()?))
        }
        // What is laid down is an error that the exact function keeps (PTX ISA §9.7.3).
        "rcp" if mods == ["approx", "ftz", "f32"] => Some(Op::Unary(Unary::Reciprocal, ty()?)),
        "rsqrt" if mods == ["approx", "ftz", "f32"] => Some(Op::Unary(Unary::ReciprocalRoot, ty()?)),
        "sqrt" if mods == ["approx", "ftz", "f32"] => Some(Op::Unary(Unary::Root, ty()?)),
        "ex2" if mods == ["approx", "ftz", "f32"] => Some(Op::Unary(Unary::Exp2, ty()?)),
        "lg2" if mods == ["approx", "ftz", "f32"] => Some(Op::Unary(Unary::Log2, ty()?)),
        "sin" if mods == ["approx", "ftz", "f32"] => Some(Op::Unary(Unary::Sin, ty()?)),
        "cos" if mods == ["approx", "ftz", "f32"] => Some(Op::Unary(Unary::Cos, ty()?)),
        "tanh" if mods == ["approx", "f32"] => Some(Op::Unary(Unary::Tanh, ty()?)),
        "mul" if ty()?.is_float() => allowed(&mods, &["rn"]).then_some(Op::Binary(Binary::Mul, ty()?)),
        "mul" => Some(Op::Multiply(half(&mods)?, ty()?, Addend::None)),
        "mad" => Some(Op::Multiply(half(&mods)?, ty()?, Addend::Third)),
        "fma" => mods.contains(&"rn").then_some(Op::Fma(ty()?)),
        "neg" | "abs" | "not" | "sqrt" | "popc" | "clz" | "brev" => {
            allowed(&mods, &["rn"]).then_some(())?;
            Some(Op::Unary(unary(name)?, ty()?))
        }
        "setp" => match mods.as_slice() {
            [cmp, ty] => Some(Op::Compare(comparison(cmp)?, Type::parse(ty)?)),
            _ => None,
        },
        "selp" => Some(Op::Select(ty()?)),
        "cvt" => convert(&mods),
        "bra" => Some(Op::Branch),
        "ret" | "exit" => Some(Op::Return),
        "bar" => match mods.as_slice() {
            ["sync"] => Some(Op::Barrier),
            ["warp", "sync"] => Some(Op::WarpBarrier),
            _ => None,
        },
        "cp" => match mods.as_slice() {
            ["async", "ca" | "cg", "shared", "global"] => Some(Op::Copy),
            ["async", "commit_group"] => Some(Op::CommitCopies),
            ["async", "wait_group"] => Some(Op::AwaitCopies),
            _ => None,
        },
        "shfl" => match mods.as_slice() {
            ["sync", mode, "b32"] => Some(Op::Shuffle(shuffle(mode)?)),
            _ => None,
        },
        "vote" => match mods.as_slice() {
            ["sync", "all", "pred"] => Some(Op::Vote(Vote::All)),
            ["sync", "any", "pred"] => Some(Op::Vote(Vote::Any)),
            ["sync", "ballot", "b32"] => Some(Op::Vote(Vote::Ballot)),
            _ => None,
        },
        "match" => match mods.as_slice() {
            ["any", "sync", "b32" | "b64"] => Some(Op::Vote(Vote::Same)),
            _ => None,
        },
        "redux" => match mods.as_slice() {
            ["sync", op, ty] => Some(Op::Reduce(binary(op)?, Type::parse(ty)?)),
            _ => None,
        },
        "atom" | "red" => atomic(name, &mods),
        "prmt" => (mods == ["b32"]).then_some(Op::Permute),
        _ => None,
    }
}

/// Whether all suffixes before the type are among those given.
fn allowed(mods: &[&str], known: &[&str]) -> bool {
    // `approx` of a division is not laid down to the bit, so it stays out unless the caller asks.
    let inner = mods.split_last().map_or(&[][..], |(_, rest)| rest);
    inner.iter().all(|m| known.contains(m) && *m != "approx")
}

fn space(name: &str) -> Option<Space> {
    match name {
        "global" => Some(Space::Global),
        "shared" => Some(Space::Shared),
        "local" => Some(Space::Local),
        "param" => Some(Space::Param),
        _ => None,
    }
}

fn memory(name: &str, mods: &[&str]) -> Option<Op> {
    let (ty, rest) = mods.split_last()?;
    let ty = Type::parse(ty)?;
    let space = rest.iter().find_map(|m| space(m))?;
    let known = ["global", "shared", "local", "param", "nc", "volatile", "relaxed", "gpu", "cta", "v2", "v4"];
    if !rest.iter().all(|m| known.contains(m)) {
        return None;
    }
    let space = if space == Space::Global && rest.contains(&"relaxed") { Space::Relaxed } else { space };
    Some(if name == "ld" { Op::Load(space, ty) } else { Op::Store(space, ty) })
}

fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "sub" => Binary::Sub,
        "div" => Binary::Div,
        "rem" => Binary::Rem,
        "min" => Binary::Min,
        "max" => Binary::Max,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        "shl" => Binary::Shl,
        "shr" => Binary::Shr,
        "copysign" => Binary::CopySign,
        _ => return None,
    })
}

fn unary(name: &str) -> Option<Unary> {
    Some(match name {
        "neg" => Unary::Neg,
        "abs" => Unary::Abs,
        "not" => Unary::Not,
        "sqrt" => Unary::Sqrt,
        "popc" => Unary::PopCount,
        "clz" => Unary::LeadingZeros,
        "brev" => Unary::Reverse,
        _ => return None,
    })
}

fn half(mods: &[&str]) -> Option<Half> {
    match *mods.first()? {
        "lo" => Some(Half::Low),
        "hi" => Some(Half::High),
        "wide" => Some(Half::Wide),
        _ => None,
    }
}

fn comparison(name: &str) -> Option<Compare> {
    // `lo`, `ls`, `hi`, `hs` are the unsigned names of `lt`, `le`, `gt`, `ge`.
    let (name, unordered) = match name {
        "equ" => ("eq", true),
        "neu" => ("ne", true),
        "ltu" => ("lt", true),
        "leu" => ("le", true),
        "gtu" => ("gt", true),
        "geu" => ("ge", true),
        "nan" => ("never", true),
        other => (other, false),
    };
    let [less, equal, greater] = match name {
        "eq" => [false, true, false],
        "ne" => [true, false, true],
        "lt" | "lo" => [true, false, false],
        "le" | "ls" => [true, true, false],
        "gt" | "hi" => [false, false, true],
        "ge" | "hs" => [false, true, true],
        "num" => [true, true, true],
        "never" => [false, false, false],
        _ => return None,
    };
    Some(Compare { less, equal, greater, unordered })
}

fn convert(mods: &[&str]) -> Option<Op> {
    let [rest @ .., to, from] = mods else { return None };
    let (to, from) = (Type::parse(to)?, Type::parse(from)?);
    let (mut round, mut saturate) = (Round::Nearest, Clamp::Off);
    for m in rest {
        match *m {
            "rn" | "rni" => round = Round::Nearest,
            "rz" | "rzi" => round = Round::Zero,
            "rm" | "rmi" => round = Round::Down,
            "rp" | "rpi" => round = Round::Up,
            "sat" => saturate = Clamp::On,
            _ => return None,
        }
    }
    Some(Op::Convert { to, from, round, saturate })
}

fn shuffle(mode: &str) -> Option<Shuffle> {
    Some(match mode {
        "up" => Shuffle::Up,
        "down" => Shuffle::Down,
        "bfly" => Shuffle::Butterfly,
        "idx" => Shuffle::Index,
        _ => return None,
    })
}

fn atomic(name: &str, mods: &[&str]) -> Option<Op> {
    let known = ["relaxed", "gpu", "cta", "sys", "noftz"];
    let mods: Vec<&str> = mods.iter().copied().filter(|m| !known.contains(m)).collect();
    let [place, op, ty] = mods.as_slice() else { return None };
    let op = match *op {
        "exch" => Atomic::Exchange,
        "cas" => Atomic::CompareAndSwap,
        other => Atomic::Do(binary(other)?),
    };
    let old = if name == "atom" { Old::Kept } else { Old::Dropped };
    Some(Op::Atomic(space(place)?, op, Type::parse(ty)?, old))
}
