//! A kernel function's signature as Rust's: the same words, over the types of `obsidian::library::types`, and such that no
//! host code can call it.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::TYPES;
use crate::linking::words;
use obsidian_ir::program::ScalarType;

/// A signature for rustdoc.
#[derive(Debug)]
pub struct Rendered {
    /// `fn name<..>(..) -> ..`, without a body.
    pub tokens: TokenStream,
    /// A `where` clause that keeps host code from calling it; empty if host code could not anyway.
    pub guard: TokenStream,
    /// Whether it says exactly what the author wrote.
    pub fidelity: Fidelity,
}

/// Whether Rust can say a signature of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fidelity {
    /// Word for word.
    Exact,
    /// With other words in some place: the documentation should show the original.
    Changed,
    /// Not at all: only the name is left, and the documentation should show the original.
    Lost,
}

/// A signature as Rust's. Only the name is left if it contains a type that `obsidian::library::types` does not have.
pub fn render(written: &syn::Signature) -> Rendered {
    rewritten(written).unwrap_or_else(|| {
        let name = &written.ident;
        Rendered { tokens: quote!(fn #name()), guard: guard(), fidelity: Fidelity::Lost }
    })
}

fn rewritten(written: &syn::Signature) -> Option<Rendered> {
    let mut sig = written.clone();
    let generics = generics(&sig)?;
    sig.generics.where_clause = None;
    for input in &mut sig.inputs {
        let syn::FnArg::Typed(p) = input else { return None };
        match &mut *p.ty {
            // `impl Fn` may stand here, and nowhere inside.
            syn::Type::ImplTrait(t) => {
                let Some(syn::TypeParamBound::Trait(bound)) = t.bounds.first_mut() else { return None };
                let (inputs, output) = function(bound)?;
                inputs.iter_mut().try_for_each(|a| ty(a, &generics))?;
                result(output, &generics)?;
            }
            other => ty(other, &generics)?,
        }
    }
    result(&mut sig.output, &generics)?;
    let fidelity = if sig.to_token_stream().to_string() == written.to_token_stream().to_string() {
        Fidelity::Exact
    } else {
        Fidelity::Changed
    };
    let guard = if guarded(&sig) { TokenStream::new() } else { guard() };
    Some(Rendered { tokens: quote!(#sig), guard, fidelity })
}

/// A bound that never holds. The lifetime keeps rustc from testing it where it stands.
fn guard() -> TokenStream {
    quote!(where for<'host> Host: OnlyInKernels)
}

/// The generic parameters by kind.
struct Generics {
    types: HashSet<String>,
    lengths: HashSet<String>,
}

fn generics(sig: &syn::Signature) -> Option<Generics> {
    let mut all = Generics { types: HashSet::new(), lengths: HashSet::new() };
    for g in &sig.generics.params {
        match g {
            syn::GenericParam::Type(t) if t.default.is_none() => {
                let known = |b: &syn::TypeParamBound| match b {
                    syn::TypeParamBound::Trait(b) => b.path.segments.iter().all(|s| TYPES.iter().any(|k| s.ident == k)),
                    _ => false,
                };
                if !t.bounds.iter().all(known) {
                    return None;
                }
                all.types.insert(t.ident.to_string());
            }
            syn::GenericParam::Const(c) if c.default.is_none() => {
                all.lengths.insert(c.ident.to_string());
            }
            _ => return None,
        }
    }
    Some(all)
}

fn result(output: &mut syn::ReturnType, generics: &Generics) -> Option<()> {
    match output {
        syn::ReturnType::Default => Some(()),
        syn::ReturnType::Type(_, t) => ty(t, generics),
    }
}

type Inputs = syn::punctuated::Punctuated<syn::Type, syn::Token![,]>;

fn function(bound: &mut syn::TraitBound) -> Option<(&mut Inputs, &mut syn::ReturnType)> {
    match &mut bound.path.segments.last_mut()?.arguments {
        syn::PathArguments::Parenthesized(p) => Some((&mut p.inputs, &mut p.output)),
        _ => None,
    }
}

/// Rewrites a type that is no parameter's `impl Fn`.
fn ty(t: &mut syn::Type, generics: &Generics) -> Option<()> {
    match t {
        syn::Type::Tuple(tuple) => tuple.elems.iter_mut().try_for_each(|t| ty(t, generics)),
        syn::Type::Paren(p) => ty(&mut p.elem, generics),
        syn::Type::Group(g) => ty(&mut g.elem, generics),
        syn::Type::ImplTrait(i) => {
            let Some(syn::TypeParamBound::Trait(bound)) = i.bounds.first_mut() else { return None };
            let (inputs, output) = function(bound)?;
            inputs.iter_mut().try_for_each(|a| ty(a, generics))?;
            result(output, generics)?;
            *t = syn::parse2(quote!(fn(#inputs) #output)).ok()?;
            Some(())
        }
        syn::Type::Path(p) if p.qself.is_none() => {
            let segment = p.path.segments.last_mut()?;
            let name = segment.ident.to_string();
            let known = generics.types.contains(&name)
                || TYPES.contains(&name.as_str())
                || ScalarType::from_name(&name).is_some();
            match &mut segment.arguments {
                _ if !known => None,
                // Made by `length`.
                _ if name == "Len" => Some(()),
                syn::PathArguments::None => Some(()),
                syn::PathArguments::AngleBracketed(a) => {
                    a.args = std::mem::take(&mut a.args).into_iter().filter_map(|a| length(a, generics)).collect();
                    a.args.iter_mut().try_for_each(|a| match a {
                        syn::GenericArgument::Type(t) => ty(t, generics),
                        _ => None,
                    })
                }
                syn::PathArguments::Parenthesized(_) => None,
            }
        }
        _ => None,
    }
}

/// `512` and `N` as types. A computed length is dropped: Rust has no types for it.
fn length(arg: syn::GenericArgument, generics: &Generics) -> Option<syn::GenericArgument> {
    let as_type = |n: &dyn ToTokens| syn::parse2(quote!(Len<#n>)).ok().map(syn::GenericArgument::Type);
    match &arg {
        syn::GenericArgument::Const(syn::Expr::Lit(n)) => as_type(n),
        syn::GenericArgument::Const(_) => None,
        syn::GenericArgument::Type(syn::Type::Path(p))
            if p.path.get_ident().is_some_and(|i| generics.lengths.contains(&i.to_string())) =>
        {
            as_type(p)
        }
        _ => Some(arg),
    }
}

/// Whether host code cannot call it anyway: a bound that no type meets, or an argument that cannot be made.
fn guarded(sig: &syn::Signature) -> bool {
    let bounded = |g: &syn::GenericParam| matches!(g, syn::GenericParam::Type(t) if !t.bounds.is_empty());
    let mut named = HashSet::new();
    for input in &sig.inputs {
        if let syn::FnArg::Typed(p) = input
            && !matches!(*p.ty, syn::Type::ImplTrait(_))
        {
            words(p.ty.to_token_stream(), &mut named);
        }
    }
    let unmakable = ["Pull", "DPull", "BPull", "Push", "DPush", "DMat", "PushMat", "Program", "Mut", "DMut"];
    unmakable.iter().any(|t| named.contains(*t)) || sig.generics.params.iter().any(bounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (String, Fidelity) {
        let r = render(&syn::parse_str(text).unwrap());
        (format!("{}{}", r.tokens, r.guard).replace(' ', ""), r.fidelity)
    }

    #[test]
    fn an_ordinary_signature_stays() {
        let text = "fn map<A, B, S: Size>(xs: Pull<A, S>, f: impl Fn(A) -> B) -> Pull<B, S>";
        assert_eq!(shown(text), (text.replace(' ', ""), Fidelity::Exact));
    }

    #[test]
    fn lengths_become_types_and_inner_functions_pointers() {
        let (text, fidelity) =
            shown("fn f<const N: u32>(xs: Pull<i32, N>, g: impl Fn(impl Fn(i32) -> i32) -> Pull<i32, 4>)");
        assert_eq!(text, "fnf<constN:u32>(xs:Pull<i32,Len<N>>,g:implFn(fn(i32)->i32)->Pull<i32,Len<4>>)");
        assert_eq!(fidelity, Fidelity::Changed);
    }

    #[test]
    fn what_the_host_could_call_is_guarded() {
        assert!(shown("fn singleton<T>(x: T) -> Pull<T>").0.ends_with("wherefor<'host>Host:OnlyInKernels"));
        assert!(!shown("fn min<T: Num>(a: T, b: T) -> T").0.contains("where"));
    }

    #[test]
    fn what_rust_cannot_say_keeps_its_name() {
        for text in ["fn f(x: Vec<u8>)", "fn f<T: Clone>(x: T)", "fn f<'a>(x: Pull<i32>)"] {
            assert_eq!(shown(text), ("fnf()wherefor<'host>Host:OnlyInKernels".into(), Fidelity::Lost));
        }
    }
}
