//! Sorts a file of `u32`, lowest byte first: `mpirun -np 4 sort_file FROM TO`. Each rank reads its share, and writes the piece of the order that
//! it has got. Without arguments a file of a million numbers is made and sorted, and the result compared with the standard library's.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use obsidian::exchange::{Done, Exchange, Ranks};
use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Spread};
use obsidian_mpi::Mpi;

/// How many numbers are made.
const MADE: u32 = 1_000_003;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let dev = Device::best()?;
    let ranks = Ranks::join(Mpi::start()?, &dev, Duration::from_secs(60))?;
    match &args[..] {
        [from, to] => sort(&ranks, &dev, from, to),
        [] => sort_made(&ranks, &dev),
        _ => Err("usage: sort_file [FROM TO]".into()),
    }
}

/// Sorts the file `from` into the file `to`, which all ranks see.
fn sort(ranks: &Ranks<Mpi>, dev: &Device, from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    // An error of a file on one rank is one on all.
    let told = |path: &Path, reason: String| ranks.fail(ranks.rank(), format!("{}: {reason}", path.display()));
    let read_from = |error: std::io::Error| told(from, error.to_string());
    let written_to = |error: std::io::Error| told(to, error.to_string());
    let bytes = fs::metadata(from).map_err(read_from)?.len();
    if bytes % 4 != 0 {
        return Err(told(from, format!("it has {bytes} bytes, which are no whole numbers of 4 bytes")).into());
    }
    let len = bytes / 4;
    let share = dist::share(len, ranks.size(), ranks.rank());
    let part = read(from, share.start, (share.end - share.start) as usize).map_err(read_from)?;
    let sorted = dist::sort(ranks, &Spread::new(ranks, len, dev.upload(&part)?)?)?;
    if ranks.rank() == 0 {
        File::create(to).and_then(|file| file.set_len(4 * len)).map_err(written_to)?;
    }
    // Nobody writes before the file is there, or ends before it is whole.
    ranks.all_gather(&Done::<u8>::from(vec![]))?;
    write(to, sorted.start(), &sorted.part().done()?).map_err(written_to)?;
    ranks.all_gather(&Done::<u8>::from(vec![]))?;
    if ranks.rank() == 0 {
        println!("{} ranks on {}: {len} numbers sorted", ranks.size(), dev.name());
    }
    Ok(())
}

fn sort_made(ranks: &Ranks<Mpi>, dev: &Device) -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir();
    // One name for all ranks.
    let name = ranks.broadcast(0, &Done::from(vec![std::process::id()]))?[0];
    let (from, to) = (folder.join(format!("unsorted-{name}.bin")), folder.join(format!("sorted-{name}.bin")));
    let mut numbers: Vec<u32> = (0..MADE).map(|i| i.wrapping_mul(2_654_435_761) ^ i >> 3).collect();
    if ranks.rank() == 0 {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        fs::write(&from, bytes).map_err(|error| ranks.fail(0, error.to_string()))?;
    }
    ranks.all_gather(&Done::<u8>::from(vec![]))?;
    sort(ranks, dev, &from, &to)?;
    if ranks.rank() == 0 {
        let found = read(&to, 0, numbers.len())?;
        fs::remove_file(&from)?;
        fs::remove_file(&to)?;
        numbers.sort_unstable();
        if found != numbers {
            return Err("the standard library has another order".into());
        }
        println!("as the standard library sorts them");
    }
    Ok(())
}

fn read(path: &Path, first: u64, len: usize) -> std::io::Result<Vec<u32>> {
    let mut bytes = vec![0; 4 * len];
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(4 * first))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
}

fn write(path: &Path, first: u64, values: &[u32]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.seek(SeekFrom::Start(4 * first))?;
    file.write_all(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}
