//! R35. Places that differ in what is known at launch only: where a value of the launch parts the accesses to an array, what lies below it and
//! what lies from it on are two arrays, and threads meet on neither of them. Asked last, of what nothing else has proved.

use super::{Limit, Verify};
use crate::level::Level;
use crate::passes::bounds::{Parts, cuts};
use crate::passes::walk;
use crate::program::{Array, ArrayId, Block, Expr, ExprId, Program, Space};
use crate::tables::HashMap;

/// How often an array is parted, and a part of it.
pub(super) const MAX_DEPTH: u32 = 2;

impl Verify<'_> {
    /// Whether threads meet on neither part of an array, in launches within the limits of that proof, which are added.
    pub(super) fn are_parts_apart(&mut self, array: ArrayId) -> bool {
        if let Some(&known) = self.parted.get(&array) {
            return known;
        }
        let limits = self.limits_of_parts(array);
        self.parted.insert(array, limits.is_some());
        let apart = limits.is_some();
        self.limits.extend(limits.into_iter().flatten());
        apart
    }

    /// The limits within which threads meet on neither part; `None` where no cut shows that.
    fn limits_of_parts(&self, array: ArrayId) -> Option<Vec<Limit>> {
        let shared = matches!(self.p.array(array).space, Space::Global(_) | Space::Shared(Level::Block));
        if !shared || self.depth == 0 {
            return None;
        }
        cuts(self.p, array).iter().find_map(|found| {
            let (program, other) = parted(self.p, array, found);
            let mut v = Verify { depth: self.depth - 1, ..Verify::new(&program) };
            v.phases_of(&program.body);
            v.buffers();
            let settled = ![array, other].iter().any(|part| v.unsettled.contains(part));
            settled.then_some(v.limits)
        })
    }
}

/// The program with the accesses above the cut to an array of their own. What reads nothing there is the same expression, as limits name it.
fn parted(p: &Program, array: ArrayId, parts: &Parts) -> (Program, ArrayId) {
    let mut p = p.clone();
    let other = ArrayId(p.arrays.len() as u32);
    let name = format!("{}_above", p.array(array).name);
    p.arrays.push(Array { name, ..p.array(array).clone() });
    let mut body = std::mem::take(&mut p.body);
    Parter { p: &mut p, array, other, parts, new: HashMap::default() }.block(&mut body);
    p.body = body;
    (p, other)
}

struct Parter<'p> {
    p: &'p mut Program,
    array: ArrayId,
    other: ArrayId,
    parts: &'p Parts,
    /// What each expression has become.
    new: HashMap<ExprId, ExprId>,
}

impl Parter<'_> {
    fn block(&mut self, body: &mut Block) {
        for stmt in body {
            let above = walk::touch(&stmt.kind).is_some_and(|touch| self.is_above(touch.array, touch.index));
            walk::direct_mut(&mut stmt.kind).for_each(|e| *e = self.rebuilt(*e));
            if let Some((array, _)) = walk::element_mut(&mut stmt.kind).filter(|_| above) {
                *array = self.other;
            }
            walk::nested_mut(&mut stmt.kind).for_each(|inner| self.block(inner));
        }
    }

    fn is_above(&self, array: ArrayId, index: ExprId) -> bool {
        array == self.array && self.parts.above.contains(&index)
    }

    fn rebuilt(&mut self, root: ExprId) -> ExprId {
        for id in walk::reachable(&self.p.exprs, [root], |id| self.new.contains_key(&id)) {
            let expr = self.p.exprs.expr(id);
            let same = walk::operands(expr).all(|x| self.new[&x] == x);
            let mut new = if same { id } else { walk::rebuild(&mut self.p.exprs, id, |x| self.new[&x]) };
            if let (Expr::Load(array, old), Expr::Load(_, index)) = (expr, self.p.exprs.expr(new))
                && self.is_above(array, old)
            {
                let ty = self.p.exprs.ty(new);
                new = self.p.exprs.load(self.other, index, ty);
                self.p.exprs.inherit_place(new, id);
            }
            self.new.insert(id, new);
        }
        self.new[&root]
    }
}
