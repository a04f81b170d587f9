//! The user's view of a compiled entry: its variants and their texts, and how one of them is chosen.

mod choice;

use std::fmt;

pub use choice::{Choice, Chooses, Params};
pub(crate) use choice::{select, select_module};
use obsidian_abi::cost::Cost;
use obsidian_abi::{KernelInfo, Language, ParamValue, Variant};

/// A compiled entry of a `kernel!`: what is known of it without its types.
///
/// The entry itself derefs to this, and has the methods that launch it, by values (`call`) and on buffers (`run`, `run_into`, `prepare`, `run_on`). It is a constant: any
/// number of threads may launch it at once.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    info: &'static KernelInfo,
}

impl Kernel {
    /// Wraps the constants that the macro embeds.
    #[doc(hidden)]
    pub const fn new(info: &'static KernelInfo) -> Kernel {
        Kernel { info }
    }

    /// The constants.
    #[doc(hidden)]
    pub const fn info(&self) -> &'static KernelInfo {
        self.info
    }

    /// The entry's name in source.
    pub const fn name(&self) -> &'static str {
        self.info.name
    }

    /// PTX of the first variant.
    pub const fn ptx(&self) -> &'static str {
        self.first().ptx()
    }

    /// CUDA C of the first variant.
    pub const fn cuda(&self) -> &'static str {
        self.first().cuda()
    }

    /// C header with the launch contract of the first variant's PTX and CUDA C, for host programs without Rust.
    pub const fn header(&self) -> &'static str {
        self.first().header()
    }

    /// OpenCL C of the first variant.
    pub const fn opencl(&self) -> &'static str {
        self.first().opencl()
    }

    /// OpenCL C of the first variant for devices with sub-groups of 32, where it is a program of warps.
    pub const fn opencl_sub_groups(&self) -> Option<&'static str> {
        self.first().opencl_sub_groups()
    }

    /// The printed IR of the first variant.
    pub const fn ir(&self) -> &'static str {
        self.first().ir()
    }

    /// What the first variant costs on a GPU, as a table: shared memory, barriers, requests to memory with their sectors and
    /// bank conflicts, arithmetic, occupancy. The guide's page on costs says what its lines mean.
    pub const fn report(&self) -> &'static str {
        self.first().report()
    }

    /// The same as data: shared memory, barriers, accesses with their sectors and bank conflicts, occupancy;
    /// `cost().json()` for other programs.
    pub const fn cost(&self) -> &'static Cost {
        self.first().cost()
    }

    /// Real threads per block of the first variant.
    pub const fn threads(&self) -> u32 {
        self.first().threads()
    }

    /// Shared memory per block of the first variant, in bytes.
    pub const fn shared_bytes(&self) -> u32 {
        self.first().shared_bytes()
    }

    /// All variants, in the order of the attribute; the first is the default.
    pub fn variants(&self) -> impl ExactSizeIterator<Item = KernelVariant> + use<> {
        self.info.variants.iter().map(|variant| KernelVariant { variant })
    }

    /// The default variant.
    pub(crate) const fn first(&self) -> KernelVariant {
        KernelVariant { variant: &self.info.variants[0] }
    }
}

/// One compiled form of a [`Kernel`].
#[derive(Debug, Clone, Copy)]
pub struct KernelVariant {
    variant: &'static Variant,
}

impl fmt::Display for KernelVariant {
    /// `threads = 64, SEQ = 8, T = i32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.variant.fmt(f)
    }
}

impl KernelVariant {
    /// Real threads per block.
    pub const fn threads(&self) -> u32 {
        self.variant.threads
    }

    /// The kernel's generics, and what they stand for.
    pub const fn values(&self) -> &'static [(&'static str, ParamValue)] {
        self.variant.values
    }

    /// Shared memory per block, in bytes.
    pub const fn shared_bytes(&self) -> u32 {
        match self.variant.text(Language::Ptx) {
            Some(text) => text.shared_bytes,
            None => 0,
        }
    }

    /// Name of the function in [`ptx`](Self::ptx) and [`cuda`](Self::cuda).
    pub const fn symbol(&self) -> &'static str {
        match self.variant.text(Language::Ptx) {
            Some(text) => text.symbol,
            None => "",
        }
    }

    /// The text in a language that every variant is printed in.
    const fn source(&self, language: Language) -> &'static str {
        match self.variant.text(language) {
            Some(text) => text.source,
            None => "",
        }
    }

    /// Its PTX.
    pub const fn ptx(&self) -> &'static str {
        self.source(Language::Ptx)
    }

    /// Its CUDA C.
    pub const fn cuda(&self) -> &'static str {
        self.source(Language::CudaC)
    }

    /// The C header with the launch contract of its PTX and CUDA C.
    pub const fn header(&self) -> &'static str {
        self.source(Language::Header)
    }

    /// Its OpenCL C.
    pub const fn opencl(&self) -> &'static str {
        self.source(Language::OpenClC)
    }

    /// Its OpenCL C for devices with sub-groups of 32, where it is a program of warps.
    pub const fn opencl_sub_groups(&self) -> Option<&'static str> {
        match self.variant.text(Language::OpenClSubGroups) {
            Some(text) => Some(text.source),
            None => None,
        }
    }

    /// Its printed IR.
    pub const fn ir(&self) -> &'static str {
        self.variant.ir
    }

    /// What it costs, as a table; see [`Kernel::report`].
    pub const fn report(&self) -> &'static str {
        self.variant.report
    }

    /// The same as data; see [`Kernel::cost`].
    pub const fn cost(&self) -> &'static Cost {
        self.variant.cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::SUM_CHUNKS;

    #[test]
    fn first_variant_is_the_default() {
        const KERNEL: Kernel = Kernel::new(&SUM_CHUNKS);
        assert_eq!((KERNEL.name(), KERNEL.threads(), KERNEL.shared_bytes()), ("sum_chunks", 2, 16));
        assert_eq!(KERNEL.variants().map(|variant| variant.threads()).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(KERNEL.variants().last().unwrap().symbol(), "sum_chunks_4");
    }
}
