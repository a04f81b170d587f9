//! Statements of a group.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::shape::Shape;
use super::value::lane_name;
use super::{Group, Loops, Under};
use crate::backend::rust::var_name;
use crate::passes::walk::nested;
use crate::program::{ArrayId, Block, Expr, ExprId, Program, ScalarType, Stmt, StmtKind, VarId};

/// The most statements that a loop may become.
const MAX_UNROLLED: usize = 256;

/// How many statements a body is, those inside of others counted, those of loops once for each round that is known.
fn statements(p: &Program, body: &Block) -> usize {
    let inside = |s: &Stmt| nested(&s.kind).map(|body| statements(p, body)).fold(1, usize::saturating_add);
    let times = |s: &Stmt| match s.kind {
        StmtKind::SeqFor { start, end, step, .. } => rounds(p, [start, end, step]).map_or(1, |(_, n, _)| n as usize),
        _ => 1,
    };
    body.iter().map(|s| inside(s).saturating_mul(times(s))).fold(0, usize::saturating_add)
}

/// The first number of a loop's counter, how many it has, and how far they are apart.
fn rounds(p: &Program, bounds: [ExprId; 3]) -> Option<(u32, u32, u32)> {
    let [start, end, step] = bounds.map(|e| p.exprs.as_u32(e));
    let (start, end, step) = (start?, end?, step.filter(|step| *step > 0)?);
    Some((start, end.saturating_sub(start).div_ceil(step), step))
}

impl Group<'_, '_> {
    pub(super) fn block(&mut self, body: &Block) -> Option<TokenStream> {
        let mut printed = TokenStream::new();
        for stmt in body {
            let this = self.stmt(stmt)?;
            let this = std::mem::take(&mut self.before).into_iter().chain(this).collect();
            printed.extend(self.printer.marked(stmt, this));
        }
        Some(printed)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<TokenStream> {
        match &stmt.kind {
            StmtKind::Allocate { array } => self.is_own(*array).then(TokenStream::new),
            StmtKind::Assign { array, index, value } => self.store(*array, *index, *value),
            StmtKind::Let { var, value } => self.bind(*var, *value),
            StmtKind::Local { var, init } => self.local(stmt, *var, *init),
            StmtKind::Set { var, value } => self.set(stmt, *var, *value),
            StmtKind::If { cond, then, els } => self.branch(*cond, then, els),
            StmtKind::SeqFor { var, start, end, step, body } => {
                if self.shapes.var(*var) != Shape::Uniform {
                    return None;
                }
                if let Some(rounds) = self.rounds_of([*start, *end, *step], body) {
                    return self.unrolled(*var, rounds, body);
                }
                self.printer.wide_vars[var.0 as usize] = true;
                let body = self.inside(self.under.clone(), body)?;
                Some(self.printer.counted(&var_name(*var), [*start, *end, *step], body))
            }
            StmtKind::SeqWhile { head, cond, body } => self.repeat(head, *cond, body),
            _ => None,
        }
    }

    /// The rounds of a loop that is to be printed round by round.
    fn rounds_of(&self, bounds: [ExprId; 3], body: &Block) -> Option<impl Iterator<Item = u32> + use<>> {
        if self.loops == Loops::Kept || !self.top || !matches!(self.under, Under::All) {
            return None;
        }
        let (start, n, step) = rounds(self.printer.p, bounds)?;
        let all = statements(self.printer.p, body).saturating_mul(n as usize);
        (all <= MAX_UNROLLED).then(|| (0..n).map(move |k| start + k * step))
    }

    /// The rounds of a loop one after the other, in which its counter is a number.
    fn unrolled(&mut self, var: VarId, rounds: impl Iterator<Item = u32>, body: &Block) -> Option<TokenStream> {
        self.printer.wide_vars[var.0 as usize] = true;
        let (name, mut printed) = (var_name(var), TokenStream::new());
        self.rounds += 1;
        for k in rounds {
            self.shapes.fix(var, k, body);
            let (k, body) = (Literal::usize_suffixed(k as usize), self.block(body)?);
            printed.extend(quote!(let #name = #k; #body));
        }
        self.rounds -= 1;
        self.shapes.free(var);
        Some(printed)
    }

    /// Statements that are not done once by all lanes.
    fn inside(&mut self, under: Under, body: &Block) -> Option<TokenStream> {
        let (before, top) = (std::mem::replace(&mut self.under, under), std::mem::replace(&mut self.top, false));
        let body = self.block(body);
        (self.under, self.top) = (before, top);
        body
    }

    fn bind(&mut self, var: VarId, value: ExprId) -> Option<TokenStream> {
        match self.shapes.shape(value) {
            Shape::Uniform | Shape::Steps(_) => Some(self.printer.bind(var, value)),
            Shape::Known(_) => Some(TokenStream::new()),
            Shape::Varying => {
                let (name, printed) = (lane_name(var), self.any(value)?);
                if let Expr::Load(array, index) = self.printer.p.exprs.expr(value)
                    && !self.writes(array)
                {
                    self.hold(array, index, name.clone());
                }
                Some(quote!(let #name = #printed;))
            }
        }
    }

    /// A vector or a mask.
    fn any(&mut self, e: ExprId) -> Option<TokenStream> {
        if self.is_truth(e) { self.mask(e) } else { self.vector(e) }
    }

    fn is_truth(&self, e: ExprId) -> bool {
        self.printer.p.exprs.ty(e) == ScalarType::Bool
    }

    fn local(&mut self, stmt: &Stmt, var: VarId, init: Option<ExprId>) -> Option<TokenStream> {
        if self.shapes.var(var) == Shape::Uniform {
            return Some(self.printer.stmt(stmt));
        }
        let (name, w) = (lane_name(var), self.ty.clone());
        let init = match init {
            Some(init) => self.any(init)?,
            None if self.printer.p.var(var).ty == ScalarType::Bool => quote!(<#w>::mask(0u64)),
            None => quote!(<#w>::splat(0u32)),
        };
        Some(quote!(let mut #name = #init;))
    }

    fn set(&mut self, stmt: &Stmt, var: VarId, value: ExprId) -> Option<TokenStream> {
        if self.shapes.var(var) == Shape::Uniform {
            return Some(self.printer.stmt(stmt));
        }
        let (name, w, truth) = (lane_name(var), self.ty.clone(), self.is_truth(value));
        let value = self.any(value)?;
        Some(match &self.under {
            Under::All => quote!(#name = #value;),
            Under::Mask(m, _) if truth => {
                quote!(#name = <#w>::either(<#w>::both(#m, #value), <#w>::both(<#w>::not(#m), #name));)
            }
            Under::Mask(m, _) => quote!(#name = <#w>::select(#m, #value, #name);),
        })
    }

    /// Where the lanes differ, each side is done by those that take it, if there are any.
    fn branch(&mut self, cond: ExprId, then: &Block, els: &Block) -> Option<TokenStream> {
        let shape = self.shapes.shape(cond);
        if shape == Shape::Uniform {
            let cond = self.printer.value(cond);
            let (then, els) = (self.inside(self.under.clone(), then)?, self.inside(self.under.clone(), els)?);
            return Some(quote!(if #cond { #then } else { #els }));
        }
        self.gains = true;
        let (w, taken) = (self.ty.clone(), self.mask(cond)?);
        let known = if let Shape::Known(bits) = shape { Some(bits) } else { None };
        let (yes, no) = (self.name("m"), self.name("m"));
        let (yes_value, no_value, of_yes, of_no) = match &self.under {
            Under::All => (taken, quote!(<#w>::not(#yes)), known, known.map(|bits| !bits)),
            Under::Mask(m, bits) => {
                let of = |side: Option<u64>| Some(side? & (*bits)?);
                let others = quote!(<#w>::both(#m, <#w>::not(#yes)));
                (quote!(<#w>::both(#m, #taken)), others, of(known), of(known.map(|bits| !bits)))
            }
        };
        let then = self.side(&yes, of_yes, then)?;
        let els = self.side(&no, of_no, els)?;
        Some(quote!({ let #yes = #yes_value; let #no = #no_value; #then #els }))
    }

    fn side(&mut self, mask: &proc_macro2::Ident, bits: Option<u64>, body: &Block) -> Option<TokenStream> {
        if body.is_empty() {
            return Some(TokenStream::new());
        }
        let w = self.ty.clone();
        let body = self.inside(Under::Mask(mask.clone(), bits), body)?;
        Some(match bits.map(|bits| bits & (u64::MAX >> (64 - self.lanes))) {
            Some(0) => TokenStream::new(),
            Some(_) => quote!({ #body }),
            None => quote!(if <#w>::any(#mask) { #body }),
        })
    }

    /// A loop goes on while any lane does; those that are done keep what they have.
    fn repeat(&mut self, head: &Block, cond: ExprId, body: &Block) -> Option<TokenStream> {
        if self.shapes.shape(cond) == Shape::Uniform {
            let under = self.under.clone();
            let (head, body) = (self.inside(under.clone(), head)?, self.inside(under, body)?);
            let cond = self.printer.value(cond);
            return Some(quote!(loop { #head if !#cond { break; } #body }));
        }
        let (w, on) = (self.ty.clone(), self.name("m"));
        let first = match &self.under {
            Under::All => quote!(<#w>::mask(u64::MAX)),
            Under::Mask(m, _) => quote!(#m),
        };
        let under = Under::Mask(on.clone(), None);
        let head = self.inside(under.clone(), head)?;
        // Lanes that are done do not load for it.
        let before = std::mem::replace(&mut self.under, under.clone());
        let cond = self.mask(cond);
        self.under = before;
        let (cond, body) = (cond?, self.inside(under, body)?);
        Some(quote!({
            let mut #on = #first;
            loop {
                #head
                #on = <#w>::both(#on, #cond);
                if !<#w>::any(#on) { break; }
                #body
            }
        }))
    }

    /// Whether the phase loads from an array.
    pub(super) fn reads(&self, array: ArrayId) -> bool {
        self.effects.reads.contains(&array)
    }

    pub(super) fn writes(&self, array: ArrayId) -> bool {
        self.effects.writes.contains(&array)
    }
}
