//! Which kernels chains of tiles need in one pass alone.
//!
//! A chain stands for two ways: `if once { one launch } else { several }`, where the device sets `once`. Devices that go through no
//! chain in one pass, and the CPU is one of them, never launch what only the first way has.

use super::{Launched, Module, Step, StepKind};
use crate::program::{Expr, ParamId};

/// For each kernel of a module whether only chains in one pass launch it.
pub fn only_in_one_pass(m: &Module) -> Vec<bool> {
    let mut search = Search { m, once: Vec::new(), only: vec![true; m.kernels.len()] };
    search.steps(&m.steps, Way::Any);
    search.only
}

/// In which way through the chains around them steps are taken.
#[derive(Clone, Copy)]
enum Way {
    Any,
    OnePass,
}

struct Search<'m> {
    m: &'m Module,
    /// The variables that say whether a chain is gone through in one pass.
    once: Vec<ParamId>,
    only: Vec<bool>,
}

impl Search<'_> {
    fn steps<B>(&mut self, steps: &[Step<Launched, B>], way: Way) {
        for step in steps {
            match &step.kind {
                StepKind::Chain(chain) => self.once.push(chain.once),
                StepKind::Launch(launch) => {
                    self.only[launch.kernel.0 as usize] &= matches!(way, Way::OnePass);
                }
                StepKind::If(branch) => {
                    let cond = self.m.host.exprs.expr(branch.cond);
                    let asks = matches!(cond, Expr::Scalar(variable) if self.once.contains(&variable));
                    self.steps(&branch.then, if asks { Way::OnePass } else { way });
                    self.steps(&branch.els, way);
                }
                StepKind::Loop(looping) => {
                    self.steps(&looping.head, way);
                    self.steps(&looping.body, way);
                }
                StepKind::Fetch { .. } | StepKind::Check(_) => {}
            }
        }
    }
}
