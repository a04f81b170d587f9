//! Entries: what the host passes and receives, for each combination of the entry's generics.

use std::rc::Rc;

use super::arena::{Lvl, Ty, TyId, Types};
use super::check::Checker;
use super::convert::{Mode, ParamTy, Signature};
use super::errors;
use super::typed::{
    BufferAccess, ElementShape, Entry, EntryForm, EntryInput, EntryOutput, FnId, GenericArg, HostType, HostTypes,
    OutputForm,
};
use super::variants::{Combination, combinations};
use crate::syntax::ast::{EntryAttr, FnDecl, GenericKind, Pat, TypeExpr, TypeKind};
use crate::types::Closure;
use obsidian_abi::ParamValue;
use obsidian_ir::Level;
use obsidian_ir::diag::{Diagnostic, Result, Span};
use obsidian_ir::program::{Const, ScalarType, arith};

impl Checker<'_> {
    /// An entry, its body checked.
    pub(super) fn entry(&mut self, id: FnId, decl: &FnDecl, attr: &EntryAttr) -> Result<Entry> {
        let sig = self.types.signature(decl, &Mode::Rigid)?;
        self.cx.generics = sig.names.clone();
        let combinations = combinations(decl, attr)?;
        types_are_passed(decl)?;
        let forms = combinations.into_iter().map(|c| self.form(decl, &sig, c)).collect::<Result<Vec<_>>>()?;
        let host = host_types(&self.types, decl, &sig);
        let level = level(&self.types, &sig);
        let &EntryAttr { shared, per_block, options, line_info, deny, .. } = attr;
        Ok(Entry { id, level, forms, shared, per_block, options, line_info, deny, host })
    }

    fn form(&mut self, decl: &FnDecl, sig: &Signature, combination: Combination) -> Result<EntryForm> {
        let generics: Vec<GenericArg> =
            decl.generics.iter().zip(&combination.values).map(|(g, (_, v))| argument(g.kind, *v)).collect();
        let mut inputs = Vec::new();
        for (i, (p, ty)) in decl.params.iter().zip(&sig.params).enumerate() {
            let name = match &p.pat {
                Pat::Var { name, .. } => name.text.clone(),
                _ => format!("arg{i}"),
            };
            let ParamTy::Value(ty) = *ty else { return Err(bad_input(p.ty.span)) };
            let input = self.entry_input(name, ty, &p.ty, &generics)?;
            let updates = matches!(input, EntryInput::Buffer { access: BufferAccess::Update, .. });
            if updates && level(&self.types, sig) == Level::Device {
                return Err(Box::new(
                    Diagnostic::new("OB016", p.ty.span, "an entry at `Device` does not update a buffer of the host's")
                        .note("its launches read what others have stored, and what is stored does not change")
                        .help("take a `DPull<T>` and return the new array; or update it in an entry of one kernel"),
                ));
            }
            inputs.push(input);
        }
        let outputs = entry_outputs(&self.types, sig, decl, &generics)?;
        Ok(EntryForm { generics, values: combination.values, inputs, outputs, threads: combination.threads })
    }

    fn entry_input(
        &mut self,
        name: String,
        ty: TyId,
        written: &TypeExpr,
        generics: &[GenericArg],
    ) -> Result<EntryInput> {
        if let Some(ty) = self.types.scalar_in(ty, generics) {
            return Ok(EntryInput::Scalar { name, ty });
        }
        let (elem, size, access) = match *self.types.find(ty).1 {
            Ty::Pull(elem, size) => (elem, size, BufferAccess::Read),
            Ty::Mut(elem, size) => (elem, size, BufferAccess::Update),
            _ => return Err(bad_input(written.span)),
        };
        if let (Some(elem), BufferAccess::Read) = (row_of(&self.types, elem), access) {
            let (fields, tuple) = fields(&self.types, elem, generics).ok_or_else(|| bad_input(written.span))?;
            self.has_lengths(written)?;
            let sizes = [self.stated_length(written)?, self.stated_row(written)?];
            return Ok(EntryInput::Matrix { name, fields, tuple, sizes });
        }
        let (fields, tuple) = fields(&self.types, elem, generics).ok_or_else(|| bad_input(written.span))?;
        let len = match &written.kind {
            // Of a `BPull` the number is only the most.
            TypeKind::Path(name, args) if name != "BPull" => self.length(args.get(1..).unwrap_or_default())?,
            _ => None,
        };
        if len.is_none() && !errors::is_dynamic(&self.types, size) {
            return Err(no_length(written));
        }
        Ok(EntryInput::Buffer { name, fields, tuple, len, access })
    }

    /// Demands of the type of a matrix that it says the rows and the columns that are not the host's choice: these become conditions
    /// of the launch.
    /// The length of a `Pull<T, 512>`.
    fn stated_length(&mut self, written: &TypeExpr) -> Result<Option<Rc<Closure>>> {
        match &written.kind {
            TypeKind::Path(name, args) if name == "Pull" => self.length(args.get(1..).unwrap_or_default()),
            _ => Ok(None),
        }
    }

    /// The length of each row of a matrix.
    fn stated_row(&mut self, written: &TypeExpr) -> Result<Option<Rc<Closure>>> {
        match &written.kind {
            TypeKind::Path(name, args) if name != "DMat" => {
                args.first().map_or(Ok(None), |row| self.stated_length(row))
            }
            _ => Ok(None),
        }
    }

    fn has_lengths(&mut self, written: &TypeExpr) -> Result<()> {
        let TypeKind::Path(name, args) = &written.kind else { return Ok(()) };
        if name == "Pull" && self.length(args.get(1..).unwrap_or_default())?.is_none() {
            return Err(no_length(written));
        }
        match args.first() {
            Some(row) if name != "DMat" => self.has_lengths(row),
            _ => Ok(()),
        }
    }
}

/// What a generic stands for while evaluating. `combinations` has checked the value against the kind.
fn argument(kind: GenericKind, value: ParamValue) -> GenericArg {
    match (kind, value) {
        (GenericKind::Const(ty), ParamValue::Int(v)) => GenericArg::Const(Const { ty, bits: arith::wrap(ty, v) }),
        (GenericKind::Const(ty), ParamValue::Bool(b)) => GenericArg::Const(Const { ty, bits: b.into() }),
        (_, ParamValue::Type(t)) => GenericArg::Scalar(t),
        _ => GenericArg::Other,
    }
}

/// Demands that each type generic stands in the type of a parameter: the host's buffers choose the types.
fn types_are_passed(decl: &FnDecl) -> Result<()> {
    for g in decl.generics.iter().filter(|g| matches!(g.kind, GenericKind::Type(_))) {
        if !decl.params.iter().any(|p| mentions(&p.ty, &g.name.text)) {
            let name = &g.name.text;
            return Err(Box::new(
                Diagnostic::new("OB016", g.name.span, format!("no parameter of this entry has a type with `{name}`"))
                    .note("the host's arguments say which types are meant, so it could not choose")
                    .help(format!("take a `DPull<{name}>` or a `{name}`, or write an entry for each type")),
            ));
        }
    }
    Ok(())
}

fn mentions(t: &TypeExpr, name: &str) -> bool {
    match &t.kind {
        TypeKind::Path(path, args) => path == name || args.iter().any(|a| mentions(a, name)),
        TypeKind::Tuple(parts) => parts.iter().any(|p| mentions(p, name)),
        _ => false,
    }
}

/// Which fields have the type of a generic; the host's methods are generic in these.
fn host_types(types: &Types, decl: &FnDecl, sig: &Signature) -> HostTypes {
    let is_type = |i: usize| matches!(decl.generics[i].kind, GenericKind::Type(_));
    let of = |ty: TyId| match types.find(ty).1 {
        Ty::Rigid(i, ..) => Some((0..*i as usize).filter(|&k| is_type(k)).count()),
        _ => None,
    };
    let row = |ty: TyId| row_of(types, ty);
    let fields = |ty: TyId| match types.find(ty).1 {
        Ty::Pull(elem, _) | Ty::Mut(elem, _) | Ty::Push(_, elem, _) => {
            let elem = row(*elem).unwrap_or(*elem);
            match types.find(elem).1 {
                Ty::Struct(decl) => HostType { generics: Vec::new(), structure: Some(decl.name.text.clone()) },
                Ty::Tuple(parts) => HostType { generics: parts.iter().map(|&t| of(t)).collect(), structure: None },
                _ => HostType { generics: vec![of(elem)], structure: None },
            }
        }
        Ty::Struct(decl) => HostType { generics: Vec::new(), structure: Some(decl.name.text.clone()) },
        _ => HostType { generics: vec![of(ty)], structure: None },
    };
    let inputs = sig.params.iter().flat_map(|p| {
        let (ParamTy::Value(ty) | ParamTy::ByName(_, ty)) = *p;
        let matrix = matches!(types.find(ty).1, Ty::Pull(elem, _) if row(*elem).is_some());
        // The rows and the columns of a matrix are parameters of their own.
        let dims = if matrix { 2 } else { 0 };
        std::iter::once(fields(ty)).chain(std::iter::repeat_n(HostType::default(), dims))
    });
    inputs.chain(output_types(types, sig).into_iter().map(fields)).collect()
}

/// The elements of a row of a matrix, if the type is that of a row.
fn row_of(types: &Types, ty: TyId) -> Option<TyId> {
    match types.find(ty).1 {
        Ty::Pull(elem, _) => Some(*elem),
        _ => None,
    }
}

/// The types of the outputs. Several outputs are a tuple; a program may have none.
fn output_types(types: &Types, sig: &Signature) -> Vec<TyId> {
    match types.find(sig.ret).1 {
        Ty::Tuple(ts) if sig.ambient.is_some() || !ts.is_empty() => ts.clone(),
        _ => vec![sig.ret],
    }
}

fn fields(types: &Types, elem: TyId, generics: &[GenericArg]) -> Option<(Vec<ScalarType>, ElementShape)> {
    if let Some(s) = types.scalar_in(elem, generics) {
        return Some((vec![s], ElementShape::Scalar));
    }
    match types.find(elem).1 {
        Ty::Struct(decl) => Some((decl.fields.iter().map(|(_, ty)| *ty).collect(), ElementShape::Tuple)),
        Ty::Tuple(ts) if !ts.is_empty() => {
            let fields = ts.iter().map(|&t| types.scalar_in(t, generics)).collect::<Option<Vec<_>>>()?;
            Some((fields, ElementShape::Tuple))
        }
        _ => None,
    }
}

fn entry_outputs(types: &Types, sig: &Signature, decl: &FnDecl, generics: &[GenericArg]) -> Result<Vec<EntryOutput>> {
    let outputs = output_types(types, sig);
    let known = |level, k| *types.find_lvl(level).1 == Lvl::Known(k);
    if sig.ambient.is_some_and(|level| !known(level, Level::Grid) && !known(level, Level::Device)) {
        return Err(bad_output(decl));
    }
    let stores = level(types, sig) == Level::Device;
    let output = |ty: &TyId| {
        let mut form = OutputForm::Buffer;
        let elem = match types.find(*ty).1 {
            Ty::Push(level, elem, _) if known(*level, Level::Grid) => {
                let row = row_of(types, *elem);
                form = if row.is_some() { OutputForm::Matrix } else { form };
                row.unwrap_or(*elem)
            }
            Ty::Pull(elem, _) if stores => {
                let row = row_of(types, *elem);
                form = if row.is_some() { OutputForm::Matrix } else { form };
                row.unwrap_or(*elem)
            }
            // The host gets a buffer of one element.
            Ty::Scalar(_) | Ty::Rigid(..) | Ty::Bits(_) if stores => *ty,
            Ty::Struct(_) if stores => {
                form = OutputForm::Structure;
                *ty
            }
            _ => return None,
        };
        fields(types, elem, generics).map(|(fields, tuple)| EntryOutput { fields, tuple, form })
    };
    outputs.iter().map(|ty| output(ty).ok_or_else(|| bad_output(decl))).collect()
}

/// The level of an entry's own code: `Device`, where it is a program of launches, else `Grid`.
fn level(types: &Types, sig: &Signature) -> Level {
    match sig.ambient.map(|level| types.find_lvl(level).1) {
        Some(Lvl::Known(Level::Device)) => Level::Device,
        _ => Level::Grid,
    }
}

fn no_length(written: &TypeExpr) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("OB016", written.span, "the length of this input is not given")
            .help("`DPull<T>` has the length that the host passes; `Pull<T, 512>` has exactly 512 elements"),
    )
}

fn bad_input(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("OB016", span, "an entry cannot take this")
            .note("the host passes buffers of scalars or of tuples of scalars, and scalars")
            .help("`DPull<T>`, `DMat<T>`, `Pull<T, 512>`, `DPull<Pull<T, 16>>` for rows of 16 elements, a scalar such as `f32`; `DMut<T>`, `Mut<T, 512>` for what the kernel updates"),
    )
}

fn bad_output(decl: &FnDecl) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new("OB016", decl.ret.span, "an entry cannot return this")
            .note("the host receives what a grid writes: `Push<Grid, T>`, `DPush<Grid, T>`, or a tuple of these")
            .note("an entry of several launches returns a `Program<Device, _>` of such grids, of arrays, and of scalars and structures")
            .note("an entry that only updates its `DMut` arguments returns `Program<Grid, ()>`")
            .help("make a grid, `xs.push()` is a `DPush<Grid, T>`; or one value of all elements, `reduce(xs, |a, b| a + b)` is a `Program<Device, Pull<T>>`"),
    )
}
