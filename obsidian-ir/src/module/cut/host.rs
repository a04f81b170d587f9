//! The host's side of a draft, taken apart: its parameters, results and variables, the buffers that its steps name, and the steps,
//! whose launches become kernels.

use super::{Copier, Given, Kernel, arrays_of, free_name, name_arrays, take_arrays};
use crate::module::step::each_buffer;
use crate::module::{
    Argument, Branch, Buffer, BufferId, Carried, Chaining, Counter, Draft, Joined, KernelId, Launch, Launched, Looping,
    Module, Place, Step, StepKind,
};
use crate::program::{ExprId, LaunchCheck, Matrix, Param, ParamId, ParamKind, Program, print};
use crate::tables::{HashMap, HashSet};

/// The host's side, being made.
pub(super) struct Host {
    program: Program,
    declared: usize,
    copier: Copier,
    /// The buffers of the workspace's parameters.
    places: HashMap<ParamId, BufferId>,
    /// The variables of the workspace's parameters.
    variables: HashMap<ParamId, ParamId>,
    /// The names of the buffers.
    names: HashSet<String>,
    kernels: Vec<Program>,
    /// Launches of one code are launches of one kernel.
    texts: HashMap<String, KernelId>,
}

impl Host {
    /// Its parameters, results and variables.
    pub(super) fn new(draft: &Draft) -> Host {
        let w = &draft.workspace;
        let program = Program { shared_limit: w.shared_limit, options: w.options, ..Program::new(&*w.name, w.threads) };
        let mut host = Host {
            program,
            declared: draft.given + draft.results.len(),
            copier: Copier::default(),
            places: HashMap::default(),
            variables: HashMap::default(),
            names: HashSet::default(),
            kernels: Vec::new(),
            texts: HashMap::default(),
        };
        for (param, id) in w.params.iter().take(draft.given).zip(0..) {
            let kind = match &param.kind {
                ParamKind::Input { arrays, len } => {
                    let arrays = take_arrays(w, arrays, ParamId(id), &mut host.program, &mut host.copier);
                    ParamKind::Input { arrays, len: *len }
                }
                ParamKind::InOut { arrays, len } => {
                    let arrays = take_arrays(w, arrays, ParamId(id), &mut host.program, &mut host.copier);
                    ParamKind::InOut { arrays, len: *len }
                }
                other => other.clone(),
            };
            host.program.params.push(Param { kind, ..param.clone() });
        }
        host.take_variables(draft);
        host.take_results(draft);
        host.program.checks = host.copier.checks(&w.exprs, &mut host.program.exprs, &w.checks);
        host
    }

    /// Makes parameters of the host's variables, to stand after the results: their expressions come before those of the
    /// results' lengths.
    fn take_variables(&mut self, draft: &Draft) {
        let w = &draft.workspace;
        for (param, id) in w.params.iter().zip(0..).skip(draft.given) {
            let ParamKind::Scalar(ty) = param.kind else { continue };
            let new = ParamId((self.declared + self.variables.len()) as u32);
            self.variables.insert(ParamId(id), new);
            let scalar = self.program.exprs.scalar(new, ty);
            self.copier.scalars.insert(ParamId(id), scalar);
        }
    }

    fn take_results(&mut self, draft: &Draft) {
        let w = &draft.workspace;
        for (&result, i) in draft.results.iter().zip(0..) {
            let ParamKind::Output { arrays, len } = &w.param(result).kind else { continue };
            let id = ParamId(self.program.params.len() as u32);
            let name = free_name(&self.program, if i == 0 { "out".to_string() } else { format!("out{i}") });
            let first = self.program.arrays.len();
            let arrays = take_arrays(w, arrays, id, &mut self.program, &mut self.copier);
            name_arrays(&mut self.program, &arrays, &name);
            let len = self.expr(draft, *len);
            self.program.arrays[first..].iter_mut().for_each(|array| array.len = len);
            let kind = ParamKind::Output { arrays, len };
            let matrix = match w.param(result).matrix {
                Some(Matrix::Made { rows, cols }) => {
                    Some(Matrix::Made { rows: self.expr(draft, rows), cols: self.expr(draft, cols) })
                }
                other => other,
            };
            self.program.params.push(Param { shape: w.param(result).shape, matrix, ..Param::new(name, kind) });
        }
        let mut variables: Vec<(ParamId, ParamId)> = self.variables.iter().map(|(&old, &new)| (new, old)).collect();
        variables.sort_unstable();
        for (_, old) in variables {
            let name = numbered_name(&self.program, &self.names, &w.param(old).name);
            self.program.params.push(Param { name, ..w.param(old).clone() });
        }
    }

    /// The module.
    pub(super) fn module(mut self, draft: &Draft) -> Module {
        let used = used_buffers(&draft.steps);
        let w = &draft.workspace;
        let is_used = |id: &ParamId| (id.0 as usize) < draft.given || draft.results.contains(id) || used.contains(id);
        let ids = (0..w.params.len() as u32).map(ParamId).filter(is_used);
        let buffers = ids.filter_map(|id| self.buffer(draft, id)).collect();
        let steps = self.steps(draft, &draft.steps);
        let Host { program: host, declared, kernels, .. } = self;
        Module { host, declared, kernels, buffers, steps }
    }

    /// The buffer of a parameter of the workspace, if it is one.
    fn buffer(&mut self, draft: &Draft, id: ParamId) -> Option<Buffer> {
        let (w, given) = (&draft.workspace, draft.given);
        let param = w.param(id);
        let arrays = arrays_of(&param.kind)?;
        let first = arrays.first().map(|&a| w.array(a).len)?;
        let len = self.expr(draft, first);
        let fields = arrays.iter().map(|&a| w.array(a).elem).collect();
        let result = draft.results.iter().position(|&r| r == id).map(|i| ParamId((given + i) as u32));
        let place = match result {
            _ if (id.0 as usize) < given => Place::Param(id),
            Some(out) => Place::Param(out),
            None => Place::Temporary,
        };
        let name = match place {
            Place::Param(own) => self.program.param(own).name.clone(),
            Place::Temporary => numbered_name(&self.program, &self.names, &param.name),
        };
        self.names.insert(name.clone());
        let number = BufferId(self.places.len() as u32);
        self.places.insert(id, number);
        Some(Buffer { name, fields, shape: param.shape, len, place })
    }

    fn expr(&mut self, draft: &Draft, e: ExprId) -> ExprId {
        self.copier.copy(&draft.workspace.exprs, &mut self.program.exprs, e)
    }

    fn steps(&mut self, draft: &Draft, steps: &[Step<Launch, ParamId>]) -> Vec<Step<Launched, BufferId>> {
        steps.iter().map(|step| Step { kind: self.step(draft, &step.kind), span: step.span }).collect()
    }

    fn step(&mut self, draft: &Draft, step: &StepKind<Launch, ParamId>) -> StepKind<Launched, BufferId> {
        match step {
            StepKind::Launch(launch) => StepKind::Launch(self.launch(draft, launch)),
            StepKind::Fetch { from, index, into } => StepKind::Fetch {
                from: self.places[from],
                index: self.expr(draft, *index),
                into: into.iter().map(|variable| self.variables[variable]).collect(),
            },
            StepKind::Check(LaunchCheck { cond, message, found }) => StepKind::Check(LaunchCheck {
                cond: self.expr(draft, *cond),
                message: message.clone(),
                found: self.expr(draft, *found),
            }),
            StepKind::Chain(chain) => StepKind::Chain(Chaining {
                once: self.variables[&chain.once],
                epoch: self.variables[&chain.epoch],
                patience: self.variables[&chain.patience],
                cells: self.places[&chain.cells],
            }),
            StepKind::If(branch) => StepKind::If(self.branch(draft, branch)),
            StepKind::Loop(looping) => StepKind::Loop(self.looping(draft, looping)),
        }
    }

    fn branch(&mut self, draft: &Draft, branch: &Branch<Launch, ParamId>) -> Branch<Launched, BufferId> {
        let values = branch.values.iter().map(|j| Joined {
            result: self.variables[&j.result],
            then: self.expr(draft, j.then),
            els: self.expr(draft, j.els),
        });
        let values = values.collect();
        let place = |id: &ParamId| self.places[id];
        let buffers = branch.buffers.iter();
        let buffers =
            buffers.map(|j| Joined { result: place(&j.result), then: place(&j.then), els: place(&j.els) }).collect();
        Branch {
            cond: self.expr(draft, branch.cond),
            then: self.steps(draft, &branch.then),
            els: self.steps(draft, &branch.els),
            buffers,
            values,
        }
    }

    fn looping(&mut self, draft: &Draft, looping: &Looping<Launch, ParamId>) -> Looping<Launched, BufferId> {
        let counter = looping.counter.map(|counter| Counter {
            variable: self.variables[&counter.variable],
            from: self.expr(draft, counter.from),
            to: self.expr(draft, counter.to),
        });
        let values = looping.values.iter().map(|c| Carried {
            inside: self.variables[&c.inside],
            init: self.expr(draft, c.init),
            next: self.expr(draft, c.next),
            result: self.variables[&c.result],
        });
        let values = values.collect();
        let place = |id: &ParamId| self.places[id];
        let carried = |c: &Carried<ParamId, ParamId>| Carried {
            inside: place(&c.inside),
            init: place(&c.init),
            next: place(&c.next),
            result: place(&c.result),
        };
        let buffers = looping.buffers.iter().map(carried).collect();
        Looping {
            counter,
            head: self.steps(draft, &looping.head),
            test: looping.test.map(|test| self.expr(draft, test)),
            body: self.steps(draft, &looping.body),
            buffers,
            values,
        }
    }

    /// A launch, and its kernel, unless an earlier one is of the same text.
    fn launch(&mut self, draft: &Draft, launch: &Launch) -> Launched {
        let (kernel, args) = Kernel::of(&draft.workspace, draft.given, launch);
        let text = print(&Program { name: String::new(), ..kernel.clone() });
        let kernels = &mut self.kernels;
        let kernel = *self.texts.entry(text).or_insert_with(|| {
            kernels.push(kernel);
            KernelId(kernels.len() as u32 - 1)
        });
        let args = args.into_iter().map(|arg| match arg {
            Given::Buffer(id) => Argument::Buffer(self.places[&id]),
            Given::Scalar(e) => Argument::Scalar(self.expr(draft, e)),
        });
        let args = args.collect();
        let blocks = self.expr(draft, launch.blocks);
        Launched { kernel, blocks, args, outputs: launch.outputs.iter().map(|id| self.places[id]).collect() }
    }
}

/// The name, or that with the first number that makes it one that no parameter has, and nobody else.
fn numbered_name(p: &Program, taken: &HashSet<String>, name: &str) -> String {
    let is_free = |name: &String| !taken.contains(name) && p.params.iter().all(|param| param.name != *name);
    let mut names = std::iter::once(name.to_string()).chain((2..).map(|k: u32| format!("{name}{k}")));
    names.find(is_free).unwrap_or_default()
}

/// The buffers that some step makes, joins, carries or fetches from.
fn used_buffers(steps: &[Step<Launch, ParamId>]) -> HashSet<ParamId> {
    let mut used = HashSet::default();
    fn add(steps: &[Step<Launch, ParamId>], used: &mut HashSet<ParamId>) {
        for step in steps {
            each_buffer(&step.kind, &mut |id| {
                used.insert(id);
            });
            match &step.kind {
                StepKind::Launch(launch) => used.extend(&launch.outputs),
                StepKind::If(branch) => [&branch.then, &branch.els].into_iter().for_each(|side| add(side, used)),
                StepKind::Loop(looping) => [&looping.head, &looping.body].into_iter().for_each(|part| add(part, used)),
                StepKind::Fetch { .. } | StepKind::Check(_) | StepKind::Chain(_) => {}
            }
        }
    }
    add(steps, &mut used);
    used
}
