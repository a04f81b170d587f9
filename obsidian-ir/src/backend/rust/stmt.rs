//! Statements as Rust: the threads of a block are loops, barriers are the ends of loops and need no code.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::expr::{Printer, is_exact};
use super::groups::{Fused, Lanes};
use super::{array_name, atomic, count_up, stored, ty, var_name};
use crate::passes::access::{Effects, Loads};
use crate::passes::walk::reachable;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Program, ScalarType, Space, Stmt, StmtKind, VarId};

/// Above this many bytes of shared memory a block's arrays go on the heap: a thread's stack is 2 MiB.
const STACK_BYTES: u64 = 256 << 10;

impl Printer<'_> {
    /// Statements in sequence.
    pub fn block(&mut self, body: &Block) -> TokenStream {
        let (mut printed, mut rest) = (TokenStream::new(), body.as_slice());
        while let Some((stmt, others)) = rest.split_first() {
            if let Some(Fused { code, statements }) = self.fused(rest) {
                printed.extend(code);
                rest = &rest[statements..];
                continue;
            }
            let (this, others) = match self.copied(rest) {
                Some((copy, statements)) => (copy, &rest[statements..]),
                None => (self.stmt(stmt), others),
            };
            printed.extend(self.marked(stmt, this));
            rest = others;
        }
        printed
    }

    /// A text at once, so that those of several threads do not mix.
    fn print(&mut self, text: &[String], values: &[ExprId]) -> TokenStream {
        let template =
            text.iter().map(|part| part.replace('{', "{{").replace('}', "}}")).collect::<Vec<_>>().join("{}");
        let values = values.iter().map(|&value| match self.p.exprs.ty(value) {
            ScalarType::F16 => {
                let value = self.value(value);
                quote!(abi::f16_to_f32(#value))
            }
            ScalarType::BF16 => {
                let value = self.value(value);
                quote!(abi::bf16_to_f32(#value))
            }
            _ => self.value(value),
        });
        let values: Vec<_> = values.collect();
        quote!(abi::print(::core::format_args!(#template, #(#values),*));)
    }

    /// One statement.
    pub fn stmt(&mut self, stmt: &Stmt) -> TokenStream {
        match &stmt.kind {
            StmtKind::Assign { array, index, value } => {
                let (place, value) = (self.place(*array, *index), self.value(*value));
                if self.p.array(*array).elem == ScalarType::Bool {
                    quote!(*#place = #value as u8;)
                } else {
                    quote!(*#place = #value;)
                }
            }
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                let a = self.p.array(*array);
                let operands = (expected.map(|e| self.value(e)), self.value(*value));
                let place = self.place(*array, *index);
                match old {
                    Some(var) => {
                        let (name, update) = (var_name(*var), atomic::update(*op, a.elem, a.space, place, operands));
                        quote!(let #name = #update;)
                    }
                    None => atomic::forgetful_update(*op, a.elem, a.space, place, operands),
                }
            }
            StmtKind::Let { var, value } => self.bind(*var, *value),
            StmtKind::Local { var, init } => {
                let (name, t) = (var_name(*var), ty(self.p.var(*var).ty));
                match init {
                    Some(init) => {
                        let init = self.value(*init);
                        quote!(let mut #name: #t = #init;)
                    }
                    None => quote!(let mut #name: #t;),
                }
            }
            StmtKind::Set { var, value } => {
                let (name, value) = (var_name(*var), self.value(*value));
                quote!(#name = #value;)
            }
            StmtKind::If { cond, then, els } => {
                let (cond, then, els) = (self.value(*cond), self.list_by_parts(then), self.list_by_parts(els));
                quote!(if #cond { #then } else { #els })
            }
            StmtKind::SeqFor { var, start, end, step, body } => self.seq_for(*var, [*start, *end, *step], body),
            StmtKind::SeqWhile { head, cond, body } => {
                let (head, cond, body) = (self.block(head), self.value(*cond), self.block(body));
                quote!(loop { #head if !#cond { break; } #body })
            }
            StmtKind::ForAll { var, n, body, .. } => {
                let lanes = self.lanes(stmt);
                let end = self.streams.phases_end(self.p, std::slice::from_ref(stmt));
                let phase = match lanes {
                    Some(lanes) => self.phase_in_lanes(stmt, (*var, *n, body), lanes),
                    None => {
                        let (n, body) = self.cut(*var, *n, body);
                        let (name, body) = self.loop_body(*var, body);
                        let fetches = self.fetched_ahead(stmt);
                        self.note_bare_reads(stmt);
                        count_up(&name, quote!(0usize), n, quote!(#fetches #body))
                    }
                };
                quote!(#phase #end)
            }
            StmtKind::DistrPar { var, n, body, .. } => {
                self.bare.clear();
                let (name, body) = self.loop_body(*var, body);
                let bare = std::mem::take(&mut self.bare);
                let fetch = self.p.exprs.as_u32(*n).map(|n| self.streams.fetch_by_warps(&bare, *var, n));
                count_up(&name, quote!(0usize), self.wide(*n), quote!(#fetch #body))
            }
            StmtKind::Allocate { array } => self.allocate(*array),
            StmtKind::Print { text, values } => self.print(text, values),
            // One thread runs all phases, one after the other.
            StmtKind::Sync { .. } => TokenStream::new(),
            // Native form has none: an error in the user's build, rather than code that leaves them out.
            StmtKind::Shuffle { .. }
            | StmtKind::LoadVector { .. }
            | StmtKind::StoreVector { .. }
            | StmtKind::Copy { .. }
            | StmtKind::Commit
            | StmtKind::Await { .. } => {
                quote!(::core::compile_error!("the kernel compiler left code of the machine here; please report this");)
            }
        }
    }

    /// Notes the long streams that a phase reads one by one: the warps of a block fetch them.
    fn note_bare_reads(&mut self, stmt: &Stmt) {
        if self.streams.any_long() {
            let loads = self.loads.get_or_init(|| Loads::new(&self.p.exprs));
            let reads = Effects::of(stmt, loads).reads;
            self.bare.extend(self.streams.long_among(&reads));
        }
    }

    /// How many instances of a phase do anything, and what these do: those past the end of an array are not looked at one by one, as
    /// the last block's may be nearly all.
    fn cut<'s>(&self, var: VarId, n: ExprId, body: &'s Block) -> (TokenStream, &'s Block) {
        let (all, exprs) = (self.wide(n), &self.p.exprs);
        let [Stmt { kind: StmtKind::If { cond, then, els }, .. }] = &body[..] else { return (all, body) };
        let Expr::Bin(BinOp::Lt, index, end) = exprs.expr(*cond) else { return (all, body) };
        let varies = |e: ExprId| match exprs.expr(e) {
            Expr::Var(v) => v == var || self.p.var(v).mutable,
            expr => matches!(expr, Expr::Load(..)),
        };
        let fixed = exprs.ty(end) == ScalarType::U32 && !reachable(exprs, [end], |_| false).into_iter().any(varies);
        if exprs.expr(index) != Expr::Var(var) || !els.is_empty() || !fixed {
            return (all, body);
        }
        let end = self.wide(end);
        (quote!(usize::min(#all, #end)), then)
    }

    /// A phase in lanes on machines that have them. What no group takes runs one by one. The groups take all of a number that is known, so that
    /// no clone has code for both.
    fn phase_in_lanes(
        &mut self,
        stmt: &Stmt,
        (var, count, body): (VarId, ExprId, &Block),
        lanes: Lanes,
    ) -> TokenStream {
        self.in_lanes = true;
        let Lanes { groups, width } = lanes;
        let whole = self.p.exprs.as_u32(count).is_some();
        let from = if whole { quote!(0usize) } else { quote!(__from) };
        let (n, width) = (self.wide(count), Literal::usize_suffixed(width));
        let others = match self.rounds_of_all(stmt) {
            Some((bounds, counter, of_round)) => {
                let (name, body) = self.loop_body(var, &of_round);
                self.wide_vars[counter.0 as usize] = true;
                self.counted(&var_name(counter), bounds, count_up(&name, from, &n, body))
            }
            None => {
                let (end, body) = self.cut(var, count, body);
                let (name, body) = self.loop_body(var, body);
                count_up(&name, from, end, body)
            }
        };
        if whole {
            return quote!(if __L::FAST { #groups } else { #others });
        }
        quote! {
            let __from = if __L::FAST { #groups #n / #width * #width } else { 0usize };
            #others
        }
    }

    /// A loop's index, kept as `usize`, and its body.
    pub fn loop_body(&mut self, var: VarId, body: &Block) -> (proc_macro2::Ident, TokenStream) {
        self.wide_vars[var.0 as usize] = true;
        let block = self.parts.block.take();
        let body = self.block(body);
        self.parts.block = block;
        (var_name(var), body)
    }

    /// The same of the loop over blocks.
    pub fn grid_body(&mut self, var: VarId, body: &Block) -> (Ident, TokenStream) {
        self.wide_vars[var.0 as usize] = true;
        self.parts.block = Some(var);
        let body = self.list_by_parts(body);
        self.parts.block = None;
        (var_name(var), body)
    }

    /// A `let`. What is part of an index stays wide.
    pub fn bind(&mut self, var: VarId, value: ExprId) -> TokenStream {
        let name = var_name(var);
        let index = self.p.var(var).ty == ScalarType::U32
            && (is_exact(&self.p.exprs, value)
                || matches!(self.p.exprs.expr(value), Expr::Len(_) | Expr::Var(_) | Expr::Const(_)));
        self.wide_vars[var.0 as usize] = index;
        if index {
            let value = self.wide(value);
            return quote!(let #name: usize = #value;);
        }
        let (t, value) = (ty(self.p.var(var).ty), self.value(value));
        quote!(let #name: #t = #value;)
    }

    fn seq_for(&mut self, var: VarId, bounds: [ExprId; 3], body: &Block) -> TokenStream {
        let (name, body) = self.loop_body(var, body);
        self.counted(&name, bounds, body)
    }

    /// A loop from a start to an end by a step. If that is not one, the rounds are counted, so that no index passes the end or
    /// overflows.
    pub fn counted(&self, name: &Ident, [start, end, step]: [ExprId; 3], body: TokenStream) -> TokenStream {
        let one = self.p.exprs.as_u32(step) == Some(1);
        let (start, end, step) = (self.wide(start), self.wide(end), self.wide(step));
        if one {
            return count_up(name, start, end, body);
        }
        let rounds = count_up(
            &Ident::new("__round", Span::call_site()),
            quote!(0usize),
            quote!(usize::div_ceil(usize::saturating_sub(#end, __start), __step)),
            quote!(let #name = __start + __round * __step; #body),
        );
        quote!({
            let (__start, __step): (usize, usize) = (#start, #step);
            #rounds
        })
    }

    /// Storage of its own for each array: LLVM then knows that they do not overlap.
    fn allocate(&self, array: ArrayId) -> TokenStream {
        let a = self.p.array(array);
        if on_heap(self.p, array) {
            // Made once, before the blocks.
            return TokenStream::new();
        }
        let (name, t) = (array_name(array), stored(a.elem));
        let len = Literal::usize_suffixed(self.p.exprs.as_u32(a.len).unwrap_or(0) as usize);
        quote! {
            let mut #name = ::core::mem::MaybeUninit::<[#t; #len]>::uninit();
            let #name = #name.as_mut_ptr() as *mut #t;
        }
    }
}

/// Whether a shared array is too large for the stack.
fn on_heap(p: &Program, array: ArrayId) -> bool {
    let shared = |a: &crate::program::Array| matches!(a.space, Space::Shared(_));
    let bytes = |a: &crate::program::Array| u64::from(a.elem.bytes()) * u64::from(p.exprs.as_u32(a.len).unwrap_or(0));
    shared(p.array(array)) && p.arrays.iter().filter(|a| shared(a)).map(bytes).sum::<u64>() > STACK_BYTES
}

/// The arrays that live on the heap, as statements.
pub(super) fn heap_arrays(p: &Program) -> TokenStream {
    (0..p.arrays.len() as u32)
        .map(ArrayId)
        .filter(|&id| on_heap(p, id))
        .map(|id| {
            let a = p.array(id);
            let (name, t) = (array_name(id), stored(a.elem));
            let len = Literal::usize_suffixed(p.exprs.as_u32(a.len).unwrap_or(0) as usize);
            quote! {
                let mut #name: abi::std::vec::Vec<#t> = abi::std::vec::Vec::with_capacity(#len);
                let #name = #name.as_mut_ptr();
            }
        })
        .collect()
}
