//! The ranks of a program over any wire: numbered steps, time limits, and errors that reach all of them. In: messages of elements for a
//! step; out: those of the same step from other ranks, or an error that names the rank and the step.

mod blame;
mod farewell;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use super::message::{HEADER, Header, Kind, Operation, Step};
use super::patience::Patience;
use super::wire::Wire;
use crate::device::Device;
use crate::error::Error;
use blame::{Failure, differs};

/// The most bytes of elements in one message of the wire; MPI counts up to 2^31. Few in the tests, which send such in parts, too.
const MAX_PART: usize = if cfg!(test) { 96 } else { 1 << 30 };
/// How many steps back a rank can be compared with one that is behind.
const REMEMBERED: usize = 4096;

/// The ranks of a program, as one of them sees them: an [`Exchange`](super::Exchange) over a [`Wire`].
///
/// Each exchange is a step, and every message says of which step it is, so ranks that do their exchanges in different orders find that out.
/// Each waits no longer than the time limit for another rank; a rank that computes for longer between two exchanges needs a longer one.
pub struct Ranks<W: Wire> {
    wire: W,
    limit: Duration,
    state: RefCell<State>,
}

struct State {
    /// The step under way, or the last one.
    now: Step,
    /// The steps before it, the last ones.
    past: VecDeque<Step>,
    from: Vec<Other>,
    /// What went wrong; nothing is exchanged after it.
    broken: Option<Failure>,
    /// For whom this rank waits because of whom.
    blocked_by: Option<usize>,
}

/// What is known of another rank.
#[derive(Default)]
struct Other {
    /// Messages that nobody has asked for yet, and the one whose rest is to come.
    queue: VecDeque<(Header, Vec<u8>)>,
    /// The step in which it waits for this rank.
    waits: Option<Step>,
    /// The last step of one that has left.
    left: Option<Step>,
}

impl<W: Wire> Ranks<W> {
    /// Meets the other ranks, which must be of this version and work on devices of one back end. `limit` is how long an exchange waits for a
    /// rank. Every rank calls it once.
    ///
    /// # Errors
    /// [`Error::Exchange`] on every rank: one has another version or back end, or has not come within the limit.
    pub fn join(wire: W, device: &Device, limit: Duration) -> Result<Ranks<W>, Error> {
        let introduction = format!("version {} on back end {}", env!("CARGO_PKG_VERSION"), device.kind());
        Ranks::introduced(wire, &introduction, limit)
    }

    /// As [`Ranks::join`], with a text of one's own that all ranks must have in common: the version of a program, the name of its input.
    ///
    /// # Errors
    /// As of [`Ranks::join`].
    pub fn introduced(wire: W, introduction: &str, limit: Duration) -> Result<Ranks<W>, Error> {
        let hello = Step { number: 0, operation: Operation::Hello, root: 0, elements: 0 };
        let from = (0..wire.size()).map(|_| Other::default()).collect();
        let state = State { now: hello, past: VecDeque::new(), from, broken: None, blocked_by: None };
        let ranks = Ranks { wire, limit, state: RefCell::new(state) };
        if ranks.wire.rank() > 0 {
            ranks.send(0, [&[0; HEADER], introduction.as_bytes()].concat())?;
            ranks.receive(0)?;
            return Ok(ranks);
        }
        for other in 1..ranks.wire.size() {
            let theirs = ranks.receive(other)?;
            if theirs[HEADER..] != *introduction.as_bytes() {
                let theirs = String::from_utf8_lossy(&theirs[HEADER..]);
                return Err(ranks.blame(other, format!("it is {theirs}, and rank 0 {introduction}")));
            }
        }
        for other in 1..ranks.wire.size() {
            ranks.send(other, vec![0; HEADER])?;
        }
        Ok(ranks)
    }

    /// The time limit of an exchange.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// How many exchanges have been done or begun.
    pub fn steps(&self) -> u64 {
        self.state.borrow().now.number
    }

    pub(in crate::exchange) fn wire(&self) -> &W {
        &self.wire
    }

    /// Begins the next step.
    pub(in crate::exchange) fn begin(&self, operation: Operation, root: usize, elements: u64) -> Result<(), Error> {
        // What came meanwhile, such as the failure of another rank.
        while let Ok(Some((sender, message))) = self.wire.receive(Duration::ZERO) {
            self.take_in(None, sender, message)?;
        }
        let mut state = self.state.borrow_mut();
        if let Some(broken) = &state.broken {
            return Err(broken.clone().error());
        }
        let before = state.now;
        if state.past.len() == REMEMBERED {
            state.past.pop_front();
        }
        state.past.push_back(before);
        state.now = Step { number: before.number + 1, operation, root: root as u32, elements };
        let other = state.from.iter().position(|other| other.waits.is_some_and(|step| differs(step, state.now)));
        drop(state);
        other.map_or(Ok(()), |rank| self.compare(rank))
    }

    /// Sends bytes of elements in this step. They lie after [`HEADER`] bytes of `message`, which are overwritten.
    pub(in crate::exchange) fn send(&self, to: usize, mut message: Vec<u8>) -> Result<(), Error> {
        let step = self.state.borrow().now;
        let header = Header { kind: Kind::Data, step, bytes: (message.len() - HEADER) as u64, about: 0 };
        message[..HEADER].copy_from_slice(&header.encode());
        let rest = if message.len() > HEADER + MAX_PART { message.split_off(HEADER + MAX_PART) } else { vec![] };
        self.put(to, message)?;
        for part in rest.chunks(MAX_PART) {
            self.put(to, [&Header { kind: Kind::Rest, ..header }.encode()[..], part].concat())?;
        }
        Ok(())
    }

    fn put(&self, to: usize, message: Vec<u8>) -> Result<(), Error> {
        self.wire.send(to, message).map_err(|reason| self.blame(self.wire.rank(), reason))
    }

    /// What rank `from` has sent in this step: bytes of elements after [`HEADER`] others.
    pub(in crate::exchange) fn receive(&self, from: usize) -> Result<Vec<u8>, Error> {
        let mut patience = Patience::of(self.limit);
        self.state.borrow_mut().blocked_by = None;
        loop {
            if let Some(bytes) = self.arrived(from)? {
                return Ok(bytes);
            }
            if self.wire.is_told_to_end() {
                patience.is_told_to_end();
            }
            if patience.is_over() {
                return Err(self.late(from, &patience));
            }
            if patience.asks() {
                let now = self.state.borrow().now;
                self.tell(from, Kind::Waiting, now, 0, &[]);
            }
            match self.wire.receive(patience.pause()) {
                Ok(Some((sender, message))) => self.take_in(Some(from), sender, message)?,
                Ok(None) => {}
                Err(reason) => return Err(self.blame(from, reason)),
            }
        }
    }

    /// The first whole message of a rank, if it has come.
    fn arrived(&self, from: usize) -> Result<Option<Vec<u8>>, Error> {
        let mut state = self.state.borrow_mut();
        if let Some(broken) = &state.broken {
            return Err(broken.clone().error());
        }
        let now = state.now;
        let other = &mut state.from[from];
        let whole = other.queue.front().filter(|(header, message)| header.bytes == (message.len() - HEADER) as u64);
        match whole.map(|(header, _)| header.step) {
            Some(step) if step == now => Ok(other.queue.pop_front().map(|(_, message)| message)),
            Some(step) => {
                drop(state);
                Err(self.apart(from, step))
            }
            None => match other.left.filter(|_| other.queue.is_empty()) {
                Some(last) => {
                    drop(state);
                    Err(self.blame(from, format!("it has left after step {}", last.number)))
                }
                None => Ok(None),
            },
        }
    }

    /// Takes in what a rank has sent, while this one waits for `awaited`, if for any.
    fn take_in(&self, awaited: Option<usize>, sender: usize, message: Vec<u8>) -> Result<(), Error> {
        let Some(header) = Header::decode(&message) else {
            return Err(self.blame(sender, "it sent what is no message of this version".into()));
        };
        let mut state = self.state.borrow_mut();
        let Some(other) = state.from.get_mut(sender) else {
            drop(state);
            return Err(self.blame(sender, "there is no such rank".into()));
        };
        match header.kind {
            Kind::Data => other.queue.push_back((header, message)),
            Kind::Rest => {
                if let Some((_, first)) = other.queue.back_mut() {
                    first.extend_from_slice(&message[HEADER..]);
                }
            }
            Kind::Left => other.left = Some(header.step),
            Kind::Failed => {
                let (step, operation) = (header.step.number, header.step.operation);
                let reason = String::from_utf8_lossy(&message[HEADER..]).into_owned();
                state.broken = Some(Failure { rank: header.about as usize, step, operation, reason });
            }
            // An answer may come late: of an exchange that is done, or that it waits for what has been on its way meanwhile.
            Kind::Blocked => {
                let (about, is_late) = (header.about as usize, header.step.number != state.now.number);
                if awaited == Some(sender) && !is_late && about != self.wire.rank() {
                    state.blocked_by = Some(about);
                }
            }
            Kind::Waiting => {
                other.waits = Some(header.step);
                let (about, now) = (state.blocked_by.or(awaited), state.now);
                drop(state);
                self.compare(sender)?;
                if let Some(about) = about {
                    self.tell(sender, Kind::Blocked, now, about, &[]);
                }
            }
        }
        Ok(())
    }

    /// Sends what is no element; if it cannot be sent nobody is the worse for it.
    fn tell(&self, to: usize, kind: Kind, step: Step, about: usize, bytes: &[u8]) {
        let header = Header { kind, step, bytes: bytes.len() as u64, about: about as u32 };
        let _ = self.wire.send(to, [&header.encode()[..], bytes].concat());
    }
}

impl<W: Wire> fmt::Debug for Ranks<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ranks(rank {} of {}, step {})", self.wire.rank(), self.wire.size(), self.steps())
    }
}
