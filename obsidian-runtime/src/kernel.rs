//! The user's view of a compiled entry: its variants, their texts, and the options of a launch.

use crate::abi::{KernelInfo, Variant};
use crate::error::Error;
use crate::stream::Stream;

/// A compiled entry of a `kernel!`.
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

    /// OpenCL C of the first variant.
    pub const fn opencl(&self) -> &'static str {
        self.first().opencl()
    }

    /// The printed IR of the first variant.
    pub const fn ir(&self) -> &'static str {
        self.first().ir()
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

    const fn first(&self) -> KernelVariant {
        KernelVariant { variant: &self.info.variants[0] }
    }
}

/// One compiled form of a [`Kernel`].
#[derive(Debug, Clone, Copy)]
pub struct KernelVariant {
    variant: &'static Variant,
}

impl KernelVariant {
    /// Real threads per block.
    pub const fn threads(&self) -> u32 {
        self.variant.threads
    }

    /// Shared memory per block, in bytes.
    pub const fn shared_bytes(&self) -> u32 {
        self.variant.shared_bytes
    }

    /// Name of the function in [`ptx`](Self::ptx) and [`cuda`](Self::cuda).
    pub const fn symbol(&self) -> &'static str {
        self.variant.symbol
    }

    /// Its PTX.
    pub const fn ptx(&self) -> &'static str {
        self.variant.ptx
    }

    /// Its CUDA C.
    pub const fn cuda(&self) -> &'static str {
        self.variant.cuda
    }

    /// Its OpenCL C.
    pub const fn opencl(&self) -> &'static str {
        self.variant.opencl.source
    }

    /// Its printed IR.
    pub const fn ir(&self) -> &'static str {
        self.variant.ir
    }
}

/// Chooses a variant of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Params {
    /// Real threads per block.
    pub threads: u32,
}

/// How to launch; [`LaunchOptions::DEFAULT`] leaves every choice to the runtime. No choice changes the result.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// Which variant; the first where `None`.
    pub params: Option<Params>,
    /// How many real blocks share the work (on the CPU: into how many parts it is cut), 1 or more; as many as suit the
    /// device where `None`.
    pub blocks: Option<u32>,
    /// On which stream; the device's own where `None`.
    pub stream: Option<Stream>,
}

impl LaunchOptions {
    /// No choices made.
    pub const DEFAULT: LaunchOptions = LaunchOptions { params: None, blocks: None, stream: None };
}

/// The variant that `params` names.
pub(crate) fn select(info: &'static KernelInfo, params: Option<Params>) -> Result<&'static Variant, Error> {
    let found = match params {
        None => info.variants.first(),
        Some(params) => info.variants.iter().find(|variant| variant.threads == params.threads),
    };
    found.ok_or_else(|| Error::NoVariant {
        kernel: info.name,
        threads: params.map_or(0, |params| params.threads),
        variants: info.variants.iter().map(|variant| variant.threads).collect(),
    })
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
        assert_eq!(select(&SUM_CHUNKS, None).unwrap().threads, 2);
    }

    #[test]
    fn a_missing_variant_lists_those_there_are() {
        assert_eq!(select(&SUM_CHUNKS, Some(Params { threads: 4 })).unwrap().threads, 4);
        let error = select(&SUM_CHUNKS, Some(Params { threads: 3 })).unwrap_err();
        assert!(matches!(&error, Error::NoVariant { threads: 3, variants, .. } if variants == &[2, 4]), "{error}");
    }
}
