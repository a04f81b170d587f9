//! The type generics of an entry on the host's side: the methods are generic in them, and a trait that only the
//! combinations of the variants have turns them into a choice of variant.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::info::dtype;
use super::methods::host_ty;
use super::{HostEntry, Seen, plain_name};
use crate::syntax::ast::GenericKind;
use crate::types::HostType;
use obsidian_abi::ParamValue;
use obsidian_ir::backend::rust::identifier;
use obsidian_ir::program::{ElementShape, ScalarType};

/// The type generics of an entry; there may be none.
pub(super) struct TypeParams {
    names: Vec<Ident>,
    root: TokenStream,
}

impl TypeParams {
    pub fn new<V>(e: &HostEntry<'_, V>, root: &TokenStream) -> TypeParams {
        let types = e.generics.iter().filter(|g| matches!(g.kind, GenericKind::Type(_)));
        TypeParams { names: types.map(|g| identifier(&g.name.text)).collect(), root: root.clone() }
    }

    /// `T` and `U`.
    pub fn names(&self) -> &[Ident] {
        &self.names
    }

    /// `<T, U>`, or nothing.
    pub fn generics(&self) -> TokenStream {
        let names = &self.names;
        if names.is_empty() { TokenStream::new() } else { quote!(<#(#names),*>) }
    }

    /// `(T, U,)`.
    pub fn tuple(&self) -> TokenStream {
        let names = &self.names;
        quote!((#(#names,)*))
    }

    /// What the methods demand of the types: a variant has them, and each of `elements` can lie in a buffer.
    pub fn bounds(&self, elements: &[TokenStream]) -> TokenStream {
        if self.names.is_empty() {
            return TokenStream::new();
        }
        let (names, tuple, root) = (&self.names, self.tuple(), &self.root);
        quote! {
            where
                #tuple: Combination,
                #(#names: abi::ScalarArg + #root::Element,)*
                #(#elements: #root::Element,)*
        }
    }

    /// The options with which to plan.
    pub fn options(&self) -> TokenStream {
        if self.names.is_empty() {
            return quote!(&self.options);
        }
        let (tuple, root) = (self.tuple(), &self.root);
        quote!(&#root::LaunchOptions::of_types(&self.options, <#tuple as Combination>::TYPES))
    }

    /// The Rust type of a buffer's elements, or of a scalar.
    pub fn element(&self, fields: &[ScalarType], host: &HostType, shape: ElementShape) -> TokenStream {
        if let Some(name) = &host.structure {
            // The items of an entry stand in a module beside the structure.
            let name = Ident::new(name, Span::call_site());
            return quote!(super::#name);
        }
        let types = fields.iter().enumerate().map(|(i, &t)| {
            let name = host.generics.get(i).copied().flatten().and_then(|g| self.names.get(g));
            name.map_or_else(|| host_ty(t), |name| quote!(#name))
        });
        let types: Vec<TokenStream> = types.collect();
        match (shape, &types[..]) {
            (ElementShape::Scalar, _) => quote!(#(#types)*),
            (ElementShape::Tuple, [one]) => quote!((#one,)),
            (ElementShape::Tuple, _) => quote!((#(#types),*)),
        }
    }

    /// The trait of the combinations that have a variant, and its implementations.
    pub fn combinations<V: Seen>(&self, e: &HostEntry<'_, V>) -> TokenStream {
        if self.names.is_empty() {
            return TokenStream::new();
        }
        let mut all: Vec<Vec<(&str, ScalarType)>> = Vec::new();
        for v in &e.variants {
            let types = v.values().iter().filter_map(|(name, value)| match value {
                ParamValue::Type(t) => Some((name.as_str(), *t)),
                _ => None,
            });
            let types: Vec<_> = types.collect();
            if !all.contains(&types) {
                all.push(types);
            }
        }
        let shown: Vec<String> = all
            .iter()
            .map(|c| c.iter().map(|(name, t)| format!("{name} = {}", t.name())).collect::<Vec<_>>().join(", "))
            .collect();
        let message = format!("`{}` has no variant for these element types", plain_name(&e.ident));
        let note = format!("there are: {}", shown.join("; "));
        let impls = all.iter().map(|c| {
            let (types, dtypes) = (c.iter().map(|(_, t)| host_ty(*t)), c.iter().map(|(_, t)| dtype(*t)));
            quote! {
                // The note says what there is; rustc's list would show the whole macro call.
                #[diagnostic::do_not_recommend]
                impl Combination for (#(#types,)*) {
                    const TYPES: &'static [abi::ScalarType] = &[#(#dtypes),*];
                }
            }
        });
        quote! {
            /// Element types that have a variant.
            #[diagnostic::on_unimplemented(message = #message, note = #note)]
            pub trait Combination {
                /// The same, for the search.
                const TYPES: &'static [abi::ScalarType];
            }
            #(#impls)*
        }
    }
}
