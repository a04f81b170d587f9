//! From expressions as they are written to those of a program: names are looked up, literals get their types.

use super::lex::Place;
use super::read::{ReadError, Reader};
use super::tree::{ArrayName, Kind, Tree, Within};
use super::{defaults, literal};
use crate::program::{ArrayId, Const, Coordinate, Expr, ExprId, ParamId, ParamKind, ScalarType, Side, UnOp};

impl Reader {
    /// The expression; `ty` is what its surroundings want, if they know.
    pub(super) fn build(&mut self, tree: &Tree, ty: Option<ScalarType>) -> Result<ExprId, ReadError> {
        let known = ty.or_else(|| self.evident_type(tree));
        let at = tree.at;
        let (expr, result) = match &tree.kind {
            Kind::Name(name) => return self.named(name, at),
            Kind::Arg(name) => return self.argument(name, at),
            Kind::Short(number) => match self.short.get(number) {
                Some(&id) => return Ok(id),
                None => return at.error(format!("there is no `${number}` up to here")),
            },
            Kind::Len(name) => {
                let param = self.param(name, at)?;
                (Expr::Len(param), ScalarType::U32)
            }
            Kind::Number(text, own) => return self.literal(text, own.or(known), at),
            Kind::OnGpu => (Expr::OnGpu, ScalarType::Bool),
            Kind::Bool(value) => (Expr::Const(Const::bool(*value)), ScalarType::Bool),
            Kind::Register(register) => {
                let hi = defaults::register(&self.p, *register);
                return Ok(self.p.exprs.special(*register, hi));
            }
            Kind::Load(array, index, sides) => {
                let array = self.array(array, at)?;
                let index = self.build(index, Some(ScalarType::U32))?;
                let load = self.p.exprs.exact(Expr::Load(array, index), self.p.array(array).elem);
                if let Some(sides) = sides {
                    let [row, column] = &**sides;
                    let pair = [self.coordinate(Side::Rows, row)?, self.coordinate(Side::Columns, column)?];
                    self.p.exprs.coordinates.note(load, pair);
                }
                return Ok(load);
            }
            Kind::Un(op, a) => {
                let a = self.build(a, known)?;
                (Expr::Un(*op, a), self.p.exprs.ty(a))
            }
            Kind::Bin(op, a, b) => {
                let outside = known.filter(|_| !op.is_comparison());
                let operands = outside.or_else(|| self.evident_type(a)).or_else(|| self.evident_type(b));
                let a = self.build(a, operands)?;
                let b = self.build(b, Some(self.p.exprs.ty(a)))?;
                let ty = if op.is_comparison() { ScalarType::Bool } else { self.p.exprs.ty(a) };
                (Expr::Bin(*op, a, b), ty)
            }
            Kind::Select(parts) => {
                let [c, a, b] = &**parts;
                let c = self.build(c, Some(ScalarType::Bool))?;
                let a = self.build(a, known)?;
                let b = self.build(b, Some(self.p.exprs.ty(a)))?;
                (Expr::Select(c, a, b), self.p.exprs.ty(a))
            }
            Kind::Cast(a, to) => (Expr::Cast(self.build(a, None)?), *to),
            Kind::Bits(a, to) => match &a.kind {
                // The bits of a constant, as they are: a NaN that has no name.
                Kind::Number(text, None) => {
                    let found = literal::parse(ScalarType::U64, text).filter(|c| c.bits >> 1 >> (to.bits() - 1) == 0);
                    let Some(c) = found else { return at.error(format!("these are no bits of {}", to.name())) };
                    (Expr::Const(Const { ty: *to, bits: c.bits }), *to)
                }
                _ => (Expr::Bits(self.build(a, None)?), *to),
            },
            Kind::MulAdd(parts) => {
                let [a, b, c] = &**parts;
                let a = self.build(a, known)?;
                let ty = self.p.exprs.ty(a);
                (Expr::MulAdd(a, self.build(b, Some(ty))?, self.build(c, Some(ty))?), ty)
            }
        };
        Ok(self.p.exprs.exact(expr, result))
    }

    fn coordinate(&mut self, side: Side, within: &Within) -> Result<Coordinate, ReadError> {
        let mut number = |tree| self.build(tree, Some(ScalarType::U32));
        Ok(Coordinate { side, at: number(&within.at)?, len: number(&within.len)? })
    }

    fn literal(&mut self, text: &str, ty: Option<ScalarType>, at: Place) -> Result<ExprId, ReadError> {
        let Some(ty) = ty else {
            return at.error(format!("nothing tells the type of `{text}`: write it, as in `7u32`"));
        };
        match literal::parse(ty, text) {
            Some(c) => Ok(self.p.exprs.exact(Expr::Const(c), ty)),
            None => at.error(format!("`{text}` is no value of {}", ty.name())),
        }
    }

    fn named(&mut self, name: &str, at: Place) -> Result<ExprId, ReadError> {
        match self.vars.get(name) {
            Some(&var) => Ok(self.p.exprs.var(var)),
            None => self.argument(name, at),
        }
    }

    fn argument(&mut self, name: &str, at: Place) -> Result<ExprId, ReadError> {
        let param = self.p.params.iter().position(|p| p.name == name && matches!(p.kind, ParamKind::Scalar(_)));
        match param.map(|i| (i, &self.p.params[i].kind)) {
            Some((i, ParamKind::Scalar(ty))) => Ok(self.p.exprs.exact(Expr::Scalar(ParamId(i as u32)), *ty)),
            _ => at.error(format!("there is no variable or scalar `{name}` up to here")),
        }
    }

    fn param(&self, name: &str, at: Place) -> Result<ParamId, ReadError> {
        let found = self.p.params.iter().position(|p| p.name == name);
        found.map_or_else(|| at.error(format!("there is no parameter `{name}`")), |i| Ok(ParamId(i as u32)))
    }

    pub(super) fn array(&self, array: &ArrayName, at: Place) -> Result<ArrayId, ReadError> {
        let all = self.arrays.get(&array.name).map_or(&[][..], Vec::as_slice);
        let mut found = all.iter().filter(|i| array.number.is_none_or(|n| n == **i));
        match (found.next(), found.next()) {
            (Some(&i), None) => Ok(ArrayId(i)),
            (Some(_), Some(_)) => at.error(format!("there are several arrays `{}`: write the number", array.name)),
            (None, _) => at.error(format!("there is no array `{}`", array.name)),
        }
    }

    /// The type that an expression shows without its surroundings.
    pub(super) fn evident_type(&self, tree: &Tree) -> Option<ScalarType> {
        match &tree.kind {
            Kind::Name(name) => match self.vars.get(name.as_str()) {
                Some(var) => Some(self.p.var(*var).ty),
                None => self.argument_type(name),
            },
            Kind::Arg(name) => self.argument_type(name),
            Kind::Short(number) => self.short.get(number).map(|id| self.p.exprs.ty(*id)),
            Kind::Len(_) | Kind::Register(_) => Some(ScalarType::U32),
            Kind::Number(_, ty) => *ty,
            Kind::Bool(_) | Kind::OnGpu => Some(ScalarType::Bool),
            Kind::Load(array, ..) => self.array(array, tree.at).ok().map(|a| self.p.array(a).elem),
            Kind::Un(UnOp::Neg, a) | Kind::Un(_, a) => self.evident_type(a),
            Kind::Bin(op, ..) if op.is_comparison() => Some(ScalarType::Bool),
            Kind::Bin(_, a, b) => self.evident_type(a).or_else(|| self.evident_type(b)),
            Kind::Select(parts) => self.evident_type(&parts[1]).or_else(|| self.evident_type(&parts[2])),
            Kind::Cast(_, ty) | Kind::Bits(_, ty) => Some(*ty),
            Kind::MulAdd(parts) => parts.iter().find_map(|part| self.evident_type(part)),
        }
    }

    fn argument_type(&self, name: &str) -> Option<ScalarType> {
        self.p.params.iter().find_map(|p| match p.kind {
            ParamKind::Scalar(ty) if p.name == name => Some(ty),
            _ => None,
        })
    }
}
