//! Terms of SMT-LIB, equal ones stored once, and the script that asks about some of them.

use std::collections::HashMap;
use std::fmt::{self, Write};

/// A term in [`Terms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(u32);

/// Of what sort a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Bool,
    Int,
    Bits(u32),
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::Bits(width) => write!(f, "(_ BitVec {width})"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Node {
    head: String,
    args: Vec<Term>,
    sort: Sort,
}

/// The table of terms.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    nodes: Vec<Node>,
    known: HashMap<Node, Term>,
    /// Sorts of the arguments of declared functions, and theirs.
    declared: HashMap<String, (Vec<Sort>, Sort)>,
}

impl Terms {
    /// `(head args ..)`, of a function that SMT-LIB knows; without arguments the head itself.
    pub(crate) fn app(&mut self, head: &str, args: &[Term], sort: Sort) -> Term {
        let node = Node { head: head.to_string(), args: args.to_vec(), sort };
        if let Some(&term) = self.known.get(&node) {
            return term;
        }
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.known.insert(node, term);
        term
    }

    /// A declared function of these arguments; without any, a variable.
    pub(crate) fn declared(&mut self, name: &str, args: &[Term], sort: Sort) -> Term {
        let sorts = args.iter().map(|&a| self.sort(a)).collect();
        self.declared.insert(name.to_string(), (sorts, sort));
        self.app(name, args, sort)
    }

    pub(crate) fn sort(&self, term: Term) -> Sort {
        self.nodes[term.0 as usize].sort
    }

    fn is(&self, term: Term, head: &str) -> bool {
        self.nodes[term.0 as usize].head == head
    }

    pub(crate) fn bool(&mut self, value: bool) -> Term {
        self.app(if value { "true" } else { "false" }, &[], Sort::Bool)
    }

    pub(crate) fn not(&mut self, a: Term) -> Term {
        if self.is(a, "not") {
            return self.nodes[a.0 as usize].args[0];
        }
        match (self.is(a, "true"), self.is(a, "false")) {
            (true, _) => self.bool(false),
            (_, true) => self.bool(true),
            _ => self.app("not", &[a], Sort::Bool),
        }
    }

    pub(crate) fn and(&mut self, list: &[Term]) -> Term {
        self.join(list, "and", "true", "false")
    }

    pub(crate) fn or(&mut self, list: &[Term]) -> Term {
        self.join(list, "or", "false", "true")
    }

    fn join(&mut self, list: &[Term], head: &str, neutral: &str, zero: &str) -> Term {
        let mut args: Vec<Term> = Vec::new();
        for &term in list {
            if self.is(term, zero) {
                return term;
            }
            if !self.is(term, neutral) && !args.contains(&term) {
                args.push(term);
            }
        }
        match args.as_slice() {
            [] => self.app(neutral, &[], Sort::Bool),
            [one] => *one,
            _ => self.app(head, &args, Sort::Bool),
        }
    }

    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Term {
        if a == b { self.bool(true) } else { self.app("=", &[a, b], Sort::Bool) }
    }

    pub(crate) fn choose(&mut self, cond: Term, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        match (self.is(cond, "true"), self.is(cond, "false")) {
            _ if a == b => a,
            (true, _) => a,
            (_, true) => b,
            _ => self.app("ite", &[cond, a, b], sort),
        }
    }

    /// What to send: the functions that are used, the terms that stand in several places, what is asserted, and then, where
    /// it can be true, the values of `wanted`.
    pub(crate) fn script(&self, asserted: &[Term], wanted: &[Term]) -> Script {
        let roots: Vec<Term> = asserted.iter().chain(wanted).copied().collect();
        let uses = self.uses(&roots);
        let mut text = String::new();
        let mut names: Vec<(&String, &(Vec<Sort>, Sort))> = Vec::new();
        for &t in &uses.order {
            let head = &self.nodes[t.0 as usize].head;
            if let Some(entry) = self.declared.get_key_value(head) {
                names.push(entry);
            }
        }
        names.sort_by_key(|(name, _)| *name);
        names.dedup_by_key(|(name, _)| *name);
        for (name, (args, sort)) in names {
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "(declare-fun {name} ({}) {sort})", args.join(" "));
        }
        let mut written: HashMap<Term, String> = HashMap::new();
        for &t in &uses.order {
            let node = &self.nodes[t.0 as usize];
            let mut s = node.head.clone();
            if !node.args.is_empty() {
                let args: Vec<&str> = node.args.iter().map(|a| written[a].as_str()).collect();
                s = format!("({} {})", node.head, args.join(" "));
                if uses.count[&t] > 1 {
                    let _ = writeln!(text, "(define-fun ?{} () {} {s})", t.0, node.sort);
                    s = format!("?{}", t.0);
                }
            }
            written.insert(t, s);
        }
        for t in asserted {
            let _ = writeln!(text, "(assert {})", written[t]);
        }
        let wanted = wanted.iter().map(|t| written[t].clone()).collect();
        Script { text, wanted }
    }

    /// Every term below these, operands first, and how often each is used.
    fn uses(&self, roots: &[Term]) -> Uses {
        let mut uses = Uses::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&t| (t, false)).collect();
        while let Some((t, done)) = stack.pop() {
            if done {
                uses.order.push(t);
                continue;
            }
            let count = uses.count.entry(t).or_insert(0);
            *count += 1;
            if *count == 1 {
                stack.push((t, true));
                stack.extend(self.nodes[t.0 as usize].args.iter().rev().map(|&a| (a, false)));
            }
        }
        uses
    }
}

#[derive(Default)]
struct Uses {
    order: Vec<Term>,
    count: HashMap<Term, usize>,
}

/// A question as text.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) text: String,
    /// How each term whose value is wanted is written.
    pub(crate) wanted: Vec<String>,
}
