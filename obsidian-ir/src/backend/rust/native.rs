//! The CPU version of a program: a function that runs a range of virtual blocks.
//!
//! In: native form. Out: `unsafe fn native(args: &abi::NativeArgs<'_>, blocks: Range<u32>)`, to be put where `abi` is in
//! scope. Each loop of the grid is a function of its own, whose inputs are `&[T]`: so LLVM knows that a store to an
//! output changes no input. Outputs and updated buffers are pointers, because other threads write other parts of them at the same time.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::expr::Printer;
use super::forward;
use super::marks::Marked;
use super::prefetch::Streams;
use super::stmt::heap_arrays;
use super::tables;
use super::{array_name, count_up, len_name, params, scalar_name, stored, ty};
use crate::diag::Span;
use crate::passes::Native;
use crate::program::{ParamKind, Program, ScalarType, StmtKind};

/// The CPU version of `p`, as a function `native`.
pub fn native(p: &Native) -> TokenStream {
    printed(p, None).0
}

/// A function of that name and type, of whatever program, for a build that makes no code, and of a kernel that no CPU launches.
pub fn native_declared() -> TokenStream {
    let body = quote! { ::core::unreachable!("this has no code for CPUs, and none launches it") };
    function(&body)
}

/// The same with marks between the statements.
pub fn native_marked(p: &Native) -> Marked {
    let (tokens, places) = printed(p, Some(Vec::new()));
    Marked { tokens, places: places.unwrap_or_default() }
}

/// By mark, where these are wanted: what it stands for.
type Marks = Option<Vec<Vec<Span>>>;

fn printed(p: &Native, marks: Marks) -> (TokenStream, Marks) {
    let read = forward::take(p);
    let p: &Program = read.as_ref().unwrap_or(p);
    let tabled = tables::take(p);
    let p: &Program = tabled.as_ref().map_or(p, |tabled| &tabled.program);
    let fills = tabled.as_ref().map_or(&[][..], |tabled| &tabled.fills);
    let bindings = Bindings::of(p);
    let (unpack, names, types) = (&bindings.unpack, &bindings.names, &bindings.types);
    let mut printer = Printer::new(p);
    printer.marks = marks;
    let heap = heap_arrays(p);
    let mut functions = TokenStream::new();
    let mut calls = TokenStream::new();
    let mut lanes = false;
    for (i, stmt) in p.body.iter().enumerate() {
        // At the grid there are only loops over blocks.
        let StmtKind::DistrPar { var, n, body, .. } = &stmt.kind else { continue };
        let function = format_ident!("__grid{i}");
        printer.in_lanes = false;
        let n = printer.wide(*n);
        printer.streams = Streams::of(p, *var, body);
        let (block, code) = printer.grid_body(*var, body);
        let (begin, finish) = printer.around_parts();
        if printer.streams.is_empty() && !begin.is_empty() {
            printer.streams = Streams::beside_parts(p, *var, body);
        }
        let fetch = printer.streams.fetch(&block);
        let mut fill = TokenStream::new();
        for (_, list) in fills.iter().filter(|(at, _)| *at == i) {
            fill.extend(printer.block(list));
        }
        let code = quote!(#fetch #code);
        let blocks = count_up(&block, quote!(__blocks.start), quote!(::core::cmp::min(__blocks.end, #n)), code);
        let args = quote!(__blocks: ::core::ops::Range<usize>, #(#names: #types),*);
        let body = quote! {
            unsafe {
                #heap
                #fill
                #begin
                #blocks
                #finish
            }
        };
        let threads = if printer.in_lanes { Threads::InLanes } else { Threads::OneByOne };
        functions.extend(clones(&function, &args, names, &body, threads));
        lanes |= printer.in_lanes;
        calls.extend(call(&function, names, threads));
    }
    let lanes = lanes.then(|| {
        quote!(
            use abi::lanes::Lanes as _;
        )
    });
    let body = quote! {
        #lanes
        #functions
        unsafe {
            #unpack
            #calls
        }
    };
    (function(&body), printer.marks)
}

fn function(body: &TokenStream) -> TokenStream {
    quote! {
        unsafe fn native(__args: &abi::NativeArgs<'_>, __blocks: ::core::ops::Range<u32>) {
            #body
        }
    }
}

/// How the threads of a loop over blocks run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Threads {
    OneByOne,
    /// At least in one phase, where the machine has vectors.
    InLanes,
}

/// A loop over blocks as a function, and the same code for wider vectors, with the features that `abi::lanes::cpu` asks for.
/// `mul_add` becomes an instruction; nothing else is contracted, so the results are the same bits. AVX-512 is for code in lanes:
/// LLVM alone makes little of it.
fn clones(function: &Ident, args: &TokenStream, names: &[Ident], body: &TokenStream, threads: Threads) -> TokenStream {
    let avx2 = format_ident!("{function}_avx2");
    if threads == Threads::OneByOne {
        return quote! {
            #[inline(always)]
            unsafe fn #function(#args) { #body }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn #avx2(#args) {
                unsafe { #function(__blocks, #(#names),*) }
            }
        };
    }
    let avx512 = format_ident!("{function}_avx512");
    quote! {
        #[inline(always)]
        unsafe fn #function<__L: abi::lanes::Lanes>(#args) { #body }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn #avx2(#args) {
            unsafe { #function::<abi::lanes::Avx2>(__blocks, #(#names),*) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
        unsafe fn #avx512(#args) {
            unsafe { #function::<abi::lanes::Avx512>(__blocks, #(#names),*) }
        }
    }
}

/// The call of the clone for this machine.
fn call(function: &Ident, names: &[Ident], threads: Threads) -> TokenStream {
    let avx2 = format_ident!("{function}_avx2");
    let (plain, avx512) = if threads == Threads::InLanes {
        (quote!(#function::<abi::lanes::Portable>), format_ident!("{function}_avx512"))
    } else {
        (quote!(#function), avx2.clone())
    };
    quote! {
        let __range = __blocks.start as usize..__blocks.end as usize;
        #[cfg(target_arch = "x86_64")]
        match abi::lanes::cpu() {
            abi::lanes::Unit::Avx512 => #avx512(__range, #(#names),*),
            abi::lanes::Unit::Avx2 => #avx2(__range, #(#names),*),
            abi::lanes::Unit::Scalar => #plain(__range, #(#names),*),
        }
        #[cfg(not(target_arch = "x86_64"))]
        #plain(__range, #(#names),*);
    }
}

/// The arguments as locals: slices of inputs, pointers of outputs, lengths, scalars.
#[derive(Default)]
struct Bindings {
    unpack: TokenStream,
    names: Vec<proc_macro2::Ident>,
    types: Vec<TokenStream>,
}

impl Bindings {
    fn of(p: &Program) -> Bindings {
        let mut b = Bindings::default();
        // Positions in `NativeArgs`: inputs and updated buffers come before outputs, whatever the order of the parameters.
        let (mut buffer, mut len, mut scalar) = (0usize, 0usize, 0usize);
        for (id, param) in params(p) {
            match &param.kind {
                ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. } => {
                    let n = len_name(id);
                    b.add(n.clone(), quote!(usize), quote!(__args.lens[#len] as usize));
                    len += 1;
                    for &array in arrays {
                        let (name, t) = (array_name(array), stored(p.array(array).elem));
                        let place = quote!(__args.buffers[#buffer]);
                        match param.kind {
                            ParamKind::InOut { .. } => b.add(name, quote!(*mut #t), quote!(#place as *mut #t)),
                            _ => {
                                let slice = quote!(::core::slice::from_raw_parts(#place as *const #t, #n));
                                b.add(name, quote!(&[#t]), slice);
                            }
                        }
                        buffer += 1;
                    }
                }
                ParamKind::Scalar(t) => {
                    let bits = quote!(__args.scalars[#scalar]);
                    b.add(scalar_name(id), ty(*t), from_bits(*t, bits));
                    scalar += 1;
                }
                ParamKind::Output { .. } | ParamKind::Fault(_) => {}
            }
        }
        for (_, param) in params(p) {
            let arrays = match &param.kind {
                ParamKind::Output { arrays, .. } => arrays.as_slice(),
                ParamKind::Fault(array) => std::slice::from_ref(array),
                _ => continue,
            };
            for &array in arrays {
                let t = stored(p.array(array).elem);
                b.add(array_name(array), quote!(*mut #t), quote!(__args.buffers[#buffer] as *mut #t));
                buffer += 1;
            }
        }
        b
    }

    fn add(&mut self, name: proc_macro2::Ident, ty: TokenStream, value: TokenStream) {
        self.unpack.extend(quote!(let #name: #ty = #value;));
        self.names.push(name);
        self.types.push(ty);
    }
}

/// A scalar from its bits in a `u64`.
pub(super) fn from_bits(t: ScalarType, bits: TokenStream) -> TokenStream {
    match t {
        ScalarType::Bool => quote!((#bits != 0)),
        ScalarType::F32 => quote!(f32::from_bits(#bits as u32)),
        ScalarType::F64 => quote!(f64::from_bits(#bits)),
        t => {
            let t = ty(t);
            quote!((#bits as #t))
        }
    }
}
