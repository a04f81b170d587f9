//! Life on a torus of any size: `cargo run --release --example life [-- HEIGHT WIDTH GENERATIONS]`.
//!
//! `stencil_2d_wrap` goes on at the other edge. The board stays on the device between the generations.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    #[kernel(threads = 256)]
    pub fn generation(board: DMat<u8>) -> PushMat<Grid, u8> {
        let next = |near: Pull<Pull<u8>>| {
            let rows = near.map(|row| row[0] + row[1] + row[2]);
            let (alive, all) = (near[1][1], rows[0] + rows[1] + rows[2]);
            if all == 3 || all == 4 && alive == 1 { 1 } else { 0 }
        };
        board.stencil_2d_wrap(1, 1, next).push()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let height = args.next().unwrap_or(Ok(21))?;
    let width = args.next().unwrap_or(Ok(61))?;
    let generations = args.next().unwrap_or(Ok(50))?;
    let start: Vec<u8> = (0..height * width).map(|i| u8::from(i.wrapping_mul(2_654_435_761) >> 7 & 3 == 0)).collect();

    let dev = Device::best()?;
    let mut board = dev.upload_matrix(&start, height, width)?;
    let mut expected = start;
    for _ in 0..generations {
        board = generation.run(&dev, &board)?;
        expected = in_plain_rust(&expected, height, width);
    }
    let found = board.to_vec()?;
    println!("{}: generation {generations}", dev.name());
    for row in found.chunks(width.max(1)) {
        println!("{}", row.iter().map(|&cell| if cell == 1 { '#' } else { '.' }).collect::<String>());
    }
    if found == expected { Ok(()) } else { Err("plain Rust has another board".into()) }
}

fn in_plain_rust(board: &[u8], height: usize, width: usize) -> Vec<u8> {
    let near = |i: usize, d: usize, n: usize| (i + d + n - 1) % n;
    let alive = |i: usize| {
        let (y, x) = (i / width, i % width);
        let cells = (0..3).flat_map(|a| (0..3).map(move |b| (a, b)));
        let all: u8 = cells.map(|(a, b)| board[near(y, a, height) * width + near(x, b, width)]).sum();
        u8::from(all == 3 || all == 4 && board[i] == 1)
    };
    (0..board.len()).map(alive).collect()
}
