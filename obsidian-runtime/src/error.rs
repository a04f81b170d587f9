//! The one error type of the runtime: each variant says what was expected, what was found and what to do.

use std::fmt;

use crate::device::Backend;

/// So many variants are listed.
const SHOWN_VARIANTS: usize = 20;

/// Why a device, a buffer or a launch was refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A back end cannot be used on this machine or in this build.
    BackendUnavailable {
        /// The back end asked for.
        backend: Backend,
        /// Why it is absent, and what to do.
        reason: String,
    },
    /// `OBSIDIAN_BACKEND` names no back end.
    UnknownBackend {
        /// The variable's value.
        found: String,
    },
    /// The back end works but has no device of that number.
    NoSuchDevice {
        /// The back end asked.
        backend: Backend,
        /// The number asked for.
        index: usize,
        /// How many devices there are, numbered from 0.
        count: usize,
    },
    /// The kernel has no variant for these parameters.
    NoVariant {
        /// The kernel's name.
        kernel: &'static str,
        /// What was asked for: `threads = 96, SEQ = 8`.
        wanted: String,
        /// The variants that exist, each written like that.
        variants: Vec<String>,
    },
    /// A launch condition of the kernel does not hold, for instance a length that does not divide.
    Condition {
        /// The kernel's name.
        kernel: &'static str,
        /// What must hold.
        condition: &'static str,
        /// The number found.
        found: u64,
    },
    /// A buffer has another length than the launch needs.
    Length {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Elements needed.
        expected: u64,
        /// Elements found.
        found: u64,
    },
    /// A buffer has more than `u32::MAX` elements: indices are 32 bits wide.
    TooLong {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter's name.
        parameter: &'static str,
        /// Elements found.
        found: u64,
    },
    /// `write` was given another number of elements than the buffer holds.
    WriteLength {
        /// Elements of the buffer.
        expected: usize,
        /// Elements given.
        found: usize,
    },
    /// A buffer or a stream belongs to another device than the launch.
    WrongDevice {
        /// The kernel's name.
        kernel: &'static str,
        /// What is on the wrong device: "the stream", or a parameter's name.
        what: &'static str,
        /// Name of the device of the launch.
        expected: String,
        /// Name of the device it is on.
        found: String,
    },
    /// An output shares memory with an input or another output.
    Aliasing {
        /// The kernel's name.
        kernel: &'static str,
        /// The output.
        output: &'static str,
        /// The parameter it overlaps.
        other: &'static str,
    },
    /// The kernel needs more than the device has.
    Limit {
        /// The kernel's name.
        kernel: &'static str,
        /// The device's name.
        device: String,
        /// What is limited, with its unit.
        what: &'static str,
        /// The device's limit.
        limit: u64,
        /// What the kernel needs.
        found: u64,
    },
    /// The kernel needs a feature that the device lacks.
    Feature {
        /// The kernel's name.
        kernel: &'static str,
        /// The device's name.
        device: String,
        /// The feature.
        feature: &'static str,
    },
    /// No device of the back end has such a name.
    NoSuchName {
        /// The back end asked.
        backend: Backend,
        /// The name asked for, or a part of it.
        name: String,
        /// The names there are.
        devices: Vec<String>,
    },
    /// A kernel used an index from data that is outside of its array: the first such access. A read gave zero, an update
    /// did nothing; what the kernel has written is not to be relied on.
    OutOfRange {
        /// The kernel's name.
        kernel: &'static str,
        /// The array: a parameter's name in quotes, or words for one that the kernel computes.
        array: &'static str,
        /// The index.
        index: u64,
        /// Elements of the array.
        len: u64,
    },
    /// A launch of zero real blocks was asked for.
    ZeroBlocks {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// The arguments are not those of the kernel's parameters. Calls that the macro generates never meet this.
    Arguments {
        /// The kernel's name.
        kernel: &'static str,
        /// What the kernel declares.
        expected: String,
        /// What was given.
        found: String,
    },
    /// The scalars give another launch than the one that was prepared.
    NotAsPrepared {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// The kernel cannot run on several devices at once.
    NotSplittable {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter that stands against it.
        parameter: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A launch on several devices was given none, or none with a share.
    NoDevices {
        /// The kernel's name.
        kernel: &'static str,
    },
    /// A device of several could not do its part of a launch.
    Part {
        /// The device's name.
        device: String,
        /// The first of its blocks.
        first: u32,
        /// The block after its last.
        end: u32,
        /// Its error.
        source: Box<Error>,
    },
    /// The moments are marked on streams of different devices.
    MomentsApart {
        /// Name of the device of the later one.
        expected: String,
        /// Name of the other's.
        found: String,
    },
    /// The driver reported an error after which nothing runs on the device in this process: a kernel that faulted, a fault of
    /// the hardware. Every later call gives an error too. Its text is the [source](std::error::Error::source).
    DeviceLost {
        /// The device's name.
        device: String,
        /// What was being done; the fault may lie in an earlier launch.
        action: String,
        /// The driver's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A context, a stream or a slice of the caller's own cannot be used.
    NotUsable {
        /// What: "the slice", "the stream".
        what: &'static str,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// The memory is not there.
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Bytes asked for.
        bytes: u64,
    },
    /// The size of a buffer in bytes does not fit an address.
    SizeOverflow {
        /// Elements asked for.
        len: usize,
        /// Bytes of one element.
        element_bytes: usize,
    },
    /// The driver reported an error; its text is the [source](std::error::Error::source).
    Driver {
        /// The device's name.
        device: String,
        /// What was being done.
        action: String,
        /// The driver's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Error::*;
        match self {
            BackendUnavailable { .. } | UnknownBackend { .. } | NoSuchDevice { .. } | NoSuchName { .. } => {
                self.fmt_device(f)
            }
            OutOfMemory { .. } | SizeOverflow { .. } | Driver { .. } | DeviceLost { .. } | NotUsable { .. } => {
                self.fmt_resource(f)
            }
            NoVariant { .. } | Limit { .. } | Feature { .. } | ZeroBlocks { .. } => self.fmt_geometry(f),
            NotSplittable { .. } | NoDevices { .. } | Part { .. } | MomentsApart { .. } => self.fmt_devices(f),
            _ => self.fmt_arguments(f),
        }
    }
}

impl Error {
    fn fmt_device(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BackendUnavailable { backend, reason } => {
                write!(f, "back end `{backend}` is not available: {reason}")
            }
            Error::UnknownBackend { found } => {
                write!(f, "OBSIDIAN_BACKEND is `{found}`; allowed are `cpu`, `opencl` and `cuda`, or leave it unset")
            }
            Error::NoSuchDevice { backend, index, count } => {
                write!(f, "no device {index} on back end `{backend}`: it has {count}, numbered from 0")
            }
            Error::NoSuchName { backend, name, devices } => {
                let names = devices.join("`, `");
                write!(f, "no device of back end `{backend}` has `{name}` in its name; there are `{names}`")
            }
            _ => Ok(()),
        }
    }

    fn fmt_resource(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::OutOfMemory { device, bytes } => {
                write!(f, "{bytes} bytes could not be allocated on {device}; drop buffers or work in parts")
            }
            Error::SizeOverflow { len, element_bytes } => {
                write!(f, "{len} elements of {element_bytes} bytes are more than an address can count; work in parts")
            }
            Error::Driver { device, action, source } => write!(f, "{device}: could not {action}: {source}"),
            Error::DeviceLost { device, action, source } => {
                write!(f, "{device} is lost to this process (could not {action}: {source}); start the program anew")
            }
            Error::NotUsable { what, reason } => write!(f, "{what} cannot be used: {reason}"),
            _ => Ok(()),
        }
    }

    fn fmt_geometry(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoVariant { kernel, wanted, variants } => {
                write!(f, "kernel `{kernel}` has no variant with {wanted}; there are: ")?;
                for (i, variant) in variants.iter().take(SHOWN_VARIANTS).enumerate() {
                    write!(f, "{}{variant}", if i == 0 { "" } else { "; " })?;
                }
                if let Some(more @ 1..) = variants.len().checked_sub(SHOWN_VARIANTS) {
                    write!(f, "; and {more} more")?;
                }
                f.write_str(" (choose one of these, or add the values to the lists of `#[kernel(..)]`)")
            }
            Error::Limit { kernel, device, what, limit, found } => {
                write!(
                    f,
                    "kernel `{kernel}` needs {found} {what}, but {device} allows {limit}; choose a smaller variant"
                )
            }
            Error::Feature { kernel, device, feature } => {
                write!(f, "kernel `{kernel}` needs {feature}, which {device} lacks; choose another device")
            }
            Error::ZeroBlocks { kernel } => {
                write!(f, "kernel `{kernel}` was to run with 0 real blocks; ask for 1 or more, or leave the choice out")
            }
            _ => Ok(()),
        }
    }

    fn fmt_devices(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotSplittable { kernel, parameter, reason } => {
                write!(f, "kernel `{kernel}` cannot run on several devices: `{parameter}`: {reason}; run it on one")
            }
            Error::NoDevices { kernel } => {
                write!(
                    f,
                    "kernel `{kernel}` was to run on several devices, and none has a share; give one a share of 1"
                )
            }
            Error::Part { device, first, end, source } => write!(f, "{device}, blocks {first} to {end}: {source}"),
            Error::MomentsApart { expected, found } => {
                write!(f, "a moment on {found} is neither before nor after one on {expected}; mark both on one device")
            }
            _ => Ok(()),
        }
    }

    fn fmt_arguments(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Condition { kernel, condition, found } => {
                write!(f, "kernel `{kernel}` cannot be launched: {condition}, found {found}")
            }
            Error::Length { kernel, parameter, expected, found } => {
                write!(f, "kernel `{kernel}`: `{parameter}` must have {expected} elements, found {found}")
            }
            Error::TooLong { kernel, parameter, found } => write!(
                f,
                "kernel `{kernel}`: `{parameter}` has {found} elements, but at most {} can be indexed; work in parts",
                u32::MAX
            ),
            Error::WriteLength { expected, found } => {
                write!(f, "a buffer of {expected} elements cannot be written with {found}; the lengths must be equal")
            }
            Error::WrongDevice { kernel, what, expected, found } => write!(
                f,
                "kernel `{kernel}` is launched on {expected}, but `{what}` is on {found}; make both on one device"
            ),
            Error::Aliasing { kernel, output, other } => {
                write!(
                    f,
                    "kernel `{kernel}`: output `{output}` shares memory with `{other}`; give it a buffer of its own"
                )
            }
            Error::Arguments { kernel, expected, found } => {
                write!(f, "kernel `{kernel}` takes {expected}, found {found}")
            }
            Error::OutOfRange { kernel, array, index, len } => write!(
                f,
                "kernel `{kernel}`: index {index} is out of range of {array}, which has {len} elements; test it in the \
                 kernel, or mend the data"
            ),
            Error::NotAsPrepared { kernel } => {
                write!(f, "kernel `{kernel}`: these scalars need another launch than the prepared one; prepare it anew")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Driver { source, .. } | Error::DeviceLost { source, .. } => Some(source.as_ref()),
            Error::Part { source, .. } => Some(source.as_ref()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn messages_hold_the_numbers() {
        let variants = (0..40).map(|i| format!("threads = {}", 64 * (i + 1))).collect();
        let error = Error::NoVariant { kernel: "reductions", wanted: "threads = 96".into(), variants };
        let text = error.to_string();
        assert!(
            text.contains("`reductions` has no variant with threads = 96; there are: threads = 64; threads = 128;")
        );
        assert!(text.contains("; and 20 more"), "{text}");
        let error = Error::Condition { kernel: "k", condition: "`input.len()` must be a multiple of 512", found: 700 };
        assert_eq!(
            error.to_string(),
            "kernel `k` cannot be launched: `input.len()` must be a multiple of 512, found 700"
        );
    }

    #[test]
    fn driver_errors_keep_their_source() {
        let error = Error::Driver { device: "gpu".into(), action: "copy".into(), source: "lost".into() };
        assert_eq!(error.to_string(), "gpu: could not copy: lost");
        assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("lost"));
        assert!(Error::ZeroBlocks { kernel: "k" }.source().is_none());
    }
}
