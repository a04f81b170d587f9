//! Write-backs: an array of a block of which each thread only copies the elements that it wrote itself is no array but registers of these
//! threads, as where a loop's rounds write what they made of an array back into it.
//!
//! Needs: a proved program, before `registers` and `barriers`. Ensures: the same results, less shared memory, no barrier between the
//! two accesses. Only where there are as many real threads as instances, at most [`MAX_OWN`] elements for each, and room in registers.
//! Processors keep the array: their registers are memory. Source: reference.md §4 (Memory).
//!
//! ```text
//! shared a: u32[512]                                              registers a_0, a_1: u32[256]
//! forall t < 256 { a[t * 2] = f(s, t), a[t * 2 + 1] = .. }    =>  forall t < 256 { a_0[t] = f(s, t), a_1[t] = .. }
//! forall t < 256 { s[t * 2] = a[t * 2], .. }                      forall t < 256 { s[t * 2] = a_0[t], .. }
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::index::Facts;
use super::virtualise::Rewriter;
use super::{registers, walk};
use crate::level::Level;
use crate::program::{Array, ArrayId, Block, Expr, ExprId, Program, Space, Stmt, StmtKind, VarId};

/// The most elements of a thread.
const MAX_OWN: u32 = 8;

/// The program with registers in the place of such arrays; `None` where it has none.
pub fn run(program: &Program) -> Option<Program> {
    let mut search = Search::new(program);
    search.list(&program.body, None, &[]);
    let found = search.into_found();
    if found.is_empty() {
        return None;
    }
    let mut kept = program.clone();
    let rounds = found.values().flat_map(|own| own.rounds.iter().copied()).collect();
    kept.body = written_out(&mut kept, &rounds, &program.body);
    let facts = Facts::of(&kept);
    let body = std::mem::take(&mut kept.body);
    let held = found.into_iter().map(|(array, own)| (array, new_registers(&mut kept, array, &own))).collect();
    kept.body = Keeper { p: &mut kept, facts, held }.list(body, None);
    registers::fit(&kept).is_ok().then_some(kept)
}

/// The instance whose code it is: its variable, and how many there are.
type Instance = Option<(VarId, u32)>;

/// A loop inside an instance's code: its index, and the last value of that.
#[derive(Clone, Copy)]
struct Round {
    var: VarId,
    last: u32,
}

/// How threads own the elements of an array.
struct Own {
    threads: u32,
    /// Neighbours, of each thread.
    elements: u32,
    /// The indices of the loops over these.
    rounds: BTreeSet<VarId>,
}

struct Search<'p> {
    p: &'p Program,
    facts: Facts,
    found: BTreeMap<ArrayId, Own>,
    /// Arrays of which some element is copied into another array of the block.
    copied: BTreeSet<ArrayId>,
    /// Arrays with accesses of other kinds.
    others: BTreeSet<ArrayId>,
}

impl<'p> Search<'p> {
    fn new(p: &'p Program) -> Search<'p> {
        let facts = Facts::of(p);
        Search { p, facts, found: BTreeMap::new(), copied: BTreeSet::new(), others: BTreeSet::new() }
    }

    fn into_found(self) -> BTreeMap<ArrayId, Own> {
        let Search { mut found, copied, others, .. } = self;
        found.retain(|array, _| copied.contains(array) && !others.contains(array));
        found
    }

    fn list(&mut self, list: &Block, own: Instance, rounds: &[Round]) {
        for stmt in list {
            self.stmt(stmt, own, rounds);
            let inside = instance(self.p, &stmt.kind, own);
            let begins = matches!(stmt.kind, StmtKind::ForAll { .. });
            let mut around = if begins { Vec::new() } else { rounds.to_vec() };
            if let StmtKind::SeqFor { var, start, end, step, .. } = stmt.kind
                && let [Some(first), Some(end), Some(1)] = [start, end, step].map(|e| self.p.exprs.as_u32(e))
                && first < end
            {
                around.push(Round { var, last: end - 1 });
            }
            walk::nested(&stmt.kind).for_each(|inner| self.list(inner, inside, &around));
        }
    }

    fn stmt(&mut self, stmt: &Stmt, own: Instance, rounds: &[Round]) {
        let mut roots: Vec<ExprId> = walk::direct(&stmt.kind).collect();
        match stmt.kind {
            StmtKind::Assign { array, index, value } => {
                self.access(array, index, own, rounds);
                if let Some(from) = copied(self.p, array, value) {
                    self.access(from.0, from.1, own, rounds);
                    self.copied.insert(from.0);
                    roots = vec![index, from.1];
                }
            }
            _ => self.others.extend(walk::touch(&stmt.kind).map(|touch| touch.array)),
        }
        for id in walk::reachable(&self.p.exprs, roots, |id| !self.p.exprs.loads(id)) {
            if let Expr::Load(array, _) = self.p.exprs.expr(id) {
                self.others.insert(array);
            }
        }
    }

    fn access(&mut self, array: ArrayId, index: ExprId, own: Instance, rounds: &[Round]) {
        let known = self.own_of(array, index, own, rounds).filter(|(threads, ..)| {
            let before = self.found.get(&array);
            before.is_none_or(|before| before.threads == *threads)
        });
        let Some((threads, elements, round)) = known else {
            self.others.insert(array);
            return;
        };
        let own = self.found.entry(array).or_insert(Own { threads, elements, rounds: BTreeSet::new() });
        own.rounds.extend(round);
    }

    /// How many threads own the array, how many elements each, and the loop, if any, whose index chooses among these: where the access is one of the
    /// instance's own.
    fn own_of(
        &mut self,
        id: ArrayId,
        index: ExprId,
        own: Instance,
        rounds: &[Round],
    ) -> Option<(u32, u32, Option<VarId>)> {
        let (var, threads) = own.filter(|&(_, n)| (2..=self.p.threads).contains(&n))?;
        let array = self.p.array(id);
        let len = self.p.exprs.as_u32(array.len)?;
        let elements = len / threads;
        if array.space != Space::Shared(Level::Block) || array.stages != 1 || elements > MAX_OWN {
            return None;
        }
        let form = self.facts.form(self.p, index)?;
        let (mut last, mut steps, mut round) = (form.constant, 0, None);
        for (e, factor) in form.terms {
            match self.p.exprs.expr(e) {
                Expr::Var(v) if v == var => steps = factor,
                Expr::Var(v) if factor == 1 && round.is_none() => {
                    round = Some(v);
                    last = last.checked_add(rounds.iter().find(|around| around.var == v)?.last)?;
                }
                _ => return None,
            }
        }
        (steps == elements && last < elements).then_some((threads, elements, round))
    }
}

/// The instance inside a statement's blocks.
fn instance(p: &Program, kind: &StmtKind, own: Instance) -> Instance {
    match *kind {
        StmtKind::ForAll { level: Level::Block, var, n, .. } => p.exprs.as_u32(n).map(|n| (var, n)),
        StmtKind::ForAll { .. } | StmtKind::DistrPar { .. } => None,
        _ => own,
    }
}

/// What is copied to an array of the block from another array, and where it lies there.
fn copied(p: &Program, to: ArrayId, value: ExprId) -> Option<(ArrayId, ExprId)> {
    match p.exprs.expr(value) {
        Expr::Load(from, at) if p.array(to).space == Space::Shared(Level::Block) => Some((from, at)),
        _ => None,
    }
}

/// Statements with these loops written out.
fn written_out(p: &mut Program, rounds: &BTreeSet<VarId>, list: &Block) -> Block {
    let mut out = Vec::with_capacity(list.len());
    for stmt in list {
        let mut stmt = stmt.clone();
        for inner in walk::nested_mut(&mut stmt.kind) {
            *inner = written_out(p, rounds, inner);
        }
        match &stmt.kind {
            StmtKind::SeqFor { var, start, end, body, .. } if rounds.contains(var) => {
                let index = p.exprs.var(*var);
                let [first, end] = [*start, *end].map(|e| p.exprs.as_u32(e).unwrap_or(0));
                for round in first..end {
                    let to = p.exprs.u32(round);
                    out.extend(Rewriter::at(index, to, round > first).block(p, body));
                }
            }
            _ => out.push(stmt),
        }
    }
    out
}

/// Registers for the elements of each thread.
fn new_registers(p: &mut Program, id: ArrayId, own: &Own) -> Vec<ArrayId> {
    let len = p.exprs.u32(own.threads);
    let each = (0..own.elements).map(|k| {
        let array = p.array(id).clone();
        let name = format!("{}_{k}", array.name);
        p.arrays.push(Array { name, len, space: Space::Registers, rows: None, ..array });
        ArrayId(p.arrays.len() as u32 - 1)
    });
    each.collect()
}

/// Puts registers in the place of arrays.
struct Keeper<'p> {
    p: &'p mut Program,
    facts: Facts,
    held: BTreeMap<ArrayId, Vec<ArrayId>>,
}

impl Keeper<'_> {
    fn list(&mut self, list: Block, own: Instance) -> Block {
        let mut out = Vec::with_capacity(list.len());
        for mut stmt in list {
            let inside = instance(self.p, &stmt.kind, own);
            for inner in walk::nested_mut(&mut stmt.kind) {
                *inner = self.list(std::mem::take(inner), inside);
            }
            match &mut stmt.kind {
                StmtKind::Allocate { array } if self.held.contains_key(array) => {
                    let all = self.held[array].iter().map(|&array| StmtKind::Allocate { array });
                    out.extend(all.map(|kind| Stmt { kind, ..stmt.clone() }));
                    continue;
                }
                StmtKind::Assign { array, index, value } => {
                    if let Some((from, at)) = copied(self.p, *array, *value)
                        && let Some((register, own)) = self.register(from, at, own)
                    {
                        let ty = self.p.exprs.ty(*value);
                        *value = self.p.exprs.load(register, own, ty);
                    }
                    if let Some((register, own)) = self.register(*array, *index, own) {
                        (*array, *index) = (register, own);
                    }
                }
                _ => {}
            }
            out.push(stmt);
        }
        out
    }

    /// The register of an element, and its index, which is the instance's number.
    fn register(&mut self, array: ArrayId, index: ExprId, own: Instance) -> Option<(ArrayId, ExprId)> {
        let which = self.facts.form(self.p, index).filter(|_| self.held.contains_key(&array))?.constant;
        let register = *self.held[&array].get(which as usize)?;
        Some((register, self.p.exprs.var(own?.0)))
    }
}
