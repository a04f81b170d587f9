//! Every entry of `programs` by itself, from its text, for other numbers of threads than the text's own. What the tests
//! that compile each program themselves go through, on all cores.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use obsidian_ir::diag::Diagnostic;
use obsidian_ir::interp::{self, Arg, Args, Buffer, Fault};
use obsidian_ir::program::{ParamKind, Program};
use obsidian_lang::driver::{Compiled, Variant, compile};
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// A chunk is no longer than this.
const CHUNK: u32 = 4096;
/// Blocks of a kernel without inputs that are looked at.
const FEW_BLOCKS: u32 = 9;

/// An entry and the helpers beside it.
pub struct Entry {
    /// Without the `r#` of `r#type`.
    pub name: String,
    file: syn::File,
}

impl Entry {
    /// The entry's variants of these threads; of other parameters that have several values, the first.
    pub fn compiled(&self, threads: &[u32]) -> Result<Vec<Variant>, Vec<Diagnostic>> {
        let mut items = Vec::new();
        for item in &self.file.items {
            let mut item = item.clone();
            if let syn::Item::Fn(f) = &mut item
                && let Some(attr) = f.attrs.iter_mut().find(|attr| crate::is_kernel(attr))
            {
                if plain(&f.sig.ident) != self.name {
                    continue;
                }
                if let syn::Meta::List(list) = &mut attr.meta {
                    list.tokens = with_threads(std::mem::take(&mut list.tokens), threads);
                }
            }
            items.push(item.into_token_stream());
        }
        let entries = compile(items.into_iter().collect(), &mut SpanTable::default())?;
        let mut variants: Vec<Variant> = entries.into_iter().flat_map(|entry: Compiled| entry.variants).collect();
        for variant in &mut variants {
            if !has_inputs(&variant.native) {
                let fewer = |p: &mut Program| crate::first_blocks(p, FEW_BLOCKS);
                variant.native = variant.native.changed(fewer).expect("the number of blocks is no rule");
                variant.machine = variant.machine.changed(fewer).expect("the number of blocks is no rule");
            }
        }
        Ok(variants)
    }
}

fn plain(name: &proc_macro2::Ident) -> String {
    name.to_string().trim_start_matches("r#").to_string()
}

/// The parameters of an attribute with other threads. What `where` would leave out stays.
fn with_threads(tokens: TokenStream, threads: &[u32]) -> TokenStream {
    let mut out = quote!(threads = [#(#threads),*]);
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for part in trees.split(is_comma) {
        let key = part.first().map(ToString::to_string).unwrap_or_default();
        if ["", "threads", "where"].contains(&key.as_str()) {
            continue;
        }
        let (last, before) = part.split_last().expect("it has a key");
        let last = match last {
            TokenTree::Group(list) if list.delimiter() == Delimiter::Bracket => {
                list.stream().into_iter().take_while(|tree| !is_comma(tree)).collect()
            }
            other => other.to_token_stream(),
        };
        out.extend(quote!(, #(#before)* #last));
    }
    out
}

fn is_comma(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Punct(p) if p.as_char() == ',')
}

/// Every entry of the programs' files but `large.rs`.
fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    for tokens in crate::kernels(|_| true) {
        let file: syn::File = syn::parse2(tokens).expect("kernels are in Rust's syntax");
        for item in &file.items {
            if let syn::Item::Fn(f) = item
                && f.attrs.iter().any(crate::is_kernel)
            {
                all.push(Entry { name: plain(&f.sig.ident), file: file.clone() });
            }
        }
    }
    all
}

/// Does something with every entry, on all cores; in the entries' order. Fails with all complaints together.
pub fn on_every_entry<T: Send>(work: impl Fn(&Entry) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        // Tokens stay on the thread that made them.
        let entries = entries();
        while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = catch_unwind(AssertUnwindSafe(|| work(entry))).map_err(|_| entry.name.clone());
            done.lock().expect("no worker stops here").push((entry.name.clone(), result));
        }
        entries.len()
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let entries = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|w| w.join().expect("its work is caught")).max().unwrap_or(0)
    });
    let mut done = done.into_inner().expect("no worker stops there");
    done.sort_by(|a, b| a.0.cmp(&b.0));
    let failed: Vec<&str> = done.iter().filter_map(|(_, r)| r.as_ref().err().map(String::as_str)).collect();
    assert!(failed.is_empty(), "{} of {entries} entries, see above: {failed:?}", failed.len());
    assert!(entries >= 150, "{entries} entries");
    done.into_iter().filter_map(|(_, result)| result.ok()).collect()
}

/// Whether the host gives the kernel buffers.
pub fn has_inputs(program: &Program) -> bool {
    program.params.iter().any(|param| matches!(param.kind, ParamKind::Input { .. } | ParamKind::InOut { .. }))
}

/// The least length but 0 that a kernel accepts for its open inputs: found by asking.
pub fn chunk(program: &Program) -> u32 {
    let accepted = |&n: &u32| !matches!(interp::run(&checks(program), &zeros(program, n)), Err(Fault::Refused { .. }));
    (1..=CHUNK).find(accepted).unwrap_or_else(|| panic!("{} accepts no length up to {CHUNK}", program.name))
}

/// Only what is looked at before a kernel runs.
fn checks(program: &Program) -> Program {
    let mut program = program.clone();
    program.body.clear();
    program
}

/// Rows and columns of a matrix of `len` elements: as square as it can be.
pub fn shape(len: u32) -> (u32, u32) {
    let sides = (1..=len).take_while(|rows| rows.saturating_mul(*rows) <= len);
    sides.filter(|rows| len.is_multiple_of(*rows)).last().map_or((0, 5), |rows| (rows, len / rows))
}

/// The number that parameter `place` is, where it is the rows or the columns of a matrix of `len` elements before it.
pub fn extent(names: &[&str], place: usize, len: u32) -> Option<u32> {
    let follows = |by: usize, what: &str| place >= by && names[place] == format!("{}_{what}", names[place - by]);
    match () {
        () if follows(1, "rows") => Some(shape(len).0),
        () if follows(2, "cols") => Some(shape(len).1),
        () => None,
    }
}

fn zeros(program: &Program, open: u32) -> Args {
    let names: Vec<&str> = program.params.iter().map(|param| param.name.as_str()).collect();
    let given = program.params.iter().enumerate().filter_map(|(place, param)| match &param.kind {
        ParamKind::Output { .. } | ParamKind::Fault(_) => None,
        ParamKind::Scalar(ty) if extent(&names, place, open).is_some() => {
            let bits = extent(&names, place, open).unwrap_or_default().into();
            Some(Arg::Scalar(obsidian_ir::program::Const { ty: *ty, bits }))
        }
        ParamKind::Scalar(ty) => Some(Arg::Scalar(obsidian_ir::program::Const { ty: *ty, bits: 0 })),
        ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
            let len = len.unwrap_or(open) as usize;
            let field = |&a| Buffer { ty: program.array(a).elem, bits: vec![0; len] };
            Some(Arg::Buffers(arrays.iter().map(field).collect()))
        }
    });
    Args(given.collect())
}
