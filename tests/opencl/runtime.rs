//! The runtime on an OpenCL device: launches that it shares with the CPU, its clock, and what can go wrong.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use obsidian::abi::cost::Cost;
use obsidian::abi::{
    self, Geometry, KernelInfo, Language, NativeArgs, ParamInfo, ParamKind, ScalarType, Text, Variant,
};
use obsidian::prelude::*;
use obsidian::{IndexedArray, LaunchOptions, kernel};
use obsidian_programs as programs;

use super::defects::POCL;
use super::opencl;

/// Tells a child of the cache's test that it is one.
const TASK: &str = "OBSIDIAN_TEST_TASK";

#[test]
fn a_launch_is_shared_with_the_cpu() {
    let Some(device) = opencl() else { return };
    let cpu = Device::cpu();
    let x: Vec<f32> = (0..16 * 1024).map(|i| i as f32 / 7.0).collect();
    let y: Vec<f32> = (0..16 * 1024).map(|i| (i % 77) as f32 / 3.0).collect();
    let pairs: Vec<(i32, i32)> = (0..128 * 9).map(|i| (i * i, 3 - i)).collect();
    let on = |dev: &Device| (dev.upload(&x).unwrap(), dev.upload(&y).unwrap(), dev.upload(&pairs).unwrap());
    let (cx, cy, cpairs) = on(&cpu);
    let saxpy = programs::saxpy.run(&cpu, 2.5, &cx, &cy).unwrap().to_vec().unwrap();
    let (sums, differences) = programs::sum_and_difference.run(&cpu, &cpairs).unwrap();
    let both = (sums.to_vec().unwrap(), differences.to_vec().unwrap());
    for shares in [
        vec![cpu.share(1), device.share(1)],
        vec![device.share(3), cpu.share(1)],
        vec![device.share(1), cpu.share(0), device.share(2)],
    ] {
        assert_eq!(programs::saxpy.run_on(&shares, 2.5, &x, &y).unwrap(), saxpy, "{shares:?}");
        assert_eq!(programs::sum_and_difference.run_on(&shares, &pairs).unwrap(), both, "{shares:?}");
    }
}

#[test]
fn a_stray_index_names_the_device() {
    let Some(device) = opencl() else { return };
    let rows: Vec<(u32, u32)> = (0..128).map(|r| (r, r + 1)).collect();
    let entries: Vec<(u32, f32)> = (0..128).map(|i| (if i == 100 { 9 } else { 0 }, 1.0)).collect();
    let shares = [Device::cpu().share(1), device.share(1)];
    let error = programs::smvm_threads.run_on(shares, &rows, &entries, &[1.0; 4]).unwrap_err();
    let Error::Part { device: name, first: 1, end: 2, source } = &error else { panic!("{error}") };
    assert_eq!(name, device.name());
    assert!(matches!(**source, Error::OutOfRange { array: IndexedArray::Named("x"), index: 9, len: 4, .. }), "{error}");
}

kernel! {
    #[kernel(threads = 64)]
    fn picked(m: DMat<u32>, at: DPull<(u32, u32)>) -> DPush<Grid, u32> {
        at.map(|(r, c)| m[(r, c)]).push()
    }
}

#[test]
fn a_stray_column_is_told() {
    let Some(device) = opencl() else { return };
    let m = device.upload_matrix(&[5u32; 15], 3, 5).unwrap();
    let found = |place: (u32, u32)| {
        let mut at = [(2u32, 4u32); 128];
        at[70] = place;
        picked.run(device, &m, &device.upload(&at).unwrap()).and_then(|out| out.to_vec())
    };
    assert_eq!(found((0, 0)).unwrap(), [5; 128]);
    for (place, array, index, len) in
        [((0, 5), IndexedArray::Columns("m"), 5, 5), ((3, 0), IndexedArray::Rows("m"), 3, 3)]
    {
        let error = found(place).unwrap_err();
        let Error::OutOfRange { array: of, index: at, len: n, .. } = error else { panic!("{error}") };
        assert_eq!((of, at, n), (array, index, len));
    }
}

#[test]
fn moments_come_one_after_another() {
    let Some(device) = opencl() else { return };
    let input = device.upload(&vec![1; 512 * 64]).unwrap();
    for stream in [device.stream(), device.new_stream().unwrap()] {
        let start = stream.mark().unwrap();
        let out = programs::reductions.on(&stream).run(device, &input).unwrap();
        let end = stream.mark().unwrap();
        assert!(end.since(&start).unwrap() > std::time::Duration::ZERO);
        assert_eq!(start.since(&end).unwrap(), std::time::Duration::ZERO);
        assert_eq!(out.to_vec().unwrap(), [512; 64]);
    }
    let elsewhere = Device::cpu().stream().mark().unwrap();
    let error = device.stream().mark().unwrap().since(&elsewhere).unwrap_err();
    assert!(matches!(&error, Error::MomentsApart { found, .. } if found == "the CPU"), "{error}");
}

#[test]
fn a_name_that_no_device_has_lists_those_there_are() {
    let Some(device) = opencl() else { return };
    let error = Device::opencl("no such device").unwrap_err();
    let Error::NoSuchName { devices, .. } = &error else { panic!("{error}") };
    assert!(devices.iter().any(|name| name == device.name()));
}

/// One element, `out = 7`, with a text that no compiler takes.
static BROKEN: KernelInfo = KernelInfo {
    name: "broken",
    variants: &[Variant {
        values: &[],
        params: &[ParamInfo { name: "out", kind: ParamKind::Output, fields: &[ScalarType::I32] }],
        threads: 1,
        ir: "",
        report: "",
        cost: &Cost::UNKNOWN,
        texts: &[Text {
            language: Language::OpenClC,
            source: "__kernel void broken(__global int *out) { *out = seven; }",
            symbol: "broken",
            shared_bytes: 0,
            rounds: 1,
            needs: &[],
        }],
        guarded: &[],
        parts: &[Some(1)],
        geometry: |_| Ok(Geometry::of(2, vec![2])),
        native: nothing,
    }],
};

unsafe fn nothing(_: &NativeArgs<'_>, _: std::ops::Range<u32>) {}

#[test]
fn what_does_not_compile_is_told_with_the_compilers_words() {
    let Some(device) = opencl() else { return };
    let error = abi::plan(&BROKEN, &LaunchOptions::DEFAULT, device, &[]).unwrap_err();
    assert!(matches!(error, Error::Driver { .. }), "{error}");
    for part in [device.name(), "`broken`", "CL_BUILD_PROGRAM_FAILURE", "seven"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    let shares = [Device::cpu().share(1), device.share(1)];
    let error = abi::Split::new(&BROKEN, &LaunchOptions::DEFAULT, &shares, &[]).unwrap_err();
    assert!(matches!(&error, Error::Part { device: name, first: 1, end: 2, .. } if name == device.name()), "{error}");
}

/// What the test of the cache runs, in a process of its own.
#[test]
fn child_of_the_cache() {
    if std::env::var_os(TASK).is_some() {
        let device = Device::opencl(0).unwrap();
        let input = device.upload(&[1; 512]).unwrap();
        assert_eq!(programs::reductions.run(&device, &input).unwrap().to_vec().unwrap(), [512]);
    }
}

#[test]
fn a_damaged_cache_is_made_anew() {
    let Some(device) = opencl() else { return };
    let folder = std::env::temp_dir().join(format!("obsidian-opencl-cache-{}", std::process::id()));
    let run = || {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "runtime::child_of_the_cache"]).env(TASK, "cache").env("OBSIDIAN_CACHE", &folder);
        let output = child.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| (path.clone(), fs::read(path).unwrap())).collect::<Vec<(PathBuf, Vec<u8>)>>()
    };
    if device.name().contains(POCL) {
        // It has a cache of its own; what it would give for ours takes it longer than the kernel that is launched.
        fs::create_dir(&folder).unwrap();
        assert!(run().is_empty());
        return fs::remove_dir(folder).unwrap();
    }
    let first = run();
    assert_eq!(first.len(), 1, "one kernel, one file");
    let (path, whole) = &first[0];
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    for bytes in [&damaged[..], &whole[..whole.len() / 2], b"", b"another program's file"] {
        fs::write(path, bytes).unwrap();
        let again = run();
        assert_eq!(again.len(), 1);
        assert!(again[0].0 == *path && again[0].1 != bytes && again[0].1.len() > 64, "it is written anew");
    }
    fs::remove_dir_all(folder).unwrap();
}
