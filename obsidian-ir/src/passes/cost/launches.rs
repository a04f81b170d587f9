//! What a run of a module moves between memory and the device, for arguments of an assumed length: its launches, one after the
//! other, with what the reports of their kernels tell.

use obsidian_abi::traffic::{LaunchTraffic, Traffic};

use crate::module::{Argument, Branch, BufferId, Chaining, Launched, Looping, Module, Place, Step, StepKind, evaluate};
use crate::program::{Const, Expr, ExprId, ParamId, ParamKind, arith};

use super::{Memory, Report};

/// Loops of more rounds are told as of an unknown number.
const MAX_ROUNDS: i128 = 4096;

/// What a run moves where each argument that is an array has `len` elements, unless its length is known; `once`: on a device that goes
/// through a chain of tiles in one pass. `reports` are those of the module's kernels. What follows from a scalar argument or from
/// what is fetched is not counted.
pub fn traffic(module: &Module, reports: &[&Report], len: u64, once: bool) -> Traffic {
    let length = |kind: &ParamKind| match *kind {
        ParamKind::Input { len: known, .. } | ParamKind::InOut { len: known, .. } => Some(known.map_or(len, u64::from)),
        _ => None,
    };
    let known = module.host.params.iter().map(|param| length(&param.kind)).collect();
    let moved = reports.iter().map(|report| moved(report)).collect();
    let mut walk = Walk { module, moved, known, once, traffic: Traffic::default() };
    walk.steps(&module.steps);
    let given = module.buffers.iter().filter(|buffer| matches!(buffer.place, Place::Param(_)));
    let bytes: Vec<Option<u64>> = given.map(|buffer| walk.bytes(buffer)).collect();
    walk.traffic.more |= bytes.contains(&None);
    walk.traffic.least = bytes.into_iter().flatten().sum();
    walk.traffic
}

/// Whether it goes through a chain of tiles somewhere.
pub fn has_chain(steps: &[Step<Launched, BufferId>]) -> bool {
    steps.iter().any(|step| match &step.kind {
        StepKind::Chain(_) => true,
        StepKind::If(branch) => has_chain(&branch.then) || has_chain(&branch.els),
        StepKind::Loop(looping) => has_chain(&looping.head) || has_chain(&looping.body),
        StepKind::Launch(_) | StepKind::Fetch { .. } | StepKind::Check(_) => false,
    })
}

/// Bytes that a block of a kernel moves.
fn moved(report: &Report) -> Option<f64> {
    report.of(Memory::Global).map(|access| access.bytes_moved()).sum()
}

struct Walk<'m> {
    module: &'m Module,
    /// By kernel.
    moved: Vec<Option<f64>>,
    /// By parameter of the host's, as far as it is known: the length of a buffer, the bits of a scalar.
    known: Vec<Option<u64>>,
    once: bool,
    traffic: Traffic,
}

impl Walk<'_> {
    fn of(&self, e: ExprId) -> Option<u64> {
        let leaf = |leaf: Expr| match leaf {
            Expr::Len(param) | Expr::Scalar(param) => self.known[param.0 as usize].ok_or(()),
            _ => Err(()),
        };
        evaluate(&self.module.host.exprs, e, leaf).ok()
    }

    fn integer(&self, e: ExprId) -> Option<i128> {
        Some(Const { ty: self.module.host.exprs.ty(e), bits: self.of(e)? }.int())
    }

    fn set(&mut self, variable: ParamId, bits: Option<u64>) {
        self.known[variable.0 as usize] = bits;
    }

    fn bytes(&self, buffer: &crate::module::Buffer) -> Option<u64> {
        let width: u64 = buffer.fields.iter().map(|ty| u64::from(ty.bytes())).sum();
        Some(width * self.of(buffer.len)?)
    }

    fn steps(&mut self, steps: &[Step<Launched, BufferId>]) {
        for step in steps {
            match &step.kind {
                StepKind::Launch(launch) => self.launch(launch),
                StepKind::Fetch { into, .. } => {
                    self.traffic.waits += 1;
                    into.iter().for_each(|&variable| self.set(variable, None));
                }
                StepKind::Check(_) => {}
                StepKind::Chain(chain) => self.chain(chain),
                StepKind::If(branch) => self.branch(branch),
                StepKind::Loop(looping) => self.rounds(looping),
            }
        }
    }

    fn launch(&mut self, launch: &Launched) {
        let given = launch.args.iter().filter_map(|arg| match arg {
            Argument::Buffer(id) => Some(*id),
            Argument::Scalar(_) => None,
        });
        let touched = given.chain(launch.outputs.iter().copied()).map(|id| self.bytes(self.module.buffer(id)));
        let (Some(blocks), Some(least)) = (self.of(launch.blocks), touched.sum::<Option<u64>>()) else {
            self.traffic.more = true;
            return;
        };
        if blocks > 0 {
            let kernel = self.module.kernel(launch.kernel).name.clone();
            let moved = self.moved[launch.kernel.0 as usize].map(|bytes| bytes * blocks as f64);
            self.traffic.launches.push(LaunchTraffic { kernel, blocks, least, moved });
        }
    }

    fn chain(&mut self, chain: &Chaining<BufferId>) {
        self.set(chain.once, Some(self.once.into()));
        self.set(chain.epoch, Some(1));
        self.set(chain.patience, Some(1));
    }

    fn branch(&mut self, branch: &Branch<Launched, BufferId>) {
        let Some(cond) = self.of(branch.cond) else {
            self.traffic.more = true;
            branch.values.iter().for_each(|joined| self.set(joined.result, None));
            return;
        };
        let holds = cond != 0;
        self.steps(if holds { &branch.then } else { &branch.els });
        for joined in &branch.values {
            let value = self.of(if holds { joined.then } else { joined.els });
            self.set(joined.result, value);
        }
    }

    fn rounds(&mut self, looping: &Looping<Launched, BufferId>) {
        let ends = looping.counter.filter(|_| looping.test.is_none());
        let ends = ends.and_then(|c| Some((c.variable, self.integer(c.from)?, self.integer(c.to)?)));
        let Some((variable, from, to)) = ends.filter(|(_, from, to)| to - from <= MAX_ROUNDS) else {
            self.traffic.more = true;
            looping.values.iter().for_each(|carried| self.set(carried.result, None));
            return;
        };
        let ty = looping.counter.map(|counter| self.module.host.exprs.ty(counter.from));
        let begin: Vec<Option<u64>> = looping.values.iter().map(|carried| self.of(carried.init)).collect();
        looping.values.iter().zip(begin).for_each(|(carried, bits)| self.set(carried.inside, bits));
        for round in from..to {
            self.set(variable, ty.map(|ty| arith::wrap(ty, round)));
            self.steps(&looping.head);
            self.steps(&looping.body);
            let next: Vec<Option<u64>> = looping.values.iter().map(|carried| self.of(carried.next)).collect();
            looping.values.iter().zip(next).for_each(|(carried, bits)| self.set(carried.inside, bits));
        }
        for carried in &looping.values {
            let bits = self.known[carried.inside.0 as usize];
            self.set(carried.result, bits);
        }
    }
}
