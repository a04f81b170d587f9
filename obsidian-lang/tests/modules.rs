//! Entries at `Device`: what they mean, by the interpreter, for lengths around every tile.

#[path = "modules/control.rs"]
mod control;

use obsidian_ir::interp::{Args, Fault, Outputs, module};
use obsidian_lang::driver::{ModuleVariant, compile_all};
use obsidian_lang::syntax::SpanTable;

/// The first variant of each entry of a text.
fn compiled(text: &str) -> Vec<ModuleVariant> {
    let entries = compile_all(text.parse().unwrap(), &mut SpanTable::default()).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(entries.kernels.is_empty(), "these are at `Device`");
    entries.modules.into_iter().map(|entry| entry.variants.into_iter().next().unwrap()).collect()
}

fn run(text: &str, args: &Args) -> Result<Outputs, Fault> {
    module::run(&compiled(text)[0].module, args)
}

/// Around the tiles of reductions (4096), scans (8192, of pairs 4096) and of what the compiler shares out (1024 and 2048).
const LENGTHS: [usize; 14] = [1, 2, 31, 257, 1023, 2047, 2048, 2049, 4096, 4097, 8191, 8192, 8193, 10_007];

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

/// Affine maps, one after the other: associates and does not commute.
fn after(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
    (f.0.wrapping_mul(g.0), f.1.wrapping_mul(g.0).wrapping_add(g.1))
}

fn maps(n: usize) -> Vec<(u32, u32)> {
    let x = numbers(n);
    x.iter().map(|&a| (a | 1, a >> 3)).collect()
}

fn pairs(all: &[(u32, u32)]) -> Args {
    let (a, b): (Vec<u32>, Vec<u32>) = all.iter().copied().unzip();
    Args::new().buffers(vec![a.into(), b.into()])
}

fn unzipped(out: &Outputs) -> Vec<(u32, u32)> {
    let fields = &out.0[0];
    let [a, b] = [0, 1].map(|i| fields[i].to_vec::<u32>().unwrap());
    a.into_iter().zip(b).collect()
}

const REDUCED: &str = "#[kernel(threads = 64)]
    pub fn composed(fs: DPull<(u32, u32)>) -> Program<Device, Pull<(u32, u32)>> {
        reduce(fs, |f, g| (f.0 * g.0, f.1 * g.0 + g.1))
    }";

#[test]
fn reductions_keep_the_order() {
    let module = &compiled(REDUCED)[0].module;
    for n in LENGTHS {
        let maps = maps(n);
        let expected = maps.iter().copied().reduce(after).unwrap();
        assert_eq!(unzipped(&module::run(module, &pairs(&maps)).unwrap()), [expected], "{n} elements");
    }
}

#[test]
fn nothing_has_no_sum() {
    let refused = run(REDUCED, &pairs(&[]));
    let message = "the length of `fs` must be at least 1".to_string();
    assert_eq!(refused, Err(Fault::Refused { message, found: 0 }));
}

#[test]
fn scans_keep_the_order() {
    let text = "#[kernel(threads = 64)]
        pub fn scanned(fs: DPull<(u32, u32)>) -> Program<Device, DPull<(u32, u32)>> {
            scan(fs, |f, g| (f.0 * g.0, f.1 * g.0 + g.1))
        }";
    let module = &compiled(text)[0].module;
    for n in [0].into_iter().chain(LENGTHS) {
        let maps = maps(n);
        let mut sum = None;
        let expected = maps.iter().map(|&f| *sum.insert(sum.map_or(f, |before| after(before, f))));
        let expected: Vec<_> = expected.collect();
        assert_eq!(unzipped(&module::run(module, &pairs(&maps)).unwrap()), expected, "{n} elements");
    }
}

#[test]
fn keys_are_counted() {
    let text = "#[kernel(threads = 64)]
        pub fn counts(keys: DPull<u32>) -> Program<Device, Pull<u32>> { histogram(keys.map(|k| k % 60), 60) }";
    let module = &compiled(text)[0].module;
    for n in [0, 1, 257, 16_383, 16_384, 16_385, 40_000] {
        let keys = numbers(n);
        let mut expected = vec![0u32; 60];
        keys.iter().for_each(|k| expected[(k % 60) as usize] += 1);
        let out = module::run(module, &Args::new().buffer(keys)).unwrap();
        assert_eq!(out.to_vec::<u32>(0).unwrap(), expected, "{n} keys");
    }
}

#[test]
fn what_is_not_computed_fuses() {
    let text = "#[kernel(threads = 64)]
        pub fn mixed(xs: DPull<u32>, k: u32) -> Program<Device, (DPull<u32>, DPush<Grid, u32>, u32)> {
            let ys = non_empty(xs).map(|x| x * k).compute();
            let zs = ys.zip_with(ys.reverse(), |a, b| a + b);
            (zs.compute(), zs.map(|z| z + xs.len()).push(), ys[0] + k)
        }";
    let module = &compiled(text)[0].module;
    assert_eq!(module.steps.len(), 3, "two that are asked for, and one for what is returned delayed");
    for n in [1, 257, 5000] {
        let xs = numbers(n);
        let ys: Vec<u32> = xs.iter().map(|x| x.wrapping_mul(7)).collect();
        let zs: Vec<u32> = ys.iter().zip(ys.iter().rev()).map(|(a, b)| a.wrapping_add(*b)).collect();
        let out = module::run(module, &Args::new().buffer(xs).scalar(7u32)).unwrap();
        assert_eq!(out.to_vec::<u32>(0).unwrap(), zs);
        assert_eq!(out.to_vec::<u32>(1).unwrap(), zs.iter().map(|z| z.wrapping_add(n as u32)).collect::<Vec<_>>());
        assert_eq!(out.to_vec::<u32>(2).unwrap(), [ys[0].wrapping_add(7)]);
    }
}

#[test]
fn one_kernel_serves_equal_launches() {
    let text = "#[kernel]
        pub fn variance(xs: DPull<f32>) -> Program<Device, f32> {
            let n = xs.len() as f32;
            let mean = reduce(xs, |a, b| a + b).first() / n;
            reduce(xs.map(|x| (x - mean) * (x - mean)), |a, b| a + b).first() / n
        }";
    let module = &compiled(text)[0].module;
    assert_eq!((module.steps.len(), module.kernels.len()), (5, 4), "the second stage of both sums is one kernel");
    let xs: Vec<f32> = (0..10_000).map(|i| (i % 17) as f32).collect();
    let out = module::run(module, &Args::new().buffer(xs.clone())).unwrap().to_vec::<f32>(0).unwrap();
    let mean = xs.iter().map(|&x| f64::from(x)).sum::<f64>() / 1e4;
    let expected = xs.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / 1e4;
    assert!((f64::from(out[0]) - expected).abs() < 1e-3, "{out:?} against {expected}");
}

/// The first array is written by all threads, the second by the first of each block.
#[test]
fn one_launch_stores_two_arrays() {
    let text = "#[kernel(threads = 64)] pub fn k(xs: DPull<u32>) -> Program<Device, (DPull<u32>, DPull<(u32, u32)>)> {
        let parts = xs.len() / 64;
        let (a, b) = compute_two(64 * parts, parts, |write, rest| distr_par(parts, |p| {
            for_all(64, |i| write(xs[64 * p + i] + p, 64 * p + i));
            for_all(1, |_i| rest((xs[64 * p], p), p))
        }));
        (a.map(|x| x + 1), b)
    }";
    let module = &compiled(text)[0].module;
    for n in [0, 63, 64, 129, 4096] {
        let xs = numbers(n);
        let out = module::run(module, &Args::new().buffer(xs.clone())).unwrap();
        let parts = xs.chunks_exact(64).zip(0..);
        let first: Vec<u32> = parts.clone().flat_map(|(part, p)| part.iter().map(move |x| x + p + 1)).collect();
        assert_eq!(out.to_vec::<u32>(0).unwrap(), first, "{n} elements");
        let (heads, places): (Vec<u32>, Vec<u32>) = parts.map(|(part, p)| (part[0], p)).unzip();
        let found = &out.0[1];
        assert_eq!([0, 1].map(|i| found[i].to_vec::<u32>().unwrap()), [heads, places], "{n} elements");
    }
}

/// What is seen of operators decides how what is before a tile of a scan is grouped.
#[test]
fn only_exact_operations_regroup() {
    let seen = |ty: &str, f: &str| {
        let text = format!(
            "#[kernel] pub fn k(xs: DPull<{ty}>) -> Program<Device, Pull<u32>> {{ let yes = regroups(xs, {f}); mk_pull(1, |_i| if yes {{ 1u32 }} else {{ 0 }}) }}"
        );
        let module = &compiled(&text)[0].module;
        let none: Args = if ty == "(u32, i64)" {
            Args::new().buffers(vec![Vec::<u32>::new().into(), Vec::<i64>::new().into()])
        } else if ty == "f32" {
            Args::new().buffer(Vec::<f32>::new())
        } else {
            Args::new().buffer(Vec::<u32>::new())
        };
        module::run(module, &none).unwrap().to_vec::<u32>(0).unwrap() == [1]
    };
    for f in ["|a, b| a + b", "|a, b| b * a", "|a, b| a & b", "|a, b| a | b", "|a, b| a ^ b", "|a, b| min(b, a)", "max"]
    {
        assert!(seen("u32", f), "{f}");
    }
    let others = [
        "|a, b| a - b",
        "|a, b| a + b + 1",
        "|a, b| a",
        "|a, b| a + a",
        "|a, b| a / b",
        "|a, b| if a < b { b } else { a }",
    ];
    for f in others {
        assert!(!seen("u32", f), "{f}");
    }
    for f in ["|a, b| a + b", "|a, b| a * b", "|a, b| min(a, b)", "|a, b| max(a, b)"] {
        assert!(!seen("f32", f), "{f} of floats");
    }
    assert!(seen("(u32, i64)", "|a, b| (a.0 + b.0, max(a.1, b.1))"));
    assert!(!seen("(u32, i64)", "|a, b| (a.0 + b.0, a.1)"));
}

/// Keys with two highest digits far apart: where the one ends in a tile and the other begins lie more digits of tiles, all without
/// elements, than a block holds at hand.
#[test]
fn sorts_reach_over_digits_without_elements() {
    let text = "#[kernel] pub fn k(xs: DPull<u32>) -> Program<Device, DPull<u32>> { sort(xs) }";
    let module = &compiled(text)[0].module;
    let mut xs: Vec<u32> = numbers(12_000).iter().map(|x| ((x % 2 * 255) << 24) | (x % 251)).collect();
    let out = module::run(module, &Args::new().buffer(xs.clone())).unwrap();
    xs.sort_unstable();
    assert!(out.to_vec::<u32>(0).unwrap() == xs);
}

/// Of a third the marks lie close, so that each finds its place; of a 97th each place looks for its mark.
#[test]
fn marks_that_lie_close_and_far_are_found() {
    for every in [3, 97] {
        let text = format!(
            "#[kernel] pub fn k(xs: DPull<u32>) -> Program<Device, DPull<u32>> {{ filter(xs, |x| x % {every} == 0) }}"
        );
        let module = &compiled(&text)[0].module;
        for n in [1, 50_000] {
            let xs = numbers(n);
            let out = module::run(module, &Args::new().buffer(xs.clone())).unwrap();
            let kept: Vec<u32> = xs.into_iter().filter(|x| x % every == 0).collect();
            assert!(out.to_vec::<u32>(0).unwrap() == kept, "{n} elements, one of {every}");
        }
    }
}
