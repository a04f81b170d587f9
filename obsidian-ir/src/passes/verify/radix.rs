//! Elements at the digits of a mixed radix: the counters of the loops around an access, each times the number of rounds of
//! those below it. These numbers may be known at launch only, where nothing can be looked at lane by lane.
//!
//! R3. Digits below their numbers of rounds make each number below the product of these once. Asked last, of what nothing else
//! has proved.

use std::convert::Infallible;

use crate::level::Level;
use crate::passes::index::{Mono, Poly, Polys, Reader, Reading, Word, lower};
use crate::passes::walk;
use crate::program::scoped::{Around, Rounds, Visitor, visit};
use crate::program::{ArrayId, Block, Expr, ExprId, Exprs, Program, Space, Stmt, VarId};
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

/// Whether no two instances of loops touch one element of an array: all accesses are at one place in the same loops. It is so in
/// launches in which the product of the numbers that are given does not wrap.
pub(super) fn apart(p: &Program, array: ArrayId) -> Option<Vec<ExprId>> {
    let touches = touches(p, array);
    let first = touches.first()?;
    if !touches.iter().all(|t| (t.index, &t.loops) == (first.index, &first.loops)) {
        return None;
    }
    // Each block has its own copy of an array of a block's.
    let shared = matches!(p.array(array).space, Space::Shared(Level::Block));
    let parts = |l: &&Loop| l.instances.is_some_and(|level| !(shared && level == Level::Block));
    if matches!(p.array(array).space, Space::Shared(Level::Warp)) {
        return None;
    }
    let loops: Vec<Loop> = first.loops.iter().filter(parts).copied().collect();
    let digits = digits(p, first.index, &loops, None)?;
    digits.is_common.then_some(digits.rounds)
}

/// All accesses to an array.
fn touches(p: &Program, array: ArrayId) -> Vec<Touch> {
    let mut search = Search { p, array, loops: Vec::new(), found: Vec::new() };
    let Ok(_) = visit(&mut search, &p.body, true);
    search.found
}

struct Search<'p> {
    p: &'p Program,
    array: ArrayId,
    /// Those around the place that is looked at.
    loops: Vec<Loop>,
    found: Vec<Touch>,
}

impl<'p> Visitor<'p> for Search<'p> {
    /// Whether nothing but loops is around.
    type Scope = bool;
    type Stop = Infallible;

    fn begin(&mut self, stmt: &'p Stmt, &sure: &bool) -> Result<Option<bool>, Infallible> {
        for index in loads(self.p, stmt, self.array) {
            self.found.push(Touch { index, loops: self.loops.clone(), sure, writes: false });
        }
        if let Some(touch) = walk::touch(&stmt.kind).filter(|touch| touch.array == self.array) {
            let writes = touch.kind == walk::Kind::Write;
            self.found.push(Touch { index: touch.index, loops: self.loops.clone(), sure, writes });
        }
        Ok(Some(sure))
    }

    fn enter(&mut self, around: Around, _: &'p Block, &sure: &bool) -> Result<Option<bool>, Infallible> {
        let counted = counted(self.p, around);
        self.loops.extend(counted);
        Ok(Some(sure && counted.is_some()))
    }

    fn leave(&mut self, around: Around, _: &bool, _: &bool) {
        self.loops.truncate(self.loops.len() - usize::from(counted(self.p, around).is_some()));
    }
}

/// What is around a place as a loop from 0 on.
fn counted(p: &Program, around: Around) -> Option<Loop> {
    let Around::Count { var, end, rounds } = around else { return None };
    let instances = match rounds {
        Rounds::Instances(level) => Some(level),
        Rounds::InTurn { start, step } if [start, step].map(|e| p.exprs.as_u32(e)) == [Some(0), Some(1)] => None,
        Rounds::InTurn { .. } => return None,
    };
    Some(Loop { var, rounds: end, instances })
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
    let lets = walk::lets(&p.body);
    let mut reader = Named { exprs: &p.exprs, polys: Polys::default(), lets, known: HashMap::default() };
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
