//! Atomic updates. Blocks run on several threads, so those of buffers are atomic; shared and local memory belongs to
//! the one thread that runs the block, so there they are plain.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::{stored, tokens, ty};
use crate::program::{AtomicOp, ScalarType, Space};

/// An expression that updates `place` with `value` and yields the old value, both of type `t`.
///
/// With an expected value, `place` is left alone unless it holds that.
pub(super) fn update(
    op: AtomicOp,
    t: ScalarType,
    space: Space,
    place: TokenStream,
    (expected, value): (Option<TokenStream>, TokenStream),
) -> TokenStream {
    match (space, expected) {
        (Space::Global(_), Some(expected)) => exchange_if(t, place, expected, value),
        (_, Some(expected)) => plain(quote!(if __old == #expected { __new } else { __old }), t, place, value),
        (Space::Global(_), None) => global(op, t, place, value),
        (Space::Shared(_) | Space::Local | Space::Lanes | Space::Registers, None) => {
            plain(combine(op, t), t, place, value)
        }
    }
}

/// A statement that updates `place` where nobody asks for the old value: an exchange is a store then, and takes no turn among cores.
pub(super) fn forgetful_update(
    op: AtomicOp,
    t: ScalarType,
    space: Space,
    place: TokenStream,
    operands: (Option<TokenStream>, TokenStream),
) -> TokenStream {
    if let (AtomicOp::Exchange, Space::Global(_), (None, value)) = (op, space, &operands) {
        let store = call(t, "store", &place, value);
        return quote!(#store;);
    }
    let update = update(op, t, space, place, operands);
    quote!(let _ = #update;)
}

fn exchange_if(t: ScalarType, place: TokenStream, expected: TokenStream, value: TokenStream) -> TokenStream {
    let (cell, rust) = (cell(bits_type(t)), ty(t));
    quote!({
        let (__cell, __new): (&#cell, #rust) = (#cell::from_ptr(#place), #value);
        match __cell.compare_exchange(
            #expected,
            __new,
            ::core::sync::atomic::Ordering::Relaxed,
            ::core::sync::atomic::Ordering::Relaxed,
        ) {
            ::core::result::Result::Ok(__old) | ::core::result::Result::Err(__old) => __old,
        }
    })
}

fn plain(new: TokenStream, t: ScalarType, place: TokenStream, value: TokenStream) -> TokenStream {
    let (rust, stored) = (ty(t), stored(t));
    let read = if t == ScalarType::Bool { quote!(*__place != 0) } else { quote!(*__place) };
    quote!({
        let (__place, __new): (*mut #stored, #rust) = (#place, #value);
        let __old: #rust = #read;
        *__place = (#new) as #stored;
        __old
    })
}

fn global(op: AtomicOp, t: ScalarType, place: TokenStream, value: TokenStream) -> TokenStream {
    if t.is_float() && op != AtomicOp::Exchange {
        return float_loop(op, t, place, value);
    }
    let method = match op {
        AtomicOp::Add => "fetch_add",
        AtomicOp::Min => "fetch_min",
        AtomicOp::Max => "fetch_max",
        AtomicOp::And => "fetch_and",
        AtomicOp::Or => "fetch_or",
        AtomicOp::Xor => "fetch_xor",
        AtomicOp::Exchange | AtomicOp::CompareExchange => "swap",
    };
    let (rust, old) = (ty(t), call(t, method, &place, &value));
    match t {
        ScalarType::F32 | ScalarType::F64 => quote!(#rust::from_bits(#old)),
        ScalarType::Bool => quote!((#old != 0)),
        _ => old,
    }
}

/// Calls a method of the atomic cell at `place` with the bits of `value`.
fn call(t: ScalarType, method: &str, place: &TokenStream, value: &TokenStream) -> TokenStream {
    let (bits, method) = (bits_type(t), tokens(method));
    let (cell, bits_name) = (cell(bits), ty(bits));
    let value = match t {
        ScalarType::F32 | ScalarType::F64 => quote!((#value).to_bits()),
        ScalarType::Bool => quote!((#value) as u8),
        _ => value.clone(),
    };
    quote!(#cell::from_ptr(#place as *mut #bits_name).#method(#value, ::core::sync::atomic::Ordering::Relaxed))
}

/// There is no atomic arithmetic on floats: the bits are compared and exchanged until no other thread has changed them.
fn float_loop(op: AtomicOp, t: ScalarType, place: TokenStream, value: TokenStream) -> TokenStream {
    let bits = bits_type(t);
    let (rust, cell, bits_name) = (ty(t), cell(bits), ty(bits));
    let new = combine(op, t);
    quote!({
        let (__cell, __new): (&#cell, #rust) = (#cell::from_ptr(#place as *mut #bits_name), #value);
        let mut __seen = __cell.load(::core::sync::atomic::Ordering::Relaxed);
        loop {
            let __old = #rust::from_bits(__seen);
            match __cell.compare_exchange_weak(
                __seen,
                (#new).to_bits(),
                ::core::sync::atomic::Ordering::Relaxed,
                ::core::sync::atomic::Ordering::Relaxed,
            ) {
                ::core::result::Result::Ok(_) => break __old,
                ::core::result::Result::Err(__now) => __seen = __now,
            }
        }
    })
}

/// The new value, from `__old` and `__new`. An operation that the type does not have leaves the place as it is.
fn combine(op: AtomicOp, t: ScalarType) -> TokenStream {
    let bits = !t.is_float();
    match op {
        AtomicOp::Add if t.is_int() => quote!(__old.wrapping_add(__new)),
        AtomicOp::Add if t.is_float() => quote!(__old + __new),
        AtomicOp::Min | AtomicOp::Max if t.is_float() => {
            let name = tokens(&format!("{}_{}", if op == AtomicOp::Min { "min" } else { "max" }, t.name()));
            quote!(abi::#name(__old, __new))
        }
        AtomicOp::Min => quote!(__old.min(__new)),
        AtomicOp::Max => quote!(__old.max(__new)),
        AtomicOp::And if bits => quote!(__old & __new),
        AtomicOp::Or if bits => quote!(__old | __new),
        AtomicOp::Xor if bits => quote!(__old ^ __new),
        AtomicOp::Exchange | AtomicOp::CompareExchange => quote!(__new),
        _ => quote!(__old),
    }
}

/// The integer that holds the bits of a stored value.
fn bits_type(t: ScalarType) -> ScalarType {
    match t {
        ScalarType::F32 => ScalarType::U32,
        ScalarType::F64 => ScalarType::U64,
        ScalarType::Bool => ScalarType::U8,
        t => t,
    }
}

fn cell(bits: ScalarType) -> TokenStream {
    let name = format_ident!("Atomic{}", bits.name().to_uppercase());
    quote!(::core::sync::atomic::#name)
}
