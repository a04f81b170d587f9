//! The variants of an entry: every combination of the values that its attribute gives, less those that `where(..)`
//! leaves out. In: the generics and the attribute. Out: values for each generic, in order.

use super::arena::{Ty, Types};
use crate::syntax::ast::{AttrValue, EntryAttr, Expr, ExprKind, FnDecl, Generic, GenericKind};
use crate::syntax::{edit_distance, is_key};
use obsidian_abi::ParamValue;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::{BinOp, Range, ScalarType, UnOp};

/// The most variants of one entry that does not say how many: each is compiled, and all its texts are embedded.
const MAX_VARIANTS: usize = 256;
/// The most combinations of values that are looked at, whatever `where(..)` leaves of them.
const MAX_COMBINATIONS: usize = 1 << 20;

/// Values for the generics, and the numbers of threads that `where(..)` leaves them.
pub(super) struct Combination {
    /// Names and values, in the order of the generics.
    pub values: Vec<(String, ParamValue)>,
    /// Numbers of threads; never empty.
    pub threads: Vec<u32>,
}

/// Every combination that `where(..)` leaves, in order; later generics change first.
///
/// # Errors
/// A generic without a value, or with one of another kind; a condition that has no answer; no combination left.
pub(super) fn combinations(decl: &FnDecl, attr: &EntryAttr) -> Result<Vec<Combination>> {
    let mut lists = Vec::new();
    for g in &decl.generics {
        lists.push((g.name.text.clone(), values_of(g, attr)?));
    }
    let total = lists.iter().fold(attr.threads.len(), |n, (_, l)| n.saturating_mul(l.len()));
    if total > MAX_COMBINATIONS {
        let d = Diagnostic::new("OB017", attr.span, format!("the values have {total} combinations"))
            .note(format!("at most {MAX_COMBINATIONS} are looked at, whatever `where(..)` leaves"));
        return Err(Box::new(d.help("give fewer values")));
    }
    let mut rows: Vec<Vec<(String, ParamValue)>> = vec![Vec::new()];
    for (name, list) in lists {
        rows = rows
            .iter()
            .flat_map(|row| list.iter().map(|v| row.iter().cloned().chain([(name.clone(), *v)]).collect()))
            .collect();
    }
    let mut out = Vec::new();
    for values in rows {
        let mut threads = Vec::new();
        for &t in &attr.threads {
            if wanted(&values, t, attr)? {
                threads.push(t);
            }
        }
        if !threads.is_empty() {
            out.push(Combination { values, threads });
        }
    }
    few_enough(out.iter().map(|c| c.threads.len()).sum(), attr)?;
    match (out.is_empty(), attr.wheres.first()) {
        (false, _) => Ok(out),
        (true, at) => {
            let d = Diagnostic::new("OB017", at.map_or(attr.span, |e| e.span), "`where(..)` leaves no variant")
                .note(format!("none of the {total} combinations of the values holds"));
            Err(Box::new(d.help("give other values, or a weaker condition")))
        }
    }
}

/// Counted after `where(..)`.
fn few_enough(variants: usize, attr: &EntryAttr) -> Result<()> {
    let most = attr.max_variants.map_or(MAX_VARIANTS, |n| n as usize);
    if variants <= most {
        return Ok(());
    }
    let limit = if attr.max_variants.is_some() { "`max_variants`" } else { "the default of `max_variants`" };
    let d = Diagnostic::new("OB017", attr.span, format!("this entry would have {variants} variants"))
        .note(format!("at most {most} are compiled, which is {limit}: each is a kernel of its own"));
    let help = format!("give fewer values, leave some out by `where(..)`, or say `max_variants = {variants}`");
    Err(Box::new(d.help(help)))
}

/// The values of a generic, each once.
fn values_of(g: &Generic, attr: &EntryAttr) -> Result<Vec<ParamValue>> {
    let name = &g.name.text;
    let example = match g.kind {
        GenericKind::Const(ScalarType::Bool) => "[false, true]",
        GenericKind::Const(_) => "[8, 16]",
        GenericKind::Type(_) => "[i32, f32]",
        GenericKind::Level(_) | GenericKind::Size => {
            let d = Diagnostic::new("OB016", g.name.span, "an entry's generics are values and element types")
                .note("an entry runs at `Grid`, and its parameters say which lengths are known");
            return Err(Box::new(d.help("`const N: u32` or `T: Num`, with values in the attribute")));
        }
    };
    if is_key(name) {
        let d = Diagnostic::new("OB017", g.name.span, format!("a generic cannot be called `{name}`"))
            .note("the attribute has a parameter of that name");
        return Err(Box::new(d.help("give it another name")));
    }
    let Some(param) = attr.params.iter().find(|p| p.name.text == *name) else {
        let d = Diagnostic::new("OB017", g.name.span, format!("the attribute gives no value for `{name}`"))
            .note("an entry is compiled for known values of its generics, a variant for each");
        return Err(Box::new(d.help(format!("write `#[kernel(.., {name} = {example})]`"))));
    };
    let mut out = Vec::new();
    for v in &param.values {
        fits(g, v, example)?;
        if !out.contains(&v.kind) {
            out.push(v.kind);
        }
    }
    Ok(out)
}

fn fits(g: &Generic, v: &AttrValue, example: &str) -> Result<()> {
    let name = &g.name.text;
    let refuse = |expected: String| {
        let d = Diagnostic::new("OB017", v.span, format!("`{}` is no value for `{name}`", v.kind)).note(expected);
        Err(Box::new(d.help(format!("such as `{name} = {example}`"))))
    };
    match (g.kind, v.kind) {
        (GenericKind::Const(ty), ParamValue::Int(n)) if ty.is_int() => {
            let range = Range::full(ty);
            if range.lo <= n && n <= range.hi {
                return Ok(());
            }
            refuse(format!("`{}` holds {} to {}", ty.name(), range.lo, range.hi))
        }
        (GenericKind::Const(ScalarType::Bool), ParamValue::Bool(_)) => Ok(()),
        (GenericKind::Const(ty), _) => refuse(format!("`const {name}: {}` stands for values of that type", ty.name())),
        (GenericKind::Type(bound), ParamValue::Type(t)) => {
            let mut types = Types::default();
            let id = types.ty(Ty::Scalar(t));
            if types.require(id, bound).is_ok() {
                return Ok(());
            }
            refuse(format!("`{}` is not `{}`, as `{name}: {}` asks", t.name(), bound.name(), bound.name()))
        }
        _ => refuse(format!("`{name}` stands for element types")),
    }
}

/// Whether every condition holds.
fn wanted(values: &[(String, ParamValue)], threads: u32, attr: &EntryAttr) -> Result<bool> {
    let env = Env { values, threads };
    for condition in &attr.wheres {
        match env.eval(condition)? {
            ParamValue::Bool(true) => {}
            ParamValue::Bool(false) => return Ok(false),
            other => {
                let d = Diagnostic::new("OB018", condition.span, format!("this is `{other}`, not a condition"));
                return Err(Box::new(d.help("compare it: `where(SEQ * threads <= 4096)`")));
            }
        }
    }
    Ok(true)
}

/// What the names in a condition stand for.
struct Env<'a> {
    values: &'a [(String, ParamValue)],
    threads: u32,
}

impl Env<'_> {
    fn eval(&self, e: &Expr) -> Result<ParamValue> {
        match &e.kind {
            ExprKind::Int(v, _) => Ok(ParamValue::Int((*v).into())),
            ExprKind::Bool(b) => Ok(ParamValue::Bool(*b)),
            ExprKind::Name(name) => self.name(name, e.span),
            ExprKind::Unary(op, a) => match (op, self.eval(a)?) {
                (UnOp::Not, ParamValue::Bool(b)) => Ok(ParamValue::Bool(!b)),
                (UnOp::Neg, ParamValue::Int(v)) => Ok(ParamValue::Int(-v)),
                (_, v) => Err(no_meaning(e.span, &[v])),
            },
            ExprKind::Logic(op, a, b) => match (self.eval(a)?, op) {
                // As everywhere, the right side is evaluated only if it decides: `N != 0 && 64 % N == 0`.
                (ParamValue::Bool(false), BinOp::And) => Ok(ParamValue::Bool(false)),
                (ParamValue::Bool(true), BinOp::Or) => Ok(ParamValue::Bool(true)),
                (ParamValue::Bool(a), _) => match self.eval(b)? {
                    ParamValue::Bool(b) => Ok(ParamValue::Bool(b)),
                    b => Err(no_meaning(e.span, &[ParamValue::Bool(a), b])),
                },
                (a, _) => Err(no_meaning(e.span, &[a])),
            },
            ExprKind::Binary(op, a, b) => binary(*op, self.eval(a)?, self.eval(b)?, e.span),
            _ => {
                let d = Diagnostic::new("OB018", e.span, "this is not part of a condition on variants");
                Err(Box::new(
                    d.help("names of the parameters, numbers, types, `+ - * / %`, comparisons, `&&`, `||` and `!` are"),
                ))
            }
        }
    }

    fn name(&self, name: &str, span: Span) -> Result<ParamValue> {
        if name == "threads" {
            return Ok(ParamValue::Int(self.threads.into()));
        }
        if let Some((_, v)) = self.values.iter().find(|(n, _)| n == name) {
            return Ok(*v);
        }
        if let Some(t) = ScalarType::from_name(name) {
            return Ok(ParamValue::Type(t));
        }
        let known = || self.values.iter().map(|(n, _)| n.as_str()).chain(["threads"]);
        let nearest = known().min_by_key(|k| edit_distance(k, name)).unwrap_or_default();
        let known: Vec<String> = known().map(|k| format!("`{k}`")).collect();
        let d = Diagnostic::new("OB018", span, format!("`{name}` is not a parameter of this entry"))
            .note(format!("known: {}", known.join(", ")));
        Err(Box::new(d.help(format!("did you mean `{nearest}`?"))))
    }
}

fn binary(op: BinOp, a: ParamValue, b: ParamValue, span: Span) -> Result<ParamValue> {
    use ParamValue::{Bool, Int};
    let (x, y) = match (op, a, b) {
        (_, Int(x), Int(y)) => (x, y),
        (BinOp::Eq, _, _) if same_kind(a, b) => return Ok(Bool(a == b)),
        (BinOp::Ne, _, _) if same_kind(a, b) => return Ok(Bool(a != b)),
        _ => return Err(no_meaning(span, &[a, b])),
    };
    let number = match op {
        BinOp::Eq => return Ok(Bool(x == y)),
        BinOp::Ne => return Ok(Bool(x != y)),
        BinOp::Lt => return Ok(Bool(x < y)),
        BinOp::Le => return Ok(Bool(x <= y)),
        BinOp::Gt => return Ok(Bool(x > y)),
        BinOp::Ge => return Ok(Bool(x >= y)),
        BinOp::Add => x.checked_add(y),
        BinOp::Sub => x.checked_sub(y),
        BinOp::Mul => x.checked_mul(y),
        BinOp::Div => x.checked_div(y),
        BinOp::Rem => x.checked_rem(y),
        _ => return Err(no_meaning(span, &[a, b])),
    };
    number.map(Int).ok_or_else(|| {
        let d = Diagnostic::new("OB018", span, format!("`{x} {} {y}` has no value", op.symbol()));
        Box::new(d.help("test for it first: `where(N != 0 && 64 % N == 0)`"))
    })
}

fn same_kind(a: ParamValue, b: ParamValue) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}

fn no_meaning(span: Span, values: &[ParamValue]) -> Box<Diagnostic> {
    let shown: Vec<String> = values.iter().map(|v| format!("`{v}`")).collect();
    let d = Diagnostic::new("OB018", span, format!("this operation has no meaning for {}", shown.join(" and ")));
    Box::new(d.help("numbers are computed with and compared; types and booleans are compared with `==` and `!=`"))
}
