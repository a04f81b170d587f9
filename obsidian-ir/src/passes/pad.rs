//! Gaps: an array with [`Rows`] gets a gap after each row, and every index its place among them.
//!
//! Needs: every access in range, so it comes after `guards`; proofs are about elements, not about places. Ensures: no array
//! has rows; the length of one that had counts the gaps, but none after the last element. Source: `compute_padded`, which is
//! not in the papers.
//!
//! ```text
//! shared per Block s1: u32[64] rows of 8 by 9     shared per Block s1: u32[71]
//! s1[t] = 1                                  =>   s1[t + t / 8] = 1
//! ```

use super::walk;
use crate::program::{ArrayId, BinOp, Block, Expr, ExprId, Exprs, Program, Rows, Stmt};
use crate::tables::HashMap;

/// Puts the gaps between the rows.
pub fn run(program: &mut Program) {
    let padded = (0..program.arrays.len() as u32).map(ArrayId);
    let rows: HashMap<ArrayId, Rows> = padded.filter_map(|id| Some((id, program.array(id).rows?))).collect();
    if rows.is_empty() {
        return;
    }
    let mut pad = Pad { exprs: &mut program.exprs, rows: &rows, new: HashMap::default() };
    pad.block(&mut program.body);
    for (id, rows) in rows {
        let array = &mut program.arrays[id.0 as usize];
        array.rows = None;
        if let Some(len) = program.exprs.as_u32(array.len) {
            array.len = program.exprs.u32(rows.places(len));
        }
    }
}

struct Pad<'p> {
    exprs: &'p mut Exprs,
    rows: &'p HashMap<ArrayId, Rows>,
    /// What each expression has become.
    new: HashMap<ExprId, ExprId>,
}

impl Pad<'_> {
    fn block(&mut self, body: &mut Block) {
        for Stmt { kind, .. } in body {
            for e in walk::direct_mut(kind) {
                self.rebuild(*e);
                *e = self.new.get(e).copied().unwrap_or(*e);
            }
            walk::nested_mut(kind).for_each(|inner| self.block(inner));
            if let Some((array, index)) = walk::element_mut(kind) {
                *index = self.place(*array, *index);
            }
        }
    }

    /// Makes `root` and what it is computed from anew.
    fn rebuild(&mut self, root: ExprId) {
        let new = &self.new;
        for id in walk::reachable(self.exprs, [root], |id| new.contains_key(&id)) {
            let plain = walk::rebuild(self.exprs, id, |x| self.new.get(&x).copied().unwrap_or(x));
            self.exprs.coordinates.inherit(plain, id);
            let made = match self.exprs.expr(plain) {
                Expr::Load(array, index) if self.rows.contains_key(&array) => {
                    let place = self.place(array, index);
                    let ty = self.exprs.ty(plain);
                    let load = self.exprs.load(array, place, ty);
                    self.exprs.inherit_place(load, id);
                    load
                }
                _ => plain,
            };
            self.new.insert(id, made);
        }
    }

    /// The place of an element. Where row and column of the index are known separately, the place is computed from
    /// them: `xs[i * 32 + j]` is at `i * 33 + j`.
    fn place(&mut self, array: ArrayId, i: ExprId) -> ExprId {
        let Some(&Rows { row, pitch }) = self.rows.get(&array) else { return i };
        let e = &mut *self.exprs;
        let (n, pitch, gap) = (e.u32(row), e.u32(pitch), e.u32(pitch.saturating_sub(row)));
        let y = e.bin(BinOp::Div, i, n);
        match e.expr(y) {
            Expr::Bin(BinOp::Div | BinOp::Shr, of, _) if of == i => {
                let gaps = e.bin(BinOp::Mul, y, gap);
                e.bin(BinOp::Add, i, gaps)
            }
            _ => {
                let (x, y) = (e.bin(BinOp::Rem, i, n), e.bin(BinOp::Mul, y, pitch));
                e.bin(BinOp::Add, y, x)
            }
        }
    }
}
