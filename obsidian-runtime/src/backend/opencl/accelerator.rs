//! An open device, for the life of the process: its limits, its queues and the kernels loaded on it.

use std::ffi::CString;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, LazyLock};

use obsidian_abi::{Language, Text};

use super::super::once::Once;
use super::super::{Order, TextKey, check_limit, text_key};
use super::about::{About, Found, found, unavailable};
use super::api::{Api, Raw, api};
use super::handle::Handle;
use super::program::{Function, Grouping};
use super::queue::Queue;
use super::status::failed;
use crate::error::Error;
use crate::info::{Backend, Limits};

/// An open device.
pub(crate) struct Accelerator {
    pub(super) api: &'static Api,
    pub(super) device: Raw,
    pub(super) context: Handle,
    pub(super) about: About,
    pub(super) queue: Arc<Queue>,
    /// Bytes of its memory that buffers take.
    pub(super) taken: Arc<AtomicU64>,
    /// By texts, symbol and grouping.
    functions: Once<([TextKey; 3], Grouping), Arc<Function>>,
    /// By text and options: kernels may share a text.
    pub(super) programs: Once<(TextKey, CString), Arc<Handle>>,
}

// SAFETY: the raw pointer is a device, which lives as long as the driver; see `Handle` for the rest.
unsafe impl Send for Accelerator {}
// SAFETY: as above.
unsafe impl Sync for Accelerator {}

/// Threads of a warp.
const WARP: u32 = 32;

/// The open devices, by number. None is ever closed: opening one may take long.
static OPEN: LazyLock<Once<usize, Arc<Accelerator>>> = LazyLock::new(Once::default);

impl Accelerator {
    /// The device of a number, opened at its first use.
    pub(crate) fn open(index: usize) -> Result<Arc<Accelerator>, Error> {
        let mut found = found()?;
        if index >= found.len() {
            return Err(Error::NoSuchDevice { backend: Backend::OpenCl, index, count: found.len() });
        }
        OPEN.get(index, || Ok(Arc::new(Accelerator::new(found.swap_remove(index))?)))
    }

    fn new(found: Found) -> Result<Accelerator, Error> {
        let api = api().map_err(unavailable)?;
        let Found { device, about } = found;
        let context = Handle::context(api, device).map_err(failed(&about.name, "open it"))?;
        let queue = Handle::queue(api, &context, device).map_err(failed(&about.name, "make a queue"))?;
        let queue = Arc::new(Queue { api, name: about.name.clone(), handle: queue });
        let (functions, programs) = (Once::default(), Once::default());
        Ok(Accelerator { api, device, context, about, queue, taken: Arc::default(), functions, programs })
    }

    pub(crate) fn name(&self) -> &str {
        &self.about.name
    }

    pub(crate) fn limits(&self) -> Limits {
        self.about.limits
    }

    /// A queue of its own.
    pub(crate) fn new_queue(&self) -> Result<Queue, Error> {
        let handle = Handle::queue(self.api, &self.context, self.device);
        let handle = handle.map_err(failed(self.name(), "make a stream"))?;
        Ok(Queue { api: self.api, name: self.about.name.clone(), handle })
    }

    /// The variant's function, compiled at its first use, once its limits are checked.
    pub(crate) fn function(&self, order: &Order, grouping: Grouping) -> Result<Arc<Function>, Error> {
        let (kernel, threads) = (order.info.name, order.variant.threads);
        let most = self.about.limits.threads.unwrap_or(u32::MAX);
        check_limit((kernel, self.name()), "work-items per work-group", most.into(), threads.into())?;
        let text = order.text(Language::OpenClC)?;
        if let Some(&need) = text.needs.iter().find(|&&need| !self.about.has(need)) {
            return Err(Error::Feature { kernel, device: self.about.name.clone(), feature: need.name() });
        }
        let of_warps = order.variant.text(Language::OpenClSubGroups);
        let key = [text.source, of_warps.map_or("", |text| text.source), text.symbol].map(text_key);
        self.functions.get((key, grouping), || {
            let function = of_warps.and_then(|text| self.in_sub_groups(kernel, threads, (text, grouping)));
            Ok(Arc::new(match function {
                Some(function) => function,
                None => self.in_groups(kernel, threads, (text, grouping))?,
            }))
        })
    }

    fn shared_bytes(&self) -> u32 {
        self.about.limits.shared_bytes.unwrap_or(u32::MAX)
    }

    fn in_groups(
        &self,
        kernel: &'static str,
        threads: u32,
        (text, grouping): (&Text, Grouping),
    ) -> Result<Function, Error> {
        let who = (kernel, self.name());
        check_limit(who, "bytes of local memory", self.shared_bytes().into(), text.shared_bytes.into())?;
        let function = Function::load(self, kernel, text, grouping)?;
        check_limit(who, "work-items per work-group", function.threads(self)?, threads.into())?;
        Ok(function)
    }

    /// The function whose warps are sub-groups; `None` where the driver does not take its text or makes sub-groups that are
    /// no warps. The text for all devices serves then.
    fn in_sub_groups(
        &self,
        kernel: &'static str,
        threads: u32,
        (text, grouping): (&Text, Grouping),
    ) -> Option<Function> {
        if !self.about.shuffles() || text.shared_bytes > self.shared_bytes() {
            return None;
        }
        let function = Function::load(self, kernel, text, grouping).ok()?;
        let fits = function.threads(self).ok()? >= threads.into();
        (fits && function.sub_groups(self, threads)? == (WARP, threads.div_ceil(WARP).into())).then_some(function)
    }
}
