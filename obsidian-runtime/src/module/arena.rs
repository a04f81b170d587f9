//! Room in the module's own memory: which bytes are free, the first that are long enough taken. In: sizes; out: ranges, all of
//! whose ends are multiples of the alignment, and the most bytes that were ever taken. Arithmetic alone.

use std::ops::Range;

/// Free and taken bytes, in order.
#[derive(Debug, Clone)]
pub(super) struct Arena {
    align: usize,
    /// Free ranges in order, no two of which touch; none goes past `end`.
    free: Vec<Range<usize>>,
    /// Bytes from here on have never been taken.
    end: usize,
    /// There are no more bytes than this.
    limit: usize,
}

impl Arena {
    /// No bytes taken, as many as are wanted there.
    pub fn unbounded(align: usize) -> Arena {
        Arena { align, free: Vec::new(), end: 0, limit: usize::MAX }
    }

    /// As many bytes as `limit`, none taken.
    pub fn of(limit: usize, align: usize) -> Arena {
        Arena { align, free: Vec::new(), end: 0, limit }
    }

    /// As many bytes as a request takes.
    pub fn rounded(&self, bytes: usize) -> Option<usize> {
        bytes.checked_next_multiple_of(self.align)
    }

    /// Of the first free bytes that are enough the first, or the last where they are more than twice as many: so what is small
    /// leaves room for another that is as long as what lay there. `None` where too few are free.
    pub fn take(&mut self, bytes: usize) -> Option<Range<usize>> {
        let bytes = self.rounded(bytes)?;
        if let Some(at) = self.free.iter().position(|free| free.len() >= bytes) {
            let free = self.free[at].clone();
            let (taken, left) = if free.len() / 2 > bytes {
                (free.end - bytes..free.end, free.start..free.end - bytes)
            } else {
                (free.start..free.start + bytes, free.start + bytes..free.end)
            };
            if left.is_empty() {
                self.free.remove(at);
            } else {
                self.free[at] = left;
            }
            return Some(taken);
        }
        // What is free at the end is a beginning.
        let start = self.free.last().filter(|free| free.end == self.end).map_or(self.end, |free| free.start);
        let end = start.checked_add(bytes).filter(|&end| end <= self.limit)?;
        if start < self.end {
            self.free.pop();
        }
        self.end = end;
        Some(start..end)
    }

    /// Frees what was taken.
    pub fn give(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let at = self.free.partition_point(|free| free.start < range.start);
        self.free.insert(at, range);
        if at + 1 < self.free.len() && self.free[at].end == self.free[at + 1].start {
            self.free[at].end = self.free.remove(at + 1).end;
        }
        if at > 0 && self.free[at - 1].end == self.free[at].start {
            self.free[at - 1].end = self.free.remove(at).end;
        }
    }

    /// The most bytes that were taken at a time, gaps between them included.
    pub fn peak(&self) -> usize {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_freed_is_taken_again() {
        let mut arena = Arena::unbounded(256);
        let [a, b, c] = [1, 300, 256].map(|bytes| arena.take(bytes).unwrap());
        assert_eq!((a.clone(), b.clone(), c.clone()), (0..256, 256..768, 768..1024));
        arena.give(b);
        assert_eq!(arena.take(100).unwrap(), 256..512);
        arena.give(a);
        // The free bytes before and after the one that is taken are too few.
        assert_eq!(arena.take(512).unwrap(), 1024..1536);
        arena.give(256..512);
        assert_eq!(arena.take(768).unwrap(), 0..768, "neighbours are one");
        arena.give(1024..1536);
        assert_eq!(arena.take(1024).unwrap(), 1024..2048, "what is free at the end grows");
        assert_eq!(arena.peak(), 2048);
    }

    #[test]
    fn what_is_small_leaves_room_for_what_is_large() {
        let mut arena = Arena::unbounded(256);
        let large = arena.take(4096).unwrap();
        arena.give(large);
        assert_eq!([arena.take(512), arena.take(256)], [Some(3584..4096), Some(3328..3584)]);
        assert_eq!(arena.take(3328).unwrap(), 0..3328);
        assert_eq!(arena.peak(), 4096);
    }

    #[test]
    fn no_bytes_take_no_room_and_a_limit_holds() {
        let mut arena = Arena::of(512, 256);
        assert_eq!(arena.take(0).unwrap(), 0..0);
        let all = arena.take(512).unwrap();
        assert_eq!((arena.take(1), arena.take(usize::MAX)), (None, None));
        arena.give(all);
        assert_eq!(arena.take(257).unwrap(), 0..512);
    }

    /// Against a map of bytes: what is taken is free, and what is freed can be taken by the next who fits.
    #[test]
    fn random_takes_lie_apart() {
        let mut state = 7u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        let mut arena = Arena::unbounded(256);
        let mut taken: Vec<Range<usize>> = Vec::new();
        for _ in 0..2000 {
            if random(3) == 0 && !taken.is_empty() {
                arena.give(taken.swap_remove(random(taken.len() as u64) as usize));
            } else if taken.len() < 40 {
                let range = arena.take(random(5000) as usize).unwrap();
                assert!(taken.iter().all(|other| range.end <= other.start || other.end <= range.start), "{range:?}");
                assert!(range.start.is_multiple_of(256) && range.end.is_multiple_of(256));
                taken.push(range);
            }
        }
        taken.drain(..).for_each(|range| arena.give(range));
        let peak = arena.peak();
        assert_eq!(arena.take(peak).unwrap(), 0..peak, "all is one again");
    }
}
