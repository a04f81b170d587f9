//! `#[kernel(..)]` on an entry: its keys and their values, as written. Which values fit which generic is decided in
//! `types`.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::SpanTable;
use super::ast::{AttrParam, AttrValue, EntryAttr, Expr, Generic, Name};
use super::expr::Lower;
use super::item::syntax_error;
use obsidian_abi::ParamValue;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::{Deny, Math, Options, ScalarType, Target};

/// The keys, and how each is written.
const KEYS: [(&str, &str); 9] = [
    ("threads", "`threads = 256`, or a list: `threads = [64, 128]`"),
    ("per_block", "`per_block = 4096`, in elements"),
    ("shared", "`shared = 49152`, in bytes"),
    ("target", "`target = \"sm_80\"`"),
    ("fast_math", "`fast_math`, alone"),
    ("line_info", "`line_info`, alone"),
    ("deny", "`deny(bank_conflicts, uncoalesced, guards, local_memory, max_shared = 16384, max_barriers = 10)`"),
    ("max_variants", "`max_variants = 1000`"),
    ("where", "`where(SEQ * threads <= 4096)`"),
];
/// The arguments of `deny`; the first two take a number.
const DENIALS: [&str; 6] = ["max_shared", "max_barriers", "bank_conflicts", "uncoalesced", "guards", "local_memory"];
const DEFAULT_THREADS: u32 = 256;
const DEFAULT_SHARED: u32 = 49152;

/// Whether the attribute has a key of that name, whatever the entry's generics are.
pub fn is_key(name: &str) -> bool {
    KEYS.iter().any(|(key, _)| *key == name)
}

/// `key`, `key = value` or `key(tokens)`.
struct Pair {
    key: Ident,
    args: Args,
}

enum Args {
    Alone,
    Value(Box<syn::Expr>),
    List(TokenStream),
}

/// Reads the attribute of a function with these generics. A mistake in one key goes to `mistakes`, and the others are
/// still read.
pub fn entry(
    attr: &syn::Attribute,
    generics: &[Generic],
    mistakes: &mut Vec<Diagnostic>,
    spans: &mut SpanTable,
) -> EntryAttr {
    let span = spans.add(attr.path().span());
    let mut result = EntryAttr {
        span,
        whole: true,
        threads: vec![DEFAULT_THREADS],
        shared: DEFAULT_SHARED,
        params: Vec::new(),
        wheres: Vec::new(),
        max_variants: None,
        per_block: None,
        options: Options::default(),
        line_info: false,
        deny: Deny::default(),
    };
    let syn::Meta::List(list) = &attr.meta else { return result };
    let before = mistakes.len();
    for pair in &pairs(list.tokens.clone(), mistakes, spans) {
        if let Err(mistake) = read(pair, generics, &mut result, mistakes, spans) {
            mistakes.push(*mistake);
        }
    }
    result.whole = mistakes.len() == before;
    result
}

/// Splits the list into its keys. A key that stands twice is a mistake; its first value counts.
fn pairs(tokens: TokenStream, mistakes: &mut Vec<Diagnostic>, spans: &mut SpanTable) -> Vec<Pair> {
    let parser = |input: ParseStream<'_>| Punctuated::<Pair, syn::Token![,]>::parse_terminated_with(input, pair);
    let all = match parser.parse2(tokens) {
        Ok(all) => all,
        Err(e) => {
            mistakes.push(syntax_error(&e, spans));
            return Vec::new();
        }
    };
    let mut pairs: Vec<Pair> = Vec::new();
    for pair in all {
        if pairs.iter().any(|p| p.key == pair.key) {
            let d = Diagnostic::new("OB004", spans.add(pair.key.span()), format!("`{}` is given twice", pair.key));
            mistakes.push(d.help("keep one of the two"));
        } else {
            pairs.push(pair);
        }
    }
    pairs
}

fn pair(input: ParseStream<'_>) -> syn::Result<Pair> {
    let key = Ident::parse_any(input)?;
    let args = if input.peek(syn::Token![=]) {
        input.parse::<syn::Token![=]>()?;
        Args::Value(Box::new(input.parse()?))
    } else if input.peek(syn::token::Paren) {
        let inner;
        syn::parenthesized!(inner in input);
        Args::List(inner.parse()?)
    } else {
        Args::Alone
    };
    Ok(Pair { key, args })
}

fn read(
    pair: &Pair,
    generics: &[Generic],
    result: &mut EntryAttr,
    mistakes: &mut Vec<Diagnostic>,
    spans: &mut SpanTable,
) -> Result<()> {
    let key = pair.key.to_string();
    let span = spans.add(pair.key.span());
    let is_generic = !is_key(&key) && generics.iter().any(|g| g.name.text == key);
    match (key.as_str(), &pair.args) {
        (_, Args::Value(value)) if is_generic => {
            let values = list(value).into_iter().map(|v| param_value(v, spans)).collect::<Result<Vec<_>>>()?;
            not_empty(&values, spans.add(value.span()))?;
            result.params.push(AttrParam { name: Name { text: key, span }, values });
        }
        ("threads", Args::Value(value)) => result.threads = threads(value, spans)?,
        ("per_block", Args::Value(value)) => result.per_block = Some(per_block(value, spans)?),
        ("shared", Args::Value(value)) => result.shared = number(value, spans)?.0,
        ("max_variants", Args::Value(value)) => result.max_variants = Some(number(value, spans)?.0),
        ("target", Args::Value(value)) => result.options.target = target(value, spans)?,
        ("fast_math", Args::Alone) => result.options.math = Math::Fast,
        ("line_info", Args::Alone) => result.line_info = true,
        ("deny", Args::List(tokens)) => result.deny = deny(tokens.clone(), mistakes, spans),
        ("where", Args::List(tokens)) => result.wheres = conditions(tokens.clone(), span, spans)?,
        _ => return Err(Box::new(misused_key(&key, span, generics))),
    }
    Ok(())
}

/// The error for a key that is unknown or written in another form than its own.
fn misused_key(key: &str, span: Span, generics: &[Generic]) -> Diagnostic {
    if let Some((_, form)) = KEYS.iter().find(|(k, _)| *k == key) {
        let d = Diagnostic::new("OB004", span, format!("`{key}` is not written like this"));
        return d.help(format!("write {form}"));
    }
    if generics.iter().any(|g| g.name.text == key) {
        let d = Diagnostic::new("OB004", span, format!("the generic `{key}` needs a value here"));
        return d.help(format!("write `{key} = ..`, or a list `{key} = [.., ..]`: one variant each"));
    }
    let known = || KEYS.iter().map(|(k, _)| *k).chain(generics.iter().map(|g| g.name.text.as_str()));
    let nearest = known().min_by_key(|k| distance(k, key)).unwrap_or_default();
    let help = match 2 * distance(nearest, key) <= key.len() {
        true => format!("did you mean `{nearest}`?"),
        false => format!("values to choose between are generics of the function: `fn name<const {key}: u32>(..)`"),
    };
    Diagnostic::new("OB004", span, format!("`{key}` is not a parameter of `#[kernel(..)]`"))
        .note(format!("known: {}", known().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")))
        .help(help)
}

/// The values of `[a, b]`, or the one value.
fn list(value: &syn::Expr) -> Vec<&syn::Expr> {
    match value {
        syn::Expr::Array(a) => a.elems.iter().collect(),
        other => vec![other],
    }
}

fn not_empty<T>(values: &[T], span: Span) -> Result<()> {
    if !values.is_empty() {
        return Ok(());
    }
    let d = Diagnostic::new("OB004", span, "a kernel needs at least one variant");
    Err(Box::new(d.help("write one value or more, such as `threads = [64, 128]`")))
}

fn threads(value: &syn::Expr, spans: &mut SpanTable) -> Result<Vec<u32>> {
    let values = list(value);
    not_empty(&values, spans.add(value.span()))?;
    let mut out = Vec::new();
    for v in values {
        let (n, span) = number(v, spans)?;
        if !(1..=1024).contains(&n) {
            return Err(Box::new(
                Diagnostic::new("OB004", span, format!("a block cannot have {n} threads"))
                    .note("a block has 1 to 1024 real threads; any array length works with any number of them")
                    .help("write a number from 1 to 1024, such as `threads = 256`"),
            ));
        }
        if !out.contains(&n) {
            out.push(n);
        }
    }
    Ok(out)
}

fn per_block(value: &syn::Expr, spans: &mut SpanTable) -> Result<(u32, Span)> {
    let (n, span) = number(value, spans)?;
    if n == 0 {
        let d = Diagnostic::new("OB004", span, "a block must take at least one element");
        return Err(Box::new(d.help("write a number of elements, such as `per_block = 4096`")));
    }
    Ok((n, span))
}

fn number(value: &syn::Expr, spans: &mut SpanTable) -> Result<(u32, Span)> {
    let span = spans.add(value.span());
    if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) = value
        && let Ok(n) = n.base10_parse()
    {
        return Ok((n, span));
    }
    let d = Diagnostic::new("OB004", span, "this must be a whole number below 2^32");
    Err(Box::new(d.help("such as `256`")))
}

/// A number, `true`, `false` or a scalar type.
fn param_value(value: &syn::Expr, spans: &mut SpanTable) -> Result<AttrValue> {
    let span = spans.add(value.span());
    let (sign, inner) = match value {
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => (-1, &**expr),
        other => (1, other),
    };
    let kind = match inner {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) => n.base10_parse::<i64>().ok().map(|n| {
            // A literal has no sign, and its 64 bits are more than any length needs.
            ParamValue::Int(sign * i128::from(n))
        }),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(b), .. }) if sign == 1 => Some(ParamValue::Bool(b.value)),
        syn::Expr::Path(p) if sign == 1 => {
            p.path.get_ident().and_then(|i| ScalarType::from_name(&i.to_string())).map(ParamValue::Type)
        }
        _ => None,
    };
    kind.map(|kind| AttrValue { span, kind }).ok_or_else(|| {
        let d = Diagnostic::new("OB004", span, "this is no value for a generic");
        Box::new(d.help("a whole number such as `16`, `true` or `false`, or a scalar type such as `f32`"))
    })
}

fn target(value: &syn::Expr, spans: &mut SpanTable) -> Result<Target> {
    let span = spans.add(value.span());
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(name), .. }) = value else {
        let d = Diagnostic::new("OB004", span, "a target is a text");
        return Err(Box::new(d.help("such as `target = \"sm_80\"`")));
    };
    let name = name.value();
    Target::from_name(&name).ok_or_else(|| {
        let nearest = Target::names().min_by_key(|t| distance(t, &name)).unwrap_or_default();
        let known: Vec<String> = Target::names().map(|t| format!("`{t}`")).collect();
        let d = Diagnostic::new("OB004", span, format!("`{name}` is not a target that is known"))
            .note(format!("known: {}", known.join(", ")));
        Box::new(d.help(format!("did you mean `{nearest}`?")))
    })
}

fn deny(tokens: TokenStream, mistakes: &mut Vec<Diagnostic>, spans: &mut SpanTable) -> Deny {
    let mut deny = Deny::default();
    for pair in pairs(tokens, mistakes, spans) {
        if let Err(mistake) = denial(&pair, &mut deny, spans) {
            mistakes.push(*mistake);
        }
    }
    deny
}

fn denial(pair: &Pair, deny: &mut Deny, spans: &mut SpanTable) -> Result<()> {
    let (key, span) = (pair.key.to_string(), spans.add(pair.key.span()));
    match (key.as_str(), &pair.args) {
        ("max_shared", Args::Value(v)) => deny.max_shared = Some((number(v, spans)?.0, span)),
        ("max_barriers", Args::Value(v)) => deny.max_barriers = Some((number(v, spans)?.0, span)),
        ("max_shared" | "max_barriers", _) => {
            let d = Diagnostic::new("OB004", span, format!("`{key}` needs a number"));
            return Err(Box::new(d.help(format!("write `{key} = 10`"))));
        }
        ("bank_conflicts", Args::Alone) => deny.bank_conflicts = Some(span),
        ("uncoalesced", Args::Alone) => deny.uncoalesced = Some(span),
        ("guards", Args::Alone) => deny.guards = Some(span),
        ("local_memory", Args::Alone) => deny.local_memory = Some(span),
        (known, _) if DENIALS.contains(&known) => {
            let d = Diagnostic::new("OB004", span, format!("`{key}` has no value"));
            return Err(Box::new(d.help(format!("write `{key}`, alone"))));
        }
        _ => {
            let nearest = DENIALS.into_iter().min_by_key(|k| distance(k, &key)).unwrap_or_default();
            let d = Diagnostic::new("OB004", span, format!("`{key}` is nothing that can be denied"))
                .note(format!("known: {}", DENIALS.map(|k| format!("`{k}`")).join(", ")));
            return Err(Box::new(d.help(format!("did you mean `{nearest}`?"))));
        }
    }
    Ok(())
}

fn conditions(tokens: TokenStream, span: Span, spans: &mut SpanTable) -> Result<Vec<Expr>> {
    let parser = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
    let found = parser.parse2(tokens).map_err(|e| Box::new(syntax_error(&e, spans)))?;
    if found.is_empty() {
        let d = Diagnostic::new("OB004", span, "`where` needs a condition");
        return Err(Box::new(d.help("such as `where(SEQ * threads <= 4096)`")));
    }
    found.iter().map(|e| Lower { spans: &mut *spans }.expr(e)).collect()
}

/// Levenshtein distance.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let change = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
