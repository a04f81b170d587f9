//! Virtualisation, over every program of `programs`: compiled for 1, 32, 33, 64, 100, 256 and 1024 real threads, and run on
//! 1, 7 and many real blocks, each gives the same bits, by the reference interpreter and by its PTX.

use obsidian_ir::backend::ptx;
use obsidian_ir::interp::{self, Args, Outputs};
use obsidian_ir::program::{ParamKind, Program};
use obsidian_lang::driver::Variant;
use obsidian_oracle::{data, launch};
use obsidian_ptx_interp::{Launch, Order};
use obsidian_sources::entries;

use data::Pattern;
use entries::{Entry, on_every_entry};
use obsidian_oracle::same::assert_same;

/// Real threads of a block.
const THREADS: [u32; 7] = [1, 32, 33, 64, 100, 256, 1024];
/// Real blocks, and who goes first in them: one for all virtual blocks, several for each, more than there are.
const BLOCKS: [(u32, Order); 3] = [(1, Order::Descending), (7, Order::Ascending), (40, Order::Descending)];
/// Elements of an open input: no fewer, and about no more unless two chunks are.
const ELEMENTS: (u32, u32) = (100, 700);
/// Elements for a program that takes any number.
const ANY_LENGTH: u32 = 1003;

/// Programs that some number of threads has no variant for: the error's code, and why reference.md has it so. Where a
/// program compiles, its results may not differ at all: no program of `programs` shows the order of its atomics.
const NONE_FOR: [(&str, u32, &str, &str); 10] = [
    ("increment_warps", 1024, "OB040", "each warp stores 512 elements, and 32 warps' do not fit into shared memory"),
    ("registers_between_barriers", 1, "OB046", "one thread has no registers for 256 elements"),
    ("registers_of_pairs", 1, "OB046", "one thread has no registers for 120 pairs"),
    ("sgemm", 1, "OB046", "one thread has no registers for 4096 sums"),
    ("sgemm", 1024, "OB046", "each of 1024 threads has 64 registers at most, and 64 sums"),
    ("sgemm_staged", 1, "OB046", "one thread has no registers for 4096 sums"),
    ("sgemm_staged", 1024, "OB046", "each of 1024 threads has 64 registers at most, and 64 sums"),
    ("staged_differences", 1, "OB046", "one thread has no registers for 128 sums of three words"),
    ("attention", 1, "OB046", "one thread has no registers for 64 queries and as many sums"),
    ("attention", 1024, "OB046", "each of 1024 threads has 64 registers at most, and a query and its sums are 66"),
];

fn interpreted(program: &Program, args: &Args, what: &str) -> Outputs {
    interp::run(program, args).unwrap_or_else(|fault| panic!("{what}: {fault}"))
}

fn is_guarded(program: &Program) -> bool {
    program.params.iter().any(|param| matches!(param.kind, ParamKind::Fault(_)))
}

/// Elements of an open input: chunks enough for several rounds of seven real blocks, where they are small. A program for any
/// length gets a number that nothing divides.
fn elements(chunk: u32) -> u32 {
    if chunk == 1 {
        return ANY_LENGTH;
    }
    chunk * (ELEMENTS.1 / chunk).clamp(2, 9).max(ELEMENTS.0.div_ceil(chunk))
}

/// The variants that there are to be, and no others.
fn variants(entry: &Entry) -> Vec<Variant> {
    let refused = |threads| NONE_FOR.iter().find(|(name, t, ..)| *name == entry.name && *t == threads);
    for &(_, threads, code, why) in THREADS.iter().filter_map(|&threads| refused(threads)) {
        let errors = entry.compiled(&[threads]).err().unwrap_or_else(|| panic!("no longer so: {why}"));
        assert_eq!(errors.iter().map(|e| e.code).collect::<Vec<_>>(), [code], "{}: {why}", entry.name);
    }
    let rest: Vec<u32> = THREADS.into_iter().filter(|&threads| refused(threads).is_none()).collect();
    entry.compiled(&rest).unwrap_or_else(|errors| panic!("{}: {errors:?}", entry.name))
}

/// Compares all variants on one set of arguments; gives how many launches were compared.
fn compare(variants: &[Variant]) -> usize {
    let first = &variants[0].native;
    // Indices by data are mostly out of range, but for low ones.
    let pattern = if is_guarded(first) { Pattern::Low } else { Pattern::Rounding };
    let len = elements(entries::chunk(first));
    let args = data::args_of(first, len, pattern);
    let what = format!("{}, {len} elements, {pattern:?}", first.name);
    let expected = interpreted(first, &args, &what);
    for variant in variants {
        let threads = variant.native.threads;
        let what = format!("{what}, {threads} threads");
        if threads != first.threads {
            assert_same(&expected, &interpreted(&variant.native, &args, &what), &what);
        }
        let text = ptx::print(&variant.machine);
        for (blocks, order) in BLOCKS {
            let what = format!("{what}, {blocks} real blocks");
            let shared = variant.machine.dynamic_shared() as usize;
            let on = Launch { blocks, run: 0..blocks, threads, shared, order };
            let found = launch::run(&text, &variant.machine, &args, &expected, &on);
            let found = found.unwrap_or_else(|fault| panic!("{what}: {fault}\n{text}"));
            assert!(!found.out_of_range, "{what}: nothing was out of range");
            assert_same(&expected, &found.outputs, &what);
        }
    }
    variants.len() * BLOCKS.len()
}

#[test]
fn every_program_gives_the_same_for_all_threads_and_blocks() {
    let launches: usize = on_every_entry(|entry| compare(&variants(entry))).into_iter().sum();
    println!("{launches} launches");
    assert!(launches > 3000, "{launches} launches");
}

/// The list above has no entry of a program that is gone.
#[test]
fn what_has_no_variant_is_a_program() {
    let names = on_every_entry(|entry| entry.name.clone());
    assert!(NONE_FOR.iter().all(|(name, threads, ..)| names.iter().any(|n| n == name) && THREADS.contains(threads)));
}
