//! Memory of a group: contiguous elements are one vector; others at constant distances are one or two, and a permutation by
//! constants; what is stored in pieces that interleave is put together first.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::affine::{Affine, Term};
use super::rows::are_rows;
use super::value::word;
use super::{Group, SMALLEST, Under};
use crate::program::{ArrayId, BinOp, Expr, ExprId, Space};

/// A vector of an array's elements that is in a register: 16 from `first` on.
#[derive(Clone)]
pub(super) struct Held {
    array: ArrayId,
    terms: Vec<(Term, i64)>,
    first: i64,
    name: Ident,
}

impl Held {
    pub(super) fn array(&self) -> ArrayId {
        self.array
    }

    fn is(&self, array: ArrayId, terms: &[(Term, i64)], first: i64) -> bool {
        self.array == array && self.terms == terms && self.first == first
    }
}

/// A store at distances that leave gaps.
pub(super) struct Pending {
    array: ArrayId,
    at: Affine,
    /// Lane 0's element.
    place: TokenStream,
    value: Ident,
}

/// Elements of a vector.
const WHOLE: i64 = SMALLEST as i64;

/// Where in 32 elements from `first` on each lane's is; a lane that does not run may have any.
fn order(at: &Affine, first: i64) -> Vec<i64> {
    at.at.iter().map(|at| (at - first).clamp(0, 2 * WHOLE - 1)).collect()
}

/// Lanes `first`, `first + 1` and so on.
fn contiguous(at: &[i64]) -> bool {
    at.iter().enumerate().all(|(l, at)| *at == l as i64)
}

impl Group<'_, '_> {
    /// The elements at the lanes' indices.
    pub(super) fn load(&mut self, array: ArrayId, index: ExprId) -> Option<TokenStream> {
        word(self.printer.p.array(array).elem)?;
        if self.is_own(array) {
            let element = self.own_element(index)?;
            return self.own.get(&(array, element)).map(|name| quote!(#name));
        }
        let w = self.ty.clone();
        let Some(at) = self.shapes.affine(index) else {
            return self.load_before(array, index).or_else(|| self.gather(array, index));
        };
        self.lasts(&at)?;
        let steps = at.steps();
        if let Some(held) =
            self.held.iter().find(|held| held.is(array, &at.terms, at.at[0])).filter(|_| contiguous(&steps))
        {
            let name = &held.name;
            return Some(quote!(#name));
        }
        let place = self.pointer(array, index);
        match self.under.clone() {
            _ if are_rows(&at) => self.load_row(array, &at, &place),
            _ if !contiguous(&steps) => self.permuted(array, &at, place),
            Under::All => Some(match self.ahead(array, quote!(__at)) {
                Some(fetch) => quote!({ let __at = #place; #fetch <#w>::load(__at) }),
                None => quote!(<#w>::load(#place)),
            }),
            Under::Mask(mask, _) => Some(quote!(<#w>::load_where(#mask, #place))),
        }
    }

    /// The elements a constant before others, such as `xs[i - 4]`, where only lanes run that have one: for the others the index wraps, and
    /// lies past every shared array.
    fn load_before(&mut self, array: ArrayId, index: ExprId) -> Option<TokenStream> {
        let (p, w) = (self.printer.p, self.ty.clone());
        let Expr::Bin(BinOp::Sub, from, by) = p.exprs.expr(index) else { return None };
        let by = p.exprs.as_u32(by).filter(|by| *by < 1 << 31)?;
        let at = self.shapes.affine(from)?;
        if !matches!(p.array(array).space, Space::Shared(_)) || !contiguous(&at.steps()) {
            return None;
        }
        let (name, from, by) =
            (super::super::array_name(array), self.printer.wide(from), Literal::usize_suffixed(by as usize));
        let place = quote!(#name.cast::<u32>().wrapping_add(#from).wrapping_sub(#by));
        Some(match &self.under {
            Under::All => quote!(<#w>::load(#place)),
            Under::Mask(mask, _) => quote!(<#w>::load_where(#mask, #place)),
        })
    }

    /// Elements anywhere in shared memory, beside rows, whose gain is more than this costs.
    fn gather(&mut self, array: ArrayId, index: ExprId) -> Option<TokenStream> {
        let (p, w) = (self.printer.p, self.ty.clone());
        if !matches!(p.array(array).space, Space::Shared(_)) || !self.gathers_beside_rows() {
            return None;
        }
        let (name, index) = (super::super::array_name(array), self.vector(index)?);
        Some(quote!(<#w>::gather(#name.cast::<u32>(), #index)))
    }

    /// Elements are known again by what their place is made of, which a later round must not change.
    fn lasts(&self, at: &Affine) -> Option<()> {
        (self.rounds == 0 || self.shapes.stays(at)).then_some(())
    }

    /// An element that all lanes load, of a vector that is in a register.
    pub(super) fn one_of_held(&mut self, e: ExprId) -> Option<TokenStream> {
        let Expr::Load(array, index) = self.printer.p.exprs.expr(e) else { return None };
        let at = self.shapes.affine(index)?;
        self.lasts(&at)?;
        let first = at.at[0].div_euclid(WHOLE) * WHOLE;
        let held = self.held.iter().find(|held| held.is(array, &at.terms, first))?.name.clone();
        Some(self.picked(&at, first, &[held]))
    }

    /// Code that fetches what a later block reads where this one reads at `place`.
    fn ahead(&self, array: ArrayId, place: TokenStream) -> Option<TokenStream> {
        let (w, ahead) = (&self.ty, Literal::usize_suffixed(self.printer.streams.ahead(array)?));
        Some(quote!(abi::lanes::fetch::<#w>((#place).wrapping_add(#ahead));))
    }

    /// Lane 0's element, as a pointer to words.
    fn pointer(&self, array: ArrayId, index: ExprId) -> TokenStream {
        let place = self.printer.place(array, index);
        if self.printer.is_input(array) {
            let (name, index) = (super::super::array_name(array), self.printer.wide(index));
            return quote!(#name.as_ptr().add(#index).cast::<u32>());
        }
        quote!((#place).cast::<u32>())
    }

    /// Elements that lie within two vectors.
    fn permuted(&mut self, array: ArrayId, at: &Affine, place: TokenStream) -> Option<TokenStream> {
        let runs = match &self.under {
            Under::All => u64::MAX,
            Under::Mask(_, bits) => (*bits)?,
        };
        let active = || at.at.iter().enumerate().filter(|(l, _)| runs >> l & 1 != 0).map(|(_, at)| *at);
        let (low, high) = (active().min()?, active().max()?);
        if self.lanes != SMALLEST || high - low >= 2 * WHOLE {
            return None;
        }
        self.gains = true;
        if let Some(windows) = self.windows(array, at, (low, high), &place) {
            return Some(self.picked(at, low / WHOLE * WHOLE, &windows));
        }
        let (w, order) = (self.ty.clone(), self.words(&order(at, low)));
        let (from, count) = (distance(low - at.at[0]), high - low + 1);
        let first = self.first_words(quote!(__at), count.min(WHOLE));
        let second = match count - WHOLE {
            ..=0 => quote!(__low),
            more => self.first_words(quote!(__at.add(16)), more),
        };
        Some(quote!({
            let __at = (#place).offset(#from);
            let __low = #first;
            <#w>::permute(__low, #second, &#order)
        }))
    }

    /// What the lanes want of one or two vectors that begin at `first`.
    fn picked(&self, at: &Affine, first: i64, windows: &[Ident]) -> TokenStream {
        let (w, order, low) = (&self.ty, order(at, first), &windows[0]);
        match windows.get(1) {
            Some(high) => {
                let order = self.words(&order);
                quote!(<#w>::permute(#low, #high, &#order))
            }
            None => {
                let order = self.words(&order.iter().map(|i| i % WHOLE).collect::<Vec<i64>>());
                quote!(<#w>::permute(#low, #low, &#order))
            }
        }
    }

    /// The whole vectors in which the elements from `low` to `high` lie: those that were stored as such, which the processor
    /// hands on before they have reached the cache. `None` where part of one may lie outside of the array.
    fn windows(
        &mut self,
        array: ArrayId,
        at: &Affine,
        (low, high): (i64, i64),
        place: &TokenStream,
    ) -> Option<Vec<Ident>> {
        let (first, last) = (low / WHOLE, high / WHOLE);
        if low < 0 || last - first > 1 {
            return None;
        }
        // A multiple of 16 whose vector has an element of the array in it: if the length is one as well, all are.
        let inside = at.aligned() >= 4 && self.is_whole(self.printer.p.array(array).len);
        // Under a mask nothing is loaded that other statements would look for.
        let kept = self.top && !self.writes(array);
        let mut names = Vec::new();
        for window in (first..=last).map(|window| window * WHOLE) {
            if let Some(held) = self.held.iter().find(|held| held.is(array, &at.terms, window)) {
                names.push(held.name.clone());
                continue;
            }
            if !inside || !kept {
                return None;
            }
            let (w, name, from) = (self.ty.clone(), self.name("h"), distance(window - at.at[0]));
            let fetch = self.ahead(array, quote!((#place).offset(#from)));
            self.before.extend(quote!(#fetch let #name = <#w>::load((#place).offset(#from));));
            self.held.push(Held { array, terms: at.terms.clone(), first: window, name: name.clone() });
            names.push(name);
        }
        Some(names)
    }

    /// Whether a length is a multiple of a vector's: a number, or one of which the launch is asked for that.
    fn is_whole(&self, len: ExprId) -> bool {
        let (p, whole) = (self.printer.p, SMALLEST as u32);
        let number = |e| p.exprs.as_u32(e);
        let asked = |cond| match p.exprs.expr(cond) {
            Expr::Bin(BinOp::Eq, rest, zero) if number(zero) == Some(0) => match p.exprs.expr(rest) {
                Expr::Bin(BinOp::Rem, n, by) => n == len && number(by).is_some_and(|by| by.is_multiple_of(whole)),
                // The rest by a power of two.
                Expr::Bin(BinOp::And, n, mask) => {
                    n == len && number(mask).is_some_and(|mask| mask % whole == whole - 1)
                }
                _ => false,
            },
            _ => false,
        };
        number(len).map_or_else(|| p.checks.iter().any(|check| asked(check.cond)), |n| n.is_multiple_of(whole))
    }

    /// The first `count` words from a place on, at most a vector; nothing past them is touched.
    fn first_words(&self, place: TokenStream, count: i64) -> TokenStream {
        let w = &self.ty;
        if count == WHOLE {
            return quote!(<#w>::load(#place));
        }
        let bits = Literal::u64_suffixed((1 << count) - 1);
        quote!(<#w>::load_where(<#w>::mask(#bits), #place))
    }

    /// Notes that a variable holds the elements that it was loaded from, of an array that the phase leaves alone.
    pub(super) fn hold(&mut self, array: ArrayId, index: ExprId, name: Ident) {
        let Some(at) = self.shapes.affine(index) else { return };
        // The name is another variable's in the next round.
        if self.rounds == 0 && self.top && self.lanes == SMALLEST && contiguous(&at.steps()) {
            self.held.push(Held { array, first: at.at[0], terms: at.terms, name });
        }
    }

    /// Stores a value of each lane.
    pub(super) fn store(&mut self, array: ArrayId, index: ExprId, value: ExprId) -> Option<TokenStream> {
        word(self.printer.p.array(array).elem)?;
        if self.is_own(array) {
            return self.keep(array, index, value);
        }
        let at = self.shapes.affine(index)?;
        self.lasts(&at)?;
        let (place, value) = (self.pointer(array, index), self.vector(value)?);
        if are_rows(&at) {
            return self.store_row(array, &at, &place, value);
        }
        if !contiguous(&at.steps()) {
            return self.interleaved(array, at, place, value);
        }
        self.release(array, &at.terms, at.at[0]);
        Some(match self.under.clone() {
            Under::All if self.top && self.lanes == SMALLEST => {
                let name = self.name("s");
                self.held.push(Held { array, first: at.at[0], terms: at.terms, name: name.clone() });
                let stored = self.stored(array, quote!(#name), place);
                quote!(let #name = #value; #stored)
            }
            Under::All => self.stored(array, quote!((#value)), place),
            Under::Mask(mask, _) => quote!((#value).store_where(#mask, #place);),
        })
    }

    /// Stores a vector of all lanes: one of a large output past the caches, where no list's part has it.
    fn stored(&mut self, array: ArrayId, value: TokenStream, place: TokenStream) -> TokenStream {
        match self.printer.past_by_lines(array) {
            Some(past) => quote!(#value.store_past(#past, #place);),
            None => quote!(#value.store(#place);),
        }
    }

    /// Whether each lane has an array of its own.
    pub(super) fn is_own(&self, array: ArrayId) -> bool {
        self.printer.p.array(array).space == Space::Local
    }

    /// Which element it is, if that is known.
    fn own_element(&mut self, index: ExprId) -> Option<i64> {
        let at = self.shapes.affine(index)?;
        (at.terms.is_empty() && at.is_even()).then(|| at.at[0])
    }

    /// Keeps an element of an array that each lane has of its own in a register.
    fn keep(&mut self, array: ArrayId, index: ExprId, value: ExprId) -> Option<TokenStream> {
        let (element, value) = (self.own_element(index)?, self.vector(value)?);
        if !self.top || !matches!(self.under, Under::All) {
            return None;
        }
        let name = self.name("o");
        self.own.insert((array, element), name.clone());
        Some(quote!(let #name = #value;))
    }

    /// Forgets the vectors that a store to one from `first` on may change.
    fn release(&mut self, array: ArrayId, terms: &[(Term, i64)], first: i64) {
        let beside = |held: &Held| held.terms == terms && (held.first - first).abs() >= WHOLE;
        self.held.retain(|held| held.array != array || beside(held));
    }

    /// Stores that fill two vectors together: the first waits for the second.
    fn interleaved(
        &mut self,
        array: ArrayId,
        at: Affine,
        place: TokenStream,
        value: TokenStream,
    ) -> Option<TokenStream> {
        if !self.top || self.lanes != SMALLEST || self.reads(array) {
            return None;
        }
        self.gains = true;
        let (w, name) = (self.ty.clone(), self.name("s"));
        let kept = quote!(let #name = #value;);
        let Some(i) = self.pending.iter().position(|p| p.array == array && p.at.terms == at.terms) else {
            self.pending.push(Pending { array, at, place, value: name });
            return Some(kept);
        };
        let first = self.pending.remove(i);
        let both: Vec<i64> = first.at.at.iter().chain(&at.at).copied().collect();
        let low = *both.iter().min()?;
        // Which of the 32 values belongs to each element.
        let order = (low..low + 32).map(|element| both.iter().position(|at| *at == element).map(|i| i as i64));
        let order = order.collect::<Option<Vec<i64>>>()?;
        let (lower, upper) = (self.words(&order[..SMALLEST]), self.words(&order[SMALLEST..]));
        let (from, place, other) = (distance(low - first.at.at[0]), &first.place, &first.value);
        let halves = [(low, lower), (low + WHOLE, upper)].map(|(at_first, order)| {
            self.release(array, &at.terms, at_first);
            let half = self.name("s");
            self.held.push(Held { array, first: at_first, terms: at.terms.clone(), name: half.clone() });
            let to = Literal::usize_suffixed((at_first - low) as usize);
            let stored = self.stored(array, quote!(#half), quote!(__at.add(#to)));
            quote!(let #half = <#w>::permute(#other, #name, &#order); #stored)
        });
        Some(quote! {
            #kept
            let __at = (#place).offset(#from);
            #(#halves)*
        })
    }
}

fn distance(elements: i64) -> Literal {
    Literal::isize_suffixed(elements as isize)
}
