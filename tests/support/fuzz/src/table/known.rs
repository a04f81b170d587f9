//! What takes a length that is known, in a block.

use super::Form::{Grid, Padded};
use super::Row;
use super::lists::{made, map, sorted, sum, sums, swapped};

pub const ROWS: &[Row] = &[
    ("rotate", Padded, "c.rotate(5).push()", |c| made(64, |i| c[(i + 5) % 64])),
    ("every_nth", Padded, "c.every_nth(7, 2).push()", |c| c.iter().skip(2).step_by(7).copied().collect()),
    ("first last singleton", Padded, "singleton(c.first() ^ c.last()).push()", |c| vec![c[0] ^ c[63]]),
    ("tail head_tail", Padded, "{ let (x, xs) = c.head_tail(); xs.map(|y| x ^ y).append(c.tail()).push() }", |c| {
        [map(&c[1..], |y| c[0] ^ y), c[1..].to_vec()].concat()
    }),
    ("split_up concat", Padded, "c.split_up(8).map(|r| r.reverse()).concat().push()", |c| {
        c.chunks(8).flat_map(|r| r.iter().rev().copied()).collect()
    }),
    ("split_into", Padded, "c.split_into(4).map(|r| r.reverse()).concat().push()", |c| {
        c.chunks(16).flat_map(|r| r.iter().rev().copied()).collect()
    }),
    ("coalesce", Padded, "c.coalesce(4).concat().push()", |c| made(64, |k| c[k / 4 + 16 * (k % 4)])),
    ("even_odds", Padded, "{ let (a, b) = c.even_odds(); a.append(b).push() }", |c| {
        made(64, |i| if i < 32 { c[2 * i] } else { c[2 * i - 63] })
    }),
    ("on_pairs pair", Padded, "c.on_pairs(|a, b| (b, a)).pair().map(|p| p.0 - p.1).push()", |c| {
        made(32, |i| c[2 * i + 1].wrapping_sub(c[2 * i]))
    }),
    ("triple", Padded, "c.take(63).triple().map(|t| t.0 + t.1 - t.2).push()", |c| {
        made(21, |i| c[3 * i].wrapping_add(c[3 * i + 1]).wrapping_sub(c[3 * i + 2]))
    }),
    ("quadruple", Padded, "c.quadruple().map(|q| q.0 - q.3).push()", |c| {
        made(16, |i| c[4 * i].wrapping_sub(c[4 * i + 3]))
    }),
    ("transpose reshape flatten", Padded, "c.reshape(4, 16).transpose().flatten().push()", |c| {
        made(64, |i| c[i % 4 * 16 + i / 4])
    }),
    ("tiles row col", Padded, "{ let m = c.reshape(8, 8).tiles(4, 4)[1][0]; m.row(2).append(m.col(3)).push() }", |c| {
        [made(4, |j| c[48 + j]), made(4, |i| c[(4 + i) * 8 + 3])].concat()
    }),
    (
        "rows cols sub mk_mat",
        Padded,
        "{ let m = c.reshape(8, 8).sub(2, 1, 3, 4); mk_mat(m.cols(), m.rows(), |r, k| m[(k, r)]).concat().push() }",
        |c| made(12, |i| c[(2 + i % 3) * 8 + 1 + i / 3]),
    ),
    ("split_2d", Padded, "c.split_2d(8, 2, 4)[3].push()", |c| made(8, |k| c[(2 + k / 4) * 8 + 4 + k % 4])),
    ("two", Padded, "c.two(|h| h.scan(|a, b| a + b).compute()).push()", |c| [sums(&c[..32]), sums(&c[32..])].concat()),
    ("bin_split in_step", Padded, "c.bin_split(3, |p| p.map(|x| x + 1).compute().reverse()).push()", |c| {
        c.chunks(8).flat_map(|p| map(p, |x| x.wrapping_add(1)).into_iter().rev()).collect()
    }),
    ("ilv ilv1", Padded, "c.ilv(3, min, max).ilv1(0, min, max).push()", |c| swapped(&swapped(c, 8, 8), 1, 1)),
    ("ilv2", Padded, "c.ilv2(4, min, max)", |c| swapped(c, 16, 16)),
    ("vee vee1", Padded, "c.vee(3, min, max).vee1(1, min, max).push()", |c| swapped(&swapped(c, 8, 15), 2, 3)),
    ("vee2", Padded, "c.vee2(4, min, max)", |c| swapped(c, 16, 31)),
    ("ilv_vee ilv_vee1", Padded, "c.ilv_vee(1, 2, min, max).ilv_vee1(2, 1, min, max).push()", |c| {
        swapped(&swapped(c, 8, 14), 8, 12)
    }),
    ("ilv_vee2", Padded, "c.ilv_vee2(1, 2, min, max)", |c| swapped(c, 8, 14)),
    ("i_swap2", Padded, "c.i_swap2(4, min, max)", |c| swapped(&swapped(c, 16, 16), 8, 8)),
    ("i_swap3 ilv_columns", Padded, "c.i_swap3(5, min, max)", |c| swapped(&swapped(&swapped(c, 32, 32), 16, 16), 8, 8)),
    (
        "bitonic_merge",
        Padded,
        "{ let s = sort(c); let (a, b) = s.even_odds(); a.append(b.reverse()).bitonic_merge() }",
        sorted,
    ),
    (
        "bitonic_merge_by",
        Padded,
        "{ let s = sort(c); let (a, b) = s.even_odds(); a.append(b.reverse()).bitonic_merge_by(|a, b| a <= b) }",
        sorted,
    ),
    (
        "bitonic_merge_with",
        Padded,
        "{ let s = sort(c); let (a, b) = s.even_odds(); a.append(b.reverse()).bitonic_merge_with(min, max).push() }",
        sorted,
    ),
    ("sort_bitonic", Padded, "c.sort_bitonic().push()", sorted),
    ("sort_bitonic_by", Padded, "c.sort_bitonic_by(|a, b| a <= b).push()", sorted),
    ("sort_odd_even", Padded, "c.sort_odd_even().push()", sorted),
    ("sort_odd_even_by", Padded, "c.sort_odd_even_by(|a, b| a <= b).push()", sorted),
    ("sort_periodic", Padded, "c.sort_periodic().push()", sorted),
    ("sort_periodic_by", Padded, "c.sort_periodic_by(|a, b| a <= b).push()", sorted),
    ("sort_tree", Padded, "c.sort_tree().push()", sorted),
    ("sort_tree_by", Padded, "c.sort_tree_by(|a, b| a <= b).push()", sorted),
    ("tsort1 tsort", Padded, "c.tsort1().push()", sorted),
    ("tsort2", Padded, "c.tsort2().push()", sorted),
    ("vsort1 vsort", Padded, "c.vsort1().push()", sorted),
    ("vsort2", Padded, "c.vsort2().push()", sorted),
    ("red1", Padded, "c.red1(|a, b| a + b)", |c| vec![sum(c)]),
    ("red2", Padded, "c.red2(|a, b| a + b)", |c| vec![sum(c)]),
    ("red3", Padded, "c.red3(4, |a, b| a + b)", |c| vec![sum(c)]),
    ("red4", Padded, "c.red4(|a, b| a + b)", |c| vec![sum(c)]),
    ("red5 red_coalesced", Padded, "c.red5(|a, b| a + b)", |c| vec![sum(c)]),
    ("red6", Padded, "c.red6(|a, b| a + b)", |c| vec![sum(c)]),
    ("red7", Padded, "c.red7(|a, b| a + b)", |c| vec![sum(c)]),
    (
        "reduce_block",
        Grid,
        "xs.chunks(512).as_grid_map(|c| exec_block(c.pad_to(512, 7).reduce_block(|a, b| a + b)))",
        |xs| xs.chunks(512).map(|c| sum(c).wrapping_add(7 * (512 - c.len() as u32))).collect(),
    ),
    (
        "scan_block",
        Grid,
        "xs.chunks(512).as_grid_map(|c| exec_block(c.pad_to(512, 7).scan_block(|a, b| a + b)))",
        |xs| {
            let filled = |c: &[u32]| sums(&[c, &vec![7; 512 - c.len()]].concat());
            xs.chunks(512).flat_map(filled).collect()
        },
    ),
    ("scan_brent_kung", Padded, "c.scan_brent_kung(|a, b| a + b).push()", sums),
    ("scan_kogge_stone", Padded, "c.scan_kogge_stone(|a, b| a + b).push()", sums),
    ("scan_kogge_stone_push", Padded, "c.scan_kogge_stone_push(|a, b| a + b).push()", sums),
    ("scan_sklansky1", Padded, "c.scan_sklansky1(|a, b| a + b).push()", sums),
    ("scan_sklansky2", Padded, "c.scan_sklansky2(|a, b| a + b).push()", sums),
    ("scan_sklansky3 sklansky_phase", Padded, "c.scan_sklansky3(|a, b| a + b).push()", sums),
    ("load store runs", Padded, "c.load(4).compute().store(4).compute().runs(4)", |c| c.to_vec()),
    ("compute_padded", Padded, "c.compute_padded(8, 1).reverse().push()", |c| c.iter().rev().copied().collect()),
    ("compute_rows_padded", Padded, "c.reshape(8, 8).compute_rows_padded(1).transpose().concat().push()", |c| {
        made(64, |i| c[i % 8 * 8 + i / 8])
    }),
    (
        "compute_in_place",
        Padded,
        "{ let m = new_mut(c.push()); let all = m.to_pull(); compute_in_place(all.ilv2(2, min, max), m).push() }",
        |c| swapped(c, 4, 4),
    ),
    ("power", Padded, "power(c, 3, |k, xs| xs.map(|x| x + k).push()).push()", |c| map(c, |x| x.wrapping_add(3))),
    (
        "while_ while_it_shrinks while_of_one_length",
        Padded,
        "while_(c, |xs| xs.len() > 1, |xs| { let (a, b) = xs.halve(); a.zip_with(b, |a, b| a + b).push() }).push()",
        |c| vec![sum(c)],
    ),
    (
        "s_map_accum",
        Padded,
        "c.split_up(16).s_map_accum(1u32, |acc, p| (acc + p[0], p.map(|x| x ^ acc).push()))",
        |c| {
            let mut acc = 1u32;
            let part = |p: &[u32]| {
                let made = map(p, |x| x ^ acc);
                acc = acc.wrapping_add(p[0]);
                made
            };
            c.chunks(16).flat_map(part).collect()
        },
    ),
    ("push_each", Padded, "push_each(32, 2, |i, j| (c[2 * i + j], 63 - 2 * i - j))", |c| {
        c.iter().rev().copied().collect()
    }),
    ("lift_in as_block_map", Padded, "c.split_up(8).map(|r| exec_thread(r.reverse())).lift_in()", |c| {
        c.chunks(8).flat_map(|r| r.iter().rev().copied()).collect()
    }),
    ("rep", Padded, "rep(3, |xs| xs.map(|x| x + 1).compute(), c).push()", |c| map(c, |x| x.wrapping_add(3))),
    ("dot", Padded, "c.dot(c)", |c| vec![c.iter().fold(0u32, |a, x| a.wrapping_add(x.wrapping_mul(*x)))]),
];
