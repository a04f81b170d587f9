//! Copied arrays: an array that holds what another one holds, which nothing writes any more, is that other one. So it is with what
//! `compute` stores of a view of a mutable array.
//!
//! Needs: a program as `stage` made it. Ensures: the same results with less shared memory. Only where, in the list of statements in which
//! the copy stands, all that writes the array stands before it, and all that reads the copy behind it: then this holds in every round of a
//! loop around the list. Source: reference.md §4 (Memory).
//!
//! ```text
//! shared m: u32[64]                                shared m: u32[64]
//! ..                                               ..
//! shared s: u32[64]                            =>
//! forall i < 64 { s[i] = m[i] }
//! forall j < 64 { out[j] = s[63 - j] }             forall j < 64 { out[j] = m[63 - j] }
//! ```

use super::walk;
use crate::program::{Array, ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// Lets copies be what they are copied from.
pub fn run(program: &mut Program) {
    let found = Search::new(program).found();
    if found.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut program.body);
    drop_copies(&mut body, &found);
    let mut new: HashMap<ExprId, ExprId> = HashMap::default();
    for id in walk::reachable(&program.exprs, walk::evaluated(&body), |_| false) {
        let made = match program.exprs.expr(id) {
            Expr::Load(array, index) if found.contains_key(&array) => {
                let ty = program.exprs.ty(id);
                let load = program.exprs.load(origin(&found, array), new[&index], ty);
                program.exprs.inherit_place(load, id);
                load
            }
            expr if walk::operands(expr).all(|operand| new[&operand] == operand) => id,
            _ => walk::rebuild(&mut program.exprs, id, |operand| new[&operand]),
        };
        program.exprs.coordinates.inherit(made, id);
        new.insert(id, made);
    }
    rename(&mut body, &new);
    program.body = body;
}

fn rename(list: &mut Block, new: &HashMap<ExprId, ExprId>) {
    for stmt in list {
        walk::direct_mut(&mut stmt.kind).for_each(|e| *e = new[e]);
        walk::nested_mut(&mut stmt.kind).for_each(|inner| rename(inner, new));
    }
}

/// What copies are copies of.
type Found = HashMap<ArrayId, ArrayId>;

/// Where the elements lie, which may be copied from a copy themselves.
fn origin(found: &Found, array: ArrayId) -> ArrayId {
    found.get(&array).map_or(array, |&of| origin(found, of))
}

fn drop_copies(list: &mut Block, found: &Found) {
    list.retain(|stmt| match &stmt.kind {
        StmtKind::Allocate { array } => !found.contains_key(array),
        // Nothing else writes a copy, and a loop that makes one does nothing else.
        StmtKind::ForAll { body, .. } => !writes_one_of(body, found),
        _ => true,
    });
    for stmt in list {
        walk::nested_mut(&mut stmt.kind).for_each(|inner| drop_copies(inner, found));
    }
}

fn writes_one_of(list: &Block, found: &Found) -> bool {
    let mut writes = false;
    walk::each(list, &mut |stmt| writes |= walk::written(&stmt.kind).is_some_and(|array| found.contains_key(&array)));
    writes
}

struct Search<'p> {
    program: &'p Program,
    /// How many statements write an array.
    written: HashMap<ArrayId, usize>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Search<'p> {
        let mut written = HashMap::default();
        walk::each(&program.body, &mut |stmt| {
            if let Some(array) = walk::written(&stmt.kind) {
                *written.entry(array).or_default() += 1;
            }
        });
        Search { program, written }
    }

    fn found(&self) -> Found {
        let mut found = Found::default();
        self.list(&self.program.body, &mut found);
        found
    }

    fn list(&self, list: &Block, found: &mut Found) {
        for (at, stmt) in list.iter().enumerate() {
            let pairs = self.copies(stmt);
            if pairs.iter().all(|&(copy, of)| self.is_one(copy, of, list, at)) {
                found.extend(pairs);
            }
            walk::nested(&stmt.kind).for_each(|inner| self.list(inner, found));
        }
    }

    /// If all that a statement does is to copy whole arrays: the copies, and what their elements are from. Of an array that holds as many
    /// elements as only the launch or the data know, the copy has a value for those alone, and what reads more is found by that.
    fn copies(&self, stmt: &Stmt) -> Vec<(ArrayId, ArrayId)> {
        let StmtKind::ForAll { var, n, body, .. } = &stmt.kind else { return Vec::new() };
        let mut named: HashMap<VarId, ExprId> = HashMap::default();
        let mut pairs = Vec::new();
        for inner in body {
            match inner.kind {
                StmtKind::Let { var, value } => drop(named.insert(var, value)),
                StmtKind::Assign { array, index, value }
                    if self.is_var(index, *var) && self.program.array(array).len == *n =>
                {
                    let value = match self.program.exprs.expr(value) {
                        Expr::Var(name) => named.get(&name).copied().unwrap_or(value),
                        _ => value,
                    };
                    match self.program.exprs.expr(value) {
                        Expr::Load(of, index) if self.is_var(index, *var) => pairs.push((array, of)),
                        _ => return Vec::new(),
                    }
                }
                _ => return Vec::new(),
            }
        }
        pairs
    }

    fn is_var(&self, e: ExprId, var: VarId) -> bool {
        self.program.exprs.expr(e) == Expr::Var(var)
    }

    /// Whether the copy that is made at a place of a list may be what it is copied from.
    fn is_one(&self, copy: ArrayId, of: ArrayId, list: &Block, at: usize) -> bool {
        let (before, behind) = (&list[..at], &list[at + 1..]);
        let written = |array: ArrayId| self.written.get(&array).copied().unwrap_or(0);
        let mut written_before = 0;
        walk::each(before, &mut |stmt| written_before += usize::from(walk::written(&stmt.kind) == Some(of)));
        self.alike(copy, of)
            && written(copy) == 1
            && written(of) == written_before
            && self.readers(copy, &self.program.body) == self.readers(copy, behind)
    }

    /// Whether two arrays are of one kind.
    fn alike(&self, a: ArrayId, b: ArrayId) -> bool {
        let (a, b) = (self.program.array(a), self.program.array(b));
        let plain = |array: &Array| array.rows.is_none() && array.stages == 1;
        matches!(a.space, Space::Shared(_)) && a.space == b.space && a.len == b.len && plain(a) && plain(b)
    }

    /// How many statements of a list read an array.
    fn readers(&self, array: ArrayId, list: &[Stmt]) -> usize {
        let exprs = &self.program.exprs;
        let mut reads = vec![false; exprs.len()];
        for id in 0..exprs.len() {
            let expr = exprs.expr(ExprId(id as u32));
            let own = matches!(expr, Expr::Load(of, _) if of == array);
            reads[id] = own || walk::operands(expr).any(|operand| reads[operand.0 as usize]);
        }
        let mut readers = 0;
        walk::each(list, &mut |stmt| readers += usize::from(walk::direct(&stmt.kind).any(|e| reads[e.0 as usize])));
        readers
    }
}
