//! Accelerate 2011: maps, folds, slices, stencils.

use super::*;

#[test]
fn maps() {
    let input: Vec<i32> = (0..192).map(|i| h(i) as i32).collect();
    let absolute: Vec<i32> = input.iter().map(|x| x.wrapping_abs()).collect();
    let square: Vec<i32> = input.iter().map(|x| x.wrapping_add(1)).map(|x| x.wrapping_mul(x)).collect();
    everywhere!(programs::absolute, (upload!(input.clone())), absolute);
    everywhere!(programs::plus_square, (upload!(input)), square);
}

/// Sums in the order of a tree: an odd element waits for the next round.
fn tree(mut xs: Vec<f32>) -> f32 {
    while xs.len() > 1 {
        xs = xs.chunks(2).map(|c| if c.len() == 2 { c[0] + c[1] } else { c[0] }).collect();
    }
    xs[0]
}

#[test]
fn folds() {
    let x: Vec<f32> = (0..600).map(|i| h(i) as f32 / 1e9 - 2.0).collect();
    let y: Vec<f32> = (0..512).map(|i| h(i + 7) as f32 / 1e7).collect();
    let products = |c: (&[f32], &[f32])| tree(c.0.iter().zip(c.1).map(|(a, b)| a * b).collect());
    let expected: Vec<f32> = x[..512].chunks(256).zip(y.chunks(256)).map(products).collect();
    everywhere!(programs::dotp, (upload!(x[..512].to_vec()), upload!(y)), expected);
    let expected: Vec<f32> = x.chunks(100).map(|c| tree(c.iter().map(|x| x.abs()).collect())).collect();
    everywhere!(programs::sasum, (upload!(x)), expected);

    let dev = Device::cpu();
    let input: Vec<i32> = (0..260).map(|i| h(i) as i32).collect();
    let (max, min) = programs::fold_max_min.run(&dev, &dev.upload(&input).unwrap()).unwrap();
    assert_eq!(max.to_vec().unwrap(), input.chunks(130).map(|c| *c.iter().max().unwrap()).collect::<Vec<_>>());
    assert_eq!(min.to_vec().unwrap(), input.chunks(130).map(|c| *c.iter().min().unwrap()).collect::<Vec<_>>());
}

/// A6.
#[test]
fn slices_replicated() {
    let dev = Device::cpu();
    let (z, y, x) = programs::replicated.run(&dev, &dev.upload(&[1, 2, 3, 4]).unwrap()).unwrap();
    assert_eq!(z.to_vec().unwrap(), [1, 2, 3, 4, 1, 2, 3, 4]);
    assert_eq!(y.to_vec().unwrap(), [1, 2, 1, 2, 3, 4, 3, 4]);
    assert_eq!(x.to_vec().unwrap(), [1, 1, 2, 2, 3, 3, 4, 4]);
}

/// `3 (3 (3 (3 w0 + w1) + w2) + w3) + w4`, of the five around a place; `at` says what stands beyond the ends.
fn blurred(input: &[i32], at: impl Fn(i64) -> i32) -> Vec<i32> {
    let window = |i: i64| (i - 2..=i + 2).map(&at).reduce(|a, b| a.wrapping_mul(3).wrapping_add(b)).unwrap();
    (0..input.len() as i64).map(window).collect()
}

#[test]
fn stencils_and_what_lies_beyond_the_ends() {
    let input: Vec<i32> = (0..128).map(|i| h(i) as i32).collect();
    let n = input.len() as i64;
    let get = |i: i64| input[i as usize];
    everywhere!(programs::blur, (upload!(input.clone())), blurred(&input, |i| get(i.clamp(0, n - 1))));
    let filled = |i: i64| if (0..n).contains(&i) { get(i) } else { 7 };
    everywhere!(programs::blur_filled, (upload!(input.clone())), blurred(&input, filled));
    everywhere!(programs::blur_wrapped, (upload!(input.clone())), blurred(&input, |i| get(i.rem_euclid(n))));
    let mirrored = |i: i64| {
        get(if i < 0 {
            -i
        } else if i >= n {
            2 * n - 2 - i
        } else {
            i
        })
    };
    everywhere!(programs::blur_mirrored, (upload!(input.clone())), blurred(&input, mirrored));
}

kernel! {
    #[kernel(threads = [64, 1])]
    fn mirrored_far(xs: DPull<i32>) -> DPush<Grid, i32> {
        xs.stencil_mirror(4, |near| near[0] * 3 - near[8] * 5 + near[6]).push()
    }
}

/// An array that is not longer than the radius is mirrored at either end once; what lies beyond is its first element.
#[test]
fn a_mirror_image_of_few_elements() {
    for n in 0..12 {
        let input: Vec<i32> = (0..n).map(|i| h(i) as i32).collect();
        let last = i64::from(n) - 1;
        let get = |i: i64| input[(if i.abs() > last { 2 * last - i.abs() } else { i.abs() }).max(0) as usize];
        let near = |i: i64| {
            let (least, most, next) = (get(i - 4), get(i + 4), get(i + 2));
            least.wrapping_mul(3).wrapping_sub(most.wrapping_mul(5)).wrapping_add(next)
        };
        let expected: Vec<i32> = (0..i64::from(n)).map(near).collect();
        everywhere!(mirrored_far, (upload!(input)), expected);
    }
}

#[test]
fn a_stencil_of_a_matrix() {
    let input: Vec<i32> = (0..1024).map(|i| h(i) as i32).collect();
    let get = |i: i64, j: i64| input[(i.clamp(0, 31) * 32 + j.clamp(0, 31)) as usize];
    let window = |i: i64, j: i64| {
        let all = (i - 1..=i + 1).flat_map(|a| (j - 1..=j + 1).map(move |b| (a, b)));
        all.map(|(a, b)| get(a, b)).reduce(|a, b| a.wrapping_mul(3).wrapping_add(b)).unwrap()
    };
    let expected: Vec<i32> = (0..32).flat_map(|i| (0..32).map(move |j| (i, j))).map(|(i, j)| window(i, j)).collect();
    everywhere!(programs::blur_2d, (upload!(input)), expected);
}
