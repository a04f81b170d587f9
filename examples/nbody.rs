//! Bodies that attract one another: `cargo run --release --example nbody [-- BODIES STEPS]`.
//!
//! A thread for each body; it goes through all others. The bodies' fields are arrays of their own on the device, and a tuple in
//! the kernel.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// What the body at `(x, y, z)` is accelerated by.
    fn acceleration(at: (f32, f32, f32), bodies: DPull<(f32, f32, f32, f32)>) -> Program<Thread, (f32, f32, f32)> {
        let (x, y, z) = at;
        bodies.foldl((0.0, 0.0, 0.0), |sum, body| {
            let (dx, dy, dz) = (body.0 - x, body.1 - y, body.2 - z);
            // A little distance is added, so that a body does not attract itself.
            let square = dx * dx + dy * dy + dz * dz + 0.01;
            let pull = body.3 / (square * sqrt(square));
            (sum.0 + dx * pull, sum.1 + dy * pull, sum.2 + dz * pull)
        })
    }

    #[kernel(threads = 64)]
    pub fn accelerations(bodies: DPull<(f32, f32, f32, f32)>) -> DPush<Grid, (f32, f32, f32)> {
        let places = bodies.map(|body| (body.0, body.1, body.2));
        places.chunks(64).as_grid_map(|part| part.as_block_map(|at| exec_thread(acceleration(at, bodies))))
    }

    /// The places after a moment of `dt`, and the velocities.
    #[kernel]
    pub fn moved(
        dt: f32,
        bodies: DPull<(f32, f32, f32, f32)>,
        velocities: DPull<(f32, f32, f32)>,
        accelerations: DPull<(f32, f32, f32)>,
    ) -> (DPush<Grid, (f32, f32, f32, f32)>, DPush<Grid, (f32, f32, f32)>) {
        let faster = velocities.zip_with(accelerations, |v, a| (v.0 + dt * a.0, v.1 + dt * a.1, v.2 + dt * a.2));
        let further = bodies.zip_with(faster, |b, v| (b.0 + dt * v.0, b.1 + dt * v.1, b.2 + dt * v.2, b.3));
        (further.push(), faster.push())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let count = args.next().unwrap_or(Ok(1003))?;
    let steps = args.next().unwrap_or(Ok(10))?;
    let place = |i: usize, by: usize| (i * by % 1009) as f32 / 1009.0;
    let start: Vec<(f32, f32, f32, f32)> =
        (0..count).map(|i| (place(i, 7), place(i, 31), place(i, 101), 1.0 / count as f32)).collect();

    let dev = Device::best()?;
    let mut bodies = dev.upload(&start)?;
    let mut velocities = dev.alloc::<(f32, f32, f32)>(count)?;
    let pulls = accelerations.run(&dev, &bodies)?.to_vec()?;
    for _ in 0..steps {
        (bodies, velocities) = moved.run(&dev, 0.01, &bodies, &velocities, &accelerations.run(&dev, &bodies)?)?;
    }
    println!("{}: {count} bodies after {steps} steps, the first is at {:?}", dev.name(), bodies.to_vec()?.first());

    // Of the first step, some bodies against `f64`.
    for (i, found) in pulls.iter().enumerate().step_by(97) {
        let at = start[i];
        let sum = start.iter().fold(0.0, |sum, body| {
            let d = [body.0 - at.0, body.1 - at.1, body.2 - at.2].map(f64::from);
            let square = d.iter().map(|d| d * d).sum::<f64>() + 0.01;
            sum + d[0] * f64::from(body.3) / (square * square.sqrt())
        });
        if (f64::from(found.0) - sum).abs() > 1e-3 * (1.0 + sum.abs()) {
            return Err(format!("body {i} is accelerated by {}, in plain Rust by {sum}", found.0).into());
        }
    }
    // What one body pulls, another is pulled by: all together stay where they are.
    let drift: f64 = velocities.to_vec()?.iter().map(|v| f64::from(v.0)).sum::<f64>() / count.max(1) as f64;
    if drift.abs() > 1e-3 {
        return Err(format!("all bodies together move by {drift}").into());
    }
    Ok(())
}
