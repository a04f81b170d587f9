//! The passes over [`Program`], in the order they run. Each is one file with its contract on top.
//!
//! 1. [`bounds`]: every index is proved inside its array, or the error.
//! 2. [`verify`]: no two threads meet on an element; outputs are written whole, each element once. Then [`guards`]: reads
//!    and atomic updates by data whose index is not proved are guarded when the kernel runs.
//! 3. [`lanes`], for the machine form only: arrays of warps in registers, read by shuffles.
//! 4. [`layout`] (on [`liveness`]): where each shared array lies; the error when they do not fit.
//! 5. [`barriers`]: a `Sync` wherever an element's dependence crosses threads. Now the program is in *structured form*.
//! 6. [`virtualise`]: virtual threads, warps and blocks onto real ones: the *machine form*, for CUDA and PTX; with
//!    `converge`, where warps cannot wait by themselves and barriers stand under no condition, the *group form*, for OpenCL;
//!    the *sub-group form* is for OpenCL where they can. In both, `blocks` tests a block where there may be fewer of it.
//! 7. [`unroll`], on the machine form: short loops over neighbours are written out.
//! 8. [`schedule`]: shared subexpressions are named, guarded loads become branches. On every form.
//! 9. [`redux`] and [`vectorise`], on the machine form: shuffles over a warp, and accesses to neighbours in memory, become one.
//!
//! [`cost`] counts what the machine is asked for; [`limits`] holds that against what the author has denied.
//!
//! [`index`] (what numbers expressions compute), [`access`] (who touches what) and `walk` (how passes look at statements) serve them all.

pub mod access;
pub mod barriers;
mod blocks;
pub mod bounds;
mod converge;
pub mod cost;
pub mod guards;
pub mod index;
pub mod lanes;
mod launch;
pub mod layout;
pub mod limits;
pub mod liveness;
pub mod redux;
pub mod schedule;
#[doc(hidden)]
pub mod simt;
pub mod unroll;
pub mod vectorise;
pub mod verify;
pub mod virtualise;
pub use crate::program::walk;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;

use crate::diag;
use crate::level::Level;
use crate::program::{Block, Program, Stmt, StmtKind};
use lanes::LANES;

/// Brings a program from `stage` into structured form: shared memory laid out, barriers placed. [`bounds`],
/// [`verify`] and [`guards`] come before it.
///
/// # Errors
/// `OB040` where the shared arrays do not fit, `OB041` where the length of one is not known.
pub fn structured(program: &mut Program) -> diag::Result<()> {
    layout::run(program)?;
    barriers::place(program);
    Ok(())
}

/// Proves a program as `stage` made it, whatever the number of threads; what only a run can tell gets a guard.
///
/// # Errors
/// Those of [`bounds::unproved`], [`verify::check`] and [`guards::run`].
pub fn prove(mut program: Program) -> diag::Result<Program> {
    launch::be_exact(&mut program);
    let (unproved, limits) = if lanes::any(&program) {
        let mut plain = program.clone();
        lanes::in_memory(&mut plain);
        let unproved = bounds::unproved(&plain)?;
        if let Some(refusal) = unproved.in_lanes(&program) {
            return Err(refusal);
        }
        (unproved, verify::check(&plain)?)
    } else {
        (bounds::unproved(&program)?, verify::check(&program)?)
    };
    launch::limit_blocks(&mut program, &limits);
    guards::run(&mut program, &unproved)?;
    Ok(program)
}

/// A program in the forms that the printers take.
#[derive(Debug, Clone)]
pub struct Forms {
    /// See [`native`].
    pub native: Program,
    /// See [`machine`].
    pub machine: Program,
    /// See [`group`]; `None` where that is the machine form.
    pub group: Option<Program>,
    /// See [`sub_groups`].
    pub sub_groups: Option<Program>,
    /// What the machine form costs; its places are not located yet.
    pub report: cost::Report,
}

/// The forms of a proved program. Native and group form hold in memory what the machine keeps in lanes.
///
/// # Errors
/// Those of [`structured`].
pub fn forms(program: &Program) -> diag::Result<Forms> {
    let (plain, lanes) = placed(program)?;
    let form = native(&plain);
    let machine = machine(lanes.as_ref().unwrap_or(&plain));
    let report = cost::report_of(&lanes.as_ref().map_or_else(|| form.clone(), native), &machine);
    // What the machine form alone has: lanes, barriers of a warp, vectors, barriers under conditions.
    let differs = lanes.is_some() || warps_wait(&plain) || !report.vectors.is_empty() || !begins_everywhere(&machine);
    let group = differs.then(|| group(&plain));
    let sub_groups = sub_groups(&plain, lanes.as_ref());
    Ok(Forms { native: form, machine, group, sub_groups, report })
}

/// The structured form, and that for machines with lanes where the program uses them: native code holds in memory what the
/// machine keeps in lanes, so the limit on shared memory is the machine's.
///
/// # Errors
/// Those of [`structured`].
pub fn placed(program: &Program) -> diag::Result<(Program, Option<Program>)> {
    let mut plain = program.clone();
    let in_lanes = lanes::any(program);
    if in_lanes {
        lanes::in_memory(&mut plain);
        plain.shared_limit = u32::MAX;
    }
    structured(&mut plain)?;
    plain.shared_limit = program.shared_limit;
    if !in_lanes {
        return Ok((plain, None));
    }
    let mut program = program.clone();
    lanes::run(&mut program);
    structured(&mut program)?;
    Ok((plain, Some(program)))
}

/// The machine form of a structured program: what the CUDA and PTX printers take.
pub fn machine(program: &Program) -> Program {
    let mut program = program.clone();
    virtualise::run(&mut program, virtualise::Waiting::Warps);
    unroll::run(&mut program);
    schedule::run(&mut program);
    redux::run(&mut program);
    vectorise::run(&mut program);
    program
}

/// Whether the group form of a structured program without lanes differs from its machine form.
fn warps_wait(program: &Program) -> bool {
    fn inside(list: &Block) -> bool {
        list.iter()
            .any(|s| matches!(s.kind, StmtKind::Sync { scope: Level::Warp }) || walk::nested(&s.kind).any(inside))
    }
    inside(&program.body)
}

/// Whether a machine form has no barrier under a condition and needs no test of a block.
fn begins_everywhere(machine: &Program) -> bool {
    blocks::needs_no_test(machine) && !machine.body.iter().any(|stmt| converge::conditional(machine, stmt))
}

/// The group form of a structured program, where only whole blocks wait, at barriers under no condition: what the OpenCL
/// printer takes.
pub fn group(program: &Program) -> Program {
    let mut program = program.clone();
    virtualise::run(&mut program, virtualise::Waiting::Blocks);
    blocks::run(&mut program);
    converge::unconditional(&mut program);
    schedule::run(&mut program);
    program
}

/// The sub-group form of what [`placed`] gives: what the OpenCL printer takes for devices whose warps are sub-groups. `None`
/// where there is no warp program, or no whole warp for one: barriers that are a warp's in a block's program gain little.
pub fn sub_groups(plain: &Program, lanes: Option<&Program>) -> Option<Program> {
    fn has_warps(list: &Block) -> bool {
        let warps = |s: &Stmt| matches!(s.kind, StmtKind::DistrPar { level: Level::Warp, .. });
        list.iter().any(|s| warps(s) || walk::nested(&s.kind).any(has_warps))
    }
    if plain.lanes() != LANES || !has_warps(&plain.body) {
        return None;
    }
    let mut program = lanes.unwrap_or(plain).clone();
    virtualise::run(&mut program, virtualise::Waiting::Warps);
    blocks::run(&mut program);
    schedule::run(&mut program);
    Some(program)
}

/// The native form of a structured program: what the interpreter and the Rust printer take.
pub fn native(program: &Program) -> Program {
    let mut program = program.clone();
    schedule::run(&mut program);
    program
}
