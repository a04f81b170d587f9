//! What one pass may spend on one program: steps of proofs, or values of tables. Counted, not timed, so that a kernel
//! compiles everywhere or nowhere. What is not paid for is not known: a budget only ever turns "yes" into "no" (R18).

/// A question gets this part of what is left: one that takes too long leaves enough for the others.
const SHARE: u64 = 8;
/// A question gets this part of all at least, whatever the others took: most need no more.
const LEAST: u64 = 1000;
/// The values of one table, at most.
const MAX_TABLE: u64 = 1 << 17;

/// What is left.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    all: u64,
    left: u64,
    /// Of what is left, for the question at hand.
    here: u64,
    /// What one question gets at most.
    most: u64,
    given_up: bool,
}

impl Budget {
    /// A budget of `all` steps or values.
    pub fn new(all: u64) -> Budget {
        Budget { all, left: all, here: all, most: all, given_up: false }
    }

    /// The same where a question gets `most` at most: more would go into proofs that are far from what is asked.
    pub fn of_questions(all: u64, most: u64) -> Budget {
        Budget { most, ..Budget::new(all) }
    }

    /// A new question, for which a part of what is left may be spent.
    pub fn begin(&mut self) {
        self.here = (self.left / SHARE).max(self.all / LEAST).min(self.most);
        self.given_up = false;
    }

    /// Takes steps. Where fewer are left, the question is given up.
    pub fn spend(&mut self, steps: usize) {
        self.pay(steps as u64);
    }

    /// Pays for a table of `n` values; whether there was enough.
    pub fn take(&mut self, n: u64) -> bool {
        self.given_up |= n > MAX_TABLE;
        n <= MAX_TABLE && self.pay(n)
    }

    fn pay(&mut self, n: u64) -> bool {
        let enough = n <= self.here;
        if enough {
            self.here -= n;
            self.left = self.left.saturating_sub(n);
        }
        self.given_up |= !enough;
        enough
    }

    /// Whether there was not enough for the question at hand: what is not known yet will not be.
    pub fn given_up(&self) -> bool {
        self.given_up
    }

    /// Whether most questions can still be answered.
    pub fn has_room(&self) -> bool {
        self.left > self.all / SHARE
    }

    /// Steps or values taken so far, up to all.
    pub fn spent(&self) -> u64 {
        self.all - self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_takes_too_long_leaves_enough_for_the_others() {
        let mut budget = Budget::new(800);
        budget.begin();
        budget.spend(101);
        assert!(budget.given_up() && budget.spent() == 0 && budget.has_room());
        budget.begin();
        budget.spend(100);
        assert!(!budget.given_up());
        budget.spend(1);
        assert_eq!((budget.given_up(), budget.spent()), (true, 100));
    }

    #[test]
    fn a_small_question_is_answered_after_large_ones() {
        let mut budget = Budget::new(10_000);
        for _ in 0..100 {
            budget.begin();
            budget.spend(budget.left as usize / 8);
        }
        budget.begin();
        budget.spend(10);
        assert!(!budget.given_up() && !budget.has_room());
        budget.spend(10);
        assert!(budget.given_up() && budget.spent() <= 10_000);
    }

    #[test]
    fn a_table_is_paid_for_whole_or_not_at_all() {
        let mut budget = Budget::new(1 << 18);
        assert!(!budget.take((1 << 17) + 1) && budget.given_up() && budget.spent() == 0);
        assert!(budget.take(1 << 17) && budget.take(1 << 17) && !budget.take(1));
    }
}
