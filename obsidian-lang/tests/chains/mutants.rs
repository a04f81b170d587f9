//! Mutants of a chain in one pass: in the library's text, in the PTX, in what the launch is given. Each is caught by the schedules that
//! the right text passes.

use super::schedules::{Order, Random, Schedule};
use super::{Chain, PROGRAMS, elements};

/// The library's functions, as functions of the program itself, one line of them another.
fn with(program: usize, (line, other): (&str, &str)) -> String {
    let library = include_str!("../../src/library/chains.obs");
    assert_eq!(library.matches(line).count(), 1, "a mutant needs its line once: {line}");
    format!("{}\n{}", library.replace(line, other), PROGRAMS[program])
}

/// Whether some schedule shows that a program is wrong.
fn is_caught(chain: &Chain, expected: &Chain, rounds: u32) -> bool {
    let mut random = Random::new(5);
    (0..rounds).any(|_| {
        let n = random.below(12 * chain.tile as u32) as usize + 4 * chain.tile;
        let schedule = Schedule::any(&mut random);
        let mut cells: Vec<u64> = (0..4 * n + 8).map(|_| schedule.junk(&mut random)).collect();
        let xs = elements(&mut random, n);
        !matches!(chain.run(&xs, &schedule, &mut cells), Ok((found, _)) if found == expected.expected(&xs))
    })
}

#[test]
fn mutants_of_the_text_are_caught() {
    let chains = Chain::all();
    let mutants = [
        // A word is taken for another launch's.
        (0, ("there = there && (word >> 32) as u32 == epoch;", "there = there && (word >> 32) as u32 > 0;")),
        // Only the first word is looked at.
        (
            1,
            (
                "there = there && (word >> 32) as u32 == epoch;",
                "there = there && (at > 0 || (word >> 32) as u32 == epoch);",
            ),
        ),
        // What a tile gives is taken for what is after it.
        (
            0,
            (
                "write_cells(cells, each * k + of_total, op(before, a), epoch);",
                "write_cells(cells, each * k + of_total, before, epoch);",
            ),
        ),
        // One cell for both.
        (0, ("read_cells(cells, each * tile + of_total, init, epoch)", "read_cells(cells, each * tile, init, epoch)")),
        // The wrong tile is computed again.
        (0, ("let a = alone(whole_tile(tiles, at));", "let a = alone(whole_tile(tiles, min(k, whole - 1)));")),
        // It is not computed again whole.
        (2, ("let a = alone(whole_tile(tiles, at));", "let a = alone(whole_tile(tiles, at / 2));")),
        // A prefix is not of the nearest tile.
        (0, ("seen[min(near, w - 1)].2", "seen[min(near + 1, w - 1)].2")),
        // A gap is not seen.
        (1, ("let some = min(nearest(mk_pull(w, |i| !seen[i].0)), k - at);", "let some = min(w, k - at);")),
    ];
    for (program, mutant) in mutants {
        let right = &chains[program];
        let chain = Chain::of(&with(program, mutant), (right.tile, right.words));
        assert!(is_caught(&chain, right, 60), "not caught: {}", mutant.1);
    }
    // What the mutants are made of is right.
    let same = Chain::of(&with(0, ("    before\n}\n", "    before\n}\n\n")), (2, [1, 1]));
    assert!(!is_caught(&same, &chains[0], 60));
}

/// An epoch that is not raised takes the words of the launch before for its own.
#[test]
fn an_epoch_that_is_not_raised_is_caught() {
    let (chain, mut random) = (&Chain::all()[0], Random::new(9));
    let schedule = Schedule { order: Order::Newest, seed: 1, stale: 0, epoch: 7, patience: 1 };
    let [xs, ys] = [(); 2].map(|()| elements(&mut random, 40));
    let mut cells = Vec::new();
    assert!(chain.run(&xs, &schedule, &mut cells).unwrap().0 == chain.expected(&xs));
    let again = Schedule { epoch: 8, ..schedule.clone() };
    assert!(chain.run(&ys, &again, &mut cells.clone()).unwrap().0 == chain.expected(&ys));
    assert!(chain.run(&ys, &schedule, &mut cells).unwrap().0 != chain.expected(&ys), "the epoch is not looked at");
}

/// Without computing again what is withheld a block waits for ever.
#[test]
fn a_chain_that_only_waits_hangs() {
    let (chain, mut random) = (&Chain::all()[0], Random::new(9));
    let xs = elements(&mut random, 6);
    let waits = Schedule { order: Order::Newest, seed: 1, stale: 0, epoch: 1, patience: u32::MAX };
    assert!(chain.run(&xs, &waits, &mut Vec::new()).is_err_and(|e| e.contains("Endless")));
    let repairs = Schedule { patience: 3, ..waits };
    let (found, again) = chain.run(&xs, &repairs, &mut Vec::new()).unwrap();
    assert!(found == chain.expected(&xs) && again > 0);
}

/// A weak load may be moved or served by a cache that nobody tells; a weak store may never be seen.
#[test]
fn weak_accesses_of_cells_are_caught() {
    let right = Chain::of(PROGRAMS[0], (2, [1, 1]));
    let text = obsidian_ir::backend::ptx::print(&right.variant.kernels[0].machine);
    for (strong, weak) in [("ld.relaxed.gpu.global", "ld.global"), ("st.relaxed.gpu.global", "st.global")] {
        assert!(text.contains(strong), "{text}");
        let ptx = obsidian_ptx_interp::Module::parse(&text.replace(strong, weak)).unwrap();
        let chain = Chain { ptx, ..Chain::of(PROGRAMS[0], (2, [1, 1])) };
        assert!(is_caught(&chain, &right, 10), "{weak}");
    }
}
