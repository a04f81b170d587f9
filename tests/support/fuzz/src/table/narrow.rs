//! In a warp, and in a thread.

use super::Form::{Padded, Thread, Warp};
use super::Row;
use super::lists::{made, map, sum, sums};

pub const ROWS: &[Row] = &[
    ("reduce_lanes", Warp, "c.reduce_lanes(|a, b| a + b)", |c| vec![sum(c)]),
    ("scan_lanes", Warp, "c.scan_lanes(|a, b| a + b).push()", sums),
    (
        "compute_lanes",
        Padded,
        "c.split_up(64).as_block_map(|w| exec_warp({ let v = w.compute_lanes(2); mk_pull(64, |i| v[i] ^ v[i ^ 5]).runs(2) }))",
        |c| made(64, |i| c[i] ^ c[i ^ 5]),
    ),
    ("compute_lanes", Warp, "{ let v = c.compute_lanes(); mk_pull(32, |i| v[i] ^ v[i ^ 5]).push() }", |c| {
        made(32, |i| c[i] ^ c[i ^ 5])
    }),
    ("ballot", Warp, "c.map(|x| x % 3 == 0).compute_lanes().ballot()", |c| {
        vec![made(32, |i| u32::from(c[i] % 3 == 0) << i).iter().sum()]
    }),
    (
        "any all",
        Warp,
        "{ let v = c.map(|x| x % 3 == 0).compute_lanes(); if v.any() { if v.all() { 2u32 } else { 1 } } else { 0 } }",
        |c| {
            let kept = c.iter().filter(|x| **x % 3 == 0).count();
            vec![u32::from(kept > 0) + u32::from(kept == 32)]
        },
    ),
    ("match_any", Warp, "c.map(|x| x % 4).compute_lanes().match_any().push()", |c| {
        made(32, |i| made(32, |j| u32::from(c[i] % 4 == c[j] % 4) << j).iter().sum())
    }),
    // In a thread.
    ("seq_reduce exec_thread", Thread, "c.seq_reduce(|a, b| 3 * a + b)", |c| {
        vec![c[1..].iter().fold(c[0], |a, b| a.wrapping_mul(3).wrapping_add(*b))]
    }),
    ("foldl", Thread, "c.foldl(2u32, |a, b| 3 * a + b)", |c| {
        vec![c.iter().fold(2, |a, b| a.wrapping_mul(3).wrapping_add(*b))]
    }),
    ("fold1", Thread, "singleton(c.fold1(|a, b| 3 * a + b)).push()", |c| {
        vec![c[1..].iter().fold(c[0], |a, b| a.wrapping_mul(3).wrapping_add(*b))]
    }),
    ("seq_map", Thread, "c.seq_map(|x| x + 1)", |c| map(c, |x| x.wrapping_add(1))),
    ("seq_scan", Thread, "c.seq_scan(|a, b| a + b)", sums),
    ("seq_scan_cin", Thread, "c.seq_scan_cin(3u32, |a, b| a + b)", |c| map(&sums(c), |x| x.wrapping_add(3))),
    ("scanl", Thread, "c.scanl(3u32, |a, b| a + b)", |c| [vec![3], map(&sums(c), |x| x.wrapping_add(3))].concat()),
    ("seq_dot", Thread, "c.seq_dot(c)", |c| vec![c.iter().fold(0u32, |a, x| a.wrapping_add(x.wrapping_mul(*x)))]),
    ("seq_iterate", Thread, "seq_iterate(5, c[0], |k, x| 3 * x + k)", |c| {
        vec![(0..5).fold(c[0], |x, k| x.wrapping_mul(3).wrapping_add(k))]
    }),
    ("map_accum_l", Thread, "c.map_accum_l(1u32, |acc, x| (acc + x, acc ^ x))", |c| {
        let mut acc = 1u32;
        map(c, |x| {
            let y = acc ^ x;
            acc = acc.wrapping_add(x);
            y
        })
    }),
    ("map_accum_r", Thread, "c.map_accum_r(1u32, |acc, x| (acc + x, acc ^ x))", |c| {
        made(8, |i| sum(&c[i + 1..]).wrapping_add(1) ^ c[i])
    }),
    ("seq_while", Thread, "seq_while(c[0] % 50, |x| x < 100, |x| 2 * x + 1)", |c| {
        let mut x = c[0] % 50;
        while x < 100 {
            x = 2 * x + 1;
        }
        vec![x]
    }),
    ("seq_until", Thread, "seq_until(c[0] % 50, |x| x >= 100, |x| 2 * x + 1)", |c| {
        let mut x = c[0] % 50;
        while x < 100 {
            x = 2 * x + 1;
        }
        vec![x]
    }),
];
