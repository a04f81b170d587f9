//! Programs in machine form: real threads, barriers that stand in the text, arrays that lie in a block's shared memory. To
//! the judge that is one `forall` over the threads of each block, in whose body threads wait for one another only at `sync`.

mod barriers;
mod met;
mod order;
mod races;
mod touched;

use std::io;

pub(crate) use met::{Met, make_round_conditions};

use crate::expr::{Counter, Id, Node};
use crate::session::Session;
use crate::site::Program;
use crate::text::{Array, Kernel, Level, Op, Raw, Stmt, U32, Unreadable};

/// Threads of a warp.
const LANES: u32 = 32;
/// The most blocks of a launch.
const MAX_BLOCKS: i128 = (1 << 31) - 1;

/// Who a thread is.
#[derive(Debug, Clone, Copy)]
struct Threads {
    /// The block, where the program asks for it.
    block: Option<Counter>,
    thread: Counter,
    /// The thread of an instance.
    id: Id,
    /// The warp of an instance.
    warp: Id,
}

/// A kernel in machine form as the judge follows it. Where blocks only take turns, `seq b in block..n by blocks`, nothing
/// is said of who takes which: any two turns may be of two blocks, or follow one another in one.
pub(crate) fn program(text: &str) -> Result<Program, Unreadable> {
    let turns = in_turns(text);
    let mut kernel = Kernel::read(turns.as_deref().unwrap_or(text))?;
    let threads = i128::from(kernel.threads);
    let warps = kernel.threads.div_ceil(LANES);
    for array in &mut kernel.arrays {
        for_all_warps(array, warps);
    }
    let name = |n: &str| Raw::Name(n.to_string());
    let int = |n| Raw::Int(n, Some(U32));
    let bin = |op, a, b| Raw::Bin(op, Box::new((a, b)));
    let of_thread = |var: &str, op| {
        let value = bin(op, name("tid"), int(LANES.into()));
        Stmt::Let { var: var.to_string(), ty: Some(U32), value }
    };
    let mut body = vec![of_thread("warp", Op::Div), of_thread("lane", Op::Rem)];
    body.append(&mut kernel.body);
    let share = |level, var: &str, n, body| vec![Stmt::Share { level, var: var.to_string(), n, body }];
    kernel.body = share(Level::Thread, "tid", int(threads), body);
    if turns.is_none() {
        kernel.body = share(Level::Block, "block", name("blocks"), kernel.body);
        kernel.scalars.push(("blocks".to_string(), U32));
        kernel.checks.push(bin(Op::Lt, int(0), name("blocks")));
        kernel.checks.push(bin(Op::Le, name("blocks"), int(MAX_BLOCKS)));
    }
    Program::of(&kernel).map_err(|what| Unreadable { line: kernel.name.clone(), what })
}

/// The text with `distribute Block b < n` for each `seq b in block..n by blocks`; `None` where anything else asks for the
/// block or how many there are.
fn in_turns(text: &str) -> Option<String> {
    let line = |line: &str| {
        let turns = line.strip_suffix(" by blocks").and_then(|l| l.split_once(" in block..")).and_then(|(head, n)| {
            let (pad, var) = head.split_once("seq ")?;
            Some(format!("{pad}distribute Block {var} < {n}\n"))
        });
        turns.unwrap_or_else(|| format!("{line}\n"))
    };
    let turned: String = text.lines().map(line).collect();
    let asks =
        |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "block" || w == "blocks");
    let body = turned.lines().filter(|l| !l.trim_start().starts_with("blocks:"));
    let code = body.map(|l| l.split("   // ").next().unwrap_or(l));
    (!code.into_iter().any(asks)).then_some(turned)
}

/// An array of each warp is one array of the block, for all warps.
fn for_all_warps(array: &mut Array, warps: u32) {
    if array.place.is_some_and(|place| place.owner == Level::Warp)
        && let Raw::Int(len, _) = &mut array.len
    {
        *len *= i128::from(warps);
    }
}

impl Threads {
    /// Those of a program that [`program`] has made.
    fn of(program: &Program) -> Option<Threads> {
        let thread = Counter(program.counters.iter().position(|info| info.member == Some(Level::Thread))?);
        let exprs = &program.exprs;
        let (id, lanes) = (exprs.known(&Node::Counter(thread), U32)?, exprs.known(&Node::Int(LANES.into()), U32)?);
        let warp = exprs.known(&Node::Bin(Op::Div, id, lanes), U32)?;
        let block = (thread != Counter(0)).then_some(Counter(0));
        Some(Threads { block, thread, id, warp })
    }
}

/// Asks about barriers that some threads do not come to, and vectors that are not aligned.
pub(crate) fn barriers(session: &mut Session<'_>) -> io::Result<()> {
    Threads::of(session.program).map_or(Ok(()), |threads| barriers::judge(session, threads))
}

/// Asks about races.
pub(crate) fn races(session: &mut Session<'_>) -> io::Result<()> {
    Threads::of(session.program).map_or(Ok(()), |threads| races::judge(session, threads))
}
