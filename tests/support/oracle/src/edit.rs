//! Planted faults: a program with one barrier less, an array moved, an index one further, a guard or a loop narrower.

use std::collections::HashMap;

use obsidian_ir::program::{Array, ArrayId, BinOp, Block, Expr, ExprId, Exprs, Program, Space, Stmt, StmtKind};

/// The statement lists inside a statement.
fn inner(stmt: &mut Stmt) -> Vec<&mut Block> {
    match &mut stmt.kind {
        StmtKind::If { then, els, .. } => vec![then, els],
        StmtKind::SeqWhile { head, body, .. } => vec![head, body],
        StmtKind::SeqFor { body, .. } | StmtKind::ForAll { body, .. } | StmtKind::DistrPar { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Visits every statement list, outer ones first.
fn each_list(list: &mut Block, visit: &mut impl FnMut(&mut Block)) {
    visit(list);
    for stmt in list.iter_mut() {
        inner(stmt).into_iter().for_each(|list| each_list(list, visit));
    }
}

fn is_sync(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Sync { .. })
}

/// The program without one of its barriers, for each of them, and what followed that barrier.
pub fn without_each_barrier(program: &Program) -> Vec<(String, Program)> {
    let names = barriers(program);
    (0..names.len()).map(|at| (names[at].clone(), without_barriers(program, |i| i == at))).collect()
}

/// A name for each barrier, in order.
fn barriers(program: &Program) -> Vec<String> {
    let mut names = Vec::new();
    each_list(&mut program.body.clone(), &mut |list| {
        for (i, stmt) in list.iter().enumerate() {
            if let StmtKind::Sync { scope } = stmt.kind {
                let next = list[i + 1..].iter().find_map(|stmt| written(&program.arrays, stmt));
                names.push(format!("the {scope}'s barrier before {}", next.unwrap_or("the end")));
            }
        }
    });
    names
}

fn without_barriers(program: &Program, drop: impl Fn(usize) -> bool) -> Program {
    let mut program = program.clone();
    let mut seen = 0;
    each_list(&mut program.body, &mut |list| {
        list.retain(|stmt| {
            seen += usize::from(is_sync(stmt));
            !(is_sync(stmt) && drop(seen - 1))
        });
    });
    program
}

/// The array that a statement writes first.
fn written<'a>(arrays: &'a [Array], stmt: &Stmt) -> Option<&'a str> {
    let mut found = None;
    each_list(&mut vec![stmt.clone()], &mut |list| {
        for stmt in list.iter() {
            if let StmtKind::Assign { array, .. } = stmt.kind {
                found.get_or_insert(array);
            }
        }
    });
    found.map(|array: ArrayId| arrays[array.0 as usize].name.as_str())
}

/// For each shared array but the last, the program in which the next one lies one element after its start.
pub fn with_each_overlay(program: &Program) -> Vec<(String, Program)> {
    let shared = |&i: &usize| matches!(program.arrays[i].space, Space::Shared(_));
    let longer = |&i: &usize| program.exprs.as_u32(program.arrays[i].len).is_some_and(|len| len > 2);
    let arrays: Vec<usize> = (0..program.arrays.len()).filter(shared).collect();
    let overlaid = |pair: &[usize]| {
        let mut moved = program.clone();
        let (first, second) = (&program.arrays[pair[0]], &program.arrays[pair[1]]);
        moved.arrays[pair[1]].offset = first.offset.map(|offset| offset + first.elem.bytes());
        (format!("`{}` over `{}`", second.name, first.name), moved)
    };
    arrays.windows(2).filter(|pair| longer(&pair[0])).map(overlaid).collect()
}

/// The program with one index one further, for each index of a load, of an assignment and of an atomic update.
pub fn with_each_index_shifted(program: &Program) -> Vec<(String, Program)> {
    let mut out = Vec::new();
    for load in (0..program.exprs.len() as u32).map(ExprId) {
        if let Expr::Load(array, _) = program.exprs.expr(load) {
            let mut shifted = program.clone();
            if shift_load(&mut shifted, load) {
                out.push((format!("a load of `{}`, {load:?}", program.array(array).name), shifted));
            }
        }
    }
    let mut writes = 0;
    each_list(&mut program.body.clone(), &mut |list| writes += list.iter_mut().filter_map(target).count());
    out.extend((0..writes).map(|at| shift_write(program, at)));
    out
}

/// What a statement writes, and how that is called.
fn target(stmt: &mut Stmt) -> Option<(ArrayId, &mut ExprId, &'static str)> {
    match &mut stmt.kind {
        StmtKind::Assign { array, index, .. } => Some((*array, index, "an assignment to")),
        StmtKind::Atomic { array, index, .. } => Some((*array, index, "an atomic update of")),
        _ => None,
    }
}

fn shift_write(program: &Program, at: usize) -> (String, Program) {
    let mut program = program.clone();
    let (mut seen, mut what) = (0, String::new());
    let (exprs, arrays) = (&mut program.exprs, &program.arrays);
    each_list(&mut program.body, &mut |list| {
        for (array, index, how) in list.iter_mut().filter_map(target) {
            if seen == at {
                let one = exprs.u32(1);
                *index = exprs.bin(BinOp::Add, *index, one);
                what = format!("{how} `{}`, the {at}th write", arrays[array.0 as usize].name);
            }
            seen += 1;
        }
    });
    (what, program)
}

/// The program with one round less of a loop, for each loop of any level whose number of rounds is known.
pub fn with_each_loop_shortened(program: &Program) -> Vec<(String, Program)> {
    let mut loops = 0;
    each_list(&mut program.body.clone(), &mut |list| loops += list.iter_mut().filter_map(rounds).count());
    (0..loops).filter_map(|at| shortened(program, at)).collect()
}

/// The bound of a loop.
fn rounds(stmt: &mut Stmt) -> Option<&mut ExprId> {
    match &mut stmt.kind {
        StmtKind::SeqFor { end: n, .. } | StmtKind::ForAll { n, .. } | StmtKind::DistrPar { n, .. } => Some(n),
        _ => None,
    }
}

fn shortened(program: &Program, at: usize) -> Option<(String, Program)> {
    let mut changed = program.clone();
    let (mut seen, mut what) = (0, None);
    each_list(&mut changed.body, &mut |list| {
        for n in list.iter_mut().filter_map(rounds) {
            if let (true, Some(known)) = (seen == at, changed.exprs.as_u32(*n).filter(|&n| n > 0)) {
                *n = changed.exprs.u32(known - 1);
                what = Some(format!("the {at}th loop, up to {}", known - 1));
            }
            seen += 1;
        }
    });
    Some((what?, changed))
}

/// The program with the condition of one branch narrower by one, for each branch that compares with a number.
pub fn with_each_guard_narrowed(program: &Program) -> Vec<(String, Program)> {
    let mut all = Vec::new();
    each_list(&mut program.body.clone(), &mut |list| all.extend(list.iter().filter_map(|s| narrower(program, s))));
    (0..all.len()).filter_map(|at| narrowed(program, at)).collect()
}

/// The parts of a branch's condition `a < c`, `a == c` ..
fn narrower(program: &Program, stmt: &Stmt) -> Option<(BinOp, ExprId, u32)> {
    let StmtKind::If { cond, .. } = stmt.kind else { return None };
    match program.exprs.expr(cond) {
        Expr::Bin(op, a, c) if op.is_comparison() => Some((op, a, program.exprs.as_u32(c)?)),
        _ => None,
    }
}

fn narrowed(program: &Program, at: usize) -> Option<(String, Program)> {
    let mut changed = program.clone();
    let (mut seen, mut what) = (0, None);
    each_list(&mut changed.body, &mut |list| {
        for stmt in list.iter_mut() {
            let Some((op, a, c)) = narrower(program, stmt) else { continue };
            if let (StmtKind::If { cond, .. }, true) = (&mut stmt.kind, seen == at) {
                let less = changed.exprs.u32(c.wrapping_sub(1));
                *cond = changed.exprs.bin(op, a, less);
                what = Some(format!("the {at}th branch, with {}", c.wrapping_sub(1)));
            }
            seen += 1;
        }
    });
    Some((what?, changed))
}

/// Whether the load was in a statement.
fn shift_load(program: &mut Program, load: ExprId) -> bool {
    let mut shift = Shift { exprs: &mut program.exprs, load, done: HashMap::new(), found: false };
    each_list(&mut program.body, &mut |list| {
        for id in list.iter_mut().flat_map(evaluated) {
            *id = shift.rebuilt(*id);
        }
    });
    shift.found
}

/// What a statement itself evaluates.
fn evaluated(stmt: &mut Stmt) -> Vec<&mut ExprId> {
    match &mut stmt.kind {
        StmtKind::Assign { index, value, .. } => vec![index, value],
        StmtKind::Atomic { index, value, expected, .. } => [index, value].into_iter().chain(expected).collect(),
        StmtKind::Let { value, .. } | StmtKind::Set { value, .. } => vec![value],
        StmtKind::Local { init, .. } => init.iter_mut().collect(),
        StmtKind::Shuffle { value, lane, .. } => vec![value, lane],
        StmtKind::If { cond, .. } | StmtKind::SeqWhile { cond, .. } => vec![cond],
        StmtKind::SeqFor { start, end, step, .. } => vec![start, end, step],
        _ => Vec::new(),
    }
}

/// Rebuilds expressions around one changed load.
struct Shift<'p> {
    exprs: &'p mut Exprs,
    load: ExprId,
    done: HashMap<ExprId, ExprId>,
    found: bool,
}

impl Shift<'_> {
    fn rebuilt(&mut self, id: ExprId) -> ExprId {
        if let Some(&done) = self.done.get(&id) {
            return done;
        }
        let ty = self.exprs.ty(id);
        let new = match self.exprs.expr(id) {
            Expr::Load(array, index) if id == self.load => {
                self.found = true;
                let one = self.exprs.u32(1);
                let index = self.exprs.bin(BinOp::Add, index, one);
                self.exprs.load(array, index, ty)
            }
            Expr::Load(array, index) => {
                let index = self.rebuilt(index);
                self.exprs.load(array, index, ty)
            }
            Expr::Select(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|e| self.rebuilt(e));
                self.exprs.select(c, a, b)
            }
            Expr::MulAdd(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|e| self.rebuilt(e));
                self.exprs.mul_add(a, b, c)
            }
            Expr::Bits(a) => {
                let a = self.rebuilt(a);
                self.exprs.bits(a, ty)
            }
            Expr::Un(op, a) => {
                let a = self.rebuilt(a);
                self.exprs.un(op, a)
            }
            Expr::Bin(op, a, b) => {
                let (a, b) = (self.rebuilt(a), self.rebuilt(b));
                self.exprs.bin(op, a, b)
            }
            Expr::Cast(a) => {
                let a = self.rebuilt(a);
                self.exprs.cast(a, ty)
            }
            _ => id,
        };
        self.done.insert(id, new);
        new
    }
}
