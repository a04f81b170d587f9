//! What goes wrong between the launches of an entry: the error names the step and the kernel, the inputs are as they were, and the
//! next run is right.

use obsidian::IndexedArray;
use obsidian::prelude::*;

kernel! {
    /// The third kernel reads at an index that data say.
    #[kernel(threads = 64)]
    pub fn looked_up(xs: DPull<u32>, at: DPull<u32>) -> Program<Device, DPull<u32>> {
        let ys = xs.map(|x| x + 1).compute();
        let zs = ys.map(|y| y * 2).compute();
        at.map(|i| zs[i]).compute()
    }

    /// The same after the host has waited for an element.
    #[kernel(threads = 64)]
    pub fn looked_up_later(xs: DPull<u32>, at: DPull<u32>) -> Program<Device, DPull<u32>> {
        let ys = xs.map(|x| x + 1).compute();
        let first = ys.fetch(0);
        let zs = ys.map(|y| y * first).compute();
        at.map(|i| zs[i]).compute()
    }

    /// As many elements as the greatest of `xs` says, `times` times.
    #[kernel(threads = 64)]
    pub fn as_long_as(xs: DPull<u32>, times: u32) -> Program<Device, DPull<u32>> {
        let ys = xs.map(|x| x + 1).compute();
        let most = reduce(ys, |a, b| max(a, b)).fetch(0);
        iota(most * times).map(|i| i * 3).compute()
    }

    /// What an operator gives that does not associate.
    #[kernel(threads = 64)]
    pub fn skewed(xs: DPull<u32>) -> Program<Device, (DPull<u32>, u32)> {
        (scan(xs, |a, b| 3 * a - b), reduce(xs, |a, b| 3 * a - b).first())
    }

    /// A length that the host knows before all launches.
    #[kernel(threads = 64)]
    pub fn repeated(xs: DPull<u32>, times: u32) -> Program<Device, DPull<u32>> {
        let ys = non_empty(xs.map(|x| x + 1).compute());
        mk_pull(ys.len() * times, |i| ys[i % ys.len()]).compute()
    }
}

/// An operator that does not associate is no mistake that anybody could tell: what it gives is that of the order which the length alone
/// decides, so the same as on the CPU.
pub fn orders(device: &Device) {
    for n in [1u32, 9, 257, 2047, 2048, 5000] {
        let xs: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
        let [found, expected] = [device, &Device::cpu()].map(|device| {
            let (all, last) = skewed.run(device, &device.upload(&xs).unwrap()).unwrap();
            (all.to_vec().unwrap(), last.to_vec().unwrap())
        });
        assert_eq!(found, expected, "{n} elements");
        assert_eq!(found.0[0], xs[0]);
    }
}

/// A guard that fails in the third kernel, with and without a wait before it.
pub fn guards(device: &Device) {
    let xs = device.upload(&[1u32, 20, 300]).unwrap();
    let (good, bad) = (device.upload(&[2u32, 0]).unwrap(), device.upload(&[0u32, 3, 2]).unwrap());
    for _ in 0..2 {
        for (error, entry, step) in [
            (looked_up.run(device, &xs, &bad).unwrap_err(), "looked_up", 3),
            (looked_up_later.run(device, &xs, &bad).unwrap_err(), "looked_up_later", 5),
        ] {
            let told = error.to_string();
            assert!(told.starts_with(&format!("entry `{entry}`, step {step} (launch of `{entry}_3`): ")), "{told}");
            let Error::Step { source, .. } = &error else { panic!("{told}") };
            match &**source {
                Error::OutOfRange { array, index, .. } => {
                    assert_eq!((*array, *index), (IndexedArray::Named("zs"), 3), "{told}");
                }
                // The reference interpreter sees the kernel alone, which numbers what it is given.
                Error::Faulty { fault, .. } => assert!(fault.contains("index 3"), "{told}"),
                _ => panic!("{told}"),
            }
        }
        assert_eq!(looked_up.run(device, &xs, &good).unwrap().to_vec().unwrap(), [602, 4]);
        assert_eq!(looked_up_later.run(device, &xs, &good).unwrap().to_vec().unwrap(), [602, 4]);
        assert_eq!((xs.to_vec().unwrap(), bad.to_vec().unwrap()), (vec![1, 20, 300], vec![0, 3, 2]));
    }
}

/// Lengths past 2^32 - 1: known before the first launch, and of an element.
pub fn lengths(device: &Device) {
    let xs = device.upload(&[1u32, 65_535]).unwrap();
    let error = repeated.run(device, &xs, 1 << 31).unwrap_err().to_string();
    assert!(error.contains("`repeated`") && error.contains("is 4294967296, which `u32` does not hold"), "{error}");
    let error = as_long_as.run(device, &xs, 65_536).unwrap_err();
    assert!(matches!(error, Error::Step { entry: "as_long_as", .. }), "{error}");
    let told = error.to_string();
    assert!(told.contains("is 4294967296, which `u32` does not hold"), "{told}");
    assert_eq!(repeated.run(device, &xs, 2).unwrap().to_vec().unwrap(), [2, 65_536, 2, 65_536]);
    assert_eq!(as_long_as.run(device, &xs, 0).unwrap().len(), 0);
    assert_eq!(xs.to_vec().unwrap(), [1, 65_535]);
}
