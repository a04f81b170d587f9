//! An entry: its parameters become arrays and scalars, its result is written to the outputs.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::arrays::Stored;
use super::value::{Generics, Mut, Pull, Value, Writer};
use super::{Extend, Stage, mutable};
use crate::Level;
use crate::diag::{Result, Span};
use crate::program::{
    Array, ArrayId, Claim, Exprs, Param, ParamId, ParamKind, Program, ScalarType, Space, Stmt, StmtKind,
};
use crate::types::{BufferAccess, Checked, ElementShape, Entry, EntryInput};

/// Evaluates an entry for a number of threads.
///
/// # Errors
/// What cannot be decided while compiling: unknown lengths, unbounded recursion, lengths that do not divide.
pub fn stage(checked: &Rc<Checked>, entry: &Entry, threads: u32, name: &str) -> Result<Program> {
    let mut exprs = Exprs::default();
    let zero = exprs.u32(0);
    let p = Program {
        name: name.to_string(),
        threads,
        shared_limit: entry.shared,
        shared_bytes: 0,
        params: Vec::new(),
        arrays: Vec::new(),
        vars: Vec::new(),
        exprs,
        body: Vec::new(),
        blocks: zero,
        checks: Vec::new(),
    };
    let mut stage = Stage {
        p,
        checked: checked.clone(),
        lists: vec![Vec::new()],
        ambient: None,
        span: Span::NONE,
        chain: Vec::new(),
        steps: 0,
        statements: 0,
        claim: Claim::ByConstruction,
        undecided: None,
        mutable: HashSet::new(),
        reads_mutable: HashMap::new(),
    };
    stage.run_entry(entry)?;
    stage.p.body = stage.lists.pop().unwrap_or_default();
    mutable::drop_unread(&mut stage.p);
    Ok(stage.p)
}

impl Stage {
    fn run_entry(&mut self, entry: &Entry) -> Result<()> {
        let args = entry.inputs.iter().map(|i| self.input(i)).collect::<Vec<_>>();
        let generics: Generics = Rc::new([]);
        let result = self.call_entry(entry, args, generics)?;
        let pushes = match result {
            Value::Tuple(parts) => parts.to_vec(),
            one => vec![one],
        };
        for (i, (push, fields)) in pushes.into_iter().zip(&entry.outputs).enumerate() {
            self.output(i, &push, fields)?;
        }
        Ok(())
    }

    fn input(&mut self, input: &EntryInput) -> Value {
        let id = ParamId(self.p.params.len() as u32);
        match input {
            EntryInput::Scalar { name, ty } => {
                self.p.params.push(Param { name: name.clone(), kind: ParamKind::Scalar(*ty) });
                Value::Scalar(self.p.exprs.scalar(id, *ty))
            }
            EntryInput::Buffer { name, fields, tuple, len, access } => {
                let len_expr = match *len {
                    Some(n) => self.p.exprs.u32(n),
                    None => self.p.exprs.input_len(id),
                };
                let arrays = self.global_arrays(name, id, fields, len_expr);
                let (of_it, len) = (arrays.clone(), *len);
                let kind = match access {
                    BufferAccess::Read => ParamKind::Input { arrays: of_it, len },
                    BufferAccess::Update => ParamKind::InOut { arrays: of_it, len },
                };
                self.p.params.push(Param { name: name.clone(), kind });
                let stored = Stored::existing(
                    arrays.into_iter().zip(fields.iter().copied()).collect(),
                    self.shape(fields, *tuple),
                );
                match access {
                    BufferAccess::Read => Value::Pull(Pull::new(len_expr, move |s, i| Ok(stored.load(s, i)))),
                    BufferAccess::Update => self.mutable_array(Mut { len: len_expr, stored: Rc::new(stored) }),
                }
            }
        }
    }

    fn global_arrays(
        &mut self,
        name: &str,
        id: ParamId,
        fields: &[ScalarType],
        len: crate::program::ExprId,
    ) -> Vec<ArrayId> {
        let mut arrays = Vec::new();
        for (k, &elem) in fields.iter().enumerate() {
            let array = ArrayId(self.p.arrays.len() as u32);
            let name = if fields.len() == 1 { name.to_string() } else { format!("{name}_{k}") };
            self.p.arrays.push(Array { name, elem, len, space: Space::Global(id), offset: None, span: self.span });
            arrays.push(array);
        }
        arrays
    }

    /// An element of those fields; its scalars stand for nothing.
    fn shape(&mut self, fields: &[ScalarType], tuple: ElementShape) -> Value {
        let zero = self.u32(0);
        let parts: Vec<Value> = fields.iter().map(|_| Value::Scalar(zero)).collect();
        match (tuple, parts.as_slice()) {
            (ElementShape::Scalar, [one]) => one.clone(),
            _ => Value::Tuple(parts.into()),
        }
    }

    fn output(&mut self, i: usize, push: &Value, fields: &[ScalarType]) -> Result<()> {
        let opened = (push.push(self)?.open)(self)?;
        let id = ParamId(self.p.params.len() as u32);
        let name = if i == 0 { "out".to_string() } else { format!("out{i}") };
        let name = self.free_name(name);
        let arrays = self.global_arrays(&name, id, fields, opened.len);
        self.p.params.push(Param { name, kind: ParamKind::Output { arrays: arrays.clone(), len: opened.len } });
        let shape = self.shape(fields, ElementShape::Tuple);
        let stored = Stored::existing(arrays.into_iter().zip(fields.iter().copied()).collect(), shape);
        let writer: Writer = Rc::new(move |s, v, at| stored.assign(s, &v, at));
        (opened.write)(self, &writer)
    }

    /// The name, or the next that no parameter has.
    fn free_name(&self, name: String) -> String {
        let mut free = name;
        while self.p.params.iter().any(|p| p.name == free) {
            free.push('_');
        }
        free
    }

    fn call_entry(&mut self, entry: &Entry, args: Vec<Value>, generics: Generics) -> Result<Value> {
        let result = self.call_fn(entry.id, args, generics)?;
        let in_blocks = |s: &Stmt| matches!(s.kind, StmtKind::DistrPar { level: Level::Block, .. });
        if self.lists.last().is_some_and(|l| !l.iter().all(in_blocks)) {
            return Err(self
                .error("OB012", "an entry's own code runs on no thread")
                .map_help("compute inside the blocks: `as_grid_map(|c| .. .compute() ..)`"));
        }
        Ok(result)
    }
}
