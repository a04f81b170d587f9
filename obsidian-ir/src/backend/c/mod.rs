//! C for people, in any dialect: a machine-form program in, one kernel out that compiles alone and includes nothing. Each
//! phase between barriers is a paragraph; the header comment is the launch contract. Spellings come from a table
//! ([`dialect::Dialect`]). Decides nothing that a pass could.

mod complements;
mod contract;
mod copies;
pub(crate) mod dialect;
mod expr;
mod helpers;
pub(crate) mod names;
mod places;
pub(crate) mod spelling;
mod stmt;
mod subscripts;
mod uses;

use std::cell::OnceCell;
use std::fmt::Write;

pub(crate) use contract::header;
use dialect::{Dialect, SourcePlaces};
use helpers::Helpers;
use names::Names;
use subscripts::Wide;
use uses::Uses;

use crate::program::{
    ArrayId, Lined, ParamId, ParamKind, Places, Program, ScalarType, Space, Stmt, Writer, tokens_of_lines,
};

/// The name of a block's shared memory.
const SHARED: &str = "smem";

/// Prints a program in machine form. The function bears the name that the dialect gives to `Program::name`.
pub(crate) fn print(p: &Program, dialect: &'static Dialect) -> String {
    written(p, dialect).whole().0
}

/// The same with the tokens that each line comes from.
pub(crate) fn print_lined(p: &Program, dialect: &'static Dialect) -> Lined {
    let (text, before, lines) = written(p, dialect).whole();
    Lined::within(text, &before, tokens_of_lines(&p.exprs, &lines))
}

/// A text that is written.
struct Parts<'a> {
    /// What stands before the statements.
    before: String,
    /// The statements.
    body: String,
    /// The statement that each line of the body is of.
    lines: Vec<Option<&'a Stmt>>,
    /// Of a text that tells the author's lines, its name.
    told: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// The text, what stands in it before the statements, and the statements of the lines after that.
    fn whole(self) -> (String, String, Vec<Option<&'a Stmt>>) {
        let Parts { before, body, lines, told } = self;
        let mut text = format!("{before}{body}}}\n");
        if let Some(name) = told {
            text += &places::own_again(text.matches('\n').count(), name);
        }
        (text, before, lines)
    }
}

fn written<'a>(p: &'a Program, dialect: &'static Dialect) -> Parts<'a> {
    let mut printer = Printer::new(p, dialect);
    let contract = printer.contract();
    let signature = printer.signature();
    let shared = printer.shared_arrays();
    printer.block(&p.body, 1);
    let memory = if shared.is_empty() { printer.written() } else { SHARED };
    let declared_at = printer.places.map(places::of_kernel).unwrap_or_default();
    let head = format!("{}{declared_at}{signature}\n{{\n{shared}", printer.helpers.text());
    let whole = format!("{head}{}}}\n", printer.out.text());
    let before = format!("{contract}\n{}{head}", (dialect.prologue)(p, &whole, memory));
    let (told, parts) = (printer.places, printer.out.into_parts());
    let (body, lines) = match told {
        Some(told) => places::with_places(parts, told),
        None => parts,
    };
    Parts { before, body, lines, told: told.map(|_| &*p.name) }
}

/// The state of printing one kernel.
pub(crate) struct Printer<'a> {
    p: &'a Program,
    dialect: &'static Dialect,
    names: Names,
    /// Found when first asked for. The printers of a header do not ask.
    found_uses: OnceCell<Uses>,
    found_wide: OnceCell<Wide>,
    helpers: Helpers,
    /// Where the kernel's tokens stand, if the text tells it.
    places: Option<&'a Places>,
    out: Writer<Option<&'a Stmt>>,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(p: &'a Program, dialect: &'static Dialect) -> Printer<'a> {
        Printer::with_names(p, dialect, Names::new(p, dialect.reserved))
    }

    /// A printer for what stands before the statements.
    fn of_host(p: &'a Program, dialect: &'static Dialect) -> Printer<'a> {
        Printer::with_names(p, dialect, Names::of_host(p, dialect.reserved))
    }

    fn with_names(p: &'a Program, dialect: &'static Dialect, names: Names) -> Printer<'a> {
        Printer {
            p,
            dialect,
            names,
            found_uses: OnceCell::new(),
            found_wide: OnceCell::new(),
            helpers: Helpers::new(dialect),
            places: p.places.as_ref().filter(|_| dialect.places == SourcePlaces::Told),
            out: Writer::new(None),
        }
    }

    /// A printer for code in which parameters are fields: `prefix` stands before each.
    fn through(p: &'a Program, dialect: &'static Dialect, prefix: &str) -> Printer<'a> {
        let mut printer = Printer::of_host(p, dialect);
        printer.names.put_before_params(prefix);
        printer
    }
}

impl Printer<'_> {
    fn uses(&self) -> &Uses {
        self.found_uses.get_or_init(|| Uses::of(self.p))
    }

    /// The length of an input: a parameter, or the number that its type fixes.
    fn len(&self, id: ParamId) -> String {
        match self.p.param(id).kind {
            ParamKind::Input { len: Some(n), .. } | ParamKind::InOut { len: Some(n), .. } => format!("{n}u"),
            _ => self.names.len(id).to_string(),
        }
    }

    fn signature(&self) -> String {
        let p = self.p;
        let mut params = Vec::new();
        for (i, param) in p.params.iter().enumerate() {
            let id = ParamId(i as u32);
            match &param.kind {
                ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
                    let updated = matches!(param.kind, ParamKind::InOut { .. });
                    params.extend(arrays.iter().map(|&a| self.pointer(if updated { "" } else { "const " }, a)));
                    if len.is_none() {
                        params.push(format!("{} {}", (self.dialect.ty)(ScalarType::U32), self.names.len(id)));
                    }
                }
                ParamKind::Scalar(ty) => params.push(format!("{} {}", self.dialect.stored(*ty), self.names.scalar(id))),
                ParamKind::Fault(array) => params.push(self.pointer("", *array)),
                ParamKind::Output { arrays, .. } => params.extend(arrays.iter().map(|&a| self.pointer("", a))),
            }
        }
        let list = params.join(",\n    ");
        (self.dialect.kernel)(&(self.dialect.symbol)(&p.name), p, &list)
    }

    /// A buffer that the kernel writes.
    fn written(&self) -> &str {
        let written = self.p.params.iter().find_map(|param| match &param.kind {
            ParamKind::InOut { arrays, .. } | ParamKind::Output { arrays, .. } => arrays.first(),
            _ => None,
        });
        written.map_or("", |&array| self.names.array(array))
    }

    fn pointer(&self, qualifier: &str, array: ArrayId) -> String {
        let a = self.p.array(array);
        let pointer = self.dialect.pointer(a.space, qualifier, a.elem);
        format!("{pointer}{} {}", self.dialect.restrict, self.names.array(array))
    }

    /// The block's shared memory, and where in it each array lies.
    fn shared_arrays(&self) -> String {
        let mut lines = String::new();
        for (i, array) in self.p.arrays.iter().enumerate() {
            let id = ArrayId(i as u32);
            if !matches!(array.space, Space::Shared(_)) || !self.uses().touches(id) {
                continue;
            }
            let (t, at) = (self.dialect.pointer(array.space, "", array.elem), array.offset.unwrap_or(0));
            let _ = writeln!(lines, "    {t}const {} = ({t})(smem + {at});", self.names.array(id));
        }
        if lines.is_empty() {
            return lines;
        }
        format!("    {}\n{lines}\n", (self.dialect.shared)(self.p.shared_bytes))
    }
}
