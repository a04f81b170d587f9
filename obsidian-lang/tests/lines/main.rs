//! Where lines come from: every load and store of every program knows a token of the user's, and texts that know where their lines
//! come from are the same texts; and with `line_info` PTX and CUDA C tell a line of the author's for each access.

mod line_info;
mod told;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use obsidian_ir::backend::{cuda, opencl, ptx, rust};
use obsidian_ir::diag::Span;
use obsidian_ir::program::walk::{self, Kind};
use obsidian_ir::program::{self, Expr, Lined, Program};
use obsidian_lang::driver::{Compilation, Entries, Extent, LinesOf, Output, Variant, Variants};
use obsidian_lang::linking;
use obsidian_lang::syntax::SpanTable;
use obsidian_sources as sources;
use proc_macro2::TokenStream;

/// How many accesses there are, and how many of them know a token.
#[derive(Clone, Copy, Default)]
struct Counts {
    loads: [usize; 2],
    stores: [usize; 2],
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        for i in 0..2 {
            self.loads[i] += other.loads[i];
            self.stores[i] += other.stores[i];
        }
    }
}

fn counted(p: &Program, wrong: &mut Vec<String>) -> Counts {
    let mut counts = Counts::default();
    let faults = p.params.iter().filter_map(|param| match param.kind {
        program::ParamKind::Fault(array) => Some(array),
        _ => None,
    });
    let faults: Vec<_> = faults.collect();
    let mut note = |known: bool, counts: &mut [usize; 2], what: String| {
        counts[0] += 1;
        counts[1] += usize::from(known);
        if !known {
            wrong.push(format!("{}: {what}", p.name));
        }
    };
    walk::each(&p.body, &mut |stmt| {
        // The record of faults is the compiler's own.
        let touch = walk::touch(&stmt.kind).filter(|touch| !faults.contains(&touch.array));
        if let Some(touch) = touch {
            let counts = if touch.kind == Kind::Read { &mut counts.loads } else { &mut counts.stores };
            note(stmt.span != Span::NONE, counts, format!("{:?} of {}", touch.kind, p.array(touch.array).name));
        }
    });
    for e in walk::reachable(&p.exprs, walk::evaluated(&p.body), |_| false) {
        if let Expr::Load(array, _) = p.exprs.expr(e) {
            let known = p.exprs.origin(e) != Span::NONE;
            note(known, &mut counts.loads, format!("load from {}", p.array(array).name));
        }
    }
    counts
}

/// The text without what it knows of its lines, and without the marks among its tokens.
fn compare(lined: &Lined, plain: &str, what: &str, wrong: &mut Vec<String>) {
    if lined.text != plain {
        wrong.push(format!("{what}: the text is another one"));
    }
    if lined.lines.len() != plain.lines().count() {
        wrong.push(format!("{what}: {} lines for {}", lined.lines.len(), plain.lines().count()));
    }
    if lined.lines.iter().all(Vec::is_empty) {
        wrong.push(format!("{what}: no line knows where it comes from\n{plain}"));
    }
}

fn without_marks(tokens: &str) -> String {
    let mut parts = tokens.split("__at ! (");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| text + part.split_once(") ; ").map_or(part, |(_, rest)| rest))
}

fn texts(v: &Variant, wrong: &mut Vec<String>) {
    let name = &v.native.name;
    told::check(&v.machine, wrong);
    compare(&program::print_lined(&v.native), &program::print(&v.native), &format!("{name}.ir"), wrong);
    compare(&ptx::print_lined(&v.machine), &ptx::print(&v.machine), &format!("{name}.ptx"), wrong);
    compare(&cuda::print_lined(&v.machine), &cuda::print(&v.machine), &format!("{name}.cu"), wrong);
    compare(&opencl::print_lined(&v.group), &opencl::print(&v.group), &format!("{name}.cl"), wrong);
    if let Some(p) = &v.sub_groups {
        let (lined, plain) = (opencl::print_sub_groups_lined(p), opencl::print_sub_groups(p));
        compare(&lined, &plain, &format!("{name}, sub-groups"), wrong);
    }
    let marked = rust::native_marked(&v.native).tokens.to_string();
    if !marked.contains("__at ! (") || without_marks(&marked) != rust::native(&v.native).to_string() {
        wrong.push(format!("{name}.rs: the text is another one\n{marked}"));
    }
}

/// The default variants of the entries, whose texts tell lines of a file of this name.
fn with_lines(tokens: TokenStream, file: &Path) -> Entries {
    let mut spans = SpanTable::of_file(file);
    let text = linking::read(tokens, &mut spans).expect("a kernel");
    let extent = Extent { variants: Variants::First, lines: LinesOf::Every, ..Extent::WHOLE };
    let output = Compilation { text: &text, libraries: &[], extent }.run(&mut spans);
    output.map(Output::into_compiled).unwrap_or_else(|mistakes| panic!("{}", mistakes[0]))
}

#[test]
fn every_access_knows_its_token_and_no_text_changes() {
    let (next, cores) = (AtomicUsize::new(0), std::thread::available_parallelism().map_or(1, usize::from));
    let worker = || {
        let kernels = sources::kernels(|_| true);
        let (mut counts, mut wrong, mut programs) = (Counts::default(), Vec::new(), 0);
        while let Some(tokens) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
            let entries = with_lines(tokens.clone(), Path::new("programs/src/one.rs"));
            let of_modules = entries.modules.iter().flat_map(|entry| &entry.variants).flat_map(|v| &v.kernels);
            for v in entries.kernels.iter().flat_map(|entry| &entry.variants).chain(of_modules) {
                let forms: [&Program; 3] = [&v.native, &v.machine, &v.group];
                forms.iter().for_each(|p| counts += counted(p, &mut wrong));
                v.sub_groups.iter().for_each(|p| counts += counted(p, &mut wrong));
                texts(v, &mut wrong);
                programs += 1;
            }
        }
        (counts, wrong, programs)
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|w| w.join().expect("a worker goes on to its end")).collect()
    });
    let mut all = Counts::default();
    done.iter().for_each(|(counts, ..)| all += *counts);
    let programs: usize = done.iter().map(|(.., programs)| programs).sum();
    let wrong: Vec<&String> = done.iter().flat_map(|(_, wrong, _)| wrong).collect();
    println!(
        "{programs} programs: {} of {} loads and {} of {} stores know a token",
        all.loads[1], all.loads[0], all.stores[1], all.stores[0]
    );
    assert!(programs > 200, "{programs} programs");
    assert!(
        wrong.is_empty(),
        "{} things, the first:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(10)].iter().map(|s| s.as_str()).collect::<Vec<_>>().join("\n")
    );
}
