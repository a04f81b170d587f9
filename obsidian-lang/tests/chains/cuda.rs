//! The CUDA C of a chain in one pass, run block by block on the processor: in any order, half of the blocks last.

use std::path::Path;

use obsidian_cuda_shim::{Argument, Compiler, Engine, Launch, Order, Program, Text};
use obsidian_ir::backend::cuda;
use obsidian_ir::program::ParamKind;

use super::schedules::{Random, Schedule};
use super::{Chain, elements};

#[test]
fn one_pass_of_cuda_c_is_several_launches_in_every_order_of_blocks() {
    let compiler = match Compiler::find() {
        Ok(compiler) => compiler,
        Err(why) => return println!("SKIP: {why:?}"),
    };
    let chains = Chain::all();
    let texts: Vec<String> = chains.iter().map(|chain| cuda::print(&chain.variant.kernels[0].machine)).collect();
    let named = chains.iter().zip(&texts);
    let named: Vec<Text<'_>> =
        named.map(|(chain, code)| Text { symbol: &chain.variant.kernels[0].machine.name, code }).collect();
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("one_pass");
    let program = Program::build(&compiler, &dir, Engine::Fibres, &named).expect("CUDA C is C++ here");
    let mut process = program.start().unwrap();
    let mut random = Random::new(21);
    for round in 0..60 {
        let at = round % chains.len();
        let chain = &chains[at];
        let n = 1 + random.below(30) as usize * chain.tile;
        let xs = elements(&mut random, n);
        let schedule = Schedule { patience: random.below(3), ..Schedule::any(&mut random) };
        let (mut arguments, outs) = arguments(chain, &xs, &schedule, &mut random);
        let tiles = xs.len().div_ceil(chain.tile) as u32;
        let mut turns = schedule.turns();
        let mut open: Vec<u32> = (0..tiles).collect();
        while !open.is_empty() {
            let block = open.remove(turns(&open));
            let threads = chain.variant.kernels[0].machine.threads;
            let launch = Launch { grid: tiles, run: block..block + 1, threads, shared: 0, order: Order::Ascending };
            process.launch(at, &launch, &mut arguments).unwrap();
        }
        let word = |size: usize| move |b: &[u8]| b.iter().take(size).rev().fold(0u64, |w, &b| w << 8 | u64::from(b));
        let found = outs.iter().map(|&(at, size)| match &arguments[at] {
            Argument::Buffer(bytes) => bytes.chunks(size).map(word(size)).collect(),
            _ => Vec::new(),
        });
        assert!(found.collect::<Vec<Vec<u64>>>() == chain.expected(&xs), "{schedule:?}, program {at}");
    }
}

/// What the kernel takes, and where its outputs are among that, with the bytes of an element.
fn arguments(
    chain: &Chain,
    xs: &[u32],
    schedule: &Schedule,
    random: &mut Random,
) -> (Vec<Argument>, Vec<(usize, usize)>) {
    let kernel = &chain.variant.kernels[0].machine;
    let tiles = xs.len().div_ceil(chain.tile);
    let cells = (tiles + 1) * chain.words.iter().sum::<u64>() as usize;
    let (mut all, mut outs) = (Vec::new(), Vec::new());
    let number = |n: u32| Argument::Value(n.to_le_bytes().to_vec());
    for param in &kernel.params {
        match &param.kind {
            ParamKind::Input { .. } => {
                all.push(Argument::Buffer(xs.iter().flat_map(|x| x.to_le_bytes()).collect()));
                all.push(number(xs.len() as u32));
            }
            ParamKind::InOut { .. } => {
                all.push(Argument::Buffer((0..cells).flat_map(|_| schedule.junk(random).to_le_bytes()).collect()));
                all.push(number(cells as u32));
            }
            ParamKind::Scalar(_) => all.push(match param.name.as_str() {
                "epoch" => number(schedule.epoch),
                "patience" => number(schedule.patience),
                _ => number(0.1f32.to_bits()),
            }),
            ParamKind::Output { arrays, .. } => {
                for &array in arrays {
                    let size = kernel.array(array).elem.bytes() as usize;
                    outs.push((all.len(), size));
                    all.push(Argument::Buffer(vec![0xee; size * xs.len()]));
                }
            }
            ParamKind::Fault(_) => {}
        }
    }
    (all, outs)
}
