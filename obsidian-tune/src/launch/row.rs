//! The launch row of a compiled kernel, which generated code has as constants: made at run time here. Rows live until the
//! process ends, as constants do.

use obsidian_ir::passes::verify;
use obsidian_ir::program::{ArrayId, Param, ParamKind, Program, ScalarType};
use obsidian_lang::{driver, expand};
use obsidian_runtime::abi::cost::Cost;
use obsidian_runtime::abi::{self, KernelInfo, ParamInfo, Text, Variant};

use super::library;

/// The row of a kernel that was compiled to these variants, each with the text that a device takes, if one does.
pub fn of(name: &str, variants: &[driver::Variant], texts: &[Text]) -> &'static KernelInfo {
    let variants: Vec<Variant> = variants.iter().enumerate().map(|(i, v)| variant(v, texts.get(i), 0)).collect();
    Box::leak(Box::new(KernelInfo { name: name.to_string().leak(), variants: variants.leak() }))
}

/// The row of one variant by itself, with all its texts.
pub fn of_texts(name: &str, v: &driver::Variant, texts: Vec<Text>) -> &'static KernelInfo {
    let variant = Variant { texts: texts.leak(), ..variant(v, None, 0) };
    Box::leak(Box::new(KernelInfo { name: name.to_string().leak(), variants: vec![variant].leak() }))
}

/// The row of the kernel of a module that has this place.
pub(super) fn of_kernel(kernel: &driver::Variant, text: Option<&Text>, place: usize) -> KernelInfo {
    let name = kernel.native.name.clone().leak();
    KernelInfo { name, variants: vec![variant(kernel, text, place)].leak() }
}

fn variant(v: &driver::Variant, text: Option<&Text>, place: usize) -> Variant {
    let guarded: Vec<&'static str> = expand::guarded(&v.native).into_iter().map(|name| &*name.leak()).collect();
    let (native, geometry) = library::PLACES[place];
    Variant {
        values: v.values.iter().map(|(name, value)| (&*name.clone().leak(), *value)).collect::<Vec<_>>().leak(),
        params: v.native.params.iter().filter_map(|p| param(&v.native, p)).collect::<Vec<_>>().leak(),
        threads: v.native.threads,
        ir: "",
        report: "",
        cost: &Cost::UNKNOWN,
        texts: text.copied().into_iter().collect::<Vec<_>>().leak(),
        guarded: guarded.leak(),
        parts: verify::parts(&v.native).leak(),
        geometry,
        native,
    }
}

/// A parameter as it is declared; none of those that only the compiler knows.
pub(super) fn param(program: &Program, param: &Param) -> Option<ParamInfo> {
    let fields = |arrays: &[ArrayId]| arrays.iter().map(|&a| program.array(a).elem).collect();
    let (kind, fields): (_, Vec<ScalarType>) = match &param.kind {
        ParamKind::Input { arrays, len } => (abi::ParamKind::Input(*len), fields(arrays)),
        ParamKind::InOut { arrays, len } => (abi::ParamKind::InOut(*len), fields(arrays)),
        ParamKind::Scalar(ty) => (abi::ParamKind::Scalar, vec![*ty]),
        ParamKind::Output { arrays, .. } => (abi::ParamKind::Output, fields(arrays)),
        ParamKind::Fault(_) => return None,
    };
    Some(ParamInfo { name: param.name.clone().leak(), kind, fields: fields.leak() })
}
