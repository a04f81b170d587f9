//! Modules of several launches, the same on every device: tables written by hand over kernels of `programs`, so that the runtime
//! is tested apart from the compiler.

use obsidian::abi::module::*;
use obsidian::abi::{Arg, BinOp, KernelInfo, ModulePlan, ParamInfo, ParamKind, ScalarArg, ScalarType, plan_module};
use obsidian::{Device, Error, IndexedArray, LaunchOptions, Stream};
use obsidian_programs as programs;

use ScalarType::{Bool, F32, I32, U32};

/// Two blocks of `saxpy`.
const LEN: usize = 2048;
const ALPHA: f32 = 0.5;

/// All of it.
pub fn check(device: &Device) {
    rounds_in_two_places(device);
    two_streams_share_nothing(device);
    a_graph_holds_all_launches(device);
    a_fetched_sum_decides(device);
    a_fault_names_kernel_and_step(device);
    what_cannot_be_allocated_is_an_error(device);
}

fn leak<T>(all: Vec<T>) -> &'static [T] {
    Vec::leak(all)
}

fn node(ty: ScalarType, expr: HostExpr) -> HostNode {
    HostNode { ty, expr }
}

fn buffer(name: &'static str, field: ScalarType, len: u32, place: Place) -> BufferInfo {
    BufferInfo { name, fields: leak(vec![field]), len, place }
}

fn launch(kernel: u32, blocks: u32, args: Vec<LaunchArg>) -> Step {
    Step::Launch(Launching { kernel, blocks, args: leak(args) })
}

fn module(name: &'static str, variant: ModuleVariant) -> &'static ModuleInfo {
    let variants = leak(vec![variant]);
    Box::leak(Box::new(ModuleInfo { name, variants }))
}

const PLAIN: ModuleVariant = ModuleVariant {
    values: &[],
    params: &[],
    threads: 64,
    kernels: &[],
    variables: &[],
    exprs: &[],
    buffers: &[],
    matrices: &[],
    steps: &[],
    ir: "",
    report: "",
};

/// The blocks of a kernel for these lengths and scalars.
fn blocks(kernel: &KernelInfo, values: &[u64]) -> u64 {
    (kernel.variants[0].geometry)(values).unwrap().blocks.into()
}

fn values(seed: usize) -> Vec<f32> {
    (0..LEN).map(|i| ((i * 7 + seed * 31) % 1000) as f32 / 8.0).collect()
}

fn saxpy(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| ALPHA * x + y).collect()
}

/// `t = x; rounds times t = a * t + y; in place u = y + a * t; out = a * u + 0`, and `t` as the second output.
fn stepwise() -> &'static ModuleInfo {
    let (saxpy, in_place) = (programs::saxpy.info(), programs::saxpy_in_place.info());
    let n = LEN as u64;
    // 0: len(x), 1: blocks of saxpy, 2: alpha, 3: 0, 4: rounds, 5: blocks of the update.
    let exprs = vec![
        node(U32, HostExpr::Value(0)),
        node(U32, HostExpr::Const(blocks(saxpy, &[0, n, n]))),
        node(F32, HostExpr::Value(2)),
        node(U32, HostExpr::Const(0)),
        node(U32, HostExpr::Value(3)),
        node(U32, HostExpr::Const(blocks(in_place, &[0, n, n]))),
    ];
    use LaunchArg::{Read, Scalar, Update, Write};
    let own = |name| buffer(name, F32, 0, Place::Temporary);
    let looping = Looping {
        counter: Some(Counter { variable: 4, from: 3, to: 4 }),
        head: &[],
        test: None,
        body: leak(vec![launch(0, 1, vec![Scalar(2), Read(2), Read(1), Write(3)])]),
        buffers: leak(vec![CarriedBuffer { inside: 2, init: 0, next: 3, result: 4 }]),
        values: &[],
    };
    let param = |name, kind, ty| ParamInfo { name, kind, fields: leak(vec![ty]) };
    module(
        "stepwise",
        ModuleVariant {
            params: leak(vec![
                param("x", ParamKind::Input(None), F32),
                param("y", ParamKind::Input(None), F32),
                param("alpha", ParamKind::Scalar, F32),
                param("rounds", ParamKind::Scalar, U32),
                param("out", ParamKind::Output, F32),
                param("out1", ParamKind::Output, F32),
            ]),
            kernels: leak(vec![saxpy, in_place]),
            variables: leak(vec![HostVariable { name: "round", ty: U32 }]),
            exprs: leak(exprs),
            buffers: leak(vec![
                buffer("x", F32, 0, Place::Param(0)),
                buffer("y", F32, 0, Place::Param(1)),
                own("inside"),
                own("next"),
                buffer("out1", F32, 0, Place::Output(1)),
                own("copied"),
                own("updated"),
                own("zeros"),
                buffer("out", F32, 0, Place::Output(0)),
            ]),
            steps: leak(vec![
                Step::Loop(looping),
                Step::Copy { from: 1, to: 5 },
                launch(1, 5, vec![Scalar(2), Read(4), Update(5, 6)]),
                Step::Fill { to: 7, byte: 0 },
                launch(0, 1, vec![Scalar(2), Read(6), Read(7), Write(8)]),
            ]),
            ..PLAIN
        },
    )
}

fn planned(info: &'static ModuleInfo, device: &Device, stream: Option<&Stream>, values: &[u64]) -> ModulePlan {
    let options = LaunchOptions { stream: stream.cloned(), ..LaunchOptions::DEFAULT };
    plan_module(info, &options, device, values).unwrap()
}

/// What [`stepwise`] gives.
fn expected(x: &[f32], y: &[f32], rounds: u32) -> [Vec<f32>; 2] {
    let t = (0..rounds).fold(x.to_vec(), |t, _| saxpy(&t, y));
    [saxpy(&saxpy(&t, y), &vec![0.0; LEN]), t]
}

fn rounds_in_two_places(device: &Device) {
    let (x, y) = (values(1), values(2));
    let on = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
    for rounds in [0, 1, 2, 5] {
        let scalars = [ALPHA.bits(), rounds.bits()];
        let plan = planned(stepwise(), device, None, &[LEN as u64, LEN as u64, scalars[0], scalars[1]]);
        for _ in 0..2 {
            let (mut out, mut out1) = (plan.allocate::<f32>(0).unwrap(), plan.allocate::<f32>(1).unwrap());
            let mut args =
                [Arg::Buffer(on.0.raw()), Arg::Buffer(on.1.raw()), Arg::Scalar(scalars[0]), Arg::Scalar(scalars[1])];
            plan.launch(&mut args, &mut [out.raw_mut(), out1.raw_mut()]).unwrap();
            assert_eq!([out.to_vec().unwrap(), out1.to_vec().unwrap()], expected(&x, &y, rounds), "{rounds} rounds");
        }
        assert_eq!([on.0.to_vec().unwrap(), on.1.to_vec().unwrap()], [x.clone(), y.clone()], "inputs are left alone");
        let bytes = plan.temporary_bytes();
        assert!(bytes <= 3 * 4 * LEN as u64, "{bytes} bytes of temporary memory");
    }
}

/// The results of one are inputs of the next, on another stream, with its own temporary memory.
fn two_streams_share_nothing(device: &Device) {
    let streams = [device.new_stream().unwrap(), device.new_stream().unwrap()];
    let (x, y) = (values(3), values(4));
    let lens = [LEN as u64, LEN as u64, ALPHA.bits(), 2u32.bits()];
    let plans = streams.each_ref().map(|stream| planned(stepwise(), device, Some(stream), &lens));
    let (on_y, mut now) = (device.upload(&y).unwrap(), device.upload(&x).unwrap());
    let mut known = x;
    for plan in plans.iter().cycle().take(4) {
        let (mut out, mut out1) = (plan.allocate::<f32>(0).unwrap(), plan.allocate::<f32>(1).unwrap());
        let mut args = [Arg::Buffer(now.raw()), Arg::Buffer(on_y.raw()), Arg::Scalar(lens[2]), Arg::Scalar(lens[3])];
        plan.launch(&mut args, &mut [out.raw_mut(), out1.raw_mut()]).unwrap();
        [known, _] = expected(&known, &y, 2);
        now = out;
    }
    // The plans and their memory may go before what they have begun is done.
    drop(plans);
    assert_eq!(now.to_vec().unwrap(), known);
}

fn a_graph_holds_all_launches(device: &Device) {
    let (x, y) = (values(5), values(6));
    let (on_x, on_y) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
    let stream = device.new_stream().unwrap();
    let recorded = stream.record(|stream| {
        let lens = [LEN as u64, LEN as u64, ALPHA.bits(), 3u32.bits()];
        let options = LaunchOptions { stream: Some(stream.clone()), ..LaunchOptions::DEFAULT };
        let plan = plan_module(stepwise(), &options, device, &lens)?;
        let (mut out, mut out1) = (plan.allocate::<f32>(0)?, plan.allocate::<f32>(1)?);
        let mut args = [Arg::Buffer(on_x.raw()), Arg::Buffer(on_y.raw()), Arg::Scalar(lens[2]), Arg::Scalar(lens[3])];
        plan.launch(&mut args, &mut [out.raw_mut(), out1.raw_mut()])?;
        // The plan goes here: the graph keeps its memory.
        Ok((on_x, on_y, out, out1))
    });
    let mut graph = recorded.unwrap();
    for seed in 5..8 {
        let x = values(seed);
        graph.buffers_mut().0.write(&x).unwrap();
        graph.launch().unwrap();
        let (_, _, out, out1) = graph.buffers();
        assert_eq!([out.to_vec().unwrap(), out1.to_vec().unwrap()], expected(&x, &y, 3));
    }
}

/// `sums = reductions(xs)`; the first is fetched; where it is even, the sums; else the sums of the sums' own number, filled with
/// bytes of 1.
fn a_fetched_sum_decides(device: &Device) {
    let kernel = programs::reductions.info();
    // 0: len(xs), 1: 512, 2: len(xs) / 512, 3: 0, 4: first, 5: 1, 6: first & 1, 7: 0 as i32, 8: first & 1 == 0.
    let exprs = vec![
        node(U32, HostExpr::Value(0)),
        node(U32, HostExpr::Const(512)),
        node(U32, HostExpr::Bin(BinOp::Div, 0, 1)),
        node(U32, HostExpr::Const(0)),
        node(I32, HostExpr::Value(1)),
        node(I32, HostExpr::Const(1)),
        node(I32, HostExpr::Bin(BinOp::And, 4, 5)),
        node(I32, HostExpr::Const(0)),
        node(Bool, HostExpr::Bin(BinOp::Eq, 6, 7)),
    ];
    use LaunchArg::{Read, Write};
    let branch = Branch {
        cond: 8,
        then: &[],
        els: leak(vec![Step::Fill { to: 2, byte: 1 }]),
        buffers: leak(vec![JoinedBuffer { result: 3, then: 1, els: 2 }]),
        values: &[],
    };
    let info = module(
        "decides",
        ModuleVariant {
            params: leak(vec![
                ParamInfo { name: "xs", kind: ParamKind::Input(None), fields: &[I32] },
                ParamInfo { name: "out", kind: ParamKind::Output, fields: &[I32] },
            ]),
            kernels: leak(vec![kernel]),
            variables: leak(vec![HostVariable { name: "first", ty: I32 }]),
            exprs: leak(exprs),
            buffers: leak(vec![
                buffer("xs", I32, 0, Place::Param(0)),
                buffer("sums", I32, 2, Place::Temporary),
                buffer("ones", I32, 2, Place::Temporary),
                buffer("out", I32, 2, Place::Output(0)),
            ]),
            steps: leak(vec![
                launch(0, 2, vec![Read(0), Write(1)]),
                Step::Fetch { from: 1, index: 3, into: leak(vec![1]) },
                Step::If(branch),
            ]),
            ..PLAIN
        },
    );
    let plan = planned(info, device, None, &[1024]);
    for add in [0, 1, 2, 3] {
        let mut xs: Vec<i32> = (0..1024).collect();
        xs[0] = add;
        let xs = device.upload(&xs).unwrap();
        let mut out = plan.allocate::<i32>(0).unwrap();
        plan.launch(&mut [Arg::Buffer(xs.raw())], &mut [out.raw_mut()]).unwrap();
        let even = (130_816 + add) % 2 == 0;
        let expected = if even { [130_816 + add, 392_960] } else { [0x0101_0101; 2] };
        assert_eq!(out.to_vec().unwrap(), expected);
    }
}

/// Two products with a sparse matrix; the index of the second strays.
fn a_fault_names_kernel_and_step(device: &Device) {
    let kernel = programs::smvm_threads.info();
    // 0: len(rows), 1: blocks.
    let exprs = vec![node(U32, HostExpr::Value(0)), node(U32, HostExpr::Const(2))];
    use LaunchArg::{Read, Write};
    let own = |name, place| buffer(name, F32, 0, place);
    let fields: &'static [ScalarType] = &[U32, U32];
    let entries: &'static [ScalarType] = &[U32, F32];
    let info = module(
        "products",
        ModuleVariant {
            params: leak(vec![
                ParamInfo { name: "rows", kind: ParamKind::Input(None), fields },
                ParamInfo { name: "entries", kind: ParamKind::Input(None), fields: entries },
                ParamInfo { name: "more", kind: ParamKind::Input(None), fields: entries },
                ParamInfo { name: "x", kind: ParamKind::Input(None), fields: &[F32] },
                ParamInfo { name: "out", kind: ParamKind::Output, fields: &[F32] },
            ]),
            kernels: leak(vec![kernel]),
            exprs: leak(
                [
                    exprs,
                    vec![node(U32, HostExpr::Value(1)), node(U32, HostExpr::Value(2)), node(U32, HostExpr::Value(3))],
                ]
                .concat(),
            ),
            buffers: leak(vec![
                BufferInfo { name: "rows", fields, len: 0, place: Place::Param(0) },
                BufferInfo { name: "entries", fields: entries, len: 2, place: Place::Param(1) },
                BufferInfo { name: "more", fields: entries, len: 3, place: Place::Param(2) },
                buffer("x", F32, 4, Place::Param(3)),
                own("once", Place::Temporary),
                own("twice", Place::Temporary),
                own("out", Place::Output(0)),
            ]),
            steps: leak(vec![
                launch(0, 1, vec![Read(0), Read(1), Read(3), Write(4)]),
                launch(0, 1, vec![Read(0), Read(1), Read(4), Write(5)]),
                launch(0, 1, vec![Read(0), Read(2), Read(5), Write(6)]),
            ]),
            ..PLAIN
        },
    );
    let rows: Vec<(u32, u32)> = (0..128).map(|r| (r, r + 1)).collect();
    let right: Vec<(u32, f32)> = (0..128).map(|i| (127 - i, 2.0)).collect();
    let mut wrong = right.clone();
    wrong[70].0 = 900;
    let x: Vec<f32> = (0..128).map(|i| i as f32).collect();
    let plan = planned(info, device, None, &[128; 4]);
    let (on_rows, on_x) = (device.upload(&rows).unwrap(), device.upload(&x).unwrap());
    let entries = device.upload(&right).unwrap();
    let run = |more: &[(u32, f32)]| {
        let more = device.upload(more).unwrap();
        let mut out = plan.allocate::<f32>(0).unwrap();
        let mut args = [on_rows.raw(), entries.raw(), more.raw(), on_x.raw()].map(Arg::Buffer);
        plan.launch(&mut args, &mut [out.raw_mut()]).map(|()| out.to_vec().unwrap())
    };
    let expected: Vec<f32> = x.iter().rev().map(|x| 8.0 * x).collect();
    assert_eq!(run(&right).unwrap(), expected);
    let error = run(&wrong).unwrap_err();
    let Error::Step { entry: "products", step: 3, what, source } = &error else { panic!("{error}") };
    assert_eq!(what, "launch of `smvm_threads`");
    let told = match &**source {
        Error::OutOfRange { array, index, len, .. } => {
            (*array, *index, *len) == (IndexedArray::Named("twice"), 900, 128)
        }
        // The interpreter's own words.
        Error::Faulty { fault, .. } => fault.contains("index 900"),
        _ => false,
    };
    assert!(told, "{error}");
    // What was found is forgotten, and the inputs are as they were.
    assert_eq!(run(&right).unwrap(), expected);
    assert_eq!((on_rows.to_vec().unwrap(), on_x.to_vec().unwrap()), (rows, x));
}

/// More temporary memory than any machine has, and an output that the plan was not made for.
fn what_cannot_be_allocated_is_an_error(device: &Device) {
    let exprs = vec![node(U32, HostExpr::Const(u32::MAX.into())), node(U32, HostExpr::Value(0))];
    let wide: &'static [ScalarType] = leak(vec![ScalarType::F64; 1 << 16]);
    let own = |name| BufferInfo { name, fields: wide, len: 0, place: Place::Temporary };
    let info = module(
        "endless",
        ModuleVariant {
            params: leak(vec![
                ParamInfo { name: "n", kind: ParamKind::Scalar, fields: &[U32] },
                ParamInfo { name: "out", kind: ParamKind::Output, fields: &[I32] },
            ]),
            exprs: leak(exprs),
            buffers: leak(vec![
                own("a"),
                own("b"),
                BufferInfo { name: "out", fields: &[I32], len: 1, place: Place::Output(0) },
            ]),
            steps: leak(vec![
                Step::Fill { to: 0, byte: 0 },
                Step::Copy { from: 0, to: 1 },
                Step::Fill { to: 2, byte: 0 },
            ]),
            ..PLAIN
        },
    );
    let error = plan_module(info, &LaunchOptions::DEFAULT, device, &[4]).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
}
