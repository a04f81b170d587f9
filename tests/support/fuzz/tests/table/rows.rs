//! The rows of the table: functions of the library, a kernel of them, and what it means on lists.

/// What a kernel takes and how it is written around a row's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `xs` is the input at `Grid`.
    Grid,
    /// `c` is a chunk of at most 64 elements of it, in a block.
    Chunk,
    /// `c` is a chunk of exactly 64, what the last one lacks being 7, in a block.
    Padded,
    /// `c` is a warp's 32 of the same.
    Warp,
    /// `c` is a thread's 8 of the same.
    Thread,
    /// `xs` is the input at `Device`.
    Device,
    /// The same, for a result that is one value.
    OfDevice,
}

/// A row: functions by name, the form of the kernel, its text, and what it gives: of the whole input, or of each part.
pub type Row = (&'static str, Form, &'static str, fn(&[u32]) -> Vec<u32>);

/// Element by element.
fn map(xs: &[u32], f: impl Fn(u32) -> u32) -> Vec<u32> {
    xs.iter().map(|&x| f(x)).collect()
}

/// `f` of each index.
fn made(n: usize, f: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..n).map(f).collect()
}

fn sum(xs: &[u32]) -> u32 {
    xs.iter().fold(0, |a, b| a.wrapping_add(*b))
}

fn sums(xs: &[u32]) -> Vec<u32> {
    made(xs.len(), |i| sum(&xs[..=i]))
}

fn sorted(xs: &[u32]) -> Vec<u32> {
    let mut xs = xs.to_vec();
    xs.sort_unstable();
    xs
}

/// The elements of which `keep` holds, then the others.
fn parted(xs: &[u32], keep: impl Fn(u32) -> bool) -> Vec<u32> {
    let (mut first, others): (Vec<u32>, Vec<u32>) = xs.iter().partition(|x| keep(**x));
    first.extend(others);
    first
}

/// Partners `mask` apart: the lower place has the smaller of the two.
fn swapped(xs: &[u32], distance: usize, mask: usize) -> Vec<u32> {
    made(xs.len(), |i| if i & distance == 0 { xs[i].min(xs[i ^ mask]) } else { xs[i ^ mask].max(xs[i]) })
}

/// The sum of each element and of its neighbours, which `at` finds; `None` counts as 5.
fn neighbours(xs: &[u32], at: impl Fn(isize, isize) -> Option<isize>) -> Vec<u32> {
    let n = xs.len() as isize;
    made(xs.len(), |i| {
        let of = |d: isize| at(i as isize + d, n).map_or(5, |j| xs[j as usize]);
        of(-1).wrapping_add(of(0)).wrapping_add(of(1))
    })
}

fn mirrored(i: isize, n: isize) -> isize {
    if n == 1 {
        0
    } else if i < 0 {
        -i
    } else if i >= n {
        2 * n - 2 - i
    } else {
        i
    }
}

/// How often each of 16 keys is there.
fn counted(xs: &[u32]) -> Vec<u32> {
    made(16, |k| xs.iter().filter(|x| **x % 16 == k as u32).count() as u32)
}

/// The first elements of runs of equal ones.
fn firsts(xs: &[u32]) -> Vec<u32> {
    let mut all = map(xs, |x| x % 3);
    all.dedup();
    all
}

/// Sums within segments that begin at 0 and at each element that 5 divides.
fn in_segments(xs: &[u32]) -> Vec<u32> {
    let mut acc = 0u32;
    map_with(xs, |x| {
        acc = if x % 5 == 0 { x } else { acc.wrapping_add(x) };
        acc
    })
}

fn map_with(xs: &[u32], mut f: impl FnMut(u32) -> u32) -> Vec<u32> {
    xs.iter().map(|&x| f(x)).collect()
}

use Form::{Chunk, Device, Grid, OfDevice, Padded, Thread, Warp};

pub const ROWS: &[Row] = &[
    // Arrays of any length.
    ("map push", Grid, "xs.map(|x| 3 * x + 1).push()", |xs| map(xs, |x| x.wrapping_mul(3).wrapping_add(1))),
    ("generate mk_pull len", Grid, "generate(xs.len(), |i| xs[i] + i).push()", |xs| {
        made(xs.len(), |i| xs[i].wrapping_add(i as u32))
    }),
    ("zip", Grid, "xs.zip(xs.reverse()).map(|p| p.0 ^ 2 * p.1).push()", |xs| {
        made(xs.len(), |i| xs[i] ^ xs[xs.len() - 1 - i].wrapping_mul(2))
    }),
    ("zip3", Grid, "xs.zip3(xs.reverse(), iota(xs.len())).map(|t| t.0 ^ (t.1 + t.2)).push()", |xs| {
        made(xs.len(), |i| xs[i] ^ xs[xs.len() - 1 - i].wrapping_add(i as u32))
    }),
    ("zip_with iota", Grid, "xs.zip_with(iota(xs.len()), |x, i| x ^ i).push()", |xs| {
        made(xs.len(), |i| xs[i] ^ i as u32)
    }),
    ("zip_with3", Grid, "xs.zip_with3(xs, iota(xs.len()), |x, y, i| x + y - i).push()", |xs| {
        made(xs.len(), |i| xs[i].wrapping_mul(2).wrapping_sub(i as u32))
    }),
    ("unzip", Grid, "{ let (a, b) = unzip(xs.map(|x| (x, x / 2))); a.zip_with(b, |a, b| a - b).push() }", |xs| {
        map(xs, |x| x - x / 2)
    }),
    (
        "unzip3",
        Grid,
        "{ let (a, b, c) = unzip3(xs.map(|x| (x, x / 2, x % 3))); a.zip_with3(b, c, |a, b, c| a - b + c).push() }",
        |xs| map(xs, |x| (x - x / 2).wrapping_add(x % 3)),
    ),
    ("take", Grid, "xs.take(xs.len() / 3).push()", |xs| xs[..xs.len() / 3].to_vec()),
    ("drop", Grid, "xs.drop(xs.len() / 3).push()", |xs| xs[xs.len() / 3..].to_vec()),
    ("shift_left", Grid, "xs.shift_left(xs.len() / 4).push()", |xs| xs[xs.len() / 4..].to_vec()),
    ("take_last", Grid, "xs.take_last(xs.len() / 3).push()", |xs| xs[xs.len() - xs.len() / 3..].to_vec()),
    ("split_at append add_exact", Grid, "{ let (a, b) = xs.split_at(xs.len() / 2); b.append(a).push() }", |xs| {
        [&xs[xs.len() / 2..], &xs[..xs.len() / 2]].concat()
    }),
    ("halve", Grid, "{ let (a, b) = xs.halve(); b.append(a).push() }", |xs| {
        [&xs[xs.len() / 2..], &xs[..xs.len() / 2]].concat()
    }),
    ("get_or", Grid, "{ let n = xs.len(); mk_pull(n, |i| xs.get_or(i + 3, 9)).push() }", |xs| {
        made(xs.len(), |i| xs.get(i + 3).copied().unwrap_or(9))
    }),
    ("reverse", Grid, "xs.reverse().push()", |xs| xs.iter().rev().copied().collect()),
    ("ix_map", Grid, "{ let n = xs.len(); xs.ix_map(|i| n - 1 - i).push() }", |xs| xs.iter().rev().copied().collect()),
    ("evens", Grid, "xs.evens().push()", |xs| xs.iter().step_by(2).copied().collect()),
    ("odds", Grid, "xs.odds().push()", |xs| xs.iter().skip(1).step_by(2).copied().collect()),
    ("shift_right", Grid, "xs.shift_right(3, 8).push()", |xs| made(xs.len(), |i| if i < 3 { 8 } else { xs[i - 3] })),
    ("replicate", Grid, "replicate(xs.len(), 4u32).push()", |xs| made(xs.len(), |_| 4)),
    ("interleave unpair", Grid, "xs.interleave(xs.reverse()).push()", |xs| {
        made(2 * xs.len(), |i| if i % 2 == 0 { xs[i / 2] } else { xs[xs.len() - 1 - i / 2] })
    }),
    ("untriple", Grid, "xs.map(|x| (x, x + 1, x + 2)).untriple().push()", |xs| {
        made(3 * xs.len(), |i| xs[i / 3].wrapping_add(i as u32 % 3))
    }),
    ("unquadruple", Grid, "xs.map(|x| (x, x + 1, x + 2, x + 3)).unquadruple().push()", |xs| {
        made(4 * xs.len(), |i| xs[i / 4].wrapping_add(i as u32 % 4))
    }),
    ("pad_to", Grid, "xs.pad_to(xs.len() + 5, 6).push()", |xs| [xs, &[6; 5]].concat()),
    ("split_up_padded as_grid_map", Grid, "xs.split_up_padded(10, 7).as_grid_map(|c| c.reverse().push())", |xs| {
        xs.chunks(10).flat_map(|c| (0..10).rev().map(|i| c.get(i).copied().unwrap_or(7)).collect::<Vec<_>>()).collect()
    }),
    ("chunks", Grid, "xs.chunks(50).as_grid_map(|c| c.reverse().push())", |xs| {
        xs.chunks(50).flat_map(|c| c.iter().rev().copied()).collect()
    }),
    ("to_dyn", Grid, "xs.to_dyn().push().to_dyn()", |xs| xs.to_vec()),
    (
        "mk_push for_all",
        Grid,
        "{ let n = xs.len(); mk_push(n, |write| for_all(n, |i| write(xs[n - 1 - i], i))) }",
        |xs| xs.iter().rev().copied().collect(),
    ),
    ("stencil", Grid, "xs.stencil(1, |w| w[0] + w[1] + w[2]).push()", |xs| {
        neighbours(xs, |i, n| Some(i.clamp(0, n - 1)))
    }),
    ("stencil_fill", Grid, "xs.stencil_fill(1, 5, |w| w[0] + w[1] + w[2]).push()", |xs| {
        neighbours(xs, |i, n| (0..n).contains(&i).then_some(i))
    }),
    ("stencil_wrap", Grid, "xs.stencil_wrap(1, |w| w[0] + w[1] + w[2]).push()", |xs| {
        neighbours(xs, |i, n| Some(i.rem_euclid(n)))
    }),
    ("stencil_mirror", Grid, "xs.stencil_mirror(1, |w| w[0] + w[1] + w[2]).push()", |xs| {
        neighbours(xs, |i, n| Some(mirrored(i, n)))
    }),
    // What takes any length in a block.
    ("reduce", Chunk, "reduce(c, |a, b| a + b)", |c| vec![sum(c)]),
    ("scan", Chunk, "scan(c, |a, b| a + b).push()", sums),
    ("scan_exclusive", Chunk, "scan_exclusive(c, 3, |a, b| a + b).push()", |c| {
        made(c.len(), |i| sum(&c[..i]).wrapping_add(3))
    }),
    ("scan_by_tiles", Chunk, "scan_by_tiles(c, |a, b| a + b)", sums),
    ("segmented_scan", Chunk, "segmented_scan(c, c.map(|x| x % 5 == 0), |a, b| a + b).push()", in_segments),
    ("sort", Chunk, "sort(c).push()", sorted),
    ("sort_by", Chunk, "sort_by(c, |a, b| a >= b).push()", |c| sorted(c).into_iter().rev().collect()),
    ("histogram", Chunk, "histogram(c.map(|x| x % 16), 16).push()", counted),
    ("partition", Chunk, "{ let (all, n) = partition(c, |x| x % 3 == 0); all.map(|x| x + n).push() }", |c| {
        let kept = c.iter().filter(|x| **x % 3 == 0).count() as u32;
        map(&parted(c, |x| x % 3 == 0), |x| x.wrapping_add(kept))
    }),
    ("compact", Chunk, "{ let k = compact(c, |x| x % 3 == 0); mk_pull(c.len(), |i| k.get_or(i, 9)).push() }", |c| {
        let kept: Vec<u32> = c.iter().filter(|x| **x % 3 == 0).copied().collect();
        made(c.len(), |i| kept.get(i).copied().unwrap_or(9))
    }),
    ("radix_sort", Chunk, "radix_sort(c.map(|x| x % 8), 3, |x| x).push()", |c| sorted(&map(c, |x| x % 8))),
    ("compute", Chunk, "c.map(|x| x + 1).compute().reverse().push()", |c| {
        map(c, |x| x.wrapping_add(1)).into_iter().rev().collect()
    }),
    ("force", Chunk, "c.force().reverse().push()", |c| c.iter().rev().copied().collect()),
    ("fill_up bound blank", Chunk, "fill_up(c).take(1).push()", |c| vec![c[0]]),
    (
        "new_mut to_pull",
        Padded,
        "{ let m = new_mut(c.push()); for_all(64, |i| { m[i] = m[i] + 1; }); m.to_pull().push() }",
        |c| map(c, |x| x.wrapping_add(1)),
    ),
    (
        "atomic_add",
        Chunk,
        "{ let m = new_mut(replicate(4, 0u32).push()); for_all(c.len(), |i| { atomic_add(m, c[i] % 4, 1); }); m.to_pull().compute().push() }",
        |c| made(4, |k| c.iter().filter(|x| **x % 4 == k as u32).count() as u32),
    ),
    ("sum", Chunk, "c.sum()", |c| vec![sum(c)]),
    ("product", Chunk, "c.product()", |c| vec![c.iter().fold(1, |a, b| a.wrapping_mul(*b))]),
    ("minimum", Chunk, "c.minimum()", |c| c.iter().copied().min().into_iter().collect()),
    ("maximum", Chunk, "c.maximum()", |c| c.iter().copied().max().into_iter().collect()),
    ("count", Chunk, "c.count(|x| x % 3 == 0)", |c| vec![c.iter().filter(|x| **x % 3 == 0).count() as u32]),
    ("seq_fold", Chunk, "seq_fold(c.len(), 0u32, |acc, i| 3 * acc + c[i])", |c| {
        vec![c.iter().fold(0u32, |a, x| a.wrapping_mul(3).wrapping_add(*x))]
    }),
    // What takes a length that is known.
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
    // In a warp.
    ("reduce_lanes", Warp, "c.reduce_lanes(|a, b| a + b)", |c| vec![sum(c)]),
    ("scan_lanes", Warp, "c.scan_lanes(|a, b| a + b).push()", sums),
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
        map_with(c, |x| {
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
    // Several launches.
    ("reduce", OfDevice, "reduce(xs.append(singleton(1u32).to_dyn()), |a, b| a + b).first()", |xs| {
        vec![sum(xs).wrapping_add(1)]
    }),
    ("scan", Device, "scan(xs, |a, b| a + b)", sums),
    ("scan_exclusive", Device, "scan_exclusive(xs, 3, |a, b| a + b)", |xs| {
        made(xs.len(), |i| sum(&xs[..i]).wrapping_add(3))
    }),
    ("segmented_scan", Device, "segmented_scan(xs, xs.map(|x| x % 5 == 0), |a, b| a + b)", in_segments),
    ("scan_by_key", Device, "scan_by_key(xs.map(|x| x % 3), xs, |a, b| a + b)", |xs| {
        let mut acc = 0u32;
        made_with(xs, |i| {
            acc = if i > 0 && xs[i] % 3 == xs[i - 1] % 3 { acc.wrapping_add(xs[i]) } else { xs[i] };
            acc
        })
    }),
    ("histogram", Device, "histogram(xs.map(|x| x % 16), 16).to_dyn()", counted),
    ("sort", Device, "sort(xs)", sorted),
    ("sort_by", Device, "sort_by(xs, |a, b| a >= b)", |xs| sorted(xs).into_iter().rev().collect()),
    ("sort_by_key", Device, "sort_by_key(xs, |x| x % 4)", |xs| {
        let mut all = xs.to_vec();
        all.sort_by_key(|x| x % 4);
        all
    }),
    ("filter", Device, "filter(xs, |x| x % 3 == 0)", |xs| xs.iter().filter(|x| **x % 3 == 0).copied().collect()),
    ("filter_places", Device, "filter_places(xs, |i| i % 3 == 0)", |xs| xs.iter().step_by(3).copied().collect()),
    ("partition", Device, "{ let (a, b) = partition(xs, |x| x % 3 == 0); a.append(b).compute() }", |xs| {
        parted(xs, |x| x % 3 == 0)
    }),
    ("unique", Device, "unique(xs.map(|x| x % 3))", firsts),
    ("run_length", Device, "run_length(xs.map(|x| x % 3)).map(|r| r.0).compute()", firsts),
    ("top_k", Device, "top_k(xs, min(xs.len(), 5))", |xs| sorted(xs).into_iter().rev().take(5).collect()),
    ("top_k_by", Device, "top_k_by(xs, min(xs.len(), 5), |a, b| a <= b)", |xs| {
        sorted(xs).into_iter().take(5).collect()
    }),
    ("transpose_2d", Device, "transpose_2d(xs, max(xs.len(), 1))", |xs| xs.to_vec()),
    ("count", OfDevice, "count(xs, |x| x % 3 == 0)", |xs| vec![xs.iter().filter(|x| **x % 3 == 0).count() as u32]),
    ("sum", OfDevice, "xs.sum()", |xs| vec![sum(xs)]),
    (
        "chain",
        Device,
        "chain(xs.chunks(10), 1u32, |t| (t[0], ()), |p, a| p + a, |t, p, _m| t.map(|x| x ^ p).push())",
        |xs| {
            let mut acc = 1u32;
            let part = |p: &[u32]| {
                let made = map(p, |x| x ^ acc);
                acc = acc.wrapping_add(p[0]);
                made
            };
            xs.chunks(10).flat_map(part).collect()
        },
    ),
];

fn made_with(xs: &[u32], f: impl FnMut(usize) -> u32) -> Vec<u32> {
    (0..xs.len()).map(f).collect()
}
