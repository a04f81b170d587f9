//! What the programs of `programs/src/device_chains.rs` give, by plain Rust: tile after tile, with each tile's scan in the order in
//! which the library has it, so that floats that are rounded must have these bits, too.

use obsidian::abi::plan_module;
use obsidian::{Device, LaunchOptions, Params};
use obsidian_programs::device_chains::*;

use crate::device_operators::{combined, key, then};

/// The scan of a tile as the library combines it: in phase `k` each element takes in the one `2^k` before it.
fn scanned<T: Copy>(tile: &[T], f: impl Fn(T, T) -> T) -> Vec<T> {
    let mut now = tile.to_vec();
    let mut step = 1;
    while step < now.len() {
        now = (0..now.len()).map(|i| if i < step { now[i] } else { f(now[i - step], now[i]) }).collect();
        step *= 2;
    }
    now
}

/// `s_map_accum` over tiles of `n` elements: `f` gives of the state and a tile the next state and the tile's part of the result.
fn chained<T, P, U>(xs: &[T], n: usize, init: P, mut f: impl FnMut(&P, &[T]) -> (P, Vec<U>)) -> Vec<U> {
    let mut state = init;
    let mut out = Vec::new();
    for tile in xs.chunks(n) {
        let (next, part) = f(&state, tile);
        state = next;
        out.extend(part);
    }
    out
}

fn scan<T: Copy>(xs: &[T], n: usize, init: T, f: impl Fn(T, T) -> T) -> Vec<T> {
    chained(xs, n, init, |before, tile| {
        let inside = scanned(tile, &f);
        (f(*before, inside[inside.len() - 1]), inside.iter().map(|x| f(*before, *x)).collect())
    })
}

macro_rules! scans {
    ($($name:ident: $ty:ty;)*) => { $(fn $name(device: &Device, op: u32, init: $ty, xs: impl Iterator<Item = $ty>) {
        let xs: Vec<$ty> = xs.collect();
        let kernel = device_chained.with(DeviceChainedParams { OP: op, ..Default::default() });
        let found = kernel.run(device, &device.upload(&xs).unwrap(), init).unwrap().to_vec().unwrap();
        let expected = scan(&xs, 512, init, |a, b| combined(op, a, b));
        let at = found.iter().zip(&expected).position(|(a, b)| a != b);
        let what = format!("{} of {}, operator {op}", xs.len(), stringify!($ty));
        assert!(found.len() == expected.len() && at.is_none(), "{what}: another element at {at:?}");
    })* };
}

scans! {
    of_u32: u32;
    of_i64: i64;
    of_f32: f32;
    of_f64: f64;
}

/// Runs every program on `n` elements, of every type.
pub fn check_all(device: &Device, n: usize) {
    let keys = || (0..n).map(key);
    for op in 0..3 {
        of_u32(device, op, 3, keys().map(|k| k % 16));
    }
    of_i64(device, 2, 7, keys().map(|k| i64::from(k % 3)));
    of_f64(device, 1, 0.5, keys().map(f64::from));
    // Rounded at each addition, so that any other order would be seen.
    of_f32(device, 0, 0.5, keys().map(|k| (k % 10_007) as f32 / 3.0));
    for threads in [256, 33] {
        recurrence(device, threads, n);
        hashed(device, threads, n);
    }
    quoted(device, n);
}

fn recurrence(device: &Device, threads: u32, n: usize) {
    let maps: Vec<(u32, u32)> = (0..n).map(|i| (key(i) | 1, key(i) >> 3)).collect();
    let apply = |y: u32, map: (u32, u32)| map.0.wrapping_mul(y).wrapping_add(map.1);
    let kernel = device_recurrence.with(Params { threads });
    let found = kernel.run(device, &device.upload(&maps).unwrap(), 17).unwrap().to_vec().unwrap();
    let expected: Vec<u32> = maps
        .iter()
        .scan(17, |y, map| {
            Some({
                *y = apply(*y, *map);
                *y
            })
        })
        .collect();
    assert!(found == expected, "a recurrence of {n} steps, {threads} threads");
    // That the maps of a tile are combined first changes nothing.
    let tiled = chained(&maps, 300, 17, |y, tile| {
        let inside = scanned(tile, then);
        (apply(*y, inside[inside.len() - 1]), inside.iter().map(|map| apply(*y, *map)).collect())
    });
    assert!(tiled == expected);
}

fn hashes(xs: &[u32]) -> Vec<(u32, u64, u32)> {
    chained(xs, 64, (2_166_136_261u32, 0u64), |hash, tile| {
        let sum = tile.iter().fold(0u32, |a, &b| a.wrapping_add(b));
        let next = (hash.0 ^ sum ^ (hash.0 >> 7)).wrapping_mul(16_777_619);
        ((next, hash.1 + 1), tile.iter().map(|&x| (hash.0, hash.1, x)).collect())
    })
}

fn hashed(device: &Device, threads: u32, n: usize) {
    let xs: Vec<u32> = (0..n).map(key).collect();
    let kernel = device_hashed.with(Params { threads });
    let found = kernel.run(device, &device.upload(&xs).unwrap()).unwrap().to_vec().unwrap();
    assert!(found == hashes(&xs), "hashes of {n} elements, {threads} threads");
}

/// A quote is open after an odd number of them.
fn quoted(device: &Device, n: usize) {
    let text: Vec<u8> = (0..n).map(|i| if key(i).is_multiple_of(11) { b'"' } else { b'a' + (i % 26) as u8 }).collect();
    let found = device_quoted.run(device, &device.upload(&text).unwrap()).unwrap().to_vec().unwrap();
    let expected: Vec<bool> = text
        .iter()
        .scan(false, |inside, &c| {
            Some({
                *inside ^= c == b'"';
                *inside
            })
        })
        .collect();
    assert!(found == expected, "a text of {n} bytes");
}

/// The same bits whatever the number of blocks.
pub fn on_few_blocks(device: &Device, n: usize) {
    let xs: Vec<f32> = (0..n).map(|i| (key(i) % 10_007) as f32 / 3.0).collect();
    let bits = |blocks: u32| {
        let kernel = device_chained.with(DeviceChainedParams { OP: 0, ..Default::default() }).blocks(blocks);
        let sums = kernel.run(device, &device.upload(&xs).unwrap(), 0.5f32).unwrap().to_vec().unwrap();
        sums.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let one = bits(1);
    assert!([2, 3, 64].into_iter().all(|blocks| bits(blocks) == one), "{n} elements: other bits");
}

/// One plan for several runs, each of which finds in its cells what the earlier ones have left.
pub fn prepared(device: &Device, n: usize) {
    let ready = device_hashed.prepare(device, n).unwrap();
    let mut out = ready.outputs().unwrap();
    for round in 0..4u32 {
        let xs: Vec<u32> = (0..n).map(|i| key(i) ^ round).collect();
        ready.run_into(&device.upload(&xs).unwrap(), &mut out).unwrap();
        assert!(out.to_vec().unwrap() == hashes(&xs), "{n} elements, run {round}");
    }
}

/// The bytes of a plan's own memory, for `n` bytes of text in tiles of 1024.
pub fn temporary_bytes(device: &Device, n: usize) -> u64 {
    let plan = plan_module(device_quoted.module().info(), &LaunchOptions::DEFAULT, device, &[n as u64]);
    plan.unwrap().temporary_bytes()
}
