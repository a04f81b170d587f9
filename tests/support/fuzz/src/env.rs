//! Bindings of variables, shared by all who have extended them.

use std::rc::Rc;

struct Node<T> {
    var: u32,
    value: T,
    outer: Env<T>,
}

/// What variables stand for.
pub struct Env<T>(Option<Rc<Node<T>>>);

impl<T> Clone for Env<T> {
    fn clone(&self) -> Self {
        Env(self.0.clone())
    }
}

impl<T> Default for Env<T> {
    fn default() -> Self {
        Env(None)
    }
}

impl<T> Env<T> {
    /// These and one more.
    #[must_use]
    pub fn with(&self, var: u32, value: T) -> Env<T> {
        Env(Some(Rc::new(Node { var, value, outer: self.clone() })))
    }

    /// What a variable stands for.
    pub fn get(&self, var: u32) -> Option<&T> {
        let mut at = self.0.as_ref()?;
        loop {
            if at.var == var {
                return Some(&at.value);
            }
            at = at.outer.0.as_ref()?;
        }
    }
}
