//! Queues: places that an atomic sum reserves, and what a kernel may get wrong with them. All that is written is 1, so that the order of
//! those who reserve shows in nothing.

use super::{Array, Counter, Maker, Owner, Role};

/// Of this number of kernels that update arguments one has a queue.
const ONE_IN: u32 = 4;

impl Maker {
    /// The parameters of a queue and of its counter, if the kernel has them. Now and then others may write them, too.
    pub(super) fn queue(&mut self, seed: u64) -> &'static str {
        let mut random = crate::random::Random::new(seed ^ 0x9_0e5e);
        self.has_queue = random.one_in(ONE_IN);
        if !self.has_queue {
            return "";
        }
        self.note("a queue");
        if random.one_in(4) {
            let name = random.pick(&["queue", "count"]);
            let len = (name == "count").then_some(2);
            self.arrays.push(Array { name: name.into(), len, owner: Owner::Host });
        }
        "queue: DMut<u32>, count: Mut<u32, 2>, "
    }

    /// How many places are reserved.
    fn amount(&mut self) -> String {
        self.random.pick(&["1", "2", "3", "n", "min(n, 8)", "min(xs[b % 64], 16)", "xs[b % 64]"]).to_string()
    }

    /// Mostly the same number, else one that need not be.
    fn like(&mut self, amount: &str) -> String {
        if self.random.one_in(5) { self.amount() } else { amount.to_string() }
    }

    fn counter(&mut self) -> &'static str {
        if self.random.one_in(8) { "count, 1" } else { "count, 0" }
    }

    /// A thread reserves places for itself.
    pub(super) fn reserve_by_thread(&mut self) -> String {
        self.note("places of a thread");
        let (at, amount, counter) = (self.fresh("at"), self.amount(), self.counter());
        let written = self.like(&amount);
        let write = match self.random.below(5) {
            0 => format!("queue[{at}] = 1;"),
            1 => format!("queue[{at} + i] = 1;"),
            _ => {
                let r = self.fresh("r");
                format!("for {r} in 0..{written} {{ queue[{at} + {r}] = 1; }}")
            }
        };
        format!("let {at} = atomic_add({counter}, {amount}); {write}\n")
    }

    /// One thread reserves places for all of its block or warp.
    pub(super) fn reserve_by_level(&mut self, threads: u32) -> String {
        self.note("places of a level");
        let (s, amount, counter) = (self.fresh("s"), self.amount(), self.counter());
        let written = self.like(&amount);
        let take = format!("{s}[0] = atomic_add({counter}, {amount});");
        let taken = match self.random.below(6) {
            0 => format!("single_thread({{ if xs[b % 64] > 7 {{ {take} }} }});\n"),
            1 => format!("for_all(2, |i| {{ if i == 0 {{ {take} }} }});\n"),
            _ => format!("single_thread({{ {take} }});\n"),
        };
        let place = self.random.pick(&["i", "i", "i", "i", "i / 2", "i + 1"]);
        let written = format!("for_all({threads}, |i| {{ if i < {written} {{ queue[{s}[0] + {place}] = 1; }} }});\n");
        let between = match self.random.below(6) {
            0 => format!("single_thread({{ {s}[0] = 3; }});\n"),
            1 => {
                let counter = Counter { name: "i".into(), extent: Some(threads), role: Role::Thread };
                let body = self.counting(counter, |m| m.write());
                format!("for_all({threads}, |i| {{ {body} }});\n")
            }
            _ => String::new(),
        };
        let mut steps = [taken, between, written];
        if self.random.one_in(10) {
            steps.swap(0, 2);
        }
        format!("let {s} = new_mut(replicate(1, 0u32));\n{}", steps.concat())
    }
}
