//! Entries with generics: every variant against plain Rust, and the ways to choose one.

use obsidian::abi::{ParamValue, ScalarType};
use obsidian::prelude::*;

use obsidian_programs::generic::{self, MatchedPrepared, ScaledParams, SumsParams};

fn h(i: u32) -> u32 {
    i.wrapping_mul(2_654_435_761)
}

/// Sums of each `seq` of `input`.
fn sums<T: Copy>(input: &[T], seq: u32, add: fn(T, T) -> T) -> Vec<T> {
    input.chunks(seq as usize).map(|c| c[1..].iter().fold(c[0], |a, &b| add(a, b))).collect()
}

#[test]
fn the_product_of_the_lists_less_what_where_leaves_out() {
    let variants: Vec<String> = generic::sums.variants().map(|v| v.to_string()).collect();
    let expected = [
        "threads = 64, SEQ = 8, T = i32",
        "threads = 33, SEQ = 8, T = i32",
        "threads = 64, SEQ = 8, T = f32",
        "threads = 33, SEQ = 8, T = f32",
        "threads = 64, SEQ = 8, T = u64",
        "threads = 33, SEQ = 8, T = u64",
        "threads = 64, SEQ = 16, T = i32",
    ];
    assert_eq!(variants, expected);
    let symbols: std::collections::HashSet<&str> = generic::sums.variants().map(|v| v.symbol()).collect();
    assert_eq!(symbols.len(), expected.len());
    assert!(symbols.contains("sums_t33_SEQ_8_T_f32"), "{symbols:?}");
    for v in generic::sums.variants() {
        assert!(v.ptx().contains(&format!(".entry {}(", v.symbol())), "{}", v.ptx());
        assert!(v.cuda().contains(v.symbol()) && v.ir().contains(v.symbol()));
    }
}

#[test]
fn the_buffers_types_choose_and_every_variant_sums() {
    let dev = Device::cpu();
    let ints: Vec<i32> = (0..1024).map(|i| h(i) as i32).collect();
    let floats: Vec<f32> = (0..1024).map(|i| h(i) as f32 / 7.0).collect();
    let longs: Vec<u64> = (0..1024).map(|i| u64::from(h(i)) << 20).collect();
    let (a, b, c) = (dev.upload(&ints).unwrap(), dev.upload(&floats).unwrap(), dev.upload(&longs).unwrap());
    for threads in [64, 33] {
        let kernel = generic::sums.with(SumsParams { threads, SEQ: 8 });
        assert_eq!(kernel.run(&dev, &a).unwrap().to_vec().unwrap(), sums(&ints, 8, i32::wrapping_add));
        assert_eq!(kernel.run(&dev, &b).unwrap().to_vec().unwrap(), sums(&floats, 8, |x, y| x + y));
        assert_eq!(kernel.run(&dev, &c).unwrap().to_vec().unwrap(), sums(&longs, 8, u64::wrapping_add));
    }
    let long = generic::sums.with(SumsParams { SEQ: 16, ..SumsParams::default() });
    assert_eq!(long.run(&dev, &a).unwrap().to_vec().unwrap(), sums(&ints, 16, i32::wrapping_add));
    // The first variant of the type where nothing is asked for.
    assert_eq!(generic::sums.run(&dev, &c).unwrap().to_vec().unwrap(), sums(&longs, 8, u64::wrapping_add));
    assert_eq!(generic::sums.with(Params { threads: 33 }).run(&dev, &b).unwrap().len(), 128);
}

#[test]
fn a_variant_that_does_not_exist_lists_those_that_do() {
    let dev = Device::cpu();
    let floats = dev.upload(&[1.0f32; 64]).unwrap();
    let error = generic::sums.with(SumsParams { threads: 64, SEQ: 16 }).run(&dev, &floats).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("no variant with threads = 64, SEQ = 16, T = f32"), "{text}");
    assert!(text.contains("threads = 64, SEQ = 16, T = i32"), "{text}");
    let first = generic::sums.variants().next().unwrap();
    assert_eq!(first.values(), [("SEQ", ParamValue::Int(8)), ("T", ParamValue::Type(ScalarType::I32))]);
    let text = generic::sums.with(first).run(&dev, &floats).unwrap_err().to_string();
    assert!(text.contains("T = f32"), "{text}");
}

#[test]
fn values_of_every_kind() {
    let dev = Device::cpu();
    assert_eq!(ScaledParams::default(), ScaledParams { threads: 256, N: 32, NEGATE: false, BIAS: -3 });
    assert_eq!(generic::scaled.variants().len(), 8);
    for (n, negate) in [(32, false), (32, true), (64, false), (64, true)] {
        let kernel = generic::scaled.with(ScaledParams { N: n, NEGATE: negate, ..ScaledParams::default() });
        let xs: Vec<(f32, u8)> = (0..n).map(|i| (i as f32 / 3.0, h(i) as u8)).collect();
        let sign = if negate { -1.5f32 } else { 1.5 };
        let expected: Vec<(u8, f32)> = xs.iter().map(|p| (p.1.wrapping_add(1), p.0 * sign - 3.0)).collect();
        assert_eq!(kernel.run(&dev, &dev.upload(&xs).unwrap(), 1.5).unwrap().to_vec().unwrap(), expected);
        let xs: Vec<(i16, u8)> = (0..n).map(|i| (h(i) as i16, h(i) as u8)).collect();
        let sign = if negate { -7i16 } else { 7 };
        let expected: Vec<(u8, i16)> =
            xs.iter().map(|p| (p.1.wrapping_add(1), p.0.wrapping_mul(sign).wrapping_sub(3))).collect();
        assert_eq!(kernel.run(&dev, &dev.upload(&xs).unwrap(), 7i16).unwrap().to_vec().unwrap(), expected);
        let short = dev.upload(&[(0i16, 0u8); 16]).unwrap();
        assert!(kernel.run(&dev, &short, 1).unwrap_err().to_string().contains(&n.to_string()));
    }
}

#[test]
fn prepared_launches_are_of_one_type() {
    let dev = Device::cpu();
    let floats = dev.upload(&[0.5f32; 64]).unwrap();
    let ready = generic::sums.prepare::<f32>(&dev, floats.len()).unwrap();
    let mut out = ready.outputs().unwrap();
    ready.run_into(&floats, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [4.0; 8]);
    let plain: MatchedPrepared = generic::matched.prepare(&dev, 32, 0).unwrap();
    assert_eq!(plain.outputs().unwrap().len(), 32);
}

#[test]
fn tuples_of_one_field() {
    let dev = Device::cpu();
    let input: Vec<(u32,)> = (0..64).map(|i| (h(i),)).collect();
    let expected: Vec<(u32,)> = input.iter().map(|p| (p.0.wrapping_add(1),)).collect();
    assert_eq!(generic::wrapped.run(&dev, &dev.upload(&input).unwrap()).unwrap().to_vec().unwrap(), expected);
}

/// The same arms in Rust.
fn sorted_out(x: u32, y: (bool, i32)) -> u32 {
    match (x, y) {
        (0, _) => 100,
        (1..=3, (true, k)) if k > 7 => 101,
        (5 | 6 | 9.., (false, _)) => 102,
        (n @ 4, (_, -3)) => n,
        _ => match y.0 {
            true => 1,
            false => match (y.0, x > 3) {
                (false, true) => 7,
                (_, false) | (true, _) => 8,
            },
        },
    }
}

#[test]
fn match_means_what_it_means_in_rust() {
    let dev = Device::cpu();
    let input: Vec<u32> = (0..16).chain((0..48).map(h)).collect();
    let buffer = dev.upload(&input).unwrap();
    for v in generic::matched.variants() {
        for k in [-3, 0, 7, 8] {
            let expected: Vec<u32> = input.iter().map(|&x| sorted_out(x, (x % 2 == 0, k))).collect();
            let out = generic::matched.with(v).run(&dev, &buffer, k).unwrap();
            assert_eq!(out.to_vec().unwrap(), expected, "{v}, k = {k}");
        }
    }
    for v in generic::by_kind.variants() {
        let ParamValue::Int(kind) = v.values()[0].1 else { panic!("{v}") };
        let factor = if kind == 3 { 6 } else { 1 };
        let expected: Vec<u32> = input.iter().map(|x| x.wrapping_mul(factor)).collect();
        assert_eq!(generic::by_kind.with(v).run(&dev, &buffer).unwrap().to_vec().unwrap(), expected, "{v}");
    }
}

#[test]
fn loops_over_unknown_values() {
    let dev = Device::cpu();
    let pairs: Vec<(u32, u32)> = (0..64)
        .map(|i| (h(i), h(i + 99) % 100_000))
        .chain([(0, 0), (0, 5), (5, 0)])
        .chain((0..61).map(|i| (12 * i, 8)))
        .collect();
    let gcd = |&(mut a, mut b): &(u32, u32)| {
        let mut odd = 0;
        while b != 0 {
            (a, b) = (b, a % b);
            odd += b % 2;
        }
        (a, odd)
    };
    let (expected, input): (Vec<_>, _) = (pairs.iter().map(gcd).collect(), dev.upload(&pairs).unwrap());
    for v in generic::gcds.variants() {
        assert_eq!(generic::gcds.with(v).run(&dev, &input).unwrap().to_vec().unwrap(), expected, "{v}");
    }
}

/// The same loops in Rust.
fn rounds(n: u32, xs: &[i32]) -> i32 {
    let mut sum = 0i32;
    let mut pair = (0i32, 1);
    for i in 0..n {
        for k in n / 2..=i {
            sum = sum.wrapping_add(k as i32);
        }
        for j in -2..i as i32 {
            sum ^= j;
        }
        for b in (n * 20) as u8..=255 {
            sum = sum.wrapping_add(i32::from(b));
        }
        sum = sum.wrapping_add(xs.get(i as usize).copied().unwrap_or(0));
        pair = (sum.wrapping_mul(2), pair.0);
    }
    sum.wrapping_add(pair.0.wrapping_mul(3)).wrapping_add(pair.1).wrapping_add(n.max(3) as i32)
}

#[test]
fn ranges_over_unknown_bounds() {
    let dev = Device::cpu();
    let (counts, xs): (Vec<u32>, Vec<i32>) =
        ((0..64).map(|i| if i < 13 { i } else { h(i) }).collect(), vec![7, -9, h(3) as i32]);
    let expected: Vec<i32> = counts.iter().map(|n| rounds(n % 13, &xs)).collect();
    let (counts, xs) = (dev.upload(&counts).unwrap(), dev.upload(&xs).unwrap());
    for v in generic::round_and_round.variants() {
        let out = generic::round_and_round.with(v).run(&dev, &counts, &xs).unwrap();
        assert_eq!(out.to_vec().unwrap(), expected, "{v}");
    }
}
