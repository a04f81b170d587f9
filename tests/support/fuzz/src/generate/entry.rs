//! Entries and helpers.

use obsidian_ir::program::ScalarType;

use super::operators::Order;
use super::{Called, Gen, Here, Seen, opaque};
use crate::ast::{
    Bound, Declared, Expr, Helper, HelperKind, Input, Kernel, Known, Launched, Numbers, Op, Source, Update,
};
use crate::random::Random;
use crate::types::{BOOL, Ty, U32};

/// Threads of a block: about warps, and anything.
const THREADS: [u32; 16] = [1, 2, 5, 16, 31, 32, 33, 48, 64, 64, 96, 100, 128, 256, 512, 1024];

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
    of(seed, false)
}

/// The same of other numbers, with arrays that launches store.
pub fn launches(seed: u64) -> Kernel {
    of(seed, true)
}

fn of(seed: u64, launching: bool) -> Kernel {
    let random = Random::new(seed);
    let mut g = Gen {
        random,
        next: 0,
        scope: Vec::new(),
        here: Here::Pure,
        helpers: Vec::new(),
        called: Vec::new(),
        bound: Bound::Data,
        function: None,
        updated: Vec::new(),
        fuel: 0,
        launching,
    };
    for _ in 0..g.random.below(3) {
        if g.random.one_in(4) { g.recursive_helper() } else { g.helper() }
    }
    let threads = g.threads();
    let more_threads =
        if g.random.one_in(8) { (0..1 + g.random.below(2)).map(|_| g.threads()).collect() } else { vec![] };
    let blocks = g.random.pick(&[1, 1, 2, 3, 5]);
    let mut inputs = g.inputs(blocks);
    let (mut outputs, mut changes) = (Vec::new(), Vec::new());
    if !launching && g.random.one_in(12) {
        changes = (0..1 + g.random.below(2)).map(|_| g.change(&mut inputs)).collect();
    } else {
        if !launching {
            g.updated_inputs(&mut inputs);
        }
        outputs = (0..g.random.pick(&[1, 1, 1, 2, 3])).map(|_| g.output(&inputs, blocks)).collect();
    }
    // By a number of its own, so that other kernels stay what they are.
    if changes.is_empty() && Random::new(!seed).one_in(8) {
        g.with_matrix(&mut inputs, &mut outputs);
    }
    if !launching && changes.is_empty() && Random::new(seed.rotate_left(32)).one_in(8) {
        g.with_neighbours(&mut inputs, &mut outputs);
    }
    Kernel {
        threads,
        more_threads: distinct(threads, more_threads),
        inputs,
        helpers: g.helpers,
        outputs,
        changes,
        data_seed: seed,
        numbers: if seed % 5 == 2 { Numbers::Named } else { Numbers::Literal },
    }
}

/// Numbers of threads, each once.
fn distinct(first: u32, more: Vec<u32>) -> Vec<u32> {
    let mut found = Vec::new();
    for n in more {
        if n != first && !found.contains(&n) {
            found.push(n);
        }
    }
    found
}

/// Atomic functions: whatever the order of updates by one of them, the result is the same. What is exchanged for is told by
/// its place alone.
pub(super) const ATOMICS: [&str; 8] = [
    "atomic_add",
    "atomic_sub",
    "atomic_min",
    "atomic_max",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
    "atomic_exchange",
];

impl Gen {
    fn threads(&mut self) -> u32 {
        if self.random.one_in(4) { 1 + self.random.below(1024) } else { self.random.pick(&THREADS) }
    }

    /// An argument of which each element is changed by itself, and how.
    fn change(&mut self, inputs: &mut Vec<Input>) -> (u32, Expr) {
        self.fuel = 20;
        let (var, fields, n) = (self.fresh(), self.fields(), self.length(obsidian_ir::level::Level::Block));
        let known = self.random.pick(&[Known::Static, Known::AtLaunch]);
        let elem = Ty::of_fields(&fields);
        inputs.push(Input { var, fields, source: Source::Updated(n, known, Update::Each), below: None });
        let f = self.closure(&[U32, elem.clone()], |g| {
            let place = g.scope.len() - 2;
            g.scope[place].below = (known == Known::Static).then_some(n);
            g.data(&elem, 3)
        });
        (var, f)
    }

    /// Sometimes an argument that blocks update.
    fn updated_inputs(&mut self, inputs: &mut Vec<Input>) {
        if !self.random.one_in(5) {
            return;
        }
        let (var, n) = (self.fresh(), 1 + self.random.below(20));
        let ty = self.random.pick(&[ScalarType::I32, ScalarType::U32, ScalarType::I64, ScalarType::U64]);
        let known = self.random.pick(&[Known::Static, Known::AtLaunch]);
        let update = Update::By(self.random.pick(&ATOMICS));
        inputs.push(Input { var, fields: vec![ty], source: Source::Updated(n, known, update), below: None });
        self.updated.push((var, Ty::Scalar(ty), n));
    }

    /// The entry's arguments; those that code can use as they are come into scope.
    fn inputs(&mut self, blocks: u32) -> Vec<Input> {
        let mut inputs = Vec::new();
        for i in 0..1 + self.random.below(3) {
            let var = self.fresh();
            let mut input = Input { var, fields: self.fields(), source: Source::Scalar, below: None };
            let chunk = self.length(obsidian_ir::level::Level::Block).min(64);
            input.source = match self.random.below(6) {
                0 if i > 0 => Source::Scalar,
                1 => Source::Buffer(chunk, Known::Static),
                2 => {
                    (input.fields, input.below) = (vec![ScalarType::U32], Some(1 + self.random.below(16)));
                    Source::Buffer(chunk, Known::Static)
                }
                _ => Source::Buffer(chunk * blocks, Known::AtLaunch),
            };
            if input.source == Source::Scalar {
                input.fields.truncate(1);
            }
            let elem = Ty::of_fields(&input.fields);
            match input.source {
                Source::Scalar => self.scope.push(Seen::new(var, elem, None)),
                // They come later.
                Source::Updated(..) | Source::Matrix(..) => {}
                Source::Buffer(n, known) => {
                    self.scope.push(Seen::new(var, Ty::Pull(Box::new(elem), n, known), input.below));
                }
            }
            inputs.push(input);
        }
        inputs
    }

    fn output(&mut self, inputs: &[Input], blocks: u32) -> Expr {
        self.fuel = 26;
        let (elem, n) = (self.elem(), self.length(obsidian_ir::level::Level::Block));
        let at_launch: Vec<&Input> =
            inputs.iter().filter(|i| matches!(i.source, Source::Buffer(_, Known::AtLaunch))).collect();
        if at_launch.is_empty() || self.random.one_in(5) {
            let numbers = Expr::call("iota", vec![Expr::size(blocks)]);
            return self.grid(numbers, None, blocks, &elem, n);
        }
        if self.random.one_in(5) {
            let (source, elem, n) = self.changed(&at_launch, blocks);
            let rows = self.random.one_in(3);
            return if rows { self.launched_rows(source, &elem, n) } else { self.chunked(source, &elem, n) };
        }
        let (parts, ty) = self.parts(&at_launch, blocks);
        if at_launch.len() > 1 && self.random.one_in(2) {
            let (more, other) = self.parts(&at_launch, blocks);
            let both = Expr::method("zip", vec![parts, more]);
            return self.grid(both, Some((Ty::Tuple(vec![ty, other]), None)), blocks, &elem, n);
        }
        self.grid(parts, Some((ty, None)), blocks, &elem, n)
    }

    /// An array of what the neighbourhoods of elements make, and its elements' type.
    pub(super) fn stencil(&mut self, e: Expr, elem: &Ty) -> (Expr, Ty) {
        let radius = 1 + self.random.below(2);
        let (window, to) = (Ty::pull(elem.clone(), 2 * radius + 1), self.elem());
        let f = self.closure(&[window], |g| g.data(&to, 2));
        (Expr::method("stencil", vec![e, Expr::size(radius), f]), to)
    }

    /// A buffer, changed on the way, cut into a part for each block.
    fn parts(&mut self, inputs: &[&Input], blocks: u32) -> (Expr, Ty) {
        let (e, elem, n) = self.changed(inputs, blocks);
        let cut = self.random.pick(&["split_up", "split_up", "coalesce"]);
        (Expr::method(cut, vec![e, Expr::size(n / blocks)]), Ty::pull(elem, n / blocks))
    }

    /// A buffer, changed on the way: the array, its elements' type, and its length, which `blocks` divides.
    fn changed(&mut self, inputs: &[&Input], blocks: u32) -> (Expr, Ty, u32) {
        let input = inputs[self.random.below(inputs.len() as u32) as usize];
        let Source::Buffer(n, _) = input.source else { return (Expr::var(input.var), opaque(), 1) };
        let (mut e, mut elem, mut n) = (Expr::var(input.var), Ty::of_fields(&input.fields), n);
        for _ in 0..self.random.below(3) {
            let same = n;
            e = match self.random.below(6) {
                0 => Expr::method("reverse", vec![e]),
                1 => {
                    Expr::method("shift_right", vec![e, Expr::size(self.random.below(n.min(4) + 1)), self.leaf(&elem)])
                }
                2 => {
                    let (around, to) = self.stencil(e, &elem);
                    elem = to;
                    around
                }
                3 if n % (2 * blocks) == 0 => {
                    n /= 2;
                    Expr::method(self.random.pick(&["evens", "odds"]), vec![e])
                }
                4 => {
                    // An array of known length stands beside one whose length is the launch's.
                    let other = match self.random.below(4) {
                        0 => Expr::call("replicate", vec![Expr::size(n), self.leaf(&elem)]),
                        _ => e.clone(),
                    };
                    let both = if self.random.one_in(2) { vec![e, other] } else { vec![other, e] };
                    n *= 2;
                    Expr::method(self.random.pick(&["append", "interleave"]), both)
                }
                _ => {
                    let to = self.elem();
                    let f = self.function(&[elem.clone()], &to, 2);
                    elem = to;
                    Expr::method("map", vec![e, f])
                }
            };
            if self.launching && self.random.one_in(2) {
                e = self.launched(e, &elem);
            }
            // Every further step would be done twice for each element.
            if n > same {
                break;
            }
        }
        (e, elem, n)
    }

    /// What launches make of an array.
    fn launched(&mut self, e: Expr, elem: &Ty) -> Expr {
        use Launched::{
            Chained, Chosen, Combined, Doubled, Excluded, Greatest, Parted, Repeated, Replaced, Runs, Scanned,
            Segmented, Segments,
        };
        use Launched::{Shaped, Sorted, Stored, Turned};
        let all = [
            Stored, Scanned, Combined, Repeated, Chosen, Replaced, Sorted, Parted, Excluded, Segmented, Segments, Runs,
            Greatest, Turned, Chained, Doubled, Shaped,
        ];
        let mut what = self.random.pick(&all);
        if matches!(what, Sorted | Runs | Greatest) && !elem.scalar().is_some_and(|s| s.is_int()) {
            what = Stored;
        }
        let mut args = vec![e];
        match what {
            Stored | Sorted | Runs | Greatest | Turned => {}
            Parted => args.push(self.function(std::slice::from_ref(elem), &BOOL, 2)),
            Scanned | Combined | Excluded | Segments => args.push(self.operator(elem, Order::Kept)),
            Segmented => {
                args.push(self.operator(elem, Order::Kept));
                args.push(self.function(std::slice::from_ref(elem), &BOOL, 2));
            }
            Chained => args.push(self.function(&[elem.clone(), elem.clone()], elem, 2)),
            Repeated | Chosen | Replaced | Doubled | Shaped => {
                args.push(self.function(std::slice::from_ref(elem), elem, 2))
            }
        }
        Expr::new(Op::Launched(what, self.fresh()), args)
    }

    /// A helper that calls itself on halves of its array.
    fn recursive_helper(&mut self) {
        self.fuel = 10;
        let index = self.helpers.len();
        let bound = self.random.pick(&[Bound::Num, Bound::Int]);
        self.bound = bound;
        let kind = if self.random.one_in(2) { HelperKind::Pure } else { HelperKind::Program };
        let n = self.random.pick(&[2, 4, 8, 16]);
        let (xs, f, halves) = (self.fresh(), self.fresh(), self.fresh());
        self.function = Some(f);
        let t = opaque();
        let (lo, hi) = (Expr::var(halves).field(0), Expr::var(halves).field(1));
        let stored = |e: Expr| if kind == HelperKind::Program { Expr::method("compute", vec![e]) } else { e };
        let again = |e: Expr| Expr::new(Op::Again, vec![e]);
        let base = match self.random.below(3) {
            0 => Expr::var(xs),
            1 => Expr::method("reverse", vec![Expr::var(xs)]),
            _ => Expr::method("map", vec![Expr::var(xs), self.function(std::slice::from_ref(&t), &t, 1)]),
        };
        let both = [t.clone(), t.clone()];
        let g = self.function(&both, &t, 1);
        let (rest, m) = match self.random.below(3) {
            // A tree.
            0 => (again(stored(Expr::method("zip_with", vec![lo, hi, g]))), 1),
            1 => {
                let joined = self.random.pick(&["append", "interleave"]);
                (stored(Expr::method(joined, vec![again(lo), again(hi)])), n)
            }
            // A butterfly.
            _ => {
                let h = self.function(&both, &t, 1);
                let less = stored(Expr::method("zip_with", vec![lo.clone(), hi.clone(), g]));
                let more = Expr::method("zip_with", vec![lo, hi, h]);
                (Expr::method("append", vec![again(less), again(more)]), n)
            }
        };
        let halved = Expr::method("halve", vec![Expr::var(xs)]);
        let rest = Expr::new(Op::Let(halves), vec![halved, rest]);
        let body = Expr::new(Op::Short(1), vec![Expr::var(xs), base, rest]);
        self.scope.clear();
        self.function = None;
        let params = vec![(xs, Declared::Array), (f, Declared::Function)];
        self.helpers.push(Helper { bound, params, result: Declared::Array, kind, body });
        let params = vec![(Declared::Array, n), (Declared::Function, 0)];
        self.called.push(Called { index, bound, kind, params, result: (Declared::Array, m) });
    }

    fn helper(&mut self) {
        self.fuel = 12;
        let index = self.helpers.len();
        let bound = self.random.pick(&[Bound::Data, Bound::Num, Bound::Num, Bound::Int]);
        self.bound = bound;
        let kind = if self.random.one_in(2) { HelperKind::Pure } else { HelperKind::Program };
        let lengths = [1, 2, 4, 5, 8, 16, 32];
        let (n, m) = (self.random.pick(&lengths), self.random.pick(&lengths));
        let (elements, result) = match (kind, self.random.below(3)) {
            (HelperKind::Pure, 0 | 1) => (1 + self.random.below(2), (Declared::Element, 0)),
            (HelperKind::Program, 0) => (0, (Declared::Pushed, m)),
            _ => (0, (Declared::Array, m)),
        };
        let mut declared = vec![(Declared::Element, 0); elements as usize];
        if elements == 0 {
            declared.push((Declared::Array, n));
            if self.random.one_in(2) {
                declared.push((Declared::Function, 0));
            }
        }
        let params: Vec<(u32, Declared)> = declared.iter().map(|d| (self.fresh(), d.0)).collect();
        for ((var, declared), (_, n)) in params.iter().zip(&declared) {
            match declared {
                Declared::Function => self.function = Some(*var),
                Declared::Element => self.scope.push(Seen::new(*var, opaque(), None)),
                _ => self.scope.push(Seen::new(*var, Ty::pull(opaque(), *n), None)),
            }
        }
        let here = if kind == HelperKind::Pure { Here::Pure } else { Here::Any };
        let body = self.there(here, |g| match result {
            (Declared::Element, _) => g.data(&opaque(), 3),
            (Declared::Pushed, m) => g.push(&opaque(), m, 2),
            (_, m) => g.pull(&opaque(), m, 3),
        });
        self.scope.clear();
        self.function = None;
        self.helpers.push(Helper { bound, params, result: result.0, kind, body });
        self.called.push(Called { index, bound, kind, params: declared, result });
    }
}
