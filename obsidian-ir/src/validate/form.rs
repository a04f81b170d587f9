//! The forms that a program goes through, a row each: what may stand in it.

/// What may stand in a program of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// What it is called.
    pub(super) name: &'static str,
    /// `ForAll` and `DistrPar`; where they are gone, the machine's registers are there.
    pub(super) levels: bool,
    /// Arrays whose elements shall lie in rows with gaps.
    pub(super) rows: bool,
    /// Arrays that are wanted in lanes.
    pub(super) lanes: bool,
    /// Arrays of a block that are wanted in registers.
    pub(super) registers: bool,
    /// Barriers of a warp, and shuffles: where warps wait by themselves.
    pub(super) warps: bool,
    /// Shuffles, reads from another lane.
    pub(super) shuffles: bool,
    /// Arrays of which several rounds' elements are wanted, or there, at one time.
    pub(super) stages: bool,
    /// Copies to these that go on while other code runs.
    pub(super) copies: bool,
    /// Barriers at all.
    pub(super) barriers: bool,
    /// Vector accesses.
    pub(super) vectors: bool,
    /// Prints: on processors and in the interpreter.
    pub(super) prints: bool,
    /// Shared arrays have their places.
    pub(super) placed: bool,
    /// No branch of a `Select` loads, and loops have ends that stay.
    pub(super) scheduled: bool,
}

impl Form {
    /// As `stage` makes it, and as it is proved: nothing is placed yet.
    pub const STAGED: Form = Form {
        name: "as evaluated",
        levels: true,
        rows: true,
        lanes: true,
        registers: true,
        warps: false,
        shuffles: false,
        stages: true,
        copies: false,
        barriers: false,
        vectors: false,
        prints: true,
        placed: false,
        scheduled: false,
    };
    /// After `lanes`: no array is wanted in lanes any more.
    pub const IN_REGISTERS: Form = Form { name: "after `lanes`", lanes: false, shuffles: true, ..Form::STAGED };
    /// After `stages`: copies are begun and waited for.
    pub const IN_STAGES: Form = Form { name: "after `stages`", copies: true, barriers: true, ..Form::IN_REGISTERS };
    /// After `pad`: no array is to get gaps any more.
    pub const PADDED: Form = Form { name: "after `pad`", rows: false, ..Form::IN_STAGES };
    /// After `layout`: shared arrays have their places.
    pub const LAID_OUT: Form = Form { name: "after `layout`", placed: true, ..Form::PADDED };
    /// After `barriers`: what `virtualise` and `schedule` take.
    pub const STRUCTURED: Form = Form { name: "structured", barriers: true, warps: true, ..Form::LAID_OUT };
    /// What the Rust printer takes: levels are still there, no lane reads another's registers.
    pub const NATIVE: Form = Form {
        name: "native",
        registers: false,
        shuffles: false,
        stages: false,
        copies: false,
        scheduled: true,
        ..Form::STRUCTURED
    };
    /// As [`Form::NATIVE`], with reads of other lanes and vectors: what costs are counted from.
    pub const COUNTED: Form = Form {
        name: "counted",
        registers: true,
        shuffles: true,
        stages: true,
        copies: true,
        vectors: true,
        prints: false,
        ..Form::NATIVE
    };
    /// After `virtualise`: threads, warps and blocks are the machine's.
    pub const VIRTUALISED: Form =
        Form { name: "after `virtualise`", levels: false, registers: false, prints: false, ..Form::STRUCTURED };
    /// After `schedule` of a virtualised program.
    pub const SCHEDULED: Form = Form { name: "after `schedule`", scheduled: true, ..Form::VIRTUALISED };
    /// What the CUDA and PTX printers take.
    pub const MACHINE: Form = Form { name: "machine", vectors: true, ..Form::SCHEDULED };
    /// As [`Form::VIRTUALISED`], where only whole blocks wait.
    pub const CONVERGED: Form = Form {
        name: "after `converge`",
        warps: false,
        shuffles: false,
        stages: false,
        copies: false,
        ..Form::VIRTUALISED
    };
    /// What the OpenCL printer takes: only whole blocks wait.
    pub const GROUP: Form = Form { name: "group", scheduled: true, vectors: true, ..Form::CONVERGED };
    /// What the OpenCL printer takes for devices with sub-groups.
    pub const SUB_GROUPS: Form =
        Form { name: "sub-groups", stages: false, copies: false, vectors: true, ..Form::SCHEDULED };
    /// What any C printer can print: one of [`Form::MACHINE`], [`Form::GROUP`] and [`Form::SUB_GROUPS`].
    pub const FOR_C: Form = Form { name: "virtualised", ..Form::MACHINE };
}
