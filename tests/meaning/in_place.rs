//! Parts of one array that are read and written in place, whose borders the launch alone knows, against plain Rust.

use super::*;

kernel! {
    /// Each element to the place that it has from the end.
    #[kernel(threads = [64, 1, 33])]
    pub fn placed_from_the_end(xs: DPull<u32>) -> DPush<Grid, u32> {
        let n = xs.len();
        xs.push().ix_map(|i| n - 1 - i)
    }

    /// The halves of an array, added up in place; the host says how many of the second half there are.
    #[kernel(threads = [64, 1, 33])]
    pub fn folded(xs: DMut<u32>, n: u32) -> Program<Grid, ()> {
        for_all(n, |i| { xs[i] += xs[i + n]; })
    }

    /// An array in reverse, in place.
    #[kernel(threads = [64, 1, 33])]
    pub fn turned_in_place(xs: DMut<u32>) -> Program<Grid, ()> {
        let n = xs.len();
        for_all(n / 2, |i| {
            let (a, b) = (xs[i], xs[n - 1 - i]);
            xs[i] = b;
            xs[n - 1 - i] = a;
        })
    }

    /// Each thread sorts its 16 elements by insertion.
    #[kernel(threads = [64, 1, 33])]
    pub fn inserted(xs: DMut<u32>) -> Program<Grid, ()> {
        for_all(xs.len() / 16, |t| {
            for i in 1..16 {
                let x = xs[t * 16 + i];
                let mut j = i;
                while j > 0 && xs[t * 16 + j - 1] > x {
                    xs[t * 16 + j] = xs[t * 16 + j - 1];
                    j -= 1;
                }
                xs[t * 16 + j] = x;
            }
        })
    }

    /// Each thread counts how many of its 32 elements have which rest by 8, in place of the first 8.
    #[kernel(threads = [64, 1, 33])]
    pub fn counted_by_rest(xs: DMut<u32>) -> Program<Grid, ()> {
        for_all(xs.len() / 40, |t| {
            for k in 0..8 { xs[t * 40 + k] = 0; }
            for i in 8..40 {
                let rest = xs[t * 40 + i] % 8;
                xs[t * 40 + rest] += 1;
            }
        })
    }

    /// Thirds of an array: the first takes in the others, and the last is cleared.
    #[kernel(threads = [64, 1, 33])]
    pub fn in_thirds(xs: DMut<u32>) -> Program<Grid, ()> {
        let n = xs.len() / 3;
        for_all(n, |i| {
            xs[i] += xs[i + n] * xs[i + 2 * n];
            xs[i + 2 * n] = 0;
        })
    }
}

/// What `run` makes of these elements.
fn after(dev: &Device, xs: &[u32], run: impl Fn(&mut Buffer<u32>)) -> Vec<u32> {
    let mut buffer = dev.upload(xs).unwrap();
    run(&mut buffer);
    buffer.to_vec().unwrap()
}

/// Threads that each have a part of an array, in which data says where they write.
#[test]
fn parts_of_threads_by_data() {
    for dev in [Device::cpu(), Device::check().unwrap()] {
        for len in [0, 1, 15, 16, 17, 1009, 4112] {
            for (number, xs) in [hashes(len), hashes(len).iter().map(|x| x % 3).collect()].into_iter().enumerate() {
                for threads in [64, 1, 33] {
                    let set = Params { threads };
                    let mut want = xs.clone();
                    want.chunks_exact_mut(16).for_each(<[u32]>::sort_unstable);
                    let found = after(&dev, &xs, |x| inserted.with(set).run(&dev, x).unwrap());
                    assert_eq!(found, want, "{len}, {threads}, {number}");
                    want.clone_from(&xs);
                    for part in want.chunks_exact_mut(40) {
                        let (counts, counted) = part.split_at_mut(8);
                        counts.fill(0);
                        counted.iter().for_each(|x| counts[*x as usize % 8] += 1);
                    }
                    let found = after(&dev, &xs, |x| counted_by_rest.with(set).run(&dev, x).unwrap());
                    assert_eq!(found, want, "{len}, {threads}, {number}");
                }
            }
        }
    }
}

#[test]
fn halves_and_thirds_of_one_array() {
    for dev in [Device::cpu(), Device::check().unwrap()] {
        for len in [0, 1, 2, 3, 7, 64, 1009, 4100] {
            let xs = hashes(len);
            for threads in [64, 1, 33] {
                let set = Params { threads };
                let half = len as usize / 2;
                let mut want = xs.clone();
                (0..half).for_each(|i| want[i] = xs[i].wrapping_add(xs[i + half]));
                assert_eq!(
                    after(&dev, &xs, |x| folded.with(set).run(&dev, x, half as u32).unwrap()),
                    want,
                    "{len}, {threads}"
                );
                want = xs.iter().rev().copied().collect();
                let placed = placed_from_the_end.with(set).run(&dev, &dev.upload(&xs).unwrap()).unwrap();
                assert_eq!(placed.to_vec().unwrap(), want, "{len}, {threads}");
                assert_eq!(
                    after(&dev, &xs, |x| turned_in_place.with(set).run(&dev, x).unwrap()),
                    want,
                    "{len}, {threads}"
                );
                let third = len as usize / 3;
                want = xs.clone();
                for i in 0..third {
                    want[i] = xs[i].wrapping_add(xs[i + third].wrapping_mul(xs[i + 2 * third]));
                    want[i + 2 * third] = 0;
                }
                assert_eq!(after(&dev, &xs, |x| in_thirds.with(set).run(&dev, x).unwrap()), want, "{len}, {threads}");
            }
        }
        let mut few = dev.upload(&hashes(9)).unwrap();
        assert!(folded.run(&dev, &mut few, 5).is_err());
    }
}

kernel! {
    /// Neighbours in order, of pairs that begin at even places, or at odd ones: a round of a sort.
    #[kernel(threads = [64, 2, 36])]
    pub fn exchanged(xs: DMut<u32>, k: u32) -> Program<Grid, ()> {
        for_all(xs.len(), |i| {
            if i % 2 == k % 2 && i + 1 < xs.len() && xs[i] > xs[i + 1] {
                let held = xs[i];
                xs[i] = xs[i + 1];
                xs[i + 1] = held;
            }
        })
    }

    /// Every other element becomes the mean of its neighbours, at places of one remainder by turns with the others.
    #[kernel(threads = [64, 2, 36])]
    pub fn relaxed(xs: DMut<u32>, k: u32) -> Program<Grid, ()> {
        for_all(xs.len(), |i| {
            if (i + k) % 2 == 0 && i > 0 && i + 1 < xs.len() {
                xs[i] = xs[i - 1] / 2 + xs[i + 1] / 2;
            }
        })
    }
}

#[test]
fn neighbours_by_turns() {
    for dev in [Device::cpu(), Device::check().unwrap()] {
        for len in [0, 1, 2, 3, 64, 67, 129] {
            let xs = hashes(len);
            for threads in [64, 2, 36] {
                let set = Params { threads };
                let (mut sorted, mut smooth) = (dev.upload(&xs).unwrap(), dev.upload(&xs).unwrap());
                let mut want = xs.clone();
                for k in 0..len {
                    exchanged.with(set).run(&dev, &mut sorted, k).unwrap();
                    relaxed.with(set).run(&dev, &mut smooth, k).unwrap();
                    for i in (1..want.len().saturating_sub(1)).filter(|&i| (i as u32 + k).is_multiple_of(2)) {
                        want[i] = want[i - 1] / 2 + want[i + 1] / 2;
                    }
                }
                assert_eq!(smooth.to_vec().unwrap(), want, "{len}, {threads}");
                let mut want = xs.clone();
                want.sort_unstable();
                assert_eq!(sorted.to_vec().unwrap(), want, "{len}, {threads}");
            }
        }
    }
}
