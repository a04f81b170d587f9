//! The abstract syntax: what the author wrote, names unresolved. Plain data with opaque spans, so that the standard
//! library's syntax can be kept between compilations.

use obsidian_abi::ParamValue;
use obsidian_ir::diag::Span;
use obsidian_ir::program::{BinOp, Deny, Options, ScalarType, UnOp};

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Its token.
    pub span: Span,
}

/// A structure: scalars with names. In kernels a value of it is the tuple of its fields, under a type of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructDecl {
    /// Its name.
    pub name: Name,
    /// The fields, in order; at most 8.
    pub fields: Vec<(String, ScalarType)>,
}

impl StructDecl {
    /// Where a field is.
    pub fn place(&self, field: &str) -> Option<usize> {
        self.fields.iter().position(|(name, _)| name == field)
    }

    /// The names of the fields, in quotes.
    pub fn listed(&self) -> String {
        self.fields.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }
}

/// What an item with a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FnForm {
    /// `fn`: a helper, or an entry.
    Function,
    /// `const`: a function without parameters, which is called where its name stands.
    Constant,
}

/// A function, or a constant.
#[derive(Debug, Clone)]
pub struct FnDecl {
    /// Which of them.
    pub form: FnForm,
    /// Its name.
    pub name: Name,
    /// Level, type and size parameters, in order.
    pub generics: Vec<Generic>,
    /// Parameters, in order.
    pub params: Vec<ParamDecl>,
    /// Result type; `()` where none is written.
    pub ret: TypeExpr,
    /// Body; `None` for a builtin's signature.
    pub body: Option<Expr>,
    /// `#[kernel(..)]`, on an entry.
    pub entry: Option<EntryAttr>,
}

/// `#[kernel(..)]`.
#[derive(Debug, Clone)]
pub struct EntryAttr {
    /// The attribute's name token.
    pub span: Span,
    /// Whether the whole attribute could be read. If not, it says nothing about the entry's variants.
    pub whole: bool,
    /// `threads = N` or a list; there is a variant for each.
    pub threads: Vec<u32>,
    /// Limit on shared memory, in bytes.
    pub shared: u32,
    /// `SEQ = [8, 16]`, `T = [i32, f32]`: values of the entry's generics; there is a variant for each.
    pub params: Vec<AttrParam>,
    /// `where(SEQ * threads <= 4096)`: combinations for which it does not hold are left out.
    pub wheres: Vec<Expr>,
    /// `max_variants = 1000`: at most this number is compiled.
    pub max_variants: Option<u32>,
    /// `per_block = 4096`: the elements of a block where the compiler shares an array out over the grid.
    pub per_block: Option<(u32, Span)>,
    /// `target = ".."` and `fast_math`.
    pub options: Options,
    /// `line_info`: PTX and CUDA C tell the author's lines.
    pub line_info: bool,
    /// `deny(max_shared = N, ..)`.
    pub deny: Deny,
}

/// Values of one generic of an entry.
#[derive(Debug, Clone)]
pub struct AttrParam {
    /// The generic's name.
    pub name: Name,
    /// The values that it takes, in order; never empty.
    pub values: Vec<AttrValue>,
}

/// A value of a generic.
#[derive(Debug, Clone)]
pub struct AttrValue {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: ParamValue,
}

/// A generic parameter.
#[derive(Debug, Clone)]
pub struct Generic {
    /// Its name.
    pub name: Name,
    /// What it ranges over.
    pub kind: GenericKind,
}

/// What a generic parameter ranges over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenericKind {
    /// `L: Level`, `L: AtMost<Block>`, `L: Compute`: levels up to and including the given one.
    Level(obsidian_ir::Level),
    /// `T`, `T: Data` ..: element types.
    Type(Bound),
    /// `S: Size`: static or dynamic lengths.
    Size,
    /// `const N: u32`: known numbers, or `bool`.
    Const(ScalarType),
}

/// What an element type must offer; each includes those before it, but `Int` and `Float` exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// Anything, functions and arrays too.
    Any,
    /// Can be stored: scalars and tuples of them.
    Data,
    /// Comparable scalars.
    Ord,
    /// Scalars with arithmetic.
    Num,
    /// Integers.
    Int,
    /// Floats.
    Float,
}

impl Bound {
    /// Its name in source.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Any => "Any",
            Bound::Data => "Data",
            Bound::Ord => "Ord",
            Bound::Num => "Num",
            Bound::Int => "Int",
            Bound::Float => "Float",
        }
    }
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct ParamDecl {
    /// What it binds.
    pub pat: Pat,
    /// Its type.
    pub ty: TypeExpr,
}

/// A type as written.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeExpr {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: TypeKind,
}

/// The forms of types.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// A name with arguments: `Pull<T>`, `i32`, `Thread`.
    Path(String, Vec<TypeExpr>),
    /// `512`, `{ 2 * N }`: a length, or the value of a `const` generic.
    Value(Box<Expr>),
    /// `(A, B)`; `()` is empty.
    Tuple(Vec<TypeExpr>),
    /// `impl Fn(A) -> B`.
    Fn(Vec<TypeExpr>, Box<TypeExpr>),
    /// `_`.
    Infer,
}

/// A pattern: names and tuples of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Pat {
    /// A variable.
    Var {
        /// Its name.
        name: Name,
        /// `mut`.
        mutable: Mutability,
    },
    /// `(a, b)`.
    Tuple(Span, Vec<Pat>),
    /// `P { x, y: b, .. }`.
    Struct(Name, Vec<(Name, Pat)>, Rest),
    /// `_`.
    Wild(Span),
    /// `a: T`.
    Typed(Box<Pat>, TypeExpr),
}

/// What a pattern of a structure says of the fields that it does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Nothing: it names all.
    None,
    /// `..`
    LeftOut,
}

/// Whether a variable may be assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutability {
    /// `let x`.
    Fixed,
    /// `let mut x`.
    Mutable,
}

/// The text of an `assert!` or a `print!`, with the values that it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<E> {
    /// The parts of the text: one before each value, and one behind all.
    pub parts: Vec<String>,
    /// The values.
    pub values: Vec<E>,
    /// Where the macro stands, as `src/sums.rs:12:9`, if the author of the kernel wrote it and not that of a library.
    pub place: Option<String>,
}

impl<E> Message<E> {
    /// The text as an author writes it, with `{}` for each value.
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| part.replace('{', "{{").replace('}', "}}")).collect::<Vec<_>>().join("{}")
    }
}

/// How the round of a loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// `break`.
    Break,
    /// `continue`.
    Continue,
}

impl Leave {
    /// Its word in source.
    pub fn word(self) -> &'static str {
        match self {
            Leave::Break => "break",
            Leave::Continue => "continue",
        }
    }
}

/// An expression and the token that names it: an operator's, a called function's, a literal's.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// An integer literal and its suffix.
    Int(u64, Option<ScalarType>),
    /// A float literal and its suffix.
    Float(f64, Option<ScalarType>),
    /// `true`, `false`.
    Bool(bool),
    /// A variable or the name of a function.
    Name(String),
    /// `u32::MAX`, `T::MAX`: a constant of a type.
    AssocConst(TypeExpr, String),
    /// `f(a)`, `a.f(b)`: a call of a named function or of a variable that holds one.
    Call {
        /// The name.
        name: Name,
        /// `::<..>`.
        turbofish: Vec<TypeExpr>,
        /// Arguments; the receiver first.
        args: Vec<Expr>,
    },
    /// `(e)(a)`: a call of any other expression.
    CallValue(Box<Expr>, Vec<Expr>),
    /// `|a, b| e`.
    Closure(Vec<Pat>, Box<Expr>),
    /// A unary operator.
    Unary(UnOp, Box<Expr>),
    /// A binary operator.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `&&` and `||`. Where the left side is known, the right side is evaluated only if it decides.
    Logic(BinOp, Box<Expr>, Box<Expr>),
    /// `e as T`.
    Cast(Box<Expr>, TypeExpr),
    /// `if`.
    If(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// `{ .. }`.
    Block(Vec<Stmt>, Option<Box<Expr>>),
    /// `unsafe { .. }`: the author answers for the writes that it makes.
    Unsafe(Box<Expr>),
    /// `(a, b)`; `()` is empty.
    Tuple(Vec<Expr>),
    /// `P { x: a, y: b, ..rest }`.
    Struct(Name, Vec<(Name, Expr)>, Option<Box<Expr>>),
    /// `e.x`.
    Named(Box<Expr>, Name),
    /// `[a, b, c]`: an array of these elements.
    Array(Vec<Expr>),
    /// `[x; n]`: `n` times the same element.
    Repeat(Box<Expr>, Box<Expr>),
    /// `e.0`.
    Field(Box<Expr>, u32),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `assert!(cond, "before {} after", value)`.
    Assert(Box<Expr>, Message<Expr>),
    /// `print!("before {} after", value)`.
    Print(Message<Expr>),
    /// `break` and `continue`. Loops are spelled out without them, so one that is left stands where it means nothing.
    Leave(Leave),
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    /// `let p = e;`
    Let(Pat, Expr),
    /// `x = e;`, and `x += e;` spelled out.
    Assign(Name, Expr),
    /// `m[i] = e;`, `m[i] += e;`.
    AssignElement {
        /// The `=`, or the `+=`.
        span: Span,
        /// The array.
        base: Expr,
        /// The index.
        index: Expr,
        /// The operator of `+=`.
        op: Option<BinOp>,
        /// The right side.
        value: Expr,
    },
    /// `for p in a..b { .. }`.
    For {
        /// The `for` token.
        span: Span,
        /// What the index is bound to.
        pat: Pat,
        /// First value.
        start: Expr,
        /// End; see `inclusive`.
        end: Expr,
        /// Whether the range includes its end (`..=`).
        inclusive: RangeEnd,
        /// What is repeated.
        body: Expr,
    },
    /// `while c { .. }`.
    While(Span, Expr, Expr),
    /// `e;`
    Expr(Expr),
}

/// Whether a range includes its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeEnd {
    /// `a..b`.
    Exclusive,
    /// `a..=b`.
    Inclusive,
}
