//! The AST as text, close to the source: method calls are calls, `x += e` is spelled out, comments are gone. In: functions.
//! Out: text for people and for snapshot tests.

use std::fmt::Write;

use super::ast::{
    Expr, ExprKind, FnDecl, FnForm, Generic, GenericKind, Message, Mutability, Pat, RangeEnd, Rest, Stmt, TypeExpr,
    TypeKind,
};
use obsidian_ir::Level;
use obsidian_ir::program::{BinOp, UnOp};

/// Prints a function.
pub fn print_fn(f: &FnDecl) -> String {
    let mut out = print_signature(f);
    match &f.body {
        Some(body) => {
            out.push(' ');
            Printer { depth: 0, out: &mut out }.braced(body);
            out.push('\n');
        }
        None => out.push_str(";\n"),
    }
    out
}

/// Prints a function's attribute, name, parameters and result.
pub fn print_signature(f: &FnDecl) -> String {
    let mut out = String::new();
    if let Some(entry) = &f.entry {
        let threads: Vec<String> = entry.threads.iter().map(u32::to_string).collect();
        let _ = writeln!(out, "#[kernel(threads = [{}], shared = {})]", threads.join(", "), entry.shared);
    }
    let generics: Vec<String> = f.generics.iter().map(generic).collect();
    let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
    let params: Vec<String> = f.params.iter().map(|p| format!("{}: {}", pat(&p.pat), ty(&p.ty))).collect();
    if f.form == FnForm::Constant {
        let _ = write!(out, "const {}: {} =", f.name.text, ty(&f.ret));
        return out;
    }
    let _ = write!(out, "fn {}{generics}({}) -> {}", f.name.text, params.join(", "), ty(&f.ret));
    out
}

fn generic(g: &Generic) -> String {
    let bound = match g.kind {
        GenericKind::Level(Level::Grid) => "Level".to_string(),
        GenericKind::Level(most) => format!("AtMost<{most}>"),
        GenericKind::Type(super::ast::Bound::Any) => return g.name.text.clone(),
        GenericKind::Type(bound) => bound.name().to_string(),
        GenericKind::Size => "Size".to_string(),
        GenericKind::Const(ty) => return format!("const {}: {}", g.name.text, ty.name()),
    };
    format!("{}: {bound}", g.name.text)
}

fn ty(t: &TypeExpr) -> String {
    match &t.kind {
        TypeKind::Path(name, args) if args.is_empty() => name.clone(),
        TypeKind::Path(name, args) => format!("{name}<{}>", list(args, ty)),
        TypeKind::Value(e) => value(e),
        TypeKind::Tuple(ts) => format!("({})", list(ts, ty)),
        TypeKind::Fn(args, ret) => format!("impl Fn({}) -> {}", list(args, ty), ty(ret)),
        TypeKind::Infer => "_".to_string(),
    }
}

/// A value in a type: a word as it is, anything else in braces.
fn value(e: &Expr) -> String {
    let mut text = String::new();
    Printer { depth: 0, out: &mut text }.expr(e);
    if matches!(e.kind, ExprKind::Int(..) | ExprKind::Bool(_) | ExprKind::Name(_)) {
        text
    } else {
        format!("{{ {text} }}")
    }
}

fn pat(p: &Pat) -> String {
    match p {
        Pat::Var { name, mutable: Mutability::Fixed } => name.text.clone(),
        Pat::Var { name, mutable: Mutability::Mutable } => format!("mut {}", name.text),
        Pat::Tuple(_, parts) => format!("({})", list(parts, pat)),
        Pat::Struct(name, fields, rest) => {
            let rest = if *rest == Rest::LeftOut { ", .." } else { "" };
            format!("{} {{ {}{rest} }}", name.text, list(fields, |(field, p)| format!("{}: {}", field.text, pat(p))))
        }
        Pat::Wild(_) => "_".to_string(),
        Pat::Typed(inner, t) => format!("{}: {}", pat(inner), ty(t)),
    }
}

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(", ")
}

struct Printer<'o> {
    depth: usize,
    out: &'o mut String,
}

impl Printer<'_> {
    fn text(&mut self, s: &str) {
        self.out.push_str(s);
    }

    fn line(&mut self) {
        let pad = "    ".repeat(self.depth);
        let _ = write!(self.out, "\n{pad}");
    }

    /// The text and the values of a macro, up to its end.
    fn message(&mut self, message: &Message<Expr>) {
        self.text(&format!("{:?}", message.text()));
        for value in &message.values {
            self.text(", ");
            self.expr(value);
        }
        self.text(")");
    }

    /// A body in braces, on lines of its own.
    fn braced(&mut self, e: &Expr) {
        let none = Vec::new();
        let (stmts, value) = match &e.kind {
            ExprKind::Block(stmts, value) => (stmts, value.as_deref()),
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

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Let(p, e) => {
                self.text(&format!("let {} = ", pat(p)));
                self.expr(e);
                self.text(";");
            }
            Stmt::Assign(name, e) => {
                self.text(&format!("{} = ", name.text));
                self.expr(e);
                self.text(";");
            }
            Stmt::AssignElement { base, index, op, value, .. } => {
                self.operand(base);
                self.text("[");
                self.expr(index);
                self.text(&format!("] {}= ", op.map_or("", BinOp::symbol)));
                self.expr(value);
                self.text(";");
            }
            Stmt::For { pat: p, start, end, inclusive, body, .. } => {
                self.text(&format!("for {} in ", pat(p)));
                self.operand(start);
                self.text(if *inclusive == RangeEnd::Inclusive { "..=" } else { ".." });
                self.operand(end);
                self.text(" ");
                self.braced(body);
            }
            Stmt::While(_, cond, body) => {
                self.text("while ");
                self.expr(cond);
                self.text(" ");
                self.braced(body);
            }
            Stmt::Expr(e) => {
                self.expr(e);
                self.text(";");
            }
        }
    }

    fn exprs(&mut self, es: &[Expr]) {
        for (i, e) in es.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.expr(e);
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(v, suffix) => self.text(&format!("{v}{}", suffix.map_or("", |t| t.name()))),
            ExprKind::Float(v, suffix) => self.text(&format!("{v:?}{}", suffix.map_or("", |t| t.name()))),
            ExprKind::Bool(b) => self.text(&b.to_string()),
            ExprKind::Name(name) => self.text(name),
            ExprKind::AssocConst(t, name) => self.text(&format!("{}::{name}", ty(t))),
            ExprKind::Call { name, turbofish, args } => {
                self.text(&name.text);
                if !turbofish.is_empty() {
                    self.text(&format!("::<{}>", list(turbofish, ty)));
                }
                self.arguments(args);
            }
            ExprKind::CallValue(f, args) => {
                self.operand(f);
                self.arguments(args);
            }
            ExprKind::Closure(params, body) => {
                self.text(&format!("|{}| ", list(params, pat)));
                if matches!(body.kind, ExprKind::Block(..)) { self.braced(body) } else { self.expr(body) }
            }
            ExprKind::Unary(op, a) => self.unary(*op, a),
            ExprKind::Binary(op, a, b) => self.binary(op.symbol(), a, b),
            ExprKind::Logic(op, a, b) => self.binary(if *op == BinOp::And { "&&" } else { "||" }, a, b),
            ExprKind::Cast(a, t) => {
                self.operand(a);
                self.text(&format!(" as {}", ty(t)));
            }
            ExprKind::If(cond, then, els) => {
                self.text("if ");
                self.expr(cond);
                self.text(" ");
                self.braced(then);
                if let Some(els) = els {
                    self.text(" else ");
                    if matches!(els.kind, ExprKind::If(..)) { self.expr(els) } else { self.braced(els) }
                }
            }
            ExprKind::Block(..) => self.braced(e),
            ExprKind::Unsafe(body) => {
                self.text("unsafe ");
                self.braced(body);
            }
            ExprKind::Tuple(parts) => self.arguments(parts),
            ExprKind::Leave(how) => self.text(how.word()),
            ExprKind::Assert(cond, message) => {
                self.text("assert!(");
                self.expr(cond);
                self.text(", ");
                self.message(message);
            }
            ExprKind::Print(message) => {
                self.text("print!(");
                self.message(message);
            }
            ExprKind::Struct(name, fields, rest) => {
                self.text(&format!("{} {{ ", name.text));
                for (i, (field, value)) in fields.iter().enumerate() {
                    self.text(&format!("{}{}: ", if i > 0 { ", " } else { "" }, field.text));
                    self.expr(value);
                }
                if let Some(rest) = rest {
                    self.text(if fields.is_empty() { ".." } else { ", .." });
                    self.expr(rest);
                }
                self.text(" }");
            }
            ExprKind::Named(base, name) => {
                self.operand(base);
                self.text(&format!(".{}", name.text));
            }
            ExprKind::Array(elements) => {
                self.text("[");
                self.exprs(elements);
                self.text("]");
            }
            ExprKind::Repeat(element, n) => {
                self.text("[");
                self.expr(element);
                self.text("; ");
                self.expr(n);
                self.text("]");
            }
            ExprKind::Field(base, i) => {
                self.operand(base);
                self.text(&format!(".{i}"));
            }
            ExprKind::Index(base, i) => {
                self.operand(base);
                self.text("[");
                self.expr(i);
                self.text("]");
            }
        }
    }

    fn arguments(&mut self, args: &[Expr]) {
        self.text("(");
        self.exprs(args);
        self.text(")");
    }

    fn unary(&mut self, op: UnOp, a: &Expr) {
        match op {
            UnOp::Neg => self.text("-"),
            UnOp::Not => self.text("!"),
            other => self.text(&format!("{other:?} ").to_lowercase()),
        }
        self.operand(a);
    }

    fn binary(&mut self, op: &str, a: &Expr, b: &Expr) {
        self.operand(a);
        self.text(&format!(" {op} "));
        self.operand(b);
    }

    /// An operand, in parentheses unless it is one word or a call.
    fn operand(&mut self, e: &Expr) {
        let loose = matches!(
            e.kind,
            ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Logic(..)
                | ExprKind::Cast(..)
                | ExprKind::If(..)
                | ExprKind::Closure(..)
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
