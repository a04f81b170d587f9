//! Phases by hand, printed: which run in lanes, and with what. That they compute the same is tested where there is a compiler.

use crate::backend::rust::fixtures::{Build, assign, saxpy, stmt};
use crate::backend::rust::native;
use crate::level::Level;
use crate::passes::{self, Native};
use crate::program::*;

/// One phase over an input `x` and a shared array `s` of `len` words, which a phase before has filled.
pub(super) struct Phase {
    pub b: Build,
    pub x: ArrayId,
    pub s: ArrayId,
    pub out: ArrayId,
    thread: VarId,
    pub t: ExprId,
    pub block: (VarId, ExprId),
    instances: u32,
}

impl Phase {
    pub fn new(instances: u32, len: u32) -> Phase {
        let mut b = Build::new("phase", 64);
        let (_, x) = b.input("x", &[ScalarType::U32]);
        let n = b.u32(len);
        let out = b.output("out", &[ScalarType::U32], n);
        let s = b.array("s", ScalarType::U32, n, Space::Shared(Level::Block));
        let (thread, t) = b.index("t", instances - 1);
        let block = b.index("b", 1 << 10);
        Phase { b, x: x[0], s, out: out[0], thread, t, block, instances }
    }

    pub fn k(&mut self, k: u32) -> ExprId {
        self.b.u32(k)
    }

    pub fn bin(&mut self, op: BinOp, a: ExprId, k: u32) -> ExprId {
        let k = self.k(k);
        self.b.bin(op, a, k)
    }

    pub fn local(&mut self, name: &str) -> (VarId, ExprId) {
        let v = self.b.0.new_var(name, ScalarType::U32, true, Range::full(ScalarType::U32));
        (v, self.b.0.exprs.var(v))
    }

    /// The code of the phase, and of phases after it: the instances of each, and what it does.
    pub fn text(self, body: Block) -> String {
        self.text_of_all(body, Vec::new())
    }

    fn text_of_all(mut self, body: Block, more: Vec<(VarId, Block)>) -> String {
        let (fill, i) = self.b.index("i", self.instances - 1);
        let filled = self.b.for_all(fill, self.instances, vec![assign(self.s, i, i)]);
        let phase = self.b.for_all(self.thread, self.instances, body);
        let blocks = self.b.u32((1 << 10) + 1);
        let more = more.into_iter().map(|(var, body)| self.b.for_all(var, self.instances, body));
        let list = [stmt(StmtKind::Allocate { array: self.s }), filled, phase].into_iter().chain(more).collect();
        let mut p = self.b.grid(self.block.0, blocks, list);
        passes::structured(&mut p).expect("fits");
        native(&Native::checked(p).unwrap_or_else(|e| panic!("{e}"))).to_string()
    }
}

/// `out[t] = sum of x[k * 64 + at(t)], k in from(t)..8`
fn sums(at: fn(&mut Phase) -> ExprId, from: fn(&mut Phase) -> ExprId) -> String {
    let mut p = Phase::new(64, 64);
    let (sum, value) = p.local("sum");
    let counter = p.b.0.new_var("k", ScalarType::U32, false, Range::new(0, 7));
    let k = p.b.0.exprs.var(counter);
    let (row, place, start) = (p.bin(BinOp::Mul, k, 64), at(&mut p), from(&mut p));
    let index = p.b.bin(BinOp::Add, row, place);
    let element = p.b.load(p.x, index);
    let next = p.b.bin(BinOp::Add, value, element);
    let (zero, end, step) = (p.k(0), p.k(8), p.k(1));
    let body = vec![
        stmt(StmtKind::Local { var: sum, init: Some(zero) }),
        stmt(StmtKind::SeqFor {
            var: counter,
            start,
            end,
            step,
            body: vec![stmt(StmtKind::Set { var: sum, value: next })],
        }),
        assign(p.out, p.t, value),
    ];
    p.text(body)
}

/// How often a piece of code stands in a text.
pub(super) fn count(text: &str, piece: &str) -> usize {
    text.matches(piece).count()
}

#[test]
fn a_loop_over_contiguous_rows_runs_in_lanes() {
    let text = sums(|p| p.t, |p| p.k(0));
    assert_eq!(count(&text, "__L :: FAST"), 1, "{text}");
    assert!(text.contains("Pair < abi :: lanes :: Pair < __L >> > :: load"), "{text}");
    assert!(!text.contains("load_where") && !text.contains(":: any"), "{text}");
    assert_eq!(count(&text, "__grid0_avx512"), 2, "{text}");
}

/// What a later block reads is fetched with each load where a block reads much, 32 KiB ahead; what is read of it anew is not.
#[test]
fn long_parts_are_fetched_with_their_loads() {
    let of_block = |step: u32| {
        let (row, last) = (step / 8, step);
        let mut p = Phase::new(64, 64);
        let (sum, value) = p.local("sum");
        let counter = p.b.0.new_var("k", ScalarType::U32, false, Range::new(0, 7));
        let k = p.b.0.exprs.var(counter);
        let (row, last) = (p.k(row), p.k(last));
        let block = p.block.1;
        let (base, row) = (p.b.bin(BinOp::Mul, block, last), p.b.bin(BinOp::Mul, k, row));
        let place = p.b.bin(BinOp::Add, base, row);
        let t = p.t;
        let index = p.b.bin(BinOp::Add, place, t);
        let element = p.b.load(p.x, index);
        let next = p.b.bin(BinOp::Add, value, element);
        let (start, end, step) = (p.k(0), p.k(8), p.k(1));
        let set = vec![stmt(StmtKind::Set { var: sum, value: next })];
        let body = vec![
            stmt(StmtKind::Local { var: sum, init: Some(start) }),
            stmt(StmtKind::SeqFor { var: counter, start, end, step, body: set }),
            assign(p.out, t, value),
        ];
        p.text(body)
    };
    let long = of_block(4096);
    assert_eq!((count(&long, "lanes :: fetch"), count(&long, "_mm_prefetch")), (1, 0), "{long}");
    assert!(long.contains("wrapping_add (8192usize)"), "{long}");
    let short = of_block(1024);
    assert_eq!((count(&short, "lanes :: fetch"), count(&short, "_mm_prefetch")), (0, 1), "{short}");
}

#[test]
fn what_would_gather_or_differ_in_its_rounds_stays_scalar() {
    let by_data = sums(
        |p| {
            let at = p.t;
            p.b.load(p.s, at)
        },
        |p| p.k(0),
    );
    let by_lane = sums(
        |p| p.t,
        |p| {
            let t = p.t;
            p.bin(BinOp::And, t, 3)
        },
    );
    for text in [by_data, by_lane] {
        assert!(!text.contains("__L") && text.contains("__grid0_avx2"), "{text}");
    }
    assert!(
        !native(&{
            let mut p = saxpy();
            passes::structured(&mut p).expect("fits");
            Native::checked(p).expect("native")
        })
        .to_string()
        .contains("__L")
    );
}

/// `out[..] = s[t * 2]`, `out[..] = s[t * 2 + 1]`: where the two are stored is `at`.
fn pairs(len: u32, at: fn(&mut Phase) -> [ExprId; 2]) -> String {
    let mut p = Phase::new(16, len);
    let t = p.t;
    let first = p.bin(BinOp::Mul, t, 2);
    let second = p.bin(BinOp::Add, first, 1);
    let [a, b] = [first, second].map(|i| p.b.load(p.s, i));
    let [low, high] = at(&mut p);
    let body = vec![assign(p.out, low, a), assign(p.out, high, b)];
    p.text(body)
}

#[test]
fn elements_at_constant_distances_are_permuted() {
    let apart = |p: &mut Phase| {
        let t = p.t;
        [t, p.bin(BinOp::Add, t, 16)]
    };
    let text = pairs(32, apart);
    assert_eq!((count(&text, ":: load ("), count(&text, ":: permute")), (2, 2), "{text}");
    // The second vector may end outside of the array: only what is wanted of it is loaded.
    let text = pairs(40, apart);
    assert!(count(&text, "load_where") == 2 && count(&text, ":: permute") == 2, "{text}");
}

/// `out[t] = x[t * 2] + x[t * 2 + 1]` of an input of whose length the launch is asked that `len op by` is `rest`.
fn sums_of_pairs(op: BinOp, by: u32, rest: u32) -> String {
    let mut p = Phase::new(16, 64);
    let t = p.t;
    let first = p.bin(BinOp::Mul, t, 2);
    let second = p.bin(BinOp::Add, first, 1);
    let [a, b] = [first, second].map(|i| p.b.load(p.x, i));
    let sum = p.b.bin(BinOp::Add, a, b);
    let len = p.b.0.array(p.x).len;
    let left = p.bin(op, len, by);
    let cond = p.bin(BinOp::Eq, left, rest);
    p.b.0.checks.push(LaunchCheck { cond, message: "as it must be".into(), found: len });
    let body = vec![assign(p.out, t, sum)];
    p.text(body)
}

#[test]
fn pairs_of_an_input_of_whole_vectors_are_loaded_once() {
    for (op, by) in [(BinOp::And, 511), (BinOp::And, 15), (BinOp::Rem, 48)] {
        let text = sums_of_pairs(op, by, 0);
        let found = (count(&text, ":: load ("), count(&text, "load_where"), count(&text, ":: permute"));
        assert_eq!(found, (2, 0, 2), "{op:?} {by}: {text}");
    }
    // The last vector may end outside of the input: of two loads each, what is wanted.
    for (op, by, rest) in [(BinOp::And, 511, 16), (BinOp::And, 496, 0), (BinOp::Rem, 24, 0), (BinOp::Div, 16, 0)] {
        let text = sums_of_pairs(op, by, rest);
        assert_eq!(count(&text, "load_where"), 2, "{op:?} {by} {rest}: {text}");
    }
}

#[test]
fn elements_of_three_vectors_are_not_taken_for_those_of_two() {
    // From element 15 to 45: at most two vectors long, but in three of those that begin at multiples of 16.
    let mut p = Phase::new(16, 64);
    let t = p.t;
    let doubled = p.bin(BinOp::Mul, t, 2);
    let at = p.bin(BinOp::Add, doubled, 15);
    let value = p.b.load(p.s, at);
    let body = vec![assign(p.out, t, value)];
    let text = p.text(body);
    assert!(text.contains("load_where") && !text.contains("__h"), "{text}");
}

#[test]
fn stores_that_interleave_are_put_together_and_others_stay_scalar() {
    let interleaved = |p: &mut Phase| {
        let t = p.t;
        let low = p.bin(BinOp::Mul, t, 2);
        [low, p.bin(BinOp::Add, low, 1)]
    };
    let text = pairs(32, interleaved);
    assert_eq!((count(&text, ". store ("), count(&text, ":: permute")), (2, 4), "{text}");
    let gaps = |p: &mut Phase| {
        let t = p.t;
        let low = p.bin(BinOp::Mul, t, 2);
        [low, p.bin(BinOp::Add, t, 32)]
    };
    assert!(!pairs(64, gaps).contains("__L"));
}

#[test]
fn lanes_that_differ_run_under_masks() {
    let mut p = Phase::new(32, 32);
    let (n, value) = p.local("n");
    let t = p.t;
    let own = p.b.load(p.s, t);
    let cond = p.b.bin(BinOp::Lt, value, own);
    let next = p.bin(BinOp::Add, value, 1);
    let zero = p.k(0);
    let body = vec![
        stmt(StmtKind::Local { var: n, init: Some(zero) }),
        stmt(StmtKind::SeqWhile { head: vec![], cond, body: vec![stmt(StmtKind::Set { var: n, value: next })] }),
        assign(p.out, t, value),
    ];
    let text = p.text(body);
    // A load in the test runs under the mask of those that go on.
    assert!(text.contains("load_where") && text.contains(":: any") && text.contains(":: select"), "{text}");
}

#[test]
fn a_test_of_a_bit_is_a_constant_mask_or_one_for_the_group() {
    let tested = |bit: u32| {
        let mut p = Phase::new(64, 64);
        let t = p.t;
        let masked = p.bin(BinOp::And, t, bit);
        let cond = p.bin(BinOp::Eq, masked, 0);
        let (v, value) = p.local("v");
        let (a, b) = (p.b.load(p.s, t), p.k(7));
        let set = |value| vec![stmt(StmtKind::Set { var: v, value })];
        let (then, els) = (set(a), set(b));
        let body = vec![
            stmt(StmtKind::Local { var: v, init: None }),
            stmt(StmtKind::If { cond, then, els }),
            assign(p.out, t, value),
        ];
        p.text(body)
    };
    let lanes = tested(4);
    assert!(lanes.contains("mask (3855u64)") && !lanes.contains(":: any"), "{lanes}");
    let group = tested(16);
    assert!(group.contains("__L") && !group.contains("mask (") && !group.contains(":: select"), "{group}");
}

/// Two phases: `s[t] = x[t]` under the masks of a bit, then `out[t] = s[t] + s[other(t)]`, with stores to `s` where `again` says so.
fn two_phases(other: fn(&mut Phase, ExprId) -> ExprId, again: Option<fn(&mut Phase, ExprId) -> ExprId>) -> String {
    two_phases_from([|_| None, |_| None], other, again)
}

/// The same, with all elements of `s` that much further on in each phase.
fn two_phases_from(
    base: [fn(&mut Phase) -> Option<ExprId>; 2],
    other: fn(&mut Phase, ExprId) -> ExprId,
    again: Option<fn(&mut Phase, ExprId) -> ExprId>,
) -> String {
    let mut p = Phase::new(64, 128);
    let base = base.map(|base| base(&mut p));
    let past = |p: &mut Phase, phase: usize, at| base[phase].map_or(at, |base| p.b.bin(BinOp::Add, base, at));
    let t = p.t;
    let own = p.b.load(p.x, t);
    let bit = p.bin(BinOp::And, t, 4);
    let cond = p.bin(BinOp::Eq, bit, 0);
    let (v, value) = p.local("v");
    let next = p.bin(BinOp::Add, own, 1);
    let set = |value| vec![stmt(StmtKind::Set { var: v, value })];
    let first =
        vec![stmt(StmtKind::Local { var: v, init: None }), stmt(StmtKind::If { cond, then: set(own), els: set(next) })];
    let (place, mut first) = (past(&mut p, 0, t), first);
    first.push(assign(p.s, place, value));
    let (var, u) = p.b.index("u", 63);
    let at = other(&mut p, u);
    let (own, at) = (past(&mut p, 1, u), past(&mut p, 1, at));
    let (own, beside) = (p.b.load(p.s, own), p.b.load(p.s, at));
    let sum = p.b.bin(BinOp::Add, own, beside);
    let mut second = vec![assign(p.out, u, sum)];
    if let Some(again) = again {
        let at = again(&mut p, u);
        second.push(assign(p.s, at, u));
    }
    p.text_of_all(first, vec![(var, second)])
}

#[test]
fn phases_that_meet_in_their_groups_alone_are_one_loop() {
    let near = two_phases(|p, u| p.bin(BinOp::Xor, u, 8), None);
    // `s` is filled by a phase before, of which nothing remains in a register but what the next one stores.
    assert_eq!((count(&near, "while __group"), count(&near, "__L :: FAST")), (1, 1), "{near}");
    assert_eq!((count(&near, ":: load ((__a2"), count(&near, ":: permute (__s")), (0, 1), "{near}");
    // The register that was stored last: two phases have stored to `s`.
    let stored: Vec<_> = near.split(" . store ((__a2").filter_map(|before| before.rsplit(' ').next()).collect();
    let permuted = near.split(":: permute (").nth(1).and_then(|after| after.split(' ').next());
    assert_eq!((stored.len(), stored.get(1).copied()), (3, permuted), "{near}");
    // An element that all lanes of a group take.
    let one = |p: &mut Phase, u| {
        let group = p.bin(BinOp::Shr, u, 4);
        let first = p.bin(BinOp::Mul, group, 16);
        p.bin(BinOp::Add, first, 7)
    };
    let one = two_phases(one, None);
    assert_eq!((count(&one, "while __group"), count(&one, ":: permute (__s")), (1, 1), "{one}");
}

/// `s[t] = out[t ^ 16] + 1`, where `t & 4` is 0, then `out[t] = s[t]`: what the second phase overwrites other groups are still to read.
fn read_before() -> String {
    let mut p = Phase::new(64, 64);
    let t = p.t;
    let other = p.bin(BinOp::Xor, t, 16);
    let value = p.b.load(p.out, other);
    let next = p.bin(BinOp::Add, value, 1);
    let bit = p.bin(BinOp::And, t, 4);
    let cond = p.bin(BinOp::Eq, bit, 0);
    let first = vec![stmt(StmtKind::If { cond, then: vec![assign(p.s, t, next)], els: vec![] })];
    let (var, u) = p.b.index("u", 63);
    let own = p.b.load(p.s, u);
    let second = vec![assign(p.out, u, own)];
    p.text_of_all(first, vec![(var, second)])
}

#[test]
fn phases_that_meet_elsewhere_are_loops_of_their_own() {
    // What another group has written, and what another group is still to read.
    let far = two_phases(|p, u| p.bin(BinOp::Xor, u, 16), None);
    let past = two_phases(|p, u| p.bin(BinOp::Add, u, 1), None);
    let overwritten = two_phases(|p, u| p.bin(BinOp::Xor, u, 8), Some(|p, u| p.bin(BinOp::Xor, u, 32)));
    let doubled = two_phases(|p, u| p.bin(BinOp::Xor, u, 8), Some(|p, u| p.bin(BinOp::Add, u, 64)));
    // The number by which all are further on is one of those that are written.
    let loaded = |p: &mut Phase| {
        let last = p.k(127);
        let loaded = p.b.load(p.s, last);
        Some(p.bin(BinOp::And, loaded, 15))
    };
    let further = two_phases_from([loaded, loaded], |p, u| p.bin(BinOp::Xor, u, 8), None);
    let of_block = |p: &mut Phase| {
        let block = p.block.1;
        Some(p.bin(BinOp::And, block, 15))
    };
    let elsewhere = two_phases_from([|_| None, of_block], |p, u| p.bin(BinOp::Xor, u, 8), None);
    for text in [far, past, overwritten, doubled, further, elsewhere, read_before()] {
        assert!(count(&text, "while __group") >= 1 && count(&text, "while __v") > 2, "{text}");
        let fused = text.split("while __group").skip(1).any(|groups| {
            let until = groups.find("else").unwrap_or(groups.len());
            count(&groups[..until], "let __v") > 2
        });
        assert!(!fused, "{text}");
    }
}

/// Each thread adds the squares of 4 neighbours in a loop.
fn squares(instances: u32) -> String {
    let mut p = Phase::new(instances, 64);
    let (t, counter) = (p.t, p.b.0.new_var("k", ScalarType::U32, false, Range::new(0, 3)));
    let (k, (sum, so_far)) = (p.b.0.exprs.var(counter), p.local("sum"));
    let at = p.b.bin(BinOp::Add, t, k);
    let element = p.b.load(p.s, at);
    let square = p.b.bin(BinOp::Mul, element, element);
    let value = p.b.bin(BinOp::Add, so_far, square);
    let [start, end, step] = [0, 4, 1].map(|k| p.k(k));
    let round = vec![stmt(StmtKind::Set { var: sum, value })];
    let body = vec![
        stmt(StmtKind::Local { var: sum, init: Some(start) }),
        stmt(StmtKind::SeqFor { var: counter, start, end, step, body: round }),
        assign(p.out, t, so_far),
    ];
    p.text(body)
}

#[test]
fn where_groups_take_all_threads_none_runs_alone_on_a_machine_with_lanes() {
    let text = squares(48);
    let alone = text
        .split("if __L :: FAST { { let __end : usize = 48usize / 16usize ;")
        .nth(1)
        .and_then(|text| text.split_once("} else {"));
    assert!(
        alone.is_some_and(|(_, alone)| alone.starts_with(" { let __end : usize = 48usize ; let mut __v"))
            && !text.contains("__from"),
        "{text}"
    );
    // As many as no groups take stay as they are.
    assert!(!squares(40).contains("__group"));
}

/// What is printed in lanes first, and then not, leaves nothing behind.
#[test]
fn a_copy_that_stays_scalar_says_nothing_of_lines() {
    let mut p = Phase::new(48, 64);
    let large = p.k(1 << 20);
    p.out = p.b.output("large", &[ScalarType::U32], large)[0];
    let t = p.t;
    let value = p.b.load(p.x, t);
    let body = vec![assign(p.out, t, value)];
    let text = p.text(body);
    assert!(!text.contains("__group") && !text.contains("__past"), "{text}");
}
