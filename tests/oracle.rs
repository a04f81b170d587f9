//! Every program of `programs`, in every variant: the reference interpreter, which checks each access for races,
//! bounds and initialisation, and the CPU back end must give the same bits.

use obsidian::Error;
use obsidian::abi::ParamInfo;
use obsidian_ir::interp::{self, Fault};
use obsidian_oracle::{against, cases, data, device};

use against::{compare_on, is_guarded};
use cases::{Case, has_inputs, is_open, lens, on_every_variant};
use data::PATTERNS;
use device::How;
use obsidian_oracle::same::assert_same;

/// Real blocks to run on: the runtime's choice, one, few enough that each takes several virtual blocks, and seven.
const REAL_BLOCKS: [Option<u32>; 4] = [None, Some(1), Some(2), Some(7)];

/// Lengths for kernels that take any: around warps and blocks, none that most numbers divide.
const ANY_LENGTH: [u32; 10] = [0, 1, 31, 32, 33, 255, 256, 257, 1003, 4099];

/// Where a kernel multiplies matrices: 4099 is prime, and one row of that length times another costs 10^9 steps.
const ANY_MATRICES: &[u32] = ANY_LENGTH.split_at(9).0;

/// Whether it takes two matrices or more.
fn takes_matrices(params: &[ParamInfo]) -> bool {
    params.iter().filter(|param| param.name.ends_with("_cols")).count() > 1
}

/// One variant on all inputs of some lengths.
fn compare(case: &Case) {
    let first = case.variant == 0;
    // The default variant is asked everything, the others what real threads could change.
    let sizes = match (is_open(case.params()), first) {
        (true, _) if case.chunk == 1 && takes_matrices(case.params()) => ANY_MATRICES.to_vec(),
        (true, _) if case.chunk == 1 => ANY_LENGTH.to_vec(),
        (true, true) => vec![0, case.chunk, 3 * case.chunk],
        (true, false) => vec![if case.chunk < 300 { 3 * case.chunk } else { case.chunk }],
        (false, _) => vec![0],
    };
    let patterns = if has_inputs(case.params()) && first { &PATTERNS[..] } else { &PATTERNS[1..2] };
    for len in sizes {
        for &pattern in patterns {
            let args = data::args(case.params(), &lens(case.params(), |_| len), pattern);
            let what = format!("{}, {len} elements, {pattern:?}", case.name());
            compare_on(case, &args, &what, &REAL_BLOCKS);
        }
    }
    for (what, args) in data::shaped(case.params()).filter(|_| first) {
        compare_on(case, &args, &format!("{}, {what}", case.name()), &REAL_BLOCKS[..2]);
    }
}

#[test]
fn the_cpu_gives_what_the_interpreter_gives() {
    on_every_variant(compare);
}

/// Lengths that do not divide, and inputs of unequal lengths: both refuse, or both run and agree.
#[test]
fn both_refuse_the_same_lengths() {
    on_every_variant(|case| {
        let n = case.chunk;
        let odd: [[u32; 2]; 6] = [[n - 1, n - 1], [n + 1, n + 1], [n, 2 * n], [2 * n, n], [n, n + 1], [n + 1, n]];
        for odd in odd.iter().filter(|_| is_open(case.params())) {
            let args = data::args(case.params(), &lens(case.params(), |i| odd[i % 2]), data::Pattern::Hash);
            let what = format!("{}, lengths {odd:?}", case.name());
            match (
                interp::run(&case.program, &args),
                device::run(case.info, How { variant: case.variant, blocks: None }, &args),
            ) {
                (Ok(expected), Ok(found)) => assert_same(&expected, &found, &what),
                (Err(Fault::Refused { message, found }), Err(Error::Condition { condition, found: here, .. })) => {
                    assert_eq!((message.as_str(), found), (condition, here), "{what}");
                }
                (Err(Fault::OutOfBounds { .. }), Err(Error::OutOfRange { .. })) if is_guarded(case) => {}
                (interp, cpu) => panic!("{what}: the interpreter {interp:?}, the CPU {cpu:?}"),
            }
        }
    });
}
