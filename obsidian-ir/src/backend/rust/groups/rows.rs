//! Rows: where each lane goes over neighbours of its own, 16 words of every lane are loaded at a time and turned, so that a vector has the
//! same word of all lanes; what lanes store to neighbours of their own is turned back.
//!
//! ```text
//! for t in 0..256 { s[t] = x[32 * t] + x[32 * t + 1] + .. + x[32 * t + 31]; }
//! ```
//!
//! becomes
//!
//! ```text
//! for g in 0..16 {
//!     let [r0, .., r15] = L::load_rows(&x[512 * g], &[0, 32, 64, ..]);
//!     let [r16, .., r31] = L::load_rows(&x[512 * g + 16], &[0, 32, 64, ..]);
//!     (r0 + r1 + .. + r31).store(&s[16 * g]);
//! }
//! ```
//!
//! A phase is looked through first, and then printed: only what it loads in each lane is loaded, so nothing outside of arrays. Stores wait
//! for the last of their rows, in a phase that does not read their array.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::affine::{Affine, Term};
use super::{Group, SMALLEST, Under};
use crate::program::ArrayId;

/// Rows that begin at constant distances from lane 0's.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    array: ArrayId,
    terms: Vec<(Term, i64)>,
    steps: Vec<i64>,
}

impl Place {
    fn of(array: ArrayId, at: &Affine) -> Place {
        Place { array, terms: at.terms.clone(), steps: at.steps() }
    }

    fn distances(&self) -> TokenStream {
        let steps = self.steps.iter().map(|step| distance(*step));
        quote!(&[#(#steps),*])
    }
}

/// Whether a phase is looked through, or printed.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    #[default]
    Look,
    Print,
}

/// The rows of a phase.
#[derive(Default)]
pub(super) struct Rows {
    pub pass: Pass,
    /// The elements that are loaded of each row, by lane 0's.
    loads: BTreeMap<Place, BTreeSet<i64>>,
    stores: BTreeMap<Place, BTreeSet<i64>>,
    /// Elements that are in a register.
    loaded: BTreeMap<(Place, i64), Ident>,
    waiting: BTreeMap<Place, Waiting>,
    /// Whether other elements are gathered.
    gathers: bool,
}

/// Stores that wait for the last of their rows.
struct Waiting {
    /// Where lane 0's first one goes that came.
    to: Ident,
    first: i64,
    values: BTreeMap<i64, Ident>,
}

impl Rows {
    /// Whether any were found.
    pub fn any(&self) -> bool {
        !self.loads.is_empty() || !self.stores.is_empty()
    }

    /// Whether all stores are done, and nothing is gathered without rows.
    pub fn done(&self) -> bool {
        self.waiting.is_empty() && (self.any() || !self.gathers)
    }
}

/// Whether the 16 lanes of a group are so far apart that two vectors do not hold what they want.
pub(super) fn are_rows(at: &Affine) -> bool {
    let (low, high) = (at.at.iter().min(), at.at.iter().max());
    let wide = low.zip(high).is_some_and(|(low, high)| high - low >= 2 * SMALLEST as i64);
    wide && at.at.len() == SMALLEST
}

/// The first element of the 16 that are loaded or stored with `element`, all of which are in `among`; the last 16 of a run may
/// hold some of those before.
fn window(among: &BTreeSet<i64>, element: i64) -> Option<i64> {
    let whole = SMALLEST as i64;
    let (mut start, mut end) = (element, element + 1);
    while among.contains(&(start - 1)) {
        start -= 1;
    }
    while among.contains(&end) {
        end += 1;
    }
    let own = start + (element - start) / whole * whole;
    (end - start >= whole).then(|| own.min(end - whole))
}

impl Group<'_, '_> {
    /// Where rows may be met: by all lanes, once.
    fn meets_rows(&self) -> bool {
        matches!(self.under, Under::All) && self.top && self.lanes == SMALLEST
    }

    /// Whether elements may be gathered here, by all lanes; that there are rows is seen at the end.
    pub(super) fn gathers_beside_rows(&mut self) -> bool {
        self.rows.gathers |= self.meets_rows();
        self.meets_rows()
    }

    /// An element of each lane's row; `place` is lane 0's.
    pub(super) fn load_row(&mut self, array: ArrayId, at: &Affine, place: &TokenStream) -> Option<TokenStream> {
        if !self.meets_rows() || self.writes(array) {
            return None;
        }
        let (row, element) = (Place::of(array, at), at.at[0]);
        if self.rows.pass == Pass::Look {
            self.rows.loads.entry(row).or_default().insert(element);
            return Some(quote!(__row));
        }
        if let Some(name) = self.rows.loaded.get(&(row.clone(), element)) {
            return Some(quote!(#name));
        }
        self.gains = true;
        let first = window(self.rows.loads.get(&row)?, element)?;
        let names: Vec<Ident> = (0..SMALLEST).map(|_| self.name("r")).collect();
        let (w, from, distances) = (&self.ty, distance(first - element), row.distances());
        let fetch = self.printer.streams.ahead(array).map(|ahead| {
            let ahead = Literal::usize_suffixed(ahead);
            quote!(abi::lanes::fetch_rows((#place).offset(#from).wrapping_add(#ahead), #distances);)
        });
        self.before.extend(quote!(#fetch let [#(#names),*] = <#w>::load_rows((#place).offset(#from), #distances);));
        let own = names[(element - first) as usize].clone();
        for (k, name) in (first..).zip(names) {
            self.rows.loaded.entry((row.clone(), k)).or_insert(name);
        }
        Some(quote!(#own))
    }

    /// Stores an element of each lane's row, or keeps it for later; `place` is lane 0's.
    pub(super) fn store_row(
        &mut self,
        array: ArrayId,
        at: &Affine,
        place: &TokenStream,
        value: TokenStream,
    ) -> Option<TokenStream> {
        if !self.meets_rows() || self.reads(array) {
            return None;
        }
        let (row, element) = (Place::of(array, at), at.at[0]);
        if self.rows.pass == Pass::Look {
            return self.rows.stores.entry(row).or_default().insert(element).then(TokenStream::new);
        }
        self.gains = true;
        self.held.retain(|held| held.array() != array);
        let (name, mut printed) = (self.name("s"), TokenStream::new());
        if !self.rows.waiting.contains_key(&row) {
            let to = self.name("p");
            printed.extend(quote!(let #to = #place;));
            self.rows.waiting.insert(row.clone(), Waiting { to, first: element, values: BTreeMap::new() });
        }
        let waiting = self.rows.waiting.get_mut(&row)?;
        waiting.values.insert(element, name.clone());
        printed.extend(quote!(let #name = #value;));
        let all = self.rows.stores.get(&row)?;
        if waiting.values.len() == all.len() {
            let waiting = self.rows.waiting.remove(&row)?;
            let firsts = all.iter().map(|element| window(all, *element)).collect::<Option<BTreeSet<i64>>>()?;
            let past = self.printer.past_by_lines(array).map_or(quote!(abi::lanes::Past::NEVER), |past| quote!(#past));
            for first in firsts {
                let words = waiting.values.range(first..first + SMALLEST as i64).map(|(_, name)| name);
                let (w, to, from, distances) =
                    (&self.ty, &waiting.to, distance(first - waiting.first), row.distances());
                printed.extend(quote!(<#w>::store_rows([#(#words),*], #past, (#to).offset(#from), #distances);));
            }
        }
        Some(printed)
    }
}

fn distance(elements: i64) -> Literal {
    Literal::isize_suffixed(elements as isize)
}
