//! Elements at the digits of a mixed radix: the counters of the loops around an access, each times the number of rounds of
//! those below it. These numbers may be known at launch only, where nothing can be looked at lane by lane.
//!
//! R3. Digits below their numbers of rounds make each number below the product of these once. Asked last, of what nothing else
//! has proved.

use crate::level::Level;
use crate::passes::bounds::Launch;
use crate::passes::index::{Mono, Poly, Polys, Reader, Reading, Word, lower};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Expr, ExprId, Exprs, Program, Space, Stmt, StmtKind, VarId};
use crate::tables::HashMap;

/// A loop from 0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Loop {
    var: VarId,
    rounds: ExprId,
    /// Whose instances its rounds are; `None`: they follow one another.
    instances: Option<Level>,
}

/// An access to the array, and what is around it.
#[derive(Debug)]
struct Touch {
    index: ExprId,
    loops: Vec<Loop>,
    /// Whether nothing but loops is around it.
    sure: bool,
    /// Whether it is an assignment.
    writes: bool,
}

/// Whether the whole of an output of `len` elements is written, each element once: by one statement, in loops alone. The
/// launch checks keep `len` from wrapping, so the index does not wrap either.
pub(super) fn fills(p: &Program, array: ArrayId, len: ExprId) -> bool {
    let touches = touches(p, array);
    let [Touch { index, loops, sure: true, writes: true }] = &touches[..] else { return false };
    digits(p, *index, loops, Some(len)).is_some_and(|digits| digits.rest == Poly::default() && digits.fills)
}

/// Whether no two instances of loops touch one element of an array: all accesses are at one place in the same loops.
pub(super) fn apart(p: &Program, array: ArrayId) -> bool {
    let touches = touches(p, array);
    let Some(first) = touches.first() else { return false };
    if !touches.iter().all(|t| (t.index, &t.loops) == (first.index, &first.loops)) {
        return false;
    }
    // Each block has its own copy of an array of a block's.
    let shared = matches!(p.array(array).space, Space::Shared(Level::Block));
    let parts = |l: &&Loop| l.instances.is_some_and(|level| !(shared && level == Level::Block));
    if matches!(p.array(array).space, Space::Shared(Level::Warp)) {
        return false;
    }
    let loops: Vec<Loop> = first.loops.iter().filter(parts).copied().collect();
    digits(p, first.index, &loops, None).is_some_and(|digits| {
        let mut launch = Launch::new(p);
        digits.is_common && launch.product_at_most(&digits.rounds, 1 << 32)
    })
}

/// All accesses to an array.
fn touches(p: &Program, array: ArrayId) -> Vec<Touch> {
    let mut found = Vec::new();
    search(p, &p.body, array, (&mut Vec::new(), true), &mut found);
    found
}

fn search(p: &Program, list: &Block, array: ArrayId, (loops, sure): (&mut Vec<Loop>, bool), found: &mut Vec<Touch>) {
    for stmt in list {
        for load in loads(p, stmt, array) {
            found.push(Touch { index: load, loops: loops.clone(), sure, writes: false });
        }
        if let Some(touch) = walk::touch(&stmt.kind).filter(|touch| touch.array == array) {
            found.push(Touch {
                index: touch.index,
                loops: loops.clone(),
                sure,
                writes: touch.kind == walk::Kind::Write,
            });
        }
        let around = counted(p, &stmt.kind);
        for inner in walk::nested(&stmt.kind) {
            loops.extend(around);
            search(p, inner, array, (&mut *loops, sure && around.is_some()), found);
            loops.truncate(loops.len() - usize::from(around.is_some()));
        }
    }
}

/// A statement as a loop from 0 on.
fn counted(p: &Program, kind: &StmtKind) -> Option<Loop> {
    match *kind {
        StmtKind::ForAll { var, n, .. } => Some(Loop { var, rounds: n, instances: Some(Level::Thread) }),
        StmtKind::DistrPar { level, var, n, .. } => Some(Loop { var, rounds: n, instances: Some(level) }),
        StmtKind::SeqFor { var, start, end, step, .. } => {
            let plain = p.exprs.as_u32(start) == Some(0) && p.exprs.as_u32(step) == Some(1);
            plain.then_some(Loop { var, rounds: end, instances: None })
        }
        _ => None,
    }
}

/// The indices at which a statement itself loads from an array.
fn loads(p: &Program, stmt: &Stmt, array: ArrayId) -> Vec<ExprId> {
    let all = walk::reachable(&p.exprs, walk::direct(&stmt.kind), |e| !p.exprs.loads(e));
    let index = |e| match p.exprs.expr(e) {
        Expr::Load(from, index) if from == array => Some(index),
        _ => None,
    };
    all.into_iter().filter_map(index).collect()
}

/// An index taken apart.
struct Digits {
    /// What is left of it without the digits.
    rest: Poly,
    /// Whether that is the same for all instances.
    is_common: bool,
    /// The numbers of rounds of the loops, but for those of one.
    rounds: Vec<ExprId>,
    /// Whether the product of the numbers of rounds is the length.
    fills: bool,
}

/// An index as digits, one for each of the loops.
fn digits(p: &Program, index: ExprId, loops: &[Loop], len: Option<ExprId>) -> Option<Digits> {
    let mut reader =
        Named { exprs: &p.exprs, polys: Polys::default(), lets: HashMap::default(), known: HashMap::default() };
    lets(&p.body, &mut reader.lets);
    // What the length is made of is checked not to wrap.
    let checked = walk::reachable(&p.exprs, len, |_| false);
    let (index, len) = (reader.read(index), len.map(|len| reader.read(len)));
    let mut open = Vec::new();
    let mut rounds = Vec::new();
    for l in loops.iter().filter(|l| p.exprs.as_u32(l.rounds) != Some(1)) {
        let n = reader.read(l.rounds);
        let plain = n.single().is_some_and(|(m, c, k)| (c, k) == (1, 0) && reader.polys.atom(m).is_some());
        let exact = plain || n.as_constant().is_some() || checked.contains(&l.rounds);
        if !exact || !walk::known_at_launch(&p.exprs, l.rounds) {
            return None;
        }
        let counter = (0..p.exprs.len() as u32).map(ExprId).find(|&e| p.exprs.expr(e) == Expr::Var(l.var))?;
        rounds.push(l.rounds);
        open.push((Mono::value(counter), n));
    }
    let (mut sum, mut size) = (Poly::default(), Poly::constant(1));
    while !open.is_empty() {
        let mut next = None;
        for (at, (counter, _)) in open.iter().enumerate() {
            if reader.polys.coefficient(&index, *counter)? == size {
                next = Some(at);
                break;
            }
        }
        let (counter, n) = open.remove(next?);
        sum = sum.plus(&reader.polys.product(&Poly::of(counter), &size)?)?;
        size = reader.polys.product(&size, &n)?;
    }
    let rest = index.minus(&sum)?;
    let mut made_of = Vec::new();
    rest.monos().for_each(|m| reader.polys.exprs(m, &mut made_of));
    let is_common = made_of.iter().all(|&e| walk::known_at_launch(&p.exprs, e));
    Some(Digits { rest, is_common, rounds, fills: len == Some(size) })
}

fn lets(list: &Block, found: &mut HashMap<VarId, ExprId>) {
    for stmt in list {
        if let StmtKind::Let { var, value } = stmt.kind {
            found.insert(var, value);
        }
        walk::nested(&stmt.kind).for_each(|inner| lets(inner, found));
    }
}

/// Reads modulo `2^w`, through the names of values.
struct Named<'p> {
    exprs: &'p Exprs,
    polys: Polys,
    lets: HashMap<VarId, ExprId>,
    known: HashMap<ExprId, Word>,
}

impl Named<'_> {
    fn read(&mut self, e: ExprId) -> Poly {
        let id = lower(self, e).residue();
        self.polys.get(id).clone()
    }
}

impl Reader for Named<'_> {
    fn exprs(&self) -> &Exprs {
        self.exprs
    }

    fn polys(&mut self) -> &mut Polys {
        &mut self.polys
    }

    fn reading(&self) -> Reading {
        Reading::Residues
    }

    fn opens(&mut self, _: ExprId) -> bool {
        true
    }

    fn bound(&mut self, var: VarId) -> Option<ExprId> {
        // What is loaded may have changed since it was named.
        self.lets.get(&var).copied().filter(|&value| !self.exprs.loads(value))
    }

    fn recall(&mut self, e: ExprId) -> Option<Word> {
        self.known.get(&e).copied()
    }

    fn note(&mut self, e: ExprId, word: Word) {
        self.known.insert(e, word);
    }
}
