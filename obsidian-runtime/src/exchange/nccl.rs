//! NCCL, where all ranks are NVIDIA devices: what every rank sends to every other goes from device to device. Not run: written against
//! cudarc's types, and compiled. In: another exchange, for all else; out: the same exchange, whose `all_to_all_v` is NCCL's.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream};
use cudarc::nccl::safe::{Comm, Id, group_end, group_start};

use super::{Done, Exchange, Finished, Halo, RowShares, Run, payload};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::info::Backend;

/// An exchange whose bulk goes through NCCL, and what is small, such as numbers, lengths and errors, through another one. **Not yet run on a
/// GPU.** NCCL knows no time limit: a rank that dies while it sends is found by the exchange after that. Elements are given by the host and
/// given to it, as by every exchange, so they are copied to the device and back.
pub struct Nccl<E: Exchange> {
    control: E,
    stream: Arc<CudaStream>,
    comm: Comm,
}

impl<E: Exchange> Nccl<E> {
    /// The ranks of `control`, each with a CUDA device of its own. Every rank calls it once.
    ///
    /// # Errors
    /// The device is none of CUDA's, or NCCL is not installed, on this rank or another; what NCCL reports.
    pub fn over(control: E, device: &Device) -> Result<Nccl<E>, Error> {
        let stream = found(device);
        // All ranks say whether they can, before one waits in NCCL for another.
        let can = control.all_gather(&Done::from(vec![stream.is_ok()]))?;
        let (stream, rank) = (stream?, control.rank());
        if let Some(other) = can.iter().position(|&can| !can) {
            return Err(control.fail(other, "it has no CUDA device, or no NCCL".into()));
        }
        let id = match rank {
            0 => Id::new()
                .map_err(|error| control.fail(0, format!("NCCL: {error:?}")))?
                .internal()
                .map(|byte| byte as u8)
                .to_vec(),
            _ => vec![],
        };
        let id = control.broadcast(0, &Done::from(id))?;
        let mut internal = [0; 128];
        internal.iter_mut().zip(&id).for_each(|(to, &byte)| *to = byte as _);
        let comm = Comm::from_rank(Arc::clone(&stream), rank, control.size(), Id::uninit(internal));
        let comm = comm.map_err(|error| control.fail(rank, format!("NCCL: {error:?}")))?;
        Ok(Nccl { control, stream, comm })
    }

    /// Sends bytes to each rank, and gives the bytes of each, whose numbers are known.
    fn moved(&self, parts: &[Vec<u8>], lengths: &[usize]) -> Result<Vec<Vec<u8>>, Box<dyn std::error::Error>> {
        let sent =
            parts.iter().map(|part| self.stream.clone_htod(&part[..])).collect::<Result<Vec<CudaSlice<u8>>, _>>()?;
        let got = lengths.iter().map(|&len| self.stream.alloc_zeros::<u8>(len.max(1)));
        let mut got = got.collect::<Result<Vec<CudaSlice<u8>>, _>>()?;
        let named = |error| format!("{error:?}");
        group_start().map_err(named)?;
        for (peer, slice) in sent.iter().enumerate().filter(|(peer, _)| !parts[*peer].is_empty()) {
            self.comm.send(slice, peer as i32).map_err(named)?;
        }
        for (peer, slice) in got.iter_mut().enumerate().filter(|(peer, _)| lengths[*peer] > 0) {
            self.comm.recv(slice, peer as i32).map_err(named)?;
        }
        group_end().map_err(named)?;
        let mut all = Vec::with_capacity(got.len());
        for (slice, &len) in got.iter().zip(lengths) {
            let mut bytes = self.stream.clone_dtoh(slice)?;
            bytes.truncate(len);
            all.push(bytes);
        }
        self.stream.synchronize()?;
        Ok(all)
    }
}

/// The stream of a CUDA device, where NCCL is installed.
fn found(device: &Device) -> Result<Arc<CudaStream>, Error> {
    // SAFETY: it looks for a library by its name, and calls nothing in it.
    if !unsafe { cudarc::nccl::sys::is_culib_present() } {
        let reason = "NCCL (libnccl.so) was not found; install it, or leave `Nccl` out".to_owned();
        return Err(Error::BackendUnavailable { backend: Backend::Cuda, reason });
    }
    let reason = "it is none of CUDA's; leave `Nccl` out";
    device.stream().cuda_stream().cloned().ok_or(Error::NotUsable { what: "the device", reason })
}

impl<E: Exchange> Exchange for Nccl<E> {
    fn rank(&self) -> usize {
        self.control.rank()
    }

    fn size(&self) -> usize {
        self.control.size()
    }

    fn all_merge<T: Element>(
        &self,
        mine: &impl Finished<T>,
        merge: impl FnMut(Run<T>, Run<T>) -> Vec<T>,
    ) -> Result<Vec<T>, Error> {
        self.control.all_merge(mine, merge)
    }

    fn merge_before<T: Element>(
        &self,
        mine: &impl Finished<T>,
        merge: impl FnMut(Run<T>, Run<T>) -> Vec<T>,
    ) -> Result<Option<Vec<T>>, Error> {
        self.control.merge_before(mine, merge)
    }

    fn all_reduce<T: Element>(&self, mine: &impl Finished<T>, op: impl FnMut(T, T) -> T) -> Result<Vec<T>, Error> {
        self.control.all_reduce(mine, op)
    }

    fn scan_exclusive<T: Element>(
        &self,
        mine: &impl Finished<T>,
        op: impl FnMut(T, T) -> T,
    ) -> Result<Option<Vec<T>>, Error> {
        self.control.scan_exclusive(mine, op)
    }

    fn all_to_all_v<T: Element>(&self, mine: &impl Finished<T>, counts: &[usize]) -> Result<Vec<Vec<T>>, Error> {
        let (me, size) = (self.rank(), self.size());
        let sum = counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count));
        if counts.len() != size || sum != Some(mine.len()) {
            let reason = format!("it sends {} elements to {size} ranks in parts of {counts:?}", mine.len());
            return Err(self.control.fail(me, reason));
        }
        let mut parts = Vec::with_capacity(size);
        let mut at = 0;
        for &count in counts {
            let mut bytes = vec![];
            payload::append(&mine[at..at + count], &mut bytes)?;
            at += count;
            parts.push(bytes);
        }
        let lengths: Vec<u64> = parts.iter().map(|part| part.len() as u64).collect();
        let lengths = self.control.all_to_all_v(&Done::from(lengths), &vec![1; size])?.concat();
        let lengths: Vec<usize> = lengths.into_iter().map(|len| len as usize).collect();
        let came = self.moved(&parts, &lengths);
        let came = came.map_err(|error| self.control.fail(me, format!("NCCL: {error}")))?;
        let values = came.iter().enumerate().map(|(rank, bytes)| {
            payload::read(bytes)?.ok_or_else(|| self.control.fail(rank, "its bytes are no elements".into()))
        });
        values.collect()
    }

    fn halo<T: Element, R>(
        &self,
        shares: &RowShares<'_>,
        first: &impl Finished<T>,
        last: &impl Finished<T>,
        meanwhile: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(Halo<T>, R), Error> {
        self.control.halo(shares, first, last, meanwhile)
    }

    fn broadcast<T: Element>(&self, root: usize, mine: &impl Finished<T>) -> Result<Vec<T>, Error> {
        self.control.broadcast(root, mine)
    }

    fn gather<T: Element>(&self, root: usize, mine: &impl Finished<T>) -> Result<Vec<Vec<T>>, Error> {
        self.control.gather(root, mine)
    }

    fn fail(&self, rank: usize, reason: String) -> Error {
        self.control.fail(rank, reason)
    }
}

impl<E: Exchange + fmt::Debug> fmt::Debug for Nccl<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nccl({:?})", self.control)
    }
}
