//! The state of one printing: text so far, registers, where variables and arrays live, and which pure expressions
//! already sit in a register. Knows nothing about particular operations.

use std::fmt::Write;

use super::address::Terms;
use super::regs::{Class, Kind, Operand, Regs, memory_type, name_of};
use super::usage::Usage;
use crate::diag::Span;
use crate::passes::index::Polys;
use crate::passes::walk;
use crate::program::{ArrayId, Expr, ExprId, Program, ScalarType, Space, VarId, Writer};
use crate::tables::{HashMap, HashSet};

/// The most instructions of a loop that ptxas may unroll.
const MAX_UNROLLED: usize = 48;

/// Something that was computed and may be used again in the same scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Known {
    /// The value of a pure expression.
    Value(ExprId),
    /// The sum of the variable part of an index.
    Sum(Terms),
    /// The same in bytes, of elements of that size, as `u64`.
    Offset(Terms, u32),
    /// The address of that part of an array.
    Address(ArrayId, Terms),
}

pub(super) struct Emitter<'a> {
    pub(super) p: &'a Program,
    pub(super) usage: &'a Usage,
    pub(super) regs: Regs,
    body: Writer<Span>,
    /// Declarations of local memory.
    memory: String,
    labels: u32,
    /// The predicated branch that is being printed.
    pub(super) guard: Option<Predicated>,
    pub(super) vars: HashMap<VarId, Operand>,
    /// What immutable variables stand for.
    pub(super) lets: HashMap<VarId, ExprId>,
    /// Scalars, lengths and machine registers.
    pub(super) leaves: HashMap<Expr, Operand>,
    /// Addresses of arrays in global and local memory.
    pub(super) bases: HashMap<ArrayId, String>,
    /// Address of shared memory.
    pub(super) shared: String,
    /// Elements of local arrays that live in registers.
    pub(super) elements: HashMap<ArrayId, Vec<String>>,
    known: HashMap<Known, Operand>,
    /// What each open scope added to `known`.
    scopes: Vec<Vec<Known>>,
    pure: HashMap<ExprId, bool>,
    /// Of indices.
    pub(super) polys: Polys,
    bound: HashSet<VarId>,
}

/// A predicated branch. What it sets gets its value behind the branch, in one definition that every thread executes: a
/// register whose definitions are all predicated is alive round the whole block loop for ptxas, which then spills.
pub(super) struct Predicated {
    /// The predicate, with its `@`.
    predicate: String,
    /// The registers set so far, with their values.
    sets: Vec<Set>,
}

/// A register that a predicated branch sets.
pub(super) struct Set {
    pub(super) register: String,
    pub(super) class: Class,
    pub(super) value: Operand,
}

impl Predicated {
    pub(super) fn new(predicate: String) -> Predicated {
        Predicated { predicate, sets: Vec::new() }
    }

    pub(super) fn into_sets(self) -> Vec<Set> {
        self.sets
    }
}

impl<'a> Emitter<'a> {
    pub(super) fn new(p: &'a Program, usage: &'a Usage) -> Emitter<'a> {
        Emitter {
            p,
            usage,
            regs: Regs::default(),
            body: Writer::new(Span::NONE),
            memory: String::new(),
            labels: 0,
            guard: None,
            vars: HashMap::default(),
            lets: HashMap::default(),
            leaves: HashMap::default(),
            bases: HashMap::default(),
            shared: String::new(),
            elements: HashMap::default(),
            known: HashMap::default(),
            scopes: vec![Vec::new()],
            pure: HashMap::default(),
            polys: Polys::default(),
            bound: HashSet::default(),
        }
    }

    /// Whether the shared memory is the launch's: more than there is of static memory.
    pub(super) fn dynamic_shared(&self) -> bool {
        self.usage.any_shared(self.p) && self.p.dynamic_shared() > 0
    }

    /// The entry's declarations, and its instructions.
    pub(super) fn finish(self) -> (String, Writer<Span>) {
        let mut out = String::new();
        if self.usage.any_shared(self.p) && !self.dynamic_shared() {
            // 128 bytes, so that ptxas sees the alignment of vector accesses and may merge neighbours.
            let _ = writeln!(out, "    .shared .align 128 .b8 smem[{}];", self.p.shared_bytes.max(1));
        }
        (out + &self.memory + &self.regs.declarations() + "\n", self.body)
    }

    /// What `f` writes comes from a token of the user's, or from that of what is around it.
    pub(super) fn written_for<R>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> R) -> R {
        let around = self.body.now();
        self.body.write_for(span.or(around));
        let result = f(self);
        self.body.write_for(around);
        result
    }

    /// An instruction that every thread executes, even if the statement is guarded: it must have no effect.
    pub(super) fn ins(&mut self, text: &str) {
        let _ = writeln!(self.body, "    {text}");
    }

    /// An instruction with an effect, or one that may fault: it is executed only where the guard holds.
    pub(super) fn effect(&mut self, text: &str) {
        let _ = match &self.guard {
            Some(guard) => writeln!(self.body, "    {} {text}", guard.predicate),
            None => writeln!(self.body, "    {text}"),
        };
    }

    /// `op dst, args;` into a fresh register.
    pub(super) fn compute(&mut self, op: &str, class: Class, args: &[&dyn std::fmt::Display]) -> Operand {
        let dst = self.regs.fresh(class);
        let args: Vec<_> = args.iter().map(|a| a.to_string()).collect();
        self.ins(&format!("{op} {dst}, {};", args.join(", ")));
        Operand::temp(dst)
    }

    /// Sets the register of a variable or an element.
    pub(super) fn set(&mut self, register: &str, class: Class, value: Operand) {
        if self.guard.is_none() {
            return self.ins(&format!("mov.{} {register}, {value};", class.ty()));
        }
        // Later statements of the branch may set what the value is read from.
        let value = self.copy_if_mutable(value, class);
        let Some(guard) = &mut self.guard else { return };
        match guard.sets.iter_mut().find(|set| set.register == register) {
            Some(set) => set.value = value,
            None => guard.sets.push(Set { register: register.to_string(), class, value }),
        }
    }

    /// What a register of a variable or an element holds for the branch that is being printed.
    pub(super) fn present(&self, register: Operand) -> Operand {
        let sets = self.guard.iter().flat_map(|guard| &guard.sets);
        sets.filter(|set| set.register == register.text).map(|set| set.value.clone()).next().unwrap_or(register)
    }

    /// A label that was not used before.
    pub(super) fn fresh_label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}", self.labels)
    }

    pub(super) fn label(&mut self, name: &str) {
        let _ = writeln!(self.body, "{name}:");
    }

    /// Where the next instruction will stand.
    pub(super) fn position(&self) -> usize {
        self.body.text().len()
    }

    /// Whether the loop whose instructions begin at a position is a long one without branches inside: for rounds side by side of
    /// such a loop ptxas spills registers.
    pub(super) fn is_long(&self, from: usize) -> bool {
        let code = &self.body.text()[from..];
        code.lines().count() > MAX_UNROLLED && code.matches("bra ").count() == 1
    }

    /// Keeps ptxas from unrolling the loop whose instructions begin at a position. Source: PTX ISA, `.pragma "nounroll"`.
    pub(super) fn keep_rolled(&mut self, from: usize) {
        self.body.insert_line(from, "    .pragma \"nounroll\";\n");
    }

    /// The operand in a register.
    pub(super) fn in_reg(&mut self, x: Operand, class: Class) -> Operand {
        match x.kind {
            Kind::Imm => self.compute(&format!("mov.{}", class.ty()), class, &[&x]),
            _ => x,
        }
    }

    /// The operand with its present value: a copy if later statements may change it.
    pub(super) fn copy_if_mutable(&mut self, x: Operand, class: Class) -> Operand {
        match x.kind {
            Kind::Mutable => self.compute(&format!("mov.{}", class.ty()), class, &[&x]),
            _ => x,
        }
    }

    /// The register of `what`, if it was computed on every path to this point.
    pub(super) fn known(&self, what: &Known) -> Option<Operand> {
        self.known.get(what).cloned()
    }

    /// Notes that `what` is in `at` until the end of the scope.
    pub(super) fn note(&mut self, what: Known, at: Operand) {
        self.known.insert(what.clone(), at);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(what);
        }
    }

    /// Runs `f`, then forgets what `f` computed, because the code after it may be reached without it.
    pub(super) fn scope(&mut self, f: impl FnOnce(&mut Self)) {
        self.scopes.push(Vec::new());
        f(self);
        for what in self.scopes.pop().unwrap_or_default() {
            self.known.remove(&what);
        }
    }

    /// Binds a variable to a register. A second binding (in an unrolled copy) invalidates all that was noted before.
    pub(super) fn bind(&mut self, var: VarId, at: Operand) {
        if !self.bound.insert(var) {
            self.known.clear();
        }
        self.vars.insert(var, at);
    }

    /// Whether the expression reads neither memory nor a mutable variable.
    pub(super) fn is_pure(&mut self, id: ExprId) -> bool {
        if let Some(&known) = self.pure.get(&id) {
            return known;
        }
        let pure = match self.p.exprs.expr(id) {
            Expr::Load(..) => false,
            Expr::Var(v) => !self.p.var(v).mutable,
            e => walk::operands(e).all(|operand| self.is_pure(operand)),
        };
        self.pure.insert(id, pure);
        pure
    }

    /// Loads from an address: `op` is the instruction without its type.
    pub(super) fn load_from(&mut self, op: &str, address: &str, ty: ScalarType) -> Operand {
        let mem = memory_type(ty);
        if ty == ScalarType::Bool {
            let byte = self.defined(Class::U32);
            self.effect(&format!("{op}.{mem} {byte}, {address};"));
            return self.compute("setp.ne.u32", Class::Pred, &[&byte, &0]);
        }
        // A register wider than the type is filled by sign or zero (PTX ISA, operand size exceeding instruction size).
        let dst = self.defined(Class::of(ty));
        self.effect(&format!("{op}.{mem} {dst}, {address};"));
        Operand::temp(dst)
    }

    /// A register for what a predicated branch loads: defined where the load is not executed too.
    fn defined(&mut self, class: Class) -> String {
        let dst = self.regs.fresh(class);
        if self.guard.is_some() {
            self.ins(&format!("mov.{} {dst}, {};", class.ty(), class.zero()));
        }
        dst
    }

    /// Gives every local array its registers or its memory, and shared memory its base.
    pub(super) fn place_arrays(&mut self) {
        if self.usage.any_shared(self.p) {
            self.shared = self.compute("mov.u32", Class::U32, &[&"smem"]).text;
        }
        for (i, array) in self.p.arrays.iter().enumerate() {
            let id = ArrayId(i as u32);
            if array.space != Space::Local || !self.usage.touches(id) {
                continue;
            }
            let len = self.p.exprs.as_u32(array.len).unwrap_or(0);
            if self.usage.all_constant(id) {
                let regs = (0..len).map(|_| self.regs.fresh(Class::of(array.elem))).collect();
                self.elements.insert(id, regs);
            } else {
                let name = format!("l{i}_{}", name_of(&array.name));
                let bytes = (len * array.elem.bytes()).max(1);
                let _ = writeln!(self.memory, "    .local .align 16 .b8 {name}[{bytes}];");
                let base = self.compute("mov.u64", Class::Addr, &[&name]).text;
                self.bases.insert(id, base);
            }
        }
    }
}
