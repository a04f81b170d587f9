//! The typed AST. Variables are slots of a frame; calls say which function, at which levels and for which types.

use std::rc::Rc;
use std::sync::Arc;

use super::arena::{LvlId, TyId};
use crate::syntax::ast::{Message, RangeEnd};
use obsidian_abi::ParamValue;
use obsidian_ir::Level;
use obsidian_ir::diag::Span;
use obsidian_ir::program::{BinOp, Claim, Const, Deny, Options, ScalarType, UnOp};
pub use obsidian_ir::program::{ElementShape, Owner};

/// A function of the user's or of the standard library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FnId(pub u32);

/// A row of the table of builtins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuiltinId(pub u32);

/// What a generic of a called function stands for, in the caller's terms.
#[derive(Debug, Clone)]
pub enum TypeArg {
    /// A level.
    Level(LvlId),
    /// A type.
    Type(TyId),
    /// A kind of length: nothing depends on it.
    Size,
    /// A value, which must be known; `None` if it is found from the length of an argument.
    Const(Option<Rc<Closure>>),
}

/// What a generic stands for in one call, while evaluating.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenericArg {
    /// A level.
    Level(Level),
    /// A scalar type.
    Scalar(ScalarType),
    /// A value.
    Const(Const),
    /// A type that is no scalar, or a kind of length: neither is ever asked for. For a `const` generic, a value that is
    /// not settled yet.
    Other,
}

/// A checked function.
#[derive(Debug)]
pub struct TFn {
    /// Its name.
    pub name: Arc<str>,
    /// Binds the arguments.
    pub params: Vec<TPat>,
    /// Slots in a frame.
    pub frame: u32,
    /// Names of its `const` generics, each with its place among all generics.
    pub consts: Vec<(u32, String)>,
    /// The body.
    pub body: TExpr,
    /// The lengths that its result type asserts.
    pub lengths: Lengths,
    /// Whose it is.
    pub owner: Owner,
}

/// The lengths that a type asserts; `(Pull<T, 512>, Pull<T>)` asserts one of two.
#[derive(Debug, Clone)]
pub enum Lengths {
    /// None.
    Any,
    /// For an array: its own length, and those of its elements.
    Array(Option<Rc<Closure>>, Rc<Lengths>),
    /// For an array of which only the most is said: that, and the lengths of its elements.
    AtMost(Rc<Closure>, Rc<Lengths>),
    /// Of the fields of a tuple.
    Tuple(Vec<Lengths>),
}

/// An entry: what the evaluator must make of its parameters.
#[derive(Debug)]
pub struct Entry {
    /// The function.
    pub id: FnId,
    /// Of its own code: `Device` where it is a program of launches, else `Grid`.
    pub level: Level,
    /// One for each combination of its generics that the attribute selects; never empty. Each is evaluated once.
    pub forms: Vec<EntryForm>,
    /// Limit on shared memory, in bytes.
    pub shared: u32,
    /// The elements of a block where the compiler shares an array out, if the author says it, and where.
    pub per_block: Option<(u32, Span)>,
    /// Target and exactness.
    pub options: Options,
    /// Whether PTX and CUDA C tell the author's lines.
    pub line_info: bool,
    /// What it must not exceed.
    pub deny: Deny,
    /// For each parameter, then for each output: which fields have the type of a generic.
    pub host: HostTypes,
}

/// What the host calls the elements of a parameter or an output.
#[derive(Debug, Clone, Default)]
pub struct HostType {
    /// For each field: the type generic that is its type, by its position among the type generics.
    pub generics: Vec<Option<usize>>,
    /// The structure that they are.
    pub structure: Option<String>,
}

/// Of each parameter and output.
pub type HostTypes = Vec<HostType>;

/// An entry for one combination of its generics.
#[derive(Debug)]
pub struct EntryForm {
    /// What the generics stand for, in their order.
    pub generics: Vec<GenericArg>,
    /// The same with names, for the host and for messages.
    pub values: Vec<(String, ParamValue)>,
    /// Its parameters.
    pub inputs: Vec<EntryInput>,
    /// Each output.
    pub outputs: Vec<EntryOutput>,
    /// Numbers of real threads, each a variant; never empty.
    pub threads: Vec<u32>,
}

/// An output of an entry.
#[derive(Debug)]
pub struct EntryOutput {
    /// Element types.
    pub fields: Vec<ScalarType>,
    /// Whether the element is a tuple.
    pub tuple: ElementShape,
    /// Whether the host receives a matrix.
    pub form: OutputForm,
}

/// What the host receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    /// A buffer.
    Buffer,
    /// A buffer of one element: the fields of a structure.
    Structure,
    /// A matrix, of what has been written row by row.
    Matrix,
}

/// A parameter of an entry.
#[derive(Debug)]
pub enum EntryInput {
    /// A buffer: one element type per field (a single one unless the element is a tuple), and the length if the type
    /// fixes it.
    Buffer {
        /// Its name.
        name: String,
        /// Element types.
        fields: Vec<ScalarType>,
        /// Whether the element is a tuple (a one-field buffer may be a scalar's).
        tuple: ElementShape,
        /// A fixed length, which is known when the generics are.
        len: Option<Rc<Closure>>,
        /// What the kernel does with it.
        access: BufferAccess,
    },
    /// A matrix: a buffer that holds it row by row, and its rows and columns.
    Matrix {
        /// Its name.
        name: String,
        /// Element types.
        fields: Vec<ScalarType>,
        /// Whether the element is a tuple.
        tuple: ElementShape,
        /// Its rows and its columns, where the type says how many; known when the generics are.
        sizes: [Option<Rc<Closure>>; 2],
    },
    /// A scalar.
    Scalar {
        /// Its name.
        name: String,
        /// Its type.
        ty: ScalarType,
    },
}

impl EntryInput {
    /// How many parameters of a program it is: a matrix comes with its rows and its columns.
    pub fn parameters(&self) -> usize {
        match self {
            EntryInput::Matrix { .. } => 3,
            EntryInput::Buffer { .. } | EntryInput::Scalar { .. } => 1,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            EntryInput::Buffer { name, .. } | EntryInput::Matrix { name, .. } | EntryInput::Scalar { name, .. } => name,
        }
    }
}

/// What a kernel does with a buffer that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferAccess {
    /// It reads it.
    Read,
    /// It reads it and changes it in place.
    Update,
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
    /// A `const` generic: its place among the function's generics.
    ConstGeneric(u32),
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
    /// `[a, b, c]`.
    Array(Vec<TExpr>),
    /// `[x; n]`.
    Repeat(Box<TExpr>, Box<TExpr>),
    /// `e.0`.
    Field(Box<TExpr>, u32),
    /// `a[i]`.
    Index(Box<TExpr>, Box<TExpr>),
    /// `assert!`.
    Assert(Box<TExpr>, Message<TExpr>),
    /// `print!`.
    Print(Message<TExpr>),
}

/// A closure.
#[derive(Debug)]
pub struct Closure {
    /// Binds the arguments.
    pub params: Vec<TPat>,
    /// What it captures: (slot of the maker's frame, slot of its own).
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
    /// Checks the value against the lengths of its type.
    Sized(Box<TPat>, Lengths),
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
