//! What the library's chains of tiles are made of: cells that the host keeps, whole tiles by number, values as words.

use super::Stage;
use super::arrays::Stored;
use super::chunks::Chunk;
use super::value::{Func, Mut, Pull, Value};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::module::{Chaining, StepKind};
use obsidian_ir::program::{BinOp, ElementShape, ExprId, ScalarType};
use std::rc::Rc;

impl Stage {
    /// Asks the host how a chain is gone through: whether in one pass, then the epoch, the patience, and the cells, `each` for a tile
    /// where it is one pass and none elsewhere.
    pub(super) fn chain_cells(&mut self, tiles: ExprId, each: ExprId) -> Result<Value> {
        let (tiles, each) =
            (self.host_known(tiles, "the number of tiles")?, self.host_known(each, "the number of cells")?);
        let (once, is_once) = self.host_variable("once", ScalarType::Bool);
        let (epoch, of_launch) = self.host_variable("epoch", ScalarType::U32);
        let (patience, looks) = self.host_variable("patience", ScalarType::U32);
        let (all, none) = (self.bin(BinOp::Mul, tiles, each), self.u32(0));
        let len = self.p.exprs.select(is_once, all, none);
        let (cells, arrays) = self.new_buffer(&[ScalarType::U64], ElementShape::Scalar, len);
        self.host_step(StepKind::Chain(Chaining { once, epoch, patience, cells }));
        let word = Value::Scalar(self.p.exprs.scalar(epoch, ScalarType::U32));
        let stored = arrays.into_iter().map(|array| (array, ScalarType::U64)).collect();
        let cells = self.mutable_array(Mut::in_memory(len, Rc::new(Stored::existing(stored, word))));
        let values = [is_once, of_launch, looks].map(Value::Scalar);
        Ok(Value::Tuple(values.into_iter().chain([cells]).collect()))
    }

    /// How many of the first of `tiles` are as long as all others but the last.
    pub(super) fn whole_tiles(&self, tiles: &Pull) -> ExprId {
        self.cut_into(tiles.len).map_or(tiles.len, |cut| cut.whole())
    }

    /// A tile that is a whole one.
    pub(super) fn whole_tile(&mut self, tiles: &Pull, k: ExprId) -> Result<Value> {
        if self.cut_into(tiles.len).is_some() {
            self.placed.insert((tiles.len, k), Chunk::Whole);
        }
        self.index(tiles, k)
    }

    /// The number of words of the first part of what `total` gives of a tile. It is evaluated, and nothing of it is kept.
    pub(super) fn words_of_total(&mut self, tiles: &Pull, total: &Func) -> Result<u32> {
        let outer = self.begin_kernel()?;
        let found = self.capture(|s| {
            s.under(Level::Block, |s| {
                let (_, k) = s.index_var("b", tiles.len);
                let tile = s.whole_tile(tiles, k)?;
                let given = s.apply(total, vec![tile])?;
                match &given {
                    Value::Tuple(parts) if !parts.is_empty() => Ok(s.words(&parts[0])?.len() as u32),
                    _ => Err(s.error("OB099", "what a tile gives is no pair; please report this")),
                }
            })
        });
        let _ = self.end_kernel(outer);
        found.map(|(_, words)| words)
    }

    /// The bits of a value as words of 32 bits.
    pub(super) fn words(&mut self, v: &Value) -> Result<Vec<ExprId>> {
        let mut words = Vec::new();
        for leaf in v.leaves(self)? {
            let exprs = &mut self.p.exprs;
            let ty = exprs.ty(leaf);
            let bits = match ty {
                ScalarType::Bool => leaf,
                ty if ty.is_float() || ty.bytes() >= 4 => exprs.bits(leaf, ty.unsigned()),
                ty => exprs.cast(leaf, ty.unsigned()),
            };
            words.push(exprs.cast(bits, ScalarType::U32));
            if ty.bytes() == 8 {
                let by = exprs.constant(obsidian_ir::program::Const { ty: ScalarType::U64, bits: 32 });
                let upper = exprs.bin(BinOp::Shr, bits, by);
                words.push(exprs.cast(upper, ScalarType::U32));
            }
        }
        Ok(words)
    }

    /// The value of the form of `like` that has these words.
    pub(super) fn of_words(&mut self, like: &Value, words: &[ExprId]) -> Result<Value> {
        let mut words = words.iter().copied();
        let mut leaves = Vec::new();
        for leaf in like.leaves(self)? {
            let ty = self.p.exprs.ty(leaf);
            let mut next = || words.next().ok_or(());
            let (Ok(low), high) = (next(), if ty.bytes() == 8 { next() } else { Err(()) }) else {
                return Err(self.error("OB099", "a value of fewer words than it has; please report this"));
            };
            let exprs = &mut self.p.exprs;
            let bits = match (ty, high) {
                (ScalarType::Bool, _) => {
                    let zero = exprs.u32(0);
                    leaves.push(exprs.bin(BinOp::Ne, low, zero));
                    continue;
                }
                (_, Ok(high)) => {
                    let by = exprs.constant(obsidian_ir::program::Const { ty: ScalarType::U64, bits: 32 });
                    let (low, high) = (exprs.cast(low, ScalarType::U64), exprs.cast(high, ScalarType::U64));
                    let upper = exprs.bin(BinOp::Shl, high, by);
                    exprs.bin(BinOp::Or, upper, low)
                }
                _ => exprs.cast(low, ty.unsigned()),
            };
            leaves.push(if exprs.ty(bits) == ty { bits } else { exprs.bits(bits, ty) });
        }
        Ok(like.rebuild(&mut leaves.into_iter()))
    }
}
