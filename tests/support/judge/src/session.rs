//! One kernel before the judge: its questions, the steps that are left for them, what came of them.

use std::collections::HashMap;
use std::io;

use crate::encode::{Encoder, Instance, Mode};
use crate::eval::Known;
use crate::expr::{Counter, Id};
use crate::site::{self, Extent, Program, Site, Step};
use crate::smt::{Answer, Solver, Term};
use crate::verdict::{Finding, Report};

/// Steps of the solver for one question in one encoding: few at first, as what one encoding finds hard is mostly easy in
/// the other. The last is less than a second.
const STEPS_A_QUESTION: [u64; 2] = [100_000, 1_500_000];

/// Questions that stay open before those that follow get the first steps alone: a kernel with as many is unknown anyway, and its steps are
/// better spent on asking everything.
const MAX_OPEN: usize = 2;

/// A kernel, and the solver that is asked about it.
pub(crate) struct Session<'s> {
    pub(crate) program: &'s Program,
    solver: &'s mut Solver,
    modes: [Mode; 2],
    left: u64,
    /// Questions that stayed open.
    open: usize,
    pub(crate) report: Report,
}

/// What came of a question.
pub(crate) enum Outcome {
    /// It is never true.
    Never,
    Model(Box<Model>),
    Unknown,
}

/// Values that make a question true.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    /// The counters of each instance.
    counters: HashMap<(Counter, Instance), i128>,
    /// What is the same for all.
    launch: Known,
    pub(crate) element: Option<i128>,
}

impl<'s> Session<'s> {
    pub(crate) fn new(program: &'s Program, solver: &'s mut Solver, modes: [Mode; 2], steps: u64) -> Session<'s> {
        Session { program, solver, modes, left: steps, open: 0, report: Report::default() }
    }

    /// Asks whether what `make` asserts can be true in a launch that is let through; each encoding in turn until one knows.
    pub(crate) fn ask(&mut self, make: impl Fn(&mut Encoder<'_>) -> Vec<Term>) -> io::Result<Outcome> {
        let stages = if self.open < MAX_OPEN { &STEPS_A_QUESTION[..] } else { &STEPS_A_QUESTION[..1] };
        let attempts = stages.iter().flat_map(|&steps| self.modes.map(|mode| (mode, steps)));
        for (mode, steps) in attempts.collect::<Vec<_>>() {
            let mut encoder = Encoder::new(self.program, mode);
            let mut asserted = make(&mut encoder);
            asserted.extend(encoder.checks());
            asserted.append(&mut encoder.side);
            let steps = steps.min(self.left);
            if steps == 0 {
                return Ok(Outcome::Unknown);
            }
            let leaves = encoder.leaves();
            let wanted: Vec<Term> = leaves.iter().map(|leaf| leaf.term).collect();
            let script = encoder.terms.script(&asserted, &wanted);
            let (answer, used) = self.solver.ask(&script, steps)?;
            self.left = self.left.saturating_sub(used);
            self.report.questions += 1;
            self.report.steps += used;
            match answer {
                Answer::Never => return Ok(Outcome::Never),
                Answer::Model(values) => return Ok(Outcome::Model(Box::new(Model::of(&leaves, &values)))),
                Answer::Unknown => {}
            }
        }
        self.open += 1;
        Ok(Outcome::Unknown)
    }

    pub(crate) fn found(&mut self, finding: Finding) {
        if !self.report.findings.contains(&finding) {
            self.report.findings.push(finding);
        }
    }

    pub(crate) fn unknown(&mut self, what: String) {
        if !self.report.unknown.contains(&what) {
            self.report.unknown.push(what);
        }
    }

    /// The solver's model is no run: the encoding or the evaluation is wrong.
    pub(crate) fn contradiction(&mut self, what: &str, array: &str) {
        self.report.contradictions.push(format!("the model of {what} of `{array}` is no run"));
    }

    pub(crate) fn array(&self, array: usize) -> &'s str {
        &self.program.arrays[array].name
    }
}

/// A variable whose value a model gives.
pub(crate) struct Leaf {
    pub(crate) what: What,
    pub(crate) term: Term,
    pub(crate) ty: crate::text::Type,
}

/// What a variable is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Counter(Counter, Instance),
    Launch(std::rc::Rc<str>),
    /// The index of an input's element; its value is the next leaf.
    Index,
    Input(usize),
    Element,
}

impl Model {
    fn of(leaves: &[Leaf], values: &[i128]) -> Model {
        let mut model = Model::default();
        let mut index = 0;
        for (leaf, &value) in leaves.iter().zip(values) {
            let value = crate::eval::fit(value, leaf.ty);
            match &leaf.what {
                What::Counter(c, i) => drop(model.counters.insert((*c, *i), value)),
                What::Launch(name) => drop(model.launch.launch.insert(name.clone(), value)),
                What::Index => index = value,
                What::Input(array) => drop(model.launch.inputs.insert((*array, index), value)),
                What::Element => model.element = Some(value),
            }
        }
        model
    }

    /// What an instance sees.
    pub(crate) fn known(&self, instance: Instance) -> Known {
        let own = self.counters.iter().filter(|((_, i), _)| *i == instance);
        Known { counters: own.map(|((c, _), v)| (*c, *v)).collect(), ..self.launch.clone() }
    }

    /// Asserts the launch of this model: scalars, lengths, the elements of inputs that were looked at.
    pub(crate) fn same_launch(&self, encoder: &mut Encoder<'_>) -> Vec<Term> {
        let mut names: Vec<_> = self.launch.launch.iter().collect();
        names.sort();
        let mut inputs: Vec<_> = self.launch.inputs.iter().collect();
        inputs.sort();
        let mut all: Vec<Term> = names.into_iter().map(|(name, &v)| encoder.launch_is(name, v)).collect();
        all.extend(inputs.into_iter().map(|(&(array, i), &v)| encoder.input_is(array, i, v)));
        all
    }

    /// Asserts the counters of an instance.
    pub(crate) fn same_counters(&self, encoder: &mut Encoder<'_>, instance: Instance) -> Vec<Term> {
        let mut own: Vec<_> = self.counters.iter().filter(|((_, i), _)| *i == instance).collect();
        own.sort();
        own.into_iter().map(|(&(c, i), &v)| encoder.counter_is(c, i, v)).collect()
    }

    /// Whether an instance of a site is there, by the judge's own arithmetic; `None` where that depends on what is not known.
    pub(crate) fn happens(&self, program: &Program, site: &Site, instance: Instance) -> Option<bool> {
        self.comes_to(program, &site.path, &site.when, instance)
    }

    /// Whether an instance comes to a place in the text.
    pub(crate) fn comes_to(
        &self,
        program: &Program,
        path: &[Step],
        when: &[(Id, bool)],
        instance: Instance,
    ) -> Option<bool> {
        let known = self.known(instance);
        let value = |id: Id| known.value(&program.exprs, id);
        for check in &program.checks {
            if value(*check)? == 0 {
                return Some(false);
            }
        }
        for counter in site::counters(path) {
            let at = *known.counters.get(&counter)?;
            let inside = match program.counters[counter.0].extent {
                Extent::Below(n) => at < value(n)?,
                Extent::Steps { start, end, step } => {
                    let (start, end, step) = (value(start)?, value(end)?, value(step)?);
                    at >= start && at < end && step > 0 && (at - start) % step == 0
                }
                // Whether there are as many rounds depends on what they do.
                Extent::Open => return None,
            };
            if !inside {
                return Some(false);
            }
        }
        for &(cond, holds) in when {
            if (value(cond)? != 0) != holds {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The index of an instance.
    pub(crate) fn index(&self, program: &Program, site: &Site, instance: Instance) -> Option<i128> {
        self.known(instance).value(&program.exprs, site.index)
    }

    /// The model as block, warp, thread and rounds of these instances, scalars and lengths.
    pub(crate) fn text(&self, program: &Program, instances: &[(&[Step], Instance)]) -> String {
        let mut words: Vec<String> = Vec::new();
        for (k, (path, instance)) in instances.iter().enumerate() {
            let mut own: Vec<String> = Vec::new();
            for c in site::counters(path) {
                let info = &program.counters[c.0];
                let what = info.member.map_or(format!("round of {}", info.name), |l| format!("{l:?}").to_lowercase());
                let value = self.counters.get(&(c, *instance)).map_or("any".to_string(), i128::to_string);
                own.push(format!("{what} {value}"));
            }
            words.push(format!("{}{}", if k > 0 { "and " } else { "" }, own.join(", ")));
        }
        let mut launch: Vec<_> =
            self.launch.launch.iter().map(|(n, v)| format!("{} = {v}", n.replace("len_", "length of "))).collect();
        launch.sort();
        if let Some(element) = self.element {
            launch.push(format!("element {element}"));
        }
        words.push(format!("; {}", launch.join(", ")));
        words.join(" ").replace(" ;", ";")
    }
}
