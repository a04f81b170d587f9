//! Rules of arrays: where they live, how long they are, where they lie in shared memory.

use std::collections::BTreeSet;

use super::expr::launch;
use super::{Checked, Form, broken};
use crate::level::Level;
use crate::program::{Array, ArrayId, Expr, ParamId, ParamKind, Program, ScalarType, Space, walk};

/// Checks parameters and every array that a statement mentions.
pub(super) fn check(p: &Program, form: &Form) -> Checked {
    for (i, param) in p.params.iter().enumerate() {
        parameter(p, ParamId(i as u32), &param.kind)?;
    }
    used(p).into_iter().try_for_each(|id| array(p, form, id))
}

/// The arrays that statements and their expressions mention.
fn used(p: &Program) -> BTreeSet<ArrayId> {
    let (mut used, mut todo, mut seen) = (BTreeSet::new(), Vec::new(), vec![false; p.exprs.len()]);
    walk::each(&p.body, &mut |stmt| {
        used.extend(walk::array(&stmt.kind));
        todo.extend(walk::direct(&stmt.kind));
    });
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        let expr = p.exprs.expr(id);
        if let Expr::Load(array, _) = expr {
            used.insert(array);
        }
        todo.extend(walk::operands(expr));
    }
    used
}

fn parameter(p: &Program, id: ParamId, kind: &ParamKind) -> Checked {
    let (arrays, len) = match kind {
        ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => (arrays.as_slice(), *len),
        ParamKind::Output { arrays, len } => {
            launch(p, *len, ScalarType::U32)?;
            (arrays.as_slice(), None)
        }
        ParamKind::Fault(array) => (std::slice::from_ref(array), Some(2)),
        ParamKind::Scalar(_) => return Ok(()),
    };
    let name = &p.param(id).name;
    if arrays.is_empty() {
        return broken(crate::diag::Span::NONE, format!("the buffer `{name}` has no array"));
    }
    for array in arrays {
        let Some(a) = p.arrays.get(array.0 as usize) else {
            return broken(crate::diag::Span::NONE, format!("an array of `{name}` does not exist"));
        };
        if a.space != Space::Global(id) {
            return broken(a.span, format!("`{}` is an array of `{name}` and lives elsewhere", a.name));
        }
        if len.is_some_and(|len| p.exprs.as_u32(a.len) != Some(len)) {
            return broken(a.span, format!("`{}` has another length than `{name}`", a.name));
        }
    }
    let last = id.0 as usize + 1 == p.params.len();
    match kind {
        ParamKind::Fault(array) if !last || p.array(*array).elem != ScalarType::U64 => {
            broken(crate::diag::Span::NONE, "the record of faults is two u64, and the last parameter")
        }
        _ => Ok(()),
    }
}

fn array(p: &Program, form: &Form, id: ArrayId) -> Checked {
    let Some(a) = p.arrays.get(id.0 as usize) else {
        return broken(crate::diag::Span::NONE, "an array does not exist");
    };
    if let Space::Global(param) = a.space {
        let owner = p.params.get(param.0 as usize).map(|param| &param.kind);
        let owned = match owner {
            Some(
                ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. } | ParamKind::Output { arrays, .. },
            ) => arrays.contains(&id),
            Some(ParamKind::Fault(array)) => *array == id,
            _ => false,
        };
        return if owned {
            launch(p, a.len, ScalarType::U32)
        } else {
            broken(a.span, format!("no parameter brings `{}`", a.name))
        };
    }
    // What does not fit is the author's mistake, which `layout` reports.
    let Some(len) = p.exprs.as_u32(a.len) else {
        return if form.placed { broken(a.span, format!("`{}` has no known length", a.name)) } else { Ok(()) };
    };
    if let Some(rows) = a.rows
        && (rows.row == 0 || rows.pitch < rows.row)
    {
        return broken(a.span, format!("the rows of `{}` overlap", a.name));
    }
    if a.rows.is_some() && !form.rows {
        return broken(a.span, format!("`{}` has no gaps yet", a.name));
    }
    if a.stages == 0 || a.stages > 1 && !form.stages {
        return broken(a.span, format!("`{}` is wanted in {} stages", a.name, a.stages));
    }
    match a.space {
        Space::Lanes if !form.lanes => broken(a.span, format!("`{}` is still wanted in lanes", a.name)),
        Space::Registers if !form.registers => broken(a.span, format!("`{}` is still wanted in registers", a.name)),
        Space::Shared(level) if form.placed => placed(p, a, level, len),
        _ => Ok(()),
    }
}

fn placed(p: &Program, a: &Array, level: Level, len: u32) -> Checked {
    let copies = match level {
        Level::Block => 1,
        Level::Warp => u64::from(p.warps()),
        _ => return broken(a.span, format!("`{}` is shared by a {level}", a.name)),
    };
    let Some(offset) = a.offset else { return broken(a.span, format!("`{}` has no place in shared memory", a.name)) };
    if !offset.is_multiple_of(a.elem.bytes()) {
        return broken(a.span, format!("`{}` lies at {offset}, which its elements may not", a.name));
    }
    let end = u64::from(offset) + u64::from(len) * copies * u64::from(a.elem.bytes());
    if end > p.shared_bytes.into() {
        return broken(a.span, format!("`{}` ends at {end}, and shared memory at {}", a.name, p.shared_bytes));
    }
    Ok(())
}
