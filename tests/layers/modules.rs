//! The top-level modules of a crate and which of them uses which, read from the sources. What is compiled for tests only
//! does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, File, Item, UseTree};

use super::circles::Graph;

/// The graph of the crate whose root is `lib.rs` in `folder`.
pub fn graph(folder: &Path) -> Graph {
    let root = parse(&folder.join("lib.rs"));
    let mut graph: Graph = modules(&root).into_iter().map(|name| (name, BTreeSet::new())).collect();
    let lifted = lifted(&root);
    for name in graph.keys().cloned().collect::<Vec<_>>() {
        let mut uses = Vec::new();
        collect(folder, std::slice::from_ref(&name), &mut uses);
        // A path may name what the crate's root has taken out of a module.
        let modules = uses.into_iter().map(|name| lifted.get(&name).cloned().unwrap_or(name));
        let others: BTreeSet<String> = modules.filter(|to| *to != name && graph.contains_key(to)).collect();
        graph.insert(name, others);
    }
    graph
}

/// What a module's file and those of its submodules use.
fn collect(folder: &Path, path: &[String], all: &mut Vec<String>) {
    let place = folder.join(path.join("/"));
    let file = [place.with_extension("rs"), place.join("mod.rs")].into_iter().find(|file| file.is_file());
    // A module inside another file has been read with that.
    let Some(file) = file else { return };
    let file = parse(&file);
    all.extend(uses(path, &file));
    for name in modules(&file) {
        collect(folder, &[path, &[name]].concat(), all);
    }
}

fn parse(path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The modules that a file declares, but for tests.
fn modules(file: &File) -> Vec<String> {
    let named = |item: &Item| match item {
        Item::Mod(module) if !is_for_tests(&module.attrs) => Some(module.ident.to_string()),
        _ => None,
    };
    file.items.iter().filter_map(named).collect()
}

/// Names that the root has taken out of modules, each with its module.
fn lifted(root: &File) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for item in &root.items {
        if let Item::Use(item) = item
            && let UseTree::Path(path) = &item.tree
        {
            let mut leaves = Vec::new();
            leaf_names(&path.tree, &mut leaves);
            names.extend(leaves.into_iter().map(|leaf| (leaf, path.ident.to_string())));
        }
    }
    names
}

fn leaf_names(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => leaf_names(&path.tree, names),
        UseTree::Name(name) => names.push(name.ident.to_string()),
        UseTree::Rename(rename) => names.push(rename.rename.to_string()),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaf_names(tree, names)),
        UseTree::Glob(_) => {}
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.meta.to_token_stream().to_string().contains("test")
    })
}

/// The names right below the crate's root that a file of the module at `path` mentions, in order.
pub fn uses(path: &[String], file: &File) -> Vec<String> {
    let mut names = Vec::new();
    for item in file.items.iter().filter(|item| !is_for_tests(attributes(item))) {
        mentions(item.to_token_stream(), path.len(), &mut names);
    }
    names
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Follows `crate::` and chains of `super::` as long as the module is deep; what stands in macro calls counts too.
fn mentions(tokens: TokenStream, depth: usize, names: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, wanted: &str| matches!(tokens.get(at), Some(TokenTree::Ident(ident)) if ident == wanted);
    let colons = |at: usize| {
        let colon = |at| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        colon(at) && colon(at + 1)
    };
    let mut at = 0;
    while at < tokens.len() {
        let mut end = at;
        if is(at, "crate") && colons(at + 1) {
            end = at + 3;
        } else {
            let mut supers = 0;
            while supers < depth && is(at + 3 * supers, "super") && colons(at + 3 * supers + 1) {
                supers += 1;
            }
            if supers == depth {
                end = at + 3 * supers;
            }
        }
        match tokens.get(end) {
            Some(TokenTree::Ident(name)) if end > at => names.push(name.to_string()),
            Some(TokenTree::Group(group)) if end > at => names.extend(first_names(group.stream())),
            _ => {}
        }
        if let TokenTree::Group(group) = &tokens[at] {
            let inner = usize::from(at >= 2 && is(at - 2, "mod"));
            mentions(group.stream(), depth + inner, names);
        }
        at += 1;
    }
}

/// `b` and `d` of `b::C, d`.
fn first_names(group: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    let mut first = true;
    for token in group {
        match &token {
            TokenTree::Ident(name) if first => names.push(name.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                first = true;
                continue;
            }
            _ => {}
        }
        first = false;
    }
    names
}
