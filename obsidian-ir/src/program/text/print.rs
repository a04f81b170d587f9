//! Prints a program.

use std::fmt::Write;

use super::names::{self, Names};
use super::words::Words;
use super::{defaults, header, literal};
use crate::program::{
    AtomicOp, Block, Claim, Coordinate, Expr, ExprId, Lined, Program, Rows, ShuffleKind, Special, Stmt, StmtKind, UnOp,
    VarId, Writer, tokens_of_lines, walk,
};
use crate::tables::{HashMap, HashSet};

/// Operations of an expression that is written out.
const MAX_TREE: usize = 100;

/// Prints a program.
pub fn print(p: &Program) -> String {
    written(p).into_parts().0
}

/// The same with the tokens that each line comes from.
pub fn print_lined(p: &Program) -> Lined {
    let (text, lines) = written(p).into_parts();
    Lined { text, lines: tokens_of_lines(&p.exprs, &lines) }
}

fn written(p: &Program) -> Text<'_> {
    let names = Names::new(p);
    let mut out = Writer::new(None);
    out.push_str(&header::print(p, &names));
    let mut printer = Printer { p, names: &names, bound: HashSet::default(), short: Short::default() };
    printer.block(&p.body, 1, &mut out);
    out
}

/// Each line knows its statement.
type Text<'p> = Writer<Option<&'p Stmt>>;

/// Prints an expression with the fewest parentheses that keep it unambiguous.
pub fn expr(p: &Program, id: ExprId) -> String {
    Expressions { p, names: None, short: None, words: None }.expr(id, true)
}

struct Printer<'p, 'n> {
    p: &'p Program,
    names: &'n Names,
    /// The variables whose first binding is printed.
    bound: HashSet<VarId>,
    short: Short,
}

/// Large expressions that have got a name of the text's own, `$1`, on a line before the first statement that needs them. They
/// are shared, and would be a tree of exponential size if they were written out wherever they stand.
#[derive(Default)]
pub(super) struct Short {
    numbers: HashMap<ExprId, usize>,
    /// How large the expressions are when they are printed.
    size: HashMap<ExprId, usize>,
}

impl<'p> Printer<'p, '_> {
    fn block(&mut self, body: &'p Block, depth: usize, out: &mut Text<'p>) {
        let around = out.now();
        for stmt in body {
            let pad = "  ".repeat(depth);
            out.write_for(Some(stmt));
            if let StmtKind::SeqWhile { head, cond, body } = &stmt.kind {
                if !head.is_empty() {
                    let _ = writeln!(out, "{pad}loop");
                    self.block(head, depth + 1, out);
                    out.write_for(Some(stmt));
                }
                self.shorten(*cond, &pad, out);
                let _ = writeln!(out, "{pad}while {}", self.known(*cond));
                self.block(body, depth + 1, out);
                continue;
            }
            walk::direct(&stmt.kind).for_each(|id| self.shorten(id, &pad, out));
            let _ = writeln!(out, "{pad}{}", self.head(stmt));
            match &stmt.kind {
                StmtKind::If { then, els, .. } => {
                    self.block(then, depth + 1, out);
                    if !els.is_empty() {
                        out.write_for(Some(stmt));
                        let _ = writeln!(out, "{pad}else");
                        self.block(els, depth + 1, out);
                    }
                }
                StmtKind::SeqFor { body, .. } | StmtKind::ForAll { body, .. } | StmtKind::DistrPar { body, .. } => {
                    self.block(body, depth + 1, out);
                }
                _ => {}
            }
        }
        out.write_for(around);
    }

    /// Gives names to what is too large in an expression, a line each.
    fn shorten(&mut self, root: ExprId, pad: &str, out: &mut Text<'p>) {
        let mut todo = vec![root];
        while let Some(&id) = todo.last() {
            let exprs = &self.p.exprs;
            let sides = || exprs.coordinates.of(id).into_iter().flatten().flat_map(|side| [side.at, side.len]);
            let operands = || walk::operands(exprs.expr(id)).chain(sides());
            let before = todo.len();
            if !self.short.size.contains_key(&id) {
                todo.extend(operands().filter(|x| !self.short.size.contains_key(x)));
            }
            if todo.len() > before {
                continue;
            }
            todo.pop();
            if self.short.size.contains_key(&id) {
                continue;
            }
            let mut size = 1 + operands().map(|x| self.short.size[&x]).sum::<usize>();
            if size > MAX_TREE {
                let number = self.short.numbers.len() + 1;
                let _ = writeln!(out, "{pad}${number} = {}", self.typed(id));
                self.short.numbers.insert(id, number);
                size = 1;
            }
            self.short.size.insert(id, size);
        }
    }

    /// The line of a statement, or its first.
    fn head(&mut self, stmt: &Stmt) -> String {
        let (p, claim) = (self.p, claim(stmt.claim));
        match &stmt.kind {
            StmtKind::Assign { array, index, value } => {
                format!("{claim}{}[{}] = {}", self.array(*array), self.known(*index), self.known(*value))
            }
            StmtKind::Atomic { op, array, index, value, expected, old } => {
                let bind = old.map_or(String::new(), |v| format!("let {} = ", self.binder(stmt, v)));
                let expected = expected.map_or(String::new(), |x| format!("{}, ", self.known(x)));
                let place = format!("{}[{}]", self.array(*array), self.known(*index));
                format!("{claim}{bind}{}({place}, {expected}{})", atomic(*op), self.known(*value))
            }
            StmtKind::Let { var, value } => format!("let {} = {}", self.binder(stmt, *var), self.typed(*value)),
            StmtKind::Local { var, init } => {
                let init = init.map_or(String::new(), |i| format!(" = {}", self.known(i)));
                format!("local {}: {}{init}", self.binder(stmt, *var), p.var(*var).ty.name())
            }
            StmtKind::Set { var, value } => format!("{} = {}", p.var(*var).name, self.known(*value)),
            StmtKind::If { cond, .. } => format!("if {}", self.known(*cond)),
            StmtKind::SeqFor { var, start, end, step, .. } => {
                let by =
                    if p.exprs.as_u32(*step) == Some(1) { String::new() } else { format!(" by {}", self.known(*step)) };
                format!("seq {} in {}..{}{by}", self.binder(stmt, *var), self.known(*start), self.known(*end))
            }
            StmtKind::SeqWhile { .. } => String::new(),
            StmtKind::ForAll { level, var, n, .. } => {
                format!("forall {level} {} < {}", self.binder(stmt, *var), self.known(*n))
            }
            StmtKind::DistrPar { level, var, n, .. } => {
                format!("distribute {level} {} < {}", self.binder(stmt, *var), self.known(*n))
            }
            StmtKind::Allocate { array } => declaration(p, self.names, *array),
            StmtKind::Shuffle { var, value, kind, lane } => {
                let from = self.lane(*kind, *lane);
                format!("let {} = {} of lane {from}", self.binder(stmt, *var), self.typed(*value))
            }
            StmtKind::LoadVector { vars, array, index } => {
                let names: Vec<_> = vars.iter().map(|v| self.binder(stmt, *v)).collect();
                format!("let {} = {}[{} ..]", names.join(", "), self.array(*array), self.known(*index))
            }
            StmtKind::StoreVector { array, index, values } => {
                let values: Vec<_> = values.iter().map(|v| self.known(*v)).collect();
                format!("{claim}{}[{} ..] = {}", self.array(*array), self.known(*index), values.join(", "))
            }
            StmtKind::Print { text, values } => {
                let mut line = format!("print {:?}", text.first().map_or("", String::as_str));
                for (value, part) in values.iter().zip(text.iter().skip(1)) {
                    let _ = write!(line, ", {}, {part:?}", self.typed(*value));
                }
                line
            }
            StmtKind::Copy { array, index, value, count } => {
                let count = if *count == 1 { String::new() } else { format!("{count} ") };
                format!("copy {count}{}[{}] = {}", self.array(*array), self.known(*index), self.known(*value))
            }
            StmtKind::Commit => "commit".to_string(),
            StmtKind::Await { pending } => format!("await {pending}"),
            StmtKind::Sync { scope } => format!("sync {scope}"),
        }
    }

    /// Which lane a shuffle reads.
    fn lane(&self, kind: ShuffleKind, lane: ExprId) -> String {
        let e = &self.p.exprs;
        match kind {
            ShuffleKind::Index => match e.expr(lane) {
                // Not to be taken for one of the next three.
                Expr::Bin(_, a, _) if e.expr(a) == Expr::Special(Special::Lane) => format!("({})", self.known(lane)),
                _ => self.known(lane),
            },
            ShuffleKind::Xor => format!("lane ^ {}", self.known(lane)),
            ShuffleKind::Up => format!("lane - {}", self.known(lane)),
            ShuffleKind::Down => format!("lane + {}", self.known(lane)),
            ShuffleKind::All(op) => format!("all, {}", op.symbol()),
            ShuffleKind::Ballot => "all, ballot".to_string(),
            ShuffleKind::Same => "all, same".to_string(),
        }
    }

    /// A variable where it is bound, with its range where that is not the expected one.
    fn binder(&mut self, stmt: &Stmt, var: VarId) -> String {
        let v = self.p.var(var);
        let (name, range) = (&v.name, self.p.exprs.var_range(var));
        if self.bound.insert(var) && range != defaults::range(self.p, &stmt.kind, v.ty) {
            return format!("{name}({}..={})", range.lo, range.hi);
        }
        name.clone()
    }

    fn array(&self, id: crate::program::ArrayId) -> String {
        self.names.array(self.p, id)
    }

    /// An expression whose type the statement tells.
    fn known(&self, id: ExprId) -> String {
        Expressions { p: self.p, names: Some(self.names), short: Some(&self.short), words: None }.expr(id, true)
    }

    /// An expression whose type only it can tell.
    fn typed(&self, id: ExprId) -> String {
        Expressions { p: self.p, names: Some(self.names), short: Some(&self.short), words: None }.expr(id, false)
    }
}

/// The line that allocates an array.
pub(super) fn declaration(p: &Program, names: &Names, id: crate::program::ArrayId) -> String {
    let a = p.array(id);
    let rows = |r: Rows| format!(" rows of {} by {}", r.row, r.pitch);
    let (rows, at) = (a.rows.map_or(String::new(), rows), a.offset.map_or(String::new(), |o| format!(" at {o}")));
    let len = header::known(p, names, a.len);
    let stages = if a.stages == 1 { String::new() } else { format!(" in {} stages", a.stages) };
    format!("{} {}: {}[{len}]{rows}{stages}{at}", names::space(a.space), names.array(p, id), a.elem.name())
}

/// The name of an atomic update.
pub(super) fn atomic(op: AtomicOp) -> String {
    format!("atomic_{}", format!("{op:?}").to_lowercase())
}

/// What stands before a write whose index the author chose.
fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::ByConstruction => "",
        Claim::MustProve => "prove ",
        Claim::Author => "unsafe ",
    }
}

/// Prints expressions; with the names of a program's text where there is one.
pub(super) struct Expressions<'p> {
    pub p: &'p Program,
    pub names: Option<&'p Names>,
    pub short: Option<&'p Short>,
    /// What messages call some of them.
    pub words: Option<&'p Words>,
}

impl Expressions<'_> {
    /// `known`: whether the type follows from what is around.
    pub(super) fn expr(&self, id: ExprId, known: bool) -> String {
        let p = self.p;
        if let Some(number) = self.number(id) {
            return format!("${number}");
        }
        if let Some(word) = self.words.and_then(|words| words.get(&id)) {
            return word.clone();
        }
        let known = known || defaults::evident(p, id);
        let e = |a: ExprId| self.expr(a, known);
        match p.exprs.expr(id) {
            Expr::Const(c) => literal::print(c, known),
            Expr::Var(v) => p.var(v).name.clone(),
            Expr::Scalar(param) => self.names.map_or_else(|| p.param(param).name.clone(), |n| n.scalar(p, param)),
            Expr::Len(param) => format!("len({})", p.param(param).name),
            Expr::Special(s) => special(s).to_string(),
            Expr::OnGpu => "on_gpu".to_string(),
            Expr::Load(a, i) => {
                let array = self.names.map_or_else(|| p.array(a).name.clone(), |n| n.array(p, a));
                format!("{array}[{}{}]", self.expr(i, true), self.sides(id))
            }
            Expr::Un(op, a) => match op {
                UnOp::Neg => format!("-{}", self.operand(a, known)),
                UnOp::Not => format!("!{}", self.operand(a, known)),
                _ => format!("{}({})", op.name(), e(a)),
            },
            Expr::Bin(op, a, b) => {
                // The operands of a comparison tell one another their type, not the result.
                let outside = known && !op.is_comparison();
                let first = outside || defaults::evident(p, b);
                if op.is_function() {
                    format!("{}({}, {})", op.symbol(), self.expr(a, first), self.expr(b, true))
                } else {
                    format!("{} {} {}", self.operand(a, first), op.symbol(), self.operand(b, true))
                }
            }
            Expr::Select(c, a, b) => {
                let first = known || defaults::evident(p, b);
                format!("if {} {{ {} }} else {{ {} }}", self.expr(c, true), self.expr(a, first), self.expr(b, true))
            }
            Expr::Cast(a) => format!("{} as {}", self.operand(a, false), p.exprs.ty(id).name()),
            Expr::Bits(a) => format!("bits::<{}>({})", p.exprs.ty(id).name(), self.expr(a, false)),
            Expr::MulAdd(a, b, c) => {
                let first = known || defaults::evident(p, b) || defaults::evident(p, c);
                format!("mul_add({}, {}, {})", self.expr(a, first), self.expr(b, true), self.expr(c, true))
            }
        }
    }

    /// The row and the column that a load is of, where its author has said so; messages go without.
    fn sides(&self, load: ExprId) -> String {
        let asked = self.names.and_then(|_| self.p.exprs.coordinates.of(load));
        let side = |Coordinate { at, len, .. }| format!("{} of {}", self.expr(at, true), self.expr(len, true));
        asked.map_or(String::new(), |[row, column]| format!(" at ({}, {})", side(row), side(column)))
    }

    fn number(&self, id: ExprId) -> Option<usize> {
        self.short?.numbers.get(&id).copied()
    }

    fn operand(&self, id: ExprId, known: bool) -> String {
        let text = self.expr(id, known);
        if self.number(id).is_some() || self.words.is_some_and(|words| words.contains_key(&id)) {
            return text;
        }
        match self.p.exprs.expr(id) {
            Expr::Bin(op, ..) if !op.is_function() => format!("({text})"),
            Expr::Select(..) | Expr::Cast(..) => format!("({text})"),
            _ => text,
        }
    }
}

/// The name of a register.
pub(super) fn special(s: Special) -> &'static str {
    match s {
        Special::Tid => "tid",
        Special::WarpId => "warp",
        Special::Lane => "lane",
        Special::BlockIdx => "block",
        Special::GridDim => "blocks",
    }
}
