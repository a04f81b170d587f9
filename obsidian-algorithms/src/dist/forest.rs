//! What neighbouring tiles combine to, so that the order does not depend on who has them: the tiles are the leaves of one binary tree over
//! the whole array, and a run of them is told by the largest subtrees that lie in it. Which those are follows from the run alone, so joining two
//! neighbouring runs associates to the bit, whatever the operator does.

use std::ops::Range;

use super::reductions::Operator;

/// The largest subtrees in a run of tiles, in their order.
pub struct Forest<'a, O: Operator> {
    operator: &'a O,
    /// First tile and height of each.
    trees: Vec<(u64, u32)>,
    values: Vec<O::Of>,
}

impl<'a, O: Operator> Forest<'a, O> {
    /// That of a run whose subtrees have these values.
    pub fn of(operator: &'a O, run: Range<u64>, values: Vec<O::Of>) -> Self {
        Forest { operator, trees: largest(run), values }
    }

    /// That of single tiles from `first` on. Each subtree is combined level by level.
    pub fn of_tiles(operator: &'a O, first: u64, tiles: &[O::Of]) -> Self {
        let trees = largest(first..first + tiles.len() as u64);
        let mut values = Vec::with_capacity(trees.len());
        let mut rest = tiles;
        for &(_, height) in &trees {
            let (own, others) = rest.split_at(1 << height);
            let mut level = own.to_vec();
            while level.len() > 1 {
                level = level.as_chunks().0.iter().map(|&[left, right]| operator.combine(left, right)).collect();
            }
            values.extend(level);
            rest = others;
        }
        Forest { operator, trees, values }
    }

    /// Adds the subtree that lies next.
    pub fn push(&mut self, (mut first, mut height): (u64, u32), mut value: O::Of) {
        // The tree before it, where the two are the halves of one.
        while let Some(&(before, _)) = self.trees.last().filter(|&&(before, other)| {
            other == height && before + (1 << height) == first && (before >> height).is_multiple_of(2)
        }) {
            self.trees.pop();
            value = self.values.pop().map_or(value, |left| self.operator.combine(left, value));
            (first, height) = (before, height + 1);
        }
        self.trees.push((first, height));
        self.values.push(value);
    }

    /// Adds the run that lies next.
    pub fn append(&mut self, other: Forest<'_, O>) {
        other.trees.into_iter().zip(other.values).for_each(|(tree, value)| self.push(tree, value));
    }

    /// The value of each subtree: the forest, for who knows the run.
    pub fn into_values(self) -> Vec<O::Of> {
        self.values
    }

    /// What all subtrees combine to, one after the other.
    pub fn all(&self) -> Option<O::Of> {
        self.values.iter().copied().reduce(|left, right| self.operator.combine(left, right))
    }

    /// What is before each of these tiles, which lie next; this forest begins with the first tile of all. `unit` before the first.
    pub fn before_each(mut self, first: u64, tiles: &[O::Of]) -> Vec<O::Of> {
        // What the subtrees up to each combine to.
        let mut upto: Vec<O::Of> = Vec::new();
        let mut before = Vec::with_capacity(tiles.len());
        for (tile, &value) in (first..).zip(tiles) {
            while upto.len() < self.values.len() {
                let own = self.values[upto.len()];
                upto.push(upto.last().map_or(own, |&left| self.operator.combine(left, own)));
            }
            before.push(upto.last().copied().unwrap_or_else(|| self.operator.unit()));
            self.push((tile, 0), value);
            upto.truncate(self.values.len() - 1);
        }
        before
    }
}

/// First tile and height of the largest subtrees in a run.
fn largest(run: Range<u64>) -> Vec<(u64, u32)> {
    let (mut at, mut trees) = (run.start, vec![]);
    while at < run.end {
        let height = at.trailing_zeros().min((run.end - at).ilog2());
        trees.push((at, height));
        at += 1 << height;
    }
    trees
}

#[cfg(test)]
mod tests {
    use super::*;
    use obsidian::{Buffer, Error};

    /// Brackets, which show the order; 6 bits a place would not do, so the operator mixes bits, neither associative nor commutative.
    struct Mixed;

    impl Operator for Mixed {
        type Of = u64;
        fn unit(&self) -> u64 {
            0
        }
        fn combine(&self, left: u64, right: u64) -> u64 {
            left.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ right.rotate_left(31).wrapping_add(left)
        }
        fn tiles(&self, _xs: &Buffer<u64>) -> Result<Buffer<u64>, Error> {
            unreachable!("no arrays here")
        }
        fn scan_tiles(&self, _xs: &Buffer<u64>, _before: &Buffer<u64>) -> Result<Buffer<u64>, Error> {
            unreachable!("no arrays here")
        }
    }

    fn tiles(run: Range<u64>) -> Vec<u64> {
        run.map(|tile| (tile + 1).wrapping_mul(0x2545_f491_4f6c_dd1d)).collect()
    }

    #[test]
    fn joining_runs_associates_to_the_bit() {
        for n in 0..40 {
            let whole = Forest::of_tiles(&Mixed, 0, &tiles(0..n));
            assert_eq!(whole.trees, largest(0..n));
            for (a, b) in (0..=n).flat_map(|a| (a..=n).map(move |b| (a, b))) {
                let part = |run: Range<u64>| Forest::of_tiles(&Mixed, run.start, &tiles(run));
                let mut left = part(0..a);
                left.append(part(a..b));
                left.append(part(b..n));
                let mut right = part(a..b);
                assert_eq!(right.trees, largest(a..b));
                right.append(part(b..n));
                let mut all = Forest::of(&Mixed, 0..a, part(0..a).into_values());
                all.append(right);
                assert_eq!((&left.trees, &left.values), (&whole.trees, &whole.values), "{a} {b} {n}");
                assert_eq!((&all.trees, &all.values), (&whole.trees, &whole.values), "{a} {b} {n}");
            }
        }
    }

    #[test]
    fn what_is_before_a_tile_depends_on_the_tile_alone() {
        let n = 37;
        let expected: Vec<u64> = (0..n).map(|t| Forest::of_tiles(&Mixed, 0, &tiles(0..t)).all().unwrap_or(0)).collect();
        for a in 0..=n {
            let before = Forest::of_tiles(&Mixed, 0, &tiles(0..a));
            assert_eq!(before.before_each(a, &tiles(a..n)), expected[a as usize..], "from {a}");
        }
    }
}
