//! The text of a module: its head as that of a kernel, a line for each step, those of branches and loops further in, then its
//! kernels.

use std::fmt::Write;

use obsidian_abi::assertion;

use super::{Argument, Branch, Buffer, BufferId, Launched, Looping, Module, Place, Step, StepKind, each_launch};
use crate::program::{self, ElementShape, ExprId, ParamId, print_expr};
use crate::tables::HashSet;

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
    let variables: Vec<String> = m.variables().iter().map(|param| format!("  in  {}: ", param.name)).collect();
    // What a kernel says of its block is nothing of the host's, and its variables are no arguments.
    let hidden =
        |line: &str| line.starts_with("  blocks:") || variables.iter().any(|variable| line.starts_with(variable));
    for line in program::print(&m.host).lines().skip(1).filter(|line| !hidden(line)) {
        let _ = writeln!(out, "{line}");
    }
    Printer { m, out: &mut out }.steps(&m.steps, 1);
    out
}

/// A line of its own, indented by two spaces for each level.
fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{}{text}", "  ".repeat(depth));
}

struct Printer<'m> {
    m: &'m Module,
    out: &'m mut String,
}

impl Printer<'_> {
    fn steps(&mut self, steps: &[Step<Launched, BufferId>], depth: usize) {
        let m = self.m;
        for step in steps {
            match &step.kind {
                StepKind::Launch(launch) => {
                    let args: Vec<String> = launch.args.iter().map(|arg| argument(m, arg)).collect();
                    let outputs: Vec<String> = launch.outputs.iter().map(|&id| output(m, id)).collect();
                    let name = &m.kernel(launch.kernel).name;
                    line(self.out, depth, &format!("{} = launch {name}({})", outputs.join(", "), args.join(", ")));
                }
                StepKind::Fetch { from, index, into } => {
                    let into: Vec<&str> = into.iter().map(|&variable| name_of(m, variable)).collect();
                    let from = &m.buffer(*from).name;
                    line(
                        self.out,
                        depth,
                        &format!("{} = fetch {from}[{}]", into.join(", "), print_expr(&m.host, *index)),
                    );
                }
                StepKind::Check(check) => {
                    line(
                        self.out,
                        depth,
                        &format!("check {}: \"{}\"", print_expr(&m.host, check.cond), assertion::plain(&check.message)),
                    );
                }
                StepKind::Chain(chain) => {
                    let [once, epoch, patience] = [chain.once, chain.epoch, chain.patience].map(|v| name_of(m, v));
                    let cells = output(m, chain.cells);
                    line(self.out, depth, &format!("{once}, {epoch}, {patience}, {cells} = chain"));
                }
                StepKind::If(branch) => self.branch(branch, depth),
                StepKind::Loop(looping) => self.looping(looping, depth),
            }
        }
    }

    fn branch(&mut self, branch: &Branch<Launched, BufferId>, depth: usize) {
        let m = self.m;
        line(self.out, depth, &format!("if {} {{", print_expr(&m.host, branch.cond)));
        self.steps(&branch.then, depth + 1);
        line(self.out, depth, "} else {");
        self.steps(&branch.els, depth + 1);
        line(self.out, depth, "}");
        for j in &branch.values {
            let (then, els) = (print_expr(&m.host, j.then), print_expr(&m.host, j.els));
            line(self.out, depth, &format!("{} = then {then}, else {els}", name_of(m, j.result)));
        }
        for j in &branch.buffers {
            let (then, els) = (&m.buffer(j.then).name, &m.buffer(j.els).name);
            line(self.out, depth, &format!("{} = then {then}, else {els}", output(m, j.result)));
        }
    }

    fn looping(&mut self, looping: &Looping<Launched, BufferId>, depth: usize) {
        let m = self.m;
        let counted = looping.counter.map(|counter| {
            let (from, to) = (print_expr(&m.host, counter.from), print_expr(&m.host, counter.to));
            format!(" {} in {from} .. {to}", name_of(m, counter.variable))
        });
        line(self.out, depth, &format!("loop{} {{", counted.unwrap_or_default()));
        for c in &looping.values {
            let (init, next) = (print_expr(&m.host, c.init), print_expr(&m.host, c.next));
            line(self.out, depth + 1, &format!("{} = first {init}, then {next}", name_of(m, c.inside)));
        }
        for c in &looping.buffers {
            let (init, next) = (&m.buffer(c.init).name, &m.buffer(c.next).name);
            line(self.out, depth + 1, &format!("{} = first {init}, then {next}", output(m, c.inside)));
        }
        self.steps(&looping.head, depth + 1);
        if let Some(test) = looping.test {
            line(self.out, depth + 1, &format!("while {}", print_expr(&m.host, test)));
        }
        self.steps(&looping.body, depth + 1);
        line(self.out, depth, "}");
        for c in &looping.values {
            line(self.out, depth, &format!("{} = {}", name_of(m, c.result), name_of(m, c.inside)));
        }
        for c in &looping.buffers {
            line(self.out, depth, &format!("{} = {}", output(m, c.result), m.buffer(c.inside).name));
        }
    }
}

fn name_of(m: &Module, variable: ParamId) -> &str {
    &m.host.param(variable).name
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
    let outside = m.steps.iter().filter(|step| matches!(step.kind, StepKind::Launch(_))).count();
    let (mut all, mut made) = (0, HashSet::<BufferId>::default());
    each_launch(&m.steps, &mut |launch| {
        all += 1;
        made.extend(&launch.outputs);
    });
    let inner = match all - outside {
        0 => String::new(),
        inner => format!(", {inner} of them in branches and loops"),
    };
    let mut out = format!("{}: {all} launches of {} kernels{inner}\n", m.host.name, m.kernels.len());
    let mut number = 0;
    Report { m, out: &mut out, number: &mut number }.steps(&m.steps, 1);
    // What a branch or a loop goes on with is memory that some launch was given.
    let own = m
        .buffers
        .iter()
        .zip(0..)
        .filter(|(buffer, id)| buffer.place == Place::Temporary && made.contains(&BufferId(*id)));
    for (buffer, _) in own {
        let width: u32 = buffer.fields.iter().map(|ty| ty.bytes()).sum();
        let _ = writeln!(out, "  {}: {width} bytes * ({})", buffer.name, print_expr(&m.host, buffer.len));
    }
    out
}

struct Report<'m> {
    m: &'m Module,
    out: &'m mut String,
    number: &'m mut usize,
}

impl Report<'_> {
    fn steps(&mut self, steps: &[Step<Launched, BufferId>], depth: usize) {
        let m = self.m;
        for step in steps {
            match &step.kind {
                StepKind::Launch(launch) => self.launch(launch, depth),
                StepKind::Fetch { from, index, .. } => {
                    let text = format!("waits for {}[{}]", m.buffer(*from).name, print_expr(&m.host, *index));
                    line(self.out, depth, &text);
                }
                StepKind::Check(_) | StepKind::Chain(_) => {}
                StepKind::If(branch) => {
                    line(self.out, depth, &format!("if {}: {}", print_expr(&m.host, branch.cond), costs(&branch.then)));
                    self.steps(&branch.then, depth + 1);
                    line(self.out, depth, &format!("else: {}", costs(&branch.els)));
                    self.steps(&branch.els, depth + 1);
                }
                StepKind::Loop(looping) => {
                    line(self.out, depth, &rounds(m, looping));
                    self.steps(&looping.head, depth + 1);
                    self.steps(&looping.body, depth + 1);
                }
            }
        }
    }

    fn launch(&mut self, launch: &Launched, depth: usize) {
        let m = self.m;
        *self.number += 1;
        let is_buffer = |arg: &Argument| match arg {
            Argument::Buffer(id) => Some(m.buffer(*id).name.as_str()),
            Argument::Scalar(_) => None,
        };
        let read: Vec<&str> = launch.args.iter().filter_map(is_buffer).collect();
        let written: Vec<&str> = launch.outputs.iter().map(|&id| m.buffer(id).name.as_str()).collect();
        let name = &m.kernel(launch.kernel).name;
        let from = if read.is_empty() { "nothing".to_string() } else { read.join(", ") };
        let text = format!("{}. {name}: {from} -> {}", self.number, written.join(", "));
        line(self.out, depth, &text);
    }
}

/// What a loop does in each round.
fn rounds(m: &Module, looping: &Looping<Launched, BufferId>) -> String {
    let text = |e: ExprId| print_expr(&m.host, e);
    let counted = looping.counter.map(|counter| format!(" {} .. {}", text(counter.from), text(counter.to)));
    let tested = looping.test.map(|test| format!(" while {}", text(test)));
    let each = costs_of(looping.head.iter().chain(&looping.body));
    format!("rounds{}{}, each: {each}", counted.unwrap_or_default(), tested.unwrap_or_default())
}

fn costs(steps: &[Step<Launched, BufferId>]) -> String {
    costs_of(steps.iter())
}

/// How many launches and waits there are among steps, not in what these branch to and repeat.
fn costs_of<'s>(steps: impl Iterator<Item = &'s Step<Launched, BufferId>>) -> String {
    let (mut launches, mut waits) = (0, 0);
    for step in steps {
        match step.kind {
            StepKind::Launch(_) => launches += 1,
            StepKind::Fetch { .. } => waits += 1,
            StepKind::Check(_) | StepKind::Chain(_) | StepKind::If(_) | StepKind::Loop(_) => {}
        }
    }
    let many = |n: usize, one: &str, more: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {more}") };
    let launches = many(launches, "launch", "launches");
    if waits == 0 { launches } else { format!("{launches}, {}", many(waits, "wait", "waits")) }
}
