//! For the tests: rank 1 does what no rank should, by the name of it. Every rank prints the error that it gets.

use std::io::Write;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use obsidian::Device;
use obsidian::exchange::{Done, Exchange, Ranks};
use obsidian_algorithms::dist::Spread;
use obsidian_mpi::Mpi;

const LIMIT: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let what = std::env::args().nth(1).unwrap_or_default();
    match run(&what) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // In one write: `mpirun` mixes what ranks write in parts.
            let _ = std::io::stderr().write_all(format!("error: {error}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

fn run(what: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (dev, wire) = (Device::cpu(), Mpi::start()?);
    let odd = obsidian::exchange::Wire::rank(&wire) == 1;
    let ranks = match what {
        "version" => Ranks::introduced(wire, if odd { "version 9" } else { "version 8" }, LIMIT)?,
        _ => Ranks::join(wire, &dev, LIMIT)?,
    };
    let one = Done::from(vec![1u32]);
    ranks.all_reduce(&one, |a, b| a + b)?;
    match what {
        "leaves" if odd => return Err("it has other plans".into()),
        "panics" if odd => panic!("it was not to be"),
        // Without a word; the others may have messages for it that never arrive.
        "dies" | "dies_amid" if odd => {
            std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status()?;
        }
        "dies_at_the_end" if !odd => return Ok(()),
        "dies_at_the_end" => {
            thread::sleep(LIMIT / 4);
            std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status()?;
        }
        "dies_amid" => {
            let (many, size) = (Done::from(vec![0u8; 1 << 20]), ranks.size());
            drop(
                ranks
                    .all_to_all_v(&many, &(0..size).map(|to| if to == 1 { 1 << 20 } else { 0 }).collect::<Vec<_>>())?,
            );
        }
        "sleeps" if odd => thread::sleep(3 * LIMIT),
        "order" if odd => drop(ranks.scan_exclusive(&one, |a, b| a + b)?),
        "roots" => drop(ranks.broadcast(usize::from(odd), &one)?),
        "lengths" => drop(Spread::new(&ranks, 12, dev.upload(&vec![1u32; if odd { 5 } else { 4 }])?)?),
        _ => {}
    }
    ranks.all_reduce(&one, |a, b| a + b)?;
    Ok(())
}
