//! What a graph keeps: the buffers in a value that the caller returns, each with what may be done to it.

use std::marker::PhantomData;
use std::ptr;

use crate::backend::Memory;
use crate::element::Element;
use crate::error::Error;
use crate::memory::{Buffer, BufferId, Lent, RawBuffer};
use crate::record::Access;

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

/// Buffers that are there for a launch, borrowed for `'b`; each is looked at through its pointer alone.
#[derive(Debug, Default)]
pub struct Slots<'b>(Vec<Slot>, PhantomData<&'b mut RawBuffer>);

/// One of them, with what may be done to it.
#[derive(Debug)]
struct Slot {
    id: BufferId,
    access: Access,
    raw: *mut RawBuffer,
}

const MISSING: &str = "a buffer that it names is not among those that it holds any more; put it back, or record again";

impl<'b> Slots<'b> {
    pub(crate) fn of<B: Held>(buffers: &'b mut B) -> Slots<'b> {
        let mut all = Slots::default();
        buffers.slots(&mut all);
        all
    }

    fn read(&mut self, raw: &'b RawBuffer) {
        self.0.push(Slot { id: raw.id(), access: Access::Read, raw: ptr::from_ref(raw).cast_mut() });
    }

    fn write(&mut self, raw: &'b mut RawBuffer) {
        self.0.push(Slot { id: raw.id(), access: Access::Write, raw });
    }

    /// The buffer of that number.
    pub(crate) fn buffer(&self, id: BufferId) -> Result<&RawBuffer, Error> {
        let found = self.0.iter().find(|slot| slot.id == id);
        // SAFETY: borrowed for `'b`, and who writes through a pointer of this has `&mut self`.
        found.map(|slot| unsafe { &*slot.raw }).ok_or(Error::NotUsable { what: "the graph", reason: MISSING })
    }

    /// The same, to be read or written through. It is good as long as `self` is borrowed; different buffers have
    /// different pointers.
    pub(crate) fn pointer(&mut self, access: Access, id: BufferId) -> Result<*mut RawBuffer, Error> {
        let found = self.0.iter().find(|slot| slot.id == id && slot.access >= access);
        found.map(|slot| slot.raw).ok_or(Error::NotUsable { what: "the graph", reason: MISSING })
    }

    /// Whether the buffer is there, to be read or to be written.
    pub(crate) fn allows(&self, id: BufferId) -> Option<Access> {
        self.0.iter().find(|slot| slot.id == id).map(|slot| slot.access)
    }

    /// The memory of the buffers that are used, each with what is done to it at most, which it allows.
    pub(crate) fn memory(
        &mut self,
        used: impl Fn(BufferId) -> Option<Access>,
    ) -> (Vec<&dyn Memory>, Vec<&mut dyn Memory>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for slot in &self.0 {
            match used(slot.id) {
                // SAFETY: borrowed mutably for `'b`, so there is one slot of this buffer, and one reference is made of it.
                Some(Access::Write) if slot.access == Access::Write => {
                    writes.extend(unsafe { &mut *slot.raw }.memory_mut().iter_mut().map(|memory| &mut **memory));
                }
                // SAFETY: borrowed for `'b`; a buffer that is written is of the first case, in its one slot.
                Some(_) => reads.extend(unsafe { &*slot.raw }.memory().iter().map(|memory| &**memory)),
                None => {}
            }
        }
        (reads, writes)
    }
}

impl<T: Element> Held for Buffer<T> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        all.write(self.raw_mut());
    }
}

impl<T: Element> Held for &mut Buffer<T> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        all.write(self.raw_mut());
    }
}

impl<T: Element> Held for &Buffer<T> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        all.read(self.raw());
    }
}

impl<T: Element> Held for Lent<'_, T> {
    fn slots<'b>(&'b mut self, all: &mut Slots<'b>) {
        all.read(self.raw());
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
