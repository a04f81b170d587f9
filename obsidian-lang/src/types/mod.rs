//! AST → typed AST: names resolved to slots, element types, levels and sizes inferred (reference.md §3). Knows the typing
//! rules; evaluates nothing.
//!
//! Helpers are checked once, with their generics rigid; a call makes fresh variables for them. The judgement is *in the
//! presence of an ambient level*; `check` carries it.

mod arena;
mod block;
mod by_name;
mod call;
mod check;
mod convert;
mod elements;
mod entry;
mod errors;
mod expr;
mod flow;
mod foreign;
mod lengths;
mod names;
mod overload;
mod print;
mod scope;
mod show;
mod structure;
mod typed;
mod unify;
mod variants;

pub use arena::{Lvl, LvlId, SizeId, Ty, TyId, Types};
pub use check::{Checked, Provided, check};
pub use names::{Mention, Referent};
pub use print::print_fn;
pub use typed::{
    BufferAccess, BuiltinId, Closure, ElementShape, Entry, EntryForm, EntryInput, EntryOutput, FnId, GenericArg,
    HostType, HostTypes, Lengths, OutputForm, Owner, TExpr, TFn, TKind, TPat, TStmt, TypeArg,
};
