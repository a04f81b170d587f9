//! Tokens → AST. Knows the grammar (Rust's, through `syn`) and which part of it the language uses; knows no types.

pub mod ast;
mod attr;
mod contained;
mod depth;
mod expr;
mod item;
mod leaving;
mod made;
mod matching;
mod message;
mod print;
mod ranges;
mod span;
mod structure;
mod ty;
mod unread;

pub use attr::{distance as edit_distance, is_key};
pub use depth::check as check_depth;
pub use item::{EntryItem, Module, parse_library, parse_module, parse_signature, parse_to_check};
pub use print::{print_fn, print_signature};
pub use span::SpanTable;
pub use unread::{NamesOf, names_of};
