//! Damaged kernels: tokens dropped, doubled, swapped or replaced at random. The compiler reports them or compiles them; it
//! never panics, and never blames itself (OB099).

use obsidian_lang::driver::compile;
use obsidian_lang::syntax::SpanTable;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

const KERNELS: [&str; 3] = [
    "fn halving<L: Compute, T: Data>(f: impl Fn(T, T) -> T, xs: Pull<T>) -> Program<L, Push<L, T>> {
        if xs.len() == 1 { xs.push() } else { let (lo, hi) = xs.halve(); halving(f, lo.zip_with(hi, f).compute()) }
    }
    #[kernel(threads = 64)]
    pub fn reductions(input: DPull<i32>) -> DPush<Grid, i32> {
        input.split_up(512).as_grid_map(|chunk| exec_block(halving(|a, b| a + b, chunk)))
    }",
    "fn warp_sum(xs: Pull<i32>) -> Program<Warp, Push<Warp, i32>> { reduce(xs, |a, b| a + b) }
    #[kernel(threads = [32, 100])]
    pub fn two_stage(input: DPull<(i32, u8)>, n: u32) -> DPush<Grid, i32> {
        input.split_up(256).as_grid_map(|chunk| {
            let mut sums = chunk.map(|p| p.0).split_up(32).as_block_map(|c| warp_sum(c)).compute();
            for k in 0..3 { sums = sums.map(|x| x << k).compute(); }
            reduce(sums, |a, b| if a > b { a } else { b })
        })
    }",
    "fn pixel(b: u32, t: u32) -> Program<Thread, u8> {
        let (_x, n) = seq_until((0.0f32, 1u32), |(x, n)| x * x >= 4.0 || n >= 512, |(x, n)| (x * x + t as f32, n + b));
        (n % 16 * 16) as u8
    }
    #[kernel(threads = 64)]
    pub fn picture() -> Push<Grid, u8> { mk_pull(8, |b| mk_pull(64, |t| exec_thread(pixel(b, t))).as_block()).as_grid() }",
];

/// Damaged texts tried for each kernel.
const TRIES: u32 = 7000;

/// A small generator: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

/// The tokens with one change at a random place, at a random depth.
fn damage(tokens: TokenStream, pool: &[TokenTree], random: &mut Random) -> TokenStream {
    let mut list: Vec<TokenTree> = tokens.into_iter().collect();
    if list.is_empty() {
        return list.into_iter().collect();
    }
    let i = random.below(list.len());
    if let TokenTree::Group(g) = &list[i]
        && random.below(8) > 0
    {
        let delimiter = if random.below(20) == 0 { Delimiter::Bracket } else { g.delimiter() };
        list[i] = TokenTree::Group(Group::new(delimiter, damage(g.stream(), pool, random)));
        return list.into_iter().collect();
    }
    match random.below(4) {
        0 => drop(list.remove(i)),
        1 => list.insert(i, list[i].clone()),
        2 => {
            let j = random.below(list.len());
            list.swap(i, j);
        }
        _ => list[i] = pool[random.below(pool.len())].clone(),
    }
    list.into_iter().collect()
}

/// All tokens, at every depth.
fn flatten(tokens: TokenStream, out: &mut Vec<TokenTree>) {
    for t in tokens {
        if let TokenTree::Group(g) = &t {
            flatten(g.stream(), out);
        }
        out.push(t);
    }
}

#[test]
fn damaged_kernels_are_reported() {
    let mut random = Random(20_261_121);
    let sources: Vec<TokenStream> = KERNELS.iter().map(|k| k.parse().unwrap()).collect();
    let mut pool = Vec::new();
    sources.iter().for_each(|s| flatten(s.clone(), &mut pool));
    let mut refused = 0;
    for source in &sources {
        for _ in 0..TRIES {
            let mut tokens = damage(source.clone(), &pool, &mut random);
            if random.below(2) == 0 {
                tokens = damage(tokens, &pool, &mut random);
            }
            if let Err(errors) = compile(tokens.clone(), &mut SpanTable::default()) {
                refused += 1;
                assert!(!errors.is_empty(), "{tokens}");
                for e in errors {
                    assert_ne!(e.code, "OB099", "{e}\n{tokens}");
                }
            }
        }
    }
    assert!(refused > TRIES, "the damage does no harm");
}
