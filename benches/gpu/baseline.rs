//! The functions of `benches/cuda/baseline.cu`, from the shared library that nvcc has made of it. All arguments are device
//! pointers and lengths; each function puts work into a stream.

use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;

use libloading::Library;
use obsidian::cudarc::driver::sys::CUstream;

/// A device pointer.
pub type Pointer = u64;

/// An algorithm of the whole device: stream, temporary memory and its bytes, input, output, room for a count, elements.
type Wide = unsafe extern "C" fn(CUstream, Pointer, *mut usize, Pointer, Pointer, Pointer, usize) -> c_int;

/// The algorithms of the whole device.
#[derive(Debug, Clone, Copy)]
pub enum Algorithm {
    AllSums,
    Ordered,
    Thirds,
    Bytes,
    Firsts,
}

/// The library's functions.
pub struct Baseline {
    version: unsafe extern "C" fn() -> c_int,
    error: unsafe extern "C" fn(c_int) -> *const c_char,
    saxpy: unsafe extern "C" fn(CUstream, f32, Pointer, Pointer, Pointer, usize) -> c_int,
    reverse: unsafe extern "C" fn(CUstream, Pointer, Pointer, usize) -> c_int,
    transpose: unsafe extern "C" fn(CUstream, Pointer, Pointer, c_uint, c_uint) -> c_int,
    reduce_bytes: unsafe extern "C" fn(usize) -> usize,
    reduce: unsafe extern "C" fn(CUstream, *mut c_void, usize, Pointer, Pointer, usize) -> c_int,
    scan: unsafe extern "C" fn(CUstream, Pointer, Pointer, usize) -> c_int,
    /// In the order of `Algorithm`.
    wide: [Wide; 5],
    product: unsafe extern "C" fn(CUstream, Pointer, Pointer, Pointer, c_uint) -> c_int,
    /// What the functions are in.
    _library: Library,
}

impl Baseline {
    /// Loads the library.
    pub fn load(path: &Path) -> Result<Baseline, Box<dyn Error>> {
        let said = |e: libloading::Error| format!("{}: {e}", path.display());
        // SAFETY: a library that this project's own source was compiled to; its initialisers are CUDA's.
        let library = unsafe { Library::new(path) }.map_err(said)?;
        // SAFETY: the types are those that `baseline.cu` declares; device pointers and `size_t` have 64 bits.
        unsafe {
            Ok(Baseline {
                version: *library.get(b"baseline_cub_version\0")?,
                error: *library.get(b"baseline_error\0")?,
                saxpy: *library.get(b"baseline_saxpy\0")?,
                reverse: *library.get(b"baseline_reverse\0")?,
                transpose: *library.get(b"baseline_transpose\0")?,
                reduce_bytes: *library.get(b"baseline_reduce_bytes\0")?,
                reduce: *library.get(b"baseline_reduce\0")?,
                scan: *library.get(b"baseline_scan\0")?,
                wide: [
                    *library.get(b"baseline_all_sums\0")?,
                    *library.get(b"baseline_ordered\0")?,
                    *library.get(b"baseline_thirds\0")?,
                    *library.get(b"baseline_bytes\0")?,
                    *library.get(b"baseline_firsts\0")?,
                ],
                product: *library.get(b"baseline_product\0")?,
                _library: library,
            })
        }
    }

    /// CUB's version: `3.0.1`.
    pub fn version(&self) -> String {
        // SAFETY: it takes nothing.
        let version = unsafe { (self.version)() };
        format!("{}.{}.{}", version / 100_000, version / 100 % 1000, version % 100)
    }

    fn checked(&self, code: c_int) -> Result<(), Box<dyn Error>> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: CUDA's texts are constants.
        let text = unsafe { CStr::from_ptr((self.error)(code)) };
        Err(format!("the baseline: {}", text.to_string_lossy()).into())
    }

    /// `out = a * x + y`, of `n` floats each.
    ///
    /// # Safety
    /// The pointers lead to `n` elements in memory of the stream's context, until the stream has come there.
    pub unsafe fn saxpy(
        &self,
        on: CUstream,
        a: f32,
        xy: [Pointer; 2],
        out: Pointer,
        n: usize,
    ) -> Result<(), Box<dyn Error>> {
        // SAFETY: the caller's promise.
        self.checked(unsafe { (self.saxpy)(on, a, xy[0], xy[1], out, n) })
    }

    /// `n` words the other way round.
    ///
    /// # Safety
    /// As for [`saxpy`](Self::saxpy).
    pub unsafe fn reverse(&self, on: CUstream, input: Pointer, out: Pointer, n: usize) -> Result<(), Box<dyn Error>> {
        // SAFETY: the caller's promise.
        self.checked(unsafe { (self.reverse)(on, input, out, n) })
    }

    /// The transpose of a square matrix of floats; `side` is a multiple of 32.
    ///
    /// # Safety
    /// As for [`saxpy`](Self::saxpy).
    pub unsafe fn transpose(
        &self,
        on: CUstream,
        input: Pointer,
        out: Pointer,
        side: u32,
    ) -> Result<(), Box<dyn Error>> {
        // SAFETY: the caller's promise.
        self.checked(unsafe { (self.transpose)(on, input, out, side, side) })
    }

    /// Bytes of temporary memory that `reduce` wants for `n` words.
    pub fn reduce_bytes(&self, n: usize) -> usize {
        // SAFETY: it touches no memory.
        unsafe { (self.reduce_bytes)(n) }
    }

    /// The sum of `n` words; `temporary` is memory and its bytes.
    ///
    /// # Safety
    /// As for [`saxpy`](Self::saxpy).
    pub unsafe fn reduce(
        &self,
        on: CUstream,
        (temporary, bytes): (Pointer, usize),
        input: Pointer,
        out: Pointer,
        n: usize,
    ) -> Result<(), Box<dyn Error>> {
        // SAFETY: the caller's promise.
        self.checked(unsafe { (self.reduce)(on, temporary as *mut c_void, bytes, input, out, n) })
    }

    /// The inclusive sums of each 4096 of `n` words.
    ///
    /// # Safety
    /// As for [`saxpy`](Self::saxpy).
    pub unsafe fn scan(&self, on: CUstream, input: Pointer, out: Pointer, n: usize) -> Result<(), Box<dyn Error>> {
        // SAFETY: the caller's promise.
        self.checked(unsafe { (self.scan)(on, input, out, n) })
    }

    /// Bytes of temporary memory that an algorithm wants for `n` words.
    pub fn wide_bytes(&self, algorithm: Algorithm, n: usize) -> Result<usize, Box<dyn Error>> {
        let mut bytes = 0;
        // SAFETY: without temporary memory it only writes `bytes`.
        self.checked(unsafe { self.wide[algorithm as usize](std::ptr::null_mut(), 0, &raw mut bytes, 0, 0, 0, n) })?;
        Ok(bytes)
    }

    /// An algorithm on `n` words; `temporary` is memory and its bytes, `count` has room for a number.
    ///
    /// # Safety
    /// As for [`saxpy`](Self::saxpy).
    pub unsafe fn wide(
        &self,
        algorithm: Algorithm,
        on: CUstream,
        (temporary, mut bytes): (Pointer, usize),
        [input, out, count]: [Pointer; 3],
        n: usize,
    ) -> Result<(), Box<dyn Error>> {
        // SAFETY: the caller's promise.
        self.checked(unsafe { self.wide[algorithm as usize](on, temporary, &raw mut bytes, input, out, count, n) })
    }

    /// The product of two square matrices of floats.
    ///
    /// # Safety
    /// As for [`saxpy`](Self::saxpy), with `side * side` elements.
    pub unsafe fn product(
        &self,
        on: CUstream,
        [a, b]: [Pointer; 2],
        out: Pointer,
        side: u32,
    ) -> Result<(), Box<dyn Error>> {
        // SAFETY: the caller's promise.
        self.checked(unsafe { (self.product)(on, a, b, out, side) })
    }
}
