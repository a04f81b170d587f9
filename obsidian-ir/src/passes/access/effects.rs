//! Which arrays a statement reads and writes, at the granularity of whole arrays.
//!
//! Needs: nothing. Gives: [`Loads`], the arrays that each expression loads from, and [`Effects`] of statements.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::passes::walk::{self, Kind};
use crate::program::{ArrayId, Expr, ExprId, Exprs, Stmt, StmtKind};

/// The arrays that each expression of a program loads from.
#[derive(Debug)]
pub struct Loads {
    sets: Vec<Rc<[ArrayId]>>,
}

impl Loads {
    /// Visits every expression once.
    pub fn new(exprs: &Exprs) -> Loads {
        let empty: Rc<[ArrayId]> = Rc::new([]);
        let mut sets: Vec<Rc<[ArrayId]>> = Vec::with_capacity(exprs.len());
        for i in 0..exprs.len() {
            let expr = exprs.expr(ExprId(i as u32));
            let own = match expr {
                Expr::Load(a, _) => Some(a),
                _ => None,
            };
            let mut set = Rc::clone(&empty);
            for id in walk::operands(expr) {
                set = union(&set, &sets[id.0 as usize]);
            }
            sets.push(own.map_or(Rc::clone(&set), |a| union(&set, &Rc::from([a]))));
        }
        Loads { sets }
    }

    /// The arrays that `id` loads from, in order.
    pub fn of(&self, id: ExprId) -> &[ArrayId] {
        &self.sets[id.0 as usize]
    }
}

/// The union of two sorted sets, which is one of the two if it contains the other.
pub(crate) fn union<T: Ord + Copy>(a: &Rc<[T]>, b: &Rc<[T]>) -> Rc<[T]> {
    if b.is_empty() || Rc::ptr_eq(a, b) {
        return Rc::clone(a);
    }
    if a.is_empty() {
        return Rc::clone(b);
    }
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::with_capacity(a.len() + b.len());
    while i < a.len() && j < b.len() {
        all.push(a[i].min(b[j]));
        let (left, right) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(left);
        j += usize::from(right);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    match all.len() {
        n if n == a.len() => Rc::clone(a),
        n if n == b.len() => Rc::clone(b),
        _ => Rc::from(all),
    }
}

/// The arrays that a piece of code touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// Loaded from.
    pub reads: BTreeSet<ArrayId>,
    /// Assigned to.
    pub writes: BTreeSet<ArrayId>,
    /// Updated atomically.
    pub atomics: BTreeSet<ArrayId>,
}

impl Effects {
    /// Of a statement with all that is nested in it.
    pub fn of(stmt: &Stmt, loads: &Loads) -> Effects {
        Effects::of_block(std::slice::from_ref(stmt), loads)
    }

    /// Of a sequence of statements.
    pub fn of_block(block: &[Stmt], loads: &Loads) -> Effects {
        let mut e = Effects::default();
        walk::each(block, &mut |stmt| e.add(&stmt.kind, loads));
        e
    }

    /// Of what a statement itself does, without its nested blocks.
    pub fn direct(kind: &StmtKind, loads: &Loads) -> Effects {
        let mut e = Effects::default();
        e.add(kind, loads);
        e
    }

    /// Adds what a statement itself does.
    fn add(&mut self, kind: &StmtKind, loads: &Loads) {
        for id in walk::direct(kind) {
            for &array in loads.of(id) {
                self.reads.insert(array);
            }
        }
        if let Some(touch) = walk::touch(kind) {
            let set = match touch.kind {
                Kind::Read => &mut self.reads,
                Kind::Write => &mut self.writes,
                Kind::Atomic => &mut self.atomics,
            };
            set.insert(touch.array);
        }
    }

    /// Forgets the arrays for which `keep` is false.
    pub fn retain(&mut self, keep: impl Fn(ArrayId) -> bool) {
        for set in [&mut self.reads, &mut self.writes, &mut self.atomics] {
            set.retain(|&a| keep(a));
        }
    }

    /// Every array touched.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayId> + '_ {
        self.reads.iter().chain(&self.writes).chain(&self.atomics).copied()
    }
}
