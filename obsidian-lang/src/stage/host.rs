//! Control flow of the host's, at `Device`: branches and loops on what is known before a launch, where one side or a round launches,
//! fetches or goes on with stored arrays. What a branch joins and a loop carries are buffers and variables of the host's.

mod loops;

use super::control::Side;
use super::eval::Frame;
use super::value::{Pull, Value};
use super::{Extend, Stage};
use crate::types::TExpr;
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::module::{Branch, Joined, Launch, Step, StepKind};
use obsidian_ir::program::{BinOp, Expr, ExprId, LaunchCheck, Param, ParamId, ParamKind, ScalarType, walk};
use obsidian_ir::tables::{HashMap, HashSet};

/// How a number that a launch computes comes to the host.
pub(super) const FETCH_HELP: &str = "`fetch` brings a number to the host, and waits for it: `xs.fetch(i)` an element of a stored array, `xs.sum().fetch()` what is computed";

/// A step of the host's, as it is evaluated.
pub(super) type HostStep = Step<Launch, ParamId>;

/// What the host does, of an entry at `Device`.
#[derive(Default)]
pub(super) struct HostSide {
    /// The steps of the list that is being made.
    pub steps: Vec<HostStep>,
    /// How many launches there are, in all lists.
    pub launches: usize,
    /// What it has checked where it stands.
    pub known: Vec<LaunchCheck>,
    /// How many branches and loops of the host's are around.
    pub depth: u32,
    /// Buffers that messages call what the user's code does.
    pub named: HashSet<ParamId>,
    /// The number of the entry's own parameters; those after them are buffers and variables of the host's.
    pub given: usize,
    /// Variables that a branch has joined, and what they are, where the arguments alone say it.
    pub chosen: HashMap<ParamId, ExprId>,
}

/// A part of what a branch joins or a loop carries.
#[derive(Clone)]
enum Part {
    /// A value that the host knows.
    Scalar(ExprId),
    /// A stored array.
    Array(StoredArray),
}

/// An array or a matrix that a buffer holds, as a whole and in order.
#[derive(Clone)]
struct StoredArray {
    buffer: ParamId,
    /// An element, which tells the fields.
    element: Value,
    extent: Extent,
}

/// How many elements there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The length of an array.
    Length(ExprId),
    /// The rows and columns of a matrix.
    Shape([ExprId; 2]),
}

impl Stage {
    /// Whether this is code of the host's, which runs on no device.
    pub(super) fn at_host(&self) -> bool {
        self.ambient == Some(Level::Device)
    }

    /// Adds a step of the host's.
    pub(super) fn host_step(&mut self, kind: StepKind<Launch, ParamId>) {
        self.host.steps.push(Step { kind, span: self.span });
    }

    /// Collects the steps that `f` makes.
    pub(super) fn capture_host<R>(&mut self, f: impl FnOnce(&mut Stage) -> Result<R>) -> Result<(Vec<HostStep>, R)> {
        let (outer, known) = (std::mem::take(&mut self.host.steps), self.host.known.len());
        self.host.depth += 1;
        let result = f(self);
        self.host.depth -= 1;
        self.host.known.truncate(known);
        let steps = std::mem::replace(&mut self.host.steps, outer);
        Ok((steps, result?))
    }

    /// A variable of the host's.
    pub(super) fn host_variable(&mut self, name: &str, ty: ScalarType) -> (ParamId, ExprId) {
        let id = ParamId(self.p.params.len() as u32);
        self.p.params.push(Param::new(name, ParamKind::Scalar(ty)));
        (id, self.p.exprs.scalar(id, ty))
    }

    /// Whether expressions are made of the entry's own arguments alone, of what is known before all steps.
    pub(super) fn is_of_arguments(&self, roots: &[ExprId]) -> bool {
        let given = self.host.given;
        let varies = |e: &ExprId| matches!(self.p.exprs.expr(*e), Expr::Scalar(param) | Expr::Len(param) if param.0 as usize >= given);
        !walk::reachable(&self.p.exprs, roots.iter().copied(), |_| false).iter().any(varies)
    }

    /// A condition of the host's own: before all steps where it is of the arguments alone, else where it stands.
    pub(super) fn host_check(&mut self, check: LaunchCheck) {
        if self.host.depth > 0 || !self.is_of_arguments(&[check.cond, check.found]) {
            if !self.host.known.contains(&check) {
                self.host.known.push(check.clone());
                self.host_step(StepKind::Check(check));
            }
        } else if !self.p.checks.contains(&check) {
            self.p.checks.push(check);
        }
    }

    /// An element of a stored array as a value of the host's, which waits for it.
    pub(super) fn fetch(&mut self, xs: &Pull, index: ExprId) -> Result<Value> {
        let Some(from) = xs.stored else {
            return Err(self
                .error("OB039", "this array is not stored, so the host cannot fetch an element of it")
                .map_note("what is not computed is part of the kernels that use it".to_string())
                .map_help("store it first: `xs.compute().fetch(0)`"));
        };
        let index = self.host_known(index, "the index of what is fetched")?;
        let inside = self.bin(BinOp::Lt, index, xs.len);
        let message = format!("the index of what is fetched must be below {}", self.describe(xs.len));
        self.demand(inside, index, message, "fetch an element that the array has")?;
        let element = (xs.get)(self, index)?;
        let (mut into, mut values) = (Vec::new(), Vec::new());
        for leaf in element.leaves(self)? {
            let ty = self.p.exprs.ty(leaf);
            let (variable, value) = self.host_variable("fetched", ty);
            into.push(variable);
            values.push(value);
        }
        self.host_step(StepKind::Fetch { from, index, into });
        Ok(element.rebuild(&mut values.into_iter()))
    }

    /// A value that the host knows, or the error for one that only the device does.
    pub(super) fn host_known(&self, e: ExprId, what: &str) -> Result<ExprId> {
        if self.p.exprs.known_at_launch(e) {
            return Ok(e);
        }
        Err(self
            .error("OB039", format!("{what} is known on the device only"))
            .map_note(format!("{} is computed from an element of a stored array", self.describe(e)))
            .map_help(FETCH_HELP))
    }

    /// The scalars and arrays of a value, left to right.
    fn host_parts(&mut self, v: &Value, who: &str, to: &mut Vec<Part>) -> Result<()> {
        match v {
            Value::Scalar(e) => {
                let what = format!("a value that {who}");
                to.push(Part::Scalar(self.host_known(*e, &what)?));
            }
            Value::Tuple(parts) => parts.iter().try_for_each(|part| self.host_parts(part, who, to))?,
            Value::Pull(pull) => match self.stored_array(pull)? {
                Some(array) => to.push(Part::Array(array)),
                None => {
                    return Err(self
                        .error("OB038", format!("an array that {who} is not stored"))
                        .map_note(
                            "it lies in memory between two launches, and nothing is stored but by `compute`"
                                .to_string(),
                        )
                        .map_help("store it, inside and before: `xs = next(xs).compute()`"));
                }
            },
            other => {
                return Err(self
                    .error("OB038", format!("{} is not what {who} can be", other.kind()))
                    .map_help("the host goes on with scalars and stored arrays: `compute()` what is to be kept"));
            }
        }
        Ok(())
    }

    /// What a buffer holds as a whole.
    fn stored_array(&mut self, pull: &Pull) -> Result<Option<StoredArray>> {
        let zero = self.u32(0);
        if let Some(buffer) = pull.stored {
            let element = (pull.get)(self, zero)?;
            return Ok(Some(StoredArray { buffer, element, extent: Extent::Length(pull.len) }));
        }
        let Some((buffer, cols)) = self.stored_rows(pull)? else { return Ok(None) };
        let row = (pull.get)(self, zero)?.pull(self)?;
        let element = (row.get)(self, zero)?;
        Ok(Some(StoredArray { buffer, element, extent: Extent::Shape([pull.len, cols]) }))
    }

    /// A value of the same form with other parts.
    fn host_rebuilt(&self, v: &Value, parts: &mut impl Iterator<Item = Value>) -> Value {
        match v {
            Value::Tuple(inner) => Value::Tuple(inner.iter().map(|v| self.host_rebuilt(v, parts)).collect()),
            other => parts.next().unwrap_or_else(|| other.clone()),
        }
    }

    /// A new variable or buffer of the form of a part.
    fn host_version(&mut self, part: &Part) -> Result<(ParamId, Value)> {
        match part {
            Part::Scalar(e) => {
                let (variable, value) = self.host_variable("kept", self.p.exprs.ty(*e));
                Ok((variable, Value::Scalar(value)))
            }
            Part::Array(array) => {
                let len = match array.extent {
                    Extent::Length(len) => len,
                    Extent::Shape([rows, cols]) => self.bin(BinOp::Mul, rows, cols),
                };
                let (param, stored) = self.buffer_for(&array.element, len)?;
                let pull = match array.extent {
                    Extent::Length(_) => {
                        Pull { stored: Some(param), ..Pull::new(len, move |s, i| Ok(stored.load(s, i))) }
                    }
                    Extent::Shape([rows, cols]) => Stage::rows_of(rows, cols, move |s, i| Ok(stored.load(s, i))),
                };
                Ok((param, Value::Pull(pull)))
            }
        }
    }

    /// `if` of the host's.
    pub(super) fn host_if(&mut self, cond: ExprId, then: &TExpr, els: Option<&TExpr>, f: &mut Frame) -> Result<Value> {
        let before = f.slots.clone();
        let (yes_steps, value) = self.capture_host(|s| s.eval(then, f))?;
        let yes = Side::new(value, std::mem::replace(&mut f.slots, before));
        let (no_steps, value) = self.capture_host(|s| els.map_or_else(|| Ok(Value::unit()), |e| s.eval(e, f)))?;
        let no = Side::new(value, std::mem::take(&mut f.slots));
        let (value, slots) = self.host_join(cond, (yes_steps, yes), (no_steps, no))?;
        f.slots = slots;
        Ok(value)
    }

    /// A choice of the host's between two lists of steps and what they leave; of values alone, where there are no steps. In a loop the host
    /// chooses between arrays that are stored all the same: what the loop carries stays one of them.
    pub(super) fn host_join(
        &mut self,
        cond: ExprId,
        (then, yes): (Vec<HostStep>, Side),
        (els, no): (Vec<HostStep>, Side),
    ) -> Result<(Value, Vec<Option<Value>>)> {
        let has_steps = !(then.is_empty() && els.is_empty());
        if !has_steps && !self.chooses_stored(cond, &yes, &no)? {
            return self.join(cond, yes, no);
        }
        let cond = self.host_known(cond, "the condition of this `if`, one side of which launches or fetches,")?;
        let mut branch = Branch { cond, then, els, buffers: Vec::new(), values: Vec::new() };
        let mut either = |s: &mut Stage, a: &Value, b: &Value| {
            if has_steps || s.differ_and_are_stored(a, b)? {
                s.host_either(a, b, &mut branch)
            } else {
                s.merge(cond, a, b)
            }
        };
        let value = either(self, &yes.value, &no.value)?;
        let mut slots = Vec::with_capacity(no.slots.len());
        for pair in yes.slots.into_iter().zip(no.slots) {
            slots.push(match pair {
                (Some(a), Some(b)) => Some(either(self, &a, &b)?),
                _ => None,
            });
        }
        self.host_step(StepKind::If(branch));
        Ok((value, slots))
    }

    /// Whether an `if` in a loop or in another `if` gives one of two arrays that are stored, by what the host knows.
    fn chooses_stored(&mut self, cond: ExprId, yes: &Side, no: &Side) -> Result<bool> {
        if self.host.depth == 0 || !self.p.exprs.known_at_launch(cond) {
            return Ok(false);
        }
        let slots = yes.slots.iter().zip(&no.slots).filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?)));
        for (a, b) in slots.chain([(&yes.value, &no.value)]) {
            if self.differ_and_are_stored(a, b)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn differ_and_are_stored(&mut self, a: &Value, b: &Value) -> Result<bool> {
        let (Value::Pull(x), Value::Pull(y)) = (a, b) else { return Ok(false) };
        Ok(!a.same(b) && self.stored_array(x)?.is_some() && self.stored_array(y)?.is_some())
    }

    /// What is one of two values after a branch.
    fn host_either(&mut self, a: &Value, b: &Value, branch: &mut Branch<Launch, ParamId>) -> Result<Value> {
        if a.same(b) {
            return Ok(a.clone());
        }
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for (side, parts) in [(a, &mut yes), (b, &mut no)] {
            self.host_parts(side, "both sides of an `if` of the host's give", parts)?;
        }
        let mut joined = Vec::new();
        for pair in yes.into_iter().zip(no) {
            joined.push(match pair {
                (Part::Scalar(x), Part::Scalar(y)) => {
                    let (result, value) = self.host_version(&Part::Scalar(x))?;
                    branch.values.push(Joined { result, then: x, els: y });
                    value
                }
                (Part::Array(x), Part::Array(y)) => {
                    let (then, els) = (x.buffer, y.buffer);
                    let extent = self.either_extent(x.extent, y.extent, branch);
                    let (result, value) = self.host_version(&Part::Array(StoredArray { extent, ..x }))?;
                    branch.buffers.push(Joined { result, then, els });
                    value
                }
                _ => return Err(self.error("OB099", "the sides of a branch differ in form; please report this")),
            });
        }
        Ok(self.host_rebuilt(a, &mut joined.into_iter()))
    }

    /// How many elements one of two arrays has.
    fn either_extent(&mut self, then: Extent, els: Extent, branch: &mut Branch<Launch, ParamId>) -> Extent {
        let mut either = |then, els, name| {
            if then == els {
                return then;
            }
            let (result, joined) = self.host_variable(name, ScalarType::U32);
            branch.values.push(Joined { result, then, els });
            self.note_chosen(result, [branch.cond, then, els]);
            joined
        };
        match (then, els) {
            (Extent::Shape(then), Extent::Shape(els)) => {
                Extent::Shape([either(then[0], els[0], "rows"), either(then[1], els[1], "cols")])
            }
            (Extent::Length(then), Extent::Length(els)) => Extent::Length(either(then, els, "len")),
            // Types tell arrays from matrices.
            (then, _) => then,
        }
    }

    /// Notes what a variable is that a branch has joined, if the arguments alone say it: the condition, and both sides.
    fn note_chosen(&mut self, variable: ParamId, parts: [ExprId; 3]) {
        let [cond, then, els] = parts.map(|part| self.of_arguments(part));
        if self.is_of_arguments(&[cond, then, els]) {
            let chosen = self.p.exprs.select(cond, then, els);
            self.host.chosen.insert(variable, chosen);
        }
    }

    /// An expression with what the arguments have chosen in the place of the variables that hold it. A launch computes with these: written out, a
    /// choice of choices doubles with each.
    pub(super) fn of_arguments(&mut self, e: ExprId) -> ExprId {
        let mut new: HashMap<ExprId, ExprId> = HashMap::default();
        for id in walk::reachable(&self.p.exprs, [e], |_| false) {
            let made = match self.p.exprs.expr(id) {
                Expr::Scalar(variable) => self.host.chosen.get(&variable).copied().unwrap_or(id),
                _ => walk::rebuild(&mut self.p.exprs, id, |operand| new[&operand]),
            };
            new.insert(id, made);
        }
        new[&e]
    }
}
