//! Chains of tiles in one pass: the printed PTX under adversarial schedules, whose blocks see one another's words late or never, and
//! the interpreter, both held against the same in several launches. Mutants of the library's text and of the launch are caught.

#[path = "chains/cuda.rs"]
mod cuda;
#[path = "chains/mutants.rs"]
mod mutants;
#[path = "chains/schedules.rs"]
mod schedules;

use obsidian_ir::backend::ptx;
use obsidian_ir::interp::module::Chains;
use obsidian_ir::interp::{Args, module};
use obsidian_ir::passes::Machine;
use obsidian_ir::program::{ParamKind, Program};
use obsidian_lang::driver::{ModuleVariant, compile_all};
use obsidian_lang::syntax::SpanTable;
use obsidian_ptx_interp::{Launch, Memory, Module};
use schedules::{Order, Random, Schedule};

/// Sums of floats that are rounded, a fold that does not associate with a wider state, and a recurrence, whose tiles give maps.
const PROGRAMS: [&str; 3] = [
    "#[kernel(threads = 32)]
    pub fn sums(xs: DPull<u32>, first: f32) -> Program<Device, DPull<f32>> {
        chain(
            xs.chunks(2),
            first,
            |tile| (fold_of(tile), tile),
            |p, a| p + a,
            |_tile, p, tile| tile.map(|x| p + x as f32 / 3.0).push(),
        )
    }

    fn fold_of<S: Size>(tile: Pull<u32, S>) -> f32 {
        if tile.len() > 1 { tile[0] as f32 / 3.0 + tile[min(1, tile.len() - 1)] as f32 / 7.0 } else { tile[0] as f32 / 3.0 }
    }",
    "#[kernel(threads = 32)]
    pub fn hashed(xs: DPull<u32>, first: f32) -> Program<Device, DPull<(u32, u64)>> {
        chain(
            xs.chunks(1),
            (first as u32 + 2166136261u32, 0u64),
            |tile| (tile[0], ()),
            |hash, x| ((hash.0 ^ x ^ (hash.0 >> 7)) * 16777619, hash.1 + x as u64),
            |tile, hash, _nothing| tile.map(|x| (hash.0 ^ x, hash.1)).push(),
        )
    }",
    "#[kernel(threads = 64)]
    pub fn recurrence(xs: DPull<u32>, first: f32) -> Program<Device, DPull<u32>> {
        chain(
            xs.chunks(3),
            first as u32,
            |tile| {
                let maps = scan(tile.map(|x| (x | 1, x >> 3)), |f, g| (f.0 * g.0, f.1 * g.0 + g.1));
                (maps.last(), maps)
            },
            |y, map| map.0 * y + map.1,
            |_tile, y, maps| maps.map(|map| map.0 * y + map.1).push(),
        )
    }",
];

/// A program, its kernel of one pass, and what a tile takes.
struct Chain {
    variant: ModuleVariant,
    ptx: Module,
    /// Elements of a tile; words that it gives, and words of a prefix.
    tile: usize,
    words: [u64; 2],
}

fn compiled(text: &str) -> ModuleVariant {
    let entries = compile_all(text.parse().unwrap(), &mut SpanTable::default()).unwrap_or_else(|e| panic!("{e:?}"));
    entries.modules.into_iter().next().unwrap().variants.into_iter().next().unwrap()
}

impl Chain {
    fn of(text: &str, (tile, words): (usize, [u64; 2])) -> Chain {
        let variant = compiled(text);
        keep_texts(&variant.kernels[0].machine);
        let ptx = Module::parse(&ptx::print(&variant.kernels[0].machine)).unwrap_or_else(|e| panic!("{e:?}"));
        Chain { variant, ptx, tile, words }
    }

    /// Sums of floats by the library's `scan`: a tile that is computed again is not scanned, and must give the same bits.
    fn of_scan() -> Chain {
        let text = "#[kernel]
            pub fn rounded(xs: DPull<u32>, first: f32) -> Program<Device, DPull<f32>> {
                scan(xs.map(|x| first + x as f32 / 3.0), |a, b| a + b)
            }";
        Chain::of(text, (8192, [1, 2]))
    }

    /// Sums of whole numbers, which are grouped as a tree where several tiles are looked at.
    fn of_exact_scan() -> Chain {
        let text = "#[kernel]
            pub fn exact(xs: DPull<u32>, first: f32) -> Program<Device, DPull<u32>> {
                scan(xs.map(|x| x + (10.0 * first) as u32), |a, b| a + b)
            }";
        Chain::of(text, (8192, [1, 2]))
    }

    fn all() -> Vec<Chain> {
        let about = [(2, [1, 1]), (1, [1, 3]), (3, [2, 1])];
        PROGRAMS.iter().zip(about).map(|(text, about)| Chain::of(text, about)).collect()
    }

    fn args(xs: &[u32]) -> Args {
        Args::new().buffer(xs.to_vec()).scalar(0.1f32)
    }

    /// The bits of each field of the result, in several launches.
    fn expected(&self, xs: &[u32]) -> Vec<Vec<u64>> {
        let found = module::run(&self.variant.module, &Chain::args(xs)).unwrap();
        found.0[0].iter().map(|field| field.bits.clone()).collect()
    }

    /// The same of one pass on the interpreter, whose blocks come one after the other.
    fn interpreted(&self, xs: &[u32], patience: u32) -> Vec<Vec<u64>> {
        let chains = Chains::InOnePass { patience };
        let found = module::stepped(&self.variant.module, &Chain::args(xs), chains, &mut |_, _, _| {}).unwrap();
        found.0[0].iter().map(|field| field.bits.clone()).collect()
    }

    /// The same of the PTX, from cells that hold `cells`, which stay there; and how many tiles were computed again.
    fn run(&self, xs: &[u32], schedule: &Schedule, cells: &mut Vec<u64>) -> Result<(Vec<Vec<u64>>, u64), String> {
        let kernel: &Program = &self.variant.kernels[0].machine;
        let tiles = xs.len().div_ceil(self.tile);
        let bytes = |words: &[u64]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        let mut memory = Memory::new();
        let input = memory.allocate(xs.iter().flat_map(|x| x.to_le_bytes()).collect());
        cells.resize((tiles + 1) * self.words.iter().sum::<u64>() as usize, 0);
        let state = memory.allocate(bytes(cells));
        let (mut params, mut outs) = (Vec::new(), Vec::new());
        for param in &kernel.params {
            match &param.kind {
                ParamKind::Input { .. } => params.extend([input, xs.len() as u64]),
                ParamKind::InOut { .. } => params.extend([state, cells.len() as u64]),
                ParamKind::Scalar(_) => params.push(match param.name.as_str() {
                    "epoch" => schedule.epoch.into(),
                    "patience" => schedule.patience.into(),
                    _ => u64::from(0.1f32.to_bits()),
                }),
                ParamKind::Output { arrays, .. } => {
                    for &array in arrays {
                        let size = kernel.array(array).elem.bytes() as usize;
                        outs.push((memory.allocate(vec![0xee; size * xs.len()]), size));
                        params.extend(outs.last().map(|out| out.0));
                    }
                }
                ParamKind::Fault(_) => return Err("a guard".to_string()),
            }
        }
        let mut turns = schedule.turns();
        memory.delay(state, 8 * cells.len() as u64, schedule.views());
        let launch = Launch::new(tiles as u32, kernel.threads);
        let budget = 4_000_000 * tiles as u64;
        let done = self.ptx.interleaved(&kernel.name, &launch, (&params, &mut memory), budget, &mut turns);
        done.map_err(|fault| format!("{fault:?}"))?;
        let word = |size: usize| move |b: &[u8]| b.iter().take(size).rev().fold(0, |w, &b| w << 8 | u64::from(b));
        *cells = memory.bytes(state).chunks(8).map(word(8)).collect();
        let found = outs.iter().map(|&(at, size)| memory.bytes(at).chunks(size).map(word(size)).collect()).collect();
        let again = (memory.late_stores() - tiles as u64 * self.words.iter().sum::<u64>()) / self.words[0];
        Ok((found, again))
    }
}

/// With `OBSIDIAN_PTX_OUT` set, `cargo xtask test` gives these to ptxas and NVRTC.
fn keep_texts(kernel: &Machine) {
    let Some(dir) = std::env::var_os("OBSIDIAN_PTX_OUT").map(std::path::PathBuf::from) else { return };
    for (text, ending) in [(ptx::print(kernel), "ptx"), (obsidian_ir::backend::cuda::print(kernel), "cu")] {
        let path = dir.join(format!("one_pass_{}.{ending}", kernel.name));
        std::fs::write(path, text).expect("OBSIDIAN_PTX_OUT names a folder that can be written");
    }
}

fn elements(random: &mut Random, n: usize) -> Vec<u32> {
    (0..n).map(|_| random.next() >> random.below(28)).collect()
}

#[test]
fn one_pass_is_several_launches_on_the_interpreter() {
    let mut random = Random::new(3);
    for chain in Chain::all() {
        for n in [0, 1, 2, 3, 31, 65, 200] {
            let xs = elements(&mut random, n);
            for patience in [0, 2] {
                assert_eq!(chain.interpreted(&xs, patience), chain.expected(&xs), "{n} elements");
            }
        }
    }
}

/// How many schedules a test tries: `OBSIDIAN_SCHEDULES` of them where that is set.
fn schedules() -> u32 {
    std::env::var("OBSIDIAN_SCHEDULES").ok().and_then(|n| n.parse().ok()).unwrap_or(120)
}

#[test]
fn a_scan_is_one_launch_with_the_bits_of_several() {
    let mut random = Random::new(8);
    for chain in [Chain::of_scan(), Chain::of_exact_scan()] {
        let mut again = 0;
        for n in [1, 8191, 8192, 8193, 40_000] {
            let xs = elements(&mut random, n);
            let expected = chain.expected(&xs);
            assert_eq!(chain.interpreted(&xs, 0), expected, "{n} elements");
            for order in [Order::Newest, Order::Any] {
                let schedule = Schedule { order, patience: 1, ..Schedule::any(&mut random) };
                let (found, repaired) = chain.run(&xs, &schedule, &mut Vec::new()).unwrap();
                assert!(found == expected, "{schedule:?}, {n} elements");
                again += repaired;
            }
        }
        assert!(again > 0, "no tile was computed again");
    }
}

/// Up to half of the blocks begin only when all others have ended, words are seen late or never, cells hold what earlier launches left.
#[test]
fn one_pass_of_ptx_is_several_launches_under_every_schedule() {
    let mut random = Random::new(16);
    let chains = Chain::all();
    let (mut tiles, mut again) = (0, 0);
    for round in 0..schedules() {
        let chain = &chains[round as usize % chains.len()];
        let most = if round % 40 == 0 { 100 } else { 12 };
        let n = random.below(most * chain.tile as u32) as usize;
        let schedule = Schedule::any(&mut random);
        let mut cells: Vec<u64> = (0..4 * n + 8).map(|_| schedule.junk(&mut random)).collect();
        let xs = elements(&mut random, n);
        let (found, repaired) = chain.run(&xs, &schedule, &mut cells).unwrap_or_else(|e| panic!("{schedule:?}: {e}"));
        assert!(found == chain.expected(&xs), "{schedule:?}, {n} elements, program {}", round as usize % chains.len());
        tiles += n.div_ceil(chain.tile) as u64;
        again += repaired;
    }
    println!("{} schedules, {tiles} tiles, {again} computed again", schedules());
    assert!(again > u64::from(schedules()), "the schedules withhold too little: {again} tiles computed again");
}
