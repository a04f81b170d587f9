//! The printers: a program in, text out. A back end decides nothing that a pass could.

mod c;
pub mod cuda;
mod module_report;
pub mod opencl;
pub mod ptx;
mod report;
mod residents;
pub mod rust;

pub use module_report::module_report;

/// The name of an entry's function in the texts: the user's own, unless C, CUDA or PTX do not allow it.
pub fn symbol(name: &str) -> String {
    cuda::symbol(name)
}
