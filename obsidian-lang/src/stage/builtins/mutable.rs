//! Builtins on mutable arrays.

use super::Builtin;
use crate::stage::Stage;
use crate::stage::mutable::Update;
use crate::stage::value::{Value, Writer};
use obsidian_ir::diag::Result;
use obsidian_ir::program::{AtomicOp, BinOp, UnOp};

const MUTABLE: &str = "Obsidian's library (`Obsidian.Mutable`)";
const ATOMIC: &str = "Obsidian's library (`Obsidian.Atomic`); reference.md §5";

const REGS: &str = "`k` elements of each of `n` threads, kept in registers across barriers and loops of the block; `init(t, q)` is what element `q` of thread `t` is at first. `regs[t]` is there in the code of thread `t` of `n`, such as that of `for_all(n, |t| ..)`, and no other thread touches it, so there is nothing to prove; which element is meant must be known while compiling. A real thread keeps the registers of all threads that it does: `OB046` where it has not so many.";

pub(super) const ROWS: &[Builtin] = &[
    Builtin {
        signature: "fn new_mut<L: Compute, T: Data>(xs: Pull<T>) -> Program<L, Mut<T>>",
        doc: "Stores the array as one whose elements can change: in shared memory at `Block` and `Warp`, in memory of its own at `Thread`.",
        source: MUTABLE,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| s.new_mut(args[0].clone(), l)),
    },
    Builtin {
        signature: "fn new_mut<L: Compute, T: Data>(xs: Push<L, T>) -> Program<L, Mut<T>>",
        doc: "Stores the array as one whose elements can change; see `new_mut` of a pull array.",
        source: MUTABLE,
        eval: |s, args, generics| s.level_arg(generics, 0).and_then(|l| s.new_mut(args[0].clone(), l)),
    },
    Builtin {
        signature: "fn regs<T: Data>(n: u32, k: u32, init: impl Fn(u32, u32) -> T) -> Program<Block, Pull<Mut<T>>>",
        doc: REGS,
        source: "reference.md §4",
        eval: |s, args, _| {
            let (n, k, init) = (args[0].scalar(s)?, args[1].scalar(s)?, args[2].func(s)?);
            s.regs(n, k, &init)
        },
    },
    Builtin {
        signature: "fn push<T: Data>(arrays: Pull<Mut<T>>) -> Push<Block, T>",
        doc: "All elements of arrays of one length, such as those that `regs` makes, array after array: thread `t` of as many as there are arrays writes those of `arrays[t]`.",
        source: "reference.md §4",
        eval: |s, args, _| args[0].pull(s).map(|arrays| Value::Push(s.push_each(arrays))),
    },
    Builtin {
        signature: "fn write_to<L: Level, T: Data, R: Size, S: Size>(m: Mut<T, R>, xs: Push<L, T, S>) -> Program<L, ()>",
        doc: "Writes element `i` of `xs` to `m[i]`. `xs` is no longer than `m`: an error while compiling if both lengths are known, else at launch.",
        source: MUTABLE,
        eval: write_to,
    },
    Builtin {
        signature: "fn to_pull<T, S: Size>(m: Mut<T, S>) -> Pull<T, S>",
        doc: "The mutable array as a view that any code may index. `v[i]` is read where it stands; a whole view that is pushed on is read where it is written.",
        source: MUTABLE,
        eval: |s, args, _| Ok(Value::Pull(Stage::view(&args[0].mutable(s)?))),
    },
    Builtin {
        signature: "fn to_rows<T, S: Size>(m: Mut<T, S>, rows: u32) -> Pull<Pull<T>>",
        doc: "The mutable array as a matrix of this number of rows, which must divide its length; a view as `to_pull` gives. A row and a column are each proved or tested by themselves, so what reads one half of a double buffer, as `m.to_rows(2)[k % 2][i]` does, never reads the other.",
        source: "reference.md §5",
        eval: |s, args, _| {
            let (m, rows) = (args[0].mutable(s)?, args[1].scalar(s)?);
            let cols = s.div_exact(m.len, rows)?;
            Ok(Value::Pull(Stage::rows_of(rows, cols, move |s, at| m.load(s, at))))
        },
    },
    Builtin {
        signature: "fn len<T, S: Size>(m: Mut<T, S>) -> u32",
        doc: "The number of elements.",
        source: MUTABLE,
        eval: |s, args, _| Ok(Value::Scalar(args[0].mutable(s)?.len)),
    },
    Builtin {
        signature: "fn atomic_add<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T>",
        doc: "`m[i] += x`, undisturbed by other threads; gives the old value. Integers and floats of 32 and 64 bits. Floats are added in any order, so their sum may differ in its last bits.",
        source: ATOMIC,
        eval: |s, args, _| atomic(s, "atomic_add", AtomicOp::Add, args),
    },
    Builtin {
        signature: "fn atomic_sub<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T>",
        doc: "`m[i] -= x`, undisturbed by other threads; gives the old value. Types as of `atomic_add`.",
        source: ATOMIC,
        eval: |s, args, _| {
            let (x, zero) = (args[2].scalar(s)?, s.u32(0));
            let ty = s.p.exprs.ty(x);
            let minus = match ty.is_int() {
                true => {
                    let zero = s.p.exprs.cast(zero, ty);
                    s.p.exprs.bin(BinOp::Sub, zero, x)
                }
                false => s.p.exprs.un(UnOp::Neg, x),
            };
            let args = [args[0].clone(), args[1].clone(), Value::Scalar(minus)];
            atomic(s, "atomic_sub", AtomicOp::Add, &args)
        },
    },
    Builtin {
        signature: "fn atomic_min<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T>",
        doc: "`m[i] = min(m[i], x)`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.",
        source: ATOMIC,
        eval: |s, args, _| atomic(s, "atomic_min", AtomicOp::Min, args),
    },
    Builtin {
        signature: "fn atomic_max<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T>",
        doc: "`m[i] = max(m[i], x)`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.",
        source: ATOMIC,
        eval: |s, args, _| atomic(s, "atomic_max", AtomicOp::Max, args),
    },
    Builtin {
        signature: "fn atomic_and<T: Int, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T>",
        doc: "`m[i] &= x`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.",
        source: ATOMIC,
        eval: |s, args, _| atomic(s, "atomic_and", AtomicOp::And, args),
    },
    Builtin {
        signature: "fn atomic_or<T: Int, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T>",
        doc: "`m[i] |= x`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.",
        source: ATOMIC,
        eval: |s, args, _| atomic(s, "atomic_or", AtomicOp::Or, args),
    },
    Builtin {
        signature: "fn atomic_xor<T: Int, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T>",
        doc: "`m[i] ^= x`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.",
        source: ATOMIC,
        eval: |s, args, _| atomic(s, "atomic_xor", AtomicOp::Xor, args),
    },
    Builtin {
        signature: "fn atomic_exchange<T: Num, S: Size>(m: Mut<T, S>, i: u32, x: T) -> Program<Thread, T>",
        doc: "`m[i] = x`, undisturbed by other threads; gives the old value. Types as of `atomic_add`.",
        source: ATOMIC,
        eval: |s, args, _| atomic(s, "atomic_exchange", AtomicOp::Exchange, args),
    },
    Builtin {
        signature: "fn atomic_cas<T: Int, S: Size>(m: Mut<T, S>, i: u32, expected: T, x: T) -> Program<Thread, T>",
        doc: "`m[i] = x` if `m[i]` is `expected`, undisturbed by other threads; gives the old value. Integers of 32 and 64 bits.",
        source: ATOMIC,
        eval: |s, args, _| {
            let (m, index) = (args[0].mutable(s)?, args[1].scalar(s)?);
            let (expected, value) = (args[2].scalar(s)?, args[3].scalar(s)?);
            let expected = Some(expected);
            s.atomic("atomic_cas", Update { op: AtomicOp::CompareExchange, index, expected, value }, &m)
        },
    },
];

fn atomic(s: &mut Stage, name: &str, op: AtomicOp, args: &[Value]) -> Result<Value> {
    let (m, index, value) = (args[0].mutable(s)?, args[1].scalar(s)?, args[2].scalar(s)?);
    s.atomic(name, Update { op, index, expected: None, value }, &m)
}

fn write_to(s: &mut Stage, args: &[Value], _: &[crate::types::GenericArg]) -> Result<Value> {
    let (m, xs) = (args[0].mutable(s)?, args[1].push(s)?);
    let opened = (xs.open)(s)?;
    let fits = s.bin(BinOp::Le, opened.len, m.len);
    let shown = s.p.exprs.as_u32(m.len).map_or_else(|| s.describe(m.len), |n| n.to_string());
    let message = format!("{} must be at most {shown}", s.describe(opened.len));
    s.demand(fits, opened.len, message, "write no more elements than the mutable array has")?;
    // The elements have their places in `xs` by construction; that nobody else writes these of `m` is to be proved.
    let writer: Writer = std::rc::Rc::new(move |s, v, i| s.claiming(s.chosen(), |s| s.write_element(&m, &v, i)));
    (opened.write)(s, &writer)?;
    Ok(Value::unit())
}
