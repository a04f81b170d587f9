//! What an entry at `Device` returns: what its launches have stored, as it is, and all else by one launch more.

use std::rc::Rc;

use super::arrays::Stored;
use super::device::arrays_of;
use super::value::{Pull, Push, Value, Writer};
use super::{Extend, Stage};
use crate::types::{EntryOutput, OutputForm};
use obsidian_ir::Level;
use obsidian_ir::diag::Result;
use obsidian_ir::program::{ElementShape, Expr, ExprId, Matrix, ParamId, Space};

impl Stage {
    /// What an entry returns: arrays that are stored as they are, and all others by one launch more.
    pub(super) fn results(
        &mut self,
        values: Vec<Value>,
        outputs: &[EntryOutput],
        given: usize,
    ) -> Result<Vec<ParamId>> {
        let mut results: Vec<Option<ParamId>> = Vec::new();
        for (v, output) in values.iter().zip(outputs) {
            let stored = match v {
                Value::Pull(m) if output.form == OutputForm::Matrix => self.stored_matrix(m, given)?,
                Value::Pull(Pull { stored, .. }) | Value::Push(Push { stored, .. }) => *stored,
                Value::Scalar(e) => self.only_element(*e),
                _ => None,
            };
            results.push(stored.filter(|p| p.0 as usize >= given && !results.contains(&Some(*p))));
        }
        if results.iter().any(Option::is_none) {
            let open: Vec<usize> = (0..results.len()).filter(|&i| results[i].is_none()).collect();
            let outer = self.begin_kernel()?;
            let mut written = Vec::new();
            let (body, ()) = self.capture(|s| {
                s.under(Level::Grid, |s| {
                    for &i in &open {
                        written.push(s.write_result(values[i].clone(), &outputs[i])?);
                    }
                    Ok(())
                })
            })?;
            self.add_launch(outer, body, written.clone())?;
            for (i, param) in open.into_iter().zip(written) {
                results[i] = Some(param);
            }
        }
        Ok(results.into_iter().flatten().collect())
    }

    /// The buffer that a launch has stored a matrix in, row after row; the host is told its shape.
    fn stored_matrix(&mut self, m: &Pull, given: usize) -> Result<Option<ParamId>> {
        let Some((param, cols)) = self.stored_rows(m)?.filter(|(param, _)| param.0 as usize >= given) else {
            return Ok(None);
        };
        self.p.params[param.0 as usize].matrix = Some(self.result_shape(Some((m.len, cols)))?);
        Ok(Some(param))
    }

    /// The buffer whose only element a scalar is.
    fn only_element(&self, e: ExprId) -> Option<ParamId> {
        let Expr::Load(array, index) = self.p.exprs.expr(e) else { return None };
        let array = self.p.array(array);
        let Space::Global(param) = array.space else { return None };
        let whole = arrays_of(self.p.param(param)) == 1 && self.p.exprs.as_u32(array.len) == Some(1);
        (whole && self.p.exprs.as_u32(index) == Some(0)).then_some(param)
    }

    fn write_result(&mut self, v: Value, output: &EntryOutput) -> Result<ParamId> {
        let push = match (output.form, v) {
            (OutputForm::Matrix, Value::Pull(m)) => self.push_of_rows(m),
            (_, v) => self.as_grid(v),
        };
        let opened = (push.open)(self)?;
        let len = self.launch_len(&opened)?;
        let (param, arrays) = self.new_buffer(&output.fields, output.tuple, len);
        if output.form == OutputForm::Matrix {
            self.p.params[param.0 as usize].matrix = Some(self.result_shape(opened.rows)?);
        }
        let shape = self.shape(&output.fields, ElementShape::Tuple);
        let stored = Stored::existing(arrays.into_iter().zip(output.fields.iter().copied()).collect(), shape);
        let writer: Writer = Rc::new(move |s, v, at| stored.assign(s, &v, at));
        (opened.write)(self, &writer)?;
        Ok(param)
    }

    /// The rows and columns of a result, which the host knows before all launches.
    fn result_shape(&mut self, rows: Option<(ExprId, ExprId)>) -> Result<Matrix> {
        let Some((rows, cols)) = rows else {
            return Err(self.error("OB099", "a matrix without rows; please report this"));
        };
        let [rows, cols] = [rows, cols].map(|side| self.of_arguments(side));
        if !self.is_of_arguments(&[rows, cols]) {
            return Err(self
                .error("OB039", "the shape of this matrix follows from what is fetched")
                .map_note("the host makes a matrix before the first launch".to_string())
                .map_help("return its elements, `m.concat()`, or let the shape follow from lengths and arguments"));
        }
        Ok(Matrix::Made { rows, cols })
    }
}
