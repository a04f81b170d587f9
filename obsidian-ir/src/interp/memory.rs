//! The memories of a run: global buffers, one real block's shared memory in granules, one thread's local arrays.

use std::ops::Range;

use super::fault::{Fault, Ran};
use super::shadow::{Access, Reach, Shadow};
use super::value::{Arg, Args, Buffer, Outputs};
use crate::diag::Span;
use crate::level::Level;
use crate::program::{ArrayId, ParamId, ParamKind, Program, Space, StandsFor};

/// A buffer of the host's.
struct Global {
    bits: Vec<u64>,
    /// Of what the kernel may write: which elements hold a value, and who touched them.
    state: Option<Vec<(bool, Shadow)>>,
}

/// A granule of shared memory: bytes that no element shares with another.
#[derive(Default, Clone)]
struct Granule {
    /// The array and element that it belongs to; the element's value is in its first granule.
    holds: Option<(ArrayId, u64)>,
    bits: u64,
    shadow: Shadow,
}

/// Where an element is.
enum Place {
    Global(usize),
    /// First granule and number of granules, and the number of the element among all copies.
    Shared(usize, usize, u64),
    Local(usize),
}

/// All memory of a run.
pub(super) struct Memory<'p> {
    program: &'p Program,
    globals: Vec<Option<Global>>,
    shared: Vec<Granule>,
    /// Bytes of a granule.
    granule: usize,
    /// The arrays of each thread; of one after the other where levels are there.
    locals: Vec<Vec<Vec<Option<u64>>>>,
    /// Whose arrays are in reach.
    pub(super) thread: usize,
    /// Whether an index of a warp's array counts from the first warp's: where the levels are gone.
    all_copies: bool,
}

/// The most bytes that divide all offsets and elements of a program's shared arrays.
fn granule(program: &Program) -> usize {
    let shared = program.arrays.iter().filter(|array| matches!(array.space, Space::Shared(_)));
    let sides = shared.flat_map(|array| [array.elem.bytes(), array.offset.unwrap_or(0)]);
    // Elements have 1, 2, 4 or 8 bytes: what divides two numbers is in the bits of both.
    let bits = sides.chain([program.shared_bytes]).fold(8, |bits, side| bits | side);
    1 << bits.trailing_zeros()
}

impl<'p> Memory<'p> {
    /// Binds the inputs; outputs follow with [`Memory::add_output`].
    pub(super) fn new(program: &'p Program, args: &Args) -> Ran<Memory<'p>> {
        let n = program.arrays.len();
        let granule = granule(program);
        let shared = vec![Granule::default(); program.shared_bytes as usize / granule];
        let (globals, locals) = (Vec::new(), Vec::new());
        let mut memory = Memory { program, globals, shared, granule, locals, thread: 0, all_copies: false };
        memory.globals.resize_with(n, || None);
        memory.locals.push(vec![Vec::new(); n]);
        let mut given = args.0.iter();
        for param in program.params.iter() {
            let name = &param.name;
            let mut next = || given.next().ok_or_else(|| Fault::Arguments(format!("`{name}` is missing")));
            match &param.kind {
                ParamKind::Output { .. } => {}
                ParamKind::Fault(array) => {
                    memory.globals[array.0 as usize] = Some(Global { bits: vec![0; 2], state: None });
                    memory.watch(&[*array]);
                }
                ParamKind::Scalar(ty) => match next()? {
                    Arg::Scalar(c) if c.ty == *ty => {}
                    _ => {
                        return Err(Fault::Arguments(format!("`{name}` must be a scalar of type {}", ty.name())).into());
                    }
                },
                ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => match next()? {
                    Arg::Buffers(fields) => {
                        memory.add_input(name, arrays, *len, fields)?;
                        if matches!(param.kind, ParamKind::InOut { .. }) {
                            memory.watch(arrays);
                        }
                    }
                    Arg::Scalar(_) => return Err(Fault::Arguments(format!("`{name}` must be a buffer")).into()),
                },
            }
        }
        if given.next().is_some() {
            return Err(Fault::Arguments("more arguments than parameters".into()).into());
        }
        Ok(memory)
    }

    fn add_input(&mut self, name: &str, arrays: &[ArrayId], len: Option<u32>, fields: &[Buffer]) -> Ran {
        let wrong = |what: String| Err(Fault::Arguments(format!("`{name}` {what}")).into());
        if fields.len() != arrays.len() {
            return wrong(format!("has {} fields, found {}", arrays.len(), fields.len()));
        }
        let first = fields.first().map_or(0, |f| f.bits.len());
        for (&array, field) in arrays.iter().zip(fields) {
            let ty = self.program.array(array).elem;
            if field.ty != ty {
                return wrong(format!("has elements of type {}, found {}", ty.name(), field.ty.name()));
            }
            if field.bits.len() != first || u32::try_from(first).is_err() {
                return wrong("must have fields of one length, below 2^32".into());
            }
            if let Some(n) = len.filter(|&n| n as usize != first) {
                return wrong(format!("must have {n} elements, found {first}"));
            }
            self.globals[array.0 as usize] = Some(Global { bits: field.bits.clone(), state: None });
        }
        Ok(())
    }

    /// Buffers that the kernel updates: every element holds a value, and who touches it counts.
    fn watch(&mut self, arrays: &[ArrayId]) {
        for &array in arrays {
            if let Some(g) = &mut self.globals[array.0 as usize] {
                g.state = Some(g.bits.iter().map(|_| (true, Shadow::default())).collect());
            }
        }
    }

    /// Makes an output of `len` elements.
    pub(super) fn add_output(&mut self, arrays: &[ArrayId], len: u64) -> Ran {
        for &array in arrays {
            let too_long = |_| Fault::Arguments(format!("an output of {len} elements does not fit into memory"));
            let n = usize::try_from(len).unwrap_or(usize::MAX);
            let (mut bits, mut output) = (Vec::new(), Vec::new());
            bits.try_reserve_exact(n).map_err(too_long)?;
            output.try_reserve_exact(n).map_err(too_long)?;
            bits.resize(n, 0);
            output.resize_with(n, || (false, Shadow::default()));
            self.globals[array.0 as usize] = Some(Global { bits, state: Some(output) });
        }
        Ok(())
    }

    /// Length of an input, in elements.
    pub(super) fn input_len(&self, param: ParamId) -> u64 {
        match &self.program.param(param).kind {
            ParamKind::Input { arrays, len } | ParamKind::InOut { arrays, len } => {
                let found = arrays.first().and_then(|a| self.globals[a.0 as usize].as_ref());
                found.map_or(len.unwrap_or(0).into(), |g| g.bits.len() as u64)
            }
            _ => 0,
        }
    }

    /// Gives each of `threads` threads arrays of its own.
    pub(super) fn threads(&mut self, threads: usize) {
        self.locals = vec![vec![Vec::new(); self.program.arrays.len()]; threads];
        self.all_copies = true;
    }

    /// Makes shared memory new: nothing is in it.
    pub(super) fn clear_shared(&mut self) {
        self.shared.fill(Granule::default());
    }

    /// Starts the life of an array: what it held before is gone.
    pub(super) fn allocate(&mut self, array: ArrayId) {
        match self.program.array(array).space {
            Space::Local | Space::Registers => {
                let n = self.program.exprs.as_u32(self.program.array(array).len).unwrap_or(0);
                self.locals[self.thread][array.0 as usize] = vec![None; n as usize];
            }
            // Elements that another array holds stay: its life may overlap with this one's.
            Space::Shared(level) => {
                let own = self.granules_of(array, level);
                for granule in self.shared[own].iter_mut().filter(|g| g.holds.is_some_and(|(a, _)| a == array)) {
                    granule.holds = None;
                }
            }
            Space::Global(_) | Space::Lanes => {}
        }
    }

    /// Where in shared memory an array is, with the copies of all warps.
    fn granules_of(&self, array: ArrayId, level: Level) -> Range<usize> {
        let a = self.program.array(array);
        let copies = if level == Level::Warp { self.program.warps() } else { 1 };
        let elements = u64::from(self.program.exprs.as_u32(a.len).unwrap_or(0)) * u64::from(copies);
        let start = u64::from(a.offset.unwrap_or(0));
        let inside = |byte: u64| (byte / self.granule as u64).min(self.shared.len() as u64) as usize;
        inside(start)..inside(start + elements * u64::from(a.elem.bytes()))
    }

    /// What an access past the end of an array is: a stray one, or the failure of an `assert!`.
    fn outside(&self, array: ArrayId, index: u64, len: u64, span: Span) -> Box<Fault> {
        let a = self.program.array(array);
        if let Some(assertion) = a.assertion() {
            let shown = self.locals[self.thread][array.0 as usize].first().copied().flatten();
            return Fault::assertion(array, assertion, shown.unwrap_or(0)).into();
        }
        Fault::OutOfBounds { array: a.name.clone(), index, len, span }.into()
    }

    fn place(&self, array: ArrayId, index: u64, warp: Option<u32>, span: Span) -> Ran<Place> {
        let a = self.program.array(array);
        let global = self.globals[array.0 as usize].as_ref();
        let len = match a.space {
            Space::Global(_) => global.map_or(0, |g| g.bits.len() as u64),
            Space::Local | Space::Registers => self.locals[self.thread][array.0 as usize].len() as u64,
            Space::Shared(level) => {
                let copies = if self.all_copies && level == Level::Warp { self.program.warps() } else { 1 };
                u64::from(self.program.exprs.as_u32(a.len).unwrap_or(0)) * u64::from(copies)
            }
            Space::Lanes => self.program.exprs.as_u32(a.len).unwrap_or(0).into(),
        };
        if index >= len {
            return Err(self.outside(array, index, len, span));
        }
        let copy = match a.space {
            Space::Global(_) => return Ok(Place::Global(index as usize)),
            Space::Local | Space::Registers => return Ok(Place::Local(index as usize)),
            Space::Shared(Level::Warp) if !self.all_copies => {
                warp.ok_or_else(|| Fault::Malformed(format!("`{}` is used outside a warp", a.name)))?
            }
            Space::Lanes => return Err(Fault::Malformed(format!("`{}` is in lanes in native form", a.name)).into()),
            Space::Shared(_) => 0,
        };
        let element = u64::from(copy) * len + index;
        let bytes = u64::from(a.elem.bytes());
        let start = a.offset.map(|o| u64::from(o) + element * bytes);
        let granule = self.granule as u64;
        match start.map(|start| start / granule).filter(|s| s + bytes / granule <= self.shared.len() as u64) {
            Some(start) => Ok(Place::Shared(start as usize, (bytes / granule) as usize, element)),
            None => Err(Fault::Malformed(format!("`{}` has no place in shared memory", a.name)).into()),
        }
    }

    fn race(&self, array: ArrayId, element: u64, first: Access, second: Access) -> Box<Fault> {
        let array = self.program.array(array).name.clone();
        Fault::Race { array, element, first: first.who, second: second.who, spans: (first.span, second.span) }.into()
    }

    /// Reads an element, for a load or (`access.kind`) for an atomic update.
    pub(super) fn read(&mut self, array: ArrayId, index: u64, access: Access) -> Ran<u64> {
        let span = access.span;
        let (bits, holds, raced) = match self.place(array, index, access.warp, span)? {
            Place::Local(i) => (self.locals[self.thread][array.0 as usize][i], None, None),
            Place::Global(i) => match self.globals[array.0 as usize].as_mut() {
                Some(Global { bits, state: Some(state) }) => {
                    let raced = state[i].1.touch(access, Reach::Grid);
                    (state[i].0.then_some(bits[i]), None, raced)
                }
                Some(g) => (Some(g.bits[i]), None, None),
                None => (None, None, None),
            },
            Place::Shared(start, count, element) => {
                let range = &mut self.shared[start..start + count];
                let raced = range.iter_mut().find_map(|g| g.shadow.touch(access, Reach::Block));
                let alien = range.iter().find(|g| g.holds != Some((array, element))).map(|g| g.holds);
                let bits = if alien.is_none() { Some(range[0].bits) } else { None };
                (bits, alien.flatten().filter(|h| h.0 != array), raced)
            }
        };
        if let Some(first) = raced {
            return Err(self.race(array, index, first, access));
        }
        let holds = holds.map(|(a, _)| self.program.array(a).name.clone());
        let name = || self.program.array(array).name.clone();
        bits.ok_or_else(|| Fault::Uninitialised { array: name(), index, holds, span }.into())
    }

    /// Writes an element, for an assignment or for an atomic update.
    pub(super) fn write(&mut self, array: ArrayId, index: u64, bits: u64, access: Access) -> Ran {
        let raced = match self.place(array, index, access.warp, access.span)? {
            Place::Local(i) => {
                self.locals[self.thread][array.0 as usize][i] = Some(bits);
                None
            }
            Place::Global(i) => match self.globals[array.0 as usize].as_mut() {
                Some(Global { bits: all, state: Some(state) }) => {
                    all[i] = bits;
                    state[i].0 = true;
                    state[i].1.touch(access, Reach::Grid)
                }
                _ => {
                    return Err(
                        Fault::Malformed(format!("input `{}` is written", self.program.array(array).name)).into()
                    );
                }
            },
            Place::Shared(start, count, element) => {
                let range = &mut self.shared[start..start + count];
                let mut raced = None;
                for granule in range.iter_mut() {
                    granule.holds = Some((array, element));
                    granule.bits = bits;
                    raced = raced.or(granule.shadow.touch(access, Reach::Block));
                }
                raced
            }
        };
        raced.map_or(Ok(()), |first| Err(self.race(array, index, first, access)))
    }

    /// Takes from an element of shared memory what it held: something is on its way there.
    pub(super) fn empty(&mut self, array: ArrayId, index: u64, access: Access) -> Ran {
        self.write(array, index, 0, access)?;
        if let Place::Shared(start, count, _) = self.place(array, index, access.warp, access.span)? {
            self.shared[start..start + count].iter_mut().for_each(|granule| granule.holds = None);
        }
        Ok(())
    }

    /// What the guards have recorded.
    pub(super) fn guarded(&self) -> Ran {
        let record = self.program.params.iter().find_map(|p| match p.kind {
            ParamKind::Fault(array) => self.globals[array.0 as usize].as_ref(),
            _ => None,
        });
        match record.map(|g| g.bits.as_slice()) {
            Some(&[what, len]) if what != 0 => {
                let number = (what >> 32) as u32 - 1;
                let array = self.program.arrays.get(number as usize);
                if let Some(assertion) = array.and_then(|a| a.assertion()) {
                    return Err(Fault::assertion(ArrayId(number), assertion, what).into());
                }
                let array = match array.map(|a| (a, &a.stands_for)) {
                    Some((_, Some(StandsFor::Side(side, of)))) => side.of(&self.program.array(*of).name),
                    Some((array, _)) => array.name.clone(),
                    None => String::new(),
                };
                Err(Fault::OutOfBounds { array, index: what & u64::from(u32::MAX), len, span: Span::NONE }.into())
            }
            _ => Ok(()),
        }
    }

    /// The buffers that the kernel updates, and the outputs, when every element of them has been written.
    pub(super) fn outputs(mut self) -> Ran<Outputs> {
        let mut outputs = Vec::new();
        for param in &self.program.params {
            let (ParamKind::Output { arrays, .. } | ParamKind::InOut { arrays, .. }) = &param.kind else { continue };
            let mut fields = Vec::new();
            for &id in arrays {
                let array = self.program.array(id);
                let Some(g) = self.globals[id.0 as usize].take() else { continue };
                let state = g.state.unwrap_or_default();
                if let Some(index) = state.iter().position(|(written, _)| !written) {
                    return Err(Fault::Unwritten { array: array.name.clone(), index: index as u64 }.into());
                }
                fields.push(Buffer { ty: array.elem, bits: g.bits });
            }
            outputs.push(fields);
        }
        Ok(Outputs(outputs))
    }
}
