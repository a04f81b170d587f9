//! Values in types while evaluating: `const` generics, and the lengths that `Pull<T, 512>` asserts.

use std::rc::Rc;

use super::eval::Frame;
use super::value::{Func, Generics, Opened, Pull, Push, Value};
use super::{Extend, Stage};
use crate::types::{Closure, GenericArg, Lengths, TFn, TKind};
use obsidian_ir::diag::Result;
use obsidian_ir::program::{BinOp, Const, ExprId};

impl Stage {
    /// A value in a type, given the generics around it.
    pub(super) fn const_value(&mut self, code: &Rc<Closure>, generics: &Generics) -> Result<Const> {
        let f = Func::Closure { code: code.clone(), captured: Rc::new([]), generics: generics.clone(), maker: None };
        let span = code.body.span;
        self.at(span, |s| {
            let value = s.apply(&f, Vec::new())?.scalar(s)?;
            s.p.exprs
                .as_const(value)
                .ok_or_else(|| s.error("OB099", "a value in a type is not known; please report this"))
        })
    }

    /// Demands that every `const` generic has a value.
    pub(super) fn settled(&self, decl: &TFn, f: &Frame) -> Result<()> {
        let open = |i: u32| matches!(f.generics.get(i as usize), Some(GenericArg::Other));
        match decl.consts.iter().find(|(i, _)| open(*i)) {
            None => Ok(()),
            Some((_, name)) => Err(self
                .error("OB019", format!("nothing says what `{name}` of `{}` is here", decl.name))
                .map_help("give it in the call, `f::<8, _>(..)`; or let the type of a parameter have that length: `Pull<T, N>`")),
        }
    }

    /// Checks a value against the lengths of its type. A `const` generic that is still open becomes the length found.
    pub(super) fn sized(&mut self, v: Value, lengths: &Lengths, f: &mut Frame) -> Result<Value> {
        match (v, lengths) {
            (v, Lengths::Any) => Ok(v),
            (Value::Tuple(parts), Lengths::Tuple(each)) => {
                let parts =
                    parts.iter().zip(each).map(|(v, l)| self.sized(v.clone(), l, f)).collect::<Result<Vec<_>>>()?;
                Ok(Value::Tuple(parts.into()))
            }
            (Value::Pull(a), Lengths::Array(own, inner)) => {
                let len = match own {
                    Some(code) => self.assert_len(a.len, code, f)?,
                    None => a.len,
                };
                let a = Pull { len, ..a };
                if matches!(**inner, Lengths::Any) {
                    return Ok(Value::Pull(a));
                }
                self.with_sized_elements(a, inner, f).map(Value::Pull)
            }
            (Value::Pull(a), Lengths::AtMost(code, inner)) => {
                let most = self.const_value(code, &f.generics)?;
                self.assert_at_most(a.len, most)?;
                if matches!(**inner, Lengths::Any) {
                    return Ok(Value::Pull(a));
                }
                self.with_sized_elements(a, inner, f).map(Value::Pull)
            }
            (Value::Push(a), Lengths::Array(Some(code), _)) => self.sized_push(a, code, f).map(Value::Push),
            (v, _) => Ok(v),
        }
    }

    /// The same array, whose elements are checked against their lengths when they are asked for.
    fn with_sized_elements(&mut self, a: Pull, inner: &Rc<Lengths>, f: &mut Frame) -> Result<Pull> {
        // The first element is checked now, since it may settle a generic. The statements that it emits are dropped.
        if self.p.exprs.as_u32(a.len) != Some(0) {
            let zero = self.u32(0);
            let first = self.capture(|s| (a.get)(s, zero))?.1;
            self.sized(first, inner, f)?;
        }
        let (generics, inner) = (f.generics.clone(), inner.clone());
        Ok(Pull::new(a.len, move |s, i| {
            let v = (a.get)(s, i)?;
            s.sized(v, &inner, &mut Frame::new(0, generics.clone()))
        }))
    }

    /// A push array with a stated length, which is checked now if it is known, else when the array is opened.
    fn sized_push(&mut self, a: Push, code: &Rc<Closure>, f: &mut Frame) -> Result<Push> {
        if let Some(len) = a.len {
            self.assert_len(len, code, f)?;
            return Ok(a);
        }
        let (code, generics, span) = (code.clone(), f.generics.clone(), self.span);
        Ok(Push {
            len: None,
            stored: None,
            open: Rc::new(move |s| {
                let opened: Opened = (a.open)(s)?;
                let mut frame = Frame::new(0, generics.clone());
                s.at(span, |s| s.assert_len(opened.len, &code, &mut frame))?;
                Ok(opened)
            }),
        })
    }

    /// Demands a length, and gives it: what was known at launch only is known now.
    pub(super) fn assert_len(&mut self, found: ExprId, code: &Rc<Closure>, f: &mut Frame) -> Result<ExprId> {
        if let Some(i) = open_generic(code, f) {
            let len = self.known_len(found, "a `const` generic that stands for a length")?;
            let mut all = f.generics.to_vec();
            all[i] = GenericArg::Const(Const::u32(len));
            f.generics = all.into();
            return Ok(found);
        }
        let expected = self.const_value(code, &f.generics)?;
        let expected = self.p.exprs.constant(expected);
        let cond = self.bin(BinOp::Eq, found, expected);
        let stated = self.p.exprs.as_u32(expected).unwrap_or(0);
        let message = format!("{} must be {stated}, as the type says", self.describe(found));
        let help = "`Pull<T, 512>` and `[T; 4]` assert a length, they do not change it; `take(n)` and `split_up(n)` do";
        self.demand(cond, found, message, help)?;
        Ok(expected)
    }
}

/// If a length is a `const` generic that has no value yet: its position.
fn open_generic(code: &Closure, f: &Frame) -> Option<usize> {
    let mut body = &code.body;
    while let TKind::Block(stmts, Some(value)) = &body.kind
        && stmts.is_empty()
    {
        body = value;
    }
    match body.kind {
        TKind::ConstGeneric(i) if matches!(f.generics.get(i as usize), Some(GenericArg::Other)) => Some(i as usize),
        _ => None,
    }
}
