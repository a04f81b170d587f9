//! PTX under sentryward, a static verifier of races and barriers. It finds every program without atomics free of races, at one
//! block and at four (long programs at one only), and it reports a barrier that is missing or that not all threads reach.
//! `cargo xtask test` brings it; elsewhere these tests say SKIP. Where it cannot decide, the test says that this was not checked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use rayon::prelude::*;

use super::cases::{self, Case, has_inputs, is_open, lens};
use super::data::{self, Pattern};
use super::flat::{Flat, Word};
use super::text;

/// Names the verifier.
const TOOL: &str = "OBSIDIAN_TEST_SENTRYWARD";
/// The line that ends an answer.
const END: &str = "-- end of the answer --";
/// Seconds for one question.
const PATIENCE: &str = "20";
/// The longest text, in bytes, about which it is asked for more than one block: its time grows with the accesses of all
/// threads.
const MAX_TEXT: usize = 4_000;
/// Programs about which it is not asked, because it takes minutes for each: their shared arrays are read across.
const TOO_LONG: [&str; 4] = ["padded_tiles", "tiles_transposed", "transposed", "tuned_transpose"];
/// It is asked about the variants whose number of threads is nearest to this: two warps, the fewest for which a barrier
/// of the block matters.
const THREADS: u32 = 64;

fn tool() -> Option<PathBuf> {
    let found = std::env::var_os(TOOL).map(PathBuf::from);
    if found.is_none() {
        println!("SKIP: {TOOL} does not name sentryward");
    }
    found
}

/// Whether the verifier knows the instructions of a text.
fn is_known(text: &str) -> bool {
    !text.contains(" atom.") && !text.contains(" red.")
}

/// The numbers of blocks for which it is asked about a text.
fn blocks(text: &str) -> &'static [u32] {
    if text.len() <= MAX_TEXT { &[1, 4] } else { &[1] }
}

/// One variant per kernel, of whole warps, as the verifier wants them.
fn cases() -> Vec<Case> {
    let mut all = cases::cases();
    all.retain(|case| case.program.threads % 32 == 0 && has_inputs(case.params()));
    all.sort_by_key(|case| (case.info.name, case.program.threads.abs_diff(THREADS)));
    all.dedup_by_key(|case| case.info.name);
    all
}

/// The launch of a question: real blocks, and chunks of the input for each.
#[derive(Clone, Copy)]
struct Asked {
    blocks: u32,
    chunks: u32,
}

/// The verifier, which a script keeps loaded: each question is a copy of its process, so that one that dies takes nothing with it.
struct Verifier {
    process: Child,
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Verifier {
    /// With the Python that the tool is installed for.
    fn new(tool: &Path) -> Verifier {
        let mut command = Command::new(tool.with_file_name("python"));
        command.args(["-c", include_str!("sentryward.py"), END]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap_or_else(|e| panic!("{}: {e}", tool.display()));
        let questions = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        Verifier { process, questions, answers }
    }

    /// What it says of a text and of the launch that is asked about.
    fn ask(&mut self, ptx: &Path, input: &Path) -> String {
        writeln!(self.questions, "{}\t{}\t{PATIENCE}", ptx.display(), input.display()).expect("it listens");
        let mut said = String::new();
        loop {
            match self.answers.next() {
                Some(Ok(line)) if line == END => return said,
                Some(Ok(line)) => said += &format!("{line}\n"),
                other => panic!("the verifier has ended: {other:?}\n{said}"),
            }
        }
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The result of one question, `race_free` or another, and what was said.
fn ask(verifier: &mut Verifier, case: &Case, text: &str, asked: Asked, name: &str) -> (String, String) {
    let blocks = asked.blocks;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sentryward");
    std::fs::create_dir_all(&folder).expect("a folder");
    let (ptx, input) = (folder.join(format!("{name}-{blocks}.ptx")), folder.join(format!("{name}-{blocks}.json")));
    let (text, arguments) = declared(case, text, asked);
    std::fs::write(&ptx, text).expect("a file");
    let launch = format!("{{\"grid_dim\":[{blocks},1,1],\"block_dim\":[{},1,1]}}", case.program.threads);
    let question =
        format!("{{\"schema\":\"spverify.kernel-input/v1\",\"launch\":{launch},\"arguments\":[{arguments}]}}");
    std::fs::write(&input, question).expect("a file");
    let said = verifier.ask(&ptx, &input);
    (field(&said, "result").unwrap_or_default(), field(&said, "message").unwrap_or(said))
}

/// The text of the first field of that name in JSON.
fn field(json: &str, name: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!("\"{name}\":"))?;
    let rest = rest.trim_start().strip_prefix('"')?;
    Some(rest[..rest.find('"')?].to_string())
}

/// The text with its pointers declared as such (the verifier takes each for memory of its own then), and the values of its
/// other parameters, with as many chunks as are asked for.
fn declared(case: &Case, text: &str, asked: Asked) -> (String, String) {
    let len = if is_open(case.params()) { asked.blocks * asked.chunks * case.chunk } else { 0 };
    let args = data::args(case.params(), &lens(case.params(), |_| len), Pattern::Count);
    let words = Flat::new(&case.program, &args, case.output_lens(&args)).words;
    let (head, rest) = text.split_once("\n{\n").expect("a head");
    let mut words = words.iter();
    let (mut whole, mut values) = (String::new(), Vec::new());
    for line in head.lines() {
        let Some(declaration) = line.trim_start().strip_prefix(".param .") else {
            whole += &format!("{line}\n");
            continue;
        };
        let (ty, name) = declaration.trim_end_matches(',').split_once(' ').expect("a type and a name");
        match words.next().expect("as many arguments as parameters") {
            Word::Buffer(_) => whole += &format!("{}\n", line.replacen(".u64", ".u64 .ptr .global .align 1", 1)),
            Word::Value { bits, .. } => {
                whole += &format!("{line}\n");
                values.push(format!("{{\"parameter\":\"{name}\",\"type\":\"{ty}\",\"value\":{}}}", number(ty, *bits)));
            }
        }
    }
    (format!("{whole}{{\n{rest}"), values.join(","))
}

/// A value as the verifier takes it. No address depends on a float.
fn number(ty: &str, bits: u64) -> String {
    if ty.starts_with('s') { (bits as i64).to_string() } else { bits.to_string() }
}

fn names(cases: &[&Case]) -> String {
    cases.iter().map(|case| case.info.name).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_verifier_finds_no_race() {
    let Some(tool) = tool() else { return };
    let cases = cases();
    assert!(TOO_LONG.iter().all(|name| cases.iter().any(|case| case.info.name == *name)), "a program is gone");
    let asked = cases.iter().filter(|case| !TOO_LONG.contains(&case.info.name));
    let (known, unknown): (Vec<&Case>, Vec<&Case>) = asked.partition(|case| is_known(text(case).source));
    // The longest first, so that no core is left with a long one at the end.
    let mut questions: Vec<(&Case, u32)> =
        known.iter().flat_map(|case| blocks(text(case).source).iter().map(|&blocks| (*case, blocks))).collect();
    questions.sort_by_key(|(case, _)| std::cmp::Reverse(text(case).source.len()));
    let idle = Mutex::new(Vec::new());
    let answers: Vec<(&Case, u32, String, String)> = questions
        .into_par_iter()
        .with_max_len(1)
        .map(|(case, blocks)| {
            let kept = idle.lock().expect("nobody panics with it").pop();
            let mut verifier = kept.unwrap_or_else(|| Verifier::new(&tool));
            let asked = Asked { blocks, chunks: 1 };
            let (result, said) = ask(&mut verifier, case, text(case).source, asked, text(case).symbol);
            idle.lock().expect("nobody panics with it").push(verifier);
            (case, blocks, result, said)
        })
        .collect();
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    answers.iter().for_each(|(_, _, result, _)| *results.entry(result).or_default() += 1);
    println!("{results:?}; not asked, since it takes minutes: {}", TOO_LONG.join(", "));
    println!("not asked, since it knows no atomics: {}", names(&unknown));
    for (case, blocks, result, said) in &answers {
        match result.as_str() {
            "race_free" => {}
            "unsupported" | "timeout" => println!("not checked: {}, {blocks} blocks: {said}", case.name()),
            _ => panic!("{}, {blocks} blocks: {result}: {said}", case.name()),
        }
    }
    let checked = results.get("race_free").copied().unwrap_or(0);
    assert!(10 * checked >= 8 * answers.len(), "{checked} of {} answers", answers.len());
}

#[test]
fn the_verifier_reports_planted_barriers() {
    let Some(mut verifier) = tool().map(|tool| Verifier::new(&tool)) else { return };
    let cases = cases();
    let case = cases.iter().find(|case| case.info.name == "reductions").expect("it exists");
    let (whole, barrier) = (text(case).source, "    bar.sync 0;\n");
    let places: Vec<usize> = whole.match_indices(barrier).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "no barrier");
    // One barrier keeps the writes for the second chunk from the reads of the first.
    let twice = Asked { blocks: 1, chunks: 2 };
    for (i, at) in places.into_iter().enumerate() {
        let (before, after) = (&whole[..at], &whole[at + barrier.len()..]);
        let (result, said) = ask(&mut verifier, case, &format!("{before}{after}"), twice, &format!("dropped{i}"));
        assert_eq!(result, "potential_race", "barrier {i} dropped: {said}");
        let guard = "    setp.lt.u32 %p1, %u2, 9;\n    @%p1 bra $Lx;\n";
        let divergent = format!("{before}{guard}{barrier}$Lx:\n{after}");
        let (result, said) = ask(&mut verifier, case, &divergent, twice, &format!("divergent{i}"));
        assert_eq!(result, "not_wellsynced", "barrier {i} divergent: {said}");
    }
}
