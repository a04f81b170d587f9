//! The text of a module: its head as that of a kernel, a line for each step, then its kernels.

use std::fmt::Write;

use super::{Argument, Buffer, BufferId, Module, Place, StepKind};
use crate::program::{self, ElementShape, print_expr};

/// Prints a module.
pub fn print(m: &Module) -> String {
    let mut out = steps(m);
    for kernel in &m.kernels {
        out += "\n";
        out += &program::print(kernel);
    }
    out
}

/// The head and the steps.
pub fn steps(m: &Module) -> String {
    let mut out = format!("module {}\n", m.host.name);
    // What a kernel says of its block is nothing of the host's.
    for line in program::print(&m.host).lines().skip(1).filter(|line| !line.starts_with("  blocks:")) {
        let _ = writeln!(out, "{line}");
    }
    for step in &m.steps {
        let StepKind::Launch { kernel, args, outputs, .. } = &step.kind;
        let args: Vec<String> = args.iter().map(|arg| argument(m, arg)).collect();
        let outputs: Vec<String> = outputs.iter().map(|&id| output(m, id)).collect();
        let name = &m.kernel(*kernel).name;
        let _ = writeln!(out, "  {} = launch {name}({})", outputs.join(", "), args.join(", "));
    }
    out
}

fn argument(m: &Module, arg: &Argument) -> String {
    match arg {
        Argument::Buffer(id) => m.buffer(*id).name.clone(),
        Argument::Scalar(e) => print_expr(&m.host, *e),
    }
}

/// A buffer where it is written: one of the module's own with its type.
fn output(m: &Module, id: BufferId) -> String {
    let Buffer { name, fields, shape, len, place } = m.buffer(id);
    if matches!(place, Place::Param(_)) {
        return name.clone();
    }
    let fields: Vec<&str> = fields.iter().map(|ty| ty.name()).collect();
    let elements = match (shape, &fields[..]) {
        (ElementShape::Scalar, [one]) => (*one).to_string(),
        (_, [one]) => format!("({one},)"),
        _ => format!("({})", fields.join(", ")),
    };
    format!("{name}: {elements}[{}]", print_expr(&m.host, *len))
}

/// What a run of a module launches and keeps: the steps, the memory between them. The costs of each kernel are its own report.
pub fn report(m: &Module) -> String {
    let mut out = format!("{}: {} launches of {} kernels\n", m.host.name, m.steps.len(), m.kernels.len());
    for (step, number) in m.steps.iter().zip(1..) {
        let StepKind::Launch { kernel, args, outputs, .. } = &step.kind;
        let read: Vec<&str> = args
            .iter()
            .filter_map(|arg| match arg {
                Argument::Buffer(id) => Some(m.buffer(*id).name.as_str()),
                Argument::Scalar(_) => None,
            })
            .collect();
        let written: Vec<&str> = outputs.iter().map(|&id| m.buffer(id).name.as_str()).collect();
        let name = &m.kernel(*kernel).name;
        let from = if read.is_empty() { "nothing".to_string() } else { read.join(", ") };
        let _ = writeln!(out, "  {number}. {name}: {from} -> {}", written.join(", "));
    }
    for buffer in m.buffers.iter().filter(|buffer| buffer.place == Place::Temporary) {
        let width: u32 = buffer.fields.iter().map(|ty| ty.bytes()).sum();
        let _ = writeln!(out, "  {}: {width} bytes * ({})", buffer.name, print_expr(&m.host, buffer.len));
    }
    out
}
