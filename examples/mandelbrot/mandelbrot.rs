//! Mandelbrot (JFP 2016 §6.1): a block for each row, a thread for each pixel, a sequential loop in each thread. Writes
//! `mandelbrot.png`, or the file named: `cargo run --release -p obsidian-mandelbrot --example mandelbrot [-- PATH]`.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use obsidian::prelude::*;

const SIZE: u32 = 512;

kernel! {
    /// One step of the iteration from the point of row `b`, column `t`: x² - y² + cx, 2xy + cy.
    fn step(b: u32, t: u32, s: (f32, f32, u32)) -> (f32, f32, u32) {
        let (x, y, n) = s;
        let cx = -2.0 + t as f32 * (3.2 / 512.0);
        let cy = 1.2 - b as f32 * (2.4 / 512.0);
        (x * x - y * y + cx, 2.0 * x * y + cy, n + 1)
    }

    /// Whether the point has left the circle, or has had its 512 iterations.
    fn done(s: (f32, f32, u32)) -> bool {
        let (x, y, n) = s;
        x * x + y * y >= 4.0 || n >= 512
    }

    /// The colour of a pixel.
    fn pixel(b: u32, t: u32) -> Program<Thread, u8> {
        let (_x, _y, n) = seq_until((0.0, 0.0, 1), |s| done(s), |s| step(b, t, s));
        (n % 16 * 16) as u8
    }

    /// A block for each row, a thread for each pixel.
    #[kernel(threads = 64)]
    pub fn mandelbrot() -> Push<Grid, u8> {
        mk_pull(512, |b| mk_pull(512, |t| exec_thread(pixel(b, t))).as_block()).as_grid()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let dev = Device::best()?;
    let pixels = mandelbrot.run(&dev)?.to_vec()?;
    let path = std::env::args().nth(1).unwrap_or_else(|| "mandelbrot.png".into());
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), SIZE, SIZE);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels)?;
    let sum: u64 = pixels.iter().map(|&p| u64::from(p)).sum();
    println!("{path}: {SIZE} x {SIZE} on {}, byte sum {sum}", dev.name());
    Ok(())
}
