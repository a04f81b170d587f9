//! Wisdom from end to end: the kernel of this file is tuned, what was found is written, and the program that ships it takes it.

use std::path::{Path, PathBuf};
use std::process::Command;

use obsidian::wisdom::{Reason, Rule, Wisdom};
use obsidian::{kernel, prelude::*};

kernel! {
    #[kernel(threads = 64, SEQ = [1, 4])]
    pub fn summed<const SEQ: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(1024).as_grid_map(|c| {
            let parts = c.split_up(SEQ).as_block_map(|p| exec_thread(p.seq_reduce(|a, b| a + b))).compute();
            exec_block(reduce(parts, |a, b| a + b))
        })
    }

    /// Of the same parameters, and another program.
    #[kernel(threads = 64, SEQ = [1, 4])]
    pub fn greatest<const SEQ: u32>(input: DPull<u32>) -> DPush<Grid, u32> {
        input.split_up(1024).as_grid_map(|c| {
            let parts = c.split_up(SEQ).as_block_map(|p| exec_thread(p.seq_reduce(max))).compute();
            exec_block(reduce(parts, max))
        })
    }
}

const LEN: usize = 65536;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("obsidian-wise-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn obsidian(args: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-obsidian"));
    command.arg("obsidian").args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")));
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_a_tuning_has_found_is_taken_by_the_program() {
    let folder = Folder::new("end");
    let (record, files, len) = (folder.file("r.jsonl"), folder.file("wisdom"), LEN.to_string());
    let source = "tests/wisdom.rs";
    obsidian(&["tune", "summed", source, "--len", &len, "--rounds", "6", "--record", &record]);
    obsidian(&["choose", "summed", source, "--record", &record, "--wisdom", &files]);

    let (device, wisdom) = (Device::cpu(), Wisdom::read(&files));
    assert!(wisdom.refused().is_empty(), "{:?}", wisdom.refused());
    let known = wisdom.of(summed.kernel(), &device);
    assert!(known.refused().is_empty(), "{}", known.refused()[0]);
    let chosen = known.choose(LEN as u64);
    assert_eq!(chosen.rule(), Rule::SameLength);
    let text = std::fs::read_to_string(&record).expect("a record");
    assert!(text.contains(&format!("\"chosen\":\"{}\"", chosen.variant())), "{chosen}\n{text}");
    assert_eq!(known.choose(1024).rule(), Rule::NearestLength(LEN as u64));

    let input = device.upload(&vec![1u32; LEN]).expect("a buffer");
    let sums = summed.with(chosen).run(&device, &input).expect("it runs").to_vec().expect("its values");
    assert_eq!(sums, vec![1024; LEN / 1024]);
    // Nothing is known of another kernel; renamed, the file is about another program.
    assert_eq!(wisdom.of(greatest.kernel(), &device).choose(LEN as u64).rule(), Rule::First);
}

#[test]
fn wisdom_of_another_program_of_the_same_name_is_refused() {
    let folder = Folder::new("other");
    let (record, files, source) = (folder.file("r.jsonl"), folder.file("wisdom"), folder.file("other.rs"));
    let own =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wisdom.rs")).expect("this file");
    std::fs::write(&source, own.replace("p.seq_reduce(|a, b| a + b)", "p.seq_reduce(|a, b| a ^ b)")).expect("a file");
    obsidian(&["tune", "summed", &source, "--len", "4096", "--rounds", "6", "--record", &record]);
    obsidian(&["choose", "summed", &source, "--record", &record, "--wisdom", &files]);
    let known = Wisdom::read(&files).of(summed.kernel(), &Device::cpu());
    assert_eq!(known.choose(4096).rule(), Rule::First);
    let whys: Vec<&Reason> = known.refused().iter().map(|refused| &refused.why).collect();
    assert!(matches!(whys[..], [Reason::Mismatch { what: "text", .. }]), "{whys:?}");
}
