//! Loops of the host's that carry one of several stored arrays from round to round, against plain Rust.

use obsidian::prelude::*;

kernel! {
    /// Halved in every other round.
    #[kernel]
    pub fn replaced(xs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {
        let mut ys = xs.compute();
        for k in 0..n {
            let half = ys.map(|y| y / 2).compute();
            if k % 2 == 0 { ys = half; }
        }
        ys
    }

    /// One of three, round by round.
    #[kernel]
    pub fn one_of_three(xs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {
        let mut ys = xs.compute();
        for k in 0..n {
            let (half, more) = (ys.map(|y| y / 2 + k).compute(), ys.map(|y| y + 3).compute());
            ys = if k % 3 == 0 { half } else if k % 3 == 1 { more } else { ys };
        }
        ys
    }

    /// Two that change places in some rounds.
    #[kernel]
    pub fn swapped(xs: DPull<u32>, n: u32) -> Program<Device, (DPull<u32>, DPull<u32>)> {
        let (mut a, mut b) = (xs.compute(), xs.map(|x| x + 1).compute());
        for k in 0..n {
            if k % 2 == 0 {
                let t = a;
                a = b;
                b = t;
            }
            a = a.map(|x| x * 3).compute();
        }
        (a, b)
    }

    /// Beside a number of the host's, and what is no more than an expression.
    #[kernel]
    pub fn among_others(xs: DPull<u32>, n: u32) -> Program<Device, DPull<u32>> {
        let (mut ys, mut s) = (xs.compute(), 0u32);
        for k in (0..n).rev() {
            let half = ys.map(|y| y / 2).compute();
            let mut t = half.map(|x| x + 1);
            if k % 2 == 0 {
                ys = half;
                s = s + k;
                t = ys.map(|x| x + 2);
            }
            ys = ys.zip_with(t, |a, b| a + b + s).compute();
        }
        ys
    }
}

/// Runs all of them on these elements, for 0 to 7 rounds.
fn check_all(device: &Device, xs: &[u32]) {
    let on = device.upload(xs).unwrap();
    for n in 0..8 {
        let (mut ys, mut one) = (xs.to_vec(), xs.to_vec());
        let (mut a, mut b): (Vec<u32>, Vec<u32>) = (xs.to_vec(), xs.iter().map(|x| x + 1).collect());
        for k in 0..n {
            if k % 2 == 0 {
                ys.iter_mut().for_each(|y| *y /= 2);
                std::mem::swap(&mut a, &mut b);
            }
            match k % 3 {
                0 => one.iter_mut().for_each(|y| *y = *y / 2 + k),
                1 => one.iter_mut().for_each(|y| *y += 3),
                _ => {}
            }
            a.iter_mut().for_each(|x| *x = x.wrapping_mul(3));
        }
        let (mut among, mut s) = (xs.to_vec(), 0);
        for k in (0..n).rev() {
            s += if k % 2 == 0 { k } else { 0 };
            let next = |&y: &u32| if k % 2 == 0 { y / 2 + (y / 2 + 2) + s } else { y + (y / 2 + 1) + s };
            among = among.iter().map(next).collect();
        }
        let what = format!("{} elements, {n} rounds on {device:?}", xs.len());
        assert_eq!(replaced.run(device, &on, n).unwrap().to_vec().unwrap(), ys, "{what}");
        assert_eq!(one_of_three.run(device, &on, n).unwrap().to_vec().unwrap(), one, "{what}");
        let (x, y) = swapped.run(device, &on, n).unwrap();
        assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (a, b), "{what}");
        assert_eq!(among_others.run(device, &on, n).unwrap().to_vec().unwrap(), among, "{what}");
    }
}

#[test]
fn the_host_takes_one_of_several_arrays() {
    for device in [Device::cpu(), Device::check().unwrap()] {
        for len in [0, 1, 5, 1009] {
            check_all(&device, &(0..len).map(|i: u32| i.wrapping_mul(2_654_435_761) % 5000 + 20).collect::<Vec<_>>());
        }
    }
}
