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
fn constants_are_the_hosts_too() {
    let input: Vec<f32> = (0..1003).map(|i| i as f32 / 4.0).collect();
    let weighted = |(i, x): (usize, &f32)| {
        let taps = programs::TAPS as usize;
        programs::WEIGHTS[i % taps] * x + [1.0, 2.0][i / taps % 2] + 0.5
    };
    let expected: Vec<f32> = input.iter().enumerate().map(weighted).collect();
    everywhere!(programs::weighted, (upload!(input)), expected);
}

/// The least divisor above 1, and the number of odd divisors up to the square root.
fn divisors(x: u32) -> (u32, u32) {
    let least = (2..x).take_while(|d| d * d <= x).find(|d| x.is_multiple_of(*d)).unwrap_or(x);
    let odd = (1..).step_by(2).take_while(|d| d * d <= x).filter(|d| x.is_multiple_of(*d)).count();
    (least, odd as u32)
}

/// As the program of that name, by Rust.
fn left_on_some_ways(x: u8) -> u32 {
    let mut sum = 0u32;
    for i in 0..=x {
        if i % 3 == 1 {
            if i % 2 == 0 {
                continue;
            }
            sum += 1;
            if sum > 40 {
                break;
            }
        } else {
            let mut j = 0u32;
            while j < 5 {
                j += 1;
                if j as u8 == i {
                    continue;
                }
                if j * 7 > u32::from(i) {
                    break;
                }
                sum += j;
            }
        }
        sum += 2;
    }
    sum
}

#[test]
fn loops_are_left_and_rounds_skipped() {
    let input: Vec<u32> = (0..1003).collect();
    let expected: Vec<(u32, u32)> = input.iter().map(|&x| divisors(x)).collect();
    everywhere!(programs::divisors, (upload!(input)), expected);
    let input: Vec<u8> = (0..=255).collect();
    let expected: Vec<u32> = input.iter().map(|&x| left_on_some_ways(x)).collect();
    everywhere!(programs::left_on_some_ways, (upload!(input)), expected);
}

/// What `turned_ranges` computes: Rust's own ranges.
fn turned(x: u8, n: u32, k: u32) -> u32 {
    let mut sum = 1u32;
    for i in (3..=x).rev().filter(|&i| i != b'a') {
        sum = sum.wrapping_mul(5).wrapping_add(i.into());
    }
    for i in (2..n).step_by(k.max(1) as usize) {
        sum = sum.wrapping_mul(3).wrapping_add(i);
    }
    for i in (0..n).rev().step_by(3).take_while(|&i| i >= 4) {
        sum ^= i.wrapping_mul(7);
    }
    sum = sum.wrapping_add((1..=6).rev().step_by(2).sum());
    sum.wrapping_add((x..=255).step_by(40).map(u32::from).sum())
}

#[test]
fn ranges_go_backwards_and_by_steps() {
    let input: Vec<u8> = (0..=255).collect();
    for dev in devices() {
        for (n, k) in [(0, 1), (1, 2), (2, 1), (3, 5), (100, 7), (101, 99), (64, u32::MAX), (5, 0)] {
            let expected: Vec<u32> = input.iter().map(|&x| turned(x, n, k)).collect();
            let found = programs::turned_ranges.run(&dev, &dev.upload(&input).unwrap(), n, k).unwrap();
            assert_eq!(found.to_vec().unwrap(), expected, "{n} by {k} on {dev:?}");
        }
        for len in [0, 1, 255, 256, 257, 1009] {
            let mut m = dev.upload(&vec![5u32; len]).unwrap();
            programs::strided.run(&dev, &mut m).unwrap();
            let expected: Vec<u32> = (0..len as u32).map(|i| 5 + i % 256).collect();
            assert_eq!(m.to_vec().unwrap(), expected, "{len} on {dev:?}");
        }
    }
}

/// Of the first `n` of 16: themselves, and each times their sum and once more that.
fn few_of(xs: &[u32], n: usize) -> Vec<u32> {
    let few = &xs[..n];
    let total = few.iter().sum::<u32>();
    let folded = few.iter().map(|&x| few.iter().fold(total, |s, &y| s.wrapping_add(y.wrapping_mul(x))));
    few.iter().copied().chain(folded).collect()
}

#[test]
fn loops_over_none_have_nothing_to_prove() {
    let input: Vec<u32> = (0..160).map(|i| i * 7919 % 1000).collect();
    for dev in devices() {
        let xs = dev.upload(&input).unwrap();
        for variant in programs::few_of_each.kernel().variants() {
            let text = variant.to_string();
            let n: usize = text.rsplit("N = ").next().unwrap().parse().unwrap();
            let expected: Vec<u32> = input.chunks(16).flat_map(|xs| few_of(xs, n)).collect();
            let found = programs::few_of_each.with(variant).run(&dev, &xs).unwrap().to_vec().unwrap();
            assert_eq!(found, expected, "{variant} on {dev:?}");
        }
    }
}

kernel! {
    #[kernel(threads = [64, 33])]
    pub fn all_small(xs: DPull<i16>, most: f32) -> DPush<Grid, i16> {
        assert!(most >= 0.5, "the most is {most}");
        xs.map(|x| {
            assert!(x as f32 <= most, "an element is {}, {{too much}}", x);
            x
        }).push()
    }

    /// Without a text of its own; by each block, and in one round of a loop.
    #[kernel(threads = [64, 33])]
    pub fn ascending(xs: DPull<u8>) -> DPush<Grid, u8> {
        xs.split_up(4).as_grid_map(|c| exec_block({
            assert!(c[0] < c[3]);
            c.as_block_map(|x| exec_thread({
                for i in 0..x { assert!(i < 9, "round {}", i); }
                x
            }))
        }))
    }

    /// The library asserts that there is one.
    #[kernel]
    pub fn least_odd(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.chunks(8).as_grid_map(|c| exec_block(reduce(compact(c, |x| x % 2 == 1), |a, b| min(a, b))))
    }

    /// Of the first of two launches.
    #[kernel]
    pub fn summed_below(xs: DPull<u32>) -> Program<Device, DPull<u32>> {
        let ys = xs.map(|x| { assert!(x < 100, "{x} is not below 100"); x + 1 }).compute();
        assert!(ys.len() > 2, "too short");
        ys.reverse().compute()
    }
}

/// What a launch that an assertion ends says.
fn told<T>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Assertion { message, .. }) => message,
        Err(Error::Step { source, .. }) => told::<T>(Err(*source)),
        Err(other) => panic!("{other}"),
        Ok(_) => "nothing".to_string(),
    }
}

/// The processor, the interpreter, and OpenCL where there is any.
fn devices() -> Vec<Device> {
    let check = Device::check().expect("the tests have the feature");
    [Device::cpu(), check].into_iter().chain(Device::opencl(0)).collect()
}

#[test]
fn assertions_end_the_launch_with_their_text() {
    let expected: Vec<u32> = (1..=1003).collect();
    everywhere!(programs::asserted, (upload!((0..1003).collect::<Vec<u32>>()), |_: &Device| 5u32), expected);
    for dev in devices() {
        let mut xs = vec![7i16; 1003];
        let run = |xs: &[i16], most| told(all_small.run(&dev, &dev.upload(xs).unwrap(), most));
        assert_eq!(run(&xs, 7.0), "nothing", "{dev:?}");
        xs[700] = -3;
        assert_eq!(run(&xs, 7.0), "nothing", "{dev:?}");
        xs[1002] = 300;
        assert_eq!(run(&xs, 7.0), "an element is 300, {too much}", "{dev:?}");
        xs.fill(-2);
        // The launch is refused.
        assert_eq!(run(&xs, 0.25), "the most is 0.25", "{dev:?}");
        let run = |xs: &[u8]| told(ascending.run(&dev, &dev.upload(xs).unwrap()));
        assert_eq!(run(&[1, 7, 3, 9, 0, 0, 0, 1]), "nothing", "{dev:?}");
        assert!(run(&[1, 2, 3, 4, 5, 2, 3, 4]).contains("c [0] < c [3]"), "{dev:?}");
        assert_eq!(run(&[1, 2, 3, 14]), "round 9", "{dev:?}");
        let run = |xs: &[u32]| told(summed_below.run(&dev, &dev.upload(xs).unwrap()));
        assert_eq!(run(&[1, 2, 3]), "nothing", "{dev:?}");
        assert_eq!(run(&[1, 2, 103]), "103 is not below 100", "{dev:?}");
        assert_eq!(run(&[1, 2]), "too short", "{dev:?}");
    }
}

/// The error names the macro, also of the second of two launches; it does not name that of a library.
#[test]
fn an_assertion_is_told_with_its_place() {
    /// Where an assertion that ends the launch stands.
    fn place<T>(result: Result<T, Error>) -> String {
        match result {
            Err(Error::Assertion { place, .. }) => place.unwrap_or("nowhere").to_string(),
            Err(Error::Step { source, .. }) => place::<T>(Err(*source)),
            Err(other) => panic!("{other}"),
            Ok(_) => "nothing".to_string(),
        }
    }
    let here = |line: &str| {
        let text = include_str!("language.rs");
        let (number, line) = text.lines().enumerate().find(|(_, l)| l.contains(line)).expect("the line is there");
        let column = line.find("assert!").expect("it asserts") + 1;
        format!("{}:{}:{column}", file!().replace('\\', "/"), number + 1)
    };
    for dev in devices() {
        let xs = dev.upload(&[1u8, 2, 3, 14]).unwrap();
        assert_eq!(place(ascending.run(&dev, &xs)), here("for i in 0..x { assert!"), "{dev:?}");
        let xs = dev.upload(&[1u32, 2, 103]).unwrap();
        assert_eq!(place(summed_below.run(&dev, &xs)), here("is not below 100\"); x + 1"), "{dev:?}");
        let xs = dev.upload(&[1u32, 2]).unwrap();
        assert_eq!(place(summed_below.run(&dev, &xs)), here("assert!(ys.len() > 2"), "{dev:?}");
        let xs = dev.upload(&[7i16]).unwrap();
        assert_eq!(place(all_small.run(&dev, &xs, 0.25)), here("assert!(most >= 0.5"), "{dev:?}");
        let xs = dev.upload(&[2u32, 4, 6]).unwrap();
        assert_eq!(place(least_odd.run(&dev, &xs)), "nowhere", "{dev:?}");
    }
}

kernel! {
    /// What each block and each thread say.
    #[kernel(threads = [64, 33])]
    pub fn talking(xs: DPull<i16>) -> DPush<Grid, i16> {
        xs.chunks(4).as_grid_map(|c| exec_block({
            let (n, most) = (c.len(), reduce(c, |a, b| max(a, b)).first());
            println!("the most of {n} is {most}");
            c.map(|x| {
                if x < 0 { print!("[{{{}}} {} {x}", x as f16 / 4.0, x as i64 * 5_000_000_000); println!(" {}]", x < -5); }
                x
            }).push()
        }))
    }
}

/// In a process of its own, whose output can be read.
#[test]
fn child_talks() {
    if std::env::var_os("OBSIDIAN_TEST_TASK").is_some() {
        for dev in devices() {
            let xs: Vec<i16> = vec![5, -3, 9, 0, -7, -7];
            assert_eq!(talking.run(&dev, &dev.upload(&xs).unwrap()).unwrap().to_vec().unwrap(), xs, "{dev:?}");
        }
    }
}

#[test]
fn prints_are_read_on_processors_and_under_the_interpreter() {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "language::child_talks", "--nocapture"]).env("OBSIDIAN_TEST_TASK", "1");
    let output = child.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let said = |line: &str| text.matches(line).count();
    // On the processor and in the interpreter, and nowhere else.
    assert_eq!(said("the most of 4 is 9\n"), 2, "{text}");
    assert_eq!(said("the most of 2 is -7\n"), 2, "{text}");
    assert_eq!(said("[{-0.75} -15000000000 -3 false]\n"), 2, "{text}");
    assert_eq!(said("[{-1.75} -35000000000 -7 true]\n"), 4, "{text}");
}

/// As the program of that name, by Rust.
fn rounds_of_block(c: &[u32], n: u32) -> Vec<u32> {
    let (mut m, mut sum) = (c.to_vec(), 0u32);
    for i in 0..n {
        let mut turned = m.clone();
        turned.rotate_left(1);
        if turned[0] % 5 == 0 {
            continue;
        }
        m = turned.iter().map(|x| x.wrapping_add(i)).collect();
        sum += turned[0] % 8;
        if sum > 20 {
            break;
        }
    }
    m.iter().map(|x| x ^ sum).collect()
}

/// As the program of that name, by Rust.
fn rounds_of_warp(w: &[u32]) -> Vec<u32> {
    let (mut left, mut total) = (w[0] % 16, 0u32);
    while left != 0 {
        total = w.iter().fold(total, |sum, x| sum.wrapping_add(x ^ left));
        left /= 2;
    }
    w.iter().map(|x| x.wrapping_add(total)).collect()
}

#[test]
fn blocks_and_warps_go_round_together() {
    let xs = hashes(192 * 7);
    for n in [0, 1, 2, 13] {
        let expected: Vec<u32> = xs.chunks(64).flat_map(|c| rounds_of_block(c, n)).collect();
        everywhere!(programs::rounds_of_blocks, (upload!(xs), |_: &Device| n), expected);
    }
    let expected: Vec<u32> = xs.chunks(48).flat_map(rounds_of_warp).collect();
    everywhere!(programs::rounds_of_warps, (upload!(xs)), expected);
}

/// As the first output of the program of that name, by Rust.
fn carried_by_block(c: &[u32]) -> Vec<u32> {
    let (mut ys, mut left) = (c.to_vec(), c[0] % 64);
    let mut zs: Vec<(u32, u32)> = c.iter().map(|&x| (x, x.wrapping_add(1))).collect();
    while left > 0 {
        let mut turned = ys.clone();
        turned.rotate_left(1);
        ys = zs.iter().map(|z| z.0 ^ left).collect();
        zs = turned.iter().map(|&x| (x, left)).collect();
        left /= 2;
    }
    ys.iter().zip(&zs).map(|(y, z)| y.wrapping_add(z.1)).collect()
}

/// As the second, for each four.
fn carried_by_thread(t: &[u32], n: u32) -> Vec<u32> {
    (0..n).fold(t.to_vec(), |mut ys, i| {
        ys.rotate_left(1);
        ys.iter().map(|y| y.wrapping_mul(3).wrapping_add(i)).collect()
    })
}

#[test]
fn loops_carry_arrays() {
    let xs = hashes(64 * 9);
    let by_blocks: Vec<u32> = xs.chunks(64).flat_map(carried_by_block).collect();
    for dev in devices() {
        let input = dev.upload(&xs).unwrap();
        for n in [0, 1, 5, 32] {
            let by_threads: Vec<u32> = xs.chunks(4).flat_map(|t| carried_by_thread(t, n)).collect();
            for variant in programs::carried_arrays.kernel().variants() {
                let (blocks, threads) = programs::carried_arrays.with(variant).run(&dev, &input, n).unwrap();
                assert_eq!(blocks.to_vec().unwrap(), by_blocks, "{dev:?}, {variant}, {n}");
                assert_eq!(threads.to_vec().unwrap(), by_threads, "{dev:?}, {variant}, {n}");
            }
        }
    }
}

use programs::Body;

/// Of `centres`, by Rust: the same tree as `reduce` is not asked for, since the sums are exact.
#[test]
fn structures_are_elements_of_buffers() {
    let bodies: Vec<Body> = (0..1003).map(|i| Body { x: 4.0, y: (i % 8) as f32, mass: 1 + i % 5 }).collect();
    for dev in devices() {
        let mut on_dev = dev.upload(&bodies).unwrap();
        assert_eq!(on_dev.to_vec().unwrap(), bodies);
        let (centres, heights) = programs::centres.run(&dev, &on_dev).unwrap();
        let centres = centres.to_vec().unwrap();
        for (centre, chunk) in centres.iter().zip(bodies.chunks(64)) {
            assert_eq!(centre.mass, chunk.iter().map(|b| b.mass).sum::<u32>(), "{dev:?}");
            assert!((centre.x - 4.0).abs() < 1e-3 && centre.y > 0.0 && centre.y < 7.0, "{dev:?}: {centre:?}");
        }
        let of_chunk = |chunk: &[Body]| {
            let x = |b: &Body| if b.mass > 3 { b.x } else { 0.0 };
            chunk.iter().rev().map(|b| x(b) - chunk[chunk.len() - 1].y).collect::<Vec<f32>>()
        };
        assert_eq!(heights.to_vec().unwrap(), bodies.chunks(64).flat_map(of_chunk).collect::<Vec<_>>(), "{dev:?}");
        programs::fallen.run(&dev, &mut on_dev, 0.5).unwrap();
        let fallen: Vec<Body> = bodies.iter().map(|b| Body { y: b.y - 0.5, ..*b }).collect();
        assert_eq!(on_dev.to_vec().unwrap(), fallen, "{dev:?}");
    }
    let called: Vec<Body> = programs::centres.call(&bodies).unwrap().0;
    assert_eq!(called.len(), 16);
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

kernel! {
    /// Variables that have the names of methods.
    #[kernel(threads = [64, 33])]
    pub fn shares(m: DMat<f32>, rows: u32) -> PushMat<Grid, f32> {
        let cols = m.cols();
        m.as_grid_rows(|row| {
            let len = row.len();
            let sum = row.sum();
            row.map(|x| x / row.sum() * sum + (len - row.len()) as f32 + (rows - m.rows() + cols - m.cols()) as f32).push()
        })
    }

    /// A function of that name is meant before all.
    #[kernel(threads = [64, 33])]
    pub fn by_own_name(xs: DPull<u32>) -> DPush<Grid, u32> {
        let sum = |x| x + 7;
        xs.map(|x| sum(x)).push()
    }
}

#[test]
fn a_variable_hides_no_method_of_its_name() {
    let dev = Device::cpu();
    let values: Vec<f32> = (0..21).map(|i| (1 << (i % 5)) as f32).collect();
    let m = dev.upload_matrix(&values, 3, 7).unwrap();
    let quotient = |row: &[f32]| {
        let sum: f32 = row.iter().sum();
        row.iter().map(|x| x / sum * sum + 2.0).collect::<Vec<_>>()
    };
    let expected: Vec<f32> = values.chunks(7).flat_map(quotient).collect();
    assert_eq!(shares.run(&dev, &m, 5).unwrap().to_vec().unwrap(), expected);
    assert_eq!(by_own_name.call(&[1, 2, 3][..]).unwrap(), [8, 9, 10]);
}
