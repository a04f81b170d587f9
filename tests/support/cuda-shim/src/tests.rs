//! The shim on kernels written by hand: what a barrier, a shuffle, an atomic and a conversion do, and which faults are
//! reported.

use std::path::PathBuf;

use super::*;

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("obsidian-cuda-shim-{}-{name}", std::process::id()))
}

/// Runs one kernel on one block; `None` without a compiler.
fn run(engine: Engine, name: &str, code: &str, launch: Launch, mut arguments: Vec<Argument>) -> Option<Ran> {
    let compiler = match Compiler::find() {
        Ok(compiler) => compiler,
        Err(why) => {
            println!("SKIP: {why}");
            return None;
        }
    };
    let folder = folder(name);
    let program =
        Program::build(&compiler, &folder, engine, &[Text { symbol: "k", code }]).unwrap_or_else(|f| panic!("{f}"));
    let mut process = program.start().expect("starts");
    let end = process.launch(0, &launch, &mut arguments);
    let said = process.finish().unwrap_or_else(|fault| fault.to_string());
    let _ = std::fs::remove_dir_all(folder);
    Some(Ran { end, arguments, said })
}

struct Ran {
    end: Result<(), Fault>,
    arguments: Vec<Argument>,
    said: String,
}

fn block(threads: u32, order: Order) -> Launch {
    Launch { grid: 1, run: 0..1, threads, shared: 0, order }
}

fn words(values: impl IntoIterator<Item = u32>) -> Argument {
    Argument::Buffer(values.into_iter().flat_map(u32::to_ne_bytes).collect())
}

const REVERSED: &str = "
extern \"C\" __global__ void __launch_bounds__(64) k(unsigned int *__restrict__ out) {
    __shared__ __align__(128) unsigned char smem[256];
    unsigned int *const s = (unsigned int *)(smem + 0);
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63u - threadIdx.x];
}
";

#[test]
fn a_barrier_is_waited_at_and_a_missing_one_shows_in_some_order() {
    let expected = words((0..64).rev());
    let mut right = [0, 0];
    for (i, order) in [Order::Ascending, Order::Descending].into_iter().enumerate() {
        let Some(ran) = run(Engine::Fibres, "rev", REVERSED, block(64, order), vec![words([7; 64])]) else { return };
        assert_eq!((ran.end, &ran.arguments[0]), (Ok(()), &expected));
        let dropped = REVERSED.replace("    __syncthreads();\n", "");
        let Some(ran) = run(Engine::Fibres, "dropped", &dropped, block(64, order), vec![words([7; 64])]) else {
            return;
        };
        right[i] = usize::from(ran.arguments[0] == expected);
    }
    assert_eq!(right, [0, 0], "each order reads some elements too early");
}

#[test]
fn thread_sanitizer_reports_a_missing_barrier_only() {
    let Some(ran) = run(Engine::Threads, "tsan", REVERSED, block(64, Order::Ascending), vec![words([7; 64])]) else {
        return;
    };
    assert_eq!((ran.end, ran.arguments, ran.said), (Ok(()), vec![words((0..64).rev())], String::new()));
    let dropped = REVERSED.replace("    __syncthreads();\n", "");
    let Some(ran) = run(Engine::Threads, "raced", &dropped, block(64, Order::Ascending), vec![words([7; 64])]) else {
        return;
    };
    assert!(ran.said.contains("data race") && ran.said.contains("k.cu:"), "{}", ran.said);
}

#[test]
fn a_sanitizer_names_the_lines_that_the_text_tells() {
    let load = "\n#line 4 \"kernels/sums.rs\"\ns[63u - threadIdx.x]\n#line 6 \"kernels/sums.rs\"\n";
    let told = REVERSED.replace("    s[threadIdx.x] =", "#line 3 \"kernels/sums.rs\"\n    s[threadIdx.x] =").replace(
        "    out[threadIdx.x] = s[63u - threadIdx.x]",
        &format!("#line 6 \"kernels/sums.rs\"\n    out[threadIdx.x] = {load}"),
    );
    let launch = || block(64, Order::Ascending);
    let Some(ran) = run(Engine::Threads, "told", &told, launch(), vec![words([7; 64])]) else { return };
    assert_eq!((ran.end, ran.arguments, ran.said), (Ok(()), vec![words((0..64).rev())], String::new()));
    let dropped = told.replace("    __syncthreads();\n", "");
    let Some(ran) = run(Engine::Threads, "told_raced", &dropped, launch(), vec![words([7; 64])]) else { return };
    assert!(ran.said.contains("data race"), "{}", ran.said);
    // The read has a line of its own, though its statement is of line 6.
    assert!(ran.said.contains("sums.rs:3") && ran.said.contains("sums.rs:4"), "{}", ran.said);
    assert!(!ran.said.contains("k.cu:"), "{}", ran.said);
}

#[test]
fn divergence_and_stray_writes_are_complained_of() {
    let complaint = |name: &str, body: &str| {
        let code = format!("extern \"C\" __global__ void k(unsigned int *out) {{\n{body}\n}}\n");
        let ran = run(Engine::Fibres, name, &code, block(64, Order::Ascending), vec![words([0; 64])])?;
        match ran.end {
            Err(Fault::Kernel(text)) => Some(text),
            other => panic!("{name}: {other:?}"),
        }
    };
    let Some(text) = complaint("half", "if (threadIdx.x < 40u) __syncthreads();\nout[threadIdx.x] = 1u;") else {
        return;
    };
    assert!(text.contains("ended"), "{text}");
    let text = complaint("two", "if (threadIdx.x < 40u) __syncthreads();\nelse\n__syncthreads();\nout[0] = 1u;");
    assert!(text.is_some_and(|t| t.contains("another barrier than thread 0: block 0, thread 40, line 4")));
    let text = complaint("lanes", "if (threadIdx.x != 3u) __syncwarp();\nout[0] = 1u;");
    assert!(text.is_some_and(|t| t.contains("waits for lanes that do not come: block 0, thread 0, line 2")));
    let text = complaint("stray", "out[threadIdx.x + 1u] = 1u;");
    assert_eq!(text.as_deref(), Some("writes beside argument 0\n"));
}

#[test]
fn lanes_read_lanes() {
    let code = "
extern \"C\" __global__ void k(unsigned int *out) {
    const unsigned int t = threadIdx.x;
    out[t] = __shfl_sync(0xffffffffu, t, 5);
    out[64u + t] = __shfl_xor_sync(0xffffffffu, t, 1);
    out[128u + t] = __shfl_up_sync(0xffffffffu, t, 2);
    out[192u + t] = __shfl_down_sync(0xffffffffu, t, 2);
    out[256u + t] = __ballot_sync(0xffffffffu, t % 2u == 0u);
    out[320u + t] = __reduce_add_sync(0xffffffffu, t);
    out[384u + t] = __any_sync(0xffffffffu, t == 40u) + 2 * __all_sync(0xffffffffu, t > 31u);
}
";
    for order in [Order::Ascending, Order::Descending] {
        let Some(ran) = run(Engine::Fibres, "shuffles", code, block(64, order), vec![words([9; 448])]) else { return };
        let lane = |f: fn(u32, u32) -> u32| (0..64).map(move |t| f(t / 32 * 32, t % 32));
        let expected = lane(|warp, _| warp + 5)
            .chain(lane(|warp, l| warp + (l ^ 1)))
            .chain(lane(|warp, l| warp + if l < 2 { l } else { l - 2 }))
            .chain(lane(|warp, l| warp + if l > 29 { l } else { l + 2 }))
            .chain(lane(|_, _| 0x5555_5555))
            .chain(lane(|warp, _| warp * 32 + 496))
            .chain(lane(|warp, _| if warp == 0 { 0 } else { 3 }));
        assert_eq!((ran.end, &ran.arguments[0]), (Ok(()), &words(expected)));
    }
}

/// Every `f16` is its own image, and roundings lie at the ties that IEEE 754 names.
#[test]
fn halves_are_converted() {
    let code = "
static __device__ float wide(unsigned short x)
{
    float y;
    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x));
    return y;
}
static __device__ unsigned short narrow(float x)
{
    unsigned short y;
    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x));
    return y;
}
extern \"C\" __global__ void k(unsigned int *all, const unsigned int *x, unsigned int *out) {
    for (unsigned int i = 0; i < 65536u; i++) all[i] = narrow(wide((unsigned short)i));
    for (unsigned int i = 0; i < 8u; i++) out[i] = narrow(__uint_as_float(x[i]));
}
";
    let singles = [1.0f32, 65504.0, 65519.99, 65520.0, 2049.0, 2051.0, -5.9604645e-8, 2.9802322e-8].map(f32::to_bits);
    let arguments = vec![words(std::iter::repeat_n(0, 65536)), words(singles), words([0; 8])];
    let Some(ran) = run(Engine::Fibres, "halves", code, block(1, Order::Ascending), arguments) else { return };
    let is_nan = |i: u32| i & 0x7fff > 0x7c00;
    assert_eq!(ran.arguments[0], words((0..65536).map(|i| if is_nan(i) { 0x7fff } else { i })));
    assert_eq!(ran.arguments[2], words([0x3c00, 0x7bff, 0x7bff, 0x7c00, 0x6800, 0x6802, 0x8001, 0]));
}
