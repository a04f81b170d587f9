use obsidian::prelude::*;

kernel! {
    #[kernel]
    pub unsafe fn trusted(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.push()
    }
}

kernel! {
    #[kernel]
    pub extern "C" fn exported(xs: DPull<u32>) -> DPush<Grid, u32> {
        xs.push()
    }
}

fn main() {}
