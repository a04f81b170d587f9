//! Expressions with names resolved and types known, equal ones stored once.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::text::{Op, Type, U32};

/// An expression in [`Exprs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// A counter of an instance: of `distribute`, `forall`, `seq` or `while`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Counter(pub(crate) usize);

/// What an expression is made of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Int(i128),
    Counter(Counter),
    /// A scalar argument or a length: the same for all instances.
    Launch(Rc<str>),
    /// An element of an array that nobody writes.
    Input(usize, Id),
    /// A value that is not followed: what was read from an array that is written, what a loop has made of a variable. It is
    /// the same wherever these counters are.
    Unknown(usize, Rc<[Counter]>),
    Neg(Id),
    Not(Id),
    Bin(Op, Id, Id),
    Select(Id, Id, Id),
    Cast(Id),
    /// A function of which nothing is known but that it is one.
    Opaque(Rc<str>, Rc<[Id]>),
    /// The element that is asked for, where a witness is looked for.
    Element,
}

/// What an expression depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leaves {
    pub(crate) counters: BTreeSet<Counter>,
    /// Scalars, lengths or elements of inputs.
    pub(crate) launch: bool,
    /// Unknown values or opaque functions: a model of them need not be real.
    pub(crate) unknown: bool,
    /// An element of any array.
    pub(crate) data: bool,
    /// The element that is asked for.
    pub(crate) element: bool,
}

impl Leaves {
    fn join(&mut self, other: &Leaves) {
        self.counters.extend(&other.counters);
        self.launch |= other.launch;
        self.unknown |= other.unknown;
        self.data |= other.data;
        self.element |= other.element;
    }
}

#[derive(Debug)]
struct Entry {
    node: Node,
    ty: Type,
    leaves: Rc<Leaves>,
}

/// The table of expressions.
#[derive(Debug, Default)]
pub(crate) struct Exprs {
    entries: Vec<Entry>,
    known: HashMap<(Node, Type), Id>,
}

impl Exprs {
    pub(crate) fn add(&mut self, node: Node, ty: Type) -> Id {
        if let Some(&id) = self.known.get(&(node.clone(), ty)) {
            return id;
        }
        let leaves = Rc::new(self.leaves_of(&node));
        let id = Id(self.entries.len() as u32);
        self.entries.push(Entry { node: node.clone(), ty, leaves });
        self.known.insert((node, ty), id);
        id
    }

    fn leaves_of(&self, node: &Node) -> Leaves {
        let mut leaves = Leaves::default();
        for operand in operands(node) {
            leaves.join(self.leaves(operand));
        }
        match node {
            Node::Counter(c) => drop(leaves.counters.insert(*c)),
            Node::Launch(_) => leaves.launch = true,
            Node::Input(..) => (leaves.launch, leaves.data) = (true, true),
            Node::Unknown(_, counters) => {
                leaves.counters.extend(counters.iter());
                (leaves.unknown, leaves.data) = (true, true);
            }
            Node::Opaque(..) => leaves.unknown = true,
            Node::Element => leaves.element = true,
            _ => {}
        }
        leaves
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.entries[id.0 as usize].node
    }

    pub(crate) fn ty(&self, id: Id) -> Type {
        self.entries[id.0 as usize].ty
    }

    pub(crate) fn leaves(&self, id: Id) -> &Leaves {
        &self.entries[id.0 as usize].leaves
    }

    /// The value of a constant.
    pub(crate) fn int(&self, id: Id) -> Option<i128> {
        match self.node(id) {
            Node::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The expression, if it has been made.
    pub(crate) fn known(&self, node: &Node, ty: Type) -> Option<Id> {
        self.known.get(&(node.clone(), ty)).copied()
    }

    /// An index as a base and a number that is added.
    pub(crate) fn and_number(&self, index: Id) -> (Id, i128) {
        match *self.node(index) {
            Node::Bin(Op::Add, a, b) if self.ty(index) == U32 => match (self.int(a), self.int(b)) {
                (_, Some(n)) => (a, n),
                (Some(n), _) => (b, n),
                _ => (index, 0),
            },
            _ => (index, 0),
        }
    }

    /// `id` with `from` replaced by `to`, wherever it stands.
    pub(crate) fn replace(&mut self, id: Id, from: Id, to: Id) -> Id {
        let mut done = HashMap::new();
        self.replaced(id, from, to, &mut done)
    }

    fn replaced(&mut self, id: Id, from: Id, to: Id, done: &mut HashMap<Id, Id>) -> Id {
        if id == from {
            return to;
        }
        // Operands are older than what they stand in.
        if id < from {
            return id;
        }
        if let Some(&new) = done.get(&id) {
            return new;
        }
        let (node, ty) = (self.node(id).clone(), self.ty(id));
        let mut map = |x: Id| self.replaced(x, from, to, done);
        let node = match node {
            Node::Input(array, i) => Node::Input(array, map(i)),
            Node::Neg(a) => Node::Neg(map(a)),
            Node::Not(a) => Node::Not(map(a)),
            Node::Bin(op, a, b) => Node::Bin(op, map(a), map(b)),
            Node::Select(c, a, b) => Node::Select(map(c), map(a), map(b)),
            Node::Cast(a) => Node::Cast(map(a)),
            Node::Opaque(name, args) => Node::Opaque(name, args.iter().map(|&a| map(a)).collect()),
            leaf => leaf,
        };
        let new = self.add(node, ty);
        done.insert(id, new);
        new
    }
}

/// What a node is computed from.
fn operands(node: &Node) -> Vec<Id> {
    match node {
        Node::Input(_, a) | Node::Neg(a) | Node::Not(a) | Node::Cast(a) => vec![*a],
        Node::Bin(_, a, b) => vec![*a, *b],
        Node::Select(c, a, b) => vec![*c, *a, *b],
        Node::Opaque(_, args) => args.to_vec(),
        _ => Vec::new(),
    }
}
