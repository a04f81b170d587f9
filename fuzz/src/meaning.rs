//! What a kernel means, as a functional program on lists: written without looking at the compiler, of which it takes only
//! the meaning of scalar operations (`program::arith`).

mod arrays;
mod programs;
mod scalars;

use std::rc::Rc;

use obsidian_ir::program::{BinOp, Const};

use crate::ast::{Expr, Kernel, Op, Source};
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
    /// The kernel is not one: what was met.
    Malformed(String),
}

type Result<T> = std::result::Result<T, NoMeaning>;
type Scope<'k> = Env<Value<'k>>;

/// Gives kernels their meaning.
pub struct Meaning<'k> {
    kernel: &'k Kernel,
    /// What stands for an operator: itself, unless a test plants a fault.
    operator: fn(BinOp) -> BinOp,
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

/// What each output holds: one column of bits a field.
pub fn outputs(kernel: &Kernel, operator: fn(BinOp) -> BinOp) -> Result<Vec<Vec<Vec<u64>>>> {
    let meaning = Meaning { kernel, operator };
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
        };
        scope = scope.with(input.var, value);
    }
    kernel.outputs.iter().map(|e| columns(&meaning.eval(e, &scope)?)).collect()
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
            Op::InPlace(name, _) => {
                let changed = self.arrays(name, &self.all(&e.args, scope)?)?;
                changed.ok_or_else(|| NoMeaning::Malformed((*name).to_string()))
            }
            Op::Tuple => Ok(Value::Tuple(Rc::new(self.all(&e.args, scope)?))),
            Op::Field(i) => arg(0)?.tuple()?.get(*i as usize).cloned().ok_or(NoMeaning::Malformed("field".into())),
            Op::Index => {
                let (array, at) = (arg(0)?, arg(1)?.number()?);
                array.list()?.get(at).cloned().ok_or(NoMeaning::OutOfRange)
            }
            Op::For(state, index) => {
                let mut value = arg(1)?;
                for i in 0..arg(0)?.number()? {
                    let inside = scope.with(*state, value).with(*index, Value::u32(i));
                    value = self.eval(&e.args[2], &inside)?;
                }
                self.eval(&e.args[3], &scope.with(*state, value))
            }
            Op::Updates(name, _) => self.updates(name, arg(0)?, arg(1)?.number()?, &arg(2)?),
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
                _ => BinOp::Xor,
            };
            *place = scalars::operation(&Op::Bin(op), &[place.clone(), x], self.operator)?;
        }
        Ok(Value::array(list))
    }
}
