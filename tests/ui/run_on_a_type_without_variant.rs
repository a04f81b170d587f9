use obsidian::prelude::*;

kernel! {
    #[kernel(T = [i32, f32])]
    pub fn copy<T: Num>(input: DPull<T>) -> DPush<Grid, T> {
        input.split_up(64).as_grid_map(|c| c.push())
    }
}

fn main() {
    let dev = Device::cpu();
    let input = dev.upload(&[0u8; 64]).unwrap();
    let _ = copy.run(&dev, &input);
}
