//! GPUs: probing the driver, one context per device for the life of the process, loaded kernels by variant, streams.

use std::any::Any;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, Weak};
use std::time::Duration;

use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUfunction_attribute};
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaStream, result, sys};
use cudarc::nvrtc::Ptx;

use super::super::once::Once;
use super::super::{Event, Order, TextKey, check_limit, locked, own, text_key};
use super::failed;
use super::pool::keep_freed;
use crate::backend;
use crate::error::Error;
use crate::info::{Backend, Limits};

use obsidian_abi::{Language, Text, dynamic_shared};

/// A GPU: its context, its default stream and what was loaded on it.
pub(crate) struct Gpu {
    this: Weak<Gpu>,
    name: String,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    limits: Limits,
    grid: u32,
    /// By PTX and symbol.
    functions: Once<[TextKey; 2], CudaFunction>,
}

/// The open GPUs, by number. A context is never closed: opening one takes about 0.1 s.
static OPEN: LazyLock<Once<usize, Arc<Gpu>>> = LazyLock::new(Once::default);

/// Those of contexts that the caller made.
static FOREIGN: Mutex<Vec<Weak<Gpu>>> = Mutex::new(Vec::new());

fn unavailable(reason: String) -> Error {
    Error::BackendUnavailable { backend: Backend::Cuda, reason }
}

/// The number of GPUs.
pub(crate) fn device_count() -> Result<usize, Error> {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: loads the system's CUDA driver library, whose initialisers are the driver vendor's.
    // cudarc panics where the library is missing, so nothing else of it may be called before this. Versions before 0.19.5 look up
    // every function here already; the call below finds what they panic over once more, and says it.
    let present = || std::panic::catch_unwind(|| unsafe { sys::is_culib_present() }).unwrap_or(true);
    if !*PRESENT.get_or_init(present) {
        let reason = "the driver library (libcuda) was not found; install the NVIDIA driver, or use `Device::cpu()`";
        return Err(unavailable(reason.to_owned()));
    }
    // cudarc looks up each driver function at its first use and panics where a damaged library lacks it.
    let count = std::panic::catch_unwind(CudaContext::device_count)
        .map_err(|_| unavailable("the driver library (libcuda) is damaged or too old; reinstall it".to_owned()))?
        .map_err(|error| {
            unavailable(format!("the driver reports {error}; is there a GPU, and is its driver loaded?"))
        })?;
    usize::try_from(count)
        .ok()
        .filter(|&count| count > 0)
        .ok_or_else(|| unavailable("the driver finds no GPU".to_owned()))
}

impl Gpu {
    /// GPU `index`, opened at its first use.
    pub(crate) fn open(index: usize) -> Result<Arc<Gpu>, Error> {
        let count = device_count()?;
        if index >= count {
            return Err(Error::NoSuchDevice { backend: Backend::Cuda, index, count });
        }
        OPEN.get(index, || {
            let context = CudaContext::new(index).map_err(failed(&format!("CUDA device {index}"), "open it"))?;
            Gpu::new(context)
        })
    }

    /// The GPU of a context of the caller's: one for each context, and for the runtime's own the one that has it.
    pub(crate) fn of(context: &Arc<CudaContext>) -> Result<Arc<Gpu>, Error> {
        if let Some(gpu) = OPEN.find(|gpu| Arc::ptr_eq(&gpu.context, context)) {
            return Ok(gpu);
        }
        let mut foreign = locked(&FOREIGN);
        foreign.retain(|gpu| gpu.strong_count() > 0);
        if let Some(gpu) = foreign.iter().filter_map(Weak::upgrade).find(|gpu| Arc::ptr_eq(&gpu.context, context)) {
            return Ok(gpu);
        }
        let gpu = Gpu::new(Arc::clone(context))?;
        foreign.push(Arc::downgrade(&gpu));
        Ok(gpu)
    }

    fn new(context: Arc<CudaContext>) -> Result<Arc<Gpu>, Error> {
        let index = context.ordinal();
        let number = format!("CUDA device {index}");
        let name = context.name().map_err(failed(&number, "read its name"))?;
        let limit = |attribute| {
            let value = context.attribute(attribute).map_err(failed(&number, "read its limits"))?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        // SAFETY: the device is the context's.
        let memory = unsafe { result::device::total_mem(context.cu_device()) };
        let memory = memory.map_err(failed(&number, "read its memory"))?;
        let limits = Limits {
            memory: Some(memory as u64),
            compute_units: limit(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads: Some(limit(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?),
            shared_bytes: Some(limit(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?),
        };
        let grid = limit(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?;
        // Where that cannot be, buffers take longer to allocate.
        let _ = keep_freed(&context);
        let stream = context.default_stream();
        let name = format!("{name} (device {index})");
        let functions = Once::default();
        Ok(Arc::new_cyclic(|this| Gpu { this: this.clone(), name, context, stream, limits, grid, functions }))
    }

    /// The one owner's share of it, which is there as long as `self` is.
    pub(crate) fn shared(&self) -> Option<Arc<Gpu>> {
        self.this.upgrade()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    pub(super) fn default_stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The real blocks of a launch of `blocks` virtual ones where `wanted` are asked for. Blocks loop by the grid's size, so any
    /// grid covers all virtual blocks.
    pub(crate) fn grid(&self, blocks: u32, wanted: Option<u32>) -> u32 {
        blocks.min(wanted.unwrap_or(u32::MAX)).min(self.grid).max(1)
    }

    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        self.context.synchronize().map_err(failed(&self.name, "finish its launches"))
    }

    /// The variant's function, compiled by the driver at its first use, once its limits are checked.
    pub(super) fn function(&self, order: &Order) -> Result<CudaFunction, Error> {
        let (kernel, needed) = (order.info.name, order.variant.threads.into());
        let &Text { source: ptx, symbol, shared_bytes: shared, .. } = order.text(Language::Ptx)?;
        let who = (kernel, self.name.as_str());
        let allows = |limit: Option<u32>| limit.unwrap_or(u32::MAX).into();
        let Limits { threads, shared_bytes, .. } = self.limits;
        check_limit(who, "threads per block", allows(threads), needed)?;
        let what = "bytes of shared memory per block";
        check_limit(who, what, allows(shared_bytes), shared.into())?;
        self.functions.get([ptx, symbol].map(text_key), || {
            // cudarc panics on text with a NUL byte.
            if ptx.contains('\0') || symbol.contains('\0') {
                let expected = "PTX without NUL bytes".to_owned();
                return Err(Error::Arguments { kernel, expected, found: "a NUL byte".to_owned() });
            }
            let load = || {
                let function = self.context.load_module(Ptx::from_src(ptx))?.load_function(symbol)?;
                // What a block may have beside its static memory is an offer that a kernel must ask for.
                if dynamic_shared(shared) > 0 {
                    let allowed = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                    function.set_attribute(allowed, i32::try_from(shared).unwrap_or(i32::MAX))?;
                }
                let most = function.max_threads_per_block()?;
                Ok((function, most))
            };
            let loaded = load().map_err(failed(&self.name, format!("load kernel `{kernel}` (function `{symbol}`)")));
            let (function, most) = loaded?;
            let what = "threads per block that its registers leave room for";
            check_limit(who, what, allows(u32::try_from(most).ok()), needed)?;
            Ok(function)
        })
    }
}

/// A stream of a GPU.
pub(crate) struct Queue {
    gpu: Arc<Gpu>,
    pub(super) stream: Arc<CudaStream>,
    is_default: bool,
}

impl Queue {
    pub(crate) fn default_of(gpu: &Arc<Gpu>) -> Queue {
        Queue { gpu: Arc::clone(gpu), stream: Arc::clone(&gpu.stream), is_default: true }
    }

    pub(crate) fn new_on(gpu: &Arc<Gpu>) -> Result<Queue, Error> {
        let stream = gpu.context.new_stream().map_err(failed(&gpu.name, "make a stream"))?;
        Ok(Queue { gpu: Arc::clone(gpu), stream, is_default: false })
    }

    /// What the trait's value is here.
    pub(crate) fn behind(queue: &dyn backend::Queue) -> Result<&Queue, Error> {
        own((queue as &dyn Any).downcast_ref(), "the stream")
    }

    /// A stream of the caller's, of the same context.
    pub(crate) fn of(gpu: &Arc<Gpu>, stream: Arc<CudaStream>) -> Queue {
        Queue { gpu: Arc::clone(gpu), stream, is_default: false }
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }
}

impl backend::Queue for Queue {
    fn synchronize(&self) -> Result<(), Error> {
        self.stream.synchronize().map_err(failed(&self.gpu.name, "finish the stream's launches"))
    }

    fn mark(&self) -> Result<Box<dyn Event>, Error> {
        let event = self.stream.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT));
        let event = event.map_err(failed(&self.gpu.name, "mark a moment"))?;
        Ok(Box::new(Mark { name: self.gpu.name.clone(), event }))
    }
}

/// A point in a stream.
struct Mark {
    name: String,
    event: CudaEvent,
}

impl Event for Mark {
    fn since(&self, earlier: &dyn Event) -> Result<Duration, Error> {
        let start: &Mark = own((earlier as &dyn Any).downcast_ref(), "the moment")?;
        let waited = start.event.synchronize().and_then(|()| self.event.synchronize());
        let ms = waited.and_then(|()| start.event.elapsed_ms(&self.event));
        let ms = ms.map_err(failed(&self.name, "read the time of a stream"))?;
        Ok(Duration::from_secs_f64(f64::from(ms.max(0.0)) / 1e3))
    }
}

/// Waits for a stream where no error can be given: the next call gives it. cudarc's wait gives up at once where an earlier drop
/// has left an error, so then it is asked again.
pub(super) fn settle(stream: &CudaStream) {
    if let Err(left) = stream.synchronize() {
        stream.context().record_err(stream.synchronize());
        stream.context().record_err(Err::<(), _>(left));
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // cudarc stops ordering uses of a buffer across streams once the last extra stream is gone, so its launches
        // must be over by then.
        if !self.is_default {
            settle(&self.stream);
        }
    }
}
