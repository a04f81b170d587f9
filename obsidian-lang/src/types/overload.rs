//! Overloads: which of several functions of one name a call means, by the level of the code around it, if it has one, the number of
//! its arguments and the form of the first. In: the candidates and the arguments. Out: the function that is meant, and the first
//! argument if it was checked on the way.

use super::arena::{Lvl, LvlId, Ty};
use super::check::{Callee, Checker};
use super::convert::{Mode, ParamTy, program_type};
use super::typed::TExpr;
use crate::syntax::ast::{Expr, Name, Pat, TypeExpr, TypeKind};
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result};

/// What overloads are told apart by: the first argument is a pull array, one of pull arrays, one of mutable arrays, a push array, a
/// mutable array, or another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Head {
    Pull,
    Rows,
    Muts,
    Push,
    Mut,
    Other,
}

/// An argument that was checked to choose the overload.
pub(super) struct FirstArg {
    expr: TExpr,
    by_name: Option<LvlId>,
}

impl Checker<'_> {
    /// Those of several functions of one name that the code around may mean: at `Device` those that run there, where there are
    /// any, and elsewhere the others. So a name that means the same at every level may be another function at `Device`.
    fn at_this_level(&self, candidates: &[Callee]) -> Vec<Callee> {
        let ambient = self.cx.ambient.map(|level| self.types.find_lvl(level).1);
        let here = ambient == Some(&Lvl::Known(Level::Device));
        let fits = candidates.iter().copied().filter(|&c| runs_on_device(&self.decl(c).ret) == here);
        let fits: Vec<Callee> = fits.collect();
        if fits.is_empty() { candidates.to_vec() } else { fits }
    }

    /// Whether code at the level around means a program. At `Grid` nothing computes, and what gives an array there is a delayed one.
    fn means_a_program(&self, mut candidates: impl Iterator<Item = Callee>) -> bool {
        let Some(ambient) = self.cx.ambient.map(|level| self.types.find_lvl(level).1) else { return false };
        let computes = !matches!(ambient, Lvl::Known(Level::Grid | Level::Device));
        let delayed = |ret| program_type(ret).is_none() && matches!(head_of(ret), Head::Pull | Head::Rows);
        computes || !candidates.any(|c| delayed(&self.decl(c).ret))
    }

    /// Whether a function of this name runs at `Device`.
    pub(super) fn is_on_device(&self, name: &str) -> bool {
        let found = self.names.find(self.cx.home, name);
        found.is_some_and(|(callees, _)| callees.iter().any(|&c| runs_on_device(&self.decl(c).ret)))
    }

    /// Picks the overload by the level, the number of arguments and the first one's form. Of two that these do not tell apart, code at a
    /// level means the one that is a program, and pure code the other.
    pub(super) fn choose(
        &mut self,
        name: &Name,
        candidates: &[Callee],
        args: &[Expr],
    ) -> Result<(Callee, Option<FirstArg>)> {
        let candidates = &self.at_this_level(candidates);
        let fits: Vec<Callee> =
            candidates.iter().copied().filter(|&c| self.decl(c).params.len() == args.len()).collect();
        let Some(&front) = fits.first() else {
            return Err(self.wrong_count(name, candidates, args.len()));
        };
        if fits.len() == 1 || args.is_empty() {
            return Ok((front, None));
        }
        let first = match program_type(&self.decl(front).params[0].ty) {
            Some(_) => {
                let sig = self.types.signature(self.decl(front), &Mode::Fresh("", name.span))?;
                let ParamTy::ByName(level, _) = sig.params[0] else { return Ok((front, None)) };
                FirstArg { expr: self.by_name(&args[0], level)?, by_name: Some(level) }
            }
            None => FirstArg { expr: self.expr(&args[0])?, by_name: None },
        };
        let ty = match (first.by_name, self.types.find(first.expr.ty).1) {
            (Some(_), Ty::Fn(_, ret, _)) => *ret,
            _ => first.expr.ty,
        };
        let head = match self.types.find(ty).1 {
            Ty::Pull(elem, _) if matches!(self.types.find(*elem).1, Ty::Pull(..)) => Head::Rows,
            Ty::Pull(elem, _) if matches!(self.types.find(*elem).1, Ty::Mut(..)) => Head::Muts,
            Ty::Pull(..) => Head::Pull,
            Ty::Push(..) => Head::Push,
            Ty::Mut(..) => Head::Mut,
            _ => Head::Other,
        };
        let of = |head| {
            let mut with = fits.iter().copied().filter(|&c| head_of(&self.decl(c).params[0].ty) == head);
            let any = with.clone().next();
            let program = self.means_a_program(with.clone());
            with.find(|&c| program_type(&self.decl(c).ret).is_some() == program).or(any)
        };
        let chosen = of(head).or_else(|| if matches!(head, Head::Rows | Head::Muts) { of(Head::Pull) } else { None });
        Ok((chosen.unwrap_or(front), Some(first)))
    }

    /// The first argument, for the function that was chosen by it.
    pub(super) fn accept(&mut self, param: ParamTy, first: FirstArg, name: &Name) -> Result<TExpr> {
        let what = format!("argument 1 of `{}`", name.text);
        let span = first.expr.span.or(name.span);
        match (param, first.by_name) {
            (ParamTy::ByName(level, want), Some(checked_at)) => {
                self.unify_by_name(&first.expr, want, span, &what)?;
                self.unify_level(level, checked_at, span, &what)?;
            }
            (ParamTy::Value(want), _) => self.unify(want, first.expr.ty, span, &what)?,
            _ => {}
        }
        Ok(first.expr)
    }

    fn wrong_count(&self, name: &Name, candidates: &[Callee], found: usize) -> Box<Diagnostic> {
        // Several functions of the name may take the same number.
        let mut counts: Vec<String> = candidates.iter().map(|&c| self.decl(c).params.len().to_string()).collect();
        counts.dedup();
        let decl = candidates.first().map(|&c| self.decl(c));
        let params = decl.map_or(String::new(), |d| {
            let names: Vec<String> = d.params.iter().map(|p| param_name(&p.pat)).collect();
            names.join(", ")
        });
        let text = &name.text;
        let wrong = Diagnostic::new(
            "OB022",
            name.span,
            format!(
                "`{text}` takes {} {}, not {found}",
                counts.join(" or "),
                if counts == ["1"] { "argument" } else { "arguments" }
            ),
        )
        .note("a method's receiver is its first argument");
        let hides_standard = || (self.library_names)().contains(&text.as_str());
        if candidates.iter().any(|&c| self.names.is_own(c)) && hides_standard() {
            let hides = format!("this is your own `{text}`, which hides the library's");
            return Box::new(
                wrong
                    .note(hides)
                    .help(format!("`{text}({params})`; with another name for yours, the library's is seen")),
            );
        }
        Box::new(match super::foreign::of_an_array(text).filter(|_| found == 1) {
            Some(whole) => wrong.help(format!("`{text}({params})`; of all elements of an array it is `xs.{whole}()`")),
            None => wrong.help(format!("`{text}({params})`")),
        })
    }
}

/// Whether a result is that of a program at `Device`.
fn runs_on_device(ret: &TypeExpr) -> bool {
    let level = program_type(ret).map(|(level, _)| &level.kind);
    matches!(level, Some(TypeKind::Path(name, args)) if name == Level::Device.name() && args.is_empty())
}

fn head_of(t: &TypeExpr) -> Head {
    let t = program_type(t).map_or(t, |(_, inner)| inner);
    match &t.kind {
        TypeKind::Path(name, args) if is_pull(name) => match args.first().map(|elem| &elem.kind) {
            Some(TypeKind::Path(inner, _)) if is_pull(inner) => Head::Rows,
            Some(TypeKind::Path(inner, _)) if is_mut(inner) => Head::Muts,
            _ => Head::Pull,
        },
        TypeKind::Path(name, _) if name == "DMat" => Head::Rows,
        TypeKind::Path(name, _) if name == "Push" || name == "DPush" || name == "PushMat" => Head::Push,
        TypeKind::Path(name, _) if is_mut(name) => Head::Mut,
        _ => Head::Other,
    }
}

fn is_pull(name: &str) -> bool {
    matches!(name, "Pull" | "DPull" | "BPull")
}

fn is_mut(name: &str) -> bool {
    matches!(name, "Mut" | "DMut")
}

fn param_name(pat: &Pat) -> String {
    match pat {
        Pat::Var { name, .. } => name.text.clone(),
        Pat::Typed(inner, _) => param_name(inner),
        _ => "_".to_string(),
    }
}
