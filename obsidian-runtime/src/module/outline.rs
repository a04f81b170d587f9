//! The steps of a module as a tree that knows, for each step, its number and the buffers that nothing uses after it. In: the steps
//! as the compiler printed them; out: the tree, or what is wrong with them. Knows no device.

use std::collections::BTreeSet;

use obsidian_abi::module::{BufferIndex, LaunchArg, Step};

/// Buffers, by their places in the module's list.
type Set = BTreeSet<BufferIndex>;

/// Steps in order.
#[derive(Debug)]
pub(super) struct Outline {
    /// Buffers that are bound when it begins and that nothing in it or after it uses.
    pub first: Vec<BufferIndex>,
    pub nodes: Vec<Node>,
}

/// A step.
#[derive(Debug)]
pub(super) struct Node {
    /// Its number in the text of the module, from 1; a step's own steps come after it.
    pub number: u32,
    pub step: &'static Step,
    /// Of a branch both sides, of a loop head and body.
    pub inner: Vec<Outline>,
    /// Buffers that are bound when it is done and that nothing uses after it.
    pub after: Vec<BufferIndex>,
}

impl Outline {
    /// The outline of a module's steps; `kept` is used after all of them. A mistake in the steps is described in words.
    pub fn of(steps: &'static [Step], kept: &[BufferIndex]) -> Result<Outline, String> {
        let mut last = 0;
        let numbered = number(steps, &mut last);
        let mut outline = Outline { first: Vec::new(), nodes: numbered };
        live(&mut outline, &kept.iter().copied().collect())?;
        Ok(outline)
    }
}

fn number(steps: &'static [Step], last: &mut u32) -> Vec<Node> {
    let node = |step: &'static Step| {
        *last += 1;
        let number = *last;
        let mut part = |steps| Outline { first: Vec::new(), nodes: self::number(steps, last) };
        let inner = match step {
            Step::If(branch) => vec![part(branch.then), part(branch.els)],
            Step::Loop(looping) => vec![part(looping.head), part(looping.body)],
            _ => Vec::new(),
        };
        Node { number, step, inner, after: Vec::new() }
    };
    steps.iter().map(node).collect()
}

/// Sets what dies where, given what is used after; gives what is used from outside.
fn live(outline: &mut Outline, after: &Set) -> Result<Set, String> {
    let mut live = after.clone();
    for node in outline.nodes.iter_mut().rev() {
        let (uses, defines) = touched(node.step);
        let out = live;
        let inside = match node.step {
            Step::If(branch) => {
                let side = |pick: fn(&obsidian_abi::module::JoinedBuffer) -> BufferIndex| {
                    let joined = branch.buffers.iter();
                    let kept = out.iter().filter(|b| !branch.buffers.iter().any(|j| j.result == **b)).copied();
                    kept.chain(joined.map(pick)).collect::<Set>()
                };
                let then = self::live(&mut node.inner[0], &side(|j| j.then))?;
                let els = self::live(&mut node.inner[1], &side(|j| j.els))?;
                let both: Set = then.union(&els).copied().collect();
                node.inner[0].first = both.difference(&then).copied().collect();
                node.inner[1].first = both.difference(&els).copied().collect();
                both
            }
            Step::Loop(looping) => {
                let insides: Set = looping.buffers.iter().map(|c| c.inside).collect();
                let nexts = looping.buffers.iter().map(|c| c.next);
                let outside: Set =
                    out.iter().filter(|b| !looping.buffers.iter().any(|c| c.result == **b)).copied().collect();
                // What a round uses from outside is used by the next one too: the second time it is known.
                let mut around = outside;
                let mut inside = Set::new();
                for _ in 0..2 {
                    let body_after: Set = nexts.clone().chain(around.iter().copied()).collect();
                    let body = self::live(&mut node.inner[1], &body_after)?;
                    let head_after: Set = body.iter().chain(&insides).chain(&around).copied().collect();
                    inside = self::live(&mut node.inner[0], &head_after)?;
                    node.inner[1].first = head_after.difference(&body).copied().collect();
                    around.extend(inside.iter().filter(|b| !insides.contains(b)));
                }
                let inits = looping.buffers.iter().map(|c| c.init);
                node.inner[0].first = inits.clone().filter(|b| !inside.contains(b)).collect();
                inside.iter().filter(|b| !insides.contains(b)).copied().chain(inits).collect()
            }
            _ => Set::new(),
        };
        if let Step::Launch(launch) = node.step {
            let updated = launch.args.iter().find_map(|arg| match arg {
                LaunchArg::Update(before, _) if out.contains(before) => Some(before),
                _ => None,
            });
            if let Some(before) = updated {
                return Err(format!("buffer {before} is used after step {} has updated it", node.number));
            }
        }
        let used: Set = uses.iter().chain(&inside).copied().collect();
        let bound: Set = used.iter().chain(&defines).copied().collect();
        node.after = bound.difference(&out).copied().collect();
        live = out.iter().filter(|b| !defines.contains(b)).copied().chain(used).collect();
    }
    Ok(live)
}

/// Whether one of these steps defines a buffer, not one within another step.
pub(super) fn defines(steps: &[Step], buffer: BufferIndex) -> bool {
    steps.iter().any(|step| touched(step).1.contains(&buffer))
}

/// What a step itself uses and defines.
fn touched(step: &Step) -> (Set, Set) {
    let (mut uses, mut defines) = (Set::new(), Set::new());
    match step {
        Step::Launch(launch) => {
            for arg in launch.args {
                match *arg {
                    LaunchArg::Read(buffer) => {
                        uses.insert(buffer);
                    }
                    LaunchArg::Update(before, after) => {
                        uses.insert(before);
                        defines.insert(after);
                    }
                    LaunchArg::Write(buffer) => {
                        defines.insert(buffer);
                    }
                    LaunchArg::Scalar(_) => {}
                }
            }
        }
        Step::Fill { to, .. } => {
            defines.insert(*to);
        }
        Step::Copy { from, to } => {
            uses.insert(*from);
            defines.insert(*to);
        }
        Step::Fetch { from, .. } => {
            uses.insert(*from);
        }
        Step::Chain(chain) => {
            defines.insert(chain.cells);
        }
        Step::If(branch) => defines.extend(branch.buffers.iter().map(|j| j.result)),
        Step::Loop(looping) => defines.extend(looping.buffers.iter().map(|c| c.result)),
        Step::Check { .. } => {}
    }
    (uses, defines)
}
