//! Items: functions, their generics and parameters.

use std::str::FromStr;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::Parser;
use syn::spanned::Spanned;

use super::ast::{Bound, FnDecl, FnForm, Generic, GenericKind, ParamDecl, StructDecl, TypeExpr, TypeKind};
use super::expr::Lower;
use super::structure::structure;
use super::{SpanTable, attr};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::program::ScalarType;

/// The functions of one macro call.
#[derive(Debug)]
pub struct Module {
    /// Helpers and entries.
    pub fns: Vec<FnDecl>,
    /// Structures.
    pub structs: Vec<StructDecl>,
    /// What the host side needs of each entry.
    pub entries: Vec<EntryItem>,
    /// Mistakes in the attributes of entries; the functions can be checked all the same.
    pub mistakes: Vec<Diagnostic>,
}

/// The parts of an entry that the host's item keeps.
#[derive(Debug)]
pub struct EntryItem {
    /// Index in [`Module::fns`].
    pub index: usize,
    /// Its name.
    pub ident: Ident,
    /// `pub` ..
    pub vis: TokenStream,
    /// Documentation, `cfg` and `allow`.
    pub attrs: TokenStream,
}

/// Parses the functions of a `kernel!` call.
///
/// # Errors
/// Every mistake found, at its token.
pub fn parse_module(tokens: TokenStream, spans: &mut SpanTable) -> std::result::Result<Module, Vec<Diagnostic>> {
    let module = parse_to_check(tokens, spans)?;
    if module.mistakes.is_empty() { Ok(module) } else { Err(module.mistakes) }
}

/// The same, but mistakes in attributes are returned beside the functions, which can then be checked.
///
/// # Errors
/// Every mistake found, at its token, if one is outside of an attribute.
pub fn parse_to_check(tokens: TokenStream, spans: &mut SpanTable) -> std::result::Result<Module, Vec<Diagnostic>> {
    let items = parse_items(tokens).map_err(|e| vec![syntax_error(&e, spans)])?;
    let mut module = Module { fns: Vec::new(), structs: Vec::new(), entries: Vec::new(), mistakes: Vec::new() };
    let mut errors = Vec::new();
    for item in items {
        if let syn::Item::Struct(item) = &item {
            match structure(item, spans) {
                Ok(decl) => module.structs.push(decl),
                Err(e) => errors.push(*e),
            }
            continue;
        }
        let mut mistakes = Vec::new();
        let found = function(item, &mut mistakes, spans);
        module.mistakes.extend(mistakes.iter().cloned());
        errors.extend(mistakes.iter().cloned());
        match found {
            Ok((decl, head)) => {
                if let Some((ident, vis, attrs)) = head {
                    module.entries.push(EntryItem { index: module.fns.len(), ident, vis, attrs });
                }
                module.fns.push(decl);
            }
            Err(e) => errors.push(*e),
        }
    }
    if errors.len() == module.mistakes.len() { Ok(module) } else { Err(errors) }
}

/// Parses a text of the standard library.
///
/// # Errors
/// The first mistake in the text. The library's tests see to it that there is none.
pub fn parse_library(text: &str) -> Result<Vec<FnDecl>> {
    let mut spans = SpanTable::for_library();
    let tokens = TokenStream::from_str(text)
        .map_err(|e| Diagnostic::new("OB001", obsidian_ir::diag::Span::NONE, format!("standard library: {e}")))?;
    let module = parse_module(tokens, &mut spans).map_err(|mut e| e.swap_remove(0))?;
    Ok(module.fns)
}

/// Parses a builtin's signature, `fn name<..>(..) -> ..`.
///
/// # Errors
/// The mistake in the text.
pub fn parse_signature(text: &str) -> Result<FnDecl> {
    let mut spans = SpanTable::for_library();
    let sig: syn::Signature = syn::parse_str(text).map_err(|e| Box::new(syntax_error(&e, &mut spans)))?;
    signature(&sig, &mut spans)
}

fn parse_items(tokens: TokenStream) -> syn::Result<Vec<syn::Item>> {
    let parser = |input: syn::parse::ParseStream<'_>| {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(items)
    };
    parser.parse2(tokens)
}

/// A mistake that `syn` found.
pub(super) fn syntax_error(e: &syn::Error, spans: &mut SpanTable) -> Diagnostic {
    let said = e.to_string();
    let help = if said.contains("cannot be chained") {
        "two comparisons are joined: `a < b && b < c`"
    } else {
        "a kernel is Rust functions: `fn name(xs: DPull<f32>) -> DPush<Grid, f32> { .. }`"
    };
    Diagnostic::new("OB001", spans.add(e.span()), format!("this is not valid kernel syntax: {said}")).help(help)
}

type Head = (Ident, TokenStream, TokenStream);

fn function(item: syn::Item, mistakes: &mut Vec<Diagnostic>, spans: &mut SpanTable) -> Result<(FnDecl, Option<Head>)> {
    let span = spans.add(item.span());
    let item = match item {
        syn::Item::Fn(item) => item,
        syn::Item::Const(item) => return Ok((constant(&item, spans)?, None)),
        _ => {
            return Err(Box::new(
                Diagnostic::new(
                    "OB002",
                    span,
                    "only functions, constants and structures can stand inside `kernel! { .. }`",
                )
                .help("move other items outside the macro: kernels do not see them"),
            ));
        }
    };
    let mut decl = signature(&item.sig, spans)?;
    let mut kept = TokenStream::new();
    for a in &item.attrs {
        if a.path().is_ident("kernel") {
            decl.entry = Some(attr::entry(a, &decl.generics, mistakes, spans));
        } else if ["doc", "cfg", "allow", "expect", "warn", "deny"].iter().any(|name| a.path().is_ident(name)) {
            a.to_tokens(&mut kept);
        } else {
            let span = spans.add(a.span());
            return Err(Box::new(
                Diagnostic::new("OB002", span, "this attribute means nothing on a kernel function")
                    .help("`#[kernel(..)]`, `#[doc]`, `#[cfg]` and `#[allow]` are understood"),
            ));
        }
    }
    let body = syn::Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: *item.block });
    decl.body = Some(Lower { spans }.expr(&body)?);
    if decl.entry.is_none()
        && let Some(cfg) = item.attrs.iter().find(|a| a.path().is_ident("cfg"))
    {
        let span = spans.add(cfg.path().span());
        return Err(Box::new(
            Diagnostic::new("OB002", span, "`#[cfg]` cannot stand on a helper")
                .note("the macro does not know which configuration is built: the helper would always be there")
                .help("put `#[cfg]` on the entry, or on the whole `kernel! { .. }`"),
        ));
    }
    let head = decl.entry.is_some().then(|| (item.sig.ident.clone(), item.vis.to_token_stream(), kept));
    Ok((decl, head))
}

/// `const NAME: T = e;`: a function without parameters.
fn constant(item: &syn::ItemConst, spans: &mut SpanTable) -> Result<FnDecl> {
    let mut lower = Lower { spans };
    let (name, ret, body) = (lower.name(&item.ident), lower.ty(&item.ty)?, lower.expr(&item.expr)?);
    if name.text.contains(char::is_lowercase) {
        return Err(Box::new(
            Diagnostic::new("OB002", name.span, "a constant in a kernel is written in capitals")
                .note("so that a pattern of a `match` tells a constant from a variable, as in Rust")
                .help(format!("write `const {}`", name.text.to_uppercase())),
        ));
    }
    let (generics, params) = (Vec::new(), Vec::new());
    Ok(FnDecl { form: FnForm::Constant, name, generics, params, ret, body: Some(body), entry: None })
}

fn signature(sig: &syn::Signature, spans: &mut SpanTable) -> Result<FnDecl> {
    let name = Lower { spans }.name(&sig.ident);
    let while_compiling = "write `fn` alone: every helper is evaluated while compiling";
    for (token, what, help) in [
        (sig.asyncness.map(|t| t.span), "async", while_compiling),
        (sig.constness.map(|t| t.span), "const", while_compiling),
        (
            sig.unsafety.map(|t| t.span),
            "unsafe",
            "write `fn` alone; `unsafe { .. }` in its body answers for the writes inside",
        ),
        (sig.abi.as_ref().map(|abi| abi.extern_token.span), "extern", while_compiling),
    ] {
        if let Some(at) = token {
            let span = spans.add(at);
            return Err(Box::new(
                Diagnostic::new("OB002", span, format!("a kernel function cannot be `{what}`")).help(help),
            ));
        }
    }
    let mut generics = Vec::new();
    for g in &sig.generics.params {
        generics.push(generic(g, spans)?);
    }
    for predicate in sig.generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        demand(predicate, &mut generics, spans)?;
    }
    let mut params = Vec::new();
    for input in &sig.inputs {
        let syn::FnArg::Typed(p) = input else {
            let span = spans.add(input.span());
            return Err(Box::new(
                Diagnostic::new("OB002", span, "kernel functions have no `self`")
                    .help("name the parameter: `xs.f()` and `f(xs)` are the same call"),
            ));
        };
        let mut lower = Lower { spans };
        params.push(ParamDecl { pat: lower.pat(&p.pat)?, ty: lower.ty(&p.ty)? });
    }
    let ret = match &sig.output {
        syn::ReturnType::Default => TypeExpr { span: name.span, kind: TypeKind::Tuple(Vec::new()) },
        syn::ReturnType::Type(_, ty) => Lower { spans }.ty(ty)?,
    };
    Ok(FnDecl { form: FnForm::Function, name, generics, params, ret, body: None, entry: None })
}

fn generic(g: &syn::GenericParam, spans: &mut SpanTable) -> Result<Generic> {
    let mut lower = Lower { spans };
    let t = match g {
        syn::GenericParam::Type(t) => t,
        syn::GenericParam::Const(c) => return const_generic(c, &mut lower),
        syn::GenericParam::Lifetime(_) => {
            let span = spans.add(g.span());
            return Err(Box::new(
                Diagnostic::new("OB003", span, "a kernel function has no lifetimes: everything is a value")
                    .help("generics are `L: Compute`, `T: Data`, `S: Size` and `const N: u32`"),
            ));
        }
    };
    let name = lower.name(&t.ident);
    let mut kind = GenericKind::Type(Bound::Any);
    for bound in &t.bounds {
        kind = strongest(kind, generic_bound(bound, &mut lower)?);
    }
    Ok(Generic { name, kind })
}

/// `where T: Num`: the same as where `T` is declared.
fn demand(predicate: &syn::WherePredicate, generics: &mut [Generic], spans: &mut SpanTable) -> Result<()> {
    let mut lower = Lower { spans };
    let span = lower.spans.add(predicate.span());
    if let syn::WherePredicate::Type(syn::PredicateType { bounded_ty: syn::Type::Path(p), bounds, .. }) = predicate
        && let Some(generic) = p.path.get_ident().and_then(|of| generics.iter_mut().find(|g| *of == g.name.text))
    {
        for bound in bounds {
            generic.kind = strongest(generic.kind, generic_bound(bound, &mut lower)?);
        }
        return Ok(());
    }
    let message = "`where` says here what a type generic is";
    Err(Box::new(
        Diagnostic::new("OB003", span, message)
            .help("write `where T: Num`, or the same where `T` is declared: `<T: Num>`"),
    ))
}

fn const_generic(c: &syn::ConstParam, lower: &mut Lower<'_>) -> Result<Generic> {
    let name = lower.name(&c.ident);
    let ty = lower.ty(&c.ty)?;
    let scalar = match &ty.kind {
        TypeKind::Path(name, args) if args.is_empty() => ScalarType::from_name(name),
        _ => None,
    };
    match scalar.filter(|s| s.is_int() || *s == ScalarType::Bool) {
        Some(scalar) => Ok(Generic { name, kind: GenericKind::Const(scalar) }),
        None => Err(Box::new(
            Diagnostic::new("OB003", ty.span, "a `const` generic is an integer or a `bool`")
                .help("lengths and indices are `u32`: `const N: u32`"),
        )),
    }
}

/// `T: Data + Num` is `T: Num`; a level or a size has one bound.
fn strongest(a: GenericKind, b: GenericKind) -> GenericKind {
    match (a, b) {
        (GenericKind::Type(x), GenericKind::Type(y)) => GenericKind::Type(x.max(y)),
        _ => b,
    }
}

fn generic_bound(bound: &syn::TypeParamBound, lower: &mut Lower<'_>) -> Result<GenericKind> {
    let span = lower.spans.add(bound.span());
    let unknown = || {
        let named = bound.to_token_stream().to_string().replace(' ', "").replace("->", " -> ");
        let help = if named.starts_with("Fn") {
            format!("a function is a parameter of this type: `f: impl {named}`")
        } else {
            "levels: `Level`, `AtMost<Block>`, `Compute`; types: `Data`, `Ord`, `Num`, `Int`, `Float`; lengths: `Size`"
                .into()
        };
        Box::new(Diagnostic::new("OB003", span, format!("`{named}` is no bound of a kernel's generics")).help(help))
    };
    let syn::TypeParamBound::Trait(t) = bound else { return Err(unknown()) };
    let segment = t.path.segments.last().ok_or_else(unknown)?;
    Ok(match segment.ident.to_string().as_str() {
        "Level" => GenericKind::Level(Level::Grid),
        "Compute" => GenericKind::Level(Level::Block),
        "AtMost" => {
            let args = lower.generic_args(&segment.arguments)?;
            let level = match args.as_slice() {
                [TypeExpr { kind: TypeKind::Path(name, _), .. }] => Level::ALL.into_iter().find(|l| l.name() == name),
                _ => None,
            };
            GenericKind::Level(level.ok_or_else(unknown)?)
        }
        "Data" => GenericKind::Type(Bound::Data),
        "Ord" => GenericKind::Type(Bound::Ord),
        "Num" => GenericKind::Type(Bound::Num),
        "Int" => GenericKind::Type(Bound::Int),
        "Float" => GenericKind::Type(Bound::Float),
        "Size" => GenericKind::Size,
        _ => return Err(unknown()),
    })
}
