//! Life on a torus whose rows are shared out: `mpirun -np 4 life_on_ranks [HEIGHT WIDTH GENERATIONS [PICTURE.pbm]]`.
//!
//! Each rank has some rows, on its device. In each generation the rows at the edges go to the ranks beside, and the inner ones are computed
//! meanwhile. The last board is compared with plain Rust's, and written as a picture.

use std::error::Error;
use std::fs;
use std::time::Duration;

use obsidian::exchange::{Exchange, Ranks};
use obsidian::prelude::*;
use obsidian_algorithms::dist::{Beyond, Rows, stencil_rows};
use obsidian_mpi::Mpi;

kernel! {
    /// The next generation of the rows that have one row above and below.
    #[kernel(threads = 256)]
    pub fn generation(board: DMat<u8>) -> PushMat<Grid, u8> {
        let (rows, cols) = (board.rows(), board.cols());
        mk_mat(max(rows, 2) - 2, cols, |i, j| {
            let row = |a: u32| {
                let cell = |b: u32| board[(i + a, (j + b + (cols - 1)) % cols)];
                cell(0) + cell(1) + cell(2)
            };
            let (alive, all) = (board[(i + 1, j)], row(0) + row(1) + row(2));
            if all == 3 || all == 4 && alive == 1 { 1 } else { 0 }
        }).push()
    }
}

const USAGE: &str = "usage: life_on_ranks [HEIGHT WIDTH GENERATIONS [PICTURE.pbm]]";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise| match args.get(at) {
        Some(arg) => arg.parse::<usize>().map_err(|error| format!("`{arg}`: {error}; {USAGE}")),
        None => Ok(otherwise),
    };
    let (height, width, generations) = (number(0, 64)?, number(1, 96)?, number(2, 50)?);

    let dev = Device::best()?;
    let ranks = Ranks::join(Mpi::start()?, &dev, Duration::from_secs(60))?;
    let mine = Rows::<u8>::share(height as u64, ranks.size(), ranks.rank());
    let start: Vec<u8> =
        mine.clone().flat_map(|row| (0..width).map(move |col| cell(row as usize * width + col))).collect();
    let rows = (mine.end - mine.start) as usize;
    let mut board = Rows::joined(&ranks, dev.upload_matrix(&start, rows, width)?)?;
    for _ in 0..generations {
        board = stencil_rows(&ranks, &board, 1, Beyond::Around, |rows, next| generation.run_into(&dev, rows, next))?;
    }
    let found = board.gather(&ranks, 0)?;
    if ranks.rank() > 0 {
        return Ok(());
    }
    let mut expected: Vec<u8> = (0..height * width).map(cell).collect();
    (0..generations).for_each(|_| expected = in_plain_rust(&expected, height, width));
    if found != expected {
        return Err("plain Rust has another board".into());
    }
    let alive = found.iter().filter(|&&cell| cell == 1).count();
    println!("{} ranks on {}: generation {generations} of {height} x {width}, {alive} alive", ranks.size(), dev.name());
    if let Some(path) = args.get(3) {
        let pixels: Vec<u8> = found.iter().flat_map(|&cell| [b'0' + cell, b'\n']).collect();
        fs::write(path, [format!("P1 {width} {height}\n").as_bytes(), &pixels].concat())
            .map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

/// Whether a cell lives at the start.
fn cell(i: usize) -> u8 {
    u8::from(i.wrapping_mul(2_654_435_761) >> 7 & 3 == 0)
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
