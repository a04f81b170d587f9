//! Takes a draft apart: each launch becomes a program of its own, whose parameters are the buffers and scalars that it needs.
//!
//! Of the launch values of the host a kernel knows only what it is given. The length of a buffer that it takes stays a
//! length; any other length or scalar argument becomes a scalar. What the lengths have to do with one another, and what the
//! host has checked, a kernel that can say so checks again: proofs may then use it, and a launch stays safe by itself.

mod host;

use super::{Draft, Launch, Module};
use crate::program::{
    Array, ArrayId, BinOp, Block, Coordinate, Expr, ExprId, Exprs, LaunchCheck, Param, ParamId, ParamKind, Program,
    Space, Stmt, VarId, walk,
};
use crate::tables::{HashMap, HashSet};

/// Takes a draft apart.
pub fn cut(draft: &Draft) -> Module {
    host::Host::new(draft).module(draft)
}

/// What a kernel is given, in the workspace's terms.
enum Given {
    Buffer(ParamId),
    Scalar(ExprId),
}

/// A kernel, being made.
struct Kernel<'w> {
    w: &'w Program,
    launch: &'w Launch,
    k: Program,
    copier: Copier,
    args: Vec<Given>,
}

impl<'w> Kernel<'w> {
    /// The program of a launch, and what it is given.
    fn of(w: &'w Program, given: usize, launch: &'w Launch) -> (Program, Vec<Given>) {
        let k = Program { shared_limit: w.shared_limit, options: w.options, ..Program::new(&*launch.name, w.threads) };
        let mut kernel = Kernel { w, launch, k, copier: Copier::default(), args: Vec::new() };
        let taken = kernel.taken();
        kernel.take_buffers(given, &taken);
        let roots = kernel.roots();
        let lengths = kernel.lengths(&taken, &roots);
        kernel.take_scalars(&roots);
        kernel.take_arrays();
        kernel.k.body = kernel.block(&launch.body);
        kernel.k.blocks = kernel.copy(launch.blocks);
        kernel.write_outputs();
        let (checks, mut k) = (kernel.checks(lengths), kernel.k);
        k.checks = checks;
        (k, kernel.args)
    }

    fn copy(&mut self, e: ExprId) -> ExprId {
        self.copier.copy(&self.w.exprs, &mut self.k.exprs, e)
    }

    /// How much of each array is written. Of what the launch does not know nothing may be read.
    fn copy_filled(&mut self) {
        let copied: Vec<(ArrayId, ArrayId)> = self.copier.arrays.iter().map(|(&old, &new)| (old, new)).collect();
        for (old, new) in copied {
            let Some(filled) = self.w.array(old).filled else { continue };
            let known =
                walk::reachable(&self.w.exprs, [filled], |_| false).into_iter().all(|e| match self.w.exprs.expr(e) {
                    Expr::Var(var) => self.copier.vars.contains_key(&var),
                    Expr::Load(array, _) => self.copier.arrays.contains_key(&array),
                    _ => true,
                });
            let filled = if known { self.copy(filled) } else { self.k.exprs.u32(0) };
            self.k.arrays[new.0 as usize].filled = Some(filled);
        }
    }

    /// The buffers that it reads or updates, in the order in which they were made.
    fn taken(&self) -> Vec<ParamId> {
        let param = |array: ArrayId| match self.w.array(array).space {
            Space::Global(param) => Some(param).filter(|param| !self.launch.outputs.contains(param)),
            _ => None,
        };
        let taken: HashSet<ParamId> = self.mentioned().into_iter().filter_map(param).collect();
        let mut taken: Vec<ParamId> = taken.into_iter().collect();
        taken.sort_unstable();
        taken
    }

    /// The arrays that it has to do with.
    fn mentioned(&self) -> HashSet<ArrayId> {
        let mut arrays = HashSet::default();
        walk::mentioned(&self.w.exprs, &self.launch.body, &mut |array| {
            arrays.insert(array);
        });
        arrays.extend(walk::reachable(&self.w.exprs, self.roots(), |_| false).into_iter().filter_map(|e| {
            match self.w.exprs.expr(e) {
                Expr::Load(array, _) => Some(array),
                _ => None,
            }
        }));
        arrays
    }

    /// Makes parameters of them.
    fn take_buffers(&mut self, given: usize, taken: &[ParamId]) {
        let mut made = 0;
        let updated = updated(&self.launch.body);
        for &param in taken {
            let declared = self.w.param(param);
            let Some(arrays) = arrays_of(&declared.kind) else { continue };
            let id = ParamId(self.k.params.len() as u32);
            // Those between launches are numbered anew, so that equal kernels have equal texts.
            let name = if (param.0 as usize) < given {
                declared.name.clone()
            } else {
                made += 1;
                format!("t{made}")
            };
            let name = free_name(&self.k, name);
            let new = take_arrays(self.w, arrays, id, &mut self.k, &mut self.copier);
            name_arrays(&mut self.k, &new, &name);
            let old = arrays.first().map(|&a| self.w.array(a).len);
            let known = old.and_then(|len| self.w.exprs.as_u32(len));
            let len = match known {
                Some(n) => self.k.exprs.u32(n),
                None => self.k.exprs.input_len(id),
            };
            for &array in &new {
                self.k.arrays[array.0 as usize].len = len;
            }
            if let (None, Some(old)) = (known, old) {
                // The first of several that are equally long stands for their length.
                self.copier.map.entry(old).or_insert(len);
            }
            let kind = if arrays.iter().any(|a| updated.contains(a)) {
                ParamKind::InOut { arrays: new, len: known }
            } else {
                ParamKind::Input { arrays: new, len: known }
            };
            self.k.params.push(Param { shape: declared.shape, ..Param::new(name, kind) });
            self.args.push(Given::Buffer(param));
        }
    }

    /// All that it evaluates.
    fn roots(&self) -> Vec<ExprId> {
        let mut roots = vec![self.launch.blocks];
        roots.extend(walk::evaluated(&self.launch.body));
        roots.extend(self.launch.checks.iter().flat_map(|check| [check.cond, check.found]));
        roots.extend(self.launch.outputs.iter().filter_map(|&id| output_len(self.w, id)));
        with_coordinates(&self.w.exprs, roots)
    }

    /// The lengths of buffers that are made of others: where the kernel sees what of, a length is that sum, and the launch checks
    /// that the buffer has it; else it is the buffer's length and nothing more.
    fn lengths(&mut self, taken: &[ParamId], roots: &[ExprId]) -> Vec<(ExprId, ExprId)> {
        let exprs = &self.w.exprs;
        let whole = walk::reachable(exprs, roots.iter().copied(), |e| self.copier.map.contains_key(&e));
        let seen: HashSet<ExprId> = whole.into_iter().filter(|&e| is_leaf(exprs, e)).collect();
        let mut equal = Vec::new();
        for &param in taken {
            let Some(&array) = arrays_of(&self.w.param(param).kind).and_then(|arrays| arrays.first()) else { continue };
            let old = self.w.array(array).len;
            let new = self.copier.arrays[&array];
            let own = self.k.array(new).len;
            if self.k.exprs.as_u32(own).is_some() {
                continue;
            }
            // Of what the kernel knows, other lengths among it: a length can be a sum of one that is a name here.
            let stands = self.copier.map.get(&old) == Some(&own);
            if stands && !is_leaf(exprs, old) {
                self.copier.map.remove(&old);
                let inside = walk::reachable(exprs, [old], |e| self.copier.map.contains_key(&e));
                if inside.into_iter().any(|e| is_leaf(exprs, e) && !seen.contains(&e)) {
                    self.copier.map.insert(old, own);
                    continue;
                }
            }
            if !stands || !is_leaf(exprs, old) {
                equal.push((own, old));
            }
        }
        equal
    }

    /// Makes parameters of the other launch values.
    fn take_scalars(&mut self, roots: &[ExprId]) {
        let exprs = &self.w.exprs;
        let all = walk::reachable(exprs, roots.iter().copied(), |e| self.copier.map.contains_key(&e));
        for e in all {
            let (param, suffix) = match exprs.expr(e) {
                Expr::Len(param) => (param, "_len"),
                Expr::Scalar(param) => (param, ""),
                _ => continue,
            };
            let id = ParamId(self.k.params.len() as u32);
            let (name, ty) = (free_name(&self.k, format!("{}{suffix}", self.w.param(param).name)), exprs.ty(e));
            self.k.params.push(Param::new(name, ParamKind::Scalar(ty)));
            let new = self.k.exprs.scalar(id, ty);
            self.copier.map.insert(e, new);
            self.args.push(Given::Scalar(e));
        }
    }

    /// Arrays in shared memory and in registers, and the variables.
    fn take_arrays(&mut self) {
        let (arrays, mut vars) = (self.mentioned(), HashSet::default());
        walk::each(&self.launch.body, &mut |stmt| vars.extend(walk::bound(&stmt.kind)));
        for e in walk::reachable(&self.w.exprs, self.roots(), |_| false) {
            if let Expr::Var(var) = self.w.exprs.expr(e) {
                vars.insert(var);
            }
        }
        let mut vars: Vec<VarId> = vars.into_iter().collect();
        vars.sort_unstable();
        for old in vars {
            let var = self.w.var(old);
            let prefix = var.name.trim_end_matches(|c: char| c.is_ascii_digit());
            let new = self.k.new_var(prefix, var.ty, var.mutable, self.w.exprs.var_range(old));
            self.copier.vars.insert(old, new);
        }
        let mut arrays: Vec<ArrayId> = arrays.into_iter().collect();
        arrays.sort_unstable();
        for old in arrays {
            let array = self.w.array(old);
            if matches!(array.space, Space::Global(_)) {
                continue;
            }
            let len = self.copy(array.len);
            let id = ArrayId(self.k.arrays.len() as u32);
            let prefix = array.name.trim_end_matches(|c: char| c.is_ascii_digit());
            self.k.arrays.push(Array { name: format!("{prefix}{}", id.0), len, ..array.clone() });
            self.copier.arrays.insert(old, id);
        }
        self.copy_filled();
        for (i, &out) in self.launch.outputs.iter().enumerate() {
            let Some(arrays) = arrays_of(&self.w.param(out).kind) else { continue };
            let id = ParamId((self.k.params.len()) as u32);
            let name = free_name(&self.k, if i == 0 { "out".to_string() } else { format!("out{i}") });
            let new = take_arrays(self.w, arrays, id, &mut self.k, &mut self.copier);
            name_arrays(&mut self.k, &new, &name);
            let len = self.k.exprs.u32(0);
            let kind = ParamKind::Output { arrays: new, len };
            self.k.params.push(Param { shape: self.w.param(out).shape, ..Param::new(name, kind) });
        }
    }

    /// The lengths of the outputs, once all that they are made of has its place.
    fn write_outputs(&mut self) {
        let first = self.k.params.len() - self.launch.outputs.len();
        for (&out, i) in self.launch.outputs.iter().zip(first..) {
            let Some(old) = output_len(self.w, out) else { continue };
            let new = self.copy(old);
            if let ParamKind::Output { arrays, len } = &mut self.k.params[i].kind {
                *len = new;
                arrays.iter().for_each(|a| self.k.arrays[a.0 as usize].len = new);
            }
        }
    }

    fn checks(&mut self, lengths: Vec<(ExprId, ExprId)>) -> Vec<LaunchCheck> {
        let mut checks = self.copier.checks(&self.w.exprs, &mut self.k.exprs, &self.launch.checks);
        for (own, of) in lengths {
            let of = self.copy(of);
            let cond = self.k.exprs.bin(BinOp::Eq, own, of);
            let message = "the lengths of a kernel's buffers must fit one another".to_string();
            checks.push(LaunchCheck { cond, message, found: own });
        }
        for check in self.w.checks.iter().chain(&self.launch.known) {
            let leaves =
                walk::reachable(&self.w.exprs, [check.cond, check.found], |e| self.copier.map.contains_key(&e));
            if leaves.into_iter().all(|e| !is_leaf(&self.w.exprs, e)) {
                checks.extend(self.copier.checks(&self.w.exprs, &mut self.k.exprs, std::slice::from_ref(check)));
            }
        }
        let open = |c: &LaunchCheck| self.k.exprs.as_const(c.cond).is_none_or(|c| c.bits == 0);
        let mut kept: Vec<LaunchCheck> = Vec::new();
        for check in checks.into_iter().filter(open) {
            if !kept.contains(&check) {
                kept.push(check);
            }
        }
        kept
    }

    fn block(&mut self, body: &Block) -> Block {
        body.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let Stmt { mut kind, span, claim } = walk::shell(stmt);
        walk::direct_mut(&mut kind).for_each(|e| *e = self.copy(*e));
        walk::bound_mut(&mut kind).for_each(|var| *var = self.copier.vars[var]);
        walk::array_mut(&mut kind).into_iter().for_each(|array| *array = self.copier.arrays[array]);
        for (to, list) in walk::nested_mut(&mut kind).zip(walk::nested(&stmt.kind)) {
            *to = self.block(list);
        }
        Stmt { kind, span, claim }
    }
}

/// Expressions, and the rows and columns of the loads in them, which an index need not show; nor does a length that they are part of, since
/// the kernel may be given that as one value.
fn with_coordinates(exprs: &Exprs, mut roots: Vec<ExprId>) -> Vec<ExprId> {
    loop {
        let known: HashSet<ExprId> = roots.iter().copied().collect();
        let all = walk::reachable(exprs, roots.iter().copied(), |_| false);
        let pairs = all.into_iter().filter_map(|e| exprs.coordinates.of(e)).flatten();
        let mut more: Vec<ExprId> = pairs.flat_map(|c| [c.at, c.len]).filter(|e| !known.contains(e)).collect();
        if more.is_empty() {
            return roots;
        }
        more.sort_unstable();
        more.dedup();
        roots.extend(more);
    }
}

/// Copies expressions from one store to another.
#[derive(Default)]
struct Copier {
    map: HashMap<ExprId, ExprId>,
    vars: HashMap<VarId, VarId>,
    arrays: HashMap<ArrayId, ArrayId>,
    /// Scalars that are others there.
    scalars: HashMap<ParamId, ExprId>,
}

impl Copier {
    fn copy(&mut self, from: &Exprs, to: &mut Exprs, e: ExprId) -> ExprId {
        for id in walk::reachable(from, [e], |e| self.map.contains_key(&e)) {
            let before = to.make_for(from.origin(id));
            let new = match from.expr(id) {
                Expr::Const(c) => to.constant(c),
                Expr::Var(var) => to.var(self.vars[&var]),
                Expr::Scalar(param) => match self.scalars.get(&param) {
                    Some(&scalar) => scalar,
                    None => to.scalar(param, from.ty(id)),
                },
                Expr::Len(param) => to.input_len(param),
                Expr::Load(array, index) => to.load(self.arrays[&array], self.map[&index], from.ty(id)),
                Expr::Un(op, a) => to.un(op, self.map[&a]),
                Expr::Bin(op, a, b) => to.bin(op, self.map[&a], self.map[&b]),
                Expr::Select(c, a, b) => to.select(self.map[&c], self.map[&a], self.map[&b]),
                Expr::Cast(a) => to.cast(self.map[&a], from.ty(id)),
                Expr::Bits(a) => to.bits(self.map[&a], from.ty(id)),
                Expr::MulAdd(a, b, c) => to.mul_add(self.map[&a], self.map[&b], self.map[&c]),
                Expr::OnGpu => to.on_gpu(),
                // Only passes make these.
                Expr::Special(_) => to.u32(0),
            };
            to.make_for(before);
            to.take_place(new, from, id);
            self.map.insert(id, new);
            self.copy_coordinates(from, to, (id, new));
        }
        self.map[&e]
    }

    /// The row and the column of a load, where all that they are made of has a counterpart.
    fn copy_coordinates(&mut self, from: &Exprs, to: &mut Exprs, (load, new): (ExprId, ExprId)) {
        let Some(pair) = from.coordinates.of(load) else { return };
        let parts = walk::reachable(from, pair.iter().flat_map(|c| [c.at, c.len]), |e| self.map.contains_key(&e));
        let is_known = |e: ExprId| match from.expr(e) {
            Expr::Var(var) => self.vars.contains_key(&var),
            Expr::Load(array, _) => self.arrays.contains_key(&array),
            _ => true,
        };
        if !parts.into_iter().all(is_known) {
            return;
        }
        let pair = pair.map(|Coordinate { side, at, len }| {
            let [at, len] = [at, len].map(|e| self.copy(from, to, e));
            Coordinate { side, at, len }
        });
        to.coordinates.note(new, pair);
    }

    fn checks(&mut self, from: &Exprs, to: &mut Exprs, checks: &[LaunchCheck]) -> Vec<LaunchCheck> {
        let copied = checks.iter().map(|check| LaunchCheck {
            cond: self.copy(from, to, check.cond),
            message: check.message.clone(),
            found: self.copy(from, to, check.found),
        });
        copied.collect()
    }
}

/// The arrays of a buffer again, as those of a parameter of another program.
fn take_arrays(
    from: &Program,
    arrays: &[ArrayId],
    param: ParamId,
    to: &mut Program,
    copier: &mut Copier,
) -> Vec<ArrayId> {
    let len = arrays.first().map(|&a| from.array(a).len);
    let len = match len.and_then(|len| from.exprs.as_u32(len)) {
        Some(n) => to.exprs.u32(n),
        None => to.exprs.input_len(param),
    };
    let mut taken = Vec::new();
    for &old in arrays {
        let id = ArrayId(to.arrays.len() as u32);
        to.arrays.push(Array { len, space: Space::Global(param), ..from.array(old).clone() });
        copier.arrays.insert(old, id);
        taken.push(id);
    }
    taken
}

/// Names the arrays of a buffer after it.
fn name_arrays(p: &mut Program, arrays: &[ArrayId], name: &str) {
    for (k, &array) in arrays.iter().enumerate() {
        let name = if arrays.len() == 1 { name.to_string() } else { format!("{name}_{k}") };
        p.arrays[array.0 as usize].name = name;
    }
}

fn arrays_of(kind: &ParamKind) -> Option<&Vec<ArrayId>> {
    match kind {
        ParamKind::Input { arrays, .. } | ParamKind::InOut { arrays, .. } | ParamKind::Output { arrays, .. } => {
            Some(arrays)
        }
        ParamKind::Scalar(_) | ParamKind::Fault(_) => None,
    }
}

fn output_len(w: &Program, id: ParamId) -> Option<ExprId> {
    match w.param(id).kind {
        ParamKind::Output { len, .. } => Some(len),
        _ => None,
    }
}

fn is_leaf(exprs: &Exprs, e: ExprId) -> bool {
    matches!(exprs.expr(e), Expr::Len(_) | Expr::Scalar(_))
}

/// The arrays that code writes or updates.
fn updated(body: &Block) -> HashSet<ArrayId> {
    let mut all = HashSet::default();
    walk::each(body, &mut |stmt| {
        all.extend(walk::written(&stmt.kind));
    });
    all
}

/// The name, or a form of it that no parameter has.
fn free_name(p: &Program, name: String) -> String {
    let mut free = name;
    while p.params.iter().any(|param| param.name == free) {
        free.push('_');
    }
    free
}
