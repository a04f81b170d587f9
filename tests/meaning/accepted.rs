//! Right kernels whose proof needs more than one look at an index: each is accepted, and gives on the CPU what plain Rust gives.

use super::*;

kernel! {
    /// Each thread counts the digits of its own elements in a column of its own.
    #[kernel(threads = [256, 1, 33])]
    pub fn digits_by_threads(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(1024).as_grid_map(|c| exec_block({
            let counts = replicate(16 * 256, 0).push().new_mut();
            for_all(256, |t| for k in 0..4 {
                let digit = (c[k * 256 + t] >> 4) & 15;
                counts[digit * 256 + t] += 1;
            });
            counts.to_pull().push()
        }))
    }

    /// The same, a thread's counters one after the other, and in rows that no power of two is as long as.
    #[kernel(threads = [64, 1, 33])]
    pub fn digits_in_rows(xs: DPull<u32>) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        let chunks = xs.split_up(256);
        (
            chunks.as_grid_map(|c| exec_block({
                let counts = replicate(8 * 64, 0).push().new_mut();
                for_all(64, |t| for k in 0..4 { counts[(t << 3) | (c[k * 64 + t] & 7)] += 1; });
                counts.to_pull().push()
            })),
            chunks.as_grid_map(|c| exec_block({
                let counts = replicate(10 * 65, 0).push().new_mut();
                for_all(64, |t| for k in 0..4 { counts[c[k * 64 + t] % 10 * 65 + t] += 1; });
                counts.to_pull().push()
            })),
        )
    }

    /// Two halves of an array, each of which is read in the rounds in which the other is written.
    #[kernel(threads = [64, 1, 33])]
    pub fn in_turn(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| exec_block({
            let both = c.append(c).new_mut();
            for k in 0..min(n, 20) {
                for_all(64, |i| { both[(k + 1) % 2 * 64 + i] = 3 * both[k % 2 * 64 + (i + 1) % 64] + both[k % 2 * 64 + i]; })
            }
            let (last, view) = (min(n, 20) % 2 * 64, both.to_pull());
            mk_pull(64, |i| view[last + i]).push()
        }))
    }

    /// The same where data says which element of the half that is read: a step back, a step on, one from the number that is kept there.
    #[kernel(threads = [64, 1, 33])]
    pub fn jumps_in_turn(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| exec_block({
            let m = c.append(c).new_mut();
            for_all(64, |i| {
                let (by, left) = (c[i] % 128, m[i] - 1);
                m[64 + i] = if by > 0 && by <= 64 { m[by - 1] } else if left < 64 { m[left] } else { by };
            });
            seq_for(4, |k| for_all(64, |i| {
                let (from, at) = ((k + 1) % 2 * 64, m[(k + 1) % 2 * 64 + i] + i);
                m[k % 2 * 64 + i] = if at < 64 { m[from + at] } else { at };
            }));
            m.to_pull().drop(64).push()
        }))
    }

    /// Reads that no condition on lengths and scalars tells right from wrong: stretched, repeated, by a remainder, under a number of the host's.
    #[kernel(threads = [64, 1, 33])]
    pub fn tested_when_it_runs(xs: DPull<u32>, n: u32, k: u32) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        (
            mk_pull(n, |i| xs[i * xs.len() / n] + xs[(i + k) % max(xs.len(), 1)]).push(),
            mk_pull(n, |i| xs[i / max(k, 1)] + (if i < k { xs[i] } else { 0 })).push(),
        )
    }

    /// Backwards into another array, which must be as long.
    #[kernel(threads = [64, 1, 33])]
    pub fn turned_into(xs: DPull<u32>, out: DMut<u32>) -> Program<Grid, ()> {
        let len = xs.len();
        for_all(len, |i| { out[len - 1 - i] = xs[i]; })
    }

    /// Chunks by number, in a grid's own loop: the threads of the last have less to do.
    #[kernel(threads = [64, 1, 33])]
    pub fn counted_by_chunks(xs: DPull<u32>, counts: DMut<u32>) -> Program<Grid, ()> {
        let chunks = xs.chunks(100);
        distr_par(chunks.len(), |b| {
            let c = chunks[b];
            for_all(c.len(), |i| { atomic_add(counts, c[i] % 16, 1); })
        })
    }

    /// A branch on a number of the host's, in which all threads wait for one another.
    #[kernel(threads = [64, 1, 33])]
    pub fn one_way_or_other(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| exec_block({
            let m = c.new_mut();
            if n > 3 {
                for_all(64, |i| { m[i] += 1; });
                let turned = m.to_pull().reverse().compute();
                write_to(m, turned.push());
            } else {
                for_all(64, |i| { m[i] *= 2; });
            }
            m.to_pull().push()
        }))
    }

    /// Places tested by their author, divided by a number of the host's; those before a block's; sides of a branch.
    #[kernel(threads = [64, 1, 33])]
    pub fn tested(xs: DPull<u32>, ys: DPull<u32>, n: u32) -> (DPush<Grid, u32>, DPush<Grid, u32>) {
        (
            mk_pull(xs.len(), |i| {
                let here = if i / n < ys.len() && i % n < ys.len() { ys[i / n] + ys[i % n] } else { xs[i] };
                if i > 0 { here - xs[i - 1] } else { here }
            }).push(),
            xs.split_up(64).as_grid_map(|c| mk_push(64, |write| for_all(64, |i| {
                if c[i] % 3 == 1 { write(c[i], 63 - i) } else { write(7, 63 - i) }
            }))),
        )
    }

    /// A phase of Sklansky's scan with the index of the paper (JFP 2016 §6.3.1), for each of the phases.
    #[kernel(threads = [64, 1, 33])]
    pub fn phases_of_a_scan(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(128).as_grid_map(|c| exec_block({
            let mut sums = c;
            for k in 0..7 { sums = phase(k, |a, b| a + b, sums).compute(); }
            sums.push()
        }))
    }

    fn phase(i: u32, f: impl Fn(u32, u32) -> u32, xs: Pull<u32>) -> Push<Block, u32> {
        mk_push(xs.len(), |write| for_all(xs.len() / 2, |tid| {
            let ix = (tid & ((1 << i) - 1)) | ((tid >> i) << (i + 1));
            let six = ix | (1 << i);
            let last = ix & !((1 << i) - 1) | ((1 << i) - 1);
            write(xs[ix], ix);
            write(f(xs[last], xs[six]), six);
        }))
    }

    /// Threads that give two elements each, of which each is a loop of its own.
    #[kernel(threads = [64, 1, 33])]
    pub fn folds_of_threads(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(64).as_grid_map(|c| c.as_block_map(|x| exec_thread(mk_pull(2, |j| mk_pull(33, |k| x / 64 + j * k).sum()))))
    }

    /// Blocks that fill their parts in several ways: by number, by what the host says, by data.
    #[kernel(threads = [64, 1, 33])]
    pub fn by_turns(xs: DPull<u32>, n: u32) -> DPush<Grid, u32> {
        mk_push(xs.len() / 64 * 64, |write| distr_par(xs.len() / 64, |b| {
            if b % 2 == 0 {
                for_all(64, |i| write(xs[b * 64 + i], b * 64 + 63 - i))
            } else if xs[b * 64] > n {
                for_all(64, |i| write(7, b * 64 + i))
            } else {
                for_all(32, |i| if n < 5 {
                    write(xs[b * 64 + i], b * 64 + 2 * i);
                    write(8, b * 64 + 2 * i + 1);
                } else {
                    write(9, b * 64 + i);
                    write(xs[b * 64 + i], b * 64 + i + 32);
                })
            }
        }))
    }

    /// The odd-even merge of ICCS 2010, its ends appended.
    #[kernel(threads = [64, 1, 33])]
    pub fn merged(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(16).as_grid_map(|c| merge_oe(c, 3).push())
    }

    fn merge_oe(xs: Pull<u32>, n: u32) -> Pull<u32> {
        if n == 0 {
            [min(xs[0], xs[1]), max(xs[0], xs[1])]
        } else {
            let both = merge_oe(xs.evens(), n - 1).zip(merge_oe(xs.odds(), n - 1)).unpair();
            let inner = mk_pull(both.len() - 2, |i| {
                if i % 2 == 0 { min(both[i + 1], both[i + 2]) } else { max(both[i], both[i + 1]) }
            });
            singleton(both[0]).append(inner).append(singleton(both[both.len() - 1]))
        }
    }
}

/// Numbers that look random.
pub(super) fn data(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

#[test]
fn each_thread_has_its_counters() {
    let xs = data(4096);
    let counted = |chunk: usize, threads: usize, place: &dyn Fn(usize, u32) -> usize, len: usize| {
        let mut all = Vec::new();
        for part in xs.chunks(chunk) {
            let mut counts = vec![0u32; len];
            part.iter().enumerate().for_each(|(k, &x)| counts[place(k % threads, x)] += 1);
            all.extend(counts);
        }
        all
    };
    everywhere!(digits_by_threads, (upload!(xs)), counted(1024, 256, &|t, x| (x >> 4) as usize % 16 * 256 + t, 4096));
    let dev = Device::cpu();
    let buffer = dev.upload(&xs).unwrap();
    for variant in digits_in_rows.kernel().variants() {
        let (by_thread, by_digit) = digits_in_rows.with(variant).run(&dev, &buffer).unwrap();
        assert_eq!(by_thread.to_vec().unwrap(), counted(256, 64, &|t, x| t * 8 + x as usize % 8, 512));
        assert_eq!(by_digit.to_vec().unwrap(), counted(256, 64, &|t, x| x as usize % 10 * 65 + t, 650));
    }
}

#[test]
fn halves_in_turn_and_branches_of_the_block() {
    let (dev, xs) = (Device::cpu(), data(256));
    let buffer = dev.upload(&xs).unwrap();
    for n in [0u32, 1, 2, 7, 20] {
        let mut want = Vec::new();
        for part in xs.chunks(64) {
            let mut now = part.to_vec();
            for _ in 0..n {
                now = (0..64).map(|i| now[(i + 1) % 64].wrapping_mul(3).wrapping_add(now[i])).collect();
            }
            want.extend(now);
        }
        assert_eq!(in_turn.run(&dev, &buffer, n).unwrap().to_vec().unwrap(), want, "{n} rounds");
        let one = |part: &[u32]| match n > 3 {
            true => part.iter().rev().map(|x| x + 1).collect::<Vec<u32>>(),
            false => part.iter().map(|x| x * 2).collect(),
        };
        let want: Vec<u32> = xs.chunks(64).flat_map(one).collect();
        assert_eq!(one_way_or_other.run(&dev, &buffer, n).unwrap().to_vec().unwrap(), want, "{n}");
    }
}

#[test]
fn halves_in_turn_by_data() {
    let dev = Device::cpu();
    let xs: Vec<u32> = data(640).iter().enumerate().map(|(i, x)| if i % 3 == 0 { x % 70 } else { *x }).collect();
    let buffer = dev.upload(&xs).unwrap();
    let mut want = Vec::new();
    for c in xs.chunks(64) {
        let before = |i: usize| {
            let (by, left) = (c[i] as usize % 128, (c[i] as usize).wrapping_sub(1));
            if (1..=64).contains(&by) { c[by - 1] } else { *c.get(left).unwrap_or(&(by as u32)) }
        };
        let mut now: Vec<u32> = (0..64).map(before).collect();
        for _ in 0..4 {
            let at = |i: usize| now[i].wrapping_add(i as u32);
            now = (0..64).map(|i| *now.get(at(i) as usize).unwrap_or(&at(i))).collect();
        }
        want.extend(now);
    }
    for variant in jumps_in_turn.kernel().variants() {
        assert_eq!(jumps_in_turn.with(variant).run(&dev, &buffer).unwrap().to_vec().unwrap(), want);
    }
}

#[test]
fn updates_of_other_arrays() {
    let dev = Device::cpu();
    for n in [0usize, 1, 99, 100, 1000, 1234] {
        let xs = data(n);
        let buffer = dev.upload(&xs).unwrap();
        for variant in turned_into.kernel().variants() {
            let mut out = dev.upload(&vec![7u32; n + 2]).unwrap();
            turned_into.with(variant).run(&dev, &buffer, &mut out).unwrap();
            let want: Vec<u32> = xs.iter().rev().copied().chain([7, 7]).collect();
            assert_eq!(out.to_vec().unwrap(), want, "{n}");
        }
        for variant in counted_by_chunks.kernel().variants() {
            let mut counts = dev.upload(&[0u32; 16]).unwrap();
            counted_by_chunks.with(variant).run(&dev, &buffer, &mut counts).unwrap();
            let count = |k: u32| xs.iter().filter(|x| *x % 16 == k).count() as u32;
            assert_eq!(counts.to_vec().unwrap(), (0..16).map(count).collect::<Vec<_>>(), "{n}");
        }
    }
    let (xs, mut out) = (dev.upload(&data(5)).unwrap(), dev.upload(&[0u32; 4]).unwrap());
    let e = turned_into.run(&dev, &xs, &mut out).unwrap_err().to_string();
    assert!(e.contains("the length of `out` must be at least `len(xs)`"), "{e}");
}

#[test]
fn what_no_condition_tells_is_tested_when_it_runs() {
    let dev = Device::cpu();
    let xs = data(100);
    let buffer = dev.upload(&xs).unwrap();
    for variant in tested_when_it_runs.kernel().variants() {
        let run = |n: u32, k: u32| tested_when_it_runs.with(variant).run(&dev, &buffer, n, k);
        for (n, k) in [(0, 5), (1, 0), (300, 7), (90, 95), (100, 1)] {
            let (first, second) = run(n, k).unwrap();
            let (many, step) = (n as usize, (k as usize).max(1));
            let at = |i: usize| xs[i * 100 / many].wrapping_add(xs[(i + k as usize) % 100]);
            assert_eq!(first.to_vec().unwrap(), (0..many).map(at).collect::<Vec<_>>(), "{n}, {k}");
            let at = |i: usize| xs[i / step].wrapping_add(if i < k as usize { xs[i] } else { 0 });
            assert_eq!(second.to_vec().unwrap(), (0..many).map(at).collect::<Vec<_>>(), "{n}, {k}");
        }
        let strays = run(101, 1).and_then(|(_, second)| second.to_vec()).unwrap_err().to_string();
        assert!(strays.contains("100"), "{strays}");
    }
}

#[test]
fn blocks_that_take_turns() {
    let (dev, xs) = (Device::cpu(), data(640));
    let buffer = dev.upload(&xs).unwrap();
    for n in [0u32, 4, 5, 1 << 24] {
        let part = |(b, part): (usize, &[u32])| match () {
            () if b % 2 == 0 => part.iter().rev().copied().collect::<Vec<_>>(),
            () if part[0] > n => vec![7; 64],
            () if n < 5 => part[..32].iter().flat_map(|&x| [x, 8]).collect(),
            () => [9; 32].into_iter().chain(part[..32].iter().copied()).collect(),
        };
        let want: Vec<u32> = xs.chunks(64).enumerate().flat_map(part).collect();
        for variant in by_turns.kernel().variants() {
            assert_eq!(by_turns.with(variant).run(&dev, &buffer, n).unwrap().to_vec().unwrap(), want, "{n}");
        }
    }
}

#[test]
fn loops_of_a_threads_elements() {
    let xs = data(256);
    let want: Vec<u32> = xs.iter().flat_map(|x| [0, 528].map(|more| x / 64 * 33 + more)).collect();
    everywhere!(folds_of_threads, (upload!(xs)), want);
}

#[test]
fn places_that_their_author_tests() {
    let (dev, xs, ys) = (Device::cpu(), data(640), data(13));
    let (x, y) = (dev.upload(&xs).unwrap(), dev.upload(&ys).unwrap());
    for n in [1u32, 7, 13, 50, 1000] {
        let (first, second) = tested.run(&dev, &x, &y, n).unwrap();
        let want = |i: usize| {
            let (q, r) = (i / n as usize, i % n as usize);
            let here = if q < 13 && r < 13 { ys[q].wrapping_add(ys[r]) } else { xs[i] };
            if i > 0 { here.wrapping_sub(xs[i - 1]) } else { here }
        };
        assert_eq!(first.to_vec().unwrap(), (0..640).map(want).collect::<Vec<_>>(), "{n}");
        let side = |x: &u32| if x % 3 == 1 { *x } else { 7 };
        let want: Vec<u32> = xs.chunks(64).flat_map(|part| part.iter().rev().map(side)).collect();
        assert_eq!(second.to_vec().unwrap(), want);
    }
}

#[test]
fn the_papers_own_indices() {
    let xs = data(512);
    let sums: Vec<u32> = xs
        .chunks(128)
        .flat_map(|part| {
            part.iter().scan(0u32, |sum, x| {
                *sum = sum.wrapping_add(*x);
                Some(*sum)
            })
        })
        .collect();
    everywhere!(phases_of_a_scan, (upload!(xs)), sums);
    let mut halves = xs.clone();
    halves.chunks_mut(8).for_each(<[u32]>::sort_unstable);
    let mut want = xs.clone();
    want.chunks_mut(16).for_each(<[u32]>::sort_unstable);
    everywhere!(merged, (upload!(halves)), want);
}
