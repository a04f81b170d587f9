use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 64)]
    pub fn copy(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() -> Result<(), Error> {
    let dev = Device::cpu();
    let mut buffer = dev.upload(&[1i32; 64])?;
    copy.run_into(&dev, &buffer, &mut buffer)
}
