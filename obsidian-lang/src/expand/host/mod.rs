//! The item of an entry: constants for the runtime, a type and a value of the entry's name, its methods.
//!
//! In: the variants' programs and texts. Out: a module of its own, so that no name of the user's is in scope in the
//! generated code (a parameter may bear the name of any kernel), a `use` that lifts the type out, and the value.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Visibility;

mod call;
mod cost;
mod info;
mod methods;
mod module;
#[cfg(test)]
mod tests;
mod types;

use crate::expand;
use crate::expand::texts::Text;
use crate::syntax::ast::{Generic, GenericKind};
use crate::types::HostType;
pub use info::guarded;
use info::info;
use methods::{Methods, Planned};
pub use module::HostModule;
use obsidian_abi::cost::Cost;
use obsidian_abi::{Language, ParamValue};
use obsidian_ir::backend::rust::{identifier, ty};
use obsidian_ir::passes::Native;
use obsidian_ir::program::Program;
use types::TypeParams;

/// An entry.
#[derive(Debug)]
pub struct HostEntry<'a, V = HostVariant<'a>> {
    /// Its name, with the user's span.
    pub ident: Ident,
    /// Its visibility, as written.
    pub vis: TokenStream,
    /// Its documentation and other attributes for the host; a `#[cfg]` among them covers everything generated.
    pub attrs: TokenStream,
    /// Its compiled forms. The first is the default; where there is none, nothing is generated.
    pub variants: Vec<V>,
    /// Its generics.
    pub generics: &'a [Generic],
    /// Which of the type generics the fields of each parameter and output are of; none where there is no entry.
    pub fields: &'a [HostType],
    /// What is wanted of the CPU's version.
    pub native: expand::CpuCode,
}

/// One compiled form of an entry.
#[derive(Debug)]
pub struct HostVariant<'a> {
    /// The program in native form.
    pub native: &'a Native,
    /// What the entry's generics stand for.
    pub values: &'a [(String, ParamValue)],
    /// The printed IR.
    pub ir: String,
    /// The report of costs.
    pub report: String,
    /// The same as data.
    pub cost: Cost,
    /// What it was printed to.
    pub texts: Vec<Text>,
}

/// What the generics of an entry stand for in a variant, and what the host sees of it: parameters, outputs, threads.
pub(crate) trait Seen {
    fn values(&self) -> &[(String, ParamValue)];
    fn host(&self) -> &Program;
    /// How many of its parameters there are for a caller; those after them are the host's own variables.
    fn declared(&self) -> usize;
}

impl Seen for HostVariant<'_> {
    fn values(&self) -> &[(String, ParamValue)] {
        self.values
    }

    fn host(&self) -> &Program {
        self.native
    }

    fn declared(&self) -> usize {
        self.native.params.len()
    }
}

impl Seen for HostModule<'_> {
    fn values(&self) -> &[(String, ParamValue)] {
        self.values
    }

    fn host(&self) -> &Program {
        &self.module.host
    }

    fn declared(&self) -> usize {
        self.module.declared
    }
}

/// The items of an entry. `root` is the absolute path of the runtime: `::obsidian::__private`.
pub fn entry(e: &HostEntry<'_>, root: &TokenStream) -> TokenStream {
    let Some(first) = e.variants.first() else { return TokenStream::new() };
    // The tables hold every text already: a text is most of what an expansion costs, so none is written twice.
    let [ptx, cuda, opencl] = [Language::Ptx, Language::CudaC, Language::OpenClC].map(|language| {
        let place = first.texts.iter().position(|text| text.language == language);
        place.map_or(quote!(""), |place| quote!(INFO.variants[0].texts[#place].source))
    });
    let own = quote! {
        /// The PTX of the first variant.
        pub const PTX: &'static str = #ptx;
        /// The CUDA C of the first variant.
        pub const CUDA: &'static str = #cuda;
        /// The OpenCL C of the first variant.
        pub const OPENCL: &'static str = #opencl;
        /// The program of the first variant, printed.
        pub const IR: &'static str = INFO.variants[0].ir;
        /// What the first variant costs on a GPU, as a table.
        pub const REPORT: &'static str = INFO.variants[0].report;

        /// The kernel: its name, its texts, its variants.
        pub fn kernel(&self) -> &'static #root::Kernel {
            static KERNEL: #root::Kernel = #root::Kernel::new(&INFO);
            &KERNEL
        }
    };
    items(
        e,
        root,
        &Expanded { info: info(e), own, target: quote!(Kernel), access: quote!(kernel), planned: Planned::Kernel },
    )
}

/// The items of an entry at `Device`.
pub fn module_entry(e: &HostEntry<'_, HostModule<'_>>, root: &TokenStream) -> TokenStream {
    let own = quote! {
        /// The steps and kernels of the first variant, printed.
        pub const IR: &'static str = INFO.variants[0].ir;
        /// What the first variant launches and keeps, and what each kernel costs on a GPU, as tables.
        pub const REPORT: &'static str = INFO.variants[0].report;

        /// The program of launches: its name, its kernels, its variants.
        pub fn module(&self) -> &'static #root::Module {
            static MODULE: #root::Module = #root::Module::new(&INFO);
            &MODULE
        }
    };
    let info = module::info(e);
    items(e, root, &Expanded { info, own, target: quote!(Module), access: quote!(module), planned: Planned::Module })
}

/// What an entry's items differ in.
struct Expanded {
    /// The tables.
    info: TokenStream,
    /// Constants and methods of the entry's type.
    own: TokenStream,
    /// The type that it derefs to, and the method that gives it.
    target: TokenStream,
    access: TokenStream,
    planned: Planned,
}

fn items<V: Seen>(e: &HostEntry<'_, V>, root: &TokenStream, expanded: &Expanded) -> TokenStream {
    let Some(first) = e.variants.first() else { return TokenStream::new() };
    let (ident, attrs, vis) = (&e.ident, &e.attrs, &e.vis);
    let module = format_ident!("__obsidian_{}", plain_name(ident));
    let prepared = Ident::new(&format!("{}Prepared", camel_case(&plain_name(ident))), ident.span());
    let inner_vis = from_inside(vis);
    let Expanded { info, own, target, access, planned } = expanded;
    let (choosing, choice) = choosing(e, root, &inner_vis);
    let types = TypeParams::new(e, root);
    let methods = Methods::new((first.host(), first.declared()), e.fields, &types, root, *planned);
    let (launching, preparing, plan) = (methods.launching(&prepared), methods.preparing(&prepared), planned.ty());
    let (combinations, generics, marker) = (types.combinations(e), types.generics(), types.tuple());
    let about = format!("A launch of `{}` whose checks are done.", plain_name(ident));
    let cfgs = cfgs(attrs);
    quote! {
        #cfgs
        #[doc(hidden)]
        #[allow(clippy::all, clippy::pedantic, clippy::undocumented_unsafe_blocks, unused, unreachable_pub,
            non_camel_case_types, non_upper_case_globals, non_snake_case)]
        mod #module {
            use #root::abi;

            #info

            // No name of the user's is bound in here: a parameter may be called like the kernel itself.
            #attrs
            #[derive(Debug, Clone)]
            #inner_vis struct Entry {
                options: #root::LaunchOptions,
            }

            impl Entry {
                /// The kernel with no option chosen.
                pub const PLAIN: Entry = Entry { options: #root::LaunchOptions::DEFAULT };
                #own

                #launching
            }

            impl ::core::ops::Deref for Entry {
                type Target = #root::#target;
                fn deref(&self) -> &#root::#target {
                    self.#access()
                }
            }

            #choosing
            #combinations

            #[doc = #about]
            #[derive(Debug)]
            #inner_vis struct #prepared #generics {
                plan: abi::#plan,
                types: ::core::marker::PhantomData<fn() -> #marker>,
            }

            #preparing
        }
        #cfgs
        #[allow(unused_imports, non_camel_case_types)]
        #vis use #module::{Entry as #ident, #prepared #choice};
        #attrs
        #[allow(dead_code, missing_docs, non_upper_case_globals)]
        #vis const #ident: #module::Entry = #module::Entry::PLAIN;
    }
}

/// The type that chooses a variant by the `const` generics, where there are any; and its name after a comma.
fn choosing<V: Seen>(e: &HostEntry<'_, V>, root: &TokenStream, vis: &TokenStream) -> (TokenStream, TokenStream) {
    let Some(first) = e.variants.first() else { return Default::default() };
    let consts = e.generics.iter().zip(first.values()).filter_map(|(g, (name, value))| match g.kind {
        GenericKind::Const(t) => Some((name, ty(t), *value)),
        _ => None,
    });
    let consts: Vec<_> = consts.collect();
    if consts.is_empty() {
        return Default::default();
    }
    let kernel = plain_name(&e.ident);
    let name = Ident::new(&format!("{}Params", camel_case(&kernel)), e.ident.span());
    let (mut fields, mut names, mut types) = (Vec::new(), Vec::new(), Vec::new());
    let (mut firsts, mut values) = (Vec::new(), Vec::new());
    for (name, t, value) in consts {
        let field = identifier(name);
        let (first, set) = match value {
            ParamValue::Bool(b) => (quote!(#b), quote!(#root::ParamValue::Bool(self.#field))),
            ParamValue::Int(n) => {
                let n = Literal::i128_unsuffixed(n);
                (quote!(#n), quote!(#root::ParamValue::Int(self.#field as i128)))
            }
            ParamValue::Type(_) => continue,
        };
        firsts.push(first);
        values.push(set);
        fields.push(field);
        names.push(name);
        types.push(t);
    }
    let (threads, about) =
        (first.host().threads, format!("Chooses a variant of `{kernel}`; the default is the first."));
    let docs = names.iter().map(|n| format!("`{n}` of the kernel."));
    // At the kernel's name, since rustc shows it to who passes the parameters of another kernel.
    let at = proc_macro2::Span::call_site().located_at(e.ident.span());
    let chooses = quote_spanned! {at=>
        impl #root::Chooses<Entry> for #name {
            fn choice(self) -> #root::Choice {
                #root::Choice::ANY.threads(self.threads) #(.value(#names, #values))*
            }
        }
    };
    let items = quote! {
        #[doc = #about]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #vis struct #name {
            /// Real threads per block.
            pub threads: u32,
            #(#[doc = #docs] pub #fields: #types,)*
        }

        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self { threads: #threads, #(#fields: #firsts),* }
            }
        }

        #chooses
    };
    (items, quote!(, #name))
}

/// The name without `r#`.
pub(super) fn plain_name(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").unwrap_or(&name).to_owned()
}

/// `scan_up` as `ScanUp`.
fn camel_case(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut chars = word.chars();
            chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
        })
        .collect()
}

/// The visibility that means the same one module further in.
fn from_inside(vis: &TokenStream) -> TokenStream {
    match syn::parse2::<Visibility>(vis.clone()) {
        Ok(Visibility::Public(_)) => quote!(pub),
        Ok(Visibility::Restricted(r)) => {
            let path = &r.path;
            match path.segments.first().map(|s| s.ident.to_string()).as_deref() {
                Some("self") => quote!(pub(super)),
                Some("super") => quote!(pub(in super::#path)),
                _ => vis.clone(),
            }
        }
        _ => quote!(pub(super)),
    }
}

/// The `#[cfg]`s among attributes: the module and the `use` need them too.
fn cfgs(attrs: &TokenStream) -> TokenStream {
    use syn::parse::Parser;
    let parsed = syn::Attribute::parse_outer.parse2(attrs.clone()).unwrap_or_default();
    parsed.iter().filter(|a| a.path().is_ident("cfg")).map(|a| quote!(#a)).collect()
}
