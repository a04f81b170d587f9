//! Vector accesses of the machine form: which arrays are read or written by several elements at a time.

use super::report::{Action, VectorAccess};
use crate::passes::walk;
use crate::program::{ArrayId, Block, Program, Space, StmtKind};

/// The vector accesses in the text of a program in machine form, those of one array and width together.
pub(in crate::passes) fn vectors(machine: &Program) -> Vec<VectorAccess> {
    let mut found = Vec::new();
    collect(machine, &machine.body, &mut found);
    found
}

fn collect(p: &Program, block: &Block, found: &mut Vec<VectorAccess>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::LoadVector { vars, array, .. } => note(p, *array, (Action::Load, vars.len()), found),
            StmtKind::StoreVector { array, values, .. } => note(p, *array, (Action::Store, values.len()), found),
            StmtKind::Copy { array, count, .. } if *count > 1 => {
                note(p, *array, (Action::Store, *count as usize), found);
            }
            kind => walk::nested(kind).for_each(|inner| collect(p, inner, found)),
        }
    }
}

fn note(p: &Program, array: ArrayId, (action, width): (Action, usize), found: &mut Vec<VectorAccess>) {
    let a = p.array(array);
    let name = match a.space {
        Space::Global(param) => super::field(p, array, param),
        _ => a.name.clone(),
    };
    let new = VectorAccess { array: name, elem: a.elem, action, width: width as u32, count: 1 };
    let same = |v: &&mut VectorAccess| VectorAccess { count: 1, ..(**v).clone() } == new;
    match found.iter_mut().find(same) {
        Some(known) => known.count += 1,
        None => found.push(new),
    }
}
