//! Stream capture and graphs. A capture keeps what is put into its stream, with its arguments as they are then, and nothing is
//! done; a launch of the graph does it all in order.

use std::sync::Arc;
use std::thread::{self, ThreadId};

use crate::context::{Context, Handle};
use crate::execute::Op;
use crate::status::*;

/// `CU_STREAM_CAPTURE_MODE_*`: which calls that are unsafe in a capture are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Those of any thread.
    Global,
    /// Those of the thread that captures.
    ThreadLocal,
    /// None.
    Relaxed,
}

impl Mode {
    pub(crate) fn read(mode: u32) -> Result<Mode, Status> {
        [Mode::Global, Mode::ThreadLocal, Mode::Relaxed].get(mode as usize).copied().ok_or(INVALID_VALUE)
    }
}

/// A capture on its way.
#[derive(Debug)]
pub(crate) struct Capture {
    pub id: u64,
    mode: Mode,
    thread: ThreadId,
    ops: Vec<Op>,
    /// Something that cannot be captured was asked for.
    pub invalid: bool,
}

impl Capture {
    pub(crate) fn push(&mut self, op: Op) -> Result<(), Status> {
        if self.invalid {
            return Err(STREAM_CAPTURE_INVALIDATED);
        }
        let captured = match op {
            // Nodes of memory are not simulated.
            Op::Make { .. } | Op::End { .. } => Err(NOT_SUPPORTED),
            // What is not page-locked may be gone when the graph runs.
            Op::In { from: crate::execute::From::Copy(_), .. } => Err(STREAM_CAPTURE_UNSUPPORTED),
            op => {
                self.ops.push(op);
                Ok(())
            }
        };
        self.invalid = captured.is_err();
        captured
    }
}

/// A graph: its operations, one after the other.
pub(crate) type Graph = Arc<[Op]>;

/// The flags of cuGraphInstantiate: free on launch, upload, device launch, priorities of nodes.
const FLAGS: u64 = 0b1111;

impl Context {
    pub(crate) fn begin_capture(&mut self, stream: Handle, mode: Mode) -> Result<(), Status> {
        if stream <= 1 {
            return Err(STREAM_CAPTURE_UNSUPPORTED);
        }
        self.captures += 1;
        let id = self.captures;
        let stream = self.stream(stream)?;
        if stream.capture.is_some() {
            return Err(ILLEGAL_STATE);
        }
        let thread = thread::current().id();
        stream.capture = Some(Capture { id, mode, thread, ops: Vec::new(), invalid: false });
        Ok(())
    }

    /// The graph's handle.
    pub(crate) fn end_capture(&mut self, stream: Handle) -> Result<Handle, Status> {
        let at = self.stream(stream)?;
        let elsewhere = |c: &Capture| c.mode != Mode::Relaxed && c.thread != thread::current().id();
        if at.capture.as_ref().is_some_and(elsewhere) {
            return Err(STREAM_CAPTURE_WRONG_THREAD);
        }
        let capture = at.capture.take().ok_or(ILLEGAL_STATE)?;
        if capture.invalid {
            return Err(STREAM_CAPTURE_INVALIDATED);
        }
        let graph = self.new_handle();
        self.graphs.insert(graph, capture.ops.into());
        Ok(graph)
    }

    /// `CU_STREAM_CAPTURE_STATUS_*`.
    pub(crate) fn capture_status(&mut self, stream: Handle) -> Result<u32, Status> {
        Ok(self.stream(stream)?.capture.as_ref().map_or(0, |c| if c.invalid { 2 } else { 1 }))
    }

    pub(crate) fn is_captured(&self, id: u64) -> bool {
        self.streams.values().any(|s| s.capture.as_ref().is_some_and(|c| c.id == id))
    }

    /// For calls that are unsafe in a capture.
    pub(crate) fn not_in_capture(&mut self) -> Result<(), Status> {
        let thread = thread::current().id();
        let forbids = |c: &&mut Capture| match c.mode {
            Mode::Global => true,
            Mode::ThreadLocal => c.thread == thread,
            Mode::Relaxed => false,
        };
        match self.streams.values_mut().filter_map(|s| s.capture.as_mut()).find(forbids) {
            None => Ok(()),
            Some(capture) => {
                capture.invalid = true;
                Err(STREAM_CAPTURE_UNSUPPORTED)
            }
        }
    }

    pub(crate) fn instantiate(&mut self, graph: Handle, flags: u64) -> Result<Handle, Status> {
        // A graph that the device launches has no other flag (cuGraphInstantiate); none is simulated.
        if flags & !FLAGS != 0 || flags & 4 != 0 {
            return Err(INVALID_VALUE);
        }
        let graph = Arc::clone(self.graphs.get(&graph).ok_or(INVALID_HANDLE)?);
        let exec = self.new_handle();
        self.execs.insert(exec, graph);
        Ok(exec)
    }

    pub(crate) fn launch_graph(&mut self, exec: Handle, stream: Handle) -> Result<(), Status> {
        let graph = Arc::clone(self.execs.get(&exec).ok_or(INVALID_HANDLE)?);
        self.issue(stream, Op::Graph(graph))
    }
}
