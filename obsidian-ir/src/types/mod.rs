//! AST → typed AST: names resolved to slots, element types, levels and sizes inferred (LANGUAGE.md §3). Knows the typing
//! rules; evaluates nothing.
//!
//! Helpers are checked once, with their generics rigid; a call makes fresh variables for them. The judgement is *in the
//! presence of an ambient level*; `check` carries it.

mod arena;
mod by_name;
mod call;
mod check;
mod convert;
mod elements;
mod errors;
mod expr;
mod names;
mod scope;
mod typed;

pub use arena::{Lvl, LvlId, SizeId, Ty, TyId, Types};
pub use check::{Checked, check};
pub use names::{Mention, Referent};
pub use typed::{
    BufferAccess, BuiltinId, Closure, ElementShape, Entry, EntryInput, FnId, GenericArg, TExpr, TFn, TKind, TPat,
    TStmt, TypeArg,
};
