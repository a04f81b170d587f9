//! Items beside the functions: constants with names, structures.

use std::collections::BTreeSet;
use std::fmt::Write;

use obsidian_ir::program::{Const, ScalarType};

use crate::ast::{Expr, Kernel, Numbers, Op};

/// The items that a kernel's text needs.
pub(super) fn of(kernel: &Kernel) -> String {
    let mut items = BTreeSet::new();
    kernel.exprs().for_each(|e| collect(kernel, e, &mut items));
    items.into_iter().collect()
}

fn collect(kernel: &Kernel, e: &Expr, items: &mut BTreeSet<String>) {
    let number = match &e.op {
        Op::Const(c) => Some(*c),
        Op::Size(n) => Some(Const::u32(*n)),
        _ => None,
    };
    if let Some((c, name)) = number.and_then(|c| Some((c, name_of(kernel, c)?))) {
        items.insert(format!("const {name}: {} = {};\n", c.ty.name(), c.bits));
    }
    if let Op::Record(fields) = &e.op {
        let mut text = format!("struct {} {{ ", structure(fields));
        for (i, field) in fields.iter().enumerate() {
            let _ = write!(text, "f{i}: {}, ", field.name());
        }
        items.insert(text + "}\n");
    }
    e.args.iter().for_each(|a| collect(kernel, a, items));
}

/// The name of a number, where the kernel's numbers have names and it is an integer that is not negative.
pub(super) fn name_of(kernel: &Kernel, c: Const) -> Option<String> {
    let named = kernel.numbers == Numbers::Named && c.ty.is_int() && c.int() >= 0;
    named.then(|| format!("{}_{}", c.ty.name().to_uppercase(), c.int()))
}

/// The name of a structure of these fields.
pub(super) fn structure(fields: &[ScalarType]) -> String {
    fields.iter().fold("S".to_string(), |name, f| name + "_" + f.name())
}
