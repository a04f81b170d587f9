//! Shrinks a kernel that shows something wrong: edits it step by step, and keeps an edit if the result is well typed
//! and still shows it.

use obsidian_ir::program::{Const, ScalarType};

use crate::ast::{Declared, Expr, Helper, Kernel, Known, Numbers, Op, Source};
use crate::check::{Verdict, Who};
use crate::types;

/// Kernels that are tried at most.
const MAX_TRIES: u32 = 2000;

/// The smallest kernel found for which `still` holds; `kernel` is one.
pub fn shrink(kernel: &Kernel, still: impl Fn(&Kernel) -> bool) -> Kernel {
    let mut s = Shrinker { best: kernel.clone(), still, tries: MAX_TRIES };
    while s.tries > 0 && (s.outputs() | s.shape() | s.expressions() | s.unused()) {}
    s.best
}

/// Shrinks a kernel in which a check finds something wrong; the smaller one must show it in the same part.
pub fn shrink_wrong(kernel: &Kernel, who: Who, check: impl Fn(&Kernel) -> Verdict) -> Kernel {
    shrink(kernel, |k| matches!(check(k), Verdict::Wrong(wrong) if wrong.who == who))
}

struct Shrinker<F> {
    best: Kernel,
    still: F,
    tries: u32,
}

impl<F: Fn(&Kernel) -> bool> Shrinker<F> {
    /// Takes a smaller kernel if it will do.
    fn take(&mut self, smaller: Kernel) -> bool {
        if self.tries == 0 || smaller == self.best || types::outputs(&smaller).is_none() {
            return false;
        }
        self.tries -= 1;
        let taken = (self.still)(&smaller);
        if taken {
            self.best = smaller;
        }
        taken
    }

    /// The kernel with an edit.
    fn edited(&mut self, edit: impl FnOnce(&mut Kernel)) -> bool {
        let mut smaller = self.best.clone();
        edit(&mut smaller);
        self.take(smaller)
    }

    fn outputs(&mut self) -> bool {
        let mut any = false;
        let mut i = 0;
        while self.best.outputs.len() > 1 && i < self.best.outputs.len() {
            if self.edited(|k| drop(k.outputs.remove(i))) {
                any = true;
            } else {
                i += 1;
            }
        }
        for i in (0..self.best.changes.len()).rev() {
            any |= self.edited(|k| drop(k.changes.remove(i)));
        }
        any
    }

    /// Fewer threads, shorter buffers, smaller sizes.
    fn shape(&mut self) -> bool {
        let mut any = self.best.numbers == Numbers::Named && self.edited(|k| k.numbers = Numbers::Literal);
        any |= !self.best.more_threads.is_empty() && self.edited(|k| k.more_threads.clear());
        if let Some(&other) = self.best.more_threads.first() {
            any |= self.edited(|k| (k.threads, k.more_threads) = (other, Vec::new()));
        }
        for threads in [1, 32, 64, self.best.threads / 2] {
            any |= threads < self.best.threads && self.edited(|k| k.threads = threads);
        }
        for by in [5, 3, 2] {
            any |= self.edited(|k| k.inputs.iter_mut().for_each(|i| shorter(&mut i.source, Known::AtLaunch, by)));
            any |= self.edited(|k| {
                k.inputs.iter_mut().for_each(|i| shorter(&mut i.source, Known::AtLaunch, by));
                k.inputs.iter_mut().for_each(|i| shorter(&mut i.source, Known::Static, by));
                all_exprs(k).for_each(|e| sizes(e, by));
            });
        }
        any
    }

    /// Helpers and arguments that nobody uses.
    fn unused(&mut self) -> bool {
        let mut any = false;
        for i in (0..self.best.helpers.len()).rev() {
            any |= self.edited(|k| {
                k.helpers.remove(i);
                all_exprs(k).for_each(|e| renumber(e, i));
            });
        }
        for i in (0..self.best.inputs.len()).rev() {
            any |= self.edited(|k| drop(k.inputs.remove(i)));
        }
        any
    }

    fn expressions(&mut self) -> bool {
        let mut any = false;
        let mut at = 0;
        while let Some(node) = nth(&mut self.best.clone(), at).cloned() {
            if self.tries == 0 {
                break;
            }
            if self.node(at, &node) {
                any = true;
            } else {
                at += 1;
            }
        }
        any
    }

    /// Something simpler in place of one expression.
    fn node(&mut self, at: usize, node: &Expr) -> bool {
        let inlined = inlined(node, &self.best.helpers);
        inlined.into_iter().chain(simpler(node)).any(|e| {
            let mut smaller = self.best.clone();
            if let Some(place) = nth(&mut smaller, at) {
                *place = e;
            }
            self.take(smaller)
        })
    }
}

fn shorter(source: &mut Source, which: Known, by: u32) {
    if let Source::Buffer(n, known) | Source::Updated(n, known, _) = source
        && *known == which
        && *n >= by
    {
        *n /= by;
    }
    if let Source::Matrix(rows, cols) = source
        && which == Known::AtLaunch
    {
        (*rows, *cols) = ((*rows / by).max(1), (*cols / by).max(1));
    }
}

fn all_exprs(kernel: &mut Kernel) -> impl Iterator<Item = &mut Expr> {
    let changes = kernel.changes.iter_mut().map(|c| &mut c.1);
    kernel.outputs.iter_mut().chain(changes).chain(kernel.helpers.iter_mut().map(|h| &mut h.body))
}

/// All sizes divided.
fn sizes(e: &mut Expr, by: u32) {
    if let Op::Size(n) = &mut e.op
        && *n > 1
    {
        *n = n.div_ceil(by);
    }
    e.args.iter_mut().for_each(|a| sizes(a, by));
}

/// Helper `gone` is gone: those after it have new numbers, and what called it is no expression any more.
fn renumber(e: &mut Expr, gone: usize) {
    if let Op::Helper(h) | Op::Name(h) = &mut e.op {
        match (*h).cmp(&gone) {
            std::cmp::Ordering::Equal => *h = usize::MAX,
            std::cmp::Ordering::Greater => *h -= 1,
            std::cmp::Ordering::Less => {}
        }
    }
    e.args.iter_mut().for_each(|a| renumber(a, gone));
}

/// The `n`-th expression, parents before their parts.
fn nth(kernel: &mut Kernel, n: usize) -> Option<&mut Expr> {
    fn inside<'e>(e: &'e mut Expr, n: &mut usize) -> Option<&'e mut Expr> {
        if *n == 0 {
            return Some(e);
        }
        *n -= 1;
        e.args.iter_mut().find_map(|a| inside(a, n))
    }
    let mut n = n;
    all_exprs(kernel).find_map(|e| inside(e, &mut n))
}

/// A helper's body in place of a call, where it calls neither itself nor a function that it is given.
fn inlined(call: &Expr, helpers: &[Helper]) -> Option<Expr> {
    fn names(e: &Expr, var: u32) -> bool {
        matches!(e.op, Op::Var(v) | Op::Apply(v) if v == var)
            || e.op == Op::Again
            || e.args.iter().any(|a| names(a, var))
    }
    let Op::Helper(h) = call.op else { return None };
    let helper = helpers.get(h)?;
    let mut body = helper.body.clone();
    for ((var, declared), arg) in helper.params.iter().zip(&call.args).rev() {
        match declared {
            Declared::Function if names(&body, *var) => return None,
            Declared::Function => {}
            _ => body = Expr::new(Op::Let(*var), vec![arg.clone(), body]),
        }
    }
    Some(body)
}

/// Expressions that may replace an expression, the smallest first. The types decide which of them can.
fn simpler(e: &Expr) -> Vec<Expr> {
    let mut list = Vec::new();
    match &e.op {
        Op::Const(c) => {
            let simple = [0, 1].into_iter().filter(|bits| *bits < c.bits && !c.ty.is_float());
            return simple.map(|bits| Expr::constant(Const { ty: c.ty, bits })).collect();
        }
        Op::Size(n) => {
            let mut less: Vec<u32> = vec![0, 1, n / 2, n.saturating_sub(1)];
            less.retain(|k| k < n);
            less.dedup();
            return less.into_iter().map(Expr::size).collect();
        }
        Op::Var(_) | Op::Name(_) | Op::Lambda(_) => return list,
        Op::Bump(_) => list.push(e.args[2].clone()),
        Op::Let(v) => list.push(substituted(&e.args[1], *v, &e.args[0])),
        _ => {}
    }
    list.extend(ScalarType::ALL.map(|ty| Expr::constant(Const { ty, bits: u64::from(ty.is_int()) })));
    let mut inner = Vec::new();
    e.args.iter().for_each(|a| descendants(a, &mut inner));
    inner.sort_by_key(|d| d.nodes());
    list.extend(inner.into_iter().cloned());
    list
}

fn descendants<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    if !matches!(e.op, Op::Const(_) | Op::Size(_) | Op::Lambda(_)) {
        out.push(e);
    }
    e.args.iter().for_each(|a| descendants(a, out));
}

/// `e` with a value for a variable.
fn substituted(e: &Expr, var: u32, value: &Expr) -> Expr {
    if e.op == Op::Var(var) {
        return value.clone();
    }
    Expr::new(e.op.clone(), e.args.iter().map(|a| substituted(a, var, value)).collect())
}
