//! What a grid over chunks costs: where all chunks are whole, at most 5 % more instructions than over `split_up`, and the same accesses of
//! several elements. Counted by running the printed PTX.

use obsidian_ir::backend::ptx;
use obsidian_lang::driver::compile_all;
use obsidian_lang::syntax::SpanTable;
use obsidian_ptx_interp::{Launch, Memory, Module};

/// Elements of a chunk.
const CHUNK: u32 = 4096;
/// Elements of the array: whole chunks.
const LEN: u32 = 8 * CHUNK;
/// The most instructions over chunks, of a hundred over `split_up`.
const MAX_PERCENT: u64 = 105;

/// What is made of a part `c`.
const MADE: [(&str, &str); 7] = [
    ("a map", "c.map(|x| x * 3 + 1).push()"),
    ("a reversal", "c.reverse().push()"),
    ("a stored part", "exec_block({ let s = c.map(|x| x + 1).compute(); s.reverse().push() })"),
    ("a reduction", "exec_block(reduce(c, |a, b| a + b))"),
    ("a scan", "exec_block(scan(c, |a, b| a + b).push())"),
    ("a histogram", "exec_block(histogram(c.map(|x| x % 16), 16).push())"),
    ("a thread each", "c.as_block_map(|x| exec_thread(seq_fold(8, x, |acc, i| acc * 3 + i)))"),
];

/// Instructions of all threads, and accesses of four elements in the text.
fn measured(result: &str) -> (u64, usize) {
    let text = format!("#[kernel(threads = 256)] fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ {result} }}");
    let tokens = text.parse().expect("tokens");
    let entries = compile_all(tokens, &mut SpanTable::default()).unwrap_or_else(|e| panic!("{text}: {}", e[0]));
    let machine = &entries.kernels[0].variants[0].machine;
    let text = ptx::print(machine);
    let module = Module::parse(&text).expect("PTX");
    let mut memory = Memory::new();
    let input = memory.allocate((0..LEN).flat_map(|i| (i * 7919 % 1000).to_le_bytes()).collect());
    let output = memory.allocate(vec![0; 4 * LEN as usize]);
    let launch = Launch { shared: machine.dynamic_shared() as usize, ..Launch::new(LEN / CHUNK, machine.threads) };
    let counted = module.counted(&machine.name, &launch, &[input, LEN.into(), output], &mut memory);
    (counted.expect("a launch"), text.matches(".v4").count())
}

/// Instructions over chunks and over `split_up`.
fn compared(what: &str, chunks: &str, parts: &str) -> (u64, u64) {
    let ((chunks, wide), (parts, wide_parts)) = (measured(chunks), measured(parts));
    println!(
        "{what}: {chunks} instructions over chunks, {parts} over `split_up`; {wide} and {wide_parts} wide accesses"
    );
    assert!(wide >= wide_parts, "{what}: {wide} wide accesses over chunks, {wide_parts} over `split_up`");
    (chunks, parts)
}

#[test]
fn whole_chunks_cost_what_split_up_costs() {
    for (what, made) in MADE {
        let over = |cut: &str| format!("xs.{cut}({CHUNK}).as_grid_map(|c| {made})");
        let (chunks, parts) = compared(what, &over("chunks"), &over("split_up"));
        assert!(
            100 * chunks <= MAX_PERCENT * parts,
            "{what}: {chunks} instructions over chunks, {parts} over `split_up`"
        );
    }
}

/// A thread of it takes eight elements only: to choose between a whole chunk and the last one costs five instructions at most, which is
/// more than 5 %.
#[test]
fn a_push_of_a_grid_keeps_wide_accesses() {
    // What the compiler takes for each thread of a block is said by hand.
    let by_hand = "xs.map(|x| x * 3 + 1).split_up(2048).as_grid_map(|c| c.runs(4))";
    let (chunks, parts) = compared("a push", "xs.map(|x| x * 3 + 1).push()", by_hand);
    let threads = u64::from(LEN / 8);
    assert!(chunks <= parts + 5 * threads, "{chunks} instructions over chunks, {parts} over `split_up`");
    assert!(measured(by_hand).1 >= 2);
}
