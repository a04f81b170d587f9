//! Recorded launches as a CUDA graph: captured on a stream that nothing else uses, launched on the caller's.

use std::any::Any;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUstreamCaptureMode};
use cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut, DriverError, LaunchConfig, PushKernelArg};

use super::super::own;
use super::failed;
use super::gpu::{Gpu, Queue, settle};
use super::launch::Loaded;
use super::memory::{DeviceBytes, start};
use crate::backend::{self, Launch, Memory, Module, Word};
use crate::error::Error;

use obsidian_abi::{Language, dynamic_shared};

/// One node of the graph.
pub(super) enum Command<'a> {
    Launch(Node<'a>),
    /// At an address, sets this number of bytes to one value.
    Fill(u64, u8, usize),
    /// From the first address to the second.
    Copy(u64, u64, usize),
}

/// One launch.
pub(super) struct Node<'a> {
    kernel: &'static str,
    loaded: &'a Loaded,
    grid: u32,
    threads: u32,
    /// Bytes of dynamic shared memory.
    shared: u32,
    /// Pointers, lengths and the bits of scalars, in the order of the PTX's parameters.
    words: Vec<u64>,
}

/// A graph that can be launched.
pub(super) struct Graph {
    exec: Exec,
    queue: Arc<dyn backend::Queue>,
    gpu: Arc<Gpu>,
}

/// The driver's graph, and what can be launched of it. Not cudarc's: that is launched on the stream that it was captured on alone.
struct Exec {
    graph: sys::CUgraph,
    exec: sys::CUgraphExec,
    gpu: Arc<Gpu>,
}

impl Exec {
    /// What was captured; `None` for nothing.
    fn captured(gpu: &Arc<Gpu>, stream: &CudaStream) -> Result<Option<Exec>, DriverError> {
        // SAFETY: the stream is being captured.
        let graph = unsafe { result::stream::end_capture(stream.cu_stream())? };
        if graph.is_null() {
            return Ok(None);
        }
        // Its drop is what frees the graph, also where it cannot be made ready.
        let mut made = Exec { graph, exec: ptr::null_mut(), gpu: Arc::clone(gpu) };
        // SAFETY: the graph is there, and the driver writes a pointer.
        unsafe { sys::cuGraphInstantiateWithFlags(&mut made.exec, graph, 0).result()? };
        Ok(Some(made))
    }
}

impl Drop for Exec {
    fn drop(&mut self) {
        let context = self.gpu.context();
        context.record_err(context.bind_to_thread());
        if !self.exec.is_null() {
            // SAFETY: it is there, and nothing else names it.
            context.record_err(unsafe { result::graph::exec_destroy(self.exec) });
        }
        // SAFETY: as above.
        context.record_err(unsafe { result::graph::destroy(self.graph) });
    }
}

// SAFETY: the driver's graphs are bound to no thread; they must not be used by two at once, and only `&mut Graph` and its
// drop use them.
unsafe impl Send for Exec {}
// SAFETY: as above.
unsafe impl Sync for Exec {}

impl Graph {
    /// The nodes one after the other; `None` for none. The pointers among the words must be those of memory that is there at each
    /// launch.
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        queue: &Arc<dyn backend::Queue>,
        nodes: &[Command<'_>],
    ) -> Result<Option<Graph>, Error> {
        if nodes.is_empty() {
            return Ok(None);
        }
        let told = |what: String| failed(gpu.name(), what);
        let stream = gpu.context().new_stream().map_err(told("make a stream for a graph".into()))?;
        // Relaxed: nothing but launches happens between here and the end, and other threads may do as they like.
        let begun = stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED);
        begun.map_err(told("begin a graph".into()))?;
        let launched =
            nodes.iter().try_for_each(|node| node.capture(&stream).map_err(told(format!("record {}", node.name()))));
        // Ended in any case, so that the stream can go.
        let ended = Exec::captured(gpu, &stream).map_err(told("make a graph".into()));
        launched?;
        Ok(ended?.map(|exec| Graph { exec, queue: Arc::clone(queue), gpu: Arc::clone(gpu) }))
    }
}

impl backend::Graph for Graph {
    fn launch(&mut self, reads: &[&dyn Memory], writes: &mut [&mut dyn Memory]) -> Result<(), Error> {
        let stream = Queue::behind(&*self.queue)?.stream();
        let reads = reads.iter().map(|memory| DeviceBytes::behind(*memory)).collect::<Result<Vec<_>, _>>()?;
        let writes = writes.iter_mut().map(|memory| DeviceBytes::behind_mut(*memory));
        let mut writes = writes.collect::<Result<Vec<_>, _>>()?;
        let reads: Vec<_> = reads.iter().filter_map(|bytes| bytes.view()).collect();
        let mut writes: Vec<_> = writes.iter_mut().filter_map(|bytes| bytes.view_mut()).collect();
        let mut launch = || {
            stream.context().bind_to_thread()?;
            let mut uses = Vec::new();
            uses.extend(reads.iter().map(|view| view.device_ptr(stream).1));
            uses.extend(writes.iter_mut().map(|view| view.device_ptr_mut(stream).1));
            // SAFETY: the graph and the stream are of one context; the caller keeps the memory that the graph names.
            let launched = unsafe { result::graph::launch(self.exec.exec, stream.cu_stream()) };
            // Marks the uses, for others to wait for.
            drop(uses);
            launched
        };
        launch().map_err(failed(self.gpu.name(), "launch a graph"))
    }
}

impl<'a> Command<'a> {
    /// The commands of a node: of a buffer one for each field that has bytes.
    pub(super) fn of(node: &'a mut backend::Node<'_>) -> Result<Vec<Command<'a>>, Error> {
        let bytes = |field: &dyn Memory| {
            let view = DeviceBytes::behind(field)?.view();
            Ok::<_, Error>(view.map(|view| (start(&view), view.len())))
        };
        match node {
            backend::Node::Launch(module, launch) => Ok(vec![Command::Launch(Node::new(module, launch)?)]),
            backend::Node::Fill(to, byte) => {
                let fields = to.iter().map(|to| bytes(&**to)).collect::<Result<Vec<_>, _>>()?;
                Ok(fields.into_iter().flatten().map(|(to, len)| Command::Fill(to, *byte, len)).collect())
            }
            backend::Node::Copy(from, to) => {
                let fields = from.iter().zip(*to).map(|(from, to)| Ok(bytes(&**from)?.zip(bytes(&**to)?)));
                let fields = fields.collect::<Result<Vec<_>, Error>>()?;
                let copy = |((from, _), (to, len))| Command::Copy(from, to, len);
                Ok(fields.into_iter().flatten().map(copy).collect())
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Command::Launch(node) => format!("kernel `{}`", node.kernel),
            Command::Fill(..) => "the fill of a buffer".to_owned(),
            Command::Copy(..) => "the copy of a buffer".to_owned(),
        }
    }

    fn capture(&self, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
        match *self {
            Command::Launch(ref node) => node.capture(stream),
            // SAFETY: the bytes are those of buffers that are there at each launch of the graph. Nothing runs yet.
            Command::Fill(at, byte, len) => unsafe { result::memset_d8_async(at, byte, len, stream.cu_stream()) },
            // SAFETY: as above.
            Command::Copy(from, to, len) => unsafe { result::memcpy_dtod_async(to, from, len, stream.cu_stream()) },
        }
    }
}

impl<'a> Node<'a> {
    fn new(module: &'a Arc<dyn Module>, launch: &mut Launch<'_>) -> Result<Node<'a>, Error> {
        let loaded: &Loaded = own((&**module as &dyn Any).downcast_ref(), "the graph")?;
        let order = launch.order;
        let grid = loaded.gpu.grid(launch.blocks.end - launch.blocks.start, order.wanted);
        let address = |memory: &dyn Memory| Ok(DeviceBytes::behind(memory)?.view().map_or(0, |view| start(&view)));
        let words = launch.words().into_iter().map(|word| match word {
            Word::Read(memory) => address(memory),
            Word::Write(memory) => address(memory),
            Word::Length(len) => Ok(len.into()),
            Word::Scalar(bits, _) => Ok(bits),
        });
        let words = words.collect::<Result<_, Error>>()?;
        let shared = dynamic_shared(order.text(Language::Ptx)?.shared_bytes);
        Ok(Node { kernel: order.info.name, loaded, grid, threads: order.variant.threads, shared, words })
    }

    fn capture(&self, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
        let mut call = stream.launch_builder(&self.loaded.function);
        self.words.iter().for_each(|word| {
            call.arg(word);
        });
        let (grid_dim, block_dim) = ((self.grid, 1, 1), (self.threads, 1, 1));
        let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: self.shared };
        // SAFETY: as many words as the kernel's PTX declares, in its order, each at least as long as its parameter (the
        // driver reads the low bytes; CUDA hosts are little-endian). Nothing runs yet; `Graph::launch` says when.
        unsafe { call.launch(config) }.map(drop)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // What is under way must be over before the driver's graph goes.
        if let Ok(queue) = Queue::behind(&*self.queue) {
            settle(queue.stream());
        }
    }
}
