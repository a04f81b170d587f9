//! The evaluator's values.

use std::rc::Rc;

use super::arrays::Kept;
use super::registers::Elements;
use super::running::Running;
use super::{Stage, confused};
use crate::types::{Closure, GenericArg};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{ExprId, ParamId};

/// A value while compiling.
#[derive(Clone)]
pub enum Value {
    /// A scalar: known if its expression is a constant.
    Scalar(ExprId),
    /// A tuple; `()` is empty.
    Tuple(Rc<[Value]>),
    /// A pull array.
    Pull(Pull),
    /// A push array.
    Push(Push),
    /// A mutable array.
    Mut(Mut),
    /// A function.
    Fn(Func),
}

/// An array whose elements change: where they are, and how many there are (`u32`).
#[derive(Clone)]
pub struct Mut {
    /// Length.
    pub len: ExprId,
    pub(super) elements: Elements,
}

/// A length and an index function (JFP 2016 §4.1).
#[derive(Clone)]
pub struct Pull {
    /// Length (`u32`).
    pub len: ExprId,
    /// The element at an index.
    pub get: Rc<PullFn>,
    /// The buffer that it is, as a whole and in order, where a launch has stored it.
    pub stored: Option<ParamId>,
    /// What writes it, and at which level, where its elements cannot be had one by one.
    pub whole: Option<(Level, Push)>,
    /// The memory that it is, as a whole and in order, where `compute` has stored it.
    pub(super) kept: Option<Kept>,
}

/// Gives an element.
pub type PullFn = dyn Fn(&mut Stage, ExprId) -> Result<Value>;

/// A loop that hands all elements to a writer (JFP 2016 §4.2). `open` does the computing that precedes the loop.
#[derive(Clone)]
pub struct Push {
    /// Its length, if that is known without opening it.
    pub len: Option<ExprId>,
    /// The buffer whose elements it writes, all and in order, where a launch has stored them.
    pub stored: Option<ParamId>,
    /// Begins it.
    pub open: Rc<OpenFn>,
}

/// Emits the computing that precedes the elements.
pub type OpenFn = dyn Fn(&mut Stage) -> Result<Opened>;

/// A push array whose computing has been emitted and whose elements have not.
pub struct Opened {
    /// Length (`u32`).
    pub len: ExprId,
    /// Of arrays of one length that are joined one after the other: how many there are, and that length.
    pub rows: Option<(ExprId, ExprId)>,
    /// The memory whose elements it writes, all and in order.
    pub(super) kept: Option<Kept>,
    /// Emits the loop that writes the elements.
    pub write: Box<WriteFn>,
}

impl Opened {
    /// An array from its length and the loop that writes it.
    pub fn new(len: ExprId, write: impl FnOnce(&mut Stage, &Writer) -> Result<()> + 'static) -> Opened {
        Opened { len, rows: None, kept: None, write: Box::new(write) }
    }
}

/// Emits writes of all elements.
pub type WriteFn = dyn FnOnce(&mut Stage, &Writer) -> Result<()>;

/// Receives an element and its index.
pub type Writer = Rc<dyn Fn(&mut Stage, Value, ExprId) -> Result<()>>;

/// A function of the compiler's own.
pub type NativeFn = dyn Fn(&mut Stage, Vec<Value>) -> Result<Value>;

/// A function.
#[derive(Clone)]
pub enum Func {
    /// Of the source.
    Closure {
        /// Its code.
        code: Rc<Closure>,
        /// The values that it captured.
        captured: Rc<[Value]>,
        /// The generics of the function that it stands in.
        generics: Generics,
        /// The function that made it; `None` for a value in an entry's type.
        maker: Option<Rc<Running>>,
    },
    /// Of the compiler.
    Native(Rc<NativeFn>),
}

/// What a function's generics stand for, by index.
pub type Generics = Rc<[GenericArg]>;

impl Value {
    /// `()`.
    pub fn unit() -> Value {
        Value::Tuple(Rc::new([]))
    }

    /// Its form, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Scalar(_) => "a scalar",
            Value::Tuple(_) => "a tuple",
            Value::Pull(_) => "a pull array",
            Value::Push(_) => "a push array",
            Value::Mut(_) => "a mutable array",
            Value::Fn(_) => "a function",
        }
    }

    /// The scalar.
    pub fn scalar(&self, s: &Stage) -> Result<ExprId> {
        match self {
            Value::Scalar(e) => Ok(*e),
            _ => Err(confused(s, "a scalar", self)),
        }
    }

    /// The pull array.
    pub fn pull(&self, s: &Stage) -> Result<Pull> {
        match self {
            Value::Pull(p) => Ok(p.clone()),
            _ => Err(confused(s, "a pull array", self)),
        }
    }

    /// The push array.
    pub fn push(&self, s: &Stage) -> Result<Push> {
        match self {
            Value::Push(p) => Ok(p.clone()),
            _ => Err(confused(s, "a push array", self)),
        }
    }

    /// The mutable array.
    pub fn mutable(&self, s: &Stage) -> Result<Mut> {
        match self {
            Value::Mut(m) => Ok(m.clone()),
            _ => Err(confused(s, "a mutable array", self)),
        }
    }

    /// The function.
    pub fn func(&self, s: &Stage) -> Result<Func> {
        match self {
            Value::Fn(f) => Ok(f.clone()),
            _ => Err(confused(s, "a function", self)),
        }
    }

    /// Whether it is a scalar or a tuple of scalars.
    pub fn is_scalars(&self) -> bool {
        match self {
            Value::Scalar(_) => true,
            Value::Tuple(parts) => parts.iter().all(Value::is_scalars),
            _ => false,
        }
    }

    /// The scalars of a scalar or of a tuple, left to right.
    pub fn leaves(&self, s: &Stage) -> Result<Vec<ExprId>> {
        let mut out = Vec::new();
        self.collect(s, &mut out)?;
        Ok(out)
    }

    fn collect(&self, s: &Stage, out: &mut Vec<ExprId>) -> Result<()> {
        match self {
            Value::Scalar(e) => out.push(*e),
            Value::Tuple(parts) => parts.iter().try_for_each(|p| p.collect(s, out))?,
            other => return Err(confused(s, "a scalar or a tuple of scalars", other)),
        }
        Ok(())
    }

    /// The same form with other scalars, in the order of [`Value::leaves`].
    pub fn rebuild(&self, leaves: &mut impl Iterator<Item = ExprId>) -> Value {
        match self {
            Value::Scalar(e) => Value::Scalar(leaves.next().unwrap_or(*e)),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|p| p.rebuild(leaves)).collect()),
            other => other.clone(),
        }
    }

    /// Whether two values are the same without looking into functions.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Scalar(a), Value::Scalar(b)) => a == b,
            (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same(b)),
            (Value::Pull(a), Value::Pull(b)) => a.len == b.len && Rc::ptr_eq(&a.get, &b.get),
            (Value::Push(a), Value::Push(b)) => Rc::ptr_eq(&a.open, &b.open),
            (Value::Mut(a), Value::Mut(b)) => a.same(b),
            (
                Value::Fn(Func::Closure { code: a, captured: x, .. }),
                Value::Fn(Func::Closure { code: b, captured: y, .. }),
            ) => Rc::ptr_eq(a, b) && Rc::ptr_eq(x, y),
            (Value::Fn(Func::Native(a)), Value::Fn(Func::Native(b))) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Pull {
    /// An array from its length and index function.
    pub fn new(len: ExprId, get: impl Fn(&mut Stage, ExprId) -> Result<Value> + 'static) -> Pull {
        Pull { len, get: Rc::new(get), stored: None, whole: None, kept: None }
    }
}
