use obsidian::prelude::*;

kernel! {
    struct Wrapper(u32);

    struct Grown {
        values: Vec<u32>,
    }
}

kernel! {
    struct Point {
        x: f32,
        y: f32,
    }

    #[kernel(threads = 64)]
    pub fn missing(xs: DPull<f32>) -> DPush<Grid, Point> {
        xs.map(|x| Point { x }).push()
    }

    #[kernel(threads = 64)]
    pub fn other(xs: DPull<Point>) -> DPush<Grid, f32> {
        xs.map(|p| p.z + p.0).push()
    }

    #[kernel(threads = 64)]
    pub fn added(xs: DPull<Point>) -> DPush<Grid, Point> {
        xs.map(|p| p + p).push()
    }

    #[kernel(threads = 64)]
    pub fn updated(xs: DPull<Point>) -> DPush<Grid, f32> {
        xs.map(|p| { let q = Point { x: true, y: 0.0 }; q.x }).push()
    }
}

fn main() {}
