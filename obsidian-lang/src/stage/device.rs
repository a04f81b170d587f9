//! Programs of launches: `compute` at `Device` is a launch. Nothing else launches, so whatever is not computed is evaluated
//! in the kernel that uses it.

use std::cell::OnceCell;
use std::rc::Rc;

use super::arrays::Stored;
use super::eval::Frame;
use super::running::What;
use super::value::{Func, Opened, Pull, Push, Value, Writer};
use super::{Extend, Stage};
use crate::types::{Owner, TPat};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::module::{Draft, Launch, StepKind};
use obsidian_ir::program::{
    Array, ArrayId, Block, ElementShape, ExprId, LaunchCheck, Param, ParamId, ParamKind, ScalarType, Space,
};

/// The most launches of one module; a loop over known values unrolls them, too.
const MAX_LAUNCHES: usize = 256;

/// A kernel, while its code is evaluated: the part of the state that is its own.
pub(super) struct Outer {
    checks: Vec<LaunchCheck>,
    blocks: ExprId,
    statements: usize,
}

impl Stage {
    /// Stores an array in the device's memory by a launch, and gives it as a manifest pull array.
    pub(super) fn launch(&mut self, v: Value) -> Result<Value> {
        let push = self.as_grid(v);
        let outer = self.begin_kernel()?;
        let (body, (made, len)) = self.capture(|s| s.under(Level::Grid, |s| s.store_globally(&push)))?;
        let Some(made) = made else {
            let _ = self.end_kernel(outer);
            return Ok(Value::Pull(Pull::new(len, |s, _| {
                Err(s
                    .error("OB035", "an empty array has no elements")
                    .map_help("test the length first: `if xs.len() > 0`"))
            })));
        };
        self.add_launch(outer, body, vec![made.0])?;
        Ok(Value::Pull(made.1))
    }

    /// A value as what a grid writes.
    pub(super) fn as_grid(&self, v: Value) -> Push {
        match v {
            Value::Push(push) => push,
            Value::Pull(pull) => self.push_of_grid(pull),
            one => {
                let open = move |s: &mut Stage| {
                    let (one, len) = (one.clone(), s.u32(1));
                    (s.push_of_grid(Pull::new(len, move |_, _| Ok(one.clone()))).open)(s)
                };
                Push { len: None, stored: None, open: Rc::new(open) }
            }
        }
    }

    pub(super) fn begin_kernel(&mut self) -> Result<Outer> {
        if self.host.launches >= MAX_LAUNCHES {
            return Err(self
                .error("OB033", format!("this program has more than {MAX_LAUNCHES} launches"))
                .map_help("loops over known values unroll while compiling, and what they launch with them"));
        }
        let blocks = self.u32(0);
        Ok(Outer {
            checks: std::mem::take(&mut self.p.checks),
            blocks: std::mem::replace(&mut self.p.blocks, blocks),
            statements: std::mem::take(&mut self.statements),
        })
    }

    /// Gives the number of blocks and the checks of the kernel that was begun.
    pub(super) fn end_kernel(&mut self, outer: Outer) -> (ExprId, Vec<LaunchCheck>) {
        self.statements = outer.statements;
        let blocks = std::mem::replace(&mut self.p.blocks, outer.blocks);
        (blocks, std::mem::replace(&mut self.p.checks, outer.checks))
    }

    pub(super) fn add_launch(&mut self, outer: Outer, body: Block, outputs: Vec<ParamId>) -> Result<()> {
        let (blocks, checks) = self.end_kernel(outer);
        self.p.body = body;
        super::mutable::drop_unread(&mut self.p);
        let body = std::mem::take(&mut self.p.body);
        let name = self.kernel_name();
        self.host.launches += 1;
        let known = self.host.known.clone();
        self.host_step(StepKind::Launch(Launch { name, body, blocks, checks, known, outputs, span: self.span }));
        Ok(())
    }

    /// The outermost library function that is being evaluated, and a number.
    fn kernel_name(&self) -> String {
        let number = self.host.launches + 1;
        let code = self.running.iter().filter(|r| r.what == What::Code);
        match code.skip_while(|r| r.owner != Owner::Library).map(|r| &r.name).next() {
            Some(name) => format!("{}_{number}", name.rsplit("::").next().unwrap_or(name)),
            None => number.to_string(),
        }
    }

    /// Writes an array to a buffer of its own, whose fields are those of the first element; an empty array to none.
    fn store_globally(&mut self, push: &Push) -> Result<(Option<(ParamId, Pull)>, ExprId)> {
        let opened = (push.open)(self)?;
        let len = self.launch_len(&opened)?;
        let (made, writer) = new_buffer_writer(len);
        (opened.write)(self, &writer)?;
        let Some((param, stored)) = made.get().cloned() else { return Ok((None, len)) };
        Ok((Some((param, stored_globally(len, param, stored))), len))
    }

    /// Two arrays that one launch stores: `f` writes both by the two functions that it is given.
    pub(super) fn launch_two(&mut self, lens: [ExprId; 2], f: &Func) -> Result<Value> {
        for len in lens {
            self.host_known(len, "the length of an array that a launch stores")?;
        }
        let outer = self.begin_kernel()?;
        let (body, made) = self.capture(|s| {
            s.under(Level::Grid, |s| {
                let [one, other] = lens.map(new_buffer_writer);
                let write = [&one.1, &other.1].map(|w| Value::Fn(s.chosen_writes(w)));
                s.apply(f, write.into())?;
                Ok([one.0, other.0])
            })
        })?;
        let mut arrays = Vec::new();
        for (made, len) in made.into_iter().zip(lens) {
            let Some((param, stored)) = made.get().cloned() else {
                let _ = self.end_kernel(outer);
                return Err(self
                    .error("OB035", "nothing is written to one of the two arrays, so that its elements have no type")
                    .map_help("write an element of each, `write(x, i)`"));
            };
            arrays.push((param, stored_globally(len, param, stored)));
        }
        self.add_launch(outer, body, arrays.iter().map(|(param, _)| *param).collect())?;
        Ok(Value::Tuple(arrays.into_iter().map(|(_, array)| Value::Pull(array)).collect()))
    }

    /// A length that the host knows before the launch.
    pub(super) fn launch_len(&self, opened: &Opened) -> Result<ExprId> {
        if self.p.exprs.known_at_launch(opened.len) {
            return Ok(opened.len);
        }
        let help = if self.at_host() {
            super::host::FETCH_HELP
        } else {
            "the host sizes the memory before the launch: let the length follow from lengths and arguments"
        };
        Err(self
            .error("OB039", "the length of this array is known on the device only")
            .map_note(format!("{} is computed from an element", self.describe(opened.len)))
            .map_help(help))
    }

    /// A new buffer for elements of the form of `v`.
    pub(super) fn buffer_for(&mut self, v: &Value, len: ExprId) -> Result<(ParamId, Rc<Stored>)> {
        let leaves = v.leaves(self)?;
        let types: Vec<ScalarType> = leaves.iter().map(|&e| self.p.exprs.ty(e)).collect();
        if types.is_empty() {
            return Err(self
                .error("OB027", "there is nothing to store: the elements are `()`")
                .map_help("give the elements a value"));
        }
        let shape = if matches!(v, Value::Scalar(_)) { ElementShape::Scalar } else { ElementShape::Tuple };
        let (param, arrays) = self.new_buffer(&types, shape, len);
        Ok((param, Rc::new(Stored::existing(arrays.into_iter().zip(types).collect(), v.clone()))))
    }

    pub(super) fn new_buffer(
        &mut self,
        types: &[ScalarType],
        shape: ElementShape,
        len: ExprId,
    ) -> (ParamId, Vec<ArrayId>) {
        let param = ParamId(self.p.params.len() as u32);
        let is_buffer = |p: &&Param| matches!(p.kind, ParamKind::Output { .. });
        let mut name = format!("t{}", self.p.params.iter().filter(is_buffer).count() + 1);
        while self.p.params.iter().any(|p| p.name == name) {
            name.push('_');
        }
        let mut arrays = Vec::new();
        for &elem in types {
            let (name, space, span) = (String::new(), Space::Global(param), self.span);
            arrays.push(ArrayId(self.p.arrays.len() as u32));
            self.p.arrays.push(Array {
                name,
                elem,
                len,
                space,
                rows: None,
                stages: 1,
                filled: None,
                offset: None,
                span,
                stands_for: None,
            });
        }
        let kind = ParamKind::Output { arrays: arrays.clone(), len };
        self.p.params.push(Param { shape, ..Param::new(String::new(), kind) });
        self.name_buffer(param, &arrays, &name);
        (param, arrays)
    }

    /// Names a buffer, and its arrays after it.
    fn name_buffer(&mut self, id: ParamId, arrays: &[ArrayId], name: &str) {
        for (k, array) in arrays.iter().enumerate() {
            let name = if arrays.len() == 1 { name.to_string() } else { format!("{name}_{k}") };
            self.p.arrays[array.0 as usize].name = name;
        }
        self.p.params[id.0 as usize].name = name.to_string();
    }

    /// Notes what a `let` of the host's calls its variables, and the stored arrays among them.
    pub(super) fn name_bound(&mut self, pat: &TPat, v: &Value, f: &mut Frame) {
        match (pat, v) {
            (TPat::Slot(slot, name), v) => {
                self.name_stored(v, name);
                f.names.insert(*slot as usize, name.clone());
            }
            (TPat::Tuple(pats), Value::Tuple(parts)) => {
                pats.iter().zip(parts.iter()).for_each(|(pat, part)| self.name_bound(pat, part, f));
            }
            (TPat::Sized(inner, _), v) => self.name_bound(inner, v, f),
            (TPat::Tuple(_) | TPat::Wild, _) => {}
        }
    }

    /// A stored array has the first name that the user's code gives it; the library's names say nothing to the user.
    pub(super) fn name_stored(&mut self, v: &Value, name: &str) {
        let Value::Pull(Pull { stored: Some(id), .. }) = v else { return };
        let code = self.running.iter().rev().find(|r| r.what == What::Code);
        if name.is_empty() || code.is_some_and(|r| r.owner == Owner::Library) || !self.host.named.insert(*id) {
            return;
        }
        if let ParamKind::Output { arrays, .. } = &self.p.param(*id).kind {
            let arrays = arrays.clone();
            self.name_buffer(*id, &arrays, name);
        }
    }

    /// The module that was evaluated.
    pub(super) fn into_draft(mut self, given: usize, results: Vec<ParamId>) -> Draft {
        let steps = std::mem::take(&mut self.host.steps);
        Draft { workspace: self.p, given, steps, results }
    }
}

/// A buffer that a launch makes: none before something is written to it.
type Made = Rc<OnceCell<(ParamId, Rc<Stored>)>>;

/// What makes a buffer of `len` elements, whose fields are those of the first that is written, and writes to it.
fn new_buffer_writer(len: ExprId) -> (Made, Writer) {
    let made = Made::default();
    let writer: Writer = {
        let made = made.clone();
        Rc::new(move |s, v, i| {
            if made.get().is_none() {
                let new = s.buffer_for(&v, len)?;
                let _ = made.set(new);
            }
            match made.get() {
                Some((_, stored)) => stored.clone().assign(s, &v, i),
                None => Ok(()),
            }
        })
    };
    (made, writer)
}

/// A buffer as an array.
fn stored_globally(len: ExprId, param: ParamId, stored: Rc<Stored>) -> Pull {
    let pull = Pull::new(len, move |s, i| Ok(stored.load(s, i)));
    Pull { stored: Some(param), ..pull }
}

/// The number of fields of a buffer that a launch has made.
pub(super) fn arrays_of(param: &Param) -> usize {
    match &param.kind {
        ParamKind::Output { arrays, .. } => arrays.len(),
        _ => 0,
    }
}
