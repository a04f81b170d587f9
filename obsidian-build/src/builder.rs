//! What a build script calls.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use obsidian_lang::driver::Variant;
use obsidian_lang::expand::{self, CpuCode};
use proc_macro2::TokenStream;
use serde_json::Value;

use crate::emit::{self, Emit};
use crate::error::{Error, Message};
use crate::files;
use crate::kernels::{self, Kernels};
use crate::libraries;
use crate::manifest::{self, Manifest};
use crate::nvcc::{Binary, Nvcc};

/// The folder in `OUT_DIR`; `include_kernels!` of the crate `obsidian` names it too.
const FOLDER: &str = "obsidian";

/// Compiles kernel files. Paths begin at the package's folder, where cargo runs a build script.
#[derive(Debug, Clone, Default)]
#[must_use = "nothing is compiled before `compile`"]
pub struct Builder {
    files: Vec<String>,
    libraries: Vec<String>,
    emit: BTreeSet<Emit>,
    binaries: Vec<Binary>,
    out_dir: Option<PathBuf>,
    facade: Option<String>,
}

impl Builder {
    /// No files yet.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Kernel files: a path, or a pattern with `*`, `?`, `[..]` and `**`. Each file holds what stands inside `kernel! { .. }`, with one
    /// entry or several. Their names differ, as do those of the entries.
    pub fn file(mut self, pattern: impl Into<String>) -> Builder {
        self.files.push(pattern.into());
        self
    }

    /// Files of libraries, as of [`file`](Builder::file): each holds `kernel_lib! { .. }`. A `use` in a kernel or library finds them by the
    /// last segment of its path.
    pub fn libraries(mut self, pattern: impl Into<String>) -> Builder {
        self.libraries.push(pattern.into());
        self
    }

    /// Writes these, too: `[Emit::Ptx, Emit::Header]`, or [`Emit::ALL`].
    pub fn emit(mut self, kinds: impl IntoIterator<Item = Emit>) -> Builder {
        self.emit.extend(kinds);
        self
    }

    /// Has nvcc assemble each PTX for a GPU, `"sm_80"`: `NAME.sm_80.cubin`. It is found through `CUDA_HOME`, or on `PATH`.
    pub fn cubin(mut self, gpu: impl Into<String>) -> Builder {
        self.binaries.push(Binary::Cubin(gpu.into()));
        self
    }

    /// The same for several GPUs in one file, `NAME.fatbin`.
    pub fn fatbin<G: Into<String>>(mut self, gpus: impl IntoIterator<Item = G>) -> Builder {
        self.binaries.push(Binary::Fatbin(gpus.into_iter().map(Into::into).collect()));
        self
    }

    /// Writes into this folder instead of `OUT_DIR`. `include_kernels!` looks into `OUT_DIR` only.
    pub fn out_dir(mut self, folder: impl Into<PathBuf>) -> Builder {
        self.out_dir = Some(folder.into());
        self
    }

    /// The path of the crate `obsidian` where the entries are included, if it is not `::obsidian`.
    pub fn facade(mut self, path: impl Into<String>) -> Builder {
        self.facade = Some(path.into());
        self
    }

    /// Compiles everything. Cargo is told which files the result depends on.
    ///
    /// # Errors
    /// Every mistake in the files, with its place; a file that is not there, a pattern that matches none; a folder that cannot be written;
    /// nvcc where it is needed and not found, or what it says.
    pub fn compile(&self) -> Result<Manifest, Error> {
        let folder = self.folder()?;
        let facade = self.facade.as_deref().unwrap_or("::obsidian");
        let facade: TokenStream =
            facade.parse().map_err(|e| Message::new(format!("`{facade}` is not the path of a crate: {e}")))?;
        if self.files.is_empty() {
            return Err(Message::new("no kernel file is named").help("`.file(\"kernels/*.rs\")`").into());
        }
        let (libraries, files) = (files::read_all(&self.libraries), files::read_all(&self.files));
        let libraries = libraries.map_err(Error::new)?;
        let libraries = libraries::read(&libraries).map_err(Error::new)?;
        let files = files.map_err(Error::new)?;
        let kernels = kernels::compile(&files, &libraries).map_err(Error::new)?;
        files::empty_folder(&folder)?;
        self.write_items(&kernels, &facade, &folder)?;
        Ok(self.write_texts(&kernels, &folder)?)
    }

    fn folder(&self) -> Result<PathBuf, Message> {
        let given = self.out_dir.clone().or_else(|| env::var_os("OUT_DIR").map(PathBuf::from));
        let folder = given.map(|dir| dir.join(FOLDER));
        folder.ok_or_else(|| {
            Message::new("`OUT_DIR` is not set")
                .note("cargo sets it for build scripts")
                .help("call this from `build.rs`, or say where to write: `.out_dir(..)`")
        })
    }

    /// The entries of each file, and a file that brings in all of them.
    fn write_items(&self, kernels: &[Kernels<'_>], facade: &TokenStream, folder: &Path) -> Result<(), Message> {
        files::empty_folder(&folder.join("items"))?;
        let mut all = String::new();
        for Kernels { file, entries, text } in kernels {
            let name = format!("items/{}.rs", file.stem);
            let own = expand::items_under(entries, facade, CpuCode::Printed).map(|item| item.to_string() + "\n");
            let of_both = expand::of_both(text, facade).to_string() + "\n";
            let items = [same_version(facade), of_both].into_iter().chain(own);
            files::write(&folder.join(&name), &items.collect::<String>())?;
            all += &format!("include!({name:?});\n");
        }
        files::write(&folder.join("items.rs"), &all)
    }

    /// Everything for other languages.
    fn write_texts(&self, kernels: &[Kernels<'_>], folder: &Path) -> Result<Manifest, Message> {
        let nvcc = if self.binaries.is_empty() { None } else { Some(Nvcc::find()?) };
        let wanted = |kind| self.emit.contains(&kind) || nvcc.is_some() && kind == Emit::Ptx;
        if !self.emit.is_empty() || nvcc.is_some() {
            emit::check_names(kernels.iter().flat_map(|kernels| emit::each_kernel(&kernels.entries)))?;
        }
        let mut described = Vec::new();
        for Kernels { file, entries, .. } in kernels {
            let one = |v: &Variant| -> Result<Value, Message> {
                let texts = emit::texts(v, wanted, folder)?;
                let assembled = |nvcc: &Nvcc| {
                    let one = |binary| Ok((binary, nvcc.assemble(binary, &v.machine, folder)?));
                    self.binaries.iter().map(one).collect::<Result<Vec<_>, Message>>()
                };
                let binaries = nvcc.as_ref().map_or(Ok(Vec::new()), assembled)?;
                Ok(manifest::variant(v, &texts, &binaries))
            };
            for entry in &entries.kernels {
                let variants = entry.variants.iter().map(one).collect::<Result<Vec<_>, _>>()?;
                described.push(manifest::kernel(&emit::plain_name(entry), &file.path, variants));
            }
            // Of an entry at `Device` each kernel is described, under the name of its function.
            for kernel in entries.modules.iter().flat_map(|entry| &entry.variants).flat_map(|v| &v.kernels) {
                described.push(manifest::kernel(&kernel.machine.name, &file.path, vec![one(kernel)?]));
            }
        }
        let manifest = Manifest::new(described);
        if self.emit.contains(&Emit::Manifest) {
            files::write(&folder.join(Manifest::FILE), &manifest.text())?;
        }
        Ok(manifest)
    }
}

/// An item that compiles where the crate `obsidian` has the version of this one.
fn same_version(facade: &TokenStream) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let why = format!(
        "these kernels were compiled by obsidian-build {version}, and `obsidian` has another version; give both the same in Cargo.toml"
    );
    format!("const _: () = ::core::assert!({facade}::__private::is_own_version({version:?}), {why:?});\n")
}
