//! The dry run: a walk that only notes. In: an outline and values. Out: a [`Recording`], the flat list of what is to be done, its
//! memory laid out; or, where something is fetched, that all up to there is in order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use obsidian_abi::{KernelInfo, ScalarType};

use super::arena::Arena;
use super::lodge::lodge;
use super::walk::{Home, Instance, InstanceId, Lasting, Launched, Passed, Sink};
use crate::backend::{Module, Order};
use crate::device::Device;
use crate::element::element_bytes;
use crate::error::Error;

/// The most commands that are kept; a module with more is walked at each run.
const MAX_COMMANDS: usize = 1 << 16;

/// Something to be done.
#[derive(Debug)]
pub(super) enum Command {
    Launch(Launched, Arc<dyn Module>),
    Fill {
        step: u32,
        to: InstanceId,
        byte: u8,
    },
    Copy {
        step: u32,
        from: InstanceId,
        to: InstanceId,
    },
    /// A debug build spoils fresh memory, where the host sees it, so that a read of what nobody has written is noticed.
    Spoil(InstanceId),
}

impl Command {
    /// Whether it is a launch that tells its words in cells from all others'.
    pub fn takes_epoch(&self) -> bool {
        matches!(self, Command::Launch(launch, _) if launch.args.contains(&Passed::Epoch))
    }
}

/// What a module does for some values.
#[derive(Debug)]
pub(super) struct Recording {
    pub commands: Vec<Command>,
    pub instances: Vec<Instance>,
    pub ranges: Ranges,
    /// Bytes of that memory.
    pub bytes: usize,
}

impl Recording {
    /// How many launches take an epoch.
    pub fn epochs(&self) -> u32 {
        self.commands.iter().filter(|command| command.takes_epoch()).count() as u32
    }

    /// Whether another one differs in scalars of kernels alone.
    pub fn is_alike(&self, other: &Recording) -> bool {
        let same = |a: &Passed, b: &Passed| matches!((a, b), (Passed::Scalar(_), Passed::Scalar(_))) || a == b;
        let alike = |(a, b): (&Command, &Command)| match (a, b) {
            (Command::Launch(a, _), Command::Launch(b, _)) => {
                std::ptr::eq(a.kernel, b.kernel)
                    && a.blocks == b.blocks
                    && a.args.iter().zip(&b.args).all(|(a, b)| same(a, b))
            }
            (Command::Fill { to, byte, .. }, Command::Fill { to: other, byte: set, .. }) => (to, byte) == (other, set),
            (Command::Copy { from, to, .. }, Command::Copy { from: a, to: b, .. }) => (from, to) == (a, b),
            (Command::Spoil(a), Command::Spoil(b)) => a == b,
            _ => false,
        };
        self.bytes == other.bytes
            && self.ranges == other.ranges
            && self.commands.len() == other.commands.len()
            && self.commands.iter().zip(&other.commands).all(alike)
            && self.instances.len() == other.instances.len()
            && self.instances.iter().zip(&other.instances).all(|(a, b)| (a.len, a.home) == (b.len, b.home))
    }
}

/// Loads kernels, each once for each number of blocks.
#[derive(Debug)]
pub(super) struct Loader<'a> {
    device: &'a Device,
    wanted: Option<u32>,
    loaded: HashMap<(usize, u32), Arc<dyn Module>>,
}

impl<'a> Loader<'a> {
    pub fn new(device: &'a Device, wanted: Option<u32>) -> Loader<'a> {
        Loader { device, wanted, loaded: HashMap::new() }
    }

    /// What the back end is asked for.
    pub fn order(&self, kernel: &'static KernelInfo, blocks: u32) -> Order {
        Order { info: kernel, variant: &kernel.variants[0], blocks, wanted: self.wanted }
    }

    pub fn load(&mut self, kernel: &'static KernelInfo, blocks: u32) -> Result<Arc<dyn Module>, Error> {
        let key = (std::ptr::from_ref(kernel).addr(), blocks);
        if let Some(loaded) = self.loaded.get(&key) {
            return Ok(Arc::clone(loaded));
        }
        let loaded = self.device.inner().load(&self.order(kernel, blocks))?;
        self.loaded.insert(key, Arc::clone(&loaded));
        Ok(loaded)
    }
}

/// Bytes of each field of an instance.
pub(super) fn field_bytes(instance: &Instance) -> Result<Vec<usize>, Error> {
    let (len, element_bytes) = (instance.len as usize, element_bytes(instance.fields));
    let fits = element_bytes.checked_mul(len).filter(|&bytes| isize::try_from(bytes).is_ok());
    fits.ok_or(Error::SizeOverflow { len, element_bytes })?;
    Ok(instance.fields.iter().map(|field| field.bytes() as usize * len).collect())
}

/// A point in the life of an instance in the module's own memory.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    Take(InstanceId),
    Give(InstanceId),
}

/// Of each instance in the module's own memory, the bytes of each field.
pub(super) type Ranges = Vec<Vec<Range<usize>>>;

/// Lays out the instances that are at home in the module's own memory: the bytes of each field, and how many there are in all.
fn lay_out(events: &[Event], instances: &[Instance], align: usize) -> Result<(Ranges, usize), Error> {
    let (mut arena, mut cells) = (Arena::unbounded(align), Arena::unbounded(align));
    let mut ranges = vec![Vec::new(); instances.len()];
    for &event in events {
        let (Event::Take(id) | Event::Give(id)) = event;
        let Some(instance) = instances.get(id).filter(|instance| instance.home == Home::Own) else { continue };
        // Nothing but other cells comes where cells have been: what is there is of an earlier epoch.
        let arena = if instance.lasting == Lasting::Runs { &mut cells } else { &mut arena };
        if let Event::Give(_) = event {
            for range in &ranges[id] {
                let range: &Range<usize> = range;
                let end = arena.rounded(range.len()).map_or(range.end, |bytes| range.start + bytes);
                arena.give(range.start..end);
            }
            continue;
        }
        for bytes in field_bytes(instance)? {
            let too_much =
                || Error::SizeOverflow { len: instance.len as usize, element_bytes: element_bytes(instance.fields) };
            let range = arena.take(bytes).ok_or_else(too_much)?;
            ranges[id].push(range.start..range.start + bytes);
        }
    }
    for (ranges, _) in ranges.iter_mut().zip(instances).filter(|(_, instance)| instance.lasting == Lasting::Runs) {
        ranges
            .iter_mut()
            .for_each(|range: &mut Range<usize>| *range = range.start + arena.peak()..range.end + arena.peak());
    }
    Ok((ranges, arena.peak() + cells.peak()))
}

/// Notes what is to be done.
pub(super) struct Dry<'a> {
    loader: Loader<'a>,
    align: usize,
    commands: Vec<Command>,
    /// When room is taken and given back. It is laid out at the end, since what turns out to be an output needs none.
    events: Vec<Event>,
    spoils: bool,
    /// Whether there are too many commands to keep.
    full: bool,
}

impl<'a> Dry<'a> {
    pub fn new(loader: Loader<'a>, align: usize, spoils: bool) -> Dry<'a> {
        Dry { loader, align, commands: Vec::new(), events: Vec::new(), spoils, full: false }
    }

    /// What was noted, with the walk's instances, its memory laid out; `None` where it is too much to keep.
    pub fn finish(self, mut instances: Vec<Instance>) -> Result<Option<Recording>, Error> {
        let Dry { commands, events, align, full, .. } = self;
        if full {
            return Ok(None);
        }
        lodge(&events, &mut instances);
        let (ranges, bytes) = lay_out(&events, &instances, align)?;
        Ok(Some(Recording { commands, instances, ranges, bytes }))
    }

    /// The most memory that is in use at a time of what was noted.
    pub fn bytes(&self, instances: &[Instance]) -> Result<usize, Error> {
        if self.full { Ok(0) } else { Ok(lay_out(&self.events, instances, self.align)?.1) }
    }

    fn note(&mut self, command: Command) {
        if self.commands.len() < MAX_COMMANDS {
            self.commands.push(command);
        } else {
            self.full = true;
        }
    }
}

impl Sink for Dry<'_> {
    fn take(&mut self, id: InstanceId, instance: &Instance) -> Result<(), Error> {
        field_bytes(instance)?;
        if !self.full {
            self.events.push(Event::Take(id));
        }
        if self.spoils && instance.lasting == Lasting::Run {
            self.note(Command::Spoil(id));
        }
        Ok(())
    }

    fn give(&mut self, id: InstanceId) {
        if !self.full {
            self.events.push(Event::Give(id));
        }
    }

    fn moves(&mut self, _id: InstanceId, _output: usize) -> bool {
        true
    }

    fn reuses(&self) -> bool {
        self.full
    }

    fn launch(&mut self, launch: Launched) -> Result<(), Error> {
        let module = self.loader.load(launch.kernel, launch.blocks)?;
        self.note(Command::Launch(launch, module));
        Ok(())
    }

    fn fill(&mut self, step: u32, to: InstanceId, byte: u8) -> Result<(), Error> {
        self.note(Command::Fill { step, to, byte });
        Ok(())
    }

    fn clear(&mut self, _step: u32, _cells: InstanceId) -> Result<(), Error> {
        // Cleared once, with the memory.
        Ok(())
    }

    fn copy(&mut self, step: u32, from: InstanceId, to: InstanceId) -> Result<(), Error> {
        self.note(Command::Copy { step, from, to });
        Ok(())
    }

    fn fetch(&mut self, _from: InstanceId, _index: u32, _fields: &[ScalarType]) -> Result<Option<Vec<u64>>, Error> {
        Ok(None)
    }
}
