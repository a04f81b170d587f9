//! An entry: its parameters become arrays and scalars, its result is written to the outputs.

use std::rc::Rc;

use super::arrays::Stored;
use super::eval::Frame;
use super::host::HostSide;
use super::value::{Generics, Mut, Pull, Value, Writer};
use super::{Extend, Stage, mutable};
use crate::types::{
    BufferAccess, Checked, Closure, ElementShape, Entry, EntryForm, EntryInput, EntryOutput, OutputForm, TKind,
};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::module::{self, Module};
use obsidian_ir::passes;
use obsidian_ir::program::{
    Array, ArrayId, BinOp, Claim, ExprId, Matrix, Param, ParamId, ParamKind, Program, ScalarType, Space, Stmt, StmtKind,
};
use obsidian_ir::tables::{HashMap, HashSet};

/// What an entry is when it has been evaluated.
#[derive(Clone)]
pub enum Evaluated {
    /// A kernel.
    Kernel(Box<Program>),
    /// Of an entry at `Device`, several.
    Module(Box<Module>),
}

/// An entry as it was evaluated.
pub struct Staged {
    /// Its code.
    pub code: Evaluated,
    /// The number of threads, if the evaluation asked for it: another number then needs another evaluation.
    threads: Option<u32>,
}

impl Staged {
    /// Whether an evaluation for this number of threads would give the same.
    pub fn serves_threads(&self, threads: u32) -> bool {
        self.threads.is_none_or(|n| n == threads)
    }
}

/// Evaluates an entry of this name for one combination of its generics and a number of threads.
///
/// # Errors
/// What cannot be decided while compiling: unknown lengths, unbounded recursion, lengths that do not divide.
pub fn stage(checked: &Rc<Checked>, entry: &Entry, form: &EntryForm, threads: u32, name: &str) -> Result<Staged> {
    let shared_limit = entry.shared.min(entry.options.target.max_shared());
    let p = Program { shared_limit, options: entry.options, ..Program::new(name, threads) };
    let mut stage = Stage {
        p,
        checked: checked.clone(),
        lists: vec![Vec::new()],
        ambient: Some(entry.level).filter(|level| *level == Level::Device),
        span: Span::NONE,
        chain: Vec::new(),
        running: Vec::new(),
        steps: 0,
        statements: 0,
        claim: Claim::ByConstruction,
        undecided: None,
        given: Vec::new(),
        mutable: HashSet::default(),
        reads_mutable: HashMap::default(),
        asked_threads: None,
        per_block: entry.per_block.map(|(n, _)| n),
        shared_out: false,
        cuts: HashMap::default(),
        placed: HashMap::default(),
        left: HashSet::default(),
        bounds: HashMap::default(),
        instance: None,
        in_step: Vec::new(),
        last_chunk: None,
        declared: form.inputs.iter().map(|input| input.name().to_string()).collect(),
        host: HostSide { given: form.inputs.iter().map(EntryInput::parameters).sum(), ..HostSide::default() },
    };
    let result = stage.run_entry(entry, form)?;
    let threads = stage.asked_threads;
    if entry.level == Level::Device {
        let given = stage.host.given;
        let results = stage.results(result, &form.outputs, given)?;
        stage.per_block_is_used(entry)?;
        let draft = stage.into_draft(given, results);
        passes::written_out::check_draft(&draft)?;
        let code = Evaluated::Module(Box::new(module::cut(&draft)));
        return Ok(Staged { code, threads });
    }
    for (i, (push, output)) in result.into_iter().zip(&form.outputs).enumerate() {
        stage.output(i, &push, output, result_of(checked, entry))?;
    }
    stage.per_block_is_used(entry)?;
    stage.p.body = stage.lists.pop().unwrap_or_default();
    mutable::drop_unread(&mut stage.p);
    Ok(Staged { code: Evaluated::Kernel(Box::new(stage.p)), threads })
}

/// The token of an entry's result.
fn result_of(checked: &Checked, entry: &Entry) -> Span {
    let function = checked.fns[entry.id.0 as usize].as_ref();
    function.map_or(Span::NONE, |function| match &function.body.kind {
        TKind::Block(_, Some(result)) => result.span,
        _ => function.body.span,
    })
}

/// Whether these are the fields of the only result; otherwise each is a result.
fn is_one_structure(parts: &[Value], outputs: &[EntryOutput]) -> bool {
    let [EntryOutput { form: OutputForm::Structure, .. }] = outputs else { return false };
    parts.iter().all(|part| matches!(part, Value::Scalar(_)))
}

impl Stage {
    /// A number for what the compiler shares out says nothing where it has shared out nothing.
    fn per_block_is_used(&self, entry: &Entry) -> Result<()> {
        let Some((_, span)) = entry.per_block.filter(|_| !self.shared_out) else { return Ok(()) };
        let said = "`per_block` changes nothing here: the program says itself what a block takes";
        let help = "leave it out; it is for `xs.push()` at `Grid`, where the compiler chooses";
        Err(Box::new(Diagnostic::new("OB004", span, said).help(help)))
    }

    /// The values that an entry returns.
    fn run_entry(&mut self, entry: &Entry, form: &EntryForm) -> Result<Vec<Value>> {
        let generics: Generics = form.generics.clone().into();
        let args = form.inputs.iter().map(|i| self.input(i, &generics)).collect::<Result<Vec<_>>>()?;
        let result = self.call_entry(entry, args, generics)?;
        Ok(match result {
            Value::Tuple(parts) if !is_one_structure(&parts, &form.outputs) => parts.to_vec(),
            one => vec![one],
        })
    }

    fn input(&mut self, input: &EntryInput, generics: &Generics) -> Result<Value> {
        let id = ParamId(self.p.params.len() as u32);
        match input {
            EntryInput::Scalar { name, ty } => {
                self.p.params.push(Param::new(name, ParamKind::Scalar(*ty)));
                Ok(Value::Scalar(self.p.exprs.scalar(id, *ty)))
            }
            EntryInput::Matrix { name, fields, tuple, sizes } => self.matrix(name, (fields, *tuple), sizes, generics),
            EntryInput::Buffer { name, fields, tuple, len, access } => {
                let len = match len {
                    Some(n) => Some(self.const_value(n, generics)?.bits as u32),
                    None => None,
                };
                let len_expr = match len {
                    Some(n) => self.u32(n),
                    None => self.p.exprs.input_len(id),
                };
                let arrays = self.global_arrays(name, id, fields, len_expr);
                let of_it = arrays.clone();
                let kind = match access {
                    BufferAccess::Read => ParamKind::Input { arrays: of_it, len },
                    BufferAccess::Update => ParamKind::InOut { arrays: of_it, len },
                };
                self.p.params.push(Param { shape: *tuple, ..Param::new(name, kind) });
                let stored = Stored::existing(
                    arrays.into_iter().zip(fields.iter().copied()).collect(),
                    self.shape(fields, *tuple),
                );
                Ok(match access {
                    BufferAccess::Read => {
                        let pull = Pull::new(len_expr, move |s, i| Ok(stored.load(s, i)));
                        Value::Pull(Pull { stored: Some(id), ..pull })
                    }
                    BufferAccess::Update => self.mutable_array(Mut::in_memory(len_expr, Rc::new(stored))),
                })
            }
        }
    }

    /// A matrix: a buffer, whose rows lie one after the other, and two scalars. What its type says of these is known while compiling.
    fn matrix(
        &mut self,
        name: &str,
        (fields, tuple): (&[ScalarType], ElementShape),
        [stated_rows, stated_cols]: &[Option<Rc<Closure>>; 2],
        generics: &Generics,
    ) -> Result<Value> {
        let id = ParamId(self.p.params.len() as u32);
        let len = self.p.exprs.input_len(id);
        let arrays = self.global_arrays(name, id, fields, len);
        let kind = ParamKind::Input { arrays: arrays.clone(), len: None };
        self.p.params.push(Param { shape: tuple, matrix: Some(Matrix::Given), ..Param::new(name, kind) });
        let (rows, cols) = (self.extent(name, "rows"), self.extent(name, "cols"));
        let product = self.bin(BinOp::Mul, rows, cols);
        let fits = self.bin(BinOp::Eq, product, len);
        let message = format!("`{name}` must have as many elements as its rows times its columns");
        self.demand(fits, len, message, "`Matrix::new` sees to it")?;
        let mut frame = Frame::new(0, generics.clone());
        let mut stated = |s: &mut Stage, found, code: &Option<Rc<Closure>>| match code {
            Some(code) => s.assert_len(found, code, &mut frame),
            None => Ok(found),
        };
        let (rows, cols) = (stated(self, rows, stated_rows)?, stated(self, cols, stated_cols)?);
        let shape = self.shape(fields, tuple);
        let stored = Rc::new(Stored::existing(arrays.into_iter().zip(fields.iter().copied()).collect(), shape));
        Ok(Value::Pull(Stage::rows_of(rows, cols, move |s, at| Ok(stored.load(s, at)))))
    }

    /// The number of rows or of columns of a matrix that the host passes.
    fn extent(&mut self, matrix: &str, what: &str) -> ExprId {
        let id = ParamId(self.p.params.len() as u32);
        let name = self.free_name(format!("{matrix}_{what}"));
        self.p.params.push(Param::new(name, ParamKind::Scalar(ScalarType::U32)));
        self.p.exprs.scalar(id, ScalarType::U32)
    }

    fn global_arrays(&mut self, name: &str, id: ParamId, fields: &[ScalarType], len: ExprId) -> Vec<ArrayId> {
        let mut arrays = Vec::new();
        for (k, &elem) in fields.iter().enumerate() {
            let array = ArrayId(self.p.arrays.len() as u32);
            let name = if fields.len() == 1 { name.to_string() } else { format!("{name}_{k}") };
            self.p.arrays.push(Array {
                name,
                elem,
                len,
                space: Space::Global(id),
                rows: None,
                stages: 1,
                filled: None,
                offset: None,
                span: self.span,
                stands_for: None,
            });
            arrays.push(array);
        }
        arrays
    }

    /// A value with the shape of an element of these fields. Its scalars have no meaning.
    pub(super) fn shape(&mut self, fields: &[ScalarType], tuple: ElementShape) -> Value {
        let zero = self.u32(0);
        let parts: Vec<Value> = fields.iter().map(|_| Value::Scalar(zero)).collect();
        match (tuple, parts.as_slice()) {
            (ElementShape::Scalar, [one]) => one.clone(),
            _ => Value::Tuple(parts.into()),
        }
    }

    /// An output, which the entry's result at `span` writes.
    fn output(&mut self, i: usize, push: &Value, output: &EntryOutput, span: Span) -> Result<()> {
        let fields = &output.fields;
        let opened = (push.push(self)?.open)(self)?;
        self.launch_len(&opened)?;
        let id = ParamId(self.p.params.len() as u32);
        let name = if i == 0 { "out".to_string() } else { format!("out{i}") };
        let name = self.free_name(name);
        let arrays = self.global_arrays(&name, id, fields, opened.len);
        let kind = ParamKind::Output { arrays: arrays.clone(), len: opened.len };
        let matrix = match (output.form, opened.rows) {
            (OutputForm::Buffer | OutputForm::Structure, _) => None,
            (OutputForm::Matrix, Some((rows, cols))) => Some(Matrix::Made { rows, cols }),
            (OutputForm::Matrix, None) => {
                return Err(self.error("OB099", "a matrix without rows; please report this"));
            }
        };
        self.p.params.push(Param { shape: output.tuple, matrix, ..Param::new(name, kind) });
        let shape = self.shape(fields, ElementShape::Tuple);
        let stored = Stored::existing(arrays.into_iter().zip(fields.iter().copied()).collect(), shape);
        let writer: Writer = Rc::new(move |s, v, at| stored.assign(s, &v, at));
        self.at(span, |s| (opened.write)(s, &writer))
    }

    /// The name, or a numbered form of it that no parameter has.
    fn free_name(&self, name: String) -> String {
        let mut free = name;
        while self.p.params.iter().map(|p| &p.name).chain(&self.declared).any(|name| *name == free) {
            free.push('_');
        }
        free
    }

    fn call_entry(&mut self, entry: &Entry, args: Vec<Value>, generics: Generics) -> Result<Value> {
        let result = self.call_fn(entry.id, args, generics)?;
        let level = entry.level;
        let in_blocks =
            |s: &Stmt| level == Level::Grid && matches!(s.kind, StmtKind::DistrPar { level: Level::Block, .. });
        if self.lists.last().is_some_and(|l| !l.iter().all(in_blocks)) {
            return Err(self
                .error("OB012", "an entry's own code runs on no thread")
                .map_help("compute inside the blocks: `as_grid_map(|c| .. .compute() ..)`"));
        }
        Ok(result)
    }
}
