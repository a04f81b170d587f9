//! Typed AST → Program: the compile-time evaluator. Recursion, loops over known values and functions are gone after it;
//! pull and push arrays are closures of the compiler (JFP 2016 §4). Prints no target text.

mod arrays;
mod bounds;
mod builtins;
mod carried;
mod chains;
mod chunks;
mod commuting;
mod control;
mod device;
mod entry;
mod eval;
mod given;
mod host;
mod in_step;
mod iterate;
mod joins;
mod lengths;
mod loops;
mod message;
mod mutable;
mod parallel;
mod permutation;
mod registers;
mod returned;
mod rows;
mod running;
mod value;

use std::rc::Rc;
use std::sync::Arc;

pub use builtins::{BUILTINS, Builtin, THEMES};
pub use entry::{Evaluated, Staged, stage};

use crate::types::Checked;
use chunks::{Chunk, Cut, LastChunk};
use host::HostSide;
use in_step::Parts;
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::{
    Array, ArrayId, BinOp, Block, Claim, Expr, ExprId, LaunchCheck, Program, Range, ScalarType, Space, Stmt, StmtKind,
    VarId,
};
use obsidian_ir::tables::{HashMap, HashSet};
use registers::Instance;
use running::Running;
use value::Value;

/// Nested calls of functions.
const MAX_DEPTH: usize = 200;
/// The most steps of evaluation, which take some seconds in an unoptimised compiler.
const MAX_STEPS: u64 = 4_000_000;
/// The most statements of one program; `ptxas` takes more than linear time in their number.
const MAX_STATEMENTS: usize = 50_000;

/// The state of one evaluation.
pub struct Stage {
    pub(crate) p: Program,
    checked: Rc<Checked>,
    lists: Vec<Block>,
    ambient: Option<Level>,
    span: Span,
    chain: Vec<(Arc<str>, Span)>,
    /// The functions whose code is being evaluated, that of closures too, outermost first.
    running: Vec<Rc<Running>>,
    steps: u64,
    statements: usize,
    /// Why the writes that are being emitted are safe.
    claim: Claim,
    /// The number of threads, once something has asked for it.
    asked_threads: Option<u32>,
    /// What a block takes of an array that the compiler shares out, if the author says it.
    per_block: Option<u32>,
    /// Whether the compiler has shared out one.
    shared_out: bool,
    /// The last condition of an `if` that was not known.
    undecided: Option<ExprId>,
    /// The conditions of the `if`s around that the launch knows, and the sides that are being evaluated.
    given: Vec<(ExprId, bool)>,
    /// The arrays whose elements change: those of `Mut` values.
    mutable: HashSet<ArrayId>,
    /// Whether an expression loads from one of them. The answers can be kept, because an array joins that set before
    /// anything reads it.
    reads_mutable: HashMap<ExprId, bool>,
    /// The most that lengths can be which the launch is asked about.
    bounds: HashMap<ExprId, u32>,
    /// How arrays were cut into chunks, by the number of chunks.
    cuts: HashMap<ExprId, Cut>,
    /// Of that many chunks, what the one of an index is.
    placed: HashMap<(ExprId, ExprId), Chunk>,
    /// What is left of an array from the beginning of a chunk on.
    left: HashSet<ExprId>,
    /// The loop over threads of the block whose body is being evaluated.
    instance: Option<Instance>,
    /// The programs that are evaluated for several parts in step, outermost first.
    in_step: Vec<Parts>,
    /// The last chunk, while the code of its block is made.
    last_chunk: Option<LastChunk>,
    /// The names of the entry's parameters, which no other has.
    declared: Vec<String>,
    /// Of an entry at `Device`, what the host does.
    host: HostSide,
}

impl Stage {
    /// An error at the user's token that is being evaluated, with the chain of calls that leads there.
    fn error(&self, code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
        let mut d = Diagnostic::new(code, self.span, message);
        if let Some(chain) = self.call_chain() {
            d = d.note(chain);
        }
        Box::new(d)
    }

    fn call_chain(&self) -> Option<String> {
        let names: Vec<&str> = self.chain.iter().map(|(n, _)| &**n).collect();
        let shown = match names.as_slice() {
            [] => return None,
            // A library's function is named with its library, since the error is not shown at the library's text.
            [one] if !one.contains("::") => return None,
            [first, .., last] if names.len() > 6 => {
                format!("`{first}` → `{}` → .. {} calls .. → `{last}`", names[1], names.len() - 3)
            }
            all => all.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" → "),
        };
        Some(format!("in {shown}"))
    }

    /// Counts a step of evaluation.
    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(self
                .error("OB033", format!("this kernel takes more than {MAX_STEPS} steps to evaluate"))
                .map_help("loops over known values unroll while compiling; `seq_fold` and `seq_until` stay loops"));
        }
        Ok(())
    }

    /// Adds a statement to the code being made; not a loop over none.
    fn emit(&mut self, kind: StmtKind) -> Result<()> {
        if self.is_over_none(&kind) {
            return Ok(());
        }
        self.statements += 1;
        if self.statements > MAX_STATEMENTS {
            return Err(self
                .error("OB033", format!("this kernel grows beyond {MAX_STATEMENTS} statements"))
                .map_help("loops over known values unroll while compiling; `seq_fold` and `seq_until` stay loops"));
        }
        let stmt = Stmt { kind, span: self.span, claim: self.claim };
        if let Some(list) = self.lists.last_mut() {
            list.push(stmt);
        }
        Ok(())
    }

    /// Whether this is a loop that is known to have no round: nothing in it needs a proof.
    fn is_over_none(&self, kind: &StmtKind) -> bool {
        let number = |e: &ExprId| self.p.exprs.as_u32(*e);
        match kind {
            StmtKind::SeqFor { start, end, .. } => matches!((number(start), number(end)), (Some(a), Some(b)) if a >= b),
            StmtKind::ForAll { n, .. } | StmtKind::DistrPar { n, .. } => number(n) == Some(0),
            _ => false,
        }
    }

    /// Collects the statements that `f` makes.
    fn capture<R>(&mut self, f: impl FnOnce(&mut Stage) -> Result<R>) -> Result<(Block, R)> {
        self.lists.push(Vec::new());
        let result = f(self);
        let list = self.lists.pop().unwrap_or_default();
        Ok((list, result?))
    }

    /// Continues a list that [`Stage::capture`] began.
    fn resume(&mut self, list: Block, f: impl FnOnce(&mut Stage) -> Result<()>) -> Result<Block> {
        self.lists.push(list);
        let result = f(self);
        let list = self.lists.pop().unwrap_or_default();
        result.map(|()| list)
    }

    /// Evaluates under another ambient level.
    fn under<R>(&mut self, level: Level, f: impl FnOnce(&mut Stage) -> Result<R>) -> Result<R> {
        let outer = self.ambient.replace(level);
        let result = f(self);
        self.ambient = outer;
        result
    }

    /// Emits under another reason why writes are safe.
    fn claiming<R>(&mut self, claim: Claim, f: impl FnOnce(&mut Stage) -> Result<R>) -> Result<R> {
        let outer = std::mem::replace(&mut self.claim, claim);
        let result = f(self);
        self.claim = outer;
        result
    }

    /// The number of real threads of a block. Code that asks for it is evaluated again for each number.
    fn threads(&mut self) -> u32 {
        self.asked_threads = Some(self.p.threads);
        self.p.threads
    }

    fn u32(&mut self, v: u32) -> ExprId {
        self.p.exprs.u32(v)
    }

    fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.p.exprs.bin(op, a, b)
    }

    /// A loop index that runs over `0 .. n`. That of a loop over none is no number that is known.
    fn index_var(&mut self, name: &str, n: ExprId) -> (VarId, ExprId) {
        let most = self.p.exprs.range(n).hi;
        let hi = if most == 0 { 1 } else { most - 1 };
        let var = self.p.new_var(name, ScalarType::U32, false, Range::new(0, hi));
        let once = self.p.exprs.as_u32(n) == Some(1);
        (var, if once { self.u32(0) } else { self.p.exprs.var(var) })
    }

    /// A new array; its name is a prefix and a number.
    fn new_array(&mut self, prefix: &str, elem: ScalarType, len: ExprId, space: Space) -> ArrayId {
        let id = ArrayId(self.p.arrays.len() as u32);
        let name = format!("{prefix}{}", id.0);
        self.p.arrays.push(Array {
            name,
            elem,
            len,
            space,
            rows: None,
            stages: 1,
            filled: None,
            offset: None,
            span: self.span,
            stands_for: None,
        });
        id
    }

    /// A condition for the launch, or an error now if it is known not to hold.
    fn demand(&mut self, cond: ExprId, found: ExprId, message: String, help: &str) -> Result<()> {
        self.demand_told(cond, found, Told { now: message.clone(), at_launch: message }, help)
    }

    /// The same where the launch has other words for it.
    fn demand_told(&mut self, cond: ExprId, found: ExprId, told: Told, help: &str) -> Result<()> {
        let Told { now: message, at_launch } = told;
        match self.p.exprs.as_const(cond) {
            Some(c) if c.bits != 0 => Ok(()),
            None if self.is_given(cond) => Ok(()),
            Some(_) => {
                let found = self.p.exprs.as_u32(found).map_or(String::new(), |v| format!(", but it is {v}"));
                Err(self.error("OB034", format!("{message}{found}")).map_help(help))
            }
            None if self.is_open(cond) => Err(self.unknown_at_launch(
                message,
                "a launch can check lengths and scalar arguments only; test the index instead: `if i < n { .. } else { .. }`",
            )),
            None => {
                let cond = self.demanded_here(cond);
                let check = LaunchCheck { cond, message: at_launch, found };
                if self.at_host() {
                    self.host_check(check);
                } else if !self.p.checks.contains(&check) {
                    self.p.checks.push(check);
                }
                Ok(())
            }
        }
    }

    /// Whether a condition may hold or not, and a launch cannot tell.
    fn is_open(&self, cond: ExprId) -> bool {
        let exprs = &self.p.exprs;
        exprs.as_const(cond).is_none() && !self.is_given(cond) && !exprs.known_at_launch(cond)
    }

    /// The error where a launch cannot check what is demanded.
    fn unknown_at_launch(&self, message: String, help: &str) -> Box<Diagnostic> {
        self.error("OB030", message)
            .map_note("it depends on data or on a position, so it is only known when the kernel runs".to_string())
            .map_help(if self.at_host() { host::FETCH_HELP } else { help })
    }

    /// What the user would call a length.
    fn describe(&self, len: ExprId) -> String {
        if self.is_last_chunk(len) {
            return "the length of the last chunk".to_string();
        }
        match self.p.exprs.expr(len) {
            Expr::Len(param) => format!("the length of `{}`", self.p.param(param).name),
            Expr::Const(_) => "the length".to_string(),
            Expr::Bin(BinOp::Min, a, b) => {
                format!("the lesser of {} and {}", self.describe(a), self.describe(b))
            }
            _ => format!("`{}`", obsidian_ir::program::in_words(&self.p, len)),
        }
    }

    /// A length that must be known now.
    fn known_len(&self, len: ExprId, who: &str) -> Result<u32> {
        self.p.exprs.as_u32(len).ok_or_else(|| {
            let value = self.describe(len);
            let (known, help) = if self.p.exprs.loads(len) {
                ("is only known when the kernel runs", "`.pad_to(512, fill)` makes an array of a length that is known")
            } else if self.p.exprs.known_at_launch(len) {
                ("is only known at launch", "cut the array into static chunks first: `.split_up(512)`")
            } else {
                (
                    "differs from one to the other",
                    "rows of one length, whose elements are chosen, are a matrix: `mk_mat(rows, cols, |r, c| ..)`; `.pad_to(512, fill)` makes arrays of one length",
                )
            };
            self.error("OB030", format!("{who} needs a length that is known at compile time"))
                .map_note(format!("{value} {known}"))
                .map_help(help)
        })
    }
}

/// What is said where a condition does not hold.
struct Told {
    /// While compiling.
    now: String,
    /// By the launch.
    at_launch: String,
}

/// Adding to a boxed diagnostic.
trait Extend {
    fn map_help(self, help: &str) -> Self;
    fn map_note(self, note: String) -> Self;
}

impl Extend for Box<Diagnostic> {
    fn map_help(self, help: &str) -> Self {
        Box::new((*self).help(help))
    }

    fn map_note(self, note: String) -> Self {
        Box::new((*self).note(note))
    }
}

/// The error for a value of another form than a function needs. The type checker keeps it from happening.
fn confused(stage: &Stage, expected: &str, found: &Value) -> Box<Diagnostic> {
    stage
        .error("OB099", format!("the compiler expected {expected} here and found {}; please report this", found.kind()))
}
