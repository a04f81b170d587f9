//! The variables of a question, to read a model by, and to fix one.

use super::{Encoder, Instance, Value};
use crate::expr::Counter;
use crate::session::{Leaf, What};
use crate::smt::Term;
use crate::text::{Type, U32};

impl Encoder<'_> {
    /// The variables that were made so far.
    pub(crate) fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for seen in &self.seen {
            if let Some(index) = seen.index {
                leaves.push(Leaf { what: What::Index, term: index, ty: U32 });
            }
            leaves.push(Leaf { what: seen.what.clone(), term: seen.term, ty: seen.ty });
        }
        leaves
    }

    pub(super) fn note(&mut self, what: What, index: Option<Term>, term: Term, ty: Type) {
        if !self.seen.iter().any(|s| s.term == term) {
            self.seen.push(Seen { what, index, term, ty });
        }
    }

    /// A variable for the element that is asked for.
    pub(crate) fn any_element(&mut self) -> Value {
        let element = self.function("element", &[], U32);
        self.note(What::Element, None, element.term, U32);
        self.element = Some(element);
        element
    }

    fn is(&mut self, value: Value, number: i128, ty: Type) -> Term {
        let number = self.constant(number, ty);
        self.terms.equal(value.term, number.term)
    }

    pub(crate) fn element_is(&mut self, number: i128) -> Term {
        let element = self.any_element();
        self.is(element, number, U32)
    }

    pub(crate) fn counter_is(&mut self, counter: Counter, instance: Instance, number: i128) -> Term {
        let value = self.counter(counter, instance);
        self.is(value, number, U32)
    }

    pub(crate) fn launch_is(&mut self, name: &str, number: i128) -> Term {
        let ty = self.program.launch_type(name);
        let value = self.function(&format!("launch_{name}"), &[], ty);
        self.is(value, number, ty)
    }

    pub(crate) fn input_is(&mut self, array: usize, index: i128, number: i128) -> Term {
        let ty = self.program.arrays[array].ty;
        let index = self.constant(index, U32);
        let value = self.function(&format!("input{array}"), &[index.term], ty);
        self.is(value, number, ty)
    }
}

/// A variable that was made.
#[derive(Debug)]
pub(super) struct Seen {
    what: What,
    index: Option<Term>,
    term: Term,
    ty: Type,
}
