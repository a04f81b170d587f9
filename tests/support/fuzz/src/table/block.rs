//! What takes any length in a block.

use super::Form::{Chunk, Padded};
use super::Row;
use super::lists::{by_lowest_bits, counted, in_segments, made, map, parted, sorted, sum, sums, sums_before};

pub const ROWS: &[Row] = &[
    ("reduce", Chunk, "reduce(c, |a, b| a + b)", |c| vec![sum(c)]),
    ("scan", Chunk, "scan(c, |a, b| a + b).push()", sums),
    ("scan_exclusive", Chunk, "scan_exclusive(c, 3, |a, b| a + b).push()", sums_before),
    ("scan_by_tiles", Chunk, "scan_by_tiles(c, |a, b| a + b)", sums),
    ("segmented_scan", Chunk, "segmented_scan(c, c.map(|x| x % 5 == 0), |a, b| a + b).push()", in_segments),
    ("sort", Chunk, "sort(c).push()", sorted),
    ("sort_by", Chunk, "sort_by(c, |a, b| a >= b).push()", |c| sorted(c).into_iter().rev().collect()),
    ("merge_sort", Chunk, "merge_sort(c, |a, b| a % 8 <= b % 8).push()", by_lowest_bits),
    ("sort_by_key", Chunk, "sort_by_key(c, |x| x % 8).push()", by_lowest_bits),
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
        "regs",
        Padded,
        "{ let own = regs(16, 4, |t, q| c[t * 4 + q]); for_all(16, |t| for q in 0..4 { own[t][q] ^= t * 10 + q; }); own.push() }",
        |c| c.iter().zip(0..).map(|(x, i)| x ^ (i / 4 * 10 + i % 4)).collect(),
    ),
    (
        "pipeline pipeline_push",
        Padded,
        "{ let own = regs(16, 1, |t, q| c[t]); \
         pipeline(3, 4, |k| mk_pull(16, |i| c[k * 16 + i]), |k, p| for_all(16, |t| { own[t][0] ^= p[15 - t] + k; })); \
         pipeline_push(2, 2, |k| mk_pull(32, |i| c[k * 32 + i]).runs(4), |k, p| for_all(16, |t| { own[t][0] += p[t + 5]; })); own.push() }",
        |c| {
            made(16, |t| {
                let turned = (0..4).fold(c[t], |own, k| own ^ c[k * 16 + 15 - t].wrapping_add(k as u32));
                (0..2).fold(turned, |own: u32, k| own.wrapping_add(c[k * 32 + t + 5]))
            })
        },
    ),
    (
        "new_mut to_pull",
        Padded,
        "{ let m = new_mut(c.push()); for_all(64, |i| { m[i] = m[i] + 1; }); m.to_pull().push() }",
        |c| map(c, |x| x.wrapping_add(1)),
    ),
    (
        "to_rows",
        Padded,
        "{ let m = new_mut(c.append(c)); seq_for(3, |k| for_all(64, |i| { m[(k + 1) % 2 * 64 + i] = m.to_rows(2)[k % 2][c[i] % 64] + 1; })); m.to_rows(2)[1].push() }",
        |c| (0..3).fold(c.to_vec(), |now, _| map(c, |x| now[x as usize % 64].wrapping_add(1))),
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
];
