//! The meaning of the library's functions that change or cut arrays: on lists.

use super::{Meaning, Result, Value};
use crate::types::programs::columns;

impl<'k> Meaning<'k> {
    /// A function on arrays; `None` where it is none of these.
    pub(super) fn arrays(&self, name: &str, args: &[Value<'k>]) -> Result<Option<Value<'k>>> {
        if let Some(value) = self.make(name, args)? {
            return Ok(Some(value));
        }
        let Some(Value::Array(xs)) = args.first() else { return Ok(None) };
        if let Some(value) = self.changed(name, xs, args)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.cut(name, xs, args)? {
            return Ok(Some(value));
        }
        self.network(name, xs, args)
    }

    fn make(&self, name: &str, args: &[Value<'k>]) -> Result<Option<Value<'k>>> {
        let list = match name {
            "mk_pull" => {
                (0..args[0].number()?).map(|i| self.apply(&args[1], vec![Value::u32(i)])).collect::<Result<_>>()?
            }
            "replicate" => vec![args[1].clone(); args[0].number()?],
            "iota" => (0..args[0].number()?).map(Value::u32).collect(),
            "singleton" => vec![args[0].clone()],
            _ => return Ok(None),
        };
        Ok(Some(Value::array(list)))
    }

    fn changed(&self, name: &str, xs: &[Value<'k>], args: &[Value<'k>]) -> Result<Option<Value<'k>>> {
        let n = xs.len();
        let list: Vec<Value<'k>> = match name {
            "map" | "seq_map" => xs.iter().map(|x| self.apply(&args[1], vec![x.clone()])).collect::<Result<_>>()?,
            "zip_with" => {
                let both = xs.iter().zip(args[1].list()?.iter());
                both.map(|(x, y)| self.apply(&args[2], vec![x.clone(), y.clone()])).collect::<Result<_>>()?
            }
            "zip" => xs.iter().zip(args[1].list()?.iter()).map(|(x, y)| Value::pair(x.clone(), y.clone())).collect(),
            "reverse" => xs.iter().rev().cloned().collect(),
            "rotate" => {
                let k = args[1].number()? % n.max(1);
                xs[k..].iter().chain(&xs[..k]).cloned().collect()
            }
            "shift_right" => {
                let k = args[1].number()?;
                std::iter::repeat_n(&args[2], k).chain(&xs[..n - k]).cloned().collect()
            }
            "ix_map" => return self.gathered(xs, args).map(Some),
            "stencil" => {
                let radius = args[1].number()? as isize;
                let near = |i: isize| xs[i.clamp(0, n as isize - 1) as usize].clone();
                let window = |i: usize| Value::array((-radius..=radius).map(|d| near(i as isize + d)).collect());
                (0..n).map(|i| self.apply(&args[2], vec![window(i)])).collect::<Result<_>>()?
            }
            "pad_to" => {
                let fill = std::iter::repeat_n(&args[2], args[1].number()? - n);
                xs.iter().chain(fill).cloned().collect()
            }
            "pair" => xs.chunks(2).map(|p| Value::pair(p[0].clone(), p[1].clone())).collect(),
            "unpair" => {
                let pairs = xs.iter().map(|p| p.tuple().map(|t| t.to_vec())).collect::<Result<Vec<_>>>()?;
                pairs.concat()
            }
            "append" => xs.iter().chain(args[1].list()?.iter()).cloned().collect(),
            "interleave" => xs.iter().zip(args[1].list()?.iter()).flat_map(|(x, y)| [x.clone(), y.clone()]).collect(),
            "push" | "compute" | "force" | "compute_padded" | "compute_lanes" | "load" => xs.to_vec(),
            "first" => return Ok(xs.first().cloned()),
            "last" => return Ok(xs.last().cloned()),
            _ => return Ok(None),
        };
        Ok(Some(Value::array(list)))
    }

    /// On a pull array a gather. Push arrays are generated with permutations that undo themselves: there a scatter is the
    /// same.
    fn gathered(&self, xs: &[Value<'k>], args: &[Value<'k>]) -> Result<Value<'k>> {
        let at = |i: usize| self.apply(&args[1], vec![Value::u32(i)])?.number();
        let element = |i: usize| xs.get(at(i)?).cloned().ok_or(super::NoMeaning::OutOfRange);
        Ok(Value::array((0..xs.len()).map(element).collect::<Result<_>>()?))
    }

    fn cut(&self, name: &str, xs: &[Value<'k>], args: &[Value<'k>]) -> Result<Option<Value<'k>>> {
        let n = xs.len();
        let size = || args[1].number();
        let every =
            |from: usize, step: usize| -> Vec<Value<'k>> { xs.iter().skip(from).step_by(step).cloned().collect() };
        let rows = |k: usize| -> Vec<Value<'k>> { xs.chunks(k).map(|c| Value::array(c.to_vec())).collect() };
        let list = match name {
            "take" => xs[..size()?].to_vec(),
            "take_last" => xs[n - size()?..].to_vec(),
            "drop" | "shift_left" => xs[size()?..].to_vec(),
            "halve" => {
                let (lo, hi) = xs.split_at(n / 2);
                return Ok(Some(Value::pair(Value::array(lo.to_vec()), Value::array(hi.to_vec()))));
            }
            "even_odds" => return Ok(Some(Value::pair(Value::array(every(0, 2)), Value::array(every(1, 2))))),
            "evens" => every(0, 2),
            "odds" => every(1, 2),
            "every_nth" => every(args[2].number()?, size()?),
            "split_up" => rows(size()?),
            "split_into" => rows(n / size()?),
            "coalesce" => {
                let parts = n / size()?;
                (0..parts).map(|i| Value::array(every(i, parts))).collect()
            }
            "concat" => {
                let rows = xs.iter().map(|r| r.list().map(|l| l.to_vec())).collect::<Result<Vec<_>>>()?;
                rows.concat()
            }
            "transpose" => {
                let rows = xs.iter().map(|r| r.list().map(|l| l.to_vec())).collect::<Result<Vec<_>>>()?;
                let width = rows.first().map_or(0, Vec::len);
                (0..width).map(|j| Value::array(rows.iter().map(|r| r[j].clone()).collect())).collect()
            }
            _ => return Ok(None),
        };
        Ok(Some(Value::array(list)))
    }

    fn network(&self, name: &str, xs: &[Value<'k>], args: &[Value<'k>]) -> Result<Option<Value<'k>>> {
        let n = xs.len();
        if args.len() == 2 && (name == "two" || name == "ilv") {
            let (lo, hi): (Vec<_>, Vec<_>) = match name {
                "two" => (xs[..n / 2].to_vec(), xs[n / 2..].to_vec()),
                _ => (xs.iter().step_by(2).cloned().collect(), xs.iter().skip(1).step_by(2).cloned().collect()),
            };
            let (lo, hi) =
                (self.apply(&args[1], vec![Value::array(lo)])?, self.apply(&args[1], vec![Value::array(hi)])?);
            let (lo, hi) = (lo.list()?.to_vec(), hi.list()?.to_vec());
            let joined = match name {
                "two" => [lo, hi].concat(),
                _ => lo.into_iter().zip(hi).flat_map(|(a, b)| [a, b]).collect(),
            };
            return Ok(Some(Value::array(joined)));
        }
        if args.len() != 4 || !matches!(name, "ilv" | "vee" | "ilv2" | "vee2" | "i_swap2" | "i_swap3") {
            return Ok(None);
        }
        let (farthest, columns) = (args[1].number()?, columns(name));
        let mut list = xs.to_vec();
        for column in 0..columns {
            let distance = 1usize << (farthest - column as usize);
            let mirror = if name.starts_with("vee") { 2 * distance - 1 } else { distance };
            let element = |i: usize| {
                let lower = i & distance == 0;
                let (a, b) = if lower { (i, i ^ mirror) } else { (i ^ mirror, i) };
                self.apply(&args[if lower { 2 } else { 3 }], vec![list[a].clone(), list[b].clone()])
            };
            list = (0..n).map(element).collect::<Result<_>>()?;
        }
        Ok(Some(Value::array(list)))
    }
}
