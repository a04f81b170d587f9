//! The typed AST. Variables are slots of a frame; calls say which function, at which levels and for which types.

use std::rc::Rc;

use super::arena::{LvlId, TyId};
use crate::Level;
use crate::diag::Span;
use crate::program::{BinOp, Claim, ScalarType, UnOp};
use crate::syntax::ast::RangeEnd;

/// A function of the user's or of the standard library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FnId(pub u32);

/// A row of the table of builtins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuiltinId(pub u32);

/// What a generic of a called function stands for, in the caller's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeArg {
    /// A level.
    Level(LvlId),
    /// A type.
    Type(TyId),
    /// A kind of length: nothing depends on it.
    Size,
}

/// What a generic stands for in one call, while evaluating.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenericArg {
    /// A level.
    Level(Level),
    /// A scalar type.
    Scalar(ScalarType),
    /// A type that is no scalar, or a kind of length: nothing asks for it.
    Other,
}

/// A checked function.
#[derive(Debug)]
pub struct TFn {
    /// Its name.
    pub name: String,
    /// Binds the arguments.
    pub params: Vec<TPat>,
    /// Slots in a frame.
    pub frame: u32,
    /// The body.
    pub body: TExpr,
}

/// An entry: what the evaluator must make of its parameters.
#[derive(Debug)]
pub struct Entry {
    /// The function.
    pub id: FnId,
    /// Its parameters.
    pub inputs: Vec<EntryInput>,
    /// Element types of each output: one a tuple field.
    pub outputs: Vec<Vec<ScalarType>>,
    /// Real threads: one variant each.
    pub threads: Vec<u32>,
    /// Limit on shared memory, in bytes.
    pub shared: u32,
}

/// A parameter of an entry.
#[derive(Debug)]
pub enum EntryInput {
    /// A buffer: element type a field (one unless a tuple), and the length where the type fixes it.
    Buffer {
        /// Its name.
        name: String,
        /// Element types.
        fields: Vec<ScalarType>,
        /// Whether the element is a tuple (a one-field buffer may be a scalar's).
        tuple: ElementShape,
        /// Fixed length.
        len: Option<u32>,
        /// What the kernel does with it.
        access: BufferAccess,
    },
    /// A scalar.
    Scalar {
        /// Its name.
        name: String,
        /// Its type.
        ty: ScalarType,
    },
}

/// What a kernel does with a buffer that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferAccess {
    /// It reads it.
    Read,
    /// It reads it and changes it in place.
    Update,
}

/// Whether elements are scalars or tuples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementShape {
    /// A scalar.
    Scalar,
    /// A tuple of scalars.
    Tuple,
}

/// A typed expression.
#[derive(Debug)]
pub struct TExpr {
    /// What.
    pub kind: TKind,
    /// Where.
    pub span: Span,
    /// Its type.
    pub ty: TyId,
}

/// The forms of typed expressions.
#[derive(Debug)]
pub enum TKind {
    /// An integer literal of the expression's type.
    Int(u64),
    /// A float literal of the expression's type.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// `u32::MAX` and the like: a constant of that type.
    NamedConst(TyId, String),
    /// A variable.
    Local(u32),
    /// A call.
    Call {
        /// The function.
        f: FnId,
        /// What its generics stand for, in their order.
        generics: Vec<TypeArg>,
        /// Arguments.
        args: Vec<TExpr>,
    },
    /// A call of a builtin.
    Builtin {
        /// The row.
        b: BuiltinId,
        /// What its generics stand for, in their order.
        generics: Vec<TypeArg>,
        /// Arguments.
        args: Vec<TExpr>,
    },
    /// A call of a function value.
    Apply(Box<TExpr>, Vec<TExpr>),
    /// A function value. A by-name argument is one without parameters.
    Closure(Rc<Closure>),
    /// A unary operator.
    Unary(UnOp, Box<TExpr>),
    /// A binary operator.
    Binary(BinOp, Box<TExpr>, Box<TExpr>),
    /// `&&`, `||`.
    Logic(BinOp, Box<TExpr>, Box<TExpr>),
    /// `as`, to the expression's type.
    Cast(Box<TExpr>),
    /// `if`.
    If(Box<TExpr>, Box<TExpr>, Option<Box<TExpr>>),
    /// A block.
    Block(Vec<TStmt>, Option<Box<TExpr>>),
    /// `unsafe { .. }`.
    Unsafe(Box<TExpr>),
    /// A tuple.
    Tuple(Vec<TExpr>),
    /// `e.0`.
    Field(Box<TExpr>, u32),
    /// `a[i]`.
    Index(Box<TExpr>, Box<TExpr>),
}

/// A closure.
#[derive(Debug)]
pub struct Closure {
    /// Binds the arguments.
    pub params: Vec<TPat>,
    /// What it takes along: (slot of the maker's frame, slot of its own).
    pub captures: Vec<(u32, u32)>,
    /// Slots in its frame.
    pub frame: u32,
    /// The body.
    pub body: TExpr,
    /// Who answers for its writes, where it stands in `unsafe { .. }`.
    pub claim: Option<Claim>,
}

/// A pattern over slots.
#[derive(Debug, Clone)]
pub enum TPat {
    /// Binds a slot.
    Slot(u32, String),
    /// Takes a tuple apart.
    Tuple(Vec<TPat>),
    /// Ignores the value.
    Wild,
}

/// A statement.
#[derive(Debug)]
pub enum TStmt {
    /// `let`.
    Let(TPat, TExpr),
    /// An assignment to a `let mut` slot.
    Assign(u32, TExpr),
    /// An assignment to an element of a mutable array.
    AssignElement {
        /// The `=` token.
        span: Span,
        /// The array.
        base: TExpr,
        /// The index.
        index: TExpr,
        /// Of `+=` and its kin.
        op: Option<BinOp>,
        /// The right side.
        value: TExpr,
    },
    /// `for`.
    For {
        /// The `for` token.
        span: Span,
        /// Binds the index.
        pat: TPat,
        /// First value.
        start: TExpr,
        /// End.
        end: TExpr,
        /// Whether the end is a value too.
        inclusive: RangeEnd,
        /// What is repeated.
        body: TExpr,
    },
    /// `while`.
    While(Span, TExpr, TExpr),
    /// An expression for its effect.
    Expr(TExpr),
}
