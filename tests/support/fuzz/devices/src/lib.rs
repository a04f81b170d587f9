//! Random kernels on devices: the CPU versions that the Rust back end prints, compiled by rustc and loaded, and the OpenCL
//! C, both launched by the runtime, against what the kernels mean. For tests; ships nowhere.

mod batch;
mod checks;
mod cuda;
mod opencl;

pub use checks::{Checks, Complaints, On, with_functions};
pub use cuda::Texts as CudaTexts;
pub use opencl::Texts as OpenClTexts;
