//! Memory that several launches fill, each a part. In: the parts' lengths; out: a buffer for each, and, when all are written, one buffer.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::{Buffer, BufferId, RawBuffer};
use crate::backend::Memory;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::host::HostBytes;

/// The buffer that parts of [`Device::alloc_parts`] become.
pub struct Whole<T: Element> {
    /// The memory in which the parts lie, if they do, and who they are.
    shared: Option<(Arc<RawBuffer>, Vec<BufferId>)>,
    device: Device,
    element: PhantomData<fn() -> T>,
}

impl Device {
    /// Buffers of these lengths, for launches to write, and what makes them one buffer afterwards. Where the host sees the memory, as on the
    /// CPU, they lie one behind the other, and becoming one takes no copy, if each begins at a multiple of 16 bytes; elsewhere, and else,
    /// they are [joined](Device::joined).
    ///
    /// ```
    /// # fn main() -> Result<(), obsidian_runtime::Error> {
    /// let dev = obsidian_runtime::Device::cpu();
    /// let (mut parts, whole) = dev.alloc_parts::<u32>(&[4, 2])?;
    /// parts[1].write(&[5, 6])?;
    /// parts[0].write(&[1, 2, 3, 4])?;
    /// assert_eq!(whole.join(parts)?.to_vec()?, [1, 2, 3, 4, 5, 6]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As of [`Device::alloc`].
    pub fn alloc_parts<T: Element>(&self, lens: &[usize]) -> Result<(Vec<Buffer<T>>, Whole<T>), Error> {
        let ranges: Vec<Range<usize>> = lens
            .iter()
            .scan(0usize, |end, &len| {
                let start = *end;
                *end = end.saturating_add(len);
                Some(start..*end)
            })
            .collect();
        let all = ranges.last().map_or(0, |last| last.end);
        let alignment = self.inner().view_alignment();
        let begins_even =
            |start: usize, bytes: u32| start.checked_mul(bytes as usize).is_some_and(|at| at.is_multiple_of(alignment));
        let even = |start: usize| T::FIELDS.iter().all(|f| begins_even(start, f.bytes()));
        let mut shared = None;
        let parts = if ranges.iter().all(|range| range.is_empty() || even(range.start)) {
            let whole = Arc::new(RawBuffer::unwritten(self, T::FIELDS, all, None)?);
            let parts: Option<Vec<RawBuffer>> = ranges.iter().map(|range| part(&whole, range)).collect();
            parts.inspect(|parts| shared = Some((whole, parts.iter().map(RawBuffer::id).collect())))
        } else {
            None
        };
        let parts = match parts {
            Some(parts) => parts.into_iter().map(Buffer::new).collect(),
            None => lens.iter().map(|&len| self.alloc(len)).collect::<Result<Vec<_>, _>>()?,
        };
        Ok((parts, Whole { shared, device: self.clone(), element: PhantomData }))
    }
}

/// Some elements of memory that the host sees, which keep all of it.
fn part(whole: &Arc<RawBuffer>, range: &Range<usize>) -> Option<RawBuffer> {
    let fields = whole.fields().iter().zip(whole.memory()).map(|(field, memory)| {
        let (size, bytes) = (field.bytes() as usize, memory.host()?);
        // SAFETY: the range lies in the memory, which is initialised and which the owner keeps. The ranges of the parts are disjoint, and
        // nobody uses the whole until it is the only one left.
        let part = unsafe {
            let start = bytes.start().add(range.start * size);
            HostBytes::of_others(start, range.len() * size, Some(Box::new(Arc::clone(whole))))
        };
        Some(Box::new(part) as Box<dyn Memory>)
    });
    let memory = fields.collect::<Option<Vec<_>>>()?;
    let (id, device) = (BufferId::fresh(), whole.device().clone());
    Some(RawBuffer { id, device, fields: whole.fields(), len: range.len(), memory })
}

impl<T: Element> Whole<T> {
    /// The elements of all parts as one buffer, once the launches that write them are done. The memory of other buffers than the parts, or of
    /// the parts in another order, is copied.
    ///
    /// # Errors
    /// As of [`Device::joined`].
    pub fn join(self, parts: Vec<Buffer<T>>) -> Result<Buffer<T>, Error> {
        if let Some((whole, ids)) = self.shared
            && parts.iter().map(|part| part.raw().id()).eq(ids)
        {
            // With the parts the last others go who use the memory.
            drop(parts);
            let used = Error::NotUsable { what: "the memory of parts", reason: "a part is still in use" };
            return Arc::into_inner(whole).map(Buffer::new).ok_or(used);
        }
        self.device.joined(&parts.iter().collect::<Vec<_>>())
    }
}

impl<T: Element> fmt::Debug for Whole<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Whole<{}>(on {:?})", std::any::type_name::<T>(), self.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the elements of a buffer begin.
    fn start<T: Element>(buffer: &Buffer<T>) -> *mut u8 {
        buffer.raw().memory()[0].host().unwrap().as_ptr()
    }

    #[test]
    fn parts_become_one_without_a_copy() {
        let dev = Device::cpu();
        let (mut parts, whole) = dev.alloc_parts::<(u8, f64)>(&[16, 0, 32, 5]).unwrap();
        let values: Vec<(u8, f64)> = (0..53).map(|i| (i, f64::from(i))).collect();
        for (part, range) in parts.iter_mut().zip([0..16, 16..16, 16..48, 48..53]) {
            part.write(&values[range]).unwrap();
        }
        assert!(!parts[0].raw().overlaps(parts[2].raw()));
        let first = start(&parts[0]);
        let all = whole.join(parts).unwrap();
        assert_eq!((start(&all), all.to_vec().unwrap()), (first, values));
    }

    #[test]
    fn parts_beyond_all_memory_are_an_error() {
        for lens in [[1 << 61, 1], [usize::MAX, usize::MAX], [1, 1 << 62]] {
            assert!(Device::cpu().alloc_parts::<u64>(&lens).is_err(), "{lens:?}");
        }
    }

    #[test]
    fn what_does_not_lie_together_is_copied() {
        let dev = Device::cpu();
        // The second begins at 12 bytes.
        let (mut parts, whole) = dev.alloc_parts::<u32>(&[3, 2]).unwrap();
        parts[0].write(&[1, 2, 3]).unwrap();
        parts[1].write(&[4, 5]).unwrap();
        assert_eq!(whole.join(parts).unwrap().to_vec().unwrap(), [1, 2, 3, 4, 5]);
        // Exchanged for others, which outlive the whole.
        let (mut parts, whole) = dev.alloc_parts::<u32>(&[4, 4]).unwrap();
        let kept = std::mem::replace(&mut parts[1], dev.upload(&[7, 8]).unwrap());
        let all = whole.join(parts).unwrap();
        assert_eq!((all.to_vec().unwrap(), kept.to_vec().unwrap()), (vec![0, 0, 0, 0, 7, 8], vec![0; 4]));
        assert!(dev.alloc_parts::<u32>(&[]).unwrap().1.join(vec![]).unwrap().is_empty());
    }
}
