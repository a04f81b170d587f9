//! Kernels as experts write them, against plain Rust: odd lengths and shapes, none at all.

use super::*;

/// Numbers from -1 to 1.
fn reals(n: usize) -> Vec<f32> {
    hashes(n as u32).iter().map(|x| (x >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
}

/// Whether each number is the other's but for its rounding.
fn assert_near(found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((f64::from(*a) - b).abs() <= tolerance, "{i}: {a}, not {b}");
    }
}

#[test]
fn fourier_transforms() {
    let turn = |i: usize| (i as f64 * std::f64::consts::TAU / 1024.0).sin_cos();
    let roots: Vec<(f32, f32)> = (0..1024).map(turn).map(|(sin, cos)| (cos as f32, -sin as f32)).collect();
    let xs: Vec<(f32, f32)> = reals(6 * 1024).chunks(2).map(|x| (x[0], x[1])).collect();
    let dev = Device::cpu();
    let found = programs::fft_1024.run(&dev, &dev.upload(&xs).unwrap(), &dev.upload(&roots).unwrap());
    let found = found.unwrap().to_vec().unwrap();
    for (row, of_row) in xs.chunks(1024).zip(found.chunks(1024)) {
        let at = |k: usize| {
            row.iter().enumerate().fold((0.0, 0.0), |sum: (f64, f64), (i, x)| {
                let ((sin, cos), x) = (turn(i * k % 1024), (f64::from(x.0), f64::from(x.1)));
                (sum.0 + x.0 * cos + x.1 * sin, sum.1 + x.1 * cos - x.0 * sin)
            })
        };
        let expected: Vec<(f64, f64)> = (0..1024).map(at).collect();
        let (re, im): (Vec<f64>, Vec<f64>) = expected.into_iter().unzip();
        assert_near(&of_row.iter().map(|x| x.0).collect::<Vec<_>>(), &re, 1e-4);
        assert_near(&of_row.iter().map(|x| x.1).collect::<Vec<_>>(), &im, 1e-4);
    }
    everywhere!(programs::fft_1024, (upload!(xs), upload!(roots)), found);
}

#[test]
fn pictures_are_folded_along_both_sides() {
    let dev = Device::cpu();
    let weights = [0.0625f32, 0.25, 0.375, 0.25, 0.0625];
    for (rows, cols) in [(1, 1), (7, 333), (33, 31), (64, 32), (0, 5), (5, 0), (65, 97)] {
        let xs = reals(rows * cols);
        let near = |at: usize, by: usize, n: usize| (at + by).max(2).min(n + 1) - 2;
        let sum = |of: &dyn Fn(usize) -> f32| (0..5).map(|k| weights[k] * of(k)).reduce(|a, b| a + b).unwrap();
        let along = |r: usize, c: usize| sum(&|k| xs[r * cols + near(c, k, cols)]);
        let at = |i: usize| sum(&|k| along(near(i / cols, k, rows), i % cols));
        let expected: Vec<f32> = (0..rows * cols).map(at).collect();
        let (m, w) = (dev.upload_matrix(&xs, rows, cols).unwrap(), dev.upload(&weights).unwrap());
        for variant in programs::convolved.kernel().variants() {
            let found = programs::convolved.with(variant).run(&dev, &m, &w).unwrap();
            assert_eq!(((found.rows(), found.cols()), found.to_vec().unwrap()), ((rows, cols), expected.clone()));
        }
    }
}

#[test]
fn bodies_pull_one_another() {
    for n in [0, 1, 63, 64, 65, 300] {
        let bodies: Vec<(f32, f32, f32, f32)> =
            reals(4 * n).chunks(4).map(|b| (b[0], b[1], b[2], b[3].abs())).collect();
        let force = |me: &(f32, f32, f32, f32)| {
            bodies.iter().fold((0.0f32, 0.0f32, 0.0f32), |sum, b| {
                let (x, y, z) = (b.0 - me.0, b.1 - me.1, b.2 - me.2);
                let near = x.mul_add(x, y.mul_add(y, z.mul_add(z, 0.0001)));
                let s = b.3 / (near * near.sqrt());
                (sum.0 + x * s, sum.1 + y * s, sum.2 + z * s)
            })
        };
        let expected: Vec<(f32, f32, f32)> = bodies.iter().map(force).collect();
        everywhere!(programs::large::nbody_tiles, (upload!(bodies)), expected);
    }
}

#[test]
fn rows_are_normed() {
    let dev = Device::cpu();
    for (rows, cols) in [(1, 1), (7, 333), (3, 5000), (0, 4)] {
        let xs = reals(rows * cols);
        let row = |row: &[f32]| {
            let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / cols as f64;
            let variance = row.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / cols as f64;
            row.iter().map(|&x| (f64::from(x) - mean) / (variance + 0.00001).sqrt()).collect::<Vec<_>>()
        };
        let expected: Vec<f64> = xs.chunks(cols).flat_map(row).collect();
        let m = dev.upload_matrix(&xs, rows, cols).unwrap();
        for variant in programs::row_norms.kernel().variants() {
            let found = programs::row_norms.with(variant).run(&dev, &m).unwrap();
            assert_eq!((found.rows(), found.cols()), (rows, cols));
            assert_near(&found.to_vec().unwrap(), &expected, 1e-4);
        }
    }
}

/// Rows without elements have norms without elements, though nothing has no mean.
#[test]
fn rows_of_nothing() {
    let dev = Device::cpu();
    let found = programs::row_norms.run(&dev, &dev.upload_matrix(&[0.0f32; 0], 4, 0).unwrap()).unwrap();
    assert_eq!((found.rows(), found.cols(), found.to_vec().unwrap()), (4, 0, Vec::new()));
}

/// Whole numbers, of which every order of sums is exact.
#[test]
fn sparse_rows_are_summed_by_blocks() {
    let ends: Vec<u32> = [0, 1, 700, 0, 129, 5]
        .iter()
        .scan(0, |sum, n| {
            *sum += n;
            Some(*sum)
        })
        .collect();
    let firsts = [0].into_iter().chain(ends.iter().copied());
    let rows: Vec<(u32, u32)> = firsts.zip(ends.iter().copied()).collect();
    let entries: Vec<(u32, f32)> = hashes(835).iter().map(|x| (x % 50, (x >> 20) as f32)).collect();
    let x: Vec<f32> = (0..50).map(|i| i as f32 - 20.0).collect();
    let sum = |row: &(u32, u32)| entries[row.0 as usize..row.1 as usize].iter().map(|e| e.1 * x[e.0 as usize]).sum();
    let expected: Vec<f32> = rows.iter().map(sum).collect();
    everywhere!(programs::smvm_blocks, (upload!(rows), upload!(entries), upload!(x)), expected);
}

/// A search from vertex 0, step by step, of a graph whose vertex `v` borders on `2 v + 1`, `3 v` and, if it is even, `v / 2`.
#[test]
fn a_search_in_breadth() {
    let dev = Device::cpu();
    let n = 1000usize;
    let of =
        |v: usize| [2 * v + 1, 3 * v, v / 2].into_iter().take(2 + usize::from(v.is_multiple_of(2))).filter(|&w| w < n);
    let edges: Vec<u32> = (0..n).flat_map(of).map(|w| w as u32).collect();
    let firsts: Vec<u32> = (0..=n).map(|v| (0..v).map(|v| of(v).count() as u32).sum()).collect();
    let mut expected = vec![u32::MAX; n];
    expected[0] = 0;
    let mut found = dev.upload(&expected).unwrap();
    let (firsts, edges) = (dev.upload(&firsts).unwrap(), dev.upload(&edges).unwrap());
    for level in 0.. {
        let frontier: Vec<u32> = (0..n as u32).filter(|&v| expected[v as usize] == level).collect();
        if frontier.is_empty() {
            break;
        }
        for w in frontier.iter().flat_map(|&v| of(v as usize)) {
            expected[w] = expected[w].min(level + 1);
        }
        let frontier = dev.upload(&frontier).unwrap();
        programs::bfs_step.run(&dev, &mut found, &frontier, &firsts, &edges, level + 1).unwrap();
        assert_eq!(found.to_vec().unwrap(), expected);
    }
    assert!(expected.iter().filter(|&&level| level != u32::MAX).count() > 100);
}

/// An edge that leads nowhere is an error of the launch.
#[test]
fn an_edge_to_no_vertex_is_told() {
    let dev = Device::cpu();
    let up = |xs: &[u32]| dev.upload(xs).unwrap();
    let mut levels = up(&[0, u32::MAX]);
    let (frontier, firsts, edges) = (up(&[0]), up(&[0, 3, 3]), up(&[1, 7]));
    let said = programs::bfs_step.run(&dev, &mut levels, &frontier, &firsts, &edges, 1).unwrap_err().to_string();
    assert!(said.contains("bfs_step") && (said.contains("`edges`") || said.contains("`levels`")), "{said}");
}

/// Records are sorted by parts, and those of one key stay in their order.
#[test]
fn records_are_sorted_by_merges_and_by_digits() {
    for n in [0, 1, 2, 3, 5, 499, 500, 501, 700, 703, 2803] {
        let times: Vec<(f32, u32)> = hashes(n).iter().zip(0..).map(|(x, i)| ((x % 97) as f32 - 40.0, i)).collect();
        let mut expected = times.clone();
        expected.chunks_mut(700).for_each(|part| part.sort_by(|a, b| a.0.total_cmp(&b.0)));
        everywhere!(programs::merge_sorted, (upload!(times)), expected);

        // Few numbers of many bits, some of them below zero.
        let number = |x: u32| (x % 53).wrapping_mul(0x9e37_79b9) as i32;
        let records: Vec<(i32, f32)> = hashes(n).iter().zip(0..).map(|(x, i)| (number(*x), i as f32)).collect();
        let mut expected = records.clone();
        expected.chunks_mut(500).for_each(|part| part.sort_by_key(|record| record.0));
        everywhere!(programs::radix_sorted, (upload!(records)), expected);
    }
}
