//! The printer on machine-form programs written by hand, and the printed kernels run by g++ where there is one.

use super::{CUDA, header, print};
use crate::backend::c::Printer;
use crate::diag::Span;
use crate::level::Level;
use crate::passes::Machine;
use crate::passes::fixture::program;
use crate::program::{
    Array, ArrayId, BinOp, Block, Const, ExprId, Exprs, Param, ParamId, ParamKind, Program, Range, ScalarType, Space,
    Special, Stmt, StmtKind,
};

fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, Span::NONE)
}

/// What the printers take.
fn form(p: Program) -> Machine {
    Machine::checked(p).unwrap_or_else(|e| panic!("{e}"))
}

/// A program without arrays, statements or parameters.
fn empty(name: &str, threads: u32) -> Program {
    Program { name: name.into(), ..program(threads) }
}

fn array(p: &mut Program, name: &str, elem: ScalarType, len: ExprId, space: Space, offset: Option<u32>) -> ArrayId {
    p.arrays.push(Array {
        name: name.into(),
        elem,
        len,
        space,
        rows: None,
        stages: 1,
        filled: None,
        offset,
        span: Span::NONE,
        stands_for: None,
    });
    ArrayId(p.arrays.len() as u32 - 1)
}

/// An input of dynamic length.
fn input(p: &mut Program, name: &str, elem: ScalarType) -> (ArrayId, ExprId) {
    let id = ParamId(p.params.len() as u32);
    let len = p.exprs.input_len(id);
    let a = array(p, name, elem, len, Space::Global(id), None);
    p.params.push(Param::new(name, ParamKind::Input { arrays: vec![a], len: None }));
    (a, len)
}

fn scalar(p: &mut Program, name: &str, ty: ScalarType) -> ExprId {
    let id = ParamId(p.params.len() as u32);
    p.params.push(Param::new(name, ParamKind::Scalar(ty)));
    p.exprs.scalar(id, ty)
}

fn output(p: &mut Program, name: &str, elem: ScalarType, len: ExprId) -> ArrayId {
    let id = ParamId(p.params.len() as u32);
    let a = array(p, name, elem, len, Space::Global(id), None);
    p.params.push(Param::new(name, ParamKind::Output { arrays: vec![a], len }));
    a
}

/// `for b = BlockIdx; b < n; b += GridDim`, the shape that `passes::virtualise` gives.
fn grid_loop(p: &mut Program, n: ExprId, body: impl FnOnce(&mut Program, ExprId) -> Block) {
    let var = p.new_var("b", ScalarType::U32, false, Range::new(0, p.exprs.range(n).hi - 1));
    let b = p.exprs.var(var);
    let body = body(p, b);
    let start = p.exprs.special(Special::BlockIdx, i32::MAX as u32);
    let step = p.exprs.special(Special::GridDim, i32::MAX as u32);
    p.blocks = n;
    p.body = vec![stmt(StmtKind::SeqFor { var, start, end: n, step, body })];
}

fn saxpy() -> Program {
    let mut p = empty("saxpy_128", 128);
    let alpha = scalar(&mut p, "alpha", ScalarType::F32);
    let (x, n) = input(&mut p, "x", ScalarType::F32);
    let (y, _) = input(&mut p, "y", ScalarType::F32);
    let out = output(&mut p, "out", ScalarType::F32, n);
    let c = p.exprs.u32(128);
    let blocks = p.exprs.bin(BinOp::Div, n, c);
    grid_loop(&mut p, blocks, |p, b| {
        let (tid, c) = (p.exprs.special(Special::Tid, 127), p.exprs.u32(128));
        let base = p.exprs.bin(BinOp::Mul, b, c);
        let i = p.exprs.bin(BinOp::Add, base, tid);
        let (xi, yi) = (p.exprs.load(x, i, ScalarType::F32), p.exprs.load(y, i, ScalarType::F32));
        let ax = p.exprs.bin(BinOp::Mul, alpha, xi);
        let value = p.exprs.bin(BinOp::Add, ax, yi);
        vec![stmt(StmtKind::Assign { array: out, index: i, value })]
    });
    p
}

/// Sums 64 elements per block by a tree in shared memory.
fn tree() -> Program {
    let mut p = empty("sum_64", 64);
    let (x, n) = input(&mut p, "double", ScalarType::I32);
    let sixty_four = p.exprs.u32(64);
    let blocks = p.exprs.bin(BinOp::Div, n, sixty_four);
    let out = output(&mut p, "out", ScalarType::I32, blocks);
    let s0 = array(&mut p, "s0", ScalarType::I32, sixty_four, Space::Shared(Level::Block), Some(512));
    p.shared_bytes = 768;
    grid_loop(&mut p, blocks, |p, b| {
        let (tid, c, zero) = (p.exprs.special(Special::Tid, 63), p.exprs.u32(64), p.exprs.u32(0));
        let base = p.exprs.bin(BinOp::Mul, b, c);
        let i = p.exprs.bin(BinOp::Add, base, tid);
        let value = p.exprs.load(x, i, ScalarType::I32);
        let sync = || stmt(StmtKind::Sync { scope: Level::Block });
        let mut body = vec![stmt(StmtKind::Assign { array: s0, index: tid, value }), sync()];
        for half in [32, 16, 8, 4, 2, 1] {
            let h = p.exprs.u32(half);
            let (cond, other) = (p.exprs.bin(BinOp::Lt, tid, h), p.exprs.bin(BinOp::Add, tid, h));
            let (a, b) = (p.exprs.load(s0, tid, ScalarType::I32), p.exprs.load(s0, other, ScalarType::I32));
            let value = p.exprs.bin(BinOp::Add, a, b);
            let then = vec![stmt(StmtKind::Assign { array: s0, index: tid, value })];
            body.extend([stmt(StmtKind::If { cond, then, els: vec![] }), sync()]);
        }
        let cond = p.exprs.bin(BinOp::Eq, tid, zero);
        let value = p.exprs.load(s0, zero, ScalarType::I32);
        let then = vec![stmt(StmtKind::Assign { array: out, index: b, value })];
        body.extend([stmt(StmtKind::If { cond, then, els: vec![] }), sync()]);
        body
    });
    p
}

#[test]
fn launch_bounds_say_how_many_blocks_dynamic_memory_lets_in() {
    let mut p = saxpy();
    p.shared_bytes = 65536;
    assert!(print(&form(p)).contains("__launch_bounds__(128, 3) saxpy_128("));
}

#[test]
fn saxpy_reads_like_a_kernel() {
    let text = print(&form(saxpy()));
    let body = text.split("extern").nth(1).unwrap_or("");
    let expected = " \"C\" __global__ void __launch_bounds__(128) saxpy_128(
    float alpha,
    const float *__restrict__ x,
    unsigned int n_x,
    const float *__restrict__ y,
    unsigned int n_y,
    float *__restrict__ out)
{
    for (unsigned int b0 = blockIdx.x; b0 < n_x / 128u; b0 += gridDim.x) {
        out[b0 * 128u + threadIdx.x] = __fmul_rn(alpha, x[b0 * 128u + threadIdx.x]) + y[b0 * 128u + threadIdx.x];
    }
}
";
    // A division by 128 is a shift in the IR.
    assert_eq!(body, expected.replace("b0 < n_x / 128u", "b0 < (n_x >> 7)"));
}

#[test]
fn the_header_takes_arguments_and_tells_lengths() {
    let text = header(&form(saxpy()));
    let holds = |part: &str| assert!(text.contains(part), "no {part}\n{text}");
    holds("#ifndef OBSIDIAN_saxpy_128_H\n#define OBSIDIAN_saxpy_128_H\n");
    holds(
        "    saxpy_128_threads = 128,\n    saxpy_128_shared_bytes = 0,\n    saxpy_128_dynamic_shared_bytes = 0,\n    saxpy_128_arguments = 6\n",
    );
    let fields =
        "    float alpha;\n    const float *x;\n    unsigned int n_x;\n    const float *y;\n    unsigned int n_y;\n";
    holds(&format!("typedef struct saxpy_128_args {{\n{fields}    float *out;\n}} saxpy_128_args;\n"));
    holds("    list[5] = &args->out;\n}\n");
    holds("static inline int saxpy_128_accepts(const saxpy_128_args *args)\n{\n    (void)args;\n    return 1;\n}\n");
    holds("saxpy_128_blocks(const saxpy_128_args *args)\n{\n    return args->n_x >> 7;\n}\n");
    holds("saxpy_128_out_len(const saxpy_128_args *args)\n{\n    return args->n_x;\n}\n");
}

/// C has no `min`, and two headers may need the same helper; the text's helper for the device has another name.
#[test]
fn the_header_needs_nothing_else() {
    let mut p = saxpy();
    let (n, m) = (p.exprs.input_len(ParamId(1)), p.exprs.input_len(ParamId(2)));
    let lesser = p.exprs.bin(BinOp::Min, n, m);
    p.blocks = p.exprs.bin(BinOp::Div, lesser, m);
    let text = header(&form(p.clone()));
    let helper = "#ifndef OBSIDIAN_host_div_u32\n#define OBSIDIAN_host_div_u32\nstatic inline unsigned int host_div_u32(unsigned int a, unsigned int b)\n";
    assert!(text.contains(helper), "{text}");
    let blocks = "return host_div_u32(host_min_u32(args->n_x, args->n_y), args->n_y);";
    assert!(text.contains(blocks), "{text}");
    assert!(text.contains("    return a < b ? a : b;\n"), "{text}");
}

#[test]
fn phases_are_paragraphs_and_shared_arrays_lie_where_the_layout_says() {
    let text = print(&form(tree()));
    assert!(
        text.contains(
            "__shared__ __align__(128) unsigned char smem[768];\n    int *const s0 = (int *)(smem + 512);\n\n"
        ),
        "{text}"
    );
    assert!(text.contains("        __syncthreads();\n\n        if (threadIdx.x < 32u) {\n"), "{text}");
    assert!(text.contains("const int *__restrict__ double_"), "{text}");
    assert!(text.contains("(int)((unsigned int)s0[threadIdx.x] + (unsigned int)s0[threadIdx.x + 32u])"), "{text}");
    assert!(text.contains("// Shared memory: 768 bytes"), "{text}");
}

/// One expression over `a` and `b` of `ty`, as C.
fn show(ty: ScalarType, build: impl FnOnce(&mut Exprs, ExprId, ExprId) -> ExprId) -> String {
    let mut p = empty("k", 32);
    let (a, b) = (scalar(&mut p, "a", ty), scalar(&mut p, "b", ty));
    let id = build(&mut p.exprs, a, b);
    Printer::new(&p, &CUDA).code(id)
}

#[test]
fn signed_sums_wrap_without_losing_their_shape() {
    use ScalarType::{I8, I32, U16, U32};
    let sum = |e: &mut Exprs, a, b| {
        let s = e.bin(BinOp::Add, a, b);
        e.bin(BinOp::Mul, s, a)
    };
    assert_eq!(show(I32, sum), "(int)(((unsigned int)a + (unsigned int)b) * (unsigned int)a)");
    assert_eq!(show(U32, sum), "(a + b) * a");
    assert_eq!(show(I8, sum), "(signed char)((signed char)(a + b) * a)");
    assert_eq!(show(U16, |e, a, b| e.bin(BinOp::Mul, a, b)), "(unsigned short)((unsigned int)a * b)");
}

#[test]
fn shifts_are_masked_unless_their_count_is_known() {
    use ScalarType::{I32, U32};
    assert_eq!(show(U32, |e, a, b| e.bin(BinOp::Shl, a, b)), "a << (b & 31)");
    assert_eq!(show(I32, |e, a, b| e.bin(BinOp::Shl, a, b)), "(int)((unsigned int)a << (b & 31))");
    let by = |n: u32| {
        show(U32, |e, a, _| {
            let n = e.u32(n);
            e.bin(BinOp::Shr, a, n)
        })
    };
    assert_eq!(by(3), "a >> 3");
}

#[test]
fn divisions_are_guarded_unless_the_divisor_is_known() {
    use ScalarType::{I32, U32};
    assert_eq!(show(I32, |e, a, b| e.bin(BinOp::Div, a, b)), "div_i32(a, b)");
    assert_eq!(show(U32, |e, a, b| e.bin(BinOp::Rem, a, b)), "rem_u32(a, b)");
    let by = |n: i64| {
        show(I32, |e, a, _| {
            let n = e.constant(Const { ty: I32, bits: n as u64 });
            e.bin(BinOp::Div, a, n)
        })
    };
    assert_eq!(by(7), "a / 7");
    assert_eq!(by(-7), "a / -7");
    assert_eq!(by(-1), "div_i32(a, -1)");
}

#[test]
fn a_loop_whose_index_could_wrap_stops_at_its_end() {
    let mut p = empty("k", 32);
    let n = scalar(&mut p, "n", ScalarType::U32);
    let step = scalar(&mut p, "step", ScalarType::U32);
    let start = p.exprs.u32(0);
    let out = output(&mut p, "out", ScalarType::U32, n);
    let var = p.new_var("i", ScalarType::U32, false, Range::full(ScalarType::U32));
    let i = p.exprs.var(var);
    let body = vec![stmt(StmtKind::Assign { array: out, index: i, value: i })];
    p.body = vec![stmt(StmtKind::SeqFor { var, start, end: n, step, body })];
    let text = print(&form(p.clone()));
    assert!(text.contains("for (unsigned int i0 = 0u; i0 < n; i0 = n - i0 > step ? i0 + step : n) {"), "{text}");
}

#[test]
fn a_bound_that_the_body_may_change_is_taken_once() {
    let mut p = empty("k", 16);
    let one = p.exprs.u32(1);
    let zero = p.exprs.u32(0);
    let out = output(&mut p, "out", ScalarType::U32, one);
    let m = p.new_var("m", ScalarType::U32, true, Range::new(0, 9));
    let (var, unused) = (
        p.new_var("i", ScalarType::U32, false, Range::new(0, 9)),
        p.new_var("u", ScalarType::U32, false, Range::new(0, 9)),
    );
    let (m_value, i) = (p.exprs.var(m), p.exprs.var(var));
    let body = vec![
        stmt(StmtKind::Let { var: unused, value: i }),
        stmt(StmtKind::Set { var: m, value: i }),
        stmt(StmtKind::Sync { scope: Level::Warp }),
    ];
    p.body = vec![
        stmt(StmtKind::Local { var: m, init: Some(one) }),
        stmt(StmtKind::SeqFor { var, start: zero, end: m_value, step: one, body }),
        stmt(StmtKind::Assign { array: out, index: zero, value: m_value }),
    ];
    // `schedule` leaves no such loop; the printer is right for it all the same.
    let text = crate::backend::c::print(&p, &CUDA);
    assert!(text.contains("for (unsigned int i1 = 0u, i1_end = m0; i1 < i1_end; i1 += 1u) {"), "{text}");
    assert!(text.contains("__syncwarp(0xffffu);"), "{text}");
    assert!(!text.contains("u2"), "an unused binding would be a warning:\n{text}");
}

/// Every operation on every type, each into an element of an output; real compilers are given this text.
fn everything() -> Program {
    use crate::program::{AtomicOp, UnOp};
    use BinOp::{Add, And, Div, Max, Min, Mul, Or, Rem, Shl, Shr, Sub, Xor};
    let mut p = empty("everything", 32);
    let n = p.exprs.u32(64);
    for ty in ScalarType::ALL.into_iter().filter(|&t| t != ScalarType::Bool) {
        let name = |of: &str| format!("{of}_{}", ty.name());
        let (a, b) = (scalar(&mut p, &name("a"), ty), scalar(&mut p, &name("b"), ty));
        let out = output(&mut p, &name("out"), ty, n);
        let ops = if ty.is_float() {
            &[Add, Sub, Mul, Div, Rem, Min, Max][..]
        } else {
            &[Add, Sub, Mul, Div, Rem, Min, Max, And, Or, Xor, Shl, Shr][..]
        };
        let mut values: Vec<ExprId> = ops.iter().map(|&op| p.exprs.bin(op, a, b)).collect();
        let un = if ty.is_float() {
            &[UnOp::Neg, UnOp::Abs, UnOp::Sqrt, UnOp::Floor, UnOp::Ceil, UnOp::Trunc][..]
        } else {
            &[UnOp::Neg, UnOp::Abs, UnOp::Not][..]
        };
        values.extend(un.iter().map(|&op| p.exprs.un(op, a)));
        for from in ScalarType::ALL {
            let x = scalar(&mut p, &name(from.name()), from);
            values.push(p.exprs.cast(x, ty));
        }
        for (i, value) in values.into_iter().enumerate() {
            let index = p.exprs.u32(i as u32);
            p.body.push(stmt(StmtKind::Assign { array: out, index, value }));
        }
        let last = p.exprs.u32(63);
        let atomics = [AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::Exchange];
        for op in atomics.into_iter().filter(|op| op.takes(ty)) {
            p.body.push(stmt(StmtKind::Atomic { op, array: out, index: last, value: b, expected: None, old: None }));
        }
    }
    p
}

/// With `OBSIDIAN_PTX_OUT` set, `cargo xtask test` gives these to NVRTC.
#[test]
fn kernels_are_left_for_the_real_compilers() {
    let kernels = [saxpy(), tree(), everything()].map(|p| (p.name.clone(), print(&form(p.clone()))));
    assert!(kernels.iter().all(|(name, text)| text.contains(&format!("{name}(\n")) && !text.contains("#include")));
    if let Some(dir) = std::env::var_os("OBSIDIAN_PTX_OUT") {
        for (name, text) in kernels {
            let path = std::path::Path::new(&dir).join(format!("cuda_unit_{name}.cu"));
            assert!(std::fs::write(&path, text).is_ok(), "cannot write a kernel to the folder of OBSIDIAN_PTX_OUT");
        }
    }
}
