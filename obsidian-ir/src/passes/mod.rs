//! The passes over [`Program`], in the order they run. Each is one file with its contract on top.
//!
//! 0. `copied`: an array that holds what another one holds, which nothing writes any more, is that other one.
//!    `once`: what both sides of a choice evaluate gets its name before the statement.
//! 1. [`bounds`]: every index is proved inside its array, or the error.
//! 2. [`verify`]: no two threads meet on an element; outputs are written whole, each element once. `once`: what many branches
//!    would compute is named before them. Then [`guards`]: reads and atomic updates by data whose index is not proved are
//!    guarded when the kernel runs.
//! 3. `written_back`, for all forms but the native: arrays that are only copied from, by whoever wrote them, are registers.
//!    [`lanes`], for the machine form only: arrays of warps in registers, read by shuffles.
//!    [`registers`] of virtual threads must fit those of real ones; native code holds them in memory.
//!    [`stages`], for the machine form only: loads of later rounds begin while a round is at work.
//! 4. [`pad`]: the gaps of padded arrays; for the native form there are none. Then [`layout`] (on [`liveness`]): where each shared array lies; the error when they do not fit.
//! 5. [`barriers`]: a `Sync` wherever an element's dependence crosses threads. Now the program is in *structured form*.
//!    From here the forms part: `unprint` takes the prints out of code for GPUs, and under `fast_math` `on_gpu` keeps a
//!    GPU's own functions or the exact ones.
//!    `strips`, for the native form only: a thread does what 16 threads did that read a column, row by row.
//! 6. `rounds`, for the group form only: blocks whose threads never meet are divided.
//!    [`virtualise`]: virtual threads, warps and blocks onto real ones: the *machine form*, for CUDA and PTX; with
//!    `converge`, where warps cannot wait by themselves and barriers stand under no condition, the *group form*, for OpenCL;
//!    the *sub-group form* is for OpenCL where they can. In both, `blocks` tests a block where there may be fewer of it.
//!    [`guards::record`]: what guards note of a stray access waits in a register. `ahead`, for the machine form: the guards of four rounds are
//!    tested together.
//! 7. [`unroll`], on every form but the native: short loops over neighbours are written out. `own`, on the machine form: so are those over
//!    arrays of a thread, which are registers then. `clamps`, on every form: an index that is clamped to an array beside one that is written there.
//! 8. [`schedule`]: shared subexpressions are named, guarded loads become branches. On every form. `flatten`, on every form but
//!    the native: no deep nests of these.
//! 9. [`redux`], on the machine form, and [`vectorise`], on every form but the native: shuffles over a warp, and accesses to
//!    neighbours in memory, become one.
//!
//! [`cost`] counts what the machine must do; [`limits`] checks that against what the author has denied.
//!
//! `reserved` knows the places that an atomic sum reserves, for [`bounds`] and [`verify`].
//!
//! [`chase`] tells printers which loops are not to be unrolled.
//!
//! [`index`] (what numbers expressions compute), [`access`] (which threads touch which elements) and `walk` (how passes
//! look at statements) serve them all.

pub mod access;
pub mod barriers;
mod blocks;
pub mod bounds;
pub mod chase;
mod clamps;
mod converge;
mod copied;
pub mod cost;
mod flatten;
mod forms;
pub mod guards;
pub mod index;
mod intervals;
pub mod lanes;
mod launch;
pub mod layout;
pub mod limits;
pub mod liveness;
mod on_gpu;
mod once;
mod own;
pub mod pad;
mod prove;
pub mod redux;
pub mod registers;
mod reserved;
mod rounds;
pub mod schedule;
pub mod stages;
mod strips;
pub mod unprint;
pub mod unroll;
pub mod vectorise;
pub mod verify;
pub mod virtualise;
mod watch;
mod written_back;
pub mod written_out;
pub use crate::program::walk;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod texts;

use crate::diag;
use crate::level::Level;
use crate::program::{ParamKind, Program, StmtKind};
use crate::validate::Form;
pub use forms::{Group, Machine, Native, Structured, SubGroups};
use lanes::LANES;
pub use prove::prove;
pub use watch::Watch;

/// Brings a program from `stage` into structured form: shared memory laid out, barriers placed. [`bounds`],
/// [`verify`] and [`guards`] come before it.
///
/// # Errors
/// `OB040` where the shared arrays do not fit, `OB041` where the length of one is not known.
pub fn structured(program: &mut Program) -> diag::Result<()> {
    pad::run(program);
    layout::run(program)?;
    barriers::place(program);
    Ok(())
}

/// A program as the proofs take it: the launch is asked for exact numbers of blocks and exact lengths.
pub fn exact(mut program: Program) -> Program {
    launch::be_exact(&mut program);
    program
}

/// A program in the forms that the printers take.
#[derive(Debug, Clone)]
pub struct Forms {
    /// See [`native`].
    pub native: Native,
    /// See [`machine`].
    pub machine: Machine,
    /// See [`group`]; the machine form itself, shared, where that is one.
    pub group: Group,
    /// What OpenCL devices with sub-groups take, if the program is one of whole warps.
    pub sub_groups: Option<SubGroups>,
    /// What the machine form costs; its places are not located yet.
    pub report: cost::Report,
}

/// A pass, its name, and the form that a program is in after it.
type Pass = (&'static str, fn(&mut Program), Form);

/// From the structured to the native form.
const TO_NATIVE: &[Pass] = &[
    ("on_gpu", on_gpu::leave, Form::STRUCTURED),
    ("clamps", clamps::run, Form::STRUCTURED),
    ("strips", strips::run, Form::STRUCTURED),
    ("schedule", schedule::run, Form::NATIVE),
];
/// From the structured form to one with levels whose threads access memory as those of the machine form do.
const TO_COUNTED: &[Pass] = &[
    ("unprint", unprint::run, Form::STRUCTURED),
    ("on_gpu", on_gpu::take, Form::STRUCTURED),
    ("unroll", unroll::run, Form::STRUCTURED),
    ("clamps", clamps::run, Form::STRUCTURED),
    ("schedule", schedule::run, Form::COUNTED),
    ("vectorise", vectorise::run, Form::COUNTED),
];
/// From the structured to the machine form.
const TO_MACHINE: &[Pass] = &[
    ("unprint", unprint::run, Form::STRUCTURED),
    ("on_gpu", on_gpu::take, Form::STRUCTURED),
    ("virtualise", |p| virtualise::run(p, virtualise::Waiting::Warps), Form::VIRTUALISED),
    ("record", guards::record::run, Form::VIRTUALISED),
    ("ahead", guards::ahead::run, Form::VIRTUALISED),
    ("unroll", unroll::run, Form::VIRTUALISED),
    ("own", own::run, Form::VIRTUALISED),
    ("clamps", clamps::run, Form::VIRTUALISED),
    ("schedule", schedule::run, Form::SCHEDULED),
    ("flatten", flatten::run, Form::SCHEDULED),
    ("redux", redux::run, Form::SCHEDULED),
    ("vectorise", vectorise::run, Form::MACHINE),
];
/// From the structured to the group form.
const TO_GROUP: &[Pass] = &[
    ("unprint", unprint::run, Form::STRUCTURED),
    ("on_gpu", on_gpu::take, Form::STRUCTURED),
    ("rounds", rounds::run, Form::STRUCTURED),
    ("virtualise", |p| virtualise::run(p, virtualise::Waiting::Blocks), Form::CONVERGED),
    ("blocks", blocks::run, Form::CONVERGED),
    ("converge", converge::unconditional, Form::CONVERGED),
    ("record", guards::record::run, Form::CONVERGED),
    ("unroll", unroll::run, Form::CONVERGED),
    ("clamps", clamps::run, Form::CONVERGED),
    ("schedule", schedule::run, Form::GROUP),
    ("flatten", flatten::run, Form::GROUP),
    ("join", guards::join::run, Form::GROUP),
    ("vectorise", vectorise::run, Form::GROUP),
];
/// From the structured to the sub-group form.
const TO_SUB_GROUPS: &[Pass] = &[
    ("unprint", unprint::run, Form::STRUCTURED),
    ("on_gpu", on_gpu::take, Form::STRUCTURED),
    ("virtualise", |p| virtualise::run(p, virtualise::Waiting::Warps), Form::VIRTUALISED),
    ("blocks", blocks::run, Form::VIRTUALISED),
    ("record", guards::record::run, Form::VIRTUALISED),
    ("unroll", unroll::run, Form::VIRTUALISED),
    ("clamps", clamps::run, Form::VIRTUALISED),
    ("schedule", schedule::run, Form::SCHEDULED),
    ("flatten", flatten::run, Form::SCHEDULED),
    ("vectorise", vectorise::run, Form::SUB_GROUPS),
];

/// The forms of a placed program. Native and group form hold in memory what the machine keeps in lanes, the native form what
/// the others keep in registers, too.
///
/// # Errors
/// `OB099` where a pass breaks a rule of its form and [`Watch::asked`] looks.
pub fn lower(placed: &Placed) -> diag::Result<Forms> {
    all_forms(placed, &mut Watch::asked())
}

/// A program between two passes.
#[derive(Debug, Clone)]
pub struct Step {
    /// The form that it is on the way to.
    pub to: &'static str,
    /// The pass that it comes from.
    pub pass: &'static str,
    /// The form that it is in.
    pub form: Form,
    /// The program.
    pub program: Program,
}

/// A proved program after each pass, with the form that it must be then. Tests look at these.
///
/// # Errors
/// Those of [`structured`].
pub fn steps(program: &Program) -> diag::Result<Vec<Step>> {
    let mut watch = Watch::keeping();
    watch.see(("", "guards", Form::STAGED), program)?;
    all_forms(&all_placed(program, &mut watch)?, &mut watch)?;
    Ok(watch.into_kept())
}

fn all_forms(placed: &Placed, watch: &mut Watch) -> diag::Result<Forms> {
    let (plain, for_group) = (&placed.plain, placed.for_group());
    let native = Native::made(run(placed.for_native(), "native", TO_NATIVE, watch)?);
    let machine = Machine::made(run(placed.for_machine(), "machine", TO_MACHINE, watch)?);
    // What the CPU would run if it had lanes, vectors and functions of a GPU's own, and no prints and strips, is what the machine's cost is counted from.
    let alike = placed.machine.is_none() && placed.native.is_none();
    let alike = alike && !on_gpu::any(plain) && !unprint::any(plain) && !strips::any(plain);
    let report = match () {
        () if alike && cost::vectors(&machine).is_empty() => cost::report_of(&native, &machine),
        _ => cost::report_of(&run(placed.for_machine(), "report", TO_COUNTED, watch)?, &machine),
    };
    // What the machine form alone has: lanes, barriers of a warp, barriers under conditions, several rounds, guards apart.
    let guarded = plain.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_)));
    let waits = warps_wait(for_group) || !begins_everywhere(&machine);
    let lanes = placed.group.is_some();
    let differs = lanes || waits || rounds::of(for_group) > 1 || guarded;
    let group = if differs { Group::made(run(for_group, "group", TO_GROUP, watch)?) } else { machine.as_group() };
    let sub_groups = match for_sub_groups(placed) {
        Some(from) => Some(SubGroups::made(run(from, "sub-groups", TO_SUB_GROUPS, watch)?)),
        None => None,
    };
    Ok(Forms { native, machine, group, sub_groups, report })
}

/// A program through several passes, seen after each.
fn run(program: &Program, to: &'static str, passes: &[Pass], watch: &mut Watch) -> diag::Result<Program> {
    let mut program = program.clone();
    for (name, pass, form) in passes {
        pass(&mut program);
        watch.see((to, name, *form), &program)?;
    }
    if let Some((.., form)) = passes.last() {
        watch.reached(*form, &program)?;
    }
    Ok(program)
}

/// Passes that report no mistake of an author's.
fn lowered(program: &Program, passes: &[Pass]) -> Program {
    run(program, "", passes, &mut Watch::default()).unwrap_or_else(|_| program.clone())
}

/// A program in structured form.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The form that holds in memory what a machine keeps in lanes and registers.
    pub plain: Structured,
    /// The same without gaps, for native code, if arrays have any: a processor has no banks.
    pub native: Option<Structured>,
    /// The form for machines with lanes, if the program keeps anything in lanes, in registers or in stages.
    pub machine: Option<Structured>,
    /// The form for machines with neither lanes nor stages, if the program keeps anything in those.
    pub group: Option<Structured>,
}

impl Placed {
    /// What the native form is made of.
    pub fn for_native(&self) -> &Structured {
        self.native.as_ref().unwrap_or(&self.plain)
    }

    /// What the machine form is made of.
    pub fn for_machine(&self) -> &Structured {
        self.machine.as_ref().unwrap_or(&self.plain)
    }

    /// What the group form is made of.
    fn for_group(&self) -> &Structured {
        self.group.as_ref().unwrap_or(self.for_machine())
    }
}

/// Places a proved program. The limit on shared memory is the machine's, so what it keeps in lanes and registers does not count.
///
/// # Errors
/// Those of [`structured`] and of [`registers::fit`]; `OB099` as [`lower`].
pub fn place(program: &Program) -> diag::Result<Placed> {
    all_placed(program, &mut Watch::asked())
}

fn all_placed(program: &Program, watch: &mut Watch) -> diag::Result<Placed> {
    if !on_gpu::parts_code(program) {
        return placed_beside(program, None, watch);
    }
    // What the one side stores takes no memory of the other's.
    let (mut for_gpu, mut for_others) = (program.clone(), program.clone());
    on_gpu::take(&mut for_gpu);
    on_gpu::leave(&mut for_others);
    let native = unlimited(pad::close(in_plain_memory(&for_others)), "apart", watch)?;
    placed_beside(&for_gpu, Some(native), watch)
}

/// The program with everything in memory that machines keep elsewhere.
fn in_plain_memory(program: &Program) -> Program {
    let mut plain = program.clone();
    registers::in_memory(&mut plain);
    lanes::in_memory(&mut plain);
    stages::in_turn(&mut plain);
    plain
}

/// Places a program beside `native`, which is what processors run, if that is another one.
fn placed_beside(program: &Program, native: Option<Structured>, watch: &mut Watch) -> diag::Result<Placed> {
    registers::fit(program)?;
    let written_back = written_back::run(program);
    // What machines with registers take.
    let kept = written_back.as_ref().unwrap_or(program);
    if let Some(kept) = &written_back {
        watch.see(("lanes", "written_back", Form::STAGED), kept)?;
    }
    let (in_lanes, in_registers, staged) = (lanes::any(kept), registers::any(kept), stages::any(kept));
    let plain = in_plain_memory(program);
    let native = match native {
        None if pad::any(&plain) => Some(unlimited(pad::close(plain.clone()), "gapless", watch)?),
        native => native,
    };
    if !in_lanes && !in_registers && !staged {
        return Ok(Placed { plain: on_a_machine(plain, "plain", watch)?, native, machine: None, group: None });
    }
    let plain = unlimited(plain, "plain", watch)?;
    let group = match (in_lanes || staged, in_registers) {
        (false, _) => None,
        (true, false) => Some(plain.clone()),
        (true, true) => {
            let mut group = kept.clone();
            lanes::in_memory(&mut group);
            stages::in_turn(&mut group);
            Some(unlimited(group, "grouped", watch)?)
        }
    };
    let mut machine = kept.clone();
    if in_lanes {
        lanes::run(&mut machine);
        watch.see(("lanes", "lanes", Form::IN_REGISTERS), &machine)?;
    }
    if staged {
        stages::run(&mut machine);
        watch.see(("lanes", "stages", Form::IN_STAGES), &machine)?;
    }
    Ok(Placed { plain, native, machine: Some(on_a_machine(machine, "lanes", watch)?), group })
}

/// The structured form where the limit on shared memory holds.
fn on_a_machine(mut program: Program, to: &'static str, watch: &mut Watch) -> diag::Result<Structured> {
    structure(&mut program, to, watch)?;
    Ok(Structured::made(program))
}

/// The structured form where it does not.
fn unlimited(mut program: Program, to: &'static str, watch: &mut Watch) -> diag::Result<Structured> {
    let limit = std::mem::replace(&mut program.shared_limit, u32::MAX);
    structure(&mut program, to, watch)?;
    program.shared_limit = limit;
    Ok(Structured::made(program))
}

fn structure(program: &mut Program, to: &'static str, watch: &mut Watch) -> diag::Result<()> {
    pad::run(program);
    watch.see((to, "pad", Form::PADDED), program)?;
    layout::run(program)?;
    watch.see((to, "layout", Form::LAID_OUT), program)?;
    barriers::place(program);
    watch.see((to, "barriers", Form::STRUCTURED), program)?;
    watch.reached(Form::STRUCTURED, program)
}

/// The machine form of a structured program: what the CUDA and PTX printers take.
pub fn machine(program: &Structured) -> Machine {
    Machine::made(lowered(program, TO_MACHINE))
}

/// The group form of a structured program without lanes, where only whole blocks wait: what the OpenCL printer takes.
pub fn group(program: &Structured) -> Group {
    Group::made(lowered(program, TO_GROUP))
}

/// The native form of a structured program without lanes: what the Rust printer takes.
pub fn native(program: &Structured) -> Native {
    Native::made(lowered(program, TO_NATIVE))
}

/// What the sub-group form is made of. `None` where there is no warp program, or no whole warp for one: barriers that are a
/// warp's in a block's program gain little.
fn for_sub_groups(placed: &Placed) -> Option<&Structured> {
    let (plain, mut warps) = (&placed.plain, false);
    walk::each(&plain.body, &mut |s| warps |= matches!(s.kind, StmtKind::DistrPar { level: Level::Warp, .. }));
    (plain.lanes() == LANES && warps && !stages::any(placed.for_machine())).then(|| placed.for_machine())
}

/// Whether the group form of a structured program without lanes differs from its machine form.
fn warps_wait(program: &Program) -> bool {
    let mut waits = false;
    walk::each(&program.body, &mut |s| waits |= matches!(s.kind, StmtKind::Sync { scope: Level::Warp }));
    waits
}

/// Whether a machine form has no barrier under a condition and needs no test of a block.
fn begins_everywhere(machine: &Program) -> bool {
    blocks::needs_no_test(machine) && !machine.body.iter().any(|stmt| converge::conditional(machine, stmt))
}
