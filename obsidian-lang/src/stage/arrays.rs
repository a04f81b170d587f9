//! Arrays: pull to push, and storing (JFP 2016 §4 and §5).

use std::cell::OnceCell;
use std::rc::Rc;

use super::registers::Instance;
use super::value::{Func, Opened, Pull, Push, Value, Writer};
use super::{Extend, Stage};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{ArrayId, BinOp, ExprId, Rows, ScalarType, Space, Stmt, StmtKind};

/// A sequential loop of thread code is unrolled up to this number of rounds, so that thread arrays stay in registers.
pub(super) const UNROLL: u32 = 8;

impl Push {
    /// A push array of known length.
    pub(super) fn new(len: ExprId, write: impl Fn(&mut Stage, &Writer) -> Result<()> + Clone + 'static) -> Push {
        Push {
            len: Some(len),
            stored: None,
            open: Rc::new(move |_| {
                let write = write.clone();
                Ok(Opened::new(len, move |s, w| write(s, w)))
            }),
        }
    }
}

impl Stage {
    /// The array of these elements. An index that is not known chooses by halves.
    pub(super) fn array_of(&mut self, elements: Vec<Value>) -> Value {
        let (n, elements) = (self.u32(elements.len() as u32), Rc::<[Value]>::from(elements));
        Value::Pull(Pull::new(n, move |s, i| s.element_among(&elements, 0, i)))
    }

    /// Element `i` of an array of which these are the elements from `first` on.
    fn element_among(&mut self, elements: &[Value], first: u32, i: ExprId) -> Result<Value> {
        match elements {
            [] => {
                Err(self.error("OB035", "an empty array has no elements").map_help("give it some: `[0.25, 0.5, 0.25]`"))
            }
            [one] => Ok(one.clone()),
            _ => {
                let (low, high) = elements.split_at(elements.len() / 2);
                let middle = first + low.len() as u32;
                let bound = self.u32(middle);
                let is_low = self.bin(BinOp::Lt, i, bound);
                match self.p.exprs.as_const(is_low) {
                    Some(c) if c.bits != 0 => self.element_among(low, first, i),
                    Some(_) => self.element_among(high, middle, i),
                    None => {
                        let (a, b) = (self.element_among(low, first, i)?, self.element_among(high, middle, i)?);
                        self.merge(is_low, &a, &b)
                    }
                }
            }
        }
    }

    /// A pull array as a push array: a loop at `level` that writes element `i` at `i`.
    pub(super) fn push_of(&self, a: Pull, level: Level) -> Push {
        let (span, kept) = (self.span, a.kept.clone());
        let elements = Push::new(a.len, move |s, w| {
            let a = a.clone();
            s.at(span, |s| {
                let w = w.clone();
                s.loop_at(level, a.len, "i", &mut |s, i| {
                    let v = (a.get)(s, i)?;
                    w(s, v, i)
                })
            })
        });
        let open = elements.open;
        Push { open: Rc::new(move |s| Ok(Opened { kept: kept.clone(), ..(open)(s)? })), ..elements }
    }

    /// `n` rounds of thread code, done by the threads of a level.
    pub(super) fn loop_at(
        &mut self,
        level: Level,
        n: ExprId,
        name: &str,
        body: &mut dyn FnMut(&mut Stage, ExprId) -> Result<()>,
    ) -> Result<()> {
        if level == Level::Thread {
            return self.seq_loop(n, name, body);
        }
        // What is known at neither end is one loop over the threads: the code of a block or a warp is one value's for all.
        let most = self.bound(n).map_or(n, |most| self.u32(most));
        let (var, i) = self.index_var(name, most);
        let instance = Instance { number: i, of: most };
        let (code, ()) =
            self.capture(|s| s.in_instance(level, instance, |s| s.under(Level::Thread, |s| body(s, i))))?;
        let body = self.where_below(i, n, most, code)?;
        self.emit(StmtKind::ForAll { level, var, n: most, body })
    }

    /// `n` rounds in sequence, unrolled if the number is known and small.
    pub(super) fn seq_loop(
        &mut self,
        n: ExprId,
        name: &str,
        body: &mut dyn FnMut(&mut Stage, ExprId) -> Result<()>,
    ) -> Result<()> {
        if let Some(rounds) = self.p.exprs.as_u32(n).filter(|&n| n <= UNROLL) {
            for i in 0..rounds {
                let i = self.u32(i);
                body(self, i)?;
            }
            return Ok(());
        }
        let (var, i) = self.index_var(name, n);
        let (code, ()) = self.capture(|s| body(s, i))?;
        let (start, step) = (self.u32(0), self.u32(1));
        self.emit(StmtKind::SeqFor { var, start, end: n, step, body: code })
    }

    /// Evaluates a program at a level when the array is written (`execBlock` and its kin).
    pub(super) fn exec(&self, program: Func, level: Level) -> Push {
        Push {
            len: None,
            stored: None,
            open: Rc::new(move |s| {
                s.under(level, |s| {
                    let v = s.apply(&program, Vec::new())?;
                    let push = s.as_push(v, level)?;
                    (push.open)(s)
                })
            }),
        }
    }

    /// An array of `n` elements that GPUs make as the first program says, all others as the second.
    pub(super) fn by_device(&self, level: Level, n: ExprId, programs: [Func; 2]) -> Push {
        let [on_gpu, elsewhere] = programs.map(|program| self.exec(program, level));
        Push::new(n, move |s, w| {
            let code = |s: &mut Stage, array: &Push| {
                let opened = (array.open)(s)?;
                (opened.write)(s, w)
            };
            let (then, ()) = s.capture(|s| code(s, &on_gpu))?;
            let (els, ()) = s.capture(|s| code(s, &elsewhere))?;
            let cond = s.p.exprs.on_gpu();
            s.emit(StmtKind::If { cond, then, els })
        })
    }

    /// A value as what it writes: a scalar or tuple writes one element.
    fn as_push(&mut self, v: Value, level: Level) -> Result<Push> {
        Ok(match v {
            Value::Push(p) => p,
            Value::Pull(a) => self.push_of(a, level),
            one => {
                let (len, zero) = (self.u32(1), self.u32(0));
                Push::new(len, move |s, w| w(s, one.clone(), zero))
            }
        })
    }

    /// Stores an array at the ambient level and gives it as a manifest pull array (`compute`, JFP 2016 §5.1).
    pub(super) fn compute(&mut self, v: Value, level: Level) -> Result<Value> {
        self.manifest(v, level, Place::at(level))
    }

    /// Stores an array in the registers of a warp's lanes, or in shared memory where that is not possible.
    pub(super) fn compute_lanes(&mut self, v: Value) -> Result<Value> {
        self.manifest(v, Level::Warp, Place { space: Space::Lanes, prefix: "v", rows: None, stages: 1 })
    }

    /// Stores an array with `pad` unused elements after every `row`. A thread's own memory has no banks.
    pub(super) fn compute_padded(&mut self, v: Value, row: ExprId, pad: ExprId, level: Level) -> Result<Value> {
        let zero = self.u32(0);
        let some = self.bin(BinOp::Gt, row, zero);
        self.demand(some, row, "a row must have an element".to_string(), "`compute_padded(row, k)`, `row` at least 1")?;
        let (row, gap) = (self.known_len(row, "a padded row")?, self.known_len(pad, "the padding of a row")?);
        let rows = Rows { row, pitch: row.saturating_add(gap) };
        let rows = Some(rows).filter(|_| level != Level::Thread && gap > 0);
        self.manifest(v, level, Place { rows, ..Place::at(level) })
    }

    /// Stores what a round of a block's loop loads, where the loads of `stages` rounds may go on at one time.
    pub(super) fn compute_staged(&mut self, v: Value, stages: u32) -> Result<Value> {
        self.manifest(v, Level::Block, Place { stages, ..Place::at(Level::Block) })
    }

    /// Stores an array, which nothing changes later; one that lies in such memory already stays where it is.
    fn manifest(&mut self, v: Value, level: Level, place: Place) -> Result<Value> {
        let opened = (self.as_push(v, level)?.open)(self)?;
        if let Some(kept) = opened.kept.as_ref().filter(|kept| kept.level == level && place.is_plain(level)) {
            return Ok(Value::Pull(stored_at(opened.len, kept.clone())));
        }
        let (stored, len) = self.store_opened(opened, level, place)?;
        let Some(stored) = stored else {
            return Ok(Value::Pull(Pull::new(len, |s, _| {
                Err(s
                    .error("OB035", "an empty array has no elements")
                    .map_help("test the length first: `if xs.len() > 0`"))
            })));
        };
        if self.p.exprs.as_u32(len).is_none() {
            stored.arrays.iter().for_each(|(array, _)| self.p.arrays[array.0 as usize].filled = Some(len));
        }
        // Lanes have elements of their own only, and what a loop loads is another array in each round.
        if matches!(place.space, Space::Lanes | Space::Registers) || place.stages > 1 {
            return Ok(Value::Pull(Pull::new(len, move |s, i| Ok(stored.load(s, i)))));
        }
        Ok(Value::Pull(stored_at(len, Kept { level, arrays: stored })))
    }

    /// Writes an array to memory of the level, which is for as many elements as there can be. An empty array is not stored.
    pub(super) fn store(&mut self, v: Value, level: Level, place: Place) -> Result<(Option<Rc<Stored>>, ExprId)> {
        let opened = (self.as_push(v, level)?.open)(self)?;
        self.store_opened(opened, level, place)
    }

    fn store_opened(&mut self, opened: Opened, level: Level, place: Place) -> Result<(Option<Rc<Stored>>, ExprId)> {
        let most = self.most(opened.len)?;
        let at = self.lists.last().map_or(0, Vec::len);
        let len = opened.len;
        let made: Rc<OnceCell<Rc<Stored>>> = Rc::default();
        let writer = writer_of_new(made.clone(), most, level, place);
        (opened.write)(self, &writer)?;
        let Some(stored) = made.get().cloned() else { return Ok((None, len)) };
        let span = self.span;
        if let Some(list) = self.lists.last_mut() {
            let allocations = stored.arrays.iter().map(|&(array, _)| Stmt::new(StmtKind::Allocate { array }, span));
            list.splice(at..at, allocations);
        }
        Ok((Some(stored), len))
    }
}

impl Stage {
    /// Stores a side of a branch in `stored`, where the other side has made it, else in new arrays for `most` elements, which whoever
    /// calls allocates. None where there is no element.
    pub(super) fn store_side(
        &mut self,
        side: Pull,
        stored: Option<Rc<Stored>>,
        most: ExprId,
        level: Level,
    ) -> Result<Option<Rc<Stored>>> {
        let made: Rc<OnceCell<Rc<Stored>>> = Rc::new(stored.map_or_else(OnceCell::new, OnceCell::from));
        let push = self.push_of(side, level);
        let opened = (push.open)(self)?;
        let scalars = writer_of_new(made.clone(), most, level, Place::at(level));
        let writer: Writer =
            Rc::new(
                move |s, v, i| {
                    if v.is_scalars() { scalars(s, v, i) } else { Err(s.given_by_no_branch("an array of arrays")) }
                },
            );
        (opened.write)(self, &writer)?;
        Ok(made.get().cloned())
    }
}

/// The array that lies in memory.
fn stored_at(len: ExprId, kept: Kept) -> Pull {
    let arrays = kept.arrays.clone();
    Pull { kept: Some(kept), ..Pull::new(len, move |s, i| Ok(arrays.load(s, i))) }
}

/// A writer to arrays that it makes for the first element, whose form says which are needed.
fn writer_of_new(made: Rc<OnceCell<Rc<Stored>>>, most: ExprId, level: Level, place: Place) -> Writer {
    Rc::new(move |s, v, i| {
        let stored = match made.get() {
            Some(stored) => stored.clone(),
            None => Rc::new(Stored::new(s, &v, most, level, place)?),
        };
        made.get_or_init(|| stored).assign(s, &v, i)
    })
}

/// A writer to places `base` further on.
pub(super) fn shifted(w: &Writer, base: ExprId) -> Writer {
    let w = w.clone();
    Rc::new(move |s, v, j| {
        let at = s.bin(BinOp::Add, base, j);
        w(s, v, at)
    })
}

/// An array of tuples in memory: one array per field.
#[derive(Clone)]
pub(super) struct Stored {
    pub(super) arrays: Vec<(ArrayId, ScalarType)>,
    shape: Value,
    /// Where the elements begin, of an array that there is once for each of several parts.
    first: Option<ExprId>,
}

/// Memory of a level that is written once and for all.
#[derive(Clone)]
pub(super) struct Kept {
    /// Whose.
    level: Level,
    arrays: Rc<Stored>,
}

/// How `compute` stores.
#[derive(Clone, Copy)]
pub(super) struct Place {
    space: Space,
    /// Of the arrays' names.
    prefix: &'static str,
    rows: Option<Rows>,
    /// Of how many rounds of a loop the elements shall be there or on their way.
    stages: u32,
}

impl Place {
    pub(super) fn at(level: Level) -> Place {
        let (space, prefix) = match level {
            Level::Thread => (Space::Local, "r"),
            level => (Space::Shared(level), "s"),
        };
        Place { space, prefix, rows: None, stages: 1 }
    }

    /// Whether it is what `compute` asks for, and no more.
    fn is_plain(self, level: Level) -> bool {
        self.space == Place::at(level).space && self.rows.is_none() && self.stages == 1
    }

    pub(super) fn in_registers() -> Place {
        Place { space: Space::Registers, prefix: "q", rows: None, stages: 1 }
    }
}

impl Stored {
    /// Arrays for elements of the form of `v`.
    pub(super) fn new(s: &mut Stage, v: &Value, len: ExprId, level: Level, place: Place) -> Result<Stored> {
        if !v.is_scalars() {
            // Of types only what loops carry and branches join is open: it may be an array of anything.
            return Err(s.error("OB027", format!("{} is no element of an array in memory", v.kind())).map_help(
                "a loop at run time and a branch that computes keep arrays of scalars and of tuples of scalars",
            ));
        }
        let leaves = v.leaves(s)?;
        if leaves.is_empty() {
            return Err(s
                .error("OB027", "there is nothing to store: the elements are `()`")
                .map_help("give the elements a value"));
        }
        let types: Vec<ScalarType> = leaves.iter().map(|&e| s.p.exprs.ty(e)).collect();
        let (len, first) = s.for_all_parts(level, len)?;
        let arrays: Vec<_> =
            types.into_iter().map(|ty| (s.new_array(place.prefix, ty, len, place.space), ty)).collect();
        for (array, _) in &arrays {
            let array = &mut s.p.arrays[array.0 as usize];
            (array.rows, array.stages) = (place.rows, place.stages);
        }
        Ok(Stored { arrays, shape: v.clone(), first })
    }

    /// Arrays that exist: a parameter's.
    pub(super) fn existing(arrays: Vec<(ArrayId, ScalarType)>, shape: Value) -> Stored {
        Stored { arrays, shape, first: None }
    }

    /// The place in memory of element `i`.
    pub(super) fn place(&self, s: &mut Stage, i: ExprId) -> ExprId {
        self.first.map_or(i, |first| s.bin(BinOp::Add, first, i))
    }

    pub(super) fn assign(&self, s: &mut Stage, v: &Value, index: ExprId) -> Result<()> {
        let mut leaves = v.leaves(s)?;
        if leaves.len() > 1 {
            // Writing one field must not change what another is computed from.
            s.read_now(&mut leaves)?;
        }
        let index = self.place(s, index);
        s.note_place(index);
        for (&(array, _), value) in self.arrays.iter().zip(leaves) {
            s.emit(StmtKind::Assign { array, index, value })?;
        }
        Ok(())
    }

    pub(super) fn load(&self, s: &mut Stage, i: ExprId) -> Value {
        let i = self.place(s, i);
        let loads: Vec<ExprId> = self.arrays.iter().map(|&(a, ty)| s.p.exprs.load(a, i, ty)).collect();
        for &load in &loads {
            s.note_place(load);
        }
        self.shape.rebuild(&mut loads.into_iter())
    }
}
