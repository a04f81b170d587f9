//! Tables: what a phase computes at length from a number of few values, whatever the block, is computed once for each of them.
//!
//! Before, in every block:
//!
//! ```text
//! for i in 0..1024 { let k = i & 3; let c = cos(-0.785 * k as f32); s[i] = c * x[i]; }
//! ```
//!
//! After, with the table filled before the first block:
//!
//! ```text
//! for k in 0..4 { table[k] = cos(-0.785 * k as f32); }
//! for i in 0..1024 { let k = i & 3; s[i] = table[k] * x[i]; }
//! ```
//!
//! Needs: native form. Gives: the same values, computed by the same operations. A table is at most as long as the phase has
//! instances, so filling it takes no longer than one block did. Only floats are looked up: an index must stay what it is, or what
//! was contiguous would gather.

use crate::diag::Span;
use crate::level::Level;
use crate::passes::walk::{self, direct, direct_mut, nested, nested_mut, operands, reachable};
use crate::program::{
    Array, ArrayId, BinOp, Block, Expr, ExprId, Exprs, Program, ScalarType, Space, Stmt, StmtKind, UnOp, Var, VarId,
};
use crate::tables::{HashMap, HashSet};

/// Operations from which on a table is worth its loads: fewer than these take as long in a vector.
const LEAST: u64 = 16;
/// What a division or a root counts for.
const SLOW: u64 = 8;
/// The bytes of all tables of a program: a third of the smallest first-level caches.
const MAX_BYTES: u32 = 10 << 10;

/// A program with its tables, by the statement of the grid whose blocks read them.
pub(super) struct Tabled {
    pub program: Program,
    /// The place of a loop over blocks, and what comes before it.
    pub fills: Vec<(usize, Block)>,
}

/// The program over tables; `None` where there is nothing to look up.
pub(super) fn take(p: &Program) -> Option<Tabled> {
    let mut tabled = Tabled { program: p.clone(), fills: Vec::new() };
    let mut bytes = 0;
    for at in 0..p.body.len() {
        let mut stmt = tabled.program.body[at].clone();
        phases(&mut stmt, &mut |thread, n, body| {
            if let Some(fill) = phase(&mut tabled.program, (thread, n), body, &mut bytes) {
                tabled.fills.push((at, fill));
            }
        });
        tabled.program.body[at] = stmt;
    }
    (!tabled.fills.is_empty()).then_some(tabled)
}

/// The phases in a statement: the instance, how many there are, what each does.
fn phases(stmt: &mut Stmt, f: &mut dyn FnMut(VarId, ExprId, &mut Block)) {
    if let StmtKind::ForAll { var, n, body, .. } = &mut stmt.kind {
        f(*var, *n, body);
    } else {
        nested_mut(&mut stmt.kind).flatten().for_each(|inner| phases(inner, f));
    }
}

/// Looks up in a phase what pays, and gives what fills the tables.
fn phase(p: &mut Program, (thread, n): (VarId, ExprId), body: &mut Block, bytes: &mut u32) -> Option<Block> {
    let n = p.exprs.as_u32(n)?;
    let lets = body.iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Let { var, value } => Some((var, value)),
        _ => None,
    });
    let mut search = Search {
        exprs: &p.exprs,
        vars: &p.vars,
        thread,
        n,
        lets: lets.collect(),
        keys: HashMap::default(),
        roots: Vec::new(),
        seen: HashSet::default(),
    };
    search.block(body);
    let mut replaced = HashMap::default();
    // By key, in the order in which they were found.
    let mut made: Vec<(VarId, Vec<(ArrayId, ExprId)>)> = Vec::new();
    for (root, key) in search.roots {
        let (ty, len) = (p.exprs.ty(root), length(&p.exprs, key));
        if *bytes + len * ty.bytes() > MAX_BYTES {
            continue;
        }
        *bytes += len * ty.bytes();
        let (array, index) = (new_array(p, ty, len), p.exprs.var(key));
        let looked_up = p.exprs.load(array, index, ty);
        replaced.insert(root, looked_up);
        match made.iter_mut().find(|(k, _)| *k == key) {
            Some((_, tables)) => tables.push((array, root)),
            None => made.push((key, vec![(array, root)])),
        }
    }
    if replaced.is_empty() {
        return None;
    }
    let fill = made.into_iter().flat_map(|(key, tables)| filled(p, key, &tables, body)).collect();
    *body = std::mem::take(body).into_iter().map(|stmt| rewritten(&mut p.exprs, stmt, &replaced)).collect();
    drop_unused(&p.exprs, body);
    Some(fill)
}

fn length(exprs: &Exprs, key: VarId) -> u32 {
    u32::try_from(exprs.var_range(key).hi).map_or(u32::MAX, |hi| hi.saturating_add(1))
}

fn new_array(p: &mut Program, elem: ScalarType, len: u32) -> ArrayId {
    let (id, len) = (ArrayId(p.arrays.len() as u32), p.exprs.u32(len));
    let (name, space) = (format!("table{}", id.0), Space::Shared(Level::Block));
    p.arrays.push(Array {
        name,
        elem,
        len,
        space,
        rows: None,
        stages: 1,
        filled: None,
        offset: None,
        span: Span::NONE,
        stands_for: None,
    });
    id
}

/// Tables by one key, and the loop that fills them: of the phase's names it binds those that the values are made of.
fn filled(p: &mut Program, key: VarId, tables: &[(ArrayId, ExprId)], body: &Block) -> Block {
    let mut wanted: HashSet<VarId> = HashSet::default();
    tables.iter().for_each(|(_, root)| wanted.extend(variables(&p.exprs, *root)));
    let mut list: Block = Vec::new();
    for stmt in body.iter().rev() {
        if let StmtKind::Let { var, value } = stmt.kind
            && var != key
            && wanted.contains(&var)
        {
            wanted.extend(variables(&p.exprs, value));
            list.push(stmt.clone());
        }
    }
    list.reverse();
    let made = |kind| Stmt::new(kind, Span::NONE);
    let (index, start, step) = (p.exprs.var(key), p.exprs.u32(0), p.exprs.u32(1));
    let end = p.exprs.u32(length(&p.exprs, key));
    list.extend(tables.iter().map(|&(array, value)| made(StmtKind::Assign { array, index, value })));
    let mut fill: Block = tables.iter().map(|&(array, _)| made(StmtKind::Allocate { array })).collect();
    fill.push(made(StmtKind::SeqFor { var: key, start, end, step, body: list }));
    fill
}

/// The variables that an expression mentions.
fn variables(exprs: &Exprs, e: ExprId) -> impl Iterator<Item = VarId> {
    reachable(exprs, [e], |_| false).into_iter().filter_map(|e| match exprs.expr(e) {
        Expr::Var(v) => Some(v),
        _ => None,
    })
}

/// The numbers on each of which alone a value depends.
#[derive(Clone)]
enum Keys {
    /// It depends on none.
    Any,
    Of(Vec<VarId>),
}

struct Search<'a> {
    exprs: &'a Exprs,
    vars: &'a [Var],
    thread: VarId,
    n: u32,
    lets: HashMap<VarId, ExprId>,
    keys: HashMap<ExprId, Keys>,
    roots: Vec<(ExprId, VarId)>,
    seen: HashSet<ExprId>,
}

impl Search<'_> {
    fn block(&mut self, body: &Block) {
        for stmt in body {
            match &stmt.kind {
                // A name that is looked up, or made of nothing else, is looked up where it is used.
                StmtKind::Let { value, .. } if matches!(self.keys(*value), Keys::Of(keys) if !keys.is_empty()) => {}
                StmtKind::Assign { value, .. } => self.look(*value),
                kind => direct(kind).for_each(|e| self.look(e)),
            }
            nested(&stmt.kind).for_each(|inner| self.block(inner));
        }
    }

    /// Finds the largest parts of an expression that pay.
    fn look(&mut self, e: ExprId) {
        if !self.seen.insert(e) || matches!(self.exprs.expr(e), Expr::Load(..)) {
            return;
        }
        let float = matches!(self.exprs.ty(e), ScalarType::F32 | ScalarType::F64);
        if let (true, Keys::Of(keys)) = (float, self.keys(e))
            && let Some(key) = keys.into_iter().min_by_key(|key| length(self.exprs, *key))
            && self.work(e, key) >= LEAST
        {
            self.roots.push((e, key));
            return;
        }
        operands(self.exprs.expr(e)).for_each(|operand| self.look(operand));
    }

    fn keys(&mut self, e: ExprId) -> Keys {
        if let Some(keys) = self.keys.get(&e) {
            return keys.clone();
        }
        let keys = match self.exprs.expr(e) {
            Expr::Const(_) | Expr::Scalar(_) | Expr::Len(_) => Keys::Any,
            Expr::Load(..) | Expr::Special(_) => Keys::Of(Vec::new()),
            Expr::Var(v) => self.of_var(v),
            expr => operands(expr).fold(Keys::Any, |all, operand| match (all, self.keys(operand)) {
                (Keys::Any, keys) | (keys, Keys::Any) => keys,
                (Keys::Of(a), Keys::Of(b)) => Keys::Of(a.into_iter().filter(|key| b.contains(key)).collect()),
            }),
        };
        self.keys.insert(e, keys.clone());
        keys
    }

    fn of_var(&mut self, v: VarId) -> Keys {
        let mut keys = match self.lets.get(&v).copied() {
            Some(value) => match self.keys(value) {
                Keys::Of(keys) if !keys.is_empty() => keys,
                other => return other,
            },
            None if v == self.thread => Vec::new(),
            None => return Keys::Of(Vec::new()),
        };
        let few = self.exprs.var_range(v).lo >= 0 && length(self.exprs, v) <= self.n;
        if few && self.vars[v.0 as usize].ty == ScalarType::U32 {
            keys.push(v);
        }
        Keys::Of(keys)
    }

    /// The operations between a key and a value.
    fn work(&self, e: ExprId, key: VarId) -> u64 {
        let (mut work, mut seen, mut todo) = (0, HashSet::default(), vec![e]);
        while let Some(e) = todo.pop() {
            if !seen.insert(e) {
                continue;
            }
            let expr = self.exprs.expr(e);
            work += match expr {
                Expr::Const(_) | Expr::Var(_) | Expr::Scalar(_) | Expr::Len(_) => 0,
                Expr::Bin(BinOp::Div | BinOp::Rem, ..) | Expr::Un(UnOp::Sqrt, _) => SLOW,
                _ => 1,
            };
            match expr {
                Expr::Var(v) if v != key => todo.extend(self.lets.get(&v)),
                _ => todo.extend(operands(expr)),
            }
        }
        work
    }
}

/// The statement over the loads of tables; the index of what it stores or loads stays as it is.
fn rewritten(exprs: &mut Exprs, stmt: Stmt, replaced: &HashMap<ExprId, ExprId>) -> Stmt {
    let Stmt { kind, span, claim } = stmt;
    let kind = match kind {
        StmtKind::Assign { array, index, value } => {
            StmtKind::Assign { array, index, value: over(exprs, value, replaced) }
        }
        mut kind => {
            for list in nested_mut(&mut kind) {
                *list = std::mem::take(list).into_iter().map(|stmt| rewritten(exprs, stmt, replaced)).collect();
            }
            direct_mut(&mut kind).for_each(|e| *e = over(exprs, *e, replaced));
            kind
        }
    };
    Stmt { kind, span, claim }
}

fn over(exprs: &mut Exprs, e: ExprId, replaced: &HashMap<ExprId, ExprId>) -> ExprId {
    if let Some(new) = replaced.get(&e) {
        return *new;
    }
    let expr = exprs.expr(e);
    if matches!(expr, Expr::Load(..)) {
        return e;
    }
    let new: HashMap<ExprId, ExprId> = operands(expr).map(|x| (x, over(exprs, x, replaced))).collect();
    if new.iter().all(|(old, new)| old == new) { e } else { walk::rebuild(exprs, e, |x| new[&x]) }
}

/// Names that nothing is made of any more.
fn drop_unused(exprs: &Exprs, body: &mut Block) {
    let mut used: HashSet<VarId> = HashSet::default();
    let mut kept = Vec::new();
    for stmt in std::mem::take(body).into_iter().rev() {
        if matches!(stmt.kind, StmtKind::Let { var, .. } if !used.contains(&var)) {
            continue;
        }
        walk::each(std::slice::from_ref(&stmt), &mut |s| {
            direct(&s.kind).for_each(|e| used.extend(variables(exprs, e)));
        });
        kept.push(stmt);
    }
    kept.reverse();
    *body = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::rust::fixtures::{Build, assign, stmt};
    use crate::backend::rust::native;
    use crate::passes::{Native, structured};
    use crate::program::Const;

    /// `let k = of(t); out[t] = sqrt(k) / 3.0 + ..(some more) * x[t]`, 64 instances; `chained` divisions after the root.
    fn phase(chained: usize, of: fn(&mut Build, ExprId, ArrayId) -> ExprId) -> Program {
        let mut b = Build::new("phase", 64);
        let (_, x) = b.input("x", &[ScalarType::F32, ScalarType::U32]);
        let n = b.u32(64);
        let out = b.output("out", &[ScalarType::F32], n);
        let (thread, t) = b.index("t", 63);
        let key = of(&mut b, t, x[1]);
        let k = b.0.new_var("k", ScalarType::U32, false, b.0.exprs.range(key));
        let number = b.0.exprs.var(k);
        let cast = b.0.exprs.cast(number, ScalarType::F32);
        let mut value = b.0.exprs.un(UnOp::Sqrt, cast);
        let three = b.0.exprs.constant(Const { ty: ScalarType::F32, bits: 3f32.to_bits().into() });
        for _ in 0..chained {
            value = b.bin(BinOp::Div, value, three);
        }
        let element = b.load(x[0], t);
        let product = b.bin(BinOp::Mul, value, element);
        let body = vec![stmt(StmtKind::Let { var: k, value: key }), assign(out[0], t, product)];
        let body = vec![b.for_all(thread, 64, body)];
        let (bv, _) = b.index("b", 0);
        let one = b.u32(1);
        b.grid(bv, one, body)
    }

    fn low_bits(b: &mut Build, t: ExprId, _: ArrayId) -> ExprId {
        let three = b.u32(3);
        b.bin(BinOp::And, t, three)
    }

    #[test]
    fn a_table_has_an_element_for_each_value_and_is_filled_before_the_blocks() {
        let mut p = phase(2, low_bits);
        structured(&mut p).expect("fits");
        let code = native(&Native::checked(p).expect("native")).to_string();
        let (fill, blocks) =
            (code.find("let __end : usize = 4usize ; let mut __v1"), code.find("__blocks . end , 1usize"));
        assert!(fill.is_some() && fill < blocks, "{code}");
        assert_eq!((code.matches("sqrt").count(), code.matches("; 4usize]").count()), (1, 1), "{code}");
    }

    #[test]
    fn what_is_short_or_depends_on_data_is_computed() {
        assert!(take(&phase(0, low_bits)).is_none());
        assert!(
            take(&phase(2, |b, t, x| {
                let (data, three) = (b.load(x, t), b.u32(3));
                b.bin(BinOp::And, data, three)
            }))
            .is_none()
        );
    }

    #[test]
    fn a_number_of_more_values_than_instances_is_no_key() {
        // The instance itself is a key; twice as far it has gaps, and a table of it would be longer than the phase.
        let doubled = phase(2, |b, t, _| {
            let two = b.u32(2);
            b.bin(BinOp::Mul, t, two)
        });
        let tabled = take(&doubled).expect("a table");
        let last = tabled.program.arrays.last().expect("a table");
        assert_eq!(tabled.program.exprs.as_u32(last.len), Some(64));
        assert_eq!(last.elem, ScalarType::F32);
    }
}
