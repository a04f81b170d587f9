//! Random kernels that are well typed by construction: from a seed, a [`Kernel`]. Every length is a number that is chosen
//! first; then expressions are made from the wanted type down.

mod any_length;
mod arrays;
mod entry;
mod levels;
mod matrices;
mod neighbours;
mod operators;
mod scalars;
mod stored;

use obsidian_ir::level::Level;
use obsidian_ir::program::ScalarType;

use crate::ast::{Bound, Declared, Expr, Helper, HelperKind, Kernel, Op};
use crate::random::Random;
use crate::types::Ty;

pub use entry::{kernel, launches};

/// The generic element type inside a helper.
pub(crate) fn opaque() -> Ty {
    Ty::Tuple(Vec::new())
}

/// A variable in scope.
#[derive(Clone)]
struct Seen {
    var: u32,
    ty: Ty,
    /// What its value, or its elements, are known or said to lie below.
    below: Option<u32>,
    /// Whether it reads mutable memory: that is a step of a program, which no branch of a warp or a block can take.
    view: bool,
}

impl Seen {
    fn new(var: u32, ty: Ty, below: Option<u32>) -> Seen {
        Seen { var, ty, below, view: false }
    }
}

/// Where code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Here {
    Pure,
    At(Level),
    /// In a helper that is generic in its level.
    Any,
}

/// A helper's lengths, for its calls.
struct Called {
    index: usize,
    bound: Bound,
    kind: HelperKind,
    params: Vec<(Declared, u32)>,
    result: (Declared, u32),
}

struct Gen {
    random: Random,
    next: u32,
    scope: Vec<Seen>,
    here: Here,
    helpers: Vec<Helper>,
    called: Vec<Called>,
    /// What the generic element type can do, inside a helper.
    bound: Bound,
    /// The function parameter of a helper.
    function: Option<u32>,
    /// Arguments that atomic functions update: their elements and lengths.
    updated: Vec<(u32, Ty, u32)>,
    /// Nodes that may still be made; then only leaves are.
    fuel: i32,
    /// Whether launches may store arrays, at `Device`.
    launching: bool,
}

impl Gen {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// An expression that sees one more variable.
    fn seeing<T>(&mut self, seen: Seen, make: impl FnOnce(&mut Gen) -> T) -> T {
        self.scope.push(seen);
        let made = make(self);
        self.scope.pop();
        made
    }

    /// An expression that runs somewhere else.
    fn there<T>(&mut self, here: Here, make: impl FnOnce(&mut Gen) -> T) -> T {
        let before = std::mem::replace(&mut self.here, here);
        let made = make(self);
        self.here = before;
        made
    }

    /// An expression that sees no mutable memory.
    fn without_views<T>(&mut self, make: impl FnOnce(&mut Gen) -> T) -> T {
        let before = self.scope.clone();
        self.scope.retain(|s| !s.view);
        let made = make(self);
        self.scope = before;
        made
    }

    /// Whether an expression reads mutable memory.
    fn reads_views(&self, e: &Expr) -> bool {
        let own = match &e.op {
            Op::Updates(..) | Op::InPlace(..) | Op::Method("power") => true,
            Op::Registers(..) | Op::Staged(..) | Op::InTurn(..) => return false,
            Op::Method("compute" | "compute_padded" | "compute_lanes") => return false,
            Op::Call("force" | "ballot" | "any" | "all" | "match_any") => return false,
            Op::Var(v) => self.scope.iter().any(|s| s.var == *v && s.view),
            _ => false,
        };
        own || e.args.iter().any(|a| self.reads_views(a))
    }

    /// A pure closure of values of these types.
    fn closure(&mut self, params: &[Ty], make: impl FnOnce(&mut Gen) -> Expr) -> Expr {
        let here = Here::Pure;
        self.closure_at(here, params, make)
    }

    /// A closure that runs at a level.
    fn closure_at(&mut self, here: Here, params: &[Ty], make: impl FnOnce(&mut Gen) -> Expr) -> Expr {
        let vars: Vec<u32> = params.iter().map(|_| self.fresh()).collect();
        for (&var, ty) in vars.iter().zip(params) {
            self.scope.push(Seen::new(var, ty.clone(), None));
        }
        let body = self.there(here, make);
        self.scope.truncate(self.scope.len() - params.len());
        Expr::lambda(vars, body)
    }

    /// A closure of an index below `n`.
    fn index_closure(&mut self, here: Here, n: u32, make: impl FnOnce(&mut Gen) -> Expr) -> Expr {
        let var = self.fresh();
        let seen = Seen::new(var, crate::types::U32, Some(n));
        let body = self.seeing(seen, |g| g.there(here, make));
        Expr::lambda(vec![var], body)
    }

    fn scalar_type(&mut self) -> ScalarType {
        use ScalarType::*;
        match self.random.below(3) {
            0 => self.random.pick(&[I32, U32, F32]),
            _ => self.random.pick(&ScalarType::ALL),
        }
    }

    /// Fields of an element: mostly one.
    fn fields(&mut self) -> Vec<ScalarType> {
        let n = match self.random.below(12) {
            0 => 3,
            1 | 2 => 2,
            _ => 1,
        };
        (0..n).map(|_| self.scalar_type()).collect()
    }

    fn elem(&mut self) -> Ty {
        let fields = self.fields();
        if fields.len() > 1 && self.random.one_in(3) { Ty::Record(fields) } else { Ty::of_fields(&fields) }
    }

    /// Whether another inner node may be made.
    fn burn(&mut self) -> bool {
        self.fuel -= 1;
        self.fuel > 0
    }

    /// A divisor of `n`.
    fn divisor(&mut self, n: u32) -> u32 {
        let all: Vec<u32> = (1..=n).filter(|d| n.is_multiple_of(*d)).collect();
        self.random.pick(&all)
    }

    /// The level of stored arrays and push arrays here, where there is one.
    fn level(&self) -> Option<Level> {
        if let Here::At(level) = self.here { Some(level) } else { None }
    }
}

/// The kernel of a seed.
pub fn of_seed(seed: u64) -> Kernel {
    kernel(seed)
}

/// The program of several launches of a seed; now and then it is a kernel.
pub fn of_launches(seed: u64) -> Kernel {
    entry::launches(seed)
}
