//! What a multiprocessor of each generation holds. Source: CUDA C++ Programming Guide, technical specifications per
//! compute capability; from 8.0 on the system keeps 1 KiB of shared memory for each block.

use super::report::{Limit, Occupancy};

/// A generation of GPUs.
#[derive(Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name as a target.
    pub name: &'static str,
    /// Threads of a multiprocessor.
    pub threads: u32,
    /// Warps of a multiprocessor.
    pub warps: u32,
    /// Blocks of a multiprocessor.
    pub blocks: u32,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared: u32,
    /// Shared memory that the system keeps for each block.
    pub reserved: u32,
}

const fn device(name: &'static str, threads: u32, blocks: u32, kib: u32, reserved: u32) -> Device {
    Device { name, threads, warps: threads / 32, blocks, shared: kib * 1024, reserved }
}

/// The devices of the report.
pub const DEVICES: [Device; 6] = [
    device("sm_75", 1024, 16, 64, 0),
    device("sm_80", 2048, 32, 164, 1024),
    device("sm_86", 1536, 16, 100, 1024),
    device("sm_89", 1536, 24, 100, 1024),
    device("sm_90", 2048, 32, 228, 1024),
    device("sm_100", 2048, 32, 228, 1024),
];

/// Shared memory is allocated in multiples of this number of bytes.
const GRANULE: u32 = 256;

/// How many blocks with these numbers of threads and bytes of shared memory a device holds.
pub(super) fn occupancy(device: &'static Device, threads: u32, shared: u32) -> Occupancy {
    let bytes = (shared + device.reserved).next_multiple_of(GRANULE);
    let limits = [
        (device.warps / threads.div_ceil(32).max(1), Limit::Threads),
        (device.blocks, Limit::Blocks),
        (device.shared.checked_div(bytes).unwrap_or(u32::MAX), Limit::SharedMemory),
    ];
    let (blocks, limit) = limits.into_iter().min_by_key(|l| l.0).unwrap_or((0, Limit::Threads));
    Occupancy { device, blocks, limit }
}

/// How many blocks the device with the most room for them holds.
pub fn most_blocks(threads: u32, shared: u32) -> u32 {
    DEVICES.iter().map(|device| occupancy(device, threads, shared).blocks).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(name: &str, threads: u32, shared: u32) -> (u32, Limit, u32) {
        let device = DEVICES.iter().find(|d| d.name == name).expect("known");
        let found = occupancy(device, threads, shared);
        (found.blocks, found.limit, found.percent(threads))
    }

    #[test]
    fn each_limit_is_met() {
        assert_eq!(on("sm_80", 256, 0), (8, Limit::Threads, 100));
        assert_eq!(on("sm_80", 32, 0), (32, Limit::Blocks, 50));
        assert_eq!(on("sm_86", 1024, 0), (1, Limit::Threads, 66));
        // 48 KiB and 1 KiB of the system's: three in 164 KiB, two in 100 KiB; one, without the system's, in 64 KiB.
        assert_eq!(on("sm_80", 128, 49152), (3, Limit::SharedMemory, 18));
        assert_eq!(on("sm_86", 128, 49152), (2, Limit::SharedMemory, 16));
        assert_eq!(on("sm_75", 128, 49152), (1, Limit::SharedMemory, 12));
        // A warp that is not full takes the place of a whole one.
        assert_eq!(on("sm_90", 33, 0), (32, Limit::Threads, 100));
    }
}
