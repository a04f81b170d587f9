//! Several launches.

use super::Form::{Device, OfDevice};
use super::Row;
use super::lists::{counted, firsts, in_segments, made, map, parted, sorted, sum, sums, sums_before};

pub const ROWS: &[Row] = &[
    ("reduce", OfDevice, "reduce(xs.append(singleton(1u32)), |a, b| a + b).first()", |xs| {
        vec![sum(xs).wrapping_add(1)]
    }),
    ("scan", Device, "scan(xs, |a, b| a + b)", sums),
    ("scan_exclusive", Device, "scan_exclusive(xs, 3, |a, b| a + b)", sums_before),
    ("segmented_scan", Device, "segmented_scan(xs, xs.map(|x| x % 5 == 0), |a, b| a + b)", in_segments),
    ("scan_by_key", Device, "scan_by_key(xs.map(|x| x % 3), xs, |a, b| a + b)", |xs| {
        let mut acc = 0u32;
        made(xs.len(), |i| {
            acc = if i > 0 && xs[i] % 3 == xs[i - 1] % 3 { acc.wrapping_add(xs[i]) } else { xs[i] };
            acc
        })
    }),
    ("histogram", Device, "histogram(xs.map(|x| x % 16), 16).to_dyn()", counted),
    ("sort", Device, "sort(xs)", sorted),
    ("sort_by", Device, "sort_by(xs, |a, b| a >= b)", |xs| sorted(xs).into_iter().rev().collect()),
    ("sort_by_key", Device, "sort_by_key(xs, |x| (x % 4) as u16)", |xs| {
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
