//! The words of a file in alphabetical order: `cargo run --release --example word_sort [-- FILE]`.
//!
//! A radix sort, whose digits are eight letters: the last eight letters of the longest word first, then those before them. It is right
//! because `sort_by_key` at the level `Device` is stable: words that agree in these letters stay as the later letters have put them.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// The places of the words in ascending order. `letters` has the first eight letters of each word, then the next eight of each,
    /// and so on, zeros behind a word's end.
    #[kernel]
    pub fn order_of_words(letters: DPull<u64>, words: u32, digits: u32) -> Program<Device, DPull<u32>> {
        let mut order = mk_pull(words, |i| i).compute();
        for k in 0..digits {
            let (before, digit) = (order, (digits - 1 - k) * words);
            let keyed = mk_pull(words, |j| (letters[digit + before[j]], before[j]));
            order = sort_by_key(keyed, |word| word.0).map(|word| word.1).compute();
        }
        order
    }
}

/// Eight letters of a word as a number whose order is that of the letters.
fn letters_at(word: &str, digit: usize) -> u64 {
    let mut eight = [0; 8];
    word.bytes().skip(8 * digit).zip(&mut eight).for_each(|(letter, place)| *place = letter);
    u64::from_be_bytes(eight)
}

fn main() -> Result<(), Box<dyn Error>> {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => include_str!("../README.md").to_string(),
    };
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let digits = words.iter().map(|word| word.len().div_ceil(8)).max().unwrap_or(0);
    let letters: Vec<u64> =
        (0..digits).flat_map(|digit| words.iter().map(move |word| letters_at(word, digit))).collect();

    let dev = Device::best()?;
    let order =
        order_of_words.run(&dev, &dev.upload(&letters)?, u32::try_from(words.len())?, digits as u32)?.to_vec()?;
    let sorted: Vec<&str> = order.iter().map(|&place| words[place as usize]).collect();
    println!("{}: {} words in {digits} digits", dev.name(), words.len());
    println!("from {:?} to {:?}", sorted.first(), sorted.last());

    // Equal words keep their order, so that there is one right answer.
    let mut expected: Vec<u32> = (0..words.len() as u32).collect();
    expected.sort_by_key(|&place| words[place as usize]);
    if order == expected { Ok(()) } else { Err("plain Rust sorts the words otherwise".into()) }
}
