//! PTX printer. In: a program in machine form (after `passes::machine`). Out: one PTX module with one entry, for
//! `.target sm_70` and later (or the target that the author names); ptxas and every driver since CUDA 11.0 take it. Decides spelling and addressing only: the
//! order of memory accesses is the program's. Registers are declared with their types, so that ptxas checks types.

mod address;
mod apart;
mod atomic;
mod cast;
mod divide;
mod emit;
mod expr;
mod fast;
mod fmod;
mod loc;
mod ops;
mod regs;
mod shuffle;
mod stmt;
#[cfg(test)]
mod tests;
mod usage;
mod vector;

use std::fmt::Write;

use crate::diag::Span;
use crate::passes::Machine;
use crate::passes::vectorise::BUFFER_ALIGN;
use crate::program::{Expr, Lined, ParamKind, Program, ScalarType, Space, Special, Writer};
use emit::Emitter;
use regs::{Class, memory_type, name_of};
use usage::Usage;

/// Prints the PTX module of a program in machine form. The entry has the program's name.
pub fn print(program: &Machine) -> String {
    let (before, body) = written(program);
    before + body.text() + "}\n"
}

/// The same with the token that each line comes from.
pub fn print_lined(program: &Machine) -> Lined {
    let (before, body) = written(program);
    let (body, lines) = body.into_parts();
    let one = |span: Span| if span == Span::NONE { Vec::new() } else { vec![span] };
    Lined::within(format!("{before}{body}}}\n"), &before, lines.into_iter().map(one).collect())
}

/// What stands before the instructions, and these.
fn written(program: &Machine) -> (String, Writer<Span>) {
    let program: &Program = program;
    let usage = Usage::of(program);
    let symbols = Symbols::of(program);
    let mut e = Emitter::new(program, &usage);
    prologue(&mut e, &symbols);
    e.block(&program.body);
    e.ins("ret;");

    let mut out = String::new();
    let _ = write!(out, "{}", contract(program, &symbols));
    let target = program.options.target;
    let _ = writeln!(out, ".version {}\n.target {}\n.address_size 64\n", target.ptx_version(), target.name());
    out.push_str(&program.places.as_ref().map_or_else(String::new, loc::files));
    if e.dynamic_shared() {
        out.push_str(".extern .shared .align 128 .b8 smem[];\n\n");
    }
    let params: Vec<_> = symbols.0.iter().map(|s| format!("    .param .{} {}", s.ty, s.name)).collect();
    let _ = writeln!(out, ".visible .entry {}(\n{}\n)", program.name, params.join(",\n"));
    let _ = writeln!(out, ".reqntid {}, 1, 1", program.threads);
    if let Some(blocks) = super::residents::resident_blocks(program) {
        let _ = writeln!(out, ".minnctapersm {blocks}");
    }
    out.push_str("{\n");
    let (declarations, body) = e.finish();
    let body = match &program.places {
        Some(places) => loc::with_places(body, places),
        None => body,
    };
    (out + &declarations, body)
}

/// A parameter of the entry.
struct Symbol {
    name: String,
    /// PTX type, without the dot.
    ty: &'static str,
    what: What,
    /// What the launch passes, for the header.
    note: String,
}

/// What a parameter of the entry carries.
enum What {
    Pointer(crate::program::ArrayId),
    Len(crate::program::ParamId),
    Scalar(crate::program::ParamId, ScalarType),
}

/// The entry's parameters in the order of the launch.
struct Symbols(Vec<Symbol>);

impl Symbols {
    fn of(p: &Program) -> Symbols {
        let mut all = Symbols(Vec::new());
        for (i, param) in p.params.iter().enumerate() {
            let id = crate::program::ParamId(i as u32);
            let base = format!("p_{}", name_of(&param.name));
            match &param.kind {
                ParamKind::Scalar(ty) => {
                    all.push(base, memory_type(*ty), What::Scalar(id, *ty), ty.name().to_string());
                }
                ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
                    let updated = matches!(param.kind, ParamKind::InOut { .. });
                    all.pointers(p, &base, arrays, if updated { "updated" } else { "input" });
                    if len.is_none() {
                        all.push(format!("{base}_len"), "u32", What::Len(id), format!("length of {}", param.name));
                    }
                }
                ParamKind::Output { arrays, .. } => all.pointers(p, &base, arrays, "output"),
                ParamKind::Fault(array) => {
                    all.pointers(p, &base, &[*array], "first access out of range, zero at first")
                }
            }
        }
        all
    }

    fn pointers(&mut self, p: &Program, base: &str, arrays: &[crate::program::ArrayId], role: &str) {
        for (i, &a) in arrays.iter().enumerate() {
            let name = if arrays.len() == 1 { base.to_string() } else { format!("{base}_{i}") };
            self.push(name, "u64", What::Pointer(a), format!("{role}, pointer to {}", p.array(a).elem.name()));
        }
    }

    /// Adds a parameter; a name that is taken (`x_len` beside the length of `x`) gets its position appended.
    fn push(&mut self, name: String, ty: &'static str, what: What, note: String) {
        let taken = self.0.iter().any(|s| s.name == name);
        let name = if taken { format!("{name}_{}", self.0.len()) } else { name };
        self.0.push(Symbol { name, ty, what, note });
    }
}

/// The launch contract, as a comment.
fn contract(p: &Program, symbols: &Symbols) -> String {
    let mut s = String::new();
    let _ = writeln!(s, "// {}: launch with {} threads a block in x and any number of blocks in x;", p.name, p.threads);
    let bytes = p.shared_bytes;
    let _ = match p.dynamic_shared() {
        0 => writeln!(s, "// {bytes} bytes of static shared memory a block, no dynamic. Parameters:"),
        _ => writeln!(
            s,
            "// {bytes} bytes of dynamic shared memory a block, which CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES must allow.\n\
             // Parameters:"
        ),
    };
    for symbol in &symbols.0 {
        let _ = writeln!(s, "//   {}: {}", symbol.name, symbol.note);
    }
    let _ = writeln!(s, "// Pointers are multiples of {BUFFER_ALIGN}.");
    s
}

/// Loads the values that the whole entry uses: pointers, lengths, scalars, machine registers.
fn prologue(e: &mut Emitter<'_>, symbols: &Symbols) {
    for s in &symbols.0 {
        match s.what {
            What::Pointer(a) if e.usage.touches(a) => {
                let (raw, base) = (e.regs.fresh(Class::Addr), e.regs.fresh(Class::Addr));
                e.ins(&format!("ld.param.u64 {raw}, [{}];", s.name));
                e.ins(&format!("cvta.to.global.u64 {base}, {raw};"));
                e.bases.insert(a, base);
            }
            What::Len(id) if e.usage.reads(Expr::Len(id)) => {
                let r = e.regs.fresh(Class::U32);
                e.ins(&format!("ld.param.u32 {r}, [{}];", s.name));
                e.leaves.insert(Expr::Len(id), regs::Operand::temp(r));
            }
            What::Scalar(id, ty) if e.usage.reads(Expr::Scalar(id)) => {
                let value = e.load_from("ld.param", &format!("[{}]", s.name), ty);
                e.leaves.insert(Expr::Scalar(id), value);
            }
            _ => {}
        }
    }
    specials(e);
    e.place_arrays();
}

fn specials(e: &mut Emitter<'_>) {
    // The block is one-dimensional, so lane and warp follow from the thread; `%laneid` promises no such relation
    // (PTX ISA, special registers).
    let all = [Special::Tid, Special::WarpId, Special::Lane, Special::BlockIdx, Special::GridDim];
    let used: Vec<_> = all.into_iter().filter(|&s| e.usage.reads(Expr::Special(s))).collect();
    let mut tid = None;
    for s in used {
        let r = e.regs.fresh(Class::U32);
        let source = match s {
            Special::BlockIdx => "mov.u32 {}, %ctaid.x;".to_string(),
            Special::GridDim => "mov.u32 {}, %nctaid.x;".to_string(),
            Special::Tid => "mov.u32 {}, %tid.x;".to_string(),
            Special::WarpId => format!("shr.u32 {{}}, {}, 5;", thread(e, &mut tid)),
            Special::Lane => format!("and.b32 {{}}, {}, 31;", thread(e, &mut tid)),
        };
        e.ins(&source.replace("{}", &r));
        if s == Special::Tid {
            tid = Some(r.clone());
        }
        e.leaves.insert(Expr::Special(s), regs::Operand::temp(r));
    }
}

/// The register that holds the thread's number, read on first use.
fn thread(e: &mut Emitter<'_>, tid: &mut Option<String>) -> String {
    tid.get_or_insert_with(|| {
        let r = e.regs.fresh(Class::U32);
        e.ins(&format!("mov.u32 {r}, %tid.x;"));
        r
    })
    .clone()
}

/// Whether an array lives in shared memory.
fn is_shared(space: Space) -> bool {
    matches!(space, Space::Shared(_))
}
