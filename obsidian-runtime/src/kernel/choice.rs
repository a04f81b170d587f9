//! Which variant of a kernel: what the caller asks for, and the search for it. In: parameters by name. Out: the first
//! variant that has them, or an error that lists those there are.

use std::fmt::Write;

use super::KernelVariant;
use crate::error::Error;
use obsidian_abi::module::{ModuleInfo, ModuleVariant};
use obsidian_abi::{KernelInfo, ParamValue, ScalarType, Variant, shown};

/// Chooses a variant of any kernel by its number of threads: the first that has it.
///
/// A kernel with `const` generics also has a type of its own for this, named after it: `SumsParams` of `sums`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Params {
    /// Real threads per block.
    pub threads: u32,
}

/// What can choose a variant of the kernel `K`: [`Params`], a [`KernelVariant`], the kernel's own parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` chooses no variant of this kernel",
    label = "of another kernel, or no parameters",
    note = "`Params {{ threads: 64 }}` does, and the type that is named after the kernel: `SumsParams` of `sums`"
)]
pub trait Chooses<K> {
    /// What is asked for.
    fn choice(self) -> Choice;
}

impl<K> Chooses<K> for Params {
    fn choice(self) -> Choice {
        Choice::ANY.threads(self.threads)
    }
}

impl<K> Chooses<K> for KernelVariant {
    fn choice(self) -> Choice {
        let all = Choice::ANY.threads(self.threads());
        self.values().iter().fold(all, |choice, &(name, value)| choice.value(name, value))
    }
}

impl<K> Chooses<K> for Choice {
    fn choice(self) -> Choice {
        self
    }
}

/// What is asked of a variant. [`Choice::ANY`] is the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    threads: Option<u32>,
    values: Vec<(&'static str, ParamValue)>,
    types: Option<&'static [ScalarType]>,
}

impl Choice {
    /// Nothing is asked for.
    pub const ANY: Choice = Choice { threads: None, values: Vec::new(), types: None };

    /// With this number of real threads per block.
    #[must_use]
    pub fn threads(self, threads: u32) -> Choice {
        Choice { threads: Some(threads), ..self }
    }

    /// With this value of a generic.
    #[must_use]
    pub fn value(mut self, name: &'static str, value: ParamValue) -> Choice {
        self.values.push((name, value));
        self
    }

    /// With these element types for the type generics, in order.
    #[must_use]
    pub(crate) fn types(self, types: &'static [ScalarType]) -> Choice {
        Choice { types: Some(types), ..self }
    }

    /// Whether a variant with this number of threads and these values has all that is asked for.
    fn fits(&self, threads: u32, values: &[(&'static str, ParamValue)]) -> bool {
        let types = values.iter().filter_map(|(_, value)| match value {
            ParamValue::Type(t) => Some(t),
            _ => None,
        });
        self.threads.is_none_or(|wanted| wanted == threads)
            && self.values.iter().all(|value| values.contains(value))
            && self.types.is_none_or(|wanted| types.eq(wanted))
    }

    /// As the attribute would say it.
    fn shown(&self, generics: &[(&'static str, ParamValue)]) -> String {
        let mut all: Vec<(&str, String)> = self.threads.map(|t| ("threads", t.to_string())).into_iter().collect();
        all.extend(self.values.iter().map(|(name, value)| (*name, value.to_string())));
        let types = generics.iter().filter(|(_, v)| matches!(v, ParamValue::Type(_)));
        all.extend(types.zip(self.types.unwrap_or_default()).map(|((name, _), t)| (*name, t.to_string())));
        let mut text = String::new();
        for (name, value) in all {
            let _ = write!(text, "{}{name} = {value}", if text.is_empty() { "" } else { ", " });
        }
        text
    }
}

/// The variant that is asked for.
pub(crate) fn select(info: &'static KernelInfo, choice: &Choice) -> Result<&'static Variant, Error> {
    pick(info.name, info.variants, |variant| (variant.threads, variant.values), choice)
}

/// The variant of a module that is asked for.
pub(crate) fn select_module(info: &'static ModuleInfo, choice: &Choice) -> Result<&'static ModuleVariant, Error> {
    pick(info.name, info.variants, |variant| (variant.threads, variant.values), choice)
}

/// The first of these variants that fits; `of` gives the threads and values of one.
fn pick<V>(
    kernel: &'static str,
    variants: &'static [V],
    of: impl Fn(&V) -> (u32, &'static [(&'static str, ParamValue)]),
    choice: &Choice,
) -> Result<&'static V, Error> {
    let fits = |variant: &&V| {
        let (threads, values) = of(variant);
        choice.fits(threads, values)
    };
    variants.iter().find(fits).ok_or_else(|| {
        let generics = variants.first().map_or(&[][..], |variant| of(variant).1);
        let shown = variants.iter().map(|variant| shown(of(variant))).collect();
        Error::NoVariant { kernel, wanted: choice.shown(generics), variants: shown }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{SUM_CHUNKS, SUM_VARIANT};
    use crate::kernel::Kernel;

    const fn variant(threads: u32, values: &'static [(&'static str, ParamValue)]) -> Variant {
        Variant { threads, values, ..SUM_VARIANT }
    }

    const I32: ParamValue = ParamValue::Type(ScalarType::I32);
    const F32: ParamValue = ParamValue::Type(ScalarType::F32);

    /// `threads = [64, 128], SEQ = [8, 16], T = [i32, f32]`, some left out.
    static SUMS: KernelInfo = KernelInfo {
        name: "sums",
        variants: &[
            variant(64, &[("SEQ", ParamValue::Int(8)), ("T", I32)]),
            variant(128, &[("SEQ", ParamValue::Int(8)), ("T", I32)]),
            variant(128, &[("SEQ", ParamValue::Int(16)), ("T", F32)]),
        ],
    };

    fn place(choice: &Choice) -> Option<usize> {
        let found = select(&SUMS, choice).ok()?;
        SUMS.variants.iter().position(|v| std::ptr::eq(v, found))
    }

    #[test]
    fn the_first_that_fits() {
        assert_eq!(place(&Choice::ANY), Some(0));
        assert_eq!(place(&Choice::ANY.threads(128)), Some(1));
        assert_eq!(place(&Choice::ANY.value("SEQ", ParamValue::Int(16))), Some(2));
        assert_eq!(place(&Choice::ANY.types(&[ScalarType::F32])), Some(2));
        assert_eq!(place(&Choice::ANY.threads(64).types(&[ScalarType::F32])), None);
        assert_eq!(select(&SUM_CHUNKS, &Choice::ANY).unwrap().threads, 2);
    }

    #[test]
    fn a_variant_chooses_itself() {
        for (i, v) in Kernel::new(&SUMS).variants().enumerate() {
            assert_eq!(place(&Chooses::<()>::choice(v)), Some(i));
        }
    }

    #[test]
    fn a_missing_variant_lists_those_there_are() {
        let choice = Choice::ANY.threads(64).value("SEQ", ParamValue::Int(9)).types(&[ScalarType::F32]);
        let error = select(&SUMS, &choice).unwrap_err();
        let Error::NoVariant { kernel: "sums", wanted, variants } = error else { panic!("{error}") };
        assert_eq!(wanted, "threads = 64, SEQ = 9, T = f32");
        assert_eq!(variants[2], "threads = 128, SEQ = 16, T = f32");
    }
}
