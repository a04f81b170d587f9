//! Entries and helpers.

use obsidian_ir::program::ScalarType;

use super::{Called, Gen, Here, Seen, opaque};
use crate::ast::{Bound, Declared, Expr, Helper, HelperKind, Input, Kernel, Known, Source};
use crate::random::Random;
use crate::types::Ty;

/// Threads of a block: about warps, and anything.
const THREADS: [u32; 16] = [1, 2, 5, 16, 31, 32, 33, 48, 64, 64, 96, 100, 128, 256, 512, 1024];

/// The kernel of a seed.
pub fn kernel(seed: u64) -> Kernel {
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
        fuel: 0,
    };
    for _ in 0..g.random.below(3) {
        g.helper();
    }
    let threads = if g.random.one_in(4) { 1 + g.random.below(1024) } else { g.random.pick(&THREADS) };
    let blocks = g.random.pick(&[1, 1, 2, 3, 5]);
    let inputs = g.inputs(blocks);
    let outputs = (0..g.random.pick(&[1, 1, 1, 2, 3])).map(|_| g.output(&inputs, blocks)).collect();
    Kernel { threads, inputs, helpers: g.helpers, outputs, data_seed: seed }
}

impl Gen {
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
        let (parts, ty) = self.parts(&at_launch, blocks);
        if at_launch.len() > 1 && self.random.one_in(2) {
            let (more, other) = self.parts(&at_launch, blocks);
            let both = Expr::method("zip", vec![parts, more]);
            return self.grid(both, Some((Ty::Tuple(vec![ty, other]), None)), blocks, &elem, n);
        }
        self.grid(parts, Some((ty, None)), blocks, &elem, n)
    }

    /// A buffer, changed on the way, cut into a part for each block.
    fn parts(&mut self, inputs: &[&Input], blocks: u32) -> (Expr, Ty) {
        let input = inputs[self.random.below(inputs.len() as u32) as usize];
        let Source::Buffer(n, _) = input.source else { return (Expr::var(input.var), opaque()) };
        let (mut e, mut elem, mut n) = (Expr::var(input.var), Ty::of_fields(&input.fields), n);
        for _ in 0..self.random.below(3) {
            let same = n;
            e = match self.random.below(6) {
                0 => Expr::method("reverse", vec![e]),
                1 => {
                    Expr::method("shift_right", vec![e, Expr::size(self.random.below(n.min(4) + 1)), self.leaf(&elem)])
                }
                2 => {
                    let radius = 1 + self.random.below(2);
                    let (window, to) = (Ty::pull(elem, 2 * radius + 1), self.elem());
                    let f = self.closure(&[window], |g| g.data(&to, 2));
                    elem = to;
                    Expr::method("stencil", vec![e, Expr::size(radius), f])
                }
                3 if n % (2 * blocks) == 0 => {
                    n /= 2;
                    Expr::method(self.random.pick(&["evens", "odds"]), vec![e])
                }
                4 => {
                    n *= 2;
                    Expr::method(self.random.pick(&["append", "interleave"]), vec![e.clone(), e])
                }
                _ => {
                    let to = self.elem();
                    let f = self.function(&[elem.clone()], &to, 2);
                    elem = to;
                    Expr::method("map", vec![e, f])
                }
            };
            // Every further step would be done twice for each element.
            if n > same {
                break;
            }
        }
        let cut = self.random.pick(&["split_up", "split_up", "coalesce"]);
        (Expr::method(cut, vec![e, Expr::size(n / blocks)]), Ty::pull(elem, n / blocks))
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
