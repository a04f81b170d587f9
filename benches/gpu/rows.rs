//! One function per row of the table. It puts the data on the device, runs our kernel and the baseline once, compares both with
//! the host, and then times them in turn with a copy.

use std::error::Error;
use std::sync::Arc;

use obsidian::cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DeviceRepr};
use obsidian::{Buffer, Device, Element, Lent};
use rayon::prelude::*;

use crate::baseline::{Baseline, Pointer};
use crate::kernels::{self, SumsParams, TransposedParams};
use crate::options::Options;
use crate::timing::{Work, interleaved};

/// A line of the table.
pub struct Row {
    pub name: &'static str,
    /// What the baseline is.
    pub of: &'static str,
    /// Bytes that must be moved: inputs read once, outputs written once.
    pub bytes: usize,
    /// Microseconds, each.
    pub ours: f64,
    pub copy: f64,
    pub baseline: Option<f64>,
}

/// Measures one.
pub type Measure = fn(&Bench) -> Result<Row, Box<dyn Error>>;

/// Measures several, and prints them.
pub type Table = fn(&Bench) -> Result<String, Box<dyn Error>>;

/// All rows, by name.
pub const ROWS: [(&str, Measure); 5] =
    [("saxpy", saxpy), ("reverse", reverse), ("transpose", transpose), ("reduce", reduce), ("block scan", scan)];

/// Elements that a block scans, here and in the baseline.
const CHUNK: usize = 4096;

/// What all rows share.
pub struct Bench {
    pub device: Device,
    pub stream: Arc<CudaStream>,
    pub baseline: Option<Baseline>,
    /// The number of elements, and its square root.
    pub len: usize,
    side: u32,
    pub runs: usize,
}

impl Bench {
    pub fn new(device: Device, options: &Options) -> Result<Bench, Box<dyn Error>> {
        let stream = device.stream().cuda_stream().cloned().ok_or("not a CUDA device")?;
        let baseline = options.baseline.as_deref().map(Baseline::load).transpose()?;
        let (len, side) = (1 << options.log2, 1 << (options.log2 / 2));
        Ok(Bench { device, stream, baseline, len, side, runs: options.runs })
    }

    pub fn filled<T: DeviceRepr + Send>(
        &self,
        value: impl Fn(usize) -> T + Send + Sync,
    ) -> Result<(Vec<T>, CudaSlice<T>), Box<dyn Error>> {
        let values: Vec<T> = (0..self.len).into_par_iter().map(value).collect();
        let slice = self.stream.clone_htod(&values)?;
        Ok((values, slice))
    }

    pub fn pointer<T>(&self, slice: &CudaSlice<T>) -> Pointer {
        slice.device_ptr(&self.stream).0
    }

    pub fn pointer_mut<T>(&self, slice: &mut CudaSlice<T>) -> Pointer {
        slice.device_ptr_mut(&self.stream).0
    }

    /// Runs everything once, compares, and times.
    pub fn row<T: Element + PartialEq + DeviceRepr + Default>(
        &self,
        (name, of, bytes): (&'static str, &'static str, usize),
        expected: &[T],
        ours: impl Fn(&mut Buffer<T>) -> Result<(), Box<dyn Error>>,
        baseline: impl Fn(&Baseline, Pointer) -> Result<(), Box<dyn Error>>,
    ) -> Result<Row, Box<dyn Error>> {
        // The copy reads half of the bytes and writes as many. Outputs begin as zeros, which are no result.
        let source = self.stream.clone_htod(&vec![0xee_u8; bytes / 2])?;
        let mut copied = self.stream.clone_htod(&vec![0xee_u8; bytes / 2])?;
        let mut out = self.device.alloc::<T>(expected.len())?;
        ours(&mut out)?;
        same(name, "our kernel's", &out.to_vec()?, expected)?;
        let mut other = self.stream.clone_htod(&vec![T::default(); expected.len()])?;
        let to = self.pointer_mut(&mut other);
        if let Some(library) = &self.baseline {
            baseline(library, to)?;
            same(name, "the baseline's", &self.stream.clone_dtoh(&other)?, expected)?;
        }
        let mut works: Vec<Work<'_>> =
            vec![Box::new(|| ours(&mut out)), Box::new(|| Ok(self.stream.memcpy_dtod(&source, &mut copied)?))];
        if let Some(library) = &self.baseline {
            works.push(Box::new(|| baseline(library, to)));
        }
        let times = interleaved(&self.stream, &mut works, self.runs)?;
        Ok(Row { name, of, bytes, ours: times[0], copy: times[1], baseline: times.get(2).copied() })
    }
}

/// All must have computed the same bits, or their times mean nothing.
pub fn same<T: PartialEq>(name: &str, whose: &str, found: &[T], expected: &[T]) -> Result<(), Box<dyn Error>> {
    let differ = found.iter().zip(expected).position(|(a, b)| a != b);
    match differ {
        None if found.len() == expected.len() => Ok(()),
        at => Err(format!("{name}: {whose} result differs from the host's at {at:?}").into()),
    }
}

/// Values without a pattern that an index error would keep.
pub fn mixed(i: usize) -> u32 {
    let z = (i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (z ^ (z >> 29)) as u32
}

fn saxpy(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let a = 1.5_f32;
    let (host_x, x) = bench.filled(|i| (mixed(i) >> 8) as f32 / 1000.0)?;
    let (host_y, y) = bench.filled(|i| (mixed(i + 7) >> 8) as f32 / 77.0)?;
    let expected: Vec<f32> = host_x.par_iter().zip(&host_y).map(|(x, y)| a * x + y).collect();
    let (lent_x, lent_y) = (Lent::new(&bench.device, &x)?, Lent::new(&bench.device, &y)?);
    let (from, on) = ([bench.pointer(&x), bench.pointer(&y)], bench.stream.cu_stream());
    bench.row(
        ("saxpy f32", "thrust::transform", 12 * bench.len),
        &expected,
        |out| Ok(kernels::saxpy.run_into(&bench.device, a, &lent_x, &lent_y, out)?),
        // SAFETY: slices of `len` elements of the stream's context, which outlive the works.
        |library, out| unsafe { library.saxpy(on, a, from, out, bench.len) },
    )
}

fn reverse(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let (host, input) = bench.filled(mixed)?;
    let expected: Vec<u32> = host.into_par_iter().rev().collect();
    let lent = Lent::new(&bench.device, &input)?;
    let (from, on) = (bench.pointer(&input), bench.stream.cu_stream());
    bench.row(
        ("reverse u32", "thrust::reverse_copy", 8 * bench.len),
        &expected,
        |out| Ok(kernels::reversed.run_into(&bench.device, &lent, out)?),
        // SAFETY: as in `saxpy`.
        |library, out| unsafe { library.reverse(on, from, out, bench.len) },
    )
}

fn transpose(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let (host, input) = bench.filled(|i| (mixed(i) >> 8) as f32)?;
    let side = bench.side as usize;
    let expected: Vec<f32> = (0..bench.len).into_par_iter().map(|i| host[i % side * side + i / side]).collect();
    let lent = Lent::new(&bench.device, &input)?;
    let kernel = kernels::transposed.with(TransposedParams {
        SIDE: bench.side,
        N: bench.len as u32,
        ..TransposedParams::default()
    });
    let (from, on) = (bench.pointer(&input), bench.stream.cu_stream());
    bench.row(
        ("transpose f32", "tiles by hand", 8 * bench.len),
        &expected,
        |out| Ok(kernel.run_into(&bench.device, &lent, out)?),
        // SAFETY: as in `saxpy`; the matrix has `side * side` elements.
        |library, out| unsafe { library.transpose(on, from, out, bench.side) },
    )
}

fn reduce(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let (host, input) = bench.filled(mixed)?;
    let expected = [host.par_iter().copied().reduce(|| 0, u32::wrapping_add)];
    let lent = Lent::new(&bench.device, &input)?;
    let kernel = kernels::sums.with(SumsParams { SIDE: bench.side, ..SumsParams::default() });
    let partial = std::cell::RefCell::new(bench.device.alloc::<u32>(bench.side as usize)?);
    let bytes = bench.baseline.as_ref().map_or(0, |library| library.reduce_bytes(bench.len));
    let mut scratch = bench.stream.clone_htod(&vec![0_u8; bytes.max(1)])?;
    let temporary = (bench.pointer_mut(&mut scratch), bytes);
    let (from, on) = (bench.pointer(&input), bench.stream.cu_stream());
    bench.row(
        ("reduce u32", "cub::DeviceReduce", 4 * bench.len),
        &expected,
        |out| {
            kernel.run_into(&bench.device, &lent, &mut partial.borrow_mut())?;
            Ok(kernel.run_into(&bench.device, &partial.borrow(), out)?)
        },
        // SAFETY: as in `saxpy`; the temporary memory is as large as CUB asked for.
        |library, out| unsafe { library.reduce(on, temporary, from, out, bench.len) },
    )
}

fn scan(bench: &Bench) -> Result<Row, Box<dyn Error>> {
    let (host, input) = bench.filled(mixed)?;
    let mut expected = host;
    expected.par_chunks_mut(CHUNK).for_each(|chunk| {
        for i in 1..chunk.len() {
            chunk[i] = chunk[i].wrapping_add(chunk[i - 1]);
        }
    });
    let lent = Lent::new(&bench.device, &input)?;
    let (from, on) = (bench.pointer(&input), bench.stream.cu_stream());
    bench.row(
        ("block scan u32", "cub::BlockScan", 8 * bench.len),
        &expected,
        |out| Ok(kernels::scanned.run_into(&bench.device, &lent, out)?),
        // SAFETY: as in `saxpy`; `len` is a multiple of 4096.
        |library, out| unsafe { library.scan(on, from, out, bench.len) },
    )
}
