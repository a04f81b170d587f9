//! What a kernel means, as a functional program on lists: written without looking at the compiler, of which it takes only
//! the meaning of scalar operations (`program::arith`).

mod arrays;
mod launches;
mod matrices;
mod programs;
mod scalars;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use obsidian_ir::program::{BinOp, Const};

use crate::ast::{Expr, Kernel, Op, Place, Source, Update};
use crate::data;
use crate::env::Env;

/// A value.
#[derive(Clone)]
pub enum Value<'k> {
    /// A scalar.
    Scalar(Const),
    /// A tuple.
    Tuple(Rc<Vec<Value<'k>>>),
    /// An array of either kind: all its elements.
    Array(Rc<Vec<Value<'k>>>),
    /// A function.
    Function(&'k Expr, Env<Value<'k>>),
}

/// Why a kernel has no meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoMeaning {
    /// An index past the end of an array.
    OutOfRange,
    /// It is not a kernel; says what was found.
    Malformed(String),
}

/// Expressions that are evaluated for one kernel, at most: a kernel that is made smaller may count to any number.
const MAX_STEPS: u64 = 1 << 25;

type Result<T> = std::result::Result<T, NoMeaning>;
type Scope<'k> = Env<Value<'k>>;

/// Gives kernels their meaning.
pub struct Meaning<'k> {
    kernel: &'k Kernel,
    /// Replaces an operator: by itself, unless a test plants a fault.
    operator: fn(BinOp) -> BinOp,
    /// Expressions evaluated so far.
    steps: Cell<u64>,
    /// What the arguments that are updated hold.
    updated: RefCell<BTreeMap<u32, Vec<Value<'k>>>>,
}

fn malformed<T>(what: impl Into<String>) -> Result<T> {
    Err(NoMeaning::Malformed(what.into()))
}

impl<'k> Value<'k> {
    fn constant(&self) -> Result<Const> {
        if let Value::Scalar(c) = self { Ok(*c) } else { malformed("no scalar") }
    }

    fn number(&self) -> Result<usize> {
        self.constant().map(|c| c.bits as usize)
    }

    fn list(&self) -> Result<&Rc<Vec<Value<'k>>>> {
        if let Value::Array(list) = self { Ok(list) } else { malformed("no array") }
    }

    fn tuple(&self) -> Result<&Rc<Vec<Value<'k>>>> {
        if let Value::Tuple(list) = self { Ok(list) } else { malformed("no tuple") }
    }

    fn u32(n: usize) -> Value<'k> {
        Value::Scalar(Const::u32(n as u32))
    }

    fn array(list: Vec<Value<'k>>) -> Value<'k> {
        Value::Array(Rc::new(list))
    }

    fn pair(a: Value<'k>, b: Value<'k>) -> Value<'k> {
        Value::Tuple(Rc::new(vec![a, b]))
    }
}

/// What each updated argument, then each output holds: one column of bits per field.
pub fn outputs(kernel: &Kernel, operator: fn(BinOp) -> BinOp) -> Result<Vec<Vec<Vec<u64>>>> {
    let mut meaning = Meaning { kernel, operator, steps: Cell::new(0), updated: RefCell::default() };
    let mut scope = Scope::default();
    for input in &kernel.inputs {
        let columns = data::columns(kernel, input);
        let row = |i: usize| match &columns[..] {
            [one] => Value::Scalar(one[i]),
            many => Value::Tuple(Rc::new(many.iter().map(|c| Value::Scalar(c[i])).collect())),
        };
        let value = match input.source {
            Source::Scalar => row(0),
            Source::Buffer(n, _) => Value::array((0..n as usize).map(row).collect()),
            Source::Matrix(rows, cols) => {
                let (rows, cols) = (rows as usize, cols as usize);
                let line = |r: usize| Value::array((0..cols).map(|c| row(r * cols + c)).collect());
                Value::array((0..rows).map(line).collect())
            }
            Source::Updated(n, ..) => {
                meaning.updated.get_mut().insert(input.var, (0..n as usize).map(row).collect());
                continue;
            }
        };
        scope = scope.with(input.var, value);
    }
    for (var, change) in &kernel.changes {
        meaning.change(*var, change, &scope)?;
    }
    let written = kernel.outputs.iter().map(|e| meaning.eval(e, &scope)).collect::<Result<Vec<Value<'_>>>>()?;
    let updated = kernel.inputs.iter().filter_map(|i| meaning.updated.get_mut().remove(&i.var).map(Value::array));
    let updated: Vec<Value<'_>> = updated.collect();
    updated.iter().chain(&written).map(columns).collect()
}

/// Elements at their places, one at each.
fn permuted<'k>(n: usize, placed: Vec<(usize, Value<'k>)>) -> Result<Value<'k>> {
    let by_place: BTreeMap<usize, Value<'k>> = placed.into_iter().collect();
    match by_place.len() == n && by_place.keys().all(|&k| k < n) {
        true => Ok(Value::array(by_place.into_values().collect())),
        false => malformed("no permutation"),
    }
}

/// An array as columns of bits.
fn columns(value: &Value<'_>) -> Result<Vec<Vec<u64>>> {
    let mut columns: Vec<Vec<u64>> = Vec::new();
    for row in value.list()?.iter() {
        let fields = match row {
            Value::Tuple(fields) => fields.iter().map(Value::constant).collect::<Result<Vec<Const>>>()?,
            one => vec![one.constant()?],
        };
        columns.resize(fields.len(), Vec::new());
        columns.iter_mut().zip(fields).for_each(|(column, c)| column.push(c.bits));
    }
    Ok(columns)
}

impl<'k> Meaning<'k> {
    fn eval(&self, e: &'k Expr, scope: &Scope<'k>) -> Result<Value<'k>> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS {
            return malformed("it takes too long");
        }
        let arg = |i: usize| self.eval(&e.args[i], scope);
        match &e.op {
            Op::Const(c) => Ok(Value::Scalar(*c)),
            Op::Size(n) => Ok(Value::Scalar(Const::u32(*n))),
            Op::Var(v) => scope.get(*v).cloned().ok_or(NoMeaning::Malformed(format!("v{v}"))),
            Op::Let(v) => self.eval(&e.args[1], &scope.with(*v, arg(0)?)),
            Op::Lambda(_) | Op::Name(_) => Ok(Value::Function(e, scope.clone())),
            Op::Helper(h) => self.helper(*h, self.all(&e.args, scope)?),
            Op::Apply(v) => {
                let args = self.all(&e.args, scope)?;
                let f = scope.get(*v).cloned().ok_or(NoMeaning::Malformed(format!("v{v}")))?;
                self.apply(&f, args)
            }
            Op::If => self.eval(&e.args[if arg(0)?.number()? != 0 { 1 } else { 2 }], scope),
            Op::Match => {
                let chosen = match arg(0)?.constant()?.int() {
                    0 => 1,
                    1..=5 => 2,
                    _ => 3,
                };
                self.eval(&e.args[chosen], scope)
            }
            Op::Listed => self.eval(&e.args[1 + arg(0)?.number()? % 3], scope),
            Op::InPlace(name, _) => {
                let changed = self.arrays(name, &self.all(&e.args, scope)?)?;
                changed.ok_or_else(|| NoMeaning::Malformed((*name).to_string()))
            }
            Op::Tuple => Ok(Value::Tuple(Rc::new(self.all(&e.args, scope)?))),
            Op::Record(_) => Ok(Value::Tuple(Rc::new(self.all(&e.args, scope)?))),
            Op::Asserted(_) => arg(1),
            Op::Kept(_) => self.compact(&arg(0)?, &arg(1)?, arg(2)?),
            Op::Field(i) | Op::Part(i) => {
                arg(0)?.tuple()?.get(*i as usize).cloned().ok_or(NoMeaning::Malformed("field".into()))
            }
            Op::Index => {
                let (array, at) = (arg(0)?, arg(1)?.number()?);
                array.list()?.get(at).cloned().ok_or(NoMeaning::OutOfRange)
            }
            Op::Written(_) => {
                let n = arg(0)?.number()?;
                let steps = (0..n).map(|i| self.apply(&arg(1)?, vec![Value::u32(i)])).collect::<Result<Vec<_>>>()?;
                let placed = steps.iter().map(|s| Ok((s.tuple()?[1].number()?, s.tuple()?[0].clone())));
                permuted(n, placed.collect::<Result<_>>()?)
            }
            Op::Launched(what, _) => self.launched(*what, &self.all(&e.args, scope)?),
            Op::Matrix(what) => self.of_matrix(*what, &self.all(&e.args, scope)?),
            Op::Chunked(what, cut) => self.chunked((*what, *cut), &self.all(&e.args, scope)?),
            Op::Interleaved(_) => {
                let (rows, f, place) = (arg(0)?, arg(1)?, arg(2)?);
                let mut placed = Vec::new();
                for (i, row) in rows.list()?.iter().enumerate() {
                    for (j, x) in self.apply(&f, vec![row.clone()])?.list()?.iter().enumerate() {
                        let at = self.apply(&place, vec![Value::u32(i), Value::u32(j)])?.number()?;
                        placed.push((at, x.clone()));
                    }
                }
                permuted(placed.len(), placed)
            }
            Op::Short(k) => self.eval(&e.args[if arg(0)?.list()?.len() <= *k as usize { 1 } else { 2 }], scope),
            Op::Again => {
                let helpers = self.kernel.helpers.iter().enumerate();
                let found = helpers.into_iter().find(|(_, h)| scope.get(h.params[0].0).is_some());
                let Some((h, helper)) = found else { return malformed("no helper around") };
                let others = helper.params[1..].iter().filter_map(|p| scope.get(p.0).cloned());
                self.helper(h, std::iter::once(arg(0)?).chain(others).collect())
            }
            Op::Bump(var) => {
                let input = self.kernel.inputs.iter().find(|i| i.var == *var);
                let Some(Source::Updated(_, _, Update::By(name))) = input.map(|i| i.source) else {
                    return malformed("no updated buffer");
                };
                let before = self.updated.borrow().get(var).cloned().unwrap_or_default();
                let after = self.updates(name, Value::array(before), arg(0)?.number()?, &arg(1)?)?;
                self.updated.borrow_mut().insert(*var, after.list()?.to_vec());
                arg(2)
            }
            Op::For(state, index, going) | Op::ForLeft(state, index, going) => {
                let mut value = arg(1)?;
                for i in going.numbers(arg(0)?.number()?) {
                    let inside = scope.with(*state, value.clone()).with(*index, Value::u32(i));
                    let holds = |at: usize| e.args.get(at).map_or(Ok(0), |c| self.eval(c, &inside)?.number());
                    if holds(4)? != 0 {
                        continue;
                    }
                    if holds(5)? != 0 {
                        break;
                    }
                    value = self.eval(&e.args[2], &inside)?;
                }
                self.eval(&e.args[3], &scope.with(*state, value))
            }
            Op::Staged(..) => self.in_stages(arg(0)?, arg(1)?.number()?, &arg(2)?),
            Op::InTurn(_, place) => self.in_turn(arg(0)?, arg(1)?.number()?, [&arg(2)?, &arg(3)?], *place),
            Op::Registers(..) => self.in_rounds(arg(0)?, arg(1)?.number()?, &arg(2)?),
            Op::Updates(name, ..) => self.updates(name, arg(0)?, arg(1)?.number()?, &arg(2)?),
            Op::Call(name) | Op::Method(name) => {
                let args = self.all(&e.args, scope)?;
                if let Some(value) = self.arrays(name, &args)? {
                    return Ok(value);
                }
                if let Some(value) = self.programs(name, &args)? {
                    return Ok(value);
                }
                scalars::call(name, &args)
            }
            op => scalars::operation(op, &self.all(&e.args, scope)?, self.operator),
        }
    }

    /// Each element of an updated argument becomes what a function makes of it.
    fn change(&self, var: u32, f: &'k Expr, scope: &Scope<'k>) -> Result<()> {
        let before = self.updated.borrow().get(&var).cloned().unwrap_or_default();
        let f = Value::Function(f, scope.clone());
        let changed = |(i, x)| self.apply(&f, vec![Value::u32(i), x]);
        let after = before.into_iter().enumerate().map(changed).collect::<Result<_>>()?;
        self.updated.borrow_mut().insert(var, after);
        Ok(())
    }

    fn all(&self, args: &'k [Expr], scope: &Scope<'k>) -> Result<Vec<Value<'k>>> {
        args.iter().map(|a| self.eval(a, scope)).collect()
    }

    fn apply(&self, f: &Value<'k>, args: Vec<Value<'k>>) -> Result<Value<'k>> {
        let Value::Function(f, outer) = f else { return malformed("no function") };
        match &f.op {
            Op::Lambda(params) => {
                let scope = params.iter().zip(args).fold(outer.clone(), |s, (v, value)| s.with(*v, value));
                self.eval(&f.args[0], &scope)
            }
            Op::Name(h) => self.helper(*h, args),
            _ => malformed("no function"),
        }
    }

    fn helper(&self, h: usize, args: Vec<Value<'k>>) -> Result<Value<'k>> {
        let Some(helper) = self.kernel.helpers.get(h) else { return malformed("no helper") };
        let params = helper.params.iter().map(|p| p.0);
        let scope = params.zip(args).fold(Scope::default(), |s, (v, value)| s.with(v, value));
        self.eval(&helper.body, &scope)
    }

    /// The elements of which a function holds, then others up to the same length.
    fn compact(&self, xs: &Value<'k>, keep: &Value<'k>, fill: Value<'k>) -> Result<Value<'k>> {
        let xs = xs.list()?;
        let mut list = Vec::new();
        for x in xs.iter() {
            if self.apply(keep, vec![x.clone()])?.number()? != 0 {
                list.push(x.clone());
            }
        }
        list.resize(xs.len(), fill);
        Ok(Value::array(list))
    }

    /// Each element by itself, as often as there are rounds.
    fn in_rounds(&self, array: Value<'k>, rounds: usize, f: &Value<'k>) -> Result<Value<'k>> {
        let mut list = array.list()?.to_vec();
        for _ in 0..rounds {
            for (i, x) in list.iter_mut().enumerate() {
                *x = self.apply(f, vec![x.clone(), Value::u32(i)])?;
            }
        }
        Ok(Value::array(list))
    }

    /// Each element with one of the same round, as its place is told.
    fn in_turn(&self, array: Value<'k>, rounds: usize, [f, at]: [&Value<'k>; 2], place: Place) -> Result<Value<'k>> {
        let mut list = array.list()?.to_vec();
        for _ in 0..rounds {
            let next = list.iter().enumerate().map(|(i, x)| {
                let at = self.apply(at, vec![x.clone(), Value::u32(i)])?.number()?;
                let other = match place {
                    Place::Remainder => &list[at % list.len()],
                    Place::Tested => list.get(at).unwrap_or(x),
                };
                self.apply(f, vec![x.clone(), other.clone()])
            });
            list = next.collect::<Result<Vec<_>>>()?;
        }
        Ok(Value::array(list))
    }

    /// Each element with one of what a round loads: the array turned by the number of the round, from the back.
    fn in_stages(&self, array: Value<'k>, rounds: usize, f: &Value<'k>) -> Result<Value<'k>> {
        let array = array.list()?;
        let (mut list, n) = (array.to_vec(), array.len());
        for k in 0..rounds {
            for (i, x) in list.iter_mut().enumerate() {
                *x = self.apply(f, vec![x.clone(), array[(n - 1 - i + k) % n].clone()])?;
            }
        }
        Ok(Value::array(list))
    }

    fn updates(&self, name: &str, array: Value<'k>, n: usize, f: &Value<'k>) -> Result<Value<'k>> {
        let mut list = array.list()?.to_vec();
        for i in 0..n {
            let step = self.apply(f, vec![Value::u32(i)])?;
            let (at, x) = (step.tuple()?[0].number()?, step.tuple()?[1].clone());
            let Some(place) = list.get_mut(at) else { return Err(NoMeaning::OutOfRange) };
            let op = match name {
                "atomic_add" => BinOp::Add,
                "atomic_sub" => BinOp::Sub,
                "atomic_min" => BinOp::Min,
                "atomic_max" => BinOp::Max,
                "atomic_and" => BinOp::And,
                "atomic_or" => BinOp::Or,
                "atomic_exchange" => {
                    *place = scalars::exchanged(at, place)?;
                    continue;
                }
                _ => BinOp::Xor,
            };
            *place = scalars::operation(&Op::Bin(op), &[place.clone(), x], self.operator)?;
        }
        Ok(Value::array(list))
    }
}
