//! What launches make of arrays.

use super::{Meaning, Result, Value, programs};
use crate::ast::{Launched, reshaped, segment};

impl<'k> Meaning<'k> {
    /// What launches make of an array.
    pub(super) fn launched(&self, what: Launched, args: &[Value<'k>]) -> Result<Value<'k>> {
        let list = args[0].list()?;
        let Some(first) = list.first() else { return Ok(args[0].clone()) };
        let made = match what {
            Launched::Stored => list.to_vec(),
            Launched::Repeated => self.repeated(list, &args[1], (list.len() - 1) % 3)?,
            Launched::Chosen => self.repeated(list, &args[1], usize::from(list.len().is_multiple_of(2)))?,
            Launched::Replaced => self.repeated(list, &args[1], (list.len() % 4).div_ceil(2))?,
            Launched::Shaped => self.repeated(list, &args[1], reshaped(list.len()))?,
            Launched::Sorted => return programs::sorted(list),
            Launched::Parted => self.parted(list, &args[1])?,
            Launched::Scanned => self.running(list, &args[1], |_| Ok(false))?,
            Launched::Combined => {
                let sums = self.running(list, &args[1], |_| Ok(false))?;
                let total = &sums[sums.len() - 1];
                list.iter().map(|x| self.apply(&args[1], vec![total.clone(), x.clone()])).collect::<Result<_>>()?
            }
            Launched::Excluded => {
                let shifted: Vec<_> = std::iter::once(first).chain(&list[..list.len() - 1]).cloned().collect();
                self.running(&shifted, &args[1], |_| Ok(false))?
            }
            Launched::Segmented => {
                self.running(list, &args[1], |x| Ok(self.apply(&args[2], vec![x.clone()])?.number()? != 0))?
            }
            Launched::Segments => self.segments(list, &args[1])?,
            Launched::Turned => {
                let columns = 2 - list.len() % 2;
                (0..columns).flat_map(|c| list.iter().skip(c).step_by(columns)).cloned().collect()
            }
            Launched::Chained => {
                let (mut state, mut out) = (first.clone(), Vec::new());
                for tile in list.chunks(3) {
                    for x in tile {
                        out.push(self.apply(&args[1], vec![state.clone(), x.clone()])?);
                    }
                    state = self.apply(&args[1], vec![state, tile[0].clone()])?;
                }
                out
            }
            Launched::Doubled => {
                let mut made = self.repeated(list, &args[1], 1)?;
                made.reverse();
                let even = list.iter().step_by(2).cloned();
                made.iter_mut().step_by(2).zip(even).for_each(|(to, x)| *to = x);
                made
            }
            Launched::Runs => runs(list)?,
            Launched::Greatest => {
                let mut sorted = programs::sorted(list)?.list()?.to_vec();
                sorted.reverse();
                sorted.truncate(3);
                sorted.iter().chain(&list[sorted.len()..]).cloned().collect()
            }
        };
        Ok(Value::array(made))
    }

    fn repeated(&self, list: &[Value<'k>], f: &Value<'k>, rounds: usize) -> Result<Vec<Value<'k>>> {
        let mut now = list.to_vec();
        for _ in 0..rounds {
            now = now.into_iter().map(|x| self.apply(f, vec![x])).collect::<Result<_>>()?;
        }
        Ok(now)
    }

    fn parted(&self, list: &[Value<'k>], keep: &Value<'k>) -> Result<Vec<Value<'k>>> {
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        for x in list {
            let holds = self.apply(keep, vec![x.clone()])?.number()? != 0;
            if holds { kept.push(x.clone()) } else { left.push(x.clone()) }
        }
        kept.extend(left);
        Ok(kept)
    }

    /// The left folds of all beginnings; again from an element of which `starts` holds.
    fn running(
        &self,
        list: &[Value<'k>],
        f: &Value<'k>,
        starts: impl Fn(&Value<'k>) -> Result<bool>,
    ) -> Result<Vec<Value<'k>>> {
        let mut sums: Vec<Value<'k>> = Vec::new();
        for x in list {
            let sum = match sums.last() {
                Some(sum) if !starts(x)? => self.apply(f, vec![sum.clone(), x.clone()])?,
                _ => x.clone(),
            };
            sums.push(sum);
        }
        Ok(sums)
    }

    /// The folds of the segments from the first element of all.
    fn segments(&self, list: &[Value<'k>], f: &Value<'k>) -> Result<Vec<Value<'k>>> {
        let n = list.len() as u32;
        let fold = |s: u32| {
            let (from, to) = (segment(s, n) as usize, segment(s + 1, n) as usize);
            let mut part = list.get(from..to).unwrap_or(&[]).iter();
            part.try_fold(list[0].clone(), |acc, x| self.apply(f, vec![acc, x.clone()]))
        };
        (0..n).map(fold).collect()
    }
}

/// Integers; where run `k` has several elements, element `k` is one of them.
fn runs<'k>(list: &[Value<'k>]) -> Result<Vec<Value<'k>>> {
    let numbers = list.iter().map(|x| Ok(x.constant()?.int())).collect::<Result<Vec<_>>>()?;
    let mut out = list.to_vec();
    let mut from = 0;
    for (k, run) in numbers.chunk_by(|a, b| a == b).enumerate() {
        if run.len() > 1 {
            out[k] = list[from].clone();
        }
        from += run.len();
    }
    Ok(out)
}
