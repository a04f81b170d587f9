//! The expression store: hash-consing, value ranges, constructors. What they simplify is in `rewrite`.
//!
//! Every constructor simplifies: constants fold, neutral elements vanish, `(x * c + r) / c` is `x` where `r < c`, and so
//! on. Integers only; floats are left as written, because their arithmetic is not associative.

use std::sync::Arc;

use super::{arith, walk};
use crate::diag::Span;
use crate::tables::HashMap;

use super::{
    ArrayId, BinOp, Const, Coordinates, Expr, ExprId, Node, ParamId, Range, ScalarType, Special, UnClass, UnOp, VarId,
};

/// The library functions inside which an expression was made.
#[derive(Debug, Clone)]
pub struct Inside {
    /// Their names, innermost first; never empty.
    pub names: Vec<Arc<str>>,
    /// The user's call of the outermost.
    pub span: Span,
}

/// Whose a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Written in the `kernel!`.
    User,
    /// Of the standard library.
    Library,
}

/// The expressions of one program. Equal expressions have equal ids.
#[derive(Debug, Clone, Default)]
pub struct Exprs {
    nodes: Vec<Node>,
    index: HashMap<(Expr, ScalarType), ExprId>,
    vars: Vec<(ScalarType, Range)>,
    /// The token for which each node was made.
    origins: Vec<Span>,
    /// The token for which nodes are being made.
    now: Span,
    places: HashMap<ExprId, (Span, Option<Arc<Inside>>)>,
    /// What the author calls values.
    names: HashMap<ExprId, Arc<str>>,
    /// The rows and columns of matrices that loads were asked for.
    pub coordinates: Coordinates,
}

impl Exprs {
    /// The node of an expression.
    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The expression itself.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.node(id).expr
    }

    /// Its type.
    pub fn ty(&self, id: ExprId) -> ScalarType {
        self.node(id).ty
    }

    /// The range in which its value is known to lie.
    pub fn range(&self, id: ExprId) -> Range {
        self.node(id).range
    }

    /// Whether a product of two numbers is below 2^32, whatever they are in their ranges.
    pub(crate) fn product_fits(&self, a: ExprId, b: ExprId) -> bool {
        self.range(a).hi * self.range(b).hi <= u32::MAX.into()
    }

    /// The range in which a variable's value is known to lie.
    pub(crate) fn var_range(&self, id: VarId) -> Range {
        self.vars[id.0 as usize].1
    }

    /// Whether it contains a load: such an expression is evaluated only where its value is needed.
    pub fn loads(&self, id: ExprId) -> bool {
        self.node(id).loads
    }

    /// Whether the launch knows a value: it is made of lengths, scalar arguments and constants alone.
    pub fn known_at_launch(&self, id: ExprId) -> bool {
        !self.node(id).varies
    }

    /// Notes, the first time, which token of the user's asked for an expression, and the library functions that were
    /// being evaluated.
    pub fn note_place(&mut self, id: ExprId, span: Span, inside: impl FnOnce() -> Option<Inside>) {
        self.places.entry(id).or_insert_with(|| (span, inside().map(Arc::new)));
    }

    /// Gives `new`, which a pass has made from `old`, the place of `old`, unless it has one of its own.
    pub(crate) fn inherit_place(&mut self, new: ExprId, old: ExprId) {
        if new != old
            && !self.places.contains_key(&new)
            && let Some(place) = self.places.get(&old).cloned()
        {
            self.places.insert(new, place);
        }
    }

    /// Gives `new` the place that `old` has in another store, unless it has one of its own.
    pub(crate) fn take_place(&mut self, new: ExprId, from: &Exprs, old: ExprId) {
        if let Some(place) = from.places.get(&old) {
            self.places.entry(new).or_insert_with(|| place.clone());
        }
    }

    /// The token of the user's that first asked for an expression; `Span::NONE` where none is known.
    pub fn place(&self, id: ExprId) -> Span {
        self.places.get(&id).map_or(Span::NONE, |(span, _)| *span)
    }

    /// The library functions inside which an expression was first asked for.
    pub fn inside(&self, id: ExprId) -> Option<&Inside> {
        self.places.get(&id)?.1.as_deref()
    }

    /// Notes what the author calls a value, the first time. Constants, scalars and lengths have names of their own.
    pub fn note_name(&mut self, id: ExprId, name: &str) {
        if !matches!(self.expr(id), Expr::Const(_) | Expr::Scalar(_) | Expr::Len(_)) && !name.is_empty() {
            self.names.entry(id).or_insert_with(|| name.into());
        }
    }

    /// What the author calls a value.
    pub fn name(&self, id: ExprId) -> Option<&str> {
        self.names.get(&id).map(|name| &**name)
    }

    /// Says for which of the user's tokens expressions are made from now on; gives the one before.
    pub fn make_for(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.now, span)
    }

    /// Expressions are made for the same token as `id` was; gives the one before.
    pub(crate) fn make_as(&mut self, id: ExprId) -> Span {
        self.make_for(self.origins[id.0 as usize])
    }

    /// The token of the user's for which an expression was first made; `Span::NONE` where none is known.
    pub fn origin(&self, id: ExprId) -> Span {
        self.origins[id.0 as usize].or(self.place(id))
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The constant, where the expression is one.
    pub fn as_const(&self, id: ExprId) -> Option<Const> {
        match self.expr(id) {
            Expr::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The value, where the expression is a `u32` constant.
    pub fn as_u32(&self, id: ExprId) -> Option<u32> {
        self.as_const(id).filter(|c| c.ty == ScalarType::U32).map(|c| c.bits as u32)
    }

    pub(super) fn declare_var(&mut self, id: VarId, ty: ScalarType, range: Range) {
        debug_assert_eq!(id.0 as usize, self.vars.len());
        self.vars.push((ty, range));
    }

    /// From here on the variable is known to lie in this range. Gives its expression, which is a new one: what was made of the old is to be
    /// made again.
    pub(crate) fn narrow_var(&mut self, id: VarId, range: Range) -> ExprId {
        let (ty, known) = &mut self.vars[id.0 as usize];
        *known = range;
        self.index.remove(&(Expr::Var(id), *ty));
        self.var(id)
    }

    /// Gives `new`, which a pass has made from `old`, the place and the name of `old`, unless it has its own.
    pub(crate) fn inherit(&mut self, new: ExprId, old: ExprId) {
        self.inherit_place(new, old);
        if let Some(name) = self.names.get(&old).cloned() {
            self.names.entry(new).or_insert(name);
        }
    }

    /// Declares a variable of any number; those below it that nobody declares are never used.
    pub(super) fn declare_at(&mut self, id: VarId, ty: ScalarType, range: Range) {
        let unused = (ScalarType::U32, Range::full(ScalarType::U32));
        let end = self.vars.len().max(id.0 as usize + 1);
        self.vars.resize(end, unused);
        self.vars[id.0 as usize] = (ty, range);
    }

    /// The node as it stands, with nothing simplified: what a reader of printed text makes. Its range is what a constructor
    /// would have found, but for a register's, which is the whole type's.
    pub(super) fn exact(&mut self, expr: Expr, ty: ScalarType) -> ExprId {
        let range = self.derived_range(expr, ty);
        self.add(expr, ty, range)
    }

    /// The range of a node's value, as far as it follows from the ranges of its operands.
    fn derived_range(&self, expr: Expr, ty: ScalarType) -> Range {
        match expr {
            Expr::Const(c) if !c.ty.is_float() => Range::new(c.int(), c.int()),
            Expr::Var(v) => self.vars[v.0 as usize].1,
            Expr::Un(op, _) if op.class() == UnClass::Count && ty.is_int() => Range::new(0, ty.bits().into()),
            Expr::Cast(a) => {
                let (from, r, full) = (self.ty(a), self.range(a), Range::full(ty));
                let keeps = !from.is_float() && !ty.is_float() && r.within(full);
                if keeps { r } else { full }
            }
            Expr::Select(_, a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                Range::new(a.lo.min(b.lo), a.hi.max(b.hi))
            }
            Expr::Bin(op, a, b) if !self.ty(a).is_float() => self.range_of(op, self.ty(a), a, b),
            _ => Range::full(ty),
        }
    }

    fn add(&mut self, expr: Expr, ty: ScalarType, range: Range) -> ExprId {
        if let Some(&id) = self.index.get(&(expr, ty)) {
            return id;
        }
        let id = ExprId(self.nodes.len() as u32);
        let (mut loads, mut varies) = match expr {
            Expr::Load(..) => (true, true),
            Expr::Var(_) | Expr::Special(_) => (false, true),
            _ => (false, false),
        };
        for operand in walk::operands(expr) {
            let node = self.node(operand);
            loads |= node.loads;
            varies |= node.varies;
        }
        self.nodes.push(Node { expr, ty, range, loads, varies });
        self.origins.push(self.now);
        self.index.insert((expr, ty), id);
        id
    }

    /// A constant.
    pub fn constant(&mut self, c: Const) -> ExprId {
        self.exact(Expr::Const(c), c.ty)
    }

    /// A `u32` constant.
    pub fn u32(&mut self, v: u32) -> ExprId {
        self.constant(Const::u32(v))
    }

    /// A `bool` constant.
    pub fn bool(&mut self, v: bool) -> ExprId {
        self.constant(Const::bool(v))
    }

    /// The value of a variable.
    pub fn var(&mut self, id: VarId) -> ExprId {
        self.exact(Expr::Var(id), self.vars[id.0 as usize].0)
    }

    /// A scalar argument.
    pub fn scalar(&mut self, id: ParamId, ty: ScalarType) -> ExprId {
        self.exact(Expr::Scalar(id), ty)
    }

    /// The length of an input.
    pub fn input_len(&mut self, id: ParamId) -> ExprId {
        self.exact(Expr::Len(id), ScalarType::U32)
    }

    /// A machine register; `hi` is its greatest value.
    pub fn special(&mut self, s: Special, hi: u32) -> ExprId {
        self.add(Expr::Special(s), ScalarType::U32, Range::new(0, hi.into()))
    }

    /// Whether the code is a GPU's.
    pub fn on_gpu(&mut self) -> ExprId {
        self.exact(Expr::OnGpu, ScalarType::Bool)
    }

    /// An element of an array of `ty`.
    pub fn load(&mut self, array: ArrayId, index: ExprId, ty: ScalarType) -> ExprId {
        self.exact(Expr::Load(array, index), ty)
    }

    /// A unary operation.
    pub fn un(&mut self, op: UnOp, a: ExprId) -> ExprId {
        let ty = self.ty(a);
        if ty.is_half() {
            return self.in_f32(ty, [a], |e, [a]| e.un(op, a));
        }
        if let Some(c) = self.as_const(a) {
            return self.constant(arith::un(op, c));
        }
        match (op, self.expr(a)) {
            (UnOp::Not, Expr::Un(UnOp::Not, x)) => return x,
            (UnOp::Not, Expr::Bin(cmp, x, y)) if cmp.is_comparison() && !self.ty(x).is_float() => {
                return self.bin(negated(cmp), x, y);
            }
            _ => {}
        }
        self.exact(Expr::Un(op, a), ty)
    }

    /// `a * b + c`, rounded once; of 16-bit floats the once is to `f32`, as with all their arithmetic.
    pub fn mul_add(&mut self, a: ExprId, b: ExprId, c: ExprId) -> ExprId {
        let ty = self.ty(a);
        if ty.is_half() {
            return self.in_f32(ty, [a, b, c], |e, [a, b, c]| e.mul_add(a, b, c));
        }
        if let (Some(x), Some(y), Some(z)) = (self.as_const(a), self.as_const(b), self.as_const(c)) {
            return self.constant(arith::mul_add(x, y, z));
        }
        if !ty.is_float() {
            let product = self.bin(BinOp::Mul, a, b);
            return self.bin(BinOp::Add, product, c);
        }
        self.exact(Expr::MulAdd(a, b, c), ty)
    }

    /// The bits of `a` as the type `to` of the same width, where one of the two is a float; else a cast.
    pub fn bits(&mut self, a: ExprId, to: ScalarType) -> ExprId {
        let from = self.ty(a);
        if from.bits() != to.bits() || from.is_float() == to.is_float() {
            return self.cast(a, to);
        }
        if let Some(c) = self.as_const(a) {
            return self.constant(arith::bits(c, to));
        }
        if let Expr::Bits(x) = self.expr(a)
            && self.ty(x) == to
        {
            return x;
        }
        self.exact(Expr::Bits(a), to)
    }

    /// An operation on 16-bit floats: done in `f32` and rounded back. For `+ - * / sqrt` that is correctly rounded,
    /// since `f32` has more than twice their precision and two bits.
    fn in_f32<const N: usize>(
        &mut self,
        ty: ScalarType,
        operands: [ExprId; N],
        op: impl FnOnce(&mut Exprs, [ExprId; N]) -> ExprId,
    ) -> ExprId {
        let wide = operands.map(|x| self.cast(x, ScalarType::F32));
        let result = op(self, wide);
        if self.ty(result) == ScalarType::F32 { self.cast(result, ty) } else { result }
    }

    /// A cast, as Rust's `as`.
    pub fn cast(&mut self, a: ExprId, to: ScalarType) -> ExprId {
        let from = self.ty(a);
        if from == to {
            return a;
        }
        if let Some(c) = self.as_const(a) {
            return self.constant(arith::cast(c, to));
        }
        // 16-bit floats convert from and to `f32` alone.
        if (from.is_half() && to != ScalarType::F32) || (to.is_half() && from != ScalarType::F32) {
            let through = self.cast(a, ScalarType::F32);
            return self.cast(through, to);
        }
        if let Expr::Cast(x) = self.expr(a)
            && self.ty(x) == to
            && to.is_half()
        {
            return x;
        }
        self.exact(Expr::Cast(a), to)
    }

    /// `if c { a } else { b }`.
    pub fn select(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        if let Some(k) = self.as_const(c) {
            return if k.bits != 0 { a } else { b };
        }
        if a == b {
            return a;
        }
        if self.ty(a) == ScalarType::Bool {
            match (self.as_const(a).map(|c| c.bits), self.as_const(b).map(|c| c.bits)) {
                (Some(1), Some(0)) => return c,
                (Some(0), Some(1)) => return self.un(UnOp::Not, c),
                _ => {}
            }
        }
        self.exact(Expr::Select(c, a, b), self.ty(a))
    }

    /// A binary operation.
    pub fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.ty(a);
        if ty.is_half() {
            return self.in_f32(ty, [a, b], |e, [a, b]| e.bin(op, a, b));
        }
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(arith::bin(op, x, y));
        }
        // Constants to the right, so that rules need one form only.
        let commutes =
            matches!(op, BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Eq | BinOp::Ne);
        let (a, b) = if commutes && self.as_const(a).is_some() && !ty.is_float() { (b, a) } else { (a, b) };
        if !ty.is_float()
            && let Some(id) = self.simplify(op, ty, a, b)
        {
            return id;
        }
        let result = if op.is_comparison() { ScalarType::Bool } else { ty };
        let range = if ty.is_float() { Range::full(result) } else { self.range_of(op, ty, a, b) };
        if !result.is_float() && range.lo == range.hi {
            return self.constant(Const { ty: result, bits: arith::wrap(result, range.lo) });
        }
        self.add(Expr::Bin(op, a, b), result, range)
    }
}

fn negated(op: BinOp) -> BinOp {
    match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        _ => BinOp::Lt,
    }
}

#[cfg(test)]
mod tests;
