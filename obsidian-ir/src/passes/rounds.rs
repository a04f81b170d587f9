//! Rounds: a block whose threads never meet becomes as many blocks as its threads have rounds, for OpenCL. Compilers for
//! processors make vectors of neighbouring items; an item of several rounds walks as many streams at once.
//!
//! Needs: structured form. Ensures: it means the same. `Program::rounds` tells into how many each block of a launch was divided,
//! and `Program::blocks` counts them all. A part has the number of threads, or a multiple of it where another side of a branch
//! has fewer rounds.
//!
//! ```text
//! distribute Block b < n                  distribute Block part < n * 2
//!   forall Block i < 128              =>    let b = part / 2
//!     out[b * 128 + i] = xs[i]              forall Block j < 64
//!                                             let i = part % 2 * 64 + j
//!                                             out[b * 128 + i] = xs[i]        (64 threads)
//! ```

use crate::level::Level;
use crate::program::{BinOp, Block, ExprId, Program, Range, ScalarType, Stmt, StmtKind, VarId};

/// The most blocks that a program may have afterwards: the largest number of a real block.
const MAX_BLOCKS: i128 = i32::MAX as i128;

/// The most instances of a loop that is divided: the parts have at most twice as many, whose indices must not wrap.
const MAX_INSTANCES: u32 = 1 << 30;

/// The fewest threads of a block that is divided: a group of fewer items costs more than the streams that it saves.
const MIN_THREADS: u32 = 16;

/// Divides the blocks, where [`of`] says so.
pub(super) fn run(program: &mut Program) {
    let rounds = of(program);
    if rounds <= 1 {
        return;
    }
    program.rounds = rounds;
    let times = program.exprs.u32(rounds);
    program.blocks = program.exprs.bin(BinOp::Mul, program.blocks, times);
    let body = std::mem::take(&mut program.body);
    program.body = body.into_iter().map(|stmt| parts(program, stmt, times)).collect();
}

/// The rounds of each block, where that is all that a block does; 1 where it stays whole.
pub(super) fn of(program: &Program) -> u32 {
    let Some(StmtKind::DistrPar { level: Level::Block, n, body, .. }) = only(&program.body) else { return 1 };
    if program.threads < MIN_THREADS {
        return 1;
    }
    let rounds = least(program, body).unwrap_or(1);
    let fits = program.exprs.range(*n).hi * i128::from(rounds) <= MAX_BLOCKS;
    if fits && *n == program.blocks { rounds } else { 1 }
}

/// The one statement that is no name for a value.
fn only(list: &Block) -> Option<&StmtKind> {
    let mut others = list.iter().map(|stmt| &stmt.kind).filter(|kind| !matches!(kind, StmtKind::Let { .. }));
    others.next().filter(|_| others.next().is_none())
}

/// The rounds of the one loop over threads in a block's code; of both sides of a branch the fewer, so that no part is idle.
/// `None` where there is more than that, or nothing at all.
fn least(program: &Program, list: &Block) -> Option<u32> {
    match only(list)? {
        StmtKind::ForAll { level: Level::Block, n, .. } => {
            let fits = program.exprs.as_u32(*n).filter(|n| (1..=MAX_INSTANCES).contains(n));
            fits.map(|n| n.div_ceil(program.threads))
        }
        StmtKind::If { then, els, .. } if els.is_empty() => least(program, then),
        StmtKind::If { then, els, .. } => Some(least(program, then)?.min(least(program, els)?)),
        _ => None,
    }
}

/// The loop over blocks as one over parts of blocks.
fn parts(program: &mut Program, stmt: Stmt, times: ExprId) -> Stmt {
    let Stmt { kind: StmtKind::DistrPar { level, var, n, body }, span, .. } = stmt else { return stmt };
    let n = program.exprs.bin(BinOp::Mul, n, times);
    let last = (program.exprs.range(n).hi - 1).max(0);
    let part = program.new_var("part", ScalarType::U32, false, Range::new(0, last));
    let number = program.exprs.var(part);
    let (block, round) = (program.exprs.bin(BinOp::Div, number, times), program.exprs.bin(BinOp::Rem, number, times));
    let mut divided = vec![Stmt::new(StmtKind::Let { var, value: block }, span)];
    divided.extend(part_of(program, body, round));
    Stmt::new(StmtKind::DistrPar { level, var: part, n, body: divided }, span)
}

/// The code of one part of a block: that with the number `round`.
fn part_of(program: &mut Program, list: Block, round: ExprId) -> Block {
    let one = |Stmt { kind, span, .. }: Stmt| {
        let kind = match kind {
            StmtKind::ForAll { level, var, n, body } => {
                let instances = program.exprs.as_u32(n).unwrap_or(0);
                let own = instances.div_ceil(program.rounds).next_multiple_of(program.threads);
                let (j, index) = instance(program, round, own);
                let mut code = vec![Stmt::new(StmtKind::Let { var, value: index }, span)];
                code.extend(body);
                if own * program.rounds > instances {
                    let cond = program.exprs.bin(BinOp::Lt, index, n);
                    code = vec![Stmt::new(StmtKind::If { cond, then: code, els: Vec::new() }, span)];
                }
                StmtKind::ForAll { level, var: j, n: program.exprs.u32(own), body: code }
            }
            StmtKind::If { cond, then, els } => {
                StmtKind::If { cond, then: part_of(program, then, round), els: part_of(program, els, round) }
            }
            kind => kind,
        };
        Stmt::new(kind, span)
    };
    list.into_iter().map(one).collect()
}

/// The index of a loop over `own` instances of a part, and which of the block's that is.
fn instance(program: &mut Program, round: ExprId, own: u32) -> (VarId, ExprId) {
    let j = program.new_var("j", ScalarType::U32, false, Range::new(0, i128::from(own) - 1));
    let (in_part, all) = (program.exprs.var(j), program.exprs.u32(own));
    let first = program.exprs.bin(BinOp::Mul, round, all);
    (j, program.exprs.bin(BinOp::Add, first, in_part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::fixture::{self, Make, group, run_untested, stmt};
    use crate::passes::{self, structured};
    use crate::program::Space;

    fn in_groups(mut p: Program) -> passes::Group {
        structured(&mut p).expect("fits");
        group(&p)
    }

    #[test]
    fn a_block_without_barriers_is_divided_into_its_rounds() {
        let input: Vec<u32> = (0..3000).map(|i| i * 7).collect();
        let expected: Vec<u32> = input.iter().map(|x| x * 3 + 7).collect();
        for (threads, rounds) in [(1, 1), (3, 1), (15, 1), (16, 63), (250, 4), (256, 4), (999, 2), (1000, 1), (1024, 1)]
        {
            let p = in_groups(fixture::saxpy(threads));
            // In one thread there could be more blocks than have numbers.
            assert_eq!(p.rounds, rounds, "{threads} threads");
            for blocks in [1, 2, 5, 3 * rounds] {
                assert_eq!(
                    run_untested(&p, blocks.min(3 * rounds), &input),
                    expected,
                    "{threads} threads, {blocks} blocks"
                );
            }
        }
        let mut p = fixture::saxpy(256);
        structured(&mut p).expect("fits");
        assert_eq!(fixture::machine(&p).rounds, 1);
    }

    /// `out[b * 100 + i] = x[b * 100 + i]` for 3 blocks of 100; in the last one the threads do it otherwise.
    fn with_a_last_block(last: u32) -> Program {
        let mut p = fixture::program(16);
        let (_, x) = p.input("x", ScalarType::U32);
        let (three, two, len) = (Make::u32(&mut p, 3), Make::u32(&mut p, 2), Make::u32(&mut p, 300));
        p.blocks = three;
        let out = p.output(ScalarType::U32, len);
        let block = p.distribute(Level::Block, three, |p, b| {
            let hundred = Make::u32(p, 100);
            let first = p.op(BinOp::Mul, b, hundred);
            let mut copy = |n: u32| {
                let each = 100 / n;
                p.for_all(Level::Block, n, |p, i| {
                    let times = Make::u32(p, each);
                    let at = p.op(BinOp::Mul, i, times);
                    let at = p.op(BinOp::Add, first, at);
                    let assigned = |k| {
                        let k = Make::u32(p, k);
                        let index = p.op(BinOp::Add, at, k);
                        let value = p.get(x, index);
                        stmt(StmtKind::Assign { array: out, index, value })
                    };
                    (0..each).map(assigned).collect()
                })
            };
            let (then, els) = (vec![copy(100)], vec![copy(last)]);
            let cond = p.op(BinOp::Lt, b, two);
            vec![stmt(StmtKind::If { cond, then, els })]
        });
        p.body = vec![block];
        p
    }

    #[test]
    fn a_side_with_more_rounds_takes_several_in_a_part() {
        let input: Vec<u32> = (0..300).collect();
        for (last, rounds) in [(100, 7), (50, 4), (25, 2), (10, 1)] {
            let p = in_groups(with_a_last_block(last));
            assert_eq!(p.rounds, rounds, "{last}");
            for blocks in [1, 2, 3 * rounds] {
                assert_eq!(run_untested(&p, blocks, &input), input, "{last}, {blocks} blocks");
            }
        }
    }

    #[test]
    fn blocks_whose_threads_may_meet_stay_whole() {
        let with = |more: &dyn Fn(&mut Program, &mut Block)| {
            let mut p = fixture::saxpy(256);
            let mut body = std::mem::take(&mut p.body);
            if let StmtKind::DistrPar { body, .. } = &mut body[0].kind {
                more(&mut p, body);
            }
            p.body = body;
            of(&p)
        };
        assert_eq!(with(&|_, _| {}), 4);
        assert_eq!(with(&|_, body| body.extend(body.clone())), 1);
        assert_eq!(with(&|_, body| body.push(stmt(StmtKind::Sync { scope: Level::Block }))), 1);
        let shared = |p: &mut Program, body: &mut Block| {
            let array = p.new_array("s", ScalarType::U32, 1, Space::Shared(Level::Block));
            body.insert(0, stmt(StmtKind::Allocate { array }));
        };
        assert_eq!(with(&shared), 1);
        assert_eq!(of(&fixture::reduce(256)), 1);
    }
}
