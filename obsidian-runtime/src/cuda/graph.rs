//! Recorded launches as a CUDA graph: captured on a stream that nothing else uses, launched on the caller's.

use std::sync::Arc;

use cudarc::driver::result;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaStream, DriverError};

use super::failed;
use super::gpu::{Function, Gpu, Queue, settle};
use super::memory::DeviceBytes;
use crate::error::Error;

/// One launch.
pub(crate) struct Node<'a> {
    pub kernel: &'static str,
    pub function: &'a Function,
    pub grid: u32,
    pub threads: u32,
    /// Pointers, lengths and the bits of scalars, in the order of the PTX's parameters.
    pub words: Vec<u64>,
}

/// A graph that can be launched.
pub(crate) struct Graph {
    exec: Exec,
    queue: Arc<Queue>,
    gpu: Arc<Gpu>,
}

/// The driver's graph.
struct Exec(CudaGraph);

// SAFETY: the driver's graphs are bound to no thread; they must not be used by two at once, and only `&mut Graph` and its
// drop use them.
unsafe impl Send for Exec {}
// SAFETY: as above.
unsafe impl Sync for Exec {}

impl Graph {
    /// The nodes one after the other; `None` for none. The pointers among the words must be those of memory that is there at each
    /// launch.
    pub(crate) fn new(gpu: &Arc<Gpu>, queue: &Arc<Queue>, nodes: &[Node<'_>]) -> Result<Option<Graph>, Error> {
        if nodes.is_empty() {
            return Ok(None);
        }
        let told = |what: String| failed(gpu.name(), what);
        let stream = gpu.context().new_stream().map_err(told("make a stream for a graph".into()))?;
        // Relaxed: nothing but launches happens between here and the end, and other threads may do as they like.
        let begun = stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED);
        begun.map_err(told("begin a graph".into()))?;
        let launched = nodes
            .iter()
            .try_for_each(|node| node.capture(&stream).map_err(told(format!("record kernel `{}`", node.kernel))));
        // Ended in any case, so that the stream can go.
        let ended = stream.end_capture(CUgraphInstantiate_flags(0)).map_err(told("make a graph".into()));
        launched?;
        Ok(ended?.map(|graph| Graph { exec: Exec(graph), queue: Arc::clone(queue), gpu: Arc::clone(gpu) }))
    }

    /// Launches it after all that the memory was used for before; later uses of the memory come after it.
    pub(crate) fn launch(&mut self, reads: &[&DeviceBytes], mut writes: Vec<&mut DeviceBytes>) -> Result<(), Error> {
        let stream = self.queue.stream();
        let mut launch = || {
            stream.context().bind_to_thread()?;
            let mut uses = Vec::new();
            uses.extend(reads.iter().filter_map(|bytes| bytes.view()).map(|view| view.view_ptr(stream).1));
            uses.extend(writes.iter_mut().filter_map(|b| b.view_mut()).map(|view| view.view_ptr_mut(stream).1));
            // SAFETY: the graph and the stream are of one context; the caller keeps the memory that the graph names.
            let launched = unsafe { result::graph::launch(self.exec.0.cu_graph_exec(), stream.cu_stream()) };
            // Marks the uses, for others to wait for.
            drop(uses);
            launched
        };
        launch().map_err(failed(self.gpu.name(), "launch a graph"))
    }
}

impl Node<'_> {
    fn capture(&self, stream: &CudaStream) -> Result<(), DriverError> {
        let mut params: Vec<_> = self.words.iter().map(|word| std::ptr::from_ref(word).cast_mut().cast()).collect();
        // SAFETY: as many words as the kernel's PTX declares, in its order, each at least as long as its parameter (the
        // driver reads the low bytes; CUDA hosts are little-endian). Nothing runs yet; `Graph::launch` says when.
        unsafe {
            let (grid, threads) = ((self.grid, 1, 1), (self.threads, 1, 1));
            result::launch_kernel(self.function.0.cu_function(), grid, threads, 0, stream.cu_stream(), &mut params)
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // What is under way must be over before the driver's graph goes.
        settle(self.queue.stream());
    }
}
