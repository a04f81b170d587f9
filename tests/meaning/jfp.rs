//! JFP 2016: reductions, scans, Mandelbrot, matrices.

use super::*;

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
fn scans() {
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

/// Reuse of dead arrays alone takes 1,536 bytes, as in the paper; in place only the first step takes memory.
#[test]
fn red2_needs_the_shared_memory_of_its_first_step() {
    assert_eq!(programs::sum_red2.shared_bytes(), 1024);
}

#[test]
fn one_chunk_of_4096() {
    everywhere!(programs::reduction_4096, (upload!((0..4096).collect::<Vec<i32>>())), vec![8_386_560]);
}

/// 2^24 elements in two launches of one kernel.
#[test]
fn a_large_reduction_in_two_launches() {
    let dev = Device::cpu();
    for (input, expected) in [((0..1 << 24).collect::<Vec<u32>>(), 4_286_578_688), (vec![1; 1 << 24], 16_777_216)] {
        let sums = programs::large_red5.run(&dev, &dev.upload(&input).unwrap()).unwrap();
        assert_eq!(sums.len(), 4096);
        assert_eq!(programs::large_red5.run(&dev, &sums).unwrap().to_vec().unwrap(), [expected]);
    }
}

#[test]
fn scans_of_1024_and_of_8() {
    let input: Vec<u32> = (0..1024).collect();
    let expected: Vec<u32> = (0..1024).map(triangle).collect();
    everywhere!(programs::sklansky_eight, (upload!((0..8).collect::<Vec<u32>>())), vec![0, 1, 3, 6, 10, 15, 21, 28]);
    everywhere!(programs::sklansky_push, (upload!(input.clone())), expected.clone());
    everywhere!(programs::sklansky_loaded, (upload!(input.clone())), expected.clone());
    everywhere!(programs::kogge_stone_1024, (upload!(input)), expected);
    let (pull, push) = (programs::sklansky.kernel(), programs::sklansky_push.kernel());
    assert_eq!((pull.shared_bytes(), push.shared_bytes()), (8192, 8192));
    // Ten phases of half the threads, none of which tests anything, and the copy out.
    assert_eq!(push.ir().matches("forall Block").count(), 11);
    assert_eq!(push.ir().matches(" < 512\n").count(), 10);
    assert!(!push.ir().contains("if "));
    assert!(pull.ir().contains("if "));
}

#[test]
fn scans_that_keep_the_order() {
    let maps: Vec<(u32, u32)> = (0..3840).map(|i| (h(i) | 1, h(i + 5000))).collect();
    let scanned = |n: usize, len: usize| {
        maps[..len].chunks(n).flat_map(|c| (1..=c.len()).map(|n| left_fold(&c[..n]))).collect::<Vec<_>>()
    };
    everywhere!(programs::brent_kung, (upload!(maps[..900].to_vec())), scanned(300, 900));
    everywhere!(programs::sklansky_ordered, (upload!(maps[..384].to_vec())), scanned(128, 384));
}

/// How often each colour occurs.
#[test]
fn mandelbrot_has_the_known_colours() {
    let pixels = programs::mandelbrot.run(&Device::cpu()).unwrap().to_vec().unwrap();
    let mut counts = [0; 16];
    pixels.iter().for_each(|&p| counts[usize::from(p) / 16] += 1);
    let known = [53132, 1102, 11738, 45988, 65635, 30381, 17124, 10082, 7236, 5013, 3934, 2954, 2527, 1989, 1792, 1517];
    assert_eq!(counts, known);
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
    let twos = vec![2.0f32; 1024];
    everywhere!(programs::matrix_product_f32, (upload!(twos.clone()), upload!(twos)), vec![128.0f32; 1024]);
}
