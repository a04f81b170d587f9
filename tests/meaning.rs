//! What the papers' programs mean: each on the CPU, in every variant and on several numbers of real blocks, against plain
//! Rust and against the results of ACCEPTANCE.

use obsidian::prelude::*;

#[allow(dead_code)]
mod programs;

/// Knuth's multiplicative hash, the input of the acceptance programs.
fn h(i: u32) -> u32 {
    i.wrapping_mul(2_654_435_761)
}

/// Runs a kernel in each of its variants, on 1, 7 and all real blocks; all results must be `expected`.
macro_rules! everywhere {
    ($kernel:expr, ($($arg:expr),*), $expected:expr) => {{
        let dev = Device::cpu();
        let expected = $expected;
        let mut launches = 0;
        for variant in $kernel.kernel().variants() {
            for blocks in [None, Some(1), Some(7)] {
                let mut kernel = $kernel.with(variant);
                if let Some(n) = blocks {
                    kernel = kernel.blocks(n);
                }
                let out = kernel.run(&dev, $($arg(&dev)),*).unwrap().to_vec().unwrap();
                assert_eq!(out, expected, "{variant}, {blocks:?} blocks");
                launches += 1;
            }
        }
        assert!(launches >= 3);
    }};
}

/// An argument: `upload!(values)` gives a function from the device to a buffer that lives as long as the test.
macro_rules! upload {
    ($values:expr) => {{
        let values = $values.clone();
        move |dev: &Device| &*Box::leak(Box::new(dev.upload(&values).unwrap()))
    }};
}

fn hashes(n: u32) -> Vec<u32> {
    (0..n).map(h).collect()
}

#[test]
fn the_papers_reductions() {
    everywhere!(programs::reductions, (upload!((0..1024).collect::<Vec<i32>>())), vec![130_816, 392_960]);
}

#[test]
fn reductions_one_to_seven() {
    let input = hashes(512);
    let sum = vec![3_152_563_968u32];
    assert_eq!(input.iter().fold(0u32, |a, &b| a.wrapping_add(b)), sum[0]);
    everywhere!(programs::sum_red1, (upload!(input.clone())), sum.clone());
    everywhere!(programs::sum_red2, (upload!(input.clone())), sum.clone());
    everywhere!(programs::sum_red3, (upload!(input.clone())), sum.clone());
    everywhere!(programs::sum_red4, (upload!(input.clone())), sum.clone());
    everywhere!(programs::sum_red5, (upload!(input.clone())), sum.clone());
    everywhere!(programs::sum_red6, (upload!(input.clone())), sum.clone());
    everywhere!(programs::sum_red7, (upload!(input.clone())), sum);
    everywhere!(programs::max_red5, (upload!(input)), vec![4_289_869_225u32]);
}

/// What `red1` and `reduce` must give for an operator that does not commute: the left fold.
fn left_fold(maps: &[(u32, u32)]) -> (u32, u32) {
    maps[1..].iter().fold(maps[0], |f, g| (f.0.wrapping_mul(g.0), f.1.wrapping_mul(g.0).wrapping_add(g.1)))
}

#[test]
fn an_operator_that_does_not_commute_keeps_its_order() {
    let maps: Vec<(u32, u32)> = (0..1024).map(|i| (h(i) | 1, h(i + 5000))).collect();
    let expected: Vec<_> = maps.chunks(512).map(left_fold).collect();
    everywhere!(programs::compose_red1, (upload!(maps.clone())), expected);
    let maps = maps[..900].to_vec();
    let expected: Vec<_> = maps.chunks(300).map(left_fold).collect();
    everywhere!(programs::compose_any, (upload!(maps)), expected);
}

#[test]
fn two_stages_over_warps_and_blocks() {
    let input: Vec<i32> = (0..4096).map(|i| h(i) as i32).collect();
    let expected: Vec<i32> = input.chunks(512).map(|c| c.iter().fold(0i32, |a, &b| a.wrapping_add(b))).collect();
    everywhere!(programs::two_stage, (upload!(input)), expected);
}

#[test]
fn saxpy_is_bit_equal_to_rust() {
    let x: Vec<f32> = (0..8192).map(|i| h(i) as f32 / 1e9).collect();
    let y: Vec<f32> = (0..8192).map(|i| h(i + 7) as f32 / 1e7).collect();
    let expected: Vec<u32> = x.iter().zip(&y).map(|(x, y)| (1.1f32 * x + y).to_bits()).collect();
    let dev = Device::cpu();
    for variant in programs::saxpy.variants() {
        let kernel = programs::saxpy.with(variant);
        let out = kernel.run(&dev, 1.1, &dev.upload(&x).unwrap(), &dev.upload(&y).unwrap()).unwrap();
        let bits: Vec<u32> = out.to_vec().unwrap().into_iter().map(f32::to_bits).collect();
        assert_eq!(bits, expected);
    }
}

#[test]
fn zipped_inputs_take_the_shorter_length() {
    let dev = Device::cpu();
    let (x, y) = (dev.upload(&[1.0f32; 2048]).unwrap(), dev.upload(&[2.0f32; 1024]).unwrap());
    assert_eq!(programs::saxpy.run(&dev, 3.0, &x, &y).unwrap().to_vec().unwrap(), [5.0; 1024]);
}

#[test]
fn reverse_over_a_grid_and_in_chunks() {
    let input: Vec<i32> = (0..2048).collect();
    everywhere!(programs::reversed, (upload!(input.clone())), input.iter().rev().copied().collect::<Vec<_>>());
    let chunks: Vec<i32> = input.chunks(256).flat_map(|c| c.iter().rev().copied()).collect();
    everywhere!(programs::reversed_chunks, (upload!(input)), chunks);
}

#[test]
fn mandelbrot_is_the_known_picture() {
    let dev = Device::cpu();
    for variant in programs::mandelbrot.variants() {
        let kernel = programs::mandelbrot.with(variant);
        let pixels = kernel.run(&dev).unwrap().to_vec().unwrap();
        let sum: u64 = pixels.iter().map(|&p| u64::from(p)).sum();
        let fnv = pixels.iter().fold(0x811c_9dc5u32, |a, &p| (a ^ u32::from(p)).wrapping_mul(16_777_619));
        assert_eq!((sum, fnv), (16_466_688, 0x399c_ae85));
    }
}

#[test]
fn increment_in_three_shapes() {
    let input: Vec<u32> = (0..4096).collect();
    let expected: Vec<u32> = (1..=4096).collect();
    everywhere!(programs::increment, (upload!(input.clone())), expected.clone());
    everywhere!(programs::increment_stored, (upload!(input.clone())), expected.clone());
    everywhere!(programs::increment_warps, (upload!(input)), expected);
    assert_eq!(programs::increment.shared_bytes(), 0);
    assert!(!programs::increment.ptx().contains("bar.sync"));
}

#[test]
fn append_by_a_conditional_and_by_two_loops() {
    let (a, b): (Vec<i32>, Vec<i32>) = ((0..16).collect(), (100..116).collect());
    let expected: Vec<i32> = a.iter().chain(&b).copied().collect();
    everywhere!(programs::append_pull, (upload!(a.clone()), upload!(b.clone())), expected.clone());
    everywhere!(programs::append_push, (upload!(a), upload!(b)), expected);
}

#[test]
fn several_outputs() {
    let dev = Device::cpu();
    let pairs: Vec<(i32, i32)> = (0..256).map(|i| (i * 3, i)).collect();
    let (sum, difference) = programs::sum_and_difference.run(&dev, &dev.upload(&pairs).unwrap()).unwrap();
    assert_eq!(sum.to_vec().unwrap(), (0..256).map(|i| 4 * i).collect::<Vec<_>>());
    assert_eq!(difference.to_vec().unwrap(), (0..256).map(|i| 2 * i).collect::<Vec<_>>());
}

#[test]
fn loops_over_known_values_unroll() {
    // Six rounds of adding a rotation by 1, 2, 4 .. 32: each element becomes the sum of its 64.
    let input: Vec<i32> = (0..128).map(|i| h(i) as i32).collect();
    let sums = input.chunks(64).map(|c| c.iter().fold(0i32, |a, &b| a.wrapping_add(b)));
    let expected: Vec<i32> = sums.flat_map(|s| [s; 64]).collect();
    everywhere!(programs::rotate_add, (upload!(input)), expected);
}

#[test]
fn scans() {
    let triangle = |i: u32| i * (i + 1) / 2;
    everywhere!(
        programs::sklansky,
        (upload!((0..1024).collect::<Vec<u32>>())),
        (0..1024).map(triangle).collect::<Vec<_>>()
    );
    assert_eq!(programs::sklansky.shared_bytes(), 8192);
    let ones = (0..65536u32).map(|i| i % 256 + 1).collect::<Vec<_>>();
    everywhere!(programs::sklansky_grid, (upload!(vec![1u32; 65536])), ones);

    let maps: Vec<(u32, u32)> = (0..900).map(|i| (h(i) | 1, h(i + 5000))).collect();
    let expected: Vec<_> = maps.chunks(300).flat_map(|c| (1..=c.len()).map(|n| left_fold(&c[..n]))).collect();
    everywhere!(programs::kogge_stone, (upload!(maps)), expected);
    let expected: Vec<u32> =
        (0..3).flat_map(|c| (0..300).map(move |i| triangle(c * 300 + i) - triangle(c * 300) + c * 300)).collect();
    everywhere!(programs::kogge_stone_push, (upload!((0..900).collect::<Vec<u32>>())), expected);
}

#[test]
fn sorting_networks() {
    let input = hashes(1024);
    let mut expected = input.clone();
    expected.chunks_mut(512).for_each(<[u32]>::sort_unstable);
    everywhere!(programs::sorted, (upload!(input)), expected);
    assert_eq!(programs::sorted.shared_bytes(), 4096);
    let bitonic: Vec<i32> = (0..8).map(|i| 3 * i).chain((0..8).rev().map(|i| 5 * i - 2)).collect();
    let mut expected = bitonic.clone();
    expected.sort_unstable();
    everywhere!(programs::merged, (upload!(bitonic)), expected);
}

#[test]
fn matrices() {
    let a: Vec<i32> = (0..1024).map(|k| k % 17).collect();
    let b: Vec<i32> = (0..1024).map(|k| (k / 32 + 2 * (k % 32)) % 13).collect();
    let product = |i: usize, j: usize| (0..32).map(|k| a[32 * i + k] * b[32 * k + j]).sum::<i32>();
    let expected: Vec<i32> = (0..1024).map(|k| product(k / 32, k % 32)).collect();
    assert_eq!((&expected[..6], expected[1023]), (&[1280, 1268, 1360, 1556, 1674, 1532][..], 1579));
    assert_eq!(expected.iter().sum::<i32>(), 1_568_535);
    everywhere!(programs::matrix_product, (upload!(a.clone()), upload!(b.clone())), expected);

    let input: Vec<i32> = (0..65536).collect();
    let tiles = (0..256).flat_map(|t| (0..256).map(move |k| (t / 16 * 16 + k % 16) * 256 + t % 16 * 16 + k / 16));
    everywhere!(programs::tiles_transposed, (upload!(input)), tiles.collect::<Vec<i32>>());
}

#[test]
fn an_unknown_condition_selects() {
    let input: Vec<u64> = (0..128).map(|i| u64::from(h(i)) << 20).chain(0..64).collect();
    let expected: Vec<u64> = input.iter().map(|x| if x % 2 == 0 { x / 2 } else { 3 * x + 1 }).collect();
    everywhere!(programs::collatz_step, (upload!(input)), expected);
}

#[test]
fn the_attribute_forms() {
    let input: Vec<f64> = (0..256).map(|i| f64::from(h(i)) / 3.0).collect();
    let expected: Vec<f64> = input.iter().map(|x| x * x).collect();
    everywhere!(programs::squares, (upload!(input)), expected);
    let bytes: Vec<u8> = (0..=255).collect();
    let expected: Vec<u8> = bytes.iter().map(|b| b.wrapping_add(1)).collect();
    everywhere!(programs::inline::increment_bytes, (upload!(bytes)), expected);
}

#[test]
fn names_that_other_languages_use() {
    let dev = Device::cpu();
    let input = dev.upload(&(0..64).collect::<Vec<i32>>()).unwrap();
    assert_eq!(programs::names::float.run(&dev, &input, 5).unwrap().to_vec().unwrap(), (5..69).collect::<Vec<_>>());
    assert_eq!(programs::names::r#type.run(&dev, &input).unwrap().to_vec().unwrap(), (-1..63).collect::<Vec<_>>());
    let bytes = dev.upload(&(0..64).collect::<Vec<u8>>()).unwrap();
    assert_eq!(programs::names::größe.run(&dev, &bytes).unwrap().to_vec().unwrap(), (0..64).rev().collect::<Vec<_>>());
    assert!(programs::names::float.cuda().contains(" float_("));
}

#[test]
fn red2_needs_the_shared_memory_that_the_paper_says() {
    assert_eq!(programs::sum_red2.shared_bytes(), 1536);
}
