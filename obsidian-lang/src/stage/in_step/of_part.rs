//! What a program in step has given for a part whose number is a variable, as that of one part.

use std::rc::Rc;

use super::super::value::{Opened, Pull, Push, Value};
use super::super::{Extend, Stage, confused};
use obsidian_ir::diag::Result;
use obsidian_ir::passes::walk;
use obsidian_ir::program::ExprId;
use obsidian_ir::tables::HashMap;

/// The number of a part is replaced by another value, in what was made for a part of any number.
#[derive(Clone)]
pub(super) struct Replacement {
    pub(super) part: ExprId,
    pub(super) by: ExprId,
    /// Variables that are bound in each part's code alone.
    pub(super) inner: Rc<[ExprId]>,
    /// What is one value for each part, and where those of all parts are stored.
    pub(super) stored: Rc<HashMap<ExprId, ExprId>>,
}

impl Stage {
    /// What was made for a part of any number, of one.
    pub(super) fn in_part(&mut self, to: &Replacement, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::Scalar(e) => Value::Scalar(self.scalar_in_part(to, *e)?),
            Value::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|part| self.in_part(to, part)).collect::<Result<Vec<_>>>()?.into())
            }
            Value::Pull(array) => {
                let (len, to, get) = (self.scalar_in_part(to, array.len)?, to.clone(), array.get.clone());
                Value::Pull(Pull::new(len, move |s, i| {
                    let element = s.code_in_part(&to, |s| get(s, i))?;
                    s.in_part(&to, &element)
                }))
            }
            Value::Push(array) => Value::Push(self.push_in_part(to, array)?),
            other => return Err(confused(self, "scalars or arrays", other)),
        })
    }

    fn push_in_part(&mut self, to: &Replacement, array: &Push) -> Result<Push> {
        let len = array.len.map(|len| self.scalar_in_part(to, len)).transpose()?;
        let (to, open) = (to.clone(), array.open.clone());
        let open = move |s: &mut Stage| {
            let opened = s.code_in_part(&to, |s| open(s))?;
            let (len, to) = (s.scalar_in_part(&to, opened.len)?, to.clone());
            Ok(Opened::new(len, move |s, w| s.code_in_part(&to, |s| (opened.write)(s, w))))
        };
        Ok(Push { len, stored: None, open: Rc::new(open) })
    }

    fn scalar_in_part(&mut self, to: &Replacement, e: ExprId) -> Result<ExprId> {
        if self.depends(e, &to.inner) {
            return Err(self
                .error("OB037", "this value is gone when the parts are done")
                .map_note(
                    "a thread does part after part, and what it has read from a mutable array is one part's".into(),
                )
                .map_help("store what a part gives: `.compute()`"));
        }
        let e = walk::replaced(&mut self.p.exprs, e, &mut to.stored.as_ref().clone());
        Ok(walk::replaced(&mut self.p.exprs, e, &mut HashMap::from_iter([(to.part, to.by)])))
    }

    /// What `f` emits, with the number of the part replaced.
    fn code_in_part<R>(&mut self, to: &Replacement, f: impl FnOnce(&mut Stage) -> Result<R>) -> Result<R> {
        let (mut code, result) = self.capture(f)?;
        self.replace(&mut code, &mut to.stored.as_ref().clone());
        self.replace(&mut code, &mut HashMap::from_iter([(to.part, to.by)]));
        if let Some(list) = self.lists.last_mut() {
            list.extend(code);
        }
        Ok(result)
    }
}
