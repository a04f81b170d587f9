//! Files of wisdom from records: what was found best on the devices of this machine, for programs that ship the same variants.

use std::path::Path;

use obsidian_build::shared::Message;
use obsidian_ir::program::print;
use obsidian_lang::driver::Variant;
use obsidian_runtime::wisdom::Found;
use obsidian_runtime::{Backend, Device, DeviceInfo};
use obsidian_tune::bench::provenance;
use obsidian_tune::output::values;
use obsidian_tune::record::Contents;
use obsidian_tune::source::Kernel;

use crate::kernels;

/// Writes a file for each record whose device is here, and says which are left out.
pub fn write(folder: &Path, kernel: &Kernel, records: &[Contents]) -> Result<(), Message> {
    let here = devices();
    let variants: Vec<&Variant> = kernel.variants().collect();
    let programs: Vec<String> = variants.iter().map(|v| print(&v.native)).collect();
    let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
    let names: Vec<String> = variants.iter().map(|v| kernels::shown(v)).collect();
    let mut files = Vec::new();
    for record in records {
        let header = &record.header;
        let Some(conclusion) = &record.conclusion else { continue };
        let is_it = |device: &&Device| {
            provenance(device).is_ok_and(|own| own == [header.backend.as_str(), &header.device, &header.driver])
        };
        let Some(device) = here.iter().find(is_it) else {
            eprintln!("left out: {} ({}) is not here, or its driver is another one", header.device, header.backend);
            continue;
        };
        let len = values(&header.problem).get("len").and_then(|len| len.parse().ok()).unwrap_or(0);
        let mut found = Found::new(&kernel.name, &programs, &names, device);
        (found.len, found.chosen) = (len, conclusion.chosen.clone());
        files.push((format!("{}.{}.{len}.wisdom", kernel.name, header.backend), found.text()));
    }
    kernels::write(folder, &files)
}

/// Every device of this machine that can be opened.
fn devices() -> Vec<Device> {
    let open = |info: DeviceInfo| match info.backend {
        Backend::Cpu => Some(Device::cpu()),
        Backend::Cuda => Device::cuda(info.index).ok(),
        Backend::OpenCl => Device::opencl(info.index).ok(),
        _ => None,
    };
    Device::list().into_iter().filter_map(open).collect()
}
