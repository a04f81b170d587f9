//! DAMP 2012: pull against push, sorting networks, the large sorter.

use super::*;

#[test]
fn append_by_a_conditional_and_by_two_loops() {
    let (a, b): (Vec<i32>, Vec<i32>) = ((0..16).collect(), (100..116).collect());
    let expected: Vec<i32> = a.iter().chain(&b).copied().collect();
    everywhere!(programs::append_pull, (upload!(a.clone()), upload!(b.clone())), expected.clone());
    everywhere!(programs::append_push, (upload!(a), upload!(b)), expected);
}

/// Who has an element of each array writes both; the pull form asks which.
#[test]
fn zipped_and_unpaired() {
    let (a, b): (Vec<i32>, Vec<i32>) = ((0..32).collect(), (100..132).collect());
    let expected: Vec<i32> = a.iter().zip(&b).flat_map(|(a, b)| [*a, *b]).collect();
    everywhere!(programs::unpair_pull, (upload!(a.clone()), upload!(b.clone())), expected.clone());
    everywhere!(programs::unpair_push, (upload!(a), upload!(b)), expected);
    let (pull, push) = (programs::unpair_pull.kernel(), programs::unpair_push.kernel());
    assert!(pull.ir().contains(" < 64\n") && pull.ir().contains("if "));
    assert!(push.ir().contains(" < 32\n") && !push.ir().contains("if "));
    assert!(programs::append_pull.ir().contains("if ") && !programs::append_push.ir().contains("if "));
}

/// 45 phases of a thread for each element and a conditional, or of a thread for two and none. With two elements to a
/// thread nobody else reads them, so all phases lie on one place: half the paper's 4,096 bytes.
#[test]
fn sorting_networks() {
    let input = hashes(1024);
    let expected = sorted_chunks(&input, 512);
    everywhere!(programs::tsort_pull, (upload!(input.clone())), expected.clone());
    everywhere!(programs::tsort_push, (upload!(input.clone())), expected.clone());
    everywhere!(programs::vsort_pull, (upload!(input.clone())), expected.clone());
    everywhere!(programs::vsort_push, (upload!(input.clone())), expected.clone());
    everywhere!(programs::bitonic, (upload!(input)), expected);
    for pull in [programs::tsort_pull.kernel(), programs::vsort_pull.kernel()] {
        assert_eq!((pull.shared_bytes(), pull.ir().matches(" < 512\n").count()), (4096, 46));
        assert!(pull.ir().contains("if "));
    }
    for push in [programs::tsort_push.kernel(), programs::vsort_push.kernel()] {
        assert_eq!((push.shared_bytes(), push.ir().matches(" < 256\n").count()), (2048, 45));
        assert!(!push.ir().contains("if "));
    }
}

#[test]
fn bitonic_merges() {
    let bitonic: Vec<i32> = (0..8).map(|i| 3 * i).chain((0..8).rev().map(|i| 5 * i - 2)).collect();
    everywhere!(programs::merged, (upload!(bitonic.clone())), sorted_chunks(&bitonic, 16));
    let pairs: Vec<(u32, u32)> = (0..32).map(|i| (i / 3, i)).chain((0..32).rev().map(|i| (i / 2, i))).collect();
    let dev = Device::cpu();
    let found = programs::merged_by.run(&dev, &dev.upload(&pairs).unwrap()).unwrap().to_vec().unwrap();
    assert!(found.is_sorted_by_key(|p| p.0));
    assert_eq!(sorted_chunks(&found, 64), sorted_chunks(&pairs, 64));
}

/// `iSwap3` and `iSwap2`: three columns in a phase of a thread for each eight elements, two in one of a thread for each four.
#[test]
fn columns_of_a_merge_at_once() {
    let bitonic = |n: u32| {
        (0..3).flat_map(move |k| {
            let (mut up, mut down) = (hashes(n / 2 - k), hashes(n / 2 + k));
            up.sort_unstable();
            down.sort_unstable_by(|a, b| b.cmp(a));
            up.into_iter().chain(down)
        })
    };
    let (long, short): (Vec<u32>, Vec<u32>) = (bitonic(512).collect(), bitonic(64).collect());
    everywhere!(programs::merged_by_threes, (upload!(long.clone())), sorted_chunks(&long, 512));
    everywhere!(programs::merged_by_twos, (upload!(short.clone())), sorted_chunks(&short, 64));
    for (kernel, threads) in
        [(programs::merged_by_threes.kernel(), " < 64\n"), (programs::merged_by_twos.kernel(), " < 16\n")]
    {
        assert_eq!(kernel.ir().matches(threads).count(), 3, "{}", kernel.ir());
        assert!(!kernel.ir().contains("if "));
    }
}

/// With distinct keys the value follows its key; of equal keys no value is lost.
#[test]
fn sorts_by_key() {
    let dev = Device::cpu();
    let distinct: Vec<(u32, u32)> = (0..256).map(|i| (h(i), i)).collect();
    let equal = keyed(256);
    for kernel in [programs::tsort_by.kernel(), programs::vsort_by.kernel(), programs::bitonic_by.kernel()] {
        assert!(kernel.shared_bytes() <= 2 * 2 * 512);
    }
    for pairs in [distinct, equal] {
        let input = dev.upload(&pairs).unwrap();
        for threads in [256, 33, 1] {
            let threads = Params { threads };
            let found = [
                programs::tsort_by.with(threads).run(&dev, &input).unwrap().to_vec().unwrap(),
                programs::vsort_by.with(threads).run(&dev, &input).unwrap().to_vec().unwrap(),
                programs::bitonic_by.with(threads).run(&dev, &input).unwrap().to_vec().unwrap(),
            ];
            for found in found {
                assert!(found.chunks(128).all(|c| c.is_sorted_by_key(|p| p.0)));
                assert_eq!(sorted_chunks(&found, 128), sorted_chunks(&pairs, 128));
            }
        }
    }
}

#[test]
fn a_swap_of_mirror_images() {
    let dev = Device::cpu();
    let input = dev.upload(&(0..8).rev().collect::<Vec<u32>>()).unwrap();
    let found = programs::v_swap.run(&dev, 4, &input).unwrap().to_vec().unwrap();
    assert_eq!(found, (0..8).collect::<Vec<u32>>());
}

/// 2^16 elements, blocks of 2^9.
#[test]
fn a_large_sorter_driven_by_the_host() {
    let dev = Device::cpu();
    let (n, s) = (1u32 << 16, 9);
    let mut xs = programs::small_sort.run(&dev, &dev.upload(&hashes(n)).unwrap()).unwrap();
    let mut stride = 1 << s;
    while stride < n {
        xs = programs::v_swap.run(&dev, stride, &xs).unwrap();
        let mut near = stride / 2;
        while near >= 1 << s {
            xs = programs::i_swap.run(&dev, near, &xs).unwrap();
            near /= 2;
        }
        xs = programs::small_merge.run(&dev, &xs).unwrap();
        stride *= 2;
    }
    assert_eq!(xs.to_vec().unwrap(), sorted_chunks(&hashes(n), n as usize));
}
