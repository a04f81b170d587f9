//! What the language offers beside the papers.

use super::*;

#[test]
fn several_outputs() {
    let dev = Device::cpu();
    let pairs: Vec<(i32, i32)> = (0..256).map(|i| (i * 3, i)).collect();
    let (sum, difference) = programs::sum_and_difference.run(&dev, &dev.upload(&pairs).unwrap()).unwrap();
    assert_eq!(sum.to_vec().unwrap(), (0..256).map(|i| 4 * i).collect::<Vec<_>>());
    assert_eq!(difference.to_vec().unwrap(), (0..256).map(|i| 2 * i).collect::<Vec<_>>());
}

#[test]
fn loops_over_known_values_unroll() {
    // Six rounds of adding a rotation by 1, 2, 4 .. 32: each element becomes the sum of its 64.
    let input: Vec<i32> = (0..128).map(|i| h(i) as i32).collect();
    let sums = input.chunks(64).map(|c| c.iter().fold(0i32, |a, &b| a.wrapping_add(b)));
    let expected: Vec<i32> = sums.flat_map(|s| [s; 64]).collect();
    everywhere!(programs::rotate_add, (upload!(input)), expected);
}

#[test]
fn an_unknown_condition_selects() {
    let input: Vec<u64> = (0..128).map(|i| u64::from(h(i)) << 20).chain(0..64).collect();
    let expected: Vec<u64> = input.iter().map(|x| if x % 2 == 0 { x / 2 } else { 3 * x + 1 }).collect();
    everywhere!(programs::collatz_step, (upload!(input)), expected);
}

#[test]
fn the_attribute_forms() {
    let input: Vec<f64> = (0..256).map(|i| f64::from(h(i)) / 3.0).collect();
    let expected: Vec<f64> = input.iter().map(|x| x * x).collect();
    everywhere!(programs::squares, (upload!(input)), expected);
    let bytes: Vec<u8> = (0..=255).collect();
    let expected: Vec<u8> = bytes.iter().map(|b| b.wrapping_add(1)).collect();
    everywhere!(programs::inline::increment_bytes, (upload!(bytes)), expected);
}

#[test]
fn names_that_other_languages_use() {
    let dev = Device::cpu();
    let input = dev.upload(&(0..64).collect::<Vec<i32>>()).unwrap();
    assert_eq!(programs::names::float.run(&dev, &input, 5).unwrap().to_vec().unwrap(), (5..69).collect::<Vec<_>>());
    assert_eq!(programs::names::r#type.run(&dev, &input).unwrap().to_vec().unwrap(), (-1..63).collect::<Vec<_>>());
    let bytes = dev.upload(&(0..64).collect::<Vec<u8>>()).unwrap();
    assert_eq!(programs::names::größe.run(&dev, &bytes).unwrap().to_vec().unwrap(), (0..64).rev().collect::<Vec<_>>());
    assert!(programs::names::float.cuda().contains(" float_("));
}

#[test]
fn tuples_taken_apart() {
    let input: Vec<u16> = (0..192).collect();
    let turned: Vec<u16> = (0..192).map(|k| k / 4 * 4 + 3 - k % 4).collect();
    everywhere!(programs::quadruples, (upload!(input.clone())), turned.clone());
    everywhere!(programs::quadruples_pull, (upload!(input)), turned);
    let input: Vec<u16> = (0..132).collect();
    let turned: Vec<u16> = input.chunks(3).flat_map(|c| [c[2], c[0], c[1]]).collect();
    everywhere!(programs::triples, (upload!(input)), turned);
}

#[test]
fn halves_eighths_and_every_other() {
    let input: Vec<i32> = (0..64).collect();
    let mut xs: Vec<i32> = input.chunks(8).flat_map(|c| c.iter().rev().copied()).collect();
    xs.chunks_mut(32).for_each(|half| half.rotate_left(1));
    let other = |k: usize| xs[k % 2..].iter().step_by(2).rev().copied().nth(k / 2).unwrap();
    everywhere!(programs::pieces, (upload!(input)), (0..64).map(other).collect::<Vec<_>>());
}
