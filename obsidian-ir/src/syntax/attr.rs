//! `#[kernel(..)]` on an entry.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::SpanTable;
use super::ast::EntryAttr;
use super::item::syntax_error;
use crate::diag::{Diagnostic, Result, Span};

const KEYS: [&str; 2] = ["threads", "shared"];
const DEFAULT_THREADS: u32 = 256;
const DEFAULT_SHARED: u32 = 49152;

/// Reads the attribute.
///
/// # Errors
/// An unknown key (with the nearest known one), a value that is no literal, threads outside 1 ..= 1024.
pub fn entry(attr: &syn::Attribute, spans: &mut SpanTable) -> Result<EntryAttr> {
    let span = spans.add(attr.path().span());
    let mut result = EntryAttr { span, threads: vec![DEFAULT_THREADS], shared: DEFAULT_SHARED };
    let syn::Meta::List(list) = &attr.meta else { return Ok(result) };
    let parser = Punctuated::<syn::MetaNameValue, syn::Token![,]>::parse_terminated;
    let pairs = list.parse_args_with(parser).map_err(|e| Box::new(syntax_error(&e, spans)))?;
    for pair in &pairs {
        let key_span = spans.add(pair.path.span());
        let key = pair.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if pairs.iter().take_while(|p| !std::ptr::eq(*p, pair)).any(|p| p.path == pair.path) {
            return Err(Box::new(
                Diagnostic::new("OB004", key_span, format!("`{key}` is given twice")).help("keep one of the two"),
            ));
        }
        match key.as_str() {
            "threads" => result.threads = threads(&pair.value, spans)?,
            "shared" => result.shared = number(&pair.value, spans)?.0,
            _ => return Err(Box::new(unknown_key(&key, key_span))),
        }
    }
    Ok(result)
}

fn threads(value: &syn::Expr, spans: &mut SpanTable) -> Result<Vec<u32>> {
    let values = match value {
        syn::Expr::Array(a) if a.elems.is_empty() => {
            let span = spans.add(value.span());
            return Err(Box::new(
                Diagnostic::new("OB004", span, "a kernel needs at least one variant")
                    .help("such as `threads = [64, 128]`"),
            ));
        }
        syn::Expr::Array(a) => a.elems.iter().collect(),
        other => vec![other],
    };
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

fn number(value: &syn::Expr, spans: &mut SpanTable) -> Result<(u32, Span)> {
    let span = spans.add(value.span());
    if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. }) = value
        && let Ok(n) = n.base10_parse()
    {
        return Ok((n, span));
    }
    Err(Box::new(Diagnostic::new("OB004", span, "this must be a whole number below 2^32")))
}

fn unknown_key(key: &str, span: Span) -> Diagnostic {
    let nearest = KEYS.into_iter().min_by_key(|k| distance(k, key)).unwrap_or(KEYS[0]);
    Diagnostic::new("OB004", span, format!("`{key}` is not a parameter of `#[kernel(..)]`"))
        .note(format!("known: {}", KEYS.map(|k| format!("`{k}`")).join(", ")))
        .help(format!("did you mean `{nearest}`?"))
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
