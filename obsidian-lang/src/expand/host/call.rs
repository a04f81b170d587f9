//! The method `call` of an entry: arguments where they are, on the host or on a device, results there too. In: the parameters, one after
//! another; out: a method that brings the arguments to one device and calls `run`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The method, as far as the parameters have been added.
#[derive(Default)]
pub(super) struct Call {
    declared: Vec<TokenStream>,
    /// The device of each array.
    devices: Vec<TokenStream>,
    /// Statements that bring the arrays to the device, under their own names.
    placed: Vec<TokenStream>,
    /// Arguments of `run`.
    passed: Vec<TokenStream>,
    /// Statements that bring updated arrays back.
    back: Vec<TokenStream>,
}

/// What `run` takes for an array.
pub(super) enum Array {
    Read,
    Updated,
}

/// What is around the method.
pub(super) struct Around<'a> {
    pub root: &'a TokenStream,
    /// The types of the entry, `T, U`, their bounds, and the options of the launch.
    pub types: &'a [Ident],
    pub bounds: TokenStream,
    pub options: TokenStream,
    /// The name of the device, which no parameter has.
    pub device: &'a Ident,
}

impl Call {
    /// The next parameter, of a scalar type.
    pub fn scalar(&mut self, name: &Ident, ty: &TokenStream) {
        self.declared.push(quote!(#name: #ty));
        self.passed.push(quote!(#name));
    }

    /// The next parameter, of this type where `run` takes it: a buffer or a matrix.
    pub fn array(&mut self, (name, device): (&Ident, &Ident), ty: &TokenStream, array: &Array) {
        let (path, mutable) = match array {
            Array::Read => (quote!(abi::Input), TokenStream::new()),
            Array::Updated => (quote!(abi::Update), quote!(mut)),
        };
        self.declared.push(quote!(#mutable #name: impl #path<#ty, Side = __Side>));
        self.devices.push(quote!(#path::<#ty>::device(&#name)));
        self.placed.push(quote!(let #mutable #name = #path::<#ty>::on(&#mutable #name, &#device)?;));
        self.passed.push(quote!(&#mutable #name));
        if let Array::Updated = array {
            self.back.push(quote!(abi::OnMut::back(#name)?;));
        }
    }

    /// The method. Each result is of a name, a function of [`abi::Side`] that brings it back, and the type that this gives.
    pub fn method(&self, around: &Around<'_>, results: &[(Ident, TokenStream, TokenStream)]) -> TokenStream {
        let Call { declared, devices, placed, passed, back } = self;
        let Around { root, types, bounds, options, device } = around;
        // Without an argument that is somewhere, results come to the host.
        let (side, generic) =
            if devices.is_empty() { (quote!(abi::Values), None) } else { (quote!(__Side), Some(quote!(__Side))) };
        let generics = types.iter().map(|name| quote!(#name)).chain(generic);
        let generics: Vec<TokenStream> = generics.collect();
        let of_side = (!devices.is_empty())
            .then(|| if bounds.is_empty() { quote!(where __Side: abi::Side) } else { quote!(__Side: abi::Side) });
        let tuple = |each: Vec<TokenStream>| match &each[..] {
            [one] => one.clone(),
            _ => quote!((#(#each),*)),
        };
        let found = tuple(results.iter().map(|(name, ..)| quote!(#name)).collect());
        let ty = tuple(results.iter().map(|(_, _, ty)| quote!(<#side as abi::Side>::#ty)).collect());
        let value =
            tuple(results.iter().map(|(name, function, _)| quote!(<#side as abi::Side>::#function(#name)?)).collect());
        quote! {
            /// Launches by values: slices give vectors, on `Device::shared`; buffers give buffers, on their device.
            ///
            /// # Errors
            /// As of `run`; an argument does not get to the device, or a result back.
            pub fn call<#(#generics),*>(&self, #(#declared),*) -> ::core::result::Result<#ty, #root::Error> #bounds #of_side {
                let #device = abi::device_of(#options, &[#(#devices),*])?;
                #(#placed)*
                let #found = self.run::<#(#types),*>(&#device, #(#passed),*)?;
                #(#back)*
                ::core::result::Result::Ok(#value)
            }
        }
    }
}
