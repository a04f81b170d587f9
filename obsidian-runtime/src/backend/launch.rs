//! A launch as a back end takes it: everything checked, buffers as memory.

use std::ops::Range;

use obsidian_abi::{KernelInfo, Language, ParamInfo, ParamKind, ScalarType, Text, Variant};

use super::{Memory, Queue};
use crate::error::Error;

/// Which code is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    /// The kernel.
    pub info: &'static KernelInfo,
    /// Which of its variants.
    pub variant: &'static Variant,
    /// Virtual blocks of the launches to come.
    pub blocks: u32,
    /// Real blocks asked for.
    pub wanted: Option<u32>,
}

impl Order {
    /// The variant's text in a language.
    pub fn text(&self, language: Language) -> Result<&'static Text, Error> {
        self.variant.text(language).ok_or_else(|| Error::Arguments {
            kernel: self.info.name,
            expected: format!("a text in {language:?}"),
            found: "none".to_owned(),
        })
    }
}

/// What is to be launched.
pub(crate) struct Launch<'a> {
    /// The order that the module was loaded for, with this launch's number of blocks.
    pub order: Order,
    /// The queue; the device's default where `None`.
    pub queue: Option<&'a dyn Queue>,
    /// The virtual blocks, at least one.
    pub blocks: Range<u32>,
    /// Whether these are a part of the blocks that the arguments are for.
    pub is_part: bool,
    /// Inputs, updated buffers and scalars as declared, then outputs; then the record of faults, where the kernel has one.
    pub args: Vec<Argument<'a>>,
}

/// An argument; of a buffer the memory of each field.
pub(crate) enum Argument<'a> {
    /// A buffer that is read, and its length in elements.
    Read(&'a [Box<dyn Memory>], u32),
    /// A buffer that is written or updated, and its length in elements.
    Write(&'a mut [Box<dyn Memory>], u32),
    /// The bits of a scalar.
    Scalar(u64),
}

/// One argument of a kernel's entry, in the order of the parameters of its texts.
pub(crate) enum Word<'a> {
    /// The memory of a field that is read.
    Read(&'a dyn Memory),
    /// The memory of a field that is written.
    Write(&'a mut dyn Memory),
    /// Elements of the buffer before it.
    Length(u32),
    /// The bits of a scalar.
    Scalar(u64, ScalarType),
}

impl Launch<'_> {
    /// The kernel's name.
    pub fn kernel(&self) -> &'static str {
        self.order.info.name
    }

    /// Each argument with its parameter; the record of faults has none.
    pub fn declared(&self) -> impl Iterator<Item = (Option<&'static ParamInfo>, &Argument<'_>)> {
        let params = self.order.variant.params.iter().map(Some);
        self.args.iter().zip(params.chain(std::iter::repeat(None))).map(|(arg, param)| (param, arg))
    }

    /// The arguments as the kernel's texts take them.
    pub fn words(&mut self) -> Vec<Word<'_>> {
        let params = self.order.variant.params.iter().map(Some).chain(std::iter::repeat(None));
        let mut words = Vec::new();
        for (arg, param) in self.args.iter_mut().zip(params) {
            let len = match arg {
                Argument::Read(fields, len) => {
                    words.extend(fields.iter().map(|field| Word::Read(field.as_ref())));
                    *len
                }
                Argument::Write(fields, len) => {
                    words.extend(fields.iter_mut().map(|field| Word::Write(field.as_mut())));
                    *len
                }
                Argument::Scalar(bits) => {
                    let ty = param.and_then(|param| param.fields.first()).copied();
                    words.push(Word::Scalar(*bits, ty.unwrap_or(ScalarType::U64)));
                    continue;
                }
            };
            if param.is_some_and(|param| matches!(param.kind, ParamKind::Input(None) | ParamKind::InOut(None))) {
                words.push(Word::Length(len));
            }
        }
        words
    }
}
