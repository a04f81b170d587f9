//! One launch on several devices: each takes its share of the blocks, the host joins the results in order.
//! `cargo run --release --example several_devices [-- ELEMENTS]` takes every device there is.

use std::error::Error;

use obsidian::prelude::*;
use obsidian::{Backend, DeviceInfo, Share};

kernel! {
    /// The steps of Collatz' sequence from `n` to 1: unequal work.
    fn steps(n: u32) -> Program<Thread, u32> {
        let (_last, count) = seq_while(
            (n as u64, 0),
            |(n, _count)| n > 1,
            |(n, count)| (if n % 2 == 0 { n / 2 } else { 3 * n + 1 }, count + 1),
        );
        count
    }

    #[kernel(threads = 128)]
    pub fn collatz(input: DPull<u32>) -> DPush<Grid, u32> {
        input.chunks(128).as_grid_map(|chunk| chunk.as_block_map(|n| exec_thread(steps(n))))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let elements: u32 = std::env::args().nth(1).map_or(Ok(1_000_003), |n| n.parse())?;
    let input: Vec<u32> = (1..=elements).collect();

    // CUDA devices run whole launches only.
    let splits = |info: &DeviceInfo| info.backend != Backend::Cuda;
    let open = |info: DeviceInfo| match info.backend {
        Backend::OpenCl => Device::opencl(info.index),
        _ => Ok(Device::cpu()),
    };
    let devices = Device::list().into_iter().filter(splits).map(open).collect::<Result<Vec<_>, _>>()?;
    // A device's share is its weight: here its compute units.
    let shares: Vec<Share> = devices.iter().map(|device| device.share(device.limits().compute_units)).collect();
    let found = collatz.run_on(&shares, &input)?;

    let names: Vec<&str> = devices.iter().map(Device::name).collect();
    if found != collatz.run(&Device::cpu(), &Device::cpu().upload(&input)?)?.to_vec()? {
        return Err("several devices give another result than one".into());
    }
    let (longest, n) = found.iter().zip(&input).max().ok_or("nothing to do")?;
    println!("below {}, {n} takes the most steps: {longest}; on {}", input.len() + 1, names.join(" and "));
    Ok(())
}
