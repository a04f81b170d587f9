use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn add(x: DPull<u32>, y: DMut<u32>) -> Program<Grid, ()> {
        for_all(min(x.len(), y.len()), |i| { y[i] += x[i]; })
    }
}

fn main() -> Result<(), Error> {
    let dev = Device::cpu();
    let mut buffer = dev.upload(&[1u32; 64])?;
    add.run(&dev, &buffer, &mut buffer)
}
