//! The text form of a program, for people and for snapshot tests.

use std::fmt::Write;

use super::{
    Block, Claim, Const, Expr, ExprId, ParamKind, Program, ScalarType, ShuffleKind, Space, Special, StmtKind, UnOp,
};

/// Prints a program.
pub fn print(p: &Program) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "kernel {} (threads = {}, shared = {} B)", p.name, p.threads, p.shared_bytes);
    for param in &p.params {
        let _ = match &param.kind {
            ParamKind::Input { arrays, len } => {
                let len = len.map_or(format!("len({})", param.name), |n| n.to_string());
                writeln!(out, "  in  {}: {}[{len}]", param.name, elems(p, arrays))
            }
            ParamKind::InOut { arrays, len } => {
                let len = len.map_or(format!("len({})", param.name), |n| n.to_string());
                writeln!(out, "  mut {}: {}[{len}]", param.name, elems(p, arrays))
            }
            ParamKind::Fault(array) => writeln!(out, "  fault {}", p.array(*array).name),
            ParamKind::Scalar(ty) => writeln!(out, "  in  {}: {}", param.name, ty.name()),
            ParamKind::Output { arrays, len } => {
                writeln!(out, "  out {}: {}[{}]", param.name, elems(p, arrays), expr(p, *len))
            }
        };
    }
    for check in &p.checks {
        let _ = writeln!(out, "  where {}   // {}", expr(p, check.cond), check.message);
    }
    block(p, &p.body, 1, &mut out);
    out
}

fn elems(p: &Program, arrays: &[super::ArrayId]) -> String {
    let names: Vec<_> = arrays.iter().map(|&a| p.array(a).elem.name()).collect();
    if names.len() == 1 { names[0].to_string() } else { format!("({})", names.join(", ")) }
}

fn block(p: &Program, body: &Block, depth: usize, out: &mut String) {
    for stmt in body {
        let pad = "  ".repeat(depth);
        let claim = claim(stmt.claim);
        let e = |id: ExprId| expr(p, id);
        let _ = match &stmt.kind {
            StmtKind::Assign { array, index, value } => {
                writeln!(out, "{pad}{claim}{}[{}] = {}", p.array(*array).name, e(*index), e(*value))
            }
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                let bind = old.map_or(String::new(), |v| format!("let {} = ", p.var(v).name));
                let name = format!("{op:?}").to_lowercase();
                let expected = expected.map_or(String::new(), |x| format!("{}, ", e(x)));
                let place = format!("{}[{}]", p.array(*array).name, e(*index));
                writeln!(out, "{pad}{claim}{bind}atomic_{name}({place}, {expected}{})", e(*value))
            }
            StmtKind::Let { var, value } => writeln!(out, "{pad}let {} = {}", p.var(*var).name, e(*value)),
            StmtKind::Local { var, init } => {
                let init = init.map_or(String::new(), |i| format!(" = {}", e(i)));
                let v = p.var(*var);
                writeln!(out, "{pad}local {}: {}{init}", v.name, v.ty.name())
            }
            StmtKind::Set { var, value } => writeln!(out, "{pad}{} = {}", p.var(*var).name, e(*value)),
            StmtKind::If { cond, then, els } => {
                let _ = writeln!(out, "{pad}if {}", e(*cond));
                block(p, then, depth + 1, out);
                if !els.is_empty() {
                    let _ = writeln!(out, "{pad}else");
                    block(p, els, depth + 1, out);
                }
                Ok(())
            }
            StmtKind::SeqFor { var, start, end, step, body } => {
                let step = if p.exprs.as_u32(*step) == Some(1) { String::new() } else { format!(" by {}", e(*step)) };
                let _ = writeln!(out, "{pad}seq {} in {}..{}{step}", p.var(*var).name, e(*start), e(*end));
                block(p, body, depth + 1, out);
                Ok(())
            }
            StmtKind::SeqWhile { head, cond, body } => {
                if head.is_empty() {
                    let _ = writeln!(out, "{pad}while {}", e(*cond));
                } else {
                    let _ = writeln!(out, "{pad}loop");
                    block(p, head, depth + 1, out);
                    let _ = writeln!(out, "{pad}while {}", e(*cond));
                }
                block(p, body, depth + 1, out);
                Ok(())
            }
            StmtKind::ForAll { level, var, n, body } => {
                let _ = writeln!(out, "{pad}forall {level} {} < {}", p.var(*var).name, e(*n));
                block(p, body, depth + 1, out);
                Ok(())
            }
            StmtKind::DistrPar { level, var, n, body } => {
                let _ = writeln!(out, "{pad}distribute {level} {} < {}", p.var(*var).name, e(*n));
                block(p, body, depth + 1, out);
                Ok(())
            }
            StmtKind::Allocate { array } => {
                let a = p.array(*array);
                let space = match a.space {
                    Space::Shared(level) => format!("shared per {level}"),
                    Space::Local => "local".to_string(),
                    Space::Lanes => "lanes".to_string(),
                    Space::Global(_) => "global".to_string(),
                };
                let at = a.offset.map_or(String::new(), |o| format!(" at {o}"));
                writeln!(out, "{pad}{space} {}: {}[{}]{at}", a.name, a.elem.name(), e(a.len))
            }
            StmtKind::Shuffle { var, value, kind, lane } => {
                let from = match kind {
                    ShuffleKind::Index => e(*lane),
                    ShuffleKind::Xor => format!("lane ^ {}", e(*lane)),
                    ShuffleKind::Up => format!("lane - {}", e(*lane)),
                    ShuffleKind::Down => format!("lane + {}", e(*lane)),
                    ShuffleKind::All(op) => format!("all, {}", op.symbol()),
                };
                writeln!(out, "{pad}let {} = {} of lane {from}", p.var(*var).name, e(*value))
            }
            StmtKind::LoadVector { vars, array, index } => {
                let names: Vec<_> = vars.iter().map(|v| p.var(*v).name.as_str()).collect();
                writeln!(out, "{pad}let {} = {}[{} ..]", names.join(", "), p.array(*array).name, e(*index))
            }
            StmtKind::StoreVector { array, index, values } => {
                let values: Vec<_> = values.iter().map(|v| e(*v)).collect();
                writeln!(out, "{pad}{claim}{}[{} ..] = {}", p.array(*array).name, e(*index), values.join(", "))
            }
            StmtKind::Sync { scope } => writeln!(out, "{pad}sync {scope}"),
        };
    }
}

/// Prints an expression with the fewest parentheses that keep it unambiguous.
pub fn expr(p: &Program, id: ExprId) -> String {
    match p.exprs.expr(id) {
        Expr::Const(c) => constant(c),
        Expr::Var(v) => p.var(v).name.clone(),
        Expr::Scalar(param) => p.param(param).name.clone(),
        Expr::Len(param) => format!("len({})", p.param(param).name),
        Expr::Special(s) => special(s).to_string(),
        Expr::Load(a, i) => format!("{}[{}]", p.array(a).name, expr(p, i)),
        Expr::Un(op, a) => match op {
            UnOp::Neg => format!("-{}", operand(p, a)),
            UnOp::Not => format!("!{}", operand(p, a)),
            UnOp::CountOnes => format!("count_ones({})", expr(p, a)),
            UnOp::LeadingZeros => format!("leading_zeros({})", expr(p, a)),
            UnOp::TrailingZeros => format!("trailing_zeros({})", expr(p, a)),
            UnOp::ReverseBits => format!("reverse_bits({})", expr(p, a)),
            _ => format!("{}({})", format!("{op:?}").to_lowercase(), expr(p, a)),
        },
        Expr::Bin(op, a, b) => match op {
            super::BinOp::Min | super::BinOp::Max => format!("{}({}, {})", op.symbol(), expr(p, a), expr(p, b)),
            _ => format!("{} {} {}", operand(p, a), op.symbol(), operand(p, b)),
        },
        Expr::Select(c, a, b) => format!("if {} {{ {} }} else {{ {} }}", expr(p, c), expr(p, a), expr(p, b)),
        Expr::Cast(a) => format!("{} as {}", operand(p, a), p.exprs.ty(id).name()),
        Expr::Bits(a) => format!("bits::<{}>({})", p.exprs.ty(id).name(), expr(p, a)),
        Expr::MulAdd(a, b, c) => format!("mul_add({}, {}, {})", expr(p, a), expr(p, b), expr(p, c)),
    }
}

fn operand(p: &Program, id: ExprId) -> String {
    let text = expr(p, id);
    match p.exprs.expr(id) {
        Expr::Bin(op, ..) if !matches!(op, super::BinOp::Min | super::BinOp::Max) => format!("({text})"),
        Expr::Select(..) | Expr::Cast(..) => format!("({text})"),
        _ => text,
    }
}

/// What stands before a write whose index the author chose.
fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::ByConstruction => "",
        Claim::MustProve => "prove ",
        Claim::Author => "unsafe ",
    }
}

fn special(s: Special) -> &'static str {
    match s {
        Special::Tid => "tid",
        Special::WarpId => "warp",
        Special::Lane => "lane",
        Special::BlockIdx => "block",
        Special::GridDim => "blocks",
    }
}

fn constant(c: Const) -> String {
    match c.ty {
        ScalarType::Bool => (c.bits != 0).to_string(),
        ScalarType::F16 | ScalarType::BF16 | ScalarType::F32 => format!("{:?}", super::arith::f32_of(c)),
        ScalarType::F64 => format!("{:?}", f64::from_bits(c.bits)),
        // A mask, most likely.
        ScalarType::U32 if c.int() > i32::MAX.into() => format!("{:#x}", c.int()),
        _ => c.int().to_string(),
    }
}
