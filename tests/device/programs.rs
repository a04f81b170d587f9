//! What the programs of `programs/src/device.rs` give, by plain Rust, for generated inputs; floats by the CPU's own bits for
//! one number of threads, which every other run must have.

use obsidian::{Device, Params};
use obsidian_programs::device::*;

/// Around the tiles of 1024 to 16,384 elements.
pub const LENGTHS: [usize; 7] = [0, 1, 31, 257, 2049, 16_385, 65_537];

/// Threads of each program's variants.
pub const THREADS: [u32; 2] = [256, 33];

fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

fn after(f: (u32, u32), g: (u32, u32)) -> (u32, u32) {
    (f.0.wrapping_mul(g.0), f.1.wrapping_mul(g.0).wrapping_add(g.1))
}

/// How often each key is there.
pub fn counts(keys: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; 60];
    keys.iter().for_each(|k| counts[(k % 60) as usize] += 1);
    counts
}

/// Runs some of the programs on these numbers.
type Check = fn(&Device, Params, &[u32]);

/// All of them, by name: every program is in one.
pub const CHECKS: [(&str, Check); 12] = [
    ("composed", composed),
    ("scanned", scanned),
    ("since keys", since_keys),
    ("counted", counted),
    ("mixed", mixed),
    ("life", life),
    ("kmeans", kmeans),
    ("limited", limited),
    ("selected", selected),
    ("parts", parts),
    ("sorted", sorted),
    ("floats", floats),
];

/// Runs every program on `n` elements.
pub fn check_all(device: &Device, n: usize) {
    CHECKS.iter().for_each(|(_, check)| THREADS.iter().for_each(|&threads| check_one(device, *check, threads, n)));
}

/// Runs one check on `n` elements, in blocks of that number of threads.
pub fn check_one(device: &Device, check: Check, threads: u32, n: usize) {
    check(device, Params { threads }, &numbers(n));
}

fn maps(keys: &[u32]) -> Vec<(u32, u32)> {
    keys.iter().map(|&a| (a | 1, a >> 3)).collect()
}

fn composed(device: &Device, threads: Params, keys: &[u32]) {
    let maps = maps(keys);
    let Some(expected) = maps.iter().copied().reduce(after) else { return };
    let fs = device.upload(&maps).unwrap();
    let composed = device_composed.with(threads).run(device, &fs).unwrap().to_vec().unwrap();
    assert_eq!(composed, [expected], "{} elements, {threads:?}", keys.len());
}

fn scanned(device: &Device, threads: Params, keys: &[u32]) {
    let (maps, mut sum) = (maps(keys), None);
    let fs = device.upload(&maps).unwrap();
    let expected: Vec<_> = maps.iter().map(|&f| *sum.insert(sum.map_or(f, |before| after(before, f)))).collect();
    let scanned = device_scanned.with(threads).run(device, &fs).unwrap().to_vec().unwrap();
    assert!(scanned == expected, "{} elements, {threads:?}: scanned", keys.len());
}

fn since_keys(device: &Device, threads: Params, keys: &[u32]) {
    let key = |i: usize| if i.is_multiple_of(97) { i as u32 + 1 } else { 0 };
    let values: Vec<(u32, i64)> =
        keys.iter().enumerate().map(|(i, &x)| (key(i), i64::from(x) * -3_000_000_007)).collect();
    let (Some(mut last), mut expected) = (values.first().copied(), Vec::new()) else { return };
    for (i, &(key, value)) in values.iter().enumerate() {
        last = if i == 0 || key != 0 { (key, value) } else { (last.0, last.1.wrapping_add(value)) };
        expected.push(last);
    }
    let xs = device.upload(&values).unwrap();
    let (scanned, reduced) = device_since_keys.with(threads).run(device, &xs).unwrap();
    assert!(scanned.to_vec().unwrap() == expected, "{} elements, {threads:?}", keys.len());
    assert_eq!(reduced.to_vec().unwrap(), expected[expected.len() - 1..], "{} elements, {threads:?}", keys.len());
}

fn counted(device: &Device, threads: Params, keys: &[u32]) {
    let xs = device.upload(keys).unwrap();
    let counted = device_counts.with(threads).run(device, &xs).unwrap().to_vec().unwrap();
    assert_eq!(counted, counts(keys), "{} elements, {threads:?}", keys.len());
}

fn mixed(device: &Device, threads: Params, keys: &[u32]) {
    let xs = device.upload(keys).unwrap();
    let (sums, mixed, one) = device_mixed.with(threads).run(device, 7, &xs).unwrap();
    let ys: Vec<u32> = keys.iter().map(|x| x.wrapping_mul(7)).collect();
    let zs: Vec<u32> = ys.iter().zip(ys.iter().rev()).map(|(a, b)| a.wrapping_add(*b)).collect();
    assert!(sums.to_vec().unwrap() == zs, "{} elements", keys.len());
    let expected: Vec<u32> = zs.iter().map(|z| z ^ keys.len() as u32).collect();
    assert!(mixed.to_vec().unwrap() == expected, "{} elements", keys.len());
    assert_eq!(one.to_vec().unwrap(), [keys.len() as u32 + 7]);
}

/// Sums of floats: near to what they are, and on this device the bits of the CPU.
fn floats(device: &Device, threads: Params, keys: &[u32]) {
    let n = keys.len();
    let values: Vec<f32> = keys.iter().map(|&x| (x % 10_007) as f32 / 64.0).collect();
    let wide: Vec<f64> = values.iter().map(|&x| f64::from(x) / 3.0).collect();
    let run = |device: &Device, threads| {
        let running = device_running.with(threads).run(device, &device.upload(&wide).unwrap()).unwrap().to_vec();
        let variance = (n > 0).then(|| {
            let xs = device.upload(&values).unwrap();
            device_variance.with(threads).run(device, &xs).unwrap().to_vec().unwrap()[0]
        });
        (running.unwrap(), variance)
    };
    let (running, variance) = run(device, threads);
    let bits = |xs: &[f64]| xs.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let (of_cpu, variance_of_cpu) = run(&Device::cpu(), Params { threads: 256 });
    assert!(bits(&running) == bits(&of_cpu), "{n} elements: a scan of floats has other bits than on the CPU");
    assert_eq!(variance.map(f32::to_bits), variance_of_cpu.map(f32::to_bits), "{n} elements");
    let mut sum = 0.0;
    for (x, found) in wide.iter().zip(&running) {
        sum += x;
        assert!((sum - found).abs() <= 1e-9 * sum, "{n} elements: {found} against {sum}");
    }
    let Some(variance) = variance else { return };
    let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / n as f64;
    let expected = values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n as f64;
    assert!((f64::from(variance) - expected).abs() <= 1e-4 * expected.max(1.0), "{n}: {variance} against {expected}");
}

/// A board's next generation; its edges meet.
fn next_generation(board: &[u32], cols: usize) -> Vec<u32> {
    let (n, c) = (board.len() as isize, cols as isize);
    let at = |i: usize, d: isize| board[(i as isize + d).rem_euclid(n) as usize];
    let around = |i| [-c - 1, -c, 1 - c, -1, 1, c - 1, c, c + 1].into_iter().map(|d| at(i, d)).sum::<u32>();
    (0..board.len()).map(|i| u32::from(around(i) == 3 || (around(i) == 2 && board[i] == 1))).collect()
}

fn life(device: &Device, threads: Params, keys: &[u32]) {
    let cols = (keys.len() as f64).sqrt() as usize;
    let mut board: Vec<u32> = keys.iter().map(|k| u32::from(k % 5 < 2)).collect();
    let first = device.upload(&board).unwrap();
    for generations in 0..4 {
        let out = device_life.with(threads).run(device, &first, cols as u32, generations).unwrap();
        assert!(out.to_vec().unwrap() == board, "{} cells, {generations} generations", keys.len());
        if !board.is_empty() {
            board = next_generation(&board, cols);
        }
    }
    assert!(first.to_vec().unwrap().iter().zip(keys).all(|(x, k)| *x == u32::from(k % 5 < 2)), "inputs are left alone");
}

fn nearest(centres: &[(i32, i32)], p: (i32, i32)) -> usize {
    let distance = |c: (i32, i32)| i64::from(c.0 - p.0).pow(2) + i64::from(c.1 - p.1).pow(2);
    (0..4).min_by_key(|&j| (distance(centres[j]), j)).unwrap()
}

fn kmeans(device: &Device, threads: Params, keys: &[u32]) {
    if keys.is_empty() {
        return;
    }
    let points: Vec<(i32, i32)> = keys.iter().map(|k| ((k % 1009) as i32, (k / 1009 % 997) as i32)).collect();
    let first = vec![(0, 0), (1000, 0), (0, 1000), (1000, 1000)];
    let on = (device.upload(&points).unwrap(), device.upload(&first).unwrap());
    // The interpreter and the simulated GPU do this, too.
    for most in if keys.len() > 1000 { [0, 2] } else { [1, 8] } {
        let (mut centres, mut rounds, mut moved) = (first.clone(), 0, true);
        while rounds < most && moved {
            let mut sums = [(0i64, 0i64, 0i64); 4];
            for &p in &points {
                let sum = &mut sums[nearest(&centres, p)];
                *sum = (sum.0 + i64::from(p.0), sum.1 + i64::from(p.1), sum.2 + 1);
            }
            let next = sums.iter().zip(&centres);
            let next = next.map(|(s, &c)| if s.2 == 0 { c } else { ((s.0 / s.2) as i32, (s.1 / s.2) as i32) });
            let next: Vec<_> = next.collect();
            moved = next != centres;
            (centres, rounds) = (next, rounds + 1);
        }
        let (out, count) = device_kmeans.with(threads).run(device, &on.0, &on.1, most).unwrap();
        let found = (out.to_vec().unwrap(), count.to_vec().unwrap());
        assert_eq!(found, (centres, vec![rounds]), "{} points, at most {most} rounds", keys.len());
    }
}

fn limited(device: &Device, threads: Params, keys: &[u32]) {
    let xs = device.upload(keys).unwrap();
    for limit in [0, 40, 1 << 24] {
        let long = keys.len() as u64 > limit.into();
        let mut now: Vec<u32> = if long && keys.iter().any(|&x| x > limit) {
            keys[..limit as usize].to_vec()
        } else {
            keys.iter().map(|x| x / 2).collect()
        };
        let mut rounds = 0;
        while now.iter().any(|&x| x > limit) {
            now.iter_mut().filter(|x| **x > limit).for_each(|x| *x /= 2);
            rounds += 1;
        }
        let (out, count) = device_limited.with(threads).run(device, &xs, limit).unwrap();
        let found = (out.to_vec().unwrap(), count.to_vec().unwrap());
        assert!(found == (now, vec![rounds]), "{} elements, limit {limit}", keys.len());
    }
}

fn selected(device: &Device, threads: Params, keys: &[u32]) {
    // Neighbours that are equal.
    let keys: Vec<u32> = keys.iter().map(|k| k / 5 * 3 + k % 3 / 2).collect();
    let xs = device.upload(&keys).unwrap();
    let (kept, left): (Vec<u32>, Vec<u32>) = keys.iter().partition(|k| *k % 3 == 0);
    let mut firsts: Vec<u32> = keys.iter().map(|k| k / 1000).collect();
    firsts.dedup();
    let out = device_selected.with(threads).run(device, &xs).unwrap();
    let found = [out.0, out.1, out.2, out.3].map(|list| list.to_vec().unwrap());
    assert!(found == [kept.clone(), kept, left, firsts], "{} elements", keys.len());
    for limit in [0, 1 << 22, u32::MAX] {
        let some: Vec<(u32, f32)> = keys.iter().filter(|k| **k < limit).map(|&k| (k, k as f32 / 3.0)).collect();
        let (out, count) = device_few.with(threads).run(device, &xs, limit).unwrap();
        assert_eq!(count.to_vec().unwrap(), [some.len() as u32], "{} elements below {limit}", keys.len());
        assert!(out.len() == some.len() && out.to_vec().unwrap() == some, "{} elements below {limit}", keys.len());
    }
}

fn parts(device: &Device, threads: Params, keys: &[u32]) {
    let (mut sums, mut running) = (Vec::new(), Vec::new());
    for part in keys.chunks_exact(256) {
        let mut sum = 0_u32;
        running.extend(part.iter().map(|&x| {
            sum = sum.wrapping_add(x);
            sum
        }));
        sums.push(sum);
    }
    let out = device_parts.with(threads).run(device, &device.upload(keys).unwrap()).unwrap();
    let found = (out.0.to_vec().unwrap(), out.1.to_vec().unwrap());
    assert!(found == (sums, running), "{} elements", keys.len());
}

fn sorted(device: &Device, threads: Params, keys: &[u32]) {
    let mut expected = keys.to_vec();
    expected.sort_unstable();
    let out = device_sorted.with(threads).run(device, &device.upload(keys).unwrap()).unwrap().to_vec().unwrap();
    assert!(out == expected, "{} numbers", keys.len());
    let mut floats: Vec<f32> = keys.iter().map(|k| (k % 4001) as f32 - 2000.5).collect();
    let on = device.upload(&floats).unwrap();
    floats.sort_unstable_by(|a, b| b.total_cmp(a));
    let out = device_sorted_floats.with(threads).run(device, &on).unwrap().to_vec().unwrap();
    assert!(out == floats, "{} floats", keys.len());
    let mut pairs: Vec<(u32, i64)> = keys.iter().zip(0..).map(|(&k, i)| (k, i)).collect();
    let on = device.upload(&pairs).unwrap();
    pairs.sort_by_key(|pair| pair.0 % 17);
    let out = device_sorted_by_key.with(threads).run(device, &on).unwrap().to_vec().unwrap();
    assert!(out == pairs, "{} pairs", keys.len());
}
