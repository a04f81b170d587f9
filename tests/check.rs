//! `Device::check()`: the reference interpreter runs kernels from the text that they carry, and says what they do wrong.

use obsidian::prelude::*;
use obsidian::{Backend, f16};
use obsidian_programs as programs;

kernel! {
    use obsidian_fixture_nets::nets::*;

    /// Through a library of another crate.
    #[kernel(threads = 32)]
    pub fn sorted_by_library(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(8).as_grid_map(|c| exec_block(c.sort_odd_even()))
    }

    /// Each element with its half, its sign and whether it is odd.
    #[kernel(threads = 32)]
    pub fn apart(input: DPull<i16>) -> DPush<Grid, (f16, i8, bool)> {
        input.split_up(4).as_grid_map(|c| c.map(|x| (x as f16 / 2.0, x as i8, x & 1 == 1)).push())
    }

    /// By 10 at data's places; the launch adds `k`.
    #[kernel(threads = 32)]
    pub fn gathered(k: i64, places: DPull<u32>, values: DPull<i64>) -> DPush<Grid, i64> {
        places.split_up(4).as_grid_map(|c| c.map(|i| values[i] * 10 + k).push())
    }

    /// Everybody writes element 0.
    #[kernel(threads = 32)]
    pub fn raced(input: DPull<u32>, into: Mut<u32, 4>) -> Program<Grid, ()> {
        for_all2(div_exact(input.len(), 4), 4, |b, t| unsafe { into[input[b * 4 + t] & 3] = t; })
    }
}

fn check() -> Device {
    Device::check().expect("the tests have the feature")
}

/// Runs on the interpreter and on the CPU: the same.
macro_rules! both {
    (|$dev:ident| $run:expr) => {{
        let on = |$dev: &Device| $run;
        let found = on(&check());
        assert_eq!(found, on(&Device::cpu()));
        found
    }};
}

#[test]
fn kernels_mean_what_they_mean() {
    assert_eq!(check().kind(), Backend::Check);
    let numbers: Vec<i32> = (0..1024).collect();
    let sums = both!(|dev| programs::reductions.run(dev, &dev.upload(&numbers).unwrap()).unwrap().to_vec().unwrap());
    assert_eq!(sums, [130816, 392960]);
    let threads = Params { threads: 100 };
    let on = |dev: &Device| {
        let input = dev.upload(&numbers).unwrap();
        programs::reductions.with(threads).run(dev, &input).unwrap().to_vec().unwrap()
    };
    assert_eq!(on(&check()), sums);
    let shuffled: Vec<u32> = (0..24).map(|i| i * 7 % 24).collect();
    let sorted = both!(|dev| sorted_by_library.run(dev, &dev.upload(&shuffled).unwrap()).unwrap().to_vec().unwrap());
    assert!(sorted.chunks(8).all(<[u32]>::is_sorted));
}

#[test]
fn values_of_every_width_go_in_and_out() {
    let input: Vec<i16> = vec![-300, 7, 255, i16::MIN];
    let found = both!(|dev| apart.run(dev, &dev.upload(&input).unwrap()).unwrap().to_vec().unwrap());
    let expected = input.iter().map(|&x| (f16::from_f32(f32::from(x) / 2.0), x as i8, x & 1 == 1));
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn what_a_kernel_does_wrong_is_an_error_and_nothing_is_written() {
    let dev = check();
    let (places, values) = (dev.upload(&[0u32, 1, 2, 2]).unwrap(), dev.upload(&[-1i64, 5, i64::MIN]).unwrap());
    let found = gathered.run(&dev, -3, &places, &values).unwrap().to_vec().unwrap();
    assert_eq!(found, [-13, 47, i64::MIN.wrapping_mul(10) - 3, i64::MIN.wrapping_mul(10) - 3]);
    let far = dev.upload(&[0u32, 1, 2, 3]).unwrap();
    let text = gathered.run(&dev, 0, &far, &values).unwrap_err().to_string();
    assert!(text.contains("`gathered`") && text.contains("index 3 is out of bounds of `values`"), "{text}");

    let each = dev.upload(&[0u32, 1, 2, 3]).unwrap();
    let mut into = dev.upload(&[9u32; 4]).unwrap();
    raced.run(&dev, &each, &mut into).unwrap();
    assert_eq!(into.to_vec().unwrap(), [0, 1, 2, 3]);
    let together = dev.upload(&[0u32, 1, 1, 3]).unwrap();
    let error = raced.run(&dev, &together, &mut into).unwrap_err();
    assert!(matches!(error, Error::Faulty { kernel: "raced", .. }), "{error}");
    assert!(error.to_string().contains("race on `into[1]` between thread 1"), "{error}");
    assert_eq!(into.to_vec().unwrap(), [0, 1, 2, 3]);
}
