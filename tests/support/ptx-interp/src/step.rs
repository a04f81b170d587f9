//! One instruction of one thread: all instructions that do not wait for other threads.

use crate::convert::{convert, to_f64};
use crate::copies::Copies;
use crate::fault::{Fault, Thread};
use crate::float;
use crate::memory::Memory;
use crate::op::{Addend, Atomic, Base, Binary, Compare, Half, Instruction, Old, Op, Operand, Space, Special, Unary};
use crate::text::Entry;
use crate::types::Type;

/// The most bytes of one access (PTX ISA §9.7.9, vectors).
const MAX_BYTES: usize = 32;

/// A thread's own state.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) id: Thread,
    pub(crate) registers: Vec<u64>,
    pub(crate) local: Vec<u8>,
    /// The next instruction.
    pub(crate) next: usize,
    pub(crate) state: State,
    pub(crate) copies: Copies,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    /// At an instruction that needs other threads.
    Waiting,
    Done,
}

/// What a thread sees around itself.
pub(crate) struct Around<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) params: &'a [u64],
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    pub(crate) global: &'a mut Memory,
    pub(crate) shared: &'a mut Vec<u8>,
}

impl Lane {
    /// Runs the next instruction; stops before one that needs other threads.
    pub(crate) fn step(&mut self, around: &mut Around<'_>) -> Result<(), Fault> {
        let Some(i) = around.entry.code.get(self.next) else {
            self.state = State::Done;
            return Ok(());
        };
        if i.guard.is_some_and(|(r, when)| self.registers[r] & 1 != when) {
            self.next += 1;
            return Ok(());
        }
        match i.op {
            Op::Barrier | Op::WarpBarrier | Op::Shuffle(_) | Op::Vote(_) | Op::Reduce(..) => {
                self.state = State::Waiting;
                return Ok(());
            }
            Op::Return => {
                self.state = State::Done;
                return Ok(());
            }
            Op::Branch => {
                if let Some(Operand::Target(to)) = i.args.first() {
                    self.next = *to;
                }
                return Ok(());
            }
            _ => {}
        }
        self.execute(i, around)?;
        self.next += 1;
        Ok(())
    }

    fn execute(&mut self, i: &Instruction, around: &mut Around<'_>) -> Result<(), Fault> {
        let arg = |k: usize| i.args.get(k).map_or(0, |o| self.value(o, around));
        match i.op {
            Op::Load(space, ty) => return self.load(i, space, ty, around),
            Op::Store(space, ty) => return self.store(i, space, ty, around),
            Op::Atomic(space, op, ty, old) => return self.atomic(i, space, op, ty, old, around),
            Op::Copy => return self.begin_copy(i, around),
            Op::CommitCopies => self.commit_copies(),
            Op::AwaitCopies => return self.wait_for_copies(i, around),
            Op::Mov(ty) => self.mov(i, ty, around)?,
            Op::Binary(op, ty) => {
                let r = binary(op, ty, arg(1), arg(2)).ok_or_else(|| undefined(i))?;
                self.set(i, r, around.entry);
            }
            Op::Unary(op, ty) => {
                let r = unary(op, ty, arg(1));
                self.set(i, r, around.entry);
            }
            Op::Multiply(half, ty, addend) => {
                let c = if addend == Addend::Third { arg(3) } else { 0 };
                let r = multiply(half, ty, arg(1), arg(2), c);
                self.set(i, r, around.entry);
            }
            Op::Fma(ty) => {
                let r = float::fused(ty, arg(1), arg(2), arg(3)).ok_or_else(|| undefined(i))?;
                self.set(i, r, around.entry);
            }
            Op::Compare(how, ty) => self.set(i, compare(how, ty, arg(1), arg(2)).into(), around.entry),
            Op::Select(ty) => {
                let r = if arg(3) & 1 == 1 { arg(1) } else { arg(2) };
                self.set(i, ty.extend(r), around.entry);
            }
            Op::Convert { to, from, round, saturate } => {
                let r = convert(to, from, round, saturate, arg(1));
                self.set(i, to.extend(r), around.entry);
            }
            Op::Permute => self.set(i, permute(arg(1), arg(2), arg(3)), around.entry),
            _ => return Err(undefined(i)),
        }
        Ok(())
    }

    /// An operand's bits, as wide as its register.
    pub(crate) fn value(&self, operand: &Operand, around: &Around<'_>) -> u64 {
        match operand {
            Operand::Register(r) => self.registers[*r],
            Operand::Immediate(v) => *v,
            Operand::Special(s) => u64::from(match s {
                Special::Tid => self.id.tid,
                Special::NTid => around.threads,
                Special::CtaId => self.id.block,
                Special::NCtaId => around.blocks,
                Special::LaneId => self.id.tid % 32,
            }),
            _ => 0,
        }
    }

    /// Also packs a vector into one register, or takes one apart: the first part holds the low bits (PTX ISA, `mov`).
    fn mov(&mut self, i: &Instruction, ty: Type, around: &Around<'_>) -> Result<(), Fault> {
        let [target, from] = i.args.as_slice() else { return Err(undefined(i)) };
        let (targets, sources) = (parts(target), parts(from));
        let width = |n: usize| ty.bits / n as u32;
        let whole = match sources {
            [one] => self.value(one, around),
            many => many.iter().rev().fold(0, |w, o| {
                let part = self.value(o, around) & (u64::MAX >> (64 - width(many.len())));
                w << width(many.len()) | part
            }),
        };
        match targets {
            [one] => self.put(one, ty.extend(whole), around.entry),
            many => {
                for (k, target) in many.iter().enumerate() {
                    self.put(target, whole >> (k as u32 * width(many.len())), around.entry);
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, i: &Instruction, bits: u64, entry: &Entry) {
        if let Some(target) = i.args.first() {
            self.put(target, bits, entry);
        }
    }

    /// Writes a register, as wide as it is.
    pub(crate) fn put(&mut self, target: &Operand, bits: u64, entry: &Entry) {
        if let Operand::Register(r) = target {
            let width = entry.registers[*r];
            self.registers[*r] = if width == 64 { bits } else { bits & ((1 << width) - 1) };
        }
    }

    pub(crate) fn address(&self, operand: &Operand) -> u64 {
        match operand {
            Operand::Address(base, offset) => {
                let base = match base {
                    Base::Register(r) => self.registers[*r],
                    Base::Constant(at) => *at,
                    Base::Param(_) => 0,
                };
                base.wrapping_add(*offset as u64)
            }
            _ => 0,
        }
    }

    /// The bytes that an access touches.
    pub(crate) fn bytes<'m>(
        &'m mut self,
        i: &Instruction,
        space: Space,
        at: u64,
        len: usize,
        around: &'m mut Around<'_>,
    ) -> Result<&'m mut [u8], Fault> {
        let thread = self.id;
        let wrong = |what: String| Fault::Access { line: i.line, thread, what };
        if !at.is_multiple_of(len as u64) {
            return Err(wrong(format!("{len} bytes at {at:#x}, which {len} does not divide")));
        }
        let plain = |bytes: &'m mut Vec<u8>| {
            let start = usize::try_from(at).ok()?;
            bytes.get_mut(start..start.checked_add(len)?)
        };
        if space == Space::Global && around.global.is_late(at) {
            return Err(wrong("a weak access to what blocks tell one another: it must be relaxed".to_string()));
        }
        let (found, name) = match space {
            Space::Global | Space::Relaxed => (around.global.slice(at, len), "global"),
            Space::Shared => (plain(around.shared), "shared"),
            _ => (plain(&mut self.local), "local"),
        };
        found.ok_or_else(|| wrong(format!("{len} bytes at {at:#x} are outside of all {name} memory")))
    }

    fn load(&mut self, i: &Instruction, space: Space, ty: Type, around: &mut Around<'_>) -> Result<(), Fault> {
        let [target, from] = i.args.as_slice() else { return Err(undefined(i)) };
        if let Operand::Address(Base::Param(p), 0) = from {
            self.put(target, ty.extend(around.params[*p]), around.entry);
            return Ok(());
        }
        let targets = parts(target);
        let at = self.address(from);
        let size = ty.bytes();
        let mut raw = [0; MAX_BYTES];
        let raw = raw.get_mut(..size * targets.len()).ok_or_else(|| undefined(i))?;
        raw.copy_from_slice(self.bytes(i, space, at, raw.len(), around)?);
        for (target, (bytes, k)) in targets.iter().zip(raw.chunks(size).zip(0..)) {
            let found = match (space, size) {
                (Space::Relaxed, 8) => around.global.seen(at + 8 * k, word(bytes)),
                _ => word(bytes),
            };
            self.put(target, ty.extend(found), around.entry);
        }
        Ok(())
    }

    fn store(&mut self, i: &Instruction, space: Space, ty: Type, around: &mut Around<'_>) -> Result<(), Fault> {
        let [to, from] = i.args.as_slice() else { return Err(undefined(i)) };
        let at = self.address(to);
        let size = ty.bytes();
        let mut raw = [0; MAX_BYTES];
        let raw = raw.get_mut(..size * parts(from).len()).ok_or_else(|| undefined(i))?;
        for (bytes, part) in raw.chunks_mut(size).zip(parts(from)) {
            bytes.copy_from_slice(&self.value(part, around).to_le_bytes()[..size]);
        }
        let bytes = self.bytes(i, space, at, raw.len(), around)?;
        if (space, size) != (Space::Relaxed, 8) {
            bytes.copy_from_slice(raw);
            return Ok(());
        }
        let before: Vec<u64> = bytes.chunks(size).map(word).collect();
        bytes.copy_from_slice(raw);
        for ((before, after), k) in before.into_iter().zip(raw.chunks(size).map(word)).zip(0..) {
            around.global.becomes(at + 8 * k, before, after);
        }
        Ok(())
    }

    /// `atom` and `red`: threads take turns, so each is one step (PTX ISA §9.7.13).
    fn atomic(
        &mut self,
        i: &Instruction,
        space: Space,
        op: Atomic,
        ty: Type,
        old: Old,
        around: &mut Around<'_>,
    ) -> Result<(), Fault> {
        let first = usize::from(old == Old::Kept);
        let arg = |k: usize| i.args.get(first + k).map_or(0, |o| self.value(o, around));
        let (x, y) = (arg(1), arg(2));
        let Some(place) = i.args.get(first) else { return Err(undefined(i)) };
        let at = self.address(place);
        let size = ty.bytes();
        let bytes = self.bytes(i, space, at, size, around)?;
        let before = word(bytes);
        let after = match op {
            Atomic::Exchange => x,
            Atomic::CompareAndSwap if before == x & ty.mask() => y,
            Atomic::CompareAndSwap => before,
            Atomic::Do(op) => binary(op, ty, before, x).ok_or_else(|| undefined(i))?,
        };
        bytes.copy_from_slice(&after.to_le_bytes()[..size]);
        if old == Old::Kept {
            self.set(i, ty.extend(before), around.entry);
        }
        Ok(())
    }
}

/// The registers of a vector operand, or the one operand.
fn parts(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(parts) => parts,
        one => std::slice::from_ref(one),
    }
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b))
}

fn undefined(i: &Instruction) -> Fault {
    Fault::Text { line: i.line, what: "this instruction is not defined for its type or operands".to_string() }
}

/// Integer and logical operations (PTX ISA §9.7.1, §9.7.8), floats in [`float`].
pub(crate) fn binary(op: Binary, ty: Type, a: u64, b: u64) -> Option<u64> {
    if ty.is_float() {
        return float::binary(op, ty, a, b);
    }
    // Shift counts are 32 bits wide, and clamped to the width (PTX ISA §9.7.8, shl and shr).
    let count = (b & 0xffff_ffff).min(ty.bits.into()) as u32;
    let (x, y) = (ty.integer(a), ty.integer(b));
    let r = match op {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        // By zero the result is unspecified (PTX ISA §9.7.1, div): all ones here.
        Binary::Div | Binary::Rem if y == 0 => -1,
        Binary::Div => x / y,
        Binary::Rem => x % y,
        Binary::Min => x.min(y),
        Binary::Max => x.max(y),
        Binary::And => return Some(ty.extend(a & b)),
        Binary::Or => return Some(ty.extend(a | b)),
        Binary::Xor => return Some(ty.extend(a ^ b)),
        Binary::Shl => return Some(ty.extend((a & ty.mask()).checked_shl(count).unwrap_or(0))),
        Binary::Shr => x >> count,
        _ => return None,
    };
    Some(ty.extend(r as u64))
}

fn unary(op: Unary, ty: Type, a: u64) -> u64 {
    let sign = 1u64 << (ty.bits - 1);
    let low = a & ty.mask();
    match op {
        Unary::Neg if ty.is_float() => low ^ sign,
        Unary::Neg => ty.extend((-ty.integer(a)) as u64),
        Unary::Abs if ty.is_float() => low & !sign,
        Unary::Abs => ty.extend(ty.integer(a).unsigned_abs() as u64),
        Unary::Not => ty.extend(!a),
        Unary::Sqrt => float::sqrt(ty, a),
        Unary::Root => float::flushed(a, f64::sqrt),
        Unary::Reciprocal => float::flushed(a, |x| 1.0 / x),
        Unary::ReciprocalRoot => float::flushed(a, |x| 1.0 / x.sqrt()),
        Unary::Exp2 => float::flushed(a, f64::exp2),
        Unary::Log2 => float::flushed(a, f64::log2),
        Unary::Sin => float::flushed(a, f64::sin),
        Unary::Cos => float::flushed(a, f64::cos),
        Unary::Tanh => float::single(a, f64::tanh),
        Unary::PopCount => low.count_ones().into(),
        Unary::LeadingZeros => u64::from(low.leading_zeros() + ty.bits - 64),
        Unary::Reverse => low.reverse_bits() >> (64 - ty.bits),
    }
}

/// `mul` and `mad` (PTX ISA §9.7.1): the low half, the high half, or all of the product in twice the width.
fn multiply(half: Half, ty: Type, a: u64, b: u64, c: u64) -> u64 {
    let product = ty.integer(a).wrapping_mul(ty.integer(b));
    match half {
        Half::Low => ty.extend((product as u64).wrapping_add(c)),
        Half::High if ty.bits == 64 && ty.limits().0 == 0 => {
            let wide = u128::from(a) * u128::from(b);
            ((wide >> 64) as u64).wrapping_add(c)
        }
        Half::High => ty.extend(((product >> ty.bits) as u64).wrapping_add(c)),
        Half::Wide => {
            let wide = Type { bits: ty.bits * 2, ..ty };
            wide.extend((product as u64).wrapping_add(c))
        }
    }
}

fn compare(how: Compare, ty: Type, a: u64, b: u64) -> bool {
    let order =
        if ty.is_float() { to_f64(ty, a).partial_cmp(&to_f64(ty, b)) } else { Some(ty.integer(a).cmp(&ty.integer(b))) };
    match order {
        None => how.unordered,
        Some(o) => (o.is_lt() && how.less) || (o.is_eq() && how.equal) || (o.is_gt() && how.greater),
    }
}

/// `prmt`: bytes of two words picked by four nibbles, the high bit of each spreading the byte's sign (PTX ISA §9.7.9).
fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = (a & 0xffff_ffff) | (b << 32);
    (0..4).fold(0, |r, k| {
        let pick = selector >> (4 * k) & 0xf;
        let byte = bytes >> (8 * (pick & 7)) & 0xff;
        let byte = if pick & 8 == 0 { byte } else { 0xff * (byte >> 7) };
        r | byte << (8 * k)
    })
}
