//! The launch row of a compiled kernel, which generated code has as constants: made at run time here. Rows live until the
//! process ends, as constants do.

use obsidian_ir::backend::opencl;
use obsidian_ir::passes::verify;
use obsidian_ir::program::{Array, ArrayId, Param, ParamKind, Program, ScalarType, Space};
use obsidian_lang::driver;
use obsidian_runtime::abi::{self, KernelInfo, Need, OpenCl, ParamInfo, Variant};

use crate::loaded;

/// Whether a row holds a text for OpenCL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// None: the CPU takes it.
    None,
    /// OpenCL C.
    OpenCl,
    /// OpenCL C for a device that says that it does not round as it should; its results are compared all the same.
    OpenClRounded,
}

/// The row of a kernel that was compiled to these variants.
pub fn of(variants: &[driver::Variant], texts: Texts) -> &'static KernelInfo {
    let variants: Vec<Variant> = variants.iter().map(|v| variant(v, texts)).collect();
    Box::leak(Box::new(KernelInfo { name: "k", variants: variants.leak(), source: None }))
}

fn variant(v: &driver::Variant, texts: Texts) -> Variant {
    let group = v.group();
    let asked = |need| texts != Texts::OpenClRounded || need != Need::RoundedDivision;
    let opencl = match texts {
        Texts::None => OpenCl { source: "", symbol: "", shared_bytes: 0, needs: &[], sub_groups: None },
        Texts::OpenCl | Texts::OpenClRounded => OpenCl {
            source: opencl::print(group).leak(),
            symbol: opencl::symbol(&group.name).leak(),
            shared_bytes: group.shared_bytes,
            needs: opencl::needs(group).into_iter().filter(|n| asked(*n)).collect::<Vec<Need>>().leak(),
            // The text for all devices is the one that is asked about.
            sub_groups: None,
        },
    };
    Variant {
        values: &[],
        params: v.native.params.iter().filter_map(|p| param(&v.native, p)).collect::<Vec<_>>().leak(),
        threads: v.native.threads,
        shared_bytes: v.machine.shared_bytes,
        symbol: "k",
        ir: "",
        report: "",
        ptx: "",
        cuda: "",
        header: "",
        opencl,
        guarded: guarded(&v.native),
        parts: verify::parts(&v.native).leak(),
        geometry: loaded::geometry,
        native: loaded::native,
    }
}

fn param(program: &Program, param: &Param) -> Option<ParamInfo> {
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

/// Names for a fault's numbers; none where nothing is guarded.
fn guarded(program: &Program) -> &'static [&'static str] {
    if !program.params.iter().any(|p| matches!(p.kind, ParamKind::Fault(_))) {
        return &[];
    }
    let name = |a: &Array| -> &'static str {
        match a.space {
            Space::Global(param) => program.param(param).name.clone().leak(),
            _ => "a computed array",
        }
    };
    program.arrays.iter().map(name).collect::<Vec<_>>().leak()
}
