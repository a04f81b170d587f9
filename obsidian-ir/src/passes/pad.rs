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

/// Whether any array has gaps.
pub fn any(program: &Program) -> bool {
    program.arrays.iter().any(|array| array.rows.is_some())
}

/// The program without gaps, which cost a processor more than they gain: it has no banks, and copies rows that lie beside each other at once.
pub fn close(mut program: Program) -> Program {
    program.arrays.iter_mut().for_each(|array| array.rows = None);
    program
}

/// Puts the gaps between the rows.
pub fn run(program: &mut Program) {
    let padded = (0..program.arrays.len() as u32).map(ArrayId);
    let rows: HashMap<ArrayId, Rows> = padded.filter_map(|id| Some((id, program.array(id).rows?))).collect();
    if rows.is_empty() {
        return;
    }
    walk::remake(&mut program.exprs, &mut program.body, &mut |exprs, plain, id| {
        exprs.coordinates.inherit(plain, id);
        match exprs.expr(plain) {
            Expr::Load(array, index) if rows.contains_key(&array) => {
                let place = place(&rows, exprs, array, index);
                let ty = exprs.ty(plain);
                let load = exprs.load(array, place, ty);
                exprs.inherit_place(load, id);
                load
            }
            _ => plain,
        }
    });
    move_elements(&rows, &mut program.exprs, &mut program.body);
    for (id, rows) in rows {
        let array = &mut program.arrays[id.0 as usize];
        array.rows = None;
        if let Some(len) = program.exprs.as_u32(array.len) {
            array.len = program.exprs.u32(rows.places(len));
        }
    }
}

/// Has statements touch elements at their places among the gaps.
fn move_elements(rows: &HashMap<ArrayId, Rows>, exprs: &mut Exprs, list: &mut Block) {
    for Stmt { kind, .. } in list {
        if let Some((array, index)) = walk::element_mut(kind) {
            *index = place(rows, exprs, *array, *index);
        }
        walk::nested_mut(kind).for_each(|inner| move_elements(rows, exprs, inner));
    }
}

/// The place of an element. Where row and column of the index are known separately, the place is computed from
/// them: `xs[i * 32 + j]` is at `i * 33 + j`.
fn place(rows: &HashMap<ArrayId, Rows>, e: &mut Exprs, array: ArrayId, i: ExprId) -> ExprId {
    let Some(&Rows { row, pitch }) = rows.get(&array) else { return i };
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
