//! Errors of a kernel in the words of its module: kernels number the arrays between launches, the module knows what the user's code
//! calls them.

use obsidian_abi::KernelInfo;
use obsidian_abi::module::{BufferIndex, ModuleVariant};

use crate::error::Error;

/// The error of a launch of `kernel`, whose argument `at` is `buffer(at)`.
pub(super) fn in_words_of_module(
    error: Error,
    module: &ModuleVariant,
    kernel: &KernelInfo,
    buffer: impl Fn(usize) -> Option<BufferIndex>,
) -> Error {
    let Error::OutOfRange { kernel: own, array, index, len } = error else { return error };
    let params = kernel.variants.first().map_or(&[][..], |variant| variant.params);
    let in_module = |name| {
        let argument = params.iter().position(|param| param.name == name);
        let found = argument.and_then(buffer).and_then(|buffer| module.buffers.get(buffer as usize));
        found.map_or(name, |found| found.name)
    };
    Error::OutOfRange { kernel: own, array: array.renamed(in_module), index, len }
}
