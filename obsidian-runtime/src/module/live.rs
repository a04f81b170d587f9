//! A walk's steps done at once, where elements are fetched: memory is taken from a pool that is kept from run to run. In: what
//! the walk asks for; out: work in a queue, fetched elements.

use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use obsidian_abi::ScalarType;
use obsidian_abi::module::ModuleVariant;

use super::arena::Arena;
use super::execute::{Fields, Given, Target, spoil};
use super::prepare::{Loader, field_bytes};
use super::walk::{FIRST_EPOCH, Home, Instance, InstanceId, Launched, Passed, Sink};
use crate::backend::{Argument, Memory, Module, Queue};
use crate::device::Device;
use crate::error::Error;
use crate::launch::outputs;
use crate::memory::RawBuffer;

/// The module's own memory where it is walked at each run: pieces, the first as long as the dry run saw, more as they are wanted.
/// They are kept from run to run.
#[derive(Default)]
pub(super) struct Pool {
    pieces: Vec<(Arena, Box<dyn Memory>)>,
}

/// Bytes of a piece.
type Taken = (usize, Range<usize>);

impl Pool {
    /// Adds a piece.
    pub fn grow(&mut self, bytes: usize, device: &Device, queue: &dyn Queue) -> Result<(), Error> {
        let align = device.inner().part_alignment();
        let memory = device.inner().allocate(bytes, Some(queue))?;
        self.pieces.push((Arena::of(bytes, align), memory));
        Ok(())
    }

    /// Bytes of all pieces.
    pub fn bytes(&self) -> u64 {
        self.pieces.iter().map(|(_, memory)| memory.len() as u64).sum()
    }

    /// Frees all that was taken.
    pub fn clear(&mut self, align: usize) {
        for (arena, memory) in &mut self.pieces {
            *arena = Arena::of(memory.len(), align);
        }
    }

    fn take(&mut self, bytes: usize, device: &Device, queue: &dyn Queue) -> Result<Taken, Error> {
        let found = |pool: &mut Pool| {
            let mut pieces = pool.pieces.iter_mut().enumerate();
            pieces.find_map(|(piece, (arena, _))| Some((piece, arena.take(bytes)?)))
        };
        if let Some(taken) = found(self) {
            return Ok(taken);
        }
        let out_of_memory = || Error::OutOfMemory { device: device.name().to_owned(), bytes: bytes as u64 };
        let align = device.inner().part_alignment();
        let rounded = bytes.max(1).checked_next_multiple_of(align).ok_or_else(out_of_memory)?;
        self.grow(rounded, device, queue)?;
        found(self).ok_or_else(out_of_memory)
    }
}

/// The memory of an instance of the module's own in a walked run.
#[derive(Default)]
struct Room {
    fields: Fields,
    taken: Vec<Taken>,
}

/// A sink that does what is asked for at once.
pub(super) struct Live<'a> {
    pub target: Target<'a>,
    pub given: Given<'a>,
    pub pool: &'a mut Pool,
    pub loader: Loader<'a>,
    variant: &'static ModuleVariant,
    entry: &'static str,
    rooms: Vec<Room>,
    /// Home and length of each instance.
    known: Vec<(Home, u32)>,
    spoils: bool,
}

impl<'a> Live<'a> {
    pub fn new(
        (entry, variant): (&'static str, &'static ModuleVariant),
        (target, given): (Target<'a>, Given<'a>),
        pool: &'a mut Pool,
        loader: Loader<'a>,
        spoils: bool,
    ) -> Live<'a> {
        let (rooms, known) = (Vec::new(), Vec::new());
        Live { target, given, pool, loader, variant, entry, rooms, known, spoils }
    }

    /// Says what the arguments are, which are there before all steps.
    pub fn know(&mut self, instances: &[Instance]) {
        self.known = instances.iter().map(|instance| (instance.home, instance.len)).collect();
        self.rooms.resize_with(self.known.len(), Room::default);
    }

    fn fields(&mut self, id: InstanceId) -> Result<*mut [Box<dyn Memory>], Error> {
        let home = self.known.get(id).map(|known| known.0);
        let missing = || Error::Arguments {
            kernel: self.entry,
            expected: "memory for each buffer".to_owned(),
            found: "none".to_owned(),
        };
        match home {
            Some(Home::Own) => Ok(ptr::from_mut(self.rooms[id].fields.as_mut_slice())),
            Some(home) => {
                let raw = self.given.at(home).ok_or_else(missing)?;
                // SAFETY: the caller has lent the buffer for the run, and one reference to it is made here, of which only
                // the pointer is kept.
                Ok(unsafe { ptr::from_mut((*raw).memory_mut()) })
            }
            None => Err(missing()),
        }
    }

    /// Makes the caller's output as long as the result, where it is not fixed yet.
    fn output(&mut self, output: usize, instance: &Instance) -> Result<(), Error> {
        let Some(raw) = self.given.at(Home::Output(output)) else { return Ok(()) };
        // SAFETY: lent for the run, and nothing else looks at it now.
        let raw = unsafe { &mut *raw };
        if raw.is_pending() {
            *raw =
                RawBuffer::unwritten(self.target.device, raw.fields(), instance.len as usize, Some(self.target.queue))?;
        }
        if raw.len() as u64 != u64::from(instance.len) {
            let parameter = outputs(self.variant.params).nth(output).map_or("out", |param| param.name);
            let (expected, found) = (instance.len.into(), raw.len() as u64);
            return Err(Error::Length { kernel: self.entry, parameter, expected, found });
        }
        Ok(())
    }
}

impl Sink for Live<'_> {
    fn take(&mut self, id: InstanceId, instance: &Instance) -> Result<(), Error> {
        let count = self.rooms.len().max(id + 1);
        self.rooms.resize_with(count, Room::default);
        self.known.resize(count, (Home::Own, 0));
        self.known[id] = (instance.home, instance.len);
        if let Home::Output(output) = instance.home {
            return self.output(output, instance);
        }
        let (device, queue) = (self.target.device, self.target.queue);
        let mut room = Room::default();
        for bytes in field_bytes(instance)? {
            let (piece, range) = self.pool.take(bytes, device, queue)?;
            let memory = &self.pool.pieces[piece].1;
            // SAFETY: the pool outlives the run, which drops its rooms; what is taken lies apart, and all is done on one
            // queue, in order.
            room.fields.push(unsafe { memory.part(range.start..range.start + bytes, queue)? });
            room.taken.push((piece, range));
        }
        if self.spoils {
            spoil(&mut room.fields, queue)?;
        }
        self.rooms[id] = room;
        Ok(())
    }

    fn give(&mut self, id: InstanceId) {
        for (piece, range) in std::mem::take(&mut self.rooms[id]).taken {
            self.pool.pieces[piece].0.give(range);
        }
    }

    fn moves(&mut self, _id: InstanceId, _output: usize) -> bool {
        false
    }

    fn reuses(&self) -> bool {
        true
    }

    fn launch(&mut self, launch: Launched) -> Result<(), Error> {
        let module: Arc<dyn Module> = self.loader.load(launch.kernel, launch.blocks)?;
        let order = self.loader.order(launch.kernel, launch.blocks);
        let mut args = Vec::with_capacity(launch.args.len());
        for passed in launch.args {
            args.push(match passed {
                Passed::Scalar(bits) => Argument::Scalar(bits),
                Passed::Epoch => Argument::Scalar(FIRST_EPOCH),
                // SAFETY: the memory is lent for the run; see below.
                Passed::Read(id) => Argument::Read(unsafe { &*self.fields(id)? }, self.known[id].1),
                // SAFETY: as above.
                Passed::Write(id) => Argument::Write(unsafe { &mut *self.fields(id)? }, self.known[id].1),
            });
        }
        // SAFETY: the walk has checked kinds, field types, lengths and aliasing against the kernel's parameters and its
        // geometry; instances that live at one time lie apart.
        unsafe { self.target.launch(&*module, order, args) }
    }

    fn fill(&mut self, _step: u32, to: InstanceId, byte: u8) -> Result<(), Error> {
        let to = self.fields(to)?;
        // SAFETY: as above; it is the one reference.
        let to = unsafe { &mut *to };
        to.iter_mut().try_for_each(|field| field.fill(byte, self.target.queue))
    }

    fn clear(&mut self, step: u32, cells: InstanceId) -> Result<(), Error> {
        self.fill(step, cells, 0)
    }

    fn copy(&mut self, _step: u32, from: InstanceId, to: InstanceId) -> Result<(), Error> {
        let (from, to) = (self.fields(from)?, self.fields(to)?);
        // SAFETY: as above; the two are different instances that live at one time.
        let (from, to) = unsafe { (&*from, &mut *to) };
        from.iter().zip(to).try_for_each(|(from, to)| to.copy(&**from, self.target.queue))
    }

    fn fetch(&mut self, from: InstanceId, index: u32, types: &[ScalarType]) -> Result<Option<Vec<u64>>, Error> {
        let fields = self.fields(from)?;
        // SAFETY: as above; it is read alone.
        let fields = unsafe { &*fields };
        let mut bits = Vec::with_capacity(types.len());
        for (ty, field) in types.iter().zip(fields) {
            let size = ty.bytes() as usize;
            let mut low = [0; 8];
            field.read(index as usize * size, &mut low[..size])?;
            bits.push(canonical(*ty, u64::from_le_bytes(low)));
        }
        Ok(Some(bits))
    }
}

/// The bits of a value as launch values have them; `low` holds as many bytes as the type has, zeros above.
fn canonical(ty: ScalarType, low: u64) -> u64 {
    let low = if cfg!(target_endian = "big") { low.swap_bytes() >> (64 - 8 * ty.bytes()) } else { low };
    match ty {
        ScalarType::Bool => u64::from(low != 0),
        _ if ty.is_float() => low,
        _ => obsidian_abi::arith::wrap(ty, low.into()),
    }
}
