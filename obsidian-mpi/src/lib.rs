//! The ranks of MPI: a [`Wire`] over which [`Ranks`] exchange. In: what the program `mpirun` has started; out: messages. Knows no elements and no
//! exchanges.
//!
#![doc = concat!("```no_run\n", include_str!("../examples/sum_of_ranks.rs"), "```\n")]
//!
//! It is a package outside of the workspace, since the crate `mpi` needs an MPI and libclang to be built: on Debian `libopenmpi-dev`,
//! `openmpi-bin` and `libclang-dev`.

mod ending;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use mpi::environment::{Threading, Universe};
use mpi::request::{Request, StaticScope};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::*;
use obsidian_runtime::exchange::{Ending, Leaving, Wire};

/// How long a rank that waits asks without a pause: messages between ranks of one machine come within.
const BUSY: Duration = Duration::from_micros(200);
/// How long it offers the core to others between two questions after that: ranks with equal parts come within, and a sleep takes longer than
/// their message.
const YIELDING: Duration = Duration::from_millis(10);
/// How long it sleeps between two questions after that, so that other ranks get the core.
const PAUSE: Duration = Duration::from_micros(50);
/// How long a process lives on after an error.
const LINGER: Duration = Duration::from_millis(700);
/// How long messages that are under way may hold up the end of a program.
const END: Duration = Duration::from_secs(2);
/// The same in a process that is told to end: those for a rank that has died never arrive, and an error is printed only after this.
const END_IF_TOLD: Duration = Duration::from_millis(100);

/// This process as a rank of MPI. Messages are sent in the background, and received in the order in which they come. MPI ends when it is
/// dropped, so a program drops it after its [`Ranks`](obsidian_runtime::exchange::Ranks), which hold it.
pub struct Mpi {
    under_way: RefCell<VecDeque<Sent>>,
    broken_off: Cell<bool>,
    /// Whether a rank is told to end when another has died.
    tells_of_the_dead: bool,
    world: SimpleCommunicator,
    universe: Option<Universe>,
}

/// A message under way, and its bytes, which MPI reads until it has arrived.
struct Sent {
    request: Option<Request<'static, [u8], StaticScope>>,
    bytes: *mut [u8],
}

impl Mpi {
    /// Starts MPI. Once in a process. `SIGTERM`, which `mpirun` sends to all ranks when one has died, makes exchanges end in an error from then
    /// on, and ends the process two seconds later; a program that has a way of its own to handle it keeps that.
    ///
    /// # Errors
    /// MPI was started before.
    pub fn start() -> Result<Mpi, String> {
        // The thread that calls it may have others beside it, such as those of the CPU as a device.
        let started = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, _) = started.ok_or("MPI was started before in this process; keep the first `Mpi`")?;
        let world = universe.world();
        ending::listen();
        // `mpirun --enable-recovery` says so to the ranks of Open MPI 4, and lets them live on.
        let recovers = std::env::var_os("OMPI_MCA_orte_enable_recovery");
        let tells_of_the_dead = recovers.is_none_or(|set| set == "0" || set == "false");
        let (under_way, broken_off, universe) = (RefCell::default(), Cell::new(false), Some(universe));
        Ok(Mpi { under_way, broken_off, tells_of_the_dead, world, universe })
    }

    /// The communicator of all ranks, for what MPI itself is asked; its messages and those of this wire must not be mixed, so
    /// [duplicate](Communicator::duplicate) it.
    pub fn world(&self) -> &SimpleCommunicator {
        &self.world
    }

    /// Frees the bytes of messages that have arrived.
    fn free_arrived(&self) {
        self.under_way.borrow_mut().retain_mut(|sent| !sent.has_arrived());
    }
}

impl Sent {
    fn has_arrived(&mut self) -> bool {
        match self.request.take().map(Request::test) {
            Some(Err(request)) => {
                self.request = Some(request);
                false
            }
            Some(Ok(_)) | None => true,
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        // MPI may still read the bytes of a message that has not arrived: those stay.
        if self.request.is_none() {
            // SAFETY: made by `Box::into_raw` in `send`, and freed only here.
            drop(unsafe { Box::from_raw(self.bytes) });
        } else if let Some(request) = self.request.take() {
            // A request that is dropped panics; its memory is leaked with it.
            std::mem::forget(request);
        }
    }
}

impl Wire for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn send(&self, to: usize, message: Vec<u8>) -> Result<(), String> {
        self.free_arrived();
        if to >= self.size() {
            return Err(format!("there is no rank {to}"));
        }
        let bytes = Box::into_raw(message.into_boxed_slice());
        // SAFETY: the bytes live until the request is done, which `Sent` sees to, and nobody writes them.
        let lent: &'static [u8] = unsafe { &*bytes };
        let request = self.world.process_at_rank(to as i32).immediate_send(StaticScope, lent);
        self.under_way.borrow_mut().push_back(Sent { request: Some(request), bytes });
        Ok(())
    }

    fn receive(&self, wait: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
        let (start, told) = (Instant::now(), ending::is_told());
        loop {
            if let Some((message, status)) = self.world.any_process().immediate_matched_probe() {
                let count = status.count(u8::equivalent_datatype()) as usize;
                let mut bytes = vec![0u8; count];
                message.matched_receive_into(&mut bytes[..]);
                return Ok(Some((status.source_rank() as usize, bytes)));
            }
            let waited = start.elapsed();
            if waited >= wait || ending::is_told() != told {
                self.free_arrived();
                return Ok(None);
            }
            if waited > BUSY {
                self.free_arrived();
                // A long message moves only while its sender asks.
                let sleeps = waited > YIELDING && self.under_way.borrow().is_empty();
                if sleeps { thread::sleep(PAUSE) } else { thread::yield_now() }
            }
        }
    }

    fn is_told_to_end(&self) -> bool {
        ending::is_told()
    }

    fn leaving(&self) -> Leaving {
        // MPI ends when all are there.
        if self.tells_of_the_dead { Leaving::Together } else { Leaving::TogetherWithinLimit }
    }

    fn end(&self, ending: Ending) {
        self.broken_off.set(ending == Ending::BrokenOff);
    }
}

impl Drop for Mpi {
    /// Ends MPI, for which all ranks are there then. After an error, or where messages do not arrive, it does not, for another rank may never come:
    /// the process ends as it is, a little later, so that the other ranks can say what they know before `mpirun` ends them.
    fn drop(&mut self) {
        let start = Instant::now();
        let end = || if ending::is_told() { END_IF_TOLD } else { END };
        while !self.under_way.borrow().is_empty() && start.elapsed() < end() {
            self.free_arrived();
            thread::sleep(PAUSE);
        }
        let universe = self.universe.take();
        if self.broken_off.get() || thread::panicking() || !self.under_way.borrow().is_empty() {
            std::mem::forget(universe);
            // SAFETY: `linger` can be called at any time, and does not unwind.
            unsafe { libc::atexit(linger) };
        }
    }
}

extern "C" fn linger() {
    thread::sleep(LINGER);
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mpi(rank {} of {})", self.world.rank(), self.world.size())
    }
}
