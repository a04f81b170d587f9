//! Shuffles: `shfl.sync` for every type. In: the statement's parts. Out: text; the variable is bound to what was read.
//! Never guarded: the mask names all 32 lanes, and each of them must execute the instruction.

use super::emit::Emitter;
use super::regs::{Class, Operand};
use crate::program::{BinOp, ExprId, ShuffleKind, VarId};

impl Emitter<'_> {
    pub(super) fn shuffle(&mut self, var: VarId, value: ExprId, kind: ShuffleKind, lane: ExprId) {
        let class = Class::of(self.p.exprs.ty(value));
        let (x, lane) = (self.value_reg(value), self.value(lane));
        let got = match class {
            _ if matches!(kind, ShuffleKind::Ballot | ShuffleKind::Same) => self.mask(class, &x, kind),
            Class::Pred => match kind {
                ShuffleKind::All(op) => {
                    let vote = if op == BinOp::Or { "any" } else { "all" };
                    self.compute(&format!("vote.sync.{vote}.pred"), Class::Pred, &[&x, &"0xffffffff"])
                }
                _ => {
                    let bit = self.compute("selp.u32", Class::U32, &[&1, &0, &x]);
                    let bit = self.shuffle_word(Class::U32, &bit, kind, &lane);
                    self.compute("setp.ne.u32", Class::Pred, &[&bit, &0])
                }
            },
            Class::Half => {
                let wide = self.compute("cvt.u32.u16", Class::U32, &[&x]);
                let wide = self.shuffle_word(Class::U32, &wide, kind, &lane);
                self.compute("cvt.u16.u32", Class::Half, &[&wide])
            }
            Class::U32 | Class::S32 | Class::F32 => self.shuffle_word(class, &x, kind, &lane),
            Class::U64 | Class::S64 | Class::F64 | Class::Addr => self.shuffle_halves(class, &x, kind, &lane),
        };
        self.bind(var, got);
    }

    /// A bit for each lane (PTX ISA, `vote.sync` and `match.sync`).
    fn mask(&mut self, class: Class, x: &Operand, kind: ShuffleKind) -> Operand {
        let name = match class {
            _ if kind == ShuffleKind::Ballot => "vote.sync.ballot.b32",
            Class::U64 | Class::S64 => "match.any.sync.b64",
            _ => "match.any.sync.b32",
        };
        self.compute(name, Class::U32, &[x, &"0xffffffff"])
    }

    /// For `up`, the last operand is the least lane that is read; for the others, the greatest (PTX ISA, `shfl.sync`).
    fn shuffle_word(&mut self, class: Class, x: &Operand, kind: ShuffleKind, lane: &Operand) -> Operand {
        let (mode, bound) = match kind {
            ShuffleKind::Index => ("idx", 31),
            ShuffleKind::Xor => ("bfly", 31),
            ShuffleKind::Up => ("up", 0),
            ShuffleKind::Down => ("down", 31),
            ShuffleKind::All(op) => return self.reduce_word(class, x, op),
            ShuffleKind::Ballot | ShuffleKind::Same => return self.mask(class, x, kind),
        };
        self.compute(&format!("shfl.sync.{mode}.b32"), class, &[x, lane, &bound, &"0xffffffff"])
    }

    /// For bitwise operations the type is untyped bits (PTX ISA, `redux.sync`).
    fn reduce_word(&mut self, class: Class, x: &Operand, op: BinOp) -> Operand {
        let bitwise = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
        let ty = if bitwise { "b32" } else { class.ty() };
        self.compute(&format!("redux.sync.{}.{ty}", op.reduction()), class, &[x, &"0xffffffff"])
    }

    /// `shfl` moves 32 bits: the two halves go one after the other.
    fn shuffle_halves(&mut self, class: Class, x: &Operand, kind: ShuffleKind, lane: &Operand) -> Operand {
        let (low, high) = (self.regs.fresh(Class::U32), self.regs.fresh(Class::U32));
        self.ins(&format!("mov.b64 {{{low}, {high}}}, {x};"));
        let low = self.shuffle_word(Class::U32, &Operand::temp(low), kind, lane);
        let high = self.shuffle_word(Class::U32, &Operand::temp(high), kind, lane);
        let whole = self.regs.fresh(class);
        self.ins(&format!("mov.b64 {whole}, {{{low}, {high}}};"));
        Operand::temp(whole)
    }
}
