//! A test that several processes share. Some drivers compile for one thread of a process at a time, and keep the other cores waiting.

use std::process::{Child, Command, Stdio};

/// Tells a process which share is its own: `0 of 2`.
const SHARE: &str = "OBSIDIAN_TEST_SHARE";
/// The beginning of the line in which a process tells what it counted.
const COUNTS: &str = "counts of a share:";

/// The files of kernels that one process takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    number: u64,
    of: u64,
}

impl Share {
    /// Whether the process takes the file of that name.
    pub fn takes(self, file: &str) -> bool {
        // FNV-1a.
        let hash = file.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        hash % self.of == self.number
    }

    /// That of this process, if it is one of several.
    fn own() -> Option<Share> {
        let text = std::env::var(SHARE).ok()?;
        let (number, of) = text.split_once(" of ")?;
        Some(Share { number: number.parse().ok()?, of: of.parse().ok()? })
    }
}

/// Runs the test of that name, which calls this, in one process for each core, and adds up what they count. `None` in these processes:
/// there is nothing more to do in them.
pub fn shared<const N: usize>(test: &str, work: impl FnOnce(Share) -> [usize; N]) -> Option<[usize; N]> {
    if let Some(share) = Share::own() {
        println!("\n{COUNTS} {}", work(share).map(|n| n.to_string()).join(" "));
        return None;
    }
    let of = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let children: Vec<Child> = (0..of).map(|number| started(test, Share { number, of })).collect();
    let mut sums = [0; N];
    for child in children {
        let output = child.wait_with_output().expect("a process of the test");
        let said = String::from_utf8_lossy(&output.stdout);
        print!("{said}");
        assert!(output.status.success(), "a process of the test: {}", output.status);
        let counts = said.lines().find_map(|line| line.strip_prefix(COUNTS)).expect("counts");
        let counts: Vec<usize> = counts.split_whitespace().map(|n| n.parse().expect("a count")).collect();
        assert_eq!(counts.len(), N, "{counts:?}");
        sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
    }
    Some(sums)
}

fn started(test: &str, share: Share) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--nocapture"]).env(SHARE, format!("{} of {}", share.number, share.of));
    command.stdout(Stdio::piped()).spawn().expect("a process of the test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_in_one_share() {
        for of in [1, 2, 5] {
            let mut sizes = vec![0; of as usize];
            for file in (0..1000).map(|n| format!("file_{n}.rs")) {
                let takers: Vec<u64> = (0..of).filter(|&number| Share { number, of }.takes(&file)).collect();
                assert_eq!(takers.len(), 1);
                sizes[takers[0] as usize] += 1;
            }
            assert!(sizes.iter().all(|&n| n > 500 / of), "{sizes:?}");
        }
    }
}
