//! Outputs past the caches: a list of statements that writes a whole part of an output, and nothing of it twice, writes to a
//! part in the first-level cache, which then goes to memory line by line.
//!
//! Before, every line is read from memory when it is first written, and evicts another line that might be read again:
//!
//! ```text
//! for t in 0..1024 { out[b * 1024 + t] = a * x[b * 1024 + t] + y[b * 1024 + t]; }
//! ```
//!
//! After, where the output is too large for the caches:
//!
//! ```text
//! let mut part = Part::<f32, 1024>::new(); let from = b * 1024;
//! for t in 0..1024 { part[b * 1024 + t - from] = a * x[b * 1024 + t] + y[b * 1024 + t]; }
//! flush(part, &out[from]);
//! ```
//!
//! In: a list of statements in native form. Out: the parts that it writes. An index is what `passes::index` says of it, modulo
//! 2^32; that the part lies within the output, and its lines in whole ones, is tested when the code runs.

#[cfg(test)]
mod tests;

use obsidian_abi::MIN_BYTES_PAST_CACHES;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::expr::Printer;
use super::{array_name, local, stored};
use crate::passes::access::{Effects, Loads};
use crate::passes::index::{Budget, Eval, MAX_LOOPS, Symbols, lanes_of};
use crate::passes::walk::{nested, reachable};
use crate::program::{Array, ArrayId, Block, Expr, ExprId, ParamKind, Program, ScalarType, Space, StmtKind, VarId};
use crate::tables::HashMap;

/// The sizes of parts in bytes. Less is not worth the tests; more leaves no room in a first-level cache, which has 32 KiB or 48.
const PART_BYTES: std::ops::RangeInclusive<u64> = 256..=32 << 10;
/// A cache line, in bytes.
const LINE: u64 = 64;
/// What the values of the indices of one list may cost.
const STEPS: u64 = 1 << 18;

/// `len` elements of an output from `sum of coefficient * symbols + first` on, modulo 2^32.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub array: ArrayId,
    from: Vec<(Symbols, u32)>,
    first: u32,
    len: u32,
}

/// The parts that a list writes as a whole. `block` is the counter of the loop over blocks around it.
pub(super) fn parts(p: &Program, loads: &Loads, block: VarId, list: &Block) -> Vec<Part> {
    let effects = Effects::of_block(list, loads);
    let written = |id: &ArrayId| may_go_past(p, *id) && !effects.reads.contains(id);
    let arrays: Vec<ArrayId> = (0..p.arrays.len() as u32).map(ArrayId).filter(written).collect();
    if !arrays.iter().any(|array| effects.writes.contains(array)) {
        return Vec::new();
    }
    let mut eval = Eval::new(Budget::new(STEPS));
    eval.bind_symbol(block);
    let mut search = Search { p, eval, stores: arrays.into_iter().map(|array| (array, Some(Vec::new()))).collect() };
    search.list(list, Runs::Always);
    let mut found: Vec<Part> = search.stores.into_iter().filter_map(|(a, stores)| Part::of(a, &stores?)).collect();
    found.retain(|part| part.fits(p) && part.is_known_at(p, block));
    found.sort_unstable_by_key(|part| part.array);
    found
}

/// Whether it is an output that may be too large for the caches.
fn may_go_past(p: &Program, array: ArrayId) -> bool {
    let Space::Global(param) = p.array(array).space else { return false };
    let Array { elem, len, .. } = p.array(array);
    let most = p.exprs.range(*len).hi * i128::from(elem.bytes());
    let is_output = matches!(p.param(param).kind, ParamKind::Output { .. });
    is_output && *elem != ScalarType::Bool && most >= MIN_BYTES_PAST_CACHES as i128
}

/// A store: the symbols of its index, and what is added in each round.
type Store = (Vec<(Symbols, u32)>, Vec<u32>);

/// Whether statements run whenever the list does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    Always,
    Perhaps,
}

struct Search<'a> {
    p: &'a Program,
    eval: Eval,
    /// By array; `None` where something is not known of one of them.
    stores: HashMap<ArrayId, Option<Vec<Store>>>,
}

impl Search<'_> {
    fn list(&mut self, list: &Block, runs: Runs) {
        for stmt in list {
            match &stmt.kind {
                StmtKind::Let { var, value } => self.eval.bind_value(&self.p.exprs, *var, *value),
                StmtKind::Assign { array, index, .. } => self.store(*array, *index, runs),
                StmtKind::Atomic { array, .. } => self.give_up(*array),
                StmtKind::ForAll { var, n, body, .. } | StmtKind::DistrPar { var, n, body, .. } => {
                    self.rounds(*var, self.p.exprs.as_u32(*n).map(|n| [0, n, 1]), body, runs);
                }
                StmtKind::SeqFor { var, start, end, step, body } => {
                    let known = [start, end, step].map(|e| self.p.exprs.as_u32(*e));
                    let known = known.iter().copied().collect::<Option<Vec<u32>>>();
                    self.rounds(*var, known.map(|k| [k[0], k[1], k[2]]), body, runs);
                }
                other => nested(other).for_each(|inner| self.list(inner, Runs::Perhaps)),
            }
        }
    }

    /// A loop from a start to an end by a step, if they are known.
    fn rounds(&mut self, var: VarId, bounds: Option<[u32; 3]>, body: &Block, runs: Runs) {
        let room = self.eval.extents().len() < MAX_LOOPS;
        let Some([start, end, step]) = bounds.filter(|[_, _, step]| room && *step > 0) else {
            self.eval.bind_unknown(var);
            return self.list(body, Runs::Perhaps);
        };
        self.eval.enter(var, end.saturating_sub(start).div_ceil(step), start, step);
        self.list(body, runs);
        self.eval.leave();
        self.eval.bind_unknown(var);
    }

    fn store(&mut self, array: ArrayId, index: ExprId, runs: Runs) {
        match (runs == Runs::Always).then(|| self.rests(index)).flatten() {
            Some(store) => {
                if let Some(Some(stores)) = self.stores.get_mut(&array) {
                    stores.push(store);
                }
            }
            None => self.give_up(array),
        }
    }

    fn give_up(&mut self, array: ArrayId) {
        self.stores.entry(array).and_modify(|stores| *stores = None);
    }

    fn rests(&mut self, index: ExprId) -> Option<Store> {
        let sum = self.eval.value(&self.p.exprs, index)?;
        let terms = sum.terms.iter().map(|(symbols, by)| Some((symbols.clone(), by.as_uniform()?)));
        let terms = terms.collect::<Option<Vec<_>>>()?;
        let extents = self.eval.extents().to_vec();
        // A store in no loop, as of a thread's only element, has one round.
        self.eval.budget.take(lanes_of(&extents)).then(|| (terms, sum.rest.spread(&extents, extents.len()).to_vec()))
    }
}

impl Part {
    /// The part that all stores write together, each element once.
    fn of(array: ArrayId, stores: &[Store]) -> Option<Part> {
        let (from, _) = stores.first()?;
        if stores.iter().any(|(terms, _)| terms != from) {
            return None;
        }
        let mut places: Vec<u32> = stores.iter().flat_map(|(_, rests)| rests.iter().copied()).collect();
        places.sort_unstable();
        let dense = places.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
        dense.then(|| Part { array, from: from.clone(), first: places[0], len: places.len() as u32 })
    }

    fn fits(&self, p: &Program) -> bool {
        let bytes = u64::from(self.len) * u64::from(p.array(self.array).elem.bytes());
        PART_BYTES.contains(&bytes) && bytes.is_multiple_of(LINE)
    }

    /// Whether its place is made of what has a name where the list begins.
    fn is_known_at(&self, p: &Program, block: VarId) -> bool {
        let symbols = self.from.iter().flat_map(|(symbols, _)| symbols.iter().copied());
        reachable(&p.exprs, symbols, |_| false).iter().all(|e| match p.exprs.expr(*e) {
            Expr::Var(v) => v == block,
            Expr::Load(..) => false,
            _ => true,
        })
    }

    /// Where the part begins, a `u32`.
    fn begins(&self, printer: &Printer<'_>) -> TokenStream {
        let first = Literal::u32_suffixed(self.first);
        self.from.iter().fold(quote!(#first), |sum, (symbols, by)| {
            let by = Literal::u32_suffixed(*by);
            let product = symbols.iter().fold(quote!(#by), |product, e| {
                let e = printer.value(*e);
                quote!(u32::wrapping_mul(#product, #e))
            });
            quote!(u32::wrapping_add(#sum, #product))
        })
    }
}

impl Printer<'_> {
    /// The statements of a list, of which no outer list's part is.
    pub fn list_by_parts(&mut self, list: &Block) -> TokenStream {
        let Some(block) = self.parts.block else { return self.block(list) };
        let loads = self.loads.get_or_init(|| Loads::new(&self.p.exprs));
        let mut parts = parts(self.p, loads, block, list);
        parts.retain(|part| !self.parts.moved.contains(&part.array));
        let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
        for part in &parts {
            let (open, close) = self.by_part(part);
            before.extend(open);
            after.extend(close);
            self.parts.past.push(part.array);
        }
        let moved = self.parts.moved.len();
        self.parts.moved.extend(parts.iter().map(|part| part.array));
        let body = self.block(list);
        self.parts.moved.truncate(moved);
        quote!(#before #body #after)
    }

    /// What goes before and after a list that writes a part.
    fn by_part(&self, part: &Part) -> (TokenStream, TokenStream) {
        let id = part.array.0;
        let (array, from, copy) = (array_name(part.array), local("from", id), local("part", id));
        let (whole, out, past) = (local("whole", id), local("out", id), local("past", id));
        let (len, t) = (Literal::usize_suffixed(part.len as usize), stored(self.p.array(part.array).elem));
        let begins = part.begins(self);
        let before = quote! {
            let (#out, #from) = (#array, #begins as usize);
            let #whole = #past.takes(#out, #from, #len);
            let mut #copy = abi::lanes::Part::<#t, #len>::new();
            let (#array, #from) = if #whole { (#copy.start(), #from) } else { (#out, 0usize) };
        };
        (before, quote!(if #whole { #copy.flush(#out.add(#from)); }))
    }

    /// The name of how an output is written that no list here has a part of: its vectors that are whole lines may go past the caches.
    pub fn past_by_lines(&mut self, array: ArrayId) -> Option<Ident> {
        let alone = may_go_past(self.p, array) && self.parts.offset(array).is_none();
        alone.then(|| {
            self.parts.past.push(array);
            local("past", array.0)
        })
    }

    /// What goes before a loop over blocks whose outputs may go past the caches, and after it.
    pub fn around_parts(&mut self) -> (TokenStream, TokenStream) {
        let mut arrays = std::mem::take(&mut self.parts.past);
        arrays.sort_unstable();
        arrays.dedup();
        let before = arrays.iter().map(|&array| {
            let (past, name, len) = (local("past", array.0), array_name(array), self.wide(self.p.array(array).len));
            quote!(let #past = abi::lanes::Past::of(#name, #len);)
        });
        let after = (!arrays.is_empty()).then(|| quote!(abi::lanes::Past::finish();));
        (before.collect(), quote!(#after))
    }
}

/// What the printer knows of parts, in a loop over blocks.
#[derive(Default)]
pub(super) struct Parts {
    /// The loop's counter, in lists of the block's statements; not in its phases and loops.
    pub block: Option<VarId>,
    /// The arrays whose names stand for a part.
    pub moved: Vec<ArrayId>,
    /// The arrays that may go past the caches in this loop.
    pub past: Vec<ArrayId>,
}

impl Parts {
    /// What is taken from an index of the array.
    pub fn offset(&self, array: ArrayId) -> Option<TokenStream> {
        let from = local("from", array.0);
        self.moved.contains(&array).then(|| quote!(- #from))
    }
}
