//! The exchanges, made of messages between two ranks. In: finished results; out: vectors.

use super::done::Finished;
use super::halo::{self, Halo, RowShares};
use super::message::{HEADER, Operation};
use super::payload::{self, type_tag};
use super::ranks::Ranks;
use super::wire::Wire;
use super::{Exchange, Run};
use crate::element::Element;
use crate::error::Error;

impl<W: Wire> Exchange for Ranks<W> {
    fn rank(&self) -> usize {
        self.wire().rank()
    }

    fn size(&self) -> usize {
        self.wire().size()
    }

    fn all_merge<T: Element>(
        &self,
        mine: &impl Finished<T>,
        mut merge: impl FnMut(Run<T>, Run<T>) -> Vec<T>,
    ) -> Result<Vec<T>, Error> {
        self.begin(Operation::AllMerge, 0, type_tag::<T>())?;
        self.merged(mine, |_, left, right| Ok(merge(left, right)))
    }

    fn merge_before<T: Element>(
        &self,
        mine: &impl Finished<T>,
        mut merge: impl FnMut(Run<T>, Run<T>) -> Vec<T>,
    ) -> Result<Option<Vec<T>>, Error> {
        self.begin(Operation::MergeBefore, 0, type_tag::<T>())?;
        self.merged_before(mine, |_, left, right| Ok(merge(left, right)))
    }

    fn all_reduce<T: Element>(&self, mine: &impl Finished<T>, mut op: impl FnMut(T, T) -> T) -> Result<Vec<T>, Error> {
        self.begin(Operation::AllReduce, 0, type_tag::<T>())?;
        self.merged(mine, |other, left, right| self.each(other, mine.len(), left.values, right.values, &mut op))
    }

    fn scan_exclusive<T: Element>(
        &self,
        mine: &impl Finished<T>,
        mut op: impl FnMut(T, T) -> T,
    ) -> Result<Option<Vec<T>>, Error> {
        self.begin(Operation::ScanExclusive, 0, type_tag::<T>())?;
        self.merged_before(mine, |other, left, right| self.each(other, mine.len(), left.values, right.values, &mut op))
    }

    fn all_to_all_v<T: Element>(&self, mine: &impl Finished<T>, counts: &[usize]) -> Result<Vec<Vec<T>>, Error> {
        self.begin(Operation::AllToAllV, 0, type_tag::<T>())?;
        let (me, size) = (self.rank(), self.size());
        let sum = counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count));
        if counts.len() != size || sum != Some(mine.len()) {
            let counted = format!("{} parts of {sum:?} elements", counts.len());
            return Err(self.broken_off(format!("it sends {} elements to {size} ranks in {counted}", mine.len())));
        }
        let starts: Vec<usize> = counts.iter().scan(0, |at, count| Some(std::mem::replace(at, *at + count))).collect();
        let part = |to: usize| &mine[starts[to]..starts[to] + counts[to]];
        for step in 1..size {
            let to = (me + step) % size;
            self.send_values(to, part(to))?;
        }
        let mut own = Some(part(me).to_vec());
        (0..size).map(|from| if from == me { Ok(own.take().unwrap_or_default()) } else { self.values(from) }).collect()
    }

    fn halo<T: Element, R>(
        &self,
        shares: &RowShares<'_>,
        first: &impl Finished<T>,
        last: &impl Finished<T>,
        meanwhile: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(Halo<T>, R), Error> {
        self.begin(Operation::Halo, 0, type_tag::<T>())?;
        let me = self.rank();
        halo::fits(shares, me, self.size(), first.len(), last.len()).map_err(|reason| self.broken_off(reason))?;
        let edges = halo::Edges { shares, first, last };
        for to in (0..self.size()).filter(|&to| to != me) {
            let rows = halo::needed(shares, to, me);
            if !rows.is_empty() {
                self.send_values(to, &edges.rows(me, &rows))?;
            }
        }
        let result = meanwhile().map_err(|error| match error {
            Error::Exchange { .. } => error,
            other => self.broken_off(other.to_string()),
        })?;
        let mut from = Vec::new();
        for other in 0..self.size() {
            let rows = halo::needed(shares, me, other);
            from.push(match rows.is_empty() {
                true => vec![],
                false if other == me => edges.rows(me, &rows),
                false => self.values_of(other, rows.len() * shares.width)?,
            });
        }
        Ok((halo::sorted(shares, me, &from), result))
    }

    fn broadcast<T: Element>(&self, root: usize, mine: &impl Finished<T>) -> Result<Vec<T>, Error> {
        self.begin(Operation::Broadcast, root, type_tag::<T>())?;
        self.known(root)?;
        self.spread_out(root, (self.rank() == root).then(|| mine.to_vec()))
    }

    fn gather<T: Element>(&self, root: usize, mine: &impl Finished<T>) -> Result<Vec<Vec<T>>, Error> {
        self.begin(Operation::Gather, root, type_tag::<T>())?;
        self.known(root)?;
        if self.rank() != root {
            self.send_values(root, mine)?;
            return Ok(vec![]);
        }
        (0..self.size()).map(|from| if from == root { Ok(mine.to_vec()) } else { self.values(from) }).collect()
    }

    fn fail(&self, rank: usize, reason: String) -> Error {
        self.blame(rank, reason)
    }
}

/// Combines what a rank has sent, which is named, with what lies beside it.
type Merge<'a, T> = dyn FnMut(usize, Run<T>, Run<T>) -> Result<Vec<T>, Error> + 'a;

impl<W: Wire> Ranks<W> {
    /// What all ranks' arrays give. Of a power of two ranks each round doubles the run of ranks that everyone knows; else they are
    /// combined on rank 0, and sent out.
    fn merged<T: Element>(
        &self,
        mine: &[T],
        mut merge: impl FnMut(usize, Run<T>, Run<T>) -> Result<Vec<T>, Error>,
    ) -> Result<Vec<T>, Error> {
        let (me, size) = (self.rank(), self.size());
        if !size.is_power_of_two() {
            let all = self.merged_on_first(mine, &mut merge)?;
            return self.spread_out(0, (me == 0).then_some(all));
        }
        let mut known = mine.to_vec();
        for round in 0..size.trailing_zeros() {
            let other = me ^ (1 << round);
            self.send_values(other, &known)?;
            let run = |rank: usize, values| {
                let first = rank >> round << round;
                Run { ranks: first..first + (1 << round), values }
            };
            let (theirs, own) = (run(other, self.values(other)?), run(me, known));
            known = if other < me { merge(other, theirs, own)? } else { merge(other, own, theirs)? };
        }
        Ok(known)
    }

    /// The same on rank 0, by a tree.
    fn merged_on_first<T: Element>(&self, mine: &[T], merge: &mut Merge<'_, T>) -> Result<Vec<T>, Error> {
        let (me, size) = (self.rank(), self.size());
        let mut known = mine.to_vec();
        let mut distance = 1;
        while distance < size {
            if me & distance != 0 {
                self.send_values(me - distance, &known)?;
                return Ok(known);
            }
            if me + distance < size {
                let other = me + distance;
                let theirs = Run { ranks: other..size.min(other + distance), values: self.values(other)? };
                known = merge(other, Run { ranks: me..other, values: known }, theirs)?;
            }
            distance *= 2;
        }
        Ok(known)
    }

    /// What the arrays of all lower ranks give: each round doubles the run of ranks before this one that are known.
    fn merged_before<T: Element>(
        &self,
        mine: &[T],
        mut merge: impl FnMut(usize, Run<T>, Run<T>) -> Result<Vec<T>, Error>,
    ) -> Result<Option<Vec<T>>, Error> {
        let (me, size) = (self.rank(), self.size());
        let (mut with_me, mut before) = (mine.to_vec(), None::<Vec<T>>);
        let mut distance = 1;
        while distance < size {
            if me + distance < size {
                self.send_values(me + distance, &with_me)?;
            }
            if me >= distance {
                let (other, values) = (me - distance, self.values(me - distance)?);
                let theirs = Run { ranks: (other + 1).saturating_sub(distance)..other + 1, values };
                if me + 2 * distance < size {
                    let own = Run { ranks: other + 1..me + 1, values: with_me };
                    with_me = merge(other, theirs.clone(), own)?;
                }
                before = Some(match before {
                    Some(values) => merge(other, theirs, Run { ranks: other + 1..me, values })?,
                    None => theirs.values,
                });
            }
            distance *= 2;
        }
        Ok(before)
    }

    /// The values of `root`, by a tree.
    fn spread_out<T: Element>(&self, root: usize, mine: Option<Vec<T>>) -> Result<Vec<T>, Error> {
        let size = self.size();
        // Counted from the root.
        let me = (self.rank() + size - root) % size;
        let rank = |counted: usize| (counted + root) % size;
        let (values, mut distance) = match mine {
            Some(values) => (values, size.next_power_of_two()),
            None => {
                let lowest = 1 << me.trailing_zeros();
                (self.values(rank(me - lowest))?, lowest)
            }
        };
        while distance > 1 {
            distance /= 2;
            if me + distance < size {
                self.send_values(rank(me + distance), &values)?;
            }
        }
        Ok(values)
    }

    /// Combines arrays that must be equally long.
    fn each<T: Element>(
        &self,
        other: usize,
        len: usize,
        left: Vec<T>,
        right: Vec<T>,
        op: &mut impl FnMut(T, T) -> T,
    ) -> Result<Vec<T>, Error> {
        if left.len() != len || right.len() != len {
            let theirs = if left.len() != len { left.len() } else { right.len() };
            let me = self.rank();
            return Err(self.blame(
                other,
                format!("its array has {theirs} elements, and that of rank {me} {len}; the lengths must be equal"),
            ));
        }
        Ok(left.into_iter().zip(right).map(|(a, b)| op(a, b)).collect())
    }

    fn known(&self, root: usize) -> Result<(), Error> {
        match root < self.size() {
            true => Ok(()),
            false => Err(self.broken_off(format!("there is no rank {root}, of {} ranks", self.size()))),
        }
    }

    fn send_values<T: Element>(&self, to: usize, values: &[T]) -> Result<(), Error> {
        let bytes = crate::element::element_bytes(T::FIELDS) * values.len();
        let mut message = Vec::new();
        message
            .try_reserve_exact(HEADER + bytes)
            .map_err(|_| self.broken_off(format!("no memory for {bytes} bytes")))?;
        message.resize(HEADER, 0);
        payload::append(values, &mut message)?;
        self.send(to, message)
    }

    fn values<T: Element>(&self, from: usize) -> Result<Vec<T>, Error> {
        let message = self.receive(from)?;
        let values = payload::read(&message[HEADER..])?;
        values.ok_or_else(|| self.blame(from, format!("its {} bytes are no elements", message.len() - HEADER)))
    }

    /// The same, where it is known how many there must be.
    fn values_of<T: Element>(&self, from: usize, len: usize) -> Result<Vec<T>, Error> {
        let values = self.values(from)?;
        if values.len() == len {
            return Ok(values);
        }
        let reason =
            format!("it sent {} elements where {len} are expected; all ranks must know the same parts", values.len());
        Err(self.blame(from, reason))
    }
}
