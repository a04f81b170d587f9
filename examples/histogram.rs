//! How often each byte is in a file: `cargo run --release --example histogram [-- PATH]`.
//!
//! At the level `Device` `histogram` takes any number of keys, in two launches: each block counts a part in its shared memory, then
//! the counts are added.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub fn byte_counts(bytes: DPull<u8>) -> Program<Device, Pull<u32>> {
        histogram(bytes.map(|byte| byte as u32), 256)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or("Cargo.toml".into());
    let bytes = std::fs::read(&path).map_err(|e| format!("{path}: {e}"))?;

    let dev = Device::best()?;
    // On the CPU the bytes are not copied.
    let lent = dev.lend(&bytes)?;
    let counts = byte_counts.run(&dev, &lent)?.to_vec()?;
    let (most, count) = counts.iter().enumerate().max_by_key(|(_, count)| **count).ok_or("256 counts")?;
    println!("{}: {} bytes in {path}; {:?} is {count} of them", dev.name(), bytes.len(), most as u8 as char);

    let mut expected = vec![0; 256];
    bytes.iter().for_each(|&byte| expected[usize::from(byte)] += 1);
    if counts != expected {
        return Err("plain Rust counts otherwise".into());
    }
    Ok(())
}
