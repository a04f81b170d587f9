//! Arrays of any length, over the grid.

use super::Form::Grid;
use super::Row;
use super::lists::{made, map, mirrored, neighbours};

pub const ROWS: &[Row] = &[
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
    ("append", Grid, "iota(3).append(xs).append(iota(2)).push()", |xs| [&[0, 1, 2], xs, &[0, 1]].concat()),
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
];
