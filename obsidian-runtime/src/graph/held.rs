//! What a graph keeps: the buffers in a value that the caller returns, each with what may be done to it.

use super::Access;
use crate::buffer::{Buffer, BufferId, RawBuffer};
use crate::element::Element;
use crate::error::Error;
#[cfg(feature = "cuda")]
use crate::{element::sealed::Stored, interop::Lent};

/// The buffers that a [`Graph`](super::Graph) keeps: a [`Buffer`], `&mut Buffer` or, only to be read, `&Buffer` or `Lent`; tuples of
/// up to eight of these, arrays, `Vec`s and `Option`s. Sealed.
pub trait Buffers: Held {}

impl<B: Held> Buffers for B {}

/// The buffers in a value.
pub trait Held {
    /// Adds all of them.
    #[doc(hidden)]
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>);
}

/// Buffers that are there for a launch.
#[derive(Debug, Default)]
pub struct Slots<'b>(Vec<Slot<'b>>);

/// One of them.
#[derive(Debug)]
enum Slot<'b> {
    Read(&'b RawBuffer),
    Write(&'b mut RawBuffer),
}

const MISSING: &str = "a buffer that it names is not among those that it holds any more; put it back, or record again";

impl<'b> Slots<'b> {
    pub(crate) fn of<B: Held>(buffers: &'b mut B) -> Slots<'b> {
        let mut all = Slots::default();
        buffers.slots(&mut all);
        all
    }

    /// The buffer of that number.
    #[cfg(feature = "cuda")]
    pub(crate) fn buffer(&self, id: BufferId) -> Result<&RawBuffer, Error> {
        let all = self.0.iter().map(|slot| match slot {
            Slot::Read(raw) => *raw,
            Slot::Write(raw) => &**raw,
        });
        { all }.find(|raw| raw.id() == id).ok_or(Error::NotUsable { what: "the graph", reason: MISSING })
    }

    /// The same, to be read or written through.
    pub(crate) fn pointer(&mut self, access: Access, id: BufferId) -> Result<*mut RawBuffer, Error> {
        let found = self.0.iter_mut().find_map(|slot| match slot {
            Slot::Read(raw) if access == Access::Read && raw.id() == id => Some(std::ptr::from_ref(*raw).cast_mut()),
            Slot::Write(raw) if raw.id() == id => Some(std::ptr::from_mut(*raw)),
            _ => None,
        });
        found.ok_or(Error::NotUsable { what: "the graph", reason: MISSING })
    }

    /// Whether the buffer is there, to be read or to be written.
    pub(crate) fn allows(&self, id: BufferId) -> Option<Access> {
        let of = |slot: &Slot<'_>| match slot {
            Slot::Read(raw) => (raw.id(), Access::Read),
            Slot::Write(raw) => (raw.id(), Access::Write),
        };
        self.0.iter().map(of).find(|(found, _)| *found == id).map(|(_, access)| access)
    }

    /// The fields on a GPU of the buffers that are used, each with what is done to it at most.
    #[cfg(feature = "cuda")]
    pub(crate) fn cuda_fields(
        &mut self,
        used: impl Fn(BufferId) -> Option<Access>,
    ) -> (Vec<&crate::cuda::DeviceBytes>, Vec<&mut crate::cuda::DeviceBytes>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for slot in &mut self.0 {
            match slot {
                Slot::Write(raw) => match used(raw.id()) {
                    Some(Access::Write) => writes.extend(raw.cuda_fields_mut()),
                    Some(Access::Read) => reads.extend(raw.cuda_fields()),
                    None => {}
                },
                Slot::Read(raw) if used(raw.id()).is_some() => reads.extend(raw.cuda_fields()),
                Slot::Read(_) => {}
            }
        }
        (reads, writes)
    }
}

impl<T: Element> Held for Buffer<T> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        all.0.push(Slot::Write(self.raw_mut()));
    }
}

impl<T: Element> Held for &mut Buffer<T> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        all.0.push(Slot::Write(self.raw_mut()));
    }
}

impl<T: Element> Held for &Buffer<T> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        all.0.push(Slot::Read(self.raw()));
    }
}

#[cfg(feature = "cuda")]
impl<T: Element + Stored> Held for Lent<'_, T> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        all.0.push(Slot::Read(self.raw()));
    }
}

impl<B: Held> Held for Vec<B> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        self.iter_mut().for_each(|held| held.slots(all));
    }
}

impl<B: Held> Held for Option<B> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        self.iter_mut().for_each(|held| held.slots(all));
    }
}

impl<B: Held, const N: usize> Held for [B; N] {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        self.iter_mut().for_each(|held| held.slots(all));
    }
}

macro_rules! tuples {
    ($($($ty:ident $field:tt)*;)+) => {$(
        impl<$($ty: Held),*> Held for ($($ty,)*) {
            fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
                let _ = &all;
                $(self.$field.slots(all);)*
            }
        }
    )+};
}

tuples! {
    ;
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}
