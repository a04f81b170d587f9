//! Expressions as terms, in two ways: exact integers that are reduced into their types explicitly, and bit vectors. The one is
//! good at strides and divisions, the other at operations on bits and at products that wrap.

mod bits;
mod exact;
mod integers;
mod leaves;
mod operators;
mod path;

use std::collections::HashMap;

use crate::expr::{Counter, Id, Node};
use crate::session::What;
use crate::site::{Extent, Program};
use crate::smt::{Sort, Term, Terms};
use crate::text::{Op, Type, U32};

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Integers,
    Bits,
}

/// Which instance an expression is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Instance(pub(crate) u32);

/// What is the same for all instances.
pub(crate) const LAUNCH: Instance = Instance(0);
/// The first, or only, instance of a question.
pub(crate) const FIRST: Instance = Instance(1);
/// The second one.
pub(crate) const SECOND: Instance = Instance(2);

/// A term and the values that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) term: Term,
    pub(crate) low: i128,
    pub(crate) high: i128,
}

/// Makes the terms of one question.
pub(crate) struct Encoder<'p> {
    pub(crate) program: &'p Program,
    pub(crate) terms: Terms,
    pub(crate) mode: Mode,
    memo: HashMap<(Id, Instance), Value>,
    /// Counters that are terms, where a witness is given.
    given: HashMap<(Counter, Instance), Value>,
    /// What the element of a question is.
    pub(crate) element: Option<Value>,
    /// What variables satisfy.
    pub(crate) side: Vec<Term>,
    arbitrary: u32,
    seen: Vec<leaves::Seen>,
    instances: u32,
}

impl<'p> Encoder<'p> {
    pub(crate) fn new(program: &'p Program, mode: Mode) -> Encoder<'p> {
        Encoder {
            program,
            terms: Terms::default(),
            mode,
            memo: HashMap::new(),
            given: HashMap::new(),
            element: None,
            side: Vec::new(),
            arbitrary: 0,
            seen: Vec::new(),
            instances: SECOND.0,
        }
    }

    pub(crate) fn sort(&self, ty: Type) -> Sort {
        match (ty, self.mode) {
            (Type::Bool, _) => Sort::Bool,
            (_, Mode::Integers) => Sort::Int,
            (Type::Int { width, .. }, Mode::Bits) => Sort::Bits(width),
            (Type::Float(_), Mode::Bits) => Sort::Bits(64),
        }
    }

    /// A number of a type.
    pub(crate) fn constant(&mut self, value: i128, ty: Type) -> Value {
        let term = match self.sort(ty) {
            Sort::Bool => self.terms.bool(value != 0),
            Sort::Int => self.integer(value),
            Sort::Bits(width) => self.bits(value, width),
        };
        Value { term, low: value, high: value }
    }

    /// A declared function of these arguments.
    pub(crate) fn function(&mut self, name: &str, args: &[Term], ty: Type) -> Value {
        let sort = self.sort(ty);
        let known = self.terms.declared(name, args, sort);
        let (low, high) = ty.limits();
        if sort == Sort::Int {
            let inside = self.within(known, low, high);
            if !self.side.contains(&inside) {
                self.side.push(inside);
            }
        }
        Value { term: known, low, high }
    }

    /// A value that nothing is known of, and that is no other's.
    pub(crate) fn anything(&mut self, ty: Type) -> Value {
        self.arbitrary += 1;
        self.function(&format!("any{}", self.arbitrary), &[], ty)
    }

    /// An instance that nothing is said of yet.
    pub(crate) fn instance(&mut self) -> Instance {
        self.instances += 1;
        Instance(self.instances)
    }

    /// Has a counter of an instance be a term.
    pub(crate) fn give(&mut self, counter: Counter, instance: Instance, value: Value) {
        self.given.insert((counter, instance), value);
    }

    pub(crate) fn is_given(&self, counter: Counter, instance: Instance) -> bool {
        self.given.contains_key(&(counter, instance))
    }

    /// A counter of an instance.
    pub(crate) fn counter(&mut self, counter: Counter, instance: Instance) -> Value {
        if let Some(&value) = self.given.get(&(counter, instance)) {
            return value;
        }
        let name = format!("c{}_{}", counter.0, instance.0);
        let value = self.function(&name, &[], U32);
        self.note(What::Counter(counter, instance), None, value.term, U32);
        Value { high: self.last(counter), ..value }
    }

    /// The last value of a counter whose end is a number. It holds where the path does, which every question asserts.
    fn last(&self, counter: Counter) -> i128 {
        let end = match &self.program.counters[counter.0].extent {
            Extent::Below(n) => self.program.exprs.int(*n),
            Extent::Steps { end, .. } => self.program.exprs.int(*end),
            Extent::Open => None,
        };
        end.map_or(U32.limits().1, |n| (n - 1).max(0))
    }

    /// An expression as an instance sees it.
    pub(crate) fn value(&mut self, id: Id, instance: Instance) -> Value {
        let leaves = self.program.exprs.leaves(id);
        let instance = if leaves.counters.is_empty() && !leaves.element { LAUNCH } else { instance };
        if let Some(&value) = self.memo.get(&(id, instance)) {
            return value;
        }
        let value = self.make(id, instance);
        self.memo.insert((id, instance), value);
        value
    }

    fn make(&mut self, id: Id, instance: Instance) -> Value {
        let program = self.program;
        let ty = program.exprs.ty(id);
        match program.exprs.node(id) {
            Node::Int(n) => self.constant(*n, ty),
            Node::Counter(c) => self.counter(*c, instance),
            Node::Launch(name) => {
                let value = self.function(&format!("launch_{name}"), &[], ty);
                self.note(What::Launch(name.clone()), None, value.term, ty);
                value
            }
            Node::Input(array, index) => {
                let index = self.value(*index, instance);
                let value = self.function(&format!("input{array}"), &[index.term], ty);
                self.note(What::Input(*array), Some(index.term), value.term, ty);
                value
            }
            Node::Unknown(n, counters) => {
                let args: Vec<Term> = counters.iter().map(|&c| self.counter(c, instance).term).collect();
                self.function(&format!("unknown{n}"), &args, ty)
            }
            Node::Element => {
                self.element.unwrap_or_else(|| unreachable!("an element is asked for only where there is one"))
            }
            Node::Opaque(name, args) => {
                let args: Vec<Term> = args.iter().map(|&a| self.value(a, instance).term).collect();
                let sorts: Vec<String> = args.iter().map(|&a| sort_name(self.terms.sort(a))).collect();
                let name = format!("|{name} {} {}|", sorts.join(" "), sort_name(self.sort(ty)));
                self.function(&name, &args, ty)
            }
            Node::Neg(a) => {
                let (zero, a) = (self.constant(0, ty), self.value(*a, instance));
                self.arithmetic(Op::Sub, ty, zero, a)
            }
            Node::Not(a) => self.complement(*a, ty, instance),
            Node::Select(c, a, b) => {
                let [c, a, b] = [*c, *a, *b].map(|x| self.value(x, instance));
                let term = self.terms.choose(c.term, a.term, b.term);
                Value { term, low: a.low.min(b.low), high: a.high.max(b.high) }
            }
            Node::Cast(a) => {
                let from = program.exprs.ty(*a);
                let a = self.value(*a, instance);
                self.cast(a, from, ty)
            }
            Node::Bin(op, a, b) => {
                let operands = program.exprs.ty(*a);
                let [a, b] = [*a, *b].map(|x| self.value(x, instance));
                self.binary(*op, operands, a, b)
            }
        }
    }
}

fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::Bool => "bool".to_string(),
        Sort::Int => "int".to_string(),
        Sort::Bits(width) => format!("bits{width}"),
    }
}
