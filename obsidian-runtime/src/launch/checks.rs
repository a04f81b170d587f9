//! What a launch is checked for: lengths and geometry when it is planned; kinds, field types, devices, lengths and aliasing of
//! the arguments when it is launched. In: a kernel's constants and what the caller gives; out: the first refusal.

use super::Arg;
use crate::device::Device;
use crate::error::Error;
use crate::memory::RawBuffer;
use obsidian_abi::{Geometry, KernelInfo, ParamInfo, ParamKind, Refusal, ScalarType, Variant};

/// What arguments are checked against: the parameters of a kernel or of a module, and the device of the launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature<'a> {
    /// The name of the entry.
    pub kernel: &'static str,
    pub params: &'static [ParamInfo],
    pub device: &'a Device,
}

impl Signature<'_> {
    /// Kinds, field types, devices and lengths of inputs: `planned` holds the lengths, and what stands for scalars, which is
    /// not looked at. Gives the values of this launch.
    pub fn check_args(&self, args: &[Arg<'_>], planned: &[u64]) -> Result<Vec<u64>, Error> {
        if args.len() != planned.len() {
            return Err(self.arguments(format!("{} arguments", planned.len()), args.len().to_string()));
        }
        let mut values = Vec::with_capacity(args.len());
        for ((parameter, arg), &planned) in arguments(self.params).zip(args).zip(planned) {
            match (parameter.kind, arg) {
                (ParamKind::Input(_), Arg::Buffer(raw)) => {
                    self.check_buffer(parameter, raw, planned)?;
                    values.push(planned);
                }
                (ParamKind::InOut(_), Arg::Update(raw)) => {
                    self.check_buffer(parameter, raw, planned)?;
                    values.push(planned);
                }
                (ParamKind::Scalar, Arg::Scalar(bits)) => values.push(*bits),
                (ParamKind::Input(_), _) => {
                    return Err(self.arguments(format!("a buffer to read for `{}`", parameter.name), "another".into()));
                }
                (ParamKind::InOut(_), _) => {
                    return Err(
                        self.arguments(format!("a buffer to update for `{}`", parameter.name), "another".into())
                    );
                }
                _ => return Err(self.arguments(format!("a scalar for `{}`", parameter.name), "a buffer".into())),
            }
        }
        Ok(values)
    }

    /// A buffer that is updated lies apart from all others.
    pub fn check_updates(&self, args: &[Arg<'_>]) -> Result<(), Error> {
        let buffers = || arguments(self.params).zip(args).filter_map(|(p, arg)| Some((p, arg.buffer()?)));
        for (i, (parameter, raw)) in buffers().enumerate() {
            let mut others = buffers().enumerate().filter(|&(k, _)| k != i);
            if is_updated(parameter)
                && let Some((_, (other, _))) = others.find(|(_, (_, other))| other.overlaps(raw))
            {
                return Err(Error::Aliasing { kernel: self.kernel, output: parameter.name, other: other.name });
            }
        }
        Ok(())
    }

    /// Number, field types, devices, lengths and aliasing of outputs; a length that is not known is not looked at.
    pub fn check_outs(
        &self,
        args: &[Arg<'_>],
        outs: &[&mut RawBuffer],
        lens: impl ExactSizeIterator<Item = Option<u64>>,
    ) -> Result<(), Error> {
        if outs.len() != lens.len() {
            let expected = format!("{} outputs", lens.len());
            return Err(self.arguments(expected, outs.len().to_string()));
        }
        for (index, ((parameter, len), out)) in outputs(self.params).zip(lens).zip(outs).enumerate() {
            self.check_buffer(parameter, out, len.unwrap_or(out.len() as u64))?;
            let inputs = arguments(self.params).zip(args).filter_map(|(other, arg)| Some((other, arg.buffer()?)));
            let earlier = outputs(self.params).zip(outs[..index].iter().map(|out| &**out));
            if let Some((other, _)) = inputs.chain(earlier).find(|(_, raw)| raw.overlaps(out)) {
                return Err(Error::Aliasing { kernel: self.kernel, output: parameter.name, other: other.name });
            }
        }
        Ok(())
    }

    fn check_buffer(&self, parameter: &'static ParamInfo, raw: &RawBuffer, len: u64) -> Result<(), Error> {
        self.same_fields(parameter, raw.fields())?;
        same_device(self.kernel, parameter.name, self.device, raw.device())?;
        if raw.len() as u64 != len {
            let found = raw.len() as u64;
            return Err(Error::Length { kernel: self.kernel, parameter: parameter.name, expected: len, found });
        }
        Ok(())
    }

    pub fn same_fields(&self, parameter: &ParamInfo, found: &[ScalarType]) -> Result<(), Error> {
        if parameter.fields == found {
            return Ok(());
        }
        let expected = format!("elements {:?} in `{}`", parameter.fields, parameter.name);
        Err(self.arguments(expected, format!("{found:?}")))
    }

    pub fn arguments(&self, expected: String, found: String) -> Error {
        Error::Arguments { kernel: self.kernel, expected, found }
    }

    /// As many values as parameters, fixed lengths met, no length past 32 bits.
    pub fn check_lengths(&self, values: &[u64]) -> Result<(), Error> {
        let count = arguments(self.params).count();
        if count != values.len() {
            return Err(self.arguments(format!("{count} arguments"), values.len().to_string()));
        }
        for (parameter, &value) in arguments(self.params).zip(values) {
            match parameter.kind {
                ParamKind::Input(Some(expected)) | ParamKind::InOut(Some(expected)) if u64::from(expected) != value => {
                    let (parameter, expected) = (parameter.name, u64::from(expected));
                    return Err(Error::Length { kernel: self.kernel, parameter, expected, found: value });
                }
                ParamKind::Input(_) | ParamKind::InOut(_) => short_enough(self.kernel, parameter, value)?,
                ParamKind::Scalar | ParamKind::Output => {}
            }
        }
        Ok(())
    }
}

/// The parameters that are not outputs.
pub(crate) fn arguments(params: &'static [ParamInfo]) -> impl Iterator<Item = &'static ParamInfo> {
    params.iter().filter(|parameter| parameter.kind != ParamKind::Output)
}

fn is_updated(parameter: &ParamInfo) -> bool {
    matches!(parameter.kind, ParamKind::InOut(_))
}

/// The outputs.
pub(crate) fn outputs(params: &'static [ParamInfo]) -> impl Iterator<Item = &'static ParamInfo> {
    params.iter().filter(|parameter| parameter.kind == ParamKind::Output)
}

/// Refuses what is on another device than the launch.
pub(crate) fn same_device(
    kernel: &'static str,
    what: &'static str,
    expected: &Device,
    found: &Device,
) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
    Err(Error::WrongDevice { kernel, what, expected, found })
}

fn short_enough(kernel: &'static str, parameter: &'static ParamInfo, len: u64) -> Result<(), Error> {
    if len <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(Error::TooLong { kernel, parameter: parameter.name, found: len })
}

/// The variant's geometry for these values, its outputs checked.
pub(crate) fn geometry(
    info: &'static KernelInfo,
    variant: &'static Variant,
    values: &[u64],
) -> Result<Geometry, Error> {
    let geometry = (variant.geometry)(values)
        .map_err(|Refusal { condition, found }| Error::of_condition(info.name, condition, found))?;
    for (parameter, &len) in outputs(variant.params).zip(&geometry.outputs) {
        short_enough(info.name, parameter, len)?;
    }
    let (expected, found) = (outputs(variant.params).count(), geometry.outputs.len());
    if expected != found {
        let (expected, found) = (format!("{expected} outputs"), format!("{found} lengths for them"));
        return Err(Error::Arguments { kernel: info.name, expected, found });
    }
    Ok(geometry)
}
