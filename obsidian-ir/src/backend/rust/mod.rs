//! Rust: the CPU version of a program ([`native()`]) and how the host finds its launch ([`geometry()`]).
//!
//! In: programs in native form (structured and scheduled). Out: tokens that name nothing but `core`, `std` and the
//! runtime. Both compile without warnings on editions 2021 and 2024.

mod atomic;
mod copies;
mod expr;
#[cfg(test)]
mod fixtures;
pub(crate) mod forward;
mod gathers;
mod geometry;
mod groups;
mod marks;
mod native;
mod parts;
mod prefetch;
mod stmt;
mod tables;
#[cfg(test)]
mod tests;
mod votes;

pub use geometry::geometry;
pub use marks::Marked;
pub use native::{native, native_declared, native_marked};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use crate::program::{ArrayId, Param, ParamId, ParamKind, Program, ScalarType, VarId};

/// Identifiers of generated locals. A kernel is a `const`, which a local of the same name cannot shadow; no kernel
/// bears such a name.
pub fn local(prefix: &str, id: u32) -> Ident {
    Ident::new(&format!("__{prefix}{id}"), Span::call_site())
}

fn array_name(id: ArrayId) -> Ident {
    local("a", id.0)
}

fn var_name(id: VarId) -> Ident {
    local("v", id.0)
}

/// The length of an input, a `usize`.
fn len_name(id: ParamId) -> Ident {
    local("n", id.0)
}

/// A scalar argument, of its own type.
fn scalar_name(id: ParamId) -> Ident {
    local("k", id.0)
}

/// Tokens of a fixed text of this module's own making.
fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// An identifier of a name of the user's, raw where it must be.
pub fn identifier(name: &str) -> Ident {
    let plain = name.trim_start_matches("r#");
    if syn::parse_str::<Ident>(plain).is_ok() {
        Ident::new(plain, Span::call_site())
    } else {
        Ident::new_raw(plain, Span::call_site())
    }
}

/// A loop whose index, a `usize`, goes from a start to below an end. It is no `for`, each round of which is four calls where nothing
/// optimises.
fn count_up(index: &Ident, from: impl ToTokens, end: impl ToTokens, body: impl ToTokens) -> TokenStream {
    quote!({
        let __end: usize = #end;
        let mut #index: usize = #from;
        while #index < __end {
            #body
            #index += 1;
        }
    })
}

/// The Rust type of a value; a 16-bit float is its bits.
pub fn ty(t: ScalarType) -> TokenStream {
    Ident::new(if t.is_half() { "u16" } else { t.name() }, Span::call_site()).into_token_stream()
}

/// The type in memory: `bool` is a byte.
fn stored(t: ScalarType) -> TokenStream {
    ty(if t == ScalarType::Bool { ScalarType::U8 } else { t })
}

/// Parameters with their ids.
pub fn params(p: &Program) -> impl Iterator<Item = (ParamId, &Param)> {
    p.params.iter().enumerate().map(|(i, param)| (ParamId(i as u32), param))
}

/// Parameters that are not outputs nor the record of faults, with their ids: what a launch is given.
pub fn arguments(p: &Program) -> impl Iterator<Item = (ParamId, &Param)> {
    params(p).filter(|(_, param)| !matches!(param.kind, ParamKind::Output { .. } | ParamKind::Fault(_)))
}
