//! The table of all algorithms at `Device` on the CPU and on the interpreter; on the simulated GPU it is in `simulated.rs`. And the
//! temporary memory of folds and sorts.

use obsidian::abi::plan_module;
use obsidian::{Device, LaunchOptions, Module};
use obsidian_table::cells;
use rayon::prelude::*;

/// Every algorithm and type, of these lengths.
fn check(device: &Device, lengths: &[usize]) {
    cells().into_par_iter().with_max_len(1).for_each(|cell| lengths.iter().for_each(|&n| (cell.check)(device, n)));
}

#[test]
fn every_algorithm_on_the_cpu() {
    check(&Device::cpu(), &[0, 1, 31, 32, 33, 255, 256, 257, 65_535, 65_536, 65_537]);
}

/// Of 2^24 elements.
#[test]
fn some_algorithms_of_more_elements_on_the_cpu() {
    let some = ["reduce", "scan", "filter", "histogram"];
    let cells = cells().into_iter().filter(|cell| cell.of == "u32" && some.contains(&cell.algorithm));
    assert_eq!(cells.map(|cell| (cell.check)(&Device::cpu(), 1 << 24)).count(), some.len());
}

#[test]
fn every_algorithm_on_the_interpreter() {
    check(&Device::check().expect("the tests have the feature"), &[0, 257]);
}

#[test]
fn the_table_has_every_algorithm_and_type() {
    for of in ["u32", "i64", "f32", "f64", "(u32, i64)"] {
        let mut found: Vec<&str> = cells().iter().filter(|cell| cell.of == of).map(|cell| cell.algorithm).collect();
        found.sort_unstable();
        let mut expected = vec!["filter", "histogram", "partition", "reduce", "rounded", "scan", "scan_exclusive"];
        expected.extend(["segmented_reduce", "segmented_scan", "sort_by", "sort_by_key", "top_k_by", "transpose_2d"]);
        // Pairs have no `!=`.
        if of != "(u32, i64)" {
            expected.extend(["run_length", "unique"]);
        }
        expected.sort_unstable();
        assert_eq!(found, expected, "{of}");
    }
}

/// Bytes of a plan's own memory, where the first argument is an array of that length.
fn temporary_bytes(module: &Module, values: &[u64]) -> u64 {
    let plan = plan_module(module.info(), &LaunchOptions::DEFAULT, &Device::cpu(), values);
    plan.unwrap_or_else(|e| panic!("{}: {e}", module.name())).temporary_bytes()
}

#[test]
fn temporary_memory_is_small() {
    use obsidian_table::kernels::*;
    const N: u64 = 1 << 20;
    // Of 4 bytes an element, and of 12; what follows the length are scalars and other lengths.
    let folds: [(&Module, u64, &[u64]); 8] = [
        (reduced.module(), 4, &[N]),
        (reduced_pairs.module(), 12, &[N]),
        (scanned.module(), 4, &[N]),
        (scanned_pairs.module(), 12, &[N]),
        (before.module(), 4, &[N, 3]),
        (before_pairs.module(), 12, &[N]),
        (in_segments.module(), 4, &[N, N, 7]),
        (segments.module(), 4, &[N, N / 100, 3]),
    ];
    for (module, bytes, values) in folds {
        let (found, input) = (temporary_bytes(module, values), bytes * N);
        assert!(found <= input / 20, "{}: {found} bytes beside {input}", module.name());
    }
    // At most two buffers take turns beside the result, and sorts by digits have two tables of 256 numbers for each tile.
    let sorts = [(sorted.module(), 4), (sorted_pairs.module(), 12), (by_key.module(), 4), (by_key_pairs.module(), 12)];
    for (module, bytes) in sorts {
        let (found, input) = (temporary_bytes(module, &[N, 0]), bytes * N);
        assert!(found <= 2 * input + input / 7, "{}: {found} bytes beside {input}", module.name());
    }
}
