//! The methods of an entry's item: `run`, `run_into`, `prepare` and the options, and those of what `prepare` gives.
//!
//! In: the parameters of the program. Out: methods that pack their arguments and call the runtime.

mod collect;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::call::{Around, Call};
use super::types::TypeParams;
use obsidian_ir::backend::rust::{local, ty};
use obsidian_ir::program::ScalarType;

/// What a launch of an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Planned {
    /// Of one kernel.
    Kernel,
    /// Of several.
    Module,
}

impl Planned {
    /// The type of a launch whose checks are done.
    pub fn ty(self) -> TokenStream {
        match self {
            Planned::Kernel => quote!(Plan),
            Planned::Module => quote!(ModulePlan),
        }
    }

    /// The function that makes one.
    fn function(self) -> TokenStream {
        match self {
            Planned::Kernel => quote!(plan),
            Planned::Module => quote!(plan_module),
        }
    }
}

/// What the methods are made of.
pub(super) struct Methods<'a> {
    root: &'a TokenStream,
    types: &'a TypeParams,
    planned: Planned,
    /// Element types of the buffers.
    elements: Vec<TokenStream>,
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
    /// Of a launch on several devices: declarations, `x: &[f32], alpha: f32`; values for `plan`; names of the inputs.
    slices: Vec<TokenStream>,
    slice_values: Vec<TokenStream>,
    inputs: Vec<Ident>,
    /// The method `call`.
    call: Call,
    /// Whether it updates buffers.
    updates: bool,
    /// Names and element types of the outputs.
    outs: Vec<Ident>,
    out_types: Vec<TokenStream>,
    /// What the host receives of each, and whether it passes a matrix.
    received: Vec<Received>,
    takes_matrix: bool,
}

/// What an output is for the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Received {
    Buffer,
    Matrix,
}

impl Methods<'_> {
    /// Methods of the entry's type.
    pub fn launching(&self, prepared: &Ident) -> TokenStream {
        let Methods { root, device, declared, sizes, values, size_values, .. } = self;
        let (result, out_params, allocate, launch, pack) =
            (self.result(), self.out_params(), self.allocate(), self.launch(), self.pack());
        let (generics, bounds, options) =
            (self.types.generics(), self.types.bounds(&self.elements), self.types.options());
        let plan = self.planned.function();
        let matrices = self.takes_matrix || self.received.contains(&Received::Matrix);
        let call = self.call();
        let several = if self.updates || matrices || self.planned == Planned::Module {
            TokenStream::new()
        } else {
            self.on_several_devices()
        };
        quote! {
            /// Launches, into new buffers.
            ///
            /// # Errors
            /// A length or another condition of the launch does not hold, or the device refuses.
            pub fn run #generics (&self, #device: &#root::Device, #(#declared),*)
                -> ::core::result::Result<#result, #root::Error> #bounds {
                let __plan = abi::#plan(&INFO, #options, #device, &[#(#values),*])?;
                #allocate
                #launch
                ::core::result::Result::Ok(#pack)
            }

            /// Launches, into buffers of the caller's.
            ///
            /// # Errors
            /// A length or another condition of the launch does not hold, an output overlaps another buffer, or the
            /// device refuses.
            pub fn run_into #generics (&self, #device: &#root::Device, #(#declared,)* #(#out_params),*)
                -> ::core::result::Result<(), #root::Error> #bounds {
                let __plan = abi::#plan(&INFO, #options, #device, &[#(#values),*])?;
                #launch
                ::core::result::Result::Ok(())
            }

            /// Checks the lengths and loads the kernel once, for many launches.
            ///
            /// # Errors
            /// A length or another condition of the launch does not hold, or the device refuses.
            pub fn prepare #generics (&self, #device: &#root::Device, #(#sizes),*)
                -> ::core::result::Result<#prepared #generics, #root::Error> #bounds {
                let __plan = abi::#plan(&INFO, #options, #device, &[#(#size_values),*])?;
                ::core::result::Result::Ok(#prepared { plan: __plan, types: ::core::marker::PhantomData })
            }

            #call

            #several

            /// The same kernel in the first variant that has these parameters.
            #[must_use]
            pub fn with(&self, params: impl #root::Chooses<Entry>) -> Self {
                let mut options = ::core::clone::Clone::clone(&self.options);
                options.choice = #root::Chooses::<Entry>::choice(params);
                Self { options }
            }

            /// The same kernel on this number of real blocks.
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

    /// `call`: arguments and results where they are.
    fn call(&self) -> TokenStream {
        let results = self.owned().into_iter().zip(self.received.iter().zip(&self.out_types));
        let results = results.map(|(name, (received, t))| match received {
            Received::Buffer => (name, quote!(array), quote!(Array<#t>)),
            Received::Matrix => (name, quote!(table), quote!(Table<#t>)),
        });
        let (bounds, options) = (self.types.bounds(&self.elements), self.types.options());
        let around = Around { root: self.root, types: self.types.names(), bounds, options, device: &self.device };
        self.call.method(&around, &results.collect::<Vec<_>>())
    }

    /// `run_on`: each device gets all inputs and does a part of the blocks; the host joins what they have written.
    fn on_several_devices(&self) -> TokenStream {
        let Methods { root, device, slices, slice_values, inputs, outs, out_types, args, .. } = self;
        let (generics, bounds, options) =
            (self.types.generics(), self.types.bounds(&self.elements), self.types.options());
        let (owned, index) = (self.owned(), 0..outs.len());
        let (places, pack) = (index.clone().map(syn::Index::from), self.pack());
        let result = match &out_types[..] {
            [one] => quote!(abi::std::vec::Vec<#one>),
            types => quote!((#(abi::std::vec::Vec<#types>),*)),
        };
        let gathered = index.clone();
        quote! {
            /// Launches on several devices, which take their shares of the blocks: values in, values out. Every device
            /// gets all inputs.
            ///
            /// # Errors
            /// As of `run`, the error of a device with its name; or a block's part of an output is not known.
            pub fn run_on #generics (&self, #device: impl ::core::convert::AsRef<[#root::Share]>, #(#slices),*)
                -> ::core::result::Result<#result, #root::Error> #bounds {
                let __shares = ::core::convert::AsRef::as_ref(&#device);
                let __split = abi::Split::new(&INFO, #options, __shares, &[#(#slice_values),*])?;
                let __parts = abi::Split::run(&__split, |__part| {
                    #(let #inputs = &abi::Part::upload(__part, #inputs)?;)*
                    #(let mut #owned = abi::Part::allocate::<#out_types>(__part, #index)?;)*
                    abi::Part::launch(__part, &mut [#(#args),*], &mut [#(#root::Buffer::raw_mut(&mut #owned)),*])?;
                    ::core::result::Result::Ok((#(abi::Part::gather(__part, #gathered, &#owned)?,)*))
                })?;
                #(let mut #owned: abi::std::vec::Vec<#out_types> = abi::std::vec::Vec::new();)*
                for __part in __parts {
                    #(#owned.extend(__part.#places);)*
                }
                ::core::result::Result::Ok(#pack)
            }
        }
    }

    /// Methods of the prepared launch.
    pub fn preparing(&self, prepared: &Ident) -> TokenStream {
        let Methods { root, declared, .. } = self;
        let (result, out_params, allocate, launch, pack) =
            (self.result(), self.out_params(), self.allocate(), self.launch(), self.pack());
        let (generics, bounds) = (self.types.generics(), self.types.bounds(&self.elements));
        quote! {
            impl #generics #prepared #generics #bounds {
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
    }

    /// What `run` gives: a buffer or a matrix, or a tuple of them.
    fn result(&self) -> TokenStream {
        let types = self.received_types();
        match &types[..] {
            [one] => one.clone(),
            _ => quote!((#(#types),*)),
        }
    }

    fn received_types(&self) -> Vec<TokenStream> {
        let root = self.root;
        let each = self.received.iter().zip(&self.out_types).map(|(received, t)| match received {
            Received::Buffer => quote!(#root::Buffer<#t>),
            Received::Matrix => quote!(#root::Matrix<#t>),
        });
        each.collect()
    }

    fn out_params(&self) -> Vec<TokenStream> {
        let types = self.received_types();
        self.outs.iter().zip(types).map(|(name, t)| quote!(#name: &mut #t)).collect()
    }

    /// New outputs, under names that no parameter has, then borrowed under the names of `run_into`.
    fn allocate(&self) -> TokenStream {
        let (root, outs, types, plan) = (self.root, &self.outs, &self.out_types, self.planned.ty());
        let owned = self.owned();
        let made = self.received.iter().zip(types).enumerate().map(|(index, (received, t))| match received {
            Received::Buffer => quote!(abi::#plan::allocate::<#t>(&__plan, #index)?),
            Received::Matrix => quote!({
                let (__rows, __cols) = abi::#plan::shape(&__plan, #index);
                #root::Matrix::new(abi::#plan::allocate::<#t>(&__plan, #index)?, __rows as usize, __cols as usize)?
            }),
        });
        quote! {
            #(let mut #owned = #made;)*
            #(let #outs = &mut #owned;)*
        }
    }

    fn owned(&self) -> Vec<Ident> {
        (0..self.outs.len() as u32).map(|i| local("out", i)).collect()
    }

    fn launch(&self) -> TokenStream {
        let (root, args, plan) = (self.root, &self.args, self.planned.ty());
        let outs = self.received.iter().zip(&self.outs).enumerate().map(|(index, (received, out))| match received {
            Received::Buffer => quote!(#out),
            Received::Matrix => quote!(#root::Matrix::buffer_mut(#out, abi::#plan::shape(&__plan, #index))?),
        });
        quote!(abi::#plan::launch(&__plan, &mut [#(#args),*], &mut [#(#root::Buffer::raw_mut(#outs)),*])?;)
    }

    fn pack(&self) -> TokenStream {
        let owned = self.owned();
        match &owned[..] {
            [one] => quote!(#one),
            _ => quote!((#(#owned),*)),
        }
    }
}

/// The type of a value on the host.
pub(super) fn host_ty(t: ScalarType) -> TokenStream {
    match t {
        ScalarType::F16 => quote!(abi::f16),
        ScalarType::BF16 => quote!(abi::bf16),
        _ => ty(t),
    }
}
