//! What a launch is checked for: lengths and geometry when it is planned; kinds, field types, devices, lengths and aliasing of
//! the arguments when it is launched. In: a kernel's constants and what the caller gives; out: the first refusal.

use super::{Arg, Plan};
use crate::device::Device;
use crate::error::Error;
use crate::memory::RawBuffer;
use obsidian_abi::{Geometry, KernelInfo, ParamInfo, ParamKind, Refusal, ScalarType, Variant};

impl Plan {
    /// Kinds, field types, devices and lengths of inputs; scalars that change the launch.
    pub(super) fn check_args(&self, args: &[Arg<'_>]) -> Result<(), Error> {
        if args.len() != self.values.len() {
            return Err(self.arguments(format!("{} arguments", self.values.len()), args.len().to_string()));
        }
        let mut values = Vec::with_capacity(args.len());
        for ((parameter, arg), &planned) in arguments(self.variant).zip(args).zip(&self.values) {
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
        if values != self.values && geometry(self.info, self.variant, &values)? != self.geometry {
            return Err(Error::NotAsPrepared { kernel: self.info.name });
        }
        Ok(())
    }

    /// A buffer that is updated lies apart from all others.
    pub(super) fn check_updates(&self, args: &[Arg<'_>]) -> Result<(), Error> {
        let buffers = || arguments(self.variant).zip(args).filter_map(|(p, arg)| Some((p, arg.buffer()?)));
        for (i, (parameter, raw)) in buffers().enumerate() {
            let mut others = buffers().enumerate().filter(|&(k, _)| k != i);
            if is_updated(parameter)
                && let Some((_, (other, _))) = others.find(|(_, (_, other))| other.overlaps(raw))
            {
                return Err(Error::Aliasing { kernel: self.info.name, output: parameter.name, other: other.name });
            }
        }
        Ok(())
    }

    /// Number, field types, devices, lengths and aliasing of outputs.
    pub(super) fn check_outs(&self, args: &[Arg<'_>], outs: &[&mut RawBuffer]) -> Result<(), Error> {
        if outs.len() != self.geometry.outputs.len() {
            let expected = format!("{} outputs", self.geometry.outputs.len());
            return Err(self.arguments(expected, outs.len().to_string()));
        }
        let planned = outputs(self.variant).zip(&self.geometry.outputs);
        for (index, ((parameter, &len), out)) in planned.zip(outs).enumerate() {
            self.check_buffer(parameter, out, len)?;
            let inputs = arguments(self.variant).zip(args).filter_map(|(other, arg)| Some((other, arg.buffer()?)));
            let earlier = outputs(self.variant).zip(outs[..index].iter().map(|out| &**out));
            if let Some((other, _)) = inputs.chain(earlier).find(|(_, raw)| raw.overlaps(out)) {
                return Err(Error::Aliasing { kernel: self.info.name, output: parameter.name, other: other.name });
            }
        }
        Ok(())
    }

    fn check_buffer(&self, parameter: &'static ParamInfo, raw: &RawBuffer, len: u64) -> Result<(), Error> {
        self.same_fields(parameter, raw.fields())?;
        same_device(self.info, parameter.name, &self.device, raw.device())?;
        if raw.len() as u64 != len {
            let found = raw.len() as u64;
            return Err(Error::Length { kernel: self.info.name, parameter: parameter.name, expected: len, found });
        }
        Ok(())
    }

    pub(super) fn same_fields(&self, parameter: &ParamInfo, found: &[ScalarType]) -> Result<(), Error> {
        if parameter.fields == found {
            return Ok(());
        }
        let expected = format!("elements {:?} in `{}`", parameter.fields, parameter.name);
        Err(self.arguments(expected, format!("{found:?}")))
    }

    pub(super) fn arguments(&self, expected: String, found: String) -> Error {
        Error::Arguments { kernel: self.info.name, expected, found }
    }
}

/// The parameters that are not outputs.
pub(super) fn arguments(variant: &'static Variant) -> impl Iterator<Item = &'static ParamInfo> {
    variant.params.iter().filter(|parameter| parameter.kind != ParamKind::Output)
}

fn is_updated(parameter: &ParamInfo) -> bool {
    matches!(parameter.kind, ParamKind::InOut(_))
}

/// The outputs.
pub(super) fn outputs(variant: &'static Variant) -> impl Iterator<Item = &'static ParamInfo> {
    variant.params.iter().filter(|parameter| parameter.kind == ParamKind::Output)
}

pub(super) fn same_device(
    info: &'static KernelInfo,
    what: &'static str,
    expected: &Device,
    found: &Device,
) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
    Err(Error::WrongDevice { kernel: info.name, what, expected, found })
}

/// As many values as parameters, fixed lengths met, no length past 32 bits.
pub(super) fn check_lengths(info: &'static KernelInfo, variant: &'static Variant, values: &[u64]) -> Result<(), Error> {
    let count = arguments(variant).count();
    if count != values.len() {
        let (expected, found) = (format!("{count} arguments"), values.len().to_string());
        return Err(Error::Arguments { kernel: info.name, expected, found });
    }
    for (parameter, &value) in arguments(variant).zip(values) {
        match parameter.kind {
            ParamKind::Input(Some(expected)) | ParamKind::InOut(Some(expected)) if u64::from(expected) != value => {
                let (parameter, expected) = (parameter.name, u64::from(expected));
                return Err(Error::Length { kernel: info.name, parameter, expected, found: value });
            }
            ParamKind::Input(_) | ParamKind::InOut(_) => short_enough(info, parameter, value)?,
            ParamKind::Scalar | ParamKind::Output => {}
        }
    }
    Ok(())
}

fn short_enough(info: &'static KernelInfo, parameter: &'static ParamInfo, len: u64) -> Result<(), Error> {
    if len <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(Error::TooLong { kernel: info.name, parameter: parameter.name, found: len })
}

/// The variant's geometry for these values, its outputs checked.
pub(super) fn geometry(
    info: &'static KernelInfo,
    variant: &'static Variant,
    values: &[u64],
) -> Result<Geometry, Error> {
    let geometry = (variant.geometry)(values).map_err(|Refusal { condition, found }| Error::Condition {
        kernel: info.name,
        condition,
        found,
    })?;
    for (parameter, &len) in outputs(variant).zip(&geometry.outputs) {
        short_enough(info, parameter, len)?;
    }
    let (expected, found) = (outputs(variant).count(), geometry.outputs.len());
    if expected != found {
        let (expected, found) = (format!("{expected} outputs"), format!("{found} lengths for them"));
        return Err(Error::Arguments { kernel: info.name, expected, found });
    }
    Ok(geometry)
}
