//! Expressions and statements.

use syn::spanned::Spanned;

use super::ast::{Expr, ExprKind, Leave, Name, Pat, Stmt, TypeExpr, TypeKind};
use super::ty::without_usize;
use super::{SpanTable, leaving, ranges};
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::{BinOp, ScalarType, UnOp};

/// Turns `syn`'s tree into ours.
pub(super) struct Lower<'a> {
    pub(super) spans: &'a mut SpanTable,
}

impl Lower<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, e: &syn::Expr) -> Result<Expr> {
        let span = self.spans.add(e.span());
        let kind = match e {
            syn::Expr::Lit(l) => self.literal(&l.lit, span)?,
            syn::Expr::Path(p) if p.qself.is_none() => self.path(&p.path, span)?,
            syn::Expr::Paren(p) => return self.expr(&p.expr),
            syn::Expr::Group(g) => return self.expr(&g.expr),
            syn::Expr::Call(c) => return self.call(c, span),
            syn::Expr::MethodCall(m) => {
                if let Some(contained) = self.is_contained(m) {
                    return contained;
                }
                let name = self.name(&m.method);
                let turbofish = m.turbofish.as_ref().map_or(Ok(Vec::new()), |t| self.angle_args(t))?;
                let mut args = vec![self.expr(&m.receiver)?];
                args.extend(self.exprs(&m.args)?);
                return Ok(Expr { span: name.span, kind: ExprKind::Call { name, turbofish, args } });
            }
            syn::Expr::Closure(c) => {
                let pats = c.inputs.iter().map(|p| self.pat(p)).collect::<Result<_>>()?;
                ExprKind::Closure(pats, Box::new(self.expr(&c.body)?))
            }
            syn::Expr::Unary(u) => return self.unary(u, span),
            syn::Expr::Binary(b) => return self.binary(b),
            syn::Expr::Cast(c) => {
                let at = self.spans.add(c.as_token.span);
                let kind = ExprKind::Cast(Box::new(self.expr(&c.expr)?), self.ty(&c.ty)?);
                return Ok(Expr { kind, span: at });
            }
            syn::Expr::If(i) => {
                let els = i.else_branch.as_ref().map(|(_, e)| self.expr(e)).transpose()?.map(Box::new);
                ExprKind::If(Box::new(self.expr(&i.cond)?), Box::new(self.block(&i.then_branch)?), els)
            }
            syn::Expr::Match(m) => return self.matching(m),
            syn::Expr::Block(b) => return self.block(&b.block),
            syn::Expr::Unsafe(u) => ExprKind::Unsafe(Box::new(self.block(&u.block)?)),
            syn::Expr::Tuple(t) => ExprKind::Tuple(self.exprs(&t.elems)?),
            syn::Expr::Struct(s) => return self.structure_value(s),
            syn::Expr::Array(a) => ExprKind::Array(self.exprs(&a.elems)?),
            syn::Expr::Repeat(r) => {
                ExprKind::Repeat(Box::new(self.expr(&r.expr)?), Box::new(self.expr(without_usize(&r.len))?))
            }
            syn::Expr::Field(f) => match &f.member {
                syn::Member::Unnamed(i) => {
                    let at = self.spans.add(i.span);
                    let kind = ExprKind::Field(Box::new(self.expr(&f.base)?), i.index);
                    return Ok(Expr { kind, span: at });
                }
                syn::Member::Named(ident) => {
                    let (base, name) = (self.expr(&f.base)?, self.name(ident));
                    return Ok(Expr { span: name.span, kind: ExprKind::Named(Box::new(base), name) });
                }
            },
            syn::Expr::Index(i) => ExprKind::Index(Box::new(self.expr(&i.expr)?), Box::new(self.expr(&i.index)?)),
            syn::Expr::Break(b) => match (&b.label, &b.expr) {
                (None, None) => ExprKind::Leave(Leave::Break),
                (Some(_), _) => return Err(unsupported(span, "a label")),
                (None, Some(_)) => return Err(unsupported(span, "a `break` with a value")),
            },
            syn::Expr::Continue(c) if c.label.is_none() => ExprKind::Leave(Leave::Continue),
            syn::Expr::Continue(_) => return Err(unsupported(span, "a label")),
            syn::Expr::Assign(_) | syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_) => {
                ExprKind::Block(vec![self.stmt_expr(e)?], None)
            }
            syn::Expr::Macro(m) => return self.macro_call(&m.mac),
            other => return Err(unsupported(span, describe(other))),
        };
        Ok(Expr { kind, span })
    }

    fn macro_call(&mut self, mac: &syn::Macro) -> Result<Expr> {
        if mac.path.is_ident("assert") {
            let span = self.spans.add(mac.path.span());
            return self.assertion(&mac.tokens, span);
        }
        if mac.path.is_ident("matches") {
            let span = self.spans.add(mac.path.span());
            return self.is_matched(&mac.tokens, span);
        }
        for (name, end) in [("print", ""), ("println", "\n")] {
            if mac.path.is_ident(name) {
                let span = self.spans.add(mac.path.span());
                return self.print(&mac.tokens, end, span);
            }
        }
        Err(no_macro(mac, self.spans))
    }

    fn exprs<'a>(&mut self, list: impl IntoIterator<Item = &'a syn::Expr>) -> Result<Vec<Expr>> {
        list.into_iter().map(|e| self.expr(e)).collect()
    }

    fn literal(&mut self, lit: &syn::Lit, span: Span) -> Result<ExprKind> {
        let suffix = |s: &str| match (s, ScalarType::from_name(s)) {
            ("", _) => Ok(None),
            (_, Some(t)) => Ok(Some(t)),
            _ => Err(unsupported(span, "this literal's suffix")),
        };
        match lit {
            syn::Lit::Int(i) => {
                let ty = suffix(i.suffix())?;
                if let Some(t) = ty.filter(|t| t.is_float()) {
                    return Ok(ExprKind::Float(i.base10_parse().unwrap_or(0.0), Some(t)));
                }
                let value = i.base10_digits().parse().map_err(|_| {
                    Box::new(
                        Diagnostic::new("OB006", span, "this literal is too large for any scalar type")
                            .help("`u64` holds up to 18446744073709551615"),
                    )
                })?;
                Ok(ExprKind::Int(value, ty))
            }
            syn::Lit::Float(f) => {
                let value = f.base10_digits().parse().map_err(|_| unsupported(span, "this literal"))?;
                Ok(ExprKind::Float(value, suffix(f.suffix())?))
            }
            syn::Lit::Bool(b) => Ok(ExprKind::Bool(b.value)),
            syn::Lit::Byte(b) => Ok(ExprKind::Int(b.value().into(), Some(ScalarType::U8))),
            _ => Err(unsupported(span, "this literal")),
        }
    }

    fn path(&mut self, path: &syn::Path, span: Span) -> Result<ExprKind> {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        match names.as_slice() {
            [name] => Ok(ExprKind::Name(name.clone())),
            // Constants are in capitals: `u32::MAX`, `T::MAX`; anything else is a function by its path.
            [ty, name] if !name.contains(char::is_lowercase) => {
                let ty = TypeExpr { span, kind: TypeKind::Path(ty.clone(), Vec::new()) };
                Ok(ExprKind::AssocConst(ty, name.clone()))
            }
            _ => names.last().map(|n| ExprKind::Name(n.clone())).ok_or_else(|| unsupported(span, "this path")),
        }
    }

    fn call(&mut self, c: &syn::ExprCall, span: Span) -> Result<Expr> {
        let args = self.exprs(&c.args)?;
        if let syn::Expr::Path(p) = &*c.func
            && let (None, Some(segment)) = (&p.qself, p.path.segments.last())
        {
            let name: Name = self.name(&segment.ident);
            let mut turbofish = self.generic_args(&segment.arguments)?;
            // `f32::from_bits(x)` is `from_bits::<f32>(x)`.
            if turbofish.is_empty()
                && let Some(before) = p.path.segments.iter().nth_back(1)
                && ScalarType::from_name(&before.ident.to_string()).is_some()
            {
                let of = Name { text: before.ident.to_string(), span: self.spans.add(before.ident.span()) };
                turbofish.push(TypeExpr { span: of.span, kind: TypeKind::Path(of.text, Vec::new()) });
            }
            return Ok(Expr { span: name.span, kind: ExprKind::Call { name, turbofish, args } });
        }
        Ok(Expr { kind: ExprKind::CallValue(Box::new(self.expr(&c.func)?), args), span })
    }

    fn unary(&mut self, u: &syn::ExprUnary, span: Span) -> Result<Expr> {
        let op = match u.op {
            syn::UnOp::Neg(_) => UnOp::Neg,
            syn::UnOp::Not(_) => UnOp::Not,
            _ => return Err(unsupported(span, "a dereference")),
        };
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(self.expr(&u.expr)?)), span })
    }

    fn binary(&mut self, b: &syn::ExprBinary) -> Result<Expr> {
        let span = self.spans.add(b.op.span());
        let (op, assign) = binary_op(&b.op).ok_or_else(|| unsupported(span, "this operator"))?;
        if assign {
            if let syn::Expr::Index(place) = &*b.left {
                let stmt = self.assign_element(place, Some(op), &b.right, span)?;
                return Ok(Expr { kind: ExprKind::Block(vec![stmt], None), span });
            }
            let syn::Expr::Path(p) = &*b.left else { return Err(bad_assignment(&b.left, span)) };
            let Some(ident) = p.path.get_ident() else { return Err(bad_assignment(&b.left, span)) };
            let name = self.name(ident);
            let left = self.expr(&b.left)?;
            let right = self.expr(&b.right)?;
            let value = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
            return Ok(Expr { kind: ExprKind::Block(vec![Stmt::Assign(name, value)], None), span });
        }
        let (left, right) = (Box::new(self.expr(&b.left)?), Box::new(self.expr(&b.right)?));
        let kind = match b.op {
            syn::BinOp::And(_) | syn::BinOp::Or(_) => ExprKind::Logic(op, left, right),
            _ => ExprKind::Binary(op, left, right),
        };
        Ok(Expr { kind, span })
    }

    pub(super) fn block(&mut self, block: &syn::Block) -> Result<Expr> {
        let span = self.spans.add(block.span());
        let mut stmts = Vec::new();
        let mut value = None;
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match stmt {
                syn::Stmt::Local(local) => stmts.push(self.local(local)?),
                syn::Stmt::Expr(e, None) if last && !is_statement(e) => value = Some(Box::new(self.expr(e)?)),
                syn::Stmt::Expr(e, _) => stmts.push(self.stmt_expr(e)?),
                syn::Stmt::Item(i) => {
                    return Err(unsupported(self.spans.add(i.span()), "an item inside a function"));
                }
                syn::Stmt::Macro(m) => stmts.push(Stmt::Expr(self.macro_call(&m.mac)?)),
            }
        }
        Ok(Expr { kind: ExprKind::Block(stmts, value), span })
    }

    fn local(&mut self, local: &syn::Local) -> Result<Stmt> {
        let span = self.spans.add(local.span());
        let pat: Pat = self.pat(&local.pat)?;
        match &local.init {
            Some(init) if init.diverge.is_none() => Ok(Stmt::Let(pat, self.expr(&init.expr)?)),
            Some(_) => Err(unsupported(span, "`let .. else`")),
            None => Err(Box::new(
                Diagnostic::new("OB002", span, "a variable needs a value where it is made").help("write `let x = ..;`"),
            )),
        }
    }

    /// A statement that is an expression in Rust.
    fn stmt_expr(&mut self, e: &syn::Expr) -> Result<Stmt> {
        match e {
            syn::Expr::Assign(a) => {
                let span = self.spans.add(a.eq_token.span);
                if let syn::Expr::Index(place) = &*a.left {
                    return self.assign_element(place, None, &a.right, span);
                }
                let syn::Expr::Path(p) = &*a.left else { return Err(bad_assignment(&a.left, span)) };
                let Some(ident) = p.path.get_ident() else { return Err(bad_assignment(&a.left, span)) };
                let name = self.name(ident);
                Ok(Stmt::Assign(name, self.expr(&a.right)?))
            }
            syn::Expr::ForLoop(f) => self.for_loop(f),
            syn::Expr::While(w) => {
                let span = self.spans.add(w.while_token.span);
                no_label(w.label.as_ref(), self.spans)?;
                let (cond, body) = (self.expr(&w.cond)?, self.block(&w.body)?);
                Ok(leaving::while_loop(span, cond, body))
            }
            syn::Expr::Loop(l) => {
                let span = self.spans.add(l.loop_token.span);
                no_label(l.label.as_ref(), self.spans)?;
                leaving::endless(span, self.block(&l.body)?)
            }
            _ => Ok(Stmt::Expr(self.expr(e)?)),
        }
    }

    fn assign_element(
        &mut self,
        place: &syn::ExprIndex,
        op: Option<BinOp>,
        value: &syn::Expr,
        span: Span,
    ) -> Result<Stmt> {
        let (base, index, value) = (self.expr(&place.expr)?, self.expr(&place.index)?, self.expr(value)?);
        Ok(Stmt::AssignElement { span, base, index, op, value })
    }

    fn for_loop(&mut self, f: &syn::ExprForLoop) -> Result<Stmt> {
        let span = self.spans.add(f.for_token.span);
        no_label(f.label.as_ref(), self.spans)?;
        ranges::for_loop(self, f, span)
    }
}

fn is_statement(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Assign(_) | syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_))
}

fn no_label(label: Option<&syn::Label>, spans: &mut SpanTable) -> Result<()> {
    label.map_or(Ok(()), |l| Err(unsupported(spans.add(l.span()), "a label")))
}

/// The operator, and whether it assigns (`+=`).
fn binary_op(op: &syn::BinOp) -> Option<(BinOp, bool)> {
    use syn::BinOp as S;
    Some(match op {
        S::Add(_) => (BinOp::Add, false),
        S::Sub(_) => (BinOp::Sub, false),
        S::Mul(_) => (BinOp::Mul, false),
        S::Div(_) => (BinOp::Div, false),
        S::Rem(_) => (BinOp::Rem, false),
        S::And(_) | S::BitAnd(_) => (BinOp::And, false),
        S::Or(_) | S::BitOr(_) => (BinOp::Or, false),
        S::BitXor(_) => (BinOp::Xor, false),
        S::Shl(_) => (BinOp::Shl, false),
        S::Shr(_) => (BinOp::Shr, false),
        S::Eq(_) => (BinOp::Eq, false),
        S::Ne(_) => (BinOp::Ne, false),
        S::Lt(_) => (BinOp::Lt, false),
        S::Le(_) => (BinOp::Le, false),
        S::Gt(_) => (BinOp::Gt, false),
        S::Ge(_) => (BinOp::Ge, false),
        S::AddAssign(_) => (BinOp::Add, true),
        S::SubAssign(_) => (BinOp::Sub, true),
        S::MulAssign(_) => (BinOp::Mul, true),
        S::DivAssign(_) => (BinOp::Div, true),
        S::RemAssign(_) => (BinOp::Rem, true),
        S::BitAndAssign(_) => (BinOp::And, true),
        S::BitOrAssign(_) => (BinOp::Or, true),
        S::BitXorAssign(_) => (BinOp::Xor, true),
        S::ShlAssign(_) => (BinOp::Shl, true),
        S::ShrAssign(_) => (BinOp::Shr, true),
        _ => return None,
    })
}

fn unsupported(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new("OB002", span, format!("{what} is not part of the kernel language")).help(instead(what)))
}

/// A macro in a kernel; the help is for what it is called.
fn no_macro(call: &syn::Macro, spans: &mut SpanTable) -> Box<Diagnostic> {
    let name = call.path.segments.last().map_or(String::new(), |segment| segment.ident.to_string());
    let help = match name.as_str() {
        "eprintln" | "eprint" | "dbg" | "format" | "write" | "writeln" => {
            "`println!(\"x is {}\", x)` writes to the standard output, on the CPU and under `check`"
        }
        "vec" => "`mk_pull(n, |i| ..)` makes an array by its index",
        "assert_eq" | "assert_ne" | "debug_assert" => "write `assert!(a == b, \"a is {}\", a)`",
        "panic" | "unreachable" | "todo" | "unimplemented" => {
            "a kernel does not stop: `assert!(cond, \"text\")` makes its launch an `Err`"
        }
        _ => "write what the macro stands for, or make it a function",
    };
    let message = format!("`{name}!` is not part of the kernel language");
    Box::new(Diagnostic::new("OB002", spans.add(call.path.span()), message).help(help))
}

/// What to write instead of a part of Rust that kernels do not have.
fn instead(what: &str) -> &'static str {
    match what {
        "`return`" => "a function gives the value of its last expression; choose with `if`",
        "a label" => {
            "`break` and `continue` are of the innermost loop: let a variable say that the outer one is to end"
        }
        "a `break` with a value" => "assign the value to a `let mut` variable before the `break`",
        "`if let`" | "`?`" => "kernels have no `Option` and no `Result`: test with `if`",
        "a range outside `for`" => {
            "`iota(n)` is the array 0 .. n; `take`, `drop` and `split_at` cut arrays; `(a..b).contains(&x)` is a test"
        }
        "a reference" | "a dereference" => "values are copied: leave out the `&` or the `*`",
        "this literal" => "numbers, bytes as `b'a'`, `true` and `false` are literals here",
        _ => "kernels are functions over scalars, tuples and arrays: `let`, `if`, `for`, `while`, closures and calls",
    }
}

fn bad_assignment(place: &syn::Expr, span: Span) -> Box<Diagnostic> {
    let help = match place {
        syn::Expr::Field(_) => {
            "assign a whole value with the other fields as they are: `v = V { x: 1.0, ..v };`, `p = (1.0, p.1);`"
        }
        _ => "pull arrays are values: make a new one with `map`, `zip_with`, `mk_pull`",
    };
    Box::new(
        Diagnostic::new("OB002", span, "only a `let mut` variable and an element of a `Mut` can be assigned")
            .help(help),
    )
}

fn describe(e: &syn::Expr) -> &'static str {
    match e {
        syn::Expr::Return(_) => "`return`",
        syn::Expr::Range(_) => "a range outside `for`",
        syn::Expr::Reference(_) => "a reference",
        syn::Expr::Try(_) => "`?`",
        syn::Expr::Await(_) | syn::Expr::Async(_) => "`async`",
        syn::Expr::Let(_) => "`if let`",
        _ => "this expression",
    }
}
