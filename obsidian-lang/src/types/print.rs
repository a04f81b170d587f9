//! The typed AST as text: each call with its function, levels and types, each `let` and closure with the types that
//! inference found. In: checked functions. Out: text for people and for snapshot tests.

use std::collections::HashMap;
use std::fmt::Write;

use super::arena::Ty;
use super::check::Checked;
use super::typed::{Closure, FnId, TExpr, TFn, TKind, TPat, TStmt, TypeArg};
use crate::syntax::ast::{Message, RangeEnd};
use obsidian_ir::program::{BinOp, UnOp};

/// Prints the body of a checked function, after its signature.
pub fn print_fn(checked: &Checked, signature: &str, f: &TFn) -> String {
    let mut out = format!("{signature} ");
    let mut p = Printer { checked, depth: 0, out: &mut out, names: HashMap::new(), consts: &f.consts };
    for param in &f.params {
        p.pat(param);
    }
    p.braced(&f.body);
    out.push('\n');
    out
}

struct Printer<'a> {
    checked: &'a Checked,
    depth: usize,
    out: &'a mut String,
    /// Names of the frame's slots; a slot that is bound again has its number with it.
    names: HashMap<u32, String>,
    /// The function's `const` generics, by their place.
    consts: &'a [(u32, String)],
}

impl Printer<'_> {
    fn text(&mut self, s: &str) {
        self.out.push_str(s);
    }

    fn line(&mut self) {
        let pad = "    ".repeat(self.depth);
        let _ = write!(self.out, "\n{pad}");
    }

    fn show(&self, e: &TExpr) -> String {
        self.checked.types.show(e.ty)
    }

    /// Names what a pattern binds, and prints it.
    fn pat(&mut self, p: &TPat) -> String {
        match p {
            TPat::Slot(slot, name) => {
                let taken = name.is_empty() || self.names.iter().any(|(s, n)| n == name && s != slot);
                let name = if taken { format!("{name}_{slot}") } else { name.clone() };
                self.names.insert(*slot, name.clone());
                name
            }
            TPat::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.pat(p)).collect();
                format!("({})", parts.join(", "))
            }
            TPat::Sized(inner, _) => self.pat(inner),
            TPat::Wild => "_".to_string(),
        }
    }

    fn slot(&self, slot: u32) -> String {
        self.names.get(&slot).cloned().unwrap_or_else(|| format!("_{slot}"))
    }

    /// The text and the values of a macro, up to its end.
    fn message(&mut self, message: &Message<TExpr>) {
        self.text(&format!("{:?}", message.text()));
        for value in &message.values {
            self.text(", ");
            self.expr(value);
        }
        self.text(")");
    }

    fn braced(&mut self, e: &TExpr) {
        let none = Vec::new();
        let (stmts, value) = match &e.kind {
            TKind::Block(stmts, value) => (stmts, value.as_deref()),
            _ => (&none, Some(e)),
        };
        self.text("{");
        self.depth += 1;
        for s in stmts {
            self.line();
            self.stmt(s);
        }
        if let Some(value) = value {
            self.line();
            self.expr(value);
        }
        self.depth -= 1;
        self.line();
        self.text("}");
    }

    fn stmt(&mut self, s: &TStmt) {
        match s {
            TStmt::Let(p, e) => {
                let bound = self.pat(p);
                self.text(&format!("let {bound}: {} = ", self.show(e)));
                self.expr(e);
                self.text(";");
            }
            TStmt::Assign(slot, e) => {
                self.text(&format!("{} = ", self.slot(*slot)));
                self.expr(e);
                self.text(";");
            }
            TStmt::AssignElement { base, index, op, value, .. } => {
                self.operand(base);
                self.text("[");
                self.expr(index);
                self.text(&format!("] {}= ", op.map_or("", BinOp::symbol)));
                self.expr(value);
                self.text(";");
            }
            TStmt::For { pat, start, end, inclusive, body, .. } => {
                let bound = self.pat(pat);
                self.text(&format!("for {bound}: {} in ", self.show(start)));
                self.operand(start);
                self.text(if *inclusive == RangeEnd::Inclusive { "..=" } else { ".." });
                self.operand(end);
                self.text(" ");
                self.braced(body);
            }
            TStmt::While(_, cond, body) => {
                self.text("while ");
                self.expr(cond);
                self.text(" ");
                self.braced(body);
            }
            TStmt::Expr(e) => {
                self.expr(e);
                self.text(";");
            }
        }
    }

    fn expr(&mut self, e: &TExpr) {
        match &e.kind {
            TKind::Int(v) => self.text(&format!("{v}{}", self.suffix(e))),
            TKind::Float(v) => self.text(&format!("{v:?}{}", self.suffix(e))),
            TKind::Bool(b) => self.text(&b.to_string()),
            TKind::NamedConst(of, name) => self.text(&format!("{}::{name}", self.checked.types.show(*of))),
            TKind::ConstGeneric(i) => {
                let name = self.consts.iter().find(|(place, _)| place == i).map_or("_", |(_, name)| name.as_str());
                self.text(name);
            }
            TKind::Local(slot) => self.text(&self.slot(*slot)),
            TKind::Call { f, generics, args } => {
                self.text(&self.function(*f));
                self.call(generics, args);
            }
            TKind::Builtin { b, generics, args } => {
                let name = self.checked.builtins.get(&b.0).map_or("_", |decl| decl.name.text.as_str());
                self.text(name);
                self.call(generics, args);
            }
            TKind::Apply(f, args) => {
                self.operand(f);
                self.arguments(args);
            }
            TKind::Closure(code) => self.closure(code),
            TKind::Unary(op, a) => self.unary(*op, a),
            TKind::Binary(op, a, b) => self.binary(op.symbol(), a, b),
            TKind::Logic(op, a, b) => self.binary(if *op == BinOp::And { "&&" } else { "||" }, a, b),
            TKind::Cast(a) => {
                self.operand(a);
                self.text(&format!(" as {}", self.show(e)));
            }
            TKind::If(cond, then, els) => {
                self.text("if ");
                self.expr(cond);
                self.text(" ");
                self.braced(then);
                if let Some(els) = els {
                    self.text(" else ");
                    if matches!(els.kind, TKind::If(..)) { self.expr(els) } else { self.braced(els) }
                }
            }
            TKind::Block(..) => self.braced(e),
            TKind::Unsafe(body) => {
                self.text("unsafe ");
                self.braced(body);
            }
            TKind::Tuple(parts) => self.arguments(parts),
            TKind::Assert(cond, message) => {
                self.text("assert!(");
                self.expr(cond);
                self.text(", ");
                self.message(message);
            }
            TKind::Print(message) => {
                self.text("print!(");
                self.message(message);
            }
            TKind::Array(elements) => {
                self.text("[");
                self.exprs(elements);
                self.text("]");
            }
            TKind::Repeat(element, n) => {
                self.text("[");
                self.expr(element);
                self.text("; ");
                self.expr(n);
                self.text("]");
            }
            TKind::Field(base, i) => {
                self.operand(base);
                self.text(&format!(".{i}"));
            }
            TKind::Index(base, i) => {
                self.operand(base);
                self.text("[");
                self.expr(i);
                self.text("]");
            }
        }
    }

    /// The type of a literal, where it is one.
    fn suffix(&self, e: &TExpr) -> String {
        match self.checked.types.find(e.ty).1 {
            Ty::Scalar(t) => t.name().to_string(),
            _ => format!("_{}", self.show(e)),
        }
    }

    fn function(&self, f: FnId) -> String {
        let f = self.checked.fns.get(f.0 as usize).and_then(Option::as_ref);
        f.map_or_else(|| "?".to_string(), |f| f.name.to_string())
    }

    /// What the generics stand for, and the arguments.
    fn call(&mut self, generics: &[TypeArg], args: &[TExpr]) {
        let types = &self.checked.types;
        let shown: Vec<String> = generics
            .iter()
            .filter_map(|g| match g {
                TypeArg::Level(l) => Some(types.show_lvl(*l)),
                TypeArg::Type(t) => Some(types.show(*t)),
                TypeArg::Const(Some(value)) => Some(self.value(value)),
                TypeArg::Const(None) => Some("_".to_string()),
                TypeArg::Size => None,
            })
            .collect();
        if !shown.is_empty() {
            self.text(&format!("::<{}>", shown.join(", ")));
        }
        self.arguments(args);
    }

    /// The value of a `const` generic.
    fn value(&self, code: &Closure) -> String {
        let mut text = String::new();
        let names = self.names.clone();
        let mut inner =
            Printer { checked: self.checked, depth: self.depth, out: &mut text, names, consts: self.consts };
        inner.expr(&code.body);
        text
    }

    fn arguments(&mut self, args: &[TExpr]) {
        self.text("(");
        self.exprs(args);
        self.text(")");
    }

    fn exprs(&mut self, es: &[TExpr]) {
        for (i, e) in es.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.expr(e);
        }
    }

    /// A closure has slots of its own; the variables that it captures keep their names.
    fn closure(&mut self, code: &Closure) {
        let inner = code.captures.iter().map(|&(from, to)| (to, self.slot(from))).collect();
        let outer = std::mem::replace(&mut self.names, inner);
        let params: Vec<String> = code.params.iter().map(|p| self.pat(p)).collect();
        self.text(&format!("|{}| -> {} ", params.join(", "), self.show(&code.body)));
        if matches!(code.body.kind, TKind::Block(..)) {
            self.braced(&code.body)
        } else {
            self.expr(&code.body)
        }
        self.names = outer;
    }

    fn unary(&mut self, op: UnOp, a: &TExpr) {
        match op {
            UnOp::Neg => self.text("-"),
            UnOp::Not => self.text("!"),
            other => self.text(&format!("{other:?} ").to_lowercase()),
        }
        self.operand(a);
    }

    fn binary(&mut self, op: &str, a: &TExpr, b: &TExpr) {
        self.operand(a);
        self.text(&format!(" {op} "));
        self.operand(b);
    }

    /// An operand, in parentheses unless it is one word or a call.
    fn operand(&mut self, e: &TExpr) {
        let loose = matches!(
            e.kind,
            TKind::Unary(..)
                | TKind::Binary(..)
                | TKind::Logic(..)
                | TKind::Cast(..)
                | TKind::If(..)
                | TKind::Closure(..)
        );
        if loose {
            self.text("(");
        }
        self.expr(e);
        if loose {
            self.text(")");
        }
    }
}
