//! Programs that change arrays in place: atomics, mutable arrays, push arrays written by hand, loops that carry a state.

use obsidian::Kernel;
use obsidian::prelude::*;

kernel! {
    /// An atomic increment for each element, blocks by threads.
    #[kernel(threads = [256, 1, 33, 64, 1024])]
    pub fn counted(input: DPull<u32>, bins: DMut<u32>) -> Program<Grid, ()> {
        for_all2(div_exact(input.len(), 256), 256, |b, t| {
            let k = input[b * 256 + t];
            if k < bins.len() {
                atomic_add(bins, k, 1);
            }
        })
    }

    /// The library's: any number of keys; and counted by blocks first.
    #[kernel(threads = [256, 1, 33, 1024])]
    pub fn counted_any(input: DPull<u32>, bins: DMut<u32>) -> Program<Grid, ()> {
        histogram_into(input.map(|k| k % max(bins.len(), 1)), bins)
    }

    #[kernel(threads = [256, 1, 33, 1024])]
    pub fn counted_by_blocks(input: DPull<u32>, bins: Mut<u32, 64>) -> Program<Grid, ()> {
        histogram_by_blocks(input.map(|k| k % 64), 256, bins)
    }

    /// A gather, a scatter of updates, both by data: in range they are done, else the launch fails.
    #[kernel(threads = [64, 1, 33])]
    pub fn gathered(table: DPull<u32>, places: DPull<u32>) -> DPush<Grid, u32> {
        places.split_up(64).as_grid_map(|c| c.map(|i| 2 * table[i] + 1).push())
    }

    #[kernel(threads = [64, 33])]
    pub fn bumped(places: DPull<u32>, counts: DMut<u32>) -> Program<Grid, ()> {
        for_all(places.len(), |i| {
            if places[i] != 7 && table_like(places, i) {
                atomic_add(counts, places[places[i]], 1);
            }
        })
    }

    fn table_like(places: DPull<u32>, i: u32) -> bool {
        i % 3 != 0 || places[places[i] / 2] > 2
    }

    /// A sparse matrix with four entries a row, times a vector.
    #[kernel(threads = [64, 33])]
    pub fn sparse_product(columns: DPull<u32>, values: DPull<u32>, x: DPull<u32>) -> DPush<Grid, u32> {
        let entries = columns.zip(values).split_up(4);
        entries.map(|row| row.map(|e| e.1 * x[e.0]).fold1(|a, b| a + b)).split_up(32).as_grid_map(|c| c.push())
    }

    /// How many steps it is to the end of a list, from each of 256 elements, and where a walk of 256 steps ends: `next` tells who
    /// follows, which is nobody where it is no element. Each round doubles how far elements look (Wyllie's pointer jumping); it reads one
    /// half of the arrays, where data says, and writes the other.
    #[kernel(threads = [256, 1, 33])]
    pub fn list_ranks(next: DPull<u32>) -> DPush<Grid, (u32, u32)> {
        next.split_up(256).as_grid_map(|c| exec_block({
            let steps = c.map(|at| if at < 256 { 1 } else { 0 });
            let (far, to) = (steps.append(steps).new_mut(), c.append(c).new_mut());
            seq_for(8, |k| {
                let (from, other) = (k % 2 * 256, (k + 1) % 2 * 256);
                for_all(256, |i| {
                    let at = to[from + i];
                    far[other + i] = far[from + i] + if at < 256 { far[from + at] } else { 0 };
                    to[other + i] = if at < 256 { to[from + at] } else { at };
                })
            });
            far.to_pull().zip(to.to_pull()).take(256).push()
        }))
    }

    /// A histogram of each warp's part.
    #[kernel(threads = [128, 1, 33, 100])]
    pub fn counted_by_warps(input: DPull<u32>) -> DPush<Grid, u32> {
        input.map(|k| k % 16).split_up(256).as_grid_map(|c| {
            c.split_up(64).as_block_map(|part| exec_warp(part.histogram(16)))
        })
    }

    /// In place, element by element; and as a whole push array.
    #[kernel(threads = [64, 1, 33])]
    pub fn saxpy_in_place(a: f32, x: DPull<f32>, y: DMut<f32>) -> Program<Grid, ()> {
        for_all(min(x.len(), y.len()), |i| { y[i] += a * x[i]; })
    }

    #[kernel(threads = [64, 33])]
    pub fn swapped_in_place(pairs: DMut<(i32, i32)>) -> Program<Grid, ()> {
        write_to(pairs, pairs.to_pull().map(|p| (p.1, p.0)).split_up(64).as_grid_map(|c| c.push()))
    }

    /// Mutable shared memory through several phases: swaps, a view of the array, one thread's work.
    fn swap(m: Mut<i32>, i: u32, j: u32) -> Program<Thread, ()> {
        let before = m[i];
        m[i] = m[j];
        m[j] = before;
    }

    #[kernel(threads = [64, 7, 33, 128])]
    pub fn phases(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(128).as_grid_map(|c| exec_block({
            let m = c.new_mut();
            for_all(64, |i| swap(m, i, 127 - i));
            for_all(128, |i| { m[i] = 3 * m[i]; });
            single_thread(swap(m, 0, 127));
            let n = m.to_pull().map(|x| x + 1).new_mut();
            write_to(m, n.to_pull().reverse().push());
            m.to_pull()
        }))
    }

    /// Each of the atomic operations, on shared memory and on a buffer; no result depends on the order.
    #[kernel(threads = [64, 1, 33, 256])]
    pub fn atomics(input: DPull<i32>, totals: Mut<i32, 8>) -> Program<Grid, ()> {
        let parts = input.split_up(128);
        distr_par(parts.len(), |b| {
            let xs = parts[b];
            let m = new_mut(mk_pull(8, |i| if i == 2 { i32::MAX } else if i == 3 { i32::MIN } else if i == 4 { -1 } else { 0 }));
            for_all(128, |i| {
                let x = xs[i];
                atomic_add(m, 0, x);
                atomic_sub(m, 1, x);
                atomic_min(m, 2, x);
                atomic_max(m, 3, x);
                atomic_and(m, 4, x);
                atomic_or(m, 5, x);
                atomic_xor(m, 6, x);
                raise(m, 7, x);
            });
            single_thread({
                atomic_add(totals, 0, m[0]);
                atomic_sub(totals, 1, m[1]);
                atomic_min(totals, 2, m[2]);
                atomic_max(totals, 3, m[3]);
                atomic_and(totals, 4, m[4]);
                atomic_or(totals, 5, m[5]);
                atomic_xor(totals, 6, m[6]);
                raise(totals, 7, m[7]);
            })
        })
    }

    /// A maximum by compare and exchange.
    fn raise(m: Mut<i32>, i: u32, x: i32) -> Program<Thread, ()> {
        seq_until((atomic_add(m, i, 0), false), |(_old, done)| done, |(old, _done)| {
            let seen = atomic_cas(m, i, old, max(old, x));
            (seen, seen == old)
        });
    }

    /// The old values: each slot has one owner, so they are known.
    #[kernel(threads = [64, 33])]
    pub fn exchanged(input: Pull<u64, 256>, slots: Mut<u64, 256>) -> Push<Grid, u64> {
        mk_pull(4, |b| mk_push(64, |write| for_all(64, |i| {
            let at = b * 64 + i;
            write(atomic_exchange(slots, at, input[at]), i)
        }))).as_grid()
    }

    /// A thread's own mutable array, with an index from data.
    fn digits(xs: Pull<u32>) -> Program<Thread, Pull<u32>> {
        let counts = new_mut(replicate(10, 0));
        seq_for(xs.len(), |i| { counts[xs[i] % 10] += 1; });
        counts.to_pull()
    }

    #[kernel(threads = [32, 7])]
    pub fn digit_counts(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(512).as_grid_map(|c| c.split_up(32).as_block_map(|xs| exec_thread(digits(xs))))
    }

    /// Scans of chunks, each combined with the last one's carry; one kernel for 1024 elements, one for any
    /// number of chunks in one block.
    fn chained<S: Size>(xss: Pull<Pull<u32>, S>) -> Push<Block, u32, S> {
        xss.s_map_accum(0, |carry, xs| {
            let sums = exec_block(xs.scan_sklansky1(|a, b| a + b)).map(|x| x + carry).compute();
            (sums[sums.len() - 1], sums.push())
        })
    }

    #[kernel(threads = [512, 1, 33, 1024])]
    pub fn chained_scan(input: Pull<u32, 1024>) -> Push<Grid, u32> {
        singleton(0).as_grid_map(|_b| chained(input.split_up(512)))
    }

    #[kernel(threads = [256, 33])]
    pub fn chained_scan_any(input: DPull<u32>, sums: DMut<u32>) -> Program<Grid, ()> {
        distr_par(1, |_b| write_to(sums, chained(input.split_up(256))))
    }

    /// Sequential scans in threads.
    #[kernel(threads = [32, 33])]
    pub fn thread_scans(input: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>, DPush<Grid, (i32, i32)>) {
        let chunks = input.split_up(128);
        (
            chunks.as_grid_map(|c| c.split_up(16).as_block_map(|xs| xs.seq_scan(|a, b| a + b))),
            chunks.as_grid_map(|c| c.split_up(16).as_block_map(|xs| xs.seq_scan_cin(7, |a, b| a ^ b))),
            chunks.as_grid_map(|c| c.split_up(16).as_block_map(|xs| xs.map_accum_r(1, |a, x| (a + x, (a, x))))),
        )
    }

    /// Push arrays written by hand: forwards, backwards, by a permutation that is the author's.
    #[kernel(threads = [64, 33])]
    pub fn written_by_hand(input: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>, DPush<Grid, i32>) {
        let chunks = input.split_up(128);
        (
            chunks.as_grid_map(|c| mk_push(128, |write| for_all(128, |i| write(c[i], 127 - i)))),
            chunks.as_grid_map(|c| c.load(4).ix_map(|i| 127 - i)),
            // An odd factor permutes the residues of a power of two.
            chunks.as_grid_map(|c| unsafe { c.push().ix_map(|i| i * 37 % 128) }),
        )
    }

    /// Push arrays whose elements are written in either side of a branch: on the data, on the position, on a scalar.
    #[kernel(threads = [64, 33])]
    pub fn written_in_branches(least: i32, input: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>) {
        let chunks = input.split_up(128);
        (
            chunks.as_grid_map(|c| {
                mk_push(128, |write| for_all(128, |i| if c[i] < least { write(least, 127 - i) } else { write(c[i], 127 - i) }))
            }),
            chunks.as_grid_map(|c| exec_block({
                let mixed = mk_push(128, |write| for_all(128, |i| {
                    if i % 3 == 0 {
                        if least > 0 { write(c[i], i); } else { write(least, i); }
                    } else {
                        write(i as i32, i);
                    }
                }));
                mixed.compute().reverse().push()
            })),
        )
    }

    /// A stage of a sorting network in place: who reads a pair writes it. And folds of FCL's.
    #[kernel(threads = [64, 1, 33])]
    pub fn stage_in_place(input: DPull<i32>) -> (DPush<Grid, i32>, DPush<Grid, i32>, DPush<Grid, i32>) {
        let chunks = input.split_up(128);
        (
            chunks.as_grid_map(|c| exec_block({
                let m = new_mut(c);
                let v = m.to_pull();
                let pairs = push_each(64, 2, |i, j| {
                    let a = i.insert_zero(3);
                    if j == 0 { (min(v[a], v[a ^ 8]), a) } else { (max(v[a], v[a ^ 8]), a ^ 8) }
                });
                pairs.compute_in_place(m)
            })),
            chunks.as_grid_map(|c| c.split_up(8).as_block_map(|d| exec_thread(d.foldl(5, |a, x| 3 * a + x)))),
            chunks.as_grid_map(|c| c.split_up(8).as_block_map(|d| d.scanl(5, |a, x| 3 * a + x))),
        )
    }

    /// FCL's loops over arrays, unrolled ones, and programs as arguments.
    #[kernel(threads = [64, 33])]
    pub fn array_loops(input: DPull<u32>, rounds: u32) -> (DPush<Grid, u32>, DPush<Grid, u32>, DPush<Grid, u32>) {
        let chunks = input.split_up(64);
        (
            chunks.as_grid_map(|c| exec_block(c.power(rounds % 8, |k, xs| xs.map(|x| 3 * x + k).push().reverse()))),
            chunks.as_grid_map(|c| exec_block(c.map(|x| x % 100).while_(
                |xs| xs[0] < 200,
                |xs| mk_pull(64, |i| xs[i] + xs[(i + 1) % 64] + 1).push(),
            ))),
            chunks.as_grid_map(|c| exec_block(twice(rep(3, |xs: Pull<u32>| xs.reverse().map(|x| x + 1).compute(), c)))),
        )
    }

    fn twice(e: Program<Block, Pull<u32>>) -> Program<Block, Pull<u32>> {
        let (first, second) = (e, e);
        first.zip_with(second, |a, b| a + b).compute()
    }
}

/// Every kernel of this file.
pub fn all() -> Vec<&'static Kernel> {
    vec![
        counted.kernel(),
        counted_any.kernel(),
        counted_by_blocks.kernel(),
        gathered.kernel(),
        bumped.kernel(),
        sparse_product.kernel(),
        list_ranks.kernel(),
        counted_by_warps.kernel(),
        saxpy_in_place.kernel(),
        swapped_in_place.kernel(),
        phases.kernel(),
        atomics.kernel(),
        exchanged.kernel(),
        digit_counts.kernel(),
        chained_scan.kernel(),
        chained_scan_any.kernel(),
        thread_scans.kernel(),
        written_by_hand.kernel(),
        written_in_branches.kernel(),
        array_loops.kernel(),
        stage_in_place.kernel(),
    ]
}
