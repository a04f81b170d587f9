//! What the keys of `#[kernel(..)]` do to the texts: targets, fast math, names of variants, limits.

use obsidian_ir::backend::{cuda, opencl, ptx};
use obsidian_ir::diag::Diagnostic;
use obsidian_ir::program;
use obsidian_lang::driver::{Compiled, compile};
use obsidian_lang::syntax::SpanTable;

fn compiled(text: &str) -> Result<Vec<Compiled>, Vec<Diagnostic>> {
    compile(text.parse().expect("tokens"), &mut SpanTable::default())
}

/// IR, PTX and CUDA C of the one kernel of a text.
fn texts(text: &str) -> [String; 3] {
    let entries = compiled(text).unwrap_or_else(|e| panic!("{e:?}"));
    let v = &entries[0].variants[0];
    [program::print(&v.native), ptx::print(&v.machine), cuda::print(&v.machine)]
}

const BODY: &str = "pub fn f(a: DPull<f32>, b: DPull<f32>) -> DPush<Grid, (f32, f32, f32, f32)> {
    a.zip(b).map(|p| (p.0 * p.1 + 1.5, 2.0 - p.0 * p.0, p.0 / p.1, p.0.sqrt())).split_up(64).as_grid_map(|c| c.push())
}";

fn with(keys: &str) -> [String; 3] {
    texts(&format!("#[kernel(threads = 64{keys})] {BODY}"))
}

#[test]
fn the_target_is_in_the_ptx_and_in_a_comment_of_the_cuda_c() {
    let [_, plain, cuda] = with("");
    assert!(plain.contains(".version 7.0\n.target sm_70\n") && !cuda.contains("Target"));
    let [_, ptx, cuda] = with(", target = \"sm_90\"");
    assert!(ptx.contains(".version 7.8\n.target sm_90\n"), "{ptx}");
    assert!(cuda.contains("// Target: sm_90 or later."), "{cuda}");
}

#[test]
fn fast_math_changes_the_gpus_texts_and_nothing_else() {
    let (exact, fast) = (with(""), with(", fast_math"));
    assert_eq!(exact[0], fast[0].replacen(", math = fast)", ")", 1), "the program is the same but for its head");
    for text in ["fma.rn.f32", "div.approx.ftz.f32", "sqrt.approx.ftz.f32"] {
        assert!(fast[1].contains(text) && !exact[1].contains(text), "{text} in {}", fast[1]);
    }
    for text in ["fast_div(", "fast_sqrt(", "// Fast math"] {
        assert!(fast[2].contains(text) && !exact[2].contains(text), "{text} in {}", fast[2]);
    }
    for text in ["__fmul_rn(", "__fsqrt_rn("] {
        assert!(exact[2].contains(text) && !fast[2].contains(text), "{text} in {}", fast[2]);
    }
}

#[test]
fn reciprocals_are_instructions_and_the_report_says_what_is_approximated() {
    let of = |keys: &str, value: &str| {
        let text = format!(
            "#[kernel(threads = 64{keys})] pub fn f(x: DPull<f32>) -> DPush<Grid, f32> {{
                x.map(|v| {value}).split_up(64).as_grid_map(|c| c.push())
            }}"
        );
        let variant = compiled(&text).unwrap_or_else(|e| panic!("{e:?}")).swap_remove(0).variants.swap_remove(0);
        let (ptx, cuda) = (ptx::print(&variant.machine), cuda::print(&variant.machine));
        (ptx, cuda, opencl::print(&variant.group), variant.report)
    };
    for (value, instruction, native, said) in [
        ("exp(v)", "ex2.approx.ftz.f32", "native_exp2(a)", "exp2"),
        ("log10(v)", "lg2.approx.ftz.f32", "native_log2(a)", "log2"),
        ("sin(v)", "sin.approx.ftz.f32", "native_sin(a)", "sin"),
        ("cos(v)", "cos.approx.ftz.f32", "native_cos(a)", "cos"),
        ("recip(v)", "rcp.approx.ftz.f32", "native_recip(a)", "1 / x"),
        ("rsqrt(v)", "rsqrt.approx.ftz.f32", "native_rsqrt(a)", "1 / sqrt(x)"),
        ("sqrt(v)", "sqrt.approx.ftz.f32", "native_sqrt(a)", "sqrt"),
        ("2.0 / v", "div.approx.ftz.f32", "native_divide(a, b)", "/"),
    ] {
        let (ptx, cuda, opencl, report) = of(", fast_math", value);
        assert!(ptx.contains(instruction) && opencl.contains(native), "{ptx}{opencl}");
        assert!(cuda.contains(instruction), "{cuda}");
        assert_eq!(report.approximated, [said]);
        assert!(report.to_string().contains(&format!("\napproximated   on a GPU, of f32: {said}\n")), "{report}");
        let (ptx, cuda, opencl, report) = of("", value);
        assert!([ptx, cuda, opencl].iter().all(|text| !text.contains("approx") && !text.contains("native")));
        assert!(report.approximated.is_empty());
    }
}

#[test]
fn a_gpus_own_functions_are_taken_where_it_has_them_and_nothing_of_a_launch_depends_on_it() {
    let of = |keys: &str, body: &str| {
        let text =
            format!("#[kernel(threads = 64{keys})] pub fn f(x: DPull<f32>, s: f32) -> DPush<Grid, f32> {{ {body} }}");
        let [_, ptx, _] = texts(&text);
        ptx
    };
    let tanh = "x.map(|v| tanh(v)).split_up(64).as_grid_map(|c| c.push())";
    assert!(of(", fast_math, target = \"sm_75\"", tanh).contains("tanh.approx.f32"));
    assert!(!of(", fast_math", tanh).contains("tanh.approx"), "sm_70 has none");
    // The host computes the length too, so it is exact.
    let taken = of(", fast_math", "x.take(exp(s) as u32 * 64).map(|v| exp(v)).split_up(64).as_grid_map(|c| c.push())");
    assert_eq!(taken.matches("ex2.approx").count(), 1, "{taken}");
    // Doubles have no such functions; 16-bit floats go by way of f32.
    let double = of(", fast_math", "x.map(|v| exp(v as f64) as f32).split_up(64).as_grid_map(|c| c.push())");
    assert!(!double.contains("ex2"), "{double}");
    let half = of(", fast_math", "x.map(|v| exp(v as f16) as f32).split_up(64).as_grid_map(|c| c.push())");
    assert_eq!(half.matches("ex2.approx").count(), 1, "{half}");
}

#[test]
fn doubles_are_contracted_but_not_approximated() {
    let body = BODY.replace("f32", "f64");
    let [_, ptx, _] = texts(&format!("#[kernel(threads = 64, fast_math)] {body}"));
    assert!(ptx.contains("fma.rn.f64") && ptx.contains("div.rn.f64") && ptx.contains("sqrt.rn.f64"), "{ptx}");
}

#[test]
fn a_product_that_is_used_twice_is_computed_once() {
    let text = "#[kernel(threads = 64, fast_math)] pub fn f(a: DPull<f32>) -> DPush<Grid, (f32, f32)> {
        a.map(|x| (x * x + 1.0, x * x)).split_up(64).as_grid_map(|c| c.push())
    }";
    let [_, ptx, _] = texts(text);
    assert_eq!((ptx.matches("mul.rn.f32").count(), ptx.matches("fma").count()), (1, 0), "{ptx}");
}

/// A reduction of 256: arrays of 128, 64, .. in shared memory, a barrier after each.
const REDUCTION: &str = "pub fn sum(input: DPull<i32>) -> DPush<Grid, i32> {
    input.split_up(256).as_grid_map(|c| exec_block(c.reduce(|a, b| a + b)))
}";

fn codes(text: &str) -> Vec<&'static str> {
    compiled(text).map_or_else(|e| e.iter().map(|e| e.code).collect(), |_| Vec::new())
}

#[test]
fn limits_are_the_least_that_hold() {
    let entries = compiled(&format!("#[kernel(threads = 64)] {REDUCTION}")).unwrap();
    let program = &entries[0].variants[0].machine;
    let shared = program.shared_bytes;
    let barriers = program::print(program).matches("sync Block").count();
    assert!(shared > 0 && barriers > 1);
    let limited = |limit: &str, n: usize| codes(&format!("#[kernel(threads = 64, deny({limit} = {n}))] {REDUCTION}"));
    assert!(limited("max_shared", shared as usize).is_empty() && limited("max_barriers", barriers).is_empty());
    assert_eq!(limited("max_shared", shared as usize - 1), ["OB042"]);
    assert_eq!(limited("max_barriers", barriers - 1), ["OB042"]);
}

/// A tile whose columns are read, and a gather: what each denial is about, and nothing else.
#[test]
fn costs_are_denied_where_they_are() {
    let tile = |denied: &str, store: &str| {
        codes(&format!(
            "#[kernel(threads = 256, deny({denied}))] pub fn f(x: DPull<f32>) -> DPush<Grid, f32> {{
                x.split_up(1024).as_grid_map(|c| exec_block(c.{store}.reshape(32, 32).transpose().flatten().push()))
            }}"
        ))
    };
    assert_eq!(tile("bank_conflicts", "compute()"), ["OB043"]);
    assert!(tile("uncoalesced, guards", "compute()").is_empty());
    assert!(tile("bank_conflicts, uncoalesced, guards", "compute_padded(1)").is_empty());
    let gather = |denied: &str| {
        codes(&format!(
            "#[kernel(threads = 64, deny({denied}))] pub fn f(at: DPull<u32>, x: DPull<f32>) -> DPush<Grid, f32> {{
                at.split_up(64).as_grid_map(|c| c.map(|i| x[i]).push())
            }}"
        ))
    };
    assert_eq!([gather("uncoalesced"), gather("guards")], [["OB044"], ["OB045"]]);
    assert!(gather("bank_conflicts").is_empty());
    assert_eq!(gather("guards = 1"), ["OB004"]);
    assert!(gather("local_memory").is_empty());
}

#[test]
fn a_mistake_of_several_variants_is_reported_once() {
    let text = "#[kernel(threads = [32, 64], N = [3, 4, 5, 8])]
    pub fn f<const N: u32>(input: Pull<i32, 64>) -> Push<Grid, i32> {
        input.split_up(N).as_grid_map(|c| c.push())
    }
    #[kernel]
    pub fn g(input: Pull<i32, 64>) -> Push<Grid, i32> {
        input.split_up(7).as_grid_map(|c| c.push())
    }";
    let errors = compiled(text).unwrap_err();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown[0].contains("in the variant `N = 3`") && !shown[1].contains("variant"), "{shown:#?}");
}

#[test]
fn names_of_variants_hold_what_differs() {
    let text = "#[kernel(threads = [32, 64], N = [4, 8], K = -2, F = [true, false])]
    pub fn f<const N: u32, const K: i32, const F: bool>(input: Pull<i32, N>) -> Push<Grid, i32> {
        singleton(input).as_grid_map(|c| c.map(|x| if F { x + K } else { x }).push())
    }";
    let entries = compiled(text).unwrap();
    let names: Vec<&str> = entries[0].variants.iter().map(|v| v.machine.name.as_str()).collect();
    assert_eq!(names[..3], ["f_t32_N_4_F_true", "f_t64_N_4_F_true", "f_t32_N_4_F_false"]);
    assert_eq!(names.len(), 8);
}

/// The keys that a help names, in the attribute's place.
fn advised(help: &str) -> &str {
    let (_, keys) = help.split_once("allow more: `").unwrap_or_else(|| panic!("no keys: {help}"));
    keys.split('`').next().unwrap_or_default()
}

#[test]
fn the_keys_that_allow_more_shared_memory_compile_and_print_it_as_dynamic() {
    let with = |elements: u32, keys: &str| {
        compiled(&format!(
            "#[kernel(threads = 64{keys})] pub fn f(x: DPull<i32>) -> DPush<Grid, i32> {{
                x.split_up({elements}).as_grid_map(|c| {{
                    let a = c.compute();
                    a.zip_with(a.reverse().compute(), |x, y| x * y).push()
                }})
            }}"
        ))
    };
    for (elements, target) in [(8192, "sm_70"), (16384, "sm_80"), (24576, "sm_90")] {
        let errors = with(elements, "").expect_err("too much");
        let help = errors[0].help.as_deref().expect("a help");
        let keys = advised(help);
        let entries = with(elements, &format!(", {keys}")).unwrap_or_else(|e| panic!("{keys}: {e:?}"));
        let machine = &entries[0].variants[0].machine;
        let (ptx, cuda, bytes) = (ptx::print(machine), cuda::print(machine), 8 * elements);
        assert!(ptx.contains(&format!(".target {target}\n")) && ptx.contains(".extern .shared .align 128 .b8 smem[];"));
        assert!(cuda.contains("extern __shared__ __align__(128) unsigned char smem[];"), "{cuda}");
        let header = cuda::header(machine);
        assert!(header.contains(&format!("_dynamic_shared_bytes = {bytes},")), "{header}");
    }
    let static_most = compiled(
        "#[kernel] pub fn f(x: DPull<i32>) -> DPush<Grid, i32> {
        x.split_up(12288).as_grid_map(|c| c.compute().reverse().push())
    }",
    );
    let machine = &static_most.unwrap_or_else(|e| panic!("{e:?}"))[0].variants[0].machine;
    assert!(ptx::print(machine).contains("    .shared .align 128 .b8 smem[49152];"));
    assert!(cuda::header(machine).contains("_dynamic_shared_bytes = 0,"));
    let none = with(32768, ", shared = 1000000, target = \"sm_90\"").expect_err("no GPU has it");
    assert!(none[0].help.as_deref().is_some_and(|help| !help.contains("allow more")), "{none:?}");
}

#[test]
fn variants_are_counted_after_where() {
    let entry = |keys: &str| {
        let lists = "N = [1, 2, 3, 4, 5, 6, 7, 8], M = [1, 2, 3, 4, 5, 6, 7, 8]";
        compiled(&format!(
            "#[kernel(threads = [32, 64, 96, 128, 160], {lists}{keys})]
             pub fn f<const N: u32, const M: u32>(a: DPull<u8>) -> DPush<Grid, u8> {{
                 a.map(|x| x + 1).split_up(N * M).as_grid_map(|c| c.push())
             }}"
        ))
    };
    let refused = |keys: &str| {
        let e = entry(keys).unwrap_err().remove(0);
        assert_eq!(e.code, "OB017");
        (e.message, e.notes.join(""), e.help.unwrap())
    };
    let (message, note, help) = refused("");
    assert_eq!(message, "this entry would have 320 variants");
    assert!(note.contains("at most 256") && help.contains("max_variants = 320"), "{note} {help}");
    let (message, note, _) = refused(", where(N == M), max_variants = 39");
    assert!(message.contains("40 variants") && note.contains("at most 39"), "{message} {note}");
    assert_eq!(entry(", where(N == M), max_variants = 40").unwrap()[0].variants.len(), 40);
    assert_eq!(entry(", where(N == M && threads == 32)").unwrap()[0].variants.len(), 8);
}

#[test]
fn a_block_takes_what_the_author_says() {
    let native = |keys: &str, result: &str| {
        let text = format!("#[kernel(threads = 64{keys})] pub fn f(x: DPull<f32>) -> DPush<Grid, f32> {{ {result} }}");
        compiled(&text).map(|kernels| program::print(&kernels[0].variants[0].native))
    };
    let chosen = native("", "x.push()").expect("a kernel");
    assert!(chosen.contains("(len(x) >> 9) + min(len(x) & 511, 1)"), "{chosen}");
    let said = native(", per_block = 1000", "x.push()").expect("a kernel");
    assert!(said.contains("(len(x) / 1000) + min(len(x) % 1000, 1)"), "{said}");
    let by_hand = "x.split_up(64).as_grid_map(|c| c.push())";
    for (keys, result) in [(", per_block = 1000", by_hand), (", per_block = 0", "x.push()")] {
        let found = native(keys, result).expect_err("it is refused");
        assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), ["OB004"], "{keys} {result}: {found:?}");
    }
}
