//! Modules that fetch, by hand: what an element decides, and where the results of a branch lie whose lengths follow from one.

use super::*;

/// `n`, 1, `n - 1`, `last`, `last > 1`, `n + last`, 3000, `3000 + last`, `more`, where `last` is fetched and `more` is left by a branch.
const EXPRS: &[HostNode] = &[
    node(U32, HostExpr::Value(0)),
    node(U32, HostExpr::Const(1)),
    node(U32, HostExpr::Bin(BinOp::Sub, 0, 1)),
    node(U32, HostExpr::Value(1)),
    node(Bool, HostExpr::Bin(BinOp::Gt, 3, 1)),
    node(U32, HostExpr::Bin(BinOp::Add, 0, 3)),
    node(U32, HostExpr::Const(3000)),
    node(U32, HostExpr::Bin(BinOp::Add, 6, 3)),
    node(U32, HostExpr::Value(2)),
];

/// `n` (a scalar) elements `0 .. n`, its last fetched; as many elements again; a check between.
static FETCHES: ModuleInfo = ModuleInfo {
    name: "fetches",
    variants: &[ModuleVariant {
        params: &[
            ParamInfo { name: "n", kind: ParamKind::Scalar, fields: &[U32] },
            ParamInfo { name: "out", kind: ParamKind::Output, fields: &[U32] },
        ],
        kernels: &[&COUNT],
        variables: &[HostVariable { name: "last", ty: U32 }],
        exprs: EXPRS,
        buffers: &[
            BufferInfo { name: "first", fields: &[U32], len: 0, place: Place::Temporary },
            BufferInfo { name: "out", fields: &[U32], len: 3, place: Place::Output(0) },
        ],
        steps: &[
            Step::Launch(Launching { kernel: 0, blocks: 0, args: &[Scalar(0), Write(0)] }),
            Step::Fetch { from: 0, index: 2, into: &[1] },
            Step::Check { cond: 4, message: "the last element must be greater than 1", found: 3 },
            Step::Launch(Launching { kernel: 0, blocks: 3, args: &[Scalar(3), Write(1)] }),
        ],
        ..EMPTY
    }],
};

/// `n` elements `0 .. n`, the last fetched; where it is greater than 1, `n` and it are how many the result has, else 3000 and it.
static DESTINED: ModuleInfo = ModuleInfo {
    name: "destined",
    variants: &[ModuleVariant {
        params: FETCHES.variants[0].params,
        kernels: &[&COUNT],
        variables: &[HostVariable { name: "last", ty: U32 }, HostVariable { name: "more", ty: U32 }],
        exprs: EXPRS,
        buffers: &[
            BufferInfo { name: "first", fields: &[U32], len: 0, place: Place::Temporary },
            BufferInfo { name: "many", fields: &[U32], len: 5, place: Place::Temporary },
            BufferInfo { name: "few", fields: &[U32], len: 7, place: Place::Temporary },
            BufferInfo { name: "out", fields: &[U32], len: 8, place: Place::Output(0) },
        ],
        steps: &[
            Step::Launch(Launching { kernel: 0, blocks: 0, args: &[Scalar(0), Write(0)] }),
            Step::Fetch { from: 0, index: 2, into: &[1] },
            Step::If(Branch {
                cond: 4,
                then: &[Step::Launch(Launching { kernel: 0, blocks: 5, args: &[Scalar(5), Write(1)] })],
                els: &[Step::Launch(Launching { kernel: 0, blocks: 7, args: &[Scalar(7), Write(2)] })],
                buffers: &[JoinedBuffer { result: 3, then: 1, els: 2 }],
                values: &[JoinedValue { result: 2, then: 5, els: 7 }],
            }),
        ],
        ..EMPTY
    }],
};

/// As `DESTINED`, but that where the last is greater than 1 the first buffer is both results, and else only the second.
static KEPT: ModuleInfo = ModuleInfo {
    name: "kept",
    variants: &[ModuleVariant {
        params: &[
            ParamInfo { name: "n", kind: ParamKind::Scalar, fields: &[U32] },
            ParamInfo { name: "out", kind: ParamKind::Output, fields: &[U32] },
            ParamInfo { name: "out1", kind: ParamKind::Output, fields: &[U32] },
        ],
        kernels: &[&COUNT],
        variables: DESTINED.variants[0].variables,
        exprs: EXPRS,
        buffers: &[
            BufferInfo { name: "first", fields: &[U32], len: 0, place: Place::Temporary },
            BufferInfo { name: "many", fields: &[U32], len: 7, place: Place::Temporary },
            BufferInfo { name: "out", fields: &[U32], len: 8, place: Place::Output(0) },
            BufferInfo { name: "out1", fields: &[U32], len: 0, place: Place::Output(1) },
        ],
        steps: &[
            Step::Launch(Launching { kernel: 0, blocks: 0, args: &[Scalar(0), Write(0)] }),
            Step::Fetch { from: 0, index: 2, into: &[1] },
            Step::If(Branch {
                cond: 4,
                then: &[],
                els: &[Step::Launch(Launching { kernel: 0, blocks: 7, args: &[Scalar(7), Write(1)] })],
                buffers: &[JoinedBuffer { result: 2, then: 0, els: 1 }],
                values: &[JoinedValue { result: 2, then: 0, els: 7 }],
            }),
            Step::Copy { from: 0, to: 3 },
        ],
        ..EMPTY
    }],
};

#[test]
fn what_is_older_than_its_branch_stays_where_it_is() {
    for (n, expected) in [(1000, 1000), (2, 3001)] {
        let plan = planned(&KEPT, &[n]).unwrap();
        let (mut out, mut out1) = (plan.allocate::<u32>(0).unwrap(), plan.allocate::<u32>(1).unwrap());
        plan.launch(&mut [Arg::Scalar(n)], &mut [out.raw_mut(), out1.raw_mut()]).unwrap();
        assert_eq!(out.to_vec().unwrap(), (0..expected).collect::<Vec<u32>>());
        assert_eq!(out1.to_vec().unwrap(), (0..n as u32).collect::<Vec<u32>>());
    }
}

#[test]
fn what_a_branch_leaves_is_written_where_the_caller_wants_it() {
    for (n, expected) in [(1000, 1999), (2, 3001)] {
        let plan = planned(&DESTINED, &[n]).unwrap();
        let before = plan.temporary_bytes();
        for _ in 0..2 {
            let mut out = plan.allocate::<u32>(0).unwrap();
            plan.launch(&mut [Arg::Scalar(n)], &mut [out.raw_mut()]).unwrap();
            assert_eq!(out.to_vec().unwrap(), (0..expected).collect::<Vec<u32>>());
            assert_eq!(plan.temporary_bytes(), before, "it takes no memory beside the output");
        }
    }
}

#[test]
fn a_fetched_element_decides_what_comes() {
    let plan = planned(&FETCHES, &[10]).unwrap();
    assert_eq!((plan.output_len(0), plan.temporary_bytes()), (None, 256));
    for _ in 0..3 {
        let mut out = plan.allocate::<u32>(0).unwrap();
        plan.launch(&mut [Arg::Scalar(10)], &mut [out.raw_mut()]).unwrap();
        assert_eq!(out.to_vec().unwrap(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(plan.temporary_bytes(), 256, "a second run allocates nothing");
    }
    let mut short = Device::cpu().alloc::<u32>(4).unwrap();
    let error = plan.launch(&mut [Arg::Scalar(10)], &mut [short.raw_mut()]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entry `fetches`, step 4 (launch of `count`): kernel `fetches`: `out` must have 9 elements, found 4"
    );
    let plan = planned(&FETCHES, &[2]).unwrap();
    let error = plan.launch(&mut [Arg::Scalar(2)], &mut [plan.allocate::<u32>(0).unwrap().raw_mut()]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entry `fetches`, step 3 (check): kernel `fetches` cannot be launched: the last element must be greater than 1, \
         found 1"
    );
    let error = planned(&FETCHES, &[0]).unwrap_err();
    assert!(error.to_string().contains("`n - 1` is -1, which `u32` does not hold"), "{error}");
}
