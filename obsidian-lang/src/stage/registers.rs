//! Arrays in registers, distributed over the virtual threads of a block: each thread has as many elements as every other, and touches
//! no others. Element `q` of all threads is one array, whose element `t` only instance `t` of a loop over as many threads touches.

use std::rc::Rc;

use super::arrays::{Place, Stored};
use super::value::{Func, Mut, Opened, Pull, Push, Value, Writer};
use super::{Extend, Stage};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result};
use obsidian_ir::program::{BinOp, Claim, ExprId, Stmt, StmtKind};

/// The most elements of a thread: more do not fit in the registers of any.
const MAX_OF_A_THREAD: u32 = 256;

/// Where the elements of a mutable array are.
#[derive(Clone)]
pub(super) enum Elements {
    /// In memory, one after the other.
    Memory(Rc<Stored>),
    /// In the registers of one virtual thread.
    Registers(Own),
}

/// The registers of one virtual thread.
#[derive(Clone)]
pub(super) struct Own {
    /// For each element that a thread has, that of all threads.
    columns: Rc<[Stored]>,
    /// How many threads there are.
    threads: ExprId,
    /// Which of them it is.
    thread: ExprId,
}

/// The loop over a block's threads whose body is being evaluated.
#[derive(Clone, Copy)]
pub(super) struct Instance {
    /// The number of the instance.
    pub(super) number: ExprId,
    /// How many there are.
    pub(super) of: ExprId,
}

impl Mut {
    /// An array in memory.
    pub(super) fn in_memory(len: ExprId, stored: Rc<Stored>) -> Mut {
        Mut { len, elements: Elements::Memory(stored) }
    }

    /// Element `i`.
    pub(super) fn load(&self, s: &mut Stage, i: ExprId) -> Result<Value> {
        match &self.elements {
            Elements::Memory(stored) => Ok(stored.load(s, i)),
            Elements::Registers(own) => own.column(s, i).map(|column| column.load(s, own.thread)),
        }
    }

    /// Writes element `i`.
    pub(super) fn assign(&self, s: &mut Stage, v: &Value, i: ExprId) -> Result<()> {
        match &self.elements {
            Elements::Memory(stored) => stored.assign(s, v, i),
            Elements::Registers(own) => {
                let column = own.column(s, i)?;
                // Its thread alone touches it, whoever chose the index.
                s.claiming(Claim::ByConstruction, |s| column.assign(s, v, own.thread))
            }
        }
    }

    /// Whether two are the same array.
    pub(super) fn same(&self, other: &Mut) -> bool {
        match (&self.elements, &other.elements) {
            (Elements::Memory(a), Elements::Memory(b)) => Rc::ptr_eq(a, b),
            (Elements::Registers(a), Elements::Registers(b)) => {
                Rc::ptr_eq(&a.columns, &b.columns) && a.thread == b.thread
            }
            _ => false,
        }
    }
}

impl Own {
    /// The array that holds element `q` of each thread, where that of this thread may be touched.
    fn column<'a>(&'a self, s: &mut Stage, q: ExprId) -> Result<&'a Stored> {
        let own = s.instance.is_some_and(|i| i.number == self.thread && i.of == self.threads);
        if !own || s.in_step_now() {
            return Err(self.of_others(s));
        }
        let known = s.p.exprs.as_u32(q).and_then(|q| self.columns.get(q as usize));
        known.ok_or_else(|| {
            let which = s.describe(q);
            s.error("OB047", "which of a thread's registers this is must be known while compiling")
                .map_note(format!("a register has no address, and {which} is only known when the kernel runs"))
                .map_help(
                    "index by a number, a loop over known bounds or what follows from these; arrays that are indexed by data are stored: `compute()`, `new_mut()`",
                )
        })
    }

    fn of_others(&self, s: &Stage) -> Box<Diagnostic> {
        let n = s.p.exprs.as_u32(self.threads).unwrap_or(0);
        let found = match s.instance {
            _ if s.in_step_now() => "the parts of a program in step have threads of their own".to_string(),
            Some(i) if i.of == self.threads => {
                "this index is not the number of the thread that the code is of".to_string()
            }
            Some(i) => match s.p.exprs.as_u32(i.of) {
                Some(1) => "this is the code of one thread alone".to_string(),
                Some(count) => format!("this is a loop over {count}"),
                None => "this is a loop over a number of threads that is only known at launch".to_string(),
            },
            None => "this code is not that of one thread of the block".to_string(),
        };
        s.error("OB047", "a register is touched by its own thread only")
            .map_note(format!("`regs[t]` is there for thread `t` in a loop over {n} threads; {found}"))
            .map_help(&format!(
                "`for_all({n}, |t| {{ .. regs[t][q] .. }})`; what other threads read is stored: `regs.push().compute()`"
            ))
    }
}

impl Stage {
    /// Evaluates the body of a loop over the threads of a level.
    pub(super) fn in_instance<R>(
        &mut self,
        level: Level,
        instance: Instance,
        f: impl FnOnce(&mut Stage) -> Result<R>,
    ) -> Result<R> {
        let of_block = (level == Level::Block).then_some(instance);
        let outer = std::mem::replace(&mut self.instance, of_block);
        let result = f(self);
        self.instance = outer;
        result
    }

    /// Whether a program of a block is being evaluated for several parts in step.
    fn in_step_now(&self) -> bool {
        self.in_step_parts() > 1
    }

    /// `k` elements of each of `n` virtual threads of the block.
    pub(super) fn regs(&mut self, n: ExprId, k: ExprId, init: &Func) -> Result<Value> {
        let (threads, each) = (self.known_len(n, "`regs`")?, self.known_len(k, "`regs`")?);
        if threads == 0 || each == 0 {
            return Err(self.error("OB035", "registers of no elements").map_help("give each thread one or more"));
        }
        if each > MAX_OF_A_THREAD {
            let message =
                format!("{each} elements of a thread are more than the {MAX_OF_A_THREAD} that registers can hold");
            return Err(self.error("OB046", message).map_help("give each thread fewer, or store them: `compute()`"));
        }
        if self.in_step_now() {
            return Err(self
                .error("OB047", "a program in step with others has no registers of its own")
                .map_note("the parts of `in_step`, `two`, `ilv` and `bin_split` share the threads".to_string())
                .map_help("store what lives on: `compute()`, `new_mut()`"));
        }
        let at = self.lists.last().map_or(0, Vec::len);
        let mut columns: Vec<Stored> = Vec::new();
        self.loop_at(Level::Block, n, "t", &mut |s, t| {
            for q in 0..each {
                let q = s.u32(q);
                let v = s.apply(init, vec![Value::Scalar(t), Value::Scalar(q)])?;
                let column = Stored::new(s, &v, n, Level::Block, Place::in_registers())?;
                column.assign(s, &v, t)?;
                columns.push(column);
            }
            Ok(())
        })?;
        let arrays: Vec<_> = columns.iter().flat_map(|c| c.arrays.iter().map(|&(array, _)| array)).collect();
        let span = self.span;
        if let Some(list) = self.lists.last_mut() {
            let allocations = arrays.iter().map(|&array| Stmt::new(StmtKind::Allocate { array }, span));
            list.splice(at..at, allocations);
        }
        self.mutable.extend(arrays);
        let columns: Rc<[Stored]> = columns.into();
        Ok(Value::Pull(Pull::new(n, move |_, thread| {
            let own = Own { columns: columns.clone(), threads: n, thread };
            Ok(Value::Mut(Mut { len: k, elements: Elements::Registers(own) }))
        })))
    }

    /// The elements of mutable arrays, one array after the other, each written by a thread of the block.
    pub(super) fn push_each(&self, arrays: Pull) -> Push {
        let span = self.span;
        let n = arrays.len;
        let open = move |s: &mut Stage| {
            let zero = s.u32(0);
            let k = (arrays.get)(s, zero)?.mutable(s)?.len;
            let each = s.known_len(k, "each of the arrays")?;
            let len = s.bin(BinOp::Mul, n, k);
            let arrays = arrays.clone();
            let write = move |s: &mut Stage, w: &Writer| {
                s.loop_at(Level::Block, n, "t", &mut |s, t| {
                    let own = (arrays.get)(s, t)?;
                    let first = s.bin(BinOp::Mul, t, k);
                    for q in 0..each {
                        let q = s.u32(q);
                        let v = s.element(&own, q)?;
                        let at = s.bin(BinOp::Add, first, q);
                        w(s, v, at)?;
                    }
                    Ok(())
                })
            };
            Ok(Opened::new(len, write))
        };
        Push { len: None, stored: None, open: Rc::new(move |s| s.at(span, &open)) }
    }
}
