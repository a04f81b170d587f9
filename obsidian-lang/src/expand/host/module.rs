//! The tables of an entry at `Device`, as constants: its kernels, the expressions of the host, buffers and steps.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::{HostVariant, declared, dtype, embedded, parts, plain_name, values, variant};
use crate::driver::Source;
use obsidian_abi::ParamValue;
use obsidian_ir::backend::rust::{geometry, native};
use obsidian_ir::module::{Argument, Buffer, Module, Place, Step, StepKind};
use obsidian_ir::program::{BinOp, Expr, ExprId, ParamId, ParamKind, Program, UnOp, walk};

/// One compiled form of an entry at `Device`.
#[derive(Debug)]
pub struct HostModule<'a> {
    /// Its steps.
    pub module: &'a Module,
    /// What the entry's generics stand for.
    pub values: &'a [(String, ParamValue)],
    /// Its kernels.
    pub kernels: Vec<HostVariant<'a>>,
    /// The printed IR.
    pub ir: String,
    /// The report of costs.
    pub report: String,
}

/// The tables of an entry and the functions that they point to.
pub(super) fn info(ident: &Ident, variants: &[HostModule<'_>], source: Option<&Source>) -> TokenStream {
    let name = plain_name(ident);
    let (mut items, mut rows) = (TokenStream::new(), TokenStream::new());
    // Kernels that differ in their threads alone are one and the same on the CPU: rustc compiles them once.
    let mut printed: HashMap<String, Ident> = HashMap::new();
    for (v, i) in variants.iter().zip(0..) {
        let mut kernels = Vec::new();
        for (kernel, k) in v.kernels.iter().zip(0..) {
            let (native, geometry) = (native(kernel.native), geometry(kernel.native));
            let module = printed.entry(format!("{native} {geometry}")).or_insert_with(|| {
                let module = format_ident!("code{}_{}", i as usize, k as usize);
                items.extend(quote! {
                    mod #module {
                        use super::abi;
                        pub(super) #native
                        pub(super) #geometry
                    }
                });
                module
            });
            let constant = format_ident!("KERNEL{}_{}", i as usize, k as usize);
            let (symbol, variant) = (&kernel.native.name, variant(kernel, module, &parts(kernel.native)));
            items.extend(quote! {
                static #constant: abi::KernelInfo = abi::KernelInfo {
                    name: #symbol,
                    variants: &[#variant],
                    source: SOURCE,
                };
            });
            kernels.push(constant);
        }
        rows.extend(row(v, &kernels));
    }
    let source = embedded(source);
    quote! {
        // Each kernel carries the text, too: the interpreter compiles it once for all.
        const SOURCE: ::core::option::Option<abi::Source> = #source;
        #items
        static INFO: abi::module::ModuleInfo =
            abi::module::ModuleInfo { name: #name, variants: &[#rows], source: SOURCE };
    }
}

/// A variant as a constant, with a comma.
fn row(v: &HostModule<'_>, kernels: &[Ident]) -> TokenStream {
    let m = v.module;
    let mut exprs = Exprs { host: &m.host, places: HashMap::new(), nodes: Vec::new() };
    let buffers: Vec<TokenStream> = m.buffers.iter().map(|buffer| exprs.buffer(buffer)).collect();
    let checks: Vec<TokenStream> = m.host.checks.iter().map(|c| exprs.check(c.cond, &c.message, c.found)).collect();
    let steps: Vec<TokenStream> = m.steps.iter().map(|step| exprs.step(m, step)).collect();
    let (nodes, threads) = (&exprs.nodes, m.host.threads);
    let (params, values) = (declared(&m.host), values(v.values));
    let (ir, report) = (&v.ir, &v.report);
    quote! {
        abi::module::ModuleVariant {
            values: #values,
            params: #params,
            threads: #threads,
            kernels: &[#(&#kernels),*],
            variables: &[],
            exprs: &[#(#nodes),*],
            buffers: &[#(#buffers),*],
            steps: &[#(#checks,)* #(#steps),*],
            ir: #ir,
            report: #report,
        },
    }
}

/// The expressions of the host that have got their places.
struct Exprs<'m> {
    host: &'m Program,
    places: HashMap<ExprId, u32>,
    nodes: Vec<TokenStream>,
}

impl Exprs<'_> {
    /// The place of an expression.
    fn place(&mut self, e: ExprId) -> u32 {
        let host = self.host;
        for id in walk::reachable(&host.exprs, [e], |e| self.places.contains_key(&e)) {
            let at = |e: ExprId| self.places.get(&e).copied().unwrap_or_default();
            let expr = match host.exprs.expr(id) {
                Expr::Const(c) => {
                    let bits = c.bits;
                    quote!(Const(#bits))
                }
                Expr::Len(ParamId(value)) | Expr::Scalar(ParamId(value)) => quote!(Value(#value)),
                Expr::Un(op, a) => {
                    let (op, a) = (un(op), at(a));
                    quote!(Un(abi::UnOp::#op, #a))
                }
                Expr::Bin(op, a, b) => {
                    let (op, a, b) = (bin(op), at(a), at(b));
                    quote!(Bin(abi::BinOp::#op, #a, #b))
                }
                Expr::Select(c, a, b) => {
                    let (c, a, b) = (at(c), at(a), at(b));
                    quote!(Select(#c, #a, #b))
                }
                Expr::Cast(a) => {
                    let a = at(a);
                    quote!(Cast(#a))
                }
                Expr::Bits(a) => {
                    let a = at(a);
                    quote!(Bits(#a))
                }
                Expr::MulAdd(a, b, c) => {
                    let (a, b, c) = (at(a), at(b), at(c));
                    quote!(MulAdd(#a, #b, #c))
                }
                // The host has none of these: `module::check`.
                Expr::Var(_) | Expr::Special(_) | Expr::OnGpu | Expr::Load(..) => quote!(Const(0)),
            };
            let ty = dtype(host.exprs.ty(id));
            self.places.insert(id, self.nodes.len() as u32);
            self.nodes.push(quote!(abi::module::HostNode { ty: #ty, expr: abi::module::HostExpr::#expr }));
        }
        self.places.get(&e).copied().unwrap_or_default()
    }

    fn buffer(&mut self, buffer: &Buffer) -> TokenStream {
        let Buffer { name, fields, len, place, .. } = buffer;
        let fields = fields.iter().map(|ty| dtype(*ty));
        let len = self.place(*len);
        let before = |param: ParamId| &self.host.params[..param.0 as usize];
        let place = match place {
            Place::Param(param) if matches!(self.host.param(*param).kind, ParamKind::Output { .. }) => {
                let is_output = |p: &&obsidian_ir::program::Param| matches!(p.kind, ParamKind::Output { .. });
                let output = before(*param).iter().filter(is_output).count() as u32;
                quote!(Output(#output))
            }
            Place::Param(ParamId(param)) => quote!(Param(#param)),
            Place::Temporary => quote!(Temporary),
        };
        quote! {
            abi::module::BufferInfo { name: #name, fields: &[#(#fields),*], len: #len, place: abi::module::Place::#place }
        }
    }

    fn check(&mut self, cond: ExprId, message: &str, found: ExprId) -> TokenStream {
        let (cond, found) = (self.place(cond), self.place(found));
        quote!(abi::module::Step::Check { cond: #cond, message: #message, found: #found })
    }

    fn step(&mut self, m: &Module, step: &Step) -> TokenStream {
        let StepKind::Launch { kernel, blocks, args, outputs } = &step.kind;
        let args = args.iter().map(|arg| match arg {
            Argument::Buffer(id) => {
                let id = id.0;
                quote!(Read(#id))
            }
            Argument::Scalar(e) => {
                let e = self.place(*e);
                quote!(Scalar(#e))
            }
        });
        let args: Vec<TokenStream> = args.collect();
        let outputs = outputs.iter().map(|id| id.0);
        let (blocks, kernel) = (self.place(*blocks), kernel.0);
        debug_assert!((kernel as usize) < m.kernels.len());
        quote! {
            abi::module::Step::Launch(abi::module::Launching {
                kernel: #kernel,
                blocks: #blocks,
                args: &[#(abi::module::LaunchArg::#args,)* #(abi::module::LaunchArg::Write(#outputs)),*],
            })
        }
    }
}

fn bin(op: BinOp) -> Ident {
    Ident::new(&format!("{op:?}"), Span::call_site())
}

fn un(op: UnOp) -> Ident {
    Ident::new(&format!("{op:?}"), Span::call_site())
}
