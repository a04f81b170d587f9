//! The wire inside of one process: a thread for each rank.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::ranks::Ranks;
use super::wire::Wire;
use crate::device::Device;
use crate::error::Error;

/// A rank that is a thread of this process. Messages are moved, not copied.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    to: Vec<Sender<(usize, Vec<u8>)>>,
    from: Receiver<(usize, Vec<u8>)>,
}

impl Threads {
    /// The ends of a wire between `size` ranks, in their order.
    pub fn all(size: usize) -> Vec<Threads> {
        let (to, from): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        from.into_iter().enumerate().map(|(rank, from)| Threads { rank, to: to.clone(), from }).collect()
    }
}

impl Wire for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, message: Vec<u8>) -> Result<(), String> {
        let to = self.to.get(to).ok_or_else(|| format!("there is no rank {to}"))?;
        // An end that is gone receives nothing.
        let _ = to.send((self.rank, message));
        Ok(())
    }

    fn receive(&self, wait: Duration) -> Result<Option<(usize, Vec<u8>)>, String> {
        match self.from.recv_timeout(wait) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err("all ends of the wire are gone".to_owned()),
        }
    }
}

/// Runs `work` on `size` ranks, each a thread of this process, and gives what each has made. `device` is the one that they work on, `limit`
/// how long an exchange waits. A rank that panics is an error on all ranks.
pub fn in_process<R: Send>(
    size: usize,
    device: &Device,
    limit: Duration,
    work: impl Fn(&Ranks<Threads>) -> Result<R, Error> + Sync,
) -> Vec<Result<R, Error>> {
    let run = |wire: Threads| {
        let ranks = Ranks::join(wire, device, limit)?;
        work(&ranks)
    };
    thread::scope(|scope| {
        let spawned: Vec<_> = Threads::all(size).into_iter().map(|wire| scope.spawn(|| run(wire))).collect();
        let joined = spawned.into_iter().enumerate().map(|(rank, thread)| {
            let panicked = |_| Err(Error::Exchange { rank, step: 0, operation: "run", reason: "it panicked".into() });
            thread.join().unwrap_or_else(panicked)
        });
        joined.collect()
    })
}
