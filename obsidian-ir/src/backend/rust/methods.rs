//! The methods of an entry's item: `run`, `run_into`, `prepare` and the options, and those of what `prepare` gives.
//!
//! In: the parameters of the program. Out: methods that pack their arguments and call the runtime.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::host::element_types;
use super::{arguments, local, ty};
use crate::program::{ParamKind, Program, ScalarType};

/// What the methods are made of.
pub(super) struct Methods<'a> {
    root: &'a TokenStream,
    device: Ident,
    /// Declarations of the inputs and scalars, `x: &Buffer<f32>, alpha: f32`.
    declared: Vec<TokenStream>,
    /// The same for `prepare`, with the length for an input.
    sizes: Vec<TokenStream>,
    /// Values for `plan`, from buffers, and from `sizes`.
    values: Vec<TokenStream>,
    size_values: Vec<TokenStream>,
    /// Arguments for `Plan::launch`.
    args: Vec<TokenStream>,
    /// Names and element types of the outputs.
    outs: Vec<Ident>,
    out_types: Vec<TokenStream>,
}

impl<'a> Methods<'a> {
    pub fn new(p: &Program, root: &'a TokenStream) -> Methods<'a> {
        let mut names = Names::default();
        let arguments: Vec<_> = arguments(p).map(|(_, param)| (names.fresh(&param.name), param)).collect();
        let mut m = Methods {
            root,
            device: names.fresh("dev"),
            declared: Vec::new(),
            sizes: Vec::new(),
            values: Vec::new(),
            size_values: Vec::new(),
            args: Vec::new(),
            outs: Vec::new(),
            out_types: Vec::new(),
        };
        for (name, param) in &arguments {
            match &param.kind {
                ParamKind::Scalar(t) => {
                    let t = host_ty(*t);
                    let bits = quote!(abi::ScalarArg::bits(#name));
                    m.declared.push(quote!(#name: #t));
                    m.sizes.push(quote!(#name: #t));
                    m.args.push(quote!(abi::Arg::Scalar(#bits)));
                    m.values.push(bits.clone());
                    m.size_values.push(bits);
                }
                ParamKind::Input { arrays, .. } | ParamKind::Output { arrays, .. } => {
                    let t = element(&element_types(p, arrays));
                    let len = names.fresh(&format!("{}_len", param.name.trim_start_matches("r#")));
                    m.declared.push(quote!(#name: &#root::Buffer<#t>));
                    m.sizes.push(quote!(#len: usize));
                    m.args.push(quote!(abi::Arg::Buffer(#root::Buffer::raw(#name))));
                    m.values.push(quote!(#root::Buffer::len(#name) as u64));
                    m.size_values.push(quote!(#len as u64));
                }
            }
        }
        for param in &p.params {
            if let ParamKind::Output { arrays, .. } = &param.kind {
                m.outs.push(names.fresh(&param.name));
                m.out_types.push(element(&element_types(p, arrays)));
            }
        }
        m
    }

    /// Methods of the entry's type.
    pub fn launching(&self, prepared: &Ident) -> TokenStream {
        let Methods { root, device, declared, sizes, values, size_values, .. } = self;
        let (result, out_params, allocate, launch, pack) =
            (self.result(), self.out_params(), self.allocate(), self.launch(), self.pack());
        quote! {
            /// Launches, into new buffers.
            ///
            /// # Errors
            /// A length or another condition of the launch does not hold, or the device refuses.
            pub fn run(&self, #device: &#root::Device, #(#declared),*)
                -> ::core::result::Result<#result, #root::Error> {
                let __plan = abi::plan(&INFO, &self.options, #device, &[#(#values),*])?;
                #allocate
                #launch
                ::core::result::Result::Ok(#pack)
            }

            /// Launches, into buffers of the caller's.
            ///
            /// # Errors
            /// A length or another condition of the launch does not hold, an output overlaps another buffer, or the
            /// device refuses.
            pub fn run_into(&self, #device: &#root::Device, #(#declared,)* #(#out_params),*)
                -> ::core::result::Result<(), #root::Error> {
                let __plan = abi::plan(&INFO, &self.options, #device, &[#(#values),*])?;
                #launch
                ::core::result::Result::Ok(())
            }

            /// Checks the lengths and loads the kernel once, for many launches.
            ///
            /// # Errors
            /// A length or another condition of the launch does not hold, or the device refuses.
            pub fn prepare(&self, #device: &#root::Device, #(#sizes),*)
                -> ::core::result::Result<#prepared, #root::Error> {
                let __plan = abi::plan(&INFO, &self.options, #device, &[#(#size_values),*])?;
                ::core::result::Result::Ok(#prepared { plan: __plan })
            }

            /// The same kernel in the variant of these parameters.
            #[must_use]
            pub fn with(&self, params: #root::Params) -> Self {
                let mut options = ::core::clone::Clone::clone(&self.options);
                options.params = ::core::option::Option::Some(params);
                Self { options }
            }

            /// The same kernel on so many real blocks.
            #[must_use]
            pub fn blocks(&self, blocks: u32) -> Self {
                let mut options = ::core::clone::Clone::clone(&self.options);
                options.blocks = ::core::option::Option::Some(blocks);
                Self { options }
            }

            /// The same kernel on this stream.
            #[must_use]
            pub fn on(&self, stream: &#root::Stream) -> Self {
                let mut options = ::core::clone::Clone::clone(&self.options);
                options.stream = ::core::option::Option::Some(::core::clone::Clone::clone(stream));
                Self { options }
            }
        }
    }

    /// Methods of the prepared launch.
    pub fn preparing(&self) -> TokenStream {
        let Methods { root, declared, .. } = self;
        let (result, out_params, allocate, launch, pack) =
            (self.result(), self.out_params(), self.allocate(), self.launch(), self.pack());
        quote! {
            /// New buffers for the outputs.
            ///
            /// # Errors
            /// The device is out of memory.
            pub fn outputs(&self) -> ::core::result::Result<#result, #root::Error> {
                let __plan = &self.plan;
                #allocate
                ::core::result::Result::Ok(#pack)
            }

            /// Launches. Lengths are those that were prepared; scalars may differ where the launch stays the same.
            ///
            /// # Errors
            /// A buffer is not what was prepared, an output overlaps another buffer, or the device refuses.
            pub fn run_into(&self, #(#declared,)* #(#out_params),*) -> ::core::result::Result<(), #root::Error> {
                let __plan = &self.plan;
                #launch
                ::core::result::Result::Ok(())
            }
        }
    }

    /// What `run` gives: a buffer, or a tuple of them.
    fn result(&self) -> TokenStream {
        let (root, types) = (self.root, &self.out_types);
        match &types[..] {
            [one] => quote!(#root::Buffer<#one>),
            _ => quote!((#(#root::Buffer<#types>),*)),
        }
    }

    fn out_params(&self) -> Vec<TokenStream> {
        let root = self.root;
        self.outs.iter().zip(&self.out_types).map(|(name, t)| quote!(#name: &mut #root::Buffer<#t>)).collect()
    }

    /// New outputs, under names that no parameter has, then borrowed under the names of `run_into`.
    fn allocate(&self) -> TokenStream {
        let (outs, types) = (&self.outs, &self.out_types);
        let owned = self.owned();
        let index = 0..outs.len();
        quote! {
            #(let mut #owned = abi::Plan::allocate::<#types>(&__plan, #index)?;)*
            #(let #outs = &mut #owned;)*
        }
    }

    fn owned(&self) -> Vec<Ident> {
        (0..self.outs.len() as u32).map(|i| local("out", i)).collect()
    }

    fn launch(&self) -> TokenStream {
        let (root, args, outs) = (self.root, &self.args, &self.outs);
        quote!(abi::Plan::launch(&__plan, &[#(#args),*], &mut [#(#root::Buffer::raw_mut(#outs)),*])?;)
    }

    fn pack(&self) -> TokenStream {
        let owned = self.owned();
        match &owned[..] {
            [one] => quote!(#one),
            _ => quote!((#(#owned),*)),
        }
    }
}

/// The element type of a buffer.
fn element(fields: &[ScalarType]) -> TokenStream {
    let types = fields.iter().map(|&t| host_ty(t));
    match fields {
        [one] => host_ty(*one),
        _ => quote!((#(#types),*)),
    }
}

/// The type of a value on the host.
fn host_ty(t: ScalarType) -> TokenStream {
    match t {
        ScalarType::F16 => quote!(abi::f16),
        ScalarType::BF16 => quote!(abi::bf16),
        _ => ty(t),
    }
}

/// Names of parameters, each given once: the user's own first.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    /// `wanted`, with `_` after it while it is taken. What is no identifier is called `arg`.
    fn fresh(&mut self, wanted: &str) -> Ident {
        let plain = wanted.trim_start_matches("r#");
        let valid = syn::parse_str::<Ident>(plain).is_ok() || syn::parse_str::<Ident>(&format!("r#{plain}")).is_ok();
        let mut name = if valid { plain.to_owned() } else { "arg".to_owned() };
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        if syn::parse_str::<Ident>(&name).is_ok() {
            Ident::new(&name, Span::call_site())
        } else {
            Ident::new_raw(&name, Span::call_site())
        }
    }
}
