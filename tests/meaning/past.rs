//! Outputs that are too large for the caches, which the CPU writes past them: of full blocks, of a last short one, of fields of
//! different sizes, in another order, after phases in shared memory.

use super::*;

kernel! {
    #[kernel(threads = 256)]
    pub fn shifted(xs: DPull<u32>, by: u32) -> DPush<Grid, u32> {
        xs.map(|x| x + by).push()
    }

    #[kernel(threads = 64)]
    pub fn turned(xs: DPull<u64>) -> DPush<Grid, u64> {
        xs.reverse().split_up(512).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn fields(xs: DPull<u32>) -> DPush<Grid, (u8, f64, u16)> {
        xs.map(|x| (x as u8, x as f64, (x >> 16) as u16)).split_up(256).as_grid_map(|c| c.push())
    }

    #[kernel(threads = 64)]
    pub fn sums(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.split_up(256).as_grid_map(|c| exec_block(scan_sklansky1(c, |a, b| a + b)))
    }
}

/// More bytes of `u32` than any limit, and no multiple of anything.
const LEN: u32 = (3 << 20) + 1003;

#[test]
fn every_element_of_an_output_of_any_length() {
    let dev = Device::cpu();
    let xs = hashes(LEN);
    // Whole lines or not, and with a last short block: each length has its own.
    for len in [LEN, LEN - 1003, LEN - 1002, LEN - 1004] {
        let xs = &xs[..len as usize];
        let found = shifted.run(&dev, &dev.upload(xs).unwrap(), 7).unwrap().to_vec().unwrap();
        assert!(found.iter().zip(xs).all(|(found, x)| *found == x.wrapping_add(7)) && found.len() == xs.len(), "{len}");
    }
}

#[test]
fn every_field_in_any_order() {
    let dev = Device::cpu();
    let xs = &hashes(LEN)[..(LEN / 512 * 512) as usize];
    let wide: Vec<u64> = xs.iter().map(|x| u64::from(*x) << 7).collect();
    let found = turned.run(&dev, &dev.upload(&wide).unwrap()).unwrap().to_vec().unwrap();
    assert!(found.iter().eq(wide.iter().rev()));
    let found = fields.run(&dev, &dev.upload(xs).unwrap()).unwrap().to_vec().unwrap();
    let expected = xs.iter().map(|x| (*x as u8, f64::from(*x), (*x >> 16) as u16));
    assert!(found.iter().copied().eq(expected));
    let found = sums.run(&dev, &dev.upload(xs).unwrap()).unwrap().to_vec().unwrap();
    for (found, xs) in found.chunks(256).zip(xs.chunks(256)) {
        let expected = xs.iter().scan(0u32, |sum, x| {
            *sum = sum.wrapping_add(*x);
            Some(*sum)
        });
        assert!(found.iter().copied().eq(expected));
    }
}
