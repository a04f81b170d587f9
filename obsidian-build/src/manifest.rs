//! The manifest: what was built, as JSON, for programs that read no Rust.
//!
//! `{ "format": 1, "compiler": "0.1.0", "kernels": [ { "name", "file", "variants": [ { "values", "threads", "target", "parameters",
//! "arguments", "guarded", "conditions", "blocks", "texts", "binaries" } ] } ] }`. The guide's page on build scripts says what each means.

use std::fs;
use std::path::Path;

use obsidian_abi::{Language, Need, ParamValue, assertion};
use obsidian_ir::program::{ArrayId, ExprId, LaunchCheck, Math, Param, ParamKind, Program, ScalarType, print_expr};
use obsidian_lang::driver::Variant;
use obsidian_lang::expand;
use serde_json::{Map, Value, json};

use crate::emit::{self, Written};
use crate::error::{Error, Message};
use crate::expression::tree;
use crate::nvcc::Binary;

/// The format of the manifests that this version writes and reads. It changes with the meaning of a field, not where one is added.
pub const FORMAT: u64 = 1;

/// What was built.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest(Value);

impl Manifest {
    /// The name of its file.
    pub(crate) const FILE: &str = "manifest.json";

    pub(crate) fn new(kernels: Vec<Value>) -> Manifest {
        Manifest(json!({ "format": FORMAT, "compiler": env!("CARGO_PKG_VERSION"), "kernels": kernels }))
    }

    /// As it is written.
    pub(crate) fn text(&self) -> String {
        format!("{:#}\n", self.0)
    }

    /// Reads `manifest.json`.
    ///
    /// # Errors
    /// It is not there, it is not JSON, or another version of the compiler wrote it in another format.
    pub fn read(path: impl AsRef<Path>) -> Result<Manifest, Error> {
        let path = path.as_ref();
        let shown = path.display();
        let text =
            fs::read_to_string(path).map_err(|e| Message::new(format!("cannot read the manifest `{shown}`: {e}")))?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|e| Message::new(format!("the manifest `{shown}` is not JSON: {e}")))?;
        let Some(format) = value["format"].as_u64() else {
            return Err(Message::new(format!("`{shown}` is not a manifest: it does not say its `format`")).into());
        };
        if format != FORMAT {
            let by =
                value["compiler"].as_str().map_or_else(String::new, |by| format!(", written by obsidian-build {by}"));
            let message = Message::new(format!("the manifest `{shown}` has format {format}{by}"))
                .note(format!("obsidian-build {} reads format {FORMAT}", env!("CARGO_PKG_VERSION")))
                .help("build the kernels again with this version, or read it with the version that wrote it");
            return Err(message.into());
        }
        Ok(Manifest(value))
    }

    /// The kernels' names, in the order of their files.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.0["kernels"].as_array().into_iter().flatten().filter_map(|kernel| kernel["name"].as_str())
    }

    /// All of it.
    pub fn json(&self) -> &Value {
        &self.0
    }
}

/// A kernel with its variants.
pub(crate) fn kernel(name: &str, file: &Path, variants: Vec<Value>) -> Value {
    json!({ "name": name, "file": file.to_string_lossy(), "variants": variants })
}

/// A kernel's name, its file, and the variants that are wanted of it.
pub type Described<'a> = (&'a str, &'a Path, Vec<&'a Variant>);

/// What a build script writes of these kernels for other languages: names of files and what they hold.
pub fn for_other_languages(kernels: &[Described<'_>]) -> Vec<(String, String)> {
    let (mut files, mut described) = (Vec::new(), Vec::new());
    for (name, path, variants) in kernels {
        let mut one = |v: &&Variant| {
            let texts = emit::named(v, |_| true);
            let described = variant(v, &texts, &[]);
            files.extend(texts.into_iter().map(|w| (w.file, w.text.source)));
            described
        };
        let variants: Vec<Value> = variants.iter().map(&mut one).collect();
        described.push(kernel(name, path, variants));
    }
    files.push((Manifest::FILE.to_owned(), Manifest::new(described).text()));
    files
}

/// The contract of a variant, without files.
pub fn contract(v: &Variant) -> Value {
    variant(v, &[], &[])
}

/// A variant of a kernel.
pub(crate) fn variant(v: &Variant, texts: &[Written], binaries: &[(&Binary, String)]) -> Value {
    let p: &Program = &v.machine;
    let values: Map<String, Value> = v.values.iter().map(|(name, value)| (name.clone(), value_of(*value))).collect();
    let condition = |c: &LaunchCheck| json!({ "holds": print_expr(p, c.cond), "holds_tree": tree(p, c.cond), "message": assertion::plain(&c.message) });
    let text = |w: &Written| {
        json!({
            "language": language(w.text.language),
            "file": w.file,
            "symbol": w.text.symbol,
            "shared_bytes": w.text.shared_bytes,
            "rounds": w.text.rounds,
            "needs": w.text.needs.iter().map(|need| feature(*need)).collect::<Vec<_>>(),
        })
    };
    let binary = |(binary, file): &(&Binary, String)| json!({ "kind": binary.kind(), "file": file, "symbol": p.name, "gpus": binary.gpus() });
    json!({
        "values": values,
        "threads": p.threads,
        "target": p.options.target.name(),
        "fast_math": p.options.math == Math::Fast,
        "parameters": p.params.iter().map(|param| parameter(p, param)).collect::<Vec<_>>(),
        "arguments": p.params.iter().flat_map(|param| arguments(p, param)).collect::<Vec<_>>(),
        "guarded": expand::guarded(&v.native),
        "conditions": p.checks.iter().map(condition).collect::<Vec<_>>(),
        "blocks": print_expr(p, p.blocks),
        "blocks_tree": tree(p, p.blocks),
        "texts": texts.iter().map(text).collect::<Vec<_>>(),
        "binaries": binaries.iter().map(binary).collect::<Vec<_>>(),
    })
}

fn value_of(value: ParamValue) -> Value {
    match value {
        // JSON's own numbers end where 64 bits do.
        ParamValue::Int(n) => i64::try_from(n).map_or_else(|_| json!(n.to_string()), |n| json!(n)),
        ParamValue::Bool(b) => json!(b),
        ParamValue::Type(t) => json!(t.name()),
    }
}

fn feature(need: Need) -> &'static str {
    match need {
        Need::F64 => "f64",
        Need::Atomics64 => "atomics64",
        Need::RoundedDivision => "rounded_division",
        Need::Subnormals => "subnormals",
    }
}

fn language(language: Language) -> &'static str {
    match language {
        Language::Ptx => "ptx",
        Language::CudaC => "cuda_c",
        Language::Header => "c_header",
        Language::OpenClC => "opencl_c",
        Language::OpenClSubGroups => "opencl_c_sub_groups",
    }
}

/// A parameter as the author knows it. Its length is a number, an expression over the inputs' lengths and the scalars, or
/// nothing where the launch gives it.
fn parameter(p: &Program, param: &Param) -> Value {
    let types = |arrays: &[ArrayId]| arrays.iter().map(|&a| p.array(a).elem.name()).collect::<Vec<_>>();
    let (kind, elements, length) = match &param.kind {
        ParamKind::Input { arrays, len } => ("input", types(arrays), json!(len)),
        ParamKind::InOut { arrays, len } => ("updated", types(arrays), json!(len)),
        ParamKind::Scalar(ty) => ("scalar", vec![ty.name()], Value::Null),
        ParamKind::Output { arrays, len } => ("output", types(arrays), size(p, *len)),
        ParamKind::Fault(array) => ("fault", types(&[*array]), json!(2)),
    };
    let mut described = json!({ "name": param.name, "kind": kind, "elements": elements, "length": length });
    if let ParamKind::Output { len, .. } = &param.kind {
        described["length_tree"] = tree(p, *len);
    }
    described
}

fn size(p: &Program, len: ExprId) -> Value {
    p.exprs.as_u32(len).map_or_else(|| json!(print_expr(p, len)), |n| json!(n))
}

/// The arguments that a parameter is passed as, in the order of the function's own.
fn arguments(p: &Program, param: &Param) -> Vec<Value> {
    let one = |what: &str, ty: ScalarType| json!({ "parameter": param.name, "is": what, "type": ty.name() });
    let pointers = |arrays: &[ArrayId]| arrays.iter().map(|&a| one("pointer", p.array(a).elem)).collect::<Vec<_>>();
    match &param.kind {
        ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
            let mut all = pointers(arrays);
            all.extend(len.is_none().then(|| one("length", ScalarType::U32)));
            all
        }
        ParamKind::Scalar(ty) => vec![one("value", *ty)],
        ParamKind::Output { arrays, .. } => pointers(arrays),
        ParamKind::Fault(array) => pointers(&[*array]),
    }
}
