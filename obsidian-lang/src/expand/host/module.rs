//! The tables of an entry at `Device`, as constants: its kernels, the expressions of the host, buffers and steps.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::info::{declared, dtype, parts, values, variant};
use super::{HostEntry, HostVariant, plain_name};
use crate::expand::CpuCode;
use obsidian_abi::ParamValue;
use obsidian_ir::backend::rust::geometry;
use obsidian_ir::module::{
    Argument, Branch, Buffer, BufferId, Launched, Looping, Module, Place, Step, StepKind, only_in_one_pass,
};
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
pub(super) fn info(e: &HostEntry<'_, HostModule<'_>>) -> TokenStream {
    let name = plain_name(&e.ident);
    let (mut items, mut rows) = (TokenStream::new(), TokenStream::new());
    // Kernels that differ in their threads alone are one and the same on the CPU: rustc compiles them once.
    let mut printed: HashMap<String, Ident> = HashMap::new();
    for (v, i) in e.variants.iter().zip(0..) {
        let mut kernels = Vec::new();
        let codes = only_in_one_pass(v.module).into_iter().map(|only| if only { CpuCode::Declared } else { e.native });
        for ((kernel, code), k) in v.kernels.iter().zip(codes).zip(0..) {
            let (native, geometry) = (code.function(kernel.native), geometry(kernel.native));
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
                static #constant: abi::KernelInfo = abi::KernelInfo { name: #symbol, variants: &[#variant] };
            });
            kernels.push(constant);
        }
        rows.extend(row(v, &kernels));
    }
    quote! {
        #items
        static INFO: abi::module::ModuleInfo = abi::module::ModuleInfo { name: #name, variants: &[#rows] };
    }
}

/// A variant as a constant, with a comma.
fn row(v: &HostModule<'_>, kernels: &[Ident]) -> TokenStream {
    let m = v.module;
    let mut exprs = Exprs { module: m, host: &m.host, places: HashMap::new(), nodes: Vec::new() };
    let buffers: Vec<TokenStream> = m.buffers.iter().map(|buffer| exprs.buffer(buffer)).collect();
    let matrices: Vec<TokenStream> = exprs.matrices();
    let checks: Vec<TokenStream> = m.host.checks.iter().map(|c| exprs.check(c.cond, &c.message, c.found)).collect();
    let steps = exprs.steps(&m.steps);
    let (nodes, threads) = (&exprs.nodes, m.host.threads);
    let (params, values) = (declared(&m.host, m.declared), values(v.values));
    let variables = m.variables().iter().map(|variable| {
        let ParamKind::Scalar(ty) = variable.kind else { return TokenStream::new() };
        let (name, ty) = (&variable.name, dtype(ty));
        quote!(abi::module::HostVariable { name: #name, ty: #ty })
    });
    let (ir, report) = (&v.ir, &v.report);
    quote! {
        abi::module::ModuleVariant {
            values: #values,
            params: #params,
            threads: #threads,
            kernels: &[#(&#kernels),*],
            variables: &[#(#variables),*],
            exprs: &[#(#nodes),*],
            buffers: &[#(#buffers),*],
            matrices: &[#(#matrices),*],
            steps: &[#(#checks,)* #steps],
            ir: #ir,
            report: #report,
        },
    }
}

/// The expressions of the host that have got their places.
struct Exprs<'m> {
    module: &'m Module,
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
                Expr::Len(param) | Expr::Scalar(param) => {
                    let value = self.value(param);
                    quote!(Value(#value))
                }
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

    /// The results that are matrices.
    fn matrices(&mut self) -> Vec<TokenStream> {
        let module = self.module;
        let made = |(output, rows, cols)| {
            let (rows, cols) = (self.place(rows), self.place(cols));
            quote!(abi::module::MatrixInfo { output: #output, rows: #rows, cols: #cols })
        };
        module.matrices().map(made).collect()
    }

    fn check(&mut self, cond: ExprId, message: &str, found: ExprId) -> TokenStream {
        let (cond, found) = (self.place(cond), self.place(found));
        quote!(abi::module::Step::Check { cond: #cond, message: #message, found: #found })
    }

    /// The number of a parameter's or a variable's value: outputs have none.
    fn value(&self, param: ParamId) -> u32 {
        let before = &self.host.params[..param.0 as usize];
        before.iter().filter(|p| !matches!(p.kind, ParamKind::Output { .. })).count() as u32
    }

    /// Steps, with commas.
    fn steps(&mut self, steps: &[Step<Launched, BufferId>]) -> TokenStream {
        steps.iter().map(|step| self.step(step)).flat_map(|step| quote!(#step,)).collect()
    }

    fn step(&mut self, step: &Step<Launched, BufferId>) -> TokenStream {
        match &step.kind {
            StepKind::Launch(launch) => self.launch(launch),
            StepKind::Fetch { from: BufferId(from), index, into } => {
                let (index, into) = (self.place(*index), into.iter().map(|&variable| self.value(variable)));
                quote!(abi::module::Step::Fetch { from: #from, index: #index, into: &[#(#into),*] })
            }
            StepKind::Check(check) => self.check(check.cond, &check.message, check.found),
            StepKind::Chain(chain) => {
                let [once, epoch, patience] = [chain.once, chain.epoch, chain.patience].map(|v| self.value(v));
                let cells = chain.cells.0;
                quote! {
                    abi::module::Step::Chain(abi::module::Chaining {
                        once: #once,
                        epoch: #epoch,
                        patience: #patience,
                        cells: #cells,
                    })
                }
            }
            StepKind::If(branch) => self.branch(branch),
            StepKind::Loop(looping) => self.looping(looping),
        }
    }

    fn branch(&mut self, branch: &Branch<Launched, BufferId>) -> TokenStream {
        let cond = self.place(branch.cond);
        let (then_steps, els_steps) = (self.steps(&branch.then), self.steps(&branch.els));
        let buffers = branch.buffers.iter().map(|j| {
            let (result, then, els) = (j.result.0, j.then.0, j.els.0);
            quote!(abi::module::JoinedBuffer { result: #result, then: #then, els: #els })
        });
        let buffers: Vec<TokenStream> = buffers.collect();
        let values = branch.values.iter().map(|j| {
            let (result, then, els) = (self.value(j.result), self.place(j.then), self.place(j.els));
            quote!(abi::module::JoinedValue { result: #result, then: #then, els: #els })
        });
        let values: Vec<TokenStream> = values.collect();
        quote! {
            abi::module::Step::If(abi::module::Branch {
                cond: #cond,
                then: &[#then_steps],
                els: &[#els_steps],
                buffers: &[#(#buffers),*],
                values: &[#(#values),*],
            })
        }
    }

    fn looping(&mut self, looping: &Looping<Launched, BufferId>) -> TokenStream {
        let counter = match looping.counter {
            Some(counter) => {
                let (from, to) = (self.place(counter.from), self.place(counter.to));
                let variable = self.value(counter.variable);
                quote!(::core::option::Option::Some(abi::module::Counter { variable: #variable, from: #from, to: #to }))
            }
            None => quote!(::core::option::Option::None),
        };
        let test = match looping.test {
            Some(test) => {
                let test = self.place(test);
                quote!(::core::option::Option::Some(#test))
            }
            None => quote!(::core::option::Option::None),
        };
        let (head, body) = (self.steps(&looping.head), self.steps(&looping.body));
        let buffers = looping.buffers.iter().map(|c| {
            let (inside, init, next, result) = (c.inside.0, c.init.0, c.next.0, c.result.0);
            quote!(abi::module::CarriedBuffer { inside: #inside, init: #init, next: #next, result: #result })
        });
        let buffers: Vec<TokenStream> = buffers.collect();
        let values = looping.values.iter().map(|c| {
            let (inside, result) = (self.value(c.inside), self.value(c.result));
            let (init, next) = (self.place(c.init), self.place(c.next));
            quote!(abi::module::CarriedValue { inside: #inside, init: #init, next: #next, result: #result })
        });
        let values: Vec<TokenStream> = values.collect();
        quote! {
            abi::module::Step::Loop(abi::module::Looping {
                counter: #counter,
                head: &[#head],
                test: #test,
                body: &[#body],
                buffers: &[#(#buffers),*],
                values: &[#(#values),*],
            })
        }
    }

    fn launch(&mut self, launch: &Launched) -> TokenStream {
        let params = self.module.kernel(launch.kernel).params.iter();
        let args = params.zip(&launch.args).map(|(param, arg)| match arg {
            Argument::Buffer(id) if matches!(param.kind, ParamKind::InOut { .. }) => {
                let id = id.0;
                quote!(Update(#id, #id))
            }
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
        let outputs = launch.outputs.iter().map(|id| id.0);
        let (blocks, kernel) = (self.place(launch.blocks), launch.kernel.0);
        debug_assert!((kernel as usize) < self.module.kernels.len());
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
