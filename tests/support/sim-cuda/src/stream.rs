//! Streams and events: what was put into a stream stays there until somebody waits for it; then it is done in order, after
//! what it has to wait for in other streams, and nothing else is.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::context::{Context, Handle};
use crate::execute::Op;
use crate::graph::Capture;
use crate::status::*;

/// The stream that every context has.
pub(crate) const NULL_STREAM: Handle = 0;

/// A stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    queue: VecDeque<Op>,
    /// Operations put in, and done.
    issued: u64,
    done: u64,
    /// Whether it waits for the null stream, and that for it.
    pub blocking: bool,
    /// Destroyed: no handle names it any more, but what is in it will be done.
    pub destroyed: bool,
    pub capture: Option<Capture>,
}

/// A point of a stream: reached when this number of operations is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marker {
    stream: Handle,
    at: u64,
}

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    pub timed: bool,
    pub state: Recorded,
}

/// What an event stands for.
#[derive(Debug, Clone)]
pub(crate) enum Recorded {
    Never,
    At(Marker, Arc<OnceLock<Instant>>),
    /// In a capture, by its number.
    Captured(u64),
}

impl Context {
    pub(crate) fn stream(&mut self, stream: Handle) -> Result<&mut Stream, Status> {
        // The legacy stream's other name (CU_STREAM_LEGACY).
        let stream = if stream == 1 { NULL_STREAM } else { stream };
        self.streams.get_mut(&stream).filter(|s| !s.destroyed).ok_or(INVALID_HANDLE)
    }

    pub(crate) fn new_stream(&mut self, blocking: bool) -> Handle {
        let handle = self.new_handle();
        let stream = Stream { blocking, ..Stream::default() };
        self.streams.insert(handle, stream);
        handle
    }

    /// Puts an operation into a stream, or into what it captures.
    pub(crate) fn issue(&mut self, stream: Handle, op: Op) -> Result<(), Status> {
        let blocking = match self.stream(stream)? {
            Stream { capture: Some(capture), .. } => return capture.push(op),
            s => s.blocking,
        };
        let orders = |s: &Stream| s.blocking && !s.destroyed;
        if stream <= 1 {
            let capturing = self.streams.values_mut().filter(|s| orders(s)).find_map(|s| s.capture.as_mut());
            if let Some(capture) = capturing {
                capture.invalid = true;
                return Err(STREAM_CAPTURE_IMPLICIT);
            }
            let others: Vec<Handle> = self.streams.iter().filter(|(_, s)| orders(s)).map(|(&h, _)| h).collect();
            others.into_iter().for_each(|other| self.push(NULL_STREAM, Op::Wait(self.tail(other))));
            self.push(NULL_STREAM, op);
            return Ok(());
        }
        if blocking {
            self.push(stream, Op::Wait(self.tail(NULL_STREAM)));
        }
        self.push(stream, op);
        Ok(())
    }

    fn push(&mut self, stream: Handle, op: Op) {
        if let Some(s) = self.streams.get_mut(&stream) {
            s.queue.push_back(op);
            s.issued += 1;
        }
    }

    fn tail(&self, stream: Handle) -> Marker {
        Marker { stream, at: self.streams.get(&stream).map_or(0, |s| s.issued) }
    }

    /// Does what is in a stream up to a point.
    fn reach(&mut self, marker: Marker) -> Result<(), Status> {
        while let Some(s) = self.streams.get_mut(&marker.stream).filter(|s| s.done < marker.at) {
            let Some(op) = s.queue.pop_front() else { return Err(UNKNOWN) };
            let done = match op {
                Op::Wait(other) => self.reach(other),
                op => self.execute(&op),
            };
            if let Err(code) = done {
                return Err(self.lost(code));
            }
            if let Some(s) = self.streams.get_mut(&marker.stream) {
                s.done += 1;
            }
        }
        Ok(())
    }

    /// The context is of no use from now on; what was waiting is never done.
    fn lost(&mut self, code: Status) -> Status {
        self.sticky = Some(code);
        for stream in self.streams.values_mut() {
            stream.queue.clear();
            stream.done = stream.issued;
        }
        code
    }

    pub(crate) fn synchronize(&mut self, stream: Handle) -> Result<(), Status> {
        if let Some(capture) = &mut self.stream(stream)?.capture {
            capture.invalid = true;
            return Err(STREAM_CAPTURE_UNSUPPORTED);
        }
        self.reach(self.tail(if stream == 1 { NULL_STREAM } else { stream }))
    }

    pub(crate) fn synchronize_all(&mut self) -> Result<(), Status> {
        let mut all: Vec<Handle> = self.streams.keys().copied().collect();
        // The youngest first: nothing says that it must be the oldest.
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.into_iter().try_for_each(|stream| self.reach(self.tail(stream)))
    }

    pub(crate) fn record(&mut self, event: Handle, stream: Handle) -> Result<(), Status> {
        self.event(event)?;
        let captured = self.stream(stream)?.capture.as_ref().map(|capture| capture.id);
        let state = match captured {
            Some(id) => Recorded::Captured(id),
            None => {
                let reached = Arc::new(OnceLock::new());
                self.issue(stream, Op::Record(Arc::clone(&reached)))?;
                Recorded::At(self.tail(if stream == 1 { NULL_STREAM } else { stream }), reached)
            }
        };
        self.event(event)?.state = state;
        Ok(())
    }

    pub(crate) fn event(&mut self, event: Handle) -> Result<&mut Event, Status> {
        self.events.get_mut(&event).ok_or(INVALID_HANDLE)
    }

    /// The stream waits for the event.
    pub(crate) fn wait_event(&mut self, stream: Handle, event: Handle) -> Result<(), Status> {
        let state = self.event(event)?.state.clone();
        if let Some(capture) = &mut self.stream(stream)?.capture {
            return match state {
                Recorded::Never => Ok(()),
                Recorded::Captured(id) if id == capture.id => Ok(()),
                _ => {
                    capture.invalid = true;
                    Err(STREAM_CAPTURE_ISOLATION)
                }
            };
        }
        match state {
            Recorded::Never => Ok(()),
            Recorded::At(marker, _) => self.issue(stream, Op::Wait(marker)),
            // On the driver the stream would join the capture.
            Recorded::Captured(id) if self.is_captured(id) => Err(NOT_SUPPORTED),
            Recorded::Captured(_) => Err(CAPTURED_EVENT),
        }
    }

    pub(crate) fn synchronize_event(&mut self, event: Handle) -> Result<(), Status> {
        match self.event(event)?.state.clone() {
            Recorded::Never => Ok(()),
            Recorded::At(marker, _) => self.reach(marker),
            Recorded::Captured(_) => Err(CAPTURED_EVENT),
        }
    }

    /// Whether the event has come. Who asks makes its stream go on by one operation.
    pub(crate) fn query(&mut self, event: Handle) -> Result<(), Status> {
        match self.event(event)?.state.clone() {
            Recorded::Never => Ok(()),
            Recorded::At(_, reached) if reached.get().is_some() => Ok(()),
            Recorded::At(marker, reached) => {
                let done = self.streams.get(&marker.stream).map_or(marker.at, |s| s.done);
                self.reach(Marker { at: marker.at.min(done + 1), ..marker })?;
                if reached.get().is_some() { Ok(()) } else { Err(NOT_READY) }
            }
            Recorded::Captured(_) => Err(CAPTURED_EVENT),
        }
    }

    /// Milliseconds from one event to another.
    pub(crate) fn elapsed(&mut self, start: Handle, end: Handle) -> Result<f32, Status> {
        let mut time = |event| match self.event(event)? {
            Event { timed: false, .. } | Event { state: Recorded::Never, .. } => Err(INVALID_HANDLE),
            Event { state: Recorded::At(_, reached), .. } => reached.get().copied().ok_or(NOT_READY),
            Event { state: Recorded::Captured(_), .. } => Err(CAPTURED_EVENT),
        };
        let (start, end) = (time(start)?, time(end)?);
        let (later, earlier) = (end.saturating_duration_since(start), start.saturating_duration_since(end));
        Ok((later.as_secs_f64() - earlier.as_secs_f64()) as f32 * 1e3)
    }
}
