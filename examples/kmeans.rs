//! A step of k-means, repeated: `cargo run --release --example kmeans [-- POINTS CENTRES STEPS]`.
//!
//! Each thread looks for the centre that is next to its point; then a block for each centre adds up the points that are its own. The
//! two are launches of one program: the numbers of the centres stay on the device.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// The number of the centre next to a point; of several the first.
    fn nearest(point: (f32, f32), centres: DPull<(f32, f32)>) -> Program<Thread, u32> {
        let numbered = mk_pull(centres.len(), |i| (centres[i], i));
        let (_distance, number) = numbered.foldl((f32::INFINITY, 0), |best, centre| {
            let (dx, dy) = (centre.0.0 - point.0, centre.0.1 - point.1);
            let distance = dx * dx + dy * dy;
            if distance < best.0 { (distance, centre.1) } else { best }
        });
        number
    }

    /// The mean of each centre's points; a centre without any stays where it is.
    #[kernel(threads = 256)]
    pub fn step(points: DPull<(f32, f32)>, centres: DPull<(f32, f32)>) -> Program<Device, DPush<Grid, (f32, f32)>> {
        let owners = points.chunks(256).as_grid_map(|part| part.as_block_map(|p| exec_thread(nearest(p, centres)))).compute();
        mk_pull(centres.len(), |k| exec_block({
            let own = points.zip_with(owners, |p, owner| if owner == k { (p.0, p.1, 1) } else { (0.0, 0.0, 0) });
            let (x, y, count) = reduce(own, |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2)).first();
            if count == 0 { centres[k] } else { (x / count as f32, y / count as f32) }
        })).as_grid()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let count = args.next().unwrap_or(Ok(10_007))?;
    let k = args.next().unwrap_or(Ok(5))?;
    let steps = args.next().unwrap_or(Ok(10))?;
    // Discs around points of a circle.
    let points: Vec<(f32, f32)> = (0..count)
        .map(|i| {
            let (angle, around) = ((i % k) as f32 * std::f32::consts::TAU / k as f32, i as f32 * 2.4);
            let radius = (i * 7919 % 1000) as f32 / 5000.0;
            (angle.cos() + radius * around.cos(), angle.sin() + radius * around.sin())
        })
        .collect();

    let dev = Device::best()?;
    if points.is_empty() {
        println!("no points have no centres");
        return Ok(());
    }
    let on_device = dev.upload(&points)?;
    let mut centres = dev.upload(&points[..k.min(count)])?;
    let mut expected = centres.to_vec()?;
    for _ in 0..steps {
        centres = step.run(&dev, &on_device, &centres)?;
        expected = in_plain_rust(&points, &expected);
    }
    let found = centres.to_vec()?;
    println!("{}: {count} points, centres {found:?}", dev.name());
    for (found, expected) in found.iter().zip(&expected) {
        if (found.0 - expected.0).abs() + (found.1 - expected.1).abs() > 1e-3 {
            return Err(format!("the kernel finds {found:?}, plain Rust {expected:?}").into());
        }
    }
    Ok(())
}

fn in_plain_rust(points: &[(f32, f32)], centres: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let mut sums = vec![(0.0f64, 0.0f64, 0u32); centres.len()];
    for p in points {
        let distance = |c: &(f32, f32)| (c.0 - p.0) * (c.0 - p.0) + (c.1 - p.1) * (c.1 - p.1);
        let near = |a: &usize, b: &usize| distance(&centres[*a]).total_cmp(&distance(&centres[*b]));
        if let Some(owner) = (0..centres.len()).min_by(near) {
            let sum = &mut sums[owner];
            *sum = (sum.0 + f64::from(p.0), sum.1 + f64::from(p.1), sum.2 + 1);
        }
    }
    let mean = |(sum, old): (&(f64, f64, u32), &(f32, f32))| match sum.2 {
        0 => *old,
        n => ((sum.0 / f64::from(n)) as f32, (sum.1 / f64::from(n)) as f32),
    };
    sums.iter().zip(centres).map(mean).collect()
}
