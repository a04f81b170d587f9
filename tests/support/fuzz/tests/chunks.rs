//! What any length costs: a grid over chunks, and a push, take at most 5 % more instructions than over `split_up` where all chunks are
//! whole, and the same accesses of several elements. Counted by running the printed PTX, a chunk for each real block.

use obsidian_ir::backend::ptx;
use obsidian_ir::passes::Machine;
use obsidian_lang::driver::compile_all;
use obsidian_lang::syntax::SpanTable;
use obsidian_ptx_interp::{Launch, Memory, Module};

/// Real threads of a block.
const THREADS: u32 = 256;
/// Elements of a chunk.
const CHUNK: u32 = 4096;
/// Chunks of an array, and rows of a matrix: each is whole, and a real block's, as the runtime launches them.
const BLOCKS: u32 = 8;
/// Chunks of an array that is pushed, whose threads do little: one block of all asks whether there is a last chunk.
const BLOCKS_OF_A_PUSH: u32 = 32;
/// Columns of a matrix.
const COLUMNS: u32 = 1000;
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

/// Fields of an element: their types and bytes.
type Fields = &'static [(&'static str, u32)];

/// Arrays that are pushed at `Grid`: the fields of an element, the array, and what the compiler takes for each thread of a block, said by
/// hand: elements, and how many of them are one access.
const PUSHED: [(&str, Fields, &str, [u32; 2]); 9] = [
    ("a map of bytes", &[("u8", 1)], "xs.map(|x| x * 3 + 1)", [32, 4]),
    ("a map of `u16`", &[("u16", 2)], "xs.map(|x| x * 3 + 1)", [16, 4]),
    ("a map of `u32`", &[("u32", 4)], "xs.map(|x| x * 3 + 1)", [8, 4]),
    ("a map of `i64`", &[("i64", 8)], "xs.map(|x| x * 3 + 1)", [4, 2]),
    ("a map of `f64`", &[("f64", 8)], "xs.map(|x| x * 3.0 + 1.0)", [4, 2]),
    ("a map of pairs", &[("f32", 4), ("u8", 1)], "xs.map(|(x, y)| (x * 3.0, y))", [8, 4]),
    ("a copy of `f32`", &[("f32", 4)], "xs", [8, 4]),
    ("a copy of `f64`", &[("f64", 8)], "xs", [4, 2]),
    ("numbers", &[("u32", 4)], "iota(xs.len())", [8, 4]),
];

/// What is made of a matrix `m` and its type, and the same with the rows of a block said by hand.
const OF_MATRICES: [(&str, &str, &str, &str); 3] = [
    (
        "a map",
        "PushMat<Grid, f32>",
        "m.map(|r| r.map(|x| x * 3.0 + 1.0)).push()",
        "m.as_grid_rows(|r| r.map(|x| x * 3.0 + 1.0).push())",
    ),
    (
        "a sum of two",
        "PushMat<Grid, f32>",
        "m.zip_with(m, |a, b| a.zip_with(b, |x, y| x + y)).push()",
        "m.as_grid_rows(|r| r.zip_with(r, |x, y| x + y).push())",
    ),
    (
        "a warp for each row",
        "DPush<Grid, f32>",
        "m.chunks(8).as_grid_map(|rows| rows.as_block_map(|row| exec_warp(reduce(row, |a, b| a + b))))",
        "m.split_up(8).as_grid_map(|rows| rows.as_block_map(|row| exec_warp(reduce(row, |a, b| a + b))))",
    ),
];

/// A kernel and what it is launched with.
struct Launched {
    text: String,
    /// The bytes of an element, field by field.
    fields: Vec<u32>,
    elements: u32,
    /// Further parameters.
    numbers: Vec<u64>,
    blocks: u32,
}

impl Launched {
    /// Of arrays with such fields.
    fn of_array(fields: &[(&str, u32)], result: &str, (elements, blocks): (u32, u32)) -> Launched {
        let ty = fields.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let text =
            format!("#[kernel(threads = {THREADS})] fn k(xs: DPull<({ty})>) -> DPush<Grid, ({ty})> {{ {result} }}");
        let fields = fields.iter().map(|(_, bytes)| *bytes).collect();
        Launched { text, fields, elements, numbers: Vec::new(), blocks }
    }

    /// Of a matrix of `f32`.
    fn of_matrix(gives: &str, result: &str) -> Launched {
        let text = format!("#[kernel(threads = {THREADS})] fn k(m: DMat<f32>) -> {gives} {{ {result} }}");
        let numbers = vec![BLOCKS.into(), COLUMNS.into()];
        Launched { text, fields: vec![4], elements: BLOCKS * COLUMNS, numbers, blocks: BLOCKS }
    }

    /// Instructions of all threads, and accesses of several elements in the text.
    fn measured(&self) -> (u64, usize) {
        let Launched { text, fields, elements, numbers, blocks } = self;
        let tokens = text.parse().expect("tokens");
        let entries = compile_all(tokens, &mut SpanTable::default()).unwrap_or_else(|e| panic!("{text}: {}", e[0]));
        let machine = &entries.kernels[0].variants[0].machine;
        let text = ptx::print(machine);
        let module = Module::parse(&text).expect("PTX");
        let mut memory = Memory::new();
        let bytes = |size: &u32| (0..elements * size).map(|i| (i * 7919 % 251) as u8).collect();
        let mut params: Vec<u64> = fields.iter().map(|size| memory.allocate(bytes(size))).collect();
        params.push((*elements).into());
        params.extend(numbers);
        params.extend(fields.iter().map(|size| memory.allocate(vec![0; (elements * size) as usize])));
        let launch = Launch { shared: machine.dynamic_shared() as usize, ..Launch::new(*blocks, machine.threads) };
        let counted = module.counted(&machine.name, &launch, &params, &mut memory);
        (counted.expect("a launch"), text.matches(".v4").count() + text.matches(".v2").count())
    }
}

/// Compares a kernel with one that tests nothing.
fn assert_costs_no_more(what: &str, any: &Launched, exact: &Launched) {
    let ((any, wide), (exact, wide_exact)) = (any.measured(), exact.measured());
    println!("{what}: {any} instructions, {exact} without a test; {wide} and {wide_exact} wide accesses");
    assert!(wide >= wide_exact, "{what}: {wide} wide accesses, {wide_exact} without a test");
    assert!(100 * any <= MAX_PERCENT * exact, "{what}: {any} instructions, {exact} without a test");
}

#[test]
fn whole_chunks_cost_what_split_up_costs() {
    for (what, made) in MADE {
        let over = |cut: &str| {
            let result = format!("xs.{cut}({CHUNK}).as_grid_map(|c| {made})");
            Launched::of_array(&[("u32", 4)], &result, (BLOCKS * CHUNK, BLOCKS))
        };
        assert_costs_no_more(what, &over("chunks"), &over("split_up"));
    }
}

#[test]
fn a_push_of_a_grid_costs_what_split_up_costs() {
    for (what, fields, array, [elements, run]) in PUSHED {
        let chunk = THREADS * elements;
        let size = (BLOCKS_OF_A_PUSH * chunk, BLOCKS_OF_A_PUSH);
        let kernel = |result: &str| Launched::of_array(fields, result, size);
        let by_hand = kernel(&format!("{array}.split_up({chunk}).as_grid_map(|c| c.runs({run}))"));
        assert!(by_hand.measured().1 >= usize::from(fields[0].1 > 1), "{what}: by hand no access is wide");
        assert_costs_no_more(what, &kernel(&format!("{array}.push()")), &by_hand);
    }
}

#[test]
fn a_push_of_a_matrix_costs_what_its_rows_cost() {
    for (what, gives, any, by_hand) in OF_MATRICES {
        assert_costs_no_more(what, &Launched::of_matrix(gives, any), &Launched::of_matrix(gives, by_hand));
    }
}

/// What is made of a chunk.
type Means = fn(&[u32]) -> Vec<u32>;

/// What a kernel leaves in `results` elements, of `len` numbers on so many real blocks.
fn left(module: &Module, machine: &Machine, (len, results): (u32, usize), blocks: u32) -> Vec<u32> {
    let mut memory = Memory::new();
    let input = memory.allocate((0..len).flat_map(u32::to_le_bytes).collect());
    let output = memory.allocate(vec![0xff; 4 * results]);
    let launch = Launch { shared: machine.dynamic_shared() as usize, ..Launch::new(blocks, machine.threads) };
    module.launch(&machine.name, &launch, &[input, len.into(), output], &mut memory).expect("a launch");
    memory.bytes(output).chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

/// The last chunk is a real block's that has had none, or of which it is the last of several.
#[test]
fn the_last_chunk_is_done_once_on_any_number_of_real_blocks() {
    let mapped: Means = |chunk| chunk.iter().map(|x| x * 3 + 1).collect();
    let kernels: [(&str, usize, Means); 3] = [
        ("xs.map(|x| x * 3 + 1).push()", 256, mapped),
        (
            "xs.chunks(64).as_grid_map(|c| exec_block({ let s = c.map(|x| x * 3).compute(); s.map(|x| x + 1).push() }))",
            64,
            mapped,
        ),
        ("xs.chunks(64).as_grid_map(|c| exec_block(reduce(c, |a, b| a + b)))", 64, |chunk| vec![chunk.iter().sum()]),
    ];
    for (result, chunk, means) in kernels {
        let text = format!("#[kernel(threads = 32)] fn k(xs: DPull<u32>) -> DPush<Grid, u32> {{ {result} }}");
        let entries = compile_all(text.parse().expect("tokens"), &mut SpanTable::default()).expect("a kernel");
        let machine = &entries.kernels[0].variants[0].machine;
        let module = Module::parse(&ptx::print(machine)).expect("PTX");
        for len in [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk - 1, 3 * chunk, 3 * chunk + 1] {
            let xs: Vec<u32> = (0..len as u32).collect();
            let expected: Vec<u32> = xs.chunks(chunk).flat_map(means).collect();
            for blocks in 1..=5 {
                let found = left(&module, machine, (len as u32, expected.len()), blocks);
                assert_eq!(found, expected, "{len} elements, {blocks} real blocks: {text}");
            }
        }
    }
}
