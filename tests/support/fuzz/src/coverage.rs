//! What many kernels are made of: functions, operators, element types, thread counts. A count of agreeing kernels says
//! little without it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use obsidian_ir::program::ScalarType;

use crate::ast::{Expr, Going, Kernel, Numbers, Op};

/// What was met.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    /// Kernels.
    pub kernels: usize,
    /// Functions of the library, operators and forms of the language; of how many kernels.
    pub names: BTreeMap<String, usize>,
    /// Those of the kernel at hand.
    here: BTreeSet<String>,
    /// Element types of arguments and of constants.
    pub types: BTreeSet<&'static str>,
    /// Real threads of a block.
    pub threads: BTreeSet<u32>,
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, types, threads) = (self.names.len(), self.types.len(), self.threads.len());
        let all = ScalarType::ALL.len();
        let kernels = self.kernels;
        write!(f, "{kernels} kernels of {names} functions, operators and forms, {types} of {all} scalar types, ")?;
        write!(f, "{threads} numbers of threads")
    }
}

impl Coverage {
    /// Of these kernels.
    pub fn of(kernels: impl Iterator<Item = Kernel>) -> Coverage {
        let mut coverage = Coverage::default();
        for kernel in kernels {
            coverage.kernels += 1;
            coverage.threads.insert(kernel.threads);
            coverage.types.extend(kernel.inputs.iter().flat_map(|i| i.fields.iter().map(|f| f.name())));
            coverage.threads.extend(&kernel.more_threads);
            let own = |name: &str, holds: bool| holds.then(|| name.to_string());
            coverage.here.extend(own("several threads", !kernel.more_threads.is_empty()));
            coverage.here.extend(own("const items", kernel.numbers == Numbers::Named));
            coverage.here.extend(own("changes", !kernel.changes.is_empty()));
            kernel.exprs().for_each(|e| coverage.expr(e));
            for name in std::mem::take(&mut coverage.here) {
                *coverage.names.entry(name).or_default() += 1;
            }
        }
        coverage
    }

    fn expr(&mut self, e: &Expr) {
        let name = match &e.op {
            Op::Call(name) | Op::Method(name) | Op::Updates(name, ..) | Op::Interleaved(name) => (*name).to_string(),
            Op::Chunked(what, cut) => what.name(*cut).into(),
            Op::Matrix(what) => what.name().into(),
            Op::Launched(what, _) => what.name().into(),
            Op::Record(_) => "a structure".into(),
            Op::Asserted(_) => "assert!".into(),
            Op::Registers(..) => "registers".into(),
            Op::Staged(..) => "stages in flight".into(),
            Op::InTurn(..) => "halves in turn".into(),
            Op::Kept(_) => "compact and get_or".into(),
            Op::Written(_) => "mk_push".into(),
            Op::Again => "a recursion".into(),
            Op::Bump(_) => "a buffer updated".into(),
            Op::Un(op) => format!("{op:?}"),
            Op::Bin(op) => format!("{op:?}"),
            Op::Match => "a match".into(),
            Op::If if e.args[1..].iter().any(is_stored) => "a choice of stored arrays".into(),
            Op::If if e.args[2].op == Op::If && choices(e) => "an operator of choices".into(),
            Op::Listed => "an array literal".into(),
            Op::For(.., Going::Down) | Op::ForLeft(.., Going::Down) => "a loop downwards".into(),
            Op::For(.., Going::UpBy(_) | Going::DownBy(_)) | Op::ForLeft(.., Going::UpBy(_) | Going::DownBy(_)) => {
                "a loop by steps".into()
            }
            Op::ForLeft(..) => "a loop that is left".into(),
            Op::InPlace(..) => "in place".into(),
            Op::Helper(_) => "a helper".into(),
            Op::Name(_) => "a name".into(),
            Op::Apply(_) => "a parameter".into(),
            Op::For(..) if matches!(e.args[0].op, Op::Size(_)) => "unrolled".into(),
            Op::For(..) => "for".into(),
            Op::Const(c) => {
                self.types.insert(c.ty.name());
                String::new()
            }
            _ => String::new(),
        };
        if matches!(name.as_str(), "two" | "ilv") && e.args.get(1).is_some_and(stores) {
            self.here.insert("parts in step".into());
        }
        if !name.is_empty() {
            self.here.insert(name);
        }
        e.args.iter().for_each(|a| self.expr(a));
    }
}

/// Whether the three results of a choice and the one inside it are made of the same parts.
fn choices(e: &Expr) -> bool {
    let (first, second) = (&e.args[1], &e.args[2].args[1]);
    matches!((&first.op, &second.op), (Op::Bin(_), Op::Bin(_)) if first.args == second.args)
}

/// Whether a function begins by storing an array.
fn stores(f: &Expr) -> bool {
    let Some(Expr { op: Op::Let(_), args }) = f.args.first() else { return false };
    is_stored(&args[0])
}

/// Whether this is an array that is stored here.
fn is_stored(e: &Expr) -> bool {
    matches!(e.op, Op::Call(name) | Op::Method(name) if ["compute", "force", "scan"].iter().any(|first| name.starts_with(first)))
}
