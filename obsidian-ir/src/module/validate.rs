//! The rules of a module: every buffer is written before it is read, once and by no one else, and kernels are given what their
//! parameters ask for.

use super::{Argument, BufferId, Module, Place, Step, StepKind};
use crate::diag::{Diagnostic, Result};
use crate::program::{ExprId, ParamKind, Program, ScalarType, walk};
use crate::tables::HashSet;

/// Checks a module.
///
/// # Errors
/// `OB099` with the rule that is broken.
pub fn check(m: &Module) -> Result<()> {
    let mut defined: HashSet<BufferId> = HashSet::default();
    for (buffer, id) in m.buffers.iter().zip(0..) {
        launch_value(m, buffer.len, ScalarType::U32)?;
        if is_given(m, buffer.place) {
            defined.insert(BufferId(id));
        }
    }
    for step in &m.steps {
        check_step(m, step, &mut defined)?;
    }
    let missing = m.buffers.iter().zip(0..).find(|(_, id)| !defined.contains(&BufferId(*id)));
    missing.map_or(Ok(()), |(buffer, _)| broken(format!("no step writes `{}`", buffer.name)))
}

/// Whether the caller brings it filled.
fn is_given(m: &Module, place: Place) -> bool {
    match place {
        Place::Param(param) => !matches!(m.host.param(param).kind, ParamKind::Output { .. }),
        Place::Temporary => false,
    }
}

fn check_step(m: &Module, step: &Step, defined: &mut HashSet<BufferId>) -> Result<()> {
    let StepKind::Launch { kernel, blocks, args, outputs } = &step.kind;
    launch_value(m, *blocks, ScalarType::U32)?;
    let Some(kernel) = m.kernels.get(kernel.0 as usize) else { return broken("a kernel does not exist") };
    let is_output = |kind: &ParamKind| matches!(kind, ParamKind::Output { .. });
    let params = kernel.params.iter().filter(|p| !matches!(p.kind, ParamKind::Fault(_)));
    let (outs, ins): (Vec<_>, Vec<_>) = params.partition(|p| is_output(&p.kind));
    if (ins.len(), outs.len()) != (args.len(), outputs.len()) {
        return broken(format!("`{}` is given another number of arguments than it takes", kernel.name));
    }
    for (param, arg) in ins.into_iter().zip(args) {
        match (&param.kind, arg) {
            (ParamKind::Scalar(ty), Argument::Scalar(e)) => launch_value(m, *e, *ty)?,
            (ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. }, Argument::Buffer(id)) => {
                if !defined.contains(id) {
                    return broken(format!("`{}` reads a buffer that nothing has written", kernel.name));
                }
                same_fields(m, kernel, arrays, *id)?;
            }
            _ => return broken(format!("`{}` of `{}` is given something else", param.name, kernel.name)),
        }
    }
    for (param, &id) in outs.into_iter().zip(outputs) {
        if let ParamKind::Output { arrays, .. } = &param.kind {
            same_fields(m, kernel, arrays, id)?;
        }
        if !defined.insert(id) {
            return broken(format!("`{}` is written twice", m.buffer(id).name));
        }
    }
    Ok(())
}

fn same_fields(m: &Module, kernel: &Program, arrays: &[crate::program::ArrayId], id: BufferId) -> Result<()> {
    let Some(buffer) = m.buffers.get(id.0 as usize) else { return broken("a buffer does not exist") };
    let types: Vec<ScalarType> = arrays.iter().map(|&a| kernel.array(a).elem).collect();
    if types == buffer.fields {
        Ok(())
    } else {
        broken(format!("`{}` has other elements than `{}` takes", buffer.name, kernel.name))
    }
}

fn launch_value(m: &Module, e: ExprId, ty: ScalarType) -> Result<()> {
    if m.host.exprs.ty(e) == ty && walk::known_at_launch(&m.host.exprs, e) {
        Ok(())
    } else {
        broken("a value of the host depends on what runs, or has another type")
    }
}

fn broken(what: impl Into<String>) -> Result<()> {
    let message = format!("{}; please report this", what.into());
    Err(Box::new(Diagnostic::new("OB099", crate::diag::Span::NONE, message)))
}
