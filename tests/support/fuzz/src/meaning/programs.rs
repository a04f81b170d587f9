//! The meaning of the library's functions that run at a level: the same at each.

use super::{Meaning, Result, Value, malformed};
use crate::ast::{Cut, InChunk};
use obsidian_ir::program::{BinOp, Const, arith};

impl<'k> Meaning<'k> {
    /// A function that runs at a level; `None` where it is none of these.
    pub(super) fn programs(&self, name: &str, args: &[Value<'k>]) -> Result<Option<Value<'k>>> {
        if name.starts_with("exec") {
            return Ok(Some(match &args[0] {
                Value::Array(_) => args[0].clone(),
                one => Value::array(vec![one.clone()]),
            }));
        }
        match name {
            "as_thread_map" | "as_warp_map" | "as_block_map" | "as_grid_map" => {
                let part = |x: &Value<'k>| Ok(self.apply(&args[1], vec![x.clone()])?.list()?.to_vec());
                let parts = args[0].list()?.iter().map(part).collect::<Result<Vec<_>>>()?;
                Ok(Some(Value::array(parts.concat())))
            }
            "reduce" | "red1" | "red2" | "reduce_lanes" => {
                self.folded(&args[1], args[0].list()?).map(|x| Some(Value::array(vec![x])))
            }
            "ballot" => Ok(Some(mask(args[0].list()?, |x| Ok(x.constant()?.bits != 0))?)),
            "any" | "all" => {
                let flags =
                    args[0].list()?.iter().map(|x| Ok(x.constant()?.bits != 0)).collect::<Result<Vec<bool>>>()?;
                let holds = if name == "any" { flags.contains(&true) } else { !flags.contains(&false) };
                Ok(Some(Value::Scalar(Const::bool(holds))))
            }
            "match_any" => {
                let keys = args[0].list()?;
                let same = |own: &Value<'k>| {
                    let own = own.constant()?;
                    mask(keys, |x| Ok(x.constant()? == own))
                };
                Ok(Some(Value::array(keys.iter().map(same).collect::<Result<_>>()?)))
            }
            "seq_reduce" | "fold1" => self.folded(&args[1], args[0].list()?).map(Some),
            "sum" | "product" | "minimum" | "maximum" | "count" => self.total(name, args).map(Some),
            _ if name.starts_with("scan_") || name == "seq_scan" => self.scanned(&args[1], args[0].list()?).map(Some),
            _ if name.starts_with("sort_") || matches!(name, "tsort2" | "vsort2") => sorted(args[0].list()?).map(Some),
            _ => self.loops(name, args),
        }
    }

    /// What a grid makes of the parts of an array.
    pub(super) fn chunked(&self, (what, cut): (InChunk, Cut), args: &[Value<'k>]) -> Result<Value<'k>> {
        let all = args[0].list()?;
        let k = cut.width(all.len() as u32).max(1);
        let rows = all.len() / k as usize;
        let all = if matches!(cut, Cut::Rows(_)) { &all[..rows * k as usize] } else { all };
        if what == InChunk::Turned {
            let places = (0..k as usize).flat_map(|c| (0..rows).map(move |r| r * k as usize + c));
            return Ok(Value::array(places.map(|i| all[i].clone()).collect()));
        }
        let made = all.chunks(k as usize).map(|chunk| match what {
            InChunk::Whole | InChunk::Copied | InChunk::Turned => Ok(chunk.to_vec()),
            InChunk::Reversed | InChunk::Stored => Ok(chunk.iter().rev().cloned().collect()),
            InChunk::Mapped => chunk.iter().map(|x| self.apply(&args[1], vec![x.clone()])).collect(),
            InChunk::Folded => self.folded(&args[1], chunk).map(|x| vec![x]),
            InChunk::Scanned => self.scanned(&args[1], chunk)?.list().map(|xs| xs.to_vec()),
            InChunk::Sorted => sorted(chunk)?.list().map(|xs| xs.to_vec()),
            InChunk::Filled => {
                let mut filled = chunk.to_vec();
                filled.resize(k as usize, args[1].clone());
                self.apply(&args[2], vec![Value::array(filled)])?.list().map(|xs| xs.to_vec())
            }
        });
        Ok(Value::array(made.collect::<Result<Vec<_>>>()?.concat()))
    }

    pub(super) fn folded(&self, f: &Value<'k>, xs: &[Value<'k>]) -> Result<Value<'k>> {
        let Some((first, rest)) = xs.split_first() else { return malformed("fold of nothing") };
        rest.iter().try_fold(first.clone(), |acc, x| self.apply(f, vec![acc, x.clone()]))
    }

    fn total(&self, name: &str, args: &[Value<'k>]) -> Result<Value<'k>> {
        let xs = args[0].list()?;
        if name == "count" {
            let holds = |x: &Value<'k>| Ok(usize::from(self.apply(&args[1], vec![x.clone()])?.constant()?.bits != 0));
            return Ok(Value::u32(xs.iter().map(holds).sum::<Result<usize>>()?));
        }
        let (op, first) = match name {
            "sum" => (BinOp::Add, None),
            "product" => (BinOp::Mul, None),
            "minimum" => (BinOp::Min, xs.first()),
            _ => (BinOp::Max, xs.first()),
        };
        let Some(ty) = xs.first() else { return malformed("a total of nothing") };
        let none = Const { ty: ty.constant()?.ty, bits: u64::from(name == "product") };
        let first = first.map_or(Ok(none), Value::constant)?;
        let all = xs.iter().try_fold(first, |acc, x| Ok(arith::bin(op, acc, x.constant()?)))?;
        Ok(Value::Scalar(all))
    }

    fn scanned(&self, f: &Value<'k>, xs: &[Value<'k>]) -> Result<Value<'k>> {
        let mut list: Vec<Value<'k>> = Vec::new();
        for x in xs {
            let next = match list.last() {
                Some(acc) => self.apply(f, vec![acc.clone(), x.clone()])?,
                None => x.clone(),
            };
            list.push(next);
        }
        Ok(Value::array(list))
    }

    fn loops(&self, name: &str, args: &[Value<'k>]) -> Result<Option<Value<'k>>> {
        Ok(Some(match name {
            "seq_fold" => {
                let mut acc = args[1].clone();
                for i in 0..args[0].number()? {
                    acc = self.apply(&args[2], vec![acc, Value::u32(i)])?;
                }
                acc
            }
            "seq_while" => {
                let mut state = args[0].clone();
                while self.apply(&args[1], vec![state.clone()])?.number()? != 0 {
                    state = self.apply(&args[2], vec![state])?;
                }
                state
            }
            "power" => {
                let mut array = args[0].clone();
                for k in 0..args[1].number()? {
                    array = self.apply(&args[2], vec![Value::u32(k), array])?;
                }
                array
            }
            "foldl" | "seq_scan_cin" | "scanl" => {
                let mut states = vec![args[1].clone()];
                for x in args[0].list()?.iter() {
                    let last = states[states.len() - 1].clone();
                    states.push(self.apply(&args[2], vec![last, x.clone()])?);
                }
                match name {
                    "foldl" => states[states.len() - 1].clone(),
                    "scanl" => Value::array(states),
                    _ => Value::array(states[1..].to_vec()),
                }
            }
            "map_accum_l" | "map_accum_r" | "s_map_accum" => return self.carried(name, args).map(Some),
            _ => return Ok(None),
        }))
    }

    fn carried(&self, name: &str, args: &[Value<'k>]) -> Result<Value<'k>> {
        let mut xs = args[0].list()?.to_vec();
        if name == "map_accum_r" {
            xs.reverse();
        }
        let (mut acc, mut list) = (args[1].clone(), Vec::new());
        for x in xs {
            let both = self.apply(&args[2], vec![acc, x])?;
            let both = both.tuple()?;
            acc = both[0].clone();
            match (&both[1], name) {
                (Value::Array(part), "s_map_accum") => list.extend(part.iter().cloned()),
                (one, _) => list.push(one.clone()),
            }
        }
        if name == "map_accum_r" {
            list.reverse();
        }
        Ok(Value::array(list))
    }
}

/// Integers, ascending.
pub(super) fn sorted<'k>(xs: &[Value<'k>]) -> Result<Value<'k>> {
    let mut numbers = xs.iter().map(Value::constant).collect::<Result<Vec<_>>>()?;
    numbers.sort_by_key(|c| c.int());
    Ok(Value::array(numbers.into_iter().map(Value::Scalar).collect()))
}

/// A bit for each element for which it holds.
fn mask<'k>(xs: &[Value<'k>], holds: impl Fn(&Value<'k>) -> Result<bool>) -> Result<Value<'k>> {
    let bits = xs.iter().enumerate().map(|(i, x)| Ok(usize::from(holds(x)?) << i)).sum::<Result<usize>>()?;
    Ok(Value::u32(bits))
}
