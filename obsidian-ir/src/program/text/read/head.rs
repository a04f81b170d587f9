//! Reads the lines before the statements, and declares the arrays.

use super::super::defaults;
use super::super::header::of_one_line;
use super::super::lex::{Line, Place};
use super::super::names::{self, Declared};
use super::super::tree::{ArrayName, Tokens, Tree};
use super::{ReadError, Reader};
use crate::diag::Span;
use crate::level::Level;
use crate::program::{
    ArrayId, ElementShape, LaunchCheck, Math, Param, ParamId, ParamKind, Rows, ScalarType, Space, Target,
};

/// The words that lines before the statements begin with.
const HEADS: [&str; 7] = ["in", "mut", "out", "fault", "with", "blocks", "where"];

/// Whether a line stands before the statements: a statement has `[`, `@` or `=` after a name.
pub(super) fn is_head(line: &Line) -> bool {
    let tokens = Tokens::new(line);
    let statement = ["[", "@", "="].iter().any(|sign| tokens.sign_at(1, sign));
    line.depth == 1 && !statement && tokens.peek_word().is_some_and(|word| HEADS.contains(&word))
}

/// A parameter as it is written.
struct Written<'l> {
    kind: &'l str,
    name: String,
    elems: Vec<(ScalarType, Option<u32>)>,
    shape: ElementShape,
    len: Option<Tree>,
    at: Place,
}

/// An array as a line allocates it.
pub(super) struct Allocation {
    pub(super) name: ArrayName,
    elem: ScalarType,
    space: Space,
    len: Tree,
    rows: Option<Rows>,
    stages: u32,
    offset: Option<u32>,
    at: Place,
}

impl Reader {
    /// `kernel name (threads = 64, shared = 256 B of 1024, target = sm_80, math = fast)`.
    pub(super) fn kernel(&mut self, line: &Line) -> Result<(), ReadError> {
        let mut t = Tokens::new(line);
        t.expect_word("kernel")?;
        self.p.name = t.word("the kernel's name")?.to_string();
        t.expect("(")?;
        t.expect_word("threads")?;
        t.expect("=")?;
        let at = t.place();
        self.p.threads = t.number()?;
        if !(1..=1024).contains(&self.p.threads) {
            return at.error("a block has 1 to 1024 threads");
        }
        t.expect(",")?;
        t.expect_word("shared")?;
        t.expect("=")?;
        self.p.shared_bytes = t.number()?;
        t.expect_word("B")?;
        if t.take_word("of") {
            self.p.shared_limit = t.number()?;
        }
        while t.take(",") {
            let at = t.place();
            let option = t.word("`target`, `math` or `rounds`")?;
            t.expect("=")?;
            if option == "rounds" {
                self.p.rounds = t.number()?;
                continue;
            }
            let value = t.word("a value")?;
            match (option, Target::from_name(value)) {
                ("target", Some(target)) => self.p.options.target = target,
                ("math", _) if value == "fast" => self.p.options.math = Math::Fast,
                _ => return at.error("this is no option of a kernel"),
            }
        }
        t.expect(")")?;
        t.end()
    }

    /// Declares parameters and arrays: the numbers of all are known only together.
    pub(super) fn declare(&mut self, head: &[Line], body: &[Line]) -> Result<(), ReadError> {
        let mut written = Vec::new();
        for line in head.iter().filter(|l| ["in", "mut", "out", "fault"].iter().any(|w| Tokens::new(l).word_at(0, w))) {
            written.push(parameter(line)?);
        }
        let mut allocations = Vec::new();
        for line in head.iter().filter(|l| Tokens::new(l).word_at(0, "with")).chain(body) {
            let mut t = Tokens::new(line);
            t.take_word("with");
            if is_allocation(&t) {
                allocations.push(allocation(&mut t)?);
            }
        }
        let mut declared: Vec<(Declared, ScalarType, Space, Place)> = Vec::new();
        for (i, w) in written.iter().enumerate() {
            for (k, (elem, number)) in w.elems.iter().enumerate().filter(|_| w.len.is_some() || w.kind == "fault") {
                let name = if w.elems.len() == 1 { w.name.clone() } else { format!("{}_{k}", w.name) };
                let array = Declared { name, number: *number, allocated: false };
                declared.push((array, *elem, Space::Global(ParamId(i as u32)), w.at));
            }
        }
        for a in &allocations {
            let array = Declared { name: a.name.name.clone(), number: a.name.number, allocated: true };
            if !declared.iter().any(|(other, ..)| *other == array) {
                declared.push((array, a.elem, a.space, a.at));
            }
        }
        self.add_arrays(&declared)?;
        written.iter().try_for_each(|w| self.add_parameter(w))?;
        allocations.iter().try_for_each(|a| self.place_array(a))
    }

    fn add_arrays(&mut self, declared: &[(Declared, ScalarType, Space, Place)]) -> Result<(), ReadError> {
        let plain: Vec<Declared> = declared.iter().map(|d| d.0.clone()).collect();
        let numbers = names::numbers(&plain);
        self.p.add_unmentioned(numbers.iter().max().map_or(0, |n| *n as usize + 1));
        for ((array, elem, space, at), n) in declared.iter().zip(numbers) {
            let slot = &mut self.p.arrays[n as usize];
            if !slot.name.is_empty() {
                return at.error(format!("there are two arrays of the number {n}"));
            }
            (slot.name, slot.elem, slot.space) = (array.name.clone(), *elem, *space);
            self.arrays.entry(array.name.clone()).or_default().push(n);
        }
        Ok(())
    }

    /// The arrays of a parameter are those that were declared for it, in order.
    fn add_parameter(&mut self, w: &Written<'_>) -> Result<(), ReadError> {
        let id = ParamId(self.p.params.len() as u32);
        if self.p.params.iter().any(|p| p.name == w.name) {
            return w.at.error(format!("there are two parameters `{}`", w.name));
        }
        let Some(len) = &w.len else {
            let kind = match (w.kind, w.elems.as_slice()) {
                ("fault", [(_, number)]) => {
                    let array = self.array(&ArrayName { name: w.name.clone(), number: *number }, w.at)?;
                    self.p.arrays[array.0 as usize].len = self.p.exprs.u32(2);
                    ParamKind::Fault(array)
                }
                ("in", [(ty, None)]) => ParamKind::Scalar(*ty),
                _ => return w.at.error("a buffer has a length"),
            };
            self.p.params.push(Param { shape: w.shape, ..Param::new(&w.name, kind) });
            return Ok(());
        };
        let fields = w.elems.iter().enumerate().map(|(k, (_, number))| {
            let name = if w.elems.len() == 1 { w.name.clone() } else { format!("{}_{k}", w.name) };
            self.array(&ArrayName { name, number: *number }, w.at)
        });
        let arrays: Vec<ArrayId> = fields.collect::<Result<_, _>>()?;
        // `len(x)` of an input stands for what the launch gives.
        let param = Param { shape: w.shape, ..Param::new(&w.name, ParamKind::Scalar(ScalarType::U32)) };
        self.p.params.push(param);
        let len = self.build(len, Some(ScalarType::U32))?;
        let fixed = self.p.exprs.as_u32(len);
        let own = len == self.p.exprs.input_len(id);
        let kind = match w.kind {
            "out" => ParamKind::Output { arrays: arrays.clone(), len },
            _ if fixed.is_none() && !own => return w.at.error(format!("expected a number or `len({})`", w.name)),
            "in" => ParamKind::Input { arrays: arrays.clone(), len: fixed },
            _ => ParamKind::InOut { arrays: arrays.clone(), len: fixed },
        };
        self.p.params[id.0 as usize].kind = kind;
        arrays.iter().for_each(|a| self.p.arrays[a.0 as usize].len = len);
        Ok(())
    }

    /// Gives an array its length and place; each line that allocates it says the same.
    fn place_array(&mut self, a: &Allocation) -> Result<(), ReadError> {
        let id = self.array(&a.name, a.at)?;
        let len = self.build(&a.len, Some(ScalarType::U32))?;
        let new = self.p.array(id).span == Span::NONE;
        let array = &mut self.p.arrays[id.0 as usize];
        let same = (array.elem, array.space) == (a.elem, a.space);
        if !same || !(new || (array.len, array.rows, array.stages, array.offset) == (len, a.rows, a.stages, a.offset)) {
            return a.at.error(format!("`{}` is allocated in two ways", a.name.name));
        }
        (array.len, array.rows, array.stages, array.offset, array.span) = (len, a.rows, a.stages, a.offset, Span(0));
        Ok(())
    }

    /// The lines that may mention everything: the number of blocks, and the conditions of the launch.
    pub(super) fn finish(&mut self, head: &[Line]) -> Result<(), ReadError> {
        self.p.arrays.iter_mut().for_each(|a| a.span = Span::NONE);
        let mut blocks = defaults::blocks(&self.p);
        for line in head {
            let mut t = Tokens::new(line);
            if t.take_word("blocks") {
                t.expect(":")?;
                let tree = t.expr()?;
                blocks = Some(self.build(&tree, Some(ScalarType::U32))?);
                t.end()?;
            } else if t.take_word("where") {
                let at = t.place();
                let tree = t.expr()?;
                let cond = self.build(&tree, Some(ScalarType::Bool))?;
                let mut found = defaults::found(&self.p, cond);
                if t.take(",") {
                    t.expect_word("found")?;
                    let tree = t.expr()?;
                    found = Some(self.build(&tree, Some(ScalarType::U32))?);
                }
                t.end()?;
                let Some(found) = found else { return at.error("expected `, found` and a value to report") };
                self.p.checks.push(LaunchCheck { cond, message: of_one_line(&line.comment), found });
            }
        }
        let Some(blocks) = blocks else {
            let at = head.last().map_or(Place { line: 1, column: 1 }, |line| line.end);
            return at.error("expected a line `blocks:` with the number of blocks");
        };
        self.p.blocks = blocks;
        Ok(())
    }
}

/// `in x: (u32, f32@3)[len(x)]`, `in n: u32`, `fault f@7`.
fn parameter(line: &Line) -> Result<Written<'_>, ReadError> {
    let mut t = Tokens::new(line);
    let kind = t.word("a parameter")?;
    let at = t.place();
    let name = t.word("the parameter's name")?.to_string();
    if kind == "fault" {
        let elems = vec![(ScalarType::U64, t.array_number()?)];
        t.end()?;
        return Ok(Written { kind, name, elems, shape: ElementShape::Scalar, len: None, at });
    }
    t.expect(":")?;
    let (mut elems, mut shape) = (Vec::new(), ElementShape::Scalar);
    if t.take("(") {
        shape = ElementShape::Tuple;
        while !t.sign_at(0, ")") {
            elems.push((t.scalar_type()?, t.array_number()?));
            if !t.take(",") {
                break;
            }
        }
        t.expect(")")?;
    } else {
        elems.push((t.scalar_type()?, t.array_number()?));
    }
    let mut len = None;
    if t.take("[") {
        len = Some(t.expr()?);
        t.expect("]")?;
    }
    t.end()?;
    Ok(Written { kind, name, elems, shape, len, at })
}

/// Whether the line allocates an array.
pub(super) fn is_allocation(t: &Tokens<'_>) -> bool {
    let after_name = if t.sign_at(2, "@") { 4 } else { 2 };
    let typed = |ahead: usize| t.sign_at(ahead, ":") && t.sign_at(ahead + 2, "[");
    (t.word_at(0, "shared") && t.word_at(1, "per"))
        || (["local", "lanes", "registers"].iter().any(|word| t.word_at(0, word)) && typed(after_name))
}

/// `shared per Block s1: u32[64] rows of 8 by 9, 56 in all at 0`, `local a2: f32[4]`, `lanes x3: u32[32]`, `registers q4: f32[64]`.
pub(super) fn allocation(t: &mut Tokens<'_>) -> Result<Allocation, ReadError> {
    let at = t.place();
    let space = match t.word("where the array lives")? {
        "shared" => {
            t.expect_word("per")?;
            Space::Shared(level(t)?)
        }
        "local" => Space::Local,
        "registers" => Space::Registers,
        _ => Space::Lanes,
    };
    let name = t.array()?;
    t.expect(":")?;
    let elem = t.scalar_type()?;
    t.expect("[")?;
    let len = t.expr()?;
    t.expect("]")?;
    let (mut rows, mut offset) = (None, None);
    if t.take_word("rows") {
        t.expect_word("of")?;
        let row = t.number()?;
        t.expect_word("by")?;
        let pitch = t.number()?;
        rows = Some(Rows { row, pitch });
    }
    let mut stages = 1;
    if t.take_word("in") {
        stages = t.number()?;
        t.expect_word("stages")?;
    }
    if t.take_word("at") {
        offset = Some(t.number()?);
    }
    t.end()?;
    Ok(Allocation { name, elem, space, len, rows, stages, offset, at })
}

/// A level, by its name.
pub(super) fn level(t: &mut Tokens<'_>) -> Result<Level, ReadError> {
    let at = t.place();
    let word = t.word("a level")?;
    Level::ALL.into_iter().find(|l| l.name() == word).map_or_else(|| at.error(format!("`{word}` is no level")), Ok)
}
