//! What goes wrong on a device: a kernel that faults, hardware that fails, calls of the driver that give an error.

use obsidian::cudarc::driver::{LaunchConfig, PushKernelArg};
use obsidian::cudarc::nvrtc::Ptx;
use obsidian::prelude::*;
use obsidian_programs as programs;

use super::{DONE, child, device_mistakes, gpu, sequence, simulated};

/// Everything that can be asked of a device.
fn all_calls(device: &Device, buffer: &mut Buffer<f32>) -> Vec<(&'static str, Result<(), Error>)> {
    let stream = device.stream();
    let launch = |buffer: &Buffer<f32>| programs::saxpy.run(device, 1.0, buffer, buffer).map(drop);
    vec![
        ("synchronize", device.synchronize()),
        ("stream", stream.synchronize()),
        ("new stream", device.new_stream().map(drop)),
        ("mark", stream.mark().map(drop)),
        ("alloc", device.alloc::<u8>(8).map(drop)),
        ("upload", device.upload(&[1u64]).map(drop)),
        ("pinned", device.pinned::<u64>(4).map(drop)),
        ("write", buffer.write(&[0.0; 1024])),
        ("to_vec", buffer.to_vec().map(drop)),
        ("launch", launch(buffer)),
        ("record", {
            let x = &*buffer;
            stream.record(|s| programs::saxpy.on(s).run(device, 1.0, x, x).map(|out| (x, out))).map(drop)
        }),
    ]
}

#[test]
fn a_lost_device_is_an_error_everywhere() {
    simulated(
        "faults::a_lost_device_is_an_error_everywhere",
        &["devices=2 lose=0@3", "devices=2 lose=0@3 pools=0"],
        || {
            let (device, other) = (gpu(), Device::cuda(1).unwrap());
            let mut x = device.upload(&[1.0f32; 1024]).unwrap();
            let stream = device.new_stream().unwrap();
            let mut pinned = device.pinned::<f32>(1024).unwrap();
            for _ in 0..2 {
                let out = programs::saxpy.run(&device, 1.0, &x, &x).unwrap();
                assert_eq!(out.to_vec().unwrap(), [2.0; 1024]);
            }
            // The launch is put into the stream; that it fails is found when somebody waits.
            let out = programs::saxpy.on(&stream).run(&device, 1.0, &x, &x).unwrap();
            stream.download(&out, &mut pinned).unwrap();
            let error = out.to_vec().unwrap_err();
            assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
            assert!(error.to_string().contains("ECC_UNCORRECTABLE"), "{error}");
            for (what, result) in all_calls(&device, &mut x) {
                let error = result.expect_err(what);
                assert!(matches!(error, Error::DeviceLost { .. }), "{what}: {error}");
            }
            // Whoever looks at the memory does not wait for ever.
            assert_eq!(pinned.len(), 1024);
            let mut on_other = other.upload(&[1.0f32; 1024]).unwrap();
            for (what, result) in all_calls(&other, &mut on_other) {
                result.expect(what);
            }
        },
    );
}

/// A device that is lost between the kernels of an entry: who waits between them is told at which step, and the host's data are there for
/// another device.
#[test]
fn a_device_that_is_lost_between_kernels_is_told() {
    let settings = ["devices=2 lose=0@1", "devices=2 lose=0@2", "devices=2 lose=0@3", "devices=2 lose=0@2 pools=0"];
    simulated("faults::a_device_that_is_lost_between_kernels_is_told", &settings, || {
        let (data, places) = ([1u32, 20, 300], [2u32, 0]);
        let run = |device: &Device| {
            let (xs, at) = (device.upload(&data)?, device.upload(&places)?);
            device_mistakes::looked_up_later.run(device, &xs, &at)?.to_vec()
        };
        let error = run(&gpu()).unwrap_err();
        let told = error.to_string();
        let Error::Step { entry: "looked_up_later", source, .. } = &error else { panic!("{told}") };
        assert!(matches!(**source, Error::DeviceLost { .. }), "{told}");
        // The first is missed by the fetch, the third by what asks for its guard.
        assert!(told.contains("(fetch from `ys`)") || told.contains("(launch of `looked_up_later_"), "{told}");
        assert_eq!(run(&Device::cuda(1).unwrap()).unwrap(), [602, 4]);
    });
}

const STRAY: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry stray(.param .u64 out)
{
    .reg .u64 %a<2>;
    ld.param.u64 %a1, [out];
    st.global.u64 [%a1], %a1;
    ret;
}";

/// The caller's own kernel, on the caller's own stream, writes where nothing is: our next call says that the device is lost.
#[test]
fn a_fault_of_the_callers_kernel_is_told() {
    simulated("faults::a_fault_of_the_callers_kernel_is_told", &[""], || {
        let device = gpu();
        let context = device.cuda_context().unwrap();
        let stream = context.default_stream();
        let stray = context.load_module(Ptx::from_src(STRAY)).unwrap().load_function("stray").unwrap();
        device.synchronize().unwrap();
        let address = 32u64;
        let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the address is nobody's, which the driver finds out.
        unsafe { stream.launch_builder(&stray).arg(&address).launch(config) }.unwrap();
        let error = device.synchronize().unwrap_err();
        assert!(matches!(&error, Error::DeviceLost { .. }), "{error}");
        assert!(error.to_string().contains("ILLEGAL_ADDRESS"), "{error}");
        assert!(matches!(device.upload(&[1u8]), Err(Error::DeviceLost { .. })));
    });
}

/// The driver's functions that the runtime calls, itself or through cudarc.
const CALLS: [&str; 37] = [
    "cuInit",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceTotalMem_v2",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuModuleLoadData",
    "cuModuleGetFunction",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemsetD8Async",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuEventElapsedTime",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
];

/// One call of the driver fails: the program ends with an error, or with the right result, but never with a wrong one,
/// a panic or a hang.
#[test]
fn every_call_of_the_driver_may_fail() {
    const TEST: &str = "faults::every_call_of_the_driver_may_fail";
    if std::env::var(super::CHILD).is_ok() {
        match sequence::in_short() {
            Ok(()) => println!("{DONE}: the right result"),
            Err(error) => println!("{DONE}: {error}"),
        }
        return;
    }
    let mut told = 0;
    for name in CALLS {
        for call in [1, 2, 4] {
            let pools = if name.ends_with("Alloc_v2") || name.ends_with("Free_v2") { "pools=0 " } else { "" };
            let settings = format!("{pools}fail={name}@{call}:999");
            let output = child(TEST, &settings);
            let said =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
            assert!(output.status.success() && said.contains(DONE), "{settings}: {}\n{said}", output.status);
            told += usize::from(said.contains("CUDA_ERROR_UNKNOWN"));
        }
    }
    assert!(told > 50, "only {told} errors were told");
}
