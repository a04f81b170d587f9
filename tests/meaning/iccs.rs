//! ICCS 2010: increments, saxpy, odd-even merge sort.

use super::*;

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
fn incremented_and_reversed() {
    let input: Vec<u32> = (0..10).collect();
    let back: Vec<u32> = (1..=10).rev().collect();
    everywhere!(programs::incr, (upload!(input.clone())), (1..=10).collect::<Vec<u32>>());
    everywhere!(programs::increv, (upload!(input.clone())), back.clone());
    everywhere!(programs::increv_sync, (upload!(input)), back);
    assert_eq!((programs::increv.shared_bytes(), programs::increv_sync.shared_bytes()), (0, 40));
    assert_eq!(programs::increv_sync.ir().matches("shared per Block").count(), 1);
}

#[test]
fn saxpy_of_four() {
    let dev = Device::cpu();
    let (x, y) = (dev.upload(&[1.1f32; 4]).unwrap(), dev.upload(&[1.0f32; 4]).unwrap());
    assert_eq!(programs::saxpy_four.run(&dev, 2.0, &x, &y).unwrap().to_vec().unwrap(), [3.2f32; 4]);
}

#[test]
fn odd_even_merge_sort() {
    let sorted: Vec<u32> = (1..=8).collect();
    everywhere!(programs::merged_oe, (upload!(vec![1u32, 3, 5, 7, 2, 4, 6, 8])), sorted);
    everywhere!(programs::sorted_oe, (upload!(vec![6u32, 0, 1, 3, 4, 2, 5, 7])), (0..8).collect::<Vec<u32>>());
}

/// The 0-1 principle: a network of comparators that sorts every row of zeros and ones sorts everything.
#[test]
fn odd_even_merge_sort_of_zeros_and_ones() {
    let dev = Device::cpu();
    for bits in 0..256u32 {
        let input: Vec<u32> = (0..8).map(|i| bits >> i & 1).collect();
        let found = programs::sorted_oe.run(&dev, &dev.upload(&input).unwrap()).unwrap().to_vec().unwrap();
        assert_eq!(found, sorted_chunks(&input, 8));
    }
}

#[test]
fn odd_even_merge_sort_of_any_length() {
    let input: Vec<i32> = (0..300).map(|i| h(i) as i32).collect();
    everywhere!(programs::sorted_odd_even, (upload!(input.clone())), sorted_chunks(&input, 100));
    let pairs = keyed(231);
    let dev = Device::cpu();
    let found = programs::sorted_odd_even_by.run(&dev, &dev.upload(&pairs).unwrap()).unwrap().to_vec().unwrap();
    assert!(found.chunks(77).all(|c| c.is_sorted_by_key(|p| p.0)));
    assert_eq!(sorted_chunks(&found, 77), sorted_chunks(&pairs, 77));
}

/// A program of each part: one phase serves all parts, so the sort has the 21 phases of its network, and no more barriers than
/// that whatever the number of parts.
#[test]
fn programs_of_parts_go_in_step() {
    let input = hashes(64 * 5);
    everywhere!(programs::sorted_in_step, (upload!(input.clone())), sorted_chunks(&input, 64));
    let ir = programs::sorted_in_step.ir();
    assert_eq!(ir.matches("forall Block").count(), 21 + 1, "{ir}");
    assert_eq!(ir.matches(" < 64\n").count(), 21 + 1, "{ir}");
    assert!(programs::sorted_in_step.shared_bytes() <= 2 * 4 * 64);
}

#[test]
fn quarters_are_scanned_in_step() {
    let input = hashes(128 * 3);
    let expected: Vec<u32> = input
        .chunks(32)
        .flat_map(|part| {
            let mut sum = 0u32;
            let sums: Vec<u32> = part.iter().map(|x| (sum = sum.wrapping_add(*x), sum).1).collect();
            let rows = sums.chunks(8).flat_map(|row| {
                let mut all = 0;
                let mut scanned: Vec<u32> = row.iter().map(|x| (all ^= x, all).1).collect();
                scanned.reverse();
                scanned
            });
            rows.collect::<Vec<u32>>()
        })
        .collect();
    everywhere!(programs::quarters_in_step, (upload!(input)), expected);
}

#[test]
fn a_thread_does_one_half_after_the_other() {
    let input = hashes(192 * 3);
    let half = |part: &[u32]| {
        let mut sum = 0u32;
        let mut scanned: Vec<u32> = part.iter().map(|x| (sum = sum.wrapping_add(*x), sum).1).collect();
        scanned.reverse();
        scanned
    };
    let expected: Vec<u32> = input.chunks(6).flat_map(half).collect();
    everywhere!(programs::halves_of_a_thread, (upload!(input)), expected);
}
