//! How often each word is in a text: `cargo run --release --example word_count [-- FILE]`.
//!
//! Words become numbers on the host; the device sorts them, counts runs of equal ones, whose number data decide, and picks the most
//! frequent. The guide's page "Above the grid" is about such programs.

use std::collections::HashMap;
use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// Each word with its count, in the order of the words' numbers; and the ten words that are most frequent.
    #[kernel]
    pub fn count_words(words: DPull<u64>) -> Program<Device, (DPull<(u64, u32)>, DPull<(u64, u32)>)> {
        let counts = run_length(sort(words));
        (counts, top_k_by(counts, 10, |a, b| a.1 > b.1 || (a.1 == b.1 && a.0 <= b.0)))
    }
}

/// The number of a word: FNV-1a of its bytes, in 64 bits.
fn number(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn main() -> Result<(), Box<dyn Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => include_str!("../README.md").to_string(),
    };
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let mut names: HashMap<u64, &str> = HashMap::new();
    let mut expected: HashMap<u64, u32> = HashMap::new();
    for word in &words {
        let code = number(word);
        if *names.entry(code).or_insert(word) != word {
            return Err(format!("`{word}` and `{}` have one number", names[&code]).into());
        }
        *expected.entry(code).or_default() += 1;
    }
    let dev = Device::best()?;
    let codes: Vec<u64> = words.iter().map(|word| number(word)).collect();
    let (counts, most) = count_words.run(&dev, &dev.upload(&codes)?)?;
    let (counts, most) = (counts.to_vec()?, most.to_vec()?);
    println!("{}: {} words, {} different ones", dev.name(), words.len(), counts.len());
    for &(code, count) in &most {
        println!("{count:8} {}", names[&code]);
    }
    if counts.len() != expected.len() || counts.iter().any(|(code, count)| expected[code] != *count) {
        return Err("plain Rust counts otherwise".into());
    }
    let mut sorted: Vec<(u64, u32)> = expected.into_iter().collect();
    sorted.sort_by_key(|&(code, count)| (std::cmp::Reverse(count), code));
    if !sorted.starts_with(&most) || most.len() != sorted.len().min(10) {
        return Err("plain Rust finds other words most frequent".into());
    }
    Ok(())
}
