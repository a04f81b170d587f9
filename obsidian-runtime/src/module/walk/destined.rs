//! The output that each buffer becomes which a branch of the host's leaves as one. It can lie there from its beginning on, so that
//! nothing is copied. In: a module's steps; out: an output for some of its buffers.

use obsidian_abi::module::{BufferIndex, LaunchArg, ModuleVariant, Place, Step};

/// For each buffer its output, if it becomes one; nothing at all where no branch leaves an output.
pub(super) fn destined(variant: &ModuleVariant) -> Vec<Option<usize>> {
    let mut found = Vec::new();
    mark(variant, variant.steps, &mut found);
    found
}

/// Outer branches come first, so that an inner one knows what its results become.
fn mark(variant: &ModuleVariant, steps: &[Step], found: &mut Vec<Option<usize>>) {
    let place = |buffer: BufferIndex| variant.buffers.get(buffer as usize).map(|info| info.place);
    for step in steps {
        let Step::If(branch) = step else { continue };
        for joined in branch.buffers {
            let output = match place(joined.result) {
                Some(Place::Output(output)) => Some(output as usize),
                _ => found.get(joined.result as usize).copied().flatten(),
            };
            let sides = [(joined.then, branch.then), (joined.els, branch.els)];
            for (buffer, steps) in sides {
                if output.is_some() && place(buffer) == Some(Place::Temporary) && defines(steps, buffer) {
                    found.resize(variant.buffers.len(), None);
                    found[buffer as usize] = found[buffer as usize].or(output);
                }
            }
        }
        mark(variant, branch.then, found);
        mark(variant, branch.els, found);
    }
}

/// Whether one of these steps themselves defines a buffer anew.
fn defines(steps: &[Step], buffer: BufferIndex) -> bool {
    let writes = |arg: &LaunchArg| matches!(arg, LaunchArg::Write(to) if *to == buffer);
    steps.iter().any(|step| match step {
        Step::Launch(launch) => launch.args.iter().any(writes),
        Step::Fill { to, .. } | Step::Copy { to, .. } => *to == buffer,
        Step::If(branch) => branch.buffers.iter().any(|joined| joined.result == buffer),
        _ => false,
    })
}
