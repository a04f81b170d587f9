//! Names that a function binds and never reads, and the names that it takes from elsewhere. In: syntax. Out: what rustc would
//! say of a Rust function; `expand::lints` has rustc say it of a kernel's.

use std::collections::HashSet;

use super::ast::{Expr, ExprKind, FnDecl, Name, Pat, Stmt, TypeExpr, TypeKind};
use obsidian_ir::diag::Span;

/// What a function does with names.
#[derive(Debug, Default)]
pub struct NamesOf<'a> {
    /// Those that it binds and never reads, in order; without those that begin with `_`, which are not meant to be read.
    pub unread: Vec<&'a Name>,
    /// Those that it reads and does not bind: functions and generics.
    pub free: HashSet<&'a str>,
}

/// Finds them.
pub fn names_of(f: &FnDecl) -> NamesOf<'_> {
    let mut walk = Walk::default();
    for param in &f.params {
        walk.pat(&param.pat);
        walk.ty(&param.ty);
    }
    walk.ty(&f.ret);
    f.body.iter().for_each(|body| walk.expr(body));
    let Walk { bound, read, free, .. } = walk;
    let meant = |name: &&Name| !name.text.starts_with('_') && !name.text.contains(' ');
    let mut unread: Vec<&Name> = bound.into_iter().filter(meant).filter(|name| !read.contains(&name.span)).collect();
    // What a `match` binds stands in its guard and in its arm.
    unread.dedup_by_key(|name| name.span);
    NamesOf { unread, free }
}

#[derive(Default)]
struct Walk<'a> {
    /// The names that can be seen, the innermost last.
    scope: Vec<&'a Name>,
    bound: Vec<&'a Name>,
    /// Where what is read was bound.
    read: HashSet<Span>,
    free: HashSet<&'a str>,
}

impl<'a> Walk<'a> {
    fn read(&mut self, text: &'a str) {
        match self.scope.iter().rev().find(|name| name.text == text) {
            Some(name) => drop(self.read.insert(name.span)),
            None => drop(self.free.insert(text)),
        }
    }

    fn pat(&mut self, pat: &'a Pat) {
        match pat {
            Pat::Var { name, .. } => {
                self.scope.push(name);
                self.bound.push(name);
            }
            Pat::Tuple(_, parts) => parts.iter().for_each(|p| self.pat(p)),
            Pat::Struct(_, fields, _) => fields.iter().for_each(|(_, p)| self.pat(p)),
            Pat::Wild(_) => {}
            Pat::Typed(inner, ty) => {
                self.ty(ty);
                self.pat(inner);
            }
        }
    }

    /// What is bound in `inner` is not seen after it.
    fn scoped(&mut self, inner: impl FnOnce(&mut Self)) {
        let depth = self.scope.len();
        inner(self);
        self.scope.truncate(depth);
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Let(pat, value) => {
                self.expr(value);
                self.pat(pat);
            }
            // What is only ever assigned is read by nobody, but rustc's word for it is another.
            Stmt::Assign(name, value) => {
                self.read(&name.text);
                self.expr(value);
            }
            Stmt::AssignElement { base, index, value, .. } => {
                [base, index, value].into_iter().for_each(|e| self.expr(e))
            }
            Stmt::For { pat, start, end, body, .. } => {
                self.expr(start);
                self.expr(end);
                self.scoped(|walk| {
                    walk.pat(pat);
                    walk.expr(body);
                });
            }
            Stmt::While(_, cond, body) => {
                self.expr(cond);
                self.expr(body);
            }
            Stmt::Expr(e) => self.expr(e),
        }
    }

    fn expr(&mut self, e: &'a Expr) {
        match &e.kind {
            ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Bool(_) | ExprKind::Leave(_) => {}
            ExprKind::Name(text) => self.read(text),
            ExprKind::AssocConst(ty, _) => self.ty(ty),
            ExprKind::Call { name, turbofish, args } => {
                self.read(&name.text);
                turbofish.iter().for_each(|t| self.ty(t));
                args.iter().for_each(|a| self.expr(a));
            }
            ExprKind::CallValue(f, args) => {
                self.expr(f);
                args.iter().for_each(|a| self.expr(a));
            }
            ExprKind::Closure(pats, body) => self.scoped(|walk| {
                pats.iter().for_each(|p| walk.pat(p));
                walk.expr(body);
            }),
            ExprKind::Struct(_, fields, rest) => {
                fields.iter().for_each(|(_, value)| self.expr(value));
                rest.iter().for_each(|rest| self.expr(rest));
            }
            ExprKind::Named(a, _) => self.expr(a),
            ExprKind::Assert(cond, message) => {
                self.expr(cond);
                message.values.iter().for_each(|v| self.expr(v));
            }
            ExprKind::Print(message) => message.values.iter().for_each(|v| self.expr(v)),
            ExprKind::Unary(_, a) | ExprKind::Unsafe(a) | ExprKind::Field(a, _) => self.expr(a),
            ExprKind::Binary(_, a, b) | ExprKind::Logic(_, a, b) | ExprKind::Index(a, b) | ExprKind::Repeat(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Cast(a, ty) => {
                self.expr(a);
                self.ty(ty);
            }
            ExprKind::If(cond, then, els) => {
                self.expr(cond);
                self.expr(then);
                els.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Block(stmts, value) => self.scoped(|walk| {
                stmts.iter().for_each(|s| walk.stmt(s));
                value.iter().for_each(|e| walk.expr(e));
            }),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter().for_each(|p| self.expr(p)),
        }
    }

    fn ty(&mut self, ty: &'a TypeExpr) {
        match &ty.kind {
            TypeKind::Path(_, args) | TypeKind::Tuple(args) => args.iter().for_each(|t| self.ty(t)),
            TypeKind::Value(e) => self.expr(e),
            TypeKind::Fn(args, ret) => {
                args.iter().for_each(|t| self.ty(t));
                self.ty(ret);
            }
            TypeKind::Infer => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{SpanTable, parse_module};

    /// The names that the first function of a text binds and never reads.
    fn unread(text: &str) -> Vec<String> {
        let module = parse_module(text.parse().unwrap(), &mut SpanTable::default()).unwrap();
        names_of(&module.fns[0]).unread.iter().map(|name| name.text.clone()).collect()
    }

    #[test]
    fn each_kind_of_binding_is_seen() {
        assert_eq!(unread("fn f(a: u32, b: u32) -> u32 { b }"), ["a"]);
        assert_eq!(unread("fn f(a: u32) -> u32 { let b = a; let (c, d) = (a, a); d }"), ["b", "c"]);
        assert_eq!(unread("fn f(a: u32) -> Pull<u32, 4> { mk_pull(4, |i| a) }"), ["i"]);
        assert_eq!(unread("fn f(a: u32) -> u32 { let mut m = a; for i in 0..4 { m = m + 1; } m }"), ["i"]);
        assert_eq!(unread("fn f(a: u32) -> u32 { match a { 0 => 1, n => 2 } }"), ["n"]);
    }

    #[test]
    fn what_is_read_is_the_innermost_of_a_name() {
        assert_eq!(unread("fn f(a: u32) -> u32 { let a = 1; a }"), ["a"]);
        assert_eq!(unread("fn f(a: u32) -> u32 { let b = { let a = 1; a }; a + b }"), [""; 0]);
        assert_eq!(unread("fn f(a: u32) -> u32 { let a = a + 1; a }"), [""; 0]);
    }

    #[test]
    fn what_is_read_in_one_place_is_read() {
        let arms = "fn f(a: u32) -> u32 { match a { n if n > 3 => 1, m if a > 2 => m, _ => 2 } }";
        assert_eq!(unread(arms), [""; 0]);
        assert_eq!(unread("fn f(g: impl Fn(u32) -> u32, m: Mut<u32, 4>) -> u32 { m[0] = g(1); 2 }"), [""; 0]);
        assert_eq!(unread("fn f<const N: u32>(_a: u32, n: u32) -> Pull<u32, { N * 2 }> { iota(n) }"), [""; 0]);
    }

    #[test]
    fn functions_are_free_names() {
        let module = parse_module("fn f(a: u32) -> u32 { g(a.h(), k) }".parse().unwrap(), &mut SpanTable::default());
        let module = module.unwrap();
        let mut free: Vec<&str> = names_of(&module.fns[0]).free.into_iter().collect();
        free.sort_unstable();
        assert_eq!(free, ["g", "h", "k"]);
    }
}
