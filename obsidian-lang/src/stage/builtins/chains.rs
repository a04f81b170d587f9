//! Builtins of which the library's chains of tiles are made.

use super::Builtin;
use crate::stage::value::Value;

const HERE: &str = "reference.md §7";

pub(super) const ROWS: &[Builtin] = &[
    Builtin {
        signature: "fn chain_cells<R: Size>(tiles: u32, each: u32) -> Program<Device, (bool, u32, u32, Mut<u64, R>)>",
        doc: "Asks the host how a chain of tiles is gone through: whether in one pass, the epoch of the launch, how often a block looks for what is not there, and cells, `each` for a tile where it is one pass and none elsewhere. No cell has the epoch in its upper half.",
        source: HERE,
        eval: |s, args, _| {
            let (tiles, each) = (args[0].scalar(s)?, args[1].scalar(s)?);
            s.chain_cells(tiles, each)
        },
    },
    Builtin {
        signature: "fn whole_tiles<X, S: Size>(tiles: Pull<X, S>) -> u32",
        doc: "Of chunks the number of those that are whole; of other arrays their number.",
        source: HERE,
        eval: |s, args, _| {
            let tiles = args[0].pull(s)?;
            Ok(Value::Scalar(s.whole_tiles(&tiles)))
        },
    },
    Builtin {
        signature: "fn whole_tile<X, S: Size>(tiles: Pull<X, S>, k: u32) -> X",
        doc: "Element `k` of an array, below `whole_tiles(tiles)`: of chunks one that is whole, and whose length is known so.",
        source: HERE,
        eval: |s, args, _| {
            let (tiles, k) = (args[0].pull(s)?, args[1].scalar(s)?);
            s.whole_tile(&tiles, k)
        },
    },
    Builtin {
        signature: "fn words_of_total<X, A: Data, M, S: Size>(tiles: Pull<X, S>, total: impl Fn(X) -> Program<Block, (A, M)>) -> Program<Device, u32>",
        doc: "How many words of 32 bits the first part of what `total` gives of a tile has, known while compiling.",
        source: HERE,
        eval: |s, args, _| {
            let (tiles, total) = (args[0].pull(s)?, args[1].func(s)?);
            let words = s.words_of_total(&tiles, &total)?;
            Ok(Value::Scalar(s.u32(words)))
        },
    },
    Builtin {
        signature: "fn to_words<T: Data>(x: T) -> Pull<u32>",
        doc: "The bits of a value as words of 32 bits: two for a number of 64 bits, else one for each number.",
        source: HERE,
        eval: |s, args, _| {
            let words: Vec<Value> = s.words(&args[0])?.into_iter().map(Value::Scalar).collect();
            Ok(s.array_of(words))
        },
    },
    Builtin {
        signature: "fn of_words<T: Data>(like: T, words: Pull<u32>) -> T",
        doc: "The value whose `to_words` these are, of the form of `like`, which is not evaluated.",
        source: HERE,
        eval: |s, args, _| {
            let words = args[1].pull(s)?;
            let n = s.p.exprs.as_u32(words.len).unwrap_or(0);
            let mut all = Vec::new();
            for k in 0..n {
                let k = s.u32(k);
                all.push(s.index(&words, k)?.scalar(s)?);
            }
            s.of_words(&args[0], &all)
        },
    },
];
