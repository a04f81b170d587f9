//! Modules written by hand over the kernels of `fixtures`, on the CPU: straight lines, branches, loops, fetches; where memory lies;
//! every refusal; planted faults.

mod fetched;

use super::prepare;
use super::*;
use crate::device::Device;
use crate::element::ScalarArg;
use crate::error::Error;
use crate::fixtures::{COUNT, GROW, SUM_CHUNKS};
use crate::launch::{Arg, LaunchOptions};
use ScalarType::{Bool, I32, U8, U32};
use obsidian_abi::module::*;
use obsidian_abi::{BinOp, KernelInfo, ParamInfo, ParamKind, ScalarType};

/// `sum_chunks`, of one variant, as a module has it.
static SUM: KernelInfo = KernelInfo { name: "sums_reduce_1", variants: &[crate::fixtures::SUM_VARIANT] };

const fn node(ty: ScalarType, expr: HostExpr) -> HostNode {
    HostNode { ty, expr }
}

const fn temporary(name: &'static str, len: u32) -> BufferInfo {
    BufferInfo { name, fields: &[I32], len, place: Place::Temporary }
}

/// `to[b] = bias + sum(from[4 b .. 4 b + 4])`.
const fn sum(args: &'static [LaunchArg; 3], blocks: u32) -> Step {
    Step::Launch(Launching { kernel: 0, blocks, args })
}

const PARAMS: &[ParamInfo] = &[
    ParamInfo { name: "xs", kind: ParamKind::Input(None), fields: &[I32] },
    ParamInfo { name: "bias", kind: ParamKind::Scalar, fields: &[I32] },
    ParamInfo { name: "out", kind: ParamKind::Output, fields: &[I32] },
];

const EMPTY: ModuleVariant = ModuleVariant {
    values: &[],
    params: PARAMS,
    threads: 2,
    kernels: &[&SUM],
    variables: &[],
    exprs: &[],
    buffers: &[],
    matrices: &[],
    steps: &[],
    ir: "",
    report: "",
};

/// `len(xs)`, 4, `len(xs) / 4`, 16, `len(xs) / 16`, `bias`, `0`, 64, `len(xs) / 64`.
const EXPRS: &[HostNode] = &[
    node(U32, HostExpr::Value(0)),
    node(U32, HostExpr::Const(4)),
    node(U32, HostExpr::Bin(BinOp::Div, 0, 1)),
    node(U32, HostExpr::Const(16)),
    node(U32, HostExpr::Bin(BinOp::Div, 0, 3)),
    node(I32, HostExpr::Value(1)),
    node(I32, HostExpr::Const(0)),
    node(U32, HostExpr::Const(64)),
    node(U32, HostExpr::Bin(BinOp::Div, 0, 7)),
];

use LaunchArg::{Read, Scalar, Write};

/// Three sums, one after another: a sixty-fourth of the elements is left.
static SUMS: ModuleInfo = ModuleInfo {
    name: "sums",
    variants: &[ModuleVariant {
        exprs: EXPRS,
        buffers: &[
            BufferInfo { name: "xs", fields: &[I32], len: 0, place: Place::Param(0) },
            temporary("quarter", 2),
            temporary("sixteenth", 4),
            BufferInfo { name: "out", fields: &[I32], len: 8, place: Place::Output(0) },
        ],
        steps: &[
            sum(&[Read(0), Scalar(5), Write(1)], 2),
            sum(&[Read(1), Scalar(6), Write(2)], 4),
            sum(&[Read(2), Scalar(6), Write(3)], 8),
        ],
        ..EMPTY
    }],
};

fn planned(info: &'static ModuleInfo, values: &[u64]) -> Result<ModulePlan, Error> {
    plan(info, &LaunchOptions::DEFAULT, &Device::cpu(), values)
}

/// A run as generated code does it.
fn run(info: &'static ModuleInfo, xs: &[i32], bias: i32) -> Result<Vec<i32>, Error> {
    let plan = planned(info, &[xs.len() as u64, bias.bits()])?;
    again(&plan, xs, bias)
}

fn again(plan: &ModulePlan, xs: &[i32], bias: i32) -> Result<Vec<i32>, Error> {
    let xs = Device::cpu().upload(xs)?;
    let mut out = plan.allocate::<i32>(0)?;
    plan.launch(&mut [Arg::Buffer(xs.raw()), Arg::Scalar(bias.bits())], &mut [out.raw_mut()])?;
    out.to_vec()
}

fn values(n: usize) -> Vec<i32> {
    (0..n as i32).map(|i| i * 7919 % 1000 - 300).collect()
}

/// One sum.
fn summed(xs: &[i32], bias: i32) -> Vec<i32> {
    xs.chunks(4).map(|chunk| chunk.iter().sum::<i32>() + bias).collect()
}

#[test]
fn steps_are_done_in_order() {
    for n in [0, 64, 128, 6400] {
        let xs = values(n);
        assert_eq!(run(&SUMS, &xs, 3).unwrap(), summed(&summed(&summed(&xs, 3), 0), 0), "{n}");
    }
}

#[test]
fn a_plan_is_run_again_and_other_scalars_are_looked_at() {
    let plan = planned(&SUMS, &[6400, 3i32.bits()]).unwrap();
    assert_eq!((plan.output_len(0), plan.temporary_bytes()), (Some(100), 6400 + 1792));
    for bias in [3, 4, 3] {
        let xs = values(6400);
        assert_eq!(again(&plan, &xs, bias).unwrap(), summed(&summed(&summed(&xs, bias), 0), 0));
    }
    let error = again(&plan, &values(64), 3).unwrap_err();
    assert!(matches!(error, Error::Length { parameter: "xs", expected: 6400, found: 64, .. }), "{error}");
}

#[test]
fn errors_name_the_step_before_anything_is_written() {
    let error = planned(&SUMS, &[8, 0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entry `sums`, step 2 (launch of `sums_reduce_1`): kernel `sums_reduce_1` cannot be launched: `input.len()` must \
         be a multiple of 4, found 2"
    );
    let error = planned(&SUMS, &[1 << 32, 0]).unwrap_err();
    assert!(matches!(error, Error::TooLong { kernel: "sums", parameter: "xs", .. }), "{error}");
    let plan = planned(&SUMS, &[64, 0]).unwrap();
    let (xs, mut out) = (Device::cpu().upload(&[1; 64]).unwrap(), Device::cpu().upload(&[9; 2]).unwrap());
    let error = plan.launch(&mut [Arg::Buffer(xs.raw()), Arg::Scalar(0)], &mut [out.raw_mut()]).unwrap_err();
    assert!(matches!(error, Error::Length { parameter: "out", expected: 1, found: 2, .. }), "{error}");
    assert_eq!(out.to_vec().unwrap(), [9; 2]);
}

/// `if bias == 0 { sum(sum(xs)) } else { sum(sum(xs) + bias) }` by a branch whose sides end in buffers of the module's own, and
/// whose result is the caller's.
static BRANCH: ModuleInfo = ModuleInfo {
    name: "branch",
    variants: &[ModuleVariant {
        exprs: &[
            EXPRS[0],
            EXPRS[1],
            EXPRS[2],
            EXPRS[3],
            EXPRS[4],
            EXPRS[5],
            EXPRS[6],
            node(Bool, HostExpr::Bin(BinOp::Eq, 5, 6)),
        ],
        buffers: &[
            BufferInfo { name: "xs", fields: &[I32], len: 0, place: Place::Param(0) },
            temporary("quarter", 2),
            temporary("plain", 4),
            temporary("biased", 4),
            BufferInfo { name: "out", fields: &[I32], len: 4, place: Place::Output(0) },
        ],
        steps: &[
            sum(&[Read(0), Scalar(6), Write(1)], 2),
            Step::If(Branch {
                cond: 7,
                then: &[sum(&[Read(1), Scalar(6), Write(2)], 4)],
                els: &[sum(&[Read(1), Scalar(5), Write(3)], 4)],
                buffers: &[JoinedBuffer { result: 4, then: 2, els: 3 }],
                values: &[],
            }),
        ],
        ..EMPTY
    }],
};

#[test]
fn a_branch_is_decided_by_the_host() {
    let xs = values(320);
    for bias in [0, 5, -7] {
        assert_eq!(run(&BRANCH, &xs, bias).unwrap(), summed(&summed(&xs, 0), bias));
    }
    // The side that is taken is written where the caller wants it: no copy, no memory for it.
    let plan = planned(&BRANCH, &[320, 0]).unwrap();
    let copies = plan.recording.as_ref().unwrap().commands.iter();
    assert_eq!(copies.filter(|command| matches!(command, prepare::Command::Copy { .. })).count(), 0);
    // The other side's launches are alike.
    assert_eq!(again(&plan, &xs, 1).unwrap(), summed(&summed(&xs, 0), 1));
}

/// `bias` times, from `xs`: `a = copy of b, b = fill`: three buffers that change places, and a counter.
static ROUNDS: ModuleInfo = ModuleInfo {
    name: "rounds",
    variants: &[ModuleVariant {
        params: &[
            ParamInfo { name: "xs", kind: ParamKind::Input(None), fields: &[I32] },
            ParamInfo { name: "rounds", kind: ParamKind::Scalar, fields: &[I32] },
            ParamInfo { name: "out", kind: ParamKind::Output, fields: &[I32] },
            ParamInfo { name: "out1", kind: ParamKind::Output, fields: &[I32] },
        ],
        variables: &[
            HostVariable { name: "i", ty: I32 },
            HostVariable { name: "n", ty: U32 },
            HostVariable { name: "left", ty: U32 },
        ],
        // len(xs), 4, rounds, 0, n, n / 4, left
        exprs: &[
            node(U32, HostExpr::Value(0)),
            node(U32, HostExpr::Const(4)),
            node(I32, HostExpr::Value(1)),
            node(I32, HostExpr::Const(0)),
            node(U32, HostExpr::Value(3)),
            node(U32, HostExpr::Bin(BinOp::Div, 4, 1)),
            node(U32, HostExpr::Value(4)),
            node(I32, HostExpr::Value(2)),
        ],
        buffers: &[
            BufferInfo { name: "xs", fields: &[I32], len: 0, place: Place::Param(0) },
            temporary("inside", 4),
            temporary("next", 5),
            BufferInfo { name: "out", fields: &[I32], len: 6, place: Place::Output(0) },
            temporary("before", 0),
            temporary("kept", 0),
            BufferInfo { name: "out1", fields: &[I32], len: 0, place: Place::Output(1) },
        ],
        steps: &[
            Step::Copy { from: 0, to: 4 },
            Step::Loop(Looping {
                counter: Some(Counter { variable: 2, from: 3, to: 2 }),
                head: &[],
                test: None,
                body: &[sum(&[Read(1), Scalar(7), Write(2)], 5)],
                buffers: &[
                    CarriedBuffer { inside: 1, init: 0, next: 2, result: 3 },
                    CarriedBuffer { inside: 5, init: 4, next: 5, result: 6 },
                ],
                values: &[CarriedValue { inside: 3, init: 0, next: 5, result: 4 }],
            }),
        ],
        ..EMPTY
    }],
};

#[test]
fn loops_carry_shrinking_buffers_for_any_number_of_rounds() {
    let xs = values(1024);
    for rounds in [0, 1, 2, 3, 5, -4] {
        let plan = planned(&ROUNDS, &[1024, rounds.bits()]).unwrap();
        let input = Device::cpu().upload(&xs).unwrap();
        let (mut out, mut kept) = (Device::cpu().alloc::<i32>(1024 >> (2 * rounds.max(0))).unwrap(), None);
        for _ in 0..2 {
            let same = kept.insert(plan.allocate::<i32>(1).unwrap());
            plan.launch(
                &mut [Arg::Buffer(input.raw()), Arg::Scalar(rounds.bits())],
                &mut [out.raw_mut(), same.raw_mut()],
            )
            .unwrap();
            let expected = (0..rounds).fold(xs.clone(), |xs, i| summed(&xs, i));
            assert_eq!(out.to_vec().unwrap(), expected, "{rounds} rounds");
            assert_eq!(same.to_vec().unwrap(), xs, "what a loop only keeps");
        }
        assert_eq!(input.to_vec().unwrap(), xs, "inputs are never written");
        // Two places take turns; the copy of the input is made where it is wanted, and so is the last round.
        assert!(plan.temporary_bytes() <= 1024 + 256, "{} bytes for {rounds} rounds", plan.temporary_bytes());
    }
}

/// A buffer of 8 elements for each of `xs`.
static LONG: ModuleInfo = ModuleInfo {
    name: "long",
    variants: &[ModuleVariant {
        params: &[
            ParamInfo { name: "xs", kind: ParamKind::Input(None), fields: &[U8] },
            ParamInfo { name: "out", kind: ParamKind::Output, fields: &[U8] },
        ],
        kernels: &[&GROW],
        exprs: &[
            node(U32, HostExpr::Value(0)),
            node(U32, HostExpr::Const(8)),
            node(U32, HostExpr::Bin(BinOp::Mul, 0, 1)),
            node(U32, HostExpr::Const(1)),
        ],
        buffers: &[
            BufferInfo { name: "xs", fields: &[U8], len: 0, place: Place::Param(0) },
            BufferInfo { name: "long", fields: &[U8], len: 2, place: Place::Temporary },
            BufferInfo { name: "out", fields: &[U8], len: 2, place: Place::Output(0) },
        ],
        steps: &[
            Step::Launch(Launching { kernel: 0, blocks: 3, args: &[Read(0), Write(1)] }),
            Step::Copy { from: 1, to: 2 },
        ],
        ..EMPTY
    }],
};

#[test]
fn lengths_past_32_bits_are_named() {
    let error = planned(&LONG, &[1 << 29]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entry `long`, step 1 (launch of `grow`): kernel `long` cannot be launched: `len(xs) * 8` is 4294967296, which \
         `u32` does not hold; work in parts"
    );
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    // The same steps, one thing changed in each.
    let sums = || {
        vec![
            sum(&[Read(0), Scalar(5), Write(1)], 2),
            sum(&[Read(1), Scalar(6), Write(2)], 4),
            sum(&[Read(2), Scalar(6), Write(3)], 8),
        ]
    };
    let one = |step: Step| vec![step].into_iter().chain(sums()).collect();
    let changed: [(&str, ModuleVariant); 7] = [
        ("output of another length", with(&[(2, 4)], &[], sums())),
        ("blocks that are not the kernel's", with(&[], &[], one(sum(&[Read(0), Scalar(5), Write(1)], 4)))),
        ("a buffer that is not there", with(&[], &[], one(sum(&[Read(2), Scalar(5), Write(1)], 2)))),
        ("an input that is written", with(&[], &[], one(Step::Fill { to: 0, byte: 0 }))),
        ("another kind of argument", with(&[], &[], one(sum3([Scalar(5), Read(0), Write(1)])))),
        ("two buffers in one output", with(&[], &[(2, Place::Output(0))], sums())),
        ("a result that nobody makes", with(&[], &[], vec![sum(&[Read(0), Scalar(5), Write(1)], 2)])),
    ];
    for (what, variant) in changed {
        let variants: &'static [ModuleVariant] = Box::leak(Box::new([variant]));
        let info: &'static ModuleInfo = Box::leak(Box::new(ModuleInfo { name: "changed", variants }));
        let error = planned(info, &[64, 0]).unwrap_err();
        let inner = match &error {
            Error::Step { source, .. } => source,
            other => other,
        };
        assert!(matches!(inner, Error::Arguments { .. }), "{what}: {error}");
    }
}

/// Arguments in another order.
fn sum3(args: [LaunchArg; 3]) -> Step {
    Step::Launch(Launching { kernel: 0, blocks: 2, args: Vec::leak(args.to_vec()) })
}

/// [`SUMS`] with other expressions for lengths, other places, other steps.
fn with(lens: &[(u32, u32)], places: &[(usize, Place)], steps: Vec<Step>) -> ModuleVariant {
    let buffers = SUMS.variants[0].buffers.iter().enumerate().map(|(at, buffer)| {
        let len = lens.iter().find(|(from, _)| *from == buffer.len).map_or(buffer.len, |(_, to)| *to);
        let place = places.iter().find(|(changed, _)| *changed == at).map_or(buffer.place, |(_, place)| *place);
        BufferInfo { name: buffer.name, fields: buffer.fields, len, place }
    });
    ModuleVariant { exprs: EXPRS, buffers: Box::leak(buffers.collect()), steps: Vec::leak(steps), ..EMPTY }
}

/// What is laid out wrongly is seen by the results: two buffers that live at one time in one place, and one that is given
/// away while it is still to be read.
#[test]
fn planted_faults_change_the_results() {
    let xs = values(6400);
    let expected = summed(&summed(&summed(&xs, 0), 0), 0);
    let mut wrong_slot = planned(&SUMS, &[6400, 0]).unwrap();
    wrong_slot.part_of[2] = wrong_slot.part_of[1];
    // The second sum writes what it reads: a quarter of it is summed again, but in order, so it is the lengths that tell.
    assert!(again(&wrong_slot, &xs, 0).is_err() || again(&wrong_slot, &xs, 0).unwrap() != expected);
    let mut missed = planned(&SUMS, &[6400, 0]).unwrap();
    // As if the first sum's result were dead before the second reads it: the second's place is made in it, and spoilt.
    let recording = missed.recording.as_mut().unwrap();
    let at = recording.ranges[2][0].len();
    recording.ranges[2][0] = recording.ranges[1][0].start..recording.ranges[1][0].start + at;
    missed.respread().unwrap();
    assert_ne!(again(&missed, &xs, 0).unwrap(), expected);
    let mut right = planned(&SUMS, &[6400, 0]).unwrap();
    right.respread().unwrap();
    assert_eq!(again(&right, &xs, 0).unwrap(), expected);
}

#[test]
fn the_users_view_of_a_module() {
    fn shared<T: Send + Sync>() {}
    shared::<(Module, ModulePlan)>();
    const MODULE: Module = Module::new(&SUMS);
    assert_eq!((MODULE.name(), MODULE.threads(), MODULE.variants().len()), ("sums", 2, 1));
    assert_eq!(MODULE.kernels().map(|kernel| kernel.name()).collect::<Vec<_>>(), ["sums_reduce_1"]);
    let none = LaunchOptions { choice: crate::kernel::Choice::ANY.threads(7), ..LaunchOptions::DEFAULT };
    let error = plan(&SUMS, &none, &Device::cpu(), &[64, 0]).unwrap_err();
    assert!(matches!(error, Error::NoVariant { kernel: "sums", .. }), "{error}");
    let zero = LaunchOptions { blocks: Some(0), ..LaunchOptions::DEFAULT };
    assert!(matches!(plan(&SUMS, &zero, &Device::cpu(), &[64, 0]).unwrap_err(), Error::ZeroBlocks { .. }));
    assert_eq!(SUM_CHUNKS.name, "sum_chunks");
}
