//! Warp reductions: five shuffles that combine the values of all 32 lanes become one `redux.sync` if the target has it.
//!
//! Needs: machine form after `schedule`. Ensures: the same values: these operations on 32-bit integers commute and
//! associate, wrapping included, so every lane has the same total in any order. Steps whose values are read elsewhere
//! stay. Source: PTX ISA, `redux.sync` (sm_80 and later).
//!
//! ```text
//! x = v of lane lane ^ 1; s = v + x
//! x = s of lane lane ^ 2; t = s + x      =>   u = v of lane all, +
//! .. up to lane ^ 16, which sets u
//! ```

use super::walk;
use crate::program::{BinOp, Block, Expr, ExprId, Program, ScalarType, ShuffleKind, StmtKind, VarId};
use crate::tables::{HashMap, HashSet};

/// The distances of a butterfly over a warp, each once.
const BUTTERFLY: u32 = 1 | 2 | 4 | 8 | 16;

/// Joins butterflies.
pub fn run(program: &mut Program) {
    if !program.options.target.has_redux() {
        return;
    }
    let mut reads = HashMap::default();
    count(program, &program.body, &mut reads);
    let body = std::mem::take(&mut program.body);
    program.body = list(program, &reads, body);
}

/// How often each variable is read.
fn count(p: &Program, list: &Block, reads: &mut HashMap<VarId, u32>) {
    for stmt in list {
        for root in walk::direct(&stmt.kind) {
            for id in walk::reachable(&p.exprs, [root], |_| false) {
                if let Expr::Var(v) = p.exprs.expr(id) {
                    *reads.entry(v).or_default() += 1;
                }
            }
        }
        walk::nested(&stmt.kind).for_each(|inner| count(p, inner, reads));
    }
}

/// One step: `let x = from of lane lane ^ distance; to = from op x`.
struct Step {
    shuffle: usize,
    set: usize,
    from: VarId,
    to: VarId,
    op: BinOp,
    distance: u32,
}

fn list(p: &mut Program, reads: &HashMap<VarId, u32>, mut block: Block) -> Block {
    for stmt in &mut block {
        for inner in walk::nested_mut(&mut stmt.kind) {
            *inner = list(p, reads, std::mem::take(inner));
        }
    }
    let steps = steps(p, reads, &block);
    let (mut gone, mut at) = (HashSet::default(), 0);
    while at < steps.len() {
        let chain = chain(reads, &steps[at..]);
        if chain == 0 {
            at += 1;
            continue;
        }
        let (first, last) = (&steps[at], &steps[at + chain - 1]);
        let (value, zero) = (p.exprs.var(first.from), p.exprs.u32(0));
        let (var, kind) = (p.new_var("x", p.exprs.ty(value), false, p.exprs.range(value)), ShuffleKind::All(first.op));
        let total = p.exprs.var(var);
        for step in &steps[at..at + chain] {
            gone.extend([step.shuffle, step.set]);
        }
        block[last.shuffle].kind = StmtKind::Shuffle { var, value, kind, lane: zero };
        block[last.set].kind = StmtKind::Set { var: last.to, value: total };
        gone.remove(&last.shuffle);
        gone.remove(&last.set);
        at += chain;
    }
    let mut number = 0..;
    block.retain(|_| number.next().is_none_or(|k| !gone.contains(&k)));
    block
}

/// The length of the butterfly that begins with the first step; 0 if there is none.
fn chain(reads: &HashMap<VarId, u32>, steps: &[Step]) -> usize {
    let (mut seen, mut n) = (0, 0);
    for (k, step) in steps.iter().enumerate() {
        // Between two steps only the shuffle and the sum may read the value.
        let follows = k == 0 || steps[k - 1].to == step.from && reads.get(&step.from) == Some(&2);
        if !follows || step.op != steps[0].op || seen & step.distance != 0 {
            break;
        }
        seen |= step.distance;
        n = k + 1;
    }
    if seen == BUTTERFLY { n } else { 0 }
}

fn steps(p: &Program, reads: &HashMap<VarId, u32>, block: &Block) -> Vec<Step> {
    let mut steps = Vec::new();
    for (shuffle, stmt) in block.iter().enumerate() {
        let StmtKind::Shuffle { var, value, kind: ShuffleKind::Xor, lane } = stmt.kind else { continue };
        let (Expr::Var(from), Some(distance)) = (p.exprs.expr(value), p.exprs.as_u32(lane)) else { continue };
        let set = shuffle + 1;
        if let Some(StmtKind::Set { var: to, value: sum }) = block.get(set).map(|s| &s.kind)
            && let Some(op) = combined(p, *sum, value, var)
            && distance & BUTTERFLY == distance
            && distance.is_power_of_two()
            && reads.get(&var) == Some(&1)
        {
            steps.push(Step { shuffle, set, from, to: *to, op, distance });
        }
    }
    steps
}

/// The operation, where `sum` is that of `value` and the variable, and `redux.sync` has it.
fn combined(p: &Program, sum: ExprId, value: ExprId, var: VarId) -> Option<BinOp> {
    let Expr::Bin(op, a, b) = p.exprs.expr(sum) else { return None };
    let other = |x: ExprId| p.exprs.expr(x) == Expr::Var(var);
    let known = matches!(op, BinOp::Add | BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or | BinOp::Xor);
    let word = matches!(p.exprs.ty(sum), ScalarType::I32 | ScalarType::U32);
    (known && word && (a == value && other(b) || b == value && other(a))).then_some(op)
}
