//! What each error says: what was expected, what was found, what to do.

use std::fmt;

use super::{Error, IndexedArray};

/// The most variants that are listed.
const MAX_VARIANTS: usize = 20;

impl fmt::Display for IndexedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexedArray::Named(name) => write!(f, "`{name}`"),
            IndexedArray::Rows(name) => write!(f, "the rows of `{name}`"),
            IndexedArray::Columns(name) => write!(f, "the columns of `{name}`"),
            IndexedArray::Computed => f.write_str("a computed array"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Error::*;
        match self {
            BackendUnavailable { .. } | UnknownBackend { .. } | NoSuchDevice { .. } | NoSuchName { .. } => {
                self.fmt_device(f)
            }
            OutOfMemory { .. } | SizeOverflow { .. } | Driver { .. } | DeviceLost { .. } => self.fmt_resource(f),
            NotUsable { .. } | NotTaken { .. } | NotRecordable { .. } => self.fmt_resource(f),
            NoVariant { .. } | Limit { .. } | Feature { .. } | ZeroBlocks { .. } => self.fmt_geometry(f),
            NotSplittable { .. } | NoDevices { .. } | Part { .. } | MomentsApart { .. } | Exchange { .. } => {
                self.fmt_devices(f)
            }
            _ => self.fmt_arguments(f),
        }
    }
}

/// The same words: `fn main() -> Result<(), Error>` prints an error by its `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    fn fmt_device(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BackendUnavailable { backend, reason } => {
                write!(f, "back end `{backend}` is not available: {reason}")
            }
            Error::UnknownBackend { found } => {
                write!(
                    f,
                    "OBSIDIAN_BACKEND is `{found}`; allowed are `cpu`, `check`, `opencl` and `cuda`, or leave it unset"
                )
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
            Error::NotTaken { what, expected, found } => {
                write!(f, "{what} cannot be a buffer: {expected} is expected, it is {found}")
            }
            Error::NotRecordable { what, reason } => write!(f, "{what} cannot be recorded in a graph: {reason}"),
            _ => Ok(()),
        }
    }

    fn fmt_geometry(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoVariant { kernel, wanted, variants } => {
                write!(f, "kernel `{kernel}` has no variant with {wanted}; there are: ")?;
                for (i, variant) in variants.iter().take(MAX_VARIANTS).enumerate() {
                    write!(f, "{}{variant}", if i == 0 { "" } else { "; " })?;
                }
                if let Some(more @ 1..) = variants.len().checked_sub(MAX_VARIANTS) {
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
            Error::Exchange { rank, step, operation, reason } => {
                write!(f, "rank {rank}, exchange {step} ({operation}): {reason}")
            }
            Error::MomentsApart { expected, found } => {
                write!(f, "a moment on {found} is neither before nor after one on {expected}; mark both on one device")
            }
            _ => Ok(()),
        }
    }

    fn fmt_arguments(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Faulty { kernel, fault } => write!(f, "kernel `{kernel}`, in the reference interpreter: {fault}"),
            Error::Condition { kernel, condition, found } => {
                write!(f, "kernel `{kernel}` cannot be launched: {condition}, found {found}")
            }
            Error::Step { entry, step, what, source } => write!(f, "entry `{entry}`, step {step} ({what}): {source}"),
            Error::Overflow { kernel, overflow } => {
                write!(f, "kernel `{kernel}` cannot be launched: {overflow}; work in parts")
            }
            Error::Grown { kernel, buffer, capacity, found } => write!(
                f,
                "kernel `{kernel}`: `{buffer}` has {found} elements after a round, but began with {capacity}; what a loop \
                 carries may shrink, not grow"
            ),
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
            Error::Shape { rows, cols, found } => match rows.checked_mul(*cols) {
                Some(len) if len != *found => {
                    write!(f, "a matrix of {rows} x {cols} has {len} elements, but there are {found}")
                }
                _ => write!(
                    f,
                    "a matrix of {rows} x {cols} is too large: it has fewer than 2^32 rows, columns and elements"
                ),
            },
            Error::OutputShape { expected: (rows, cols), found } => write!(
                f,
                "the result is a matrix of {rows} x {cols}, but it is to be written to one of {} x {}",
                found.0, found.1
            ),
            Error::ReadLength { expected, found } => {
                write!(f, "a buffer of {expected} elements cannot be read into {found}; the lengths must be equal")
            }
            Error::View { len, start, end, alignment } => write!(
                f,
                "a buffer of {len} elements has no view of {start}..{end}: that must lie in it, and its first element's fields at \
                 multiples of {alignment} bytes"
            ),
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
            Error::OutOfRange { kernel, array, index, len } => {
                write!(f, "kernel `{kernel}`: ")?;
                match array {
                    IndexedArray::Rows(name) => {
                        write!(f, "row {index} is out of range of `{name}`, which has {len} rows")?
                    }
                    IndexedArray::Columns(name) => {
                        write!(f, "column {index} is out of range of `{name}`, which has {len} columns")?
                    }
                    _ => write!(f, "index {index} is out of range of {array}, which has {len} elements")?,
                }
                f.write_str("; test it in the kernel, or mend the data")
            }
            Error::Assertion { kernel, place: None, message } => write!(f, "kernel `{kernel}`: {message}"),
            Error::Assertion { kernel, place: Some(place), message } => {
                write!(f, "kernel `{kernel}`, {place}: {message}")
            }
            Error::NotAsPrepared { kernel } => {
                write!(f, "kernel `{kernel}`: these scalars need another launch than the prepared one; prepare it anew")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn an_error_that_main_returns_is_shown_in_words() {
        let condition = "the length of `xs` must be a multiple of 256";
        let error = Error::Condition { kernel: "squares", condition, found: 1000 };
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(error.to_string().contains(condition), "{error}");
    }
}
